/* keep_rules.c -- rules at serving time: scores of a list -> the order that keeps them. */
#include "evaluate.h"
#include "query_error.h"

#include "../base/alloc.h"
#include "../report/report.h"
#include "../rules/rules.h"

#include <math.h>

struct peck_enforcer {
    const struct peck_rules *rules;
    struct bound *bound;
    size_t dim;
    double *weight;    /* of each rule */
    signed char *kept; /* likewise: of the last list */
};

void peck_enforcer_free(peck_enforcer *e)
{
    if (e == NULL)
        return;
    bound_free(e->bound);
    mem_free(e->weight);
    mem_free(e->kept);
    mem_free(e);
}

peck_status peck_enforcer_new(peck_enforcer **out, const peck_rules *r,
                              const peck_dataset *d, peck_error *err)
{
    const size_t n = rules_count(r);
    struct peck_enforcer *const e = mem_new(1, sizeof *e);
    peck_status st = PECK_OK;

    *out = NULL;
    if (e == NULL)
        return fail_memory(err, "rules", 1, sizeof *e);
    e->rules = r;
    e->dim = d->dim;
    e->weight = mem_new(n, sizeof *e->weight);
    e->kept = mem_new(n, sizeof *e->kept);
    if (e->weight == NULL || e->kept == NULL)
        st = fail_memory(err, "rules", n, sizeof *e->weight);
    if (st == PECK_OK)
        st = rules_bind(&e->bound, r, &d->feature_name, d->dim, err);
    for (size_t i = 0; st == PECK_OK && i < n; i++)
        e->weight[i] = rules_config(r, i)->weight;
    if (st == PECK_OK)
        *out = e;
    else
        peck_enforcer_free(e);
    return st;
}

/* One list; kept[] of all rules. */
static peck_status enforce_list(const struct peck_enforcer *e, const struct scene *scene,
                                const double *score, uint32_t *order, signed char *kept,
                                peck_enforced *info, peck_error *err)
{
    struct enforced found;

    for (size_t i = 0; i < scene->docs.n; i++)
        if (!isfinite(score[i]))
            return fail(err, PECK_FORMAT,
                        "the score of document %zu (counted from 1) is not a number",
                        i + 1);
    TRY(rules_check_scene(e->bound, scene, err));
    TRY(rules_enforce(e->bound, scene, e->weight, score, order, kept, &found, err));
    *info = (peck_enforced){ .cost = found.cost,
                             .is_turned = found.is_turned,
                             .is_proven = found.is_proven };
    for (size_t i = 0; i < rules_count(e->rules); i++) {
        info->n_rules += kept[i] >= 0;
        info->n_given_up += kept[i] == 0;
    }
    return PECK_OK;
}

peck_status peck_enforce(peck_enforcer *e, const float *x, size_t n_docs, size_t stride,
                         const double *score, uint32_t *order, signed char *kept,
                         peck_enforced *info, peck_error *err)
{
    const struct scene scene = { .docs = { x, n_docs, e->dim, stride },
                                 .id = span_of("this one") };
    peck_enforced own;

    if (stride < e->dim)
        return fail(err, PECK_SHAPE,
                    "rows are %zu floats apart, but the rules look at data of %zu features",
                    stride, e->dim);
    if (n_docs == 0 || n_docs > MAX_DOCS_IN_QUERY)
        return fail(err, PECK_ARG, "a list of %zu documents; from 1 to %d can be ordered",
                    n_docs, MAX_DOCS_IN_QUERY);
    TRY(enforce_list(e, &scene, score, order, e->kept, &own, err));
    if (kept != NULL)
        memcpy(kept, e->kept, rules_count(e->rules) * sizeof *kept);
    if (info != NULL)
        *info = own;
    return PECK_OK;
}

/* All queries -------------------------------------------------------------------------- */

struct enforcing {
    const struct peck_enforcer *enforcer;
    const struct peck_dataset *data;
    const double *score;
    uint32_t *order;
    signed char *kept;   /* [n_queries][rules] */
    peck_enforced *info; /* n_queries */
    struct query_error *error;
};

static void enforce_query(void *ctx, size_t query, int worker)
{
    const struct enforcing *const x = ctx;
    const size_t first = (size_t)x->data->start[query];
    const struct scene scene = { .docs = dataset_rows(x->data, query),
                                 .id = strings_get(&x->data->query_id, query) };
    peck_error why;

    if (!query_error_is_past(&x->error[worker], query) &&
        enforce_list(x->enforcer, &scene, x->score + first, x->order + first,
                     x->kept + query * rules_count(x->enforcer->rules), &x->info[query],
                     &why) != PECK_OK)
        query_error_keep(&x->error[worker], query, &why);
}

/* Per query: its cost, whether that is proven, and a column for each rule. */
static peck_status report_enforcing(struct peck_report *r, const struct enforcing *x,
                                    struct arena *a, peck_error *err)
{
    enum { NAME = SPAN_SHOWN + 1, OWN = 2 };
    static const char *const columns[] = { "rule", "queries", "kept", "given_up" };
    const struct peck_rules *const rules = x->enforcer->rules;
    const size_t n = rules_count(rules), n_queries = x->data->n_queries;
    char(*const name)[NAME] = arena_new(a, "the report", n, sizeof *name);
    const char **const column = arena_new(a, "the report", n + OWN, sizeof *column);
    double *const value = arena_new(a, "the report", (n + OWN) * n_queries, sizeof *value);
    size_t n_turned = 0, n_given_up = 0, n_unproven = 0;

    TRY(arena_check(a, err));
    for (size_t q = 0; q < n_queries; q++) {
        n_turned += x->info[q].is_turned != 0;
        n_given_up += x->info[q].n_given_up > 0;
        n_unproven += !x->info[q].is_proven;
        value[q * (n + OWN)] = x->info[q].cost;
        value[q * (n + OWN) + 1] = x->info[q].is_proven;
        for (size_t i = 0; i < n; i++)
            value[q * (n + OWN) + OWN + i] =
                x->kept[q * n + i] >= 0 ? x->kept[q * n + i] : (double)NAN;
    }
    report_count(r, "queries", n_queries);
    report_count(r, "turned", n_turned);
    report_count(r, "gave_up", n_given_up);
    report_count(r, "searched_not_proven", n_unproven);
    report_table(r, "rules", sizeof columns / sizeof *columns, columns);
    column[0] = "cost";
    column[1] = "proven";
    for (size_t i = 0; i < n; i++) {
        size_t n_spoken = 0, n_kept = 0;

        for (size_t q = 0; q < n_queries; q++) {
            n_spoken += x->kept[q * n + i] >= 0;
            n_kept += x->kept[q * n + i] > 0;
        }
        snprintf(name[i], NAME, "%.*s", SPAN_ARGS(rules_name(rules, i)));
        column[i + OWN] = name[i];
        report_cell_text(r, name[i]);
        report_cell_number(r, (double)n_spoken, 0);
        report_cell_number(r, (double)n_kept, 0);
        report_cell_number(r, (double)(n_spoken - n_kept), 0);
    }
    report_queries(r, n + OWN, column, n_queries, &x->data->query_id, value);
    return PECK_OK;
}

peck_status peck_enforce_all(const peck_rules *r, const peck_dataset *d,
                             const double *score, int threads, uint32_t *order,
                             signed char *kept, peck_enforced *info, peck_report **out,
                             peck_error *err)
{
    const size_t n = d->n_queries, n_rules = rules_count(r);
    struct peck_enforcer *e = NULL;
    struct peck_report *report = NULL;
    struct pool *pool = NULL;
    struct arena a = { 0 };

    if (out != NULL)
        *out = NULL;
    peck_status st = pool_new(&pool, threads, err);

    if (st == PECK_OK)
        st = peck_enforcer_new(&e, r, d, err);
    struct enforcing x = { .enforcer = e, .data = d, .score = score, .order = order };

    if (st == PECK_OK) {
        const size_t n_workers = (size_t)pool_size(pool);

        x.kept = kept != NULL ? kept : arena_new(&a, "rules", n * n_rules, 1);
        x.info = info != NULL ? info : arena_new(&a, "rules", n, sizeof *x.info);
        x.error = arena_new(&a, "rules", n_workers, sizeof *x.error);
        st = arena_check(&a, err);
        if (st == PECK_OK)
            pool_run(pool, n, enforce_query, &x);
        if (st == PECK_OK)
            st = query_error_tell(x.error, n_workers, d, err);
    }
    if (st == PECK_OK && out != NULL)
        st = peck_report_new(&report, err);
    if (st == PECK_OK && out != NULL)
        st = report_enforcing(report, &x, &a, err);
    arena_free(&a);
    peck_enforcer_free(e);
    pool_free(pool);
    return out != NULL ? report_finish(out, report, st, err) : st;
}
