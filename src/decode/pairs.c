/* pairs.c -- see pairs.h. */
#include "pairs.h"

#include "../base/sort.h"

#define NOBODY UINT32_MAX

/* Sorted by pair; those of one pair in the order of the answers. */
static peck_status sum_pairs(struct pair_table *t, struct arena *arena,
                             const struct answers *a, const uint32_t *number,
                             struct sort_item *key, size_t n, peck_error *err)
{
    size_t n_pairs = 0;

    sort_items(key, n, key + n);
    for (size_t k = 0; k < n; k++)
        n_pairs += k == 0 || key[k].key != key[k - 1].key;
    t->pair = arena_new(arena, "answers", n_pairs, sizeof *t->pair);
    TRY(arena_check(arena, err));
    for (size_t k = 0; k < n; k++) {
        const peck_pref pref = answer_at(a, key[k].from);
        const uint32_t i = (uint32_t)(key[k].key >> 32), j = (uint32_t)key[k].key;
        const double weight = pref.weight,
                     lead = weight * (2.0 * (double)pref.probability - 1.0);

        if (k == 0 || key[k].key != key[k - 1].key)
            t->pair[t->n_pairs++] = (struct bt_pair){ .i = i, .j = j };
        struct bt_pair *const to = &t->pair[t->n_pairs - 1];
        const size_t winner = number != NULL ? number[pref.winner] : pref.winner;

        to->lead += winner == i ? lead : -lead;
        to->weight += weight;
        t->weight += weight;
        if (pref.probability == 0.5f && !(a->is_counted && weight > 1.0))
            t->ties += weight;
    }
    return PECK_OK;
}

/* Both sides of every pair.  Pairs rise by i, so the row of a j gets those below it in rising
 * order, and behind them, in a second turn, those above. */
static void fill_rows(struct pair_table *t)
{
    for (size_t k = 0; k < t->n_pairs; k++) {
        t->start[t->pair[k].i]++;
        t->start[t->pair[k].j]++;
    }
    for (size_t i = 0, at = 0; i <= t->n; i++) {
        const size_t n = t->start[i];

        t->start[i] = at;
        at += n;
    }
    for (int turn = 0; turn < 2; turn++)
        for (size_t k = 0; k < t->n_pairs; k++) {
            const struct bt_pair *const p = &t->pair[k];

            t->versus[t->start[turn == 0 ? p->j : p->i]++] =
                turn == 0 ? (struct versus){ p->i, (float)-p->lead, (float)p->weight }
                          : (struct versus){ p->j, (float)p->lead, (float)p->weight };
        }
    /* Each start stands where the next row begins. */
    memmove(t->start + 1, t->start, t->n * sizeof *t->start);
    t->start[0] = 0;
}

peck_status pairs_gather(struct pair_table *t, struct arena *arena, const struct answers *a,
                         const uint32_t *number, uint32_t n, peck_error *err)
{
    struct arena room = { 0 };
    size_t n_own = 0, at = 0;

    *t = (struct pair_table){ .n = n };
    for (size_t k = 0; k < a->n; k++)
        n_own += answer_at(a, k).weight > 0.0f;
    if (n_own > UINT32_MAX / 2 || a->n > UINT32_MAX)
        return fail(err, PECK_ARG, "%zu answers; at most %u can be ranked", a->n,
                    UINT32_MAX / 2);
    struct sort_item *const key = arena_new(&room, "answers", 2 * n_own, sizeof *key);
    peck_status st = arena_check(&room, err);

    for (size_t k = 0; st == PECK_OK && k < a->n; k++) {
        const peck_pref pref = answer_at(a, k);

        if (!(pref.weight > 0.0f))
            continue;
        const uint64_t i = number != NULL ? number[pref.winner] : pref.winner;
        const uint64_t j = number != NULL ? number[pref.loser] : pref.loser;

        key[at++] = (struct sort_item){ i < j ? i << 32 | j : j << 32 | i, (uint32_t)k };
    }
    if (st == PECK_OK)
        st = sum_pairs(t, arena, a, number, key, n_own, err);
    arena_free(&room);
    TRY(st);
    t->start = arena_new(arena, "answers", (size_t)n + 1, sizeof *t->start);
    t->versus = arena_new(arena, "answers", 2 * t->n_pairs, sizeof *t->versus);
    TRY(arena_check(arena, err));
    fill_rows(t);
    return PECK_OK;
}

/* Everybody who can be reached from an item belongs to its part. */
peck_status pairs_find_parts(struct pair_table *t, struct arena *arena, peck_error *err)
{
    uint32_t *const stack = arena_new(arena, "items", t->n, sizeof *stack), *const rank =
                                                                                stack;
    struct sort_item *const by_size =
        arena_new(arena, "items", 2 * (size_t)t->n, sizeof *by_size);

    t->part = arena_new(arena, "items", t->n, sizeof *t->part);
    t->size = arena_new(arena, "items", t->n, sizeof *t->size);
    TRY(arena_check(arena, err));
    for (uint32_t i = 0; i < t->n; i++)
        t->part[i] = NOBODY;
    for (uint32_t first = 0; first < t->n; first++) {
        size_t n = 0;

        if (t->part[first] != NOBODY)
            continue;
        t->part[first] = t->n_parts;
        t->size[t->n_parts] = 1;
        stack[n++] = first;
        while (n > 0) {
            const uint32_t i = stack[--n];

            for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
                const uint32_t j = t->versus[k].other;

                if (t->part[j] != NOBODY)
                    continue;
                t->part[j] = t->n_parts;
                t->size[t->n_parts]++;
                stack[n++] = j;
            }
        }
        t->n_parts++;
    }
    for (uint32_t k = 0; k < t->n_parts; k++)
        by_size[k] = (struct sort_item){ ~(uint64_t)t->size[k], k };
    sort_items(by_size, t->n_parts, by_size + t->n_parts);
    for (uint32_t k = 0; k < t->n_parts; k++) {
        rank[by_size[k].from] = k;
        t->size[k] = (size_t)~by_size[k].key;
    }
    for (uint32_t i = 0; i < t->n; i++)
        t->part[i] = rank[t->part[i]];
    return PECK_OK;
}
