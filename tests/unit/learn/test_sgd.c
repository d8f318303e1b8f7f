/* test_sgd.c -- gradients of batches, and the way the rate goes. */
#include "learn/sgd.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/train_setup.h"
#include "support/tasks.h"

#include <math.h>

static const struct task_sample sample = { .n_queries = 30, .max_docs = 12, .dim = 4 };

/* The settings as struct sgd_config: it is all that the sgd learner has. */
static const struct sgd_config *config_of(const struct train_setup *c)
{
    return c->plan.learner;
}

static void open_sgd(struct sgd *s, struct train_setup *c)
{
    struct stopping stopping;
    peck_error err = { 0 };

    assert_ok(
        sgd_open(s, &c->task, config_of(c), c->train_data.train_set, NULL, &stopping, &err),
        err);
}

/* Nets that score and nets that compare go down the same gradient. */
static void check_mean(const char *method, const char *hidden, const struct task_sample *of,
                       size_t n_queries)
{
    const char *const settings[] = { "norm=none",
                                     hidden,
                                     "batch=100",
                                     "balance=queries",
                                     strcmp(method, "cmpnn") == 0 ? NULL : "dropout=0",
                                     NULL };
    struct peck_dataset *const d = task_dataset(of, 1);
    const struct train_step at = { 1, 1, 0 };
    struct train_setup c;
    struct sgd s;

    train_setup_open(&c, method, settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    const size_t n = c.plan.n_weights;
    float *const dw = calloc(n, sizeof *dw), *const one = calloc(n, sizeof *one);
    double *const sum = calloc(n, sizeof *sum), loss = 0.0;

    assert_true(s.n > n_queries);
    for (size_t q = 0; q < n_queries; q++) {
        loss += take_gradient(s.gradient, c.w, &s.query[q], 1, &at, one);
        for (size_t i = 0; i < n; i++)
            sum[i] += (double)one[i] / (double)n_queries;
    }
    const double together = take_gradient(s.gradient, c.w, s.query, n_queries, &at, dw);

    assert_true(fabs(together - loss) < 1e-5 * loss);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)dw[i] - sum[i]) < 1e-5 * (1.0 + fabs(sum[i]))))
            fail_msg("%s, %zu queries: weight %zu: %g, but %g", method, n_queries, i,
                     (double)dw[i], sum[i]);
    free(dw);
    free(one);
    free(sum);
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

/* A batch of one shard, of a few, and of many alike; queries as they come, and, in a set of
 * more than 60,000 documents, dealt to shards. */
static void a_batch_is_the_mean_of_its_queries(void **state)
{
    const struct task_sample large = { .n_queries = 120, .max_docs = 160, .dim = 4 };
    const struct task_sample huge = { .n_queries = 700, .max_docs = 160, .dim = 4 };

    (void)state;
    check_mean("ranknet", "hidden=5", &sample, 8);
    check_mean("ranknet", "hidden=5", &large, 15);
    check_mean("ranknet", "hidden=5", &large, 100);
    check_mean("cmpnn", "hidden=6", &sample, 8);
    check_mean("cmpnn", "hidden=6", &large, 15);
    check_mean("cmpnn", "hidden=5-3-6", &large, 15);
    check_mean("ranknet", "hidden=5", &huge, 8);
    check_mean("ranknet", "hidden=5", &huge, 53);
    check_mean("cmpnn", "hidden=6", &huge, 53);
}

static void assert_gradient(const char *method, const char *const *settings)
{
    struct peck_dataset *const d = task_dataset(&sample, 2);
    const struct train_step at = { 1, 1, 0 };
    struct train_setup c;
    struct sgd s;

    train_setup_open(&c, method, settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    float *const dw = calloc(c.plan.n_weights, sizeof *dw);
    float *const unused = calloc(c.plan.n_weights, sizeof *unused);

    take_gradient(s.gradient, c.w, s.query, s.n, &at, dw);
    for (size_t i = 0; i < c.plan.n_weights; i++) {
        const float w = c.w[i], h = 0.01f;

        c.w[i] = w + h;
        const double up = take_gradient(s.gradient, c.w, s.query, s.n, &at, unused);

        c.w[i] = w - h;
        const double down = take_gradient(s.gradient, c.w, s.query, s.n, &at, unused);

        c.w[i] = w;
        const double slope = (up - down) / (2.0 * (double)h) / (double)s.n;

        if (!(fabs(slope - (double)dw[i]) < 1e-4 + 1e-3 * fabs(slope)))
            fail_msg("weight %zu: slope %g, gradient %g", i, slope, (double)dw[i]);
    }
    free(dw);
    free(unused);
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void the_gradient_is_that_of_the_loss(void **state)
{
    (void)state;
    assert_gradient("ranknet", (const char *const[]){ "norm=none", "hidden=3", "batch=30",
                                                      "dropout=0", "activation=tanh",
                                                      "balance=queries", "l2=0", NULL });
    assert_gradient("cmpnn", (const char *const[]){ "norm=none", "hidden=6", "batch=30",
                                                    "ties=1", NULL });
    assert_gradient("cmpnn",
                    (const char *const[]){ "norm=none", "hidden=6", "batch=30",
                                           "cost=entropy", "activation=sigmoid", NULL });
    assert_gradient("tesauro", (const char *const[]){ "norm=none", "hidden=6", "batch=30",
                                                      "pairs=adjacent", NULL });
}

/* Long and short queries, more shards than one, more stacks than one a shard. */
static void assert_same_on_threads(const char *method, const char *const *settings)
{
    const struct task_sample large = { .n_queries = 900, .max_docs = 160, .dim = 16 };
    struct peck_dataset *const d = task_dataset(&large, 3);
    const struct train_step at = { 9, 2, 1 };
    float *first = NULL;
    size_t n = 0;

    for (int threads = 1; threads <= 5; threads += 2) {
        struct train_setup c;
        struct sgd s;

        train_setup_open(&c, method, settings, d, NULL, NULL, threads);
        open_sgd(&s, &c);
        n = c.plan.n_weights;
        float *const dw = calloc(n, sizeof *dw);

        take_gradient(s.gradient, c.w, s.query, s.n, &at, dw);
        if (first == NULL) {
            first = dw;
        } else {
            assert_memory_equal(first, dw, n * sizeof *dw);
            free(dw);
        }
        sgd_close(&s);
        train_setup_close(&c);
    }
    free(first);
    peck_dataset_free(d);
}

static void threads_do_not_change_a_gradient(void **state)
{
    (void)state;
    assert_same_on_threads("ranknet",
                           (const char *const[]){ "norm=none", "hidden=64", "batch=900",
                                                  "dropout=0.3", NULL });
    assert_same_on_threads(
        "cmpnn", (const char *const[]){ "norm=none", "hidden=8", "batch=900", NULL });
    assert_same_on_threads(
        "cmpnn", (const char *const[]){ "norm=none", "hidden=9-5-8", "batch=900", NULL });
}

static void queries_weigh_what_the_data_says(void **state)
{
    const char *const settings[] = { "norm=none", "hidden=0", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 4);
    const struct train_step at = { 1, 1, 0 };
    struct train_setup c;
    struct sgd s;

    (void)state;
    train_setup_open(&c, "ranknet", settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    float dw[8], twice[8];

    assert_true(c.plan.n_weights <= 8);
    take_gradient(s.gradient, c.w, s.query, 1, &at, dw);
    const uint32_t query = s.query[0];

    sgd_close(&s);
    train_setup_close(&c);
    d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
    for (size_t q = 0; q < d->n_queries; q++)
        d->query_weight[q] = 2.0f;
    train_setup_open(&c, "ranknet", settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    take_gradient(s.gradient, c.w, &query, 1, &at, twice);
    for (size_t i = 0; i < c.plan.n_weights; i++)
        assert_true(fabs((double)twice[i] - 2.0 * (double)dw[i]) < 1e-6);
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void balance_counts_pairs(void **state)
{
    const char *const settings[] = { "norm=none", "balance=pairs", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    struct train_setup c;
    struct sgd s;

    (void)state;
    train_setup_open(&c, "ranknet", settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    for (size_t i = 0; i < s.n; i++)
        assert_true((double)s.share[s.query[i]] ==
                    c.train_data.train_set->plan[s.query[i]].n_all);
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

/* What grows ------------------------------------------------------------------------- */

/* What becomes of `batch`, a rate of 0.002 and a decay of 0.3 where n queries of `docs` judged documents
 * teach and as many teach nothing. */
static struct sgd_config suited(int64_t batch, enum optim_kind kind, bool is_hinge,
                                size_t n, uint32_t docs)
{
    struct sgd_config c = { .batch = batch,
                            .rate = 0.002,
                            .optim = { .kind = kind, .decay = 0.3 } };
    struct query_plan *const plan = calloc(2 * n + 1, sizeof *plan);

    for (size_t q = 0; q < n; q++) {
        plan[2 * q] = (struct query_plan){ .n_judged = docs, .n_ranked = 2 * docs };
        plan[2 * q + 1] = plan[2 * q];
        plan[2 * q].n_all = 1.0;
    }
    /* one that is not of the training set */
    plan[2 * n] = (struct query_plan){ .n_judged = 10000000, .n_all = 1.0 };
    sgd_suit(&c, &(struct objective){ .is_hinge = is_hinge },
             &(struct train_set){ .n_queries = 2 * n, .n_teaching = n, .plan = plan },
             false);
    free(plan);
    return c;
}

static void a_batch_grows_with_what_teaches(void **state)
{
    static const struct {
        int64_t tuned;
        size_t n;
        uint32_t docs;
        int64_t batch;
        double rate, decay;
        bool is_hinge;
    } wanted[] = {
        { 4, 190, 100, 4, 0.002, 0.3, false },          /* little data stays as it is */
        { 4, 600, 100, 4, 0.002, 0.3, false },          /* ... to 60,000 documents */
        { 4, 1200, 100, 8, 0.00336, 0.25227, false },   /* twice as many: 2 * 4 */
        { 4, 2400, 100, 16, 0.00566, 0.21213, false },  /* rate 4^(3/4), decay 4^(-1/4) */
        { 4, 8000, 100, 53, 0.01389, 0.15724, false },  /* 13 times */
        { 4, 80000, 100, 64, 0.016, 0.15, false },      /* 16 times and no more */
        { 16, 2400, 100, 16, 0.002, 0.3, false },       /* that is 150 steps already */
        { 16, 8000, 100, 53, 0.00491, 0.22237, false }, /* ... and not here */
        { 4, 800, 1000, 5, 0.00236, 0.28372, false },   /* long lists: 150 steps */
        { 4, 8000, 1000, 6, 0.00271, 0.27108, false },  /* ... and 6,400 documents a step */
        { 4, 24000, 10, 16, 0.00566, 0.21213, false },  /* short ones, by documents */
        { 4, 2400, 100, 4, 0.002, 0.3, true },          /* a hinge wants 500 steps */
        { 4, 8000, 100, 16, 0.00566, 0.21213, true },   /* ... and has them */
        { 1, 0, 100, 1, 0.002, 0.3, false },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(wanted); i++) {
        const struct sgd_config c = suited(wanted[i].tuned, OPTIM_ADAM, wanted[i].is_hinge,
                                           wanted[i].n, wanted[i].docs);

        if (c.batch != wanted[i].batch || c.rate != wanted[i].rate ||
            c.optim.decay != wanted[i].decay)
            fail_msg("%zu queries of %u: batch %lld, rate %.17g, decay %.17g", wanted[i].n,
                     (unsigned)wanted[i].docs, (long long)c.batch, c.rate, c.optim.decay);
    }
}

/* How their rate would have to grow nobody has measured. */
static void plain_descent_stays_as_it_is(void **state)
{
    (void)state;
    assert_int_equal(suited(4, OPTIM_SGD, false, 8000, 100).batch, 4);
    assert_int_equal(suited(4, OPTIM_MOMENTUM, false, 8000, 100).batch, 4);
    assert_true(suited(4, OPTIM_SGD, false, 8000, 100).rate == 0.002);
    assert_true(suited(4, OPTIM_SGD, false, 8000, 100).optim.decay == 0.3);
}

/* Rates ---------------------------------------------------------------------------- */

/* The rate of the last batch of each of n epochs. */
static void rates_of(const char *const *settings, double *rate, double *loss, size_t n)
{
    struct peck_dataset *const d = task_dataset(&sample, 6);
    struct train_setup c;
    struct sgd s;
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };

    train_setup_open(&c, "ranknet", settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    for (size_t e = 1; e <= n; e++) {
        assert_ok(sgd_epoch(&s, e, &stats, &err), err);
        rate[e - 1] = stats.rate;
        loss[e - 1] = stats.loss;
    }
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void a_staircase_falls_by_its_factor(void **state)
{
    const char *const settings[] = { "rate=0.1", "schedule=staircase", "factor=0.1",
                                     "stair=2", NULL };
    double rate[5], loss[5];

    (void)state;
    rates_of(settings, rate, loss, 5);
    for (int e = 0; e < 5; e++)
        assert_true(fabs(rate[e] - 0.1 * pow(0.1, e / 2)) < 1e-12);
}

static void a_cosine_ends_near_nothing(void **state)
{
    const char *const settings[] = { "rate=0.1", "schedule=cosine", "epochs=10", NULL };
    double rate[10], loss[10];

    (void)state;
    rates_of(settings, rate, loss, 10);
    for (int e = 1; e < 10; e++)
        assert_true(rate[e] < rate[e - 1]);
    assert_true(rate[0] > 0.09 && rate[9] < 0.003 && rate[9] > 0.0);
}

static void warmup_rises_from_a_first_step_that_is_not_0(void **state)
{
    const char *const settings[] = { "rate=0.1", "warmup=3", "batch=1000",
                                     "schedule=constant", NULL };
    double rate[5], loss[5];

    (void)state;
    rates_of(settings, rate, loss, 5);
    assert_true(rate[0] > 0.0 && rate[0] < rate[1] && rate[1] < rate[2]);
    assert_true(rate[2] < 0.1 && rate[3] == 0.1 && rate[4] == 0.1);
}

static void halving_follows_a_loss_that_rises(void **state)
{
    /* A rate far too large: the loss goes up and down. */
    const char *const settings[] = { "rate=100",
                                     "schedule=halving",
                                     "optimiser=sgd",
                                     "batch=1",
                                     "norm=none",
                                     "dropout=0",
                                     "l2=0",
                                     "balance=queries",
                                     "activation=tanh",
                                     "decay=0",
                                     NULL };
    enum { EPOCHS = 12 };
    double rate[EPOCHS], loss[EPOCHS];
    int n_halved = 0;

    (void)state;
    rates_of(settings, rate, loss, EPOCHS);
    assert_true(rate[0] == 100.0 && rate[1] == 100.0);
    for (int e = 1; e + 1 < EPOCHS; e++) {
        const bool rose = loss[e] > loss[e - 1];

        n_halved += rose;
        assert_true(rate[e + 1] == (rose ? rate[e] / 2.0 : rate[e]));
    }
    assert_true(n_halved > 0);
}

static void losses_fall(void **state)
{
    const char *const settings[] = { "rate=0.01", NULL };
    double rate[20], loss[20];

    (void)state;
    rates_of(settings, rate, loss, 20);
    assert_true(loss[19] < 0.7 * loss[0]);
}

static void a_run_away_is_told_with_its_cure(void **state)
{
    const char *const settings[] = { "norm=none",           "rate=1000",
                                     "optimiser=sgd",       "batch=1",
                                     "activation=identity", "hidden=8-8-8",
                                     "tau=identity",        NULL };
    struct peck_dataset *const d = task_dataset(&sample, 7);
    struct train_setup c;
    struct sgd s;
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };
    peck_status st = PECK_OK;

    (void)state;
    for (size_t i = 0; i < d->n_docs * d->dim; i++)
        d->x_owned[i] *= 1e8f;
    train_setup_open(&c, "directranker", settings, d, NULL, NULL, 1);
    open_sgd(&s, &c);
    for (size_t e = 1; st == PECK_OK && e <= 50; e++)
        st = sgd_epoch(&s, e, &stats, &err);
    assert_int_equal(st, PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "--norm");
    assert_failed(err, PECK_DIVERGED, "rate");
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

static bool always(void *ctx)
{
    ++*(int *)ctx;
    return true;
}

static void a_stop_is_heard_after_the_first_batch(void **state)
{
    const char *const settings[] = { "batch=1", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 8);
    struct train_setup c;
    struct sgd s;
    struct epoch_stats stats = { 0 };
    int n_asked = 0;

    (void)state;
    train_setup_open(&c, "ranknet", settings, d, NULL, NULL, 1);
    c.task.is_stopped = always;
    c.task.ctx = &n_asked;
    open_sgd(&s, &c);
    assert_int_equal(sgd_epoch(&s, 1, &stats, NULL), PECK_STOPPED);
    assert_int_equal(n_asked, 1);
    assert_int_equal(s.optim.t, 1);
    sgd_close(&s);
    train_setup_close(&c);
    peck_dataset_free(d);
}

/* Weights after an epoch of ranknet, where query `turned` has its labels turned round. */
static void weights_after_an_epoch(const struct peck_dataset *d, size_t turned, float *w,
                                   size_t n)
{
    const char *const settings[] = { "norm=none", "hidden=3", "batch=2", NULL };
    struct peck_dataset *other = NULL;
    struct learner_fixture f;
    peck_error err = { 0 };

    assert_ok(dataset_with_labels(&other, d, d->label, &err), err);
    for (size_t i = 0; turned < d->n_queries && i < dataset_query_size(d, turned); i++)
        other->label[d->start[turned] + i] = 2.0f - d->label[d->start[turned] + i];
    fixture_open(&f, "ranknet", settings, other, NULL, 1);
    assert_true(f.setup.plan.n_weights <= n);
    fixture_epoch(&f);
    memcpy(w, f.setup.w, f.setup.plan.n_weights * sizeof *w);
    fixture_close(&f);
    peck_dataset_free(other);
}

static void every_query_is_learnt_from_in_an_epoch(void **state)
{
    enum { N_QUERIES = 7, ROOM = 64 }; /* three batches of two, and one alone */
    static const struct task_sample few = { .n_queries = 7, .max_docs = 8, .dim = 4 };
    struct peck_dataset *const d = task_dataset(&few, 1);
    float plain[ROOM] = { 0 }, w[ROOM] = { 0 };

    (void)state;
    weights_after_an_epoch(d, N_QUERIES, plain, ROOM);
    weights_after_an_epoch(d, N_QUERIES, w, ROOM);
    assert_memory_equal(w, plain, sizeof w);
    for (size_t q = 0; q < N_QUERIES; q++) {
        weights_after_an_epoch(d, q, w, ROOM);
        if (memcmp(w, plain, sizeof w) == 0)
            fail_msg("query %zu teaches nothing", q + 1);
    }
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_the_mean_of_its_queries),
        cmocka_unit_test(every_query_is_learnt_from_in_an_epoch),
        cmocka_unit_test(the_gradient_is_that_of_the_loss),
        cmocka_unit_test(threads_do_not_change_a_gradient),
        cmocka_unit_test(queries_weigh_what_the_data_says),
        cmocka_unit_test(balance_counts_pairs),
        cmocka_unit_test(a_batch_grows_with_what_teaches),
        cmocka_unit_test(plain_descent_stays_as_it_is),
        cmocka_unit_test(a_staircase_falls_by_its_factor),
        cmocka_unit_test(a_cosine_ends_near_nothing),
        cmocka_unit_test(warmup_rises_from_a_first_step_that_is_not_0),
        cmocka_unit_test(halving_follows_a_loss_that_rises),
        cmocka_unit_test(losses_fall),
        cmocka_unit_test(a_run_away_is_told_with_its_cure),
        cmocka_unit_test(a_stop_is_heard_after_the_first_batch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
