/* model_diff.c -- two models side by side: what differs, and by how much at most.
 *
 * Each model becomes a list of facts (family, shape, every note, every setting); rows
 * are the facts that are not the same in both.                                      */
#include "../base/alloc.h"
#include "../model/model.h"
#include "../report/report.h"

#include <math.h>

/* One model as facts.  Adding fails once, at the end. */
struct facts {
    struct strings key, text;
    char prefix[24]; /* of the model of a committee; "": none */
    bool failed;
};

static void add(struct facts *f, peck_span key, peck_span text)
{
    struct text name;

    text_init(&name, (size_t)1 << 30);
    text_add_str(&name, f->prefix);
    text_add(&name, key.s, key.n);
    f->failed |= name.failed || !strings_add(&f->key, (peck_span){ name.s, name.len }) ||
                 !strings_add(&f->text, text);
    text_free(&name);
}

static void add_count(struct facts *f, const char *key, size_t n)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%zu", n);
    add(f, span_of(key), span_of(digits));
}

/* "a=1 b=2": a fact for each. */
static void add_settings(struct facts *f, peck_span all)
{
    while (all.n > 0) {
        const char *const blank = memchr(all.s, ' ', all.n);
        const size_t length = blank != NULL ? (size_t)(blank - all.s) : all.n;
        const char *const equals = memchr(all.s, '=', length);

        if (equals != NULL)
            add(f, (peck_span){ all.s, (size_t)(equals - all.s) },
                (peck_span){ equals + 1, length - (size_t)(equals - all.s) - 1 });
        else if (length > 0)
            add(f, (peck_span){ all.s, length }, span_of(""));
        all.s += length + (blank != NULL);
        all.n -= length + (blank != NULL);
    }
}

/* What is not itself a committee. */
static void add_single(struct facts *f, const struct peck_model *m)
{
    struct text shape;

    text_init(&shape, 4096);
    m->family->describe(m->shape, &shape);
    f->failed |= shape.failed;
    add(f, span_of("family"), span_of(m->family->plug.about.name));
    add(f, span_of("shape"), (peck_span){ shape.s, shape.len });
    add(f, span_of("norm"), span_of(norm_spec(m->norm)));
    add_count(f, "features", peck_model_features(m));
    add_count(f, "members", m->n_members);
    add_count(f, "weights", m->n_weights);
    text_free(&shape);
}

static void add_scores(struct facts *f, const struct peck_model *m)
{
    struct text text;

    text_init(&text, 4096);
    model_print_scores(m, &text);
    f->failed |= text.failed;
    add(f, span_of("scores"), (peck_span){ text.s, text.len });
    text_free(&text);
}

static void add_notes(struct facts *f, const struct notes *notes)
{
    for (size_t i = 0; i < notes->key.n; i++) {
        const peck_span key = strings_get(&notes->key, i);

        if (span_is(key, "settings"))
            add_settings(f, strings_get(&notes->text, i));
        else
            add(f, key, strings_get(&notes->text, i));
    }
}

static void add_share(struct facts *f, double share)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%.6g", share);
    add(f, span_of("share"), span_of(digits));
}

/* Of a committee, the facts of its models behind "1.", "2.", ... */
static void facts_open(struct facts *f, const struct peck_model *m)
{
    if (m->n_parts == 0) {
        add_single(f, m);
    } else {
        add(f, span_of("family"), span_of("committee"));
        add_count(f, "features", peck_model_features(m));
        add_count(f, "models", m->n_parts);
    }
    add_scores(f, m);
    add_notes(f, &m->notes);
    for (size_t i = 0; i < m->n_parts; i++) {
        snprintf(f->prefix, sizeof f->prefix, "%zu.", i + 1);
        add_share(f, m->share[i]);
        add_single(f, m->part[i]);
        add_notes(f, &m->part[i]->notes);
    }
}

static void facts_close(struct facts *f)
{
    strings_free(&f->key);
    strings_free(&f->text);
}

/* The text of a fact into *text; false when there is none of this name. */
static bool find(const struct facts *f, peck_span key, peck_span *text)
{
    for (size_t i = 0; i < f->key.n; i++)
        if (span_equal(strings_get(&f->key, i), key)) {
            *text = strings_get(&f->text, i);
            return true;
        }
    *text = span_of("-");
    return false;
}

static peck_status put_row(struct peck_report *r, peck_span key, peck_span a, peck_span b,
                           peck_error *err)
{
    const peck_span cell[] = { key, a, b };
    struct text text;

    text_init(&text, (size_t)1 << 30);
    for (size_t i = 0; i < 3; i++) {
        text.len = 0;
        text_add(&text, cell[i].s, cell[i].n);
        if (!text.failed)
            report_cell_text(r, text.s);
    }
    const bool has_failed = text.failed;

    text_free(&text);
    return has_failed ? fail_memory(err, "the differences", a.n + b.n, 1) : PECK_OK;
}

static peck_status put_rows(struct peck_report *r, const struct facts *a,
                            const struct facts *b, peck_error *err)
{
    peck_span other;

    for (size_t i = 0; i < a->key.n; i++) {
        const peck_span key = strings_get(&a->key, i), own = strings_get(&a->text, i);

        if (!find(b, key, &other) || !span_equal(own, other))
            TRY(put_row(r, key, own, other, err));
    }
    for (size_t i = 0; i < b->key.n; i++) {
        const peck_span key = strings_get(&b->key, i);

        if (!find(a, key, &other))
            TRY(put_row(r, key, other, strings_get(&b->text, i), err));
    }
    return PECK_OK;
}

static peck_span name_at(const struct peck_model *m, size_t i)
{
    const peck_span name =
        i < m->feature_name.n ? strings_get(&m->feature_name, i) : (peck_span){ 0 };

    return name.n > 0 ? name : span_of("-");
}

/* Features that go by another name: data is matched by them. */
static peck_status put_names(struct peck_report *r, const struct peck_model *a,
                             const struct peck_model *b, peck_error *err)
{
    const size_t n =
        a->feature_name.n > b->feature_name.n ? a->feature_name.n : b->feature_name.n;
    char key[48];

    for (size_t i = 0; i < n; i++)
        if (!span_equal(name_at(a, i), name_at(b, i))) {
            snprintf(key, sizeof key, "name of feature %zu", i + 1);
            TRY(put_row(r, span_of(key), name_at(a, i), name_at(b, i), err));
        }
    return PECK_OK;
}

/* Of a weight; NaN where there are not as many. */
static double largest_difference(const struct peck_model *a, const struct peck_model *b)
{
    const size_t n = a->n_weights * a->n_members;
    double largest = 0;

    if (a->n_parts != b->n_parts || a->n_weights != b->n_weights ||
        a->n_members != b->n_members)
        return (double)NAN;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)a->w[i] - (double)b->w[i]));
    for (size_t i = 0; i < a->n_parts && !isnan(largest); i++) {
        const double inside = largest_difference(a->part[i], b->part[i]);

        largest = isnan(inside) ? inside : fmax(largest, inside);
    }
    return largest;
}

static peck_status fill(struct peck_report *r, const struct peck_model *a,
                        const struct peck_model *b, peck_error *err)
{
    const char *const column[] = { "what", "a", "b" };
    struct facts left = { 0 }, right = { 0 };

    facts_open(&left, a);
    facts_open(&right, b);
    report_table(r, "differences", 3, column);
    const peck_status st =
        left.failed || right.failed
            ? fail_memory(err, "the models' notes", left.key.n + right.key.n, 64)
            : put_rows(r, &left, &right, err);

    facts_close(&left);
    facts_close(&right);
    TRY(st);
    TRY(put_names(r, a, b, err));
    const double largest = largest_difference(a, b);

    if (!isnan(largest))
        report_number(r, "largest_weight_difference", largest, 9);
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
