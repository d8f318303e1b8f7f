/* Structs that callers fill: their sizes, and that every call looks at them. */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"
#include "support/scratch.h"

static peck_error err;

/* A struct that ends in padding would lend it to the next member, which old programs do not
 * set to 0. */
#define ENDS_WITH(type, last) \
    assert_int_equal(offsetof(type, last) + sizeof(((type *)NULL)->last), sizeof(type))

static void no_struct_ends_in_padding(void **state)
{
    (void)state;
    ENDS_WITH(peck_comm, all_to_all);
    ENDS_WITH(peck_read_options, comm);
    ENDS_WITH(peck_arrays, keep_missing);
    ENDS_WITH(peck_prefs_arrays, n_lists);
    ENDS_WITH(peck_generate_spec, ctx);
    ENDS_WITH(peck_train_spec, scratch);
    ENDS_WITH(peck_pair_loss, ctx);
    ENDS_WITH(peck_blend_spec, progress);
    ENDS_WITH(peck_judge_spec, own_metrics);
    ENDS_WITH(peck_metric, takes_cut);
    ENDS_WITH(peck_decode_spec, ctx);
    ENDS_WITH(peck_compare_spec, report);
    ENDS_WITH(peck_probe_spec, ctx);
    ENDS_WITH(peck_cv_spec, comm);
    ENDS_WITH(peck_page_spec, when);
    ENDS_WITH(peck_print_spec, details);
    ENDS_WITH(peck_work, ctx);
}

/* `call` refuses spec.size where it is too large, and where it is too small. */
#define REFUSES(spec, call)                                    \
    do {                                                       \
        (spec).size = sizeof(spec) + 8;                        \
        assert_int_equal(call, PECK_ARG);                      \
        assert_failed(err, PECK_ARG, ".size is");              \
        (spec).size = 3;                                       \
        assert_int_equal(call, PECK_ARG);                      \
        assert_failed(err, PECK_ARG, "less than that member"); \
        (spec).size = sizeof(spec);                            \
    } while (0)

static int first_is_better(void *ctx, const peck_duel *duel, size_t n, float *h)
{
    (void)ctx;
    for (size_t k = 0; k < n; k++)
        h[k] = duel[k].i < duel[k].j;
    return 0;
}

static void every_call_looks_at_the_size(void **state)
{
    struct peck_dataset *const d = sample_dataset(
        &(struct sample){ .n_queries = 4, .max_docs = 9, .dim = 3, .n_grades = 2 }, 1);
    struct peck_model *const m = sample_model(&(struct model_sample){ .dim = 3 });
    double *const score = calloc(d->n_docs, sizeof *score);
    const peck_fold fold = { d, NULL, d };
    peck_train_spec train = { .train = d };
    peck_judge_spec judge = { 0 };
    peck_decode_spec decode = { 0 };
    peck_read_options reading = { 0 };
    peck_generate_spec generate = { .kind = "web", .path = scratch_path("made.txt") };
    peck_blend_spec blend = { .model = (const peck_model *const *)&m, .n_models = 1 };
    peck_compare_spec compare = { .judge = &judge };
    peck_probe_spec probe = { .judge = &judge, .decode = &decode };
    peck_cv_spec cv = { .fold = &fold, .n_folds = 1, .train = &train, .judge = &judge };
    peck_page_spec page = { 0 };
    peck_arrays arrays = { 0 };
    peck_prefs_arrays prefs = { 0 };
    peck_prefs *list = NULL;
    peck_report *r = NULL;
    peck_model *made = NULL;
    peck_dataset *read = NULL;
    peck_page *p = NULL;
    uint32_t order[3];

    (void)state;
    assert_ok(peck_page_new(&p, &err), err);
    REFUSES(train, peck_train(&made, &train, &err));
    REFUSES(train, peck_cv(&r, &cv, &err));
    REFUSES(judge, peck_cv(&r, &cv, &err));
    REFUSES(cv, peck_cv(&r, &cv, &err));
    REFUSES(judge, peck_evaluate_scores(&r, d, score, &judge, &err));
    REFUSES(judge, peck_probe(&r, m, d, &probe, &err));
    REFUSES(decode, peck_probe(&r, m, d, &probe, &err));
    REFUSES(probe, peck_probe(&r, m, d, &probe, &err));
    REFUSES(decode, peck_model_rank(m, d, &decode, score, NULL, &err));
    REFUSES(decode,
            peck_decode(order, NULL, 3, first_is_better, NULL, &decode, NULL, &err));
    REFUSES(compare, peck_compare(&r, &compare, &err));
    REFUSES(blend, peck_blend(&made, &blend, &err));
    REFUSES(reading, peck_dataset_read(&read, "nowhere", &reading, &err));
    REFUSES(generate, peck_generate(&generate, &err));
    REFUSES(arrays, peck_dataset_make(&read, &arrays, &err));
    REFUSES(prefs, peck_prefs_make(&list, &prefs, &err));
    REFUSES(page, peck_page_write(p, scratch_path("page.html"), &page, &err));
    assert_null(r);
    assert_null(made);
    assert_null(read);
    peck_page_free(p);
    peck_model_free(m);
    peck_dataset_free(d);
    free(score);
}

/* A size that ends before a member leaves that one at its default. */
static void what_is_beyond_the_size_is_not_read(void **state)
{
    uint32_t order[3];
    peck_decode_spec spec = { .size = offsetof(peck_decode_spec, budget),
                              .decoder = "fuzzy",
                              .threads = -1 };

    (void)state;
    assert_ok(peck_decode(order, NULL, 3, first_is_better, NULL, &spec, NULL, &err), err);
    spec.size = 0;
    assert_int_equal(peck_decode(order, NULL, 3, first_is_better, NULL, &spec, NULL, &err),
                     PECK_ARG);
    assert_failed(err, PECK_ARG, "threads");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_struct_ends_in_padding),
        cmocka_unit_test(every_call_looks_at_the_size),
        cmocka_unit_test(what_is_beyond_the_size_is_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
