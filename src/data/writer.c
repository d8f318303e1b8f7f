/* writer.c -- chooses the format and keeps the order open, blocks, finish, commit; a whole
 * dataset as a file.                                                                  */
#include "writer.h"

#include "../base/alloc.h"
#include "../base/strings.h"
#include "../base/zip.h"
#include "dataset.h"

#include <strings.h>

#define WRITER(name) extern const struct writer_kind writer_##name;
#include "writers.def"
#undef WRITER

#define WRITER(name) &writer_##name.plug,
const struct plug *const writers[] = {
#include "writers.def"
};
#undef WRITER
const size_t n_writers = sizeof writers / sizeof *writers;

struct writer {
    const struct writer_kind *kind;
    struct layout layout;
    struct output *output;
    void *state;
};

/* The ending of a file's name, ".csv", beside ".gz" and ".zst"; a number is none ("part.2",
 * "v0.5"). */
peck_status writer_by_ending(const struct writer_kind **out, const char *path,
                             peck_error *err)
{
    const size_t n = zip_stem(path);
    peck_span ending = { path + n, 0 };
    struct text known;
    size_t at = n;

    while (at > 0 && path[at - 1] != '.' && path[at - 1] != '/')
        at--;
    if (at >= 2 && path[at - 1] == '.' && path[at - 2] != '/' &&
        strspn(path + at, "0123456789-_") < n - at)
        ending = (peck_span){ path + at - 1, n - at + 1 };
    *out = (const struct writer_kind *)writers[0];
    if (ending.n == 0)
        return PECK_OK;
    for (size_t i = 0; i < n_writers; i++) {
        *out = (const struct writer_kind *)writers[i];
        for (const char *const *own = (*out)->endings; *own != NULL; own++)
            if (strlen(*own) == ending.n && strncasecmp(*own, ending.s, ending.n) == 0)
                return PECK_OK;
    }
    /* The first ending of each kind: ".txt and 14 more" is no help. */
    text_init(&known, 256);
    for (size_t i = 0; i < n_writers; i++) {
        const struct writer_kind *const kind = (const struct writer_kind *)writers[i];

        text_printf(&known, "%s%s (%s)",
                    i == 0              ? ""
                    : i + 1 < n_writers ? ", "
                                        : " and ",
                    kind->plug.about.name, kind->endings[0]);
    }
    const peck_status st =
        known.failed
            ? fail_memory(err, path, 256, 1)
            : fail(err, PECK_ARG,
                   "%.200s: there is no writer for %.*s; what can be written is %s: give "
                   "such an ending, or name the format (--to)",
                   path, SPAN_ARGS(ending), known.s);

    text_free(&known);
    return st;
}

/* All but the output, which is committed or aborted before. */
static void writer_free(struct writer *w)
{
    if (w->state != NULL && w->kind->close != NULL)
        w->kind->close(w->state);
    mem_free(w->state);
    mem_free(w);
}

peck_status writer_open(struct writer **out, const char *path, const char *format,
                        const struct layout *l, peck_error *err)
{
    struct writer *const w = mem_new(1, sizeof *w);

    *out = NULL;
    if (w == NULL)
        return fail_memory(err, path, 1, sizeof *w);
    w->layout = *l;
    peck_status st = PECK_OK;

    if (format == NULL)
        st = writer_by_ending(&w->kind, path, err);
    else if ((w->kind = (const struct writer_kind *)plug_find(
                  writers, n_writers, "writer", span_of(format), err)) == NULL)
        st = PECK_ARG;
    if (st == PECK_OK && (w->state = mem_new(1, w->kind->state_size)) == NULL)
        st = fail_memory(err, path, 1, w->kind->state_size);
    if (st == PECK_OK)
        st = output_open(&w->output, path, err);
    if (st == PECK_OK)
        st = w->kind->open(w->state, w->output, &w->layout, err);
    if (st != PECK_OK)
        writer_abort(w);
    else
        *out = w;
    return st;
}

peck_status writer_block(struct writer *w, const struct query_block *b, peck_error *err)
{
    TRY(w->kind->block(w->state, w->output, &w->layout, b, err));
    return output_check(w->output, err);
}

peck_status writer_commit(struct writer *w, peck_error *err)
{
    const peck_status st = w->kind->finish != NULL
                               ? w->kind->finish(w->state, w->output, &w->layout, err)
                               : PECK_OK;

    if (st != PECK_OK) {
        writer_abort(w);
        return st;
    }
    struct output *const o = w->output;

    writer_free(w);
    return output_commit(o, err);
}

void writer_abort(struct writer *w)
{
    if (w == NULL)
        return;
    output_abort(w->output);
    writer_free(w);
}

/* One block a query, written whole or not at all. */
peck_status peck_dataset_write(const peck_dataset *d, const char *path, const char *format,
                               peck_error *err)
{
    const struct layout layout = {
        .dim = d->dim,
        .feature_name = &d->feature_name,
        .has_doc_ids = d->doc_id.n > 0,
        .has_doc_weights = d->doc_weight != NULL,
        .has_query_weights = d->query_weight != NULL,
        .has_file_rows = d->file_row != NULL,
    };
    struct writer *w;

    if (!d->is_checked) {
        struct pool *pool = NULL;

        TRY(pool_new(&pool, 0, err));
        const peck_status st = dataset_check_features(d, true, pool, err);

        pool_free(pool);
        TRY(st);
    }
    TRY(writer_open(&w, path, format, &layout, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const size_t first = d->start[q];
        const struct query_block b = {
            .query = dataset_query_id(d, q),
            .docs = dataset_rows(d, q),
            .label = dataset_labels(d, q),
            .doc_id = d->doc_id.n > 0 ? &d->doc_id : NULL,
            .first_id = first,
            .doc_weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
            .query_weight = dataset_query_weight(d, q),
            .file_row = d->file_row != NULL ? d->file_row + first : NULL,
        };
        const peck_status st = writer_block(w, &b, err);

        if (st != PECK_OK) {
            writer_abort(w);
            return st;
        }
    }
    return writer_commit(w, err);
}
