/* oracles.c -- see oracles.h. */
#include "support/oracles.h"

#include "support/check.h"

#include "base/rng.h"

#include <math.h>

/* Uniform in [0, 1), in 2^-23: 1 - u and the mean of two are exact. */
static float uniform(uint64_t seed, uint32_t i, uint32_t j)
{
    return (float)(mix64(seed, (uint64_t)i << 32 | j) >> 41) * 0x1.0p-23f;
}

static float both_ways(float h, uint32_t i, uint32_t j)
{
    return i < j ? h : 1.0f - h;
}

static uint32_t low(uint32_t i, uint32_t j)
{
    return i < j ? i : j;
}

static float random_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    (void)n;
    return both_ways(uniform(seed, low(i, j), i ^ j ^ low(i, j)), i, j);
}

static float lopsided_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    (void)n;
    return uniform(seed, i, j);
}

/* i beats the n/2 that follow it on a circle. */
static float cyclic_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    const uint32_t ahead = (j + n - i) % n;

    (void)seed;
    return 2 * ahead < n ? 1.0f : 2 * ahead > n ? 0.0f : 0.5f;
}

static float constant_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    (void)seed, (void)n, (void)i, (void)j;
    return 0.5f;
}

static float sorted_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    (void)seed, (void)n;
    return i < j ? 1.0f : 0.0f;
}

static float reversed_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    (void)seed, (void)n;
    return i > j ? 1.0f : 0.0f;
}

/* Everybody says yes: both directions, so it comes to 1/2. */
static float yes_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    (void)seed, (void)n, (void)i, (void)j;
    return 1.0f;
}

/* Five grades: many ties. */
static float grades_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    const uint64_t a = mix64(seed, i) % 5, b = mix64(seed, j) % 5;

    (void)n;
    return a > b ? 1.0f : a < b ? 0.0f : 0.5f;
}

/* Scores with noise: mostly right. */
static float noisy_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    const float s = uniform(seed, i, i), t = uniform(seed, j, j);
    const float h = 0.5f + 0.25f * (s - t) * (i < j ? 1.0f : -1.0f) +
                    0.25f * (uniform(seed, low(i, j), i ^ j ^ low(i, j)) - 0.5f);

    (void)n;
    return both_ways(h, i, j);
}

const struct jury juries[] = {
    { "random", random_h, true }, { "lopsided", lopsided_h, false },
    { "cyclic", cyclic_h, true }, { "constant", constant_h, true },
    { "sorted", sorted_h, true }, { "reversed", reversed_h, true },
    { "yes", yes_h, false },      { "grades", grades_h, true },
    { "noisy", noisy_h, true },
};
const size_t n_juries = N_OF(juries);

const struct jury *jury_find(const char *name)
{
    for (size_t i = 0; i < n_juries; i++)
        if (strcmp(juries[i].name, name) == 0)
            return &juries[i];
    fail_msg("no jury '%s'", name);
    return NULL;
}

static peck_status answer(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                          peck_error *err)
{
    struct session *const s = ctx;

    (void)worker, (void)err;
    for (size_t k = 0; k < n; k++)
        h[k] = s->jury->h(s->seed, s->oracle.n, duel[k].i, duel[k].j);
    atomic_fetch_add(&s->asked, n);
    return PECK_OK;
}

void session_open(struct session *s, const struct jury *jury, uint32_t n, uint64_t seed)
{
    *s = (struct session){ .jury = jury, .seed = seed };
    s->oracle = (struct oracle){
        .n = n, .ask = answer, .ctx = s, .is_symmetric = jury->is_symmetric
    };
}

double session_h(const struct session *s, uint32_t i, uint32_t j)
{
    const uint32_t n = s->oracle.n;
    const double there = s->jury->h(s->seed, n, i, j), back = s->jury->h(s->seed, n, j, i);

    return (double)(float)((there + 1.0 - back) / 2.0);
}

double session_cost(const struct session *s, const uint32_t *order)
{
    double sum = 0.0;

    for (uint32_t a = 0; a < s->oracle.n; a++)
        for (uint32_t b = a + 1; b < s->oracle.n; b++)
            sum += session_h(s, order[b], order[a]);
    return sum;
}

double session_least_cost(const struct session *s)
{
    const uint32_t n = s->oracle.n, n_sets = 1u << n;
    double *const least = calloc(n_sets, sizeof *least), h[16][16];

    assert_true(n <= 16 && least != NULL);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            h[i][j] = i != j ? session_h(s, i, j) : 0.0;
    for (uint32_t set = 1; set < n_sets; set++) {
        least[set] = INFINITY;
        for (uint32_t last = 0; last < n; last++) {
            const uint32_t before = set & ~(1u << last);
            double cost = least[before];

            if (before == set)
                continue;
            for (uint32_t rest = before; rest != 0; rest &= rest - 1)
                cost += h[last][__builtin_ctz(rest)];
            least[set] = cost < least[set] ? cost : least[set];
        }
    }
    const double all = least[n_sets - 1];

    free(least);
    return all;
}

struct decoding decoding_new(uint32_t n)
{
    struct decoding d = { .order = calloc(n + 1, sizeof *d.order),
                          .score = calloc(n + 1, sizeof *d.score) };

    assert_true(d.order != NULL && d.score != NULL);
    return d;
}

void decoding_free(struct decoding *d)
{
    free(d->order);
    free(d->score);
}

void decode_with(struct decoding *d, const char *spec, const struct oracle *o,
                 uint64_t seed, uint64_t budget)
{
    struct decode_plan plan;
    peck_error err = { 0 };

    assert_ok(decode_plan_open(&plan, spec, &err), err);
    const struct decode_call call = {
        .plan = &plan, .oracle = o, .seed = seed, .budget = budget
    };

    assert_ok(decode_run(&call, d, &err), err);
}
