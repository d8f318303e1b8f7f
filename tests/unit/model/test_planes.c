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
    double score[N];
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

extern const struct family family_planes;

/* Shares of the votes; where no plane has one, nobody is ahead. */
static void duels_are_shares_of_the_votes(void **state)
{
    static const struct planes shape = { .n = 3, .dim = 1 };
    static const float seen[] = {
        1, 5, 0, 2, 4, 0
    }; /* two documents, as planes see them */
    static const peck_duel duel = { 0, 1 };
    static const struct {
        float w[6]; /* directions, which are not looked at, and votes */
        float out[2];
    } cases[] = { { { 0, 0, 0, 1, 3, 0 }, { 0.75f, 0.25f } },
                  { { 0, 0, 0, 1, 1, 2 }, { 0.5f, 0.5f } },
                  { { 0, 0, 0, -1, 1, 0 }, { 1.0f, 0.0f } },
                  { { 0, 0, 0, 0, -2, 0 }, { 0.5f, 0.5f } } };

    (void)state;
    for (size_t k = 0; k < N_OF(cases); k++) {
        float out[1][2];

        family_planes.compares->duels(&shape, cases[k].w, seen, &duel, 1, out, NULL);
        assert_true(out[0][0] == cases[k].out[0] && out[0][1] == cases[k].out[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_fall_as_bordas_count_does),
        cmocka_unit_test(duels_are_shares_of_the_votes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
