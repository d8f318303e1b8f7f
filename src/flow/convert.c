/* convert.c -- dataset -> file: one block a query, written whole or not at all. */
#include "../base/pool.h"
#include "../data/dataset.h"
#include "../data/writer.h"

peck_status peck_dataset_write(const peck_dataset *d, const char *path, const char *format,
                               peck_error *err)
{
    struct layout layout = {
        .dim = d->dim,
        .feature_name = &d->feature_name,
        .has_doc_ids = d->doc_id.n > 0,
        .has_doc_weights = d->doc_weight != NULL,
        .has_query_weights = d->query_weight != NULL,
        .has_file_rows = d->file_row != NULL,
    };
    struct pool *pool = NULL;
    struct writer *w;
    peck_status st = PECK_OK;

    /* Rows that a reader gathered name every row of their file once; those of a part of a
     * dataset (a fold) do not, and mean nothing to the new file. */
    for (size_t i = 0; i < d->n_docs && layout.has_file_rows; i++)
        layout.has_file_rows = d->file_row[i] < d->n_docs;

    /* Data that a program made may hold what no file should. */
    if (!d->is_checked) {
        TRY(pool_new(&pool, 0, err));
        st = dataset_check_features(d, true, pool, err);
        pool_free(pool);
        TRY(st);
    }
    TRY(writer_open(&w, path, format, &layout, err));
    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++) {
        const size_t first = d->start[q];

        st = writer_block(
            w,
            &(struct query_block){
                .query = strings_get(&d->query_id, q),
                .docs = dataset_rows(d, q),
                .label = d->label + first,
                .doc_id = d->doc_id.n > 0 ? &d->doc_id : NULL,
                .first_id = first,
                .doc_weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
                .query_weight = d->query_weight != NULL ? d->query_weight[q] : 1.0f,
                .file_row = d->file_row != NULL ? d->file_row + first : NULL,
            },
            err);
    }
    if (st == PECK_OK)
        return writer_commit(w, err);
    writer_abort(w);
    return st;
}
