/* layers.c -- see layers.h. */
#include "layers.h"
#include "dense.h"

#include "../base/curves.h"
#include "../base/gemm.h"
#include "../base/number.h"
#include "../base/vec.h"

/* Shape ---------------------------------------------------------------------------- */

bool layers_parse(char *text, size_t *width, size_t *n)
{
    for (char *comma = text; (comma = strchr(comma, ',')) != NULL;)
        *comma = '-';
    for (*n = 0;;) {
        const size_t length = strcspn(text, "-");
        uint64_t found = 0;

        if (*n == LAYERS_MAX || !number_parse_u64((peck_span){ text, length }, &found) ||
            found < 1 || found > LAYERS_MAX_WIDTH)
            return false;
        width[(*n)++] = (size_t)found;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* Weights of one layer, its biases included. */
static size_t layer_weights(const struct layers *l, size_t layer)
{
    return l->width[layer + 1] * (l->width[layer] + 1);
}

void layers_open(struct layers *l)
{
    l->n_weights = l->n_units = l->widest = 0;
    for (size_t k = 0; k < l->n; k++) {
        const size_t width = l->width[k + 1];

        l->n_weights += layer_weights(l, k);
        l->n_units += width;
        l->widest = width > l->widest ? width : l->widest;
    }
}

size_t layers_top(const struct layers *l)
{
    return l->width[l->n];
}

void layers_decayed(const struct layers *l, unsigned char *is_decayed)
{
    for (size_t k = 0; k < l->n; k++) {
        const size_t n = l->width[k] * l->width[k + 1];

        memset(is_decayed, 1, n);
        memset(is_decayed + n, 0, layer_weights(l, k) - n);
        is_decayed += layer_weights(l, k);
    }
}

/* Scratch -------------------------------------------------------------------------- */

/* In front what forward leaves behind, then room for the way back:
 *     scale        1 / (1 - p), or 1: no dropout
 *     h            [n][width] of every layer, dropped units as 0
 *     kept         as h: 0 or 1; only where the layers have dropout
 *     delta        2 of [n][widest]                                                    */
static size_t kept_units(const struct layers *l)
{
    return l->dropout > 0.0 ? l->n_units : 0;
}

size_t layers_scratch(const struct layers *l)
{
    return 1 + l->n_units + kept_units(l) + 2 * l->widest; /* 1: scale, once */
}

const real *layers_out(const struct layers *l, size_t n_docs, const real *scratch)
{
    return scratch + 1 + n_docs * (l->n_units - layers_top(l));
}

real *layers_dout(const struct layers *l, size_t n_docs, real *scratch)
{
    return scratch + 1 + n_docs * (l->n_units + kept_units(l));
}

/* Forward -------------------------------------------------------------------------- */

/* Two units a draw, 32 bits each, the lower ones first: kept where they are no less than
 * dropout 2^32.  That is a mask over the bits of 1, as no branch can foretell a draw. */
static void drop_units(struct rng *r, double dropout, real scale, real *h, real *kept,
                       size_t n)
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

const real *layers_forward(const struct layers *l, const real *w, struct rows x,
                           struct rng *r, real *scratch)
{
    const bool drops = r != NULL && l->dropout > 0.0;
    real *const scale = scratch, *h = scratch + 1, *kept = h + x.n * l->n_units;
    const real *before = NULL; /* the layer below; NULL: the features */

    if (l->n == 0)
        return NULL;
    *scale = (real)(drops ? 1.0 / (1.0 - l->dropout) : 1.0);
    for (size_t k = 0; k < l->n; k++) {
        const size_t in = l->width[k], out = l->width[k + 1], n = x.n * out;
        const real *const bias = w + in * out;

        if (before == NULL)
            dense_forward(x.n, out, in, x.x, x.stride, w, bias, h);
        else
            dense_forward(x.n, out, in, before, in, w, bias, h);
        if (l->curve == CURVE_TANH)
            dense_tanh(h, n);
        else if (l->curve == CURVE_SIGMOID)
            vec_sigmoid(h, n);
        for (size_t i = 0; l->curve == CURVE_RELU && i < n; i++)
            h[i] = h[i] > 0 ? h[i] : 0;
        if (drops) {
            drop_units(r, l->dropout, *scale, h, kept, n);
            kept += n;
        }
        before = h;
        h += n;
        w += layer_weights(l, k);
    }
    return before;
}

/* Backward ------------------------------------------------------------------------- */

/* d[i] *= phi'(y), which follows from y = phi: y = h[i] / scale where dropout has scaled
 * it; what dropout left out has d[i] = 0.  kept NULL: nothing was. */
static void times_derivative(enum curve curve, const real *restrict h,
                             const real *restrict kept, real scale, real *restrict d,
                             size_t n)
{
    const real shrink = 1 / scale;

    for (size_t i = 0; kept != NULL && i < n; i++)
        d[i] *= kept[i] * scale;
    if (curve == CURVE_TANH)
        for (size_t i = 0; i < n; i++)
            d[i] *= 1 - h[i] * shrink * (h[i] * shrink);
    else if (curve == CURVE_SIGMOID)
        for (size_t i = 0; i < n; i++)
            d[i] *= h[i] * shrink * (1 - h[i] * shrink);
    else if (curve == CURVE_RELU)
        for (size_t i = 0; i < n; i++)
            d[i] = h[i] > 0 ? d[i] : 0;
}

void layer_biases(size_t n, size_t width, size_t out, const real *restrict d,
                  real *restrict db)
{
    for (size_t i = 0; i < n; i++, d += width)
        for (size_t j = 0; j < out; j++)
            db[j] += d[j];
}

void layer_back(size_t n, size_t in, size_t out, const real *restrict d,
                const real *restrict w, real *restrict dh)
{
    if (out > 1)
        gemm_nt(n, in, out, d, out, w, out, NULL, 0, dh, in);
    for (size_t i = 0; out == 1 && i < n; i++, dh += in)
        for (size_t j = 0; j < in; j++)
            dh[j] = d[i] * w[j];
}

/* d is dL/dh of the layer at hand, then, times phi', dL by its sums; the two arrays of
 * delta take turns from layer to layer. */
void layers_backward(const struct layers *l, const real *w, struct rows x, real *dw,
                     real *scratch)
{
    const real scale = scratch[0];
    const real *h = scratch + 1 + x.n * l->n_units, *kept = h + x.n * kept_units(l);
    real *d = layers_dout(l, x.n, scratch), *below = d + x.n * l->widest;

    w += l->n_weights;
    dw += l->n_weights;
    for (size_t k = l->n; k-- > 0;) {
        const size_t in = l->width[k], out = l->width[k + 1], n = x.n * out;
        real *const done = d;

        w -= layer_weights(l, k);
        dw -= layer_weights(l, k);
        h -= n;
        kept -= n;
        times_derivative(l->curve, h, scale > 1 ? kept : NULL, scale, d, n);
        layer_biases(x.n, out, out, d, dw + in * out);
        if (k == 0) {
            dense_weights(in, out, x.n, x.x, x.stride, d, dw);
            break;
        }
        dense_weights(in, out, x.n, h - x.n * in, in, d, dw);
        layer_back(x.n, in, out, d, w, below);
        d = below;
        below = done;
    }
}
