/* 03_compare.c -- makes a data set, ranks it by two of its features and asks whether the
 * difference between them is real.                                                  */
#include <peck.h>

#include <stdio.h>
#include <stdlib.h>

/* What happens in order; each step only if all before it went well. */
static peck_status make_and_read(peck_dataset **data, const char *path, peck_error *err)
{
    const char *const settings[] = { "queries=60", "docs=20", NULL };
    const peck_generate_spec spec = {
        .kind = "web", .settings = settings, .seed = 7, .path = path
    };
    const peck_status st = peck_generate(&spec, err);

    return st == PECK_OK ? peck_dataset_read(data, path, NULL, err) : st;
}

/* score[row] = feature i of that row. */
static void score_by_feature(double *score, const peck_dataset *data, size_t i)
{
    peck_dataset_info info;
    peck_query q;

    peck_dataset_describe(data, &info);
    for (size_t k = 0; k < info.n_queries; k++) {
        peck_dataset_query(data, k, &q);
        for (size_t d = 0; d < q.n_docs; d++)
            score[q.first + d] = q.x[d * q.stride + i];
    }
}

static peck_status compare(const peck_dataset *data, peck_error *err)
{
    const char *const names[] = { "bm25", "length" };
    const size_t features[] = { 0, 6 };
    peck_dataset_info info;
    peck_report *report = NULL;

    peck_dataset_describe(data, &info);
    double *const one = calloc(info.n_docs, sizeof *one);
    double *const two = calloc(info.n_docs, sizeof *two);
    const double *const score[] = { one, two };
    peck_status st = one != NULL && two != NULL ? PECK_OK : PECK_NOMEM;

    if (st == PECK_OK) {
        score_by_feature(one, data, features[0]);
        score_by_feature(two, data, features[1]);
        st = peck_compare(&report,
                          &(peck_compare_spec){ .n_folds = 1,
                                                .n_runs = 2,
                                                .data = &data,
                                                .name = names,
                                                .score = score,
                                                .resamples = 1000 },
                          err);
    }
    if (st == PECK_OK)
        st = peck_report_write(report, stdout, "tsv", err);
    peck_report_free(report);
    free(one);
    free(two);
    return st;
}

int main(int argc, char **argv)
{
    peck_dataset *data = NULL;
    peck_error err = { PECK_OK, "" };

    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE-TO-MAKE\n", argv[0]);
        return 2;
    }
    peck_status st = make_and_read(&data, argv[1], &err);

    if (st == PECK_OK)
        st = compare(data, &err);
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    peck_dataset_free(data);
    return st == PECK_OK ? 0 : 1;
}
