/* prefs.h -- who was preferred to whom: one row per line of the file.
 *
 * With a dataset, lists are its queries and items its documents, numbered as there.  In
 * a list that stands alone both are numbered by first appearance.                    */
#ifndef PREFS_H
#define PREFS_H

#include "dataset.h"

struct peck_prefs {
    peck_pref *pref;
    size_t n, cap;
    struct strings list_name;
    struct strings item_name; /* empty with a dataset */
    size_t n_items;
    size_t n_bad, first_bad_line; /* left out under skip_bad; line 0: none */
};

struct peck_prefs *prefs_new(void);                              /* NULL: no memory */
MUST_CHECK bool prefs_add(struct peck_prefs *p, peck_pref pref); /* false: no memory */

#endif
