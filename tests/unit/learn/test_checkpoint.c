/* test_checkpoint.c -- checkpoints that somebody else wrote: each number that a training
 * relies on is checked, and a refusal says which file and what to do.                 */
#include "base/input.h"
#include "base/tensors.h"
#include "model/forest.h"
#include "model/stumps.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static const struct task_sample sample = { .n_queries = 20, .max_docs = 8, .dim = 4 };

/* Stops after *ctx epochs. */
static int stop_at(void *ctx, const peck_epoch *e)
{
    return e->epoch >= *(const size_t *)ctx;
}

/* A training of this method that was stopped after two epochs. */
static peck_train_spec stopped(const char *method, const char *const *settings,
                               const struct peck_dataset *data)
{
    size_t two = 2;
    peck_train_spec spec = { .train = data,
                             .method = method,
                             .settings = settings,
                             .seed = 3,
                             .threads = 1,
                             .checkpoint = scratch_path("checkpoint"),
                             .progress = stop_at,
                             .ctx = &two };
    peck_model *m = NULL;
    peck_error err = { 0 };

    remove(spec.checkpoint);
    if (peck_train(&m, &spec, &err) != PECK_STOPPED)
        fail_msg("%s: %s", method, err.text);
    peck_model_free(m);
    spec.progress = NULL;
    spec.ctx = NULL;
    spec.resume = 1;
    return spec;
}

/* Writes bytes over element `at` of a tensor of the checkpoint. */
static void edit(const char *tensor, size_t at, const void *bytes, size_t n)
{
    const char *const path = scratch_path("checkpoint");
    struct input in = { 0 };
    struct tensors t = { 0 };
    const struct tensor *found;
    peck_error err = { 0 };
    size_t size = 0;
    char *const all = file_bytes(path, &size);

    assert_non_null(all);
    assert_ok(input_open(&in, path, &err), err);
    assert_ok(tensors_open(&t, &in, &err), err);
    found = tensors_find(&t, tensor);
    if (found == NULL)
        fail_msg("no tensor '%s'", tensor);
    const size_t from = (size_t)((const char *)found->data - in.data) + at * n;

    assert_true(at * n < found->end - found->begin);
    tensors_close(&t);
    input_close(&in);
    memcpy(all + from, bytes, n);
    scratch_bytes("checkpoint", all, size);
    free(all);
}

static void edit_u64(const char *tensor, size_t at, uint64_t x)
{
    edit(tensor, at, &x, sizeof x);
}

static void edit_f64(const char *tensor, size_t at, double x)
{
    edit(tensor, at, &x, sizeof x);
}

static void edit_f32(const char *tensor, size_t at, float x)
{
    edit(tensor, at, &x, sizeof x);
}

static void assert_damaged(const peck_train_spec *spec, const char *phrase)
{
    peck_model *m = NULL;
    peck_error err = { 0 };
    const peck_status st = peck_train(&m, spec, &err);

    assert_failure(st, &err, PECK_FORMAT, spec->checkpoint, phrase,
                   "remove it, or train without --resume");
    assert_null(m);
}

/* Each is of a member and has a name and numbers. */
static void a_file_holds_what_can_be_gone_on_from(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    const peck_train_spec spec = stopped("ranknet", SETTINGS("epochs=5", "hidden=4"), data);
    struct input in = { 0 };
    struct tensors t = { 0 };
    peck_error err = { 0 };

    (void)state;
    assert_ok(input_open(&in, spec.checkpoint, &err), err);
    assert_ok(tensors_open(&t, &in, &err), err);
    assert_true(t.n > 2);
    for (size_t i = 0; i < t.n; i++) {
        const struct tensor *const one = &t.tensor[i];

        assert_true(one->name.n > 2 && memcmp(one->name.s, "0.", 2) == 0);
        assert_true(memchr(one->name.s, '(', one->name.n) == NULL);
        assert_true(one->end > one->begin);
    }
    tensors_close(&t);
    input_close(&in);
    peck_dataset_free(data);
}

static void count_warning(void *ctx, const char *text)
{
    assert_non_null(strstr(text, "training goes on without a checkpoint"));
    ++*(size_t *)ctx;
}

/* Each epoch tries to write it, and so does the end. */
static void what_cannot_be_written_is_told_once(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    size_t n_told = 0;
    const peck_train_spec spec = { .train = data,
                                   .method = "ranknet",
                                   .settings = SETTINGS("epochs=5", "hidden=4"),
                                   .threads = 1,
                                   .checkpoint = "/dev/full",
                                   .warn = count_warning,
                                   .ctx = &n_told };
    peck_model *m = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(peck_train(&m, &spec, &err), PECK_IO);
    assert_int_equal(n_told, 1);
    peck_model_free(m);
    peck_dataset_free(data);
}

static void epochs_that_cannot_be_are_refused(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    /* done, best, end: of 5 epochs with patience 3 */
    static const uint64_t bad[][3] = { { 5, 1, 0 },          { 6, 1, 1 }, { 2, 3, 0 },
                                       { 0, 0, 0 },          { 2, 0, 0 }, { 2, 2, 2 },
                                       { UINT64_MAX, 1, 0 }, { 4, 1, 0 }, { 0, 0, 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const peck_train_spec spec =
            stopped("ranknet", SETTINGS("epochs=5", "patience=3", "hidden=4"), data);

        for (size_t k = 0; k < 3; k++)
            edit_u64("0.reached", k, bad[i][k]);
        assert_damaged(&spec, "member 1: it counts epochs that cannot be");
    }
    peck_dataset_free(data);
}

static void numbers_that_are_none_are_refused(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    const char *const *const settings = SETTINGS("epochs=5", "hidden=4");
    static const char *const floats[] = { "0.weights", "0.best", "0.m", "0.v" };
    peck_train_spec spec;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        spec = stopped("ranknet", settings, data);
        edit_f32(floats[i], 1, i % 2 == 0 ? (float)NAN : HUGE_VALF);
        assert_damaged(&spec, "not a number");
    }
    spec = stopped("ranknet", settings, data);
    edit_f64("0.memory", 1, (double)NAN);
    assert_damaged(&spec, "not a number");
    spec = stopped("ranknet", settings, data);
    edit_f64("0.memory", 0, 2.0);
    assert_damaged(&spec, "raised");
    spec = stopped("ranknet", settings, data);
    edit_f64("0.history", 1, (double)NAN);
    assert_damaged(&spec, "epoch 1");
    spec = stopped("ranknet", settings, data);
    edit_f32("0.v", 0, -1.0f);
    assert_damaged(&spec, "below 0");
    spec = stopped("ranknet", settings, data);
    edit_u64("0.steps", 0, UINT64_MAX);
    assert_damaged(&spec, "steps");
    spec = stopped("ranknet", SETTINGS("epochs=5", "hidden=4", "settle=3"), data);
    edit_u64("0.settled", 1, 2);
    assert_damaged(&spec, "settled for more epochs");
    peck_dataset_free(data);
}

/* The floats of a node: where the trees of a forest begin. */
enum { NODE = sizeof(struct forest_node) / sizeof(float), TREE = NODE, ROOT = 2 * NODE };

static void trees_are_checked_as_a_model_s_are(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    const char *const *const settings =
        SETTINGS("trees=5", "leaves=4", "min_leaf=2", "drop=0.5");
    /* of the array of weights: which float, what it becomes */
    static const struct {
        size_t at;
        float value;
        const char *phrase;
    } bad[] = {
        { 0, 1e9f, "trees" },
        { 0, 4.0f, "has no node" },
        { 0, 1.0f, "after 2" },
        { TREE, 1e9f, "too many" },
        { ROOT, 1e6f, "nowhere" },
        { ROOT, -1.0f, "nowhere" },
        { ROOT + 2, 0.0f, "nowhere" } /* a way that does not end */,
        { ROOT + 2, 1e6f, "nowhere" },
    };
    peck_train_spec spec;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        spec = stopped("lambdamart", settings, data);
        edit_f32("0.weights", bad[i].at, bad[i].value);
        assert_damaged(&spec, bad[i].phrase);
    }
    spec = stopped("lambdamart", settings, data);
    edit_f32("0.best", TREE, 1e9f);
    assert_damaged(&spec, "too many");
    spec = stopped("lambdamart", settings, data);
    edit_f64("0.scores", 0, (double)NAN);
    assert_damaged(&spec, "not a number");
    spec = stopped("pairforest", SETTINGS("trees=40", "leaves=4"), data);
    edit_f32("0.weights", 0, 15.0f);
    assert_damaged(&spec, "15 trees after 2 epochs");
    peck_dataset_free(data);
}

/* Finite, but beyond all that gradients can be made of: told as what it is. */
static void scores_beyond_all_gradients_end_in_a_sentence(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    const peck_train_spec spec =
        stopped("mart", SETTINGS("trees=5", "leaves=4", "min_leaf=2"), data);
    peck_model *m = NULL;
    peck_error err = { 0 };

    (void)state;
    edit_f64("0.scores", 0, 1e300);
    const peck_status st = peck_train(&m, &spec, &err);

    assert_failure(st, &err, PECK_DIVERGED, "not a number");
    peck_dataset_free(data);
}

static void steps_are_about_features_that_are_there(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    static const char *const methods[] = { "rankboost", "frank" };
    static const float bad[] = { 4.0f, -1.0f, 0.5f, 1e30f };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 4; k++) {
            const peck_train_spec spec = stopped(methods[i], SETTINGS("rounds=6"), data);

            edit_f32("0.weights", STUMP_FEATURE, bad[k]);
            assert_damaged(&spec, "feature that is not there");
        }
        const peck_train_spec spec = stopped(methods[i], SETTINGS("rounds=6"), data);

        edit_f32("0.weights", 4 * STUMP_WEIGHTS + STUMP_HEIGHT, 1.0f);
        assert_damaged(&spec, "step 5 after 2 rounds");
    }
    peck_dataset_free(data);
}

static void what_learners_remember_is_checked(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    peck_train_spec spec = stopped("adarank", SETTINGS("epochs=6"), data);

    (void)state;
    edit_u64("0.taken", 0, 3);
    assert_damaged(&spec, "one a round");
    spec = stopped("adarank", SETTINGS("epochs=6"), data);
    for (size_t f = 0; f < 4; f++)
        edit_u64("0.taken", f, 2);
    assert_damaged(&spec, "one a round");
    spec = stopped("coordinate-ascent", SETTINGS("epochs=6"), data);
    edit_u64("0.memory", 0, 3);
    assert_damaged(&spec, "starts");
    spec = stopped("coordinate-ascent", SETTINGS("epochs=6"), data);
    edit_u64("0.memory", 1, 2);
    assert_damaged(&spec, "starts");
    spec = stopped("es-rank", SETTINGS("epochs=6"), data);
    edit_f64("0.memory", 1, 0.5);
    assert_damaged(&spec, "neither good nor bad");
    spec = stopped("sortnet", SETTINGS("max_iter=6", "epochs=2", "hidden=4"), data);
    edit_u64("0.train pairs", 0, UINT64_MAX);
    assert_damaged(&spec, "pairs that are not there");
    spec = stopped("rankprop", SETTINGS("epochs=6", "hidden=4"), data);
    edit_u64("0.steps", 0, 1);
    assert_damaged(&spec, "steps");
    spec = stopped("prank", SETTINGS("epochs=6"), data);
    edit_f64("0.perceptrons", 1, (double)NAN);
    assert_damaged(&spec, "not a number");
    spec = stopped("ranksvm", NULL, data);
    edit_f64("0.solution", 1, HUGE_VAL);
    assert_damaged(&spec, "not a number");
    spec = stopped("mhr-bc", NULL, data);
    edit_f64("0.solutions", 1, HUGE_VAL);
    assert_damaged(&spec, "not a number");
    peck_dataset_free(data);
}

static void other_files_are_told_from_checkpoints(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 1);
    peck_train_spec spec = { .train = data, .method = "ridge", .threads = 1 };
    peck_model *m = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_train(&m, &spec, &err), err);
    assert_ok(peck_model_save(m, scratch_path("model"), &err), err);
    peck_model_free(m);
    spec.resume = 1;
    spec.checkpoint = scratch_path("model");
    peck_status st = peck_train(&m, &spec, &err);

    assert_failure(st, &err, PECK_FORMAT, "model: not a checkpoint; give another file");
    spec.checkpoint = scratch_file("text", "1 qid:1 1:0.5\n");
    st = peck_train(&m, &spec, &err);
    assert_failure(st, &err, PECK_FORMAT, "text: not a checkpoint, or one that was cut");
    peck_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_written_is_told_once),
        cmocka_unit_test(a_file_holds_what_can_be_gone_on_from),
        cmocka_unit_test(epochs_that_cannot_be_are_refused),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(trees_are_checked_as_a_model_s_are),
        cmocka_unit_test(scores_beyond_all_gradients_end_in_a_sentence),
        cmocka_unit_test(steps_are_about_features_that_are_there),
        cmocka_unit_test(what_learners_remember_is_checked),
        cmocka_unit_test(other_files_are_told_from_checkpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
