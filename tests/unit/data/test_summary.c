/* test_summary.c -- the fast summary equals a slow, obvious one, and counts by hand. */
#include "base/alloc.h"
#include "base/rng.h"
#include "data/summary.h"
#include "support/scratch.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct peck_dataset *load(const char *text)
{
    struct peck_dataset *d = NULL;
    peck_error err = { 0 };

    if (peck_dataset_read(&d, scratch_file("d.txt", text), NULL, &err) != PECK_OK)
        fail_msg("%s", err.text);
    return d;
}

static void summarise(struct summary *s, const struct peck_dataset *d, int threads)
{
    struct pool *pool;

    assert_int_equal(pool_new(&pool, threads, NULL), PECK_OK);
    assert_int_equal(summary_make(s, d, pool, NULL), PECK_OK);
    pool_free(pool);
}

static void lists_and_labels_are_counted(void **state)
{
    struct peck_dataset *const d = load("0 qid:a 1:1\n0 qid:a 1:2\n" /* nothing relevant */
                                        "2 qid:b 1:1\n"              /* one label */
                                        "? qid:e 1:1\n0 qid:e 1:1\n" /* and nobody knows */
                                        "? qid:c 1:1\n? qid:c 1:2\n? qid:c 1:3\n"
                                        "1 qid:d 1:1\n0.5 qid:d 1:2\n? qid:d 1:3\n"
                                        "0 qid:d 1:4\n");
    struct summary s;

    (void)state;
    summarise(&s, d, 1);
    assert_int_equal(s.n_unjudged_queries, 1);
    assert_int_equal(s.n_irrelevant, 2);
    assert_int_equal(s.n_single_label, 3);
    assert_int_equal(s.n_short, 5);
    assert_int_equal(s.shortest, 1);
    assert_int_equal(s.longest, 4);
    assert_true(s.median_length == 2.0 && s.mean_length == 2.4);
    assert_int_equal(s.n_labels, 4);
    assert_true(s.label[0] == 0 && s.label[1] == 0.5f && s.label[2] == 1 &&
                s.label[3] == 2);
    assert_int_equal(s.label_count[0], 4);
    assert_int_equal(s.label_count[3], 1);
    summary_free(&s);
    peck_dataset_free(d);
}

static void many_labels_give_quantiles(void **state)
{
    char text[4096], *p = text;
    struct summary s;

    (void)state;
    for (int i = 100; i >= 0; i--)
        p += snprintf(p, 64, "%d.5 qid:1 1:1\n%s", i, i == 60 ? "? qid:1 1:1\n" : "");
    struct peck_dataset *const d = load(text);

    summarise(&s, d, 1);
    assert_int_equal(s.n_labels, 0);
    for (size_t k = 0; k < 5; k++)
        assert_true(s.label_quantile[k] == 25.0f * (float)k + 0.5f);
    summary_free(&s);
    peck_dataset_free(d);
}

static void one_label_beside_the_unjudged_is_one_label(void **state)
{
    struct peck_dataset *const d = load("2 qid:1 1:1\n? qid:1 1:2\n");
    struct summary s;

    (void)state;
    summarise(&s, d, 1);
    assert_int_equal(s.n_single_label, 1);
    assert_int_equal(s.n_unjudged_queries, 0);
    summary_free(&s);
    peck_dataset_free(d);
}

static void nobody_judged_is_no_label(void **state)
{
    struct peck_dataset *const d = load("? qid:1 1:1\n");
    struct summary s;

    (void)state;
    summarise(&s, d, 1);
    assert_int_equal(s.n_labels, 0);
    assert_int_equal(s.n_unjudged_queries, 1);
    summary_free(&s);
    peck_dataset_free(d);
}

/* Columns: 1 varies, 2 constant, 3 = 1, 4 varies, 5 constant, 6 = 4, 7 = 1. */
static void constant_and_equal_features_are_found(void **state)
{
    struct peck_dataset *const d = load("0 qid:1 1:1 2:5 3:1 4:-3 5:0 6:-3 7:1\n"
                                        "1 qid:1 1:2 2:5 3:2 4:4 5:0 6:4 7:2\n"
                                        "1 qid:2 1:2 2:5 3:2 4:4 5:0 6:4 7:2\n");
    struct summary s;

    (void)state;
    summarise(&s, d, 1);
    assert_int_equal(s.n_constant, 2);
    assert_int_equal(s.n_twins, 3);
    assert_int_equal(s.feature[2].twin, 0);
    assert_int_equal(s.feature[6].twin, 0);
    assert_int_equal(s.feature[5].twin, 3);
    assert_int_equal(s.feature[3].twin, 3);
    assert_true(s.feature[3].min == -3 && s.feature[3].max == 4);
    assert_int_equal(s.n_repeated_rows, 0); /* equal rows of two queries do not count */
    summary_free(&s);
    peck_dataset_free(d);
}

static void a_range_may_lie_below_zero(void **state)
{
    struct peck_dataset *const d = load("0 qid:1 1:-3 2:3\n1 qid:1 1:-1 2:1\n");
    struct summary s;

    (void)state;
    summarise(&s, d, 1);
    assert_true(s.feature[0].min == -3 && s.feature[0].max == -1);
    assert_true(s.feature[1].min == 1 && s.feature[1].max == 3);
    summary_free(&s);
    peck_dataset_free(d);
}

/* The key of a column is the sum of its bits, each times the weight of its row: what has the
 * other row's weight for bits has the same key as its mirror image. */
static void columns_of_one_key_are_still_compared(void **state)
{
    enum { N_ROWS = 40 };
    float x[N_ROWS][2] = { { 0 } };
    const uint32_t n = N_ROWS, finite = 0x7F800000u;
    uint32_t row[2], weight[2];
    peck_dataset *d = NULL;
    peck_error err = { 0 };
    struct summary s;
    size_t n_rows = 0;

    (void)state;
    for (uint32_t r = 0; r < N_ROWS && n_rows < 2; r++) {
        row[n_rows] = r;
        weight[n_rows] = (uint32_t)mix64(1, r) | 1;
        n_rows += weight[n_rows] < finite;
    }
    assert_int_equal(n_rows, 2);
    for (size_t i = 0; i < 2; i++)
        memcpy(&x[row[i]][i], &weight[1 - i], sizeof(float));
    assert_int_equal(peck_dataset_wrap(&d, x[0], N_ROWS, 2, NULL, &n, 1, &err), PECK_OK);
    summarise(&s, d, 1);
    assert_true(s.feature[0].key == s.feature[1].key);
    assert_int_equal(s.n_twins, 0);
    assert_int_equal(s.feature[1].twin, 1);
    summary_free(&s);
    peck_dataset_free(d);
}

static void repeated_rows_count_within_their_query(void **state)
{
    struct peck_dataset *const d =
        load("0 qid:1 1:1 2:2\n1 qid:1 1:1 2:2\n2 qid:1 1:1 2:2\n"
             "0 qid:1 1:2 2:1\n0 qid:2 1:1 2:2\n0 qid:2 1:2 2:1\n"
             "0 qid:2 1:2 2:1\n");
    struct summary s;

    (void)state;
    summarise(&s, d, 1);
    assert_int_equal(s.n_repeated_rows, 3);
    summary_free(&s);
    peck_dataset_free(d);
}

/* The slow twin: every pair of columns, every pair of rows. */
static void check_slowly(const struct peck_dataset *d, const struct summary *s)
{
    size_t n_repeated = 0;

    for (size_t c = 0; c < d->dim; c++) {
        float min = FLT_MAX, max = -FLT_MAX;
        size_t twin = c;

        for (size_t r = 0; r < d->n_docs; r++) {
            min = fminf(min, d->x[r * d->dim + c]);
            max = fmaxf(max, d->x[r * d->dim + c]);
        }
        for (size_t b = 0; b < c && twin == c && min != max; b++) {
            bool is_equal = true;

            for (size_t r = 0; r < d->n_docs; r++)
                is_equal &= d->x[r * d->dim + b] == d->x[r * d->dim + c];
            twin = is_equal ? b : twin;
        }
        assert_true(s->feature[c].min == min && s->feature[c].max == max);
        assert_int_equal(s->feature[c].twin, twin);
    }
    for (size_t q = 0; q < d->n_queries; q++) {
        for (size_t r = d->start[q]; r < d->start[q + 1]; r++) {
            bool is_seen = false;

            for (size_t e = d->start[q]; e < r; e++)
                is_seen |= memcmp(d->x + e * d->dim, d->x + r * d->dim,
                                  d->dim * sizeof *d->x) == 0;
            n_repeated += is_seen;
        }
    }
    assert_int_equal(s->n_repeated_rows, n_repeated);
}

/* Small integers, so that columns, rows and constants collide often. */
static void the_slow_twin_agrees_at_any_thread_count(void **state)
{
    enum { DOCS = 3000, MOST_DIM = 40 };
    float *const x = malloc(DOCS * MOST_DIM * sizeof *x);
    float label[DOCS];
    uint32_t sizes[DOCS];

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct peck_dataset *d;
        struct summary s[2];
        struct rng rng;

        rng_seed(&rng, seed, 0);
        const size_t dim = 1 + rng_below(&rng, MOST_DIM), n = 1 + rng_below(&rng, DOCS);
        size_t n_queries = 0, left = n;

        while (left > 0) {
            const size_t k = 1 + rng_below(&rng, left < 60 ? left : 60);

            sizes[n_queries++] = (uint32_t)k;
            left -= k;
        }
        for (size_t r = 0; r < n; r++) {
            label[r] = (float)rng_below(&rng, 3);
            for (size_t c = 0; c < dim; c++)
                x[r * dim + c] = c % 5 == 4   ? x[r * dim + c - 3]
                                 : c % 7 == 3 ? 1.5f
                                              : (float)rng_below(&rng, dim < 4 ? 3 : 2);
            if (r > 0 && rng_below(&rng, 4) == 0)
                memcpy(x + r * dim, x + (r - 1) * dim, dim * sizeof *x);
        }
        assert_int_equal(peck_dataset_wrap(&d, x, n, dim, label, sizes, n_queries, NULL),
                         PECK_OK);
        for (int k = 0; k < 2; k++) {
            summarise(&s[k], d, k == 0 ? 1 : 3);
            check_slowly(d, &s[k]);
        }
        assert_memory_equal(s[0].feature, s[1].feature, dim * sizeof *s[0].feature);
        summary_free(&s[0]);
        summary_free(&s[1]);
        peck_dataset_free(d);
    }
    free(x);
}

static void a_feature_that_is_not_finite_is_told(void **state)
{
    float x[40] = { 0 }, label[2] = { 0 };
    const float bad[] = { NAN, INFINITY, -INFINITY };
    const uint32_t sizes[] = { 2 };
    struct peck_report *r;
    peck_error err;

    (void)state;
    for (size_t i = 0; i < 40; i += 13) {
        struct peck_dataset *d;
        x[i] = bad[i % 3];

        assert_int_equal(peck_dataset_wrap(&d, x, 2, 20, label, sizes, 1, NULL), PECK_OK);
        assert_failure(peck_summarise(&r, d, 1, &err), &err, PECK_FORMAT, "finite");
        x[i] = FLT_MAX;
        assert_int_equal(peck_summarise(&r, d, 1, &err), PECK_OK);
        peck_report_free(r);
        peck_dataset_free(d);
        x[i] = 0;
    }
}

/* Also where arrays are not looked through before. */
static void what_is_kept_as_missing_is_no_fault(void **state)
{
    const float x[] = { 1, NAN, 2, 3 }, label[] = { 0, 1 };
    const uint32_t sizes[] = { 2 };
    const peck_arrays arrays = { .x = x,
                                 .n_docs = 2,
                                 .n_features = 2,
                                 .label = label,
                                 .docs_in_query = sizes,
                                 .n_queries = 1,
                                 .keep_missing = 1 };
    struct peck_dataset *d;
    struct summary s;

    (void)state;
    assert_int_equal(peck_dataset_make(&d, &arrays, NULL), PECK_OK);
    summarise(&s, d, 1);
    summary_free(&s);
    peck_dataset_free(d);
}

static void the_report_names_what_it_counted(void **state)
{
    struct peck_dataset *d;
    struct peck_report *r;
    peck_error err;
    static char text[4096];
    const peck_read_options options = { .missing = "zero" };
    FILE *const f = tmpfile();

    (void)state;
    assert_int_equal(
        peck_dataset_read(&d,
                          scratch_file("r.txt", "0 qid:1 1:1 2:7 3:1 4:7 5:nan\n"
                                                "1 qid:1 1:2000 2:7 3:2000 4:7 "
                                                "5:0.5\n"
                                                "0 qid:2 1:2 2:7 3:2 4:7 5:0.5\n"),
                          &options, &err),
        PECK_OK);
    assert_int_equal(peck_summarise(&r, d, 2, &err), PECK_OK);
    assert_true(peck_report_value(r, "queries") == 2);
    assert_true(peck_report_value(r, "documents") == 3);
    assert_true(peck_report_value(r, "constant_features") == 2);
    assert_true(peck_report_value(r, "missing_values") == 1);
    assert_true(peck_report_value(r, "label_0") == 2);
    assert_int_equal(peck_report_write(r, f, "text", &err), PECK_OK);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    assert_non_null(strstr(text, "constant feature list      2,4\n"));
    assert_non_null(strstr(text, "duplicate feature list     3=1\n"));
    assert_non_null(strstr(text, "missing most in            5:1\n"));
    assert_non_null(strstr(text, "1 of 2 queries"));
    assert_non_null(strstr(text, "`peck train` scales"));
    fclose(f);
    peck_report_free(r);
    peck_dataset_free(d);
}

/* Counts that the data's own description gives. */
static void real_data_counts_agree(void **state)
{
    struct peck_dataset *d;
    struct peck_report *r;
    peck_error err;
    const char *path;
    double queries = 0, documents = 0, single = 0;

    (void)state;
    for (int fold = 1; fold <= 5; fold++) {
        char name[64];

        snprintf(name, sizeof name, "mq2008/Fold%d/test.txt.gz", fold);
        if ((path = real_data(name)) == NULL)
            skip();
        assert_int_equal(peck_dataset_read(&d, path, NULL, &err), PECK_OK);
        assert_int_equal(peck_summarise(&r, d, 2, &err), PECK_OK);
        queries += peck_report_value(r, "queries");
        documents += peck_report_value(r, "documents");
        single += peck_report_value(r, "queries_with_one_label");
        assert_true(peck_report_value(r, "features") == 46);
        assert_true(peck_report_value(r, "constant_features") >= 6);
        peck_report_free(r);
        peck_dataset_free(d);
    }
    assert_true(queries == 784 && documents == 15211 && single == 220);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_labels_are_counted),
        cmocka_unit_test(many_labels_give_quantiles),
        cmocka_unit_test(nobody_judged_is_no_label),
        cmocka_unit_test(one_label_beside_the_unjudged_is_one_label),
        cmocka_unit_test(constant_and_equal_features_are_found),
        cmocka_unit_test(a_range_may_lie_below_zero),
        cmocka_unit_test(columns_of_one_key_are_still_compared),
        cmocka_unit_test(repeated_rows_count_within_their_query),
        cmocka_unit_test(the_slow_twin_agrees_at_any_thread_count),
        cmocka_unit_test(a_feature_that_is_not_finite_is_told),
        cmocka_unit_test(what_is_kept_as_missing_is_no_fault),
        cmocka_unit_test(the_report_names_what_it_counted),
        cmocka_unit_test(real_data_counts_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
