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

struct merge {
    int64_t runs;
};

static const struct param params[] = {
    { "runs", PARAM_INT, "50", "[1,1000000]",
      "runs that are averaged; with a budget, as many as it pays for, at least one",
      offsetof(struct merge, runs) },
    { 0 }
};

/* Two neighbouring sorted runs of items on their way into one. */
struct pair {
    uint32_t left, left_end, right, right_end, to;
};

/* One worker's scratch memory. */
struct merge_scratch {
    uint32_t *from, *to; /* n */
    struct pair *pair;   /* n / 2 */
    peck_duel *duel;     /* n / 2 */
    float *h;            /* n / 2 */
    uint64_t *behind;    /* n, by item: the sum over the runs */
};

struct merging {
    struct asker *a;
    struct merge_scratch *scratch; /* of each worker */
};

static void copy(struct merge_scratch *d, uint32_t *to, uint32_t from, uint32_t end)
{
    memcpy(d->to + *to, d->from + from, (end - from) * sizeof *d->to);
    *to += end - from;
}

/* Puts the head that `left` says behind what is merged already; true while both sides have
 * one. */
static bool advance(struct merge_scratch *d, struct pair *p, bool left)
{
    d->to[p->to++] = d->from[left ? p->left++ : p->right++];
    if (p->left < p->left_end && p->right < p->right_end)
        return true;
    copy(d, &p->to, p->left, p->left_end);
    copy(d, &p->to, p->right, p->right_end);
    return false;
}

static size_t pair_up(struct merge_scratch *d, uint32_t n, uint32_t width)
{
    size_t n_pairs = 0;
    uint32_t at = 0;

    for (; n - at > width; at += 2 * width) {
        const uint32_t mid = at + width, end = n - mid > width ? mid + width : n;

        d->pair[n_pairs++] = (struct pair){ at, mid, mid, end, at };
        if (end == n)
            return n_pairs;
    }
    copy(d, &at, at, n);
    return n_pairs;
}

/* Merges all runs of `width` into runs of twice that. */
static void merge_level(struct asker *a, int worker, struct merge_scratch *d, uint32_t n,
                        uint32_t width, struct rng *r)
{
    size_t n_pairs = pair_up(d, n, width);

    while (n_pairs > 0) {
        size_t left = 0;

        for (size_t k = 0; k < n_pairs; k++)
            d->duel[k] = (peck_duel){ d->from[d->pair[k].left], d->from[d->pair[k].right] };
        ask(a, worker, d->duel, n_pairs, d->h);
        for (size_t k = 0; k < n_pairs; k++) {
            struct pair p = d->pair[k];

            if (advance(d, &p, rng_uniform(r) < (double)d->h[k]))
                d->pair[left++] = p;
        }
        n_pairs = left;
    }
}

static void run_once(void *ctx, size_t run, int worker)
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

/* Questions of a run at most: n k - 2^k + 1 with k = log2 n, rounded up. */
static uint64_t most_questions(uint32_t n)
{
    unsigned k = 0;

    while (1ULL << k < n)
        k++;
    return (uint64_t)n * k - (1ULL << k) + 1;
}

static peck_status open_scratch(struct merge_scratch *d, uint32_t n, peck_error *err)
{
    d->from = mem_new(n, sizeof *d->from);
    d->to = mem_new(n, sizeof *d->to);
    d->pair = mem_new(n / 2, sizeof *d->pair);
    d->duel = mem_new(n / 2, sizeof *d->duel);
    d->h = mem_new(n / 2, sizeof *d->h);
    d->behind = mem_new(n, sizeof *d->behind);
    if (d->from == NULL || d->to == NULL || d->pair == NULL || d->duel == NULL ||
        d->h == NULL || d->behind == NULL)
        return fail_memory(err, "a merge sort", n, 40);
    return PECK_OK;
}

static void close_scratch(struct merge_scratch *d)
{
    mem_free(d->from);
    mem_free(d->to);
    mem_free(d->pair);
    mem_free(d->duel);
    mem_free(d->h);
    mem_free(d->behind);
}

/* Sums of whole numbers: the same whoever ran what. */
static void average(const struct merging *m, size_t n_runs, struct decoding *out)
{
    for (uint32_t i = 0; i < m->a->oracle->n; i++) {
        uint64_t sum = 0;

        for (int w = 0; w < asker_workers(m->a); w++)
            sum += m->scratch[w].behind[i];
        out->score[i] = (double)sum / (double)n_runs;
    }
}

static peck_status run_all(struct merging *m, size_t n_runs, struct decoding *out,
                           peck_error *err)
{
    for (int w = 0; w < asker_workers(m->a); w++)
        TRY(open_scratch(&m->scratch[w], m->a->oracle->n, err));
    asker_run(m->a, n_runs, run_once, m);
    average(m, n_runs, out);
    return PECK_OK;
}

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const uint32_t n = a->oracle->n;
    const uint64_t most = most_questions(n), asked = ((const struct merge *)config)->runs;
    const uint64_t fit = asker_budget(a, asked * most) / most;
    const size_t n_runs = fit < 1 ? 1 : fit > MOST_RUNS ? MOST_RUNS : (size_t)fit;
    const size_t workers = (size_t)asker_workers(a);
    struct merging m = { a, mem_new(workers, sizeof *m.scratch) };

    if (m.scratch == NULL)
        return fail_memory(err, "a merge sort", workers, sizeof *m.scratch);
    const peck_status st = run_all(&m, n_runs, out, err);

    for (size_t w = 0; w < workers; w++)
        close_scratch(&m.scratch[w]);
    mem_free(m.scratch);
    return st == PECK_OK ? decoding_from_score(out, n, err) : st;
}

const struct decoder decoder_merge = {
    .plug
        .about = { "merge", "random merge sorts, averaged",
                   "Merge sort in which the left head goes first with the probability that "
                   "the oracle gives; sorts by the mean position over the runs. About n "
                   "log2(n) questions a run. Averaged merge sort of Yang and Lin 2015." },
    .plug.params = params,
    .config_size = sizeof(struct merge),
    .run = run,
};
