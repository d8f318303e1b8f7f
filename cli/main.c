/* main.c -- the process from its start to its end: the verbs, the exit codes, and how
 * standard output is closed.                                                          */
#include "ranks.h"
#include "outputs.h"
#include "page.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define VERB(name) extern const struct verb verb_##name;
#include "verbs.def"
#undef VERB

#define VERB(name) &verb_##name,
const struct verb *const verbs[] = {
#include "verbs.def"
    NULL
};
#undef VERB

static const struct opt manners_rows[] = {
    { "quiet", 'q', OPT_FLAG, NULL, NULL, "errors only",
      offsetof(struct manners, is_quiet) },
    { "verbose", 'v', OPT_FLAG, NULL, NULL,
      "also print every part of the convention, and threads, seed, time and memory "
      "at the end",
      offsetof(struct manners, is_verbose) },
    { "help", 'h', OPT_FLAG, NULL, NULL, "this text",
      offsetof(struct manners, wants_help) },
    { 0 }
};
const struct opt_group manners_group[] = { { "Common", manners_rows, 0 }, { 0 } };

const struct exit_meaning exit_meanings[] = {
    { EXIT_OK, "success" },
    { EXIT_USAGE, "wrong usage: an unknown verb, option or value" },
    { EXIT_INPUT, "bad data, or inputs that do not fit together" },
    { EXIT_SYSTEM, "a file cannot be read or written, or out of memory" },
    { EXIT_TRAINING, "training diverged" },
    { EXIT_INTERRUPTED, "stopped by an interrupt" },
    { 0 }
};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i] != NULL; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

/* Whose fault it was: the command line, the data, the machine, or training. */
static int exit_code(peck_status st)
{
    switch (st) {
    case PECK_OK:
        return EXIT_OK;
    case PECK_ARG:
    case PECK_UNSUPPORTED:
        return EXIT_USAGE;
    case PECK_FORMAT:
    case PECK_SHAPE:
        return EXIT_INPUT;
    case PECK_DIVERGED:
        return EXIT_TRAINING;
    case PECK_STOPPED:
        return EXIT_INTERRUPTED;
    case PECK_IO:
    case PECK_NOMEM:
        break;
    }
    return EXIT_SYSTEM;
}

/* Options into the struct of the verb, then the verb; errors are printed here alone. */
static int run_verb(const struct verb *v, int argc, char **argv, struct talk *t)
{
    struct manners manners = { 0 };
    struct opt_set set = { .n = 0 };
    peck_error err = { PECK_OK, "" };
    char **const given =
        calloc((size_t)argc + 1, sizeof *given); /* opt_parse moves words */
    struct call c = { calloc(1, v->args_size > 0 ? v->args_size : 1),
                      argv,
                      0,
                      t,
                      &err,
                      v,
                      given,
                      (size_t)argc,
                      &set };

    if (c.args == NULL || given == NULL) {
        talk_error(t, "out of memory");
        free(c.args);
        free(given);
        return EXIT_SYSTEM;
    }
    memcpy(given, argv, (size_t)argc * sizeof *given);
    opt_add(&set, v->groups, c.args);
    opt_add(&set, manners_group, &manners);
    peck_status st = opt_parse(&set, v->name, argc, argv, &c.n_words, &err);

    t->level = manners.is_verbose - manners.is_quiet;
    if (st == PECK_OK && set.hint[0] != '\0')
        talk_note(t, "%s", set.hint);
    if (st == PECK_OK && manners.wants_help)
        page_verb(stdout, v);
    else if (st == PECK_OK)
        st = v->run(&c);
    if (st != PECK_OK)
        talk_error(t, "%s", err.text);
    else if (!manners.wants_help)
        talk_close(t, &set);
    opt_free(&set);
    free(c.args);
    free(given);
    return exit_code(st);
}

static void tell_unknown_verb(const char *name, struct talk *t)
{
    const char *known[sizeof verbs / sizeof *verbs];
    peck_error err;
    size_t n = 0;

    for (; verbs[n] != NULL; n++)
        known[n] = verbs[n]->name;
    const char *near = peck_nearest(name, known, n);

    const char *const content = peck_file_content(name);
    const char *const usage = near != NULL ? verb_find(near)->usage[0] : "";
    const char *const options = strstr(usage, " [");

    if (name[0] == '-')
        refuse(&err, PECK_ARG,
               "'%.60s' stands before the verb; write `peck VERB [options]`, as in `peck "
               "train -m ridge`; see `peck help`",
               name);
    else if (content != NULL)
        refuse(
            &err, PECK_ARG,
            "'%.60s' is a file, and a verb comes first, as in `peck %s %.60s`; see `peck "
            "help`",
            name, strcmp(content, "model") == 0 ? "inspect" : "stats", name);
    else if (near != NULL)
        refuse(&err, PECK_ARG,
               "unknown verb '%.60s'; did you mean '%s', as in `peck %s %.*s`?", name, near,
               near, (int)(options != NULL ? options - usage : 80), usage);
    else
        refuse(&err, PECK_ARG, "unknown verb '%.60s'; see `peck help`", name);
    talk_error(t, "%s", err.text);
}

/* The verb, or what is asked for without one; then standard output is closed. */
static int run_command(int argc, char **argv, struct talk *t)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct verb *const v = verb_find(name);
    int code = EXIT_OK;

    talk_start(t, v != NULL ? v->name : NULL);
    if (!comm_speaks())
        talk_hush(t);
    if (v != NULL && comm_all() != NULL && !v->takes_ranks) {
        talk_error(t, "runs on one machine; start it with `peck`, or as one process");
        code = EXIT_USAGE;
    } else if (v != NULL) {
        code = run_verb(v, argc - 2, argv + 2, t);
    } else if (argc < 2) {
        page_overview(stderr);
        code = EXIT_USAGE;
    } else if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0 ||
               strcmp(name, "-V") == 0) {
        printf("peck %s\n", peck_version());
        if (!peck_has_fma())
            puts("This processor has no fused multiply-adds; they are emulated: the same "
                 "results, more slowly.");
    } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        page_overview(stdout);
    } else {
        tell_unknown_verb(name, t);
        code = EXIT_USAGE;
    }
    if (code != EXIT_OK)
        return code;
    /* Everything printed must have arrived; only a reader that left early is forgiven. */
    const int has_arrived = fflush(stdout) == 0 && !ferror(stdout);
    const int why = errno;
    const int has_left = stdout_is_closed_pipe();

    if ((fclose(stdout) == 0 && has_arrived) || has_left)
        return EXIT_OK;
    talk_error(t, "cannot write standard output: %s", strerror(why));
    return EXIT_SYSTEM;
}

/* A broken pipe is an error of a write, not a signal: head(1) may leave early. */
int main(int argc, char **argv)
{
    struct talk t;

    signal(SIGPIPE, SIG_IGN);
    talk_catch_lost_files();
    comm_start(&argc, &argv);
    const int code = run_command(argc, argv, &t);

    return comm_end(code, t.error);
}
