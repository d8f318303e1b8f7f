/* report_read.c -- a report again, from the JSON that it was written as, or from a file of
 * values per query (or another table) with tabs or commas between its cells.         */
#include "show.h"

#include "../base/alloc.h"
#include "../base/json.h"
#include "../base/number.h"

#include <math.h>

enum { MAX_COLUMNS = 4096, DECIMALS = 6 };

/* A zero-ended copy, for those that take a name; "" where there is no memory. */
static const char *copy_text(struct arena *a, peck_span s)
{
    char *const to = arena_new(a, "the report", s.n + 1, 1);

    if (to != NULL && s.n > 0)
        memcpy(to, s.s, s.n);
    return to != NULL ? to : "";
}

/* JSON ----------------------------------------------------------------------------------- */

/* NaN: it is none. */
static double json_number(const struct json_node *v)
{
    double value = (double)NAN;

    return v->type == JSON_NUMBER && number_parse(v->text, &value) ? value : (double)NAN;
}

/* The texts and numbers of an object: the whole, or its "notes". */
static void add_members(struct peck_report *r, const struct json_node *object,
                        bool are_notes, struct arena *a)
{
    const struct json_node *key = json_first(object);

    for (size_t i = 0; i < object->n_inside; i++, key = json_next(json_next(key))) {
        const struct json_node *const v = json_next(key);
        const char *const name = copy_text(a, key->text);

        if (v->type == JSON_STRING && are_notes)
            report_note(r, name, copy_text(a, v->text));
        else if (v->type == JSON_STRING)
            report_text(r, name, copy_text(a, v->text));
        else if (v->type == JSON_NUMBER || v->type == JSON_NULL)
            report_number(r, name, json_number(v), DECIMALS);
    }
}

/* A list of objects; names of the columns are those of the first one. */
static peck_status add_json_table(struct peck_report *r, const struct json_node *title,
                                  const char *name, struct arena *a, peck_error *err)
{
    const struct json_node *const list = json_next(title), *row = json_first(list);
    const bool is_list = list->type == JSON_ARRAY;
    const size_t n = is_list && list->n_inside > 0 ? row->n_inside : 0;
    const char **column = NULL;

    for (size_t i = 0; i < list->n_inside || !is_list; i++, row = json_next(row)) {
        if (!is_list || row->type != JSON_OBJECT || row->n_inside != n || n == 0 ||
            n > MAX_COLUMNS)
            return fail(err, PECK_FORMAT,
                        "%.200s: table '%.*s' is no list of objects with the same names",
                        name, SPAN_ARGS(title->text));
        const struct json_node *key = json_first(row);

        if (i == 0) {
            column = arena_new(a, "the report", n, sizeof *column);
            TRY(arena_check(a, err));
            for (size_t c = 0; c < n; c++, key = json_next(json_next(key)))
                column[c] = copy_text(a, key->text);
            report_table(r, copy_text(a, title->text), n, column);
            key = json_first(row);
        }
        for (size_t c = 0; c < n; c++) {
            const struct json_node *const v = json_next(key);

            if (v->type == JSON_STRING)
                report_cell_text(r, copy_text(a, v->text));
            else
                report_cell_number(r, json_number(v), DECIMALS);
            key = json_next(v);
        }
    }
    return PECK_OK;
}

/* Members are values, "notes" notes, "tables" tables; anything else is left out. */
peck_status report_read_json(struct peck_report **out, peck_span text, const char *name,
                             peck_error *err)
{
    struct json j;
    struct arena a = { 0 };
    struct peck_report *r = NULL;

    *out = NULL;
    peck_status st = json_parse(&j, text, name, err);

    if (st == PECK_OK && j.node->type != JSON_OBJECT)
        st = fail(err, PECK_FORMAT, "%.200s: a report is a JSON object", name);
    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK) {
        const struct json_node *const notes = json_get(j.node, "notes");
        const struct json_node *const tables = json_get(j.node, "tables");

        add_members(r, j.node, false, &a);
        if (notes != NULL && notes->type == JSON_OBJECT)
            add_members(r, notes, true, &a);
        if (tables != NULL && tables->type == JSON_OBJECT) {
            const struct json_node *title = json_first(tables);

            for (size_t i = 0; st == PECK_OK && i < tables->n_inside; i++) {
                st = add_json_table(r, title, name, &a, err);
                title = json_next(json_next(title));
            }
        }
    }
    if (st == PECK_OK)
        st = arena_check(&a, err);
    json_free(&j);
    arena_free(&a);
    return report_finish(out, r, st, err);
}

/* Tabs and commas ------------------------------------------------------------------------ */

/* The lines so far. */
struct cell_lines {
    char between; /* the cells: a tab or a comma */
    struct text quoted;
    struct strings column, name;
    double *value; /* [name.n][column.n - 1] */
    size_t n_values, cap_values;
};

/* The next cell of a line, good until the one after it; false behind the last one, where
 * line->s is NULL.  It ends at the first separator that does not stand in quotes, which only a
 * table with commas has; of two quotes in a row within it one stays. */
static bool cut_cell(struct cell_lines *s, peck_span *line, peck_span *cell)
{
    const bool has_quotes = s->between == ',';
    bool is_quoted = false;
    size_t n = 0;

    if (line->s == NULL)
        return false;
    for (; n < line->n && (is_quoted || line->s[n] != s->between); n++)
        is_quoted ^= has_quotes && line->s[n] == '"';
    const bool is_last = n == line->n;

    *cell = span_trim((peck_span){ line->s, n });
    line->s = is_last ? NULL : line->s + n + 1;
    line->n -= is_last ? n : n + 1;
    if (!has_quotes || cell->n < 2 || cell->s[0] != '"' || cell->s[cell->n - 1] != '"')
        return true;
    s->quoted.len = 0;
    for (size_t i = 1; i + 1 < cell->n; i++) {
        text_add(&s->quoted, cell->s + i, 1);
        i += cell->s[i] == '"' && cell->s[i + 1] == '"' && i + 2 < cell->n;
    }
    *cell = (peck_span){ s->quoted.len > 0 ? s->quoted.s : "", s->quoted.len };
    return true;
}

/* A line of names first, then lines of a name and numbers. */
static peck_status read_cells(struct cell_lines *s, const struct input *in, peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line, cell;

    while (lines_next(&l, &line)) {
        const bool is_head = s->column.n == 0;
        size_t n = 0;

        line = span_trim(line);
        if (line.n == 0)
            continue;
        if (is_head)
            s->between = memchr(line.s, '\t', line.n) != NULL ? '\t' : ',';
        for (; cut_cell(s, &line, &cell); n++) {
            const bool is_number = !is_head && n > 0;
            double value = (double)NAN;

            if (is_head && n == MAX_COLUMNS)
                return fail(err, PECK_FORMAT, "%.200s:1: more than %d columns", in->name,
                            MAX_COLUMNS);
            if (is_number && !span_is(cell, "-") && !number_parse(cell, &value))
                return fail(err, PECK_FORMAT, "%.200s:%zu: '%.*s' is not a number",
                            in->name, l.number, SPAN_ARGS(cell));
            if (is_number ? !mem_reserve(&s->value, &s->cap_values, s->n_values + 1,
                                         sizeof *s->value)
                          : !strings_add(is_head ? &s->column : &s->name, cell))
                return fail(err, PECK_NOMEM, "out of memory: no room for the report");
            if (is_number)
                s->value[s->n_values++] = value;
        }
        if (n != s->column.n)
            return fail(err, PECK_FORMAT, "%.200s:%zu: %zu cells under %zu names", in->name,
                        l.number, n, s->column.n);
    }
    return s->name.n > 0 ? PECK_OK : fail(err, PECK_FORMAT, "%.200s: is empty", in->name);
}

peck_status report_read_tsv(struct peck_report **out, const struct input *in,
                            peck_error *err)
{
    struct cell_lines s = { 0 };
    struct arena a = { 0 };
    struct peck_report *r = NULL;

    *out = NULL;
    text_init(&s.quoted, SIZE_MAX / 2);
    peck_status st = read_cells(&s, in, err);
    const char **const column = arena_new(&a, "the report", s.column.n, sizeof *column);

    for (size_t c = 0; column != NULL && c < s.column.n; c++)
        column[c] = copy_text(&a, strings_get(&s.column, c));
    if (st == PECK_OK && s.quoted.failed)
        st = fail(err, PECK_NOMEM, "out of memory: no room for the report");
    if (st == PECK_OK)
        st = arena_check(&a, err);
    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK && span_is(strings_get(&s.column, 0), "query"))
        report_queries(r, s.column.n - 1, column + 1, s.name.n, &s.name, s.value);
    else if (st == PECK_OK) {
        report_table(r, column[0], s.column.n, column);
        for (size_t i = 0, at = 0; i < s.name.n; i++) {
            report_cell_span(r, strings_get(&s.name, i));
            for (size_t c = 1; c < s.column.n; c++)
                report_cell_number(r, s.value[at++], DECIMALS);
        }
    }
    strings_free(&s.column);
    strings_free(&s.name);
    text_free(&s.quoted);
    mem_free(s.value);
    arena_free(&a);
    return report_finish(out, r, st, err);
}
