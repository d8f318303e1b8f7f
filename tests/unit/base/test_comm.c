/* test_comm.c -- ranks that exchange blocks, add and take turns; networks that fail. */
#include "support/check.h"
#include "support/thread_comm.h"

#include "base/comm.h"

enum { N = 11, MANY = 1000 };

/* All that comm.h offers, once, with checked results. */
static peck_status talk_of_all(void *ctx, const peck_comm *c, peck_error *err)
{
    const size_t ranks = comm_ranks(c), rank = comm_rank(c);
    size_t first[MOST_RANKS + 1], n_send[MOST_RANKS], n_receive[MOST_RANKS];
    uint32_t send[2 * MOST_RANKS * MOST_RANKS], got[2 * MOST_RANKS * MOST_RANKS] = { 0 };
    int64_t sum[MANY], word = rank == ranks - 1 ? 77 : 0;
    float x[N] = { 0 };
    size_t at = 0;

    (void)ctx;
    TRY(comm_check(c, err));
    TRY(comm_broadcast(c, &word, sizeof word, ranks - 1, err));
    assert_int_equal(word, 77);
    for (size_t i = 0; i <= ranks; i++)
        first[i] = comm_part(c, N, i);
    assert_int_equal(first[0], 0);
    assert_int_equal(first[ranks], N);
    for (size_t i = first[rank]; i < first[rank + 1]; i++)
        x[i] = (float)i;
    TRY(comm_share(c, x, first, sizeof *x, err));
    for (size_t i = 0; i < N; i++)
        assert_true(x[i] == (float)i);
    for (size_t n = N; n <= MANY; n += MANY - N) {
        for (size_t i = 0; i < n; i++)
            sum[i] = (int64_t)((rank + 1) * i);
        TRY(comm_add(c, sum, n, err));
        for (size_t i = 0; i < n; i++)
            assert_int_equal(sum[i], i * ranks * (ranks + 1) / 2);
    }
    /* Rank r sends r + i words to rank i. */
    for (size_t i = 0; i < ranks; i++) {
        n_send[i] = n_receive[i] = (rank + i) * sizeof *send;
        for (size_t k = 0; k < rank + i; k++)
            send[at++] = (uint32_t)(100 * rank + i);
    }
    TRY(comm_exchange(c, send, n_send, got, n_receive, err));
    at = 0;
    for (size_t i = 0; i < ranks; i++)
        for (size_t k = 0; k < rank + i; k++)
            assert_int_equal(got[at++], 100 * i + rank);
    return comm_agree(c, PECK_OK, err);
}

static void test_ranks_exchange(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST_RANKS; n++) {
        peck_error err = { 0 };

        assert_ok(on_ranks(n, talk_of_all, NULL, NULL, &err), err);
    }
    assert_int_equal(talk_of_all(NULL, NULL, NULL), PECK_OK);
}

/* An order that shows in the result: 10 s + rank. */
static void write_down(void *ctx, void *state)
{
    uint64_t *const s = state;

    *s = 10 * *s + comm_rank(ctx) + 1;
}

static peck_status take_turns(void *ctx, const peck_comm *c, peck_error *err)
{
    uint64_t up = 0;

    (void)ctx;
    TRY(comm_in_turn(c, &up, sizeof up, write_down, (void *)(uintptr_t)c, err));
    assert_int_equal(up, 1234);
    return PECK_OK;
}

static void test_ranks_take_turns(void **state)
{
    peck_error err = { 0 };

    (void)state;
    assert_ok(on_ranks(4, take_turns, NULL, NULL, &err), err);
}

/* A rank that fails gives its words to all. */
static peck_status fail_on_two(void *ctx, const peck_comm *c, peck_error *err)
{
    const bool is_bad = comm_rank(c) == 2;
    peck_error own = { 0 };
    const peck_status st =
        comm_agree(c, is_bad ? fail(&own, PECK_FORMAT, "data.txt:3: bad") : PECK_OK, &own);

    (void)ctx;
    assert_int_equal(st, PECK_FORMAT);
    assert_string_equal(own.text, "data.txt:3: bad");
    assert_int_equal(comm_compare(c, comm_rank(c) == 1, "other files", &own), PECK_SHAPE);
    assert_string_equal(own.text, "other files");
    assert_int_equal(comm_compare(c, 5, "other files", err), PECK_OK);
    return PECK_OK;
}

static void test_failures_are_shared(void **state)
{
    peck_error err = { 0 };

    (void)state;
    assert_ok(on_ranks(3, fail_on_two, NULL, NULL, &err), err);
}

/* Every call of every rank, as an error and as a short or long answer: a status, on all. */
static void test_bad_networks_end_in_a_status(void **state)
{
    (void)state;
    for (int rank = 0; rank < 3; rank++)
        for (size_t at = 1; at <= 7; at++)
            for (int kind = 0; kind < 3; kind++) {
                const struct comm_fault fault = { rank, at, kind == 1 ? -1 : 1, kind == 0 };
                peck_error err = { 0 };

                assert_int_equal(on_ranks(3, talk_of_all, NULL, &fault, &err), PECK_IO);
                assert_true(strlen(err.text) > 0);
            }
}

static void test_bad_communicators_are_refused(void **state)
{
    peck_comm c = { .size = sizeof c, .rank = 3, .n_ranks = 3 };
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(comm_check(NULL, &err), PECK_OK);
    assert_int_equal(comm_check(&c, &err), PECK_ARG);
    c.rank = 0;
    assert_int_equal(comm_check(&c, &err), PECK_ARG); /* no functions */
    c.size = 8;
    assert_int_equal(comm_check(&c, &err), PECK_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_exchange),
        cmocka_unit_test(test_ranks_take_turns),
        cmocka_unit_test(test_failures_are_shared),
        cmocka_unit_test(test_bad_networks_end_in_a_status),
        cmocka_unit_test(test_bad_communicators_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
