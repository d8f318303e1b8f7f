/* report_text.c -- aligned text for people.  Names stand in one column, numbers line up at
 * their decimal points, and an underscore in a name is shown as a blank.              */
#include "format.h"

#include "../base/alloc.h"
#include "../base/number.h"

#include <math.h>

enum { GAP = 2 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Columns of a terminal that UTF-8 text takes: its characters, nearly. */
static size_t width_of(peck_span s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.s[i] & 0xC0) != 0x80;
    return n;
}

static void add_blanks(struct text *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_add(to, " ", 1);
}

static void add_name(struct text *to, peck_span name)
{
    for (size_t i = 0; i < name.n; i++)
        text_add(to, name.s[i] == '_' || (unsigned char)name.s[i] < ' ' ? " " : name.s + i,
                 1);
}

/* A number as text in `to`, and how much of it stands before the decimal point. */
static size_t show_number(char *to, size_t room, double value, int decimals)
{
    const size_t n = isnan(value) ? (size_t)snprintf(to, room, "-")
                                  : number_print(to, room, 'f', decimals, value);
    const char *const point = memchr(to, '.', n);

    return point != NULL ? (size_t)(point - to) : strlen(to);
}

static size_t show_item(char to[NUMBER_ROOM], const struct report_item *item)
{
    if (item->kind == REPORT_COUNT)
        return (size_t)snprintf(to, NUMBER_ROOM, "%zu", item->count);
    return show_number(to, NUMBER_ROOM, item->value.number, item->value.decimals);
}

/* Tables --------------------------------------------------------------------------- */

static size_t cell_width(const struct peck_report *r, const struct report_cell *c)
{
    char digits[NUMBER_ROOM];

    if (c->is_text)
        return width_of(report_string(r, c->text));
    show_number(digits, sizeof digits, c->number, c->decimals);
    return strlen(digits);
}

/* The first column is flush left, the others flush right. */
static void write_text_table(const struct peck_report *r, const struct report_item *t,
                             struct text *to)
{
    size_t *const width = mem_new(t->n_columns, sizeof *width);

    if (width == NULL) {
        to->failed = true;
        return;
    }
    add_name(to, report_string(r, t->name));
    text_add_str(to, "\n");
    for (size_t c = 0; c < t->n_columns; c++) {
        const peck_span name = report_string(r, t->first_name + c);

        width[c] = width_of(name);
        for (size_t row = 0; row < report_rows(t); row++)
            width[c] = larger(
                width[c], cell_width(r, &r->cell[t->first_cell + row * t->n_columns + c]));
        const size_t rest = width[c] - width_of(name);

        add_blanks(to, c > 0 ? GAP + rest : 0);
        add_name(to, name);
        add_blanks(to, c > 0 ? 0 : rest);
    }
    text_add_str(to, "\n");
    for (size_t row = 0; row < report_rows(t); row++) {
        for (size_t c = 0; c < t->n_columns; c++) {
            const struct report_cell *const cell =
                &r->cell[t->first_cell + row * t->n_columns + c];
            const size_t rest = width[c] - cell_width(r, cell);

            add_blanks(to, c > 0 ? GAP + rest : 0);
            if (cell->is_text)
                report_add_line(to, report_string(r, cell->text));
            else
                report_add_number(to, cell->number, cell->decimals);
            add_blanks(to, c > 0 ? 0 : rest);
        }
        text_add_str(to, "\n");
    }
    mem_free(width);
}

/* A blank line stands between a table and its neighbours. */
static void write_text(const struct peck_report *r, struct text *to)
{
    size_t name_width = 0, whole_width = 0; /* of the other items, all together */
    char digits[NUMBER_ROOM];

    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind == REPORT_TABLE)
            continue;
        name_width = larger(name_width, width_of(report_string(r, item->name)));
        if (!item->value.is_text)
            whole_width = larger(whole_width, show_item(digits, item));
    }
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];
        const bool is_table = item->kind == REPORT_TABLE;
        const peck_span name = report_string(r, item->name);

        if (i > 0 && (is_table || r->item[i - 1].kind == REPORT_TABLE))
            text_add_str(to, "\n");
        if (is_table) {
            write_text_table(r, item, to);
            continue;
        }
        add_name(to, name);
        add_blanks(to, name_width - width_of(name) + GAP);
        if (item->value.is_text) {
            report_add_line(to, report_string(r, item->value.text));
        } else {
            add_blanks(to, whole_width - show_item(digits, item));
            text_add_str(to, digits);
        }
        text_add_str(to, "\n");
    }
    if (!to->failed && to->len > 0) /* names and notes come from files */
        peck_text_plain(to->s, 1);
}

const struct report_format report_format_text = {
    .plug = { .about = { "text", "aligned, for people",
                         "Names in one column, numbers lined up at their decimal points, "
                         "tables under their titles." } },
    .write = write_text,
};
