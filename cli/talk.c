/* talk.c -- errors, progress and the closing line. */
#include "talk.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t was_interrupted;

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

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_megabytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

void talk_start(struct talk *t, const char *verb)
{
    memset(t, 0, sizeof *t);
    t->verb = verb;
    t->is_terminal = isatty(STDERR_FILENO);
    t->started = now();
}

void talk_clear(struct talk *t)
{
    if (t->has_open_line)
        fputs("\r\033[K", stderr);
    t->has_open_line = 0;
}

/* Names of files and what they hold may be in it.  One call: lines of commands that run side
 * by side do not mix. */
static void put_text(struct talk *t, const char *kind, const char *text)
{
    char plain[1024];

    snprintf(plain, sizeof plain, "%s", text);
    peck_text_plain(plain, 1);
    talk_clear(t);
    fprintf(stderr, "peck%s%s: %s%s\n", t->verb != NULL ? " " : "",
            t->verb != NULL ? t->verb : "", kind, plain);
}

void talk_error(struct talk *t, const char *text)
{
    put_text(t, "", text);
}

static void say(struct talk *t, const char *kind, const char *text)
{
    if (t->level >= 0)
        put_text(t, kind, text);
}

void talk_warning(struct talk *t, const char *text)
{
    say(t, "warning: ", text);
}

void talk_note(struct talk *t, const char *text)
{
    say(t, "", text);
}

int talk_was_interrupted(void)
{
    return was_interrupted;
}

int talk_is_due(const struct talk *t)
{
    return t->is_terminal && t->level >= 0 && now() - t->shown >= 0.2;
}

void talk_line(struct talk *t, const char *text)
{
    fprintf(stderr, "\r\033[Kpeck %s: %s", t->verb, text);
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
    return was_interrupted;
}

void talk_close(struct talk *t, const struct opt_set *set)
{
    const int threads = opt_find(set, "threads", strlen("threads"));
    const int seed = opt_find(set, "seed", strlen("seed"));

    /* A verb with neither has nothing to repeat. */
    const int is_worth_it = t->is_terminal && (threads >= 0 || seed >= 0);

    talk_clear(t);
    if (t->level < 0 || (t->level == 0 && !is_worth_it))
        return;
    fprintf(stderr, "peck %s: %s", t->verb, peck_version());
    if (threads >= 0) {
        const int asked = *(const int *)set->field[threads];
        const int n = peck_threads(asked);

        fprintf(stderr, ", %d thread%s", n, n == 1 ? "" : "s");
    }
    if (seed >= 0)
        fprintf(stderr, ", seed %llu", *(const unsigned long long *)set->field[seed]);
    fprintf(stderr, ", %.2f s, %.0f MB\n", now() - t->started, peak_megabytes());
}
