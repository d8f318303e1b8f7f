/* train_trials.c -- what short trainings find out on the validation data: how large a model
 * the data carries, and how much each rule counts.
 *
 * Sizes.  What suits a few thousand documents (twenty units, five leaves) is far too small for
 * a million, and how large a model should be depends on what hides in the data, not on its
 * amount alone.  So each size of the method (learn/sizes.def) is trained briefly, and the one
 * that is best on the validation data is trained in full (docs/DEFAULTS.md has what that
 * costs).  A trial has a part of the epochs; for trees, a few of them on a sample of the
 * queries.  On little data a short trial misleads: what learns fast need not end best.  There
 * the better half is trained in full, and the best of it is the model.  Below FEWEST_DOCS
 * documents the validation data is too small to choose well, and the smallest size is right.
 * A trial hears no rules.
 *
 * Rules by gain (Papini and Diligenti 2012, section 5): the method is trained without rules
 * and with each rule alone; a rule's gain is what it adds to the metric on the validation
 * data, and its weight among all rules is in proportion to it.  The rule that gains most
 * keeps its own weight, one that gains nothing is left out.                           */
#include "train.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

/* The best of the metric; an error comes negative. */
static double best_value(struct member m)
{
    return m.best > 0 ? m.history[m.best - 1].valid : (double)NAN;
}

/* Whether the metric is an error, which the user sees as a positive number. */
static bool is_by_error(const struct training_run *t)
{
    return t->valid_prefs == NULL && t->metric.item[0].metric->is_error;
}

/* Sizes ------------------------------------------------------------------------------ */

enum {
    MANY_DOCS = 100000,  /* a quarter of the epochs shows enough */
    FEWEST_QUERIES = 20, /* of which part may stand for all */
    MOST_SIZES = 8,
    LONGEST = 1 << 16, /* bytes of a text */
};

#define MOST_TRIALS 0.5 /* all trials of little data together, in trainings */
#define LEAST_TRIAL 0.125
#define CLOSE_VALUE 0.05 /* of the best one's: who is as near may still end before it */

/* A size that is trained, or is to be: what a training_run holds of it. */
struct trained_size {
    struct plan plan;
    struct train_data train_data;
    struct run *run; /* NULL: it diverged */
    double value;    /* best on the validation data, an error negative; NaN: it diverged */
};

/* From the run to *to.  What points into the run is right again when it is back there. */
static void put_aside(struct training_run *t, struct trained_size *to)
{
    *to = (struct trained_size){ t->plan, t->train_data, t->run, to->value };
    t->plan = (struct plan){ 0 };
    t->train_data = (struct train_data){ 0 };
    t->run = NULL;
}

static void take_back(struct training_run *t, const struct trained_size *from)
{
    t->plan = from->plan;
    t->train_data = from->train_data;
    t->run = from->run;
}

static void forget_size(struct training_run *t)
{
    run_free(t->run);
    t->run = NULL;
    train_data_close(&t->train_data);
    plan_close(&t->plan);
}

/* Trains one size with this share of its epochs or trees: t has its plan, data and run.
 * PECK_STOPPED: the run is there all the same. */
static peck_status train_size(struct training_run *t, const struct size *size, double share,
                              double *value, peck_error *err)
{
    *value = (double)NAN;
    forget_size(t);
    TRY(training_plan(t, size, err));
    if (share < 1.0)
        plan_shorten(&t->plan, share);
    TRY(training_data(t, err));
    const peck_status st =
        run_members(&t->run,
                    &(struct run_spec){ .plan = &t->plan,
                                        .train_data = &t->train_data,
                                        .n_members = 1,
                                        .seed = t->spec->seed,
                                        .pool = t->pool,
                                        .interrupted = t->spec->interrupted,
                                        .ctx = t->spec->ctx },
                    err);

    if (st == PECK_OK)
        *value = best_value(run_member(t->run, 0));
    return st == PECK_DIVERGED ? PECK_OK : st;
}

/* Notes what a size came to, and tells whoever asked. */
static void tell_of_size(struct training_run *t, const struct size *size,
                         const char *separator, peck_size_trial trial)
{
    trial.size = size != NULL ? size->name : "small";
    trial.valid = is_by_error(t) ? -trial.valid : trial.valid;
    text_printf(&t->sizes, "%s%s %.6g", separator, trial.size, trial.valid);
    if (t->spec->tried != NULL)
        t->spec->tried(t->spec->ctx, &trial);
}

/* The sizes that data with n_docs that teach may have, small (NULL) first, if it is among
 * them.  One that the user's settings leave no different from an earlier one is left out. */
static peck_status list_trial_sizes(struct training_run *t, size_t n_docs,
                                    const struct size *list[MOST_SIZES], size_t *n,
                                    peck_error *err)
{
    const struct recipe *const r = t->plan.recipe;
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

/* Trains each of list[n] briefly, and puts the best first.  *n_close: so many may still end
 * as the best one; of the better half, two at least. */
static peck_status try_sizes(struct training_run *t, size_t n_docs,
                             const struct size **list, size_t n, size_t *n_close,
                             peck_error *err)
{
    const bool is_sampled = recipe_trial(t->plan.recipe).most_docs > 0,
               is_much = n_docs >= MANY_DOCS;
    /* Of the epochs or trees.  Where a trial has a sample, its length counts for less. */
    const double share =
        is_sampled ? 1.0 / 16.0
        : is_much  ? 0.25
                   : math_max(math_min(MOST_TRIALS / (double)n, 0.25), LEAST_TRIAL);
    double value[MOST_SIZES]; /* of list[0 .. i], falling */

    for (size_t i = 0; i < n; i++) {
        const struct size *const size = list[i];
        double v;
        size_t at = i;

        TRY(train_size(t, size, share, &v, err));
        v = isnan(v) ? -INFINITY : v;
        for (; at > 0 && v > value[at - 1]; at--) {
            list[at] = list[at - 1];
            value[at] = value[at - 1];
        }
        list[at] = size;
        value[at] = v;
        tell_of_size(t, size, i > 0 ? ", " : "",
                     (peck_size_trial){ .valid = isinf(v) ? (double)NAN : v,
                                        .is_best = at == 0 && !isinf(v) });
    }
    forget_size(t);
    if (isinf(value[0]))
        return fail(err, PECK_DIVERGED,
                    "no size of the method can learn this; lower its rate");
    const size_t most = is_sampled || is_much ? 1 : n > 3 ? (n + 1) / 2 : 2;

    for (*n_close = 1;
         *n_close < most && value[0] - value[*n_close] <= CLOSE_VALUE * fabs(value[0]);)
        ++*n_close;
    return t->sizes.failed ? fail_memory(err, "notes", 1, LONGEST) : PECK_OK;
}

/* Trains list[n] in full; list[0] becomes the best one.  Where that is the very training that
 * was asked for (one member, no rules, no checkpoint), t keeps its data and run, and how it
 * ended: who stops one keeps the best of those before it, or what the first has reached. */
static peck_status train_finalists(struct training_run *t, const struct size **list,
                                   size_t n, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    const bool is_asked_for =
        t->n_members == 1 && spec->rules == NULL && spec->checkpoint == NULL;
    struct trained_size best = { .value = (double)NAN };
    peck_status st = PECK_OK;

    for (size_t i = 0; i < n && st == PECK_OK; i++) {
        struct trained_size now = { 0 };

        st = train_size(t, list[i], 1.0, &now.value, err);
        const bool is_best = i == 0 || isnan(best.value) || now.value > best.value;

        if (st == PECK_OK)
            tell_of_size(
                t, list[i], i == 0 ? "; in full: " : ", ",
                (peck_size_trial){ .valid = now.value, .is_best = is_best, .in_full = 1 });
        if (i > 0 && (st != PECK_OK || !is_best)) {
            forget_size(t);
            continue;
        }
        put_aside(t, &now);
        take_back(t, &best);
        forget_size(t);
        best = now;
        list[0] = list[i];
    }
    take_back(t, &best);
    if (st == PECK_STOPPED && is_asked_for) {
        t->outcome = st;
        return PECK_OK;
    }
    if (st != PECK_OK || !is_asked_for || t->run == NULL)
        forget_size(t);
    return st;
}

/* Part of the queries that trials train on; *out NULL: all of them. */
static peck_status take_sample(struct training_run *t, struct peck_dataset **out,
                               peck_error *err)
{
    const struct peck_dataset *const d = t->train;
    const size_t most = recipe_trial(t->plan.recipe).most_docs;

    *out = NULL;
    if (most == 0 || t->prefs != NULL || d->n_queries < FEWEST_QUERIES)
        return PECK_OK;
    const double share = math_min((double)most / (double)d->n_judged, 0.5);
    bool *const is_taken = mem_new(d->n_queries, sizeof *is_taken);

    if (is_taken == NULL)
        return fail_memory(err, "the queries that sizes are tried on", d->n_queries,
                           sizeof *is_taken);
    peck_status st = dataset_mark_holdout(d, share, t->spec->seed, is_taken, err);

    if (st == PECK_OK)
        st = dataset_part_marked(out, d, is_taken, true, err);
    mem_free(is_taken);
    return st;
}

peck_status training_choose_size(struct training_run *t, peck_error *err)
{
    const struct size *list[MOST_SIZES] = { NULL };
    const struct peck_dataset *const all = t->train;
    struct peck_dataset *sample = NULL;
    const size_t n_docs = t->prefs != NULL ? all->n_docs : all->n_judged; /* that teach */
    size_t n, n_close = 1;

    TRY(list_trial_sizes(t, n_docs, list, &n, err));
    text_init(&t->sizes, LONGEST);
    if (n > 1) {
        TRY(take_sample(t, &sample, err));
        t->train = sample != NULL ? sample : all;
        const peck_status st = try_sizes(t, n_docs, list, n, &n_close, err);

        t->train = all;
        peck_dataset_free(sample);
        TRY(st);
        if (n_close > 1)
            TRY(train_finalists(t, list, n_close, err));
        if (t->run != NULL)
            return PECK_OK;
    }
    plan_close(&t->plan);
    t->size = list[0];
    return training_plan(t, list[0], err);
}

/* Rules ------------------------------------------------------------------------------ */

peck_status training_check_rules(const struct training_run *t, peck_error *err)
{
    TRY(recipe_check_rules(t->plan.recipe, err));
    return rules_refuse_never(t->spec->rules, err);
}

/* Trials without rules (member 0) and with rule i alone (member i + 1) -> rule_weight */
static peck_status weigh_by_gain(struct training_run *t, peck_error *err)
{
    const struct rule_scope *const g = t->train_data.rule_scope;
    const size_t n = g->n_rules;
    struct arena a = { 0 };
    const double **const member =
        arena_new(&a, "the weights of rules", n + 1, sizeof *member);
    double *const weight = /* [n + 1][n] */
        arena_new(&a, "the weights of rules", (n + 1) * n, sizeof *weight);
    double most = 0.0;
    struct run *trial = NULL;
    peck_status st = arena_check(&a, err);

    /* Row 0 is all zero; row i + 1 has rule i alone. */
    for (size_t i = 0; st == PECK_OK && i <= n; i++) {
        member[i] = weight + i * n;
        if (i > 0)
            weight[i * n + i - 1] = t->rule_weight[i - 1];
    }
    if (st == PECK_OK)
        st = run_members(&trial,
                         &(struct run_spec){ .plan = &t->plan,
                                             .train_data = &t->train_data,
                                             .n_members = n + 1,
                                             .seed = t->spec->seed,
                                             .rule_weight = member,
                                             .is_trial = true,
                                             .pool = t->pool,
                                             .interrupted = t->spec->interrupted,
                                             .ctx = t->spec->ctx },
                         err);

    /* In proportion to the gains. */
    const double without = st == PECK_OK ? best_value(run_member(trial, 0)) : 0.0;

    for (size_t i = 0; st == PECK_OK && i < n; i++)
        most = math_max(most, best_value(run_member(trial, i + 1)) - without);
    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        const double value = best_value(run_member(trial, i + 1)), gain = value - without;
        char name[SPAN_SHOWN + 1];

        t->rule_weight[i] *= most > 0.0 && gain > 0.0 ? gain / most : 0.0;
        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(rules_name(g->rules, i)));
        if (t->spec->gained != NULL)
            t->spec->gained(t->spec->ctx,
                            &(peck_rule_gain){ .rule = name,
                                               .valid = is_by_error(t) ? -value : value,
                                               .gain = gain,
                                               .weight = t->rule_weight[i] });
    }
    if (st == PECK_OK && !(most > 0.0))
        training_warn(t, "no rule raises the metric on the validation data: none is used");
    run_free(trial);
    arena_free(&a);
    return st;
}

peck_status training_weigh_rules(struct training_run *t, peck_error *err)
{
    const struct rule_scope *const g = t->train_data.rule_scope;
    const double all = t->spec->rules_weight > 0.0 ? t->spec->rules_weight : 1.0;

    if (t->spec->rules_weight < 0.0 && t->valid == NULL)
        return fail(err, PECK_ARG,
                    "the weights of rules are found by their gain on validation data, and "
                    "there is none; give a number instead");
    t->rule_weight = mem_new(g->n_rules, sizeof *t->rule_weight);
    if (t->rule_weight == NULL)
        return fail_memory(err, "the weights of rules", g->n_rules, sizeof(double));
    for (size_t i = 0; i < g->n_rules; i++) {
        const peck_span name = rules_name(g->rules, i);

        if (rules_shape(g->rules, i).is_idle)
            training_warn(t, "the rule '%.*s' always holds; it teaches nothing",
                          SPAN_ARGS(name));
        else if (g->n_spoken[i] == 0)
            training_warn(t, "the rule '%.*s' speaks of no query; it teaches nothing",
                          SPAN_ARGS(name));
        else if (g->n_swayed[i] == 0)
            training_warn(t,
                          "no ranking can change the rule '%.*s', which looks at features "
                          "alone, or at whole lists; it teaches nothing",
                          SPAN_ARGS(name));
        else
            t->rule_weight[i] = all * rules_config(g->rules, i)->weight;
    }
    TRY(training_find_rules(t, t->spec->rules_weight == 0.0, err));
    return t->spec->rules_weight < 0.0 ? weigh_by_gain(t, err) : PECK_OK;
}

/* "sport 0.5: forall q ...; fresh 1: ..." */
void training_print_rules(const struct training_run *t, struct text *to)
{
    const struct peck_rules *const r = t->spec->rules;

    for (size_t i = 0; r != NULL && i < rules_count(r); i++) {
        const peck_span name = rules_name(r, i);

        text_printf(to, "%s%.*s %.6g: ", i > 0 ? "; " : "", SPAN_ARGS(name),
                    t->rule_weight[i]);
        rules_print(r, i, to);
        rules_print_settings(r, i, to);
    }
    if (t->rule_pace.steps > 0)
        text_printf(to, "; all with alpha times %g, at most %zu steps an epoch",
                    t->rule_pace.alpha, t->rule_pace.steps);
    if (t->taught != NULL)
        text_printf(to,
                    "; all with alpha times %g, labels of unlabelled queries by the "
                    "model's own orders",
                    t->rule_pace.alpha);
}
