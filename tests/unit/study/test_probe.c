/* What a model's comparisons are worth: triples, pairs, shuffles, by hand and against slow
 * twins. */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"

#include <math.h>

static peck_error err;

enum { DIM = 5 };

static peck_report *probe(const struct peck_model *m, const struct peck_dataset *d,
                          const peck_probe_spec *spec)
{
    peck_report *r = NULL;

    assert_ok(peck_probe(&r, m, d, spec, &err), err);
    return r;
}

static double value(const peck_report *r, const char *name)
{
    return peck_report_value(r, name);
}

/* Weights small enough that no two outputs round to the same 0 or 1. */
static struct peck_model *make_model(const char *family, size_t n_members)
{
    const struct model_sample sample = {
        .family = family, .dim = DIM, .n_members = n_members, .seed = 3
    };
    struct peck_model *const m = sample_model(&sample);

    for (size_t i = 0; i < m->n_members * m->n_weights; i++)
        m->w[i] *= 0.5f;
    return m;
}

/* n documents of the kinds 0, 1, 2, 0, ... in one list. */
static struct peck_dataset *kinds(float *x, size_t n, const float *label)
{
    const uint32_t size = (uint32_t)n;
    struct peck_dataset *d = NULL;

    memset(x, 0, 3 * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[3 * i + i % 3] = 1.0f;
    assert_ok(peck_dataset_wrap(&d, x, n, 3, label, &size, 1, &err), err);
    return d;
}

/* By hand --------------------------------------------------------------------------- */

/* Of 3 k documents, k^3 triples have one of each kind; in the others two are tied. */
static void circles_are_counted_and_ties_agree(void **state)
{
    enum { N = 90 };
    float x[3 * N];
    struct peck_model *const m = cyclic_model();

    (void)state;
    for (size_t k = 1; 3 * k <= N; k += 7) {
        const double n = (double)(3 * k), all = n * (n - 1) * (n - 2) / 6;
        struct peck_dataset *const d = kinds(x, 3 * k, NULL);
        peck_report *const r = probe(m, d, NULL);

        assert_true(value(r, "triples") == all);
        assert_true(fabs(value(r, "consistent triples") - (1 - (double)(k * k * k) / all)) <
                    1e-12);
        assert_true(value(r, "pairs") == n * (n - 1) / 2);
        assert_true(fabs(value(r, "tied pairs") -
                         3 * (double)(k * (k - 1) / 2) / (n * (n - 1) / 2)) < 1e-12);
        assert_true(isnan(value(r, "accuracy")) && isnan(value(r, "ndcg@10.mean")));
        peck_report_free(r);
        peck_dataset_free(d);
    }
    peck_model_free(m);
}

/* Pairs by places: (0,1) before, (1,2) before, (0,2) behind; (2,3) before, (1,3) behind,
 * (0,3) tied, being of one kind. */
static void accuracy_precision_and_recall_by_hand(void **state)
{
    static const float label[] = { 2, 1, 0, 3 };
    float x[12];
    struct peck_model *const m = cyclic_model();
    struct peck_dataset *const d = kinds(x, 4, label);
    peck_report *const r = probe(m, d, NULL);

    (void)state;
    /* Are before: 01, 02, 12.  Are behind: 03, 13, 23.
     * Said before: 01, 12, 23 and half of 03; said behind: 02, 13 and half of 03. */
    assert_true(value(r, "label-differing pairs") == 6);
    assert_true(fabs(value(r, "accuracy") - 3.5 / 6) < 1e-12);
    assert_true(fabs(value(r, "precision") - (2 / 3.5 + 1.5 / 2.5) / 2) < 1e-12);
    assert_true(fabs(value(r, "recall") - (2.0 / 3 + 1.5 / 3) / 2) < 1e-12);
    peck_report_free(r);
    peck_dataset_free(d);
    peck_model_free(m);
}

/* Against slow twins ---------------------------------------------------------------- */

struct counts {
    double triples, circles, pairs, right;
};

/* 1, -1, or 0 for a tie. */
static int side(float h)
{
    return (h > 0.5f) - (h < 0.5f);
}

static void count_list(peck_scorer *s, const peck_query *q, struct counts *c)
{
    enum { MOST = 40 };
    static float h[MOST * MOST];
    static peck_duel duel[MOST * MOST];
    const size_t n = q->n_docs;

    for (uint32_t i = 0; i < n * n; i++)
        duel[i] = (peck_duel){ i / (uint32_t)n, i % (uint32_t)n };
    assert_ok(peck_prefer(s, q->x, n, q->stride, duel, n * n, h, NULL, &err), err);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const int ij = side(h[i * n + j]);

            if (q->label[i] != q->label[j]) {
                c->pairs++;
                c->right += ij == 0 ? 0.5 : (ij > 0) == (q->label[i] > q->label[j]);
            }
            for (size_t k = j + 1; k < n; k++) {
                c->triples++;
                c->circles +=
                    ij != 0 && ij == side(h[j * n + k]) && ij == side(h[k * n + i]);
            }
        }
}

static void counts_are_those_of_plain_loops(void **state)
{
    enum { N = 120 };
    static const uint32_t sizes[] = { 40, 1, 30, 2, 40, 7 };
    float *const x = random_floats(N * DIM, 2), label[N];
    struct peck_dataset *d = NULL;

    (void)state;
    for (size_t i = 0; i < N; i++)
        label[i] = (float)(i % 4 + i % 3);
    memcpy(x + 4 * DIM, x + 9 * DIM, DIM * sizeof *x); /* a tie */
    assert_ok(peck_dataset_wrap(&d, x, N, DIM, label, sizes, N_OF(sizes), &err), err);
    for (size_t members = 1; members <= 2; members++) {
        struct peck_model *const m = make_model("cmpnn", members);
        struct counts c = { 0 };
        peck_scorer *s = NULL;
        peck_report *const r = probe(m, d, NULL);

        assert_ok(peck_scorer_new(&s, m, &err), err);
        for (size_t i = 0; i < d->n_queries; i++) {
            peck_query q;

            peck_dataset_query(d, i, &q);
            count_list(s, &q, &c);
        }
        assert_true(c.circles > 100 && value(r, "triples") == c.triples);
        assert_true(fabs(value(r, "consistent triples") - (1 - c.circles / c.triples)) <
                    1e-12);
        assert_true(value(r, "label-differing pairs") == c.pairs);
        assert_true(fabs(value(r, "accuracy") - c.right / c.pairs) < 1e-12);
        peck_scorer_free(s);
        peck_report_free(r);
        peck_model_free(m);
    }
    peck_dataset_free(d);
    free(x);
}

/* A score is never at odds with itself, and its pairs are those of the metric. */
static void a_score_is_consistent_and_does_not_move(void **state)
{
    const struct sample sample = { .n_queries = 30,
                                   .max_docs = 40,
                                   .dim = DIM,
                                   .n_grades = 3,
                                   .has_doc_weights = true,
                                   .has_query_weights = true,
                                   .unjudged = 0.2 };
    struct peck_dataset *const d = sample_dataset(&sample, 8);
    const struct model_sample net = { .dim = DIM, .n_members = 2, .norm = "query-zscore" };
    struct peck_model *const m = sample_model(&net);
    peck_report *const r = probe(m, d, NULL);

    (void)state;
    assert_true(value(r, "consistent triples") == 1.0);
    assert_true(fabs(value(r, "accuracy") - value(r, "pairacc.as given")) < 1e-12);
    assert_true(value(r, "ndcg@10.deviation") == 0.0);
    assert_true(value(r, "ndcg@10.mean") == value(r, "ndcg@10.as given"));
    peck_report_free(r);
    peck_model_free(m);
    peck_dataset_free(d);
}

/* Drawing ---------------------------------------------------------------------------- */

static void what_is_drawn_is_near_what_is_all(void **state)
{
    enum { N = 150 };
    float x[3 * N], label[N];
    struct peck_model *const m = cyclic_model();

    (void)state;
    for (size_t i = 0; i < N; i++)
        label[i] = (float)(i % 5);
    struct peck_dataset *const d = kinds(x, N, label);
    peck_report *const all = probe(m, d, NULL);
    peck_report *const some = probe(m, d, &(peck_probe_spec){ .n_drawn = 10000 });

    assert_true(value(all, "triples") == 551300 && value(some, "triples") == 10000);
    assert_true(fabs(value(all, "consistent triples") - value(some, "consistent triples")) <
                0.02);
    assert_true(fabs(value(all, "tied pairs") - value(some, "tied pairs")) < 0.02);
    assert_true(fabs(value(all, "accuracy") - value(some, "accuracy")) < 0.03);
    assert_true(value(some, "comparisons") == value(all, "comparisons"));
    peck_report_free(all);
    peck_report_free(some);
    peck_dataset_free(d);
    peck_model_free(m);
}

/* Two documents have no triple, however few pairs are asked. */
static void short_lists_have_no_triples(void **state)
{
    float x[6];
    struct peck_model *const m = cyclic_model();

    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        struct peck_dataset *const d = kinds(x, n, NULL);
        peck_report *const r = probe(m, d, &(peck_probe_spec){ .n_drawn = 1 });

        assert_true(value(r, "triples") == 0 && isnan(value(r, "consistent triples")));
        assert_true(value(r, "comparisons") == (double)n - 1);
        peck_report_free(r);
        peck_dataset_free(d);
    }
    peck_model_free(m);
}

/* Shuffles --------------------------------------------------------------------------- */

static void the_order_of_the_input_matters_to_a_comparator_in_circles(void **state)
{
    enum { N = 30 };
    float x[3 * N], label[N];
    struct peck_model *const m = cyclic_model();

    (void)state;
    for (size_t i = 0; i < N; i++)
        label[i] = i % 3 == 0;
    struct peck_dataset *const d = kinds(x, N, label);
    peck_report *const r = probe(m, d, NULL);

    assert_true(value(r, "map.deviation") > 0.01);
    assert_true(value(r, "map.lowest") < value(r, "map.mean"));
    assert_true(value(r, "map.mean") < value(r, "map.highest"));
    peck_report_free(r);
    peck_dataset_free(d);
    peck_model_free(m);
}

static void report_text(const peck_report *r, char *text, size_t size)
{
    FILE *const to = tmpfile();

    assert_ok(peck_report_write(r, to, "json", &err), err);
    rewind(to);
    text[fread(text, 1, size - 1, to)] = '\0';
    fclose(to);
}

static void any_number_of_threads_gives_the_same_report(void **state)
{
    const struct sample sample = {
        .n_queries = 25, .max_docs = 30, .dim = DIM, .n_grades = 3
    };
    struct peck_dataset *const d = sample_dataset(&sample, 8);
    struct peck_model *const m = make_model("cmpnn", 1);
    static char text[3][1 << 14];

    (void)state;
    for (int i = 0; i < 3; i++) {
        const peck_judge_spec judge = { .threads = 1 + 2 * i, .seed = 5 };
        const peck_probe_spec spec = { .judge = &judge, .n_drawn = 200, .n_shuffles = 5 };
        peck_report *const r = probe(m, d, &spec);

        report_text(r, text[i], sizeof text[i]);
        assert_string_equal(text[0], text[i]);
        peck_report_free(r);
    }
    assert_non_null(strstr(text[0], "over 5 shuffles"));
    peck_model_free(m);
    peck_dataset_free(d);
}

static void bad_specifications_are_refused(void **state)
{
    float x[12];
    const peck_judge_spec typo = { .metrics = "ndgc" };
    const peck_decode_spec unknown = { .decoder = "treee" };
    struct peck_model *const m = cyclic_model(), *const wide = make_model("mlp", 1);
    struct peck_dataset *const d = kinds(x, 4, NULL);
    peck_report *r = NULL;

    (void)state;
    assert_int_equal(peck_probe(&r, m, d, &(peck_probe_spec){ .n_shuffles = 100000 }, &err),
                     PECK_ARG);
    assert_failed(err, PECK_ARG, "shuffles");
    assert_int_equal(
        peck_probe(&r, m, d, &(peck_probe_spec){ .n_drawn = 1000000000 }, &err), PECK_ARG);
    assert_int_equal(peck_probe(&r, m, d, &(peck_probe_spec){ .decode = &unknown }, &err),
                     PECK_ARG);
    assert_int_equal(peck_probe(&r, m, d, &(peck_probe_spec){ .judge = &typo }, &err),
                     PECK_ARG);
    assert_int_equal(peck_probe(&r, wide, d, NULL, &err), PECK_SHAPE);
    assert_null(r);
    peck_dataset_free(d);
    peck_model_free(m);
    peck_model_free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_are_counted_and_ties_agree),
        cmocka_unit_test(accuracy_precision_and_recall_by_hand),
        cmocka_unit_test(counts_are_those_of_plain_loops),
        cmocka_unit_test(a_score_is_consistent_and_does_not_move),
        cmocka_unit_test(what_is_drawn_is_near_what_is_all),
        cmocka_unit_test(short_lists_have_no_triples),
        cmocka_unit_test(the_order_of_the_input_matters_to_a_comparator_in_circles),
        cmocka_unit_test(any_number_of_threads_gives_the_same_report),
        cmocka_unit_test(bad_specifications_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
