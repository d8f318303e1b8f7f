/* train_data.c -- what is learnt from: features are normalised once, query by query,
 * and laid out in the order of the training set.                                       */
#include "learner.h"

#include "../base/alloc.h"

#include <math.h>

enum {
    SHARD = 16,           /* queries a task normalises */
    SCALE_SAMPLE = 10000, /* rows that are looked at for the scale */
};

struct normalise_job {
    const struct peck_dataset *data;
    const struct norm *norm;
    const struct train_set *train_set; /* NULL: rows stay in the data's order */
    float *x;                          /* [n_docs][dim] */
    size_t dim;
    float **scratch; /* one a worker: the longest query; NULL without a training set */
};

static void normalise_query(const struct normalise_job *job, size_t q, float *scratch)
{
    const struct rows docs = dataset_rows(job->data, q);
    const size_t first = job->data->start[q];
    float *const to = job->x + first * job->dim;

    if (job->train_set == NULL) {
        norm_apply(job->norm, docs, to);
        return;
    }
    norm_apply(job->norm, docs, scratch);
    for (size_t i = 0; i < docs.n; i++)
        memcpy(to + i * job->dim,
               scratch + (train_set_row(job->train_set, q, i) - first) * job->dim,
               job->dim * sizeof *to);
}

static void normalise_shard(void *ctx, size_t shard, int worker)
{
    const struct normalise_job *const job = ctx;
    const size_t first = shard * SHARD, n = job->data->n_queries;

    for (size_t q = first; q < n && q < first + SHARD; q++)
        normalise_query(job, q, job->scratch != NULL ? job->scratch[worker] : NULL);
}

static float **scratch_new(size_t workers, size_t n)
{
    float **const scratch = mem_new(workers, sizeof *scratch);
    bool is_full = scratch != NULL;

    for (size_t i = 0; is_full && i < workers; i++)
        is_full = (scratch[i] = mem_new(n, sizeof **scratch)) != NULL;
    for (size_t i = 0; scratch != NULL && !is_full && i < workers; i++)
        mem_free(scratch[i]);
    if (!is_full)
        mem_free(scratch);
    return is_full ? scratch : NULL;
}

static peck_status normalise(float **out, const struct peck_dataset *d,
                             const struct norm *norm, const struct train_set *train_set,
                             struct pool *pool, peck_error *err)
{
    const size_t dim = norm_dim_out(norm), workers = (size_t)pool_size(pool);
    struct normalise_job job = {
        .data = d, .norm = norm, .train_set = train_set, .dim = dim
    };

    TRY(builder_check_size(d->name, d->n_docs, dim, err));
    *out = job.x = mem_new(d->n_docs * dim, sizeof *job.x);
    if (job.x == NULL)
        return fail_memory(err, d->name, d->n_docs * dim, sizeof *job.x);
    if (train_set != NULL) {
        job.scratch = scratch_new(workers, train_set->max_docs * dim);
        if (job.scratch == NULL)
            return fail_memory(err, d->name, workers * train_set->max_docs * dim,
                               sizeof **job.scratch);
    }
    pool_run(pool, (d->n_queries + SHARD - 1) / SHARD, normalise_shard, &job);
    for (size_t i = 0; job.scratch != NULL && i < workers; i++)
        mem_free(job.scratch[i]);
    mem_free(job.scratch);
    return PECK_OK;
}

/* The largest root mean square of a column, from rows at equal distances. */
static peck_status train_data_measure(struct train_data *c, peck_error *err)
{
    const size_t n = c->train_set->n_docs, step = n / SCALE_SAMPLE + 1;
    double *const sum = mem_new(c->dim, sizeof *sum);
    size_t seen = 0;

    if (sum == NULL)
        return fail_memory(err, "the scale of features", c->dim, sizeof *sum);
    for (size_t i = 0; i < n; i += step, seen++)
        for (size_t j = 0; j < c->dim; j++) {
            const double x = (double)c->x[i * c->dim + j];

            sum[j] += x * x;
        }
    for (size_t j = 0; j < c->dim; j++)
        c->scale = fmax(c->scale, sqrt(sum[j] / (double)seen));
    mem_free(sum);
    return PECK_OK;
}

/* Sampling is for those who look at all pairs of a long list. */
static struct train_set_config config_of(const struct plan *plan)
{
    const struct objective *const o = plan->recipe->objective;
    struct train_set_config rules = *plan->set_config;

    if (plan->recipe->learner->samples_pairs)
        return rules;
    if (o == NULL || !o->is_pairwise || plan->recipe->learner->chooses_pairs ||
        (o->is_selective != NULL && o->is_selective(plan->objective)))
        rules.sample_over = 0;
    return rules;
}

peck_status train_data_open(struct train_data *c, const struct plan *plan,
                            const struct norm *norm, const struct peck_dataset *train,
                            const struct peck_prefs *prefs,
                            const struct validation *validation, struct pool *pool,
                            peck_error *err)
{
    const struct train_set_config rules = config_of(plan);

    *c = (struct train_data){
        .data = train, .prefs = prefs, .dim = norm_dim_out(norm), .validation = *validation
    };
    TRY(train_set_new(&c->train_set, train, prefs, &rules, err));
    TRY(normalise(&c->x, train, norm, c->train_set, pool, err));
    if (validation->prefs != NULL)
        TRY(train_set_check_prefs(validation->data, validation->prefs, err));
    if (validation->data != NULL)
        TRY(normalise(&c->valid_x, validation->data, norm, NULL, pool, err));
    return plan->recipe->learner->is_scale_free ? PECK_OK : train_data_measure(c, err);
}

peck_status train_data_add_rules(struct train_data *c, const struct peck_rules *r,
                                 peck_error *err)
{
    return rule_scope_new(&c->rule_scope, r, c->data, c->train_set, err);
}

void train_data_close(struct train_data *c)
{
    rule_scope_free(c->rule_scope);
    train_set_free(c->train_set);
    mem_free(c->x);
    mem_free(c->valid_x);
    *c = (struct train_data){ 0 };
}
