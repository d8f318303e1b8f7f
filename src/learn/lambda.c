/* lambda.c -- see lambda.h. */
#include "lambda.h"
#include "../base/sort.h"

enum { DELTA_NDCG, DELTA_MAP, DELTA_PAIRERR };
enum { GAIN_EXP, GAIN_LINEAR };
enum { MAX_EXP_LABEL = 31 };

/* One query under its present scores; arrays in the lesson's order. */
struct standing {
    const struct lesson *q;
    int delta;
    real share;           /* pair error: of one pair */
    uint32_t n_near;      /* documents at ranks 1 .. n_near can change the metric */
    uint32_t *near;       /* ... those */
    const uint32_t *rank; /* n, from 1 */
    real *gain;           /* NDCG: over the ideal DCG */
    real *discount;       /* NDCG: 0 beyond k */
    uint32_t n_relevant;  /* MAP: the first so many are */
    real *precision;      /* MAP: at its rank */
    real *harmonic;       /* MAP: sum of 1/t over relevant ranks t up to its own */
    real *inverse;        /* MAP: 1 / rank */
    real per_relevant;    /* MAP: 1 / n_relevant */
};

/* Ranks -------------------------------------------------------------------------- */

/* near[] becomes the documents by falling score, q->rank their ranks.  Equal scores keep
 * the data's order, not that of the labels; who takes no part comes last. */
static void rank(struct standing *st, const real *s, char *room)
{
    const struct lesson *const q = st->q;
    double *const score = (double *)(void *)room;
    struct sort_item *const item = (struct sort_item *)(void *)(score + q->n);
    uint32_t *const place = (uint32_t *)(void *)(item + 2 * (size_t)q->n);

    for (uint32_t i = 0; i < q->n; i++) {
        score[q->from[i]] = i < q->n_ranked ? (double)s[i] : -HUGE_VAL;
        place[q->from[i]] = i;
    }
    order_desc(score, q->n, st->near, item);
    for (uint32_t r = 0; r < q->n; r++) {
        st->near[r] = place[st->near[r]];
        q->rank[st->near[r]] = r + 1;
    }
    st->rank = q->rank;
    st->n_near = q->n_ranked;
}

/* NDCG --------------------------------------------------------------------------- */

static double gain_of(double label, bool is_linear)
{
    if (label <= 0.0) /* irrelevant, or not judged */
        return 0.0;
    return is_linear ? label : exp2(label) - 1.0;
}

/* false: no document gains anything. */
static bool prepare_ndcg(struct standing *st, const struct lambda_config *c)
{
    const struct lesson *const q = st->q;
    const bool is_linear = c->gain == GAIN_LINEAR || q->label[0] > MAX_EXP_LABEL;
    const uint32_t k = c->k > 0 && c->k < q->n_ranked ? (uint32_t)c->k : q->n_ranked;
    double ideal = 0.0, gain = 0.0;

    for (uint32_t i = 0; i < q->n; i++)
        st->discount[i] = 0;
    for (uint32_t r = 0; r < k; r++) {
        const double discount = 1.0 / log2(2.0 + r);

        st->discount[st->near[r]] = (real)discount;
        ideal += gain_of(q->label[r], is_linear) * discount;
    }
    if (ideal <= 0.0)
        return false;
    for (uint32_t i = 0; i < q->n; i++) {
        if (i == 0 || q->label[i] != q->label[i - 1])
            gain = gain_of(q->label[i], is_linear) / ideal;
        st->gain[i] = (real)gain;
    }
    st->n_near = k;
    return true;
}

static void weigh_ndcg(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    const struct standing *const st = judge;
    const real *const gain = st->gain + lo, *const discount = st->discount + lo;
    const real own = st->gain[i], kept = st->discount[i];

    for (size_t t = 0; t < n; t++) {
        const real change = (own - gain[t]) * (kept - discount[t]);

        w[t] *= change < 0 ? -change : change;
    }
}

/* MAP ---------------------------------------------------------------------------- */

static bool prepare_map(struct standing *st, const struct lambda_config *c)
{
    const struct lesson *const q = st->q;
    double harmonic = 0.0;
    uint32_t seen = 0;

    st->n_relevant = 0;
    while (st->n_relevant < q->n_judged && q->label[st->n_relevant] >= c->relevant)
        st->n_relevant++;
    for (uint32_t r = 0; r < q->n; r++) {
        const uint32_t i = st->near[r];

        if (i < st->n_relevant) {
            harmonic += 1.0 / (r + 1.0);
            seen++;
        }
        st->precision[i] = (real)(seen / (r + 1.0));
        st->harmonic[i] = (real)harmonic;
        st->inverse[i] = (real)(1.0 / (r + 1.0));
    }
    st->per_relevant = (real)(1.0 / (st->n_relevant > 0 ? st->n_relevant : 1));
    return st->n_relevant > 0 && st->n_relevant < q->n_ranked;
}

/* R times the change of average precision when i, relevant, at rank a, and j, not so, at
 * rank b change places.  With P the precision at a rank and H the sum of 1/t over
 * relevant ranks t up to it:
 *   a < b   P(a) - P(b) + H(b) - H(a)                   i sinks
 *   a > b   P(b) + 1/b - P(a) + H(a) - 1/a - H(b)       i rises                        */
static real map_change(const struct standing *st, uint32_t i, uint32_t j)
{
    const real sink =
        st->precision[i] - st->precision[j] + st->harmonic[j] - st->harmonic[i];

    return st->rank[i] < st->rank[j] ? sink : st->inverse[j] - st->inverse[i] - sink;
}

static void weigh_map(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    const struct standing *const st = judge;
    const bool is_relevant = i < st->n_relevant;

    for (uint32_t j = lo; j < lo + n; j++) {
        if (is_relevant == (j < st->n_relevant))
            w[j - lo] = 0;
        else
            w[j - lo] *= st->per_relevant *
                         (is_relevant ? map_change(st, i, j) : map_change(st, j, i));
    }
}

/* Pair error --------------------------------------------------------------------- */

static void weigh_evenly(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    (void)i;
    (void)lo;
    for (size_t t = 0; t < n; t++)
        w[t] *= ((const struct standing *)judge)->share;
}

/* The sum ------------------------------------------------------------------------ */

/* Fills *st with arrays that begin at room; what is free after them comes back. */
static void *lay_out(struct standing *st, char *room)
{
    const size_t n = st->q->n;
    real *const array = (real *)(void *)room;

    st->gain = st->precision = array;
    st->discount = st->harmonic = array + n;
    st->inverse = array + 2 * n;
    st->near = (uint32_t *)(void *)(array + 3 * n);
    return array + 3 * n + (n * sizeof(uint32_t) + sizeof(real) - 1) / sizeof(real);
}

/* The run of document i, without the pairs whose Delta is 0. */
static void add_run(struct pair_sum *p, const struct standing *st, uint32_t i)
{
    uint32_t lo = st->q->below[i];
    const uint32_t hi = st->q->until[i];

    if (st->delta == DELTA_MAP && i >= st->n_relevant)
        return;
    if (st->delta == DELTA_MAP && lo < st->n_relevant)
        lo = st->n_relevant;
    if (st->delta != DELTA_NDCG || st->rank[i] <= st->n_near) {
        pair_sum_run(p, i, lo, hi, 1.0);
        return;
    }
    for (uint32_t r = 0; r < st->n_near; r++)
        if (st->near[r] >= lo && st->near[r] < hi)
            pair_sum_one(p, i, st->near[r]);
}

static bool prepare(struct standing *st, const struct lambda_config *c, const real *s,
                    char *room)
{
    st->share = (real)(1.0 / st->q->n_all);
    if (st->delta == DELTA_PAIRERR)
        return true;
    rank(st, s, room);
    return st->delta == DELTA_NDCG ? prepare_ndcg(st, c) : prepare_map(st, c);
}

bool lambda_is_selective(const struct lambda_config *lambda)
{
    return lambda->delta == DELTA_NDCG && lambda->k > 0;
}

double lambda_sum(const struct lambda_config *lambda,
                  void (*curve)(const void *config, size_t n, real *d, real *c),
                  const void *config, const struct lesson *q, const real *s, real *g)
{
    static void (*const weigh[])(const void *, uint32_t, uint32_t, size_t,
                                 real *) = { weigh_ndcg, weigh_map, weigh_evenly };
    struct standing st = { .q = q,
                           .delta = q->n_judged > 0 ? lambda->delta : DELTA_PAIRERR };
    const struct pair_rule rule = { config, curve, weigh[st.delta], &st };
    struct pair_sum p;

    if (q->n_all <= 0.0)
        return 0.0;
    void *const room = lay_out(&st, q->scratch);

    if (!prepare(&st, lambda, s, room))
        return 0.0;
    pair_sum_open(&p, &rule, q, s, g, room);
    for (uint32_t i = 0; q->below != NULL && i < q->n_judged; i++)
        add_run(&p, &st, i);
    pair_sum_ties(&p);
    pair_sum_listed(&p);
    return pair_sum_close(&p);
}
