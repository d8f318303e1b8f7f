/* model.c -- the families there are, and a model's life. */
#include "model.h"

#include "../base/alloc.h"

#include <math.h>

#define FAMILY(name) &family_##name.plug,
const struct plug *const families[] = {
#include "families.def"
};
#undef FAMILY

const size_t n_families = sizeof families / sizeof *families;

peck_status family_takes(const char *name, size_t dim, size_t most, peck_error *err)
{
    if (dim == 0 || dim > most)
        return fail(err, PECK_ARG, "%s: %zu features; give 1 to %zu", name, dim, most);
    return PECK_OK;
}

void family_init(const struct family *f, const void *shape, struct rng *r, float *w)
{
    if (f->init != NULL)
        f->init(shape, r, w);
    else
        memset(w, 0, f->n_weights(shape) * sizeof *w);
}

size_t family_scratch(const struct family *f, const void *shape)
{
    return f->scratch != NULL ? f->scratch(shape) : 0;
}

void family_forward(const struct family *f, const void *shape, const float *w,
                    struct rows x, struct rng *r, float *s, float *scratch)
{
    if (f->scores->forward != NULL)
        f->scores->forward(shape, w, x, r, s, scratch);
    else
        f->scores->score(shape, w, x, s, scratch);
}

struct peck_model *model_new(void)
{
    struct peck_model *const m = mem_new(1, sizeof *m);

    if (m != NULL)
        m->n_owners = 1;
    return m;
}

struct peck_model *model_share(const struct peck_model *m)
{
    struct peck_model *const own = (struct peck_model *)m;

    own->n_owners++;
    return own;
}

size_t peck_model_features(const peck_model *m)
{
    return m->n_parts > 0 ? m->n_inputs : m->norm->dim_in;
}

int peck_model_compares(const peck_model *m)
{
    return model_compares(m);
}

peck_span peck_model_feature_name(const peck_model *m, size_t i)
{
    return m->feature_name.n > 0 ? strings_get(&m->feature_name, i) : (peck_span){ "", 0 };
}

bool model_compares(const struct peck_model *m)
{
    return m->n_parts == 0 && m->family->compares != NULL;
}

bool model_hears_pairs(const struct peck_model *m)
{
    bool one_compares = false;

    for (size_t i = 0; i < m->n_parts; i++)
        one_compares |= model_compares(m->part[i]);
    return one_compares;
}

bool model_asks_questions(const struct peck_model *m)
{
    bool one_asks = m->n_parts == 0 && m->family->importance != NULL;

    for (size_t i = 0; i < m->n_parts; i++)
        one_asks |= model_asks_questions(m->part[i]);
    return one_asks;
}

bool model_may_miss(const struct peck_model *m)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (!model_may_miss(m->part[i]))
            return false;
    return m->n_parts > 0 || (m->family->may_miss && norm_keeps_missing(m->norm->spec));
}

size_t model_voices(const struct peck_model *m)
{
    if (m->n_parts > 0)
        return m->n_parts;
    return m->n_members > 1 && !model_compares(m) ? m->n_members : 0;
}

bool scale_fits(struct scale s)
{
    return isfinite(s.mean) && isfinite(s.deviation) && s.deviation > 0.0;
}

const char *model_heeds_list(const struct peck_model *m)
{
    const char *why = NULL;

    if (model_compares(m))
        return "it compares documents";
    if (m->n_parts == 0 && norm_heeds_query(m->norm->spec))
        return "its norm looks at the query";
    if (model_voices(m) > 0 && m->scale == NULL)
        return m->n_parts > 0 ? "its models are standardised over the query"
                              : "its members are standardised over the query";
    for (size_t i = 0; i < m->n_parts && why == NULL; i++)
        why = model_heeds_list(m->part[i]);
    return why;
}

void model_print_scores(const struct peck_model *m, struct text *to)
{
    const char *const why = model_heeds_list(m);

    text_add_str(to, why != NULL ? "depend on the list: " : "of each document alone");
    text_add_str(to, why != NULL ? why : "");
}

int peck_model_scores_alone(const peck_model *m)
{
    return model_heeds_list(m) == NULL;
}

const char *model_decoder(const struct peck_model *m)
{
    return model_compares(m) ? m->family->compares->decoder : NULL;
}

void peck_model_free(peck_model *m)
{
    if (m == NULL || --m->n_owners > 0)
        return;
    for (size_t i = 0; m->part != NULL && i < m->n_parts; i++)
        peck_model_free(m->part[i]);
    for (size_t i = 0; m->column != NULL && i < m->n_parts; i++)
        mem_free(m->column[i]);
    mem_free(m->column);
    mem_free(m->part);
    mem_free(m->share);
    mem_free(m->scale);
    mem_free(m->shape);
    mem_free(m->w);
    norm_free(m->norm);
    strings_free(&m->feature_name);
    notes_free(&m->notes);
    mem_free(m);
}

/* Checking -------------------------------------------------------------------------- */

peck_status model_check_weights(const struct peck_model *m, peck_error *err)
{
    const struct family *const f = m->family;
    const size_t n = m->n_weights;
    peck_error inner;

    for (size_t i = 0; i < m->n_members * n; i++)
        if (!isfinite(m->w[i]))
            return fail(err, PECK_FORMAT, "weight %zu is %s", i,
                        isnan(m->w[i]) ? "not a number" : "infinite");
    for (size_t i = 0; f->check != NULL && i < m->n_members; i++)
        if (f->check(m->shape, m->w + i * n, n, &inner) != PECK_OK)
            return fail(err, PECK_FORMAT, "member %zu: %s", i + 1, inner.text);
    return PECK_OK;
}

peck_status model_check(const struct peck_model *m, peck_error *err)
{
    for (size_t i = 0; i < m->n_parts; i++)
        TRY(model_check(m->part[i], err));
    if (m->n_parts > 0)
        return PECK_OK;
    TRY(norm_check(m->norm, err));
    return model_check_weights(m, err);
}
