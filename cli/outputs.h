/* outputs.h -- what verbs write: files, looked at before any work begins, and reports and
 * names on standard output.                                                           */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "options.h"

/* Files ---------------------------------------------------------------------------------
 * An output is refused if it is a file that the verb reads, or if it would take the place
 * of a file that holds something else than what will be written.  --force overrides. */

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
/* The same, by the process that writes, for all; the list of inputs is freed. */
peck_status outputs_check(const struct call *c, const struct output_file *out, size_t n,
                          struct input_files *in, int is_forced);

/* "a model", "text", ... for people. */
const char *show_content(const char *content);
/* "MODEL DATA" of "MODEL DATA [options]": the words that the verb takes, in their order. */
peck_span order_of_words(const struct call *c);

/* Standard output ----------------------------------------------------------------------- */

/* A reader of our standard output that has left is no failure: turns that into PECK_OK. */
peck_status forgive_closed_pipe(peck_status st);
int stdout_is_closed_pipe(void);

/* The format of a report, as --format has it: "table" on a terminal, "lines" in a pipe. */
const char *printing_format(const struct printing *p);
/* The same of a verb that prints one table: "tsv" in a pipe. */
const char *listing_format(const struct printing *p);
/* Whether that says things for people, too, such as the convention; and sentences. */
int printing_has_notes(const struct printing *p);
int printing_has_sentences(const struct printing *p);
/* Prints a report, if all went well until now (st), and frees it.  r may be NULL. */
peck_status print_report(peck_status st, peck_report *r, const struct printing *p,
                         const struct call *c);

/* Writes a page of results; a person at a terminal is told where it is. */
peck_status write_page(peck_page *p, const char *path, const peck_page_spec *how,
                       const struct call *c);

/* Calls judge() with what the options say, and prints its report. */
typedef peck_status judge_call(peck_report **out, const struct call *c,
                               const peck_judge_spec *spec);
peck_status judge_and_print(const struct call *c, judge_call *judge,
                            const struct judging *j, int threads, const struct printing *p);

/* A name with `blank` for each blank and control character; and as a string of JSON. */
void put_plain(FILE *to, peck_span s, char blank);
void put_json(FILE *to, peck_span s);

#endif
