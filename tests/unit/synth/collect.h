/* collect.h -- a generator's queries gathered in memory, and simple rankers to see how
 * much of a task they can learn.  Shared by the tests of the generators.            */
#ifndef COLLECT_H
#define COLLECT_H

/* Before cmocka.h, whose fail() is a macro. */
#include "synth/synth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct gathered {
    size_t n, n_queries, dim;
    float *x, *label;
    size_t *start; /* n_queries + 1 */
};

/* Settings as the arguments of SET: SET("queries=5", "docs=3"). */
#define SET(...) ((const char *const[]){ __VA_ARGS__, NULL })

static inline struct synth *open_kind(const char *kind, const char *const *settings,
                                      uint64_t seed)
{
    const struct generator *const g = generator_find(kind, NULL);
    struct synth *s = NULL;
    peck_error err = { 0 };

    assert_non_null(g);
    if (synth_new(&s, g, settings, seed, &err) != PECK_OK)
        fail_msg("%s", err.text);
    return s;
}

static inline struct gathered gather(const char *kind, const char *const *settings,
                                     uint64_t seed)
{
    struct synth *const s = open_kind(kind, settings, seed);
    const struct shape *const shape = synth_shape(s);
    const size_t most = shape->n_queries * shape->max_docs;
    struct gathered g = { .n_queries = shape->n_queries,
                          .dim = shape->dim,
                          .x = calloc(most * shape->dim, sizeof(float)),
                          .label = calloc(most, sizeof(float)),
                          .start = calloc(shape->n_queries + 1, sizeof(size_t)) };

    for (size_t q = 0; q < g.n_queries; q++) {
        const struct synth_sample *const made = synth_make(s, q);

        assert_true(made->n >= 1 && made->n <= shape->max_docs);
        memcpy(g.x + g.n * g.dim, made->x, made->n * g.dim * sizeof *g.x);
        memcpy(g.label + g.n, made->label, made->n * sizeof *g.label);
        g.n += made->n;
        g.start[q + 1] = g.n;
    }
    synth_free(s);
    return g;
}

static inline void release(struct gathered *g)
{
    free(g->x);
    free(g->label);
    free(g->start);
}

/* Share of the label-differing pairs of a query that score[n] orders rightly. */
static inline double pair_accuracy(const struct gathered *g, const double *score)
{
    double right = 0.0, all = 0.0;

    for (size_t q = 0; q < g->n_queries; q++)
        for (size_t i = g->start[q]; i < g->start[q + 1]; i++)
            for (size_t j = g->start[q]; j < g->start[q + 1]; j++)
                if (g->label[i] > g->label[j]) {
                    all += 1.0;
                    right += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
                }
    return right / all;
}

/* Solves a[dim][dim] w = b by elimination; a is positive definite. */
static inline void solve(double *a, double *b, size_t dim)
{
    for (size_t k = 0; k < dim; k++)
        for (size_t i = k + 1; i < dim; i++) {
            const double f = a[i * dim + k] / a[k * dim + k];

            for (size_t j = k; j < dim; j++)
                a[i * dim + j] -= f * a[k * dim + j];
            b[i] -= f * b[k];
        }
    for (size_t k = dim; k-- > 0;) {
        for (size_t j = k + 1; j < dim; j++)
            b[k] -= a[k * dim + j] * b[j];
        b[k] /= a[k * dim + k];
    }
}

/* Least squares on centred features and labels: w[dim], to be freed. */
static inline double *fit_line(const struct gathered *g)
{
    const size_t dim = g->dim;
    double *const a = calloc(dim * dim, sizeof *a), *const w = calloc(dim, sizeof *w);
    double *const mean = calloc(dim + 1, sizeof *mean);

    for (size_t i = 0; i < g->n; i++) {
        for (size_t j = 0; j < dim; j++)
            mean[j] += g->x[i * dim + j] / (double)g->n;
        mean[dim] += g->label[i] / (double)g->n;
    }
    for (size_t i = 0; i < g->n; i++) {
        const float *const x = g->x + i * dim;

        for (size_t j = 0; j < dim; j++) {
            w[j] += (x[j] - mean[j]) * (g->label[i] - mean[dim]);
            for (size_t k = 0; k < dim; k++)
                a[j * dim + k] += (x[j] - mean[j]) * (x[k] - mean[k]);
        }
    }
    for (size_t j = 0; j < dim; j++)
        a[j * dim + j] += 1e-3;
    solve(a, w, dim);
    free(a);
    free(mean);
    return w;
}

/* Pair accuracy on `test` of the line fitted on `train`. */
static inline double line_accuracy(const struct gathered *train,
                                   const struct gathered *test)
{
    double *const w = fit_line(train), *const score = calloc(test->n, sizeof *score);

    for (size_t i = 0; i < test->n; i++)
        for (size_t j = 0; j < test->dim; j++)
            score[i] += w[j] * test->x[i * test->dim + j];
    const double share = pair_accuracy(test, score);

    free(w);
    free(score);
    return share;
}

#endif
