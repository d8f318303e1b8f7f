/* gen_btl.c -- noisy preferences between items that have true scores.
 *
 *   P(i wins one comparison with j) = 1 / (1 + e^(-c (s_i - s_j))),  s uniform in [0, 1)
 *   h(i,j) = mean of n such comparisons, n uniform in 1 .. 15, fixed for the pair
 *
 * Everything is a hash of (seed, item) or (seed, pair), so the oracle has no state and
 * 50,000 items with their 1.25e9 pairs cost no memory.
 *
 * Yang and Lin, "A practical divide-and-conquer approach for preference-based learning
 * to rank", 2015, section IV-A.                                                    */
#include "draw.h"

#include "../base/maths.h"

#include <math.h>

enum form { FORM_PAIRS, FORM_ITEMS };
enum { BATCH = 4096 };

/* Told apart from each other and from the streams of the queries. */
#define HASH_SCORE 0x53636F7265ULL
#define HASH_PAIR 0x50616972ULL
#define HASH_ORDER 0x4F72646572ULL

struct items {
    int64_t items, pairs;
    double spread;
    int form;
    uint64_t n_pairs; /* in the file */
};

static const struct param params[] = {
    { "items", PARAM_INT, "1000", "[2,1000000000]", "items, named 0 .. items-1",
      offsetof(struct items, items) },
    { "form", PARAM_CHOICE, "pairs", "pairs|items",
      "pairs: a preference list; items: one query with the true scores as labels",
      offsetof(struct items, form) },
    { "pairs", PARAM_INT, "0", "[0,inf)",
      "pairs drawn without repetition for the preference list; 0: all pairs",
      offsetof(struct items, pairs) },
    { "spread", PARAM_FLOAT, "0.8", "[0,1000]",
      "log odds of the best item against the worst; small: much noise",
      offsetof(struct items, spread) },
    { 0 }
};

double btl_score(const struct btl *b, uint32_t item)
{
    return (double)(mix64(b->seed ^ HASH_SCORE, item) >> 11) * 0x1.0p-53;
}

/* Wins of the lower-numbered item; two comparisons a hash.
 * Both halves of a hash are uniform 32-bit numbers; one below p 2^32 is a win. */
static uint32_t draw_wins(const struct btl *b, uint32_t lo, uint32_t hi, uint32_t *draws)
{
    const double p = 1.0 / (1.0 + math_exp(b->c * (btl_score(b, hi) - btl_score(b, lo))));
    const uint64_t below = (uint64_t)(p * 0x1.0p32);
    const uint64_t key = mix64(b->seed ^ HASH_PAIR, (uint64_t)lo << 32 | hi);
    const uint32_t n = 1 + (uint32_t)(((key >> 32) * BTL_MAX_DRAWS) >> 32);
    uint32_t wins = 0;

    for (uint32_t k = 0; k < n; k += 2) {
        const uint64_t u = mix64(key, k);

        wins += (u >> 32) < below;
        wins += k + 1 < n && (u & UINT32_MAX) < below;
    }
    *draws = n;
    return wins;
}

uint32_t btl_wins(const struct btl *b, uint32_t i, uint32_t j, uint32_t *draws)
{
    if (i < j)
        return draw_wins(b, i, j, draws);
    const uint32_t losses = draw_wins(b, j, i, draws);

    return *draws - losses;
}

/* The half above 1/2 is the rounded quotient; taking it from 1 is exact, so the two
 * directions add up to 1 without error. */
double btl_preference(const struct btl *b, uint32_t i, uint32_t j)
{
    uint32_t n = 0;

    if (i == j)
        return 0.5;
    const uint32_t wins = btl_wins(b, i, j, &n);

    return 2 * wins >= n ? (double)wins / n : 1.0 - (double)(n - wins) / n;
}

static uint64_t count_btl_pairs(const struct items *m)
{
    return (uint64_t)m->items * (uint64_t)(m->items - 1) / 2;
}

static peck_status open_btl(void *self, uint64_t seed, struct shape *shape, peck_error *err)
{
    struct items *const m = self;
    const uint64_t all = count_btl_pairs(m);

    (void)seed;
    if (m->form == FORM_ITEMS) {
        *shape = (struct shape){ .n_queries = 1, .max_docs = (size_t)m->items, .dim = 1 };
        return PECK_OK;
    }
    if ((uint64_t)m->pairs > all)
        return fail(err, PECK_ARG, "btl: pairs=%lld: %lld items have only %llu pairs",
                    (long long)m->pairs, (long long)m->items, (unsigned long long)all);
    m->n_pairs = m->pairs > 0 ? (uint64_t)m->pairs : all;
    *shape = (struct shape){ .n_queries = (size_t)((m->n_pairs + BATCH - 1) / BATCH),
                             .max_docs = BATCH,
                             .is_prefs = true };
    return PECK_OK;
}

/* A random permutation of 0 .. n-1 at place k: a Feistel network on the next power of
 * four, walked until it lands inside (Black and Rogaway 2002).  No table, so any number
 * of distinct pairs can be drawn in any order. */
static uint64_t permuted_place(uint64_t key, uint64_t k, uint64_t n)
{
    enum { ROUNDS = 4 };
    unsigned half = 1;

    while (half < 32 && (n - 1) >> (2 * half) != 0)
        half++;
    const uint64_t mask = (1ULL << half) - 1;

    do {
        uint64_t left = k >> half, right = k & mask;

        for (uint64_t round = 0; round < ROUNDS; round++) {
            const uint64_t swap = left ^ (mix64(key + round, right) & mask);

            left = right;
            right = swap;
        }
        k = left << half | right;
    } while (k >= n);
    return k;
}

/* Pair t of the n (n - 1) / 2 is t = hi (hi - 1) / 2 + lo with lo < hi.  The item that won more
 * often comes first; of equals the lower-numbered. */
static void fill_btl(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    const struct items *const m = self;
    const struct btl b = { .seed = seed, .c = m->spread };
    const uint64_t first = (uint64_t)q * BATCH, all = count_btl_pairs(m);

    if (m->form == FORM_ITEMS) {
        out->n = (size_t)m->items;
        for (size_t i = 0; i < out->n; i++)
            out->x[i] = out->label[i] = (float)btl_score(&b, (uint32_t)i);
        return;
    }
    out->n = m->n_pairs - first < BATCH ? (size_t)(m->n_pairs - first) : BATCH;
    for (size_t i = 0; i < out->n; i++) {
        const uint64_t t =
            m->pairs > 0 ? permuted_place(seed ^ HASH_ORDER, first + i, all) : first + i;
        uint64_t hi = (uint64_t)((1.0 + sqrt(1.0 + 8.0 * (double)t)) / 2.0);
        uint32_t n;

        while (hi * (hi - 1) / 2 > t)
            hi--;
        while (hi * (hi + 1) / 2 <= t)
            hi++;
        const uint32_t upper = (uint32_t)hi, lower = (uint32_t)(t - hi * (hi - 1) / 2);
        const uint32_t wins = btl_wins(&b, lower, upper, &n);

        out->pair[i] = 2 * wins >= n ? (struct judged_pair){ lower, upper, wins, n - wins }
                                     : (struct judged_pair){ upper, lower, n - wins, wins };
    }
}

static void name_btl_feature(const void *self, size_t feature, char out[SYNTH_NAME])
{
    (void)self, (void)feature;
    snprintf(out, SYNTH_NAME, "score");
}

static void name_btl_doc(size_t q, size_t doc, char out[SYNTH_NAME])
{
    (void)q;
    snprintf(out, SYNTH_NAME, "%zu", doc);
}

const struct generator generator_btl = {
    .plug = { { "btl", "noisy preferences between items with true scores",
                "form=pairs writes a preference list that stands alone (CSV or TSV: "
                "winner, loser, wins, losses): each pair was compared 1 to 15 times, and "
                "an item wins a comparison with the logistic probability of the difference "
                "of true scores; number and results are fixed by the pair and the seed. "
                "form=items with the same seed writes the truth: one query, items by name, "
                "the true score in [0,1) as label and only feature, to judge an order "
                "found from the pairs. Bradley-Terry-Luce data after Yang and Lin 2015 "
                "(Fuzzy-Sort), section IV-A, which has 50,000 items and spread 0.8." },
              params },
    .self_size = sizeof(struct items),
    .open = open_btl,
    .fill = fill_btl,
    .name_feature = name_btl_feature,
    .name_doc = name_btl_doc,
};
