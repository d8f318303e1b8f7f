/* test_tree.c -- the tree's rounds ask what insertion, one item after the other, asks. */
#include "support/oracles.h"

#include "support/check.h"

#include "base/rng.h"

#include <math.h>

enum { MOST = 300 };

/* The slow twin: a search tree with nodes. */
struct node {
    uint32_t item;
    int left, right; /* -1: none */
};

static bool goes_before(const struct session *s, uint32_t i, uint32_t j)
{
    const double h = session_h(s, i, j);

    return h > 0.5 || (h == 0.5 && i < j);
}

static uint32_t walk(const struct node *node, int at, uint32_t *order)
{
    if (at < 0)
        return 0;
    const uint32_t left = walk(node, node[at].left, order);

    order[left] = node[at].item;
    return left + 1 + walk(node, node[at].right, order + left + 1);
}

/* Returns the questions. */
static uint64_t insert_all(const struct session *s, const uint32_t *enter, uint32_t *order)
{
    struct node node[MOST];
    uint64_t asked = 0;

    for (uint32_t k = 0; k < s->oracle.n; k++) {
        node[k] = (struct node){ enter[k], -1, -1 };
        for (int at = 0; k > 0;) {
            int *const next =
                goes_before(s, enter[k], node[at].item) ? &node[at].left : &node[at].right;

            asked++;
            if (*next < 0) {
                *next = (int)k;
                break;
            }
            at = *next;
        }
    }
    (void)walk(node, s->oracle.n > 0 ? 0 : -1, order);
    return asked;
}

static void check_tree(const struct jury *jury, uint32_t n, bool is_shuffled)
{
    uint32_t enter[MOST + 1], want[MOST + 1];
    struct decoding d = decoding_new(n);
    struct session s;
    struct rng r;

    session_open(&s, jury, n, n);
    for (uint32_t i = 0; i < n; i++)
        enter[i] = i;
    rng_seed(&r, 7, 0);
    if (is_shuffled)
        rng_shuffle(&r, enter, n);
    const uint64_t asked = insert_all(&s, enter, want);

    decode_with(&d, is_shuffled ? "tree" : "tree:shuffle=0", &s.oracle, 7, 0);
    if (memcmp(want, d.order, n * sizeof *want) != 0)
        fail_msg("%u items, %s: another order", n, jury->name);
    assert_int_equal(d.n_questions, asked * (jury->is_symmetric ? 1 : 2));
    assert_int_equal(s.asked, d.n_questions);
    decoding_free(&d);
}

static void rounds_are_insertions(void **state)
{
    (void)state;
    for (size_t j = 0; j < n_juries; j++)
        for (uint32_t n = 0; n <= MOST; n += n < 20 ? 1 : 70)
            for (int is_shuffled = 0; is_shuffled < 2; is_shuffled++)
                check_tree(&juries[j], n, is_shuffled);
}

/* 2 (n + 1) H_n - 4 n on average, whatever order they come in. */
static void a_sorted_list_or_equal_items_take_n_log_n(void **state)
{
    static const char *const names[] = { "sorted", "reversed", "constant" };
    enum { N = 100000 };

    (void)state;
    for (size_t k = 0; k < N_OF(names); k++) {
        struct decoding d = decoding_new(N);
        struct session s;

        session_open(&s, jury_find(names[k]), N, 1);
        decode_with(&d, "tree", &s.oracle, 3, 0);
        assert_true((double)d.n_questions < 2.0 * N * log(N));
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(d.order[i], k == 1 ? N - 1 - i : i);
        decoding_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_insertions),
        cmocka_unit_test(a_sorted_list_or_equal_items_take_n_log_n),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
