/* comm_mpi.c -- peck-mpi: the ranks of mpirun.  The only file that knows MPI.
 *
 * Counts of MPI 3 are int: what is longer goes in pieces.  A rank that is waiting gives up
 * its processor now and then only if mpirun says so (mpi_yield_when_idle).            */
#include "ranks.h"
#include "verb.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PIECE = 1 << 30, /* bytes that are sent in one go */
    PATIENCE = 3,    /* seconds that a rank which failed waits for the others to follow */
    NAP = 2000000    /* nanoseconds between two looks */
};

/* Blocks that follow each other, as MPI wants them; n_ranks of each. */
struct block_layout {
    int *count, *place;
};

static peck_comm all;
static struct block_layout outward, inward;
static MPI_Comm last;                  /* for the end, apart from the work */
static volatile sig_atomic_t has_told; /* this rank has said how it ended */

static int64_t mpi_broadcast(void *ctx, void *data, size_t n, int root)
{
    (void)ctx;
    for (size_t at = 0; at < n; at += PIECE) {
        const size_t left = n - at;

        if (MPI_Bcast((char *)data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, root,
                      MPI_COMM_WORLD) != MPI_SUCCESS)
            return -1;
    }
    return (int64_t)n;
}

/* How many bytes they are; beyond INT_MAX the layout is of no use. */
static size_t lay_out(const struct block_layout *to, const size_t *n)
{
    size_t at = 0;

    for (int i = 0; i < all.n_ranks; i++) {
        to->count[i] = n[i] <= INT_MAX ? (int)n[i] : 0;
        to->place[i] = at <= INT_MAX ? (int)at : 0;
        at += n[i];
    }
    return at;
}

static int64_t mpi_all_gather(void *ctx, const void *mine, void *to, const size_t *n_of)
{
    const size_t n = lay_out(&inward, n_of);
    char *block = to;

    if (n <= INT_MAX)
        return MPI_Allgatherv(mine, (int)n_of[all.rank], MPI_BYTE, to, inward.count,
                              inward.place, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS
                   ? (int64_t)n
                   : -1;
    for (int i = 0; i < all.n_ranks; block += n_of[i++]) {
        if (i == all.rank)
            memcpy(block, mine, n_of[i]);
        if (mpi_broadcast(ctx, block, n_of[i], i) < 0)
            return -1;
    }
    return (int64_t)n;
}

/* A block to one rank while one comes from another, in pieces. */
static int swap_blocks(const char *to, size_t n_to, int whither, char *from, size_t n_from,
                       int whence)
{
    for (size_t at = 0; at < n_to || at < n_from; at += PIECE) {
        const size_t out = at < n_to ? n_to - at : 0, in = at < n_from ? n_from - at : 0;

        if (MPI_Sendrecv(to + (out > 0 ? at : 0), (int)(out < PIECE ? out : PIECE),
                         MPI_BYTE, whither, 0, from + (in > 0 ? at : 0),
                         (int)(in < PIECE ? in : PIECE), MPI_BYTE, whence, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 0;
    }
    return 1;
}

static int64_t mpi_all_to_all(void *ctx, const void *send, const size_t *n_send,
                              void *receive, const size_t *n_receive)
{
    const size_t out = lay_out(&outward, n_send), in = lay_out(&inward, n_receive);
    int is_long = out > INT_MAX || in > INT_MAX;

    (void)ctx;
    /* All ranks go the same way. */
    if (MPI_Allreduce(MPI_IN_PLACE, &is_long, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) !=
        MPI_SUCCESS)
        return -1;
    if (!is_long)
        return MPI_Alltoallv(send, outward.count, outward.place, MPI_BYTE, receive,
                             inward.count, inward.place, MPI_BYTE,
                             MPI_COMM_WORLD) == MPI_SUCCESS
                   ? (int64_t)in
                   : -1;
    for (int step = 0; step < all.n_ranks; step++) {
        const int whither = (all.rank + step) % all.n_ranks;
        const int whence = (all.rank - step + all.n_ranks) % all.n_ranks;
        size_t from = 0, to = 0;

        for (int i = 0; i < whither; i++)
            to += n_send[i];
        for (int i = 0; i < whence; i++)
            from += n_receive[i];
        if (!swap_blocks((const char *)send + to, n_send[whither], whither,
                         (char *)receive + from, n_receive[whence], whence))
            return -1;
    }
    return (int64_t)in;
}

/* mpirun ends the ranks that are left when one is lost, when one that failed is done before the
 * others, or when it is interrupted itself.  It gives them a second between SIGTERM and SIGKILL,
 * which the first of them that is gone cuts short: so the others wait until rank 0 has spoken. */
static void tell_end(int signal_number)
{
    static const char text[] =
        "peck: the run was ended from outside, or has lost a process; start it again, with "
        "--resume where there is a checkpoint\n";

    (void)signal_number;
    if (all.rank != 0)
        sleep(1);
    else if (!has_told && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_SYSTEM);
    _exit(EXIT_SYSTEM);
}

void comm_start(int *argc, char ***argv)
{
    struct sigaction action;
    int has;

    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &has) != MPI_SUCCESS)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.n_ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &last);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    outward.count = calloc((size_t)all.n_ranks, sizeof(int));
    outward.place = calloc((size_t)all.n_ranks, sizeof(int));
    inward.count = calloc((size_t)all.n_ranks, sizeof(int));
    inward.place = calloc((size_t)all.n_ranks, sizeof(int));
    if (outward.count == NULL || outward.place == NULL || inward.count == NULL ||
        inward.place == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_SYSTEM);
    all.size = sizeof all;
    all.broadcast = mpi_broadcast;
    all.all_gather = mpi_all_gather;
    all.all_to_all = mpi_all_to_all;
    if (all.n_ranks == 1)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = tell_end;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
}

int comm_end(int code, const char *why)
{
    const struct timespec nap = { 0, NAP };
    int is_done = 0, worst = code;
    MPI_Request request;

    if (all.n_ranks == 0)
        return code;
    has_told = code != 0;
    MPI_Iallreduce(&code, &worst, 1, MPI_INT, MPI_MAX, last, &request);
    for (double waited = 0; !is_done; waited += 1e-9 * NAP) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done && code != 0 && waited > PATIENCE) {
            if (all.rank != 0)
                fprintf(stderr, "peck: rank %d: %s\n", all.rank, why);
            MPI_Abort(MPI_COMM_WORLD, code);
        }
        if (!is_done)
            nanosleep(&nap, NULL);
    }
    has_told = 1;
    MPI_Comm_free(&last);
    MPI_Finalize();
    free(outward.count);
    free(outward.place);
    free(inward.count);
    free(inward.place);
    return worst;
}

const peck_comm *comm_all(void)
{
    return all.n_ranks > 1 ? &all : NULL;
}

int comm_speaks(void)
{
    return all.rank == 0;
}

double comm_largest(double mine)
{
    double largest = mine;

    if (all.n_ranks > 1)
        MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

peck_status comm_follow(peck_status st, peck_error *err)
{
    peck_error first = *err;

    first.status = st;
    if (all.n_ranks < 2)
        return st;
    if (mpi_broadcast(NULL, &first, sizeof first, 0) < 0)
        return refuse(err, PECK_IO, "rank %d has lost the others", all.rank);
    *err = first;
    return first.status;
}
