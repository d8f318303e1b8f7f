/* twin_mlp.c -- family_mlp.c in double precision. */
#include "twin.h"

#define family_mlp twin_mlp
#include "model/family_mlp.c"
