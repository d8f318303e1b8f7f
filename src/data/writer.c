/* writer.c -- chooses the format and keeps the order open, blocks, finish, commit. */
#include "writer.h"

#include "../base/alloc.h"
#include "../base/text.h"
#include "../base/zip.h"

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

/* The ending of a file's name, ".csv", among the first n bytes of the path; n = 0: it has
 * none, and a number is none either ("part.2", "v0.5"). */
static peck_span ending_of(const char *path, size_t n)
{
    size_t at = n;

    while (at > 0 && path[at - 1] != '.' && path[at - 1] != '/')
        at--;
    if (at < 2 || path[at - 1] != '.' || path[at - 2] == '/' ||
        strspn(path + at, "0123456789-_") >= n - at)
        return (peck_span){ path + n, 0 };
    return (peck_span){ path + at - 1, n - at + 1 };
}

/* ".txt and 14 more" is no help: the first ending of each kind is. */
static peck_status refuse_ending(const char *path, peck_span ending, peck_error *err)
{
    struct text known;

    text_init(&known, 256);
    for (size_t i = 0; i < n_writers; i++) {
        const struct writer_kind *const kind = (const struct writer_kind *)writers[i];

        text_add_str(&known, i == 0 ? "" : i + 1 < n_writers ? ", " : " and ");
        text_add_str(&known, kind->plug.about.name);
        text_add_str(&known, " (");
        text_add_str(&known, kind->endings[0]);
        text_add_str(&known, ")");
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

peck_status writer_by_ending(const struct writer_kind **out, const char *path,
                             peck_error *err)
{
    const peck_span ending = ending_of(path, zip_stem(path));

    *out = (const struct writer_kind *)writers[0];
    if (ending.n == 0)
        return PECK_OK;
    for (size_t i = 0; i < n_writers; i++) {
        *out = (const struct writer_kind *)writers[i];
        for (const char *const *known = (*out)->endings; *known != NULL; known++)
            if (strlen(*known) == ending.n && strncasecmp(*known, ending.s, ending.n) == 0)
                return PECK_OK;
    }
    return refuse_ending(path, ending, err);
}

static peck_status start(struct writer *w, const char *path, const char *format,
                         peck_error *err)
{
    if (format == NULL)
        TRY(writer_by_ending(&w->kind, path, err));
    else
        w->kind = (const struct writer_kind *)plug_find(writers, n_writers, "writer",
                                                        span_of(format), err);
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
