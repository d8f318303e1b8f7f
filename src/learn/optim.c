/* optim.c -- see optim.h. */
#include "optim.h"

#include "../base/cpu.h"
#include "../base/vec.h"

#include <math.h>
#include <string.h>

peck_status optim_open(struct optim *o, const struct optim_rule *rule, size_t n,
                       peck_error *err)
{
    const char *const what = "the optimiser's state";

    *o = (struct optim){ .rule = *rule, .n = n };
    o->held = arena_new(&o->arena, what, n, sizeof *o->held);
    if (rule->kind != OPTIM_SGD)
        o->m = arena_new(&o->arena, what, n, sizeof *o->m);
    if (rule->kind == OPTIM_ADAM)
        o->v = arena_new(&o->arena, what, n, sizeof *o->v);
    TRY(arena_check(&o->arena, err));
    memset(o->held, 1, n);
    return PECK_OK;
}

void optim_reset(struct optim *o)
{
    o->t = 0;
    if (o->m != NULL)
        memset(o->m, 0, o->n * sizeof *o->m);
    if (o->v != NULL)
        memset(o->v, 0, o->n * sizeof *o->v);
}

void optim_close(struct optim *o)
{
    arena_free(&o->arena);
    *o = (struct optim){ 0 };
}

/* to += by x, of the weights that are held down. */
static inline ALWAYS_INLINE void add_held_body(size_t n, float by,
                                               const unsigned char *held, const float *x,
                                               float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] += by * (float)held[i] * x[i];
}
CPU_VERSIONS(add_held,
             (size_t n, float by, const unsigned char *held, const float *x, float *to),
             (n, by, held, x, to))

static inline ALWAYS_INLINE void step_momentum_body(size_t n, float keep, float rate,
                                                    const float *g, float *m, float *w)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = keep * m[i] + g[i];
        w[i] -= rate * m[i];
    }
}
CPU_VERSIONS(step_momentum,
             (size_t n, float keep, float rate, const float *g, float *m, float *w),
             (n, keep, rate, g, m, w))

/* What a step of Adam needs: both corrections are folded into the rate and the small
 * number, so that the loop has one root and one division. */
struct adam {
    float rate, small, b1, b2;
};

static inline ALWAYS_INLINE void step_adam_body(size_t n, struct adam a,
                                                const float *restrict g, float *restrict m,
                                                float *restrict v, float *restrict w)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = a.b1 * m[i] + (1.0f - a.b1) * g[i];
        v[i] = a.b2 * v[i] + (1.0f - a.b2) * g[i] * g[i];
        w[i] -= a.rate * m[i] / (sqrtf(v[i]) + a.small);
    }
}
CPU_VERSIONS(step_adam,
             (size_t n, struct adam a, const float *g, float *m, float *v, float *w),
             (n, a, g, m, v, w))

void optim_step(struct optim *o, double rate, float *g, float *w)
{
    const struct optim_rule *const r = &o->rule;
    const double t = (double)++o->t;

    if (r->l2 > 0.0)
        add_held(o->n, (float)r->l2, o->held, w, g);
    const double length = r->clip > 0.0 ? sqrt(vec_dot(g, g, o->n)) : 0.0;

    if (length > r->clip) {
        const float shrink = (float)(r->clip / length);

        for (size_t i = 0; i < o->n; i++)
            g[i] *= shrink;
    }
    if (r->decay > 0.0)
        add_held(o->n, (float)-(rate * r->decay), o->held, w, w);
    switch ((enum optim_kind)r->kind) {
    case OPTIM_SGD:
        vec_axpy(o->n, (float)-rate, g, w);
        break;
    case OPTIM_MOMENTUM:
        step_momentum(o->n, (float)r->momentum, (float)rate, g, o->m, w);
        break;
    case OPTIM_ADAM: {
        const double root2 = sqrt(1.0 - pow(r->beta2, t));
        const struct adam a = { .rate = (float)(rate * root2 / (1.0 - pow(r->beta1, t))),
                                .small = (float)(1e-8 * root2),
                                .b1 = (float)r->beta1,
                                .b2 = (float)r->beta2 };

        step_adam(o->n, a, g, o->m, o->v, w);
        break;
    }
    }
}
