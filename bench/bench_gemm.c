/* bench_gemm.c -- products of src/base/gemm.c beside OpenBLAS's, on one thread:
 *
 *     bench_gemm LIBRARY ROUNDS FORM ROWS INPUTS UNITS
 *
 * FORM is forward (Y = X W), back (dX = dY W^T) or weights (dW += X^T dY) for a list of ROWS
 * documents and a layer of UNITS.  Prints the seconds of ours and of theirs, each the best
 * of ROUNDS that take turns.
 */
#include "../src/base/gemm.h"

#include "bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TURNED = 112, ROUND_TERMS = 10000000 };

typedef void sgemm(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c,
                   int ldc);
typedef void set_threads(int n);

struct layer {
    char form; /* its first letter */
    int rows, in, out;
    float *x, *w, *d, *ours, *theirs;
    size_t n; /* of the product */
};

static float *some_floats(size_t n)
{
    float *const x = malloc((n + 1) * sizeof *x);

    for (size_t i = 0; x != NULL && i < n; i++)
        x[i] = (float)(i * 2654435761 % 1999) / 1999.0f - 0.5f; /* of no pattern */
    return x;
}

static void multiply_ours(const struct layer *l)
{
    const size_t rows = (size_t)l->rows, in = (size_t)l->in, out = (size_t)l->out;

    if (l->form == 'f')
        gemm_nn(rows, out, in, l->x, in, l->w, out, NULL, 0, l->ours, out);
    else if (l->form == 'b')
        gemm_nt(rows, in, out, l->d, out, l->w, out, NULL, 0, l->ours, in);
    else
        gemm_tn(in, out, rows, l->x, in, l->d, out, l->ours, out, l->ours, out);
}

static void multiply_theirs(const struct layer *l, sgemm *blas)
{
    const int rows = l->rows, in = l->in, out = l->out;

    if (l->form == 'f')
        blas(ROW_MAJOR, AS_IT_IS, AS_IT_IS, rows, out, in, 1.0f, l->x, in, l->w, out, 0.0f,
             l->theirs, out);
    else if (l->form == 'b')
        blas(ROW_MAJOR, AS_IT_IS, TURNED, rows, in, out, 1.0f, l->d, out, l->w, out, 0.0f,
             l->theirs, in);
    else
        blas(ROW_MAJOR, TURNED, AS_IT_IS, in, out, rows, 1.0f, l->x, in, l->d, out, 1.0f,
             l->theirs, out);
}

/* Of this thread alone, whatever else the machine does. */
static double work_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of one product: the best of some rounds, ours and theirs in turn. */
static void time_both(const struct layer *l, sgemm *blas, int rounds, double best[2])
{
    const double terms = (double)l->rows * l->in * l->out;
    const int repeat = (int)(ROUND_TERMS / terms) + 1;

    best[0] = best[1] = INFINITY;
    for (int round = 0; round < 2 * rounds; round++) {
        const double start = work_seconds();

        for (int i = 0; i < repeat; i++)
            if (round % 2 == 0)
                multiply_ours(l);
            else
                multiply_theirs(l, blas);
        best[round % 2] = fmin(best[round % 2], (work_seconds() - start) / repeat);
    }
}

int main(int argc, char **argv)
{
    void *const library = argc == 7 ? dlopen(argv[1], RTLD_NOW) : NULL;
    sgemm *const blas = library != NULL ? (sgemm *)dlsym(library, "cblas_sgemm") : NULL;
    set_threads *const threads =
        library != NULL ? (set_threads *)dlsym(library, "openblas_set_num_threads") : NULL;
    double best[2], off = 0.0;

    if (blas == NULL || threads == NULL)
        return fputs("usage: bench_gemm LIBRARY ROUNDS FORM ROWS INPUTS UNITS\n", stderr),
               2;
    threads(1);
    struct layer l = {
        .form = argv[3][0],
        .rows = (int)strtol(argv[4], NULL, 10),
        .in = (int)strtol(argv[5], NULL, 10),
        .out = (int)strtol(argv[6], NULL, 10),
    };
    l.x = some_floats((size_t)l.rows * (size_t)l.in);
    l.w = some_floats((size_t)l.in * (size_t)l.out);
    l.d = some_floats((size_t)l.rows * (size_t)l.out);
    l.n = (size_t)(l.form == 'w' ? l.in : l.rows) * (size_t)(l.form == 'b' ? l.in : l.out);
    l.ours = calloc(l.n + 1, sizeof *l.ours);
    l.theirs = calloc(l.n + 1, sizeof *l.theirs);
    if (l.x == NULL || l.w == NULL || l.d == NULL || l.ours == NULL || l.theirs == NULL)
        return fputs("no memory\n", stderr), 3;
    multiply_ours(&l);
    multiply_theirs(&l, blas);
    for (size_t i = 0; i < l.n; i++)
        off = fmax(off, fabs((double)l.ours[i] - (double)l.theirs[i]));
    time_both(&l, blas, (int)strtol(argv[2], NULL, 10), best);
    printf("%.9g %.9g\n", best[0], best[1]);
    free(l.x), free(l.w), free(l.d), free(l.ours), free(l.theirs);
    dlclose(library);
    return off < 1e-3 ? 0 : (fprintf(stderr, "off by %g\n", off), 1);
}
