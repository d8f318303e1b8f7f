/* guard.h -- what a request must be before anybody looks at what it wants.
 *
 * Other pages in the same browser can send requests here: a form of theirs (CSRF), or a name
 * of theirs that suddenly leads to this machine (DNS rebinding).  So the name that was asked
 * for must be one of ours, and who changes something must come from our own page.  Strangers
 * on the network know no token.                                                          */
#ifndef GUARD_H
#define GUARD_H

#include "http.h"

enum { GUARD_HOSTS = 64, GUARD_HOST = 300, GUARD_PATH = 512 };

struct guard {
    char host[GUARD_HOSTS][GUARD_HOST]; /* as browsers write them: "127.0.0.1:8080" */
    size_t n_hosts;
};

/* A name or an address, bare ("::1"), under which the server at this port can be asked;
 * beyond GUARD_HOSTS they are left out. */
void guard_add_host(struct guard *g, const char *name, unsigned port);

struct refusal {
    int status; /* 0: none */
    const char *why;
};

/* Host, where it comes from, method, content type. */
struct refusal guard_check(const struct guard *g, const struct request *q);

/* The path without escapes into to[GUARD_PATH].  False for what no link of ours has: parts
 * "." and "..", empty parts, backslashes, control characters, bytes that are no UTF-8, half
 * escapes, and paths that are too long. */
bool guard_decode(char to[GUARD_PATH], const char *path);

/* Whether two texts are the same, in a time that tells their lengths alone. */
bool guard_same(peck_span a, peck_span b);

/* What every reply tells the browser. */
void guard_headers(struct reply *r);

#endif
