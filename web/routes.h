/* routes.h -- the calls of the page: what each does, and who may make it.
 *
 *     /o/TOKEN/...      the owner's       /v/TOKEN/...   a voter's
 *     /static/NAME      files of the page, for everybody
 *     /start/CODE       leads the owner's browser to the owner's page, once
 *
 * A voter who has not finished sees what their own answers say, and nothing of the others'. */
#ifndef ROUTES_H
#define ROUTES_H

#include "../ask/poll.h"
#include "guard.h"

#include <stdatomic.h>

struct routes {
    struct poll *poll;
    struct guard guard;
    int folder;                 /* where pictures lie; -1: there is none */
    char base[GUARD_HOST + 16]; /* "http://192.0.2.1:8080": links of voters begin so */
    char start[POLL_TOKEN + 1]; /* the code; "": none */
    atomic_bool was_started;
};

/* Both fit struct http_site: ctx is a struct routes.  routes_answer checks again what
 * routes_admit has checked, and so is whole by itself. */
bool routes_admit(void *ctx, const struct request *q, struct reply *r);
void routes_answer(void *ctx, const struct request *q, struct reply *r);

#endif
