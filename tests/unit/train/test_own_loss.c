/* A loss of pairs of the caller's own: trained with nets and with trees. */
#include "support/check.h"
#include "support/samples.h"
#include "support/train_setup.h"

#include <math.h>
#include <stdatomic.h>

static peck_error err;

enum { DIM = 4 };

/* RankNet's cross entropy, written by somebody else. */
static void logistic(void *ctx, const float *d, size_t n, float *cost, float *slope,
                     float *bend)
{
    atomic_bool *const asks_for_bend = ctx;

    if (asks_for_bend != NULL && bend != NULL)
        atomic_store(asks_for_bend, true);
    for (size_t i = 0; i < n; i++) {
        const double x = (double)d[i], p = 1 / (1 + exp(x));

        cost[i] = (float)(fmax(-x, 0) + log1p(exp(-fabs(x))));
        slope[i] = (float)-p;
        if (bend != NULL)
            bend[i] = (float)(p * (1 - p));
    }
}

/* e^-d, as RankBoost has it. */
static void exponential(void *ctx, const float *d, size_t n, float *cost, float *slope,
                        float *bend)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        cost[i] = expf(-d[i]);
        slope[i] = -cost[i];
        if (bend != NULL)
            bend[i] = cost[i];
    }
}

static struct peck_dataset *make_data(void)
{
    struct peck_dataset *const d = sample_dataset(
        &(struct sample){ .n_queries = 40, .max_docs = 15, .dim = DIM, .n_grades = 4 }, 11);

    for (size_t i = 0; i < d->n_docs; i++) /* something to learn */
        d->x_owned[i * DIM + 1] = d->label[i] + 0.3f * d->x_owned[i * DIM + 1];
    return d;
}

static peck_status train(peck_model **m, const char *method, const peck_dataset *d,
                         const peck_pair_loss *loss)
{
    static const char *const nets[] = { "epochs=5", NULL };
    static const char *const sigmas[] = { "epochs=5", "sigma=1", NULL };
    static const char *const trees[] = { "trees=8", "leaves=4", NULL };

    const char *const *const settings = strcmp(method, "lambdamart") == 0   ? trees
                                        : strcmp(method, "lambdarank") == 0 ? sigmas
                                        : strcmp(method, "ridge") == 0      ? NULL
                                                                            : nets;

    return peck_train(m,
                      &(peck_train_spec){ .method = method,
                                          .settings = settings,
                                          .train = d,
                                          .valid_split = -1,
                                          .own_loss = loss,
                                          .threads = 2 },
                      &err);
}

static double *scores_of(const char *method, const peck_dataset *d,
                         const peck_pair_loss *loss)
{
    double *const score = calloc(d->n_docs, sizeof *score);
    peck_model *m = NULL;

    assert_ok(train(&m, method, d, loss), err);
    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    peck_model_free(m);
    return score;
}

static double farthest(const double *a, const double *b, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* A loss of pairs needs no labels: preferences are pairs too. */
static void preferences_are_learnt_with_it(void **state)
{
    static const char *const settings[] = { "epochs=30", NULL };
    struct peck_dataset *const d = make_data();
    struct peck_prefs *const prefs = prefs_of_labels(d, 3);
    const peck_pair_loss mine = { .name = "logistic", .cost = logistic };
    const peck_train_spec spec = { .method = "ranknet",
                                   .settings = settings,
                                   .train = d,
                                   .pairs = prefs,
                                   .valid_split = -1,
                                   .own_loss = &mine };
    double *const score = calloc(d->n_docs, sizeof *score);
    peck_model *m = NULL;
    size_t n_right = 0;

    (void)state;
    assert_ok(peck_train(&m, &spec, &err), err);
    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    for (size_t i = 0; i < prefs->n; i++) {
        const peck_pref p = peck_prefs_at(prefs, i);

        n_right += (score[p.winner] > score[p.loser]) == (p.probability > 0.5f);
    }
    assert_true((double)n_right > 0.6 * (double)prefs->n);
    free(score);
    peck_model_free(m);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

/* A method with its own loss given back to it learns what it learnt. */
static void the_same_loss_learns_the_same(void **state)
{
    static const char *const methods[] = { "ranknet", "lambdarank", "lambdamart" };
    struct peck_dataset *const d = make_data();

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        const peck_pair_loss mine = { .name = "logistic", .cost = logistic };
        const peck_pair_loss other = { .name = "exponential", .cost = exponential };
        double *const theirs = scores_of(methods[i], d, NULL);
        double *const own = scores_of(methods[i], d, &mine);
        double *const unlike = scores_of(methods[i], d, &other);

        const double near = farthest(theirs, own, d->n_docs);
        const double far = farthest(theirs, unlike, d->n_docs);

        /* Nets make more of the last bits of a slope than trees do. */
        assert_true(near < (strcmp(methods[i], "lambdamart") == 0 ? 1e-5 : 0.02));
        assert_true(far > 0.05 && far > 5 * near);
        free(theirs);
        free(own);
        free(unlike);
    }
    peck_dataset_free(d);
}

static void trees_ask_for_second_derivatives(void **state)
{
    struct peck_dataset *const d = make_data();
    atomic_bool asks = false;
    const peck_pair_loss mine = { .name = "logistic", .cost = logistic, .ctx = &asks };

    (void)state;
    free(scores_of("lambdarank", d, &mine));
    assert_false(asks);
    free(scores_of("lambdamart", d, &mine));
    assert_true(asks);
    peck_dataset_free(d);
}

static void the_model_says_so(void **state)
{
    struct peck_dataset *const d = make_data();
    peck_model *m = NULL;
    peck_report *r = NULL;
    peck_bytes text;

    (void)state;
    assert_ok(train(&m, "ranknet", d,
                    &(peck_pair_loss){ .name = "my loss", .cost = exponential }),
              err);
    assert_ok(peck_model_describe(&r, m, &err), err);
    assert_ok(peck_report_print(&text, r, "text", &err), err);
    assert_non_null(strstr(text.s, "my loss, the caller's own"));
    peck_bytes_free(&text);
    peck_report_free(r);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void refused(const char *method, const peck_pair_loss *loss, const char *words)
{
    struct peck_dataset *const d = make_data();
    peck_model *m = NULL;

    assert_int_equal(train(&m, method, d, loss), PECK_ARG);
    assert_failed(err, PECK_ARG, words);
    assert_null(m);
    peck_dataset_free(d);
}

static void odd_losses_are_refused(void **state)
{
    const peck_pair_loss mine = { .name = "logistic", .cost = logistic };

    (void)state;
    refused("listnet", &mine, "listnet has no loss of pairs");
    refused("sortnet", &mine, "sortnet has no loss of pairs");
    refused("ridge", &mine, "ridge has no loss of pairs");
    refused("ranknet", &(peck_pair_loss){ .cost = logistic }, "a name of one line");
    refused("ranknet", &(peck_pair_loss){ .name = "a\nb", .cost = logistic },
            "a name of one line");
    refused("ranknet", &(peck_pair_loss){ .name = "x" }, "has a cost");
    refused("ranknet", &(peck_pair_loss){ .size = 4096, .name = "x", .cost = logistic },
            ".size is");
}

static void nonsense(void *ctx, const float *d, size_t n, float *cost, float *slope,
                     float *bend)
{
    (void)ctx, (void)d, (void)bend;
    for (size_t i = 0; i < n; i++)
        cost[i] = slope[i] = NAN;
}

static void a_loss_of_nonsense_is_told(void **state)
{
    struct peck_dataset *const d = make_data();
    peck_model *m = NULL;

    (void)state;
    assert_int_equal(
        train(&m, "ranknet", d, &(peck_pair_loss){ .name = "nan", .cost = nonsense }),
        PECK_DIVERGED);
    assert_null(m);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_loss_learns_the_same),
        cmocka_unit_test(preferences_are_learnt_with_it),
        cmocka_unit_test(trees_ask_for_second_derivatives),
        cmocka_unit_test(the_model_says_so),
        cmocka_unit_test(odd_losses_are_refused),
        cmocka_unit_test(a_loss_of_nonsense_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
