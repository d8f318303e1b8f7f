/* importance.c -- which features a model of trees asks about; of a committee, its models
 * that ask, each model's gains counting by its share.                                  */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../model/model.h"
#include "../report/report.h"

/* By feature; the last place is for columns that are made of several. */
struct importance {
    size_t n; /* features, and one */
    double *count, *gain;
};

/* Sums by column, then by the feature that it is a view of, at `at` among all (NULL: where
 * it is in the model); gains add up to `share`. */
static peck_status add_model(struct importance *v, const struct peck_model *m, double share,
                             const uint32_t *at, peck_error *err)
{
    const size_t columns = m->norm->dim_out, dim = m->norm->dim_in;
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

/* Columns: feature, questions (how often it is asked about), gain (its share of all gain). */
peck_status peck_model_importance(peck_report **out, const peck_model *m, peck_error *err)
{
    static const char *const columns[] = { "feature", "questions", "gain" };
    const struct strings *const names = &m->feature_name;
    struct arena a = { 0 };
    struct importance v = { .n = peck_model_features(m) + 1 };
    struct peck_report *r = NULL;
    struct text name;
    double all = 0.0;

    *out = NULL;
    if (!model_asks_questions(m))
        return fail(err, PECK_ARG,
                    "a model of the family '%s' asks no questions about features; "
                    "importance is for trees",
                    m->n_parts > 0 ? "committee" : m->family->plug.about.name);
    v.count = arena_new(&a, "importance", v.n, sizeof *v.count);
    v.gain = arena_new(&a, "importance", v.n, sizeof *v.gain);
    uint32_t *const order = arena_new(&a, "importance", v.n, sizeof *order);
    struct sort_item *const scratch = arena_new(&a, "importance", v.n, 2 * sizeof *scratch);
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = peck_report_new(&r, err);

    /* Counts and gains, by feature. */
    if (st == PECK_OK && m->n_parts == 0)
        st = add_model(&v, m, 1.0, NULL, err);
    for (size_t i = 0; st == PECK_OK && i < m->n_parts; i++)
        if (model_asks_questions(m->part[i]))
            st = add_model(&v, m->part[i], m->share[i],
                           m->column != NULL ? m->column[i] : NULL, err);

    /* By falling gain. */
    text_init(&name, SIZE_MAX / 2);
    if (st == PECK_OK) {
        for (size_t f = 0; f < v.n; f++)
            all += v.gain[f];
        order_desc(v.gain, (uint32_t)v.n, order, scratch);
        report_table(r, "importance", 3, columns);
    }
    for (size_t k = 0; st == PECK_OK && k < v.n; k++) {
        const size_t f = order[k];
        const peck_span own = f < names->n ? strings_get(names, f) : (peck_span){ 0 };

        if (f + 1 == v.n && v.count[f] == 0.0)
            continue;
        name.len = 0;
        if (f + 1 == v.n)
            text_add_str(&name, "made of several");
        else if (own.n > 0)
            text_printf(&name, "%zu %.*s", f + 1, (int)own.n, own.s);
        else
            text_printf(&name, "%zu", f + 1);
        if (name.failed)
            st = fail_memory(err, "names of features", v.n, 1);
        report_cell_text(r, name.failed ? "" : name.s);
        report_cell_number(r, v.count[f], 0);
        report_cell_number(r, all > 0.0 ? v.gain[f] / all : 0.0, 6);
    }
    text_free(&name);
    arena_free(&a);
    return report_finish(out, r, st, err);
}
