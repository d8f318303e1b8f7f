/* twin_cmpnn.c -- family_cmpnn.c in double precision. */
#include "twin.h"

#define family_cmpnn twin_cmpnn
#include "model/family_cmpnn.c"
