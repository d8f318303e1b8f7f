/* test_train_rules.c -- training with rules, from the outside. */
#include "train/train.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"
#include "support/train_setup.h"

#include <math.h>

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

#define SPORT                                                                       \
    "sport: forall q | q.topic_sport > 0 : exists d : top(3, d) and d.topic_sport " \
    "> 0\n"
#define FOOD \
    "food: forall q | q.topic_food > 0 : exists d : top(3, d) and d.topic_food > 0\n"
#define TAUTOLOGY "always: forall q, d : top(3, d) or not top(3, d)\n"

static peck_rules *rules_of(const char *text)
{
    peck_rules *r = NULL;
    peck_error err = { 0 };

    assert_ok(peck_rules_read(&r, scratch_file("a.rules", text), &err), err);
    return r;
}

static peck_model *must_train(peck_train_spec spec)
{
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_ok(peck_train(&m, &spec, &err), err);
    return m;
}

static bool same_weights(const peck_model *a, const peck_model *b)
{
    return a->n_weights == b->n_weights &&
           memcmp(a->w, b->w, a->n_weights * sizeof *a->w) == 0;
}

/* A text of one's own. */
static char *span_text(peck_span s)
{
    char *const text = calloc(s.n + 1, 1);

    assert_non_null(text);
    memcpy(text, s.s, s.n);
    return text;
}

/* The share of queries that break a rule. */
static double broken(const peck_model *m, const peck_rules *r, const peck_dataset *d)
{
    double *const score = calloc(d->n_docs, sizeof *score);
    peck_report *report = NULL;
    peck_error err = { 0 };

    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    assert_ok(peck_rules_evaluate(&report, r, d, score, &err), err);
    const double share = peck_report_value(report, "broken_share");

    peck_report_free(report);
    free(score);
    return share;
}

static void rules_are_learnt_from_queries_without_labels(void **state)
{
    peck_dataset *const train = topic_task("queries=4", 1),
                        *const more = topic_task("queries=600", 2),
                        *const test = topic_task("queries=300", 3);
    peck_rules *const rules = rules_of(SPORT FOOD);
    peck_train_spec spec = { .settings = SETTINGS("epochs=100"),
                             .train = train,
                             .unlabelled = more,
                             .valid_split = -1,
                             .threads = 1 };
    peck_model *const without = must_train(spec);

    (void)state;
    spec.rules = rules;
    spec.rules_weight = 3.0;
    peck_model *const with = must_train(spec);

    assert_true(broken(with, rules, test) < 0.7 * broken(without, rules, test));
    assert_true(model_quality(with, test) > model_quality(without, test));
    peck_model_free(with);
    peck_model_free(without);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(test);
}

/* A model whose labels say nothing of a feature, because it is constant there. */
static void features_that_are_constant_among_the_labelled_count(void **state)
{
    static const uint32_t size[] = { 4, 4, 4, 4 };
    static const float label[] = { 0, 1, 0, 2, 1, 0, 0, 1, 0, 2, 1, 0, 0, 0, 1, 2 };
    peck_dataset *const train = task_of(size, 4, 2, label, 1), *const more = task_of(
                                                                   size, 4, 2, NULL, 2);
    peck_rules *const rules = rules_of("a: exists d : top(1, d) and d.f2 > 0\n");

    (void)state;
    for (size_t i = 0; i < train->n_docs; i++)
        train->x_owned[2 * i + 1] = 0.0f;
    for (size_t i = 0; i < more->n_docs; i++)
        more->x_owned[2 * i + 1] = i % 4 == 1 ? 1.0f : 0.0f;
    peck_model *const m = must_train(
        (peck_train_spec){ .settings = SETTINGS("norm=zscore", "epochs=200", "dropout=0"),
                           .train = train,
                           .unlabelled = more,
                           .rules = rules,
                           .rules_weight = 5.0,
                           .threads = 1 });

    assert_true(broken(m, rules, more) < 0.3);
    peck_model_free(m);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
}

/* The same with those of a few settings, for a short training, that the method has. */
static peck_model *must_train_briefly(peck_train_spec spec)
{
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_ok(train_method(&m, spec.method, spec,
                           SETTINGS("epochs=2", "max_iter=2", "trees=5"), &err),
              err);
    return m;
}

/* For each method that goes down a gradient. */
static void every_gradient_trained_method_takes_rules(void **state)
{
    peck_dataset *const train = topic_task("queries=12", 1), *const more = topic_task(
                                                                 "queries=20", 2);
    peck_rules *const rules = rules_of(SPORT), *const always = rules_of(TAUTOLOGY);
    size_t n_taking = 0;

    (void)state;
    for (size_t i = 0; i < n_recipes; i++) {
        const struct recipe *const r = (const struct recipe *)recipes[i];
        peck_train_spec spec = { .method = recipes[i]->about.name,
                                 .train = train,
                                 .unlabelled = more,
                                 .threads = 1 };
        peck_error err = { 0 };
        peck_model *m = NULL;

        if (!recipe_takes_rules(r)) {
            spec.rules = rules;
            assert_int_equal(peck_train(&m, &spec, &err), PECK_ARG);
            assert_failed(err, PECK_ARG, "it cannot use rules");
            continue;
        }
        peck_model *const without = must_train_briefly(spec);

        spec.rules = always;
        peck_model *const idle = must_train_briefly(spec);

        spec.rules = rules;
        spec.rules_weight = 1.0;
        peck_model *const with = must_train_briefly(spec);

        if (!same_weights(without, idle) || same_weights(without, with))
            fail_msg("%s: a tautology changes weights, or a rule does not", spec.method);
        n_taking++;
        peck_model_free(with);
        peck_model_free(idle);
        peck_model_free(without);
    }
    assert_true(n_taking >= 11);
    peck_rules_free(rules);
    peck_rules_free(always);
    peck_dataset_free(train);
    peck_dataset_free(more);
}

static int stop_at_three(void *ctx, const peck_epoch *e)
{
    (void)ctx;
    return e->epoch == 3;
}

/* weight 0: found by trials. */
static void assert_same_bytes(double weight)
{
    peck_dataset *const train = topic_task("queries=12", 1), *const more = topic_task(
                                                                 "queries=90", 2);
    peck_rules *const rules = rules_of(SPORT FOOD);
    peck_train_spec spec = { .settings = SETTINGS("epochs=6", "rules_batch=16"),
                             .train = train,
                             .unlabelled = more,
                             .rules = rules,
                             .rules_weight = weight,
                             .threads = 1 };
    peck_model *const one = must_train(spec);

    for (int threads = 2; threads <= 3; threads++) {
        spec.threads = threads;
        peck_model *const other = must_train(spec);

        assert_true(same_weights(one, other));
        peck_model_free(other);
    }
    peck_model *stopped = NULL;

    (void)remove(scratch_path("rules.checkpoint"));
    spec.checkpoint = scratch_path("rules.checkpoint");
    spec.progress = stop_at_three;
    assert_int_equal(peck_train(&stopped, &spec, NULL), PECK_STOPPED);
    peck_model_free(stopped);
    spec.progress = NULL;
    spec.resume = 1;
    peck_model *const resumed = must_train(spec);

    assert_true(same_weights(one, resumed));
    peck_model_free(resumed);
    peck_model_free(one);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
}

static void the_same_bytes_on_any_number_of_threads_and_after_a_stop(void **state)
{
    (void)state;
    assert_same_bytes(1.0);
    assert_same_bytes(0.0);
}

/* What the callbacks heard. */
struct heard {
    size_t n_epochs, n_warnings, n_gains, n_trials;
    peck_rules_trial trial[8];
    char warning[512];
    peck_rule_gain gain[4];
    char name[4][32];
};

static int hear_epoch(void *ctx, const peck_epoch *e)
{
    (void)e;
    ((struct heard *)ctx)->n_epochs++;
    return 0;
}

static void hear_warning(void *ctx, const char *text)
{
    struct heard *const h = ctx;

    h->n_warnings++;
    snprintf(h->warning, sizeof h->warning, "%s", text);
}

static void hear_gain(void *ctx, const peck_rule_gain *g)
{
    struct heard *const h = ctx;

    h->gain[h->n_gains] = *g;
    snprintf(h->name[h->n_gains++], sizeof h->name[0], "%s", g->rule);
}

static void hear_trial(void *ctx, const peck_rules_trial *t)
{
    struct heard *const h = ctx;

    assert_true(h->n_trials < N_OF(h->trial));
    h->trial[h->n_trials++] = *t;
}

static peck_train_spec spec_by_default(const peck_dataset *train, const peck_dataset *more,
                                       const peck_rules *rules, struct heard *h)
{
    return (peck_train_spec){ .size = sizeof(peck_train_spec),
                              .train = train,
                              .unlabelled = more,
                              .rules = rules,
                              .threads = 1,
                              .progress = hear_epoch,
                              .warn = hear_warning,
                              .weighed = hear_trial,
                              .ctx = h };
}

/* Nobody says how much they count: trials find out. */
static void true_rules_help_by_themselves(void **state)
{
    peck_dataset *const train = topic_task("queries=4", 1),
                        *const more = topic_task("queries=250", 2),
                        *const valid = topic_task("queries=100", 4),
                        *const test = topic_task("queries=150", 3);
    peck_rules *const rules = rules_of(SPORT FOOD);
    struct heard h = { 0 };
    peck_train_spec spec = spec_by_default(train, more, rules, &h);

    (void)state;
    spec.valid = valid;
    peck_model *const with = must_train(spec);
    const peck_span trials = notes_get(&with->notes, "rule trials");
    size_t best = 0;

    assert_int_equal(h.n_trials, 6);
    assert_int_equal(h.n_warnings, 0);
    assert_true(h.trial[0].weight == 0.0 && h.trial[0].is_best && !h.trial[0].is_split);
    for (size_t i = 1; i < 6; i++) {
        assert_true(fabs(h.trial[i].valid - h.trial[0].valid - h.trial[i].gain) < 1e-6);
        best = h.trial[i].is_best ? i : best;
    }
    assert_true(best > 0 && h.trial[best].gain > h.trial[best].error);
    assert_true(trials.n > 0 && memcmp(trials.s, "without rules ", 14) == 0);
    /* the trial's training is the model's, and heard of once */
    assert_int_equal(h.n_epochs, 60);
    spec.rules = NULL;
    spec.unlabelled = NULL;
    peck_model *const without = must_train(spec);

    assert_true(model_quality(with, test) > model_quality(without, test) + 0.01);
    assert_true(broken(with, rules, test) < 0.8 * broken(without, rules, test));
    peck_model_free(with);
    peck_model_free(without);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(valid);
    peck_dataset_free(test);
}

enum { ASKED = 4, COLUMNS = 2 * ASKED + 24 };
#define ABOUT(t, own) \
    "about" t ": forall q | q.f" t " > 0 : exists d : top(3, d) and d.f" own " > 0\n"

/* 20 documents a query.  Which of four topics it asks for, which a document has, if any, eight
 * weak signs of quality and 16 columns of noise; labels are by quality and topic. */
static peck_dataset *topical_task(size_t n_queries, uint64_t seed)
{
    enum { N = 20, SIGNS = 8 };
    uint32_t size[600];

    for (size_t q = 0; q < n_queries; q++)
        size[q] = N;
    peck_dataset *const d = task_of(size, n_queries, COLUMNS, NULL, seed);

    for (size_t i = 0; i < d->n_docs; i++) {
        float *const x = d->x_owned + i * COLUMNS;
        const size_t asked = i / N % ASKED, own = (size_t)(fabsf(x[1]) * 1e4f) % 12;
        const float quality = x[0];

        d->label[i] = (float)((quality > 0.8f) + (quality > 1.6f) + 2 * (asked == own));
        for (size_t k = 0; k < ASKED; k++) {
            x[k] = k == asked ? 1.0f : 0.0f;
            x[ASKED + k] = k == own ? 1.0f : 0.0f;
        }
        for (size_t k = 0; k < SIGNS; k++)
            x[2 * ASKED + k] += 0.7f * quality;
    }
    return d;
}

/* Few labels are known by heart while strong rules pull; labels by the orders of the best model
 * so far hold what else orders documents, and the rules are kept. */
static void labels_by_its_own_orders_let_a_model_keep_rules(void **state)
{
    peck_dataset *const train = topical_task(4, 1), *const more = topical_task(400, 2),
                        *const valid = topical_task(100, 3),
                        *const test = topical_task(200, 4);
    peck_rules *const rules =
        rules_of(ABOUT("1", "5") ABOUT("2", "6") ABOUT("3", "7") ABOUT("4", "8"));
    struct heard h = { 0 };
    peck_train_spec spec = spec_by_default(train, more, rules, &h);

    (void)state;
    spec.valid = valid;
    peck_model *const with = must_train(spec);
    char *const trials = span_text(notes_get(&with->notes, "rule trials"));
    char *const taken = span_text(notes_get(&with->notes, "rules"));

    assert_int_equal(h.n_trials, 6);
    assert_true(h.trial[5].weight == 1.0 && h.trial[5].alpha == 3.0);
    assert_true(h.trial[5].steps == 0 && h.trial[5].is_best);
    assert_non_null(
        strstr(trials, "; weight 1, alpha 3, labels by the model's own orders: "));
    assert_non_null(
        strstr(taken, "labels of unlabelled queries by the model's own orders"));
    free(trials);
    free(taken);
    spec.rules = NULL;
    spec.unlabelled = NULL;
    peck_model *const without = must_train(spec);

    assert_true(broken(with, rules, test) < broken(without, rules, test) / 3.0);
    assert_true(model_quality(with, test) > model_quality(without, test) + 0.06);

    /* The same bytes at any thread count; an ensemble learns from the same labels, its first
     * member the same. */
    spec.rules = rules;
    spec.unlabelled = more;
    spec.weighed = NULL;
    for (int threads = 2; threads <= 5; threads += 3) {
        spec.threads = threads;
        peck_model *const other = must_train(spec);

        assert_true(same_weights(with, other));
        peck_model_free(other);
    }
    spec.ensemble = 2;
    peck_model *const two = must_train(spec);

    assert_int_equal(two->n_members, 2);
    assert_true(same_weights(with, two));
    peck_model_free(two);

    /* Without unlabelled queries there is nothing to order. */
    spec.ensemble = 1;
    spec.unlabelled = NULL;
    spec.weighed = hear_trial;
    h.n_trials = 0;
    peck_model_free(must_train(spec));
    assert_int_equal(h.n_trials, 5);
    peck_model_free(with);
    peck_model_free(without);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(valid);
    peck_dataset_free(test);
}

/* Where labels are few, nets are held down and trees are small; for labels by their own orders
 * they have other settings, and the model tells of them. */
static void labels_by_their_own_orders_help_every_kind_of_method(void **state)
{
    static const struct {
        const char *method, *setting;
    } tried[] = { { "directranker", " delta=ndcg " },
                  { "ranknet", " decay=0.1 " },
                  { "lambdamart", " leaves=63 " } };
    peck_dataset *const train = topical_task(4, 1), *const more = topical_task(400, 2),
                        *const valid = topical_task(100, 3),
                        *const test = topical_task(200, 4);
    peck_rules *const rules =
        rules_of(ABOUT("1", "5") ABOUT("2", "6") ABOUT("3", "7") ABOUT("4", "8"));

    (void)state;
    for (size_t i = 0; i < N_OF(tried); i++) {
        struct heard h = { 0 };
        peck_train_spec spec = spec_by_default(train, more, rules, &h);

        spec.method = tried[i].method;
        spec.valid = valid;
        peck_model *const with = must_train(spec);
        char *const settings = span_text(notes_get(&with->notes, "settings"));

        assert_int_equal(h.n_trials, 6);
        assert_true(h.trial[5].is_best);
        assert_non_null(strstr(settings, tried[i].setting));
        free(settings);
        spec.rules = NULL;
        spec.unlabelled = NULL;
        peck_model *const without = must_train(spec);

        assert_true(broken(with, rules, test) < broken(without, rules, test) / 3.0);
        assert_true(model_quality(with, test) > model_quality(without, test) + 0.06);
        peck_model_free(with);
        peck_model_free(without);
    }
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(valid);
    peck_dataset_free(test);
}

/* No rule gains for sure, so that none of the first trials is taken; but the labels keep the rule:
 * the last trial is made, and its gain decides. */
static void where_labels_keep_the_rules_a_small_gain_is_followed_up(void **state)
{
    const struct {
        size_t n_labelled;
        const char *const *settings;
        bool is_taken;
    } tried[] = {
        { 12, NULL, true },
        /* a linear model has nothing to gain from rules that say what goes with what */
        { 40, SETTINGS("epochs=40", "hidden=0", "dropout=0", "rate=0.02"), false },
    };
    peck_dataset *const more[] = { topical_task(100, 12), topical_task(20, 12) },
                        *const valid = topical_task(60, 13);
    peck_rules *const rules = rules_of(
        "about1: forall q | q.f1 > 0 : exists d : top(3, d) and d.f5 > 0 weight 0.003\n");

    (void)state;
    for (size_t i = 0; i < N_OF(tried); i++) {
        peck_dataset *const train = topical_task(tried[i].n_labelled, 11);
        struct heard h = { 0 };
        peck_train_spec spec = spec_by_default(train, more[i], rules, &h);

        spec.settings = tried[i].settings;
        spec.valid = valid;
        peck_model *const with = must_train(spec);

        assert_int_equal(h.n_trials, 6);
        for (size_t k = 1; k < 5; k++)
            assert_true(!h.trial[k].is_best && h.trial[k].gain < h.trial[k].error);
        assert_int_equal(h.trial[5].is_best, tried[i].is_taken);
        spec.rules = NULL;
        spec.unlabelled = NULL;
        peck_model *const without = must_train(spec);

        assert_int_equal(same_weights(with, without), !tried[i].is_taken);
        peck_model_free(with);
        peck_model_free(without);
        peck_dataset_free(train);
        peck_dataset_free(more[i]);
    }
    peck_rules_free(rules);
    peck_dataset_free(valid);
}

static void the_first_places_of_an_order_become_falling_labels(void **state)
{
    static const uint32_t order[] = { 3, 0, 11, 1, 2, 4, 5, 6, 7, 8, 9, 10 };
    static const float by_place[] = { 2.0f, 1.6f, 1.2f, 0.8f, 0.8f, 0.4f,
                                      0.4f, 0.4f, 0.4f, 0.4f, 0.0f, 0.0f };
    float label[N_OF(order)];

    (void)state;
    for (size_t n = 1; n <= N_OF(order); n++) {
        memset(label, -1, sizeof label);
        labels_of_order(order, n, 2.0f, label);
        for (size_t i = 0; i < n; i++)
            assert_true(fabsf(label[order[i]] - by_place[i]) < 1e-6f);
    }
}

/* Rules that the labels deny are named, and change nothing; unless they are insisted on. */
static void false_rules_do_no_harm(void **state)
{
    peck_dataset *const train = topic_task("queries=40", 1), *const more = topic_task(
                                                                 "queries=100", 2);
    peck_rules *const rules =
        rules_of("wrong: forall q | q.topic_sport > 0 : forall d : top(3, d) implies "
                 "d.topic_sport <= 0\n");
    struct heard h = { 0 };
    peck_train_spec spec = spec_by_default(train, more, rules, &h);

    (void)state;
    peck_model *const with = must_train(spec);

    assert_int_equal(h.n_trials, 1); /* what is taken, without a trial */
    assert_true(h.trial[0].is_best && h.trial[0].weight == 0.0 && isnan(h.trial[0].valid));
    assert_int_equal(h.n_warnings, 1);
    assert_non_null(strstr(h.warning, "the rule 'wrong' is broken by the labels in "));
    assert_non_null(strstr(h.warning, "it is left out"));
    spec.rules_weight = 1.0;
    peck_model *const insisted = must_train(spec);

    assert_int_equal(h.n_warnings, 2);
    assert_null(strstr(h.warning, "left out"));
    spec.rules = NULL;
    spec.unlabelled = NULL;
    peck_model *const without = must_train(spec);

    assert_true(same_weights(with, without));
    assert_false(same_weights(insisted, without));
    peck_model_free(with);
    peck_model_free(insisted);
    peck_model_free(without);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
}

/* Labels that say nothing of the rule: it is tried, and what it gains is noise. */
static void what_gains_nothing_is_not_taken(void **state)
{
    peck_dataset *const train = topic_task("queries=40", 1),
                        *const more = topic_task("queries=100", 2),
                        *const valid = topic_task("queries=60", 4);
    peck_rules *const rules =
        rules_of("noise: forall d : top(1, d) implies d.match_title_1 < 0    weight 30\n");
    struct heard h = { 0 };
    peck_train_spec spec = spec_by_default(train, more, rules, &h);

    (void)state;
    spec.valid = valid;
    spec.rules_weight = 0.0;
    peck_model *const with = must_train(spec);

    for (size_t i = 1; i < h.n_trials; i++)
        assert_false(h.trial[i].is_best);
    spec.rules = NULL;
    spec.unlabelled = NULL;
    peck_model *const without = must_train(spec);

    assert_true(same_weights(with, without));
    peck_model_free(with);
    peck_model_free(without);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(valid);
}

/* Two columns; the labels of the first n_other queries are by the second, those of the others
 * by the first. */
static peck_dataset *task_of_two_minds(size_t n_queries, size_t n_other, uint64_t seed)
{
    uint32_t size[40];

    for (size_t q = 0; q < n_queries; q++)
        size[q] = 10;
    peck_dataset *const d = task_of(size, n_queries, 2, NULL, seed);

    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = d->x_owned[2 * i + (i / 10 < n_other)] > 0.0f ? 1.0f : 0.0f;
    return d;
}

/* Eight validation queries are for a rule, the labels of sixteen others say that it is no
 * better than chance: they are more. */
static void a_gain_on_few_queries_does_not_outdo_the_labels(void **state)
{
    peck_dataset *const train = task_of_two_minds(16, 16, 1),
                        *const more = task_of_two_minds(40, 0, 2),
                        *const valid = task_of_two_minds(8, 0, 3);
    peck_rules *const rules =
        rules_of("first: forall d : top(1, d) implies d.f1 > 0    weight 20\n");
    struct heard h = { 0 };
    peck_train_spec spec = spec_by_default(train, more, rules, &h);

    (void)state;
    spec.valid = valid;
    peck_model_free(must_train(spec));
    assert_int_equal(h.n_trials, 5);
    assert_true(h.trial[2].gain > 2.0 * h.trial[2].error);
    for (size_t i = 1; i < h.n_trials; i++)
        assert_false(h.trial[i].is_best);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(valid);
}

static void without_validation_data_halves_of_the_labelled_queries_judge(void **state)
{
    peck_dataset *const train = topic_task("queries=8", 1), *const more = topic_task(
                                                                "queries=200", 2);
    peck_rules *const rules = rules_of(SPORT FOOD);
    struct heard h = { 0 };
    peck_train_spec spec = spec_by_default(train, more, rules, &h);

    (void)state;
    peck_model *const with = must_train(spec);

    assert_int_equal(h.n_trials, 2);
    assert_true(h.trial[0].is_split && h.trial[1].is_split && h.trial[1].weight < 1.0);
    spec.rules = NULL;
    spec.unlabelled = NULL;
    peck_model *const without = must_train(spec);

    assert_true(same_weights(with, without) == !h.trial[1].is_best);
    peck_model_free(with);
    peck_model_free(without);
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
}

/* The labels keep these rules, but nobody sees what becomes of them. */
static void a_gain_of_halves_within_its_noise_is_none(void **state)
{
    peck_dataset *const more = topic_task("queries=200", 2);
    peck_rules *const rules = rules_of(SPORT FOOD);
    size_t n_small = 0, n_taken = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        peck_dataset *const train = topic_task("queries=6", seed);
        struct heard h = { 0 };

        peck_model_free(must_train(spec_by_default(train, more, rules, &h)));
        assert_int_equal(h.n_trials, 2);
        const double gain = h.trial[1].gain, error = h.trial[1].error;

        assert_true(!h.trial[1].is_best || gain > error);
        n_small += gain > 0.0 && gain <= error;
        n_taken += h.trial[1].is_best;
        peck_dataset_free(train);
    }
    assert_true(n_small > 0);
    assert_true(n_taken > 0);
    peck_rules_free(rules);
    peck_dataset_free(more);
}

static void what_makes_no_sense_is_told_before_training(void **state)
{
    static const struct {
        const char *rules, *why;
        peck_status status;
    } cases[] = {
        { "no: exists d : top(1, d) and not top(1, d)\n", "contradiction", PECK_FORMAT },
        { "a: exists d : d.topic_sprot > 0\n", "did you mean 'topic_sport'?", PECK_FORMAT },
        { "a: q.age_days > 3\n", "no feature of the query", PECK_FORMAT },
    };
    peck_dataset *const train = topic_task("queries=4", 1);

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct heard heard = { 0 };
        peck_rules *const rules = rules_of(cases[i].rules);
        peck_train_spec spec = {
            .train = train, .rules = rules, .progress = hear_epoch, .ctx = &heard
        };
        peck_model *m = NULL;
        peck_error err = { 0 };

        assert_int_equal(peck_train(&m, &spec, &err), cases[i].status);
        assert_null(m);
        assert_failed(err, cases[i].status, cases[i].why);
        assert_int_equal(heard.n_epochs, 0);
        peck_rules_free(rules);
    }
    peck_dataset_free(train);
}

static void a_rule_that_teaches_nothing_is_warned_of(void **state)
{
    static const struct {
        const char *rules, *why;
    } cases[] = {
        { TAUTOLOGY, "'always' always holds" },
        { "a: forall q | q.topic_sport > 2 : exists d : top(1, d)\n",
          "'a' speaks of no query" },
        { "a: forall d : d.age_days < 100\n", "no ranking can change the rule 'a'" },
    };
    peck_dataset *const train = topic_task("queries=4", 1);

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct heard heard = { 0 };
        peck_rules *const rules = rules_of(cases[i].rules);
        peck_model *const m =
            must_train((peck_train_spec){ .settings = SETTINGS("epochs=1"),
                                          .train = train,
                                          .rules = rules,
                                          .threads = 1,
                                          .warn = hear_warning,
                                          .ctx = &heard });

        assert_int_equal(heard.n_warnings, 1);
        assert_non_null(strstr(heard.warning, cases[i].why));
        peck_model_free(m);
        peck_rules_free(rules);
    }
    peck_dataset_free(train);
}

static void weights_are_found_by_what_each_rule_gains(void **state)
{
    peck_dataset *const train = topic_task("queries=4", 1),
                        *const more = topic_task("queries=300", 2),
                        *const valid = topic_task("queries=100", 3);
    peck_rules *const rules = rules_of(
        SPORT "wrong: forall d : top(2, d) implies d.match_title_1 < 7 weight 9\n" FOOD
              "half: forall d : top(1, d) implies d.age_days < 365 weight 0.5\n");
    struct heard h = { 0 };
    peck_train_spec spec = { .settings = SETTINGS("epochs=15"),
                             .train = train,
                             .unlabelled = more,
                             .valid = valid,
                             .rules = rules,
                             .rules_weight = -1,
                             .threads = 2,
                             .gained = hear_gain,
                             .ctx = &h };
    double most = 0.0;

    (void)state;
    peck_model *const m = must_train(spec);

    assert_int_equal(h.n_gains, 4);
    assert_string_equal(h.name[2], "food");
    for (size_t i = 0; i < 4; i++)
        most = fmax(most, h.gain[i].gain);
    assert_true(most > 0.0 && h.gain[1].gain < most);
    for (size_t i = 0; i < 4; i++) {
        const double own = i == 1 ? 9.0 : i == 3 ? 0.5 : 1.0;

        assert_true(fabs(h.gain[i].weight - own * fmax(h.gain[i].gain, 0.0) / most) < 1e-9);
    }
    const peck_span note = notes_get(&m->notes, "rules");

    assert_true(note.n > 0 && memcmp(note.s, "sport ", 6) == 0);
    peck_model_free(m);
    /* without validation data nothing tells what a rule gains */
    peck_error err = { 0 };
    peck_model *none = NULL;

    spec.valid = NULL;
    assert_int_equal(peck_train(&none, &spec, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "validation data");
    peck_rules_free(rules);
    peck_dataset_free(train);
    peck_dataset_free(more);
    peck_dataset_free(valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_learnt_from_queries_without_labels),
        cmocka_unit_test(features_that_are_constant_among_the_labelled_count),
        cmocka_unit_test(every_gradient_trained_method_takes_rules),
        cmocka_unit_test(the_same_bytes_on_any_number_of_threads_and_after_a_stop),
        cmocka_unit_test(true_rules_help_by_themselves),
        cmocka_unit_test(labels_by_its_own_orders_let_a_model_keep_rules),
        cmocka_unit_test(labels_by_their_own_orders_help_every_kind_of_method),
        cmocka_unit_test(where_labels_keep_the_rules_a_small_gain_is_followed_up),
        cmocka_unit_test(the_first_places_of_an_order_become_falling_labels),
        cmocka_unit_test(false_rules_do_no_harm),
        cmocka_unit_test(what_gains_nothing_is_not_taken),
        cmocka_unit_test(a_gain_on_few_queries_does_not_outdo_the_labels),
        cmocka_unit_test(without_validation_data_halves_of_the_labelled_queries_judge),
        cmocka_unit_test(a_gain_of_halves_within_its_noise_is_none),
        cmocka_unit_test(what_makes_no_sense_is_told_before_training),
        cmocka_unit_test(a_rule_that_teaches_nothing_is_warned_of),
        cmocka_unit_test(weights_are_found_by_what_each_rule_gains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
