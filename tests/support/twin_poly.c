/* twin_poly.c -- family_poly.c in double precision. */
#include "twin.h"

#define family_poly twin_poly
#include "model/family_poly.c"
