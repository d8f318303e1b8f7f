/* 02_wrap.c -- judges a ranking of arrays that a program already has: no file, no copy
 * of the features.                                                                  */
#include <peck.h>

#include <stdio.h>

enum { N_DOCS = 5, N_FEATURES = 2, N_QUERIES = 2 };

int main(void)
{
    /* Rows of a query are adjacent: three documents of the first, two of the second. */
    static const float x[N_DOCS][N_FEATURES] = {
        { 0.2f, 1 }, { 0.9f, 0 }, { 0.4f, 0 }, { 0.1f, 1 }, { 0.8f, 1 }
    };
    static const float label[N_DOCS] = { 2, 0, 1, 0, 1 };
    static const uint32_t docs_in_query[N_QUERIES] = { 3, 2 };
    double score[N_DOCS];
    peck_dataset *data = NULL;
    peck_report *report = NULL;
    peck_error err = { PECK_OK, "" };
    const peck_judge_spec how = { .metrics = "ndcg@3,mrr,pairacc" };

    /* The ranking to be judged: by the first feature. */
    for (size_t i = 0; i < N_DOCS; i++)
        score[i] = x[i][0];
    peck_status st = peck_dataset_wrap(&data, &x[0][0], N_DOCS, N_FEATURES, label,
                                       docs_in_query, N_QUERIES, &err);

    if (st == PECK_OK)
        st = peck_evaluate_scores(&report, data, score, &how, &err);
    if (st == PECK_OK)
        st = peck_report_write(report, stdout, "tsv", &err);
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    peck_report_free(report);
    peck_dataset_free(data);
    return st == PECK_OK ? 0 : 1;
}
