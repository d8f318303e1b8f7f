/* http.h -- sockets to plain structs and back.  What a request may cost is bounded here:
 * connections, bytes of the head and the body, seconds.                                  */
#ifndef HTTP_H
#define HTTP_H

#include "../src/base/strings.h"

enum http_method {
    HTTP_GET,
    HTTP_POST,
    HTTP_OTHER
}; /* HEAD is a GET; its body stays here */

/* Headers as sent; NULL: not sent, or (host) sent more than once. */
struct request {
    enum http_method method;
    const char *path; /* as sent: escaped, without the query */
    const char *host, *origin, *fetch_site, *fetch_mode, *content_type, *if_none_match;
    peck_span body;
};

enum { REPLY_HEADERS = 20, REPLY_VALUE = 160 };

struct reply {
    int status;
    struct reply_header {
        const char *name, *value;
    } header[REPLY_HEADERS];
    size_t n_headers;
    char value[3][REPLY_VALUE]; /* of headers that are made for this reply */
    size_t n_values;
    struct text text; /* the body; or, when it is empty: */
    peck_span fixed;  /* bytes that outlive the server; or, when these are none: */
    int file;         /* a file to send, which is closed then; -1: none */
    size_t n_file;    /* its bytes */
};

void reply_init(struct reply *r);
/* value must outlive the reply. */
void reply_header(struct reply *r, const char *name, const char *value);
/* The same with a value that is written into the reply; at most 3, cut at REPLY_VALUE. */
void reply_header_f(struct reply *r, const char *name, const char *fmt, ...) PRINTF(3, 4);
void reply_free(struct reply *r); /* closes the file too */

/* Who answers.  Both may be called on several threads at once. */
struct http_site {
    void *ctx;
    /* With the head alone, before any byte of a body is taken: false when *r says why the
     * request is refused. */
    bool (*admit)(void *ctx, const struct request *q, struct reply *r);
    void (*answer)(void *ctx, const struct request *q, struct reply *r);
};

enum {
    HTTP_BODY = 256 << 10,     /* bytes of a body */
    HTTP_BODIES = 32 << 20,    /* of all bodies that are under way */
    HTTP_HEAD = 32 << 10,      /* of request line and headers */
    HTTP_CONNECTIONS = 800,    /* below the usual limit of open files */
    HTTP_PER_ADDRESS = 500,    /* so that no address takes them all */
    HTTP_THREADS = 8,          /* handlers wait for the disk: more than cores */
    HTTP_IDLE_SECONDS = 10,    /* without a byte */
    HTTP_REQUEST_SECONDS = 20, /* for a whole request, however steadily it drips */
    HTTP_DRAIN_SECONDS = 3     /* for replies under way when the server stops */
};

struct http;

/* Serves a socket that listens; it is the server's from now on, and closed on failure too. */
MUST_CHECK peck_status http_start(struct http **out, int listener,
                                  const struct http_site *site, peck_error *err);
/* To be called every second or so: ends the connections that take too long. */
void http_tend(struct http *h);
/* Takes no more connections, lets replies under way go out, ends.  Takes NULL. */
void http_stop(struct http *h);

/* NULL when there is a server in this build; else what is missing. */
const char *http_missing(void);

#endif
