/* train_rules.c -- rules beside the labels: whether they make sense here, and how much
 * each of them counts.
 *
 * By gain (Papini and Diligenti 2012, section 5): the method is trained without rules and
 * with each rule alone; a rule's gain is what it adds to the metric on the validation
 * data, and its weight among all rules is in proportion to it.  The rule that gains most
 * keeps its own weight, one that gains nothing is left out.                           */
#include "train.h"

#include "../base/alloc.h"

#include <math.h>

peck_status training_check_rules(const struct training *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    const struct recipe *const r = t->plan.recipe;

    if (spec->unlabelled != NULL)
        TRY(dataset_check_features(spec->unlabelled, false, t->pool, err));
    if (spec->rules == NULL)
        return PECK_OK;
    if (!recipe_takes_rules(r))
        return fail(err, PECK_ARG,
                    "%s does not go down a gradient of scores, so rules cannot push it; "
                    "take lambdaneuralrank, ranknet or another net that scores",
                    r->plug.about.name);
    return rules_refuse_never(spec->rules, err);
}

/* What a person should know of each rule. */
static void warn_of_rules(const struct training *t)
{
    const struct rule_scope *const g = t->train_data.rule_scope;

    for (size_t i = 0; i < g->n_rules; i++) {
        const peck_span name = rules_name(g->rules, i);

        if (rules_shape(g->rules, i).is_idle)
            training_warn(t, "the rule '%.*s' always holds; it teaches nothing",
                          SPAN_ARGS(name));
        else if (g->n_spoken[i] == 0)
            training_warn(t, "the rule '%.*s' speaks of no query; it teaches nothing",
                          SPAN_ARGS(name));
    }
}

/* The weight that the file and the user give. */
static double own_weight(const struct training *t, size_t rule)
{
    const struct rule_scope *const g = t->train_data.rule_scope;
    const double all = t->spec->rules_weight > 0.0 ? t->spec->rules_weight : 1.0;
    const bool is_idle = rules_shape(g->rules, rule).is_idle || g->n_spoken[rule] == 0;

    return is_idle ? 0.0 : all * rules_config(g->rules, rule)->weight;
}

/* Trials ----------------------------------------------------------------------------- */

/* The best of the metric; an error comes negative. */
static double best_value(const struct member *m)
{
    return m->best > 0 ? m->history[m->best - 1].valid : (double)NAN;
}

static void tell_gain(const struct training *t, size_t rule, double value, double gain)
{
    const struct rule_scope *const g = t->train_data.rule_scope;
    const bool is_error = t->valid_prefs == NULL && t->metric.item[0].metric->is_error;
    char name[SPAN_SHOWN + 1];

    snprintf(name, sizeof name, "%.*s", SPAN_ARGS(rules_name(g->rules, rule)));
    if (t->spec->gained != NULL)
        t->spec->gained(t->spec->ctx, &(peck_rule_gain){ .rule = name,
                                                         .valid = is_error ? -value : value,
                                                         .gain = gain,
                                                         .weight = t->rule_weight[rule] });
}

/* Member 0 had no rules, member i + 1 rule i alone. */
static void share_out(struct training *t, const struct run *trial)
{
    const size_t n = t->train_data.rule_scope->n_rules;
    const struct member none = run_member(trial, 0);
    double most = 0.0;

    for (size_t i = 0; i < n; i++) {
        const struct member m = run_member(trial, i + 1);

        most = fmax(most, best_value(&m) - best_value(&none));
    }
    for (size_t i = 0; i < n; i++) {
        const struct member m = run_member(trial, i + 1);
        const double gain = best_value(&m) - best_value(&none);

        t->rule_weight[i] *= most > 0.0 && gain > 0.0 ? gain / most : 0.0;
        tell_gain(t, i, best_value(&m), gain);
    }
    if (!(most > 0.0))
        training_warn(t, "no rule raises the metric on the validation data: none is used");
}

/* weight[n + 1][n], and where each member's begin; weight NULL: no memory. */
static double *single_weights(const double *own, size_t n, const double **member)
{
    double *const weight = mem_new((n + 1) * n, sizeof *weight);

    for (size_t i = 0; weight != NULL && i <= n; i++) {
        member[i] = weight + i * n;
        if (i > 0)
            weight[i * n + i - 1] = own[i - 1];
    }
    return weight;
}

static peck_status try_each(struct training *t, peck_error *err)
{
    const size_t n = t->train_data.rule_scope->n_rules;
    const double **const member = mem_new(n + 1, sizeof *member);
    double *const weight =
        member != NULL ? single_weights(t->rule_weight, n, member) : NULL;
    struct run *trial = NULL;
    peck_status st = PECK_OK;

    if (weight == NULL)
        st = fail_memory(err, "the weights of rules", n * n, sizeof *weight);
    else
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
    if (st == PECK_OK)
        share_out(t, trial);
    run_free(trial);
    mem_free(weight);
    mem_free(member);
    return st;
}

peck_status training_weigh_rules(struct training *t, peck_error *err)
{
    const struct rule_scope *const g = t->train_data.rule_scope;

    if (g == NULL)
        return PECK_OK;
    if (t->spec->rules_weight < 0.0 && t->valid == NULL)
        return fail(err, PECK_ARG,
                    "the weights of rules are found by their gain on validation data, and "
                    "there is none; give a number instead");
    t->rule_weight = mem_new(g->n_rules, sizeof *t->rule_weight);
    if (t->rule_weight == NULL)
        return fail_memory(err, "the weights of rules", g->n_rules, sizeof(double));
    warn_of_rules(t);
    for (size_t i = 0; i < g->n_rules; i++)
        t->rule_weight[i] = own_weight(t, i);
    return t->spec->rules_weight < 0.0 ? try_each(t, err) : PECK_OK;
}

/* "sport 0.5: forall q ...; fresh 1: ..." */
void training_print_rules(const struct training *t, struct text *to)
{
    const struct rule_scope *const g = t->train_data.rule_scope;

    for (size_t i = 0; g != NULL && i < g->n_rules; i++) {
        const peck_span name = rules_name(g->rules, i);

        text_printf(to, "%s%.*s %.6g: ", i > 0 ? "; " : "", SPAN_ARGS(name),
                    t->rule_weight[i]);
        rules_print(g->rules, i, to);
        rules_print_settings(g->rules, i, to);
    }
}
