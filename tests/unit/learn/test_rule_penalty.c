/* test_rule_penalty.c -- rules beside the labels: which queries they speak of, and their gradient. */
#include "learn/sgd.h"
#include "support/check.h"
#include "support/train_setup.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 3 };

/* Three queries teach; the fourth has one label, the other two none. */
static struct peck_dataset *mixed_data(void)
{
    static const uint32_t size[] = { 5, 4, 6, 4, 5, 7 };
    static const float label[] = { 0,  1,  2,  0,  1,  1,  0,  0,  1,  0,  2,
                                   1,  0,  0,  2,  1,  1,  1,  1,  -1, -1, -1,
                                   -1, -1, -1, -1, -1, -1, -1, -1, -1 };

    return task_of(size, 6, DIM, label, 7);
}

static peck_rules *rules_of(const char *text)
{
    peck_rules *r = NULL;
    peck_error err = { 0 };

    assert_ok(peck_rules_read(&r, scratch_file("a.rules", text), &err), err);
    return r;
}

/* A training setup with rules, each of weight 1. */
struct ruled {
    struct peck_dataset *data;
    peck_rules *rules;
    struct train_setup c;
    struct sgd s;
    double weight[8];
};

static void ruled_open(struct ruled *r, const char *rules, const char *const *settings)
{
    struct stopping stopping;
    peck_error err = { 0 };

    r->data = mixed_data();
    r->rules = rules_of(rules);
    train_setup_open(&r->c, "ranknet", settings, r->data, NULL, NULL, 1);
    assert_ok(train_data_add_rules(&r->c.train_data, r->rules, &err), err);
    for (size_t i = 0; i < N_OF(r->weight); i++)
        r->weight[i] = 1.0;
    r->c.task.rule_weight = r->weight;
    assert_ok(sgd_open(&r->s, &r->c.task, r->c.plan.learner, r->c.train_data.train_set,
                       NULL, &stopping, &err),
              err);
}

static void ruled_close(struct ruled *r)
{
    sgd_close(&r->s);
    train_setup_close(&r->c);
    peck_rules_free(r->rules);
    peck_dataset_free(r->data);
}

#define PLAIN                                                 \
    (const char *const[])                                     \
    {                                                         \
        "norm=none", "hidden=4", "dropout=0", "batch=2", NULL \
    }

static void rules_speak_of_queries_with_and_without_labels(void **state)
{
    struct ruled r;

    (void)state;
    ruled_open(&r,
               "a: exists d : top(2, d) and d.f1 > 0\n"
               "b: forall q | exists d : d.f1 > 100 : exists d : top(1, d)\n",
               PLAIN);
    const struct rule_scope *const g = r.c.train_data.rule_scope;

    assert_int_equal(g->n_spoken[0], 6);
    assert_int_equal(g->n_spoken[1], 0);
    assert_int_equal(r.s.n, 3);
    assert_int_equal(r.s.n_extra, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(r.s.extra[i], 3 + i);
    assert_true(rule_penalty_speaks_of(&r.s.rule_penalty, 5));
    r.weight[0] = 0.0; /* a rule that does not count says nothing */
    assert_false(rule_penalty_speaks_of(
        &(struct rule_penalty){ .rule_scope = g, .weight = r.weight }, 5));
    ruled_close(&r);
}

static void over_an_epoch_each_query_counts_the_same(void **state)
{
    static const char *const more[] = { "norm=none", "hidden=4",      "dropout=0",
                                        "batch=2",   "rules_batch=1", NULL };
    struct ruled r;

    (void)state;
    /* 2 steps take the labels; 3 unlabelled queries go along */
    ruled_open(&r, "a: exists d : top(2, d) and d.f1 > 0\n", PLAIN);
    assert_int_equal(r.s.n_batches, 2);
    assert_int_equal(r.s.n_steps, 2);
    const double share = r.s.all_shares / 3.0; /* a teaching query's */

    for (size_t q = 0; q < 6; q++)
        assert_true(fabs(r.s.scale[q] - 2.0 * share) < 1e-9);
    ruled_close(&r);
    /* 3 steps: the labels come round 1.5 times, and count less each time */
    ruled_open(&r, "a: exists d : top(2, d) and d.f1 > 0\n", more);
    assert_int_equal(r.s.n_steps, 3);
    for (size_t q = 0; q < 6; q++)
        assert_true(fabs(r.s.scale[q] - (q < 3 ? 2.0 : 3.0) * share) < 1e-9);
    ruled_close(&r);
}

/* 40 queries without labels beside two that teach: sixteen a step, in as many steps as that
 * takes or as the pace allows. */
static void steps_do_not_hang_on_the_few_queries_that_teach(void **state)
{
    enum { N = 42 };
    static const struct {
        size_t most, n_steps, n_seen;
        double each; /* by how much a query without labels counts, each time */
        bool sees_all;
    } cases[] = { { 0, 3, 40, 3.0, false },
                  { 2, 2, 32, 2.5, false },
                  { 2, 2, 40, 2.0, true },
                  { 8, 3, 40, 3.0, false } };
    uint32_t size[N];
    float label[3 * N];
    struct ruled r = { .rules = rules_of("a: exists d : top(2, d) and d.f1 > 0\n") };

    (void)state;
    for (size_t q = 0; q < N; q++) {
        size[q] = 3;
        for (size_t i = 0; i < 3; i++)
            label[3 * q + i] = q < 2 ? (float)i : PECK_UNJUDGED;
    }
    r.data = task_of(size, N, DIM, label, 7);
    train_setup_open(&r.c, "ranknet", PLAIN, r.data, NULL, NULL, 1);
    peck_error err = { 0 };

    assert_ok(train_data_add_rules(&r.c.train_data, r.rules, &err), err);
    r.weight[0] = 1.0;
    r.c.task.rule_weight = r.weight;
    for (size_t k = 0; k < N_OF(cases); k++) {
        struct stopping stopping;
        struct epoch_stats stats = { 0 };

        r.c.task.rule_pace.steps = cases[k].most;
        r.c.task.rule_pace.sees_all = cases[k].sees_all;
        assert_ok(sgd_open(&r.s, &r.c.task, r.c.plan.learner, r.c.train_data.train_set,
                           NULL, &stopping, &err),
                  err);
        assert_int_equal(r.s.n_steps, cases[k].n_steps);
        assert_int_equal(r.s.n_seen, cases[k].n_seen);
        assert_true(fabs(r.s.scale[N - 1] / r.s.scale[0] - cases[k].each) < 1e-9);
        assert_ok(sgd_epoch(&r.s, 1, &stats, &err), err);
        assert_int_equal(r.s.optim.t, cases[k].n_steps);
        sgd_close(&r.s);
    }
    r.s = (struct sgd){ 0 };
    ruled_close(&r);
}

/* The same gradient whether the rules say so or the pace does. */
static void a_pace_makes_rules_steeper(void **state)
{
    static const uint32_t query[] = { 0, 3, 4, 5 };
    struct ruled own, paced;
    float dw[2][64];

    (void)state;
    ruled_open(&own,
               "set alpha 3\n"
               "a: exists d : top(2, d) and d.f1 > 0\nb: forall d, e : d.f2 > e.f2 implies "
               "before(d, e) all mean\n",
               PLAIN);
    ruled_open(&paced,
               "a: exists d : top(2, d) and d.f1 > 0\nb: forall d, e : d.f2 > e.f2 implies "
               "before(d, e) all mean\n",
               PLAIN);
    const size_t n = own.c.plan.n_weights;
    struct stopping stopping;
    peck_error err = { 0 };

    assert_true(n <= 64);
    sgd_close(&paced.s);
    paced.c.task.rule_pace.alpha = 3.0;
    assert_ok(sgd_open(&paced.s, &paced.c.task, paced.c.plan.learner,
                       paced.c.train_data.train_set, NULL, &stopping, &err),
              err);
    take_gradient(own.s.gradient, own.c.w, query, 4, &(struct train_step){ 1, 1, 0 },
                  dw[0]);
    take_gradient(paced.s.gradient, paced.c.w, query, 4, &(struct train_step){ 1, 1, 0 },
                  dw[1]);
    assert_true(
        fabs(gradient_penalty(own.s.gradient) - gradient_penalty(paced.s.gradient)) < 1e-5);
    for (size_t i = 0; i < n; i++)
        assert_true(fabsf(dw[0][i] - dw[1][i]) < 1e-4f);
    ruled_close(&own);
    ruled_close(&paced);
}

/* Loss of labels over those that teach, and penalties. */
static double cost(struct ruled *r, const uint32_t *query, size_t n, float *dw)
{
    const double loss =
        take_gradient(r->s.gradient, r->c.w, query, n, &(struct train_step){ 1, 1, 0 }, dw);
    size_t n_teaching = 0;

    for (size_t i = 0; i < n; i++)
        n_teaching += r->s.share[query[i]] > 0.0f;
    return (n_teaching > 0 ? loss / (double)n_teaching : 0.0) +
           gradient_penalty(r->s.gradient);
}

static void the_gradient_is_that_of_labels_and_penalties_together(void **state)
{
    static const uint32_t query[] = { 4, 0, 2, 3, 5, 1 };
    struct ruled r;

    (void)state;
    ruled_open(&r,
               "a: exists d : top(2, d) and d.f1 > 0\n"
               "b: forall d, e : d.f2 > e.f2 implies before(d, e) all mean\n"
               "c: forall d : top(1, d) implies d.f3 < 0 all mean\n",
               PLAIN);
    float *const dw = calloc(r.c.plan.n_weights, sizeof *dw), *const unused =
                                                                  calloc(r.c.plan.n_weights,
                                                                         sizeof *unused);

    for (size_t n = 1; n <= N_OF(query); n += 5) { /* one without labels, and all */
        cost(&r, query, n, dw);
        for (size_t i = 0; i < r.c.plan.n_weights; i++) {
            const float w = r.c.w[i], h = 0.004f;

            r.c.w[i] = w + h;
            const double up = cost(&r, query, n, unused);

            r.c.w[i] = w - h;
            const double slope = (up - cost(&r, query, n, unused)) / (2.0 * (double)h);

            r.c.w[i] = w;
            if (!(fabs(slope - (double)dw[i]) < 2e-3 + 4e-3 * fabs(slope)))
                fail_msg("weight %zu: slope %g, gradient %g", i, slope, (double)dw[i]);
        }
    }
    free(dw);
    free(unused);
    ruled_close(&r);
}

/* A training set reorders documents; rules must see the features of the right ones. */
static void penalties_do_not_depend_on_the_order_of_the_training_set(void **state)
{
    struct ruled r;

    (void)state;
    ruled_open(&r, "a: exists d : top(2, d) and d.f1 > 0\n", PLAIN);
    const struct rule_scope *const g = r.c.train_data.rule_scope;
    const struct rule_penalty rule_penalty = { .rule_scope = g, .weight = r.weight };
    struct arena arena = { 0 };
    struct rule_penalty_scratch room = rule_penalty_scratch_new(&arena, &rule_penalty);
    double weight[] = { 1.0 / 6.0 };

    assert_int_equal(arena_check(&arena, NULL), PECK_OK);
    for (size_t q = 0; q < 6; q++) {
        const struct rows docs = dataset_rows(r.data, q);
        const struct scene plain = { .docs = docs, .id = { "", 0 } };
        float s[8], given[8], ds[8] = { 0 }, expected[8] = { 0 };

        for (size_t i = 0; i < docs.n; i++)
            s[i] = docs.x[i * DIM + 1];
        for (size_t i = 0; i < docs.n; i++)
            given[i] = s[r.c.train_data.train_set->from[r.data->start[q] + i]];
        const double a = rule_penalty_add(&rule_penalty, q, 1.0, given, ds, &room);
        const double b =
            penalty_add(g->bound, &plain, weight, s, expected, NULL, room.penalty);

        assert_true(fabs(a - b) < 1e-6);
        for (size_t i = 0; i < docs.n; i++)
            assert_true(
                fabsf(ds[i] -
                      expected[r.c.train_data.train_set->from[r.data->start[q] + i]]) <
                1e-6f);
    }
    arena_free(&arena);
    ruled_close(&r);
}

/* What the rules cost on the scores of the net as it stands: each rule's mean over the
 * queries that it speaks of. */
static double penalty_now(struct ruled *r)
{
    const struct train_data *const c = &r->c.train_data;
    const struct rule_penalty rule_penalty = { .rule_scope = c->rule_scope,
                                               .weight = r->weight };
    struct arena arena = { 0 };
    struct rule_penalty_scratch room = rule_penalty_scratch_new(&arena, &rule_penalty);
    struct model_outputs outputs;
    double sum = 0.0;
    peck_error err = { 0 };

    assert_ok(arena_check(&arena, &err), err);
    assert_ok(model_outputs_open(
                  &outputs, &arena, r->c.plan.recipe->family, r->c.plan.shape,
                  (struct rows){ r->data->x, r->data->n_docs, DIM, DIM }, r->c.pool, &err),
              err);
    model_outputs_fill(&outputs, r->c.w);
    for (size_t q = 0; q < r->data->n_queries; q++) {
        const size_t first = (size_t)r->data->start[q], n = r->data->start[q + 1] - first;
        float s[8], unused[8] = { 0 };

        for (size_t i = 0; i < n; i++)
            s[i] = outputs.score[first + c->train_set->from[first + i]];
        sum += rule_penalty_add(&rule_penalty, q, 1.0, s, unused, &room);
    }
    arena_free(&arena);
    return sum;
}

/* Of an epoch in which nothing moves. */
static double reported_loss(const char *rules, const char *balance, const char *rules_batch,
                            double *penalty)
{
    const char *const settings[] = { "norm=none", "hidden=4",   "dropout=0", "batch=3",
                                     rules_batch, "rate=1e-30", balance,     NULL };
    struct ruled r;
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };

    ruled_open(&r, rules, settings);
    *penalty = penalty_now(&r);
    assert_ok(sgd_epoch(&r.s, 1, &stats, &err), err);
    ruled_close(&r);
    return stats.loss;
}

/* Whatever the labels weigh, and though they come round three times where each query that
 * rules alone speak of has a step: the mean loss of labels, plus what the rules cost. */
static void the_loss_of_an_epoch_has_the_penalty_in_it_as_it_is(void **state)
{
    static const char *const balances[] = { "balance=queries", "balance=pairs" };
    static const char kept[] = "a: forall d : top(1, d) or d.f1 < 1e9\n",
                      broken[] =
                          "a: exists d : top(2, d) and d.f1 > 0.5\n"
                          "b: forall d, e : d.f2 > e.f2 implies before(d, e) all mean\n";

    (void)state;
    for (size_t k = 0; k < N_OF(balances); k++) {
        double none, some;
        const double once = reported_loss(kept, balances[k], "rules_batch=3", &none);
        const double thrice = reported_loss(kept, balances[k], "rules_batch=1", &none);
        const double ruled = reported_loss(broken, balances[k], "rules_batch=1", &some);

        assert_true(some > none + 0.05 && once > 0.1);
        assert_true(fabs(thrice - once) < 1e-5);
        if (!(fabs((ruled - thrice) - (some - none)) < 1e-5))
            fail_msg("%s: %g more with rules that cost %g more", balances[k],
                     ruled - thrice, some - none);
    }
}

static void rules_hold_the_features_that_they_mention_in_the_training_sets_order(
    void **state)
{
    struct ruled r;

    (void)state;
    ruled_open(&r,
               "a: exists d : top(2, d) and d.f3 > 0\n"
               "b: forall d : top(1, d) implies d.f1 > 0 and d.f3 < 9\n",
               PLAIN);
    const struct rule_scope *const g = r.c.train_data.rule_scope;
    const struct train_set *const l = r.c.train_data.train_set;

    assert_int_equal(g->dim, 2);
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = (size_t)l->start[q]; i < l->start[q + 1]; i++) {
            const float *const row = r.data->x + (l->start[q] + l->from[i]) * DIM;

            assert_true(g->x[2 * i] == row[2]);
            assert_true(g->x[2 * i + 1] == row[0]);
        }
    ruled_close(&r);
}

/* Orders are of the dataset's documents, whatever the training set has made of them. */
static void an_order_by_scores_keeps_the_rules_that_count(void **state)
{
    struct ruled r;
    uint32_t order[7], by_score[7];
    double score[31];
    peck_error err = { 0 };

    (void)state;
    ruled_open(
        &r, "a: forall q | exists d : d.f1 > 0 : forall d : top(1, d) implies d.f1 > 0\n",
        PLAIN);
    const struct rule_scope *const g = r.c.train_data.rule_scope;
    const struct peck_dataset *const d = r.data;
    size_t n_turned = 0;

    assert_true(d->n_docs <= N_OF(score));
    for (size_t i = 0; i < d->n_docs; i++)
        score[i] = (double)((i * 7) % 31);
    for (size_t q = 0; q < d->n_queries; q++) {
        const size_t n = dataset_query_size(d, q), first = (size_t)d->start[q];
        bool has_one = false;

        assert_ok(rule_scope_order(g, q, &(double){ 0.0 }, score, by_score, &err), err);
        assert_ok(rule_scope_order(g, q, &(double){ 1.0 }, score, order, &err), err);
        for (size_t i = 0; i + 1 < n; i++)
            assert_true(score[first + by_score[i]] > score[first + by_score[i + 1]]);
        for (size_t i = 0; i < n; i++)
            has_one |= d->x[(first + i) * DIM] > 0.0f;
        assert_true(!has_one || d->x[(first + order[0]) * DIM] > 0.0f);
        n_turned += order[0] != by_score[0];
    }
    assert_true(n_turned > 0);
    ruled_close(&r);
}

/* Epochs that a method opens with under a pace of so many at least. */
static size_t epochs_at(const char *const *settings, size_t least)
{
    struct peck_dataset *const data = mixed_data();
    struct train_setup c;
    struct stopping stopping;
    struct sgd s;
    peck_error err = { 0 };

    train_setup_open(&c, "cmpnn", settings, data, NULL, NULL, 1);
    c.task.rule_pace = (struct rule_pace){ .alpha = 1.0, .steps = 48, .epochs = least };
    const struct learner *const l = c.plan.recipe->learner;

    assert_ok(l->open(&s, &c.task, &stopping, &err), err);
    l->close(&s);
    train_setup_close(&c);
    peck_dataset_free(data);
    return stopping.n_epochs;
}

static void a_pace_makes_a_short_training_longer_unless_somebody_gave_its_length(
    void **state)
{
    (void)state;
    assert_int_equal(epochs_at(NULL, 0), 8);
    assert_int_equal(epochs_at(NULL, 24), 24);
    assert_int_equal(epochs_at(NULL, 4), 8);
    assert_int_equal(epochs_at((const char *const[]){ "epochs=6", NULL }, 24), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_speak_of_queries_with_and_without_labels),
        cmocka_unit_test(over_an_epoch_each_query_counts_the_same),
        cmocka_unit_test(steps_do_not_hang_on_the_few_queries_that_teach),
        cmocka_unit_test(
            rules_hold_the_features_that_they_mention_in_the_training_sets_order),
        cmocka_unit_test(
            a_pace_makes_a_short_training_longer_unless_somebody_gave_its_length),
        cmocka_unit_test(an_order_by_scores_keeps_the_rules_that_count),
        cmocka_unit_test(a_pace_makes_rules_steeper),
        cmocka_unit_test(the_gradient_is_that_of_labels_and_penalties_together),
        cmocka_unit_test(penalties_do_not_depend_on_the_order_of_the_training_set),
        cmocka_unit_test(the_loss_of_an_epoch_has_the_penalty_in_it_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
