/* plug.h -- everything a user can name begins with a struct plug: lookup, help, listing
 * and "did you mean" exist once.                                                     */
#ifndef PLUG_H
#define PLUG_H

#include "param.h"

struct plug {
    peck_plug about; /* name, title (one line), doc (a paragraph, with the source) */
    const struct param *params; /* ended by a PARAM_END row; NULL: none */
};

/* The plug of this name in plugs[n], or NULL with a sentence: "unknown metric 'ndgc';
 * did you mean 'ndcg'?  See `peck list metrics`." (PECK_ARG). */
const struct plug *plug_find(const struct plug *const *plugs, size_t n, const char *kind,
                             peck_span name, peck_error *err);

/* Fails with that same sentence. */
peck_status plug_unknown(const struct plug *const *plugs, size_t n, const char *kind,
                         peck_span name, peck_error *err);

#endif
