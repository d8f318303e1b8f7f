/* bench_score.c -- how long a model takes for one list, on one thread:
 *
 *     bench_score MODEL FEATURES DOCS...
 *
 * FEATURES is a file of raw floats, row by row.  A line for each DOCS: documents, seconds
 * of one list (the best of many short runs, as other work on the machine only adds), and
 * the scores' sum, by which others can check that they do the same.                   */
#include "peck.h"

#include <stdlib.h>
#include <time.h>

enum { RUNS = 200, RUN_DOCS = 20000 /* about, in one run */ };

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *read_floats(const char *path, size_t *n)
{
    FILE *const file = fopen(path, "rb");
    long size = -1;
    float *x = NULL;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0)
        x = malloc((size_t)size + 1);
    *n = size > 0 ? (size_t)size / sizeof *x : 0;
    if (x == NULL || fread(x, sizeof *x, *n, file) != *n)
        *n = 0;
    if (file != NULL)
        fclose(file);
    return x;
}

/* Seconds of one list; negative when it cannot be scored. */
static double time_list(peck_scorer *s, const float *x, size_t n, size_t dim, float *score,
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

static int time_all(peck_scorer *s, const float *x, size_t n_rows, size_t dim, int n_docs,
                    char **docs, peck_error *err)
{
    float *const score = malloc((n_rows + 1) * sizeof *score);
    int is_good = score != NULL;

    for (int i = 0; i < n_docs && is_good; i++) {
        const size_t n = strtoul(docs[i], NULL, 10);
        double sum = 0.0;

        if (n == 0 || n > n_rows) {
            snprintf(err->text, sizeof err->text, "%zu rows, %s asked", n_rows, docs[i]);
            is_good = 0;
            break;
        }
        const double took = time_list(s, x, n, dim, score, err);

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
    float *x = NULL;
    size_t n = 0;
    int is_good = argc > 3 && peck_model_load(&m, argv[1], &err) == PECK_OK &&
                  peck_scorer_new(&s, m, &err) == PECK_OK;

    if (is_good) {
        x = read_floats(argv[2], &n);
        const size_t dim = peck_model_features(m);

        is_good = time_all(s, x, n / dim, dim, argc - 3, argv + 3, &err);
    }
    if (!is_good)
        fprintf(stderr, "bench_score: %s\n", err.text);
    free(x);
    peck_scorer_free(s);
    peck_model_free(m);
    return !is_good;
}
