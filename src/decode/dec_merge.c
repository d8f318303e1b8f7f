/* dec_merge.c -- merge sort by chance, averaged: the rival of FAS-Pivot in section IV of
 * Yang and Lin 2015.
 *
 * Of two heads the left one goes first with probability h(left, right); the mean of the
 * positions over the runs is sorted.  Each run starts from an order of its own.  All merges
 * of a level take their steps together, so that a step is one batch.                  */
#include "decoder.h"

#include "../base/alloc.h"
#include "../base/rng.h"

enum { MOST_RUNS = 1000000 };

struct merge_config {
    int64_t runs;
};

static const struct param params[] = {
    { "runs", PARAM_INT, "50", "[1,1000000]",
      "runs that are averaged; with a budget, as many as it pays for, at least one",
      offsetof(struct merge_config, runs) },
    { 0 }
};

/* Two neighbouring sorted runs of items on their way into one. */
struct merge_pair {
    uint32_t left, left_end, right, right_end, to;
};

/* One worker's scratch memory. */
struct merge_scratch {
    uint32_t *from, *to;     /* n */
    struct merge_pair *pair; /* n / 2 */
    peck_duel *duel;         /* n / 2 */
    float *h;                /* n / 2 */
    uint64_t *behind;        /* n, by item: the sum over the runs */
};

struct merging {
    struct asker *a;
    struct merge_scratch *scratch; /* of each worker */
};

static void copy_rest(struct merge_scratch *d, uint32_t *to, uint32_t from, uint32_t end)
{
    memcpy(d->to + *to, d->from + from, (end - from) * sizeof *d->to);
    *to += end - from;
}

/* Merges all runs of `width` into runs of twice that, a step of each at a time. */
static void merge_level(struct asker *a, int worker, struct merge_scratch *d, uint32_t n,
                        uint32_t width, struct rng *r)
{
    size_t n_pairs = 0, n_left;
    uint32_t at = 0;

    for (; n - at > width; at = d->pair[n_pairs++].right_end) {
        const uint32_t mid = at + width, end = n - mid > width ? mid + width : n;

        d->pair[n_pairs] = (struct merge_pair){ at, mid, mid, end, at };
    }
    copy_rest(d, &at, at, n); /* who has no partner */
    for (; n_pairs > 0; n_pairs = n_left) {
        for (size_t k = 0; k < n_pairs; k++)
            d->duel[k] = (peck_duel){ d->from[d->pair[k].left], d->from[d->pair[k].right] };
        ask(a, worker, d->duel, n_pairs, d->h);
        n_left = 0;
        for (size_t k = 0; k < n_pairs; k++) {
            struct merge_pair p = d->pair[k];
            const bool is_left = rng_uniform(r) < (double)d->h[k];

            d->to[p.to++] = d->from[is_left ? p.left++ : p.right++];
            if (p.left < p.left_end && p.right < p.right_end) {
                d->pair[n_left++] = p;
            } else {
                copy_rest(d, &p.to, p.left, p.left_end);
                copy_rest(d, &p.to, p.right, p.right_end);
            }
        }
    }
}

static void merge_once(void *ctx, size_t run, int worker)
{
    const struct merging *const m = ctx;
    struct merge_scratch *const d = &m->scratch[worker];
    const uint32_t n = m->a->oracle->n;
    struct rng r;

    rng_seed(&r, m->a->seed, run);
    for (uint32_t i = 0; i < n; i++)
        d->from[i] = i;
    rng_shuffle(&r, d->from, n);
    for (uint64_t width = 1; width < n && !asker_failed(m->a); width *= 2) {
        merge_level(m->a, worker, d, n, (uint32_t)width, &r);
        uint32_t *const swap = d->from;

        d->from = d->to;
        d->to = swap;
    }
    for (uint32_t k = 0; k < n; k++)
        d->behind[d->from[k]] += n - 1 - k;
}

static peck_status merge_run(struct asker *a, const void *config, struct decoding *out,
                             peck_error *err)
{
    static const char what[] = "a merge sort";
    const size_t n = a->oracle->n, workers = (size_t)asker_workers(a);
    unsigned levels = 0;

    while (1ULL << levels < n)
        levels++;
    /* Questions of a run: the most that merging halves can take (Knuth, The Art of Computer
     * Programming 3, 5.2.4).  Merging runs of 2^k may take a few more where n is none. */
    const uint64_t most = n * levels - (1ULL << levels) + 1;
    const uint64_t asked = (uint64_t)((const struct merge_config *)config)->runs;
    const uint64_t fit = asker_budget(a, asked * most) / most;
    const size_t n_runs = fit < 1 ? 1 : fit > MOST_RUNS ? MOST_RUNS : (size_t)fit;
    struct arena arena = { 0 };
    struct merging m = { a, arena_new(&arena, what, workers, sizeof *m.scratch) };

    for (size_t w = 0; m.scratch != NULL && w < workers; w++)
        m.scratch[w] = (struct merge_scratch){
            .from = arena_new(&arena, what, n, sizeof(uint32_t)),
            .to = arena_new(&arena, what, n, sizeof(uint32_t)),
            .pair = arena_new(&arena, what, n / 2, sizeof(struct merge_pair)),
            .duel = arena_new(&arena, what, n / 2, sizeof(peck_duel)),
            .h = arena_new(&arena, what, n / 2, sizeof(float)),
            .behind = arena_new(&arena, what, n, sizeof(uint64_t)),
        };
    const peck_status st = arena_check(&arena, err);

    if (st == PECK_OK)
        asker_run(a, n_runs, merge_once, &m);
    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        uint64_t sum = 0; /* of whole numbers: the same whoever ran what */

        for (size_t w = 0; w < workers; w++)
            sum += m.scratch[w].behind[i];
        out->score[i] = (double)sum / (double)n_runs;
    }
    arena_free(&arena);
    return st == PECK_OK ? decoding_from_score(out, a->oracle->n, err) : st;
}

const struct decoder decoder_merge = {
    .plug
        .about = { "merge", "random merge sorts, averaged",
                   "Merge sort in which the left head goes first with the probability that "
                   "the oracle gives; sorts by the mean position over the runs. About n "
                   "log2(n) questions a run. Averaged merge sort of Yang and Lin 2015." },
    .plug.params = params,
    .config_size = sizeof(struct merge_config),
    .run = merge_run,
};
