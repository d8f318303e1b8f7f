/* test_ranksvm.c -- sums over pairs against going through all pairs, and the minimum
 * against its derivative.                                                            */
#include "learn/hinge.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 5 };
static const struct task_sample sample = {
    .n_queries = 12, .max_docs = 17, .dim = DIM, .noise = 1.0
};

/* The slow twin: visits every pair of a query, from the training set. */
struct twin {
    const struct train_set *l;
    const struct hinge_rule *rule;
    const double *s; /* scores */
    const double *t; /* what is multiplied; NULL: the slope is wanted */
    double *out;     /* n_docs */
    double loss;
};

static void visit(struct twin *w, size_t i, size_t j, double weight)
{
    const double d = w->s[i] - w->s[j];

    if (d >= 1.0)
        return;
    w->loss += weight * (1.0 - d) * (1.0 - d);
    const double pull =
        w->t != NULL ? 2.0 * weight * (w->t[i] - w->t[j]) : -2.0 * weight * (1.0 - d);

    w->out[i] += pull;
    w->out[j] -= pull;
}

static bool counts(const struct twin *w, size_t i, size_t j)
{
    const float *const grade = w->rule->grade;

    return grade == NULL || (w->l->label[i] == grade[0] && w->l->label[j] == grade[1]);
}

static void run_twin(struct twin *w, bool is_by_query)
{
    const struct train_set *const l = w->l;

    for (size_t q = 0; q < l->n_queries; q++) {
        const size_t first = l->start[q];
        const double share = (l->weight != NULL ? (double)l->weight[q] : 1.0) /
                             (is_by_query ? l->plan[q].n_all : 1.0);

        for (size_t i = 0; l->below != NULL && i < l->plan[q].n_ranked; i++)
            for (size_t j = l->below[first + i]; j < l->until[first + i]; j++)
                if (counts(w, first + i, first + j))
                    visit(w, first + i, first + j,
                          share * (l->doc_weight != NULL
                                       ? (double)l->doc_weight[first + i] *
                                             (double)l->doc_weight[first + j]
                                       : 1.0));
        for (size_t k = l->pair_start != NULL ? l->pair_start[q] : 0;
             l->pair_start != NULL && k < l->pair_start[q + 1]; k++) {
            const struct pair *const p = &l->pair[k];
            const double weight = share * (double)p->weight;

            visit(w, first + p->i, first + p->j, weight * (double)p->probability);
            visit(w, first + p->j, first + p->i, weight * (1.0 - (double)p->probability));
        }
    }
}

static void assert_near(const float *found, const double *wanted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)found[i] - wanted[i]) <= 1e-4 * (1.0 + fabs(wanted[i]))))
            fail_msg("place %zu: %.9g, but %.9g pair by pair", i, (double)found[i],
                     wanted[i]);
}

/* Loss, slope and bend at random scores, some of them equal and some a margin apart. */
static void compare(const struct train_set *l, const struct hinge_rule *rule)
{
    struct hinge h = { 0 };
    struct pool *pool = NULL;
    peck_error err = { 0 };
    struct rng r;
    const size_t n = l->n_docs;
    float *const s = calloc(n, sizeof *s), *const t = calloc(n, sizeof *t);
    float *const out = calloc(n, sizeof *out);
    double *const sd = calloc(n, sizeof *sd), *const td = calloc(n, sizeof *td);
    double *const wanted = calloc(n, sizeof *wanted);

    rng_seed(&r, 3, 3);
    for (size_t i = 0; i < n; i++) {
        s[i] = (float)(rng_below(&r, 4) == 0 ? (double)rng_below(&r, 3) : rng_normal(&r));
        t[i] = (float)rng_normal(&r);
        sd[i] = (double)s[i];
        td[i] = (double)t[i];
    }
    assert_ok(pool_new(&pool, 2, &err), err);
    assert_ok(hinge_open(&h, l, rule, pool, &err), err);
    hinge_gradient(&h, s, out);
    const double loss = hinge_loss(&h);
    struct twin twin = { .l = l, .rule = rule, .s = sd, .out = wanted };

    run_twin(&twin, rule->is_by_query);
    assert_true(twin.loss > 0.0);
    assert_true(fabs(loss - twin.loss) <= 1e-9 * twin.loss);
    assert_near(out, wanted, n);
    memset(wanted, 0, n * sizeof *wanted);
    twin.t = td;
    run_twin(&twin, rule->is_by_query);
    hinge_bend(&h, t, out);
    assert_near(out, wanted, n);
    hinge_close(&h);
    pool_free(pool);
    free(s), free(t), free(out), free(sd), free(td), free(wanted);
}

static void sums_are_those_of_all_pairs(void **state)
{
    static const float grades[][2] = { { 2, 0 }, { 1, 0 }, { 2, 1 } };
    const char *const settings[][3] = { { NULL },
                                        { "pairs=adjacent", NULL },
                                        { "unlabelled=1", NULL },
                                        { "binarise=1", NULL } };
    struct peck_dataset *const d = task_dataset(&sample, 1);

    (void)state;
    for (size_t i = 0; i < d->n_docs; i += 5)
        d->label[i] = PECK_UNJUDGED;
    for (size_t k = 0; k < N_OF(settings); k++) {
        struct train_setup c;

        train_setup_open(&c, "ranksvm", settings[k], d, NULL, NULL, 1);
        compare(c.train_data.train_set, &(struct hinge_rule){ .is_by_query = false });
        compare(c.train_data.train_set, &(struct hinge_rule){ .is_by_query = true });
        for (size_t g = 0; k == 0 && g < N_OF(grades); g++)
            compare(c.train_data.train_set, &(struct hinge_rule){ .grade = grades[g] });
        train_setup_close(&c);
    }
    peck_dataset_free(d);
}

static void many_different_labels_are_fine(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 2);
    struct train_setup c;
    struct rng r;

    (void)state;
    rng_seed(&r, 4, 4);
    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = (float)rng_uniform(&r);
    train_setup_open(&c, "ranksvm", NULL, d, NULL, NULL, 1);
    compare(c.train_data.train_set, &(struct hinge_rule){ .is_by_query = false });
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void weights_of_documents_and_queries_count(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 3);
    struct train_setup c;

    (void)state;
    d->doc_weight = calloc(d->n_docs, sizeof *d->doc_weight);
    d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
    for (size_t i = 0; i < d->n_docs; i++)
        d->doc_weight[i] = (float)(1 + i % 4) / 2;
    for (size_t q = 0; q < d->n_queries; q++)
        d->query_weight[q] = (float)(1 + q % 3);
    train_setup_open(&c, "ranksvm", NULL, d, NULL, NULL, 1);
    compare(c.train_data.train_set, &(struct hinge_rule){ .is_by_query = false });
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void preferences_count_by_their_probability(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct peck_prefs *const prefs = prefs_of_labels(d, 5);
    struct train_setup c;

    (void)state;
    for (size_t i = 0; i < prefs->n; i += 3)
        prefs->pref[i].probability = 0.7f;
    train_setup_open_prefs(&c, "ranksvm", NULL, d, prefs, NULL, NULL, 1);
    compare(c.train_data.train_set, &(struct hinge_rule){ .is_by_query = false });
    train_setup_close(&c);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

/* |w + C dL/dw| at w, over |C dL/dw| at 0: pair by pair, in double. */
static double steepness(const struct train_data *c, const float *w, double weight)
{
    const struct train_set *const l = c->train_set;
    const struct hinge_rule rule = { 0 };
    double *const s = calloc(l->n_docs, sizeof *s), *const g = calloc(l->n_docs, sizeof *g);
    double norm[2] = { 0.0, 0.0 };

    for (int at_zero = 0; at_zero < 2; at_zero++) {
        memset(g, 0, l->n_docs * sizeof *g);
        for (size_t i = 0; i < l->n_docs; i++) {
            s[i] = 0.0;
            for (size_t j = 0; j < DIM && !at_zero; j++)
                s[i] += (double)w[j] * (double)c->x[i * DIM + j];
        }
        run_twin(&(struct twin){ .l = l, .rule = &rule, .s = s, .out = g }, false);
        for (size_t j = 0; j < DIM; j++) {
            double sum = at_zero ? 0.0 : (double)w[j];

            for (size_t i = 0; i < l->n_docs; i++)
                sum += weight * g[i] * (double)c->x[i * DIM + j];
            norm[at_zero] += sum * sum;
        }
    }
    free(s), free(g);
    return sqrt(norm[0] / norm[1]);
}

static void the_minimum_is_found_for_any_c(void **state)
{
    /* the last two on features in a unit 1e5 times as large: 0.01 and 1 of the others */
    const char *const c[] = { "c=1e-5", "c=0.01", "c=1", "c=100", "c=1e8", "c=1e10" };
    struct peck_dataset *const d = task_dataset(&sample, 6);

    (void)state;
    for (size_t k = 0; k < N_OF(c); k++) {
        for (size_t i = 0; k == 4 && i < d->n_docs * DIM; i++)
            d->x_owned[i] *= 1e-5f;
        const char *const settings[] = { "norm=none", c[k], NULL };
        struct learner_fixture p;

        fixture_open(&p, "ranksvm", settings, d, NULL, 1);
        assert_int_equal(p.stopping.n_epochs, 1);
        const struct epoch_stats stats = fixture_epoch(&p);
        const double left = steepness(&p.setup.train_data, p.setup.w, stats.rate);

        if (!(left <= 2e-3))
            fail_msg("%s: %g of the first slope is left", c[k], left);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

/* Features of units far apart, where the first steps promise more than they bring. */
static void the_minimum_is_found_whatever_the_units(void **state)
{
    const char *const c[] = { "c=1", "c=1e3", "c=1e6" };
    struct peck_dataset *const d = task_dataset(&sample, 6);

    (void)state;
    for (size_t i = 0; i < d->n_docs * DIM; i++)
        d->x_owned[i] *= powf(10.0f, (float)(i % DIM) - 2.0f);
    for (size_t k = 0; k < N_OF(c); k++) {
        const char *const settings[] = { "norm=none", c[k], NULL };
        struct learner_fixture p;

        fixture_open(&p, "ranksvm", settings, d, NULL, 1);
        const struct epoch_stats stats = fixture_epoch(&p);
        const double left = steepness(&p.setup.train_data, p.setup.w, stats.rate);

        if (!(left <= 2e-3))
            fail_msg("%s: %g of the first slope is left", c[k], left);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

static void pairs_of_equal_labels_are_refused(void **state)
{
    const char *const settings[] = { "ties=1", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 7);
    peck_model *m = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(
        peck_train(
            &m, &(peck_train_spec){ .method = "ranksvm", .train = d, .settings = settings },
            &err),
        PECK_ARG);
    assert_failed(err, PECK_ARG, "ties=1");
    assert_null(m);
    peck_dataset_free(d);
}

/* A plane for every two of the grades 0, 1 and 2, the last of which stands behind a document
 * that nobody judged. */
static void unjudged_documents_hide_no_grade(void **state)
{
    const uint32_t size[] = { 3, 3 };
    const float label[] = { 0, 1, PECK_UNJUDGED, 2, 1, 0 };
    struct peck_dataset *const d = task_of(size, 2, DIM, label, 8);
    struct learner_fixture p;
    size_t n_planes = 0;

    (void)state;
    fixture_open(&p, "mhr-bc", NULL, d, NULL, 1);
    fixture_epoch(&p);
    const size_t most = p.setup.plan.n_weights / (DIM + 1);

    for (size_t k = 0; k < most; k++)
        n_planes += p.setup.w[DIM * most + k] > 0.0f; /* how much a plane counts */
    assert_int_equal(n_planes, 3);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* Grades 0 and 1 never meet: the planes between the others are found all the same. */
static void grades_that_never_meet_hide_no_plane(void **state)
{
    const uint32_t size[] = { 6, 6 };
    const float label[] = { 0, 2, 0, 2, 0, 2, 1, 2, 1, 2, 1, 2 };
    struct peck_dataset *const d = task_of(size, 2, DIM, label, 8);
    struct learner_fixture p;
    size_t n_planes = 0;

    (void)state;
    fixture_open(&p, "mhr-bc", NULL, d, NULL, 1);
    fixture_epoch(&p);
    const size_t most = p.setup.plan.n_weights / (DIM + 1);

    for (size_t k = 0; k < most; k++) {
        double square = 0.0;

        for (size_t j = 0; j < DIM; j++)
            square += (double)p.setup.w[j * most + k] * (double)p.setup.w[j * most + k];
        n_planes += square > 0.0;
    }
    assert_int_equal(n_planes, 2);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* Next to no weight costs a pair (1 - 0)^2, and the planes' costs are averaged: 1, however
 * many planes and pairs there are. */
static void the_loss_of_nothing_learnt_is_1(void **state)
{
    static const char *const names[] = { "mhr-bc", "ranksvm" };
    const char *const settings[] = { "norm=none", "c=1e-12", NULL };
    struct peck_dataset *const d =
        task_dataset(&sample, 1); /* three grades: three planes */

    (void)state;
    for (size_t k = 0; k < N_OF(names); k++) {
        struct learner_fixture p;

        fixture_open(&p, names[k], settings, d, NULL, 1);
        const double loss = fixture_epoch(&p).loss;

        if (!(fabs(loss - 1.0) < 1e-3))
            fail_msg("%s: %g", names[k], loss);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_all_pairs),
        cmocka_unit_test(many_different_labels_are_fine),
        cmocka_unit_test(weights_of_documents_and_queries_count),
        cmocka_unit_test(preferences_count_by_their_probability),
        cmocka_unit_test(the_minimum_is_found_for_any_c),
        cmocka_unit_test(the_minimum_is_found_whatever_the_units),
        cmocka_unit_test(pairs_of_equal_labels_are_refused),
        cmocka_unit_test(unjudged_documents_hide_no_grade),
        cmocka_unit_test(the_loss_of_nothing_learnt_is_1),
        cmocka_unit_test(grades_that_never_meet_hide_no_plane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
