/* fuzz_model.c -- model files: whatever is let through scores documents and comes back
 * from its own file unchanged.                                                        */
#include "memory_file.h"
#include "promise.h"

#include "model/model.h"

#include <math.h>

enum { N_DOCS = 3, MOST_FEATURES = 1 << 12 };

static void score(const peck_model *m, double *to)
{
    static float x[N_DOCS * MOST_FEATURES];
    const size_t dim = peck_model_features(m);
    peck_scorer *s = NULL;
    peck_error err = { PECK_OK, "" };

    for (size_t i = 0; i < N_DOCS * dim; i++)
        x[i] = (float)(i % 11) - 5.0f;
    promise(peck_scorer_new(&s, m, &err) == PECK_OK, "a model has a scorer");
    const peck_status st = peck_score(s, x, N_DOCS, dim, to, &err);

    promise(st == PECK_OK || st == PECK_FORMAT, "documents are scored, or overflow");
    for (size_t i = 0; i < N_DOCS; i++)
        to[i] = st == PECK_OK ? to[i] : 0.0;
    peck_scorer_free(s);
}

/* What model i of a committee looks at is there. */
static void promise_columns(const peck_model *m, size_t i)
{
    const size_t n = peck_model_features(m->part[i]), all = peck_model_features(m);

    promise(n == all || (m->column != NULL && n < all),
            "models of a committee take the same features, or some of them by name");
    for (size_t f = 0; m->column != NULL && m->column[i] != NULL && f < n; f++)
        promise(m->column[i][f] < all, "a feature of the committee");
}

static void promise_weights(const peck_model *m)
{
    for (size_t i = 0; i < m->n_members * m->n_weights; i++)
        promise(isfinite(m->w[i]), "weights are finite");
    for (size_t i = 0; m->scale != NULL && i < model_voices(m); i++)
        promise(scale_fits(m->scale[i]), "scales are means and deviations");
    for (size_t i = 0; i < m->n_parts; i++) {
        promise(m->share[i] > 0.0 && m->share[i] <= 1.0, "shares are shares");
        promise_columns(m, i);
        promise_weights(m->part[i]);
    }
}

static void promise_model(const peck_model *m)
{
    double before[N_DOCS], after[N_DOCS];
    peck_model *again = NULL;
    peck_report *r = NULL;
    peck_error err = { PECK_OK, "" };

    promise_weights(m);
    promise(peck_model_describe(&r, m, &err) == PECK_OK, "a model can be described");
    peck_report_free(r);
    const peck_status told = peck_model_importance(&r, m, &err);

    promise(told == PECK_OK || told == PECK_ARG, "trees say what they ask about");
    peck_report_free(r);
    const char *const path = promise_path();

    promise(peck_model_save(m, path, &err) == PECK_OK, "a model can be saved");
    const peck_status st = peck_model_load(&again, path, &err);

    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    promise(st == PECK_OK, "what was saved can be loaded");
    if (peck_model_features(m) <= MOST_FEATURES) {
        score(m, before);
        score(again, after);
        promise(memcmp(before, after, sizeof before) == 0, "scores come back");
    }
    peck_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    peck_model *m = NULL;
    peck_error err = { PECK_OK, "" };

    memory_file("model.peck", data, size);
    const peck_status st = peck_model_load(&m, "model.peck", &err);

    promise_outcome(st, m, &err);
    promise(st != PECK_ARG, "a bad file is not the user's mistake");
    if (st == PECK_OK)
        promise_model(m);
    peck_model_free(m);
    memory_clear();
    return 0;
}
