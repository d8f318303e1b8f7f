/* contract_extremes.c -- numbers at the ends of what floats hold: every method over every
 * normaliser ends in a model that loads, or in a sentence.                            */
#include "support/check.h"
#include "support/train_setup.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <float.h>

/* What is done to a value: i counts documents or features. */
typedef float extreme(float x, size_t i);

static float as_is(float x, size_t i)
{
    (void)i;
    return x;
}

static float denormal(float x, size_t i)
{
    return (float)((double)x * 1e-40) + (i % 3 == 0 ? 1e-45f : 0.0f);
}

static float enormous(float x, size_t i)
{
    return (x > 0.0f ? 1.0f : -1.0f) * (i % 5 == 0 ? FLT_MAX : 3e38f);
}

static float from_tiny_to_enormous(float x, size_t i)
{
    return i % 3 == 0 ? (float)((double)x * 1e-40) : i % 3 == 1 ? enormous(x, i) : x;
}

static float label_1e30(float y, size_t i)
{
    (void)i;
    return y * 1e30f;
}

static float label_at_both_ends(float y, size_t i)
{
    (void)i;
    return y > 1.0f ? FLT_MAX : y > 0.0f ? 1e-45f : 0.0f;
}

static float weight_at_both_ends(float w, size_t i)
{
    (void)w;
    return i % 3 == 0 ? 3e38f : i % 3 == 1 ? 1e-45f : 1.0f;
}

/* Either a model that a file can hold, or a sentence. */
static void assert_loads_or_says_why(const char *method, const char *norm,
                                     const struct peck_dataset *d, const char *what)
{
    const peck_train_spec spec = {
        .train = d, .norm = norm, .convention = "standard,gain=linear", .threads = 1
    };
    const char *const path = scratch_path("extreme.peck");
    peck_model *m = NULL, *again = NULL;
    peck_error err = { 0 };
    const peck_status st =
        train_method(&m, method, spec,
                     (const char *const[]){ "epochs=2", "max_iter=2", "rounds=4", "trees=4",
                                            "min_leaf=1", NULL },
                     &err);

    if (st != PECK_OK) {
        if (m != NULL || err.text[0] == '\0' || err.status != st)
            fail_msg("%s, norm %s, %s: no sentence", method, norm, what);
        return;
    }
    if (peck_model_save(m, path, &err) != PECK_OK)
        fail_msg("%s, norm %s, %s: %s", method, norm, what, err.text);
    if (peck_model_load(&again, path, &err) != PECK_OK)
        fail_msg("%s, norm %s, %s: %s", method, norm, what, err.text);
    peck_model_free(again);
    peck_model_free(m);
}

static void whatever_the_numbers_a_model_loads_or_a_sentence_says_why(void **state)
{
    static const struct {
        const char *what;
        extreme *x, *label, *weight;
    } cases[] = {
        { "denormal features", denormal, as_is, NULL },
        { "enormous features", enormous, as_is, NULL },
        { "features of all sizes", from_tiny_to_enormous, as_is, NULL },
        { "labels of 1e30", as_is, label_1e30, NULL },
        { "labels at both ends", as_is, label_at_both_ends, NULL },
        { "weights at both ends", as_is, as_is, weight_at_both_ends },
    };
    const struct task_sample few = { .n_queries = 11, .max_docs = 5, .dim = 3 };

    (void)state;
    for (size_t c = 0; c < N_OF(cases); c++) {
        struct peck_dataset *const d = task_dataset(&few, 12);

        for (size_t i = 0; i < d->n_docs * d->dim; i++)
            d->x_owned[i] = cases[c].x(d->x_owned[i], i);
        for (size_t i = 0; i < d->n_docs; i++)
            d->label[i] = cases[c].label(d->label[i], i);
        if (cases[c].weight != NULL)
            d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
        for (size_t q = 0; cases[c].weight != NULL && q < d->n_queries; q++)
            d->query_weight[q] = cases[c].weight(1.0f, q);
        dataset_count_labels(d);
        FOR_EACH_METHOD(name)
        {
            for (size_t n = 0; n < n_norms; n++)
                assert_loads_or_says_why(name, norms[n]->about.name, d, cases[c].what);
            assert_loads_or_says_why(name, "quantile+rff:dim=9,gamma=1e77", d,
                                     cases[c].what);
        }
        peck_dataset_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_numbers_a_model_loads_or_a_sentence_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
