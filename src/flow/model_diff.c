/* model_diff.c -- two models side by side: what differs, and by how much at most. */
#include "../base/alloc.h"
#include "../model/model.h"
#include "../report/report.h"

#include <math.h>

/* Two spans as one row of the table, where they differ. */
static peck_status put_row(struct peck_report *r, const char *name, peck_span a,
                           peck_span b, peck_error *err)
{
    struct text text;

    if (span_equal(a, b))
        return PECK_OK;
    report_cell_text(r, name);
    for (int side = 0; side < 2; side++) {
        const peck_span s = side == 0 ? a : b;

        text_init(&text, (size_t)1 << 24);
        text_add(&text, s.n > 0 ? s.s : "-", s.n > 0 ? s.n : 1);
        if (!text.failed)
            report_cell_text(r, text.s);
        const bool has_failed = text.failed;

        text_free(&text);
        if (has_failed)
            return fail_memory(err, "the differences", s.n, 1);
    }
    return PECK_OK;
}

static peck_status put_notes(struct peck_report *r, const struct peck_model *a,
                             const struct peck_model *b, bool only_missing, peck_error *err)
{
    for (size_t i = 0; i < a->notes.key.n; i++) {
        const peck_span key = strings_get(&a->notes.key, i);
        char name[256];

        snprintf(name, sizeof name, "%.*s", (int)(key.n < 200 ? key.n : 200), key.s);
        const peck_span mine = notes_get(&a->notes, name);
        const peck_span other = notes_get(&b->notes, name);

        if (only_missing && other.n > 0)
            continue;
        TRY(put_row(r, name, only_missing ? other : mine, only_missing ? mine : other,
                    err));
    }
    return PECK_OK;
}

static peck_status put_shapes(struct peck_report *r, const struct peck_model *a,
                              const struct peck_model *b, peck_error *err)
{
    struct text left, right;

    text_init(&left, 4096);
    text_init(&right, 4096);
    a->family->describe(a->shape, &left);
    b->family->describe(b->shape, &right);
    const peck_status st = left.failed || right.failed
                               ? fail_memory(err, "the shapes", left.len + right.len, 1)
                               : put_row(r, "shape", (peck_span){ left.s, left.len },
                                         (peck_span){ right.s, right.len }, err);

    text_free(&left);
    text_free(&right);
    return st;
}

static peck_status put_count(struct peck_report *r, const char *name, size_t a, size_t b,
                             peck_error *err)
{
    char left[32], right[32];

    snprintf(left, sizeof left, "%zu", a);
    snprintf(right, sizeof right, "%zu", b);
    return put_row(r, name, span_of(left), span_of(right), err);
}

static double largest_difference(const float *a, const float *b, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    return largest;
}

static peck_status fill(struct peck_report *r, const struct peck_model *a,
                        const struct peck_model *b, peck_error *err)
{
    const char *const column[] = { "what", "a", "b" };

    report_table(r, "differences", 3, column);
    TRY(put_row(r, "family", span_of(a->family->plug.about.name),
                span_of(b->family->plug.about.name), err));
    TRY(put_shapes(r, a, b, err));
    TRY(put_row(r, "norm", span_of(norm_spec(a->norm)), span_of(norm_spec(b->norm)), err));
    TRY(put_count(r, "features", norm_dim_in(a->norm), norm_dim_in(b->norm), err));
    TRY(put_count(r, "members", a->n_members, b->n_members, err));
    TRY(put_count(r, "weights", a->n_weights, b->n_weights, err));
    TRY(put_notes(r, a, b, false, err));
    TRY(put_notes(r, b, a, true, err));
    if (a->n_weights == b->n_weights && a->n_members == b->n_members)
        report_number(r, "largest_weight_difference",
                      largest_difference(a->w, b->w, a->n_weights * a->n_members), 9);
    return report_check(r, err);
}

peck_status peck_model_diff(peck_report **out, const peck_model *a, const peck_model *b,
                            peck_error *err)
{
    struct peck_report *const r = report_new();

    *out = NULL;
    if (r == NULL)
        return fail(err, PECK_NOMEM, "out of memory: no room for the report");
    const peck_status st = fill(r, a, b, err);

    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    return st;
}
