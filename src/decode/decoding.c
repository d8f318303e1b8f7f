/* decoding.c -- preferences of a callback in, an order out. */
#include "decoding.h"

#include "../base/alloc.h"

struct caller {
    peck_ask *ask;
    void *ctx;
};

static peck_status ask(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                       peck_error *err)
{
    const struct caller *const c = ctx;

    (void)worker;
    if (c->ask(c->ctx, duel, n, h) != 0)
        return fail(err, PECK_STOPPED, "stopped by the one who was asked");
    return PECK_OK;
}

peck_status decode_by(const peck_decode_spec *spec, int threads,
                      const struct oracle *oracle, struct decoding *out, peck_error *err)
{
    struct decode_plan plan;
    struct decode_call call = { .plan = &plan,
                                .oracle = oracle,
                                .seed = spec->seed,
                                .budget = spec->budget,
                                .is_costed = spec->is_costed != 0,
                                .is_cached = spec->is_cached != 0 };

    TRY(decode_plan_open(&plan, spec->decoder, err));
    peck_status st = pool_new(&call.pool, threads, err);

    if (st == PECK_OK)
        st = decode_run(&call, out, err);
    pool_free(call.pool);
    decode_plan_close(&plan);
    return st;
}

peck_status peck_decode(uint32_t *order, double *score, size_t n, peck_ask *asked,
                        void *ctx, const peck_decode_spec *spec, peck_decode_info *info,
                        peck_error *err)
{
    const peck_decode_spec none = { 0 };
    const peck_decode_spec *const how = spec != NULL ? spec : &none;
    struct caller caller = { asked, ctx };
    const struct oracle oracle = {
        .n = (uint32_t)n, .ask = ask, .ctx = &caller, .is_symmetric = how->is_symmetric != 0
    };

    if (n > INT32_MAX)
        return fail(err, PECK_ARG, "%zu items; at most %d can be ordered", n, INT32_MAX);
    double *const own = score == NULL ? mem_new(n, sizeof *own) : NULL;
    struct decoding out = { .order = order, .score = score != NULL ? score : own };

    if (out.score == NULL)
        return fail_memory(err, "scores", n, sizeof *own);
    const peck_status st =
        decode_by(how, how->threads == 0 ? 1 : how->threads, &oracle, &out, err);

    if (st == PECK_OK && info != NULL)
        *info = (peck_decode_info){ out.n_questions, out.n_distinct,
                                    n < 2 ? 0 : (uint64_t)n * (n - 1) / 2, out.cost };
    mem_free(own);
    return st;
}
