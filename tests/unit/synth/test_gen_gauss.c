/* test_gen_gauss.c -- Gaussian classes and noise on their labels. */
#include "unit/synth/collect.h"

static void every_class_is_a_cloud_of_its_own(void **state)
{
    enum { CLASSES = 3, DIM = 4 };
    struct gathered g = gather("gauss", SET("docs=30000", "classes=3", "dim=4"), 1);
    double n[CLASSES] = { 0 }, sum[CLASSES][DIM] = { 0 }, square[CLASSES][DIM] = { 0 };

    (void)state;
    for (size_t i = 0; i < g.n; i++) {
        const size_t y = (size_t)g.label[i];

        n[y] += 1.0;
        for (size_t j = 0; j < DIM; j++) {
            sum[y][j] += g.x[i * DIM + j];
            square[y][j] += (double)g.x[i * DIM + j] * g.x[i * DIM + j];
        }
    }
    for (size_t y = 0; y < CLASSES; y++)
        for (size_t j = 0; j < DIM; j++) {
            const double mean = sum[y][j] / n[y];
            const double deviation = sqrt(square[y][j] / n[y] - mean * mean);

            assert_true(n[y] > 9500 && n[y] < 10500);
            assert_true(mean > -4.0 && mean < 104.0); /* four standard errors of room */
            assert_true(deviation > 47.0 && deviation < 104.0);
            assert_true(y == 0 || fabs(mean - sum[0][j] / n[0]) > 1e-3);
        }
    release(&g);
}

static void test_files_share_the_classes(void **state)
{
    struct gathered train = gather("gauss", SET("docs=5000"), 1);
    struct gathered test = gather("gauss", SET("docs=1000"), 2);
    struct gathered other = gather("gauss", SET("docs=1000", "target=2"), 2);
    const double here = line_accuracy(&train, &test), there = line_accuracy(&train, &other);

    (void)state;
    assert_true(here > 0.8);
    assert_true(there < 0.7);
    release(&train);
    release(&test);
    release(&other);
}

/* P(|sigma N| > 1/2) = 0.505 at sigma 0.75; the outer classes keep half of it. */
static void noise_moves_labels_and_nothing_else(void **state)
{
    struct gathered clean = gather("gauss", SET("docs=20000", "dim=2"), 3);
    struct gathered noisy = gather("gauss", SET("docs=20000", "dim=2", "noise=0.75"), 3);
    size_t moved[2] = { 0 }, n[2] = { 0 };

    (void)state;
    assert_memory_equal(clean.x, noisy.x, clean.n * clean.dim * sizeof(float));
    for (size_t i = 0; i < clean.n; i++) {
        const bool is_outer = clean.label[i] == 0.0f || clean.label[i] == 4.0f;

        assert_true(noisy.label[i] >= 0.0f && noisy.label[i] <= 4.0f);
        assert_true(noisy.label[i] == floorf(noisy.label[i]));
        n[is_outer]++;
        moved[is_outer] += clean.label[i] != noisy.label[i];
    }
    assert_true(fabs((double)moved[0] / (double)n[0] - 0.505) < 0.02);
    assert_true(fabs((double)moved[1] / (double)n[1] - 0.2525) < 0.02);
    release(&clean);
    release(&noisy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_is_a_cloud_of_its_own),
        cmocka_unit_test(test_files_share_the_classes),
        cmocka_unit_test(noise_moves_labels_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
