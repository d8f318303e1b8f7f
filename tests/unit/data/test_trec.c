/* TREC runs and qrels: who is in the list, in which order, and what is refused. */
#include "data/trec.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static peck_error err;

static void assert_span(peck_span s, const char *expected)
{
    assert_int_equal(s.n, strlen(expected));
    assert_memory_equal(s.s, expected, s.n);
}

struct expected {
    const char *doc;
    float label;
    double score;
};

static void assert_query(const struct trec *t, size_t q, const char *id,
                         const struct expected *row, size_t n)
{
    assert_span(strings_get(&t->query_id, q), id);
    assert_int_equal(t->start[q + 1] - t->start[q], n);
    for (size_t i = 0; i < n; i++) {
        const size_t r = t->start[q] + i;

        assert_span(strings_get(&t->doc_id, r), row[i].doc);
        assert_true(t->label[r] == row[i].label);
        assert_true(t->score[r] == row[i].score);
    }
}

static const char qrels_text[] = "q2 0 a 1\n"
                                 "q2 0 b 0\r\n"
                                 "q1\t0\ta  2\n"
                                 "q3 0 z 1\n"
                                 "\n"
                                 "q1 0 c -2\n"
                                 "q2 0 c 3";

static const char run_text[] = "q1 Q0 x 1 9.5 tag\n"
                               "q9 Q0 a 1 1 tag\n"
                               "q1 Q0 c 2 -1e-3 tag\r\n"
                               "q2 Q0 c 1 2\n"
                               "q1 Q0 a 3 9.5 tag\n"
                               "q2  Q0\tb 2 7 tag";

static const struct expected q1[] = { { "x", PECK_UNJUDGED, 9.5 },
                                      { "c", 0, -1e-3 },
                                      { "a", 2, 9.5 } };
static const struct expected q2[] = { { "c", 3, 2 }, { "b", 0, 7 }, { "a", 1, -INFINITY } };
static const struct expected q3[] = { { "z", 1, -INFINITY } };

static void retrieved_documents_come_first_then_the_judged_rest(void **state)
{
    (void)state;
    struct trec t;

    assert_int_equal(trec_read(&t, scratch_file("run", run_text),
                               scratch_file("qrels", qrels_text), false, &err),
                     PECK_OK);
    assert_int_equal(t.n_queries, 2);
    assert_query(&t, 0, "q2", q2, 3);
    assert_query(&t, 1, "q1", q1, 3);
    assert_int_equal(t.n_unanswered, 1); /* q3 */
    assert_int_equal(t.n_unknown, 1);    /* q9 */
    assert_int_equal(t.n_unjudged, 1);   /* x */
    trec_free(&t);
}

/* q3 comes first in the judgements, and the run knows nothing of it. */
static void queries_behind_one_without_an_answer_are_there(void **state)
{
    (void)state;
    struct trec t;

    assert_int_equal(trec_read(&t, scratch_file("run", run_text),
                               scratch_file("qrels", "q3 0 z 1\nq2 0 a 1\nq2 0 b 0\n"
                                                     "q2 0 c 3\n"),
                               false, &err),
                     PECK_OK);
    assert_int_equal(t.n_queries, 1);
    assert_query(&t, 0, "q2", q2, 3);
    trec_free(&t);
}

static void complete_keeps_judged_queries_that_the_run_leaves_out(void **state)
{
    (void)state;
    struct trec t;

    assert_int_equal(trec_read(&t, scratch_file("run", run_text),
                               scratch_file("qrels", qrels_text), true, &err),
                     PECK_OK);
    assert_int_equal(t.n_queries, 3);
    assert_query(&t, 0, "q2", q2, 3);
    assert_query(&t, 1, "q1", q1, 3);
    assert_query(&t, 2, "q3", q3, 1);
    trec_free(&t);
    trec_free(&t);
}

static peck_status refuse(const char *run, const char *qrels, bool complete)
{
    struct trec t;
    const peck_status st = trec_read(&t, scratch_file("run", run),
                                     scratch_file("qrels", qrels), complete, &err);

    assert_int_equal(t.n_queries, 0);
    assert_null(t.start);
    return st;
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *says;
    } runs[] = {
        { "q Q0 d 1\n", "run:1:", "4 columns" },
        { "q Q0 d 1 2 tag more\n", "run:1:", "7 columns" },
        { "q Q0 d 1 nan tag\n", "run:1:", "score 'nan'" },
        { "q Q0 d 1 inf tag\n", "run:1:", "score 'inf'" },
        { "q Q0 d 1 1e999 tag\n", "run:1:", "score '1e999'" },
        { "q Q0 d 1 high tag\n", "run:1:", "score 'high'" },
        { "q Q0 d first 1 tag\n", "run:1:", "rank 'first'" },
        { "q Q0 d 1 2 t\nx Q0 d 1 2 t\nq Q0 d 2 1 t\n", "run:3:", "'d' of query 'q'" },
        { "x Q0 d 1 2 t\nx Q0 d 1 2 t\n", "run:2:", "second time" },
        { "", "run", "empty" },
        { " \n\n", "run", "empty" },
    };
    static const struct {
        const char *text, *place, *says;
    } qrels[] = {
        { "q 0 d\n", "qrels:1:", "3 columns" },
        { "q 0 d 1 1\n", "qrels:1:", "5 columns" },
        { "q 0 d x\n", "qrels:1:", "relevance 'x'" },
        { "q 0 d 1.5\n", "qrels:1:", "relevance '1.5'" },
        { "q 0 d -\n", "qrels:1:", "relevance '-'" },
        { "q 0 d 99999999999999999999\n", "qrels:1:", "relevance '99999999999999999999'" },
        { "q 0 d 1\n\nq 0 d 1\n", "qrels:3:", "'d' of query 'q'" },
        { "", "qrels", "empty" },
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        assert_failure(refuse(runs[i].text, "q 0 d 1\n", true), &err, PECK_FORMAT,
                       runs[i].place, runs[i].says);
    for (size_t i = 0; i < sizeof qrels / sizeof *qrels; i++)
        assert_failure(refuse("q Q0 d 1 2 t\n", qrels[i].text, false), &err, PECK_FORMAT,
                       qrels[i].place, qrels[i].says);
}

static void a_run_of_other_queries_does_not_fit(void **state)
{
    (void)state;
    assert_failure(refuse("x Q0 d 1 2 t\n", "q 0 d 1\n", false), &err, PECK_SHAPE, "run",
                   "qrels");
    assert_failure(refuse("x Q0 d 1 2 t\n", "q 0 d 1\n", true), &err, PECK_SHAPE, "judged");
    struct trec t;

    assert_failure(trec_read(&t, "/no/run", scratch_file("qrels", "q 0 d 1\n"), true, &err),
                   &err, PECK_IO, "/no/run");
    assert_failure(
        trec_read(&t, scratch_file("run", "q Q0 d 1 1 t\n"), "/no/qrels", true, &err), &err,
        PECK_IO, "/no/qrels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retrieved_documents_come_first_then_the_judged_rest),
        cmocka_unit_test(queries_behind_one_without_an_answer_are_there),
        cmocka_unit_test(complete_keeps_judged_queries_that_the_run_leaves_out),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(a_run_of_other_queries_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
