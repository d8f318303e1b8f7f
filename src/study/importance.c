/* importance.c -- which features a model of trees asks about; of a committee, its models
 * that ask, each model's gains counting by its share.                                  */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../model/model.h"
#include "../report/report.h"

/* By feature; the last place is for columns that are made of several. */
struct importance {
    const struct peck_model *model;
    size_t n; /* features, and one */
    double *count, *gain;
    uint32_t *order;
    struct sort_item *scratch;
    struct text name;
};

static bool asks(const struct peck_model *m)
{
    bool one_asks = m->n_parts == 0 && m->family->importance != NULL;

    for (size_t i = 0; i < m->n_parts; i++)
        one_asks |= asks(m->part[i]);
    return one_asks;
}

/* Sums by column, then by the feature that it is a view of, at `at` among all (NULL: where
 * it is in the model); gains add up to `share`. */
static peck_status add_model(struct importance *v, const struct peck_model *m, double share,
                             const uint32_t *at, peck_error *err)
{
    const size_t columns = norm_dim_out(m->norm), dim = norm_dim_in(m->norm);
    double *const count = mem_new(columns, 2 * sizeof *count);
    double all = 0.0;

    if (count == NULL)
        return fail_memory(err, "importance", columns, 2 * sizeof *count);
    for (size_t i = 0; i < m->n_members; i++)
        m->family->importance(m->shape, m->w + i * m->n_weights, count, count + columns);
    for (size_t c = 0; c < columns; c++)
        all += count[columns + c];
    for (size_t c = 0; c < columns; c++) {
        const size_t own = norm_feature(m->norm, c);
        const size_t f = own == dim ? v->n - 1 : at != NULL ? at[own] : own;

        v->count[f] += count[c];
        v->gain[f] += all > 0.0 ? share * count[columns + c] / all : 0.0;
    }
    mem_free(count);
    return PECK_OK;
}

static peck_status add_up(struct importance *v, peck_error *err)
{
    const struct peck_model *const m = v->model;

    if (m->n_parts == 0)
        return add_model(v, m, 1.0, NULL, err);
    for (size_t i = 0; i < m->n_parts; i++)
        if (asks(m->part[i]))
            TRY(add_model(v, m->part[i], m->share[i],
                          m->column != NULL ? m->column[i] : NULL, err));
    return PECK_OK;
}

static peck_status name_feature(struct importance *v, size_t f, peck_error *err)
{
    const struct strings *const names = &v->model->feature_name;
    const peck_span s = f < names->n ? strings_get(names, f) : (peck_span){ 0 };

    v->name.len = 0;
    if (f + 1 == v->n)
        text_add_str(&v->name, "made of several");
    else if (s.n > 0)
        text_printf(&v->name, "%zu %.*s", f + 1, (int)s.n, s.s);
    else
        text_printf(&v->name, "%zu", f + 1);
    return v->name.failed ? fail_memory(err, "names of features", v->n, 1) : PECK_OK;
}

static peck_status print(struct importance *v, struct peck_report *r, peck_error *err)
{
    static const char *const columns[] = { "feature", "questions", "gain" };
    double all = 0.0;

    for (size_t f = 0; f < v->n; f++)
        all += v->gain[f];
    order_desc(v->gain, (uint32_t)v->n, v->order, v->scratch);
    report_table(r, "importance", 3, columns);
    for (size_t k = 0; k < v->n; k++) {
        const size_t f = v->order[k];

        if (f + 1 == v->n && v->count[f] == 0.0)
            continue;
        TRY(name_feature(v, f, err));
        report_cell_text(r, v->name.s);
        report_cell_number(r, v->count[f], 0);
        report_cell_number(r, all > 0.0 ? v->gain[f] / all : 0.0, 6);
    }
    return report_check(r, err);
}

static peck_status fill(struct importance *v, struct peck_report *r, peck_error *err)
{
    v->count = mem_new(v->n, sizeof *v->count);
    v->gain = mem_new(v->n, sizeof *v->gain);
    v->order = mem_new(v->n, sizeof *v->order);
    v->scratch = mem_new(v->n, 2 * sizeof *v->scratch);
    if (r == NULL || !v->count || !v->gain || !v->order || !v->scratch)
        return fail_memory(err, "importance", v->n, 2 * sizeof *v->scratch);
    TRY(add_up(v, err));
    return print(v, r, err);
}

peck_status peck_model_importance(peck_report **out, const peck_model *m, peck_error *err)
{
    struct importance v = { .model = m, .n = peck_model_features(m) + 1 };

    *out = NULL;
    if (!asks(m))
        return fail(err, PECK_ARG,
                    "a model of the family '%s' asks no questions about features; "
                    "importance is for trees",
                    m->n_parts > 0 ? "committee" : m->family->plug.about.name);
    struct peck_report *const r = report_new();

    text_init(&v.name, SIZE_MAX / 2);
    const peck_status st = fill(&v, r, err);

    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    text_free(&v.name);
    mem_free(v.count);
    mem_free(v.gain);
    mem_free(v.order);
    mem_free(v.scratch);
    return st;
}
