/* writer.c -- chooses the format and keeps the order open, blocks, finish, commit. */
#include "writer.h"

#include "../base/alloc.h"
#include "../base/zip.h"

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

static bool ends_with(const char *s, size_t n, const char *ending)
{
    const size_t k = strlen(ending);

    return n > k && memcmp(s + n - k, ending, k) == 0;
}

static const struct writer_kind *find_by_ending(const char *path)
{
    const size_t n = zip_stem(path);
    const struct writer_kind *otherwise = NULL;

    for (size_t i = 0; i < n_writers; i++) {
        const struct writer_kind *const kind = (const struct writer_kind *)writers[i];

        for (const char *const *ending = kind->endings; *ending != NULL; ending++)
            if (ends_with(path, n, *ending))
                return kind;
        if (otherwise == NULL && kind->endings[0] == NULL)
            otherwise = kind;
    }
    return otherwise;
}

static peck_status start(struct writer *w, const char *path, const char *format,
                         peck_error *err)
{
    w->kind = format != NULL ? (const struct writer_kind *)plug_find(
                                   writers, n_writers, "writer", span_of(format), err)
                             : find_by_ending(path);
    if (w->kind == NULL)
        return PECK_ARG;
    if ((w->state = mem_new(1, w->kind->state_size)) == NULL)
        return fail_memory(err, path, 1, w->kind->state_size);
    TRY(output_open(&w->output, path, err));
    return w->kind->open(w->state, w->output, &w->layout, err);
}

static void release(struct writer *w)
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
    const peck_status st = start(w, path, format, err);

    if (st != PECK_OK)
        writer_abort(w);
    else
        *out = w;
    return st;
}

peck_status writer_block(struct writer *w, const struct block *b, peck_error *err)
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

    release(w);
    return output_commit(o, err);
}

void writer_abort(struct writer *w)
{
    if (w == NULL)
        return;
    output_abort(w->output);
    release(w);
}
