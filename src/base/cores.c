/* cores.c -- see cores.h.
 *
 * A container's share of the machine is a quota of its control group, a time that it may
 * run within each period: cpu.max of version 2 ("200000 100000" is two processors), or
 * cpu.cfs_quota_us and cpu.cfs_period_us of version 1.  The groups that the group is in
 * bind it too.  Linux: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1.         */
#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT_S */
#include "cores.h"

#include "number.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 4096, MOST_CPUS = 1 << 16, MOST_CORES = 1 << 20 };

/* The first bytes of a file as text; false: it cannot be read. */
static bool read_text(const char *path, char text[TEXT])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = file >= 0 ? read(file, text, TEXT - 1) : -1;

    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The next word of a text, which is moved behind it. */
static peck_span next_cgroup_word(const char **text)
{
    const char *const start = *text + strspn(*text, " \t\n");
    const size_t n = strcspn(start, " \t\n");

    *text = start + n;
    return (peck_span){ start, n };
}

/* Processors, of two words "quota period"; 0: no limit. */
static int share_of(peck_span quota, peck_span period)
{
    double q = 0.0, p = 0.0;

    if (!number_parse(quota, &q) || !number_parse(period, &p) || !(q > 0.0) || !(p > 0.0))
        return 0; /* "max", or -1 */
    return q / p < MOST_CORES ? (int)ceil(q / p) : 0;
}

static int smaller(int a, int b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Of the group at `group` below `base` and of those that it is in; a container may see
 * its own group as the base, whatever the name. */
static int quota_up(const char *base, peck_span group, bool is_v2)
{
    char folder[TEXT], path[TEXT], first[TEXT], second[TEXT];
    const size_t least = strlen(base);
    int quota = 0;

    if (snprintf(folder, sizeof folder, "%s%.*s", base, SPAN_ARGS(group)) >= TEXT)
        return 0;
    if (strstr(folder + least, "/..") != NULL) /* outside of what is seen */
        folder[least] = '\0';
    for (;;) {
        const char *a = first, *b = second;

        if (snprintf(path, sizeof path, "%s/%s", folder,
                     is_v2 ? "cpu.max" : "cpu.cfs_quota_us") < TEXT &&
            read_text(path, first)) {
            const peck_span limit = next_cgroup_word(&a);

            if (is_v2)
                quota = smaller(quota, share_of(limit, next_cgroup_word(&a)));
            else if (snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder) < TEXT &&
                     read_text(path, second))
                quota = smaller(quota, share_of(limit, next_cgroup_word(&b)));
        }
        char *const slash = strrchr(folder + least, '/');

        if (slash == NULL)
            return quota;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: "0::/group", or "4:cpu,cpuacct:/group", which counts when "cpu"
 * is one of the names between commas. */
static int quota_of_line(const char *root, peck_span line)
{
    char base[TEXT];
    const char *const end = line.s + line.n, *const one = memchr(line.s, ':', line.n);
    const char *const two =
        one != NULL ? memchr(one + 1, ':', (size_t)(end - one - 1)) : NULL;

    if (two == NULL)
        return 0;
    const peck_span names = { one + 1, (size_t)(two - one - 1) };
    const peck_span group = { two + 1, (size_t)(end - two - 1) };
    const bool is_v2 = names.n == 0;
    bool is_cpu = is_v2;

    for (const char *p = names.s; p < two && !is_cpu;) {
        const char *const comma = memchr(p, ',', (size_t)(two - p));
        const char *const stop = comma != NULL ? comma : two;

        is_cpu = stop - p == 3 && memcmp(p, "cpu", 3) == 0;
        p = stop + 1;
    }
    const int n = snprintf(base, sizeof base, "%s/sys/fs/cgroup%s%.*s", root,
                           is_v2 ? "" : "/", SPAN_ARGS(names));

    return is_cpu && n < TEXT ? quota_up(base, group, is_v2) : 0;
}

int cores_quota(const char *root)
{
    char path[TEXT], text[TEXT];
    const char *at = text;
    int quota = 0;

    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= TEXT ||
        !read_text(path, text))
        return 0;
    while (*at != '\0') {
        const size_t n = strcspn(at, "\n");

        quota = smaller(quota, quota_of_line(root, (peck_span){ at, n }));
        at += n + (at[n] == '\n');
    }
    return quota;
}

/* Sets of processors grow until the system's fits; where it does not say, all that are online
 * count. */
int cores_usable(void)
{
    int bound = 0;

    for (size_t n = CPU_SETSIZE; n <= MOST_CPUS && bound == 0; n *= 2) {
        cpu_set_t *const set = CPU_ALLOC(n);
        const size_t size = CPU_ALLOC_SIZE(n);

        if (set == NULL)
            break;
        if (sched_getaffinity(0, size, set) == 0)
            bound = CPU_COUNT_S(size, set);
        CPU_FREE(set);
    }
    const long online = bound > 0 ? bound : sysconf(_SC_NPROCESSORS_ONLN);

    return smaller(online > 0 && online < MOST_CORES ? (int)online : 1, cores_quota(""));
}
