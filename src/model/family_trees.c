/* family_trees.c -- a sum of trees.
 *
 *     s(x) = sum over trees of the value of x's leaf                                  */
#include "forest.h"
#include "leaf_sets.h"

/* A float holds so many numbers and halves. */
enum { MAX_FEATURES = FAMILY_MAX_INPUTS / 2 };

struct trees {
    struct forest_size size;
    size_t dim;
};

static const struct param trees_params[] = {
    { "trees", PARAM_INT, "500", "[1,100000]", "maximum number of trees",
      offsetof(struct trees, size.trees) },
    { "leaves", PARAM_INT, "31", "[2,1048576]", "maximum number of leaves of a tree",
      offsetof(struct trees, size.leaves) },
    { 0 },
};

static peck_status trees_open(void *shape, size_t dim, peck_error *err)
{
    struct trees *const t = shape;

    t->dim = dim;
    TRY(family_takes("trees", dim, MAX_FEATURES, err));
    return forest_check_size(&t->size, "trees", err);
}

static void trees_describe(const void *shape, struct text *to)
{
    const struct trees *const t = shape;

    text_printf(to, "up to %lld trees of %lld leaves on %zu features",
                (long long)t->size.trees, (long long)t->size.leaves, t->dim);
}

static peck_status trees_check(const void *shape, const real *w, size_t n, peck_error *err)
{
    const struct trees *const t = shape;

    return forest_check(w, n, &t->size, t->dim, err);
}

/* A block of rows through all trees: both stay in the cache. */
enum { BLOCK = 64 };

static void trees_score(const void *shape, const real *w, struct rows x, real *s,
                        real *scratch)
{
    (void)shape;
    (void)scratch;
    for (size_t first = 0, n; first < x.n; first += n) {
        const struct forest_node *tree = forest_first(w);
        struct rows block = x;
        double sum[BLOCK] = { 0 };

        n = x.n - first < BLOCK ? x.n - first : BLOCK;
        block.x += first * x.stride;
        block.n = n;
        const bool has_gaps = forest_has_gaps(block);

        for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree))
            forest_walk(tree, block, has_gaps, sum);
        for (size_t i = 0; i < n; i++)
            s[first + i] = (real)sum[i];
    }
}

static peck_status trees_prepare(const void *shape, const real *w, struct arena *memory,
                                 const void **to, peck_error *err)
{
    const struct leaf_sets *sets;

    (void)shape;
    TRY(leaf_sets_make(&sets, memory, w, err));
    *to = sets;
    return PECK_OK;
}

static void trees_score_prepared(const void *shape, const real *w, const void *prepared,
                                 struct rows x, real *s)
{
    if (forest_has_gaps(x))
        trees_score(shape, w, x, s, NULL);
    else
        leaf_sets_score(prepared, x, s);
}

static void trees_importance(const void *shape, const real *w, double *count, double *gain)
{
    forest_importance(w, ((const struct trees *)shape)->dim, count, gain);
}

static const struct score_ops trees_ops = {
    .score = trees_score,
    .prepare = trees_prepare,
    .score_prepared = trees_score_prepared,
};

const struct family family_trees = {
    .plug = { { "trees", "a sum of trees",
                "Each tree asks about one feature after another and adds the number that "
                "it finds where the answers lead." },
              trees_params },
    .scores = &trees_ops,
    .may_miss = true,
    .shape_size = sizeof(struct trees),
    .open = trees_open,
    .describe = trees_describe,
    .n_weights = forest_capacity,
    .used = forest_in_use,
    .check = trees_check,
    .init = forest_init,
    .importance = trees_importance,
};
