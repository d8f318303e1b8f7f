/* folder.h -- the names in a folder. */
#ifndef FOLDER_H
#define FOLDER_H

#include "status.h"
#include "strings.h"

/* Whether `path` is a folder. */
bool is_directory(const char *path);
/* Adds the names in it to *names, sorted, "a2" before "a10"; those that begin with a dot are left
 * out. */
MUST_CHECK peck_status folder_list(struct strings *names, const char *path,
                                   peck_error *err);

#endif
