/* fuzz_side.c -- the small files beside a dataset.  Byte 0 chooses: names of features,
 * sizes of groups, weights of queries, or the text that asks for columns.            */
#include "memory_file.h"
#include "promise.h"

#include <stdlib.h>
#include <string.h>

enum side { NAMES, SIZES, WEIGHTS, COLUMNS };

/* Column lists are no file: they come as a C string. */
static char *text_of(const uint8_t *data, size_t size)
{
    char *const text = calloc(size + 1, 1);

    if (text != NULL && size > 0)
        memcpy(text, data, size);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char grouped[] = "1 qid:a 1:1 2:5\n0 qid:b 1:2\n2 qid:b 2:3\n";
    static const char plain[] = "1 1:1 2:5\n0 1:2\n2 2:3\n";
    peck_read_options options = { .format = "letor", .threads = 1 };
    peck_dataset *d = NULL;
    peck_error err = { PECK_OK, "" };

    if (size == 0)
        return 0;
    const enum side side = data[0] & 3;
    const char *const text = side == SIZES ? plain : grouped;
    char *const columns = side == COLUMNS ? text_of(data + 1, size - 1) : NULL;

    options.feature_names = side == NAMES ? "side" : NULL;
    options.query_sizes = side == SIZES ? "side" : NULL;
    options.query_weights = side == WEIGHTS ? "side" : NULL;
    options.features = columns;
    memory_file("data.txt", (const uint8_t *)text, strlen(text));
    memory_file("side", data + 1, size - 1);
    const peck_status st = peck_dataset_read(&d, "data.txt", &options, &err);

    promise_outcome(st, d, &err);
    if (st == PECK_OK)
        promise_dataset(d);
    peck_dataset_free(d);
    free(columns);
    memory_clear();
    return 0;
}
