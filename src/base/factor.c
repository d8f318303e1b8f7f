/* factor.c -- see factor.h.
 *
 * Matrices are cut into tiles of 32 x 32, three of which fit into the nearest cache; all work
 * but that within a diagonal tile is products of tiles.                               */
#include "factor.h"

#include "cpu.h"
#include "maths.h"

#include <math.h>
#include <string.h>

enum {
    TILE = 32,
    ROWS = 4,    /* of a product, in registers at a time ... */
    COLUMNS = 8, /* ... by so many */
};

typedef double doubles4 __attribute__((vector_size(32), aligned(8), may_alias));

size_t factor_side(size_t n)
{
    return (n + TILE - 1) / TILE * TILE;
}

/* c += sign a b, tiles; a's element (r, k) stands at a[r row_a + k col_a]. */
struct tile_product {
    const double *a;
    size_t row_a, col_a;
    const double *b;
    size_t ld_b;
    double *c;
    size_t ld_c;
    double sign;
};

static inline ALWAYS_INLINE void tile_multiply_body(const struct tile_product *t)
{
    for (size_t r = 0; r < TILE; r += ROWS)
        for (size_t j = 0; j < TILE; j += COLUMNS) {
            doubles4 sum[ROWS][COLUMNS / 4] = { 0 };
            const double *a = t->a + r * t->row_a, *b = t->b + j;

            for (size_t k = 0; k < TILE; k++, a += t->col_a, b += t->ld_b) {
                const doubles4 b0 = *(const doubles4 *)b, b1 = *(const doubles4 *)(b + 4);

                for (size_t i = 0; i < ROWS; i++) {
                    const double x = a[i * t->row_a];
                    const doubles4 all = { x, x, x, x };

                    sum[i][0] += all * b0;
                    sum[i][1] += all * b1;
                }
            }
            for (size_t i = 0; i < ROWS; i++)
                for (size_t h = 0; h < COLUMNS / 4; h++) {
                    doubles4 *const c = (doubles4 *)(t->c + (r + i) * t->ld_c + j + 4 * h);

                    *c += t->sign * sum[i][h];
                }
        }
}
CPU_VERSIONS(tile_multiply, (const struct tile_product *t), (t))

static void tile_transpose(const double *from, size_t ld, double *to)
{
    for (size_t i = 0; i < TILE; i++)
        for (size_t j = 0; j < TILE; j++)
            to[j * TILE + i] = from[i * ld + j];
}

/* The factor of a tile on the diagonal. */
static void tile_factor(double *a, size_t ld)
{
    for (size_t i = 0; i < TILE; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = a[i * ld + j];

            for (size_t k = 0; k < j; k++)
                rest -= a[i * ld + k] * a[j * ld + k];
            a[i * ld + j] = j < i ? rest / a[j * ld + j] : sqrt(rest);
        }
}

/* The inverse of such a factor, and 0 above its diagonal. */
static void tile_invert(const double *l, size_t ld, double *inverse)
{
    memset(inverse, 0, sizeof *inverse * TILE * TILE);
    for (size_t i = 0; i < TILE; i++) {
        const double by = 1.0 / l[i * ld + i];

        for (size_t k = 0; k < i; k++)
            for (size_t j = 0; j <= k; j++)
                inverse[i * TILE + j] -= l[i * ld + k] * inverse[k * TILE + j];
        for (size_t j = 0; j < i; j++)
            inverse[i * TILE + j] *= by;
        inverse[i * TILE + i] = by;
    }
}

/* Work on the tiles of a matrix, a row of tiles a task. */
struct tiles {
    double *a; /* what is worked on, or from */
    double *to;
    size_t side, at;              /* at: the tile on the diagonal */
    double diagonal[TILE * TILE]; /* the inverse of its factor, transposed */
};

static inline double *tile_of(double *a, size_t side, size_t row, size_t column)
{
    return a + row * TILE * side + column * TILE;
}

/* Row at + 1 + i of tiles: L_ra = (A_ra - sum over k < a of L_rk L_ak^T) L_aa^-T.  Row at itself
 * was made before. */
static void factor_row(void *ctx, size_t i, int worker)
{
    const struct tiles *const t = ctx;
    const size_t row = t->at + 1 + i, side = t->side;
    double *const to = tile_of(t->a, side, row, t->at);
    double turned[TILE * TILE], rest[TILE * TILE];

    (void)worker;
    for (size_t k = 0; k < t->at; k++) {
        tile_transpose(tile_of(t->a, side, t->at, k), side, turned);
        tile_multiply(&(struct tile_product){ tile_of(t->a, side, row, k), side, 1, turned,
                                              TILE, to, side, -1.0 });
    }
    for (size_t r = 0; r < TILE; r++) {
        memcpy(rest + r * TILE, to + r * side, sizeof *rest * TILE);
        memset(to + r * side, 0, sizeof *to * TILE);
    }
    tile_multiply(
        &(struct tile_product){ rest, TILE, 1, t->diagonal, TILE, to, side, 1.0 });
}

static void run_rows(struct pool *pool, size_t n, void (*task)(void *, size_t, int),
                     void *ctx)
{
    if (pool != NULL && n > 1)
        pool_run(pool, n, task, ctx);
    else
        for (size_t i = 0; i < n; i++)
            task(ctx, i, 0);
}

void factor_make(double *a, size_t side, struct pool *pool)
{
    struct tiles t = { .a = a, .side = side };
    double turned[TILE * TILE], inverse[TILE * TILE];

    for (t.at = 0; t.at < side / TILE; t.at++) {
        double *const own = tile_of(a, side, t.at, t.at);

        for (size_t k = 0; k < t.at; k++) {
            tile_transpose(tile_of(a, side, t.at, k), side, turned);
            tile_multiply(&(struct tile_product){ tile_of(a, side, t.at, k), side, 1,
                                                  turned, TILE, own, side, -1.0 });
        }
        tile_factor(own, side);
        tile_invert(own, side, inverse);
        tile_transpose(inverse, TILE, t.diagonal);
        run_rows(pool, side / TILE - t.at - 1, factor_row, &t);
    }
}

double factor_log_det(const double *l, size_t side)
{
    double sum = 0.0;

    for (size_t i = 0; i < side; i++)
        sum += math_log(l[i * side + i]);
    return 2 * sum;
}

/* Four chains, so that none waits for the one before. */
static double dot(const double *a, const double *b, size_t n)
{
    double sum[4] = { 0 };
    size_t k = 0;

    for (; k + 4 <= n; k += 4)
        for (size_t h = 0; h < 4; h++)
            sum[h] += a[k + h] * b[k + h];
    for (; k < n; k++)
        sum[k % 4] += a[k] * b[k];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

void factor_solve(const double *l, size_t side, double *x)
{
    for (size_t i = 0; i < side; i++)
        x[i] = (x[i] - dot(l + i * side, x, i)) / l[i * side + i];
    for (size_t i = side; i-- > 0;) {
        x[i] /= l[i * side + i];
        for (size_t k = 0; k < i; k++)
            x[k] -= l[i * side + k] * x[i];
    }
}

/* Column i of tiles of M = L^-1, into `to`: M_ri = -L_rr^-1 (sum over i <= k < r of
 * L_rk M_ki).  L's diagonal tiles are inverse already. */
static void invert_column(void *ctx, size_t i, int worker)
{
    const struct tiles *const t = ctx;
    const size_t side = t->side;

    (void)worker;
    for (size_t r = 0; r < TILE; r++)
        memcpy(tile_of(t->to, side, i, i) + r * side, tile_of(t->a, side, i, i) + r * side,
               sizeof(double) * TILE);
    for (size_t row = i + 1; row < side / TILE; row++) {
        double rest[TILE * TILE] = { 0 };

        for (size_t k = i; k < row; k++)
            tile_multiply(&(struct tile_product){ tile_of(t->a, side, row, k), side, 1,
                                                  tile_of(t->to, side, k, i), side, rest,
                                                  TILE, 1.0 });
        double *const to = tile_of(t->to, side, row, i);

        for (size_t r = 0; r < TILE; r++)
            memset(to + r * side, 0, sizeof *to * TILE);
        tile_multiply(&(struct tile_product){ tile_of(t->a, side, row, row), side, 1, rest,
                                              TILE, to, side, -1.0 });
    }
}

/* Row i of tiles of M^T M, up to the diagonal, from `a` into `to`. */
static void square_row(void *ctx, size_t i, int worker)
{
    const struct tiles *const t = ctx;
    const size_t side = t->side;

    (void)worker;
    for (size_t j = 0; j <= i; j++) {
        double *const to = tile_of(t->to, side, i, j);

        for (size_t r = 0; r < TILE; r++)
            memset(to + r * side, 0, sizeof *to * TILE);
        for (size_t k = i; k < side / TILE; k++)
            tile_multiply(&(struct tile_product){ tile_of(t->a, side, k, i), 1, side,
                                                  tile_of(t->a, side, k, j), side, to, side,
                                                  1.0 });
    }
}

void factor_invert(double *l, size_t side, double *inverse, struct pool *pool)
{
    struct tiles t = { .a = l, .to = inverse, .side = side };
    double own[TILE * TILE];

    for (size_t k = 0; k < side / TILE; k++) {
        double *const tile = tile_of(l, side, k, k);

        tile_invert(tile, side, own);
        for (size_t r = 0; r < TILE; r++)
            memcpy(tile + r * side, own + r * TILE, sizeof *own * TILE);
    }
    run_rows(pool, side / TILE, invert_column, &t);
}

void factor_variances(const double *inverse, size_t side, double *var, size_t n)
{
    memset(var, 0, n * sizeof *var);
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j <= i && j < n; j++)
            var[j] += inverse[i * side + j] * inverse[i * side + j];
}

void factor_square(const double *inverse, size_t side, double *to, struct pool *pool)
{
    struct tiles t = { .a = (double *)inverse, .to = to, .side = side };

    run_rows(pool, side / TILE, square_row, &t);
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < i; j++)
            to[j * side + i] = to[i * side + j];
}
