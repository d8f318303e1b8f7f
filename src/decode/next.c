/* next.c -- see next.h. */
#include "next.h"

#include "../base/maths.h"
#include "../base/rng.h"
#include "../base/sort.h"
#include "../base/spec.h"

#include <math.h>

static bool is_out(const peck_question_spec *spec, size_t i)
{
    return spec->is_out != NULL && spec->is_out[i] != 0;
}

/* The same pair again, or an item for the third time in a row. */
static bool is_stale(const peck_question_spec *spec, uint32_t i, uint32_t j)
{
    const size_t n = spec->n_recent;
    const peck_duel *const last = spec->recent;

    if (n == 0)
        return false;
    if ((last[n - 1].i == i && last[n - 1].j == j) ||
        (last[n - 1].i == j && last[n - 1].j == i))
        return true;
    for (int side = 0; n > 1 && side < 2; side++) {
        const uint32_t k = side == 0 ? i : j;

        if ((last[n - 1].i == k || last[n - 1].j == k) &&
            (last[n - 2].i == k || last[n - 2].j == k))
            return true;
    }
    return false;
}

/* Every pair is looked at: p (1 - p) var(d). */
static size_t rank_pairs(const peck_strengths *s, const peck_question_spec *spec,
                         bool may_be_stale, struct sort_item *key, double *worth)
{
    size_t n = 0, at = 0;

    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = i + 1; j < s->n; j++, at++) {
            if (is_out(spec, i) || is_out(spec, j) ||
                (!may_be_stale && is_stale(spec, i, j)))
                continue;
            const double p = 1.0 / (1.0 + math_exp(s->t[j] - s->t[i]));

            worth[at] = p * (1.0 - p) * bt_var(s, i, j);
            key[n++] = (struct sort_item){ key_desc(worth[at]), (uint32_t)at };
        }
    sort_items(key, n, key + n);
    return n;
}

peck_status peck_strengths_next(const peck_strengths *s, const peck_question_spec *spec,
                                peck_duel *pair, double *worth, size_t *n_pairs,
                                peck_error *err)
{
    peck_question_spec own;
    const size_t n = s->n, n_all = n < 2 ? 0 : n * (n - 1) / 2, most = *n_pairs;
    struct arena room = { 0 };
    struct rng r;

    *n_pairs = 0;
    TRY(SPEC_TAKE(peck_question_spec, &own, seed, spec, err));
    struct sort_item *const key = arena_new(&room, "pairs", 2 * n_all, sizeof *key);
    double *const all = arena_new(&room, "pairs", n_all, sizeof *all);
    const peck_status st = arena_check(&room, err);

    if (st == PECK_OK) {
        size_t n_found = rank_pairs(s, &own, false, key, all);

        if (n_found == 0)
            n_found = rank_pairs(s, &own, true, key, all);
        rng_seed(&r, own.seed, 0);
        for (size_t k = 0; k < n_found && k < most; k++) {
            size_t at = key[k].from;
            uint32_t i = 0;

            for (; at >= n - 1 - i; i++)
                at -= n - 1 - i;
            const uint32_t j = (uint32_t)(i + 1 + at);

            pair[k] = rng_below(&r, 2) == 0 ? (peck_duel){ i, j } : (peck_duel){ j, i };
            if (worth != NULL)
                worth[k] = all[key[k].from];
            *n_pairs = k + 1;
        }
    }
    arena_free(&room);
    return st;
}

peck_status peck_strengths_sureness(const peck_strengths *s, const peck_question_spec *spec,
                                    peck_sureness *out, peck_error *err)
{
    peck_question_spec own;
    struct arena room = { 0 };
    double wrong = 0.0, n_in = 0.0;

    *out = (peck_sureness){ 0 };
    TRY(SPEC_TAKE(peck_question_spec, &own, seed, spec, err));
    uint32_t *const order = arena_new(&room, "items", s->n, sizeof *order);
    struct sort_item *const scratch =
        arena_new(&room, "items", 2 * (size_t)s->n, sizeof *scratch);
    const peck_status st = arena_check(&room, err);

    if (st != PECK_OK) {
        arena_free(&room);
        return st;
    }
    order_desc(s->t, s->n, order, scratch);
    uint32_t n = 0;

    for (uint32_t k = 0; k < s->n; k++)
        if (!is_out(&own, order[k]))
            order[n++] = order[k];
    const uint32_t top = own.top == 0 || own.top > n ? (n > 0 ? 1 : 0) : (uint32_t)own.top;

    out->top = out->first = 1.0;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            const double p = bt_above(s, order[a], order[b]);

            n_in += 1.0;
            wrong += 1.0 - p;
            if (a == 0)
                out->first *= p;
            if (a < top && b >= top)
                out->top *= p;
        }
    out->pairs = n_in > 0.0 ? 1.0 - wrong / n_in : 1.0;
    out->is_enough = (own.top > 0 ? out->top : out->pairs) >= 0.95;
    out->questions_left = out->is_enough ? 0.0 : (double)n;
    arena_free(&room);
    return PECK_OK;
}
