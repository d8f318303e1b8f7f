/* test_orders.c -- which orders DirectRanker can learn: what Theorems 2 to 4 of Koeppel et
 * al. 2019 come to for training data.
 *
 *   2   any order of countably many documents will do: whatever labels people give
 *   3   every order of documents that lie apart can be represented, ties too
 *   4   so can an order of a whole region whose better and worse parts are open: then
 *       documents that nobody judged go where they belong                              */
#include "support/check.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 2, MOST = 400 };

static peck_error err;

struct points {
    float x[MOST * DIM], label[MOST];
    uint32_t n;
};

/* One list of these points. */
static peck_dataset *list_of(const struct points *p)
{
    peck_dataset *d;

    assert_ok(peck_dataset_wrap(&d, p->x, p->n, DIM, p->label, &p->n, 1, &err), err);
    return d;
}

static peck_model *learn(const peck_dataset *d, const char *const *settings)
{
    const peck_train_spec spec = { .method = "directranker",
                                   .settings = settings,
                                   .train = d,
                                   .valid_split = -1.0,
                                   .seed = 1,
                                   .threads = 1 };
    peck_model *m;

    assert_ok(peck_train(&m, &spec, &err), err);
    return m;
}

/* Of the pairs whose labels differ the share in the order of the labels; r(x, y) = 0 counts
 * as wrong. */
static double share_right(const peck_model *m, const struct points *p, double *score)
{
    peck_dataset *const d = list_of(p);
    double right = 0.0, all = 0.0;

    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            if (p->label[i] > p->label[j]) {
                all += 1.0;
                right += score[i] > score[j];
            }
    peck_dataset_free(d);
    return right / all;
}

static const char *const roomy[] = { "hidden=60-30", "norm=none",  "epochs=1500",
                                     "rate=0.005",   "decay=0",    "l2=0",
                                     "batch=1",      "size=small", "dropout=0",
                                     "tau=identity", NULL };

/* Points of a grid in an order that was drawn: no shape to it, and some are tied. */
static void any_order_of_documents_that_lie_apart_is_learnt(void **state)
{
    enum { SIDE = 5 };

    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct points p = { .n = SIDE * SIDE };
        double score[MOST];
        struct rng r;

        rng_seed(&r, seed, 1);
        for (uint32_t i = 0; i < p.n; i++) {
            p.x[DIM * i] = (float)(i / SIDE) - 2.0f;
            p.x[DIM * i + 1] = (float)(i % SIDE) - 2.0f;
            p.label[i] = (float)rng_below(&r, 12);
        }
        peck_dataset *const d = list_of(&p);
        peck_model *const m = learn(d, roomy);
        const double right = share_right(m, &p, score);

        if (right < 1.0)
            fail_msg("order %d: %.4f of its pairs", (int)seed, right);
        peck_model_free(m);
        peck_dataset_free(d);
    }
}

/* Better the nearer to a circle: the better and the worse of any point are open sets, and no
 * direction is better than its opposite. */
static void draw_ring(struct points *p, uint32_t n, struct rng *r)
{
    p->n = n;
    for (uint32_t i = 0; i < n; i++) {
        float *const x = p->x + (size_t)i * DIM;

        x[0] = (float)rng_between(r, -2.0, 2.0);
        x[1] = (float)rng_between(r, -2.0, 2.0);
        p->label[i] =
            (float)(10.0 - 10.0 * fabs(sqrt((double)(x[0] * x[0] + x[1] * x[1])) - 1.0));
        p->label[i] = p->label[i] > 0.0f ? p->label[i] : 0.0f;
    }
}

static void an_order_of_a_region_holds_where_nobody_judged(void **state)
{
    struct points known, fresh;
    double score[MOST];
    struct rng r;

    (void)state;
    rng_seed(&r, 8, 1);
    draw_ring(&known, 300, &r);
    draw_ring(&fresh, MOST, &r);
    peck_dataset *const d = list_of(&known);
    peck_model *const m = learn(d, roomy);
    const double right = share_right(m, &fresh, score);

    if (right < 0.97)
        fail_msg("%.4f of fresh pairs", right);
    /* A line, which cannot turn back, cannot have learnt it: the test can fail. */
    peck_model *const line =
        learn(d, (const char *const[]){ "hidden=0", "norm=none", "size=small", NULL });

    assert_true(share_right(line, &fresh, score) < 0.7);
    peck_model_free(line);
    peck_model_free(m);
    peck_dataset_free(d);
}

/* "If there are no two documents with the same features but different relevances": where
 * there are, r(x, x) = 0 whatever is learnt, and all else is still put right. */
static void documents_alike_are_tied_whatever_their_labels(void **state)
{
    struct points p = { .n = 8 };
    double score[MOST];

    (void)state;
    for (uint32_t i = 0; i < p.n; i++) {
        p.x[DIM * i] = (float)(i / 2);
        p.x[DIM * i + 1] = (float)((i / 2) * (i / 2)) / 4.0f;
        p.label[i] = (float)(i / 2 + (i % 2 && i / 2 == 1)); /* 0 0, 1 2, 2 2, 3 3 */
    }
    peck_dataset *const d = list_of(&p);
    peck_model *const m = learn(d, roomy);

    share_right(m, &p, score);
    assert_true(same_double(score[2], score[3]));
    assert_true(score[6] > score[4] && score[4] > score[2] && score[2] > score[0]);
    peck_model_free(m);
    peck_dataset_free(d);
}

/* Pairs of neighbouring classes alone: those further apart follow (consequence ii of
 * Theorem 1), as long as every class is there. */
static void classes_that_were_never_compared_are_in_order(void **state)
{
    static const char *const paper[] = { "preset=paper", "norm=none", "epochs=200",
                                         "patience=0", NULL };
    struct points p = { .n = 60 };
    double score[MOST];
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 1);
    for (uint32_t i = 0; i < p.n; i++) {
        p.label[i] = (float)(i % 5);
        p.x[DIM * i] = (float)rng_between(&r, -1.0, 1.0);
        p.x[DIM * i + 1] = 0.4f * p.label[i] - 1.0f + (float)rng_between(&r, -0.1, 0.1);
    }
    peck_dataset *const d = list_of(&p);
    peck_model *const m = learn(d, paper);

    assert_true(share_right(m, &p, score) > 0.999);
    peck_model_free(m);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_documents_that_lie_apart_is_learnt),
        cmocka_unit_test(an_order_of_a_region_holds_where_nobody_judged),
        cmocka_unit_test(documents_alike_are_tied_whatever_their_labels),
        cmocka_unit_test(classes_that_were_never_compared_are_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
