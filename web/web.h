/* web -- REQUESTS OF BROWSERS -> CALLS OF A POLL -> PAGES AND JSON
 *   in      a poll, an address to listen at, requests of whoever can reach it
 *   out     the page, answers in JSON, pictures, exports
 *   knows   base ask
 *   never   a request believed: guard.h looks at each before a route does; the network beyond
 *   grow    a call: a function and a line in routes.c; a file of the page: one line in static.def
 *
 * web.h is the door.  Inside: http.c turns sockets into struct request and struct reply,
 * and is the only file that knows the HTTP library; routes.c answers a request, and needs
 * no socket for it.                                                                      */
#ifndef WEB_H
#define WEB_H

#include "peck.h"

#include <stdbool.h>

struct poll;

struct web_spec {
    const char
        *address;    /* NULL: loopback, this machine alone.  Anything else needs voters */
    unsigned port;   /* 0: the one that this poll had before if it is free, else any */
    bool has_voters; /* several people, each with a link */
    bool opens_browser; /* where there is one; silent where not */
    /* Hears what to show: a name, "you" for the owner, and the link to open. */
    void (*tell)(void *ctx, const char *name, const char *link);
    bool (*is_over)(void *ctx); /* asked some times a second: whether to stop */
    void *ctx;                  /* for both */
};

/* Serves the poll until is_over says so, then ends what is under way and returns. */
PECK_MUST_CHECK peck_status web_serve(struct poll *p, const struct web_spec *spec,
                                      peck_error *err);

#endif
