/* lost.c -- see talk.h: a mapped file that another program cuts short while we read it.
 *
 * The kernel tells it by SIGBUS at the next look at what is gone.  The library installs no
 * handlers; the command says one sentence instead of dumping core.  Only calls that are
 * safe in a handler.                                                                  */
#include "exits.h"
#include "talk.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 1024 };

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody is left to be told */
}

static const char *take_hex(const char *p, uintptr_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *digit;

    for (*value = 0; *p != '\0' && (digit = strchr(digits, *p)) != NULL; p++)
        *value = *value << 4 | (uintptr_t)(digit - digits);
    return p;
}

/* The path in a line of /proc/self/maps ("from-to rwxp offset dev inode   path") that holds
 * `at`; NULL: another one. */
static char *path_in(char *line, uintptr_t at)
{
    uintptr_t from, to;
    const char *p = take_hex(line, &from);

    if (*p != '-')
        return NULL;
    take_hex(p + 1, &to);
    return from <= at && at < to ? strchr(line, '/') : NULL;
}

/* Says which file is mapped at `at`; "a file" where that cannot be found out. */
static void put_file(uintptr_t at)
{
    static char line[LINE];
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char *path = NULL, c;
    size_t n = 0;

    while (maps >= 0 && path == NULL && read(maps, &c, 1) == 1) {
        if (c != '\n' && n + 1 < sizeof line)
            line[n++] = c;
        if (c != '\n')
            continue;
        line[n] = '\0';
        n = 0;
        path = path_in(line, at);
    }
    if (path != NULL)
        peck_text_plain(path, 0);
    put(path != NULL ? path : "a file");
}

/* Several threads may come upon it at once: the first one speaks for all. */
static void tell(int signal_number, siginfo_t *info, void *context)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;

    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(signal_number, SIG_DFL); /* no file's fault: the next attempt ends it */
        return;
    }
    while (atomic_flag_test_and_set(&is_told))
        pause();
    put("peck: ");
    put_file((uintptr_t)info->si_addr);
    put(" was cut short while it was being read; run this again when it is whole\n");
    _exit(EXIT_SYSTEM);
}

void talk_catch_lost_files(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
