/* ranking.c -- puts the documents of one query in order and lays out what metrics read.
 *
 * One sort by score and one by label serve every metric.  Nothing here can fail: all
 * memory was taken by ranking_scratch_open.                                              */
#include "ranking.h"

#include "../base/alloc.h"
#include "../base/rng.h"

#include <math.h>

peck_status ranking_scratch_open(struct ranking_scratch *d, size_t longest, peck_error *err)
{
    enum { DOUBLES = 9, ITEMS = 2, INDICES = 4 };
    /* One more of each: pairs_count wants n_grades + 1 places. */
    const size_t n = longest + 1;
    const size_t size = DOUBLES * sizeof(double) + ITEMS * sizeof(struct sort_item) +
                        INDICES * sizeof(uint32_t) + sizeof(bool);

    d->block = mem_new(n, size);
    if (d->block == NULL)
        return fail_memory(err, "judging the longest query", n, size);
    double *const at = d->block;

    d->score = at;
    d->label = at + n;
    d->weight = at + 2 * n;
    d->gain = at + 3 * n;
    d->dcg = at + 4 * n;
    d->ideal = at + 5 * n;
    d->tree = at + 6 * n;
    d->seen = at + 7 * n;
    d->level = at + 8 * n;
    d->item = (struct sort_item *)(void *)(at + DOUBLES * n);
    d->kept = (uint32_t *)(void *)(d->item + ITEMS * n);
    d->order = d->kept + n;
    d->spare = d->kept + 2 * n;
    d->grade = d->kept + 3 * n;
    d->relevant = (bool *)(void *)(d->kept + INDICES * n);
    return PECK_OK;
}

void ranking_scratch_close(struct ranking_scratch *d)
{
    mem_free(d->block);
    *d = (struct ranking_scratch){ 0 };
}

/* Ties ---------------------------------------------------------------------------- */

/* order[0 .. n) of one score, lowest or highest label first; equal labels as they are. */
static void order_by_label(struct ranking_scratch *d, const float *label, uint32_t *order,
                           uint32_t n, bool lowest_first)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t key = key_desc((double)label[d->kept[order[i]]]);

        d->item[i] = (struct sort_item){ lowest_first ? ~key : key, order[i] };
    }
    sort_items(d->item, n, d->item + n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = d->item[i].from;
}

/* Bytewise, as strcmp; a beginning comes before what it begins. */
static int compare_spans(peck_span a, peck_span b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    const int first = n > 0 ? memcmp(a.s, b.s, n) : 0;

    return first != 0 ? first : (a.n > b.n) - (a.n < b.n);
}

/* order[0 .. n) by falling id; a stable merge sort.  Document i of the query is string
 * first + i. */
static void order_by_id(struct ranking_scratch *d, const struct strings *id, uint64_t first,
                        uint32_t *order, uint32_t n)
{
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            const uint32_t mid = n - lo > width ? lo + width : n;
            const uint32_t hi = n - mid > width ? mid + width : n;
            uint32_t i = lo, j = mid;

            for (uint32_t k = lo; k < hi; k++) {
                const bool is_left =
                    j >= hi ||
                    (i < mid &&
                     compare_spans(strings_get(id, first + d->kept[order[i]]),
                                   strings_get(id, first + d->kept[order[j]])) >= 0);

                d->spare[k] = is_left ? order[i++] : order[j++];
            }
        }
        memcpy(order, d->spare, n * sizeof *order);
    }
}

/* Puts every run of equal scores in the order that the convention asks for. */
static void break_ties(struct ranking_scratch *d, const struct judge_context *context,
                       size_t query, uint32_t n)
{
    const struct scored_docs *const x = context->scored_docs;
    const uint64_t first = x->start[query];
    const bool has_ids = x->doc_id != NULL && x->doc_id->n > 0;
    struct rng rng;

    rng_seed(&rng, context->seed, query);
    for (uint32_t lo = 0, hi; lo < n; lo = hi) {
        uint32_t *const run = d->order + lo;

        for (hi = lo + 1; hi < n && d->score[d->order[hi]] == d->score[*run];)
            hi++;
        const uint32_t len = hi - lo;

        if (len == 1)
            continue;
        if (context->convention->ties == TIES_RANDOM)
            rng_shuffle(&rng, run, len);
        else if (context->convention->ties != TIES_DOCID)
            order_by_label(d, x->label + first, run, len,
                           context->convention->ties == TIES_WORST);
        else if (has_ids)
            order_by_id(d, x->doc_id, first, run, len);
    }
}

/* The list ------------------------------------------------------------------------ */

/* Which documents take part, with their scores; how many of them are judged. */
static uint32_t keep_documents(struct ranking_scratch *d,
                               const struct judge_context *context, size_t query,
                               uint32_t *n_judged)
{
    const struct scored_docs *const x = context->scored_docs;
    const uint64_t first = x->start[query];
    const uint32_t size = (uint32_t)(x->start[query + 1] - first);
    uint32_t n = 0, judged = 0;

    for (uint32_t i = 0; i < size; i++) {
        const bool is_judged = x->label[first + i] >= 0.0f;

        judged += is_judged;
        if (is_judged || context->convention->unjudged == UNJUDGED_ZERO) {
            d->kept[n] = i;
            d->score[n++] = x->score[first + i];
        }
    }
    *n_judged = judged;
    return n;
}

/* Labels, weights and relevance in the list's order; score[] follows suit, through the
 * memory of ideal[]. */
static void lay_out(struct ranking *r, struct ranking_scratch *d,
                    const struct judge_context *context, size_t query)
{
    const struct scored_docs *const x = context->scored_docs;
    const struct convention *const c = context->convention;

    for (uint32_t i = 0; i < r->n_all; i++) {
        const uint32_t from = d->order[i];
        const uint64_t row = x->start[query] + d->kept[from];
        const double y = (double)x->label[row];

        d->ideal[i] = d->score[from];
        d->label[i] = y < 0.0 ? 0.0 : convention_label(c, y);
        d->weight[i] = x->doc_weight != NULL ? (double)x->doc_weight[row] : 1.0;
        d->relevant[i] = y >= 0.0 && convention_relevant(c, d->label[i]);
        if (d->relevant[i]) {
            r->n_relevant++;
            r->relevant_weight += d->weight[i];
        }
        r->n += !isinf(d->score[from]);
    }
    memcpy(d->score, d->ideal, r->n_all * sizeof *d->score);
}

/* Labels and gains ---------------------------------------------------------------- */

static bool is_small(double label)
{
    return label < SMALL_LABELS && label == (double)(int)label;
}

/* order[] becomes the documents by falling label: by counting where labels are small
 * whole numbers, as they mostly are. */
static void order_labels(struct ranking_scratch *d, uint32_t n)
{
    uint32_t at[SMALL_LABELS + 1] = { 0 };
    bool all_small = true;

    for (uint32_t i = 0; i < n && all_small; i++) {
        all_small = is_small(d->label[i]);
        if (all_small)
            at[SMALL_LABELS - 1 - (int)d->label[i] + 1]++;
    }
    if (!all_small) {
        order_desc(d->label, n, d->order, d->item);
        return;
    }
    for (int y = 0; y < SMALL_LABELS; y++)
        at[y + 1] += at[y];
    for (uint32_t i = 0; i < n; i++)
        d->order[at[SMALL_LABELS - 1 - (int)d->label[i]]++] = i;
}

/* grade[]: 0 for the largest label, and so on down; returns how many there are. */
static uint32_t grade_labels(struct ranking_scratch *d, uint32_t n)
{
    uint32_t grade = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && d->label[d->order[i]] != d->label[d->order[i - 1]])
            grade++;
        d->grade[d->order[i]] = grade;
    }
    return grade + 1;
}

/* Turns gains in some order into running sums of what their ranks keep of them. */
static void discount(double *sum, const double *gain, const double *share, uint32_t n)
{
    double total = 0.0;

    for (uint32_t i = 0; i < n; i++)
        sum[i] = total += gain[i] * share[i];
}

/* ideal[]: falling labels mean falling gains, unless weights or a table say otherwise. */
static void sum_gains(struct ranking *r, struct ranking_scratch *d,
                      const struct judge_context *context)
{
    bool falls = true;

    for (uint32_t i = 0; i < r->n_all; i++) {
        const double y = d->label[i];

        d->gain[i] = d->weight[i] * (is_small(y) ? context->gain[(int)y]
                                                 : convention_gain(r->convention, y));
    }
    discount(d->dcg, d->gain, context->discount, r->n);
    for (uint32_t i = 0; i < r->n_all; i++) {
        d->ideal[i] = d->gain[d->order[i]];
        falls = falls && (i == 0 || d->ideal[i] <= d->ideal[i - 1]);
    }
    if (!falls) {
        order_desc(d->gain, r->n_all, d->spare, d->item);
        for (uint32_t i = 0; i < r->n_all; i++)
            d->ideal[i] = d->gain[d->spare[i]];
    }
    discount(d->ideal, d->ideal, context->discount, r->n_all);
}

bool ranking_build(struct ranking *r, struct ranking_scratch *d,
                   const struct judge_context *context, size_t query)
{
    uint32_t n_judged;
    const uint32_t n_all = keep_documents(d, context, query, &n_judged);

    *r = (struct ranking){ .convention = context->convention,
                           .n_all = n_all,
                           .label = d->label,
                           .relevant = d->relevant,
                           .weight = d->weight,
                           .dcg = d->dcg,
                           .ideal = d->ideal,
                           .top_grade = context->top_grade };
    if (n_judged == 0)
        return false;
    order_desc(d->score, n_all, d->order, d->item);
    if (context->convention->ties != TIES_INPUT)
        break_ties(d, context, query, n_all);
    lay_out(r, d, context, query);
    if (context->needs & (NEEDS_DCG | NEEDS_PAIRS))
        order_labels(d, n_all);
    if (context->needs & NEEDS_DCG)
        sum_gains(r, d, context);
    if (context->needs & NEEDS_PAIRS)
        r->pairs = pairs_count(d->score, d->grade, d->weight, n_all, grade_labels(d, n_all),
                               d->tree, d->seen, d->level);
    return true;
}
