/* column.c -- see column.h.  Rows lie apart, so that reading one feature of each waits for
 * memory; many workers wait at once.                                                  */
#include "column.h"

enum { ROWS = 4096 }; /* a task */

struct column_job {
    struct rows x; /* n: documents, whatever is done */
    size_t f;
    float times;
    const float *from;
    float *to;
};

static size_t rows_until(const struct column_job *j, size_t task)
{
    return j->x.n < (task + 1) * ROWS ? j->x.n : (task + 1) * ROWS;
}

static void take_rows(void *ctx, size_t task, int worker)
{
    const struct column_job *const j = ctx;

    (void)worker;
    for (size_t i = task * ROWS; i < rows_until(j, task); i++)
        j->to[i] = j->times * j->x.x[i * j->x.stride + j->f];
}

static void add_rows(void *ctx, size_t task, int worker)
{
    const struct column_job *const j = ctx;

    (void)worker;
    for (size_t i = task * ROWS; i < rows_until(j, task); i++)
        j->to[i] += j->times * j->from[i];
}

void column_take(struct pool *pool, struct rows x, size_t f, float times, float *to)
{
    struct column_job job = { .x = x, .f = f, .times = times, .to = to };

    pool_run(pool, (x.n + ROWS - 1) / ROWS, take_rows, &job);
}

void column_add(struct pool *pool, size_t n, float by, const float *d, float *s)
{
    struct column_job job = { .x = { .n = n }, .times = by, .from = d, .to = s };

    pool_run(pool, (n + ROWS - 1) / ROWS, add_rows, &job);
}
