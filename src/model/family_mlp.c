/* family_mlp.c -- layers of units, each a curve over a weighted sum; one output.
 *
 *     h_0 = x,   h_l = phi(h_{l-1} W_l + b_l),   s = g(h_last . v (+ c))
 *
 * Weights, layer by layer: W[in][out], then b[out] (layers.h); last v and, in a plain
 * head, c.  In an antisymmetric head there is no c: a comparison tau(v . (f(x) - f(y))),
 * tau odd and sign-keeping, is reflexive, antisymmetric and transitive, and s = v . f(x)
 * orders as it does (Koeppel et al., "Pairwise learning to rank by neural networks
 * revisited", ECML PKDD 2019).  g is the identity or, the third curve of RankNet's Eq. (7),
 * 1 / (1 + e^-t): scores then differ by less than 1 (Burges et al. 2005, section 4).    */
#include "dense.h"
#include "layers.h"

#include "../base/vec.h"

#include <math.h>

enum head { PLAIN, ANTISYMMETRIC };
enum init { XAVIER, RANKNET, NORMAL };
enum output { OUTPUT_LINEAR, OUTPUT_SIGMOID };

struct mlp {
    char hidden[PARAM_TEXT_MAX];
    int activation, head, init, output; /* enum curve, and the enums above */
    double dropout;
    struct layers layers; /* worked out by mlp_open() */
};

enum { ROW_ACTIVATION = 1 };

static const struct param mlp_params[] = {
    { "hidden", PARAM_TEXT, "64-32",
      "up to 16 widths such as 64-32; the last may be classes, as many as labels; 0 for "
      "none",
      "hidden layers", offsetof(struct mlp, hidden) },
    [ROW_ACTIVATION] = { "activation", PARAM_CHOICE, "tanh", "tanh|sigmoid|relu|identity",
                         "activation function of the hidden units",
                         offsetof(struct mlp, activation) },
    { "dropout", PARAM_FLOAT, "0", "[0,0.95]",
      "share of hidden units left out at random in each training step",
      offsetof(struct mlp, dropout) },
    { "head", PARAM_CHOICE, "plain", "plain|antisymmetric",
      "antisymmetric leaves out the output's bias (DirectRanker)",
      offsetof(struct mlp, head) },
    { "init", PARAM_CHOICE, "xavier", "xavier|ranknet|normal",
      "first weights: xavier uniform within sqrt(6 / (in + out)); ranknet nothing in the "
      "first layer, then within 0.1; normal N(0,1)",
      offsetof(struct mlp, init) },
    { "output", PARAM_CHOICE | PARAM_LATE, "linear", "linear|sigmoid",
      "the score is the weighted sum of the last units, or 1 / (1 + e^-sum) of it, which "
      "lies between 0 and 1",
      offsetof(struct mlp, output) },
    { 0 }
};

/* Shape ---------------------------------------------------------------------------- */

static peck_status mlp_open(void *shape, size_t dim, peck_error *err)
{
    struct mlp *const m = shape;
    struct layers *const l = &m->layers;

    TRY(family_takes("mlp", dim, FAMILY_MAX_INPUTS, err));
    l->n = 0;
    if (m->hidden[0] != '\0' && strcmp(m->hidden, "0") != 0 &&
        !layers_parse(m->hidden, l->width + 1, &l->n))
        return fail(
            err, PECK_ARG,
            "mlp: hidden=%s: give up to %d widths of 1 to %d with '-' between them, or 0",
            m->hidden, LAYERS_MAX, LAYERS_MAX_WIDTH);
    l->width[0] = dim;
    l->curve = (enum curve)m->activation;
    l->dropout = m->dropout;
    layers_open(l);
    return PECK_OK;
}

static void mlp_describe(const void *shape, struct text *to)
{
    const struct mlp *const m = shape;

    for (size_t l = 0; l <= m->layers.n; l++)
        text_printf(to, "%zu-", m->layers.width[l]);
    text_add_str(to, "1");
    if (m->layers.n > 0) {
        text_add_str(to, " ");
        param_print(&mlp_params[ROW_ACTIVATION], m, to);
    }
    if (m->head == ANTISYMMETRIC)
        text_add_str(to, " antisymmetric");
    if (m->output == OUTPUT_SIGMOID)
        text_add_str(to, " sigmoid output");
}

/* v, and c where there is one. */
static size_t n_output(const struct mlp *m)
{
    return layers_top(&m->layers) + (m->head == PLAIN);
}

static size_t mlp_n_weights(const void *shape)
{
    const struct mlp *const m = shape;

    return m->layers.n_weights + n_output(m);
}

/* Biases begin at 0.  Xavier: Glorot and Bengio, "Understanding the difficulty of training
 * deep feedforward neural networks", AISTATS 2010. */
static void mlp_init(const void *shape, struct rng *r, real *w)
{
    const struct mlp *const m = shape;
    const struct layers *const l = &m->layers;

    for (size_t k = 0; k <= l->n; k++) {
        const size_t in = l->width[k], out = k < l->n ? l->width[k + 1] : 1, n = in * out;
        const size_t n_biases = k < l->n ? out : n_output(m) - in;
        const double range =
            m->init == RANKNET ? (k == 0 ? 0.0 : 0.1) : sqrt(6.0 / (double)(in + out));

        for (size_t i = 0; i < n; i++)
            w[i] =
                (real)(m->init == NORMAL ? rng_normal(r) : rng_between(r, -range, range));
        memset(w + n, 0, n_biases * sizeof *w);
        w += n + n_biases;
    }
}

static void mlp_decayed(const void *shape, unsigned char *is_decayed)
{
    const struct mlp *const m = shape;
    const size_t top = layers_top(&m->layers);

    layers_decayed(&m->layers, is_decayed);
    memset(is_decayed + m->layers.n_weights, 1, top);
    memset(is_decayed + m->layers.n_weights + top, 0, n_output(m) - top);
}

/* Behind what the layers need, of an output with a curve: g(t), and then dL/dt. */
static size_t mlp_scratch(const void *shape)
{
    const struct mlp *const m = shape;

    return layers_scratch(&m->layers) + (m->output == OUTPUT_SIGMOID ? 2 : 0);
}

/* There and back ------------------------------------------------------------------- */

static void mlp_forward(const void *shape, const real *w, struct rows x, struct rng *r,
                        real *s, real *scratch)
{
    const struct mlp *const m = shape;
    const size_t top = layers_top(&m->layers);
    const real *const h = layers_forward(&m->layers, w, x, r, scratch);
    const real *const v = w + m->layers.n_weights;
    const real *const bias = m->head == PLAIN ? v + top : NULL;

    if (h == NULL)
        dense_forward(x.n, 1, top, x.x, x.stride, v, bias, s);
    else
        dense_forward(x.n, 1, top, h, top, v, bias, s);
    if (m->output == OUTPUT_SIGMOID) {
        vec_sigmoid(s, x.n);
        memcpy(scratch + x.n * layers_scratch(&m->layers), s, x.n * sizeof *s);
    }
}

static void mlp_score(const void *shape, const real *w, struct rows x, real *s,
                      real *scratch)
{
    mlp_forward(shape, w, x, NULL, s, scratch);
}

static void mlp_backward(const void *shape, const real *w, struct rows x, const real *ds,
                         real *dw, real *scratch)
{
    const struct mlp *const m = shape;
    const struct layers *const l = &m->layers;
    const size_t top = layers_top(l);
    const real *const v = w + l->n_weights;
    real *const dv = dw + l->n_weights;

    if (m->output == OUTPUT_SIGMOID) { /* g' = g (1 - g) */
        const real *const g = scratch + x.n * layers_scratch(l);
        real *const dt = scratch + x.n * (layers_scratch(l) + 1);

        for (size_t i = 0; i < x.n; i++)
            dt[i] = ds[i] * g[i] * (1 - g[i]);
        ds = dt;
    }
    if (m->head == PLAIN)
        layer_biases(x.n, 1, 1, ds, dv + top);
    if (l->n == 0) {
        dense_weights(top, 1, x.n, x.x, x.stride, ds, dv);
        return;
    }
    dense_weights(top, 1, x.n, layers_out(l, x.n, scratch), top, ds, dv);
    layer_back(x.n, top, 1, ds, v, layers_dout(l, x.n, scratch));
    layers_backward(l, w, x, dw, scratch);
}

static const struct score_ops mlp_ops = {
    .score = mlp_score,
    .forward = mlp_forward,
    .backward = mlp_backward,
};

static bool mlp_is_sum(const void *shape)
{
    return ((const struct mlp *)shape)->layers.n == 0;
}

const struct family family_mlp = {
    .plug = { { "mlp", "a net of hidden layers with one output",
                "Any number of hidden layers; the family of RankNet (Burges et al. 2005), "
                "LambdaRank and DirectRanker (Koeppel et al. 2019). hidden=0 is a linear "
                "model." },
              mlp_params },
    .scores = &mlp_ops,
    .shape_size = sizeof(struct mlp),
    .open = mlp_open,
    .describe = mlp_describe,
    .n_weights = mlp_n_weights,
    .init = mlp_init,
    .scratch = mlp_scratch,
    .decayed = mlp_decayed,
    .is_sum = mlp_is_sum,
};
