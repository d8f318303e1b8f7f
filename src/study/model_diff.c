/* model_diff.c -- two models side by side: what differs, and by how much at most.
 *
 * Each model becomes a list of facts (family, shape, every note, every setting); rows
 * are the facts that are not the same in both.                                      */
#include "../base/alloc.h"
#include "../base/maths.h"
#include "../model/model.h"
#include "../report/report.h"

#include <math.h>

/* One model as facts.  Adding fails once, at the end. */
struct facts {
    struct strings key, text;
    char prefix[24]; /* of the model of a committee; "": none */
    bool failed;
};

/* The key gets the prefix of its model. */
static void add_fact(struct facts *f, peck_span key, peck_span text)
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
    add_fact(f, span_of(key), span_of(digits));
}

/* What is not itself a committee. */
static void add_single(struct facts *f, const struct peck_model *m)
{
    struct text shape;

    text_init(&shape, 4096);
    m->family->describe(m->shape, &shape);
    f->failed |= shape.failed;
    add_fact(f, span_of("family"), span_of(m->family->plug.about.name));
    add_fact(f, span_of("shape"), (peck_span){ shape.s, shape.len });
    add_fact(f, span_of("norm"), span_of(m->norm->spec));
    add_count(f, "features", peck_model_features(m));
    add_count(f, "members", m->n_members);
    add_count(f, "weights", m->n_weights);
    text_free(&shape);
}

/* Of "settings", "a=1 b=2", a fact for each. */
static void add_notes_of(struct facts *f, const struct notes *notes)
{
    for (size_t i = 0; i < notes->key.n; i++) {
        const peck_span key = strings_get(&notes->key, i);
        peck_span rest = strings_get(&notes->text, i);

        if (!span_is(key, "settings")) {
            add_fact(f, key, rest);
            continue;
        }
        while (rest.n > 0) {
            const char *const blank = memchr(rest.s, ' ', rest.n);
            const size_t length = blank != NULL ? (size_t)(blank - rest.s) : rest.n;
            const char *const equals = memchr(rest.s, '=', length);

            if (equals != NULL)
                add_fact(f, (peck_span){ rest.s, (size_t)(equals - rest.s) },
                         (peck_span){ equals + 1, length - (size_t)(equals - rest.s) - 1 });
            else if (length > 0)
                add_fact(f, (peck_span){ rest.s, length }, span_of(""));
            rest.s += length + (blank != NULL);
            rest.n -= length + (blank != NULL);
        }
    }
}

/* Of a committee, the facts of its models behind "1.", "2.", ... */
static void facts_open(struct facts *f, const struct peck_model *m)
{
    struct text scores;
    char share[32];

    if (m->n_parts == 0) {
        add_single(f, m);
    } else {
        add_fact(f, span_of("family"), span_of("committee"));
        add_count(f, "features", peck_model_features(m));
        add_count(f, "models", m->n_parts);
    }
    text_init(&scores, 4096);
    model_print_scores(m, &scores);
    f->failed |= scores.failed;
    add_fact(f, span_of("scores"), (peck_span){ scores.s, scores.len });
    text_free(&scores);
    add_notes_of(f, &m->notes);
    for (size_t i = 0; i < m->n_parts; i++) {
        snprintf(f->prefix, sizeof f->prefix, "%zu.", i + 1);
        snprintf(share, sizeof share, "%.6g", m->share[i]);
        add_fact(f, span_of("share"), span_of(share));
        add_single(f, m->part[i]);
        add_notes_of(f, &m->part[i]->notes);
    }
}

static void facts_close(struct facts *f)
{
    strings_free(&f->key);
    strings_free(&f->text);
}

/* The text of a fact into *text; false when there is none of this name. */
static bool find_fact(const struct facts *f, peck_span key, peck_span *text)
{
    for (size_t i = 0; i < f->key.n; i++)
        if (span_equal(strings_get(&f->key, i), key)) {
            *text = strings_get(&f->text, i);
            return true;
        }
    *text = span_of("-");
    return false;
}

/* A row of the table. */
static void put_difference(struct peck_report *r, peck_span key, peck_span a, peck_span b)
{
    report_cell_span(r, key);
    report_cell_span(r, a);
    report_cell_span(r, b);
}

/* "-": it has none. */
static peck_span feature_name_at(const struct peck_model *m, size_t i)
{
    const peck_span name =
        i < m->feature_name.n ? strings_get(&m->feature_name, i) : (peck_span){ 0 };

    return name.n > 0 ? name : span_of("-");
}

/* Of a weight; NaN where there are not as many. */
static double largest_difference(const struct peck_model *a, const struct peck_model *b)
{
    const size_t n = a->n_weights * a->n_members;
    double largest = 0;

    if (a->n_parts != b->n_parts || a->n_weights != b->n_weights ||
        a->n_members != b->n_members)
        return (double)NAN;
    for (size_t i = 0; i < n; i++) {
        const double difference = fabs((double)a->w[i] - (double)b->w[i]);

        if (difference > largest) /* no fmax: gcc 12 for AArch64 dies of its vectors */
            largest = difference;
    }
    for (size_t i = 0; i < a->n_parts && !isnan(largest); i++) {
        const double inside = largest_difference(a->part[i], b->part[i]);

        largest = isnan(inside) ? inside : math_max(largest, inside);
    }
    return largest;
}

/* Rows: what differs, as a has it, as b has it ("-": not at all). */
peck_status peck_model_diff(peck_report **out, const peck_model *a, const peck_model *b,
                            peck_error *err)
{
    const char *const column[] = { "what", "a", "b" };
    const size_t n_names =
        a->feature_name.n > b->feature_name.n ? a->feature_name.n : b->feature_name.n;
    const double largest = largest_difference(a, b);
    struct facts left = { 0 }, right = { 0 };
    struct peck_report *r;
    peck_span other;
    peck_status st = PECK_OK;

    *out = NULL;
    TRY(peck_report_new(&r, err));
    facts_open(&left, a);
    facts_open(&right, b);
    report_table(r, "differences", 3, column);

    /* Facts of a that b has not, or has otherwise; then those that b alone has. */
    if (left.failed || right.failed)
        st = fail_memory(err, "the models' notes", left.key.n + right.key.n, 64);
    for (size_t i = 0; st == PECK_OK && i < left.key.n; i++) {
        const peck_span key = strings_get(&left.key, i), own = strings_get(&left.text, i);

        if (!find_fact(&right, key, &other) || !span_equal(own, other))
            put_difference(r, key, own, other);
    }
    for (size_t i = 0; st == PECK_OK && i < right.key.n; i++) {
        const peck_span key = strings_get(&right.key, i);

        if (!find_fact(&left, key, &other))
            put_difference(r, key, other, strings_get(&right.text, i));
    }
    /* Features that go by another name: data is matched by them. */
    for (size_t i = 0; i < n_names; i++) {
        char key[48];

        snprintf(key, sizeof key, "name of feature %zu", i + 1);
        if (!span_equal(feature_name_at(a, i), feature_name_at(b, i)))
            put_difference(r, span_of(key), feature_name_at(a, i), feature_name_at(b, i));
    }
    if (!isnan(largest))
        report_number(r, "largest_weight_difference", largest, 9);
    facts_close(&left);
    facts_close(&right);
    return report_finish(out, r, st, err);
}
