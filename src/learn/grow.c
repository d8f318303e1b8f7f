/* grow.c -- see grow.h.
 *
 * Where every feature is looked at, an open leaf keeps its histogram, so that its children need
 * one count between them.                                                             */
#include "grower.h"

#include "../base/maths.h"

enum {
    NO_SLOT = -1,
    CHUNK = 1 << 12,            /* rows that a task moves */
    MOST_PARTS = 16,            /* into which the rows of a leaf are cut to be counted */
    TASKS_EACH = 8,             /* of a worker, so that none waits long for the last one */
    MAX_HISTOGRAMS = 256 << 20, /* bytes of all of them, while two fit */
    MAX_DEPTH = 60000,
};

/* The feature of a leaf, while a tree grows. */
#define NO_FEATURE UINT32_MAX

/* The heap of open leaves ------------------------------------------------------------- */

/* Where all will be split that can be, the newest come first: their rows are at hand. */
static bool is_before(const struct grower *g, const struct leaf *a, const struct leaf *b)
{
    if (g->is_unbounded)
        return a->node > b->node;
    const uint16_t da = g->node[a->node].depth, db = g->node[b->node].depth;

    if (g->rule.is_level_by_level && da != db)
        return da < db;
    return a->best.gain != b->best.gain ? a->best.gain > b->best.gain : a->node < b->node;
}

static struct leaf heap_pop(struct grower *g)
{
    const struct leaf top = g->open[0], last = g->open[--g->n_open];
    size_t i = 0, child;

    for (; (child = 2 * i + 1) < g->n_open; i = child) {
        if (child + 1 < g->n_open && is_before(g, &g->open[child + 1], &g->open[child]))
            child++;
        if (!is_before(g, &g->open[child], &last))
            break;
        g->open[i] = g->open[child];
    }
    g->open[i] = last;
    return top;
}

/* Room for a histogram; where there is none left, that of the least promising leaf.
 * Of a leaf that has lost its own, both children are counted. */
static int take_slot(struct grower *g)
{
    struct leaf *least = NULL;

    if (g->n_free > 0)
        return g->slot[--g->n_free];
    for (size_t i = 0; i < g->n_open; i++)
        if (g->open[i].slot != NO_SLOT &&
            (least == NULL || is_before(g, least, &g->open[i])))
            least = &g->open[i];
    const int slot = least->slot;

    least->slot = NO_SLOT;
    return slot;
}

static void drop_slot(struct grower *g, struct leaf *l)
{
    if (l->slot != NO_SLOT)
        g->slot[g->n_free++] = l->slot;
    l->slot = NO_SLOT;
}

/* Growing ----------------------------------------------------------------------------- */

/* Whether a split could be found at all.
 * Where every h is 1 and the sum of g is the least or the largest that n rows can have, all
 * targets are equal. */
static bool may_split(const struct grower *g, const struct leaf *l)
{
    const struct tree_node *const t = &g->node[l->node];
    const size_t n = t->n_rows;
    const int64_t sum = g_of(l->total);

    if (n < 2 || n < 2 * g->rule.min_leaf || t->depth >= g->rule.depth)
        return false;
    return !g->gradients->is_counting || (sum != (int64_t)n * g->gradients->g_low &&
                                          sum != (int64_t)n * g->gradients->g_high);
}

/* Finds the best split of a leaf on its own. */
static peck_status grow_search(struct grower *g, struct leaf *l, struct rng *r,
                               peck_error *err)
{
    if (g->rule.per_split > 0) {
        search_some(g, l, r);
        return PECK_OK;
    }
    if (l->slot == NO_SLOT) {
        l->slot = take_slot(g);
        TRY(search_all(g, l, NULL, err));
    }
    return l->is_counted ? search_counted(g, l, err) : PECK_OK;
}

/* A new leaf joins the heap of open ones, or is done. */
static void grow_settle(struct grower *g, struct leaf *l, bool is_open)
{
    if (!is_open || !(l->best.gain > 0.0)) {
        drop_slot(g, l);
        return;
    }
    size_t i = g->n_open++;

    for (; i > 0 && is_before(g, l, &g->open[(i - 1) / 2]); i = (i - 1) / 2)
        g->open[i] = g->open[(i - 1) / 2];
    g->open[i] = *l;
}

/* A leaf that is split by its best split. */
struct split_job {
    struct grower *g;
    const struct tree_node *t; /* the leaf */
    struct tree_split best;
    size_t left, left_of_all; /* rows that go left: of this rank, of all */
};

/* Which way the rows of a chunk go, and how many go left.
 * A row goes left where (uint8_t)(its bin - low) <= last.  Where gaps go right, low is 1 and
 * their bin, 0, becomes 255. */
static void mark_chunk(void *ctx, size_t chunk, int worker)
{
    const struct split_job *const job = ctx;
    struct grower *const g = job->g;
    const struct tree_node *const t = job->t;
    const struct bin_column column = bins_column(g->bins, job->best.feature);
    const uint8_t low = job->best.is_gap_right ? 1 : 0,
                  last = (uint8_t)(job->best.bin - low);
    const uint32_t *const row = g->row[t->depth % 2];
    const size_t begin = t->begin + chunk * CHUNK,
                 end = begin + CHUNK < t->end ? begin + CHUNK : t->end;
    size_t n_left = 0;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        __builtin_prefetch(
            &column.cell[row[i + AHEAD < end ? i + AHEAD : i] * column.step]);
        g->is_left[i] = (uint8_t)(column_at(column, row[i]) - low) <= last;
        n_left += g->is_left[i];
    }
    g->n_left[chunk] = n_left;
}

/* Moves the rows of a chunk: those that go left in their order, the others from the end on, so
 * that both stay monotone. */
static void move_chunk(void *ctx, size_t chunk, int worker)
{
    const struct split_job *const job = ctx;
    struct grower *const g = job->g;
    const struct tree_node *const t = job->t;
    const size_t begin = t->begin + chunk * CHUNK,
                 end = begin + CHUNK < t->end ? begin + CHUNK : t->end;
    const uint32_t *const row = g->row[t->depth % 2];
    const int64_t *const gh = g->gh[t->depth % 2];
    uint32_t *const to = g->row[(t->depth + 1) % 2];
    int64_t *const gh_to = g->gh[(t->depth + 1) % 2];
    size_t left = t->begin + g->n_left[chunk];
    size_t right = t->end - 1 - (chunk * CHUNK - g->n_left[chunk]);

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const bool is_left = g->is_left[i] != 0;
        const size_t at = is_left ? left : right;

        to[at] = row[i];
        gh_to[at] = gh[i];
        left += is_left;
        right -= !is_left;
    }
}

/* Which way each row of the leaf goes; n_left[] of a chunk becomes that of all before it. */
static peck_status mark_sides(struct split_job *job, peck_error *err)
{
    struct grower *const g = job->g;
    const size_t n_chunks = (job->t->end - job->t->begin + CHUNK - 1) / CHUNK;

    const uint32_t *const row = g->row[job->t->depth % 2];

    run_tasks(g, n_chunks, n_chunks > 1, mark_chunk, job);
    if (n_chunks > 0)
        forget_rows(g->bins, job->best.feature / g->bins->lanes, row[job->t->begin],
                    row[job->t->end - 1]);
    job->left = 0;
    for (size_t i = 0; i < n_chunks; i++) {
        const size_t n = g->n_left[i];

        g->n_left[i] = job->left;
        job->left += n;
    }
    int64_t left = (int64_t)job->left;

    TRY(comm_add(g->comm, &left, 1, err));
    job->left_of_all = (size_t)left;
    return PECK_OK;
}

/* Whether both sides of the best split have rows enough, where weights do not say so.  If
 * not, the leaf gets the best of those that have. */
static bool is_populous(const struct grower *g, const struct leaf *l,
                        const struct split_job *job)
{
    const size_t left = job->left_of_all;

    return g->gradients->is_counting || l->is_counted || g->rule.min_leaf < 2 ||
           (left >= g->rule.min_leaf && job->t->n_rows - left >= g->rule.min_leaf);
}

/* Moves the rows of a leaf, whose sides are marked, to two children; then finds the children's
 * best splits. */
static peck_status grow_split(struct grower *g, struct leaf *l, struct split_job *job,
                              struct rng *r, peck_error *err)
{
    struct tree_node *const t = &g->node[l->node];
    const uint32_t child = (uint32_t)g->n_nodes;
    const uint16_t depth = (uint16_t)(t->depth + 1);
    const size_t left = t->begin + job->left;

    t->left = child;
    t->feature = l->best.feature;
    t->bin = l->best.bin;
    t->is_gap_right = l->best.is_gap_right;
    t->threshold = g->bins->edge[(size_t)t->feature * MAX_BINS + t->bin];
    t->gain = (float)(l->best.gain * g->gradients->g_unit * g->gradients->g_unit /
                      g->gradients->h_unit);
    const size_t n_chunks = (t->end - t->begin + CHUNK - 1) / CHUNK;

    run_tasks(g, n_chunks, n_chunks > 1, move_chunk, job);
    g->node[child] = (struct tree_node){ .feature = NO_FEATURE,
                                         .n_rows = job->left_of_all,
                                         .begin = t->begin,
                                         .end = left,
                                         .depth = depth,
                                         .is_falling = t->is_falling };
    g->node[child + 1] = (struct tree_node){ .feature = NO_FEATURE,
                                             .n_rows = t->n_rows - job->left_of_all,
                                             .begin = left,
                                             .end = t->end,
                                             .depth = depth,
                                             .is_falling = !t->is_falling };
    g->n_nodes += 2;
    struct leaf a = { .node = child, .slot = NO_SLOT, .total = l->best.left };
    struct leaf b = { .node = child + 1, .slot = NO_SLOT, .total = l->total - a.total };
    const bool is_a_open = may_split(g, &a), is_b_open = may_split(g, &b);

    if (l->slot != NO_SLOT && (is_a_open || is_b_open)) { /* the smaller one is counted */
        const bool is_a_small = g->node[child].n_rows <= g->node[child + 1].n_rows;
        struct leaf *const small = is_a_small ? &a : &b, *const large =
                                                             is_a_small ? &b : &a;

        large->slot = l->slot;
        small->slot = take_slot(g);
        TRY(search_all(g, small, large, err));
    } else {
        drop_slot(g, l);
        if (is_a_open)
            TRY(grow_search(g, &a, r, err));
        if (is_b_open)
            TRY(grow_search(g, &b, r, err));
    }
    grow_settle(g, &a, is_a_open);
    grow_settle(g, &b, is_b_open);
    return PECK_OK;
}

/* The nodes in their final order: the children of the child with more rows follow it, so
 * that most ways down lie close together. */
static void arrange_nodes(struct grower *g)
{
    size_t n_waiting = 1, next = 1;

    g->tree[0] = g->node[0];
    g->waiting[0] = 0;
    while (n_waiting > 0) {
        struct tree_node *const t = &g->tree[g->waiting[--n_waiting]];
        const struct tree_node *const a = &g->node[t->left], *const b = a + 1;
        const uint32_t here = (uint32_t)(t - g->tree), child = (uint32_t)next;
        const bool is_a_first = a->n_rows >= b->n_rows;

        if (t->feature == NO_FEATURE) {
            t->left = here;
            continue;
        }
        g->tree[child] = *a;
        g->tree[child + 1] = *b;
        t->left = child;
        next += 2;
        g->waiting[n_waiting++] = child + (is_a_first ? 1 : 0);
        g->waiting[n_waiting++] = child + (is_a_first ? 0 : 1);
    }
}

/* All rows that a tree is grown on. */
struct root_job {
    struct grower *g;
    const uint32_t *row;
    size_t n;
};

static void take_chunk(void *ctx, size_t chunk, int worker)
{
    const struct root_job *const job = ctx;
    struct grower *const g = job->g;
    const size_t begin = chunk * CHUNK,
                 end = begin + CHUNK < job->n ? begin + CHUNK : job->n;

    (void)worker;
    g->total[chunk] = 0;
    if (job->row != g->row[0]) /* else they are there, as grower_list has it */
        memcpy(g->row[0] + begin, job->row + begin, (end - begin) * sizeof *job->row);
    for (size_t i = begin; i < end; i++) {
        g->gh[0][i] = g->gradients->of[job->row[i]];
        g->total[chunk] += g->gh[0][i];
    }
}

peck_status grower_run(struct grower *g, const struct row_gradients *p, const uint32_t *row,
                       size_t n, const uint8_t *is_used, struct rng *r, peck_error *err)
{
    const size_t n_chunks = (n + CHUNK - 1) / CHUNK;
    struct leaf root = { .slot = NO_SLOT };
    int64_t all[2] = { (int64_t)n, 0 }; /* rows and the sum of their gradients */

    g->gradients = p;
    g->is_used = is_used;
    /* In the units of the whole numbers: h in h_unit, a gain in g_unit^2 / h_unit. */
    g->l2 = g->rule.l2 / p->h_unit;
    g->min_weight = math_max(g->rule.min_weight / p->h_unit,
                             p->is_counting ? (double)g->rule.min_leaf : 1.0);
    g->min_gain = g->rule.min_gain * p->h_unit / (p->g_unit * p->g_unit);
    g->n_open = 0;
    for (g->n_free = 0; g->n_free < g->n_slots; g->n_free++)
        g->slot[g->n_free] = (int)g->n_free;
    g->n_drawable = 0;
    for (size_t f = 0; g->rule.per_split > 0 && f < g->bins->n_features; f++)
        if (is_used == NULL || is_used[f])
            g->feature[g->n_drawable++] = (uint32_t)f;
    run_tasks(g, n_chunks, n_chunks > 1, take_chunk, &(struct root_job){ g, row, n });
    for (size_t i = 0; i < n_chunks; i++)
        all[1] += g->total[i];
    TRY(comm_add(g->comm, all, 2, err));
    root.total = all[1];
    g->node[0] =
        (struct tree_node){ .feature = NO_FEATURE, .n_rows = (size_t)all[0], .end = n };
    g->n_nodes = 1;
    g->is_unbounded = g->rule.leaves >= g->node[0].n_rows;
    const bool is_open = may_split(g, &root);

    if (is_open)
        TRY(grow_search(g, &root, r, err));
    grow_settle(g, &root, is_open);
    while (g->n_open > 0 && g->n_nodes < 2 * g->rule.leaves - 1) {
        struct leaf l = heap_pop(g);
        struct split_job job = { .g = g, .t = &g->node[l.node], .best = l.best };

        TRY(mark_sides(&job, err));
        if (is_populous(g, &l, &job)) {
            TRY(grow_split(g, &l, &job, r, err));
            continue;
        }
        l.is_counted = true;
        l.best = (struct tree_split){ 0 };
        TRY(grow_search(g, &l, r, err));
        grow_settle(g, &l, true);
    }
    arrange_nodes(g);
    return PECK_OK;
}

/* The root's rows go to the first copies, and the second ones are free until it is split. */
uint32_t *grower_list(struct grower *g)
{
    return g->row[0];
}

int64_t *grower_gradients(struct grower *g)
{
    return g->gh[1];
}

const struct tree_node *grower_tree(const struct grower *g, size_t *n_nodes)
{
    *n_nodes = g->n_nodes;
    return g->tree;
}

const uint32_t *grower_rows(const struct grower *g, const struct tree_node *leaf)
{
    return g->row[leaf->depth % 2] + leaf->begin;
}

/* Memory ------------------------------------------------------------------------------ */

/* Features are dealt to the ranks in their order; what each gets of the others. */
static void deal_features(struct grower *g, struct arena *arena)
{
    const char *const what = "growing trees";
    const size_t ranks = comm_ranks(g->comm),
                 rank = comm_rank(g->comm), *const first = g->bins->first;

    g->feature_of = arena_new(arena, what, ranks + 1, sizeof *g->feature_of);
    g->n_send = arena_new(arena, what, ranks, sizeof *g->n_send);
    g->n_receive = arena_new(arena, what, ranks, sizeof *g->n_receive);
    g->n_told = arena_new(arena, what, ranks, sizeof *g->n_told);
    g->told = arena_new(arena, what, ranks, sizeof *g->told);
    if (arena->missing != NULL)
        return;
    for (size_t i = 0; i <= ranks; i++)
        g->feature_of[i] = comm_part(g->comm, g->bins->n_features, i);
    const size_t own = first[g->feature_of[rank + 1]] - first[g->feature_of[rank]];

    for (size_t i = 0; i < ranks; i++) {
        g->n_send[i] =
            (first[g->feature_of[i + 1]] - first[g->feature_of[i]]) * sizeof *g->received;
        g->n_receive[i] = own * sizeof *g->received;
        g->n_told[i] = sizeof *g->told;
    }
    if (comm_is_shared(g->comm))
        g->received = arena_new(arena, what, ranks * own, sizeof *g->received);
}

peck_status grower_open(struct grower **out, const struct bins *bins,
                        const struct grow_rule *rule, size_t n_rows, struct pool *pool,
                        peck_error *err)
{
    const char *const what = "growing trees";
    struct arena arena = { 0 };
    struct grower *const g = arena_new(&arena, what, 1, sizeof *g);
    const bool is_shared = comm_is_shared(bins->comm);
    const size_t most =
        !is_shared && n_rows > 0 && rule->leaves > n_rows ? n_rows : rule->leaves;
    const size_t n_features = bins->n_features, all = bins->first[n_features];
    const size_t fit = MAX_HISTOGRAMS / sizeof(int64_t) / (all + 1);
    const size_t wanted = rule->histograms > 0 ? rule->histograms : rule->leaves + 1;

    *out = NULL;
    TRY(arena_check(&arena, err));
    *g = (struct grower){ .bins = bins, .comm = bins->comm, .rule = *rule, .pool = pool };
    g->rule.leaves = most;
    if (rule->depth == 0 || rule->depth > MAX_DEPTH)
        g->rule.depth = MAX_DEPTH;
    g->node = arena_new(&arena, what, 2 * most, sizeof *g->node);
    g->tree = arena_new(&arena, what, 2 * most, sizeof *g->tree);
    g->waiting = arena_new(&arena, what, 2 * most, sizeof *g->waiting);
    g->open = arena_new(&arena, what, most, sizeof *g->open);
    for (int k = 0; k < 2; k++) {
        g->row[k] = arena_new(&arena, what, n_rows, sizeof *g->row[k]);
        g->gh[k] = arena_new(&arena, what, n_rows, sizeof *g->gh[k]);
    }
    g->is_left = arena_new(&arena, what, n_rows, sizeof *g->is_left);
    g->n_left = arena_new(&arena, what, n_rows / CHUNK + 1, sizeof *g->n_left);
    g->total = arena_new(&arena, what, n_rows / CHUNK + 1, sizeof *g->total);
    if (rule->per_split > 0) {
        g->feature = arena_new(&arena, what, n_features, sizeof *g->feature);
        g->tally = arena_new(&arena, what, 1, sizeof *g->tally);
    } else {
        g->n_slots = wanted < fit ? wanted : fit;
        g->n_slots = g->n_slots > 2 ? g->n_slots : 2;
        g->histogram = arena_new(&arena, what, g->n_slots, all * sizeof *g->histogram);
        g->slot = arena_new(&arena, what, g->n_slots, sizeof *g->slot);
        g->bound = arena_new(&arena, what, n_features, sizeof *g->bound);
        g->item = arena_new(&arena, what, 2 * n_features, sizeof *g->item);
        for (int k = 0; k < 2; k++)
            g->found[k] = arena_new(&arena, what, n_features, sizeof *g->found[k]);
        const size_t workers = pool != NULL ? (size_t)pool_size(pool) : 1;

        g->n_parts = workers == 1 ? 1
                                  : (workers * TASKS_EACH + bins->n_groups - 1) /
                                        (bins->n_groups > 0 ? bins->n_groups : 1);
        g->n_parts = g->n_parts < MOST_PARTS ? g->n_parts : MOST_PARTS;
        g->part = arena_new(&arena, what, g->n_parts - (is_shared ? 0 : 1),
                            all * sizeof *g->part);
        deal_features(g, &arena);
    }
    const peck_status st = arena_check(&arena, err);

    if (st != PECK_OK) {
        arena_free(&arena);
        return st;
    }
    g->arena = arena;
    *out = g;
    return PECK_OK;
}

void grower_close(struct grower *g)
{
    if (g == NULL)
        return;
    struct arena arena = g->arena; /* it holds g too */

    arena_free(&arena);
}
