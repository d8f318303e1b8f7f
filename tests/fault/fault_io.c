/* fault_io.c -- every operation that writes meets a full disk, a file-size limit and a
 * folder that is not there; some that read meet what cannot be read.  Each must give
 * PECK_IO with a sentence, and leave no file.                                        */
#define _DEFAULT_SOURCE
#include "operations.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static size_t n_cases, n_failed;

static void expect_io(const char *name, const char *where, peck_status st,
                      const peck_error *err)
{
    const size_t n_files = targets_sweep();
    const bool is_fine =
        st == PECK_IO && err->status == PECK_IO && err->text[0] != '\0' && n_files == 0;

    n_cases++;
    n_failed += !is_fine;
    if (!is_fine)
        printf("%s, %s: status %d, %zu files left: %s\n", name, where, st, n_files,
               err->text);
}

/* Files of this process may grow to n bytes. */
static void limit_files(rlim_t n)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void try_targets(const struct operation *o)
{
    static const char *const targets[] = { "/dev/full", "nowhere/file", TARGET_FOLDER };
    peck_error err = { PECK_OK, "" };

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        /* What goes back over its bytes refuses devices before it writes. */
        if (o->more != NULL && strcmp(targets[i], "/dev/full") == 0)
            continue;
        err = (peck_error){ PECK_OK, "" };
        expect_io(o->name, targets[i], o->run(o, targets[i], &err), &err);
    }
    err = (peck_error){ PECK_OK, "" };
    limit_files(8);
    const peck_status st = o->run(o, o->target, &err);

    limit_files(RLIM_INFINITY);
    expect_io(o->name, "a limit of 8 bytes", st, &err);
}

static void try_sources(void)
{
    static const char *const sources[] = { "/", "nowhere/file" };
    const peck_read_options options = { .threads = 1 };
    peck_dataset *d = NULL;
    peck_prefs *p = NULL;
    peck_report *r = NULL;
    peck_error err = { PECK_OK, "" };

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        expect_io("read", sources[i], peck_dataset_read(&d, sources[i], &options, &err),
                  &err);
        expect_io("read preferences", sources[i],
                  peck_prefs_read(&p, sources[i], NULL, 1, &err), &err);
        expect_io("evaluate a run", sources[i],
                  peck_evaluate_run(&r, sources[i], "qrels.txt", 0, NULL, &err), &err);
        expect_io("evaluate against qrels", sources[i],
                  peck_evaluate_run(&r, "run.txt", sources[i], 0, NULL, &err), &err);
    }
}

/* The stream keeps nothing back, so that the failure shows at once. */
static void try_reports(void)
{
    static const char *const formats[] = { "text", "tsv", "json" };
    peck_dataset *d = NULL;
    peck_report *r = NULL;
    peck_error err = { PECK_OK, "" };
    FILE *const full = fopen("/dev/full", "w");

    if (full == NULL || peck_dataset_read(&d, "data.txt", NULL, &err) != PECK_OK ||
        peck_summarise(&r, d, 1, &err) != PECK_OK) {
        printf("cannot prepare a report: %s\n", err.text);
        n_failed++;
    } else {
        setvbuf(full, NULL, _IONBF, 0);
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            expect_io("write a report", formats[i],
                      peck_report_write(r, full, formats[i], &err), &err);
    }
    if (full != NULL)
        fclose(full);
    peck_report_free(r);
    peck_dataset_free(d);
}

int main(void)
{
    const struct operation *o;

    signal(SIGXFSZ, SIG_IGN);
    operations_open();
    for (size_t i = 0; (o = operation_at(i)) != NULL; i++)
        if (o->target != NULL)
            try_targets(o);
    try_sources();
    try_reports();
    operations_close();
    printf("fault_io: %zu cases, %zu failed\n", n_cases, n_failed);
    return n_failed > 0;
}
