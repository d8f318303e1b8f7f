/* plug.h -- everything a user can name begins with a struct plug: lookup, help, listing
 * and "did you mean" exist once.
 *
 * Its settings are data: one row gives the key, the check, the help, the default and where
 * the value lands.  Help texts, --set, conventions and man pages all come from these rows. */
#ifndef PLUG_H
#define PLUG_H

#include "strings.h"

#include <stddef.h>
#include <stdint.h>

/* Settings -------------------------------------------------------------------------- */

enum param_type {
    PARAM_END,
    PARAM_INT,    /* int64_t */
    PARAM_FLOAT,  /* double  */
    PARAM_CHOICE, /* int: 0, 1, ... in the order of `allowed` */
    PARAM_TEXT    /* char[PARAM_TEXT_MAX]; `allowed` says in words what it may be */
};

enum { PARAM_TEXT_MAX = 64 }; /* bytes, the closing zero included */

/* Beside a type, `PARAM_INT | PARAM_LATE`: a setting that came when models and checkpoints
 * had been written without it.  What has its default does not tell it, and so has the bytes
 * that it had before. */
enum { PARAM_LATE = 16 };

struct param {
    const char *key;
    enum param_type type; /* perhaps with PARAM_LATE: see param_kind */
    const char *value;    /* the default, as a user would type it */
    const char *allowed;  /* "[0,inf)", "(0,1]"; for a choice "exp|linear" */
    const char *help;
    size_t offset; /* into the configuration struct */
};

static inline enum param_type param_kind(const struct param *row)
{
    return (enum param_type)(row->type & ~PARAM_LATE);
}

/* Sets every field to its default.  A default that does not fit its own row is our
 * mistake (an assertion). */
void param_defaults(const struct param *table, void *config);

/* Sets one; `owner` names the plug for messages: "web: unknown setting 'quries', did
 * you mean 'queries'?".  PECK_ARG on failure. */
MUST_CHECK peck_status param_set(const struct param *table, void *config, const char *owner,
                                 peck_span key, peck_span value, peck_error *err);

/* Sets from "key=value" text. */
MUST_CHECK peck_status param_set_pair(const struct param *table, void *config,
                                      const char *owner, peck_span pair, peck_error *err);

/* Appends the row's present value as a user would type it. */
void param_print(const struct param *row, const void *config, struct text *to);

/* Appends "key=value" of a whole table, in its order, parted by blanks from each other and
 * from what `to` holds; NULL: none. */
void params_print(const struct param *table, const void *config, struct text *to);

/* Plugs ----------------------------------------------------------------------------- */

struct plug {
    peck_plug about; /* name, title (one line), doc (a paragraph, with the source) */
    const struct param *params; /* ended by a PARAM_END row; NULL: none */
};

/* The plug of this name in plugs[n], however it is written ("LambdaMART"), or by what other
 * tools call it where that is the same (words.def); NULL: none. */
const struct plug *plug_named(const struct plug *const *plugs, size_t n, const char *kind,
                              peck_span name);

/* The same, or NULL with a sentence: "unknown metric 'ndgc';
 * did you mean 'ndcg'?  See `peck list metrics`." (PECK_ARG). */
const struct plug *plug_find(const struct plug *const *plugs, size_t n, const char *kind,
                             peck_span name, peck_error *err);

/* Fails with that same sentence. */
peck_status plug_unknown(const struct plug *const *plugs, size_t n, const char *kind,
                         peck_span name, peck_error *err);

#endif
