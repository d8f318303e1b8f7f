/* finite.h -- whether numbers are numbers. */
#ifndef FINITE_H
#define FINITE_H

#include <stdbool.h>
#include <stddef.h>

/* Neither NaN nor infinite, all of them. */
bool floats_are_finite(const float *x, size_t n);
bool doubles_are_finite(const double *x, size_t n);

#endif
