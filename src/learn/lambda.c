/* lambda.c -- see lambda.h. */
#include "lambda.h"
#include "../base/maths.h"
#include "../base/sort.h"

enum { GAIN_EXP, GAIN_LINEAR };
/* Where labels go beyond it, gains are linear (NDCG) or labels are cut (ERR): 2^y would
 * drown all others. */
enum { MAX_EXP_LABEL = 31 };

/* One query under its present scores; arrays in the query's order. */
struct ranked_query {
    const struct query_pairs *q;
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
    real *stop;           /* ERR: the chance that a reader who sees it stops there */
    double *reach, *gone; /* ERR: that he gets to its rank; what he gained before it */
    double per_ideal;     /* ERR: 1 / the largest there is */
    uint32_t k;           /* ERR: ranks that count */
    const real *s;        /* the scores; NULL: closeness does not count */
    real closeness;
    const struct pair_rule *rule; /* whose own weights come on top; NULL: none */
};

/* NDCG --------------------------------------------------------------------------- */

static double gain_of(double label, bool is_linear)
{
    if (label <= 0.0) /* irrelevant, or not judged */
        return 0.0;
    return is_linear ? label : math_exp2(label) - 1.0;
}

/* false: no document gains anything.  LightGBM's normalisation is by the ideal DCG of the
 * ranks that `truncation` looks at. */
static bool prepare_ndcg(struct ranked_query *st, const struct lambda_config *c)
{
    const struct query_pairs *const q = st->q;
    const bool is_linear = c->gain == GAIN_LINEAR || q->label[0] > MAX_EXP_LABEL;
    const uint32_t k = c->k > 0 && c->k < q->n_ranked ? (uint32_t)c->k : q->n_ranked;
    const uint32_t n_ideal = c->closeness > 0.0 && c->truncation > 0 && c->truncation < k
                                 ? (uint32_t)c->truncation
                                 : k;
    double ideal = 0.0, gain = 0.0;

    for (uint32_t i = 0; i < q->n; i++)
        st->discount[i] = 0;
    for (uint32_t r = 0; r < k; r++) {
        const double discount = 1.0 / math_log2(2.0 + r);

        st->discount[st->near[r]] = (real)discount;
        if (r < n_ideal)
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
    const struct ranked_query *const st = judge;
    const real *const gain = st->gain + lo, *const discount = st->discount + lo;
    const real own = st->gain[i], kept = st->discount[i];

    for (size_t t = 0; t < n; t++) {
        const real change = (own - gain[t]) * (kept - discount[t]);

        w[t] *= change < 0 ? -change : change;
    }
}

/* MAP ---------------------------------------------------------------------------- */

static bool prepare_map(struct ranked_query *st, const struct lambda_config *c)
{
    const struct query_pairs *const q = st->q;
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
static real map_change(const struct ranked_query *st, uint32_t i, uint32_t j)
{
    const real sink =
        st->precision[i] - st->precision[j] + st->harmonic[j] - st->harmonic[i];

    return st->rank[i] < st->rank[j] ? sink : st->inverse[j] - st->inverse[i] - sink;
}

static void weigh_map(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    const struct ranked_query *const st = judge;
    const bool is_relevant = i < st->n_relevant;

    for (uint32_t j = lo; j < lo + n; j++) {
        if (is_relevant == (j < st->n_relevant))
            w[j - lo] = 0;
        else
            w[j - lo] *= st->per_relevant *
                         (is_relevant ? map_change(st, i, j) : map_change(st, j, i));
    }
}

/* ERR ---------------------------------------------------------------------------- */

/* ERR = sum over ranks r of (1/r) R_r product over t < r of (1 - R_t), R = (2^y - 1) / 2^top;
 * ranks beyond k add nothing.  In the order of near[], or of falling label. */
static double walk_err(struct ranked_query *st, bool is_ideal)
{
    double reach = 1.0, sum = 0.0;

    for (uint32_t r = 0; r < st->q->n; r++) {
        const uint32_t i = is_ideal ? r : st->near[r];

        if (!is_ideal) {
            st->reach[i] = reach;
            st->gone[i] = sum;
        }
        if (r < st->k)
            sum += reach * (double)st->stop[i] / (r + 1.0);
        reach *= 1.0 - (double)st->stop[i];
    }
    return sum;
}

static bool prepare_err(struct ranked_query *st, const struct lambda_config *c)
{
    const struct query_pairs *const q = st->q;
    const double most = q->label[0] > MAX_EXP_LABEL ? MAX_EXP_LABEL : q->label[0];
    const double top = math_max(c->top_label, most);

    st->k = c->k > 0 && c->k < q->n_ranked ? (uint32_t)c->k : q->n_ranked;
    for (uint32_t i = 0; i < q->n; i++) {
        const double label = q->label[i] < most ? q->label[i] : most;

        st->stop[i] = (real)(label > 0.0 ? (math_exp2(label) - 1.0) / math_exp2(top) : 0.0);
    }
    const double ideal = walk_err(st, true);

    walk_err(st, false);
    st->per_ideal = ideal > 0.0 ? 1.0 / ideal : 0.0;
    st->n_near = st->k;
    return ideal > 0.0;
}

/* Swapping documents at ranks a < b changes ERR by
 *   P_a (R_a - R_b) (1/a - M - Q/b)
 * P_a: the chance to get to rank a; M: what is gained between the two, and Q: the chance
 * to get from behind a to b, both of a reader who did not stop at a. */
static void weigh_err(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    const struct ranked_query *const st = judge;

    for (uint32_t j = lo; j < lo + n; j++) {
        const uint32_t a = st->rank[i] < st->rank[j] ? i : j, b = a == i ? j : i;
        const double stop = (double)st->stop[a], past = st->reach[a] * (1.0 - stop);
        const double at_a = 1.0 / st->rank[a];
        const double at_b = st->rank[b] <= st->k ? 1.0 / st->rank[b] : 0.0;

        if (st->rank[a] > st->k || past <= 0.0) {
            w[j - lo] = 0;
            continue;
        }
        const double between = st->gone[b] - st->gone[a] - st->reach[a] * stop * at_a;
        const double change = st->reach[a] * (stop - (double)st->stop[b]) *
                              (at_a - (between + st->reach[b] * at_b) / past);

        w[j - lo] *= (real)(fabs(change) * st->per_ideal);
    }
}

/* Pair error --------------------------------------------------------------------- */

static void weigh_evenly(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    (void)i;
    (void)lo;
    for (size_t t = 0; t < n; t++)
        w[t] *= ((const struct ranked_query *)judge)->share;
}

/* The sum ------------------------------------------------------------------------ */

static void (*const weigh_by[])(const void *, uint32_t, uint32_t, size_t,
                                real *) = { weigh_ndcg, weigh_map, weigh_evenly,
                                            weigh_err };

static void lambda_weigh(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    const struct ranked_query *const st = judge;

    weigh_by[st->delta](judge, i, lo, n, w);
    for (size_t t = 0; st->s != NULL && t < n; t++)
        w[t] /= st->closeness + (real)fabs((double)(st->s[i] - st->s[lo + t]));
    if (st->rule != NULL && st->rule->weigh != NULL)
        st->rule->weigh(st->rule->judge, i, lo, n, w);
}

/* Bytes filled up to whole doubles. */
#define DOUBLES(n) (((n) + sizeof(double) - 1) / sizeof(double) * sizeof(double))

/* The arrays above, and what sorting takes or, after it, the sum over pairs. */
size_t lambda_scratch(uint32_t n_docs)
{
    const size_t n = n_docs, pairs = pair_sum_scratch(n_docs);
    const size_t sorting =
        n * (sizeof(double) + 2 * sizeof(struct sort_item)) + n * sizeof(uint32_t);

    return DOUBLES(3 * n * sizeof(real)) + 2 * n * sizeof(double) +
           DOUBLES(n * sizeof(uint32_t)) + (sorting > pairs ? DOUBLES(sorting) : pairs) +
           sizeof(struct ranked_query);
}

/* Lays the arrays of *st out in the query's scratch, ranks its documents by s and prepares
 * for the metric.  What is free behind the arrays comes back; NULL: no swap would change
 * anything. */
static void *lambda_prepare(struct ranked_query *st, const struct lambda_config *c,
                            const real *s)
{
    const struct query_pairs *const q = st->q;
    const size_t n = q->n;
    real *const array = q->scratch;
    bool is_flat = true; /* as before the first tree */

    st->gain = st->precision = array;
    st->discount = st->harmonic = array + n;
    st->inverse = st->stop = array + 2 * n;
    st->reach = (double *)(void *)((char *)q->scratch + DOUBLES(3 * n * sizeof(real)));
    st->gone = st->reach + n;
    st->near = (uint32_t *)(void *)(st->gone + n);
    char *const scratch = (char *)(void *)st->near + DOUBLES(n * sizeof(uint32_t));

    st->share = (real)(1.0 / q->n_all);
    st->n_near = q->n_ranked;
    for (uint32_t i = 1; i < q->n_ranked && is_flat; i++)
        is_flat = s[i] == s[0];
    if (c->closeness > 0.0 && !is_flat)
        st->s = s;
    if (st->delta == DELTA_PAIRERR)
        return scratch;
    /* near[]: the documents by falling score.  Equal scores keep the data's order, not that
     * of the labels; who takes no part comes last. */
    double *const score = (double *)(void *)scratch;
    struct sort_item *const item = (struct sort_item *)(void *)(score + n);
    uint32_t *const place = (uint32_t *)(void *)(item + 2 * n);

    for (uint32_t i = 0; i < n; i++) {
        score[q->from[i]] = i < q->n_ranked ? (double)s[i] : -HUGE_VAL;
        place[q->from[i]] = i;
    }
    order_desc(score, q->n, st->near, item);
    for (uint32_t r = 0; r < n; r++) {
        st->near[r] = place[st->near[r]];
        q->rank[st->near[r]] = r + 1;
    }
    st->rank = q->rank;
    const bool has_metric = st->delta == DELTA_NDCG  ? prepare_ndcg(st, c)
                            : st->delta == DELTA_MAP ? prepare_map(st, c)
                                                     : prepare_err(st, c);
    if (c->truncation > 0 && c->truncation < q->n_ranked)
        st->n_near = (uint32_t)c->truncation;
    return has_metric ? scratch : NULL;
}

bool lambda_is_selective(const struct lambda_config *lambda)
{
    const bool has_k = lambda->delta == DELTA_NDCG || lambda->delta == DELTA_ERR;

    return lambda->delta != DELTA_PAIRERR && lambda->delta != DELTA_NONE &&
           ((has_k && lambda->k > 0) || lambda->truncation > 0);
}

double lambda_sum(const struct lambda_config *lambda, const struct pair_rule *rule,
                  const struct query_pairs *q, const real *s, real *g, real *h)
{
    struct ranked_query st = { .q = q,
                               .delta = q->n_judged > 0 ? lambda->delta : DELTA_PAIRERR,
                               .closeness = (real)lambda->closeness,
                               .rule = rule };
    void *const scratch = q->n_all > 0.0 ? lambda_prepare(&st, lambda, s) : NULL;
    struct pair_rule weighed = *rule;
    struct pair_sum p;

    if (scratch == NULL)
        return 0.0;
    weighed.weigh = lambda_weigh;
    weighed.judge = &st;
    pair_sum_open(&p, &weighed, q, s, g, h, scratch);
    const uint32_t n_better = st.delta == DELTA_MAP ? st.n_relevant : q->n_judged;

    for (uint32_t i = 0; q->below != NULL && i < n_better; i++) { /* where Delta is not 0 */
        const uint32_t hi = q->until[i], from = q->below[i];
        const uint32_t lo =
            st.delta == DELTA_MAP && from < st.n_relevant ? st.n_relevant : from;

        if (st.n_near >= q->n_ranked || st.rank[i] <= st.n_near)
            pair_sum_run(&p, i, lo, hi, 1.0);
        else
            for (uint32_t r = 0; r < st.n_near; r++)
                if (st.near[r] >= lo && st.near[r] < hi)
                    pair_sum_one(&p, i, st.near[r]);
    }
    pair_sum_ties(&p);
    pair_sum_listed(&p);
    const double cost = pair_sum_close(&p), sum = 2.0 * p.slope; /* over both of a pair */
    const real factor = sum > 0.0 ? (real)(math_log2(1.0 + sum) / sum) : 1;

    for (uint32_t i = 0; lambda->closeness > 0.0 && i < q->n; i++) {
        g[i] *= factor;
        if (h != NULL)
            h[i] *= factor;
    }
    return cost;
}

const void *lambda_judge(const struct lambda_config *lambda, const struct query_pairs *q,
                         const real *s)
{
    struct ranked_query st = { .q = q,
                               .delta = q->n_judged > 0 ? lambda->delta : DELTA_PAIRERR,
                               .closeness = (real)lambda->closeness };
    void *const room = lambda_prepare(&st, lambda, s);

    /* What sorting took is free again. */
    return room != NULL ? memcpy(room, &st, sizeof st) : NULL;
}

real lambda_weight(const void *judge, uint32_t i, uint32_t j)
{
    const struct ranked_query *const st = judge;
    const bool is_cut = st->rank != NULL && st->n_near < st->q->n_ranked;
    real weight = 1;

    if (is_cut && st->rank[i] > st->n_near && st->rank[j] > st->n_near)
        return 0;
    lambda_weigh(judge, i, j, 1, &weight);
    return weight;
}
