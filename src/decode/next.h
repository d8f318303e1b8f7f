/* next.h -- which question is worth most, and how sure the order is, from the posterior of
 * strengths (bt.h): peck_strengths_next, peck_strengths_sureness.                     */
#ifndef NEXT_H
#define NEXT_H

#include "bt.h"

#endif
