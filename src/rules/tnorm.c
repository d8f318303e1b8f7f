/* tnorm.c -- see tnorm.h.
 *
 *   and    product a b;  Lukasiewicz max(0, a + b - 1);  minimum min(a, b)
 *   not    1 - a
 *   or, implies, iff by De Morgan's law: not (not a and not b), not a or b, both ways  */
#include "tnorm.h"

#include "tree.h"

static double both(int logic, double a, double b, double *da, double *db)
{
    switch ((enum rule_logic)logic) {
    case LOGIC_LUKASIEWICZ:
        *da = *db = a + b > 1.0;
        return a + b > 1.0 ? a + b - 1.0 : 0.0;
    case LOGIC_MINIMUM:
        *da = a <= b;
        *db = a > b;
        return a <= b ? a : b;
    default:
        *da = b;
        *db = a;
        return a * b;
    }
}

static double either(int logic, double a, double b, double *da, double *db)
{
    return 1.0 - both(logic, 1.0 - a, 1.0 - b, da, db);
}

static double follows(int logic, double a, double b, double *da, double *db)
{
    const double value = either(logic, 1.0 - a, b, da, db);

    *da = -*da;
    return value;
}

static double alike(int logic, double a, double b, double *da, double *db)
{
    double pa, pb, qa, qb, dp, dq;
    const double p = follows(logic, a, b, &pa, &pb), q = follows(logic, b, a, &qb, &qa);
    const double value = both(logic, p, q, &dp, &dq);

    *da = dp * pa + dq * qa;
    *db = dp * pb + dq * qb;
    return value;
}

double tnorm(int logic, int connective, double a, double b, double *da, double *db)
{
    switch ((enum node_kind)connective) {
    case NODE_AND:
        return both(logic, a, b, da, db);
    case NODE_OR:
        return either(logic, a, b, da, db);
    case NODE_IFF:
        return alike(logic, a, b, da, db);
    default:
        return follows(logic, a, b, da, db);
    }
}
