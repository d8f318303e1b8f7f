/* duelling.c -- see duelling.h. */
#include "duelling.h"
#include "lambda.h"

#include <math.h>

/* The lead of a preference of 0 or 1 stays finite. */
#define NEAREST_PREFERENCE ((real)1e-6)

struct duel_scratch *duel_scratch_new(struct arena *a, const struct duel_rule *rule)
{
    struct duel_scratch *const scratch = arena_new(a, "duels", 1, sizeof *scratch);

    if (scratch != NULL)
        scratch->keep = arena_new(a, "duels", DUELS_AT_ONCE * rule->n_kept, sizeof(real));
    return scratch;
}

/* Duels of one query on their way. */
struct bout {
    const struct duel_rule *rule;
    const real *w, *view;
    struct duel_scratch *scratch;
    real part; /* of a pair's derivatives */
    real *dview, *dw;
    double loss;
    const void *judge; /* of what a pair weighs beyond its own; NULL: nothing */
    real per_pair;     /* ... over the mean of all pairs */
};

/* The duels that wait: through the net, to the objective, which tells the loss and its
 * derivatives by both outputs, and back to the views and the weights. */
static void duelling_settle(struct bout *b)
{
    const struct duel_rule *const r = b->rule;
    struct duel_scratch *const scratch = b->scratch;
    const size_t n = scratch->n;

    r->family->compares->duels(r->shape, b->w, b->view, scratch->duel, n, scratch->out,
                               b->dw != NULL ? scratch->keep : NULL);
    b->loss +=
        r->objective->duels(r->config, scratch->pair, n, scratch->out, scratch->dout);
    scratch->n = 0;
    if (b->dw == NULL)
        return;
    for (size_t k = 0; k < n; k++) {
        scratch->dout[k][0] *= b->part;
        scratch->dout[k][1] *= b->part;
    }
    r->family->compares->duels_back(r->shape, b->w, b->view, scratch->duel, n,
                                    scratch->dout, scratch->keep, b->dview, b->dw);
}

static inline void duelling_put(struct bout *b, struct pair pair)
{
    struct duel_scratch *const scratch = b->scratch;

    if (b->judge != NULL) {
        pair.weight *= (float)(b->per_pair * lambda_weight(b->judge, pair.i, pair.j));
        if (pair.weight == 0.0f)
            return;
    }
    scratch->duel[scratch->n] = (peck_duel){ pair.i, pair.j };
    scratch->pair[scratch->n] = pair;
    if (++scratch->n == DUELS_AT_ONCE)
        duelling_settle(b);
}

/* The pairs (i, lo .. hi-1) of probability p. */
static void put_run(struct bout *b, const struct query_pairs *q, uint32_t i, uint32_t lo,
                    uint32_t hi, float p)
{
    const float *const weight = q->doc_weight;

    for (uint32_t j = lo; j < hi; j++)
        duelling_put(
            b, (struct pair){ i, j, p, weight != NULL ? weight[i] * weight[j] : 1.0f });
}

/* The order in which the net puts the documents of q that take part, found by merging runs
 * from the order of the data, as scores s[q->n]: those who take part get n - 1 down to 0.
 * order[2 q->n] is scratch. */
static void duelling_standings(const struct duel_rule *r, const struct query_pairs *q,
                               const real *w, const real *view, real *s, uint32_t *order)
{
    uint32_t *from = order, *to = order + q->n;

    for (uint32_t i = 0; i < q->n; i++)
        from[q->from[i]] = i;
    for (size_t half = 1; half < q->n; half *= 2) {
        for (size_t at = 0; at < q->n; at += 2 * half) {
            const size_t mid = at + half < q->n ? at + half : q->n;
            const size_t end = mid + half < q->n ? mid + half : q->n;

            for (size_t i = at, j = mid, k = at; k < end; k++) {
                real lead = i < mid ? 1 : -1;

                if (i < mid && j < end)
                    r->family->compares->decide(r->shape, w, view,
                                                &(peck_duel){ from[i], from[j] }, 1, &lead);
                to[k] = lead >= 0 ? from[i++] : from[j++];
            }
        }
        uint32_t *const swap = from;

        from = to;
        to = swap;
    }
    for (uint32_t k = 0; k < q->n; k++)
        s[from[k]] = (real)(q->n - 1 - k);
}

double duelling(const struct duel_rule *rule, const struct query_pairs *q, const real *w,
                const real *view, struct duel_scratch *scratch, real part, real *dview,
                real *dw)
{
    struct bout b = { .rule = rule,
                      .w = w,
                      .view = view,
                      .scratch = scratch,
                      .part = (real)((double)part / q->n_all),
                      .dview = dview,
                      .dw = dw };
    const struct lambda_config *const lambda =
        rule->objective->delta != NULL ? rule->objective->delta(rule->config) : NULL;

    if (q->n_all <= 0.0)
        return 0.0;
    scratch->n = 0;
    if (lambda != NULL && q->scratch != NULL && q->n_judged > 0) {
        real *const s = (real *)(void *)((char *)q->scratch + lambda_scratch(q->n));

        duelling_standings(rule, q, w, view, s, (uint32_t *)(void *)(s + q->n));
        b.judge = lambda_judge(lambda, q, s);
        b.per_pair = (real)q->n_all; /* shares of the query's best value: no mean */
        if (b.judge == NULL)
            return 0.0;
    }
    for (uint32_t i = 0; q->below != NULL && i < q->n_judged; i++)
        put_run(&b, q, i, q->below[i], q->until[i], 1.0f);
    for (uint32_t i = 0; q->ties_until != NULL && i < q->n_judged; i++)
        put_run(&b, q, i, i + 1, q->ties_until[i], 0.5f);
    for (size_t t = 0; t < q->n_pairs; t++)
        duelling_put(&b, q->pair[t]);
    if (scratch->n > 0)
        duelling_settle(&b);
    return b.loss / q->n_all;
}

/* All pairs ---------------------------------------------------------------------------- */

/* Whether the first goes before the second, and the other way round; both add up to 1. */
struct chance {
    double first, second;
};

static struct chance chance_of(const real out[2])
{
    const double apart = (double)(out[0] - out[1]);

    return (struct chance){ math_max(0.5 + 0.5 * apart, (double)NEAREST_PREFERENCE),
                            math_max(0.5 - 0.5 * apart, (double)NEAREST_PREFERENCE) };
}

void duelling_leads(const struct duel_rule *rule, size_t n, const real *w, const real *view,
                    struct duel_scratch *scratch, real *lead)
{
    const size_t n_duels = n * (n - (n > 0)) / 2;
    real odds[DUELS_AT_ONCE];
    uint32_t i = 0, j = 0;

    for (size_t d = 0; d < n; d++)
        lead[d * n + d] = 0;
    for (size_t done = 0, m; done < n_duels; done += m) {
        for (m = 0; m < DUELS_AT_ONCE && done + m < n_duels; m++) {
            if (++j == n)
                j = ++i + 1;
            scratch->duel[m] = (peck_duel){ i, j };
        }
        rule->family->compares->duels(rule->shape, w, view, scratch->duel, m, scratch->out,
                                      NULL);
        /* log(P / (1 - P)) of whoever is ahead: P / (1 - P) = 1 + apart / (1 - P) */
        for (size_t k = 0; k < m; k++) {
            const real apart =
                (real)fabs((double)(scratch->out[k][0] - scratch->out[k][1]));
            const real behind = (real)0.5 - (real)0.5 * apart;

            odds[k] = apart / (behind > NEAREST_PREFERENCE ? behind : NEAREST_PREFERENCE);
        }
        real_log1p(odds, m);
        for (size_t k = 0; k < m; k++) {
            const size_t a = scratch->duel[k].i, b = scratch->duel[k].j;

            lead[a * n + b] = scratch->out[k][0] < scratch->out[k][1] ? -odds[k] : odds[k];
            lead[b * n + a] = -lead[a * n + b];
        }
    }
}

/* The duels that wait, again, and back: d lead / d out = (1, -1) / (2 P (1 - P)). */
static void push_waiting(const struct duel_rule *rule, size_t n, const real *w,
                         const real *view, struct duel_scratch *scratch, const real *dlead,
                         real *dview, real *dw)
{
    const size_t m = scratch->n;

    rule->family->compares->duels(rule->shape, w, view, scratch->duel, m, scratch->out,
                                  scratch->keep);
    for (size_t k = 0; k < m; k++) {
        const struct chance p = chance_of(scratch->out[k]);
        const size_t a = scratch->duel[k].i, b = scratch->duel[k].j;
        const double push = (double)(dlead[a * n + b] - dlead[b * n + a]);

        scratch->dout[k][0] = (real)(0.5 * push / (p.first * p.second));
        scratch->dout[k][1] = -scratch->dout[k][0];
    }
    rule->family->compares->duels_back(rule->shape, w, view, scratch->duel, m,
                                       scratch->dout, scratch->keep, dview, dw);
    scratch->n = 0;
}

void duelling_push(const struct duel_rule *rule, size_t n, const real *w, const real *view,
                   struct duel_scratch *scratch, const real *dlead, real *dview, real *dw)
{
    scratch->n = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            if (dlead[i * n + j] == dlead[j * n + i])
                continue;
            scratch->duel[scratch->n++] = (peck_duel){ i, j };
            if (scratch->n == DUELS_AT_ONCE)
                push_waiting(rule, n, w, view, scratch, dlead, dview, dw);
        }
    if (scratch->n > 0)
        push_waiting(rule, n, w, view, scratch, dlead, dview, dw);
}
