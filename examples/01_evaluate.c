/* 01_evaluate.c -- reads a data set and judges one ranking under two conventions.
 *
 *     cc 01_evaluate.c $(pkg-config --cflags --libs peck) -o evaluate
 *     ./evaluate DATA SCORES                                                     */
#include <peck.h>

#include <stdio.h>
#include <stdlib.h>

/* The same order, the same labels: only the rules of measuring differ. */
static peck_status judge(const peck_dataset *data, const double *score,
                         const char *convention, peck_error *err)
{
    const peck_judge_spec how = { .metrics = "ndcg@10,map", .convention = convention };
    peck_report *report = NULL;
    const peck_status st = peck_evaluate_scores(&report, data, score, &how, err);

    if (st == PECK_OK)
        printf("%-9s ndcg@10 %.4f  map %.4f\n", convention,
               peck_report_value(report, "ndcg@10"), peck_report_value(report, "map"));
    peck_report_free(report);
    return st;
}

int main(int argc, char **argv)
{
    peck_dataset *data = NULL;
    peck_dataset_info info = { 0 };
    peck_error err = { PECK_OK, "" };
    double *score = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: %s DATA SCORES\n", argv[0]);
        return 2;
    }
    peck_status st = peck_dataset_read(&data, argv[1], NULL, &err);

    if (st == PECK_OK) {
        peck_dataset_describe(data, &info);
        printf("%zu documents of %zu queries, %zu features\n", info.n_docs, info.n_queries,
               info.n_features);
        score = calloc(info.n_docs, sizeof *score);
        st = score != NULL ? peck_scores_read(score, argv[2], data, &err) : PECK_NOMEM;
    }
    if (st == PECK_OK)
        st = judge(data, score, "standard", &err);
    if (st == PECK_OK)
        st = judge(data, score, "letor4", &err);
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text); /* one sentence, with file and line */
    free(score);
    peck_dataset_free(data);
    return st == PECK_OK ? 0 : 1;
}
