/* train_metric.c -- see train_metric.h. */
#include "train_metric.h"

#include "../base/alloc.h"

#include <math.h>

/* The labels that training sees, back in the data's order. */
static float place_labels(struct train_metric *r)
{
    const struct train_set *const l = r->train_data->train_set;
    float most = 0.0f;

    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < l->start[q + 1] - l->start[q]; i++) {
            const float y = l->label[l->start[q] + i];

            r->label[train_set_row(l, q, i)] = y;
            most = y > most ? y : most;
        }
    return most;
}

static peck_status train_metric_choose(struct train_metric *r, const char *metric,
                                       peck_error *err)
{
    r->metric = r->train_data->validation.metric;
    if (strcmp(metric, "valid") == 0)
        return PECK_OK;
    TRY(metric_list_parse(&r->own, metric, err));
    if (r->own.n != 1)
        return fail(err, PECK_ARG, "metric=%s: one metric alone can be raised", metric);
    r->metric = &r->own;
    return PECK_OK;
}

peck_status train_metric_open(struct train_metric *r, const struct task *task,
                              const char *metric, peck_error *err)
{
    const struct train_data *const train_data = task->train_data;
    const struct peck_dataset *const d = train_data->data;

    *r = (struct train_metric){ .train_data = train_data };
    TRY(train_metric_choose(r, metric, err));
    r->sign = r->metric->item[0].metric->is_error ? -1.0 : 1.0;
    r->label = mem_new(d->n_docs, sizeof *r->label);
    r->score = mem_new(d->n_docs, sizeof *r->score);
    if (r->label == NULL || r->score == NULL)
        return fail_memory(err, "scores", d->n_docs, sizeof *r->score);
    r->scored_docs = (struct scored_docs){ .n_queries = d->n_queries,
                                           .start = d->start,
                                           .label = r->label,
                                           .score = r->score,
                                           .doc_weight = d->doc_weight,
                                           .query_weight = d->query_weight,
                                           .doc_id = &d->doc_id,
                                           .max_label = place_labels(r) };
    return judge_open(&r->judge, &r->scored_docs, r->metric,
                      train_data->validation.convention, train_data->validation.seed,
                      task->pool, err);
}

double train_metric_judge(struct train_metric *r, const float *s)
{
    const struct train_set *const l = r->train_data->train_set;

    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < l->start[q + 1] - l->start[q]; i++)
            r->score[train_set_row(l, q, i)] = (double)s[l->start[q] + i];
    const struct verdict *const v = judge_verdict(r->judge);

    r->value = v->value;
    return isnan(v->total[0]) ? 0.0 : r->sign * v->total[0];
}

void train_metric_close(struct train_metric *r)
{
    judge_close(r->judge);
    metric_list_free(&r->own);
    mem_free(r->label);
    mem_free(r->score);
    *r = (struct train_metric){ 0 };
}
