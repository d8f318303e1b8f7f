/* decode_prefs.c -- a caller's preferences in, an order out: peck_decode asks a function,
 * peck_decode_prefs ranks the items of a list of preferences.
 *
 * Items that no chain of preferences connects have no order between them: each connected
 * part is ranked by itself.                                                           */
#include "bt.h"

#include "../base/spec.h"
#include "../base/pool.h"

#include <math.h>

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

struct pref_table {
    struct pair_table pairs; /* over the items of the list, by rows */
    size_t *item;            /* by row: its number in the preferences */
    struct arena arena;
};

enum { SHORT = 1000 }; /* items that are not worth a second thread */
#define NOBODY UINT32_MAX

/* The items of a list get rows as they are named, and are put together by pair. */
static peck_status fill_table(struct pref_table *t, const peck_prefs *p, size_t list,
                              peck_error *err)
{
    struct arena *const a = &t->arena;
    peck_prefs_info info;
    uint32_t n = 0;

    peck_prefs_describe(p, &info);
    uint32_t *const number = arena_new(a, "items", info.n_items, sizeof *number);

    t->item = arena_new(a, "items", info.n_items, sizeof *t->item);
    TRY(arena_check(a, err));
    for (size_t i = 0; i < info.n_items; i++)
        number[i] = NOBODY;
    for (size_t i = 0; i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);
        const size_t side[2] = { pref.winner, pref.loser };

        for (int k = 0; k < 2 && pref.list == list; k++)
            if (number[side[k]] == NOBODY) {
                number[side[k]] = n;
                t->item[n++] = side[k];
            }
    }
    const struct answers all = { .prefs = p, .list = list, .n = info.n_prefs };

    TRY(pairs_gather(&t->pairs, a, &all, number, n, err));
    return pairs_find_parts(&t->pairs, a, err);
}

struct pref_part {
    const struct pair_table *t;
    uint32_t *row;  /* of each item of the part: its row in the table */
    uint32_t *item; /* by row, of all rows: the item of its part */
};

/* Rows are in rising order, and so are the items of a part. */
static size_t known_items(void *ctx, uint32_t i, uint32_t *other)
{
    const struct pref_part *const p = ctx;
    const struct pair_table *const t = p->t;
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
    const struct pair_table *const t = p->t;

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
                   ? (float)((((double)v->weight + (double)v->lead) / 2 + 0.5) /
                             ((double)v->weight + 1.0))
                   : 0.5f;
    }
    return PECK_OK;
}

/* Decodes part after part, the largest first. */
static peck_status rank_parts(struct pref_table *table, const peck_decode_spec *spec,
                              peck_place *place, peck_decode_info *info, peck_error *err)
{
    struct arena *const a = &table->arena;
    const struct pair_table *const t = &table->pairs;
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

            *place = (peck_place){ .item = table->item[row],
                                   .part = part,
                                   .rank = (size_t)k + 1,
                                   .score = score[order[k]] };
            for (size_t i = t->start[row]; i < t->start[row + 1]; i++) {
                const struct versus *const v = &t->versus[i];

                place->evidence += v->weight;
                place->against += ((double)v->weight -
                                   (double)(k < rank[v->other] ? v->lead : -v->lead)) /
                                  2;
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

/* What the order costs by the share of wins, as for the other decoders. */
static double strengths_cost(const peck_strengths *s, uint64_t n_pairs)
{
    double sum = (double)(n_pairs - s->n_pairs) / 2; /* of pairs that nobody compared */

    for (size_t k = 0; k < s->n_pairs; k++) {
        const struct bt_pair *const p = &s->pair[k];
        const double lead = s->t[p->i] >= s->t[p->j] ? p->lead : -p->lead;

        sum += ((p->weight - lead) / 2 + 0.5) / (p->weight + 1.0);
    }
    return sum;
}

/* Every vote is in one fit; parts that nothing connects share its settings alone. */
static peck_status rank_by_strengths(const peck_prefs *p, size_t list,
                                     const peck_decode_spec *spec, peck_place *place,
                                     size_t *n_places, peck_decode_info *info,
                                     peck_error *err)
{
    const peck_strengths_spec how = { .threads = spec->threads,
                                      .progress = spec->progress,
                                      .ctx = spec->ctx };
    peck_strengths *s;

    TRY(peck_strengths_fit_prefs(&s, p, list, &how, err));
    const peck_status st = peck_strengths_places(s, place, n_places, err);

    for (size_t k = 0, first = 0; st == PECK_OK && k < *n_places; k++)
        if (k + 1 == *n_places || place[k + 1].part != place[k].part) {
            info->n_pairs += (uint64_t)(k + 1 - first) * (k - first) / 2;
            first = k + 1;
        }
    info->n_questions = s->n_pairs;
    info->cost = spec->is_costed ? strengths_cost(s, info->n_pairs) : NAN;
    peck_strengths_free(s);
    return st;
}

peck_status peck_decode_prefs(peck_place *place, size_t *n_places, const peck_prefs *p,
                              size_t list, const peck_decode_spec *spec,
                              peck_decode_info *info, peck_error *err)
{
    peck_decode_spec own;
    peck_decode_info took = { 0 };
    struct pref_table t = { 0 };
    struct decode_plan plan;

    *n_places = 0;
    TRY(SPEC_TAKE(peck_decode_spec, &own, ctx, spec, err));
    TRY(decode_plan_open(&plan, own.decoder, err));
    peck_status st;

    if (plan.decoder == &decoder_bt) {
        st = rank_by_strengths(p, list, &own, place, n_places, &took, err);
    } else {
        st = fill_table(&t, p, list, err);
        if (st == PECK_OK)
            st = rank_parts(&t, &own, place, &took, err);
        if (st == PECK_OK)
            *n_places = t.pairs.n;
    }
    if (st == PECK_OK && info != NULL)
        *info = took;
    arena_free(&t.arena);
    return st;
}
