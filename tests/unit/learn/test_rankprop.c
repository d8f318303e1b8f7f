/* test_rankprop.c -- new targets: as near to the scores as the labels' order allows.  The
 * source is compiled into this program, for the steps it does not show.               */
#define learner_rankprop learner_rankprop_again
#include "learn/learner_rankprop.c"

#include "support/check.h"
#include "support/train_setup.h"
#include "support/tasks.h"

enum { MAX_DOCS = 12 };

/* One query of `label`, whose net gives `score`; new targets come to r.target. */
struct lone {
    struct peck_dataset *data;
    struct train_setup setup;
    struct rankprop r;
};

static void open_lone(struct lone *l, const float *label, uint32_t n, const char *gap)
{
    const char *const settings[] = { "norm=none", gap, NULL };
    struct stopping stopping;
    peck_error err = { 0 };

    l->data = task_of(&n, 1, 2, label, 1);
    train_setup_open(&l->setup, "rankprop", settings, l->data, NULL, NULL, 1);
    l->r = (struct rankprop){ 0 };
    assert_ok(rankprop_open(&l->r, &l->setup.task, &stopping, &err), err);
}

static void close_lone(struct lone *l)
{
    rankprop_close(&l->r);
    train_setup_close(&l->setup);
    peck_dataset_free(l->data);
}

static void retarget(struct lone *l, const float *score, uint32_t n)
{
    memcpy(l->r.outputs.score, score, n * sizeof *score);
    retarget_query(&l->r, 0);
}

static void scores_in_order_stay(void **state)
{
    const float label[] = { 2, 1, 1, 0 }, score[] = { 3, 1, 1.5f, -1 };
    struct lone l;

    (void)state;
    open_lone(&l, label, 4, "gap=0.25");
    retarget(&l, score, 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(l.r.target[i] - score[i]) < 1e-6f);
    close_lone(&l);
}

static void a_swapped_pair_meets_in_the_middle(void **state)
{
    const float label[] = { 1, 0 }, score[] = { 0, 1 };
    struct lone l;

    (void)state;
    open_lone(&l, label, 2, "gap=0.2");
    retarget(&l, score, 2);
    assert_true(fabsf(l.r.target[0] - 0.6f) < 1e-6f);
    assert_true(fabsf(l.r.target[1] - 0.4f) < 1e-6f);
    close_lone(&l);
}

static bool is_allowed(const float *t, const float *label, uint32_t n, double gap)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (label[i] > label[j] && (double)t[i] < (double)t[j] + gap - 1e-5)
                return false;
    return true;
}

static double distance(const float *t, const float *s, uint32_t n)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < n; i++)
        sum += ((double)t[i] - (double)s[i]) * ((double)t[i] - (double)s[i]);
    return sum;
}

/* A convex problem: a point from which no small allowed step leads nearer is nearest. */
static void targets_are_allowed_and_nearest(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 5, 0);
    for (int round = 0; round < 60; round++) {
        const uint32_t n = 2 + (uint32_t)rng_below(&r, MAX_DOCS - 1);
        float label[MAX_DOCS], score[MAX_DOCS], moved[MAX_DOCS];
        struct lone l;

        for (uint32_t i = 0; i < n; i++) {
            label[i] = i == 0 ? 3.0f : label[i - 1] - (float)(rng_below(&r, 3) == 0);
            label[i] = label[i] < 0.0f ? 0.0f : label[i];
            score[i] = (float)rng_normal(&r);
        }
        open_lone(&l, label, n, "gap=0.3");
        retarget(&l, score, n);
        assert_true(is_allowed(l.r.target, label, n, 0.3));
        const double reached = distance(l.r.target, score, n);

        for (int attempt = 0; attempt < 2000; attempt++) {
            const float size = (float)pow(10.0, rng_between(&r, -3.0, 0.0));

            for (uint32_t i = 0; i < n; i++)
                moved[i] = l.r.target[i] + size * (float)rng_normal(&r);
            if (is_allowed(moved, label, n, 0.3 + 1e-5))
                assert_true(distance(moved, score, n) > reached - 1e-4);
        }
        close_lone(&l);
    }
}

static void targets_never_collapse(void **state)
{
    const struct task_sample sample = { .n_queries = 20, .max_docs = 10, .dim = 3 };
    const char *const settings[] = { "rate=0.01", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 2);
    struct train_setup c;
    struct rankprop r = { 0 };
    struct stopping stopping;
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };

    (void)state;
    train_setup_open(&c, "rankprop", settings, d, NULL, NULL, 1);
    assert_ok(rankprop_open(&r, &c.task, &stopping, &err), err);
    for (size_t e = 1; e <= 5; e++) {
        double squares = 0.0;

        assert_ok(rankprop_epoch(&r, e, &stats, &err), err);
        for (size_t i = 0; i < d->n_docs; i++)
            squares += (double)r.target[i] * (double)r.target[i];
        assert_true(fabs(squares / (double)d->n_docs - 1.0) < 1e-4);
    }
    rankprop_close(&r);
    train_setup_close(&c);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_in_order_stay),
        cmocka_unit_test(a_swapped_pair_meets_in_the_middle),
        cmocka_unit_test(targets_are_allowed_and_nearest),
        cmocka_unit_test(targets_never_collapse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
