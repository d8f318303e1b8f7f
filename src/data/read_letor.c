/* read_letor.c -- SVMlight / LETOR text, in chunks, by all threads, in two passes:
 *
 *   scan   counts lines, documents and bytes of document ids, and looks at the last
 *          feature of each line, which is its highest; so n, dim and every chunk's first
 *          line and row are known,
 *   parse  writes each value straight to its place in the dense rows.
 *
 * Nothing is copied in between: the peak is the dense form and the mapped file.  Of several
 * ranks, each parses labels and ids of all documents, and features of its own queries alone.
 * Without qid the groups come from a file of sizes (LightGBM's FILE.query).
 *
 * The loop over the features of a line is where reading a file spends its time.  A file that
 * names every feature in turn is matched tag by tag (" 12:" is one comparison); sparse files
 * take the general road.                                                              */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/zip.h"

#include <math.h>

enum { CHUNK = 1 << 20, LETOR_TAGS = 4096, LETOR_SKIPPED = UINT32_MAX };

/* " 12:" as it stands in a file that names every feature in turn: compared as one word,
 * it saves taking the index apart digit by digit. */
struct letor_tag {
    uint64_t bytes, mask;
    uint32_t length;
};

/* A line that holds a document, cut at its comment. */
struct letor_text {
    const char *begin, *end; /* what stands before the '#' */
    peck_span doc;           /* the id in the comment; n = 0: none */
    size_t length;           /* of the whole line */
};

struct letor_chunk {
    const char *begin, *end; /* whole lines */
    /* Found by the scan. */
    size_t n_lines, n_rows, n_id_bytes, top_feature;
    bool has_ids;
    /* The sums over the chunks before it. */
    size_t lines_before, first_row, first_id_byte;
    /* Found by the parse. */
    struct query_run *run;
    size_t n_runs, cap_runs, n_missing;
};

struct letor {
    const struct input *in;
    const struct read_plan *plan;
    struct letor_chunk *chunk;
    size_t n_chunks;
    size_t dim;   /* highest feature */
    size_t first; /* how the file counts its features: from 0 or from 1 */
    /* What the first document has, and all others must: */
    bool has_label, has_query;
    size_t first_line; /* its line */
    bool has_ids;
    struct strings group; /* names of queries that come from a file of sizes */
    uint32_t *column;     /* feature - 1 -> column or LETOR_SKIPPED; NULL: all, in order */
    struct letor_tag
        tag[LETOR_TAGS]; /* tag[i] is feature i + 1, " 1:" or " 0:" for i = 0 */
    size_t n_tags;
    bool is_frame; /* features are left out */
    struct builder out;
    /* Of several ranks: the rows of this one's queries. */
    size_t own_row, own_end, own_chunk;
    float *own_x; /* [own_end - own_row][out.dim] */
};

/* Lines ----------------------------------------------------------------------------- */

/* The next line that holds a document; blank lines and remarks are passed over.  Both
 * passes over a file go through here, so they see the same documents.  The id is X of
 * "#docid = X", up to the next blank; any other comment is the id as it stands. */
static bool next_document(struct lines *lines, struct letor_text *text)
{
    static const char key[] = "docid";
    peck_span line;

    while (lines_next(lines, &line)) {
        const peck_span t = span_trim(line);

        if (t.n == 0 || t.s[0] == '#')
            continue;
        const char *const end = t.s + t.n, *const hash = memchr(t.s, '#', t.n);

        *text = (struct letor_text){ t.s, end, { end, 0 }, line.n };
        if (hash == NULL)
            return true;
        const peck_span c = span_trim((peck_span){ hash + 1, (size_t)(end - hash - 1) });
        const char *q = c.s + sizeof key - 1, *const stop = c.s + c.n;

        text->end = hash;
        text->doc = c;
        if (c.n < sizeof key || memcmp(c.s, key, sizeof key - 1) != 0)
            return true;
        while (q < stop && is_blank(*q))
            q++;
        if (q == stop || *q != '=')
            return true;
        for (q++; q < stop && is_blank(*q);)
            q++;
        text->doc.s = q;
        while (q < stop && !is_blank(*q))
            q++;
        text->doc.n = (size_t)(q - text->doc.s);
        return true;
    }
    return false;
}

/* Whether a document begins with "index:value" or "qid:ID" instead of a label. */
static bool lacks_label(const struct letor_text *text)
{
    const char *p = text->begin;

    while (p < text->end && !is_blank(*p) && *p != ':')
        p++;
    return p < text->end && *p == ':';
}

/* A line being read.  Features count from 1 here, however the file does it. */
struct letor_cursor {
    const struct letor *l;
    const char *p, *end;
    size_t line;
    peck_error *err;
};

/* From p to the next blank or the end. */
static peck_span word_at(const struct letor_cursor *c)
{
    const char *q = c->p;

    while (q < c->end && !is_blank(*q))
        q++;
    return (peck_span){ c->p, (size_t)(q - c->p) };
}

static void skip_to_word(struct letor_cursor *c)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
}

/* A feature as the file counts it. */
static size_t in_file(const struct letor_cursor *c, size_t index)
{
    return index - 1 + c->l->first;
}

static peck_status bad_index(const struct letor_cursor *c, peck_span word)
{
    return fail(c->err, PECK_FORMAT, "%s:%zu: '%.*s' is not feature:value, such as 3:0.25",
                c->l->in->name, c->line, SPAN_ARGS(word));
}

static peck_status bad_value(const struct letor_cursor *c, size_t index, peck_span word)
{
    return fail(c->err, PECK_FORMAT,
                "%s:%zu: feature %zu is '%.*s'; it must be a number such as 0.5",
                c->l->in->name, c->line, in_file(c, index), SPAN_ARGS(word));
}

/* Digits and a colon, above `last`, which is the one before it; moves behind the colon. */
static peck_status rising_index(struct letor_cursor *c, uint64_t last, uint64_t *index)
{
    const peck_span word = word_at(c);
    const char *const colon = memchr(word.s, ':', word.n);

    if (colon == NULL)
        return bad_index(c, word);
    const peck_span digits = { word.s, (size_t)(colon - word.s) };

    if (!number_parse_u64(digits, index))
        return bad_index(c, word);
    if (*index < c->l->first)
        return fail(c->err, PECK_FORMAT,
                    "%s:%zu: feature 0; features are numbered from 1, or use --zero-based",
                    c->l->in->name, c->line);
    if (*index - c->l->first >= MAX_FEATURE)
        return fail(c->err, PECK_FORMAT, "%s:%zu: feature %llu is over the limit %zu",
                    c->l->in->name, c->line, (unsigned long long)*index,
                    MAX_FEATURE - 1 + c->l->first);
    *index += 1 - c->l->first;
    if (*index == last)
        return fail(c->err, PECK_FORMAT, "%s:%zu: feature %zu is there twice; keep one",
                    c->l->in->name, c->line, in_file(c, last));
    if (*index < last)
        return fail(c->err, PECK_FORMAT,
                    "%s:%zu: feature %zu is out of order; feature numbers must increase",
                    c->l->in->name, c->line, in_file(c, *index));
    c->p = colon + 1;
    return PECK_OK;
}

/* A row has room for this feature: --features did not leave it out. */
static inline bool is_kept(const struct letor *l, size_t index)
{
    return l->column == NULL || l->column[index - 1] != LETOR_SKIPPED;
}

/* What is no plain finite number: a missing value, or a mistake. */
static peck_status odd_value(struct letor_cursor *c, size_t index, float *value)
{
    const peck_span word = word_at(c);

    if (!number_is_missing(word))
        return bad_value(c, index, word);
    if (c->l->plan->missing == MISSING_ERROR && is_kept(c->l, index))
        return fail(c->err, PECK_FORMAT,
                    "%s:%zu: feature %zu is missing ('%.*s'); " MISSING_ADVICE,
                    c->l->in->name, c->line, in_file(c, index), SPAN_ARGS(word));
    *value = NAN;
    c->p += word.n;
    return PECK_OK;
}

/* The general road to an index.  One above dim, the highest last index of all lines, is
 * right itself: a later one on this line must be wrong, and is the one to name.  The last
 * of a line is above dim only when a colon in its value hid it from the scan. */
static peck_status read_index(struct letor_cursor *c, size_t last, size_t *index)
{
    uint64_t value;

    TRY(rising_index(c, last, &value));
    while (value > c->l->dim) {
        const peck_span word = word_at(c);

        c->p += word.n;
        skip_to_word(c);
        if (c->p == c->end)
            return bad_value(c, value, word);
        TRY(rising_index(c, value, &value));
    }
    *index = value;
    return PECK_OK;
}

/* The features of a document into row, zero so far.  A plain value is a number that ends where
 * a word may end and fits into a float. */
static peck_status read_features(struct letor_cursor *c, float *row, size_t *n_missing)
{
    const struct letor *const l = c->l;
    size_t last = 0;

    for (;;) {
        size_t index = last + 1;
        float value;
        double v;

        if (last < l->n_tags && (load8(c->p) & l->tag[last].mask) == l->tag[last].bytes) {
            c->p += l->tag[last].length;
        } else {
            skip_to_word(c);
            if (c->p == c->end)
                return PECK_OK;
            TRY(read_index(c, last, &index));
        }
        const char *const q = number_read(c->p, &v);

        if (q != NULL && ((unsigned char)*q <= ' ' || q >= c->end) &&
            number_fits_float(v)) {
            value = (float)v;
            c->p = q;
        } else {
            TRY(odd_value(c, index, &value));
            ++*n_missing;
        }
        last = index;
        if (is_kept(l, index))
            row[l->column == NULL ? index - 1 : l->column[index - 1]] = value;
    }
}

/* Label and query id of a document; the cursor moves behind them. */
static peck_status read_label_and_query(struct letor_cursor *c,
                                        const struct letor_text *text, float *label,
                                        peck_span *query)
{
    const struct letor *const l = c->l;
    const char *const name = l->in->name;
    const peck_span word = word_at(c);

    *label = PECK_UNJUDGED;
    if (!l->has_label && !lacks_label(text))
        return fail(c->err, PECK_FORMAT, "%s:%zu: a label, but the first document has none",
                    name, c->line);
    if (l->has_label) {
        if (word.n > 0 && memchr(word.s, ':', word.n) != NULL)
            return fail(c->err, PECK_FORMAT, "%s:%zu: the label is missing before '%.*s'",
                        name, c->line, SPAN_ARGS(word));
        TRY(label_parse(label, word, name, c->line, c->err));
        c->p += word.n;
        skip_to_word(c);
    }
    *query = (peck_span){ c->p, 0 };
    if (c->end - c->p >= 4 && memcmp(c->p, "qid:", 4) == 0) {
        c->p += 4;
        *query = word_at(c);
        if (query->n == 0)
            return fail(c->err, PECK_FORMAT,
                        "%s:%zu: nothing follows qid:; write qid:ID without a blank", name,
                        c->line);
        if (query->n > MAX_ID)
            return fail(c->err, PECK_FORMAT, "%s:%zu: the query id is longer than %d bytes",
                        name, c->line, MAX_ID);
        c->p += query->n;
    }
    return PECK_OK;
}

/* Label and query id; the cursor moves to the first feature. */
static peck_status begin_document(struct letor_cursor *c, const struct letor_text *text,
                                  float *label, peck_span *query)
{
    const char *const name = c->l->in->name;

    if (text->length > MAX_LINE)
        return fail(c->err, PECK_FORMAT, "%s:%zu: the line is longer than %d bytes", name,
                    c->line, MAX_LINE);
    if (text->doc.n > MAX_ID)
        return fail(c->err, PECK_FORMAT, "%s:%zu: the document id is longer than %d bytes",
                    name, c->line, MAX_ID);
    TRY(read_label_and_query(c, text, label, query));
    /* A tag begins with its blank, which the label's end may have taken. */
    if (query->n == 0 && c->p > text->begin && is_blank(c->p[-1]))
        c->p--;
    return PECK_OK;
}

/* One document into row `row` of the builder; its id is the caller's. */
static peck_status read_document(struct letor *l, struct letor_chunk *c,
                                 const struct letor_text *text, size_t row, size_t line,
                                 peck_error *err)
{
    struct letor_cursor at = { l, text->begin, text->end, line, err };
    const char *const name = l->in->name;
    peck_span query;

    TRY(begin_document(&at, text, &l->out.label[row], &query));
    if (!l->is_frame)
        TRY(read_features(&at, l->out.x + row * l->out.dim, &c->n_missing));
    if ((query.n > 0) != l->has_query)
        return fail(err, PECK_FORMAT,
                    l->has_query ? "%s:%zu: no qid; the first document has one"
                                 : "%s:%zu: a qid, but the first document has none",
                    name, line);
    if (!l->has_query || (c->n_runs > 0 && span_equal(c->run[c->n_runs - 1].id, query)))
        return PECK_OK;
    if (!mem_reserve(&c->run, &c->cap_runs, c->n_runs + 1, sizeof *c->run))
        return fail_memory(err, "the queries", c->n_runs + 1, sizeof *c->run);
    c->run[c->n_runs++] = (struct query_run){ query, row, line };
    return PECK_OK;
}

/* Scan ------------------------------------------------------------------------------ */

/* The start of the first line at or after p. */
static const char *line_start(const struct input *in, const char *p)
{
    const char *const end = in->data + in->size;

    if (p == in->data || p >= end)
        return p < end ? p : end;
    const char *const nl = memchr(p - 1, '\n', (size_t)(end - p + 1));

    return nl != NULL ? nl + 1 : end;
}

/* The last "index:value" in [begin, end), counted from 1; 0 where there is none, or where
 * the parse will complain anyway. */
static size_t last_feature(const char *begin, const char *end, size_t first)
{
    const char *p = end;
    size_t index = 0, unit = 1;

    while (p > begin && p[-1] != ':')
        p--;
    if (p == begin)
        return 0;
    for (p--; p > begin && is_digit(p[-1]); p--) {
        const size_t digit = (size_t)(p[-1] - '0');

        if (digit > 0 && unit > MAX_FEATURE)
            return 0;
        index += digit * unit;
        unit = unit > MAX_FEATURE ? unit : unit * 10;
    }
    index += 1 - first;
    return index <= MAX_FEATURE && (p == begin || is_blank(p[-1])) ? index : 0;
}

static void scan_chunk(void *ctx, size_t i, int worker)
{
    struct letor *const l = ctx;
    struct letor_chunk *const c = &l->chunk[i];
    struct lines lines = { c->begin, c->end, 0 };
    struct letor_text text;

    (void)worker;
    while (next_document(&lines, &text)) {
        const size_t top = last_feature(text.begin, text.end, l->first);

        c->n_rows++;
        c->n_id_bytes += text.doc.n;
        c->has_ids |= text.doc.n > 0;
        c->top_feature = top > c->top_feature ? top : c->top_feature;
    }
    c->n_lines = lines.number;
}

/* Cuts the input into chunks and adds up what is in them. */
static peck_status scan_chunks(struct letor *l, peck_error *err)
{
    const struct input *const in = l->in;
    size_t line = 0, row = 0, byte = 0;

    l->n_chunks = (in->size + CHUNK - 1) / CHUNK;
    l->chunk = mem_new(l->n_chunks, sizeof *l->chunk);
    if (l->chunk == NULL)
        return fail_memory(err, in->name, l->n_chunks, sizeof *l->chunk);
    for (size_t i = 0; i < l->n_chunks; i++) {
        const size_t stop = i + 1 < l->n_chunks ? (i + 1) * CHUNK : in->size;

        l->chunk[i].begin = i > 0 ? line_start(in, in->data + i * CHUNK) : lines_of(in).p;
        l->chunk[i].end = line_start(in, in->data + stop);
    }
    watch_part(l->plan->watch, 0, 2);
    TRY(watch_run(l->plan->watch, l->plan->pool, l->n_chunks, scan_chunk, l, err));
    for (size_t i = 0; i < l->n_chunks; i++) {
        struct letor_chunk *const c = &l->chunk[i];

        c->lines_before = line;
        c->first_row = row;
        c->first_id_byte = byte;
        line += c->n_lines;
        row += c->n_rows;
        byte += c->n_id_bytes;
        l->has_ids |= c->has_ids;
        l->dim = c->top_feature > l->dim ? c->top_feature : l->dim;
    }
    if (row == 0)
        return fail(err, PECK_FORMAT, "%s: is empty; there is no document in it", in->name);
    l->out.n = row;
    if (l->has_ids) { /* room that the chunks fill side by side */
        if (!strings_reserve(&l->out.doc_id, row, byte))
            return fail_memory(err, in->name, row, sizeof *l->out.doc_id.at);
        l->out.doc_id.n = row;
    }
    return PECK_OK;
}

/* Names and columns ----------------------------------------------------------------- */

/* The "# ..." lines above the first document name the columns when every one is "N name" (or
 * "N: name"), or when there are exactly as many plain lines as columns.  Otherwise they are
 * remarks. */
static peck_status header_names(struct strings *names, const struct letor *l,
                                peck_error *err)
{
    struct strings header = { 0 };
    struct lines lines = lines_of(l->in);
    peck_span line = { "", 0 };
    bool fits = true;

    while (fits && (line.n == 0 || line.s[0] == '#') && lines_next(&lines, &line)) {
        line = span_trim(line);
        if (line.n > 0 && line.s[0] == '#')
            fits = strings_add(&header, span_trim((peck_span){ line.s + 1, line.n - 1 }));
    }
    const peck_status st =
        !fits          ? fail_memory(err, l->in->name, header.n, 16)
        : header.n > 0 ? names_of_lines(names, &header, l->first, l->dim, l->in->name, err)
                       : PECK_OK;

    strings_free(&header);
    return st;
}

/* Which features are stored, and their names. */
static peck_status choose_columns(struct letor *l, peck_error *err)
{
    struct strings names = { 0 };
    uint32_t *keep = NULL;
    size_t n_kept = l->dim;
    peck_status st = l->plan->feature_names != NULL
                         ? names_read(&names, l->plan->feature_names, err)
                         : header_names(&names, l, err);

    if (st == PECK_OK)
        st = names_fit(&names, l->dim, l->in->name, err);
    if (st == PECK_OK)
        st = columns_parse(&keep, &n_kept, l->plan->features, &names, l->dim, err);
    if (st == PECK_OK && keep != NULL) {
        l->column = mem_new(l->dim, sizeof *l->column);
        if (l->column == NULL ||
            !strings_add_from(&l->out.feature_name, &names, keep, names.n > 0 ? n_kept : 0))
            st = fail_memory(err, l->in->name, l->dim, sizeof *l->column);
        for (size_t i = 0; st == PECK_OK && i < l->dim; i++)
            l->column[i] = LETOR_SKIPPED;
        for (size_t i = 0; st == PECK_OK && i < n_kept; i++)
            l->column[keep[i]] = (uint32_t)i;
    } else if (st == PECK_OK) {
        l->out.feature_name = names;
        names = (struct strings){ 0 };
    }
    l->out.dim = n_kept;
    mem_free(keep);
    strings_free(&names);
    return st;
}

/* Parse ----------------------------------------------------------------------------- */

/* The mapped file may have been written to since the scan: nothing goes beyond the room that
 * the scan found, and less of it is an error too. */
static peck_status parse_chunk(void *ctx, size_t i, int worker, peck_error *err)
{
    struct letor *const l = ctx;
    struct letor_chunk *const c = &l->chunk[i];
    struct strings *const ids = &l->out.doc_id;
    struct lines lines = { c->begin, c->end, c->lines_before };
    const size_t end_row = c->first_row + c->n_rows;
    const uint64_t end_byte = c->first_id_byte + c->n_id_bytes;
    struct letor_text text;
    uint64_t id_byte = c->first_id_byte;
    size_t row = c->first_row;

    (void)worker;
    for (; next_document(&lines, &text); row++) {
        if (row == end_row || text.doc.n > end_byte - id_byte)
            return input_changed(l->in, err);
        TRY(read_document(l, c, &text, row, lines.number, err));
        if (l->has_ids) {
            memcpy(ids->bytes + id_byte, text.doc.s, text.doc.n);
            id_byte += text.doc.n;
            ids->at[row + 1] = id_byte;
        }
    }
    return row == end_row && (!l->has_ids || id_byte == end_byte)
               ? PECK_OK
               : input_changed(l->in, err);
}

/* What the parse has to know. */
static void prepare_parse(struct letor *l)
{
    struct lines lines = lines_of(l->in);
    struct letor_text text;

    /* The first document decides whether the file has labels (where it may lack them) and
     * qids. */
    if (next_document(&lines, &text)) {
        l->first_line = lines.number;
        l->has_label = !(l->plan->labels_optional && lacks_label(&text));
        while (l->has_label && text.begin < text.end && !is_blank(*text.begin))
            text.begin++;
        while (text.begin < text.end && is_blank(*text.begin))
            text.begin++;
        l->has_query = text.end - text.begin >= 4 && memcmp(text.begin, "qid:", 4) == 0;
    }
    l->n_tags = l->dim < LETOR_TAGS ? l->dim : LETOR_TAGS;
    for (size_t i = 0; i < l->n_tags; i++) {
        char word[16] = { 0 };
        const int length = snprintf(word, sizeof word, " %zu:", i + l->first);

        l->tag[i].bytes = load8(word);
        l->tag[i].mask = length < 8 ? (1ULL << (8 * length)) - 1 : UINT64_MAX;
        l->tag[i].length = (uint32_t)length;
    }
}

static peck_status parse_chunks(struct letor *l, peck_error *err)
{
    if (!l->is_frame)
        TRY(builder_check_size(l->in->name, l->out.n, l->out.dim, err));
    TRY(builder_rows(&l->out, l->out.n, err));
    prepare_parse(l);
    watch_part(l->plan->watch, 1, 2);
    TRY(watch_try(l->plan->watch, l->plan->pool, l->n_chunks, parse_chunk, l, err));
    for (size_t i = 0; i < l->n_chunks; i++)
        l->out.n_missing += l->chunk[i].n_missing;
    return l->out.n_missing > 0 ? missing_fill(&l->out, l->plan->missing, err) : PECK_OK;
}

/* Queries --------------------------------------------------------------------------- */

static peck_status join_runs(struct letor *l, peck_error *err)
{
    struct builder *const b = &l->out;
    size_t n = 0;

    for (size_t i = 0; i < l->n_chunks; i++)
        n += l->chunk[i].n_runs;
    if (!mem_reserve(&b->run, &b->cap_runs, n, sizeof *b->run))
        return fail_memory(err, l->in->name, n, sizeof *b->run);
    for (size_t i = 0; i < l->n_chunks; i++)
        for (size_t r = 0; r < l->chunk[i].n_runs; r++) {
            const struct query_run run = l->chunk[i].run[r];

            if (b->n_runs == 0 || !span_equal(b->run[b->n_runs - 1].id, run.id))
                b->run[b->n_runs++] = run;
        }
    return PECK_OK;
}

/* Runs named 1, 2, ... with as many documents each as the file of sizes says: the one that was
 * asked for, else "rank.train.query" for "rank.train.gz". */
static peck_status group_by_sizes(struct letor *l, peck_error *err)
{
    static const char ending[] = ".query";
    const char *const name = l->in->name;
    struct builder *const b = &l->out;
    const size_t stem = zip_stem(name);
    char *const usual = mem_new(stem + sizeof ending, 1);
    uint64_t *size = NULL, first = 0;
    size_t n = 0;
    peck_status st = PECK_OK;

    if (usual == NULL)
        return fail_memory(err, name, 1, 1);
    memcpy(usual, name, stem);
    memcpy(usual + stem, ending, sizeof ending);
    if (l->plan->query_sizes == NULL && !input_exists(usual))
        st = fail(err, PECK_FORMAT,
                  "%s:%zu: no qid; add \"qid:ID\" after the label, or give the group "
                  "sizes with --groups",
                  name, l->first_line);
    if (st == PECK_OK)
        st = sizes_read(&size, &n, l->plan->query_sizes ? l->plan->query_sizes : usual,
                        b->n, err);
    if (st == PECK_OK && !mem_reserve(&b->run, &b->cap_runs, n, sizeof *b->run))
        st = fail_memory(err, name, n, sizeof *b->run);
    for (size_t i = 0; st == PECK_OK && i < n; i++)
        if (!strings_add_number(&l->group, i + 1))
            st = fail_memory(err, name, n, sizeof(peck_span));
    for (size_t i = 0; st == PECK_OK && i < n; first += size[i], i++)
        b->run[b->n_runs++] = (struct query_run){ strings_get(&l->group, i), first, 0 };
    mem_free(size);
    mem_free(usual);
    return st;
}

static peck_status read_all_letor(struct peck_dataset **out, struct letor *l,
                                  peck_error *err)
{
    TRY(plan_check(l->plan, l->in->name, false, true, err));
    TRY(scan_chunks(l, err));
    TRY(choose_columns(l, err));
    const size_t dim = l->out.dim;

    if (l->is_frame)
        l->out.dim = 0;
    TRY(parse_chunks(l, err));
    if (l->has_query && l->plan->query_sizes != NULL)
        return fail(err, PECK_ARG,
                    "%s: group sizes are for data without qid, and this has one on every "
                    "line",
                    l->in->name);
    TRY(l->has_query ? join_runs(l, err) : group_by_sizes(l, err));
    TRY(builder_finish(out, &l->out, l->in->name, "letor", err));
    (*out)->dim = dim;
    (*out)->is_sparse = l->plan->features == NULL; /* else the columns were chosen */
    return PECK_OK;
}

/* Ranks ----------------------------------------------------------------------------- */

/* Features of this rank's documents in a chunk. */
static peck_status parse_own_chunk(void *ctx, size_t i, int worker, peck_error *err)
{
    struct letor *const l = ctx;
    struct letor_chunk *const c = &l->chunk[l->own_chunk + i];
    struct lines lines = { c->begin, c->end, c->lines_before };
    const size_t last = c->first_row + c->n_rows;
    const size_t end = last < l->own_end ? last : l->own_end;
    struct letor_text text;
    size_t row = c->first_row;

    (void)worker;
    for (; row < end && next_document(&lines, &text); row++) {
        struct letor_cursor at = { l, text.begin, text.end, lines.number, err };
        peck_span query;
        float label;

        if (row < l->own_row)
            continue;
        TRY(begin_document(&at, &text, &label, &query));
        TRY(read_features(&at, l->own_x + (row - l->own_row) * l->out.dim, &c->n_missing));
    }
    return row >= end ? PECK_OK : input_changed(l->in, err);
}

/* Fills the features of this rank's queries into a dataset that has all but features. */
static peck_status read_own_rows(struct peck_dataset *d, struct letor *l, peck_error *err)
{
    const peck_comm *const comm = l->plan->comm;
    const size_t first = dataset_first_dealt(d, comm_rank(comm), comm_ranks(comm));
    const size_t end = dataset_first_dealt(d, comm_rank(comm) + 1, comm_ranks(comm));
    size_t n = 0;

    l->out.dim = d->dim;
    l->own_row = (size_t)d->start[first];
    l->own_end = (size_t)d->start[end];
    TRY(builder_check_size(d->name, l->own_end - l->own_row, d->dim, err));
    mem_free(d->x_owned);
    d->x = d->x_owned = l->own_x =
        mem_new(l->own_end - l->own_row, (d->dim > 0 ? d->dim : 1) * sizeof *l->own_x);
    d->place = mem_new(d->n_queries, sizeof *d->place);
    if (d->x_owned == NULL || d->place == NULL)
        return fail_memory(err, d->name, l->own_end - l->own_row, d->dim * sizeof *d->x);
    for (size_t q = first; q < end; q++)
        d->place[q] = d->start[q] - l->own_row;
    for (size_t i = 0; i < l->n_chunks; i++) {
        const struct letor_chunk *const c = &l->chunk[i];

        l->own_chunk += c->first_row + c->n_rows <= l->own_row;
        n += c->first_row + c->n_rows > l->own_row && c->first_row < l->own_end;
    }
    return watch_try(l->plan->watch, l->plan->pool, n, parse_own_chunk, l, err);
}

/* *is_done: *out, or the failure, is what one rank would have found.  Where rows of a query
 * lie apart, or labels and ids have a fault, it is not: features come before some of them. */
static peck_status read_own_letor(struct peck_dataset **out, struct letor *l, bool *is_done,
                                  peck_error *err)
{
    l->is_frame = true;
    peck_status st = read_all_letor(out, l, err);

    *is_done = st == PECK_STOPPED || (st == PECK_OK && (*out)->file_row == NULL);
    if (*is_done && st == PECK_OK)
        st = read_own_rows(*out, l, err);
    if (!*is_done || st != PECK_OK) {
        peck_dataset_free(*out);
        *out = NULL;
    }
    return st;
}

static peck_status read_letor_once(struct peck_dataset **out, struct input *in,
                                   const struct read_plan *plan, bool *is_done,
                                   peck_error *err)
{
    struct letor *const l = mem_new(1, sizeof *l);

    if (l == NULL)
        return fail_memory(err, in->name, 1, sizeof *l);
    l->in = in;
    l->plan = plan;
    l->first = plan->is_zero_based ? 0 : 1;
    const peck_status st =
        *is_done ? read_all_letor(out, l, err) : read_own_letor(out, l, is_done, err);

    for (size_t i = 0; i < l->n_chunks && l->chunk != NULL; i++)
        mem_free(l->chunk[i].run);
    mem_free(l->chunk);
    mem_free(l->column);
    strings_free(&l->group);
    builder_free(&l->out);
    mem_free(l);
    return st;
}

/* Missing values are filled by what all rows have. */
static peck_status read_letor(struct peck_dataset **out, struct input *in,
                              const struct read_plan *plan, peck_error *err)
{
    bool is_done = !comm_is_shared(plan->comm) || plan->missing != MISSING_ERROR;
    const peck_status st = read_letor_once(out, in, plan, &is_done, err);

    if (is_done)
        return st;
    is_done = true;
    return read_letor_once(out, in, plan, &is_done, err);
}

/* Text that no other reader claims. */
static int sniff_letor(const struct input *in)
{
    (void)in;
    return 1;
}

const struct reader reader_letor = {
    .plug = { { "letor", "SVMlight / LETOR text: label qid:ID 1:value 2:value #docid = ID",
                "One document per line: a label (\"?\" is not judged), qid:ID, features "
                "in increasing order from 1 (--zero-based: from 0), and a comment whose "
                "\"docid = X\", or all of it, is the document's id. Absent features are "
                "0. Lines \"# N name\" above the first document name the columns. Without "
                "qid, group sizes come from FILE.query, one per line (LightGBM's form)." },
              NULL },
    .sniff = sniff_letor,
    .read = read_letor,
};
