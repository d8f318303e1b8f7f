/* training.c -- options of training, and the specification they make. */
#include "training.h"

#include <stdlib.h>
#include <string.h>

#define JUDGING(field) \
    (offsetof(struct training, judging) + offsetof(struct judging, field))

/* Told by its place from the same share on the command line. */
static const char usual_split[] = "0.2";

const struct opt training_rows[] = {
    { "method", 'm', OPT_TEXT, "METHOD", "lambdaneuralrank",
      "what to train (`peck list methods`)", offsetof(struct training, method) },
    { "set", 0, OPT_LIST, "KEY=VALUE", NULL,
      "a setting of the method, as often as needed (`peck help METHOD`)",
      offsetof(struct training, settings) },
    { "norm", 0, OPT_TEXT, "NORM", NULL,
      "how features are scaled, perhaps two views as in quantile+query-zscore; without it "
      "the method's own (`peck list norms`)",
      offsetof(struct training, norm) },
    { "alone", 0, OPT_FLAG, NULL, NULL,
      "score each document by itself, whatever list it comes in: scaled without the query, "
      "an ensemble by its scores of the training data",
      offsetof(struct training, is_alone) },
    { "metric", 0, OPT_JOIN, "LIST", "ndcg@10,map",
      "the first chooses the best epoch; all are measured on test data (`peck list "
      "metrics`)",
      JUDGING(metrics) },
    { "convention", 'c', OPT_TEXT, "NAME", "standard",
      "whose rules to measure by, perhaps with parts: letor4,gain=linear (`peck list "
      "conventions`)",
      JUDGING(convention) },
    { "valid-split", 0, OPT_TEXT, "SHARE", usual_split,
      "without validation data: the share of the queries held out (0: none; none either "
      "below 10 queries, unless you say so)",
      offsetof(struct training, valid_split) },
    { "binarise", 0, OPT_REAL, "T", NULL, "train on label >= T instead of the labels",
      offsetof(struct training, binarise) },
    { "ensemble", 0, OPT_COUNT, "N", "1", "nets from as many seeds, their scores averaged",
      offsetof(struct training, ensemble) },
    { "seed", 0, OPT_COUNT, "N", "1", "the same seed gives the same bytes", JUDGING(seed) },
    { 0 }
};

char *first_metric(const struct training *t, peck_error *err)
{
    const size_t length = strcspn(t->judging.metrics, ",");
    char *first = malloc(length + 1);

    if (first == NULL) {
        refuse(err, PECK_NOMEM, "out of memory");
        return NULL;
    }
    memcpy(first, t->judging.metrics, length);
    first[length] = '\0';
    return first;
}

/* The usual share is left to the library, which knows when a set is too small; one that
 * somebody asked for is obeyed. */
static peck_status take_split(double *share, const struct training *t, peck_error *err)
{
    *share = 0;
    if (t->valid_split == usual_split)
        return PECK_OK;
    if (!opt_parse_real(t->valid_split, share))
        return refuse(err, PECK_ARG, "--valid-split takes a number, not '%.60s'",
                      t->valid_split);
    if (!(*share >= 0 && *share < 1))
        return refuse(err, PECK_ARG, "--valid-split takes a share from 0 to below 1");
    if (*share == 0)
        *share = -1;
    return PECK_OK;
}

peck_status training_spec(peck_train_spec *spec, const struct training *t, int threads,
                          peck_error *err)
{
    double split;
    const peck_status st = take_split(&split, t, err);

    if (st != PECK_OK)
        return st;
    if (t->binarise < 0)
        return refuse(err, PECK_ARG, "--binarise takes a label above 0");
    if (t->ensemble < 1)
        return refuse(err, PECK_ARG, "--ensemble takes a whole number from 1 on");
    *spec = (peck_train_spec){
        .method = t->method,
        .settings = t->settings,
        .valid_split = split,
        .norm = t->norm,
        .alone = t->is_alone,
        .convention = t->judging.convention,
        .binarise = t->binarise,
        .ensemble = (size_t)t->ensemble,
        .seed = t->judging.seed,
        .threads = threads,
    };
    return PECK_OK;
}
