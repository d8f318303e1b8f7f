/* fuzz_csv.c -- CSV and TSV.  Byte 0 chooses the format and how it is read. */
#include "memory_file.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const missing[] = { "error", "zero", "mean", NULL };
    static const char *const features[] = { NULL, "2,1" };
    static const char *const formats[] = { "csv", "tsv" };
    static const char *const columns[] = { NULL, "2", "f", "label" };
    peck_dataset *d = NULL;
    peck_error err = { PECK_OK, "" };

    if (size == 0)
        return 0;
    const char *const format = formats[(data[0] >> 4) & 1];
    const peck_read_options options = { .format = format,
                                        .missing = missing[data[0] & 3],
                                        .features = features[(data[0] >> 2) & 1],
                                        .labels_optional = (data[0] >> 5) & 1,
                                        .label_column = columns[data[0] >> 6],
                                        .threads = 1 };

    memory_file("data.csv", data + 1, size - 1);
    const peck_status st = peck_dataset_read(&d, "data.csv", &options, &err);

    promise_outcome(st, d, &err);
    if (st == PECK_OK) {
        promise_dataset(d);
        promise_round_trip(d, (data[0] & 8) != 0 ? format : "cache");
    }
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
