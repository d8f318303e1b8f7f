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
#include "../base/maths.h"
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

/* Asks the next duels that are worth it, `most` of them at most; returns how many, 0 at the
 * end of the season. */
static size_t ask_next_duels(struct season *s, uint64_t most)
{
    const size_t limit = most < s->cap ? (size_t)most : s->cap;
    size_t n = 0;

    for (; s->round < s->n / 2; s->round++, s->place = 0) {
        const uint32_t d = s->distance[s->round], n_duels = 2 * d == s->n ? d : s->n;

        while (s->place < n_duels && n < limit) {
            const uint32_t p = s->place++, on = s->n - p > d ? p + d : p + d - s->n;
            const uint32_t i = s->item[p], j = s->item[on];
            const double apart = fabs(s->strengths.t[i] - s->strengths.t[j]);

            if (apart <= s->reach[i] + s->reach[j])
                s->duel[n++] = (peck_duel){ i, j };
        }
        if (n == limit)
            break;
    }
    ask_all(s->a, s->duel, n, s->h);
    return n;
}

/* Pairs whose strengths are not further apart than that.
 * sorted[] falls, so both ends of the window only move on: O(n). */
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

/* Who meets whom from now on: as close as is good, but far enough that the rest of the season
 * holds `wanted` duels. */
static void set_reach(struct season *s, uint64_t wanted)
{
    const double *const t = s->strengths.t;
    const double all = (double)s->n * (s->n - 1) / 2;
    const double left = (double)(s->n / 2 - s->round) * s->n;
    /* `left` duels are still to come; where a share of all pairs is close, that share of
     * them is played.  A tenth more than wanted, as the draw may fall short. */
    const double enough = all * math_min(1.0, 1.1 * (double)wanted / left);
    double apart = CLOSE;

    for (uint32_t i = 0; i < s->n; i++)
        s->room[i] = (struct sort_item){ key_desc(t[i]), i };
    sort_items(s->room, s->n, s->room + s->n);
    for (uint32_t k = 0; k < s->n; k++)
        s->sorted[k] = t[s->room[k].from];
    const double widest = s->sorted[0] - s->sorted[s->n - 1];

    if (widest > CLOSE && count_close(s, CLOSE) < enough) {
        /* By halving: the wider the distance, the more pairs are close. */
        double low = CLOSE;

        apart = widest;
        for (int k = 0; k < 30; k++) {
            const double mid = (low + apart) / 2;

            *(count_close(s, mid) < enough ? &low : &apart) = mid;
        }
    }
    for (uint32_t i = 0; i < s->n; i++)
        s->reach[i] = apart / 2 + 1.0 / sqrt(s->strengths.precision[i]);
}

/* Draws the season and plays it. */
static void play_season(struct season *s, uint64_t budget)
{
    struct strengths *const t = &s->strengths;
    const uint64_t first = FIRST_ROUNDS * (uint64_t)s->n;
    struct rng r;

    rng_seed(&r, s->a->seed, 0);
    for (uint32_t i = 0; i < s->n; i++) {
        s->item[i] = i;
        s->reach[i] = INFINITY;
    }
    for (uint32_t k = 0; k < s->n / 2; k++)
        s->distance[k] = k + 1;
    rng_shuffle(&r, s->item, s->n);
    rng_shuffle(&r, s->distance, s->n / 2);

    size_t m = ask_next_duels(s, budget < first ? budget : first);

    strengths_fit(t, s->a, s->duel, s->h, m, FIRST_STEPS);
    for (uint64_t asked = m; asked < budget && m > 0 && !asker_failed(s->a); asked += m) {
        const uint64_t left = budget - asked;
        const uint64_t more = (uint64_t)((double)asked * math_max(LEAST_MORE, t->doubt));

        set_reach(s, left);
        m = ask_next_duels(s, left < more + more / 2 ? left : more);
        strengths_fit(t, s->a, s->duel, s->h, m, 4 * m < asked ? LATE_STEPS : MORE_STEPS);
    }
}

/* Where all pairs can be asked, their degrees are the strengths' order already. */
static peck_status active_run(struct asker *a, const void *config, struct decoding *out,
                              peck_error *err)
{
    static const char what[] = "a league";
    const size_t n = a->oracle->n, most = n * MOST_ROUNDS;
    const uint64_t half = ((uint64_t)((const struct active *)config)->opponents + 1) / 2;
    const uint64_t paid = asker_budget(a, n * half), budget = paid > n ? paid : n;
    const size_t cap = budget < most ? (size_t)budget : most;
    struct arena arena = { 0 };

    if (paid >= (uint64_t)n * (n - 1) / 2)
        return league_decode(a, SIZE_MAX, false, out, err);
    struct season s = {
        .a = a,
        .n = a->oracle->n,
        .item = arena_new(&arena, what, n, sizeof *s.item),
        .distance = arena_new(&arena, what, n / 2, sizeof *s.distance),
        .cap = cap,
        .duel = arena_new(&arena, what, cap, sizeof *s.duel),
        .h = arena_new(&arena, what, cap, sizeof *s.h),
        .reach = arena_new(&arena, what, n, sizeof *s.reach),
        .sorted = arena_new(&arena, what, n, sizeof *s.sorted),
        .room = arena_new(&arena, what, 2 * n, sizeof *s.room),
    };
    strengths_take(&s.strengths, s.n, &arena);
    const peck_status st = arena_check(&arena, err);

    if (st == PECK_OK) {
        play_season(&s, budget);
        memcpy(out->score, s.strengths.t, n * sizeof *out->score);
    }
    arena_free(&arena);
    return st == PECK_OK ? decoding_from_score(out, s.n, err) : st;
}

const struct decoder decoder_active = {
    .plug.about = { "active",
                    "comparisons of items of similar strength, by fitted "
                    "strengths",
                    "Each item meets a few drawn opponents; strengths are fitted to the "
                    "answers, and from then on only items of similar strength meet, while "
                    "the fit is renewed. Sorts by strength, which is a log-odds. Spends a "
                    "budget where it tells most: the best choice for a noisy oracle." },
    .plug.params = params,
    .config_size = sizeof(struct active),
    .run = active_run,
};
