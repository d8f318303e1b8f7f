/* bt.c -- see bt.h. */
#include "bt.h"

#include "bt_fit.h"
#include "bt_wide.h"
#include "../base/maths.h"
#include "../base/sort.h"
#include "../base/spec.h"

#include <math.h>

enum { SHORT = 300 }; /* items and ... */
enum { FEW = 50000 }; /* ... answers that are not worth a second thread */

/* Where Newton begins: the log-odds of an item's wins, one of each added, shrunk for those who
 * may have met only strong ones or only weak ones. */
static void guess_strengths(const struct pair_table *pairs, const double *prior_mean,
                            double *t)
{
    for (uint32_t i = 0; i < pairs->n; i++) {
        double lead = 0.0, weight = 0.0;

        for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; k++) {
            lead += pairs->versus[k].lead;
            weight += pairs->versus[k].weight;
        }
        t[i] = (prior_mean != NULL ? prior_mean[i] : 0.0) +
               math_log((weight + lead + 2) / (weight - lead + 2));
    }
}

/* What was found, less the mean of all.  The rows of the covariance sum to prior_sd^2. */
static void centre_strengths(struct peck_strengths *s)
{
    const double shared = s->prior_sd * s->prior_sd / (double)s->n;
    double mean = 0.0, doubt = 0.0;

    for (uint32_t i = 0; i < s->n; i++) {
        mean += s->t[i];
        doubt += s->doubt[i];
    }
    for (uint32_t i = 0; i < s->n; i++) {
        s->t[i] -= mean / (double)s->n;
        s->doubt[i] -= doubt / (double)s->n;
        s->var[i] = math_max(0.0, s->var[i] - shared);
    }
    for (size_t k = 0; s->cov != NULL && k < (size_t)s->n * s->n; k++)
        s->cov[k] -= shared;
}

static peck_status fit_strengths(struct peck_strengths *s, const struct answers *a,
                                 const peck_strengths_spec *spec, peck_error *err)
{
    static const char what[] = "strengths";
    const size_t n = s->n;

    TRY(pairs_gather(&s->pairs, &s->arena, a, NULL, s->n, err));
    s->pair = s->pairs.pair;
    s->n_pairs = s->pairs.n_pairs;
    s->weight = s->pairs.weight;
    s->t = arena_new(&s->arena, what, n, sizeof *s->t);
    s->var = arena_new(&s->arena, what, n, sizeof *s->var);
    if (n <= BT_DENSE)
        s->cov = arena_new(&s->arena, "covariances", n * n, sizeof *s->cov);
    s->doubt = arena_new(&s->arena, what, n, sizeof *s->doubt);
    TRY(arena_check(&s->arena, err));
    guess_strengths(&s->pairs, spec->prior_mean, s->t);
    struct watch watch = { .progress = spec->progress, .ctx = spec->ctx };
    struct bt_task task = { .pairs = &s->pairs,
                            .prior_mean = spec->prior_mean,
                            .prior_sd = spec->prior_sd,
                            .tie = spec->tie,
                            .watch = &watch };
    struct bt_result out = { .t = s->t, .var = s->var, .cov = s->cov };

    if (n > SHORT || s->n_pairs > FEW)
        TRY(pool_new(&task.pool, spec->threads, err));
    const bool is_widened = spec->prior_sd <= 0.0 && s->cov != NULL;

    /* A given width: the peak.  Else averages, from a quick guess of both. */
    if (is_widened)
        out.cov = NULL;
    peck_status st = bt_fit(&task, &out, err);

    if (st == PECK_OK && is_widened) {
        task.prior_sd = out.prior_sd;
        out.cov = s->cov;
        for (size_t i = 0; i < n; i++)
            s->cov[i * n + i] = s->var[i];
        st = bt_widen(&task, out.tie, &out, s->doubt, err);
    }
    pool_free(task.pool);
    TRY(st);
    s->prior_sd = out.prior_sd;
    s->tie = out.tie;
    centre_strengths(s);
    return PECK_OK;
}

static peck_status check_answers(const peck_pref *answer, size_t n_answers, size_t n_items,
                                 peck_error *err)
{
    for (size_t k = 0; k < n_answers; k++) {
        const peck_pref *const a = &answer[k];

        if (a->winner >= n_items || a->loser >= n_items)
            return fail(err, PECK_ARG, "answer %zu: item %zu of %zu", k + 1,
                        a->winner >= n_items ? a->winner : a->loser, n_items);
        if (a->winner == a->loser)
            return fail(err, PECK_ARG, "answer %zu: item %zu is compared with itself",
                        k + 1, a->winner);
        if (!(a->probability >= 0.0f && a->probability <= 1.0f))
            return fail(err, PECK_ARG, "answer %zu: probability %g; give one from 0 to 1",
                        k + 1, (double)a->probability);
        if (!(a->weight > 0.0f && isfinite(a->weight)))
            return fail(err, PECK_ARG, "answer %zu: weight %g; give a finite one above 0",
                        k + 1, (double)a->weight);
    }
    return PECK_OK;
}

static peck_status check_spec(const peck_strengths_spec *spec, size_t n_items,
                              peck_error *err)
{
    if (n_items > INT32_MAX)
        return fail(err, PECK_ARG, "%zu items; at most %d can be ordered", n_items,
                    INT32_MAX);
    if (!(spec->prior_sd >= 0.0 && isfinite(spec->prior_sd)))
        return fail(err, PECK_ARG,
                    "prior_sd %g; give a deviation above 0, or 0 to have it found",
                    spec->prior_sd);
    if (!isfinite(spec->tie))
        return fail(err, PECK_ARG, "tie %g; give a number above 0, or 0 to have it found",
                    spec->tie);
    for (size_t i = 0; spec->prior_mean != NULL && i < n_items; i++)
        if (!isfinite(spec->prior_mean[i]))
            return fail(err, PECK_ARG, "item %zu: prior_mean %g; give a number", i,
                        spec->prior_mean[i]);
    return PECK_OK;
}

peck_status bt_strengths(struct peck_strengths **out, const struct answers *a,
                         size_t n_items, const peck_strengths_spec *spec, peck_error *err)
{
    *out = NULL;
    TRY(check_spec(spec, n_items, err));
    struct peck_strengths *const s = mem_new(1, sizeof *s);

    if (s == NULL)
        return fail_memory(err, "strengths", 1, sizeof *s);
    s->n = (uint32_t)n_items;
    const peck_status st = fit_strengths(s, a, spec, err);

    if (st == PECK_OK)
        *out = s;
    else
        peck_strengths_free(s);
    return st;
}

peck_status peck_strengths_fit(peck_strengths **out, const peck_pref *answer,
                               size_t n_answers, size_t n_items,
                               const peck_strengths_spec *spec, peck_error *err)
{
    peck_strengths_spec own;
    const struct answers a = { .pref = answer, .n = n_answers };

    *out = NULL;
    TRY(SPEC_TAKE(peck_strengths_spec, &own, ctx, spec, err));
    TRY(check_answers(answer, n_answers, n_items, err));
    return bt_strengths(out, &a, n_items, &own, err);
}

peck_status peck_strengths_fit_prefs(peck_strengths **out, const peck_prefs *p, size_t list,
                                     const peck_strengths_spec *spec, peck_error *err)
{
    peck_strengths_spec own;
    peck_prefs_info info;

    *out = NULL;
    peck_prefs_describe(p, &info);
    const struct answers a = {
        .prefs = p, .list = list, .n = info.n_prefs, .is_counted = true
    };

    TRY(SPEC_TAKE(peck_strengths_spec, &own, ctx, spec, err));
    return bt_strengths(out, &a, info.n_items, &own, err);
}

void peck_strengths_read(const peck_strengths *s, double *mean, double *sd)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (mean != NULL)
            mean[i] = s->t[i];
        if (sd != NULL)
            sd[i] = sqrt(s->var[i] + s->doubt[i] * s->doubt[i]);
    }
}

double bt_var(const struct peck_strengths *s, uint32_t i, uint32_t j)
{
    const double both = s->var[i] + s->var[j];

    return s->cov == NULL ? both : both - 2 * s->cov[(size_t)i * s->n + j];
}

double bt_phi(double z)
{
    return math_erfc(-z * 0.70710678118654752440) / 2;
}

double bt_above(const struct peck_strengths *s, uint32_t i, uint32_t j)
{
    const double var = bt_var(s, i, j), d = s->t[i] - s->t[j];

    return var > 0.0 ? bt_phi(d / sqrt(var)) : d > 0.0 ? 1.0 : d < 0.0 ? 0.0 : 0.5;
}

double peck_strengths_above(const peck_strengths *s, size_t i, size_t j)
{
    return i == j ? 0.5 : bt_above(s, (uint32_t)i, (uint32_t)j);
}

void peck_strengths_free(peck_strengths *s)
{
    if (s == NULL)
        return;
    arena_free(&s->arena);
    mem_free(s);
}

/* Places ----------------------------------------------------------------------------- */

peck_status peck_strengths_places(const peck_strengths *s, peck_place *place,
                                  size_t *n_places, peck_error *err)
{
    static const char what[] = "places";
    struct arena arena = { 0 };
    struct pair_table t = s->pairs;
    const size_t n = s->n;
    uint32_t *const order = arena_new(&arena, what, n, sizeof *order);
    uint32_t *const rank = arena_new(&arena, what, n, sizeof *rank);
    struct sort_item *const room = arena_new(&arena, what, 2 * n, sizeof *room);
    size_t *const next =
        arena_new(&arena, what, n, sizeof *next); /* place of each part's next */
    peck_status st = pairs_find_parts(&t, &arena, err);

    *n_places = 0;
    if (st == PECK_OK)
        st = arena_check(&arena, err);
    if (st == PECK_OK) {
        order_desc(s->t, s->n, order, room);
        for (uint32_t k = 0; k < s->n; k++)
            rank[order[k]] = k;
        /* Parts of a single item that no answer names are the last ones; they get no place. */
        for (uint32_t k = 0, at = 0; k < t.n_parts; at += (uint32_t)t.size[k++])
            next[k] = at;
        for (uint32_t k = 0; k < s->n; k++) {
            const uint32_t i = order[k];

            if (t.start[i] == t.start[i + 1])
                continue;
            const size_t part = t.part[i], at = next[part]++;

            place[at] =
                (peck_place){ .item = i, .part = part, .rank = at + 1, .score = s->t[i] };
            for (size_t e = t.start[i]; e < t.start[i + 1]; e++) {
                const struct versus *const v = &t.versus[e];
                const double lead = k < rank[v->other] ? v->lead : -v->lead;

                place[at].evidence += v->weight;
                place[at].against += (v->weight - lead) / 2;
            }
            (*n_places)++;
        }
        /* Ranks are within a part. */
        for (size_t k = 0, first = 0; k < *n_places; k++) {
            if (k > 0 && place[k].part != place[k - 1].part)
                first = k;
            place[k].rank = k - first + 1;
        }
    }
    arena_free(&arena);
    return st;
}
