/* report.c -- filling a report, looking into it, and the choice of a format. */
#include "format.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/output.h"
#include "../base/spec.h"
#include "../base/zip.h"

#include <errno.h>
#include <math.h>

#define FORMAT(name) extern const struct report_format report_format_##name;
#include "formats.def"
#undef FORMAT

#define FORMAT(name) &report_format_##name.plug,
static const struct plug *const formats[] = {
#include "formats.def"
};
#undef FORMAT
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* No report is larger: a table of a thousand runs is 1 MB. */
static const size_t max_text = (size_t)1 << 30;

struct peck_report *report_new(void)
{
    return mem_new(1, sizeof(struct peck_report));
}

peck_status peck_report_new(peck_report **out, peck_error *err)
{
    *out = report_new();
    return *out != NULL ? PECK_OK
                        : fail(err, PECK_NOMEM, "out of memory: no room for the report");
}

void peck_report_free(peck_report *r)
{
    if (r == NULL)
        return;
    strings_free(&r->string);
    strings_free(&r->query_column);
    strings_free(&r->query_id);
    mem_free(r->query_value);
    mem_free(r->item);
    mem_free(r->cell);
    mem_free(r);
}

peck_status report_check(const struct peck_report *r, peck_error *err)
{
    return r->is_short_of_memory
               ? fail_memory(err, "the report", r->n_items + r->n_cells, sizeof *r->item)
               : PECK_OK;
}

peck_status report_finish(struct peck_report **out, struct peck_report *r, peck_status st,
                          peck_error *err)
{
    if (st == PECK_OK)
        st = report_check(r, err);
    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    return st;
}

/* Filling -------------------------------------------------------------------------- */

/* The place of a copy of s; 0 and a failure noted when there is no memory. */
static size_t keep_span(struct peck_report *r, peck_span s)
{
    if (!r->is_short_of_memory && strings_add(&r->string, s))
        return r->string.n - 1;
    r->is_short_of_memory = true;
    return 0;
}

static size_t keep_text(struct peck_report *r, const char *s)
{
    return keep_span(r, span_of(s));
}

static void add_report_item(struct peck_report *r, struct report_item item, peck_span name)
{
    item.name = keep_span(r, name);
    if (r->is_short_of_memory ||
        !mem_reserve(&r->item, &r->cap_items, r->n_items + 1, sizeof *r->item)) {
        r->is_short_of_memory = true;
        return;
    }
    r->item[r->n_items++] = item;
}

void report_number(struct peck_report *r, const char *name, double value, int decimals)
{
    add_report_item(
        r,
        (struct report_item){ .kind = REPORT_NUMBER,
                              .value = { .number = value, .decimals = decimals } },
        span_of(name));
}

void report_count(struct peck_report *r, const char *name, size_t value)
{
    add_report_item(r, (struct report_item){ .kind = REPORT_COUNT, .count = value },
                    span_of(name));
}

void report_text_span(struct peck_report *r, peck_span name, peck_span value)
{
    const size_t text = keep_span(r, value);

    add_report_item(r,
                    (struct report_item){ .kind = REPORT_TEXT,
                                          .value = { .is_text = true, .text = text } },
                    name);
}

void report_text(struct peck_report *r, const char *name, const char *value)
{
    report_text_span(r, span_of(name), span_of(value));
}

void report_note(struct peck_report *r, const char *name, const char *value)
{
    const size_t text = keep_text(r, value);

    add_report_item(r,
                    (struct report_item){ .kind = REPORT_NOTE,
                                          .value = { .is_text = true, .text = text } },
                    span_of(name));
}

void report_note_brief(struct peck_report *r, const char *name, const char *value,
                       const char *brief)
{
    const size_t text = keep_text(r, value);
    const size_t other = brief != NULL ? keep_text(r, brief) : 0;

    add_report_item(r,
                    (struct report_item){ .kind = REPORT_NOTE,
                                          .value = { .is_text = true, .text = text },
                                          .brief = brief != NULL ? BRIEF_OTHER : BRIEF_NONE,
                                          .brief_text = other },
                    span_of(name));
}

void report_sentence(struct peck_report *r, const char *name, const char *value)
{
    const size_t text = keep_text(r, value);

    add_report_item(r,
                    (struct report_item){ .kind = REPORT_NOTE,
                                          .value = { .is_text = true, .text = text },
                                          .is_sentence = true },
                    span_of(name));
}

void report_add_notes(struct peck_report *r, const struct peck_report *from)
{
    for (size_t i = 0; i < from->n_items; i++) {
        struct report_item item = from->item[i];

        if (item.kind != REPORT_NOTE)
            continue;
        if (item.value.is_text)
            item.value.text = keep_span(r, report_string(from, item.value.text));
        if (item.brief == BRIEF_OTHER)
            item.brief_text = keep_span(r, report_string(from, item.brief_text));
        add_report_item(r, item, report_string(from, item.name));
    }
}

void report_note_count(struct peck_report *r, const char *name, size_t value)
{
    add_report_item(
        r,
        (struct report_item){ .kind = REPORT_NOTE,
                              .value = { .number = (double)value, .decimals = 0 } },
        span_of(name));
}

void report_table_of(struct peck_report *r, const char *title, const char *prefix,
                     size_t n_keys, size_t n_columns, const char *const *column)
{
    const size_t before = keep_text(r, prefix), first = r->string.n;

    for (size_t i = 0; i < n_columns; i++)
        keep_text(r, column[i]);
    add_report_item(r,
                    (struct report_item){ .kind = REPORT_TABLE,
                                          .n_columns = n_columns,
                                          .first_name = first,
                                          .first_cell = r->n_cells,
                                          .n_keys = n_keys,
                                          .prefix = before },
                    span_of(title));
}

void report_table(struct peck_report *r, const char *title, size_t n_columns,
                  const char *const *column)
{
    report_table_of(r, title, "", 1, n_columns, column);
}

/* Cells belong to the table that was begun last. */
static void add_report_cell(struct peck_report *r, struct report_cell cell)
{
    if (r->is_short_of_memory ||
        !mem_reserve(&r->cell, &r->cap_cells, r->n_cells + 1, sizeof *r->cell)) {
        r->is_short_of_memory = true;
        return;
    }
    size_t table = r->n_items;

    while (table > 0 && r->item[table - 1].kind != REPORT_TABLE)
        table--;
    if (table == 0)
        return;
    r->cell[r->n_cells++] = cell;
    r->item[table - 1].n_cells++;
}

void report_cell_span(struct peck_report *r, peck_span value)
{
    const size_t text = keep_span(r, value);

    add_report_cell(r, (struct report_cell){ .is_text = true, .text = text });
}

void report_cell_text(struct peck_report *r, const char *value)
{
    report_cell_span(r, span_of(value));
}

void report_cell_number(struct peck_report *r, double value, int decimals)
{
    add_report_cell(r, (struct report_cell){ .number = value, .decimals = decimals });
}

void report_cell_p(struct peck_report *r, double p)
{
    add_report_cell(r, (struct report_cell){ .number = p, .decimals = 6, .is_p = true });
}

/* All or nothing: where memory is short the whole report says so. */
void report_queries(struct peck_report *r, size_t n_columns, const char *const *column,
                    size_t n_queries, const struct strings *id, const double *value)
{
    const size_t n_values = n_queries * n_columns;
    bool is_complete = true;

    r->n_query_columns = n_columns;
    r->n_queries = n_queries;
    for (size_t i = 0; is_complete && i < n_columns; i++)
        is_complete = strings_add(&r->query_column, span_of(column[i]));
    for (size_t q = 0; is_complete && q < n_queries; q++)
        is_complete = strings_add(&r->query_id, strings_get(id, q));
    if (is_complete)
        r->query_value = mem_new(n_values, sizeof *value);
    if (r->query_value != NULL && n_values > 0)
        memcpy(r->query_value, value, n_values * sizeof *value);
    r->is_short_of_memory |= r->query_value == NULL;
}

/* What a program puts together itself --------------------------------------------- */

void peck_report_add_number(peck_report *r, const char *name, double value, int decimals)
{
    report_number(r, name, value, decimals);
}

void peck_report_add_text(peck_report *r, const char *name, const char *text)
{
    report_text(r, name, text);
}

void peck_report_add_table(peck_report *r, const char *title, size_t n_columns,
                           const char *const *column)
{
    report_table(r, title, n_columns, column);
}

void peck_report_add_cell(peck_report *r, peck_span text)
{
    report_cell_span(r, text);
}

void peck_report_add_cell_number(peck_report *r, double value, int decimals)
{
    report_cell_number(r, value, decimals);
}

static void add_item_of(struct peck_report *r, const char *name,
                        const struct report_item *i)
{
    if (i->kind == REPORT_COUNT)
        report_count(r, name, i->count);
    else if (i->kind == REPORT_NUMBER)
        report_number(r, name, i->value.number, i->value.decimals);
}

/* Numbers and counts alone; texts, notes and tables stay where they are. */
void peck_report_add_all(peck_report *r, const char *prefix, const peck_report *from)
{
    struct text name;

    text_init(&name, (size_t)1 << 20);
    for (size_t i = 0; i < from->n_items; i++) {
        const peck_span own = report_string(from, from->item[i].name);

        name.len = 0;
        text_add_str(&name, prefix);
        text_add(&name, own.s, own.n);
        if (!name.failed)
            add_item_of(r, name.s, &from->item[i]);
    }
    r->is_short_of_memory |= name.failed || from->is_short_of_memory;
    text_free(&name);
}

/* Reading -------------------------------------------------------------------------- */

peck_span report_string(const struct peck_report *r, size_t i)
{
    return strings_get(&r->string, i);
}

size_t report_rows(const struct report_item *table)
{
    return table->n_cells / table->n_columns;
}

const struct report_cell *report_row(const struct peck_report *r,
                                     const struct report_item *table, size_t row)
{
    return &r->cell[table->first_cell + row * table->n_columns];
}

/* Whether *name begins with this, which is taken off. */
static bool take_off(peck_span *name, peck_span begin)
{
    if (name->n < begin.n || (begin.n > 0 && memcmp(name->s, begin.s, begin.n) != 0))
        return false;
    *name = (peck_span){ name->s + begin.n, name->n - begin.n };
    return true;
}

/* "key key.column" in a table; NaN when it is not there. */
static double cell_value(const struct peck_report *r, const struct report_item *table,
                         peck_span name)
{
    if (!take_off(&name, report_string(r, table->prefix)))
        return NAN;
    for (size_t row = 0; row < report_rows(table); row++) {
        const struct report_cell *const cell = report_row(r, table, row);
        peck_span rest = name;
        bool is_it = true;

        for (size_t k = 0; is_it && k < table->n_keys; k++)
            is_it = cell[k].is_text && take_off(&rest, report_string(r, cell[k].text)) &&
                    take_off(&rest, span_of(k + 1 < table->n_keys ? " " : "."));
        for (size_t c = table->n_keys; is_it && c < table->n_columns; c++)
            if (!cell[c].is_text &&
                span_equal(report_string(r, table->first_name + c), rest))
                return cell[c].number;
    }
    return NAN;
}

/* A named number, or "row.column" of a table; the first that fits. */
double peck_report_value(const peck_report *r, const char *name)
{
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind == REPORT_TABLE) {
            const double value = cell_value(r, item, span_of(name));

            if (!isnan(value))
                return value;
        } else if (span_is(report_string(r, item->name), name)) {
            if (item->kind == REPORT_NUMBER)
                return item->value.number;
            if (item->kind == REPORT_COUNT)
                return (double)item->count;
            if (item->kind == REPORT_NOTE && !item->value.is_text)
                return item->value.number;
        }
    }
    return NAN;
}

peck_span report_find_text(const struct peck_report *r, const char *name)
{
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind != REPORT_TABLE && item->value.is_text &&
            span_is(report_string(r, item->name), name))
            return report_string(r, item->value.text);
    }
    return (peck_span){ 0 };
}

bool report_find_table(const struct peck_report *r, const char *title,
                       struct report_grid *out)
{
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind != REPORT_TABLE || !span_is(report_string(r, item->name), title))
            continue;
        *out = (struct report_grid){ i, report_rows(item), item->n_columns };
        return true;
    }
    return false;
}

size_t report_find_column(const struct peck_report *r, const struct report_grid *t,
                          const char *name)
{
    size_t c = 0;

    while (c < t->n_columns &&
           !span_is(report_string(r, r->item[t->item].first_name + c), name))
        c++;
    return c;
}

/* NULL: there is none. */
static const struct report_cell *cell_at(const struct peck_report *r,
                                         const struct report_grid *t, size_t row,
                                         size_t column)
{
    return row < t->n_rows && column < t->n_columns
               ? &r->cell[r->item[t->item].first_cell + row * t->n_columns + column]
               : NULL;
}

peck_span report_text_at(const struct peck_report *r, const struct report_grid *t,
                         size_t row, size_t column)
{
    const struct report_cell *const c = cell_at(r, t, row, column);

    return c != NULL && c->is_text ? report_string(r, c->text) : (peck_span){ 0 };
}

double report_number_at(const struct peck_report *r, const struct report_grid *t,
                        size_t row, size_t column)
{
    const struct report_cell *const c = cell_at(r, t, row, column);

    return c != NULL && !c->is_text ? c->number : (double)NAN;
}

struct report_sheet report_sheet(const struct peck_report *r)
{
    return (struct report_sheet){ r->n_queries, r->n_query_columns, &r->query_column,
                                  &r->query_id, r->query_value };
}

/* Writing -------------------------------------------------------------------------- */

void report_add_number(struct text *to, double value, int decimals)
{
    char digits[NUMBER_ROOM];

    if (isnan(value))
        text_add_str(to, "-");
    else
        text_add(to, digits, number_print(digits, sizeof digits, 'f', decimals, value));
}

void report_add_line(struct text *to, peck_span s)
{
    for (size_t i = 0; i < s.n; i++)
        text_add(to, (unsigned char)s.s[i] < ' ' ? " " : s.s + i, 1);
}

void report_add_cell(struct text *to, const struct peck_report *r,
                     const struct report_cell *c)
{
    char digits[NUMBER_ROOM];

    if (c->is_text)
        report_add_line(to, report_string(r, c->text));
    else if (c->is_p && c->number < 1e-6)
        text_add(to, digits, number_print(digits, sizeof digits, 'g', 2, c->number));
    else
        report_add_number(to, c->number, c->decimals);
}

void report_show_cell(struct text *to, const struct peck_report *r,
                      const struct report_cell *c)
{
    if (c->is_p && c->number < 1e-4)
        text_add_str(to, "<0.0001");
    else if (c->is_p)
        report_add_number(to, c->number, 4);
    else
        report_add_cell(to, r, c);
}

bool report_is_numeric(const struct peck_report *r, const struct report_item *table,
                       size_t column)
{
    bool is_numeric = true;

    for (size_t row = 0; row < report_rows(table); row++)
        is_numeric &= !report_row(r, table, row)[column].is_text;
    return is_numeric;
}

peck_span report_brief(const struct peck_report *r, const struct report_item *item,
                       bool has_details)
{
    const bool is_whole = has_details || item->brief == BRIEF_SAME;

    return is_whole                     ? report_string(r, item->value.text)
           : item->brief == BRIEF_OTHER ? report_string(r, item->brief_text)
                                        : (peck_span){ 0 };
}

bool report_has_values(const struct peck_report *r)
{
    bool has_values = false;

    for (size_t i = 0; i < r->n_items; i++)
        has_values |= r->item[i].kind != REPORT_NOTE && r->item[i].kind != REPORT_TABLE;
    return has_values;
}

static const struct report_format *find_format(const char *name, peck_error *err)
{
    char known[128] = "";

    for (size_t i = 0; i < N_FORMATS; i++) {
        const size_t at = strlen(known);

        if (strcmp(name, formats[i]->about.name) == 0)
            return (const struct report_format *)formats[i];
        snprintf(known + at, sizeof known - at, "%s%s",
                 i == 0              ? ""
                 : i + 1 < N_FORMATS ? ", "
                                     : " or ",
                 formats[i]->about.name);
    }
    fail(err, PECK_ARG, "unknown report format '%.60s'; give %s", name, known);
    return NULL;
}

/* The report as text; free it in any case. */
static peck_status print(const struct peck_report *r, const char *format,
                         const struct report_style *style, struct text *to, peck_error *err)
{
    const struct report_format *const f = find_format(format, err);

    text_init(to, max_text);
    if (f == NULL)
        return PECK_ARG;
    TRY(report_check(r, err));
    f->write(r, style, to);
    return to->failed ? fail_memory(err, "the report's text", to->len, 2) : PECK_OK;
}

/* What a program asks for without a style: all there is to tell. */
static const struct report_style plain_style = { .has_details = true };

peck_status peck_report_write(const peck_report *r, FILE *to, const char *format,
                              peck_error *err)
{
    struct text text;
    peck_status st = print(r, format, &plain_style, &text, err);

    if (st == PECK_OK && ((text.len > 0 && fwrite(text.s, 1, text.len, to) != text.len) ||
                          fflush(to) != 0 || ferror(to)))
        st = fail(err, PECK_IO, "cannot write the report: %s", strerror(errno));
    text_free(&text);
    return st;
}

peck_status peck_report_print_as(peck_bytes *out, const peck_report *r,
                                 const peck_print_spec *given, peck_error *err)
{
    peck_print_spec spec;
    struct text text;

    *out = (peck_bytes){ 0 };
    TRY(SPEC_TAKE(peck_print_spec, &spec, details, given, err));
    const struct report_style style = { spec.width, spec.colours != 0, spec.details != 0 };
    peck_status st =
        print(r, spec.format != NULL ? spec.format : "text", &style, &text, err);

    text_add(&text, "", 0); /* the zero byte of an empty report */
    if (st == PECK_OK && text.failed)
        st = fail_memory(err, "the report's text", text.len, 2);
    if (st == PECK_OK)
        *out = (peck_bytes){ text.s, text.len };
    else
        text_free(&text);
    return st;
}

peck_status peck_report_print(peck_bytes *out, const peck_report *r, const char *format,
                              peck_error *err)
{
    const peck_print_spec spec = { .format = format, .details = 1 };

    return peck_report_print_as(out, r, &spec, err);
}

peck_status peck_report_save(const peck_report *r, const char *path, const char *format,
                             peck_error *err)
{
    struct output *o = NULL;
    struct text text;
    peck_status st = print(r, format, &plain_style, &text, err);

    if (st == PECK_OK)
        st = output_open(&o, path, err);
    if (st == PECK_OK) {
        output_write(o, text.s, text.len);
        st = output_commit(o, err);
    }
    text_free(&text);
    return st;
}

/* "q.csv" and "q.csv.gz" have commas between cells, others tabs. */
peck_status peck_report_write_queries(const peck_report *r, const char *path,
                                      peck_error *err)
{
    const size_t stem = zip_stem(path);
    const char between = stem > 4 && memcmp(path + stem - 4, ".csv", 4) == 0 ? ',' : '\t';
    struct output *o;
    struct text line;

    TRY(report_check(r, err));
    if (r->n_queries == 0)
        return fail(err, PECK_ARG, "%s: this report has no values per query", path);
    TRY(output_open(&o, path, err));
    text_init(&line, max_text);
    text_add_str(&line, "query");
    for (size_t c = 0; c < r->n_query_columns; c++) {
        text_add(&line, &between, 1);
        report_add_field(&line, strings_get(&r->query_column, c), between);
    }
    text_add_str(&line, "\n");
    for (size_t q = 0; q < r->n_queries && !line.failed; q++) {
        report_add_field(&line, strings_get(&r->query_id, q), between);
        for (size_t c = 0; c < r->n_query_columns; c++) {
            text_add(&line, &between, 1);
            report_add_number(&line, r->query_value[q * r->n_query_columns + c], 6);
        }
        text_add_str(&line, "\n");
        output_write(o, line.s, line.failed ? 0 : line.len);
        line.len = 0;
    }
    const bool is_complete = !line.failed;

    text_free(&line);
    if (is_complete)
        return output_commit(o, err);
    output_abort(o);
    return fail_memory(err, path, r->n_query_columns, 32);
}
