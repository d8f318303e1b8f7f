/* report_text.c -- aligned text for people.  Names stand in one column, numbers line up at
 * their decimal points, and an underscore in a name is shown as a blank.
 *
 * A table that is wider than the terminal gets narrower step by step: four decimals at most,
 * one blank between columns, long texts on several lines; what is still too wide is printed
 * in blocks of columns, each behind the row's names.                                     */
#include "format.h"

#include "../base/alloc.h"
#include "../base/number.h"

#include <math.h>

enum {
    GAP = 2,
    FEWER_DECIMALS = 4,
    NARROW_TEXT = 12, /* columns of text are not made narrower */
    MOST_DECIMALS = 64,
};

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Columns of a terminal that the character of UTF-8 at the beginning of s takes, and its bytes:
 * none for accents that combine, two for the wide ones of East Asia (Unicode, UAX 11). */
static size_t char_width(peck_span s, size_t *n_bytes)
{
    static const uint32_t range[][3] = {
        /* first, last, columns */
        { 0x0300, 0x036F, 0 },   { 0x1100, 0x115F, 2 },  { 0x200B, 0x200F, 0 },
        { 0x2E80, 0x303E, 2 },   { 0x3041, 0xA4CF, 2 },  { 0xAC00, 0xD7A3, 2 },
        { 0xF900, 0xFAFF, 2 },   { 0xFE00, 0xFE0F, 0 },  { 0xFE30, 0xFE6F, 2 },
        { 0xFF00, 0xFF60, 2 },   { 0xFFE0, 0xFFE6, 2 },  { 0x1F300, 0x1F64F, 2 },
        { 0x1F900, 0x1F9FF, 2 }, { 0x20000, 0x3FFFD, 2 }
    };
    const unsigned char first = (unsigned char)s.s[0];
    uint32_t c = first < 0x80   ? first
                 : first < 0xE0 ? first & 0x1F
                 : first < 0xF0 ? first & 0x0F
                                : first & 0x07;
    size_t n = 1;

    for (; n < s.n && ((unsigned char)s.s[n] & 0xC0) == 0x80; n++)
        c = c << 6 | ((unsigned char)s.s[n] & 0x3F);
    *n_bytes = n;
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (c >= range[i][0] && c <= range[i][1])
            return range[i][2];
    return 1;
}

static size_t width_of(peck_span s)
{
    size_t width = 0;

    for (size_t i = 0, n = 0; i < s.n; i += n)
        width += char_width((peck_span){ s.s + i, s.n - i }, &n);
    return width;
}

static void add_blanks(struct text *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_add(to, " ", 1);
}

/* Names and notes come from files: what follows `at` becomes fit for a terminal. */
static void make_plain(struct text *to, size_t at)
{
    if (!to->failed && to->len > at)
        peck_text_plain(to->s + at, 0);
}

static void add_name(struct text *to, peck_span name)
{
    const size_t at = to->len;

    for (size_t i = 0; i < name.n; i++)
        text_add(to, name.s[i] == '_' ? " " : name.s + i, 1);
    make_plain(to, at);
}

static void add_colour(struct text *to, const struct report_style *style, const char *code)
{
    text_add_str(to, style->has_colours ? code : "");
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

/* Lines of a text ------------------------------------------------------------------------ */

/* The first line of s, at most `width` columns (0: any): to the last blank that fits, or
 * behind the last slash, or as much as fits; *rest is what follows. */
static peck_span first_line(peck_span s, size_t width, peck_span *rest)
{
    size_t end = 0, blank = 0, next, n;

    for (size_t column = 0; end < s.n; end += n) {
        column += char_width((peck_span){ s.s + end, s.n - end }, &n);
        if (width > 0 && column > width && end > 0)
            break;
        if (end > 0 && (s.s[end] == ' ' || s.s[end - 1] == '/'))
            blank = end;
    }
    if (end < s.n && s.s[end] != ' ' && blank > 0)
        end = blank;
    for (next = end; next < s.n && s.s[next] == ' ';)
        next++;
    *rest = (peck_span){ s.s + next, s.n - next };
    return (peck_span){ s.s, end };
}

/* Text behind `indent` columns that are taken, in lines that fit. */
static void add_wrapped(struct text *to, peck_span s, size_t indent, size_t width)
{
    const size_t room = width > indent + NARROW_TEXT ? width - indent
                        : width > 0                  ? NARROW_TEXT
                                                     : 0;
    const size_t start = to->len;
    peck_span rest = s;
    struct text plain;

    text_init(&plain, SIZE_MAX / 2);
    report_add_line(&plain, s);
    make_plain(&plain, 0);
    to->failed |= plain.failed;
    rest = (peck_span){ plain.s, plain.failed ? 0 : plain.len };
    do {
        const peck_span line = first_line(rest, room, &rest);

        if (to->len > start) {
            text_add_str(to, "\n");
            add_blanks(to, indent);
        }
        text_add(to, line.s, line.n);
    } while (rest.n > 0 && !to->failed);
    text_free(&plain);
}

/* Tables --------------------------------------------------------------------------------- */

struct table_layout {
    const struct peck_report *r;
    const struct report_item *t;
    const struct report_style *style;
    size_t *width;     /* [n_columns] */
    struct text *cell; /* [n_columns]: a row as it is shown */
    peck_span *rest;   /* [n_columns]: what of it is still to be printed */
    int most_decimals;
    size_t gap;
};

static void show_cell(struct text *to, const struct table_layout *l,
                      const struct report_cell *c)
{
    to->len = 0;
    if (!c->is_text && !c->is_p && c->decimals > l->most_decimals)
        report_add_number(to, c->number, l->most_decimals);
    else
        report_show_cell(to, l->r, c);
    make_plain(to, 0);
}

/* Each column's width, as wide as its widest cell; the sum of all, gaps between them too. */
static size_t measure(struct table_layout *l)
{
    const struct report_item *const t = l->t;
    size_t all = 0;

    for (size_t c = 0; c < t->n_columns; c++) {
        l->width[c] = width_of(report_string(l->r, t->first_name + c));
        for (size_t row = 0; row < report_rows(t); row++) {
            show_cell(&l->cell[c], l, &report_row(l->r, t, row)[c]);
            l->width[c] =
                larger(l->width[c], width_of((peck_span){ l->cell[c].s, l->cell[c].len }));
        }
        all += l->width[c] + (c > 0 ? l->gap : 0);
    }
    return all;
}

/* Takes columns off the widest texts until all of it fits, or none may get narrower. */
static size_t narrow_texts(struct table_layout *l, size_t all)
{
    for (size_t widest; all > l->style->width; all--, l->width[widest]--) {
        widest = l->t->n_columns;
        for (size_t c = 0; c < l->t->n_columns; c++)
            if (l->width[c] > NARROW_TEXT && !report_is_numeric(l->r, l->t, c) &&
                (widest == l->t->n_columns || l->width[c] > l->width[widest]))
                widest = c;
        if (widest == l->t->n_columns)
            break;
    }
    return all;
}

/* One line of the row in l->cell: keys, then columns first .. last; false: nothing is left. */
static bool add_row_line(struct table_layout *l, size_t first, size_t last, struct text *to)
{
    bool has_more = false;
    size_t owed = 0; /* blanks, which no line ends in */

    for (size_t c = 0; c < last; c++) {
        if (c >= l->t->n_keys && c < first)
            continue;
        const peck_span piece = first_line(l->rest[c], l->width[c], &l->rest[c]);
        const size_t blanks = l->width[c] - width_of(piece);
        const bool is_right = report_is_numeric(l->r, l->t, c);

        add_blanks(to, piece.n > 0 ? owed + (is_right ? blanks : 0) : 0);
        text_add(to, piece.s, piece.n);
        owed = (piece.n == 0 ? owed + l->width[c] : is_right ? 0 : blanks) + l->gap;
        has_more |= l->rest[c].n > 0;
    }
    return has_more;
}

/* Header and rows of the keys and of columns first .. last. */
static void add_block(struct table_layout *l, size_t first, size_t last, struct text *to)
{
    for (size_t row = 0; row <= report_rows(l->t) && !to->failed; row++) {
        const bool is_head = row == 0;
        bool has_more;

        for (size_t c = 0; c < l->t->n_columns; c++) {
            l->cell[c].len = 0;
            if (is_head)
                add_name(&l->cell[c], report_string(l->r, l->t->first_name + c));
            else
                show_cell(&l->cell[c], l, &report_row(l->r, l->t, row - 1)[c]);
            to->failed |= l->cell[c].failed;
            l->rest[c] =
                (peck_span){ l->cell[c].s, l->cell[c].failed ? 0 : l->cell[c].len };
        }
        do {
            add_colour(to, l->style, is_head ? BOLD : "");
            has_more = add_row_line(l, first, last, to);
            add_colour(to, l->style, is_head ? PLAIN : "");
            text_add_str(to, "\n");
        } while (has_more && !to->failed);
    }
}

static void write_text_table(const struct peck_report *r, const struct report_item *t,
                             const struct report_style *style, struct text *to)
{
    const size_t n = t->n_columns, width = style->width;
    struct arena a = { 0 };
    struct table_layout l = { .r = r,
                              .t = t,
                              .style = style,
                              .width = arena_new(&a, "a table", n, sizeof *l.width),
                              .cell = arena_new(&a, "a table", n, sizeof *l.cell),
                              .rest = arena_new(&a, "a table", n, sizeof *l.rest),
                              .most_decimals = MOST_DECIMALS,
                              .gap = GAP };
    peck_error ignored;

    if (arena_check(&a, &ignored) != PECK_OK) {
        to->failed = true;
        arena_free(&a);
        return;
    }
    if (report_string(r, t->name).n > 0) {
        add_colour(to, style, BOLD);
        add_name(to, report_string(r, t->name));
        add_colour(to, style, PLAIN);
        text_add_str(to, "\n");
    }
    for (size_t c = 0; c < n; c++)
        text_init(&l.cell[c], SIZE_MAX / 2);
    size_t all = measure(&l);

    if (width > 0 && all > width) {
        l.most_decimals = FEWER_DECIMALS;
        all = measure(&l);
    }
    if (width > 0 && all > width) {
        l.gap = 1;
        all = narrow_texts(&l, measure(&l));
    }
    for (size_t first = t->n_keys, last; first < n || first == t->n_keys; first = last) {
        size_t used = 0;

        for (size_t c = 0; c < t->n_keys; c++)
            used += l.width[c] + l.gap;
        for (last = first; last < n; last++) {
            used += l.width[last] + (last > first ? l.gap : 0);
            if (width > 0 && used > width && last > first)
                break;
        }
        text_add_str(to, first > t->n_keys ? "\n" : "");
        add_block(&l, first, last, to);
        if (last == n)
            break;
    }
    for (size_t c = 0; c < n; c++)
        text_free(&l.cell[c]);
    arena_free(&a);
}

/* --------------------------------------------------------------------------------------- */

/* Notes that are for details alone. */
static bool is_left_out(const struct report_item *item, const struct report_style *style)
{
    return item->kind == REPORT_NOTE && item->brief == BRIEF_NONE && !style->has_details;
}

/* A blank line stands between a table, or a sentence, and its neighbours. */
static void write_text(const struct peck_report *r, const struct report_style *style,
                       struct text *to)
{
    size_t name_width = 0, whole_width = 0; /* of the named values, all together */
    const struct report_item *before = NULL;
    char digits[NUMBER_ROOM];

    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind == REPORT_TABLE || item->is_sentence || is_left_out(item, style))
            continue;
        name_width = larger(name_width, width_of(report_string(r, item->name)));
        if (!item->value.is_text)
            whole_width = larger(whole_width, show_item(digits, item));
    }
    /* Longer names stand above their values. */
    if (style->width > 0 && name_width + GAP + NARROW_TEXT > style->width)
        name_width = larger(style->width, GAP + 2 * NARROW_TEXT) - GAP - NARROW_TEXT;
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];
        const bool stands_alone = item->kind == REPORT_TABLE || item->is_sentence;
        const peck_span name = report_string(r, item->name);

        if (is_left_out(item, style))
            continue;
        if (before != NULL &&
            (stands_alone || before->kind == REPORT_TABLE || before->is_sentence))
            text_add_str(to, "\n");
        before = item;
        if (item->kind == REPORT_TABLE) {
            write_text_table(r, item, style, to);
            continue;
        }
        if (!item->is_sentence) {
            add_colour(to, style, item->kind == REPORT_NOTE ? DIM : "");
            add_name(to, name);
            if (width_of(name) > name_width)
                text_add_str(to, "\n");
            add_blanks(to,
                       GAP + (width_of(name) > name_width ? name_width
                                                          : name_width - width_of(name)));
        } else {
            add_colour(to, style, BOLD);
        }
        if (item->value.is_text) {
            add_wrapped(to, report_brief(r, item, style->has_details),
                        item->is_sentence ? 0 : name_width + GAP, style->width);
        } else {
            add_blanks(to, whole_width - show_item(digits, item));
            text_add_str(to, digits);
        }
        add_colour(to, style, item->kind == REPORT_NOTE ? PLAIN : "");
        text_add_str(to, "\n");
    }
}

const struct report_format report_format_text = {
    .plug = { .about = { "text", "aligned, for people",
                         "Names in one column, numbers lined up at their decimal points, "
                         "tables under their titles." } },
    .write = write_text,
};
