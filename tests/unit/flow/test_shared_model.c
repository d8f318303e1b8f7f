/* One model, eight threads: each has its own scorer, and what any of them finds is what one
 * thread alone finds.  ThreadSanitizer looks on (`make tsan`).                        */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"

#include <pthread.h>

enum { DIM = 12, N_THREADS = 8, ROUNDS = 3, N_DUELS = 5 };

static const peck_duel duels[N_DUELS] = {
    { 0, 1 }, { 1, 0 }, { 2, 3 }, { 3, 1 }, { 2, 0 }
};

/* What a thread asks the model for, and what it hears. */
struct answers {
    double *one;   /* of all documents, a query at a time */
    double *whole; /* of the dataset at once */
    double *ranks;
    float preference[N_DUELS];
};

struct visitor {
    pthread_t thread;
    const peck_model *model;
    const peck_dataset *data;
    struct answers answers;
    peck_error err;
    peck_status status;
};

static struct answers answers_new(size_t n_docs)
{
    return (struct answers){ .one = calloc(n_docs, sizeof(double)),
                             .whole = calloc(n_docs, sizeof(double)),
                             .ranks = calloc(n_docs, sizeof(double)) };
}

static void answers_free(struct answers *a)
{
    free(a->one);
    free(a->whole);
    free(a->ranks);
}

static peck_status score_all(struct visitor *v, peck_scorer *s)
{
    peck_status st = PECK_OK;
    peck_dataset_info info;
    peck_query q;

    peck_dataset_describe(v->data, &info);
    for (size_t i = 0; st == PECK_OK && i < info.n_queries; i++) {
        peck_dataset_query(v->data, i, &q);
        st = peck_score(s, q.x, q.n_docs, q.stride, v->answers.one + q.first, &v->err);
        if (st == PECK_OK && q.n_docs >= 4)
            st = peck_prefer(s, q.x, q.n_docs, q.stride, duels, N_DUELS,
                             v->answers.preference, NULL, &v->err);
    }
    return st;
}

static void *visit(void *ctx)
{
    struct visitor *const v = ctx;

    for (int i = 0; v->status == PECK_OK && i < ROUNDS; i++) {
        peck_scorer *s = NULL;
        peck_report *about = NULL;

        v->status = peck_scorer_new(&s, v->model, &v->err);
        if (v->status == PECK_OK)
            v->status = score_all(v, s);
        if (v->status == PECK_OK)
            v->status = peck_model_score(v->model, v->data, 2, v->answers.whole, &v->err);
        if (v->status == PECK_OK)
            v->status =
                peck_model_rank(v->model, v->data, NULL, v->answers.ranks, NULL, &v->err);
        if (v->status == PECK_OK)
            v->status = peck_model_describe(&about, v->model, &v->err);
        peck_report_free(about);
        peck_scorer_free(s);
    }
    return NULL;
}

static void share(const peck_model *m, const peck_dataset *d)
{
    struct visitor alone = { .model = m, .data = d, .answers = answers_new(d->n_docs) };
    struct visitor v[N_THREADS];

    visit(&alone);
    assert_ok(alone.status, alone.err);
    for (int i = 0; i < N_THREADS; i++) {
        v[i] = (struct visitor){ .model = m, .data = d, .answers = answers_new(d->n_docs) };
        assert_int_equal(pthread_create(&v[i].thread, NULL, visit, &v[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        const struct answers *const a = &v[i].answers;

        assert_int_equal(pthread_join(v[i].thread, NULL), 0);
        assert_ok(v[i].status, v[i].err);
        assert_memory_equal(a->one, alone.answers.one, d->n_docs * sizeof *a->one);
        assert_memory_equal(a->whole, alone.answers.whole, d->n_docs * sizeof *a->whole);
        assert_memory_equal(a->ranks, alone.answers.ranks, d->n_docs * sizeof *a->ranks);
        assert_memory_equal(a->preference, alone.answers.preference, sizeof a->preference);
        answers_free(&v[i].answers);
    }
    answers_free(&alone.answers);
}

static struct peck_dataset *make_data(void)
{
    const struct sample sample = {
        .n_queries = 12, .max_docs = 30, .dim = DIM, .n_grades = 3
    };

    return sample_dataset(&sample, 8);
}

static void threads_share_a_model(void **state)
{
    static const struct model_sample kinds[] = {
        { .dim = DIM, .norm = "zscore" },
        { .dim = DIM, .norm = "quantile+query-zscore", .n_members = 3 },
        { .dim = DIM, .family = "trees" },
        { .dim = DIM, .family = "cmpnn", .norm = "zscore" },
        { .dim = DIM, .family = "linear", .norm = "zscore" },
    };
    struct peck_dataset *const d = make_data();

    (void)state;
    for (size_t i = 0; i < N_OF(kinds); i++) {
        struct peck_model *const m = sample_model(&kinds[i]);

        share(m, d);
        peck_model_free(m);
    }
    peck_dataset_free(d);
}

static void threads_share_a_committee(void **state)
{
    struct peck_model *const part[] = {
        sample_model(&(struct model_sample){ .dim = DIM, .norm = "zscore" }),
        sample_model(&(struct model_sample){ .dim = DIM, .family = "cmpnn" }),
    };
    struct peck_model *const m = committee_of(part, (const double[]){ 0.5, 0.5 }, 2);
    struct peck_dataset *const d = make_data();

    (void)state;
    share(m, d);
    peck_model_free(m);
    peck_model_free(part[0]);
    peck_model_free(part[1]);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_model),
        cmocka_unit_test(threads_share_a_committee),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
