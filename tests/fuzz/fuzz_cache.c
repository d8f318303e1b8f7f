/* fuzz_cache.c -- the binary cache: a safetensors file.  Its features are checked by the
 * first verb that looks at them, so here by dataset_check_features.                  */
#include "memory_file.h"
#include "promise.h"

#include "data/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const peck_read_options options = { .format = "cache", .threads = 1 };
    peck_dataset *d = NULL;
    struct pool *pool = NULL;
    peck_error err = { PECK_OK, "" };

    memory_file("data.peckdata", data, size);
    const peck_status st = peck_dataset_read(&d, "data.peckdata", &options, &err);

    promise_outcome(st, d, &err);
    if (st == PECK_OK && pool_new(&pool, 1, &err) == PECK_OK &&
        dataset_check_features(d, false, pool, &err) == PECK_OK) {
        promise_dataset(d);
        promise_round_trip(d, size % 2 != 0 ? "csv" : "cache");
    }
    pool_free(pool);
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
