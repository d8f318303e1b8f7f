/* status.c -- one place where a failure is put into words. */
#include "status.h"

#include <stdarg.h>

peck_status fail(peck_error *err, peck_status why, const char *fmt, ...)
{
    if (err == NULL)
        return why;
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    err->status = why;
    return why;
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
