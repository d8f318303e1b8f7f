/* league.c -- see league.h. */
#include "league.h"

#include "../base/alloc.h"
#include "../base/rng.h"

enum { BLOCK = 1024 }; /* duels of a task */

/* The rounds of a whole league. */
static size_t count_rounds(uint32_t n)
{
    return n / 2;
}

/* Duels of one round. */
static uint32_t count_duels(uint32_t n, uint32_t distance)
{
    return 2 * distance == n ? n / 2 : n;
}

/* Distances in rising order: each of the `left` is taken with the probability that the
 * rest still has to be drawn (Knuth's algorithm S). */
static void draw_distances(struct league *l, struct rng *r)
{
    const size_t all = count_rounds(l->n);
    size_t n = 0;

    for (size_t d = 1; d <= all; d++)
        if (rng_below(r, all - d + 1) < l->n_rounds - n)
            l->distance[n++] = (uint32_t)d;
}

peck_status league_new(struct league **out, uint32_t n, size_t n_rounds, uint64_t seed,
                       peck_error *err)
{
    const bool is_whole = n_rounds >= count_rounds(n);
    const size_t rounds = is_whole ? count_rounds(n) : n_rounds;
    const size_t size = sizeof(struct league) + (rounds + n) * sizeof(uint32_t);
    struct league *const l = mem_new(1, size);
    struct rng r;

    *out = l;
    if (l == NULL)
        return fail_memory(err, "a league", 1, size);
    *l = (struct league){ n, rounds, (uint32_t *)(l + 1), NULL };
    rng_seed(&r, seed, 0);
    draw_distances(l, &r);
    if (is_whole)
        return PECK_OK;
    l->item = l->distance + rounds;
    for (uint32_t i = 0; i < n; i++)
        l->item[i] = i;
    rng_shuffle(&r, l->item, n);
    return PECK_OK;
}

void league_free(struct league *l)
{
    mem_free(l);
}

uint32_t league_item(const struct league *l, uint32_t place)
{
    return l->item != NULL ? l->item[place] : place;
}

double league_opponents(const struct league *l)
{
    uint32_t sum = 0;

    for (size_t k = 0; k < l->n_rounds; k++)
        sum += 2 * l->distance[k] == l->n ? 1 : 2;
    return sum;
}

struct playing {
    const struct league *l;
    struct asker *a;
    bool is_side;
    size_t n_blocks; /* of a round */
    int64_t *net;    /* [workers][n] */
    float *h;
};

static void keep(const struct playing *p, size_t round, uint32_t from, uint32_t n,
                 const float *h)
{
    const struct league *const l = p->l;
    const uint32_t d = l->distance[round];
    float *const row = p->h + round * l->n;

    for (uint32_t k = 0; k < n; k++) {
        row[from + k] = h[k];
        if (2 * d == l->n)
            row[from + k + d] = 1.0f - h[k];
    }
}

static void tally(const struct playing *p, int worker, const peck_duel *duel, uint32_t n,
                  const float *answer)
{
    int64_t *const net = p->net + (size_t)worker * p->l->n;

    for (uint32_t k = 0; k < n; k++) {
        const float x = answer[k];
        const int32_t gain = p->is_side ? ((x > 0.0f) - (x < 0.0f)) * (1 << 30) : net_of(x);

        net[duel[k].i] += gain;
        net[duel[k].j] -= gain;
    }
}

static void play_block(void *ctx, size_t task, int worker)
{
    const struct playing *const p = ctx;
    const struct league *const l = p->l;
    const size_t round = task / p->n_blocks;
    const uint32_t d = l->distance[round], n_duels = count_duels(l->n, d);
    const uint32_t from = (uint32_t)(task % p->n_blocks) * BLOCK;
    const uint32_t n = n_duels - from < BLOCK ? n_duels - from : BLOCK;
    peck_duel duel[BLOCK];
    float answer[BLOCK];

    if (from >= n_duels) /* the last round of an even circle is short */
        return;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t place = from + k,
                       on = l->n - place > d ? place + d : place + d - l->n;

        duel[k] = (peck_duel){ league_item(l, place), league_item(l, on) };
    }
    (p->is_side ? ask_side : ask)(p->a, worker, duel, n, answer);
    tally(p, worker, duel, n, answer);
    if (p->h != NULL)
        keep(p, round, from, n, answer);
}

peck_status league_play(const struct league *l, struct asker *a, bool is_side, int64_t *net,
                        float *h, peck_error *err)
{
    const size_t workers = (size_t)asker_workers(a);
    struct playing p = { l, a, is_side, (l->n + BLOCK - 1) / BLOCK, NULL, h };

    p.net = mem_new(workers * l->n, sizeof *p.net);
    if (p.net == NULL)
        return fail_memory(err, "points of a league", workers * l->n, sizeof *p.net);
    asker_run(a, l->n_rounds * p.n_blocks, play_block, &p);
    for (uint32_t i = 0; i < l->n; i++) {
        net[i] = 0;
        for (size_t w = 0; w < workers; w++)
            net[i] += p.net[w * l->n + i];
    }
    mem_free(p.net);
    return PECK_OK;
}

size_t league_fit(struct asker *a, uint64_t otherwise)
{
    const uint32_t n = a->oracle->n;
    const uint64_t duels = asker_budget(a, otherwise);

    if (duels >= (uint64_t)n * (n - 1) / 2)
        return count_rounds(n);
    return duels < n ? 1 : (size_t)(duels / n);
}

/* Duels of a whole league, beyond which those that can only end in a draw are not played:
 * they bring nobody a point more than the other. */
#define LONG_LEAGUE (UINT64_C(1) << 21)

/* net[] from the duels that the oracle knows of. */
static peck_status play_known(struct asker *a, bool is_side, int64_t *net, peck_error *err)
{
    const struct oracle *const o = a->oracle;
    uint32_t *const other = mem_new(o->n, sizeof *other);
    peck_duel duel[BLOCK];
    float answer[BLOCK];

    if (other == NULL)
        return fail_memory(err, "points of a league", o->n, sizeof *other);
    const struct league whole = { .n = o->n };
    const struct playing p = { .l = &whole, .a = a, .is_side = is_side, .net = net };

    for (uint32_t i = 1; i < o->n; i++) {
        const size_t n = o->known(o->ctx, i, other);

        for (size_t at = 0, some; at < n; at += some) {
            some = n - at < BLOCK ? n - at : BLOCK;
            for (size_t k = 0; k < some; k++) { /* who asks whom, as in play_block */
                const uint32_t j = other[at + k];
                const bool is_forward = i - j <= o->n / 2;

                duel[k] = (peck_duel){ is_forward ? j : i, is_forward ? i : j };
            }
            (is_side ? ask_side : ask)(a, 0, duel, some, answer);
            tally(&p, 0, duel, (uint32_t)some, answer);
        }
    }
    mem_free(other);
    return PECK_OK;
}

static peck_status play(struct asker *a, const struct league *l, bool is_side,
                        struct decoding *out, peck_error *err)
{
    const bool is_sparse = a->oracle->known != NULL && l->item == NULL &&
                           (uint64_t)l->n * (l->n - 1) / 2 > LONG_LEAGUE;
    int64_t *const net = mem_new(l->n, sizeof *net);

    if (net == NULL)
        return fail_memory(err, "points of a league", l->n, sizeof *net);
    const peck_status st = is_sparse ? play_known(a, is_side, net, err)
                                     : league_play(l, a, is_side, net, NULL, err);
    const double met = league_opponents(l), all = (double)(l->n - 1);

    /* points = (met + net) / 2 */
    for (uint32_t i = 0; i < l->n; i++)
        out->score[i] = all / met * (met + (double)net[i] * 0x1.0p-30) / 2.0;
    mem_free(net);
    return st;
}

peck_status league_decode(struct asker *a, size_t n_rounds, bool is_side,
                          struct decoding *out, peck_error *err)
{
    struct league *l;

    TRY(league_new(&l, a->oracle->n, n_rounds, a->seed, err));
    const peck_status st = play(a, l, is_side, out, err);

    league_free(l);
    return st == PECK_OK ? decoding_from_score(out, a->oracle->n, err) : st;
}
