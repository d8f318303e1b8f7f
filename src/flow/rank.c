/* rank.c -- a model that is asked for duels: the answers themselves, and orders decoded
 * from them.
 *
 * Queries are dealt to the workers; a long list has all workers to itself, inside the
 * decoder.                                                                            */
#include "query_error.h"
#include "score.h"

#include "../base/alloc.h"
#include "../base/rng.h"

#include <math.h>

/* Duels ----------------------------------------------------------------------------- */

static peck_status check_duels(const peck_duel *duel, size_t n_duels, size_t n_docs,
                               peck_error *err)
{
    for (size_t k = 0; k < n_duels; k++)
        if (duel[k].i >= n_docs || duel[k].j >= n_docs)
            return fail(err, PECK_ARG,
                        "duel %zu is of documents %u and %u, counted from 0, but there are "
                        "%zu documents",
                        k + 1, duel[k].i, duel[k].j, n_docs);
    return PECK_OK;
}

peck_status peck_prefer(peck_scorer *s, const float *x, size_t n_docs, size_t stride,
                        const peck_duel *duel, size_t n_duels, float *preference,
                        float *outputs, peck_error *err)
{
    enum { CHUNK = 256 };
    const size_t dim = peck_model_features(scorer_model(s));
    const struct rows docs = { x, n_docs, dim, stride };
    float out[CHUNK][2];

    TRY(check_rows(scorer_model(s), docs, err));
    TRY(check_duels(duel, n_duels, n_docs, err));
    TRY(scorer_look(s, docs, err));
    for (size_t at = 0, n; at < n_duels; at += n) {
        n = n_duels - at < CHUNK ? n_duels - at : CHUNK;
        scorer_duels(s, duel + at, n, out);
        if (outputs != NULL)
            memcpy(outputs + 2 * at, out, n * sizeof *out);
        for (size_t k = 0; k < n; k++) {
            if (isnan(out[k][0] - out[k][1]))
                return refuse_document(duel[at + k].i, err);
            if (preference != NULL)
                preference[at + k] = 0.5f + (out[k][0] - out[k][1]) / 2;
        }
    }
    return PECK_OK;
}

/* Orders ---------------------------------------------------------------------------- */

/* Documents from which on a list is worth all workers. */
enum { LONG_LIST = 8192 };

/* One worker's own. */
struct rank_scratch {
    struct peck_scorer *scorer;
    /* Of the longest query: */
    uint32_t *order;
    uint32_t *shuffled; /* shuffled[k] is the document that stands at k */
    double *score;      /* by place, where documents are shuffled */
};

struct sorting {
    const struct peck_dataset *data;
    struct decode_call call; /* without its oracle */
    const uint64_t *shuffle; /* a seed; NULL: documents stand as they are */
    struct rank_scratch *scratch;
    struct query_error *error;
    size_t n_workers;
    struct decoding *found; /* of each query; order and score are not kept */
    double *score;          /* of all documents */
};

/* A list whose documents stand in another order. */
struct shuffled {
    struct oracle own; /* of the documents */
    const uint32_t *at;
};

typedef peck_status oracle_call(void *ctx, int worker, const peck_duel *duel,
                                size_t n_duels, float *answer, peck_error *err);

static peck_status pass_on(const struct shuffled *s, oracle_call *call, int worker,
                           const peck_duel *duel, size_t n_duels, float *answer,
                           peck_error *err)
{
    enum { CHUNK = 256 };
    peck_duel own[CHUNK];

    for (size_t at = 0, n; at < n_duels; at += n) {
        n = n_duels - at < CHUNK ? n_duels - at : CHUNK;
        for (size_t k = 0; k < n; k++)
            own[k] = (peck_duel){ s->at[duel[at + k].i], s->at[duel[at + k].j] };
        TRY(call(s->own.ctx, worker, own, n, answer + at, err));
    }
    return PECK_OK;
}

static peck_status ask_shuffled(void *ctx, int worker, const peck_duel *duel,
                                size_t n_duels, float *h, peck_error *err)
{
    const struct shuffled *const s = ctx;

    return pass_on(s, s->own.ask, worker, duel, n_duels, h, err);
}

static peck_status decide_shuffled(void *ctx, int worker, const peck_duel *duel,
                                   size_t n_duels, float *lead, peck_error *err)
{
    const struct shuffled *const s = ctx;

    return pass_on(s, s->own.decide, worker, duel, n_duels, lead, err);
}

static peck_status decode_shuffled(const struct sorting *r, struct rank_scratch *scratch,
                                   size_t query, struct decode_call *call, double *score,
                                   peck_error *err)
{
    struct shuffled list = { *call->oracle, scratch->shuffled };
    struct oracle oracle = list.own;
    struct rng rng;

    for (uint32_t i = 0; i < oracle.n; i++)
        scratch->shuffled[i] = i;
    rng_seed(&rng, *r->shuffle, query);
    rng_shuffle(&rng, scratch->shuffled, oracle.n);
    oracle.ask = ask_shuffled;
    oracle.decide = decide_shuffled;
    oracle.ctx = &list;
    call->oracle = &oracle;
    r->found[query].score = scratch->score;
    TRY(decode_run(call, &r->found[query], err));
    for (uint32_t k = 0; k < oracle.n; k++)
        score[scratch->shuffled[k]] = scratch->score[k];
    return PECK_OK;
}

static peck_status rank_list(const struct sorting *r, struct rank_scratch *scratch,
                             size_t query, struct pool *pool, peck_error *err)
{
    double *const score = r->score + r->data->start[query];
    struct decode_call call = r->call;

    TRY(scorer_look(scratch->scorer, dataset_rows(r->data, query), err));
    const struct oracle oracle = scorer_oracle(scratch->scorer);

    call.oracle = &oracle;
    call.pool = pool;
    r->found[query].order = scratch->order;
    r->found[query].score = score;
    return r->shuffle == NULL ? decode_run(&call, &r->found[query], err)
                              : decode_shuffled(r, scratch, query, &call, score, err);
}

static void rank_query(const struct sorting *r, size_t query, int worker, struct pool *pool)
{
    peck_error why;

    if (!query_error_is_past(&r->error[worker], query) &&
        rank_list(r, &r->scratch[worker], query, pool, &why) != PECK_OK)
        query_error_keep(&r->error[worker], query, &why);
}

static size_t length_of(const struct sorting *r, size_t query)
{
    return (size_t)(r->data->start[query + 1] - r->data->start[query]);
}

static void rank_short(void *ctx, size_t query, int worker)
{
    struct sorting *const r = ctx;

    if (length_of(r, query) < LONG_LIST)
        rank_query(r, query, worker, NULL);
}

static peck_status sorting_open(struct sorting *r, const struct peck_model *m,
                                size_t n_workers, peck_error *err)
{
    const size_t longest = longest_query(r->data);

    r->found = mem_new(r->data->n_queries, sizeof *r->found);
    r->scratch = mem_new(n_workers, sizeof *r->scratch);
    r->error = mem_new(n_workers, sizeof *r->error);
    if (r->found == NULL || r->scratch == NULL || r->error == NULL)
        return fail_memory(err, "a ranking", r->data->n_queries, sizeof *r->found);
    r->n_workers = n_workers;
    TRY(model_prepare(m, n_workers, err));
    for (size_t i = 0; i < n_workers; i++) {
        struct rank_scratch *const d = &r->scratch[i];

        TRY(peck_scorer_new(&d->scorer, m, err));
        d->order = mem_new(longest, sizeof *d->order);
        d->shuffled = mem_new(r->shuffle != NULL ? longest : 0, sizeof *d->shuffled);
        d->score = mem_new(r->shuffle != NULL ? longest : 0, sizeof *d->score);
        if (d->order == NULL || d->shuffled == NULL || d->score == NULL)
            return fail_memory(err, "the order of a query", longest, sizeof *d->score);
    }
    return PECK_OK;
}

static void sorting_close(struct sorting *r)
{
    for (size_t i = 0; i < r->n_workers; i++) {
        peck_scorer_free(r->scratch[i].scorer);
        mem_free(r->scratch[i].order);
        mem_free(r->scratch[i].shuffled);
        mem_free(r->scratch[i].score);
    }
    mem_free(r->scratch);
    mem_free(r->error);
    mem_free(r->found);
}

static void add_up(const struct sorting *r, peck_decode_info *info)
{
    *info = (peck_decode_info){ 0 };
    for (size_t q = 0; q < r->data->n_queries; q++) {
        const uint64_t n = length_of(r, q);

        info->n_questions += r->found[q].n_questions;
        info->n_distinct += r->found[q].n_distinct;
        info->n_pairs += n * (n - 1) / 2;
        info->cost += r->found[q].cost;
    }
}

static peck_status rank_all(struct sorting *r, struct pool *pool, peck_error *err)
{
    pool_run(pool, r->data->n_queries, rank_short, r);
    for (size_t q = 0; q < r->data->n_queries; q++)
        if (length_of(r, q) >= LONG_LIST)
            rank_query(r, q, 0, pool);
    return query_error_tell(r->error, r->n_workers, r->data, err);
}

peck_status rank_dataset(const struct peck_model *m, const struct peck_dataset *d,
                         const struct decode_call *call, const uint64_t *shuffle,
                         double *score, peck_decode_info *info, peck_error *err)
{
    struct sorting r = { .data = d, .call = *call, .shuffle = shuffle, .score = score };
    peck_status st = dataset_check_features(d, model_may_miss(m), call->pool, err);

    if (st == PECK_OK)
        st = sorting_open(&r, m, (size_t)pool_size(call->pool), err);
    if (st == PECK_OK)
        st = rank_all(&r, call->pool, err);
    if (st == PECK_OK && info != NULL)
        add_up(&r, info);
    sorting_close(&r);
    return st;
}

peck_status peck_model_rank(const peck_model *m, const peck_dataset *d,
                            const peck_decode_spec *spec, double *score,
                            peck_decode_info *info, peck_error *err)
{
    static const peck_decode_spec usual = { 0 };
    const peck_decode_spec *const s = spec != NULL ? spec : &usual;
    struct decode_plan plan = { 0 };
    struct decode_call call = { .plan = &plan,
                                .seed = s->seed,
                                .budget = s->budget,
                                .is_costed = s->is_costed != 0,
                                .is_cached = s->is_cached != 0 };
    struct peck_dataset *fit = NULL;

    TRY(decode_plan_open(&plan, s->decoder != NULL ? s->decoder : model_decoder(m), err));
    peck_status st = pool_new(&call.pool, s->threads, err);

    if (st == PECK_OK)
        st = peck_dataset_match(&fit, d, m, NULL, NULL, err);
    if (st == PECK_OK)
        st = rank_dataset(m, fit, &call, NULL, score, info, err);
    peck_dataset_free(fit);
    pool_free(call.pool);
    decode_plan_close(&plan);
    return st;
}

int peck_model_compares(const peck_model *m)
{
    return model_compares(m);
}
