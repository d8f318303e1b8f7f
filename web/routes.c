/* routes.c -- who asks, and for what: from a request to a call, and back to a reply. */
#include "calls.h"

#include "static.h"

#include <stdio.h>

static void answer_error(struct reply *r, int status, const char *why)
{
    struct json_out o = { .to = &r->text };

    r->status = status;
    r->text.len = 0;
    reply_header(r, "Content-Type", "application/json");
    json_open(&o, NULL, '{');
    json_put_text(&o, "error", span_of(why));
    json_close(&o, '}');
}

/* What a path asks for. */
struct wish {
    char path[GUARD_PATH]; /* without escapes */
    char kind;             /* 'o', 'v': of whoever has the token; 's': of everybody */
    peck_span token;
    const char *rest; /* behind the token and its slash */
    struct poll_voter who;
    const struct page_call *call;
};

/* "/o/TOKEN/rest".  A token without its slash has a rest that is NULL. */
static bool take_apart(struct wish *w)
{
    const char *const p = w->path;

    if ((p[1] != 'o' && p[1] != 'v') || p[2] != '/')
        return false;
    w->kind = p[1];
    w->token = (peck_span){ p + 3, strcspn(p + 3, "/") };
    w->rest = w->token.s[w->token.n] == '/' ? w->token.s + w->token.n + 1 : NULL;
    return true;
}

static const struct page_call *find_call(const char *rest, enum http_method method,
                                         bool *is_path)
{
    *is_path = false;
    for (const struct page_call *c = page_calls; c->path != NULL; c++) {
        const size_t n = strlen(c->path);
        const bool has_more = n > 0 && c->path[n - 1] == '/';

        if (strncmp(rest, c->path, n) != 0 || (rest[n] != '\0') != has_more)
            continue;
        *is_path = true;
        if (c->method == method)
            return c;
    }
    return NULL;
}

/* All that can be said without a body: NULL when the request may go on. */
static struct refusal look_at(struct routes *s, const struct request *q, struct wish *w)
{
    const struct refusal bad = guard_check(&s->guard, q);
    bool is_path;

    if (bad.status != 0)
        return bad;
    if (!guard_decode(w->path, q->path))
        return (struct refusal){ 400, "this is no path of this server" };
    if (!take_apart(w)) {
        w->kind = 's';
        return q->method == HTTP_GET
                   ? (struct refusal){ 0, NULL }
                   : (struct refusal){ 404,
                                       "there is nothing here; open the link that peck "
                                       "printed" };
    }
    if (!poll_find_voter(s->poll, w->token, &w->who) || w->who.is_owner != (w->kind == 'o'))
        return (struct refusal){ 403,
                                 "this link is not known here; ask whoever sent it for "
                                 "a new one" };
    if (w->rest == NULL)
        return (struct refusal){ 0, NULL };
    w->call = find_call(w->rest, q->method, &is_path);
    if (w->call == NULL && is_path)
        return (struct refusal){ 405, "this is read by GET and changed by POST" };
    if (w->call == NULL)
        return (struct refusal){ 404, "there is no such call" };
    if (w->call->is_owners && !w->who.is_owner)
        return (struct refusal){ 403, "the owner alone may do this" };
    return (struct refusal){ 0, NULL };
}

static void refuse_wish(struct reply *r, const struct refusal *bad)
{
    answer_error(r, bad->status, bad->why);
    if (bad->status == 405)
        reply_header(r, "Allow", "GET, HEAD, POST");
    reply_header(r, "Cache-Control", "no-store");
    guard_headers(r);
}

bool routes_admit(void *ctx, const struct request *q, struct reply *r)
{
    struct wish w = { .rest = NULL };
    const struct refusal bad = look_at(ctx, q, &w);

    if (bad.status != 0)
        refuse_wish(r, &bad);
    return bad.status == 0;
}

/* FNV-1a: enough to tell one build's file from another's. */
static uint64_t hash_of(peck_span s)
{
    uint64_t h = 0xCBF29CE484222325ULL;

    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.s[i]) * 0x100000001B3ULL;
    return h;
}

/* Files of the page, and what leads the owner's browser there. */
static void answer_everybody(struct routes *s, const struct request *q, const char *path,
                             struct reply *r)
{
    static const char statics[] = "/static/", start[] = "/start/";
    const bool is_start = strncmp(path, start, strlen(start)) == 0;
    const struct static_file *const file = strncmp(path, statics, strlen(statics)) == 0
                                               ? static_find(path + strlen(statics))
                                               : NULL;

    if (file != NULL) {
        r->fixed = (peck_span){ file->first, (size_t)(file->end - file->first) };
        reply_header(r, "Content-Type", file->type);
        reply_header_f(r, "ETag", "\"%016llx\"", (unsigned long long)hash_of(r->fixed));
        reply_header(r, "Cache-Control", "no-cache");
        if (q->if_none_match != NULL && strcmp(q->if_none_match, r->value[0]) == 0) {
            r->status = 304;
            r->fixed = (peck_span){ "", 0 };
        }
        return;
    }
    reply_header(r, "Cache-Control", "no-store");
    if (strcmp(path, "/favicon.ico") == 0) {
        r->status = 204;
    } else if (is_start && s->start[0] != '\0' &&
               guard_same(span_of(path + strlen(start)), span_of(s->start)) &&
               !atomic_exchange(&s->was_started, true)) {
        struct poll_voters all;

        r->status = 303;
        if (poll_voters(s->poll, &all, NULL) == PECK_OK)
            reply_header_f(r, "Location", "/o/%s/", all.voter[0].token);
        poll_voters_free(&all);
    } else {
        answer_error(r, 404, "there is nothing here; open the link that peck printed");
    }
}

static int status_of(peck_status st)
{
    return st == PECK_ARG || st == PECK_FORMAT ? 400 : st == PECK_NOMEM ? 503 : 500;
}

/* One call of somebody who is known. */
static void answer_visit(struct routes *s, const struct request *q, const struct wish *w,
                         struct reply *r)
{
    struct visit v = { .routes = s,
                       .who = w->who,
                       .out = { .to = &r->text },
                       .reply = r,
                       .rest = w->rest + strlen(w->call->path),
                       .if_none = q->if_none_match };
    struct json body = { 0 };
    peck_status st = PECK_OK;

    if (q->method == HTTP_POST) {
        st = json_parse(&body, q->body, "the request", &v.err);
        v.body = body.node;
        if (st == PECK_OK && body.node->type != JSON_OBJECT)
            st = fail(&v.err, PECK_FORMAT, "the request: no object; send {...}");
    }
    if (st == PECK_OK)
        st = w->call->run(&v);
    if (st == PECK_OK && r->text.failed)
        st = fail(&v.err, PECK_NOMEM, "out of memory; try again in a moment");
    json_free(&body);
    if (st != PECK_OK) {
        const int status = v.refused != 0 ? v.refused : status_of(st);

        /* What went wrong on the owner's machine names its files. */
        reply_free(r);
        reply_init(r);
        answer_error(
            r, status,
            status < 500 || w->who.is_owner
                ? v.err.text
                : "something went wrong on the owner's machine; tell the owner, and "
                  "try again");
    } else if (r->n_headers == 0) {
        reply_header(r, "Content-Type", "application/json");
    }
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->header[i].name, "Cache-Control") == 0)
            return;
    reply_header(r, "Cache-Control", "no-store");
}

void routes_answer(void *ctx, const struct request *q, struct reply *r)
{
    struct routes *const s = ctx;
    struct wish w = { .rest = NULL };
    const struct refusal bad = look_at(s, q, &w);

    if (bad.status != 0) {
        refuse_wish(r, &bad);
        return;
    }
    if (w.kind == 's') {
        answer_everybody(s, q, w.path, r);
    } else if (w.rest == NULL) {
        /* Links of the page are relative: they need the slash. */
        r->status = 308;
        reply_header_f(r, "Location", "/%c/%.*s/", w.kind, SPAN_ARGS(w.token));
        reply_header(r, "Cache-Control", "no-store");
    } else {
        answer_visit(s, q, &w, r);
    }
    guard_headers(r);
}
