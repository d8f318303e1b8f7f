/* bench_compare.c -- how long a model that compares takes:
 *
 *     bench_compare duel MODEL FEATURES DOCS       seconds of one comparison
 *     bench_compare batch MODEL FEATURES DOCS N    seconds of sorting N lists, on 1 thread
 *                                                  and on 2, taking turns
 *
 * FEATURES is a file of raw floats, row by row; lists are its rows from some place on.
 * The best of many short runs, as other work on the machine only adds.  A comparison is
 * what DUELS more of them take once the documents have been looked at: both outputs.  */
#include "bench.h"

#include <string.h>

enum { RUNS = 200, DUELS = 4096, BATCH_RUNS = 25 };

/* Comparisons ----------------------------------------------------------------------- */

static double time_prefer(peck_scorer *s, const struct table *t, size_t docs,
                          const peck_duel *duel, size_t n, float *h, peck_error *err)
{
    const double start = seconds();

    if (peck_prefer(s, t->x, docs, t->dim, duel, n, h, NULL, err) != PECK_OK)
        return -1.0;
    return seconds() - start;
}

/* Seconds of one; negative when it cannot be had. */
static double time_duel(peck_scorer *s, const struct table *t, size_t docs, peck_error *err)
{
    static peck_duel duel[DUELS];
    static float h[DUELS];
    double few = 1e9, all = 1e9;

    for (uint32_t k = 0; k < DUELS; k++)
        duel[k] = (peck_duel){ k * 7919 % (uint32_t)docs, k * 104729 % (uint32_t)docs };
    for (int run = 0; run < RUNS; run++) {
        const double a = time_prefer(s, t, docs, duel, 1, h, err);
        const double b = time_prefer(s, t, docs, duel, DUELS, h, err);

        if (a < 0.0 || b < 0.0)
            return -1.0;
        few = a < few ? a : few;
        all = b < all ? b : all;
    }
    return (all - few) / (DUELS - 1);
}

static int print_duel(const peck_model *m, const struct table *t, size_t docs,
                      peck_error *err)
{
    peck_scorer *s = NULL;
    double took = -1.0;

    if (peck_scorer_new(&s, m, err) == PECK_OK)
        took = time_duel(s, t, docs, err);
    if (took >= 0.0)
        printf("%.12f\n", took);
    peck_scorer_free(s);
    return took >= 0.0;
}

/* Batches ---------------------------------------------------------------------------- */

static int time_batch(const peck_model *m, const peck_dataset *d, double *score,
                      peck_error *err)
{
    double best[2] = { 1e9, 1e9 };

    for (int run = 0; run < 2 * BATCH_RUNS; run++) {
        const peck_decode_spec spec = { .threads = 1 + run % 2 };
        const double start = seconds();

        if (peck_model_rank(m, d, &spec, score, NULL, err) != PECK_OK)
            return 0;
        const double took = seconds() - start;

        best[run % 2] = took < best[run % 2] ? took : best[run % 2];
    }
    printf("%.9f %.9f\n", best[0], best[1]);
    return 1;
}

/* List i begins at another row, so that no two are the same. */
static void fill_lists(const struct table *t, size_t docs, size_t lists, float *x)
{
    for (size_t i = 0; i < lists * docs; i++)
        memcpy(x + i * t->dim, t->x + (i / docs * 37 + i % docs) % t->n * t->dim,
               t->dim * sizeof *x);
}

static int print_batch(const peck_model *m, const struct table *t, size_t docs,
                       size_t lists, peck_error *err)
{
    float *const x = malloc(lists * docs * t->dim * sizeof *x);
    uint32_t *const size = malloc(lists * sizeof *size);
    double *const score = malloc(lists * docs * sizeof *score);
    peck_dataset *d = NULL;
    int is_good = x != NULL && size != NULL && score != NULL;

    if (is_good) {
        fill_lists(t, docs, lists, x);
        for (size_t i = 0; i < lists; i++)
            size[i] = (uint32_t)docs;
        is_good = peck_dataset_wrap(&d, x, lists * docs, t->dim, NULL, size, lists, err) ==
                      PECK_OK &&
                  time_batch(m, d, score, err);
    }
    peck_dataset_free(d);
    free(x);
    free(size);
    free(score);
    return is_good;
}

int main(int argc, char **argv)
{
    peck_error err = { PECK_OK, "give duel or batch, a model, a file of features, and how "
                                "many documents and lists" };
    const int is_batch = argc == 6 && strcmp(argv[1], "batch") == 0;
    const int is_duel = argc == 5 && strcmp(argv[1], "duel") == 0;
    peck_model *m = NULL;
    struct table t = { 0 };
    int is_good = (is_batch || is_duel) && peck_model_load(&m, argv[2], &err) == PECK_OK;

    if (is_good) {
        const size_t docs = strtoul(argv[4], NULL, 10);

        t = table_read(argv[3], peck_model_features(m));
        if (docs == 0 || docs > t.n) {
            snprintf(err.text, sizeof err.text, "%zu rows, %s asked", t.n, argv[4]);
            is_good = 0;
        } else {
            is_good = is_batch ? print_batch(m, &t, docs, strtoul(argv[5], NULL, 10), &err)
                               : print_duel(m, &t, docs, &err);
        }
    }
    if (!is_good)
        fprintf(stderr, "bench_compare: %s\n", err.text);
    free(t.x);
    peck_model_free(m);
    return !is_good;
}
