/* board.c -- see board.h.
 *
 * Strengths are those of peck_strengths_fit.  Several voters: P(i before j) of voter v is
 * s(n_v (x_i - x_j)), s being the logistic function, n_v how well they follow the shared
 * order (1: as the others, 0: at random; crowd-BT, Chen et al. 2013, has a probability to
 * the same end).  n_v is found from a first fit, and answers count by it in the second.  */
#include "board.h"

#include "../src/base/alloc.h"
#include "../src/base/maths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    VOTERS_TO_WEIGH = 3,   /* fewer cannot outvote anybody */
    ANSWERS_TO_WEIGH = 10, /* of each of them */
    NEWTON_STEPS = 20
};
#define TOLD_APART .95
#define LEAST_WEIGHT .1
#define NOISE_PRIOR .5 /* deviation of log n_v */

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + math_exp(-x)) : 1 - 1 / (1 + math_exp(x));
}

/* A tie is as likely as the two are near, and surprises nobody where they are equal. */
double board_surprise(double left, double right, enum poll_outcome outcome)
{
    const double p = logistic(left - right);

    return outcome == POLL_LEFT ? 1 - p : outcome == POLL_RIGHT ? p : 1 - 4 * p * (1 - p);
}

uint32_t board_slot(const struct poll_board *b, uint32_t item)
{
    size_t low = 0, high = b->n_slots;

    while (low < high) {
        const size_t mid = (low + high) / 2;

        if (b->item[mid] < item)
            low = mid + 1;
        else
            high = mid;
    }
    return low < b->n_slots && b->item[low] == item ? (uint32_t)low : UINT32_MAX;
}

void board_free(struct poll_board *b)
{
    if (b == NULL)
        return;
    peck_strengths_free(b->strengths);
    mem_free(b->item);
    mem_free(b->mean);
    mem_free(b->sd);
    mem_free(b->place);
    mem_free(b->place_slot);
    mem_free(b->weight);
    mem_free(b->agrees);
    mem_free(b->n_by);
    mem_free(b->pair);
    mem_free(b->handed);
    mem_free(b);
}

/* The fit ------------------------------------------------------------------------------------ */

static peck_status fit_ballots(struct poll_board *b, const struct board_in *in,
                               peck_error *err)
{
    const peck_strengths_spec spec = { .size = sizeof spec,
                                       .prior_mean = in->prior,
                                       .threads = in->threads };
    peck_pref *const pref = mem_new(in->n_ballots, sizeof *pref);

    if (pref == NULL)
        return fail_memory(err, "answers", in->n_ballots, sizeof *pref);
    for (size_t i = 0; i < in->n_ballots; i++) {
        const struct ballot *const v = &in->ballot[i];
        const bool is_right = v->outcome == POLL_RIGHT;

        pref[i] = (peck_pref){
            .winner = is_right ? v->right : v->left,
            .loser = is_right ? v->left : v->right,
            .probability = v->outcome == POLL_TIE ? .5F : 1,
            .weight = (float)(b->weight[v->voter] * v->strength),
        };
    }
    peck_strengths_free(b->strengths);
    b->strengths = NULL;
    const peck_status st =
        peck_strengths_fit(&b->strengths, pref, in->n_ballots, in->n_slots, &spec, err);

    mem_free(pref);
    if (st == PECK_OK)
        peck_strengths_read(b->strengths, b->mean, b->sd);
    return st;
}

/* n_v that makes these answers of voter v likeliest, the strengths being given: Newton on
 * log n. */
static double find_noise(const struct poll_board *b, const struct board_in *in,
                         const uint32_t *mine, size_t n_mine)
{
    double log_n = 0;

    for (int step = 0; step < NEWTON_STEPS; step++) {
        const double n = math_exp(log_n);
        double slope = -log_n / (NOISE_PRIOR * NOISE_PRIOR);
        double bend = 1 / (NOISE_PRIOR * NOISE_PRIOR);

        for (size_t i = 0; i < n_mine; i++) {
            const struct ballot *const v = &in->ballot[mine[i]];
            const double ahead =
                (v->outcome == POLL_LEFT ? 1 : -1) * (b->mean[v->left] - b->mean[v->right]);
            const double miss = 1 - logistic(n * ahead);

            if (v->outcome == POLL_TIE)
                continue;
            slope += n * ahead * miss;
            bend += n * n * ahead * ahead * miss * (1 - miss);
        }
        const double move = slope / bend;

        log_n += move > 1 ? 1 : move < -1 ? -1 : move;
        if (fabs(move) < 1e-6)
            break;
    }
    return math_exp(log_n);
}

/* Answers count by how well their voter follows the order; *has_changed: some do. */
static peck_status weigh_voters(struct poll_board *b, const struct board_in *in,
                                bool *has_changed, peck_error *err)
{
    size_t n_known = 0, at = 0;

    *has_changed = false;
    for (size_t v = 0; v < in->n_voters; v++)
        n_known += b->n_by[v] >= ANSWERS_TO_WEIGH;
    if (n_known < VOTERS_TO_WEIGH)
        return PECK_OK;
    struct arena room = { 0 };
    size_t *const start = arena_new(&room, "voters", in->n_voters, sizeof *start);
    uint32_t *const by_voter = arena_new(&room, "answers", in->n_ballots, sizeof *by_voter);
    const peck_status st = arena_check(&room, err);

    for (size_t v = 0; st == PECK_OK && v < in->n_voters; v++) {
        start[v] = at;
        at += b->n_by[v];
    }
    for (size_t i = 0; st == PECK_OK && i < in->n_ballots; i++)
        by_voter[start[in->ballot[i].voter]++] = (uint32_t)i;
    for (size_t v = 0; st == PECK_OK && v < in->n_voters; v++) {
        if (b->n_by[v] < ANSWERS_TO_WEIGH)
            continue;
        const double noise =
            find_noise(b, in, by_voter + start[v] - b->n_by[v], b->n_by[v]);

        b->weight[v] *= noise > 1 ? 1 : noise < LEAST_WEIGHT ? LEAST_WEIGHT : noise;
    }
    *has_changed = st == PECK_OK;
    arena_free(&room);
    return st;
}

/* The order ------------------------------------------------------------------------------------ */

static double above(const struct poll_board *b, size_t i, size_t j)
{
    return i == j ? .5 : peck_strengths_above(b->strengths, i, j);
}

/* Places by falling mean, equal ones by item; a rank is shared by those that cannot be told
 * apart from its first. */
static peck_status rank_places(struct poll_board *b, const struct board_in *in,
                               peck_error *err)
{
    size_t n_slots = in->n_slots;

    while (n_slots > 0 && in->item[n_slots - 1] == UINT32_MAX)
        n_slots--;
    const size_t n = n_slots + in->n_rest;
    double *const score = mem_new(n, sizeof *score);
    uint32_t *const order = mem_new(n, sizeof *order);
    peck_status st = PECK_OK;

    b->place = mem_new(n, sizeof *b->place);
    b->place_slot = mem_new(n, sizeof *b->place_slot);
    if (score == NULL || order == NULL || b->place == NULL || b->place_slot == NULL)
        st = fail_memory(err, "places", n, sizeof *b->place);
    for (size_t i = 0; st == PECK_OK && i < n; i++)
        score[i] = b->mean[i < n_slots ? i : n_slots];
    if (st == PECK_OK)
        st = peck_order(score, n, order, err);
    for (size_t i = 0, lead = 0; st == PECK_OK && i < n; i++) {
        const size_t at = order[i], slot = at < n_slots ? at : n_slots;

        b->place_slot[i] = (uint32_t)slot;
        if (above(b, b->place_slot[lead], slot) >= TOLD_APART)
            lead = i;
        b->place[i] = (struct poll_place){ .item = at < n_slots ? b->item[at]
                                                                : in->rest[at - n_slots],
                                           .rank = (uint32_t)lead + 1,
                                           .score = b->mean[slot],
                                           .sd = b->sd[slot] };
    }
    b->n_places = st == PECK_OK ? n : 0;
    mem_free(score);
    mem_free(order);
    return st;
}

static void count_ballots(struct poll_board *b, const struct board_in *in,
                          const uint32_t *place_of)
{
    for (size_t i = 0; i < in->n_ballots; i++) {
        const struct ballot *const v = &in->ballot[i];
        struct poll_place *const left = &b->place[place_of[v->left]];
        struct poll_place *const right = &b->place[place_of[v->right]];

        left->n_answers++;
        right->n_answers++;
        left->wins += v->outcome == POLL_LEFT;
        right->losses += v->outcome == POLL_LEFT;
        right->wins += v->outcome == POLL_RIGHT;
        left->losses += v->outcome == POLL_RIGHT;
        left->ties += v->outcome == POLL_TIE;
        right->ties += v->outcome == POLL_TIE;
        if (v->outcome == POLL_TIE)
            b->agrees[v->voter] += .5;
        else
            b->agrees[v->voter] += (left < right) == (v->outcome == POLL_LEFT);
        b->n_against +=
            v->outcome != POLL_TIE && (left < right) != (v->outcome == POLL_LEFT);
        const double surprise =
            board_surprise(b->mean[v->left], b->mean[v->right], v->outcome);
        size_t at = b->n_odd;

        if (surprise <= .5 || (at == 3 && surprise <= b->odd[2].surprise))
            continue;
        at = at == 3 ? 2 : at;
        for (; at > 0 && b->odd[at - 1].surprise < surprise; at--)
            b->odd[at] = b->odd[at - 1];
        b->odd[at].answer = v->answer;
        b->odd[at].surprise = surprise;
        b->n_odd += b->n_odd < 3;
    }
    for (size_t i = 0; i < b->n_places; i++)
        b->place[i].is_guess = b->place[i].n_answers == 0;
}

/* Circles -------------------------------------------------------------------------------------- */

/* winner beat loser more often than the other way round. */
struct beat {
    uint32_t winner, loser;
    int net;
};

static int by_pair(const void *a, const void *b)
{
    const struct beat *const x = a, *const y = b;

    return x->winner != y->winner ? (x->winner < y->winner ? -1 : 1)
                                  : (x->loser > y->loser) - (x->loser < y->loser);
}

/* The first beat of winner over loser or what follows. */
static size_t find_beat(const struct beat *beat, size_t n, uint32_t winner, uint32_t loser)
{
    const struct beat key = { winner, loser, 0 };
    size_t low = 0, high = n;

    while (low < high) {
        const size_t mid = (low + high) / 2;

        if (by_pair(&beat[mid], &key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Both ways of every pair that was compared, wins less losses; sorted. */
static size_t net_beats(struct beat *beat, const struct board_in *in)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < in->n_ballots; i++) {
        const struct ballot *const v = &in->ballot[i];
        const int way = v->outcome == POLL_LEFT ? 1 : v->outcome == POLL_RIGHT ? -1 : 0;

        beat[n++] = (struct beat){ v->left, v->right, way };
        beat[n++] = (struct beat){ v->right, v->left, -way };
    }
    if (n > 0)
        qsort(beat, n, sizeof *beat, by_pair);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && by_pair(&beat[kept - 1], &beat[i]) == 0)
            beat[kept - 1].net += beat[i].net;
        else
            beat[kept++] = beat[i];
    }
    return kept;
}

static bool has_circle(const struct poll_board *b, const uint32_t a[3])
{
    for (size_t i = 0; i < b->n_circles; i++)
        for (size_t turn = 0; turn < 3; turn++)
            if (b->circle[i][0] == a[turn] && b->circle[i][1] == a[(turn + 1) % 3] &&
                b->circle[i][2] == a[(turn + 2) % 3])
                return true;
    return false;
}

/* Of the answers that the strengths do not bear out, the newest first: is there an item that lost
 * to the loser and beat the winner?  Strengths cannot fall all the way round, so that one answer
 * of every circle is such, be it of equals. */
static peck_status find_circles(struct poll_board *b, const struct board_in *in,
                                peck_error *err)
{
    struct beat *const beat = mem_new(2 * in->n_ballots, sizeof *beat);

    if (beat == NULL)
        return fail_memory(err, "answers", 2 * in->n_ballots, sizeof *beat);
    const size_t n = net_beats(beat, in);

    for (size_t i = in->n_ballots; i-- > 0 && b->n_circles < 3;) {
        const struct ballot *const v = &in->ballot[i];
        const bool is_left = v->outcome == POLL_LEFT;
        const uint32_t winner = is_left ? v->left : v->right;
        const uint32_t loser = is_left ? v->right : v->left;

        if (v->outcome == POLL_TIE || b->mean[winner] > b->mean[loser] ||
            beat[find_beat(beat, n, winner, loser)].net <= 0)
            continue;
        for (size_t k = find_beat(beat, n, loser, 0); k < n && beat[k].winner == loser;
             k++) {
            const size_t back = find_beat(beat, n, beat[k].loser, winner);

            if (beat[k].net <= 0 || back == n || beat[back].winner != beat[k].loser ||
                beat[back].loser != winner || beat[back].net <= 0)
                continue;
            const uint32_t found[3] = { b->item[winner], b->item[loser],
                                        b->item[beat[k].loser] };

            if (!has_circle(b, found))
                memcpy(b->circle[b->n_circles++], found, sizeof found);
            break;
        }
    }
    mem_free(beat);
    return PECK_OK;
}

/* ---------------------------------------------------------------------------------------------- */

/* Sureness of the first one, the first five, all; items that nobody compared may be anywhere,
 * so of pairs with them half are wrong. */
static peck_status find_sureness(struct poll_board *b, const struct board_in *in,
                                 peck_error *err)
{
    const double n = (double)b->n_places, seen = n - (double)in->n_rest;
    const double part = n > 1 ? seen * (seen - 1) / (n * (n - 1)) : 1;
    peck_question_spec spec = { .size = sizeof spec, .top = 5, .seed = in->seed };
    peck_sureness five, goal;

    if (in->n_slots < 2) {
        b->first = b->top = b->all = in->n_rest > 0 ? 0 : 1;
        b->is_enough = in->n_rest == 0;
        return PECK_OK;
    }
    spec.top = b->n_places < 5 ? b->n_places : 5;
    TRY(peck_strengths_sureness(b->strengths, &spec, &five, err));
    spec.top = in->goal < b->n_places ? in->goal : b->n_places;
    TRY(peck_strengths_sureness(b->strengths, &spec, &goal, err));
    b->first = five.first * seen / n;
    b->top = five.top * (in->n_rest > 0 ? seen / n : 1);
    b->all = five.pairs * part + .5 * (1 - part);
    b->left = goal.questions_left;
    b->is_enough = goal.is_enough && in->n_rest == 0;
    return PECK_OK;
}

static peck_status find_pairs(struct poll_board *b, const struct board_in *in,
                              peck_error *err)
{
    const peck_question_spec spec = { .size = sizeof spec,
                                      .top = in->goal,
                                      .recent = in->recent,
                                      .n_recent = in->n_recent,
                                      .seed = in->seed };

    b->pair = mem_new(in->n_pairs, sizeof *b->pair);
    b->handed = mem_new(in->n_pairs, sizeof *b->handed);
    if (b->pair == NULL || b->handed == NULL)
        return fail_memory(err, "questions", in->n_pairs, sizeof *b->pair);
    if (in->n_pairs == 0 || in->n_slots < 2)
        return PECK_OK;
    b->n_pairs = in->n_pairs;
    return peck_strengths_next(b->strengths, &spec, b->pair, NULL, &b->n_pairs, err);
}

peck_status board_make(struct poll_board **out, const struct board_in *in, peck_error *err)
{
    struct poll_board *const b = mem_new(1, sizeof *b);
    uint32_t *const place_of = mem_new(in->n_slots, sizeof *place_of);
    peck_status st = PECK_OK;
    bool is_weighed = false;

    *out = NULL;
    if (b != NULL) {
        b->n_users = 1;
        b->n_slots = in->n_slots;
        b->n_voters = in->n_voters;
        b->n_ballots = in->n_ballots;
        b->item = mem_new(in->n_slots, sizeof *b->item);
        b->mean = mem_new(in->n_slots, sizeof *b->mean);
        b->sd = mem_new(in->n_slots, sizeof *b->sd);
        b->weight = mem_new(in->n_voters, sizeof *b->weight);
        b->agrees = mem_new(in->n_voters, sizeof *b->agrees);
        b->n_by = mem_new(in->n_voters, sizeof *b->n_by);
    }
    if (b == NULL || place_of == NULL || b->item == NULL || b->mean == NULL ||
        b->sd == NULL || b->weight == NULL || b->agrees == NULL || b->n_by == NULL)
        st = fail_memory(err, "items", in->n_slots, sizeof *b);
    if (st == PECK_OK) {
        memcpy(b->item, in->item, in->n_slots * sizeof *b->item);
        memcpy(b->weight, in->voter_weight, in->n_voters * sizeof *b->weight);
        for (size_t i = 0; i < in->n_ballots; i++)
            b->n_by[in->ballot[i].voter]++;
        if (in->n_slots > 0)
            st = fit_ballots(b, in, err);
    }
    if (st == PECK_OK)
        st = weigh_voters(b, in, &is_weighed, err);
    if (st == PECK_OK && is_weighed)
        st = fit_ballots(b, in, err);
    if (st == PECK_OK)
        st = rank_places(b, in, err);
    if (st == PECK_OK) {
        for (size_t i = 0; i < b->n_places; i++)
            place_of[b->place_slot[i]] = (uint32_t)i;
        count_ballots(b, in, place_of);
        st = find_circles(b, in, err);
    }
    if (st == PECK_OK)
        st = find_sureness(b, in, err);
    if (st == PECK_OK)
        st = find_pairs(b, in, err);
    mem_free(place_of);
    if (st == PECK_OK)
        *out = b;
    else
        board_free(b);
    return st;
}
