/* sureness.c -- how sure the order is, and how many questions more it may take: see next.h.
 *
 * Whether the first k are the true ones is counted in draws of the posterior; only items near
 * the end of the top can be wrong, so only those are drawn.                              */
#include "next.h"

#include "../base/factor.h"
#include "../base/maths.h"
#include "../base/rng.h"
#include "../base/sort.h"
#include "../base/spec.h"

#include <math.h>
#include <stdlib.h>

enum {
    CONTENDERS = 64, /* items that are drawn, at most */
    DRAWS = 1024,    /* each used twice, with both signs */
};

static const double ENOUGH = 0.95;

/* Found by simulation (bench/ask.py): the share of wrong pairs falls as a power of the answers,
 * after the first one an item, which say little of it; and questions are not all put at the end
 * of the top, since no pair is asked again soon: the less, the more items there are. */
static const double LEFT_POWER = 1.3, LEFT_TOP = 0.5; /* the latter by their root */

/* Items whose place at one side of the end of the top is in doubt. */
struct contest {
    uint32_t n, n_top;         /* the first n_top of them are in the top */
    uint32_t item[CONTENDERS]; /* by falling strength */
    double t[CONTENDERS];
    double *l; /* [side][side]: factor of their covariance */
    size_t side;
};

static peck_status contest_open(struct contest *c, const struct peck_strengths *s,
                                const uint32_t *order, uint32_t n, uint32_t top,
                                struct arena *room, peck_error *err)
{
    const double end = (s->t[order[top - 1]] + s->t[order[top]]) / 2;
    uint32_t from = top, to = top; /* of order: those that count */
    double sum = 0.0;

    while (from > 0 && to - from < CONTENDERS / 2 && top - from < CONTENDERS / 2)
        from--;
    while (to < n && to - from < CONTENDERS)
        to++;
    c->n = c->n_top = 0;
    for (uint32_t k = from; k < to; k++) {
        const uint32_t i = order[k];

        if (fabs(s->t[i] - end) > 6 * sqrt(s->var[i]) && k != top - 1 && k != top)
            continue;
        c->n_top += k < top;
        c->t[c->n] = s->t[i] - end;
        c->item[c->n++] = i;
        sum += s->var[i];
    }
    c->side = factor_side(c->n);
    c->l = arena_new(room, "covariances", c->side * c->side, sizeof *c->l);
    TRY(arena_check(room, err));
    for (size_t i = 0; i < c->side; i++)
        c->l[i * c->side + i] = 1.0;
    /* Strengths less their mean have a direction without variance: a little is added. */
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j <= i; j++)
            c->l[i * c->side + j] =
                (i == j           ? s->var[c->item[i]] + 1e-9 * sum + 1e-300
                 : s->cov != NULL ? s->cov[(size_t)c->item[i] * s->n + c->item[j]]
                                  : 0.0);
    factor_make(c->l, c->side, NULL);
    return PECK_OK;
}

/* A draw's deviations from t. */
static void contest_draw(const struct contest *c, struct rng *r, double *off)
{
    double z[CONTENDERS];

    for (uint32_t k = 0; k < c->n; k++)
        z[k] = rng_normal(r);
    for (uint32_t k = 0; k < c->n; k++) {
        off[k] = 0.0;
        for (uint32_t m = 0; m <= k; m++)
            off[k] += c->l[k * c->side + m] * z[m];
    }
}

/* P(the top is right), less two deviations of such a count: who looks after every answer and stops
 * at the first that is sure would else stop at lucky draws. */
static double contest_odds(const struct contest *c)
{
    double off[CONTENDERS];
    size_t n_right = 0;
    struct rng r;

    rng_seed(&r, 20, c->n);
    for (int d = 0; d < 2 * DRAWS; d++) {
        const double sign = d % 2 == 0 ? 1.0 : -1.0;
        double low = HUGE_VAL, high = -HUGE_VAL;

        if (d % 2 == 0)
            contest_draw(c, &r, off);
        for (uint32_t k = 0; k < c->n_top; k++)
            low = math_min(low, c->t[k] + sign * off[k]);
        for (uint32_t k = c->n_top; k < c->n; k++)
            high = math_max(high, c->t[k] + sign * off[k]);
        n_right += low > high;
    }
    const double p = (double)n_right / (2 * DRAWS);

    return math_max(0.0, p - 2 * sqrt(p * (1.0 - p) / (2 * DRAWS)));
}

static int by_falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Questions until the top is sure, were strengths as in a draw: an item at a distance g from
 * the end of the top must be known to a variance of g^2 / 2, and an answer adds 1/4 at best
 * to the precision of a difference.  The median over draws, since gaps may be next to none. */
static double contest_left(const struct contest *c, const struct peck_strengths *s)
{
    enum { N = 101 };
    double off[CONTENDERS], x[CONTENDERS], sorted[CONTENDERS], left[N];
    struct rng r;

    rng_seed(&r, 21, c->n);
    for (int d = 0; d < N; d++) {
        const double sign = d % 2 == 0 ? 1.0 : -1.0;

        if (d % 2 == 0)
            contest_draw(c, &r, off);
        for (uint32_t k = 0; k < c->n; k++)
            x[k] = sorted[k] = c->t[k] + sign * off[k];
        qsort(sorted, c->n, sizeof *sorted, by_falling);
        const double end = (sorted[c->n_top - 1] + sorted[c->n_top]) / 2;

        left[d] = 0.0;
        for (uint32_t k = 0; k < c->n; k++) {
            const double gap = math_max(fabs(x[k] - end), 1e-3);

            left[d] += math_max(0.0, 2.0 / (gap * gap) - 1.0 / s->var[c->item[k]]);
        }
    }
    qsort(left, N, sizeof *left, by_falling);
    return LEFT_TOP * sqrt(c->n) * left[N / 2];
}

/* P(the first `top` of order[n] are the true ones); questions left into *left, may be NULL. */
static peck_status top_odds(const struct peck_strengths *s, const uint32_t *order,
                            uint32_t n, size_t top, double *odds, double *left,
                            peck_error *err)
{
    struct arena room = { 0 };
    struct contest c;

    *odds = 1.0;
    if (top == 0 || top >= n)
        return PECK_OK;
    const peck_status st = contest_open(&c, s, order, n, (uint32_t)top, &room, err);

    if (st == PECK_OK) {
        *odds = contest_odds(&c);
        if (left != NULL)
            *left = contest_left(&c, s);
    }
    arena_free(&room);
    return st;
}

/* Expected share of pairs in the wrong order.  Far ones are right. */
static double wrong_pairs(const struct peck_strengths *s, const uint32_t *order, uint32_t n)
{
    double sum = 0.0, widest = 0.0;

    for (uint32_t k = 0; k < n; k++)
        widest = math_max(widest, s->var[order[k]]);
    const double far =
        6 * sqrt(4 * widest); /* deviations of a difference: 2 of an item at most */

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            if (s->t[order[a]] - s->t[order[b]] > far)
                break;
            sum += 1.0 - bt_above(s, order[a], order[b]);
        }
    return n > 1 ? sum / ((double)n * (n - 1) / 2) : 0.0;
}

peck_status peck_strengths_sureness(const peck_strengths *s, const peck_question_spec *spec,
                                    peck_sureness *out, peck_error *err)
{
    peck_question_spec own;
    struct arena room = { 0 };
    double left = 0.0;

    *out = (peck_sureness){ 0 };
    TRY(SPEC_TAKE(peck_question_spec, &own, again, spec, err));
    uint32_t *const order = arena_new(&room, "items", s->n, sizeof *order);
    struct sort_item *const scratch =
        arena_new(&room, "items", 2 * (size_t)s->n, sizeof *scratch);
    peck_status st = arena_check(&room, err);
    uint32_t n = 0;

    if (st == PECK_OK) {
        order_desc(s->t, s->n, order, scratch);
        for (uint32_t k = 0; k < s->n; k++)
            if (is_in(&own, order[k]))
                order[n++] = order[k];
        st = top_odds(s, order, n, 1, &out->first, NULL, err);
    }
    if (st == PECK_OK)
        st = top_odds(s, order, n, own.top > 0 ? own.top : 1, &out->top, &left, err);
    if (st == PECK_OK) {
        const double wrong = wrong_pairs(s, order, n);

        out->pairs = 1.0 - wrong;
        if (own.top == 0)
            left = math_max(s->weight, n) *
                   (math_pow(wrong / (1.0 - ENOUGH), LEFT_POWER) - 1.0);
        out->is_enough = (own.top > 0 ? out->top : out->pairs) >= ENOUGH;
        out->questions_left = out->is_enough ? 0.0 : math_max(1.0, left);
    }
    arena_free(&room);
    return st;
}
