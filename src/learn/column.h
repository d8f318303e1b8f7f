/* column.h -- one feature of all documents, by all workers. */
#ifndef COLUMN_H
#define COLUMN_H

#include "../base/pool.h"
#include "../base/view.h"

/* to[x.n] = times * column f of x. */
void column_take(struct pool *pool, struct rows x, size_t f, float times, float *to);
/* s[n] += by * d[n] */
void column_add(struct pool *pool, size_t n, float by, const float *d, float *s);

#endif
