/* samples.c -- see samples.h. */
#include "check.h"

#include "samples.h"

#include <math.h>

static peck_span span_printed(char *to, size_t room, const char *form, size_t number)
{
    snprintf(to, room, "%s-%zu", form, number);
    return span_of(to);
}

static void fill_row(struct builder *b, const struct sample *s, struct rng *r)
{
    const size_t row = b->n - 1;
    char id[40];

    for (size_t j = 0; j < b->dim; j++)
        b->x[row * b->dim + j] =
            rng_below(r, 4) == 0
                ? 0.0f
                : (float)(rng_normal(r) * pow(10.0, rng_between(r, -6.0, 6.0)));
    b->label[row] =
        rng_uniform(r) < s->unjudged
            ? PECK_UNJUDGED
            : (float)rng_below(r, (uint64_t)(s->n_grades > 0 ? s->n_grades : 1));
    if (s->has_doc_weights)
        b->doc_weight[row] = (float)rng_between(r, 0.25, 4.0);
    if (s->has_doc_ids)
        assert_true(strings_add(&b->doc_id, span_printed(id, sizeof id, "doc", row)));
}

struct peck_dataset *sample_dataset(const struct sample *s, uint64_t seed)
{
    struct builder b = { .dim = s->dim,
                         .has_weights = s->has_doc_weights,
                         .has_query_weights = s->has_query_weights };
    struct peck_dataset *d;
    struct strings ids = { 0 };
    struct rng r;
    peck_error err = { 0 };
    char id[40];

    rng_seed(&r, seed, 0);
    for (size_t q = 0; q < s->n_queries; q++)
        assert_true(strings_add(&ids, span_printed(id, sizeof id, "query", q)));
    for (size_t j = 0; j < s->dim && s->has_feature_names; j++)
        assert_true(
            strings_add(&b.feature_name, span_printed(id, sizeof id, "feature", j)));
    for (size_t q = 0; q < s->n_queries; q++) {
        const size_t n_docs = 1 + rng_below(&r, s->max_docs);
        const float weight = (float)rng_between(&r, 0.25, 4.0);

        for (size_t i = 0; i < n_docs; i++) {
            assert_ok(builder_query(&b, strings_get(&ids, q), weight, 0, &err), err);
            assert_ok(builder_rows(&b, b.n + 1, &err), err);
            fill_row(&b, s, &r);
        }
    }
    assert_ok(builder_finish(&d, &b, "a sample", "sample", &err), err);
    strings_free(&ids);
    return d;
}

static void assert_same_strings(const char *what, const struct strings *a,
                                const struct strings *b)
{
    if (a->n != b->n)
        fail_msg("%s: %zu and %zu of them", what, a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        const peck_span x = strings_get(a, i), y = strings_get(b, i);

        if (!span_equal(x, y))
            fail_msg("%s %zu: \"%.*s\" and \"%.*s\"", what, i, SPAN_ARGS(x), SPAN_ARGS(y));
    }
}

static void assert_same_floats(const char *what, const float *a, const float *b, size_t n)
{
    if ((a == NULL) != (b == NULL))
        fail_msg("%s: only one has them", what);
    if (a == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        if (!same_float(a[i], b[i]))
            fail_msg("%s %zu: %.9g and %.9g", what, i, (double)a[i], (double)b[i]);
}

void assert_same_dataset(const struct peck_dataset *a, const struct peck_dataset *b)
{
    assert_int_equal(a->n_docs, b->n_docs);
    assert_int_equal(a->n_queries, b->n_queries);
    assert_int_equal(a->dim, b->dim);
    for (size_t q = 0; q <= a->n_queries; q++)
        assert_int_equal(a->start[q], b->start[q]);
    assert_same_strings("query", &a->query_id, &b->query_id);
    assert_same_strings("document", &a->doc_id, &b->doc_id);
    assert_same_strings("feature name", &a->feature_name, &b->feature_name);
    assert_same_floats("label", a->label, b->label, a->n_docs);
    assert_same_floats("cell", a->x, b->x, a->n_docs * a->dim);
    assert_same_floats("document weight", a->doc_weight, b->doc_weight, a->n_docs);
    assert_same_floats("query weight", a->query_weight, b->query_weight, a->n_queries);
    assert_int_equal(a->n_judged, b->n_judged);
    assert_true(same_float(a->max_label, b->max_label));
}
