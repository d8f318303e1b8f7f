/* asker.c -- see decoder.h. */
#include "decoder.h"
#include "memo.h"

#include <math.h>

enum {
    CHUNK = 256,  /* duels on the stack */
    BLOCK = 4096, /* duels of one task: enough to pay for waking a worker */
};

typedef peck_status oracle_call(void *ctx, int worker, const peck_duel *duel, size_t n,
                                float *answer, peck_error *err);

/* The first failure is kept, and told. */
static void stick(struct asker *a, peck_status st, const peck_error *why)
{
    int none = PECK_OK;

    if (atomic_compare_exchange_strong(&a->status, &none, st) && a->err != NULL)
        *a->err = *why;
}

bool asker_failed(struct asker *a)
{
    return atomic_load_explicit(&a->status, memory_order_relaxed) != PECK_OK;
}

/* Preferences lie in [0, 1]; a lead may be any number. */
static peck_status check(const peck_duel *duel, size_t n, const float *answer, bool is_side,
                         peck_error *err)
{
    const float low = is_side ? -INFINITY : 0.0f, high = is_side ? INFINITY : 1.0f;
    bool is_good = true;

    for (size_t k = 0; k < n; k++)
        is_good &= answer[k] >= low && answer[k] <= high;
    for (size_t k = 0; !is_good && k < n; k++)
        if (!(answer[k] >= low && answer[k] <= high))
            return fail(err, PECK_ARG, "item %u against item %u: the answer is %g; give %s",
                        duel[k].i, duel[k].j, (double)answer[k],
                        is_side ? "a number" : "a number from 0 to 1");
    return PECK_OK;
}

/* answer[n] straight from the oracle; undecided when it failed, now or before. */
static void put(struct asker *a, int worker, bool is_side, const peck_duel *duel, size_t n,
                float *answer)
{
    oracle_call *const call = is_side ? a->oracle->decide : a->oracle->ask;

    if (n > 0 && !asker_failed(a)) {
        peck_error why;
        peck_status st = call(a->oracle->ctx, worker, duel, n, answer, &why);

        if (st == PECK_OK)
            st = check(duel, n, answer, is_side, &why);
        if (st != PECK_OK)
            stick(a, st, &why);
    }
    for (size_t k = 0; asker_failed(a) && k < n; k++)
        answer[k] = is_side ? 0.0f : 0.5f;
}

static void ask_once(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h)
{
    put(a, worker, false, duel, n, h);
}

static size_t chunk_at(size_t at, size_t n)
{
    return n - at < CHUNK ? n - at : CHUNK;
}

/* h(i, j) <- (h(i, j) + 1 - h(j, i)) / 2 */
static void ask_both(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h)
{
    peck_duel back[CHUNK];
    float g[CHUNK];

    ask_once(a, worker, duel, n, h);
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t m = chunk_at(at, n);

        for (size_t k = 0; k < m; k++)
            back[k] = (peck_duel){ duel[at + k].j, duel[at + k].i };
        ask_once(a, worker, back, m, g);
        for (size_t k = 0; k < m; k++)
            h[at + k] = (float)(((double)h[at + k] + 1.0 - (double)g[k]) / 2.0);
    }
}

static void ask_oracle(struct asker *a, int worker, const peck_duel *duel, size_t n,
                       float *h)
{
    (a->oracle->is_symmetric ? ask_once : ask_both)(a, worker, duel, n, h);
}

/* At most CHUNK duels through the memo, whose pairs have i < j.  A pair that comes twice
 * in a batch is asked once: its place is NaN for the first of the two alone, who marks it. */
static void recall_chunk(struct asker *a, int worker, const peck_duel *duel, size_t n,
                         float *h)
{
    peck_duel fresh[CHUNK];
    float *place[CHUNK], *fresh_place[CHUNK], answer[CHUNK];
    size_t n_fresh = 0;

    for (size_t k = 0; k < n; k++) {
        const peck_duel d =
            duel[k].i < duel[k].j ? duel[k] : (peck_duel){ duel[k].j, duel[k].i };

        place[k] = memo_place(a->memo, d);
        if (isnan(*place[k])) {
            *place[k] = 0.5f;
            fresh_place[n_fresh] = place[k];
            fresh[n_fresh++] = d;
        }
    }
    ask_oracle(a, worker, fresh, n_fresh, answer);
    a->n_known += n_fresh;
    for (size_t k = 0; k < n_fresh; k++)
        *fresh_place[k] = answer[k];
    for (size_t k = 0; k < n; k++)
        h[k] = duel[k].i < duel[k].j ? *place[k] : 1.0f - *place[k];
}

static void recall(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h)
{
    if (a->pool != NULL)
        pool_enter(a->pool);
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t m = chunk_at(at, n);

        if (!memo_reserve(a->memo, m)) {
            peck_error why;

            stick(a, fail_memory(&why, "remembered answers", a->n_known + m, 16), &why);
        }
        if (!asker_failed(a))
            recall_chunk(a, worker, duel + at, m, h + at);
        for (size_t k = 0; asker_failed(a) && k < m; k++)
            h[at + k] = 0.5f;
    }
    if (a->pool != NULL)
        pool_leave(a->pool);
}

/* Both directions are asked of an oracle that may give two answers. */
static uint64_t questions_of(const struct asker *a, uint64_t n)
{
    return a->oracle->is_symmetric ? n : 2 * n;
}

static void count(struct asker *a, size_t n)
{
    atomic_fetch_add_explicit(&a->n_questions, questions_of(a, n), memory_order_relaxed);
}

void ask(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h)
{
    count(a, n);
    (a->memo != NULL ? recall : ask_oracle)(a, worker, duel, n, h);
}

/* Sides of two directions do not add up, and the memo keeps preferences: there the side
 * comes from the preference. */
void ask_side(struct asker *a, int worker, const peck_duel *duel, size_t n, float *lead)
{
    const struct oracle *const o = a->oracle;

    if (o->decide != NULL && o->is_symmetric && a->memo == NULL) {
        count(a, n);
        put(a, worker, true, duel, n, lead);
        return;
    }
    ask(a, worker, duel, n, lead);
    for (size_t k = 0; k < n; k++)
        lead[k] -= 0.5f;
}

/* Over the pool -------------------------------------------------------------------- */

struct split {
    struct asker *a;
    void (*put)(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h);
    const peck_duel *duel;
    size_t n;
    float *h;
};

static void ask_block(void *ctx, size_t i, int worker)
{
    const struct split *const s = ctx;
    const size_t at = i * BLOCK;

    s->put(s->a, worker, s->duel + at, s->n - at < BLOCK ? s->n - at : BLOCK, s->h + at);
}

static void split(struct split s)
{
    if (s.n < 2 * BLOCK || asker_workers(s.a) == 1)
        s.put(s.a, 0, s.duel, s.n, s.h);
    else
        asker_run(s.a, (s.n + BLOCK - 1) / BLOCK, ask_block, &s);
}

void ask_all(struct asker *a, const peck_duel *duel, size_t n, float *h)
{
    split((struct split){ a, ask, duel, n, h });
}

void ask_all_sides(struct asker *a, const peck_duel *duel, size_t n, float *lead)
{
    split((struct split){ a, ask_side, duel, n, lead });
}

void asker_run(struct asker *a, size_t n, void (*task)(void *ctx, size_t i, int worker),
               void *ctx)
{
    if (a->pool != NULL)
        pool_run(a->pool, n, task, ctx);
    else
        for (size_t i = 0; i < n; i++)
            task(ctx, i, 0);
}

int asker_workers(const struct asker *a)
{
    return a->pool != NULL ? pool_size(a->pool) : 1;
}

uint64_t asker_questions(struct asker *a)
{
    return atomic_load(&a->n_questions);
}

uint64_t asker_after(struct asker *a, uint64_t n)
{
    return asker_questions(a) + questions_of(a, n);
}

uint64_t asker_budget(struct asker *a, uint64_t otherwise)
{
    const uint64_t spent = asker_questions(a);

    if (a->budget == 0)
        return otherwise;
    return a->budget > spent ? (a->budget - spent) / questions_of(a, 1) : 0;
}
