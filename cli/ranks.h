/* ranks.h -- the other processes of this run: those of mpirun for peck-mpi, none for peck.
 * Rank 0 speaks and writes; the others are silent, but for a failure of their own.    */
#ifndef RANKS_H
#define RANKS_H

#include "peck.h"

/* The first and the last thing that the program does.  comm_end gives the exit code of all
 * ranks, the largest of them; why: the sentence of one that failed.  Where the others are
 * busy with what this one has left, it says so and ends them too. */
void comm_start(int *argc, char ***argv);
int comm_end(int code, const char *why);

/* NULL: this process is alone. */
const peck_comm *comm_all(void);
/* Whether this is the one that speaks and writes. */
int comm_speaks(void);
/* The largest of all ranks' numbers. */
double comm_largest(double mine);
/* What rank 0 has met with, for all: PECK_OK, or its error. */
peck_status comm_follow(peck_status st, peck_error *err);

#endif
