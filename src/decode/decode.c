/* decode.c -- which decoders there are, how one is named, one of them at work, and the asker
 * through which it puts its questions (see decoder.h).                                */
#include "decoder.h"

#include "../base/alloc.h"
#include "../base/rng.h"
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

peck_status decode_plan_open(struct decode_plan *p, const char *spec, peck_error *err)
{
    static const struct param none[] = { { 0 } };
    const char *word = spec != NULL ? spec : PECK_DEFAULT_DECODER;
    size_t n = strcspn(word, ":");

    *p = (struct decode_plan){ 0 };
    const struct plug *const found =
        plug_find(decoders, n_decoders, "decoder", (peck_span){ word, n }, err);

    if (found == NULL)
        return PECK_ARG;
    const struct decoder *const decoder = (const struct decoder *)found; /* its head */
    const struct param *const params = found->params != NULL ? found->params : none;

    p->decoder = decoder;
    param_defaults(params, p->config);
    for (word += n + (word[n] == ':'); *word != '\0'; word += n + (word[n] == ',')) {
        n = strcspn(word, ",");
        TRY(param_set_pair(params, p->config, found->about.name, (peck_span){ word, n },
                           err));
    }
    return PECK_OK;
}

/* Answers that were given before ---------------------------------------------------- */

/* All pairs of a short list have a place; those of a long one are found by open addressing,
 * at most half full. */
enum { SHORT = 2048, FIRST = 1024 };

/* The pair as one number; no pair is 0, for i < j. */
struct slot {
    uint64_t key;
    float h;
};

struct memo {
    float *all; /* h(i, j) at j (j - 1) / 2 + i, i < j; NULL: a long list */
    struct slot *slot;
    size_t n, n_slots; /* a power of two */
};

struct memo *memo_new(uint32_t n_items)
{
    const size_t n_pairs = (size_t)n_items * (n_items - (n_items > 0)) / 2;
    struct memo *const m = mem_new(1, sizeof *m);

    if (m == NULL)
        return NULL;
    if (n_items <= SHORT)
        m->all = mem_new(n_pairs, sizeof *m->all);
    else
        m->slot = mem_new(FIRST, sizeof *m->slot);
    if (m->all == NULL && m->slot == NULL) {
        mem_free(m);
        return NULL;
    }
    for (size_t k = 0; m->all != NULL && k < n_pairs; k++)
        m->all[k] = NAN;
    m->n_slots = FIRST;
    return m;
}

static struct slot *memo_find(const struct memo *m, uint64_t key)
{
    size_t at = mix64(0, key) & (m->n_slots - 1);

    while (m->slot[at].key != key && m->slot[at].key != 0)
        at = (at + 1) & (m->n_slots - 1);
    return &m->slot[at];
}

bool memo_reserve(struct memo *m, size_t n)
{
    struct memo larger = { .n = m->n, .n_slots = m->n_slots };

    while (larger.n_slots / 2 < m->n + n)
        larger.n_slots *= 2;
    if (m->all != NULL || larger.n_slots == m->n_slots)
        return true;
    larger.slot = mem_new(larger.n_slots, sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < m->n_slots; i++)
        if (m->slot[i].key != 0)
            *memo_find(&larger, m->slot[i].key) = m->slot[i];
    mem_free(m->slot);
    *m = larger;
    return true;
}

float *memo_place(struct memo *m, peck_duel d)
{
    if (m->all != NULL)
        return &m->all[(size_t)d.j * (d.j - 1) / 2 + d.i];
    const uint64_t key = (uint64_t)d.i << 32 | d.j;
    struct slot *const s = memo_find(m, key);

    if (s->key == 0) {
        *s = (struct slot){ key, NAN };
        m->n++;
    }
    return &s->h;
}

void memo_free(struct memo *m)
{
    if (m == NULL)
        return;
    mem_free(m->all);
    mem_free(m->slot);
    mem_free(m);
}

/* The asker -------------------------------------------------------------------------- */

enum {
    CHUNK = 256,  /* duels on the stack */
    BLOCK = 4096, /* duels of one task: enough to pay for waking a worker */
    COSTED = 512, /* duels of a place whose cost is found, at a time */
};

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

/* answer[n] straight from the oracle; undecided when it failed, now or before.
 * Preferences lie in [0, 1]; a lead may be any number. */
static void ask_once(struct asker *a, int worker, bool is_side, const peck_duel *duel,
                     size_t n, float *answer)
{
    const float low = is_side ? -INFINITY : 0.0f, high = is_side ? INFINITY : 1.0f;
    bool is_good = true;

    if (n > 0 && !asker_failed(a)) {
        peck_error why;
        const struct oracle *const o = a->oracle;
        peck_status st = (is_side ? o->decide
                          : a->is_ratio && o->ask_ratio != NULL
                              ? o->ask_ratio
                              : o->ask)(o->ctx, worker, duel, n, answer, &why);

        for (size_t k = 0; st == PECK_OK && k < n; k++)
            is_good &= answer[k] >= low && answer[k] <= high;
        for (size_t k = 0; !is_good && st == PECK_OK; k++)
            if (!(answer[k] >= low && answer[k] <= high))
                st = fail(&why, PECK_ARG,
                          "item %u against item %u: the answer is %g; give %s", duel[k].i,
                          duel[k].j, (double)answer[k],
                          is_side ? "a number" : "a number from 0 to 1");
        if (st != PECK_OK)
            stick(a, st, &why);
    }
    for (size_t k = 0; asker_failed(a) && k < n; k++)
        answer[k] = is_side ? 0.0f : 0.5f;
}

/* What two answers, h(i, j) and h(j, i), come to. */
static float symmetrised(double h, double g, bool is_ratio)
{
    if (!is_ratio)
        return (float)((h + 1.0 - g) / 2.0);
    return h + g > 0.0 ? (float)(h / (h + g)) : 0.5f;
}

/* h(i, j); where that may not be 1 - h(j, i), both answers are put together. */
static void ask_oracle(struct asker *a, int worker, const peck_duel *duel, size_t n,
                       float *h)
{
    peck_duel back[CHUNK];
    float g[CHUNK];

    ask_once(a, worker, false, duel, n, h);
    for (size_t at = 0; !a->oracle->is_symmetric && at < n; at += CHUNK) {
        const size_t m = n - at < CHUNK ? n - at : CHUNK;

        for (size_t k = 0; k < m; k++)
            back[k] = (peck_duel){ duel[at + k].j, duel[at + k].i };
        ask_once(a, worker, false, back, m, g);
        for (size_t k = 0; k < m; k++)
            h[at + k] = symmetrised((double)h[at + k], (double)g[k], a->is_ratio);
    }
}

/* Through the memo, whose pairs have i < j.  A pair that comes twice in a chunk is asked
 * once: its place is NaN for the first of the two alone, who marks it. */
static void ask_memo(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h)
{
    peck_duel fresh[CHUNK];
    float *place[CHUNK], *fresh_place[CHUNK], answer[CHUNK];

    if (a->pool != NULL)
        pool_enter(a->pool);
    for (size_t at = 0, m; at < n; at += m, duel += m, h += m) {
        size_t n_fresh = 0;

        m = n - at < CHUNK ? n - at : CHUNK;
        if (!memo_reserve(a->memo, m)) {
            peck_error why;

            stick(a, fail_memory(&why, "remembered answers", a->n_known + m, 16), &why);
        }
        for (size_t k = 0; !asker_failed(a) && k < m; k++) {
            const peck_duel d = duel_upward(duel[k]);

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
        const bool has_failed = asker_failed(a);

        for (size_t k = 0; k < m; k++)
            h[k] = has_failed ? 0.5f : duel[k].i < duel[k].j ? *place[k] : 1.0f - *place[k];
    }
    if (a->pool != NULL)
        pool_leave(a->pool);
}

/* Both directions are asked of an oracle that may give two answers. */
static uint64_t questions_of(const struct asker *a, uint64_t n)
{
    return a->oracle->is_symmetric ? n : 2 * n;
}

static void count_questions(struct asker *a, size_t n)
{
    atomic_fetch_add_explicit(&a->n_questions, questions_of(a, n), memory_order_relaxed);
}

void ask(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h)
{
    count_questions(a, n);
    (a->memo != NULL ? ask_memo : ask_oracle)(a, worker, duel, n, h);
}

/* Sides of two directions do not add up, and the memo keeps preferences: there the side
 * comes from the preference. */
void ask_side(struct asker *a, int worker, const peck_duel *duel, size_t n, float *lead)
{
    const struct oracle *const o = a->oracle;

    if (o->decide != NULL && o->is_symmetric && a->memo == NULL) {
        count_questions(a, n);
        ask_once(a, worker, true, duel, n, lead);
        return;
    }
    ask(a, worker, duel, n, lead);
    for (size_t k = 0; k < n; k++)
        lead[k] -= 0.5f;
}

struct split_asking {
    struct asker *a;
    void (*put)(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h);
    const peck_duel *duel;
    size_t n;
    float *h;
};

static void ask_block(void *ctx, size_t i, int worker)
{
    const struct split_asking *const s = ctx;
    const size_t at = i * BLOCK;

    s->put(s->a, worker, s->duel + at, s->n - at < BLOCK ? s->n - at : BLOCK, s->h + at);
}

static void split_over_pool(struct split_asking s)
{
    if (s.n < 2 * BLOCK || asker_workers(s.a) == 1)
        s.put(s.a, 0, s.duel, s.n, s.h);
    else
        asker_run(s.a, (s.n + BLOCK - 1) / BLOCK, ask_block, &s);
}

void ask_all(struct asker *a, const peck_duel *duel, size_t n, float *h)
{
    split_over_pool((struct split_asking){ a, ask, duel, n, h });
}

void ask_all_sides(struct asker *a, const peck_duel *duel, size_t n, float *lead)
{
    split_over_pool((struct split_asking){ a, ask_side, duel, n, lead });
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

uint64_t asker_after(struct asker *a, uint64_t n)
{
    return atomic_load(&a->n_questions) + questions_of(a, n);
}

uint64_t asker_budget(struct asker *a, uint64_t otherwise)
{
    const uint64_t spent = atomic_load(&a->n_questions);

    if (a->budget == 0)
        return otherwise;
    return a->budget > spent ? (a->budget - spent) / questions_of(a, 1) : 0;
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

/* At work --------------------------------------------------------------------------- */

struct costing {
    struct asker *a;
    const uint32_t *order;
    uint32_t n;
    double *sum; /* of each place */
};

/* The cost is the sum of h(j, i) over i before j. */
static void cost_of_place(void *ctx, size_t at, int worker)
{
    const struct costing *const c = ctx;
    peck_duel duel[COSTED];
    float h[COSTED];
    double sum = 0.0;

    for (size_t from = at + 1; from < c->n; from += COSTED) {
        const size_t m = c->n - from < COSTED ? c->n - from : COSTED;

        for (size_t k = 0; k < m; k++)
            duel[k] = (peck_duel){ c->order[from + k], c->order[at] };
        ask(c->a, worker, duel, m, h);
        for (size_t k = 0; k < m; k++)
            sum += h[k];
    }
    c->sum[at] = sum;
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
    peck_status st = call->plan->decoder->run(&a, call->plan->config, out, err);

    out->n_questions = atomic_load(&a.n_questions);
    out->n_distinct = a.n_known;
    if (st == PECK_OK && call->is_costed && !asker_failed(&a)) {
        struct costing c = { &a, out->order, n, mem_new(n, sizeof *c.sum) };

        if (c.sum == NULL)
            st = fail_memory(err, "costs", n, sizeof *c.sum);
        else
            asker_run(&a, n, cost_of_place, &c);
        for (uint32_t i = 0; st == PECK_OK && i < n; i++)
            out->cost += c.sum[i];
        mem_free(c.sum);
    }
    memo_free(a.memo);
    return st != PECK_OK ? st : (peck_status)atomic_load(&a.status);
}
