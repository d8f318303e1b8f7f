/* tnorm.h -- inside the rules room: connectives of soft truth values, with derivatives. */
#ifndef TNORM_H
#define TNORM_H

#include "rules.h"

/* The value of a connective (NODE_AND, NODE_OR, NODE_IMPLIES, NODE_IFF) under a logic that
 * is no mixture; *da and *db: what its two sides do to it. */
double tnorm(int logic, int connective, double a, double b, double *da, double *db);

#endif
