/* calls.h -- what a visitor whose token was right can do: one function a call. */
#ifndef CALLS_H
#define CALLS_H

#include "routes.h"

#include "../src/base/json.h"

/* A request of somebody who is known. */
struct visit {
    struct routes *routes;
    struct poll_voter who;
    const struct json_node *body; /* of a POST: an object; NULL: a GET */
    struct json_out out;          /* into the reply's text */
    struct reply *reply;
    const char *rest;    /* of the path behind the call's name: "12" of picture/12 */
    const char *if_none; /* If-None-Match, or NULL */
    int refused;         /* HTTP status of a call that fails; 0: by its code */
    peck_error err;
};

struct page_call {
    const char *path; /* ends in a slash: something follows */
    enum http_method method;
    bool is_owners;
    peck_status (*run)(struct visit *v);
};

extern const struct page_call page_calls[]; /* ended by a path that is NULL */

#endif
