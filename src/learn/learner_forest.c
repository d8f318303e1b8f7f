/* learner_forest.c -- trees on pairs of documents, each on half of the pairs.
 *
 * Pairs whose labels differ are drawn once from all queries.  A pair is a row: the
 * features of one document beside those of the other (and their differences, where the
 * family asks about them), with target 1 where the first one has the larger label.  Each
 * tree takes a part of the pairs and, for every split, a part of the features.
 *
 * Breiman, "Random forests", Machine Learning 2001; on pairs as in Yang and Lin, "A
 * practical divide-and-conquer approach for preference-based learning to rank", 2015.  */
#include "grow.h"

#include "../base/maths.h"
#include "learner.h"
#include "pairing.h"

#include "../model/forest.h"

#include <math.h>

/* An epoch, whatever the number of threads. */
enum { TREES_AN_EPOCH = 10 };
/* Trees that are grown at once, where an epoch's are too few for all workers: those of
 * the next ones wait for their turn. */
enum { TREES_AHEAD = 100, FEW_WORKERS = 2 };

/* Looked at for a split. */
#define FEWEST_FEATURES 8.0

struct pairforest_config {
    int64_t max_pairs, doc_pairs, min_leaf, depth, bins;
    double bag, split_features;
};

static const struct param pairforest_params[] = {
    { "max_pairs", PARAM_INT, "200000", "[1,1000000000]",
      "pairs drawn in all at most; but one a document where there are more of those",
      offsetof(struct pairforest_config, max_pairs) },
    { "doc_pairs", PARAM_INT, "25", "[1,1000000]",
      "pairs a document, while max_pairs lasts",
      offsetof(struct pairforest_config, doc_pairs) },
    { "bag", PARAM_FLOAT, "0.5", "(0,1]", "share of the pairs that a tree is grown on",
      offsetof(struct pairforest_config, bag) },
    { "split_features", PARAM_FLOAT, "0", "[0,1]",
      "share of the features, of both documents, that are looked at for a split; 0: as "
      "many as the square root of their number, but 8 at least",
      offsetof(struct pairforest_config, split_features) },
    { "min_leaf", PARAM_INT, "1", "[1,1000000000]",
      "minimum number of pairs in a leaf; unless set, at most a twentieth of all",
      offsetof(struct pairforest_config, min_leaf) },
    { "depth", PARAM_INT, "0", "[0,60000]", "maximum depth of a tree; 0: no limit",
      offsetof(struct pairforest_config, depth) },
    { "bins", PARAM_INT, "256", "[2,256]", "histogram bins of a feature",
      offsetof(struct pairforest_config, bins) },
    { 0 },
};

/* One worker's. */
struct forest_scratch {
    struct grower *grower;
    uint32_t *row; /* all pairs; the bag comes first */
};

/* A tree on its way to the model. */
struct forest_tree {
    struct forest_node *node;
    size_t n_nodes;
    double error; /* sum of squares over the bag */
};

struct pair_forest {
    const struct task *task;
    const struct pairforest_config *config;
    const struct forest_size *size;
    struct pairing pairs;
    struct bins bins;
    struct row_gradients gradients;
    size_t n_bag;
    struct forest_scratch *scratch; /* one a worker */
    struct forest_tree *tree;       /* n_ahead: trees first_tree .. first_tree+n_grown-1 */
    size_t n_ahead, first_tree, n_grown;
    struct arena arena;
};

/* The table of pairs ------------------------------------------------------------------- */

/* The table is made column by column. */
struct pair_columns {
    struct bins *to;
    const struct pairing *pairs;
    const struct bins *docs, *differences;
    size_t dim;
};

static void lay_column(void *ctx, size_t f, int worker)
{
    const struct pair_columns *const l = ctx;
    const struct bins *const source = f < 2 * l->dim ? l->docs : l->differences;
    const size_t number = f % l->dim;
    const struct bin_column from = bins_column(source, number), to = bins_column(l->to, f);

    (void)worker;
    l->to->n_bins[f] = source->n_bins[number];
    memcpy(l->to->edge + f * MAX_BINS, source->edge + number * MAX_BINS,
           MAX_BINS * sizeof *source->edge);
    for (size_t i = 0; i < l->pairs->n; i++) {
        const struct row_pair *const c = &l->pairs->pair[i];
        const size_t row = f < l->dim ? c->first : f < 2 * l->dim ? c->second : i;

        to.cell[i * to.step] = column_at(from, row);
    }
}

/* Bins of documents and of differences are not needed once those of pairs are there. */
static peck_status bin_pairs(struct pair_forest *t, size_t n_questions, peck_error *err)
{
    const struct train_data *const c = t->task->train_data;
    const size_t dim = c->dim, n = t->pairs.n, most = (size_t)t->config->bins;
    const bool has_differences = n_questions > 2 * dim;
    const struct rows docs_x = { c->x, c->train_set->n_docs, dim, dim };
    struct bins docs = { 0 }, differences = { 0 };
    struct pair_columns l = { &t->bins, &t->pairs, &docs, &differences, dim };
    struct arena arena = { 0 };
    float *const x = arena_new(&arena, "differences of documents", has_differences ? n : 0,
                               dim * sizeof *x);
    peck_status st = arena_check(&arena, err);

    for (size_t i = 0; st == PECK_OK && has_differences && i < n; i++) {
        const float *const a = c->x + t->pairs.pair[i].first * dim;
        const float *const b = c->x + t->pairs.pair[i].second * dim;

        for (size_t f = 0; f < dim; f++) {
            const float d = a[f] - b[f]; /* infinite is as good as far, but no threshold */

            x[i * dim + f] = d > FLT_MAX ? FLT_MAX : d < -FLT_MAX ? -FLT_MAX : d;
        }
    }
    if (st == PECK_OK && has_differences)
        st = bins_open_rows(&differences, (struct rows){ x, n, dim, dim }, most,
                            t->task->pool, err);
    arena_free(&arena);
    if (st == PECK_OK)
        st = bins_open_rows(&docs, docs_x, most, t->task->pool, err);
    if (st == PECK_OK)
        st = bins_reserve(&t->bins, n, n_questions, n_questions, NULL, err);
    if (st == PECK_OK) {
        pool_run(t->task->pool, n_questions, lay_column, &l);
        bins_count(&t->bins);
    }
    bins_close(&docs);
    bins_close(&differences);
    return st;
}

/* Opening ------------------------------------------------------------------------------ */

static peck_status pairforest_open(void *self, const struct task *task,
                                   struct stopping *stopping, peck_error *err)
{
    struct pair_forest *const t = self;
    const struct pairforest_config *const c = task->plan->learner;
    const size_t workers = (size_t)pool_size(task->pool);
    const size_t n_docs = task->train_data->train_set->n_docs;
    const size_t n_questions = pairforest_questions(task->plan->shape);
    const size_t most = (size_t)c->max_pairs, each = (size_t)c->doc_pairs;
    const size_t wanted = n_docs < most / each ? n_docs * each : most;
    const double some = c->split_features > 0.0
                            ? c->split_features * (double)n_questions
                            : math_max(sqrt((double)n_questions), FEWEST_FEATURES);
    struct rng r;

    t->task = task;
    t->config = c;
    t->size = task->plan->shape; /* the first part of the shape */
    *stopping =
        (struct stopping){ .n_epochs = ((size_t)t->size->trees + TREES_AN_EPOCH - 1) /
                                       TREES_AN_EPOCH,
                           .is_last_best = true };
    rng_seed(&r, task->seed, STREAM_PAIRS);
    family_init(task->plan->recipe->family, task->plan->shape, &r, task->w);
    TRY(pairing_draw(&t->pairs, task->train_data->train_set,
                     wanted > n_docs ? wanted : n_docs, &r, err));
    const size_t n = t->pairs.n, bag = (size_t)ceil(c->bag * (double)n);

    t->n_bag = bag < n ? bag : n;
    const size_t leaves = (size_t)t->size->leaves;
    const struct grow_rule rule = { .leaves = leaves < t->n_bag + 1 ? leaves : t->n_bag + 1,
                                    .depth = (size_t)c->depth,
                                    .min_leaf = (size_t)c->min_leaf,
                                    .per_split = some > 1.0 ? (size_t)rint(some) : 1 };

    TRY(bin_pairs(t, n_questions, err));
    TRY(row_gradients_open(&t->gradients, n, n, err));
    t->scratch = arena_new(&t->arena, "trees", workers, sizeof *t->scratch);
    for (size_t i = 0; t->scratch != NULL && i < workers; i++)
        t->scratch[i].row =
            arena_new(&t->arena, "rows of a tree", n, sizeof *t->scratch[i].row);
    t->n_ahead = workers > FEW_WORKERS ? TREES_AHEAD : TREES_AN_EPOCH;
    if (t->n_ahead > (size_t)t->size->trees)
        t->n_ahead = (size_t)t->size->trees;
    t->tree = arena_new(&t->arena, "trees", t->n_ahead, sizeof *t->tree);
    for (size_t i = 0; t->tree != NULL && i < t->n_ahead; i++)
        t->tree[i].node =
            arena_new(&t->arena, "trees", 2 * rule.leaves, sizeof *t->tree[i].node);
    TRY(arena_check(&t->arena, err));
    struct arena targets = { 0 };
    float *const g = arena_new(&targets, "targets", n, 2 * sizeof *g);

    TRY(arena_check(&targets, err));
    float *const h = g + n;

    /* Least squares: g = w P, h = w, so that G / H of a leaf is its mean target. */
    for (size_t i = 0; i < n; i++) {
        h[i] = t->pairs.pair[i].weight;
        g[i] = h[i] * t->pairs.pair[i].probability;
    }
    const bool is_finite = row_gradients_set(&t->gradients, g, t->pairs.is_even ? NULL : h);

    arena_free(&targets);
    if (!is_finite)
        return fail(err, PECK_DIVERGED,
                    "the weights of pairs are beyond the range of floats");
    for (size_t i = 0; i < workers; i++)
        TRY(grower_open(&t->scratch[i].grower, &t->bins, &rule, t->n_bag, NULL, err));
    return PECK_OK;
}

static void pairforest_close(void *self)
{
    struct pair_forest *const t = self;

    for (int i = 0; t->scratch != NULL && i < pool_size(t->task->pool); i++)
        grower_close(t->scratch[i].grower);
    row_gradients_close(&t->gradients);
    bins_close(&t->bins);
    pairing_free(&t->pairs);
    arena_free(&t->arena);
}

/* Growing ------------------------------------------------------------------------------ */

/* Tree first_tree + i, on a sample of the pairs without repetition, in rising order; a leaf
 * has the mean target of its pairs. */
static peck_status grow_tree(void *ctx, size_t i, int worker, peck_error *err)
{
    struct pair_forest *const t = ctx;
    struct grower *const g = t->scratch[worker].grower;
    uint32_t *const bag = t->scratch[worker].row;
    struct forest_tree *const to = &t->tree[i];
    size_t n = 0;
    struct rng r;

    *to = (struct forest_tree){ .node = to->node };
    if (t->task->is_stopped != NULL && t->task->is_stopped(t->task->ctx))
        return PECK_OK;
    rng_seed(&r, mix64(t->task->seed, STREAM_TREES), t->first_tree + i);
    for (size_t k = 0; k < t->pairs.n && n < t->n_bag; k++)
        if (rng_below(&r, t->pairs.n - k) < t->n_bag - n)
            bag[n++] = (uint32_t)k;
    TRY(grower_run(g, &t->gradients, bag, t->n_bag, NULL, &r, err));
    const struct tree_node *const grown = grower_tree(g, &to->n_nodes);

    for (size_t k = 0; k < to->n_nodes; k++) {
        const struct tree_node *const from = &grown[k];
        const uint32_t *const row = grower_rows(g, from);
        double sum = 0.0, squares = 0.0, weight = 0.0;

        if (from->left != k) {
            to->node[k] = (struct forest_node){ (float)from->feature, from->threshold,
                                                (float)from->left, from->gain };
            continue;
        }
        for (size_t p = 0; p < from->end - from->begin; p++) {
            const struct row_pair *const c = &t->pairs.pair[row[p]];
            const double w = (double)c->weight, target = (double)c->probability;

            weight += w;
            sum += w * target;
            squares += w * target * target;
        }
        const double mean = weight > 0.0 ? sum / weight : 0.5;

        /* sum w (target - mean)^2 over the leaf. */
        to->error += squares - sum * mean;
        to->node[k] = (struct forest_node){ 0.0f, FLT_MAX, (float)k, (float)mean };
    }
    return PECK_OK;
}

/* Trees join the model in their order, whoever was ready first. */
static peck_status pairforest_epoch(void *self, size_t number, struct epoch_stats *stats,
                                    peck_error *err)
{
    struct pair_forest *const t = self;

    const size_t first = (number - 1) * TREES_AN_EPOCH;
    const size_t left = (size_t)t->size->trees - first;
    const size_t n = left < TREES_AN_EPOCH ? left : TREES_AN_EPOCH;

    if (t->pairs.n == 0)
        return PECK_OK;
    if (first < t->first_tree || first >= t->first_tree + t->n_grown) {
        t->first_tree = first;
        t->n_grown = left < t->n_ahead ? left : t->n_ahead;
        TRY(pool_try(t->task->pool, t->n_grown, grow_tree, t, err));
    }
    const struct forest_tree *const tree = t->tree + (first - t->first_tree);

    for (size_t i = 0; i < n; i++)
        if (tree[i].n_nodes == 0)
            return fail(err, PECK_STOPPED, "training was stopped between two trees");
    for (size_t i = 0; i < n; i++) {
        const struct forest_tree *const s = &tree[i];

        memcpy(forest_add(t->task->w, s->n_nodes), s->node, s->n_nodes * sizeof *s->node);
        stats->loss += s->error / (double)t->n_bag;
    }
    stats->loss /= (double)n;
    stats->rate = t->config->bag;
    return PECK_OK;
}

static peck_status pairforest_check(void *self, size_t epochs, peck_error *err)
{
    const struct pair_forest *const t = self;
    const size_t all = (size_t)t->size->trees, n = forest_trees(t->task->w);
    const size_t due = epochs * TREES_AN_EPOCH < all ? epochs * TREES_AN_EPOCH : all;

    return n == due ? PECK_OK
                    : fail(err, PECK_FORMAT, "%zu trees after %zu epochs", n, epochs);
}

/* All pairs there are, drawn or not. */
static double pairforest_leaf_rows(const struct train_data *c)
{
    double n = 0.0;

    for (size_t q = 0; q < c->train_set->n_queries; q++)
        n += c->train_set->plan[q].n_all;
    return n;
}

const struct learner learner_forest = {
    .plug = { { "forest", "trees on sampled pairs, each on a part of them",
                "A random forest of histogram trees on pairs of documents (Breiman "
                "2001)." },
              pairforest_params },
    .config_size = sizeof(struct pairforest_config),
    .is_pairwise = true,
    .is_scale_free = true,
    .self_size = sizeof(struct pair_forest),
    .leaf_rows = pairforest_leaf_rows,
    .open = pairforest_open,
    .epoch = pairforest_epoch,
    .check = pairforest_check,
    .close = pairforest_close,
};
