/* 07_metric.c -- a metric of one's own beside those of the house: what a page of two offers
 * earns.  It chooses the best epoch of a training, too.  C17 or C++20.                  */
#include <peck.h>

#include <stdio.h>
#include <string.h>

enum { N_FEATURES = 2, N_DOCS = 8, N_QUERIES = 2 };

static const float x[N_DOCS * N_FEATURES] = { 9, 3, 5,  4, 7, 1, 8, 2,
                                              4, 2, 20, 5, 6, 5, 3, 1 };
static const float bought[N_DOCS] = { 0, 1, 0, 1, 0, 1, 1, 0 };
static const uint32_t docs_in_query[N_QUERIES] = { 4, 4 };
static const char *const names[N_QUERIES] = { "shoes", "hats" };

/* The prices of what was bought among the first `cut`, as a share of what could be earned
 * there.  r->doc says which document of the query stands at each rank. */
static double revenue(void *ctx, const peck_ranking *r)
{
    const float *const price = (const float *)ctx + r->query * 4 * N_FEATURES;
    double earned = 0, all = 0;

    for (size_t i = 0; i < r->n; i++) {
        const double sold = r->label[i] * (double)price[r->doc[i] * N_FEATURES];

        all += sold;
        earned += i < r->cut ? sold : 0;
    }
    return all > 0 ? earned / all : 0;
}

static peck_status judge(const peck_dataset *data, const peck_metric *const *own,
                         peck_error *err)
{
    peck_judge_spec how = { .size = sizeof how };
    peck_report *report = NULL;
    double score[N_DOCS], value[N_QUERIES];

    for (size_t i = 0; i < N_DOCS; i++)
        score[i] = -(double)x[i * N_FEATURES]; /* the cheapest first */
    how.metrics = "ndcg@2,revenue@2,revenue";
    how.own_metrics = own;
    peck_status st = peck_evaluate_scores(&report, data, score, &how, err);

    if (st == PECK_OK)
        st = peck_report_write(report, stdout, "tsv", err);
    if (st == PECK_OK)
        st = peck_report_query_values(report, "revenue@2", value, err);
    for (size_t q = 0; st == PECK_OK && q < peck_report_queries(report); q++) {
        const peck_span id = peck_report_query_id(report, q);

        printf("%.*s: %.3f\n", (int)id.n, id.s, value[q]);
    }
    peck_report_free(report);
    return st;
}

/* Of all epochs the one is kept that earns most on the validation data (here, to be short,
 * the same queries). */
static peck_status train(const peck_dataset *data, const peck_metric *const *own,
                         peck_error *err)
{
    static const char *const settings[] = { "epochs=20", NULL };
    peck_train_spec spec = { .size = sizeof spec };
    peck_model *model = NULL;
    peck_report *about = NULL;
    peck_item item;
    peck_status st;

    spec.method = "ranknet";
    spec.settings = settings;
    spec.train = spec.valid = data;
    spec.metric = "revenue@2";
    spec.own_metrics = own;
    st = peck_train(&model, &spec, err);
    if (st == PECK_OK)
        st = peck_model_describe(&about, model, err);
    for (size_t i = 0; st == PECK_OK && peck_report_item(about, i, &item); i++)
        if (item.name.n == 6 && memcmp(item.name.s, "metric", 6) == 0)
            printf("chosen by %.*s\n", (int)item.text.n, item.text.s);
    peck_report_free(about);
    peck_model_free(model);
    return st;
}

int main(void)
{
    peck_metric metric = { .size = sizeof metric };
    const peck_metric *const own[] = { &metric, NULL };
    peck_arrays arrays = { .size = sizeof arrays };
    peck_dataset *data = NULL;
    peck_error err = { PECK_OK, "" };

    metric.name = "revenue";
    metric.value = revenue;
    metric.ctx = (void *)x;
    metric.takes_cut = 1;
    arrays.x = x;
    arrays.n_docs = N_DOCS;
    arrays.n_features = N_FEATURES;
    arrays.label = bought;
    arrays.docs_in_query = docs_in_query;
    arrays.n_queries = N_QUERIES;
    arrays.query_id = names;
    peck_status st = peck_dataset_make(&data, &arrays, &err);

    if (st == PECK_OK)
        st = judge(data, own, &err);
    if (st == PECK_OK)
        st = train(data, own, &err);
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    peck_dataset_free(data);
    return st == PECK_OK ? 0 : 1;
}
