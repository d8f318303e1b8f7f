/* scores.c -- a score file: one number a line, in the order of the data file. */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/output.h"

#include <math.h>

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
                    "%s:%zu: '%.*s' is not a score; each line holds one number", name,
                    l->number, SPAN_ARGS(line));
    return PECK_OK;
}

/* In the order of the file; most lines are a number and a newline, which is the quick way. */
static peck_status read_score_lines(double *score, size_t n_docs, const struct input *in,
                                    const char *data, peck_error *err)
{
    struct lines l = lines_of(in);
    size_t n = 0;
    bool got = true;
    double value = 0;
    peck_span line;

    for (;; score[n++] = value) {
        const char *const stop = number_read(l.p, &value);

        if (stop != NULL && stop < l.end && *stop == '\n' && isfinite(value)) {
            l.p = stop + 1;
            l.number++;
        } else {
            TRY(read_odd_line(&l, in->name, &got, &value, err));
        }
        if (!got || n == n_docs)
            break;
    }
    if (n < n_docs)
        return fail(err, PECK_SHAPE,
                    "%s:%zu: the file ends after %zu scores, but %s has %zu documents; "
                    "give one number for each",
                    in->name, l.number, n, data, n_docs);
    const size_t last = l.number;

    n += got;
    while (got && lines_next(&l, &line)) /* for the message */
        n += span_trim(line).n > 0;
    return n == n_docs
               ? PECK_OK
               : fail(err, PECK_SHAPE, "%s:%zu: %zu scores for the %zu documents of %s",
                      in->name, last, n, n_docs, data);
}

peck_status peck_scores_read(double *score, const char *path, const peck_dataset *d,
                             peck_error *err)
{
    struct input in = { 0 };

    TRY(input_open(&in, path, err));
    const peck_status st =
        input_blame(&in, read_score_lines(score, d->n_docs, &in, d->name, err), err);

    input_close(&in);
    if (st != PECK_OK || d->file_row == NULL)
        return st;
    /* The file's lines follow the data file; rows of the data may have been brought
     * together: row r stands in line file_row[r]. */
    double *const in_file = mem_new(d->n_docs, sizeof *in_file);

    if (in_file == NULL)
        return fail_memory(err, "the scores", d->n_docs, sizeof *in_file);
    memcpy(in_file, score, d->n_docs * sizeof *score);
    for (size_t r = 0; r < d->n_docs; r++)
        score[r] = in_file[d->file_row[r]];
    mem_free(in_file);
    return PECK_OK;
}

/* Most scores were floats once, and then a float's digits are enough. */
peck_status peck_scores_write(const double *score, const char *path, const peck_dataset *d,
                              peck_error *err)
{
    double *in_file = NULL;
    struct output *o;
    char digits[NUMBER_MAX];

    for (size_t r = 0; r < d->n_docs; r++)
        if (!isfinite(score[r]))
            return fail(err, PECK_ARG,
                        "%s: not written: the score of document %zu (counted from 1) is "
                        "not a number",
                        path, r + 1);
    if (d->file_row != NULL && (in_file = mem_new(d->n_docs, sizeof *in_file)) == NULL)
        return fail_memory(err, "the scores", d->n_docs, sizeof *in_file);
    for (size_t r = 0; d->file_row != NULL && r < d->n_docs; r++)
        in_file[d->file_row[r]] = score[r];
    peck_status st = output_open(&o, path, err);

    for (size_t r = 0; st == PECK_OK && r < d->n_docs; r++) {
        const double v = in_file != NULL ? in_file[r] : score[r];

        if ((double)(float)v == v)
            output_write(o, digits, number_write(digits, (float)v));
        else
            output_printf(o, "%.17g", v);
        output_write(o, "\n", 1);
    }
    mem_free(in_file);
    return st == PECK_OK ? output_commit(o, err) : st;
}
