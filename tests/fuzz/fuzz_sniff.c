/* fuzz_sniff.c -- bytes of unknown format: the readers themselves tell whose they are.
 * Byte 0 chooses the file's name, which some of them look at.                         */
#include "memory_file.h"
#include "promise.h"

#include "data/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "data.txt", "data.csv", "data.tsv", "data.cache" };
    const peck_read_options options = { .missing = "zero", .threads = 1 };
    peck_dataset *d = NULL;
    struct pool *pool = NULL;
    peck_error err = { PECK_OK, "" };

    if (size == 0)
        return 0;
    const char *const name = names[data[0] & 3];

    memory_file(name, data + 1, size - 1);
    const peck_status st = peck_dataset_read(&d, name, &options, &err);

    promise_outcome(st, d, &err);
    if (st == PECK_OK && pool_new(&pool, 1, &err) == PECK_OK &&
        dataset_check_features(d, false, pool, &err) == PECK_OK)
        promise_dataset(d);
    pool_free(pool);
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
