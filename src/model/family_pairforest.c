/* family_pairforest.c -- trees that vote on which of two documents goes first.
 *
 *     f(x, y) = mean over trees of the share of "x first" in the leaf of (x, y)
 *     h(x, y) = (f(x, y) + 1 - f(y, x)) / 2
 *
 * A tree asks about the features of x, those of y, and, with differences=1, about x - y
 * feature by feature.  The view of a document is the document.                        */
#include "forest.h"

struct pairforest {
    struct forest_size size;
    int has_differences; /* as the choice below */
    size_t dim;
};

static const struct param pairforest_params[] = {
    { "trees", PARAM_INT, "50", "[1,100000]", "trees that vote",
      offsetof(struct pairforest, size.trees) },
    { "leaves", PARAM_INT, "4096", "[2,1048576]", "maximum number of leaves of a tree",
      offsetof(struct pairforest, size.leaves) },
    { "differences", PARAM_CHOICE, "0", "0|1",
      "1: trees may ask about differences of the two documents' features too",
      offsetof(struct pairforest, has_differences) },
    { 0 },
};

static peck_status pairforest_open_shape(void *shape, size_t dim, peck_error *err)
{
    struct pairforest *const p = shape;

    p->dim = dim;
    TRY(family_takes("pairforest", dim, FAMILY_MAX_INPUTS / 4, err));
    return forest_check_size(&p->size, "pairforest", err);
}

static void pairforest_describe(const void *shape, struct text *to)
{
    const struct pairforest *const p = shape;

    text_printf(to, "%lld trees of %lld leaves on pairs of %zu features%s",
                (long long)p->size.trees, (long long)p->size.leaves, p->dim,
                p->has_differences ? " and their differences" : "");
}

size_t pairforest_questions(const void *shape)
{
    const struct pairforest *const p = shape;

    return p->dim * (p->has_differences ? 3 : 2);
}

static peck_status pairforest_check_weights(const void *shape, const real *w, size_t n,
                                            peck_error *err)
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

static size_t pairforest_view_size(const void *shape)
{
    return ((const struct pairforest *)shape)->dim;
}

static void pairforest_view(const void *shape, const real *w, struct rows x, real *view,
                            real *scratch)
{
    const size_t dim = pairforest_view_size(shape);

    (void)w;
    (void)scratch;
    for (size_t i = 0; i < x.n; i++)
        memcpy(view + i * dim, x.x + i * x.stride, dim * sizeof *view);
}

/* Pairs that go through the forest together, both directions of a duel beside each other.
 * Where features are few, each pair becomes a row that holds all the answers; else they
 * are looked up on either side. */
enum { PAIRS = 128, ROOM = 16384 };

static bool has_rows(const struct pairforest *p)
{
    return pairforest_questions(p) * ROWS_ABREAST <= ROOM;
}

/* Duels at once. */
static size_t batch_size(const struct pairforest *p)
{
    const size_t fit = has_rows(p) ? ROOM / pairforest_questions(p) : PAIRS;

    return (fit < PAIRS ? fit : PAIRS) / ROWS_ABREAST * ROWS_ABREAST / 2;
}

/* The value of a pair's leaf, without a row. */
static double walk_pair(const struct forest_node *tree, size_t dim, const float *x,
                        const float *y)
{
    for (uint32_t at = 0, to;; at = to) {
        const size_t q = (size_t)tree[at].feature;
        const float answer = q < dim       ? x[q]
                             : q < 2 * dim ? y[q - dim]
                                           : x[q - 2 * dim] - y[q - 2 * dim];

        to = forest_step(tree, at, answer);
        if (to == at)
            return (double)tree[at].value;
    }
}

/* f of both directions of at most batch_size() duels. */
static void pairforest_vote(const struct pairforest *p, const float *w, const float *view,
                            const peck_duel *duel, size_t n_duels, float (*out)[2])
{
    const struct forest_node *tree = forest_first(w);
    const size_t n_trees = forest_trees(w), n = 2 * n_duels, dim = p->dim;
    const size_t width = pairforest_questions(p);
    const bool in_rows = has_rows(p);
    const float *x[PAIRS], *y[PAIRS];
    float row[ROOM]; /* [n][width]: about x, about y, about x - y */
    double sum[PAIRS];

    for (size_t k = 0; k < n; k++) {
        const peck_duel d = duel[k / 2];
        float *const to = row + k * width;

        x[k] = view + (size_t)(k % 2 == 0 ? d.i : d.j) * dim;
        y[k] = view + (size_t)(k % 2 == 0 ? d.j : d.i) * dim;
        sum[k] = 0.0;
        if (!in_rows)
            continue;
        memcpy(to, x[k], dim * sizeof *to);
        memcpy(to + dim, y[k], dim * sizeof *to);
        for (size_t i = 0; p->has_differences && i < dim; i++)
            to[2 * dim + i] = x[k][i] - y[k][i];
    }
    for (size_t t = 0; t < n_trees; t++, tree = forest_next(tree)) {
        if (in_rows)
            forest_walk(tree, (struct rows){ row, n, width, width }, false, sum);
        for (size_t k = 0; !in_rows && k < n; k++)
            sum[k] += walk_pair(tree, dim, x[k], y[k]);
    }
    for (size_t k = 0; k < n; k++)
        out[k / 2][k % 2] = n_trees > 0 ? (float)(sum[k] / (double)n_trees) : 0.5f;
}

static void pairforest_duels(const void *shape, const real *w, const real *view,
                             const peck_duel *duel, size_t n_duels, real (*out)[2],
                             real *keep)
{
    const size_t most = batch_size(shape);

    (void)keep;
    for (size_t at = 0; at < n_duels; at += most)
        pairforest_vote(shape, w, view, duel + at,
                        n_duels - at < most ? n_duels - at : most, out + at);
}

static void pairforest_decide(const void *shape, const real *w, const real *view,
                              const peck_duel *duel, size_t n_duels, real *lead)
{
    const size_t most = batch_size(shape);
    float out[PAIRS / 2][2];

    for (size_t at = 0, n; at < n_duels; at += n) {
        n = n_duels - at < most ? n_duels - at : most;
        pairforest_vote(shape, w, view, duel + at, n, out);
        for (size_t k = 0; k < n; k++)
            lead[at + k] = out[k][0] - out[k][1];
    }
}

static void pairforest_importance(const void *shape, const real *w, double *count,
                                  double *gain)
{
    forest_importance(w, ((const struct pairforest *)shape)->dim, count, gain);
}

static const struct compare_ops pairforest_ops = {
    .decoder = "fuzzy",
    .view_size = pairforest_view_size,
    .view = pairforest_view,
    .decide = pairforest_decide,
    .duels = pairforest_duels,
};

const struct family family_pairforest = {
    .plug = { { "pairforest", "trees that vote on which of two documents goes first",
                "Each tree asks about the features of both documents and tells how often "
                "the first one was preferred where its questions lead; both orders of "
                "asking are averaged." },
              pairforest_params },
    .compares = &pairforest_ops,
    .shape_size = sizeof(struct pairforest),
    .open = pairforest_open_shape,
    .describe = pairforest_describe,
    .n_weights = forest_capacity,
    .used = forest_in_use,
    .check = pairforest_check_weights,
    .init = forest_init,
    .importance = pairforest_importance,
};
