/* trace.h -- how long each task of a pool takes, and what runs between pools' jobs: what a
 * machine of more cores would gain.  Compiled with `make VARIANT=trace` alone, by pool.c.
 *
 * A pool gives each worker a part of a job, and who has done his takes from the others': about
 * as if tasks went in their order to the worker that is free first.  From the time of each
 * task, as measured, follows how long the job takes on any number of workers, if
 * nothing but the work counts: memory that is too slow for all of them does not show.  What
 * the caller does between two jobs is serial.  Times are those of the processor, so that what
 * else runs on the machine counts little; pool_size says TRACE_WORKERS, so that work is cut as
 * it would be there.  Beside them stands the time by the clock: on a machine that has the
 * cores it says what jobs and gaps really take.  pool_free adds its table to "trace.tsv" of
 * the working folder; tools/trace.py reads it.                                           */
#ifndef TRACE_H
#define TRACE_H

#include "alloc.h"
#include "pool.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { TRACE_WORKERS = 16 };

/* Processor time of this thread, in seconds. */
static inline double trace_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { TRACE_WIDTHS = 5, TRACE_MOST = 32 };

static const int trace_width[TRACE_WIDTHS] = { 2, 4, 8, 16, TRACE_MOST };

/* All jobs of one task. */
struct trace_job {
    intptr_t task; /* its address, counted from pool_free */
    size_t n_jobs, n_tasks;
    double busy, longest;      /* seconds of all tasks; of each job's longest one */
    double span[TRACE_WIDTHS]; /* seconds that the jobs take on so many workers */
    double wall;               /* seconds that they took, by the clock */
};

/* What runs after a job of one task and before one of another. */
struct trace_gap {
    intptr_t before, after; /* 0: the pool's beginning, its end */
    size_t n;
    double seconds, wall; /* of the processor; by the clock */
};

struct trace {
    struct trace_job *job;
    size_t n_jobs;
    struct trace_gap *gap;
    size_t n_gaps;
    double *took;           /* [n] of the job that runs */
    double mark, wall_mark; /* when the last job ended, or this one began */
    intptr_t last;
};

static inline void trace_serial(struct trace *t, intptr_t next)
{
    const double seconds = trace_clock() - t->mark, now = clock_seconds();
    size_t i = 0;

    while (i < t->n_gaps && (t->gap[i].before != t->last || t->gap[i].after != next))
        i++;
    if (i == t->n_gaps) {
        struct trace_gap *const more = mem_resize(t->gap, i + 1, sizeof *more);

        if (more == NULL)
            return;
        t->gap = more;
        t->gap[t->n_gaps++] = (struct trace_gap){ .before = t->last, .after = next };
    }
    t->gap[i].n++;
    t->gap[i].seconds += seconds;
    t->gap[i].wall += now - t->wall_mark;
    t->wall_mark = now;
    t->last = next;
}

/* Before a job of n tasks; false: there is no memory to trace it. */
static inline bool trace_begin(struct trace *t, intptr_t task, size_t n)
{
    trace_serial(t, task);
    double *const took = mem_resize(t->took, n + 1, sizeof *took);

    if (took != NULL)
        t->took = took;
    return took != NULL;
}

/* Seconds on `width` workers: each task goes to the one that is free first. */
static inline double trace_makespan(const double *took, size_t n, int width)
{
    double until[TRACE_MOST] = { 0 }, all = 0.0;

    for (size_t i = 0; i < n; i++) {
        int first = 0;

        for (int w = 1; w < width; w++)
            if (until[w] < until[first])
                first = w;
        until[first] += took[i];
        if (until[first] > all)
            all = until[first];
    }
    return all;
}

static inline void trace_end(struct trace *t, size_t n)
{
    size_t i = 0;

    while (i < t->n_jobs && t->job[i].task != t->last)
        i++;
    if (i == t->n_jobs) {
        struct trace_job *const more = mem_resize(t->job, i + 1, sizeof *more);

        if (more == NULL)
            return;
        t->job = more;
        t->job[t->n_jobs++] = (struct trace_job){ .task = t->last };
    }
    struct trace_job *const job = &t->job[i];
    double longest = 0.0;

    job->n_jobs++;
    job->n_tasks += n;
    for (size_t k = 0; k < n; k++) {
        job->busy += t->took[k];
        if (t->took[k] > longest)
            longest = t->took[k];
    }
    job->longest += longest;
    for (int w = 0; w < TRACE_WIDTHS; w++)
        job->span[w] += trace_makespan(t->took, n, trace_width[w]);
    const double now = clock_seconds();

    job->wall += now - t->wall_mark;
    t->wall_mark = now;
    t->mark = trace_clock();
}

/* Offsets are printed as they are: a program is loaded anywhere, but in one piece. */
static inline void trace_write(struct trace *t)
{
    FILE *const f = fopen("trace.tsv", "a");

    trace_serial(t, 0);
    if (f != NULL) {
        fprintf(f, "pool\n");
        for (size_t i = 0; i < t->n_jobs; i++) {
            const struct trace_job *const j = &t->job[i];

            fprintf(f, "job\t%jd\t%zu\t%zu\t%.9f\t%.9f", (intmax_t)j->task, j->n_jobs,
                    j->n_tasks, j->busy, j->longest);
            for (int w = 0; w < TRACE_WIDTHS; w++)
                fprintf(f, "\t%.9f", j->span[w]);
            fprintf(f, "\t%.9f\n", j->wall);
        }
        for (size_t i = 0; i < t->n_gaps; i++)
            fprintf(f, "gap\t%jd\t%jd\t%zu\t%.9f\t%.9f\n", (intmax_t)t->gap[i].before,
                    (intmax_t)t->gap[i].after, t->gap[i].n, t->gap[i].seconds,
                    t->gap[i].wall);
        fclose(f);
    }
    mem_free(t->job);
    mem_free(t->gap);
    mem_free(t->took);
}

#endif
