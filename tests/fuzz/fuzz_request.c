/* fuzz_request.c -- requests to the server of a poll, without sockets: whatever is sent is
 * answered, in JSON that can be read, with the headers that guard a page, and what is refused
 * has changed nothing.
 *
 * A case is one request after another, each ended by a line "---":
 *
 *     POST /$o/api/answer        $o, $v, $w: the owner's path, and those of two voters
 *     origin: http://evil        host, origin, site, mode, type, none; without them a good one
 *
 *     {"question":"q", ...}      the body                                                   */
#include "memory_file.h"
#include "promise.h"

#include "base/json.h"
#include "../web/routes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CASES = 200, MOST_ITEMS = 40 }; /* a poll is made anew after so many, or so large */

static char room[64];
static struct routes site;
static char path_of[3][40]; /* "o/TOKEN", "v/TOKEN", "v/TOKEN" */
static int n_cases;

static void put(const char *name, const char *bytes, size_t n)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", room, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    promise(file >= 0 && write(file, bytes, n) == (ssize_t)n, "a file can be written");
    close(file);
}

static void remove_votes(void)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    char path[128];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s/items.csv.votes%s", room, ends[i]);
        unlink(path);
    }
}

static void clear_room(void)
{
    static const char *const names[] = { "items.csv", "a.png", "b.svg", "out.png" };
    char path[128];

    remove_votes();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", room, names[i]);
        unlink(path);
    }
    rmdir(room);
}

/* Items with pictures that are one, are none and lead away.  A folder in memory, where there
 * is one: commits wait for the disk. */
static void make_room(void)
{
    static const char list[] = "name,image,text,link\nA,a.png,,\n<b>B</b>,b.svg,,\n"
                               "C,out.png,,\nD,none.png,,\nE,,,https://x/\nF,,text,\n";
    char path[128];

    snprintf(room, sizeof room, "/dev/shm/request-XXXXXX");
    if (mkdtemp(room) == NULL) {
        snprintf(room, sizeof room, "/tmp/request-XXXXXX");
        promise(mkdtemp(room) != NULL, "a folder can be made");
    }
    atexit(clear_room);
    put("items.csv", list, strlen(list));
    put("a.png", "\x89PNG\r\n\x1A\n", 8);
    put("b.svg", "<svg/>", 6);
    snprintf(path, sizeof path, "%s/out.png", room);
    promise(symlink("/etc/passwd", path) == 0, "a link can be made");
}

static void open_poll(void)
{
    char items[128], votes[128];
    struct poll_voter who[3];
    struct poll_voters all;
    peck_error err = { PECK_OK, "" };

    snprintf(items, sizeof items, "%s/items.csv", room);
    snprintf(votes, sizeof votes, "%s/items.csv.votes", room);
    const struct poll_spec spec = { .items = items, .votes = votes, .threads = 1 };

    site = (struct routes){ .folder = open(room, O_RDONLY | O_DIRECTORY) };
    if (poll_open(&site.poll, &spec, &err) != PECK_OK)
        promise(false, err.text);
    guard_add_host(&site.guard, "h", 80);
    promise(poll_add_voter(site.poll, span_of("v"), &who[1], NULL) == PECK_OK &&
                poll_add_voter(site.poll, span_of("w"), &who[2], NULL) == PECK_OK &&
                poll_voters(site.poll, &all, NULL) == PECK_OK,
            "a poll has voters");
    who[0] = all.voter[0];
    for (int i = 0; i < 3; i++)
        snprintf(path_of[i], sizeof path_of[i], "%c/%s", i == 0 ? 'o' : 'v', who[i].token);
    poll_voters_free(&all);
}

static void close_poll(void)
{
    poll_close(site.poll);
    close(site.folder);
    remove_votes();
}

/* Takes the first line off *s; false at the end. */
static bool take_line(peck_span *s, peck_span *line)
{
    if (s->n == 0)
        return false;
    const char *const end = memchr(s->s, '\n', s->n);
    const size_t n = end != NULL ? (size_t)(end - s->s) : s->n;

    *line = (peck_span){ s->s, n };
    s->s += n + (end != NULL);
    s->n -= n + (end != NULL);
    return true;
}

/* A copy on the heap, ended by a zero byte, so that no byte can be read beyond it. */
static char *copy_of(peck_span s)
{
    char *const copy = malloc(s.n + 1);

    promise(copy != NULL, "memory");
    if (s.n > 0)
        memcpy(copy, s.s, s.n);
    copy[s.n] = '\0';
    return copy;
}

/* "$o/api" with the path of whoever it names; the rest as it is. */
static char *path_from(peck_span s)
{
    static const char names[] = "ovw";
    struct text t;
    char *path;

    text_init(&t, 1 << 16);
    for (size_t i = 0; i < s.n; i++) {
        const char *const who = s.s[i] == '$' && i + 1 < s.n && s.s[i + 1] != '\0'
                                    ? strchr(names, s.s[i + 1])
                                    : NULL;

        if (who != NULL) {
            text_add_str(&t, path_of[who - names]);
            i++;
        } else {
            text_add(&t, s.s + i, 1);
        }
    }
    path = copy_of((peck_span){ t.s, t.len });
    text_free(&t);
    return path;
}

/* What is stored, in a number. */
static uint64_t fingerprint(void)
{
    uint64_t h = poll_goal(site.poll);
    struct poll_history answers;
    struct poll_voters voters;
    struct poll_items items;

    promise(poll_history(site.poll, 0, 0, &answers, NULL) == PECK_OK &&
                poll_voters(site.poll, &voters, NULL) == PECK_OK &&
                poll_items(site.poll, &items, NULL) == PECK_OK,
            "a poll can be looked at");
    for (size_t i = 0; i < answers.n; i++)
        h = h * 31 + answers.answer[i].id * 64 + (unsigned)answers.answer[i].outcome * 4 +
            (unsigned)answers.answer[i].strength;
    for (size_t i = 0; i < voters.n; i++)
        h = h * 31 + voters.voter[i].id * 2 + voters.voter[i].has_finished;
    for (size_t i = 0; i < items.n; i++)
        h = h * 31 + items.item[i].id * 2 + items.item[i].is_out;
    poll_history_free(&answers);
    poll_voters_free(&voters);
    poll_items_free(&items);
    return h;
}

static void promise_reply(const struct request *q, struct reply *r, uint64_t before)
{
    const char *type = NULL;
    struct json j = { 0 };
    bool is_guarded = false, is_sniffed = true, is_kept = true;

    for (size_t i = 0; i < r->n_headers; i++) {
        const char *const name = r->header[i].name, *const value = r->header[i].value;

        promise(strpbrk(value, "\r\n") == NULL, "no header holds two");
        is_guarded = is_guarded || strcmp(name, "Content-Security-Policy") == 0;
        is_sniffed = is_sniffed && strcmp(name, "X-Content-Type-Options") != 0;
        is_kept = is_kept && strcmp(name, "Cache-Control") != 0;
        type = strcmp(name, "Content-Type") == 0 ? value : type;
    }
    promise(is_guarded && !is_sniffed && !is_kept, "every reply has the headers");
    promise(r->status >= 200 && r->status < 500, "no request breaks the server");
    promise((q->method == HTTP_POST && r->status < 400) || fingerprint() == before,
            "who reads or is refused changes nothing");
    if (type != NULL && strcmp(type, "application/json") == 0) {
        promise(json_parse(&j, (peck_span){ r->text.s, r->text.len }, "reply", NULL) ==
                    PECK_OK,
                "what is called JSON is");
        promise(r->status < 400 || json_get(j.node, "error") != NULL, "a refusal says why");
    }
    promise(type == NULL || strncmp(type, "image/", 6) != 0 ||
                strcmp(type, "image/png") == 0 || r->file < 0,
            "the one picture is a png");
    json_free(&j);
}

static void send_request(peck_span text)
{
    struct request q = { .host = "h", .content_type = "application/json" };
    const struct {
        const char *name;
        const char **place;
    } wanted[] = { { "host: ", &q.host },         { "origin: ", &q.origin },
                   { "site: ", &q.fetch_site },   { "mode: ", &q.fetch_mode },
                   { "type: ", &q.content_type }, { "none: ", &q.if_none_match } };
    char *kept[16];
    size_t n_kept = 0;
    peck_span line;
    struct reply r;

    if (!take_line(&text, &line))
        return;
    const char *const blank = line.n > 0 ? memchr(line.s, ' ', line.n) : NULL;
    const size_t n_method = blank != NULL ? (size_t)(blank - line.s) : line.n;
    const peck_span method = { line.s, n_method };
    const size_t skip = n_method + (blank != NULL);

    q.method = span_is(method, "GET")    ? HTTP_GET
               : span_is(method, "POST") ? HTTP_POST
                                         : HTTP_OTHER;
    kept[n_kept++] = path_from((peck_span){ line.s + skip, line.n - skip });
    q.path = kept[0];
    while (take_line(&text, &line) && line.n > 0)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted && n_kept < 15; i++) {
            const size_t n = strlen(wanted[i].name);

            if (line.n >= n && memcmp(line.s, wanted[i].name, n) == 0) {
                kept[n_kept] = copy_of((peck_span){ line.s + n, line.n - n });
                *wanted[i].place = kept[n_kept++];
            }
        }
    kept[n_kept] = malloc(text.n > 0 ? text.n : 1);
    promise(kept[n_kept] != NULL, "memory");
    if (text.n > 0)
        memcpy(kept[n_kept], text.s, text.n);
    q.body = (peck_span){ kept[n_kept++], text.n };
    const uint64_t before = fingerprint();

    reply_init(&r);
    const bool is_in = routes_admit(&site, &q, &r);

    if (!is_in) {
        promise_reply(&q, &r, before);
    } else {
        promise(r.n_headers == 0 && r.text.len == 0, "who is let in has no reply yet");
        routes_answer(&site, &q, &r);
        promise_reply(&q, &r, before);
    }
    reply_free(&r);
    while (n_kept > 0)
        free(kept[--n_kept]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    peck_span rest = { (const char *)data, size }, line, one = { rest.s, 0 };
    struct poll_items items;

    if (room[0] == '\0')
        make_room();
    if (n_cases == 0)
        open_poll();
    while (take_line(&rest, &line)) {
        if (span_is(line, "---")) {
            send_request(one);
            one = (peck_span){ rest.s, 0 };
        } else {
            one.n = (size_t)(rest.s - one.s);
        }
    }
    send_request(one);
    promise(poll_items(site.poll, &items, NULL) == PECK_OK, "items are there");
    n_cases = items.n > MOST_ITEMS ? CASES : n_cases + 1;
    poll_items_free(&items);
    if (n_cases >= CASES) {
        close_poll();
        n_cases = 0;
    }
    return 0;
}
