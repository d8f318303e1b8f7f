/* report_json.c -- one JSON object: named values as members, then "notes" (an object) and
 * "tables" (title -> array of objects).  Numbers carry every digit they need to be read
 * back as they are; NaN and infinity, which JSON has not, are null.                    */
#include "format.h"

#include "../base/json.h"
#include "../base/number.h"

#include <math.h>

/* The shortest of 15, 16, 17 digits that gives the same double. */
static void add_double(struct text *to, double value)
{
    char digits[40];
    double back = 0;

    if (!isfinite(value)) {
        text_add_str(to, "null");
        return;
    }
    for (int n = 15; n <= 17; n++) {
        number_print(digits, sizeof digits, 'g', n, value);
        if (number_parse(span_of(digits), &back) && back == value)
            break;
    }
    text_add_str(to, digits);
}

static void add_json_cell(struct text *to, const struct peck_report *r,
                          const struct report_cell *c)
{
    if (c->is_text)
        json_quote(to, report_string(r, c->text));
    else
        add_double(to, c->number);
}

static void add_json_key(struct text *to, const char *before, peck_span key)
{
    text_add_str(to, before);
    json_quote(to, key);
    text_add_str(to, ": ");
}

static void add_json_rows(struct text *to, const struct peck_report *r,
                          const struct report_item *t)
{
    text_add_str(to, "[");
    for (size_t row = 0; row < report_rows(t); row++) {
        const struct report_cell *const cell = &r->cell[t->first_cell + row * t->n_columns];

        for (size_t c = 0; c < t->n_columns; c++) {
            const char *const before = c > 0 ? ", " : row > 0 ? ",\n      {" : "\n      {";

            add_json_key(to, before, report_string(r, t->first_name + c));
            add_json_cell(to, r, &cell[c]);
        }
        text_add_str(to, "}");
    }
    text_add_str(to, "]");
}

/* The items of one kind as members of an object of their own. */
static void add_group(struct text *to, const struct peck_report *r, enum report_kind kind,
                      const char *name, const char *before)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind != kind)
            continue;
        if (n++ == 0)
            text_printf(to, "%s\"%s\": {", before, name);
        add_json_key(to, n > 1 ? ",\n    " : "\n    ", report_string(r, item->name));
        if (kind == REPORT_TABLE)
            add_json_rows(to, r, item);
        else
            add_json_cell(to, r, &item->value);
    }
    if (n > 0)
        text_add_str(to, "\n  }");
}

/* Members in the order in which they were filled in; then notes, then tables. */
static void write_json(const struct peck_report *r, const struct report_style *style,
                       struct text *to)
{
    const char *before = "\n  ";

    (void)style;
    text_add_str(to, "{");
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind == REPORT_NOTE || item->kind == REPORT_TABLE)
            continue;
        add_json_key(to, before, report_string(r, item->name));
        before = ",\n  ";
        if (item->kind == REPORT_COUNT)
            text_printf(to, "%zu", item->count);
        else
            add_json_cell(to, r, &item->value);
    }
    size_t len = to->len;

    add_group(to, r, REPORT_NOTE, "notes", before);
    before = to->len > len ? ",\n  " : before;
    add_group(to, r, REPORT_TABLE, "tables", before);
    text_add_str(to, "\n}\n");
}

const struct report_format report_format_json = {
    .plug = { .about = { "json", "one JSON object",
                         "For programs: values by name, then notes and tables; numbers "
                         "with "
                         "full precision, null where there is none (RFC 8259)." } },
    .write = write_json,
};
