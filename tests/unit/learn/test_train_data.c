/* test_train_data.c -- whether a model tells documents of a query apart, and whether there
 * is anything to tell. */
#include "learn/learn.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/tasks.h"
#include "support/train_setup.h"

enum { DIM = 3, QUERIES = 3 };
static const uint32_t size[QUERIES] = { 2, 600, 3 }; /* one is longer than a block */

/* All documents of a query are the same; those of two queries are not. */
static struct peck_dataset *even_data(void)
{
    struct peck_dataset *const d = task_of(size, QUERIES, DIM, NULL, 1);

    for (size_t q = 0; q < QUERIES; q++)
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
            for (size_t j = 0; j < DIM; j++)
                d->x_owned[i * DIM + j] = (float)(1 + q + j);
    return d;
}

/* Of a net with random weights; has_choice: whether any two documents of a query differ. */
static bool tells_apart(const char *method, const struct peck_dataset *d, bool *has_choice)
{
    const char *const settings[] = { "norm=none", NULL };
    struct train_setup c;
    struct rng r;
    bool out;
    peck_error err = { 0 };

    train_setup_open(&c, method, settings, d, NULL, NULL, 1);
    rng_seed(&r, 1, 1);
    for (size_t i = 0; i < c.plan.n_weights; i++)
        c.w[i] = (float)rng_between(&r, 0.1, 0.5);
    assert_ok(train_data_tells_apart(&out, &c.train_data, &c.plan, c.w, &err), err);
    assert_ok(train_data_has_choice(has_choice, &c.train_data, &err), err);
    train_setup_close(&c);
    return out;
}

static void documents_are_told_apart_within_their_query(void **state)
{
    static const char *const methods[] = { "ranknet", "cmpnn", "ridge" };
    /* no document; then the first, the last of a query, and some in between */
    static const size_t odd[] = { SIZE_MAX, 0, 1, 2, 257, 258, 600, 601, 602, 604 };
    bool has_choice;

    (void)state;
    for (size_t m = 0; m < N_OF(methods); m++)
        for (size_t k = 0; k < N_OF(odd); k++) {
            struct peck_dataset *const d = even_data();

            if (k > 0)
                d->x_owned[odd[k] * DIM + 1] += 0.5f;
            if (tells_apart(methods[m], d, &has_choice) != (k > 0))
                fail_msg("%s, document %zu", methods[m], odd[k]);
            assert_int_equal(has_choice, k > 0);
            peck_dataset_free(d);
        }
}

/* Columns of all 1, of all 3 and of all 2, by turns: the widest counts, for who minds. */
static void the_scale_is_that_of_the_widest_feature(void **state)
{
    static const char *const minds[] = { "ranknet", "sortnet", "ranksvm" };
    static const char *const does_not[] = { "lambdamart", "pairforest", "frank",
                                            "rankboost" };
    const char *const settings[] = { "norm=none", NULL };
    struct peck_dataset *const d = task_of(size, QUERIES, DIM, NULL, 1);
    struct train_setup c;

    (void)state;
    for (size_t m = 0; m < N_OF(minds); m++) {
        for (size_t i = 0; i < d->n_docs; i++)
            for (size_t j = 0; j < DIM; j++)
                d->x_owned[i * DIM + (j + m) % DIM] =
                    (float[]){ 1, i % 2 == 0 ? -3 : 3, 2 }[j];
        train_setup_open(&c, minds[m], settings, d, NULL, NULL, 1);
        assert_true(c.train_data.scale == 3.0);
        train_setup_close(&c);
    }
    for (size_t m = 0; m < N_OF(does_not); m++) {
        train_setup_open(&c, does_not[m], settings, d, NULL, NULL, 1);
        assert_true(c.train_data.scale == 0.0);
        train_setup_close(&c);
    }
    peck_dataset_free(d);
}

/* Who goes over all pairs draws those of a long list; who chooses his own keeps all. */
static void pairs_of_long_lists_are_drawn_or_kept(void **state)
{
    static const struct {
        const char *method;
        bool are_drawn, are_kept;
    } wanted[] = { { "ranknet", true, false },
                   { "frank", true, false },
                   { "rankboost", false, false },
                   { "sortnet", false, true } };
    const char *const settings[] = { "sample_over=100", "sample=50", NULL };
    float label[605];

    (void)state;
    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = (float)(i % 3);
    struct peck_dataset *const d = task_of(size, QUERIES, DIM, label, 1);

    for (size_t m = 0; m < N_OF(wanted); m++) {
        struct train_setup c;

        train_setup_open(&c, wanted[m].method, settings, d, NULL, NULL, 1);
        assert_int_equal(c.train_data.train_set->plan[1].n_sampled > 0,
                         wanted[m].are_drawn);
        assert_int_equal(c.train_data.train_set->plan[0].n_sampled, 0);
        assert_int_equal(c.train_data.n_kept_pairs > 0, wanted[m].are_kept);
        train_setup_close(&c);
    }
    peck_dataset_free(d);
}

/* ranksvm keeps all features, ridge has a query made whenever it asks: of parts in place and of
 * copies, the same numbers, and the same normaliser. */
static void what_is_read_by_query_is_what_others_keep(void **state)
{
    static const char *const scaled[] = { "norm=none", "norm=quantile+query-zscore" };
    static const uint32_t some[] = { 1, 0 };
    float label[605];
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = (float)(i * 7 % 3);
    for (size_t k = 0; k < 2 * N_OF(scaled); k++) {
        const char *const settings[] = { scaled[k / 2], NULL };
        struct peck_dataset *const d = task_of(size, QUERIES, DIM, label, 1), *part, *copy;
        struct train_setup kept, read;

        for (size_t i = 0; k % 2 == 1 && i < d->n_docs; i++) {
            d->doc_weight =
                d->doc_weight != NULL ? d->doc_weight : mem_new(d->n_docs, sizeof(float));
            d->doc_weight[i] = (float)(1 + i % 4);
        }
        assert_ok(dataset_part(&part, d, some, N_OF(some), &err), err);
        assert_ok(dataset_take(&copy, d, some, N_OF(some), &err), err);
        train_setup_open(&kept, "ranksvm", settings, copy, NULL, NULL, 2);
        train_setup_open(&read, "ridge", settings, part, NULL, NULL, 2);
        assert_non_null(kept.train_data.x);
        assert_null(read.train_data.x);
        assert_true(kept.train_data.scale == read.train_data.scale);
        const size_t dim = kept.train_data.dim;
        float *const room = mem_new(train_data_room(&read.train_data), sizeof *room);

        for (size_t q = 0; q < N_OF(some); q++) {
            const struct rows a = train_data_query(&kept.train_data, q, NULL),
                              b = train_data_query(&read.train_data, q, room);

            assert_true(a.n == size[some[q]] && b.n == a.n && b.dim == dim);
            assert_memory_equal(a.x, b.x, a.n * dim * sizeof(float));
        }
        mem_free(room);
        train_setup_close(&kept);
        train_setup_close(&read);
        peck_dataset_free(part);
        peck_dataset_free(copy);
        peck_dataset_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_told_apart_within_their_query),
        cmocka_unit_test(the_scale_is_that_of_the_widest_feature),
        cmocka_unit_test(pairs_of_long_lists_are_drawn_or_kept),
        cmocka_unit_test(what_is_read_by_query_is_what_others_keep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
