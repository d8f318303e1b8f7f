/* start.c -- before main, under a limit of address space (ulimit -v): OpenBLAS without
 * threads of its own.
 *
 * When the program is loaded OpenBLAS starts a thread for each core and takes 128 MiB of
 * address space for each; where there is less it tries for ever.  Peck has threads of its
 * own and needs none of them, but what could say so (OPENBLAS_NUM_THREADS) is read before
 * main.  Functions in .preinit_array come before those of libraries; what they change in
 * the environment is lost there, so the program begins once more.                     */
#ifdef __ELF__
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define WISH "OPENBLAS_NUM_THREADS="

/* The environment with the wish; NULL: it has it already, or there is no memory. */
static char **wishing(char **env)
{
    static char wish[] = WISH "1";
    size_t n = 0, kept = 0;

    while (env[n] != NULL)
        if (strcmp(env[n++], wish) == 0)
            return NULL;
    char **const to = malloc((n + 2) * sizeof *to);

    for (size_t i = 0; to != NULL && i < n; i++)
        if (strncmp(env[i], WISH, strlen(WISH)) != 0)
            to[kept++] = env[i];
    if (to != NULL) {
        to[kept++] = wish;
        to[kept] = NULL;
    }
    return to;
}

/* A sanitizer is not ready yet. */
__attribute__((no_sanitize("address", "undefined", "thread"))) static void begin(
    int argc, char **argv, char **env)
{
    static struct rlimit limit;

    (void)argc;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    char **const wished = wishing(env);

    if (wished != NULL)
        execve("/proc/self/exe", argv, wished);
    free(wished); /* it could not begin again: as it is, then */
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(int, char **, char **) = begin;
#endif
