/* write_scores.c -- a score file: one number a line, in the order of the data file. */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/output.h"

#include <math.h>

/* Most scores were floats once, and then a float's digits are enough. */
static void write_line(struct output *o, double score)
{
    char digits[NUMBER_MAX];

    if ((double)(float)score == score)
        output_write(o, digits, number_write(digits, (float)score));
    else
        output_printf(o, "%.17g", score);
    output_write(o, "\n", 1);
}

/* The dataset's order back to the file's, in fresh memory; NULL: no memory. */
static double *in_file_order(const double *score, const struct peck_dataset *d)
{
    double *const in_file = mem_new(d->n_docs, sizeof *in_file);

    for (size_t r = 0; in_file != NULL && r < d->n_docs; r++)
        in_file[d->file_row[r]] = score[r];
    return in_file;
}

peck_status peck_scores_write(const double *score, const char *path, const peck_dataset *d,
                              peck_error *err)
{
    double *in_file = NULL;
    struct output *o;

    for (size_t r = 0; r < d->n_docs; r++)
        if (!isfinite(score[r]))
            return fail(err, PECK_ARG,
                        "%s: not written: the score of document %zu (counted from 1) is no "
                        "finite number",
                        path, r + 1);
    if (d->file_row != NULL && (in_file = in_file_order(score, d)) == NULL)
        return fail_memory(err, "the scores", d->n_docs, sizeof *in_file);
    peck_status st = output_open(&o, path, err);

    if (st == PECK_OK) {
        for (size_t r = 0; r < d->n_docs; r++)
            write_line(o, in_file != NULL ? in_file[r] : score[r]);
        st = output_commit(o, err);
    }
    mem_free(in_file);
    return st;
}
