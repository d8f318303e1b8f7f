/* dec_local.c -- polishing: items move while that lowers the cost.
 *
 *   cost = sum of h(j, i) over i before j
 *
 * An item that moves from place p to q < p gains the net preferences over those it passes,
 * sum of h(x, y) - h(y, x) over y at q .. p - 1; to the right, the same with the other
 * sign.  The best move of each item in turn, until no item has one.  The sums are whole
 * numbers (see net_of), so each move lowers the cost and the end is reached.           */
#include "decoder.h"

#include "../base/alloc.h"

#include <math.h>

struct local {
    int start;
    int64_t reach;
};

static const struct param params[] = {
    { "start", PARAM_CHOICE, "fuzzy",
      "tree|fuzzy|merge|pivot|sampled|degree|centrality|active",
      "the decoder, with its own defaults, whose order is improved",
      offsetof(struct local, start) },
    { "reach", PARAM_INT, "1000", "[1,4000000000]",
      "places an item may move at once; with a budget, as many as it pays for",
      offsetof(struct local, reach) },
    { 0 }
};

struct polish {
    struct asker *a;
    struct memo *memo;
    uint32_t *order;
    uint32_t n, reach;
    peck_duel *duel; /* 2 reach: the one that moves against those around it */
    float *h;
    peck_duel *fresh; /* those that nobody asked yet */
    float *answer;
    uint64_t left; /* duels that the budget still pays for */
};

/* The preferences h[m] of duel[m]; what is not known is asked, or 1/2 when that costs too
 * much. */
static peck_status look_around(struct polish *p, size_t m, peck_error *err)
{
    size_t n_fresh = 0;

    if (!memo_reserve(p->memo, m))
        return fail_memory(err, "remembered answers", m, 16);
    for (size_t k = 0; k < m; k++)
        if (isnan(*memo_place(p->memo, duel_upward(p->duel[k]))) && n_fresh < p->left)
            p->fresh[n_fresh++] = duel_upward(p->duel[k]);
    ask_all(p->a, p->fresh, n_fresh, p->answer);
    p->left -= n_fresh;
    for (size_t k = 0; k < n_fresh; k++)
        *memo_place(p->memo, p->fresh[k]) = p->answer[k];
    for (size_t k = 0; k < m; k++) {
        const float known = *memo_place(p->memo, duel_upward(p->duel[k]));
        const float h = isnan(known) ? 0.5f : known;

        p->h[k] = p->duel[k].i < p->duel[k].j ? h : 1.0f - h;
    }
    return PECK_OK;
}

/* Moves the item at `at` to the place of the largest gain above 0; *has_moved when there is
 * one. */
static peck_status move_item(struct polish *p, uint32_t at, bool *has_moved,
                             peck_error *err)
{
    const uint32_t first = at > p->reach ? at - p->reach : 0;
    const uint32_t last = p->n - 1 - at > p->reach ? at + p->reach : p->n - 1;
    uint32_t *const order = p->order, item = order[at], to = at;
    int64_t most = 0, gain = 0;
    size_t m = 0;

    for (uint32_t q = first; q <= last; q++)
        if (q != at)
            p->duel[m++] = (peck_duel){ item, order[q] };
    TRY(look_around(p, m, err));
    for (uint32_t q = at; q-- > first;) {
        gain += net_of(p->h[q - first]);
        if (gain > most)
            most = gain, to = q;
    }
    gain = 0;
    for (uint32_t q = at + 1; q <= last; q++) {
        gain -= net_of(p->h[q - first - 1]);
        if (gain > most)
            most = gain, to = q;
    }
    if (to < at)
        memmove(order + to + 1, order + to, (at - to) * sizeof *order);
    else
        memmove(order + at, order + at + 1, (to - at) * sizeof *order);
    order[to] = item;
    *has_moved |= to != at;
    return PECK_OK;
}

/* The order to polish, from half of the budget. */
static peck_status start_order(struct asker *a, const struct local *l, struct decoding *out,
                               peck_error *err)
{
    const uint64_t budget = a->budget;
    struct decode_plan plan;
    const char *word = params[0].allowed;
    char name[64];

    for (int i = l->start; i > 0; i--)
        word += strcspn(word, "|") + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "|"), word);
    TRY(decode_plan_open(&plan, name, err));
    a->budget = budget > 1 ? budget / 2 : budget;
    const peck_status st = plan.decoder->run(a, plan.config, out, err);

    a->budget = budget;
    return st;
}

static peck_status local_run(struct asker *a, const void *config, struct decoding *out,
                             peck_error *err)
{
    static const char what[] = "polishing";
    const struct local *const l = config;
    const uint32_t n = a->oracle->n;
    const uint64_t most = (uint64_t)l->reach < n - 1 ? (uint64_t)l->reach : n - 1;

    TRY(start_order(a, l, out, err));
    /* With a budget, as far as it pays for one look around each item. */
    const uint64_t paid = asker_budget(a, most * n) / n;
    const size_t reach = (size_t)(paid < 1 ? 1 : paid < most ? paid : most);
    struct arena arena = { 0 };
    struct polish p = { .a = a,
                        .order = out->order,
                        .n = n,
                        .reach = (uint32_t)reach,
                        .duel = arena_new(&arena, what, 2 * reach, sizeof *p.duel),
                        .h = arena_new(&arena, what, 2 * reach, sizeof *p.h),
                        .fresh = arena_new(&arena, what, 2 * reach, sizeof *p.fresh),
                        .answer = arena_new(&arena, what, 2 * reach, sizeof *p.answer),
                        .left = asker_budget(a, UINT64_MAX) };
    peck_status st = arena_check(&arena, err);

    if (st == PECK_OK && (p.memo = memo_new(n)) == NULL)
        st = fail_memory(err, what, n, 24);
    /* Pass after pass; one that comes after a move to the right sees the item that was left
     * out. */
    for (bool has_changed = true; st == PECK_OK && has_changed && !asker_failed(a);) {
        has_changed = false;
        for (uint32_t at = 0; st == PECK_OK && at < n; at++)
            st = move_item(&p, at, &has_changed, err);
    }
    memo_free(p.memo);
    arena_free(&arena);
    decoding_from_order(out, n);
    return st;
}

const struct decoder decoder_local = {
    .plug
        .about = { "local", "another decoder's order, improved move by move",
                   "Starts from another decoder's order and moves one item at a time to "
                   "where the order contradicts least, until no move helps; asks at most n "
                   "times reach questions for that, and none twice. With a budget, half of "
                   "it goes to the start." },
    .plug.params = params,
    .config_size = sizeof(struct local),
    .run = local_run,
};
