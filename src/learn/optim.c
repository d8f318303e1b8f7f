/* optim.c -- see optim.h. */
#include "optim.h"

#include "../base/alloc.h"
#include "../base/cpu.h"
#include "../base/vec.h"

#include <math.h>
#include <string.h>

peck_status optim_open(struct optim *o, const struct optim_rule *rule, size_t n,
                       const unsigned char *held, peck_error *err)
{
    const bool has_m = rule->kind != OPTIM_SGD, has_v = rule->kind == OPTIM_ADAM;

    *o = (struct optim){ .rule = *rule, .n = n };
    o->held = mem_new(n, sizeof *o->held);
    o->m = has_m ? mem_new(n, sizeof *o->m) : NULL;
    o->v = has_v ? mem_new(n, sizeof *o->v) : NULL;
    if (o->held == NULL || (has_m && o->m == NULL) || (has_v && o->v == NULL)) {
        optim_close(o);
        return fail_memory(err, "the optimiser's state", n, sizeof *o->m);
    }
    if (held != NULL)
        memcpy(o->held, held, n);
    else
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
    mem_free(o->held);
    mem_free(o->m);
    mem_free(o->v);
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

static void optim_clip(const struct optim *o, float *g)
{
    const double length = sqrt(vec_dot(g, g, o->n));

    if (!(length > o->rule.clip))
        return;
    const float shrink = (float)(o->rule.clip / length);

    for (size_t i = 0; i < o->n; i++)
        g[i] *= shrink;
}

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

static struct adam adam_now(const struct optim *o, double rate)
{
    const double t = (double)o->t, root2 = sqrt(1.0 - pow(o->rule.beta2, t));

    return (struct adam){ .rate = (float)(rate * root2 / (1.0 - pow(o->rule.beta1, t))),
                          .small = (float)(1e-8 * root2),
                          .b1 = (float)o->rule.beta1,
                          .b2 = (float)o->rule.beta2 };
}

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
    o->t++;
    if (o->rule.l2 > 0.0)
        add_held(o->n, (float)o->rule.l2, o->held, w, g);
    if (o->rule.clip > 0.0)
        optim_clip(o, g);
    if (o->rule.decay > 0.0)
        add_held(o->n, (float)-(rate * o->rule.decay), o->held, w, w);
    switch ((enum optim_kind)o->rule.kind) {
    case OPTIM_SGD:
        vec_axpy(o->n, (float)-rate, g, w);
        break;
    case OPTIM_MOMENTUM:
        step_momentum(o->n, (float)o->rule.momentum, (float)rate, g, o->m, w);
        break;
    case OPTIM_ADAM:
        step_adam(o->n, adam_now(o, rate), g, o->m, o->v, w);
        break;
    }
}
