/* test_cores.c -- how many processors a process may use: quotas of control groups, in
 * folders made on the spot, and affinity.                                             */
#define _GNU_SOURCE /* sched_setaffinity */
#include "base/cores.h"
#include "support/check.h"
#include "support/scratch.h"

#include <sched.h>
#include <sys/stat.h>

/* Makes the folders of a path below the scratch folder. */
static void make_folders(const char *path)
{
    char part[512];

    for (size_t i = 0; path[i] != '\0'; i++)
        if (path[i] == '/' && i > 0) {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            mkdir(scratch_path(part), 0700);
        }
}

static void put(const char *path, const char *text)
{
    make_folders(path);
    scratch_file(path, text);
}

static void nothing_said_is_no_limit(void **state)
{
    (void)state;
    assert_int_equal(cores_quota(scratch_path("nowhere")), 0);
    put("bare/proc/self/cgroup", "0::/\n");
    assert_int_equal(cores_quota(scratch_path("bare")), 0);
    put("bare/sys/fs/cgroup/cpu.max", "max 100000\n");
    assert_int_equal(cores_quota(scratch_path("bare")), 0);
    put("bare/sys/fs/cgroup/cpu.max", "rubbish\n");
    assert_int_equal(cores_quota(scratch_path("bare")), 0);
    put("bare/sys/fs/cgroup/cpu.max", "100000 0\n");
    assert_int_equal(cores_quota(scratch_path("bare")), 0);
}

static void a_quota_is_rounded_up(void **state)
{
    (void)state;
    put("two/proc/self/cgroup", "0::/\n");
    put("two/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_int_equal(cores_quota(scratch_path("two")), 2);
    put("two/sys/fs/cgroup/cpu.max", "150000 100000\n");
    assert_int_equal(cores_quota(scratch_path("two")), 2);
    put("two/sys/fs/cgroup/cpu.max", "5000 100000\n");
    assert_int_equal(cores_quota(scratch_path("two")), 1);
}

static void groups_around_a_group_bind_it(void **state)
{
    (void)state;
    put("nested/proc/self/cgroup", "0::/a.slice/b.service\n");
    put("nested/sys/fs/cgroup/a.slice/b.service/cpu.max", "700000 100000\n");
    assert_int_equal(cores_quota(scratch_path("nested")), 7);
    put("nested/sys/fs/cgroup/a.slice/cpu.max", "300000 100000\n");
    assert_int_equal(cores_quota(scratch_path("nested")), 3);
    put("nested/sys/fs/cgroup/a.slice/cpu.max", "max 100000\n");
    assert_int_equal(cores_quota(scratch_path("nested")), 7);
}

static void version_one_has_two_files(void **state)
{
    (void)state;
    put("one/proc/self/cgroup",
        "5:cpuset:/x\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n0::/\n");
    put("one/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "250000\n");
    put("one/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cores_quota(scratch_path("one")), 3);
    put("one/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(cores_quota(scratch_path("one")), 0);
}

/* Inside a container the name is the machine's, but its own group is the base. */
static void a_name_that_is_not_there_leads_to_the_base(void **state)
{
    (void)state;
    put("inside/proc/self/cgroup", "4:cpu,cpuacct:/docker/1\n");
    put("inside/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
    put("inside/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "200000\n");
    assert_int_equal(cores_quota(scratch_path("inside")), 2);
    put("outside/proc/self/cgroup", "0::/../../other\n");
    put("outside/sys/fs/cgroup/cpu.max", "100000 100000\n");
    put("outside/sys/fs/other/cpu.max", "100 100000\n");
    assert_int_equal(cores_quota(scratch_path("outside")), 1);
}

static void affinity_is_obeyed(void **state)
{
    cpu_set_t all, one;
    int first = 0;

    (void)state;
    assert_true(cores_usable() >= 1);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cores_usable(), 1);
    assert_int_equal(peck_threads(0), 1);
    assert_int_equal(peck_threads(3), 3);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_is_no_limit),
        cmocka_unit_test(a_quota_is_rounded_up),
        cmocka_unit_test(groups_around_a_group_bind_it),
        cmocka_unit_test(version_one_has_two_files),
        cmocka_unit_test(a_name_that_is_not_there_leads_to_the_base),
        cmocka_unit_test(affinity_is_obeyed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
