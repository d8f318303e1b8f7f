/* objective.c -- which objectives there are. */
#include "objective.h"

#define OBJECTIVE(name) extern const struct objective objective_##name;
#include "objectives.def"
#undef OBJECTIVE

#define OBJECTIVE(name) &objective_##name.plug,
const struct plug *const objectives[] = {
#include "objectives.def"
};
#undef OBJECTIVE
const size_t n_objectives = sizeof objectives / sizeof *objectives;
