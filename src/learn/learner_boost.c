/* learner_boost.c -- trees one after another, each a Newton step on the loss.
 *
 * A tree is grown on the derivatives of the loss by the scores of all documents: with G, H
 * the sums of first and second derivatives over a leaf, its value is
 *
 *   v = -rate G / (H + l2)
 *
 * MART on squared error, LambdaMART on the gradients of LambdaRank.  drop= is DART: some
 * of the trees so far are left out while the next one is grown, which then shares with
 * the k of them: it counts 1 / (k + 1), they k / (k + 1) of what they did.
 *
 * Rules add their penalty's derivatives, and bounds of its second ones, to all documents of
 * the queries that they speak of; those of a query without labels have nothing else.
 *
 * Several ranks share the work: each derives, bins and scores its own queries, and all grow the
 * same tree (grow.h).  Sums of floating-point numbers are made in turn, in the order of the
 * rows, so that they are those of one rank.
 *
 * Friedman, "Greedy function approximation: a gradient boosting machine", Ann. Stat. 2001;
 * Wu, Burges, Svore, Gao, "Ranking, boosting, and model adaptation", 2008; Rashmi and
 * Gilad-Bachrach, "DART: dropouts meet multiple additive regression trees", 2015.     */
#include "grow.h"
#include "learner.h"

#include "../base/finite.h"
#include "../base/maths.h"
#include "../model/forest.h"

#include <math.h>

enum {
    SHARD = 16,      /* queries a task looks at */
    BLOCK = 256,     /* documents that go down a tree in one go */
    CHUNK = 1 << 13, /* rows of a leaf that a task moves */
    SLICE = 64,      /* tasks after which bins that lie in a file are given back */
    HELD = 40,       /* bytes a document, about, beside its bins */
};

#define LARGEST_TRIAL_RATE 0.5

struct tree_boost_config {
    int64_t patience, min_leaf, depth, bins;
    double rate, l2, min_weight, min_gain, query_share, feature_share, drop;
    int growth; /* as the choice below */
};

static const struct param tree_boost_params[] = {
    { "rate", PARAM_FLOAT, "0.1", "(0,1]",
      "learning rate: the share of a Newton step "
      "that each tree takes",
      offsetof(struct tree_boost_config, rate) },
    { "patience", PARAM_INT, "100", "[0,1000000]",
      "stop when the validation metric has not risen for this many trees; 0: never",
      offsetof(struct tree_boost_config, patience) },
    { "growth", PARAM_CHOICE, "leaf", "leaf|level",
      "which leaf is split next: the one that gains most, or level by level",
      offsetof(struct tree_boost_config, growth) },
    { "depth", PARAM_INT, "0", "[0,60000]", "maximum depth of a tree; 0: no limit",
      offsetof(struct tree_boost_config, depth) },
    { "min_leaf", PARAM_INT, "20", "[1,1000000000]",
      "minimum number of documents in a leaf; unless set, at most a twentieth of all",
      offsetof(struct tree_boost_config, min_leaf) },
    { "min_weight", PARAM_FLOAT, "0", "[0,1e9]",
      "minimum sum of second derivatives (hessian) in a leaf",
      offsetof(struct tree_boost_config, min_weight) },
    { "l2", PARAM_FLOAT, "0", "[0,1e9]",
      "added to the sum of second derivatives of a leaf: shrinks its value (L2)",
      offsetof(struct tree_boost_config, l2) },
    { "min_gain", PARAM_FLOAT, "0", "[0,1e9]", "minimum gain of a split",
      offsetof(struct tree_boost_config, min_gain) },
    { "query_share", PARAM_FLOAT, "1", "(0,1]",
      "share of the queries that a tree is grown on, drawn for each",
      offsetof(struct tree_boost_config, query_share) },
    { "feature_share", PARAM_FLOAT, "1", "(0,1]",
      "share of the features that a tree may use, drawn for each",
      offsetof(struct tree_boost_config, feature_share) },
    { "drop", PARAM_FLOAT, "0", "[0,1)",
      "chance of each tree to be dropped while the next is grown (DART)",
      offsetof(struct tree_boost_config, drop) },
    { "bins", PARAM_INT, "256", "[2,256]", "histogram bins of a feature",
      offsetof(struct tree_boost_config, bins) },
    { 0 },
};

/* Some rows of a leaf of the tree that was just grown. */
struct leaf_piece {
    size_t leaf, begin, end; /* among the leaf's rows */
};

/* A question as bins have it: a row goes right where (uint8_t)(its bin - low) > last; low is 1
 * where gaps, whose bin is 0, go right.  A leaf: low 0, last 255, from and to itself. */
struct binned_node {
    struct bin_column column;
    uint32_t left;
    uint8_t low, last;
};

/* First and second derivatives of a leaf. */
struct leaf_sum {
    double g, h;
};

/* Rows and queries here are those of this rank, from its first on: a row is task->train_data's
 * own_row more in the training set. */
struct tree_boost {
    const struct task *task;
    const struct tree_boost_config *config;
    struct arena arena;
    struct bins bins;
    struct bins valid_bins; /* where memory is limited, of the validation data */
    struct grower *grower;
    struct row_gradients gradients;
    struct query_scratch *scratch; /* one a worker */
    /* Of all ranks' documents, in the order of the training set, and of the validation data, in
     * the data's order (NULL: there is none); between checkpoints, each rank has its own. */
    double *score, *valid_score;
    bool is_kept;                              /* checkpoints have all scores */
    float *s;                                  /* max_docs a worker: scores of a query */
    float *g, *h;                              /* own_rows: derivatives */
    double *loss;                              /* n_queries */
    struct rule_penalty rule_penalty;          /* all zero: no rules */
    struct rule_penalty_scratch *rule_scratch; /* one a worker */
    double rule_scale;                         /* of every query's penalty */
    bool *has_rules; /* n_queries: rules speak of it; NULL: no rules */

    bool *is_in;      /* n_queries: the tree is grown on it */
    uint8_t *is_used; /* dim: the tree may ask about it */
    uint32_t *pick;   /* n_queries or dim: who is drawn; where a query's rows begin */
    struct leaf_sum *sum[2]; /* nodes: leaves whose rows rise, and fall */
    bool adds[2];            /* whose turn it is */
    struct forest_node *node;
    struct binned_node *question; /* the tree that goes over the training data */
    struct leaf_piece *piece;     /* own_rows / CHUNK + leaves */
    struct forest_node **dropped; /* trees that are left out */
    size_t n_dropped, epoch;
    bool *saw_gap;  /* one a worker */
    bool has_gaps;  /* a feature of a validation document is missing */
    bool is_binned; /* validation data goes down trees by its bins */
};

/* Opening ------------------------------------------------------------------------------ */

/* Fewer, larger steps: a sixteenth at twice the rate.  At four times, sizes would be judged
 * by how well they bear that; at less, by which learns faster. */
static void tree_boost_shorten(void *config, void *shape, double share)
{
    struct tree_boost_config *const c = config;
    struct forest_size *const size = shape;

    size->trees = (int64_t)ceil(share * (double)size->trees);
    c->patience = (int64_t)ceil(sqrt(share) * (double)c->patience);
    c->rate = math_min(c->rate / sqrt(sqrt(share)), LARGEST_TRIAL_RATE);
}

static size_t own_queries(const struct tree_boost *b)
{
    const struct peck_dataset *const d = b->task->train_data->data;

    return dataset_own_end(d) - dataset_own_first(d);
}

/* Queries of a shard of this rank's: *first up to the one before the end, which comes back. */
static size_t shard_end(const struct tree_boost *b, size_t shard, size_t *first)
{
    const struct peck_dataset *const d = b->task->train_data->data;
    const size_t end = dataset_own_end(d);

    *first = dataset_own_first(d) + shard * SHARD;
    return *first + SHARD < end ? *first + SHARD : end;
}

/* The first row of query q, one of this rank's, and the row behind its last. */
static size_t row_of(const struct tree_boost *b, size_t q)
{
    const struct train_data *const d = b->task->train_data;

    return (size_t)d->train_set->start[q] - d->own_row;
}

/* SHARD queries of this rank a task. */
static void run_shards(struct tree_boost *b,
                       void (*task)(void *ctx, size_t shard, int worker), void *ctx)
{
    pool_run(b->task->pool, (own_queries(b) + SHARD - 1) / SHARD, task, ctx);
}

/* The documents of query q, from its first, that a tree may be grown on. */
static size_t rows_of(const struct tree_boost *b, size_t q)
{
    const struct train_set *const l = b->task->train_data->train_set;

    if (b->has_rules != NULL && b->has_rules[q])
        return (size_t)(l->start[q + 1] - l->start[q]);
    return l->plan[q].n_all > 0.0 ? l->plan[q].n_ranked : 0;
}

/* Rules, as sgd weighs them: a loss that is a mean over the queries that teach, beside
 * penalties that are means over the queries spoken of. */
static void open_rules(struct tree_boost *b)
{
    const struct train_data *const d = b->task->train_data;
    const struct train_set *const l = d->train_set;
    const size_t workers = (size_t)pool_size(b->task->pool);
    const char *const what = "rules";

    b->rule_penalty = (struct rule_penalty){ d->rule_scope, b->task->rule_weight,
                                             b->task->rule_pace.alpha };
    b->has_rules = arena_new(&b->arena, what, l->n_queries, sizeof *b->has_rules);
    b->rule_scratch = arena_new(&b->arena, what, workers, sizeof *b->rule_scratch);
    if (b->has_rules == NULL || b->rule_scratch == NULL)
        return;
    for (size_t i = 0; i < workers; i++)
        b->rule_scratch[i] = rule_penalty_scratch_new(&b->arena, &b->rule_penalty);
    for (size_t q = 0; q < l->n_queries; q++) {
        b->has_rules[q] = rule_penalty_speaks_of(&b->rule_penalty, q);
        if (l->plan[q].n_all > 0.0)
            b->rule_scale += l->weight != NULL ? (double)l->weight[q] : 1.0;
    }
}

/* Queries of the training or of the validation data, normalised as they are needed. */
struct query_blocks {
    const struct train_data *data;
    float *room;
    size_t n_room; /* a worker */
};

static struct rows query_block(void *ctx, size_t q, int worker, size_t *first)
{
    const struct query_blocks *const from = ctx;

    q += dataset_own_first(from->data->data);
    *first = (size_t)from->data->train_set->start[q] - from->data->own_row;
    return train_data_query(from->data, q, from->room + from->n_room * (size_t)worker);
}

static void forget_queries(void *ctx)
{
    dataset_forget(((const struct query_blocks *)ctx)->data->data);
}

/* The same of the validation data, in the data's order. */
static struct rows valid_query_block(void *ctx, size_t q, int worker, size_t *first)
{
    const struct query_blocks *const from = ctx;
    const struct train_data *const d = from->data;
    const struct eval_docs docs = train_data_valid_docs(d);

    q += docs.first;
    *first = (size_t)docs.start[q] - d->valid_row;
    return docs.make(d, q, from->room + from->n_room * (size_t)worker);
}

static void forget_valid_queries(void *ctx)
{
    dataset_forget(((const struct query_blocks *)ctx)->data->validation.data);
}

static size_t cells_of(size_t rows, size_t dim)
{
    return rows * ((dim + LANES - 1) / LANES * LANES);
}

/* In memory, where there is no limit or all of it fits beside what else is held; else in a file,
 * and half of the room that is left may be taken by what is at hand of it. */
static peck_status place_bins(const struct tree_boost *b, struct bins_place *place,
                              peck_error *err)
{
    enum { MOST_SAMPLED = 200000 }; /* rows, while edges are found */
    const struct train_data *const d = b->task->train_data;
    const struct forest_size *const size = b->task->plan->shape;
    const size_t n = d->train_set->n_docs, limit = d->limit.bytes;
    const size_t bins = cells_of(d->own_rows, d->dim) + cells_of(d->valid_rows, d->dim);
    const size_t sample = (n < MOST_SAMPLED ? n : MOST_SAMPLED) * d->dim * sizeof(float);
    const size_t held = (n + d->valid_rows) * HELD +
                        ((size_t)size->leaves + 1) * d->dim * MAX_BINS * sizeof(int64_t);

    *place = (struct bins_place){ 0 };
    if (limit == 0 || held + bins + sample <= limit)
        return PECK_OK;
    if (d->limit.folder == NULL)
        return fail(err, PECK_ARG,
                    "%s: with bins of %zu MB training takes more memory than it may; name "
                    "a folder for scratch files, or allow more",
                    d->data->name, bins >> 20);
    *place = (struct bins_place){ d->limit.folder, limit > held ? (limit - held) / 2 : 0 };
    return PECK_OK;
}

static peck_status cut_into_bins(struct tree_boost *b, peck_error *err)
{
    const struct train_data *const d = b->task->train_data;
    const struct peck_dataset *const v = d->validation.data;
    const size_t workers = (size_t)pool_size(b->task->pool);
    struct arena room = { 0 };
    struct query_blocks from = { .data = d, .n_room = train_data_room(d) };
    struct bins_place place;

    TRY(place_bins(b, &place, err));
    if (b->is_binned && train_data_valid_docs(d).n_room > from.n_room)
        from.n_room = train_data_valid_docs(d).n_room;
    from.room = arena_new(&room, "queries", workers * from.n_room, sizeof *from.room);
    peck_status st = arena_check(&room, err);

    if (st == PECK_OK)
        st = bins_open(&b->bins,
                       &(struct row_blocks){ .n = d->own_rows,
                                             .dim = d->dim,
                                             .n_blocks = own_queries(b),
                                             .block = query_block,
                                             .ctx = &from,
                                             .forget = forget_queries,
                                             .comm = d->comm,
                                             .first_row = d->own_row,
                                             .n_all = d->train_set->n_docs },
                       (size_t)b->config->bins, &place, b->task->pool, err);
    place.kept = 0;
    if (st == PECK_OK && b->is_binned)
        st = bins_open_as(
            &b->valid_bins, &b->bins,
            &(struct row_blocks){ .n = d->valid_rows,
                                  .dim = d->dim,
                                  .n_blocks = dataset_own_end(v) - dataset_own_first(v),
                                  .block = valid_query_block,
                                  .ctx = &from,
                                  .forget = forget_valid_queries },
            &place, b->task->pool, err);
    arena_free(&room);
    return st;
}

/* BLOCK documents of the validation data. */
static struct rows valid_block(const struct tree_boost *b, size_t i)
{
    const struct train_data *const c = b->task->train_data;
    const size_t first = i * BLOCK, left = c->valid_rows - first;

    return (struct rows){ c->valid_x + first * c->dim, left < BLOCK ? left : BLOCK, c->dim,
                          c->dim };
}

static void look_for_gaps(void *ctx, size_t i, int worker)
{
    struct tree_boost *const b = ctx;

    b->saw_gap[worker] |= forest_has_gaps(valid_block(b, i));
}

static peck_status tree_boost_open(void *self, const struct task *task,
                                   struct stopping *stopping, peck_error *err)
{
    struct tree_boost *const b = self;
    struct arena *const m = &b->arena;
    const struct tree_boost_config *const c = task->plan->learner;
    const struct train_data *const d = task->train_data;
    const struct forest_size *const size = task->plan->shape; /* its first part */
    const size_t n = d->own_rows, n_docs = d->train_set->n_docs,
                 n_queries = d->train_set->n_queries;
    const size_t workers = (size_t)pool_size(task->pool);
    struct grow_rule rule = { .leaves = (size_t)size->leaves,
                              .depth = (size_t)c->depth,
                              .min_leaf = (size_t)c->min_leaf,
                              .min_weight = c->min_weight,
                              .l2 = c->l2,
                              .min_gain = c->min_gain,
                              .is_level_by_level = c->growth == 1 };
    const char *const what = "boosting";
    double n_rows = 0.0;

    b->task = task;
    b->config = c;
    b->is_binned = d->validation.data != NULL && d->valid_x == NULL;
    *stopping = (struct stopping){ .n_epochs = (size_t)size->trees,
                                   .patience = (size_t)c->patience };
    forest_clear(task->w);
    b->score = arena_new(m, what, n_docs, sizeof *b->score);
    b->s = arena_new(m, what, workers * d->train_set->max_docs, sizeof *b->s);
    b->g = arena_new(m, what, n, sizeof *b->g);
    b->h = arena_new(m, what, n, sizeof *b->h);
    b->loss = arena_new(m, what, n_queries, sizeof *b->loss);

    b->is_in = arena_new(m, what, n_queries, sizeof *b->is_in);
    b->is_used = arena_new(m, what, d->dim, sizeof *b->is_used);
    b->pick = arena_new(m, what, n_queries > d->dim ? n_queries : d->dim, sizeof *b->pick);
    for (int k = 0; k < 2; k++)
        b->sum[k] = arena_new(m, what, 2 * rule.leaves, sizeof *b->sum[k]);
    b->node = arena_new(m, what, 2 * rule.leaves, sizeof *b->node);
    b->question = arena_new(m, what, 2 * rule.leaves, sizeof *b->question);
    b->piece = arena_new(m, what, n / CHUNK + rule.leaves + 1, sizeof *b->piece);
    b->dropped = arena_new(m, what, (size_t)size->trees, sizeof(struct forest_node *));
    if (d->validation.data != NULL)
        b->valid_score =
            arena_new(m, what, d->validation.data->n_docs, sizeof *b->valid_score);
    b->scratch = arena_new(m, what, workers, sizeof *b->scratch);
    b->saw_gap = arena_new(m, what, workers, sizeof *b->saw_gap);
    if (task->rule_weight != NULL && d->rule_scope != NULL)
        open_rules(b);
    TRY(arena_check(m, err));
    /* Queries that nobody judged, and no rule that counts speaks of, are in no leaf. */
    for (size_t q = 0; q < n_queries; q++)
        if (rows_of(b, q) > 0 || d->train_set->plan[q].n_judged > 0)
            n_rows += (double)(d->train_set->start[q + 1] - d->train_set->start[q]);
    if (!task->plan->has_own_leaf)
        rule.min_leaf = leaf_at_most(rule.min_leaf, n_rows);
    if (!b->is_binned)
        pool_run(task->pool, (d->valid_rows + BLOCK - 1) / BLOCK, look_for_gaps, b);
    for (size_t i = 0; i < workers; i++)
        b->has_gaps |= b->saw_gap[i];
    for (size_t i = 0; i < workers; i++)
        TRY(query_scratch_init(&b->scratch[i], d->train_set, task->plan->recipe->objective,
                               err));
    int64_t n_keepers = task->is_kept;

    TRY(comm_add(d->comm, &n_keepers, 1, err));
    b->is_kept = n_keepers > 0;
    TRY(cut_into_bins(b, err));
    TRY(grower_open(&b->grower, &b->bins, &rule, n, task->pool, err));
    return row_gradients_open_in(&b->gradients, grower_gradients(b->grower), n, n_docs,
                                 err);
}

static void tree_boost_close(void *self)
{
    struct tree_boost *const b = self;

    for (int i = 0; b->scratch != NULL && i < pool_size(b->task->pool); i++)
        query_scratch_free(&b->scratch[i]);
    grower_close(b->grower);
    row_gradients_close(&b->gradients);
    bins_close(&b->valid_bins);
    bins_close(&b->bins);
    arena_free(&b->arena);
}

/* Scores ------------------------------------------------------------------------------- */

struct tree_walk {
    struct tree_boost *b;
    const struct forest_node *tree;
    double scale;
    bool is_grown_here; /* rows that the tree was grown on have their scores already */
    size_t first;       /* task */
};

/* A threshold is an edge, and what lies between two edges goes the same way. */
static void bin_tree(struct tree_boost *b, const struct bins *bins,
                     const struct forest_node *tree)
{
    for (size_t i = 0; i < forest_nodes(tree); i++) {
        const bool is_leaf = (size_t)tree[i].left == i;
        const size_t feature = is_leaf ? 0 : (size_t)tree[i].feature;
        const bool is_gap_right = !is_leaf && tree[i].feature != (float)feature;
        const float *const edge = bins->edge + feature * MAX_BINS;
        size_t bin = 0;

        while (!is_leaf && edge[bin] < tree[i].threshold)
            bin++;
        b->question[i] = (struct binned_node){
            bins_column(bins, feature), (uint32_t)tree[i].left, is_gap_right ? 1 : 0,
            is_leaf ? UINT8_MAX : (uint8_t)(bin - (is_gap_right ? 1 : 0))
        };
    }
}

/* Rows from first to the one before the end, by their bins. */
static void walk_rows(const struct tree_walk *w, size_t first, size_t end, double *score)
{
    const struct binned_node *const node = w->b->question;

    for (size_t row = first; row < end; row++) {
        uint32_t at = 0, next;

        while ((next = node[at].left + ((uint8_t)(column_at(node[at].column, row) -
                                                  node[at].low) > node[at].last)) != at)
            at = next;
        score[row] += w->scale * (double)w->tree[at].value;
    }
}

/* Queries of the training data. */
static void walk_shard(void *ctx, size_t i, int worker)
{
    const struct tree_walk *const w = ctx;
    double *const score = w->b->score + w->b->task->train_data->own_row;
    size_t q;

    (void)worker;
    for (const size_t end = shard_end(w->b, w->first + i, &q); q < end; q++) {
        const bool is_done = w->is_grown_here && w->b->is_in[q];

        walk_rows(w, row_of(w->b, q) + (is_done ? rows_of(w->b, q) : 0),
                  row_of(w->b, q + 1), score);
    }
}

/* BLOCK documents of the validation data, by their bins. */
static void walk_valid_bins(void *ctx, size_t i, int worker)
{
    const struct tree_walk *const w = ctx;
    const struct train_data *const d = w->b->task->train_data;
    const size_t first = (w->first + i) * BLOCK;

    (void)worker;
    walk_rows(w, first, first + BLOCK < d->valid_rows ? first + BLOCK : d->valid_rows,
              w->b->valid_score + d->valid_row);
}

/* n tasks, after some of which bins that lie in a file are given back. */
static void walk_bins(struct tree_walk *w, const struct bins *bins, size_t n,
                      void (*task)(void *ctx, size_t i, int worker))
{
    const size_t at_once = bins->spill.data != NULL ? SLICE : n;

    bin_tree(w->b, bins, w->tree);
    for (w->first = 0; w->first < n; w->first += at_once) {
        pool_run(w->b->task->pool, n - w->first < at_once ? n - w->first : at_once, task,
                 w);
        bins_forget_all(bins);
    }
}

/* Validation data, as it is: BLOCK documents at a time. */
static void walk_valid(void *ctx, size_t i, int worker)
{
    const struct tree_walk *const w = ctx;
    const struct rows x = valid_block(w->b, i);
    double *const score = w->b->valid_score + w->b->task->train_data->valid_row + i * BLOCK;
    double value[BLOCK] = { 0 };

    (void)worker;
    forest_walk(w->tree, x, w->b->has_gaps, value);
    for (size_t k = 0; k < x.n; k++)
        score[k] += w->scale * value[k];
}

/* On training and validation documents alike. */
static void add_tree(struct tree_boost *b, const struct forest_node *tree, double scale,
                     bool is_grown_here)
{
    const struct train_data *const c = b->task->train_data;
    const size_t n_blocks = (c->valid_rows + BLOCK - 1) / BLOCK;
    struct tree_walk w = { b, tree, scale, is_grown_here, 0 };

    walk_bins(&w, &b->bins, (own_queries(b) + SHARD - 1) / SHARD, walk_shard);
    if (b->is_binned)
        walk_bins(&w, &b->valid_bins, n_blocks, walk_valid_bins);
    else
        pool_run(b->task->pool, n_blocks, walk_valid, &w);
}

static void score_piece(void *ctx, size_t i, int worker)
{
    struct tree_boost *const b = ctx;
    const struct leaf_piece p = b->piece[i];
    size_t n_nodes;
    const uint32_t *const row =
        grower_rows(b->grower, &grower_tree(b->grower, &n_nodes)[p.leaf]);
    const double value = (double)b->node[p.leaf].value;
    double *const score = b->score + b->task->train_data->own_row;

    (void)worker;
    for (size_t k = p.begin; k < p.end; k++)
        score[row[k]] += value;
}

static void score_leaves(struct tree_boost *b)
{
    size_t n_nodes, n = 0;
    const struct tree_node *const tree = grower_tree(b->grower, &n_nodes);

    for (size_t i = 0; i < n_nodes; i++)
        for (size_t at = 0, size = tree[i].end - tree[i].begin;
             tree[i].left == i && at < size; at += CHUNK)
            b->piece[n++] =
                (struct leaf_piece){ i, at, at + CHUNK < size ? at + CHUNK : size };
    pool_run(b->task->pool, n, score_piece, b);
}

/* An epoch ----------------------------------------------------------------------------- */

/* Loss and derivatives of SHARD queries by the present scores. */
static void derive_shard(void *ctx, size_t shard, int worker)
{
    struct tree_boost *const b = ctx;
    const struct plan *const plan = b->task->plan;
    const struct train_set *const l = b->task->train_data->train_set;
    size_t q;

    for (const size_t end = shard_end(b, shard, &q); q < end; q++) {
        const struct query_pairs query =
            train_set_query(l, q, b->task->seed, b->epoch, &b->scratch[worker]);
        const size_t first = row_of(b, q);
        float *const s = b->s + (size_t)worker * l->max_docs, *const g = b->g + first,
                     *const h = b->h + first;

        for (size_t i = 0; i < query.n; i++) {
            s[i] = (float)b->score[l->start[q] + i];
            g[i] = h[i] = 0.0f;
        }
        b->loss[q] = plan->recipe->objective->newton(plan->objective, &query, s, g, h) *
                     (double)query.weight;
        for (size_t i = 0; query.weight != 1.0f && i < query.n; i++) {
            g[i] *= query.weight;
            h[i] *= query.weight;
        }
        if (b->has_rules != NULL && b->has_rules[q])
            b->loss[q] += rule_penalty_newton(&b->rule_penalty, q, b->rule_scale, s, g, h,
                                              &b->rule_scratch[worker]);
    }
}

/* What is summed up over queries and rows, from the first to the last. */
struct boost_sums {
    double loss;
    struct gradient_sums gradients;
};

static void add_own(void *ctx, void *state)
{
    const struct tree_boost *const b = ctx;
    const struct train_data *const d = b->task->train_data;
    struct boost_sums *const sums = state;

    for (size_t q = dataset_own_first(d->data); q < dataset_own_end(d->data); q++)
        sums->loss += b->loss[q];
    gradient_sums_add(&sums->gradients, b->g, b->h, d->own_rows);
}

/* The rows that the tree is grown on, of SHARD queries; pick[] says where they begin. */
static void list_rows(void *ctx, size_t shard, int worker)
{
    struct tree_boost *const b = ctx;
    uint32_t *const row = grower_list(b->grower);
    size_t q;

    (void)worker;
    for (const size_t end = shard_end(b, shard, &q); q < end; q++)
        for (size_t i = 0; b->is_in[q] && i < rows_of(b, q); i++)
            row[b->pick[q] + i] = (uint32_t)(row_of(b, q) + i);
}

/* pick[] becomes a random order of n; how many of them `share` is comes back. */
static size_t tree_boost_shuffle(struct tree_boost *b, size_t n, double share,
                                 struct rng *r)
{
    for (size_t i = 0; i < n; i++)
        b->pick[i] = (uint32_t)i;
    if (share < 1.0)
        rng_shuffle(r, b->pick, n);
    const size_t some = (size_t)ceil(share * (double)n);

    return some < n ? some : n;
}

/* Rows of this rank are added to leaf i of the tree that was grown, if it is its turn. */
static void add_leaf(void *ctx, size_t i, int worker)
{
    const struct tree_boost *const b = ctx;
    size_t n_nodes;
    const struct tree_node *const t = &grower_tree(b->grower, &n_nodes)[i];
    struct leaf_sum *const sum = &b->sum[t->is_falling][i];
    const uint32_t *const row = grower_rows(b->grower, t);
    double g = sum->g, h = sum->h;

    (void)worker;
    if (t->left != i || !b->adds[t->is_falling])
        return;
    for (size_t k = 0; k < t->end - t->begin; k++) {
        g += (double)b->g[row[k]];
        h += (double)b->h[row[k]];
    }
    *sum = (struct leaf_sum){ g, h };
}

/* The tree that was grown, as the model has it: a leaf is a Newton step for its rows, in double.
 * Rows are added in the grower's order, those of the ranks in the same: rising from the first
 * rank on, falling from the last. */
static peck_status take_nodes(struct tree_boost *b, peck_error *err)
{
    const peck_comm *const comm = b->task->train_data->comm;
    const size_t ranks = comm_ranks(comm), rank = comm_rank(comm);
    const double step = -1.0 / (double)(b->n_dropped + 1) * b->config->rate;
    size_t n_nodes;
    const struct tree_node *const tree = grower_tree(b->grower, &n_nodes);

    for (size_t i = 0; i < n_nodes; i++)
        b->sum[0][i] = b->sum[1][i] = (struct leaf_sum){ 0.0, b->config->l2 };
    for (size_t turn = 0; turn < ranks; turn++) {
        const size_t who[2] = { turn, ranks - 1 - turn };

        for (int k = 0; k < 2; k++)
            b->adds[k] = who[k] == rank;
        if (b->adds[0] || b->adds[1])
            pool_run(b->task->pool, n_nodes, add_leaf, b);
        for (int k = 0; k < 2; k++)
            TRY(comm_broadcast(comm, b->sum[k], n_nodes * sizeof *b->sum[k], who[k], err));
    }
    for (size_t i = 0; i < n_nodes; i++) {
        const struct tree_node *const t = &tree[i];
        const struct leaf_sum sum = b->sum[t->is_falling][i];
        const float feature = (float)t->feature + (t->is_gap_right ? GAP_RIGHT : 0.0f);

        b->node[i] =
            t->left != i
                ? (struct forest_node){ feature, t->threshold, (float)t->left, t->gain }
                : (struct forest_node){ 0.0f, FLT_MAX, (float)i,
                                        sum.h > 0.0 ? (float)(step * sum.g / sum.h)
                                                    : 0.0f };
    }
    return PECK_OK;
}

/* Every rank has its own scores: now all have all. */
static peck_status share_scores(struct tree_boost *b, peck_error *err)
{
    const struct train_data *const d = b->task->train_data;

    TRY(dataset_share_rows(d->data, b->score, sizeof *b->score, err));
    return b->valid_score != NULL ? dataset_share_rows(d->validation.data, b->valid_score,
                                                       sizeof *b->valid_score, err)
                                  : PECK_OK;
}

static peck_status tree_boost_epoch(void *self, size_t number, struct epoch_stats *stats,
                                    peck_error *err)
{
    struct tree_boost *const b = self;
    const struct tree_boost_config *const c = b->config;
    const struct train_data *const d = b->task->train_data;
    const struct train_set *const l = d->train_set;
    const size_t dim = d->dim;
    struct pool *const pool = b->task->pool;
    struct forest_node *tree = (struct forest_node *)b->task->w + 2;
    struct boost_sums sums = { 0 };
    size_t n_rows = 0, n_nodes;
    struct rng r;

    if (b->task->is_stopped != NULL && b->task->is_stopped(b->task->ctx))
        return fail(err, PECK_STOPPED, "training was stopped between two trees");
    b->epoch = number;
    rng_seed(&r, mix64(b->task->seed, STREAM_TREES), number);
    /* DART: trees are taken out of the scores. */
    b->n_dropped = 0;
    for (size_t t = 0; c->drop > 0.0 && t < forest_trees(b->task->w); t++) {
        if (rng_uniform(&r) < c->drop) {
            b->dropped[b->n_dropped++] = tree;
            add_tree(b, tree, -1.0, false);
        }
        tree += forest_nodes(tree) + 1;
    }
    /* Derivatives by the scores; the mean loss of the queries that teach. */
    run_shards(b, derive_shard, b);
    TRY(comm_in_turn(d->comm, &sums, sizeof sums, add_own, b, err));
    stats->loss = l->n_teaching > 0 ? sums.loss / (double)l->n_teaching : 0.0;
    stats->rate = c->rate;
    if (!row_gradients_set_by(pool, &b->gradients, &sums.gradients, b->g, b->h))
        return fail(err, PECK_DIVERGED,
                    "training diverged at tree %zu: a gradient is not a number; try a "
                    "rate below %g or smaller labels",
                    number, c->rate);
    /* Features, and queries that have something to teach, are drawn. */
    memset(b->is_used, 0, dim * sizeof *b->is_used);
    for (size_t i = 0, n = tree_boost_shuffle(b, dim, c->feature_share, &r); i < n; i++)
        b->is_used[b->pick[i]] = 1;
    memset(b->is_in, 0, l->n_queries * sizeof *b->is_in);
    for (size_t i = 0, n = tree_boost_shuffle(b, l->n_queries, c->query_share, &r); i < n;
         i++)
        b->is_in[b->pick[i]] = rows_of(b, b->pick[i]) > 0;
    for (size_t q = dataset_own_first(d->data); q < dataset_own_end(d->data); q++) {
        b->pick[q] = (uint32_t)n_rows;
        n_rows += b->is_in[q] ? rows_of(b, q) : 0;
    }
    run_shards(b, list_rows, b);
    /* A tree, which joins the model and moves the scores. */
    TRY(grower_run(b->grower, &b->gradients, grower_list(b->grower), n_rows, b->is_used, &r,
                   err));
    grower_tree(b->grower, &n_nodes);
    TRY(take_nodes(b, err));
    if (!floats_are_finite((const float *)b->node,
                           n_nodes * sizeof *b->node / sizeof(float)))
        return fail(
            err, PECK_DIVERGED,
            "training diverged: the gains or values of tree %zu are beyond the range of "
            "floats",
            number);
    tree = memcpy(forest_add(b->task->w, n_nodes), b->node, n_nodes * sizeof *tree);
    score_leaves(b);
    add_tree(b, tree, 1.0, true);
    /* DART: what was taken out comes back, smaller; the new tree did a part of it. */
    for (size_t i = 0; i < b->n_dropped; i++) {
        const float k = (float)b->n_dropped;

        tree = b->dropped[i];
        for (size_t n = 0; n < forest_nodes(tree); n++)
            if ((size_t)tree[n].left == n)
                tree[n].value *= k / (k + 1.0f);
        add_tree(b, tree, 1.0, false);
    }
    return b->is_kept ? share_scores(b, err) : PECK_OK;
}

static const double *tree_boost_valid_scores(void *self)
{
    return ((struct tree_boost *)self)->valid_score;
}

static double tree_boost_leaf_rows(const struct train_data *c)
{
    return (double)c->train_set->n_docs;
}

static size_t tree_boost_keep(void *self, struct kept *kept)
{
    struct tree_boost *const b = self;
    const struct train_data *const c = b->task->train_data;
    size_t n = 0;

    kept[n++] = (struct kept){ "scores", TENSOR_F64, b->score, c->train_set->n_docs };
    if (b->valid_score != NULL)
        kept[n++] = (struct kept){ "exam_scores", TENSOR_F64, b->valid_score,
                                   c->validation.data->n_docs };
    return n;
}

/* A tree an epoch: the memory ends with the last of them. */
static peck_status tree_boost_check(void *self, size_t epochs, peck_error *err)
{
    const struct tree_boost *const b = self;

    return forest_trees(b->task->w) == epochs
               ? PECK_OK
               : fail(err, PECK_FORMAT, "%zu trees after %zu epochs",
                      forest_trees(b->task->w), epochs);
}

/* Few labels want small trees and small steps; rules speak of many more queries, one topic of
 * a query and one of a document at a time, and the bounds of their second derivatives make
 * steps short. */
static const struct preset_value ruled[] = { { "leaves", "31" },
                                             { "rate", "0.3" },
                                             { NULL, NULL } };

/* Labels everywhere fill more leaves; and rules look at features as they are, so trees need no
 * others. */
static const struct preset_value taught[] = { { "leaves", "63" },
                                              { "norm", "none" },
                                              { NULL, NULL } };

const struct learner learner_boost = {
    .plug = { { "boost", "trees one after another, each a Newton step",
                "Gradient boosting of histogram trees (Friedman 2001)." },
              tree_boost_params },
    .config_size = sizeof(struct tree_boost_config),
    .takes_rules = true,
    .reads_by_query = true,
    .takes_ranks = true,
    .is_scale_free = true,
    .self_size = sizeof(struct tree_boost),
    .leaf_rows = tree_boost_leaf_rows,
    .trial = { .has_outgrown_small = true, .most_docs = 60000 },
    .ruled = ruled,
    .taught = taught,
    .shorten = tree_boost_shorten,
    .open = tree_boost_open,
    .epoch = tree_boost_epoch,
    .valid_scores = tree_boost_valid_scores,
    .keep = tree_boost_keep,
    .check = tree_boost_check,
    .close = tree_boost_close,
};
