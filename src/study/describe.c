/* describe.c -- what a model says of itself. */
#include "../model/model.h"
#include "../report/report.h"

/* The shape in words; the buffer's failure sticks. */
static const char *shape_of(const struct peck_model *m, struct text *buffer)
{
    buffer->len = 0;
    m->family->describe(m->shape, buffer);
    return buffer->failed ? "" : buffer->s;
}

/* A note of a model, for a table; "-": it does not say. */
static void cell_note(struct peck_report *r, const struct peck_model *m, const char *key)
{
    const peck_span text = notes_get(&m->notes, key);

    report_cell_span(r, text.n > 0 ? text : span_of("-"));
}

/* Named values, notes of training, then tables: models of a committee, names of features. */
peck_status peck_model_describe(peck_report **out, const peck_model *m, peck_error *err)
{
    static const char *const part_columns[] = { "model",  "share", "method", "seed",
                                                "family", "shape", "norm",   "members" };
    static const char *const name_columns[] = { "feature", "name" };
    struct peck_report *r;
    struct text buffer;
    char number[24];

    *out = NULL;
    TRY(peck_report_new(&r, err));
    text_init(&buffer, SIZE_MAX / 2);

    /* What it is. */
    if (m->n_parts > 0) {
        report_text(r, "family", "committee");
        report_count(r, "features", peck_model_features(m));
        report_count(r, "models", m->n_parts);
    } else {
        report_text(r, "family", m->family->plug.about.name);
        report_text(r, "shape", shape_of(m, &buffer));
        report_text(r, "norm", m->norm->spec);
        report_count(r, "features", peck_model_features(m));
        report_count(r, "weights", m->n_weights);
        report_count(r, "members", m->n_members);
    }
    buffer.len = 0;
    model_print_scores(m, &buffer);
    report_text(r, "scores", buffer.failed ? "" : buffer.s);

    /* Where it came from; of a committee, its models; names of features. */
    for (size_t i = 0; i < m->notes.key.n; i++)
        report_text_span(r, strings_get(&m->notes.key, i), strings_get(&m->notes.text, i));
    if (m->n_parts > 0)
        report_table(r, "models", 8, part_columns);
    for (size_t i = 0; i < m->n_parts; i++) {
        const struct peck_model *const part = m->part[i];

        snprintf(number, sizeof number, "%zu", i + 1);
        report_cell_text(r, number);
        report_cell_number(r, m->share[i], 6);
        cell_note(r, part, "method");
        cell_note(r, part, "seed");
        report_cell_text(r, part->family->plug.about.name);
        report_cell_text(r, shape_of(part, &buffer));
        report_cell_text(r, part->norm->spec);
        report_cell_number(r, (double)part->n_members, 0);
    }
    if (m->feature_name.n > 0)
        report_table(r, "feature names", 2, name_columns);
    for (size_t i = 0; i < m->feature_name.n; i++) {
        snprintf(number, sizeof number, "%zu", i + 1);
        report_cell_text(r, number);
        report_cell_span(r, strings_get(&m->feature_name, i));
    }
    const peck_status st =
        buffer.failed ? fail_memory(err, "the shape of a model", 1, 1) : PECK_OK;

    text_free(&buffer);
    return report_finish(out, r, st, err);
}
