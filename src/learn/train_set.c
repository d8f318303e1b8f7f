/* train_set.c -- see train_set.h.
 *
 * Of preferences: a document's balance is the sum of 2P - 1 over them, P the probability that
 * it goes first.  Where the preferences are all pairs of labels that differ, the balance
 * falls as the label does, so documents and pairs stand as labels would put them.      */
#include "train_set.h"
#include "../base/alloc.h"
#include "../base/rng.h"
#include "../base/sort.h"

#include <float.h>
#include <math.h>

static const char lessons[] = "the training set";

/* Pairs drawn a document when the user does not say how many. */
enum { DRAWN_A_DOCUMENT = 10 };

/* What concerns pairs first; methods without pairs have the rest alone. */
static const struct param set_params[] = {
    { "pairs", PARAM_CHOICE, "all", "all|adjacent|sampled|unit",
      "pairs of a query to learn from: all whose labels differ, those of neighbouring "
      "labels, some of all, drawn again in every epoch, or those whose labels differ by 1",
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
    { "unlabelled", PARAM_CHOICE, "0", "0|1", "1: unjudged documents count as irrelevant",
      offsetof(struct train_set_config, unlabelled) },
    { "consistent", PARAM_CHOICE | PARAM_LATE, "0", "0|1",
      "1: preferences (--pairs) that contradict each other are learnt with the nearest "
      "probabilities that hold together (see `peck posteriors`)",
      offsetof(struct train_set_config, consistent) },
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

/* From labels ------------------------------------------------------------------------- */

static float label_of(const struct peck_dataset *d, const struct train_set_config *c,
                      size_t row)
{
    const float y = d->label[row];

    return y == PECK_UNJUDGED || c->binarise <= 0.0 ? y : y >= c->binarise ? 1.0f : 0.0f;
}

/* An unjudged document, where it takes part, is of the class of label 0. */
static float class_of(float label)
{
    return label > 0.0f ? label : 0.0f;
}

/* Where the documents of the same class as i end. */
static uint32_t class_end(const float *label, uint32_t i, uint32_t n_ranked)
{
    const float own = class_of(label[i]);
    uint32_t end = i + 1;

    while (end < n_ranked && class_of(label[end]) == own)
        end++;
    return end;
}

/* Query q's documents by falling label, and the run of documents that each should precede.
 * Labels are 0 or more and PECK_UNJUDGED is below 0, so that the unjudged come last. */
static void sort_by_label(struct train_set *l, const struct peck_dataset *d,
                          const struct train_set_config *c, size_t q,
                          struct sort_item *item)
{
    struct query_plan *const plan = &l->plan[q];
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    float *const label = l->label + first;

    for (uint32_t i = 0; i < n; i++)
        item[i] = (struct sort_item){ key_desc((double)label_of(d, c, first + i)), i };
    sort_items(item, n, item + n);
    for (size_t i = 0; i < n; i++) {
        l->from[first + i] = item[i].from;
        label[i] = label_of(d, c, first + item[i].from);
        if (l->doc_weight != NULL)
            l->doc_weight[first + i] = d->doc_weight[first + item[i].from];
        plan->n_judged += label[i] != PECK_UNJUDGED;
    }
    plan->n_ranked = c->unlabelled ? (uint32_t)n : plan->n_judged;
    for (uint32_t at = 0, end; at < plan->n_ranked; at = end) {
        uint32_t until = plan->n_ranked;

        end = class_end(label, at, plan->n_ranked);
        const float next = class_of(label[at]) - 1.0f;
        uint32_t below = end;

        while (c->pairs == PAIRS_UNIT && below < plan->n_ranked &&
               class_of(label[below]) > next)
            below = class_end(label, below, plan->n_ranked);
        if (c->pairs == PAIRS_UNIT && below < plan->n_ranked &&
            class_of(label[below]) != next)
            until = below;
        else if (c->pairs != PAIRS_ALL && c->pairs != PAIRS_SAMPLED &&
                 below < plan->n_ranked)
            until = class_end(label, below, plan->n_ranked);
        for (uint32_t i = at; i < end; i++) {
            l->below[first + i] = below;
            l->until[first + i] = until;
            if (l->ties_until != NULL)
                l->ties_until[first + i] = end < plan->n_judged ? end : plan->n_judged;
        }
        if (until > plan->n_judged && below < until) {
            plan->first_open = plan->n_open == 0 ? at : plan->first_open;
            plan->n_open += end - at;
        }
    }
}

/* The pairs of query q by label, and how many of them an epoch draws. */
static void plan_pairs(struct train_set *l, const struct train_set_config *c, size_t q)
{
    struct query_plan *const plan = &l->plan[q];
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    const bool is_long = c->sample_over > 0 && plan->n_ranked > c->sample_over;
    const uint64_t wanted =
        c->sample > 0 ? (uint64_t)c->sample : DRAWN_A_DOCUMENT * (uint64_t)n;
    uint64_t n_pairs = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t below = l->below[first + i], until = l->until[first + i];
        const uint32_t end = until < plan->n_judged ? until : plan->n_judged;

        if (l->before != NULL)
            l->before[first + i] = n_pairs;
        if (i >= plan->n_judged)
            continue;
        n_pairs += below < end ? end - below : 0;
        n_pairs += l->ties_until != NULL ? l->ties_until[first + i] - i - 1 : 0;
    }
    plan->n_judged_pairs = n_pairs;
    n_pairs += (uint64_t)plan->n_open * (plan->n_ranked - plan->n_judged);
    plan->n_all = (double)n_pairs;
    if ((c->pairs != PAIRS_SAMPLED && !is_long) || wanted >= n_pairs)
        return;
    plan->n_sampled = wanted;
}

/* Scales the weights of query q's documents so that their pairs weigh 1 on average.
 * before[max_docs + 1]: scratch. */
static void scale_doc_weights(struct train_set *l, size_t q, double *before)
{
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    float *const weight = l->doc_weight + first;
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
    /* total = sum over pairs of c_i c_j; both factors of each grow alike. */
    const double scale = total > 0.0 ? sqrt(l->plan[q].n_all / total) : 1.0;

    for (size_t i = 0; i < n; i++)
        weight[i] = (float)((double)weight[i] * scale);
}

/* Queries side by side. */
struct labelling {
    struct train_set *l;
    const struct peck_dataset *d;
    const struct train_set_config *c;
    struct sort_item *item; /* 2 max_docs a worker */
    double *before;         /* max_docs + 1 a worker */
};

static void label_query(void *ctx, size_t q, int worker)
{
    const struct labelling *const job = ctx;
    const size_t most = job->l->max_docs, own = (size_t)worker;

    sort_by_label(job->l, job->d, job->c, q, job->item + 2 * most * own);
    plan_pairs(job->l, job->c, q);
    if (job->l->doc_weight != NULL)
        scale_doc_weights(job->l, q, job->before + (most + 1) * own);
}

static peck_status make_from_labels(struct train_set *l, const struct peck_dataset *d,
                                    const struct train_set_config *c, struct arena *scratch,
                                    struct pool *pool, peck_error *err)
{
    const size_t n = l->n_docs, most = l->max_docs;
    const size_t workers = pool != NULL ? (size_t)pool_size(pool) : 1;
    struct labelling job = { .l = l, .d = d, .c = c };

    job.item = arena_new(scratch, lessons, workers * 2 * most, sizeof *job.item);
    job.before = arena_new(scratch, lessons, workers * (most + 1), sizeof *job.before);
    l->below = arena_new(&l->arena, lessons, n, sizeof *l->below);
    l->until = arena_new(&l->arena, lessons, n, sizeof *l->until);
    if (c->ties)
        l->ties_until = arena_new(&l->arena, lessons, n, sizeof *l->ties_until);
    if (c->pairs == PAIRS_SAMPLED || (c->sample_over > 0 && l->max_docs > c->sample_over))
        l->before = arena_new(&l->arena, lessons, n, sizeof *l->before);
    if (d->doc_weight != NULL)
        l->doc_weight = arena_new(&l->arena, lessons, n, sizeof *l->doc_weight);
    TRY(arena_check(scratch, err));
    TRY(arena_check(&l->arena, err));
    if (pool != NULL)
        pool_run(pool, l->n_queries, label_query, &job);
    else
        for (size_t q = 0; q < l->n_queries; q++)
            label_query(&job, q, 0);
    for (size_t q = 0; q < l->n_queries; q++) {
        const uint64_t sampled = l->plan[q].n_sampled;

        l->n_cut += c->pairs != PAIRS_SAMPLED && sampled > 0;
        l->max_sampled = sampled > l->max_sampled ? (size_t)sampled : l->max_sampled;
    }
    return PECK_OK;
}

/* From preferences -------------------------------------------------------------------- */

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

/* What is needed while the preferences of a query are put in order. */
struct prefs_scratch {
    struct sort_item *item; /* two for each document or pair of a query */
    double *balance;        /* max_docs */
    uint32_t *place;        /* max_docs: in the data's order -> in the training set's */
    struct pair *pair;      /* as many as a query has */
};

/* Query q's documents by falling balance, those in no pair last; its pairs in places of
 * that order, i < j, by i and then by j, equals as in the file. */
static void sort_by_balance(struct train_set *l, size_t q, const struct prefs_scratch *m)
{
    const size_t first = (size_t)l->start[q], n = (size_t)l->start[q + 1] - first;
    struct pair *const pair = l->pair + l->pair_start[q];
    const size_t n_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]);

    for (size_t i = 0; i < n; i++)
        m->balance[i] = -DBL_MAX;
    for (size_t t = 0; t < n_pairs; t++)
        m->balance[pair[t].i] = m->balance[pair[t].j] = 0.0;
    for (size_t t = 0; t < n_pairs; t++) {
        const double lead = 2.0 * (double)pair[t].probability - 1.0;

        m->balance[pair[t].i] += lead;
        m->balance[pair[t].j] -= lead;
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
    for (uint32_t t = 0; t < n_pairs; t++) {
        const uint32_t i = m->place[pair[t].i], j = m->place[pair[t].j];
        const float p = pair[t].probability;

        m->pair[t] = i < j ? (struct pair){ i, j, p, pair[t].weight }
                           : (struct pair){ j, i, i > j ? 1.0f - p : p, pair[t].weight };
        m->item[t] = (struct sort_item){ (uint64_t)m->pair[t].i << 32 | m->pair[t].j, t };
    }
    sort_items(m->item, n_pairs, m->item + n_pairs);
    for (size_t t = 0; t < n_pairs; t++)
        pair[t] = m->pair[m->item[t].from];
}

static peck_status make_from_prefs(struct train_set *l, const struct peck_dataset *d,
                                   const struct peck_prefs *prefs, struct arena *scratch,
                                   peck_error *err)
{
    const float *const weight = d->doc_weight;
    struct prefs_scratch m;
    size_t max_pairs = 0;

    TRY(train_set_check_prefs(d, prefs, err));
    l->pair_start =
        arena_new(&l->arena, "preferences", l->n_queries + 1, sizeof *l->pair_start);
    TRY(arena_check(&l->arena, err));
    l->pair = mem_new(prefs->n, sizeof *l->pair);
    l->pair_cap = prefs->n;
    if (l->pair == NULL)
        return fail_memory(err, "preferences", prefs->n, sizeof *l->pair);
    /* pair_start[q + 1] moves from the first free place of query q to its end. */
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
    for (size_t q = 0; q < l->n_queries; q++)
        if (l->pair_start[q + 1] - l->pair_start[q] > max_pairs)
            max_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]);
    const size_t most = max_pairs > l->max_docs ? max_pairs : l->max_docs;

    m.item = arena_new(scratch, "preferences", 2 * most, sizeof *m.item);
    m.balance = arena_new(scratch, "preferences", l->max_docs, sizeof *m.balance);
    m.place = arena_new(scratch, "preferences", l->max_docs, sizeof *m.place);
    m.pair = arena_new(scratch, "preferences", max_pairs, sizeof *m.pair);
    TRY(arena_check(scratch, err));
    for (size_t q = 0; q < l->n_queries; q++) {
        train_set_scale_pairs(l, q);
        sort_by_balance(l, q, &m);
    }
    return PECK_OK;
}

/* Both -------------------------------------------------------------------------------- */

/* An empty one of so many queries and documents: what every training set has. */
static peck_status train_set_alloc(struct train_set **out, size_t n_queries, size_t n_docs,
                                   peck_error *err)
{
    struct train_set *const l = *out = mem_new(1, sizeof *l);

    if (l == NULL)
        return fail_memory(err, lessons, 1, sizeof *l);
    l->n_queries = n_queries;
    l->n_docs = n_docs;
    l->plan = arena_new(&l->arena, lessons, n_queries, sizeof *l->plan);
    l->from = arena_new(&l->arena, lessons, n_docs, sizeof *l->from);
    l->label = arena_new(&l->arena, lessons, n_docs, sizeof *l->label);
    return arena_check(&l->arena, err);
}

peck_status train_set_new(struct train_set **out, const struct peck_dataset *d,
                          const struct peck_prefs *prefs,
                          const struct train_set_config *config, peck_error *err)
{
    return train_set_new_on(NULL, out, d, prefs, config, err);
}

peck_status train_set_new_on(struct pool *pool, struct train_set **out,
                             const struct peck_dataset *d, const struct peck_prefs *prefs,
                             const struct train_set_config *config, peck_error *err)
{
    struct train_set *l;
    struct arena scratch = { 0 };
    peck_status st = train_set_alloc(&l, d->n_queries, d->n_docs, err);

    *out = NULL;
    if (st == PECK_OK) {
        l->start = d->start;
        l->weight = d->query_weight;
        for (size_t q = 0; q < d->n_queries; q++)
            if (d->start[q + 1] - d->start[q] > l->max_docs)
                l->max_docs = (uint32_t)(d->start[q + 1] - d->start[q]);
        st = prefs != NULL ? make_from_prefs(l, d, prefs, &scratch, err)
                           : make_from_labels(l, d, config, &scratch, pool, err);
    }
    arena_free(&scratch);
    if (st != PECK_OK) {
        train_set_free(l);
        return st;
    }
    for (size_t q = 0; q < l->n_queries; q++)
        l->n_teaching += l->plan[q].n_all > 0.0;
    *out = l;
    return PECK_OK;
}

peck_status train_set_new_listed(struct train_set **out, const struct train_set *of,
                                 peck_error *err)
{
    struct train_set *l;
    peck_status st = train_set_alloc(&l, of->n_queries, of->n_docs, err);

    *out = NULL;
    if (st == PECK_OK) {
        l->pair_start =
            arena_new(&l->arena, "pairs", l->n_queries + 1, sizeof *l->pair_start);
        st = arena_check(&l->arena, err);
    }
    if (st != PECK_OK) {
        train_set_free(l);
        return st;
    }
    l->max_docs = of->max_docs;
    l->start = of->start;
    l->weight = of->weight;
    memcpy(l->from, of->from, l->n_docs * sizeof *l->from);
    memcpy(l->label, of->label, l->n_docs * sizeof *l->label);
    for (size_t q = 0; q < l->n_queries; q++)
        l->plan[q] = (struct query_plan){ .n_judged = of->plan[q].n_judged,
                                          .n_ranked = of->plan[q].n_ranked };
    *out = l;
    return PECK_OK;
}

/* From the largest label down to the next one below it, and so on. */
size_t train_set_classes(const struct train_set *l)
{
    float above = HUGE_VALF;
    size_t n = 0;

    for (bool has_more = true; has_more && n < TRAIN_SET_MOST_CLASSES;) {
        float next = PECK_UNJUDGED;

        for (size_t i = 0; i < l->n_docs; i++)
            if (l->label[i] < above && l->label[i] > next)
                next = l->label[i];
        has_more = next > PECK_UNJUDGED;
        n += has_more;
        above = next;
    }
    return n;
}

void train_set_free(struct train_set *l)
{
    if (l == NULL)
        return;
    mem_free(l->pair);
    arena_free(&l->arena);
    mem_free(l);
}

/* One query --------------------------------------------------------------------------- */

peck_status query_scratch_init(struct query_scratch *scratch, const struct train_set *l,
                               const struct objective *o, peck_error *err)
{
    const size_t n_bytes = o != NULL && o->scratch != NULL ? o->scratch(l->max_docs) : 0;
    struct arena *const a = &scratch->arena;

    *scratch = (struct query_scratch){ 0 };
    scratch->rank =
        arena_new(a, "a query of documents", l->max_docs, sizeof *scratch->rank);
    scratch->bytes = arena_new(a, "a query of documents", n_bytes, 1);
    scratch->pair =
        arena_new(a, "a query of documents", l->max_sampled, sizeof *scratch->pair);
    const peck_status st = arena_check(a, err);

    if (st != PECK_OK)
        query_scratch_free(scratch);
    return st;
}

void query_scratch_free(struct query_scratch *scratch)
{
    arena_free(&scratch->arena);
    *scratch = (struct query_scratch){ 0 };
}

/* Pair number `number` of query q's pairs of judged documents.  It is of the last document
 * whose pairs begin there or before, so that those without a pair are passed over. */
static struct pair judged_pair(const struct train_set *l, size_t q, uint64_t number)
{
    const size_t first = (size_t)l->start[q];
    const uint32_t n_judged = l->plan[q].n_judged;
    uint32_t i = 0, hi = n_judged;

    while (hi - i > 1) {
        const uint32_t mid = i + (hi - i) / 2;

        if (l->before[first + mid] <= number)
            i = mid;
        else
            hi = mid;
    }
    const uint32_t below = l->below[first + i], until = l->until[first + i];
    const uint32_t end = until < n_judged ? until : n_judged;
    const uint32_t n_run = below < end ? end - below : 0;
    const uint32_t at = (uint32_t)(number - l->before[first + i]);

    if (at < n_run)
        return (struct pair){ i, below + at, 1.0f, 1.0f };
    return (struct pair){ i, i + 1 + at - n_run, 0.5f, 1.0f };
}

/* pair[n_sampled] of query q.  As many have an unjudged document as among all its pairs, but
 * at most half of them while there are others. */
static void draw_query_pairs(const struct train_set *l, size_t q, struct rng *r,
                             struct pair *pair)
{
    const struct query_plan *const plan = &l->plan[q];
    const float *const weight = l->doc_weight != NULL ? l->doc_weight + l->start[q] : NULL;
    const uint32_t n_unjudged = plan->n_ranked - plan->n_judged;
    const double n_open = plan->n_all - (double)plan->n_judged_pairs;
    const double share = plan->n_judged_pairs == 0    ? 1.0
                         : n_open > 0.5 * plan->n_all ? 0.5
                                                      : n_open / plan->n_all;
    /* The sample weighs as much as all pairs of the query. */
    const double scale = plan->n_all / (double)plan->n_sampled;

    for (uint64_t t = 0; t < plan->n_sampled; t++) {
        struct pair *const p = &pair[t];

        if (rng_uniform(r) < share)
            *p = (struct pair){ plan->first_open + (uint32_t)rng_below(r, plan->n_open),
                                plan->n_judged + (uint32_t)rng_below(r, n_unjudged), 1.0f,
                                1.0f };
        else
            *p = judged_pair(l, q, rng_below(r, plan->n_judged_pairs));
        p->weight = (float)scale;
        if (weight != NULL)
            p->weight *= weight[p->i] * weight[p->j];
    }
}

struct query_pairs train_set_query(const struct train_set *l, size_t q, uint64_t seed,
                                   uint64_t epoch, struct query_scratch *scratch)
{
    const struct query_plan *const plan = &l->plan[q];
    const size_t first = (size_t)l->start[q];
    struct query_pairs query = {
        .n = (uint32_t)(l->start[q + 1] - l->start[q]),
        .n_judged = plan->n_judged,
        .n_ranked = plan->n_ranked,
        .label = l->label + first,
        .from = l->from + first,
        .doc_weight = l->doc_weight != NULL ? l->doc_weight + first : NULL,
        .weight = l->weight != NULL ? l->weight[q] : 1.0f,
        .n_all = plan->n_all,
        .rank = scratch->rank,
        .scratch = scratch->bytes,
    };

    if (l->pair_start != NULL) {
        query.pair = l->pair + l->pair_start[q];
        query.n_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]);
    } else if (plan->n_sampled > 0) {
        struct rng r;

        rng_seed(&r, mix64(seed, epoch), q);
        draw_query_pairs(l, q, &r, scratch->pair);
        query.pair = scratch->pair;
        query.n_pairs = (size_t)plan->n_sampled;
    } else {
        query.below = l->below + first;
        query.until = l->until + first;
        query.ties_until = l->ties_until != NULL ? l->ties_until + first : NULL;
    }
    return query;
}
