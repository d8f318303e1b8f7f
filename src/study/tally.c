/* tally.c -- see tally.h.
 *
 * Circles are counted from the sets B_i of documents that i goes before and L_i of those
 * that it goes behind, as bits: each circle i, j, k is found three times in
 *     sum over i, j in B_i of |B_j and L_i|                                          */
#include "tally.h"

#include "../base/alloc.h"
#include "../base/rng.h"

#include <math.h>

enum { CHUNK = 256, WORD = 64 };

/* One worker's own. */
struct tally_scratch {
    struct peck_scorer *scorer;
    peck_duel *duel;          /* of a row, or CHUNK */
    float *lead;              /* as many */
    uint64_t *ahead, *behind; /* [n][words] bits: B and L */
};

struct survey {
    const struct peck_dataset *data;
    uint64_t most, seed;
    struct tally_scratch *scratch; /* one a worker */
    struct tally *tally;           /* of each query */
};

/* The documents of one query. */
struct judged_docs {
    const float *label, *weight; /* weight NULL: all 1 */
    size_t n;
    double query_weight;
};

/* Whether a list of n documents has too many pairs to ask for all. */
static bool is_drawn(const struct survey *s, size_t n)
{
    return (uint64_t)n * (n - 1) / 2 > s->most;
}

/* duel.i stands before duel.j in the data. */
static void count_pair(struct tally *t, const struct judged_docs *l, peck_duel duel,
                       float lead)
{
    const float a = l->label[duel.i], b = l->label[duel.j];
    const double ahead = lead > 0.0f ? 1.0 : lead < 0.0f ? 0.0 : 0.5;

    t->n_pairs++;
    t->n_tied += lead == 0.0f;
    if (a == PECK_UNJUDGED || b == PECK_UNJUDGED || a == b)
        return;
    const double weight =
        l->query_weight *
        (l->weight != NULL ? (double)l->weight[duel.i] * (double)l->weight[duel.j] : 1.0);

    t->n_differing++;
    t->weight[a > b][1] += weight * ahead;
    t->weight[a > b][0] += weight * (1.0 - ahead);
}

/* As an oracle is asked: what cannot be compared is refused. */
static peck_status decide_duels(struct tally_scratch *scratch, size_t n, peck_error *err)
{
    const struct oracle o = scorer_oracle(scratch->scorer, NULL);

    return o.decide(o.ctx, 0, scratch->duel, n, scratch->lead, err);
}

static void set_bit(uint64_t *row, size_t i)
{
    row[i / WORD] |= (uint64_t)1 << i % WORD;
}

/* All pairs of a list, and the circles in them. */
static peck_status ask_all_pairs(struct tally_scratch *scratch, const struct judged_docs *l,
                                 struct tally *t, peck_error *err)
{
    const size_t n = l->n, words = (n + WORD - 1) / WORD;
    uint64_t *const ahead = scratch->ahead, *const behind = scratch->behind, found = 0;

    memset(ahead, 0, n * words * sizeof *ahead);
    memset(behind, 0, n * words * sizeof *behind);
    for (size_t i = 0; i + 1 < n; i++) {
        for (size_t j = i + 1; j < n; j++)
            scratch->duel[j - i - 1] = (peck_duel){ (uint32_t)i, (uint32_t)j };
        TRY(decide_duels(scratch, n - i - 1, err));
        for (size_t j = i + 1; j < n; j++) {
            const float lead = scratch->lead[j - i - 1];
            const size_t first = lead > 0.0f ? i : j, second = lead > 0.0f ? j : i;

            count_pair(t, l, scratch->duel[j - i - 1], lead);
            if (lead != 0.0f) {
                set_bit(ahead + first * words, second);
                set_bit(behind + second * words, first);
            }
        }
    }
    /* For i, for j in B_i: |B_j and L_i|. */
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < words; w++)
            for (uint64_t bits = ahead[i * words + w]; bits != 0; bits &= bits - 1) {
                const size_t j = w * WORD + (size_t)__builtin_ctzll(bits);

                for (size_t k = 0; k < words; k++)
                    found += (uint64_t)__builtin_popcountll(ahead[j * words + k] &
                                                            behind[i * words + k]);
            }
    t->n_triples = n > 2 ? (uint64_t)n * (n - 1) / 2 * (n - 2) / 3 : 0;
    t->n_circles = found / 3;
    return PECK_OK;
}

/* k different documents of n, in the order of the data. */
static void draw_docs(struct rng *r, size_t n, size_t k, uint32_t *doc)
{
    for (size_t i = 0; i < k; i++) {
        size_t at = i;
        uint32_t d = (uint32_t)rng_below(r, n - i);

        for (size_t j = 0; j < i && d >= doc[j]; j++)
            d++; /* past those that are taken */
        for (; at > 0 && doc[at - 1] > d; at--)
            doc[at] = doc[at - 1];
        doc[at] = d;
    }
}

/* So many pairs of a list, then as many triples. */
static peck_status draw_from_list(struct tally_scratch *scratch,
                                  const struct judged_docs *l, struct rng *r, uint64_t most,
                                  struct tally *t, peck_error *err)
{
    uint32_t doc[3];

    t->n_drawn = 1;
    for (uint64_t n, n_left = most; n_left > 0; n_left -= n) {
        n = n_left < CHUNK ? n_left : CHUNK;
        for (size_t k = 0; k < n; k++) {
            draw_docs(r, l->n, 2, doc);
            scratch->duel[k] = (peck_duel){ doc[0], doc[1] };
        }
        TRY(decide_duels(scratch, n, err));
        for (size_t k = 0; k < n; k++)
            count_pair(t, l, scratch->duel[k], scratch->lead[k]);
    }
    if (l->n < 3)
        return PECK_OK;
    t->n_triples = most;
    for (uint64_t n, n_left = most; n_left > 0; n_left -= n) {
        n = n_left < CHUNK / 3 ? n_left : CHUNK / 3;
        for (size_t k = 0; k < n; k++) {
            draw_docs(r, l->n, 3, doc);
            for (size_t side = 0; side < 3; side++)
                scratch->duel[3 * k + side] = (peck_duel){ doc[side], doc[(side + 1) % 3] };
        }
        TRY(decide_duels(scratch, 3 * n, err));
        for (size_t k = 0; k < n; k++) {
            const float *const lead = scratch->lead + 3 * k;

            t->n_circles += (lead[0] > 0.0f && lead[1] > 0.0f && lead[2] > 0.0f) ||
                            (lead[0] < 0.0f && lead[1] < 0.0f && lead[2] < 0.0f);
        }
    }
    return PECK_OK;
}

/* A query's own tally; a failure says which query it was. */
static peck_status tally_query(void *ctx, size_t query, int worker, peck_error *err)
{
    const struct survey *const s = ctx;
    const struct peck_dataset *const d = s->data;
    struct tally_scratch *const scratch = &s->scratch[worker];
    const size_t first = (size_t)d->start[query];
    const struct judged_docs l = {
        .label = d->label + first,
        .weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
        .n = (size_t)d->start[query + 1] - first,
        .query_weight = d->query_weight != NULL ? d->query_weight[query] : 1.0,
    };
    peck_error why = { 0 };
    struct rng r;

    peck_status st = scorer_look(scratch->scorer, dataset_rows(d, query), &why);

    if (st == PECK_OK && is_drawn(s, l.n)) {
        rng_seed(&r, s->seed, query);
        st = draw_from_list(scratch, &l, &r, s->most, &s->tally[query], &why);
    } else if (st == PECK_OK)
        st = ask_all_pairs(scratch, &l, &s->tally[query], &why);
    if (st == PECK_OK)
        return PECK_OK;
    return fail(err, st, "%.200s: query %.*s: %s", d->name,
                SPAN_ARGS(strings_get(&d->query_id, query)), why.text);
}

/* Each worker has bits for the longest list that is asked for all its pairs, 2 n^2 bits;
 * tallies are kept by query and added in their order. */
peck_status tally_dataset(struct tally *out, const struct peck_model *m,
                          const struct peck_dataset *d, uint64_t most, uint64_t seed,
                          struct pool *pool, struct watch *watch, peck_error *err)
{
    const size_t n_workers = (size_t)pool_size(pool);
    struct arena a = { 0 };
    struct peck_scorer **scorer = NULL;
    struct survey s = { .data = d, .most = most, .seed = seed };
    size_t longest = 1; /* documents of a list that is asked for all its pairs */
    peck_status st = dataset_check_features(d, model_may_miss(m), pool, err);

    *out = (struct tally){ 0 };
    for (size_t q = 0; q < d->n_queries; q++) {
        const size_t n = (size_t)(d->start[q + 1] - d->start[q]);

        longest = n > longest && !is_drawn(&s, n) ? n : longest;
    }
    const size_t n_bits = longest * ((longest + WORD - 1) / WORD);
    const size_t row = longest > CHUNK ? longest : CHUNK;

    if (st == PECK_OK) {
        s.tally = arena_new(&a, "tallies", d->n_queries, sizeof *s.tally);
        s.scratch = arena_new(&a, "tallies", n_workers, sizeof *s.scratch);
        scorer = arena_new(&a, "tallies", n_workers, sizeof *scorer);
        st = arena_check(&a, err);
    }
    if (st == PECK_OK)
        st = scorers_open(scorer, n_workers, m, 0, err);
    for (size_t i = 0; st == PECK_OK && i < n_workers; i++) {
        struct tally_scratch *const w = &s.scratch[i];

        w->duel = arena_new(&a, "the pairs of a list", row, sizeof *w->duel);
        w->lead = arena_new(&a, "the pairs of a list", row, sizeof *w->lead);
        w->ahead = arena_new(&a, "the pairs of a list", n_bits, sizeof *w->ahead);
        w->behind = arena_new(&a, "the pairs of a list", n_bits, sizeof *w->behind);
        w->scorer = scorer[i];
        st = arena_check(&a, err);
    }
    if (st == PECK_OK)
        st = watch_try(watch, pool, d->n_queries, tally_query, &s, err);
    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++) {
        const struct tally *const t = &s.tally[q];

        out->n_pairs += t->n_pairs;
        out->n_tied += t->n_tied;
        out->n_triples += t->n_triples;
        out->n_circles += t->n_circles;
        out->n_differing += t->n_differing;
        out->n_drawn += t->n_drawn;
        for (int k = 0; k < 4; k++)
            out->weight[k / 2][k % 2] += t->weight[k / 2][k % 2];
    }
    scorers_close(scorer, n_workers);
    arena_free(&a);
    return st;
}

/* What is told of them --------------------------------------------------------------- */

/* (w00 + w11) / (w00 + w01 + w10 + w11), where w is weight[is][said]. */
double tally_accuracy(const struct tally *t)
{
    const double right = t->weight[0][0] + t->weight[1][1];

    return right / (right + t->weight[0][1] + t->weight[1][0]);
}

/* Mean over the relations that occur at all. */
static double mean_of_two(const double right[2], const double of[2])
{
    double sum = 0.0;
    int n = 0;

    for (int k = 0; k < 2; k++)
        if (of[k] > 0.0) {
            sum += right[k] / of[k];
            n++;
        }
    return n > 0 ? sum / n : (double)NAN;
}

/* The mean of w00 / (w00 + w10) and w11 / (w01 + w11): of what was said, the share that is. */
double tally_precision(const struct tally *t)
{
    const double right[2] = { t->weight[0][0], t->weight[1][1] };
    const double said[2] = { t->weight[0][0] + t->weight[1][0],
                             t->weight[0][1] + t->weight[1][1] };

    return mean_of_two(right, said);
}

/* The mean of w00 / (w00 + w01) and w11 / (w10 + w11): of what is, the share that was said. */
double tally_recall(const struct tally *t)
{
    const double right[2] = { t->weight[0][0], t->weight[1][1] };
    const double are[2] = { t->weight[0][0] + t->weight[0][1],
                            t->weight[1][0] + t->weight[1][1] };

    return mean_of_two(right, are);
}
