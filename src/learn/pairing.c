/* pairing.c -- see pairing.h. */
#include "pairing.h"

#include "../base/alloc.h"
#include "../base/sort.h"

struct pair_drawing {
    struct pairing *p;
    const struct train_set *l;
    struct rng *r;
    struct sort_item *chosen; /* p->n numbers of pairs in rising order, and as much room */
};

/* Numbers -------------------------------------------------------------------------------- */

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

/* n different numbers below total, each set of them equally likely (Floyd 1987). */
static peck_status pairing_choose(struct pair_drawing *d, uint64_t total, peck_error *err)
{
    const size_t n = d->p->n;
    uint64_t size = 2;

    while (size < 2 * (uint64_t)n)
        size *= 2;
    uint64_t *const set = mem_new((size_t)size, sizeof *set);

    if (set == NULL)
        return fail_memory(err, "pairs", (size_t)size, sizeof *set);
    for (size_t k = 0; k < n; k++) {
        const uint64_t last = total - n + k;
        uint64_t number = rng_below(d->r, last + 1);

        if (!add_once(set, size - 1, number)) {
            number = last;
            add_once(set, size - 1, number);
        }
        d->chosen[k] = (struct sort_item){ number, 0 };
    }
    mem_free(set);
    sort_items(d->chosen, n, d->chosen + n);
    return PECK_OK;
}

/* Pairs ---------------------------------------------------------------------------------- */

static void pairing_add(struct pair_drawing *d, size_t *n, struct row_pair c)
{
    if (rng_below(d->r, 2) == 1)
        c = (struct row_pair){ c.second, c.first, 1.0f - c.probability, c.weight };
    d->p->pair[*n] = c;
    d->p->is_even &= c.weight == 1.0f;
    ++*n;
}

/* Whether the next pair to be taken has a number below `end`. */
static bool is_next(const struct pair_drawing *d, size_t n, uint64_t end)
{
    return n < d->p->n && d->chosen[n].key < end;
}

/* Pairs of document i by label: those below it, and its ties. */
static uint64_t n_below(const struct train_set *l, size_t place)
{
    return l->below[place] < l->until[place] ? l->until[place] - l->below[place] : 0;
}

static uint64_t n_tied(const struct train_set *l, size_t q, size_t i)
{
    const size_t place = (size_t)l->start[q] + i;

    return l->ties_until != NULL && i < l->plan[q].n_judged ? l->ties_until[place] - i - 1
                                                            : 0;
}

static float weight_of(const struct train_set *l, size_t q, size_t a, size_t b)
{
    const float query = l->weight != NULL ? l->weight[q] : 1.0f;

    return l->doc_weight != NULL ? query * l->doc_weight[a] * l->doc_weight[b] : query;
}

/* at: number of the first pair of this query. */
static void take_by_label(struct pair_drawing *d, size_t q, uint64_t at, size_t *n)
{
    const struct train_set *const l = d->l;
    const size_t first = (size_t)l->start[q];

    for (size_t i = 0; i < l->plan[q].n_ranked; i++) {
        const uint64_t below = n_below(l, first + i), all = below + n_tied(l, q, i);

        while (is_next(d, *n, at + all)) {
            const uint64_t k = d->chosen[*n].key - at;
            const size_t other =
                first + (size_t)(k < below ? l->below[first + i] + k : i + 1 + k - below);

            pairing_add(d, n,
                        (struct row_pair){ (uint32_t)(first + i), (uint32_t)other,
                                           k < below ? 1.0f : 0.5f,
                                           weight_of(l, q, first + i, other) });
        }
        at += all;
    }
}

static void take_listed(struct pair_drawing *d, size_t q, size_t *n)
{
    const struct train_set *const l = d->l;
    const uint32_t first = (uint32_t)l->start[q];

    while (is_next(d, *n, l->pair_start[q + 1])) {
        const struct pair *const pair = &l->pair[d->chosen[*n].key];

        pairing_add(
            d, n,
            (struct row_pair){ first + pair->i, first + pair->j, pair->probability,
                               pair->weight * (l->weight != NULL ? l->weight[q] : 1.0f) });
    }
}

static uint64_t pairing_pairs_of(const struct train_set *l, size_t q)
{
    uint64_t n = 0;

    if (l->pair_start != NULL)
        return l->pair_start[q + 1] - l->pair_start[q];
    for (size_t i = 0; i < l->plan[q].n_ranked; i++)
        n += n_below(l, (size_t)l->start[q] + i) + n_tied(l, q, i);
    return n;
}

static void pairing_take(struct pair_drawing *d)
{
    const struct train_set *const l = d->l;
    uint64_t at = 0;
    size_t n = 0;

    for (size_t q = 0; q < l->n_queries; q++) {
        if (l->pair_start != NULL)
            take_listed(d, q, &n);
        else
            take_by_label(d, q, at, &n);
        at += pairing_pairs_of(l, q);
    }
}

peck_status pairing_draw(struct pairing *p, const struct train_set *l, size_t most,
                         struct rng *r, peck_error *err)
{
    struct pair_drawing d = { .p = p, .l = l, .r = r };
    uint64_t total = 0;

    *p = (struct pairing){ .is_even = true };
    for (size_t q = 0; q < l->n_queries; q++)
        total += pairing_pairs_of(l, q);
    p->n = total < most ? (size_t)total : most;
    p->pair = mem_new(p->n, sizeof *p->pair);
    d.chosen = mem_new(p->n, 2 * sizeof *d.chosen);
    peck_status st = p->pair != NULL && d.chosen != NULL
                         ? pairing_choose(&d, total, err)
                         : fail_memory(err, "pairs", p->n, sizeof *p->pair);

    if (st == PECK_OK)
        pairing_take(&d);
    mem_free(d.chosen);
    return st;
}

void pairing_free(struct pairing *p)
{
    mem_free(p->pair);
    *p = (struct pairing){ 0 };
}
