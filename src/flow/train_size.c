/* train_size.c -- how large a model the data carries.
 *
 * What suits a few thousand documents (twenty units, five leaves) is far too small for a
 * million, and how large a model should be depends on what hides in the data, not on its
 * amount alone.  So each size of the method (learn/sizes.def) is trained briefly, and the one
 * that is best on the validation data is trained in full (docs/DEFAULTS.md has what that
 * costs).  A trial has a part of the epochs; for trees, a few of them on a sample of the
 * queries.
 *
 * Below FEWEST_DOCS documents the validation data is too small to choose well, and the
 * smallest size is right.  A trial hears no rules.                                     */
#include "train.h"

#include "../base/alloc.h"

#include <math.h>

enum {
    FEWEST_DOCS = 20000, /* that teach */
    MANY_DOCS = 100000,  /* a quarter of the epochs shows enough */
    FEWEST_QUERIES = 20, /* of which part may stand for all */
    MOST_SIZES = 8,
    LONGEST = 1 << 16, /* bytes of a text */
};

#define MOST_TRIALS 1.5 /* all trials of small data together, in trainings */

/* Documents that the training data teaches with. */
static size_t n_teaching_docs(const struct training *t)
{
    return t->prefs != NULL ? t->train->n_docs : t->train->n_judged;
}

/* Of the epochs or trees, where n sizes are tried.  Where a trial has a sample, its length
 * counts for less. */
static double trial_share(const struct training *t, size_t n)
{
    if (recipe_trial(t->plan.recipe).most_docs > 0)
        return 1.0 / 16.0;
    return n_teaching_docs(t) >= MANY_DOCS ? 0.25 : fmin(MOST_TRIALS / (double)n, 0.5);
}

static void drop_trial(struct training *t)
{
    train_data_close(&t->train_data);
    norm_free(t->norm);
    t->norm = NULL;
    plan_close(&t->plan);
}

/* Trains one size briefly.  *value: the metric on the validation data, an error negative;
 * NaN where it diverged. */
static peck_status try_size(struct training *t, double share, double *value,
                            peck_error *err)
{
    struct run *run = NULL;

    *value = (double)NAN;
    plan_shorten(&t->plan, share);
    TRY(training_data(t, err));
    const peck_status st =
        run_members(&run,
                    &(struct run_spec){ .plan = &t->plan,
                                        .train_data = &t->train_data,
                                        .n_members = 1,
                                        .seed = t->spec->seed,
                                        .pool = t->pool,
                                        .interrupted = t->spec->interrupted,
                                        .ctx = t->spec->ctx },
                    err);
    if (st == PECK_OK) {
        const struct member m = run_member(run, 0);

        *value = m.best > 0 ? m.history[m.best - 1].valid : (double)NAN;
    }
    run_free(run);
    return st == PECK_DIVERGED ? PECK_OK : st;
}

/* "small 0.7463, wide 0.7698" */
static void note_trial(struct training *t, const char *name, double value, bool is_best)
{
    const bool is_error = t->valid_prefs == NULL && t->metric.item[0].metric->is_error;
    const double shown = is_error ? -value : value;

    text_printf(&t->sizes, "%s%s %.6g", t->sizes.len > 0 ? ", " : "", name, shown);
    if (t->spec->tried != NULL)
        t->spec->tried(
            t->spec->ctx,
            &(peck_size_trial){ .size = name, .valid = shown, .is_best = is_best });
}

/* The sizes that this data may have, small (NULL) first, if it is among them.  One that the
 * user's settings leave no different from an earlier one is left out. */
static peck_status list_sizes(struct training *t, const struct size *list[MOST_SIZES],
                              size_t *n, peck_error *err)
{
    const struct recipe *const r = t->plan.recipe;
    const size_t n_docs = n_teaching_docs(t);
    const struct size *size = NULL;
    struct text seen, now; /* seen: settings of those listed, a line each */
    peck_status st = PECK_OK;

    *n = 0;
    text_init(&seen, LONGEST);
    text_init(&now, LONGEST);
    for (size_t i = recipe_trial(r).has_outgrown_small ? 1 : 0;
         i == 0 || (size = recipe_size(r, i - 1)) != NULL; i++) {
        if (size != NULL && (n_docs < size->from || n_docs >= size->below))
            continue;
        plan_close(&t->plan);
        if ((st = training_plan(t, size, err)) != PECK_OK)
            break;
        now.len = 0;
        text_add_str(&now, "\n");
        plan_print(&t->plan, &now);
        text_add_str(&now, "\n");
        if (*n < MOST_SIZES && !now.failed &&
            (seen.len == 0 || strstr(seen.s, now.s) == NULL)) {
            list[(*n)++] = size;
            text_add(&seen, now.s, now.len);
        }
    }
    if (st == PECK_OK && (seen.failed || now.failed))
        st = fail_memory(err, "the settings of sizes", 1, LONGEST);
    text_free(&seen);
    text_free(&now);
    return st;
}

/* Trains each briefly; *best is the best of them. */
static peck_status try_sizes(struct training *t, const struct size *const *list, size_t n,
                             const struct size **best, peck_error *err)
{
    double most = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        double value;

        plan_close(&t->plan);
        TRY(training_plan(t, list[i], err));
        TRY(try_size(t, trial_share(t, n), &value, err));
        drop_trial(t);
        const bool is_best = value > most;

        if (is_best) {
            most = value;
            *best = list[i];
        }
        note_trial(t, list[i] != NULL ? list[i]->name : "small", value, is_best);
    }
    if (most == -INFINITY)
        return fail(err, PECK_DIVERGED,
                    "no size of the method can learn this; lower its rate");
    return t->sizes.failed ? fail_memory(err, "notes", 1, LONGEST) : PECK_OK;
}

/* Part of the queries that trials train on; *out NULL: all of them. */
static peck_status take_sample(struct training *t, struct peck_dataset **out,
                               peck_error *err)
{
    const struct peck_dataset *const d = t->train;
    const size_t most = recipe_trial(t->plan.recipe).most_docs;

    *out = NULL;
    if (most == 0 || t->prefs != NULL || d->n_queries < FEWEST_QUERIES)
        return PECK_OK;
    const double share = fmin((double)most / (double)n_teaching_docs(t), 0.5);
    bool *const is_taken = mem_new(d->n_queries, sizeof *is_taken);

    if (is_taken == NULL)
        return fail_memory(err, "the queries of a trial", d->n_queries, sizeof *is_taken);
    peck_status st = dataset_mark_holdout(d, share, t->spec->seed, is_taken, err);

    if (st == PECK_OK)
        st = dataset_take_marked(out, d, is_taken, true, err);
    mem_free(is_taken);
    return st;
}

peck_status training_choose_size(struct training *t, peck_error *err)
{
    const struct size *list[MOST_SIZES], *best = NULL;
    const struct peck_dataset *const all = t->train;
    struct peck_dataset *sample = NULL;
    size_t n;

    if (!t->plan.is_size_open || t->valid == NULL || n_teaching_docs(t) < FEWEST_DOCS)
        return PECK_OK;
    TRY(list_sizes(t, list, &n, err));
    text_init(&t->sizes, LONGEST);
    best = n > 0 ? list[0] : NULL;
    if (n > 1) {
        TRY(take_sample(t, &sample, err));
        t->train = sample != NULL ? sample : all;
        const peck_status st = try_sizes(t, list, n, &best, err);

        t->train = all;
        peck_dataset_free(sample);
        TRY(st);
    }
    plan_close(&t->plan);
    return training_plan(t, best, err);
}
