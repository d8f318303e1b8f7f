/* fuzz_cache.c -- the binary cache: a safetensors file.  Its features are checked by the
 * first verb that looks at them, so here by dataset_check_features.  Every way with missing
 * values is tried; those that fill leave none.                                       */
#include "memory_file.h"
#include "promise.h"

#include "data/dataset.h"

static void read_as(const char *missing, size_t size)
{
    const peck_read_options options = { .format = "cache",
                                        .missing = missing,
                                        .labels_optional = missing != NULL,
                                        .threads = 1 };
    peck_dataset *d = NULL;
    struct pool *pool = NULL;
    peck_error err = { PECK_OK, "" };
    const peck_status st = peck_dataset_read(&d, "data.peckdata", &options, &err);

    promise_outcome(st, d, &err);
    if (st == PECK_OK && pool_new(&pool, 1, &err) == PECK_OK &&
        dataset_check_features(d, false, pool, &err) == PECK_OK) {
        promise_dataset(d);
        promise_round_trip(d, size % 2 != 0 ? "csv" : "cache");
    }
    pool_free(pool);
    peck_dataset_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const missing[] = { NULL, "zero", "mean", "keep" };

    memory_file("data.peckdata", data, size);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        read_as(missing[i], size);
    memory_clear();
    return 0;
}
