/* test_ascent.c -- a metric along a line: counted and judged; coordinate ascent climbs. */
#include "learn/line.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

static const struct task_sample sample = {
    .n_queries = 40, .max_docs = 25, .dim = 4, .noise = 1.0
};

/* Some documents that nobody judged, some labels beyond LETOR's 0, 1 and 2, some queries that
 * weigh more. */
static struct peck_dataset *odd_data(uint64_t seed)
{
    struct peck_dataset *const d = task_dataset(&sample, seed);

    for (size_t i = 0; i < d->n_docs; i += 7)
        d->label[i] = PECK_UNJUDGED;
    for (size_t i = 5; i < d->n_docs; i += 14)
        d->label[i] = 3.0f;
    dataset_count_labels(d);
    d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
    for (size_t q = 0; q < d->n_queries; q++)
        d->query_weight[q] = (float)(1 + q % 3);
    return d;
}

/* What line_judge gives for each t, against a judgement of its own; both up to a constant,
 * in the unit of a mean over queries. */
static void compare(const char *metric, const char *convention, bool is_counted)
{
    struct peck_dataset *const d = odd_data(1);
    struct train_setup c;
    struct train_metric r = { 0 };
    struct line line = { 0 };
    peck_error err = { 0 };
    struct rng rng;
    float s[2000], way[2000], at[2000], t[LINE_MAX];
    double value[LINE_MAX], wanted[LINE_MAX], all = 0.0;

    train_setup_open(&c, "coordinate-ascent", NULL, d, NULL, metric, 2);
    assert_ok(convention_parse(&c.convention, convention, &err), err);
    assert_ok(train_metric_open(&r, &c.task, "valid", &err), err);
    assert_ok(line_open(&line, &r, c.pool, &err), err);
    assert_int_equal(line.is_counted, is_counted);
    rng_seed(&rng, 2, 2);
    for (size_t i = 0; i < d->n_docs; i++) {
        s[i] = (float)rng_below(&rng, 5); /* many ties */
        way[i] = (float)rng_normal(&rng);
    }
    for (size_t k = 0; k < LINE_MAX; k++)
        t[k] = k == 0 ? 0.0f : (float)(3.0 * rng_normal(&rng));
    line_judge(&line, s, way, t, LINE_MAX, value);
    for (size_t k = 0; k < LINE_MAX; k++) {
        double alone;

        line_judge(&line, s, way, t + k, 1, &alone);
        assert_true(alone == value[k]);
        for (size_t i = 0; i < d->n_docs; i++)
            at[i] = s[i] + t[k] * way[i];
        wanted[k] = train_metric_judge(&r, at);
    }
    for (size_t q = 0; q < d->n_queries; q++)
        all += is_counted ? (double)d->query_weight[q] : 1.0 / (double)d->n_queries;
    for (size_t k = 1; k < LINE_MAX; k++)
        if (!(fabs((value[k] - value[0]) / all - (wanted[k] - wanted[0])) <= 1e-9))
            fail_msg("%s, t = %g: %.9g counted, %.9g judged", metric, (double)t[k],
                     (value[k] - value[0]) / all, wanted[k] - wanted[0]);
    line_close(&line);
    train_metric_close(&r);
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void counted_ranks_give_what_the_metric_gives(void **state)
{
    (void)state;
    compare("ndcg@10", NULL, true);
    compare("ndcg", NULL, true);
    compare("ndcg@3", "gain=linear", true);
    compare("ndcg@10", "letor3", true);
    compare("ndcg", "gain=letor", true); /* a label of 3 gains nothing, 2 and 1 do */
    compare("ndcg@16", "short=zero", true);
    compare("ndcg", "short=zero", true);
    compare("map", NULL, true);
    compare("map@5", NULL, true);
    compare("ndcg@10", "ties=worst", false);
    compare("err@10", NULL, false);
    compare("pairerr", NULL, false);
}

/* One list, too long to be counted: what line_judge gives is what the metric gives, whether
 * the top is picked or the list is sorted. */
static void long_lists_give_what_the_metric_gives(void **state)
{
    static const char *const names[] = { "ndcg@10",  "map@20",  "ndcg",  "map",
                                         "ndcg@100", "ndcg@64", "map@64" };
    const uint32_t sizes[] = { 200, 3000 };

    (void)state;
    for (size_t m = 0; m < N_OF(names); m++)
        for (size_t n = 0; n < N_OF(sizes); n++) {
            struct peck_dataset *const d = task_of(&sizes[n], 1, 2, NULL, 4);
            struct train_setup c;
            struct train_metric r = { 0 };
            struct line line = { 0 };
            peck_error err = { 0 };
            struct rng rng;
            float s[3000], way[3000], at[3000], t[3] = { 0.0f, 0.5f, -2.0f };
            double value[3];

            rng_seed(&rng, 5, m);
            for (size_t i = 0; i < d->n_docs; i++) {
                d->label[i] = i % 7 == 0 ? PECK_UNJUDGED : (float)rng_below(&rng, 4);
                s[i] = (float)rng_below(&rng, 50); /* many ties */
                way[i] = (float)rng_below(&rng, 9);
            }
            s[0] = 60.0f; /* of the highest label: it counts at the top */
            dataset_count_labels(d);
            train_setup_open(&c, "coordinate-ascent", NULL, d, NULL, names[m], 2);
            assert_ok(train_metric_open(&r, &c.task, "valid", &err), err);
            assert_ok(line_open(&line, &r, c.pool, &err), err);
            assert_true(line.is_counted);
            line_judge(&line, s, way, t, N_OF(t), value);
            for (size_t k = 0; k < N_OF(t); k++) {
                for (size_t i = 0; i < d->n_docs; i++)
                    at[i] = s[i] + t[k] * way[i];
                const double wanted = train_metric_judge(&r, at);

                if (!(fabs(value[k] - wanted) <= 1e-9))
                    fail_msg("%s of %u: %.12g, but %.12g", names[m], sizes[n], value[k],
                             wanted);
            }
            line_close(&line);
            train_metric_close(&r);
            train_setup_close(&c);
            peck_dataset_free(d);
        }
}

/* The metric of the training data after each pass of one start. */
static void no_pass_lowers_the_metric(void **state)
{
    static const char *const names[] = { "ndcg@10", "map", "pairerr", "p@3" };
    struct peck_dataset *const d = task_dataset(&sample, 3);

    (void)state;
    for (size_t m = 0; m < N_OF(names); m++) {
        struct learner_fixture p;
        double before = -1.0;

        fixture_open(&p, "coordinate-ascent", NULL, d, names[m], 1);
        for (int pass = 0; pass < 4; pass++) {
            const struct epoch_stats stats = fixture_epoch(&p);

            assert_true(stats.rate >= -1e-6); /* what the pass brought */
            if (pass > 0 && 1.0 - stats.loss < before - 1e-6)
                fail_msg("%s fell from %g to %g", names[m], before, 1.0 - stats.loss);
            before = 1.0 - stats.loss;
            if (stats.rate < 0.001) /* the next pass would start anew */
                break;
        }
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

static void a_pass_without_gain_starts_anew(void **state)
{
    const char *const settings[] = { "tolerance=1", "start=random", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct learner_fixture p;
    float first[4];

    (void)state;
    fixture_open(&p, "coordinate-ascent", settings, d, NULL, 1);
    fixture_epoch(&p);
    memcpy(first, p.setup.w, sizeof first);
    const struct epoch_stats second = fixture_epoch(&p);

    assert_true(second.rate > 0.0); /* from other weights there was something to gain */
    assert_true(memcmp(first, p.setup.w, sizeof first) != 0);
    fixture_close(&p);
    peck_dataset_free(d);
}

static void a_metric_that_is_none_is_refused(void **state)
{
    const char *const bad[][2] = { { "metric=ndgc", NULL }, { "metric=map,ndcg", NULL } };
    const char *const methods[] = { "coordinate-ascent", "adarank", "es-rank" };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++)
        for (size_t k = 0; k < N_OF(methods); k++) {
            peck_model *m = NULL;
            const peck_train_spec spec = { .method = methods[k],
                                           .train = d,
                                           .settings = bad[i] };

            assert_int_equal(peck_train(&m, &spec, &err), PECK_ARG);
            assert_null(m);
        }
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_ranks_give_what_the_metric_gives),
        cmocka_unit_test(long_lists_give_what_the_metric_gives),
        cmocka_unit_test(no_pass_lowers_the_metric),
        cmocka_unit_test(a_pass_without_gain_starts_anew),
        cmocka_unit_test(a_metric_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
