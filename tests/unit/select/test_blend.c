/* test_blend.c -- committees: who is in, what each counts, and what is refused. */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"
#include "support/scratch.h"

#include <math.h>

enum { DIM = 4, N_MODELS = 5, ROUNDS = 50 };

static peck_error err;
static peck_dataset *valid;
static peck_dataset_info info;
static peck_model *model[N_MODELS];

static int prepare(void **state)
{
    const struct sample shape = {
        .n_queries = 25, .max_docs = 12, .dim = DIM, .n_grades = 3
    };

    (void)state;
    valid = sample_dataset(&shape, 3);
    peck_dataset_describe(valid, &info);
    for (size_t i = 0; i < N_MODELS; i++) {
        const struct model_sample sample = { .family = i == 2 ? "cmpnn" : "linear",
                                             .dim = DIM,
                                             .norm = "zscore",
                                             .seed = i + 1 };

        model[i] = sample_model(&sample);
    }
    return 0;
}

static int clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MODELS; i++)
        peck_model_free(model[i]);
    peck_dataset_free(valid);
    return 0;
}

static peck_blend_spec spec_of(const char *weights)
{
    return (peck_blend_spec){ .model = (const peck_model *const *)model,
                              .n_models = N_MODELS,
                              .weights = weights,
                              .valid = valid,
                              .threads = 1 };
}

static peck_model *blended(const peck_blend_spec *spec)
{
    peck_model *m = NULL;

    assert_ok(peck_blend(&m, spec, &err), err);
    return m;
}

static double judged(const double *score, const char *metric)
{
    const peck_judge_spec how = { .metrics = metric, .threads = 1 };
    peck_report *r = NULL;

    assert_ok(peck_evaluate_scores(&r, valid, score, &how, &err), err);
    const double value = peck_report_value(r, metric);

    peck_report_free(r);
    return value;
}

static double value_of(const peck_model *m, const char *metric)
{
    double *const score = calloc(info.n_docs, sizeof *score);

    assert_ok(peck_model_score(m, valid, 1, score, &err), err);
    const double value = judged(score, metric);

    free(score);
    return value;
}

/* Which share a model has; 0: it is not in. */
static double share_of_model(const peck_model *m, const peck_model *part)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (m->part[i] == part)
            return m->share[i];
    return 0.0;
}

/* Shares ----------------------------------------------------------------------------- */

static void equal_weights_are_equal(void **state)
{
    peck_blend_spec spec = spec_of(NULL);

    (void)state;
    spec.valid = NULL;
    peck_model *const m = blended(&spec);

    assert_int_equal(m->n_parts, N_MODELS);
    for (size_t i = 0; i < N_MODELS; i++) {
        assert_ptr_equal(m->part[i], model[i]);
        assert_true(m->share[i] == 1.0 / N_MODELS);
    }
    assert_span(notes_get(&m->notes, "shares"), "equal");
    assert_int_equal(notes_get(&m->notes, "valid").n, 0);
    peck_model_free(m);
}

/* As the method is told in a sentence, with everything measured anew each time. */
static void choose_slowly(size_t best[N_MODELS], const char *metric, int sign)
{
    static const double one = 1.0;
    double *const sum = calloc(info.n_docs, sizeof *sum);
    double *const with = calloc(info.n_docs, sizeof *with);
    size_t count[N_MODELS] = { 0 };
    double top = -INFINITY;

    for (size_t round = 0; round < ROUNDS; round++) {
        double best_value = -INFINITY;
        size_t joins = 0;

        for (size_t pass = 0; pass <= N_MODELS; pass++) {
            const size_t k = pass < N_MODELS ? pass : joins; /* the last one joins */
            peck_model *const alone = committee_of(&model[k], &one, 1);

            assert_ok(peck_model_score(alone, valid, 1, with, &err), err);
            for (size_t i = 0; i < info.n_docs; i++)
                with[i] += sum[i];
            const double value = sign * judged(with, metric);

            if (value > best_value) {
                best_value = value;
                joins = k;
            }
            peck_model_free(alone);
        }
        memcpy(sum, with, info.n_docs * sizeof *sum);
        count[joins]++;
        if (best_value > top) {
            top = best_value;
            memcpy(best, count, sizeof count);
        }
    }
    free(sum);
    free(with);
}

static void greedy_weights_are_those_of_its_slow_twin(void **state)
{
    static const struct {
        const char *metric;
        int sign;
    } cases[] = { { "ndcg@10", 1 }, { "pairerr", -1 } };

    (void)state;
    for (size_t c = 0; c < N_OF(cases); c++) {
        peck_blend_spec spec = spec_of("greedy");
        size_t count[N_MODELS], rounds = 0;

        spec.metric = cases[c].metric;
        peck_model *const m = blended(&spec);

        choose_slowly(count, cases[c].metric, cases[c].sign);
        for (size_t i = 0; i < N_MODELS; i++)
            rounds += count[i];
        for (size_t i = 0; i < N_MODELS; i++)
            assert_true(share_of_model(m, model[i]) == (double)count[i] / (double)rounds);
        peck_model_free(m);
    }
}

static void greedy_is_no_worse_than_the_best_of_its_models(void **state)
{
    const peck_blend_spec spec = spec_of("greedy");
    peck_model *const m = blended(&spec);
    char told[32];

    (void)state;
    const double value = value_of(m, "ndcg@10");

    for (size_t i = 0; i < N_MODELS; i++)
        if (!peck_model_compares(model[i])) /* which is heard in another way */
            assert_true(value >= value_of(model[i], "ndcg@10"));
    snprintf(told, sizeof told, "%.6g", value);
    assert_span(notes_get(&m->notes, "valid"), told);
    assert_span(notes_get(&m->notes, "metric"), "ndcg@10");
    peck_model_free(m);
}

static void any_number_of_threads_gives_the_same_file(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        peck_blend_spec spec = spec_of("greedy");

        spec.threads = threads;
        peck_model *const m = blended(&spec);

        assert_ok(peck_model_save(m, scratch_path(threads == 1 ? "one" : "many"), &err),
                  err);
        if (threads > 1)
            assert_true(files_equal(scratch_path("one"), scratch_path("many")));
        peck_model_free(m);
    }
}

static void a_committee_counts_as_its_models(void **state)
{
    const peck_model *both[2] = { NULL, model[4] };
    peck_blend_spec spec = spec_of("equal");

    (void)state;
    spec.n_models = 3;
    peck_model *const first = blended(&spec);

    both[0] = first;
    spec.model = both;
    spec.n_models = 2;
    peck_model *const m = blended(&spec);

    peck_model_free(first);
    assert_int_equal(m->n_parts, 4);
    assert_ptr_equal(m->part[1], model[1]);
    assert_ptr_equal(m->part[3], model[4]);
    assert_true(m->share[0] == 0.25);
    peck_model_free(m);
}

/* Of all documents of the validation data, whatever query they are of; the scales of the
 * models that got in. */
static void a_committee_alone_is_scaled_by_the_validation_data(void **state)
{
    const peck_model *const own[] = { model[0], model[1], model[3] };
    double *const score = calloc(info.n_docs, sizeof *score);

    (void)state;
    for (int greedy = 0; greedy < 2; greedy++) {
        peck_blend_spec spec = spec_of(greedy ? "greedy" : "equal");

        spec.model = own;
        spec.n_models = N_OF(own);
        spec.alone = 1;
        peck_model *const m = blended(&spec);

        for (size_t k = 0; k < m->n_parts; k++) {
            double mean = 0.0, square = 0.0;

            assert_ok(peck_model_score(m->part[k], valid, 1, score, &err), err);
            for (size_t i = 0; i < info.n_docs; i++)
                mean += score[i] / (double)info.n_docs;
            for (size_t i = 0; i < info.n_docs; i++)
                square += (score[i] - mean) * (score[i] - mean) / (double)info.n_docs;
            assert_true(fabs(m->scale[k].mean - mean) < 1e-9 * (1 + fabs(mean)));
            assert_true(fabs(m->scale[k].deviation / sqrt(square) - 1) < 1e-9);
        }
        assert_true(peck_model_scores_alone(m));
        peck_model_free(m);
    }
    free(score);
}

/* Refused ---------------------------------------------------------------------------- */

static void refuses(const peck_blend_spec *spec, peck_status why, const char *phrase)
{
    peck_model *m = (void *)&err;

    assert_int_equal(peck_blend(&m, spec, &err), why);
    assert_null(m);
    assert_failed(err, why, phrase);
}

static void what_makes_no_sense_is_refused(void **state)
{
    const struct model_sample other = { .dim = DIM + 1 };
    struct peck_model *const wide = sample_model(&other);
    const peck_model *const pair[] = { model[0], wide };
    const char *const name[] = { "a.peck", "b.peck" };
    peck_blend_spec spec = spec_of("best");

    (void)state;
    refuses(&spec, PECK_ARG, "'best'");
    spec = spec_of("greedy");
    spec.valid = NULL;
    refuses(&spec, PECK_ARG, "no validation data");
    spec = spec_of("greedy");
    spec.metric = "ndcg@10,map";
    refuses(&spec, PECK_ARG, "2 metrics");
    spec = spec_of("equal");
    spec.n_models = 0;
    refuses(&spec, PECK_ARG, "takes a model");
    spec = spec_of("equal");
    spec.convention = "nobody";
    refuses(&spec, PECK_ARG, "nobody");
    spec = spec_of("equal");
    spec.model = pair;
    spec.name = name;
    spec.n_models = 2;
    refuses(&spec, PECK_SHAPE, "b.peck takes 5 features, but a.peck takes 4");
    peck_model_free(wide);
    spec = spec_of("equal");
    spec.alone = 1;
    refuses(&spec, PECK_ARG, "model 3: its scores depend on the list (it compares");
    spec.n_models = 2;
    spec.valid = NULL;
    refuses(&spec, PECK_ARG, "no validation data to scale the models by");
}

static void validation_data_must_fit_and_be_judged(void **state)
{
    const struct sample wide = { .n_queries = 3, .max_docs = 4, .dim = DIM + 2 };
    const float x[DIM * 2] = { 1, 2 };
    const uint32_t size = 2;
    peck_dataset *other = sample_dataset(&wide, 1), *unjudged = NULL;
    peck_blend_spec spec = spec_of("greedy");

    (void)state;
    spec.valid = other;
    refuses(&spec, PECK_SHAPE, "6 features, but the model was trained on 4");
    assert_ok(peck_dataset_wrap(&unjudged, x, 2, DIM, NULL, &size, 1, &err), err);
    spec.valid = unjudged;
    refuses(&spec, PECK_SHAPE, "judged");
    peck_dataset_free(other);
    peck_dataset_free(unjudged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_weights_are_equal),
        cmocka_unit_test(greedy_weights_are_those_of_its_slow_twin),
        cmocka_unit_test(greedy_is_no_worse_than_the_best_of_its_models),
        cmocka_unit_test(any_number_of_threads_gives_the_same_file),
        cmocka_unit_test(a_committee_counts_as_its_models),
        cmocka_unit_test(a_committee_alone_is_scaled_by_the_validation_data),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(validation_data_must_fit_and_be_judged),
    };

    return cmocka_run_group_tests(tests, prepare, clean);
}
