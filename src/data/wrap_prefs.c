/* wrap_prefs.c -- preferences that a program has in memory. */
#include "prefs.h"

#include "../base/spec.h"

/* The query that a row of the dataset is in. */
static size_t query_of(const struct peck_dataset *d, size_t row)
{
    size_t first = 0, last = d->n_queries - 1;

    while (first < last) {
        const size_t middle = (first + last + 1) / 2;

        if (d->start[middle] <= row)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

static peck_status check_pref(const struct peck_prefs *p, const peck_pref *pref, size_t at,
                              peck_error *err)
{
    const size_t larger = pref->winner > pref->loser ? pref->winner : pref->loser;

    if (larger >= p->n_items)
        return fail(err, PECK_SHAPE,
                    "preference %zu (counted from 1) is of item %zu, counted from 0, but "
                    "there are %zu",
                    at + 1, larger, p->n_items);
    if (pref->winner == pref->loser)
        return fail(err, PECK_FORMAT,
                    "preference %zu (counted from 1): item %zu is compared with itself",
                    at + 1, pref->winner);
    if (!(pref->probability >= 0.0f && pref->probability <= 1.0f))
        return fail(err, PECK_FORMAT,
                    "preference %zu (counted from 1): its probability is %g; give 0 to 1",
                    at + 1, (double)pref->probability);
    if (!(pref->weight > 0.0f && pref->weight <= FLT_MAX))
        return fail(err, PECK_FORMAT,
                    "preference %zu (counted from 1): its weight is %g; it must be a "
                    "finite number above 0",
                    at + 1, (double)pref->weight);
    return PECK_OK;
}

/* Finds the list of a preference over documents, checks it otherwise. */
static peck_status settle_list(peck_pref *pref, const struct peck_prefs *p,
                               const struct peck_dataset *d, size_t at, peck_error *err)
{
    if (d == NULL && pref->list >= p->list_name.n)
        return fail(err, PECK_SHAPE,
                    "preference %zu (counted from 1) is of list %zu, counted from 0, but "
                    "there are %zu",
                    at + 1, pref->list, p->list_name.n);
    if (d == NULL)
        return PECK_OK;
    const size_t other = query_of(d, pref->loser);

    pref->list = query_of(d, pref->winner);
    if (pref->list != other)
        return fail(err, PECK_SHAPE,
                    "preference %zu (counted from 1) is of documents of two queries, "
                    "'%.*s' and '%.*s'",
                    at + 1, SPAN_ARGS(strings_get(&d->query_id, pref->list)),
                    SPAN_ARGS(strings_get(&d->query_id, other)));
    return PECK_OK;
}

static peck_status fill_prefs(struct peck_prefs *p, const peck_prefs_arrays *a,
                              peck_error *err)
{
    static const struct text_rule list = { "name", "a name", "list", "lists", false },
                                  item = { "name", "a name", "item", "items", false };
    const struct peck_dataset *const d = a->data;

    p->n_items = d != NULL ? d->n_docs : a->n_items;
    for (size_t q = 0; d != NULL && q < d->n_queries; q++)
        if (!strings_add(&p->list_name, strings_get(&d->query_id, q)))
            return fail_memory(err, "queries", d->n_queries, sizeof(uint64_t));
    if (d == NULL) {
        TRY(take_texts(&p->list_name, a->list_name, a->n_lists > 0 ? a->n_lists : 1, &list,
                       err));
        TRY(take_texts(&p->item_name, a->item_name, a->n_items, &item, err));
    }
    for (size_t i = 0; i < a->n_prefs; i++) {
        peck_pref pref = a->pref[i];

        TRY(check_pref(p, &pref, i, err));
        TRY(settle_list(&pref, p, d, i, err));
        if (!prefs_add(p, pref))
            return fail_memory(err, "preferences", a->n_prefs, sizeof pref);
    }
    return PECK_OK;
}

peck_status peck_prefs_make(peck_prefs **out, const peck_prefs_arrays *arrays,
                            peck_error *err)
{
    peck_prefs_arrays a;

    *out = NULL;
    TRY(SPEC_TAKE(peck_prefs_arrays, &a, n_lists, arrays, err));
    if (a.n_prefs == 0)
        return fail(err, PECK_SHAPE, "there is no preference; give at least one");
    struct peck_prefs *const p = prefs_new();
    const peck_status st =
        p != NULL ? fill_prefs(p, &a, err) : fail_memory(err, "preferences", 1, sizeof *p);

    if (st == PECK_OK)
        *out = p;
    else
        peck_prefs_free(p);
    return st;
}
