/* family_cmpnn.c -- a net that compares two documents (Rigutini, Papini, Maggini and
 * Scarselli, "SortNet: learning to rank by a neural preference function", IEEE TNN 2011,
 * section III-A).
 *
 * Every hidden unit i has a dual i' that sees the documents the other way round:
 *     a(x) = V_x x + b,   c(x) = V_y x
 *     h_i(x,y) = phi(a_i(x) + c_i(y)),   h_i'(x,y) = phi(a_i(y) + c_i(x))
 *     N_win  = sigma(sum_i w_win_i h_i + w_lose_i h_i' + b_out)
 *     N_lose = sigma(sum_i w_lose_i h_i + w_win_i h_i' + b_out)
 * Weights, each stored once: [V_x | V_y][dim][2 units], b[units], w_win[units],
 * w_lose[units], b_out.  With cross=0 there is neither V_y nor w_lose: two equal nets that
 * meet at the output only (Tesauro, NIPS 1988), a score in disguise.
 *
 * Beyond the paper there may be a tower, layers of units (layers.h) that every document
 * goes through alone: x above is then what comes out of it, and its weights stand in front
 * of the others.
 *
 * The view of a document is a(x) and c(x): a duel then takes O(units), not O(dim units).
 * Sums over h and over h' are taken the same way, lane by lane, and
 *     N_win  = sigma((w_win . h  + w_lose . h') + b_out)
 *     N_lose = sigma((w_win . h' + w_lose . h ) + b_out)
 *     lead   = (w_win - w_lose) . h - (w_win - w_lose) . h'
 * so that N_win(x,y) = N_lose(y,x) to the last bit, N_win(x,x) = N_lose(x,x), and the
 * lead of (y,x) is that of (x,y) with the other sign.                                 */
#include "dense.h"
#include "layers.h"

#define LANES 8
#include "cmpnn_kernel.h"
#define LANES 4
#include "cmpnn_kernel.h"
#define LANES 1
#include "cmpnn_kernel.h"

#include "../base/vec.h"

#include <math.h>

struct cmpnn {
    char hidden[PARAM_TEXT_MAX]; /* the tower's widths, then the units, duals included */
    int activation;              /* enum curve */
    int has_cross;               /* as the choice below */
    /* Worked out by cmpnn_open(): */
    struct layers tower;
    size_t units;
};

enum { ROW_ACTIVATION = 1 };

static const struct param cmpnn_params[] = {
    { "hidden", PARAM_TEXT, "20", "an even number from 2 to 4096, or as in 64-32-40",
      "units that compare, duals included; widths before them are layers that both "
      "documents go through, each alone",
      offsetof(struct cmpnn, hidden) },
    [ROW_ACTIVATION] = { "activation", PARAM_CHOICE, "tanh", "tanh|sigmoid",
                         "activation function of the hidden units",
                         offsetof(struct cmpnn, activation) },
    { "cross", PARAM_CHOICE, "1", "0|1",
      "0 leaves out the weights from a document to the other's units (Tesauro)",
      offsetof(struct cmpnn, has_cross) },
    { 0 }
};

/* Shape ---------------------------------------------------------------------------- */

static peck_status cmpnn_open(void *shape, size_t dim, peck_error *err)
{
    struct cmpnn *const c = shape;
    struct layers *const t = &c->tower;

    TRY(family_takes("cmpnn", dim, FAMILY_MAX_INPUTS, err));
    if (!layers_parse(c->hidden, t->width + 1, &t->n) || layers_top(t) > MAX_HIDDEN)
        return fail(
            err, PECK_ARG,
            "cmpnn: hidden=%s: give an even number of units, 2 to %d, perhaps after "
            "up to %d widths of 1 to %d with '-' between them",
            c->hidden, MAX_HIDDEN, LAYERS_MAX - 1, LAYERS_MAX_WIDTH);
    if (layers_top(t) % 2 != 0)
        return fail(err, PECK_ARG,
                    "cmpnn: hidden=%s: every unit that compares has a dual and both count; "
                    "give an even number%s",
                    c->hidden, t->n > 1 ? " at the end" : "");
    c->units = layers_top(t) / 2; /* the last width; the others are the tower's */
    t->n--;
    t->width[0] = dim;
    t->curve = (enum curve)c->activation;
    layers_open(t);
    return PECK_OK;
}

static void cmpnn_describe(const void *shape, struct text *to)
{
    const struct cmpnn *const c = shape;

    for (size_t l = 0; l <= c->tower.n; l++)
        text_printf(to, "2x%zu-", c->tower.width[l]);
    text_printf(to, "%zu-2 ", 2 * c->units);
    param_print(&cmpnn_params[ROW_ACTIVATION], c, to);
    if (!c->has_cross)
        text_add_str(to, " without cross weights");
}

/* Floats of a view: a(x), and c(x) where there is one. */
static size_t cmpnn_view_size(const void *shape)
{
    const struct cmpnn *const c = shape;

    return c->has_cross ? 2 * c->units : c->units;
}

/* Where the parts of a weight array begin, after the tower's. */
struct parts {
    size_t v, b, win, lose, out, n; /* lose = out: there is none */
};

static struct parts parts_of(const struct cmpnn *c)
{
    const size_t v = c->tower.n_weights, b = v + layers_top(&c->tower) * cmpnn_view_size(c);
    const size_t win = b + c->units, lose = win + c->units;
    const size_t out = c->has_cross ? lose + c->units : lose;

    return (struct parts){ v, b, win, lose, out, out + 1 };
}

static size_t cmpnn_n_weights(const void *shape)
{
    return parts_of(shape).n;
}

static void draw_layer(struct rng *r, size_t in, size_t out, size_t n, real *w)
{
    const double range = sqrt(6.0 / (double)(in + out));

    for (size_t i = 0; i < n; i++)
        w[i] = (real)rng_between(r, -range, range);
}

/* Uniform within sqrt(6 / (in + out)) of each layer, as far as it is connected. */
static void cmpnn_init(const void *shape, struct rng *r, real *w)
{
    const struct cmpnn *const c = shape;
    const struct parts at = parts_of(c);
    const size_t sides = c->has_cross ? 2 : 1;
    real *layer = w;

    for (size_t l = 0; l < c->tower.n; l++) {
        const size_t in = c->tower.width[l], out = c->tower.width[l + 1];

        draw_layer(r, in, out, in * out, layer);
        memset(layer + in * out, 0, out * sizeof *w);
        layer += in * out + out;
    }
    draw_layer(r, sides * layers_top(&c->tower), cmpnn_view_size(c), at.b - at.v, w + at.v);
    memset(w + at.b, 0, c->units * sizeof *w);
    draw_layer(r, cmpnn_view_size(c), sides, at.out - at.win, w + at.win);
    w[at.out] = 0;
}

static void cmpnn_decayed(const void *shape, unsigned char *is_decayed)
{
    const struct cmpnn *const c = shape;
    const struct parts at = parts_of(c);

    layers_decayed(&c->tower, is_decayed);
    memset(is_decayed + at.v, 1, at.n - at.v);
    memset(is_decayed + at.b, 0, at.win - at.b);
    is_decayed[at.out] = 0;
}

/* Views ---------------------------------------------------------------------------- */

static size_t cmpnn_scratch(const void *shape)
{
    const struct cmpnn *const c = shape;

    return c->tower.n > 0 ? layers_scratch(&c->tower) : 0;
}

static void cmpnn_view(const void *shape, const real *w, struct rows x, real *to,
                       real *scratch)
{
    const struct cmpnn *const c = shape;
    const size_t size = cmpnn_view_size(c), top = layers_top(&c->tower);
    const struct parts at = parts_of(c);
    const real *const b = w + at.b, *const bias = c->has_cross ? NULL : b;
    const real *const h =
        c->tower.n > 0 ? layers_forward(&c->tower, w, x, NULL, scratch) : NULL;

    if (h == NULL)
        dense_forward(x.n, size, top, x.x, x.stride, w, bias, to);
    else
        dense_forward(x.n, size, top, h, top, w + at.v, bias, to);
    for (size_t k = 0; c->has_cross && k < x.n; k++, to += size)
        for (size_t i = 0; i < c->units; i++)
            to[i] += b[i];
}

static void cmpnn_view_back(const void *shape, const real *w, struct rows x,
                            const real *dview, real *dw, real *scratch)
{
    const struct cmpnn *const c = shape;
    const struct layers *const t = &c->tower;
    const size_t size = cmpnn_view_size(c), top = layers_top(t);
    const struct parts at = parts_of(c);

    layer_biases(x.n, size, c->units, dview, dw + at.b);
    if (t->n == 0) {
        dense_weights(top, size, x.n, x.x, x.stride, dview, dw);
        return;
    }
    dense_weights(top, size, x.n, layers_out(t, x.n, scratch), top, dview, dw + at.v);
    layer_back(x.n, top, size, dview, w + at.v, layers_dout(t, x.n, scratch));
    layers_backward(t, w, x, dw, scratch);
}

/* Duels ---------------------------------------------------------------------------- */

/* h and h' of so many floats are worked on at a time; one duel always fits. */
enum { BLOCK = MAX_HIDDEN };

/* Units are taken in groups of so many, as vectors. */
static size_t lanes_for(size_t units)
{
    return units >= 8 ? 8 : units >= 4 ? 4 : 1;
}

/* Where the weight of a unit stands. */
static size_t head_place(size_t unit, size_t units)
{
    const size_t lanes = lanes_for(units), first = unit / lanes * lanes;
    const size_t overlap = first + lanes <= units ? 0 : first + lanes - units;

    return unit + overlap;
}

static void head_clear(struct head *to, const struct cmpnn *c)
{
    const size_t lanes = lanes_for(c->units);

    to->units = c->units;
    to->n = (c->units + lanes - 1) / lanes * lanes;
    to->has_cross = c->has_cross != 0;
    to->is_tanh = c->activation == CURVE_TANH;
    to->bias = 0;
    memset(to->win, 0, to->n * sizeof *to->win);
    memset(to->lose, 0, to->n * sizeof *to->lose);
}

static void head_open(struct head *to, const struct cmpnn *c, const real *w)
{
    const struct parts part = parts_of(c);

    head_clear(to, c);
    to->bias = w[part.out];
    for (size_t i = 0; i < c->units; i++) {
        const size_t at = head_place(i, c->units);

        to->win[at] = w[part.win + i];
        to->lose[at] = c->has_cross ? w[part.lose + i] : 0;
    }
}

/* The kernel for so many units. */
#define WITH_LANES(units, kernel, args) \
    ((units) >= 8 ? kernel##8 args : (units) >= 4 ? kernel##4 args : kernel##1 args)

/* h[n][2 units] of n duels. */
static void hidden_units(const struct cmpnn *c, const real *view, const peck_duel *duel,
                         size_t n, real *h)
{
    WITH_LANES(c->units, meet, (c->units, c->has_cross != 0, view, duel, n, h));
    if (c->activation == CURVE_TANH)
        dense_tanh(h, n * 2 * c->units);
    else
        vec_sigmoid(h, n * 2 * c->units);
}

static size_t duels_at_once(const struct cmpnn *c, size_t n_left)
{
    const size_t most = BLOCK / (2 * c->units);

    return n_left < most ? n_left : most;
}

static void cmpnn_decide(const void *shape, const real *w, const real *view,
                         const peck_duel *duel, size_t n_duels, real *lead)
{
    const struct cmpnn *const c = shape;
    struct head head;
    real h[BLOCK];

    head_open(&head, c, w);
    for (size_t i = 0; i < head.n; i++)
        head.win[i] -= head.lose[i];
    for (size_t n; n_duels > 0; n_duels -= n, duel += n, lead += n) {
        n = duels_at_once(c, n_duels);
        hidden_units(c, view, duel, n, h);
        WITH_LANES(c->units, leads, (head.win, c->units, head.has_cross, h, n, lead));
    }
}

/* What a duel keeps: h and h', then, after those of all duels, both outputs. */
static size_t cmpnn_kept(const void *shape)
{
    return 2 * ((const struct cmpnn *)shape)->units + 2;
}

static void cmpnn_duels(const void *shape, const real *w, const real *view,
                        const peck_duel *duel, size_t n_duels, real (*out)[2], real *keep)
{
    const struct cmpnn *const c = shape;
    const size_t width = 2 * c->units;
    struct head head;
    real scratch[BLOCK];

    head_open(&head, c, w);
    for (size_t n, at = 0; at < n_duels; at += n) {
        real *const h = keep != NULL ? keep + at * width : scratch;

        n = duels_at_once(c, n_duels - at);
        hidden_units(c, view, duel + at, n, h);
        WITH_LANES(c->units, nets, (&head, h, n, out + at));
        vec_sigmoid(out[at], 2 * n);
    }
    if (keep != NULL && n_duels > 0)
        memcpy(keep + n_duels * width, out, n_duels * sizeof *out);
}

/* Way back ------------------------------------------------------------------------- */

static void cmpnn_duels_back(const void *shape, const real *w, const real *view,
                             const peck_duel *duel, size_t n_duels, const real (*dout)[2],
                             const real *keep, real *dview, real *dw)
{
    const struct cmpnn *const c = shape;
    const size_t width = 2 * c->units, size = cmpnn_view_size(c);
    const struct parts part = parts_of(c);
    const real *const out = keep + n_duels * width;
    struct head head, d;

    (void)view;
    head_open(&head, c, w);
    head_clear(&d, c);
    for (size_t k = 0; k < n_duels; k++) {
        const real win = out[2 * k], lose = out[2 * k + 1];
        const struct duel_back b = { .g_win = dout[k][0] * win * (1 - win),
                                     .g_lose = dout[k][1] * lose * (1 - lose),
                                     .h = keep + k * width,
                                     .dx = dview + duel[k].i * size,
                                     .dy = dview + duel[k].j * size };

        WITH_LANES(c->units, back, (&head, &b, &d));
        d.bias += b.g_win + b.g_lose;
    }
    for (size_t i = 0; i < c->units; i++) {
        const size_t at = head_place(i, c->units);

        dw[part.win + i] += d.win[at];
        if (c->has_cross)
            dw[part.lose + i] += d.lose[at];
    }
    dw[part.out] += d.bias;
}

static const struct compare_ops cmpnn_ops = {
    .view_size = cmpnn_view_size,
    .view = cmpnn_view,
    .decide = cmpnn_decide,
    .duels = cmpnn_duels,
    .kept = cmpnn_kept,
    .duels_back = cmpnn_duels_back,
    .view_back = cmpnn_view_back,
};

const struct family family_cmpnn = {
    .plug = { { "cmpnn", "a net that compares two documents",
                "Hidden units in dual pairs with shared weights, so that who wins does "
                "not depend on who is named first; it can learn cyclic preferences "
                "(Rigutini et al., SortNet, 2011). With cross=0 the net of Tesauro "
                "(1988)." },
              cmpnn_params },
    .compares = &cmpnn_ops,
    .shape_size = sizeof(struct cmpnn),
    .open = cmpnn_open,
    .describe = cmpnn_describe,
    .n_weights = cmpnn_n_weights,
    .init = cmpnn_init,
    .scratch = cmpnn_scratch,
    .decayed = cmpnn_decayed,
};
