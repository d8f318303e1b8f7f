/* summary.c -- list lengths and labels; the features are in summary_features.c. */
#include "summary.h"

#include "../base/alloc.h"
#include "../base/sort.h"

/* The value at `share` of a rising list: linear between the two nearest. */
static double quantile(const struct sort_item *item, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t lo = (size_t)at, hi = lo + 1 < n ? lo + 1 : lo;
    const double a = (double)item[lo].key, b = (double)item[hi].key;

    return a + (at - (double)lo) * (b - a);
}

static peck_status measure_lists(struct summary *s, const struct peck_dataset *d,
                                 peck_error *err)
{
    struct sort_item *const item = mem_new(2 * d->n_queries, sizeof *item);

    if (item == NULL)
        return fail_memory(err, d->name, 2 * d->n_queries, sizeof *item);
    for (size_t q = 0; q < d->n_queries; q++) {
        item[q].key = d->start[q + 1] - d->start[q];
        s->n_short += item[q].key < SUMMARY_SHORT_LIST;
    }
    sort_items(item, d->n_queries, item + d->n_queries);
    s->shortest = item[0].key;
    s->longest = item[d->n_queries - 1].key;
    s->median_length = quantile(item, d->n_queries, 0.5);
    s->mean_length = (double)d->n_docs / (double)d->n_queries;
    mem_free(item);
    return PECK_OK;
}

static void judge_query(struct summary *s, const float *label, size_t n)
{
    float lo = PECK_UNJUDGED, hi = PECK_UNJUDGED;

    for (size_t i = 0; i < n; i++) {
        if (label[i] == PECK_UNJUDGED)
            continue;
        lo = lo == PECK_UNJUDGED || label[i] < lo ? label[i] : lo;
        hi = label[i] > hi ? label[i] : hi;
    }
    s->n_unjudged_queries += hi == PECK_UNJUDGED;
    s->n_irrelevant += hi == 0.0f;
    s->n_single_label += hi != PECK_UNJUDGED && lo == hi;
}

/* Puts a label that was not seen before in its place. */
static bool insert_label(struct summary *s, size_t at, float label)
{
    if (s->n_labels == SUMMARY_LABELS)
        return false;
    for (size_t i = s->n_labels; i > at; i--) {
        s->label[i] = s->label[i - 1];
        s->label_count[i] = s->label_count[i - 1];
    }
    s->label[at] = label;
    s->label_count[at] = 0;
    s->n_labels++;
    return true;
}

/* Counts every distinct label; n_labels is 0 when there are too many. */
static void count_labels(struct summary *s, const float *label, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;

        if (label[i] == PECK_UNJUDGED)
            continue;
        while (at < s->n_labels && s->label[at] < label[i])
            at++;
        if ((at == s->n_labels || s->label[at] != label[i]) &&
            !insert_label(s, at, label[i])) {
            s->n_labels = 0;
            return;
        }
        s->label_count[at]++;
    }
}

/* Labels are not negative, so their bits rise as they do. */
static peck_status rank_labels(struct summary *s, const struct peck_dataset *d,
                               peck_error *err)
{
    struct sort_item *const item = mem_new(2 * d->n_judged, sizeof *item);
    size_t n = 0;

    if (item == NULL)
        return fail_memory(err, d->name, 2 * d->n_judged, sizeof *item);
    for (size_t i = 0; i < d->n_docs; i++) {
        const float label = d->label[i] + 0.0f; /* -0 becomes 0 */
        uint32_t bits;

        if (label == PECK_UNJUDGED)
            continue;
        memcpy(&bits, &label, sizeof bits);
        item[n++].key = bits;
    }
    sort_items(item, n, item + n);
    for (size_t k = 0; k < 5 && n > 0; k++) {
        const uint32_t bits = (uint32_t)item[k * (n - 1) / 4].key;

        memcpy(&s->label_quantile[k], &bits, sizeof bits);
    }
    mem_free(item);
    return PECK_OK;
}

peck_status summary_make(struct summary *out, const struct peck_dataset *d,
                         struct pool *pool, peck_error *err)
{
    *out = (struct summary){ 0 };
    for (size_t q = 0; q < d->n_queries; q++)
        judge_query(out, d->label + d->start[q], d->start[q + 1] - d->start[q]);
    count_labels(out, d->label, d->n_docs);
    TRY(measure_lists(out, d, err));
    if (out->n_labels == 0)
        TRY(rank_labels(out, d, err));
    const peck_status st = summary_features(out, d, pool, err);

    if (st != PECK_OK)
        summary_free(out);
    return st;
}

void summary_free(struct summary *s)
{
    mem_free(s->feature);
    *s = (struct summary){ 0 };
}
