/* options.h -- options that several verbs have, and the structs they fill. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "ranks.h"
#include "verb.h"

/* A number of peck.h as a user would type it. */
#define AS_TYPED(number) AS_TYPED_(number)
#define AS_TYPED_(number) #number

extern const struct opt reading_rows[]; /* into a peck_read_options */
/* Where there are several processes, each reads its own queries. */
void read_by_ranks(peck_read_options *options);
extern const struct opt match_rows[]; /* into a const char * */

/* Whether lists are to keep rules. */
struct keeping {
    const char *rules;
    int enforces;
};
extern const struct opt keeping_rows[]; /* into a struct keeping */
/* The two go together. */
peck_status keeping_check(const struct keeping *k, peck_error *err);

/* How results are printed. */
struct printing {
    const char
        *format; /* NULL: a table on a terminal; in a pipe, what the verb always did */
    int as_json;
};
extern const struct opt printing_rows[]; /* into a struct printing */
#define JSON_ROW(args, field)                                         \
    {                                                                 \
        "json", 0, OPT_FLAG, NULL, NULL, "the same as --format json", \
            offsetof(args, field)                                     \
    }
/* The rows of a verb with formats of its own; field: its struct printing. */
#define FORMAT_ROWS(args, field, formats)                                  \
    { "format",                                                            \
      0,                                                                   \
      OPT_CHOICE,                                                          \
      formats,                                                             \
      NULL,                                                                \
      "how to print; without it a table on a terminal, and in a pipe tsv", \
      offsetof(args, field.format) },                                      \
        JSON_ROW(args, field.as_json)

/* Single rows, for a verb's own struct `args` with these fields. */
#define FORCE_ROW(args)                                           \
    {                                                             \
        "force", 0, OPT_FLAG, NULL, NULL,                         \
            "write even over an input or a file of another kind", \
            offsetof(args, is_forced)                             \
    }
#define SEED_ROW(args, field, help)                                 \
    {                                                               \
        "seed", 0, OPT_COUNT, "N", "1", help, offsetof(args, field) \
    }
#define THREADS_ROW(args)                                                     \
    {                                                                         \
        "threads", 0, OPT_INT, "N", "0", "worker threads; 0 is one per core", \
            offsetof(args, threads)                                           \
    }
#define CONVENTION_ROW(args, field)                                       \
    {                                                                     \
        "convention", 'c', OPT_TEXT, "NAME", PECK_DEFAULT_CONVENTION,     \
            "which evaluation convention to follow, perhaps with parts: " \
            "letor4,gain=linear (`peck list conventions`)",               \
            offsetof(args, field)                                         \
    }

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

struct training_options {
    const char *method, *norm;
    const char **settings;
    struct judging judging;
    const char *valid_split;
    double binarise;
    uint64_t ensemble;
    int is_alone;
};
extern const struct opt training_rows[]; /* into a struct training_options */

/* Without -m: which method is trained, and where to read which one to take. */
void note_usual_method(const struct call *c);

/* The method by its own name, see method_name; --set KEY=VALUE is refused where KEY is an option
 * of its own: --seed. */
peck_status method_check(struct training_options *t, peck_error *err);

/* The method's own name for what was typed: "LambdaMART" is lambdamart.  What is no method stays
 * for the library to refuse; a metric is refused here. */
peck_status method_name(const char **method, peck_error *err);

/* --rules-weight as peck_train_spec.rules_weight has it: best is 0, auto below 0.  word NULL: it
 * was not given; rules NULL: there is no --rules that it could be for. */
peck_status rules_weight_of(double *out, const char *word, const char *rules,
                            peck_error *err);

/* How much memory a training may take, and where the rest goes. */
struct memory_options {
    const char *size, *scratch;
    size_t bytes; /* 0: any number */
};
extern const struct opt memory_rows[]; /* into a struct memory_options */
/* Reads the size and finds the folder, if there is none; refuses what is no size or folder. */
peck_status memory_check(struct memory_options *m, peck_error *err);

/* Fills all but data, metric, memory and callbacks; refuses numbers that make no sense. */
peck_status training_spec(peck_train_spec *spec, const struct training_options *t,
                          int threads, peck_error *err);

#endif
