/* dec_bt.c -- the strengths that make the answers most likely (see bt.h).
 *
 * Of a list of preferences all votes are in the fit: peck_decode_prefs sees to that.  Who is
 * asked instead meets drawn opponents first, then those who stand next to him, which tells
 * most: no pair twice, and a new fit after each batch.  Memory: O(n + questions).       */
#include "bt.h"
#include "bt_fit.h"
#include "decoder.h"

#include "../base/rng.h"
#include "../base/sort.h"

#include <math.h>

enum { FIRST_ROUNDS = 3 }; /* of n drawn duels, before the first fit */
#define USUAL_SD 2.0 /* of strengths, while there is more to ask; the end finds its own */

struct bt_decoder {
    int64_t opponents;
};

static const struct param params[] = {
    { "opponents", PARAM_INT, "100", "[2,inf)",
      "where somebody is asked: opponents of an item on average; a budget overrules it",
      offsetof(struct bt_decoder, opponents) },
    { 0 }
};

struct inquiry {
    struct asker *a;
    uint32_t n;
    size_t n_asked, cap;
    peck_duel *duel;        /* cap */
    float *h;               /* cap */
    peck_pref *answer;      /* cap */
    uint32_t *order;        /* n: by strength; at first as drawn */
    struct sort_item *room; /* 2 n */
    struct memo *asked;     /* pairs */
    double *t;              /* n */
};

/* Asks up to `most` pairs of neighbours in the order, the nearest first, that were not asked
 * before; 0: all were. */
static size_t ask_neighbours(struct inquiry *q, size_t most)
{
    const size_t first = q->n_asked;

    for (uint32_t apart = 1; apart < q->n && q->n_asked < first + most; apart++)
        for (uint32_t k = 0; k + apart < q->n && q->n_asked < first + most; k++) {
            const peck_duel d =
                duel_upward((peck_duel){ q->order[k], q->order[k + apart] });
            float *const known = memo_place(q->asked, d);

            if (!isnan(*known))
                continue;
            *known = 1.0f;
            q->duel[q->n_asked++] = d;
        }
    const size_t n = q->n_asked - first;

    ask_all(q->a, q->duel + first, n, q->h + first);
    for (size_t k = first; k < q->n_asked; k++)
        q->answer[k] = (peck_pref){ .winner = q->duel[k].i,
                                    .loser = q->duel[k].j,
                                    .probability = q->h[k],
                                    .weight = 1.0f };
    return n;
}

/* prior_sd: 0, found. */
static peck_status fit_inquiry(struct inquiry *q, double prior_sd, peck_error *err)
{
    struct arena arena = { 0 };
    struct pair_table pairs;
    const struct answers all = { .pref = q->answer, .n = q->n_asked };
    struct bt_result out = { .t = q->t };
    peck_status st = pairs_gather(&pairs, &arena, &all, NULL, q->n, err);

    if (st == PECK_OK)
        st = bt_fit(
            &(struct bt_task){ .pairs = &pairs, .prior_sd = prior_sd, .pool = q->a->pool },
            &out, err);
    arena_free(&arena);
    return st;
}

/* A batch is a round of all items, or a quarter of what was asked where that is more. */
static peck_status inquire(struct inquiry *q, peck_error *err)
{
    struct rng r;

    rng_seed(&r, q->a->seed, 0);
    for (uint32_t i = 0; i < q->n; i++)
        q->order[i] = i;
    rng_shuffle(&r, q->order, q->n);
    for (size_t more = FIRST_ROUNDS * (size_t)q->n;
         q->n_asked<q->cap; more = q->n_asked / 4> q->n ? q->n_asked / 4 : q->n) {
        const size_t left = q->cap - q->n_asked, batch = more < left ? more : left;

        if (!memo_reserve(q->asked, batch))
            return fail_memory(err, "pairs", batch, sizeof *q->duel);
        if (ask_neighbours(q, batch) == 0)
            break;
        TRY(fit_inquiry(q, USUAL_SD, err));
        order_desc(q->t, q->n, q->order, q->room);
    }
    return fit_inquiry(q, 0.0, err);
}

static peck_status bt_run(struct asker *a, const void *config, struct decoding *out,
                          peck_error *err)
{
    static const char what[] = "answers";
    const struct bt_decoder *const c = config;
    const size_t n = a->oracle->n;
    const uint64_t half = ((uint64_t)c->opponents + 1) / 2, all = (uint64_t)n * (n - 1) / 2;
    const uint64_t paid = asker_budget(a, n * half);
    const size_t cap = (size_t)(paid < all ? paid : all);
    struct arena arena = { 0 };
    struct inquiry q = { .a = a,
                         .n = a->oracle->n,
                         .cap = cap,
                         .duel = arena_new(&arena, what, cap, sizeof *q.duel),
                         .h = arena_new(&arena, what, cap, sizeof *q.h),
                         .answer = arena_new(&arena, what, cap, sizeof *q.answer),
                         .order = arena_new(&arena, what, n, sizeof *q.order),
                         .room = arena_new(&arena, what, 2 * n, sizeof *q.room),
                         .asked = memo_new(a->oracle->n),
                         .t = out->score };
    peck_status st = arena_check(&arena, err);

    if (st == PECK_OK && q.asked == NULL)
        st = fail_memory(err, "pairs", n, sizeof *q.duel);
    if (st == PECK_OK) {
        memset(q.t, 0, n * sizeof *q.t);
        st = inquire(&q, err);
    }
    memo_free(q.asked);
    arena_free(&arena);
    return st == PECK_OK ? decoding_from_score(out, q.n, err) : st;
}

const struct decoder decoder_bt = {
    .plug.about = { "bt", "the strengths that make the answers most likely",
                    "Bradley and Terry's model: the odds of i before j are e^(t_i - t_j), "
                    "with "
                    "a prior whose width is found from the answers and ties by Davidson's "
                    "model. Of a list of preferences every vote counts, and strengths come "
                    "with "
                    "deviations; where somebody is asked, items meet their neighbours. The "
                    "best "
                    "choice for few or contradicting votes." },
    .plug.params = params,
    .config_size = sizeof(struct bt_decoder),
    .run = bt_run,
};
