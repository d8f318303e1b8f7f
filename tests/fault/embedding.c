/* embedding.c -- see embedding.h. */
#include "embedding.h"

#include <string.h>

static peck_status wrap(watch_call *watch, peck_error *err)
{
    static const float x[] = { 1, 2, 3, 4, 5, 6 }, label[] = { 1, 0, 2 };
    static const uint32_t sizes[] = { 1, 2 };
    peck_dataset *d = NULL;
    peck_dataset *named = NULL;
    peck_status st = watch(peck_dataset_wrap(&d, x, 3, 2, label, sizes, 2, err), d);

    if (st == PECK_OK)
        st = watch(peck_dataset_name(&named, d, (const char *const[]){ "a", "b" }, err),
                   named);
    peck_dataset_free(named);
    peck_dataset_free(d);
    return st;
}

static peck_status make_from_arrays(watch_call *watch, peck_error *err)
{
    static const float x[] = { 1, 2, 3, 4, 5, 6 }, weight[] = { 1, 2, 3 };
    static const uint32_t sizes[] = { 1, 2 };
    static const char *const name[] = { "a", "b", "c" };
    static const peck_pref pref[] = { { 0, 1, 2, 1, 1 } };
    const peck_arrays arrays = { .x = x,
                                 .n_docs = 3,
                                 .n_features = 2,
                                 .docs_in_query = sizes,
                                 .n_queries = 2,
                                 .query_id = name,
                                 .doc_id = name,
                                 .feature_name = name,
                                 .doc_weight = weight,
                                 .query_weight = weight,
                                 .copies_x = 1 };
    peck_prefs_arrays prefs = {
        .pref = pref, .n_prefs = 1, .item_name = name, .n_items = 3
    };
    peck_dataset *d = NULL;
    peck_prefs *p = NULL, *alone = NULL;
    peck_status st = watch(peck_dataset_make(&d, &arrays, err), d);

    if (st == PECK_OK)
        st = watch(peck_prefs_make(&alone, &prefs, err), alone);
    prefs.data = d;
    if (st == PECK_OK)
        st = watch(peck_prefs_make(&p, &prefs, err), p);
    peck_prefs_free(p);
    peck_prefs_free(alone);
    peck_dataset_free(d);
    return st;
}

static peck_status go_through_memory(watch_call *watch, const peck_model *model,
                                     peck_error *err)
{
    peck_bytes bytes = { 0 }, text = { 0 };
    peck_model *m = NULL;
    peck_report *r = NULL;
    peck_rules *rules = NULL;
    peck_status st = watch(peck_model_pack(&bytes, model, err), bytes.s);

    if (st == PECK_OK)
        st = watch(peck_model_unpack(&m, bytes.s, bytes.n, err), m);
    if (st == PECK_OK)
        st = watch(peck_model_describe(&r, m, err), r);
    if (st == PECK_OK)
        st = watch(peck_report_print(&text, r, "json", err), text.s);
    if (st == PECK_OK)
        st = watch(peck_rules_parse(&rules, "a: forall d : top(1, d)", err), rules);
    peck_rules_free(rules);
    peck_bytes_free(&text);
    peck_report_free(r);
    peck_model_free(m);
    peck_bytes_free(&bytes);
    return st;
}

static double first_label(void *ctx, const peck_ranking *r)
{
    (void)ctx;
    return r->label[0];
}

static void squares(void *ctx, const float *d, size_t n, float *cost, float *slope,
                    float *bend)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        const float lack = d[i] < 1 ? 1 - d[i] : 0;

        cost[i] = lack * lack;
        slope[i] = -2 * lack;
        if (bend != NULL)
            bend[i] = lack > 0 ? 2 : 0;
    }
}

static peck_status train_with_own(watch_call *watch, const peck_dataset *data,
                                  peck_error *err)
{
    static const char *const short_run[] = { "epochs=2", NULL };
    const peck_metric metric = { .name = "first", .value = first_label };
    const peck_metric *const metrics[] = { &metric, NULL };
    const peck_pair_loss loss = { .name = "squares", .cost = squares };
    peck_model *m = NULL;
    const peck_status st = watch(peck_train(&m,
                                            &(peck_train_spec){ .method = "ranknet",
                                                                .settings = short_run,
                                                                .train = data,
                                                                .valid = data,
                                                                .metric = "first",
                                                                .own_metrics = metrics,
                                                                .own_loss = &loss,
                                                                .threads = 2 },
                                            err),
                                 m);

    peck_model_free(m);
    return st;
}

peck_status embed_it(const char *what, watch_call *watch, const peck_dataset *data,
                     const peck_model *model, peck_error *err)
{
    if (strcmp(what, "wrap") == 0)
        return wrap(watch, err);
    if (strcmp(what, "arrays") == 0)
        return make_from_arrays(watch, err);
    if (strcmp(what, "memory") == 0)
        return go_through_memory(watch, model, err);
    return train_with_own(watch, data, err);
}

peck_status judge_by_rules(const char *path, watch_call *watch, const peck_dataset *data,
                           const double *scores, peck_error *err)
{
    peck_rules *r = NULL;
    peck_report *checked = NULL, *judged = NULL, *compared = NULL, *enforced = NULL;
    uint32_t order[16]; /* data has six documents */
    peck_status st = watch(peck_rules_read(&r, path, err), r);

    if (st == PECK_OK)
        st = watch(peck_rules_check(&checked, r, data, err), checked);
    if (st == PECK_OK)
        st = watch(peck_rules_evaluate(&judged, r, data, scores, err), judged);
    if (st == PECK_OK)
        st = watch(peck_rules_compare(&compared, r, data, scores, scores, err), compared);
    if (st == PECK_OK)
        st = watch(peck_enforce_all(r, data, scores, 2, order, NULL, NULL, &enforced, err),
                   enforced);
    peck_report_free(checked);
    peck_report_free(judged);
    peck_report_free(compared);
    peck_report_free(enforced);
    peck_rules_free(r);
    return st;
}

peck_status train_by_rules(const char *path, const char *weight, watch_call *watch,
                           const peck_dataset *data, peck_error *err)
{
    static const char *const short_run[] = { "epochs=2", NULL };
    peck_rules *r = NULL;
    peck_model *m = NULL;
    peck_status st = peck_rules_read(&r, path, err);

    if (st == PECK_OK)
        st = watch(peck_train(&m,
                              &(peck_train_spec){ .settings = short_run,
                                                  .train = data,
                                                  .valid = data,
                                                  .rules = r,
                                                  .unlabelled = data,
                                                  .rules_weight = weight == NULL   ? 1
                                                                  : *weight == 'a' ? -1
                                                                                   : 0,
                                                  .threads = 2 },
                              err),
                   m);
    peck_model_free(m);
    peck_rules_free(r);
    return st;
}

peck_status compare_reports(const char *format, watch_call *watch, const peck_report *told,
                            peck_error *err)
{
    const char *const names[] = { "one", "two" };
    const peck_judge_spec judge = { .metrics = "ndcg@10,map", .threads = 1 };
    const peck_report *const runs[] = { told, told };
    const peck_compare_spec spec = { .size = sizeof spec,
                                     .n_runs = 2,
                                     .name = names,
                                     .judge = &judge,
                                     .resamples = 20,
                                     .report = runs };
    const peck_print_spec narrow = { .format = format, .width = 30 };
    peck_bytes text = { 0 };
    peck_report *r = NULL;
    peck_status st = watch(peck_compare(&r, &spec, err), r);

    if (st == PECK_OK)
        st = watch(peck_report_print_as(&text, r, &narrow, err), text.s);
    peck_bytes_free(&text);
    peck_report_free(r);
    return st;
}
