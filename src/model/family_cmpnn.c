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
 * The view of a document is a(x) and c(x): a duel then takes O(units), not O(dim units).
 * Each sum over units is taken for h and for h' by itself, the same way, and
 *     N_win  = sigma((w_win . h  + w_lose . h') + b_out)
 *     N_lose = sigma((w_win . h' + w_lose . h ) + b_out)
 *     lead   = (w_win - w_lose) . h - (w_win - w_lose) . h'
 * so that N_win(x,y) = N_lose(y,x) to the last bit, N_win(x,x) = N_lose(x,x), and the
 * lead of (y,x) is that of (x,y) with the other sign.                                 */
#include "dense.h"
#include "family.h"

#include "../base/cpu.h"
#include "../base/vec.h"

#include <math.h>

enum activation { TANH, SIGMOID };

enum { MAX_HIDDEN = 4096, MAX_UNITS = MAX_HIDDEN / 2 };

struct cmpnn {
    int64_t hidden; /* duals included */
    int activation; /* the enum above */
    int has_cross;  /* as the choice below */
    /* Worked out by open(): */
    size_t dim, units;
};

enum { ROW_ACTIVATION = 1 };

static const struct param params[] = {
    { "hidden", PARAM_INT, "20", "[2,4096]", "hidden units, duals included: an even number",
      offsetof(struct cmpnn, hidden) },
    [ROW_ACTIVATION] = { "activation", PARAM_CHOICE, "tanh", "tanh|sigmoid",
                         "curve of the hidden units", offsetof(struct cmpnn, activation) },
    { "cross", PARAM_CHOICE, "1", "0|1",
      "0 leaves away the weights from a document to the other's units (Tesauro)",
      offsetof(struct cmpnn, has_cross) },
    { 0 }
};

/* Shape ---------------------------------------------------------------------------- */

static peck_status open(void *shape, size_t dim, peck_error *err)
{
    struct cmpnn *const c = shape;

    if (dim == 0 || dim > FAMILY_MAX_INPUTS)
        return fail(err, PECK_ARG, "cmpnn: %zu features; give 1 to %d", dim,
                    FAMILY_MAX_INPUTS);
    if (c->hidden % 2 != 0)
        return fail(err, PECK_ARG,
                    "cmpnn: hidden=%lld: every unit has a dual and both count; give an "
                    "even number",
                    (long long)c->hidden);
    c->dim = dim;
    c->units = (size_t)c->hidden / 2;
    return PECK_OK;
}

static void describe(const void *shape, struct text *to)
{
    const struct cmpnn *const c = shape;

    text_printf(to, "2x%zu-%zu-2 ", c->dim, 2 * c->units);
    param_print(&params[ROW_ACTIVATION], c, to);
    if (!c->has_cross)
        text_add_str(to, " without cross weights");
}

/* Floats of a view: a(x), and c(x) where there is one. */
static size_t view_size(const void *shape)
{
    const struct cmpnn *const c = shape;

    return c->has_cross ? 2 * c->units : c->units;
}

/* Where the parts of a weight array begin. */
struct parts {
    size_t b, win, lose, out, n; /* lose = out: there is none */
};

static struct parts parts_of(const struct cmpnn *c)
{
    const size_t b = c->dim * view_size(c), win = b + c->units, lose = win + c->units;
    const size_t out = c->has_cross ? lose + c->units : lose;

    return (struct parts){ b, win, lose, out, out + 1 };
}

static size_t n_weights(const void *shape)
{
    return parts_of(shape).n;
}

static void draw(struct rng *r, size_t in, size_t out, size_t n, real *w)
{
    const double range = sqrt(6.0 / (double)(in + out));

    for (size_t i = 0; i < n; i++)
        w[i] = (real)rng_between(r, -range, range);
}

/* Uniform within sqrt(6 / (in + out)) of each layer, as far as it is connected. */
static void init(const void *shape, struct rng *r, real *w)
{
    const struct cmpnn *const c = shape;
    const struct parts at = parts_of(c);
    const size_t sides = c->has_cross ? 2 : 1;

    draw(r, sides * c->dim, view_size(c), at.b, w);
    memset(w + at.b, 0, c->units * sizeof *w);
    draw(r, view_size(c), sides, at.out - at.win, w + at.win);
    w[at.out] = 0;
}

static void decayed(const void *shape, unsigned char *is_decayed)
{
    const struct parts at = parts_of(shape);

    memset(is_decayed, 1, at.n);
    memset(is_decayed + at.b, 0, at.win - at.b);
    is_decayed[at.out] = 0;
}

/* Views ---------------------------------------------------------------------------- */

static size_t scratch(const void *shape, size_t n_docs)
{
    (void)shape;
    (void)n_docs;
    return 0;
}

static void view(const void *shape, const real *w, struct rows x, real *to, real *scratch)
{
    const struct cmpnn *const c = shape;
    const size_t size = view_size(c);
    const real *const b = w + parts_of(c).b;

    (void)scratch;
    dense_forward(x.n, size, c->dim, x.x, x.stride, w, c->has_cross ? NULL : b, to);
    for (size_t k = 0; c->has_cross && k < x.n; k++, to += size)
        for (size_t i = 0; i < c->units; i++)
            to[i] += b[i];
}

static void view_back(const void *shape, const real *w, struct rows x, const real *dview,
                      real *dw, real *scratch)
{
    const struct cmpnn *const c = shape;
    const size_t size = view_size(c);
    real *const db = dw + parts_of(c).b;

    (void)w;
    (void)scratch;
    vec_gemm_tn(c->dim, size, x.n, x.x, x.stride, dview, size, 1.0f, dw, size);
    for (size_t k = 0; k < x.n; k++, dview += size)
        for (size_t i = 0; i < c->units; i++)
            db[i] += dview[i];
}

/* Duels ---------------------------------------------------------------------------- */

/* h and h' of so many floats are worked on at a time; one duel always fits. */
enum { BLOCK = MAX_HIDDEN };

/* Sums side by side, so that compilers make vectors of them. */
enum { LANES = 8 };

/* h[n][2 units]: what goes into the curves of h and of h'. */
static inline ALWAYS_INLINE void meet_body(size_t units, bool has_cross, const real *view,
                                           const peck_duel *duel, size_t n,
                                           real *restrict h)
{
    const size_t size = has_cross ? 2 * units : units;

    for (size_t k = 0; k < n; k++, h += 2 * units) {
        const real *const x = view + duel[k].i * size, *const y = view + duel[k].j * size;

        if (has_cross) {
            for (size_t i = 0; i < units; i++)
                h[i] = x[i] + y[units + i];
            for (size_t i = 0; i < units; i++)
                h[units + i] = y[i] + x[units + i];
        } else {
            memcpy(h, x, units * sizeof *h);
            memcpy(h + units, y, units * sizeof *h);
        }
    }
}
CPU_VERSIONS(meet,
             (size_t units, bool has_cross, const real *view, const peck_duel *duel,
              size_t n, real *h),
             (units, has_cross, view, duel, n, h))

static inline ALWAYS_INLINE real add_up(const real sum[LANES])
{
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) +
           ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static inline ALWAYS_INLINE real dot(const real *w, const real *h, size_t units)
{
    real sum[LANES] = { 0 };
    size_t i = 0;

    for (; units - i >= LANES; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[j] += w[i + j] * h[i + j];
    for (; i < units; i++)
        sum[i % LANES] += w[i] * h[i];
    return add_up(sum);
}

/* side[units] is w_win - w_lose. */
static inline ALWAYS_INLINE void leads_body(const real *side, size_t units, const real *h,
                                            size_t n, real *restrict lead)
{
    for (size_t k = 0; k < n; k++, h += 2 * units)
        lead[k] = dot(side, h, units) - dot(side, h + units, units);
}
CPU_VERSIONS(leads, (const real *side, size_t units, const real *h, size_t n, real *lead),
             (side, units, h, n, lead))

/* lose NULL: no cross weights. */
static inline ALWAYS_INLINE void nets_body(const real *win, const real *lose, real bias,
                                           size_t units, const real *h, size_t n,
                                           real (*restrict net)[2])
{
    for (size_t k = 0; k < n; k++, h += 2 * units) {
        real lost[2] = { 0, 0 };

        if (lose != NULL) {
            lost[0] = dot(lose, h + units, units);
            lost[1] = dot(lose, h, units);
        }
        net[k][0] = (dot(win, h, units) + lost[0]) + bias;
        net[k][1] = (dot(win, h + units, units) + lost[1]) + bias;
    }
}
CPU_VERSIONS(nets,
             (const real *win, const real *lose, real bias, size_t units, const real *h,
              size_t n, real (*net)[2]),
             (win, lose, bias, units, h, n, net))

/* h[n][2 units] of n duels. */
static void hidden_units(const struct cmpnn *c, const real *view, const peck_duel *duel,
                         size_t n, real *h)
{
    meet(c->units, c->has_cross != 0, view, duel, n, h);
    if (c->activation == TANH)
        dense_tanh(h, n * 2 * c->units);
    else
        vec_sigmoid(h, n * 2 * c->units);
}

static size_t block_of(const struct cmpnn *c, size_t n_left)
{
    const size_t most = BLOCK / (2 * c->units);

    return n_left < most ? n_left : most;
}

static void decide(const void *shape, const real *w, const real *view,
                   const peck_duel *duel, size_t n_duels, real *lead)
{
    const struct cmpnn *const c = shape;
    const struct parts at = parts_of(c);
    real side[MAX_UNITS], h[BLOCK];

    for (size_t i = 0; i < c->units; i++)
        side[i] = c->has_cross ? w[at.win + i] - w[at.lose + i] : w[at.win + i];
    for (size_t n; n_duels > 0; n_duels -= n, duel += n, lead += n) {
        n = block_of(c, n_duels);
        hidden_units(c, view, duel, n, h);
        leads(side, c->units, h, n, lead);
    }
}

/* What a duel keeps: h and h', then, after those of all duels, both outputs. */
static size_t kept(const void *shape)
{
    return 2 * ((const struct cmpnn *)shape)->units + 2;
}

static void duels(const void *shape, const real *w, const real *view, const peck_duel *duel,
                  size_t n_duels, real (*out)[2], real *keep)
{
    const struct cmpnn *const c = shape;
    const size_t width = 2 * c->units;
    const struct parts part = parts_of(c);
    const real *const lose = c->has_cross ? w + part.lose : NULL;
    real room[BLOCK];

    for (size_t n, at = 0; at < n_duels; at += n) {
        real *const h = keep != NULL ? keep + at * width : room;

        n = block_of(c, n_duels - at);
        hidden_units(c, view, duel + at, n, h);
        nets(w + part.win, lose, w[part.out], c->units, h, n, out + at);
        vec_sigmoid(out[at], 2 * n);
    }
    if (keep != NULL && n_duels > 0)
        memcpy(keep + n_duels * width, out, n_duels * sizeof *out);
}

/* Way back ------------------------------------------------------------------------- */

/* One duel: g_win and g_lose are dL by the arguments of the two outputs' sigma.
 *     dw_win_i += g_win h_i + g_lose h_i',   dw_lose_i += g_win h_i' + g_lose h_i
 *     da_i(x), dc_i(y) += (g_win w_win_i + g_lose w_lose_i) phi'(h_i)
 *     da_i(y), dc_i(x) += (g_win w_lose_i + g_lose w_win_i) phi'(h_i')               */
struct duel_back {
    real g_win, g_lose;
    const real *h;
    real *dx, *dy; /* of the two views */
};

/* phi' from phi: 1 - h^2, or h (1 - h). */
static inline ALWAYS_INLINE real slope(real h, const bool is_tanh)
{
    return (is_tanh ? 1 - h : h - h * h) * (is_tanh ? 1 + h : 1);
}

static inline ALWAYS_INLINE void back_crossed(const struct duel_back *d, size_t units,
                                              const bool is_tanh, const real *restrict win,
                                              const real *restrict lose,
                                              real *restrict dwin, real *restrict dlose)
{
    const real g = d->g_win, g_lose = d->g_lose, *const h = d->h, *const dual = h + units;
    real *const dx = d->dx, *const dy = d->dy;

    for (size_t i = 0; i < units; i++) {
        dwin[i] += g * h[i] + g_lose * dual[i];
        dlose[i] += g * dual[i] + g_lose * h[i];
    }
    for (size_t i = 0; i < units; i++) {
        const real dz = (g * win[i] + g_lose * lose[i]) * slope(h[i], is_tanh);

        dx[i] += dz;
        dy[units + i] += dz;
    }
    for (size_t i = 0; i < units; i++) {
        const real dz = (g * lose[i] + g_lose * win[i]) * slope(dual[i], is_tanh);

        dy[i] += dz;
        dx[units + i] += dz;
    }
}

static inline ALWAYS_INLINE void back_plain(const struct duel_back *d, size_t units,
                                            const bool is_tanh, const real *restrict win,
                                            real *restrict dwin)
{
    const real g = d->g_win, g_lose = d->g_lose, *const h = d->h, *const dual = h + units;

    for (size_t i = 0; i < units; i++)
        dwin[i] += g * h[i] + g_lose * dual[i];
    for (size_t i = 0; i < units; i++)
        d->dx[i] += g * win[i] * slope(h[i], is_tanh);
    for (size_t i = 0; i < units; i++)
        d->dy[i] += g_lose * win[i] * slope(dual[i], is_tanh);
}

/* The curve is a constant inside its loop. */
static inline ALWAYS_INLINE void back_one_body(const struct cmpnn *c, const real *w,
                                               const struct duel_back *d, real *dw)
{
    const struct parts at = parts_of(c);
    const bool is_tanh = c->activation == TANH;

    if (!c->has_cross)
        back_plain(d, c->units, is_tanh, w + at.win, dw + at.win);
    else if (is_tanh)
        back_crossed(d, c->units, true, w + at.win, w + at.lose, dw + at.win, dw + at.lose);
    else
        back_crossed(d, c->units, false, w + at.win, w + at.lose, dw + at.win,
                     dw + at.lose);
}
CPU_VERSIONS(back_one,
             (const struct cmpnn *c, const real *w, const struct duel_back *d, real *dw),
             (c, w, d, dw))

static void duels_back(const void *shape, const real *w, const real *view,
                       const peck_duel *duel, size_t n_duels, const real (*dout)[2],
                       const real *keep, real *dview, real *dw)
{
    const struct cmpnn *const c = shape;
    const size_t width = 2 * c->units, size = view_size(c), bias = parts_of(c).out;
    const real *const out = keep + n_duels * width;

    (void)view;
    for (size_t k = 0; k < n_duels; k++) {
        const real win = out[2 * k], lose = out[2 * k + 1];
        const struct duel_back d = { .g_win = dout[k][0] * win * (1 - win),
                                     .g_lose = dout[k][1] * lose * (1 - lose),
                                     .h = keep + k * width,
                                     .dx = dview + duel[k].i * size,
                                     .dy = dview + duel[k].j * size };

        back_one(c, w, &d, dw);
        dw[bias] += d.g_win + d.g_lose;
    }
}

const struct family family_cmpnn = {
    .plug = { { "cmpnn", "a net that compares two documents",
                "Hidden units in dual pairs with shared weights, so that who wins does not "
                "depend on who is named first; it can learn preferences that go round in "
                "a circle (Rigutini et al., SortNet, 2011). With cross=0 the net of "
                "Tesauro (1988)." },
              params },
    .can = CAN_PREFER | CAN_BACKPROP,
    .shape_size = sizeof(struct cmpnn),
    .open = open,
    .describe = describe,
    .n_weights = n_weights,
    .init = init,
    .scratch = scratch,
    .view_size = view_size,
    .view = view,
    .decide = decide,
    .duels = duels,
    .kept = kept,
    .duels_back = duels_back,
    .view_back = view_back,
    .decayed = decayed,
};
