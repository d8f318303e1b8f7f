/* test_fuzzy.c -- Fuzzy-Sort against algorithms 1 and 2 written out step by step. */
#include "support/oracles.h"

#include "support/check.h"

#include "base/rng.h"

#include <math.h>

enum { MOST = 130 };

/* The slow twin ---------------------------------------------------------------------- */

struct list {
    uint32_t item[MOST];
    int64_t kept[MOST]; /* of an item in the window: what it has of those that left */
    size_t n;
};

static void push(struct list *l, uint32_t item)
{
    l->kept[l->n] = 0;
    l->item[l->n++] = item;
}

static uint32_t remove_at(struct list *l, size_t at)
{
    const uint32_t item = l->item[at];

    memmove(l->item + at, l->item + at + 1, (l->n - at - 1) * sizeof *l->item);
    memmove(l->kept + at, l->kept + at + 1, (l->n - at - 1) * sizeof *l->kept);
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
        const int64_t a = net_degree(s, set, set->item[k]) + set->kept[k],
                      b = net_degree(s, set, set->item[best]) + set->kept[best];

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

/* Takes the best out; those left remember how much more than others they were preferred to
 * it. */
static uint32_t take_best(const struct session *s, struct list *set, bool has_memory)
{
    const uint32_t x = remove_at(set, best_of(s, set));
    const int64_t all = net_degree(s, set, x);
    const int64_t mean = set->n > 0 ? all / (int64_t)set->n : 0;

    for (size_t k = 0; has_memory && k < set->n; k++)
        set->kept[k] +=
            (int64_t)((2 * session_h(s, set->item[k], x) - 1) * 0x1.0p30) + mean;
    return x;
}

static struct list fuzzy_merge(const struct session *s, struct list left, struct list right,
                               size_t width, bool has_memory)
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
        const uint32_t x = take_best(s, &set, has_memory);
        struct list *const origin = has(&from_left, x) ? &left : &right;

        push(&merged, x);
        for (size_t k = 0; origin->n > 0 && k < set.n; k++)
            set.kept[k] -= set.kept[k] / (int64_t)width;
        if (origin->n > 0)
            push(&set, remove_at(origin, 0));
    }
    return merged;
}

static struct list fuzzy_sort(const struct session *s, struct list v, size_t width,
                              bool has_memory)
{
    struct list half[2] = { { .n = 0 }, { .n = 0 } };

    if (v.n <= 1)
        return v;
    width = width < v.n ? width : v.n;
    for (size_t k = 0; k < v.n; k++)
        push(&half[k >= v.n / 2], v.item[k]);
    return fuzzy_merge(s, fuzzy_sort(s, half[0], width, has_memory),
                       fuzzy_sort(s, half[1], width, has_memory), width, has_memory);
}

/* ------------------------------------------------------------------------------------ */

static struct list input(uint32_t n)
{
    struct list v = { .n = n };

    for (uint32_t i = 0; i < n; i++)
        v.item[i] = i;
    return v;
}

static void check_window(const struct jury *jury, uint32_t n, size_t width, bool has_memory)
{
    struct decoding d = decoding_new(n);
    struct session s;
    char spec[64];

    snprintf(spec, sizeof spec, "fuzzy:shuffle=0,window=%zu,memory=%d", width, has_memory);
    session_open(&s, jury, n, n + width);
    decode_with(&d, spec, &s.oracle, 1, 0);
    const struct list want = fuzzy_sort(&s, input(n), width, has_memory);

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
                for (int memory = 0; memory <= 1; memory++)
                    check_window(&juries[j], n, width, memory);
        for (uint32_t n = 31; n <= 64; n += 33)
            for (size_t width = 1; width < 2 * n; width = width * 3 / 2 + 1)
                for (int memory = 0; memory <= 1; memory++)
                    check_window(&juries[j], n, width, memory);
    }
}

/* Of those left the one of the largest net degree among them, again and again. */
static void without_memory_a_window_of_the_whole_list_is_repeated_selection(void **state)
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

/* "At W = N, Fuzzy-Sort is simply sort by degree": order and questions. */
static void a_window_of_the_whole_list_is_sort_by_degree(void **state)
{
    (void)state;
    for (size_t j = 0; j < n_juries; j++)
        for (uint32_t n = 2; n <= MOST; n += 16) {
            struct decoding d = decoding_new(n), degree = decoding_new(n);
            struct session s;
            char spec[64];

            snprintf(spec, sizeof spec, "fuzzy:window=%u,memory=1", n);
            session_open(&s, &juries[j], n, 5);
            decode_with(&d, spec, &s.oracle, 1, 0);
            decode_with(&degree, "degree", &s.oracle, 1, 0);
            if (memcmp(d.order, degree.order, n * sizeof *d.order) != 0)
                fail_msg("%u items of %s: another order", n, juries[j].name);
            assert_int_equal(d.n_questions, degree.n_questions);
            decoding_free(&d);
            decoding_free(&degree);
        }
}

/* Three comparisons, each won by the item of the lower number with more probability the
 * further apart the two are. */
static float third_h(uint64_t seed, uint32_t n, uint32_t i, uint32_t j)
{
    const uint32_t a = i < j ? i : j, b = i < j ? j : i;
    const double p = 1.0 / (1.0 + exp(-3.0 * (b - a) / n));
    int wins = 0;

    for (uint64_t t = 0; t < 3; t++)
        wins +=
            (double)(mix64(mix64(seed, t), (uint64_t)a << 32 | b) >> 11) * 0x1.0p-53 < p;
    return (float)(i < j ? wins : 3 - wins) / 3.0f;
}

/* The share of pairs out of order under an oracle whose items are 0, 1, ... from the best. */
static double error_of(const char *spec, const struct jury *jury, uint32_t n, uint64_t seed)
{
    struct decoding d = decoding_new(n);
    struct session s;
    double wrong = 0.0;

    session_open(&s, jury, n, seed);
    decode_with(&d, spec, &s.oracle, seed, 0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            wrong += d.order[k] < d.order[i];
    decoding_free(&d);
    return wrong / (0.5 * n * (n - 1));
}

/* Of the same questions memory makes fewer mistakes, whatever the window. */
static void memory_helps_at_every_window(void **state)
{
    enum { N = 600 };
    static const size_t widths[] = { 6, 20, 60, 200, 600 };
    static const struct jury thirds = { "thirds", third_h, true };

    (void)state;
    for (size_t k = 0; k < N_OF(widths); k++) {
        double with = 0.0, without = 0.0;
        char spec[64];

        for (uint64_t seed = 1; seed <= 5; seed++) {
            snprintf(spec, sizeof spec, "fuzzy:window=%zu,memory=1", widths[k]);
            with += error_of(spec, &thirds, N, seed);
            snprintf(spec, sizeof spec, "fuzzy:window=%zu", widths[k]);
            without += error_of(spec, &thirds, N, seed);
        }
        if (!(with < without))
            fail_msg("window %zu: %.5f with memory, %.5f without", widths[k], with / 5,
                     without / 5);
    }
}

/* Symmetry ----------------------------------------------------------------------------- */

/* How strongly i is preferred to j, one way: nobody says much, and 2 says most. */
static const float weak[3][3] = { { 0, 0.10f, 0.06f },
                                  { 0.02f, 0, 0.30f },
                                  { 0.02f, 0, 0 } };

static peck_status ask_weak(void *ctx, int worker, const peck_duel *duel, size_t n,
                            float *h, peck_error *err)
{
    (void)ctx, (void)worker, (void)err;
    for (size_t k = 0; k < n; k++)
        h[k] = weak[duel[k].i][duel[k].j];
    return PECK_OK;
}

/* Means: 0 has .54 + .52, 1 has .46 + .65: it goes first.  Ratios: 0 has .83 + .75, 1 has
 * .17 + 1. */
static void two_answers_are_averaged_or_put_in_a_ratio(void **state)
{
    const struct oracle o = { .n = 3, .ask = ask_weak };
    struct decoding mean = decoding_new(3), ratio = decoding_new(3);

    (void)state;
    decode_with(&mean, "fuzzy", &o, 1, 0);
    decode_with(&ratio, "fuzzy:symmetry=ratio", &o, 1, 0);
    assert_int_equal(mean.order[0], 1);
    assert_int_equal(ratio.order[0], 0);
    assert_int_equal(ratio.order[1], 1);
    decoding_free(&mean);
    decoding_free(&ratio);
}

static peck_status ask_nothing(void *ctx, int worker, const peck_duel *duel, size_t n,
                               float *h, peck_error *err)
{
    (void)ctx, (void)worker, (void)duel, (void)err;
    memset(h, 0, n * sizeof *h);
    return PECK_OK;
}

/* "... or 1/2" where both answers are 0. */
static void a_ratio_of_nothing_is_a_half(void **state)
{
    const struct oracle o = { .n = 9, .ask = ask_nothing };
    struct decoding d = decoding_new(9);

    (void)state;
    decode_with(&d, "fuzzy:symmetry=ratio", &o, 1, 0);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(d.order[i], i);
    decoding_free(&d);
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
        cmocka_unit_test(without_memory_a_window_of_the_whole_list_is_repeated_selection),
        cmocka_unit_test(a_window_of_the_whole_list_is_sort_by_degree),
        cmocka_unit_test(memory_helps_at_every_window),
        cmocka_unit_test(two_answers_are_averaged_or_put_in_a_ratio),
        cmocka_unit_test(a_ratio_of_nothing_is_a_half),
        cmocka_unit_test(small_windows_are_merge_sort),
        cmocka_unit_test(questions_follow_the_formula),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
