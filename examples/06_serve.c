/* 06_serve.c -- a program that serves: eight threads share one model, which came as bytes and
 * not as a file, and each has a scorer of its own.  Any C17 or C++20 compiler takes it.   */
#include <peck.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    N_FEATURES = 2,
    N_DOCS = 6,
    N_QUERIES = 2,
    N_OFFERS = 4,
    N_THREADS = 8,
    N_LISTS = 500
};

/* What one thread has: the model is everybody's, the rest its own. */
struct worker {
    const peck_model *model;
    unsigned number;
    unsigned wins[N_OFFERS]; /* how often each offer stood first */
    peck_status status;
    peck_error err;
};

/* A list that somebody asks to be ranked: prices differ from one to the next. */
static void next_list(float *x, unsigned i)
{
    for (unsigned k = 0; k < N_OFFERS; k++) {
        x[k * N_FEATURES] = (float)(4 + (i * 7 + k * 5) % 16);
        x[k * N_FEATURES + 1] = (float)(1 + (i + k * 3) % 5);
    }
}

static void *serve(void *ctx)
{
    struct worker *const w = (struct worker *)ctx;
    peck_scorer *scorer = NULL; /* one a thread, for as many lists as come */
    float x[N_OFFERS * N_FEATURES];
    double score[N_OFFERS];
    uint32_t order[N_OFFERS];

    w->status = peck_scorer_new(&scorer, w->model, &w->err);
    for (unsigned i = w->number; w->status == PECK_OK && i < N_LISTS; i += N_THREADS) {
        next_list(x, i);
        w->status = peck_score(scorer, x, N_OFFERS, N_FEATURES, score, &w->err);
        if (w->status == PECK_OK)
            w->status = peck_order(score, N_OFFERS, order, &w->err);
        if (w->status == PECK_OK)
            w->wins[order[0]]++;
    }
    peck_scorer_free(scorer);
    return NULL;
}

/* A model as bytes: what a program would keep in a database, or send to another. */
static peck_status make_model(peck_bytes *out, peck_error *err)
{
    static const float x[N_DOCS * N_FEATURES] = { 9, 3, 5, 4, 7, 1, 4, 2, 20, 5, 6, 5 };
    static const float label[N_DOCS] = { 0, 1, 0, 0, 0, 1 };
    static const uint32_t docs_in_query[N_QUERIES] = { 3, 3 };
    static const char *const names[N_FEATURES] = { "price", "stars" };
    peck_arrays arrays = { .size = sizeof arrays };
    peck_train_spec spec = { .size = sizeof spec };
    peck_dataset *data = NULL;
    peck_model *model = NULL;

    arrays.x = x;
    arrays.n_docs = N_DOCS;
    arrays.n_features = N_FEATURES;
    arrays.label = label;
    arrays.docs_in_query = docs_in_query;
    arrays.n_queries = N_QUERIES;
    arrays.feature_name = names;
    peck_status st = peck_dataset_make(&data, &arrays, err);

    spec.method = "ridge";
    spec.alone = 1;
    spec.train = data;
    if (st == PECK_OK)
        st = peck_train(&model, &spec, err);
    if (st == PECK_OK)
        st = peck_model_pack(out, model, err);
    peck_model_free(model);
    peck_dataset_free(data);
    return st;
}

static peck_status serve_all(const peck_model *model, peck_error *err)
{
    struct worker worker[N_THREADS];
    pthread_t thread[N_THREADS];
    unsigned wins[N_OFFERS] = { 0 };
    peck_status st = PECK_OK;
    unsigned n = 0;

    memset(worker, 0, sizeof worker);
    for (; n < N_THREADS; n++) {
        worker[n].model = model;
        worker[n].number = n;
        if (pthread_create(&thread[n], NULL, serve, &worker[n]) != 0)
            break;
    }
    for (unsigned i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        if (worker[i].status != PECK_OK) {
            st = worker[i].status;
            *err = worker[i].err;
        }
        for (unsigned k = 0; k < N_OFFERS; k++)
            wins[k] += worker[i].wins[k];
    }
    for (unsigned k = 0; st == PECK_OK && n == N_THREADS && k < N_OFFERS; k++)
        printf("offer %u stood first in %u of %d lists\n", k + 1, wins[k], N_LISTS);
    return st;
}

int main(void)
{
    peck_bytes bytes = { NULL, 0 };
    peck_model *model = NULL;
    peck_error err = { PECK_OK, "" };
    peck_status st = make_model(&bytes, &err);

    if (st == PECK_OK)
        st = peck_model_unpack(&model, bytes.s, bytes.n, &err);
    peck_bytes_free(&bytes);
    if (st == PECK_OK)
        st = serve_all(model, &err);
    if (st != PECK_OK)
        fprintf(stderr, "%s\n", err.text);
    peck_model_free(model);
    return st == PECK_OK ? 0 : 1;
}
