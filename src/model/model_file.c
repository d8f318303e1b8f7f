/* model_file.c -- see model_file.h: keys and checksums. */
#include "model_file.h"

#include "../base/number.h"

const char *const own_keys[N_OWN_KEYS] = {
    [KEY_FORMAT] = "format", [KEY_FAMILY] = "family",     [KEY_SHAPE] = "shape",
    [KEY_NORM] = "norm",     [KEY_FEATURES] = "features", [KEY_MEMBERS] = "members",
    [KEY_MODELS] = "models", [KEY_CHECKSUM] = "checksum",
};

bool is_own_key(peck_span key)
{
    for (size_t i = 0; i < N_OWN_KEYS; i++)
        if (span_is(key, own_keys[i]))
            return true;
    return false;
}

void print_prefix(char to[PREFIX_ROOM], size_t i)
{
    snprintf(to, PREFIX_ROOM, "%zu.", i + 1);
}

size_t digits_of_part(peck_span key)
{
    size_t n = 0;

    while (n < key.n && is_digit(key.s[n]))
        n++;
    return n < key.n && key.s[n] == '.' ? n : 0;
}

/* Eight bytes at a time; the length goes in too, so that zeros at an end count. */
uint64_t mix_bytes(uint64_t sum, const void *bytes, size_t n)
{
    const char *p = bytes;

    sum = mix64(sum, n);
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;

        memcpy(&word, p, sizeof word);
        sum = mix64(sum, word);
    }
    uint64_t rest = 0;

    memcpy(&rest, p, n);
    return mix64(sum, rest);
}

void print_checksum(char to[CHECKSUM_DIGITS + 1], uint64_t sum)
{
    snprintf(to, CHECKSUM_DIGITS + 1, "%016llx", (unsigned long long)sum);
}
