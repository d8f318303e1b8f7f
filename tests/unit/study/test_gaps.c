/* test_gaps.c -- class boundaries of an ordered list. */
#include "support/check.h"
#include "support/models.h"

#include "base/rng.h"
#include "data/dataset.h"

#include <math.h>

enum { N = 8 };

static void gaps_are_differences_of_neighbours_in_the_order(void **state)
{
    const double score[] = { 1, 7, 4, 6 };
    const uint32_t order[] = { 1, 3, 2, 0 };
    double gap[3];

    (void)state;
    peck_gaps(score, order, 4, gap, NULL);
    assert_true(gap[0] == 1 && gap[1] == 2 && gap[2] == 3);
}

static void a_peak_is_twice_the_mean_and_above_its_neighbours(void **state)
{
    /*                       gaps:  1   1   9   1   8   8   1; mean 29 / 7 = 4.14 */
    const double score[] = { 29, 28, 27, 18, 17, 9, 1, 0 };
    const uint32_t order[N] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const unsigned char expected[N - 1] = { 0, 0, 1, 0, 0, 0, 0 };
    const double higher[] = { 31, 30, 29, 20, 19, 10, 1, 0 }; /* 1 1 9 1 9 9 1 */
    const unsigned char first_of_equals[N - 1] = { 0, 0, 1, 0, 1, 0, 0 };
    double gap[N - 1];
    unsigned char is_peak[N - 1];

    (void)state;
    peck_gaps(score, order, N, gap, is_peak);
    assert_memory_equal(is_peak, expected, sizeof expected);
    peck_gaps(higher, order, N, gap, is_peak);
    assert_memory_equal(is_peak, first_of_equals, sizeof is_peak);
}

static void equal_scores_have_no_peak(void **state)
{
    const double score[] = { 2, 2, 2 };
    const uint32_t order[] = { 0, 1, 2 };
    double gap[2];
    unsigned char is_peak[2] = { 9, 9 };

    (void)state;
    peck_gaps(score, order, 3, gap, is_peak);
    assert_true(!is_peak[0] && !is_peak[1]);
}

static void a_list_of_one_has_no_gap(void **state)
{
    const double score[] = { 2 };
    const uint32_t order[] = { 0 };
    double gap[1] = { 77 };
    uint32_t class_at[1];
    peck_error err;

    (void)state;
    peck_gaps(score, order, 1, gap, NULL);
    assert_true(gap[0] == 77);
    assert_ok(peck_classes(gap, 1, 3, class_at, &err), err);
    assert_int_equal(class_at[0], 1);
    assert_ok(peck_classes(gap, 0, 3, class_at, &err), err);
}

static void lists_are_cut_at_the_largest_gaps(void **state)
{
    const double gap[] = { 1, 5, 2, 5, 3 };
    const uint32_t three[] = { 1, 1, 2, 2, 3, 3 }, two[] = { 1, 1, 2, 2, 2, 2 };
    const uint32_t all[] = { 1, 2, 3, 4, 5, 6 };
    uint32_t class_at[6];
    peck_error err;

    (void)state;
    assert_ok(peck_classes(gap, 6, 3, class_at, &err), err);
    assert_memory_equal(class_at, three, sizeof three);
    assert_ok(peck_classes(gap, 6, 2, class_at, &err), err); /* of equal gaps the earlier */
    assert_memory_equal(class_at, two, sizeof two);
    assert_ok(peck_classes(gap, 6, 100, class_at, &err), err);
    assert_memory_equal(class_at, all, sizeof all);
    assert_int_equal(peck_classes(gap, 6, 0, class_at, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "0 classes");
}

static void a_boundary_between_two_large_gaps_is_cut_once(void **state)
{
    const double gap[] = { 9, 8, 1, 3, 1 };
    const uint32_t three[] = {
        1, 2, 2, 2, 3, 3
    }; /* at 9 and 3: 8 has a larger neighbour */
    const uint32_t four[] = { 1, 2, 3, 3, 4, 4 };
    uint32_t class_at[6];
    peck_error err;

    (void)state;
    assert_ok(peck_classes(gap, 6, 3, class_at, &err), err);
    assert_memory_equal(class_at, three, sizeof three);
    assert_ok(peck_classes(gap, 6, 4, class_at, &err), err); /* no peak is left: then 8 */
    assert_memory_equal(class_at, four, sizeof four);
}

/* Scores of k well-parted groups: the classes are the groups. */
static void groups_that_lie_apart_are_found(void **state)
{
    double score[60], gap[59];
    uint32_t order[60], class_at[60];
    struct rng rng;
    peck_error err;

    (void)state;
    rng_seed(&rng, 3, 1);
    for (int k = 2; k <= 5; k++) {
        for (int i = 0; i < 60; i++) {
            score[i] = 10.0 * (k - i * k / 60) + rng_uniform(&rng);
        }
        for (uint32_t i = 0; i < 60; i++)
            order[i] = i;
        for (int i = 1; i < 60; i++) /* by falling score, the slow way */
            for (int j = i; j > 0 && score[order[j]] > score[order[j - 1]]; j--) {
                const uint32_t swap = order[j];

                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
        peck_gaps(score, order, 60, gap, NULL);
        assert_ok(peck_classes(gap, 60, (size_t)k, class_at, &err), err);
        for (int i = 0; i < 60; i++)
            assert_int_equal(class_at[i], order[i] * (uint32_t)k / 60 + 1);
    }
}

/* What a model says of neighbours ------------------------------------------------------ */

enum { DOCS = 20, DIM = 4 };

/* Whatever the documents were ordered by: r of neighbours is the model's own. */
static void gaps_of_a_model_are_what_it_says_of_neighbours(void **state)
{
    static const char *const family[] = { "cmpnn", "pairforest", "mlp" };
    const uint32_t sizes[] = { 12, 1, 7 };
    float *const x = random_floats(DOCS * DIM, 5);
    double places[DOCS], gap[DOCS], score[DOCS];
    uint32_t order[DOCS];
    float label[DOCS] = { 0 };
    peck_dataset *d;
    peck_error err;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, DOCS, DIM, label, sizes, 3, &err), err);
    for (size_t i = 0; i < DOCS; i++)
        places[i] = (double)((i * 7) % DOCS);
    for (size_t f = 0; f < N_OF(family); f++) {
        struct peck_model *const m = sample_model(
            &(struct model_sample){ .family = family[f], .dim = DIM, .seed = 3 });
        peck_scorer *s;

        assert_ok(peck_scorer_new(&s, m, &err), err);
        assert_ok(peck_model_gaps(m, d, places, gap, &err), err);
        for (size_t q = 0, first = 0; q < 3; first += sizes[q++]) {
            assert_true(isnan(gap[first + sizes[q] - 1]));
            assert_ok(peck_order(places + first, sizes[q], order, &err), err);
            if (f == 2)
                assert_ok(peck_score(s, x + first * DIM, sizes[q], DIM, score, &err), err);
            for (uint32_t i = 0; i + 1 < sizes[q]; i++) {
                const peck_duel duel = { order[i], order[i + 1] };
                float out[2];

                assert_ok(peck_prefer(s, x + first * DIM, sizes[q], DIM, &duel, 1, NULL,
                                      out, &err),
                          err);
                const double want = f == 2 ? score[order[i]] - score[order[i + 1]]
                                           : (double)out[0] - (double)out[1];

                assert_true(fabs(gap[first + i] - want) < 1e-9);
            }
        }
        peck_scorer_free(s);
        peck_model_free(m);
    }
    peck_dataset_free(d);
    free(x);
}

/* Thresholds ----------------------------------------------------------------------------- */

static size_t class_by(const double *threshold, size_t n_classes, double score)
{
    size_t k = 0;

    while (k + 1 < n_classes && score < threshold[k])
        k++;
    return k;
}

/* The most documents that any two thresholds put right, tried one by one. */
static size_t best_by_force(const double *score, const float *label, size_t n)
{
    size_t best = 0;

    for (size_t a = 0; a <= n; a++)
        for (size_t b = 0; b <= n; b++) {
            const double cut[2] = { a < n ? score[a] : HUGE_VAL,
                                    b < n ? score[b] : HUGE_VAL };
            size_t right = 0;

            for (size_t i = 0; cut[1] <= cut[0] && i < n; i++)
                right +=
                    label[i] >= 0 && class_by(cut, 3, score[i]) == (size_t)(2 - label[i]);
            best = right > best ? right : best;
        }
    return best;
}

static void thresholds_by_labels_put_most_documents_right(void **state)
{
    enum { MANY = 30 };
    const uint32_t sizes[] = { 18, 12 };
    float x[MANY] = { 0 }, label[MANY];
    double score[MANY], threshold[2];
    struct rng r;
    peck_dataset *d;
    peck_error err;

    (void)state;
    rng_seed(&r, 9, 1);
    for (int trial = 0; trial < 40; trial++) {
        size_t right = 0;

        for (size_t i = 0; i < MANY; i++) { /* some scores are equal, some nobody judged */
            label[i] = i < 3 ? (float)i : (float)rng_below(&r, 4) - 1.0f;
            score[i] = (double)rng_below(&r, 12) + 2.0 * trial / 40.0 * (double)label[i];
        }
        assert_ok(peck_dataset_wrap(&d, x, MANY, 1, label, sizes, 2, &err), err);
        assert_ok(peck_thresholds(d, score, 3, 1, threshold, &err), err);
        assert_true(threshold[0] >= threshold[1]);
        for (size_t i = 0; i < MANY; i++)
            right +=
                label[i] >= 0 && class_by(threshold, 3, score[i]) == (size_t)(2 - label[i]);
        assert_int_equal(right, best_by_force(score, label, MANY));
        assert_int_equal(peck_thresholds(d, score, 2, 1, threshold, &err), PECK_ARG);
        assert_failed(err, PECK_ARG, "3 labels, not 2");
        peck_dataset_free(d);
    }
    assert_int_equal(peck_thresholds(NULL, NULL, 1, 0, NULL, &err), PECK_ARG);
    /* One label has no threshold, however many classes are asked for. */
    for (size_t i = 0; i < MANY; i++)
        label[i] = 1.0f;
    assert_ok(peck_dataset_wrap(&d, x, MANY, 1, label, sizes, 2, &err), err);
    assert_int_equal(peck_thresholds(d, score, 2, 1, threshold, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "1 is all that there are");
    peck_dataset_free(d);
}

/* Lists that have few of a class, or none, are cut where the others say. */
static void thresholds_by_gaps_are_those_of_most_lists(void **state)
{
    enum { LISTS = 9, LONG = 12 };
    uint32_t sizes[LISTS];
    float x[LISTS * LONG] = { 0 }, label[LISTS * LONG];
    double score[LISTS * LONG], threshold[2];
    struct rng r;
    peck_dataset *d;
    peck_error err;

    (void)state;
    rng_seed(&r, 4, 1);
    for (size_t q = 0; q < LISTS; q++) {
        sizes[q] = LONG;
        for (size_t i = 0; i < LONG; i++) { /* the last two lists have one class alone */
            const size_t group = q < LISTS - 2 ? i % 3 : 0;

            label[q * LONG + i] = PECK_UNJUDGED;
            score[q * LONG + i] = 10.0 * (double)group + 3.0 * rng_uniform(&r);
        }
    }
    assert_ok(peck_dataset_wrap(&d, x, LISTS * LONG, 1, label, sizes, LISTS, &err), err);
    assert_ok(peck_thresholds(d, score, 3, 0, threshold, &err), err);
    assert_true(threshold[0] > 13.0 && threshold[0] < 20.0);
    assert_true(threshold[1] > 3.0 && threshold[1] < 10.0);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_differences_of_neighbours_in_the_order),
        cmocka_unit_test(a_peak_is_twice_the_mean_and_above_its_neighbours),
        cmocka_unit_test(equal_scores_have_no_peak),
        cmocka_unit_test(a_list_of_one_has_no_gap),
        cmocka_unit_test(lists_are_cut_at_the_largest_gaps),
        cmocka_unit_test(a_boundary_between_two_large_gaps_is_cut_once),
        cmocka_unit_test(groups_that_lie_apart_are_found),
        cmocka_unit_test(gaps_of_a_model_are_what_it_says_of_neighbours),
        cmocka_unit_test(thresholds_by_labels_put_most_documents_right),
        cmocka_unit_test(thresholds_by_gaps_are_those_of_most_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
