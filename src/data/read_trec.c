/* read_trec.c -- see trec.h. */
#include "trec.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "dataset.h"
#include "pair_key.h"

#include <math.h>

/* One document of one query, from either file. */
struct entry {
    uint32_t query;
    bool is_judged, is_retrieved;
    float label;
    double score;
};

/* Documents are numbered by first appearance, those of the qrels first; so are queries. */
struct trec_merge {
    struct index query, doc; /* a document's key: its query, then its name */
    struct pair_key key;
    struct entry *entry; /* by document */
    size_t cap_entry;
    size_t n_judged, n_judged_queries;
    uint32_t *retrieved; /* documents in the run's order */
    size_t n_retrieved, cap_retrieved;
};

/* What a line of the file looks like, and what to do with one. */
struct trec_form {
    const char *what;
    size_t least, most; /* words on a line */
    peck_status (*take)(struct trec_merge *m, const peck_span *word, const char *name,
                        size_t line, peck_error *err);
};

enum { MOST_WORDS = 6 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static peck_status read_trec_lines(struct trec_merge *m, const struct trec_form *form,
                                   const struct input *in, peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line, word[MOST_WORDS];
    size_t n_taken = 0;

    while (lines_next(&l, &line)) {
        size_t n = 0, i = 0;

        if (line.n > MAX_LINE)
            return fail(err, PECK_FORMAT, "%s:%zu: the line has more than %d bytes",
                        in->name, l.number, MAX_LINE);
        for (;; n++) { /* words between blanks, of which the first are stored */
            while (i < line.n && is_space(line.s[i]))
                i++;
            if (i == line.n)
                break;
            const size_t first = i;

            while (i < line.n && !is_space(line.s[i]))
                i++;
            if (n < MOST_WORDS)
                word[n] = (peck_span){ line.s + first, i - first };
        }
        if (n == 0)
            continue;
        if (n < form->least || n > form->most)
            return fail(err, PECK_FORMAT,
                        "%s:%zu: %zu columns; give a file whose lines are \"%s\"", in->name,
                        l.number, n, form->what);
        if (word[0].n > MAX_ID || word[2].n > MAX_ID)
            return fail(err, PECK_FORMAT, "%s:%zu: an id has more than %d bytes", in->name,
                        l.number, MAX_ID);
        TRY(form->take(m, word, in->name, l.number, err));
        n_taken++;
    }
    if (n_taken == 0)
        return fail(err, PECK_FORMAT, "%s: is empty; a line is \"%s\"", in->name,
                    form->what);
    return PECK_OK;
}

/* One of the two files into the merge. */
static peck_status read_trec_file(struct trec_merge *m, const struct trec_form *form,
                                  const char *path, peck_error *err)
{
    struct input in = { 0 };

    TRY(input_open(&in, path, err));
    const peck_status st = input_blame(&in, read_trec_lines(m, form, &in, err), err);

    input_close(&in);
    return st;
}

/* The entry of a document, new or old. */
static peck_status find_entry(struct trec_merge *m, peck_span query, peck_span doc,
                              size_t *at, const char *name, peck_error *err)
{
    const int64_t q = index_put(&m->query, query);
    const size_t n_before = m->doc.names.n;

    if (q == INDEX_FULL)
        return fail_memory(err, name, m->query.names.n, sizeof query);
    const int64_t i = index_put(&m->doc, pair_key(&m->key, (uint64_t)q, doc));

    if (i == INDEX_FULL ||
        !mem_reserve(&m->entry, &m->cap_entry, (size_t)i + 1, sizeof *m->entry))
        return fail_memory(err, name, n_before, sizeof *m->entry);
    if ((size_t)i == n_before)
        m->entry[i] = (struct entry){ .query = (uint32_t)q,
                                      .label = PECK_UNJUDGED,
                                      .score = -INFINITY };
    *at = (size_t)i;
    return PECK_OK;
}

/* A line of qrels; whoever is judged below 0 counts as judged 0. */
static peck_status take_judgement(struct trec_merge *m, const peck_span *word,
                                  const char *name, size_t line, peck_error *err)
{
    const bool is_negative = word[3].s[0] == '-';
    const peck_span digits = { word[3].s + is_negative, word[3].n - is_negative };
    uint64_t grade;
    size_t at = 0;

    if (!number_parse_u64(digits, &grade))
        return fail(err, PECK_FORMAT, "%s:%zu: relevance '%.*s' is not an integer", name,
                    line, SPAN_ARGS(word[3]));
    TRY(find_entry(m, word[0], word[2], &at, name, err));
    if (m->entry[at].is_judged)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: document '%.*s' of query '%.*s' is judged a "
                    "second time",
                    name, line, SPAN_ARGS(word[2]), SPAN_ARGS(word[0]));
    m->entry[at].is_judged = true;
    m->entry[at].label = is_negative ? 0.0f : (float)grade;
    return PECK_OK;
}

/* A line of a run.  The rank must be a number, but it is the score that orders. */
static peck_status take_retrieval(struct trec_merge *m, const peck_span *word,
                                  const char *name, size_t line, peck_error *err)
{
    double rank, score;
    size_t at = 0;

    if (!number_parse(word[3], &rank))
        return fail(err, PECK_FORMAT, "%s:%zu: rank '%.*s' is not a number", name, line,
                    SPAN_ARGS(word[3]));
    if (!number_parse(word[4], &score) || !isfinite(score))
        return fail(err, PECK_FORMAT, "%s:%zu: score '%.*s' is not a number", name, line,
                    SPAN_ARGS(word[4]));
    TRY(find_entry(m, word[0], word[2], &at, name, err));
    if (m->entry[at].is_retrieved)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: document '%.*s' of query '%.*s' is retrieved a "
                    "second time",
                    name, line, SPAN_ARGS(word[2]), SPAN_ARGS(word[0]));
    if (!mem_reserve(&m->retrieved, &m->cap_retrieved, m->n_retrieved + 1,
                     sizeof *m->retrieved))
        return fail_memory(err, name, m->n_retrieved, sizeof *m->retrieved);
    m->entry[at].is_retrieved = true;
    m->entry[at].score = score;
    m->retrieved[m->n_retrieved++] = (uint32_t)at;
    return PECK_OK;
}

static const struct trec_form qrels_form = { "query 0 document relevance", 4, 4,
                                             take_judgement };
static const struct trec_form run_form = { "query Q0 document rank score tag", 5, 6,
                                           take_retrieval };

/* Where the next row of each judged query goes; LEFT_OUT for those that are. */
#define LEFT_OUT UINT64_MAX

/* NULL: the document has no row, for its query is left out or not judged. */
static uint64_t *row_place(const struct trec_merge *m, uint64_t *place, size_t doc)
{
    const uint32_t q = m->entry[doc].query;

    return q < m->n_judged_queries && place[q] != LEFT_OUT ? &place[q] : NULL;
}

/* The queries that are kept, and the documents of each: the retrieved ones first.
 * place[q] counts the rows of query q at first, then is where its next row goes. */
static peck_status lay_out_run(struct trec *t, const struct trec_merge *m, uint64_t *place,
                               uint32_t *doc_of, peck_error *err)
{
    uint64_t total = 0, *at;

    for (size_t i = 0; i < m->doc.names.n; i++)
        if ((at = row_place(m, place, i)) != NULL)
            ++*at;
    t->start = mem_new(m->n_judged_queries + 1, sizeof *t->start);
    if (t->start == NULL)
        return fail_memory(err, "the queries", m->n_judged_queries, sizeof *t->start);
    for (size_t q = 0; q < m->n_judged_queries; q++) {
        if (place[q] == LEFT_OUT)
            continue;
        if (!strings_add(&t->query_id, strings_get(&m->query.names, q)))
            return fail_memory(err, "the queries", t->n_queries, sizeof(peck_span));
        const uint64_t n_rows = place[q];

        place[q] = total;
        total += n_rows;
        t->start[++t->n_queries] = total;
    }
    for (size_t i = 0; i < m->n_retrieved; i++)
        if ((at = row_place(m, place, m->retrieved[i])) != NULL)
            doc_of[(*at)++] = m->retrieved[i];
    for (size_t i = 0; i < m->n_judged; i++)
        if (!m->entry[i].is_retrieved && (at = row_place(m, place, i)) != NULL)
            doc_of[(*at)++] = (uint32_t)i;
    t->label = mem_new(total, sizeof *t->label);
    t->score = mem_new(total, sizeof *t->score);
    if (t->label == NULL || t->score == NULL)
        return fail_memory(err, "the run", total, sizeof *t->score);
    for (size_t r = 0; r < total; r++) {
        const struct entry *const e = &m->entry[doc_of[r]];

        t->label[r] = e->label;
        t->score[r] = e->score;
        if (!strings_add(&t->doc_id, pair_name(strings_get(&m->doc.names, doc_of[r]))))
            return fail_memory(err, "the run", total, sizeof(peck_span));
    }
    return PECK_OK;
}

/* Judged queries that the run answers are laid out; `complete`: all judged ones. */
static peck_status merge_files(struct trec *t, struct trec_merge *m, struct arena *a,
                               const char *run, const char *qrels, bool complete,
                               peck_error *err)
{
    TRY(read_trec_file(m, &qrels_form, qrels, err));
    m->n_judged = m->doc.names.n;
    m->n_judged_queries = m->query.names.n;
    TRY(read_trec_file(m, &run_form, run, err));
    uint64_t *const place = arena_new(a, "the run", m->n_judged_queries, sizeof *place);
    uint32_t *const doc_of = arena_new(a, "the run", m->doc.names.n, sizeof *doc_of);

    TRY(arena_check(a, err));
    t->n_unanswered = m->n_judged_queries;
    t->n_unknown = m->query.names.n - m->n_judged_queries;
    for (size_t q = 0; q < m->n_judged_queries; q++)
        place[q] = LEFT_OUT;
    for (size_t i = 0; i < m->n_retrieved; i++) {
        const struct entry *const e = &m->entry[m->retrieved[i]];

        if (e->query >= m->n_judged_queries)
            continue;
        t->n_unanswered -= place[e->query] == LEFT_OUT;
        t->n_unjudged += !e->is_judged;
        place[e->query] = 0;
    }
    if (t->n_unanswered == m->n_judged_queries)
        return fail(err, PECK_SHAPE, "%s: none of its queries is judged in %s", run, qrels);
    for (size_t q = 0; complete && q < m->n_judged_queries; q++)
        place[q] = 0;
    return lay_out_run(t, m, place, doc_of, err);
}

peck_status trec_read(struct trec *out, const char *run, const char *qrels, bool complete,
                      peck_error *err)
{
    struct trec_merge m = { 0 };
    struct arena a = { 0 };

    *out = (struct trec){ 0 };
    const peck_status st = merge_files(out, &m, &a, run, qrels, complete, err);

    if (st != PECK_OK)
        trec_free(out);
    index_free(&m.query);
    index_free(&m.doc);
    mem_free(m.entry);
    mem_free(m.retrieved);
    arena_free(&a);
    return st;
}

void trec_free(struct trec *t)
{
    strings_free(&t->query_id);
    strings_free(&t->doc_id);
    mem_free(t->start);
    mem_free(t->label);
    mem_free(t->score);
    *t = (struct trec){ 0 };
}
