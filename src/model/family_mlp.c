/* family_mlp.c -- layers of units, each a curve over a weighted sum; one output.
 *
 *     h_0 = x,   h_l = phi(h_{l-1} W_l + b_l),   s = h_last . v (+ c)
 *
 * Weights, layer by layer: W[in][out], then b[out]; last v and, in a plain head, c.
 * In an antisymmetric head there is no c: a comparison tau(v . (f(x) - f(y))), tau odd and
 * sign-keeping, is reflexive, antisymmetric and transitive, and s = v . f(x) orders as it
 * does (Koppel et al., "Pairwise learning to rank by neural networks revisited", ECML
 * PKDD 2019).
 *
 * Dropout keeps a hidden unit with probability 1 - p and scales it by 1 / (1 - p)
 * (Srivastava et al., JMLR 2014), so that scoring needs no correction.
 *
 * Way back, D_l = dL/d(sum of layer l):
 *     dW_l += h_{l-1}^T D_l,   db_l += sum D_l,   D_{l-1} = (D_l W_l^T) phi'(h_{l-1})  */
#include "dense.h"
#include "family.h"

#include "../base/curves.h"
#include "../base/number.h"
#include "../base/vec.h"

#include <math.h>

enum activation { TANH, SIGMOID, RELU, IDENTITY };
enum head { PLAIN, ANTISYMMETRIC };
enum init { XAVIER, RANKNET, NORMAL };

/* A layer this wide over as many features still counts its weights in a size_t. */
enum { MAX_HIDDEN = 16, MAX_WIDTH = 1 << 16 };

struct mlp {
    char hidden[PARAM_TEXT_MAX];
    int activation, head, init; /* the enums above */
    double dropout;
    /* Worked out by open(): */
    size_t n_layers;              /* of weights: hidden ones and the output */
    size_t width[MAX_HIDDEN + 2]; /* features, hidden layers, 1 */
    size_t n_weights;
    size_t n_hidden; /* units of all hidden layers together */
    size_t widest;   /* hidden layer; 0: none */
};

enum { ROW_ACTIVATION = 1 };

static const struct param params[] = {
    { "hidden", PARAM_TEXT, "64-32", "up to 16 widths such as 64-32; 0 for none",
      "hidden layers", offsetof(struct mlp, hidden) },
    [ROW_ACTIVATION] = { "activation", PARAM_CHOICE, "tanh", "tanh|sigmoid|relu|identity",
                         "curve of the hidden units", offsetof(struct mlp, activation) },
    { "dropout", PARAM_FLOAT, "0", "[0,0.95]",
      "share of hidden units left out at random in each training step",
      offsetof(struct mlp, dropout) },
    { "head", PARAM_CHOICE, "plain", "plain|antisymmetric",
      "antisymmetric leaves the output's bias away (DirectRanker)",
      offsetof(struct mlp, head) },
    { "init", PARAM_CHOICE, "xavier", "xavier|ranknet|normal",
      "first weights: xavier uniform within sqrt(6 / (in + out)); ranknet nothing in the "
      "first layer, then within 0.1; normal N(0,1)",
      offsetof(struct mlp, init) },
    { 0 }
};

/* Shape ---------------------------------------------------------------------------- */

static peck_status refuse_hidden(const struct mlp *m, peck_error *err)
{
    return fail(
        err, PECK_ARG,
        "mlp: hidden=%s: give up to %d widths of 1 to %d with '-' between them, or 0",
        m->hidden, MAX_HIDDEN, MAX_WIDTH);
}

/* "64-32" to width[1], width[2]; "" and "0" are no hidden layer. */
static peck_status take_hidden(struct mlp *m, peck_error *err)
{
    const char *p = m->hidden;

    m->n_layers = 1;
    if (*p == '\0' || strcmp(p, "0") == 0)
        return PECK_OK;
    for (;;) {
        const size_t n = strcspn(p, "-");
        uint64_t width = 0;

        if (!number_parse_u64((peck_span){ p, n }, &width) || width < 1 ||
            width > MAX_WIDTH || m->n_layers > MAX_HIDDEN)
            return refuse_hidden(m, err);
        m->width[m->n_layers++] = (size_t)width;
        if (p[n] == '\0')
            return PECK_OK;
        p += n + 1;
    }
}

static bool has_bias(const struct mlp *m, size_t layer)
{
    return layer + 1 < m->n_layers || m->head == PLAIN;
}

/* Weights of one layer, its biases included. */
static size_t layer_weights(const struct mlp *m, size_t layer)
{
    return m->width[layer + 1] * (m->width[layer] + has_bias(m, layer));
}

static peck_status open(void *shape, size_t dim, peck_error *err)
{
    struct mlp *const m = shape;

    TRY(family_takes("mlp", dim, FAMILY_MAX_INPUTS, err));
    TRY(take_hidden(m, err));
    m->width[0] = dim;
    m->width[m->n_layers] = 1;
    m->n_weights = m->n_hidden = m->widest = 0;
    for (size_t l = 0; l < m->n_layers; l++)
        m->n_weights += layer_weights(m, l);
    for (size_t l = 1; l < m->n_layers; l++) {
        m->n_hidden += m->width[l];
        m->widest = m->width[l] > m->widest ? m->width[l] : m->widest;
    }
    return PECK_OK;
}

static void describe(const void *shape, struct text *to)
{
    const struct mlp *const m = shape;

    for (size_t l = 0; l <= m->n_layers; l++)
        text_printf(to, "%s%zu", l > 0 ? "-" : "", m->width[l]);
    if (m->n_layers > 1) {
        text_add_str(to, " ");
        param_print(&params[ROW_ACTIVATION], m, to);
    }
    if (m->head == ANTISYMMETRIC)
        text_add_str(to, " antisymmetric");
}

static size_t n_weights(const void *shape)
{
    return ((const struct mlp *)shape)->n_weights;
}

static void init(const void *shape, struct rng *r, real *w)
{
    const struct mlp *const m = shape;

    for (size_t l = 0; l < m->n_layers; l++) {
        const size_t in = m->width[l], out = m->width[l + 1], n = in * out;
        const double range =
            m->init == RANKNET ? (l == 0 ? 0.0 : 0.1) : sqrt(6.0 / (double)(in + out));

        for (size_t i = 0; i < n; i++)
            w[i] =
                (real)(m->init == NORMAL ? rng_normal(r) : rng_between(r, -range, range));
        memset(w + n, 0, (layer_weights(m, l) - n) * sizeof *w);
        w += layer_weights(m, l);
    }
}

static void decayed(const void *shape, unsigned char *is_decayed)
{
    const struct mlp *const m = shape;

    for (size_t l = 0; l < m->n_layers; l++) {
        const size_t n = m->width[l] * m->width[l + 1];

        memset(is_decayed, 1, n);
        memset(is_decayed + n, 0, layer_weights(m, l) - n);
        is_decayed += layer_weights(m, l);
    }
}

/* Scratch -------------------------------------------------------------------------- */

/* In front what forward() leaves behind, then room for backward():
 *     scale        1 / (1 - p), or 1: no dropout
 *     h            [n][width] of every hidden layer, dropped units as 0
 *     kept         as h: 0 or 1; only where the shape has dropout
 *     delta        2 of [n][widest]                                                    */
static size_t scratch(const void *shape, size_t n_docs)
{
    const struct mlp *const m = shape;
    const size_t per_unit = m->dropout > 0.0 ? 2 : 1;

    return 1 + n_docs * (per_unit * m->n_hidden + 2 * m->widest);
}

/* Forward -------------------------------------------------------------------------- */

static void activate(enum activation activation, real *h, size_t n)
{
    if (activation == TANH)
        dense_tanh(h, n);
    else if (activation == SIGMOID)
        vec_sigmoid(h, n);
    for (size_t i = 0; activation == RELU && i < n; i++)
        h[i] = h[i] > 0 ? h[i] : 0;
}

/* Two units a draw, 32 bits each, the lower ones first: kept where they are no less than
 * dropout 2^32.  That is a mask over the bits of 1, as no branch can foretell a draw. */
static void drop(struct rng *r, double dropout, real scale, real *h, real *kept, size_t n)
{
    enum { DRAWS = 64 };
    const uint32_t below = (uint32_t)(dropout * 0x1p32);
    uint64_t drawn[DRAWS] = { 0 };
    uint32_t half[2 * DRAWS];

    for (size_t at = 0, units; at < n; at += units) {
        units = n - at < 2 * DRAWS ? n - at : 2 * DRAWS;
        rng_fill(r, drawn, (units + 1) / 2);
        for (size_t i = 0; i < DRAWS; i++) {
            half[2 * i] = (uint32_t)drawn[i];
            half[2 * i + 1] = (uint32_t)(drawn[i] >> 32);
        }
        for (size_t i = 0; i < units; i++)
            kept[at + i] = float_of(bits_of(1.0f) & -(uint32_t)(half[i] >= below));
        for (size_t i = 0; i < units; i++)
            h[at + i] *= kept[at + i] * scale;
    }
}

static void forward(const void *shape, const real *w, struct rows x, struct rng *r, real *s,
                    real *scratch)
{
    const struct mlp *const m = shape;
    const bool drops = r != NULL && m->dropout > 0.0;
    const size_t last = m->n_layers - 1;
    real *const scale = scratch, *h = scratch + 1, *kept = h + x.n * m->n_hidden;
    const real *before = NULL; /* the layer below; NULL: the features */

    *scale = (real)(drops ? 1.0 / (1.0 - m->dropout) : 1.0);
    for (size_t l = 0; l <= last; l++) {
        const size_t in = m->width[l], out = m->width[l + 1], n = x.n * out;
        const real *const bias = has_bias(m, l) ? w + in * out : NULL;
        real *const to = l == last ? s : h;

        if (before == NULL)
            dense_forward(x.n, out, in, x.x, x.stride, w, bias, to);
        else
            dense_forward(x.n, out, in, before, in, w, bias, to);
        if (l == last)
            break;
        activate((enum activation)m->activation, h, n);
        if (drops) {
            drop(r, m->dropout, *scale, h, kept, n);
            kept += n;
        }
        before = h;
        h += n;
        w += layer_weights(m, l);
    }
}

static void score(const void *shape, const real *w, struct rows x, real *s, real *scratch)
{
    forward(shape, w, x, NULL, s, scratch);
}

/* Backward ------------------------------------------------------------------------- */

/* d[i] *= phi'(y), which follows from y = phi: y = h[i] / scale where dropout has scaled
 * it, and what dropout left out has d[i] = 0. */
static void bend(enum activation activation, const real *restrict h, real scale,
                 real *restrict d, size_t n)
{
    const real shrink = 1 / scale;

    if (activation == TANH)
        for (size_t i = 0; i < n; i++)
            d[i] *= 1 - h[i] * shrink * (h[i] * shrink);
    else if (activation == SIGMOID)
        for (size_t i = 0; i < n; i++)
            d[i] *= h[i] * shrink * (1 - h[i] * shrink);
    else if (activation == RELU)
        for (size_t i = 0; i < n; i++)
            d[i] = h[i] > 0 ? d[i] : 0;
}

static void drop_back(const real *restrict kept, real scale, real *restrict d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d[i] *= kept[i] * scale;
}

/* db[j] += the sum of column j of d[n][out]. */
static void add_columns(const real *restrict d, size_t n, size_t out, real *restrict db)
{
    for (size_t i = 0; i < n; i++, d += out)
        for (size_t j = 0; j < out; j++)
            db[j] += d[j];
}

/* D of the layer below the output: d[i][j] = ds[i] v[j]. */
static void spread(const real *restrict ds, size_t n, const real *restrict v, size_t width,
                   real *restrict d)
{
    for (size_t i = 0; i < n; i++, d += width)
        for (size_t j = 0; j < width; j++)
            d[j] = ds[i] * v[j];
}

static void backward(const void *shape, const real *w, struct rows x, const real *ds,
                     real *dw, real *scratch)
{
    const struct mlp *const m = shape;
    const real scale = scratch[0], *d = ds;
    const real *h = scratch + 1 + x.n * m->n_hidden;
    const real *kept = h + (m->dropout > 0.0 ? x.n * m->n_hidden : 0);
    real *const room = scratch + (kept - scratch);

    w += m->n_weights;
    dw += m->n_weights;
    for (size_t l = m->n_layers; l-- > 0;) {
        const size_t in = m->width[l], out = m->width[l + 1], n = x.n * in;
        real *const below = room + (l % 2) * x.n * m->widest;

        w -= layer_weights(m, l);
        dw -= layer_weights(m, l);
        if (has_bias(m, l))
            add_columns(d, x.n, out, dw + in * out);
        if (l == 0) {
            dense_weights(in, out, x.n, x.x, x.stride, d, dw);
            break;
        }
        h -= n;
        dense_weights(in, out, x.n, h, in, d, dw);
        if (out == 1)
            spread(d, x.n, w, in, below);
        else
            vec_gemm_nt(x.n, in, out, d, out, w, out, 0.0f, below, in);
        if (scale > 1)
            drop_back(kept -= n, scale, below, n);
        bend((enum activation)m->activation, h, scale, below, n);
        d = below;
    }
}

const struct family family_mlp = {
    .plug = { { "mlp", "a net of hidden layers with one output",
                "Any number of hidden layers; the family of RankNet (Burges et al. 2005), "
                "LambdaRank and DirectRanker (Koppel et al. 2019). hidden=0 is a linear "
                "model." },
              params },
    .can = CAN_SCORE | CAN_BACKPROP,
    .shape_size = sizeof(struct mlp),
    .open = open,
    .describe = describe,
    .n_weights = n_weights,
    .init = init,
    .scratch = scratch,
    .score = score,
    .forward = forward,
    .backward = backward,
    .decayed = decayed,
};
