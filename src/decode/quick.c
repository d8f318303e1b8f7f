/* quick.c -- see quick.h. */
#include "quick.h"

#include "../base/alloc.h"

/* item[from .. from + n) is not sorted yet; n >= 2. */
struct part {
    uint32_t from, n;
};

struct quick {
    uint32_t n;
    struct part *now, *next; /* n / 2 each: parts do not overlap */
    peck_duel *duel;         /* n */
    float *answer;           /* n */
    uint32_t *behind;        /* n: items that go after a pivot */
};

struct quick *quick_new(uint32_t n)
{
    const size_t half = n / 2;
    const size_t size = sizeof(struct quick) + 2 * half * sizeof(struct part) +
                        n * (sizeof(peck_duel) + sizeof(float) + sizeof(uint32_t));
    struct quick *const q = mem_new(1, size);

    if (q == NULL)
        return NULL;
    q->n = n;
    q->now = (struct part *)(q + 1);
    q->next = q->now + half;
    q->duel = (peck_duel *)(q->next + half);
    q->answer = (float *)(q->duel + n);
    q->behind = (uint32_t *)(q->answer + n);
    return q;
}

void quick_free(struct quick *q)
{
    mem_free(q);
}

/* A drawn pivot changes places with the first item. */
static void draw_pivot(struct rng *r, uint32_t *item, uint32_t n)
{
    const size_t at = rng_below(r, n);
    const uint32_t pivot = item[at];

    item[at] = item[0];
    item[0] = pivot;
}

/* Every item of every part against the first of its part; returns how many. */
static size_t make_duels(struct quick *q, size_t n_parts, uint32_t *item, struct rng *r)
{
    size_t n = 0;

    for (size_t p = 0; p < n_parts; p++) {
        uint32_t *const part = item + q->now[p].from;

        if (r != NULL)
            draw_pivot(r, part, q->now[p].n);
        for (uint32_t k = 1; k < q->now[p].n; k++)
            q->duel[n++] = (peck_duel){ part[k], part[0] };
    }
    return n;
}

/* Becomes whether duel k puts its first item before its second. */
static void decide(struct quick *q, size_t n, struct rng *r)
{
    for (size_t k = 0; k < n; k++) {
        const peck_duel d = q->duel[k];
        const float x = q->answer[k];
        const bool is_before =
            r != NULL ? rng_uniform(r) < (double)x : x > 0.0f || (x == 0.0f && d.i < d.j);

        q->answer[k] = is_before;
    }
}

/* Those that go before the pivot, the pivot, the others; each kind keeps its order.
 * Returns the pivot's place. */
static uint32_t divide(uint32_t *part, uint32_t n, const float *is_before, uint32_t *behind)
{
    const uint32_t pivot = part[0];
    uint32_t n_before = 0, n_behind = 0;

    for (uint32_t k = 1; k < n; k++) {
        const uint32_t x = part[k];
        const bool goes_before = is_before[k - 1] != 0.0f;

        part[n_before] = x;
        behind[n_behind] = x;
        n_before += goes_before;
        n_behind += !goes_before;
    }
    part[n_before] = pivot;
    memcpy(part + n_before + 1, behind, n_behind * sizeof *behind);
    return n_before;
}

static size_t divide_all(struct quick *q, size_t n_parts, uint32_t *item)
{
    const float *is_before = q->answer;
    size_t n_next = 0;

    for (size_t p = 0; p < n_parts; p++) {
        const struct part whole = q->now[p];
        const uint32_t at = divide(item + whole.from, whole.n, is_before, q->behind);
        const uint32_t n_behind = whole.n - 1 - at;

        is_before += whole.n - 1;
        if (at > 1)
            q->next[n_next++] = (struct part){ whole.from, at };
        if (n_behind > 1)
            q->next[n_next++] = (struct part){ whole.from + at + 1, n_behind };
    }
    return n_next;
}

bool quick_sort(struct quick *q, struct asker *a, uint32_t *item, struct rng *r,
                uint64_t most)
{
    size_t n_parts = 1;

    q->now[0] = (struct part){ 0, q->n };
    while (n_parts > 0) {
        const size_t n = make_duels(q, n_parts, item, r);

        if (asker_after(a, n) > most || asker_failed(a))
            return false;
        (r != NULL ? ask_all : ask_all_sides)(a, q->duel, n, q->answer);
        decide(q, n, r);
        n_parts = divide_all(q, n_parts, item);
        struct part *const swap = q->now;

        q->now = q->next;
        q->next = swap;
    }
    return true;
}
