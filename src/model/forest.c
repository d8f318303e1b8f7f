/* forest.c -- see forest.h. */
#include "forest.h"

#include "../base/alloc.h"
#include "../base/cpu.h"
#include "../base/finite.h"

#include <math.h>

enum { NODE = sizeof(struct forest_node) / sizeof(float) };

/* A tree of n leaves has 2 n - 1 nodes and a head; one more head is the forest's. */
size_t forest_capacity(const void *shape)
{
    const struct forest_size *const s = shape;

    return NODE * (1 + (size_t)s->trees * 2 * (size_t)s->leaves);
}

peck_status forest_check_size(const struct forest_size *s, const char *family,
                              peck_error *err)
{
    size_t cells;

    if (!mul_overflow((size_t)s->trees, 2 * NODE * (size_t)s->leaves, &cells) &&
        cells < SIZE_MAX / 16)
        return PECK_OK;
    return fail(err, PECK_ARG, "%s: %lld trees of %lld leaves do not fit in memory", family,
                (long long)s->trees, (long long)s->leaves);
}

void forest_clear(float *w)
{
    memset(w, 0, NODE * sizeof *w);
}

size_t forest_trees(const float *w)
{
    return (size_t)w[0];
}

/* Tree after tree, as each head tells how many nodes follow it. */
size_t forest_used(const float *w)
{
    const struct forest_node *tree = forest_first(w);

    for (size_t i = 0; i < forest_trees(w); i++)
        tree = forest_next(tree);
    return (size_t)(tree - 1 - (const struct forest_node *)w) * NODE;
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
        for (size_t i = 0; i < n_nodes; i++) {
            const float feature = node[i].feature, to = node[i].left;
            const bool is_leaf =
                whole(to, i + 1) == i && feature == 0.0f && node[i].threshold == FLT_MAX;
            const float gap = feature == floorf(feature) ? 0.0f : GAP_RIGHT;
            /* Both children come after their parent, so that every way ends. */
            const bool is_question = whole(feature - gap, n_features) < n_features &&
                                     to > (float)i && whole(to, n_nodes) < n_nodes - 1;

            if (!is_leaf && !is_question)
                return fail(err, PECK_FORMAT, "node %zu of tree %zu leads nowhere", i,
                            t + 1);
        }
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
static inline ALWAYS_INLINE uint32_t step_by_row(const struct forest_node *tree,
                                                 uint32_t at, const float *row,
                                                 bool has_gaps)
{
    const int32_t feature = (int32_t)tree[at].feature;
    const float value = row[feature];
    const bool is_gap = value != value && tree[at].feature != (float)feature;

    return forest_step(tree, at, value) + (has_gaps && is_gap ? 1 : 0);
}

/* ROWS_ABREAST rows at a time: a row waits for memory at each step, and meanwhile the
 * others go on.  A last group that is not full is filled up with its first row. */
static inline ALWAYS_INLINE void forest_walk_rows(const struct forest_node *tree,
                                                  struct rows x, const bool has_gaps,
                                                  double *sum)
{
    for (size_t first = 0; first < x.n; first += ROWS_ABREAST) {
        const float *row[ROWS_ABREAST];
        uint32_t at[ROWS_ABREAST] = { 0 }, moved;

        for (size_t k = 0; k < ROWS_ABREAST; k++)
            row[k] = x.x + (first + k < x.n ? first + k : first) * x.stride;
        do { /* two steps, so that there is less to look after */
            moved = 0;
            for (size_t k = 0; k < ROWS_ABREAST; k++)
                at[k] = step_by_row(tree, at[k], row[k], has_gaps);
            for (size_t k = 0; k < ROWS_ABREAST; k++) {
                const uint32_t to = step_by_row(tree, at[k], row[k], has_gaps);

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
        forest_walk_rows(tree, x, true, sum);
    else
        forest_walk_rows(tree, x, false, sum);
}

/* A question of a pair, about the other document or the difference, counts for the feature
 * itself: its number modulo n_features. */
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
