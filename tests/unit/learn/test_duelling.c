/* test_duelling.c -- from weights over views and duels to the loss of a query, and back:
 * the whole way in double, against finite differences.                                */
#define REAL double
#define duelling duelling_double
#define duelling_leads duelling_leads_double
#define duelling_push duelling_push_double
#define penalty_add_leads penalty_add_leads_double
#define penalty_scratch penalty_scratch_double
#define duel_scratch_new duel_scratch_new_double
#define objective_duel objective_duel_double
#define lambda_scratch lambda_scratch_double
#define lambda_sum lambda_sum_double
#define lambda_is_selective lambda_is_selective_double
#define lambda_judge lambda_judge_double
#define lambda_weight lambda_weight_double
#define pair_logistic pair_logistic_double
#define pair_sum_scratch pair_sum_scratch_double
#define pair_sum_open pair_sum_open_double
#define pair_sum_run pair_sum_run_double
#define pair_sum_one pair_sum_one_double
#define pair_sum_ties pair_sum_ties_double
#define pair_sum_listed pair_sum_listed_double
#define pair_sum_close pair_sum_close_double
#define pair_mean pair_mean_double

#include "learn/duelling.c"
#include "learn/lambda.c"
#include "learn/pairloss.c"
#include "learn/obj_duel.c"

#include "base/rng.h"
#include "rules/rules.h"
#include "support/check.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>

extern const struct family twin_cmpnn; /* tests/support */

enum { DIM = 4, N = 40, ROOM = 1 << 10 };

/* A net, and a query of N documents. */
struct set_up {
    struct duel_rule rule;
    _Alignas(16) char shape[ROOM], config[ROOM];
    struct arena arena;
    struct duel_scratch *scratch;
    struct query_pairs query;
    double *w, *dw, *view, *dview;
    size_t n_weights, view_size;
    float x[N * DIM], label[N], weight[N];
    uint32_t below[N], until[N], ties_until[N], from[N], rank[N];
    struct pair pair[3];
    void *room;
};

static void set(const struct param *rows, void *to, const char *pair)
{
    peck_error err = { 0 };

    assert_ok(param_set_pair(rows, to, "test", span_of(pair), &err), err);
}

/* Labels 3, 2, 1, 0 of ten documents each, unless they are listed pairs. */
static void set_query(struct set_up *s, struct rng *r, bool is_listed, bool has_ties)
{
    struct query_pairs *const q = &s->query;

    *q = (struct query_pairs){ .n = N,
                               .n_judged = N,
                               .n_ranked = N,
                               .label = s->label,
                               .from = s->from,
                               .rank = s->rank,
                               .scratch = s->room,
                               .doc_weight = s->weight };
    for (uint32_t i = 0; i < N; i++) {
        s->label[i] = (float)(3 - i / 10);
        s->from[i] = (i * 7) % N;
        s->weight[i] = (float)rng_between(r, 0.5, 2.0);
        s->below[i] = s->ties_until[i] = i / 10 * 10 + 10;
        s->until[i] = N;
    }
    q->n_all = 600.0;
    if (is_listed) {
        s->pair[0] = (struct pair){ 3, 7, 0.75f, 1.5f };
        s->pair[1] = (struct pair){ 0, 39, 1.0f, 0.5f };
        s->pair[2] = (struct pair){ 3, 0, 0.5f, 1.0f };
        q->pair = s->pair;
        q->n_pairs = 3;
        q->n_all = 3.0;
        return;
    }
    q->below = s->below;
    q->until = s->until;
    q->ties_until = has_ties ? s->ties_until : NULL;
    q->n_all += has_ties ? 180.0 : 0.0;
}

static void open_scene(struct set_up *s, const char *cost, const char *activation,
                       const char *cross, uint64_t seed)
{
    const struct family *const f = &twin_cmpnn;
    peck_error err = { 0 };
    struct rng r;

    rng_seed(&r, seed, 1);
    s->rule = (struct duel_rule){ f, s->shape, &objective_duel, s->config, 0 };
    param_defaults(f->plug.params, s->shape);
    param_defaults(objective_duel.plug.params, s->config);
    set(f->plug.params, s->shape, "hidden=6");
    set(f->plug.params, s->shape, activation);
    set(f->plug.params, s->shape, cross);
    set(objective_duel.plug.params, s->config, cost);
    assert_ok(f->open(s->shape, DIM, &err), err);
    s->rule.n_kept = f->compares->kept(s->shape);
    s->scratch = duel_scratch_new(&s->arena, &s->rule);
    assert_ok(arena_check(&s->arena, &err), err);
    s->n_weights = f->n_weights(s->shape);
    s->view_size = f->compares->view_size(s->shape);
    s->w = calloc(s->n_weights, sizeof *s->w);
    s->dw = calloc(s->n_weights, sizeof *s->dw);
    s->view = calloc(N * s->view_size, sizeof *s->view);
    s->dview = calloc(N * s->view_size, sizeof *s->dview);
    for (size_t i = 0; i < s->n_weights; i++)
        s->w[i] = rng_normal(&r);
    for (size_t i = 0; i < N * DIM; i++)
        s->x[i] = (float)rng_normal(&r);
    s->room = malloc(objective_duel.scratch(N));
    assert_non_null(s->room);
    set_query(s, &r, seed % 3 == 0, seed % 3 == 1);
}

static void close_scene(struct set_up *s)
{
    arena_free(&s->arena);
    free(s->room);
    free(s->w);
    free(s->dw);
    free(s->view);
    free(s->dview);
}

static double loss_of(struct set_up *s, bool goes_back, double part)
{
    const struct rows x = { s->x, N, DIM, DIM };
    const struct family *const f = s->rule.family;

    f->compares->view(s->shape, s->w, x, s->view, NULL);
    if (!goes_back)
        return duelling(&s->rule, &s->query, s->w, s->view, s->scratch, 0, NULL, NULL);
    const double loss =
        duelling(&s->rule, &s->query, s->w, s->view, s->scratch, part, s->dview, s->dw);

    f->compares->view_back(s->shape, s->w, x, s->dview, s->dw, NULL);
    return loss;
}

static void check(const char *cost, const char *delta, const char *activation,
                  const char *cross, uint64_t seed)
{
    const double h = 1e-5, part = 0.7;
    struct set_up s = { 0 };

    open_scene(&s, cost, activation, cross, seed);
    set(objective_duel.plug.params, s.config, delta);
    const double loss = loss_of(&s, true, part);

    /* Three listed pairs may touch no place that counts. */
    assert_true(fabs(loss - loss_of(&s, false, 0.0)) < 1e-12);
    assert_true(loss > 0.0 || (s.query.n_pairs > 0 && strcmp(delta, "delta=none") != 0));
    for (size_t i = 0; i < s.n_weights; i++) {
        const double kept = s.w[i];

        s.w[i] = kept + h;
        const double up = loss_of(&s, false, 0.0);

        s.w[i] = kept - h;
        const double down = loss_of(&s, false, 0.0), slope = (up - down) / (2.0 * h);

        s.w[i] = kept;
        if (fabs(part * slope - s.dw[i]) > 1e-8 + 1e-6 * fabs(slope))
            fail_msg("%s %s %s %s %d: weight %zu: %.10g, by differences %.10g", cost, delta,
                     activation, cross, (int)seed, i, s.dw[i], part * slope);
    }
    close_scene(&s);
}

/* More duels than go at once, ties, listed pairs; weighed documents. */
static void derivatives_of_all_weights_match_differences(void **state)
{
    static const char *const costs[] = { "cost=square", "cost=entropy" };
    static const char *const curves[] = { "activation=tanh", "activation=sigmoid" };
    static const char *const crosses[] = { "cross=1", "cross=0" };
    static const char *const deltas[] = { "delta=none", "delta=ndcg", "delta=map" };

    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++)
        for (size_t d = 0; d < N_OF(deltas); d++)
            check(costs[seed % 2], deltas[d], curves[seed / 2 % 2], crosses[seed / 4 % 2],
                  seed);
}

/* Two subnets that meet at the output alone are never at odds with themselves: their order
 * is by wins.  The loss is the sum over pairs of |Delta NDCG@10| times the cost. */
static void a_pair_weighs_what_a_swap_would_change(void **state)
{
    struct set_up s = { 0 };
    double out[1][2], ideal = 0.0, want = 0.0;
    uint32_t rank[N];

    (void)state;
    open_scene(&s, "cost=square", "activation=tanh", "cross=0", 2);
    s.query.doc_weight = NULL;
    const double plain = loss_of(&s, false, 0.0);

    set(objective_duel.plug.params, s.config, "delta=ndcg");
    const double loss = loss_of(&s, false, 0.0);

    for (uint32_t i = 0; i < N; i++) {
        rank[i] = 1;
        for (uint32_t j = 0; j < N; j++) {
            s.rule.family->compares->duels(s.shape, s.w, s.view, &(peck_duel){ i, j }, 1,
                                           out, NULL);
            rank[i] += i != j && out[0][0] < out[0][1];
        }
        if (i < 10)
            ideal += 7.0 / log2(2.0 + i);
    }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = s.below[i]; j < s.until[i]; j++) {
            const double gain = exp2((double)s.label[i]) - exp2((double)s.label[j]);
            const double a = rank[i] <= 10 ? 1 / log2(1.0 + rank[i]) : 0.0,
                         b = rank[j] <= 10 ? 1 / log2(1.0 + rank[j]) : 0.0;

            s.rule.family->compares->duels(s.shape, s.w, s.view, &(peck_duel){ i, j }, 1,
                                           out, NULL);
            const double miss = 1.0 - out[0][0];

            want += gain * fabs(a - b) / ideal * (miss * miss + out[0][1] * out[0][1]);
        }
    assert_true(fabs(loss - want) < 1e-6 * want && fabs(loss - plain) > 1e-3);
    close_scene(&s);
}

/* Rules on the expected positions that the net's preferences give. */
struct ruled {
    struct bound *bound;
    struct scene scene;
    double lead[N * N], dlead[N * N];
    void *scratch;
};

static double penalty_of(struct set_up *s, struct ruled *r, bool goes_back)
{
    static const double weight[] = { 0.7, 2.0, 1.5 };
    const struct rows x = { s->x, N, DIM, DIM };
    const struct compare_ops *const f = s->rule.family->compares;

    f->view(s->shape, s->w, x, s->view, NULL);
    duelling_leads(&s->rule, N, s->w, s->view, s->scratch, r->lead);
    if (!goes_back)
        return penalty_add_leads(r->bound, &r->scene, weight, r->lead, NULL, NULL,
                                 r->scratch);
    const double phi =
        penalty_add_leads(r->bound, &r->scene, weight, r->lead, r->dlead, NULL, r->scratch);

    duelling_push(&s->rule, N, s->w, s->view, s->scratch, r->dlead, s->dview, s->dw);
    f->view_back(s->shape, s->w, x, s->dview, s->dw, NULL);
    return phi;
}

/* From weights over views, all duels of the query, positions and clauses, and back. */
static void derivatives_of_rules_match_differences(void **state)
{
    static const char *const curves[] = { "activation=tanh", "activation=sigmoid" };
    static const char *const crosses[] = { "cross=1", "cross=0" };
    const double h = 1e-5;
    static const struct strings no_names = { 0 };
    peck_rules *rules = NULL;
    peck_error err = { 0 };
    size_t n_moving = 0, n_all = 0;

    (void)state;
    assert_ok(
        peck_rules_read(
            &rules,
            scratch_file("duels.rules",
                         "a: exists d : top(3, d) and d.f1 > 0 beta 0.2\n"
                         "b: forall d, e : d.f1 > e.f2 + 1 implies before(d, e) all "
                         "mean alpha 2\n"
                         "c: forall d : top(9, d) implies d.f2 > 0 all mean beta 0.3\n"),
            &err),
        err);
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct set_up s = { 0 };
        static struct ruled r;

        open_scene(&s, "cost=square", curves[seed / 2 % 2], crosses[seed / 4 % 2], seed);
        r = (struct ruled){ .scene = { .docs = { s.x, N, DIM, DIM }, .id = { "1", 1 } } };
        assert_ok(rules_bind(&r.bound, rules, &no_names, DIM, &err), err);
        r.scratch = malloc(penalty_scratch(r.bound, N));
        const double phi = penalty_of(&s, &r, true);

        assert_true(phi > 0.0 && fabs(phi - penalty_of(&s, &r, false)) < 1e-12);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                assert_true(same_double(r.lead[i * N + j], -r.lead[j * N + i]) || i == j);
        for (size_t i = 0; i < s.n_weights; i++, n_all++) {
            const double kept = s.w[i];

            s.w[i] = kept + h;
            const double up = penalty_of(&s, &r, false);

            s.w[i] = kept - h;
            const double down = penalty_of(&s, &r, false), slope = (up - down) / (2.0 * h);

            s.w[i] = kept;
            if (fabs(slope - s.dw[i]) > 1e-8 + 1e-5 * fabs(slope))
                fail_msg("%d: weight %zu: %.10g, by differences %.10g", (int)seed, i,
                         s.dw[i], slope);
            n_moving += fabs(slope) > 1e-4;
        }
        free(r.scratch);
        bound_free(r.bound);
        close_scene(&s);
    }
    assert_true(n_moving > n_all / 2);
    peck_rules_free(rules);
}

/* A net that is certain has leads that are large, and finite. */
static void certain_duels_have_finite_leads(void **state)
{
    struct set_up s = { 0 };
    double lead[N * N], dlead[N * N];

    (void)state;
    open_scene(&s, "cost=square", "activation=tanh", "cross=1", 0);
    for (size_t i = 0; i < s.n_weights; i++)
        s.w[i] *= 1e3;
    s.rule.family->compares->view(s.shape, s.w, (struct rows){ s.x, N, DIM, DIM }, s.view,
                                  NULL);
    for (size_t i = 0; i < N * N; i++)
        lead[i] = 99.0; /* of another query */
    duelling_leads(&s.rule, N, s.w, s.view, s.scratch, lead);
    for (size_t i = 0; i < N * N; i++) {
        assert_true(fabs(lead[i]) < 14.0);
        assert_true(lead[i] == -lead[i % N * N + i / N]); /* nobody leads himself */
        dlead[i] = 1.0 / (double)(1 + i);
    }
    duelling_push(&s.rule, N, s.w, s.view, s.scratch, dlead, s.dview, s.dw);
    for (size_t i = 0; i < s.n_weights; i++)
        assert_true(isfinite(s.dw[i]));
    duelling_leads(&s.rule, 1, s.w, s.view, s.scratch, lead); /* nobody to duel with */
    assert_true(lead[0] == 0.0);
    close_scene(&s);
}

/* The squared error by hand, of one duel between equals: both outputs are the same. */
static void equals_cost_what_their_outputs_miss(void **state)
{
    struct set_up s = { 0 };
    const peck_duel duel = { 0, 1 };
    double out[1][2];

    (void)state;
    open_scene(&s, "cost=square", "activation=tanh", "cross=1", 0);
    memcpy(s.x + DIM, s.x, DIM * sizeof *s.x);
    s.pair[0] = (struct pair){ 0, 1, 1.0f, 2.0f };
    s.query.n_pairs = 1;
    s.query.n_all = 1.0;
    const double loss = loss_of(&s, false, 0.0);

    s.rule.family->compares->duels(s.shape, s.w, s.view, &duel, 1, out, NULL);
    assert_true(same_double(out[0][0], out[0][1]));
    const double o = out[0][0];

    assert_true(fabs(loss - 2.0 * ((1 - o) * (1 - o) + o * o)) < 1e-12);
    close_scene(&s);
}

static void a_query_without_pairs_costs_nothing(void **state)
{
    struct set_up s = { 0 };

    (void)state;
    open_scene(&s, "cost=square", "activation=tanh", "cross=1", 0);
    s.query.n_pairs = 0;
    s.query.n_all = 0.0;
    assert_true(loss_of(&s, true, 1.0) == 0.0);
    for (size_t i = 0; i < s.n_weights; i++)
        assert_true(s.dw[i] == 0.0);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_all_weights_match_differences),
        cmocka_unit_test(derivatives_of_rules_match_differences),
        cmocka_unit_test(certain_duels_have_finite_leads),
        cmocka_unit_test(a_pair_weighs_what_a_swap_would_change),
        cmocka_unit_test(equals_cost_what_their_outputs_miss),
        cmocka_unit_test(a_query_without_pairs_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
