/* decode_prefs.c -- a caller's preferences in, an order out: peck_decode asks a function,
 * peck_decode_prefs ranks the items of a list of preferences.
 *
 * Items that no chain of preferences connects have no order between them: each connected
 * part is ranked by itself.                                                           */
#include "decode.h"

#include "../base/spec.h"
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../base/pool.h"

/* Runs the decoder that spec names, on so many threads. */
static peck_status decode_by(const peck_decode_spec *spec, int threads,
                             const struct oracle *oracle, struct decoding *out,
                             peck_error *err)
{
    struct decode_plan plan;
    struct decode_call call = { .plan = &plan,
                                .oracle = oracle,
                                .seed = spec->seed,
                                .budget = spec->budget,
                                .is_costed = spec->is_costed != 0,
                                .is_cached = spec->is_cached != 0 };

    TRY(decode_plan_open(&plan, spec->decoder, err));
    peck_status st = pool_new(&call.pool, threads, err);

    if (st == PECK_OK)
        st = decode_run(&call, out, err);
    pool_free(call.pool);
    return st;
}

/* A function is asked ---------------------------------------------------------------------- */

struct caller {
    peck_ask *ask;
    void *ctx;
};

static peck_status ask_caller(void *ctx, int worker, const peck_duel *duel, size_t n,
                              float *h, peck_error *err)
{
    const struct caller *const c = ctx;

    (void)worker;
    if (c->ask(c->ctx, duel, n, h) != 0)
        return fail(err, PECK_STOPPED, "stopped by the one who was asked");
    return PECK_OK;
}

peck_status peck_decode(uint32_t *order, double *score, size_t n, peck_ask *asked,
                        void *ctx, const peck_decode_spec *spec, peck_decode_info *info,
                        peck_error *err)
{
    peck_decode_spec how;

    TRY(SPEC_TAKE(peck_decode_spec, &how, ctx, spec, err));
    struct caller caller = { asked, ctx };
    const struct oracle oracle = { .n = (uint32_t)n,
                                   .ask = ask_caller,
                                   .ctx = &caller,
                                   .is_symmetric = how.is_symmetric != 0 };

    if (n > INT32_MAX)
        return fail(err, PECK_ARG, "%zu items; at most %d can be ordered", n, INT32_MAX);
    double *const own = score == NULL ? mem_new(n, sizeof *own) : NULL;
    struct decoding out = { .order = order, .score = score != NULL ? score : own };

    if (out.score == NULL)
        return fail_memory(err, "scores", n, sizeof *own);
    const peck_status st =
        decode_by(&how, how.threads == 0 ? 1 : how.threads, &oracle, &out, err);

    if (st == PECK_OK && info != NULL)
        *info = (peck_decode_info){ out.n_questions, out.n_distinct,
                                    n < 2 ? 0 : (uint64_t)n * (n - 1) / 2, out.cost };
    mem_free(own);
    return st;
}

/* A list is ranked ------------------------------------------------------------------------- */

/* What is known of an item against another. */
struct versus {
    uint32_t other;
    double wins, n; /* weights */
};

struct pref_table {
    uint32_t n;            /* items of the list */
    size_t *item;          /* n: their numbers in the preferences */
    uint32_t *number;      /* of every item of the preferences: its place in item[] */
    size_t *start;         /* n + 1: row i is versus[start[i] .. start[i + 1]) */
    struct versus *versus; /* by row and rising `other` */
    uint32_t *part;        /* n: of each item; the largest part is 0 */
    uint32_t n_parts;
    size_t *size; /* n_parts */
    struct arena arena;
};

enum { SHORT = 1000 }; /* items that are not worth a second thread */
#define NOBODY UINT32_MAX

/* Gives an item the next row, unless it has one. */
static void enlist_item(struct pref_table *t, size_t item)
{
    if (t->number[item] == NOBODY) {
        t->number[item] = t->n;
        t->item[t->n++] = item;
    }
}

/* Who and against whom: both sides of every preference, by row and other, equal pairs put
 * together. */
static peck_status fill_table(struct pref_table *t, const peck_prefs *p, size_t list,
                              peck_error *err)
{
    struct arena *const a = &t->arena;
    peck_prefs_info info;
    size_t n_loose = 0, at = 0, n = 0;

    peck_prefs_describe(p, &info);
    t->item = arena_new(a, "items", info.n_items, sizeof *t->item);
    t->number = arena_new(a, "items", info.n_items, sizeof *t->number);
    TRY(arena_check(a, err));
    for (size_t i = 0; i < info.n_items; i++)
        t->number[i] = NOBODY;
    for (size_t i = 0; i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);

        if (pref.list != list)
            continue;
        enlist_item(t, pref.winner);
        enlist_item(t, pref.loser);
        n_loose += 2;
    }
    if (n_loose > UINT32_MAX)
        return fail(err, PECK_ARG, "%zu preferences in one list; at most %u can be ranked",
                    n_loose / 2, UINT32_MAX / 2);
    struct sort_item *const key = arena_new(a, "preferences", 2 * n_loose, sizeof *key);
    struct versus *const loose = arena_new(a, "preferences", n_loose, sizeof *loose);

    t->start = arena_new(a, "preferences", (size_t)t->n + 1, sizeof *t->start);
    t->versus = arena_new(a, "preferences", n_loose, sizeof *t->versus);
    TRY(arena_check(a, err));
    for (size_t k = 0; k < info.n_prefs; k++) {
        const peck_pref pref = peck_prefs_at(p, k);

        if (pref.list != list)
            continue;
        const uint64_t i = t->number[pref.winner], j = t->number[pref.loser];
        const double weight = pref.weight, wins = weight * (double)pref.probability;

        loose[at] = (struct versus){ (uint32_t)j, wins, weight };
        key[at] = (struct sort_item){ i << 32 | j, (uint32_t)at };
        at++;
        loose[at] = (struct versus){ (uint32_t)i, weight - wins, weight };
        key[at] = (struct sort_item){ j << 32 | i, (uint32_t)at };
        at++;
    }
    /* Every item is in some preference: no row is empty, and each start[] gets set. */
    sort_items(key, n_loose, key + n_loose);
    for (size_t k = 0; k < n_loose; k++) {
        const struct versus *const v = &loose[key[k].from];

        if (k > 0 && key[k].key == key[k - 1].key) {
            t->versus[n - 1].wins += v->wins;
            t->versus[n - 1].n += v->n;
        } else {
            t->versus[n++] = *v;
            t->start[(key[k].key >> 32) + 1] = n;
        }
    }
    return PECK_OK;
}

/* Everybody who can be reached from an item belongs to its part.  The largest part becomes 0;
 * equal ones by who is named first. */
static peck_status find_parts(struct pref_table *t, peck_error *err)
{
    struct arena *const a = &t->arena;
    uint32_t *const stack = arena_new(a, "items", t->n, sizeof *stack), *const rank = stack;
    struct sort_item *const by_size =
        arena_new(a, "items", 2 * (size_t)t->n, sizeof *by_size);

    t->part = arena_new(a, "items", t->n, sizeof *t->part);
    t->size = arena_new(a, "items", t->n, sizeof *t->size);
    TRY(arena_check(a, err));
    for (uint32_t i = 0; i < t->n; i++)
        t->part[i] = NOBODY;
    for (uint32_t first = 0; first < t->n; first++) {
        size_t n = 0;

        if (t->part[first] != NOBODY)
            continue;
        t->part[first] = t->n_parts;
        t->size[t->n_parts] = 1;
        stack[n++] = first;
        while (n > 0) {
            const uint32_t i = stack[--n];

            for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
                const uint32_t j = t->versus[k].other;

                if (t->part[j] != NOBODY)
                    continue;
                t->part[j] = t->n_parts;
                t->size[t->n_parts]++;
                stack[n++] = j;
            }
        }
        t->n_parts++;
    }
    for (uint32_t k = 0; k < t->n_parts; k++)
        by_size[k] = (struct sort_item){ ~(uint64_t)t->size[k], k };
    sort_items(by_size, t->n_parts, by_size + t->n_parts);
    for (uint32_t k = 0; k < t->n_parts; k++) {
        rank[by_size[k].from] = k;
        t->size[k] = (size_t)~by_size[k].key;
    }
    for (uint32_t i = 0; i < t->n; i++)
        t->part[i] = rank[t->part[i]];
    return PECK_OK;
}

struct pref_part {
    const struct pref_table *t;
    uint32_t *row;  /* of each item of the part: its row in the table */
    uint32_t *item; /* by row, of all rows: the item of its part */
};

/* Rows are in rising order, and so are the items of a part. */
static size_t known_items(void *ctx, uint32_t i, uint32_t *other)
{
    const struct pref_part *const p = ctx;
    const struct pref_table *const t = p->t;
    const uint32_t row = p->row[i];
    size_t n = 0;

    for (size_t k = t->start[row]; k < t->start[row + 1] && t->versus[k].other < row; k++)
        other[n++] = p->item[t->versus[k].other];
    return n;
}

/* A pair nobody compared is even; others by the share of wins, drawn half a vote to even. */
static peck_status ask_table(void *ctx, int worker, const peck_duel *duel, size_t n,
                             float *h, peck_error *err)
{
    const struct pref_part *const p = ctx;
    const struct pref_table *const t = p->t;

    (void)worker, (void)err;
    for (size_t k = 0; k < n; k++) {
        const uint32_t i = p->row[duel[k].i], j = p->row[duel[k].j];
        size_t low = t->start[i], high = t->start[i + 1];

        while (low < high) {
            const size_t mid = low + (high - low) / 2;

            if (t->versus[mid].other < j)
                low = mid + 1;
            else
                high = mid;
        }
        const struct versus *const v = &t->versus[low];

        h[k] = low < t->start[i + 1] && v->other == j
                   ? (float)((v->wins + 0.5) / (v->n + 1.0))
                   : 0.5f;
    }
    return PECK_OK;
}

/* Decodes part after part, the largest first. */
static peck_status rank_parts(struct pref_table *t, const peck_decode_spec *spec,
                              peck_place *place, peck_decode_info *info, peck_error *err)
{
    struct arena *const a = &t->arena;
    /* Rows of the table, part after part, rising within one; where each part begins. */
    uint32_t *const all = arena_new(a, "items", t->n, sizeof *all);
    size_t *const begin = arena_new(a, "items", (size_t)t->n_parts + 1, sizeof *begin);
    uint32_t *const rank = arena_new(a, "items", t->n, sizeof *rank); /* by row */
    uint32_t *const order = arena_new(a, "items", t->n, sizeof *order);
    double *const score = arena_new(a, "items", t->n, sizeof *score);
    struct pref_part p = { .t = t, .item = arena_new(a, "items", t->n, sizeof *p.item) };
    struct watch watch = { .progress = spec->progress, .ctx = spec->ctx };

    TRY(arena_check(a, err));
    for (uint32_t part = 1; part < t->n_parts; part++)
        begin[part + 1] = begin[part] + t->size[part - 1];
    for (uint32_t row = 0; row < t->n; row++)
        all[begin[t->part[row] + 1]++] = row; /* which ends where the next one begins */
    for (uint32_t part = 0; part < t->n_parts; part++) {
        const uint32_t n = (uint32_t)t->size[part];
        const struct oracle oracle = {
            .n = n, .ask = ask_table, .known = known_items, .ctx = &p, .is_symmetric = true
        };

        struct decoding out = { .order = order, .score = score };

        p.row = all + begin[part];
        for (uint32_t k = 0; k < n; k++)
            p.item[p.row[k]] = k;
        TRY(decode_by(spec, n < SHORT ? 1 : spec->threads, &oracle, &out, err));
        for (uint32_t k = 0; k < n; k++)
            rank[p.row[order[k]]] = k;
        for (uint32_t k = 0; k < n; k++, place++) {
            const uint32_t row = p.row[order[k]];

            *place = (peck_place){ .item = t->item[row],
                                   .part = part,
                                   .rank = (size_t)k + 1,
                                   .score = score[order[k]] };
            for (size_t i = t->start[row]; i < t->start[row + 1]; i++) {
                const struct versus *const v = &t->versus[i];

                place->evidence += v->n;
                place->against += k < rank[v->other] ? v->n - v->wins : v->wins;
            }
        }
        info->n_questions += out.n_questions;
        info->n_distinct += out.n_distinct;
        info->n_pairs += (uint64_t)n * (n - 1) / 2;
        info->cost += out.cost;
        TRY(watch_step(&watch, part + 1, t->n_parts, err));
    }
    return PECK_OK;
}

peck_status peck_decode_prefs(peck_place *place, size_t *n_places, const peck_prefs *p,
                              size_t list, const peck_decode_spec *spec,
                              peck_decode_info *info, peck_error *err)
{
    peck_decode_spec own;
    peck_decode_info took = { 0 };
    struct pref_table t = { 0 };

    *n_places = 0;
    TRY(SPEC_TAKE(peck_decode_spec, &own, ctx, spec, err));
    peck_status st = fill_table(&t, p, list, err);

    if (st == PECK_OK)
        st = find_parts(&t, err);
    if (st == PECK_OK)
        st = rank_parts(&t, &own, place, &took, err);
    if (st == PECK_OK)
        *n_places = t.n;
    if (st == PECK_OK && info != NULL)
        *info = took;
    arena_free(&t.arena);
    return st;
}
