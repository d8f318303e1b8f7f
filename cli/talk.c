/* talk.c -- errors, progress, the closing line, and what signals tell. */
#include "tty.h"
#include "verb.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void talk_start(struct talk *t, const char *verb)
{
    memset(t, 0, sizeof *t);
    t->verb = verb;
    t->is_terminal = isatty(STDERR_FILENO);
    t->has_colours = t->is_terminal && tty_has_colours(STDERR_FILENO);
    t->started = now();
}

void talk_hush(struct talk *t)
{
    t->is_hushed = 1;
    t->is_terminal = t->has_colours = 0;
    if (freopen("/dev/null", "w", stdout) == NULL)
        talk_error(t, "cannot open /dev/null");
}

/* Names of files and what they hold may be in it.  One call: lines of commands that run side
 * by side do not mix. */
__attribute__((format(printf, 4, 0))) static void say(struct talk *t, const char *colour,
                                                      const char *kind, const char *fmt,
                                                      va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, fmt, args);
    peck_text_plain(text, 1);
    if (*kind == '\0')
        memcpy(t->error, text, sizeof text);
    if (t->is_hushed)
        return;
    talk_clear(t);
    fprintf(stderr, "%speck%s%s: %s%s%s\n", t->has_colours ? colour : "",
            t->verb != NULL ? " " : "", t->verb != NULL ? t->verb : "", kind,
            t->has_colours && *colour != '\0' ? "\033[0m" : "", text);
}

void talk_error(struct talk *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(t, "\033[31m", "", fmt, args);
    va_end(args);
}

void talk_warning(struct talk *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (t->level >= 0)
        say(t, "\033[33m", "warning: ", fmt, args);
    va_end(args);
}

void talk_note(struct talk *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (t->level >= 0)
        say(t, "", "", fmt, args);
    va_end(args);
}

/* Progress ------------------------------------------------------------------------------ */

void talk_clear(struct talk *t)
{
    if (t->has_open_line)
        fputs("\r\033[K", stderr);
    t->has_open_line = 0;
}

int talk_is_due(const struct talk *t)
{
    return t->is_terminal && t->level >= 0 && now() - t->shown >= 0.2;
}

/* The last column stays free: some terminals break the line when it is written. */
size_t talk_room(const struct talk *t)
{
    const size_t width = tty_width(STDERR_FILENO);
    const size_t taken = strlen("peck : ") + strlen(t->verb) + 1;

    return width == 0 ? SIZE_MAX : width > taken ? width - taken : 0;
}

void talk_line(struct talk *t, const char *text)
{
    const size_t room = talk_room(t);
    size_t n = 0;

    for (size_t column = 0; text[n] != '\0' && column < room; column++)
        for (n++; ((unsigned char)text[n] & 0xC0) == 0x80;)
            n++;
    fprintf(stderr, "\r\033[Kpeck %s: %.*s", t->verb, (int)n, text);
    fflush(stderr);
    t->shown = now();
    t->has_open_line = 1;
}

int talk_progress(void *ctx, double share)
{
    struct talk *t = ctx;
    char text[32];

    if (talk_is_due(t)) {
        snprintf(text, sizeof text, "%3.0f %%", 100 * share);
        talk_line(t, text);
    }
    return talk_was_interrupted();
}

double talk_peak_memory(void)
{
    FILE *const status = fopen("/proc/self/status", "r");
    char line[256];
    double kb = 0;
    struct rusage usage;

    while (kb <= 0 && status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %lf", &kb) != 1)
            kb = 0;
    if (status != NULL)
        fclose(status);
    /* The system's own count has what the program that started this one had, too. */
    if (kb <= 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kb = (double)usage.ru_maxrss;
    return kb / 1024;
}

/* The closing line: version, threads, seed, seconds, peak memory. */
void talk_close(struct talk *t, const struct opt_set *set)
{
    const int threads = opt_find(set, "threads", strlen("threads"));
    const int seed = opt_find(set, "seed", strlen("seed"));
    /* A verb with neither has nothing to repeat; a moment's work needs no word. */
    const double seconds = now() - t->started;
    const int is_worth_it = t->is_terminal && seconds >= 1 && (threads >= 0 || seed >= 0);

    talk_clear(t);
    if (t->is_hushed || t->level < 0 || (t->level == 0 && !is_worth_it))
        return;
    fprintf(stderr, "peck %s: %s", t->verb, peck_version());
    if (threads >= 0) {
        const int n = peck_threads(*(const int *)set->field[threads]);

        fprintf(stderr, ", %d thread%s", n, n == 1 ? "" : "s");
    }
    if (seed >= 0)
        fprintf(stderr, ", seed %llu", *(const unsigned long long *)set->field[seed]);
    fprintf(stderr, ", %.2f s, %.0f MB\n", seconds, talk_peak_memory());
}

/* Interrupts ---------------------------------------------------------------------------- */

static volatile sig_atomic_t was_interrupted;

int talk_was_interrupted(void)
{
    return was_interrupted;
}

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    was_interrupted = 1;
}

/* A second interrupt ends the process at once.  Not so when the terminal goes away: then
 * both the shell and the system say so, and the work is to be kept; under nohup nobody is
 * to hear of it. */
void talk_catch_interrupts(void)
{
    struct sigaction action, before;

    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
        return;
    action.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &action, NULL);
}

/* Lost files ----------------------------------------------------------------------------
 * A mapped file that another program cuts short while we read it: the kernel tells it by
 * SIGBUS at the next look at what is gone.  The library installs no handlers; the command
 * says one sentence instead of dumping core.  Only calls that are safe in a handler.  */

static void write_stderr(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody is left to be told */
}

static const char *read_hex(const char *p, uintptr_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *digit;

    for (*value = 0; *p != '\0' && (digit = strchr(digits, *p)) != NULL; p++)
        *value = *value << 4 | (uintptr_t)(digit - digits);
    return p;
}

/* The file that is mapped at `at`, by a line of /proc/self/maps ("from-to rwxp offset dev
 * inode   path"); NULL: that cannot be found out. */
static const char *find_mapped_file(uintptr_t at)
{
    static char line[1024];
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    uintptr_t from, to;
    size_t n = 0;

    for (char c; maps >= 0 && read(maps, &c, 1) == 1;) {
        if (c != '\n') {
            if (n + 1 < sizeof line)
                line[n++] = c;
            continue;
        }
        line[n] = '\0';
        n = 0;
        const char *const dash = read_hex(line, &from);
        char *const path = strchr(line, '/');

        if (*dash != '-')
            continue;
        read_hex(dash + 1, &to);
        if (from <= at && at < to && path != NULL) {
            peck_text_plain(path, 0);
            return path;
        }
    }
    return NULL;
}

/* Several threads may come upon it at once: the first one speaks for all. */
static void tell_lost_file(int signal_number, siginfo_t *info, void *context)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;

    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(signal_number, SIG_DFL); /* no file's fault: the next attempt ends it */
        return;
    }
    while (atomic_flag_test_and_set(&is_told))
        pause();
    const char *const path = find_mapped_file((uintptr_t)info->si_addr);

    write_stderr("peck: ");
    write_stderr(path != NULL ? path : "a file");
    write_stderr(" was cut short while it was being read; run this again when it is "
                 "whole\n");
    _exit(EXIT_SYSTEM);
}

void talk_catch_lost_files(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell_lost_file;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
