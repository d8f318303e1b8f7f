/* test_adarank.c -- rounds of AdaRank against its formulas, written out. */
#include "learn/train_metric.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 4, ROUNDS = 10 };
static const struct task_sample sample = {
    .n_queries = 25, .max_docs = 14, .dim = DIM, .noise = 1.0
};

/* E_q of the training queries under scores w . x. */
static void judge(struct train_metric *r, const struct train_data *c, const double *w,
                  double *e)
{
    float s[1000];

    for (size_t i = 0; i < c->train_set->n_docs; i++) {
        double sum = 0.0;

        for (size_t j = 0; j < DIM; j++)
            sum += w[j] * (double)c->x[i * DIM + j];
        s[i] = (float)sum;
    }
    (void)train_metric_judge(r, s);
    for (size_t q = 0; q < c->train_set->n_queries; q++)
        e[q] = r->value[q];
}

static double mean_of(const double *p, const double *e, size_t n)
{
    double sum = 0.0;

    for (size_t q = 0; q < n; q++)
        sum += p[q] * e[q];
    return sum;
}

/* sum_q P(q) E_q of one feature, rising or falling. */
static double worth(struct train_metric *r, const struct train_data *c, const double *p,
                    size_t f, double sign)
{
    double w[DIM] = { 0.0 }, e[64];

    w[f] = sign;
    judge(r, c, w, e);
    return mean_of(p, e, c->train_set->n_queries);
}

/* The feature, its direction and its alpha by the formulas; `last` rests. */
static void take_round(struct train_metric *r, const struct train_data *c, double *w,
                       size_t *last)
{
    const size_t n = c->train_set->n_queries;
    double p[64], e[64], all = 0.0, best = -1.0, sign = 0.0;
    size_t feature = DIM;

    judge(r, c, w, e);
    for (size_t q = 0; q < n; q++) {
        p[q] = *last == DIM ? 1.0 : exp(-e[q]);
        all += p[q];
    }
    for (size_t q = 0; q < n; q++)
        p[q] /= all;
    for (size_t k = 0; k < 2 * DIM; k++) {
        const double here = worth(r, c, p, k % DIM, k < DIM ? 1.0 : -1.0);

        if (k % DIM != *last && here > best + 1e-12) {
            best = here;
            feature = k % DIM;
            sign = k < DIM ? 1.0 : -1.0;
        }
    }
    w[feature] += sign * 0.5 * log((1.0 + best) / (1.0 - best));
    *last = feature;
}

static void rounds_follow_the_formulas(void **state)
{
    const char *const settings[] = { "rest=1", "norm=none", NULL };
    const char *const names[] = { "map", "ndcg@5" };
    struct peck_dataset *const d = task_dataset(&sample, 1);
    peck_error err = { 0 };

    (void)state;
    for (size_t m = 0; m < N_OF(names); m++) {
        struct learner_fixture p;
        struct train_metric r = { 0 };
        double w[DIM] = { 0.0 };
        size_t last = DIM;

        fixture_open(&p, "adarank", settings, d, names[m], 1);
        assert_ok(train_metric_open(&r, &p.setup.task, "valid", &err), err);
        for (int round = 0; round < ROUNDS; round++) {
            fixture_epoch(&p);
            take_round(&r, &p.setup.train_data, w, &last);
            for (size_t j = 0; j < DIM; j++)
                if (!(fabs((double)p.setup.w[j] - w[j]) <= 1e-5))
                    fail_msg("%s, round %d, feature %zu: %g, wanted %g", names[m], round, j,
                             (double)p.setup.w[j], w[j]);
        }
        train_metric_close(&r);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

static void a_feature_that_was_taken_rests(void **state)
{
    const char *const settings[] = { "rest=3", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 2);
    struct learner_fixture p;
    float before[DIM] = { 0 };
    size_t changed[ROUNDS];

    (void)state;
    fixture_open(&p, "adarank", settings, d, NULL, 1);
    for (size_t round = 0; round < ROUNDS; round++) {
        fixture_epoch(&p);
        for (size_t j = 0; j < DIM; j++)
            if (p.setup.w[j] != before[j])
                changed[round] = j;
        memcpy(before, p.setup.w, sizeof before);
        for (size_t back = 1; back <= 3 && back <= round; back++)
            assert_true(changed[round] != changed[round - back]);
    }
    fixture_close(&p);
    peck_dataset_free(d);
}

/* What is resumed has taken one feature a round, the last one too. */
static void rounds_that_were_taken_are_checked(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 2);
    struct learner_fixture p;
    peck_error err = { 0 };

    (void)state;
    fixture_open(&p, "adarank", NULL, d, NULL, 1);
    for (size_t round = 1; round <= 3; round++) {
        fixture_epoch(&p);
        const struct learner *const l = p.setup.plan.recipe->learner;

        assert_ok(l->check(p.self, round, &err), err);
        assert_int_equal(l->check(p.self, round + 1, &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, "one a round");
    }
    fixture_close(&p);
    peck_dataset_free(d);
}

static void the_metric_is_one_of_its_own(void **state)
{
    const char *const settings[] = { "metric=map", "rest=1", NULL };
    const char *const other[] = { "rest=1", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 3);
    struct learner_fixture a, b;

    (void)state;
    fixture_open(&a, "adarank", settings, d, "ndcg@10", 1);
    fixture_open(&b, "adarank", other, d, "map", 1);
    for (int round = 0; round < ROUNDS; round++) {
        fixture_epoch(&a);
        fixture_epoch(&b);
    }
    assert_memory_equal(a.setup.w, b.setup.w, DIM * sizeof *a.setup.w);
    fixture_close(&a);
    fixture_close(&b);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_follow_the_formulas),
        cmocka_unit_test(a_feature_that_was_taken_rests),
        cmocka_unit_test(rounds_that_were_taken_are_checked),
        cmocka_unit_test(the_metric_is_one_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
