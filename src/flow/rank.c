/* rank.c -- a model that is asked for duels: the answers themselves, and orders decoded
 * from them.
 *
 * Queries are dealt to the workers; a long list has all workers to itself, inside the
 * decoder.                                                                            */
#include "query_error.h"
#include "score.h"

#include "../base/alloc.h"
#include "../base/rng.h"
#include "../base/spec.h"

#include <math.h>

peck_status peck_prefer(peck_scorer *s, const float *x, size_t n_docs, size_t stride,
                        const peck_duel *duel, size_t n_duels, float *preference,
                        float *outputs, peck_error *err)
{
    enum { CHUNK = 256 };
    const size_t dim = peck_model_features(scorer_model(s));
    const struct rows docs = { x, n_docs, dim, stride };
    float out[CHUNK][2];

    TRY(check_rows(scorer_model(s), docs, err));
    for (size_t k = 0; k < n_duels; k++)
        if (duel[k].i >= n_docs || duel[k].j >= n_docs)
            return fail(err, PECK_ARG,
                        "duel %zu is of documents %u and %u, counted from 0, but there are "
                        "%zu documents",
                        k + 1, duel[k].i, duel[k].j, n_docs);
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

struct ranking_job {
    const struct peck_dataset *data;
    struct decode_call call;      /* without its oracle; its pool is for long lists */
    const uint64_t *shuffle;      /* a seed; NULL: documents stand as they are */
    struct rank_scratch *scratch; /* one a worker */
    struct query_error *error;    /* likewise */
    struct decoding *found;       /* of each query; order and score are not kept */
    double *score;                /* of all documents */
};

static peck_status rank_list(const struct ranking_job *r, struct rank_scratch *scratch,
                             size_t query, struct pool *pool, peck_error *err)
{
    double *const score = r->score + r->data->start[query];
    struct decoding *const found = &r->found[query];
    struct decode_call call = r->call;
    struct rng rng;

    TRY(scorer_look(scratch->scorer, dataset_rows(r->data, query), err));
    const struct oracle oracle =
        scorer_oracle(scratch->scorer, r->shuffle != NULL ? scratch->shuffled : NULL);

    call.oracle = &oracle;
    call.pool = pool;
    found->order = scratch->order;
    found->score = r->shuffle != NULL ? scratch->score : score;
    if (r->shuffle != NULL) {
        for (uint32_t i = 0; i < oracle.n; i++)
            scratch->shuffled[i] = i;
        rng_seed(&rng, *r->shuffle, query);
        rng_shuffle(&rng, scratch->shuffled, oracle.n);
    }
    TRY(decode_run(&call, found, err));
    for (uint32_t k = 0; r->shuffle != NULL && k < oracle.n; k++)
        score[scratch->shuffled[k]] = scratch->score[k];
    return PECK_OK;
}

static void rank_query(const struct ranking_job *r, size_t query, int worker,
                       struct pool *pool)
{
    peck_error why;

    if (!query_error_is_past(&r->error[worker], query) &&
        rank_list(r, &r->scratch[worker], query, pool, &why) != PECK_OK)
        query_error_keep(&r->error[worker], query, &why);
}

static size_t length_of(const struct peck_dataset *d, size_t query)
{
    return (size_t)(d->start[query + 1] - d->start[query]);
}

static void rank_short(void *ctx, size_t query, int worker)
{
    const struct ranking_job *const r = ctx;

    query += dataset_own_first(r->data);
    if (length_of(r->data, query) < LONG_LIST)
        rank_query(r, query, worker, NULL);
}

peck_status rank_dataset(const struct peck_model *m, const struct peck_dataset *d,
                         const struct decode_call *call, const uint64_t *shuffle,
                         struct watch *watch, double *score, peck_decode_info *info,
                         peck_error *err)
{
    const size_t n_workers = (size_t)pool_size(call->pool),
                 longest = dataset_longest_query(d);
    const size_t n_shuffled = shuffle != NULL ? longest : 0;
    const char *const what = "the order of a query";
    struct arena memory = { 0 };
    struct peck_scorer **const scorer =
        arena_new(&memory, "a ranking", n_workers, sizeof *scorer);
    struct ranking_job r = {
        .data = d,
        .call = *call,
        .shuffle = shuffle,
        .score = score,
        .found = arena_new(&memory, "a ranking", d->n_queries, sizeof *r.found),
        .error = arena_new(&memory, "a ranking", n_workers, sizeof *r.error),
        .scratch = arena_new(&memory, "a ranking", n_workers, sizeof *r.scratch),
    };
    const size_t first = dataset_own_first(d), end = dataset_own_end(d);
    peck_status st = dataset_check_shared(d, model_may_miss(m), call->pool, err);

    for (size_t i = 0; r.scratch != NULL && i < n_workers; i++) {
        struct rank_scratch *const to = &r.scratch[i];

        to->order = arena_new(&memory, what, longest, sizeof *to->order);
        to->shuffled = arena_new(&memory, what, n_shuffled, sizeof *to->shuffled);
        to->score = arena_new(&memory, what, n_shuffled, sizeof *to->score);
    }
    if (st == PECK_OK)
        st = arena_check(&memory, err);
    if (st == PECK_OK)
        st = scorers_open(scorer, n_workers, m, 0, err);
    for (size_t i = 0; st == PECK_OK && i < n_workers; i++)
        r.scratch[i].scorer = scorer[i];
    if (st == PECK_OK)
        st = watch_run(watch, call->pool, end - first, rank_short, &r, err);
    for (size_t q = first; st == PECK_OK && q < end; q++)
        if (length_of(d, q) >= LONG_LIST) {
            rank_query(&r, q, 0, call->pool);
            st = watch_step(watch, 1, 1, err);
        }
    if (st == PECK_OK)
        st = query_error_tell(r.error, n_workers, d, err);
    st = comm_agree(d->comm, st, err);
    if (st == PECK_OK)
        st = dataset_share_rows(d, score, sizeof *score, err);
    if (st == PECK_OK && d->share != NULL)
        st = comm_share(d->comm, r.found, d->share, sizeof *r.found, err);
    if (st == PECK_OK && info != NULL)
        *info = (peck_decode_info){ 0 };
    for (size_t q = 0; st == PECK_OK && info != NULL && q < d->n_queries; q++) {
        const uint64_t n = length_of(d, q);

        info->n_questions += r.found[q].n_questions;
        info->n_distinct += r.found[q].n_distinct;
        info->n_pairs += n * (n - 1) / 2;
        info->cost += r.found[q].cost;
    }
    scorers_close(scorer, n_workers);
    arena_free(&memory);
    return st;
}

peck_status peck_model_rank(const peck_model *m, const peck_dataset *d,
                            const peck_decode_spec *spec, double *score,
                            peck_decode_info *info, peck_error *err)
{
    peck_decode_spec own, *const s = &own;
    struct decode_plan plan = { 0 };

    TRY(SPEC_TAKE(peck_decode_spec, s, ctx, spec, err));
    struct decode_call call = { .plan = &plan,
                                .seed = s->seed,
                                .budget = s->budget,
                                .is_costed = s->is_costed != 0,
                                .is_cached = s->is_cached != 0 };
    struct watch watch = { .progress = s->progress, .ctx = s->ctx };
    struct peck_dataset *fit = NULL;

    TRY(decode_plan_open(&plan, s->decoder != NULL ? s->decoder : model_decoder(m), err));
    peck_status st = pool_new(&call.pool, s->threads, err);

    if (st == PECK_OK)
        st = peck_dataset_match(&fit, d, m, NULL, NULL, err);
    if (st == PECK_OK)
        st = rank_dataset(m, fit, &call, NULL, &watch, score, info, err);
    peck_dataset_free(fit);
    pool_free(call.pool);
    return st;
}
