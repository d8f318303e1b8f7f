/* pairing.c -- see pairing.h. */
#include "pairing.h"

#include "../base/alloc.h"

struct drawing {
    struct pairing *p;
    const struct lessons *l;
    struct rng *r;
    uint64_t total, piece, rest; /* total = n piece + rest */
    uint64_t next;               /* number of the pair to be taken next */
};

/* Where piece k of the line begins. */
static uint64_t begin_of(const struct drawing *d, uint64_t k)
{
    return k * d->piece + k * d->rest / d->p->n;
}

/* Draws from the next piece; past the last one, nothing is left to take. */
static void draw(struct drawing *d, size_t k)
{
    const uint64_t begin = begin_of(d, k), end = begin_of(d, k + 1);

    d->next = k < d->p->n ? begin + rng_below(d->r, end - begin) : UINT64_MAX;
}

static void add(struct drawing *d, size_t *n, struct couple c)
{
    if (rng_below(d->r, 2) == 1)
        c = (struct couple){ c.second, c.first, 1.0f - c.probability, c.weight };
    d->p->couple[*n] = c;
    d->p->is_even &= c.weight == 1.0f;
    draw(d, ++*n);
}

/* Pairs of document i by label: those below it, and its ties. */
static uint64_t n_below(const struct lessons *l, size_t place)
{
    return l->below[place] < l->until[place] ? l->until[place] - l->below[place] : 0;
}

static uint64_t n_tied(const struct lessons *l, size_t q, size_t i)
{
    const size_t place = (size_t)l->start[q] + i;

    return l->ties_until != NULL && i < l->plan[q].n_judged ? l->ties_until[place] - i - 1
                                                            : 0;
}

static float weight_of(const struct lessons *l, size_t q, size_t a, size_t b)
{
    const float query = l->weight != NULL ? l->weight[q] : 1.0f;

    return l->doc_weight != NULL ? query * l->doc_weight[a] * l->doc_weight[b] : query;
}

/* at: number of the first pair of this query. */
static void take_by_label(struct drawing *d, size_t q, uint64_t at, size_t *n)
{
    const struct lessons *const l = d->l;
    const size_t first = (size_t)l->start[q];

    for (size_t i = 0; i < l->plan[q].n_ranked; i++) {
        const uint64_t below = n_below(l, first + i), all = below + n_tied(l, q, i);

        while (d->next < at + all) {
            const uint64_t k = d->next - at;
            const size_t other =
                first + (size_t)(k < below ? l->below[first + i] + k : i + 1 + k - below);

            add(d, n,
                (struct couple){ (uint32_t)(first + i), (uint32_t)other,
                                 k < below ? 1.0f : 0.5f,
                                 weight_of(l, q, first + i, other) });
        }
        at += all;
    }
}

static void take_listed(struct drawing *d, size_t q, size_t *n)
{
    const struct lessons *const l = d->l;
    const uint32_t first = (uint32_t)l->start[q];

    while (d->next < l->pair_start[q + 1]) {
        const struct pair *const pair = &l->pair[d->next];

        add(d, n,
            (struct couple){ first + pair->i, first + pair->j, pair->probability,
                             pair->weight * (l->weight != NULL ? l->weight[q] : 1.0f) });
    }
}

static uint64_t pairs_of(const struct lessons *l, size_t q)
{
    uint64_t n = 0;

    if (l->pair_start != NULL)
        return l->pair_start[q + 1] - l->pair_start[q];
    for (size_t i = 0; i < l->plan[q].n_ranked; i++)
        n += n_below(l, (size_t)l->start[q] + i) + n_tied(l, q, i);
    return n;
}

peck_status pairing_draw(struct pairing *p, const struct lessons *l, size_t most,
                         struct rng *r, peck_error *err)
{
    struct drawing d = { .p = p, .l = l, .r = r };
    uint64_t at = 0;
    size_t n = 0;

    *p = (struct pairing){ .is_even = true };
    for (size_t q = 0; q < l->n_queries; q++)
        d.total += pairs_of(l, q);
    p->n = d.total < most ? (size_t)d.total : most;
    if ((p->couple = mem_new(p->n, sizeof *p->couple)) == NULL)
        return fail_memory(err, "pairs", p->n, sizeof *p->couple);
    if (p->n == 0)
        return PECK_OK;
    d.piece = d.total / p->n;
    d.rest = d.total % p->n;
    draw(&d, 0);
    for (size_t q = 0; q < l->n_queries; q++) {
        if (l->pair_start != NULL)
            take_listed(&d, q, &n);
        else
            take_by_label(&d, q, at, &n);
        at += pairs_of(l, q);
    }
    return PECK_OK;
}

void pairing_free(struct pairing *p)
{
    mem_free(p->couple);
    *p = (struct pairing){ 0 };
}
