/* contract_objective.c -- what every objective promises, the one added tomorrow too: its
 * derivative is that of its loss, under every setting and for every kind of query.
 *
 * Derivatives are checked in double: the same sources, compiled with REAL=double.      */
#include "learn/train_set.h"
#include "support/check.h"
#include "support/samples.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_DOCS = 12, MAX_CONFIG = 256, MAX_VARIANTS = 40, N_QUERIES = 25 };

extern const struct plug *const objectives_double[];

typedef double grad_double(const void *, const struct query_pairs *, const double *,
                           double *);
typedef double newton_double(const void *, const struct query_pairs *, const double *,
                             double *, double *);
typedef double duels_double(const void *, const struct pair *, size_t, const double (*)[2],
                            double (*)[2]);

/* One objective under one setting. */
struct subject {
    const struct objective *objective;
    const struct objective *twin;    /* the same in double, as which its hooks count */
    grad_double *in_double;          /* NULL: it is for families that compare */
    newton_double *newton_in_double; /* NULL: it has no second derivatives */
    duels_double *duels_in_double;   /* NULL: it is for families that score */
    _Alignas(16) char config[MAX_CONFIG];
    char name[96];
};

static void open_subject(struct subject *s, size_t at)
{
    const struct objective *const twin = (const struct objective *)objectives_double[at];

    s->objective = (const struct objective *)objectives[at];
    s->twin = twin;
    s->in_double = (grad_double *)twin->grad;
    s->newton_in_double = (newton_double *)twin->newton;
    s->duels_in_double = (duels_double *)twin->duels;
    assert_true(s->objective->config_size <= MAX_CONFIG);
    if (s->objective->plug.params != NULL)
        param_defaults(s->objective->plug.params, s->config);
    snprintf(s->name, sizeof s->name, "%s", s->objective->plug.about.name);
}

/* Value number i to try for a setting; n = 0 past the last. */
static peck_span value_at(const struct param *row, size_t i)
{
    static const char *const ints[] = { "0", "1", "3" };
    static const char *const floats[] = { "0.5", "2" };
    const char *p = row->allowed;

    if (param_kind(row) == PARAM_INT)
        return i < N_OF(ints) ? span_of(ints[i]) : span_of("");
    if (param_kind(row) == PARAM_FLOAT)
        return i < N_OF(floats) ? span_of(floats[i]) : span_of("");
    for (; i > 0 && *p != '\0'; i--) {
        p += strcspn(p, "|");
        p += *p == '|';
    }
    return (peck_span){ p, strcspn(p, "|") };
}

/* Under closeness the weights of pairs follow the scores, and the derivative takes them for
 * constants: test_objectives looks at that. */
static bool has_own_test(const struct param *row)
{
    return strcmp(row->key, "closeness") == 0;
}

/* All objectives: as they are, and with each setting at each of its values, alone and
 * together with each choice of the first setting. */
static size_t list_subjects(struct subject *out, size_t max)
{
    size_t n = 0;

    for (size_t at = 0; at < n_objectives; at++) {
        open_subject(&out[n++], at);
        const struct param *const rows = objectives[at]->params;

        for (const struct param *row = rows; rows != NULL && row->key != NULL; row++)
            for (size_t i = 0; !has_own_test(row) && value_at(row, i).n > 0; i++)
                for (size_t j = 0; value_at(rows, j).n > 0; j++) {
                    struct subject *const s = &out[n++];

                    assert_true(n < max);
                    open_subject(s, at);
                    assert_int_equal(param_set(rows, s->config, s->name, span_of(rows->key),
                                               value_at(rows, j), NULL),
                                     PECK_OK);
                    assert_int_equal(param_set(rows, s->config, s->name, span_of(row->key),
                                               value_at(row, i), NULL),
                                     PECK_OK);
                    snprintf(s->name, sizeof s->name, "%s %s=%.*s %s=%.*s",
                             objectives[at]->about.name, rows->key,
                             SPAN_ARGS(value_at(rows, j)), row->key,
                             SPAN_ARGS(value_at(row, i)));
                }
    }
    return n;
}

/* Queries ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct train_set_config config;
    bool has_weights, has_prefs;
} kinds[] = {
    { "all pairs", { .pairs = PAIRS_ALL }, false, false },
    { "all pairs, weighed", { .pairs = PAIRS_ALL, .ties = 1 }, true, false },
    { "adjacent", { .pairs = PAIRS_ADJACENT }, true, false },
    { "unit", { .pairs = PAIRS_UNIT, .unlabelled = 1 }, true, false },
    { "sampled", { .pairs = PAIRS_SAMPLED, .sample = 7, .ties = 1 }, true, false },
    { "unlabelled", { .pairs = PAIRS_ALL, .unlabelled = 1 }, false, false },
    { "unlabelled, sampled",
      { .pairs = PAIRS_SAMPLED, .sample = 9, .unlabelled = 1 },
      false,
      false },
    { "two grades", { .pairs = PAIRS_ALL, .binarise = 2.0, .ties = 1 }, false, false },
    { "preferences", { .pairs = PAIRS_ALL }, true, true },
};

struct school {
    struct peck_dataset *data;
    struct peck_prefs *prefs;
    struct train_set *train_set;
};

static struct peck_prefs *random_prefs(const struct peck_dataset *d, struct rng *r)
{
    struct peck_prefs *const p = prefs_new();

    for (size_t q = 0; q < d->n_queries; q++) {
        const uint64_t n = d->start[q + 1] - d->start[q];

        for (size_t t = 0; n > 1 && t < 2 * n; t++) {
            const uint64_t i = rng_below(r, n), j = (i + 1 + rng_below(r, n - 1)) % n;
            const float p_ij = t % 3 == 0 ? 1.0f : (float)rng_uniform(r);

            assert_true(prefs_add(p, (peck_pref){ q, (size_t)(d->start[q] + i),
                                                  (size_t)(d->start[q] + j), p_ij,
                                                  (float)rng_between(r, 0.1, 3.0) }));
        }
    }
    return p;
}

static void open_school(struct school *s, size_t kind, uint64_t seed)
{
    const struct sample sample = { .n_queries = N_QUERIES,
                                   .max_docs = MAX_DOCS,
                                   .dim = 1,
                                   .n_grades = 4,
                                   .unjudged = 0.2,
                                   .has_doc_weights = kinds[kind].has_weights };
    struct rng r;
    peck_error err;

    rng_seed(&r, seed, 1);
    *s = (struct school){ .data = sample_dataset(&sample, seed) };
    if (kinds[kind].has_prefs)
        s->prefs = random_prefs(s->data, &r);
    assert_ok(train_set_new(&s->train_set, s->data, s->prefs, &kinds[kind].config, &err),
              err);
}

static void close_school(struct school *s)
{
    train_set_free(s->train_set);
    peck_prefs_free(s->prefs);
    peck_dataset_free(s->data);
}

/* In no order, no two nearer than 0.3, and no difference near a margin of 0.5, 1 or 2:
 * where a small step changes neither a rank nor a side of the hinge. */
static void draw_scores(struct rng *r, uint32_t n, double *s)
{
    uint32_t place[MAX_DOCS];

    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    rng_shuffle(r, place, n);
    for (uint32_t i = 0; i < n; i++)
        s[i] = 0.37 * place[i] + rng_between(r, -0.02, 0.02) - 1.5;
}

/* What is to be seen of one subject and one query. */
typedef void query_check(const struct subject *subject, const struct query_pairs *q,
                         struct rng *r, const char *where);

static void over_everything(query_check *check)
{
    static struct subject subject[MAX_VARIANTS * 8];
    const size_t n = list_subjects(subject, N_OF(subject));
    struct rng r;

    rng_seed(&r, 17, 4);
    for (size_t kind = 0; kind < N_OF(kinds); kind++) {
        struct school s;

        open_school(&s, kind, 100 + kind);
        assert_true(s.train_set->n_teaching > N_QUERIES / 2);
        for (size_t i = 0; i < n; i++) {
            struct query_scratch scratch;
            peck_error err;

            assert_ok(query_scratch_init(&scratch, s.train_set, subject[i].twin, &err),
                      err);
            for (size_t q = 0; subject[i].in_double != NULL && q < N_QUERIES; q++) {
                const struct query_pairs query =
                    train_set_query(s.train_set, q, 5, i, &scratch);
                char where[200];

                snprintf(where, sizeof where, "%s, %s, query %zu", subject[i].name,
                         kinds[kind].name, q);
                check(&subject[i], &query, &r, where);
            }
            query_scratch_free(&scratch);
        }
        close_school(&s);
    }
}

/* The checks ---------------------------------------------------------------------- */

static void check_derivative(const struct subject *subject, const struct query_pairs *q,
                             struct rng *r, const char *where)
{
    const double step = 1e-5;
    double s[MAX_DOCS], g[MAX_DOCS] = { 0 }, unused[MAX_DOCS];

    draw_scores(r, q->n, s);
    subject->in_double(subject->config, q, s, g);
    for (uint32_t i = 0; i < q->n; i++) {
        const double here = s[i];

        s[i] = here + step;
        memset(unused, 0, sizeof unused);
        const double up = subject->in_double(subject->config, q, s, unused);

        s[i] = here - step;
        memset(unused, 0, sizeof unused);
        const double down = subject->in_double(subject->config, q, s, unused);

        s[i] = here;
        const double slope = (up - down) / (2.0 * step);

        if (fabs(slope - g[i]) > 1e-6 * fmax(1.0, fabs(slope)))
            fail_msg("%s: document %u: %.10g, by differences %.10g", where, i, g[i], slope);
    }
}

static void derivatives_are_those_of_the_loss(void **state)
{
    (void)state;
    over_everything(check_derivative);
}

/* The derivative of the derivative, and the same loss and slope as without it. */
static void check_newton(const struct subject *subject, const struct query_pairs *q,
                         struct rng *r, const char *where)
{
    const double step = 1e-5;
    double s[MAX_DOCS], g[MAX_DOCS] = { 0 }, h[MAX_DOCS] = { 0 }, same[MAX_DOCS] = { 0 };

    draw_scores(r, q->n, s);
    if (subject->newton_in_double == NULL)
        return;
    const double loss = subject->newton_in_double(subject->config, q, s, g, h);

    assert_true(loss == subject->in_double(subject->config, q, s, same));
    assert_memory_equal(g, same, sizeof g);
    for (uint32_t i = 0; i < q->n; i++) {
        const double here = s[i];
        double up[MAX_DOCS] = { 0 }, down[MAX_DOCS] = { 0 };

        s[i] = here + step;
        subject->in_double(subject->config, q, s, up);
        s[i] = here - step;
        subject->in_double(subject->config, q, s, down);
        s[i] = here;
        const double bend = (up[i] - down[i]) / (2.0 * step);

        if (!(h[i] >= 0.0) || fabs(bend - h[i]) > 1e-6 * fmax(1.0, fabs(bend)))
            fail_msg("%s: document %u: %.10g, by differences %.10g", where, i, h[i], bend);
    }
}

static void second_derivatives_are_those_of_the_first(void **state)
{
    (void)state;
    over_everything(check_newton);
}

static void check_float(const struct subject *subject, const struct query_pairs *q,
                        struct rng *r, const char *where)
{
    double s[MAX_DOCS], g[MAX_DOCS] = { 0 }, largest = 0.0;
    float narrow[MAX_DOCS], h[MAX_DOCS] = { 0 };

    draw_scores(r, q->n, s);
    for (uint32_t i = 0; i < q->n; i++)
        s[i] = narrow[i] = (float)s[i];
    const double a = subject->in_double(subject->config, q, s, g);
    const double b = subject->objective->grad(subject->config, q, narrow, h);

    for (uint32_t i = 0; i < q->n; i++)
        largest = fmax(largest, fabs(g[i]));
    if (fabs(a - b) > 1e-6 * (1.0 + fabs(a)))
        fail_msg("%s: loss %.9g in float, %.9g in double", where, b, a);
    for (uint32_t i = 0; i < q->n; i++)
        if (fabs(g[i] - (double)h[i]) > 1e-6 * (1.0 + largest))
            fail_msg("%s: document %u: %.9g in float, %.9g in double", where, i,
                     (double)h[i], g[i]);
}

static void float_agrees_with_double(void **state)
{
    (void)state;
    over_everything(check_float);
}

/* An order does not change when all scores rise alike, nor does a loss. */
static void check_shift(const struct subject *subject, const struct query_pairs *q,
                        struct rng *r, const char *where)
{
    double s[MAX_DOCS], g[MAX_DOCS] = { 0 }, sum = 0.0, unused[MAX_DOCS] = { 0 };

    draw_scores(r, q->n, s);
    const double loss = subject->in_double(subject->config, q, s, g);

    if (!(loss >= -1e-12))
        fail_msg("%s: loss %g is below 0", where, loss);
    for (uint32_t i = 0; i < q->n; i++) {
        sum += g[i];
        s[i] += 2.5;
    }
    const double shifted = subject->in_double(subject->config, q, s, unused);

    if (fabs(sum) > 1e-9 || fabs(shifted - loss) > 1e-9)
        fail_msg("%s: derivatives add up to %g; loss %g, shifted %g", where, sum, loss,
                 shifted);
}

static void only_differences_of_scores_count(void **state)
{
    (void)state;
    over_everything(check_shift);
}

static void check_outsiders(const struct subject *subject, const struct query_pairs *q,
                            struct rng *r, const char *where)
{
    double s[MAX_DOCS], g[MAX_DOCS] = { 0 }, again[MAX_DOCS] = { 0 };

    draw_scores(r, q->n, s);
    const double loss = subject->in_double(subject->config, q, s, g);

    for (uint32_t i = q->n_ranked; i < q->n; i++) {
        if (g[i] != 0.0)
            fail_msg("%s: unjudged document %u has derivative %g", where, i, g[i]);
        s[i] += 100.0;
    }
    if (!same_double(subject->in_double(subject->config, q, s, again), loss))
        fail_msg("%s: scores of unjudged documents change the loss", where);
}

static void unjudged_documents_stay_out(void **state)
{
    (void)state;
    over_everything(check_outsiders);
}

static void check_large(const struct subject *subject, const struct query_pairs *q,
                        struct rng *r, const char *where)
{
    float s[MAX_DOCS], g[MAX_DOCS] = { 0 };

    for (uint32_t i = 0; i < q->n; i++)
        s[i] = (float)rng_between(r, -1e4, 1e4);
    const double loss = subject->objective->grad(subject->config, q, s, g);

    if (!isfinite(loss))
        fail_msg("%s: loss %g", where, loss);
    for (uint32_t i = 0; i < q->n; i++)
        if (!isfinite(g[i]))
            fail_msg("%s: document %u: %g", where, i, (double)g[i]);
}

static void large_scores_give_finite_results(void **state)
{
    (void)state;
    over_everything(check_large);
}

/* Queries that say nothing about an order. */
static void nothing_to_learn_is_no_loss(void **state)
{
    static struct subject subject[MAX_VARIANTS * 8];
    const size_t n = list_subjects(subject, N_OF(subject));
    static const float x[11], label[] = {
        3, 2, 2, 2, 0, 0, PECK_UNJUDGED, PECK_UNJUDGED, 1, PECK_UNJUDGED, PECK_UNJUDGED
    };
    static const uint32_t sizes[] = { 1, 3, 2, 2, 3 };
    const struct train_set_config config = { .pairs = PAIRS_ALL };
    peck_dataset *d;
    struct train_set *l;
    peck_error err;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 11, 1, label, sizes, N_OF(sizes), &err), err);
    assert_ok(train_set_new(&l, d, NULL, &config, &err), err);
    assert_int_equal(l->n_teaching, 0);
    for (size_t i = 0; i < n; i++) {
        struct query_scratch scratch;

        assert_ok(query_scratch_init(&scratch, l, subject[i].objective, &err), err);
        for (size_t q = 0; subject[i].in_double != NULL && q < N_OF(sizes); q++) {
            const struct query_pairs query = train_set_query(l, q, 1, 1, &scratch);
            const float s[] = { 0.5f, -2.0f, 1.0f };
            float g[3] = { 0 };

            if (subject[i].objective->grad(subject[i].config, &query, s, g) != 0.0 ||
                g[0] != 0.0f || g[1] != 0.0f || g[2] != 0.0f)
                fail_msg("%s: query %zu", subject[i].name, q);
        }
        query_scratch_free(&scratch);
    }
    train_set_free(l);
    peck_dataset_free(d);
}

/* scratch: n_bytes that it asked for, and GUARD more that are not its own. */
enum { GUARD = 256 };

static void guard_scratch(unsigned char *scratch, size_t n_bytes)
{
    memset(scratch + n_bytes, 0xa5, GUARD);
}

static void check_guard(const unsigned char *scratch, size_t n_bytes, const char *where)
{
    for (size_t i = 0; i < GUARD; i++)
        if (scratch[n_bytes + i] != 0xa5)
            fail_msg("%s: writes %zu bytes past the %zu of scratch that it asked for",
                     where, i + 1, n_bytes);
}

static void check_scratch(const struct subject *subject, const struct query_pairs *q,
                          struct rng *r, const char *where)
{
    const struct objective *const o = subject->objective;
    const size_t narrow = o->scratch != NULL ? o->scratch(q->n) : 0;
    const size_t wide = o->scratch != NULL ? subject->twin->scratch(q->n) : 0;
    unsigned char *const scratch = malloc(wide + GUARD);
    struct query_pairs own = *q;
    double s[MAX_DOCS], g[MAX_DOCS] = { 0 }, h[MAX_DOCS] = { 0 };
    float sf[MAX_DOCS], gf[MAX_DOCS] = { 0 }, hf[MAX_DOCS] = { 0 };

    assert_non_null(scratch);
    assert_true(narrow <= wide);
    own.scratch = scratch;
    draw_scores(r, q->n, s);
    for (uint32_t i = 0; i < q->n; i++)
        sf[i] = (float)s[i];
    guard_scratch(scratch, narrow);
    o->grad(subject->config, &own, sf, gf);
    if (o->newton != NULL)
        o->newton(subject->config, &own, sf, gf, hf);
    check_guard(scratch, narrow, where);
    guard_scratch(scratch, wide);
    subject->in_double(subject->config, &own, s, g);
    if (subject->newton_in_double != NULL)
        subject->newton_in_double(subject->config, &own, s, g, h);
    check_guard(scratch, wide, where);
    free(scratch);
}

static void scratch_is_as_large_as_it_says(void **state)
{
    (void)state;
    over_everything(check_scratch);
}

/* Duels ------------------------------------------------------------------------------ */

enum { N_DUELS = 40 };

/* Some pairs, and what a comparator may say of them. */
struct bout {
    struct pair pair[N_DUELS];
    double out[N_DUELS][2];
};

static void draw_bout(struct bout *b, struct rng *r)
{
    for (size_t k = 0; k < N_DUELS; k++) {
        const float p = k % 3 == 0 ? 1.0f : k % 3 == 1 ? 0.5f : (float)rng_uniform(r);

        b->pair[k] = (struct pair){ 0, 1, p, (float)rng_between(r, 0.1, 3.0) };
        for (int side = 0; side < 2; side++)
            b->out[k][side] = (double)(float)rng_between(r, 0.02, 0.98);
    }
}

typedef void duel_check(const struct subject *subject, struct bout *b);

static void over_all_duels(duel_check *check)
{
    static struct subject subject[MAX_VARIANTS * 8];
    const size_t n = list_subjects(subject, N_OF(subject));
    size_t n_seen = 0;
    struct rng r;

    rng_seed(&r, 18, 5);
    for (size_t i = 0; i < n; i++)
        for (int t = 0; subject[i].duels_in_double != NULL && t < 5; t++) {
            struct bout b;

            draw_bout(&b, &r);
            check(&subject[i], &b);
            n_seen++;
        }
    assert_true(n_seen > 0);
}

static void check_duel_derivative(const struct subject *s, struct bout *b)
{
    const double step = 1e-6;
    double d[N_DUELS][2], unused[N_DUELS][2];

    s->duels_in_double(s->config, b->pair, N_DUELS, b->out, d);
    for (size_t k = 0; k < N_DUELS; k++)
        for (int side = 0; side < 2; side++) {
            const double here = b->out[k][side];

            b->out[k][side] = here + step;
            const double up =
                s->duels_in_double(s->config, b->pair, N_DUELS, b->out, unused);

            b->out[k][side] = here - step;
            const double down =
                s->duels_in_double(s->config, b->pair, N_DUELS, b->out, unused);

            b->out[k][side] = here;
            const double slope = (up - down) / (2.0 * step);

            if (fabs(slope - d[k][side]) > 1e-5 * fmax(1.0, fabs(slope)))
                fail_msg("%s: duel %zu: %.10g, by differences %.10g", s->name, k,
                         d[k][side], slope);
        }
}

static void derivatives_of_duels_are_those_of_the_loss(void **state)
{
    (void)state;
    over_all_duels(check_duel_derivative);
}

static void check_duel_float(const struct subject *s, struct bout *b)
{
    float narrow[N_DUELS][2], d[N_DUELS][2];
    double wide[N_DUELS][2];

    for (size_t k = 0; k < N_DUELS; k++)
        for (int side = 0; side < 2; side++)
            narrow[k][side] = (float)b->out[k][side];
    const double x = s->duels_in_double(s->config, b->pair, N_DUELS, b->out, wide);
    const double y = s->objective->duels(s->config, b->pair, N_DUELS, narrow, d);

    if (fabs(x - y) > 1e-6 * (1.0 + fabs(x)))
        fail_msg("%s: loss %.9g in float, %.9g in double", s->name, y, x);
    for (size_t k = 0; k < N_DUELS; k++)
        for (int side = 0; side < 2; side++)
            if (fabs((double)d[k][side] - wide[k][side]) >
                1e-5 * (1.0 + fabs(wide[k][side])))
                fail_msg("%s: duel %zu: %.9g in float, %.9g in double", s->name, k,
                         (double)d[k][side], wide[k][side]);
}

static void duels_in_float_agree_with_double(void **state)
{
    (void)state;
    over_all_duels(check_duel_float);
}

/* Who is named first does not matter; outputs at their targets cost the least. */
static void check_duel_sides(const struct subject *s, struct bout *b)
{
    for (size_t k = 0; k < N_DUELS; k++) {
        const double p = (double)b->pair[k].probability;
        const double turned[1][2] = { { b->out[k][1], b->out[k][0] } };
        const double best[1][2] = { { p, 1.0 - p } };
        const struct pair other = { 1, 0, (float)(1.0 - p), b->pair[k].weight };
        double d[1][2], e[1][2], unused[1][2];
        const double x = s->duels_in_double(s->config, &b->pair[k], 1, &b->out[k], d);
        const double y = s->duels_in_double(s->config, &other, 1, turned, e);

        if (fabs(x - y) > 1e-6 || fabs(d[0][0] - e[0][1]) > 1e-4 ||
            fabs(d[0][1] - e[0][0]) > 1e-4)
            fail_msg("%s: duel %zu: %g, the other way round %g", s->name, k, x, y);
        if (!(s->duels_in_double(s->config, &b->pair[k], 1, best, unused) <= x + 1e-12))
            fail_msg("%s: duel %zu costs less than its targets", s->name, k);
    }
}

static void a_duel_has_no_first_side(void **state)
{
    (void)state;
    over_all_duels(check_duel_sides);
}

static void check_duel_corners(const struct subject *s, struct bout *b)
{
    float out[N_DUELS][2], d[N_DUELS][2];

    for (size_t k = 0; k < N_DUELS; k++) {
        out[k][0] = (float)(k % 2);
        out[k][1] = (float)(k / 2 % 2);
    }
    assert_true(isfinite(s->objective->duels(s->config, b->pair, N_DUELS, out, d)));
    for (size_t k = 0; k < N_DUELS; k++)
        assert_true(isfinite(d[k][0]) && isfinite(d[k][1]));
}

static void sure_duels_give_finite_results(void **state)
{
    (void)state;
    over_all_duels(check_duel_corners);
}

static void every_objective_is_for_scores_or_for_duels(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_objectives; i++) {
        const struct objective *const o = (const struct objective *)objectives[i];

        assert_true((o->grad != NULL) != (o->duels != NULL));
        assert_true(o->is_pairwise || o->duels == NULL);
        assert_int_equal(o->is_hinge, strstr(objectives[i]->about.name, "hinge") != NULL);
    }
}

static void every_objective_says_what_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_objectives; i++) {
        assert_string_equal(objectives[i]->about.name, objectives_double[i]->about.name);
        assert_true(strlen(objectives[i]->about.title) > 10);
        assert_true(strlen(objectives[i]->about.doc) > 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch_is_as_large_as_it_says), /* before one that tramples */
        cmocka_unit_test(derivatives_are_those_of_the_loss),
        cmocka_unit_test(second_derivatives_are_those_of_the_first),
        cmocka_unit_test(float_agrees_with_double),
        cmocka_unit_test(only_differences_of_scores_count),
        cmocka_unit_test(unjudged_documents_stay_out),
        cmocka_unit_test(large_scores_give_finite_results),
        cmocka_unit_test(nothing_to_learn_is_no_loss),
        cmocka_unit_test(derivatives_of_duels_are_those_of_the_loss),
        cmocka_unit_test(duels_in_float_agree_with_double),
        cmocka_unit_test(a_duel_has_no_first_side),
        cmocka_unit_test(sure_duels_give_finite_results),
        cmocka_unit_test(every_objective_is_for_scores_or_for_duels),
        cmocka_unit_test(every_objective_says_what_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
