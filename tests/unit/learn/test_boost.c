/* test_boost.c -- RankBoost and FRank against twins that hold a weight for every pair and
 * try every threshold.                                                               */
#include "model/stumps.h"

#include "support/check.h"
#include "support/pupils.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 3, ROUNDS = 12 };
static const struct task_sample sample = {
    .n_queries = 9, .max_docs = 12, .dim = DIM, .noise = 1.0
};

/* A pair of rows of the lessons, its weight before any step, and now. */
struct twin_pair {
    size_t i, j;
    double first, now;
};

struct twin {
    struct twin_pair *pair;
    size_t n;
    const struct course *course;
    double *height; /* H, by row */
};

static void twin_open(struct twin *t, const struct course *c, bool is_by_query)
{
    const struct lessons *const l = c->lessons;

    *t = (struct twin){ .course = c };
    t->pair = calloc(l->n_docs * l->max_docs, sizeof *t->pair);
    t->height = calloc(l->n_docs, sizeof *t->height);
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = l->start[q]; i < l->start[q + 1]; i++)
            for (size_t j = l->start[q]; j < l->start[q + 1]; j++)
                if (l->label[j] != PECK_UNJUDGED && l->label[i] > l->label[j])
                    t->pair[t->n++] = (struct twin_pair){
                        i, j,
                        (l->weight != NULL ? (double)l->weight[q] : 1.0) /
                            (is_by_query ? l->plan[q].n_all : 1.0) *
                            (l->doc_weight != NULL
                                 ? (double)l->doc_weight[i] * (double)l->doc_weight[j]
                                 : 1.0),
                        0.0
                    };
}

static void twin_close(struct twin *t)
{
    free(t->pair);
    free(t->height);
}

static float value_at(const struct twin *t, size_t row, size_t f)
{
    return t->course->x[row * DIM + f];
}

/* sum over pairs of their weight times (h_i - h_j). */
static double lean_of(const struct twin *t, size_t f, float threshold)
{
    double sum = 0.0;

    for (size_t k = 0; k < t->n; k++)
        sum += t->pair[k].now * ((value_at(t, t->pair[k].i, f) > threshold ? 1.0 : 0.0) -
                                 (value_at(t, t->pair[k].j, f) > threshold ? 1.0 : 0.0));
    return sum;
}

/* The largest |lean| over all features and all values as thresholds. */
static double best_lean(const struct twin *t)
{
    double best = 0.0;

    for (size_t f = 0; f < DIM; f++)
        for (size_t i = 0; i < t->course->lessons->n_docs; i++)
            best = fmax(best, fabs(lean_of(t, f, value_at(t, i, f))));
    return best;
}

static void twin_apply(struct twin *t, const float *step)
{
    for (size_t i = 0; i < t->course->lessons->n_docs; i++)
        if (value_at(t, i, (size_t)step[STUMP_FEATURE]) > step[STUMP_THRESHOLD])
            t->height[i] += (double)step[STUMP_HEIGHT];
}

/* Weights of pairs and the height that a step should have. */
typedef double twin_rule(struct twin *t, const float *step);

static double boost_height(struct twin *t, const float *step)
{
    double all = 0.0;

    for (size_t k = 0; k < t->n; k++)
        all += t->pair[k].now;
    const double r = lean_of(t, (size_t)step[STUMP_FEATURE], step[STUMP_THRESHOLD]) / all;

    return 0.5 * log((1.0 + r) / (1.0 - r));
}

static void boost_weigh(struct twin *t)
{
    for (size_t k = 0; k < t->n; k++)
        t->pair[k].now =
            t->pair[k].first * exp(t->height[t->pair[k].j] - t->height[t->pair[k].i]);
}

static double frank_height(struct twin *t, const float *step)
{
    const size_t f = (size_t)step[STUMP_FEATURE];
    double right = 0.0, wrong = 0.0;

    for (size_t k = 0; k < t->n; k++) {
        const bool i = value_at(t, t->pair[k].i, f) > step[STUMP_THRESHOLD];
        const bool j = value_at(t, t->pair[k].j, f) > step[STUMP_THRESHOLD];

        right += i && !j ? t->pair[k].now : 0.0;
        wrong += j && !i ? t->pair[k].now : 0.0;
    }
    return 0.5 * log((right + 1e-6 * (right + wrong)) / (wrong + 1e-6 * (right + wrong)));
}

static void frank_weigh(struct twin *t)
{
    for (size_t k = 0; k < t->n; k++) {
        const double e = exp(t->height[t->pair[k].j] - t->height[t->pair[k].i]);

        t->pair[k].now = t->pair[k].first * 0.5 * e * pow(1.0 + e, -1.5);
    }
}

/* The step of each round leans as much as the best there is, and is as high as the rule
 * says.  (Which of two that lean alike is taken is not prescribed.) */
static void compare(const char *method, const char *const *settings,
                    const struct peck_dataset *d, bool is_by_query,
                    void (*weigh)(struct twin *t), twin_rule *height)
{
    struct pupil p;
    struct twin t;

    pupil_open(&p, method, settings, d, NULL, 2);
    twin_open(&t, &p.room.course, is_by_query);
    for (size_t round = 0; round < ROUNDS; round++) {
        const float *const step = p.room.w + round * STUMP_WEIGHTS;

        weigh(&t);
        pupil_learn(&p);
        const double best = best_lean(&t), wanted = height(&t, step);
        const double lean =
            fabs(lean_of(&t, (size_t)step[STUMP_FEATURE], step[STUMP_THRESHOLD]));

        if (!(lean >= best * (1.0 - 1e-5)))
            fail_msg("%s, round %zu: leans %g, the best %g", method, round, lean, best);
        if (!(fabs((double)step[STUMP_HEIGHT] - wanted) <= 1e-5))
            fail_msg("%s, round %zu: height %g, wanted %g", method, round,
                     (double)step[STUMP_HEIGHT], wanted);
        twin_apply(&t, step);
    }
    twin_close(&t);
    pupil_close(&p);
}

static void compare_both(const struct peck_dataset *d)
{
    static const char *const pairs[] = { "norm=none", "shrinkage=1", "balance=pairs",
                                         NULL };
    static const char *const queries[] = { "norm=none", "shrinkage=1", "balance=queries",
                                           NULL };

    compare("rankboost", pairs, d, false, boost_weigh, boost_height);
    compare("rankboost", queries, d, true, boost_weigh, boost_height);
    compare("frank", pairs, d, false, frank_weigh, frank_height);
    compare("frank", queries, d, true, frank_weigh, frank_height);
}

static void every_round_takes_the_step_that_pairs_ask_for(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1);

    (void)state;
    for (size_t i = 0; i < d->n_docs; i += 9)
        d->label[i] = PECK_UNJUDGED;
    compare_both(d);
    peck_dataset_free(d);
}

static void equal_values_stay_on_one_side(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 2);

    (void)state;
    for (size_t i = 0; i < d->n_docs * DIM; i++)
        d->x_owned[i] = roundf(2.0f * d->x_owned[i]) / 2.0f;
    compare_both(d);
    peck_dataset_free(d);
}

static void weights_of_documents_and_queries_count(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 3);

    (void)state;
    d->doc_weight = calloc(d->n_docs, sizeof *d->doc_weight);
    d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
    for (size_t i = 0; i < d->n_docs; i++)
        d->doc_weight[i] = (float)(1 + i % 4) / 2;
    for (size_t q = 0; q < d->n_queries; q++)
        d->query_weight[q] = (float)(1 + q % 3);
    compare_both(d);
    peck_dataset_free(d);
}

/* All pairs of the labels, told as preferences, teach what the labels teach. */
static void preferences_teach_what_their_labels_teach(void **state)
{
    static const char *const methods[] = { "rankboost", "frank", "ranksvm" };
    static const char *const settings[] = { "norm=none", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct peck_prefs *const prefs = prefs_of_labels(d, 1);
    double *const a = calloc(d->n_docs, sizeof *a), *const b = calloc(d->n_docs, sizeof *b);
    peck_error err = { 0 };

    (void)state;
    for (size_t k = 0; k < N_OF(methods); k++)
        for (int by_prefs = 0; by_prefs < 2; by_prefs++) {
            peck_model *m = NULL;
            const peck_train_spec spec = { .method = methods[k],
                                           .train = d,
                                           .pairs = by_prefs ? prefs : NULL,
                                           .settings = settings,
                                           .valid_split = -1,
                                           .threads = 1 };

            assert_ok(peck_train(&m, &spec, &err), err);
            assert_ok(peck_model_score(m, d, 1, by_prefs ? b : a, &err), err);
            peck_model_free(m);
            for (size_t i = 0; by_prefs && i < d->n_docs; i++)
                if (!(fabs(a[i] - b[i]) <= 1e-3 * (1.0 + fabs(a[i]))))
                    fail_msg("%s, document %zu: %g by labels, %g by preferences",
                             methods[k], i, a[i], b[i]);
        }
    free(a), free(b);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

/* Candidates stand at equal distances from the least to the largest value; a threshold
 * lies in the gap of the values around one. */
static void candidates_are_the_only_thresholds(void **state)
{
    enum { K = 3 };
    const char *const settings[] = { "norm=none", "candidates=3", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    struct pupil p;

    (void)state;
    pupil_open(&p, "rankboost", settings, d, NULL, 1);
    for (size_t round = 0; round < ROUNDS; round++) {
        const float *const step = p.room.w + round * STUMP_WEIGHTS;

        pupil_learn(&p);
        const size_t f = (size_t)step[STUMP_FEATURE];
        double least = 1e9, most = -1e9, under = -1e9, over = 1e9;
        bool is_allowed = false;

        for (size_t i = 0; i < d->n_docs; i++) {
            const double x = (double)d->x[i * DIM + f];

            least = fmin(least, x);
            most = fmax(most, x);
            if (x > (double)step[STUMP_THRESHOLD])
                over = fmin(over, x);
            else
                under = fmax(under, x);
        }
        for (int k = 1; k <= K; k++) {
            const double candidate = most - k * (most - least) / (K + 1);

            is_allowed |= candidate >= under - 1e-6 && candidate <= over + 1e-6;
        }
        assert_true(is_allowed);
    }
    pupil_close(&p);
    peck_dataset_free(d);
}

static void a_step_that_errs_nowhere_is_finite(void **state)
{
    const uint32_t size[] = { 4, 4 };
    const float label[] = { 1, 1, 0, 0, 1, 0, 0, 1 };
    const char *const settings[] = { "norm=none", "rounds=50", NULL };
    struct peck_dataset *const d = task_of(size, 2, 1, label, 1);
    double score[8];
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < d->n_docs; i++)
        d->x_owned[i] = label[i];
    for (int k = 0; k < 2; k++) {
        peck_model *m = NULL;
        const peck_train_spec spec = { .method = k == 0 ? "rankboost" : "frank",
                                       .train = d,
                                       .settings = settings,
                                       .valid_split = -1 };

        assert_ok(peck_train(&m, &spec, &err), err);
        assert_ok(peck_model_score(m, d, 1, score, &err), err);
        for (size_t i = 0; i < d->n_docs; i++)
            assert_true(isfinite(score[i]) && (score[i] > 0.0) == (label[i] > 0.0f));
        peck_model_free(m);
    }
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_takes_the_step_that_pairs_ask_for),
        cmocka_unit_test(equal_values_stay_on_one_side),
        cmocka_unit_test(weights_of_documents_and_queries_count),
        cmocka_unit_test(preferences_teach_what_their_labels_teach),
        cmocka_unit_test(candidates_are_the_only_thresholds),
        cmocka_unit_test(a_step_that_errs_nowhere_is_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
