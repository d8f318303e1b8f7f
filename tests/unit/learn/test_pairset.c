/* test_pairset.c -- the pairs that a net got wrong. */
#include "learn/pairset.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/train_setup.h"
#include "support/samples.h"

static const struct train_set_config config = { .pairs = PAIRS_ALL };
static peck_error err;

/* Two queries; labels by falling value 2 1 1 0 and 1 0. */
static const float x[6], label[] = { 1, 2, 0, 1, 0, 1 };
static const uint32_t sizes[] = { 4, 2 };

struct pairset_fixture {
    peck_dataset *data;
    struct peck_prefs *prefs;
    struct train_set *train_set;
    struct pairset set;
    struct train_set *found;
};

static void open_school(struct pairset_fixture *s, bool has_prefs)
{
    *s = (struct pairset_fixture){ 0 };
    assert_ok(peck_dataset_wrap(&s->data, x, 6, 1, label, sizes, N_OF(sizes), &err), err);
    if (has_prefs)
        s->prefs = prefs_of_labels(s->data, 3);
    assert_ok(train_set_new(&s->train_set, s->data, s->prefs, &config, &err), err);
    assert_ok(pairset_open(&s->set, s->train_set, &err), err);
    assert_ok(train_set_new_listed(&s->found, s->train_set, &err), err);
}

static void close_school(struct pairset_fixture *s)
{
    train_set_free(s->found);
    pairset_close(&s->set);
    train_set_free(s->train_set);
    peck_prefs_free(s->prefs);
    peck_dataset_free(s->data);
}

static void add_wrong(struct pairset_fixture *s, size_t q, uint32_t i, uint32_t j,
                      float lead)
{
    pairset_add_wrong(&s->set, q, (peck_duel){ i, j }, lead);
}

static void mistakes_are_there_once_and_nothing_else(void **state)
{
    (void)state;
    for (int has_prefs = 0; has_prefs < 2; has_prefs++) {
        struct pairset_fixture s;

        open_school(&s, has_prefs != 0);
        assert_int_equal(s.set.n_pairs[0] + s.set.n_pairs[1], 6);
        assert_int_equal(pairset_count(&s.set), 0);
        add_wrong(&s, 0, 0, 3, 0.5f);  /* right */
        add_wrong(&s, 0, 3, 0, -0.5f); /* right, asked the other way round */
        add_wrong(&s, 0, 1, 2, -1.0f); /* equal labels: neither */
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t j = 0; j < 4; j++) { /* takes no side */
                add_wrong(&s, 0, i, j, 0.0f);
                add_wrong(&s, 0, i, j, -0.0f);
            }
        assert_int_equal(pairset_count(&s.set), 0);
        add_wrong(&s, 0, 0, 3, -0.5f);
        add_wrong(&s, 0, 3, 0, 2.0f); /* the same again */
        add_wrong(&s, 0, 3, 2, 0.1f);
        add_wrong(&s, 1, 0, 1, -0.1f);
        assert_int_equal(pairset_count(&s.set), 3);
        close_school(&s);
    }
}

static void the_list_is_in_order_and_weighs_one_a_pair(void **state)
{
    (void)state;
    for (int has_prefs = 0; has_prefs < 2; has_prefs++) {
        struct pairset_fixture s;

        open_school(&s, has_prefs != 0);
        add_wrong(&s, 1, 1, 0, 1.0f);
        add_wrong(&s, 0, 2, 3, -1.0f);
        add_wrong(&s, 0, 0, 2, -1.0f);
        assert_ok(pairset_list(&s.set, false, s.found, &err), err);
        assert_true(s.found->pair_start[1] == 2 && s.found->pair_start[2] == 3);
        assert_true(s.found->pair[0].i == 0 && s.found->pair[0].j == 2);
        assert_true(s.found->pair[1].i == 2 && s.found->pair[1].j == 3);
        assert_true(s.found->pair[2].i == 0 && s.found->pair[2].j == 1);
        assert_true(s.found->plan[0].n_all == 2.0 && s.found->plan[1].n_all == 1.0);
        for (size_t t = 0; t < 3; t++)
            assert_true(s.found->pair[t].probability == 1.0f &&
                        s.found->pair[t].weight == 1.0f);
        /* Places 1 0 3 2 and 1 0 of the data. */
        assert_ok(pairset_list(&s.set, true, s.found, &err), err);
        assert_true(s.found->pair[0].i == 1 && s.found->pair[0].j == 3);
        assert_true(s.found->pair[1].i == 3 && s.found->pair[1].j == 2);
        assert_true(s.found->pair[2].i == 1 && s.found->pair[2].j == 0);
        close_school(&s);
    }
}

/* Labels and all their pairs as preferences: the same bits, whatever is said. */
static void preferences_make_the_set_of_the_labels(void **state)
{
    const struct sample sample = {
        .n_queries = 20, .max_docs = 30, .dim = 1, .n_grades = 3, .unjudged = 0.1
    };
    struct pairset_fixture a = { .data = sample_dataset(&sample, 4) }, b = a;
    struct rng r;

    (void)state;
    rng_seed(&r, 5, 5);
    b.prefs = prefs_of_labels(a.data, 6);
    assert_ok(train_set_new(&a.train_set, a.data, NULL, &config, &err), err);
    assert_ok(train_set_new(&b.train_set, a.data, b.prefs, &config, &err), err);
    assert_ok(pairset_open(&a.set, a.train_set, &err), err);
    assert_ok(pairset_open(&b.set, b.train_set, &err), err);
    for (int t = 0; t < 3000; t++) {
        const size_t q = rng_below(&r, sample.n_queries);
        const uint64_t n = a.data->start[q + 1] - a.data->start[q];
        const uint32_t i = (uint32_t)rng_below(&r, n), j = (uint32_t)rng_below(&r, n);
        const float lead = (float)rng_normal(&r);

        if (i == j || a.train_set->plan[q].n_all == 0.0)
            continue;
        add_wrong(&a, q, i, j, lead);
        add_wrong(&b, q, i, j, lead);
    }
    assert_true(pairset_count(&a.set) > 300);
    assert_memory_equal(a.set.n_pairs, b.set.n_pairs,
                        sample.n_queries * sizeof *a.set.n_pairs);
    assert_memory_equal(a.set.bit, b.set.bit,
                        a.set.start[sample.n_queries] * sizeof *a.set.bit);
    b.data = NULL;
    close_school(&a);
    close_school(&b);
}

/* Told twice and otherwise: each that disagrees is a mistake of its own. */
static void preferences_that_disagree_are_both_kept(void **state)
{
    static const peck_pref list[] = { { 1, 4, 5, 1, 1 },
                                      { 1, 5, 4, 1, 3 },
                                      { 1, 4, 5, 0.5f, 1 } };
    struct pairset_fixture s = { 0 };

    (void)state;
    assert_ok(peck_dataset_wrap(&s.data, x, 6, 1, label, sizes, N_OF(sizes), &err), err);
    s.prefs = prefs_new();
    for (size_t i = 0; i < N_OF(list); i++)
        assert_true(prefs_add(s.prefs, list[i]));
    assert_ok(train_set_new(&s.train_set, s.data, s.prefs, &config, &err), err);
    assert_ok(pairset_open(&s.set, s.train_set, &err), err);
    add_wrong(&s, 1, 0, 1, 1.0f);
    assert_int_equal(pairset_count(&s.set), 1);
    add_wrong(&s, 1, 0, 1, -1.0f);
    assert_int_equal(pairset_count(&s.set), 2); /* P = 1/2 never is one */
    close_school(&s);
}

/* Two of the five pairs of the first query; the one pair of the second, where two are
 * asked for. */
static void drawn_pairs_are_those_of_the_plan(void **state)
{
    const struct train_set_config drawing = { .pairs = PAIRS_SAMPLED, .sample = 2 };
    struct pairset_fixture s = { 0 };
    uint64_t seen = 0;

    (void)state;
    assert_ok(peck_dataset_wrap(&s.data, x, 6, 1, label, sizes, N_OF(sizes), &err), err);
    assert_ok(train_set_new(&s.train_set, s.data, NULL, &drawing, &err), err);
    assert_ok(pairset_open(&s.set, s.train_set, &err), err);
    assert_int_equal(s.set.start[2], 2); /* a word each */
    for (uint64_t seed = 0; seed < 100; seed++) {
        s.set.bit[0] = s.set.bit[1] = 0;
        pairset_draw(&s.set, seed);
        const uint64_t first = s.set.bit[0], n = pairset_count(&s.set);

        assert_true(first != 0 && s.set.bit[1] == 1 && (n == 2 || n == 3));
        assert_true(pairset_is_sound(&s.set));
        pairset_draw(&s.set, seed);
        assert_int_equal(s.set.bit[0], first);
        seen |= first;
    }
    assert_int_equal(seen, 31);
    close_school(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_there_once_and_nothing_else),
        cmocka_unit_test(the_list_is_in_order_and_weighs_one_a_pair),
        cmocka_unit_test(preferences_make_the_set_of_the_labels),
        cmocka_unit_test(preferences_that_disagree_are_both_kept),
        cmocka_unit_test(drawn_pairs_are_those_of_the_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
