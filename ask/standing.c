/* standing.c -- where a poll stands: the order, how sure it is, who agrees, its levels. */
#include "poll_state.h"

#include "../src/base/alloc.h"

#include <math.h>
#include <stdlib.h>

void poll_standing_free(struct poll_standing *standing)
{
    mem_free(standing->place);
    mem_free(standing->surprising);
    mem_free(standing->circle);
    *standing = (struct poll_standing){ 0 };
}

/* Positions become ids; with the lock held. */
static void copy_places(const struct poll *p, const struct poll_board *b,
                        struct poll_standing *out)
{
    for (size_t i = 0; i < b->n_places; i++) {
        out->place[i] = b->place[i];
        out->place[i].item = p->item[b->place[i].item].it.id;
    }
    out->n = b->n_places;
    for (size_t i = 0; i < b->n_odd; i++) {
        const int64_t at = record_at(p, b->odd[i].answer);

        if (at < 0 || p->record[at].is_deleted)
            continue;
        out->surprising[out->n_surprising] = p->record[at].a;
        out->surprising[out->n_surprising++].surprise = b->odd[i].surprise;
    }
    for (size_t i = 0; i < b->n_circles; i++)
        for (size_t k = 0; k < 3; k++)
            out->circle[i][k] = p->item[b->circle[i][k]].it.id;
    out->n_circles = b->n_circles;
}

/* Questions are shared by the voters who are at it: this one, and who has answered and not
 * finished. */
static double share_of_work(const struct poll *p, uint32_t voter)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_persons; i++) {
        const struct poll_voter *const v = &p->person[i].info;

        n += v->id == voter || (v->n_answers > 0 && !v->has_finished);
    }
    return n > 0 ? 1 / (double)n : 1;
}

peck_status poll_standing(struct poll *p, uint32_t voter, struct poll_standing *out,
                          peck_error *err)
{
    struct poll_board *b = NULL, *all = NULL;

    *out = (struct poll_standing){ 0 };
    TRY(board_of(p, voter, &b, err));
    peck_status st = board_of(p, 0, &all, err);

    if (st == PECK_OK) {
        out->place = mem_new(b->n_places, sizeof *out->place);
        out->surprising = mem_new(3, sizeof *out->surprising);
        out->circle = mem_new(3, sizeof *out->circle);
        if (out->place == NULL || out->surprising == NULL || out->circle == NULL)
            st = fail_memory(err, "places", b->n_places, sizeof *out->place);
    }
    if (st == PECK_OK) {
        pthread_mutex_lock(&p->lock);
        const int64_t at = voter != 0 ? person_at(p, voter) : -1;

        copy_places(p, b, out);
        for (size_t i = 0; i < p->n_persons; i++)
            if (at < 0 || (size_t)at == i)
                out->n_asked += p->person[i].info.n_answers;
        out->has_finished = at >= 0 && p->person[at].info.has_finished;
        out->revision = b->revision;
        out->n_answers = b->n_ballots;
        out->n_against = b->n_against;
        out->goal = p->goal;
        out->is_enough = all->is_enough;
        out->left = all->is_enough
                        ? 0
                        : ceil(all->left * (voter != 0 ? share_of_work(p, voter) : 1));
        out->first = b->first;
        out->top = b->top;
        out->all = b->all;
        const double asked = (double)out->n_asked;

        out->share = out->is_enough          ? 1
                     : asked + out->left > 0 ? asked / (asked + out->left)
                                             : 0;
        pthread_mutex_unlock(&p->lock);
    } else {
        poll_standing_free(out);
    }
    board_give_back(p, b);
    board_give_back(p, all);
    return st;
}

/* Several people --------------------------------------------------------------------------------- */

void poll_agreement_free(struct poll_agreement *agreement)
{
    mem_free(agreement->voter);
    mem_free(agreement->split);
    *agreement = (struct poll_agreement){ 0 };
}

/* What one voter says of a pair: above 0 for its item of the lower position. */
struct opinion {
    uint64_t pair;
    uint32_t voter;
    int net;
};

static int by_pair_and_voter(const void *a, const void *b)
{
    const struct opinion *const x = a, *const y = b;

    return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1)
                              : (x->voter > y->voter) - (x->voter < y->voter);
}

static int by_split(const void *a, const void *b)
{
    const struct poll_split *const x = a, *const y = b;
    const size_t least_x = x->for_a < x->for_b ? x->for_a : x->for_b;
    const size_t least_y = y->for_a < y->for_b ? y->for_a : y->for_b;
    const size_t all_x = x->for_a + x->for_b, all_y = y->for_a + y->for_b;

    if (least_x != least_y)
        return least_x > least_y ? -1 : 1;
    if (all_x != all_y)
        return all_x < all_y ? -1 : 1;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

/* One opinion a voter and pair; returns how many. */
static size_t gather_opinions(const struct poll *p, struct opinion *to)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < p->n_records; i++) {
        const struct record *const r = &p->record[i];
        const bool is_first = r->left < r->right;

        if (r->is_deleted || (r->a.outcome != POLL_LEFT && r->a.outcome != POLL_RIGHT))
            continue;
        to[n++] = (struct opinion){ pair_key(r->left, r->right), r->voter,
                                    (r->a.outcome == POLL_LEFT) == is_first ? 1 : -1 };
    }
    if (n > 0)
        qsort(to, n, sizeof *to, by_pair_and_voter);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && by_pair_and_voter(&to[kept - 1], &to[i]) == 0)
            to[kept - 1].net += to[i].net;
        else
            to[kept++] = to[i];
    }
    return kept;
}

enum { MAX_SPLITS = 10 };

/* Pairs with voters on both sides, into out->split, which has room for all pairs. */
static void find_splits(const struct poll *p, const struct poll_board *b,
                        const struct opinion *o, size_t n, struct poll_agreement *out)
{
    for (size_t i = 0, end; i < n; i = end) {
        const uint32_t low = (uint32_t)(o[i].pair >> 32), high = (uint32_t)o[i].pair;
        const uint32_t low_slot = board_slot(b, low), high_slot = board_slot(b, high);
        size_t for_low = 0, for_high = 0;

        for (end = i; end < n && o[end].pair == o[i].pair; end++) {
            for_low += o[end].net > 0;
            for_high += o[end].net < 0;
        }
        if (for_low == 0 || for_high == 0 || low_slot == UINT32_MAX ||
            high_slot == UINT32_MAX)
            continue;
        const bool is_low_above = b->mean[low_slot] >= b->mean[high_slot];

        out->split[out->n_splits++] =
            (struct poll_split){ p->item[is_low_above ? low : high].it.id,
                                 p->item[is_low_above ? high : low].it.id,
                                 is_low_above ? for_low : for_high,
                                 is_low_above ? for_high : for_low };
    }
    if (out->n_splits > 0)
        qsort(out->split, out->n_splits, sizeof *out->split, by_split);
    if (out->n_splits > MAX_SPLITS)
        out->n_splits = MAX_SPLITS;
}

peck_status poll_agreement(struct poll *p, struct poll_agreement *out, peck_error *err)
{
    struct poll_board *b = NULL;
    double agrees = 0;
    size_t n_answers = 0;
    peck_status st = PECK_OK;

    *out = (struct poll_agreement){ 0 };
    TRY(board_of(p, 0, &b, err));
    pthread_mutex_lock(&p->lock);
    struct opinion *const opinion = mem_new(p->n_records, sizeof *opinion);

    out->voter = mem_new(p->n_persons, sizeof *out->voter);
    out->split = mem_new(p->n_records, sizeof *out->split);
    if (opinion == NULL || out->voter == NULL || out->split == NULL)
        st = fail_memory(err, "answers", p->n_records, sizeof *opinion);
    for (size_t i = 0; st == PECK_OK && i < b->n_voters; i++) {
        if (p->person[i].info.n_answers == 0)
            continue;
        out->voter[out->n_voters++] = (struct poll_agree){
            .voter = p->person[i].info.id,
            .n_answers = b->n_by[i],
            .share = b->n_by[i] > 0 ? b->agrees[i] / (double)b->n_by[i] : NAN,
            .weight = b->weight[i],
        };
        agrees += b->agrees[i];
        n_answers += b->n_by[i];
    }
    if (st == PECK_OK)
        find_splits(p, b, opinion, gather_opinions(p, opinion), out);
    out->mean = n_answers > 0 ? agrees / (double)n_answers : NAN;
    pthread_mutex_unlock(&p->lock);
    mem_free(opinion);
    if (st != PECK_OK)
        poll_agreement_free(out);
    board_give_back(p, b);
    return st;
}

/* Levels ------------------------------------------------------------------------------------------ */

enum { LETTERS = 7, USUAL_LEVELS = 5 };

/* As many as there are gaps that stand out, and one more. */
static size_t count_levels(const double *gap, size_t n, unsigned char *is_peak)
{
    size_t n_levels = 1;

    peck_peaks(gap, n, is_peak);
    for (size_t i = 0; i + 1 < n; i++)
        n_levels += is_peak[i] != 0;
    return n_levels > USUAL_LEVELS ? USUAL_LEVELS
           : n_levels < 2          ? (n > 1 ? 2 : 1)
                                   : n_levels;
}

size_t poll_levels(const struct poll_standing *s, size_t n_levels, uint32_t *level)
{
    struct arena room = { 0 };
    double *const gap = arena_new(&room, "gaps", s->n + 1, sizeof *gap);
    unsigned char *const is_peak = arena_new(&room, "gaps", s->n + 1, 1);
    uint32_t *const class_at = arena_new(&room, "levels", s->n + 1, sizeof *class_at);
    size_t n = 0;

    for (size_t i = 0; class_at != NULL && i + 1 < s->n; i++)
        gap[i] = s->place[i].score - s->place[i + 1].score;
    if (class_at != NULL && s->n > 0) {
        if (n_levels == 0)
            n_levels = count_levels(gap, s->n, is_peak);
        n_levels = n_levels > POLL_MAX_LEVELS ? POLL_MAX_LEVELS : n_levels;
        if (peck_classes(gap, s->n, n_levels, class_at, NULL) == PECK_OK)
            for (size_t i = 0; i < s->n; i++) {
                level[i] = class_at[i] - 1;
                n = level[i] + 1 > n ? level[i] + 1 : n;
            }
    }
    arena_free(&room);
    return n;
}

const char *poll_level_name(size_t i, size_t n)
{
    static const char *const letter[LETTERS] = { "S", "A", "B", "C", "D", "E", "F" };
    static const char *const number[POLL_MAX_LEVELS] = { "1", "2", "3", "4", "5",
                                                         "6", "7", "8", "9", "10" };

    if (i >= n || n > POLL_MAX_LEVELS)
        return "";
    return n <= LETTERS ? letter[i] : number[n - i - 1];
}
