/* scored.h -- data and a score for each document, from a model or from a file. */
#ifndef SCORED_H
#define SCORED_H

#include "verb.h"

struct scored {
    peck_dataset *data;
    double *score; /* one for each document, in the dataset's order */
    size_t n_queries;
};

/* To be judged by its order.  match: how the model's features are found, as in
 * peck_dataset_match; what a person should know of that is told. */
peck_status scored_open(struct scored *s, const struct call *c, const char *model,
                        const char *data, const peck_read_options *options,
                        const char *match);
/* To be printed: warns where scores that depend on the list are of lists that may be pieces.
 * With scores that a decoder finds by comparing; a model that scores needs none and is only
 * decoded when the specification asks for anything.  info->n_pairs 0: nothing was. */
peck_status scored_decode(struct scored *s, const struct call *c, const char *model,
                          const char *data, const peck_read_options *options,
                          const char *match, const peck_decode_spec *spec,
                          peck_decode_info *info);
/* With scores from a file. */
peck_status scored_read(struct scored *s, const char *scores, const char *data,
                        const peck_read_options *options, peck_error *err);
/* data as the model wants it, to be freed before data is; told as above. */
peck_status match_data(peck_dataset **out, const struct call *c, const peck_dataset *data,
                       const peck_model *m, const char *match);
void scored_free(struct scored *s); /* also one that was given up on */

#endif
