/* test_real.c -- the real data sets load, and hold what their descriptions say.  Needs the
 * folder of real data ($PECK_DATA or ../shared/data); skipped without it.              */
#include "support/check.h"

#include "base/strings.h"
#include "data/dataset.h"
#include "support/samples.h"
#include "support/scratch.h"

#include <math.h>

static peck_error err;

/* A file of the real data; skips the test where there is none. */
static peck_dataset *load(const char *name, peck_read_options o)
{
    const char *const path = real_data(name);
    peck_dataset *d = NULL;

    if (path == NULL)
        skip();
    assert_ok(peck_dataset_read(&d, path, &o, &err), err);
    return d;
}

static peck_dataset *load_plain(const char *name)
{
    return load(name, (peck_read_options){ 0 });
}

static void check_counts(const peck_dataset *d, size_t n_queries, size_t n_docs, size_t dim)
{
    assert_int_equal(d->n_queries, n_queries);
    assert_int_equal(d->n_docs, n_docs);
    assert_int_equal(d->dim, dim);
}

/* Whether all its labels are the same. */
static bool is_single_label(const peck_dataset *d, size_t q)
{
    for (size_t i = d->start[q] + 1; i < d->start[q + 1]; i++)
        if (d->label[i] != d->label[d->start[q]])
            return false;
    return true;
}

/* Rows that repeat an earlier row of their query. */
static size_t count_repeated(const peck_dataset *d)
{
    const size_t bytes = d->dim * sizeof(float);
    size_t n = 0;

    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
            for (size_t k = d->start[q]; k < i; k++)
                if (memcmp(d->x + i * d->dim, d->x + k * d->dim, bytes) == 0) {
                    n++;
                    break;
                }
    return n;
}

/* What the test files of a set of five folds hold, added up. */
struct sum {
    size_t n_queries, n_docs, n_single, n_short, n_repeated, n_ids;
    size_t n_label[3];
    struct index queries;
    bool is_used[64]; /* features that are not always 0 */
};

static void add_up(struct sum *s, const peck_dataset *d)
{
    s->n_queries += d->n_queries;
    s->n_docs += d->n_docs;
    s->n_ids += d->doc_id.n;
    s->n_repeated += count_repeated(d);
    for (size_t q = 0; q < d->n_queries; q++) {
        s->n_single += is_single_label(d, q);
        s->n_short += d->start[q + 1] - d->start[q] < 10;
        assert_true(index_put(&s->queries, strings_get(&d->query_id, q)) >= 0);
    }
    for (size_t i = 0; i < d->n_docs; i++) {
        assert_true(d->label[i] == 0 || d->label[i] == 1 || d->label[i] == 2);
        s->n_label[(size_t)d->label[i]]++;
        for (size_t j = 0; j < d->dim; j++)
            s->is_used[j] |= d->x[i * d->dim + j] != 0;
    }
}

/* Loads all of a fold; its parts share no query and together are the whole set. */
static void check_fold(const char *set, int fold, size_t dim, size_t n_queries,
                       size_t n_docs, struct sum *s)
{
    static const char *const parts[] = { "test", "train", "vali" };
    struct index seen = { 0 };
    size_t docs = 0;

    for (size_t k = 0; k < 3; k++) {
        char name[100];

        snprintf(name, sizeof name, "%s/Fold%d/%s.txt.gz", set, fold, parts[k]);
        peck_dataset *const d = load_plain(name);

        assert_int_equal(d->dim, dim);
        assert_string_equal(d->reader, "letor");
        for (size_t q = 0; q < d->n_queries; q++) { /* each is new */
            const int64_t before = (int64_t)seen.names.n;

            assert_int_equal(index_put(&seen, strings_get(&d->query_id, q)), before);
        }
        docs += d->n_docs;
        if (k == 0)
            add_up(s, d);
        peck_dataset_free(d);
    }
    assert_int_equal(seen.names.n, n_queries);
    assert_int_equal(docs, n_docs);
    index_free(&seen);
}

/* The five test files partition the set. */
static void check_folds(const char *set, size_t n_queries, size_t n_docs, size_t dim,
                        struct sum *s)
{
    for (int fold = 1; fold <= 5; fold++)
        check_fold(set, fold, dim, n_queries, n_docs, s);
    assert_int_equal(s->n_queries, n_queries);
    assert_int_equal(s->queries.names.n, n_queries);
    assert_int_equal(s->n_docs, n_docs);
    assert_int_equal(s->n_ids, n_docs);
    assert_int_equal(s->n_label[0] + s->n_label[1] + s->n_label[2], n_docs);
    assert_true(s->n_label[1] > 0 && s->n_label[2] > 0);
    index_free(&s->queries);
}

static void mq2008_is_as_described(void **state)
{
    (void)state;
    struct sum s = { 0 };

    check_folds("mq2008", 784, 15211, 46, &s);
    assert_int_equal(s.n_single, 220);
    assert_true(s.n_short > 784 / 2);
    for (size_t j = 1; j <= 46; j++)
        assert_int_equal(s.is_used[j - 1], !((j >= 6 && j <= 10) || j == 43));
}

static void mq2008_is_scaled_and_has_document_ids(void **state)
{
    (void)state;
    peck_dataset *const d = load_plain("mq2008/Fold1/train.txt.gz");

    for (size_t i = 0; i < d->n_docs * d->dim; i++)
        assert_true(d->x[i] >= 0 && d->x[i] <= 1);
    for (size_t i = 0; i < d->n_docs; i++) { /* "GX..." alone, without "inc = ..." */
        const peck_span id = peck_dataset_doc_id(d, i);

        assert_true(id.n > 2 && memcmp(id.s, "GX", 2) == 0 &&
                    memchr(id.s, ' ', id.n) == NULL);
    }
    peck_dataset_free(d);
}

static void ohsumed_is_as_described(void **state)
{
    (void)state;
    struct sum s = { 0 };

    check_folds("ohsumed", 106, 16140, 45, &s);
    assert_true(s.n_repeated > 16140 / 20 && s.n_repeated < 16140 * 3 / 20);
}

static void ohsumed_letor2_is_as_described(void **state)
{
    (void)state;
    struct sum s = { 0 };

    check_folds("ohsumed-letor2", 106, 16140, 25, &s);
}

static void mslr_sample_is_as_described(void **state)
{
    (void)state;
    static const char *const names[] = { "mslr-sample/train.txt.gz",
                                         "mslr-sample/vali.txt.gz",
                                         "mslr-sample/test.txt.gz" };
    static const size_t n_queries[] = { 54, 18, 18 };
    size_t n_docs = 0;
    float low = 0, high = 0;

    for (size_t k = 0; k < 3; k++) {
        peck_dataset *const d = load_plain(names[k]);

        assert_int_equal(d->n_queries, n_queries[k]);
        assert_int_equal(d->dim, 136);
        assert_true(d->max_label == 4);
        n_docs += d->n_docs;
        for (size_t i = 0; i < d->n_docs * d->dim; i++) {
            low = fminf(low, d->x[i]);
            high = fmaxf(high, d->x[i]);
        }
        peck_dataset_free(d);
    }
    assert_int_equal(n_docs, 9189);
    assert_true(low > -74 && low < -72 && high > 1.5e8f && high < 1.7e8f);
}

static void mslr_sample_s_features_have_names(void **state)
{
    (void)state;
    const char *const names = real_data("mslr-sample/feature_names.txt");
    peck_dataset *const d =
        load("mslr-sample/test.txt.gz",
             (peck_read_options){ .feature_names = names,
                                  .features = "3,covered query term number "
                                              "body,136" });

    check_counts(d, 18, 1900, 3);
    assert_span(peck_dataset_feature_name(d, 0), "covered query term number title");
    assert_span(peck_dataset_feature_name(d, 1), "covered query term number body");
    assert_true(peck_dataset_feature_name(d, 2).n > 0);
    peck_dataset_free(d);
}

/* Group sizes and qids tell the same, but for what the queries are called. */
static void lightgbm_rank_is_the_same_with_sizes_and_with_qids(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "lightgbm-rank/rank.train.gz", "lightgbm-rank/train.txt.gz" },
        { "lightgbm-rank/rank.test.gz", "lightgbm-rank/test.txt.gz" },
    };
    static const size_t n_queries[] = { 201, 50 }, n_docs[] = { 3005, 768 };

    for (size_t k = 0; k < 2; k++) {
        peck_dataset *const a = load_plain(pairs[k][0]), *const b = load_plain(pairs[k][1]);

        check_counts(a, n_queries[k], n_docs[k], 300);
        strings_free(&b->query_id);
        b->query_id = a->query_id;
        b->query_id.borrowed = true;
        assert_same_dataset(a, b);
        assert_true(a->max_label == 4);
        peck_dataset_free(b);
        peck_dataset_free(a);
    }
}

static void regression_sets_are_one_long_list_each(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n_docs, dim;
    } sets[] = { { "regression/bike.txt.gz", 17379, 12 },
                 { "regression/cadata.txt.gz", 20640, 8 },
                 { "regression/cpusmall.txt.gz", 8192, 12 } };

    for (size_t k = 0; k < N_OF(sets); k++) {
        peck_dataset *const d = load_plain(sets[k].name);

        check_counts(d, 1, sets[k].n_docs, sets[k].dim);
        assert_int_equal(d->n_judged, sets[k].n_docs);
        peck_dataset_free(d);
    }
}

static void yandex_pairs_have_real_labels_and_urls(void **state)
{
    (void)state;
    static const char *const names[] = { "yandex-pairs/train.txt.gz",
                                         "yandex-pairs/test.txt.gz" };
    static const char *const weights[] = { "yandex-pairs/train.group_weights",
                                           "yandex-pairs/test.group_weights" };
    static const size_t n_queries[] = { 91, 26 }, n_docs[] = { 1500, 500 };

    for (size_t k = 0; k < 2; k++) {
        const char *const weights_path = real_data(weights[k]);
        peck_dataset *const d =
            load(names[k], (peck_read_options){ .query_weights = weights_path });
        bool has_fraction = false;

        check_counts(d, n_queries[k], n_docs[k], 50);
        for (size_t i = 0; i < d->n_docs; i++) {
            const peck_span id = peck_dataset_doc_id(d, i);

            assert_true(d->label[i] >= 0 && d->label[i] <= 0.6101f);
            has_fraction |= d->label[i] > 0 && d->label[i] < 1;
            assert_true(id.n > 10 && memcmp(id.s, "url = http", 10) == 0);
        }
        assert_true(has_fraction);
        for (size_t q = 0; q < d->n_queries; q++)
            assert_true(d->query_weight[q] > 0);
        peck_dataset_free(d);
    }
}

/* Whatever the number of threads. */
static void threads_do_not_change_a_real_file(void **state)
{
    (void)state;
    peck_dataset *const one =
        load("mslr-sample/train.txt.gz", (peck_read_options){ .threads = 1 });

    for (int threads = 2; threads <= 5; threads++) {
        peck_dataset *const d =
            load("mslr-sample/train.txt.gz", (peck_read_options){ .threads = threads });

        assert_same_dataset(one, d);
        peck_dataset_free(d);
    }
    peck_dataset_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mq2008_is_as_described),
        cmocka_unit_test(mq2008_is_scaled_and_has_document_ids),
        cmocka_unit_test(ohsumed_is_as_described),
        cmocka_unit_test(ohsumed_letor2_is_as_described),
        cmocka_unit_test(mslr_sample_is_as_described),
        cmocka_unit_test(mslr_sample_s_features_have_names),
        cmocka_unit_test(lightgbm_rank_is_the_same_with_sizes_and_with_qids),
        cmocka_unit_test(regression_sets_are_one_long_list_each),
        cmocka_unit_test(yandex_pairs_have_real_labels_and_urls),
        cmocka_unit_test(threads_do_not_change_a_real_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
