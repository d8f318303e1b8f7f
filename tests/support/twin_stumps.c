/* twin_stumps.c -- family_stumps.c in double precision. */
#include "twin.h"

#define family_stumps twin_stumps
#include "model/family_stumps.c"
