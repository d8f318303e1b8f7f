/* pairing.c -- see pairing.h. */
#include "pairing.h"

#include "../base/alloc.h"
#include "../base/sort.h"

/* Marks a number in the set; false: it was there.  A slot holds a number plus one. */
static bool add_once(uint64_t *set, uint64_t mask, uint64_t number)
{
    uint64_t at = mix64(number, 0) & mask;

    for (; set[at] != 0; at = (at + 1) & mask)
        if (set[at] == number + 1)
            return false;
    set[at] = number + 1;
    return true;
}

/* chosen[n]: different numbers below total in rising order, each set of them equally likely
 * (Floyd 1987). */
static peck_status choose_numbers(struct sort_item *chosen, size_t n, uint64_t total,
                                  struct rng *r, peck_error *err)
{
    struct arena arena = { 0 };
    uint64_t size = 2;

    while (size < 2 * (uint64_t)n)
        size *= 2;
    uint64_t *const set = arena_new(&arena, "pairs", (size_t)size, sizeof *set);

    TRY(arena_check(&arena, err));
    for (size_t k = 0; k < n; k++) {
        const uint64_t last = total - n + k;
        uint64_t number = rng_below(r, last + 1);

        if (!add_once(set, size - 1, number)) {
            number = last;
            add_once(set, size - 1, number);
        }
        chosen[k] = (struct sort_item){ number, 0 };
    }
    arena_free(&arena);
    sort_items(chosen, n, chosen + n);
    return PECK_OK;
}

/* Pairs stand in runs: all listed ones of a query, or those of a document by label. */
static size_t runs_of(const struct train_set *l, size_t q)
{
    return l->pair_start != NULL ? 1 : l->plan[q].n_ranked;
}

/* Pairs of run i: *n_below of them with documents below it, then its ties. */
static uint64_t pairs_of(const struct train_set *l, size_t q, size_t i, uint64_t *n_below)
{
    const size_t place = (size_t)l->start[q] + i;

    if (l->pair_start != NULL)
        return *n_below = l->pair_start[q + 1] - l->pair_start[q];
    const bool has_ties = l->ties_until != NULL && i < l->plan[q].n_judged;

    *n_below = l->below[place] < l->until[place] ? l->until[place] - l->below[place] : 0;
    return *n_below + (has_ties ? l->ties_until[place] - i - 1 : 0);
}

/* Pair k of run i. */
static struct row_pair pair_at(const struct train_set *l, size_t q, size_t i, uint64_t k,
                               uint64_t n_below)
{
    const size_t first = (size_t)l->start[q], a = first + i;
    const float weight = l->weight != NULL ? l->weight[q] : 1.0f;

    if (l->pair_start != NULL) {
        const struct pair *const pair = &l->pair[l->pair_start[q] + k];

        return (struct row_pair){ (uint32_t)first + pair->i, (uint32_t)first + pair->j,
                                  pair->probability, pair->weight * weight };
    }
    const size_t b = first + (size_t)(k < n_below ? l->below[a] + k : i + 1 + k - n_below);

    return (struct row_pair){ (uint32_t)a, (uint32_t)b, k < n_below ? 1.0f : 0.5f,
                              l->doc_weight != NULL
                                  ? weight * l->doc_weight[a] * l->doc_weight[b]
                                  : weight };
}

/* Pairs are numbered through, query by query and run by run; the chosen numbers rise, so
 * one walk over the runs finds them. */
peck_status pairing_draw(struct pairing *p, const struct train_set *l, size_t most,
                         struct rng *r, peck_error *err)
{
    struct arena arena = { 0 };
    uint64_t total = 0, at = 0, n_below;
    size_t n = 0;

    *p = (struct pairing){ .is_even = true };
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < runs_of(l, q); i++)
            total += pairs_of(l, q, i, &n_below);
    p->n = total < most ? (size_t)total : most;
    p->pair = mem_new(p->n, sizeof *p->pair);
    struct sort_item *const chosen = arena_new(&arena, "pairs", p->n, 2 * sizeof *chosen);
    const peck_status st = p->pair == NULL
                               ? fail_memory(err, "pairs", p->n, sizeof *p->pair)
                           : chosen == NULL ? arena_check(&arena, err)
                                            : choose_numbers(chosen, p->n, total, r, err);

    for (size_t q = 0; st == PECK_OK && q < l->n_queries; q++)
        for (size_t i = 0; i < runs_of(l, q); i++) {
            const uint64_t end = at + pairs_of(l, q, i, &n_below);

            for (; n < p->n && chosen[n].key < end; n++) {
                struct row_pair c = pair_at(l, q, i, chosen[n].key - at, n_below);

                if (rng_below(r, 2) == 1)
                    c = (struct row_pair){ c.second, c.first, 1.0f - c.probability,
                                           c.weight };
                p->pair[n] = c;
                p->is_even &= c.weight == 1.0f;
            }
            at = end;
        }
    arena_free(&arena);
    return st;
}

void pairing_free(struct pairing *p)
{
    mem_free(p->pair);
    *p = (struct pairing){ 0 };
}
