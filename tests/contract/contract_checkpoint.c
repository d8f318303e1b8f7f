/* contract_checkpoint.c -- whatever stands in a checkpoint, no method comes to harm by it. */
#include "support/check.h"
#include "support/train_setup.h"
#include "support/scratch.h"
#include "support/tasks.h"

static int stop_after(void *ctx, const peck_epoch *e)
{
    size_t *const left = ctx;

    (void)e;
    return *left == 0 || --*left == 0;
}

/* Writes a checkpoint with `n` bytes put over what is behind its header, from place `at` on;
 * whether there is such a place. */
static bool damage(const char *name, const char *kept, size_t n_kept, size_t at,
                   const void *bytes, size_t n)
{
    uint64_t header;
    char *const copy = malloc(n_kept);

    assert_non_null(copy);
    memcpy(copy, kept, n_kept);
    memcpy(&header, kept, sizeof header);
    const size_t place = sizeof header + (size_t)header + at;
    const bool is_there = place + n <= n_kept;

    if (is_there) {
        memcpy(copy + place, bytes, n);
        scratch_bytes(name, copy, n_kept);
    }
    free(copy);
    return is_there;
}

/* Whatever its numbers are, it is refused, or the training ends as trainings do. */
static void a_damaged_checkpoint_does_no_harm(void **state)
{
    static const struct task_sample tiny = { .n_queries = 12, .max_docs = 6, .dim = 3 };
    static const char *const brief[] = { "epochs=4", "max_iter=3", "rounds=5",
                                         "trees=20", "leaves=4",   NULL };
    struct peck_dataset *const data = task_dataset(&tiny, 11);
    const float far[] = { 1e9f, 1e9f };
    const double beyond = 1e300, half = 0.5;
    const uint64_t ones = UINT64_MAX, five = 5;
    const void *const bad[] = { far, &beyond, &half, &ones, &five };
    enum { N_BAD = sizeof bad / sizeof *bad, PLACES = 24 };

    (void)state;
    FOR_EACH_METHOD(name)
    {
        size_t left = 2, n = 0;
        peck_train_spec spec = { .train = data,
                                 .threads = 1,
                                 .checkpoint = scratch_path("checkpoint"),
                                 .progress = stop_after,
                                 .ctx = &left };
        peck_model *m = NULL;
        peck_error err = { 0 };

        remove(spec.checkpoint);
        assert_int_equal(train_method(&m, name, spec, brief, &err), PECK_STOPPED);
        peck_model_free(m);
        char *const kept = file_bytes(spec.checkpoint, &n);

        assert_non_null(kept);
        spec.progress = NULL;
        spec.resume = 1;
        for (size_t i = 0; i < PLACES; i++) {
            /* The first numbers are what was reached; then all over the rest. */
            const size_t at = i < 3 ? i * 8 : (i * n / PLACES) / 8 * 8;

            if (!damage("checkpoint", kept, n, at, bad[i % N_BAD], sizeof ones))
                break;
            const peck_status st = train_method(&m, name, spec, brief, &err);

            if (st != PECK_OK && st != PECK_FORMAT && st != PECK_DIVERGED)
                fail_msg("%s: %d, %s", name, (int)st, err.text);
            peck_model_free(m);
        }
        free(kept);
    }
    peck_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_checkpoint_does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
