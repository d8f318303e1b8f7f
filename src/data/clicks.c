/* clicks.c -- click-through rates become labels.
 *
 *   label = floor(7 rate) / 2, rate in [0,1]; 1 belongs to the last part
 *
 * Papini and Diligenti 2012, section 5.                                              */
#include "dataset.h"

#include "../base/alloc.h"

enum { N_PARTS = 7 };

static peck_status cut(struct peck_dataset *d, peck_error *err)
{
    for (size_t i = 0; i < d->n_docs; i++) {
        const double rate = (double)d->label[i];

        if (d->label[i] == PECK_UNJUDGED)
            continue;
        if (rate > 1.0)
            return fail(err, PECK_FORMAT,
                        "%s: document %zu has the label %g, which is no click rate: those "
                        "lie in [0,1]",
                        d->name, i + 1, rate);
        const int part = (int)(N_PARTS * rate);

        d->label[i] = (float)(part < N_PARTS ? part : N_PARTS - 1) / 2.0f;
    }
    dataset_count_labels(d);
    return PECK_OK;
}

peck_status peck_dataset_clicks(peck_dataset **out, const peck_dataset *d, peck_error *err)
{
    bool *const mark = mem_new(d->n_queries, sizeof *mark);

    *out = NULL;
    if (mark == NULL)
        return fail_memory(err, d->name, d->n_queries, sizeof *mark);
    peck_status st = dataset_take_marked(out, d, mark, false, err);

    mem_free(mark);
    if (st == PECK_OK)
        st = cut(*out, err);
    if (st != PECK_OK) {
        peck_dataset_free(*out);
        *out = NULL;
    }
    return st;
}
