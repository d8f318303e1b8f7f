/* optim.c -- see optim.h. */
#include "optim.h"

#include "../base/alloc.h"
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

static void add_l2(const struct optim *o, const float *w, float *g)
{
    const float l2 = (float)o->rule.l2;

    for (size_t i = 0; i < o->n; i++)
        g[i] += l2 * (float)o->held[i] * w[i];
}

static void clip(const struct optim *o, float *g)
{
    const double length = sqrt(vec_dot(g, g, o->n));

    if (!(length > o->rule.clip))
        return;
    const float shrink = (float)(o->rule.clip / length);

    for (size_t i = 0; i < o->n; i++)
        g[i] *= shrink;
}

static void decay(const struct optim *o, double rate, float *w)
{
    const float loss = (float)(rate * o->rule.decay);

    for (size_t i = 0; i < o->n; i++)
        w[i] -= loss * (float)o->held[i] * w[i];
}

static void step_momentum(struct optim *o, double rate, const float *g, float *w)
{
    const float keep = (float)o->rule.momentum, r = (float)rate;
    float *const m = o->m;

    for (size_t i = 0; i < o->n; i++) {
        m[i] = keep * m[i] + g[i];
        w[i] -= r * m[i];
    }
}

/* Both corrections are folded into the rate and the small number, so that the loop has
 * one root and one division. */
static void step_adam(struct optim *o, double rate, const float *g, float *w)
{
    const double t = (double)o->t;
    const double root2 = sqrt(1.0 - pow(o->rule.beta2, t));
    const float r = (float)(rate * root2 / (1.0 - pow(o->rule.beta1, t)));
    const float small = (float)(1e-8 * root2);
    const float b1 = (float)o->rule.beta1, b2 = (float)o->rule.beta2;
    float *const m = o->m, *const v = o->v;

    for (size_t i = 0; i < o->n; i++) {
        m[i] = b1 * m[i] + (1.0f - b1) * g[i];
        v[i] = b2 * v[i] + (1.0f - b2) * g[i] * g[i];
        w[i] -= r * m[i] / (sqrtf(v[i]) + small);
    }
}

void optim_step(struct optim *o, double rate, float *g, float *w)
{
    o->t++;
    if (o->rule.l2 > 0.0)
        add_l2(o, w, g);
    if (o->rule.clip > 0.0)
        clip(o, g);
    if (o->rule.decay > 0.0)
        decay(o, rate, w);
    switch ((enum optim_kind)o->rule.kind) {
    case OPTIM_SGD:
        vec_axpy(o->n, (float)-rate, g, w);
        break;
    case OPTIM_MOMENTUM:
        step_momentum(o, rate, g, w);
        break;
    case OPTIM_ADAM:
        step_adam(o, rate, g, w);
        break;
    }
}
