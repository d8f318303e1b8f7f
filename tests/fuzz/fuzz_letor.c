/* fuzz_letor.c -- LETOR text.  Byte 0 chooses how it is read; the text follows; after a
 * zero byte, the file of group sizes that lies beside text without qid.               */
#include "memory_file.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const missing[] = { "error", "zero", "mean", NULL };
    static const char *const features[] = { NULL, "2,1" };
    peck_dataset *d = NULL;
    peck_error err = { PECK_OK, "" };
    const uint8_t *sizes;
    size_t n_sizes;

    if (size == 0)
        return 0;
    const peck_read_options options = { .format = "letor",
                                        .missing = missing[data[0] & 3],
                                        .features = features[(data[0] >> 2) & 1],
                                        .zero_based = (data[0] >> 4) & 1,
                                        .labels_optional = (data[0] >> 5) & 1,
                                        .threads = 1 };
    const size_t n = cut_at_zero(data + 1, size - 1, &sizes, &n_sizes);

    memory_file("data.txt", data + 1, n);
    if (n_sizes > 0)
        memory_file("data.txt.query", sizes, n_sizes);
    const peck_status st = peck_dataset_read(&d, "data.txt", &options, &err);

    promise_outcome(st, d, &err);
    if (st == PECK_OK) {
        promise_dataset(d);
        promise_round_trip(d, (data[0] & 8) != 0 ? "letor" : "cache");
    }
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
