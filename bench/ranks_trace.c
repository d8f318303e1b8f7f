/* ranks_trace.c -- what a rank of peck-mpi sends, and how long it works: a library that is
 * loaded before MPI's (LD_PRELOAD), by MPI's own profiling names.
 *
 *     mpicc -O2 -shared -fPIC -o ranks_trace.so bench/ranks_trace.c
 *
 * At the end every rank writes a line to the file that RANKS_TRACE names, and its own number:
 *
 *     rank, processor seconds outside of MPI, the same inside, calls, bytes sent
 *
 * Time inside is waiting as much as sending: a rank that waits looks on.  Bytes are those
 * that leave a rank at least, whatever way the network takes: of n ranks a block of b bytes goes to
 * n - 1 others from the root of a broadcast, and from each in an all-gather.             */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double begun, inside;
static uint64_t calls, bytes;

static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rank_of(MPI_Comm c)
{
    int rank = 0;

    PMPI_Comm_rank(c, &rank);
    return rank;
}

static int others_of(MPI_Comm c)
{
    int n = 1;

    PMPI_Comm_size(c, &n);
    return n - 1;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *has)
{
    const int answer = PMPI_Init_thread(argc, argv, wanted, has);

    begun = processor_seconds();
    return answer;
}

static int done(double from, uint64_t sent, int answer)
{
    inside += processor_seconds() - from;
    bytes += sent;
    calls++;
    return answer;
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm c)
{
    const double from = processor_seconds();
    const uint64_t sent = rank_of(c) == root ? (uint64_t)n * (uint64_t)others_of(c) : 0;

    return done(from, sent, PMPI_Bcast(data, n, type, root, c));
}

int MPI_Allgatherv(const void *mine, int n, MPI_Datatype type, void *to, const int *n_of,
                   const int *place, MPI_Datatype to_type, MPI_Comm c)
{
    const double from = processor_seconds();

    return done(from, (uint64_t)n * (uint64_t)others_of(c),
                PMPI_Allgatherv(mine, n, type, to, n_of, place, to_type, c));
}

int MPI_Alltoallv(const void *send, const int *n_send, const int *from_place,
                  MPI_Datatype type, void *to, const int *n_to, const int *to_place,
                  MPI_Datatype to_type, MPI_Comm c)
{
    const double from = processor_seconds();
    uint64_t sent = 0;

    for (int i = 0; i <= others_of(c); i++)
        sent += i != rank_of(c) ? (uint64_t)n_send[i] : 0;
    return done(
        from, sent,
        PMPI_Alltoallv(send, n_send, from_place, type, to, n_to, to_place, to_type, c));
}

int MPI_Allreduce(const void *send, void *to, int n, MPI_Datatype type, MPI_Op op,
                  MPI_Comm c)
{
    const double from = processor_seconds();
    int size = 1;

    PMPI_Type_size(type, &size);
    return done(from, 2 * (uint64_t)n * (uint64_t)size,
                PMPI_Allreduce(send, to, n, type, op, c));
}

int MPI_Finalize(void)
{
    const char *const name = getenv("RANKS_TRACE");
    char path[4096];

    snprintf(path, sizeof path, "%s.%d", name != NULL ? name : "ranks_trace",
             rank_of(MPI_COMM_WORLD));
    FILE *const f = fopen(path, "w");

    if (f != NULL) {
        fprintf(f, "%d %.6f %.6f %llu %llu\n", rank_of(MPI_COMM_WORLD),
                processor_seconds() - begun - inside, inside, (unsigned long long)calls,
                (unsigned long long)bytes);
        fclose(f);
    }
    return PMPI_Finalize();
}
