/* twin_linear.c -- family_linear.c in double precision. */
#include "twin.h"

#define family_linear twin_linear
#include "model/family_linear.c"
