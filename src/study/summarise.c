/* summarise.c -- dataset -> what a person must know before training. */
#include "../base/maths.h"
#include "../base/number.h"
#include "../base/strings.h"
#include "../data/summary.h"
#include "../report/report.h"

#include <math.h>

enum {
    MOST_TEXT = 1 << 20,
    MOST_LISTED = 100, /* features named one by one */
    WORST = 5,         /* features with most missing values */
    WILD_SCALE = 1000  /* largest over smallest magnitude that calls for a normaliser */
};

/* "bm25", or the feature's number. */
static void add_feature(struct text *to, const struct peck_dataset *d, size_t i)
{
    const peck_span name = peck_dataset_feature_name(d, i);

    if (name.n > 0)
        text_add(to, name.s, name.n);
    else
        text_printf(to, "%zu", i + 1);
}

/* Reports a list that was put together in *t, unless it is empty, and frees it. */
static void report_list(struct peck_report *r, const char *name, struct text *t)
{
    if (t->failed)
        report_text(r, name, "(too long)");
    else if (t->len > 0)
        report_text(r, name, t->s);
    text_free(t);
}

/* n: items before it. */
static void start_item(struct text *t, size_t n)
{
    text_add_str(t, n > 0 ? "," : "");
}

/* Features that are constant (runs of numbers are drawn together: "6-10,43"), that repeat
 * another, and with most missing values, worst first. */
static void report_odd_features(struct peck_report *r, const struct peck_dataset *d,
                                const struct summary *s)
{
    size_t n = 0, listed[WORST];
    struct text t;

    report_count(r, "constant_features", s->n_constant);
    text_init(&t, MOST_TEXT);
    for (size_t i = 0; i < d->dim && n < MOST_LISTED; i++) {
        size_t last = i;

        if (!feature_is_constant(&s->feature[i]))
            continue;
        while (d->feature_name.n == 0 && last + 1 < d->dim &&
               feature_is_constant(&s->feature[last + 1]))
            last++;
        start_item(&t, n++);
        add_feature(&t, d, i);
        if (last > i)
            text_printf(&t, "-%zu", last + 1);
        i = last;
    }
    report_list(r, "constant_feature_list", &t);

    report_count(r, "duplicate_features", s->n_twins);
    text_init(&t, MOST_TEXT);
    n = 0;
    for (size_t i = 0; i < d->dim && n < MOST_LISTED; i++) {
        if (s->feature[i].twin == i)
            continue;
        start_item(&t, n++);
        add_feature(&t, d, i);
        text_add_str(&t, "=");
        add_feature(&t, d, s->feature[i].twin);
    }
    report_list(r, "duplicate_feature_list", &t);

    report_count(r, "missing_values", d->n_missing);
    text_init(&t, MOST_TEXT);
    for (n = 0; d->missing_in != NULL && n < WORST; n++) {
        size_t worst = d->dim;

        for (size_t i = 0; i < d->dim; i++) {
            bool is_listed = d->missing_in[i] == 0;

            for (size_t k = 0; k < n; k++)
                is_listed |= listed[k] == i;
            if (!is_listed && (worst == d->dim || d->missing_in[i] > d->missing_in[worst]))
                worst = i;
        }
        if (worst == d->dim)
            break;
        listed[n] = worst;
        start_item(&t, n);
        add_feature(&t, d, worst);
        text_printf(&t, ":%u", (unsigned)d->missing_in[worst]);
    }
    report_list(r, "missing_most_in", &t);
}

/* Where features reach, and whether they reach too differently. */
static void report_ranges(struct peck_report *r, const struct peck_dataset *d,
                          const struct summary *s)
{
    double min = NAN, max = NAN, small = NAN,
           large = NAN; /* math_min and math_max pass NaN over */
    char text[160];

    for (size_t i = 0; i < d->dim; i++) {
        const struct feature_summary *const f = &s->feature[i];
        const double reach = math_max(fabs((double)f->min), fabs((double)f->max));

        min = math_min(min, (double)f->min);
        max = math_max(max, (double)f->max);
        if (!feature_is_constant(f)) {
            small = math_min(small, reach);
            large = math_max(large, reach);
        }
    }
    report_number(r, "feature_min", min, 6);
    report_number(r, "feature_max", max, 6);
    if (large > small * WILD_SCALE) {
        snprintf(text, sizeof text,
                 "the largest feature reaches %.3g, the smallest %.3g: `peck train` scales "
                 "them, other programs may not",
                 large, small);
        report_note(r, "scales", text);
    }
}

/* Counts, labels, lists, features, rows; then what a newcomer would overlook. */
static void report_summary(struct peck_report *r, const struct peck_dataset *d,
                           const struct summary *s)
{
    static const char *const quantile[] = { "label_min", "label_lower_quartile",
                                            "label_median", "label_upper_quartile",
                                            "label_max" };
    const size_t n_idle = s->n_single_label + s->n_unjudged_queries;
    char text[160], digits[NUMBER_MAX];

    report_count(r, "queries", d->n_queries);
    report_count(r, "documents", d->n_docs);
    report_count(r, "features", d->dim);
    report_count(r, "judged", d->n_judged);
    report_count(r, "unjudged", d->n_docs - d->n_judged);
    for (size_t i = 0; i < s->n_labels; i++) {
        number_write(digits, s->label[i]);
        snprintf(text, sizeof text, "label_%s", digits);
        report_count(r, text, s->label_count[i]);
    }
    for (size_t i = 0; i < 5 && s->n_labels == 0; i++)
        report_number(r, quantile[i], (double)s->label_quantile[i], 6);
    report_count(r, "list_length_min", s->shortest);
    report_number(r, "list_length_median", s->median_length, 1);
    report_number(r, "list_length_mean", s->mean_length, 1);
    report_count(r, "list_length_max", s->longest);
    report_count(r, "queries_shorter_than_10", s->n_short);
    report_count(r, "queries_without_relevant", s->n_irrelevant);
    report_count(r, "queries_with_one_label", s->n_single_label);
    report_count(r, "queries_without_judgement", s->n_unjudged_queries);
    report_odd_features(r, d, s);
    report_ranges(r, d, s);
    report_count(r, "repeated_rows", s->n_repeated_rows);
    report_number(r, "repeated_rows_share", (double)s->n_repeated_rows / (double)d->n_docs,
                  4);
    report_text(r, "document_ids", d->doc_id.n > 0 ? "yes" : "no");
    report_text(r, "document_weights", d->doc_weight != NULL ? "yes" : "no");
    report_text(r, "query_weights", d->query_weight != NULL ? "yes" : "no");
    report_text(r, "gathered", d->file_row != NULL ? "yes" : "no");
    report_text(r, "reader", d->reader);

    /* Advice. */
    if (n_idle > 0) {
        snprintf(text, sizeof text,
                 "%zu of %zu queries have no two labels to tell apart: a ranker learns "
                 "nothing from them",
                 n_idle, d->n_queries);
        report_note(r, "teaching", text);
    }
    if (d->file_row != NULL)
        report_note(r, "order",
                    "rows of a query were not adjacent and were gathered; score files "
                    "follow the file's own order");
}

/* A report that `fill` makes of what the documents were summed up to. */
static peck_status report_on(peck_report **out, const peck_dataset *d, int threads,
                             void (*fill)(struct peck_report *r, const peck_dataset *d,
                                          const struct summary *s),
                             peck_error *err)
{
    struct pool *pool = NULL;
    struct summary s = { 0 };
    struct peck_report *r = NULL;

    *out = NULL;
    TRY(pool_new(&pool, threads, err));
    peck_status st = summary_make(&s, d, pool, err);

    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK)
        fill(r, d, &s);
    summary_free(&s);
    pool_free(pool);
    return report_finish(out, r, st, err);
}

peck_status peck_summarise(peck_report **out, const peck_dataset *d, int threads,
                           peck_error *err)
{
    return report_on(out, d, threads, report_summary, err);
}

/* Features as rules and --features speak of them: f12 is column 12 where it has no name. */
static void report_features(struct peck_report *r, const peck_dataset *d,
                            const struct summary *s)
{
    static const char *const columns[] = { "feature", "name", "min", "max" };

    report_table(r, "features", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < d->dim; i++) {
        const peck_span name = peck_dataset_feature_name(d, i);
        char number[24];

        snprintf(number, sizeof number, "f%zu", i + 1);
        report_cell_text(r, number + 1);
        report_cell_span(r, name.n > 0 ? name : span_of(number));
        report_cell_number(r, (double)s->feature[i].min, 6);
        report_cell_number(r, (double)s->feature[i].max, 6);
    }
}

peck_status peck_list_features(peck_report **out, const peck_dataset *d, int threads,
                               peck_error *err)
{
    return report_on(out, d, threads, report_features, err);
}
