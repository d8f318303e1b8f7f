/* poll.c -- see poll.h: items, voters and the goal of a poll, and the mirror of its file.
 * Opening is in opening.c, answers in answers.c, what to ask in questions.c, the order in
 * fitter.c and standing.c.                                                             */
#include "items.h"
#include "poll_state.h"

#include "../src/base/alloc.h"
#include "../src/base/input.h"

#include <errno.h>
#include <math.h>
#include <sys/random.h>
#include <time.h>

double poll_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

peck_status poll_random(char *to, size_t letters, peck_error *err)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[64];

    if (letters > sizeof bytes || getrandom(bytes, letters, 0) != (ssize_t)letters)
        return fail(err, PECK_IO, "the system has no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < letters; i++)
        to[i] = digits[bytes[i] & 63];
    to[letters] = '\0';
    return PECK_OK;
}

/* The mirror --------------------------------------------------------------------------------- */

int64_t item_at(const struct poll *p, uint32_t id)
{
    size_t low = 0, high = p->n_items;

    while (low < high) {
        const size_t mid = (low + high) / 2;

        if (p->item[mid].it.id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->n_items && p->item[low].it.id == id ? (int64_t)low : -1;
}

int64_t person_at(const struct poll *p, uint32_t id)
{
    for (size_t i = 0; i < p->n_persons; i++)
        if (p->person[i].info.id == id)
            return (int64_t)i;
    return -1;
}

int64_t record_at(const struct poll *p, uint32_t id)
{
    size_t low = 0, high = p->n_records;

    while (low < high) {
        const size_t mid = (low + high) / 2;

        if (p->record[mid].a.id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->n_records && p->record[low].a.id == id ? (int64_t)low : -1;
}

/* A new item at the end, or new texts of one that is there. */
bool mirror_item(struct poll *p, const struct votes_item *i)
{
    const peck_span text[5] = { i->key, i->name, i->text, i->link, i->image };
    const int64_t old = item_at(p, i->id);
    size_t room = 0, at = 0;
    const char *start[5];

    for (size_t k = 0; k < 5; k++)
        room += text[k].n + 1;
    char *const block = mem_new(room, 1);

    if (block == NULL ||
        (old < 0 &&
         (!mem_reserve(&p->item, &p->cap_items, p->n_items + 1, sizeof *p->item) ||
          index_put(&p->keys, i->key) != (int64_t)p->n_items))) {
        mem_free(block);
        return false;
    }
    for (size_t k = 0; k < 5; k++) {
        start[k] = block + at;
        if (text[k].n > 0)
            memcpy(block + at, text[k].s, text[k].n);
        at += text[k].n + 1;
    }
    struct item *const to = &p->item[old < 0 ? (int64_t)p->n_items++ : old];

    if (old < 0)
        *to = (struct item){ .n_out = 0 };
    mem_free(to->block);
    to->block = block;
    to->key = start[0];
    to->it = (struct poll_item){ i->id,    start[1], start[2],   start[3],
                                 start[4], false,    i->is_gone, i->rating };
    to->is_set_out = i->is_out;
    to->is_added = i->is_added;
    return true;
}

bool mirror_voter(struct poll *p, const struct votes_voter *v)
{
    const int64_t old = person_at(p, v->id);

    if (old < 0 &&
        !mem_reserve(&p->person, &p->cap_persons, p->n_persons + 1, sizeof *p->person))
        return false;
    struct person *const to = &p->person[old < 0 ? (int64_t)p->n_persons++ : old];

    if (old < 0)
        *to = (struct person){ .n_skips = 0 };
    to->info.id = v->id;
    snprintf(to->info.name, sizeof to->info.name, "%.*s", (int)v->name.n, v->name.s);
    snprintf(to->info.token, sizeof to->info.token, "%.*s", (int)v->token.n, v->token.s);
    to->info.is_owner = v->is_owner;
    to->info.has_finished = v->has_finished;
    to->info.weight = v->weight;
    if (v->is_owner && p->owner == 0)
        p->owner = v->id;
    return true;
}

static bool put_out(struct poll *p, struct person *who, uint32_t item, int sign)
{
    const size_t had = who->cap_outs;

    if (!mem_reserve(&who->outs, &who->cap_outs, (size_t)item + 1, sizeof *who->outs))
        return false;
    memset(who->outs + had, 0, (who->cap_outs - had) * sizeof *who->outs);
    const bool was_out = who->outs[item] > 0;

    who->outs[item] = (uint16_t)(who->outs[item] + sign);
    p->item[item].n_out += (uint32_t)((who->outs[item] > 0) - was_out);
    return true;
}

bool count_record(struct poll *p, const struct record *r, int sign)
{
    struct person *const who = &p->person[r->voter];
    const enum poll_outcome o = r->a.outcome;

    who->changes++;
    who->info.n_answers += (size_t)sign;
    if (o == POLL_SKIP)
        who->n_skips += (size_t)sign;
    if (o == POLL_OUT_LEFT || o == POLL_OUT_RIGHT)
        return put_out(p, who, o == POLL_OUT_LEFT ? r->left : r->right, sign);
    if (!is_comparing(o))
        return true;
    if (sign < 0) {
        for (size_t i = who->n_pairs; i-- > 0;)
            if (who->pair[i] == pair_key(r->left, r->right)) {
                who->pair[i] = who->pair[--who->n_pairs];
                break;
            }
        return true;
    }
    if (!mem_reserve(&who->pair, &who->cap_pairs, who->n_pairs + 1, sizeof *who->pair))
        return false;
    who->pair[who->n_pairs++] = pair_key(r->left, r->right);
    return true;
}

bool mirror_answer(struct poll *p, const struct votes_answer *a)
{
    const int64_t left = item_at(p, a->left), right = item_at(p, a->right),
                  voter = person_at(p, a->voter);
    char known[POLL_QUESTION + 16];

    if (left < 0 || right < 0 || voter < 0)
        return true; /* foreign keys keep this from happening */
    snprintf(known, sizeof known, "%u %.*s", (unsigned)a->voter, (int)a->question.n,
             a->question.s);
    if (!mem_reserve(&p->record, &p->cap_records, p->n_records + 1, sizeof *p->record) ||
        index_put(&p->asked, span_of(known)) < 0)
        return false;
    struct record *const r = &p->record[p->n_records++];
    struct person *const who = &p->person[voter];

    *r = (struct record){ .a = { .id = a->id,
                                 .voter = a->voter,
                                 .left = a->left,
                                 .right = a->right,
                                 .outcome = a->outcome,
                                 .strength = a->strength,
                                 .when = a->when },
                          .left = (uint32_t)left,
                          .right = (uint32_t)right,
                          .voter = (uint32_t)voter,
                          .is_deleted = a->is_deleted };
    snprintf(r->a.question, sizeof r->a.question, "%.*s", (int)a->question.n,
             a->question.s);
    if (a->is_deleted)
        return true;
    if (who->n_recent == N_RECENT)
        memmove(who->recent, who->recent + 1, --who->n_recent * sizeof *who->recent);
    who->recent[who->n_recent++] = (peck_duel){ r->left, r->right };
    return count_record(p, r, 1);
}

void update_play(struct poll *p)
{
    size_t n_active = 0;
    bool has_changed = p->n_played != p->n_items;

    p->n_played = p->n_items;
    for (size_t i = 0; i < p->n_persons; i++)
        n_active += p->person[i].info.n_answers > 0;
    for (size_t i = 0; i < p->n_items; i++) {
        struct item *const it = &p->item[i];
        const bool is_out =
            it->is_set_out || it->it.is_gone || (n_active > 0 && it->n_out == n_active);

        has_changed |= it->it.is_out != is_out;
        it->it.is_out = is_out;
    }
    for (size_t i = 0; has_changed && i < p->n_persons; i++) {
        p->person[i].changes++;
        questions_drop(p, &p->person[i], NULL);
    }
}

void touch(struct poll *p, bool is_data)
{
    p->revision++;
    if (!is_data)
        return;
    p->data++;
    pthread_cond_signal(&p->has_work);
}

peck_status poll_check(struct poll *p, peck_error *err)
{
    if (p->is_read_only)
        return fail(err, PECK_ARG, "%.300s: was opened to be read alone", p->votes_path);
    pthread_mutex_lock(&p->lock);
    const bool is_short = p->is_short;

    pthread_mutex_unlock(&p->lock);
    return is_short
               ? fail(err, PECK_NOMEM,
                      "%.300s: out of memory; every answer so far is safe, start again",
                      p->votes_path)
               : PECK_OK;
}

peck_status fail_no_voter(uint32_t voter, peck_error *err)
{
    return fail(err, PECK_ARG, "there is no voter %u", (unsigned)voter);
}

/* Where things are ----------------------------------------------------------------------------- */

const char *poll_title(const struct poll *p)
{
    return p->title;
}

const char *poll_votes(const struct poll *p)
{
    return p->votes_path;
}

const char *poll_folder(const struct poll *p)
{
    return p->folder;
}

uint32_t poll_owner(const struct poll *p)
{
    return p->owner;
}

uint64_t poll_revision(struct poll *p)
{
    pthread_mutex_lock(&p->lock);
    const uint64_t revision = p->revision;

    pthread_mutex_unlock(&p->lock);
    return revision;
}

bool poll_is_votes(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic];

    return input_head(path, head, sizeof head) == sizeof head &&
           memcmp(head, magic, sizeof magic) == 0;
}

const char *poll_how(void)
{
    return "Each answer is a duel; strengths come from a Bradley-Terry model with ties, "
           "the "
           "likeliest order with its uncertainty, and each next question is the pair whose "
           "answer tells most. Items that cannot be told apart share a rank.";
}

/* Items ------------------------------------------------------------------------------------------ */

void poll_items_free(struct poll_items *items)
{
    mem_free(items->item);
    mem_free(items->block);
    *items = (struct poll_items){ 0 };
}

static const char *copy_text(char **to, const char *from)
{
    char *const start = *to;
    const size_t n = strlen(from) + 1;

    memcpy(start, from, n);
    *to += n;
    return start;
}

peck_status poll_items(struct poll *p, struct poll_items *out, peck_error *err)
{
    size_t room = 1;

    *out = (struct poll_items){ 0 };
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n_items; i++) {
        const struct poll_item *const it = &p->item[i].it;

        room +=
            strlen(it->name) + strlen(it->text) + strlen(it->link) + strlen(it->image) + 4;
    }
    out->item = mem_new(p->n_items, sizeof *out->item);
    out->block = mem_new(room, 1);
    char *to = out->block;
    const bool is_there = out->item != NULL && to != NULL;

    for (size_t i = 0; is_there && i < p->n_items; i++) {
        struct poll_item *const it = &out->item[i];

        *it = p->item[i].it;
        it->name = copy_text(&to, it->name);
        it->text = copy_text(&to, it->text);
        it->link = copy_text(&to, it->link);
        it->image = copy_text(&to, it->image);
    }
    out->n = p->n_items;
    pthread_mutex_unlock(&p->lock);
    if (is_there)
        return PECK_OK;
    poll_items_free(out);
    return fail_memory(err, "items", room, 1);
}

bool poll_item_image(struct poll *p, uint32_t item, char *to, size_t room)
{
    pthread_mutex_lock(&p->lock);
    const int64_t at = item_at(p, item);
    const char *const image = at >= 0 ? p->item[at].it.image : "";
    const bool has_one = image[0] != '\0' && strlen(image) < room;

    if (has_one)
        snprintf(to, room, "%s", image);
    pthread_mutex_unlock(&p->lock);
    return has_one;
}

/* One item as the file has it. */
static struct votes_item row_of(const struct item *i)
{
    return (struct votes_item){ i->it.id,
                                span_of(i->key),
                                span_of(i->it.name),
                                span_of(i->it.text),
                                span_of(i->it.link),
                                span_of(i->it.image),
                                i->it.rating,
                                i->is_set_out,
                                i->it.is_gone,
                                i->is_added };
}

/* Items that a person adds.  Their rows are made while it is written, from the mirror as it
 * is then: nobody else writes meanwhile. */
struct added_items {
    struct poll *poll;
    struct item_list list;
    struct votes_item *row;
    size_t n_rows, n_new;
};

static peck_status write_items(struct votes *v, void *ctx, peck_error *err)
{
    struct added_items *const a = ctx;
    struct poll *const p = a->poll;
    peck_status st = PECK_OK;

    a->n_rows = a->n_new = 0;
    pthread_mutex_lock(&p->lock); /* nothing but this thread changes items: see votes_do */
    for (size_t i = 0; st == PECK_OK && i < a->list.n; i++) {
        const int64_t at = index_find(&p->keys, strings_get(&a->list.key.names, i));
        struct votes_item row = { .key = strings_get(&a->list.key.names, i),
                                  .name = strings_get(&a->list.name, i),
                                  .text = strings_get(&a->list.text, i),
                                  .link = strings_get(&a->list.link, i),
                                  .image = strings_get(&a->list.image, i),
                                  .rating = a->list.rating[i],
                                  .is_added = true };

        if (at >= 0) {
            if (!p->item[at].is_set_out && !p->item[at].it.is_gone)
                continue;
            row = row_of(&p->item[at]);
            row.is_out = row.is_gone = false;
            row.is_added = true;
        }
        if (at < 0 && p->n_items + ++a->n_new > POLL_MAX_ITEMS)
            st = fail(err, PECK_ARG, "more than %d items", POLL_MAX_ITEMS);
        if (st == PECK_OK)
            st = votes_put_item(v, &row, err);
        a->row[a->n_rows++] = row;
    }
    pthread_mutex_unlock(&p->lock);
    return st;
}

static void apply_items(void *ctx)
{
    struct added_items *const a = ctx;
    struct poll *const p = a->poll;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < a->n_rows; i++)
        p->is_short |= !mirror_item(p, &a->row[i]);
    update_play(p);
    touch(p, true);
    pthread_mutex_unlock(&p->lock);
}

peck_status poll_add_items(struct poll *p, peck_span paste, size_t *n_added,
                           peck_error *err)
{
    struct added_items a = { .poll = p };
    const struct votes_change change = { write_items, apply_items, &a };

    if (n_added != NULL)
        *n_added = 0;
    TRY(poll_check(p, err));
    TRY(items_parse(&a.list, paste, "pasted text", err));
    a.row = mem_new(a.list.n, sizeof *a.row);
    peck_status st = a.row != NULL ? votes_do(p->votes, &change, err)
                                   : fail_memory(err, "items", a.list.n, sizeof *a.row);

    if (st == PECK_OK && n_added != NULL)
        *n_added = a.n_new;
    mem_free(a.row);
    items_free(&a.list);
    return st;
}

struct out_change {
    struct poll *poll;
    uint32_t item;
    bool is_out;
};

static peck_status write_out(struct votes *v, void *ctx, peck_error *err)
{
    const struct out_change *const o = ctx;

    pthread_mutex_lock(&o->poll->lock);
    const int64_t at = item_at(o->poll, o->item);
    peck_status st;

    if (at < 0) {
        st = fail(err, PECK_ARG, "there is no item %u", (unsigned)o->item);
    } else {
        struct votes_item row = row_of(&o->poll->item[at]);

        row.is_out = o->is_out;
        row.is_gone = row.is_gone && o->is_out;
        row.is_added = row.is_added || (!o->is_out && o->poll->item[at].it.is_gone);
        st = votes_put_item(v, &row, err);
    }
    pthread_mutex_unlock(&o->poll->lock);
    return st;
}

static void apply_out(void *ctx)
{
    const struct out_change *const o = ctx;
    struct poll *const p = o->poll;

    pthread_mutex_lock(&p->lock);
    struct item *const it = &p->item[item_at(p, o->item)];

    it->is_added = it->is_added || (!o->is_out && it->it.is_gone);
    it->is_set_out = o->is_out;
    it->it.is_gone = it->it.is_gone && o->is_out;
    update_play(p);
    touch(p, true);
    pthread_mutex_unlock(&p->lock);
}

peck_status poll_set_out(struct poll *p, uint32_t item, bool is_out, peck_error *err)
{
    struct out_change o = { p, item, is_out };
    const struct votes_change change = { write_out, apply_out, &o };

    TRY(poll_check(p, err));
    return votes_do(p->votes, &change, err);
}

/* Voters ------------------------------------------------------------------------------------------ */

void poll_voters_free(struct poll_voters *voters)
{
    mem_free(voters->voter);
    *voters = (struct poll_voters){ 0 };
}

peck_status poll_voters(struct poll *p, struct poll_voters *out, peck_error *err)
{
    *out = (struct poll_voters){ 0 };
    pthread_mutex_lock(&p->lock);
    const size_t n = p->n_persons;

    out->voter = mem_new(n, sizeof *out->voter);
    for (size_t i = 0; out->voter != NULL && i < n; i++)
        out->voter[i] = p->person[i].info;
    out->n = out->voter != NULL ? n : 0;
    pthread_mutex_unlock(&p->lock);
    return out->voter != NULL ? PECK_OK : fail_memory(err, "voters", n, sizeof *out->voter);
}

/* Looks at every letter of every token. */
bool poll_find_voter(struct poll *p, peck_span token, struct poll_voter *out)
{
    char given[POLL_TOKEN + 1] = { 0 };
    bool is_found = false;

    if (token.n != POLL_TOKEN)
        return false;
    memcpy(given, token.s, token.n);
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n_persons; i++) {
        volatile unsigned char differs = 0;

        for (size_t k = 0; k < POLL_TOKEN; k++)
            differs |= (unsigned char)(given[k] ^ p->person[i].info.token[k]);
        if (differs == 0) {
            *out = p->person[i].info;
            is_found = true;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return is_found;
}

struct voter_change {
    struct poll *poll;
    struct poll_voter voter; /* id 0: a new one */
    bool is_data;
};

static peck_status write_voter(struct votes *v, void *ctx, peck_error *err)
{
    struct voter_change *const c = ctx;
    struct votes_voter row = {
        c->voter.id,       span_of(c->voter.name), span_of(c->voter.token),
        c->voter.is_owner, c->voter.has_finished,  c->voter.weight
    };
    struct poll *const p = c->poll;
    peck_status st = PECK_OK;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; c->voter.id == 0 && st == PECK_OK && i < p->n_persons; i++)
        if (strcmp(p->person[i].info.name, c->voter.name) == 0)
            st = fail(err, PECK_ARG, "there is a voter '%.60s' already; give another name",
                      c->voter.name);
    if (st == PECK_OK && c->voter.id == 0 && p->n_persons >= POLL_MAX_VOTERS)
        st = fail(err, PECK_ARG, "more than %d voters", POLL_MAX_VOTERS);
    pthread_mutex_unlock(&p->lock);
    TRY(st);
    TRY(votes_put_voter(v, &row, err));
    c->voter.id = row.id;
    return PECK_OK;
}

static void apply_voter(void *ctx)
{
    const struct voter_change *const c = ctx;
    const struct votes_voter row = {
        c->voter.id,       span_of(c->voter.name), span_of(c->voter.token),
        c->voter.is_owner, c->voter.has_finished,  c->voter.weight
    };

    pthread_mutex_lock(&c->poll->lock);
    c->poll->is_short |= !mirror_voter(c->poll, &row);
    touch(c->poll, c->is_data);
    pthread_mutex_unlock(&c->poll->lock);
}

peck_status poll_add_voter(struct poll *p, peck_span name, struct poll_voter *out,
                           peck_error *err)
{
    struct voter_change c = { p, { .weight = 1, .is_owner = p->owner == 0 }, false };
    const struct votes_change change = { write_voter, apply_voter, &c };

    TRY(poll_check(p, err));
    name = span_trim(name);
    if (name.n == 0 || name.n > POLL_MAX_NAME || !items_is_plain(name))
        return fail(err, PECK_ARG, "a voter's name is plain text of 1 to %d bytes",
                    POLL_MAX_NAME);
    memcpy(c.voter.name, name.s, name.n);
    TRY(poll_random(c.voter.token, POLL_TOKEN, err));
    TRY(votes_do(p->votes, &change, err));
    *out = c.voter;
    return PECK_OK;
}

static peck_status change_voter(struct poll *p, uint32_t voter, const double *weight,
                                peck_error *err)
{
    struct voter_change c = { p, { .id = 0 }, weight != NULL };
    const struct votes_change change = { write_voter, apply_voter, &c };

    TRY(poll_check(p, err));
    pthread_mutex_lock(&p->lock);
    const int64_t at = person_at(p, voter);

    if (at >= 0)
        c.voter = p->person[at].info;
    pthread_mutex_unlock(&p->lock);
    if (at < 0)
        return fail_no_voter(voter, err);
    if (weight != NULL)
        c.voter.weight = *weight;
    else
        c.voter.has_finished = true;
    return votes_do(p->votes, &change, err);
}

peck_status poll_set_weight(struct poll *p, uint32_t voter, double weight, peck_error *err)
{
    if (!(weight >= .01 && weight <= 100))
        return fail(err, PECK_ARG, "a voter's weight is from 0.01 to 100");
    return change_voter(p, voter, &weight, err);
}

peck_status poll_finish(struct poll *p, uint32_t voter, peck_error *err)
{
    return change_voter(p, voter, NULL, err);
}

/* The goal ------------------------------------------------------------------------------------------ */

struct goal_change {
    struct poll *poll;
    size_t top;
};

static peck_status write_goal(struct votes *v, void *ctx, peck_error *err)
{
    const struct goal_change *const g = ctx;
    char text[24];

    snprintf(text, sizeof text, "%zu", g->top);
    return votes_put_note(v, "goal", text, err);
}

static void apply_goal(void *ctx)
{
    const struct goal_change *const g = ctx;

    pthread_mutex_lock(&g->poll->lock);
    g->poll->goal = g->top;
    touch(g->poll, true);
    pthread_mutex_unlock(&g->poll->lock);
}

peck_status poll_set_goal(struct poll *p, size_t top, peck_error *err)
{
    struct goal_change g = { p, top };
    const struct votes_change change = { write_goal, apply_goal, &g };

    TRY(poll_check(p, err));
    if (top > POLL_MAX_ITEMS)
        return fail(err, PECK_ARG, "the goal is the first 1 to %d items, or 0 for all",
                    POLL_MAX_ITEMS);
    return votes_do(p->votes, &change, err);
}

size_t poll_goal(struct poll *p)
{
    pthread_mutex_lock(&p->lock);
    const size_t goal = p->goal;

    pthread_mutex_unlock(&p->lock);
    return goal;
}
