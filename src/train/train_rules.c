/* train_rules.c -- how much rules count, found by trials, and rules that the labels deny.
 *
 * A rule that the order of the labels keeps no more often than chance does is named, and where
 * weights are found left out.  Then the method is trained without rules and unlabelled queries,
 * and with rules that count little or much, are steep or not, and take few steps or many: a
 * table of CHOICES.  Where one of these is taken, or gains something and the labels keep the
 * rules, the best one orders the unlabelled queries, so that the rules are kept; the first places
 * of these orders become labels, and one more model learns from labels everywhere, beside steep
 * rules.  Rules are taken where they gain on the validation data by more than its noise, the
 * standard error of the paired differences of its queries; how sure that must be depends on
 * whether the labels keep the rules.  Else the model is that of the method without them.  Where
 * there is no validation data, the labelled queries are cut in two halves, each of which learns
 * what the other judges, and it is the last epoch that counts, as it will. */
#include "train.h"

#include "../base/alloc.h"

#include <math.h>

/* Rules as they may be followed, the lightest first. */
static const struct rules_choice {
    double weight; /* times each rule's own */
    struct rule_pace pace;
} CHOICES[] = { { 0.2, { 1.0, 4, 0, true } },
                { 1.0, { 1.0, 32, 24, false } },
                { 3.0, { 1.0, 48, 24, false } },
                { 3.0, { 3.0, 48, 24, false } },
                { 1.0, { 3.0, 0, 24, false } } };
/* The last has labels everywhere, by orders of the best of the others. */
enum {
    N_CHOICES = sizeof CHOICES / sizeof *CHOICES,
    BY_ORDERS = N_CHOICES - 1,
    LIGHT = 0,
    NONE = -1
};

/* A document of an order has a fifth of the highest label for each of these first places that
 * it is within. */
static const uint32_t FIRST[] = { 1, 2, 3, 5, 10 };
enum { N_FIRST = sizeof FIRST / sizeof *FIRST };

#define MOST_BROKEN 0.5 /* of what chance breaks: then the labels keep the rules */
/* What the labels say of all rules that count, beside chance. */
enum labels_say { LABELS_SILENT, LABELS_KEEP, LABELS_DENY };

/* Standard errors that a gain must be above, where the labels keep the rules and where they
 * do not; with fewer queries than MANY the labels say more than the gain: any will do, or
 * none.  (The best of four trials is above two errors in one case of ten by chance alone,
 * on eight queries.) */
#define SURE 1.0
#define VERY_SURE 2.0
enum { MANY = 50, FEW = 10 };

enum { LONGEST_TRIALS = 1 << 16 }; /* bytes */

/* Values of all queries that judge, one after the other. */
struct trial_values {
    double *value; /* n */
    size_t n;
};

/* Gain and its standard error. */
struct rules_gain {
    double gain, error;
    size_t n; /* queries that count */
};

static struct rules_gain gain_over(const struct trial_values *a,
                                   const struct trial_values *b)
{
    double sum = 0.0, squares = 0.0;
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        const double d = a->value[i] - b->value[i];

        if (isfinite(d)) {
            sum += d;
            n++;
        }
    }
    const double mean = n > 0 ? sum / (double)n : (double)NAN;

    for (size_t i = 0; i < a->n; i++) {
        const double d = a->value[i] - b->value[i];

        squares += isfinite(d) ? (d - mean) * (d - mean) : 0.0;
    }
    return (struct rules_gain){
        mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : (double)NAN, n
    };
}

/* What a run holds of a training: put aside and taken back. */
struct set_aside {
    struct plan plan;
    struct train_data train_data;
    struct run *run;
};

static struct set_aside put_rules_aside(struct training_run *t)
{
    const struct set_aside it = { t->plan, t->train_data, t->run };

    t->plan = (struct plan){ 0 };
    t->train_data = (struct train_data){ 0 };
    t->run = NULL;
    return it;
}

static void take_rules_back(struct training_run *t, struct set_aside *it)
{
    t->plan = it->plan;
    t->train_data = it->train_data;
    t->run = it->run;
    *it = (struct set_aside){ 0 };
}

static void forget_aside(struct set_aside *it)
{
    run_free(it->run);
    train_data_close(&it->train_data);
    plan_close(&it->plan);
    *it = (struct set_aside){ 0 };
}

/* Plan and data of the training at hand, with rules or without. */
static peck_status prepare(struct training_run *t, bool leaves_rules, peck_error *err)
{
    t->leaves_rules = leaves_rules;
    TRY(training_plan(t, t->size, err));
    return training_data(t, err);
}

/* Plan and data without rules in place of those at hand. */
static peck_status leave_rules(struct training_run *t, peck_error *err)
{
    struct set_aside ruled = put_rules_aside(t);

    forget_aside(&ruled);
    return prepare(t, true, err);
}

/* Trains with the plan and data at hand; choice NONE: without rules.  Values are added behind
 * those of *to; *total is NaN where it diverged, and so are they. */
static peck_status try_choice(struct training_run *t, int choice, bool is_last,
                              struct trial_values *to, double *total, peck_error *err)
{
    const size_t n_rules = choice != NONE ? t->train_data.rule_scope->n_rules : 0,
                 n = t->valid->n_queries;
    double *const weight = mem_new(n_rules > 0 ? n_rules : 1, sizeof *weight);
    const double *each = weight;

    *total = (double)NAN;
    if (weight == NULL)
        return fail_memory(err, "the weights of rules", n_rules, sizeof *weight);
    for (size_t i = 0; i < n_rules; i++)
        weight[i] = CHOICES[choice].weight * t->rule_weight[i];
    run_free(t->run);
    t->run = NULL;
    peck_status st = run_members(
        &t->run,
        &(struct run_spec){ .plan = &t->plan,
                            .train_data = &t->train_data,
                            .n_members = 1,
                            .seed = t->spec->seed,
                            .rule_weight = choice != NONE ? &each : NULL,
                            .rule_pace = choice != NONE ? CHOICES[choice].pace
                                                        : (struct rule_pace){ 0 },
                            .pool = t->pool,
                            .interrupted = t->spec->interrupted,
                            .ctx = t->spec->ctx },
        err);

    mem_free(weight);
    for (size_t q = 0; q < n; q++)
        to->value[to->n + q] = (double)NAN;
    if (st == PECK_OK)
        st = run_query_values(t->run, 0, is_last, total, to->value + to->n, err);
    to->n += n;
    return st == PECK_DIVERGED ? PECK_OK : st;
}

/* A choice, of which nothing is known yet. */
static peck_rules_trial trial_of(int choice)
{
    const struct rules_choice *const c = choice != NONE ? &CHOICES[choice] : NULL;

    return (peck_rules_trial){ .weight = c != NULL ? c->weight : 0.0,
                               .alpha = c != NULL ? c->pace.alpha : 1.0,
                               .steps = c != NULL ? c->pace.steps : 0,
                               .valid = (double)NAN,
                               .gain = (double)NAN,
                               .error = (double)NAN };
}

void peck_rules_trial_name(const peck_rules_trial *t, char *name, size_t size)
{
    if (!(t->weight > 0.0))
        snprintf(name, size, "none");
    else if (t->steps == 0)
        snprintf(name, size, "weight=%g,alpha=%g,labels=own-orders", t->weight, t->alpha);
    else
        snprintf(name, size, "weight=%g,alpha=%g,steps=%zu", t->weight, t->alpha, t->steps);
}

static void tell_of_trial(struct training_run *t, const peck_rules_trial *trial)
{
    if (trial->is_best)
        peck_rules_trial_name(trial, t->rules_taken, sizeof t->rules_taken);
    if (t->spec->weighed != NULL)
        t->spec->weighed(t->spec->ctx, trial);
}

/* Notes what was taken by the word of the labels, where nothing could be tried. */
static void tell_of_no_trial(struct training_run *t, int choice)
{
    peck_rules_trial trial = trial_of(choice);

    trial.is_best = 1;
    text_add_str(&t->rule_trials,
                 choice == NONE ? "none, and no rules" : "none; the labels keep the rules");
    tell_of_trial(t, &trial);
}

/* Notes what a trial came to, and tells whoever asked. */
static void tell_of_rules(struct training_run *t, int choice, double valid,
                          struct rules_gain g, bool is_best, bool is_split)
{
    const bool is_error = t->valid_prefs == NULL && t->metric.item[0].metric->is_error;
    const struct rules_choice *const c = choice != NONE ? &CHOICES[choice] : NULL;
    peck_rules_trial trial = trial_of(choice);

    trial.valid = is_error ? -valid : valid;
    trial.gain = choice != NONE ? g.gain : 0.0;
    trial.error = choice != NONE ? g.error : 0.0;
    trial.is_best = is_best;
    trial.is_split = is_split;
    if (c == NULL)
        text_printf(&t->rule_trials, "%swithout rules %.6g", is_split ? "by halves: " : "",
                    trial.valid);
    else {
        text_printf(&t->rule_trials, "; weight %g, alpha %g, ", c->weight, c->pace.alpha);
        if (choice == BY_ORDERS)
            text_add_str(&t->rule_trials, "labels by the model's own orders");
        else
            text_printf(&t->rule_trials, "steps %zu", c->pace.steps);
        text_printf(&t->rule_trials, ": %.6g, gain %.6g, error %.6g", trial.valid, g.gain,
                    g.error);
    }
    tell_of_trial(t, &trial);
}

/* Whether the labels keep the rules that count more often than chance does; they are silent
 * where there are none, or chance breaks no rule. */
static enum labels_say ask_labels(const struct training_run *t,
                                  const struct rule_truth *truth)
{
    double broken = 0.0, by_chance = 0.0;

    for (size_t i = 0; i < rules_count(t->spec->rules); i++)
        if (t->rule_weight[i] > 0.0) {
            broken += truth[i].broken;
            by_chance += truth[i].broken_by_chance;
        }
    return !(by_chance > 0.0)                  ? LABELS_SILENT
           : broken <= MOST_BROKEN * by_chance ? LABELS_KEEP
                                               : LABELS_DENY;
}

static bool is_gain(struct rules_gain g, enum labels_say labels)
{
    const double sure = labels == LABELS_KEEP ? SURE : VERY_SURE;

    if (g.n < MANY && labels != LABELS_SILENT)
        return labels == LABELS_KEEP && g.gain > 0.0;
    return g.gain > 0.0 && g.gain > sure * g.error;
}

/* One training as it is was asked for: the run of a trial is the model's. */
static bool is_asked_for(const struct training_run *t)
{
    return t->n_members == 1 && t->spec->checkpoint == NULL;
}

void labels_of_order(const uint32_t *order, size_t n, float highest, float *label)
{
    for (size_t place = 0; place < n; place++) {
        size_t within = 0;

        for (size_t k = 0; k < N_FIRST; k++)
            within += place < FIRST[k];
        label[order[place]] = highest * (float)within / (float)N_FIRST;
    }
}

/* Labels for the unlabelled queries of the data at hand, by the orders of its run that keep the
 * rules: taught. */
static peck_status label_by_orders(struct training_run *t, peck_error *err)
{
    const struct peck_dataset *const d = t->joined;
    const struct train_set *const set = t->train_data.train_set;
    const struct peck_model m = { .family = t->plan.recipe->family,
                                  .shape = t->plan.shape,
                                  .w = (float *)run_member(t->run, 0).w,
                                  .n_weights = t->plan.n_weights,
                                  .n_members = 1,
                                  .norm = t->train_data.norm };
    const size_t n_labelled = t->train->n_docs;
    const char *const what = "labels by orders";
    struct arena a = { 0 };
    double *const score = arena_new(&a, what, d->n_docs, sizeof *score);
    float *const label = arena_new(&a, what, d->n_docs, sizeof *label);
    uint32_t *const order = arena_new(&a, what, set->max_docs, sizeof *order);
    float highest = 0.0f;
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = peck_model_score(&m, d, pool_size(t->pool), score, err);
    for (size_t i = 0; st == PECK_OK && i < n_labelled; i++) {
        label[i] = d->label[i];
        highest = label[i] > highest ? label[i] : highest;
    }
    for (size_t q = t->train->n_queries; st == PECK_OK && q < d->n_queries; q++) {
        st = rule_scope_order(t->train_data.rule_scope, q, t->rule_weight, score, order,
                              err);
        if (st == PECK_OK)
            labels_of_order(order, dataset_query_size(d, q), highest, label + d->start[q]);
    }
    if (st == PECK_OK)
        st = dataset_with_labels(&t->taught, d, label, err);
    arena_free(&a);
    return st;
}

/* One more trial, with labels by orders of the best one so far, whose plan, data and run are at
 * hand.  Few labelled queries are soon known by heart, and then nothing holds what else orders
 * documents while strong rules pull; labels everywhere do.  What is better is afterwards. */
static peck_status try_orders(struct training_run *t, enum labels_say labels,
                              const struct trial_values *without, struct trial_values *with,
                              double most, int *chosen, peck_error *err)
{
    double total;

    TRY(label_by_orders(t, err));
    struct set_aside before = put_rules_aside(t);
    peck_status st = prepare(t, false, err);

    with->n = 0;
    if (st == PECK_OK)
        st = try_choice(t, BY_ORDERS, false, with, &total, err);
    if (st == PECK_OK) {
        const struct rules_gain g = gain_over(with, without);
        const bool is_best = is_gain(g, labels) && g.gain > most;

        tell_of_rules(t, BY_ORDERS, total, g, is_best, false);
        *chosen = is_best ? BY_ORDERS : *chosen;
    }
    if (*chosen != BY_ORDERS) {
        struct set_aside worse = put_rules_aside(t);

        forget_aside(&worse);
        peck_dataset_free(t->taught);
        t->taught = NULL;
        take_rules_back(t, &before);
    }
    forget_aside(&before);
    return st;
}

/* Trains with rules, a choice after the other; plan and data with rules are at hand.  *chosen: the
 * one that gains most for sure (*most), or NONE; its run is at hand afterwards, where there is
 * none that of the one that gains most. */
static peck_status try_choices(struct training_run *t, enum labels_say labels,
                               const struct trial_values *without,
                               struct trial_values *with, int *chosen, double *most,
                               peck_error *err)
{
    struct run *best = NULL;
    double largest = 0.0, total; /* gain of best */
    peck_status st = PECK_OK;

    *chosen = NONE;
    *most = 0.0;
    for (int i = 0; st == PECK_OK && i < BY_ORDERS; i++) {
        with->n = 0;
        st = try_choice(t, i, false, with, &total, err);
        if (st != PECK_OK)
            break;
        const struct rules_gain g = gain_over(with, without);
        const bool is_best = is_gain(g, labels) && g.gain > *most;

        tell_of_rules(t, i, total, g, is_best, false);
        if (!is_best && (*chosen != NONE || !(g.gain > largest)))
            continue;
        run_free(best);
        best = t->run;
        t->run = NULL;
        largest = g.gain;
        if (is_best) {
            *chosen = i;
            *most = g.gain;
        }
    }
    run_free(t->run);
    t->run = best;
    return st;
}

/* The choice that is best on the validation data.  Plan and data with rules are at hand; what
 * was chosen is afterwards, with its run. */
static peck_status choose_on_validation(struct training_run *t, enum labels_say labels,
                                        int *chosen, peck_error *err)
{
    const size_t n = t->valid->n_queries;
    struct arena a = { 0 };
    struct trial_values without = { arena_new(&a, "trials of rules", n, sizeof(double)),
                                    0 },
                        with = { arena_new(&a, "trials of rules", n, sizeof(double)), 0 };
    struct set_aside ruled = put_rules_aside(t), plain;
    double total, most = 0.0;
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = prepare(t, true, err);
    if (st == PECK_OK)
        st = try_choice(t, NONE, false, &without, &total, err);
    /* Who stops a trial keeps the best of those before it, or what the first has reached. */
    *chosen = NONE;
    if (st == PECK_OK)
        tell_of_rules(t, NONE, total, (struct rules_gain){ 0.0, 0.0, 0 }, true, false);
    plain = put_rules_aside(t);
    take_rules_back(t, &ruled);
    t->leaves_rules = false;
    if (st == PECK_OK && t->size == NULL && plan_has_ruled(&t->plan)) {
        ruled = put_rules_aside(t);
        forget_aside(&ruled);
        t->is_ruled = true;
        st = prepare(t, false, err);
    }
    if (st == PECK_OK)
        st = try_choices(t, labels, &without, &with, chosen, &most, err);
    if (st == PECK_OK && t->run != NULL && t->joined != NULL && t->prefs == NULL &&
        (*chosen != NONE || labels == LABELS_KEEP))
        st = try_orders(t, labels, &without, &with, most, chosen, err);
    if (*chosen == NONE) { /* its plan and data are its own */
        ruled = put_rules_aside(t);
        forget_aside(&ruled);
        take_rules_back(t, &plain);
        t->leaves_rules = true;
    }
    forget_aside(&plain);
    arena_free(&a);
    if (st != PECK_STOPPED || !is_asked_for(t) || t->run == NULL)
        return st;
    t->outcome = st;
    return PECK_OK;
}

/* The same by halves of the labelled queries, with the lightest choice or none, as nobody will
 * say when to stop.  Nor will anybody see what became of it, so with a FEW queries a gain within
 * its noise is none, whatever the labels say.  Plan and data with rules are at hand, there and
 * afterwards, unless there is to be none. */
static peck_status choose_by_halves(struct training_run *t, enum labels_say labels,
                                    int *chosen, peck_error *err)
{
    const struct peck_dataset *const train = t->train;
    const struct peck_prefs *const prefs = t->prefs;
    struct peck_dataset *const joined = t->joined;
    struct set_aside ruled = put_rules_aside(t);
    struct holdout half = { 0 };
    struct arena a = { 0 };
    const size_t n = train->n_queries;
    struct trial_values without = { arena_new(&a, "trials of rules", n, sizeof(double)),
                                    0 },
                        with = { arena_new(&a, "trials of rules", n, sizeof(double)), 0 };
    double total, sum[2] = { 0.0, 0.0 };
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = holdout_take(&half, train, prefs, 0.5, t->spec->seed, err);
    for (int side = 0; st == PECK_OK && side < 2; side++) {
        t->train = side == 0 ? half.kept : half.held;
        t->valid = side == 0 ? half.held : half.kept;
        t->prefs = side == 0 ? half.kept_prefs : half.held_prefs;
        t->valid_prefs = side == 0 ? half.held_prefs : half.kept_prefs;
        for (int k = 0; st == PECK_OK && k < 2; k++) {
            struct set_aside done;

            t->joined = NULL;
            st = prepare(t, k == 0, err);
            if (st == PECK_OK)
                st = try_choice(t, k == 0 ? NONE : LIGHT, true, k == 0 ? &without : &with,
                                &total, err);
            sum[k] += st == PECK_OK ? total * (double)t->valid->n_queries / (double)n : 0.0;
            done = put_rules_aside(t);
            forget_aside(&done);
            peck_dataset_free(t->joined);
        }
    }
    t->train = train;
    t->prefs = prefs;
    t->valid = NULL;
    t->valid_prefs = NULL;
    t->joined = joined;
    t->leaves_rules = false;
    take_rules_back(t, &ruled);
    holdout_free(&half);
    if (st == PECK_OK) {
        const struct rules_gain g = gain_over(&with, &without);

        *chosen =
            is_gain(g, labels) && (g.n >= FEW || g.gain > SURE * g.error) ? LIGHT : NONE;
        tell_of_rules(t, NONE, sum[0], g, true, true);
        tell_of_rules(t, LIGHT, sum[1], g, *chosen == LIGHT, true);
    }
    arena_free(&a);
    return st == PECK_OK && *chosen == NONE ? leave_rules(t, err) : st;
}

/* Names the rules that the labels deny; where weights are found, those get none. */
static peck_status judge_by_labels(struct training_run *t, bool finds_weights,
                                   enum labels_say *labels, peck_error *err)
{
    const struct peck_rules *const r = t->spec->rules;
    const size_t n = rules_count(r);
    struct rule_truth *const truth = mem_new(n, sizeof *truth);
    peck_status st =
        truth != NULL ? PECK_OK : fail_memory(err, "rules beside labels", n, sizeof *truth);

    if (st == PECK_OK && t->prefs == NULL)
        st = rule_truth_add(truth, r, t->train, t->spec->seed, err);
    if (st == PECK_OK && t->valid != NULL && t->valid_prefs == NULL)
        st = rule_truth_add(truth, r, t->valid, t->spec->seed, err);
    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        const bool is_left_out = finds_weights && rule_truth_is_false(&truth[i]);

        if (!(t->rule_weight[i] > 0.0) || !rule_truth_is_doubtful(&truth[i]))
            continue;
        training_warn(
            t,
            "the rule '%.*s' is broken by the labels in %zu of %zu labelled queries "
            "(a random order: %.1f)%s",
            SPAN_ARGS(rules_name(r, i)), truth[i].n_broken, truth[i].n_spoken,
            truth[i].by_chance,
            is_left_out ? ": it is left out; --rules-weight X takes it all the same" : "");
        if (is_left_out)
            t->rule_weight[i] = 0.0;
    }
    if (st == PECK_OK)
        *labels = ask_labels(t, truth);
    mem_free(truth);
    return st;
}

/* Whether a rule is left that counts. */
static bool has_rule(const struct training_run *t)
{
    for (size_t i = 0; i < rules_count(t->spec->rules); i++)
        if (t->rule_weight[i] > 0.0)
            return true;
    return false;
}

peck_status training_find_rules(struct training_run *t, bool finds_weights, peck_error *err)
{
    const size_t n = rules_count(t->spec->rules);
    const bool had_rule = has_rule(t);
    enum labels_say labels;
    int chosen = NONE;

    TRY(judge_by_labels(t, finds_weights, &labels, err));
    if (!finds_weights)
        return PECK_OK;
    text_init(&t->rule_trials, LONGEST_TRIALS);
    if (has_rule(t) && t->valid != NULL)
        TRY(choose_on_validation(t, labels, &chosen, err));
    else if (has_rule(t) && t->train_data.train_set->n_teaching >= 2)
        TRY(choose_by_halves(t, labels, &chosen, err));
    else { /* nothing can be tried */
        chosen = has_rule(t) && labels == LABELS_KEEP ? LIGHT : NONE;
        tell_of_no_trial(t, chosen);
        if (chosen == NONE && had_rule)
            TRY(leave_rules(t, err));
    }
    t->rule_pace = chosen != NONE ? CHOICES[chosen].pace : (struct rule_pace){ 0 };
    for (size_t i = 0; i < n; i++)
        t->rule_weight[i] *= chosen != NONE ? CHOICES[chosen].weight : 0.0;
    if (!is_asked_for(t) && t->run != NULL) {
        run_free(t->run);
        t->run = NULL;
    }
    return t->rule_trials.failed ? fail_memory(err, "notes", 1, LONGEST_TRIALS) : PECK_OK;
}
