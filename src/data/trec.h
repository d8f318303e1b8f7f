/* trec.h -- a TREC run judged by qrels, as one list of labels and scores per query.
 *
 *   run     query Q0 document rank score [tag]      the rank is not used
 *   qrels   query 0 document relevance              below 0: judged, not relevant      */
#ifndef TREC_H
#define TREC_H

#include "../base/strings.h"

/* Rows of query q are start[q] <= r < start[q + 1]: first what the run retrieved, in its
 * file's order, then what was judged but not retrieved, with score -INFINITY. */
struct trec {
    size_t n_queries;
    struct strings query_id; /* in the order of the qrels */
    uint64_t *start;         /* n_queries + 1 */
    float *label;            /* PECK_UNJUDGED where the qrels are silent */
    double *score;
    struct strings doc_id;
    /* What the two files do not share: judged queries that the run does not answer, queries
     * of the run that nobody judged, and documents of the others that nobody judged. */
    size_t n_unanswered, n_unknown, n_unjudged;
};

/* Queries of the run without qrels are left out.  complete: judged queries that the run
 * leaves out stay, all their documents not retrieved. */
MUST_CHECK peck_status trec_read(struct trec *out, const char *run, const char *qrels,
                                 bool complete, peck_error *err);
void trec_free(struct trec *t);

#endif
