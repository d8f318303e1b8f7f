/* report_read.c -- a report again, from the JSON that it was written as, or from a file of
 * values per query (or another table) with tabs or commas between its cells.         */
#include "show.h"

#include "../base/alloc.h"
#include "../base/json.h"
#include "../base/number.h"

#include <math.h>

enum { MAX_COLUMNS = 4096, DECIMALS = 6 };

static peck_status no_room(peck_error *err)
{
    return fail(err, PECK_NOMEM, "out of memory: no room for the report");
}

/* A zero-ended copy, for those that take a name. */
static const char *text_of(struct text *room, peck_span s)
{
    room->len = 0;
    text_add(room, s.s, s.n);
    return room->failed ? "" : room->s;
}

/* JSON ----------------------------------------------------------------------------------- */

static double number_of(const struct json_node *v)
{
    double value = (double)NAN;

    return v->type == JSON_NUMBER && number_parse(v->text, &value) ? value : (double)NAN;
}

/* A member of the whole, or of its "notes". */
static void add_value(struct peck_report *r, const struct json_node *key, bool is_note,
                      struct text *name, struct text *value)
{
    const struct json_node *const v = json_next(key);

    const char *const called = text_of(name, key->text);

    if (v->type == JSON_STRING && is_note)
        report_note(r, called, text_of(value, v->text));
    else if (v->type == JSON_STRING)
        report_text(r, called, text_of(value, v->text));
    else if (v->type == JSON_NUMBER || v->type == JSON_NULL)
        report_number(r, called, number_of(v), DECIMALS);
}

static peck_status refuse_table(const char *name, peck_span title, peck_error *err)
{
    return fail(err, PECK_FORMAT,
                "%.200s: table '%.*s' is no list of objects with the same names", name,
                SPAN_ARGS(title));
}

/* Names of the columns are those of the first row. */
static bool begin_table(struct peck_report *r, const struct json_node *row,
                        const char *title, struct text *name)
{
    const size_t n = row->n_inside;
    const char **const column = mem_new(n, sizeof *column);
    size_t *const at = mem_new(n, sizeof *at);
    const struct json_node *key = json_first(row);

    name->len = 0;
    for (size_t i = 0; column != NULL && at != NULL && i < n; i++) {
        at[i] = name->len;
        text_add(name, key->text.s, key->text.n);
        text_add(name, "", 1);
        key = json_next(json_next(key));
    }
    const bool is_ready = column != NULL && at != NULL && !name->failed;

    for (size_t i = 0; is_ready && i < n; i++)
        column[i] = name->s + at[i];
    if (is_ready)
        report_table(r, title, n, column);
    mem_free(column);
    mem_free(at);
    return is_ready;
}

static void add_row(struct peck_report *r, const struct json_node *row, struct text *room)
{
    const struct json_node *key = json_first(row);

    for (size_t i = 0; i < row->n_inside; i++) {
        const struct json_node *const v = json_next(key);

        if (v->type == JSON_STRING)
            report_cell_text(r, text_of(room, v->text));
        else
            report_cell_number(r, number_of(v), DECIMALS);
        key = json_next(v);
    }
}

static peck_status add_table(struct peck_report *r, const struct json_node *key,
                             const char *name, peck_error *err)
{
    const struct json_node *const list = json_next(key), *row = json_first(list);
    struct text title, room;
    peck_status st = PECK_OK;

    if (list->type != JSON_ARRAY)
        return refuse_table(name, key->text, err);
    text_init(&title, SIZE_MAX / 2);
    text_init(&room, SIZE_MAX / 2);
    text_of(&title, key->text);
    for (size_t i = 0; i < list->n_inside && st == PECK_OK; i++) {
        const uint32_t n = json_first(list)->n_inside;

        if (row->type != JSON_OBJECT || row->n_inside != n || n == 0 || n > MAX_COLUMNS)
            st = refuse_table(name, key->text, err);
        else if (i == 0 && (title.failed || !begin_table(r, row, title.s, &room)))
            st = no_room(err);
        if (st == PECK_OK)
            add_row(r, row, &room);
        row = json_next(row);
    }
    if (st == PECK_OK && (title.failed || room.failed))
        st = no_room(err);
    text_free(&title);
    text_free(&room);
    return st;
}

static void add_notes(struct peck_report *r, const struct json_node *object, bool are_notes,
                      struct text *name, struct text *value)
{
    const struct json_node *key = json_first(object);

    for (size_t i = 0; i < object->n_inside; i++, key = json_next(json_next(key)))
        add_value(r, key, are_notes, name, value);
}

static peck_status fill(struct peck_report *r, const struct json_node *whole,
                        const char *name, peck_error *err)
{
    const struct json_node *const notes = json_get(whole, "notes");
    const struct json_node *const tables = json_get(whole, "tables");
    struct text key, value;

    text_init(&key, SIZE_MAX / 2);
    text_init(&value, SIZE_MAX / 2);
    add_notes(r, whole, false, &key, &value);
    if (notes != NULL && notes->type == JSON_OBJECT)
        add_notes(r, notes, true, &key, &value);
    const bool has_failed = key.failed || value.failed;

    text_free(&key);
    text_free(&value);
    if (has_failed)
        return no_room(err);
    if (tables == NULL || tables->type != JSON_OBJECT)
        return report_check(r, err);
    const struct json_node *title = json_first(tables);

    for (size_t i = 0; i < tables->n_inside; i++, title = json_next(json_next(title)))
        TRY(add_table(r, title, name, err));
    return report_check(r, err);
}

peck_status report_read_json(struct peck_report **out, peck_span text, const char *name,
                             peck_error *err)
{
    struct json j;
    struct peck_report *r = NULL;

    *out = NULL;
    peck_status st = json_parse(&j, text, name, err);

    if (st == PECK_OK && j.node->type != JSON_OBJECT)
        st = fail(err, PECK_FORMAT, "%.200s: a report is a JSON object", name);
    if (st == PECK_OK && (r = report_new()) == NULL)
        st = no_room(err);
    if (st == PECK_OK)
        st = fill(r, j.node, name, err);
    json_free(&j);
    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    return st;
}

/* Tabs and commas ------------------------------------------------------------------------ */

/* One line's cells, and all lines so far. */
struct sheet {
    char between; /* the cells: a tab or a comma */
    struct text quoted;
    struct strings column, name;
    const char **column_name; /* column.n; zero-ended, into `names` */
    struct text names;
    double *value; /* [name.n][column.n - 1] */
    size_t n_values, cap_values;
};

/* The cell ends at the first separator that does not stand in quotes, which only a table
 * with commas has. */
static size_t cell_length(peck_span line, char between)
{
    bool is_quoted = false;
    size_t n = 0;

    for (; n < line.n && (is_quoted || line.s[n] != between); n++)
        is_quoted ^= between == ',' && line.s[n] == '"';
    return n;
}

/* Takes the quotes off; of two in a row one stays.  `room` holds the result. */
static peck_span unquote(peck_span cell, struct text *room)
{
    if (cell.n < 2 || cell.s[0] != '"' || cell.s[cell.n - 1] != '"')
        return cell;
    room->len = 0;
    for (size_t i = 1; i + 1 < cell.n; i++) {
        text_add(room, cell.s + i, 1);
        i += cell.s[i] == '"' && cell.s[i + 1] == '"' && i + 2 < cell.n;
    }
    return (peck_span){ room->len > 0 ? room->s : "", room->len };
}

/* The next cell of a line, good until the one after it; false behind the last one, where
 * line->s is NULL. */
static bool next_cell(struct sheet *s, peck_span *line, peck_span *cell)
{
    if (line->s == NULL)
        return false;
    const size_t n = cell_length(*line, s->between);
    const bool is_last = n == line->n;

    *cell = span_trim((peck_span){ line->s, n });
    if (s->between == ',')
        *cell = unquote(*cell, &s->quoted);
    line->s = is_last ? NULL : line->s + n + 1;
    line->n -= is_last ? n : n + 1;
    return true;
}

static peck_status read_heads(struct sheet *s, peck_span line, const char *name,
                              peck_error *err)
{
    peck_span cell;

    s->between = memchr(line.s, '\t', line.n) != NULL ? '\t' : ',';
    while (next_cell(s, &line, &cell)) {
        if (s->column.n == MAX_COLUMNS)
            return fail(err, PECK_FORMAT, "%.200s:1: more than %d columns", name,
                        MAX_COLUMNS);
        if (!strings_add(&s->column, cell))
            return no_room(err);
        text_add(&s->names, cell.s, cell.n);
        text_add(&s->names, "", 1);
    }
    s->column_name = mem_new(s->column.n, sizeof *s->column_name);
    if (s->column_name == NULL || s->names.failed)
        return no_room(err);
    size_t at = 0;

    for (size_t c = 0; c < s->column.n; c++) {
        s->column_name[c] = s->names.s + at;
        at += strings_get(&s->column, c).n + 1;
    }
    return PECK_OK;
}

static peck_status read_row(struct sheet *s, peck_span line, const char *name,
                            size_t number, peck_error *err)
{
    peck_span cell;
    size_t n = 0;

    for (; next_cell(s, &line, &cell); n++) {
        double value = (double)NAN;

        if (n == 0 && !strings_add(&s->name, cell))
            return no_room(err);
        if (n > 0 && !span_is(cell, "-") && !number_parse(cell, &value))
            return fail(err, PECK_FORMAT, "%.200s:%zu: '%.*s' is no number", name, number,
                        SPAN_ARGS(cell));
        if (n > 0 &&
            !mem_reserve(&s->value, &s->cap_values, s->n_values + 1, sizeof *s->value))
            return no_room(err);
        if (n > 0)
            s->value[s->n_values++] = value;
    }
    if (n != s->column.n)
        return fail(err, PECK_FORMAT, "%.200s:%zu: %zu cells under %zu names", name, number,
                    n, s->column.n);
    return PECK_OK;
}

static peck_status read_sheet(struct sheet *s, const struct input *in, peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line;

    while (lines_next(&l, &line)) {
        line = span_trim(line);
        if (line.n == 0)
            continue;
        if (s->column.n == 0)
            TRY(read_heads(s, line, in->name, err));
        else
            TRY(read_row(s, line, in->name, l.number, err));
    }
    return s->name.n > 0 ? PECK_OK
                         : fail(err, PECK_FORMAT, "%.200s: nothing stands in it", in->name);
}

/* false: no memory, but for what the report itself remembers */
static bool tell(struct peck_report *r, const struct sheet *s)
{
    const size_t n = s->column.n - 1;

    if (span_is(strings_get(&s->column, 0), "query")) {
        report_queries(r, n, s->column_name + 1, s->name.n, &s->name, s->value);
        return true;
    }
    struct text name;

    text_init(&name, SIZE_MAX / 2);
    report_table(r, s->column_name[0], s->column.n, s->column_name);
    for (size_t i = 0; i < s->name.n; i++) {
        report_cell_text(r, text_of(&name, strings_get(&s->name, i)));
        for (size_t c = 0; c < n; c++)
            report_cell_number(r, s->value[i * n + c], DECIMALS);
    }
    const bool has_room = !name.failed;

    text_free(&name);
    return has_room;
}

peck_status report_read_tsv(struct peck_report **out, const struct input *in,
                            peck_error *err)
{
    struct sheet s = { 0 };
    struct peck_report *r = NULL;

    *out = NULL;
    text_init(&s.names, SIZE_MAX / 2);
    text_init(&s.quoted, SIZE_MAX / 2);
    peck_status st = read_sheet(&s, in, err);

    if (st == PECK_OK && s.quoted.failed)
        st = no_room(err);

    if (st == PECK_OK && (r = report_new()) == NULL)
        st = no_room(err);
    if (st == PECK_OK)
        st = tell(r, &s) ? report_check(r, err) : no_room(err);
    strings_free(&s.column);
    strings_free(&s.name);
    text_free(&s.names);
    text_free(&s.quoted);
    mem_free(s.column_name);
    mem_free(s.value);
    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    return st;
}
