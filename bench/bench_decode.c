/* bench_decode.c -- how well and how fast a decoder ranks items whose preferences are
 * noisy:
 *
 *     bench_decode DECODER ITEMS SPREAD BUDGET SEED THREADS
 *
 * The preferences are those of `peck generate btl`: scores s uniform in [0, 1), and
 * h(i, j) the mean of k comparisons won with probability 1 / (1 + e^(SPREAD (s_j - s_i))),
 * k uniform in 1 .. 15, fixed for the pair (Yang and Lin 2015, section IV-A).  BUDGET 0:
 * the decoder's own.  One line: questions, share of pairs in the wrong order, seconds, peak
 * resident bytes. */
#include "peck.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { MAX_DRAWS = 15 };

struct btl {
    uint64_t seed;
    double spread;
    const double *score;
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/* i < j.  Two comparisons a hash. */
static float preference(const struct btl *b, uint32_t i, uint32_t j)
{
    const double p = 1.0 / (1.0 + exp(b->spread * (b->score[j] - b->score[i])));
    const uint64_t below = (uint64_t)(p * 0x1.0p32);
    const uint64_t key = mix(b->seed ^ mix((uint64_t)i << 32 | j));
    const uint32_t n = 1 + (uint32_t)(((key >> 32) * MAX_DRAWS) >> 32);
    uint32_t wins = 0;

    for (uint32_t k = 0; k < n; k += 2) {
        const uint64_t u = mix(key + k);

        wins += (u >> 32) < below;
        wins += k + 1 < n && (u & UINT32_MAX) < below;
    }
    return (float)wins / (float)n;
}

static int answer(void *ctx, const peck_duel *duel, size_t n, float *h)
{
    const struct btl *const b = ctx;

    for (size_t k = 0; k < n; k++)
        h[k] = duel[k].i < duel[k].j ? preference(b, duel[k].i, duel[k].j)
                                     : 1.0f - preference(b, duel[k].j, duel[k].i);
    return 0;
}

/* Pairs out of order in s[n], sorted on the way: falling is right. */
static double inversions(double *s, double *room, size_t n)
{
    const size_t mid = n / 2;
    double sum = 0;

    if (n < 2)
        return 0;
    sum += inversions(s, room, mid) + inversions(s + mid, room, n - mid);
    for (size_t k = 0, i = 0, j = mid; k < n; k++) {
        const int right = i == mid || (j < n && s[j] > s[i]);

        sum += right ? (double)(mid - i) : 0;
        room[k] = s[right ? j++ : i++];
    }
    for (size_t k = 0; k < n; k++)
        s[k] = room[k];
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return fprintf(stderr, "usage: DECODER ITEMS SPREAD BUDGET SEED THREADS\n"), 2;
    const size_t n = strtoul(argv[2], NULL, 10);
    double *const score = calloc(n + 1, sizeof *score), *const sorted = calloc(n + 1, 8),
                  *const room = calloc(n + 1, 8);
    uint32_t *const order = calloc(n + 1, sizeof *order);
    const uint64_t seed = strtoull(argv[5], NULL, 10);
    struct btl b = { mix(seed), strtod(argv[3], NULL), score };
    const peck_decode_spec spec = { .decoder = argv[1],
                                    .budget = (uint64_t)strtod(argv[4], NULL),
                                    .seed = seed,
                                    .threads = (int)strtol(argv[6], NULL, 10),
                                    .is_symmetric = 1 };
    peck_decode_info info;
    peck_error err;
    struct rusage use;

    if (score == NULL || sorted == NULL || room == NULL || order == NULL)
        return 1;
    for (size_t i = 0; i < n; i++)
        score[i] = (double)(mix(b.seed + mix(i)) >> 11) * 0x1.0p-53;
    const double start = seconds();

    if (peck_decode(order, NULL, n, answer, &b, &spec, &info, &err) != PECK_OK)
        return fprintf(stderr, "bench_decode: %s\n", err.text), 1;
    const double took = seconds() - start;

    getrusage(RUSAGE_SELF, &use);
    for (size_t k = 0; k < n; k++)
        sorted[k] = score[order[k]];
    printf("%llu %.6f %.6f %ld\n", (unsigned long long)info.n_questions,
           inversions(sorted, room, n) / (double)info.n_pairs, took, use.ru_maxrss * 1024L);
    free(score);
    free(sorted);
    free(room);
    free(order);
    return 0;
}
