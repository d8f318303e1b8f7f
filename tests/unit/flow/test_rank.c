/* Models that are asked for duels: their answers through the API, orders decoded from
 * them, and lists that make trouble. */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"

#include <math.h>

static peck_error err;

enum { DIM = 6 };

static struct peck_model *make_model(const char *family, size_t n_members)
{
    const struct model_sample sample = {
        .family = family, .dim = DIM, .n_members = n_members, .norm = "zscore", .seed = 3
    };

    return sample_model(&sample);
}

static struct peck_dataset *wrap(const float *x, size_t n, size_t dim)
{
    const uint32_t sizes[] = { (uint32_t)n };
    struct peck_dataset *d = NULL;

    assert_ok(peck_dataset_wrap(&d, x, n, dim, NULL, sizes, 1, &err), err);
    return d;
}

static struct peck_dataset *make_data(void)
{
    const struct sample sample = {
        .n_queries = 40, .max_docs = 30, .dim = DIM, .n_grades = 3
    };

    return sample_dataset(&sample, 8);
}

/* Every number from 0 to n - 1 once. */
static void assert_places(const double *score, size_t n)
{
    unsigned char *const seen = calloc(n + 1, 1);

    for (size_t i = 0; i < n; i++) {
        assert_true(score[i] >= 0 && score[i] < (double)n);
        assert_true(score[i] == floor(score[i]) && !seen[(size_t)score[i]]);
        seen[(size_t)score[i]] = 1;
    }
    free(seen);
}

/* Duels ----------------------------------------------------------------------------- */

static void all_duels(size_t n, peck_duel *duel, peck_duel *turned)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            duel[i * n + j] = (peck_duel){ i, j };
            turned[i * n + j] = (peck_duel){ j, i };
        }
}

static void evidence_changes_places_with_the_documents(void **state)
{
    enum { N = 20, N_DUELS = N * N, STRIDE = DIM + 2 };
    static const char *const family[] = { "cmpnn", "mlp", "linear" };
    float *const x = random_floats(N * STRIDE, 5);
    static peck_duel duel[N_DUELS], turned[N_DUELS];
    static float out[N_DUELS][2], back[N_DUELS][2], h[N_DUELS];

    (void)state;
    all_duels(N, duel, turned);
    for (size_t f = 0; f < N_OF(family); f++)
        for (size_t members = 1; members <= 3; members++) {
            struct peck_model *const m = make_model(family[f], members);
            peck_scorer *s = NULL;

            assert_ok(peck_scorer_new(&s, m, &err), err);
            assert_ok(peck_prefer(s, x, N, STRIDE, duel, N_DUELS, h, out[0], &err), err);
            assert_ok(peck_prefer(s, x, N, STRIDE, turned, N_DUELS, NULL, back[0], &err),
                      err);
            for (size_t k = 0; k < N_DUELS; k++) {
                assert_true(out[k][0] == back[k][1] && out[k][1] == back[k][0]);
                assert_true(duel[k].i != duel[k].j || out[k][0] == out[k][1]);
                assert_true(h[k] == 0.5f + (out[k][0] - out[k][1]) / 2);
            }
            peck_scorer_free(s);
            peck_model_free(m);
        }
    free(x);
}

/* The same weights, member by member, as models of their own. */
static void an_ensemble_of_comparators_averages_preferences(void **state)
{
    enum { N = 15, N_DUELS = N * N, MEMBERS = 3 };
    float *const x = random_floats(N * DIM, 5);
    struct peck_model *const m = make_model("cmpnn", MEMBERS);
    static peck_duel duel[N_DUELS], turned[N_DUELS];
    static float all[N_DUELS], one[MEMBERS][N_DUELS];
    peck_scorer *s = NULL;

    (void)state;
    all_duels(N, duel, turned);
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_prefer(s, x, N, DIM, duel, N_DUELS, all, NULL, &err), err);
    peck_scorer_free(s);
    for (size_t i = 0; i < MEMBERS; i++) {
        struct peck_model *const single = make_model("cmpnn", 1);

        memcpy(single->w, m->w + i * m->n_weights, m->n_weights * sizeof *m->w);
        assert_ok(peck_scorer_new(&s, single, &err), err);
        assert_ok(peck_prefer(s, x, N, DIM, duel, N_DUELS, one[i], NULL, &err), err);
        peck_scorer_free(s);
        peck_model_free(single);
    }
    for (size_t k = 0; k < N_DUELS; k++)
        assert_true(fabsf(all[k] - (one[0][k] + one[1][k] + one[2][k]) / 3) < 1e-6f);
    peck_model_free(m);
    free(x);
}

static void a_score_prefers_by_its_difference(void **state)
{
    enum { N = 9 };
    float *const x = random_floats(N * DIM, 5);
    struct peck_model *const m = make_model("mlp", 1);
    const peck_duel duel[] = { { 0, 1 }, { 7, 3 }, { 2, 8 } };
    double score[N];
    float h[3];
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_score(s, x, N, DIM, score, &err), err);
    assert_ok(peck_prefer(s, x, N, DIM, duel, 3, h, NULL, &err), err);
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(h[k] - 1 / (1 + exp(score[duel[k].j] - score[duel[k].i]))) < 1e-6);
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

static void bad_duels_are_refused(void **state)
{
    struct peck_model *const m = make_model("cmpnn", 1);
    const peck_duel duel[] = { { 0, 1 }, { 0, 2 } };
    float x[2 * DIM] = { 1 }, h[2];
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_int_equal(peck_prefer(s, x, 2, DIM, duel, 2, h, NULL, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "duel 2");
    assert_int_equal(peck_prefer(s, x, 2, DIM - 1, duel, 1, h, NULL, &err), PECK_SHAPE);
    x[DIM + 2] = NAN;
    assert_int_equal(peck_prefer(s, x, 2, DIM, duel, 1, h, NULL, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 2");
    assert_ok(peck_prefer(s, x, 0, DIM, NULL, 0, NULL, NULL, &err), err);
    peck_scorer_free(s);
    peck_model_free(m);
}

/* Orders ---------------------------------------------------------------------------- */

static void a_model_knows_whether_it_compares(void **state)
{
    struct peck_model *const cmpnn = make_model("cmpnn", 1), *const mlp =
                                                                 make_model("mlp", 1);

    (void)state;
    assert_true(peck_model_compares(cmpnn) && !peck_model_compares(mlp));
    peck_model_free(cmpnn);
    peck_model_free(mlp);
}

/* Scores of a comparator, of all queries at once, of a query alone, and by name. */
static void scores_of_a_comparator_are_the_trees_order(void **state)
{
    struct peck_dataset *const d = make_data();
    struct peck_model *const m = make_model("cmpnn", 2);
    double *const a = calloc(d->n_docs, sizeof *a), *const b = calloc(d->n_docs, sizeof *b);
    double one[30];
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_model_score(m, d, 2, a, &err), err);
    assert_ok(
        peck_model_rank(m, d, &(peck_decode_spec){ .decoder = "tree" }, b, NULL, &err),
        err);
    assert_memory_equal(a, b, d->n_docs * sizeof *a);
    assert_ok(peck_scorer_new(&s, m, &err), err);
    for (size_t i = 0; i < d->n_queries; i++) {
        peck_query q;

        peck_dataset_query(d, i, &q);
        assert_places(a + q.first, q.n_docs);
        assert_ok(peck_score(s, q.x, q.n_docs, q.stride, one, &err), err);
        for (size_t k = 0; k < q.n_docs; k++)
            assert_true(a[q.first + k] == one[k]);
    }
    peck_scorer_free(s);
    free(a), free(b);
    peck_model_free(m);
    peck_dataset_free(d);
}

/* Neighbours in the tree's order have met, so none is behind the next. */
static void neighbours_agree_with_the_comparator(void **state)
{
    enum { N = 200 };
    float *const x = random_floats(N * DIM, 9);
    struct peck_model *const m = make_model("cmpnn", 1);
    struct peck_dataset *const d = wrap(x, N, DIM);
    double score[N];
    uint32_t order[N];
    peck_duel duel[N - 1];
    float h[N - 1];
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_model_rank(m, d, NULL, score, NULL, &err), err);
    assert_ok(peck_order(score, N, order, &err), err);
    for (size_t k = 0; k + 1 < N; k++)
        duel[k] = (peck_duel){ order[k], order[k + 1] };
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_prefer(s, x, N, DIM, duel, N - 1, h, NULL, &err), err);
    for (size_t k = 0; k + 1 < N; k++)
        assert_true(h[k] >= 0.5f);
    peck_scorer_free(s);
    peck_dataset_free(d);
    peck_model_free(m);
    free(x);
}

static void a_score_is_decoded_to_its_own_order(void **state)
{
    static const char *const decoder[] = { "tree", "championship" };
    struct peck_dataset *const d = make_data();
    struct peck_model *const m = make_model("mlp", 2);
    double *const a = calloc(d->n_docs, sizeof *a), *const b = calloc(d->n_docs, sizeof *b);
    uint32_t order[2][30];

    (void)state;
    assert_ok(peck_model_score(m, d, 1, a, &err), err);
    for (size_t i = 0; i < N_OF(decoder); i++) {
        const peck_decode_spec spec = { .decoder = decoder[i], .seed = 5 };
        peck_decode_info info;

        assert_ok(peck_model_rank(m, d, &spec, b, &info, &err), err);
        for (size_t q = 0; q < d->n_queries; q++) {
            const size_t first = d->start[q], n = d->start[q + 1] - first;

            assert_ok(peck_order(a + first, n, order[0], &err), err);
            assert_ok(peck_order(b + first, n, order[1], &err), err);
            assert_memory_equal(order[0], order[1], n * sizeof *order[0]);
        }
        assert_true(info.n_questions > 0 && isnan(info.cost));
        if (i == 1)
            assert_int_equal(info.n_questions, info.n_pairs);
    }
    free(a), free(b);
    peck_model_free(m);
    peck_dataset_free(d);
}

/* Short lists are dealt out, the long one is shared. */
static void any_number_of_threads_gives_the_same_order(void **state)
{
    enum { LONG = 9000, SHORT = 40, N = LONG + 2 * SHORT };
    static const int threads[] = { 1, 2, 5 };
    static const uint32_t sizes[] = { SHORT, LONG, SHORT };
    float *const x = random_floats(N * DIM, 4);
    double *const score = calloc(N_OF(threads) * N, sizeof *score);
    struct peck_dataset *d = NULL;
    peck_decode_info info[N_OF(threads)];

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, N, DIM, NULL, sizes, 3, &err), err);
    for (size_t n_members = 1; n_members <= 2; n_members++) {
        struct peck_model *const m = make_model("cmpnn", n_members);

        for (size_t i = 0; i < N_OF(threads); i++) {
            const peck_decode_spec spec = { .seed = 7, .threads = threads[i] };

            assert_ok(peck_model_rank(m, d, &spec, score + i * N, &info[i], &err), err);
            assert_memory_equal(score, score + i * N, N * sizeof *score);
            assert_int_equal(info[i].n_questions, info[0].n_questions);
        }
        assert_places(score + SHORT, LONG);
        peck_model_free(m);
    }
    free(score), free(x);
    peck_dataset_free(d);
}

static void the_first_query_that_fails_is_named(void **state)
{
    static const uint32_t sizes[] = { 2, 2, 2 };
    const float x[] = { 1, 2, 1, 3e38f, 2, 3e38f };
    const struct model_sample sample = { .family = "cmpnn", .dim = 1 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_dataset *d = NULL;
    double score[6];

    (void)state;
    for (size_t i = 0; i < m->n_weights; i++)
        m->w[i] *= 1e10f;
    assert_ok(peck_dataset_wrap(&d, x, 6, 1, NULL, sizes, 3, &err), err);
    for (int threads = 1; threads <= 3; threads++) {
        const peck_decode_spec spec = { .threads = threads };

        assert_int_equal(peck_model_rank(m, d, &spec, score, NULL, &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, "query 2: ");
        assert_failed(err, PECK_FORMAT, "document 2");
    }
    peck_dataset_free(d);
    peck_model_free(m);
}

/* Weights so large that finite views meet in infinity minus infinity. */
static void what_cannot_be_compared_is_refused(void **state)
{
    static const float x[] = { 1, 2, 3, 4 };
    const struct model_sample sample = { .family = "cmpnn", .dim = 1 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_dataset *const d = wrap(x, 4, 1);
    double score[4];

    (void)state;
    for (size_t i = 0; i < 20; i++) /* behind 20 weights and 10 biases: win, then lose */
        m->w[30 + i] = i % 2 == i / 10 ? 3e38f : -3e38f;
    assert_int_equal(peck_model_rank(m, d, NULL, score, NULL, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "cannot be compared");
    peck_dataset_free(d);
    peck_model_free(m);
}

static void bad_specifications_are_refused(void **state)
{
    struct peck_dataset *const d = make_data();
    struct peck_model *const m = make_model("cmpnn", 1);
    const struct model_sample wide = { .family = "cmpnn", .dim = DIM + 1 };
    struct peck_model *const other = sample_model(&wide);

    (void)state;
    assert_int_equal(
        peck_model_rank(m, d, &(peck_decode_spec){ .decoder = "tre" }, NULL, NULL, &err),
        PECK_ARG);
    assert_failed(err, PECK_ARG, "tree");
    assert_int_equal(peck_model_rank(other, d, NULL, NULL, NULL, &err), PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "7");
    peck_model_free(m);
    peck_model_free(other);
    peck_dataset_free(d);
}

/* Lists that make trouble ------------------------------------------------------------ */

static void lists_of_0_1_and_2_documents_are_sorted(void **state)
{
    struct peck_model *const m = make_model("cmpnn", 1);
    float *const x = random_floats(2 * DIM, 4);
    double score[2] = { 7, 7 };
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_score(s, x, 0, DIM, score, &err), err);
    assert_ok(peck_score(s, x, 1, DIM, score, &err), err);
    assert_true(score[0] == 0.0f && score[1] == 7.0f);
    assert_ok(peck_score(s, x, 2, DIM, score, &err), err);
    assert_true(score[0] + score[1] == 1.0f);
    for (size_t n = 1; n <= 2; n++) {
        struct peck_dataset *const d = wrap(x, n, DIM);
        peck_decode_info info;
        double place[2];

        assert_ok(peck_model_rank(m, d, NULL, place, &info, &err), err);
        assert_places(place, n);
        assert_int_equal(info.n_questions, n - 1);
        assert_int_equal(info.n_pairs, n - 1);
        peck_dataset_free(d);
    }
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

/* n log2 n, with room for a tree that is not balanced. */
static void assert_frugal(const peck_decode_info *info, double n)
{
    assert_true((double)info->n_questions < 3 * n * log2(n));
    assert_true(info->n_pairs == (uint64_t)(n * (n - 1) / 2));
}

static void identical_documents_keep_their_order(void **state)
{
    enum { N = 100000 };
    struct peck_model *const m = make_model("cmpnn", 1);
    float *const x = calloc((size_t)N * DIM, sizeof *x);
    double *const score = calloc(N, sizeof *score);
    struct peck_dataset *const d = wrap(x, N, DIM);
    peck_decode_info info;

    (void)state;
    assert_ok(peck_model_rank(m, d, NULL, score, &info, &err), err);
    for (size_t i = 0; i < N; i++)
        assert_true(score[i] == (double)(N - 1 - i));
    assert_frugal(&info, N);
    peck_dataset_free(d);
    free(x), free(score);
    peck_model_free(m);
}

static void a_hundred_thousand_documents_are_sorted(void **state)
{
    enum { N = 100000 };
    struct peck_model *const m = make_model("cmpnn", 1);
    float *const x = random_floats((size_t)N * DIM, 3);
    double *const score = calloc(N, sizeof *score);
    struct peck_dataset *const d = wrap(x, N, DIM);
    peck_decode_info info;

    (void)state;
    assert_ok(peck_model_rank(m, d, NULL, score, &info, &err), err);
    assert_places(score, N);
    assert_frugal(&info, N);
    peck_dataset_free(d);
    free(x), free(score);
    peck_model_free(m);
}

static void a_comparator_that_goes_in_circles_comes_to_an_end(void **state)
{
    enum { N = 3000 };
    struct peck_model *const m = cyclic_model();
    float *const x = calloc(N * 3, sizeof *x);
    const peck_duel round[] = { { 0, 1 }, { 1, 2 }, { 2, 0 } };
    double score[N];
    float h[3];
    peck_scorer *s = NULL;

    (void)state;
    for (size_t i = 0; i < N; i++)
        x[i * 3 + i % 3] = 1.0f;
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_prefer(s, x, 3, 3, round, 3, h, NULL, &err), err);
    assert_true(h[0] > 0.9f && h[1] > 0.9f && h[2] > 0.9f);
    for (size_t n = 3; n <= N; n *= 10) {
        struct peck_dataset *const d = wrap(x, n, 3);

        for (size_t i = 0; i < n_decoders; i++) {
            const peck_decode_spec spec = { .decoder = decoders[i]->about.name };
            peck_decode_info info;
            uint32_t order[N];

            if (n > 300 && i > 0)
                continue;
            assert_ok(peck_model_rank(m, d, &spec, score, &info, &err), err);
            assert_ok(peck_order(score, n, order, &err), err);
            assert_true(info.n_questions >= n - 1 && info.n_pairs == n * (n - 1) / 2);
        }
        peck_dataset_free(d);
    }
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_changes_places_with_the_documents),
        cmocka_unit_test(an_ensemble_of_comparators_averages_preferences),
        cmocka_unit_test(a_score_prefers_by_its_difference),
        cmocka_unit_test(bad_duels_are_refused),
        cmocka_unit_test(a_model_knows_whether_it_compares),
        cmocka_unit_test(scores_of_a_comparator_are_the_trees_order),
        cmocka_unit_test(neighbours_agree_with_the_comparator),
        cmocka_unit_test(a_score_is_decoded_to_its_own_order),
        cmocka_unit_test(any_number_of_threads_gives_the_same_order),
        cmocka_unit_test(the_first_query_that_fails_is_named),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(bad_specifications_are_refused),
        cmocka_unit_test(lists_of_0_1_and_2_documents_are_sorted),
        cmocka_unit_test(identical_documents_keep_their_order),
        cmocka_unit_test(a_hundred_thousand_documents_are_sorted),
        cmocka_unit_test(a_comparator_that_goes_in_circles_comes_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
