/* test_frank.c -- rounds of FRank by hand, and beside a slow twin. */
#include "model/stumps.h"

#include "base/rng.h"
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

/* All pairs weigh the same before the first round: a step of 1/2 ln 3, and a loss of
 * 1 - (1/2)^(1/2) for each of the four.  Then three are right by it, one is wrong. */
static void a_round_takes_half_the_logarithm_of_right_to_wrong(void **state)
{
    static const double shrinkage[] = { 1.0, 0.25 };

    (void)state;
    for (size_t k = 0; k < N_OF(shrinkage); k++) {
        char shrunk[32];
        const char *const settings[] = { "norm=none", shrunk, NULL };
        struct peck_dataset *const d = four_pairs();
        struct learner_fixture f;

        snprintf(shrunk, sizeof shrunk, "shrinkage=%g", shrinkage[k]);
        fixture_open(&f, "frank", settings, d, NULL, 1);
        const float *const w = f.setup.w;
        const double step = shrinkage[k] * 0.5 * log(3.0);
        struct epoch_stats now = fixture_epoch(&f);

        assert_true(fabs(now.loss - 4.0 * (1.0 - sqrt(0.5))) < 1e-6);
        assert_true(w[STUMP_FEATURE] == 0.0f);
        assert_true(w[STUMP_THRESHOLD] >= 0.0f && w[STUMP_THRESHOLD] < 1.0f);
        assert_true(fabs((double)w[STUMP_HEIGHT] - step) < 1e-5);
        assert_true(fabs(now.rate - step) < 1e-5 && !now.is_last);
        now = fixture_epoch(&f);
        const double right = 1.0 - 1.0 / sqrt(1.0 + exp(-step));
        const double wrong = 1.0 - 1.0 / sqrt(1.0 + exp(step));

        assert_true(fabs(now.loss - (3.0 * right + wrong)) < 1e-6);
        fixture_close(&f);
        peck_dataset_free(d);
    }
}

/* A side that is empty counts a millionth. */
static void a_step_that_errs_nowhere_is_not_infinite(void **state)
{
    static const float x[] = { 1, 0 }, label[] = { 1, 0 };
    static const uint32_t size = 2;
    struct peck_dataset *d = NULL;
    struct learner_fixture f;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 2, 1, label, &size, 1, &err), err);
    fixture_open(&f, "frank", (const char *const[]){ "norm=none", "shrinkage=1", NULL }, d,
                 NULL, 1);
    (void)fixture_epoch(&f);
    assert_true(fabs((double)f.setup.w[STUMP_HEIGHT] - 0.5 * log(1000001.0)) < 1e-5);
    fixture_close(&f);
    peck_dataset_free(d);
}

static double height_at(const float *w, size_t n_steps, const float *x)
{
    double sum = 0.0;

    for (size_t k = 0; k < n_steps; k++, w += STUMP_WEIGHTS)
        if (w[STUMP_HEIGHT] != 0.0f && x[(size_t)w[STUMP_FEATURE]] > w[STUMP_THRESHOLD])
            sum += (double)w[STUMP_HEIGHT];
    return sum;
}

/* After n_steps steps, pair by pair: the loss, and what a step [x_f > at] sets right and
 * wrong. */
struct slow_sides {
    double loss, right, wrong;
};

static struct slow_sides slow_sides(const struct peck_dataset *d, const float *w,
                                    size_t n_steps, bool by_queries, size_t f, float at)
{
    struct slow_sides all = { 0.0, 0.0, 0.0 };

    for (size_t q = 0; q < d->n_queries; q++) {
        struct slow_sides own = { 0.0, 0.0, 0.0 };
        double n_pairs = 0.0;

        for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
            for (size_t j = d->start[q]; j < d->start[q + 1]; j++)
                if (d->label[i] > d->label[j]) {
                    const float *const a = dataset_row(d, i), *const b = dataset_row(d, j);
                    const double o = height_at(w, n_steps, a) - height_at(w, n_steps, b);
                    const double p = 1.0 / (1.0 + exp(-o));
                    const double weight = 0.5 * sqrt(p) * (1.0 - p); /* -dF/do */

                    n_pairs++;
                    own.loss += 1.0 - sqrt(p);
                    own.right += a[f] > at && !(b[f] > at) ? weight : 0.0;
                    own.wrong += b[f] > at && !(a[f] > at) ? weight : 0.0;
                }
        if (n_pairs > 0.0) {
            const double share =
                (d->query_weight != NULL ? (double)d->query_weight[q] : 1.0) /
                (by_queries ? n_pairs : 1.0);

            all.loss += share * own.loss;
            all.right += share * own.right;
            all.wrong += share * own.wrong;
        }
    }
    return all;
}

/* The step taken is the one that leans most, of the height that its sides ask for; also where
 * preferences say what the labels do, and pairs are listed, more than are taken at a time. */
static void rounds_equal_those_of_a_slow_twin(void **state)
{
    static const struct task_sample sample = {
        .n_queries = 4, .max_docs = 40, .dim = 3, .noise = 1.0
    };
    struct peck_dataset *const d = task_dataset(&sample, 3);

    (void)state;
    for (int way = 0; way < 4; way++) {
        const bool by_queries = way & 1, is_told = way & 2;
        const char *const settings[] = { "norm=none", "shrinkage=1",
                                         by_queries ? "balance=queries" : "balance=pairs",
                                         NULL };
        struct peck_prefs *const prefs = is_told ? prefs_of_labels(d, 1) : NULL;
        struct learner_fixture f;

        fixture_open_prefs(&f, "frank", settings, d, prefs, 1);
        for (size_t round = 0; round < 6; round++) {
            const float *const w = f.setup.w, *const step = w + round * STUMP_WEIGHTS;
            const struct epoch_stats now = fixture_epoch(&f);
            const struct slow_sides taken =
                slow_sides(d, w, round, by_queries, (size_t)step[STUMP_FEATURE],
                           step[STUMP_THRESHOLD]);
            const double little = 1e-6 * (taken.right + taken.wrong);
            double most = 0.0;

            for (size_t c = 0; c < d->dim; c++)
                for (size_t i = 0; i < d->n_docs; i++) {
                    const struct slow_sides s =
                        slow_sides(d, w, round, by_queries, c, dataset_row(d, i)[c]);

                    most = fmax(most, fabs(s.right - s.wrong));
                }
            assert_true(fabs(now.loss - taken.loss) < 1e-5 * taken.loss);
            assert_true(fabs(taken.right - taken.wrong) > most * (1.0 - 1e-4));
            assert_true(fabs((double)step[STUMP_HEIGHT] -
                             0.5 * log((taken.right + little) / (taken.wrong + little))) <
                        1e-3);
        }
        fixture_close(&f);
        peck_prefs_free(prefs);
    }
    peck_dataset_free(d);
}

/* Drawn pairs weigh as much as all of their query: before the first round the loss of a query
 * is that of one pair, whichever were drawn. */
static void drawn_pairs_stand_for_all(void **state)
{
    static const struct task_sample sample = { .n_queries = 5, .max_docs = 40, .dim = 2 };
    static const char *const how[] = { "pairs=sampled", "sample_over=10" };
    struct peck_dataset *const d = task_dataset(&sample, 8);

    (void)state;
    for (size_t k = 0; k < N_OF(how); k++) {
        const char *const settings[] = { "norm=none", how[k], "sample=30",
                                         "balance=queries", NULL };
        struct learner_fixture f;

        fixture_open(&f, "frank", settings, d, NULL, 1);
        assert_int_equal(f.setup.train_data.train_set->max_sampled, 30);
        assert_true(fabs(fixture_epoch(&f).loss - 5.0 * (1.0 - sqrt(0.5))) < 1e-5);
        fixture_close(&f);
    }
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_takes_half_the_logarithm_of_right_to_wrong),
        cmocka_unit_test(a_step_that_errs_nowhere_is_not_infinite),
        cmocka_unit_test(rounds_equal_those_of_a_slow_twin),
        cmocka_unit_test(drawn_pairs_stand_for_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
