/* What the summary of preferences counts. */
#include "peck.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static peck_error err;

struct number {
    const char *name;
    double value;
};

static void check(const char *path, const peck_dataset *d, int skip_bad,
                  const struct number *expected, size_t n)
{
    peck_prefs *p = NULL;
    peck_report *r = NULL;

    assert_int_equal(peck_prefs_read(&p, path, d, skip_bad, &err), PECK_OK);
    assert_int_equal(peck_prefs_summarise(&r, p, d, &err), PECK_OK);
    for (size_t i = 0; i < n; i++) {
        const double got = peck_report_value(r, expected[i].name);

        if (!(got == expected[i].value))
            fail_msg("%s is %g, expected %g", expected[i].name, got, expected[i].value);
    }
    peck_report_free(r);
    peck_prefs_free(p);
}

static void a_list_that_stands_alone(void **state)
{
    (void)state;
    static const struct number expected[] = {
        { "preferences", 7 },
        { "lists", 2 },
        { "items", 6 },
        { "weight", 41 },
        { "pairs", 5 },
        { "contradicted_pairs", 1 },
        { "undecided", 1 },
        { "components", 3 },
        { "connected_lists", 1 },
        { "malformed_lines", 1 },
        { "first_malformed_line", 4 },
    };

    /* x: a-b (both ways), b-c, d-e; y: a-b undecided, b-f twice the same way. */
    check(scratch_file("p.csv", "list,winner,loser,wins,losses\n"
                                "x,a,b,7,3\nx,a,b,1,9\nx,a\nx,b,c,4,1\nx,d,e,5,0\n"
                                "y,b,a,2,2\ny,b,f,1,0\ny,f,b,0,6\n"),
          NULL, 1, expected, sizeof expected / sizeof *expected);
}

static void preferences_beside_labels(void **state)
{
    (void)state;
    static const struct number expected[] = {
        { "preferences", 6 },       { "queries", 2 },
        { "documents", 7 },         { "pairs", 6 },
        { "undecided", 1 },         { "contradicted_pairs", 0 },
        { "agree_with_labels", 1 }, { "disagree_with_labels", 2 },
        { "tied_in_labels", 1 },    { "without_labels", 1 },
    };
    peck_dataset *d = NULL;
    const char *const data = scratch_file("d.txt", "2 qid:a 1:1\n1 qid:a 1:1\n1 qid:a 1:1\n"
                                                   "? qid:a 1:1\n0 qid:b 1:1\n3 qid:b 1:1\n"
                                                   "1 qid:b 1:1\n0 qid:c 1:1\n");

    assert_int_equal(peck_dataset_read(&d, data, NULL, &err), PECK_OK);
    /* agrees; disagrees; tied; unjudged; 1 over 0 with 3/4 against it; undecided */
    check(scratch_file("p.csv", "query,winner,loser,probability\n"
                                "a,0,1,1\na,2,0,0.75\na,1,2,1\na,3,0,1\n"
                                "b,1,0,0.25\nb,0,2,0.5\n"),
          d, 0, expected, sizeof expected / sizeof *expected);
    peck_dataset_free(d);
}

static void the_photo_votes_hang_together(void **state)
{
    (void)state;
    static const struct number expected[] = {
        { "preferences", 14849 },
        { "lists", 3 },
        { "items", 100 },
        { "pairs", 14849 },
        { "components", 3 },
        { "connected_lists", 3 },
        { "contradicted_pairs", 0 },
        { "malformed_lines", 1 },
        { "first_malformed_line", 14847 },
    };
    const char *const path = real_data("photos/votes.txt");

    if (path == NULL)
        skip();
    check(path, NULL, 1, expected, sizeof expected / sizeof *expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_that_stands_alone),
        cmocka_unit_test(preferences_beside_labels),
        cmocka_unit_test(the_photo_votes_hang_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
