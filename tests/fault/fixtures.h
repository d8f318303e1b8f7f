/* fixtures.h -- the files and models that the operations work on; what cannot be made ends
 * the program.                                                                        */
#ifndef FIXTURES_H
#define FIXTURES_H

#include "peck.h"

#include <stdbool.h>

void must(bool holds, const char *what);

/* All of files.h into this folder. */
void write_files(void);
/* Two nets that compare, of two features and one unit with its dual. */
void write_comparator(const char *path);
void write_committee(const char *path, const peck_model *a, const peck_model *b);
/* A model of some features of a file. */
peck_model *train_narrow(const char *path, const char *features);
/* Two trees that score alone. */
peck_model *train_trees(const peck_dataset *d);
/* Its files, but for hidden ones; how many went. */
size_t empty_folder(const char *path);

#endif
