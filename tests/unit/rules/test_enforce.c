/* test_enforce.c -- orders that keep rules, beside all orders there are. */
#include "unit/rules/clauses.h"

#include "base/alloc.h"

#include <math.h>

enum { N_SETS = 500, MOST_SET = 5 };

/* Rules ---------------------------------------------------------------------------------- */

static void write_known(struct rng *r, FILE *to)
{
    const int k = 1 + (int)rng_below(r, 4), a = 1 + (int)rng_below(r, 2), b = 3 - a;

    switch (rng_below(r, 16)) {
    case 0:
    case 1:
        fprintf(to, "exists d : top(%d, d) and d.f%d > 0.5", k, a);
        break;
    case 2:
        fprintf(to, "forall d : top(%d, d) implies d.f%d > 0.5", k, a);
        break;
    case 3:
        fprintf(to,
                "forall d, e : top(%d, d) and top(%d, e) and d.f%d > 0.5 and e.f%d > 0.5 "
                "implies same(d, e)",
                k, k, a, a);
        break;
    case 4:
        fprintf(to, "forall d, e : d.f%d > 0.5 and e.f%d < 0.5 implies before(d, e)", a, b);
        break;
    case 5:
        fprintf(to, "forall d, e : d.f%d > e.f%d implies before(d, e)", a, a);
        break;
    case 6:
        fprintf(to, "forall d | d.f%d > 0.5 : top(%d, d)", a, k);
        break;
    case 7:
        fprintf(to,
                "forall d : d.f%d > 0.5 implies (exists e : e.f%d > 0.5 and before(e, d))",
                a, b);
        break;
    case 8:
        fprintf(to, "exists d : forall e : (before(d, e) or same(d, e)) and d.f%d > 0.5",
                a);
        break;
    case 9:
        fprintf(to,
                "exists d, e : top(%d, d) and top(2, e) and not same(d, e) and d.f%d > 0.5 "
                "and e.f%d < 1.5",
                k, a, b);
        break;
    case 10:
        fprintf(to, "forall d, e : d.f%d - e.f%d > 0.5 implies before(d, e)", a, b);
        break;
    case 11:
        fprintf(to, "forall d, e : d.f%d = e.f%d + 1 implies before(e, d)", a, b);
        break;
    case 12:
        fprintf(to, "forall d : top(%d, d) iff d.f%d > 0.5", k, a);
        break;
    case 13:
        fprintf(to,
                "forall d, e : top(%d, e) and not top(%d, d) and before(e, d) implies "
                "d.f%d <= e.f%d",
                k, k, a, a);
        break;
    case 14:
        fprintf(to, "exists d : forall e : top(%d, d) and d.f%d >= e.f%d", k, a, a);
        break;
    default:
        fprintf(to,
                "exists d, e, g : before(d, e) and before(e, g) and top(3, g) and "
                "d.f%d < e.f%d and g.f%d > 0.5",
                a, a, b);
    }
}

static const char *write_rules(struct rng *r)
{
    static const double weights[] = { 0.5, 1, 1, 2, 0.25 };
    static char path[600];
    const size_t n = 1 + rng_below(r, MOST_SET);
    char text[20000];
    FILE *const to = fmemopen(text, sizeof text, "w");

    fputs(DEFINITIONS, to);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "r%zu: ", i);
        if (rng_below(r, 4) > 0) {
            write_known(r, to);
        } else {
            struct clause_tree t;

            random_clause(&t, r);
            write_part(&t, t.root, to);
        }
        fprintf(to, " weight %g\n", weights[rng_below(r, 5)]);
    }
    fclose(to);
    snprintf(path, sizeof path, "%s", scratch_file("enforce.rules", text));
    return path;
}

/* All orders ------------------------------------------------------------------------------ */

struct twin {
    const struct scene_rules *s;
    const struct tiny_world *w;
    const double *weight;
    uint32_t model[MOST_DOCS], order[MOST_DOCS], best[MOST_DOCS];
    double kept, cost; /* of best */
};

static double cost_of(const struct tiny_world *w, const uint32_t *order)
{
    double cost = 0.0;

    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t j = i + 1; j < w->n; j++)
            cost += fmax(w->score[order[j]] - w->score[order[i]], 0.0);
    return cost;
}

static double kept_by(const struct twin *t, const uint32_t *order)
{
    const struct scene scene = scene_of(t->w);
    uint32_t position[MOST_DOCS];
    double kept = 0.0;

    for (uint32_t i = 0; i < t->w->n; i++)
        position[order[i]] = i;
    for (size_t i = 0; i < rules_count(t->s->rules); i++)
        if (t->weight[i] > 0.0 && rules_speak_of(t->s->bound, i, &scene) &&
            rules_hold(t->s->bound, i, &scene, position))
            kept += t->weight[i];
    return kept;
}

/* Orders come by rising ranks in the model's order, so only what is better counts. */
static void try_all(struct twin *t, uint32_t at, unsigned used)
{
    const uint32_t n = t->w->n;

    if (at == n) {
        const double cost = cost_of(t->w, t->order), kept = kept_by(t, t->order);

        if (kept > t->kept || (kept == t->kept && cost < t->cost)) {
            t->kept = kept;
            t->cost = cost;
            memcpy(t->best, t->order, sizeof t->best);
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!(used >> i & 1)) {
            t->order[at] = t->model[i];
            try_all(t, at + 1, used | 1u << i);
        }
}

static void model_order(const struct tiny_world *w, uint32_t *order)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t at = i;

        for (; at > 0 && w->score[order[at - 1]] < w->score[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void random_list(struct tiny_world *w, struct rng *r, bool is_dyadic)
{
    const uint64_t dice = rng_below(r, 20);
    const float of_query = (float)rng_below(r, 2);

    w->n = dice < 2 ? 7 : dice < 6 ? 6 : 1 + (uint32_t)rng_below(r, 5);
    for (uint32_t i = 0; i < w->n; i++) {
        for (int f = 0; f < N_FEATURES; f++)
            w->x[i * N_FEATURES + f] =
                f == QUERY_FEATURE ? of_query : (float)rng_below(r, 3) / 2;
        w->score[i] = is_dyadic ? (double)rng_below(r, 12) / 4 - 1 : rng_between(r, -3, 3);
    }
}

static void orders_are_those_of_brute_force(void **state)
{
    size_t n_turned = 0, n_given_up = 0;

    (void)state;
    for (uint64_t seed = 0; seed < N_SETS; seed++) {
        struct rng r;
        struct tiny_world w;
        uint32_t order[MOST_DOCS];
        signed char kept[MOST_SET];
        double weight[MOST_SET], held = 0.0, all = 0.0;
        struct enforced found;
        peck_error err = { 0 };
        const bool is_dyadic = seed % 4 > 0;

        rng_seed(&r, 18, seed);
        struct scene_rules s = read_rules(write_rules(&r));

        random_list(&w, &r, is_dyadic);
        const struct scene scene = scene_of(&w);

        for (size_t i = 0; i < rules_count(s.rules); i++)
            weight[i] = rules_config(s.rules, i)->weight;
        struct twin t = { .s = &s, .w = &w, .weight = weight, .kept = -1.0 };

        model_order(&w, t.model);
        try_all(&t, 0, 0);
        assert_ok(
            rules_enforce(s.bound, &scene, weight, w.score, order, kept, &found, &err),
            err);
        assert_true(found.is_proven);
        for (size_t i = 0; i < rules_count(s.rules); i++) {
            assert_int_equal(kept[i] >= 0, rules_speak_of(s.bound, i, &scene));
            held += kept[i] > 0 ? weight[i] : 0.0;
            all += kept[i] >= 0 ? weight[i] : 0.0;
        }
        assert_true(held == kept_by(&t, order));
        if (held != t.kept)
            fail_msg("set %u: kept %g, brute force %g", (unsigned)seed, held, t.kept);
        if (fabs(cost_of(&w, order) - t.cost) > 1e-9 || fabs(found.cost - t.cost) > 1e-9)
            fail_msg("set %u: cost %g (told %g), brute force %g", (unsigned)seed,
                     cost_of(&w, order), found.cost, t.cost);
        if (memcmp(order, t.best, w.n * sizeof *order) != 0)
            fail_msg("set %u: another order of the same cost", (unsigned)seed);
        n_turned += t.cost > 0.0;
        n_given_up += held < all;
        free_rules(&s);
    }
    /* The sets are no child's play. */
    assert_true(n_turned > N_SETS / 4 && n_given_up > N_SETS / 20);
}

/* Whether some order keeps all rules of a set (bits). */
static bool can_hold(struct twin *t, unsigned set, uint32_t at, unsigned used)
{
    const struct scene scene = scene_of(t->w);
    uint32_t position[MOST_DOCS];

    for (uint32_t i = 0; at < t->w->n && i < t->w->n; i++)
        if (!(used >> i & 1)) {
            t->order[at] = i;
            if (can_hold(t, set, at + 1, used | 1u << i))
                return true;
        }
    if (at < t->w->n)
        return false;
    for (uint32_t i = 0; i < t->w->n; i++)
        position[t->order[i]] = i;
    for (size_t i = 0; i < rules_count(t->s->rules); i++)
        if ((set >> i & 1) && !rules_hold(t->s->bound, i, &scene, position))
            return false;
    return true;
}

static void what_can_hold_and_what_contradicts_is_that_of_brute_force(void **state)
{
    size_t n_never = 0, n_pairs = 0, n_larger = 0;

    (void)state;
    for (uint64_t seed = 0; seed < N_SETS; seed++) {
        struct rng r;
        struct tiny_world w;
        unsigned char reach[MOST_SET];
        struct clash_list found = { 0 };
        peck_error err = { 0 };
        unsigned able = 0;

        rng_seed(&r, 19, seed);
        struct scene_rules s = read_rules(write_rules(&r));
        struct twin t = { .s = &s, .w = &w };
        const size_t n = rules_count(s.rules);

        do
            random_list(&w, &r, true);
        while (w.n > 5);
        const struct scene scene = scene_of(&w);

        assert_ok(rules_reach(s.bound, &scene, reach, &found, &err), err);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(reach[i],
                             can_hold(&t, 1u << i, 0, 0) ? REACH_CAN : REACH_NEVER);
            able |= reach[i] == REACH_CAN ? 1u << i : 0;
            n_never += reach[i] == REACH_NEVER;
        }
        /* Each set contradicts itself, and none of its parts does. */
        for (size_t k = 0; k < found.n; k++) {
            const unsigned set = (unsigned)found.clash[k].rule[0];

            assert_int_equal(set & ~able, 0);
            assert_false(can_hold(&t, set, 0, 0));
            for (size_t i = 0; i < n; i++)
                assert_true(!(set >> i & 1) || can_hold(&t, set & ~(1u << i), 0, 0));
            n_pairs += found.clash[k].n == 2;
            n_larger += found.clash[k].n > 2;
        }
        /* All pairs are there, and something is where not all can hold. */
        for (size_t i = 0; i < n * n; i++) {
            const unsigned set = 1u << i / n | 1u << i % n;
            bool is_told = false;

            for (size_t k = 0; k < found.n; k++)
                is_told |= found.clash[k].rule[0] == set;
            if (i / n < i % n && (set & ~able) == 0)
                assert_int_equal(is_told, !can_hold(&t, set, 0, 0));
        }
        assert_int_equal(found.n == 0, can_hold(&t, able, 0, 0));
        mem_free(found.clash);
        free_rules(&s);
    }
    assert_true(n_never > 20 && n_pairs > 20 && n_larger > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_of_brute_force),
        cmocka_unit_test(what_can_hold_and_what_contradicts_is_that_of_brute_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
