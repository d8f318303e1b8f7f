/* test_train_set.c -- which pairs of a query there are to learn from. */
#include "learn/train_set.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/train_setup.h"
#include "support/samples.h"

#include <math.h>

enum { MAX_DOCS = 4096 };

static const float zeros[MAX_DOCS];

struct set_fixture {
    peck_dataset *data;
    struct train_set *train_set;
    struct query_scratch scratch;
};

/* One query of these labels. */
static void open_fixture(struct set_fixture *s, const float *label, uint32_t n,
                         const struct train_set_config *config)
{
    peck_error err;

    assert_ok(peck_dataset_wrap(&s->data, zeros, n, 1, label, &n, 1, &err), err);
    assert_ok(train_set_new(&s->train_set, s->data, NULL, config, &err), err);
    assert_ok(query_scratch_init(&s->scratch, s->train_set, NULL, &err), err);
}

static void close_fixture(struct set_fixture *s)
{
    query_scratch_free(&s->scratch);
    train_set_free(s->train_set);
    peck_dataset_free(s->data);
}

/* U: unjudged */
#define U PECK_UNJUDGED
static const float labels[] = { 1, 0, U, 2, 1, 0, 2, U };
enum { N = N_OF(labels) };

static void documents_come_by_falling_label(void **state)
{
    static const uint32_t rows[N] = {
        3, 6, 0, 4, 1, 5, 2, 7
    }; /* equal labels as they were */
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    const struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_int_equal(q.n, N);
    assert_int_equal(q.n_judged, 6);
    assert_int_equal(q.n_ranked, 6);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(train_set_row(s.train_set, 0, i), rows[i]);
        assert_int_equal(q.from[i], rows[i]);
        assert_true(q.label[i] == labels[rows[i]]);
    }
    close_fixture(&s);
}

/* Compares runs of the judged documents with what they should be. */
static void assert_runs(const struct query_pairs *q, const uint32_t *below,
                        const uint32_t *until)
{
    assert_non_null(q->below);
    for (uint32_t i = 0; i < q->n_judged; i++) {
        assert_int_equal(q->below[i], below[i]);
        assert_int_equal(q->until[i], until[i]);
    }
}

static void all_pairs_are_those_whose_labels_differ(void **state)
{
    static const uint32_t below[] = { 2, 2, 4, 4, 6, 6 }, until[] = { 6, 6, 6, 6, 6, 6 };
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    const struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_runs(&q, below, until);
    assert_true(q.n_all == 12.0);
    assert_null(q.ties_until);
    assert_int_equal(s.train_set->n_teaching, 1);
    close_fixture(&s);
}

static void adjacent_pairs_stop_at_the_next_label(void **state)
{
    static const uint32_t below[] = { 2, 2, 4, 4, 6, 6 }, until[] = { 4, 4, 6, 6, 6, 6 };
    const struct train_set_config config = { .pairs = PAIRS_ADJACENT };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    const struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_runs(&q, below, until);
    assert_true(q.n_all == 8.0);
    close_fixture(&s);
}

/* A 4 has no 3 below it; a 2.5 has a 1.5, though a 2 stands between. */
static void unit_pairs_differ_by_exactly_one(void **state)
{
    static const float graded[] = { 0, 2, 4, U, 1.5f, 2.5f, 0, 1, 2 };
    /* 4; 2.5; 2, 2; 1.5; 1; 0, 0; unjudged */
    static const uint32_t below[] = { 1, 4, 5, 5, 6, 6, 8, 8 },
                          until[] = { 1, 5, 6, 6, 6, 8, 8, 8 };
    struct train_set_config config = { .pairs = PAIRS_UNIT };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, graded, N_OF(graded), &config);
    struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_int_equal(q.n_judged, 8);
    assert_runs(&q, below, until);
    assert_true(q.n_all == 1.0 + 2.0 + 2.0);
    assert_int_equal(train_set_classes(s.train_set), 6);
    close_fixture(&s);
    /* The unjudged count as 0: below the 1 alone. */
    config.unlabelled = 1;
    open_fixture(&s, graded, N_OF(graded), &config);
    q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);
    assert_int_equal(q.until[5], 9);
    assert_true(q.n_all == 1.0 + 2.0 + 3.0);
    close_fixture(&s);
}

static void ties_are_pairs_of_judged_documents(void **state)
{
    static const uint32_t ties[] = { 2, 2, 4, 4, 6, 6 };
    const struct train_set_config config = { .pairs = PAIRS_ALL,
                                             .ties = 1,
                                             .unlabelled = 1 };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    const struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    for (uint32_t i = 0; i < q.n_judged; i++)
        assert_int_equal(q.ties_until[i], ties[i]);
    assert_true(q.n_all == 12.0 + 3.0 + 8.0); /* by label, ties, unjudged */
    close_fixture(&s);
}

/* Under the relevant ones, beside the irrelevant. */
static void unjudged_documents_can_be_negatives(void **state)
{
    static const uint32_t below[] = { 2, 2, 4, 4, 8, 8 };
    static const uint32_t all[] = { 8, 8, 8, 8, 8, 8 }, adjacent[] = { 4, 4, 8, 8, 8, 8 };
    struct train_set_config config = { .pairs = PAIRS_ALL, .unlabelled = 1 };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_runs(&q, below, all);
    assert_int_equal(q.n_judged, 6);
    assert_int_equal(q.n_ranked, 8);
    assert_true(q.n_all == 12.0 + 8.0);
    close_fixture(&s);

    config.pairs = PAIRS_ADJACENT;
    open_fixture(&s, labels, N, &config);
    q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);
    assert_runs(&q, below, adjacent);
    assert_true(q.n_all == 8.0 + 4.0);
    close_fixture(&s);
}

static void labels_can_be_made_binary(void **state)
{
    const struct train_set_config config = { .pairs = PAIRS_ALL, .binarise = 2.0 };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    const struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_true(q.label[1] == 1.0f && q.label[2] == 0.0f && q.label[5] == 0.0f);
    assert_true(q.label[6] == PECK_UNJUDGED);
    assert_int_equal(q.below[0], 2);
    assert_true(q.n_all == 2.0 * 4.0);
    close_fixture(&s);
}

/* Sampling ------------------------------------------------------------------------ */

static void sampled_pairs_are_pairs_and_all_come_up(void **state)
{
    const struct train_set_config config = { .pairs = PAIRS_SAMPLED,
                                             .sample = 5,
                                             .ties = 1 };
    unsigned count[N][N] = { { 0 } }, kinds = 0;
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    for (uint64_t epoch = 0; epoch < 3000; epoch++) {
        const struct query_pairs q = train_set_query(s.train_set, 0, 7, epoch, &s.scratch);

        assert_null(q.below);
        assert_null(q.ties_until);
        assert_int_equal(q.n_pairs, 5);
        assert_true(q.n_all == 15.0);
        for (size_t t = 0; t < q.n_pairs; t++) {
            const struct pair p = q.pair[t];

            assert_true(p.i < p.j && p.j < q.n_judged);
            assert_true(p.probability == (q.label[p.i] > q.label[p.j] ? 1.0f : 0.5f));
            assert_true(p.weight == 3.0f); /* 5 stand for 15 */
            kinds += count[p.i][p.j]++ == 0;
        }
    }
    assert_int_equal(kinds, 15);
    for (uint32_t i = 0; i < N; i++) /* 1000 expected, deviation 31 */
        for (uint32_t j = 0; j < N; j++)
            assert_true(count[i][j] == 0 || (count[i][j] > 850 && count[i][j] < 1150));
    close_fixture(&s);
}

static void drawing_depends_on_seed_epoch_and_query_alone(void **state)
{
    const struct sample sample = {
        .n_queries = 3, .max_docs = 60, .dim = 1, .n_grades = 4
    };
    const struct train_set_config config = { .pairs = PAIRS_SAMPLED, .sample = 8 };
    struct peck_dataset *const d = sample_dataset(&sample, 4);
    struct train_set *l;
    struct query_scratch a, b;
    peck_error err;

    (void)state;
    assert_ok(train_set_new(&l, d, NULL, &config, &err), err);
    assert_ok(query_scratch_init(&a, l, NULL, &err), err);
    assert_ok(query_scratch_init(&b, l, NULL, &err), err);
    assert_true(l->plan[0].n_sampled == 8 && l->plan[1].n_sampled == 8);
    train_set_query(l, 1, 5, 2, &a);
    const struct query_pairs one = train_set_query(l, 0, 5, 3, &a);
    const struct query_pairs same = train_set_query(l, 0, 5, 3, &b);
    const size_t bytes = one.n_pairs * sizeof *one.pair;

    assert_memory_equal(one.pair, same.pair, bytes);
    assert_memory_not_equal(one.pair, train_set_query(l, 0, 5, 4, &b).pair, bytes);
    assert_memory_not_equal(one.pair, train_set_query(l, 0, 6, 3, &b).pair, bytes);
    assert_memory_not_equal(one.pair, train_set_query(l, 1, 5, 3, &b).pair, bytes);
    query_scratch_free(&a);
    query_scratch_free(&b);
    train_set_free(l);
    peck_dataset_free(d);
}

/* 2 judged pairs and 2,000 with an unjudged document. */
static void unjudged_documents_are_at_most_half_of_a_sample(void **state)
{
    const struct train_set_config config = { .pairs = PAIRS_SAMPLED,
                                             .sample = 1000,
                                             .unlabelled = 1 };
    static float label[1003];
    struct set_fixture s;
    size_t n_unjudged = 0;

    (void)state;
    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = U;
    label[10] = 2, label[20] = 1, label[30] = 0;
    open_fixture(&s, label, N_OF(label), &config);
    const struct query_pairs q = train_set_query(s.train_set, 0, 7, 1, &s.scratch);

    assert_true(q.n_all == 3.0 + 2000.0);
    for (size_t t = 0; t < q.n_pairs; t++) {
        assert_true(q.pair[t].i < 2);
        n_unjudged += q.pair[t].j >= q.n_judged;
    }
    assert_true(n_unjudged > 420 && n_unjudged < 580);
    close_fixture(&s);
}

static void long_lists_are_sampled_unasked(void **state)
{
    struct train_set_config config = { .pairs = PAIRS_ALL };
    static float label[MAX_DOCS];
    struct set_fixture s;

    (void)state;
    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = (float)(i % 3);
    config.sample_over = 2000;
    open_fixture(&s, label, 2001, &config);
    assert_int_equal(s.train_set->n_cut, 1);
    assert_int_equal(train_set_query(s.train_set, 0, 1, 1, &s.scratch).n_pairs, 20010);
    close_fixture(&s);
    open_fixture(&s, label, 2000, &config);
    assert_int_equal(s.train_set->n_cut, 0);
    assert_non_null(train_set_query(s.train_set, 0, 1, 1, &s.scratch).below);
    close_fixture(&s);
    config.sample_over = 0;
    open_fixture(&s, label, MAX_DOCS, &config);
    assert_int_equal(s.train_set->n_cut, 0);
    close_fixture(&s);
}

static void few_pairs_are_all_taken(void **state)
{
    const struct train_set_config config = { .pairs = PAIRS_SAMPLED, .sample = 12 };
    struct set_fixture s;

    (void)state;
    open_fixture(&s, labels, N, &config);
    assert_non_null(train_set_query(s.train_set, 0, 1, 1, &s.scratch).below);
    close_fixture(&s);
}

/* Weights ------------------------------------------------------------------------- */

static void weights_are_1_on_average_over_pairs(void **state)
{
    const struct sample sample = { .n_queries = 30,
                                   .max_docs = 20,
                                   .dim = 1,
                                   .n_grades = 3,
                                   .unjudged = 0.2,
                                   .has_doc_weights = true,
                                   .has_query_weights = true };
    const struct train_set_config config = { .pairs = PAIRS_ALL,
                                             .ties = 1,
                                             .unlabelled = 1 };
    struct peck_dataset *const d = sample_dataset(&sample, 9);
    struct train_set *l;
    struct query_scratch scratch;
    peck_error err;

    (void)state;
    assert_ok(train_set_new(&l, d, NULL, &config, &err), err);
    assert_ok(query_scratch_init(&scratch, l, NULL, &err), err);
    for (size_t q = 0; q < l->n_queries; q++) {
        const struct query_pairs query = train_set_query(l, q, 1, 1, &scratch);
        const float *const w = query.doc_weight;
        double sum = 0.0, n = 0.0;

        for (uint32_t i = 0; i < query.n_judged; i++)
            for (uint32_t j = i + 1; j < query.n; j++)
                if (j < query.ties_until[i] ||
                    (j >= query.below[i] && j < query.until[i])) {
                    sum += (double)w[i] * (double)w[j];
                    n++;
                }
        assert_true(n == query.n_all);
        assert_true(fabs(sum - n) < 1e-5 * n + 1e-12);
        assert_true(query.weight == d->query_weight[q]);
        for (uint32_t i = 1; i < query.n; i++) { /* in proportion to the data's */
            const float *const own = d->doc_weight + l->start[q];

            assert_true(fabs((double)w[i] * (double)own[query.from[0]] /
                                 ((double)w[0] * (double)own[query.from[i]]) -
                             1.0) < 1e-5);
        }
    }
    query_scratch_free(&scratch);
    train_set_free(l);
    peck_dataset_free(d);
}

/* Preferences --------------------------------------------------------------------- */

static struct peck_prefs *prefs_of(const peck_pref *pref, size_t n)
{
    struct peck_prefs *const p = prefs_new();

    for (size_t i = 0; i < n; i++)
        assert_true(prefs_add(p, pref[i]));
    return p;
}

static void preferences_replace_labels(void **state)
{
    static const uint32_t sizes[] = { 3, 2, 3 };
    static const peck_pref list[] = {
        { 2, 7, 5, 0.75f, 1 }, { 0, 0, 2, 1, 3 }, { 2, 6, 7, 0.5f, 3 }, { 0, 1, 2, 1, 3 }
    };
    const struct train_set_config config = { .pairs = PAIRS_ALL,
                                             .ties = 1,
                                             .unlabelled = 1 };
    struct peck_prefs *const prefs = prefs_of(list, N_OF(list));
    struct train_set *l;
    struct query_scratch scratch;
    peck_dataset *d;
    peck_error err;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, zeros, N, 1, labels, sizes, N_OF(sizes), &err), err);
    assert_ok(train_set_new(&l, d, prefs, &config, &err), err);
    assert_ok(query_scratch_init(&scratch, l, NULL, &err), err);
    assert_int_equal(l->n_teaching, 2);
    assert_true(train_set_query(l, 1, 1, 1, &scratch).n_all == 0.0);
    const struct query_pairs q = train_set_query(l, 2, 1, 1, &scratch);

    assert_null(q.below);
    assert_null(q.ties_until);
    assert_int_equal(q.n_judged, 0);
    assert_int_equal(q.n_ranked, 3);
    assert_int_equal(q.n_pairs, 2);
    assert_true(q.n_all == 2.0);
    for (uint32_t i = 0; i < 3; i++) /* balances 0.5, 0, -0.5 */
        assert_true(q.from[i] == 2 - i && q.label[i] == PECK_UNJUDGED);
    assert_true(q.pair[0].i == 0 && q.pair[0].j == 1 && q.pair[0].probability == 0.5f);
    assert_true(q.pair[1].i == 0 && q.pair[1].j == 2 && q.pair[1].probability == 0.75f);
    assert_true(q.pair[1].weight == 0.5f && q.pair[0].weight == 1.5f); /* 1 : 3 */
    query_scratch_free(&scratch);
    train_set_free(l);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

static void all_pairs_as_preferences_are_the_pairs_of_the_labels(void **state)
{
    const struct sample sample = {
        .n_queries = 60, .max_docs = 15, .dim = 1, .n_grades = 4, .unjudged = 0.2
    };
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    struct peck_dataset *const d = sample_dataset(&sample, 8);
    struct peck_prefs *const prefs = prefs_of_labels(d, 9);
    struct train_set *by_label, *by_prefs;
    struct query_scratch a, b;
    peck_error err;
    size_t n_compared = 0;

    (void)state;
    assert_ok(train_set_new(&by_label, d, NULL, &config, &err), err);
    assert_ok(train_set_new(&by_prefs, d, prefs, &config, &err), err);
    assert_ok(query_scratch_init(&a, by_label, NULL, &err), err);
    assert_ok(query_scratch_init(&b, by_prefs, NULL, &err), err);
    assert_int_equal(by_label->n_teaching, by_prefs->n_teaching);
    for (size_t q = 0; q < d->n_queries; q++) {
        const struct query_pairs x = train_set_query(by_label, q, 1, 1, &a);
        const struct query_pairs y = train_set_query(by_prefs, q, 1, 1, &b);
        size_t t = 0;

        assert_true(x.n_all == y.n_all);
        if (x.n_all == 0.0)
            continue;
        assert_memory_equal(x.from, y.from, x.n * sizeof *x.from);
        for (uint32_t i = 0; i < x.n_judged; i++)
            for (uint32_t j = x.below[i]; j < x.until[i]; j++, t++)
                assert_true(y.pair[t].i == i && y.pair[t].j == j &&
                            y.pair[t].probability == 1.0f && y.pair[t].weight == 1.0f);
        assert_int_equal(t, y.n_pairs);
        n_compared += t;
    }
    assert_true(n_compared > 500);
    query_scratch_free(&a);
    query_scratch_free(&b);
    train_set_free(by_label);
    train_set_free(by_prefs);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

static void preferences_of_other_data_are_refused(void **state)
{
    static const uint32_t sizes[] = { 4, 4 };
    static const peck_pref bad[] = { { 2, 0, 1, 1, 1 },
                                     { 0, 0, 4, 1, 1 },
                                     { 1, 3, 5, 1, 1 } };
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    peck_dataset *d;
    peck_error err;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, zeros, N, 1, labels, sizes, N_OF(sizes), &err), err);
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct peck_prefs *const prefs = prefs_of(&bad[i], 1);
        struct train_set *l = (void *)&err;

        assert_int_equal(train_set_new(&l, d, prefs, &config, &err), PECK_SHAPE);
        assert_failed(err, PECK_SHAPE, "preference 1");
        assert_null(l);
        peck_prefs_free(prefs);
    }
    peck_dataset_free(d);
}

static void a_listing_has_pairs_of_its_own(void **state)
{
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    struct set_fixture s;
    struct train_set *t;
    peck_error err;

    (void)state;
    open_fixture(&s, labels, N, &config);
    assert_ok(train_set_new_listed(&t, s.train_set, &err), err);
    assert_memory_equal(t->label, s.train_set->label, N * sizeof *t->label);
    const struct query_pairs none = train_set_query(t, 0, 1, 1, &s.scratch);

    assert_int_equal(none.n, N);
    assert_int_equal(none.n_pairs, 0);
    assert_true(none.below == NULL && t->pair_start[1] == 0);
    train_set_free(t);
    const struct query_pairs q = train_set_query(s.train_set, 0, 1, 1, &s.scratch);

    assert_true(q.n_all > 0 && q.below != NULL && q.label[0] == 2);
    close_fixture(&s);
}

static void settings_have_defaults(void **state)
{
    struct train_set_config config;
    peck_error err;

    (void)state;
    param_defaults(train_set_params(true), &config);
    assert_int_equal(config.pairs, PAIRS_ALL);
    assert_int_equal(config.sample_over, 2000);
    assert_true(config.ties == 0 && config.unlabelled == 0 && config.binarise == 0.0);
    assert_ok(param_set_pair(train_set_params(true), &config, "pairs",
                             span_of("pairs=sampled"), &err),
              err);
    assert_int_equal(config.pairs, PAIRS_SAMPLED);
    assert_int_equal(param_set_pair(train_set_params(true), &config, "pairs",
                                    span_of("sample=-1"), &err),
                     PECK_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_come_by_falling_label),
        cmocka_unit_test(all_pairs_are_those_whose_labels_differ),
        cmocka_unit_test(adjacent_pairs_stop_at_the_next_label),
        cmocka_unit_test(unit_pairs_differ_by_exactly_one),
        cmocka_unit_test(ties_are_pairs_of_judged_documents),
        cmocka_unit_test(unjudged_documents_can_be_negatives),
        cmocka_unit_test(labels_can_be_made_binary),
        cmocka_unit_test(sampled_pairs_are_pairs_and_all_come_up),
        cmocka_unit_test(drawing_depends_on_seed_epoch_and_query_alone),
        cmocka_unit_test(unjudged_documents_are_at_most_half_of_a_sample),
        cmocka_unit_test(long_lists_are_sampled_unasked),
        cmocka_unit_test(few_pairs_are_all_taken),
        cmocka_unit_test(weights_are_1_on_average_over_pairs),
        cmocka_unit_test(preferences_replace_labels),
        cmocka_unit_test(all_pairs_as_preferences_are_the_pairs_of_the_labels),
        cmocka_unit_test(preferences_of_other_data_are_refused),
        cmocka_unit_test(a_listing_has_pairs_of_its_own),
        cmocka_unit_test(settings_have_defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
