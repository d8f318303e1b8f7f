/* twin_layers.c -- layers.c in double precision, for the twins that stand on it. */
#include "twin.h"

#include "model/layers.c"
