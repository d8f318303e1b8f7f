/* train_set.c -- see train_set.h. */
#include "train_set.h"
#include "../base/alloc.h"
#include "../base/sort.h"

#include <math.h>

/* Pairs drawn a document when the user does not say how many. */
enum { DRAWN_A_DOCUMENT = 10 };

/* What concerns pairs first; methods without pairs have the rest alone. */
static const struct param set_params[] = {
    { "pairs", PARAM_CHOICE, "all", "all|adjacent|sampled",
      "pairs of a query to learn from: all whose labels differ, those of neighbouring "
      "labels, or some of all, drawn anew in every epoch",
      offsetof(struct train_set_config, pairs) },
    { "sample", PARAM_INT, "0", "[0,1000000000]",
      "pairs drawn from a query in an epoch; 0: ten a document",
      offsetof(struct train_set_config, sample) },
    { "sample_over", PARAM_INT, "2000", "[0,inf)",
      "lists of more documents than this have their pairs sampled; 0: never",
      offsetof(struct train_set_config, sample_over) },
    { "ties", PARAM_CHOICE, "0", "0|1",
      "1: documents of equal labels are pairs too, whose order is open (P = 1/2)",
      offsetof(struct train_set_config, ties) },
    { "unlabelled", PARAM_CHOICE, "0", "0|1",
      "1: documents that nobody judged count as irrelevant beside the relevant ones",
      offsetof(struct train_set_config, unlabelled) },
    { "binarise", PARAM_FLOAT, "0", "[0,inf)",
      "above 0: labels from here on become 1, the others 0",
      offsetof(struct train_set_config, binarise) },
    { 0 },
};

const struct param *train_set_params(bool has_pairs)
{
    const struct param *row = set_params;

    while (!has_pairs && row->offset != offsetof(struct train_set_config, binarise))
        row++;
    return row;
}

/* What is needed while a training set is made. */
struct train_set_maker {
    struct train_set *l;
    const struct peck_dataset *d;
    const struct train_set_config *config;
    struct sort_item *item; /* 2 max_docs */
    double *weight_before;  /* max_docs + 1 */
};

/* The order of a query -------------------------------------------------------------- */

static float label_of(const struct train_set_maker *m, size_t row)
{
    const float y = m->d->label[row];

    if (y == PECK_UNJUDGED || m->config->binarise <= 0.0)
        return y;
    return y >= m->config->binarise ? 1.0f : 0.0f;
}

/* Labels are 0 or more and PECK_UNJUDGED is below 0, so that the unjudged come last. */
static void order_query(const struct train_set_maker *m, size_t q)
{
    struct train_set *const l = m->l;
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    uint32_t n_judged = 0;

    for (uint32_t i = 0; i < n; i++) {
        m->item[i] = (struct sort_item){ key_desc((double)label_of(m, first + i)), i };
    }
    sort_items(m->item, n, m->item + n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t from = m->item[i].from;

        l->from[first + i] = from;
        l->label[first + i] = label_of(m, first + from);
        if (l->doc_weight != NULL)
            l->doc_weight[first + i] = m->d->doc_weight[first + from];
        n_judged += l->label[first + i] != PECK_UNJUDGED;
    }
    l->plan[q].n_judged = n_judged;
    l->plan[q].n_ranked = m->config->unlabelled ? (uint32_t)n : n_judged;
}

/* Pairs by label -------------------------------------------------------------------- */

/* Where the documents of the same class as i end: an unjudged one, where it takes part,
 * is of the class of label 0. */
static uint32_t class_end(const float *label, uint32_t i, uint32_t n_ranked)
{
    const float own = label[i] > 0.0f ? label[i] : 0.0f;
    uint32_t end = i + 1;

    while (end < n_ranked && (label[end] > 0.0f ? label[end] : 0.0f) == own)
        end++;
    return end;
}

static void set_runs(const struct train_set_maker *m, size_t q)
{
    struct train_set *const l = m->l;
    struct query_plan *const plan = &l->plan[q];
    const size_t first = (size_t)l->start[q];
    const float *const label = l->label + first;
    const bool is_adjacent = m->config->pairs == PAIRS_ADJACENT;
    const uint32_t n = plan->n_ranked;

    for (uint32_t at = 0, end; at < n; at = end) {
        end = class_end(label, at, n);
        const uint32_t until = is_adjacent && end < n ? class_end(label, end, n) : n;

        for (uint32_t i = at; i < end; i++) {
            l->below[first + i] = end;
            l->until[first + i] = until;
            if (l->ties_until != NULL)
                l->ties_until[first + i] = end < plan->n_judged ? end : plan->n_judged;
        }
        if (until > plan->n_judged && end < until && plan->n_open == 0)
            plan->first_open = at;
        if (until > plan->n_judged && end < until)
            plan->n_open += end - at;
    }
}

/* Pairs of document i (a place in the whole training set) among judged documents, ties
 * included. */
static uint64_t judged_pairs(const struct train_set *l, const struct query_plan *plan,
                             size_t place, uint32_t i)
{
    const uint32_t below = l->below[place], until = l->until[place];
    const uint32_t end = until < plan->n_judged ? until : plan->n_judged;
    uint64_t n = below < end ? end - below : 0;

    if (i >= plan->n_judged)
        return 0;
    if (l->ties_until != NULL)
        n += l->ties_until[place] - i - 1;
    return n;
}

static void train_set_count_pairs(const struct train_set_maker *m, size_t q)
{
    struct train_set *const l = m->l;
    struct query_plan *const plan = &l->plan[q];
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    const int64_t over = m->config->sample_over, asked = m->config->sample;
    uint64_t n_pairs = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (l->before != NULL)
            l->before[first + i] = n_pairs;
        n_pairs += judged_pairs(l, plan, first + i, i);
    }
    plan->n_judged_pairs = n_pairs;
    n_pairs += (uint64_t)plan->n_open * (plan->n_ranked - plan->n_judged);
    plan->n_all = (double)n_pairs;
    const bool is_long = over > 0 && plan->n_ranked > over;

    if (m->config->pairs != PAIRS_SAMPLED && !is_long)
        return;
    const uint64_t wanted = asked > 0 ? (uint64_t)asked : DRAWN_A_DOCUMENT * (uint64_t)n;

    plan->n_sampled = wanted < n_pairs ? wanted : 0;
    l->n_cut += m->config->pairs != PAIRS_SAMPLED && plan->n_sampled > 0;
    if (plan->n_sampled > l->max_sampled)
        l->max_sampled = (size_t)plan->n_sampled;
}

/* Scales the weights of documents so that their pairs weigh 1 on average. */
static void scale_weights(const struct train_set_maker *m, size_t q)
{
    struct train_set *const l = m->l;
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    float *const weight = l->doc_weight + first;
    double *const before = m->weight_before;
    double total = 0.0;

    before[0] = 0.0;
    for (size_t i = 0; i < n; i++)
        before[i + 1] = before[i] + (double)weight[i];
    for (size_t i = 0; i < l->plan[q].n_judged; i++) {
        const size_t place = first + i;
        double others = before[l->until[place]] - before[l->below[place]];

        if (l->ties_until != NULL)
            others += before[l->ties_until[place]] - before[i + 1];
        total += (double)weight[i] * others;
    }
    const double scale = total > 0.0 ? sqrt(l->plan[q].n_all / total) : 1.0;

    for (size_t i = 0; i < n; i++)
        weight[i] = (float)((double)weight[i] * scale);
}

/* Making ---------------------------------------------------------------------------- */

static bool train_set_reserve(struct train_set_maker *m)
{
    struct train_set *const l = m->l;
    const size_t n = l->n_docs, most = l->max_docs;
    const struct train_set_config *const c = m->config;
    const bool may_sample =
        c->pairs == PAIRS_SAMPLED || (c->sample_over > 0 && l->max_docs > c->sample_over);
    bool ok = true;

    ok = ok && (m->item = mem_new(2 * most, sizeof *m->item)) != NULL;
    ok = ok && (l->below = mem_new(n, sizeof *l->below)) != NULL;
    ok = ok && (l->until = mem_new(n, sizeof *l->until)) != NULL;
    if (c->ties)
        ok = ok && (l->ties_until = mem_new(n, sizeof *l->ties_until)) != NULL;
    if (may_sample)
        ok = ok && (l->before = mem_new(n, sizeof *l->before)) != NULL;
    if (m->d->doc_weight != NULL) {
        ok = ok && (l->doc_weight = mem_new(n, sizeof *l->doc_weight)) != NULL;
        ok = ok && (m->weight_before = mem_new(most + 1, sizeof(double))) != NULL;
    }
    return ok;
}

static void make_by_label(const struct train_set_maker *m, size_t q)
{
    order_query(m, q);
    set_runs(m, q);
    train_set_count_pairs(m, q);
    if (m->l->doc_weight != NULL)
        scale_weights(m, q);
}

static peck_status train_set_make(struct train_set_maker *m, const struct peck_prefs *prefs,
                                  peck_error *err)
{
    struct train_set *const l = m->l;

    l->plan = mem_new(l->n_queries, sizeof *l->plan);
    l->from = mem_new(l->n_docs, sizeof *l->from);
    l->label = mem_new(l->n_docs, sizeof *l->label);
    if (l->plan == NULL || l->from == NULL || l->label == NULL ||
        (prefs == NULL && !train_set_reserve(m)))
        return fail_memory(err, "the lessons of documents", l->n_docs, sizeof(uint64_t));
    if (prefs != NULL)
        TRY(train_set_from_prefs(l, m->d, prefs, err));
    for (size_t q = 0; q < l->n_queries; q++) {
        if (prefs == NULL)
            make_by_label(m, q);
        l->n_teaching += l->plan[q].n_all > 0.0;
    }
    return PECK_OK;
}

peck_status train_set_new(struct train_set **out, const struct peck_dataset *d,
                          const struct peck_prefs *prefs,
                          const struct train_set_config *config, peck_error *err)
{
    struct train_set_maker m = { .l = mem_new(1, sizeof *m.l), .d = d, .config = config };

    *out = NULL;
    if (m.l == NULL)
        return fail_memory(err, "lessons", 1, sizeof *m.l);
    m.l->n_queries = d->n_queries;
    m.l->n_docs = d->n_docs;
    m.l->start = d->start;
    m.l->weight = d->query_weight;
    for (size_t q = 0; q < d->n_queries; q++)
        if (d->start[q + 1] - d->start[q] > m.l->max_docs)
            m.l->max_docs = (uint32_t)(d->start[q + 1] - d->start[q]);
    const peck_status st = train_set_make(&m, prefs, err);

    mem_free(m.item);
    mem_free(m.weight_before);
    if (st == PECK_OK)
        *out = m.l;
    else
        train_set_free(m.l);
    return st;
}

void train_set_free(struct train_set *l)
{
    if (l == NULL)
        return;
    mem_free(l->plan);
    mem_free(l->pair);
    mem_free(l->pair_start);
    if (!l->is_listing) {
        mem_free(l->from);
        mem_free(l->label);
        mem_free(l->doc_weight);
        mem_free(l->below);
        mem_free(l->until);
        mem_free(l->ties_until);
        mem_free(l->before);
    }
    mem_free(l);
}

peck_status train_set_listing(struct train_set **out, const struct train_set *l,
                              peck_error *err)
{
    struct train_set *const t = mem_new(1, sizeof *t);

    *out = t;
    if (t == NULL)
        return fail_memory(err, "pairs", 1, sizeof *t);
    *t = *l;
    t->is_listing = true;
    t->below = t->until = t->ties_until = NULL;
    t->max_sampled = 0;
    t->pair = NULL;
    t->pair_start = mem_new(l->n_queries + 1, sizeof *t->pair_start);
    t->plan = mem_new(l->n_queries, sizeof *t->plan);
    if (t->pair_start == NULL || t->plan == NULL)
        return fail_memory(err, "pairs", l->n_queries, sizeof *t->plan);
    memcpy(t->plan, l->plan, l->n_queries * sizeof *l->plan);
    return PECK_OK;
}
