/* test_fingerprint.c -- what tells data sets and preferences apart, and parts of both. */
#include "data/prefs.h"
#include "support/check.h"
#include "support/samples.h"
#include "support/thread_comm.h"

/* On one rank. */
static uint64_t fingerprint_on(const struct peck_dataset *d, int threads)
{
    peck_error err = { 0 };
    uint64_t sum = 0;
    struct pool *pool;

    assert_ok(pool_new(&pool, threads, &err), err);
    assert_ok(dataset_fingerprint(&sum, d, pool, &err), err);
    pool_free(pool);
    return sum;
}

static uint64_t fingerprint_of(const struct peck_dataset *d)
{
    return fingerprint_on(d, 1);
}

static const struct sample sample = {
    .n_queries = 9, .max_docs = 7, .dim = 5, .n_grades = 3, .has_query_weights = true
};

static void equal_data_have_equal_fingerprints(void **state)
{
    struct peck_dataset *const a = sample_dataset(&sample, 1);
    struct peck_dataset *const b = sample_dataset(&sample, 1);
    struct peck_dataset *const c = sample_dataset(&sample, 2);

    (void)state;
    assert_true(fingerprint_of(a) == fingerprint_of(b));
    assert_true(fingerprint_of(a) != fingerprint_of(c));
    peck_dataset_free(a);
    peck_dataset_free(b);
    peck_dataset_free(c);
}

static void every_float_counts(void **state)
{
    struct peck_dataset *const d = sample_dataset(&sample, 3);
    const uint64_t before = fingerprint_of(d);
    float *const x = (float *)(uintptr_t)d->x;

    (void)state;
    for (size_t i = 0; i < d->n_docs * d->dim; i++) {
        const float kept = x[i];

        x[i] = kept + 1.0f;
        assert_true(fingerprint_of(d) != before);
        x[i] = kept;
    }
    for (size_t i = 0; i < d->n_docs; i++) {
        d->label[i] += 1.0f;
        assert_true(fingerprint_of(d) != before);
        d->label[i] -= 1.0f;
    }
    d->query_weight[2] *= 2.0f;
    assert_true(fingerprint_of(d) != before);
    d->query_weight[2] /= 2.0f;
    assert_true(fingerprint_of(d) == before);
    peck_dataset_free(d);
}

/* So many documents that queries are hashed by themselves. */
static const struct sample many = {
    .n_queries = 1200, .max_docs = 130, .dim = 2, .n_grades = 3
};

/* Changes features with the next query of as many documents. */
static void exchange_features(const struct peck_dataset *d, float *x)
{
    const size_t n = dataset_query_size(d, 0) * d->dim;
    size_t q = 1;

    while (q < d->n_queries && dataset_query_size(d, q) * d->dim != n)
        q++;
    assert_true(q < d->n_queries);
    for (size_t i = 0; i < n; i++) {
        float *const other = &x[d->start[q] * d->dim + i], kept = x[i];

        x[i] = *other;
        *other = kept;
    }
}

/* Features, which query has them, and labels count. */
static void of_many_documents_it_is_the_same_on_any_pool(void **state)
{
    struct peck_dataset *const d = sample_dataset(&many, 6);
    const uint64_t before = fingerprint_of(d);
    const size_t second = (size_t)d->start[1] * d->dim, last = d->n_docs * d->dim - 1;
    const size_t places[] = { 0, second, last / 2, last };
    float *const x = (float *)(uintptr_t)d->x;

    (void)state;
    assert_true(d->n_docs > 1 << 16);
    assert_true(fingerprint_on(d, 3) == before);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const float kept = x[places[i]];

        x[places[i]] = kept + 1.0f;
        assert_true(fingerprint_on(d, 2) != before);
        x[places[i]] = kept;
    }
    exchange_features(d, x);
    assert_true(fingerprint_of(d) != before);
    exchange_features(d, x);
    assert_true(fingerprint_of(d) == before);
    d->label[d->n_docs - 1] += 1.0f;
    assert_true(fingerprint_of(d) != before);
    peck_dataset_free(d);
}

/* A rank knows the features of its own queries alone. */
static peck_status find_on_rank(void *ctx, const peck_comm *c, peck_error *err)
{
    uint64_t *const found = ctx;
    struct peck_dataset *const d = sample_dataset(&many, 6);
    float *const x = (float *)(uintptr_t)d->x;
    struct pool *pool = NULL;
    peck_status st = dataset_deal(d, c, err);

    if (st == PECK_OK)
        st = pool_new(&pool, 2, err);
    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++)
        if (q < dataset_own_first(d) || q >= dataset_own_end(d))
            memset(x + d->start[q] * d->dim, 0,
                   dataset_query_size(d, q) * d->dim * sizeof *x);
    if (st == PECK_OK)
        st = dataset_fingerprint(&found[c->rank], d, pool, err);
    pool_free(pool);
    peck_dataset_free(d);
    return st;
}

static void of_many_documents_it_is_the_same_on_ranks(void **state)
{
    struct peck_dataset *const d = sample_dataset(&many, 6);
    const uint64_t whole = fingerprint_of(d);

    (void)state;
    for (int n_ranks = 2; n_ranks <= 3; n_ranks++) {
        uint64_t found[MOST_RANKS] = { 0 };
        peck_error err = { 0 };

        assert_ok(on_ranks(n_ranks, find_on_rank, found, NULL, &err), err);
        for (int rank = 0; rank < n_ranks; rank++)
            assert_true(found[rank] == whole);
    }
    peck_dataset_free(d);
}

/* Also where bytes are filled up to whole words. */
static void zeros_at_the_end_count(void **state)
{
    static const float x[16] = { 1.0f, 2.0f };

    (void)state;
    for (size_t a = 0; a <= 16; a++)
        for (size_t b = 0; b < a; b++)
            assert_true(row_fingerprint(x, a) != row_fingerprint(x, b));
}

static void labels_count_by_query_but_neither_their_order_nor_features(void **state)
{
    static const float x[4] = { 1, 2, 3, 4 }, other_x[8];
    static const struct {
        float label[4];
        uint32_t docs[2];
        size_t dim;
        bool is_same;
    } other[] = {
        { { 2, 0, 1, 0 }, { 3, 1 }, 2, true }, /* features */
        { { 0, 1, 2, 0 }, { 3, 1 }, 1, true }, /* documents in another order */
        { { 0, 2, 0, 1 }, { 1, 3 }, 1, true }, /* queries in another order */
        { { 2, 0, 1, 1 }, { 3, 1 }, 1, false },
        { { 2, 0, 1, 0 }, { 2, 2 }, 1, false }, /* where queries end */
        { { 2, 0, 0, 1 }, { 3, 1 }, 1, false }, /* labels in another query */
    };
    static const float label[] = { 2, 0, 1, 0 };
    static const uint32_t docs[] = { 3, 1 };
    peck_dataset *a = NULL;

    (void)state;
    assert_int_equal(peck_dataset_wrap(&a, x, 4, 1, label, docs, 2, NULL), PECK_OK);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        peck_dataset *b = NULL;

        assert_int_equal(peck_dataset_wrap(&b, other[i].dim > 1 ? other_x : x, 4,
                                           other[i].dim, other[i].label, other[i].docs, 2,
                                           NULL),
                         PECK_OK);
        assert_true((labels_fingerprint(a) == labels_fingerprint(b)) == other[i].is_same);
        peck_dataset_free(b);
    }
    peck_dataset_free(a);
}

static void where_queries_end_counts(void **state)
{
    const float x[] = { 1, 2, 3, 4 }, label[] = { 1, 0, 1, 0 };
    const uint32_t two[] = { 2, 2 }, other[] = { 1, 3 };
    peck_dataset *a = NULL, *b = NULL;

    (void)state;
    assert_int_equal(peck_dataset_wrap(&a, x, 4, 1, label, two, 2, NULL), PECK_OK);
    assert_int_equal(peck_dataset_wrap(&b, x, 4, 1, label, other, 2, NULL), PECK_OK);
    assert_true(fingerprint_of(a) != fingerprint_of(b));
    peck_dataset_free(a);
    peck_dataset_free(b);
}

/* What is held out and what is kept are all there is, preferences as queries. */
static void preferences_are_held_out_with_their_queries(void **state)
{
    struct peck_dataset *const d = sample_dataset(&sample, 4);
    struct peck_prefs *const all = prefs_new();
    struct holdout parts;
    peck_error err = { 0 };

    (void)state;
    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t i = d->start[q]; i + 1 < d->start[q + 1]; i++)
            assert_true(prefs_add(all, (peck_pref){ q, i + 1, i, 1.0f, 1.0f }));
    assert_ok(holdout_take(&parts, d, all, 0.3, 2, &err), err);
    assert_int_equal(parts.held->n_queries + parts.kept->n_queries, d->n_queries);
    assert_true(parts.held->n_queries < parts.kept->n_queries);
    assert_int_equal(parts.held_prefs->n_items, parts.held->n_docs);
    assert_int_equal(parts.kept_prefs->n_items, parts.kept->n_docs);
    assert_int_equal(parts.held_prefs->n, parts.held->n_docs - parts.held->n_queries);
    assert_int_equal(parts.kept_prefs->n, parts.kept->n_docs - parts.kept->n_queries);
    holdout_free(&parts);
    for (size_t k = 0; k < 3; k++) { /* and into folds */
        static const char *const part[] = { "train", "valid", "test" };
        struct peck_dataset *fold = NULL;
        struct peck_prefs *own = NULL;

        assert_ok(peck_dataset_fold(&fold, d, 4, 2, part[k], 5, &err), err);
        assert_ok(peck_prefs_fold(&own, all, d, 4, 2, part[k], 5, &err), err);
        assert_int_equal(own->n_items, fold->n_docs);
        assert_int_equal(own->n, fold->n_docs - fold->n_queries);
        peck_prefs_free(own);
        peck_dataset_free(fold);
    }
    peck_prefs_free(all);
    peck_dataset_free(d);
}

/* The preferences of a part say the same of the same documents. */
static void preferences_follow_their_queries(void **state)
{
    struct peck_dataset *const d = sample_dataset(&sample, 4);
    struct peck_prefs *const all = prefs_new();
    bool mark[9];
    size_t n_seen = 0;

    (void)state;
    for (size_t q = 0; q < d->n_queries; q++) {
        mark[q] = q % 3 == 1;
        for (size_t i = d->start[q]; i + 1 < d->start[q + 1]; i++)
            assert_true(prefs_add(all, (peck_pref){ q, i + 1, i, 0.75f, (float)(i + 1) }));
    }
    for (int wanted = 0; wanted < 2; wanted++) {
        struct peck_dataset *part = NULL;
        struct peck_prefs *p = NULL;

        assert_int_equal(dataset_take_marked(&part, d, mark, wanted, NULL), PECK_OK);
        assert_int_equal(prefs_take_marked(&p, all, d, mark, wanted, NULL), PECK_OK);
        assert_int_equal(p->n_items, part->n_docs);
        assert_int_equal(p->list_name.n, part->n_queries);
        for (size_t k = 0; k < p->n; k++, n_seen++) {
            const peck_pref a = p->pref[k];
            const size_t loser = (size_t)a.weight - 1; /* its row in d */
            const size_t bytes = d->dim * sizeof *d->x;

            assert_memory_equal(part->x + a.loser * d->dim, d->x + loser * d->dim, bytes);
            assert_memory_equal(part->x + a.winner * d->dim, d->x + (loser + 1) * d->dim,
                                bytes);
            assert_true(part->start[a.list] <= a.loser &&
                        a.winner < part->start[a.list + 1]);
        }
        peck_prefs_free(p);
        peck_dataset_free(part);
    }
    assert_int_equal(n_seen, all->n);
    peck_prefs_free(all);
    peck_dataset_free(d);
}

static void preferences_have_a_fingerprint_too(void **state)
{
    const peck_pref said = { 0, 1, 2, 0.75f, 1.0f };
    const peck_pref others[] = { { 0, 2, 1, 0.75f, 1.0f },
                                 { 0, 1, 2, 0.5f, 1.0f },
                                 { 0, 1, 2, 0.75f, 2.0f } };
    struct peck_prefs *const p = prefs_new();

    (void)state;
    assert_true(prefs_add(p, said));
    const uint64_t before = prefs_fingerprint(p);

    for (size_t i = 0; i < N_OF(others); i++) {
        p->pref[0] = others[i];
        assert_true(prefs_fingerprint(p) != before);
    }
    p->pref[0] = said;
    assert_true(prefs_fingerprint(p) == before);
    peck_prefs_free(p);
}

/* They stand in the notes of models: other numbers would make old models strangers to their
 * data.  39 floats: whole words, and a rest. */
static void fingerprints_stay_what_they_were(void **state)
{
    static const float label[] = { 2, 0, 1 };
    static const uint32_t docs[] = { 2, 1 };
    float x[39];
    peck_dataset *d = NULL;

    (void)state;
    for (size_t i = 0; i < N_OF(x); i++)
        x[i] = (float)i - 7.5f;
    assert_int_equal(peck_dataset_wrap(&d, x, 3, 13, label, docs, 2, NULL), PECK_OK);
    assert_true(row_fingerprint(x, 39) == UINT64_C(0x038085C9EF0D01B4));
    assert_true(fingerprint_of(d) == UINT64_C(0x163517E72D8CBA99));
    assert_true(labels_fingerprint(d) == UINT64_C(0xC8A0281FA0BC69A9));
    d->doc_weight = calloc(3, sizeof *d->doc_weight);
    assert_true(fingerprint_of(d) == UINT64_C(0x8265E4D1DA5903BD));
    peck_dataset_free(d);
}

/* The same of so many documents that queries are hashed by themselves. */
static void fingerprints_of_many_stay_what_they_were(void **state)
{
    enum { QUERIES = 5000, DOCS = 14 };
    uint32_t *const docs = calloc(QUERIES, sizeof *docs);
    float *const x = calloc(QUERIES * DOCS, sizeof *x);
    float *const label = calloc(QUERIES * DOCS, sizeof *label);
    peck_dataset *d = NULL;

    (void)state;
    assert_true(docs != NULL && x != NULL && label != NULL);
    for (size_t q = 0; q < QUERIES; q++)
        docs[q] = DOCS;
    for (size_t i = 0; i < (size_t)QUERIES * DOCS; i++) {
        x[i] = (float)i - 7.5f;
        label[i] = (float)(i % 3);
    }
    assert_int_equal(
        peck_dataset_wrap(&d, x, (size_t)QUERIES * DOCS, 1, label, docs, QUERIES, NULL),
        PECK_OK);
    assert_true(fingerprint_of(d) == UINT64_C(0x8BD58CE4E99FE830));
    peck_dataset_free(d);
    free(docs);
    free(x);
    free(label);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_data_have_equal_fingerprints),
        cmocka_unit_test(every_float_counts),
        cmocka_unit_test(of_many_documents_it_is_the_same_on_any_pool),
        cmocka_unit_test(of_many_documents_it_is_the_same_on_ranks),
        cmocka_unit_test(zeros_at_the_end_count),
        cmocka_unit_test(where_queries_end_counts),
        cmocka_unit_test(labels_count_by_query_but_neither_their_order_nor_features),
        cmocka_unit_test(preferences_follow_their_queries),
        cmocka_unit_test(preferences_are_held_out_with_their_queries),
        cmocka_unit_test(preferences_have_a_fingerprint_too),
        cmocka_unit_test(fingerprints_stay_what_they_were),
        cmocka_unit_test(fingerprints_of_many_stay_what_they_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
