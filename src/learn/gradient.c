/* gradient.c -- see gradient.h. */
#include "gradient.h"
#include "duelling.h"

#include "../base/alloc.h"
#include "../base/vec.h"

enum {
    SHARD_DOCS = 256,     /* a shard has about as many, so that its layers stay in cache */
    EVEN_FROM = 8,        /* more shards than this become 8, 16, 32 or 64 of one size */
    DUELS_A_DOCUMENT = 4, /* as many duels take the time of a document, or less */
    MAX_SHARDS = 64       /* of a batch; beyond it shards grow */
};

/* Below this many multiplications a batch is done sooner than a worker wakes. */
#define WORTH_A_POOL 2e6

/* Queries first .. last-1 of the batch. */
struct gradient_shard {
    size_t first, last;
    double loss, penalty;
};

/* A worker's memory. */
struct gradient_scratch {
    float *x;                   /* [stack][dim] */
    float *s, *ds;              /* [stack][width]: scores or views, and their derivatives */
    float *scratch;             /* the family's */
    struct duel_scratch *duels; /* NULL: the family does not compare */
    struct query_scratch query_scratch;
    struct rule_penalty_scratch rule_scratch;
};

struct gradient {
    struct gradient_spec spec;
    struct pool *pool;
    struct gradient_scratch *scratch; /* one a worker */
    struct gradient_shard shard[MAX_SHARDS];
    float *dw; /* [MAX_SHARDS or fewer][n_weights] */
    size_t max_shards;
    size_t stack; /* documents that are pushed through the net at once */
    size_t width; /* what the net makes of a document: 1 score, or a view */
    bool compares;
    struct duel_rule rule; /* of one that compares */
    /* The batch at hand: */
    const float *w;
    const uint32_t *query;
    size_t n_queries, n_teaching;
    double penalty;
    struct train_step at;
};

static size_t docs_of(const struct gradient_spec *s, uint32_t query)
{
    return s->train_set->start[query + 1] - s->train_set->start[query];
}

/* The work that a query makes, in documents. */
static size_t load_of(const struct gradient *g, uint32_t query)
{
    const double n_pairs = g->compares ? g->spec.train_set->plan[query].n_all : 0.0;

    return docs_of(&g->spec, query) + (size_t)(n_pairs / DUELS_A_DOCUMENT);
}

static peck_status gradient_scratch_open(struct gradient_scratch *b,
                                         const struct gradient *g, peck_error *err)
{
    const struct gradient_spec *const s = &g->spec;
    const size_t n_scratch = family_scratch(s->family, s->shape, g->stack);
    size_t cells, made;

    if (mul_overflow(g->stack, s->dim, &cells) || mul_overflow(g->stack, g->width, &made))
        return fail_memory(err, "the rows of a batch", g->stack, s->dim * sizeof *b->x);
    b->x = mem_new(cells, sizeof *b->x);
    b->s = mem_new(made, sizeof *b->s);
    b->ds = mem_new(made, sizeof *b->ds);
    b->scratch = mem_new(n_scratch, sizeof *b->scratch);
    if (b->x == NULL || b->s == NULL || b->ds == NULL || b->scratch == NULL)
        return fail_memory(err, "the layers of a batch", cells + n_scratch, sizeof *b->x);
    if (g->compares)
        TRY(duel_scratch_new(&b->duels, &g->rule, err));
    if (s->rule_penalty.rule_scope != NULL)
        TRY(rule_penalty_scratch_init(&b->rule_scratch, &s->rule_penalty, err));
    return query_scratch_init(&b->query_scratch, s->train_set, err);
}

static void gradient_scratch_close(struct gradient_scratch *b)
{
    mem_free(b->x);
    mem_free(b->s);
    mem_free(b->ds);
    mem_free(b->scratch);
    duel_scratch_free(b->duels);
    rule_penalty_scratch_free(&b->rule_scratch);
    query_scratch_free(&b->query_scratch);
}

/* The rows of queries first .. last-1 as one block: where they lie, for a single one. */
static struct rows stack_rows(const struct gradient *g, const struct gradient_scratch *b,
                              size_t first, size_t last)
{
    const struct gradient_spec *const s = &g->spec;
    const uint64_t *const start = s->train_set->start;
    struct rows all = { b->x, 0, s->dim, s->dim };

    if (last - first == 1) {
        all.x = s->x + start[g->query[first]] * s->dim;
        all.n = docs_of(s, g->query[first]);
        return all;
    }
    for (size_t i = first; i < last; i++) {
        const size_t n = docs_of(s, g->query[i]);

        memcpy(b->x + all.n * s->dim, s->x + start[g->query[i]] * s->dim,
               n * s->dim * sizeof *b->x);
        all.n += n;
    }
    return all;
}

/* From the scores of a query to part times its loss's derivatives; returns the loss. */
static double gradient_judge_scores(const struct gradient_spec *s,
                                    const struct query_pairs *q, float part,
                                    const float *score, float *ds)
{
    const double loss = s->objective->grad(s->config, q, score, ds);

    for (uint32_t d = 0; d < q->n; d++)
        ds[d] *= part;
    return loss;
}

/* From b->s to b->ds, adding to dw what lies past the views; adds to the shard's sums. */
static void judge_stack(const struct gradient *g, struct gradient_scratch *b, size_t first,
                        size_t last, float *dw, struct gradient_shard *shard)
{
    const struct gradient_spec *const s = &g->spec;
    float *at = b->s, *dat = b->ds;

    for (size_t i = first; i < last; i++) {
        const uint32_t query = g->query[i];
        struct query_pairs q = train_set_query(s->train_set, query, g->at.seed, g->at.epoch,
                                               &b->query_scratch);
        const float share = s->share[query], part = share / (float)g->n_teaching;

        if (s->target != NULL)
            q.label = s->target + s->train_set->start[query];
        memset(dat, 0, q.n * g->width * sizeof *dat);
        if (share > 0.0f)
            shard->loss +=
                (double)share *
                (g->compares ? duelling(&g->rule, &q, g->w, at, b->duels, part, dat, dw)
                             : gradient_judge_scores(s, &q, part, at, dat));
        if (s->rule_penalty.rule_scope != NULL)
            shard->penalty += rule_penalty_add(&s->rule_penalty, query, s->scale[query], at,
                                               dat, &b->rule_scratch);
        at += q.n * g->width;
        dat += q.n * g->width;
    }
}

/* One way through the net and back. */
static void do_stack(const struct gradient *g, struct gradient_scratch *b, size_t first,
                     size_t end, struct rng *rng, float *dw, struct gradient_shard *shard)
{
    const struct gradient_spec *const s = &g->spec;
    const struct family *const f = s->family;
    const struct rows x = stack_rows(g, b, first, end);

    if (g->compares)
        f->compares->view(s->shape, g->w, x, b->s, b->scratch);
    else
        family_forward(f, s->shape, g->w, x, rng, b->s, b->scratch);
    judge_stack(g, b, first, end, dw, shard);
    (g->compares ? f->compares->view_back : f->scores->backward)(s->shape, g->w, x, b->ds,
                                                                 dw, b->scratch);
}

/* The end of the stack that begins with query `first`: at least one query, and no more
 * documents than a stack holds. */
static size_t stack_end(const struct gradient *g, size_t first, size_t last)
{
    size_t docs = docs_of(&g->spec, g->query[first]), end = first + 1;

    while (end < last && docs + docs_of(&g->spec, g->query[end]) <= g->stack)
        docs += docs_of(&g->spec, g->query[end++]);
    return end;
}

static void do_shard(void *ctx, size_t i, int worker)
{
    struct gradient *const g = ctx;
    const struct gradient_spec *const s = &g->spec;
    struct gradient_scratch *const b = &g->scratch[worker];
    struct gradient_shard *const shard = &g->shard[i];
    float *const dw = g->dw + i * s->n_weights;
    struct rng rng;

    shard->loss = shard->penalty = 0.0;
    memset(dw, 0, s->n_weights * sizeof *dw);
    rng_seed(&rng, mix64(g->at.seed, STREAM_DROPOUT),
             mix64(mix64(g->at.epoch, g->at.batch), i));
    for (size_t first = shard->first, end; first < shard->last; first = end) {
        end = stack_end(g, first, shard->last);
        do_stack(g, b, first, end, &rng, dw, shard);
    }
}

/* Workers are 2, 4 or 8 more often than not: with as many shards alike, or a multiple, they
 * finish together. */
static size_t shard_size(size_t all)
{
    size_t n = EVEN_FROM;

    if (all <= EVEN_FROM * SHARD_DOCS)
        return SHARD_DOCS;
    while (n < MAX_SHARDS && all / n > 2 * SHARD_DOCS)
        n *= 2;
    return (all + n - 1) / n;
}

/* Cuts the batch where about as much work has come together; returns the number of
 * shards. */
static size_t gradient_cut(struct gradient *g, size_t all)
{
    const size_t wanted = shard_size(all);
    size_t n = 0, load = 0, first = 0;

    for (size_t i = 0; i < g->n_queries; i++) {
        load += load_of(g, g->query[i]);
        if (load < wanted && i + 1 < g->n_queries)
            continue;
        g->shard[n++] = (struct gradient_shard){ .first = first, .last = i + 1 };
        first = i + 1;
        load = 0;
    }
    return n;
}

double gradient_take(struct gradient *g, const float *w, const uint32_t *query, size_t n,
                     const struct train_step *at, float *dw)
{
    const struct gradient_spec *const s = &g->spec;
    size_t load = 0;
    double loss = 0.0;

    g->w = w;
    g->query = query;
    g->n_queries = n;
    g->n_teaching = 0;
    g->penalty = 0.0;
    g->at = *at;
    for (size_t i = 0; i < n; i++) {
        load += load_of(g, query[i]);
        g->n_teaching += s->share[query[i]] > 0.0f;
    }
    const size_t n_shards = gradient_cut(g, load);

    if ((double)load * (double)s->n_weights < WORTH_A_POOL)
        for (size_t i = 0; i < n_shards; i++)
            do_shard(g, i, 0);
    else
        pool_run(g->pool, n_shards, do_shard, g);
    memcpy(dw, g->dw, s->n_weights * sizeof *dw);
    for (size_t i = 0; i < n_shards; i++) {
        loss += g->shard[i].loss;
        g->penalty += g->shard[i].penalty;
        if (i > 0)
            vec_axpy(s->n_weights, 1.0f, g->dw + i * s->n_weights, dw);
    }
    return loss;
}

double gradient_penalty(const struct gradient *g)
{
    return g->penalty;
}

static peck_status gradient_take_memory(struct gradient *g, peck_error *err)
{
    const size_t workers = (size_t)pool_size(g->pool);
    size_t n;

    if (mul_overflow(g->max_shards, g->spec.n_weights, &n) ||
        (g->dw = mem_new(n, sizeof *g->dw)) == NULL)
        return fail_memory(err, "gradients", g->max_shards * g->spec.n_weights,
                           sizeof *g->dw);
    g->scratch = mem_new(workers, sizeof *g->scratch);
    if (g->scratch == NULL)
        return fail_memory(err, "gradients", workers, sizeof *g->scratch);
    for (size_t i = 0; i < workers; i++)
        TRY(gradient_scratch_open(&g->scratch[i], g, err));
    return PECK_OK;
}

peck_status gradient_open(struct gradient **out, const struct gradient_spec *spec,
                          size_t max_queries, struct pool *pool, peck_error *err)
{
    struct gradient *const g = mem_new(1, sizeof *g);

    *out = NULL;
    if (g == NULL)
        return fail_memory(err, "gradients", 1, sizeof *g);
    g->spec = *spec;
    g->pool = pool;
    g->compares = spec->objective->duels != NULL;
    g->rule =
        (struct duel_rule){ spec->family, spec->shape, spec->objective, spec->config };
    g->width = g->compares ? spec->family->compares->view_size(spec->shape) : 1;
    g->max_shards = max_queries < MAX_SHARDS ? max_queries : MAX_SHARDS;
    g->stack = 2 * SHARD_DOCS + spec->train_set->max_docs; /* a common shard is one stack */
    const peck_status st = gradient_take_memory(g, err);

    if (st == PECK_OK)
        *out = g;
    else
        gradient_close(g);
    return st;
}

void gradient_close(struct gradient *g)
{
    if (g == NULL)
        return;
    for (int i = 0; g->scratch != NULL && i < pool_size(g->pool); i++)
        gradient_scratch_close(&g->scratch[i]);
    mem_free(g->scratch);
    mem_free(g->dw);
    mem_free(g);
}
