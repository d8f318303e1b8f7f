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
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MAX_DRAWS = 15 };

struct btl {
    uint64_t seed;
    const double *odds; /* e^(SPREAD s) */
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

/* i < j.  Sixteen bits a comparison and narrow counts, so that the oracle does not outweigh the
 * decoder; a probability of 1 is cut to 0xFFFF / 0x10000. */
static inline float preference(const struct btl *b, uint32_t i, uint32_t j)
{
    const double at = 0x1.0p16 * (b->odds[i] / (b->odds[i] + b->odds[j]));
    const uint16_t below = (uint16_t)(int)(at < 0xFFFF ? at : 0xFFFF);
    const uint64_t key = mix(b->seed ^ ((uint64_t)i << 32 | j));
    const uint16_t n = (uint16_t)(1 + (((key >> 32) * MAX_DRAWS) >> 32));
    const uint64_t bits[] = { mix(key), mix(key + 1), mix(key + 2), mix(key + 3) };
    uint16_t draw[MAX_DRAWS + 1], wins = 0;

    memcpy(draw, bits, sizeof draw);
    for (uint16_t k = 0; k <= MAX_DRAWS; k++)
        wins = (uint16_t)(wins + ((draw[k] < below) & (k < n)));
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

struct bench {
    size_t n;
    double spread;
    double *score, *odds, *sorted, *room;
    uint32_t *order;
};

static int open_bench(struct bench *t, uint64_t seed)
{
    t->score = calloc(t->n + 1, sizeof *t->score);
    t->odds = calloc(t->n + 1, sizeof *t->odds);
    t->sorted = calloc(t->n + 1, sizeof *t->sorted);
    t->room = calloc(t->n + 1, sizeof *t->room);
    t->order = calloc(t->n + 1, sizeof *t->order);
    if (t->score == NULL || t->odds == NULL || t->sorted == NULL || t->room == NULL ||
        t->order == NULL)
        return 0;
    for (size_t i = 0; i < t->n; i++) {
        t->score[i] = (double)(mix(seed + mix(i)) >> 11) * 0x1.0p-53;
        t->odds[i] = exp(t->spread * (t->score[i] - 0.5));
    }
    return 1;
}

static void close_bench(struct bench *t)
{
    free(t->score);
    free(t->odds);
    free(t->sorted);
    free(t->room);
    free(t->order);
}

static int run(struct bench *t, const peck_decode_spec *spec)
{
    struct btl b = { mix(spec->seed), t->odds };
    peck_decode_info info;
    peck_error err;
    struct rusage use;
    const double start = seconds();

    if (peck_decode(t->order, NULL, t->n, answer, &b, spec, &info, &err) != PECK_OK)
        return fprintf(stderr, "bench_decode: %s\n", err.text), 1;
    const double took = seconds() - start;

    getrusage(RUSAGE_SELF, &use);
    for (size_t k = 0; k < t->n; k++)
        t->sorted[k] = t->score[t->order[k]];
    printf("%llu %.6f %.6f %ld\n", (unsigned long long)info.n_questions,
           inversions(t->sorted, t->room, t->n) / (double)info.n_pairs, took,
           use.ru_maxrss * 1024L);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return fprintf(stderr, "usage: DECODER ITEMS SPREAD BUDGET SEED THREADS\n"), 2;
    const peck_decode_spec spec = { .decoder = argv[1],
                                    .budget = (uint64_t)strtod(argv[4], NULL),
                                    .seed = strtoull(argv[5], NULL, 10),
                                    .threads = (int)strtol(argv[6], NULL, 10),
                                    .is_symmetric = 1 };
    struct bench t = { .n = strtoul(argv[2], NULL, 10), .spread = strtod(argv[3], NULL) };
    const int st = open_bench(&t, mix(spec.seed)) ? run(&t, &spec) : 1;

    close_bench(&t);
    return st;
}
