/* maths.h -- exp, log and their relatives in double, the same bits on every processor:
 * libm's differ by version and by the instructions that it finds.
 *
 * Only additions, products, quotients, roots and bit operations, each of which IEEE 754
 * rounds in one way.  Within 1 unit in the last place unless said otherwise; what has no
 * value is NaN, what is too large infinite.  sqrt, floor, rint, ldexp and the like are
 * exact everywhere: libm's do.  Of floats, in loops: vec.h.                            */
#ifndef MATHS_H
#define MATHS_H

#include <stddef.h>

double math_exp(double x);
void math_exp_each(double *x,
                   size_t n); /* of n in place, |x| < 746: the same bits, sooner */
double math_exp2(double x);   /* exact where x is whole */
double math_log(double x);
double math_log1p(double x);         /* log(1 + x) */
double math_log2(double x);          /* exact for powers of 2 */
double math_log10(double x);         /* exact for powers of 10 */
double math_pow(double x, double y); /* x >= 0; exact where a double holds the result */
double math_tanh(double x);
double math_cos(double x);       /* |x| < 2^26; beyond, of x modulo the double 2 pi */
double math_tan(double x);       /* the same; within 3 units in the last place */
double math_erfc(double x);      /* within 5 units in the last place */
double math_log_gamma(double x); /* x > 0; within 1e-14 of what it is, or of 1 if less */

/* NaN is passed over; of equal ones, such as 0 and -0, b: libm may take either. */
double math_max(double a, double b);
double math_min(double a, double b);

/* An unevaluated sum, which holds what rounding takes (Dekker 1971): hi + lo, |lo| at most
 * half a unit in the last place of hi, or about. */
struct twofold {
    double hi, lo;
};
struct twofold math_product(double a, double b); /* a b */

#endif
