/* status.c -- one place where a failure is put into words. */
#include "status.h"

#include "cpu.h"
#include "json.h"

#include <stdarg.h>
#include <string.h>

/* What may not be shown becomes '?': C0, DEL and C1 (U+0080 to U+009F) move cursors, colour
 * text and rename windows. */
void peck_text_plain(char *text, int keep_lines)
{
    for (size_t left = strlen(text); left > 0;) {
        const unsigned char first = (unsigned char)text[0];
        const bool is_control =
            first < ' ' || first == 0x7F ||
            (first == 0xC2 && left > 1 && ((unsigned char)text[1] & 0xE0) == 0x80);
        const size_t n = keep_lines && first == '\n' ? 1
                         : is_control                ? 0
                                                     : utf8_length(text, left);

        if (n == 0)
            *text = '?';
        text += n > 0 ? n : 1;
        left -= n > 0 ? n : 1;
    }
}

peck_status fail(peck_error *err, peck_status why, const char *fmt, ...)
{
    if (err == NULL)
        return why;
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    peck_text_plain(err->text, strchr(fmt, '\n') != NULL);
    err->status = why;
    return why;
}

peck_status fail_again(peck_error *err, const peck_error *why)
{
    if (err != NULL)
        *err = *why;
    return why->status;
}

peck_status fail_memory(peck_error *err, const char *what, size_t n, size_t size)
{
    return fail(err, PECK_NOMEM, "out of memory: %s needs %.1f MB", what,
                (double)n * (double)size / 1e6);
}

const char *peck_version(void)
{
    return PECK_VERSION;
}

int peck_version_number(void)
{
    return PECK_VERSION_NUMBER;
}

int peck_has_fma(void)
{
    return cpu_has_fma();
}

const char *peck_status_text(peck_status status)
{
    switch (status) {
#define STATUS_CASE(name, number, text) \
    case PECK_##name:                   \
        return text;
        PECK_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}
