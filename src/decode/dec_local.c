/* dec_local.c -- polishing: items move while that lowers the cost.
 *
 *   cost = sum of h(j, i) over i before j
 *
 * An item that moves from place p to q < p gains the net preferences over those it passes,
 * sum of h(x, y) - h(y, x) over y at q .. p - 1; to the right, the same with the other
 * sign.  The best move of each item in turn, until no item has one.  The sums are whole
 * numbers (see net_of), so each move lowers the cost and the end is reached.           */
#include "decoder.h"
#include "memo.h"

#include "../base/alloc.h"

#include <math.h>

struct local {
    int start;
    int64_t reach;
};

static const struct param params[] = {
    { "start", PARAM_CHOICE, "fuzzy",
      "tree|fuzzy|merge|pivot|sampled|degree|centrality|active",
      "the decoder, with its own defaults, whose order is polished",
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

/* The move --------------------------------------------------------------------------- */

static peck_duel upward(peck_duel d)
{
    return d.i < d.j ? d : (peck_duel){ d.j, d.i };
}

/* h[m] of duel[m]; what is not known is asked, or 1/2 when that costs too much. */
static peck_status look(struct polish *p, size_t m, peck_error *err)
{
    size_t n_fresh = 0;

    if (!memo_reserve(p->memo, m))
        return fail_memory(err, "remembered answers", m, 16);
    for (size_t k = 0; k < m; k++)
        if (isnan(*memo_place(p->memo, upward(p->duel[k]))) && n_fresh < p->left)
            p->fresh[n_fresh++] = upward(p->duel[k]);
    ask_all(p->a, p->fresh, n_fresh, p->answer);
    p->left -= n_fresh;
    for (size_t k = 0; k < n_fresh; k++)
        *memo_place(p->memo, p->fresh[k]) = p->answer[k];
    for (size_t k = 0; k < m; k++) {
        const float known = *memo_place(p->memo, upward(p->duel[k]));
        const float h = isnan(known) ? 0.5f : known;

        p->h[k] = p->duel[k].i < p->duel[k].j ? h : 1.0f - h;
    }
    return PECK_OK;
}

/* Where the item at `at` goes: the place of the largest gain above 0, `at` when there is
 * none.  h[] is its preference over those at first .. last, itself left out. */
static uint32_t best_place(const struct polish *p, uint32_t at, uint32_t first,
                           uint32_t last)
{
    int64_t most = 0, gain = 0;
    uint32_t best = at;

    for (uint32_t q = at; q-- > first;) {
        gain += net_of(p->h[q - first]);
        if (gain > most)
            most = gain, best = q;
    }
    gain = 0;
    for (uint32_t q = at + 1; q <= last; q++) {
        gain -= net_of(p->h[q - first - 1]);
        if (gain > most)
            most = gain, best = q;
    }
    return best;
}

static void move(uint32_t *order, uint32_t from, uint32_t to)
{
    const uint32_t item = order[from];

    if (to < from)
        memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    else
        memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    order[to] = item;
}

/* Moves the item at `at` to its best place; *has_moved when that is another. */
static peck_status improve(struct polish *p, uint32_t at, bool *has_moved, peck_error *err)
{
    const uint32_t first = at > p->reach ? at - p->reach : 0;
    const uint32_t last = p->n - 1 - at > p->reach ? at + p->reach : p->n - 1;
    size_t m = 0;

    for (uint32_t q = first; q <= last; q++)
        if (q != at)
            p->duel[m++] = (peck_duel){ p->order[at], p->order[q] };
    TRY(look(p, m, err));
    const uint32_t to = best_place(p, at, first, last);

    *has_moved = to != at;
    move(p->order, at, to);
    return PECK_OK;
}

/* Pass after pass; one that comes after a move to the right sees the item that was left
 * out. */
static peck_status polish(struct polish *p, peck_error *err)
{
    for (bool has_changed = true; has_changed && !asker_failed(p->a);) {
        has_changed = false;
        for (uint32_t at = 0; at < p->n; at++) {
            bool has_moved;

            TRY(improve(p, at, &has_moved, err));
            has_changed |= has_moved;
        }
    }
    return PECK_OK;
}

/* ------------------------------------------------------------------------------------ */

static peck_status open_polish(struct polish *p, peck_error *err)
{
    const size_t m = 2 * (size_t)p->reach;

    p->memo = memo_new(p->n);
    p->duel = mem_new(m, sizeof *p->duel);
    p->h = mem_new(m, sizeof *p->h);
    p->fresh = mem_new(m, sizeof *p->fresh);
    p->answer = mem_new(m, sizeof *p->answer);
    if (p->memo == NULL || p->duel == NULL || p->h == NULL || p->fresh == NULL ||
        p->answer == NULL)
        return fail_memory(err, "polishing", m, 24);
    return PECK_OK;
}

static void close_polish(struct polish *p)
{
    memo_free(p->memo);
    mem_free(p->duel);
    mem_free(p->h);
    mem_free(p->fresh);
    mem_free(p->answer);
}

/* The order to polish, from half of the budget. */
static peck_status start(struct asker *a, const struct local *l, struct decoding *out,
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
    decode_plan_close(&plan);
    return st;
}

/* With a budget, as far as it pays for one look around each item. */
static uint32_t fit_reach(struct asker *a, int64_t wanted)
{
    const uint32_t n = a->oracle->n;
    const uint64_t most = (uint64_t)wanted < n - 1 ? (uint64_t)wanted : n - 1;
    const uint64_t paid = asker_budget(a, most * n) / n;

    return (uint32_t)(paid < 1 ? 1 : paid < most ? paid : most);
}

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const struct local *const l = config;

    TRY(start(a, l, out, err));
    struct polish p = { .a = a,
                        .order = out->order,
                        .n = a->oracle->n,
                        .reach = fit_reach(a, l->reach),
                        .left = asker_budget(a, UINT64_MAX) };
    peck_status st = open_polish(&p, err);

    if (st == PECK_OK)
        st = polish(&p, err);
    close_polish(&p);
    decoding_from_order(out, p.n);
    return st;
}

const struct decoder decoder_local = {
    .plug
        .about = { "local", "another decoder's order, polished move by move",
                   "Starts from another decoder's order and moves one item at a time to "
                   "where the order contradicts least, until no move helps; asks at most n "
                   "times reach questions for that, and none twice. With a budget, half of "
                   "it goes to the start." },
    .plug.params = params,
    .config_size = sizeof(struct local),
    .run = run,
};
