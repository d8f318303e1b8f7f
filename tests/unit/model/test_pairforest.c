/* test_pairforest.c -- duels of documents against one tree, one pair at a time. */
#include "model/forest.h"

#include "support/check.h"
#include "support/models.h"
#include "support/scratch.h"

#include <math.h>

enum { N = 9, MAX_DUELS = 300 };

static peck_error err;

/* A shape, trees that ask about all questions, and documents. */
struct scene {
    const struct family *family;
    void *shape;
    size_t dim, width;
    float *w, *x;
};

static void open_scene(struct scene *s, size_t dim, bool has_differences, uint64_t seed)
{
    const char *const settings[] = { "trees=20", "leaves=32",
                                     has_differences ? "differences=1" : "differences=0",
                                     NULL };
    size_t n;

    s->family = family_named("pairforest");
    s->dim = dim;
    s->shape = shape_open(s->family, settings, dim, &err);
    assert_non_null(s->shape);
    s->width = pairforest_questions(s->shape);
    s->w = sample_weights(s->family, s->shape, s->width, 1, seed, &n);
    s->x = random_floats(N * dim, seed + 7);
    assert_ok(s->family->check(s->shape, s->w, n, &err), err);
}

static void close_scene(struct scene *s)
{
    free(s->shape), free(s->w), free(s->x);
}

/* f(x, y), by the book. */
static double f_of(const struct scene *s, size_t i, size_t j)
{
    const float *const x = s->x + i * s->dim, *const y = s->x + j * s->dim;
    const struct forest_node *tree = forest_first(s->w);
    double sum = 0.0;

    for (size_t t = 0; t < forest_trees(s->w); t++, tree = forest_next(tree)) {
        size_t at = 0;

        while ((size_t)tree[at].left != at) {
            const size_t q = (size_t)tree[at].feature, k = q % s->dim;
            const float value = q < s->dim ? x[k] : q < 2 * s->dim ? y[k] : x[k] - y[k];

            at = (size_t)tree[at].left + (value > tree[at].threshold ? 1 : 0);
        }
        sum += (double)tree[at].value;
    }
    return sum / (double)forest_trees(s->w);
}

static void check_duels(const struct scene *s, size_t n)
{
    peck_duel duel[MAX_DUELS];
    float out[MAX_DUELS][2], lead[MAX_DUELS];
    float *const view = calloc(N * s->dim, sizeof *view);
    struct rng r;

    rng_seed(&r, n, 0);
    for (size_t k = 0; k < n; k++)
        duel[k] = (peck_duel){ (uint32_t)rng_below(&r, N), (uint32_t)rng_below(&r, N) };
    assert_int_equal(s->family->compares->view_size(s->shape), s->dim);
    s->family->compares->view(s->shape, s->w, (struct rows){ s->x, N, s->dim, s->dim },
                              view, NULL);
    s->family->compares->duels(s->shape, s->w, view, duel, n, out, NULL);
    s->family->compares->decide(s->shape, s->w, view, duel, n, lead);
    for (size_t k = 0; k < n; k++) {
        assert_true(out[k][0] == (float)f_of(s, duel[k].i, duel[k].j));
        assert_true(out[k][1] == (float)f_of(s, duel[k].j, duel[k].i));
        assert_true(lead[k] == out[k][0] - out[k][1]);
        assert_true(out[k][0] >= 0.0f && out[k][0] <= 1.0f);
    }
    free(view);
}

static void duels_are_the_mean_of_the_trees_both_ways(void **state)
{
    const size_t dims[] = { 1, 2, 7, 500, 3000 }; /* the last two: too wide for rows */

    (void)state;
    for (size_t k = 0; k < N_OF(dims); k++)
        for (int differences = 0; differences < 2; differences++) {
            struct scene s;

            open_scene(&s, dims[k], differences == 1, k);
            for (size_t n = 0; n < MAX_DUELS; n = 2 * n + 1)
                check_duels(&s, n);
            close_scene(&s);
        }
}

static void without_a_tree_nobody_is_preferred(void **state)
{
    const peck_duel duel = { 0, 1 };
    float out[1][2];
    struct scene s;

    (void)state;
    open_scene(&s, 3, false, 1);
    forest_clear(s.w);
    s.family->compares->duels(s.shape, s.w, s.x, &duel, 1, out, NULL);
    assert_true(out[0][0] == 0.5f && out[0][1] == 0.5f);
    close_scene(&s);
}

static void a_leaf_that_is_no_share_is_refused(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, 3, false, 1);
    s.w[4 * (2 + 14) + 3] = 1.5f; /* the last leaf of the first tree */
    assert_int_equal(s.family->check(s.shape, s.w, forest_used(s.w), &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "no share");
    close_scene(&s);
}

/* Writes 0 over weight `which` of the file of a model, and takes its checksum away. */
static const char *damage(const char *path, const struct peck_model *m, size_t which)
{
    const size_t n_bytes = m->n_members * m->n_weights * sizeof *m->w;
    size_t n, at = 0, key = 0;
    char *const bytes = file_bytes(path, &n);

    while (memcmp(bytes + key, "checksum", 8) != 0)
        key++;
    bytes[key] = 'C';
    while (memcmp(bytes + at, m->w, n_bytes) != 0)
        at++;
    memset(bytes + at + which * sizeof *m->w, 0, sizeof *m->w);
    path = scratch_bytes("damaged.peck", bytes, n);
    free(bytes);
    return path;
}

static void a_damaged_file_is_refused_with_a_reason(void **state)
{
    const struct model_sample sample = { .family = "pairforest", .dim = 4, .n_members = 2 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_model *again = NULL;
    const char *const path = scratch_path("good.peck");
    const size_t root = m->n_weights + 10; /* the second member's, which leads to itself */

    (void)state;
    assert_ok(peck_model_save(m, path, &err), err);
    assert_int_equal(peck_model_load(&again, damage(path, m, root), &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "member 2: node 0 of tree 1 leads nowhere");
    assert_null(again);
    m->w[root] = 0.0f;
    assert_int_equal(peck_model_save(m, path, &err), PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "member 2: node 0 of tree 1 leads nowhere");
    peck_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duels_are_the_mean_of_the_trees_both_ways),
        cmocka_unit_test(without_a_tree_nobody_is_preferred),
        cmocka_unit_test(a_leaf_that_is_no_share_is_refused),
        cmocka_unit_test(a_damaged_file_is_refused_with_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
