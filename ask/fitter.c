/* fitter.c -- the thread that keeps the order of all up to date, and boards of single voters.
 *
 * A fit takes milliseconds for some hundred items and longer for more, so no answer waits for
 * one: the thread takes a copy of the answers, fits, and puts the board in the place of the
 * old one.  With several voters it rests twice as long as it worked, so that answers have the
 * processor.                                                                            */
#include "poll_state.h"

#include "../src/base/alloc.h"

#include <errno.h>
#include <math.h>
#include <time.h>

enum { STANDINS = 2, PAIRS_ONE = 48, PAIRS_MANY = 8, PAIRS_MAX = 1024 };

/* What a board is made of, copied from the poll. */
struct snapshot {
    struct board_in in;
    uint32_t *item, *rest, *slot_of; /* slot_of: by item */
    const char **name;               /* of slots, where there are features to look up */
    double *prior, *voter_weight;
    struct ballot *ballot;
    peck_duel recent[N_RECENT + 2];
    uint64_t data, changes;
    struct arena room;
};

/* Old ratings, with mean 0 and deviation 1 where there are some. */
static void fill_prior(struct snapshot *s, const struct poll *p)
{
    double sum = 0, squares = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->in.n_slots; i++) {
        const double rating = p->item[s->item[i]].it.rating;

        if (!isnan(rating)) {
            sum += rating;
            squares += rating * rating;
            n++;
        }
    }
    const double mean = n > 0 ? sum / (double)n : 0;
    const double spread = n > 0 ? sqrt(squares / (double)n - mean * mean) : 0;

    for (size_t i = 0; i < s->in.n_slots; i++) {
        const double rating = p->item[s->item[i]].it.rating;

        s->prior[i] = !isnan(rating) && spread > 0 ? (rating - mean) / spread : 0;
    }
    s->in.prior = spread > 0 ? s->prior : NULL;
}

/* Slots of the items in play; of one voter's those that they compared, and two more that
 * stand for the others (of one alone the deviation from the mean would be none). */
static void choose_slots(struct snapshot *s, const struct poll *p, int64_t voter)
{
    for (size_t i = 0; i < p->n_items; i++)
        s->slot_of[i] = voter < 0 ? 0 : UINT32_MAX;
    for (size_t i = 0; voter >= 0 && i < p->person[voter].n_pairs; i++) {
        s->slot_of[p->person[voter].pair[i] >> 32] = 0;
        s->slot_of[p->person[voter].pair[i] & UINT32_MAX] = 0;
    }
    for (size_t i = 0; i < p->n_items; i++) {
        if (p->item[i].it.is_out) {
            s->slot_of[i] = UINT32_MAX;
        } else if (s->slot_of[i] == 0) {
            s->slot_of[i] = (uint32_t)s->in.n_slots;
            s->item[s->in.n_slots++] = (uint32_t)i;
        } else {
            s->rest[s->in.n_rest++] = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < s->in.n_rest && i < STANDINS; i++)
        s->item[s->in.n_slots++] = UINT32_MAX;
}

static void copy_ballots(struct snapshot *s, const struct poll *p, int64_t voter)
{
    for (size_t i = 0; i < p->n_records; i++) {
        const struct record *const r = &p->record[i];
        const uint32_t left = s->slot_of[r->left], right = s->slot_of[r->right];

        if (r->is_deleted || !is_comparing(r->a.outcome) || left == UINT32_MAX ||
            right == UINT32_MAX || (voter >= 0 && r->voter != (uint32_t)voter))
            continue;
        s->ballot[s->in.n_ballots++] =
            (struct ballot){ left, right, r->voter, r->a.id, r->a.outcome, r->a.strength };
    }
}

/* What the only voter was asked last, in slots. */
static void copy_recent(struct snapshot *s, const struct person *who)
{
    for (size_t i = 0; i < who->n_recent; i++) {
        const uint32_t left = s->slot_of[who->recent[i].i],
                       right = s->slot_of[who->recent[i].j];

        if (left != UINT32_MAX && right != UINT32_MAX)
            s->recent[s->in.n_recent++] = (peck_duel){ left, right };
    }
    s->in.recent = s->recent;
}

/* voter -1: all.  With the lock held. */
static peck_status take_snapshot(struct snapshot *s, const struct poll *p, int64_t voter,
                                 peck_error *err)
{
    const struct person *only = NULL;
    size_t n_active = 0;

    *s = (struct snapshot){ .data = p->data };
    s->item = arena_new(&s->room, "items", p->n_items + STANDINS, sizeof *s->item);
    s->rest = arena_new(&s->room, "items", p->n_items, sizeof *s->rest);
    s->slot_of = arena_new(&s->room, "items", p->n_items, sizeof *s->slot_of);
    s->prior = arena_new(&s->room, "items", p->n_items + STANDINS, sizeof *s->prior);
    s->voter_weight = arena_new(&s->room, "voters", p->n_persons, sizeof *s->voter_weight);
    s->ballot =
        arena_new(&s->room, "answers", voter < 0 ? p->n_records : p->person[voter].n_pairs,
                  sizeof *s->ballot);
    if (voter < 0 && p->features != NULL)
        s->name = arena_new(&s->room, "items", p->n_items, sizeof *s->name);
    TRY(arena_check(&s->room, err));
    choose_slots(s, p, voter);
    copy_ballots(s, p, voter);
    for (size_t i = 0; i < p->n_persons; i++) {
        s->voter_weight[i] = voter < 0 ? p->person[i].info.weight : 1;
        if (p->person[i].info.n_answers > 0) {
            only = &p->person[i];
            n_active++;
        }
    }
    if (voter < 0) {
        fill_prior(s, p);
        for (size_t i = 0; s->name != NULL && i < s->in.n_slots; i++) {
            const char *const name = p->item[s->item[i]].it.name;
            char *const copy = arena_new(&s->room, "names", strlen(name) + 1, 1);

            if (copy != NULL)
                memcpy(copy, name, strlen(name));
            s->name[i] = copy;
        }
        if (n_active == 1)
            copy_recent(s, only);
        s->in.n_pairs = n_active < 2 ? PAIRS_ONE : PAIRS_ONE + PAIRS_MANY * n_active;
        if (s->in.n_pairs > PAIRS_MAX)
            s->in.n_pairs = PAIRS_MAX;
    } else {
        s->changes = p->person[voter].changes;
    }
    s->in.item = s->item;
    s->in.rest = s->rest;
    s->in.ballot = s->ballot;
    s->in.voter_weight = s->voter_weight;
    s->in.n_voters = p->n_persons;
    s->in.goal = p->goal;
    s->in.seed = p->seed;
    s->in.threads = voter < 0 ? p->threads : 1;
    return arena_check(&s->room, err);
}

static void drop_board(struct poll_board *b)
{
    if (b != NULL && --b->n_users == 0)
        board_free(b);
}

void board_give_back(struct poll *p, struct poll_board *b)
{
    pthread_mutex_lock(&p->lock);
    drop_board(b);
    pthread_mutex_unlock(&p->lock);
}

/* The thread ----------------------------------------------------------------------------------- */

static struct timespec after(double seconds)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += (time_t)seconds;
    t.tv_nsec += (long)(1e9 * (seconds - floor(seconds)));
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* What features say is added to what ratings say. */
static peck_status guess_prior(struct features *f, struct snapshot *s, peck_error *err)
{
    double *const guess = arena_new(&s->room, "items", s->in.n_slots, sizeof *guess);
    bool is_known = false;

    TRY(arena_check(&s->room, err));
    TRY(features_guess(f, &s->in, s->name, guess, &is_known, err));
    for (size_t i = 0; is_known && i < s->in.n_slots; i++)
        s->prior[i] += guess[i];
    if (is_known)
        s->in.prior = s->prior;
    return PECK_OK;
}

static const double OWN_QUICK = 0.002; /* seconds that a request may spend on a fit */

/* Makes a voter's own board; with the lock held, which is let go meanwhile. */
static peck_status make_own(struct poll *p, size_t at, peck_error *err)
{
    const double start = poll_now();
    struct snapshot s;
    struct poll_board *b = NULL;
    peck_status st = take_snapshot(&s, p, (int64_t)at, err);

    p->person[at].wants_own = false;
    pthread_mutex_unlock(&p->lock);
    if (st == PECK_OK)
        st = board_make(&b, &s.in, err);
    arena_free(&s.room);
    pthread_mutex_lock(&p->lock);
    if (st != PECK_OK)
        return st;
    struct person *const who = &p->person[at];

    b->revision = s.changes;
    drop_board(who->own);
    who->own = b;
    who->own_took = poll_now() - start;
    return PECK_OK;
}

/* The next voter, by turns, who wants a board of their own; n_persons: nobody. */
static size_t next_own(const struct poll *p, size_t from)
{
    for (size_t i = 0; i < p->n_persons; i++)
        if (p->person[(from + i) % p->n_persons].wants_own)
            return (from + i) % p->n_persons;
    return p->n_persons;
}

/* The board of all; with the lock held, which is let go meanwhile. */
static void make_all(struct poll *p, uint64_t *done)
{
    struct snapshot s;
    struct poll_board *b = NULL;
    peck_error err = { PECK_OK, "" };
    peck_status st = take_snapshot(&s, p, -1, &err);

    *done = s.data;
    pthread_mutex_unlock(&p->lock);
    if (st == PECK_OK && s.name != NULL)
        st = guess_prior(p->features, &s, &err);
    if (st == PECK_OK)
        st = board_make(&b, &s.in, &err);
    arena_free(&s.room);
    pthread_mutex_lock(&p->lock);
    if (st == PECK_OK) {
        b->revision = *done;
        drop_board(p->board);
        p->board = b;
    }
    p->board_error = err;
    p->revision++;
    pthread_cond_broadcast(&p->has_board);
}

/* The board of all and those of voters, by turns.  With several people it rests twice as long
 * as it works, and answers have the processor. */
static void *fitter_run(void *ctx)
{
    struct poll *const p = ctx;
    uint64_t done = 0;
    size_t last = 0;
    bool is_own_turn = false;

    pthread_mutex_lock(&p->lock);
    while (!p->is_stopping) {
        const size_t at = next_own(p, last + 1);
        const bool has_own = at < p->n_persons;
        const double start = poll_now();

        if (done == p->data && !has_own) {
            pthread_cond_wait(&p->has_work, &p->lock);
            continue;
        }
        if (has_own && (is_own_turn || done == p->data)) {
            /* One that fails leaves the old one; the board of all says why. */
            const peck_status st = make_own(p, at, NULL);

            (void)st;
            last = at;
            is_own_turn = false;
            p->revision++;
        } else {
            make_all(p, &done);
            is_own_turn = true;
        }
        const struct timespec rest = after(2 * (poll_now() - start));

        while (!p->is_stopping && p->n_persons > 1 &&
               pthread_cond_timedwait(&p->has_work, &p->lock, &rest) != ETIMEDOUT)
            ;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

peck_status fitter_start(struct poll *p, peck_error *err)
{
    if (pthread_create(&p->fitter, NULL, fitter_run, p) != 0)
        return fail(err, PECK_NOMEM, "cannot start a thread");
    p->has_fitter = true;
    return PECK_OK;
}

void fitter_stop(struct poll *p)
{
    if (!p->has_fitter)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_stopping = true;
    pthread_cond_broadcast(&p->has_work);
    pthread_cond_broadcast(&p->has_board);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->fitter, NULL);
    p->has_fitter = false;
}

/* With the lock held: a fit of the present answers is there, or has failed. */
static bool is_settled(const struct poll *p)
{
    return p->is_stopping || p->board_error.status != PECK_OK ||
           (p->board != NULL && p->board->revision == p->data);
}

void poll_settle(struct poll *p, double seconds)
{
    const struct timespec until = after(seconds > 0 ? seconds : 0);

    pthread_mutex_lock(&p->lock);
    while (!is_settled(p))
        if (seconds < 0)
            pthread_cond_wait(&p->has_board, &p->lock);
        else if (pthread_cond_timedwait(&p->has_board, &p->lock, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&p->lock);
}

/* Boards for others ------------------------------------------------------------------------------ */

/* A voter's own board, which is kept.  Whoever asks makes it anew when their answers have
 * changed and that is quick, as for some ten items; else the fitter does, and the old one must
 * do: two hundred voters who wait for their own would wait for each other. */
static peck_status own_board(struct poll *p, size_t at, struct poll_board **out,
                             peck_error *err)
{
    const struct person *const old = &p->person[at];

    if (old->own == NULL ||
        (old->own->revision != old->changes && old->own_took < OWN_QUICK)) {
        TRY(make_own(p, at, err));
    } else if (old->own->revision != old->changes) {
        p->person[at].wants_own = true;
        pthread_cond_signal(&p->has_work);
    }
    *out = p->person[at].own;
    (*out)->n_users++;
    return PECK_OK;
}

peck_status board_of(struct poll *p, uint32_t voter, struct poll_board **out,
                     peck_error *err)
{
    peck_status st = PECK_OK;
    size_t n_active = 0;

    *out = NULL;
    pthread_mutex_lock(&p->lock);
    const int64_t at = voter != 0 ? person_at(p, voter) : 0;

    for (size_t i = 0; i < p->n_persons; i++)
        n_active += p->person[i].info.n_answers > 0;
    while (p->board == NULL && p->board_error.status == PECK_OK && !p->is_stopping)
        pthread_cond_wait(&p->has_board, &p->lock);
    if (at < 0) {
        st = fail_no_voter(voter, err);
    } else if (p->board == NULL) {
        if (err != NULL)
            *err = p->board_error;
        st = p->board_error.status != PECK_OK ? p->board_error.status : PECK_STOPPED;
    } else if (voter != 0 && n_active > (p->person[at].info.n_answers > 0)) {
        st = own_board(p, (size_t)at, out, err);
    } else {
        *out = p->board;
        (*out)->n_users++;
    }
    pthread_mutex_unlock(&p->lock);
    return st;
}
