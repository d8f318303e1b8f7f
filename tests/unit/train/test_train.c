/* test_train.c -- peck_train from the outside: what is held out, what chooses the epoch,
 * what is refused, what a model says of where it came from.                          */
#include "data/prefs.h"
#include "model/model.h"
#include "support/check.h"
#include "support/train_setup.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
enum { ROOM = 4096 };

static const struct task_sample sample = {
    .n_queries = 30, .max_docs = 10, .dim = 4, .noise = 0.2
};

/* What the callbacks heard. */
struct heard {
    size_t n_epochs, n_warnings, n_asked;
    peck_epoch last;
    char warning[ROOM];
    size_t stop_asking_at;
};

static int hear_epoch(void *ctx, const peck_epoch *e)
{
    struct heard *const h = ctx;

    h->n_epochs++;
    h->last = *e;
    return 0;
}

static void hear_warning(void *ctx, const char *text)
{
    struct heard *const h = ctx;

    h->n_warnings++;
    snprintf(h->warning, sizeof h->warning, "%s", text);
}

static int hear_question(void *ctx)
{
    struct heard *const h = ctx;

    return ++h->n_asked == h->stop_asking_at;
}

static const char *note(const peck_model *m, const char *key)
{
    static char text[ROOM];
    const peck_span found = notes_get(&m->notes, key);

    snprintf(text, sizeof text, "%.*s", (int)found.n, found.s);
    return text;
}

#define assert_note(m, key, part)                                               \
    do {                                                                        \
        if (strstr(note(m, key), part) == NULL)                                 \
            fail_msg("note %s is \"%s\", not \"%s\"", key, note(m, key), part); \
    } while (0)

/* Validation --------------------------------------------------------------------------- */

static void a_fifth_of_the_queries_is_held_out(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1);
    struct heard heard = { 0 };
    peck_model *const m = task_train((peck_train_spec){ .method = "ranknet",
                                                        .settings = SETTINGS("epochs=3"),
                                                        .train = d,
                                                        .progress = hear_epoch,
                                                        .ctx = &heard });

    (void)state;
    assert_note(m, "validation", "held out by seed, 6 of 30 queries");
    assert_int_equal(heard.n_epochs, 3);
    assert_true(heard.last.valid > 0.0 && heard.last.valid <= 1.0);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void few_queries_are_all_learnt_from(void **state)
{
    const struct task_sample few = { .n_queries = 9, .max_docs = 10, .dim = 4 };
    struct peck_dataset *const d = task_dataset(&few, 1);
    struct heard heard = { 0 };
    peck_train_spec spec = { .method = "ranknet",
                             .settings = SETTINGS("epochs=25", "patience=2"),
                             .train = d,
                             .progress = hear_epoch,
                             .ctx = &heard };
    peck_model *m = task_train(spec);

    (void)state;
    assert_note(m, "validation", "none");
    assert_note(m, "history", "best 25:");
    assert_int_equal(heard.n_epochs, 25);
    assert_true(isnan(heard.last.valid));
    peck_model_free(m);
    spec.valid_split = 0.4; /* asked for in so many words */
    m = task_train(spec);
    assert_note(m, "validation", "4 of 9 queries");
    peck_model_free(m);
    spec.valid_split = 0.2; /* so is the usual share */
    m = task_train(spec);
    assert_note(m, "validation", "2 of 9 queries");
    peck_model_free(m);
    peck_dataset_free(d);
}

static void given_validation_data_chooses_by_any_metric(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1), *const v =
                                                                 task_dataset(&sample, 2);
    struct heard heard = { 0 };
    peck_model *const m = task_train((peck_train_spec){ .method = "ranknet",
                                                        .settings = SETTINGS("epochs=5"),
                                                        .train = d,
                                                        .valid = v,
                                                        .metric = "pairerr",
                                                        .convention = "letor4",
                                                        .progress = hear_epoch,
                                                        .ctx = &heard });

    (void)state;
    assert_note(m, "validation", "given, 30 queries");
    assert_note(m, "metric", "pairerr");
    assert_note(m, "convention", "letor4");
    assert_true(heard.last.valid > 0.0 && heard.last.valid < 0.5);
    peck_model_free(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

static void the_best_epoch_is_the_model(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1), *const v =
                                                                 task_dataset(&sample, 2);
    peck_model *const m = task_train((peck_train_spec){
        .method = "lambdarank",
        .settings = SETTINGS("epochs=30", "patience=0", "rate=0.1", "hidden=30"),
        .train = d,
        .valid = v,
        .convention = "standard" });
    const char *at = note(m, "history");
    char *end;
    const long best = strtol(at + 5, &end, 10);
    double top = 0.0;
    long top_at = 0;

    (void)state;
    at = end + 1; /* behind the colon */
    for (long e = 1; e <= 30; e++, at = end) {
        const double value = strtod(at, &end);

        if (value > top) {
            top = value;
            top_at = e;
        }
    }
    assert_int_equal(best, top_at);
    assert_true(fabs(model_quality(m, v) - top) < 1e-5);
    peck_model_free(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

static void labels_may_be_cut_in_two(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 3), *const b =
                                                                 task_dataset(&sample, 3);
    double *const first = calloc(d->n_docs, sizeof *first);
    double *const second = calloc(d->n_docs, sizeof *second);
    peck_train_spec spec = {
        .method = "listnet", .settings = SETTINGS("epochs=5"), .train = d, .binarise = 2.0
    };
    peck_model *m = task_train(spec);

    (void)state;
    assert_int_equal(peck_model_score(m, d, 1, first, NULL), PECK_OK);
    peck_model_free(m);
    for (size_t i = 0; i < b->n_docs; i++)
        b->label[i] = (float)(b->label[i] >= 2.0f);
    dataset_count_labels(b);
    spec.train = b;
    spec.binarise = 0.0;
    m = task_train(spec);
    assert_int_equal(peck_model_score(m, d, 1, second, NULL), PECK_OK);
    assert_memory_equal(first, second, d->n_docs * sizeof *first);
    peck_model_free(m);
    free(first);
    free(second);
    peck_dataset_free(d);
    peck_dataset_free(b);
}

/* Preferences -------------------------------------------------------------------------- */

/* "i before j" wherever i's label is the larger. */
static struct peck_prefs *prefs_of(const struct peck_dataset *d)
{
    struct peck_prefs *const p = prefs_new();

    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
            for (size_t j = d->start[q]; j < d->start[q + 1]; j++)
                if (d->label[i] > d->label[j])
                    assert_true(prefs_add(p, (peck_pref){ q, i, j, 1.0f, 1.0f }));
    p->n_items = d->n_docs;
    return p;
}

static void preferences_stand_for_labels(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 4), *const test =
                                                                 task_dataset(&sample, 5);
    struct peck_prefs *const p = prefs_of(d);
    struct heard heard = { 0 };

    (void)state;
    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = PECK_UNJUDGED;
    dataset_count_labels(d);
    peck_model *const m = task_train((peck_train_spec){ .method = "ranknet",
                                                        .settings = SETTINGS("epochs=30"),
                                                        .train = d,
                                                        .pairs = p,
                                                        .progress = hear_epoch,
                                                        .ctx = &heard });

    assert_note(m, "metric", "accuracy of preferences");
    assert_true(heard.last.valid > 0.8 && heard.last.valid <= 1.0);
    assert_true(model_quality(m, test) > random_quality(test) + 0.1);
    peck_model_free(m);
    peck_prefs_free(p);
    peck_dataset_free(d);
    peck_dataset_free(test);
}

/* valid is marked by the share of its preferences that the model agrees with: counted
 * here once more, by scores. */
static void preferences_may_choose_the_epoch(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 5);
    struct peck_dataset *const valid = task_dataset(&sample, 6);
    struct peck_prefs *const chosen = prefs_of_labels(valid, 1);
    static const char *const methods[] = { "ranknet", "directranker" };
    double *const score = calloc(valid->n_docs, sizeof *score);
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < valid->n_docs; i++)
        valid->label[i] = PECK_UNJUDGED;
    dataset_count_labels(valid);
    for (size_t k = 0; k < N_OF(methods); k++) {
        struct heard heard = { 0 };
        peck_model *const m =
            task_train((peck_train_spec){ .method = methods[k],
                                          .settings = SETTINGS("epochs=1"),
                                          .train = d,
                                          .valid = valid,
                                          .valid_pairs = chosen,
                                          .progress = hear_epoch,
                                          .ctx = &heard,
                                          .threads = 1 });
        double right = 0.0;

        assert_ok(peck_model_score(m, valid, 1, score, &err), err);
        for (size_t i = 0; i < chosen->n; i++) {
            const peck_pref *const p = &chosen->pref[i];
            const double lead = score[p->winner] - score[p->loser];

            right += (lead > 0.0) == (p->probability > 0.5f);
        }
        assert_true(fabs(heard.last.valid - right / (double)chosen->n) < 1e-9);
        assert_note(m, "metric", "preferences");
        assert_note(m, "validation", "preferences");
        peck_model_free(m);
    }
    free(score);
    peck_prefs_free(chosen);
    peck_dataset_free(d);
    peck_dataset_free(valid);
}

static void validation_preferences_need_their_documents(void **state)
{
    const struct task_sample few = { .n_queries = 3, .max_docs = 4, .dim = 4 };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    struct peck_dataset *const other = task_dataset(&few, 6);
    struct peck_prefs *const p = prefs_of_labels(d, 1);

    (void)state;
    assert_train_refused((peck_train_spec){ .train = d, .valid_pairs = p }, PECK_ARG,
                         "documents");
    assert_train_refused((peck_train_spec){ .train = d, .valid = other, .valid_pairs = p },
                         PECK_SHAPE, "preference");
    peck_prefs_free(p);
    peck_dataset_free(d);
    peck_dataset_free(other);
}

static void contradictions_are_named(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct peck_prefs *const p = prefs_new();
    struct heard heard = { 0 };

    (void)state;
    assert_true(prefs_add(p, (peck_pref){ 0, 0, 1, 0.8f, 1.0f }));
    assert_true(prefs_add(p, (peck_pref){ 0, 1, 2, 0.8f, 1.0f }));
    assert_true(prefs_add(p, (peck_pref){ 0, 0, 2, 0.2f, 1.0f }));
    peck_model_free(task_train((peck_train_spec){ .method = "ranknet",
                                                  .settings = SETTINGS("epochs=2"),
                                                  .train = d,
                                                  .pairs = p,
                                                  .valid_split = -1,
                                                  .warn = hear_warning,
                                                  .ctx = &heard }));
    assert_int_equal(heard.n_warnings, 1);
    assert_non_null(strstr(heard.warning, "of query '1', gives P = 0.2"));
    assert_non_null(strstr(heard.warning, "consistent=1 learns the nearest"));
    /* consistent=1 is a training on what peck_prefs_consistent makes of them. */
    peck_train_spec spec = {
        .method = "ranknet", .settings = SETTINGS("epochs=2"), .train = d, .valid_split = -1
    };
    peck_prefs *held = NULL;
    peck_error err = { 0 };

    assert_ok(peck_prefs_consistent(&held, p, 0, &err), err);
    assert_true(held->pref[2].probability > 0.4f);
    spec.pairs = held;
    peck_model *const wanted = task_train(spec);

    spec.pairs = p;
    peck_model *const as_given = task_train(spec);

    spec.settings = SETTINGS("epochs=2", "consistent=1");
    spec.warn = hear_warning;
    spec.ctx = &heard;
    peck_model *const m = task_train(spec);

    assert_non_null(strstr(heard.warning, "the nearest that hold together are learnt"));
    assert_memory_equal(m->w, wanted->w, m->n_weights * sizeof *m->w);
    assert_memory_not_equal(m->w, as_given->w, m->n_weights * sizeof *m->w);
    peck_model_free(m);
    peck_model_free(wanted);
    peck_model_free(as_given);
    peck_prefs_free(held);
    peck_prefs_free(p);
    peck_dataset_free(d);
}

/* Refusals and warnings ---------------------------------------------------------------- */

static void nonsense_is_refused(void **state)
{
    const struct task_sample other = { .n_queries = 12, .max_docs = 5, .dim = 7 };
    struct peck_dataset *const d = task_dataset(&sample, 6), *const wide =
                                                                 task_dataset(&other, 6);
    struct peck_dataset *const unjudged = task_dataset(&sample, 7);
    struct peck_prefs *const p = prefs_of(d);

    (void)state;
    for (size_t i = 0; i < unjudged->n_docs; i++)
        unjudged->label[i] = PECK_UNJUDGED;
    dataset_count_labels(unjudged);
    assert_train_refused((peck_train_spec){ 0 }, PECK_ARG, "no training data");
    for (size_t i = 0; i < 3; i++) {
        const double bad = (double[]){ NAN, INFINITY, -INFINITY }[i];

        if (bad != -INFINITY) /* which is as negative as any */
            assert_train_refused((peck_train_spec){ .train = d, .valid_split = bad },
                                 PECK_ARG, "valid_split is ");
        assert_train_refused((peck_train_spec){ .train = d, .binarise = bad }, PECK_ARG,
                             "binarise is ");
        assert_train_refused((peck_train_spec){ .train = d, .rules_weight = bad }, PECK_ARG,
                             "rules_weight is ");
    }
    assert_train_refused((peck_train_spec){ .train = d, .valid_split = 1.0 }, PECK_ARG,
                         "valid_split is 1");
    assert_train_refused((peck_train_spec){ .train = d, .ensemble = 70000 }, PECK_ARG,
                         "an ensemble of 70000");
    assert_train_refused((peck_train_spec){ .train = d, .method = "rankent" }, PECK_ARG,
                         "did you mean 'ranknet'?");
    assert_train_refused((peck_train_spec){ .train = d, .norm = "zscor" }, PECK_ARG,
                         "zscore");
    assert_train_refused((peck_train_spec){ .train = d, .metric = "ndgc@10" }, PECK_ARG,
                         "ndcg");
    assert_train_refused((peck_train_spec){ .train = d, .metric = "ndcg@10,map" }, PECK_ARG,
                         "one alone");
    assert_train_refused((peck_train_spec){ .train = d, .convention = "leto4" }, PECK_ARG,
                         "letor4");
    assert_train_refused(
        (peck_train_spec){ .train = d, .settings = SETTINGS("hidden=0-0") }, PECK_ARG,
        "hidden");
    assert_train_refused((peck_train_spec){ .train = d, .threads = -1 }, PECK_ARG,
                         "threads");
    assert_train_refused((peck_train_spec){ .train = d, .valid_split = 1.5 }, PECK_ARG,
                         "1.5");
    assert_train_refused((peck_train_spec){ .train = d, .valid = wide }, PECK_SHAPE,
                         ": 7 features, but the training data has 4");
    assert_train_refused((peck_train_spec){ .train = unjudged }, PECK_SHAPE, "judged");
    assert_train_refused((peck_train_spec){ .train = d, .valid = unjudged }, PECK_SHAPE,
                         "judged");
    assert_train_refused((peck_train_spec){ .train = d, .pairs = p, .method = "ridge" },
                         PECK_ARG, "learns from labels");
    assert_train_refused((peck_train_spec){ .train = d, .pairs = p, .method = "listnet" },
                         PECK_ARG, "learns from labels");
    peck_prefs_free(p);
    peck_dataset_free(d);
    peck_dataset_free(wide);
    peck_dataset_free(unjudged);
}

static void features_that_are_no_numbers_are_refused(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 6);

    (void)state;
    d->x_owned[5] = NAN;
    d->is_checked = false;
    assert_train_refused((peck_train_spec){ .train = d }, PECK_FORMAT, "must be finite");
    peck_dataset_free(d);
}

static void wild_scales_are_warned_of(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 8);
    struct heard heard = { 0 };
    peck_train_spec spec = { .method = "ranknet",
                             .settings = SETTINGS("epochs=2", "clip=1"),
                             .train = d,
                             .norm = "none",
                             .warn = hear_warning,
                             .ctx = &heard };

    (void)state;
    for (size_t i = 0; i < d->n_docs; i++)
        d->x_owned[i * d->dim + 2] *= 1e6f;
    peck_model_free(task_train(spec));
    assert_int_equal(heard.n_warnings, 1);
    assert_non_null(strstr(heard.warning, "under --norm none"));
    spec.norm = NULL;
    peck_model_free(task_train(spec));
    assert_int_equal(heard.n_warnings, 1);
    peck_dataset_free(d);
}

/* Before it begins, so that nobody waits in vain. */
static void what_takes_long_says_so(void **state)
{
    static const struct task_sample wide = {
        .n_queries = 50, .max_docs = 50, .dim = 8000, .noise = 0.2
    };
    struct peck_dataset *const d[] = { task_dataset(&sample, 8), task_dataset(&wide, 8) };

    (void)state;
    for (size_t i = 0; i < N_OF(d); i++) {
        struct heard heard = { .stop_asking_at = 1 };
        peck_error err = { 0 };
        peck_model *m = NULL;

        assert_int_equal(peck_train(&m,
                                    &(peck_train_spec){ .method = "coordinate-ascent",
                                                        .train = d[i],
                                                        .valid_split = -1,
                                                        .norm = "none",
                                                        .warn = hear_warning,
                                                        .interrupted = hear_question,
                                                        .ctx = &heard },
                                    &err),
                         PECK_STOPPED);
        peck_model_free(m);
        assert_int_equal(heard.n_warnings, i);
        assert_true(i == 0 || strstr(heard.warning, "each of 8000 weights") != NULL);
        peck_dataset_free(d[i]);
    }
}

static void training_that_runs_away_says_so(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 9);

    (void)state;
    for (size_t i = 0; i < d->n_docs * d->dim; i++)
        d->x_owned[i] *= 1e15f;
    assert_train_refused(
        (peck_train_spec){ .method = "directranker",
                           .settings = SETTINGS("hidden=0", "rate=1000", "optimiser=sgd"),
                           .train = d,
                           .norm = "none" },
        PECK_DIVERGED, "--norm");
    peck_dataset_free(d);
}

/* Members, stops, checkpoints ---------------------------------------------------------- */

static void the_first_of_an_ensemble_is_the_single_net(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 10);
    peck_train_spec spec = {
        .method = "ranknet", .settings = SETTINGS("epochs=4"), .train = d, .seed = 9
    };
    peck_model *const one = task_train(spec);

    (void)state;
    spec.ensemble = 3;
    spec.threads = 2;
    peck_model *const three = task_train(spec);
    const size_t bytes = one->n_weights * sizeof *one->w;

    assert_int_equal(one->n_members, 1);
    assert_int_equal(three->n_members, 3);
    assert_memory_equal(three->w, one->w, bytes);
    assert_true(memcmp(three->w + one->n_weights, one->w, bytes) != 0);
    assert_note(three, "history.3", "best ");
    peck_model_free(one);
    peck_model_free(three);
    peck_dataset_free(d);
}

static void an_interrupt_is_seen_between_batches(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 11);
    struct heard heard = { .stop_asking_at = 4 };
    peck_train_spec spec = { .method = "ranknet",
                             .settings = SETTINGS("batch=1"),
                             .train = d,
                             .progress = hear_epoch,
                             .interrupted = hear_question,
                             .ctx = &heard };
    peck_model *m = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(peck_train(&m, &spec, &err), PECK_STOPPED);
    assert_failed(err, PECK_STOPPED, "before anything was learnt");
    assert_int_equal(heard.n_epochs, 0);
    assert_null(m);
    peck_dataset_free(d);
}

static int say_stop(void *ctx)
{
    (void)ctx;
    return 1;
}

/* Whatever the method, and alone or in company: nothing is made of what has not learnt, and
 * an older checkpoint stays. */
static void nothing_comes_of_nothing_learnt(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 14);
    const peck_plug *method;

    (void)state;
    for (size_t i = 0; (method = peck_plug_at(PECK_METHOD, i)) != NULL; i++)
        for (size_t n = 1; n <= 2; n++) {
            const char *const check = scratch_file("early", "an older one");
            const peck_train_spec spec = { .method = method->name,
                                           .train = d,
                                           .ensemble = n,
                                           .threads = 2,
                                           .checkpoint = check,
                                           .interrupted = say_stop };
            peck_model *m = NULL;
            peck_error err = { 0 };
            size_t length;

            if (peck_train(&m, &spec, &err) != PECK_STOPPED || m != NULL)
                fail_msg("%s: status %d, %s", method->name, err.status, err.text);
            assert_failed(err, PECK_STOPPED, "before anything was learnt");
            char *const kept = file_bytes(check, &length);

            assert_string_equal(kept, "an older one");
            free(kept);
        }
    peck_dataset_free(d);
}

static int stop_after(void *ctx, const peck_epoch *e)
{
    return e->epoch >= *(const size_t *)ctx;
}

/* The first iteration of sortnet sorts with the weights that it begins with. */
static void a_stop_between_epochs_has_a_model(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 15);
    const peck_plug *method;

    (void)state;
    for (size_t i = 0; (method = peck_plug_at(PECK_METHOD, i)) != NULL; i++)
        for (size_t epoch = 1; epoch <= 2; epoch++) {
            const bool is_idle = epoch == 1 && strcmp(method->name, "sortnet") == 0;
            peck_model *m = NULL;
            peck_error err = { 0 };
            const peck_status st = peck_train(&m,
                                              &(peck_train_spec){ .method = method->name,
                                                                  .train = d,
                                                                  .progress = stop_after,
                                                                  .ctx = &epoch },
                                              &err);

            if ((m != NULL) == is_idle || (epoch == 1 && st != PECK_STOPPED))
                fail_msg("%s: status %d, %s", method->name, st, err.text);
            peck_model_free(m);
        }
    peck_dataset_free(d);
}

/* Files of this process may grow to n bytes: what stands for a full disk. */
static void limit_files(rlim_t n)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int make_room(void *ctx, const peck_epoch *e)
{
    if (e->epoch == 2)
        limit_files(RLIM_INFINITY);
    return hear_epoch(ctx, e);
}

static void a_full_disk_costs_the_checkpoint_alone(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 16);
    struct heard heard = { 0 };
    peck_train_spec spec = { .method = "ranknet",
                             .settings = SETTINGS("epochs=4", "patience=0"),
                             .train = d };
    peck_model *const alone = task_train(spec), *m = NULL;
    peck_error err = { 0 };

    (void)state;
    spec.checkpoint = scratch_path("full");
    spec.progress = hear_epoch;
    spec.warn = hear_warning;
    spec.ctx = &heard;
    limit_files(8);
    peck_status st = peck_train(&m, &spec, &err);

    limit_files(RLIM_INFINITY);
    assert_int_equal(st, PECK_IO);
    assert_failed(err, PECK_IO, "full: cannot write it: File too large");
    assert_int_equal(heard.n_epochs, 4);
    assert_int_equal(heard.n_warnings, 1);
    assert_non_null(strstr(heard.warning, "training goes on"));
    assert_non_null(m);
    assert_memory_equal(m->w, alone->w, alone->n_weights * sizeof *alone->w);
    assert_int_equal(scratch_count("full"), 0);
    peck_model_free(m);
    /* What fails once may go well later. */
    spec.progress = make_room;
    limit_files(8);
    st = peck_train(&m, &spec, &err);
    limit_files(RLIM_INFINITY);
    assert_int_equal(st, PECK_OK);
    assert_int_equal(heard.n_warnings, 2);
    assert_int_equal(scratch_count("full"), 1);
    peck_model_free(m);
    /* A stop leaves the model as well. */
    size_t first = 1;

    spec.progress = stop_after;
    spec.warn = NULL;
    spec.ctx = &first;
    limit_files(8);
    st = peck_train(&m, &spec, &err);
    limit_files(RLIM_INFINITY);
    assert_int_equal(st, PECK_IO);
    assert_non_null(m);
    peck_model_free(m);
    peck_model_free(alone);
    peck_dataset_free(d);
}

static void a_checkpoint_of_another_training_is_refused(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 12);
    peck_train_spec spec = { .method = "ranknet",
                             .settings = SETTINGS("epochs=3"),
                             .train = d,
                             .checkpoint = scratch_path("check"),
                             .resume = 1 }; /* where there is none: from the start */

    (void)state;
    peck_model_free(task_train(spec));
    spec.seed = 5;
    assert_train_refused(spec, PECK_ARG, "a checkpoint of another training");
    spec.seed = 0;
    spec.settings = SETTINGS("epochs=3", "rate=0.1");
    assert_train_refused(spec, PECK_ARG, "a checkpoint of another training");
    spec.settings = SETTINGS("epochs=3");
    spec.threads = 2; /* is nobody's business */
    peck_model_free(task_train(spec));
    spec.checkpoint = "nowhere/checkpoint";
    assert_train_refused(spec, PECK_IO, "nowhere/checkpoint");
    spec.checkpoint = scratch_file("no-checkpoint", "this is no tensors file at all");
    assert_train_refused(spec, PECK_FORMAT, "no-checkpoint");
    peck_dataset_free(d);
}

static void the_papers_tell_one_data_set_from_another(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 13);
    const peck_train_spec spec = { .method = "ridge", .train = d };
    char before[ROOM];
    peck_model *m = task_train(spec);

    (void)state;
    snprintf(before, sizeof before, "%s", note(m, "data"));
    assert_note(m, "method", "ridge");
    assert_note(m, "settings", "norm=query-zscore");
    assert_note(m, "trained by", PECK_VERSION);
    peck_model_free(m);
    m = task_train(spec);
    assert_string_equal(note(m, "data"), before);
    peck_model_free(m);
    d->x_owned[d->n_docs * d->dim - 1] += 1.0f;
    m = task_train(spec);
    assert_true(strcmp(note(m, "data"), before) != 0);
    peck_model_free(m);
    peck_dataset_free(d);
}

/* What is doubtful --------------------------------------------------------------------- */

static void train_heard(peck_train_spec spec, struct heard *heard)
{
    *heard = (struct heard){ 0 };
    spec.warn = hear_warning;
    spec.ctx = heard;
    peck_model_free(task_train(spec));
}

static void a_constant_model_is_warned_of(void **state)
{
    const struct task_sample few = { .n_queries = 4, .max_docs = 10, .dim = 4 };
    struct peck_dataset *const d = task_dataset(&few, 1);
    struct heard heard;

    (void)state;
    train_heard((peck_train_spec){ .method = "lambdamart",
                                   .settings = SETTINGS("trees=3"),
                                   .train = d },
                &heard);
    assert_int_equal(heard.n_warnings, 0);
    train_heard((peck_train_spec){ .method = "lambdamart",
                                   .settings = SETTINGS("trees=3", "min_leaf=100"),
                                   .train = d },
                &heard);
    assert_int_equal(heard.n_warnings, 1);
    assert_non_null(strstr(heard.warning, "lower min_leaf (it is 100)"));
    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t i = d->start[q] * d->dim; i < d->start[q + 1] * d->dim; i++)
            d->x_owned[i] = (float)q;
    train_heard((peck_train_spec){ .method = "frank", .train = d }, &heard);
    assert_int_equal(heard.n_warnings, 1);
    assert_non_null(strstr(heard.warning, "no feature differs"));
    peck_dataset_free(d);
}

/* Of 40 documents a twentieth is 2; of 2000 and more it is what the method has. */
static void leaves_fit_small_data(void **state)
{
    const struct task_sample few = { .n_queries = 4, .max_docs = 10, .dim = 4 },
                             many = { .n_queries = 300, .max_docs = 12, .dim = 4 };
    static const char *const methods[] = { "lambdamart", "mart" };
    struct peck_dataset *const small = task_dataset(&few, 1), *const large =
                                                                  task_dataset(&many, 1);
    char least[32];

    (void)state;
    snprintf(least, sizeof least, "min_leaf=%zu ", small->n_docs / 20);
    for (size_t i = 0; i < N_OF(methods); i++) {
        peck_train_spec spec = { .method = methods[i],
                                 .settings = SETTINGS("trees=1"),
                                 .train = small,
                                 .valid_split = -1 };
        peck_model *m = task_train(spec);

        assert_note(m, "settings", least);
        peck_model_free(m);
        spec.settings = SETTINGS("min_leaf=7", "trees=1");
        m = task_train(spec);
        assert_note(m, "settings", "min_leaf=7 ");
        peck_model_free(m);
        spec.settings = SETTINGS("trees=1");
        spec.train = large;
        m = task_train(spec);
        assert_note(m, "settings", "min_leaf=100 ");
        peck_model_free(m);
    }
    peck_dataset_free(small);
    peck_dataset_free(large);
}

static void validation_data_that_was_learnt_from_is_warned_of(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1), *const other =
                                                                 task_dataset(&sample, 2);
    struct heard heard;

    (void)state;
    train_heard((peck_train_spec){ .method = "ridge", .train = d, .valid = other }, &heard);
    assert_int_equal(heard.n_warnings, 0);
    train_heard((peck_train_spec){ .method = "ridge", .train = d, .valid = d }, &heard);
    assert_int_equal(heard.n_warnings, 1);
    assert_non_null(strstr(heard.warning, "shares 30 of its 30 queries"));
    peck_dataset_free(d);
    peck_dataset_free(other);
}

/* Real data ---------------------------------------------------------------------------- */

static peck_dataset *read_part(const char *name)
{
    const char *const path = real_data(name);
    peck_dataset *d = NULL;
    peck_error err = { 0 };

    if (path == NULL)
        skip();
    assert_ok(peck_dataset_read(&d, path, NULL, &err), err);
    return d;
}

static void mq2008_is_learnt(void **state)
{
    const char *const method[] = { "ridge", "ranknet", "lambdaneuralrank" };
    peck_dataset *const train = read_part("mq2008/Fold1/train.txt.gz");
    peck_dataset *const valid = read_part("mq2008/Fold1/vali.txt.gz");

    (void)state;
    for (size_t i = 0; i < N_OF(method); i++) {
        peck_model *const m = task_train(
            (peck_train_spec){ .method = method[i], .train = train, .valid = valid });
        const double reached = model_quality(m, valid);

        print_message("%s: %.4f\n", method[i], reached);
        assert_true(reached > 0.53);
        peck_model_free(m);
    }
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fifth_of_the_queries_is_held_out),
        cmocka_unit_test(few_queries_are_all_learnt_from),
        cmocka_unit_test(given_validation_data_chooses_by_any_metric),
        cmocka_unit_test(the_best_epoch_is_the_model),
        cmocka_unit_test(labels_may_be_cut_in_two),
        cmocka_unit_test(preferences_stand_for_labels),
        cmocka_unit_test(preferences_may_choose_the_epoch),
        cmocka_unit_test(validation_preferences_need_their_documents),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(features_that_are_no_numbers_are_refused),
        cmocka_unit_test(wild_scales_are_warned_of),
        cmocka_unit_test(what_takes_long_says_so),
        cmocka_unit_test(training_that_runs_away_says_so),
        cmocka_unit_test(the_first_of_an_ensemble_is_the_single_net),
        cmocka_unit_test(an_interrupt_is_seen_between_batches),
        cmocka_unit_test(nothing_comes_of_nothing_learnt),
        cmocka_unit_test(a_stop_between_epochs_has_a_model),
        cmocka_unit_test(a_full_disk_costs_the_checkpoint_alone),
        cmocka_unit_test(a_checkpoint_of_another_training_is_refused),
        cmocka_unit_test(the_papers_tell_one_data_set_from_another),
        cmocka_unit_test(a_constant_model_is_warned_of),
        cmocka_unit_test(leaves_fit_small_data),
        cmocka_unit_test(validation_data_that_was_learnt_from_is_warned_of),
        cmocka_unit_test(mq2008_is_learnt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
