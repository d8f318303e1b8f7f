/* read_cache.c -- the binary cache: a safetensors file that is mapped, not copied.
 *
 *   features          F32 [n, d]    the dataset's x points here
 *   labels            F32 [n]       -1: not judged
 *   query_offsets     U64 [q + 1]   0, ..., n, rising: the rows of query i
 *   query_ids         U8 [bytes]    with query_id_offsets U64 [q + 1]; without: 1, 2, ...
 *   doc_ids           U8 [bytes]    with doc_id_offsets U64 [n + 1]; optional
 *   feature_names     U8 [bytes]    with feature_name_offsets U64 [d + 1]; optional
 *   doc_weights       F32 [n]       optional
 *   query_weights     F32 [q]       optional
 *   file_rows         U64 [n]       row of the text it came from; when rows were gathered
 *
 * Up to seven zero bytes may follow the last string of a U8 tensor.  Opening looks at
 * everything but the features: those are checked by the first verb that uses them.   */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/tensors.h"

#include <math.h>

/* A damaged file is still told by its name, so that the message speaks of a cache. */
static int sniff_cache(const struct input *in)
{
    static const char *const endings[] = { CACHE_ENDINGS };
    const size_t n = in->name != NULL ? strlen(in->name) : 0;

    if (tensors_sniff(in))
        return 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t k = strlen(endings[i]);

        if (n > k && strcmp(in->name + n - k, endings[i]) == 0)
            return 2;
    }
    return 0;
}

/* *to (some pointer) becomes the n elements of a tensor: in place, or as a copy where a
 * foreign program put them at an address that does not suit their type.  An optional one
 * that is absent leaves *to as it is. */
static peck_status take_array(void *to, const struct tensors *t, const char *name,
                              enum tensor_type type, uint64_t n, bool is_optional,
                              peck_error *err)
{
    const struct tensor *from;

    if (is_optional && tensors_find(t, name) == NULL)
        return PECK_OK;
    TRY(tensors_get(&from, t, name, type, 1, (uint64_t[]){ n }, err));
    const void *array = from->data;

    if (!tensor_is_aligned(from)) {
        void *const copy = mem_new(n, tensor_type_size(type));

        if (copy == NULL)
            return fail_memory(err, t->name, n, tensor_type_size(type));
        memcpy(copy, from->data, from->end - from->begin);
        array = copy;
    }
    memcpy(to, &array, sizeof array);
    return PECK_OK;
}

/* n strings; in place when the offsets stand where a uint64_t may.  Offsets run from 0, never
 * fall, and leave at most the padding over; none is longer than an id may be. */
static peck_status take_strings(struct strings *to, const struct tensors *t,
                                const char *bytes_name, const char *offsets_name,
                                uint64_t n, peck_error *err)
{
    const struct tensor *bytes, *offsets;

    if (tensors_find(t, bytes_name) == NULL && tensors_find(t, offsets_name) == NULL)
        return PECK_OK;
    TRY(tensors_get(&bytes, t, bytes_name, TENSOR_U8, 1, (uint64_t[]){ TENSOR_ANY }, err));
    TRY(tensors_get(&offsets, t, offsets_name, TENSOR_U64, 1, (uint64_t[]){ n + 1 }, err));
    if (tensor_is_aligned(offsets)) {
        *to = (struct strings){ .bytes = (char *)bytes->data,
                                .at = (uint64_t *)offsets->data,
                                .n = n,
                                .borrowed = true };
    } else {
        to->n = n;
        to->bytes = mem_new(bytes->end - bytes->begin, 1);
        to->at = mem_new(n + 1, sizeof *to->at);
        if (to->bytes == NULL || to->at == NULL)
            return fail_memory(err, t->name, n + 1, sizeof *to->at);
        memcpy(to->bytes, bytes->data, bytes->end - bytes->begin);
        memcpy(to->at, offsets->data, (n + 1) * sizeof *to->at);
    }
    const uint64_t n_bytes = bytes->end - bytes->begin;
    bool is_good = to->at[0] == 0;

    for (uint64_t i = 0; i < n; i++)
        is_good &= to->at[i] <= to->at[i + 1] && to->at[i + 1] - to->at[i] <= MAX_ID;
    if (!is_good || to->at[n] > n_bytes || n_bytes - to->at[n] >= 8)
        return fail(
            err, PECK_FORMAT,
            "%s: %s do not rise to the end of %s, or an id is longer than %d bytes; "
            "convert the data again",
            t->name, offsets_name, bytes_name, MAX_ID);
    return PECK_OK;
}

/* Of documents or of queries; NULL: all are 1. */
static peck_status check_weights(const float *weight, size_t n, const char *what,
                                 const char *name, peck_error *err)
{
    for (size_t i = 0; weight != NULL && i < n; i++)
        if (!(weight[i] > 0) || !isfinite(weight[i]))
            return fail(err, PECK_FORMAT, "%s: %s %zu: weight %g; weights are above 0",
                        name, what, i, (double)weight[i]);
    return PECK_OK;
}

/* x in place, or copied when a foreign program put it where no float may stand. */
static peck_status take_matrix(struct peck_dataset *d, const struct tensors *t,
                               peck_error *err)
{
    const struct tensor *x;

    TRY(tensors_get(&x, t, "features", TENSOR_F32, 2,
                    (uint64_t[]){ TENSOR_ANY, TENSOR_ANY }, err));
    d->n_docs = x->shape[0];
    d->dim = x->shape[1];
    if (d->n_docs == 0)
        return fail(err, PECK_FORMAT, "%s: holds no document", t->name);
    if (d->dim > MAX_FEATURE)
        return fail(err, PECK_FORMAT, "%s: %zu features are over the limit %d", t->name,
                    d->dim, MAX_FEATURE);
    d->x = (const float *)x->data;
    if (tensor_is_aligned(x))
        return PECK_OK;
    if ((d->x_owned = mem_new(d->n_docs * d->dim, sizeof *d->x_owned)) == NULL)
        return fail_memory(err, t->name, d->n_docs * d->dim, sizeof *d->x_owned);
    memcpy(d->x_owned, x->data, x->end - x->begin);
    d->x = d->x_owned;
    return PECK_OK;
}

/* A file without labels passes only where nobody asks for them.  Bad ones are counted first,
 * without a branch: a good file holds no surprise. */
static peck_status take_labels(struct peck_dataset *d, const struct tensors *t,
                               peck_error *err)
{
    size_t n_bad = 0, i = 0;

    if (tensors_find(t, "labels") == NULL) {
        if ((d->label = mem_new(d->n_docs, sizeof *d->label)) == NULL)
            return fail_memory(err, t->name, d->n_docs, sizeof *d->label);
        for (; i < d->n_docs; i++)
            d->label[i] = PECK_UNJUDGED;
        return PECK_OK;
    }
    TRY(take_array(&d->label, t, "labels", TENSOR_F32, d->n_docs, false, err));
    for (size_t k = 0; k < d->n_docs; k++)
        n_bad += !is_label(d->label[k]);
    if (n_bad == 0)
        return PECK_OK;
    while (is_label(d->label[i]))
        i++;
    return fail(err, PECK_FORMAT,
                "%s: document %zu (counted from 1): label %g; labels are finite and 0 or "
                "more, -1 is not judged",
                t->name, i + 1, (double)d->label[i]);
}

/* Offsets and ids; those of a file that has none are "1", "2", ... */
static peck_status take_queries(struct peck_dataset *d, const struct tensors *t,
                                peck_error *err)
{
    const struct tensor *offsets;
    struct index seen = { 0 };
    peck_status st = PECK_OK;

    TRY(tensors_get(&offsets, t, "query_offsets", TENSOR_U64, 1, (uint64_t[]){ TENSOR_ANY },
                    err));
    if (offsets->shape[0] < 2)
        return fail(err, PECK_FORMAT, "%s: holds no query", t->name);
    d->n_queries = offsets->shape[0] - 1;
    TRY(take_array(&d->start, t, "query_offsets", TENSOR_U64, d->n_queries + 1, false,
                   err));
    for (size_t q = 0; q < d->n_queries; q++)
        if (d->start[q] >= d->start[q + 1] || dataset_query_size(d, q) > MAX_DOCS_IN_QUERY)
            return fail(
                err, PECK_FORMAT,
                "%s: query_offsets do not rise at query %zu; convert the data again",
                t->name, q);
    if (d->start[0] != 0 || d->start[d->n_queries] != d->n_docs)
        return fail(
            err, PECK_FORMAT,
            "%s: query_offsets do not run from 0 to %zu documents; convert the data "
            "again",
            t->name, d->n_docs);
    TRY(take_strings(&d->query_id, t, "query_ids", "query_id_offsets", d->n_queries, err));
    for (size_t q = d->query_id.n; q < d->n_queries; q++)
        if (!strings_add_number(&d->query_id, q + 1))
            return fail_memory(err, "query ids", d->n_queries, sizeof(peck_span));
    for (size_t q = 0; q < d->n_queries && st == PECK_OK; q++) {
        const peck_span id = dataset_query_id(d, q);
        const int64_t at = index_put(&seen, id);

        if (at == INDEX_FULL)
            st = fail_memory(err, t->name, q, sizeof(uint64_t));
        else if ((size_t)at != q)
            st = fail(err, PECK_FORMAT,
                      "%s: query '%.*s' comes twice; its documents must be adjacent",
                      t->name, SPAN_ARGS(id));
    }
    index_free(&seen);
    return st;
}

/* It is used as an index later on, so it must be a permutation. */
static peck_status take_file_rows(struct peck_dataset *d, const struct tensors *t,
                                  peck_error *err)
{
    TRY(take_array(&d->file_row, t, "file_rows", TENSOR_U64, d->n_docs, true, err));
    if (d->file_row == NULL)
        return PECK_OK;
    uint64_t *const seen = mem_new(d->n_docs / 64 + 1, sizeof *seen);
    bool is_good = seen != NULL;

    for (size_t i = 0; i < d->n_docs && is_good; i++) {
        const uint64_t row = d->file_row[i], bit = 1ULL << (row & 63);

        is_good = row < d->n_docs && (seen[row / 64] & bit) == 0;
        if (is_good)
            seen[row / 64] |= bit;
    }
    mem_free(seen);
    if (seen == NULL)
        return fail_memory(err, t->name, d->n_docs / 64 + 1, sizeof *seen);
    return is_good
               ? PECK_OK
               : fail(err, PECK_FORMAT,
                      "%s: file_rows do not name every row once; convert the data again",
                      t->name);
}

/* In the order of the list above; each is checked before the next one relies on it. */
static peck_status take_tensors(struct peck_dataset *d, const struct tensors *t,
                                peck_error *err)
{
    TRY(take_matrix(d, t, err));
    TRY(take_labels(d, t, err));
    TRY(take_queries(d, t, err));
    TRY(take_strings(&d->doc_id, t, "doc_ids", "doc_id_offsets", d->n_docs, err));
    TRY(take_strings(&d->feature_name, t, "feature_names", "feature_name_offsets", d->dim,
                     err));
    for (size_t i = 0; i < d->feature_name.n; i++)
        if (!span_is_one_line(strings_get(&d->feature_name, i)))
            return fail(err, PECK_FORMAT, "%s: the name of feature %zu holds a line break",
                        t->name, i + 1);
    TRY(take_array(&d->doc_weight, t, "doc_weights", TENSOR_F32, d->n_docs, true, err));
    TRY(check_weights(d->doc_weight, d->n_docs, "document", t->name, err));
    TRY(take_array(&d->query_weight, t, "query_weights", TENSOR_F32, d->n_queries, true,
                   err));
    TRY(check_weights(d->query_weight, d->n_queries, "query", t->name, err));
    return take_file_rows(d, t, err);
}

/* The plan ------------------------------------------------------------------------- */

/* Names of features, and which are kept. */
static peck_status choose_features(struct peck_dataset *d, const struct read_plan *plan,
                                   peck_error *err)
{
    struct strings names = { 0 };
    uint32_t *keep = NULL;
    size_t n = 0;

    if (plan->feature_names != NULL) {
        strings_free(&d->feature_name);
        TRY(names_read(&d->feature_name, plan->feature_names, err));
        TRY(names_fit(&d->feature_name, d->dim, d->name, err));
    }
    TRY(columns_parse(&keep, &n, plan->features, &d->feature_name, d->dim, err));
    if (keep == NULL)
        return PECK_OK;
    float *const x = mem_new(d->n_docs, n * sizeof *x);

    if (x == NULL ||
        !strings_add_from(&names, &d->feature_name, keep, d->feature_name.n > 0 ? n : 0)) {
        mem_free(x);
        mem_free(keep);
        strings_free(&names);
        return fail_memory(err, "the chosen features", d->n_docs, n * sizeof *x);
    }
    for (size_t r = 0; r < d->n_docs; r++)
        for (size_t i = 0; i < n; i++)
            x[r * n + i] = dataset_row(d, r)[keep[i]];
    mem_free(keep);
    mem_free(d->x_owned);
    strings_free(&d->feature_name);
    d->x = d->x_owned = x;
    d->dim = n;
    d->feature_name = names;
    return PECK_OK;
}

/* Missing values are NaN in a cache (--missing keep wrote it).  Who says nothing of them
 * gets no look at the features here: they are refused on first use, as anything that is
 * not finite. */
enum { SHARD = 1 << 18 }; /* features a task looks at */

struct nan_count {
    const float *x;
    size_t n, *in_shard;
};

static void count_nan(void *ctx, size_t i, int worker)
{
    const struct nan_count *const c = ctx;
    const size_t lo = i * SHARD, hi = lo + SHARD < c->n ? lo + SHARD : c->n;
    size_t n = 0;

    (void)worker;
    for (size_t k = lo; k < hi; k++)
        n += c->x[k] != c->x[k];
    c->in_shard[i] = n;
}

/* Features that must change are copied; without a missing value, or when they are kept,
 * they stay mapped. */
static peck_status settle_missing(struct peck_dataset *d, const struct read_plan *plan,
                                  peck_error *err)
{
    const size_t n = d->n_docs * d->dim, n_shards = (n + SHARD - 1) / SHARD;
    struct nan_count c = { d->x, n, mem_new(n_shards, sizeof *c.in_shard) };
    bool is_there = false;

    if (c.in_shard == NULL)
        return fail_memory(err, d->name, n_shards, sizeof *c.in_shard);
    pool_run(plan->pool, n_shards, count_nan, &c);
    for (size_t i = 0; i < n_shards; i++)
        is_there |= c.in_shard[i] > 0;
    mem_free(c.in_shard);
    if (!is_there)
        return PECK_OK;
    if (plan->missing != MISSING_KEEP && d->x_owned == NULL) {
        if ((d->x_owned = mem_new(n, sizeof *d->x_owned)) == NULL)
            return fail_memory(err, d->name, n, sizeof *d->x_owned);
        memcpy(d->x_owned, d->x, n * sizeof *d->x_owned);
        d->x = d->x_owned;
    }
    struct builder b = { .n = d->n_docs, .dim = d->dim, .x = (float *)(uintptr_t)d->x };

    TRY(missing_fill(&b, plan->missing, err)); /* writes only where it fills */
    d->n_missing = b.n_missing;
    d->missing_in = b.missing_in;
    d->keeps_missing = b.keeps_missing;
    return PECK_OK;
}

/* A file that lacks what we need was most likely not meant for us. */
static peck_status fill_from_cache(struct peck_dataset *d, const struct read_plan *plan,
                                   peck_error *err)
{
    struct tensors t;

    TRY(tensors_open(&t, &d->mapped, err));
    peck_status st = tensors_check_format(&t, CACHE_FORMAT, err);

    if (st == PECK_OK && (tensors_find(&t, "features") == NULL ||
                          tensors_find(&t, "query_offsets") == NULL ||
                          (!plan->labels_optional && tensors_find(&t, "labels") == NULL)))
        st = fail(
            err, PECK_FORMAT,
            "%s: a safetensors file, but no data cache: it needs the tensors features, "
            "labels and query_offsets; write one with `peck convert`",
            t.name);
    if (st == PECK_OK)
        st = take_tensors(d, &t, err);
    tensors_close(&t);
    TRY(st);
    TRY(plan_check(plan, d->name, false, false, err));
    if (plan->query_sizes != NULL)
        return fail(err, PECK_ARG, "%s: a cache has its queries; leave '%s' out", d->name,
                    plan->query_sizes);
    TRY(choose_features(d, plan, err));
    return plan->missing != MISSING_ERROR ? settle_missing(d, plan, err) : PECK_OK;
}

/* The dataset keeps the mapped bytes: most of its arrays lie in them. */
static peck_status read_cache(struct peck_dataset **out, struct input *in,
                              const struct read_plan *plan, peck_error *err)
{
    struct peck_dataset *const d = dataset_new(in->name);

    *out = NULL;
    if (d == NULL)
        return fail_memory(err, in->name, 1, sizeof *d);
    d->mapped = *in; /* from here on the bytes belong to d */
    d->mapped.name = d->name;
    *in = (struct input){ 0 };
    const peck_status st = fill_from_cache(d, plan, err);

    if (st != PECK_OK) {
        peck_dataset_free(d);
        return st;
    }
    dataset_count_labels(d);
    d->reader = "cache";
    *out = d;
    return PECK_OK;
}

const struct reader reader_cache = {
    .plug = { .about = { "cache", "the binary cache (safetensors), mapped into memory",
                         "Tensors features F32 [n,d], labels F32 [n] (-1: not judged), "
                         "query_offsets U64 [q+1], query_ids, doc_ids and feature_names "
                         "as U8 bytes with U64 offsets, doc_weights, query_weights, "
                         "file_rows. Opens at once, whatever its size; other programs "
                         "read and write it with a safetensors library." } },
    .sniff = sniff_cache,
    .read = read_cache,
};
