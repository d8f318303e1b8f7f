/* questions.c -- what a voter is asked next.
 *
 * The board has the pairs worth most.  Of these a voter gets the first that fits: not one
 * they compared before, not one of their last ten, no item three times in a row; and with
 * several voters, one that fewer others have been given since the last fit.  Now and then (one of
 * 16) a pair comes again, turned round, which shows how consistent a person is.          */
#include "poll_state.h"

#include "../src/base/alloc.h"
#include "../src/base/rng.h"

enum { AGAIN_EVERY = 16, AGAIN_FROM = 10, MORE_PAIRS = 64 };

static bool is_out_for(const struct poll *p, const struct person *who, uint32_t item)
{
    return p->item[item].it.is_out || (item < who->cap_outs && who->outs[item] > 0);
}

void questions_push(struct person *who, const struct poll_question *q)
{
    who->queue[1] = who->queue[0];
    who->queue[0] = *q;
}

void questions_drop(struct poll *p, struct person *who, const char *id)
{
    size_t kept = 0;

    for (size_t i = 0; i < 2; i++) {
        const struct poll_question q = who->queue[i];
        const int64_t left = q.id[0] != '\0' ? item_at(p, q.left) : -1;
        const int64_t right = q.id[0] != '\0' ? item_at(p, q.right) : -1;

        if (left < 0 || right < 0 || (id != NULL && strcmp(id, q.id) == 0) ||
            is_out_for(p, who, (uint32_t)left) || is_out_for(p, who, (uint32_t)right))
            continue;
        who->queue[kept++] = q;
    }
    for (; kept < 2; kept++)
        who->queue[kept] = (struct poll_question){ .id = "" };
}

/* The last questions, those that wait for an answer among them; the newest last. */
struct before {
    peck_duel pair[N_RECENT + 2];
    size_t n;
};

static struct before look_back(const struct poll *p, const struct person *who)
{
    struct before b = { .n = who->n_recent };

    memcpy(b.pair, who->recent, who->n_recent * sizeof *b.pair);
    for (size_t i = 0; i < 2; i++)
        if (who->queue[i].id[0] != '\0')
            b.pair[b.n++] = (peck_duel){ (uint32_t)item_at(p, who->queue[i].left),
                                         (uint32_t)item_at(p, who->queue[i].right) };
    return b;
}

static bool holds(peck_duel d, uint32_t item)
{
    return d.i == item || d.j == item;
}

/* Whether items a, b may be asked.  patience 3: by every rule; 2: compared before; 1: one of
 * the last ten, or an item for the third time; 0: even the same pair again. */
static bool is_welcome(const struct poll *p, const struct person *who,
                       const struct before *past, uint32_t a, uint32_t b, int patience)
{
    const uint64_t key = pair_key(a, b);

    if (is_out_for(p, who, a) || is_out_for(p, who, b))
        return false;
    for (size_t i = 0; i < past->n; i++) {
        const bool is_last = i + 1 == past->n;

        if (pair_key(past->pair[i].i, past->pair[i].j) == key &&
            (patience >= 2 || (patience == 1 && is_last)))
            return false;
    }
    if (patience >= 2 && past->n >= 2) {
        const peck_duel last = past->pair[past->n - 1], other = past->pair[past->n - 2];

        if ((holds(last, a) && holds(other, a)) || (holds(last, b) && holds(other, b)))
            return false;
    }
    for (size_t i = 0; patience == 3 && i < who->n_pairs; i++)
        if (who->pair[i] == key)
            return false;
    return true;
}

/* An old pair, turned round; false: not now. */
static bool pick_again(const struct poll *p, const struct person *who,
                       const struct before *past, struct poll_question *q)
{
    const uint64_t draw = mix64(mix64(p->seed, who->info.id), who->info.n_answers);

    if (who->n_pairs < AGAIN_FROM || draw % AGAIN_EVERY != 0)
        return false;
    const uint64_t key = who->pair[draw / AGAIN_EVERY % who->n_pairs];

    if (!is_welcome(p, who, past, (uint32_t)(key >> 32), (uint32_t)key, 2))
        return false;
    for (size_t i = p->n_records; i-- > 0;) {
        const struct record *const r = &p->record[i];

        if (r->is_deleted || !is_comparing(r->a.outcome) || r->a.voter != who->info.id ||
            pair_key(r->left, r->right) != key)
            continue;
        q->left = r->a.right;
        q->right = r->a.left;
        q->is_again = true;
        return true;
    }
    return false;
}

/* The pair of b's that fits best, given least often; false: none fits. */
static bool pick_pair(struct poll *p, const struct person *who, const struct before *past,
                      struct poll_board *b, int patience, peck_duel *pair)
{
    size_t best = b->n_pairs;

    for (size_t i = 0; i < b->n_pairs; i++) {
        const peck_duel d = { b->item[b->pair[i].i], b->item[b->pair[i].j] };

        if ((best == b->n_pairs || b->handed[i] < b->handed[best]) &&
            is_welcome(p, who, past, d.i, d.j, patience))
            best = i;
        if (best < b->n_pairs && b->handed[best] == 0)
            break;
    }
    if (best == b->n_pairs)
        return false;
    b->handed[best]++;
    *pair = (peck_duel){ b->item[b->pair[best].i], b->item[b->pair[best].j] };
    return true;
}

/* None of the pairs worth most is for this voter: those that are, without what is out for
 * them. */
static bool pick_other(struct poll *p, const struct person *who, const struct before *past,
                       const struct poll_board *b, int patience, peck_duel *pair)
{
    struct arena room = { 0 };
    unsigned char *const is_out = arena_new(&room, "items", b->n_slots, 1);
    peck_duel found[MORE_PAIRS];
    size_t n = MORE_PAIRS;
    peck_question_spec spec = { .size = sizeof spec, .seed = p->seed, .top = p->goal };
    bool is_found = false;

    spec.is_out = is_out;
    for (size_t i = 0; is_out != NULL && i < b->n_slots; i++)
        is_out[i] = is_out_for(p, who, b->item[i]);
    if (is_out == NULL || b->n_slots < 2 ||
        peck_strengths_next(b->strengths, &spec, found, NULL, &n, NULL) != PECK_OK)
        n = 0;
    for (size_t i = 0; i < n && !is_found; i++) {
        *pair = (peck_duel){ b->item[found[i].i], b->item[found[i].j] };
        is_found = is_welcome(p, who, past, pair->i, pair->j, patience);
    }
    arena_free(&room);
    return is_found;
}

/* Any pair at all, for a voter who has seen what is worth most; the draw decides. */
static bool pick_any(const struct poll *p, const struct person *who,
                     const struct before *past, int patience, peck_duel *pair)
{
    const size_t n = p->n_items;
    const uint64_t start = mix64(p->seed, who->info.n_answers);

    for (size_t k = 0; k < n && k < 200; k++)
        for (size_t m = 1; m < n && m < 200; m++) {
            *pair =
                (peck_duel){ (uint32_t)((start + k) % n), (uint32_t)((start + k + m) % n) };
            if (is_welcome(p, who, past, pair->i, pair->j, patience))
                return true;
        }
    return false;
}

/* One more question for the voter; its id is "" when there is none. */
static peck_status pick(struct poll *p, const struct person *who, struct poll_board *b,
                        struct poll_question *q, peck_error *err)
{
    const struct before past = look_back(p, who);
    const size_t n_ahead = who->info.n_answers + (who->queue[0].id[0] != '\0');
    bool is_found = pick_again(p, who, &past, q);
    peck_duel pair;

    *q = is_found ? *q : (struct poll_question){ .id = "" };
    for (int patience = 3; !is_found && patience >= 0; patience--) {
        is_found = pick_pair(p, who, &past, b, patience, &pair) ||
                   pick_other(p, who, &past, b, patience, &pair) ||
                   pick_any(p, who, &past, patience, &pair);
        if (!is_found)
            continue;
        const bool turns = mix64(mix64(p->seed, who->info.id + 1000), n_ahead) & 1;
        const uint32_t one = p->item[pair.i].it.id, other = p->item[pair.j].it.id;

        q->left = (one < other) == turns ? other : one;
        q->right = (one < other) == turns ? one : other;
    }
    return is_found ? poll_random(q->id, 16, err) : PECK_OK;
}

peck_status poll_questions(struct poll *p, uint32_t voter, struct poll_question question[2],
                           peck_error *err)
{
    struct poll_board *b = NULL;
    peck_status st = PECK_OK;

    question[0] = question[1] = (struct poll_question){ .id = "" };
    TRY(board_of(p, 0, &b, err));
    pthread_mutex_lock(&p->lock);
    const int64_t at = person_at(p, voter);

    if (at < 0)
        st = fail_no_voter(voter, err);
    for (size_t i = 0; st == PECK_OK && i < 2; i++) {
        struct person *const who = &p->person[at];

        if (who->queue[i].id[0] == '\0') {
            struct poll_question q = { .id = "" };

            st = pick(p, who, b, &q, err);
            who->queue[i] = q;
        }
        question[i] = who->queue[i];
    }
    pthread_mutex_unlock(&p->lock);
    board_give_back(p, b);
    return st;
}
