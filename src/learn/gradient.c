/* gradient.c -- see gradient.h. */
#include "gradient.h"
#include "duelling.h"
#include "rank_batch.h"

#include "../base/alloc.h"
#include "../base/sort.h"
#include "../base/vec.h"

enum {
    SHARD_DOCS = 256,     /* a shard has about as many, so that its layers stay in cache */
    EVEN_FROM = 8,        /* more shards than this become 8, 16, 32 or 64 of one size */
    DUELS_A_DOCUMENT = 4, /* as many duels take the time of a document, or less */
    MAX_SHARDS = 64,      /* of a batch; beyond it shards grow */
    DEALT_FROM = 60000,   /* documents of a set whose queries are dealt to shards ... */
    DEALT_LOAD = 768,     /* ... where a batch has more than this to do ... */
    DEALT_SHARDS = 16,    /* ... as many of them, or more */
    LEAST_SLICE = 1024    /* weights that are added up at once */
};

/* Below this many multiplications a batch is done sooner than a worker wakes. */
#define WORTH_A_POOL 2e6
/* The same of additions, where workers look on. */
#define WORTH_SLICES 1e5

/* A worker's memory. */
struct gradient_scratch {
    float *x;                   /* [stack][dim] */
    float *room;                /* of train_data_query */
    float *s, *ds;              /* [stack][width]: scores or views, and their derivatives */
    float *scratch;             /* the family's */
    struct duel_scratch *duels; /* NULL: the family does not compare */
    struct query_scratch query_scratch;
    struct rule_penalty_scratch rule_scratch;
    float *lead, *dlead; /* [max_docs][max_docs]; NULL: no rules, or no duels */
};

struct gradient {
    struct gradient_spec spec;
    struct pool *pool;
    struct gradient_scratch *scratch; /* one a worker */
    struct gradient_shard shard[MAX_SHARDS];
    size_t n_shards;
    size_t turn[MAX_SHARDS]; /* shards by falling load */
    size_t own[MAX_SHARDS];  /* n_own: those of this rank, as workers get them */
    size_t n_own;
    struct rank_batch ranks;        /* of several ranks */
    const float *piece[MAX_SHARDS]; /* the shards' gradients from weight sum_first on */
    size_t sum_first, sum_end;      /* weights that this rank adds up */
    size_t *load;                   /* of each query of the batch */
    /* Where queries are dealt; else NULL: */
    uint32_t *dealt;        /* the batch, shard by shard */
    struct sort_item *item; /* twice as many */
    float *part;            /* [MAX_SHARDS, or fewer][n_weights]: the shards' gradients */
    float *dw;              /* their sum */
    size_t stack;           /* documents that are pushed through the net at once */
    size_t width;           /* what the net makes of a document: 1 score, or a view */
    bool compares;
    struct duel_rule rule; /* of one that compares */
    /* The batch at hand: */
    const float *w;
    const uint32_t *query;
    size_t n_teaching; /* of its queries */
    double penalty;
    struct train_step at;
    struct arena arena; /* of all memory but the queries' */
};

static size_t docs_of(const struct gradient_spec *s, uint32_t query)
{
    return s->train_set->start[query + 1] - s->train_set->start[query];
}

/* The work that a query makes, in documents. */
static size_t load_of(const struct gradient *g, uint32_t query)
{
    const size_t n = docs_of(&g->spec, query);
    double n_pairs = g->compares ? g->spec.train_set->plan[query].n_all : 0.0;

    if (g->compares && g->spec.rule_penalty.rule_scope != NULL &&
        rule_penalty_speaks_of(&g->spec.rule_penalty, query))
        n_pairs += 0.5 * (double)n * (double)n;
    return n + (size_t)(n_pairs / DUELS_A_DOCUMENT);
}

/* The rules' part of a query of n documents that duel: expected positions come of the
 * preferences of all pairs. */
static double rules_of_duels(const struct gradient *g, uint32_t query, size_t n,
                             struct gradient_scratch *b, const float *view, float *dview,
                             float *dw)
{
    const struct gradient_spec *const spec = &g->spec;

    if (!rule_penalty_speaks_of(&spec->rule_penalty, query))
        return 0.0;
    duelling_leads(&g->rule, n, g->w, view, b->duels, b->lead);
    memset(b->dlead, 0, n * n * sizeof *b->dlead);
    const double penalty =
        rule_penalty_leads(&spec->rule_penalty, query, spec->scale[query], b->lead,
                           b->dlead, &b->rule_scratch);

    duelling_push(&g->rule, n, g->w, view, b->duels, b->dlead, dview, dw);
    return penalty;
}

/* What the net made of query number i of the batch (s: its scores or views) becomes, times
 * what the query counts, the loss's derivatives by it (ds), and of the weights past the views
 * (added to dw).  Adds to the shard's sums; returns the documents of the query. */
static size_t query_gradient(const struct gradient *g, size_t i, struct gradient_scratch *b,
                             const float *s, float *ds, float *dw,
                             struct gradient_shard *shard)
{
    const struct gradient_spec *const spec = &g->spec;
    const uint32_t query = g->query[i];
    const float share = spec->share[query], part = share / (float)g->n_teaching;
    struct query_pairs q =
        train_set_query(spec->train_set, query, g->at.seed, g->at.epoch, &b->query_scratch);

    if (spec->target != NULL)
        q.label = spec->target + spec->train_set->start[query];
    memset(ds, 0, q.n * g->width * sizeof *ds);
    if (share > 0.0f && g->compares)
        shard->loss +=
            (double)share * duelling(&g->rule, &q, g->w, s, b->duels, part, ds, dw);
    if (share > 0.0f && !g->compares) {
        shard->loss += (double)share * spec->objective->grad(spec->config, &q, s, ds);
        for (uint32_t d = 0; d < q.n; d++)
            ds[d] *= part;
    }
    if (spec->rule_penalty.rule_scope != NULL && g->compares)
        shard->penalty += rules_of_duels(g, query, q.n, b, s, ds, dw);
    else if (spec->rule_penalty.rule_scope != NULL)
        shard->penalty += rule_penalty_add(&spec->rule_penalty, query, spec->scale[query],
                                           s, ds, &b->rule_scratch);
    return q.n;
}

static struct cut_batch batch_of(struct gradient *g)
{
    return (struct cut_batch){ g->query, g->shard, g->turn, g->n_shards };
}

/* The rows of query i of the batch. */
static struct rows rows_of(struct gradient *g, size_t i, float *room)
{
    if (!comm_is_shared(g->spec.data->comm))
        return train_data_query(g->spec.data, g->query[i], room);
    const struct cut_batch batch = batch_of(g);

    return rank_batch_rows(&g->ranks, &batch, i, room);
}

/* Loss and gradient of shard i: its queries go through the net and back in stacks. */
static void do_shard(void *ctx, size_t turn, int worker)
{
    struct gradient *const g = ctx;
    const size_t i = g->own[turn], dim = g->spec.data->dim;
    const struct gradient_spec *const s = &g->spec;
    const struct family *const f = s->family;
    struct gradient_scratch *const b = &g->scratch[worker];
    struct gradient_shard *const shard = &g->shard[i];
    float *const dw = g->part + i * s->n_weights;
    struct rng rng;

    shard->loss = shard->penalty = 0.0;
    memset(dw, 0, s->n_weights * sizeof *dw);
    rng_seed(&rng, mix64(g->at.seed, STREAM_DROPOUT),
             mix64(mix64(g->at.epoch, g->at.batch), i));
    for (size_t first = shard->first, end; first < shard->last; first = end) {
        /* As many queries as a stack holds; a single one lies where it is. */
        struct rows x = rows_of(g, first, b->room);
        size_t at = 0;

        for (end = first + 1; end < shard->last; end++) {
            const size_t n = docs_of(s, g->query[end]);

            if (x.n + n > g->stack)
                break;
            if (end == first + 1)
                x.x = memcpy(b->x, x.x, x.n * dim * sizeof *b->x);
            memcpy(b->x + x.n * dim, rows_of(g, end, b->room).x, n * dim * sizeof *b->x);
            x.n += n;
        }
        if (g->compares)
            f->compares->view(s->shape, g->w, x, b->s, b->scratch);
        else
            family_forward(f, s->shape, g->w, x, &rng, b->s, b->scratch);
        for (size_t q = first; q < end; q++)
            at += g->width * query_gradient(g, q, b, b->s + at, b->ds + at, dw, shard);
        (g->compares ? f->compares->view_back : f->scores->backward)(s->shape, g->w, x,
                                                                     b->ds, dw, b->scratch);
    }
}

/* Queries as they come, until a shard has enough. */
static void cut_batch(struct gradient *g, size_t n, size_t wanted)
{
    size_t load = 0, first = 0;

    g->n_shards = 0;
    for (size_t i = 0; i < n; i++) {
        load += g->load[i];
        if (load < wanted && i + 1 < n)
            continue;
        g->shard[g->n_shards++] =
            (struct gradient_shard){ .first = first, .last = i + 1, .load = load };
        first = i + 1;
        load = 0;
    }
}

/* The longest query first, each to the shard that has least to do: shards that are alike,
 * where those that are cut differ by a query.  In a shard queries stand as in the batch. */
static void deal_batch(struct gradient *g, const uint32_t *query, size_t n, size_t n_shards)
{
    struct sort_item *const item = g->item;
    struct gradient_shard *const shard = g->shard;
    size_t at = 0;

    g->n_shards = n_shards < n ? n_shards : n;
    for (size_t k = 0; k < g->n_shards; k++)
        shard[k] = (struct gradient_shard){ 0 };
    for (size_t i = 0; i < n; i++)
        item[i] = (struct sort_item){ UINT64_MAX - g->load[i], (uint32_t)i };
    sort_items(item, n, item + n);
    for (size_t i = 0; i < n; i++) {
        size_t least = 0;

        for (size_t k = 1; k < g->n_shards; k++)
            least = shard[k].load < shard[least].load ? k : least;
        shard[least].load += g->load[item[i].from];
        shard[least].last++; /* a count, as yet */
        item[n + item[i].from].key = least;
    }
    for (size_t k = 0; k < g->n_shards; k++) {
        const size_t n_own = shard[k].last;

        shard[k].first = shard[k].last = at;
        at += n_own;
    }
    for (size_t i = 0; i < n; i++)
        g->dealt[shard[item[n + i].key].last++] = query[i];
    g->query = g->dealt;
}

/* Shards of this rank in the order of tasks.  Who has one of his own at most keeps it from step
 * to step, and its memory at hand.  Of more, each part of a job (pool.c) begins with the
 * heaviest: who is last has little to do. */
static void order_own(struct gradient *g)
{
    const size_t rank = comm_rank(g->spec.data->comm), workers = (size_t)pool_size(g->pool);
    size_t k = 0;

    g->n_own = 0;
    for (size_t i = 0; i < g->n_shards; i++)
        if (g->shard[i].rank == rank)
            g->own[g->n_own++] = i;
    const size_t each = g->n_own / workers, more = g->n_own % workers;

    if (g->n_own <= workers)
        return;
    for (size_t i = 0; i < g->n_shards; i++)
        if (g->shard[g->turn[i]].rank == rank) {
            const size_t w = k % workers, begin = each * w + (w < more ? w : more);

            g->own[begin + k++ / workers] = g->turn[i];
        }
}

/* Weights of a slice: for sixteen workers, unless they are few. */
static size_t slice_of(const struct gradient *g)
{
    const size_t n = (g->spec.n_weights + MAX_SHARDS - 1) / MAX_SHARDS;

    return n > LEAST_SLICE ? n : LEAST_SLICE;
}

/* A slice of the sum of all shards, in their order. */
static void sum_slice(void *ctx, size_t i, int worker)
{
    struct gradient *const g = ctx;
    const size_t size = slice_of(g), first = i * size, all = g->sum_end - g->sum_first;
    const size_t n = all - first < size ? all - first : size;
    float *const dw = g->dw + g->sum_first + first;

    (void)worker;
    memcpy(dw, g->piece[0] + first, n * sizeof *dw);
    for (size_t k = 1; k < g->n_shards; k++)
        vec_axpy(n, 1.0f, g->piece[k] + first, dw);
}

/* The shards' gradients, added up in their order. */
static peck_status sum_shards(struct gradient *g, peck_error *err)
{
    const peck_comm *const comm = g->spec.data->comm;
    const struct cut_batch batch = batch_of(g);

    g->sum_first = 0;
    g->sum_end = g->spec.n_weights;
    for (size_t k = 0; k < g->n_shards; k++)
        g->piece[k] = g->part + k * g->spec.n_weights;
    if (comm_is_shared(comm)) {
        TRY(rank_batch_pieces(&g->ranks, &batch, g->part, err));
        memcpy(g->piece, g->ranks.piece, g->n_shards * sizeof *g->piece);
        g->sum_first = g->ranks.slice[comm_rank(comm)];
        g->sum_end = g->ranks.slice[comm_rank(comm) + 1];
    }
    const size_t n_weights = g->sum_end - g->sum_first;
    const size_t n_slices = (n_weights + slice_of(g) - 1) / slice_of(g);

    if ((double)g->n_shards * (double)n_weights <
        (pool_looks_on(g->pool) ? WORTH_SLICES : WORTH_A_POOL))
        for (size_t i = 0; i < n_slices; i++)
            sum_slice(g, i, 0);
    else
        pool_run(g->pool, n_slices, sum_slice, g);
    return comm_is_shared(comm)
               ? comm_share(comm, g->dw, g->ranks.slice, sizeof *g->dw, err)
               : PECK_OK;
}

peck_status gradient_take(struct gradient *g, const float *w, const uint32_t *query,
                          size_t n, const struct train_step *at, float *dw, double *loss,
                          peck_error *err)
{
    const struct gradient_spec *const s = &g->spec;
    const peck_comm *const comm = s->data->comm;
    size_t all = 0, even = EVEN_FROM;

    *loss = 0.0;
    g->w = w;
    g->query = query;
    g->n_teaching = 0;
    g->penalty = 0.0;
    g->at = *at;
    g->dw = dw;
    for (size_t i = 0; i < n; i++) {
        all += g->load[i] = load_of(g, query[i]);
        g->n_teaching += s->share[query[i]] > 0.0f;
    }
    /* Workers are 2, 4 or 8 more often than not: with as many shards alike, or a multiple,
     * they finish together. */
    while (even < MAX_SHARDS && all / even > 2 * SHARD_DOCS)
        even *= 2;
    if (g->dealt != NULL && all > DEALT_LOAD)
        deal_batch(g, query, n, even > DEALT_SHARDS ? even : DEALT_SHARDS);
    else
        cut_batch(g, n,
                  all > EVEN_FROM * SHARD_DOCS ? (all + even - 1) / even : SHARD_DOCS);
    for (size_t i = 0, k; i < g->n_shards; i++) {
        for (k = i; k > 0 && g->shard[g->turn[k - 1]].load < g->shard[i].load; k--)
            g->turn[k] = g->turn[k - 1];
        g->turn[k] = i;
    }
    if (comm_is_shared(comm)) {
        const struct cut_batch batch = batch_of(g);

        TRY(rank_batch_deal(&g->ranks, &batch, err));
    }
    order_own(g);
    if ((double)all * (double)s->n_weights < WORTH_A_POOL)
        for (size_t i = 0; i < g->n_own; i++)
            do_shard(g, i, 0);
    else
        pool_run(g->pool, g->n_own, do_shard, g);
    TRY(sum_shards(g, err));
    for (size_t i = 0; i < g->n_shards; i++) {
        *loss += g->shard[i].loss;
        g->penalty += g->shard[i].penalty;
    }
    return PECK_OK;
}

double gradient_penalty(const struct gradient *g)
{
    return g->penalty;
}

peck_status gradient_open(struct gradient **out, const struct gradient_spec *spec,
                          size_t max_queries, struct pool *pool, peck_error *err)
{
    const size_t n_queries = spec->train_set->n_queries;
    const size_t most = max_queries < n_queries ? max_queries : n_queries;
    const size_t max_shards = most < MAX_SHARDS ? most : MAX_SHARDS;
    const size_t workers = (size_t)pool_size(pool);
    struct gradient *const g = *out = mem_new(1, sizeof *g);

    if (g == NULL)
        return fail_memory(err, "gradients", 1, sizeof *g);
    g->spec = *spec;
    g->pool = pool;
    g->compares = spec->objective->duels != NULL;
    g->rule = (struct duel_rule){ spec->family, spec->shape, spec->objective, spec->config,
                                  spec->n_kept };
    g->width = g->compares ? spec->family->compares->view_size(spec->shape) : 1;
    g->stack = 2 * SHARD_DOCS + spec->train_set->max_docs; /* a common shard is one stack */
    struct arena *const a = &g->arena;
    peck_status st = PECK_OK;
    /* Who duels needs its room for the weights of delta= alone. */
    const bool is_plain = g->compares && (spec->objective->delta == NULL ||
                                          spec->objective->delta(spec->config) == NULL);

    g->part = arena_new(a, "gradients", max_shards, spec->n_weights * sizeof *g->part);
    g->load = arena_new(a, "gradients", most, sizeof *g->load);
    if (spec->train_set->n_docs > DEALT_FROM) {
        g->dealt = arena_new(a, "gradients", most, sizeof *g->dealt);
        g->item = arena_new(a, "gradients", 2 * most, sizeof *g->item);
    }
    g->scratch = arena_new(a, "gradients", workers, sizeof *g->scratch);
    for (size_t i = 0; g->scratch != NULL && st == PECK_OK && i < workers; i++) {
        struct gradient_scratch *const b = &g->scratch[i];

        b->x =
            arena_new(a, "the rows of a batch", g->stack, spec->data->dim * sizeof *b->x);
        b->room = arena_new(a, "the rows of a batch", train_data_room(spec->data),
                            sizeof *b->room);
        b->s = arena_new(a, "the layers of a batch", g->stack, g->width * sizeof *b->s);
        b->ds = arena_new(a, "the layers of a batch", g->stack, g->width * sizeof *b->ds);
        b->scratch = arena_new(a, "the layers of a batch", g->stack,
                               spec->n_scratch * sizeof *b->scratch);
        if (g->compares)
            b->duels = duel_scratch_new(a, &g->rule);
        if (spec->rule_penalty.rule_scope != NULL)
            b->rule_scratch = rule_penalty_scratch_new(a, &spec->rule_penalty);
        if (spec->rule_penalty.rule_scope != NULL && g->compares) {
            const size_t docs = spec->train_set->max_docs;

            b->lead = arena_new(a, "rules", docs, docs * sizeof *b->lead);
            b->dlead = arena_new(a, "rules", docs, docs * sizeof *b->dlead);
        }
        st = query_scratch_init(&b->query_scratch, spec->train_set,
                                is_plain ? NULL : spec->objective, err);
    }
    if (st == PECK_OK)
        st = arena_check(a, err);
    if (st == PECK_OK && comm_is_shared(spec->data->comm))
        st = rank_batch_open(&g->ranks, spec->data, spec->n_weights, most, max_shards, pool,
                             err);
    if (st != PECK_OK) {
        gradient_close(g);
        *out = NULL;
    }
    return st;
}

void gradient_close(struct gradient *g)
{
    if (g == NULL)
        return;
    for (int i = 0; g->scratch != NULL && i < pool_size(g->pool); i++)
        query_scratch_free(&g->scratch[i].query_scratch);
    if (comm_is_shared(g->spec.data->comm))
        rank_batch_close(&g->ranks);
    arena_free(&g->arena);
    mem_free(g);
}
