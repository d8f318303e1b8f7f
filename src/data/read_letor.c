/* read_letor.c -- SVMlight / LETOR text, in chunks, by all threads, in two passes:
 *
 *   scan   counts lines, documents and bytes of document ids, and looks at the last
 *          feature of each line, which is its highest; so n, dim and every chunk's first
 *          line and row are known,
 *   parse  writes each value straight to its place in the dense rows.
 *
 * Nothing is copied in between: the peak is the dense form and the mapped file.
 * Without qid the groups come from a file of sizes (LightGBM's FILE.query).         */
#include "letor.h"

#include "../base/alloc.h"
#include "../base/zip.h"

enum { CHUNK = 1 << 20 };

struct chunk {
    const char *begin, *end; /* whole lines */
    /* Found by the scan. */
    size_t n_lines, n_rows, n_id_bytes, top_feature;
    bool has_ids;
    /* The sums over the chunks before it. */
    size_t lines_before, first_row, first_id_byte;
    /* Found by the parse. */
    struct query_run *run;
    size_t n_runs, cap_runs, n_missing;
    peck_status status;
    peck_error error;
};

struct letor {
    const struct input *in;
    const struct read_plan *plan;
    struct chunk *chunk;
    size_t n_chunks;
    bool has_ids, has_query; /* has_query: the first document has a qid */
    size_t first_line;       /* the line of the first document */
    struct strings group;    /* names of queries that come from a file of sizes */
    uint32_t *column;
    struct letor_tag tag[LETOR_TAGS];
    struct letor_shape shape;
    struct builder out;
};

/* Scan ---------------------------------------------------------------------------- */

/* The start of the first line at or after p. */
static const char *line_start(const struct input *in, const char *p)
{
    const char *const end = in->data + in->size;

    if (p == in->data || p >= end)
        return p < end ? p : end;
    const char *const nl = memchr(p - 1, '\n', (size_t)(end - p + 1));

    return nl != NULL ? nl + 1 : end;
}

static peck_status cut(struct letor *l, peck_error *err)
{
    const struct input *const in = l->in;

    l->n_chunks = (in->size + CHUNK - 1) / CHUNK;
    l->chunk = mem_new(l->n_chunks, sizeof *l->chunk);
    if (l->chunk == NULL)
        return fail_memory(err, in->name, l->n_chunks, sizeof *l->chunk);
    for (size_t i = 0; i < l->n_chunks; i++) {
        const size_t stop = i + 1 < l->n_chunks ? (i + 1) * CHUNK : in->size;

        l->chunk[i].begin = i > 0 ? line_start(in, in->data + i * CHUNK) : lines_of(in).p;
        l->chunk[i].end = line_start(in, in->data + stop);
    }
    return PECK_OK;
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
    struct chunk *const c = &l->chunk[i];
    struct lines lines = { c->begin, c->end, 0 };
    struct letor_text text;

    (void)worker;
    while (letor_next(&lines, &text)) {
        const size_t top = last_feature(text.begin, text.end, l->shape.first);

        c->n_rows++;
        c->n_id_bytes += text.doc.n;
        c->has_ids |= text.doc.n > 0;
        c->top_feature = top > c->top_feature ? top : c->top_feature;
    }
    c->n_lines = lines.number;
}

static peck_status add_up(struct letor *l, peck_error *err)
{
    size_t line = 0, row = 0, byte = 0;

    for (size_t i = 0; i < l->n_chunks; i++) {
        struct chunk *const c = &l->chunk[i];

        c->lines_before = line;
        c->first_row = row;
        c->first_id_byte = byte;
        line += c->n_lines;
        row += c->n_rows;
        byte += c->n_id_bytes;
        l->has_ids |= c->has_ids;
        if (c->top_feature > l->shape.dim)
            l->shape.dim = c->top_feature;
    }
    if (row == 0)
        return fail(err, PECK_FORMAT, "%s: is empty; there is no document in it",
                    l->in->name);
    l->out.n = row;
    return PECK_OK;
}

/* Names and columns --------------------------------------------------------------- */

/* The "# ..." lines above the first document, the '#' and blanks taken off. */
static peck_status header_lines(struct strings *header, const struct input *in,
                                peck_error *err)
{
    struct lines lines = lines_of(in);
    peck_span line;

    while (lines_next(&lines, &line)) {
        line = span_trim(line);
        if (line.n == 0)
            continue;
        if (line.s[0] != '#')
            break;
        if (!strings_add(header, span_trim((peck_span){ line.s + 1, line.n - 1 })))
            return fail_memory(err, in->name, header->n, 16);
    }
    return PECK_OK;
}

/* The header names the columns when every line of it is "N name" (or "N: name"), or when
 * there are exactly as many plain lines as columns.  Otherwise it is a remark. */
static peck_status header_names(struct strings *names, const struct letor *l,
                                peck_error *err)
{
    struct strings header = { 0 };
    peck_status st = header_lines(&header, l->in, err);

    if (st == PECK_OK && header.n > 0)
        st = names_of_lines(names, &header, l->shape.first, l->shape.dim, l->in->name, err);
    strings_free(&header);
    return st;
}

/* Only the kept columns' names go on. */
static bool keep_names(struct strings *kept, const struct strings *all,
                       const uint32_t *keep, size_t n_kept)
{
    for (size_t i = 0; i < n_kept; i++)
        if (!strings_add(kept, strings_get(all, keep[i])))
            return false;
    return true;
}

/* --features: feature -> column, and the names that remain. */
static peck_status choose_columns(struct letor *l, const struct strings *names,
                                  peck_error *err)
{
    const size_t dim = l->shape.dim;
    uint32_t *keep = NULL;
    size_t n_kept = 0;

    TRY(columns_parse(&keep, &n_kept, l->plan->features, names, dim, err));
    l->column = mem_new(dim, sizeof *l->column);
    const bool fits =
        l->column != NULL &&
        (names->n == 0 || keep_names(&l->out.feature_name, names, keep, n_kept));

    for (size_t i = 0; fits && i < dim; i++)
        l->column[i] = LETOR_SKIPPED;
    for (size_t i = 0; fits && i < n_kept; i++)
        l->column[keep[i]] = (uint32_t)i;
    mem_free(keep);
    l->out.dim = n_kept;
    l->shape.column = l->column;
    return fits ? PECK_OK : fail_memory(err, l->in->name, dim, sizeof *l->column);
}

static peck_status settle_columns(struct letor *l, peck_error *err)
{
    struct strings names = { 0 };
    peck_status st = l->plan->feature_names != NULL
                         ? names_read(&names, l->plan->feature_names, err)
                         : header_names(&names, l, err);

    if (st == PECK_OK)
        st = names_fit(&names, l->shape.dim, l->in->name, err);
    if (st == PECK_OK && l->plan->features != NULL) {
        st = choose_columns(l, &names, err);
    } else if (st == PECK_OK) {
        l->out.dim = l->shape.dim;
        l->out.feature_name = names;
        names = (struct strings){ 0 };
    }
    strings_free(&names);
    return st;
}

/* Parse --------------------------------------------------------------------------- */

/* Starts a run where the query changes. */
static peck_status note_query(struct chunk *c, peck_span id, size_t row, size_t line)
{
    if (c->n_runs > 0 && span_equal(c->run[c->n_runs - 1].id, id))
        return PECK_OK;
    if (!mem_reserve(&c->run, &c->cap_runs, c->n_runs + 1, sizeof *c->run))
        return fail_memory(&c->error, "the queries", c->n_runs + 1, sizeof *c->run);
    c->run[c->n_runs++] = (struct query_run){ id, row, line };
    return PECK_OK;
}

static peck_status odd_query(const struct letor *l, struct chunk *c, size_t line)
{
    if (l->has_query)
        return fail(&c->error, PECK_FORMAT, "%s:%zu: no qid; the first document has one",
                    l->in->name, line);
    return fail(&c->error, PECK_FORMAT, "%s:%zu: a qid, though the first document has none",
                l->in->name, line);
}

/* The dense row is written by letor_row; this notes the rest. */
static peck_status note_line(struct letor *l, struct chunk *c,
                             const struct letor_line *line, size_t row, size_t number)
{
    if ((line->query.n > 0) != l->has_query)
        return odd_query(l, c, number);
    l->out.label[row] = line->label;
    c->n_missing += line->n_missing;
    return l->has_query ? note_query(c, line->query, row, number) : PECK_OK;
}

/* The mapped file may have been written to since the scan: nothing goes beyond the room that
 * the scan found, and less of it is an error too. */
static void parse_chunk(void *ctx, size_t i, int worker)
{
    struct letor *const l = ctx;
    struct chunk *const c = &l->chunk[i];
    struct builder *const b = &l->out;
    struct lines lines = { c->begin, c->end, c->lines_before };
    const size_t end_row = c->first_row + c->n_rows;
    const uint64_t end_byte = c->first_id_byte + c->n_id_bytes;
    struct letor_text text;
    struct letor_line line;
    uint64_t id_byte = c->first_id_byte;
    size_t row = c->first_row;

    (void)worker;
    for (; c->status == PECK_OK && letor_next(&lines, &text); row++) {
        if (row == end_row || text.doc.n > end_byte - id_byte)
            break;
        c->status = letor_row(&l->shape, &text, lines.number, b->x + row * b->dim, &line,
                              &c->error);
        if (c->status == PECK_OK)
            c->status = note_line(l, c, &line, row, lines.number);
        if (l->has_ids) {
            memcpy(b->doc_id.bytes + id_byte, text.doc.s, text.doc.n);
            id_byte += text.doc.n;
            b->doc_id.at[row + 1] = id_byte;
        }
    }
    if (c->status == PECK_OK && (row != end_row || (l->has_ids && id_byte != end_byte)))
        c->status = input_changed(l->in, &c->error);
}

/* Room for every document's id, which the chunks fill side by side. */
static peck_status open_ids(struct letor *l, peck_error *err)
{
    struct strings *const ids = &l->out.doc_id;
    const struct chunk *const last = &l->chunk[l->n_chunks - 1];

    if (!l->has_ids)
        return PECK_OK;
    if (!strings_reserve(ids, l->out.n, last->first_id_byte + last->n_id_bytes))
        return fail_memory(err, l->in->name, l->out.n, sizeof *ids->at);
    ids->n = l->out.n;
    return PECK_OK;
}

/* The first document decides whether the file has labels (where it may lack them) and
 * qids. */
static void look_at_first(struct letor *l)
{
    struct lines lines = lines_of(l->in);
    struct letor_text text;

    if (!letor_next(&lines, &text))
        return;
    l->first_line = lines.number;
    l->shape.has_label = !(l->plan->labels_optional && letor_lacks_label(&text));
    while (l->shape.has_label && text.begin < text.end && !is_blank(*text.begin))
        text.begin++;
    while (text.begin < text.end && is_blank(*text.begin))
        text.begin++;
    l->has_query = text.end - text.begin >= 4 && memcmp(text.begin, "qid:", 4) == 0;
}

static peck_status parse(struct letor *l, peck_error *err)
{
    const size_t n = l->out.n;

    TRY(builder_check_size(l->in->name, n, l->out.dim, err));
    TRY(builder_rows(&l->out, n, err));
    TRY(open_ids(l, err));
    look_at_first(l);
    l->shape.name = l->in->name;
    l->shape.missing = l->plan->missing;
    l->shape.tag = l->tag;
    l->shape.n_tags = l->shape.dim < LETOR_TAGS ? l->shape.dim : LETOR_TAGS;
    letor_tags_fill(l->tag, l->shape.n_tags, l->shape.first);
    pool_run(l->plan->pool, l->n_chunks, parse_chunk, l);
    for (size_t i = 0; i < l->n_chunks; i++) {
        const struct chunk *const c = &l->chunk[i];

        if (c->status != PECK_OK)
            return fail(err, c->status, "%s", c->error.text);
        l->out.n_missing += c->n_missing;
    }
    return l->out.n_missing > 0 ? missing_fill(&l->out, l->plan->missing, err) : PECK_OK;
}

/* Queries ------------------------------------------------------------------------- */

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

/* "rank.train.gz" -> "rank.train.query" */
static char *sizes_path(const char *path)
{
    static const char ending[] = ".query";
    const size_t stem = zip_stem(path);
    char *const name = mem_new(stem + sizeof ending, 1);

    if (name != NULL) {
        memcpy(name, path, stem);
        memcpy(name + stem, ending, sizeof ending);
    }
    return name;
}

/* Runs named 1, 2, ... with these many documents each. */
static peck_status runs_of_sizes(struct letor *l, const uint64_t *size, size_t n,
                                 peck_error *err)
{
    struct builder *const b = &l->out;
    uint64_t first = 0;

    if (!mem_reserve(&b->run, &b->cap_runs, n, sizeof *b->run))
        return fail_memory(err, l->in->name, n, sizeof *b->run);
    for (size_t i = 0; i < n; i++) {
        char id[24];
        const int k = snprintf(id, sizeof id, "%zu", i + 1);

        if (!strings_add(&l->group, (peck_span){ id, (size_t)k }))
            return fail_memory(err, l->in->name, n, sizeof id);
    }
    for (size_t i = 0; i < n; first += size[i], i++)
        b->run[i] = (struct query_run){ strings_get(&l->group, i), first, 0 };
    b->n_runs = n;
    return PECK_OK;
}

static peck_status read_sizes(struct letor *l, const char *path, peck_error *err)
{
    uint64_t *size = NULL;
    size_t n = 0;

    TRY(sizes_read(&size, &n, path, l->out.n, err));
    const peck_status st = runs_of_sizes(l, size, n, err);

    mem_free(size);
    return st;
}

static peck_status group_by_sizes(struct letor *l, peck_error *err)
{
    if (l->plan->query_sizes != NULL)
        return read_sizes(l, l->plan->query_sizes, err);
    char *const path = sizes_path(l->in->name);

    if (path == NULL)
        return fail_memory(err, l->in->name, 1, 1);
    const peck_status st =
        input_exists(path)
            ? read_sizes(l, path, err)
            : fail(err, PECK_FORMAT,
                   "%s:%zu: no qid; add \"qid:ID\" after the label, or give the group "
                   "sizes with --groups",
                   l->in->name, l->first_line);

    mem_free(path);
    return st;
}

static peck_status read_all(struct peck_dataset **out, struct letor *l, peck_error *err)
{
    TRY(plan_check(l->plan, l->in->name, false, true, err));
    l->shape.first = l->plan->is_zero_based ? 0 : 1;
    TRY(cut(l, err));
    pool_run(l->plan->pool, l->n_chunks, scan_chunk, l);
    TRY(add_up(l, err));
    TRY(settle_columns(l, err));
    TRY(parse(l, err));
    if (l->has_query && l->plan->query_sizes != NULL)
        return fail(err, PECK_ARG,
                    "%s: group sizes are for data without qid, and this has one on every "
                    "line",
                    l->in->name);
    TRY(l->has_query ? join_runs(l, err) : group_by_sizes(l, err));
    TRY(builder_finish(out, &l->out, l->in->name, "letor", err));
    (*out)->is_sparse = l->plan->features == NULL; /* else the columns were chosen */
    return PECK_OK;
}

static peck_status read(struct peck_dataset **out, struct input *in,
                        const struct read_plan *plan, peck_error *err)
{
    struct letor *const l = mem_new(1, sizeof *l);

    if (l == NULL)
        return fail_memory(err, in->name, 1, sizeof *l);
    l->in = in;
    l->plan = plan;
    const peck_status st = read_all(out, l, err);

    for (size_t i = 0; i < l->n_chunks && l->chunk != NULL; i++)
        mem_free(l->chunk[i].run);
    mem_free(l->chunk);
    mem_free(l->column);
    strings_free(&l->group);
    builder_free(&l->out);
    mem_free(l);
    return st;
}

/* Text that no other reader claims. */
static int sniff(const struct input *in)
{
    (void)in;
    return 1;
}

const struct reader reader_letor = {
    .plug = { { "letor", "SVMlight / LETOR text: label qid:ID 1:value 2:value #docid = ID",
                "One document a line: a label (\"?\" is not judged), qid:ID, features that "
                "rise from 1 (--zero-based: from 0), and a comment whose \"docid = X\", or "
                "all of it, is the "
                "document's id. Absent features are 0. Lines \"# N name\" above the first "
                "document name the columns. Without qid, group sizes come from FILE.query, "
                "one a line (LightGBM's form)." },
              NULL },
    .sniff = sniff,
    .read = read,
};
