/* http_missing.c -- in place of http.c where libmicrohttpd is not installed. */
#include "http.h"

#include <unistd.h>

const char *http_missing(void)
{
    return "this peck was built without libmicrohttpd, so there is no --web; install "
           "Debian's libmicrohttpd-dev and run make again, or ask in the terminal";
}

peck_status http_start(struct http **out, int listener, const struct http_site *site,
                       peck_error *err)
{
    (void)site;
    *out = NULL;
    close(listener);
    return fail(err, PECK_ARG, "%s", http_missing());
}

void http_tend(struct http *h)
{
    (void)h;
}

void http_stop(struct http *h)
{
    (void)h;
}
