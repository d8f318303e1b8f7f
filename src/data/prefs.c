/* prefs.c -- see prefs.h. */
#include "prefs.h"

#include "../base/alloc.h"
#include "../base/rng.h"

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

/* Lists and items get the numbers that queries and rows have in the part, as
 * dataset_take_marked makes it. */
peck_status prefs_take_marked(struct peck_prefs **out, const struct peck_prefs *p,
                              const struct peck_dataset *d, const bool *mark, bool wanted,
                              peck_error *err)
{
    /* By query of d: its first row in the part, and its number there. */
    uint64_t *const first = mem_new(d->n_queries, sizeof *first);
    size_t *const query = mem_new(d->n_queries, sizeof *query);
    struct peck_prefs *const to = prefs_new();
    bool fits = first != NULL && query != NULL && to != NULL;

    *out = NULL;
    for (size_t q = 0; fits && q < d->n_queries; q++) {
        first[q] = to->n_items;
        query[q] = to->list_name.n;
        if (mark[q] == wanted) {
            to->n_items += dataset_query_size(d, q);
            fits = strings_add(&to->list_name, dataset_query_id(d, q));
        }
    }
    for (size_t i = 0; fits && i < p->n; i++) {
        peck_pref pref = p->pref[i];
        const size_t q = pref.list;

        if (mark[q] != wanted)
            continue;
        pref.list = query[q];
        pref.winner = pref.winner - d->start[q] + first[q];
        pref.loser = pref.loser - d->start[q] + first[q];
        fits = prefs_add(to, pref);
    }
    mem_free(first);
    mem_free(query);
    if (!fits) {
        peck_prefs_free(to);
        return fail_memory(err, "preferences", p->n, sizeof *p->pref);
    }
    *out = to;
    return PECK_OK;
}

peck_status peck_prefs_fold(peck_prefs **out, const peck_prefs *p, const peck_dataset *d,
                            size_t n_folds, size_t fold, const char *part, uint64_t seed,
                            peck_error *err)
{
    bool *const mark = mem_new(d->n_queries, sizeof *mark);

    *out = NULL;
    peck_status st = mark != NULL
                         ? dataset_mark_fold(d, n_folds, fold, part, seed, mark, err)
                         : fail_memory(err, d->name, d->n_queries, sizeof *mark);

    if (st == PECK_OK)
        st = prefs_take_marked(out, p, d, mark, true, err);
    mem_free(mark);
    return st;
}

peck_status holdout_take(struct holdout *out, const struct peck_dataset *d,
                         const struct peck_prefs *prefs, double share, uint64_t seed,
                         peck_error *err)
{
    const size_t n = d->n_queries;
    bool *const is_held = mem_new(n, sizeof *is_held);

    *out = (struct holdout){ 0 };
    if (is_held == NULL)
        return fail_memory(err, "the queries held out", n, sizeof *is_held);
    peck_status st = dataset_mark_holdout(d, share, seed, is_held, err);

    if (st == PECK_OK)
        st = dataset_part_marked(&out->kept, d, is_held, false, err);
    if (st == PECK_OK)
        st = dataset_part_marked(&out->held, d, is_held, true, err);
    if (st == PECK_OK && prefs != NULL)
        st = prefs_take_marked(&out->kept_prefs, prefs, d, is_held, false, err);
    if (st == PECK_OK && prefs != NULL)
        st = prefs_take_marked(&out->held_prefs, prefs, d, is_held, true, err);
    mem_free(is_held);
    return st;
}

void holdout_free(struct holdout *h)
{
    peck_dataset_free(h->kept);
    peck_dataset_free(h->held);
    peck_prefs_free(h->kept_prefs);
    peck_prefs_free(h->held_prefs);
    *h = (struct holdout){ 0 };
}

uint64_t prefs_fingerprint(const struct peck_prefs *p)
{
    uint64_t sum = mix64(p->n, p->n_items);

    for (size_t i = 0; i < p->n; i++) {
        const peck_pref *const pref = &p->pref[i];
        uint32_t bits[2];

        memcpy(&bits[0], &pref->probability, sizeof bits[0]);
        memcpy(&bits[1], &pref->weight, sizeof bits[1]);
        sum = mix64(mix64(sum, pref->winner), pref->loser);
        sum = mix64(mix64(sum, bits[0]), bits[1]);
    }
    return sum;
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
