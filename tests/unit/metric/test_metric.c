/* test_metric.c -- lists of metrics as users type them. */
#include "metric/metric.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_refused(const char *text, const char *words)
{
    struct metric_list list;
    peck_error err = { 0 };

    assert_int_equal(metric_list_parse(&list, text, &err), PECK_ARG);
    assert_null(list.item);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void names_and_cuts_are_read_in_order(void **state)
{
    struct metric_list list;

    (void)state;
    assert_int_equal(metric_list_parse(&list, "ndcg@10, MAP,p@5 ,Ndcg", NULL), PECK_OK);
    assert_int_equal(list.n, 4);
    assert_string_equal(list.item[0].name, "ndcg@10");
    assert_int_equal(list.item[0].k, 10);
    assert_string_equal(list.item[1].name, "map");
    assert_int_equal(list.item[1].k, WHOLE_LIST);
    assert_string_equal(list.item[2].name, "p@5");
    assert_string_equal(list.item[3].name, "ndcg");
    assert_int_equal(list.needs, NEEDS_DCG);
    metric_list_free(&list);
}

static void what_is_asked_twice_is_there_once(void **state)
{
    struct metric_list list;

    (void)state;
    assert_int_equal(metric_list_parse(&list, "map,ndcg@010,map,ndcg@10,mrr", NULL),
                     PECK_OK);
    assert_int_equal(list.n, 3);
    assert_string_equal(list.item[2].metric->plug.about.name, "mrr");
    metric_list_free(&list);
}

static void metrics_of_a_top_take_a_cut(void **state)
{
    struct metric_list list;

    (void)state;
    assert_int_equal(
        metric_list_parse(&list, "ndcg@5,dcg@5,map@5,mrr@5,err@5,p@5,recall@5", NULL),
        PECK_OK);
    assert_int_equal(list.n, 7);
    for (size_t i = 0; i < list.n; i++)
        assert_int_equal(list.item[i].k, 5);
    metric_list_free(&list);
}

static void wrong_pairs_are_errors_all_else_is_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_metrics; i++)
        assert_int_equal(metrics[i]->is_error,
                         strncmp(metrics[i]->plug.about.name, "pairerr", 7) == 0);
}

static void no_text_means_the_default_and_all_means_every_metric(void **state)
{
    struct metric_list list;
    size_t found = 0;

    (void)state;
    assert_int_equal(metric_list_parse(&list, NULL, NULL), PECK_OK);
    assert_int_equal(list.n, 9);
    metric_list_free(&list);
    assert_int_equal(metric_list_parse(&list, "all", NULL), PECK_OK);
    for (size_t i = 0; i < n_metrics; i++)
        for (size_t j = 0; j < list.n; j++)
            if (list.item[j].metric == metrics[i]) {
                found++;
                break;
            }
    assert_int_equal(found, n_metrics);
    found = list.n;
    metric_list_free(&list);
    assert_int_equal(metric_list_parse(&list, "all,ndcg@77", NULL), PECK_OK);
    assert_int_equal(list.n, found + 1);
    assert_int_equal(list.item[found].k, 77);
    metric_list_free(&list);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    assert_refused("ndgc@10", "did you mean 'ndcg'");
    assert_refused("map,ndcg@0", "from 1 to 1000000");
    assert_refused("ndcg@1000001", "from 1 to 1000000");
    assert_refused("ndcg@ten", "from 1 to 1000000");
    assert_refused("ndcg@", "from 1 to 1000000");
    assert_refused("ndcg@99999999999999999999999999", "from 1 to 1000000");
    assert_refused("tau@5", "takes no @n");
    assert_refused("", "unknown metric");
    assert_refused("map,,p@1", "unknown metric");
    assert_refused("an-endless-name-of-a-metric-that-nobody-knows-at-all@5",
                   "unknown metric");
}

static void cuts_beyond_the_depth_name_the_way_out(void **state)
{
    struct metric_list list;
    struct convention c;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(metric_list_parse(&list, "ndcg,ndcg@10,p@11", NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, "letor4", NULL), PECK_OK);
    assert_int_equal(metric_list_check(&list, &c, &err), PECK_ARG);
    assert_non_null(strstr(err.text, "p@11"));
    assert_non_null(strstr(err.text, "depth=0"));
    assert_int_equal(convention_parse(&c, "letor4,depth=0", NULL), PECK_OK);
    assert_int_equal(metric_list_check(&list, &c, &err), PECK_OK);
    assert_int_equal(convention_parse(&c, "letor3", NULL), PECK_OK);
    assert_int_equal(metric_list_check(&list, &c, &err), PECK_OK);
    metric_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_cuts_are_read_in_order),
        cmocka_unit_test(what_is_asked_twice_is_there_once),
        cmocka_unit_test(metrics_of_a_top_take_a_cut),
        cmocka_unit_test(wrong_pairs_are_errors_all_else_is_good),
        cmocka_unit_test(no_text_means_the_default_and_all_means_every_metric),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(cuts_beyond_the_depth_name_the_way_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
