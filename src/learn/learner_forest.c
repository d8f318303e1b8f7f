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
#include "learner.h"
#include "pairing.h"

#include "../base/alloc.h"
#include "../model/forest.h"

#include <math.h>

/* An epoch, whatever the number of threads. */
enum { TREES_AN_EPOCH = 10 };

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
      "pairs in a leaf at least; unless you say so, not more than a twentieth of all",
      offsetof(struct pairforest_config, min_leaf) },
    { "depth", PARAM_INT, "0", "[0,60000]", "questions down to a leaf at most; 0: any",
      offsetof(struct pairforest_config, depth) },
    { "bins", PARAM_INT, "256", "[2,256]", "values of a feature that trees tell apart",
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
    struct grow_rule rule;
    size_t n_bag;
    struct forest_scratch *plot; /* one a worker */
    struct forest_tree sapling[TREES_AN_EPOCH];
    size_t first_tree; /* of this epoch */
};

/* The table of pairs ------------------------------------------------------------------- */

/* The table is made column by column. */
struct pair_table {
    struct bins *to;
    const struct pairing *pairs;
    const struct bins *docs, *differences; /* differences NULL: none */
    size_t dim;
};

/* Which bins column f comes from, and by which name it goes there. */
static const struct bins *pairforest_source_of(const struct pair_table *l, size_t f,
                                               size_t *column)
{
    *column = f % l->dim;
    return f < 2 * l->dim ? l->docs : l->differences;
}

static void lay_column(void *ctx, size_t f, int worker)
{
    const struct pair_table *const l = ctx;
    size_t number;
    const struct bins *const source = pairforest_source_of(l, f, &number);
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

static peck_status bin_differences(struct pair_forest *t, struct bins *to, peck_error *err)
{
    const struct train_data *const c = t->task->train_data;
    const size_t dim = c->dim, n = t->pairs.n;
    float *const x = mem_new(n, dim * sizeof *x);

    if (x == NULL)
        return fail_memory(err, "differences of documents", n, dim * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        const float *const a = c->x + t->pairs.pair[i].first * dim;
        const float *const b = c->x + t->pairs.pair[i].second * dim;

        for (size_t f = 0; f < dim; f++) {
            const float d = a[f] - b[f]; /* infinite is as good as far, but no threshold */

            x[i * dim + f] = d > FLT_MAX ? FLT_MAX : d < -FLT_MAX ? -FLT_MAX : d;
        }
    }
    const peck_status st = bins_open(to, (struct rows){ x, n, dim, dim },
                                     (size_t)t->config->bins, t->task->pool, err);

    mem_free(x);
    return st;
}

static peck_status lay_table(struct pair_forest *t, struct bins *docs,
                             struct bins *differences, size_t n_questions, peck_error *err)
{
    const struct train_data *const c = t->task->train_data;
    const struct rows x = { c->x, c->train_set->n_docs, c->dim, c->dim };
    struct pair_table l = { &t->bins, &t->pairs, docs, differences, c->dim };

    TRY(bins_open(docs, x, (size_t)t->config->bins, t->task->pool, err));
    if (n_questions > 2 * c->dim)
        TRY(bin_differences(t, differences, err));
    TRY(bins_reserve(&t->bins, t->pairs.n, n_questions, n_questions, err));
    pool_run(t->task->pool, n_questions, lay_column, &l);
    bins_count(&t->bins);
    return PECK_OK;
}

/* Bins of documents are not needed once those of pairs are there. */
static peck_status bin_pairs(struct pair_forest *t, size_t n_questions, peck_error *err)
{
    struct bins docs = { 0 }, differences = { 0 };
    const peck_status st = lay_table(t, &docs, &differences, n_questions, err);

    bins_close(&docs);
    bins_close(&differences);
    return st;
}

/* g: the target times the weight; h: the weight. */
static peck_status set_gradients(struct pair_forest *t, peck_error *err)
{
    const size_t n = t->pairs.n;
    float *const g = mem_new(n, 2 * sizeof *g), *const h = g != NULL ? g + n : NULL;

    if (g == NULL)
        return fail_memory(err, "targets", n, 2 * sizeof *g);
    for (size_t i = 0; i < n; i++) {
        h[i] = t->pairs.pair[i].weight;
        g[i] = h[i] * t->pairs.pair[i].probability;
    }
    const peck_status st = row_gradients_open(&t->gradients, n, err);

    const bool is_finite =
        st != PECK_OK || row_gradients_set(&t->gradients, g, t->pairs.is_even ? NULL : h);

    mem_free(g);
    if (!is_finite)
        return fail(err, PECK_DIVERGED,
                    "the weights of pairs are beyond the range of floats");
    return st;
}

/* Opening ------------------------------------------------------------------------------ */

static peck_status pairforest_take_memory(struct pair_forest *t, peck_error *err)
{
    const size_t workers = (size_t)pool_size(t->task->pool);
    const size_t n_nodes = 2 * t->rule.leaves;

    t->plot = mem_new(workers, sizeof *t->plot);
    if (t->plot == NULL)
        return fail_memory(err, "trees", workers, sizeof *t->plot);
    for (size_t i = 0; i < workers; i++) {
        TRY(grower_open(&t->plot[i].grower, &t->bins, &t->rule, t->n_bag, NULL, err));
        if ((t->plot[i].row = mem_new(t->pairs.n, sizeof *t->plot[i].row)) == NULL)
            return fail_memory(err, "rows of a tree", t->pairs.n, sizeof(uint32_t));
    }
    for (size_t i = 0; i < TREES_AN_EPOCH; i++)
        if ((t->sapling[i].node = mem_new(n_nodes, sizeof *t->sapling[i].node)) == NULL)
            return fail_memory(err, "trees", n_nodes, sizeof *t->sapling[i].node);
    return PECK_OK;
}

static size_t pairs_wanted(const struct pair_forest *t)
{
    const size_t n_docs = t->task->train_data->train_set->n_docs;
    const size_t most = (size_t)t->config->max_pairs, each = (size_t)t->config->doc_pairs;
    const size_t n = n_docs < most / each ? n_docs * each : most;

    return n > n_docs ? n : n_docs;
}

static void set_rule(struct pair_forest *t, size_t n_questions)
{
    const struct pairforest_config *const c = t->config;
    const double share = c->split_features * (double)n_questions;
    const double part =
        c->split_features > 0.0 ? share : fmax(sqrt((double)n_questions), FEWEST_FEATURES);

    t->rule = (struct grow_rule){ .leaves = (size_t)t->size->leaves,
                                  .depth = (size_t)c->depth,
                                  .min_leaf = (size_t)c->min_leaf,
                                  .per_split = part > 1.0 ? (size_t)rint(part) : 1 };
    t->n_bag = (size_t)ceil(c->bag * (double)t->pairs.n);
    if (t->n_bag > t->pairs.n)
        t->n_bag = t->pairs.n;
    if (t->rule.leaves > t->n_bag + 1)
        t->rule.leaves = t->n_bag + 1;
}

static peck_status pairforest_open(void *self, const struct task *task,
                                   struct stopping *stopping, peck_error *err)
{
    struct pair_forest *const t = self;
    const struct family *const family = task->plan->recipe->family;
    struct rng r;

    t->task = task;
    t->config = task->plan->learner;
    t->size = task->plan->shape; /* the first part of the shape */
    const size_t n_questions = pairforest_questions(task->plan->shape);

    *stopping =
        (struct stopping){ .n_epochs = ((size_t)t->size->trees + TREES_AN_EPOCH - 1) /
                                       TREES_AN_EPOCH,
                           .is_last_best = true };
    rng_seed(&r, task->seed, STREAM_PAIRS);
    family_init(family, task->plan->shape, &r, task->w);
    TRY(pairing_draw(&t->pairs, task->train_data->train_set, pairs_wanted(t), &r, err));
    set_rule(t, n_questions);
    TRY(bin_pairs(t, n_questions, err));
    TRY(set_gradients(t, err));
    return pairforest_take_memory(t, err);
}

static void pairforest_close(void *self)
{
    struct pair_forest *const t = self;

    for (int i = 0; t->plot != NULL && i < pool_size(t->task->pool); i++) {
        grower_close(t->plot[i].grower);
        mem_free(t->plot[i].row);
    }
    mem_free(t->plot);
    for (size_t i = 0; i < TREES_AN_EPOCH; i++)
        mem_free(t->sapling[i].node);
    row_gradients_close(&t->gradients);
    bins_close(&t->bins);
    pairing_free(&t->pairs);
}

/* Growing ------------------------------------------------------------------------------ */

/* The first n_bag of row[] become a sample without repetition, in rising order. */
static void fill_bag(const struct pair_forest *t, uint32_t *row, struct rng *r)
{
    size_t n = 0, wanted = t->n_bag;

    for (size_t i = 0; i < t->pairs.n && wanted > 0; i++)
        if (rng_below(r, t->pairs.n - i) < wanted) {
            row[n++] = (uint32_t)i;
            wanted--;
        }
}

/* The mean target of a leaf; adds to the squared error. */
static float settle_leaf(const struct pair_forest *t, const uint32_t *row, size_t n,
                         double *error)
{
    double sum = 0.0, squares = 0.0, weight = 0.0;

    for (size_t i = 0; i < n; i++) {
        const struct row_pair *const c = &t->pairs.pair[row[i]];

        weight += (double)c->weight;
        sum += (double)c->weight * (double)c->probability;
        squares += (double)c->weight * (double)c->probability * (double)c->probability;
    }
    const double mean = weight > 0.0 ? sum / weight : 0.5;

    *error += squares - sum * mean;
    return (float)mean;
}

static void take_tree(const struct pair_forest *t, const struct grower *g,
                      struct forest_tree *to)
{
    const struct tree_node *const grown = grower_tree(g, &to->n_nodes);

    to->error = 0.0;
    for (size_t i = 0; i < to->n_nodes; i++) {
        const struct tree_node *const from = &grown[i];

        to->node[i] = (struct forest_node){ (float)from->feature, from->threshold,
                                            (float)from->left, from->gain };
        if (from->left == i)
            to->node[i] =
                (struct forest_node){ 0.0f, FLT_MAX, (float)i,
                                      settle_leaf(t, grower_rows(g, from),
                                                  from->end - from->begin, &to->error) };
    }
}

static void grow_tree(void *ctx, size_t i, int worker)
{
    struct pair_forest *const t = ctx;
    struct forest_scratch *const p = &t->plot[worker];
    struct rng r;

    t->sapling[i].n_nodes = 0;
    if (t->task->is_stopped != NULL && t->task->is_stopped(t->task->ctx))
        return;
    rng_seed(&r, mix64(t->task->seed, STREAM_TREES), t->first_tree + i);
    fill_bag(t, p->row, &r);
    grower_run(p->grower, &t->gradients, p->row, t->n_bag, NULL, &r);
    take_tree(t, p->grower, &t->sapling[i]);
}

/* Trees join the model in their order, whoever was ready first. */
static peck_status pairforest_epoch(void *self, size_t number, struct epoch_stats *stats,
                                    peck_error *err)
{
    struct pair_forest *const t = self;
    const size_t all = (size_t)t->size->trees;
    double error = 0.0;

    t->first_tree = (number - 1) * TREES_AN_EPOCH;
    const size_t left = all - t->first_tree;
    const size_t n = left < TREES_AN_EPOCH ? left : TREES_AN_EPOCH;

    if (t->pairs.n == 0)
        return PECK_OK;
    pool_run(t->task->pool, n, grow_tree, t);
    for (size_t i = 0; i < n; i++)
        if (t->sapling[i].n_nodes == 0)
            return fail(err, PECK_STOPPED, "training was stopped between two trees");
    for (size_t i = 0; i < n; i++) {
        const struct forest_tree *const s = &t->sapling[i];

        memcpy(forest_add(t->task->w, s->n_nodes), s->node, s->n_nodes * sizeof *s->node);
        error += s->error / (double)t->n_bag;
    }
    stats->loss = error / (double)n;
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
