/* family_pairforest.c -- trees that vote on which of two documents goes first.
 *
 *     f(x, y) = mean over trees of the share of "x first" in the leaf of (x, y)
 *     h(x, y) = (f(x, y) + 1 - f(y, x)) / 2
 *
 * A tree asks about the features of x, those of y, and, with differences=1, about x - y
 * feature by feature.  The view of a document is the document.                        */
#include "forest.h"

#include "../base/cpu.h"

struct pairforest {
    struct forest_size size;
    int has_differences; /* as the choice below */
    size_t dim;
};

static const struct param params[] = {
    { "trees", PARAM_INT, "50", "[1,100000]", "trees that vote",
      offsetof(struct pairforest, size.trees) },
    { "leaves", PARAM_INT, "4096", "[2,1048576]", "leaves of a tree at most",
      offsetof(struct pairforest, size.leaves) },
    { "differences", PARAM_CHOICE, "0", "0|1",
      "1: trees may ask about differences of the two documents' features too",
      offsetof(struct pairforest, has_differences) },
    { 0 },
};

static peck_status open(void *shape, size_t dim, peck_error *err)
{
    struct pairforest *const p = shape;

    p->dim = dim;
    if (dim == 0 || dim > FAMILY_MAX_INPUTS / 4)
        return fail(err, PECK_ARG, "pairforest: %zu features; give 1 to %d", dim,
                    FAMILY_MAX_INPUTS / 4);
    return forest_check_size(&p->size, "pairforest", err);
}

static void describe(const void *shape, struct text *to)
{
    const struct pairforest *const p = shape;

    text_printf(to, "%lld trees of %lld leaves on pairs of %zu features%s",
                (long long)p->size.trees, (long long)p->size.leaves, p->dim,
                p->has_differences ? " and their differences" : "");
}

static size_t n_weights(const void *shape)
{
    return forest_room(&((const struct pairforest *)shape)->size);
}

size_t pairforest_questions(const void *shape)
{
    const struct pairforest *const p = shape;

    return p->dim * (p->has_differences ? 3 : 2);
}

static void init(const void *shape, struct rng *r, real *w)
{
    (void)r;
    memset(w, 0, n_weights(shape) * sizeof *w);
}

static size_t used(const void *shape, const real *w)
{
    (void)shape;
    return forest_used(w);
}

static peck_status check(const void *shape, const real *w, size_t n, peck_error *err)
{
    const struct pairforest *const p = shape;

    TRY(forest_check(w, n, &p->size, pairforest_questions(shape), err));
    const struct forest_node *tree = forest_first(w);

    for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree))
        for (size_t i = 0; i < forest_nodes(tree); i++)
            if ((size_t)tree[i].left == i &&
                !(tree[i].value >= 0.0f && tree[i].value <= 1.0f))
                return fail(err, PECK_FORMAT, "a leaf of tree %zu is no share", t + 1);
    return PECK_OK;
}

static size_t scratch(const void *shape, size_t n_docs)
{
    (void)shape;
    (void)n_docs;
    return 0;
}

static size_t view_size(const void *shape)
{
    return ((const struct pairforest *)shape)->dim;
}

static void view(const void *shape, const real *w, struct rows x, real *view, real *scratch)
{
    const size_t dim = view_size(shape);

    (void)w;
    (void)scratch;
    for (size_t i = 0; i < x.n; i++)
        memcpy(view + i * dim, x.x + i * x.stride, dim * sizeof *view);
}

/* Answer k of a pair: of x, of y, of x - y. */
static inline ALWAYS_INLINE float answer(const float *x, const float *y, uint32_t k,
                                         uint32_t dim, bool has_differences)
{
    if (has_differences && k >= 2 * dim)
        return x[k - 2 * dim] - y[k - 2 * dim];
    const bool is_x = k < dim;
    const float *const side = is_x ? x : y;

    return side[is_x ? k : k - dim];
}

/* ROWS_ABREAST pairs down one tree. */
static inline ALWAYS_INLINE void descend(const struct forest_node *tree,
                                         const float *const *x, const float *const *y,
                                         uint32_t dim, bool has_differences, double *sum)
{
    uint32_t at[ROWS_ABREAST] = { 0 }, moved;

    do {
        moved = 0;
        for (size_t k = 0; k < ROWS_ABREAST; k++) {
            const uint32_t asked = (uint32_t)tree[at[k]].feature;
            const uint32_t to =
                forest_step(tree, at[k], answer(x[k], y[k], asked, dim, has_differences));

            moved |= to ^ at[k];
            at[k] = to;
        }
    } while (moved != 0);
    for (size_t k = 0; k < ROWS_ABREAST; k++)
        sum[k] += (double)tree[at[k]].value;
}

enum { PAIRS = 128 }; /* go through the forest together; whole ROWS_ABREAST */

static void descend_all(const struct pairforest *p, const float *w, const float *const *x,
                        const float *const *y, size_t n, double *sum)
{
    const struct forest_node *tree = forest_first(w);
    const uint32_t dim = (uint32_t)p->dim;

    for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree))
        for (size_t k = 0; k < n; k += ROWS_ABREAST)
            if (p->has_differences)
                descend(tree, x + k, y + k, dim, true, sum + k);
            else
                descend(tree, x + k, y + k, dim, false, sum + k);
}

/* f of both directions of up to PAIRS / 2 duels. */
static void vote(const struct pairforest *p, const float *w, const float *view,
                 const peck_duel *duel, size_t n_duels, float (*out)[2])
{
    const float *x[PAIRS], *y[PAIRS];
    const size_t n = (2 * n_duels + ROWS_ABREAST - 1) / ROWS_ABREAST * ROWS_ABREAST;
    const double n_trees = (double)forest_trees(w);
    double sum[PAIRS] = { 0 };

    for (size_t k = 0; k < n; k++) { /* the last one fills up what is left */
        const peck_duel *const d = &duel[k / 2 < n_duels ? k / 2 : n_duels - 1];

        x[k] = view + (size_t)(k % 2 == 0 ? d->i : d->j) * p->dim;
        y[k] = view + (size_t)(k % 2 == 0 ? d->j : d->i) * p->dim;
    }
    descend_all(p, w, x, y, n, sum);
    for (size_t k = 0; k < 2 * n_duels; k++)
        out[k / 2][k % 2] = n_trees > 0.0 ? (float)(sum[k] / n_trees) : 0.5f;
}

static void duels(const void *shape, const real *w, const real *view, const peck_duel *duel,
                  size_t n_duels, real (*out)[2], real *keep)
{
    (void)keep;
    for (size_t at = 0; at < n_duels; at += PAIRS / 2)
        vote(shape, w, view, duel + at, n_duels - at < PAIRS / 2 ? n_duels - at : PAIRS / 2,
             out + at);
}

static void decide(const void *shape, const real *w, const real *view,
                   const peck_duel *duel, size_t n_duels, real *lead)
{
    float out[PAIRS / 2][2];

    for (size_t at = 0, n; at < n_duels; at += n) {
        n = n_duels - at < PAIRS / 2 ? n_duels - at : PAIRS / 2;
        vote(shape, w, view, duel + at, n, out);
        for (size_t k = 0; k < n; k++)
            lead[at + k] = out[k][0] - out[k][1];
    }
}

static size_t kept(const void *shape)
{
    (void)shape;
    return 0;
}

const struct family family_pairforest = {
    .plug = { { "pairforest", "trees that vote on which of two documents goes first",
                "Each tree asks about the features of both documents and tells how often "
                "the first one was preferred where its questions lead; both orders of "
                "asking are averaged." },
              params },
    .can = CAN_PREFER,
    .shape_size = sizeof(struct pairforest),
    .open = open,
    .describe = describe,
    .n_weights = n_weights,
    .used = used,
    .check = check,
    .init = init,
    .scratch = scratch,
    .view_size = view_size,
    .view = view,
    .decide = decide,
    .duels = duels,
    .kept = kept,
};
