/* test_ranks_kept.c -- checkpoints of a training that ranks share: all stop where one does, any
 * number of ranks goes on, and what the first rank cannot read or write all are told.   */
#include "support/check.h"
#include "support/scratch.h"
#include "support/thread_comm.h"

enum { STOP_AFTER = 3 };

/* One training on ranks.  stops: the rank that stops it, by a way of its own; -1: none. */
struct kept_training {
    const char *data, *method, *checkpoint;
    const char *const *settings;
    int stops, by_interrupt, resume;
    peck_status want;
    peck_bytes model[MOST_RANKS];
    size_t n_warned[MOST_RANKS];
};

/* What one rank is told. */
struct rank_told {
    struct kept_training *t;
    int rank;
    size_t n_epochs;
};

static int is_to_stop(const struct rank_told *r)
{
    return r->rank == r->t->stops && r->n_epochs >= STOP_AFTER;
}

static int hear_epoch(void *ctx, const peck_epoch *e)
{
    struct rank_told *const r = ctx;

    r->n_epochs = e->epoch;
    return !r->t->by_interrupt && is_to_stop(r);
}

static int ask_rank(void *ctx)
{
    const struct rank_told *const r = ctx;

    return r->t->by_interrupt && is_to_stop(r);
}

static void hear_warning(void *ctx, const char *text)
{
    const struct rank_told *const r = ctx;

    if (strstr(text, "without a checkpoint") != NULL)
        r->t->n_warned[r->rank]++;
}

/* A status that is expected is no failure of the rank: the others go on to the same one. */
static peck_status train_kept(void *ctx, const peck_comm *c, peck_error *err)
{
    struct kept_training *const t = ctx;
    struct rank_told told = { t, c->rank, 0 };
    const peck_read_options how = { .size = sizeof how,
                                    .threads = 1,
                                    .comm = c->n_ranks > 1 ? c : NULL };
    peck_train_spec spec = { .size = sizeof spec,
                             .method = t->method,
                             .settings = t->settings,
                             .threads = 1,
                             .checkpoint = t->checkpoint,
                             .resume = t->resume,
                             .progress = hear_epoch,
                             .interrupted = ask_rank,
                             .warn = hear_warning,
                             .ctx = &told };
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_status st = peck_dataset_read(&d, t->data, &how, err);

    spec.train = d;
    if (st == PECK_OK)
        st = peck_train(&m, &spec, err);
    st = st == t->want ? PECK_OK : st == PECK_OK ? PECK_SHAPE : st;
    if (st == PECK_OK && m != NULL)
        st = peck_model_pack(&t->model[c->rank], m, err);
    peck_model_free(m);
    peck_dataset_free(d);
    return st;
}

static const char *make_data(void)
{
    const char *const path = scratch_path("kept.txt");
    const char *const settings[] = { "queries=24", "docs=8", "dim=6", NULL };
    peck_error err = { 0 };

    assert_ok(peck_generate(
                  &(peck_generate_spec){
                      .kind = "web", .settings = settings, .seed = 3, .path = path },
                  &err),
              err);
    return path;
}

static void free_models(struct kept_training *t)
{
    for (size_t i = 0; i < MOST_RANKS; i++)
        peck_bytes_free(&t->model[i]);
}

/* Each method keeps something of its own: scores, moments of the weights, pairs. */
static const struct {
    const char *method, *settings[3];
} methods[] = { { "lambdamart", { "trees=8", "patience=0", NULL } },
                { "ranknet", { "epochs=8", "patience=0", NULL } },
                { "sortnet", { "max_iter=8", "epochs=3", NULL } },
                { "ridge", { NULL } } };

/* Stopped on so many ranks, by this one of them, and gone on with so many. */
static const struct {
    int before, stops, by_interrupt, after;
} ways[] = { { 2, 1, 0, 3 }, { 3, 2, 1, 1 }, { 1, 0, 0, 2 } };

static void any_number_of_ranks_goes_on(void **state)
{
    const char *const data = make_data();
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct kept_training whole = { .data = data,
                                       .method = methods[i].method,
                                       .settings = methods[i].settings,
                                       .stops = -1 };

        assert_ok(on_ranks(1, train_kept, &whole, NULL, &err), err);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            char name[64];
            struct kept_training t = whole;

            snprintf(name, sizeof name, "kept-%zu-%zu", i, k);
            memset(t.model, 0, sizeof t.model);
            t.checkpoint = scratch_path(name);
            t.stops = ways[k].stops;
            t.by_interrupt = ways[k].by_interrupt;
            t.want = PECK_STOPPED;
            assert_ok(on_ranks(ways[k].before, train_kept, &t, NULL, &err), err);
            free_models(&t);
            t.stops = -1;
            t.want = PECK_OK;
            t.resume = 1;
            assert_ok(on_ranks(ways[k].after, train_kept, &t, NULL, &err), err);
            for (int r = 0; r < ways[k].after; r++) {
                assert_int_equal(t.model[r].n, whole.model[0].n);
                assert_memory_equal(t.model[r].s, whole.model[0].s, whole.model[0].n);
            }
            free_models(&t);
        }
        free_models(&whole);
    }
}

static void what_the_first_rank_cannot_read_or_write_all_are_told(void **state)
{
    static const char *const trees[] = { "trees=3", NULL };
    struct kept_training t = { .data = make_data(),
                               .method = "lambdamart",
                               .settings = trees,
                               .stops = -1,
                               .resume = 1 };
    peck_error err = { 0 };

    (void)state;
    t.checkpoint = scratch_file("no-checkpoint", "this is no tensors file at all");
    assert_failure(on_ranks(3, train_kept, &t, NULL, &err), &err, PECK_FORMAT,
                   "not a checkpoint");
    t.checkpoint = scratch_file("empty", "");
    assert_failure(on_ranks(2, train_kept, &t, NULL, &err), &err, PECK_FORMAT,
                   "not a checkpoint");
    t.checkpoint = "nowhere/checkpoint";
    assert_failure(on_ranks(3, train_kept, &t, NULL, &err), &err, PECK_IO, "nowhere");
    /* All have the model, and one has warned. */
    t.checkpoint = "/dev/full";
    t.resume = 0;
    t.want = PECK_IO;
    assert_ok(on_ranks(3, train_kept, &t, NULL, &err), err);
    for (size_t r = 0; r < 3; r++) {
        assert_int_equal(t.n_warned[r], r == 0);
        assert_true(t.model[r].n > 0);
    }
    free_models(&t);
}

/* A network that fails while a checkpoint is fetched, or ranks agree to go on. */
static void bad_networks_end_in_a_status(void **state)
{
    static const char *const trees[] = { "trees=3", NULL };
    struct kept_training t = { .data = make_data(),
                               .method = "lambdamart",
                               .settings = trees,
                               .checkpoint = scratch_path("bad-network"),
                               .stops = -1,
                               .resume = 1 };
    peck_error err = { 0 };
    size_t at = 1;

    (void)state;
    /* Every call once, until one is so late that it never comes. */
    for (;; at++) {
        const struct comm_fault fault = {
            .rank = (int)(at % 2), .at = at, .answer = -1, .is_error = at % 3 == 0
        };

        t.want = PECK_OK;
        const peck_status st = on_ranks(2, train_kept, &t, &fault, &err);

        free_models(&t);
        if (st == PECK_OK)
            break;
        assert_int_equal(st, PECK_IO);
        assert_true(at < 100000);
    }
    assert_true(at > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_goes_on),
        cmocka_unit_test(what_the_first_rank_cannot_read_or_write_all_are_told),
        cmocka_unit_test(bad_networks_end_in_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
