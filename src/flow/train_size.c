/* train_size.c -- how large a model the data carries.
 *
 * What suits a few thousand documents (twenty units, five leaves) is far too small for a
 * million, and how large a model should be depends on what hides in the data, not on its
 * amount alone.  So each size of the method (learn/sizes.def) is trained with a quarter of
 * the epochs or trees, and the one that is best on the validation data is trained in full
 * (docs/DEFAULTS.md has what that costs).
 *
 * Below FEWEST_DOCS documents the validation data is too small to choose well, and the
 * smallest size is right.  A trial hears no rules.                                     */
#include "train.h"

#include "../base/alloc.h"

#include <math.h>

enum {
    FEWEST_DOCS = 20000, /* that teach */
    MOST_SIZES = 8,
    LONGEST = 1 << 16, /* bytes of a text */
};
#define TRIAL_SHARE 0.25

/* Documents that the training data teaches with. */
static size_t n_teaching_docs(const struct training *t)
{
    return t->prefs != NULL ? t->train->n_docs : t->train->n_judged;
}

static void drop_trial(struct training *t)
{
    course_close(&t->course);
    norm_free(t->norm);
    t->norm = NULL;
    plan_close(&t->plan);
}

/* Trains one size briefly.  *value: the metric on the validation data, an error negative;
 * NaN where it diverged. */
static peck_status try_size(struct training *t, double *value, peck_error *err)
{
    struct run *run = NULL;

    *value = (double)NAN;
    plan_shorten(&t->plan, TRIAL_SHARE);
    TRY(training_course(t, err));
    const peck_status st =
        run_members(&run,
                    &(struct run_spec){ .plan = &t->plan,
                                        .course = &t->course,
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

/* The sizes that this data may have, small (NULL) first.  One that the user's settings leave
 * no different from an earlier one is left out.  Returns how many. */
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
    for (size_t i = 0; i == 0 || (size = recipe_size(r, i - 1)) != NULL; i++) {
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
        TRY(try_size(t, &value, err));
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

peck_status training_choose_size(struct training *t, peck_error *err)
{
    const struct size *list[MOST_SIZES], *best = NULL;
    size_t n;

    if (!t->plan.is_size_open || t->valid == NULL || n_teaching_docs(t) < FEWEST_DOCS)
        return PECK_OK;
    TRY(list_sizes(t, list, &n, err));
    text_init(&t->sizes, LONGEST);
    if (n > 1)
        TRY(try_sizes(t, list, n, &best, err));
    plan_close(&t->plan);
    return training_plan(t, best, err);
}
