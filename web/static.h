/* static.h -- the files of the page, built into the program. */
#ifndef STATIC_H
#define STATIC_H

#include "../src/base/view.h"

struct static_file {
    const char *name, *type;
    const char *first, *end;
};

extern const struct static_file static_files[];          /* ended by a name that is NULL */
const struct static_file *static_find(const char *name); /* NULL: none */

#endif
