/* fuzz_checkpoint.c -- checkpoints: whatever is let through is trained on to its end.
 *
 * The first byte chooses the method.  Where the second one is even, the rest is the file;
 * else it is a list of changes to a checkpoint that this training wrote itself: two bytes
 * where (behind the header), one byte how many, then those.  So mutations meet numbers,
 * not the header's JSON alone.                                                        */
#include "memory_file.h"
#include "promise.h"

#include "learn/checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum { N_QUERIES = 3, N_DOCS = 5, DIM = 3, DONE = 2, MOST_BYTES = 1 << 14 };

static const struct {
    const char *name, *setting[5];
} methods[] = {
    { "ranknet", { "epochs=4", "hidden=2", "dropout=0" } },
    { "lambdamart", { "trees=4", "leaves=3", "min_leaf=1", "drop=0.5" } },
    { "mart", { "trees=4", "leaves=3", "min_leaf=1" } },
    { "pairforest", { "trees=17", "leaves=3" } },
    { "rankboost", { "rounds=4" } },
    { "frank", { "rounds=4" } },
    { "adarank", { "epochs=4" } },
    { "coordinate-ascent", { "epochs=4" } },
    { "es-rank", { "epochs=4", "generations=3" } },
    { "prank", { "epochs=4" } },
    { "ranksvm", { NULL } },
    { "mhr-bc", { NULL } },
    { "rankprop", { "epochs=4", "hidden=2", "optimiser=momentum" } },
    { "sortnet", { "max_iter=3", "epochs=2", "hidden=2" } },
};
enum { N_METHODS = sizeof methods / sizeof *methods };

/* What a method is trained on, made when it is first asked for, and its own checkpoint. */
struct lab {
    struct plan plan;
    struct train_data train_data;
    struct task task;
    uint8_t *own;
    size_t n_own, header;
};

static struct lab every_lab[N_METHODS];
static struct pool *pool;
static peck_dataset *train, *valid;
static struct metric_list metric;
static struct convention convention;

static void must(peck_status st, const peck_error *err)
{
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err->text);
    promise(st == PECK_OK, "a small training goes well");
}

static peck_dataset *data_of(unsigned seed)
{
    static const uint32_t size[N_QUERIES] = { N_DOCS, N_DOCS, N_DOCS };
    static float x[2][N_QUERIES * N_DOCS * DIM];
    float label[N_QUERIES * N_DOCS];
    peck_dataset *d = NULL;
    peck_error err = { PECK_OK, "" };

    for (unsigned i = 0; i < N_QUERIES * N_DOCS * DIM; i++)
        x[seed][i] = (float)((i * i * 7 + 5 * i + 3 * seed) % 11) - 5.0f;
    for (unsigned i = 0; i < N_QUERIES * N_DOCS; i++)
        label[i] = (float)((i * 5 + seed) % 3);
    must(peck_dataset_wrap(&d, x[seed], N_QUERIES * N_DOCS, DIM, label, size, N_QUERIES,
                           &err),
         &err);
    return d;
}

static void open_data(void)
{
    peck_error err = { PECK_OK, "" };

    train = data_of(0);
    valid = data_of(1);
    must(pool_new(&pool, 1, &err), &err);
    must(convention_parse(&convention, NULL, &err), &err);
    must(metric_list_parse(&metric, "ndcg@10", &err), &err);
}

static bool is_far_enough(void *ctx, const struct fit *f, bool is_best)
{
    (void)ctx;
    (void)is_best;
    return f->reached[REACHED_EPOCH] == DONE;
}

/* The bytes of the file that the first epochs leave. */
static void keep_own(struct lab *lab)
{
    struct fit fit = { 0 };
    struct checkpoint *c = NULL;
    struct input in = { 0 };
    uint64_t header;
    peck_error err = { PECK_OK, "" };
    const char *const path = promise_path();

    must(fit_open(&fit, &lab->task, &err), &err);
    must(checkpoint_open(&c, path, "fuzz", NULL, &fit, 1, &err), &err);
    promise(fit_run(&fit, is_far_enough, NULL, &err) == PECK_STOPPED,
            "there are more epochs than these");
    must(checkpoint_take(c, 0, &fit, &err), &err);
    must(input_open(&in, path, &err), &err);
    promise(in.size < MOST_BYTES, "a small training has a small checkpoint");
    lab->own = malloc(in.size);
    promise(lab->own != NULL, "there is memory");
    memcpy(lab->own, in.data, in.size);
    lab->n_own = in.size;
    memcpy(&header, in.data, sizeof header);
    lab->header = sizeof header + (size_t)header;
    input_close(&in);
    checkpoint_close(c);
    fit_close(&fit);
}

static void open_lab(struct lab *lab, size_t method)
{
    const struct validation validation = { .data = valid,
                                           .metric = &metric,
                                           .convention = &convention };
    peck_error err = { PECK_OK, "" };

    must(plan_open(&lab->plan, methods[method].name, methods[method].setting, NULL, &err),
         &err);
    must(plan_set(&lab->plan, "norm", "zscore", &err), &err);
    must(train_data_open(&lab->train_data, &lab->plan, train, NULL, &validation,
                         &(struct memory_limit){ 0 }, pool, &err),
         &err);
    must(plan_shape(&lab->plan, lab->train_data.dim, &err), &err);
    lab->task = (struct task){
        .plan = &lab->plan, .train_data = &lab->train_data, .seed = 1, .pool = pool
    };
    keep_own(lab);
}

/* The checkpoint of the lab with changes. */
static size_t change(const struct lab *lab, const uint8_t *data, size_t size, uint8_t *to)
{
    const size_t room = lab->n_own - lab->header;

    memcpy(to, lab->own, lab->n_own);
    while (size > 3) {
        const size_t at = (size_t)(data[0] | data[1] << 8) % room;
        const size_t n = (size_t)data[2] % 8 + 1;

        data += 3;
        size -= 3;
        for (size_t i = 0; i < n && i < size && at + i < room; i++)
            to[lab->header + at + i] = data[i];
        data += n < size ? n : size;
        size -= n < size ? n : size;
    }
    return lab->n_own;
}

/* is_own: the file is unchanged. */
static void resume(const struct lab *lab, bool is_own)
{
    struct fit fit = { 0 };
    struct checkpoint *c = NULL;
    peck_error err = { PECK_OK, "" };

    must(fit_open(&fit, &lab->task, &err), &err);
    must(checkpoint_open(&c, "checkpoint", "fuzz", NULL, &fit, 1, &err), &err);
    peck_status st = checkpoint_load(c, &fit, &err);

    promise_outcome(st, st == PECK_OK ? c : NULL, &err);
    promise(st == PECK_OK || !is_own, "what a training wrote it can go on from");
    if (st == PECK_OK) {
        st = fit_run(&fit, NULL, NULL, &err);
        promise(st == PECK_OK || st == PECK_DIVERGED, "it ends, or runs away");
    }
    if (st == PECK_OK)
        promise(fit.reached[REACHED_BEST] >= 1 &&
                    fit.reached[REACHED_BEST] <= fit.reached[REACHED_EPOCH] &&
                    fit.reached[REACHED_EPOCH] <= fit.stopping.n_epochs,
                "epochs are within what there is");
    checkpoint_close(c);
    fit_close(&fit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[MOST_BYTES];

    if (size < 2)
        return 0;
    if (train == NULL)
        open_data();
    struct lab *const lab = &every_lab[data[0] % N_METHODS];

    if (lab->own == NULL)
        open_lab(lab, data[0] % N_METHODS);
    const bool is_file = data[1] % 2 == 0;
    const size_t n = is_file ? size - 2 : change(lab, data + 2, size - 2, file);

    memory_file("checkpoint", is_file ? data + 2 : file, n);
    resume(lab, n == lab->n_own && memcmp(is_file ? data + 2 : file, lab->own, n) == 0);
    memory_clear();
    return 0;
}
