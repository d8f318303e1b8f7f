/* fuzz_trec.c -- a TREC run and qrels, parted by a zero byte.  Byte 0 chooses whether
 * judged queries that the run leaves out count.                                      */
#include "memory_file.h"
#include "promise.h"

#include "data/trec.h"

#include <math.h>

static void promise_trec(const struct trec *t)
{
    promise(t->query_id.n == t->n_queries, "every query has its id");
    promise(t->n_queries == 0 || t->start[0] == 0, "rows start at 0");
    for (size_t q = 0; q < t->n_queries; q++) {
        promise(t->start[q] < t->start[q + 1], "offsets rise");
        for (uint64_t r = t->start[q]; r < t->start[q + 1]; r++) {
            promise(t->label[r] == PECK_UNJUDGED ||
                        (t->label[r] >= 0.0f && isfinite(t->label[r])),
                    "labels are 0 or more, or absent");
            promise(isfinite(t->score[r]) ||
                        (t->score[r] < 0 && t->label[r] != PECK_UNJUDGED),
                    "only judged documents may be without a score");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trec t = { 0 };
    peck_error err = { PECK_OK, "" };
    const uint8_t *qrels;
    size_t n_qrels;

    if (size == 0)
        return 0;
    const size_t n = cut_at_zero(data + 1, size - 1, &qrels, &n_qrels);

    memory_file("run", data + 1, n);
    memory_file("qrels", qrels, n_qrels);
    const peck_status st = trec_read(&t, "run", "qrels", (data[0] & 1) != 0, &err);

    promise_outcome(st, st == PECK_OK ? &t : NULL, &err);
    if (st == PECK_OK)
        promise_trec(&t);
    trec_free(&t);
    memory_clear();
    return 0;
}
