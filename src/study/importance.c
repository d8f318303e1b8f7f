/* importance.c -- which features a model of trees or steps asks about (of a committee, its
 * models that ask, each model's gains counting by its share), and what a weighted sum gives
 * to each.                                                                             */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../model/model.h"
#include "../report/report.h"

#include <math.h>

/* Whether scores are a weighted sum of the scaled features. */
static bool is_sum(const struct peck_model *m)
{
    return m->n_parts == 0 && m->family->is_sum != NULL && m->family->is_sum(m->shape);
}

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

/* "3 bm25", or the number alone; the last one: columns that are made of several. */
static void print_feature(struct text *to, const struct strings *names, size_t f, size_t n)
{
    const peck_span own = f < names->n ? strings_get(names, f) : (peck_span){ 0 };

    to->len = 0;
    if (f == n)
        text_add_str(to, "made of several");
    else if (own.n > 0)
        text_printf(to, "%zu %.*s", f + 1, (int)own.n, own.s);
    else
        text_printf(to, "%zu", f + 1);
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
                    "importance is for trees and steps%s",
                    m->n_parts > 0 ? "committee" : m->family->plug.about.name,
                    is_sum(m) ? "; this one has weights" : "");
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

        if (f + 1 == v.n && v.count[f] == 0.0)
            continue;
        print_feature(&name, names, f, v.n - 1);
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

/* weight[feature][view] and size[feature], the sum of what it has without signs: means over the
 * members.  Columns that are made of several features are left out; *n_left counts them. */
static void sum_weights(const struct peck_model *m, double *weight, double *size,
                        size_t *n_left)
{
    const struct norm *const n = m->norm;

    for (size_t i = 0; i < m->n_members; i++)
        for (size_t c = 0, view = 0; c < n->dim_out; c++) {
            while (view + 1 < n->n_views && n->view[view + 1].at <= c)
                view++;
            const size_t f = norm_feature(n, c);

            *n_left += f == n->dim_in && i == 0;
            if (f < n->dim_in)
                weight[f * n->n_views + view] +=
                    (double)m->w[i * m->n_weights + c] / (double)m->n_members;
        }
    for (size_t k = 0; k < n->dim_in * n->n_views; k++)
        size[k / n->n_views] += fabs(weight[k]);
}

/* A column for each view of the features, named as in the model's "norm". */
static void begin_weights(struct peck_report *r, const struct norm *n, const char **column,
                          char *names)
{
    snprintf(names, NORM_SPEC_MAX, "%s", n->spec);
    column[0] = "feature";
    for (size_t v = 0; v < n->n_views; v++) {
        char *const end = names + strcspn(names, "+");

        column[v + 1] = n->n_views > 1 ? names : "weight";
        names = end + (*end != '\0');
        *end = '\0';
    }
    report_table(r, "weights", n->n_views + 1, column);
}

peck_status peck_model_weights(peck_report **out, const peck_model *m, peck_error *err)
{
    struct arena a = { 0 };
    struct peck_report *r = NULL;
    char names[NORM_SPEC_MAX], text[128];
    struct text name;
    size_t n_left = 0;

    *out = NULL;
    if (!is_sum(m))
        return fail(
            err, PECK_ARG,
            "a model of the family '%s' is no weighted sum of the features; weights "
            "are for linear models%s",
            m->n_parts > 0 ? "committee" : m->family->plug.about.name,
            model_asks_questions(m) ? "; this one has importances" : "");
    const size_t dim = m->norm->dim_in, n_views = m->norm->n_views;
    double *const weight = arena_new(&a, "weights", dim * n_views, sizeof *weight);
    double *const size = arena_new(&a, "weights", dim, sizeof *size);
    uint32_t *const order = arena_new(&a, "weights", dim, sizeof *order);
    struct sort_item *const scratch = arena_new(&a, "weights", dim, 2 * sizeof *scratch);
    const char **const column = arena_new(&a, "weights", n_views + 1, sizeof *column);
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st != PECK_OK) {
        arena_free(&a);
        return st;
    }
    sum_weights(m, weight, size, &n_left);
    order_desc(size, (uint32_t)dim, order, scratch);
    report_note(r, "weights",
                "of the features as the model scales them, the largest first");
    report_note(r, "norm", m->norm->spec);
    if (m->n_members > 1) {
        snprintf(text, sizeof text, "the mean of %zu", m->n_members);
        report_note(r, "members", text);
    }
    if (n_left > 0)
        report_note_count(r, "columns made of several features, left out", n_left);
    if (m->n_weights == m->norm->dim_out + 1) {
        double bias = 0.0;

        for (size_t i = 0; i < m->n_members; i++)
            bias += (double)m->w[(i + 1) * m->n_weights - 1] / (double)m->n_members;
        report_number(r, "bias", bias, 6);
    }
    begin_weights(r, m->norm, column, names);
    text_init(&name, SIZE_MAX / 2);
    for (size_t k = 0; st == PECK_OK && k < dim; k++) {
        print_feature(&name, &m->feature_name, order[k], dim);
        if (name.failed)
            st = fail_memory(err, "names of features", dim, 1);
        report_cell_text(r, name.failed ? "" : name.s);
        for (size_t v = 0; v < n_views; v++)
            report_cell_number(r, weight[order[k] * n_views + v], 6);
    }
    text_free(&name);
    arena_free(&a);
    return report_finish(out, r, st, err);
}
