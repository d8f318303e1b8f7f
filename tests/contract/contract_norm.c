/* contract_norm.c -- every normaliser equals a slow, obvious twin written from its
 * definition, keeps order and stays finite on any data.                              */
#include "support/check.h"

#include "base/rng.h"
#include "norm/norm.h"

#include <math.h>

enum { MAX_ROWS = 4000 };

static struct pool *pool;

static int set_up(void **state)
{
    peck_error err = { 0 };

    (void)state;
    return pool_new(&pool, 2, &err) == PECK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(pool);
    return 0;
}

/* Columns of many kinds ------------------------------------------------------------ */

typedef float draw(struct rng *r);

static float draw_uniform(struct rng *r)
{
    return (float)rng_uniform(r);
}

static float draw_normal(struct rng *r)
{
    return (float)rng_normal(r);
}

static float draw_counts(struct rng *r)
{
    const double u = rng_uniform(r);

    return (float)floor(exp(18 * u * u) - 1);
}

static float draw_mostly_0(struct rng *r)
{
    return rng_uniform(r) < 0.8 ? 0.0f : (float)rng_normal(r);
}

static float draw_mostly_top(struct rng *r)
{
    return rng_uniform(r) < 0.6 ? 1.0f : (float)rng_uniform(r);
}

static float draw_grades(struct rng *r)
{
    return (float)rng_below(r, 5);
}

static float draw_constant(struct rng *r)
{
    (void)r;
    return 0.1f;
}

static float draw_huge(struct rng *r)
{
    return 1e8f + (float)(8 * rng_below(r, 100));
}

static float draw_all_floats(struct rng *r)
{
    return (float)(rng_normal(r) * pow(10, rng_between(r, -44, 37)));
}

static float draw_tiny(struct rng *r)
{
    return (float)rng_below(r, 50) * 1e-45f;
}

static float draw_signed_0(struct rng *r)
{
    return rng_below(r, 2) == 0 ? 0.0f : -0.0f;
}

static const struct {
    const char *name;
    draw *value;
} kinds[] = {
    { "uniform", draw_uniform },       { "normal", draw_normal },
    { "counts", draw_counts },         { "mostly 0", draw_mostly_0 },
    { "mostly top", draw_mostly_top }, { "grades", draw_grades },
    { "constant", draw_constant },     { "huge", draw_huge },
    { "all floats", draw_all_floats }, { "tiny", draw_tiny },
    { "signed 0", draw_signed_0 },
};

/* Twins ---------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Of all rows or of the query, as the kind wants. */
struct column {
    const float *x;
    size_t n;
};

static double mean_of(struct column c)
{
    double sum = 0;

    for (size_t i = 0; i < c.n; i++)
        sum += c.x[i];
    return sum / (double)c.n;
}

static bool is_constant(struct column c)
{
    for (size_t i = 1; i < c.n; i++)
        if (c.x[i] != c.x[0])
            return false;
    return true;
}

static double z_in(struct column c, float x)
{
    const double mean = mean_of(c);
    double squares = 0;

    for (size_t i = 0; i < c.n; i++)
        squares += (c.x[i] - mean) * (c.x[i] - mean);
    return is_constant(c) ? 0 : (x - mean) / sqrt(squares / (double)c.n);
}

static double twin_none(struct column all, struct column query, float x)
{
    (void)all;
    (void)query;
    return x;
}

static double twin_zscore(struct column all, struct column query, float x)
{
    (void)query;
    return z_in(all, x);
}

static double twin_minmax(struct column all, struct column query, float x)
{
    double low = INFINITY, high = -INFINITY;

    (void)query;
    for (size_t i = 0; i < all.n; i++) {
        low = fmin(low, all.x[i]);
        high = fmax(high, all.x[i]);
    }
    return low < high ? (x - low) / (high - low) : 0;
}

static double twin_log(struct column all, struct column query, float x)
{
    (void)all;
    (void)query;
    return copysign(log1p(fabs((double)x)), x);
}

static double twin_query(struct column all, struct column query, float x)
{
    double largest = 0;

    (void)all;
    for (size_t i = 0; i < query.n; i++)
        largest = fmax(largest, fabs((double)query.x[i]));
    return largest > 0 ? (x - mean_of(query)) / largest : 0;
}

static double twin_query_zscore(struct column all, struct column query, float x)
{
    (void)all;
    return z_in(query, x);
}

/* Phi^-1 by halving. */
static double normal_quantile(double p)
{
    double low = -8, high = 8;

    for (int i = 0; i < 60; i++) {
        const double mid = (low + high) / 2;

        *(0.5 * erfc(-mid / sqrt(2)) < p ? &low : &high) = mid;
    }
    return low;
}

static double z_of(double p)
{
    return normal_quantile(fmin(fmax(p, 1e-7), 1 - 1e-7)) / 3;
}

/* Interpolation from below and from above, as for a share of the data: they differ on
 * repeated quantiles alone, where the middle counts. */
static double twin_quantile(struct column all, struct column query, float x)
{
    static float sorted[MAX_ROWS], q[1000];
    size_t a = 0, b = 999;

    (void)query;
    memcpy(sorted, all.x, all.n * sizeof *sorted);
    qsort(sorted, all.n, sizeof *sorted, by_value);
    for (size_t i = 0; i < 1000; i++) {
        const double where = (double)(i * (all.n - 1)) / 999;
        const size_t at = (size_t)where, next = at + 1 < all.n ? at + 1 : at;

        q[i] = (float)(sorted[at] +
                       (where - (double)at) * ((double)sorted[next] - sorted[at]));
    }
    x = fminf(fmaxf(x, q[0]), q[999]);
    while (q[a] < x)
        a++; /* the first that is not below */
    while (q[b] > x)
        b--; /* the last that is not above */
    if (a <= b)
        return z_of((double)(a + b) / 2 / 999);
    return z_of((double)b / 999) + ((double)x - q[b]) / ((double)q[a] - q[b]) *
                                       (z_of((double)a / 999) - z_of((double)b / 999));
}

static const struct {
    const char *name;
    double (*twin)(struct column all, struct column query, float x);
} twins[] = {
    { "none", twin_none },         { "zscore", twin_zscore },
    { "minmax", twin_minmax },     { "log", twin_log },
    { "query", twin_query },       { "query-zscore", twin_query_zscore },
    { "quantile", twin_quantile },
};

/* ---------------------------------------------------------------------------------- */

static struct norm *fitted(const char *spec, struct column c)
{
    struct norm *n;
    peck_error err = { 0 };

    assert_ok(
        norm_fit(&n, spec, &(struct norm_data){ .all = { c.x, c.n, 1, 1 } }, pool, &err),
        err);
    return n;
}

/* What rounding the state to floats can do: the mean is off by half a unit, which counts
 * for as much as the spread is small. */
static double slack(const char *norm, struct column all, double want)
{
    double largest = 0, spread = 0;

    for (size_t i = 0; i < all.n; i++) {
        largest = fmax(largest, fabs((double)all.x[i]));
        spread = fmax(spread, fabs((double)all.x[i] - all.x[0]));
    }
    if (strcmp(norm, "zscore") == 0 && spread > 0)
        return (1 + fabs(want)) * (1e-6 + 1e-6 * largest / spread + 2e-44 / spread);
    return 2e-6 * fmax(1e-30, fabs(want)) + (strcmp(norm, "none") != 0 ? 2e-6 : 0);
}

static void check_norm(size_t t, size_t k, size_t n_rows, size_t n_list, uint64_t seed)
{
    static float x[MAX_ROWS], list[MAX_ROWS], z[MAX_ROWS];
    const struct column all = { x, n_rows }, query = { list, n_list };
    struct rng r;

    rng_seed(&r, seed, k);
    for (size_t i = 0; i < n_rows; i++)
        x[i] = kinds[k].value(&r);
    for (size_t i = 0; i < n_list; i++) /* half of them not seen before */
        list[i] = i % 2 == 0 ? x[rng_below(&r, n_rows)] : kinds[k].value(&r);
    struct norm *const n = fitted(twins[t].name, all);

    norm_apply(n, (struct rows){ list, n_list, 1, 1 }, z);
    for (size_t i = 0; i < n_list; i++) {
        const double want = fmin(fmax(twins[t].twin(all, query, list[i]), -1e6), 1e6);

        if (!isfinite(z[i]))
            fail_msg("%s of %s: %g gives %g", twins[t].name, kinds[k].name, list[i], z[i]);
        if (strcmp(twins[t].name, "none") != 0 &&
            fabs(z[i] - want) > slack(twins[t].name, all, want))
            fail_msg("%s of %s, %zu rows: %.9g gives %.9g, not %.9g", twins[t].name,
                     kinds[k].name, n_rows, list[i], z[i], want);
        if (strcmp(twins[t].name, "none") == 0)
            assert_true(same_float(z[i], list[i]));
    }
    norm_free(n);
}

static void every_normaliser_equals_its_twin(void **state)
{
    static const size_t rows[] = { 1, 2, 3, 10, 999, 1000, 1001, MAX_ROWS };
    static const size_t lists[] = { 1, 2, 7, 40 };
    size_t n_views = 0;

    (void)state;
    for (size_t t = 0; t < n_norms; t++) /* a view over views has no twin of one column */
        n_views += ((const struct norm_kind *)norms[t])->over == NULL;
    assert_int_equal(n_views, N_OF(twins));
    for (size_t t = 0; t < N_OF(twins); t++) {
        assert_string_equal(norms[t]->about.name, twins[t].name);
        for (size_t k = 0; k < N_OF(kinds); k++)
            for (size_t i = 0; i < N_OF(rows); i++)
                for (size_t j = 0; j < N_OF(lists); j++)
                    check_norm(t, k, rows[i], lists[j], i * 10 + j);
    }
}

static void constant_columns_become_0(void **state)
{
    static const float values[] = { 0.0f, 0.1f, -7.0f, 1e8f, 3e38f, -3e38f, 1e-45f };
    static const char *const names[] = { "zscore", "minmax", "query", "query-zscore",
                                         "quantile" };
    float x[1000], z[1000];

    (void)state;
    for (size_t v = 0; v < N_OF(values); v++)
        for (size_t s = 0; s < N_OF(names); s++) {
            for (size_t i = 0; i < N_OF(x); i++)
                x[i] = values[v];
            struct norm *const n = fitted(names[s], (struct column){ x, N_OF(x) });

            norm_apply(n, (struct rows){ x, N_OF(x), 1, 1 }, z);
            for (size_t i = 0; i < N_OF(z); i++)
                assert_true(z[i] == 0.0f);
            x[0] = 12.0f; /* a value that training never saw */
            norm_apply(n, (struct rows){ x, 1, 1, 1 }, z);
            assert_true(z[0] == 0.0f);
            norm_free(n);
        }
}

static void a_query_of_one_document_becomes_0(void **state)
{
    static const float values[] = { 0.0f, -7.3f, 3e38f, 1e-45f };
    static const char *const names[] = { "query", "query-zscore" };

    (void)state;
    for (size_t s = 0; s < N_OF(names); s++) {
        struct norm *const n = fitted(names[s], (struct column){ values, N_OF(values) });

        for (size_t v = 0; v < N_OF(values); v++) {
            float z = NAN;

            norm_apply(n, (struct rows){ &values[v], 1, 1, 1 }, &z);
            assert_true(z == 0.0f);
        }
        norm_free(n);
    }
}

/* Ranks survive: a larger value never gets a smaller number, inside or outside the range
 * of the training data. */
static void order_is_kept(void **state)
{
    static float x[MAX_ROWS], more[MAX_ROWS], z[MAX_ROWS];
    struct rng r;

    (void)state;
    for (size_t k = 0; k < N_OF(kinds); k++) {
        rng_seed(&r, 9, k);
        for (size_t i = 0; i < MAX_ROWS; i++) {
            x[i] = kinds[k].value(&r);
            more[i] = i % 2 == 0 ? x[i] : 2 * kinds[k].value(&r) - x[i];
            more[i] = i % 7 == 0 ? nextafterf(x[i], INFINITY) : more[i];
            more[i] = i % 7 == 1 ? nextafterf(x[i], -INFINITY) : more[i];
        }
        qsort(more, MAX_ROWS, sizeof *more, by_value);
        for (size_t t = 0; t < N_OF(twins); t++) {
            struct norm *const n = fitted(twins[t].name, (struct column){ x, MAX_ROWS });

            norm_apply(n, (struct rows){ more, MAX_ROWS, 1, 1 }, z);
            for (size_t i = 1; i < MAX_ROWS; i++)
                if (!(z[i] >= z[i - 1]))
                    fail_msg("%s of %s: %.9g gives %.9g, but %.9g gives %.9g",
                             twins[t].name, kinds[k].name, more[i - 1], z[i - 1], more[i],
                             z[i]);
            norm_free(n);
        }
    }
}

/* Whole numbers, and many more values close behind 500: with 1,000 rows each row is a
 * quantile. */
static void crowded_quantiles_are_told_apart(void **state)
{
    enum { N = 1000 };
    float x[N], between[N], z[N];

    (void)state;
    for (size_t crowd = 0; crowd <= 400; crowd += crowd < 40 ? 1 : 37) {
        for (size_t i = 0; i < N; i++) {
            const size_t in_crowd = i <= 500 ? 0 : i - 500 < crowd ? i - 500 : crowd;

            x[i] = (float)(i - in_crowd) + 1e-3f * (float)(i - 500 <= crowd ? in_crowd : 0);
        }
        const struct column all = { x, N };
        struct norm *const n = fitted("quantile", all);

        for (size_t i = 0; i < N; i++)
            between[i] = i + 1 < N ? 0.3f * x[i] + 0.7f * x[i + 1] : x[i];
        norm_apply(n, (struct rows){ between, N, 1, 1 }, z);
        for (size_t i = 490; i < 512 + crowd && i < N; i++)
            assert_true(fabs(z[i] - twin_quantile(all, all, between[i])) < 1e-6);
        norm_free(n);
    }
}

static void values_between_the_largest_floats_are_told_apart(void **state)
{
    static const float between[] = {
        -3.4e38f, -2e38f, -1e38f, 0.0f, 1e38f, 2e38f, 3.4e38f
    };
    float x[1000], z[N_OF(between)];

    (void)state;
    for (size_t i = 0; i < N_OF(x); i++)
        x[i] = i % 2 == 0 ? -3.4e38f : 3.4e38f;
    struct norm *const n = fitted("quantile", (struct column){ x, N_OF(x) });

    norm_apply(n, (struct rows){ between, N_OF(between), 1, 1 }, z);
    for (size_t i = 1; i < N_OF(between); i++)
        assert_true(z[i] > z[i - 1]);
    assert_true(fabsf(z[3]) < 1e-3f);
    norm_free(n);
}

static void quantiles_make_a_normal_of_a_third(void **state)
{
    static float x[MAX_ROWS], z[MAX_ROWS];
    struct rng r;
    double sum = 0, squares = 0;

    (void)state;
    rng_seed(&r, 10, 0);
    for (size_t i = 0; i < MAX_ROWS; i++)
        x[i] = draw_counts(&r) + (float)rng_uniform(&r);
    struct norm *const n = fitted("quantile", (struct column){ x, MAX_ROWS });

    norm_apply(n, (struct rows){ x, MAX_ROWS, 1, 1 }, z);
    for (size_t i = 0; i < MAX_ROWS; i++) {
        sum += z[i];
        squares += (double)z[i] * z[i];
        assert_true(fabsf(z[i]) <= 5.2f / 3);
    }
    assert_true(fabs(sum / MAX_ROWS) < 0.01);
    assert_true(fabs(sqrt(squares / MAX_ROWS) - 1.0 / 3) < 0.01);
    norm_free(n);
}

/* As if the rows without a value were not there; those stay without. */
static void what_is_missing_disturbs_nobody(void **state)
{
    enum { N = 37 };
    float x[N], known[N], z[N], alone[N];
    struct rng r;

    (void)state;
    rng_seed(&r, 11, 0);
    for (size_t k = 0; k < n_norms; k++) {
        const struct norm_kind *const kind = (const struct norm_kind *)norms[k];
        size_t n_known = 0;

        assert_int_equal(norm_keeps_missing(norms[k]->about.name), kind->keeps_missing);
        if (!kind->keeps_missing)
            continue;
        for (size_t i = 0; i < N; i++) {
            x[i] = rng_uniform(&r) < 0.4 ? NAN : draw_counts(&r);
            if (!isnan(x[i]))
                known[n_known++] = x[i];
        }
        struct norm *const n =
            fitted(norms[k]->about.name, (struct column){ known, n_known });

        norm_apply(n, (struct rows){ x, N, 1, 1 }, z);
        norm_apply(n, (struct rows){ known, n_known, 1, 1 }, alone);
        for (size_t i = 0, at = 0; i < N; i++)
            assert_true(isnan(x[i]) ? isnan(z[i]) : z[i] == alone[at++]);
        for (size_t i = 0; i < N; i++)
            x[i] = NAN;
        norm_apply(n, (struct rows){ x, N, 1, 1 }, z);
        for (size_t i = 0; i < N; i++)
            assert_true(isnan(z[i]));
        norm_free(n);
    }
    assert_true(norm_keeps_missing("none+query+query-zscore"));
    assert_false(norm_keeps_missing("none+quantile") || norm_keeps_missing("") ||
                 norm_keeps_missing("none+"));
}

static void every_normaliser_is_on_offer(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_norms; i++) {
        const peck_plug *const p = peck_plug_at(PECK_NORM, i);

        assert_non_null(p);
        assert_string_equal(p->name, norms[i]->about.name);
        assert_true(strlen(p->title) > 10 && strlen(p->doc) > 20);
    }
    assert_null(peck_plug_at(PECK_NORM, n_norms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_normaliser_equals_its_twin),
        cmocka_unit_test(constant_columns_become_0),
        cmocka_unit_test(a_query_of_one_document_becomes_0),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(crowded_quantiles_are_told_apart),
        cmocka_unit_test(values_between_the_largest_floats_are_told_apart),
        cmocka_unit_test(quantiles_make_a_normal_of_a_third),
        cmocka_unit_test(what_is_missing_disturbs_nobody),
        cmocka_unit_test(every_normaliser_is_on_offer),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
