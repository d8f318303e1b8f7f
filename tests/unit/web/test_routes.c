/* test_routes.c -- from a request to a reply, without a socket: who may do what, and what is
 * refused.                                                                               */
#include "../web/routes.h"

#include "base/folder.h"
#include "base/json.h"
#include "../web/static.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char room[64];
static struct routes site;
static struct poll_voter owner, ann, ben;
static struct reply reply;
static struct json said; /* the reply's body */

static void put(const char *name, const char *bytes, size_t n)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", room, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(file >= 0 && write(file, bytes, n) == (ssize_t)n && close(file) == 0);
}

/* in/items.csv with pictures of every kind that a list may name; secret.png lies outside. */
static void fill_room(void)
{
    static const char png[] = "\x89PNG\r\n\x1A\n....";
    static const char list[] = "name,image,text,link\n"
                               "good,a.png,,\n"
                               "<script>alert(1)</script>,,<b>bold</b> & \"quoted\",\n"
                               "way,up/secret.png,,\n"
                               "gone,none.png,,\n"
                               "link,out.png,,\n"
                               "drawing,a.svg,,\n"
                               "plain,,,https://example.org/\n";
    char path[128];

    snprintf(path, sizeof path, "%s/in", room);
    assert_int_equal(mkdir(path, 0700), 0);
    put("secret.png", png, sizeof png);
    put("in/items.csv", list, strlen(list));
    put("in/a.png", png, sizeof png);
    put("in/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", 55);
    snprintf(path, sizeof path, "%s/in/out.png", room);
    assert_int_equal(symlink("../secret.png", path), 0);
    snprintf(path, sizeof path, "%s/in/up", room);
    assert_int_equal(symlink("..", path), 0);
}

static int setup(void **state)
{
    char items[128];
    struct poll_voters all;
    peck_error err = { PECK_OK, "" };

    (void)state;
    snprintf(room, sizeof room, "/tmp/routes-XXXXXX");
    assert_non_null(mkdtemp(room));
    fill_room();
    snprintf(items, sizeof items, "%s/in/items.csv", room);
    const struct poll_spec spec = { .items = items, .seed = 1, .threads = 1 };

    site = (struct routes){ .folder = -1 };
    if (poll_open(&site.poll, &spec, &err) != PECK_OK)
        fail_msg("%s", err.text);
    snprintf(items, sizeof items, "%s/in", room);
    site.folder = open(items, O_RDONLY | O_DIRECTORY);
    snprintf(site.base, sizeof site.base, "http://192.0.2.1:8080");
    guard_add_host(&site.guard, "127.0.0.1", 8080);
    assert_int_equal(poll_voters(site.poll, &all, NULL), PECK_OK);
    owner = all.voter[0];
    poll_voters_free(&all);
    assert_int_equal(poll_add_voter(site.poll, span_of("Ann"), &ann, NULL), PECK_OK);
    assert_int_equal(poll_add_voter(site.poll, span_of("Ben"), &ben, NULL), PECK_OK);
    reply_init(&reply);
    return 0;
}

static int teardown(void **state)
{
    char path[256];
    struct strings names = { 0 };

    (void)state;
    json_free(&said);
    reply_free(&reply);
    poll_close(site.poll);
    close(site.folder);
    snprintf(path, sizeof path, "%s/in", room);
    assert_int_equal(folder_list(&names, path, NULL), PECK_OK);
    for (size_t i = 0; i < names.n; i++) {
        snprintf(path, sizeof path, "%s/in/%.*s", room, SPAN_ARGS(strings_get(&names, i)));
        unlink(path);
    }
    strings_free(&names);
    snprintf(path, sizeof path, "%s/secret.png", room);
    unlink(path);
    snprintf(path, sizeof path, "%s/in", room);
    rmdir(path);
    return rmdir(room);
}

static const char *header(const char *name)
{
    for (size_t i = 0; i < reply.n_headers; i++)
        if (strcmp(reply.header[i].name, name) == 0)
            return reply.header[i].value;
    return NULL;
}

/* Sends q; what every reply must have is looked at here. */
static int send(const struct request *q)
{
    json_free(&said);
    reply_free(&reply);
    reply_init(&reply);
    routes_answer(&site, q, &reply);
    assert_non_null(header("Content-Security-Policy"));
    assert_string_equal(header("X-Content-Type-Options"), "nosniff");
    assert_string_equal(header("Referrer-Policy"), "no-referrer");
    assert_string_equal(header("Cross-Origin-Opener-Policy"), "same-origin");
    assert_string_equal(header("Cross-Origin-Resource-Policy"), "same-origin");
    assert_non_null(header("Permissions-Policy"));
    assert_non_null(header("Cache-Control"));
    assert_true(reply.n_headers < REPLY_HEADERS);
    assert_false(reply.text.failed);
    const char *const type = header("Content-Type");

    if (type != NULL && strcmp(type, "application/json") == 0) {
        const peck_span text = { reply.text.s, reply.text.len };

        assert_string_equal(header("Cache-Control"), "no-store");
        assert_int_equal(json_parse(&said, text, "reply", NULL), PECK_OK);
    }
    if (reply.status >= 400)
        assert_non_null(json_get(said.node, "error"));
    return reply.status;
}

static int get_path(const char *path)
{
    const struct request q = { .method = HTTP_GET, .path = path, .host = "127.0.0.1:8080" };

    return send(&q);
}

static const char *path_of(const struct poll_voter *who, const char *call)
{
    static char path[300];

    snprintf(path, sizeof path, "/%c/%s/%s", who->is_owner ? 'o' : 'v', who->token, call);
    return path;
}

static int get(const struct poll_voter *who, const char *call)
{
    return get_path(path_of(who, call));
}

static int post(const struct poll_voter *who, const char *call, const char *body)
{
    const struct request q = { .method = HTTP_POST,
                               .path = path_of(who, call),
                               .host = "127.0.0.1:8080",
                               .origin = "http://127.0.0.1:8080",
                               .fetch_site = "same-origin",
                               .content_type = "application/json",
                               .body = span_of(body) };

    return send(&q);
}

static uint64_t number(const char *key)
{
    const struct json_node *const node = json_get(said.node, key);
    uint64_t value = 0;

    assert_non_null(node);
    assert_true(json_u64(node, &value));
    return value;
}

static uint32_t inside(const char *key)
{
    const struct json_node *const node = json_get(said.node, key);

    assert_non_null(node);
    return node->n_inside;
}

/* How many answers are stored, of all. */
static size_t stored(void)
{
    struct poll_history h;

    assert_int_equal(poll_history(site.poll, 0, 0, &h, NULL), PECK_OK);
    const size_t n = h.n;

    poll_history_free(&h);
    return n;
}

static const char left_wins[] =
    "{\"question\":\"q1\",\"left\":1,\"right\":2,\"outcome\":\"left\",\"strong\":false}";

static void a_token_leads_to_its_own_pages_alone(void **state)
{
    struct poll_voter wrong = owner;

    (void)state;
    assert_int_equal(get(&owner, "api/state"), 200);
    assert_int_equal(get(&ann, "api/state"), 200);
    wrong.token[0] = wrong.token[0] == 'A' ? 'B' : 'A';
    assert_int_equal(get(&wrong, "api/state"), 403);
    wrong = owner;
    wrong.token[POLL_TOKEN - 1] = wrong.token[POLL_TOKEN - 1] == 'A' ? 'B' : 'A';
    assert_int_equal(get(&wrong, "api/state"), 403);
    wrong.token[POLL_TOKEN - 1] = '\0';
    assert_int_equal(get(&wrong, "api/state"), 403);
    wrong.token[0] = '\0';
    assert_int_equal(get(&wrong, "api/state"), 400); /* "/o//": no path */
    wrong = ann;
    wrong.token[0] = wrong.token[0] == 'A' ? 'B' : 'A';
    assert_int_equal(get(&wrong, "api/state"), 403);
    assert_int_equal(post(&wrong, "api/answer", left_wins), 403);
    assert_int_equal(stored(), 0);
    wrong = owner;
    wrong.is_owner = false; /* the owner's token under /v/ */
    assert_int_equal(get(&wrong, "api/state"), 403);
    wrong = ann;
    wrong.is_owner = true; /* a voter's under /o/ */
    assert_int_equal(get(&wrong, "api/state"), 403);
    assert_int_equal(get_path("/"), 404);
    assert_int_equal(get_path("/x/y/"), 404);
    assert_int_equal(get_path("/api/state"), 404);
}

/* Every POST by a voter that is the owner's alone, and what it would have changed. */
static void the_owner_alone_runs_the_poll(void **state)
{
    (void)state;
    assert_int_equal(post(&ann, "api/items", "{\"paste\":\"new\"}"), 403);
    assert_int_equal(post(&ann, "api/out", "{\"item\":1,\"out\":true}"), 403);
    assert_int_equal(post(&ann, "api/goal", "{\"top\":1}"), 403);
    assert_int_equal(post(&ann, "api/voters", "{\"name\":\"Eve\"}"), 403);
    assert_int_equal(get(&ann, "api/voters"), 403);
    assert_int_equal(get(&owner, "api/items"), 200);
    assert_int_equal(inside("items"), 7);
    assert_int_equal(get(&owner, "api/voters"), 200);
    assert_int_equal(inside("voters"), 3);
    assert_int_equal(post(&owner, "api/items", "{\"paste\":\"new\"}"), 200);
    assert_int_equal(inside("items"), 8);
    assert_int_equal(post(&owner, "api/goal", "{\"top\":1}"), 200);
    assert_int_equal(number("goal"), 1);
    assert_int_equal(post(&owner, "api/voters", "{\"name\":\"Eve\"}"), 200);
    const struct json_node *const link = json_get(said.node, "link");

    assert_memory_equal(link->text.s, "http://192.0.2.1:8080/v/", 24);
    assert_int_equal(link->text.n, 24 + POLL_TOKEN + 1);
    assert_int_equal(post(&owner, "api/voters", "{\"name\":\"Eve\"}"), 400);
}

static void methods_are_those_of_the_call(void **state)
{
    (void)state;
    assert_int_equal(get(&owner, "api/answer"), 405);
    assert_non_null(header("Allow"));
    assert_int_equal(get(&owner, "api/undo"), 405);
    assert_int_equal(post(&owner, "api/state", "{}"), 405);
    assert_int_equal(post(&owner, "api/history", "{}"), 405);
    assert_int_equal(post(&owner, "", "{}"), 405);
    assert_int_equal(get(&owner, "api"), 404);
    assert_int_equal(get(&owner, "api/"), 404);
    assert_int_equal(get(&owner, "api/items/"), 404);
    assert_int_equal(get(&owner, "api/itemsx"), 404);
    assert_int_equal(get(&owner, "picture/"), 404);
    assert_int_equal(post(&owner, "picture/1", "{}"), 405);
    struct request q = { .method = HTTP_POST,
                         .path = "/static/ask.js",
                         .host = "127.0.0.1:8080",
                         .content_type = "application/json" };

    assert_int_equal(send(&q), 404);
}

/* A good answer with one thing wrong: it is refused, at the head already, and not stored. */
static void strange_requests_change_nothing(void **state)
{
    const struct request good = { .method = HTTP_POST,
                                  .path = path_of(&owner, "api/answer"),
                                  .host = "127.0.0.1:8080",
                                  .origin = "http://127.0.0.1:8080",
                                  .fetch_site = "same-origin",
                                  .content_type = "application/json",
                                  .body = span_of(left_wins) };
    struct request bad[7];
    const int wanted[7] = { 421, 421, 403, 403, 403, 415, 405 };

    (void)state;
    for (size_t i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].host = "evil.example:8080"; /* a name that was bound anew */
    bad[1].host = NULL;
    bad[2].origin = "http://evil.example";
    bad[3].fetch_site = "cross-site";
    bad[4].origin = "null";
    bad[5].content_type = "text/plain";
    bad[6].method = HTTP_OTHER;
    for (size_t i = 0; i < 7; i++) {
        struct reply r;

        assert_int_equal(send(&bad[i]), wanted[i]);
        assert_int_equal(stored(), 0);
        reply_init(&r);
        assert_false(routes_admit(&site, &bad[i], &r));
        assert_int_equal(r.status, wanted[i]);
        reply_free(&r);
    }
    assert_true(routes_admit(&site, &good, &reply));
    assert_int_equal(send(&good), 200);
    assert_int_equal(stored(), 1);
}

static void bodies_that_say_nothing_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "\"left\"",
        "{\"question\":\"q\"}",
        "{\"question\":\"q\",\"left\":1,\"right\":2}",
        "{\"question\":\"q\",\"left\":1,\"right\":2,\"outcome\":\"up\"}",
        "{\"question\":\"q\",\"left\":1,\"right\":2,\"outcome\":7}",
        "{\"question\":\"q\",\"left\":\"1\",\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"q\",\"left\":-1,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"q\",\"left\":1.5,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"q\",\"left\":4294967297,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"q\",\"left\":1,\"right\":1,\"outcome\":\"left\"}",
        "{\"question\":\"q\",\"left\":1,\"right\":99,\"outcome\":\"left\"}",
        "{\"question\":\"q\",\"left\":0,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"\",\"left\":1,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"a\\u0000b\",\"left\":1,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":\"a b<c>\",\"left\":1,\"right\":2,\"outcome\":\"left\"}",
        "{\"question\":3,\"left\":1,\"right\":2,\"outcome\":\"left\"}",
        ("{\"question\":\"0123456789012345678901234567890123456789012345678\",\"left\":1,"
         "\"right\":2,\"outcome\":\"left\"}"),
        "{\"question\":\"q\",\"left\":1,\"right\":2,\"outcome\":\"left\",\"strong\":1}",
        "{\"question\":\"q\",\"left\":1,\"right\":2,\"outcome\":\"left\"} {}",
        "\xEF\xBB\xBF{}",
    };

    char endless[9000];

    (void)state;
    memset(endless, 'q', sizeof endless);
    memcpy(endless, "{\"question\":\"", 13);
    snprintf(endless + sizeof endless - 60, 60,
             "\",\"left\":1,\"right\":2,\"outcome\":\"left\"}");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (post(&owner, "api/answer", bad[i]) != 400)
            fail_msg("%s: %d", bad[i], reply.status);
    assert_int_equal(stored(), 0);
    for (int i = 0; i < 3; i++) /* no call looks into these, and yet */
        assert_int_equal(post(&ann, "api/finish",
                              i == 0   ? "[]"
                              : i == 1 ? "null"
                                       : "7"),
                         400);
    assert_int_equal(post(&owner, "api/answer", endless), 400);
    assert_int_equal(post(&owner, "api/goal", "{\"top\":2}"), 400);
    assert_int_equal(post(&owner, "api/out", "{\"item\":99,\"out\":true}"), 400);
    assert_int_equal(post(&owner, "api/out", "{\"item\":1,\"out\":1}"), 400);
    assert_int_equal(post(&owner, "api/edit", "{\"id\":1,\"outcome\":\"left\"}"), 400);
    assert_int_equal(post(&owner, "api/delete", "{\"id\":1}"), 400);
    assert_int_equal(post(&owner, "api/items", "{\"paste\":7}"), 400);
    assert_int_equal(post(&owner, "api/voters", "{\"name\":\"\"}"), 400);
    assert_int_equal(get(&owner, "api/items"), 200);
    assert_int_equal(inside("items"), 7);
}

static void an_answer_counts_once_however_often_it_is_sent(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(post(&owner, "api/answer", left_wins), 200);
        assert_int_equal(number("asked"), 1);
    }
    assert_int_equal(stored(), 1);
    assert_int_equal(post(&owner, "api/undo", "{}"), 200);
    const struct json_node *const undone = json_get(said.node, "undone");

    assert_int_equal(undone->type, JSON_OBJECT);
    assert_true(span_is(json_get(undone, "outcome")->text, "left"));
    assert_int_equal(number("asked"), 0);
    assert_int_equal(post(&owner, "api/undo", "{}"), 200);
    assert_int_equal(json_get(said.node, "undone")->type, JSON_NULL);
}

static void the_state_has_a_pair_a_next_one_and_a_ranking(void **state)
{
    (void)state;
    assert_int_equal(get(&owner, "api/state"), 200);
    assert_int_equal(json_get(said.node, "pair")->type, JSON_OBJECT);
    assert_int_equal(json_get(said.node, "next")->type, JSON_OBJECT);
    assert_int_equal(inside("sureness"), 3);
    const uint64_t before = number("revision");

    assert_int_equal(post(&owner, "api/answer", left_wins), 200);
    assert_true(number("revision") > before);
    poll_settle(site.poll, 10);
    assert_int_equal(get(&owner, "api/state"), 200);
    assert_int_equal(inside("ranking"), 7);
    const struct json_node *const first = json_first(json_get(said.node, "ranking"));
    uint64_t item;

    assert_true(json_u64(json_get(first, "item"), &item));
    assert_int_equal(item, 1);
    assert_int_equal(post(&owner, "api/out", "{\"item\":7,\"out\":true}"), 200);
    poll_settle(site.poll, 10);
    assert_int_equal(get(&owner, "api/state"), 200);
    assert_int_equal(inside("ranking"), 6);
}

static void history_can_be_changed_by_whose_it_is(void **state)
{
    uint64_t id;
    char body[80];

    (void)state;
    assert_int_equal(post(&ann, "api/answer", left_wins), 200);
    assert_int_equal(get(&ann, "api/history"), 200);
    assert_int_equal(inside("answers"), 1);
    assert_true(json_u64(json_get(json_first(json_get(said.node, "answers")), "id"), &id));
    snprintf(body, sizeof body, "{\"id\":%u,\"outcome\":\"tie\"}", (unsigned)id);
    assert_int_equal(get(&ben, "api/history"), 200);
    assert_int_equal(inside("answers"), 0);
    assert_int_equal(post(&ben, "api/edit", body), 400);
    assert_int_equal(post(&ben, "api/delete", body), 400);
    assert_int_equal(stored(), 1);
    assert_int_equal(post(&ann, "api/edit", body), 200);
    assert_int_equal(get(&owner, "api/history"), 200);
    const struct json_node *const answer = json_first(json_get(said.node, "answers"));

    assert_true(span_is(json_get(answer, "outcome")->text, "tie"));
    assert_int_equal(post(&owner, "api/delete", body), 200);
    assert_int_equal(stored(), 0);
}

/* Ann's own answers say that 2 is above 1, Ben's that 1 is. */
static void nobody_sees_the_others_before_they_finish(void **state)
{
    static const char *const paths[] = { "api/state", "api/results" };
    uint64_t first;

    (void)state;
    for (int i = 0; i < 4; i++) {
        char body[120];

        snprintf(body, sizeof body,
                 "{\"question\":\"b%d\",\"left\":1,\"right\":2,\"outcome\":\"left\"}", i);
        assert_int_equal(post(&ben, "api/answer", body), 200);
    }
    assert_int_equal(
        post(&ann, "api/answer",
             "{\"question\":\"a1\",\"left\":1,\"right\":2,\"outcome\":\"right\"}"),
        200);
    poll_settle(site.poll, 10);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(get(&ann, paths[i]), 200);
        const struct json_node *const best = json_first(json_get(said.node, "ranking"));

        assert_true(json_u64(json_get(best, "item"), &first));
        assert_int_equal(first, 2);
    }
    assert_int_equal(number("answers"), 1);
    assert_int_equal(inside("voters"), 0);
    assert_int_equal(json_get(said.node, "agreement")->type, JSON_NULL);
    assert_int_equal(get(&ann, "export/csv"), 403);
    assert_int_equal(get(&ann, "api/state"), 200);
    assert_int_equal(number("asked"), 1);

    assert_int_equal(post(&ann, "api/finish", "{}"), 200);
    poll_settle(site.poll, 10);
    assert_int_equal(get(&ann, "api/results"), 200);
    assert_true(
        json_u64(json_get(json_first(json_get(said.node, "ranking")), "item"), &first));
    assert_int_equal(first, 1);
    assert_int_equal(number("answers"), 5);
    assert_int_equal(inside("voters"), 3);
    assert_int_equal(json_get(said.node, "agreement")->type, JSON_OBJECT);
    assert_int_equal(get(&ann, "export/csv"), 200);
    assert_int_equal(get(&ann, "export/json"), 403); /* who answered what */
    assert_int_equal(get(&ben, "export/md"), 403);
    assert_int_equal(get(&owner, "export/json"), 200);
    assert_non_null(strstr(header("Content-Disposition"), "attachment"));
    assert_int_equal(get(&owner, "export/xml"), 404);
    assert_int_equal(get(&owner, "export/md"), 200);
}

/* Two say that 1 is above 2 and 2 above 3; one of them and Ben once say the opposite.  The
 * owner is told whose the odd answers are; the others see their own alone, finished or not. */
static void odd_answers_are_shown_to_whose_they_are(void **state)
{
    static const char *const said_so[][4] = {
        { "1", "2", "left", "left" },  { "2", "3", "left", "left" },
        { "1", "2", "left", "left" },  { "2", "3", "left", "left" },
        { "1", "3", "left", "right" }, { "1", "2", "left", "right" },
    };
    uint64_t voter, n_of_ben = 0;

    (void)state;
    for (size_t i = 0; i < 2 * (sizeof said_so / sizeof *said_so); i++) {
        const char *const *const a = said_so[i / 2];
        char body[120];

        snprintf(body, sizeof body,
                 "{\"question\":\"q%u\",\"left\":%s,\"right\":%s,\"outcome\":\"%s\"}",
                 (unsigned)i, a[0], a[1], a[2 + i % 2]);
        assert_int_equal(post(i % 2 == 0 ? &ann : &ben, "api/answer", body), 200);
    }
    for (int is_done = 0; is_done < 2; is_done++) {
        poll_settle(site.poll, 10);
        assert_int_equal(get(&owner, "api/results"), 200);
        assert_int_equal(inside("surprising"), 2);
        n_of_ben = 0;
        const struct json_node *a = json_first(json_get(said.node, "surprising"));

        for (int i = 0; i < 2; i++, a = json_next(a)) {
            assert_non_null(json_get(a, "voter"));
            assert_true(json_u64(json_get(a, "voter"), &voter));
            n_of_ben += voter == ben.id;
        }
        assert_int_equal(n_of_ben, 2);
        assert_int_equal(get(&ann, "api/results"), 200);
        assert_int_equal(inside("surprising"), 0);
        assert_int_equal(inside("circles"), 0);
        /* A voter's own order may be some answers behind: it comes. */
        for (int tries = 0; tries < 1000; tries++) {
            assert_int_equal(get(&ben, "api/results"), 200);
            if (inside("surprising") > 0 && inside("circles") == 1)
                break;
            nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
        }
        assert_true(inside("surprising") > 0);
        assert_null(json_get(json_first(json_get(said.node, "surprising")), "voter"));
        assert_int_equal(inside("circles"), 1);
        assert_int_equal(post(&ann, "api/finish", "{}"), 200);
        assert_int_equal(post(&ben, "api/finish", "{}"), 200);
    }
}

/* Who skips all agrees with nobody, and does not make it two. */
static void agreement_is_of_two_who_compare(void **state)
{
    (void)state;
    assert_int_equal(post(&ann, "api/answer", left_wins), 200);
    assert_int_equal(
        post(&ben, "api/answer",
             "{\"question\":\"s\",\"left\":1,\"right\":2,\"outcome\":\"skip\"}"),
        200);
    poll_settle(site.poll, 10);
    assert_int_equal(get(&owner, "api/results"), 200);
    assert_int_equal(json_get(said.node, "agreement")->type, JSON_NULL);
    assert_int_equal(
        post(&ben, "api/answer",
             "{\"question\":\"t\",\"left\":1,\"right\":2,\"outcome\":\"tie\"}"),
        200);
    poll_settle(site.poll, 10);
    assert_int_equal(get(&owner, "api/results"), 200);
    const struct json_node *const agreement = json_get(said.node, "agreement");

    assert_int_equal(agreement->type, JSON_OBJECT);
    assert_true(span_is(json_get(agreement, "mean")->text, "0.75"));
}

static void tokens_are_told_to_the_owner_alone(void **state)
{
    static const char *const paths[] = { "api/items", "api/state", "api/history",
                                         "api/results" };

    (void)state;
    assert_int_equal(post(&ann, "api/finish", "{}"), 200);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(get(&ann, paths[i]), 200);
        assert_null(strstr(reply.text.s, owner.token));
        assert_null(strstr(reply.text.s, ben.token));
        assert_null(strstr(reply.text.s, room)); /* nor where the files lie */
    }
    assert_int_equal(get(&owner, "api/voters"), 200);
    assert_non_null(strstr(reply.text.s, ben.token));
    assert_int_equal(get(&owner, "export/json"), 200);
    assert_null(strstr(reply.text.s, ben.token));
    assert_null(strstr(reply.text.s, owner.token));
}

static void names_with_markup_stay_text(void **state)
{
    (void)state;
    assert_int_equal(get(&owner, "api/items"), 200);
    assert_string_equal(header("Content-Type"), "application/json");
    const struct json_node *const second =
        json_next(json_first(json_get(said.node, "items")));

    assert_true(span_is(json_get(second, "name")->text, "<script>alert(1)</script>"));
    assert_true(span_is(json_get(second, "text")->text, "<b>bold</b> & \"quoted\""));
}

static void pictures_come_from_the_folder_alone(void **state)
{
    static const struct {
        const char *call;
        int status;
    } cases[] = {
        { "picture/1", 200 },
        { "picture/2", 404 },
        { "picture/3", 403 },
        { "picture/4", 404 },
        { "picture/5", 403 },
        { "picture/6", 415 },
        { "picture/99", 404 },
        { "picture/x", 404 },
        { "picture/-1", 404 },
        { "picture/4294967297", 404 },
        { "picture/1/", 404 },
        { "picture/..%2fsecret.png", 400 },
        { "picture/../secret.png", 400 },
        { "picture/%2e%2e/secret.png", 400 },
        { "picture//etc/passwd", 400 },
        { "picture/1%00", 400 },
        { "picture/18446744073709551617", 404 },
    };
    char tag[REPLY_VALUE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (get(&owner, cases[i].call) != cases[i].status)
            fail_msg("%s: %d", cases[i].call, reply.status);
    assert_int_equal(get(&owner, "picture/1"), 200);
    assert_string_equal(header("Content-Type"), "image/png");
    assert_string_equal(header("Cache-Control"), "private, max-age=3600");
    assert_true(reply.file >= 0 && reply.n_file > 0);
    snprintf(tag, sizeof tag, "%s", header("ETag"));
    const struct request again = { .method = HTTP_GET,
                                   .path = path_of(&owner, "picture/1"),
                                   .host = "127.0.0.1:8080",
                                   .if_none_match = tag };

    assert_int_equal(send(&again), 304);
    assert_int_equal(reply.file, -1);
}

static void the_page_and_its_files_are_served(void **state)
{
    struct strings names = { 0 };
    char tag[REPLY_VALUE];

    (void)state;
    assert_int_equal(get(&ann, ""), 200);
    assert_string_equal(header("Content-Type"), "text/html; charset=utf-8");
    assert_string_equal(header("Cache-Control"), "no-store");
    assert_true(reply.fixed.n > 0);
    assert_int_equal(folder_list(&names, "web/page", NULL), PECK_OK);
    for (size_t i = 0; i < names.n; i++) {
        char path[100];

        snprintf(path, sizeof path, "/static/%.*s", SPAN_ARGS(strings_get(&names, i)));
        if (get_path(path) != 200)
            fail_msg("%s is not in web/static.def", path);
        assert_true(reply.fixed.n > 0);
        assert_int_equal(reply.fixed.s[reply.fixed.n], 0);
    }
    strings_free(&names);
    snprintf(tag, sizeof tag, "%s", header("ETag"));
    assert_int_equal(get_path("/static/none.js"), 404);
    assert_int_equal(get_path("/static/"), 404);
    assert_int_equal(get_path("/static/../guard.c"), 400);
    assert_int_equal(get_path("/favicon.ico"), 204);
}

static void a_file_that_the_browser_has_is_not_sent_again(void **state)
{
    char tag[REPLY_VALUE];
    struct request q = { .method = HTTP_GET,
                         .path = "/static/ask.js",
                         .host = "127.0.0.1:8080" };

    (void)state;
    assert_int_equal(send(&q), 200);
    snprintf(tag, sizeof tag, "%s", header("ETag"));
    q.if_none_match = tag;
    assert_int_equal(send(&q), 304);
    assert_int_equal(reply.fixed.n, 0);
    q.if_none_match = "\"x\"";
    assert_int_equal(send(&q), 200);
}

static void a_link_without_its_slash_is_led_on(void **state)
{
    char path[100];

    (void)state;
    snprintf(path, sizeof path, "/o/%s", owner.token);
    assert_int_equal(get_path(path), 308);
    assert_memory_equal(header("Location"), path, strlen(path));
    assert_string_equal(header("Location") + strlen(path), "/");
    assert_int_equal(get_path("/o/nobody"), 403);
}

static void the_code_for_the_browser_works_once(void **state)
{
    char path[100];

    (void)state;
    assert_int_equal(get_path("/start/"), 404); /* there is none */
    snprintf(site.start, sizeof site.start, "0123456789abcdefghijkl");
    assert_int_equal(get_path("/start/0123456789abcdefghijkX"), 404);
    assert_int_equal(get_path("/start/0123456789abcdefghijkl"), 303);
    snprintf(path, sizeof path, "/o/%s/", owner.token);
    assert_string_equal(header("Location"), path);
    assert_int_equal(get_path("/start/0123456789abcdefghijkl"), 404);
    assert_null(header("Location"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_token_leads_to_its_own_pages_alone),
        CASE(the_owner_alone_runs_the_poll),
        CASE(methods_are_those_of_the_call),
        CASE(strange_requests_change_nothing),
        CASE(bodies_that_say_nothing_are_refused),
        CASE(an_answer_counts_once_however_often_it_is_sent),
        CASE(the_state_has_a_pair_a_next_one_and_a_ranking),
        CASE(history_can_be_changed_by_whose_it_is),
        CASE(nobody_sees_the_others_before_they_finish),
        CASE(odd_answers_are_shown_to_whose_they_are),
        CASE(agreement_is_of_two_who_compare),
        CASE(tokens_are_told_to_the_owner_alone),
        CASE(names_with_markup_stay_text),
        CASE(pictures_come_from_the_folder_alone),
        CASE(the_page_and_its_files_are_served),
        CASE(a_file_that_the_browser_has_is_not_sent_again),
        CASE(a_link_without_its_slash_is_led_on),
        CASE(the_code_for_the_browser_works_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
