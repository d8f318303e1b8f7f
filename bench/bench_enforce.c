/* bench_enforce.c -- what it takes to keep rules at serving time:
 *
 *     bench_enforce DATA RULES
 *
 * Every list of DATA with scores that are drawn, uniform in [0, 1).  One line: the median and
 * the longest seconds of a list, how many lists were put in another order, and for how many
 * that is proven to be the best. */
#include "bench.h"

#include <string.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const peck_read_options options = { .labels_optional = 1 };
    peck_dataset *d = NULL;
    peck_rules *r = NULL;
    peck_enforcer *e = NULL;
    peck_dataset_info info;
    peck_error err;
    size_t n_turned = 0, n_proven = 0;
    uint64_t seed = 1;

    if (argc != 3 || peck_dataset_read(&d, argv[1], &options, &err) != PECK_OK ||
        peck_rules_read(&r, argv[2], &err) != PECK_OK ||
        peck_enforcer_new(&e, r, d, &err) != PECK_OK) {
        fprintf(stderr, "bench_enforce: %s\n", argc != 3 ? "DATA RULES" : err.text);
        return 1;
    }
    peck_dataset_describe(d, &info);
    double *const took = calloc(info.n_queries, sizeof *took);
    double *const score = calloc(info.n_docs, sizeof *score);
    uint32_t *const order = calloc(info.n_docs, sizeof *order);

    for (size_t i = 0; i < info.n_docs; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        score[i] = (double)(seed >> 40) * 0x1.0p-24;
    }
    for (size_t i = 0; i < info.n_queries; i++) {
        peck_enforced found;
        peck_query q;

        peck_dataset_query(d, i, &q);
        const double start = seconds();

        if (peck_enforce(e, q.x, q.n_docs, q.stride, score + q.first, order, NULL, &found,
                         &err) != PECK_OK) {
            fprintf(stderr, "bench_enforce: %s\n", err.text);
            return 1;
        }
        took[i] = seconds() - start;
        n_turned += found.is_turned != 0;
        n_proven += found.is_proven != 0;
    }
    qsort(took, info.n_queries, sizeof *took, by_size);
    printf("%.9f %.9f %zu %zu\n", took[info.n_queries / 2], took[info.n_queries - 1],
           n_turned, n_proven);
    free(took);
    free(score);
    free(order);
    peck_enforcer_free(e);
    peck_rules_free(r);
    peck_dataset_free(d);
    return 0;
}
