/* convert.c -- dataset -> file: one block a query, written whole or not at all. */
#include "../base/pool.h"
#include "../data/dataset.h"
#include "../data/writer.h"

static peck_status check(const struct peck_dataset *d, peck_error *err)
{
    struct pool *pool = NULL;

    if (d->is_checked)
        return PECK_OK;
    TRY(pool_new(&pool, 0, err));
    const peck_status st = dataset_check_features(d, true, pool, err);

    pool_free(pool);
    return st;
}

/* Rows that a reader gathered name every row of their file once; those of a part of a
 * dataset (a fold) do not, and mean nothing to the new file. */
static bool keeps_file_rows(const struct peck_dataset *d)
{
    bool is_whole = d->file_row != NULL;

    for (size_t i = 0; i < d->n_docs && is_whole; i++)
        is_whole = d->file_row[i] < d->n_docs;
    return is_whole;
}

static struct block block_of(const struct peck_dataset *d, size_t query)
{
    const size_t first = d->start[query];

    return (struct block){
        .query = strings_get(&d->query_id, query),
        .docs = dataset_rows(d, query),
        .label = d->label + first,
        .doc_id = d->doc_id.n > 0 ? &d->doc_id : NULL,
        .first_id = first,
        .doc_weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
        .query_weight = d->query_weight != NULL ? d->query_weight[query] : 1.0f,
        .file_row = d->file_row != NULL ? d->file_row + first : NULL,
    };
}

peck_status peck_dataset_write(const peck_dataset *d, const char *path, const char *format,
                               peck_error *err)
{
    const struct layout layout = {
        .dim = d->dim,
        .feature_name = &d->feature_name,
        .has_doc_ids = d->doc_id.n > 0,
        .has_doc_weights = d->doc_weight != NULL,
        .has_query_weights = d->query_weight != NULL,
        .has_file_rows = keeps_file_rows(d),
    };
    struct writer *w;

    TRY(check(d, err));
    TRY(writer_open(&w, path, format, &layout, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const struct block b = block_of(d, q);
        const peck_status st = writer_block(w, &b, err);

        if (st != PECK_OK) {
            writer_abort(w);
            return st;
        }
    }
    return writer_commit(w, err);
}
