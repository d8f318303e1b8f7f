/* items.h -- what is to be ranked, as a person has it: a text file, a list in Markdown, a
 * CSV file or a folder of pictures.                                                    */
#ifndef ITEMS_H
#define ITEMS_H

#include "../src/base/strings.h"
#include "poll.h"

/* Items in the order of the file.  All zero: none.  Each text has one string an item, empty
 * where there is none; no control characters (a line break in `text` apart), valid UTF-8. */
struct item_list {
    struct index
        key; /* what an item is known by: its name; of a picture, its file's name */
    struct strings name, text, link, image;
    double *rating; /* NaN: none */
    size_t cap_rating;
    size_t n;
    size_t n_twice;                /* lines whose name was there before: passed over ... */
    char twice[POLL_MAX_NAME + 1]; /* ... and the first of these names */
    size_t n_no_picture;           /* files of a folder that are none */
};

/* A file or a folder. */
MUST_CHECK peck_status items_read(struct item_list *out, const char *path, peck_error *err);
/* Text in memory; `name` begins messages ("NAME:3: ..."). */
MUST_CHECK peck_status items_parse(struct item_list *out, peck_span text, const char *name,
                                   peck_error *err);
void items_free(struct item_list *items);

/* Whether this is valid UTF-8 without control characters, fit for a name of a voter. */
bool items_is_plain(peck_span s);

#endif
