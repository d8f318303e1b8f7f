/* bench_score.c -- how long a model takes for one list, on one thread:
 *
 *     bench_score MODEL FEATURES DOCS...
 *
 * FEATURES is a file of raw floats, row by row.  A line for each DOCS: documents, seconds
 * of one list (the best of many short runs, as other work on the machine only adds), and
 * the scores' sum, by which others can check that they do the same.                   */
#include "bench.h"

enum { RUNS = 200, RUN_DOCS = 20000 /* about, in one run */ };

/* Seconds of one list; negative when it cannot be scored. */
static double time_list(peck_scorer *s, const float *x, size_t n, size_t dim, double *score,
                        peck_error *err)
{
    const size_t lists = RUN_DOCS / n + 1;
    double best = 1e9;

    for (int run = 0; run < RUNS; run++) {
        const double start = seconds();

        for (size_t i = 0; i < lists; i++)
            if (peck_score(s, x, n, dim, score, err) != PECK_OK)
                return -1.0;
        const double took = (seconds() - start) / (double)lists;

        best = took < best ? took : best;
    }
    return best;
}

static int time_all(peck_scorer *s, const struct table *t, int n_docs, char **docs,
                    peck_error *err)
{
    double *const score = malloc((t->n + 1) * sizeof *score);
    int is_good = score != NULL;

    for (int i = 0; i < n_docs && is_good; i++) {
        const size_t n = strtoul(docs[i], NULL, 10);
        double sum = 0.0;

        if (n == 0 || n > t->n) {
            snprintf(err->text, sizeof err->text, "%zu rows, %s asked", t->n, docs[i]);
            is_good = 0;
            break;
        }
        const double took = time_list(s, t->x, n, t->dim, score, err);

        is_good = took >= 0.0;
        for (size_t k = 0; k < n; k++)
            sum += score[k];
        if (is_good)
            printf("%zu %.9f %.6f\n", n, took, sum);
    }
    free(score);
    return is_good;
}

int main(int argc, char **argv)
{
    peck_error err = { PECK_OK,
                       "name a model, a file of features and numbers of documents" };
    peck_model *m = NULL;
    peck_scorer *s = NULL;
    struct table t = { 0 };
    int is_good = argc > 3 && peck_model_load(&m, argv[1], &err) == PECK_OK &&
                  peck_scorer_new(&s, m, &err) == PECK_OK;

    if (is_good) {
        t = table_read(argv[2], peck_model_features(m));
        is_good = time_all(s, &t, argc - 3, argv + 3, &err);
    }
    if (!is_good)
        fprintf(stderr, "bench_score: %s\n", err.text);
    free(t.x);
    peck_scorer_free(s);
    peck_model_free(m);
    return !is_good;
}
