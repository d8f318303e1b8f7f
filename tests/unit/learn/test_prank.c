/* test_prank.c -- perceptrons with ordered thresholds: the rule, averages, products. */
#include "learn/prank.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 4, BOUNDS = 2, STEPS = 200 };

/* The rule as the paper writes it, with the mean of w after every step beside it. */
struct twin {
    double w[32], b[BOUNDS], sum[32];
    size_t n;
};

static void twin_learn(struct twin *t, const double *x, size_t n, uint32_t grade)
{
    double s = 0.0, all = 0.0;
    double tau[BOUNDS];

    for (size_t i = 0; i < n; i++)
        s += t->w[i] * x[i];
    for (int r = 0; r < BOUNDS; r++) {
        const double side = (int)grade > r ? 1.0 : -1.0;

        tau[r] = side * (s - t->b[r]) <= 0.0 ? side : 0.0;
        all += tau[r];
    }
    for (size_t i = 0; i < n; i++)
        t->w[i] += all * x[i];
    for (int r = 0; r < BOUNDS; r++)
        t->b[r] -= tau[r];
    for (size_t i = 0; i < n; i++)
        t->sum[i] += t->w[i];
    t->n++;
}

/* The features, then all products of two, as the weights lie. */
static size_t expand(const float *x, bool is_quadratic, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < DIM; i++)
        out[n++] = (double)x[i];
    for (size_t i = 0; is_quadratic && i < DIM; i++)
        for (size_t j = i; j < DIM; j++)
            out[n++] = (double)x[i] * (double)x[j];
    return n;
}

static void compare(enum kernel kernel)
{
    const struct poly shape = { .kernel = kernel, .dim = DIM };
    double *const block = calloc(prank_size(&shape, BOUNDS), sizeof *block);
    struct prank p = prank_in(block, &shape, BOUNDS);
    struct twin t = { 0 };
    struct rng r;
    double mean[32] = { 0 };

    rng_seed(&r, 1, 1);
    for (int step = 0; step < STEPS; step++) {
        const uint32_t grade = (uint32_t)rng_below(&r, BOUNDS + 1);
        float x[DIM];
        double all[32];

        for (size_t i = 0; i < DIM; i++)
            x[i] = (float)(rng_normal(&r) + (i == 0 ? grade : 0));
        const size_t n = expand(x, kernel == KERNEL_QUADRATIC, all);

        prank_learn(&p, x, grade, 1.0);
        twin_learn(&t, all, n, grade);
        assert_int_equal(n, p.n_weights);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(p.w[i] - t.w[i]) <= 1e-9 * (1.0 + fabs(t.w[i])));
        for (int b = 0; b < BOUNDS; b++)
            assert_true(p.b[b] == t.b[b]);
    }
    prank_add(&p, true, 1.0, mean);
    for (size_t i = 0; i < p.n_weights; i++)
        assert_true(fabs(mean[i] - t.sum[i] / STEPS) <= 1e-9 * (1.0 + fabs(mean[i])));
    free(block);
}

static void steps_and_averages_follow_the_rule(void **state)
{
    (void)state;
    compare(KERNEL_LINEAR);
    compare(KERNEL_QUADRATIC);
}

static void thresholds_stay_in_order(void **state)
{
    const struct poly shape = { .kernel = KERNEL_LINEAR, .dim = 1 };
    double block[1 + 4 + 2] = { 0 };
    struct prank p = prank_in(block, &shape, 4);
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 2);
    for (int step = 0; step < 1000; step++) {
        const float x = (float)rng_normal(&r);

        prank_learn(&p, &x, (uint32_t)rng_below(&r, 5), 1.0);
        for (int b = 1; b < 4; b++)
            assert_true(p.b[b - 1] <= p.b[b]);
    }
}

/* A product of two features decides: only the quadratic one can learn it. */
static void products_of_features_can_be_learnt(void **state)
{
    enum { QUERIES = 30, DOCS = 20 };
    const char *const settings[][3] = { { "kernel=linear", "norm=none", NULL },
                                        { "kernel=quadratic", "norm=none", NULL } };
    uint32_t size[QUERIES];
    float label[QUERIES * DOCS];
    double score[QUERIES * DOCS], right[2] = { 0.0, 0.0 };
    peck_error err = { 0 };

    (void)state;
    for (size_t q = 0; q < QUERIES; q++)
        size[q] = DOCS;
    memset(label, 0, sizeof label);
    struct peck_dataset *const d = task_of(size, QUERIES, 2, label, 3);

    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = d->x[2 * i] * d->x[2 * i + 1] > 0.2f ? 1.0f : 0.0f;
    dataset_count_labels(d);
    for (int k = 0; k < 2; k++) {
        peck_model *m = NULL;
        const peck_train_spec spec = {
            .method = "prank", .train = d, .settings = settings[k], .valid_split = -1
        };
        double n = 0.0;

        assert_ok(peck_train(&m, &spec, &err), err);
        assert_ok(peck_model_score(m, d, 1, score, &err), err);
        for (size_t i = 0; i < d->n_docs; i++)
            for (size_t j = i / DOCS * DOCS; j < (i / DOCS + 1) * DOCS; j++)
                if (d->label[i] > d->label[j]) {
                    right[k] += score[i] > score[j];
                    n++;
                }
        right[k] /= n;
        peck_model_free(m);
    }
    assert_true(right[0] < 0.7);
    assert_true(right[1] > 0.95);
    peck_dataset_free(d);
}

static void perceptrons_are_averaged(void **state)
{
    const struct task_sample sample = {
        .n_queries = 20, .max_docs = 12, .dim = DIM, .noise = 0.5
    };
    const char *const one[] = { "perceptrons=1", "average=no", NULL };
    const char *const two[] = { "perceptrons=2", "average=no", "tau=1", NULL };
    const char *const many[] = { "perceptrons=3", "average=no", "tau=0.3", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct learner_fixture a, b, c;

    (void)state;
    fixture_open(&a, "prank", one, d, NULL, 1);
    fixture_open(&b, "oap-bpm", two, d, NULL, 2);
    fixture_open(&c, "oap-bpm", many, d, NULL, 2);
    for (int epoch = 0; epoch < 3; epoch++) {
        const double all = fixture_epoch(&a).loss;

        fixture_epoch(&b);
        const double some = fixture_epoch(&c).loss;

        /* Of what it is shown, each gets about as much wrong as one that sees all. */
        assert_true(epoch > 0 || (some > 0.5 * all && some < 2.0 * all));
        /* Shown everything, both of two are the one. */
        assert_memory_equal(a.setup.w, b.setup.w, DIM * sizeof *a.setup.w);
        assert_true(memcmp(a.setup.w, c.setup.w, DIM * sizeof *a.setup.w) != 0);
    }
    fixture_close(&a);
    fixture_close(&b);
    fixture_close(&c);
    peck_dataset_free(d);
}

/* One more than are laid out at a time: two that are shown everything are the one again. */
static void the_last_document_is_shown_too(void **state)
{
    enum { DOCS = 257 };
    const char *const one[] = { "norm=none", "perceptrons=1", NULL };
    const char *const two[] = { "norm=none", "perceptrons=2", "tau=1", NULL };
    const uint32_t size = DOCS;
    float label[DOCS];
    struct learner_fixture a, b;

    (void)state;
    for (size_t i = 0; i < DOCS; i++)
        label[i] = (float)(i % 3);
    struct peck_dataset *const d = task_of(&size, 1, DIM, label, 6);

    fixture_open(&a, "prank", one, d, NULL, 1);
    fixture_open(&b, "oap-bpm", two, d, NULL, 1);
    for (int epoch = 0; epoch < 3; epoch++) {
        fixture_epoch(&a);
        fixture_epoch(&b);
        assert_memory_equal(a.setup.w, b.setup.w, DIM * sizeof *a.setup.w);
    }
    fixture_close(&a);
    fixture_close(&b);
    peck_dataset_free(d);
}

static bool always(void *ctx)
{
    ++*(int *)ctx;
    return true;
}

static void a_stop_is_heard_before_the_first_document(void **state)
{
    const struct task_sample sample = { .n_queries = 20, .max_docs = 12, .dim = DIM };
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct epoch_stats stats = { 0 };
    struct learner_fixture p;
    peck_error err = { 0 };
    int n_asked = 0;

    (void)state;
    fixture_open(&p, "prank", NULL, d, NULL, 1);
    p.setup.task.is_stopped = always;
    p.setup.task.ctx = &n_asked;
    assert_int_equal(p.setup.plan.recipe->learner->epoch(p.self, 1, &stats, &err),
                     PECK_STOPPED);
    assert_int_equal(n_asked, 1);
    for (size_t i = 0; i < DIM; i++)
        assert_true(p.setup.w[i] == 0.0f);
    fixture_close(&p);
    peck_dataset_free(d);
}

static void too_many_grades_are_refused(void **state)
{
    const struct task_sample sample = { .n_queries = 200, .max_docs = 20, .dim = 2 };
    const char *const methods[] = { "prank", "oap-bpm", "mhr-bc" };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = (float)i / 1000;
    dataset_count_labels(d);
    for (size_t k = 0; k < N_OF(methods); k++) {
        peck_model *m = NULL;
        const peck_train_spec spec = { .method = methods[k], .train = d };

        assert_int_equal(peck_train(&m, &spec, &err), PECK_SHAPE);
        assert_failed(err, PECK_SHAPE, "--binarise");
        assert_null(m);
    }
    peck_dataset_free(d);
}

/* Two queries of one judged document each: whichever comes first, a perceptron that starts at
 * 0 gets both wrong, at their weights. */
static void every_judged_document_is_shown(void **state)
{
    const char *const settings[] = { "norm=none", "average=no", NULL };
    const uint32_t size[] = { 2, 2 };
    const float label[] = { 1, PECK_UNJUDGED, 0, PECK_UNJUDGED };
    struct peck_dataset *const d = task_of(size, 2, 2, label, 1);
    struct learner_fixture p;

    (void)state;
    memcpy(d->x_owned, (const float[]){ 1, 0, 9, 9, 0, 1, 9, 9 }, 8 * sizeof(float));
    d->query_weight = calloc(2, sizeof *d->query_weight);
    d->doc_weight = calloc(4, sizeof *d->doc_weight);
    d->query_weight[0] = 2.0f;
    d->query_weight[1] = 1.0f;
    memcpy(d->doc_weight, (const float[]){ 1, 7, 0.5f, 7 }, 4 * sizeof(float));
    fixture_open(&p, "prank", settings, d, NULL, 1);
    fixture_epoch(&p);
    assert_true(p.setup.w[0] == 2.0f && p.setup.w[1] == -0.5f);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* One threshold between two labels, however many documents have the same: in any order the
 * good one and the first of the bad ones are wrong, once. */
static void equal_labels_are_one_grade(void **state)
{
    const char *const settings[] = { "norm=none", "average=no", NULL };
    const uint32_t size = 3;
    struct learner_fixture p;

    (void)state;
    for (size_t good = 0; good < 3; good++) {
        const float label[] = { good == 0, good == 1, good == 2 };
        struct peck_dataset *const d = task_of(&size, 1, 2, label, 1);

        for (size_t i = 0; i < 3; i++)
            d->x_owned[2 * i + 1] = 1.0f - (d->x_owned[2 * i] = i == good);
        fixture_open(&p, "prank", settings, d, NULL, 1);
        fixture_epoch(&p);
        assert_true(p.setup.w[0] == 1.0f && p.setup.w[1] == -1.0f);
        fixture_close(&p);
        peck_dataset_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_averages_follow_the_rule),
        cmocka_unit_test(thresholds_stay_in_order),
        cmocka_unit_test(products_of_features_can_be_learnt),
        cmocka_unit_test(perceptrons_are_averaged),
        cmocka_unit_test(the_last_document_is_shown_too),
        cmocka_unit_test(a_stop_is_heard_before_the_first_document),
        cmocka_unit_test(too_many_grades_are_refused),
        cmocka_unit_test(every_judged_document_is_shown),
        cmocka_unit_test(equal_labels_are_one_grade),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
