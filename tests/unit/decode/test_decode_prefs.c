/* test_decode_prefs.c -- preference lists are ranked part by part; on human votes of which
 * two fifths are hidden, decoders foretell the hidden ones as well as a Bradley-Terry fit. */
#include "support/check.h"

#include "base/rng.h"
#include "data/prefs.h"
#include "decode/decode.h"
#include "support/scratch.h"

#include <math.h>

enum { MOST = 128 };

static peck_error err;

static peck_prefs *read_text(const char *text)
{
    peck_prefs *p = NULL;
    const char *const path = scratch_file("prefs.csv", text);

    assert_ok(peck_prefs_read(&p, path, NULL, 0, &err), err);
    return p;
}

static void assert_place(const peck_prefs *p, const peck_place *place, const char *name,
                         size_t part, size_t rank, double evidence, double against)
{
    assert_span(peck_prefs_item_name(p, place->item), name);
    assert_int_equal(place->part, part);
    assert_int_equal(place->rank, rank);
    assert_true(fabs(place->evidence - evidence) < 1e-5);
    assert_true(fabs(place->against - against) < 1e-5);
}

static void evidence_is_counted(void **state)
{
    peck_prefs *const p = read_text("winner,loser,wins,losses\n"
                                    "anna,bert,7,3\nbert,carl,4,6\nbert,carl,4,1\n"
                                    "anna,carl,9,1\n");
    peck_place place[3];
    peck_decode_info info;
    size_t n;

    (void)state;
    assert_ok(peck_decode_prefs(place, &n, p, 0,
                                &(peck_decode_spec){ .decoder = "degree", .is_costed = 1 },
                                &info, &err),
              err);
    assert_int_equal(n, 3);
    assert_place(p, &place[0], "anna", 0, 1, 20, 4);
    assert_place(p, &place[1], "bert", 0, 2, 25, 10);
    assert_place(p, &place[2], "carl", 0, 3, 25, 8);
    assert_int_equal(info.n_questions, 3);
    assert_int_equal(info.n_pairs, 3);
    assert_true(fabs(info.cost - (3.5 / 11 + 7.5 / 16 + 1.5 / 11)) < 1e-6);
    peck_prefs_free(p);
}

/* By strengths too: a share of votes, with one more on either side, that is against the order;
 * a half for two that nobody compared, but nothing across parts. */
static void strengths_cost_what_their_order_costs(void **state)
{
    static const struct {
        const char *text;
        size_t n, n_pairs, n_questions;
        double cost;
    } cases[] = {
        { "winner,loser,wins,losses\nanna,bert,7,3\nbert,carl,4,6\nbert,carl,4,1\n"
          "anna,carl,9,1\n",
          3, 3, 3, 3.5 / 11 + 7.5 / 16 + 1.5 / 11 },
        { "winner,loser,wins,losses\nanna,bert,9,1\nbert,carl,9,1\ncarl,anna,2,1\n", 3, 3,
          3, 1.5 / 11 + 1.5 / 11 + 2.5 / 4 },
        { "winner,loser\nanna,bert\nbert,carl\n", 3, 3, 2, 0.5 / 2 + 0.5 / 2 + 0.5 },
        { "winner,loser\nanna,bert\ncarl,dora\ndora,emil\n", 5, 4, 3, 3 * 0.5 / 2 + 0.5 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        for (int is_costed = 0; is_costed < 2; is_costed++) {
            peck_prefs *const p = read_text(cases[i].text);
            peck_place place[5];
            peck_decode_info info;
            size_t n;

            assert_ok(peck_decode_prefs(
                          place, &n, p, 0,
                          &(peck_decode_spec){ .decoder = "bt", .is_costed = is_costed },
                          &info, &err),
                      err);
            assert_int_equal(n, cases[i].n);
            assert_int_equal(info.n_pairs, cases[i].n_pairs);
            assert_int_equal(info.n_questions, cases[i].n_questions);
            assert_true(is_costed ? fabs(info.cost - cases[i].cost) < 1e-6
                                  : isnan(info.cost));
            peck_prefs_free(p);
        }
}

/* Two islands and a list of its own beside them. */
static void parts_are_ranked_apart(void **state)
{
    peck_prefs *const p = read_text("list,winner,loser\n"
                                    "x,a,b\nx,c,d\nx,d,e\nx,c,e\ny,b,a\n");
    peck_place place[5];
    size_t n;

    (void)state;
    assert_ok(peck_decode_prefs(place, &n, p, 0, NULL, NULL, &err), err);
    assert_int_equal(n, 5);
    assert_place(p, &place[0], "c", 0, 1, 2, 0);
    assert_place(p, &place[1], "d", 0, 2, 2, 0);
    assert_place(p, &place[2], "e", 0, 3, 2, 0);
    assert_place(p, &place[3], "a", 1, 1, 1, 0);
    assert_place(p, &place[4], "b", 1, 2, 1, 0);
    assert_ok(peck_decode_prefs(place, &n, p, 1, NULL, NULL, &err), err);
    assert_int_equal(n, 2);
    assert_place(p, &place[0], "b", 0, 1, 1, 0);
    assert_int_equal(peck_decode_prefs(place, &n, p, 0,
                                       &(peck_decode_spec){ .decoder = "tre" }, NULL, &err),
                     PECK_ARG);
    assert_int_equal(n, 0);
    peck_prefs_free(p);
}

/* Whoever is met again on the way ends nothing: d stands behind c, and c behind b. */
static void a_chain_is_one_part(void **state)
{
    static const char *const name[] = { "a", "b", "c", "d" };
    peck_prefs *const p = read_text("list,winner,loser\nx,a,b\nx,b,c\nx,c,d\n");
    peck_place place[4];
    size_t n;

    (void)state;
    assert_ok(peck_decode_prefs(place, &n, p, 0, NULL, NULL, &err), err);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++)
        assert_place(p, &place[i], name[i], 0, i + 1, i == 0 || i == 3 ? 1 : 2, 0);
    peck_prefs_free(p);
}

/* Human votes -------------------------------------------------------------------------- */

/* votes[i][j]: votes for i against j, a vote for neither being half of each. */
struct votes {
    size_t n;
    double votes[MOST][MOST];
};

static void count(struct votes *v, const peck_pref *pref)
{
    v->votes[pref->winner][pref->loser] += pref->weight * pref->probability;
    v->votes[pref->loser][pref->winner] += pref->weight * (1 - pref->probability);
}

/* Share of the votes that an order by falling score agrees with. */
static double agreement(const struct votes *v, const double *score)
{
    double with = 0, all = 0;

    for (size_t i = 0; i < v->n; i++)
        for (size_t j = 0; j < v->n; j++) {
            all += v->votes[i][j];
            with += score[i] > score[j] ? v->votes[i][j] : 0;
        }
    return with / all;
}

/* Bradley and Terry 1952 by Hunter's iteration (2004), half a vote a pair added so that
 * nobody is without bounds: s_i <- wins_i / sum_j n_ij / (s_i + s_j). */
static void fit_bradley_terry(const struct votes *v, double *score)
{
    for (size_t i = 0; i < v->n; i++)
        score[i] = 1;
    for (int step = 0; step < 300; step++)
        for (size_t i = 0; i < v->n; i++) {
            double wins = 0.5, sum = 0.5 / score[i];

            for (size_t j = 0; j < v->n; j++) {
                wins += v->votes[i][j];
                sum +=
                    j != i ? (v->votes[i][j] + v->votes[j][i]) / (score[i] + score[j]) : 0;
            }
            score[i] = wins / sum;
        }
}

/* Three fifths of the preferences of a list are seen, the others counted in `hidden`. */
static peck_prefs *split(const peck_prefs *all, size_t list, uint64_t seed,
                         struct votes *seen, struct votes *hidden)
{
    peck_prefs *const p = prefs_new();
    struct rng r;

    assert_non_null(p);
    rng_seed(&r, seed, list);
    seen->n = hidden->n = p->n_items = all->n_items;
    for (size_t i = 0; i < all->n; i++) {
        if (all->pref[i].list != list)
            continue;
        const bool is_hidden = rng_uniform(&r) < 0.4;

        count(is_hidden ? hidden : seen, &all->pref[i]);
        if (!is_hidden)
            assert_true(prefs_add(p, all->pref[i]));
    }
    return p;
}

static double foretell(const peck_prefs *p, size_t list, const char *decoder,
                       const struct votes *hidden)
{
    peck_place place[MOST];
    double score[MOST] = { 0 };
    size_t n;

    assert_ok(peck_decode_prefs(place, &n, p, list,
                                &(peck_decode_spec){ .decoder = decoder, .threads = 1 },
                                NULL, &err),
              err);
    for (size_t k = 0; k < n; k++)
        score[place[k].item] = (double)(n - k);
    return agreement(hidden, score);
}

static void hidden_votes_are_foretold(void **state)
{
    enum { SPLITS = 3, LISTS = 3 };
    const char *const path = real_data("photos/votes.txt");
    double sum[32] = { 0 }, fitted = 0, best = 0;
    peck_prefs *all = NULL;

    (void)state;
    if (path == NULL)
        skip();
    assert_int_equal(peck_prefs_read(&all, path, NULL, 0, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "votes.txt:14847: ");
    assert_ok(peck_prefs_read(&all, path, NULL, 1, &err), err);
    assert_int_equal(all->n_bad, 1);
    assert_int_equal(all->list_name.n, LISTS);
    for (size_t list = 0; list < LISTS; list++)
        for (uint64_t seed = 0; seed < SPLITS; seed++) {
            static struct votes seen, hidden;
            double score[MOST];

            seen = hidden = (struct votes){ 0 };
            peck_prefs *const p = split(all, list, seed, &seen, &hidden);

            fit_bradley_terry(&seen, score);
            fitted += agreement(&hidden, score) / (LISTS * SPLITS);
            for (size_t d = 0; d < n_decoders; d++)
                sum[d] +=
                    foretell(p, list, decoders[d]->about.name, &hidden) / (LISTS * SPLITS);
            peck_prefs_free(p);
        }
    print_message("hidden votes foretold: Bradley-Terry %.2f %%\n", 100 * fitted);
    for (size_t d = 0; d < n_decoders; d++) {
        print_message("    %-12s %.2f %%\n", decoders[d]->about.name, 100 * sum[d]);
        best = fmax(best, sum[d]);
    }
    assert_true(best >= fitted - 0.005);
    peck_prefs_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_counted),
        cmocka_unit_test(parts_are_ranked_apart),
        cmocka_unit_test(a_chain_is_one_part),
        cmocka_unit_test(hidden_votes_are_foretold),
        cmocka_unit_test(strengths_cost_what_their_order_costs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
