/* test_settings.c -- settings of learners, each seen by what it changes. */
#include "learn/learner.h"
#include "model/forest.h"
#include "model/stumps.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 4 };
static const struct task_sample sample = {
    .n_queries = 10, .max_docs = 20, .dim = DIM, .noise = 0.5
};

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* A boosted tree asks about all of the data, and may have leaves of one document. */
#define WHOLE "query_share=1", "feature_share=1", "min_leaf=1", "leaves=40", "norm=none"

static bool is_leaf(const struct forest_node *tree, size_t i)
{
    return (size_t)tree[i].left == i;
}

/* Boosted trees ------------------------------------------------------------------------ */

static void splits_gain_more_than_min_gain(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1);
    struct learner_fixture p;
    double least = HUGE_VAL, most = 0.0;
    char setting[64];

    (void)state;
    fixture_open(&p, "mart", SETTINGS(WHOLE), d, NULL, 1);
    fixture_epoch(&p);
    const struct forest_node *const all = forest_first(p.setup.w);
    const size_t n_all = forest_nodes(all);

    for (size_t i = 0; i < n_all; i++)
        if (!is_leaf(all, i)) {
            least = fmin(least, (double)all[i].value);
            most = fmax(most, (double)all[i].value);
        }
    fixture_close(&p);
    const double bar = sqrt(least * most);

    snprintf(setting, sizeof setting, "min_gain=%.9g", bar);
    fixture_open(&p, "mart", SETTINGS(WHOLE, setting), d, NULL, 1);
    fixture_epoch(&p);
    const struct forest_node *const some = forest_first(p.setup.w);

    assert_true(forest_nodes(some) > 1 && forest_nodes(some) < n_all);
    for (size_t i = 0; i < forest_nodes(some); i++)
        assert_true(is_leaf(some, i) || (double)some[i].value > bar);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* Documents of the smallest leaf of one tree on a query of n documents. */
static size_t smallest_leaf(const char *setting, const struct peck_dataset *d)
{
    size_t count[128] = { 0 }, least = SIZE_MAX;
    struct learner_fixture p;

    fixture_open(&p, "mart", SETTINGS(WHOLE, setting), d, NULL, 1);
    fixture_epoch(&p);
    const struct forest_node *const tree = forest_first(p.setup.w);

    assert_true(forest_nodes(tree) <= N_OF(count));
    for (size_t i = 0; i < d->n_docs; i++) {
        uint32_t at = 0;

        while (!is_leaf(tree, at))
            at = forest_step(tree, at, d->x[i * DIM + (size_t)tree[at].feature]);
        count[at]++;
    }
    for (size_t i = 0; i < forest_nodes(tree); i++)
        least = is_leaf(tree, i) && count[i] < least ? count[i] : least;
    fixture_close(&p);
    return least;
}

/* The second derivative of squared error is 2 / n (1 - 1 / n) a document. */
static void leaves_weigh_at_least_min_weight(void **state)
{
    enum { N = 60 };
    const uint32_t size = N;
    const double each = 2.0 / N * (1.0 - 1.0 / N);
    float label[N];
    char setting[64];

    (void)state;
    for (size_t i = 0; i < N; i++)
        label[i] = (float)(mix64(i, 3) % 5);
    struct peck_dataset *const d = task_of(&size, 1, DIM, label, 4);

    assert_true(smallest_leaf("min_weight=0", d) < 3);
    snprintf(setting, sizeof setting, "min_weight=%.9g", 6.99 * each);
    assert_true(smallest_leaf(setting, d) == 7);
    peck_dataset_free(d);
}

/* The most thresholds that any feature is asked about with. */
static size_t most_thresholds(const char *method, const char *bins,
                              const struct peck_dataset *d)
{
    enum { MAX_FOUND = 400, QUESTIONS = 3 * DIM };
    static float found[QUESTIONS][MAX_FOUND];
    size_t n[QUESTIONS] = { 0 }, most = 0;
    struct learner_fixture p;

    fixture_open(&p, method, SETTINGS(bins, "min_leaf=1", "norm=none"), d, NULL, 1);
    for (int k = 0; k < 5; k++)
        fixture_epoch(&p);
    const struct forest_node *tree = forest_first(p.setup.w);

    for (size_t t = 0; t < forest_trees(p.setup.w); t++, tree = forest_next(tree))
        for (size_t i = 0; i < forest_nodes(tree); i++) {
            const size_t f = (size_t)tree[i].feature;
            size_t k = 0;

            while (k < n[f] && found[f][k] != tree[i].threshold)
                k++;
            if (!is_leaf(tree, i) && k == n[f] && k < MAX_FOUND)
                found[f][n[f]++] = tree[i].threshold;
            most = n[f] > most ? n[f] : most;
        }
    fixture_close(&p);
    return most;
}

static void bins_are_values_that_trees_tell_apart(void **state)
{
    static const char *const methods[] = { "lambdamart", "mart", "pairforest" };
    struct peck_dataset *const d = task_dataset(&sample, 2);

    (void)state;
    for (size_t k = 0; k < N_OF(methods); k++) {
        assert_int_equal(most_thresholds(methods[k], "bins=2", d), 1);
        assert_int_equal(most_thresholds(methods[k], "bins=4", d), 3);
        assert_true(most_thresholds(methods[k], "bins=256", d) > 3);
    }
    peck_dataset_free(d);
}

/* Forests of pairs --------------------------------------------------------------------- */

/* Queries of 20 documents, 100 in all, each with 18 others of another label or so. */
static struct peck_dataset *pairs_data(void)
{
    enum { QUERIES = 5, DOCS = 20 };
    uint32_t size[QUERIES];
    float label[QUERIES * DOCS];

    for (size_t q = 0; q < QUERIES; q++)
        size[q] = DOCS;
    for (size_t i = 0; i < QUERIES * DOCS; i++)
        label[i] = (float)(i % 10);
    return task_of(size, QUERIES, DIM, label, 8);
}

/* Whether the first tree is split; a leaf has min_leaf of its pairs at least, so none is
 * that was grown on fewer than twice as many. */
static bool is_split(const char *min_leaf, const char *bag, const char *doc_pairs,
                     const char *max_pairs)
{
    struct peck_dataset *const d = pairs_data();
    struct learner_fixture p;

    fixture_open(&p, "pairforest", SETTINGS(min_leaf, bag, doc_pairs, max_pairs), d, NULL,
                 1);
    const struct epoch_stats stats = fixture_epoch(&p);
    const bool found = forest_nodes(forest_first(p.setup.w)) > 1;

    assert_true(stats.rate == strtod(bag + strlen("bag="), NULL));
    fixture_close(&p);
    peck_dataset_free(d);
    return found;
}

static void pairs_are_drawn_by_document_and_in_all(void **state)
{
    (void)state;
    /* 400 pairs, 600 pairs */
    assert_true(is_split("min_leaf=150", "bag=1", "doc_pairs=4", "max_pairs=10000"));
    assert_false(is_split("min_leaf=201", "bag=1", "doc_pairs=4", "max_pairs=10000"));
    assert_true(is_split("min_leaf=201", "bag=1", "doc_pairs=6", "max_pairs=10000"));
    assert_false(is_split("min_leaf=301", "bag=1", "doc_pairs=6", "max_pairs=10000"));
    /* cut at 400 */
    assert_true(is_split("min_leaf=150", "bag=1", "doc_pairs=6", "max_pairs=400"));
    assert_false(is_split("min_leaf=201", "bag=1", "doc_pairs=6", "max_pairs=400"));
    /* one a document is the least */
    assert_true(is_split("min_leaf=30", "bag=1", "doc_pairs=6", "max_pairs=10"));
    assert_false(is_split("min_leaf=51", "bag=1", "doc_pairs=6", "max_pairs=10"));
    /* a tree gets its part of 600 */
    assert_true(is_split("min_leaf=80", "bag=0.5", "doc_pairs=6", "max_pairs=10000"));
    assert_false(is_split("min_leaf=151", "bag=0.5", "doc_pairs=6", "max_pairs=10000"));
}

static void where_no_feature_differs_there_is_no_step(void **state)
{
    static const char *const methods[] = { "rankboost", "frank" };
    struct peck_dataset *const d = pairs_data();

    (void)state;
    for (size_t i = 0; i < d->n_docs * DIM; i++)
        d->x_owned[i] = 2.0f;
    for (size_t k = 0; k < N_OF(methods); k++) {
        struct learner_fixture p;

        fixture_open(&p, methods[k], SETTINGS("rounds=3"), d, NULL, 1);
        fixture_epoch(&p);
        for (size_t i = 0; i < p.setup.plan.n_weights; i++)
            assert_true(p.setup.w[i] == 0.0f);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

/* More pairs of a query than are looked at at a time: what labels teach, preferences do. */
static void many_preferences_teach_what_labels_teach(void **state)
{
    static const char *const settings[] = { "rounds=4", NULL };
    float label[60];
    const uint32_t size = N_OF(label);

    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = (float)(i % 5);
    struct peck_dataset *const d = task_of(&size, 1, DIM, label, 9);
    struct peck_prefs *const prefs = prefs_of_labels(d, 1);
    double score[2][N_OF(label)];
    peck_error err = { 0 };

    (void)state;
    assert_true(prefs->n > 1000);
    for (int by_pairs = 0; by_pairs < 2; by_pairs++) {
        const peck_train_spec spec = { .method = "frank",
                                       .settings = settings,
                                       .train = d,
                                       .pairs = by_pairs ? prefs : NULL,
                                       .valid_split = -1,
                                       .threads = 1 };
        peck_model *m = NULL;

        assert_ok(peck_train(&m, &spec, &err), err);
        assert_ok(peck_model_score(m, d, 1, score[by_pairs], &err), err);
        peck_model_free(m);
    }
    for (size_t i = 0; i < N_OF(label); i++)
        assert_true(fabs(score[0][i] - score[1][i]) < 1e-4 * (1.0 + fabs(score[0][i])));
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

/* The loss before the first step: no feature differs, so none is taken. */
static double fidelity_of(const peck_pref *pref, size_t n)
{
    const uint32_t size = 3;
    struct peck_dataset *const d = task_of(&size, 1, DIM, NULL, 9);
    struct peck_prefs *const prefs = prefs_new();
    struct epoch_stats stats = { 0 };
    struct train_setup c;
    peck_error err = { 0 };

    for (size_t i = 0; i < d->n_docs * DIM; i++)
        d->x_owned[i] = 2.0f;
    for (size_t i = 0; i < n; i++)
        assert_true(prefs_add(prefs, pref[i]));
    train_setup_open_prefs(&c, "frank", NULL, d, prefs, NULL, NULL, 1);
    const struct learner *const l = c.plan.recipe->learner;
    void *const self = calloc(1, l->self_size);
    struct stopping stopping = { 0 };

    assert_ok(l->open(self, &c.task, &stopping, &err), err);
    assert_ok(l->epoch(self, 1, &stats, &err), err);
    l->close(self);
    free(self);
    train_setup_close(&c);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
    return stats.loss;
}

/* One of a circle is told against the others' order. */
static void preferences_of_a_circle_count_as_those_of_an_order(void **state)
{
    static const peck_pref circle[] = { { 0, 0, 1, 1, 1 },
                                        { 0, 1, 2, 1, 1 },
                                        { 0, 2, 0, 1, 1 } };
    static const peck_pref order[] = { { 0, 0, 1, 1, 1 },
                                       { 0, 1, 2, 1, 1 },
                                       { 0, 0, 2, 1, 1 } };

    (void)state;
    assert_true(fidelity_of(order, 3) > 0.2);
    assert_true(fabs(fidelity_of(order, 3) - fidelity_of(circle, 3)) < 1e-6);
}

/* Counts down; says yes once, when nothing is left. */
static bool stops_once(void *ctx)
{
    int *const left = ctx;

    return (*left)-- == 0;
}

static void a_forest_that_lacks_a_tree_is_no_forest(void **state)
{
    struct peck_dataset *const d = pairs_data();

    (void)state;
    for (int missing = 0; missing < 3; missing++) {
        struct learner_fixture p;
        struct epoch_stats stats = { 0 };
        peck_error err = { 0 };
        int left = missing;

        fixture_open(&p, "pairforest", SETTINGS("trees=3"), d, NULL, 1);
        p.setup.task.is_stopped = stops_once;
        p.setup.task.ctx = &left;
        assert_int_equal(p.setup.plan.recipe->learner->epoch(p.self, 1, &stats, &err),
                         PECK_STOPPED);
        assert_failed(err, PECK_STOPPED, "stopped between two trees");
        assert_int_equal(forest_trees(p.setup.w), 0);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

/* How many of ten trees ask the same first question as the first one; in how many of them
 * all nodes are the same. */
static size_t equal_trees(const char *bag, const char *split_features, size_t *n_roots)
{
    struct peck_dataset *const d = pairs_data();
    size_t n = 0;
    struct learner_fixture p;

    fixture_open(&p, "pairforest",
                 SETTINGS(bag, split_features, "leaves=8", "min_leaf=20", "trees=10"), d,
                 NULL, 1);
    fixture_epoch(&p);
    const struct forest_node *const first = forest_first(p.setup.w), *tree = first;

    *n_roots = 0;
    assert_int_equal(forest_trees(p.setup.w), 10);
    for (size_t t = 0; t < 10; t++, tree = forest_next(tree)) {
        n += forest_nodes(tree) == forest_nodes(first) &&
             memcmp(tree, first, forest_nodes(first) * sizeof *first) == 0;
        *n_roots += tree->feature == first->feature;
    }
    fixture_close(&p);
    peck_dataset_free(d);
    return n;
}

/* All pairs and all features leave nothing to chance; either part does. */
static void trees_differ_by_their_pairs_and_features(void **state)
{
    size_t n_roots;

    (void)state;
    assert_int_equal(equal_trees("bag=1", "split_features=1", &n_roots), 10);
    assert_true(equal_trees("bag=0.5", "split_features=1", &n_roots) < 3);
    assert_true(equal_trees("bag=1", "split_features=0.4", &n_roots) < 10);
    /* one of 12 questions is looked at */
    equal_trees("bag=1", "split_features=0.05", &n_roots);
    assert_true(n_roots < 5);
}

/* Of 12 questions eight are looked at unless told, and the whole forest is kept. */
static void a_forest_looks_at_eight_questions_at_least(void **state)
{
    const char *const drawn[] = { "split_features=0", "split_features=0.67" };
    struct peck_dataset *const d = pairs_data();
    struct learner_fixture p[2];

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        fixture_open(&p[k], "pairforest",
                     SETTINGS(drawn[k], "leaves=8", "min_leaf=20", "trees=10"), d, NULL, 1);
        fixture_epoch(&p[k]);
        assert_true(p[k].stopping.is_last_best);
    }
    assert_memory_equal(p[0].setup.w, p[1].setup.w,
                        p[0].setup.plan.n_weights * sizeof *p[0].setup.w);
    fixture_close(&p[0]);
    fixture_close(&p[1]);
    peck_dataset_free(d);
}

/* Steps -------------------------------------------------------------------------------- */

/* Labels rise at 7.5 units; the values of the second feature reach far beyond, and the first
 * has but one. */
static void first_step(const char *method, const char *candidates, const char *shrinkage,
                       float unit, float *step)
{
    static const uint32_t size = 11;
    static const float label[] = { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1 };
    struct peck_dataset *const d = task_of(&size, 1, 2, label, 1);
    struct learner_fixture p;

    for (size_t i = 0; i < size; i++) {
        d->x_owned[2 * i] = 7.0f;
        d->x_owned[2 * i + 1] = unit * (i < 10 ? (float)(i + 3) : 103.0f);
    }
    fixture_open(&p, method, SETTINGS("norm=none", candidates, shrinkage), d, NULL, 1);
    fixture_epoch(&p);
    memcpy(step, p.setup.w, STUMP_WEIGHTS * sizeof *step);
    fixture_close(&p);
    peck_dataset_free(d);
}

static void steps_stand_at_candidates_and_are_shrunk(void **state)
{
    static const char *const methods[] = { "rankboost", "frank" };
    static const struct {
        const char *candidates;
        float threshold;
    } cases[] = {
        { "candidates=0", 7.5f },  /* anywhere */
        { "candidates=1", 3.5f },  /* at 3 and 53 */
        { "candidates=24", 7.5f }, /* at 3, 7, 11 ... */
        { "candidates=32", 6.5f }, /* at 3, 6.03, 9.06 ...: the better of 6.5 and 9.5 */
    };

    (void)state;
    for (size_t m = 0; m < N_OF(methods); m++) {
        float whole[STUMP_WEIGHTS], half[STUMP_WEIGHTS];

        for (size_t k = 0; k < 2 * N_OF(cases); k++) {
            const float unit = k % 2 == 0 ? 1.0f : 0x1.0p-10f;
            const float wanted = unit * cases[k / 2].threshold;

            first_step(methods[m], cases[k / 2].candidates, "shrinkage=1", unit, whole);
            if (whole[STUMP_THRESHOLD] != wanted)
                fail_msg("%s %s: a step at %g, not %g", methods[m], cases[k / 2].candidates,
                         (double)whole[STUMP_THRESHOLD], (double)wanted);
        }
        first_step(methods[m], "candidates=1", "shrinkage=1", 1.0f, whole);
        first_step(methods[m], "candidates=1", "shrinkage=0.25", 1.0f, half);
        assert_true(whole[STUMP_HEIGHT] > 0.0f);
        assert_true(fabsf(half[STUMP_HEIGHT] - 0.25f * whole[STUMP_HEIGHT]) < 1e-6f);
    }
}

/* Pairs -------------------------------------------------------------------------------- */

static void lists_longer_than_sample_over_have_their_pairs_sampled(void **state)
{
    static const uint32_t size[] = { 60, 12, 61 };
    static const struct {
        const char *setting;
        size_t n_cut;
    } cases[] = { { "sample_over=0", 0 },
                  { "sample_over=60", 1 },
                  { "sample_over=59", 2 } };
    float label[133];

    (void)state;
    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = (float)(i % 3);
    struct peck_dataset *const d = task_of(size, 3, DIM, label, 8);

    for (size_t k = 0; k < N_OF(cases); k++) {
        struct train_setup c;

        train_setup_open(&c, "ranknet", SETTINGS(cases[k].setting, "sample=100"), d, NULL,
                         NULL, 1);
        assert_int_equal(c.train_data.train_set->n_cut, cases[k].n_cut);
        train_setup_close(&c);
    }
    peck_dataset_free(d);
}

/* Two queries disagree about the only feature: one pair says it rises, three of another
 * query that it falls. */
static void queries_or_pairs_count_the_same_in_steps(void **state)
{
    static const char *const methods[] = { "rankboost", "frank" };
    static const uint32_t size[] = { 2, 4 };
    static const float label[] = { 1, 0, 1, 1, 1, 0 }, x[] = { 1, 0, 0, 0, 0, 1 };

    (void)state;
    for (size_t m = 0; m < N_OF(methods); m++) {
        struct peck_dataset *const d = task_of(size, 2, 1, label, 8);
        struct learner_fixture p;

        memcpy(d->x_owned, x, sizeof x);
        fixture_open(&p, methods[m], SETTINGS("norm=none", "balance=pairs"), d, NULL, 1);
        fixture_epoch(&p);
        assert_true(p.setup.w[STUMP_HEIGHT] < -0.1f);
        fixture_close(&p);
        fixture_open(&p, methods[m], SETTINGS("norm=none", "balance=queries"), d, NULL, 1);
        fixture_epoch(&p);
        assert_true(fabsf(p.setup.w[STUMP_HEIGHT]) < 1e-6f);
        fixture_close(&p);
        peck_dataset_free(d);
    }
}

/* A query whose documents are all alike stands before the others, or does not. */
static void queries_without_pairs_are_passed_over(void **state)
{
    static const char *const methods[] = { "rankboost", "frank", "ranksvm" };
    static const uint32_t size[] = { 3, 4, 5, 3 };
    static const float label[] = { 1, 1, 1, 0, 2, 1, 0, 1, 0, 1, 2, 2, 0, 1, 0 };
    struct peck_dataset *const all = task_of(size, 4, DIM, label, 8);
    struct peck_dataset *const some = task_of(size + 1, 3, DIM, label + 3, 8);

    (void)state;
    memcpy(some->x_owned, all->x_owned + 3 * DIM, some->n_docs * DIM * sizeof *some->x);
    for (size_t m = 0; m < N_OF(methods); m++) {
        struct learner_fixture a, b;

        fixture_open(&a, methods[m], SETTINGS("norm=none"), all, NULL, 1);
        fixture_open(&b, methods[m], SETTINGS("norm=none"), some, NULL, 1);
        for (int k = 0; k < 3 && (size_t)k < a.stopping.n_epochs; k++) {
            const struct epoch_stats la = fixture_epoch(&a), lb = fixture_epoch(&b);

            assert_true(fabs(la.loss - lb.loss) < 1e-6 && la.loss > 0.0);
        }
        for (size_t j = 0; j < DIM; j++)
            assert_true(fabsf(a.setup.w[j] - b.setup.w[j]) < 1e-5f);
        fixture_close(&a);
        fixture_close(&b);
    }
    peck_dataset_free(all);
    peck_dataset_free(some);
}

/* Lines -------------------------------------------------------------------------------- */

static void features_may_count_downwards_where_they_are_let(void **state)
{
    static const char *const directions[] = { "directions=rising", "directions=both" };
    struct peck_dataset *const d = task_dataset(&sample, 3);

    (void)state;
    for (size_t i = 0; i < d->n_docs * DIM; i++) /* all point the wrong way */
        d->x_owned[i] = -d->x_owned[i];
    for (size_t k = 0; k < 2; k++) {
        struct learner_fixture p;
        float least = 0.0f;

        fixture_open(&p, "adarank", SETTINGS(directions[k], "rest=1", "norm=none"), d, NULL,
                     1);
        for (int round = 0; round < 8; round++)
            fixture_epoch(&p);
        for (size_t j = 0; j < DIM; j++)
            least = fminf(least, p.setup.w[j]);
        assert_int_equal(least < 0.0f, k == 1);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

static bool count_looks(void *ctx)
{
    ++*(size_t *)ctx;
    return false;
}

/* A look whether to stop follows each child. */
static void generations_steps_and_lengths_of_an_evolution(void **state)
{
    static const struct {
        const char *generations, *step, *shorten;
        size_t n;
        double unit;
        bool is_short;
    } cases[] = { { "generations=4", "step=2.5", "shorten=yes", 4, 2.5, true },
                  { "generations=9", "step=0.5", "shorten=no", 9, 0.5, false } };
    struct peck_dataset *const d = task_dataset(&sample, 4);

    (void)state;
    for (size_t k = 0; k < N_OF(cases); k++) {
        const char *const settings[] = { cases[k].generations, cases[k].step,
                                         cases[k].shorten, NULL };
        struct learner_fixture p;
        size_t looks = 0;
        double most = 0.0;

        fixture_open(&p, "es-rank", settings, d, NULL, 1);
        p.setup.task.is_stopped = count_looks;
        p.setup.task.ctx = &looks;
        const struct epoch_stats stats = fixture_epoch(&p);

        assert_int_equal(looks, cases[k].n);
        assert_true(stats.rate == cases[k].unit);
        for (size_t j = 0; j < DIM; j++)
            most = fmax(most, fabs((double)p.setup.w[j]));
        assert_true(most > 0.0);
        assert_int_equal(fabs(most / cases[k].unit - 1.0) < 1e-6, cases[k].is_short);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

/* The values of C that a grid tries on validation data, times what all pairs count. */
static void the_grid_of_c_goes_from_one_end_to_the_other(void **state)
{
    static const double wanted[] = { 0.5, 2.0, 8.0 };
    struct peck_dataset *const train = task_dataset(&sample, 5), *const valid =
                                                                     task_dataset(&sample,
                                                                                  6);
    const char *const *const settings =
        SETTINGS("c_from=0.5", "c_to=8", "c_steps=3", "balance=queries");
    struct train_setup c;
    struct stopping stopping;
    double n_teaching = 0.0;
    peck_error err = { 0 };

    (void)state;
    train_setup_open(&c, "ranksvm", settings, train, valid, NULL, 1);
    const struct learner *const l = c.plan.recipe->learner;
    void *const self = calloc(1, l->self_size);

    assert_ok(l->open(self, &c.task, &stopping, &err), err);
    assert_int_equal(stopping.n_epochs, 3);
    n_teaching = (double)c.train_data.train_set->n_teaching; /* what all pairs count */
    for (size_t k = 0; k < stopping.n_epochs; k++) {
        struct epoch_stats stats = { 0 };

        assert_ok(l->epoch(self, k + 1, &stats, &err), err);
        if (!(fabs(stats.rate * n_teaching / wanted[k] - 1.0) < 1e-6))
            fail_msg("step %zu: C is %g, not %g", k + 1, stats.rate,
                     wanted[k] / n_teaching);
    }
    l->close(self);
    free(self);
    train_setup_close(&c);
    /* without validation data: the middle */
    struct learner_fixture p;

    fixture_open(&p, "ranksvm", settings, train, NULL, 1);
    assert_int_equal(p.stopping.n_epochs, 1);
    assert_true(fabs(fixture_epoch(&p).rate * n_teaching / 2.0 - 1.0) < 1e-6);
    fixture_close(&p);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_gain_more_than_min_gain),
        cmocka_unit_test(leaves_weigh_at_least_min_weight),
        cmocka_unit_test(bins_are_values_that_trees_tell_apart),
        cmocka_unit_test(pairs_are_drawn_by_document_and_in_all),
        cmocka_unit_test(where_no_feature_differs_there_is_no_step),
        cmocka_unit_test(many_preferences_teach_what_labels_teach),
        cmocka_unit_test(preferences_of_a_circle_count_as_those_of_an_order),
        cmocka_unit_test(a_forest_that_lacks_a_tree_is_no_forest),
        cmocka_unit_test(trees_differ_by_their_pairs_and_features),
        cmocka_unit_test(a_forest_looks_at_eight_questions_at_least),
        cmocka_unit_test(steps_stand_at_candidates_and_are_shrunk),
        cmocka_unit_test(lists_longer_than_sample_over_have_their_pairs_sampled),
        cmocka_unit_test(queries_or_pairs_count_the_same_in_steps),
        cmocka_unit_test(queries_without_pairs_are_passed_over),
        cmocka_unit_test(features_may_count_downwards_where_they_are_let),
        cmocka_unit_test(generations_steps_and_lengths_of_an_evolution),
        cmocka_unit_test(the_grid_of_c_goes_from_one_end_to_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
