/* shared.h -- what several verbs have in common: reading data, judging, printing. */
#ifndef SHARED_H
#define SHARED_H

#include "verb.h"

extern const struct opt reading_rows[]; /* into a peck_read_options */

extern const struct opt match_rows[]; /* into a const char * */

struct judging {
    char *metrics;
    const char *convention; /* a preset, perhaps with parts of its own */
    char *parts;            /* "gain=linear,rel=2"; NULL: none */
    uint64_t seed;
};
extern const struct opt judging_rows[]; /* into a struct judging */
/* The group of the parts; at: where judging.parts lies in the verb's own struct. */
#define JUDGING_PARTS(at)       \
    {                           \
        judging_parts, NULL, at \
    }
extern const char judging_parts[]; /* its title */

/* To standard output: aligned on a terminal, name TAB value in a pipe, or JSON. */
/* How print_report prints: "json", "text" on a terminal, "tsv" in a pipe. */
const char *report_format(int as_json);
peck_status print_report(const peck_report *r, int as_json, peck_error *err);

/* Calls judge() with what the options say, and prints its report. */
typedef peck_status judge_call(peck_report **out, const struct call *c,
                               const peck_judge_spec *spec);
peck_status judge_and_print(const struct call *c, judge_call *judge,
                            const struct judging *j, int threads, int as_json);

/* Fails when the word where a MODEL belongs names something else, and shows the order in
 * which the verb takes its words. */
peck_status expect_model(const struct call *c, const char *path);

/* A reader of our standard output that has left is no failure: turns that into PECK_OK. */
peck_status forgive_closed_pipe(peck_status st);
int stdout_is_closed_pipe(void);

#endif
