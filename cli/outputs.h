/* outputs.h -- what a verb writes, looked at before any work begins.
 *
 * An output is refused if it is a file that the verb reads, or if it would take the place
 * of a file that holds something else than what will be written.  --force overrides. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "verb.h"

/* For a verb's own struct `args`, which has an int is_forced. */
#define FORCE_ROW(args)                                           \
    {                                                             \
        "force", 0, OPT_FLAG, NULL, NULL,                         \
            "write even over an input or a file of another kind", \
            offsetof(args, is_forced)                             \
    }

/* A file to be written. */
struct output_file {
    const char *path;    /* NULL: none; "-": standard output */
    const char *content; /* as peck_file_content has it; "data": text or a cache */
};

/* The files that are read; all zero: none. */
struct input_files {
    char **path; /* owned */
    size_t n;
    int is_short_of_memory; /* told by outputs_check */
};
void input_files_add(struct input_files *in, const char *path); /* NULL: nothing */
/* A data file, and what is read beside it. */
void input_files_add_data(struct input_files *in, const char *path,
                          const peck_read_options *options);

void input_files_free(struct input_files *in);

/* Fails with what is wrong with the first of out[n]; else all of them can be written. */
peck_status outputs_look(const struct call *c, const struct output_file *out, size_t n,
                         const struct input_files *in, int is_forced);
/* The same; the list of inputs is freed. */
peck_status outputs_check(const struct call *c, const struct output_file *out, size_t n,
                          struct input_files *in, int is_forced);

/* "a model", "text", ... for people. */
const char *show_content(const char *content);
/* "MODEL DATA" of "MODEL DATA [options]": the words that the verb takes, in their order. */
peck_span order_of_words(const struct call *c);

#endif
