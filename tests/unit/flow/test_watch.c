/* What takes long says how far it is, and can be stopped. */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"
#include "support/scratch.h"

static peck_error err;

enum { DIM = 4 };

struct watcher {
    double last, stop_at; /* stop_at above 1: never */
    int n_calls, n_early; /* n_early: in the first half */
    bool is_wrong;
};

static int look_on(void *ctx, double share)
{
    struct watcher *const w = ctx;

    w->is_wrong |= share < w->last || share > 1 || share < 0;
    w->n_early += share > 0 && share <= 0.5;
    w->last = share;
    w->n_calls++;
    return share >= w->stop_at;
}

/* `call` tells how far it is until it is done, and stops where it is asked to. */
#define IS_WATCHED(what, w, call)                                           \
    do {                                                                    \
        (w) = (struct watcher){ .stop_at = 2 };                             \
        assert_ok(call, err);                                               \
        if ((w).is_wrong || (w).n_calls == 0 || (w).last < 0.999)           \
            fail_msg("%s: %d calls, last %g", what, (w).n_calls, (w).last); \
        const int n_calls_ = (w).n_calls;                                   \
        (w) = (struct watcher){ .stop_at = 0 };                             \
        assert_int_equal(call, PECK_STOPPED);                               \
        assert_int_equal((w).n_calls, 1);                                   \
        assert_failed(err, PECK_STOPPED, "stopped");                        \
        assert_true(n_calls_ >= 1 && n_calls_ <= 1000);                     \
    } while (0)

static void scoring_and_ranking_are_watched(void **state)
{
    static const char *const kinds[] = { "mlp", "cmpnn" };
    struct peck_dataset *const d = sample_dataset(
        &(struct sample){ .n_queries = 500, .max_docs = 6, .dim = DIM, .n_grades = 2 }, 1);
    double *const score = calloc(d->n_docs, sizeof *score);
    struct watcher w;

    (void)state;
    for (size_t i = 0; i < N_OF(kinds); i++)
        for (int threads = 1; threads <= 2; threads++) {
            struct peck_model *const m =
                sample_model(&(struct model_sample){ .family = kinds[i], .dim = DIM });
            const peck_work work = { .threads = threads, .progress = look_on, .ctx = &w };
            const peck_decode_spec spec = { .threads = threads,
                                            .progress = look_on,
                                            .ctx = &w };

            IS_WATCHED(kinds[i], w, peck_model_score_watched(m, d, &work, score, &err));
            IS_WATCHED(kinds[i], w, peck_model_rank(m, d, &spec, score, NULL, &err));
            peck_model_free(m);
        }
    free(score);
    peck_dataset_free(d);
}

static void threads_tell_one_at_a_time(void **state)
{
    struct peck_dataset *const d = sample_dataset(
        &(struct sample){ .n_queries = 400, .max_docs = 6, .dim = DIM, .n_grades = 2 }, 1);
    struct peck_model *const m = sample_model(&(struct model_sample){ .dim = DIM });
    double *const score = calloc(2 * d->n_docs, sizeof *score);
    struct watcher w = { .stop_at = 2 };

    (void)state;
    assert_ok(peck_model_score_watched(
                  m, d, &(peck_work){ .threads = 4, .progress = look_on, .ctx = &w }, score,
                  &err),
              err);
    assert_false(w.is_wrong);
    assert_true(w.last == 1 && w.n_calls <= 201);
    assert_ok(peck_model_score(m, d, 1, score + d->n_docs, &err), err);
    assert_memory_equal(score, score + d->n_docs, d->n_docs * sizeof *score);
    w = (struct watcher){ .stop_at = 0.5 };
    assert_int_equal(peck_model_score_watched(
                         m, d, &(peck_work){ .threads = 4, .progress = look_on, .ctx = &w },
                         score, &err),
                     PECK_STOPPED);
    free(score);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void judging_is_watched(void **state)
{
    struct peck_dataset *const d = sample_dataset(
        &(struct sample){ .n_queries = 20, .max_docs = 9, .dim = DIM, .n_grades = 3 }, 2);
    struct peck_model *const m = sample_model(&(struct model_sample){ .dim = DIM });
    struct peck_model *const other =
        sample_model(&(struct model_sample){ .dim = DIM, .seed = 9 });
    const peck_model *const both[] = { m, other };
    double *const score = calloc(2 * d->n_docs, sizeof *score);
    const double *const scores[] = { score, score + d->n_docs };
    struct watcher w;
    peck_report *r = NULL;
    peck_model *made = NULL;
    const peck_dataset *const data = d;
    const peck_judge_spec judge = { .threads = 1, .metrics = "ndcg@10,map" };

    (void)state;
    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    assert_ok(peck_model_score(other, d, 1, score + d->n_docs, &err), err);
    const peck_compare_spec compare = { .n_folds = 1,
                                        .n_runs = 2,
                                        .data = &data,
                                        .name = (const char *const[]){ "a", "b" },
                                        .score = scores,
                                        .judge = &judge,
                                        .resamples = 50,
                                        .progress = look_on,
                                        .ctx = &w };
    const peck_probe_spec probe = {
        .judge = &judge, .n_shuffles = 3, .progress = look_on, .ctx = &w
    };
    const peck_blend_spec blend = { .model = both,
                                    .n_models = 2,
                                    .weights = "greedy",
                                    .valid = d,
                                    .threads = 1,
                                    .progress = look_on,
                                    .ctx = &w };

    IS_WATCHED("compare", w, (peck_report_free(r), peck_compare(&r, &compare, &err)));
    assert_null(r);
    IS_WATCHED("probe", w, (peck_report_free(r), peck_probe(&r, m, d, &probe, &err)));
    assert_null(r);
    IS_WATCHED("blend", w, (peck_model_free(made), peck_blend(&made, &blend, &err)));
    assert_null(made);
    free(score);
    peck_model_free(m);
    peck_model_free(other);
    peck_dataset_free(d);
}

static void reading_is_watched(void **state)
{
    struct peck_dataset *const d = sample_dataset(
        &(struct sample){ .n_queries = 4000, .max_docs = 12, .dim = DIM, .n_grades = 2 },
        3);
    static const char *const names[] = { "w.txt", "w.csv" };
    peck_dataset *back = NULL;
    struct watcher w = { .stop_at = 2 };
    const peck_read_options how = { .threads = 1, .progress = look_on, .ctx = &w };

    (void)state;
    for (size_t i = 0; i < N_OF(names); i++) {
        assert_ok(peck_dataset_write(d, scratch_path(names[i]), NULL, &err), err);
        w = (struct watcher){ .stop_at = 2 };
        assert_ok(peck_dataset_read(&back, scratch_path(names[i]), &how, &err), err);
        assert_true(w.n_calls > 0 && !w.is_wrong);
        if (i == 0) /* its lines are counted first, then read */
            assert_true(w.n_early > 0 && w.n_early < w.n_calls);
        assert_int_equal(d->n_docs, back->n_docs);
        peck_dataset_free(back);
        w = (struct watcher){ .stop_at = 0 };
        assert_int_equal(peck_dataset_read(&back, scratch_path(names[i]), &how, &err),
                         PECK_STOPPED);
        assert_null(back);
        assert_int_equal(w.n_calls, 1);
    }
    peck_dataset_free(d);
}

/* Whoever looks on hears of a fault as anybody else does. */
static void a_fault_is_told_while_somebody_looks_on(void **state)
{
    struct watcher w = { .stop_at = 2 };
    const peck_read_options how = { .threads = 2, .progress = look_on, .ctx = &w };
    const char *const path = scratch_path("bad.txt");
    peck_dataset *d = NULL;
    FILE *const f = fopen(path, "w");

    (void)state;
    assert_non_null(f);
    fputs("1 qid:1 1:0.5\n0 qid:1 1:x\n", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(peck_dataset_read(&d, path, &how, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "bad.txt:2");
    assert_null(d);
    assert_false(w.is_wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scoring_and_ranking_are_watched),
        cmocka_unit_test(threads_tell_one_at_a_time),
        cmocka_unit_test(judging_is_watched),
        cmocka_unit_test(reading_is_watched),
        cmocka_unit_test(a_fault_is_told_while_somebody_looks_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
