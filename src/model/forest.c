/* forest.c -- see forest.h. */
#include "forest.h"

#include "../base/alloc.h"
#include "../base/cpu.h"
#include "../base/finite.h"

#include <math.h>

enum { NODE = sizeof(struct forest_node) / sizeof(float) };

size_t forest_capacity(const struct forest_size *s)
{
    return NODE * (1 + (size_t)s->trees * 2 * (size_t)s->leaves);
}

peck_status forest_check_size(const struct forest_size *s, const char *family,
                              peck_error *err)
{
    size_t cells;

    if (!mul_overflow((size_t)s->trees, 2 * NODE * (size_t)s->leaves, &cells) &&
        cells < SIZE_MAX / 16)
        return PECK_OK;
    return fail(err, PECK_ARG, "%s: %lld trees of %lld leaves are beyond all memory",
                family, (long long)s->trees, (long long)s->leaves);
}

void forest_clear(float *w)
{
    memset(w, 0, NODE * sizeof *w);
}

size_t forest_trees(const float *w)
{
    return (size_t)w[0];
}

/* The first node after the last tree. */
static const struct forest_node *end_of(const float *w)
{
    const struct forest_node *tree = forest_first(w);

    for (size_t i = 0; i < forest_trees(w); i++)
        tree = forest_next(tree);
    return tree - 1;
}

size_t forest_used(const float *w)
{
    return (size_t)(end_of(w) - (const struct forest_node *)w) * NODE;
}

struct forest_node *forest_add(float *w, size_t n_nodes)
{
    struct forest_node *const head = (struct forest_node *)w + forest_used(w) / NODE;

    *head = (struct forest_node){ .feature = (float)n_nodes };
    w[0] += 1.0f;
    return head + 1;
}

/* Checking ---------------------------------------------------------------------------- */

/* x as a whole number below `most`; most: it is none. */
static size_t whole(float x, size_t most)
{
    return x >= 0.0f && x < (float)most && x == (float)(size_t)x ? (size_t)x : most;
}

static bool is_leaf(const struct forest_node *n, size_t at)
{
    return whole(n->left, at + 1) == at && n->feature == 0.0f && n->threshold == FLT_MAX;
}

/* What is added to the number of its feature. */
static float gap_of(const struct forest_node *n)
{
    return n->feature == floorf(n->feature) ? 0.0f : GAP_RIGHT;
}

/* Both children come after their parent, so that every way ends. */
static bool is_question(const struct forest_node *n, size_t at, size_t n_nodes,
                        size_t n_features)
{
    return whole(n->feature - gap_of(n), n_features) < n_features && n->left > (float)at &&
           whole(n->left, n_nodes) < n_nodes - 1;
}

peck_status forest_check(const float *w, size_t n, const struct forest_size *s,
                         size_t n_features, peck_error *err)
{
    const size_t most = (size_t)s->trees + 1, n_trees = n < NODE ? most : whole(w[0], most);
    const struct forest_node *node = (const struct forest_node *)w;
    size_t left = n / NODE;

    if (n_trees == most)
        return fail(err, PECK_FORMAT, "it does not hold 0 to %zu trees", most - 1);
    node++, left--;
    for (size_t t = 0; t < n_trees; t++) {
        const size_t room = left < 2 * (size_t)s->leaves ? left : 2 * (size_t)s->leaves;
        const size_t n_nodes = room > 0 ? whole(node->feature, room) : 0;

        if (n_nodes == 0 || n_nodes == room)
            return fail(err, PECK_FORMAT, "tree %zu has no node, or too many", t + 1);
        node++;
        for (size_t i = 0; i < n_nodes; i++)
            if (!is_leaf(&node[i], i) && !is_question(&node[i], i, n_nodes, n_features))
                return fail(err, PECK_FORMAT, "node %zu of tree %zu leads nowhere", i,
                            t + 1);
        node += n_nodes;
        left -= n_nodes + 1;
    }
    return PECK_OK;
}

/* Use --------------------------------------------------------------------------------- */

bool forest_has_gaps(struct rows x)
{
    for (size_t i = 0; i < x.n; i++)
        if (!floats_are_finite(x.x + i * x.stride, x.dim))
            return true;
    return false;
}

/* has_gaps is a constant wherever this is called. */
static inline ALWAYS_INLINE uint32_t step(const struct forest_node *tree, uint32_t at,
                                          const float *row, bool has_gaps)
{
    const int32_t feature = (int32_t)tree[at].feature;
    const float value = row[feature];
    const bool is_gap = value != value && tree[at].feature != (float)feature;

    return forest_step(tree, at, value) + (has_gaps && is_gap ? 1 : 0);
}

static inline ALWAYS_INLINE void walk(const struct forest_node *tree, struct rows x,
                                      const bool has_gaps, double *sum)
{
    for (size_t first = 0; first < x.n; first += ROWS_ABREAST) {
        const float *row[ROWS_ABREAST];
        uint32_t at[ROWS_ABREAST] = { 0 }, moved;

        for (size_t k = 0; k < ROWS_ABREAST; k++)
            row[k] = x.x + (first + k < x.n ? first + k : first) * x.stride;
        do { /* two steps, so that there is less to look after */
            moved = 0;
            for (size_t k = 0; k < ROWS_ABREAST; k++)
                at[k] = step(tree, at[k], row[k], has_gaps);
            for (size_t k = 0; k < ROWS_ABREAST; k++) {
                const uint32_t to = step(tree, at[k], row[k], has_gaps);

                moved |= to ^ at[k];
                at[k] = to;
            }
        } while (moved != 0);
        for (size_t k = 0; k < ROWS_ABREAST && first + k < x.n; k++)
            sum[first + k] += (double)tree[at[k]].value;
    }
}

void forest_walk(const struct forest_node *tree, struct rows x, bool has_gaps, double *sum)
{
    if (has_gaps)
        walk(tree, x, true, sum);
    else
        walk(tree, x, false, sum);
}

void forest_importance(const float *w, size_t n_features, double *count, double *gain)
{
    const struct forest_node *tree = forest_first(w);

    for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree))
        for (size_t i = 0; i < forest_nodes(tree); i++)
            if ((size_t)tree[i].left != i) {
                count[(size_t)tree[i].feature % n_features] += 1.0;
                gain[(size_t)tree[i].feature % n_features] += (double)tree[i].value;
            }
}

/* Hooks of families ------------------------------------------------------------------- */

size_t forest_n_weights(const void *shape)
{
    return forest_capacity(shape);
}

size_t forest_in_use(const void *shape, const float *w)
{
    (void)shape;
    return forest_used(w);
}

void forest_init(const void *shape, struct rng *r, float *w)
{
    (void)shape;
    (void)r;
    forest_clear(w);
}
