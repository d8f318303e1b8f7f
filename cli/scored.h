/* scored.h -- data and a score for each document, from a model or from a file. */
#ifndef SCORED_H
#define SCORED_H

#include "verb.h"

struct scored {
    peck_dataset *data;
    double *score; /* one for each document, in the dataset's order */
    size_t n_queries;
};

/* Tells where a model whose scores depend on the list gets lists that may be pieces: of one
 * document, or with rows of a query that stand apart. */
void warn_of_pieces(struct talk *t, const peck_model *m, const peck_dataset *d);

/* Warns of such. */
peck_status scored_open(struct scored *s, const char *model, const char *data,
                        const peck_read_options *options, const struct call *c);
/* With scores that a decoder finds by comparing; a model that scores needs none and is only
 * decoded when the specification asks for anything.  info->n_pairs 0: nothing was. */
peck_status scored_decode(struct scored *s, const char *model, const char *data,
                          const peck_read_options *options, const peck_decode_spec *spec,
                          peck_decode_info *info, const struct call *c);
/* With scores from a file. */
peck_status scored_read(struct scored *s, const char *scores, const char *data,
                        const peck_read_options *options, peck_error *err);
void scored_free(struct scored *s); /* also one that was given up on */

#endif
