/* rules_report.c -- rules beside data: how they are understood, and how well an order
 * keeps them.                                                                        */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../data/dataset.h"
#include "../report/report.h"
#include "../rules/rules.h"

#include <math.h>

enum { LONGEST_FORM = 1 << 16 }; /* bytes of a clause in prenex form */

/* What is found out about one rule. */
struct finding {
    size_t n_spoken, n_held; /* queries */
    double penalty;          /* summed */
};

struct inspection {
    const struct peck_rules *rules;
    const struct peck_dataset *data;
    struct bound *bound;
    struct finding *finding; /* one a rule */
    size_t n_broken;         /* queries that break at least one */
    /* For evaluation: */
    const double *score;
    double *value; /* [n_queries][2 n_rules]: held (0, 1), penalty; NaN: not spoken of */
    double *weight, *phi; /* one a rule */
    float *s;             /* one a document of the longest query, and below */
    uint32_t *order, *position;
    struct sort_item *item; /* two for each document */
    void *scratch;
};

static struct scene scene_at(const struct peck_dataset *d, size_t q)
{
    return (struct scene){ .docs = dataset_rows(d, q), .id = strings_get(&d->query_id, q) };
}

static peck_status check_features(const struct peck_dataset *d, peck_error *err)
{
    struct pool *pool = NULL;

    TRY(pool_new(&pool, 1, err));
    const peck_status st = dataset_check_features(d, false, pool, err);

    pool_free(pool);
    return st;
}

static peck_status open(struct inspection *x, peck_error *err)
{
    const struct peck_dataset *const d = x->data;
    const size_t n = rules_count(x->rules);

    x->finding = mem_new(n, sizeof *x->finding);
    if (x->finding == NULL)
        return fail_memory(err, "rules", n, sizeof *x->finding);
    TRY(check_features(d, err));
    TRY(rules_bind(&x->bound, x->rules, &d->feature_name, d->dim, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const struct scene scene = scene_at(d, q);

        TRY(rules_check_scene(x->bound, &scene, err));
    }
    return PECK_OK;
}

static void close(struct inspection *x)
{
    bound_free(x->bound);
    mem_free(x->finding);
    mem_free(x->value);
    mem_free(x->weight);
    mem_free(x->phi);
    mem_free(x->s);
    mem_free(x->order);
    mem_free(x->position);
    mem_free(x->item);
    mem_free(x->scratch);
}

static void add_name(struct peck_report *r, peck_span name)
{
    char text[SPAN_SHOWN + 1];

    snprintf(text, sizeof text, "%.*s", SPAN_ARGS(name));
    report_cell_text(r, text);
}

/* Checking --------------------------------------------------------------------------- */

static const char *remark(const struct rule_shape *shape, const struct finding *f)
{
    return shape->n_true == 0    ? "can never hold"
           : shape->n_false == 0 ? "always holds"
           : f->n_spoken == 0    ? "speaks of no query"
                                 : "-";
}

static void report_rule(struct peck_report *r, const struct inspection *x, size_t i)
{
    const struct rule_shape shape = rules_shape(x->rules, i);
    struct text form;

    text_init(&form, LONGEST_FORM);
    rules_print(x->rules, i, &form);
    add_name(r, rules_name(x->rules, i));
    report_cell_number(r, (double)x->finding[i].n_spoken, 0);
    report_cell_number(r, (double)shape.n_quantifiers, 0);
    report_cell_number(r, (double)shape.n_atoms, 0);
    report_cell_number(r, (double)shape.n_true, 0);
    report_cell_number(r, (double)shape.n_false, 0);
    report_cell_text(r, shape.is_of_true ? "true" : "false");
    report_cell_text(r, remark(&shape, &x->finding[i]));
    report_cell_text(r, form.failed || form.s == NULL ? "(too long)" : form.s);
    text_free(&form);
}

static void report_check_of(struct peck_report *r, const struct inspection *x)
{
    static const char *const columns[] = { "rule",       "queries",   "quantifiers",
                                           "statements", "true_rows", "false_rows",
                                           "mixture",    "remark",    "form" };

    report_count(r, "queries", x->data->n_queries);
    report_count(r, "rules", rules_count(x->rules));
    report_table(r, "rules", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < rules_count(x->rules); i++)
        report_rule(r, x, i);
}

static peck_status check(struct inspection *x, peck_error *err)
{
    TRY(open(x, err));
    for (size_t q = 0; q < x->data->n_queries; q++) {
        const struct scene scene = scene_at(x->data, q);

        for (size_t i = 0; i < rules_count(x->rules); i++)
            x->finding[i].n_spoken += rules_speak_of(x->bound, i, &scene);
    }
    return PECK_OK;
}

/* Evaluating ------------------------------------------------------------------------- */

static size_t longest_query(const struct peck_dataset *d)
{
    size_t longest = 0;

    for (size_t q = 0; q < d->n_queries; q++)
        if (dataset_rows(d, q).n > longest)
            longest = dataset_rows(d, q).n;
    return longest;
}

static peck_status reserve(struct inspection *x, peck_error *err)
{
    const size_t n = rules_count(x->rules), longest = longest_query(x->data);
    const size_t scratch = penalty_scratch(x->bound, longest);

    x->value = mem_new(2 * n * x->data->n_queries, sizeof *x->value);
    x->weight = mem_new(n, sizeof *x->weight);
    x->phi = mem_new(n, sizeof *x->phi);
    x->s = mem_new(longest, sizeof *x->s);
    x->order = mem_new(longest, sizeof *x->order);
    x->position = mem_new(longest, sizeof *x->position);
    x->item = mem_new(2 * longest, sizeof *x->item);
    x->scratch = mem_new(scratch, 1);
    if (!x->value || !x->weight || !x->phi || !x->s || !x->order || !x->position ||
        !x->item || !x->scratch)
        return fail_memory(err, "the rules of a query", scratch + longest, 1);
    return PECK_OK;
}

static void rank(const struct inspection *x, const double *score, uint32_t n)
{
    order_desc(score, n, x->order, x->item);
    for (uint32_t i = 0; i < n; i++) {
        x->position[x->order[i]] = i;
        x->s[i] = (float)score[i];
    }
}

static void evaluate_query(struct inspection *x, size_t q)
{
    const struct scene scene = scene_at(x->data, q);
    const size_t n = rules_count(x->rules);
    double *const value = x->value + 2 * n * q;
    bool is_broken = false;

    rank(x, x->score + x->data->start[q], (uint32_t)scene.docs.n);
    for (size_t i = 0; i < n; i++)
        x->weight[i] = rules_speak_of(x->bound, i, &scene);
    penalty_add(x->bound, &scene, x->weight, x->s, NULL, x->phi, x->scratch);
    for (size_t i = 0; i < n; i++) {
        struct finding *const f = &x->finding[i];

        value[2 * i] = value[2 * i + 1] = (double)NAN;
        if (x->weight[i] == 0.0)
            continue;
        const bool is_held = rules_hold(x->bound, i, &scene, x->position);

        value[2 * i] = is_held;
        value[2 * i + 1] = x->phi[i];
        f->n_spoken++;
        f->n_held += is_held;
        f->penalty += x->phi[i];
        is_broken |= !is_held;
    }
    x->n_broken += is_broken;
}

static peck_status evaluate(struct inspection *x, peck_error *err)
{
    TRY(open(x, err));
    for (size_t i = 0; i < x->data->n_docs; i++)
        if (!isfinite(x->score[i]))
            return fail(err, PECK_FORMAT, "the score of document %zu is no finite number",
                        i + 1);
    TRY(reserve(x, err));
    for (size_t q = 0; q < x->data->n_queries; q++)
        evaluate_query(x, q);
    return PECK_OK;
}

/* "sport" and "sport.penalty": columns of the values per query. */
static peck_status report_values(struct peck_report *r, const struct inspection *x,
                                 peck_error *err)
{
    enum { NAME = SPAN_SHOWN + 16 };
    const size_t n = rules_count(x->rules);
    char(*const name)[NAME] = mem_new(2 * n, sizeof *name);
    const char **const column = mem_new(2 * n, sizeof *column);
    const bool is_ready = name != NULL && column != NULL;

    for (size_t i = 0; is_ready && i < 2 * n; i++) {
        snprintf(name[i], NAME, "%.*s%s", SPAN_ARGS(rules_name(x->rules, i / 2)),
                 i % 2 == 0 ? "" : ".penalty");
        column[i] = name[i];
    }
    if (is_ready)
        report_queries(r, 2 * n, column, x->data->n_queries, &x->data->query_id, x->value);
    mem_free(name);
    mem_free(column);
    return is_ready ? PECK_OK : fail_memory(err, "the report", 2 * n, NAME);
}

static void report_evaluation(struct peck_report *r, const struct inspection *x)
{
    static const char *const columns[] = { "rule",  "queries",      "hold",
                                           "break", "broken_share", "penalty" };
    const size_t n = x->data->n_queries;

    report_count(r, "queries", n);
    report_count(r, "broken", x->n_broken);
    report_number(r, "broken_share", (double)x->n_broken / (double)n, 6);
    report_table(r, "rules", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < rules_count(x->rules); i++) {
        const struct finding *const f = &x->finding[i];
        const double all = (double)f->n_spoken, broken = (double)(f->n_spoken - f->n_held);

        add_name(r, rules_name(x->rules, i));
        report_cell_number(r, all, 0);
        report_cell_number(r, (double)f->n_held, 0);
        report_cell_number(r, broken, 0);
        report_cell_number(r, all > 0 ? broken / all : (double)NAN, 6);
        report_cell_number(r, all > 0 ? f->penalty / all : (double)NAN, 6);
    }
}

static peck_status make_report(peck_report **out, const struct inspection *x,
                               peck_error *err)
{
    struct peck_report *const r = report_new();

    if (r == NULL)
        return fail_memory(err, "the report", 1, 64);
    peck_status st = PECK_OK;

    if (x->score == NULL)
        report_check_of(r, x);
    else
        report_evaluation(r, x);
    if (x->score != NULL)
        st = report_values(r, x, err);
    if (st == PECK_OK)
        st = report_check(r, err);
    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    return st;
}

static peck_status inspect(peck_report **out, struct inspection *x, peck_error *err)
{
    *out = NULL;
    peck_status st = x->score == NULL ? check(x, err) : evaluate(x, err);

    if (st == PECK_OK)
        st = make_report(out, x, err);
    close(x);
    return st;
}

peck_status peck_rules_check(peck_report **out, const peck_rules *r, const peck_dataset *d,
                             peck_error *err)
{
    struct inspection x = { .rules = r, .data = d };

    return inspect(out, &x, err);
}

peck_status peck_rules_evaluate(peck_report **out, const peck_rules *r,
                                const peck_dataset *d, const double *score, peck_error *err)
{
    struct inspection x = { .rules = r, .data = d, .score = score };

    return inspect(out, &x, err);
}
