/* fuzz_scores.c -- a score file for a dataset of four documents whose rows had to be
 * gathered.                                                                         */
#include "memory_file.h"
#include "promise.h"

#include <math.h>
#include <string.h>

enum { N_DOCS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "1 qid:a 1:1\n0 qid:b 1:2\n2 qid:a 1:3\n? qid:b 1:4\n";
    const peck_read_options options = { .format = "letor", .threads = 1 };
    double score[N_DOCS] = { 0 };
    peck_dataset *d = NULL;
    peck_error err = { PECK_OK, "" };

    memory_file("data.txt", (const uint8_t *)text, strlen(text));
    memory_file("scores.txt", data, size);
    promise(peck_dataset_read(&d, "data.txt", &options, &err) == PECK_OK,
            "the dataset is fine");
    const peck_status st = peck_scores_read(score, "scores.txt", d, &err);

    promise_outcome(st, st == PECK_OK ? score : NULL, &err);
    for (size_t i = 0; st == PECK_OK && i < N_DOCS; i++)
        promise(isfinite(score[i]), "scores are finite");
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
