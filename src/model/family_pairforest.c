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
    TRY(family_takes("pairforest", dim, FAMILY_MAX_INPUTS / 4, err));
    return forest_check_size(&p->size, "pairforest", err);
}

static void describe(const void *shape, struct text *to)
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

/* Pairs that go through the forest together, both directions of a duel beside each other.
 * Where features are few, each pair becomes a row that holds all the answers; else they
 * are looked up on either side. */
enum { PAIRS = 128, ROOM = 16384 };

struct batch {
    const struct pairforest *p;
    size_t n, width; /* pairs; questions */
    const float *x[PAIRS], *y[PAIRS];
    float row[ROOM]; /* [n][width], unless that is too much */
    double sum[PAIRS];
};

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

/* All questions of a pair: about x, about y, about x - y. */
static void answer_all(const struct batch *b, size_t k, float *row)
{
    const size_t dim = b->p->dim;

    memcpy(row, b->x[k], dim * sizeof *row);
    memcpy(row + dim, b->y[k], dim * sizeof *row);
    for (size_t i = 0; b->p->has_differences && i < dim; i++)
        row[2 * dim + i] = b->x[k][i] - b->y[k][i];
}

static float answer(const struct batch *b, size_t k, size_t question)
{
    const size_t dim = b->p->dim;

    if (question < dim)
        return b->x[k][question];
    if (question < 2 * dim)
        return b->y[k][question - dim];
    return b->x[k][question - 2 * dim] - b->y[k][question - 2 * dim];
}

/* As forest_walk, without rows. */
static void walk_far(const struct batch *b, const struct forest_node *tree, double *sum)
{
    for (size_t k = 0; k < b->n; k++) {
        uint32_t at = 0, to;

        while ((to = forest_step(tree, at, answer(b, k, (size_t)tree[at].feature))) != at)
            at = to;
        sum[k] += (double)tree[at].value;
    }
}

static void fill_batch(struct batch *b, const float *view, const peck_duel *duel,
                       size_t n_duels)
{
    const size_t dim = b->p->dim;

    b->n = 2 * n_duels;
    for (size_t k = 0; k < b->n; k++) {
        const peck_duel d = duel[k / 2];

        b->x[k] = view + (size_t)(k % 2 == 0 ? d.i : d.j) * dim;
        b->y[k] = view + (size_t)(k % 2 == 0 ? d.j : d.i) * dim;
        b->sum[k] = 0.0;
        if (has_rows(b->p))
            answer_all(b, k, b->row + k * b->width);
    }
}

/* f of both directions of at most batch_size() duels. */
static void vote(const struct pairforest *p, const float *w, const float *view,
                 const peck_duel *duel, size_t n_duels, float (*out)[2])
{
    struct batch b;
    const struct forest_node *tree = forest_first(w);
    const size_t n_trees = forest_trees(w);

    b.p = p;
    b.width = pairforest_questions(p);
    fill_batch(&b, view, duel, n_duels);
    for (size_t t = 0; t < n_trees; t++, tree = forest_next(tree))
        if (has_rows(p))
            forest_walk(tree, (struct rows){ b.row, b.n, b.width, b.width }, false, b.sum);
        else
            walk_far(&b, tree, b.sum);
    for (size_t k = 0; k < b.n; k++)
        out[k / 2][k % 2] = n_trees > 0 ? (float)(b.sum[k] / (double)n_trees) : 0.5f;
}

static void duels(const void *shape, const real *w, const real *view, const peck_duel *duel,
                  size_t n_duels, real (*out)[2], real *keep)
{
    const size_t most = batch_size(shape);

    (void)keep;
    for (size_t at = 0; at < n_duels; at += most)
        vote(shape, w, view, duel + at, n_duels - at < most ? n_duels - at : most,
             out + at);
}

static void decide(const void *shape, const real *w, const real *view,
                   const peck_duel *duel, size_t n_duels, real *lead)
{
    const size_t most = batch_size(shape);
    float out[PAIRS / 2][2];

    for (size_t at = 0, n; at < n_duels; at += n) {
        n = n_duels - at < most ? n_duels - at : most;
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

static void importance(const void *shape, const real *w, double *count, double *gain)
{
    forest_importance(w, ((const struct pairforest *)shape)->dim, count, gain);
}

const struct family family_pairforest = {
    .plug = { { "pairforest", "trees that vote on which of two documents goes first",
                "Each tree asks about the features of both documents and tells how often "
                "the first one was preferred where its questions lead; both orders of "
                "asking are averaged." },
              params },
    .can = CAN_PREFER,
    .decoder = "fuzzy",
    .shape_size = sizeof(struct pairforest),
    .open = open,
    .describe = describe,
    .n_weights = forest_n_weights,
    .used = forest_in_use,
    .check = check,
    .init = forest_init,
    .view_size = view_size,
    .view = view,
    .decide = decide,
    .duels = duels,
    .kept = kept,
    .importance = importance,
};
