/* read_scores.c -- a score file: one number a line, in the order of the data file. */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "cells.h"

#include <math.h>

/* How many scores the rest of the file holds; only for the message. */
static size_t count_rest(struct lines l)
{
    peck_span line;
    size_t n = 0;

    while (lines_next(&l, &line))
        n += span_trim(line).n > 0;
    return n;
}

/* The number on a line of its own; NULL when the quick road does not lead there. */
static inline const char *read_line(const char *p, const char *end, double *value)
{
    const char *const stop = number_read(p, value);

    if (stop == NULL || stop >= end || *stop != '\n' || !isfinite(*value))
        return NULL;
    return stop + 1;
}

/* A line that is not just a number and a newline: blanks, CR, no newline, or wrong. */
static peck_status read_odd_line(struct lines *l, const char *name, bool *got,
                                 double *value, peck_error *err)
{
    peck_span line;
    const size_t first = l->number + 1;

    *got = false;
    while (!*got && lines_next(l, &line))
        *got = span_trim(line).n > 0;
    if (!*got)
        return PECK_OK;
    line = span_trim(line);
    if (l->number > first)
        return fail(err, PECK_FORMAT, "%s:%zu: a blank line among the scores", name, first);
    if (!number_parse(line, value) || !isfinite(*value))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' is no score; each line holds one finite number", name,
                    l->number, SPAN_ARGS(line));
    return PECK_OK;
}

static peck_status read_lines(double *score, size_t n_docs, const struct input *in,
                              const char *data, peck_error *err)
{
    struct lines l = lines_of(in);
    size_t n = 0;
    bool got = true;
    double value = 0;

    while (got) {
        const char *const next = read_line(l.p, l.end, &value);

        if (next != NULL) {
            l.p = next;
            l.number++;
        } else {
            TRY(read_odd_line(&l, in->name, &got, &value, err));
        }
        if (got && n == n_docs)
            return fail(err, PECK_SHAPE, "%s:%zu: %zu scores for the %zu documents of %s",
                        in->name, l.number, n + 1 + count_rest(l), n_docs, data);
        if (got)
            score[n++] = value;
    }
    if (n < n_docs)
        return fail(err, PECK_SHAPE,
                    "%s:%zu: the file ends after %zu scores; %s has %zu "
                    "documents",
                    in->name, l.number, n, data, n_docs);
    return PECK_OK;
}

/* From file order to the dataset's. */
static peck_status reorder(double *score, const struct peck_dataset *d, peck_error *err)
{
    if (d->file_row == NULL)
        return PECK_OK;
    double *const in_file = mem_new(d->n_docs, sizeof *in_file);

    if (in_file == NULL)
        return fail_memory(err, "the scores", d->n_docs, sizeof *in_file);
    memcpy(in_file, score, d->n_docs * sizeof *score);
    for (size_t r = 0; r < d->n_docs; r++)
        score[r] = in_file[d->file_row[r]];
    mem_free(in_file);
    return PECK_OK;
}

peck_status peck_scores_read(double *score, const char *path, const peck_dataset *d,
                             peck_error *err)
{
    struct input in = { 0 };

    TRY(input_open(&in, path, err));
    peck_status st = input_blame(&in, read_lines(score, d->n_docs, &in, d->name, err), err);

    if (st == PECK_OK)
        st = reorder(score, d, err);
    input_close(&in);
    return st;
}
