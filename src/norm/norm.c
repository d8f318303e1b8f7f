/* norm.c -- which normalisers there are, and several of them side by side. */
#include "norm.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define NORM(name) extern const struct norm_kind norm_##name;
#include "norms.def"
#undef NORM

#define NORM(name) &norm_##name.plug,
const struct plug *const norms[] = {
#include "norms.def"
};
#undef NORM
const size_t n_norms = sizeof norms / sizeof *norms;

enum {
    N_NORMS = sizeof norms / sizeof *norms,
    TENSOR_NAME_MAX = 16,
    SHARD = 16, /* queries that a task scales */
};

/* The name ------------------------------------------------------------------------- */

/* The kind of the first view of a spec, which is taken off; *spec NULL: that was the last
 * one.  NULL: no kind goes by this name. */
static const struct norm_kind *next_kind(const char **spec, peck_span *word,
                                         peck_error *err)
{
    *word = (peck_span){ *spec, strcspn(*spec, "+") };
    const char *const colon = memchr(word->s, ':', word->n);
    const peck_span name = { word->s, colon != NULL ? (size_t)(colon - word->s) : word->n };

    *spec = word->s[word->n] == '+' ? word->s + word->n + 1 : NULL;
    return (const struct norm_kind *)plug_find(norms, n_norms, "norm", name, err);
}

/* The next view of a spec: where its columns lie, and how much it has to remember.  Settings
 * are "dim=500,gamma=0.1"; where commas part something else already, ':' will do. */
static peck_status add_view(struct norm *n, const char **spec, peck_error *err)
{
    struct norm_view *const p = &n->view[n->n_views];
    peck_span word;
    const struct norm_kind *const kind = next_kind(spec, &word, err);

    if (kind == NULL)
        return PECK_ARG;
    const char *const name = kind->plug.about.name;
    const struct norm_over *const over = kind->over;

    for (size_t i = 0; i < n->n_views; i++)
        if (n->view[i].kind == kind)
            return fail(err, PECK_ARG, "norm '%s' names '%s' twice; once is enough",
                        n->spec, name);
    *p = (struct norm_view){
        .kind = kind, .at = n->dim_out, .n_rows = n->dim_in, .state_size = kind->state
    };
    n->n_views++;
    size_t at = strlen(name) + 1, length; /* of the settings in the word */

    if (over == NULL && at < word.n)
        return fail(err, PECK_ARG, "norm '%s': '%s' has no settings", n->spec, name);
    if (over != NULL) {
        if ((p->config = mem_new(1, over->config_size)) == NULL)
            return fail_memory(err, "a normaliser", 1, over->config_size);
        param_defaults(kind->plug.params, p->config);
        for (; at < word.n; at += length + 1) {
            for (length = 0; at + length < word.n && word.s[at + length] != ',' &&
                             word.s[at + length] != ':';)
                length++;
            TRY(param_set_pair(kind->plug.params, p->config, name,
                               (peck_span){ word.s + at, length }, err));
        }
        p->n_rows = over->columns(p->config);
        p->state_size = over->state(p->at > 0 ? p->at : n->dim_in);
    }
    n->dim_out += p->n_rows;
    return PECK_OK;
}

static peck_status take_state(struct norm_view *p, peck_error *err)
{
    size_t cells;

    if (p->state_size == 0)
        return PECK_OK;
    if (mul_overflow(p->n_rows, p->state_size, &cells) ||
        (p->state = mem_new(cells, sizeof *p->state)) == NULL)
        return fail_memory(err, "a normaliser", p->n_rows,
                           p->state_size * sizeof *p->state);
    return PECK_OK;
}

static peck_status open_norm(struct norm **out, const char *spec, size_t dim,
                             peck_error *err)
{
    /* Each kind is there at most once. */
    struct norm *const n = mem_new(1, sizeof *n + N_NORMS * sizeof *n->view);

    *out = n;
    if (n == NULL)
        return fail_memory(err, "a normaliser", 1, sizeof *n);
    n->dim_in = dim;
    if (strlen(spec) >= NORM_SPEC_MAX)
        return fail(err, PECK_ARG, "the norm has over %d letters", NORM_SPEC_MAX - 1);
    snprintf(n->spec, sizeof n->spec, "%s", spec);
    while (spec != NULL)
        TRY(add_view(n, &spec, err));
    return PECK_OK;
}

static peck_status make_indices(struct norm *n, peck_error *err)
{
    for (size_t i = 0; i < n->n_views; i++) {
        struct norm_view *const p = &n->view[i];

        if (p->kind->index != NULL &&
            (p->index = p->kind->index(p->state, n->dim_in)) == NULL)
            return fail_memory(err, "the index of a normaliser", n->dim_in,
                               p->kind->state * sizeof *p->state);
    }
    return PECK_OK;
}

/* The first row of a state that no fitting could give; n_rows: all are good. */
static size_t first_unfit(const struct norm_view *p)
{
    for (size_t row = 0; p->state != NULL && row < p->n_rows; row++) {
        const float *const s = p->state + row * p->state_size;
        bool fits = true;

        for (size_t i = 0; i < p->state_size && fits; i++)
            fits = isfinite(s[i]);
        if (!fits || (p->kind->fits != NULL && !p->kind->fits(s)))
            return row;
    }
    return p->n_rows;
}

/* The first query that this rank has, and the one behind its last. */
static size_t norm_own_first(const struct norm_data *d)
{
    return d->comm != NULL ? d->own_first : 0;
}

static size_t norm_own_end(const struct norm_data *d)
{
    return d->comm != NULL ? d->own_end : d->start != NULL ? d->n_queries : 1;
}

/* The rows of query q. */
static struct rows norm_query_rows(const struct norm_data *d, size_t q)
{
    const size_t first = d->start != NULL ? (size_t)d->start[q] : 0;
    const size_t end = d->start != NULL ? (size_t)d->start[q + 1] : d->all.n;
    const size_t at = d->place != NULL ? (size_t)d->place[q] : first;

    return (struct rows){ d->all.x + at * d->all.stride, end - first, d->all.dim,
                          d->all.stride };
}

/* Fitting -------------------------------------------------------------------------- */

struct norm_fitting {
    struct norm *norm;
    const struct norm_data *data;
    const float *weight; /* all.n; NULL: all 1 */
    float *got;          /* rank by rank, [got_n][its rows]: values of the features ... */
    size_t got_first, got_n; /* ... from this one on, and how many they are */
    size_t *rank_rows;       /* n_ranks: rows that each rank has */
    float *column;  /* all.n a worker; NULL: got's, which are whole, are sorted there */
    uint32_t *room; /* 2 all.n a worker; or, where there are weights: */
    float *column_weight;   /* all.n a worker */
    struct sort_item *item; /* 2 all.n a worker */
};

/* Several columns in one pass over this rank's rows. */
struct own_columns {
    const struct norm_data *data;
    size_t first, n; /* features */
    size_t n_rows;
    float *to; /* [n][n_rows] */
};

static void gather_shard(void *ctx, size_t shard, int worker)
{
    const struct own_columns *const c = ctx;
    const struct norm_data *const d = c->data;
    const size_t own = norm_own_first(d), end = norm_own_end(d);
    struct read_pages read = { 0 };

    (void)worker;
    for (size_t q = own + shard * SHARD; q < end && q < own + (shard + 1) * SHARD; q++) {
        const struct rows docs = norm_query_rows(d, q);
        float *const to = c->to + (d->start != NULL ? d->start[q] - d->start[own] : 0);

        for (size_t i = 0; i < docs.n; i++)
            for (size_t f = 0; f < c->n; f++)
                to[f * c->n_rows + i] = docs.x[i * docs.stride + c->first + f];
        if (d->memory > 0)
            pages_add(&read, d->mapped, docs.x, docs.n * docs.stride * sizeof *docs.x);
    }
    pages_forget(&read, d->mapped);
}

/* to[all.n]: the values of feature got_first + i, row by row. */
static void gather_column(const struct norm_fitting *job, size_t i, float *to)
{
    const float *from = job->got;

    for (size_t rank = 0; rank < comm_ranks(job->data->comm); rank++) {
        const size_t n = job->rank_rows[rank];

        memcpy(to, from + i * n, n * sizeof *to);
        from += job->got_n * n;
        to += n;
    }
}

/* Each value of the feature, rising, beside the weight of its row. */
static void sort_weighed(const struct norm_fitting *job, size_t i, float *sorted,
                         float *weight, struct sort_item *item)
{
    const size_t n = job->data->all.n;

    gather_column(job, i, weight); /* until the weights come there */
    for (size_t k = 0; k < n; k++)
        item[k] = (struct sort_item){ key_desc(-(double)weight[k]), (uint32_t)k };
    sort_items(item, n, item + n);
    for (size_t k = 0; k < n; k++)
        sorted[k] = weight[item[k].from];
    for (size_t k = 0; k < n; k++)
        weight[k] = job->weight[item[k].from];
}

/* Feature got_first + i: its values are sorted once for all views. */
static void fit_feature(void *ctx, size_t i, int worker)
{
    const struct norm_fitting *const job = ctx;
    const size_t n = job->data->all.n;
    const size_t own = n * (size_t)worker; /* where the worker's memory begins */
    float *const sorted = job->column != NULL ? job->column + own : job->got + i * n;
    float *const weight = job->weight != NULL ? job->column_weight + own : NULL;

    if (weight != NULL) {
        sort_weighed(job, i, sorted, weight, job->item + 2 * own);
    } else {
        if (job->column != NULL)
            gather_column(job, i, sorted);
        sort_floats(sorted, n, job->room + 2 * own);
    }
    for (size_t v = 0; v < job->norm->n_views; v++) {
        const struct norm_view *const p = &job->norm->view[v];

        if (p->state != NULL && p->kind->over == NULL)
            p->kind->fit(&(struct norm_values){ sorted, weight, n },
                         p->state + (job->got_first + i) * p->kind->state);
    }
}

/* Columns of a rank that lie in memory at once, twice where there are several ranks; what
 * sorting them takes is taken already.  At least those whose values of a row share a line of
 * the processor's cache, unless memory is short: each line of the rows is read once. */
static size_t columns_at_once(const struct norm_data *d, struct pool *pool)
{
    enum { LINE = 64 / sizeof(float) };
    const size_t ranks = comm_ranks(d->comm), most = (d->all.dim + ranks - 1) / ranks;
    const double column = (double)d->all.n * sizeof(float);
    const double sorting = 3.0 * column * pool_size(pool);
    const int fit = pool_size(pool) > LINE ? pool_size(pool) : LINE;
    const double n = d->memory > 0 ? ((double)d->memory - sorting) /
                                         ((comm_is_shared(d->comm) ? 2.0 : 1.0) * column)
                                   : (double)fit;

    return n < 1.0 ? 1 : n > (double)most ? most : (size_t)n;
}

/* Ranks have features in turn, as many each as lie in memory at once: every rank gets all
 * values of its features, fits them, and gives the others what came of it. */
static peck_status fit_in_turn(struct norm_fitting *job, struct pool *pool, peck_error *err)
{
    const struct norm_data *const d = job->data;
    const size_t ranks = comm_ranks(d->comm), rank = comm_rank(d->comm), dim = d->all.dim;
    const size_t first_query = norm_own_first(d), n_own = norm_own_end(d) - first_query;
    const size_t own = d->start != NULL
                           ? (size_t)(d->start[norm_own_end(d)] - d->start[first_query])
                           : d->all.n;
    const size_t mine[2] = { own, columns_at_once(d, pool) };
    const char *const what = "columns that ranks exchange";
    size_t per = mine[1];
    struct arena a = { 0 };
    size_t *const all = arena_new(&a, what, ranks, sizeof mine);
    size_t *const first = arena_new(&a, what, ranks + 1, sizeof *first);
    size_t *const n_send = arena_new(&a, what, ranks, sizeof *n_send);
    size_t *const n_got = arena_new(&a, what, ranks, sizeof *n_got);

    job->rank_rows = arena_new(&a, what, ranks, sizeof *job->rank_rows);
    peck_status st = comm_agree(d->comm, arena_check(&a, err), err);

    for (size_t i = 0; st == PECK_OK && i < ranks; i++)
        n_got[i] = sizeof mine;
    if (st == PECK_OK)
        st = comm_gather(d->comm, mine, all, n_got, err);
    for (size_t i = 0; st == PECK_OK && i < ranks; i++) {
        job->rank_rows[i] = all[2 * i];
        per = all[2 * i + 1] < per ? all[2 * i + 1] : per;
    }
    float *send = NULL, *got = NULL;

    if (st == PECK_OK) {
        got = arena_new(&a, what, per * d->all.n, sizeof *got);
        send = comm_is_shared(d->comm)
                   ? arena_new(&a, what, ranks * per * own, sizeof *send)
                   : got;
        st = comm_agree(d->comm, arena_check(&a, err), err);
    }
    for (size_t at = 0; st == PECK_OK && at < dim; at += ranks * per) {
        for (size_t i = 0; i <= ranks; i++)
            first[i] = i * per < dim - at ? i * per : dim - at;
        job->got = got;
        job->got_first = at + first[rank];
        job->got_n = first[rank + 1] - first[rank];
        for (size_t i = 0; i < ranks; i++) {
            n_send[i] = (first[i + 1] - first[i]) * own * sizeof *send;
            n_got[i] = job->got_n * job->rank_rows[i] * sizeof *got;
        }
        struct own_columns columns = { d, at, first[ranks], own, send };

        pool_run(pool, (n_own + SHARD - 1) / SHARD, gather_shard, &columns);
        if (comm_is_shared(d->comm))
            st = comm_exchange(d->comm, send, n_send, got, n_got, err);
        if (st == PECK_OK)
            pool_run(pool, job->got_n, fit_feature, job);
        for (size_t i = 0; st == PECK_OK && i < job->norm->n_views; i++) {
            const struct norm_view *const p = &job->norm->view[i];

            if (p->state != NULL && p->kind->over == NULL)
                st = comm_share(d->comm, p->state + at * p->kind->state, first,
                                p->kind->state * sizeof *p->state, err);
        }
    }
    arena_free(&a);
    return st;
}

/* What the first n_views views make of a query; rows of out are dim_out apart.
 * A view over views reads, in out itself, the columns to its left: views are applied in
 * their order. */
static void apply_views(const struct norm *n, size_t n_views, struct rows docs, float *out)
{
    for (size_t i = 0; i < n_views; i++) {
        const struct norm_view *const p = &n->view[i];
        const struct rows seen =
            p->at > 0 ? (struct rows){ out, docs.n, p->at, n->dim_out } : docs;

        if (p->kind->over != NULL)
            p->kind->over->apply(p->config, p->state, seen, out + p->at, n->dim_out);
        else
            p->kind->apply(p->state, p->index, docs, out + p->at, n->dim_out);
    }
}

/* A view over views is fitted to a sample: so many documents, of so many queries, whose
 * first so many documents stand for the query. */
enum { SAMPLE = 256, SAMPLE_QUERIES = 64, SAMPLE_LIST = 1024 };

/* A sample on its way: what view i of the norm stands over. */
struct over_sample {
    const struct norm *norm;
    size_t view;
    const struct norm_data *data;
    float *seen; /* SAMPLE_LIST documents */
};

/* Rows are found in the order of the queries, so that ranks can take turns. */
struct sampled_rows {
    size_t n;
    float x[]; /* [SAMPLE][width] */
};

/* Some documents of each query that this rank has, at equal distances, as the views before see
 * them. */
static void sample_own(void *ctx, void *state)
{
    const struct over_sample *const s = ctx;
    const struct norm *const n = s->norm;
    const struct norm_view *const p = &n->view[s->view];
    const struct norm_data *const d = s->data;
    struct sampled_rows *const some = state;
    const size_t n_queries = d->start != NULL ? d->n_queries : 1;
    const size_t n_asked = n_queries < SAMPLE_QUERIES ? n_queries : SAMPLE_QUERIES;
    const size_t wanted = (SAMPLE + n_asked - 1) / n_asked; /* of each query */
    const size_t width = p->at > 0 ? p->at : n->dim_in;

    for (size_t k = 0; k < n_asked; k++) {
        const size_t q = n_queries * k / n_asked;

        if (q < norm_own_first(d) || q >= norm_own_end(d))
            continue;
        struct rows docs = norm_query_rows(d, q);

        docs.n = docs.n < SAMPLE_LIST ? docs.n : SAMPLE_LIST;
        const size_t step = docs.n > wanted ? docs.n / wanted : 1;

        apply_views(n, s->view, docs, s->seen);
        for (size_t at = 0; at < docs.n && at < wanted * step && some->n < SAMPLE;
             at += step)
            memcpy(some->x + some->n++ * width,
                   p->at > 0 ? s->seen + at * n->dim_out : docs.x + at * docs.stride,
                   width * sizeof *some->x);
    }
}

static peck_status fit_over(struct norm *n, size_t i, const struct norm_data *d,
                            peck_error *err)
{
    const struct norm_view *const p = &n->view[i];
    const size_t width = p->at > 0 ? p->at : n->dim_in;
    const char *const what = "a sample of documents";
    struct arena arena = { 0 };
    struct over_sample s = { .norm = n, .view = i, .data = d };
    const size_t size = sizeof(struct sampled_rows) + SAMPLE * width * sizeof(float);
    struct sampled_rows *const some = arena_new(&arena, what, size, 1);

    s.seen = arena_new(&arena, what, SAMPLE_LIST, n->dim_out * sizeof *s.seen);
    peck_status st = arena_check(&arena, err);

    if (st == PECK_OK)
        st = comm_in_turn(d->comm, some, size, sample_own, &s, err);
    if (st == PECK_OK)
        st = p->kind->over->fit(p->config, (struct rows){ some->x, some->n, width, width },
                                p->state, err);
    arena_free(&arena);
    return st;
}

/* NULL where all are 1. */
static const float *weights_that_differ(const struct norm_data *d)
{
    for (size_t i = 0; d->weight != NULL && i < d->all.n; i++)
        if (d->weight[i] != 1.0f)
            return d->weight;
    return NULL;
}

/* Every feature's values, sorted, to the states of the views of features; then the views
 * over them. */
static peck_status fit_views(struct norm *n, const struct norm_data *d, struct pool *pool,
                             peck_error *err)
{
    const size_t workers = (size_t)pool_size(pool);
    const char *const what = "sorting a feature";
    struct arena arena = { 0 };
    bool is_fitted = true;

    for (size_t i = 0; i < n->n_views; i++)
        is_fitted &= n->view[i].state_size == 0;
    if (is_fitted)
        return PECK_OK;
    if (d->all.n == 0)
        return fail(err, PECK_SHAPE, "no documents to fit the norm '%s' to", n->spec);
    if (weights_that_differ(d) != NULL && d->all.n > UINT32_MAX) /* as rows are sorted */
        return fail(err, PECK_SHAPE, "%zu documents are too many to have weights; %u can",
                    d->all.n, UINT32_MAX);
    for (size_t i = 0; i < n->n_views; i++)
        TRY(take_state(&n->view[i], err));
    struct norm_fitting job = {
        .norm = n,
        .data = d,
        .weight = weights_that_differ(d),
    };

    if (comm_is_shared(d->comm) || job.weight != NULL)
        job.column = arena_new(&arena, what, workers, d->all.n * sizeof *job.column);
    if (job.weight == NULL) {
        job.room = arena_new(&arena, what, workers, 2 * d->all.n * sizeof *job.room);
    } else {
        job.column_weight =
            arena_new(&arena, what, workers, d->all.n * sizeof *job.column_weight);
        job.item = arena_new(&arena, what, workers, 2 * d->all.n * sizeof *job.item);
    }
    peck_status st = arena_check(&arena, err);

    if (comm_is_shared(d->comm))
        st = comm_agree(d->comm, st, err);
    if (st == PECK_OK)
        st = fit_in_turn(&job, pool, err);
    arena_free(&arena);
    TRY(st);
    TRY(make_indices(n, err));
    for (size_t i = 0; i < n->n_views; i++)
        if (n->view[i].kind->over != NULL)
            TRY(fit_over(n, i, d, err));
    return PECK_OK;
}

peck_status norm_fit(struct norm **out, const char *spec, const struct norm_data *data,
                     struct pool *pool, peck_error *err)
{
    peck_status st = open_norm(out, spec, data->all.dim, err);

    if (st == PECK_OK)
        st = fit_views(*out, data, pool, err);
    if (st == PECK_OK)
        st = norm_check(*out, err);
    if (st != PECK_OK) {
        norm_free(*out);
        *out = NULL;
    }
    return st;
}

peck_status norm_check(const struct norm *n, peck_error *err)
{
    for (size_t i = 0; i < n->n_views; i++) {
        const struct norm_view *const p = &n->view[i];
        const size_t row = first_unfit(p);

        if (row < p->n_rows)
            return fail(err, PECK_SHAPE,
                        "norm '%s': what '%s' needs for %s %zu is beyond the range of "
                        "floats; scale the features, or use another --norm",
                        n->spec, p->kind->plug.about.name,
                        p->kind->over != NULL ? "column" : "feature", row + 1);
    }
    return PECK_OK;
}

/* Use ------------------------------------------------------------------------------ */

bool norm_keeps_missing(const char *spec)
{
    bool keeps = true;
    peck_span word;

    while (keeps && spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word, NULL);

        keeps = kind != NULL && kind->keeps_missing;
    }
    return keeps;
}

bool norm_heeds_query(const char *spec)
{
    bool heeds = false;
    peck_span word;

    while (!heeds && spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word, NULL);

        heeds = kind != NULL && kind->heeds_query;
    }
    return heeds;
}

void norm_print_alone(const char *spec, struct text *to)
{
    bool has_view = false, is_first = true; /* has_view: one of features needs no query */
    peck_span word;

    for (const char *rest = spec; rest != NULL && !has_view;) {
        const struct norm_kind *const kind = next_kind(&rest, &word, NULL);

        has_view = kind != NULL && kind->over == NULL && !kind->heeds_query;
    }
    while (spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word, NULL);

        if (kind != NULL && kind->heeds_query) {
            if (has_view)
                continue;
            word = span_of("zscore");
            has_view = true;
        }
        text_add_str(to, is_first ? "" : "+");
        text_add(to, word.s, word.n);
        is_first = false;
    }
}

size_t norm_feature(const struct norm *n, size_t column)
{
    size_t i = n->n_views - 1;

    while (n->view[i].at > column)
        i--;
    return n->view[i].kind->over == NULL ? column - n->view[i].at : n->dim_in;
}

void norm_apply(const struct norm *n, struct rows docs, float *out)
{
    apply_views(n, n->n_views, docs, out);
}

struct norm_job {
    const struct norm *norm;
    const struct norm_data *data;
    const uint32_t *from;
    float *out;
    float **scratch; /* one a worker: the longest query; NULL: rows stay where they are */
};

static void apply_shard(void *ctx, size_t shard, int worker)
{
    const struct norm_job *const job = ctx;
    const size_t dim = job->norm->dim_out, n = norm_own_end(job->data);
    const size_t own = norm_own_first(job->data), own_row = (size_t)job->data->start[own];
    struct read_pages read = { 0 };

    for (size_t q = own + shard * SHARD; q < n && q < own + (shard + 1) * SHARD; q++) {
        const size_t first = (size_t)job->data->start[q];
        const struct rows docs = norm_query_rows(job->data, q);
        float *const to = job->out + (first - own_row) * dim;
        float *const made = job->scratch != NULL ? job->scratch[worker] : to;

        norm_apply(job->norm, docs, made);
        for (size_t i = 0; job->scratch != NULL && i < docs.n; i++)
            memcpy(to + i * dim, made + job->from[first + i] * dim, dim * sizeof *to);
        pages_add(&read, job->data->mapped, docs.x, docs.n * docs.stride * sizeof *docs.x);
    }
    pages_forget(&read, job->data->mapped);
}

peck_status norm_apply_all(float **out, const struct norm *n, const struct norm_data *data,
                           const uint32_t *from, struct pool *pool, peck_error *err)
{
    const size_t own = norm_own_first(data), end = norm_own_end(data);
    const size_t workers = (size_t)pool_size(pool),
                 cells = (size_t)(data->start[end] - data->start[own]) * n->dim_out;
    struct arena a = { 0 };
    struct norm_job job = { .norm = n, .data = data, .from = from };
    uint64_t longest = 0;

    *out = job.out = mem_new(cells, sizeof *job.out);
    if (job.out == NULL)
        return fail_memory(err, data->name, cells, sizeof *job.out);
    for (size_t q = own; from != NULL && q < end; q++)
        if (data->start[q + 1] - data->start[q] > longest)
            longest = data->start[q + 1] - data->start[q];
    if (from != NULL)
        job.scratch = arena_new(&a, data->name, workers, sizeof *job.scratch);
    for (size_t i = 0; job.scratch != NULL && i < workers; i++)
        job.scratch[i] =
            arena_new(&a, data->name, (size_t)longest * n->dim_out, sizeof **job.scratch);
    const peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        pool_run(pool, (end - own + SHARD - 1) / SHARD, apply_shard, &job);
    arena_free(&a);
    return st;
}

void norm_free(struct norm *n)
{
    for (size_t i = 0; n != NULL && i < n->n_views; i++) {
        mem_free(n->view[i].config);
        mem_free(n->view[i].state);
        mem_free(n->view[i].index);
    }
    mem_free(n);
}

/* The model file ------------------------------------------------------------------- */

static void name_tensor(char name[TENSOR_NAME_MAX], size_t part)
{
    snprintf(name, TENSOR_NAME_MAX, "norm.%u", (unsigned)part);
}

peck_status norm_write(const struct norm *n, struct tensor_list *to, peck_error *err)
{
    char name[TENSOR_NAME_MAX];

    for (size_t i = 0; i < n->n_views; i++) {
        const struct norm_view *const p = &n->view[i];
        const uint64_t shape[2] = { p->n_rows, p->state_size };

        name_tensor(name, i);
        if (p->state != NULL && !tensor_list_add(to, name, TENSOR_F32, 2, shape, p->state))
            return fail_memory(err, "a model file", 1, sizeof *to->tensor);
    }
    return PECK_OK;
}

/* Memory is taken after the tensor was seen: its length is bounded by the file's. */
static peck_status read_view(struct norm_view *p, size_t i, const struct tensors *from,
                             peck_error *err)
{
    const uint64_t shape[2] = { p->n_rows, p->state_size };
    const struct tensor *t;
    char name[TENSOR_NAME_MAX];

    if (p->state_size == 0)
        return PECK_OK;
    name_tensor(name, i);
    TRY(tensors_get(&t, from, name, TENSOR_F32, 2, shape, err));
    TRY(take_state(p, err));
    if (t->end > t->begin)
        memcpy(p->state, t->data, t->end - t->begin);
    const size_t row = first_unfit(p);

    if (row == p->n_rows)
        return PECK_OK;
    return fail(err, PECK_FORMAT,
                "%s: tensor '%s' is no state of '%s' for %s %zu; the file is damaged",
                from->name, name, p->kind->plug.about.name,
                p->kind->over != NULL ? "column" : "feature", row + 1);
}

peck_status norm_read(struct norm **out, const char *spec, size_t dim_in,
                      const struct tensors *from, peck_error *err)
{
    peck_status st = open_norm(out, spec, dim_in, err);

    if (st == PECK_ARG) /* nobody asked for it but the file */
        st = fail(err, PECK_FORMAT,
                  "%s: its norm '%.*s' is unknown here; use a newer peck, or the file is "
                  "damaged",
                  from->name, SPAN_ARGS(span_of(spec)));
    for (size_t i = 0; st == PECK_OK && i < (*out)->n_views; i++)
        st = read_view(&(*out)->view[i], i, from, err);
    if (st == PECK_OK)
        st = make_indices(*out, err);
    if (st != PECK_OK) {
        norm_free(*out);
        *out = NULL;
    }
    return st;
}
