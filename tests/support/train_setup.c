/* train_setup.c -- see train_setup.h. */
#include "support/train_setup.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"

/* What is learnt from, and what validates. */
struct given {
    const struct peck_dataset *train, *valid;
    const struct peck_prefs *prefs, *valid_prefs;
};

static void open_setup(struct train_setup *c, const char *method,
                       const char *const *settings, const struct given *given,
                       const char *metric, int threads)
{
    peck_error err = { 0 };

    *c = (struct train_setup){ 0 };
    assert_ok(pool_new(&c->pool, threads, &err), err);
    assert_ok(plan_open(&c->plan, method, settings, NULL, &err), err);
    assert_ok(convention_parse(&c->convention, NULL, &err), err);
    assert_ok(metric_list_parse(&c->metric, metric != NULL ? metric : "ndcg@10", &err),
              err);
    const struct validation validation = { .data = given->valid,
                                           .prefs = given->valid_prefs,
                                           .metric = &c->metric,
                                           .convention = &c->convention };

    assert_ok(train_data_open(&c->train_data, &c->plan, given->train, given->prefs,
                              &validation, &(struct memory_limit){ 0 }, c->pool, &err),
              err);
    assert_ok(plan_shape(&c->plan, c->train_data.dim, &err), err);
    c->w = mem_new(c->plan.n_weights, sizeof *c->w);
    assert_non_null(c->w);
    c->task = (struct task){ .plan = &c->plan,
                             .train_data = &c->train_data,
                             .seed = 1,
                             .pool = c->pool,
                             .w = c->w };
}

void train_setup_open(struct train_setup *c, const char *method,
                      const char *const *settings, const struct peck_dataset *train,
                      const struct peck_dataset *valid, const char *metric, int threads)
{
    open_setup(c, method, settings, &(struct given){ .train = train, .valid = valid },
               metric, threads);
}

void train_setup_open_prefs(struct train_setup *c, const char *method,
                            const char *const *settings, const struct peck_dataset *train,
                            const struct peck_prefs *prefs,
                            const struct peck_dataset *valid,
                            const struct peck_prefs *valid_prefs, int threads)
{
    open_setup(c, method, settings, &(struct given){ train, valid, prefs, valid_prefs },
               NULL, threads);
}

double take_gradient(struct gradient *g, const float *w, const uint32_t *query, size_t n,
                     const struct train_step *at, float *dw)
{
    peck_error err = { 0 };
    double loss;

    assert_ok(gradient_take(g, w, query, n, at, dw, &loss, &err), err);
    return loss;
}

struct peck_prefs *prefs_of_labels(const struct peck_dataset *d, uint64_t seed)
{
    struct peck_prefs *const p = prefs_new();
    struct rng r;

    rng_seed(&r, seed, 3);
    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
            for (size_t j = d->start[q]; j < d->start[q + 1]; j++)
                if (d->label[i] > d->label[j] && d->label[j] != PECK_UNJUDGED)
                    assert_true(prefs_add(p, rng_below(&r, 3) == 0
                                                 ? (peck_pref){ q, j, i, 0, 1 }
                                                 : (peck_pref){ q, i, j, 1, 1 }));
    for (size_t i = p->n; i > 1; i--) {
        const size_t other = rng_below(&r, i);
        const peck_pref swap = p->pref[i - 1];

        p->pref[i - 1] = p->pref[other];
        p->pref[other] = swap;
    }
    return p;
}

void train_setup_close(struct train_setup *c)
{
    mem_free(c->w);
    train_data_close(&c->train_data);
    metric_list_free(&c->metric);
    plan_close(&c->plan);
    pool_free(c->pool);
}

/* Also whether it takes the value: one number, or several with '-' between them. */
static bool has_setting(const char *method, const char *pair)
{
    peck_param row;

    for (size_t i = 0; peck_param_at(PECK_METHOD, method, i, &row); i++)
        if (strncmp(row.key, pair, strlen(row.key)) == 0 && pair[strlen(row.key)] == '=')
            return strcmp(row.type, "int") != 0 || strchr(pair, '-') == NULL;
    return false;
}

peck_status train_method(peck_model **out, const char *method, peck_train_spec spec,
                         const char *const *settings, peck_error *err)
{
    enum { MAX_SETTINGS = 12 };
    const char *own[MAX_SETTINGS + 1] = { NULL };
    size_t n = 0;

    for (size_t i = 0; settings[i] != NULL; i++)
        if (has_setting(method, settings[i]))
            own[n++] = settings[i];
    spec.method = method;
    spec.settings = own;
    *err = (peck_error){ 0 };
    return peck_train(out, &spec, err);
}
