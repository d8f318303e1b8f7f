/* test_trace.c -- what a job takes on more workers, by the times of its tasks. */
#include "support/check.h"

#include "base/trace.h"

/* Each task goes to the worker that is free first. */
static void makespan_follows_the_order_of_tasks(void **state)
{
    const double took[] = { 3.0, 2.0, 1.0, 4.0, 1.0 };

    (void)state;
    assert_true(trace_makespan(took, 5, 1) == 11.0);
    assert_true(trace_makespan(took, 5, 2) == 7.0); /* 3 4 | 2 1 1 */
    assert_true(trace_makespan(took, 5, 3) == 5.0); /* 3 | 2 1 | 1 4 */
    assert_true(trace_makespan(took, 5, 16) == 4.0);
    assert_true(trace_makespan(took, 0, 2) == 0.0);
}

/* Jobs of one task are summed, and so is what runs between the same two. */
static void jobs_and_gaps_are_summed(void **state)
{
    struct trace t = { .mark = trace_clock() };

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(trace_begin(&t, 8, 2));
        t.took[0] = 1.0;
        t.took[1] = 2.0;
        trace_end(&t, 2);
    }
    assert_int_equal(t.n_jobs, 1);
    assert_int_equal(t.job[0].n_jobs, 3);
    assert_int_equal(t.job[0].n_tasks, 6);
    assert_true(t.job[0].busy == 9.0 && t.job[0].longest == 6.0 && t.job[0].span[0] == 6.0);
    assert_int_equal(t.n_gaps, 2); /* the beginning to it, and it to itself */
    assert_int_equal(t.gap[1].n, 2);
    assert_true(t.gap[0].seconds >= 0.0 && t.gap[0].seconds < 60.0);
    mem_free(t.job);
    mem_free(t.gap);
    mem_free(t.took);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makespan_follows_the_order_of_tasks),
        cmocka_unit_test(jobs_and_gaps_are_summed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
