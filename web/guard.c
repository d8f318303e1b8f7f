/* guard.c -- see guard.h. */
#include "guard.h"

#include "../src/base/json.h"
#include "../src/base/number.h"

#include <stdio.h>
#include <strings.h>

void guard_add_host(struct guard *g, const char *name, unsigned port)
{
    const bool is_v6 = strchr(name, ':') != NULL;

    /* Browsers leave the port of http out. */
    for (int with_port = 1; with_port >= (port == 80 ? 0 : 1); with_port--) {
        if (g->n_hosts == GUARD_HOSTS)
            return;
        char *const to = g->host[g->n_hosts++];
        const int n = snprintf(to, GUARD_HOST, is_v6 ? "[%s]" : "%s", name);

        if (n < 0 || n >= GUARD_HOST - 8) /* a colon, five digits, a zero byte */
            g->n_hosts--;
        else if (with_port)
            snprintf(to + n, 8, ":%u", port % 65536);
    }
}

static bool is_our_host(const struct guard *g, const char *host)
{
    for (size_t i = 0; i < g->n_hosts; i++)
        if (strcasecmp(g->host[i], host) == 0)
            return true;
    return false;
}

/* What sent the request: our own page, by what the browser says of it.  A program that is no
 * browser says nothing, and needs a token like anybody. */
static bool is_from_our_page(const struct guard *g, const struct request *q)
{
    static const char scheme[] = "http://";

    if (q->fetch_site != NULL && strcmp(q->fetch_site, "same-origin") != 0)
        return false;
    return q->origin == NULL || (strncmp(q->origin, scheme, strlen(scheme)) == 0 &&
                                 is_our_host(g, q->origin + strlen(scheme)) &&
                                 strcasecmp(q->origin + strlen(scheme), q->host) == 0);
}

/* A link from elsewhere may lead here; a page from elsewhere may not use what is here. */
static bool is_ours_or_a_link(const struct request *q)
{
    return q->fetch_site == NULL || strcmp(q->fetch_site, "same-origin") == 0 ||
           strcmp(q->fetch_site, "none") == 0 ||
           (q->fetch_mode != NULL && strcmp(q->fetch_mode, "navigate") == 0);
}

/* "application/json", perhaps with parameters. */
static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    const size_t n = strlen(json);

    return type != NULL && strncasecmp(type, json, n) == 0 &&
           (type[n] == '\0' || type[n] == ';' || is_blank(type[n]));
}

struct refusal guard_check(const struct guard *g, const struct request *q)
{
    if (q->host == NULL || !is_our_host(g, q->host))
        return (struct refusal){ 421,
                                 "this server is not known by that name; open the link "
                                 "that peck printed" };
    if (q->method == HTTP_OTHER)
        return (struct refusal){ 405, "use GET or POST" };
    if (q->method == HTTP_GET)
        return is_ours_or_a_link(q)
                   ? (struct refusal){ 0, NULL }
                   : (struct refusal){ 403, "a page from elsewhere may not read this" };
    if (!is_from_our_page(g, q))
        return (struct refusal){ 403,
                                 "a page from elsewhere may not change anything here" };
    if (!is_json(q->content_type))
        return (struct refusal){ 415, "send application/json" };
    return (struct refusal){ 0, NULL };
}

static int hex_digit(char c)
{
    const char low = (char)(c | 0x20);

    return is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* Whether the parts between the slashes are names: the first is empty, and the last may be. */
static bool has_plain_parts(const char *path)
{
    for (const char *p = path; *p == '/';) {
        const size_t n = strcspn(p + 1, "/");
        const peck_span part = { p + 1, n };

        if ((n == 0 && p[1] == '/') || span_is(part, ".") || span_is(part, ".."))
            return false;
        p += 1 + n;
    }
    return path[0] == '/';
}

bool guard_decode(char to[GUARD_PATH], const char *path)
{
    size_t n = 0;

    for (const char *p = path; *p != '\0'; p++) {
        int c = (unsigned char)*p;

        if (c == '%') {
            const int high = hex_digit(p[1]), low = high < 0 ? -1 : hex_digit(p[2]);

            c = low < 0 ? 0 : high * 16 + low;
            p += 2;
            /* A slash that was escaped is no separator, and no name of ours has one. */
            if (c == '/')
                return false;
        }
        if (c < 0x20 || c == 0x7F || c == '\\' || n + 1 >= GUARD_PATH)
            return false;
        to[n++] = (char)c;
    }
    to[n] = '\0';
    for (size_t i = 0, len; i < n; i += len)
        if ((len = utf8_length(to + i, n - i)) == 0)
            return false;
    return has_plain_parts(to);
}

bool guard_same(peck_span a, peck_span b)
{
    volatile unsigned char differs = 0;

    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        differs = (unsigned char)(differs | (a.s[i] ^ b.s[i]));
    return differs == 0;
}

void guard_headers(struct reply *r)
{
    static const struct reply_header always[] = {
        { "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
          "blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
          "frame-ancestors 'none'" },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Permissions-Policy",
          "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
          "magnetometer=(), microphone=(), midi=(), payment=(), usb=()" },
    };

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        reply_header(r, always[i].name, always[i].value);
}
