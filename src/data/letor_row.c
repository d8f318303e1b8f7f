/* letor_row.c -- "2 qid:10 1:0.3 2:0.7 #docid = X" to numbers.
 *
 * The loop over features is where reading a file spends its time.  A file that names
 * every feature in turn is matched tag by tag (" 12:" is one comparison); sparse files
 * take the general road.                                                            */
#include "letor.h"

#include <math.h>

void letor_tags_fill(struct letor_tag *tag, size_t n, size_t first)
{
    for (size_t i = 0; i < n; i++) {
        char word[16] = { 0 };
        const int length = snprintf(word, sizeof word, " %zu:", i + first);

        tag[i].bytes = load8(word);
        tag[i].mask = length < 8 ? (1ULL << (8 * length)) - 1 : UINT64_MAX;
        tag[i].length = (uint32_t)length;
    }
}

/* "docid = X", with X up to the next blank; any other comment is the id as it stands. */
static peck_span doc_id(peck_span c)
{
    static const char key[] = "docid";

    if (c.n < sizeof key || memcmp(c.s, key, sizeof key - 1) != 0)
        return c;
    const char *q = c.s + sizeof key - 1, *const stop = c.s + c.n;

    while (q < stop && is_blank(*q))
        q++;
    if (q == stop || *q != '=')
        return c;
    for (q++; q < stop && is_blank(*q);)
        q++;
    const char *const id = q;

    while (q < stop && !is_blank(*q))
        q++;
    return (peck_span){ id, (size_t)(q - id) };
}

bool letor_next(struct lines *lines, struct letor_text *text)
{
    peck_span line;

    while (lines_next(lines, &line)) {
        const peck_span t = span_trim(line);

        if (t.n == 0 || t.s[0] == '#')
            continue;
        const char *const end = t.s + t.n, *const hash = memchr(t.s, '#', t.n);

        *text = (struct letor_text){ t.s, end, { end, 0 }, line.n };
        if (hash != NULL) {
            text->end = hash;
            text->doc =
                doc_id(span_trim((peck_span){ hash + 1, (size_t)(end - hash - 1) }));
        }
        return true;
    }
    return false;
}

bool letor_lacks_label(const struct letor_text *text)
{
    const char *p = text->begin;

    while (p < text->end && !is_blank(*p) && *p != ':')
        p++;
    return p < text->end && *p == ':';
}

/* A line being read.  Features count from 1 here, however the file does it. */
struct cursor {
    const struct letor_shape *s;
    const char *p, *end;
    size_t line;
    peck_error *err;
};

/* From p to the next blank or the end. */
static peck_span word_at(const struct cursor *c)
{
    const char *q = c->p;

    while (q < c->end && !is_blank(*q))
        q++;
    return (peck_span){ c->p, (size_t)(q - c->p) };
}

static void skip_blanks(struct cursor *c)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
}

/* A feature as the file counts it. */
static size_t in_file(const struct cursor *c, size_t index)
{
    return index - 1 + c->s->first;
}

static peck_status bad_index(const struct cursor *c, peck_span word)
{
    return fail(c->err, PECK_FORMAT,
                "%s:%zu: '%.*s' stands where feature:value belongs, such as 3:0.25",
                c->s->name, c->line, SPAN_ARGS(word));
}

static peck_status bad_value(const struct cursor *c, size_t index, peck_span word)
{
    return fail(c->err, PECK_FORMAT,
                "%s:%zu: feature %zu is '%.*s'; a finite number belongs there", c->s->name,
                c->line, in_file(c, index), SPAN_ARGS(word));
}

/* Digits and a colon, above `last`, which is the one before it; moves behind the colon. */
static peck_status rising_index(struct cursor *c, uint64_t last, uint64_t *index)
{
    const peck_span word = word_at(c);
    const char *const colon = memchr(word.s, ':', word.n);

    if (colon == NULL)
        return bad_index(c, word);
    const peck_span digits = { word.s, (size_t)(colon - word.s) };

    if (!number_parse_u64(digits, index))
        return bad_index(c, word);
    if (*index < c->s->first)
        return fail(c->err, PECK_FORMAT,
                    "%s:%zu: feature 0; features are counted from 1, or say --zero-based",
                    c->s->name, c->line);
    if (*index - c->s->first >= MAX_FEATURE)
        return fail(c->err, PECK_FORMAT, "%s:%zu: feature %llu is over the limit %zu",
                    c->s->name, c->line, (unsigned long long)*index,
                    MAX_FEATURE - 1 + c->s->first);
    *index += 1 - c->s->first;
    if (*index == last)
        return fail(c->err, PECK_FORMAT, "%s:%zu: feature %zu stands there twice",
                    c->s->name, c->line, in_file(c, last));
    if (*index < last)
        return fail(c->err, PECK_FORMAT,
                    "%s:%zu: feature %zu is out of order; features must rise", c->s->name,
                    c->line, in_file(c, *index));
    c->p = colon + 1;
    return PECK_OK;
}

/* The general road to an index.  One above dim, the highest last index of all lines, is
 * right itself: a later one on this line must be wrong, and is the one to name.  The last
 * of a line is above dim only when a colon in its value hid it from the scan. */
static peck_status read_index(struct cursor *c, size_t last, size_t *index)
{
    uint64_t value;

    TRY(rising_index(c, last, &value));
    while (value > c->s->dim) {
        const peck_span word = word_at(c);

        c->p += word.n;
        skip_blanks(c);
        if (c->p == c->end)
            return bad_value(c, value, word);
        TRY(rising_index(c, value, &value));
    }
    *index = value;
    return PECK_OK;
}

/* A row has room for this feature: --features did not leave it out. */
static inline bool is_kept(const struct letor_shape *s, size_t index)
{
    return s->column == NULL || s->column[index - 1] != LETOR_SKIPPED;
}

/* What is no plain finite number: a missing value, or a mistake. */
static peck_status odd_value(struct cursor *c, size_t index, float *value)
{
    const peck_span word = word_at(c);

    if (!number_is_missing(word))
        return bad_value(c, index, word);
    if (c->s->missing == MISSING_ERROR && is_kept(c->s, index))
        return fail(c->err, PECK_FORMAT,
                    "%s:%zu: feature %zu is missing ('%.*s'); " MISSING_ADVICE, c->s->name,
                    c->line, in_file(c, index), SPAN_ARGS(word));
    *value = NAN;
    c->p += word.n;
    return PECK_OK;
}

/* A number that ends where a word may end and fits into a float. */
static inline bool plain_value(struct cursor *c, float *value)
{
    double v;
    const char *const q = number_read(c->p, &v);

    if (q == NULL || ((unsigned char)*q > ' ' && q < c->end) || !number_fits_float(v))
        return false;
    *value = (float)v;
    c->p = q;
    return true;
}

static inline bool has_tag(const char *p, const struct letor_tag *t)
{
    return (load8(p) & t->mask) == t->bytes;
}

static peck_status read_features(struct cursor *c, float *row, size_t *n_missing)
{
    const struct letor_shape *const s = c->s;
    size_t last = 0;

    for (;;) {
        size_t index = last + 1;

        if (last < s->n_tags && has_tag(c->p, &s->tag[last])) {
            c->p += s->tag[last].length;
        } else {
            skip_blanks(c);
            if (c->p == c->end)
                return PECK_OK;
            TRY(read_index(c, last, &index));
        }
        float value;

        if (!plain_value(c, &value)) {
            TRY(odd_value(c, index, &value));
            ++*n_missing;
        }
        last = index;
        if (is_kept(s, index))
            row[s->column == NULL ? index - 1 : s->column[index - 1]] = value;
    }
}

/* "qid:10"; leaves the cursor alone when the line has none. */
static peck_status read_query(struct cursor *c, peck_span *query)
{
    *query = (peck_span){ c->p, 0 };
    if (c->end - c->p < 4 || memcmp(c->p, "qid:", 4) != 0)
        return PECK_OK;
    c->p += 4;
    *query = word_at(c);
    if (query->n == 0)
        return fail(c->err, PECK_FORMAT, "%s:%zu: nothing follows qid:", c->s->name,
                    c->line);
    if (query->n > MAX_ID)
        return fail(c->err, PECK_FORMAT, "%s:%zu: the query id is longer than %d bytes",
                    c->s->name, c->line, MAX_ID);
    c->p += query->n;
    return PECK_OK;
}

static peck_status read_label(struct cursor *c, float *label)
{
    const peck_span word = word_at(c);

    if (word.n > 0 && memchr(word.s, ':', word.n) != NULL)
        return fail(c->err, PECK_FORMAT, "%s:%zu: the label is missing before '%.*s'",
                    c->s->name, c->line, SPAN_ARGS(word));
    TRY(label_parse(label, word, c->s->name, c->line, c->err));
    c->p += word.n;
    skip_blanks(c);
    return PECK_OK;
}

peck_status letor_row(const struct letor_shape *s, const struct letor_text *text,
                      size_t line_number, float *row, struct letor_line *line,
                      peck_error *err)
{
    struct cursor c = { s, text->begin, text->end, line_number, err };

    if (text->length > MAX_LINE)
        return fail(err, PECK_FORMAT, "%s:%zu: the line is longer than %d bytes", s->name,
                    line_number, MAX_LINE);
    if (text->doc.n > MAX_ID)
        return fail(err, PECK_FORMAT, "%s:%zu: the document id is longer than %d bytes",
                    s->name, line_number, MAX_ID);
    line->n_missing = 0;
    line->label = PECK_UNJUDGED;
    if (s->has_label)
        TRY(read_label(&c, &line->label));
    else if (!letor_lacks_label(text))
        return fail(err, PECK_FORMAT, "%s:%zu: a label, though the first document has none",
                    s->name, line_number);
    TRY(read_query(&c, &line->query));
    /* A tag begins with its blank, which read_label may have taken. */
    if (line->query.n == 0 && c.p > text->begin && is_blank(c.p[-1]))
        c.p--;
    return read_features(&c, row, &line->n_missing);
}
