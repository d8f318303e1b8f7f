/* test_norm.c -- views by name, side by side, fitted on any number of threads, through a
 * file and back; what a file may not hold.                                           */
#include "support/check.h"
#include "support/scratch.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "norm/norm.h"

#include <math.h>

enum { ROWS = 3000, DIM = 7, LIST = 25 };

static const char *const specs[] = {
    "none",
    "zscore",
    "minmax",
    "log",
    "query",
    "query-zscore",
    "quantile",
    "quantile+query-zscore",
    "none+zscore+minmax+log+query+query-zscore+quantile",
    "quantile+rff:dim=30,gamma=0.1",
    "query-zscore+quantile+rff:dim=30",
};

struct fixture {
    struct pool *pool;
    float x[ROWS * DIM];
    struct rows all;
};

static struct fixture fx;

static int set_up(void **state)
{
    struct rng r;
    peck_error err = { 0 };

    (void)state;
    rng_seed(&r, 1, 0);
    for (size_t i = 0; i < ROWS * DIM; i++) {
        const double u = rng_uniform(&r);
        const double kind[DIM] = {
            u,          floor(exp(18 * u * u)), u < 0.7 ? 0 : u - 0.8,
            5.0,        floor(4 * u),           1e8 + 16 * floor(8 * u),
            -exp(9 * u)
        };

        fx.x[i] = (float)kind[i % DIM];
    }
    fx.all = (struct rows){ fx.x, ROWS, DIM, DIM };
    return pool_new(&fx.pool, 1, &err) == PECK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(fx.pool);
    return 0;
}

static struct norm *fitted(const char *spec, struct rows rows, struct pool *pool)
{
    struct norm *n;
    peck_error err = { 0 };

    assert_ok(norm_fit(&n, spec, &(struct norm_data){ .all = rows }, pool, &err), err);
    return n;
}

/* All rows in lists of LIST; the caller frees them. */
static float *applied(const struct norm *n)
{
    const size_t wide = n->dim_out;
    float *const out = malloc(ROWS * wide * sizeof *out);

    assert_non_null(out);
    for (size_t i = 0; i < ROWS; i += LIST)
        norm_apply(n, (struct rows){ fx.x + i * DIM, LIST, DIM, DIM }, out + i * wide);
    return out;
}

static void save(const struct norm *n, const char *path)
{
    struct tensor_list l = { 0 };
    struct output *o;
    peck_error err = { 0 };

    assert_ok(norm_write(n, &l, &err), err);
    assert_ok(output_open(&o, path, &err), err);
    assert_ok(tensor_list_write(&l, o, NULL, 0, &err), err);
    assert_ok(output_commit(o, &err), err);
    tensor_list_free(&l);
}

static peck_status load(struct norm **out, const char *spec, size_t dim, const char *path,
                        peck_error *err)
{
    struct input in;
    struct tensors t;

    assert_int_equal(input_open(&in, path, err), PECK_OK);
    assert_int_equal(tensors_open(&t, &in, err), PECK_OK);
    const peck_status st = norm_read(out, spec, dim, &t, err);

    tensors_close(&t);
    input_close(&in);
    return st;
}

static void every_view_counts_its_columns(void **state)
{
    (void)state;
    for (size_t s = 0; s < N_OF(specs); s++) {
        struct norm *const n = fitted(specs[s], fx.all, fx.pool);
        const size_t added = strstr(specs[s], "rff") != NULL ? 30 : 0;
        size_t views = added > 0 ? 0 : 1;

        for (const char *c = specs[s]; *c != '\0'; c++)
            views += *c == '+';
        assert_string_equal(n->spec, specs[s]);
        assert_int_equal(n->dim_in, DIM);
        assert_int_equal(n->dim_out, DIM * views + added);
        norm_free(n);
    }
}

static void views_side_by_side_equal_views_alone(void **state)
{
    struct norm *const both = fitted("quantile+query-zscore", fx.all, fx.pool);
    struct norm *const alone[2] = { fitted("quantile", fx.all, fx.pool),
                                    fitted("query-zscore", fx.all, fx.pool) };
    float *const wide = applied(both);

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        float *const narrow = applied(alone[v]);

        for (size_t i = 0; i < ROWS; i++)
            assert_memory_equal(wide + (2 * i + v) * DIM, narrow + i * DIM,
                                DIM * sizeof *narrow);
        free(narrow);
        norm_free(alone[v]);
    }
    free(wide);
    norm_free(both);
}

static void any_number_of_threads_fits_the_same_bytes(void **state)
{
    const char *const one = scratch_path("one"), *const more = scratch_path("more");
    peck_error err = { 0 };

    (void)state;
    struct norm *n = fitted("quantile+zscore+minmax", fx.all, fx.pool);

    save(n, one);
    norm_free(n);
    for (int threads = 2; threads <= 5; threads++) {
        struct pool *pool;

        assert_ok(pool_new(&pool, threads, &err), err);
        n = fitted("quantile+zscore+minmax", fx.all, pool);
        save(n, more);
        assert_true(files_equal(one, more));
        norm_free(n);
        pool_free(pool);
    }
}

static void the_order_of_rows_does_not_matter(void **state)
{
    const char *const one = scratch_path("one"), *const turned = scratch_path("turned");
    static float back[ROWS * DIM];

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        memcpy(back + i * DIM, fx.x + (ROWS - 1 - i) * DIM, DIM * sizeof *back);
    struct norm *const a = fitted("quantile+zscore", fx.all, fx.pool);
    struct norm *const b =
        fitted("quantile+zscore", (struct rows){ back, ROWS, DIM, DIM }, fx.pool);

    save(a, one);
    save(b, turned);
    assert_true(files_equal(one, turned));
    norm_free(a);
    norm_free(b);
}

static void what_is_saved_maps_the_same_bits(void **state)
{
    const char *const path = scratch_path("saved");
    peck_error err = { 0 };

    (void)state;
    for (size_t s = 0; s < N_OF(specs); s++) {
        struct norm *const n = fitted(specs[s], fx.all, fx.pool), *again;

        save(n, path);
        assert_ok(load(&again, specs[s], DIM, path, &err), err);
        assert_string_equal(again->spec, specs[s]);
        float *const before = applied(n), *const after = applied(again);

        assert_memory_equal(before, after, ROWS * n->dim_out * sizeof *before);
        free(before);
        free(after);
        norm_free(n);
        norm_free(again);
    }
}

static void rows_with_gaps_are_read_by_their_stride(void **state)
{
    enum { STRIDE = DIM + 3 };
    static float gaps[LIST * STRIDE];
    struct norm *const n =
        fitted("none+zscore+minmax+log+query+query-zscore+quantile", fx.all, fx.pool);
    const size_t wide = n->dim_out;
    float *const dense = malloc(2 * LIST * wide * sizeof *dense), *const loose =
                                                                      dense + LIST * wide;

    (void)state;
    for (size_t i = 0; i < LIST * STRIDE; i++)
        gaps[i] = NAN;
    for (size_t i = 0; i < LIST; i++)
        memcpy(gaps + i * STRIDE, fx.x + i * DIM, DIM * sizeof *gaps);
    norm_apply(n, (struct rows){ fx.x, LIST, DIM, DIM }, dense);
    norm_apply(n, (struct rows){ gaps, LIST, DIM, STRIDE }, loose);
    assert_memory_equal(dense, loose, LIST * wide * sizeof *dense);
    free(dense);
    norm_free(n);
}

static void refuse(const char *spec, const char *phrase)
{
    struct norm *n = (struct norm *)&fx;
    peck_error err = { 0 };

    assert_int_equal(
        norm_fit(&n, spec, &(struct norm_data){ .all = fx.all }, fx.pool, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, phrase);
    assert_null(n);
}

static void names_that_are_none_are_refused(void **state)
{
    char long_name[400];

    (void)state;
    memset(long_name, 'q', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    refuse("quantlie", "did you mean 'quantile'");
    refuse("zscore+qurey", "did you mean 'query'");
    refuse("", "unknown norm ''");
    refuse("zscore+", "unknown norm ''");
    refuse("+zscore", "unknown norm ''");
    refuse("zscore+zscore", "twice");
    refuse(long_name, "letters");
}

static void a_spec_can_do_without_the_query(void **state)
{
    static const struct {
        const char *spec, *alone;
    } cases[] = {
        { "quantile+query", "quantile" },
        { "none+query-zscore", "none" },
        { "query", "zscore" },
        { "query-zscore", "zscore" },
        { "query+query-zscore", "zscore" },
        { "query-zscore+zscore", "zscore" },
        { "query-zscore+rff:dim=30,gamma=0.1", "zscore+rff:dim=30,gamma=0.1" },
        { "quantile+query+rff", "quantile+rff" },
        { "rff:dim=3", "rff:dim=3" },
        { "none+zscore+minmax+log+quantile", "none+zscore+minmax+log+quantile" },
    };
    struct text text;

    (void)state;
    text_init(&text, 1000);
    for (size_t i = 0; i < N_OF(cases); i++) {
        text.len = 0;
        norm_print_alone(cases[i].spec, &text);
        assert_false(text.failed);
        assert_string_equal(text.s, cases[i].alone);
        assert_int_equal(norm_heeds_query(cases[i].spec),
                         strcmp(cases[i].spec, cases[i].alone) != 0);
        assert_false(norm_heeds_query(text.s));
    }
    text_free(&text);
}

static void nothing_cannot_be_fitted_to(void **state)
{
    struct norm *n;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(norm_fit(&n, "zscore",
                              &(struct norm_data){ .all = { fx.x, 0, DIM, DIM } }, fx.pool,
                              &err),
                     PECK_SHAPE);
    assert_null(n);
    /* What has no state has nothing to fit. */
    assert_ok(norm_fit(&n, "none+log", &(struct norm_data){ .all = { fx.x, 0, DIM, DIM } },
                       fx.pool, &err),
              err);
    norm_free(n);
}

static struct norm *fitted_weighed(const char *spec, const float *weight, struct pool *pool)
{
    struct norm *n;
    peck_error err = { 0 };

    assert_ok(norm_fit(&n, spec, &(struct norm_data){ .all = fx.all, .weight = weight },
                       pool, &err),
              err);
    return n;
}

/* State i of b lies between those of a that are `apart` before and behind, within rounding. */
static void assert_near_state(const struct norm *a, const struct norm *b, size_t apart)
{
    for (size_t v = 0; v < a->n_views; v++)
        for (size_t row = 0; row < DIM; row++)
            for (size_t i = 0, n = a->view[v].state_size; i < n; i++) {
                const float *const from = a->view[v].state + row * n;
                const double least = from[i > apart ? i - apart : 0];
                const double most = from[i + apart < n ? i + apart : n - 1];
                const double got = b->view[v].state[row * n + i];

                if (got < least - 1e-6 * fabs(least) || got > most + 1e-6 * fabs(most))
                    fail_msg("%s, feature %zu, state %zu: %.9g, not within %.9g, %.9g",
                             a->spec, row, i, got, least, most);
            }
}

static void a_weight_is_as_many_documents(void **state)
{
    static const char *const fit[] = { "zscore", "minmax", "quantile" };
    static float times[ROWS], share[ROWS], one[ROWS], again[4 * ROWS * DIM];
    struct pool *pool;
    peck_error err = { 0 };
    size_t n = 0;

    (void)state;
    assert_ok(pool_new(&pool, 3, &err), err);
    for (size_t i = 0; i < ROWS; i++) { /* heavier where the first feature is large */
        times[i] = 1 + floorf(3.9f * fx.x[i * DIM]);
        share[i] = 1e-6f * times[i];
        one[i] = 1;
        for (size_t k = 0; k < (size_t)times[i]; k++)
            memcpy(again + DIM * n++, fx.x + i * DIM, DIM * sizeof *again);
    }
    for (size_t s = 0; s < N_OF(fit); s++) {
        struct norm *const once = fitted(fit[s], fx.all, fx.pool);
        struct norm *const repeated =
            fitted(fit[s], (struct rows){ again, n, DIM, DIM }, fx.pool);
        struct norm *const weighed = fitted_weighed(fit[s], times, pool);
        struct norm *const shares = fitted_weighed(fit[s], share, fx.pool);
        struct norm *const ones = fitted_weighed(fit[s], one, pool);
        const size_t width = once->view[0].state_size, size = DIM * width * sizeof(float);

        assert_near_state(repeated, weighed, 0);
        assert_near_state(repeated, shares, width > 2 ? 1 : 0); /* of quantiles */
        assert_memory_equal(once->view[0].state, ones->view[0].state, size);
        assert_int_equal(memcmp(once->view[0].state, weighed->view[0].state, size) == 0,
                         strcmp(fit[s], "minmax") == 0);
        norm_free(ones);
        norm_free(shares);
        norm_free(weighed);
        norm_free(repeated);
        norm_free(once);
    }
    pool_free(pool);
}

/* A file whose tensor norm.0 has this shape and these floats, the last as given. */
static const char *file_with(const char *name, uint64_t dim, uint64_t state, float first,
                             float last)
{
    const char *const path = scratch_path("bad");
    const uint64_t shape[2] = { dim, state };
    float *const data = calloc(dim * state + 1, sizeof *data);
    struct tensor_list l = { 0 };
    struct output *o;
    peck_error err = { 0 };

    assert_non_null(data);
    if (dim * state > 0) {
        data[0] = first;
        data[dim * state - 1] = last;
    }
    assert_true(tensor_list_add(&l, name, TENSOR_F32, 2, shape, data));
    assert_ok(output_open(&o, path, &err), err);
    assert_ok(tensor_list_write(&l, o, NULL, 0, &err), err);
    assert_ok(output_commit(o, &err), err);
    tensor_list_free(&l);
    free(data);
    return path;
}

static void refuse_file(const char *spec, size_t dim, const char *path, const char *phrase)
{
    struct norm *n = (struct norm *)&fx;
    peck_error err = { 0 };

    assert_int_equal(load(&n, spec, dim, path, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, phrase);
    assert_null(n);
}

static void files_that_hold_no_state_are_refused(void **state)
{
    (void)state;
    refuse_file("zscore", 2, file_with("norm.1", 2, 2, 0, 1), "no tensor 'norm.0'");
    refuse_file("zscore", 3, file_with("norm.0", 2, 2, 0, 1), "[2, 2]");
    refuse_file("zscore", 2, file_with("norm.0", 2, 3, 0, 1), "[2, 3]");
    refuse_file("zscore", SIZE_MAX / 2, file_with("norm.0", 2, 2, 0, 1), "[2, 2]");
    refuse_file("zscore", 2, file_with("norm.0", 2, 2, NAN, 1), "feature 1");
    refuse_file("zscore", 2, file_with("norm.0", 2, 2, 0, INFINITY), "feature 2");
    refuse_file("zscore", 2, file_with("norm.0", 2, 2, 0, -1), "feature 2");
    refuse_file("minmax", 2, file_with("norm.0", 2, 2, 1, 0), "feature 1");
    refuse_file("quantile", 2, file_with("norm.0", 2, 1000, 0, -1), "feature 2");
    refuse_file("quantile", 2, file_with("norm.0", 2, 1000, 1, 0), "feature 1");
    refuse_file("quantile", 2, file_with("norm.0", 2, 999, 0, 0), "[2, 999]");
    refuse_file("futuristic", 2, file_with("norm.0", 2, 2, 0, 1), "newer peck");
    refuse_file("zscore+zscore", 2, file_with("norm.0", 2, 2, 0, 1), "newer peck");
}

static void any_state_that_passes_gives_finite_numbers(void **state)
{
    static const float x[] = { -3e38f, -1.0f, -1e-45f, 0.0f, 1e-45f, 1e-30f, 1.0f, 3e38f };
    static const float ends[][2] = {
        { -3.4e38f, 3.4e38f }, { -1e-45f, 1e-45f }, { -1, 0 },
        { 0, 3.4e38f },        { -3.4e38f, 0 },     { 0, 1e-45f }
    };
    peck_error err = { 0 };

    (void)state;
    for (size_t e = 0; e < N_OF(ends); e++)
        for (size_t s = 1; s <= 6; s++) {
            const uint64_t width = strcmp(specs[s], "quantile") == 0 ? 1000 : 2;
            const char *const path = file_with("norm.0", 1, width, ends[e][0], ends[e][1]);
            float z[N_OF(x)];
            struct norm *n;

            assert_ok(load(&n, specs[s], 1, path, &err), err);
            norm_apply(n, (struct rows){ x, N_OF(x), 1, 1 }, z);
            for (size_t i = 0; i < N_OF(x); i++)
                assert_true(isfinite(z[i]) && (i == 0 || z[i] >= z[i - 1]));
            norm_free(n);
        }
}

/* Lists of LIST, each turned round, on one thread and on three. */
static void a_whole_data_set_is_scaled_list_by_list(void **state)
{
    static uint64_t start[ROWS / LIST + 1];
    static uint32_t from[ROWS];
    const struct norm_data data = {
        .all = fx.all, .start = start, .n_queries = ROWS / LIST, .name = "the data"
    };
    peck_error err = { 0 };

    (void)state;
    for (size_t q = 0; q <= ROWS / LIST; q++)
        start[q] = q * LIST;
    for (uint32_t i = 0; i < ROWS; i++)
        from[i] = LIST - 1 - i % LIST;
    for (size_t s = 0; s < N_OF(specs); s++) {
        struct norm *const n = fitted(specs[s], fx.all, fx.pool);
        const size_t row = n->dim_out * sizeof(float);
        float *const one_by_one = applied(n);

        for (int threads = 1; threads <= 3; threads += 2) {
            struct pool *pool;
            float *same, *turned;

            assert_ok(pool_new(&pool, threads, &err), err);
            assert_ok(norm_apply_all(&same, n, &data, NULL, pool, &err), err);
            assert_ok(norm_apply_all(&turned, n, &data, from, pool, &err), err);
            assert_memory_equal(same, one_by_one, ROWS * row);
            for (size_t i = 0; i < ROWS; i++)
                assert_memory_equal(turned + i * n->dim_out,
                                    one_by_one + (i - i % LIST + from[i]) * n->dim_out,
                                    row);
            mem_free(same);
            mem_free(turned);
            pool_free(pool);
        }
        free(one_by_one);
        norm_free(n);
    }
}

/* So many that they are taken in parts. */
static void columns_know_nothing_of_each_other(void **state)
{
    enum { WIDE = 150, HIGH = 40 };
    static const char *const alone[] = { "zscore", "minmax",       "log",
                                         "query",  "query-zscore", "quantile" };
    static float x[HIGH * WIDE], z[HIGH * WIDE];
    const struct rows all = { x, HIGH, WIDE, WIDE };

    (void)state;
    for (size_t i = 0; i < HIGH * WIDE; i++)
        x[i] = fx.x[i];
    for (size_t s = 0; s < N_OF(alone); s++) {
        struct norm *const together = fitted(alone[s], all, fx.pool);

        norm_apply(together, all, z);
        for (size_t f = 0; f < WIDE; f++) {
            float column[HIGH], own[HIGH];

            for (size_t i = 0; i < HIGH; i++)
                column[i] = x[i * WIDE + f];
            const struct rows one = { column, HIGH, 1, 1 };
            struct norm *const n = fitted(alone[s], one, fx.pool);

            norm_apply(n, one, own);
            for (size_t i = 0; i < HIGH; i++)
                if (!same_float(own[i], z[i * WIDE + f]))
                    fail_msg("%s: row %zu, column %zu: %.9g, but %.9g alone", alone[s], i,
                             f, (double)z[i * WIDE + f], (double)own[i]);
            norm_free(n);
        }
        norm_free(together);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_counts_its_columns),
        cmocka_unit_test(a_whole_data_set_is_scaled_list_by_list),
        cmocka_unit_test(columns_know_nothing_of_each_other),
        cmocka_unit_test(views_side_by_side_equal_views_alone),
        cmocka_unit_test(any_number_of_threads_fits_the_same_bytes),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(what_is_saved_maps_the_same_bits),
        cmocka_unit_test(rows_with_gaps_are_read_by_their_stride),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(a_spec_can_do_without_the_query),
        cmocka_unit_test(nothing_cannot_be_fitted_to),
        cmocka_unit_test(a_weight_is_as_many_documents),
        cmocka_unit_test(files_that_hold_no_state_are_refused),
        cmocka_unit_test(any_state_that_passes_gives_finite_numbers),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
