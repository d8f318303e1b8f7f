/* maths.c -- see maths.h.
 *
 *   exp    x = n ln 2 + r, |r| <= ln(2)/2; e^r by its series       Cody and Waite 1980
 *   log    x = 2^k m, f = m - 1, s = f / (2 + f):
 *          log m = 2 atanh s = f - (f^2/2 - s (f^2/2 + R)),  R = 2/3 s^2 + 2/5 s^4 + ...
 *                                                           Tang 1990; Ng (fdlibm) 1993
 *   erfc   (1 + 2x) e^(x^2) erfc x as a polynomial of (x - 3.75) / (x + 3.75)
 *                                                        Shepherd and Laframboise 1981
 *
 * Coefficients of series are written as the fractions that they are.                 */
#include "maths.h"

#include "cpu.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2; its first 42 bits, so that products with whole numbers to 2^11 are exact. */
#define LN2_1 0x1.62e42fefa3800p-1
#define LN2_2 0x1.ef35793c76730p-45
#define LN2 0x1.62e42fefa39efp-1
#define LOG2_E 0x1.71547652b82fep+0
#define PI 0x1.921fb54442d18p+1
#define ROUND_TO_WHOLE 0x1.8p52 /* adding it leaves no fraction bits */

/* Unevaluated sums of two doubles, without fused multiply-adds: where there are none they
 * are slow. */

static inline uint64_t double_bits(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double double_from(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* a + b, |a| >= |b| or a = 0. */
static inline struct twofold sum_of(double a, double b)
{
    const double hi = a + b;

    return (struct twofold){ hi, b - (hi - a) };
}

/* The upper 26 bits of x: products of two such, or of one and what is left, are exact. */
static inline double upper_half(double x)
{
    return double_from(double_bits(x) & ~((UINT64_C(1) << 27) - 1));
}

struct twofold math_product(double a, double b)
{
    const double hi = a * b, a1 = upper_half(a), b1 = upper_half(b), a2 = a - a1;
    const double b2 = b - b1;

    return (struct twofold){ hi, ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2 };
}

double math_max(double a, double b)
{
    return a > b || isnan(b) ? a : b;
}

double math_min(double a, double b)
{
    return a < b || isnan(b) ? a : b;
}

/* Exponentials --------------------------------------------------------------------- */

/* e^(r + lost) - 1, |r| <= ln(2)/2, lost of the size of its rounding:
 *     r + r^2 (1/2! + r/3! + ... + r^12/14!)
 * what is left out is below r^15/15! < 1e-19. */
static inline struct twofold exp_less_1(double r, double lost)
{
    const double z = r * r;
    const double even =
        1.0 / 2 +
        z * (1.0 / 24 +
             z * (1.0 / 720 +
                  z * (1.0 / 40320 + z * (1.0 / 3628800 + z * (1.0 / 479001600 +
                                                               z * (1.0 / 87178291200))))));
    const double odd =
        1.0 / 6 +
        z * (1.0 / 120 +
             z * (1.0 / 5040 +
                  z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800)))));
    struct twofold p = sum_of(r, z * (even + r * odd));

    p.lo += lost + lost * r;
    return p;
}

/* The power of 2 comes in two halves: its exponent may be outside a double's range where
 * the result is not. */
static inline double times_power_of_2(double x, int n)
{
    const int half = n >> 1;

    return x * double_from((uint64_t)(half + 1023) << 52) *
           double_from((uint64_t)(n - half + 1023) << 52);
}

/* e^(x + more), |x| < 746, |more| a rounding of x.  Without a branch: several at once. */
static inline double exp_inside(double x, double more)
{
    const double n = (x * LOG2_E + ROUND_TO_WHOLE) - ROUND_TO_WHOLE;
    const double high = x - n * LN2_1, low = n * LN2_2 - more;
    const double r = high - low;
    const struct twofold p = exp_less_1(r, (high - r) - low);
    const struct twofold sum = sum_of(1.0, p.hi);

    return times_power_of_2(sum.hi + (sum.lo + p.lo), (int)n);
}

static double exp_of(double x, double more)
{
    if (!(fabs(x) < 746.0)) /* so is the result */
        return x < 0.0 ? 0.0 : x > 0.0 ? HUGE_VAL : x;
    return exp_inside(x, more);
}

double math_exp(double x)
{
    return exp_of(x, 0.0);
}

void math_exp_each(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = exp_inside(x[i], 0.0);
}

/* 2^x = 2^n e^(f ln 2), f = x - n. */
double math_exp2(double x)
{
    if (!(fabs(x) < 1076.0))
        return x < 0.0 ? 0.0 : x > 0.0 ? HUGE_VAL : x;
    const double n = (x + ROUND_TO_WHOLE) - ROUND_TO_WHOLE, f = x - n;

    if (f == 0.0) /* most labels are whole */
        return times_power_of_2(1.0, (int)n);
    struct twofold r = math_product(f, LN2);

    r.lo += f * (LN2_2 - (LN2 - LN2_1));
    const struct twofold p = exp_less_1(r.hi, r.lo);
    const struct twofold sum = sum_of(1.0, p.hi);

    return times_power_of_2(sum.hi + (sum.lo + p.lo), (int)n);
}

/* t / (t + 2), t = e^2|x| - 1; 1 from |x| = 22 on, x where x^3 / 3 is lost. */
double math_tanh(double x)
{
    const double y = fabs(x);

    if (!(y < 22.0))
        return isnan(x) ? x : copysign(1.0, x);
    if (y < 0x1p-28)
        return x;
    const double n = (2.0 * y * LOG2_E + ROUND_TO_WHOLE) - ROUND_TO_WHOLE;
    const double high = 2.0 * y - n * LN2_1, low = n * LN2_2, r = high - low;
    const double scale = double_from((uint64_t)((int)n + 1023) << 52);
    const struct twofold p = exp_less_1(r, (high - r) - low);
    /* 2^n (1 + p) - 1; from n = 1 on, 2^n - 1 is the larger part. */
    struct twofold t = n == 0.0 ? p : sum_of(scale - 1.0, scale * p.hi);

    t.lo += n == 0.0 ? 0.0 : scale * p.lo;
    struct twofold below = t.hi < 2.0 ? sum_of(2.0, t.hi) : sum_of(t.hi, 2.0);
    const double ratio = t.hi / below.hi;
    const struct twofold back = math_product(ratio, below.hi);

    below.lo += t.lo;
    return copysign(
        ratio + (((t.hi - back.hi) - back.lo) + t.lo - ratio * below.lo) / below.hi, x);
}

/* Logarithms ----------------------------------------------------------------------- */

/* x = 2^k m, m in [sqrt(1/2), sqrt(2)), x positive and finite; returns m - 1. */
static double reduce_log(double x, double *k)
{
    const uint64_t root = UINT64_C(0x3FE6A09E667F3BCD), one = UINT64_C(0x3FF0000000000000);
    const int lift = x < 0x1p-1022 ? 54 : 0; /* subnormal */
    const uint64_t moved = double_bits(lift ? x * 0x1p54 : x) + (one - root);

    *k = (double)((int)(moved >> 52) - 1023 - lift);
    return double_from((moved & ((UINT64_C(1) << 52) - 1)) + root) - 1.0;
}

/* log(1 + f), f as above, to some 2^-56 of it; hi has 26 bits. */
static struct twofold log_1_plus(double f)
{
    const double s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    /* terms of even and of odd place side by side: the processor works at both */
    const double odd =
        2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19))));
    const double even = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17)));
    const double rest = z * odd + w * even;
    const double hi = upper_half(f - half);

    return (struct twofold){ hi, ((f - hi) - half) + s * (half + rest) };
}

/* What log gives where x is no positive finite number. */
static double log_of_other(double x)
{
    return x == 0.0 ? -HUGE_VAL : x < 0.0 ? (double)NAN : x;
}

static inline int is_positive(double x)
{
    return x > 0.0 && x < HUGE_VAL;
}

/* log(x) + more, |more| small beside it. */
static double log_and(double x, double more)
{
    double k;
    const struct twofold l = log_1_plus(reduce_log(x, &k));
    const struct twofold sum = sum_of(k * LN2_1, l.hi);

    return sum.hi + (sum.lo + ((k * LN2_2 + more) + l.lo));
}

double math_log(double x)
{
    return is_positive(x) ? log_and(x, 0.0) : log_of_other(x);
}

/* v = 1 + x loses c, and log(1 + x) = log v + c / v to first order. */
double math_log1p(double x)
{
    const double v = 1.0 + x;

    if (!is_positive(v) || v == 1.0)
        return v == 1.0 ? x : log_of_other(v);
    return log_and(v, (x < 1.0 ? x - (v - 1.0) : 1.0 - (v - x)) / v);
}

/* log x / log b = k log_b 2 + log(m) / log b; a: 1 / log b, its first 26 bits and the rest;
 * c: log_b 2, k times the first part of which is exact. */
static double log_in_base(double x, struct twofold a, struct twofold c)
{
    double k;
    const struct twofold l = log_1_plus(reduce_log(x, &k));
    const struct twofold sum = sum_of(k * c.hi, l.hi * a.hi);

    return sum.hi + (sum.lo + (k * c.lo + (l.lo * (a.hi + a.lo) + l.hi * a.lo)));
}

double math_log2(double x)
{
    const struct twofold a = { 0x1.715476p+0, 0x1.4ae0bf85ddf44p-26 }, c = { 1.0, 0.0 };

    return is_positive(x) ? log_in_base(x, a, c) : log_of_other(x);
}

double math_log10(double x)
{
    const struct twofold a = { 0x1.bcb7b1p-2, 0x1.49b9438ca9aaep-28 };
    const struct twofold c = { 0x1.34413509f78p-2, 0x1.fef311f12b358p-46 };

    return is_positive(x) ? log_in_base(x, a, c) : log_of_other(x);
}

/* As log_1_plus, to some 2^-65: the first two terms of 2 s (1 + z/3 + z^2/5 + ...) are
 * twofold. */
static struct twofold long_log_1_plus(double f)
{
    const struct twofold below = sum_of(2.0, f);
    const double s = f / below.hi;
    const struct twofold back = math_product(s, below.hi);
    const double s2 = (((f - back.hi) - back.lo) - s * below.lo) / below.hi;
    struct twofold z = math_product(s, s);

    z.lo += 2.0 * s * s2;
    const double rest =
        z.hi *
        (1.0 / 5 +
         z.hi *
             (1.0 / 7 +
              z.hi * (1.0 / 9 +
                      z.hi * (1.0 / 11 +
                              z.hi * (1.0 / 13 +
                                      z.hi * (1.0 / 15 +
                                              z.hi * (1.0 / 17 +
                                                      z.hi * (1.0 / 19 + z.hi / 21))))))));
    struct twofold third = sum_of(1.0 / 3, rest);

    third.lo += 0x1.5555555555555p-56; /* 1/3 less its double */
    struct twofold w = math_product(z.hi, third.hi);

    w.lo += z.hi * third.lo + z.lo * third.hi;
    struct twofold more = math_product(s, w.hi);

    more.lo += s * w.lo + s2 * w.hi;
    struct twofold l = sum_of(2.0 * s, 2.0 * more.hi);

    l.lo += 2.0 * (s2 + more.lo);
    return l;
}

/* e^(y log x), the logarithm and its product with y twofold. */
double math_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y) || x < 0.0)
        return (double)NAN;
    if (isinf(y) || !is_positive(x))
        return (x < 1.0) == (y < 0.0) ? HUGE_VAL : 0.0;
    double k;
    const struct twofold m = long_log_1_plus(reduce_log(x, &k));
    const struct twofold sum = sum_of(k * LN2_1, m.hi);
    const struct twofold l = sum_of(sum.hi, sum.lo + (m.lo + k * LN2_2));

    if (!(fabs(y) < 0x1p70)) /* beyond any x but 1; below, products stay finite */
        return (x < 1.0) == (y < 0.0) ? HUGE_VAL : 0.0;
    struct twofold p = math_product(l.hi, y);

    p.lo += l.lo * y;
    p = sum_of(p.hi, p.lo);
    return exp_of(p.hi, p.lo);
}

/* Others --------------------------------------------------------------------------- */

/* y = n pi/2 + r, |r| <= pi/4, y >= 0; returns n modulo 4.  pi/2 in parts of 26 bits, so
 * that n times each but the last is exact. */
static int reduce_angle(double y, struct twofold *r)
{
    static const double part[] = { 0x1.921fb5p+0, 0x1.110b46p-26, 0x1.1a6263p-54,
                                   0x1.8a2e03707344ap-81 };

    if (!(y < 0x1p26))
        y = fmod(y, 2.0 * PI);
    const double n = (y * (2.0 / PI) + ROUND_TO_WHOLE) - ROUND_TO_WHOLE;
    double sum = y - n * part[0], lost = 0.0;

    for (int i = 1; i < 4; i++) { /* Knuth's sum: either may be the larger */
        const double b = -n * part[i], next = sum + b, back = next - sum;

        lost += (sum - (next - back)) + (b - back);
        sum = next;
    }
    *r = sum_of(sum, lost);
    return (int)((int64_t)n & 3);
}

/* Their series, below 1e-19 off. */
static double sin_near_0(struct twofold r)
{
    const double z = r.hi * r.hi;
    const double tail =
        z * (-1.0 / 6 +
             z * (1.0 / 120 +
                  z * (-1.0 / 5040 + z * (1.0 / 362880 +
                                          z * (-1.0 / 39916800 +
                                               z * (1.0 / 6227020800 +
                                                    z * (-1.0 / 1307674368000 +
                                                         z * (1.0 / 355687428096000))))))));

    return r.hi + (r.hi * tail + r.lo * (1.0 - 0.5 * z));
}

static double cos_near_0(struct twofold r)
{
    const double z = r.hi * r.hi;
    const double tail =
        z * z *
        (1.0 / 24 +
         z * (-1.0 / 720 +
              z * (1.0 / 40320 + z * (-1.0 / 3628800 +
                                      z * (1.0 / 479001600 +
                                           z * (-1.0 / 87178291200 +
                                                z * (1.0 / 20922789888000 +
                                                     z * (-1.0 / 6402373705728000))))))));
    const struct twofold sum = sum_of(1.0, -0.5 * z);

    return sum.hi + (sum.lo + (tail - r.hi * r.lo));
}

double math_cos(double x)
{
    struct twofold r;

    if (!isfinite(x))
        return (double)NAN;
    const int quarter = reduce_angle(fabs(x), &r);
    const double value = quarter & 1 ? sin_near_0(r) : cos_near_0(r);

    return quarter == 1 || quarter == 2 ? -value : value;
}

double math_tan(double x)
{
    struct twofold r;

    if (!isfinite(x))
        return (double)NAN;
    const int quarter = reduce_angle(fabs(x), &r);
    const double value =
        quarter & 1 ? -cos_near_0(r) / sin_near_0(r) : sin_near_0(r) / cos_near_0(r);

    return signbit(x) ? -value : value;
}

double math_erfc(double x)
{
    static const double p[] = {
        1.2375126308378275819,      -0.14024059858554696191,    0.0035854154854637749642,
        0.082276738490145159123,    -0.10880393014171785779,    0.092304321160378767141,
        -0.058693398590212367225,   0.028362277418940664799,    -0.0097465795525042429682,
        0.0017556258530017257945,   0.00029371363428500812575,  -0.0002901540809795271307,
        0.000051649211390702851871, 0.000022384240314224438333, -0.000011444412439171723062,
        -9.735619015182663294e-7,   1.7520579701663181024e-6,   -5.721597255990987179e-8,
        -2.5910696877966578529e-7,  2.3261913276696567394e-8,   3.8965452548985968109e-8,
        -3.7435680336345832166e-9,  -5.2842869796314205662e-9,  3.1103107198391649931e-10,
        4.4349590700096282602e-10
    };
    const double y = fabs(x);

    double sum = 0.0;

    if (!(y < 28.0)) /* from 27.3 on it is 0 */
        return isnan(x) ? x : x < 0.0 ? 2.0 : 0.0;
    if (y < 0.5) { /* 1 - erf x by its series, x (1 - x^2/3 + ... + x^26/(13! 27)) */
        for (int n = 13; n >= 0; n--)
            sum = 1.0 / (2 * n + 1) - x * x / (n + 1) * sum;
        return 1.0 - 1.12837916709551257390 * x * sum;
    }
    const double t = (y - 3.75) / (y + 3.75);
    const struct twofold square = math_product(y, y);

    for (size_t i = sizeof p / sizeof *p; i-- > 0;)
        sum = sum * t + p[i];
    const double value = exp_of(-square.hi, -square.lo) * (sum / (1.0 + 2.0 * y));

    return x < 0.0 ? 2.0 - value : value;
}

/* Stirling's series from 10 on; below, log G(x) = log G(x + n) - log(x (x+1) ... (x+n-1)). */
double math_log_gamma(double x)
{
    double product = 1.0;

    if (!(x > 0.0))
        return (double)NAN;
    for (; x < 10.0; x += 1.0)
        product *= x;
    const double v = 1.0 / x, z = v * v;
    const double series =
        v *
        (1.0 / 12 + z * (-1.0 / 360 +
                         z * (1.0 / 1260 +
                              z * (-1.0 / 1680 +
                                   z * (1.0 / 1188 +
                                        z * (-691.0 / 360360 +
                                             z * (1.0 / 156 + z * (-3617.0 / 122400))))))));
    const double half_log_2_pi = 0.91893853320467274178;

    return (x - 0.5) * math_log(x) - x + half_log_2_pi + series - math_log(product);
}
