/* tty.c -- see tty.h. */
#define _DEFAULT_SOURCE /* winsize */
#include "tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_COLUMNS = 100000 };

size_t tty_width(int fd)
{
    const char *const columns = getenv("COLUMNS");
    char *end = NULL;
    const long n = columns != NULL ? strtol(columns, &end, 10) : 0;
    struct winsize size;

    if (n > 0 && n <= MOST_COLUMNS && *end == '\0')
        return (size_t)n;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int tty_has_colours(int fd)
{
    const char *const no = getenv("NO_COLOR"), *const kind = getenv("TERM");

    return isatty(fd) && (no == NULL || *no == '\0') && kind != NULL && *kind != '\0' &&
           strcmp(kind, "dumb") != 0;
}
