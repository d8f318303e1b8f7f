/* describe.c -- what a model says of itself. */
#include "../model/model.h"
#include "../report/report.h"

/* A copy of the span that ends with a zero byte. */
static peck_status report_span(struct peck_report *r, struct text *buffer, peck_span key,
                               peck_span text, peck_error *err)
{
    buffer->len = 0;
    text_add(buffer, key.s, key.n);
    text_add(buffer, "", 1);
    text_add(buffer, text.s, text.n);
    if (buffer->failed)
        return fail_memory(err, "the notes of a model", text.n, 1);
    report_text(r, buffer->s, buffer->s + key.n + 1);
    return PECK_OK;
}

/* What a model is called, for a table; "-": it does not say. */
static peck_status cell_span(struct peck_report *r, struct text *buffer, peck_span text,
                             peck_error *err)
{
    buffer->len = 0;
    text_add_str(buffer, text.n > 0 ? "" : "-");
    text_add(buffer, text.s, text.n);
    if (buffer->failed)
        return fail_memory(err, "the notes of a model", text.n, 1);
    report_cell_text(r, buffer->s);
    return PECK_OK;
}

static peck_status cell_shape(struct peck_report *r, struct text *buffer,
                              const struct peck_model *m, peck_error *err)
{
    buffer->len = 0;
    m->family->describe(m->shape, buffer);
    if (buffer->failed)
        return fail_memory(err, "the shape of a model", 1, 1);
    report_cell_text(r, buffer->s);
    return PECK_OK;
}

static peck_status report_parts(struct peck_report *r, struct text *buffer,
                                const struct peck_model *m, peck_error *err)
{
    static const char *const columns[] = { "model",  "share", "method", "seed",
                                           "family", "shape", "norm",   "members" };

    if (m->n_parts == 0)
        return PECK_OK;
    report_table(r, "models", 8, columns);
    for (size_t i = 0; i < m->n_parts; i++) {
        const struct peck_model *const part = m->part[i];
        char number[24];

        snprintf(number, sizeof number, "%zu", i + 1);
        report_cell_text(r, number);
        report_cell_number(r, m->share[i], 6);
        TRY(cell_span(r, buffer, notes_get(&part->notes, "method"), err));
        TRY(cell_span(r, buffer, notes_get(&part->notes, "seed"), err));
        report_cell_text(r, part->family->plug.about.name);
        TRY(cell_shape(r, buffer, part, err));
        report_cell_text(r, norm_spec(part->norm));
        report_cell_number(r, (double)part->n_members, 0);
    }
    return PECK_OK;
}

static peck_status report_single(struct peck_report *r, struct text *buffer,
                                 const struct peck_model *m, peck_error *err)
{
    m->family->describe(m->shape, buffer);
    if (buffer->failed)
        return fail_memory(err, "the shape of a model", 1, 1);
    report_text(r, "family", m->family->plug.about.name);
    report_text(r, "shape", buffer->s);
    report_text(r, "norm", norm_spec(m->norm));
    report_count(r, "features", peck_model_features(m));
    report_count(r, "weights", m->n_weights);
    report_count(r, "members", m->n_members);
    return PECK_OK;
}

static peck_status report_scores(struct peck_report *r, struct text *buffer,
                                 const struct peck_model *m, peck_error *err)
{
    buffer->len = 0;
    model_print_scores(m, buffer);
    if (buffer->failed)
        return fail_memory(err, "the scores of a model", 1, 1);
    report_text(r, "scores", buffer->s);
    return PECK_OK;
}

static void report_committee(struct peck_report *r, const struct peck_model *m)
{
    report_text(r, "family", "committee");
    report_count(r, "features", peck_model_features(m));
    report_count(r, "models", m->n_parts);
}

static peck_status report_notes(struct peck_report *r, struct text *buffer,
                                const struct notes *notes, peck_error *err)
{
    for (size_t i = 0; i < notes->key.n; i++)
        TRY(report_span(r, buffer, strings_get(&notes->key, i),
                        strings_get(&notes->text, i), err));
    return PECK_OK;
}

static peck_status report_names(struct peck_report *r, struct text *buffer,
                                const struct strings *name, peck_error *err)
{
    static const char *const columns[] = { "feature", "name" };

    if (name->n == 0)
        return PECK_OK;
    report_table(r, "feature names", 2, columns);
    for (size_t i = 0; i < name->n; i++) {
        const peck_span s = strings_get(name, i);
        char number[24];

        snprintf(number, sizeof number, "%zu", i + 1);
        buffer->len = 0;
        text_add(buffer, s.s, s.n);
        if (buffer->failed)
            return fail_memory(err, "names of features", name->n, 1);
        report_cell_text(r, number);
        report_cell_text(r, buffer->s);
    }
    return PECK_OK;
}

static peck_status report_model(struct peck_report *r, struct text *buffer,
                                const struct peck_model *m, peck_error *err)
{
    if (m->n_parts > 0)
        report_committee(r, m);
    else
        TRY(report_single(r, buffer, m, err));
    TRY(report_scores(r, buffer, m, err));
    TRY(report_notes(r, buffer, &m->notes, err));
    TRY(report_parts(r, buffer, m, err));
    TRY(report_names(r, buffer, &m->feature_name, err));
    return report_check(r, err);
}

peck_status peck_model_describe(peck_report **out, const peck_model *m, peck_error *err)
{
    struct peck_report *const r = report_new();
    struct text buffer;

    *out = NULL;
    if (r == NULL)
        return fail_memory(err, "the report", 1, 1);
    text_init(&buffer, SIZE_MAX / 2);
    const peck_status st = report_model(r, &buffer, m, err);

    text_free(&buffer);
    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    return st;
}
