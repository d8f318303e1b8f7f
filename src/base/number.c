/* number.c -- the long way round for decimal text; see number.h for the short one. */
#include "number.h"

#include "maths.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

const double number_pow10[23] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

const uint64_t number_ten[9] = { 1,      10,      100,      1000,     10000,
                                 100000, 1000000, 10000000, 100000000 };
#define MOST(ten) ((1ULL << 53) / (ten)-1)
const uint64_t number_most[8] = {
    MOST(1),     MOST(10),     MOST(100),     MOST(1000),
    MOST(10000), MOST(100000), MOST(1000000), MOST(10000000)
};
#undef MOST

/* A decimal as it is written: m * 10^exp10, m holding the first 19 digits. */
struct decimal {
    uint64_t m;
    int64_t exp10;
    int kept; /* significant digits in m */
    bool any; /* at least one digit was seen */
};

static void take_digit(struct decimal *d, char c, bool after_point)
{
    d->any = true;
    if (d->kept < 19) {
        d->m = d->m * 10 + (uint64_t)(c - '0');
        d->kept += d->m > 0;
        d->exp10 -= after_point;
    } else {
        d->exp10 += !after_point;
    }
}

/* "e-12" and the like; a lone "e" is no exponent and stays unread.  Beyond 9,999 the
 * value is 0 or infinite anyway. */
static const char *take_exponent(struct decimal *d, const char *p)
{
    const char *q = p + 1;
    const bool minus = *q == '-';

    q += *q == '-' || *q == '+';
    if (!is_digit(*q))
        return p;
    int64_t e = 0;

    for (; is_digit(*q); q++)
        if (e < 10000)
            e = e * 10 + (*q - '0');
    d->exp10 += minus ? -e : e;
    return q;
}

/* wide to its first 64 bits, to nearest, halves to even; *exp2 gains what was cut. */
static uint64_t first_64_bits(unsigned __int128 wide, int *exp2)
{
    const uint64_t upper = (uint64_t)(wide >> 64);
    const int shift =
        upper > 0 ? __builtin_clzll(upper) : 64 + __builtin_clzll((uint64_t)wide);
    const uint64_t half = UINT64_C(1) << 63;

    wide <<= shift;
    const uint64_t m = (uint64_t)(wide >> 64), rest = (uint64_t)wide;
    const bool goes_up = rest > half || (rest == half && (m & 1));

    *exp2 += 64 - shift;
    if (!goes_up || m + 1 > m)
        return m + goes_up;
    *exp2 += 1;
    return half;
}

/* m * 10^exp10 or m / 10^-exp10, all of whose operands are exact: rounded once, but for
 * what is nearer to a half than 2^-100. */
static double scale_once(uint64_t m, int64_t exp10)
{
    const uint64_t last = m < (1ULL << 53) ? 0 : m & 2047; /* bits that high cannot hold */
    const double low = (double)last, high = (double)(m - last);

    if (exp10 >= 0) {
        const struct twofold p = math_product(high, number_pow10[exp10]);

        return p.hi + (p.lo + low * number_pow10[exp10]);
    }
    const double ten = number_pow10[-exp10], ratio = high / ten;
    const struct twofold back = math_product(ratio, ten);

    return ratio + (((high - back.hi) - back.lo) + low) / ten;
}

/* m * 10^exp10; beyond 10^22 by steps, each rounded to 64 bits. */
static double scale(uint64_t m, int64_t exp10)
{
    if (m == 0)
        return 0.0;
    if (exp10 >= -22 && exp10 <= 22)
        return scale_once(m, exp10);
    if (exp10 > 330)
        return HUGE_VAL;
    if (exp10 < -400)
        return 0.0;
    int exp2 = 0;

    while (exp10 != 0) { /* 10^k = 2^k 5^k, and 5^22 < 2^52 */
        const int k = exp10 > 22 ? 22 : exp10 < -22 ? -22 : (int)exp10;
        const uint64_t five = (uint64_t)ldexp(number_pow10[k < 0 ? -k : k], k < 0 ? k : -k);
        unsigned __int128 wide = m;

        if (k > 0) {
            wide *= five;
        } else { /* the last bit stands for the remainder: it is far from those that stay */
            const int room = __builtin_clzll(m) + 64;

            wide <<= room;
            exp2 -= room;
            const unsigned __int128 ratio = wide / five;

            wide = ratio | (ratio * five != wide);
        }
        m = first_64_bits(wide, &exp2);
        exp2 += k;
        exp10 -= k;
    }
    return ldexp((double)m, exp2);
}

const char *number_slow(const char *p, double *value)
{
    struct decimal d = { 0 };
    const bool minus = *p == '-';

    p += *p == '-' || *p == '+';
    for (; is_digit(*p); p++)
        take_digit(&d, *p, false);
    if (*p == '.')
        for (p++; is_digit(*p); p++)
            take_digit(&d, *p, true);
    if (!d.any)
        return NULL;
    if (*p == 'e' || *p == 'E')
        p = take_exponent(&d, p);
    const double size = scale(d.m, d.exp10);

    *value = minus ? -size : size;
    return p;
}

/* Numbers in words are short; a copy gives number_slow its zero byte at the end. */
bool number_parse(peck_span word, double *value)
{
    char copy[512];

    if (word.n == 0 || word.n >= sizeof copy)
        return false;
    memcpy(copy, word.s, word.n);
    copy[word.n] = '\0';
    const char *const end = number_slow(copy, value);

    return end == copy + word.n;
}

bool number_parse_u64(peck_span word, uint64_t *value)
{
    uint64_t v = 0;

    if (word.n == 0)
        return false;
    for (size_t i = 0; i < word.n; i++) {
        if (!is_digit(word.s[i]) || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(word.s[i] - '0'), &v))
            return false;
    }
    *value = v;
    return true;
}

bool number_is_missing(peck_span word)
{
    static const char *const names[] = { "nan", "null", "na" };

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t i = 0;

        while (i < word.n && names[k][i] != '\0' &&
               names[k][i] == tolower((unsigned char)word.s[i]))
            i++;
        if (i == word.n && names[k][i] == '\0' && i > 0)
            return true;
    }
    return false;
}

/* What stands where a number has no business is the locale's decimal point. */
size_t number_print(char *out, size_t room, char form, int digits, double value)
{
    if (isnan(value)) /* its sign depends on the processor */
        value = (double)NAN;
    if (form == 'f')
        snprintf(out, room, "%.*f", digits, value);
    else
        snprintf(out, room, "%.*g", digits, value);
    const size_t n = strlen(out), head = strspn(out, "+-0123456789");
    const size_t odd = strcspn(out + head, "0123456789");

    if (head == n || odd == 0 || isalpha((unsigned char)out[head]))
        return n;
    out[head] = '.';
    memmove(out + head + 1, out + head + odd, n - head - odd + 1);
    return n - odd + 1;
}

/* m / 10^places in decimals, without trailing zeros; returns its length. */
static size_t write_decimal(char *out, uint64_t m, int places)
{
    uint64_t whole = m / number_ten[places], rest = m % number_ten[places];
    char reversed[20];
    size_t n = 0;

    do {
        reversed[n++] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    for (size_t i = 0; i < n; i++)
        out[i] = reversed[n - 1 - i];
    if (rest == 0)
        return n;
    out[n] = '.';
    for (size_t i = (size_t)places; i > 0; i--, rest /= 10)
        out[n + i] = (char)('0' + rest % 10);
    for (n += 1 + (size_t)places; out[n - 1] == '0';)
        n--;
    return n;
}

/* A float has a good seven digits, so that many are tried first, then six decimals; both
 * in integers, which is an order of magnitude quicker than printf. */
size_t number_write(char out[NUMBER_MAX], float value)
{
    const double size = fabs((double)value);
    const int seven = size < 10 ? 6 : size < 100 ? 5 : size < 1000 ? 4 : size < 1e4 ? 3 : 2;

    for (int places = seven; size < 1e9; places = 6) {
        const double ten = (double)number_ten[places];
        const uint64_t m = (uint64_t)(size * ten + 0.5);

        if ((float)((double)m / ten) == (float)size) {
            const size_t sign = signbit(value) ? 1 : 0;

            out[0] = '-';
            const size_t n = sign + write_decimal(out + sign, m, places);

            out[n] = '\0';
            return n;
        }
        if (places == 6)
            break;
    }
    return number_print(out, NUMBER_MAX, 'g', 9, (double)value);
}
