/* origin.h -- where a page of results comes from: the command, as it was typed, and when. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "verb.h"

/* "peck cv -m ridge 'my data.txt'", as a shell takes it; freed by the caller, NULL: no
 * memory. */
char *origin_command(const struct call *c);
/* The same for one method of -m alone (NULL: all of them), without what shapes no result:
 * names of outputs, --threads, --json, -q, -v and the like. */
char *origin_of_method(const struct call *c, const char *method);

/* "2026-11-16 23:10 UTC".  SOURCE_DATE_EPOCH, in seconds, stands for the clock where it is
 * set, so that the same runs can give the same bytes. */
enum { MOMENT_ROOM = 32 };
const char *origin_moment(char room[MOMENT_ROOM]);

#endif
