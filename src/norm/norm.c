/* norm.c -- which normalisers there are, and several of them side by side. */
#include "norm.h"

#include "../base/alloc.h"
#include "../base/sort.h"
#include "../base/vec.h"

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

enum { N_NORMS = sizeof norms / sizeof *norms, SPEC_MAX = 256, TENSOR_NAME_MAX = 16 };

struct part {
    const struct norm_kind *kind;
    void *config;      /* of a view over views */
    size_t at;         /* the first of its columns; a view over views sees those before */
    size_t n_rows;     /* of its state: the features, or its own columns */
    size_t state_size; /* floats of state in a row; 0: nothing is fitted */
    float *state;      /* [n_rows][state_size] */
    void *index;
};

struct norm {
    char spec[SPEC_MAX];
    size_t dim, dim_out, n_parts;
    struct part part[N_NORMS]; /* each at most once */
};

/* The name ------------------------------------------------------------------------- */

static bool has_kind(const struct norm *n, const struct norm_kind *kind)
{
    for (size_t i = 0; i < n->n_parts; i++)
        if (n->part[i].kind == kind)
            return true;
    return false;
}

/* "dim=500,gamma=0.1"; where commas part something else already, ':' will do. */
static peck_status set_all(struct part *p, peck_span text, peck_error *err)
{
    const struct plug *const plug = &p->kind->plug;

    while (text.n > 0) {
        size_t length = 0;

        while (length < text.n && text.s[length] != ',' && text.s[length] != ':')
            length++;
        TRY(param_set_pair(plug->params, p->config, plug->about.name,
                           (peck_span){ text.s, length }, err));
        length += length < text.n;
        text = (peck_span){ text.s + length, text.n - length };
    }
    return PECK_OK;
}

/* Where its columns lie, and how much it has to remember. */
static peck_status open_part(struct norm *n, struct part *p, peck_span settings,
                             peck_error *err)
{
    const struct norm_over *const over = p->kind->over;

    p->at = n->dim_out;
    p->n_rows = n->dim;
    p->state_size = p->kind->state;
    if (over == NULL && settings.n > 0)
        return fail(err, PECK_ARG, "norm '%s': '%s' has no settings", n->spec,
                    p->kind->plug.about.name);
    if (over != NULL) {
        if ((p->config = mem_new(1, over->config_size)) == NULL)
            return fail_memory(err, "a normaliser", 1, over->config_size);
        param_defaults(p->kind->plug.params, p->config);
        TRY(set_all(p, settings, err));
        p->n_rows = over->columns(p->config);
        p->state_size = over->state(p->at > 0 ? p->at : n->dim);
    }
    n->dim_out += p->n_rows;
    return PECK_OK;
}

/* "rff:dim=500" */
static peck_status add_part(struct norm *n, peck_span word, peck_error *err)
{
    const char *const colon = memchr(word.s, ':', word.n);
    const peck_span name = { word.s, colon != NULL ? (size_t)(colon - word.s) : word.n };
    const size_t rest = colon != NULL ? name.n + 1 : name.n;
    const struct plug *const found = plug_find(norms, n_norms, "norm", name, err);

    if (found == NULL)
        return PECK_ARG;
    const struct norm_kind *const kind = (const struct norm_kind *)found; /* its head */

    if (has_kind(n, kind))
        return fail(err, PECK_ARG, "norm '%s' names '%.*s' twice; once is enough", n->spec,
                    SPAN_ARGS(name));
    struct part *const p = &n->part[n->n_parts++];

    p->kind = kind;
    return open_part(n, p, (peck_span){ word.s + rest, word.n - rest }, err);
}

/* Takes "a+b" apart. */
static peck_status parse(struct norm *n, const char *spec, peck_error *err)
{
    const char *word = spec;

    if (strlen(spec) >= SPEC_MAX)
        return fail(err, PECK_ARG, "the norm has over %d letters", SPEC_MAX - 1);
    snprintf(n->spec, sizeof n->spec, "%s", spec);
    for (;;) {
        const size_t length = strcspn(word, "+");

        TRY(add_part(n, (peck_span){ word, length }, err));
        if (word[length] == '\0')
            return PECK_OK;
        word += length + 1;
    }
}

static peck_status take_state(struct part *p, peck_error *err)
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
    struct norm *const n = mem_new(1, sizeof *n);

    *out = n;
    if (n == NULL)
        return fail_memory(err, "a normaliser", 1, sizeof *n);
    n->dim = dim;
    return parse(n, spec, err);
}

static peck_status make_indices(struct norm *n, peck_error *err)
{
    for (size_t i = 0; i < n->n_parts; i++) {
        struct part *const p = &n->part[i];

        if (p->kind->index != NULL && (p->index = p->kind->index(p->state, n->dim)) == NULL)
            return fail_memory(err, "the index of a normaliser", n->dim,
                               p->kind->state * sizeof *p->state);
    }
    return PECK_OK;
}

/* The first row of a state that no fitting could give; n_rows: all are good. */
static size_t first_unfit(const struct part *p)
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

/* Fitting -------------------------------------------------------------------------- */

struct fitting {
    struct norm *norm;
    struct rows rows;
    float *column;  /* rows.n a worker */
    uint32_t *room; /* 2 rows.n a worker */
};

/* One feature: its values are gathered and sorted once for all parts. */
static void fit_feature(void *ctx, size_t feature, int worker)
{
    const struct fitting *const job = ctx;
    const struct rows r = job->rows;
    float *const sorted = job->column + r.n * (size_t)worker;

    for (size_t i = 0; i < r.n; i++)
        sorted[i] = r.x[i * r.stride + feature];
    sort_floats(sorted, r.n, job->room + 2 * r.n * (size_t)worker);
    for (size_t i = 0; i < job->norm->n_parts; i++) {
        const struct part *const p = &job->norm->part[i];

        if (p->state != NULL && p->kind->over == NULL)
            p->kind->fit(sorted, r.n, p->state + feature * p->kind->state);
    }
}

static bool needs_fitting(const struct norm *n)
{
    for (size_t i = 0; i < n->n_parts; i++)
        if (n->part[i].state_size > 0)
            return true;
    return false;
}

/* Every feature's values, sorted, to the states of the views of features. */
static peck_status fit_features(struct norm *n, struct rows all, struct pool *pool,
                                peck_error *err)
{
    struct fitting job = { .norm = n, .rows = all };
    size_t cells;

    const bool fits = !mul_overflow((size_t)pool_size(pool), all.n, &cells) &&
                      (job.column = mem_new(cells, sizeof *job.column)) != NULL &&
                      (job.room = mem_new(cells, 2 * sizeof *job.room)) != NULL;

    if (fits)
        pool_run(pool, all.dim, fit_feature, &job);
    mem_free(job.column);
    mem_free(job.room);
    return fits ? make_indices(n, err)
                : fail_memory(err, "sorting a feature", all.n, 3 * sizeof *job.room);
}

/* What the first n_parts views make of a query; rows of out are dim_out apart. */
static void apply_parts(const struct norm *n, size_t n_parts, struct rows docs, float *out)
{
    for (size_t i = 0; i < n_parts; i++) {
        const struct part *const p = &n->part[i];
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

struct sample {
    float *x, *query; /* [SAMPLE][at]; [SAMPLE_LIST][dim_out] */
    size_t n, width;  /* rows so far; `at` */
};

/* Some documents of a query, at equal distances, as the views before part i see them. */
static void sample_query(const struct norm *n, size_t i, struct rows docs, size_t wanted,
                         struct sample *s)
{
    docs.n = docs.n < SAMPLE_LIST ? docs.n : SAMPLE_LIST;
    const size_t step = docs.n > wanted ? docs.n / wanted : 1;

    apply_parts(n, i, docs, s->query);
    for (size_t k = 0; k < docs.n && k < wanted * step && s->n < SAMPLE; k += step)
        memcpy(s->x + s->n++ * s->width,
               n->part[i].at > 0 ? s->query + k * n->dim_out : docs.x + k * docs.stride,
               s->width * sizeof *s->x);
}

static peck_status fit_over(struct norm *n, size_t i, const struct norm_data *d,
                            peck_error *err)
{
    struct part *const p = &n->part[i];
    const size_t n_queries = d->start != NULL ? d->n_queries : 1;
    const size_t n_asked = n_queries < SAMPLE_QUERIES ? n_queries : SAMPLE_QUERIES;
    struct sample s = { .width = p->at > 0 ? p->at : n->dim };
    peck_status st = PECK_OK;

    s.x = mem_new(SAMPLE * s.width, sizeof *s.x);
    s.query = mem_new(SAMPLE_LIST * n->dim_out, sizeof *s.query);
    if (s.x == NULL || s.query == NULL)
        st = fail_memory(err, "a sample of documents", SAMPLE_LIST,
                         n->dim_out * sizeof *s.query);
    for (size_t k = 0; st == PECK_OK && k < n_asked; k++) {
        const size_t q = n_queries * k / n_asked;
        const uint64_t first = d->start != NULL ? d->start[q] : 0;
        const uint64_t last = d->start != NULL ? d->start[q + 1] : d->all.n;

        sample_query(n, i,
                     (struct rows){ d->all.x + first * d->all.stride, last - first,
                                    d->all.dim, d->all.stride },
                     (SAMPLE + n_asked - 1) / n_asked, &s);
    }
    if (st == PECK_OK)
        st = p->kind->over->fit(p->config, (struct rows){ s.x, s.n, s.width, s.width },
                                p->state, err);
    mem_free(s.x);
    mem_free(s.query);
    return st;
}

static peck_status fit_all(struct norm *n, const struct norm_data *d, struct pool *pool,
                           peck_error *err)
{
    if (!needs_fitting(n))
        return PECK_OK;
    if (d->all.n == 0)
        return fail(err, PECK_SHAPE, "no documents to fit the norm '%s' to", n->spec);
    for (size_t i = 0; i < n->n_parts; i++)
        TRY(take_state(&n->part[i], err));
    TRY(norm_prepare(n, (size_t)pool_size(pool), err));
    TRY(fit_features(n, d->all, pool, err));
    for (size_t i = 0; i < n->n_parts; i++)
        if (n->part[i].kind->over != NULL)
            TRY(fit_over(n, i, d, err));
    return PECK_OK;
}

peck_status norm_fit(struct norm **out, const char *spec, const struct norm_data *data,
                     struct pool *pool, peck_error *err)
{
    peck_status st = open_norm(out, spec, data->all.dim, err);

    if (st == PECK_OK)
        st = fit_all(*out, data, pool, err);
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
    for (size_t i = 0; i < n->n_parts; i++) {
        const struct part *const p = &n->part[i];
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

peck_status norm_prepare(const struct norm *n, size_t n_threads, peck_error *err)
{
    for (size_t i = 0; i < n->n_parts; i++)
        if (n->part[i].kind->over != NULL)
            return vec_prepare(n_threads, err);
    return PECK_OK;
}

const char *norm_spec(const struct norm *n)
{
    return n->spec;
}

/* The kind of the first view of a spec, which is taken off; *spec NULL: that was the last
 * one.  NULL: no kind goes by this name. */
static const struct norm_kind *next_kind(const char **spec, peck_span *word)
{
    *word = (peck_span){ *spec, strcspn(*spec, "+") };
    const char *const colon = memchr(word->s, ':', word->n);
    const peck_span name = { word->s, colon != NULL ? (size_t)(colon - word->s) : word->n };

    *spec = word->s[word->n] == '+' ? word->s + word->n + 1 : NULL;
    return (const struct norm_kind *)plug_find(norms, n_norms, "norm", name, NULL);
}

bool norm_keeps_missing(const char *spec)
{
    bool keeps = true;
    peck_span word;

    while (keeps && spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word);

        keeps = kind != NULL && kind->keeps_missing;
    }
    return keeps;
}

bool norm_heeds_query(const char *spec)
{
    bool heeds = false;
    peck_span word;

    while (!heeds && spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word);

        heeds = kind != NULL && kind->heeds_query;
    }
    return heeds;
}

/* Whether some view of features needs no query. */
static bool has_view_alone(const char *spec)
{
    bool has = false;
    peck_span word;

    while (!has && spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word);

        has = kind != NULL && kind->over == NULL && !kind->heeds_query;
    }
    return has;
}

void norm_print_alone(const char *spec, struct text *to)
{
    bool has_view = has_view_alone(spec), is_first = true;
    peck_span word;

    while (spec != NULL) {
        const struct norm_kind *const kind = next_kind(&spec, &word);

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

size_t norm_dim_in(const struct norm *n)
{
    return n->dim;
}

size_t norm_dim_out(const struct norm *n)
{
    return n->dim_out;
}

size_t norm_feature(const struct norm *n, size_t column)
{
    size_t i = n->n_parts - 1;

    while (n->part[i].at > column)
        i--;
    return n->part[i].kind->over == NULL ? column - n->part[i].at : n->dim;
}

void norm_apply(const struct norm *n, struct rows docs, float *out)
{
    apply_parts(n, n->n_parts, docs, out);
}

void norm_free(struct norm *n)
{
    for (size_t i = 0; n != NULL && i < n->n_parts; i++) {
        mem_free(n->part[i].config);
        mem_free(n->part[i].state);
        mem_free(n->part[i].index);
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

    for (size_t i = 0; i < n->n_parts; i++) {
        const struct part *const p = &n->part[i];
        const uint64_t shape[2] = { p->n_rows, p->state_size };

        name_tensor(name, i);
        if (p->state != NULL && !tensor_list_add(to, name, TENSOR_F32, 2, shape, p->state))
            return fail_memory(err, "a model file", 1, sizeof *to->tensor);
    }
    return PECK_OK;
}

static peck_status check_state(const struct part *p, const char *file, const char *name,
                               peck_error *err)
{
    const size_t row = first_unfit(p);

    if (row == p->n_rows)
        return PECK_OK;
    return fail(err, PECK_FORMAT,
                "%s: tensor '%s' is no state of '%s' for %s %zu; the file is damaged", file,
                name, p->kind->plug.about.name,
                p->kind->over != NULL ? "column" : "feature", row + 1);
}

/* Memory is taken after the tensor was seen: its length is bounded by the file's. */
static peck_status read_part(struct part *p, size_t i, const struct tensors *from,
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
    return check_state(p, from->name, name, err);
}

static peck_status read_parts(struct norm *n, const struct tensors *from, peck_error *err)
{
    for (size_t i = 0; i < n->n_parts; i++)
        TRY(read_part(&n->part[i], i, from, err));
    return make_indices(n, err);
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
    if (st == PECK_OK)
        st = read_parts(*out, from, err);
    if (st != PECK_OK) {
        norm_free(*out);
        *out = NULL;
    }
    return st;
}
