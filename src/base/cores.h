/* cores.h -- how many processors this process may use. */
#ifndef CORES_H
#define CORES_H

/* Those of its affinity, and no more than its quota; at least 1. */
int cores_usable(void);

/* What the control groups of the process, each within the next, let it use at most, in whole
 * processors, rounded up; 0: they set no limit.  root: where proc and sys are; "" on a
 * machine. */
int cores_quota(const char *root);

#endif
