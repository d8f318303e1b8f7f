/* promise.c -- see promise.h. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "promise.h"

#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void promise(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

void promise_outcome(peck_status st, const void *out, const peck_error *err)
{
    promise((st == PECK_OK) == (out != NULL), "there is an object exactly on success");
    promise(st == PECK_OK || err->status == st, "the error holds the status returned");
    promise(st == PECK_OK || err->text[0] != '\0', "a failure says why");
    promise(memchr(err->text, '\0', sizeof err->text) != NULL, "the sentence ends");
    for (const char *p = err->text; st != PECK_OK && *p != '\0'; p++)
        promise(((unsigned char)*p >= ' ' && *p != 0x7F) || *p == '\n',
                "no message moves a cursor");
    promise(st == PECK_OK || st == PECK_FORMAT || st == PECK_SHAPE || st == PECK_ARG ||
                st == PECK_NOMEM,
            "bad bytes are malformed, do not fit, or are too many");
}

static void promise_query(const peck_query *q, size_t dim)
{
    promise(q->n_docs > 0, "no query is empty");
    promise(q->id.n <= MAX_ID, "query ids are within their limit");
    promise(q->weight > 0.0f && isfinite(q->weight), "query weights are positive");
    for (size_t i = 0; i < q->n_docs; i++) {
        promise(q->label[i] == PECK_UNJUDGED ||
                    (q->label[i] >= 0.0f && q->label[i] <= FLT_MAX),
                "labels are 0 or more, or absent");
        promise(q->doc_weight == NULL ||
                    (q->doc_weight[i] > 0.0f && isfinite(q->doc_weight[i])),
                "document weights are positive");
        for (size_t k = 0; k < dim; k++)
            promise(isfinite(q->x[i * q->stride + k]), "features are finite");
    }
}

void promise_dataset(const peck_dataset *d)
{
    peck_dataset_info info;
    peck_query q;
    size_t row = 0, judged = 0;

    peck_dataset_describe(d, &info);
    promise(info.n_docs > 0 && info.n_queries > 0, "a dataset holds a document");
    promise(info.n_features <= MAX_FEATURE, "features are within their limit");
    for (size_t i = 0; i < info.n_queries; i++) {
        peck_dataset_query(d, i, &q);
        promise(q.first == row, "queries follow one another without a gap");
        promise_query(&q, info.n_features);
        for (size_t k = 0; k < q.n_docs; k++)
            judged += q.label[k] != PECK_UNJUDGED;
        row += q.n_docs;
    }
    promise(row == info.n_docs, "every document is in a query");
    promise(judged == info.n_judged, "the judged documents are counted");
    for (size_t i = 0; i < info.n_docs; i++)
        promise(peck_dataset_doc_id(d, i).n <= MAX_ID,
                "document ids are within their limit");
    for (size_t i = 0; i < info.n_features; i++)
        promise(peck_dataset_feature_name(d, i).n <= MAX_LINE, "names fit a line");
}

/* Round trip ---------------------------------------------------------------------- */

static char folder[] = "/tmp/peck-fuzz-XXXXXX";
static char path[sizeof folder + 8];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

const char *promise_path(void)
{
    if (path[0] != '\0')
        return path;
    if (mkdtemp(folder) == NULL)
        abort();
    snprintf(path, sizeof path, "%s/file", folder);
    atexit(remove_folder);
    return path;
}

static bool same_span(peck_span a, peck_span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static void promise_same_query(const peck_query *a, const peck_query *b, size_t dim)
{
    promise(same_span(a->id, b->id) && a->n_docs == b->n_docs && a->weight == b->weight,
            "queries come back");
    for (size_t i = 0; i < a->n_docs; i++) {
        promise(a->label[i] == b->label[i], "labels come back");
        promise((a->doc_weight != NULL ? a->doc_weight[i] : 1.0f) ==
                    (b->doc_weight != NULL ? b->doc_weight[i] : 1.0f),
                "weights come back");
        for (size_t k = 0; k < dim; k++)
            promise(a->x[i * a->stride + k] == b->x[i * b->stride + k],
                    "features come back");
    }
}

static void promise_same(const peck_dataset *a, const peck_dataset *b)
{
    peck_dataset_info ia, ib;
    peck_query qa, qb;

    peck_dataset_describe(a, &ia);
    peck_dataset_describe(b, &ib);
    promise(ia.n_docs == ib.n_docs && ia.n_queries == ib.n_queries, "counts come back");
    promise(ia.n_features == ib.n_features, "every feature comes back");
    for (size_t i = 0; i < ia.n_queries; i++) {
        peck_dataset_query(a, i, &qa);
        peck_dataset_query(b, i, &qb);
        promise_same_query(&qa, &qb, ia.n_features);
    }
    for (size_t i = 0; i < ia.n_docs; i++)
        promise(same_span(peck_dataset_doc_id(a, i), peck_dataset_doc_id(b, i)),
                "document ids come back");
}

/* What a format cannot hold is refused with PECK_ARG. */
void promise_round_trip(const peck_dataset *d, const char *format)
{
    const peck_read_options options = { .format = format, .threads = 1 };
    peck_dataset *again = NULL;
    peck_error err = { PECK_OK, "" };

    const peck_status st = peck_dataset_write(d, promise_path(), format, &err);

    promise(st == PECK_OK || st == PECK_ARG,
            "a dataset is written, or refused with reason");
    if (st != PECK_OK)
        return;
    const peck_status back = peck_dataset_read(&again, path, &options, &err);

    if (back != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    promise(back == PECK_OK, "what was written can be read");
    promise_same(d, again);
    peck_dataset_free(again);
}
