/* clock.h -- time that only goes forward: for progress and pacing, never for results. */
#ifndef CLOCK_H
#define CLOCK_H

double clock_seconds(void); /* since some fixed moment */

#endif
