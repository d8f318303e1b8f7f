/* listing.h -- a standing as lines of text, for a screen or a pipe. */
#ifndef LISTING_H
#define LISTING_H

#include "../src/base/strings.h"
#include "poll.h"

/* How wide a text is on a screen: its characters. */
size_t show_width(const char *s);
/* A name cut to `width` columns, blanks after it up to there if is_padded. */
void show_name(struct text *to, const char *name, size_t width, bool is_padded);

/* The first `most` places, one a line: rank, name, score ± deviation, and a bar from two
 * deviations below the score to two above it, all bars on one scale.  width: columns of
 * a line; eol: what ends it; is_utf8: whether more than ASCII may be used. */
void show_places(struct text *to, const struct poll_standing *s,
                 const struct poll_items *items, size_t most, size_t width, bool is_utf8,
                 const char *eol);
/* "about 12 more questions for a sure top 5; sure: first 80 %, ...". */
void show_progress(struct text *to, const struct poll_standing *s);
/* "a > b > c > a: ...", where the newest answers go in a circle; else nothing. */
void show_circle(struct text *to, const struct poll_standing *s,
                 const struct poll_items *items, const char *eol);

const char *show_item(const struct poll_items *items, uint32_t id);

#endif
