/* bench_load.c -- reads a file once and says how long that took and how much memory it
 * needed:  bench_load FILE [THREADS]
 *
 * One line: seconds, peak resident bytes, bytes of the dense form, documents.  A fresh
 * process per measurement, so that no reading is warmed up by the one before.      */
#include "bench.h"

#include <sys/resource.h>

int main(int argc, char **argv)
{
    peck_read_options how = { .threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0 };
    peck_dataset_info info;
    peck_dataset *d;
    peck_error err;
    struct rusage use;
    const double start = seconds();

    if (argc < 2 || peck_dataset_read(&d, argv[1], &how, &err) != PECK_OK) {
        fprintf(stderr, "bench_load: %s\n", argc < 2 ? "name a file" : err.text);
        return 1;
    }
    const double took = seconds() - start;

    getrusage(RUSAGE_SELF, &use);
    peck_dataset_describe(d, &info);
    printf("%.9f %ld %zu %zu\n", took, use.ru_maxrss * 1024L,
           info.n_docs * info.n_features * sizeof(float), info.n_docs);
    peck_dataset_free(d);
    return 0;
}
