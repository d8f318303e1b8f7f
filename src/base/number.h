/* number.h -- decimal text to numbers, without locale and without copies.
 *
 * The reader of data files spends its time here, so the short path is inline:
 * eight digits at a time (SWAR), then one exact division.
 *
 *   value = m / 10^k  with m < 2^53 and k <= 22: both are exact doubles, so the
 *   quotient is the correctly rounded double (Clinger 1990).
 *
 * Longer numbers go to number_slow().  Text handed in must be followed by at least
 * 8 readable bytes (input_open guarantees it).                                     */
#ifndef NUMBER_H
#define NUMBER_H

#include "view.h"

#include <stdint.h>

extern const double number_pow10[23];
extern const uint64_t number_ten[9];  /* 10^i */
extern const uint64_t number_most[8]; /* m above it: m * 10^i + 10^i - 1 >= 2^53 */

/* [+-] digits [. digits] [e [+-] digits]; no blanks, no hex, no "inf" or "nan".
 * Returns the byte after it, or NULL when no number stands at p.  A value too large
 * for a double comes back infinite; the caller refuses it. */
const char *number_slow(const char *p, double *value);

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* How many of the 8 bytes (first in the lowest byte) are leading digits. */
static inline int digits_in(uint64_t bytes)
{
    const uint64_t off = bytes ^ 0x3030303030303030ULL;
    const uint64_t bad = (off | (off + 0x7676767676767676ULL)) & 0x8080808080808080ULL;

    return bad == 0 ? 8 : __builtin_ctzll(bad) >> 3;
}

/* The value of the first n (1 to 8) digit bytes. */
static inline uint64_t digits_value(uint64_t bytes, int n)
{
    uint64_t v = (bytes << (64 - 8 * n)) & 0x0F0F0F0F0F0F0F0FULL;

    v = v * 10 + (v >> 8);
    return (((v & 0x000000FF000000FFULL) * 0x000F424000000064ULL) +
            (((v >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL)) >>
           32;
}

static inline uint64_t load8(const char *p)
{
    uint64_t bytes;

    memcpy(&bytes, p, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* As number_slow; quick for up to 7 digits before the point and 15 after it. */
static inline const char *number_read(const char *p, double *value)
{
    const char *const start = p;
    const bool minus = *p == '-';

    p += minus;
    const uint64_t head = load8(p);
    const int whole = digits_in(head);

    if (whole == 0 || whole == 8)
        return number_slow(start, value);
    uint64_t m = digits_value(head, whole);
    double size;

    p += whole;
    if (*p == '.') {
        const uint64_t tail = load8(p + 1);
        int places = digits_in(tail);

        if (places == 0)
            return number_slow(start, value);
        m = m * number_ten[places] + digits_value(tail, places);
        p += 1 + places;
        if (places == 8 && is_digit(*p)) {
            const uint64_t rest = load8(p);
            const int more = digits_in(rest);

            if (more == 8 || m > number_most[more])
                return number_slow(start, value);
            m = m * number_ten[more] + digits_value(rest, more);
            places += more;
            p += more;
        }
        size = (double)m / number_pow10[places];
    } else {
        size = (double)m;
    }
    if ((*p | 0x20) == 'e')
        return number_slow(start, value);
    *value = minus ? -size : size;
    return p;
}

/* Whether it rounds to a finite float: half a step above FLT_MAX it no longer does, and
 * "%.9g" of FLT_MAX itself lies in between.  False for NaN. */
static inline bool number_fits_float(double v)
{
    return v > -0x1.ffffffp127 && v < 0x1.ffffffp127;
}

/* Whole words: the span must be nothing but the number. */
bool number_parse(peck_span word, double *value);
bool number_parse_u64(peck_span word, uint64_t *value);

/* "nan", "NaN", "NULL", "null", "NA", in any case. */
bool number_is_missing(peck_span word);

/* printf's "%.*f" (form 'f') or "%.*g" ('g') with a point in it, whatever the locale of
 * the program around us says; returns the length, cut to what room holds. */
size_t number_print(char *out, size_t room, char form, int digits, double value);

/* A short decimal that reads back as the same float; returns its length, at most
 * NUMBER_MAX - 1. */
enum { NUMBER_MAX = 32 };
size_t number_write(char out[NUMBER_MAX], float value);

#endif
