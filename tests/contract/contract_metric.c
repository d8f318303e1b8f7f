/* contract_metric.c -- every metric keeps the contract of metric.h, and those that have a
 * slow, obvious twin equal it under every preset.
 *
 * The twin is written from the tools' descriptions, not from src/metric: its own table
 * of rules, quadratic loops, no shared helper.                                      */
#include "metric/metric.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_DOCS = 40, N_QUERIES = 150 };

/* The twin's rules ---------------------------------------------------------------- */

enum twin_gain { POWER, PLAIN, TABLE3, TABLE5 };
enum twin_empty { AS_0, AS_1, DROPPED };
enum twin_p { BY_K, BY_LENGTH, NOTHING };
enum twin_tie { FILE_ORDER, SHUFFLED, ID_FALLING };
enum twin_label { ANY, WHOLE, ZERO_ONE };

struct rules {
    const char *name;
    enum twin_gain gain;
    bool second_undiscounted; /* 1, 1, 1/log2(3), ... */
    enum twin_empty empty;
    bool short_ndcg_is_0;
    enum twin_p short_p;
    enum twin_tie tie;
    double relevant_from;
    enum twin_label label;
    bool unjudged_stay;
    bool map_by_k;
    bool empty_unweighted;
    double err_top; /* 0: the file's */
};

static const struct rules table[] = {
    { "standard", POWER, false, AS_0, false, BY_K, FILE_ORDER, 1, ANY, false, false, false,
      0 },
    { "letor2", TABLE3, true, AS_0, false, NOTHING, FILE_ORDER, 1, ANY, false, false, false,
      0 },
    { "letor3", TABLE3, true, AS_0, true, NOTHING, FILE_ORDER, 1, ANY, false, false, false,
      0 },
    { "letor4", TABLE3, true, AS_0, true, BY_K, FILE_ORDER, 1, ANY, false, false, false,
      0 },
    { "mslr", TABLE5, true, AS_0, true, BY_K, FILE_ORDER, 2, ANY, false, false, false, 0 },
    { "trec", PLAIN, false, AS_0, false, BY_K, ID_FALLING, 1, WHOLE, true, false, false,
      0 },
    { "ranklib", POWER, false, AS_0, false, BY_LENGTH, FILE_ORDER, 1, WHOLE, false, false,
      false, 4 },
    { "lightgbm", POWER, false, AS_1, false, BY_K, FILE_ORDER, 1, WHOLE, false, true, true,
      0 },
    { "directranker", POWER, false, DROPPED, false, BY_K, SHUFFLED, 1, ZERO_ONE, false,
      false, false, 0 },
};
enum { N_RULES = sizeof table / sizeof *table };

struct doc {
    double label, score, weight;
    char id[8];
    bool is_judged, is_there, is_relevant;
};

struct list {
    struct doc doc[MAX_DOCS]; /* best first, not retrieved last */
    int n, n_all;
    double top;
};

static double twin_see(const struct rules *r, double y)
{
    if (r->label == WHOLE)
        return floor(y);
    if (r->label == ZERO_ONE)
        return y >= r->relevant_from ? 1 : 0;
    return y;
}

static bool comes_before(const struct rules *r, const struct doc *a, const struct doc *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return r->tie == ID_FALLING && strcmp(a->id, b->id) > 0;
}

/* Insertion keeps file order among equals. */
static void twin_insert(struct list *l, const struct rules *r, struct doc d)
{
    int at = l->n_all++;

    for (; at > 0 && comes_before(r, &d, &l->doc[at - 1]); at--)
        l->doc[at] = l->doc[at - 1];
    l->doc[at] = d;
    l->n += d.is_there;
}

static double twin_gain(const struct rules *r, double y)
{
    if (r->gain == POWER)
        return pow(2, y) - 1;
    if (r->gain == PLAIN)
        return y;
    if (y == 1)
        return 1;
    if (y == 2)
        return 3;
    if (r->gain == TABLE5 && y == 3)
        return 7;
    return r->gain == TABLE5 && y == 4 ? 15 : 0;
}

static double twin_discount(const struct rules *r, int rank)
{
    if (r->second_undiscounted)
        return rank < 3 ? 1 : log(2) / log(rank);
    return log(2) / log(rank + 1);
}

static double twin_dcg(const struct rules *r, const struct list *l, int k)
{
    double sum = 0;

    for (int i = 0; i < l->n && i < k; i++)
        sum += l->doc[i].weight * twin_gain(r, l->doc[i].label) * twin_discount(r, i + 1);
    return sum;
}

/* Takes the best that is left, k times. */
static double twin_ideal(const struct rules *r, const struct list *l, int k)
{
    bool taken[MAX_DOCS] = { false };
    double sum = 0;

    for (int rank = 1; rank <= k && rank <= l->n_all; rank++) {
        int best = -1;
        double most = -1;

        for (int i = 0; i < l->n_all; i++) {
            const double g = l->doc[i].weight * twin_gain(r, l->doc[i].label);

            if (!taken[i] && g > most) {
                most = g;
                best = i;
            }
        }
        taken[best] = true;
        sum += most * twin_discount(r, rank);
    }
    return sum;
}

static double empty_value(const struct rules *r)
{
    return r->empty == AS_0 ? 0 : r->empty == AS_1 ? 1 : (double)NAN;
}

static double twin_ndcg(const struct rules *r, const struct list *l, int k)
{
    if (k > l->n && k < 1000 && r->short_ndcg_is_0)
        return 0;
    const double ideal = twin_ideal(r, l, k);

    return ideal > 0 ? twin_dcg(r, l, k) / ideal : empty_value(r);
}

static double twin_meanndcg(const struct rules *r, const struct list *l)
{
    double sum = 0;

    if (twin_ideal(r, l, MAX_DOCS) == 0)
        return empty_value(r);
    for (int k = 1; k <= l->n; k++)
        sum += twin_ndcg(r, l, k);
    return l->n > 0 ? sum / l->n : 0;
}

static double all_relevant(const struct list *l, int *count)
{
    double sum = 0;

    *count = 0;
    for (int i = 0; i < l->n_all; i++)
        if (l->doc[i].is_relevant) {
            sum += l->doc[i].weight;
            ++*count;
        }
    return sum;
}

static double twin_seen(const struct list *l, int k, bool relevant_only)
{
    double sum = 0;

    for (int i = 0; i < l->n && i < k; i++)
        if (l->doc[i].is_relevant || !relevant_only)
            sum += l->doc[i].weight;
    return sum;
}

static double twin_map(const struct rules *r, const struct list *l, int k)
{
    int count;
    double total = all_relevant(l, &count), sum = 0;

    if (count == 0)
        return empty_value(r);
    for (int i = 0; i < l->n && i < k; i++)
        if (l->doc[i].is_relevant)
            sum +=
                l->doc[i].weight * twin_seen(l, i + 1, true) / twin_seen(l, i + 1, false);
    if (r->map_by_k && count > k)
        total = total / count * k;
    return sum / total;
}

static double twin_p(const struct rules *r, const struct list *l, int k)
{
    double below = twin_seen(l, k, false);

    if (k > l->n && k < 1000) {
        if (r->short_p == NOTHING)
            return 0;
        if (r->short_p == BY_K)
            below += k - l->n;
    }
    return below > 0 ? twin_seen(l, k, true) / below : 0;
}

static double twin_recall(const struct list *l, int k)
{
    int count;
    const double total = all_relevant(l, &count);

    return count > 0 ? twin_seen(l, k, true) / total : 0;
}

static double twin_mrr(const struct list *l, int k)
{
    for (int i = 0; i < l->n && i < k; i++)
        if (l->doc[i].is_relevant)
            return 1.0 / (i + 1);
    return 0;
}

static double twin_err(const struct list *l, int k)
{
    double stay = 1, sum = 0;

    for (int i = 0; i < l->n && i < k; i++) {
        const double stop = (pow(2, l->doc[i].label) - 1) / pow(2, l->top);

        sum += stay * stop / (i + 1);
        stay *= 1 - stop;
    }
    return sum;
}

/* num and den of a pair metric. */
static void twin_pairs(const struct list *l, const char *what, double *num, double *den)
{
    double right = 0, wrong = 0, half = 0, all = 0, by_score = 0;

    for (int i = 0; i < l->n_all; i++)
        for (int j = 0; j < i; j++) {
            const struct doc *const a = &l->doc[i], *const b = &l->doc[j];
            const double w = a->weight * b->weight;

            all += w;
            by_score += a->score != b->score ? w : 0;
            if (a->label == b->label)
                continue;
            if (a->score == b->score)
                half += w;
            else if ((a->score > b->score) == (a->label > b->label))
                right += w;
            else
                wrong += w;
        }
    const double differ = right + wrong + half;

    if (strncmp(what, "pairacc", 7) == 0) {
        *num = right + half / 2;
        *den = differ;
    } else if (strncmp(what, "pairerr", 7) == 0) {
        *num = wrong + half / 2;
        *den = all;
    } else {
        *num = differ > 0 && by_score > 0 ? (right - wrong) / sqrt(differ * by_score) : 0;
        *den = differ > 0 && by_score > 0;
    }
}

/* Whose values the twin can tell. */
static const char *const twins[] = { "ndcg",         "meanndcg", "dcg",
                                     "map",          "p",        "recall",
                                     "mrr",          "err",      "pairacc",
                                     "tau",          "pairerr",  "pairacc-query",
                                     "pairerr-query" };
enum { N_TWINS = sizeof twins / sizeof *twins };

static bool has_twin(const struct metric *m)
{
    for (size_t i = 0; i < N_TWINS; i++)
        if (strcmp(twins[i], m->plug.about.name) == 0)
            return true;
    return false;
}

static double twin_value(const struct rules *r, const struct list *l, const char *metric)
{
    const char *const at = strchr(metric, '@');
    const int k = at != NULL ? (int)strtol(at + 1, NULL, 10) : 1000;
    const size_t n = at != NULL ? (size_t)(at - metric) : strlen(metric);

#define IS(name) (n == strlen(name) && strncmp(metric, name, n) == 0)
    if (IS("ndcg"))
        return twin_ndcg(r, l, k);
    if (IS("meanndcg"))
        return twin_meanndcg(r, l);
    if (IS("dcg"))
        return twin_dcg(r, l, k);
    if (IS("map"))
        return twin_map(r, l, k);
    if (IS("p"))
        return twin_p(r, l, k);
    if (IS("recall"))
        return twin_recall(l, k);
    if (IS("mrr"))
        return twin_mrr(l, k);
    if (IS("err"))
        return twin_err(l, k);
#undef IS
    double num, den;

    twin_pairs(l, metric, &num, &den);
    return den > 0 ? num / den : (double)NAN;
}

/* Data ---------------------------------------------------------------------------- */

struct data {
    uint64_t start[N_QUERIES + 1];
    float label[N_QUERIES * MAX_DOCS], doc_weight[N_QUERIES * MAX_DOCS];
    double score[N_QUERIES * MAX_DOCS];
    float query_weight[N_QUERIES];
    struct strings doc_id;
    float max_label;
};

struct shape {
    bool has_weights, has_unjudged, has_unretrieved, has_ties, has_fractions;
    int top; /* labels 0 .. top */
};

static void draw_doc(struct data *d, uint64_t row, const struct shape *s, struct rng *rng,
                     bool is_empty)
{
    double y = is_empty ? 0 : floor(pow(rng_uniform(rng), 2) * (s->top + 1));
    char id[24];

    if (s->has_fractions && !is_empty && rng_below(rng, 4) == 0)
        y = fmin(s->top, y + 0.25 * (double)rng_below(rng, 4));
    d->label[row] = (float)y;
    d->score[row] = s->has_ties ? (double)rng_below(rng, 6) : rng_normal(rng);
    d->doc_weight[row] = s->has_weights ? (float)rng_between(rng, 0.25, 3) : 1.0f;
    if (s->has_unjudged && rng_below(rng, 6) == 0)
        d->label[row] = PECK_UNJUDGED;
    else if (s->has_unretrieved && rng_below(rng, 6) == 0)
        d->score[row] = -(double)INFINITY;
    if (d->label[row] > d->max_label)
        d->max_label = d->label[row];
    snprintf(id, sizeof id, "d%03u", (unsigned)rng_below(rng, 1000));
    assert_true(strings_add(&d->doc_id, span_of(id)));
}

static void draw(struct data *d, const struct shape *s, uint64_t seed)
{
    struct rng rng;

    *d = (struct data){ 0 };
    rng_seed(&rng, seed, 0);
    for (size_t q = 0; q < N_QUERIES; q++) {
        const size_t n = 1 + (size_t)rng_below(&rng, q % 3 == 0 ? 6 : MAX_DOCS);
        const bool is_empty = rng_below(&rng, 5) == 0;

        d->start[q + 1] = d->start[q] + n;
        d->query_weight[q] = s->has_weights ? (float)rng_between(&rng, 0.5, 4) : 1.0f;
        for (uint64_t row = d->start[q]; row < d->start[q + 1]; row++)
            draw_doc(d, row, s, &rng, is_empty);
    }
}

static bool twin_list(struct list *l, const struct data *d, const struct rules *r, size_t q)
{
    bool any = false;

    *l = (struct list){ .top = r->err_top > 0 ? r->err_top
                                              : twin_see(r, (double)d->max_label) };
    for (uint64_t row = d->start[q]; row < d->start[q + 1]; row++) {
        const double y = (double)d->label[row];
        const peck_span id = strings_get(&d->doc_id, row);
        struct doc doc = { .score = d->score[row],
                           .weight = (double)d->doc_weight[row],
                           .is_judged = y >= 0,
                           .is_there = !isinf(d->score[row]) };

        snprintf(doc.id, sizeof doc.id, "%.*s", SPAN_ARGS(id));
        doc.label = doc.is_judged ? twin_see(r, y) : 0;
        doc.is_relevant =
            doc.is_judged && doc.label >= (r->label == ZERO_ONE ? 1 : r->relevant_from);
        any |= doc.is_judged;
        if (doc.is_judged || r->unjudged_stay)
            twin_insert(l, r, doc);
    }
    return any;
}

/* The contract -------------------------------------------------------------------- */

static void assert_close(double a, double b, const char *preset, const char *metric, long q)
{
    if (isnan(a) && isnan(b))
        return;
    if (!(fabs(a - b) <= 1e-10 * fmax(1, fabs(b))))
        fail_msg("%s under %s, query %ld: %.17g, twin %.17g", metric, preset, q, a, b);
}

struct totals {
    double num, den;
};

static void twin_add(struct totals *t, const struct rules *r, const struct list *l,
                     const struct asked *a, double value, double weight)
{
    double num, den;

    if (isnan(value))
        return;
    if (a->metric->fold == FOLD_POOLED) {
        twin_pairs(l, a->name, &num, &den);
        t->num += weight * num;
        t->den += weight * den;
        return;
    }
    const bool is_ndcg = strstr(a->name, "ndcg") != NULL;
    const bool unweighted =
        r->empty_unweighted && is_ndcg && twin_ideal(r, l, MAX_DOCS) == 0;

    t->num += unweighted ? value : weight * value;
    t->den += weight;
}

static void check_metric(const struct data *d, const struct verdict *v,
                         const struct rules *r, const struct asked *a, size_t m)
{
    struct totals t = { 0, 0 };

    for (size_t q = 0; q < N_QUERIES; q++) {
        struct list l;
        int count;
        const bool any = twin_list(&l, d, r, q);
        double value = (double)NAN;

        (void)all_relevant(&l, &count);
        if (any && !(r->empty == DROPPED && count == 0))
            value = twin_value(r, &l, a->name);
        assert_close(v->value[q * v->n_metrics + m], value, r->name, a->name, (long)q);
        twin_add(&t, r, &l, a, value, (double)d->query_weight[q]);
    }
    assert_close(v->total[m], t.den > 0 ? t.num / t.den : (double)NAN, r->name, a->name,
                 -1);
}

static void check_preset(const struct data *d, const struct rules *r, bool has_weights)
{
    const char *const text = "all,map@5,ndcg@7,p,p@7,recall,recall@3,err,dcg,mrr@2,map@2";
    const struct scored_docs x = { .n_queries = N_QUERIES,
                                   .start = d->start,
                                   .label = d->label,
                                   .score = d->score,
                                   .doc_weight = has_weights ? d->doc_weight : NULL,
                                   .query_weight = has_weights ? d->query_weight : NULL,
                                   .doc_id = &d->doc_id,
                                   .max_label = d->max_label };
    struct metric_list list;
    struct convention c;
    struct verdict v;
    struct pool *pool;
    peck_error err = { 0 };

    assert_int_equal(metric_list_parse(&list, text, &err), PECK_OK);
    assert_int_equal(convention_parse(&c, r->name, &err), PECK_OK);
    assert_int_equal(pool_new(&pool, 2, &err), PECK_OK);
    if (verdict_reach(&v, &x, &list, &c, 5, pool, &err) != PECK_OK)
        fail_msg("%s: %s", r->name, err.text);
    for (size_t m = 0; m < list.n; m++)
        if (has_twin(list.item[m].metric))
            check_metric(d, &v, r, &list.item[m], m);
    verdict_free(&v);
    pool_free(pool);
    metric_list_free(&list);
}

static void check_all(struct shape s)
{
    struct data *const d = malloc(sizeof *d);
    const bool wants_ties = s.has_ties;

    assert_non_null(d);
    for (size_t i = 0; i < N_RULES; i++) {
        /* The twin does not know our shuffles. */
        s.has_ties = wants_ties && table[i].tie != SHUFFLED;
        for (uint64_t seed = 1; seed <= 3; seed++) {
            draw(d, &s, 10 * seed + i);
            check_preset(d, &table[i], s.has_weights);
            strings_free(&d->doc_id);
        }
    }
    free(d);
}

static void every_preset_has_a_twin(void **state)
{
    (void)state;
    assert_int_equal(n_conventions, N_RULES);
    for (size_t i = 0; i < n_conventions; i++)
        assert_string_equal(conventions[i]->plug.about.name, table[i].name);
}

static void plain_lists_equal_the_twin(void **state)
{
    (void)state;
    check_all((struct shape){ .top = 4 });
}

static void tied_scores_equal_the_twin(void **state)
{
    (void)state;
    check_all((struct shape){ .top = 2, .has_ties = true });
}

static void weights_equal_the_twin(void **state)
{
    (void)state;
    check_all((struct shape){ .top = 4, .has_ties = true, .has_weights = true });
}

static void unjudged_and_unretrieved_documents_equal_the_twin(void **state)
{
    (void)state;
    check_all((struct shape){
        .top = 4, .has_ties = true, .has_unjudged = true, .has_unretrieved = true });
}

static void fractional_labels_equal_the_twin(void **state)
{
    (void)state;
    check_all((struct shape){ .top = 4, .has_fractions = true, .has_weights = true });
}

static void every_metric_introduces_itself(void **state)
{
    size_t n_twins = 0;

    (void)state;
    for (size_t i = 0; i < n_metrics; i++) {
        assert_non_null(metrics[i]->value);
        assert_true(strlen(metrics[i]->plug.about.title) > 10);
        assert_true(strlen(metrics[i]->plug.about.doc) > 20);
        n_twins += has_twin(metrics[i]);
    }
    assert_int_equal(n_twins, N_TWINS);
    for (size_t i = 0; i < n_conventions; i++) {
        assert_true(strlen(conventions[i]->plug.about.title) > 10);
        assert_true(strlen(conventions[i]->plug.about.doc) > 20);
        assert_non_null(conventions[i]->plug.params);
    }
}

/* Whatever a metric measures: its values are numbers, the same at any thread count; the
 * order by label is as good as any; and "all" asks for it. */
static void every_metric_keeps_the_contract(void **state)
{
    struct data *const d = malloc(sizeof *d);
    struct metric_list list;
    struct convention c;
    struct pool *alone, *pool;
    peck_error err = { 0 };

    (void)state;
    assert_non_null(d);
    draw(d, &(struct shape){ .top = 2, .has_weights = true, .has_unjudged = true }, 7);
    assert_int_equal(metric_list_parse(&list, "all", &err), PECK_OK);
    assert_int_equal(pool_new(&alone, 1, &err), PECK_OK);
    assert_int_equal(pool_new(&pool, 3, &err), PECK_OK);
    for (size_t i = 0; i < n_conventions; i++) {
        struct scored_docs x = { .n_queries = N_QUERIES,
                                 .start = d->start,
                                 .label = d->label,
                                 .score = d->score,
                                 .doc_weight = d->doc_weight,
                                 .query_weight = d->query_weight,
                                 .doc_id = &d->doc_id,
                                 .max_label = d->max_label };
        double by_label[N_QUERIES * MAX_DOCS];
        struct verdict one, many, best;

        for (size_t row = 0; row < d->start[N_QUERIES]; row++)
            by_label[row] = (double)d->label[row];
        assert_int_equal(convention_parse(&c, conventions[i]->plug.about.name, &err),
                         PECK_OK);
        assert_int_equal(verdict_reach(&one, &x, &list, &c, 5, alone, &err), PECK_OK);
        assert_int_equal(verdict_reach(&many, &x, &list, &c, 5, pool, &err), PECK_OK);
        x.score = by_label;
        assert_int_equal(verdict_reach(&best, &x, &list, &c, 5, pool, &err), PECK_OK);
        for (size_t m = 0; m < list.n; m++) {
            const double sign = list.item[m].metric->is_error ? -1 : 1;

            assert_memory_equal(&one.total[m], &many.total[m], sizeof *one.total);
            if (!isfinite(one.total[m]) || sign * best.total[m] < sign * one.total[m])
                fail_msg("%s under %s: %g by chance, %g by label", list.item[m].name,
                         conventions[i]->plug.about.name, one.total[m], best.total[m]);
        }
        verdict_free(&one);
        verdict_free(&many);
        verdict_free(&best);
    }
    for (size_t i = 0; i < n_metrics; i++) {
        size_t m = 0;

        while (m < list.n && list.item[m].metric != metrics[i])
            m++;
        assert_true(m < list.n);
    }
    pool_free(alone);
    pool_free(pool);
    metric_list_free(&list);
    strings_free(&d->doc_id);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_keeps_the_contract),
        cmocka_unit_test(every_preset_has_a_twin),
        cmocka_unit_test(every_metric_introduces_itself),
        cmocka_unit_test(plain_lists_equal_the_twin),
        cmocka_unit_test(tied_scores_equal_the_twin),
        cmocka_unit_test(weights_equal_the_twin),
        cmocka_unit_test(unjudged_and_unretrieved_documents_equal_the_twin),
        cmocka_unit_test(fractional_labels_equal_the_twin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
