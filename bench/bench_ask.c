/* bench_ask.c -- simulated people answer; see ask.py:
 *
 *     bench_ask WAY SHAPE DEVIATION ITEMS SEED QUESTIONS STEP BATCH GOAL
 *
 * WAY: next (peck_strengths_next, BATCH questions between fits), random (random pairs, the
 * same fit), insert (binary insertion), merge (merge sort), elo (nearest ratings).  SHAPE:
 * normal | uniform | exponential strengths of that DEVIATION; i is preferred to j with probability
 * 1 / (1 + e^(t_j - t_i)).  GOAL 0: after every STEP questions a line "questions tau covered
 * pairs left again"; covered counts 95 % intervals that hold the strength less the mean.
 * GOAL k: after every STEP questions it looks whether the first k are sure, and stops there, or
 * after QUESTIONS: a line "questions is_enough is_right odds left" each time; the last one counts.
 * insert, merge, elo: one line, "questions tau".                                      */
#include "peck.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct person {
    size_t n;
    double *t, *mean, *sd;
    uint64_t state;
    size_t n_answers, n_again;
    peck_pref *answer;
    peck_duel *asked;
    unsigned char *is_known; /* [n][n]: pairs that were answered */
};

static uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static double uniform(struct person *p)
{
    p->state += 0x9E3779B97F4A7C15ULL;
    return (double)(mix(p->state) >> 11) * 0x1.0p-53;
}

static double strength(struct person *p, const char *shape)
{
    const double u = 1.0 - uniform(p), v = uniform(p);

    if (strcmp(shape, "uniform") == 0)
        return (v - 0.5) * sqrt(12.0);
    if (strcmp(shape, "exponential") == 0)
        return -log(u);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* 1: i is preferred. */
static int prefers(struct person *p, size_t i, size_t j)
{
    return uniform(p) < 1.0 / (1.0 + exp(p->t[j] - p->t[i]));
}

static void answer(struct person *p, peck_duel d)
{
    const int wins = prefers(p, d.i, d.j);
    unsigned char *const known =
        &p->is_known[d.i < d.j ? d.i * p->n + d.j : d.j * p->n + d.i];

    p->n_again += *known;
    *known = 1;
    p->asked[p->n_answers] = d;
    p->answer[p->n_answers++] = (peck_pref){ .winner = wins ? d.i : d.j,
                                             .loser = wins ? d.j : d.i,
                                             .probability = 1.0f,
                                             .weight = 1.0f };
}

static double tau(const struct person *p, const double *score)
{
    double sum = 0.0;

    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            const double a = (score[i] - score[j]) * (p->t[i] - p->t[j]);

            sum += (a > 0.0) - (a < 0.0);
        }
    return sum / ((double)p->n * (double)(p->n - 1) / 2);
}

static size_t n_covered(const struct person *p)
{
    double mean = 0.0;
    size_t sum = 0;

    for (size_t i = 0; i < p->n; i++)
        mean += p->t[i] / (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        sum += fabs(p->mean[i] - (p->t[i] - mean)) <= 1.959963984540054 * p->sd[i];
    return sum;
}

/* Whether the first k by mean are the first k by t: nobody in is weaker than anybody out. */
static int is_right(const struct person *p, size_t k)
{
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t i = 0; i < p->n; i++) {
        size_t rank = 0;

        for (size_t j = 0; j < p->n; j++)
            rank += p->mean[j] > p->mean[i] || (p->mean[j] == p->mean[i] && j < i);
        if (rank < k)
            low = fmin(low, p->t[i]);
        else
            high = fmax(high, p->t[i]);
    }
    return low > high;
}

/* Asks, fits, prints; 0: all went well. */
static int interview(struct person *p, int is_random, size_t most, size_t step,
                     size_t batch, size_t goal, uint64_t seed)
{
    peck_strengths *s = NULL;
    peck_duel next[1000];
    peck_error err;
    peck_strengths_spec how = { .size = sizeof how, .threads = 1 };
    int enough = 0;

    while (p->n_answers < most && !enough) {
        peck_question_spec q = { .size = sizeof q, .top = goal, .seed = seed };
        peck_sureness sure;
        size_t n = batch;

        if (!is_random) {
            if (s == NULL && peck_strengths_fit(&s, p->answer, p->n_answers, p->n, &how,
                                                &err) != PECK_OK)
                return fprintf(stderr, "bench_ask: %s\n", err.text), 1;
            q.n_recent = p->n_answers < 10 ? p->n_answers : 10;
            q.recent = p->asked + p->n_answers - q.n_recent;
            if (peck_strengths_next(s, &q, next, NULL, &n, &err) != PECK_OK)
                return fprintf(stderr, "bench_ask: %s\n", err.text), 1;
        }
        for (size_t k = 0; is_random && k < n; k++) {
            next[k].i = (uint32_t)(uniform(p) * (double)p->n);
            do
                next[k].j = (uint32_t)(uniform(p) * (double)p->n);
            while (next[k].j == next[k].i);
        }
        for (size_t k = 0; k < n; k++)
            answer(p, next[k]);
        if (is_random && p->n_answers % step != 0)
            continue;
        peck_strengths_free(s);
        if (peck_strengths_fit(&s, p->answer, p->n_answers, p->n, &how, &err) != PECK_OK)
            return fprintf(stderr, "bench_ask: %s\n", err.text), 1;
        if (p->n_answers % step != 0)
            continue;
        peck_strengths_read(s, p->mean, p->sd);
        if (peck_strengths_sureness(s, &q, &sure, &err) != PECK_OK)
            return fprintf(stderr, "bench_ask: %s\n", err.text), 1;
        enough = goal > 0 && sure.is_enough;
        if (goal > 0)
            printf("%zu %d %d %.4f %.1f\n", p->n_answers, sure.is_enough, is_right(p, goal),
                   sure.top, sure.questions_left);
        else
            printf("%zu %.6f %zu %.4f %.1f %zu\n", p->n_answers, tau(p, p->mean),
                   n_covered(p), sure.pairs, sure.questions_left, p->n_again);
    }
    peck_strengths_free(s);
    return 0;
}

/* Both write the order into item[n], the best first, and return the questions that it took. */
static size_t sort_insert(struct person *p, size_t *item)
{
    size_t asked = 0;

    for (size_t k = 0; k < p->n; k++) {
        size_t low = 0, high = k;

        for (; low < high; asked++) {
            const size_t mid = (low + high) / 2;

            if (prefers(p, k, item[mid]))
                high = mid;
            else
                low = mid + 1;
        }
        memmove(item + low + 1, item + low, (k - low) * sizeof *item);
        item[low] = k;
    }
    return asked;
}

static size_t sort_merge(struct person *p, size_t *item, size_t *room, size_t n)
{
    const size_t mid = n / 2;
    size_t asked = 0, i = 0, j = mid;

    if (n < 2)
        return 0;
    asked += sort_merge(p, item, room, mid) + sort_merge(p, item + mid, room, n - mid);
    for (size_t k = 0; k < n; k++) {
        const int is_open = i < mid && j < n;

        asked += (size_t)is_open;
        room[k] = item[(is_open ? prefers(p, item[i], item[j]) : i < mid) ? i++ : j++];
    }
    memcpy(item, room, n * sizeof *item);
    return asked;
}

/* The item that met fewest, with the one of the nearest rating (not the last one it met);
 * steps of 32 on the usual scale of 400 for a factor of 10. */
static void play_elo(struct person *p, double *rating, size_t n_games)
{
    size_t *const met = calloc(2 * p->n, sizeof *met), *const last = met + p->n;

    for (size_t g = 0; met != NULL && g < n_games; g++) {
        size_t a = (size_t)(uniform(p) * (double)p->n), b = p->n;

        for (size_t i = 0; i < p->n; i++)
            a = met[i] < met[a] ? i : a;
        for (size_t i = 0; i < p->n; i++)
            if (i != a && last[a] != i + 1 &&
                (b == p->n || fabs(rating[i] - rating[a]) < fabs(rating[b] - rating[a])))
                b = i;
        const double e = 1.0 / (1.0 + pow(10.0, (rating[b] - rating[a]) / 400.0));
        const double by = 32.0 * (prefers(p, a, b) - e);

        rating[a] += by;
        rating[b] -= by;
        last[a] = b + 1;
        last[b] = a + 1;
        met[a]++;
        met[b]++;
    }
    free(met);
}

static int sort_once(struct person *p, const char *way, size_t n_games)
{
    size_t *const item = calloc(2 * p->n, sizeof *item);
    size_t asked = n_games;

    if (item == NULL)
        return 1;
    for (size_t i = 0; i < p->n; i++)
        item[i] = i;
    if (strcmp(way, "elo") == 0) {
        play_elo(p, p->mean, n_games);
    } else {
        asked = strcmp(way, "insert") == 0 ? sort_insert(p, item)
                                           : sort_merge(p, item, item + p->n, p->n);
        for (size_t k = 0; k < p->n; k++)
            p->mean[item[k]] = -(double)k;
    }
    printf("%zu %.6f\n", asked, tau(p, p->mean));
    free(item);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 10)
        return fprintf(stderr, "usage: WAY SHAPE DEVIATION ITEMS SEED QUESTIONS STEP BATCH "
                               "GOAL\n"),
               2;
    const char *const way = argv[1];
    const size_t n = strtoul(argv[4], NULL, 10), most = strtoul(argv[6], NULL, 10);
    const uint64_t seed = strtoull(argv[5], NULL, 10);
    struct person p = { .n = n, .state = mix(seed * 1000003 + n) };
    const size_t batch = strtoul(argv[8], NULL, 10);
    int st = 1;

    p.t = calloc(n, sizeof *p.t);
    p.mean = calloc(n, sizeof *p.mean);
    p.sd = calloc(n, sizeof *p.sd);
    p.answer = calloc(most + 1000, sizeof *p.answer);
    p.asked = calloc(most + 1000, sizeof *p.asked);
    p.is_known = calloc(n * n, 1);
    if (p.t != NULL && p.mean != NULL && p.sd != NULL && p.answer != NULL &&
        p.asked != NULL && p.is_known != NULL && batch >= 1 && batch <= 1000) {
        for (size_t i = 0; i < n; i++)
            p.t[i] = strtod(argv[3], NULL) * strength(&p, argv[2]);
        p.state = mix(p.state + (uint64_t)(way[0]));
        st = strcmp(way, "next") == 0 || strcmp(way, "random") == 0
                 ? interview(&p, way[0] == 'r', most, strtoul(argv[7], NULL, 10), batch,
                             strtoul(argv[9], NULL, 10), seed)
                 : sort_once(&p, way, most);
    }
    free(p.t);
    free(p.mean);
    free(p.sd);
    free(p.answer);
    free(p.asked);
    free(p.is_known);
    return st;
}
