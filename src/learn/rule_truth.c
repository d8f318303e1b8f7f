/* rule_truth.c -- see rule_truth.h. */
#include "rule_truth.h"
#include "learner.h"

#include "../base/alloc.h"
#include "../base/sort.h"

enum {
    N_ORDERS = 8,       /* drawn a query, by the labels and by chance */
    MOST_QUERIES = 500, /* looked at, at equal distances */
    ENOUGH = 10         /* queries, to call a rule false */
};

#define DOUBTFUL 0.8 /* times as often broken as by chance */
#define SHOWN \
    0.1 /* of a query that chance breaks: less, and labels cannot do much better */
#define APART 40.0 /* distance of two scores, so that soft positions are whole ones */

/* What a query's orders are drawn and judged with; arrays of max_docs or n_rules. */
struct truth_scratch {
    uint32_t *drawn, *order, *position;
    double *label, *weight, *phi;
    real *score, *slope;
    struct sort_item *items;
    void *penalty;
};

static peck_status truth_scratch_new(struct truth_scratch *t, struct arena *a,
                                     const struct bound *bound, size_t n, size_t n_rules,
                                     peck_error *err)
{
    const char *const what = "rules beside labels";

    *t = (struct truth_scratch){
        .drawn = arena_new(a, what, n, sizeof(uint32_t)),
        .order = arena_new(a, what, n, sizeof(uint32_t)),
        .position = arena_new(a, what, n, sizeof(uint32_t)),
        .label = arena_new(a, what, n, sizeof(double)),
        .weight = arena_new(a, what, n_rules, sizeof(double)),
        .phi = arena_new(a, what, n_rules, sizeof(double)),
        .score = arena_new(a, what, n, sizeof(real)),
        .slope = arena_new(a, what, n, sizeof(real)),
        .items = arena_new(a, what, 2 * n, sizeof(struct sort_item)),
        .penalty = arena_new(a, what, penalty_scratch(bound, n), 1),
    };
    return arena_check(a, err);
}

static bool has_choice(const struct peck_dataset *d, size_t q)
{
    const float *const label = dataset_labels(d, q);
    float low = FLT_MAX, high = -1.0f;

    for (size_t i = 0; i < dataset_query_size(d, q); i++)
        if (label[i] != PECK_UNJUDGED) {
            low = label[i] < low ? label[i] : low;
            high = label[i] > high ? label[i] : high;
        }
    return low < high;
}

/* t->position: t->drawn as it is, or by falling label; documents without one come last. */
static void put_in_order(struct truth_scratch *t, const float *label, uint32_t n,
                         bool by_label)
{
    for (uint32_t i = 0; i < n; i++) {
        const float own = label[t->drawn[i]];

        t->label[i] = own == PECK_UNJUDGED ? -1.0 : (double)own;
        t->order[i] = i;
    }
    if (by_label)
        order_desc(t->label, n, t->order, t->items);
    for (uint32_t i = 0; i < n; i++)
        t->position[t->drawn[t->order[i]]] = i;
}

/* How far the order at hand breaks each rule: t->phi, of rules whose weight is 1. */
static void find_penalties(struct truth_scratch *t, const struct bound *bound,
                           const struct scene *scene, double steepness)
{
    for (size_t i = 0; i < scene->docs.n; i++) {
        t->score[i] = (real)(-APART / steepness * (double)t->position[i]);
        t->slope[i] = 0;
    }
    (void)penalty_add(bound, scene, t->weight, t->score, t->slope, t->phi, t->penalty);
}

/* One query: N_ORDERS orders by the labels, as many by chance. */
static void judge_query(struct rule_truth *truth, const struct peck_rules *r,
                        const struct bound *bound, const struct scene *scene,
                        const float *label, struct rng *rng, struct truth_scratch *t)
{
    const size_t n_rules = rules_count(r);
    const uint32_t n = (uint32_t)scene->docs.n;
    double steepness = 1.0;

    for (size_t i = 0; i < n_rules; i++) {
        const struct rule_config *const c = rules_config(r, i);
        const bool is_mean = c->all == ALL_MEAN;

        t->weight[i] = is_mean && rules_speak_of(bound, i, scene) ? 1.0 : 0.0;
        steepness = is_mean && c->alpha < steepness ? c->alpha : steepness;
    }
    for (uint32_t i = 0; i < n; i++)
        t->drawn[i] = i;
    for (size_t i = 0; i < n_rules; i++) {
        double far[2] = { 0.0, 0.0 }, least = 1.0;
        size_t n_broken = 0;

        if (!rules_speak_of(bound, i, scene))
            continue;
        for (size_t k = 0; k < 2 * N_ORDERS; k++) {
            const bool by_label = k % 2 == 0;

            if (by_label)
                rng_shuffle(rng, t->drawn, n);
            put_in_order(t, label, n, by_label);
            const double broken = rules_hold(bound, i, scene, t->position) ? 0.0 : 1.0;
            double now = broken;

            if (t->weight[i] > 0.0) {
                find_penalties(t, bound, scene, steepness);
                now = t->phi[i];
            }
            least = now < least ? now : least;
            far[by_label] += now / N_ORDERS;
            n_broken += by_label && broken > 0.0;
            truth[i].by_chance += by_label ? 0.0 : broken / N_ORDERS;
        }
        truth[i].broken += far[true] - least;
        truth[i].broken_by_chance += far[false] - least;
        truth[i].n_spoken++;
        truth[i].n_broken += 2 * n_broken > N_ORDERS;
    }
}

peck_status rule_truth_add(struct rule_truth *truth, const struct peck_rules *r,
                           const struct peck_dataset *d, uint64_t seed, peck_error *err)
{
    const size_t step = d->n_queries / MOST_QUERIES + 1;
    struct arena a = { 0 };
    struct bound *bound = NULL;
    struct truth_scratch t;
    size_t max_docs = 1;

    for (size_t q = 0; q < d->n_queries; q++)
        max_docs =
            dataset_query_size(d, q) > max_docs ? dataset_query_size(d, q) : max_docs;
    TRY(rules_bind(&bound, r, &d->feature_name, d->dim, err));
    const peck_status st = truth_scratch_new(&t, &a, bound, max_docs, rules_count(r), err);

    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q += step) {
        const struct scene scene = { .docs = dataset_rows(d, q),
                                     .id = dataset_query_id(d, q) };
        peck_error unused;
        struct rng rng;

        if (!has_choice(d, q) || rules_check_scene(bound, &scene, &unused) != PECK_OK)
            continue;
        rng_seed(&rng, mix64(seed, STREAM_PAIRS), q);
        judge_query(truth, r, bound, &scene, dataset_labels(d, q), &rng, &t);
    }
    bound_free(bound);
    arena_free(&a);
    return st;
}

bool rule_truth_is_doubtful(const struct rule_truth *t)
{
    return t->n_broken >= 2 && 10 * t->n_broken > t->n_spoken &&
           t->broken >= DOUBTFUL * t->broken_by_chance;
}

bool rule_truth_is_false(const struct rule_truth *t)
{
    return rule_truth_is_doubtful(t) && t->n_spoken >= ENOUGH &&
           t->broken_by_chance > SHOWN * (double)t->n_spoken;
}
