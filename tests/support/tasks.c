/* tasks.c -- see tasks.h. */
#include "support/tasks.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/scratch.h"

static struct peck_dataset *wrap(float *x, size_t n_docs, size_t dim, const float *label,
                                 const uint32_t *size, size_t n_queries)
{
    peck_dataset *d = NULL;
    peck_error err = { 0 };

    assert_ok(peck_dataset_wrap(&d, x, n_docs, dim, label, size, n_queries, &err), err);
    d->x_owned = x;
    return d;
}

static float grade(const float *x, size_t dim, double noise, struct rng *r)
{
    double value = noise * rng_normal(r) + (dim > 1 ? (double)x[0] * (double)x[1] : 0.0);

    for (size_t j = 0; j < dim; j++)
        value += (double)x[j] * (j % 2 == 0 ? 1.0 : -0.5);
    return value > 1.0 ? 2.0f : value > 0.3 ? 1.0f : 0.0f;
}

struct peck_dataset *task_dataset(const struct task_sample *s, uint64_t seed)
{
    float *const x = mem_new(s->n_queries * s->max_docs * s->dim, sizeof *x);
    float *const label = mem_new(s->n_queries * s->max_docs, sizeof *label);
    uint32_t *const size = mem_new(s->n_queries, sizeof *size);
    struct rng r;
    size_t n = 0;

    rng_seed(&r, seed, 77);
    for (size_t q = 0; q < s->n_queries; q++) {
        size[q] =
            (uint32_t)(s->max_docs / 2 + rng_below(&r, s->max_docs - s->max_docs / 2 + 1));
        size[q] = size[q] > 0 ? size[q] : 1;
        for (uint32_t i = 0; i < size[q]; i++, n++) {
            for (size_t j = 0; j < s->dim; j++)
                x[n * s->dim + j] = (float)rng_normal(&r);
            label[n] = grade(x + n * s->dim, s->dim, s->noise, &r);
        }
    }
    struct peck_dataset *const d = wrap(x, n, s->dim, label, size, s->n_queries);

    mem_free(label);
    mem_free(size);
    return d;
}

struct peck_dataset *task_of(const uint32_t *size, size_t n_queries, size_t dim,
                             const float *label, uint64_t seed)
{
    size_t n = 0;

    for (size_t q = 0; q < n_queries; q++)
        n += size[q];
    float *const x = mem_new(n * dim, sizeof *x), *const same = mem_new(n, sizeof *same);
    struct rng r;

    rng_seed(&r, seed, 78);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = (float)rng_normal(&r);
    for (size_t i = 0; i < n; i++)
        same[i] = 1.0f;
    struct peck_dataset *const d =
        wrap(x, n, dim, label != NULL ? label : same, size, n_queries);

    mem_free(same);
    return d;
}

double score_quality(const struct peck_dataset *d, const double *score)
{
    peck_report *r = NULL;
    peck_error err = { 0 };

    assert_ok(peck_evaluate_scores(&r, d, score, NULL, &err), err);
    const double value = peck_report_value(r, "ndcg@10");

    peck_report_free(r);
    return value;
}

double model_quality(const peck_model *m, const struct peck_dataset *d)
{
    double *const score = mem_new(d->n_docs, sizeof *score);
    peck_error err = { 0 };

    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    const double value = score_quality(d, score);

    mem_free(score);
    return value;
}

double random_quality(const struct peck_dataset *d)
{
    double *const score = mem_new(d->n_docs, sizeof *score);
    struct rng r;

    rng_seed(&r, 1, 79);
    for (size_t i = 0; i < d->n_docs; i++)
        score[i] = rng_uniform(&r);
    const double value = score_quality(d, score);

    mem_free(score);
    return value;
}

struct peck_dataset *topic_task(const char *queries, uint64_t seed)
{
    char name[64];
    peck_dataset *d = NULL;
    peck_error err = { 0 };

    snprintf(name, sizeof name, "t%s-%d.txt", queries, (int)seed);
    const peck_generate_spec spec = {
        .kind = "topics",
        .settings = (const char *const[]){ queries, "topics=2", "dim=12", NULL },
        .seed = seed,
        .path = scratch_path(name),
    };

    assert_ok(peck_generate(&spec, &err), err);
    assert_ok(peck_dataset_read(&d, spec.path, NULL, &err), err);
    return d;
}

peck_model *task_train(peck_train_spec spec)
{
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_ok(peck_train(&m, &spec, &err), err);
    return m;
}

void assert_train_refused(peck_train_spec spec, peck_status why, const char *phrase)
{
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_int_equal(peck_train(&m, &spec, &err), why);
    assert_null(m);
    assert_failed(err, why, phrase);
}
