/* dec_active.c -- a league in which duels whose outcome is foregone are not played.
 *
 * A first part of the budget goes to drawn opponents, as in `sampled`.  Strengths are
 * fitted to the answers (see strength.h), which takes the luck of the draw out of them;
 * from then on two items meet only if their strengths are close, as far as is known: a
 * duel tells as much as p (1 - p).  The fit is renewed whenever the questions have doubled,
 * or sooner where the last ones told little.
 *
 * Rounds are distances on a circle of all items (see league.h), each used once, so no
 * pair is asked twice.  Memory: O(n), whatever the budget.                            */
#include "league.h"
#include "strength.h"

#include "../base/alloc.h"
#include "../base/rng.h"
#include "../base/sort.h"

#include <math.h>

enum {
    FIRST_ROUNDS = 5, /* of n duels each, before the first fit */
    MOST_ROUNDS = 64, /* between two fits */
    FIRST_STEPS = 40, /* of a fit */
    MORE_STEPS = 8,
    LATE_STEPS = 3, /* when little is new */
};

/* Two meet when their strengths are not further apart than this and one standard deviation
 * of either: p (1 - p) is 0.20 there, 0.25 at best. */
#define CLOSE 1.0

/* The fit is renewed after as many duels more, times what the last ones told, but so many
 * at least.  Where most outcomes are foregone, whom to meet is found step by step. */
#define LEAST_MORE 0.25

struct active {
    int64_t opponents;
};

static const struct param params[] = {
    { "opponents", PARAM_INT, "100", "[2,inf)",
      "opponents of an item on average, half as many questions an item; a budget overrules "
      "it",
      offsetof(struct active, opponents) },
    { 0 }
};

struct season {
    struct asker *a;
    uint32_t n;
    uint32_t *item;     /* n: who stands at a place of the circle */
    uint32_t *distance; /* n / 2: of the rounds, in drawn order */
    size_t round;       /* the present one */
    uint32_t place;     /* of its next duel */
    size_t cap;         /* duels between two fits */
    peck_duel *duel;    /* cap */
    float *h;           /* cap */
    struct strengths strengths;
    double *reach;          /* n: i and j meet when |t_i - t_j| <= reach_i + reach_j */
    double *sorted;         /* n: strengths, falling */
    struct sort_item *room; /* 2 n */
};

/* Duels ------------------------------------------------------------------------------ */

/* The next duel that is worth it; false at the end of the season. */
static bool next_duel(struct season *s, peck_duel *out)
{
    for (; s->round < s->n / 2; s->round++, s->place = 0) {
        const uint32_t d = s->distance[s->round], n_duels = 2 * d == s->n ? d : s->n;

        while (s->place < n_duels) {
            const uint32_t p = s->place++, on = s->n - p > d ? p + d : p + d - s->n;
            const uint32_t i = s->item[p], j = s->item[on];
            const double apart = fabs(s->strengths.t[i] - s->strengths.t[j]);

            if (apart <= s->reach[i] + s->reach[j]) {
                *out = (peck_duel){ i, j };
                return true;
            }
        }
    }
    return false;
}

static size_t ask_part(struct season *s, uint64_t most)
{
    size_t n = 0;

    while (n < most && n < s->cap && next_duel(s, &s->duel[n]))
        n++;
    ask_all(s->a, s->duel, n, s->h);
    return n;
}

/* Who meets whom --------------------------------------------------------------------- */

static void sort_strengths(struct season *s)
{
    const double *const t = s->strengths.t;

    for (uint32_t i = 0; i < s->n; i++)
        s->room[i] = (struct sort_item){ key_desc(t[i]), i };
    sort_items(s->room, s->n, s->room + s->n);
    for (uint32_t k = 0; k < s->n; k++)
        s->sorted[k] = t[s->room[k].from];
}

/* Pairs whose strengths are not further apart than that. */
static double count_close(const struct season *s, double apart)
{
    double sum = 0.0;
    size_t end = 1;

    for (size_t i = 0; i < s->n; i++) {
        while (end < s->n && s->sorted[i] - s->sorted[end] <= apart)
            end++;
        sum += (double)(end - 1 - i);
    }
    return sum;
}

/* As close as is good, but far enough that the rest of the season holds `wanted` duels. */
static double choose_apart(struct season *s, uint64_t wanted)
{
    const double all = (double)s->n * (s->n - 1) / 2;
    const double left = (double)(s->n / 2 - s->round) * s->n;
    const double enough = all * fmin(1.0, 1.1 * (double)wanted / left);
    double low = CLOSE, high;

    sort_strengths(s);
    high = s->sorted[0] - s->sorted[s->n - 1];
    if (high <= low || count_close(s, low) >= enough)
        return low;
    for (int k = 0; k < 30; k++) {
        const double mid = (low + high) / 2;

        *(count_close(s, mid) < enough ? &low : &high) = mid;
    }
    return high;
}

static void set_reach(struct season *s, uint64_t wanted)
{
    const double half = choose_apart(s, wanted) / 2;

    for (uint32_t i = 0; i < s->n; i++)
        s->reach[i] = half + 1.0 / sqrt(s->strengths.precision[i]);
}

/* A season --------------------------------------------------------------------------- */

static void play(struct season *s, uint64_t budget)
{
    struct strengths *const t = &s->strengths;
    const uint64_t n = s->n, first = FIRST_ROUNDS * n;
    size_t m = ask_part(s, budget < first ? budget : first);

    strengths_fit(t, s->a, s->duel, s->h, m, FIRST_STEPS);
    for (uint64_t asked = m; asked < budget && m > 0 && !asker_failed(s->a); asked += m) {
        const uint64_t left = budget - asked;
        const uint64_t more = (uint64_t)((double)asked * fmax(LEAST_MORE, t->doubt));

        set_reach(s, left);
        m = ask_part(s, left < more + more / 2 ? left : more);
        strengths_fit(t, s->a, s->duel, s->h, m, 4 * m < asked ? LATE_STEPS : MORE_STEPS);
    }
}

static void draw(struct season *s, uint64_t seed)
{
    struct rng r;

    rng_seed(&r, seed, 0);
    for (uint32_t i = 0; i < s->n; i++) {
        s->item[i] = i;
        s->reach[i] = INFINITY;
    }
    for (uint32_t k = 0; k < s->n / 2; k++)
        s->distance[k] = k + 1;
    rng_shuffle(&r, s->item, s->n);
    rng_shuffle(&r, s->distance, s->n / 2);
}

static peck_status open_season(struct season *s, uint64_t budget, peck_error *err)
{
    const size_t n = s->n, most = n * MOST_ROUNDS;

    s->cap = budget < most ? (size_t)budget : most;
    s->item = mem_new(n, sizeof *s->item);
    s->distance = mem_new(n / 2, sizeof *s->distance);
    s->duel = mem_new(s->cap, sizeof *s->duel);
    s->h = mem_new(s->cap, sizeof *s->h);
    s->reach = mem_new(n, sizeof *s->reach);
    s->sorted = mem_new(n, sizeof *s->sorted);
    s->room = mem_new(2 * n, sizeof *s->room);
    if (s->item == NULL || s->distance == NULL || s->duel == NULL || s->h == NULL ||
        s->reach == NULL || s->sorted == NULL || s->room == NULL)
        return fail_memory(err, "a league", s->cap + 5 * n, sizeof *s->duel);
    return strengths_open(&s->strengths, s->n, err);
}

static void close_season(struct season *s)
{
    mem_free(s->item);
    mem_free(s->distance);
    mem_free(s->duel);
    mem_free(s->h);
    mem_free(s->reach);
    mem_free(s->sorted);
    mem_free(s->room);
    strengths_close(&s->strengths);
}

static peck_status decode(struct asker *a, uint64_t budget, struct decoding *out,
                          peck_error *err)
{
    struct season s = { .a = a, .n = a->oracle->n };
    const peck_status st = open_season(&s, budget, err);

    if (st == PECK_OK) {
        draw(&s, a->seed);
        play(&s, budget);
        memcpy(out->score, s.strengths.t, s.n * sizeof *out->score);
    }
    close_season(&s);
    return st;
}

/* Where all pairs can be asked, their degrees are the strengths' order already. */
static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const uint32_t n = a->oracle->n;
    const uint64_t half = ((uint64_t)((const struct active *)config)->opponents + 1) / 2;
    const uint64_t budget = asker_budget(a, n * half);

    if (budget >= (uint64_t)n * (n - 1) / 2)
        return league_decode(a, SIZE_MAX, false, out, err);
    TRY(decode(a, budget > n ? budget : n, out, err));
    return decoding_from_score(out, n, err);
}

const struct decoder decoder_active = {
    .plug.about = { "active", "a league without foregone duels, by fitted strengths",
                    "Each item meets a few drawn opponents; strengths are fitted to the "
                    "answers, and from then on only items of similar strength meet, while "
                    "the fit is renewed. Sorts by strength, which is a log-odds. Spends a "
                    "budget where it tells most: the best choice for a noisy oracle." },
    .plug.params = params,
    .config_size = sizeof(struct active),
    .run = run,
};
