/* test_train_memory.c -- what training holds beside the caller's features: parts that are held
 * out are no copies, trees and ridge keep no normalised rows, and others keep them once.
 *
 * The heap is looked at after every epoch; under a sanitizer, whose heap is not libc's, nothing
 * is seen. */
#include "support/check.h"

#include "base/rng.h"
#include "peck.h"

#include <malloc.h>

enum { QUERIES = 400, DOCS = 100, DIM = 100, N = QUERIES * DOCS };

static size_t heap_bytes(void)
{
    const struct mallinfo2 told = mallinfo2();

    return told.uordblks + told.hblkhd;
}

/* The most that an epoch has seen. */
static int watch_heap(void *ctx, const peck_epoch *e)
{
    size_t *const most = ctx;

    (void)e;
    *most = heap_bytes() > *most ? heap_bytes() : *most;
    return 0;
}

static void training_holds_little_beside_the_features(void **state)
{
    static const struct {
        const char *method, *settings[6];
        double most; /* of the size of the features */
    } cases[] = {
        { "lambdamart",
          { "norm=none", "trees=3", "leaves=4", "bins=64", "size=small", NULL },
          0.8 },
        { "mart", { "norm=query-zscore", "trees=3", "leaves=4", "bins=64", NULL }, 0.8 },
        { "ridge", { NULL }, 0.75 },
        { "ranksvm", { NULL }, 1.4 },
        { "ranknet", { "norm=zscore", "hidden=4", "epochs=2", "size=small", NULL }, 1.4 },
    };
    float *const x = calloc((size_t)N * DIM, sizeof *x), *const label =
                                                             calloc(N, sizeof *x);
    uint32_t sizes[QUERIES];
    peck_dataset *d;
    peck_error err = { 0 };
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 1);
    for (size_t i = 0; i < (size_t)N * DIM; i++)
        x[i] = (float)rng_normal(&r);
    for (size_t i = 0; i < N; i++)
        label[i] = x[i * DIM] > 0.5f ? 1.0f : 0.0f;
    for (size_t q = 0; q < QUERIES; q++)
        sizes[q] = DOCS;
    assert_ok(peck_dataset_wrap(&d, x, N, DIM, label, sizes, QUERIES, &err), err);
    for (size_t k = 0; k < N_OF(cases); k++) {
        const size_t before = heap_bytes();
        size_t most = 0;
        peck_model *m;

        assert_ok(peck_train(&m,
                             &(peck_train_spec){ .train = d,
                                                 .method = cases[k].method,
                                                 .settings = cases[k].settings,
                                                 .threads = 2,
                                                 .progress = watch_heap,
                                                 .ctx = &most },
                             &err),
                  err);
        const double share =
            most > before ? (double)(most - before) / ((double)N * DIM * sizeof *x) : 0.0;

        if (share > cases[k].most)
            fail_msg("%s holds %.2f times the features, at most %.2f", cases[k].method,
                     share, cases[k].most);
        peck_model_free(m);
    }
    peck_dataset_free(d);
    free(x);
    free(label);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_holds_little_beside_the_features),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
