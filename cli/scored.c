/* scored.c -- see scored.h. */
#include "scored.h"

#include <stdlib.h>
#include <string.h>

peck_status scored_open(struct scored *s, char *const *word,
                        const peck_read_options *options, peck_error *err)
{
    peck_dataset_info info;

    memset(s, 0, sizeof *s);
    peck_status st = peck_model_load(&s->model, word[0], err);

    if (st == PECK_OK)
        st = peck_dataset_read(&s->data, word[1], options, err);
    if (st != PECK_OK)
        return st;
    peck_dataset_describe(s->data, &info);
    s->n_docs = info.n_docs;
    s->n_queries = info.n_queries;
    s->score = calloc(info.n_docs, sizeof *s->score);
    if (s->score == NULL)
        return refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
    return peck_model_score(s->model, s->data, options->threads, s->score, err);
}

void scored_free(struct scored *s)
{
    free(s->score);
    peck_dataset_free(s->data);
    peck_model_free(s->model);
}
