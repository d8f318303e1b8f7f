/* A metric of the caller's own: judged, chosen by, refused. */
#include "support/check.h"
#include "support/samples.h"

#include <math.h>

static peck_error err;

enum { DIM = 4, QUERIES = 30 };

/* 1 / the rank of the first relevant document: what "mrr" is, too. */
static double first_hit(void *ctx, const peck_ranking *r)
{
    (void)ctx;
    for (size_t i = 0; i < r->n && i < r->cut; i++)
        if (r->label[i] >= 1)
            return 1.0 / ((double)i + 1);
    return 0;
}

static double missed_hit(void *ctx, const peck_ranking *r)
{
    return 1 - first_hit(ctx, r);
}

static const peck_metric first = { .name = "first", .value = first_hit, .takes_cut = 1 };
static const peck_metric missed = { .name = "missed_hit",
                                    .value = missed_hit,
                                    .is_error = 1 };
static const peck_metric *const own[] = { &first, &missed, NULL };

static struct peck_dataset *make_data(uint64_t seed)
{
    return sample_dataset(&(struct sample){ .n_queries = QUERIES,
                                            .max_docs = 12,
                                            .dim = DIM,
                                            .n_grades = 3,
                                            .unjudged = 0.1,
                                            .has_doc_weights = true,
                                            .has_query_weights = true },
                          seed);
}

static double *feature_scores(const struct peck_dataset *d)
{
    double *const score = calloc(d->n_docs, sizeof *score);

    for (size_t i = 0; i < d->n_docs; i++)
        score[i] = (double)d->x[i * d->dim];
    return score;
}

static void it_is_judged_as_the_house_s_own(void **state)
{
    struct peck_dataset *const d = make_data(1);
    double *const score = feature_scores(d);
    double a[QUERIES], b[QUERIES];
    peck_report *r = NULL;

    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        const peck_judge_spec spec = { .metrics = "mrr,first,ndcg@10,mrr@2,first@2,"
                                                  "missed_hit",
                                       .threads = threads,
                                       .own_metrics = own };

        assert_ok(peck_evaluate_scores(&r, d, score, &spec, &err), err);
        assert_true(peck_report_value(r, "first") == peck_report_value(r, "mrr"));
        assert_true(peck_report_value(r, "first@2") == peck_report_value(r, "mrr@2"));
        assert_true(fabs(peck_report_value(r, "missed_hit") + peck_report_value(r, "mrr") -
                         1) < 1e-12);
        assert_ok(peck_report_query_values(r, "first@2", a, &err), err);
        assert_ok(peck_report_query_values(r, "mrr@2", b, &err), err);
        for (size_t q = 0; q < QUERIES; q++)
            assert_true(same_double(a[q], b[q]) || (isnan(a[q]) && isnan(b[q])));
        peck_report_free(r);
    }
    free(score);
    peck_dataset_free(d);
}

/* With the largest cut, the longest name is as long as any may be. */
static void the_longest_name_is_known(void **state)
{
    static const peck_metric longest = { .name = "first_relevant_document_in_list",
                                         .value = first_hit,
                                         .takes_cut = 1 };
    static const char with_cut[] = "first_relevant_document_in_list@1000000";
    const peck_metric *const one[] = { &longest, NULL };
    struct peck_dataset *const d = make_data(1);
    double *const score = feature_scores(d);
    const peck_judge_spec spec = { .metrics = "mrr,first_relevant_document_in_list@1000000",
                                   .threads = 1,
                                   .own_metrics = one };
    peck_report *r = NULL;

    (void)state;
    assert_ok(peck_evaluate_scores(&r, d, score, &spec, &err), err);
    assert_true(peck_report_value(r, with_cut) == peck_report_value(r, "mrr"));
    peck_report_free(r);
    free(score);
    peck_dataset_free(d);
}

/* Which documents stand where: as the scores put them. */
struct looker {
    const struct peck_dataset *data;
    const double *score;
    bool seen[QUERIES];
    bool is_wrong;
};

static double look(void *ctx, const peck_ranking *r)
{
    struct looker *const l = ctx;
    const uint64_t row = l->data->start[r->query];

    l->seen[r->query] = true;
    l->is_wrong |= r->cut != SIZE_MAX || r->n != r->n_all;
    for (size_t i = 0; i < r->n; i++) {
        const double here = l->score[row + r->doc[i]];

        l->is_wrong |= i > 0 && here > l->score[row + r->doc[i - 1]];
        l->is_wrong |= r->label[i] != (double)l->data->label[row + r->doc[i]];
        l->is_wrong |= r->weight[i] != (double)l->data->doc_weight[row + r->doc[i]];
    }
    return r->query % 2 == 0 ? 1.0 : (double)NAN;
}

static void it_sees_the_documents_in_their_order(void **state)
{
    struct peck_dataset *const d = make_data(2);
    double *const score = feature_scores(d);
    struct looker l = { .data = d, .score = score };
    const peck_metric looking = { .name = "look", .value = look, .ctx = &l };
    const peck_judge_spec spec = { .metrics = "look,ndcg,pairacc",
                                   .threads = 1,
                                   .own_metrics =
                                       (const peck_metric *const[]){ &looking, NULL } };
    double value[QUERIES];
    peck_report *r = NULL;

    (void)state;
    assert_ok(peck_evaluate_scores(&r, d, score, &spec, &err), err);
    assert_false(l.is_wrong);
    assert_true(peck_report_value(r, "look") == 1.0); /* NaN leaves a query out */
    assert_ok(peck_report_query_values(r, "look", value, &err), err);
    for (size_t q = 0; q < QUERIES; q++)
        assert_true(l.seen[q] ? q % 2 == 0 ? value[q] == 1 : isnan(value[q])
                              : isnan(value[q]));
    peck_report_free(r);
    free(score);
    peck_dataset_free(d);
}

static void train_by(double *score, const char *metric, const struct peck_dataset *train,
                     const struct peck_dataset *valid)
{
    static const char *const settings[] = { "epochs=6", "hidden=4", NULL };
    peck_model *m = NULL;

    assert_ok(peck_train(&m,
                         &(peck_train_spec){ .method = "ranknet",
                                             .settings = settings,
                                             .train = train,
                                             .valid = valid,
                                             .metric = metric,
                                             .own_metrics = own,
                                             .threads = 1 },
                         &err),
              err);
    assert_ok(peck_model_score(m, train, 1, score, &err), err);
    peck_model_free(m);
}

/* As good as the house's own, and an error is lowered. */
static void it_chooses_the_best_epoch(void **state)
{
    static const char *const by[] = { "mrr", "first", "missed_hit" };
    struct peck_dataset *const train = make_data(3), *const valid = make_data(4);
    double *const score = calloc(3 * train->n_docs, sizeof *score);

    (void)state;
    for (size_t i = 0; i < N_OF(by); i++)
        train_by(score + i * train->n_docs, by[i], train, valid);
    for (size_t i = 1; i < N_OF(by); i++)
        assert_memory_equal(score, score + i * train->n_docs,
                            train->n_docs * sizeof *score);
    free(score);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

static void it_goes_through_cross_validation_and_committees(void **state)
{
    static const char *const methods[] = { "ridge", "listnet", NULL };
    static const char *const grid[] = { "norm=none,zscore", NULL };
    static const char *const settings[] = { "epochs=3", NULL };
    struct peck_dataset *const train = make_data(5), *const valid = make_data(6);
    const peck_fold fold = { train, valid, valid };
    const peck_train_spec how = { .settings = settings };
    peck_judge_spec judge = { .metrics = "mrr", .threads = 1, .own_metrics = own };
    const peck_cv_spec spec = { .fold = &fold,
                                .n_folds = 1,
                                .method = methods,
                                .grid = grid,
                                .train = &how,
                                .judge = &judge,
                                .blend = "greedy" };
    double value[3];

    (void)state;
    for (int i = 0; i < 2; i++) {
        peck_report *r = NULL;

        judge.metrics = i == 0 ? "mrr" : "first";
        assert_ok(peck_cv(&r, &spec, &err), err);
        value[i] = peck_report_value(r, i == 0 ? "mrr mean.blend" : "first mean.blend");
        assert_false(isnan(value[i]));
        peck_report_free(r);
    }
    assert_true(value[0] == value[1]);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

static void refused(const peck_metric *m, const char *words)
{
    struct peck_dataset *const d = make_data(7);
    double *const score = feature_scores(d);
    const peck_metric *const list[] = { &first, m, NULL };
    peck_report *r = NULL;

    assert_int_equal(
        peck_evaluate_scores(&r, d, score,
                             &(peck_judge_spec){ .metrics = "first", .own_metrics = list },
                             &err),
        PECK_ARG);
    assert_failed(err, PECK_ARG, words);
    assert_null(r);
    free(score);
    peck_dataset_free(d);
}

static void odd_metrics_are_refused(void **state)
{
    struct peck_dataset *const d = make_data(7);
    double *const score = feature_scores(d);
    peck_report *r = NULL;

    (void)state;
    refused(&(peck_metric){ .name = "ndcg", .value = first_hit }, "'ndcg' already");
    refused(&(peck_metric){ .name = "first", .value = first_hit }, "'first' already");
    refused(&(peck_metric){ .name = "all", .value = first_hit }, "'all' already");
    refused(&(peck_metric){ .name = "a,b", .value = first_hit }, "small letters");
    refused(&(peck_metric){ .name = "", .value = first_hit }, "small letters");
    refused(&(peck_metric){ .name = "a-name-that-does-not-fit-before-an-at",
                            .value = first_hit },
            "small letters");
    refused(&(peck_metric){ .value = first_hit }, "small letters");
    refused(&(peck_metric){ .name = "x" }, "a value");
    refused(&(peck_metric){ .size = 4000, .name = "x", .value = first_hit }, ".size is");
    assert_int_equal(peck_evaluate_scores(&r, d, score,
                                          &(peck_judge_spec){ .metrics = "missed_hit@3",
                                                              .own_metrics = own },
                                          &err),
                     PECK_ARG);
    assert_failed(err, PECK_ARG, "takes no @n");
    assert_int_equal(
        peck_evaluate_scores(&r, d, score, &(peck_judge_spec){ .metrics = "first" }, &err),
        PECK_ARG);
    free(score);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_judged_as_the_house_s_own),
        cmocka_unit_test(the_longest_name_is_known),
        cmocka_unit_test(it_sees_the_documents_in_their_order),
        cmocka_unit_test(it_chooses_the_best_epoch),
        cmocka_unit_test(it_goes_through_cross_validation_and_committees),
        cmocka_unit_test(odd_metrics_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
