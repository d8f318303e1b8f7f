/* optim.h -- from a gradient to the next weights: loops over flat arrays.
 *
 *   g += l2 w;   g *= min(1, clip / |g|);   then one of
 *   sgd        w -= rate g
 *   momentum   m = momentum m + g;                        w -= rate m
 *   adam       m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2;
 *              w -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8)
 *   and, apart from the gradient,  w -= rate decay w
 *
 * l2 and decay touch only the weights that the family marks as held down.
 * Kingma and Ba 2015 (Adam); Loshchilov and Hutter 2019 (decoupled decay).          */
#ifndef OPTIM_H
#define OPTIM_H

#include "../base/arena.h"

enum optim_kind { OPTIM_SGD, OPTIM_MOMENTUM, OPTIM_ADAM };

struct optim_rule {
    int kind; /* enum optim_kind */
    double momentum, beta1, beta2;
    double decay, l2;
    double clip; /* largest length of the gradient; 0: any */
};

struct optim {
    struct optim_rule rule;
    size_t n;
    float *m, *v;        /* n each; NULL where the kind has none */
    unsigned char *held; /* n; 1: decay and l2 apply */
    uint64_t t;          /* steps taken */
    struct arena arena;  /* of the arrays */
};

/* All weights are held down: whoever knows better changes o->held.  Needs optim_close, even
 * where it fails. */
MUST_CHECK peck_status optim_open(struct optim *o, const struct optim_rule *rule, size_t n,
                                  peck_error *err);
void optim_reset(struct optim *o); /* forgets all steps */
/* Changes w[n]; g[n] is used up. */
void optim_step(struct optim *o, double rate, float *g, float *w);
void optim_close(struct optim *o); /* takes an all-zero one too */

#endif
