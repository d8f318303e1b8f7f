/* prefs.c -- see prefs.h. */
#include "prefs.h"

#include "../base/alloc.h"

struct peck_prefs *prefs_new(void)
{
    return mem_new(1, sizeof(struct peck_prefs));
}

bool prefs_add(struct peck_prefs *p, peck_pref pref)
{
    if (!mem_reserve(&p->pref, &p->cap, p->n + 1, sizeof *p->pref))
        return false;
    p->pref[p->n++] = pref;
    return true;
}

void peck_prefs_describe(const peck_prefs *p, peck_prefs_info *info)
{
    *info = (peck_prefs_info){
        .n_prefs = p->n,
        .n_lists = p->list_name.n,
        .n_items = p->n_items,
        .n_bad = p->n_bad,
        .first_bad_line = p->first_bad_line,
    };
}

peck_pref peck_prefs_at(const peck_prefs *p, size_t i)
{
    return p->pref[i];
}

peck_span peck_prefs_list_name(const peck_prefs *p, size_t list)
{
    return strings_get(&p->list_name, list);
}

peck_span peck_prefs_item_name(const peck_prefs *p, size_t item)
{
    return p->item_name.n > 0 ? strings_get(&p->item_name, item) : (peck_span){ "", 0 };
}

void peck_prefs_free(peck_prefs *p)
{
    if (p == NULL)
        return;
    mem_free(p->pref);
    strings_free(&p->list_name);
    strings_free(&p->item_name);
    mem_free(p);
}
