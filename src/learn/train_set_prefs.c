/* train_set_prefs.c -- a training set from preferences instead of labels.  See train_set.h.
 *
 * A document's balance is the sum of 2P - 1 over its preferences, P the probability that
 * it goes first.  Where the preferences are all pairs of labels that differ, the balance
 * falls as the label does, so documents and pairs stand as labels would put them.      */
#include "train_set.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <float.h>

/* What is needed while preferences are put in order. */
struct prefs_maker {
    struct train_set *l;
    const struct peck_dataset *d;
    size_t max_pairs;       /* of a query */
    struct sort_item *item; /* two for each document or pair of a query */
    double *balance;        /* max_docs */
    uint32_t *place;        /* max_docs: in the data's order -> in the training set's */
    struct pair *pair;      /* max_pairs */
};

static bool is_of_query(const struct peck_dataset *d, size_t q, size_t row)
{
    return row >= d->start[q] && row < d->start[q + 1];
}

peck_status train_set_check_prefs(const struct peck_dataset *d,
                                  const struct peck_prefs *prefs, peck_error *err)
{
    for (size_t i = 0; i < prefs->n; i++) {
        const peck_pref *const p = &prefs->pref[i];

        if (p->list >= d->n_queries || !is_of_query(d, p->list, p->winner) ||
            !is_of_query(d, p->list, p->loser))
            return fail(err, PECK_SHAPE,
                        "preference %zu is not about documents of one query of this "
                        "dataset; read the preferences together with it",
                        i + 1);
    }
    return PECK_OK;
}

/* pair[], by query, in the order of the file; pair_start[q + 1] moves from the first free
 * place of query q to its end. */
static void place_pairs(const struct prefs_maker *m, const struct peck_prefs *prefs)
{
    struct train_set *const l = m->l;
    const float *const weight = m->d->doc_weight;

    for (size_t i = 0; i < prefs->n; i++)
        if (prefs->pref[i].list + 2 <= l->n_queries)
            l->pair_start[prefs->pref[i].list + 2]++;
    for (size_t q = 2; q <= l->n_queries; q++)
        l->pair_start[q] += l->pair_start[q - 1];
    for (size_t i = 0; i < prefs->n; i++) {
        const peck_pref *const p = &prefs->pref[i];
        const double docs =
            weight != NULL ? (double)weight[p->winner] * (double)weight[p->loser] : 1.0;

        l->pair[l->pair_start[p->list + 1]++] =
            (struct pair){ (uint32_t)(p->winner - l->start[p->list]),
                           (uint32_t)(p->loser - l->start[p->list]), p->probability,
                           (float)((double)p->weight * docs) };
    }
}

void train_set_scale_pairs(struct train_set *l, size_t q)
{
    struct pair *const pair = l->pair + l->pair_start[q];
    const size_t n = (size_t)(l->pair_start[q + 1] - l->pair_start[q]);
    double total = 0.0;

    for (size_t i = 0; i < n; i++)
        total += (double)pair[i].weight;
    for (size_t i = 0; total > 0.0 && i < n; i++)
        pair[i].weight = (float)((double)pair[i].weight * (double)n / total);
    l->plan[q].n_all = total > 0.0 ? (double)n : 0.0;
}

/* Documents by falling balance, those in no pair last. */
static void order_docs(const struct prefs_maker *m, size_t q)
{
    struct train_set *const l = m->l;
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;

    for (size_t i = 0; i < n; i++)
        m->balance[i] = -DBL_MAX;
    for (uint64_t t = l->pair_start[q]; t < l->pair_start[q + 1]; t++)
        m->balance[l->pair[t].i] = m->balance[l->pair[t].j] = 0.0;
    for (uint64_t t = l->pair_start[q]; t < l->pair_start[q + 1]; t++) {
        const double lead = 2.0 * (double)l->pair[t].probability - 1.0;

        m->balance[l->pair[t].i] += lead;
        m->balance[l->pair[t].j] -= lead;
    }
    for (uint32_t i = 0; i < n; i++)
        m->item[i] = (struct sort_item){ key_desc(m->balance[i]), i };
    sort_items(m->item, n, m->item + n);
    for (uint32_t i = 0; i < n; i++) {
        l->from[first + i] = m->item[i].from;
        l->label[first + i] = PECK_UNJUDGED;
        m->place[m->item[i].from] = i;
    }
    l->plan[q].n_ranked = (uint32_t)n;
}

/* Pairs in places of the training set, i < j, by i and then by j, equals as in the file. */
static void order_pairs(const struct prefs_maker *m, size_t q)
{
    struct pair *const pair = m->l->pair + m->l->pair_start[q];
    const size_t n = (size_t)(m->l->pair_start[q + 1] - m->l->pair_start[q]);

    for (uint32_t t = 0; t < n; t++) {
        const uint32_t i = m->place[pair[t].i], j = m->place[pair[t].j];
        const uint32_t lo = i < j ? i : j, hi = i < j ? j : i;

        m->pair[t] = pair[t];
        m->pair[t].i = lo;
        m->pair[t].j = hi;
        if (i > j)
            m->pair[t].probability = 1.0f - pair[t].probability;
        m->item[t] = (struct sort_item){ (uint64_t)lo << 32 | hi, t };
    }
    sort_items(m->item, n, m->item + n);
    for (size_t t = 0; t < n; t++)
        pair[t] = m->pair[m->item[t].from];
}

static bool train_set_prefs_reserve(struct prefs_maker *m)
{
    const size_t most = m->max_pairs > m->l->max_docs ? m->max_pairs : m->l->max_docs;

    m->item = mem_new(2 * most, sizeof *m->item);
    m->balance = mem_new(m->l->max_docs, sizeof *m->balance);
    m->place = mem_new(m->l->max_docs, sizeof *m->place);
    m->pair = mem_new(m->max_pairs, sizeof *m->pair);
    return m->item != NULL && m->balance != NULL && m->place != NULL && m->pair != NULL;
}

static peck_status train_set_prefs_make(struct prefs_maker *m,
                                        const struct peck_prefs *prefs, peck_error *err)
{
    struct train_set *const l = m->l;

    l->pair = mem_new(prefs->n, sizeof *l->pair);
    l->pair_start = mem_new(l->n_queries + 1, sizeof *l->pair_start);
    if (l->pair == NULL || l->pair_start == NULL)
        return fail_memory(err, "preferences", prefs->n, sizeof *l->pair);
    place_pairs(m, prefs);
    for (size_t q = 0; q < l->n_queries; q++)
        if (l->pair_start[q + 1] - l->pair_start[q] > m->max_pairs)
            m->max_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]);
    if (!train_set_prefs_reserve(m))
        return fail_memory(err, "preferences", m->max_pairs, 2 * sizeof *m->item);
    for (size_t q = 0; q < l->n_queries; q++) {
        train_set_scale_pairs(l, q);
        order_docs(m, q);
        order_pairs(m, q);
    }
    return PECK_OK;
}

peck_status train_set_from_prefs(struct train_set *l, const struct peck_dataset *d,
                                 const struct peck_prefs *prefs, peck_error *err)
{
    struct prefs_maker m = { .l = l, .d = d };

    TRY(train_set_check_prefs(d, prefs, err));
    const peck_status st = train_set_prefs_make(&m, prefs, err);

    mem_free(m.item);
    mem_free(m.balance);
    mem_free(m.place);
    mem_free(m.pair);
    return st;
}
