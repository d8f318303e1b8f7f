/* next.c -- see next.h. */
#include "next.h"

#include "../base/maths.h"
#include "../base/rng.h"
#include "../base/sort.h"
#include "../base/spec.h"

#include <math.h>
#include <string.h>

enum {
    NEWCOMER = 3, /* an item that met fewer others than this is new */
    NEIGHBOURS =
        32, /* ... in the order that are looked at where there are no covariances */
};

static const double AGAIN = 1.0 / 15; /* share of questions that were asked before */

/* e^(-z^2/2), nearly, z^2 = d^2 / v: (1 + z^2/16)^-8. */
static inline double bell(double d, double v)
{
    const double x = v / (v + d * d * 0.0625), x2 = x * x, x4 = x2 * x2;

    return x4 * x4;
}

/* Doubts of all pairs in play, from covariances: a row at a time, so that it is quick. */
static void gain_of_all(struct asking *a, const double *in)
{
    const size_t n = a->s->n;
    double *const gain = a->gain, *const g = a->row;

    for (size_t i = 1; i < n; i++) {
        const double *const cov = a->cov + i * n, *const t = a->s->t, *const var = a->var;
        const double ti = t[i], vi = var[i], mine = in[i];
        double sum[4] = { 0 };

        if (mine == 0.0)
            continue;
        for (size_t j = 0; j < i; j++) {
            const double v = vi + var[j] - 2 * cov[j] + 1e-12;

            g[j] = in[j] * bell(ti - t[j], v) / sqrt(v);
            gain[j] += g[j];
        }
        for (size_t j = 0; j < i; j++)
            sum[j & 3] += g[j];
        gain[i] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* The doubt of one pair. */
static void gain_of_pair(struct asking *a, uint32_t i, uint32_t j)
{
    const double v = bt_var(a->s, i, j) + 1e-12;
    const double g = bell(a->s->t[i] - a->s->t[j], v) / sqrt(v);

    a->gain[i] += g;
    a->gain[j] += g;
}

static void find_gain(struct asking *a, const double *in)
{
    const uint32_t top = a->spec->top < a->n ? (uint32_t)a->spec->top : 0;

    if (top > 0) {
        const uint32_t far = a->s->cov == NULL && a->n - top > 1000 ? top + 1000 : a->n;

        for (uint32_t k = 0; k < top; k++)
            for (uint32_t m = top; m < far; m++)
                gain_of_pair(a, a->item[k], a->item[m]);
    } else if (a->s->cov != NULL) {
        gain_of_all(a, in);
    } else {
        for (uint32_t k = 0; k < a->n; k++)
            for (uint32_t m = k + 1; m < a->n && m <= k + NEIGHBOURS; m++)
                gain_of_pair(a, a->item[k], a->item[m]);
    }
    if (top > 0)
        return;
    double mean = 0.0;

    for (size_t i = 0; i < a->s->n; i++)
        mean += a->gain[i] / a->n;
    for (size_t i = 0; mean > 0.0 && i < a->s->n; i++)
        a->gain[i] *= sqrt(a->gain[i] / mean);
}

peck_status asking_open(struct asking *a, const struct peck_strengths *s,
                        const peck_question_spec *spec, struct arena *room, peck_error *err)
{
    const size_t n = s->n;

    *a = (struct asking){ .s = s, .spec = spec, .var = s->var, .cov = s->cov };
    a->item = arena_new(room, "items", n, sizeof *a->item);
    a->n_met = arena_new(room, "items", n, sizeof *a->n_met);
    a->up = arena_new(room, "items", n, sizeof *a->up);
    a->down = arena_new(room, "items", n, sizeof *a->down);
    a->gain = arena_new(room, "items", n, sizeof *a->gain);
    a->row = arena_new(room, "items", n, sizeof *a->row);
    double *const in = arena_new(room, "items", n, sizeof *in);
    struct sort_item *const scratch = arena_new(room, "items", 2 * n, sizeof *scratch);

    TRY(arena_check(room, err));
    order_desc(s->t, s->n, a->item, scratch);
    for (uint32_t k = 0; k < s->n; k++)
        if (is_in(spec, a->item[k]))
            a->item[a->n++] = a->item[k];
    for (size_t i = 0; i < n; i++) {
        in[i] = is_in(spec, i) ? 1.0 : 0.0;
        a->up[i] = math_exp(s->t[i] / 2);
        a->down[i] = 1.0 / a->up[i];
    }
    for (size_t k = 0; k < s->n_pairs; k++) {
        a->n_met[s->pair[k].i]++;
        a->n_met[s->pair[k].j]++;
    }
    find_gain(a, in);
    return PECK_OK;
}

/* p (1 - p). */
static inline double openness(const struct asking *a, size_t i, size_t j)
{
    const double x = a->up[i] * a->down[j] + a->up[j] * a->down[i];

    return 1.0 / (x * x);
}

double asking_worth(const struct asking *a, uint32_t i, uint32_t j)
{
    const double both = a->cov != NULL ? a->cov[(size_t)i * a->s->n + j] : 0.0;
    const double ci = a->var[i] - both, cj = a->var[j] - both;

    return openness(a, i, j) * (ci * ci * a->gain[i] + cj * cj * a->gain[j]);
}

static bool is_same(peck_duel d, uint32_t i, uint32_t j)
{
    return (d.i == i && d.j == j) || (d.i == j && d.j == i);
}

/* The k-th question before this one, 0 the last. */
static const peck_duel *question_before(const struct asking *a, size_t k)
{
    if (k < a->n_asked)
        return &a->asked[a->n_asked - 1 - k];
    k -= a->n_asked;
    return k < a->spec->n_recent ? &a->spec->recent[a->spec->n_recent - 1 - k] : NULL;
}

/* How much a question may bore: none of what it must not do; an item for the third time in a
 * row, where nothing else is left; the last pair again. */
enum patience { FRESH, ITEM_AGAIN, PAIR_AGAIN };

static bool may_ask(const struct asking *a, uint32_t i, uint32_t j, enum patience bears)
{
    const peck_duel *const last = question_before(a, 0), *const before =
                                                             question_before(a, 1);

    for (size_t k = 0; k < a->n_asked; k++)
        if (is_same(a->asked[k], i, j))
            return false;
    if (last == NULL || bears == PAIR_AGAIN)
        return true;
    if (is_same(*last, i, j))
        return false;
    if (before == NULL || bears == ITEM_AGAIN)
        return true;
    for (int side = 0; side < 2; side++) {
        const uint32_t k = side == 0 ? i : j;

        if ((last->i == k || last->j == k) && (before->i == k || before->j == k))
            return false;
    }
    return true;
}

struct choice {
    peck_duel pair;
    double worth; /* below 0: none yet */
};

static void consider(const struct asking *a, uint32_t i, uint32_t j, double worth,
                     enum patience bears, struct choice *best)
{
    if (worth > best->worth && is_in(a->spec, i) && is_in(a->spec, j) &&
        may_ask(a, i, j, bears))
        *best = (struct choice){ { i, j }, worth };
}

/* The best of all pairs, from covariances. */
static void choose_of_all(struct asking *a, enum patience bears, struct choice *best)
{
    const size_t n = a->s->n;
    double *const worth = a->row;

    for (uint32_t i = 1; i < n; i++) {
        const double *const cov = a->cov + i * n, *const var = a->var;
        const double up = a->up[i], down = a->down[i], vi = var[i], gi = a->gain[i];
        double most = 0.0;

        if (!is_in(a->spec, i))
            continue;
        for (size_t j = 0; j < i; j++) {
            const double ci = vi - cov[j], cj = var[j] - cov[j];
            const double x = up * a->down[j] + a->up[j] * down;

            worth[j] = (ci * ci * gi + cj * cj * a->gain[j]) / (x * x);
        }
        for (size_t j = 0; j < i; j++)
            most = worth[j] > most ? worth[j] : most;
        for (uint32_t j = 0; most >= best->worth && j < i; j++)
            consider(a, i, j, worth[j], bears, best);
    }
}

static void choose_of_neighbours(const struct asking *a, enum patience bears,
                                 struct choice *best)
{
    for (uint32_t k = 0; k < a->n; k++)
        for (uint32_t m = k + 1; m < a->n && m <= k + NEIGHBOURS; m++)
            consider(a, a->item[k], a->item[m], asking_worth(a, a->item[k], a->item[m]),
                     bears, best);
}

/* An item that is new among many known ones is put where it belongs first: it meets the known
 * item with which the outcome is most open, as in a binary search. */
static void choose_for_newcomer(const struct asking *a, struct choice *best)
{
    uint32_t n_known = 0;

    for (uint32_t k = 0; k < a->n; k++)
        n_known += a->n_met[a->item[k]] >= NEWCOMER;
    if (n_known < 3 || 2 * n_known < a->n || n_known == a->n)
        return;
    for (uint32_t k = 0; k < a->n; k++) {
        if (a->n_met[a->item[k]] >= NEWCOMER)
            continue;
        for (uint32_t m = 0; m < a->n; m++)
            if (a->n_met[a->item[m]] >= NEWCOMER)
                consider(a, a->item[k], a->item[m],
                         openness(a, a->item[k], a->item[m]) * a->var[a->item[k]], FRESH,
                         best);
        if (best->worth >= 0.0)
            break;
    }
    if (best->worth >= 0.0)
        best->worth = asking_worth(a, best->pair.i, best->pair.j);
}

/* The best of those that were answered, some questions ago. */
static void choose_again(const struct asking *a, struct choice *best)
{
    for (size_t k = 0; a->s->n_pairs >= a->n && k < a->s->n_pairs; k++) {
        const struct bt_pair *const p = &a->s->pair[k];
        bool is_recent = false;

        for (size_t m = 0; m < 5 && question_before(a, m) != NULL; m++)
            is_recent |= is_same(*question_before(a, m), p->i, p->j);
        if (!is_recent)
            consider(a, p->i, p->j, asking_worth(a, p->i, p->j), FRESH, best);
    }
}

/* What the posterior will be when the pair is answered, whatever the answer, its strengths
 * being what they are. */
static void foresee(struct asking *a, peck_duel d)
{
    const size_t n = a->s->n;
    const double w = openness(a, d.i, d.j);
    double *const c = a->row;

    a->n_met[d.i]++;
    a->n_met[d.j]++;
    if (a->cov == NULL) {
        const double per = w / (1.0 + w * (a->var[d.i] + a->var[d.j]));

        a->var[d.i] -= per * a->var[d.i] * a->var[d.i];
        a->var[d.j] -= per * a->var[d.j] * a->var[d.j];
        return;
    }
    for (size_t k = 0; k < n; k++)
        c[k] = a->cov[d.i * n + k] - a->cov[d.j * n + k];
    const double per = w / (1.0 + w * (c[d.i] - c[d.j]));

    for (size_t i = 0; i < n; i++) {
        double *const row = a->cov + i * n;
        const double by = per * c[i];

        for (size_t j = 0; j < n; j++)
            row[j] -= by * c[j];
        a->var[i] = row[i];
    }
}

/* Left and right at random, or the other way round than lately. */
static peck_duel with_sides(const struct asking *a, peck_duel d, struct rng *r)
{
    const peck_duel turned = { d.j, d.i };

    for (size_t k = 0; k < a->spec->n_recent; k++) {
        const peck_duel before = a->spec->recent[a->spec->n_recent - 1 - k];

        if (is_same(before, d.i, d.j))
            return before.i == d.i ? turned : d;
    }
    return rng_below(r, 2) == 0 ? d : turned;
}

static void choose(struct asking *a, double again, struct rng *r, struct choice *best)
{
    const bool is_again = rng_uniform(r) < again;

    *best = (struct choice){ .worth = -1.0 };
    choose_for_newcomer(a, best);
    if (best->worth < 0.0 && is_again)
        choose_again(a, best);
    for (int bears = FRESH; bears <= PAIR_AGAIN && best->worth < 0.0; bears++) {
        if (a->cov != NULL)
            choose_of_all(a, (enum patience)bears, best);
        else
            choose_of_neighbours(a, (enum patience)bears, best);
    }
}

peck_status peck_strengths_next(const peck_strengths *s, const peck_question_spec *spec,
                                peck_duel *pair, double *worth, size_t *n_pairs,
                                peck_error *err)
{
    peck_question_spec own;
    const size_t most = *n_pairs, n = s->n;
    struct arena room = { 0 };
    struct asking a;
    struct rng r;

    *n_pairs = 0;
    TRY(SPEC_TAKE(peck_question_spec, &own, again, spec, err));
    peck_status st = asking_open(&a, s, &own, &room, err);

    if (st == PECK_OK && most > 1) {
        a.var = arena_new(&room, "items", n, sizeof *a.var);
        a.cov =
            s->cov != NULL ? arena_new(&room, "covariances", n * n, sizeof *a.cov) : NULL;
        st = arena_check(&room, err);
    }
    if (st == PECK_OK && most > 1) {
        memcpy(a.var, s->var, n * sizeof *a.var);
        if (a.cov != NULL)
            memcpy(a.cov, s->cov, n * n * sizeof *a.cov);
    }
    /* With every answer other sides, and others that are asked again. */
    rng_seed(&r, own.seed, mix64((uint64_t)(s->weight * 16.0), own.n_recent));
    a.asked = pair;
    for (struct choice best; st == PECK_OK && a.n >= 2 && *n_pairs < most;) {
        choose(&a, own.again == 0.0 ? AGAIN : own.again, &r, &best);
        if (best.worth < 0.0)
            break;
        if (worth != NULL)
            worth[*n_pairs] = best.worth;
        pair[(*n_pairs)++] = with_sides(&a, best.pair, &r);
        a.n_asked = *n_pairs;
        if (*n_pairs < most)
            foresee(&a, best.pair);
    }
    arena_free(&room);
    return st;
}
