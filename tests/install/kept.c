/* kept.c -- a program of the days of version 0.1: built with the header that is kept, linked
 * with the library of today.  Every struct goes in once with size 0 and once with its own
 * size, full of defaults; the bytes behind it are not zero, as a caller's stack is not.   */
#include "../kept/peck-0.1.h"

#include <stdlib.h>
#include <string.h>

enum { N_DOCS = 12, N_FEATURES = 2, N_QUERIES = 4 };

static peck_error err;

/* A struct of type T that is all zero but for its size, with other things behind it. */
#define FILLED(T, name, by_size)                   \
    struct {                                       \
        T spec;                                    \
        unsigned char behind[256];                 \
    } name;                                        \
    memset(&name.spec, 0, sizeof name.spec);       \
    memset(name.behind, 0xA5, sizeof name.behind); \
    name.spec.size = (by_size) ? sizeof name.spec : 0

static void must(peck_status st, const char *what)
{
    if (st == PECK_OK)
        return;
    fprintf(stderr, "%s: %d %s\n", what, (int)st, err.text);
    exit(1);
}

static double second(void *ctx, const peck_ranking *r)
{
    (void)ctx;
    return r->n > 1 ? r->label[1] : 0;
}

static int prefer(void *ctx, const peck_duel *duel, size_t n, float *h)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        h[i] = duel[i].i > duel[i].j;
    return 0;
}

static void fill_in(float *x, float *label)
{
    for (int i = 0; i < N_DOCS; i++) {
        x[i * 2] = (float)(i * 7 % 5);
        x[i * 2 + 1] = (float)(i * 3 % 4);
        label[i] = (float)(i % 3);
    }
}

static void use_files(const char *folder, const peck_model *m, int by_size)
{
    const char *const small[] = { "queries=5", NULL };
    char path[1024];
    peck_dataset *made = NULL;
    peck_page *page = NULL;

    snprintf(path, sizeof path, "%s/kept.txt", folder);
    FILLED(peck_generate_spec, generate, by_size);
    generate.spec.kind = "web";
    generate.spec.settings = small;
    generate.spec.path = path;
    must(peck_generate(&generate.spec, &err), "peck_generate");
    FILLED(peck_read_options, read, by_size);
    must(peck_dataset_read(&made, path, &read.spec, &err), "peck_dataset_read");

    snprintf(path, sizeof path, "%s/kept.html", folder);
    FILLED(peck_page_spec, show, by_size);
    show.spec.resamples = 10;
    must(peck_page_new(&page, &err), "peck_page_new");
    must(peck_page_add_model(page, "kept", 0, m, &err), "peck_page_add_model");
    must(peck_page_write(page, path, &show.spec, &err), "peck_page_write");
    peck_page_free(page);
    peck_dataset_free(made);
}

static void use_all(const char *folder, int by_size)
{
    float x[N_DOCS * N_FEATURES], label[N_DOCS];
    const uint32_t sizes[N_QUERIES] = { 3, 3, 3, 3 };
    const peck_pref pref[] = { { 0, 0, 1, 1, 1 }, { 0, 1, 2, 1, 1 } };
    const char *const methods[] = { "ridge", NULL };
    double score[N_DOCS];
    uint32_t order[N_DOCS];
    peck_dataset *d = NULL;
    peck_prefs *p = NULL;
    peck_model *m = NULL, *all = NULL;
    peck_report *r = NULL;

    fill_in(x, label);
    FILLED(peck_arrays, arrays, by_size);
    arrays.spec.x = x;
    arrays.spec.n_docs = N_DOCS;
    arrays.spec.n_features = N_FEATURES;
    arrays.spec.label = label;
    arrays.spec.docs_in_query = sizes;
    arrays.spec.n_queries = N_QUERIES;
    must(peck_dataset_make(&d, &arrays.spec, &err), "peck_dataset_make");

    FILLED(peck_prefs_arrays, prefs, by_size);
    prefs.spec.pref = pref;
    prefs.spec.n_prefs = 2;
    prefs.spec.data = d;
    must(peck_prefs_make(&p, &prefs.spec, &err), "peck_prefs_make");

    FILLED(peck_train_spec, train, by_size);
    train.spec.method = "ridge";
    train.spec.train = d;
    must(peck_train(&m, &train.spec, &err), "peck_train");

    FILLED(peck_work, work, by_size);
    must(peck_model_score_watched(m, d, &work.spec, score, &err),
         "peck_model_score_watched");

    FILLED(peck_metric, metric, by_size);
    const peck_metric *const own[] = { &metric.spec, NULL };

    metric.spec.name = "second";
    metric.spec.value = second;
    FILLED(peck_judge_spec, judge, by_size);
    judge.spec.metrics = "second,ndcg@10";
    judge.spec.own_metrics = own;
    must(peck_evaluate_scores(&r, d, score, &judge.spec, &err), "peck_evaluate_scores");
    if (!by_size)
        printf("second %.3f\n", peck_report_value(r, "second"));
    peck_report_free(r);

    FILLED(peck_decode_spec, decode, by_size);
    must(peck_model_rank(m, d, &decode.spec, score, NULL, &err), "peck_model_rank");
    must(peck_decode(order, NULL, N_DOCS, prefer, NULL, &decode.spec, NULL, &err),
         "peck_decode");
    if (order[0] != N_DOCS - 1)
        exit(1);

    FILLED(peck_blend_spec, blend, by_size);
    blend.spec.model = (const peck_model *const *)&m;
    blend.spec.n_models = 1;
    must(peck_blend(&all, &blend.spec, &err), "peck_blend");

    FILLED(peck_probe_spec, probe, by_size);
    probe.spec.judge = &judge.spec;
    probe.spec.decode = &decode.spec;
    probe.spec.n_shuffles = 1;
    must(peck_probe(&r, m, d, &probe.spec, &err), "peck_probe");
    peck_report_free(r);

    const peck_fold fold = { d, NULL, d };

    FILLED(peck_cv_spec, cv, by_size);
    cv.spec.fold = &fold;
    cv.spec.n_folds = 1;
    cv.spec.method = methods;
    cv.spec.train = &train.spec;
    cv.spec.judge = &judge.spec;
    must(peck_cv(&r, &cv.spec, &err), "peck_cv");
    peck_report_free(r);

    const peck_dataset *const data = d;
    const char *const names[] = { "a", "b" };
    const double *const scores[] = { score, score };

    FILLED(peck_compare_spec, compare, by_size);
    compare.spec.n_folds = 1;
    compare.spec.n_runs = 2;
    compare.spec.data = &data;
    compare.spec.name = names;
    compare.spec.score = scores;
    compare.spec.resamples = 10;
    must(peck_compare(&r, &compare.spec, &err), "peck_compare");
    peck_report_free(r);

    use_files(folder, m, by_size);
    peck_model_free(all);
    peck_model_free(m);
    peck_prefs_free(p);
    peck_dataset_free(d);
}

int main(int argc, char **argv)
{
    if (argc != 2 || peck_version_number() < PECK_VERSION_NUMBER)
        return 2;
    use_all(argv[1], 0);
    use_all(argv[1], 1);
    return 0;
}
