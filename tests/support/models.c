/* models.c -- see models.h. */
#include "models.h"

#include "check.h"

#include "model/forest.h"

void *shape_open(const struct family *f, const char *const *settings, size_t dim,
                 peck_error *err)
{
    void *const shape = calloc(1, f->shape_size);
    peck_status st = PECK_OK;

    assert_non_null(shape);
    param_defaults(f->plug.params, shape);
    for (; settings != NULL && *settings != NULL && st == PECK_OK; settings++)
        st = param_set_pair(f->plug.params, shape, f->plug.about.name, span_of(*settings),
                            err);
    if (st == PECK_OK)
        st = f->open(shape, dim, err);
    if (st == PECK_OK)
        return shape;
    free(shape);
    return NULL;
}

const struct family *family_named(const char *name)
{
    const struct plug *const plug =
        plug_find(families, n_families, "family", span_of(name), NULL);

    assert_non_null(plug);
    return (const struct family *)plug;
}

float *random_floats(size_t n, uint64_t seed)
{
    float *const x = calloc(n > 0 ? n : 1, sizeof *x);
    struct rng r;

    assert_non_null(x);
    rng_seed(&r, seed, 0);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)rng_normal(&r);
    return x;
}

static struct norm *fit(const char *spec, size_t dim, uint64_t seed)
{
    enum { N = 50 };
    float *const x = random_floats(N * dim, seed);
    struct pool *pool = NULL;
    struct norm *norm = NULL;
    peck_error err = { PECK_OK, "" };

    assert_ok(pool_new(&pool, 1, &err), err);
    assert_ok(
        norm_fit(&norm, spec, &(struct norm_data){ .all = { x, N, dim, dim } }, pool, &err),
        err);
    pool_free(pool);
    free(x);
    return norm;
}

/* A tree of 7 questions and 8 leaves. */
static void plant_tree(float *w, size_t dim, struct rng *r)
{
    enum { QUESTIONS = 7, NODES = 15 };
    struct forest_node *const node = forest_add(w, NODES);

    for (size_t i = 0; i < NODES; i++)
        node[i] =
            i < QUESTIONS
                ? (struct forest_node){ (float)rng_below(r, dim), (float)rng_normal(r),
                                        (float)(2 * i + 1), (float)rng_uniform(r) }
                : (struct forest_node){ 0.0f, FLT_MAX, (float)i, (float)rng_uniform(r) };
}

float *sample_weights(const struct family *f, const void *shape, size_t dim, size_t members,
                      uint64_t seed, size_t *n)
{
    enum { TREES = 5 };

    if (f->check == NULL) {
        *n = f->n_weights(shape);
        return random_floats(members * *n, seed);
    }
    float *const w = calloc(members * f->n_weights(shape), sizeof *w);
    struct rng r;

    assert_non_null(w);
    rng_seed(&r, seed, 1);
    for (size_t i = 0; i < members; i++) {
        float *const own = w + (i > 0 ? i * *n : 0);

        forest_clear(own);
        for (size_t t = 0; t < TREES; t++)
            plant_tree(own, dim, &r);
        *n = forest_used(own);
    }
    return w;
}

struct peck_model *sample_model(const struct model_sample *s)
{
    struct peck_model *const m = model_new();
    peck_error err = { PECK_OK, "" };
    char name[32];

    assert_non_null(m);
    m->family = family_named(s->family != NULL ? s->family : "mlp");
    m->norm = fit(s->norm != NULL ? s->norm : "none", s->dim, s->seed);
    m->shape = shape_open(m->family, s->settings, m->norm->dim_out, &err);
    if (m->shape == NULL)
        fail_msg("%s", err.text);
    m->n_members = s->n_members > 0 ? s->n_members : 1;
    m->w = sample_weights(m->family, m->shape, m->norm->dim_out, m->n_members, s->seed + 1,
                          &m->n_weights);
    assert_true(notes_add(&m->notes, "method", span_of("ranknet")));
    assert_true(notes_add(&m->notes, "seed", span_of("17")));
    for (size_t i = 0; s->has_names && i < s->dim; i++) {
        snprintf(name, sizeof name, "feature %zu", i);
        assert_true(strings_add(&m->feature_name, span_of(i % 3 == 2 ? "" : name)));
    }
    return m;
}

struct peck_model *cyclic_model(void)
{
    static const char *const settings[] = { "hidden=6", NULL };
    const struct model_sample sample = { .family = "cmpnn",
                                         .settings = settings,
                                         .dim = 3 };
    struct peck_model *const m = sample_model(&sample);
    float *const v = m->w, *const b = v + 3 * 6, *const win = b + 3, *const lose = win + 3;

    memset(v, 0, m->n_weights * sizeof *v);
    for (size_t k = 0; k < 3; k++) {
        v[k * 6 + k] = v[(k + 1) % 3 * 6 + 3 + k] = 4.0f; /* x is k, y is k + 1 */
        b[k] = -6.0f;
        win[k] = 4.0f;
        lose[k] = -4.0f;
    }
    return m;
}

struct peck_model *committee_of(struct peck_model *const *part, const double *share,
                                size_t n)
{
    struct peck_model *const m = model_new();
    peck_error err = { PECK_OK, "" };

    assert_non_null(m);
    assert_ok(
        committee_fill(m, (const struct peck_model *const *)part, share, NULL, n, &err),
        err);
    return m;
}
