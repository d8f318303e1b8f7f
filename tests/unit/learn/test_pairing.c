/* test_pairing.c -- pairs drawn from the whole training set: which, how often, in which
 * order. */
#include "learn/pairing.h"

#include "support/check.h"
#include "support/tasks.h"

enum { DIM = 2 };

struct pairing_fixture {
    struct peck_dataset *data;
    struct train_set *train_set;
    struct pairing pairs;
};

static void draw(struct pairing_fixture *s, struct peck_dataset *d,
                 const struct peck_prefs *prefs, const struct train_set_config *config,
                 size_t most, uint64_t seed)
{
    struct rng r;
    peck_error err = { 0 };

    *s = (struct pairing_fixture){ .data = d };
    rng_seed(&r, seed, 0);
    assert_ok(train_set_new(&s->train_set, d, prefs, config, &err), err);
    assert_ok(pairing_draw(&s->pairs, s->train_set, most, &r, &err), err);
}

static void close_fixture(struct pairing_fixture *s)
{
    pairing_free(&s->pairs);
    train_set_free(s->train_set);
}

/* Query of a row of the training set. */
static size_t query_of(const struct train_set *l, uint32_t row)
{
    size_t q = 0;

    while (l->start[q + 1] <= row)
        q++;
    return q;
}

/* The pair as (higher label, lower label), whichever side came first. */
static void assert_pair(const struct pairing_fixture *s, const struct row_pair *c)
{
    const float *const label = s->train_set->label;

    assert_int_equal(query_of(s->train_set, c->first), query_of(s->train_set, c->second));
    assert_true(c->first != c->second);
    assert_true(c->probability == (label[c->first] > label[c->second]   ? 1.0f
                                   : label[c->first] < label[c->second] ? 0.0f
                                                                        : 0.5f));
}

/* How many pairs hold the same two rows as pair k. */
static size_t times(const struct pairing *p, size_t k)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += (p->pair[i].first == p->pair[k].first &&
              p->pair[i].second == p->pair[k].second) ||
             (p->pair[i].first == p->pair[k].second &&
              p->pair[i].second == p->pair[k].first);
    return n;
}

static const uint32_t size[] = { 4, 1, 7, 3 };
static const float label[] = { 2, 0, 1, 0, 1, 0, 1, 2, 2, 0, PECK_UNJUDGED, 1, 1, 1, 1 };
enum { N_DIFFERING = 5 + 12 };

static void where_all_fit_all_are_taken_once(void **state)
{
    struct peck_dataset *const d = task_of(size, N_OF(size), DIM, label, 1);
    struct pairing_fixture s;

    (void)state;
    draw(&s, d, NULL, &(struct train_set_config){ .pairs = PAIRS_ALL }, 1000, 1);
    assert_int_equal(s.pairs.n, N_DIFFERING);
    assert_true(s.pairs.is_even);
    for (size_t i = 0; i < s.pairs.n; i++) {
        assert_pair(&s, &s.pairs.pair[i]);
        assert_true(s.pairs.pair[i].probability != 0.5f);
        assert_int_equal(times(&s.pairs, i), 1);
    }
    close_fixture(&s);
    draw(&s, d, NULL, &(struct train_set_config){ .pairs = PAIRS_ALL, .ties = 1 }, 1000, 1);
    assert_int_equal(s.pairs.n, N_DIFFERING + 1 + 3 + 3);
    for (size_t i = 0; i < s.pairs.n; i++)
        assert_pair(&s, &s.pairs.pair[i]);
    close_fixture(&s);
    peck_dataset_free(d);
}

static void a_sample_has_no_pair_twice_and_every_pair_its_chance(void **state)
{
    enum { MOST = 7, RUNS = 4000 };
    struct peck_dataset *const d = task_of(size, N_OF(size), DIM, label, 1);
    size_t seen[15][15] = { { 0 } }, n_first = 0, n_kinds = 0;

    (void)state;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct pairing_fixture s;

        draw(&s, d, NULL, &(struct train_set_config){ .pairs = PAIRS_ALL }, MOST, seed);
        assert_int_equal(s.pairs.n, MOST);
        for (size_t i = 0; i < MOST; i++) {
            const struct row_pair *const c = &s.pairs.pair[i];

            assert_pair(&s, c);
            assert_int_equal(times(&s.pairs, i), 1);
            n_first += c->probability == 1.0f;
            seen[c->first < c->second ? c->first : c->second]
                [c->first < c->second ? c->second : c->first]++;
        }
        close_fixture(&s);
    }
    assert_true(n_first > RUNS * MOST * 48 / 100 && n_first < RUNS * MOST * 52 / 100);
    for (size_t i = 0; i < 15; i++)
        for (size_t j = 0; j < 15; j++) { /* each with chance 7 / 17 */
            n_kinds += seen[i][j] > 0;
            assert_true(seen[i][j] == 0 || (seen[i][j] > RUNS * 7 / 17 * 85 / 100 &&
                                            seen[i][j] < RUNS * 7 / 17 * 115 / 100));
        }
    assert_int_equal(n_kinds, N_DIFFERING);
    peck_dataset_free(d);
}

static void weights_of_documents_and_queries_multiply(void **state)
{
    struct peck_dataset *const d = task_of(size, N_OF(size), DIM, label, 1);
    double sum = 0.0;
    struct pairing_fixture s;

    (void)state;
    d->query_weight = calloc(N_OF(size), sizeof *d->query_weight);
    for (size_t q = 0; q < N_OF(size); q++)
        d->query_weight[q] = q == 2 ? 3.0f : 1.0f;
    draw(&s, d, NULL, &(struct train_set_config){ .pairs = PAIRS_ALL }, 1000, 1);
    assert_false(s.pairs.is_even);
    for (size_t i = 0; i < s.pairs.n; i++)
        sum += (double)s.pairs.pair[i].weight;
    assert_true(sum == 5.0 + 3.0 * 12.0);
    close_fixture(&s);
    peck_dataset_free(d);
}

static void nothing_to_compare_gives_no_pairs(void **state)
{
    const uint32_t sizes[] = { 1, 3 };
    struct peck_dataset *const d = task_of(sizes, N_OF(sizes), DIM, NULL, 1);
    struct pairing_fixture s;

    (void)state;
    draw(&s, d, NULL, &(struct train_set_config){ .pairs = PAIRS_ALL }, 1000, 1);
    assert_int_equal(s.pairs.n, 0);
    close_fixture(&s);
    peck_dataset_free(d);
}

static void preferences_are_pairs_with_their_probabilities(void **state)
{
    struct peck_dataset *const d = task_of(size, N_OF(size), DIM, label, 1);
    peck_pref pref[] = { { 0, 1, 0, 0.75f, 1.0f }, { 2, 9, 6, 1.0f, 1.0f } };
    const struct peck_prefs prefs = { .n = N_OF(pref), .pref = pref };
    struct pairing_fixture s;

    (void)state;
    draw(&s, d, &prefs, &(struct train_set_config){ .pairs = PAIRS_ALL }, 1000, 1);
    assert_int_equal(s.pairs.n, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct row_pair *const c = &s.pairs.pair[i];
        const size_t q = query_of(s.train_set, c->first);
        const size_t first =
            train_set_row(s.train_set, q, c->first - s.train_set->start[q]);
        const size_t second =
            train_set_row(s.train_set, q, c->second - s.train_set->start[q]);
        const peck_pref *const p = &pref[i];
        const bool is_same_way = first == p->winner;

        assert_int_equal(q, p->list);
        assert_true(is_same_way ? second == p->loser
                                : first == p->loser && second == p->winner);
        assert_true(c->probability ==
                    (is_same_way ? p->probability : 1.0f - p->probability));
    }
    close_fixture(&s);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_all_fit_all_are_taken_once),
        cmocka_unit_test(a_sample_has_no_pair_twice_and_every_pair_its_chance),
        cmocka_unit_test(weights_of_documents_and_queries_multiply),
        cmocka_unit_test(nothing_to_compare_gives_no_pairs),
        cmocka_unit_test(preferences_are_pairs_with_their_probabilities),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
