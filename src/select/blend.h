/* blend.h -- what a committee asks before anything is trained. */
#ifndef BLEND_H
#define BLEND_H

#include "../base/status.h"

#include <stdbool.h>

/* Refuses weights of no known name, and greedy ones, or models to score alone, without
 * validation data. */
MUST_CHECK peck_status blend_check(const char *weights, bool alone, bool has_valid,
                                   peck_error *err);

#endif
