/* decode_prefs.c -- a list of preferences in, its items ranked.
 *
 * Items that no chain of preferences connects have no order between them: each connected
 * part is ranked by itself.                                                           */
#include "decoding.h"

#include "../base/alloc.h"
#include "../base/sort.h"

/* What is known of an item against another. */
struct versus {
    uint32_t other;
    double wins, n; /* weights */
};

struct table {
    uint32_t n;            /* items of the list */
    size_t *item;          /* n: their numbers in the preferences */
    uint32_t *number;      /* of every item of the preferences: its place in item[] */
    size_t *start;         /* n + 1: row i is versus[start[i] .. start[i + 1]) */
    struct versus *versus; /* by row and rising `other` */
    size_t n_versus;       /* before equal ones are put together */
    uint32_t *part;        /* n: of each item */
    uint32_t n_parts;
    size_t *size; /* n_parts */
};

enum { SHORT = 1000 }; /* items that are not worth a second thread */
#define NOBODY UINT32_MAX

static void table_free(struct table *t)
{
    mem_free(t->item);
    mem_free(t->number);
    mem_free(t->start);
    mem_free(t->versus);
    mem_free(t->part);
    mem_free(t->size);
}

/* Who and against whom ---------------------------------------------------------------- */

static void enlist(struct table *t, size_t item)
{
    if (t->number[item] == NOBODY) {
        t->number[item] = t->n;
        t->item[t->n++] = item;
    }
}

static peck_status find_items(struct table *t, const peck_prefs *p, size_t list,
                              peck_error *err)
{
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    t->item = mem_new(info.n_items, sizeof *t->item);
    t->number = mem_new(info.n_items, sizeof *t->number);
    if (t->item == NULL || t->number == NULL)
        return fail_memory(err, "items", info.n_items, sizeof *t->item);
    for (size_t i = 0; i < info.n_items; i++)
        t->number[i] = NOBODY;
    for (size_t i = 0; i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);

        if (pref.list != list)
            continue;
        enlist(t, pref.winner);
        enlist(t, pref.loser);
        t->n_versus += 2;
    }
    if (t->n_versus > UINT32_MAX)
        return fail(err, PECK_ARG, "%zu preferences in one list; at most %u can be ranked",
                    t->n_versus / 2, UINT32_MAX / 2);
    return PECK_OK;
}

/* Both sides of every preference, by row and other. */
static void note(const struct table *t, const peck_pref *pref, struct sort_item *key,
                 struct versus *loose, size_t at)
{
    const uint64_t i = t->number[pref->winner], j = t->number[pref->loser];
    const double n = pref->weight, wins = n * (double)pref->probability;

    loose[at] = (struct versus){ (uint32_t)j, wins, n };
    loose[at + 1] = (struct versus){ (uint32_t)i, n - wins, n };
    key[at] = (struct sort_item){ i << 32 | j, (uint32_t)at };
    key[at + 1] = (struct sort_item){ j << 32 | i, (uint32_t)at + 1 };
}

/* Puts equal pairs together: rows of rising others. */
static void gather(struct table *t, const struct sort_item *key, const struct versus *loose)
{
    size_t n = 0;

    for (size_t k = 0; k < t->n_versus; k++) {
        const struct versus *const v = &loose[key[k].from];

        if (k > 0 && key[k].key == key[k - 1].key) {
            t->versus[n - 1].wins += v->wins;
            t->versus[n - 1].n += v->n;
        } else {
            t->versus[n++] = *v;
            t->start[(key[k].key >> 32) + 1] = n;
        }
    }
}

static peck_status fill(struct table *t, const peck_prefs *p, size_t list, peck_error *err)
{
    struct sort_item *const key = mem_new(2 * t->n_versus, sizeof *key);
    struct versus *const loose = mem_new(t->n_versus, sizeof *loose);
    peck_prefs_info info;
    size_t at = 0;

    t->start = mem_new((size_t)t->n + 1, sizeof *t->start);
    t->versus = mem_new(t->n_versus, sizeof *t->versus);
    const bool fits = key != NULL && loose != NULL && t->start != NULL && t->versus != NULL;

    peck_prefs_describe(p, &info);
    for (size_t i = 0; fits && i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);

        if (pref.list == list) {
            note(t, &pref, key, loose, at);
            at += 2;
        }
    }
    if (fits) {
        sort_items(key, t->n_versus, key + t->n_versus);
        gather(t, key, loose);
    }
    mem_free(key);
    mem_free(loose);
    return fits ? PECK_OK : fail_memory(err, "preferences", t->n_versus, sizeof *loose);
}

/* Parts --------------------------------------------------------------------------------- */

/* Everybody who can be reached from `first` belongs to its part. */
static size_t mark_part(const struct table *t, uint32_t first, uint32_t part,
                        uint32_t *stack)
{
    size_t n = 0, size = 1;

    t->part[first] = part;
    stack[n++] = first;
    while (n > 0) {
        const uint32_t i = stack[--n];

        for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
            const uint32_t j = t->versus[k].other;

            if (t->part[j] == NOBODY) {
                t->part[j] = part;
                stack[n++] = j;
                size++;
            }
        }
    }
    return size;
}

/* The largest part becomes 0; equal ones by who is named first. */
static void number_parts(struct table *t, struct sort_item *by_size, uint32_t *rank)
{
    for (uint32_t k = 0; k < t->n_parts; k++)
        by_size[k] = (struct sort_item){ ~(uint64_t)t->size[k], k };
    sort_items(by_size, t->n_parts, by_size + t->n_parts);
    for (uint32_t k = 0; k < t->n_parts; k++) {
        rank[by_size[k].from] = k;
        t->size[k] = (size_t)~by_size[k].key;
    }
    for (uint32_t i = 0; i < t->n; i++)
        t->part[i] = rank[t->part[i]];
}

static peck_status find_parts(struct table *t, peck_error *err)
{
    uint32_t *const stack = mem_new(t->n, sizeof *stack);
    struct sort_item *const by_size = mem_new(2 * (size_t)t->n, sizeof *by_size);

    t->part = mem_new(t->n, sizeof *t->part);
    t->size = mem_new(t->n, sizeof *t->size);
    const bool fits =
        stack != NULL && by_size != NULL && t->part != NULL && t->size != NULL;

    for (uint32_t i = 0; fits && i < t->n; i++)
        t->part[i] = NOBODY;
    for (uint32_t i = 0; fits && i < t->n; i++)
        if (t->part[i] == NOBODY) {
            t->size[t->n_parts] = mark_part(t, i, t->n_parts, stack);
            t->n_parts++;
        }
    if (fits)
        number_parts(t, by_size, stack);
    mem_free(stack);
    mem_free(by_size);
    return fits ? PECK_OK : fail_memory(err, "items", t->n, sizeof *by_size);
}

/* A part is ranked ----------------------------------------------------------------------- */

struct part {
    const struct table *t;
    uint32_t *all;   /* rows of the table, part after part, rising within one */
    uint32_t *row;   /* of each item of the part: its row in the table; in `all` */
    uint32_t *item;  /* by row, of all rows: the item of its part */
    uint32_t *rank;  /* by row, of all rows: filled as parts are ranked */
    uint32_t *order; /* of the part */
    double *score;
};

static const struct versus *find(const struct table *t, uint32_t i, uint32_t j)
{
    size_t low = t->start[i], high = t->start[i + 1];

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (t->versus[mid].other < j)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->start[i + 1] && t->versus[low].other == j ? &t->versus[low] : NULL;
}

/* Rows are in rising order, and so are the items of a part. */
static size_t known(void *ctx, uint32_t i, uint32_t *other)
{
    const struct part *const p = ctx;
    const struct table *const t = p->t;
    const uint32_t row = p->row[i];
    size_t n = 0;

    for (size_t k = t->start[row]; k < t->start[row + 1] && t->versus[k].other < row; k++)
        other[n++] = p->item[t->versus[k].other];
    return n;
}

static peck_status ask(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                       peck_error *err)
{
    const struct part *const p = ctx;

    (void)worker, (void)err;
    for (size_t k = 0; k < n; k++) {
        const struct versus *const v = find(p->t, p->row[duel[k].i], p->row[duel[k].j]);

        h[k] = v != NULL ? (float)((v->wins + 0.5) / (v->n + 1.0)) : 0.5f;
    }
    return PECK_OK;
}

/* What the order of its part says of an item. */
static void place_item(const struct part *p, uint32_t row, peck_place *place)
{
    const struct table *const t = p->t;

    place->item = t->item[row];
    place->rank = (size_t)p->rank[row] + 1;
    place->evidence = place->against = 0.0;
    for (size_t k = t->start[row]; k < t->start[row + 1]; k++) {
        const struct versus *const v = &t->versus[k];
        const bool is_before = p->rank[row] < p->rank[v->other];

        place->evidence += v->n;
        place->against += is_before ? v->n - v->wins : v->wins;
    }
}

static peck_status rank_part(struct part *p, uint32_t part, const peck_decode_spec *spec,
                             peck_place *place, peck_decode_info *info, peck_error *err)
{
    const uint32_t n = (uint32_t)p->t->size[part];
    const struct oracle oracle = {
        .n = n, .ask = ask, .known = known, .ctx = p, .is_symmetric = true
    };
    struct decoding out = { .order = p->order, .score = p->score };

    TRY(decode_by(spec, n < SHORT ? 1 : spec->threads, &oracle, &out, err));
    for (uint32_t k = 0; k < n; k++)
        p->rank[p->row[out.order[k]]] = k;
    for (uint32_t k = 0; k < n; k++) {
        place[k] = (peck_place){ .part = part, .score = out.score[out.order[k]] };
        place_item(p, p->row[out.order[k]], &place[k]);
    }
    info->n_questions += out.n_questions;
    info->n_distinct += out.n_distinct;
    info->n_pairs += (uint64_t)n * (n - 1) / 2;
    info->cost += out.cost;
    return PECK_OK;
}

/* all[] and item[]; begin[] says where each part begins in all[]. */
static void gather_parts(const struct part *p, size_t *begin)
{
    const struct table *const t = p->t;

    for (uint32_t part = 1; part < t->n_parts; part++)
        begin[part + 1] = begin[part] + t->size[part - 1];
    for (uint32_t row = 0; row < t->n; row++)
        p->all[begin[t->part[row] + 1]++] = row; /* which ends where the next one begins */
    for (uint32_t part = 0; part < t->n_parts; part++)
        for (size_t k = begin[part]; k < begin[part + 1]; k++)
            p->item[p->all[k]] = (uint32_t)(k - begin[part]);
}

static peck_status rank_all(const struct table *t, const peck_decode_spec *spec,
                            peck_place *place, peck_decode_info *info, peck_error *err)
{
    const size_t n = t->n;
    uint32_t *const scratch = mem_new(4 * n, sizeof *scratch);
    size_t *const begin = mem_new((size_t)t->n_parts + 1, sizeof *begin);
    struct part p = { .t = t, .score = mem_new(n, sizeof(double)) };
    peck_status st = PECK_OK;

    if (scratch == NULL || begin == NULL || p.score == NULL)
        st = fail_memory(err, "items", n, 4 * sizeof *scratch);
    else {
        p.all = scratch;
        p.item = scratch + n;
        p.rank = scratch + 2 * n;
        p.order = scratch + 3 * n;
        gather_parts(&p, begin);
    }
    for (uint32_t part = 0; st == PECK_OK && part < t->n_parts; part++) {
        p.row = p.all + begin[part];
        st = rank_part(&p, part, spec, place, info, err);
        place += t->size[part];
    }
    mem_free(scratch);
    mem_free(begin);
    mem_free(p.score);
    return st;
}

peck_status peck_decode_prefs(peck_place *place, size_t *n_places, const peck_prefs *p,
                              size_t list, const peck_decode_spec *spec,
                              peck_decode_info *info, peck_error *err)
{
    const peck_decode_spec none = { 0 };
    peck_decode_info took = { 0 };
    struct table t = { 0 };
    peck_status st = find_items(&t, p, list, err);

    *n_places = 0;
    if (st == PECK_OK)
        st = fill(&t, p, list, err);
    if (st == PECK_OK)
        st = find_parts(&t, err);
    if (st == PECK_OK)
        st = rank_all(&t, spec != NULL ? spec : &none, place, &took, err);
    if (st == PECK_OK)
        *n_places = t.n;
    if (st == PECK_OK && info != NULL)
        *info = took;
    table_free(&t);
    return st;
}
