/* train_data.c -- what is learnt from: features are normalised once, query by query, and laid
 * out in the order of the training set; for learners that go over them once, and where they
 * would take more memory than there may be, a query at a time whenever it is asked for.  Then
 * pages of a mapped file are given back as soon as they were read.                     */
#include "learner.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

enum {
    SCALE_SAMPLE = 10000, /* rows that are looked at for the scale */
    APART_DOCS = 256      /* documents that a model looks at at once */
};

static struct norm_data dataset_to_scale(const struct peck_dataset *d,
                                         const struct memory_limit *limit)
{
    return (struct norm_data){ .all = { d->x, d->n_docs, d->dim, d->dim },
                               .start = d->start,
                               .n_queries = d->n_queries,
                               .name = d->name,
                               .weight = d->doc_weight,
                               .place = d->place,
                               .mapped = &d->mapped,
                               .memory = limit->bytes,
                               .comm = d->comm,
                               .own_first = dataset_own_first(d),
                               .own_end = dataset_own_end(d) };
}

/* The first row of this rank's queries, and how many there are. */
static size_t own_row(const struct peck_dataset *d)
{
    return (size_t)d->start[dataset_own_first(d)];
}

static size_t own_rows(const struct peck_dataset *d)
{
    return (size_t)d->start[dataset_own_end(d)] - own_row(d);
}

/* The rows of a query, normalised, as the data has them. */
static void make_rows(const struct train_data *c, const struct peck_dataset *d, size_t q,
                      float *to)
{
    if (c->is_made)
        dataset_expect_query(d, q);
    norm_apply(c->norm, dataset_rows(d, q), to);
    if (c->limit.bytes > 0)
        dataset_forget_queries(d, q, q + 1);
}

/* Normalised as the data has it, then in the order of the training set. */
size_t train_data_room(const struct train_data *c)
{
    return c->x != NULL ? 0 : 2 * (size_t)c->train_set->max_docs * c->dim;
}

struct rows train_data_query(const struct train_data *c, size_t q, float *room)
{
    const struct train_set *const l = c->train_set;
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;

    if (c->x != NULL)
        return (struct rows){ c->x + (first - c->own_row) * c->dim, n, c->dim, c->dim };
    float *const made = room + n * c->dim;

    make_rows(c, c->data, q, made);
    for (size_t i = 0; i < n; i++)
        memcpy(room + i * c->dim, made + l->from[first + i] * c->dim,
               c->dim * sizeof *room);
    return (struct rows){ room, n, c->dim, c->dim };
}

static struct rows make_train(const void *ctx, size_t q, float *room)
{
    return train_data_query(ctx, q, room);
}

struct eval_docs train_data_docs(const struct train_data *c)
{
    return (struct eval_docs){ .x = { c->x, c->own_rows, c->dim, c->dim },
                               .start = c->train_set->start,
                               .first = dataset_own_first(c->data),
                               .end = dataset_own_end(c->data),
                               .make = make_train,
                               .ctx = c,
                               .n_room = train_data_room(c) };
}

static struct rows make_valid(const void *ctx, size_t q, float *room)
{
    const struct train_data *const c = ctx;

    make_rows(c, c->validation.data, q, room);
    return (struct rows){ room, dataset_query_size(c->validation.data, q), c->dim, c->dim };
}

struct eval_docs train_data_valid_docs(const struct train_data *c)
{
    const struct peck_dataset *const v = c->validation.data;

    return (struct eval_docs){ .x = { c->valid_x, c->valid_rows, c->dim, c->dim },
                               .start = v->start,
                               .first = dataset_own_first(v),
                               .end = dataset_own_end(v),
                               .make = make_valid,
                               .ctx = c,
                               .n_room = c->valid_x != NULL
                                             ? 0
                                             : dataset_longest_query(v) * c->dim };
}

/* Rows at equal distances. */
struct scale_sample {
    const struct train_data *c;
    size_t step;
    float *room; /* train_data_room a worker */
    float *x;    /* a row of dim for every `step` rows */
};

static void sample_query(void *ctx, size_t q, int worker)
{
    const struct scale_sample *const s = ctx;
    const struct train_data *const c = s->c;

    q += dataset_own_first(c->data);
    const size_t first = (size_t)c->train_set->start[q],
                 end = (size_t)c->train_set->start[q + 1];
    size_t at = (first + s->step - 1) / s->step;

    if (at * s->step >= end)
        return;
    const struct rows x =
        train_data_query(c, q, s->room + train_data_room(c) * (size_t)worker);

    for (; at * s->step < end; at++)
        memcpy(s->x + at * c->dim, x.x + (at * s->step - first) * c->dim,
               c->dim * sizeof *s->x);
}

/* Every rank has sampled its own rows: now all have all of them. */
static peck_status share_sample(const struct scale_sample *s, size_t n_seen,
                                peck_error *err)
{
    const struct peck_dataset *const d = s->c->data;
    const size_t ranks = comm_ranks(s->c->comm);

    if (ranks == 1)
        return PECK_OK;
    size_t *const first = mem_new(ranks + 1, sizeof *first);

    if (first == NULL)
        return fail_memory(err, "ranks", ranks + 1, sizeof *first);
    for (size_t i = 0; i < ranks; i++)
        first[i] = (size_t)(d->start[d->share[i]] + s->step - 1) / s->step;
    first[ranks] = n_seen;
    const peck_status st =
        comm_share(s->c->comm, s->x, first, s->c->dim * sizeof *s->x, err);

    mem_free(first);
    return st;
}

/* The largest root mean square of a column, from a sample of rows. */
static peck_status measure_scale(struct train_data *c, struct pool *pool, peck_error *err)
{
    const size_t n = c->train_set->n_docs, step = n / SCALE_SAMPLE + 1;
    const size_t n_seen = (n + step - 1) / step, workers = (size_t)pool_size(pool);
    const char *const what = "the scale of features";
    struct arena a = { 0 };
    double *const sum = arena_new(&a, what, c->dim, sizeof *sum);
    struct scale_sample s = { .c = c, .step = step };

    s.room = arena_new(&a, what, workers * train_data_room(c), sizeof *s.room);
    s.x = arena_new(&a, what, n_seen * c->dim, sizeof *s.x);
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK) {
        pool_run(pool, dataset_own_end(c->data) - dataset_own_first(c->data), sample_query,
                 &s);
        st = share_sample(&s, n_seen, err);
    }
    if (st == PECK_OK) {
        for (size_t i = 0; i < n_seen; i++)
            for (size_t j = 0; j < c->dim; j++) {
                const double x = (double)s.x[i * c->dim + j];

                sum[j] += x * x;
            }
        for (size_t j = 0; j < c->dim; j++)
            c->scale = math_max(c->scale, sqrt(sum[j] / (double)n_seen));
    }
    arena_free(&a);
    return st;
}

/* Whether queries are looked at in the order of batches, or in their own. */
static void scatter(const struct train_data *c, bool is_scattered)
{
    dataset_scatter(c->data, is_scattered);
    if (c->validation.data != NULL)
        dataset_scatter(c->validation.data, is_scattered);
}

peck_status train_data_open(struct train_data *c, const struct plan *plan,
                            const struct peck_dataset *train,
                            const struct peck_prefs *prefs,
                            const struct validation *validation,
                            const struct memory_limit *limit, struct pool *pool,
                            peck_error *err)
{
    const struct learner *const l = plan->recipe->learner;
    const struct objective *const o = plan->recipe->objective;
    const struct peck_dataset *const v = validation->data;
    const struct norm_data all = dataset_to_scale(train, limit);
    struct train_set_config rules = *plan->set_config;

    /* Sampling is for those who look at all pairs of a long list. */
    if (!l->samples_pairs &&
        (o == NULL || !o->is_pairwise || l->chooses_pairs ||
         (o->is_selective != NULL && o->is_selective(plan->objective))))
        rules.sample_over = 0;
    *c = (struct train_data){ .data = train,
                              .prefs = prefs,
                              .limit = *limit,
                              .comm = train->comm,
                              .own_row = own_row(train),
                              .own_rows = own_rows(train),
                              .validation = *validation };
    TRY(train_set_new_on(pool, &c->train_set, train, prefs, &rules, err));

    /* Features -> scaled features, once. */
    TRY(norm_fit(&c->norm, plan->norm, &all, pool, err));
    c->dim = c->norm->dim_out;
    dataset_forget(train);
    const size_t n_valid = v != NULL ? own_rows(v) : 0;

    c->is_made = l->takes_limit && limit->bytes > 0 &&
                 (double)(c->own_rows + n_valid) * (double)c->dim * sizeof(float) >
                     (double)limit->bytes;
    if (c->is_made)
        scatter(c, true);
    if (!l->reads_by_query && !c->is_made) {
        TRY(builder_check_size(train->name, c->own_rows, c->dim, err));
        TRY(norm_apply_all(&c->x, c->norm, &all, c->train_set->from, pool, err));
    }
    if (validation->prefs != NULL)
        TRY(train_set_check_prefs(v, validation->prefs, err));
    if (v != NULL) {
        c->valid_row = own_row(v);
        c->valid_rows = n_valid;
    }
    if (v != NULL && !c->is_made && (limit->bytes == 0 || l->valid_scores == NULL)) {
        const struct norm_data chosen_by = dataset_to_scale(v, limit);

        TRY(builder_check_size(v->name, n_valid, c->dim, err));
        TRY(norm_apply_all(&c->valid_x, c->norm, &chosen_by, NULL, pool, err));
    }

    /* What a person may have to know of it. */
    for (size_t q = 0; l->chooses_pairs && q < c->train_set->n_queries; q++)
        c->n_kept_pairs += c->train_set->plan[q].n_all;
    c->is_slow =
        l->slow_from > 0.0 && (double)c->train_set->n_docs * (double)c->dim > l->slow_from;
    return l->is_scale_free ? PECK_OK : measure_scale(c, pool, err);
}

peck_status train_data_add_rules(struct train_data *c, const struct peck_rules *r,
                                 peck_error *err)
{
    return rule_scope_new(&c->rule_scope, r, c->data, c->train_set, err);
}

void train_data_close(struct train_data *c)
{
    if (c->is_made)
        scatter(c, false);
    if (c->rule_scope != NULL)
        rule_scope_free(c->rule_scope);
    train_set_free(c->train_set);
    if (c->norm != NULL)
        norm_free(c->norm);
    mem_free(c->x);
    mem_free(c->valid_x);
    *c = (struct train_data){ 0 };
}

/* *truth: whether a rank has found it true. */
static peck_status share_truth(const struct train_data *c, bool *truth, peck_status st,
                               peck_error *err)
{
    int64_t n = *truth;

    if (!comm_is_shared(c->comm))
        return st;
    TRY(comm_agree(c->comm, st, err));
    TRY(comm_add(c->comm, &n, 1, err));
    *truth = n > 0;
    return PECK_OK;
}

peck_status train_data_tells_apart(bool *out, const struct train_data *c,
                                   const struct plan *plan, const float *w, peck_error *err)
{
    const struct family *const f = plan->recipe->family;
    const bool scores = f->scores != NULL;
    const size_t width = scores ? 1 : f->compares->view_size(plan->shape);
    const char *const what = "what a net makes of documents";
    struct arena a = { 0 };
    float *const made = arena_new(&a, what, APART_DOCS * width, sizeof *made);
    float *const scratch =
        arena_new(&a, what, APART_DOCS * plan->n_scratch, sizeof *scratch);
    float *const room = arena_new(&a, what, train_data_room(c), sizeof *room);
    const peck_status st = arena_check(&a, err);
    peck_duel duel[APART_DOCS]; /* of neighbours */
    float lead[APART_DOCS];

    *out = false;
    for (uint32_t i = 0; i < APART_DOCS; i++)
        duel[i] = (peck_duel){ i, i + 1 };
    /* Blocks share a document with the one before, so that none stands alone. */
    for (size_t q = dataset_own_first(c->data);
         st == PECK_OK && q < dataset_own_end(c->data) && !*out; q++) {
        const struct rows all = train_data_query(c, q, room);

        for (size_t at = 0; !*out && at + 1 < all.n; at += APART_DOCS - 1) {
            const size_t left = all.n - at, n = left < APART_DOCS ? left : APART_DOCS;
            const struct rows x = { all.x + at * c->dim, n, c->dim, c->dim };

            (scores ? f->scores->score : f->compares->view)(plan->shape, w, x, made,
                                                            scratch);
            if (!scores)
                f->compares->decide(plan->shape, w, made, duel, n - 1, lead);
            for (size_t i = 0; i + 1 < n; i++)
                *out |= scores ? made[i + 1] != made[0] : lead[i] != 0.0f;
        }
    }
    arena_free(&a);
    return share_truth(c, out, st, err);
}

peck_status train_data_has_choice(bool *out, const struct train_data *c, peck_error *err)
{
    const size_t n_room = train_data_room(c);
    float *const room = mem_new(n_room, sizeof *room);

    *out = false;
    if (room == NULL)
        return fail_memory(err, "the documents of a query", n_room, sizeof *room);
    for (size_t q = dataset_own_first(c->data); q < dataset_own_end(c->data) && !*out;
         q++) {
        const struct rows x = train_data_query(c, q, room);

        for (size_t i = 1; i < x.n && !*out; i++)
            *out = memcmp(x.x + i * c->dim, x.x, c->dim * sizeof *x.x) != 0;
    }
    mem_free(room);
    return share_truth(c, out, PECK_OK, err);
}
