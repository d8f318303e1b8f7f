/* test_gen_topics.c -- topical queries: what rules may rely on. */
#include "unit/synth/collect.h"

enum { TOPICS = 8, AGE = 2 * TOPICS, TEXT = AGE + 1 };

static bool is_met(const float *x)
{
    for (size_t k = 0; k < TOPICS; k++)
        if (x[k] > 0 && x[TOPICS + k] > 0)
            return true;
    return false;
}

static void names_let_rules_speak_of_topics(void **state)
{
    struct synth *const s = open_kind("topics", SET("topics=9"), 1);
    struct strings names = { 0 };

    (void)state;
    assert_int_equal(synth_feature_names(s, &names, NULL), PECK_OK);
    assert_int_equal(names.n, 140);
    assert_true(span_is(strings_get(&names, 0), "topic_sport"));
    assert_true(span_is(strings_get(&names, 8), "topic_9"));
    assert_true(span_is(strings_get(&names, 9), "query_topic_sport"));
    assert_true(span_is(strings_get(&names, 10), "query_topic_food"));
    assert_true(span_is(strings_get(&names, 18), "age_days"));
    assert_true(span_is(strings_get(&names, 19), "match_whole_1"));
    strings_free(&names);
    synth_free(s);
}

static void query_topics_are_constant_in_the_query_and_met(void **state)
{
    struct gathered g = gather("topics", SET("queries=300"), 4);
    size_t n_topical = 0, n_twice = 0;

    (void)state;
    for (size_t q = 0; q < g.n_queries; q++) {
        const float *const first = g.x + g.start[q] * g.dim;
        size_t asked = 0, met[TOPICS] = { 0 };

        for (size_t i = g.start[q]; i < g.start[q + 1]; i++) {
            const float *const x = g.x + i * g.dim;

            assert_memory_equal(x + TOPICS, first + TOPICS, TOPICS * sizeof(float));
            assert_true(x[AGE] >= 0.0f);
            for (size_t k = 0; k < TOPICS; k++) {
                assert_true(fabsf(x[k]) <= 1.0f && fabsf(x[k]) >= 0.1f);
                met[k] += x[k] > 0;
            }
        }
        for (size_t k = 0; k < TOPICS; k++) {
            asked += first[TOPICS + k] > 0;
            assert_true(first[TOPICS + k] < 0 || met[k] > 0);
        }
        n_topical += asked > 0;
        n_twice += asked > 1;
    }
    assert_in_range(n_topical, 240, 290);
    assert_in_range(n_twice, 30, 100);
    release(&g);
}

static void labels_are_the_seven_levels_of_clicks(void **state)
{
    struct gathered g = gather("topics", SET("queries=2000"), 4);
    size_t seen[7] = { 0 };

    (void)state;
    for (size_t i = 0; i < g.n; i++) {
        assert_true(2.0f * g.label[i] == floorf(2.0f * g.label[i]));
        seen[(size_t)(2.0f * g.label[i])]++;
    }
    for (size_t k = 1; k < 7; k++)
        assert_true(seen[k] > 0 && seen[k] < seen[k - 1]);
    assert_true(seen[0] > g.n / 2);
    release(&g);
}

static void only_the_labelled_queries_show_their_labels(void **state)
{
    struct gathered all = gather("topics", SET("queries=20"), 6);
    struct gathered few = gather("topics", SET("queries=20", "labelled=4"), 6);
    struct gathered none = gather("topics", SET("queries=20", "labelled=0"), 6);

    (void)state;
    assert_memory_equal(all.x, few.x, all.n * all.dim * sizeof(float));
    assert_memory_equal(all.label, few.label, all.start[4] * sizeof(float));
    for (size_t i = 0; i < all.n; i++) {
        assert_true(i < few.start[4] || few.label[i] == PECK_UNJUDGED);
        assert_true(none.label[i] == PECK_UNJUDGED);
    }
    release(&all);
    release(&few);
    release(&none);
}

/* A line sees no meeting of topics.  Adding it must help a great deal, or no rule could:
 * that is what this data is for. */
static void topical_match_is_what_a_line_misses(void **state)
{
    struct gathered train = gather("topics", SET("queries=400"), 1);
    struct gathered test = gather("topics", SET("queries=1000"), 2);
    double *const w = fit_line(&train), *const score = calloc(test.n, sizeof *score);
    const double line = line_accuracy(&train, &test);

    (void)state;
    for (size_t i = 0; i < test.n; i++) {
        const float *const x = test.x + i * test.dim;

        for (size_t j = 0; j < test.dim; j++)
            score[i] += w[j] * x[j];
        score[i] += is_met(x) ? 0.5 : 0.0;
    }
    assert_true(line > 0.65);
    assert_true(pair_accuracy(&test, score) > line + 0.05);
    free(w);
    free(score);
    release(&train);
    release(&test);
}

static void too_few_features_for_the_topics_are_refused(void **state)
{
    struct synth *s = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(synth_new(&s, generator_find("topics", NULL), SET("dim=17"), 1, &err),
                     PECK_ARG);
    assert_non_null(strstr(err.text, "at least 18"));
    assert_int_equal(synth_new(&s, generator_find("topics", NULL), SET("dim=18"), 1, &err),
                     PECK_OK);
    synth_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_let_rules_speak_of_topics),
        cmocka_unit_test(query_topics_are_constant_in_the_query_and_met),
        cmocka_unit_test(labels_are_the_seven_levels_of_clicks),
        cmocka_unit_test(only_the_labelled_queries_show_their_labels),
        cmocka_unit_test(topical_match_is_what_a_line_misses),
        cmocka_unit_test(too_few_features_for_the_topics_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
