/* test_ranks.c -- ranks share scoring and cross-validation: the same bytes as one alone, for
 * any number of them; networks that fail end in a status.  And data in parts.         */
#include "support/check.h"
#include "support/scratch.h"
#include "support/thread_comm.h"
#include "support/train_setup.h"

#include "base/rng.h"

#include "data/dataset.h"

/* A training, and its model as a file has it. */
struct training_here {
    const char *data, *method;
    const char *const *settings;
    peck_bytes model;
};

static peck_status train_here(struct training_here *t, peck_error *err)
{
    peck_train_spec spec = { .method = t->method, .settings = t->settings, .threads = 1 };
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_status st = peck_dataset_read(&d, t->data, NULL, err);

    spec.train = d;
    if (st == PECK_OK)
        st = peck_train(&m, &spec, err);
    if (st == PECK_OK)
        st = peck_model_pack(&t->model, m, err);
    peck_model_free(m);
    peck_dataset_free(d);
    return st;
}

static const char *make_data_of(const char *name, const char *const *settings)
{
    const char *const path = scratch_path(name);
    peck_error err = { 0 };

    assert_ok(peck_generate(
                  &(peck_generate_spec){
                      .kind = "web", .settings = settings, .seed = 3, .path = path },
                  &err),
              err);
    return path;
}

/* Data of a few queries. */
static const char *make_data(const char *name)
{
    static const char *const settings[] = { "queries=24", "docs=8", "dim=6", NULL };

    return make_data_of(name, settings);
}

/* d in n caches, PART-0.safetensors and so on. */
static void write_parts(const peck_dataset *d, const char *part, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        peck_dataset *shard = NULL;
        peck_error err = { 0 };
        char name[64];

        snprintf(name, sizeof name, "%s-%zu.safetensors", part, i);
        assert_ok(peck_dataset_fold(&shard, d, n, i, "shard", 0, &err), err);
        assert_ok(peck_dataset_write(shard, scratch_path(name), NULL, &err), err);
        peck_dataset_free(shard);
    }
}

static void parts_are_one_dataset(void **state)
{
    static const char *const trees[] = { "trees=3", NULL };
    const char *const data = make_data("whole.txt");
    struct training_here one = { .data = data, .method = "lambdamart", .settings = trees };
    peck_dataset *d = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_dataset_read(&d, data, NULL, &err), err);
    write_parts(d, "part", 3);
    struct training_here t = { .data = scratch_path("part-*.safetensors"),
                               .method = "lambdamart",
                               .settings = trees };

    assert_ok(train_here(&one, &err), err);
    assert_ok(train_here(&t, &err), err);
    assert_int_equal(t.model.n, one.model.n);
    assert_memory_equal(t.model.s, one.model.s, one.model.n);
    peck_bytes_free(&t.model);
    peck_bytes_free(&one.model);
    /* A query that is in two parts, and a pattern that nothing matches. */
    assert_ok(peck_dataset_write(d, scratch_path("part-9.safetensors"), NULL, &err), err);
    peck_dataset *twice = NULL;

    assert_failure(
        peck_dataset_read(&twice, scratch_path("part-*.safetensors"), NULL, &err), &err,
        PECK_FORMAT, "is in two parts");
    assert_failure(peck_dataset_read(&twice, scratch_path("none-*.x"), NULL, &err), &err,
                   PECK_IO, "no file has such a name");
    assert_failure(peck_dataset_fold(&twice, d, 1000, 1, "shard", 0, &err), &err,
                   PECK_SHAPE, "fewer");
    peck_dataset_free(d);
}

/* A training on ranks, and the model of each as a file has it. */
struct ranked_training {
    const char *data, *method, *missing;
    const char *const *settings;
    size_t ensemble;
    bool has_prefs; /* those of its labels, some of them told the other way round */
    int threads;
    size_t memory; /* and scratch files, where it is not 0 */
    const char *checkpoint;
    size_t last; /* epoch after which rank 0 wants to stop; 0: none */
    peck_bytes model[MOST_RANKS];
};

static int stop_at_last(void *ctx, const peck_epoch *e)
{
    return e->epoch == *(const size_t *)ctx;
}

static peck_status train_on_ranks(void *ctx, const peck_comm *c, peck_error *err)
{
    struct ranked_training *const t = ctx;
    const peck_read_options how = { .size = sizeof how,
                                    .threads = 1,
                                    .missing = t->missing,
                                    .comm = c->n_ranks > 1 ? c : NULL };
    peck_train_spec spec = { .size = sizeof spec,
                             .method = t->method,
                             .settings = t->settings,
                             .ensemble = t->ensemble,
                             .threads = t->threads,
                             .memory = t->memory,
                             .scratch = t->memory > 0 ? scratch_path("") : NULL,
                             .checkpoint = t->checkpoint,
                             .resume = t->checkpoint != NULL && t->last == 0,
                             .progress = t->last > 0 && c->rank == 0 ? stop_at_last : NULL,
                             .ctx = &t->last };
    peck_dataset *d = NULL;
    peck_prefs *prefs = NULL;
    peck_model *m = NULL;
    peck_status st = peck_dataset_read(&d, t->data, &how, err);

    if (st == PECK_OK && t->has_prefs)
        prefs = prefs_of_labels(d, 5);
    spec.train = d;
    spec.pairs = prefs;
    if (st == PECK_OK)
        st = peck_train(&m, &spec, err);
    if (st == PECK_OK)
        st = peck_model_pack(&t->model[c->rank], m, err);
    peck_model_free(m);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
    return st;
}

/* Every method that ranks can share, some with settings that walk other paths. */
static const struct {
    const char *method;
    const char *settings[6];
} shared_methods[] = {
    { "lambdamart", { "trees=6", NULL } },
    { "lambdamart",
      { "trees=5", "query_share=0.6", "feature_share=0.5", "min_leaf=3", NULL } },
    { "mart", { "trees=6", "growth=level", "drop=0.4", "min_leaf=5", NULL } },
    { "ranknet", { "epochs=3" } },
    { "ranknet", { "epochs=3", "hidden=9-5", "batch=5", "settle=2" } },
    { "lambdarank", { "epochs=3", "norm=quantile+rff:dim=7" } },
    { "lambdaneuralrank", { "epochs=2", "dropout=0.3" } },
    { "listnet", { "epochs=2" } },
    { "directranker", { "epochs=2" } },
    { "cmpnn", { "epochs=2", "hidden=4" } },
    { "cmpnn", { "epochs=2", "hidden=4", "delta=ndcg", "settle=1" } },
    { "tesauro", { "epochs=2" } },
    { "rankprop", { "epochs=3" } },
    { "sortnet", { "epochs=3", "max_iter=3" } },
    { "sortnet", { "epochs=2", "max_iter=2", "select=quality", "add=compared" } },
    { "ridge", { NULL } },
    { "ridge", { "lambda=0.5", "norm=query-zscore", NULL } },
    { "ridge", { "lambda=0.5", "norm=zscore+rff:dim=1100", NULL } },
    { "ridge", { "norm=zscore+rff:dim=4200", NULL } },
    { "ranksvm", { NULL } },
    { "ranksvm", { "c=0.5", "balance=queries", NULL } },
    { NULL, { NULL } },
};

/* A training on one rank, and the same on several. */
static void assert_alike(const struct ranked_training *t)
{
    struct ranked_training one = *t;
    peck_error err = { 0 };

    assert_ok(on_ranks(1, train_on_ranks, &one, NULL, &err), err);
    for (int n = 2; n <= 7; n += n == 3 ? 4 : 1) {
        struct ranked_training many = *t;

        many.threads = n == 3 ? 2 : 1;
        assert_ok(on_ranks(n, train_on_ranks, &many, NULL, &err), err);
        for (int r = 0; r < n; r++) {
            assert_int_equal(many.model[r].n, one.model[0].n);
            assert_memory_equal(many.model[r].s, one.model[0].s, one.model[0].n);
            peck_bytes_free(&many.model[r]);
        }
    }
    peck_bytes_free(&one.model[0]);
}

static void ranks_train_alike(void **state)
{
    const char *const data = make_data("trained.txt");

    (void)state;
    for (size_t i = 0; shared_methods[i].method != NULL; i++)
        assert_alike(&(struct ranked_training){ .data = data,
                                                .method = shared_methods[i].method,
                                                .settings = shared_methods[i].settings,
                                                .threads = 1 });
}

/* Features that some documents lack. */
static const char *make_gaps(const char *name)
{
    enum { QUERIES = 40, DOCS = 20, DIM = 9 };
    const char *const path = scratch_path(name);
    FILE *const f = fopen(path, "w");
    struct rng r;

    assert_non_null(f);
    rng_seed(&r, 5, 0);
    for (size_t q = 0; q < QUERIES; q++)
        for (size_t i = 0; i < DOCS; i++) {
            fprintf(f, "%d qid:%zu", (int)rng_below(&r, 3), q);
            for (size_t k = 1; k <= DIM; k++)
                if (rng_below(&r, 12) < k)
                    fprintf(f, " %zu:nan", k);
                else
                    fprintf(f, " %zu:%.3f", k, rng_normal(&r));
            fputc('\n', f);
        }
    assert_int_equal(fclose(f), 0);
    return path;
}

/* Rows of leaves are counted, histograms are forgotten and made anew, and rows lack features. */
static void ranks_grow_trees_alike(void **state)
{
    static const char *const settings[][6] = {
        { "trees=5", "leaves=25", "min_leaf=25", "drop=0.3", NULL },
        { "trees=5", "leaves=25", "min_leaf=12", "growth=level", "feature_share=0.6",
          NULL },
    };
    const char *const data = make_gaps("gaps.txt");

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_alike(&(struct ranked_training){ .data = data,
                                                .method = i < 2 ? "lambdamart" : "mart",
                                                .settings = settings[i % 2],
                                                .missing = "keep",
                                                .threads = 1 });
}

/* What does not fit lies in a file, on any number of ranks, and where it cannot lie is told. */
static void little_memory_gives_the_same_trees(void **state)
{
    static const char *const settings[] = { "trees=5", "drop=0.4", "query_share=0.7",
                                            "min_leaf=12", NULL };
    const char *const data = make_gaps("large.txt");
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ranked_training free_of_limit = { .data = data,
                                                 .method = i == 0 ? "lambdamart" : "mart",
                                                 .settings = settings,
                                                 .missing = "keep",
                                                 .threads = 1 };
        peck_bytes *const model = &free_of_limit.model[0];

        assert_ok(on_ranks(1, train_on_ranks, &free_of_limit, NULL, &err), err);
        for (int k = 0; k < 4; k++) {
            struct ranked_training t = free_of_limit;

            t.memory = k < 2 ? 1 : 200000;
            t.threads = 1 + k % 2;
            assert_ok(on_ranks(1 + k, train_on_ranks, &t, NULL, &err), err);
            for (int r = 0; r <= k; r++) {
                assert_int_equal(t.model[r].n, model->n);
                assert_memory_equal(t.model[r].s, model->s, model->n);
                peck_bytes_free(&t.model[r]);
            }
        }
        peck_bytes_free(model);
    }
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    const peck_read_options how = { .size = sizeof how, .missing = "keep" };
    peck_train_spec spec = {
        .size = sizeof spec, .method = "mart", .settings = settings, .memory = 1000
    };

    assert_ok(peck_dataset_read(&d, data, &how, &err), err);
    spec.train = d;
    assert_failure(peck_train(&m, &spec, &err), &err, PECK_ARG, data, "name a folder");
    spec.scratch = scratch_path("no-such-folder");
    assert_failure(peck_train(&m, &spec, &err), &err, PECK_IO, spec.scratch,
                   "cannot write a file there");
    assert_null(m);
    peck_dataset_free(d);
}

/* Three ranks stop after an epoch; one, two or seven go on. */
static void trees_go_on_with_other_ranks(void **state)
{
    static const char *const settings[] = { "trees=7", "drop=0.4", "min_leaf=5", NULL };
    struct ranked_training whole = { .data = make_data("resumed.txt"),
                                     .method = "mart",
                                     .settings = settings,
                                     .threads = 1 };
    peck_error err = { 0 };

    (void)state;
    assert_ok(on_ranks(1, train_on_ranks, &whole, NULL, &err), err);
    for (int n = 1; n <= 7; n += n == 2 ? 5 : 1) {
        struct ranked_training t = whole;

        memset(t.model, 0, sizeof t.model);
        t.checkpoint = scratch_path("ranks.checkpoint");
        t.last = 3;
        assert_int_equal(on_ranks(3, train_on_ranks, &t, NULL, &err), PECK_STOPPED);
        t.last = 0;
        assert_ok(on_ranks(n, train_on_ranks, &t, NULL, &err), err);
        for (int r = 0; r < n; r++) {
            assert_int_equal(t.model[r].n, whole.model[0].n);
            assert_memory_equal(t.model[r].s, whole.model[0].s, whole.model[0].n);
            peck_bytes_free(&t.model[r]);
        }
        remove(t.checkpoint);
    }
    peck_bytes_free(&whole.model[0]);
}

/* Side by side on one rank, one after another on several. */
static void ranks_train_ensembles_alike(void **state)
{
    static const char *const settings[] = { "epochs=2", NULL };

    (void)state;
    assert_alike(&(struct ranked_training){ .data = make_data("members.txt"),
                                            .method = "listnet",
                                            .settings = settings,
                                            .ensemble = 3,
                                            .threads = 1 });
}

/* Batches of many shards, and ranks that have no query of their own. */
static void ranks_share_batches_of_any_size(void **state)
{
    static const struct {
        const char *method;
        const char *settings[6];
    } nets[] = {
        { "ranknet", { "epochs=3", "batch=80", "hidden=9-5", "dropout=0.2", "settle=2" } },
        { "cmpnn", { "epochs=2", "batch=80", "hidden=4", "settle=2" } },
        { "sortnet", { "epochs=2", "max_iter=2", "batch=80" } },
    };
    const char *const many = make_data_of(
                          "many.txt",
                          (const char *[]){ "queries=120", "docs=40", "dim=6", NULL }),
                      *const few =
                          make_data_of("few.txt", (const char *[]){ "queries=4", "docs=40",
                                                                    "dim=6", NULL });

    (void)state;
    for (size_t i = 0; i < 2 * N_OF(nets); i++)
        assert_alike(&(struct ranked_training){ .data = i % 2 == 0 ? many : few,
                                                .method = nets[i / 2].method,
                                                .settings = nets[i / 2].settings,
                                                .threads = 1 });
}

/* Preferences choose the epoch, by how many of them come out right. */
static void ranks_learn_preferences_alike(void **state)
{
    static const char *const methods[] = { "ranknet", "cmpnn", "sortnet" };
    static const char *const settings[] = { "epochs=2", NULL };
    const char *const data = make_data("preferred.txt");

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++)
        assert_alike(&(struct ranked_training){ .data = data,
                                                .method = methods[i],
                                                .settings = settings,
                                                .has_prefs = true,
                                                .threads = 1 });
}

/* Nets that make the rows of a batch anew, from a mapped file, and keep none of them. */
static void little_memory_gives_the_same_model(void **state)
{
    static const struct {
        const char *method;
        const char *settings[5];
        bool has_prefs;
    } nets[] = {
        { "ranknet", { "epochs=3", "batch=5", "settle=2" }, false },
        { "ranknet", { "epochs=2" }, true },
        { "lambdaneuralrank",
          { "epochs=2", "dropout=0.3", "norm=quantile+query+rff:dim=7" },
          false },
        { "cmpnn", { "epochs=2", "delta=ndcg", "settle=1" }, false },
        { "cmpnn", { "epochs=2" }, true },
        { "sortnet", { "epochs=2", "max_iter=2" }, false },
        { "rankprop", { "epochs=3" }, false },
    };
    const char *const text = make_data("mapped.txt"), *const cache =
                                                          scratch_path("mapped.peckdata");
    peck_error err = { 0 };
    peck_dataset *d = NULL;

    (void)state;
    assert_ok(peck_dataset_read(&d, text, NULL, &err), err);
    assert_ok(peck_dataset_write(d, cache, NULL, &err), err);
    peck_dataset_free(d);
    for (size_t i = 0; i < N_OF(nets); i++) {
        struct ranked_training roomy = { .data = cache,
                                         .method = nets[i].method,
                                         .settings = nets[i].settings,
                                         .has_prefs = nets[i].has_prefs,
                                         .threads = 1 };

        assert_ok(on_ranks(1, train_on_ranks, &roomy, NULL, &err), err);
        for (int n = 1; n <= 4; n += 3) {
            struct ranked_training tight = roomy;

            memset(tight.model, 0, sizeof tight.model);
            tight.memory = 1;
            tight.threads = n == 1 ? 2 : 1;
            assert_ok(on_ranks(n, train_on_ranks, &tight, NULL, &err), err);
            for (int r = 0; r < n; r++) {
                assert_int_equal(tight.model[r].n, roomy.model[0].n);
                assert_memory_equal(tight.model[r].s, roomy.model[0].s, roomy.model[0].n);
                peck_bytes_free(&tight.model[r]);
            }
        }
        peck_bytes_free(&roomy.model[0]);
    }
}

/* Files that are worth mapping: rows lie in several of them, with a gap behind each, on one
 * rank and on many. */
static void large_parts_stay_in_their_files(void **state)
{
    static const char *const settings[] = { "queries=130", "docs=50", "dim=137", NULL };
    static const char *const lambda[] = { "lambda=0.1", NULL };
    struct ranked_training one = { .data = make_data_of("large.txt", settings),
                                   .method = "ridge",
                                   .settings = lambda,
                                   .threads = 1 };
    struct ranked_training parts = one, ranked = one;
    peck_dataset *d = NULL, *whole = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_dataset_read(&whole, one.data, NULL, &err), err);
    write_parts(whole, "large", 3);
    parts.data = ranked.data = scratch_path("large-*.safetensors");
    assert_ok(peck_dataset_read(&d, parts.data, NULL, &err), err);
    assert_true(d->mapped.is_mapped && d->x_owned == NULL);
    for (size_t r = 0; r < d->n_docs; r++)
        assert_memory_equal(dataset_row(d, r), dataset_row(whole, r),
                            d->dim * sizeof(float));
    assert_ok(on_ranks(1, train_on_ranks, &one, NULL, &err), err);
    assert_ok(on_ranks(1, train_on_ranks, &parts, NULL, &err), err);
    assert_ok(on_ranks(3, train_on_ranks, &ranked, NULL, &err), err);
    assert_int_equal(parts.model[0].n, one.model[0].n);
    assert_memory_equal(parts.model[0].s, one.model[0].s, one.model[0].n);
    for (size_t r = 0; r < 3; r++) {
        assert_int_equal(ranked.model[r].n, one.model[0].n);
        assert_memory_equal(ranked.model[r].s, one.model[0].s, one.model[0].n);
        peck_bytes_free(&ranked.model[r]);
    }
    peck_bytes_free(&one.model[0]);
    peck_bytes_free(&parts.model[0]);
    peck_dataset_free(d);
    peck_dataset_free(whole);
}

/* Text of 12 queries with 4 documents each, line by line; their rows may lie apart, and line
 * `bad` have a value, or line `unlabelled` a label, that is no number. */
static const char *write_text(const char *name, bool is_apart, size_t bad,
                              size_t unlabelled)
{
    char text[4096];
    size_t n = 0;

    for (size_t i = 0; i < 48; i++) {
        const size_t query = is_apart ? i % 12 : i / 4;

        n += (size_t)snprintf(text + n, sizeof text - n, "%s qid:%zu 1:%s 2:%zu #d%zu\n",
                              i + 1 == unlabelled ? "x"
                              : i % 3 == 0        ? "1"
                                                  : "0",
                              query, i + 1 == bad ? "0.5z" : "0.5", i * i % 7, i);
    }
    scratch_file(name, text);
    return scratch_path(name);
}

/* What a rank keeps of text: all labels and ids, features of its own queries. */
static peck_status read_own_part(void *ctx, const peck_comm *c, peck_error *err)
{
    const peck_read_options how = { .size = sizeof how, .threads = 1, .comm = c };
    peck_dataset *d = NULL, *whole = NULL;

    TRY(peck_dataset_read(&whole, ctx, NULL, err));
    peck_status st = peck_dataset_read(&d, ctx, &how, err);

    if (st == PECK_OK) {
        assert_int_equal(d->place != NULL, c->n_ranks > 1 && d->file_row == NULL);
        assert_int_equal(d->n_docs, whole->n_docs);
        assert_memory_equal(d->label, whole->label, d->n_docs * sizeof *d->label);
        for (size_t i = 0; i < d->n_docs; i++) {
            const peck_span a = peck_dataset_doc_id(d, i),
                            b = peck_dataset_doc_id(whole, i);

            assert_int_equal(a.n, b.n);
            assert_memory_equal(a.s, b.s, a.n);
        }
        for (size_t q = dataset_own_first(d); q < dataset_own_end(d); q++) {
            const struct rows own = dataset_rows(d, q), other = dataset_rows(whole, q);

            assert_int_equal(own.n, other.n);
            assert_memory_equal(own.x, other.x, own.n * own.dim * sizeof *own.x);
        }
    }
    peck_dataset_free(d);
    peck_dataset_free(whole);
    return st;
}

static peck_status read_here(void *ctx, const peck_comm *c, peck_error *err)
{
    const peck_read_options how = { .size = sizeof how, .threads = 1, .comm = c };
    peck_dataset *d = NULL;
    const peck_status st = peck_dataset_read(&d, ctx, &how, err);

    peck_dataset_free(d);
    return st;
}

static void ranks_read_their_own_text(void **state)
{
    static const struct {
        bool is_apart;
        size_t bad, unlabelled;
    } faulty[] = { { false, 1, 0 },
                   { false, 41, 0 },
                   { false, 20, 30 },
                   { false, 30, 20 },
                   { true, 13, 0 } };
    peck_error err = { 0 };

    (void)state;
    for (int n = 1; n <= 5; n += 2)
        for (int is_apart = 0; is_apart < 2; is_apart++)
            assert_ok(on_ranks(n, read_own_part,
                               (void *)(uintptr_t)write_text("own.txt", is_apart, 0, 0),
                               NULL, &err),
                      err);
    for (size_t i = 0; i < N_OF(faulty); i++) {
        const char *const path = write_text("faulty-own.txt", faulty[i].is_apart,
                                            faulty[i].bad, faulty[i].unlabelled);
        peck_error alone = { 0 };

        assert_int_equal(on_ranks(1, read_here, (void *)(uintptr_t)path, NULL, &alone),
                         PECK_FORMAT);
        for (int n = 2; n <= 5; n++) {
            assert_int_equal(on_ranks(n, read_here, (void *)(uintptr_t)path, NULL, &err),
                             PECK_FORMAT);
            assert_string_equal(err.text, alone.text);
        }
    }
}

/* Scores of a model on ranks. */
struct ranked_scores {
    const char *data;
    const peck_model *model;
    double *score[MOST_RANKS];
    size_t n;
};

static peck_status score_here(void *ctx, const peck_comm *c, peck_error *err)
{
    struct ranked_scores *const s = ctx;
    const peck_read_options how = { .size = sizeof how,
                                    .threads = 1,
                                    .comm = c->n_ranks > 1 ? c : NULL };
    peck_dataset_info info;
    peck_dataset *d = NULL;
    peck_status st = peck_dataset_read(&d, s->data, &how, err);

    if (st != PECK_OK)
        return st;
    peck_dataset_describe(d, &info);
    s->score[c->rank] = calloc(info.n_docs, sizeof(double));
    s->n = info.n_docs;
    st = peck_model_score(s->model, d, 1, s->score[c->rank], err);
    peck_dataset_free(d);
    return st;
}

static void ranks_score_alike(void **state)
{
    static const char *const methods[] = { "ridge", "cmpnn" };
    static const char *const epochs[] = { "epochs=1", NULL };
    const char *const data = make_data("scored.txt");
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        struct training_here t = { .data = data,
                                   .method = methods[i],
                                   .settings = i == 1 ? epochs : NULL };
        struct ranked_scores one = { .data = data }, four = { .data = data };
        peck_model *m = NULL;

        assert_ok(train_here(&t, &err), err);
        assert_ok(peck_model_unpack(&m, t.model.s, t.model.n, &err), err);
        one.model = four.model = m;
        assert_ok(on_ranks(1, score_here, &one, NULL, &err), err);
        assert_ok(on_ranks(4, score_here, &four, NULL, &err), err);
        for (size_t r = 0; r < 4; r++)
            assert_memory_equal(four.score[r], one.score[0], one.n * sizeof(double));
        for (size_t r = 0; r < MOST_RANKS; r++) {
            free(one.score[r]);
            free(four.score[r]);
        }
        peck_model_free(m);
        peck_bytes_free(&t.model);
    }
}

/* An error, and an answer that is too short, at every call of scoring. */
static void bad_networks_end_in_a_status(void **state)
{
    const char *const data = make_data("faulty.txt");
    struct training_here t = { .data = data, .method = "ridge" };
    peck_error err = { 0 };
    peck_model *m = NULL;

    (void)state;
    assert_ok(train_here(&t, &err), err);
    assert_ok(peck_model_unpack(&m, t.model.s, t.model.n, &err), err);
    for (size_t at = 1; at <= 7; at++) {
        const struct comm_fault fault = { (int)(at % 3), at, -1, at % 2 == 0 };
        struct ranked_scores s = { .data = data, .model = m };

        assert_int_equal(on_ranks(3, score_here, &s, &fault, &err), PECK_IO);
        assert_true(err.text[0] != '\0');
        for (size_t r = 0; r < MOST_RANKS; r++)
            free(s.score[r]);
    }
    peck_model_free(m);
    peck_bytes_free(&t.model);
}

/* The same while nets are trained: in the middle of fitting, of a batch, of validation. */
static void bad_networks_end_a_training(void **state)
{
    static const char *const methods[] = { "ranknet", "sortnet" };
    static const char *const settings[] = { "epochs=3", "batch=8", NULL };
    const char *const data = make_data_of(
        "unplugged.txt", (const char *[]){ "queries=40", "docs=30", "dim=6", NULL });
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        peck_status st = PECK_IO;
        size_t at = 1;

        for (; st == PECK_IO; at += 1 + at / 3) { /* until it is done before that */
            const struct comm_fault fault = { (int)(at % 3), at, -1, at % 2 == 0 };
            struct ranked_training t = {
                .data = data, .method = methods[i], .settings = settings, .threads = 1
            };

            st = on_ranks(3, train_on_ranks, &t, &fault, &err);
            assert_true(st == PECK_OK || (st == PECK_IO && err.text[0] != '\0'));
            for (size_t r = 0; r < MOST_RANKS; r++)
                peck_bytes_free(&t.model[r]);
        }
        assert_true(at > 40);
    }
}

/* Ranks that see different files under one name. */
static peck_status score_another(void *ctx, const peck_comm *c, peck_error *err)
{
    struct ranked_scores s = *(struct ranked_scores *)ctx;

    if (c->rank == 1)
        s.data = scratch_path("other.txt");
    const peck_status st = score_here(&s, c, err);

    free(s.score[c->rank]);
    return st;
}

static void ranks_see_the_same_file(void **state)
{
    struct ranked_scores s = { .data = make_data("same.txt") };
    peck_error err = { 0 };

    (void)state;
    scratch_file("other.txt", "1 qid:1 1:0.5\n0 qid:1 1:0.25\n");
    assert_failure(on_ranks(3, score_another, &s, NULL, &err), &err, PECK_SHAPE,
                   "different data");
}

/* Rank 1 hears another version of rank 0 than its own: the first thing that is told. */
struct hearing {
    const peck_comm *comm;
    bool has_heard;
};

static int64_t hear_a_version(void *ctx, void *data, size_t n, int root)
{
    struct hearing *const h = ctx;
    const int64_t got = h->comm->broadcast(h->comm->ctx, data, n, root);

    if (!h->has_heard)
        *(unsigned char *)data ^= 1;
    h->has_heard = true;
    return got;
}

static int64_t pass_on(void *ctx, const void *mine, void *all, const size_t *n_of)
{
    const struct hearing *const h = ctx;

    return h->comm->all_gather(h->comm->ctx, mine, all, n_of);
}

static peck_status score_with_a_version(void *ctx, const peck_comm *c, peck_error *err)
{
    struct hearing h = { .comm = c };
    peck_comm other = *c;

    other.ctx = &h;
    other.broadcast = hear_a_version;
    other.all_gather = pass_on;
    return score_here(ctx, c->rank == 1 ? &other : c, err);
}

static void ranks_run_the_same_version(void **state)
{
    struct ranked_scores s = { .data = make_data("version.txt") };
    peck_error err = { 0 };

    (void)state;
    assert_failure(on_ranks(3, score_with_a_version, &s, NULL, &err), &err, PECK_SHAPE,
                   "different versions");
}

/* cv deals whole trainings: the report and the models are those of one rank. */
struct ranked_cv {
    const char *data;
    peck_bytes report[MOST_RANKS];
    uint64_t sum[MOST_RANKS]; /* of the bytes of all models */
};

struct kept_models {
    uint64_t *sum;
};

static peck_status add_model(void *ctx, const peck_fold_result *r, peck_error *err)
{
    const struct kept_models *const k = ctx;
    peck_bytes bytes;
    const peck_status st = peck_model_pack(&bytes, r->model, err);

    for (size_t i = 0; st == PECK_OK && i < bytes.n; i++)
        *k->sum = *k->sum * 31 + (unsigned char)bytes.s[i];
    if (st == PECK_OK)
        peck_bytes_free(&bytes);
    return st;
}

static peck_status cv_here(void *ctx, const peck_comm *c, peck_error *err)
{
    static const char *const methods[] = { "ridge", "mart", NULL };
    static const char *const grid[] = { "min_leaf=3,9", NULL };
    static const char *const settings[] = { "trees=2", NULL };
    static const char *const part[] = { "train", "valid", "test" };
    struct ranked_cv *const v = ctx;
    struct kept_models kept = { &v->sum[c->rank] };
    const peck_train_spec train = { .settings = settings };
    const peck_judge_spec judge = { .threads = 2 };
    peck_dataset *d = NULL, *cut[3][3] = { { NULL } };
    peck_fold fold[3];
    peck_report *r = NULL;
    peck_status st = peck_dataset_read(&d, v->data, NULL, err);

    for (size_t f = 0; f < 3; f++) {
        for (size_t p = 0; p < 3 && st == PECK_OK; p++)
            st = peck_dataset_fold(&cut[f][p], d, 3, f, part[p], 1, err);
        fold[f] = (peck_fold){ cut[f][0], cut[f][1], cut[f][2] };
    }
    if (st == PECK_OK)
        st = peck_cv(&r,
                     &(peck_cv_spec){ .size = sizeof(peck_cv_spec),
                                      .fold = fold,
                                      .n_folds = 3,
                                      .method = methods,
                                      .grid = grid,
                                      .train = &train,
                                      .judge = &judge,
                                      .blend = "equal",
                                      .keep = add_model,
                                      .ctx = &kept,
                                      .comm = c },
                     err);
    if (st == PECK_OK)
        st = peck_report_print(&v->report[c->rank], r, "json", err);
    peck_report_free(r);
    for (size_t i = 0; i < 9; i++)
        peck_dataset_free(cut[i / 3][i % 3]);
    peck_dataset_free(d);
    return st;
}

static void cv_deals_trainings(void **state)
{
    struct ranked_cv one = { .data = make_data("cv.txt") };
    peck_error err = { 0 };

    (void)state;
    assert_ok(on_ranks(1, cv_here, &one, NULL, &err), err);
    for (int n = 2; n <= 5; n += 3) {
        struct ranked_cv many = { .data = one.data };

        assert_ok(on_ranks(n, cv_here, &many, NULL, &err), err);
        for (int r = 0; r < n; r++) {
            assert_string_equal(many.report[r].s, one.report[0].s);
            assert_true(many.sum[r] == one.sum[0]);
            peck_bytes_free(&many.report[r]);
        }
    }
    peck_bytes_free(&one.report[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_one_dataset),
        cmocka_unit_test(ranks_read_their_own_text),
        cmocka_unit_test(ranks_train_alike),
        cmocka_unit_test(ranks_grow_trees_alike),
        cmocka_unit_test(little_memory_gives_the_same_trees),
        cmocka_unit_test(trees_go_on_with_other_ranks),
        cmocka_unit_test(ranks_train_ensembles_alike),
        cmocka_unit_test(ranks_share_batches_of_any_size),
        cmocka_unit_test(ranks_learn_preferences_alike),
        cmocka_unit_test(little_memory_gives_the_same_model),
        cmocka_unit_test(large_parts_stay_in_their_files),
        cmocka_unit_test(ranks_score_alike),
        cmocka_unit_test(cv_deals_trainings),
        cmocka_unit_test(bad_networks_end_in_a_status),
        cmocka_unit_test(bad_networks_end_a_training),
        cmocka_unit_test(ranks_see_the_same_file),
        cmocka_unit_test(ranks_run_the_same_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
