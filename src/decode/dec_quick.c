/* dec_quick.c -- quicksort by questions, breadth first: the decoders `tree` and `pivot`.
 *
 * All parts of a round ask their items against their pivots in one batch, so a list of n
 * takes about 2 ln n batches and no stack.
 *
 * tree: SortNet's sorting, by items that enter a binary search tree one by one.  That asks
 * the same questions, and gives the same tree, as a quicksort whose pivot is the first item
 * of each part and whose parts keep their order.  Rigutini et al., "SortNet: learning to
 * rank by a neural preference function", 2011, section IV.
 *
 * pivot: FAS-Pivot, with drawn pivots, averaged.  An item goes before the pivot with
 * probability h(item, pivot); the mean of the positions over the runs is sorted.  One run
 * costs at most three times the least cost, on average.  Ailon, Charikar and Newman,
 * "Aggregating inconsistent information", 2008; section II of Yang and Lin 2015.      */
#include "decoder.h"

#include "../base/alloc.h"
#include "../base/rng.h"

enum { MOST_RUNS = 1000000 };

/* item[from .. from + n) is not sorted yet; n >= 2. */
struct quick_part {
    uint32_t from, n;
};

/* Room for one sort at a time. */
struct quick {
    uint32_t n;
    struct quick_part *now, *next; /* n / 2 each: parts do not overlap */
    peck_duel *duel;               /* n */
    float *answer;                 /* n */
    uint32_t *behind;              /* n: items that go after a pivot */
};

/* n >= 2; NULL: no memory.  mem_free gives it back. */
static struct quick *quick_new(uint32_t n)
{
    const size_t half = n / 2;
    const size_t size = sizeof(struct quick) + 2 * half * sizeof(struct quick_part) +
                        n * (sizeof(peck_duel) + sizeof(float) + sizeof(uint32_t));
    struct quick *const q = mem_new(1, size);

    if (q == NULL)
        return NULL;
    q->n = n;
    q->now = (struct quick_part *)(q + 1);
    q->next = q->now + half;
    q->duel = (peck_duel *)(q->next + half);
    q->answer = (float *)(q->duel + n);
    q->behind = (uint32_t *)(q->answer + n);
    return q;
}

/* Those that go before the pivot, the pivot, the others; each kind keeps its order.
 * Returns the pivot's place. */
static uint32_t divide_at_pivot(uint32_t *part, uint32_t n, const float *is_before,
                                uint32_t *behind)
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

/* item[n] is sorted in place.  With r NULL the pivot of a part is its first item, parts
 * keep their order, and the side decides (a tie: the lower index goes first).  With r the
 * pivot is drawn, and an item goes before it with probability h.
 * False, with item[] in some order, when the oracle failed or another round would
 * take the questions above `most`. */
static bool quick_sort(struct quick *q, struct asker *a, uint32_t *item, struct rng *r,
                       uint64_t most)
{
    size_t n_parts = 1, n_next;

    q->now[0] = (struct quick_part){ 0, q->n };
    for (; n_parts > 0; n_parts = n_next) {
        const float *is_before = q->answer;
        size_t n = 0;

        for (size_t p = 0; p < n_parts; p++) { /* all against the first of their part */
            uint32_t *const part = item + q->now[p].from;

            if (r != NULL) {
                const size_t at = rng_below(r, q->now[p].n);
                const uint32_t pivot = part[at];

                part[at] = part[0];
                part[0] = pivot;
            }
            for (uint32_t k = 1; k < q->now[p].n; k++)
                q->duel[n++] = (peck_duel){ part[k], part[0] };
        }
        if (asker_after(a, n) > most || asker_failed(a))
            return false;
        (r != NULL ? ask_all : ask_all_sides)(a, q->duel, n, q->answer);
        /* answer[k] becomes whether the first goes before the pivot. */
        for (size_t k = 0; k < n; k++) {
            const peck_duel d = q->duel[k];
            const float x = q->answer[k];

            q->answer[k] = r != NULL ? rng_uniform(r) < (double)x
                                     : x > 0.0f || (x == 0.0f && d.i < d.j);
        }
        n_next = 0;
        for (size_t p = 0; p < n_parts; p++) {
            const struct quick_part whole = q->now[p];
            const uint32_t at =
                divide_at_pivot(item + whole.from, whole.n, is_before, q->behind);
            const uint32_t n_behind = whole.n - 1 - at;

            is_before += whole.n - 1;
            if (at > 1)
                q->next[n_next++] = (struct quick_part){ whole.from, at };
            if (n_behind > 1)
                q->next[n_next++] = (struct quick_part){ whole.from + at + 1, n_behind };
        }
        struct quick_part *const swap = q->now;

        q->now = q->next;
        q->next = swap;
    }
    return true;
}

/* Decoders --------------------------------------------------------------------------- */

struct tree_config {
    int is_shuffled;
};

static const struct param tree_params[] = {
    { "shuffle", PARAM_CHOICE, "1", "0|1",
      "1: items enter in a drawn order; 0: in input "
      "order, which takes n^2/2 questions on a "
      "list that is sorted already",
      offsetof(struct tree_config, is_shuffled) },
    { 0 }
};

static peck_status tree_run(struct asker *a, const void *config, struct decoding *out,
                            peck_error *err)
{
    const struct tree_config *const t = config;
    const uint32_t n = a->oracle->n;
    struct quick *const q = quick_new(n);
    struct rng r;

    if (q == NULL)
        return fail_memory(err, "a sort", n, 32);
    for (uint32_t i = 0; i < n; i++)
        out->order[i] = i;
    rng_seed(&r, a->seed, 0);
    if (t->is_shuffled)
        rng_shuffle(&r, out->order, n);
    quick_sort(q, a, out->order, NULL, UINT64_MAX);
    mem_free(q);
    decoding_from_order(out, n);
    return PECK_OK;
}

const struct decoder decoder_tree = {
    .plug.about = { "tree", "insertion into a binary search tree: n log n questions",
                    "Each item enters a binary search tree and is compared with those on "
                    "its way down; about 1.4 n log2(n) questions, each of which only has "
                    "to be answered by a side. One wrong answer may misplace an item by "
                    "far. Equal items keep input order. Takes no budget. SortNet, Rigutini "
                    "et al. 2011." },
    .plug.params = tree_params,
    .config_size = sizeof(struct tree_config),
    .run = tree_run,
};

struct pivot_config {
    int64_t runs;
};

static const struct param pivot_params[] = {
    { "runs", PARAM_INT, "50", "[1,1000000]",
      "runs that are averaged; with a budget, as many as it pays for, at least one",
      offsetof(struct pivot_config, runs) },
    { 0 }
};

/* A run that the budget cuts short does not count. */
static peck_status pivot_run(struct asker *a, const void *config, struct decoding *out,
                             peck_error *err)
{
    const uint32_t n = a->oracle->n;
    const int64_t most =
        a->budget > 0 ? MOST_RUNS : ((const struct pivot_config *)config)->runs;
    struct quick *const q = quick_new(n);
    int64_t done = 0;

    if (q == NULL)
        return fail_memory(err, "a sort", n, 32);
    memset(out->score, 0, n * sizeof *out->score);
    for (; done < most; done++) {
        struct rng r;

        rng_seed(&r, a->seed, (uint64_t)done);
        for (uint32_t i = 0; i < n; i++)
            out->order[i] = i;
        if (!quick_sort(q, a, out->order, &r,
                        done > 0 && a->budget > 0 ? a->budget : UINT64_MAX))
            break;
        for (uint32_t k = 0; k < n; k++)
            out->score[out->order[k]] += (double)(n - 1 - k);
    }
    mem_free(q);
    for (uint32_t i = 0; i < n && done > 0; i++)
        out->score[i] /= (double)done;
    return decoding_from_score(out, n, err);
}

const struct decoder decoder_pivot = {
    .plug.about = { "pivot", "FAS-Pivot: random quicksorts, averaged",
                    "Quicksort with random pivots, where an item goes before the pivot "
                    "with the probability that the oracle gives; sorts by the mean "
                    "position over the runs. About 1.4 n log2(n) questions a run. Ailon et "
                    "al. 2008." },
    .plug.params = pivot_params,
    .config_size = sizeof(struct pivot_config),
    .run = pivot_run,
};
