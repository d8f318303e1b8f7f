/* calls.c -- the calls of the page: see calls.h, and routes.c for who may make them.
 *
 * STATE, which most of them answer with:
 *   { revision, asked, left, share, enough, goal, sureness: { first, top5, all },
 *     pair, next: { question, left, right, again } or null,
 *     ranking: [{ item, rank, score, sd, guess }], circle: [a, b, c] or null, finished } */
#include "calls.h"

#include "pictures.h"
#include "static.h"

#include "../src/base/alloc.h"
#include "../src/base/number.h"

#include <math.h>
#include <stdio.h>

enum { DIGITS = 6, HISTORY = 1000 }; /* of scores and shares; answers of a history */

/* Fails with an HTTP status of its own. */
static peck_status deny(struct visit *v, int status, const char *why)
{
    v->refused = status;
    return fail(&v->err, PECK_ARG, "%s", why);
}

/* What a request says ---------------------------------------------------------------------- */

static peck_status need(struct visit *v, const char *key, enum json_type type,
                        const struct json_node **out)
{
    *out = json_get(v->body, key);
    if (*out == NULL || (*out)->type != type)
        return fail(&v->err, PECK_FORMAT, "the request: '%s' is missing or of another kind",
                    key);
    return PECK_OK;
}

/* Ids and counts fit 32 bits. */
static peck_status need_u32(struct visit *v, const char *key, uint32_t *out)
{
    const struct json_node *node;
    uint64_t value;

    *out = 0;
    TRY(need(v, key, JSON_NUMBER, &node));
    if (!json_u64(node, &value) || value > UINT32_MAX)
        return fail(&v->err, PECK_FORMAT, "the request: '%s' is out of range", key);
    *out = (uint32_t)value;
    return PECK_OK;
}

static peck_status need_outcome(struct visit *v, enum poll_outcome *out)
{
    const struct json_node *node;

    TRY(need(v, "outcome", JSON_STRING, &node));
    if (!poll_outcome_find(out, node->text))
        return fail(&v->err, PECK_FORMAT,
                    "the request: unknown outcome '%.*s'; give left, right, tie, skip, "
                    "out-left or out-right",
                    SPAN_ARGS(node->text));
    return PECK_OK;
}

/* "strong" may be left out: *strength is then as before. */
static peck_status take_strength(struct visit *v, int *strength)
{
    const struct json_node *const node = json_get(v->body, "strong");
    bool is_strong;

    if (node == NULL)
        return PECK_OK;
    if (!json_bool(node, &is_strong))
        return fail(&v->err, PECK_FORMAT,
                    "the request: 'strong' is neither true nor false");
    *strength = is_strong ? 2 : 1;
    return PECK_OK;
}

/* What a reply says ---------------------------------------------------------------------- */

static bool sees_all(const struct visit *v)
{
    return v->who.is_owner || v->who.has_finished;
}

static void put_pair(struct json_out *o, const char *key, const struct poll_question *q)
{
    if (q->id[0] == '\0') {
        json_put_null(o, key);
        return;
    }
    json_open(o, key, '{');
    json_put_text(o, "question", span_of(q->id));
    json_put_count(o, "left", q->left);
    json_put_count(o, "right", q->right);
    json_put_bool(o, "again", q->is_again);
    json_close(o, '}');
}

static void put_ranking(struct json_out *o, const struct poll_standing *s)
{
    json_open(o, "ranking", '[');
    for (size_t i = 0; i < s->n; i++) {
        json_open(o, NULL, '{');
        json_put_count(o, "item", s->place[i].item);
        json_put_count(o, "rank", s->place[i].rank);
        json_put_number(o, "score", s->place[i].score, DIGITS);
        json_put_number(o, "sd", s->place[i].sd, DIGITS);
        json_put_bool(o, "guess", s->place[i].is_guess);
        json_close(o, '}');
    }
    json_close(o, ']');
}

static void put_sureness(struct json_out *o, const struct poll_standing *s)
{
    json_open(o, "sureness", '{');
    json_put_number(o, "first", s->first, DIGITS);
    json_put_number(o, "top5", s->top, DIGITS);
    json_put_number(o, "all", s->all, DIGITS);
    json_close(o, '}');
}

static void put_circle(struct json_out *o, const char *key, const uint32_t circle[3])
{
    json_open(o, key, '[');
    for (int i = 0; i < 3; i++)
        json_put_count(o, NULL, circle[i]);
    json_close(o, ']');
}

static void put_answers(struct json_out *o, const char *key, const struct poll_answer *a,
                        size_t n, bool tells_who)
{
    json_open(o, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(o, NULL, '{');
        json_put_count(o, "id", a[i].id);
        if (tells_who)
            json_put_count(o, "voter", a[i].voter);
        json_put_count(o, "left", a[i].left);
        json_put_count(o, "right", a[i].right);
        json_put_text(o, "outcome", span_of(poll_outcome_name(a[i].outcome)));
        json_put_bool(o, "strong", a[i].strength > 1);
        json_put_count(o, "when", (uint64_t)(a[i].when > 0 ? a[i].when : 0));
        json_put_number(o, "surprise", a[i].surprise, DIGITS);
        json_close(o, '}');
    }
    json_close(o, ']');
}

/* STATE's members.  Progress is the visitor's own; the owner's is that of all. */
static peck_status put_state(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll *const p = v->routes->poll;
    const bool is_split = !v->who.is_owner && v->who.has_finished;
    struct poll_question question[2];
    struct poll_standing own, all = { 0 };

    TRY(poll_questions(p, v->who.id, question, &v->err));
    TRY(poll_standing(p, v->who.is_owner ? 0 : v->who.id, &own, &v->err));
    peck_status st = is_split ? poll_standing(p, 0, &all, &v->err) : PECK_OK;
    const struct poll_standing *const seen = is_split ? &all : &own;

    if (st == PECK_OK) {
        json_put_count(o, "revision", poll_revision(p));
        json_put_count(o, "asked", own.n_asked);
        json_put_number(o, "left", own.left, DIGITS);
        json_put_number(o, "share", own.share, DIGITS);
        json_put_bool(o, "enough", own.is_enough);
        json_put_count(o, "goal", own.goal);
        put_sureness(o, seen);
        put_pair(o, "pair", &question[0]);
        put_pair(o, "next", &question[1]);
        put_ranking(o, seen);
        if (own.n_circles > 0)
            put_circle(o, "circle", own.circle[0]);
        else
            json_put_null(o, "circle");
        json_put_bool(o, "finished", v->who.has_finished);
    }
    poll_standing_free(&own);
    poll_standing_free(&all);
    return st;
}

static peck_status answer_state(struct visit *v)
{
    json_open(&v->out, NULL, '{');
    TRY(put_state(v));
    json_close(&v->out, '}');
    return PECK_OK;
}

/* The command that ranks the answers anew; a voter is not told where the file lies. */
static void put_command(struct visit *v)
{
    const char *const path = poll_votes(v->routes->poll), *const slash = strrchr(path, '/');
    const char *p = v->who.is_owner || slash == NULL ? path : slash + 1;
    const bool is_plain =
        strspn(p,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-+=,@%") ==
            strlen(p) &&
        p[0] != '-';
    struct text t;

    text_init(&t, 16384);
    text_add_str(&t, is_plain ? "peck decode " : "peck decode '");
    for (; *p != '\0'; p++)
        text_add(&t, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
    text_add_str(&t, is_plain ? "" : "'");
    if (!t.failed)
        json_put_text(&v->out, "command", (peck_span){ t.s, t.len });
    text_free(&t);
}

/* Items ------------------------------------------------------------------------------------ */

static peck_status answer_items(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll_items all;

    TRY(poll_items(v->routes->poll, &all, &v->err));
    json_open(o, NULL, '{');
    json_put_text(o, "title", span_of(poll_title(v->routes->poll)));
    json_put_text(o, "role", span_of(v->who.is_owner ? "owner" : "voter"));
    json_open(o, "voter", '{');
    json_put_count(o, "id", v->who.id);
    json_put_text(o, "name", span_of(v->who.name));
    json_close(o, '}');
    json_open(o, "items", '[');
    for (size_t i = 0; i < all.n; i++) {
        const struct poll_item *const item = &all.item[i];

        json_open(o, NULL, '{');
        json_put_count(o, "id", item->id);
        json_put_text(o, "name", span_of(item->name));
        json_put_text(o, "text", span_of(item->text));
        json_put_text(o, "link", span_of(item->link));
        json_put_bool(o, "picture", item->image[0] != '\0');
        json_put_bool(o, "out", item->is_out || item->is_gone);
        json_close(o, '}');
    }
    json_close(o, ']');
    put_command(v);
    json_close(o, '}');
    poll_items_free(&all);
    return PECK_OK;
}

static peck_status add_items(struct visit *v)
{
    const struct json_node *paste;

    TRY(need(v, "paste", JSON_STRING, &paste));
    TRY(poll_add_items(v->routes->poll, paste->text, NULL, &v->err));
    return answer_items(v);
}

static peck_status set_out(struct visit *v)
{
    const struct json_node *node;
    uint32_t item;
    bool is_out;

    TRY(need_u32(v, "item", &item));
    TRY(need(v, "out", JSON_BOOL, &node));
    json_bool(node, &is_out);
    TRY(poll_set_out(v->routes->poll, item, is_out, &v->err));
    return answer_state(v);
}

static peck_status send_picture(struct visit *v)
{
    struct reply *const r = v->reply;
    char path[4096];
    struct picture picture;
    uint64_t item;

    if (!number_parse_u64(span_of(v->rest), &item) || item > UINT32_MAX ||
        v->routes->folder < 0 ||
        !poll_item_image(v->routes->poll, (uint32_t)item, path, sizeof path))
        return deny(v, 404, "this item has no picture");
    const peck_status st = picture_open(&picture, v->routes->folder, path, &v->err);

    if (st != PECK_OK) {
        v->refused = st == PECK_FORMAT ? 415 : st == PECK_ARG ? 403 : 404;
        return st;
    }
    r->file = picture.file;
    r->n_file = picture.n;
    reply_header(r, "Content-Type", picture.type);
    reply_header_f(r, "ETag", "%s", picture.tag);
    reply_header(r, "Cache-Control", "private, max-age=3600");
    if (v->if_none != NULL && strcmp(v->if_none, picture.tag) == 0) {
        reply_free(r);
        r->status = 304;
    }
    return PECK_OK;
}

/* Questions and answers ------------------------------------------------------------------ */

static peck_status give_answer(struct visit *v)
{
    const struct json_node *question;
    struct poll_answer a = { .strength = 1 };

    TRY(need(v, "question", JSON_STRING, &question));
    TRY(need_u32(v, "left", &a.left));
    TRY(need_u32(v, "right", &a.right));
    TRY(need_outcome(v, &a.outcome));
    TRY(take_strength(v, &a.strength));
    if (question->text.n > POLL_QUESTION ||
        memchr(question->text.s, '\0', question->text.n) != NULL)
        return fail(&v->err, PECK_FORMAT, "the request: 'question' has at most %d letters",
                    POLL_QUESTION);
    memcpy(a.question, question->text.s, question->text.n);
    TRY(poll_answer(v->routes->poll, v->who.id, &a, &v->err));
    return answer_state(v);
}

static peck_status undo_answer(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll_answer undone;

    TRY(poll_undo(v->routes->poll, v->who.id, &undone, &v->err));
    json_open(o, NULL, '{');
    TRY(put_state(v));
    if (undone.id == 0) {
        json_put_null(o, "undone");
    } else {
        json_open(o, "undone", '{');
        json_put_count(o, "left", undone.left);
        json_put_count(o, "right", undone.right);
        json_put_text(o, "outcome", span_of(poll_outcome_name(undone.outcome)));
        json_close(o, '}');
    }
    json_close(o, '}');
    return PECK_OK;
}

static peck_status edit_answer(struct visit *v)
{
    enum poll_outcome outcome;
    uint32_t id;
    int strength = 0;

    TRY(need_u32(v, "id", &id));
    TRY(need_outcome(v, &outcome));
    TRY(take_strength(v, &strength));
    TRY(poll_edit(v->routes->poll, v->who.id, id, outcome, strength, &v->err));
    return answer_state(v);
}

static peck_status delete_answer(struct visit *v)
{
    uint32_t id;

    TRY(need_u32(v, "id", &id));
    TRY(poll_delete(v->routes->poll, v->who.id, id, &v->err));
    return answer_state(v);
}

static peck_status answer_history(struct visit *v)
{
    struct poll_history h;

    TRY(poll_history(v->routes->poll, v->who.is_owner ? 0 : v->who.id, HISTORY, &h,
                     &v->err));
    json_open(&v->out, NULL, '{');
    put_answers(&v->out, "answers", h.answer, h.n, v->who.is_owner);
    json_close(&v->out, '}');
    poll_history_free(&h);
    return PECK_OK;
}

static peck_status set_goal(struct visit *v)
{
    uint32_t top;

    TRY(need_u32(v, "top", &top));
    if (top != 0 && top != 1 && top != 5)
        return fail(&v->err, PECK_FORMAT, "the request: 'top' is 0, 1 or 5");
    TRY(poll_set_goal(v->routes->poll, top, &v->err));
    return answer_state(v);
}

static peck_status finish(struct visit *v)
{
    TRY(poll_finish(v->routes->poll, v->who.id, &v->err));
    v->who.has_finished = true;
    return answer_state(v);
}

/* Several people ------------------------------------------------------------------------- */

static void put_link(struct visit *v, const struct poll_voter *who)
{
    char link[sizeof v->routes->base + POLL_TOKEN + 8];

    snprintf(link, sizeof link, "%s/%c/%s/", v->routes->base, who->is_owner ? 'o' : 'v',
             who->token);
    json_put_text(&v->out, "link", span_of(link));
}

static peck_status answer_voters(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll_voters all;

    TRY(poll_voters(v->routes->poll, &all, &v->err));
    json_open(o, NULL, '{');
    json_open(o, "voters", '[');
    for (size_t i = 0; i < all.n; i++) {
        json_open(o, NULL, '{');
        json_put_count(o, "id", all.voter[i].id);
        json_put_text(o, "name", span_of(all.voter[i].name));
        json_put_bool(o, "owner", all.voter[i].is_owner);
        json_put_bool(o, "finished", all.voter[i].has_finished);
        json_put_count(o, "answers", all.voter[i].n_answers);
        json_put_number(o, "weight", all.voter[i].weight, DIGITS);
        put_link(v, &all.voter[i]);
        json_close(o, '}');
    }
    json_close(o, ']');
    json_close(o, '}');
    poll_voters_free(&all);
    return PECK_OK;
}

static peck_status add_voter(struct visit *v)
{
    const struct json_node *name;
    struct poll_voter who;

    TRY(need(v, "name", JSON_STRING, &name));
    TRY(poll_add_voter(v->routes->poll, name->text, &who, &v->err));
    json_open(&v->out, NULL, '{');
    json_put_count(&v->out, "id", who.id);
    put_link(v, &who);
    json_close(&v->out, '}');
    return PECK_OK;
}

/* Who answered, how far they agree with the order, on which pairs they split. */
static peck_status put_people(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll_voters people;
    struct poll_agreement a;

    TRY(poll_agreement(v->routes->poll, &a, &v->err));
    const peck_status st = poll_voters(v->routes->poll, &people, &v->err);
    size_t n_compared = 0; /* voters: who skipped everything agrees with nobody */

    for (size_t i = 0; i < a.n_voters; i++)
        n_compared += a.voter[i].n_answers > 0;
    if (n_compared < 2) {
        json_put_null(o, "agreement");
    } else {
        json_open(o, "agreement", '{');
        json_put_number(o, "mean", a.mean, DIGITS);
        json_open(o, "splits", '[');
        for (size_t i = 0; i < a.n_splits; i++) {
            json_open(o, NULL, '{');
            json_put_count(o, "a", a.split[i].a);
            json_put_count(o, "b", a.split[i].b);
            json_put_count(o, "for_a", a.split[i].for_a);
            json_put_count(o, "for_b", a.split[i].for_b);
            json_close(o, '}');
        }
        json_close(o, ']');
        json_close(o, '}');
    }
    json_open(o, "voters", '[');
    for (size_t i = 0, k = 0; st == PECK_OK && i < people.n; i++) {
        const struct poll_voter *const who = &people.voter[i];

        /* Both lists are by rising id. */
        while (k < a.n_voters && a.voter[k].voter < who->id)
            k++;
        const bool has_answered = k < a.n_voters && a.voter[k].voter == who->id;

        json_open(o, NULL, '{');
        json_put_count(o, "id", who->id);
        json_put_text(o, "name", span_of(who->name));
        json_put_count(o, "answers", who->n_answers);
        json_put_bool(o, "finished", who->has_finished);
        json_put_number(o, "weight", has_answered ? a.voter[k].weight : who->weight,
                        DIGITS);
        json_put_number(o, "agreement", has_answered ? a.voter[k].share : (double)NAN,
                        DIGITS);
        json_close(o, '}');
    }
    json_close(o, ']');
    poll_voters_free(&people);
    poll_agreement_free(&a);
    return st;
}

/* Results ------------------------------------------------------------------------------------ */

static peck_status put_levels(struct visit *v, const struct poll_standing *s)
{
    struct json_out *const o = &v->out;
    uint32_t *const level = mem_new(s->n, sizeof *level);

    if (level == NULL)
        return fail_memory(&v->err, "levels", s->n, sizeof *level);
    const size_t n = poll_levels(s, 0, level);

    json_open(o, "levels", '[');
    for (size_t k = 0, i = 0; k < n; k++) {
        json_open(o, NULL, '{');
        json_put_text(o, "name", span_of(poll_level_name(k, n)));
        json_open(o, "items", '[');
        for (; i < s->n && level[i] == k; i++)
            json_put_count(o, NULL, s->place[i].item);
        json_close(o, ']');
        json_close(o, '}');
    }
    json_close(o, ']');
    mem_free(level);
    return PECK_OK;
}

/* Odd answers are shown to whose they are, and to the owner, who is told whose. */
static peck_status put_odd(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll_standing s;

    TRY(poll_standing(v->routes->poll, v->who.is_owner ? 0 : v->who.id, &s, &v->err));
    json_open(o, "circles", '[');
    for (size_t i = 0; i < s.n_circles; i++)
        put_circle(o, NULL, s.circle[i]);
    json_close(o, ']');
    put_answers(o, "surprising", s.surprising, s.n_surprising, v->who.is_owner);
    poll_standing_free(&s);
    return PECK_OK;
}

static peck_status answer_results(struct visit *v)
{
    struct json_out *const o = &v->out;
    struct poll_standing s;

    TRY(poll_standing(v->routes->poll, sees_all(v) ? 0 : v->who.id, &s, &v->err));
    json_open(o, NULL, '{');
    put_ranking(o, &s);
    put_sureness(o, &s);
    json_put_count(o, "answers", s.n_answers);
    json_put_count(o, "against", s.n_against);
    peck_status st = put_levels(v, &s);

    poll_standing_free(&s);
    if (st == PECK_OK)
        st = put_odd(v);
    if (st == PECK_OK && sees_all(v)) {
        st = put_people(v);
    } else {
        json_put_null(o, "agreement");
        json_open(o, "voters", '[');
        json_close(o, ']');
    }
    json_put_text(o, "how", span_of(poll_how()));
    put_command(v);
    json_close(o, '}');
    return st;
}

static peck_status send_export(struct visit *v)
{
    static const struct {
        const char *name, *form, *type, *file;
        bool is_owners; /* who answered what is the owner's to see */
    } forms[] = {
        { "csv", "csv", "text/csv; charset=utf-8", "ranking.csv", false },
        { "md", "markdown", "text/markdown; charset=utf-8", "ranking.md", false },
        { "json", "json", "application/json", "ranking.json", true },
    };
    size_t i = 0;
    peck_bytes bytes;

    while (i < sizeof forms / sizeof *forms && strcmp(v->rest, forms[i].name) != 0)
        i++;
    if (i == sizeof forms / sizeof *forms)
        return deny(v, 404, "export/csv, export/md or export/json");
    if (!sees_all(v) || (forms[i].is_owners && !v->who.is_owner))
        return deny(v, 403,
                    sees_all(v)
                        ? "the owner alone may save the answers of all"
                        : "finish first: until then the others' results stay hidden");
    TRY(poll_export(v->routes->poll, forms[i].form, &bytes, &v->err));
    text_add(&v->reply->text, bytes.s, bytes.n);
    poll_export_free(&bytes);
    reply_header(v->reply, "Content-Type", forms[i].type);
    reply_header_f(v->reply, "Content-Disposition", "attachment; filename=\"%s\"",
                   forms[i].file);
    return PECK_OK;
}

/* The page itself ---------------------------------------------------------------------------- */

static peck_status send_page(struct visit *v)
{
    const struct static_file *const page = static_find("ask.html");

    v->reply->fixed = (peck_span){ page->first, (size_t)(page->end - page->first) };
    reply_header(v->reply, "Content-Type", page->type);
    return PECK_OK;
}

const struct page_call page_calls[] = {
    { "", HTTP_GET, false, send_page },
    { "api/items", HTTP_GET, false, answer_items },
    { "api/items", HTTP_POST, true, add_items },
    { "api/out", HTTP_POST, true, set_out },
    { "api/state", HTTP_GET, false, answer_state },
    { "api/answer", HTTP_POST, false, give_answer },
    { "api/undo", HTTP_POST, false, undo_answer },
    { "api/edit", HTTP_POST, false, edit_answer },
    { "api/delete", HTTP_POST, false, delete_answer },
    { "api/history", HTTP_GET, false, answer_history },
    { "api/goal", HTTP_POST, true, set_goal },
    { "api/finish", HTTP_POST, false, finish },
    { "api/results", HTTP_GET, false, answer_results },
    { "api/voters", HTTP_GET, true, answer_voters },
    { "api/voters", HTTP_POST, true, add_voter },
    { "picture/", HTTP_GET, false, send_picture },
    { "export/", HTTP_GET, false, send_export },
    { NULL, HTTP_GET, false, NULL },
};
