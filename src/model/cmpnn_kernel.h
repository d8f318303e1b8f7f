/* cmpnn_kernel.h -- the duels of family_cmpnn.c, LANES units at a time; included once for
 * each LANES there is a use for, all powers of 2.
 *
 * Where units are no multiple of LANES, the last group of them overlaps the one before;
 * the weights of what was there already are 0 (see struct head).                      */
#ifndef CMPNN_KERNEL_H
#define CMPNN_KERNEL_H

#include "../base/cpu.h"
#include "family.h"

enum { MAX_HIDDEN = 4096, MAX_UNITS = MAX_HIDDEN / 2 };

/* The output's weights in groups.  The last one takes the last units, also where some of
 * them are in the one before; the weights of those are 0. */
struct head {
    size_t units, n; /* n: weights in all groups */
    bool has_cross, is_tanh;
    real bias, win[MAX_UNITS + 8], lose[MAX_UNITS + 8];
};

/* Of one duel, g_win and g_lose being dL by the arguments of the two outputs' sigma:
 *     dw_win_i += g_win h_i + g_lose h_i',   dw_lose_i += g_win h_i' + g_lose h_i
 *     da_i(x), dc_i(y) += (g_win w_win_i + g_lose w_lose_i) phi'(h_i)
 *     da_i(y), dc_i(x) += (g_win w_lose_i + g_lose w_win_i) phi'(h_i')
 * where phi' = (1 + h) (1 - h) for tanh and h (1 - h) for the sigmoid.               */
struct duel_back {
    real g_win, g_lose;
    const real *h;
    real *dx, *dy; /* of the two views */
};

#endif

#ifndef LANES /* for those who compile this header alone */
#define LANES 4
#endif

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define LANED(name) JOIN(name, LANES, )
#define BODY(name) JOIN(name, LANES, _body)
#define VERSIONS(name, params, args) CPU_VERSIONS(name, params, args)
#define VECTOR LANED(vector)
#define AT(p) (*(VECTOR *)(p))
#define FROM(p) (*(const VECTOR *)(p))

typedef real VECTOR
    __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real)), may_alias));

/* The first unit of group g. */
static inline ALWAYS_INLINE size_t LANED(group_at)(size_t g, size_t units)
{
    return (g + 1) * LANES <= units ? g * LANES : units - LANES;
}

/* to[units] = a + c, or a alone. */
static inline ALWAYS_INLINE void LANED(meet_one)(size_t units, const real *a, const real *c,
                                                 real *to)
{
    for (size_t g = 0; g * LANES < units; g++) {
        const size_t at = LANED(group_at)(g, units);
        VECTOR sum = FROM(a + at);

        if (c != NULL)
            sum += FROM(c + at);
        AT(to + at) = sum;
    }
}

/* h[n][2 units]: what goes into the curves of h and of h'. */
static inline ALWAYS_INLINE void BODY(meet)(size_t units, bool has_cross, const real *view,
                                            const peck_duel *duel, size_t n, real *h)
{
    const size_t size = has_cross ? 2 * units : units;

    for (size_t k = 0; k < n; k++, h += 2 * units) {
        const real *const x = view + duel[k].i * size, *const y = view + duel[k].j * size;

        LANED(meet_one)(units, x, has_cross ? y + units : NULL, h);
        LANED(meet_one)(units, y, has_cross ? x + units : NULL, h + units);
    }
}
VERSIONS(LANED(meet),
         (size_t units, bool has_cross, const real *view, const peck_duel *duel, size_t n,
          real *h),
         (units, has_cross, view, duel, n, h))

/* The lanes are added in halves. */
static inline ALWAYS_INLINE real LANED(add_up)(const VECTOR *from)
{
    VECTOR v = *from;

#if LANES == 8
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
#elif LANES == 4
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2);
#endif
    return v[0];
}

/* Without cross weights each document has a sum of its own, and leads are transitive to
 * the last bit. */
static inline ALWAYS_INLINE void BODY(leads)(const real *side, size_t units, bool has_cross,
                                             const real *h, size_t n, real *lead)
{
    for (size_t k = 0; k < n; k++, h += 2 * units) {
        VECTOR sum = { 0 }, dual = { 0 };

        for (size_t g = 0; g * LANES < units; g++) {
            const real *const at = h + LANED(group_at)(g, units);

            sum += FROM(side + g * LANES) * FROM(at);
            dual += FROM(side + g * LANES) * FROM(at + units);
        }
        if (has_cross) {
            sum -= dual;
            lead[k] = LANED(add_up)(&sum);
        } else {
            lead[k] = LANED(add_up)(&sum) - LANED(add_up)(&dual);
        }
    }
}
VERSIONS(LANED(leads),
         (const real *side, size_t units, bool has_cross, const real *h, size_t n,
          real *lead),
         (side, units, has_cross, h, n, lead))

static inline ALWAYS_INLINE void BODY(nets)(const struct head *head, const real *h,
                                            size_t n, real (*net)[2])
{
    const size_t units = head->units;

    for (size_t k = 0; k < n; k++, h += 2 * units) {
        VECTOR win = { 0 }, win_lost = { 0 }, lose = { 0 }, lose_won = { 0 };

        for (size_t g = 0; g * LANES < units; g++) {
            const real *const at = h + LANED(group_at)(g, units);

            win += FROM(head->win + g * LANES) * FROM(at);
            win_lost += FROM(head->lose + g * LANES) * FROM(at + units);
            lose_won += FROM(head->win + g * LANES) * FROM(at + units);
            lose += FROM(head->lose + g * LANES) * FROM(at);
        }
        win += win_lost;
        lose += lose_won;
        net[k][0] = LANED(add_up)(&win) + head->bias;
        net[k][1] = LANED(add_up)(&lose) + head->bias;
    }
}
VERSIONS(LANED(nets), (const struct head *head, const real *h, size_t n, real (*net)[2]),
         (head, h, n, net))

/* d: in groups, sums of dw_win and dw_lose; what overlaps in them means nothing. */
static inline ALWAYS_INLINE void BODY(back)(const struct head *head,
                                            const struct duel_back *b, struct head *d)
{
    const size_t units = head->units;
    const real one = head->is_tanh, g_win = b->g_win, g_lose = b->g_lose;

    for (size_t g = 0; g * LANES < units; g++) {
        const size_t at = LANED(group_at)(g, units);
        const VECTOR h = FROM(b->h + at), dual = FROM(b->h + units + at);
        const VECTOR win = FROM(head->win + g * LANES), lose = FROM(head->lose + g * LANES);
        const VECTOR dz = (g_win * win + g_lose * lose) * ((one + h) * (1 - h));
        const VECTOR dual_dz = (g_win * lose + g_lose * win) * ((one + dual) * (1 - dual));

        AT(d->win + g * LANES) += g_win * h + g_lose * dual;
        AT(d->lose + g * LANES) += g_win * dual + g_lose * h;
        AT(b->dx + at) += dz;
        AT(b->dy + at) += dual_dz;
        if (head->has_cross) {
            AT(b->dy + units + at) += dz;
            AT(b->dx + units + at) += dual_dz;
        }
    }
}
VERSIONS(LANED(back), (const struct head *head, const struct duel_back *b, struct head *d),
         (head, b, d))

#undef JOIN_
#undef JOIN
#undef LANED
#undef BODY
#undef VERSIONS
#undef VECTOR
#undef AT
#undef FROM
#undef LANES
