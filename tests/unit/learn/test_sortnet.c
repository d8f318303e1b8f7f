/* test_sortnet.c -- Algorithm 1: which pairs are found, what is learnt from them, when it
 * ends.                                                                               */
#include "learn/fit.h"
#include "learn/pairset.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/train_setup.h"
#include "support/tasks.h"

#include <math.h>

static const struct task_sample sample = {
    .n_queries = 14, .max_docs = 14, .dim = 4, .noise = 0.5
};
static peck_error err;

/* A training setup with a learner at work. */
struct study {
    struct train_setup setup;
    const struct learner *learner;
    void *self;
    struct stopping stopping;
    struct epoch_stats stats;
    size_t done;
};

static void start(struct study *s)
{
    s->learner = s->setup.plan.recipe->learner;
    s->self = calloc(1, s->learner->self_size);
    assert_ok(s->learner->open(s->self, &s->setup.task, &s->stopping, &err), err);
    s->done = 0;
}

static void open_study(struct study *s, const char *const *settings,
                       const struct peck_dataset *train, const struct peck_dataset *valid,
                       int threads)
{
    train_setup_open(&s->setup, "sortnet", settings, train, valid, NULL, threads);
    start(s);
}

static void go(struct study *s, size_t n)
{
    for (; n > 0; n--) {
        s->stats = (struct epoch_stats){ 0 };
        assert_ok(s->learner->epoch(s->self, ++s->done, &s->stats, &err), err);
    }
}

static void close_study(struct study *s)
{
    s->learner->close(s->self);
    free(s->self);
    train_setup_close(&s->setup);
}

/* The bits of the pairs found: side 0 is T, 1 is V. */
static struct kept found(struct study *s, size_t side)
{
    struct kept kept[MAX_KEPT];

    assert_true(s->learner->keep(s->self, kept) > side);
    return kept[side];
}

static void assert_same_found(struct study *a, struct study *b)
{
    for (size_t side = 0; side < 2; side++) {
        const struct kept x = found(a, side), y = found(b, side);

        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.data, y.data, x.n * sizeof(uint64_t));
    }
}

static void assert_same_weights(const struct study *a, const struct study *b)
{
    assert_memory_equal(a->setup.w, b->setup.w, a->setup.plan.n_weights * sizeof(float));
}

/* Which pairs ---------------------------------------------------------------------------- */

/* Mistakes of one sort, told by hand: documents as in the data. */
struct witness {
    const struct peck_dataset *data;
    unsigned char *is_wrong; /* [n_docs][max_docs]: the row goes behind that document */
    size_t n;
    bool counts_all; /* those that came out right, too */
};

static void witness_duel(void *ctx, size_t q, peck_duel duel, float lead)
{
    struct witness *const w = ctx;
    const size_t first = w->data->start[q];
    const size_t front = lead > 0.0f ? duel.i : duel.j,
                 back = lead > 0.0f ? duel.j : duel.i;
    unsigned char *const mark = &w->is_wrong[(first + front) * sample.max_docs + back];

    const float behind = w->data->label[first + back] - w->data->label[first + front];

    if (w->counts_all ? behind == 0.0f : lead == 0.0f || !(behind > 0.0f))
        return;
    w->n += *mark == 0;
    *mark = 1;
}

static size_t count_duels(const struct study *s, const struct peck_dataset *d,
                          const float *x, bool counts_all)
{
    const size_t dim = s->setup.train_data.dim;
    const struct eval_docs docs = { .x = { x, d->n_docs, dim, dim },
                                    .start = d->start,
                                    .end = d->n_queries };
    struct witness w = { d, calloc(d->n_docs * sample.max_docs, 1), 0, counts_all };
    struct model_outputs outputs;
    struct sorter sorter;
    struct arena memory = { 0 };

    assert_ok(model_outputs_open_docs(&outputs, &memory, s->setup.plan.recipe->family,
                                      s->setup.plan.shape, &docs, s->setup.pool, &err),
              err);
    assert_ok(sorter_open(&sorter, &memory, &outputs, d->n_docs, NULL, "tree", &err), err);
    sorter.on_duel = witness_duel;
    sorter.ctx = &w;
    model_outputs_fill(&outputs, s->setup.w);
    assert_ok(sorter_run(&sorter, 0, &err), err);
    arena_free(&memory);
    free(w.is_wrong);
    return w.n;
}

static size_t count_mistakes(const struct study *s, const struct peck_dataset *d,
                             const float *x)
{
    return count_duels(s, d, x, false);
}

/* add=compared: what the first net compares, right or wrong, but for ties of labels. */
static void all_that_is_compared_can_join(void **state)
{
    const char *const settings[] = { "norm=none", "hidden=6", "add=compared", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 1);
    struct peck_dataset *const valid = task_dataset(&sample, 2);
    struct study s;

    (void)state;
    open_study(&s, settings, train, valid, 1);
    const size_t n = count_duels(&s, train, train->x, true);

    assert_true(n > count_mistakes(&s, train, train->x));
    go(&s, 1);
    assert_int_equal(s.stats.n_train, n);
    assert_int_equal(s.stats.n_valid, count_duels(&s, valid, valid->x, true));
    close_study(&s);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

/* Iteration 0 learns nothing: the sets are what the first net compares wrongly. */
static void the_first_pairs_are_the_first_nets_mistakes(void **state)
{
    const char *const settings[] = { "norm=none", "hidden=6", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 1);
    struct peck_dataset *const valid = task_dataset(&sample, 2);
    struct study s;

    (void)state;
    open_study(&s, settings, train, valid, 1);
    float *const first = calloc(s.setup.plan.n_weights, sizeof *first);
    struct rng r;

    go(&s, 1);
    rng_seed(&r, s.setup.task.seed, STREAM_INIT);
    family_init(s.setup.plan.recipe->family, s.setup.plan.shape, &r, first);
    assert_memory_equal(first, s.setup.w, s.setup.plan.n_weights * sizeof *first);
    assert_true(isnan(s.stats.loss) && s.stats.n_inner == 0 && !s.stats.is_last);
    assert_int_equal(s.stats.n_valid,
                     count_mistakes(&s, valid, s.setup.train_data.valid_x));
    assert_int_equal(s.stats.n_train, count_mistakes(&s, train, train->x));
    assert_true(s.stats.n_train > 50 && s.stats.n_valid > 50);
    free(first);
    close_study(&s);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

/* Pairs that are drawn stand beside the mistakes. */
static void sets_may_begin_with_drawn_pairs(void **state)
{
    const char *const plain[] = { "hidden=6", "norm=none", NULL };
    const char *const drawn[] = { "hidden=6", "norm=none", "pairs=sampled", "sample=9",
                                  NULL };
    struct peck_dataset *const train = task_dataset(&sample, 1);
    struct peck_dataset *const valid = task_dataset(&sample, 2);
    struct study a, b;

    (void)state;
    open_study(&a, plain, train, valid, 1);
    open_study(&b, drawn, train, valid, 1);
    go(&a, 1);
    go(&b, 1);
    assert_true(b.stats.n_train > a.stats.n_train && b.stats.n_valid > a.stats.n_valid);
    assert_true(b.stats.n_train <= a.stats.n_train + 9 * train->n_queries);
    for (size_t side = 0; side < 2; side++) {
        const struct kept x = found(&a, side), y = found(&b, side);

        for (size_t k = 0; k < x.n; k++)
            assert_true((((const uint64_t *)x.data)[k] & ~((const uint64_t *)y.data)[k]) ==
                        0);
    }
    close_study(&a);
    close_study(&b);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

/* All pairs are there from the beginning: a net that goes on learns from them again; new
 * nets would learn what the first did. */
static void a_net_that_goes_on_needs_no_new_pairs(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 3);

    (void)state;
    for (int restart = 0; restart < 2; restart++) {
        const char *const settings[] = { "hidden=6",
                                         "epochs=1",
                                         "pairs=sampled",
                                         "sample=1000000",
                                         restart ? "restart=1" : "restart=0",
                                         NULL };
        struct study s;

        open_study(&s, settings, d, d, 1);
        go(&s, 1);
        const uint64_t n = s.stats.n_train;

        assert_false(s.stats.is_last);
        go(&s, 1);
        assert_true(s.stats.n_train == n && s.stats.n_inner == 1 && isfinite(s.stats.loss));
        assert_true(s.stats.is_last == (restart != 0));
        close_study(&s);
    }
    peck_dataset_free(d);
}

static void sets_only_grow(void **state)
{
    const char *const settings[] = { "hidden=6", "epochs=5", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 3);
    struct peck_dataset *const valid = task_dataset(&sample, 4);
    struct study s;

    (void)state;
    open_study(&s, settings, train, valid, 1);
    go(&s, 1);
    for (int i = 0; i < 6; i++) {
        const struct kept now = found(&s, 0);
        const uint64_t before = s.stats.n_train;
        uint64_t *const old = calloc(now.n, sizeof *old);

        memcpy(old, now.data, now.n * sizeof *old);
        go(&s, 1);
        for (size_t k = 0; k < now.n; k++)
            assert_true((old[k] & ~((const uint64_t *)found(&s, 0).data)[k]) == 0);
        assert_true(s.stats.n_train >= before && s.stats.n_inner == 5 &&
                    isfinite(s.stats.loss));
        free(old);
    }
    close_study(&s);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

/* One feature that is the label: soon no comparison is wrong. */
static void it_ends_when_nothing_is_found(void **state)
{
    const char *const settings[] = { "norm=none",   "hidden=4", "epochs=40", "rate=0.1",
                                     "max_iter=30", "decay=0",  "l2=0",      NULL };
    static const uint32_t size[] = { 6, 6, 6, 6 };
    static float label[24];
    struct study s;

    (void)state;
    for (size_t i = 0; i < 24; i++)
        label[i] = (float)(i * 7 % 5);
    struct peck_dataset *const d = task_of(size, 4, 1, label, 1);

    for (size_t i = 0; i < 24; i++)
        d->x_owned[i] = label[i] - 2.0f;
    open_study(&s, settings, d, d, 1);
    assert_int_equal(s.stopping.n_epochs, 31);
    assert_int_equal(s.stopping.patience, 0);
    do {
        const uint64_t n[] = { s.done > 0 ? s.stats.n_train : 0,
                               s.done > 0 ? s.stats.n_valid : 0 };

        go(&s, 1);
        assert_true(s.stats.is_last ==
                    (s.stats.n_train == n[0] && s.stats.n_valid == n[1]));
    } while (!s.stats.is_last && s.done < 31);
    assert_true(s.stats.is_last && s.done > 1 && s.done < 20);
    assert_true(s.stats.train == 1.0); /* NDCG */
    close_study(&s);
    peck_dataset_free(d);
}

/* What is learnt ------------------------------------------------------------------------- */

static bool are_near(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabsf(a[i] - b[i]) > 1e-20f)
            return false;
    return true;
}

/* At next to no rate a net stays what it began as. */
static void every_iteration_begins_anew_unless_told_otherwise(void **state)
{
    const char *const anew[] = { "epochs=2", "rate=1e-30", "optimiser=sgd", NULL };
    const char *const warm[] = { "epochs=2", "rate=1e-30", "optimiser=sgd", "restart=0",
                                 NULL };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    struct study a, b;
    struct rng r;

    (void)state;
    open_study(&a, anew, d, d, 1);
    open_study(&b, warm, d, d, 1);
    const size_t n = a.setup.plan.n_weights;
    float *const first = calloc(n, sizeof *first), *const next = calloc(n, sizeof *next);

    go(&a, 1);
    go(&b, 1);
    assert_same_weights(&a, &b);
    memcpy(first, a.setup.w, n * sizeof *first);
    go(&a, 2);
    go(&b, 2);
    assert_true(are_near(first, b.setup.w, n));
    rng_seed(&r, mix64(a.setup.task.seed, 2), STREAM_INIT);
    family_init(a.setup.plan.recipe->family, a.setup.plan.shape, &r, next);
    assert_true(are_near(next, a.setup.w, n));
    assert_false(are_near(next, first, n));
    free(first);
    free(next);
    close_study(&a);
    close_study(&b);
    peck_dataset_free(d);
}

/* Squared error of w on the pairs of V found before the iteration, one at a time. */
static double loss_on(const struct study *s, const uint64_t *bit,
                      const struct peck_dataset *valid)
{
    const struct family *const f = s->setup.plan.recipe->family;
    const void *const shape = s->setup.plan.shape;
    const size_t dim = s->setup.train_data.dim, size = f->compares->view_size(shape);
    const struct rows x = { s->setup.train_data.valid_x, valid->n_docs, dim, dim };
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    float *const view = calloc(valid->n_docs * size, sizeof *view);
    struct train_set *l;
    struct pairset set;
    double sum = 0.0, n = 0.0;

    assert_ok(train_set_new(&l, valid, NULL, &config, &err), err);
    assert_ok(pairset_open(&set, l, &err), err);
    f->compares->view(shape, s->setup.w, x, view, NULL);
    for (size_t q = 0; q < l->n_queries; q++) {
        double loss = 0.0, pairs = 0.0;

        for (size_t i = l->start[q]; i < l->start[q + 1]; i++)
            for (uint32_t j = l->below[i]; j < l->until[i]; j++) {
                const uint64_t k = set.before[i] + j - l->below[i];
                const peck_duel duel = { l->from[i], l->from[l->start[q] + j] };
                float out[1][2];

                if ((bit[set.start[q] + k / 64] >> k % 64 & 1) == 0)
                    continue;
                f->compares->duels(shape, s->setup.w, view + l->start[q] * size, &duel, 1,
                                   out, NULL);
                loss += pow(1.0 - (double)out[0][0], 2.0) + pow((double)out[0][1], 2.0);
                pairs++;
            }
        sum += pairs > 0.0 ? loss / pairs : 0.0;
        n += pairs > 0.0;
    }
    pairset_close(&set);
    train_set_free(l);
    free(view);
    return sum / n;
}

/* With a constant rate a shorter training is the beginning of a longer one, so the best
 * epoch can only get better, and only when the new epoch is better. */
static void the_epoch_that_is_best_on_the_validation_pairs_is_kept(void **state)
{
    enum { EPOCHS = 12 };
    struct peck_dataset *const train = task_dataset(&sample, 6);
    struct peck_dataset *const valid = task_dataset(&sample, 7);
    double last = HUGE_VAL;
    size_t n_better = 0;

    (void)state;
    for (int e = 1; e <= EPOCHS; e++) {
        char epochs[32];
        const char *const settings[] = { "hidden=6",    "rate=0.3",
                                         "norm=zscore", "schedule=constant",
                                         "batch=2",     "balance=queries",
                                         "cost=square", "optimiser=adam",
                                         "patience=0",  epochs,
                                         NULL };
        struct study s;

        snprintf(epochs, sizeof epochs, "epochs=%d", e);
        open_study(&s, settings, train, valid, 1);
        go(&s, 1);
        const struct kept bits = found(&s, 1);
        uint64_t *const before = calloc(bits.n, sizeof *before);

        memcpy(before, bits.data, bits.n * sizeof *before);
        go(&s, 1);
        const double loss = loss_on(&s, before, valid);

        assert_true(loss < last + 1e-6);
        n_better += loss < last - 1e-6;
        last = loss;
        free(before);
        close_study(&s);
    }
    print_message("best of its epochs: %zu times\n", n_better);
    assert_true(n_better > 1 && n_better < EPOCHS);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

static void patience_ends_an_iteration_early(void **state)
{
    const char *const settings[] = { "epochs=500", "patience=2", "rate=0.3", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 8);
    struct peck_dataset *const valid = task_dataset(&sample, 9);
    struct study s;

    (void)state;
    open_study(&s, settings, train, valid, 1);
    go(&s, 2);
    assert_true(s.stats.n_inner >= 3 && s.stats.n_inner < 500);
    close_study(&s);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

static void the_metric_can_choose_the_epoch(void **state)
{
    const char *const settings[] = { "epochs=15", "rate=0.1", "select=quality",
                                     "schedule=constant", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 8);
    struct peck_dataset *const valid = task_dataset(&sample, 9);
    struct study s, brief;
    struct validator validator;
    double chosen, last;

    (void)state;
    open_study(&s, settings, train, valid, 1);
    assert_ok(validator_open(&validator, &s.setup.task, NULL, &err), err);
    go(&s, 1);
    const uint64_t n = s.stats.n_valid;

    go(&s, 1);
    assert_true(s.stats.n_valid >= n); /* epochs on trial add no pairs */
    assert_ok(validator_value(&validator, s.setup.w, &chosen, &err), err);
    open_study(&brief,
               (const char *const[]){ "epochs=1", "rate=0.1", "select=quality",
                                      "schedule=constant", NULL },
               train, valid, 1);
    go(&brief, 2);
    assert_ok(validator_value(&validator, brief.setup.w, &last, &err), err);
    assert_true(chosen >= last);
    validator_close(&validator);
    close_study(&brief);
    close_study(&s);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

/* V is judged once where that is what validation would find: sorted by the same decoder, or
 * by preferences, which need no order. */
static void validation_is_handed_on_where_it_is_the_same(void **state)
{
    static const struct {
        const char *sort;
        bool has_prefs, is_handed_on;
    } ways[] = { { "sort=tree", false, true },
                 { "sort=degree", false, false },
                 { "sort=degree", true, true } };
    struct peck_dataset *const train = task_dataset(&sample, 12);
    struct peck_dataset *const valid = task_dataset(&sample, 13);
    struct peck_prefs *const t = prefs_of_labels(train, 1), *const v =
                                                                prefs_of_labels(valid, 2);

    (void)state;
    for (size_t i = 0; i < N_OF(ways); i++) {
        const char *const settings[] = { "hidden=6", "epochs=4", ways[i].sort, NULL };
        struct study s;
        struct validator validator;

        if (ways[i].has_prefs)
            train_setup_open_prefs(&s.setup, "sortnet", settings, train, t, valid, v, 1);
        else
            train_setup_open(&s.setup, "sortnet", settings, train, valid, NULL, 1);
        start(&s);
        assert_ok(validator_open(&validator, &s.setup.task, NULL, &err), err);
        for (int k = 0; k < 3; k++) {
            double wanted;

            go(&s, 1);
            assert_ok(validator_value(&validator, s.setup.w, &wanted, &err), err);
            assert_int_equal(s.stats.has_valid, ways[i].is_handed_on);
            assert_true(!s.stats.has_valid || s.stats.valid == wanted);
        }
        validator_close(&validator);
        close_study(&s);
    }
    peck_prefs_free(t);
    peck_prefs_free(v);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

/* Other ways in -------------------------------------------------------------------------- */

static void preferences_alone_teach_the_same(void **state)
{
    const char *const settings[] = { "hidden=8", "epochs=6", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 10);
    struct peck_dataset *const valid = task_dataset(&sample, 11);
    struct peck_prefs *const t = prefs_of_labels(train, 1), *const v =
                                                                prefs_of_labels(valid, 2);
    struct study a, b;

    (void)state;
    open_study(&a, settings, train, valid, 1);
    train_setup_open_prefs(&b.setup, "sortnet", settings, train, t, valid, v, 2);
    start(&b);
    for (int i = 0; i < 4; i++) {
        go(&a, 1);
        go(&b, 1);
        assert_same_weights(&a, &b);
        assert_same_found(&a, &b);
        assert_true(b.stats.train > 0.3 && b.stats.train <= 1.0); /* accuracy of pairs */
    }
    close_study(&a);
    close_study(&b);
    peck_prefs_free(t);
    peck_prefs_free(v);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

static void without_validation_data_the_last_epoch_counts(void **state)
{
    const char *const settings[] = { "hidden=8", "epochs=3", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 12);
    struct study s;
    struct kept kept[MAX_KEPT];

    (void)state;
    open_study(&s, settings, train, NULL, 1);
    go(&s, 3);
    assert_int_equal(s.stats.n_valid, 0);
    assert_int_equal(s.stats.n_inner, 3);
    assert_int_equal(s.learner->keep(s.self, kept), 1);
    assert_true(s.stats.train > 0.5);
    close_study(&s);
    peck_dataset_free(train);
}

/* The sets and, for a warm start, the weights are all that is carried on. */
static void it_goes_on_from_what_it_keeps(void **state)
{
    const char *const settings[] = { "hidden=8", "epochs=3", "restart=0", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 13);
    struct peck_dataset *const valid = task_dataset(&sample, 14);
    struct study a, b;

    (void)state;
    open_study(&a, settings, train, valid, 1);
    open_study(&b, settings, train, valid, 1);
    go(&a, 3);
    for (size_t side = 0; side < 2; side++)
        memcpy(found(&b, side).data, found(&a, side).data,
               found(&a, side).n * sizeof(uint64_t));
    memcpy(b.setup.w, a.setup.w, a.setup.plan.n_weights * sizeof *b.setup.w);
    b.done = 3;
    go(&a, 2);
    go(&b, 2);
    assert_same_weights(&a, &b);
    assert_same_found(&a, &b);
    close_study(&a);
    close_study(&b);
    peck_dataset_free(train);
    peck_dataset_free(valid);
}

static void another_sort_finds_other_pairs(void **state)
{
    struct peck_dataset *const train = task_dataset(&sample, 15);
    struct study tree, all;

    (void)state;
    open_study(&tree, (const char *const[]){ "sort=tree", NULL }, train, NULL, 1);
    open_study(&all, (const char *const[]){ "sort=championship", NULL }, train, NULL, 1);
    go(&tree, 1);
    go(&all, 1);
    assert_same_weights(&tree, &all);
    assert_true(all.stats.n_train > tree.stats.n_train);
    close_study(&tree);
    close_study(&all);
    peck_dataset_free(train);
}

static void an_unknown_sort_is_refused_by_name(void **state)
{
    const char *const settings[] = { "sort=treee", NULL };
    struct peck_dataset *const train = task_dataset(&sample, 16);
    struct study s = { 0 };

    (void)state;
    train_setup_open(&s.setup, "sortnet", settings, train, NULL, NULL, 1);
    s.learner = s.setup.plan.recipe->learner;
    s.self = calloc(1, s.learner->self_size);
    assert_int_equal(s.learner->open(s.self, &s.setup.task, &s.stopping, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "tree");
    close_study(&s);
    peck_dataset_free(train);
}

/* Eq. (2) of the paper is summed over pairs: a query counts as many times as it has some. */
static void preset_paper_counts_pairs(void **state)
{
    static const char *const methods[] = { "sortnet", "cmpnn", "tesauro" };
    const char *const settings[] = { "preset=paper", NULL };

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        struct plan plan;
        char value[32];

        assert_ok(plan_open(&plan, methods[i], settings, NULL, &err), err);
        assert_true(plan_get(&plan, "balance", value, sizeof value));
        assert_string_equal(value, "pairs");
        if (plan_get(&plan, "add", value, sizeof value))
            assert_string_equal(value, "wrong");
        plan_close(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_compared_can_join),
        cmocka_unit_test(preset_paper_counts_pairs),
        cmocka_unit_test(the_first_pairs_are_the_first_nets_mistakes),
        cmocka_unit_test(sets_may_begin_with_drawn_pairs),
        cmocka_unit_test(a_net_that_goes_on_needs_no_new_pairs),
        cmocka_unit_test(sets_only_grow),
        cmocka_unit_test(it_ends_when_nothing_is_found),
        cmocka_unit_test(every_iteration_begins_anew_unless_told_otherwise),
        cmocka_unit_test(the_epoch_that_is_best_on_the_validation_pairs_is_kept),
        cmocka_unit_test(patience_ends_an_iteration_early),
        cmocka_unit_test(the_metric_can_choose_the_epoch),
        cmocka_unit_test(validation_is_handed_on_where_it_is_the_same),
        cmocka_unit_test(preferences_alone_teach_the_same),
        cmocka_unit_test(without_validation_data_the_last_epoch_counts),
        cmocka_unit_test(it_goes_on_from_what_it_keeps),
        cmocka_unit_test(another_sort_finds_other_pairs),
        cmocka_unit_test(an_unknown_sort_is_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
