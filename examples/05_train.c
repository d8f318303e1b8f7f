/* 05_train.c -- trains on arrays that a program has, keeps the model as a file, and ranks
 * the documents of a new query with it, as a program that serves would.               */
#include <peck.h>

#include <stdio.h>

enum { N_FEATURES = 2, N_DOCS = 6, N_QUERIES = 2, N_NEW = 3 };

/* Prices and stars of what was offered, and who bought: 1. */
static peck_status train_and_save(const char *path, peck_error *err)
{
    static const float x[N_DOCS][N_FEATURES] = { { 9, 3 }, { 5, 4 },  { 7, 1 },
                                                 { 4, 2 }, { 20, 5 }, { 6, 5 } };
    static const float label[N_DOCS] = { 0, 1, 0, 0, 0, 1 };
    static const uint32_t docs_in_query[N_QUERIES] = { 3, 3 };
    peck_dataset *data = NULL;
    peck_model *model = NULL;
    peck_status st = peck_dataset_wrap(&data, &x[0][0], N_DOCS, N_FEATURES, label,
                                       docs_in_query, N_QUERIES, err);

    /* Other methods are as easy to name; so few queries leave none to hold out.  Unless
     * trained alone, most models have scores that depend on the other documents of the
     * list: they order it, often better, but are no scores of one offer by itself. */
    if (st == PECK_OK)
        st = peck_train(&model,
                        &(peck_train_spec){ .method = "ridge", .alone = 1, .train = data },
                        err);
    if (st == PECK_OK)
        st = peck_model_save(model, path, err);
    peck_model_free(model);
    peck_dataset_free(data);
    return st;
}

/* Raw features go in, the whole list at once: the model scales them as in training. */
static peck_status rank(const peck_model *model, const float *x, peck_error *err)
{
    peck_scorer *scorer = NULL; /* one a thread, for as many queries as come */
    double score[N_NEW];
    uint32_t order[N_NEW];
    peck_status st = peck_scorer_new(&scorer, model, err);

    if (st == PECK_OK)
        st = peck_score(scorer, x, N_NEW, N_FEATURES, score, err);
    if (st == PECK_OK)
        st = peck_order(score, N_NEW, order, err);
    for (size_t i = 0; st == PECK_OK && i < N_NEW; i++)
        printf("%zu. price %g, stars %g\n", i + 1, (double)x[order[i] * N_FEATURES],
               (double)x[order[i] * N_FEATURES + 1]);
    if (st == PECK_OK)
        printf("a score %s\n", peck_model_scores_alone(model)
                                   ? "is of one offer alone"
                                   : "depends on the other offers of the list");
    peck_scorer_free(scorer);
    return st;
}

int main(int argc, char **argv)
{
    static const float offers[N_NEW][N_FEATURES] = { { 18, 4 }, { 5, 2 }, { 6, 4 } };
    peck_model *model = NULL;
    peck_error err = { PECK_OK, "" };

    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL-TO-MAKE\n", argv[0]);
        return 2;
    }
    peck_status st = train_and_save(argv[1], &err);

    if (st == PECK_OK)
        st = peck_model_load(&model, argv[1], &err);
    if (st == PECK_OK)
        st = rank(model, &offers[0][0], &err);
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    peck_model_free(model);
    return st == PECK_OK ? 0 : 1;
}
