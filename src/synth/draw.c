/* draw.c -- see draw.h. */
#include "draw.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <assert.h>
#include <math.h>

float draw_round(double v, double parts)
{
    return (float)(nearbyint(v * parts) / parts);
}

void draw_row(struct rng *r, float *x, size_t dim, double lo, double hi)
{
    for (size_t i = 0; i < dim; i++)
        x[i] = draw_round(rng_between(r, lo, hi), 1e6);
}

double draw_bell(struct rng *r)
{
    const uint64_t u = rng_u64(r);
    const uint64_t sum = (u & 0xFFFF) + (u >> 16 & 0xFFFF) + (u >> 32 & 0xFFFF) + (u >> 48);

    /* Four uniforms of [0, 65535]: mean 2 * 65535, variance 4 * 65536^2 / 12. */
    return ((double)sum - 131070.0) * (1.7320508075688772 / 65536.0);
}

peck_status cuts_place(struct cuts *c, size_t n_grades, const double *share,
                       const double *value, size_t n, peck_error *err)
{
    assert(n_grades >= 2 && n_grades <= MAX_GRADES && n > n_grades);
    assert(n <= UINT32_MAX);
    struct sort_item *const item = mem_new(2 * n, sizeof *item);
    double below = 0.0;

    if (item == NULL)
        return fail_memory(err, "cut points", 2 * n, sizeof *item);
    for (size_t i = 0; i < n; i++)
        item[i] = (struct sort_item){ .key = key_desc(value[i]), .from = (uint32_t)i };
    sort_items(item, n, item + n);
    c->n_grades = n_grades;
    for (size_t g = 0; g + 1 < n_grades; g++) {
        below += share != NULL ? share[g] : 1.0 / (double)n_grades;
        const size_t rank = (size_t)(below * (double)n);

        c->at[g] = value[item[n - 1 - (rank < n ? rank : n - 1)].from];
    }
    mem_free(item);
    return PECK_OK;
}

uint32_t cuts_grade(const struct cuts *c, double v)
{
    uint32_t grade = 0;

    for (size_t k = 0; k + 1 < c->n_grades; k++)
        grade += v >= c->at[k];
    return grade;
}
