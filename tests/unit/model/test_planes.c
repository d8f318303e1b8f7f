/* test_planes.c -- the order of planes that vote is that of Borda's count. */
#include "model/planes.h"

#include "support/check.h"
#include "support/models.h"

enum { N = 20, DIM = 5, PLANES = 4 };

/* Over all planes with a vote, how many documents stand behind i; ties half. */
static double borda(const struct peck_model *m, const float *x, size_t i)
{
    double sum = 0.0;

    for (size_t k = 0; k < PLANES; k++) {
        const double vote = (double)m->w[DIM * PLANES + k];

        for (size_t j = 0; vote > 0.0 && j < N; j++) {
            double lead = 0.0;

            for (size_t f = 0; f < DIM; f++)
                lead += (double)m->w[f * PLANES + k] *
                        ((double)x[i * DIM + f] - (double)x[j * DIM + f]);
            if (j != i)
                sum += vote * (lead > 1e-6 ? 1.0 : lead < -1e-6 ? 0.0 : 0.5);
        }
    }
    return sum;
}

static void scores_fall_as_bordas_count_does(void **state)
{
    const char *const settings[] = { "planes=4", NULL };
    const struct model_sample sample = {
        .family = "planes", .settings = settings, .dim = DIM, .seed = 1
    };
    struct peck_model *const m = sample_model(&sample);
    float *const x = random_floats(N * DIM, 2);
    const float votes[PLANES] = { 1, 1, 0, 2 };
    float score[N];
    peck_scorer *s = NULL;
    peck_error err = { 0 };

    (void)state;
    memcpy(m->w + DIM * PLANES, votes, sizeof votes);
    memcpy(x + 3 * DIM, x + 7 * DIM, DIM * sizeof *x); /* two that nobody can tell apart */
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_score(s, x, N, DIM, score, &err), err);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (borda(m, x, i) > borda(m, x, j) + 1e-9)
                assert_true(score[i] > score[j]);
    peck_scorer_free(s);
    free(x);
    peck_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        scores_fall_as_bordas_count_does) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
