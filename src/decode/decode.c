/* decode.c -- which decoders there are, how one is named, and one of them at work. */
#include "decoder.h"
#include "memo.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <math.h>

#define DECODER(name) extern const struct decoder decoder_##name;
#include "decoders.def"
#undef DECODER

#define DECODER(name) &decoder_##name.plug,
const struct plug *const decoders[] = {
#include "decoders.def"
};
#undef DECODER
const size_t n_decoders = sizeof decoders / sizeof *decoders;

/* The name -------------------------------------------------------------------------- */

static peck_status set_all(const struct plug *plug, void *config, const char *word,
                           peck_error *err)
{
    static const struct param none[] = { { 0 } };
    const struct param *const params = plug->params != NULL ? plug->params : none;

    param_defaults(params, config);
    while (*word != '\0') {
        const size_t n = strcspn(word, ",");

        TRY(param_set_pair(params, config, plug->about.name, (peck_span){ word, n }, err));
        word += word[n] == ',' ? n + 1 : n;
    }
    return PECK_OK;
}

peck_status decode_plan_open(struct decode_plan *p, const char *spec, peck_error *err)
{
    const char *const word = spec != NULL ? spec : "tree";
    const size_t n = strcspn(word, ":");

    *p = (struct decode_plan){ 0 };
    const struct plug *const found =
        plug_find(decoders, n_decoders, "decoder", (peck_span){ word, n }, err);

    if (found == NULL)
        return PECK_ARG;
    p->decoder = (const struct decoder *)found; /* its head */
    const size_t size = p->decoder->config_size;

    p->config = mem_new(1, size);
    const peck_status st =
        p->config == NULL ? fail_memory(err, "a decoder's settings", 1, size)
                          : set_all(found, p->config, word + n + (word[n] == ':'), err);

    if (st != PECK_OK)
        decode_plan_close(p);
    return st;
}

void decode_plan_close(struct decode_plan *p)
{
    mem_free(p->config);
    *p = (struct decode_plan){ 0 };
}

/* Scores and orders ----------------------------------------------------------------- */

void decoding_from_order(struct decoding *out, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        out->score[out->order[k]] = (double)(n - 1 - k);
}

peck_status decoding_from_score(struct decoding *out, uint32_t n, peck_error *err)
{
    struct sort_item *const room = mem_new(2 * (size_t)n, sizeof *room);

    if (room == NULL)
        return fail_memory(err, "an order", n, 2 * sizeof *room);
    order_desc(out->score, n, out->order, room);
    mem_free(room);
    return PECK_OK;
}

/* The cost: sum of h(j, i) over i before j ------------------------------------------ */

struct costing {
    struct asker *a;
    const uint32_t *order;
    uint32_t n;
    double *sum; /* of each place */
};

static void cost_of_place(void *ctx, size_t at, int worker)
{
    enum { CHUNK = 512 };
    const struct costing *const c = ctx;
    peck_duel duel[CHUNK];
    float h[CHUNK];
    double sum = 0.0;

    for (size_t from = at + 1; from < c->n; from += CHUNK) {
        const size_t m = c->n - from < CHUNK ? c->n - from : CHUNK;

        for (size_t k = 0; k < m; k++)
            duel[k] = (peck_duel){ c->order[from + k], c->order[at] };
        ask(c->a, worker, duel, m, h);
        for (size_t k = 0; k < m; k++)
            sum += h[k];
    }
    c->sum[at] = sum;
}

static peck_status find_cost(struct asker *a, struct decoding *out, peck_error *err)
{
    struct costing c = { a, out->order, a->oracle->n, NULL };

    c.sum = mem_new(c.n, sizeof *c.sum);
    if (c.sum == NULL)
        return fail_memory(err, "costs", c.n, sizeof *c.sum);
    asker_run(a, c.n, cost_of_place, &c);
    out->cost = 0.0;
    for (uint32_t i = 0; i < c.n; i++)
        out->cost += c.sum[i];
    mem_free(c.sum);
    return PECK_OK;
}

/* At work --------------------------------------------------------------------------- */

static peck_status decode(struct asker *a, const struct decode_call *call,
                          struct decoding *out, peck_error *err)
{
    TRY(call->plan->decoder->run(a, call->plan->config, out, err));
    out->n_questions = asker_questions(a);
    out->n_distinct = a->n_known;
    if (call->is_costed && !asker_failed(a))
        TRY(find_cost(a, out, err));
    return (peck_status)atomic_load(&a->status);
}

peck_status decode_run(const struct decode_call *call, struct decoding *out,
                       peck_error *err)
{
    const uint32_t n = call->oracle->n;
    struct asker a = { .oracle = call->oracle,
                       .pool = call->pool,
                       .seed = call->seed,
                       .budget = call->budget,
                       .err = err };

    out->n_questions = out->n_distinct = 0;
    out->cost = call->is_costed ? 0.0 : NAN;
    if (n < 2) {
        for (uint32_t i = 0; i < n; i++)
            out->order[i] = i, out->score[i] = 0.0;
        return PECK_OK;
    }
    if (call->is_cached && (a.memo = memo_new(n)) == NULL)
        return fail_memory(err, "remembered answers", 1, 1);
    const peck_status st = decode(&a, call, out, err);

    memo_free(a.memo);
    return st;
}
