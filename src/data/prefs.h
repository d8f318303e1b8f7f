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
/* The preferences over queries of d for which mark[q] == wanted, renumbered for the
 * dataset that dataset_take_marked makes of them. */
MUST_CHECK peck_status prefs_take_marked(struct peck_prefs **out,
                                         const struct peck_prefs *p,
                                         const struct peck_dataset *d, const bool *mark,
                                         bool wanted, peck_error *err);

/* A data set, which must outlive them, in two parts, by query: what peck_dataset_holdout keeps
 * and holds out.
 * Preferences, where there are some, go with their queries. */
struct holdout {
    struct peck_dataset *kept, *held;
    struct peck_prefs *kept_prefs, *held_prefs; /* NULL: there were none */
};
MUST_CHECK peck_status holdout_take(struct holdout *out, const struct peck_dataset *d,
                                    const struct peck_prefs *prefs, double share,
                                    uint64_t seed, peck_error *err);
void holdout_free(struct holdout *h); /* takes an all-zero one too */

uint64_t prefs_fingerprint(const struct peck_prefs *p);

#endif
