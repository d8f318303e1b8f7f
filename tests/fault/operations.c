/* operations.c -- see operations.h. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "operations.h"

#include "embedding.h"
#include "fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_DOCS = 6, N_GENERATORS = 32, N_METHODS = 32, N_DECODERS = 32 };

static char folder[] = "/tmp/peck-fault-XXXXXX";
static peck_dataset *data;
static peck_report *report;
static peck_model *model, *comparator, *trees, *narrow;
static FILE *sink; /* takes reports; its buffer is ours, so that it allocates nothing */
static bool left_object;

static const double scores[N_DOCS] = { 0.5, -1, 2, 2, 0, 1 };
static const double others[N_DOCS] = { 1, 2, 3, 4, 5, 6 };

/* Keeps the rule "on failure *out is NULL" under watch. */
static peck_status watch(peck_status st, const void *out)
{
    left_object |= st != PECK_OK && out != NULL;
    return st;
}

bool operation_left_object(void)
{
    const bool left = left_object;

    left_object = false;
    return left;
}

/* Operations ---------------------------------------------------------------------- */

static peck_status read_with(const char *path, const peck_read_options *options,
                             peck_error *err)
{
    peck_dataset *d = NULL;
    const peck_status st = watch(peck_dataset_read(&d, path, options, err), d);

    peck_dataset_free(d);
    return st;
}

static peck_status read_data(const struct operation *o, const char *target, peck_error *err)
{
    (void)target;
    return read_with(o->about, &(peck_read_options){ .threads = 1, .missing = o->more },
                     err);
}

static peck_status read_threaded(const struct operation *o, const char *target,
                                 peck_error *err)
{
    (void)target;
    return read_with(o->about, &(peck_read_options){ .threads = 2 }, err);
}

static peck_status read_beside(const struct operation *o, const char *target,
                               peck_error *err)
{
    (void)target;
    return read_with(o->about,
                     &(peck_read_options){ .threads = 1,
                                           .features = "age,1",
                                           .feature_names = "names.txt",
                                           .query_weights = "weights.txt" },
                     err);
}

static peck_status fold(const struct operation *o, const char *target, peck_error *err)
{
    peck_dataset *d = NULL;
    const peck_status st = watch(peck_dataset_fold(&d, data, 2, 0, "train", 7, err), d);

    (void)o, (void)target;
    peck_dataset_free(d);
    return st;
}

static peck_status hold_out(const struct operation *o, const char *target, peck_error *err)
{
    peck_dataset *kept = NULL, *held = NULL;
    const peck_status st =
        watch(watch(peck_dataset_holdout(&kept, &held, data, 0.5, 7, err), kept), held);

    (void)o, (void)target;
    peck_dataset_free(kept);
    peck_dataset_free(held);
    return st;
}

static peck_status write_data(const struct operation *o, const char *target,
                              peck_error *err)
{
    return peck_dataset_write(data, target, o->about, err);
}

static peck_status summarise(const struct operation *o, const char *target, peck_error *err)
{
    peck_report *r = NULL;
    const peck_status st = watch(peck_summarise(&r, data, 1, err), r);

    (void)o, (void)target;
    peck_report_free(r);
    return st;
}

static peck_status read_scores(const struct operation *o, const char *target,
                               peck_error *err)
{
    double score[N_DOCS];

    (void)target;
    return peck_scores_read(score, o->about, data, err);
}

static peck_status read_prefs(const struct operation *o, const char *target,
                              peck_error *err)
{
    const bool is_alone = strcmp(o->more, "alone") == 0;
    peck_prefs *p = NULL;
    peck_report *r = NULL;
    size_t n_found;
    peck_status st =
        watch(peck_prefs_read(&p, o->about, is_alone ? NULL : data, 1, err), p);

    (void)target;
    if (st == PECK_OK)
        st = watch(peck_prefs_summarise(&r, p, is_alone ? NULL : data, err), r);
    if (st == PECK_OK)
        st = peck_prefs_contradictions(p, 0.1, NULL, 0, &n_found, err);
    for (int all = 0; st == PECK_OK && all < 2; all++) {
        peck_prefs *held = NULL;

        st = watch(peck_prefs_consistent(&held, p, all, err), held);
        peck_prefs_free(held);
    }
    peck_report_free(r);
    peck_prefs_free(p);
    return st;
}

static peck_status evaluate(const struct operation *o, const char *target, peck_error *err)
{
    const peck_judge_spec spec = { .convention = o->about, .threads = 1 };
    peck_report *r = NULL;
    const peck_status st = watch(peck_evaluate_scores(&r, data, scores, &spec, err), r);

    (void)target;
    peck_report_free(r);
    return st;
}

static peck_status evaluate_run(const struct operation *o, const char *target,
                                peck_error *err)
{
    const peck_judge_spec spec = { .convention = "trec", .threads = 1 };
    peck_report *r = NULL;
    const peck_status st =
        watch(peck_evaluate_run(&r, o->about, o->more, 1, &spec, err), r);

    (void)target;
    peck_report_free(r);
    return st;
}

static peck_status compare(const struct operation *o, const char *target, peck_error *err)
{
    const double *const score[] = { scores, others, scores };
    const char *const names[] = { "one", "two", "three" };
    const peck_dataset *const sets[] = { data };
    const peck_judge_spec judge = { .metrics = "ndcg@10,map", .threads = 1 };
    const peck_compare_spec spec = { .n_folds = 1,
                                     .n_runs = 3,
                                     .data = sets,
                                     .name = names,
                                     .score = score,
                                     .judge = &judge,
                                     .resamples = 20 };
    peck_report *r = NULL;
    const peck_status st = watch(peck_compare(&r, &spec, err), r);

    (void)o, (void)target;
    peck_report_free(r);
    return st;
}

/* about: how it is printed. */
static peck_status compare_told(const struct operation *o, const char *target,
                                peck_error *err)
{
    (void)target;
    return compare_reports(o->about, watch, report, err);
}

static peck_status write_scores(const struct operation *o, const char *target,
                                peck_error *err)
{
    (void)o;
    return peck_scores_write(scores, target, data, err);
}

static peck_status cut_classes(const struct operation *o, const char *target,
                               peck_error *err)
{
    uint32_t class_at[N_DOCS];
    double threshold[3]; /* the data has four labels */
    peck_status st = peck_classes(others, N_DOCS, 3, class_at, err);

    (void)o, (void)target;
    for (int by_labels = 0; st == PECK_OK && by_labels <= 1; by_labels++)
        st = peck_thresholds(data, others, 4, by_labels, threshold, err);
    return st;
}

/* about: the method; more: a grid. */
static peck_status cross_validate(const struct operation *o, const char *target,
                                  peck_error *err)
{
    const peck_fold folds[] = { { data, data, data }, { data, NULL, data } };
    const char *const methods[] = { o->about, NULL }, *const grid[] = { o->more, NULL };
    const peck_train_spec train = { .valid_split = -1 };
    const peck_judge_spec judge = { .metrics = "ndcg@10", .threads = 1 };
    const uint64_t seeds[] = { 1, 2 };
    const peck_cv_spec spec = { .size = sizeof spec,
                                .fold = folds,
                                .n_folds = 2,
                                .method = methods,
                                .grid = grid,
                                .blend = "equal",
                                .inner = o->more != NULL ? 2 : 0,
                                .train = &train,
                                .judge = &judge,
                                .seed = seeds,
                                .n_seeds = o->more != NULL ? 0 : 2 };
    peck_report *r = NULL;
    const peck_status st = watch(peck_cv(&r, &spec, err), r);

    (void)target;
    peck_report_free(r);
    return st;
}

static peck_status diff_models(const struct operation *o, const char *target,
                               peck_error *err)
{
    const peck_train_spec spec = { .method = o->about, .train = data, .threads = 1 };
    peck_model *m = NULL;
    peck_report *r = NULL;
    peck_status st = watch(peck_train(&m, &spec, err), m);

    (void)target;
    if (st == PECK_OK)
        st = watch(peck_model_diff(&r, m, m, err), r);
    peck_report_free(r);
    peck_model_free(m);
    return st;
}

static peck_status compose(const struct operation *o, const char *target, peck_error *err)
{
    peck_report *r = NULL;
    peck_status st = watch(peck_report_new(&r, err), r);

    (void)o, (void)target;
    if (st != PECK_OK)
        return st;
    peck_report_add_text(r, "method", "ridge");
    peck_report_add_number(r, "valid", 0.5, 6);
    peck_report_add_all(r, "test_", report);
    rewind(sink);
    st = peck_report_write(r, sink, "tsv", err);
    peck_report_free(r);
    return st;
}

static peck_status write_report(const struct operation *o, const char *target,
                                peck_error *err)
{
    (void)target;
    rewind(sink);
    return peck_report_write(report, sink, o->about, err);
}

static peck_status save_report(const struct operation *o, const char *target,
                               peck_error *err)
{
    return peck_report_save(report, target, o->about, err);
}

/* A link to nothing is followed, too. */
static peck_status check_output(const struct operation *o, const char *target,
                                peck_error *err)
{
    (void)target;
    unlink("dangling");
    if (symlink(o->about, "dangling") != 0)
        return PECK_IO;
    const peck_status st = peck_output_check("dangling", err);

    unlink("dangling");
    return st;
}

static peck_status write_queries(const struct operation *o, const char *target,
                                 peck_error *err)
{
    (void)o;
    return peck_report_write_queries(report, target, err);
}

/* Everything that the folder has, and more from memory. */
static peck_status write_page(const struct operation *o, const char *target,
                              peck_error *err)
{
    peck_page *p = NULL;
    peck_status st = watch(peck_page_new(&p, err), p);

    if (st == PECK_OK)
        st = peck_page_read(p, o->about, err);
    if (st == PECK_OK)
        st = peck_page_add_model(p, "trees", 1, trees, err);
    if (st == PECK_OK)
        st = peck_page_add_report(p, "trees", 1, report, err);
    if (st == PECK_OK)
        st = peck_page_write(p, target, &(peck_page_spec){ .resamples = 20, .threads = 1 },
                             err);
    peck_page_free(p);
    return st;
}

static peck_status load_model(const struct operation *o, const char *target,
                              peck_error *err)
{
    peck_model *m = NULL;
    const peck_status st = watch(peck_model_load(&m, o->about, err), m);

    (void)target;
    peck_model_free(m);
    return st;
}

static peck_status save_model(const struct operation *o, const char *target,
                              peck_error *err)
{
    (void)o;
    return peck_model_save(model, target, err);
}

static peck_status describe_model(const struct operation *o, const char *target,
                                  peck_error *err)
{
    peck_report *r = NULL;
    const peck_status st = watch(peck_model_describe(&r, model, err), r);

    (void)o, (void)target;
    peck_report_free(r);
    return st;
}

/* about NULL: the weights of a linear model. */
static peck_status tell_importance(const struct operation *o, const char *target,
                                   peck_error *err)
{
    peck_report *r = NULL;
    const peck_status st = watch(o->about == NULL ? peck_model_weights(&r, model, err)
                                                  : peck_model_importance(&r, trees, err),
                                 r);

    (void)target;
    peck_report_free(r);
    return st;
}

static peck_status score_data(const struct operation *o, const char *target,
                              peck_error *err)
{
    double score[N_DOCS];

    (void)o, (void)target;
    return peck_model_score(model, data, 1, score, err);
}

/* about: data that has the model's features in another order, or not all of them. */
static peck_status match_data(const struct operation *o, const char *target,
                              peck_error *err)
{
    peck_dataset *d = NULL, *fit = NULL;
    double score[N_DOCS];
    peck_status st = peck_dataset_read(&d, o->about, NULL, err);

    (void)target;
    if (st == PECK_OK)
        st = watch(peck_dataset_match(&fit, d, model, NULL, NULL, err), fit);
    if (st == PECK_OK)
        st = peck_model_score(model, d, 1, score, err);
    peck_dataset_free(fit);
    peck_dataset_free(d);
    return st;
}

/* Of models that look at other features; about: data that has them all. */
static peck_status blend_mixed(const struct operation *o, const char *target,
                               peck_error *err)
{
    const peck_model *const part[] = { narrow, model };
    const peck_blend_spec spec = { .model = part, .n_models = 2, .threads = 1 };
    double score[N_DOCS];
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_status st = peck_dataset_read(&d, o->about, NULL, err);

    if (st == PECK_OK)
        st = watch(peck_blend(&m, &spec, err), m);
    if (st == PECK_OK)
        st = peck_model_score(m, d, 1, score, err);
    if (st == PECK_OK)
        st = peck_model_save(m, target, err);
    peck_model_free(m);
    peck_dataset_free(d);
    return st;
}

static peck_status score_query(const struct operation *o, const char *target,
                               peck_error *err)
{
    static const float x[] = { 1, 2, 3, 4, 5, 6 };
    peck_scorer *s = NULL;
    double score[3];
    uint32_t order[3];
    peck_status st = watch(peck_scorer_new(&s, model, err), s);

    (void)o, (void)target;
    if (st == PECK_OK)
        st = peck_score(s, x, 3, 2, score, err);
    if (st == PECK_OK)
        st = peck_order(score, 3, order, err);
    peck_scorer_free(s);
    return st;
}

/* about: the weights; more: only models that score alone, as one that does. */
static peck_status blend(const struct operation *o, const char *target, peck_error *err)
{
    const peck_model *const part[] = { model, trees, comparator };
    const peck_blend_spec spec = { .model = part,
                                   .n_models = o->more != NULL ? 2 : 3,
                                   .weights = o->about,
                                   .valid = data,
                                   .alone = o->more != NULL,
                                   .threads = 2 };
    double score[N_DOCS];
    peck_model *m = NULL;
    peck_report *r = NULL;
    peck_status st = watch(peck_blend(&m, &spec, err), m);

    if (st == PECK_OK)
        st = watch(peck_model_describe(&r, m, err), r);
    peck_report_free(r);
    r = NULL;
    if (st == PECK_OK)
        st = watch(peck_model_diff(&r, m, m, err), r);
    peck_report_free(r);
    r = NULL;
    if (st == PECK_OK && strcmp(o->about, "equal") == 0) /* with the trees, surely */
        st = watch(peck_model_importance(&r, m, err), r);
    peck_report_free(r);
    if (st == PECK_OK)
        st = peck_model_score(m, data, 1, score, err);
    if (st == PECK_OK)
        st = peck_model_save(m, target, err);
    peck_model_free(m);
    return st;
}

static peck_status compare_query(const struct operation *o, const char *target,
                                 peck_error *err)
{
    static const float x[] = { 1, 2, 3, 4, 5, 6 };
    static const peck_duel duel[] = { { 0, 1 }, { 2, 1 } };
    peck_scorer *s = NULL;
    double score[3];
    float h[2];
    peck_status st = watch(peck_scorer_new(&s, comparator, err), s);

    (void)o, (void)target;
    if (st == PECK_OK)
        st = peck_score(s, x, 3, 2, score, err);
    if (st == PECK_OK)
        st = peck_prefer(s, x, 3, 2, duel, 2, h, NULL, err);
    peck_scorer_free(s);
    return st;
}

static peck_status decode_data(const struct operation *o, const char *target,
                               peck_error *err)
{
    const peck_decode_spec spec = { .decoder = o->about, .threads = 2, .is_cached = 1 };
    peck_decode_info info;
    double score[N_DOCS], gap[N_DOCS];
    const peck_status st = peck_model_rank(comparator, data, &spec, score, &info, err);

    (void)target;
    return st == PECK_OK ? peck_model_gaps(comparator, data, score, gap, err) : st;
}

static peck_status probe(const struct operation *o, const char *target, peck_error *err)
{
    const peck_judge_spec judge = { .metrics = o->about, .threads = 2 };
    const peck_probe_spec spec = { .judge = &judge, .n_shuffles = 2 };
    peck_report *r = NULL;
    const peck_status st = watch(peck_probe(&r, comparator, data, &spec, err), r);

    (void)target;
    peck_report_free(r);
    return st;
}

/* The settings of a generator that make its data small. */
static void make_small(char setting[][32], const char **settings, const char *kind)
{
    static const char *const small[][2] = {
        { "queries", "3" }, { "docs", "5" }, { "items", "5" }, { "pairs", "6" }
    };
    peck_param p;
    size_t n = 0;

    for (size_t i = 0; peck_param_at(PECK_GENERATOR, kind, i, &p); i++)
        for (size_t k = 0; k < sizeof small / sizeof *small; k++)
            if (strcmp(p.key, small[k][0]) == 0) {
                snprintf(setting[n], 32, "%s=%s", small[k][0], small[k][1]);
                settings[n] = setting[n];
                n++;
            }
    settings[n] = NULL;
}

static peck_status generate(const struct operation *o, const char *target, peck_error *err)
{
    char setting[4][32];
    const char *settings[5];

    make_small(setting, settings, o->about);
    const peck_generate_spec spec = {
        .kind = o->about, .settings = settings, .seed = 5, .path = target
    };

    return peck_generate(&spec, err);
}

/* A short training, with all that it can have: members, threads, a checkpoint.  chooses:
 * the preferences are those of the validation data, too. */
static peck_status train_method(const char *method, const peck_prefs *prefs, bool chooses,
                                peck_model **m, peck_error *err)
{
    static const char *const short_run[] = { "epochs=2", NULL };
    static const char *const few_turns[] = { "epochs=2", "max_iter=1", NULL };
    static const char *const few_rounds[] = { "rounds=2", NULL };
    static const char *const few_trees[] = { "trees=11", "leaves=4", NULL };
    peck_train_spec spec = { .method = method,
                             .train = data,
                             .valid = prefs == NULL || chooses ? data : NULL,
                             .pairs = prefs,
                             .valid_pairs = chooses ? prefs : NULL,
                             .valid_split = 0.5,
                             .ensemble = 2,
                             .alone = strcmp(method, "ridge") == 0, /* one is enough */
                             .threads = 2,
                             .checkpoint = "checkpoint" };
    peck_param p;

    for (size_t i = 0; peck_param_at(PECK_METHOD, method, i, &p); i++)
        if (strcmp(p.key, "max_iter") == 0)
            spec.settings = few_turns;
        else if (strcmp(p.key, "rounds") == 0)
            spec.settings = few_rounds;
        else if (strcmp(p.key, "epochs") == 0 && spec.settings == NULL)
            spec.settings = short_run;
        else if (strcmp(p.key, "trees") == 0)
            spec.settings = few_trees;
    return watch(peck_train(m, &spec, err), *m);
}

static peck_status train(const struct operation *o, const char *target, peck_error *err)
{
    peck_model *m = NULL;
    const peck_status st = train_method(o->about, NULL, false, &m, err);

    (void)target;
    peck_model_free(m);
    return st;
}

static peck_status train_on(const char *prefs, const char *method, bool chooses,
                            peck_error *err)
{
    peck_prefs *p = NULL;
    peck_model *m = NULL;
    peck_status st = peck_prefs_read(&p, prefs, data, 0, err);

    if (st == PECK_OK)
        st = train_method(method, p, chooses, &m, err);
    peck_model_free(m);
    peck_prefs_free(p);
    return st;
}

static peck_status train_on_prefs(const struct operation *o, const char *target,
                                  peck_error *err)
{
    (void)target;
    return train_on(o->about, "ranknet", false, err);
}

static peck_status sort_by_prefs(const struct operation *o, const char *target,
                                 peck_error *err)
{
    (void)target;
    return train_on(o->about, "sortnet", true, err);
}

/* Preferences that a formula gives; who beats whom goes round in a circle at times. */
static int answer(void *ctx, const peck_duel *duel, size_t n_duels, float *h)
{
    (void)ctx;
    for (size_t k = 0; k < n_duels; k++)
        h[k] = (float)((duel[k].i * 7 + duel[k].j * 3) % 11) / 10.0f;
    return 0;
}

static peck_status decode(const struct operation *o, const char *target, peck_error *err)
{
    enum { ITEMS = 110 };
    uint32_t order[ITEMS];
    const peck_decode_spec spec = {
        .decoder = o->about, .budget = 2000, .threads = 2, .is_cached = 1, .is_costed = 1
    };

    (void)target;
    return peck_decode(order, NULL, ITEMS, answer, NULL, &spec, NULL, err);
}

static peck_status decode_prefs(const struct operation *o, const char *target,
                                peck_error *err)
{
    peck_prefs *p = NULL;
    peck_place place[8];
    size_t n;
    peck_status st = peck_prefs_read(&p, o->about, NULL, 0, err);

    (void)target;
    if (st == PECK_OK)
        st = peck_decode_prefs(place, &n, p, 0, &(peck_decode_spec){ .decoder = o->more },
                               NULL, err);
    peck_prefs_free(p);
    return st;
}

static peck_status judge_rules(const struct operation *o, const char *target,
                               peck_error *err)
{
    (void)target;
    return judge_by_rules(o->about, watch, data, scores, err);
}

static peck_status train_with_rules(const struct operation *o, const char *target,
                                    peck_error *err)
{
    (void)target;
    return train_by_rules(o->about, o->more, watch, data, err);
}

static peck_status cut_clicks(const struct operation *o, const char *target,
                              peck_error *err)
{
    peck_dataset *rates = NULL, *cut = NULL;
    peck_status st = peck_dataset_read(&rates, o->about, NULL, err);

    (void)target;
    if (st == PECK_OK)
        st = watch(peck_dataset_clicks(&cut, rates, err), cut);
    peck_dataset_free(cut);
    peck_dataset_free(rates);
    return st;
}

/* about: what the program brings along. */
static peck_status embed(const struct operation *o, const char *target, peck_error *err)
{
    (void)target;
    return embed_it(o->about, watch, data, model, err);
}

static const struct operation operations[] = {
    { "read LETOR", read_data, NULL, "data.txt", NULL },
    { "read LETOR on two threads", read_threaded, NULL, "data.txt", NULL },
    { "read scattered rows", read_data, NULL, "scattered.txt", NULL },
    { "read missing as mean", read_data, NULL, "missing.txt", "mean" },
    { "read with group sizes", read_data, NULL, "sized.txt", NULL },
    { "read with names and weights", read_beside, NULL, "data.txt", NULL },
    { "read gzip", read_data, NULL, "data.txt.gz", NULL },
    { "read zstd", read_data, NULL, "data.txt.zst", NULL },
    { "read CSV", read_data, NULL, "data.csv", NULL },
    { "read TSV", read_data, NULL, "data.tsv", NULL },
    { "read the cache", read_data, NULL, "data.peckdata", NULL },
    { "wrap arrays", embed, NULL, "wrap", NULL },
    { "make data and preferences from arrays", embed, NULL, "arrays", NULL },
    { "go through memory", embed, NULL, "memory", NULL },
    { "train with a metric and a loss of one's own", embed, NULL, "callbacks", NULL },
    { "fold", fold, NULL, NULL, NULL },
    { "hold out", hold_out, NULL, NULL, NULL },
    { "write LETOR", write_data, TARGET_FOLDER "/data.txt", "letor", NULL },
    { "write gzip", write_data, TARGET_FOLDER "/data.txt.gz", "letor", NULL },
    { "write zstd", write_data, TARGET_FOLDER "/data.txt.zst", "letor", NULL },
    { "write CSV", write_data, TARGET_FOLDER "/data.csv", "csv", NULL },
    { "write TSV", write_data, TARGET_FOLDER "/data.tsv", "tsv", NULL },
    { "write the cache", write_data, TARGET_FOLDER "/data.peckdata", "cache", "a file" },
    { "summarise", summarise, NULL, NULL, NULL },
    { "read scores", read_scores, NULL, "scores.txt", NULL },
    { "read preferences", read_prefs, NULL, "prefs.csv", "beside" },
    { "read pairs", read_prefs, NULL, "data.pairs", "beside" },
    { "read grouped pairs", read_prefs, NULL, "data.grouped_pairs", "beside" },
    { "read preferences that stand alone", read_prefs, NULL, "alone.csv", "alone" },
    { "read votes", read_prefs, NULL, "votes.csv", "alone" },
    { "read preferences, skipping", read_prefs, NULL, "skip.csv", "alone" },
    { "evaluate", evaluate, NULL, "standard", NULL },
    { "evaluate with random ties", evaluate, NULL, "directranker", NULL },
    { "evaluate a run", evaluate_run, NULL, "run.txt", "qrels.txt" },
    { "compare", compare, NULL, NULL, NULL },
    { "compare reports, for people", compare_told, NULL, "text", NULL },
    { "compare reports, in columns", compare_told, NULL, "columns", NULL },
    { "compare reports, for a paper", compare_told, NULL, "latex", NULL },
    { "compare reports, for a page", compare_told, NULL, "markdown", NULL },
    { "load a model", load_model, NULL, "model.peck", NULL },
    { "save a model", save_model, TARGET_FOLDER "/model.peck", NULL, NULL },
    { "describe a model", describe_model, NULL, NULL, NULL },
    { "importance of features", tell_importance, NULL, "trees", NULL },
    { "weights of features", tell_importance, NULL, NULL, NULL },
    { "score data", score_data, NULL, NULL, NULL },
    { "match columns by name", match_data, NULL, "turned.csv", NULL },
    { "match columns by position", match_data, NULL, "sized.txt", NULL },
    { "blend models of other features", blend_mixed, TARGET_FOLDER "/mixed.peck",
      "turned.csv", NULL },
    { "load a committee of other features", load_model, NULL, "mixed.peck", NULL },
    { "score and order a query", score_query, NULL, NULL, NULL },
    { "blend", blend, TARGET_FOLDER "/blend.peck", "equal", NULL },
    { "blend by greedy selection", blend, TARGET_FOLDER "/blend.peck", "greedy", NULL },
    { "blend alone", blend, TARGET_FOLDER "/blend.peck", "equal", "alone" },
    { "load a committee", load_model, NULL, "committee.peck", NULL },
    { "compare the documents of a query", compare_query, NULL, NULL, NULL },
    { "decode data", decode_data, NULL, "tree", NULL },
    { "probe", probe, NULL, "ndcg@10", NULL },
    { "write scores", write_scores, TARGET_FOLDER "/m.scores", NULL, NULL },
    { "cut classes", cut_classes, NULL, NULL, NULL },
    { "cross-validate with two seeds", cross_validate, NULL, "ridge", NULL },
    { "cross-validate with inner folds", cross_validate, NULL, "ridge",
      "norm=none,zscore" },
    { "diff models", diff_models, NULL, "ridge", NULL },
    { "compose a report", compose, NULL, NULL, NULL },
    { "report as text", write_report, NULL, "text", NULL },
    { "report as TSV", write_report, NULL, "tsv", NULL },
    { "report as JSON", write_report, NULL, "json", NULL },
    { "report into a file", save_report, TARGET_FOLDER "/report.json", "json", NULL },
    { "report by query", write_queries, TARGET_FOLDER "/queries.tsv", NULL, NULL },
    { "report by query with commas", write_queries, TARGET_FOLDER "/queries.csv", NULL,
      NULL },
    { "try an output", check_output, NULL, TARGET_FOLDER "/tried", NULL },
    { "a page of results", write_page, TARGET_FOLDER "/page.html", ".", NULL },
    { "train on preferences", train_on_prefs, NULL, "prefs.csv", NULL },
    { "sortnet on preferences", sort_by_prefs, NULL, "prefs.csv", NULL },
    { "decode preferences", decode_prefs, NULL, "alone.csv", "local" },
    { "strengths of preferences", decode_prefs, NULL, "alone.csv", "bt" },
    { "judge rules", judge_rules, NULL, "a.rules", NULL },
    { "judge rules that contradict each other", judge_rules, NULL, "clash.rules", NULL },
    { "train with rules", train_with_rules, NULL, "a.rules", NULL },
    { "train with rules weighed by gain", train_with_rules, NULL, "a.rules", "auto" },
    { "train with rules weighed by trials", train_with_rules, NULL, "a.rules", "best" },
    { "cut click rates", cut_clicks, NULL, "rates.csv", NULL },
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

/* Made from the lists of generators, methods and decoders, so that a new one is tried
 * too. */
static struct operation generators[N_GENERATORS], methods[N_METHODS], decoders[N_DECODERS];
static size_t n_generators, n_methods, n_decoders;

const struct operation *operation_at(size_t i)
{
    if (i < N_OPERATIONS)
        return &operations[i];
    i -= N_OPERATIONS;
    if (i < n_generators)
        return &generators[i];
    i -= n_generators;
    if (i < n_methods)
        return &methods[i];
    i -= n_methods;
    return i < n_decoders ? &decoders[i] : NULL;
}

/* Set-up -------------------------------------------------------------------------- */

static void list_generators(void)
{
    const peck_plug *plug;

    while (n_generators < N_GENERATORS &&
           (plug = peck_plug_at(PECK_GENERATOR, n_generators)) != NULL)
        generators[n_generators++] =
            (struct operation){ plug->name, generate, TARGET_FOLDER "/made.txt", plug->name,
                                NULL };
}

static void list_methods(void)
{
    const peck_plug *plug;

    while (n_methods < N_METHODS && (plug = peck_plug_at(PECK_METHOD, n_methods)) != NULL)
        methods[n_methods++] =
            (struct operation){ plug->name, train, NULL, plug->name, NULL };
}

static void list_decoders(void)
{
    const peck_plug *plug;

    while (n_decoders < N_DECODERS &&
           (plug = peck_plug_at(PECK_DECODER, n_decoders)) != NULL)
        decoders[n_decoders++] =
            (struct operation){ plug->name, decode, NULL, plug->name, NULL };
}

void operations_open(void)
{
    static const char *const copies[] = { "data.txt.gz", "data.txt.zst", "data.peckdata" };
    static char buffer[1 << 16];
    peck_error err = { PECK_OK, "" };

    must(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir(TARGET_FOLDER, 0777) == 0,
         folder);
    write_files();
    list_generators();
    list_methods();
    list_decoders();
    must(peck_dataset_read(&data, "data.txt", NULL, &err) == PECK_OK, err.text);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        must(peck_dataset_write(data, copies[i], NULL, &err) == PECK_OK, err.text);
    must(peck_train(&model,
                    &(peck_train_spec){ .method = "ridge",
                                        .train = data,
                                        .norm = "quantile",
                                        .ensemble = 2,
                                        .alone = 1,
                                        .threads = 1 },
                    &err) == PECK_OK,
         err.text);
    trees = train_trees(data);
    must(peck_model_save(model, "model.peck", &err) == PECK_OK, err.text);
    narrow = train_narrow("data.txt", "age");
    write_committee("mixed.peck", narrow, model);
    write_comparator("comparator.peck");
    must(peck_model_load(&comparator, "comparator.peck", &err) == PECK_OK, err.text);
    write_committee("committee.peck", model, comparator);
    must(peck_evaluate_scores(&report, data, scores, NULL, &err) == PECK_OK, err.text);
    must((sink = fopen("report", "w+")) != NULL, "report");
    setvbuf(sink, buffer, _IOFBF, sizeof buffer);
}

size_t targets_sweep(void)
{
    return empty_folder(TARGET_FOLDER);
}

void operations_close(void)
{
    fclose(sink);
    peck_report_free(report);
    peck_model_free(model);
    peck_model_free(trees);
    peck_model_free(narrow);
    peck_model_free(comparator);
    peck_dataset_free(data);
    targets_sweep();
    rmdir(TARGET_FOLDER);
    empty_folder(".");
    if (chdir("/") == 0)
        rmdir(folder);
}
