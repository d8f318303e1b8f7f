/* room.c -- where lists are ordered; see listing.h. */
#include "listing.h"

#include <stdlib.h>

peck_status room_open(struct room *r, const peck_dataset *d, peck_error *err)
{
    peck_dataset_info info;
    peck_query q;
    size_t longest = 1;

    peck_dataset_describe(d, &info);
    for (size_t i = 0; i < info.n_queries; i++) {
        peck_dataset_query(d, i, &q);
        longest = q.n_docs > longest ? q.n_docs : longest;
    }
    r->order = calloc(longest, sizeof *r->order);
    r->class_at = calloc(longest, sizeof *r->class_at);
    r->gap = calloc(longest, sizeof *r->gap);
    r->is_peak = calloc(longest, sizeof *r->is_peak);
    return r->order != NULL && r->class_at != NULL && r->gap != NULL && r->is_peak != NULL
               ? PECK_OK
               : refuse(err, PECK_NOMEM, "out of memory");
}

peck_status room_order(const struct room *r, const struct listing *l, size_t n_classes,
                       peck_error *err)
{
    const size_t n = l->query.n_docs;
    const peck_status st = peck_order(l->score, n, r->order, err);

    if (st != PECK_OK)
        return st;
    peck_gaps(l->score, r->order, n, r->gap, r->is_peak);
    return n_classes > 0 ? peck_classes(r->gap, n, n_classes, r->class_at, err) : PECK_OK;
}

void room_free(struct room *r)
{
    free(r->order);
    free(r->class_at);
    free(r->gap);
    free(r->is_peak);
}
