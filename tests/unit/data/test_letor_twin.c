/* test_letor_twin.c -- the LETOR reader against a slow, obvious twin on random files:
 * dense and sparse, grouped and shuffled, of a few bytes and of several chunks, at 1, 2
 * and 5 threads.                                                                     */
#include "support/check.h"

#include "data/dataset.h"
#include "support/samples.h"
#include "support/scratch.h"

#include <math.h>

enum { CHUNK = 1 << 20 }; /* the reader's own */

static peck_error err;

/* The twin ------------------------------------------------------------------------ */

struct twin_row {
    char query[64], doc[64];
    float label;
};

struct twin {
    size_t n, dim;
    struct twin_row *row;
    float *x;     /* [n][dim]; NaN where missing */
    size_t *at;   /* rows, query by query in the order of first appearance */
    size_t *size; /* of each query */
    size_t n_queries, n_missing;
};

/* The text before the comment into `line`, the comment into `doc`. */
static const char *take_line(const char *p, char *line, size_t room, char *doc)
{
    const size_t n = strcspn(p, "\n");

    assert_true(n < room);
    memcpy(line, p, n);
    line[n] = '\0';
    doc[0] = '\0';
    char *const hash = strchr(line, '#');

    if (hash != NULL) {
        if (sscanf(hash + 1, " docid = %63s", doc) != 1)
            sscanf(hash + 1, " %63[^\r]", doc);
        for (size_t k = strlen(doc); k > 0 && strchr(" \t\r", doc[k - 1]) != NULL; k--)
            doc[k - 1] = '\0';
        *hash = '\0';
    }
    return p[n] == '\n' ? p + n + 1 : p + n;
}

/* One line; x NULL: only the highest feature is wanted.  False for a line without a
 * document. */
static bool twin_line(struct twin *t, const char *line, struct twin_row *row, float *x)
{
    char word[128];
    int used = 0;

    if (sscanf(line, "%127s%n", word, &used) != 1)
        return false;
    row->label = strcmp(word, "?") == 0 ? PECK_UNJUDGED : (float)strtod(word, NULL);
    line += used;
    assert_int_equal(sscanf(line, " qid:%63s%n", row->query, &used), 1);
    line += used;
    while (sscanf(line, "%127s%n", word, &used) == 1) {
        char *end;
        const size_t index = strtoul(word, &end, 10);

        if (index > t->dim)
            t->dim = index;
        if (x != NULL)
            x[index - 1] = strcmp(end, ":nan") == 0 ? NAN : (float)strtod(end + 1, NULL);
        line += used;
    }
    return true;
}

static void twin_group(struct twin *t)
{
    size_t *const query = calloc(t->n, sizeof *query);
    size_t *const first = calloc(t->n, sizeof *first);

    for (size_t i = 0; i < t->n; i++) {
        size_t q = 0;

        while (q < t->n_queries && strcmp(t->row[first[q]].query, t->row[i].query) != 0)
            q++;
        if (q == t->n_queries)
            first[t->n_queries++] = i;
        query[i] = q;
        t->size[q]++;
    }
    size_t k = 0;

    for (size_t q = 0; q < t->n_queries; q++)
        for (size_t i = 0; i < t->n; i++)
            if (query[i] == q)
                t->at[k++] = i;
    free(query);
    free(first);
}

static void twin_fill(struct twin *t, bool with_mean)
{
    for (size_t j = 0; j < t->dim; j++) {
        double sum = 0;
        size_t n_there = 0;

        for (size_t i = 0; i < t->n; i++)
            if (!isnan(t->x[i * t->dim + j])) {
                sum += (double)t->x[i * t->dim + j];
                n_there++;
            }
        for (size_t i = 0; i < t->n; i++)
            if (isnan(t->x[i * t->dim + j])) {
                t->x[i * t->dim + j] =
                    with_mean && n_there > 0 ? (float)(sum / (double)n_there) : 0;
                t->n_missing++;
            }
    }
}

static struct twin twin_read(const char *text, bool with_mean)
{
    struct twin t = { 0 };
    const size_t room = strlen(text) + 1;
    char *const line = malloc(room);
    struct twin_row row;

    for (const char *p = text; *p != '\0';) {
        p = take_line(p, line, room, row.doc);
        t.n += twin_line(&t, line, &row, NULL);
    }
    t.row = calloc(t.n, sizeof *t.row);
    t.x = calloc(t.n * t.dim + 1, sizeof *t.x);
    t.at = calloc(t.n, sizeof *t.at);
    t.size = calloc(t.n, sizeof *t.size);
    size_t i = 0;

    for (const char *p = text; *p != '\0';) {
        p = take_line(p, line, room, row.doc);
        if (twin_line(&t, line, &row, i < t.n ? t.x + i * t.dim : NULL))
            t.row[i++] = row;
    }
    free(line);
    twin_group(&t);
    twin_fill(&t, with_mean);
    return t;
}

static void twin_free(struct twin *t)
{
    free(t->row);
    free(t->x);
    free(t->at);
    free(t->size);
}

static void check_like_twin(const peck_dataset *d, const struct twin *t)
{
    size_t start = 0, n_judged = 0, has_ids = 0, is_moved = 0;

    assert_int_equal(d->n_docs, t->n);
    assert_int_equal(d->dim, t->dim);
    assert_int_equal(d->n_queries, t->n_queries);
    assert_int_equal(d->n_missing, t->n_missing);
    for (size_t q = 0; q < t->n_queries; q++) {
        assert_int_equal(d->start[q], start);
        assert_span(strings_get(&d->query_id, q), t->row[t->at[start]].query);
        start += t->size[q];
    }
    assert_int_equal(d->start[t->n_queries], t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct twin_row *const r = &t->row[t->at[i]];

        assert_true(same_float(d->label[i], r->label));
        if (memcmp(d->x + i * d->dim, t->x + t->at[i] * t->dim, t->dim * sizeof(float)) !=
            0)
            fail_msg("the features of row %zu differ", i);
        assert_span(peck_dataset_doc_id(d, i), r->doc);
        assert_int_equal(d->file_row != NULL ? d->file_row[i] : i, t->at[i]);
        n_judged += r->label >= 0;
        has_ids |= r->doc[0] != '\0';
        is_moved |= t->at[i] != i;
    }
    assert_int_equal(d->n_judged, n_judged);
    assert_int_equal(d->doc_id.n, has_ids ? t->n : 0);
    assert_true(d->file_row != NULL || !is_moved);
}

static peck_dataset *read_at(const char *path, const char *missing, int threads)
{
    const peck_read_options o = { .format = "letor",
                                  .missing = missing,
                                  .threads = threads };
    peck_dataset *d;

    assert_ok(peck_dataset_read(&d, path, &o, &err), err);
    return d;
}

static void check_text(const char *text, const char *missing)
{
    static const int threads[] = { 1, 2, 5 };
    const char *const path = scratch_file("random.txt", text);
    struct twin t = twin_read(text, missing != NULL && strcmp(missing, "mean") == 0);

    for (size_t k = 0; k < N_OF(threads); k++) {
        peck_dataset *const d = read_at(path, missing, threads[k]);

        check_like_twin(d, &t);
        peck_dataset_free(d);
    }
    twin_free(&t);
}

/* Random files -------------------------------------------------------------------- */

struct shape {
    size_t n_docs, n_queries, dim;
    double density;
    bool is_shuffled, has_ids, has_noise, has_missing;
};

struct page {
    char *text;
    size_t n, room;
};

__attribute__((format(printf, 2, 3))) static void put(struct page *p, const char *form, ...)
{
    va_list args;

    if (p->room - p->n < 256) {
        p->room = p->room * 2 + 4096;
        p->text = realloc(p->text, p->room);
        assert_non_null(p->text);
    }
    va_start(args, form);
    p->n += (size_t)vsnprintf(p->text + p->n, p->room - p->n, form, args);
    va_end(args);
}

static void put_value(struct page *p, struct rng *r)
{
    const double v = rng_normal(r);

    switch (rng_below(r, 9)) {
    case 0:
        put(p, "0");
        break;
    case 1:
        put(p, "%d", (int)(v * 1000));
        break;
    case 2:
        put(p, "%.2f", v);
        break;
    case 3:
        put(p, "%.17g", v * pow(10, rng_between(r, -30, 30)));
        break;
    case 4:
        put(p, "%.9g", (double)(float)(v * 1e-40));
        break;
    case 5:
        put(p, "%.3e", v * 1e5);
        break;
    case 6:
        put(p, "%.8f", v);
        break;
    default:
        put(p, "%.6f", v);
        break;
    }
}

static void put_blank(struct page *p, struct rng *r, const struct shape *s)
{
    static const char *const blanks[] = { " ", "\t", "  ", " \t " };

    put(p, "%s", blanks[s->has_noise && rng_below(r, 10) == 0 ? rng_below(r, 4) : 0]);
}

static void put_row(struct page *p, struct rng *r, const struct shape *s, size_t query)
{
    if (rng_below(r, 20) == 0)
        put(p, "?");
    else
        put(p, "%g", (double)rng_below(r, 5) / (rng_below(r, 10) == 0 ? 3 : 1));
    put_blank(p, r, s);
    put(p, "qid:");
    switch (query % 4) {
    case 0:
        put(p, "q%zu", query);
        break;
    case 1:
        put(p, "%zu", query);
        break;
    case 2:
        put(p, "some-long-query-id/%zu", query);
        break;
    default:
        put(p, "%zu:x", query);
        break;
    }
    for (size_t j = 1; j <= s->dim; j++) {
        if (rng_uniform(r) >= s->density)
            continue;
        put_blank(p, r, s);
        put(p, "%zu:", j);
        if (s->has_missing && rng_below(r, 30) == 0)
            put(p, "nan");
        else
            put_value(p, r);
    }
    if (s->has_ids && rng_below(r, 4) > 0)
        put(p, " #docid = D%zu", (size_t)rng_below(r, 1000000));
    else if (s->has_ids)
        put(p, " # some %zu remark ", (size_t)rng_below(r, 1000));
    if (s->has_noise && rng_below(r, 20) == 0)
        put(p, " \t");
    put(p, s->has_noise && rng_below(r, 5) == 0 ? "\r\n" : "\n");
    if (s->has_noise && rng_below(r, 30) == 0)
        put(p, "%s",
            (const char *const[]){ "\n", " \t\n", "# remark 1:2\n",
                                   "\r\n" }[rng_below(r, 4)]);
}

static char *random_file(const struct shape *s, uint64_t seed)
{
    struct page p = { 0 };
    struct rng r;

    rng_seed(&r, seed, 0);
    put(&p, "%s", "");
    for (size_t i = 0; i < s->n_docs; i++)
        put_row(&p, &r, s,
                s->is_shuffled ? rng_below(&r, s->n_queries)
                               : i * s->n_queries / s->n_docs);
    if (rng_below(&r, 2) == 0 && p.n > 0 && p.text[p.n - 1] == '\n')
        p.text[--p.n] = '\0';
    return p.text;
}

static void small_files_are_read_like_the_twin(void **state)
{
    (void)state;
    struct rng r;

    rng_seed(&r, 11, 0);
    for (uint64_t seed = 0; seed < 400; seed++) {
        const struct shape s = { .n_docs = 1 + rng_below(&r, 40),
                                 .n_queries = 1 + rng_below(&r, 9),
                                 .dim = rng_below(&r, 14),
                                 .density = rng_below(&r, 3) == 0 ? 1 : rng_uniform(&r),
                                 .is_shuffled = rng_below(&r, 2) == 0,
                                 .has_ids = rng_below(&r, 2) == 0,
                                 .has_noise = rng_below(&r, 2) == 0,
                                 .has_missing = rng_below(&r, 2) == 0 };
        char *const text = random_file(&s, seed);

        check_text(text, s.has_missing ? (seed % 2 == 0 ? "mean" : "zero") : NULL);
        free(text);
    }
}

static void large_dense_files_are_read_like_the_twin(void **state)
{
    (void)state;
    char *text =
        random_file(&(struct shape){ 6000, 300, 46, 1.0, false, true, false, false }, 21);

    assert_true(strlen(text) > 2 * CHUNK);
    check_text(text, NULL);
    free(text);
    text = random_file(&(struct shape){ 6000, 300, 46, 1.0, true, true, true, true }, 22);
    assert_true(strlen(text) > 2 * CHUNK);
    check_text(text, "mean");
    free(text);
}

static void large_sparse_files_are_read_like_the_twin(void **state)
{
    (void)state;
    char *text =
        random_file(&(struct shape){ 12000, 150, 300, 0.08, true, false, true, false }, 31);

    assert_true(strlen(text) > 2 * CHUNK);
    check_text(text, NULL);
    free(text);
    text = random_file(&(struct shape){ 400, 20, 5000, 0.05, false, true, true, true }, 32);
    check_text(text, "zero");
    free(text);
}

static void long_lists_of_short_rows_are_read_like_the_twin(void **state)
{
    (void)state;
    char *const text =
        random_file(&(struct shape){ 100000, 60, 2, 0.7, true, true, true, false }, 41);

    assert_true(strlen(text) > 2 * CHUNK);
    check_text(text, NULL);
    free(text);
}

/* A shuffled file gives the dataset of the grouped one, query by query. */
static void shuffled_rows_give_the_same_queries(void **state)
{
    (void)state;
    const struct sample s = {
        .n_queries = 40, .max_docs = 30, .dim = 7, .n_grades = 3, .has_doc_ids = true
    };
    struct peck_dataset *const d = sample_dataset(&s, 5);
    uint32_t *const query_of = calloc(d->n_docs, sizeof *query_of);
    uint64_t *const next = calloc(d->n_queries, sizeof *next);
    struct page p = { 0 };
    struct rng r;

    for (size_t q = 0; q < d->n_queries; q++)
        for (uint64_t i = d->start[q]; i < d->start[q + 1]; i++)
            query_of[i] = (uint32_t)q;
    rng_seed(&r, 6, 0);
    rng_shuffle(&r, query_of, d->n_docs);
    for (size_t i = 0; i < d->n_docs; i++) { /* the next row of a random query */
        const size_t q = query_of[i], row = d->start[q] + next[q]++;
        const peck_span id = strings_get(&d->query_id, q),
                        doc = peck_dataset_doc_id(d, row);

        put(&p, "%g qid:%.*s", (double)d->label[row], (int)id.n, id.s);
        for (size_t j = 0; j < d->dim; j++)
            put(&p, " %zu:%.9g", j + 1, (double)d->x[row * d->dim + j]);
        put(&p, " #docid = %.*s\n", (int)doc.n, doc.s);
    }
    peck_dataset *const shuffled = read_at(scratch_file("shuffled", p.text), NULL, 2);
    uint32_t *const order = calloc(d->n_queries, sizeof *order);
    struct peck_dataset *back;

    assert_non_null(shuffled->file_row);
    for (size_t q = 0; q < d->n_queries; q++)
        for (uint32_t k = 0; k < d->n_queries; k++)
            if (span_equal(strings_get(&d->query_id, q),
                           strings_get(&shuffled->query_id, k)))
                order[q] = k;
    assert_ok(dataset_take(&back, shuffled, order, d->n_queries, &err), err);
    assert_same_dataset(d, back);
    peck_dataset_free(back);
    peck_dataset_free(shuffled);
    peck_dataset_free(d);
    free(order);
    free(query_of);
    free(next);
    free(p.text);
}

/* Chunks -------------------------------------------------------------------------- */

/* Puts a newline exactly at each byte around the first and the second boundary. */
static void lines_may_end_anywhere_around_a_chunk(void **state)
{
    (void)state;
    static const char row[] = "1 qid:77 1:0.5 2:0.25 #d\n";
    const size_t n = sizeof row - 1, room = 4 * CHUNK;
    char *const text = malloc(room);

    for (int boundary = 1; boundary <= 2; boundary++)
        for (int off = -3; off <= 3; off++) {
            const size_t target = (size_t)(boundary * CHUNK + off);
            size_t at = 0, n_rows = 0;

            for (; at + 2 * n < target; at += n, n_rows++)
                memcpy(text + at, row, n);
            memset(text + at, ' ', target - at);
            memcpy(text + at, "2 qid:77 1:9", 12);
            text[target] = '\n'; /* byte `target` of the file */
            at = target + 1;
            for (int k = 0; k < 50000; k++, at += n)
                memcpy(text + at, row, n);
            n_rows += 1 + 50000;
            const char *const path = scratch_bytes("boundary", text, at);

            for (int threads = 1; threads <= 3; threads += 2) {
                peck_dataset *const d = read_at(path, NULL, threads);

                assert_int_equal(d->n_docs, n_rows);
                assert_int_equal(d->n_queries, 1);
                for (size_t i = 0; i < n_rows; i++) {
                    const bool is_odd = i == n_rows - 50001;

                    assert_true(d->label[i] == (is_odd ? 2 : 1));
                    assert_true(d->x[2 * i] == (is_odd ? 9 : 0.5f));
                }
                peck_dataset_free(d);
            }
        }
    free(text);
}

static void files_of_exactly_whole_chunks_are_read(void **state)
{
    (void)state;
    char *const text = malloc(2 * CHUNK + 2);

    for (size_t size = 2 * CHUNK - 1; size <= 2 * CHUNK + 1; size++)
        for (int with_newline = 0; with_newline < 2; with_newline++) {
            memset(text, ' ', size);
            memcpy(text, "1 qid:a 1:1\n", 12);
            memcpy(text + CHUNK - 6, "\n2 qid:b 1:2\n", 13); /* over the boundary */
            memcpy(text + size - 12, "3 qid:a 1:123", 12);
            if (with_newline)
                text[size - 1] = '\n';
            peck_dataset *const d = read_at(scratch_bytes("whole", text, size), NULL, 2);

            assert_int_equal(d->n_docs, 3);
            assert_true(d->x[1] == (with_newline ? 1.0f : 12.0f) && d->x[2] == 2);
            assert_int_equal(d->file_row[1], 2);
            peck_dataset_free(d);
        }
    free(text);
}

/* A line over several chunks: those inside it hold no line at all. */
static void a_line_may_be_longer_than_chunks(void **state)
{
    (void)state;
    const size_t n = 5 * CHUNK;
    char *const text = malloc(n + 64);

    memset(text, ' ', n + 64);
    memcpy(text, "1 qid:a 1:1\n2 qid:a", 19);
    memcpy(text + n - 30, " 2:5 #docid = far\n3 qid:a 1:7\n", 30);
    for (int threads = 1; threads <= 5; threads += 2) {
        peck_dataset *const d = read_at(scratch_bytes("longline", text, n), NULL, threads);

        assert_int_equal(d->n_docs, 3);
        assert_int_equal(d->dim, 2);
        assert_true(d->x[3] == 5 && d->x[4] == 7);
        assert_span(peck_dataset_doc_id(d, 1), "far");
        peck_dataset_free(d);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_files_are_read_like_the_twin),
        cmocka_unit_test(large_dense_files_are_read_like_the_twin),
        cmocka_unit_test(large_sparse_files_are_read_like_the_twin),
        cmocka_unit_test(long_lists_of_short_rows_are_read_like_the_twin),
        cmocka_unit_test(shuffled_rows_give_the_same_queries),
        cmocka_unit_test(lines_may_end_anywhere_around_a_chunk),
        cmocka_unit_test(files_of_exactly_whole_chunks_are_read),
        cmocka_unit_test(a_line_may_be_longer_than_chunks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
