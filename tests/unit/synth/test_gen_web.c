/* test_gen_web.c -- a web-search set: scales, grades, lengths, and something to learn. */
#include "unit/synth/collect.h"

struct range {
    float lo, hi;
    size_t zeros;
    bool is_query_constant;
};

static struct range range_of(const struct gathered *g, size_t j)
{
    struct range r = { .lo = g->x[j], .hi = g->x[j], .is_query_constant = true };

    for (size_t q = 0; q < g->n_queries; q++)
        for (size_t i = g->start[q]; i < g->start[q + 1]; i++) {
            const float v = g->x[i * g->dim + j];

            assert_true(isfinite(v));
            r.lo = fminf(r.lo, v);
            r.hi = fmaxf(r.hi, v);
            r.zeros += v == 0.0f;
            r.is_query_constant &= v == g->x[g->start[q] * g->dim + j];
        }
    return r;
}

static void scales_are_mixed(void **state)
{
    static const char *const dims[] = { "dim=46", "dim=136" };

    (void)state;
    for (size_t d = 0; d < 2; d++) {
        struct gathered g = gather("web", SET("queries=100", dims[d]), 1);
        size_t constant = 0, flags = 0, negative = 0, large = 0, sparse = 0, by_query = 0;

        for (size_t j = 0; j < g.dim; j++) {
            const struct range r = range_of(&g, j);

            constant += r.lo == r.hi;
            flags += r.lo == 0.0f && r.hi == 1.0f && r.zeros > 0;
            negative += r.hi <= 0.0f && r.lo < -5.0f;
            large += r.hi > 1e5f && r.hi <= 1e8f;
            sparse += r.lo < r.hi && r.zeros > g.n * 8 / 10;
            by_query += r.lo < r.hi && r.is_query_constant;
        }
        assert_true(constant >= 2 && constant <= g.dim / 10);
        assert_true(flags >= 3 && negative >= 3 && large >= 2 && sparse >= 3 &&
                    by_query >= 3);
        for (size_t i = 0; i < g.n; i++)
            assert_true(g.x[i * g.dim] == g.x[i * g.dim + g.dim - 2]);
        release(&g);
    }
}

static void names_are_unique(void **state)
{
    struct synth *const s = open_kind("web", SET("dim=136"), 1);
    struct strings names = { 0 };
    struct index seen = { 0 };

    (void)state;
    assert_int_equal(synth_feature_names(s, &names, NULL), PECK_OK);
    assert_int_equal(names.n, 136);
    for (size_t i = 0; i < names.n; i++)
        assert_int_equal(index_put(&seen, strings_get(&names, i)), i);
    assert_true(span_is(strings_get(&names, 0), "bm25_body"));
    assert_true(span_is(strings_get(&names, 11), "bm25_anchor"));
    assert_true(span_is(strings_get(&names, 55), "bm25_body_2"));
    index_free(&seen);
    strings_free(&names);
    synth_free(s);
}

static void grades_are_as_frequent_as_on_the_web(void **state)
{
    static const double share[] = { 0.51, 0.32, 0.13, 0.03, 0.01 };

    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct gathered g = gather("web", SET("queries=1000", "dim=5"), seed);
        double seen[5] = { 0 };

        for (size_t i = 0; i < g.n; i++)
            seen[(size_t)g.label[i]] += 1.0 / (double)g.n;
        for (size_t y = 0; y < 5; y++)
            assert_true(fabs(seen[y] - share[y]) < 0.1 * share[y] + 0.01);
        release(&g);
    }
}

static void lists_vary_around_the_asked_length(void **state)
{
    struct gathered g = gather("web", SET("queries=500", "dim=5"), 1);
    struct gathered same = gather("web", SET("queries=20", "dim=5", "vary=0"), 1);
    struct gathered tiny =
        gather("web", SET("queries=20", "dim=5", "docs=1", "vary=0.9"), 1);
    size_t shortest = SIZE_MAX, longest = 0;

    (void)state;
    for (size_t q = 0; q < g.n_queries; q++) {
        const size_t n = g.start[q + 1] - g.start[q];

        shortest = n < shortest ? n : shortest;
        longest = n > longest ? n : longest;
    }
    assert_in_range(shortest, 50, 55);
    assert_in_range(longest, 145, 150);
    assert_in_range(g.n, 48000, 52000);
    assert_int_equal(same.n, 20 * 100);
    assert_int_equal(tiny.n, 20);
    release(&g);
    release(&same);
    release(&tiny);
}

/* More than any feature alone, less than all: a ranker has work to do. */
static void there_is_something_to_learn(void **state)
{
    struct gathered train = gather("web", SET("queries=200"), 1);
    struct gathered test = gather("web", SET("queries=100"), 2);
    double *const score = calloc(test.n, sizeof *score);
    double best = 0.0;

    (void)state;
    for (size_t j = 0; j < test.dim; j++) {
        for (size_t i = 0; i < test.n; i++)
            score[i] = test.x[i * test.dim + j];
        best = fmax(best, pair_accuracy(&test, score));
    }
    const double line = line_accuracy(&train, &test);

    assert_true(best > 0.58 && best < 0.68);
    assert_true(line > best + 0.03 && line < 0.85);
    free(score);
    release(&train);
    release(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_mixed),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(grades_are_as_frequent_as_on_the_web),
        cmocka_unit_test(lists_vary_around_the_asked_length),
        cmocka_unit_test(there_is_something_to_learn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
