/* memo.h -- answers that were given before: pair -> preference. */
#ifndef MEMO_H
#define MEMO_H

#include "../base/status.h"

#include <stdbool.h>

struct memo; /* all calls from one thread at a time */

struct memo *memo_new(uint32_t n_items); /* NULL: no memory */
/* Makes room for n pairs more, so that what memo_place returns stays where it is. */
MUST_CHECK bool memo_reserve(struct memo *m, size_t n);
/* The same pair, the lower item first. */
static inline peck_duel duel_upward(peck_duel d)
{
    return d.i < d.j ? d : (peck_duel){ d.j, d.i };
}
/* Where the preference of d.i over d.j is kept, d.i < d.j; NaN: not known yet. */
float *memo_place(struct memo *m, peck_duel d);
void memo_free(struct memo *m); /* takes NULL */

#endif
