/* gaps.c -- where an ordered list falls into classes.
 *
 * Between neighbours of an order the ranker's output r = s_i - s_(i+1) peaks where the
 * class of the documents changes, so the labels' boundaries show without labels.
 * Köppel et al., "Pairwise learning to rank by neural networks revisited", 2019, 5.3. */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../base/status.h"

/* Larger than both neighbours; of two equal neighbours the first is. */
static bool is_top(const double *gap, size_t n_gaps, size_t i)
{
    return gap[i] > 0 && (i == 0 || gap[i] > gap[i - 1]) &&
           (i + 1 == n_gaps || gap[i] >= gap[i + 1]);
}

void peck_gaps(const double *score, const uint32_t *order, size_t n, double *gap,
               unsigned char *is_peak)
{
    double sum = 0;

    if (n < 2)
        return;
    for (size_t i = 0; i + 1 < n; i++) {
        gap[i] = score[order[i]] - score[order[i + 1]];
        sum += gap[i];
    }
    for (size_t i = 0; is_peak != NULL && i + 1 < n; i++)
        is_peak[i] = is_top(gap, n - 1, i) && gap[i] >= 2 * sum / (double)(n - 1);
}

/* Cuts, each a 1 in cut_after[n_gaps], at the largest gaps that are larger than both
 * neighbours, so that one boundary is not cut twice; then at the largest of the others. */
static void cut_at(const double *gap, const uint32_t *order, size_t n_gaps, size_t n_cuts,
                   uint32_t *cut_after)
{
    for (int want_top = 1; want_top >= 0; want_top--)
        for (size_t k = 0; k < n_gaps && n_cuts > 0; k++)
            if (is_top(gap, n_gaps, order[k]) == want_top) {
                cut_after[order[k]] = 1;
                n_cuts--;
            }
}

/* class_at[i] = 1 + the number of cuts before place i: counted from 1, the best first. */
peck_status peck_classes(const double *gap, size_t n, size_t n_classes, uint32_t *class_at,
                         peck_error *err)
{
    const size_t n_gaps = n > 0 ? n - 1 : 0;

    if (n_classes < 1)
        return fail(err, PECK_ARG, "a list cannot be cut into 0 classes");
    if (n_gaps > UINT32_MAX - 1)
        return fail(err, PECK_ARG, "a list of %zu documents is too long", n);
    uint32_t *const order = mem_new(n_gaps, sizeof *order);
    struct sort_item *const scratch = mem_new(2 * n_gaps, sizeof *scratch);
    peck_status st = PECK_OK;

    if (order == NULL || scratch == NULL) {
        st = fail_memory(err, "the list's gaps", n_gaps, 2 * sizeof *scratch);
    } else if (n > 0) {
        order_desc(gap, (uint32_t)n_gaps, order, scratch);
        for (size_t i = 0; i < n; i++)
            class_at[i] = 0;
        class_at[0] = 1;
        cut_at(gap, order, n_gaps, n_classes - 1, class_at + 1);
        for (size_t i = 1; i < n; i++)
            class_at[i] += class_at[i - 1];
    }
    mem_free(order);
    mem_free(scratch);
    return st;
}
