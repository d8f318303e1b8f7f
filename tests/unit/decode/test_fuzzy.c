/* test_fuzzy.c -- Fuzzy-Sort against algorithms 1 and 2 written out step by step. */
#include "support/oracles.h"

#include "support/check.h"

#include "base/rng.h"

#include <math.h>

enum { MOST = 130 };

/* The slow twin ---------------------------------------------------------------------- */

struct list {
    uint32_t item[MOST];
    size_t n;
};

static void push(struct list *l, uint32_t item)
{
    l->item[l->n++] = item;
}

static uint32_t remove_at(struct list *l, size_t at)
{
    const uint32_t item = l->item[at];

    memmove(l->item + at, l->item + at + 1, (l->n - at - 1) * sizeof *l->item);
    l->n--;
    return item;
}

/* In 2^-30, as the product sums: whole numbers, so that ties are ties. */
static int64_t net_degree(const struct session *s, const struct list *set, uint32_t item)
{
    int64_t sum = 0;

    for (size_t k = 0; k < set->n; k++)
        if (set->item[k] != item)
            sum += (int64_t)((2 * session_h(s, item, set->item[k]) - 1) * 0x1.0p30);
    return sum;
}

static size_t best_of(const struct session *s, const struct list *set)
{
    size_t best = 0;

    for (size_t k = 1; k < set->n; k++) {
        const int64_t a = net_degree(s, set, set->item[k]),
                      b = net_degree(s, set, set->item[best]);

        if (a > b || (a == b && set->item[k] < set->item[best]))
            best = k;
    }
    return best;
}

static bool has(const struct list *l, uint32_t item)
{
    for (size_t k = 0; k < l->n; k++)
        if (l->item[k] == item)
            return true;
    return false;
}

static struct list fuzzy_merge(const struct session *s, struct list left, struct list right,
                               size_t width)
{
    const struct list from_left = left;
    const size_t take_left = width / 2 > 1 ? width / 2 : 1,
                 take_right = width - width / 2 > 1 ? width - width / 2 : 1;
    struct list set = { .n = 0 }, merged = { .n = 0 };

    for (size_t k = 0; k < take_left && left.n > 0; k++)
        push(&set, remove_at(&left, 0));
    for (size_t k = 0; k < take_right && right.n > 0; k++)
        push(&set, remove_at(&right, 0));
    while (set.n > 0) {
        const uint32_t x = remove_at(&set, best_of(s, &set));
        struct list *const origin = has(&from_left, x) ? &left : &right;

        push(&merged, x);
        if (origin->n > 0)
            push(&set, remove_at(origin, 0));
    }
    return merged;
}

static struct list fuzzy_sort(const struct session *s, struct list v, size_t width)
{
    struct list half[2] = { { .n = 0 }, { .n = 0 } };

    if (v.n <= 1)
        return v;
    width = width < v.n ? width : v.n;
    for (size_t k = 0; k < v.n; k++)
        push(&half[k >= v.n / 2], v.item[k]);
    return fuzzy_merge(s, fuzzy_sort(s, half[0], width), fuzzy_sort(s, half[1], width),
                       width);
}

/* ------------------------------------------------------------------------------------ */

static struct list input(uint32_t n)
{
    struct list v = { .n = n };

    for (uint32_t i = 0; i < n; i++)
        v.item[i] = i;
    return v;
}

static void check_window(const struct jury *jury, uint32_t n, size_t width)
{
    struct decoding d = decoding_new(n);
    struct session s;
    char spec[64];

    snprintf(spec, sizeof spec, "fuzzy:shuffle=0,window=%zu", width);
    session_open(&s, jury, n, n + width);
    decode_with(&d, spec, &s.oracle, 1, 0);
    const struct list want = fuzzy_sort(&s, input(n), width);

    if (memcmp(want.item, d.order, n * sizeof *d.order) != 0)
        fail_msg("%s of %s: %u items are ordered differently", spec, jury->name, n);
    decoding_free(&d);
}

static void every_window_agrees_with_the_twin(void **state)
{
    (void)state;
    for (size_t j = 0; j < n_juries; j++) {
        for (uint32_t n = 0; n <= 20; n++)
            for (size_t width = 1; width <= n + 2; width++)
                check_window(&juries[j], n, width);
        for (uint32_t n = 31; n <= MOST; n += 33)
            for (size_t width = 1; width < 2 * n; width = width * 3 / 2 + 1)
                check_window(&juries[j], n, width);
    }
}

/* Of those left the one of the largest net degree among them, again and again. */
static void a_window_of_the_whole_list_is_repeated_selection(void **state)
{
    (void)state;
    for (size_t j = 0; j < n_juries; j++) {
        struct list left = input(60);
        struct decoding d = decoding_new(60);
        struct session s;

        session_open(&s, &juries[j], 60, 4);
        decode_with(&d, "fuzzy:window=60", &s.oracle, 1, 0);
        for (size_t k = 0; k < 60; k++)
            assert_int_equal(d.order[k], remove_at(&left, best_of(&s, &left)));
        decoding_free(&d);
    }
}

/* The top-down merge sort of any textbook, ties to the lower item. */
static void merge_sort(const struct session *s, uint32_t *a, size_t n)
{
    uint32_t room[MOST];
    const size_t mid = n / 2;

    if (n < 2)
        return;
    merge_sort(s, a, mid);
    merge_sort(s, a + mid, n - mid);
    for (size_t k = 0, i = 0, j = mid; k < n; k++) {
        const double h = i < mid && j < n ? session_h(s, a[i], a[j]) : i < mid;

        room[k] = h > 0.5 || (h == 0.5 && a[i] < a[j]) ? a[i++] : a[j++];
    }
    memcpy(a, room, n * sizeof *a);
}

static void small_windows_are_merge_sort(void **state)
{
    (void)state;
    for (size_t j = 0; j < n_juries; j++)
        for (size_t width = 1; width <= 2; width++) {
            struct list v = input(100);
            struct decoding d = decoding_new(100);
            struct session s;

            session_open(&s, &juries[j], 100, 6);
            decode_with(
                &d, width == 1 ? "fuzzy:shuffle=0,window=1" : "fuzzy:shuffle=0,window=2",
                &s.oracle, 1, 0);
            merge_sort(&s, v.item, 100);
            assert_memory_equal(d.order, v.item, 100 * sizeof *d.order);
            decoding_free(&d);
        }
}

/* W n log2(n / W) within a tenth, and O(n W) more or less. */
static void questions_follow_the_formula(void **state)
{
    enum { N = 20000 };
    static const double widths[] = { 10, 50, 200 };

    (void)state;
    for (size_t k = 0; k < N_OF(widths); k++) {
        const double w = widths[k], want = w * N * log2(N / w);
        struct decoding d = decoding_new(N);
        struct session s;
        char spec[32];

        snprintf(spec, sizeof spec, "fuzzy:window=%g", w);
        session_open(&s, jury_find("noisy"), N, 2);
        decode_with(&d, spec, &s.oracle, 1, 0);
        if (fabs((double)d.n_questions - want) > 0.1 * want + w * N / 2)
            fail_msg("%s: %g questions, not %g", spec, (double)d.n_questions, want);
        decoding_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_agrees_with_the_twin),
        cmocka_unit_test(a_window_of_the_whole_list_is_repeated_selection),
        cmocka_unit_test(small_windows_are_merge_sort),
        cmocka_unit_test(questions_follow_the_formula),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
