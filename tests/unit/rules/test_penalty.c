/* test_penalty.c -- soft logic agrees with hard logic where it should, and its derivative
 * with finite differences.  In double: src/rules/penalty.c compiled with REAL=double.  */
#include "unit/rules/clauses.h"

#include <math.h>

/* Rules a file, files: 10,000 clauses in all. */
enum { A_FILE = 250, N_FILES = 40, WORLDS = 3 };

double penalty_add_double(const struct bound *b, const struct scene *q,
                          const double *weight, const double *s, double *g, double *phi,
                          void *scratch);
double penalty_add_newton_double(const struct bound *b, const struct scene *q,
                                 const double *weight, const double *s, double *g,
                                 double *h, void *scratch);
double penalty_add_leads_double(const struct bound *b, const struct scene *q,
                                const double *weight, const double *lead, double *dlead,
                                double *phi, void *scratch);
size_t penalty_scratch_double(const struct bound *b, size_t max_docs);

static const char *const ways[] = { "",
                                    "mixture true",
                                    "mixture false",
                                    "all mean",
                                    "some dual",
                                    "all mean mixture false",
                                    "logic product",
                                    "logic lukasiewicz",
                                    "logic minimum",
                                    "logic product all mean" };

/* A file of random clauses, each under one of the ways. */
static const char *write_clauses(struct clause_tree *tree, size_t n, struct rng *r,
                                 const char *settings)
{
    const char *const path = scratch_path("random.rules");
    FILE *const f = fopen(path, "w");

    fprintf(f, "%sset %s\n", DEFINITIONS, settings);
    for (size_t i = 0; i < n; i++) {
        random_clause(&tree[i], r);
        fprintf(f, "rule%zu: ", i);
        write_part(&tree[i], tree[i].root, f);
        fprintf(f, " %s\n", ways[i % N_OF(ways)]);
    }
    fclose(f);
    return path;
}

/* The penalty of one rule alone; g (may be NULL) is added to. */
static double one_penalty(const struct scene_rules *s, size_t rule, const struct scene *q,
                          const double *score, double *g, void *scratch)
{
    const size_t n = rules_count(s->rules);
    double *const weight = calloc(n, sizeof *weight);

    weight[rule] = 1.0;
    const double phi = penalty_add_double(s->bound, q, weight, score, g, NULL, scratch);

    free(weight);
    return phi;
}

static void a_penalty_is_zero_exactly_where_the_clause_holds_in_the_limit(void **state)
{
    static struct clause_tree tree[A_FILE];
    size_t n_true = 0, n_all = 0;
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 11);
    for (size_t file = 0; file < N_FILES; file++) {
        struct scene_rules s =
            read_rules(write_clauses(tree, A_FILE, &r, "alpha 1e5 beta 1e4 sigma 0.03"));
        void *const scratch = malloc(penalty_scratch_double(s.bound, MAX_WORLD));

        for (size_t i = 0; i < A_FILE; i++)
            for (size_t t = 0; t < WORLDS; t++) {
                struct tiny_world w;

                random_world(&w, &r);
                const struct scene q = scene_of(&w);
                const bool expected = clause_is_true(&tree[i], &w);

                assert_int_equal(rules_check_scene(s.bound, &q, NULL), PECK_OK);
                const double phi = one_penalty(&s, i, &q, w.score, NULL, scratch);

                if (rules_hold(s.bound, i, &q, w.position) != expected ||
                    (phi < 1e-6) != expected)
                    fail_msg("file %zu rule %zu: %d, penalty %g", file, i, expected, phi);
                n_true += expected;
                n_all++;
            }
        free(scratch);
        free_rules(&s);
    }
    assert_int_equal(n_all, A_FILE * N_FILES * WORLDS);
    assert_in_range(n_true, n_all / 5, n_all * 4 / 5); /* neither side is empty */
}

/* Features in (0,1), so that soft ones are soft. */
static void soften(struct tiny_world *w, struct rng *r)
{
    for (uint32_t i = 0; i < w->n * N_FEATURES; i++)
        if (i % N_FEATURES != QUERY_FEATURE)
            w->x[i] = (float)rng_uniform(r);
    for (uint32_t i = 0; i < w->n; i++)
        w->score[i] = 1.5 * rng_normal(r);
}

/* Central differences; false near a kink, where two step widths disagree. */
static bool differences(const struct scene_rules *s, size_t rule, const struct scene *q,
                        double *score, void *scratch, double *out)
{
    for (size_t i = 0; i < q->docs.n; i++) {
        const double at = score[i];
        double slope[2];

        for (int k = 0; k < 2; k++) {
            const double h = k == 0 ? 1e-5 : 4e-5;

            score[i] = at + h;
            slope[k] = one_penalty(s, rule, q, score, NULL, scratch);
            score[i] = at - h;
            slope[k] = (slope[k] - one_penalty(s, rule, q, score, NULL, scratch)) / (2 * h);
            score[i] = at;
        }
        if (fabs(slope[0] - slope[1]) > 1e-6)
            return false;
        out[i] = slope[0];
    }
    return true;
}

static void derivatives_are_those_of_the_penalty(void **state)
{
    static struct clause_tree tree[A_FILE];
    size_t n_kinks = 0, n_moving = 0, n_all = 0;
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 12);
    for (size_t file = 0; file < 8; file++) {
        struct scene_rules s =
            read_rules(write_clauses(tree, A_FILE, &r, "alpha 1.3 beta 0.8 sigma 0.6"));
        void *const scratch = malloc(penalty_scratch_double(s.bound, MAX_WORLD));

        for (size_t i = 0; i < A_FILE; i++, n_all++) {
            double g[MAX_WORLD] = { 0 }, expected[MAX_WORLD] = { 0 };
            struct tiny_world w;

            random_world(&w, &r);
            soften(&w, &r);
            const struct scene q = scene_of(&w);

            if (!differences(&s, i, &q, w.score, scratch, expected)) {
                n_kinks++;
                continue;
            }
            one_penalty(&s, i, &q, w.score, g, scratch);
            for (uint32_t d = 0; d < w.n; d++) {
                if (fabs(g[d] - expected[d]) > 1e-5)
                    fail_msg("file %zu rule %zu: %.9g, should be %.9g", file, i, g[d],
                             expected[d]);
                n_moving += fabs(g[d]) > 1e-3;
            }
        }
        free(scratch);
        free_rules(&s);
    }
    assert_true(n_kinks < n_all / 20);
    assert_true(n_moving > n_all / 2);
}

static void float_and_double_agree_and_rules_add_up(void **state)
{
    static struct clause_tree tree[A_FILE];
    struct rng r;

    (void)state;
    rng_seed(&r, 3, 13);
    struct scene_rules s = read_rules(write_clauses(tree, A_FILE, &r, "sigma 0.4"));
    void *const scratch = malloc(penalty_scratch_double(s.bound, MAX_WORLD));
    double weight[A_FILE], phi[A_FILE];

    for (size_t t = 0; t < 50; t++) {
        double g[MAX_WORLD] = { 0 }, alone[MAX_WORLD] = { 0 }, sum = 0.0;
        float f[MAX_WORLD] = { 0 }, score[MAX_WORLD];
        struct tiny_world w;

        random_world(&w, &r);
        soften(&w, &r);
        const struct scene q = scene_of(&w);

        for (size_t i = 0; i < A_FILE; i++)
            weight[i] = rng_below(&r, 3) > 0 ? rng_uniform(&r) / A_FILE : 0.0;
        for (uint32_t d = 0; d < w.n; d++)
            score[d] = (float)w.score[d];
        for (uint32_t d = 0; d < w.n; d++)
            w.score[d] = (double)score[d];
        const double all =
            penalty_add_double(s.bound, &q, weight, w.score, g, phi, scratch);
        const double in_float = penalty_add(s.bound, &q, weight, score, f, NULL, scratch);

        for (size_t i = 0; i < A_FILE; i++) {
            double one[MAX_WORLD] = { 0 };

            if (weight[i] == 0.0) {
                assert_true(phi[i] == 0.0);
                continue;
            }
            const double value = one_penalty(&s, i, &q, w.score, one, scratch);

            assert_true(fabs(value - phi[i]) < 1e-12);
            sum += weight[i] * value;
            for (uint32_t d = 0; d < w.n; d++)
                alone[d] += weight[i] * one[d];
        }
        assert_true(fabs(sum - all) < 1e-9);
        assert_true(fabs(in_float - all) < 1e-5);
        for (uint32_t d = 0; d < w.n; d++) {
            assert_true(fabs(alone[d] - g[d]) < 1e-9);
            /* a pick among equals may differ, so a few rules may */
            assert_true(fabs((double)f[d] - g[d]) < 0.02);
        }
    }
    free(scratch);
    free_rules(&s);
}

/* The second derivative along v; false near a kink, where two step widths disagree. */
static bool bend_along(const struct scene_rules *s, size_t rule, const struct scene *q,
                       const double *score, const double *v, void *scratch, double *out)
{
    double bend[2], at[MAX_WORLD];

    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? 1e-3 : 2e-3;

        bend[k] = -2.0 * one_penalty(s, rule, q, score, NULL, scratch);
        for (int side = -1; side < 2; side += 2) {
            for (uint32_t i = 0; i < q->docs.n; i++)
                at[i] = score[i] + side * step * v[i];
            bend[k] += one_penalty(s, rule, q, at, NULL, scratch);
        }
        bend[k] /= step * step;
    }
    *out = bend[0];
    return fabs(bend[0] - bend[1]) < 1e-3;
}

/* In any direction, of one document alone as of all together: diag(h) less the second
 * derivatives has no direction in which it falls.  And no step is without a bound; where
 * there is no penalty there is none. */
static void second_derivatives_stay_below_their_bounds(void **state)
{
    static struct clause_tree tree[A_FILE];
    size_t n_kinks = 0, n_near = 0, n_all = 0;
    double all_bend = 0.0, all_most = 0.0;
    struct rng r;

    (void)state;
    rng_seed(&r, 5, 15);
    for (size_t file = 0; file < 2; file++) {
        struct scene_rules s =
            read_rules(write_clauses(tree, A_FILE, &r, "alpha 1.3 beta 0.8 sigma 0.6"));
        void *const scratch = malloc(penalty_scratch_double(s.bound, MAX_WORLD));
        double weight[A_FILE] = { 0 };

        for (size_t i = 0; i < A_FILE; i++) {
            double g[MAX_WORLD] = { 0 }, h[MAX_WORLD] = { 0 }, plain[MAX_WORLD] = { 0 };
            struct tiny_world w;

            random_world(&w, &r);
            soften(&w, &r);
            const struct scene q = scene_of(&w);

            weight[i] = 1.0;
            const double phi =
                penalty_add_newton_double(s.bound, &q, weight, w.score, g, h, scratch);

            weight[i] = 0.0;
            assert_true(phi == one_penalty(&s, i, &q, w.score, plain, scratch));
            for (uint32_t d = 0; d < w.n; d++) {
                assert_true(g[d] == plain[d]);
                assert_true(g[d] == 0.0 ? h[d] >= 0.0 : h[d] > 0.0);
                assert_true(phi > 0.0 || h[d] == 0.0);
            }
            for (uint32_t t = 0; t < 2 * w.n; t++, n_all++) {
                double v[MAX_WORLD], most = 0.0, bend;

                for (uint32_t d = 0; d < w.n; d++) {
                    v[d] = t < w.n ? d == t : rng_normal(&r);
                    most += h[d] * v[d] * v[d];
                }
                if (!bend_along(&s, i, &q, w.score, v, scratch, &bend)) {
                    n_kinks++;
                    continue;
                }
                if (bend > most + 1e-5)
                    fail_msg("file %zu rule %zu: bends by %.9g, bound %.9g", file, i, bend,
                             most);
                n_near += bend > 0.05 * most && bend > 1e-3;
                all_bend += fabs(bend);
                all_most += most;
            }
        }
        free(scratch);
        free_rules(&s);
    }
    assert_true(n_kinks < n_all / 10);
    /* the bound is not out of all proportion */
    assert_true(n_near > n_all / 7);
    assert_true(all_most < 9.0 * all_bend);
}

/* Leads that are differences of scores are scores; and any leads, though no scores have
 * them, have the derivatives that differences find. */
static void leads_take_the_place_of_scores(void **state)
{
    static struct clause_tree tree[A_FILE];
    size_t n_kinks = 0, n_moving = 0, n_all = 0;
    struct rng r;

    (void)state;
    rng_seed(&r, 6, 16);
    for (size_t file = 0; file < 4; file++) {
        struct scene_rules s =
            read_rules(write_clauses(tree, A_FILE, &r, "alpha 1.3 beta 0.8 sigma 0.6"));
        void *const scratch = malloc(penalty_scratch_double(s.bound, MAX_WORLD));
        double weight[A_FILE] = { 0 };

        for (size_t k = 0; k < A_FILE; k++) {
            double lead[MAX_WORLD * MAX_WORLD], dlead[MAX_WORLD * MAX_WORLD] = { 0 };
            double g[MAX_WORLD] = { 0 };
            struct tiny_world w;

            random_world(&w, &r);
            soften(&w, &r);
            const struct scene q = scene_of(&w);

            weight[k] = 1.0;
            for (uint32_t i = 0; i < w.n * w.n; i++)
                lead[i] = w.score[i / w.n] - w.score[i % w.n];
            const double phi = one_penalty(&s, k, &q, w.score, g, scratch);

            assert_true(fabs(penalty_add_leads_double(s.bound, &q, weight, lead, dlead,
                                                      NULL, scratch) -
                             phi) < 1e-12);
            for (uint32_t i = 0; i < w.n; i++) {
                for (uint32_t j = 0; j < w.n; j++)
                    g[i] -= dlead[i * w.n + j] - dlead[j * w.n + i];
                assert_true(fabs(g[i]) < 1e-12);
            }
            for (uint32_t i = 0; i < w.n; i++)
                for (uint32_t j = i + 1; j < w.n; j++)
                    lead[j * w.n + i] = -(lead[i * w.n + j] = 1.5 * rng_normal(&r));
            memset(dlead, 0, sizeof dlead);
            penalty_add_leads_double(s.bound, &q, weight, lead, dlead, NULL, scratch);
            for (uint32_t p = 0; p < w.n * w.n; p++) {
                const uint32_t i = p / w.n, j = p % w.n;
                double slope[2];

                for (int wide = 0; wide < 2 && i < j; wide++) {
                    const double at = lead[p], h = wide ? 4e-5 : 1e-5;

                    slope[wide] = 0.0;
                    for (int side = 1; side > -2; side -= 2) {
                        lead[p] = at + side * h;
                        lead[j * w.n + i] = -lead[p];
                        slope[wide] +=
                            side * penalty_add_leads_double(s.bound, &q, weight, lead, NULL,
                                                            NULL, scratch);
                    }
                    slope[wide] /= 2 * h;
                    lead[p] = at;
                    lead[j * w.n + i] = -at;
                }
                if (i >= j)
                    continue;
                n_all++;
                if (fabs(slope[0] - slope[1]) > 1e-6) {
                    n_kinks++;
                    continue;
                }
                const double found = dlead[p] - dlead[j * w.n + i];

                if (fabs(found - slope[0]) > 1e-5)
                    fail_msg("file %zu rule %zu: %.9g, should be %.9g", file, k, found,
                             slope[0]);
                n_moving += fabs(found) > 1e-3;
            }
            weight[k] = 0.0;
        }
        free(scratch);
        free_rules(&s);
    }
    assert_true(n_kinks < n_all / 20);
    assert_true(n_moving > n_all / 20);
}

static const char *one_rule(const char *text)
{
    return scratch_file("one.rules", text);
}

/* The example at the end of section 4.3: max over documents of
 * exp(-((r_k - 1)^2 + s^2 + n^2) / 2 sigma^2), with the position written out. */
static void the_worked_example_of_the_paper_comes_out(void **state)
{
    static const float x[] = { 1, 0, 0, 0, 0, 0, 0, 1, 0 };
    const double score[] = { 0.3, 1.1, -0.4 };
    struct scene_rules s = read_rules(
        one_rule("r: forall q, d : top(2, d) implies (d.f1 or d.f2) sigma 0.7 beta 1\n"));
    const struct scene q = { .docs = { x, 3, 3, 3 }, .id = { "1", 1 } };
    void *const scratch = malloc(penalty_scratch_double(s.bound, 3));
    double largest = 0.0;

    (void)state;
    for (int d = 0; d < 3; d++) {
        double pos = 1.0;

        for (int i = 0; i < 3; i++)
            pos += i != d ? 1.0 / (1.0 + exp(score[d] - score[i])) : 0.0;
        const double top = 1.0 / (1.0 + exp(-(2.5 - pos)));
        const double a = (double)x[d * 3], b = (double)x[d * 3 + 1];
        const double phi = exp(-((top - 1.0) * (top - 1.0) + a * a + b * b) / (2.0 * 0.49));

        largest = phi > largest ? phi : largest;
    }
    assert_true(fabs(one_penalty(&s, 0, &q, score, NULL, scratch) - largest) < 1e-12);
    free(scratch);
    free_rules(&s);
}

static void a_tautology_has_no_penalty_and_no_derivative(void **state)
{
    struct scene_rules s = read_rules(
        one_rule("a: forall q, d : top(2, d) or not top(2, d)\n"
                 "b: forall d : d.f1 < 0.5 or d.f1 >= 0.5\n"
                 "c: forall d, e : (before(d, e) implies top(3, d)) or not top(3, d)\n"));
    struct rng r;
    double scratch[2000], weight[] = { 1, 1, 1 };

    (void)state;
    rng_seed(&r, 4, 14);
    assert_true(penalty_scratch_double(s.bound, MAX_WORLD) <= sizeof scratch);
    for (size_t t = 0; t < 100; t++) {
        double g[MAX_WORLD] = { 0 };
        struct tiny_world w;

        random_world(&w, &r);
        const struct scene q = scene_of(&w);

        assert_true(penalty_add_double(s.bound, &q, weight, w.score, g, NULL, scratch) ==
                    0.0);
        for (uint32_t d = 0; d < w.n; d++)
            assert_true(g[d] == 0.0);
    }
    for (size_t i = 0; i < 3; i++)
        assert_true(rules_shape(s.rules, i).is_idle);
    free_rules(&s);
}

/* Beside what each document needs, one number for each way to choose the documents before
 * the last quantifier; from three quantifiers on `most` bounds the documents. */
static void scratch_is_what_the_quantifiers_ask_for(void **state)
{
    static const struct {
        const char *text;
        size_t n_atoms, n_ways;
    } cases[] = {
        { "r: forall d : top(2, d)\n", 1, 1 },
        { "r: forall d, e : d.f1 < e.f1 implies before(d, e)\n", 2, 1 + 50 },
        { "r: forall d, e, f : before(d, e) and before(e, f) implies before(d, f)\n", 3,
          1 + 50 + 50 * 50 },
        { "r: forall d, e, f : before(d, e) and before(e, f) implies before(d, f) most "
          "1000\n",
          3, 1 + 10 + 10 * 10 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct scene_rules s = read_rules(one_rule(cases[i].text));
        const size_t n_numbers = 50 * (4 + 5 + 5 * cases[i].n_atoms);

        assert_int_equal(penalty_scratch_double(s.bound, 50),
                         n_numbers * sizeof(double) + cases[i].n_ways * sizeof(uint32_t));
        free_rules(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_penalty_is_zero_exactly_where_the_clause_holds_in_the_limit),
        cmocka_unit_test(derivatives_are_those_of_the_penalty),
        cmocka_unit_test(second_derivatives_stay_below_their_bounds),
        cmocka_unit_test(leads_take_the_place_of_scores),
        cmocka_unit_test(float_and_double_agree_and_rules_add_up),
        cmocka_unit_test(the_worked_example_of_the_paper_comes_out),
        cmocka_unit_test(a_tautology_has_no_penalty_and_no_derivative),
        cmocka_unit_test(scratch_is_what_the_quantifiers_ask_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
