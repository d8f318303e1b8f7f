/* twin_planes.c -- family_planes.c in double precision. */
#include "twin.h"

#define family_planes twin_planes
#include "model/family_planes.c"
