/* items.c -- see items.h.
 *
 * Text: one item a line; empty lines are passed over.  Where every line that is no heading
 * begins with "- ", "* ", "+ ", "1. " or "1) ", it is a list of Markdown: the mark goes, and
 * so does a box to tick; [name](link) is both.  CSV: a header with `name` and perhaps image,
 * text, link, rating, parted by commas, semicolons or tabs, quotes as in RFC 4180.       */
#include "items.h"

#include "../src/base/alloc.h"
#include "../src/base/folder.h"
#include "../src/base/input.h"
#include "../src/base/json.h"
#include "../src/base/number.h"

#include <math.h>
#include <strings.h>

enum { PICTURE_HEAD = 32, MAX_COLUMNS = 64 };

const char *poll_picture_type(const void *head, size_t n)
{
    static const struct {
        const char *type;
        size_t at, n;
        const char *bytes;
    } known[] = {
        { "image/png", 0, 8, "\x89PNG\r\n\x1A\n" },
        { "image/jpeg", 0, 3, "\xFF\xD8\xFF" },
        { "image/gif", 0, 6, "GIF87a" },
        { "image/gif", 0, 6, "GIF89a" },
        { "image/webp", 8, 4, "WEBP" },
        { "image/avif", 4, 8, "ftypavif" },
        { "image/avif", 4, 8, "ftypavis" },
        { "image/bmp", 0, 2, "BM" },
    };
    const char *const b = head;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= known[i].at + known[i].n &&
            memcmp(b + known[i].at, known[i].bytes, known[i].n) == 0 &&
            (strcmp(known[i].bytes, "WEBP") != 0 || memcmp(b, "RIFF", 4) == 0))
            return known[i].type;
    return NULL;
}

bool items_is_plain(peck_span s)
{
    for (size_t i = 0; i < s.n;) {
        const unsigned char c = (unsigned char)s.s[i];
        const size_t n = utf8_length(s.s + i, s.n - i);

        if (n == 0 || c < 0x20 || c == 0x7F ||
            (c == 0xC2 && ((unsigned char)s.s[i + 1] & 0xE0) == 0x80))
            return false;
        i += n;
    }
    return true;
}

void items_free(struct item_list *items)
{
    index_free(&items->key);
    strings_free(&items->name);
    strings_free(&items->text);
    strings_free(&items->link);
    strings_free(&items->image);
    mem_free(items->rating);
    *items = (struct item_list){ 0 };
}

/* One item of a file, before it is looked at. */
struct raw_item {
    peck_span key, name, text, link, image, rating;
    size_t line;
};

/* Adds s with a blank for each control character; line breaks stay where they may. */
static bool add_clean(struct strings *to, peck_span s, bool keep_lines)
{
    if (!strings_add(to, s))
        return false;
    char *const at = to->bytes + to->at[to->n - 1];

    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)at[i];

        if (c == 0xC2 && i + 1 < s.n && ((unsigned char)at[i + 1] & 0xE0) == 0x80)
            at[i] = at[i + 1] = ' ';
        else if ((c < 0x20 && !(keep_lines && c == '\n')) || c == 0x7F)
            at[i] = ' ';
    }
    return true;
}

/* A relative path that does not climb. */
static bool is_below(peck_span path)
{
    size_t start = 0;

    if (path.s[0] == '/')
        return false;
    for (size_t i = 0; i <= path.n; i++)
        if (i == path.n || path.s[i] == '/') {
            if (span_is((peck_span){ path.s + start, i - start }, ".."))
                return false;
            start = i + 1;
        }
    return true;
}

static bool is_web_link(peck_span s)
{
    return (s.n > 8 && strncasecmp(s.s, "https://", 8) == 0) ||
           (s.n > 7 && strncasecmp(s.s, "http://", 7) == 0);
}

static peck_status check_item(const struct raw_item *r, const char *file, double *rating,
                              peck_error *err)
{
    if (r->name.n > POLL_MAX_NAME)
        return fail(err, PECK_FORMAT,
                    "%.200s:%zu: a name of %zu bytes; at most %d, put more into a column "
                    "'text' of a CSV file",
                    file, r->line, r->name.n, POLL_MAX_NAME);
    if (r->text.n > POLL_MAX_TEXT)
        return fail(err, PECK_FORMAT, "%.200s:%zu: a text of %zu bytes; at most %d", file,
                    r->line, r->text.n, POLL_MAX_TEXT);
    if (r->link.n > POLL_MAX_LINK || (r->link.n > 0 && !is_web_link(r->link)))
        return fail(
            err, PECK_FORMAT,
            "%.200s:%zu: the link '%.*s' must begin with http:// or https:// and have "
            "at most %d bytes",
            file, r->line, SPAN_ARGS(r->link), POLL_MAX_LINK);
    if (r->image.n > POLL_MAX_LINK || (r->image.n > 0 && !is_below(r->image)))
        return fail(err, PECK_FORMAT,
                    "%.200s:%zu: the image '%.*s' is not below the folder of the file; put "
                    "it there and give its path from there",
                    file, r->line, SPAN_ARGS(r->image));
    *rating = NAN;
    if (r->rating.n > 0 && !number_is_missing(r->rating) &&
        (!number_parse(r->rating, rating) || !isfinite(*rating)))
        return fail(err, PECK_FORMAT, "%.200s:%zu: the rating '%.*s' is not a number", file,
                    r->line, SPAN_ARGS(r->rating));
    return PECK_OK;
}

static peck_status add_item(struct item_list *out, const struct raw_item *r,
                            const char *file, peck_error *err)
{
    double rating;

    if (r->name.n == 0)
        return PECK_OK;
    TRY(check_item(r, file, &rating, err));
    const int64_t at = index_put(&out->key, r->key.n > 0 ? r->key : r->name);

    if (at >= 0 && (size_t)at < out->n) {
        if (out->n_twice++ == 0)
            snprintf(out->twice, sizeof out->twice, "%.*s", (int)r->name.n, r->name.s);
        return PECK_OK;
    }
    if (out->n == POLL_MAX_ITEMS)
        return fail(err, PECK_FORMAT,
                    "%.200s:%zu: more than %d items; nobody can compare so many, take the "
                    "likely ones",
                    file, r->line, POLL_MAX_ITEMS);
    if (at < 0 || !add_clean(&out->name, r->name, false) ||
        !add_clean(&out->text, r->text, true) || !add_clean(&out->link, r->link, false) ||
        !add_clean(&out->image, r->image, false) ||
        !mem_reserve(&out->rating, &out->cap_rating, out->n + 1, sizeof *out->rating))
        return fail_memory(err, "items", out->n + 1, sizeof *r);
    out->rating[out->n++] = rating;
    return PECK_OK;
}

/* CSV ------------------------------------------------------------------------------------- */

struct csv {
    const char *p, *end;
    char between;
    size_t line;       /* where the present row began */
    size_t n_lines;    /* passed so far */
    struct text cells; /* of the present row, one after the other */
    size_t at[MAX_COLUMNS + 1];
    size_t n;     /* cells; those beyond MAX_COLUMNS are passed over */
    bool is_open; /* a quote was never closed */
};

/* The next row; false at the end. */
static bool csv_next(struct csv *c)
{
    bool is_quoted = false, goes_on = true;

    if (c->p == c->end)
        return false;
    c->line = c->n_lines + 1;
    c->n = 0;
    c->cells.len = 0;
    c->at[0] = 0;
    for (bool starts = true; goes_on;) {
        const char b = c->p < c->end ? *c->p++ : '\n';

        goes_on = c->p < c->end || b != '\n';
        c->n_lines += b == '\n';
        if (is_quoted && b == '"' && c->p < c->end && *c->p == '"') {
            text_add(&c->cells, c->p++, 1);
        } else if (b == '"' && (is_quoted || starts)) {
            is_quoted = !is_quoted;
            starts = false;
        } else if (!is_quoted && (b == c->between || b == '\n')) {
            c->n += c->n < MAX_COLUMNS;
            c->at[c->n] = c->cells.len;
            starts = true;
            if (b == '\n')
                return true;
        } else {
            text_add(&c->cells, &b, 1);
            starts = starts && is_blank(b);
        }
    }
    c->is_open = true;
    return true;
}

static peck_span csv_cell(const struct csv *c, size_t i)
{
    if (i >= c->n || c->cells.s == NULL)
        return (peck_span){ "", 0 };
    peck_span s = { c->cells.s + c->at[i], c->at[i + 1] - c->at[i] };

    return span_trim(s);
}

enum column { COL_NAME, COL_TEXT, COL_LINK, COL_IMAGE, COL_RATING, N_COLUMNS };
static const char *const column_name[N_COLUMNS] = { "name", "text", "link", "image",
                                                    "rating" };

/* Where the header has each column; N_COLUMNS cells or more: not there.  True when there is a
 * name. */
static bool find_columns(const struct csv *c, size_t column[N_COLUMNS])
{
    for (size_t k = 0; k < N_COLUMNS; k++) {
        column[k] = SIZE_MAX;
        for (size_t i = c->n; i-- > 0;) {
            const peck_span cell = csv_cell(c, i);

            if (cell.n == strlen(column_name[k]) &&
                strncasecmp(cell.s, column_name[k], cell.n) == 0)
                column[k] = i;
        }
    }
    return column[COL_NAME] != SIZE_MAX;
}

/* Opens text as CSV if a line with a name is its header; a header of one word is one only
 * where the file's ending says so. */
static bool csv_open(struct csv *c, peck_span text, bool is_sure, size_t column[N_COLUMNS])
{
    for (const char *between = ",;\t"; *between != '\0'; between++) {
        *c = (struct csv){ text.s, text.s + text.n, .between = *between };
        text_init(&c->cells, text.n + 1);
        if (csv_next(c) && find_columns(c, column) && (c->n > 1 || is_sure))
            return true;
        text_free(&c->cells);
    }
    return false;
}

static peck_status read_csv(struct item_list *out, struct csv *c,
                            const size_t column[N_COLUMNS], const char *file,
                            peck_error *err)
{
    peck_status st = PECK_OK;

    while (st == PECK_OK && csv_next(c)) {
        const struct raw_item r = { .name = csv_cell(c, column[COL_NAME]),
                                    .text = csv_cell(c, column[COL_TEXT]),
                                    .link = csv_cell(c, column[COL_LINK]),
                                    .image = csv_cell(c, column[COL_IMAGE]),
                                    .rating = csv_cell(c, column[COL_RATING]),
                                    .line = c->line };

        if (c->cells.failed)
            st = fail_memory(err, "a row", c->cells.len, 1);
        else if (c->is_open)
            st = fail(err, PECK_FORMAT, "%.200s:%zu: a quote is opened and never closed",
                      file, c->line);
        else
            st = add_item(out, &r, file, err);
    }
    text_free(&c->cells);
    return st;
}

/* Lines ------------------------------------------------------------------------------------ */

static bool next_line(peck_span *rest, peck_span *line)
{
    if (rest->n == 0)
        return false;
    const char *const end = memchr(rest->s, '\n', rest->n);
    const size_t n = end != NULL ? (size_t)(end - rest->s) : rest->n;

    *line = span_trim((peck_span){ rest->s, n });
    rest->s += n + (end != NULL);
    rest->n -= n + (end != NULL);
    return true;
}

/* Bytes of the mark that makes a line a point of a list: "- ", "12. "; 0: it is none. */
static size_t mark_of(peck_span line)
{
    size_t n = 0;

    if (line.n > 1 && strchr("-*+", line.s[0]) != NULL) {
        n = 1;
    } else {
        while (n < line.n && n < 9 && is_digit(line.s[n]))
            n++;
        if (n == 0 || n == line.n || (line.s[n] != '.' && line.s[n] != ')'))
            return 0;
        n++;
    }
    return n < line.n && is_blank(line.s[n]) ? n + 1 : 0;
}

static bool is_markdown(peck_span text)
{
    bool has_points = false;

    for (peck_span line; next_line(&text, &line);) {
        if (line.n == 0 || line.s[0] == '#')
            continue;
        if (mark_of(line) == 0)
            return false;
        has_points = true;
    }
    return has_points;
}

/* Without its mark and its box; "[name](link)" is both. */
static struct raw_item point_of(peck_span line)
{
    const size_t mark = mark_of(line);
    peck_span s = span_trim((peck_span){ line.s + mark, line.n - mark });

    if (s.n > 4 && s.s[0] == '[' && strchr(" xX", s.s[1]) != NULL && s.s[2] == ']' &&
        is_blank(s.s[3]))
        s = span_trim((peck_span){ s.s + 4, s.n - 4 });
    struct raw_item r = { .name = s };
    const char *const turn =
        s.n > 4 && s.s[0] == '[' && s.s[s.n - 1] == ')' ? memchr(s.s, ']', s.n) : NULL;

    if (turn != NULL && turn[1] == '(') {
        const peck_span link = { turn + 2, (size_t)(s.s + s.n - 1 - (turn + 2)) };

        if (is_web_link(link)) {
            r.name = span_trim((peck_span){ s.s + 1, (size_t)(turn - s.s - 1) });
            r.link = link;
        }
    }
    return r;
}

static peck_status read_lines(struct item_list *out, peck_span text, const char *file,
                              peck_error *err)
{
    const bool has_marks = is_markdown(text);
    size_t number = 0;

    for (peck_span line; next_line(&text, &line);) {
        struct raw_item r = { .name = line };

        number++;
        if (has_marks && line.n > 0 && line.s[0] == '#')
            continue;
        if (has_marks && line.n > 0)
            r = point_of(line);
        r.line = number;
        TRY(add_item(out, &r, file, err));
    }
    return PECK_OK;
}

/* --------------------------------------------------------------------------------------------- */

/* Fails with the first line that is no UTF-8. */
static peck_status check_utf8(peck_span text, const char *file, peck_error *err)
{
    size_t line = 1;

    for (size_t i = 0; i < text.n;) {
        const size_t n = utf8_length(text.s + i, text.n - i);

        if (n == 0 || text.s[i] == '\0')
            return fail(err, PECK_FORMAT,
                        n == 0
                            ? "%.200s:%zu: bytes that are no UTF-8; save the file as UTF-8"
                            : "%.200s:%zu: a zero byte, so this is no text; give one item "
                              "a line, CSV, or a folder of pictures",
                        file, line);
        line += text.s[i] == '\n';
        i += n;
    }
    return PECK_OK;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);

    return n > m && strcasecmp(name + n - m, end) == 0;
}

/* text is followed by bytes that may be read, as number_parse wants it. */
static peck_status parse_text(struct item_list *out, peck_span text, const char *file,
                              peck_error *err)
{
    const bool is_csv = ends_with(file, ".csv") || ends_with(file, ".tsv");
    size_t column[N_COLUMNS];
    struct csv csv;

    if (text.n >= 3 && memcmp(text.s, "\xEF\xBB\xBF", 3) == 0)
        text = (peck_span){ text.s + 3, text.n - 3 };
    peck_status st = check_utf8(text, file, err);

    if (st == PECK_OK && csv_open(&csv, text, is_csv, column))
        st = read_csv(out, &csv, column, file, err);
    else if (st == PECK_OK && is_csv && text.n > 0)
        st = fail(err, PECK_FORMAT,
                  "%.200s:1: the header has no column 'name'; others may be image, text, "
                  "link, rating",
                  file);
    else if (st == PECK_OK)
        st = read_lines(out, text, file, err);
    if (st == PECK_OK && out->n == 0)
        st = fail(err, PECK_FORMAT, "%.200s: no items in it; write one a line", file);
    if (st != PECK_OK)
        items_free(out);
    return st;
}

peck_status items_parse(struct item_list *out, peck_span text, const char *name,
                        peck_error *err)
{
    *out = (struct item_list){ 0 };
    if (text.n > POLL_MAX_PASTE)
        return fail(err, PECK_ARG, "%.200s: %zu bytes of text; at most %d", name, text.n,
                    POLL_MAX_PASTE);
    char *const padded = mem_new(text.n + INPUT_PADDING, 1);

    if (padded == NULL)
        return fail_memory(err, "the text", text.n, 1);
    if (text.n > 0)
        memcpy(padded, text.s, text.n);
    const peck_status st = parse_text(out, (peck_span){ padded, text.n }, name, err);

    mem_free(padded);
    return st;
}

/* The files of a folder that begin as pictures do, by name; an ending is no part of an item's
 * name unless two differ in nothing else. */
static peck_status read_folder(struct item_list *out, const char *path, peck_error *err)
{
    struct strings files = { 0 };
    struct index stems = { 0 };
    char full[4096], head[PICTURE_HEAD];
    peck_status st = folder_list(&files, path, err);

    for (size_t i = 0; st == PECK_OK && i < files.n; i++) {
        const peck_span file = strings_get(&files, i);
        size_t stem = file.n;
        struct raw_item r = { .key = file, .image = file, .line = i + 1 };

        if (snprintf(full, sizeof full, "%s/%.*s", path, (int)file.n, file.s) >=
                (int)sizeof full ||
            poll_picture_type(head, input_head(full, head, sizeof head)) == NULL) {
            out->n_no_picture++;
            continue;
        }
        while (stem > 1 && file.s[stem - 1] != '.')
            stem--;
        r.name = (peck_span){ file.s, stem > 1 ? stem - 1 : file.n };
        const size_t n_before = stems.names.n;
        const int64_t at = index_put(&stems, r.name);

        if (at == INDEX_FULL)
            st = fail_memory(err, "names", files.n, 1);
        else if ((size_t)at < n_before)
            r.name = file;
        if (st == PECK_OK && !items_is_plain(file))
            st =
                fail(err, PECK_FORMAT,
                     "%.200s: the file '%.*s' has a name that is no plain UTF-8; rename it",
                     path, SPAN_ARGS(file));
        if (st == PECK_OK)
            st = add_item(out, &r, path, err);
    }
    if (st == PECK_OK && out->n == 0)
        st = fail(err, PECK_FORMAT,
                  "%.200s: no pictures in this folder (PNG, JPEG, GIF, WebP, AVIF, BMP)",
                  path);
    if (st != PECK_OK)
        items_free(out);
    index_free(&stems);
    strings_free(&files);
    return st;
}

peck_status items_read(struct item_list *out, const char *path, peck_error *err)
{
    struct input in;

    *out = (struct item_list){ 0 };
    if (is_directory(path))
        return read_folder(out, path, err);
    TRY(input_open(&in, path, err));
    const peck_status st =
        in.size > POLL_MAX_PASTE * (size_t)16
            ? fail(err, PECK_FORMAT, "%.200s: %zu MB are too much for a list of items",
                   path, in.size >> 20)
            : parse_text(out, (peck_span){ in.data, in.size }, path, err);

    input_close(&in);
    return st;
}
