/* dec_pivot.c -- FAS-Pivot: quicksort with random pivots, averaged.
 *
 * An item goes before the pivot with probability h(item, pivot); the mean of the positions
 * over the runs is sorted.  One run costs at most three times the least cost, on average.
 *
 * Ailon, Charikar and Newman, "Aggregating inconsistent information", 2008; section II of
 * Yang and Lin 2015.                                                                  */
#include "quick.h"

#include "../base/alloc.h"

enum { MOST_RUNS = 1000000 };

struct pivot {
    int64_t runs;
};

static const struct param params[] = {
    { "runs", PARAM_INT, "50", "[1,1000000]",
      "runs that are averaged; with a budget, as many as it pays for, at least one",
      offsetof(struct pivot, runs) },
    { 0 }
};

/* out->score becomes the sum of the items behind each, over the runs; their number is
 * returned.  A run that the budget cuts short does not count. */
static size_t run_all(struct asker *a, struct quick *q, size_t n_runs, struct decoding *out)
{
    const uint32_t n = a->oracle->n;
    size_t done = 0;

    while (done < n_runs) {
        struct rng r;

        rng_seed(&r, a->seed, done);
        for (uint32_t i = 0; i < n; i++)
            out->order[i] = i;
        if (!quick_sort(q, a, out->order, &r,
                        done > 0 && a->budget > 0 ? a->budget : UINT64_MAX))
            break;
        for (uint32_t k = 0; k < n; k++)
            out->score[out->order[k]] += (double)(n - 1 - k);
        done++;
    }
    return done;
}

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const struct pivot *const p = config;
    const uint32_t n = a->oracle->n;
    struct quick *const q = quick_new(n);

    if (q == NULL)
        return fail_memory(err, "a sort", n, 32);
    memset(out->score, 0, n * sizeof *out->score);
    const size_t n_runs = run_all(a, q, a->budget > 0 ? MOST_RUNS : (size_t)p->runs, out);

    quick_free(q);
    for (uint32_t i = 0; i < n && n_runs > 0; i++)
        out->score[i] /= (double)n_runs;
    return decoding_from_score(out, n, err);
}

const struct decoder decoder_pivot = {
    .plug.about = { "pivot", "FAS-Pivot: random quicksorts, averaged",
                    "Quicksort with random pivots, where an item goes before the pivot "
                    "with the probability that the oracle gives; sorts by the mean "
                    "position over the runs. About 1.4 n log2(n) questions a run. Ailon et "
                    "al. 2008." },
    .plug.params = params,
    .config_size = sizeof(struct pivot),
    .run = run,
};
