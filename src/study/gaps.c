/* gaps.c -- where an ordered list falls into classes.
 *
 * Between neighbours of an order the ranker's output r = s_i - s_(i+1) peaks where the
 * class of the documents changes, so the labels' boundaries show without labels; of a
 * comparator r is what it says of the two.  Thresholds on the score itself are a classifier
 * for all lists.
 * Köppel et al., "Pairwise learning to rank by neural networks revisited", 2019, 5.3. */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../base/status.h"
#include "../data/dataset.h"
#include "../model/model.h"

#include <math.h>

/* Larger than both neighbours; of two equal neighbours the first is. */
static bool is_top(const double *gap, size_t n_gaps, size_t i)
{
    return gap[i] > 0 && (i == 0 || gap[i] > gap[i - 1]) &&
           (i + 1 == n_gaps || gap[i] >= gap[i + 1]);
}

void peck_gaps(const double *score, const uint32_t *order, size_t n, double *gap,
               unsigned char *is_peak)
{
    for (size_t i = 0; i + 1 < n; i++)
        gap[i] = score[order[i]] - score[order[i + 1]];
    if (is_peak != NULL)
        peck_peaks(gap, n, is_peak);
}

void peck_peaks(const double *gap, size_t n, unsigned char *is_peak)
{
    double sum = 0;

    for (size_t i = 0; i + 1 < n; i++)
        sum += gap[i];
    for (size_t i = 0; i + 1 < n; i++)
        is_peak[i] = is_top(gap, n - 1, i) && gap[i] >= 2 * sum / (double)(n - 1);
}

/* What a model says of neighbours --------------------------------------------------- */

/* What is needed for a list, at its longest. */
struct gap_scratch {
    struct arena arena;
    uint32_t *order;
    double *own; /* the model's scores */
    peck_duel *duel;
    float (*out)[2];
};

static peck_status gap_scratch_open(struct gap_scratch *g, size_t longest, peck_error *err)
{
    const char *const what = "the gaps of a list";

    *g = (struct gap_scratch){ 0 };
    g->order = arena_new(&g->arena, what, longest, sizeof *g->order);
    g->own = arena_new(&g->arena, what, longest, sizeof *g->own);
    g->duel = arena_new(&g->arena, what, longest, sizeof *g->duel);
    g->out = arena_new(&g->arena, what, longest, sizeof *g->out);
    return arena_check(&g->arena, err);
}

/* gap[n - 1] of a query's documents in the order of score[n]. */
static peck_status gaps_of_query(struct peck_scorer *s, struct rows docs,
                                 const double *score, struct gap_scratch *g, double *gap,
                                 peck_error *err)
{
    TRY(peck_order(score, docs.n, g->order, err));
    if (!model_compares(scorer_model(s))) {
        TRY(scorer_run_wide(s, docs, g->own, err));
        peck_gaps(g->own, g->order, docs.n, gap, NULL);
        return PECK_OK;
    }
    TRY(scorer_look(s, docs, err));
    for (size_t i = 0; i + 1 < docs.n; i++)
        g->duel[i] = (peck_duel){ g->order[i], g->order[i + 1] };
    scorer_duels(s, g->duel, docs.n - 1, g->out);
    for (size_t i = 0; i + 1 < docs.n; i++) {
        gap[i] = (double)g->out[i][0] - (double)g->out[i][1];
        if (isnan(gap[i]))
            return refuse_document(g->order[i], err);
    }
    return PECK_OK;
}

peck_status peck_model_gaps(const peck_model *m, const peck_dataset *d, const double *score,
                            double *gap, peck_error *err)
{
    struct peck_dataset *fit = NULL;
    struct peck_scorer *s = NULL;
    struct gap_scratch g = { 0 };
    struct pool *pool = NULL;
    peck_status st = peck_dataset_match(&fit, d, m, NULL, NULL, err);

    if (st == PECK_OK)
        st = pool_new(&pool, 1, err);
    if (st == PECK_OK)
        st = dataset_check_features(fit, model_may_miss(m), pool, err);
    if (st == PECK_OK)
        st = gap_scratch_open(&g, dataset_longest_query(fit), err);
    if (st == PECK_OK)
        st = peck_scorer_new(&s, m, err);
    for (size_t q = 0; st == PECK_OK && q < fit->n_queries; q++) {
        const size_t first = (size_t)fit->start[q], n = dataset_query_size(fit, q);

        if (n > 1)
            st =
                gaps_of_query(s, dataset_rows(fit, q), score + first, &g, gap + first, err);
        if (n > 0)
            gap[first + n - 1] = (double)NAN;
    }
    peck_scorer_free(s);
    arena_free(&g.arena);
    pool_free(pool);
    peck_dataset_free(fit);
    return st;
}

/* Classes --------------------------------------------------------------------------- */

/* Cuts, each a 1 in cut_after[n_gaps], at the largest gaps that are larger than both
 * neighbours, so that one boundary is not cut twice; then at the largest of the others. */
static void cut_at(const double *gap, const uint32_t *order, size_t n_gaps, size_t n_cuts,
                   uint32_t *cut_after)
{
    for (int want_top = 1; want_top >= 0; want_top--)
        for (size_t k = 0; k < n_gaps && n_cuts > 0; k++)
            if (is_top(gap, n_gaps, order[k]) == want_top) {
                cut_after[order[k]] = 1;
                n_cuts--;
            }
}

/* class_at[i] = 1 + the number of cuts before place i: counted from 1, the best first. */
peck_status peck_classes(const double *gap, size_t n, size_t n_classes, uint32_t *class_at,
                         peck_error *err)
{
    const size_t n_gaps = n > 0 ? n - 1 : 0;

    if (n_classes < 1)
        return fail(err, PECK_ARG, "a list cannot be cut into 0 classes");
    if (n_gaps > UINT32_MAX - 1)
        return fail(err, PECK_ARG, "a list of %zu documents is too long", n);
    uint32_t *const order = mem_new(n_gaps, sizeof *order);
    struct sort_item *const scratch = mem_new(2 * n_gaps, sizeof *scratch);
    peck_status st = PECK_OK;

    if (order == NULL || scratch == NULL) {
        st = fail_memory(err, "the list's gaps", n_gaps, 2 * sizeof *scratch);
    } else if (n > 0) {
        order_desc(gap, (uint32_t)n_gaps, order, scratch);
        for (size_t i = 0; i < n; i++)
            class_at[i] = 0;
        class_at[0] = 1;
        cut_at(gap, order, n_gaps, n_classes - 1, class_at + 1);
        for (size_t i = 1; i < n; i++)
            class_at[i] += class_at[i - 1];
    }
    mem_free(order);
    mem_free(scratch);
    return st;
}

/* Thresholds ------------------------------------------------------------------------ */

/* A cut of a list: the score in its middle, and the gap that it is made at. */
struct list_cut {
    double score, gap;
};

/* The score at which half of what all n cuts weigh lies above; they are sorted in place. */
static peck_status median_cut(struct list_cut *cut, size_t n, double *median,
                              peck_error *err)
{
    struct arena a = { 0 };
    double *const score = arena_new(&a, "thresholds", n, sizeof *score);
    uint32_t *const order = arena_new(&a, "thresholds", n, sizeof *order);
    struct sort_item *const room = arena_new(&a, "thresholds", 2 * n, sizeof *room);
    const peck_status st = arena_check(&a, err);
    double all = 0.0, above = 0.0;

    *median = -HUGE_VAL;
    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        score[i] = cut[i].score;
        all += cut[i].gap;
    }
    if (st == PECK_OK)
        order_desc(score, (uint32_t)n, order, room);
    for (size_t i = 0; st == PECK_OK && i < n && above < all / 2; i++) {
        above += cut[order[i]].gap;
        *median = score[order[i]];
    }
    arena_free(&a);
    return st;
}

/* cut[k n_queries + i]: cut k of list i; a list of fewer cuts has none. */
static peck_status thresholds_by_gaps(const peck_dataset *d, const double *score,
                                      size_t n_classes, double *threshold, peck_error *err)
{
    const size_t longest = dataset_longest_query(d), n_cuts = n_classes - 1;
    struct arena a = { 0 };
    uint32_t *const order = arena_new(&a, "thresholds", longest, sizeof *order);
    uint32_t *const class_at = arena_new(&a, "thresholds", longest, sizeof *class_at);
    double *const gap = arena_new(&a, "thresholds", longest, sizeof *gap);
    struct list_cut *const cut =
        arena_new(&a, "thresholds", d->n_queries, n_cuts * sizeof *cut);
    peck_status st = arena_check(&a, err);

    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++) {
        const size_t n = dataset_query_size(d, q);
        const double *const s = score + d->start[q];

        st = peck_order(s, n, order, err);
        if (st != PECK_OK)
            break;
        peck_gaps(s, order, n, gap, NULL);
        st = peck_classes(gap, n, n_classes, class_at, err);
        for (size_t i = 0; st == PECK_OK && i + 1 < n; i++)
            if (class_at[i] != class_at[i + 1])
                cut[(class_at[i] - 1) * d->n_queries + q] =
                    (struct list_cut){ s[order[i]] - gap[i] / 2, gap[i] };
    }
    for (size_t k = 0; st == PECK_OK && k < n_cuts; k++)
        st = median_cut(cut + k * d->n_queries, d->n_queries, &threshold[k], err);
    /* Medians of cuts that lists have in order may still be out of it. */
    for (size_t k = 1; st == PECK_OK && k < n_cuts; k++)
        if (threshold[k] > threshold[k - 1])
            threshold[k] = threshold[k - 1];
    arena_free(&a);
    return st;
}

/* Judged documents by falling score, and the class of each, from 0. */
struct classed_docs {
    struct arena arena;
    size_t n;
    double *score;
    uint32_t *class_of;
};

/* The classes are the labels, the largest first; PECK_ARG where they are not so many. */
static peck_status judged_open(struct classed_docs *j, const peck_dataset *d,
                               const double *score, size_t n_classes, peck_error *err)
{
    struct arena *const a = &j->arena;
    const size_t n = d->n_docs;
    double *const key = arena_new(a, "thresholds", n, sizeof *key);
    uint32_t *const order = arena_new(a, "thresholds", n, sizeof *order);
    uint32_t *const class_of = arena_new(a, "thresholds", n, sizeof *class_of);
    struct sort_item *const room = arena_new(a, "thresholds", 2 * n, sizeof *room);
    size_t n_known = 0;

    j->score = arena_new(a, "thresholds", n, sizeof *j->score);
    j->class_of = arena_new(a, "thresholds", n, sizeof *j->class_of);
    TRY(arena_check(a, err));
    if (n > UINT32_MAX - 1)
        return fail(err, PECK_ARG, "%s: %zu documents are too many", d->name, n);
    for (size_t i = 0; i < n; i++)
        key[i] = (double)d->label[i];
    order_desc(key, (uint32_t)n, order, room);
    for (size_t i = 0; i < n && key[order[i]] != (double)PECK_UNJUDGED; i++) {
        n_known += i == 0 || key[order[i]] != key[order[i - 1]];
        class_of[order[i]] = (uint32_t)(n_known - 1);
    }
    if (n_known < 2)
        return fail(err, PECK_ARG,
                    "%s: thresholds part labels, and %zu is all that there are; give data "
                    "of two labels or more",
                    d->name, n_known);
    if (n_known != n_classes)
        return fail(err, PECK_ARG, "%s: there are %zu labels, not %zu: say %zu classes",
                    d->name, n_known, n_classes, n_known);
    order_desc(score, (uint32_t)n, order, room);
    for (size_t i = 0; i < n; i++)
        if (d->label[order[i]] != PECK_UNJUDGED) {
            j->score[j->n] = score[order[i]];
            j->class_of[j->n++] = class_of[order[i]];
        }
    return PECK_OK;
}

/* right[k]: the most of the first i documents that are in their class when document i is of
 * class k; came[i n_classes + k]: whether class k begins with i there.  Classes begin where
 * the score falls, so that equal scores are of one class, and may be empty. */
static peck_status thresholds_by_labels(const peck_dataset *d, const double *score,
                                        size_t n_classes, double *threshold,
                                        peck_error *err)
{
    struct classed_docs j = { 0 };
    peck_status st = judged_open(&j, d, score, n_classes, err);
    const size_t n = j.n;
    size_t *const right = arena_new(&j.arena, "thresholds", n_classes, sizeof *right);
    unsigned char *const came = arena_new(&j.arena, "thresholds", n, n_classes);

    if (st == PECK_OK)
        st = arena_check(&j.arena, err);
    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        const bool may_begin = i > 0 && j.score[i] < j.score[i - 1];

        for (size_t k = 1; k < n_classes && may_begin; k++)
            if (right[k - 1] > right[k]) {
                right[k] = right[k - 1];
                came[i * n_classes + k] = 1;
            }
        right[j.class_of[i]]++;
    }
    size_t k = 0;

    for (size_t c = 1; st == PECK_OK && c < n_classes; c++)
        k = right[c] > right[k] ? c : k;
    for (size_t c = k; st == PECK_OK && c + 1 < n_classes; c++)
        threshold[c] = -HUGE_VAL; /* nobody is of the classes behind */
    for (size_t i = n; st == PECK_OK && i-- > 0;)
        for (; came[i * n_classes + k]; k--)
            threshold[k - 1] = (j.score[i - 1] + j.score[i]) / 2;
    while (st == PECK_OK && k > 0)
        threshold[--k] = HUGE_VAL; /* nor of those before the first that has somebody */
    arena_free(&j.arena);
    return st;
}

peck_status peck_thresholds(const peck_dataset *d, const double *score, size_t n_classes,
                            int by_labels, double *threshold, peck_error *err)
{
    if (n_classes < 2)
        return fail(err, PECK_ARG, "thresholds separate two classes or more, not %zu",
                    n_classes);
    return (by_labels ? thresholds_by_labels : thresholds_by_gaps)(d, score, n_classes,
                                                                   threshold, err);
}
