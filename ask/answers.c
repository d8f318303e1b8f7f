/* answers.c -- what voters said: taken, taken back, changed, shown. */
#include "poll_state.h"

#include "../src/base/alloc.h"
#include "../src/base/input.h"

#include <ctype.h>
#include <time.h>

static const char *const outcome_names[POLL_OUTCOMES] = {
    [POLL_LEFT] = "left", [POLL_RIGHT] = "right",       [POLL_TIE] = "tie",
    [POLL_SKIP] = "skip", [POLL_OUT_LEFT] = "out-left", [POLL_OUT_RIGHT] = "out-right",
};

const char *poll_outcome_name(enum poll_outcome outcome)
{
    return outcome_names[outcome];
}

bool poll_outcome_find(enum poll_outcome *out, peck_span name)
{
    for (int i = 0; i < POLL_OUTCOMES; i++)
        if (span_is(name, outcome_names[i])) {
            *out = (enum poll_outcome)i;
            return true;
        }
    return false;
}

/* New answers ------------------------------------------------------------------------------- */

struct new_answer {
    struct poll *poll;
    struct votes_answer row;
};

static peck_status write_answer(struct votes *v, void *ctx, peck_error *err)
{
    return votes_add_answer(v, &((struct new_answer *)ctx)->row, err);
}

static void apply_answer(void *ctx)
{
    const struct new_answer *const n = ctx;
    struct poll *const p = n->poll;
    char question[POLL_QUESTION + 1];

    snprintf(question, sizeof question, "%.*s", (int)n->row.question.n, n->row.question.s);
    pthread_mutex_lock(&p->lock);
    if (n->row.id != 0) {
        p->is_short |= !mirror_answer(p, &n->row);
        update_play(p);
        touch(p, n->row.outcome != POLL_SKIP);
    }
    questions_drop(p, &p->person[person_at(p, n->row.voter)], question);
    pthread_mutex_unlock(&p->lock);
}

static bool is_question(const char *id)
{
    size_t n = 0;

    while (n <= POLL_QUESTION && id[n] != '\0') {
        if (!isalnum((unsigned char)id[n]) && id[n] != '-' && id[n] != '_')
            return false;
        n++;
    }
    return n > 0 && n <= POLL_QUESTION;
}

/* *is_known: this voter has answered this question before. */
static peck_status check_answer(struct poll *p, uint32_t voter, const struct poll_answer *a,
                                bool *is_known, peck_error *err)
{
    char known[POLL_QUESTION + 16];

    *is_known = false;
    if (!is_question(a->question))
        return fail(err, PECK_ARG,
                    "a question's id is 1 to %d letters, digits, hyphens, underscores",
                    POLL_QUESTION);
    if ((int)a->outcome < 0 || a->outcome >= POLL_OUTCOMES || a->strength < 1 ||
        a->strength > 2)
        return fail(err, PECK_ARG, "there is no such outcome or strength");
    snprintf(known, sizeof known, "%u %s", (unsigned)voter, a->question);
    pthread_mutex_lock(&p->lock);
    const bool has_items =
        a->left != a->right && item_at(p, a->left) >= 0 && item_at(p, a->right) >= 0;
    const bool has_voter = person_at(p, voter) >= 0;

    *is_known = index_find(&p->asked, span_of(known)) >= 0;
    pthread_mutex_unlock(&p->lock);
    if (!has_voter)
        return fail_no_voter(voter, err);
    return has_items ? PECK_OK
                     : fail(err, PECK_ARG,
                            "an answer is about two items that are there, not "
                            "%u and %u",
                            (unsigned)a->left, (unsigned)a->right);
}

peck_status poll_answer(struct poll *p, uint32_t voter, const struct poll_answer *answer,
                        peck_error *err)
{
    struct new_answer n = { p,
                            { .voter = voter,
                              .left = answer->left,
                              .right = answer->right,
                              .question = span_of(answer->question),
                              .outcome = answer->outcome,
                              .strength = answer->strength,
                              .when = (int64_t)time(NULL) } };
    const struct votes_change change = { write_answer, apply_answer, &n };
    bool is_known;

    TRY(poll_check(p, err));
    TRY(check_answer(p, voter, answer, &is_known, err));
    if (!is_known)
        return votes_do(p->votes, &change, err);
    pthread_mutex_lock(&p->lock);
    questions_drop(p, &p->person[person_at(p, voter)], answer->question);
    pthread_mutex_unlock(&p->lock);
    return PECK_OK;
}

/* Changes of old ones --------------------------------------------------------------------------- */

struct old_answer {
    struct poll *poll;
    uint32_t by, id; /* id 0: the last one of `by` that counts */
    bool is_undo, is_deleted;
    enum poll_outcome outcome;
    int strength; /* 0: as it was */
    struct poll_answer was;
};

static peck_status write_old(struct votes *v, void *ctx, peck_error *err)
{
    struct old_answer *const o = ctx;
    struct poll *const p = o->poll;

    if (o->is_undo)
        TRY(votes_last_answer(v, o->by, &o->id, err));
    if (o->is_undo && o->id == 0)
        return PECK_OK;
    pthread_mutex_lock(&p->lock);
    const int64_t at = record_at(p, o->id);
    const bool is_theirs = at >= 0 && !p->record[at].is_deleted &&
                           (p->record[at].a.voter == o->by || o->by == p->owner);

    if (is_theirs)
        o->was = p->record[at].a;
    pthread_mutex_unlock(&p->lock);
    if (!is_theirs)
        return fail(err, PECK_ARG, "there is no answer %u that you may change",
                    (unsigned)o->id);
    if (o->strength == 0)
        o->strength = o->was.strength;
    if (o->is_deleted)
        o->outcome = o->was.outcome;
    return votes_change_answer(v, o->id, o->outcome, o->strength, o->is_deleted, err);
}

static void apply_old(void *ctx)
{
    const struct old_answer *const o = ctx;
    struct poll *const p = o->poll;

    if (o->id == 0)
        return;
    pthread_mutex_lock(&p->lock);
    struct record *const r = &p->record[record_at(p, o->id)];
    struct person *const who = &p->person[r->voter];

    p->is_short |= !count_record(p, r, -1);
    r->a.outcome = o->outcome;
    r->a.strength = o->strength;
    r->is_deleted = o->is_deleted;
    if (!r->is_deleted)
        p->is_short |= !count_record(p, r, 1);
    if (o->is_undo && who->n_recent > 0)
        who->n_recent--;
    update_play(p);
    touch(p, true);
    pthread_mutex_unlock(&p->lock);
}

static peck_status change_old(struct old_answer *o, peck_error *err)
{
    const struct votes_change change = { write_old, apply_old, o };

    TRY(poll_check(o->poll, err));
    pthread_mutex_lock(&o->poll->lock);
    const bool is_there = person_at(o->poll, o->by) >= 0;

    pthread_mutex_unlock(&o->poll->lock);
    return is_there ? votes_do(o->poll->votes, &change, err) : fail_no_voter(o->by, err);
}

peck_status poll_undo(struct poll *p, uint32_t voter, struct poll_answer *undone,
                      peck_error *err)
{
    struct old_answer o = { .poll = p, .by = voter, .is_undo = true, .is_deleted = true };
    struct poll_question again = { .id = "" };

    if (undone != NULL)
        *undone = (struct poll_answer){ .id = 0 };
    TRY(poll_random(again.id, 16, err));
    TRY(change_old(&o, err));
    if (o.id == 0)
        return PECK_OK;
    if (undone != NULL)
        *undone = o.was;
    again.left = o.was.left;
    again.right = o.was.right;
    pthread_mutex_lock(&p->lock);
    struct person *const who = &p->person[person_at(p, voter)];

    questions_push(who, &again);
    questions_drop(p, who, NULL);
    pthread_mutex_unlock(&p->lock);
    return PECK_OK;
}

peck_status poll_edit(struct poll *p, uint32_t voter, uint32_t answer,
                      enum poll_outcome outcome, int strength, peck_error *err)
{
    struct old_answer o = {
        .poll = p, .by = voter, .id = answer, .outcome = outcome, .strength = strength
    };

    if ((int)outcome < 0 || outcome >= POLL_OUTCOMES || strength < 0 || strength > 2)
        return fail(err, PECK_ARG, "there is no such outcome or strength");
    return change_old(&o, err);
}

peck_status poll_delete(struct poll *p, uint32_t voter, uint32_t answer, peck_error *err)
{
    struct old_answer o = { .poll = p, .by = voter, .id = answer, .is_deleted = true };

    return change_old(&o, err);
}

/* History ---------------------------------------------------------------------------------------- */

void poll_history_free(struct poll_history *history)
{
    mem_free(history->answer);
    *history = (struct poll_history){ 0 };
}

peck_status poll_history(struct poll *p, uint32_t voter, size_t most,
                         struct poll_history *out, peck_error *err)
{
    struct poll_board *b = NULL;
    peck_status st = PECK_OK;

    *out = (struct poll_history){ 0 };
    TRY(board_of(p, voter, &b, err));
    pthread_mutex_lock(&p->lock);
    const int64_t at = voter != 0 ? person_at(p, voter) : -1;
    size_t n = at >= 0 ? p->person[at].info.n_answers : p->n_records;

    n = most > 0 && most < n ? most : n;
    out->answer = mem_new(n, sizeof *out->answer);
    if (out->answer == NULL)
        st = fail_memory(err, "answers", n, sizeof *out->answer);
    for (size_t i = p->n_records; st == PECK_OK && i-- > 0 && out->n < n;) {
        const struct record *const r = &p->record[i];

        if (r->is_deleted || (at >= 0 && r->voter != (uint32_t)at))
            continue;
        const uint32_t left = board_slot(b, r->left), right = board_slot(b, r->right);
        struct poll_answer *const a = &out->answer[out->n++];

        *a = r->a;
        if (is_comparing(a->outcome) && left != UINT32_MAX && right != UINT32_MAX)
            a->surprise = board_surprise(b->mean[left], b->mean[right], a->outcome);
    }
    pthread_mutex_unlock(&p->lock);
    board_give_back(p, b);
    return st;
}

/* Old comparisons ----------------------------------------------------------------------------------- */

enum { MAX_IMPORTED = 1000000 };

/* A number for the bytes of a file, so that it is not taken twice (FNV-1a). */
static peck_status sum_file(const char *path, uint64_t *sum, peck_error *err)
{
    struct input in;

    TRY(input_open(&in, path, err));
    *sum = 0xCBF29CE484222325ULL;
    for (size_t i = 0; i < in.size; i++)
        *sum = (*sum ^ (unsigned char)in.data[i]) * 0x100000001B3ULL;
    input_close(&in);
    return PECK_OK;
}

struct import {
    struct poll *poll;
    uint32_t voter;
    uint64_t sum;
    const peck_prefs *prefs;
    uint32_t *id; /* of items, by the list's own number */
    struct votes_answer *row;
    char (*question)[POLL_QUESTION + 1];
    size_t n, cap;
};

/* A preference that was said w times for and l times against becomes w + l answers; even odds
 * a tie. */
static peck_status unfold(struct import *m, peck_error *err)
{
    peck_prefs_info info;

    peck_prefs_describe(m->prefs, &info);
    for (size_t pass = 0; pass < 2; pass++) {
        m->n = 0;
        for (size_t i = 0; i < info.n_prefs; i++) {
            const peck_pref f = peck_prefs_at(m->prefs, i);
            const double for_it = (double)f.weight * (double)f.probability;
            const size_t wins = (size_t)(for_it + .5),
                         losses = (size_t)((double)f.weight - for_it + .5);
            const bool is_tie = f.probability == .5F && wins + losses <= 2;
            const size_t n = is_tie ? 1 : wins + losses;

            if (n > MAX_IMPORTED || m->n + n > MAX_IMPORTED)
                return fail(err, PECK_FORMAT,
                            "more than %d comparisons; `peck decode` ranks "
                            "so many",
                            MAX_IMPORTED);
            for (size_t k = 0; pass == 1 && k < n; k++) {
                snprintf(m->question[m->n + k], sizeof *m->question, "import-%016llx-%zu",
                         (unsigned long long)m->sum, m->n + k);
                m->row[m->n + k] =
                    (struct votes_answer){ .voter = m->voter,
                                           .left = m->id[f.winner],
                                           .right = m->id[f.loser],
                                           .question = span_of(m->question[m->n + k]),
                                           .outcome = is_tie     ? POLL_TIE
                                                      : k < wins ? POLL_LEFT
                                                                 : POLL_RIGHT,
                                           .strength = 1,
                                           .when = (int64_t)time(NULL) };
            }
            m->n += n;
        }
        if (pass == 1)
            break;
        m->row = mem_new(m->n, sizeof *m->row);
        m->question = mem_new(m->n, sizeof *m->question);
        if (m->row == NULL || m->question == NULL)
            return fail_memory(err, "comparisons", m->n, sizeof *m->row);
    }
    return PECK_OK;
}

static peck_status write_import(struct votes *v, void *ctx, peck_error *err)
{
    struct import *const m = ctx;

    for (size_t i = 0; i < m->n; i++)
        TRY(votes_add_answer(v, &m->row[i], err));
    return PECK_OK;
}

static void apply_import(void *ctx)
{
    struct import *const m = ctx;
    size_t kept = 0;

    pthread_mutex_lock(&m->poll->lock);
    for (size_t i = 0; i < m->n; i++)
        if (m->row[i].id != 0) {
            m->poll->is_short |= !mirror_answer(m->poll, &m->row[i]);
            kept++;
        }
    m->n = kept;
    update_play(m->poll);
    touch(m->poll, true);
    pthread_mutex_unlock(&m->poll->lock);
}

/* The items' ids by name, new ones being added. */
static peck_status import_items(struct import *m, peck_error *err)
{
    struct poll *const p = m->poll;
    peck_prefs_info info;
    struct text names;
    size_t n_added;
    peck_status st = PECK_OK;

    peck_prefs_describe(m->prefs, &info);
    m->id = mem_new(info.n_items, sizeof *m->id);
    if (m->id == NULL)
        return fail_memory(err, "items", info.n_items, sizeof *m->id);
    for (int pass = 0; st == PECK_OK && pass < 2; pass++) {
        bool has_new = false;

        text_init(&names, POLL_MAX_PASTE);
        text_add_str(&names,
                     "name,\n"); /* a header, so that a name may look like anything */
        pthread_mutex_lock(&p->lock);
        for (size_t i = 0; i < info.n_items; i++) {
            const peck_span name = peck_prefs_item_name(m->prefs, i);

            m->id[i] = 0;
            for (size_t k = 0; k < p->n_items && m->id[i] == 0; k++)
                if (span_is(name, p->item[k].it.name))
                    m->id[i] = p->item[k].it.id;
            if (m->id[i] != 0)
                continue;
            has_new = true;
            text_add_str(&names, "\"");
            for (size_t k = 0; k < name.n; k++)
                text_add(&names, name.s[k] == '"' ? "\"\"" : name.s + k,
                         1 + (name.s[k] == '"'));
            text_add_str(&names, "\"\n");
        }
        pthread_mutex_unlock(&p->lock);
        if (names.failed)
            st = fail_memory(err, "names", names.len, 1);
        else if (has_new && pass == 1)
            st = fail(err, PECK_FORMAT, "a name of the comparisons is no plain text");
        else if (has_new)
            st = poll_add_items(p, (peck_span){ names.s, names.len }, &n_added, err);
        text_free(&names);
    }
    return st;
}

static peck_status import_voter(struct import *m, peck_error *err)
{
    struct poll *const p = m->poll;
    struct poll_voter voter;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n_persons; i++)
        if (strcmp(p->person[i].info.name, "imported") == 0)
            m->voter = p->person[i].info.id;
    pthread_mutex_unlock(&p->lock);
    if (m->voter != 0)
        return PECK_OK;
    TRY(poll_add_voter(p, span_of("imported"), &voter, err));
    m->voter = voter.id;
    return poll_finish(p, voter.id, err);
}

peck_status poll_import(struct poll *p, const char *path, size_t *n_added, peck_error *err)
{
    struct import m = { .poll = p };
    const struct votes_change change = { write_import, apply_import, &m };
    peck_prefs *prefs = NULL;
    peck_status st;

    if (n_added != NULL)
        *n_added = 0;
    TRY(poll_check(p, err));
    st = sum_file(path, &m.sum, err);
    if (st == PECK_OK)
        st = peck_prefs_read(&prefs, path, NULL, 0, err);
    m.prefs = prefs;
    if (st == PECK_OK)
        st = import_items(&m, err);
    if (st == PECK_OK)
        st = import_voter(&m, err);
    if (st == PECK_OK)
        st = unfold(&m, err);
    if (st == PECK_OK)
        st = votes_do(p->votes, &change, err);
    if (st == PECK_OK && n_added != NULL)
        *n_added = m.n;
    peck_prefs_free(prefs);
    mem_free(m.id);
    mem_free(m.row);
    mem_free(m.question);
    return st;
}
