/* sort.c -- a stable merge sort on 64-bit keys; short runs by insertion.  Lists of a
 * query are short, so the insertion part does most of the work.  Columns of features are
 * long and go by digits.                                                            */
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

/* Merges from[lo, mid) and from[mid, hi) into to[lo, hi); the left wins ties. */
static void merge_runs(const struct sort_item *from, struct sort_item *to, size_t lo,
                       size_t mid, size_t hi)
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

    for (size_t lo = 0; lo < n; lo += RUN) { /* each run by insertion */
        const size_t hi = n - lo < RUN ? n : lo + RUN;

        for (size_t i = lo + 1; i < hi; i++) {
            const struct sort_item x = item[i];
            size_t j = i;

            for (; j > lo && item[j - 1].key > x.key; j--)
                item[j] = item[j - 1];
            item[j] = x;
        }
    }
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            const size_t mid = lo + width < n ? lo + width : n;

            merge_runs(from, to, lo, mid, mid + width < n ? mid + width : n);
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

/* Columns -------------------------------------------------------------------------- */

enum { DIGIT = 11, DIGITS = 1 << DIGIT }; /* three digits make a key */

/* By one digit, stable. */
static void sort_pass(const uint32_t *from, uint32_t *to, size_t n, unsigned shift)
{
    size_t at[DIGITS] = { 0 };
    size_t before = 0;

    for (size_t i = 0; i < n; i++)
        at[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const size_t here = at[d];

        at[d] = before;
        before += here;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Keys are bits that rise with x; -0 comes before 0. */
void sort_floats(float *x, size_t n, uint32_t *room)
{
    uint32_t *const a = room, *const b = room + n;

    for (size_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        a[i] = bits >> 31 ? ~bits : bits | 1u << 31;
    }
    sort_pass(a, b, n, 0);
    sort_pass(b, a, n, DIGIT);
    sort_pass(a, b, n, 2 * DIGIT);
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = b[i] >> 31 ? b[i] & ~(1u << 31) : ~b[i];

        memcpy(&x[i], &bits, sizeof bits);
    }
}
