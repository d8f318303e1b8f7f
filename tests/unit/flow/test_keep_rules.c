/* test_keep_rules.c -- rules at serving time, by rows and by data sets. */
#include "support/check.h"
#include "support/scratch.h"

#include <math.h>
#include <string.h>

enum { N_DOCS = 5, N_RULES = 3 };

static const char data_text[] =
    "# 1 sport\n# 2 age\n# 3 query_sport\n"
    "0 qid:a 1:0 2:1 3:1\n0 qid:a 1:0 2:2 3:1\n0 qid:a 1:1 2:3 3:1\n"
    "0 qid:b 1:1 2:4\n0 qid:b 1:0 2:5\n";
static const char rules_text[] =
    "sport: forall q | q.sport > 0 : forall d : top(1, d) implies d.sport > 0\n"
    "young: forall d : top(1, d) implies d.age < 3 weight 0.5\n"
    "order: forall d, e : d.age > e.age and d.sport = e.sport implies before(d, e) weight "
    "0\n";
static const double score[N_DOCS] = { 3, 2, 1, 5, 4 };

struct kit {
    peck_dataset *data;
    peck_rules *rules;
    peck_enforcer *enforcer;
};

static struct kit open_kit(const char *data, const char *rules)
{
    const peck_read_options options = { .format = "letor", .missing = "keep" };
    struct kit k;
    peck_error err = { 0 };

    assert_ok(peck_dataset_read(&k.data, scratch_file("k.txt", data), &options, &err), err);
    assert_ok(peck_rules_parse(&k.rules, rules, &err), err);
    assert_ok(peck_enforcer_new(&k.enforcer, k.rules, k.data, &err), err);
    return k;
}

static void close_kit(struct kit *k)
{
    peck_enforcer_free(k->enforcer);
    peck_rules_free(k->rules);
    peck_dataset_free(k->data);
}

static void a_list_keeps_the_heavier_rule_and_tells_what_it_gave_up(void **state)
{
    struct kit k = open_kit(data_text, rules_text);
    const uint32_t wanted[] = { 2, 0, 1 };
    const signed char wanted_kept[N_RULES] = { 1, 0, -1 };
    uint32_t order[3];
    signed char kept[N_RULES];
    peck_enforced info;
    peck_query q;
    peck_error err = { 0 };

    (void)state;
    peck_dataset_query(k.data, 0, &q);
    assert_int_equal(peck_rules_count(k.rules), N_RULES);
    assert_memory_equal(peck_rules_name(k.rules, 1).s, "young", 5);
    assert_ok(
        peck_enforce(k.enforcer, q.x, q.n_docs, q.stride, score, order, kept, &info, &err),
        err);
    assert_memory_equal(order, wanted, sizeof wanted);
    assert_memory_equal(kept, wanted_kept, sizeof kept);
    assert_true(info.cost == 3.0 && info.n_rules == 2 && info.n_given_up == 1);
    assert_true(info.is_turned && info.is_proven);
    assert_ok(
        peck_enforce(k.enforcer, q.x, q.n_docs, q.stride, score, order, NULL, NULL, &err),
        err);
    close_kit(&k);
}

static void a_rule_that_no_order_can_change_plays_no_part(void **state)
{
    struct kit k = open_kit(data_text, "young: forall d : d.age < 2\n"
                                       "all: forall d : top(3, d) implies d.sport > 0\n"
                                       "first: forall d : top(1, d) implies d.sport > 0\n");
    const signed char wanted_kept[N_RULES] = { -1, -1, 1 };
    uint32_t order[3];
    signed char kept[N_RULES];
    peck_enforced info;
    peck_query q;
    peck_error err = { 0 };

    (void)state;
    peck_dataset_query(k.data, 0, &q);
    assert_ok(
        peck_enforce(k.enforcer, q.x, q.n_docs, q.stride, score, order, kept, &info, &err),
        err);
    assert_memory_equal(kept, wanted_kept, sizeof kept);
    assert_int_equal(info.n_rules, 1);
    assert_int_equal(info.n_given_up, 0);
    close_kit(&k);
}

static void all_queries_are_those_of_each_at_any_thread_count(void **state)
{
    struct kit k = open_kit(data_text, rules_text);
    peck_error err = { 0 };

    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        uint32_t all[N_DOCS], one[N_DOCS];
        signed char kept[2][N_RULES], own[N_RULES];
        peck_enforced info[2];
        peck_report *report = NULL;

        assert_ok(peck_enforce_all(k.rules, k.data, score, threads, all, kept[0], info,
                                   &report, &err),
                  err);
        for (size_t i = 0; i < 2; i++) {
            peck_query q;

            peck_dataset_query(k.data, i, &q);
            assert_ok(peck_enforce(k.enforcer, q.x, q.n_docs, q.stride, score + q.first,
                                   one, own, NULL, &err),
                      err);
            assert_memory_equal(all + q.first, one, q.n_docs * sizeof *one);
            assert_memory_equal(kept[i], own, sizeof own);
        }
        assert_true(peck_report_value(report, "turned") == 1.0);
        assert_true(peck_report_value(report, "gave_up") == 2.0);
        peck_report_free(report);
    }
    close_kit(&k);
}

static void what_cannot_be_ordered_is_refused(void **state)
{
    struct kit k = open_kit(data_text, rules_text);
    const double bad[] = { 1, (double)NAN, 2 };
    const float missing[] = { 0, 1, 1, 1, (float)NAN, 1 };
    uint32_t order[3];
    peck_error err = { 0 };
    peck_query q;

    (void)state;
    peck_dataset_query(k.data, 0, &q);
    assert_int_equal(
        peck_enforce(k.enforcer, q.x, q.n_docs, q.stride, bad, order, NULL, NULL, &err),
        PECK_FORMAT);
    assert_non_null(strstr(err.text, "document 2"));
    assert_int_equal(
        peck_enforce(k.enforcer, q.x, 0, q.stride, score, order, NULL, NULL, &err),
        PECK_ARG);
    assert_int_equal(peck_enforce(k.enforcer, q.x, 3, 2, score, order, NULL, NULL, &err),
                     PECK_SHAPE);
    assert_int_equal(
        peck_enforce(k.enforcer, missing, 2, 3, score, order, NULL, NULL, &err),
        PECK_FORMAT);
    assert_non_null(strstr(err.text, "'age' is missing in document 2"));
    close_kit(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_keeps_the_heavier_rule_and_tells_what_it_gave_up),
        cmocka_unit_test(a_rule_that_no_order_can_change_plays_no_part),
        cmocka_unit_test(all_queries_are_those_of_each_at_any_thread_count),
        cmocka_unit_test(what_cannot_be_ordered_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
