/* twins.h -- every family once more, compiled in double precision with plain loops for
 * its products and libm for its curves, so that derivatives can be compared with finite
 * differences.  A family brings tests/support/twin_<name>.c.                        */
#ifndef TWINS_H
#define TWINS_H

#include "base/view.h"

struct twin;

/* Settings as "key=value", ended by NULL; NULL: none.  Ends the program when they are no
 * good. */
struct twin *twin_open(const char *family, const char *const *settings, size_t dim);
void twin_free(struct twin *t);
size_t twin_n_weights(const struct twin *t);
void twin_init(const struct twin *t, uint64_t seed, double *w);

/* s[x.n]; dropout masks from this seed, where the shape has dropout; 0: no dropout. */
void twin_forward(struct twin *t, const double *w, struct rows x, uint64_t seed, double *s);
/* After twin_forward: dw[] += sum_i ds[i] d s_i / d w. */
void twin_backward(struct twin *t, const double *w, struct rows x, const double *ds,
                   double *dw);

/* Of a family that compares: out[n_duels] from x. */
void twin_duels(struct twin *t, const double *w, struct rows x, const peck_duel *duel,
                size_t n_duels, double (*out)[2]);
/* After twin_duels on the same: dw[] += sum_k dout[k] . d out_k / d w. */
void twin_duels_back(struct twin *t, const double *w, struct rows x, const peck_duel *duel,
                     size_t n_duels, const double (*dout)[2], double *dw);

#endif
