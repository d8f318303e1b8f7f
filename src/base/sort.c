/* sort.c -- a stable merge sort on 64-bit keys; short runs by insertion.  Lists of a
 * query are short, so the insertion part does most of the work.                    */
#include "sort.h"

#include <string.h>

enum { RUN = 16 };

/* Flips a double's bits so that unsigned order is numeric order, then inverts it.  Adding
 * 0.0 turns -0.0 into 0.0: the two are equal scores. */
uint64_t key_desc(double v)
{
    uint64_t bits;

    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    const uint64_t rising = bits >> 63 ? ~bits : bits | 1ULL << 63;

    return ~rising;
}

static void insertion(struct sort_item *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct sort_item x = a[i];
        size_t j = i;

        for (; j > 0 && a[j - 1].key > x.key; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

/* Merges from[lo, mid) and from[mid, hi) into to[lo, hi); the left wins ties. */
static void merge(const struct sort_item *from, struct sort_item *to, size_t lo, size_t mid,
                  size_t hi)
{
    size_t i = lo, j = mid;

    for (size_t k = lo; k < hi; k++) {
        if (j >= hi || (i < mid && from[i].key <= from[j].key))
            to[k] = from[i++];
        else
            to[k] = from[j++];
    }
}

void sort_items(struct sort_item *item, size_t n, struct sort_item *tmp)
{
    struct sort_item *from = item, *to = tmp;

    for (size_t lo = 0; lo < n; lo += RUN)
        insertion(item + lo, n - lo < RUN ? n - lo : RUN);
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            const size_t mid = lo + width < n ? lo + width : n;

            merge(from, to, lo, mid, mid + width < n ? mid + width : n);
        }
        struct sort_item *const swap = from;

        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, n * sizeof *item);
}

void order_desc(const double *score, uint32_t n, uint32_t *order, struct sort_item *scratch)
{
    for (uint32_t i = 0; i < n; i++)
        scratch[i] = (struct sort_item){ key_desc(score[i]), i };
    sort_items(scratch, n, scratch + n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = scratch[i].from;
}
