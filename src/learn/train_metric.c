/* train_metric.c -- see train_metric.h. */
#include "train_metric.h"

#include <math.h>

enum { SHARD = 32 }; /* queries of a task */

peck_status train_metric_open(struct train_metric *r, const struct task *task,
                              const char *metric, peck_error *err)
{
    const struct train_data *const c = task->train_data;
    const struct train_set *const l = c->train_set;
    const struct peck_dataset *const d = c->data;

    *r = (struct train_metric){ .train_data = c,
                                .metric = c->validation.metric,
                                .pool = task->pool };
    if (strcmp(metric, "valid") != 0) {
        TRY(metric_list_parse(&r->own, metric, err));
        if (r->own.n != 1)
            return fail(err, PECK_ARG, "metric=%s: one metric alone can be raised", metric);
        r->metric = &r->own;
    }
    r->sign = r->metric->item[0].metric->is_error ? -1.0 : 1.0;
    r->label = arena_new(&r->arena, "scores", d->n_docs, sizeof *r->label);
    r->score = arena_new(&r->arena, "scores", d->n_docs, sizeof *r->score);
    TRY(arena_check(&r->arena, err));
    r->scored_docs = (struct scored_docs){ .n_queries = d->n_queries,
                                           .start = d->start,
                                           .label = r->label,
                                           .score = r->score,
                                           .doc_weight = d->doc_weight,
                                           .query_weight = d->query_weight,
                                           .doc_id = &d->doc_id };
    /* The labels that training sees, back in the data's order. */
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < l->start[q + 1] - l->start[q]; i++) {
            const float y = l->label[l->start[q] + i];

            r->label[train_set_row(l, q, i)] = y;
            if (y > r->scored_docs.max_label)
                r->scored_docs.max_label = y;
        }
    return judge_open(&r->judge, &r->arena, &r->scored_docs, r->metric,
                      c->validation.convention, c->validation.seed, task->pool, err);
}

/* Scores of some queries, back in the data's order. */
static void place_scores(void *ctx, size_t shard, int worker)
{
    struct train_metric *const r = ctx;
    const struct train_set *const l = r->train_data->train_set;

    (void)worker;
    for (size_t q = shard * SHARD; q < l->n_queries && q < (shard + 1) * SHARD; q++)
        for (size_t i = 0; i < l->start[q + 1] - l->start[q]; i++)
            r->score[train_set_row(l, q, i)] = (double)r->given[l->start[q] + i];
}

double train_metric_judge(struct train_metric *r, const float *s)
{
    r->given = s;
    pool_run(r->pool, (r->train_data->train_set->n_queries + SHARD - 1) / SHARD,
             place_scores, r);
    const struct verdict *const v = judge_verdict(r->judge);

    r->value = v->value;
    return isnan(v->total[0]) ? 0.0 : r->sign * v->total[0];
}

void train_metric_close(struct train_metric *r)
{
    metric_list_free(&r->own);
    arena_free(&r->arena);
    *r = (struct train_metric){ 0 };
}
