/* test_rankboost.c -- rounds of RankBoost by hand. */
#include "model/stumps.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

/* Pairs of documents, the better one first.  Feature 1 is right about three pairs of four,
 * feature 2 about none: it does not vary. */
static struct peck_dataset *four_pairs(void)
{
    static const float x[] = { 1, 5, 0, 5, 1, 5, 0, 5, 1, 5, 0, 5, 0, 5, 1, 5 };
    static const float label[] = { 1, 0, 1, 0, 1, 0, 1, 0 };
    static const uint32_t size[] = { 2, 2, 2, 2 };
    struct peck_dataset *d = NULL;
    peck_error err = { 0 };

    assert_ok(peck_dataset_wrap(&d, x, 8, 2, label, size, 4, &err), err);
    return d;
}

/* r = (3 - 1) / 4, and a step of 1/2 ln((1 + r) / (1 - r)) = 1/2 ln 3.  Then the three pairs
 * weigh 3^-1/2 each and the fourth 3^1/2, as much as they do together: the same step again
 * would be of height 0. */
static void a_round_takes_the_height_that_leaves_nothing(void **state)
{
    static const double shrinkage[] = { 1.0, 0.25 };

    (void)state;
    for (size_t k = 0; k < N_OF(shrinkage); k++) {
        char shrunk[32];
        const char *const settings[] = { "norm=none", shrunk, NULL };
        struct peck_dataset *const d = four_pairs();
        struct learner_fixture f;

        snprintf(shrunk, sizeof shrunk, "shrinkage=%g", shrinkage[k]);
        fixture_open(&f, "rankboost", settings, d, NULL, 1);
        const float *const w = f.setup.w;
        const double step = shrinkage[k] * 0.5 * log(3.0);
        struct epoch_stats now = fixture_epoch(&f);

        assert_true(fabs(fabs(now.rate) - 0.5) < 1e-6);
        assert_true(w[STUMP_FEATURE] == 0.0f);
        assert_true(fabs(fabs((double)w[STUMP_HEIGHT]) - step) < 1e-6);
        now = fixture_epoch(&f);
        const double right = 3.0 * exp(-step), wrong = exp(step);

        assert_true(fabs(fabs(now.rate) - (right - wrong) / (right + wrong)) < 1e-6);
        fixture_close(&f);
        peck_dataset_free(d);
    }
}

/* Documents of a sample: their heights so far, and the weight of each pair. */
static double height_at(const float *w, size_t n_steps, const float *x)
{
    double sum = 0.0;

    for (size_t k = 0; k < n_steps; k++, w += STUMP_WEIGHTS)
        if (w[STUMP_HEIGHT] != 0.0f && x[(size_t)w[STUMP_FEATURE]] > w[STUMP_THRESHOLD])
            sum += (double)w[STUMP_HEIGHT];
    return sum;
}

/* The largest |r| of any step, and the sum of all weights, pair by pair. */
static double slow_rate(const struct peck_dataset *d, const float *w, size_t n_steps,
                        bool by_queries, double *all)
{
    double best = 0.0;

    for (size_t f = 0; f < d->dim; f++)
        for (size_t at = 0; at < d->n_docs; at++) {
            double r = 0.0;

            *all = 0.0;
            for (size_t q = 0; q < d->n_queries; q++) {
                double n_pairs = 0.0, sum = 0.0, lean = 0.0;

                for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
                    for (size_t j = d->start[q]; j < d->start[q + 1]; j++)
                        if (d->label[i] > d->label[j]) {
                            const float *const a = dataset_row(d, i), *const b =
                                                                          dataset_row(d, j);
                            const double weight =
                                exp(height_at(w, n_steps, b) - height_at(w, n_steps, a));
                            const float t = dataset_row(d, at)[f];

                            n_pairs++;
                            sum += weight;
                            lean += weight * ((a[f] > t) - (b[f] > t));
                        }
                if (n_pairs > 0.0) {
                    *all += sum / (by_queries ? n_pairs : 1.0);
                    r += lean / (by_queries ? n_pairs : 1.0);
                }
            }
            best = fmax(best, fabs(r / *all));
        }
    return best;
}

/* Also where preferences say what the labels do. */
static void rounds_equal_those_of_a_slow_twin(void **state)
{
    static const struct task_sample sample = {
        .n_queries = 4, .max_docs = 6, .dim = 3, .noise = 1.0
    };
    struct peck_dataset *const d = task_dataset(&sample, 3);

    (void)state;
    for (int by_queries = 0; by_queries < 2; by_queries++) {
        const char *const settings[] = { "norm=none",
                                         by_queries ? "balance=queries" : "balance=pairs",
                                         NULL };
        struct peck_prefs *const prefs = prefs_of_labels(d, 1);
        struct learner_fixture f, told;

        fixture_open(&f, "rankboost", settings, d, NULL, 1);
        fixture_open_prefs(&told, "rankboost", settings, d, prefs, 1);
        for (size_t k = 0; k < 4; k++) {
            double all = 0.0;
            const double r = slow_rate(d, f.setup.w, k, by_queries, &all);
            const struct epoch_stats now = fixture_epoch(&f), same = fixture_epoch(&told);

            assert_true(fabs(fabs(now.rate) - r) < 1e-5);
            assert_true(fabs(now.loss - all) < 1e-5 * all);
            assert_true(fabs(now.rate - same.rate) < 1e-5);
            assert_true(fabs(now.loss - same.loss) < 1e-5 * all);
        }
        fixture_close(&f);
        fixture_close(&told);
        peck_prefs_free(prefs);
    }
    peck_dataset_free(d);
}

/* A feature that is always right has r = 1, whose height has no end: r is taken as
 * 1 - 10^-6. */
static void a_perfect_step_has_a_height_too(void **state)
{
    static const float x[] = { 1, 0 }, label[] = { 1, 0, 1 };
    const char *const settings[] = { "norm=none", "shrinkage=1", NULL };
    const uint32_t n = 2;
    peck_error err = { 0 };

    (void)state;
    for (size_t k = 0; k < 2; k++) { /* the better one has more of it, or less */
        struct peck_dataset *d = NULL;
        struct learner_fixture f;

        assert_ok(peck_dataset_wrap(&d, x, 2, 1, label + k, &n, 1, &err), err);
        fixture_open(&f, "rankboost", settings, d, NULL, 1);
        const struct epoch_stats now = fixture_epoch(&f);
        const double sign = k == 0 ? 1.0 : -1.0;

        assert_true(now.rate == sign && now.loss == 1.0);
        assert_true(fabs((double)f.setup.w[STUMP_HEIGHT] -
                         sign * 0.5 * log((2.0 - 1e-6) / 1e-6)) < 1e-5);
        fixture_close(&f);
        peck_dataset_free(d);
    }
}

/* Both documents of the second query lie between those of the first, and cancel. */
static void of_equal_steps_the_highest_is_taken(void **state)
{
    static const float x[] = { 2, 0, 1, 1 }, label[] = { 1, 0, 1, 0 };
    static const uint32_t size[] = { 2, 2 };
    struct peck_dataset *d = NULL;
    struct learner_fixture f;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 4, 1, label, size, 2, &err), err);
    fixture_open(&f, "rankboost", (const char *const[]){ "norm=none", NULL }, d, NULL, 1);
    (void)fixture_epoch(&f);
    assert_true(f.setup.w[STUMP_THRESHOLD] == 1.5f);
    fixture_close(&f);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_takes_the_height_that_leaves_nothing),
        cmocka_unit_test(rounds_equal_those_of_a_slow_twin),
        cmocka_unit_test(of_equal_steps_the_highest_is_taken),
        cmocka_unit_test(a_perfect_step_has_a_height_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
