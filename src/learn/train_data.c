/* train_data.c -- what is learnt from: features are normalised once, query by query,
 * and laid out in the order of the training set.                                       */
#include "learner.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

enum {
    SCALE_SAMPLE = 10000, /* rows that are looked at for the scale */
    APART_DOCS = 256      /* documents that a model looks at at once */
};

static struct norm_data dataset_to_scale(const struct peck_dataset *d)
{
    return (struct norm_data){
        { d->x, d->n_docs, d->dim, d->dim }, d->start, d->n_queries, d->name, d->doc_weight
    };
}

/* The largest root mean square of a column, from rows at equal distances. */
static peck_status measure_scale(struct train_data *c, peck_error *err)
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
        c->scale = math_max(c->scale, sqrt(sum[j] / (double)seen));
    mem_free(sum);
    return PECK_OK;
}

peck_status train_data_open(struct train_data *c, const struct plan *plan,
                            const struct peck_dataset *train,
                            const struct peck_prefs *prefs,
                            const struct validation *validation, struct pool *pool,
                            peck_error *err)
{
    const struct learner *const l = plan->recipe->learner;
    const struct objective *const o = plan->recipe->objective;
    const struct peck_dataset *const v = validation->data;
    const struct norm_data all = dataset_to_scale(train);
    struct train_set_config rules = *plan->set_config;

    /* Sampling is for those who look at all pairs of a long list. */
    if (!l->samples_pairs &&
        (o == NULL || !o->is_pairwise || l->chooses_pairs ||
         (o->is_selective != NULL && o->is_selective(plan->objective))))
        rules.sample_over = 0;
    *c = (struct train_data){ .data = train, .prefs = prefs, .validation = *validation };
    TRY(train_set_new(&c->train_set, train, prefs, &rules, err));

    /* Features -> scaled features, once. */
    TRY(norm_fit(&c->norm, plan->norm, &all, pool, err));
    c->dim = c->norm->dim_out;
    TRY(builder_check_size(train->name, train->n_docs, c->dim, err));
    TRY(norm_apply_all(&c->x, c->norm, &all, c->train_set->from, pool, err));
    if (validation->prefs != NULL)
        TRY(train_set_check_prefs(v, validation->prefs, err));
    if (v != NULL) {
        const struct norm_data chosen_by = dataset_to_scale(v);

        TRY(builder_check_size(v->name, v->n_docs, c->dim, err));
        TRY(norm_apply_all(&c->valid_x, c->norm, &chosen_by, NULL, pool, err));
    }

    /* What a person may have to know of it. */
    for (size_t q = 0; l->chooses_pairs && q < c->train_set->n_queries; q++)
        c->n_kept_pairs += c->train_set->plan[q].n_all;
    c->is_slow =
        l->slow_from > 0.0 && (double)c->train_set->n_docs * (double)c->dim > l->slow_from;
    return l->is_scale_free ? PECK_OK : measure_scale(c, err);
}

peck_status train_data_add_rules(struct train_data *c, const struct peck_rules *r,
                                 peck_error *err)
{
    return rule_scope_new(&c->rule_scope, r, c->data, c->train_set, err);
}

void train_data_close(struct train_data *c)
{
    if (c->rule_scope != NULL)
        rule_scope_free(c->rule_scope);
    train_set_free(c->train_set);
    if (c->norm != NULL)
        norm_free(c->norm);
    mem_free(c->x);
    mem_free(c->valid_x);
    *c = (struct train_data){ 0 };
}

peck_status train_data_tells_apart(bool *out, const struct train_data *c,
                                   const struct plan *plan, const float *w, peck_error *err)
{
    const struct family *const f = plan->recipe->family;
    const struct train_set *const l = c->train_set;
    const bool scores = f->scores != NULL;
    const size_t width = scores ? 1 : f->compares->view_size(plan->shape);
    const char *const what = "what a net makes of documents";
    struct arena a = { 0 };
    float *const made = arena_new(&a, what, APART_DOCS * width, sizeof *made);
    float *const scratch =
        arena_new(&a, what, APART_DOCS * plan->n_scratch, sizeof *scratch);
    const peck_status st = arena_check(&a, err);
    peck_duel duel[APART_DOCS]; /* of neighbours */
    float lead[APART_DOCS];

    *out = false;
    for (uint32_t i = 0; i < APART_DOCS; i++)
        duel[i] = (peck_duel){ i, i + 1 };
    /* Blocks share a document with the one before, so that none stands alone. */
    for (size_t q = 0; st == PECK_OK && q < l->n_queries; q++)
        for (size_t at = (size_t)l->start[q]; !*out && at + 1 < l->start[q + 1];
             at += APART_DOCS - 1) {
            const size_t left = (size_t)l->start[q + 1] - at;
            const size_t n = left < APART_DOCS ? left : APART_DOCS;
            const struct rows x = { c->x + at * c->dim, n, c->dim, c->dim };

            (scores ? f->scores->score : f->compares->view)(plan->shape, w, x, made,
                                                            scratch);
            if (!scores)
                f->compares->decide(plan->shape, w, made, duel, n - 1, lead);
            for (size_t i = 0; i + 1 < n; i++)
                *out |= scores ? made[i + 1] != made[0] : lead[i] != 0.0f;
        }
    arena_free(&a);
    return st;
}

bool train_data_has_choice(const struct train_data *c)
{
    const struct train_set *const l = c->train_set;

    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = (size_t)l->start[q] + 1; i < l->start[q + 1]; i++)
            if (memcmp(c->x + i * c->dim, c->x + l->start[q] * c->dim,
                       c->dim * sizeof *c->x) != 0)
                return true;
    return false;
}
