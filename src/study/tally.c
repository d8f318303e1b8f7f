/* tally.c -- see tally.h.
 *
 * Circles are counted from the sets B_i of documents that i goes before and L_i of those
 * that it goes behind, as bits: each circle i, j, k is found three times in
 *     sum over i, j in B_i of |B_j and L_i|                                          */
#include "tally.h"

#include "../flow/query_error.h"

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
    struct tally_scratch *scratch;
    struct query_error *error;
    size_t n_workers;
    struct tally *tally; /* of each query */
};

/* The documents of one query. */
struct list {
    const float *label, *weight; /* weight NULL: all 1 */
    size_t n;
    double own_weight;
};

static struct list list_of(const struct peck_dataset *d, size_t query)
{
    const size_t first = (size_t)d->start[query];

    return (struct list){ .label = d->label + first,
                          .weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
                          .n = (size_t)d->start[query + 1] - first,
                          .own_weight =
                              d->query_weight != NULL ? d->query_weight[query] : 1.0 };
}

static bool is_drawn(const struct survey *s, size_t n)
{
    return (uint64_t)n * (n - 1) / 2 > s->most;
}

/* Pairs ----------------------------------------------------------------------------- */

/* duel.i stands before duel.j in the data. */
static void count_pair(struct tally *t, const struct list *l, peck_duel duel, float lead)
{
    const float a = l->label[duel.i], b = l->label[duel.j];
    const double ahead = lead > 0.0f ? 1.0 : lead < 0.0f ? 0.0 : 0.5;

    t->n_pairs++;
    t->n_tied += lead == 0.0f;
    if (a == PECK_UNJUDGED || b == PECK_UNJUDGED || a == b)
        return;
    const double weight =
        l->own_weight *
        (l->weight != NULL ? (double)l->weight[duel.i] * (double)l->weight[duel.j] : 1.0);

    t->n_differing++;
    t->weight[a > b][1] += weight * ahead;
    t->weight[a > b][0] += weight * (1.0 - ahead);
}

/* As an oracle is asked: what cannot be compared is refused. */
static peck_status decide(struct tally_scratch *scratch, size_t n, peck_error *err)
{
    const struct oracle o = scorer_oracle(scratch->scorer);

    return o.decide(o.ctx, 0, scratch->duel, n, scratch->lead, err);
}

/* All of them ------------------------------------------------------------------------ */

static void set_bit(uint64_t *row, size_t i)
{
    row[i / WORD] |= (uint64_t)1 << i % WORD;
}

static peck_status ask_all(struct tally_scratch *scratch, const struct list *l,
                           struct tally *t, peck_error *err)
{
    const size_t words = (l->n + WORD - 1) / WORD;

    memset(scratch->ahead, 0, l->n * words * sizeof *scratch->ahead);
    memset(scratch->behind, 0, l->n * words * sizeof *scratch->behind);
    for (size_t i = 0; i + 1 < l->n; i++) {
        for (size_t j = i + 1; j < l->n; j++)
            scratch->duel[j - i - 1] = (peck_duel){ (uint32_t)i, (uint32_t)j };
        TRY(decide(scratch, l->n - i - 1, err));
        for (size_t j = i + 1; j < l->n; j++) {
            const float lead = scratch->lead[j - i - 1];
            const size_t first = lead > 0.0f ? i : j, second = lead > 0.0f ? j : i;

            count_pair(t, l, scratch->duel[j - i - 1], lead);
            if (lead != 0.0f) {
                set_bit(scratch->ahead + first * words, second);
                set_bit(scratch->behind + second * words, first);
            }
        }
    }
    return PECK_OK;
}

static uint64_t shared_bits(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t n = 0;

    for (size_t w = 0; w < words; w++)
        n += (uint64_t)__builtin_popcountll(a[w] & b[w]);
    return n;
}

static uint64_t count_circles(const struct tally_scratch *scratch, size_t n)
{
    const size_t words = (n + WORD - 1) / WORD;
    uint64_t found = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < words; w++)
            for (uint64_t bits = scratch->ahead[i * words + w]; bits != 0;
                 bits &= bits - 1) {
                const size_t j = w * WORD + (size_t)__builtin_ctzll(bits);

                found += shared_bits(scratch->ahead + j * words,
                                     scratch->behind + i * words, words);
            }
    return found / 3;
}

/* Some of them ----------------------------------------------------------------------- */

/* k different documents of n, in the order of the data. */
static void draw(struct rng *r, size_t n, size_t k, uint32_t *doc)
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

static peck_status draw_pairs(struct tally_scratch *scratch, const struct list *l,
                              struct rng *r, uint64_t n_left, struct tally *t,
                              peck_error *err)
{
    for (size_t n; n_left > 0; n_left -= n) {
        n = n_left < CHUNK ? (size_t)n_left : CHUNK;
        for (size_t k = 0; k < n; k++) {
            uint32_t doc[2];

            draw(r, l->n, 2, doc);
            scratch->duel[k] = (peck_duel){ doc[0], doc[1] };
        }
        TRY(decide(scratch, n, err));
        for (size_t k = 0; k < n; k++)
            count_pair(t, l, scratch->duel[k], scratch->lead[k]);
    }
    return PECK_OK;
}

static peck_status draw_triples(struct tally_scratch *scratch, const struct list *l,
                                struct rng *r, uint64_t n_left, struct tally *t,
                                peck_error *err)
{
    t->n_triples = n_left;
    for (size_t n; n_left > 0; n_left -= n) {
        n = n_left < CHUNK / 3 ? (size_t)n_left : CHUNK / 3;
        for (size_t k = 0; k < n; k++) {
            uint32_t doc[3];

            draw(r, l->n, 3, doc);
            for (size_t side = 0; side < 3; side++)
                scratch->duel[3 * k + side] = (peck_duel){ doc[side], doc[(side + 1) % 3] };
        }
        TRY(decide(scratch, 3 * n, err));
        for (size_t k = 0; k < n; k++) {
            const float *const lead = scratch->lead + 3 * k;

            t->n_circles += (lead[0] > 0.0f && lead[1] > 0.0f && lead[2] > 0.0f) ||
                            (lead[0] < 0.0f && lead[1] < 0.0f && lead[2] < 0.0f);
        }
    }
    return PECK_OK;
}

/* One list --------------------------------------------------------------------------- */

static peck_status tally_list(const struct survey *s, struct tally_scratch *scratch,
                              size_t query, struct tally *t, peck_error *err)
{
    const struct list l = list_of(s->data, query);
    struct rng r;

    TRY(scorer_look(scratch->scorer, dataset_rows(s->data, query), err));
    if (is_drawn(s, l.n)) {
        rng_seed(&r, s->seed, query);
        t->n_drawn = 1;
        TRY(draw_pairs(scratch, &l, &r, s->most, t, err));
        return l.n > 2 ? draw_triples(scratch, &l, &r, s->most, t, err) : PECK_OK;
    }
    TRY(ask_all(scratch, &l, t, err));
    t->n_triples = l.n > 2 ? (uint64_t)l.n * (l.n - 1) / 2 * (l.n - 2) / 3 : 0;
    t->n_circles = count_circles(scratch, l.n);
    return PECK_OK;
}

static void tally_query(void *ctx, size_t query, int worker)
{
    const struct survey *const s = ctx;
    peck_error why;

    if (!query_error_is_past(&s->error[worker], query) &&
        tally_list(s, &s->scratch[worker], query, &s->tally[query], &why) != PECK_OK)
        query_error_keep(&s->error[worker], query, &why);
}

/* All lists -------------------------------------------------------------------------- */

/* Documents of the longest list that is asked for all its pairs. */
static size_t longest_asked(const struct survey *s)
{
    size_t longest = 1;

    for (size_t q = 0; q < s->data->n_queries; q++) {
        const size_t n = (size_t)(s->data->start[q + 1] - s->data->start[q]);

        longest = n > longest && !is_drawn(s, n) ? n : longest;
    }
    return longest;
}

static peck_status survey_open(struct survey *s, const struct peck_model *m,
                               size_t n_workers, peck_error *err)
{
    const size_t n = longest_asked(s), words = (n + WORD - 1) / WORD;
    const size_t row = n > CHUNK ? n : CHUNK;

    s->tally = mem_new(s->data->n_queries, sizeof *s->tally);
    s->scratch = mem_new(n_workers, sizeof *s->scratch);
    s->error = mem_new(n_workers, sizeof *s->error);
    if (s->tally == NULL || s->scratch == NULL || s->error == NULL)
        return fail_memory(err, "tallies", s->data->n_queries, sizeof *s->tally);
    s->n_workers = n_workers;
    TRY(model_prepare(m, n_workers, err));
    for (size_t i = 0; i < n_workers; i++) {
        struct tally_scratch *const d = &s->scratch[i];

        TRY(peck_scorer_new(&d->scorer, m, err));
        d->duel = mem_new(row, sizeof *d->duel);
        d->lead = mem_new(row, sizeof *d->lead);
        d->ahead = mem_new(n * words, sizeof *d->ahead);
        d->behind = mem_new(n * words, sizeof *d->behind);
        if (!d->duel || !d->lead || !d->ahead || !d->behind)
            return fail_memory(err, "the pairs of a list", n * words, 2 * sizeof *d->ahead);
    }
    return PECK_OK;
}

static void survey_close(struct survey *s)
{
    for (size_t i = 0; i < s->n_workers; i++) {
        struct tally_scratch *const d = &s->scratch[i];

        peck_scorer_free(d->scorer);
        mem_free(d->duel);
        mem_free(d->lead);
        mem_free(d->ahead);
        mem_free(d->behind);
    }
    mem_free(s->scratch);
    mem_free(s->error);
    mem_free(s->tally);
}

static void add(struct tally *to, const struct tally *t)
{
    to->n_pairs += t->n_pairs;
    to->n_tied += t->n_tied;
    to->n_triples += t->n_triples;
    to->n_circles += t->n_circles;
    to->n_differing += t->n_differing;
    to->n_drawn += t->n_drawn;
    for (int k = 0; k < 4; k++)
        to->weight[k / 2][k % 2] += t->weight[k / 2][k % 2];
}

peck_status tally_dataset(struct tally *out, const struct peck_model *m,
                          const struct peck_dataset *d, uint64_t most, uint64_t seed,
                          struct pool *pool, peck_error *err)
{
    struct survey s = { .data = d, .most = most, .seed = seed };
    peck_status st = dataset_check_features(d, model_may_miss(m), pool, err);

    *out = (struct tally){ 0 };
    if (st == PECK_OK)
        st = survey_open(&s, m, (size_t)pool_size(pool), err);
    if (st == PECK_OK) {
        pool_run(pool, d->n_queries, tally_query, &s);
        st = query_error_tell(s.error, s.n_workers, d, err);
    }
    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++)
        add(out, &s.tally[q]);
    survey_close(&s);
    return st;
}

/* What is told of them --------------------------------------------------------------- */

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

double tally_precision(const struct tally *t)
{
    const double right[2] = { t->weight[0][0], t->weight[1][1] };
    const double said[2] = { t->weight[0][0] + t->weight[1][0],
                             t->weight[0][1] + t->weight[1][1] };

    return mean_of_two(right, said);
}

double tally_recall(const struct tally *t)
{
    const double right[2] = { t->weight[0][0], t->weight[1][1] };
    const double are[2] = { t->weight[0][0] + t->weight[0][1],
                            t->weight[1][0] + t->weight[1][1] };

    return mean_of_two(right, are);
}
