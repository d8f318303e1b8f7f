/* check.h -- cmocka with the headers it wants, and the assertions that tests of all
 * rooms share.                                                                      */
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka's fail() is in the way of the house's own. */
#undef fail
#undef fail_msg
#define fail_msg(...)              \
    do {                           \
        print_error("ERROR: ");    \
        print_error(__VA_ARGS__);  \
        print_error("\n");         \
        _fail(__FILE__, __LINE__); \
    } while (0)

#include "peck.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The call succeeds; otherwise its sentence is shown. */
#define assert_ok(call, err)                                       \
    do {                                                           \
        const peck_status ok_ = (call);                            \
        if (ok_ != PECK_OK)                                        \
            fail_msg("%s: status %d: %s", #call, ok_, (err).text); \
    } while (0)

/* The error has this status and its sentence holds this phrase. */
#define assert_failed(err, why, phrase)                                                \
    do {                                                                               \
        if ((err).status != (why) || strstr((err).text, (phrase)) == NULL)             \
            fail_msg("wanted %d \"%s\", got %d \"%s\"", (why), (phrase), (err).status, \
                     (err).text);                                                      \
    } while (0)

/* A span holds exactly this text. */
#define assert_span(span, text)                                                   \
    do {                                                                          \
        const peck_span span_ = (span);                                           \
        if (span_.n != strlen(text) || memcmp(span_.s, text, span_.n) != 0)       \
            fail_msg("wanted \"%s\", got \"%.*s\"", text, (int)span_.n, span_.s); \
    } while (0)

/* Equal bit by bit: 0 is not -0, NaN is itself. */
static inline bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

#endif
