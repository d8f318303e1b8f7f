/* rules_report.c -- rules beside data: how they are understood, and how well an order
 * keeps them.                                                                        */
#include "../base/alloc.h"
#include "../base/sort.h"
#include "../data/dataset.h"
#include "../report/report.h"
#include "../rules/rules.h"

#include <math.h>

enum { LONGEST_FORM = 1 << 16 }; /* bytes of a clause in prenex form */

enum {
    EXAMPLES = 3,          /* queries that are named */
    LONGEST_SET = 1 << 13, /* bytes of the names of rules that contradict each other */
    LONGEST_COLUMN = 256,  /* ... over a column of theirs */
    MOST_COLUMNS = 100     /* of conflicts, the first ones */
};

/* What is found out about one rule. */
struct rule_finding {
    size_t n_spoken, n_held; /* queries */
    size_t n_can, n_open;    /* in which it can hold; of which that is not known */
    size_t n_swayed;         /* in which orders differ for it */
    double penalty;          /* summed */
};

struct inspection {
    const struct peck_rules *rules;
    const struct peck_dataset *data;
    size_t n; /* rules */
    struct bound *bound;
    struct rule_finding *finding; /* n */
    struct arena arena;           /* of all arrays */
    /* For evaluation: */
    const double *score;
    double
        *value; /* [n_queries][2 n]: held (0, 1), penalty; NaN: not spoken of.  For checking
                      * [n_queries][n]: can hold (0, 1); NaN: not spoken of, or not known */
    size_t n_broken; /* queries that break at least one */
    /* For checking: */
    struct rule_conflict *conflict;
    size_t n_conflicts, cap_conflicts;
};

/* Rules that cannot hold together. */
struct rule_conflict {
    struct clash clash;
    size_t *query; /* n_queries: where they cannot */
    size_t n_queries, cap_queries;
};

/* Query q as rules see it. */
static struct scene scene_at(const struct peck_dataset *d, size_t q)
{
    return (struct scene){ .docs = dataset_rows(d, q), .id = strings_get(&d->query_id, q) };
}

/* Binds the rules to the features, and refuses queries that they cannot be read for. */
static peck_status inspection_open(struct inspection *x, peck_error *err)
{
    const struct peck_dataset *const d = x->data;
    struct pool *pool = NULL;

    x->n = rules_count(x->rules);
    x->finding = arena_new(&x->arena, "rules", x->n, sizeof *x->finding);
    TRY(arena_check(&x->arena, err));
    TRY(pool_new(&pool, 1, err));
    const peck_status st = dataset_check_features(d, true, pool, err);

    pool_free(pool);
    TRY(st);
    TRY(rules_bind(&x->bound, x->rules, &d->feature_name, d->dim, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const struct scene scene = scene_at(d, q);

        TRY(rules_check_scene(x->bound, &scene, err));
    }
    return PECK_OK;
}

static void inspection_close(struct inspection *x)
{
    bound_free(x->bound);
    for (size_t k = 0; k < x->n_conflicts; k++)
        mem_free(x->conflict[k].query);
    mem_free(x->conflict);
    arena_free(&x->arena);
}

static void add_rule_name(struct peck_report *r, peck_span name)
{
    char text[SPAN_SHOWN + 1];

    snprintf(text, sizeof text, "%.*s", SPAN_ARGS(name));
    report_cell_text(r, text);
}

/* What a person should know of a rule; "-": nothing. */
static const char *remark_on(const struct rule_shape *shape, const struct rule_finding *f,
                             char text[100])
{
    if (shape->n_true == 0)
        return "can never hold";
    if (shape->n_false == 0)
        return "always holds";
    if (f->n_spoken == 0)
        return "speaks of no query";
    if (f->n_swayed == 0)
        return "no ranking can change it: it looks at features alone, or at whole lists";
    if (f->n_open > 0) {
        snprintf(text, 100, "in %zu queries no order was found that keeps it; not proven",
                 f->n_open);
        return text;
    }
    return f->n_can == 0 ? "can hold in no query" : "-";
}

/* "sport, food": false where memory is short, or they are too many. */
static bool name_conflict(struct text *to, const struct inspection *x,
                          const struct rule_conflict *c)
{
    const char *comma = "";

    to->len = 0;
    for (size_t i = 0; i < x->n; i++)
        if ((c->clash.rule[i / 64] >> i % 64 & 1) != 0) {
            const peck_span name = rules_name(x->rules, i);

            text_printf(to, "%s%.*s", comma, SPAN_ARGS(name));
            comma = ", ";
        }
    return !to->failed && to->s != NULL;
}

/* Rules that contradict each other, with some queries where they do. */
static void report_conflicts(struct peck_report *r, const struct inspection *x)
{
    static const char *const columns[] = { "rules", "together", "queries", "examples" };

    report_count(r, "conflicts", x->n_conflicts);
    if (x->n_conflicts > 0)
        report_table(r, "conflicts", sizeof columns / sizeof *columns, columns);
    for (size_t k = 0; k < x->n_conflicts; k++) {
        const struct rule_conflict *const c = &x->conflict[k];
        struct text t;
        char size[40];

        text_init(&t, LONGEST_SET);
        report_cell_text(r, name_conflict(&t, x, c) ? t.s : "(too many)");
        snprintf(size, sizeof size, c->clash.n == 2 ? "two" : "only all %zu", c->clash.n);
        report_cell_text(r, size);
        report_cell_number(r, (double)c->n_queries, 0);
        t.len = 0;
        for (size_t i = 0; i < EXAMPLES && i < c->n_queries; i++) {
            const peck_span id = strings_get(&x->data->query_id, c->query[i]);

            text_printf(&t, "%s%.*s", i > 0 ? ", " : "", SPAN_ARGS(id));
        }
        report_cell_text(r, t.failed || t.s == NULL ? "-" : t.s);
        text_free(&t);
    }
}

/* Per query a column a rule: whether some order keeps it; and a column a conflict: whether it is
 * one here. */
static peck_status report_reach(struct peck_report *r, struct inspection *x,
                                peck_error *err)
{
    const char *const what = "the report";
    const size_t n = x->n, n_queries = x->data->n_queries,
                 n_conflicts =
                     x->n_conflicts < MOST_COLUMNS ? x->n_conflicts : MOST_COLUMNS,
                 n_columns = n + n_conflicts;
    struct arena *const a = &x->arena;
    char *const name = arena_new(a, what, n_columns, LONGEST_COLUMN);
    const char **const column = arena_new(a, what, n_columns, sizeof *column);
    double *const value = arena_new(a, what, n_columns * n_queries, sizeof *value);
    struct text t;

    TRY(arena_check(a, err));
    text_init(&t, LONGEST_SET);
    for (size_t i = 0; i < n_columns; i++) {
        char *const own = name + i * LONGEST_COLUMN;

        if (i < n)
            snprintf(own, LONGEST_COLUMN, "%.*s", SPAN_ARGS(rules_name(x->rules, i)));
        else if (name_conflict(&t, x, &x->conflict[i - n]) && t.len < LONGEST_COLUMN)
            snprintf(own, LONGEST_COLUMN, "%s", t.s);
        else
            snprintf(own, LONGEST_COLUMN, "conflict %zu", i - n + 1);
        column[i] = own;
    }
    text_free(&t);
    for (size_t q = 0; q < n_queries; q++)
        memcpy(value + q * n_columns, x->value + q * n, n * sizeof *value);
    for (size_t k = 0; k < n_conflicts; k++)
        for (size_t i = 0; i < x->conflict[k].n_queries; i++)
            value[x->conflict[k].query[i] * n_columns + n + k] = 1.0;
    report_queries(r, n_columns, column, n_queries, &x->data->query_id, value);
    return PECK_OK;
}

/* How each rule was understood. */
static peck_status report_check_of(struct peck_report *r, struct inspection *x,
                                   peck_error *err)
{
    static const char *const columns[] = { "rule",        "queries",    "can_hold",
                                           "quantifiers", "statements", "true_rows",
                                           "false_rows",  "mixture",    "remark",
                                           "form" };

    report_count(r, "queries", x->data->n_queries);
    report_count(r, "rules", x->n);
    report_table(r, "rules", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < x->n; i++) {
        const struct rule_shape shape = rules_shape(x->rules, i);
        struct text form;
        char remark[100];

        text_init(&form, LONGEST_FORM);
        rules_print(x->rules, i, &form);
        add_rule_name(r, rules_name(x->rules, i));
        report_cell_number(r, (double)x->finding[i].n_spoken, 0);
        report_cell_number(r, (double)x->finding[i].n_can, 0);
        report_cell_number(r, (double)shape.n_quantifiers, 0);
        report_cell_number(r, (double)shape.n_atoms, 0);
        report_cell_number(r, (double)shape.n_true, 0);
        report_cell_number(r, (double)shape.n_false, 0);
        report_cell_text(r, shape.is_of_true ? "true" : "false");
        report_cell_text(r, remark_on(&shape, &x->finding[i], remark));
        report_cell_text(r, form.failed || form.s == NULL ? "(too long)" : form.s);
        text_free(&form);
    }
    report_conflicts(r, x);
    return report_reach(r, x, err);
}

/* Adds what contradicts itself in query q to what did so before. */
static peck_status count_conflicts(struct inspection *x, size_t q,
                                   const struct clash_list *found, peck_error *err)
{
    for (size_t k = 0; k < found->n; k++) {
        size_t at = 0;

        while (at < x->n_conflicts &&
               memcmp(x->conflict[at].clash.rule, found->clash[k].rule,
                      sizeof found->clash->rule) != 0)
            at++;
        if (!mem_reserve(&x->conflict, &x->cap_conflicts, x->n_conflicts + 1,
                         sizeof *x->conflict))
            return fail_memory(err, "rules that contradict each other", x->n_conflicts + 1,
                               sizeof *x->conflict);
        struct rule_conflict *const c = &x->conflict[at];

        if (at == x->n_conflicts) {
            *c = (struct rule_conflict){ .clash = found->clash[k] };
            x->n_conflicts++;
        }
        if (!mem_reserve(&c->query, &c->cap_queries, c->n_queries + 1, sizeof *c->query))
            return fail_memory(err, "rules that contradict each other", c->n_queries + 1,
                               sizeof *c->query);
        c->query[c->n_queries++] = q;
    }
    return PECK_OK;
}

/* What can hold, in each query: finding, conflict. */
static peck_status check_rules(struct inspection *x, peck_error *err)
{
    const struct peck_dataset *const d = x->data;
    unsigned char *const reach = arena_new(&x->arena, "rules", x->n, sizeof *reach);
    struct clash_list found = { 0 };

    x->value = arena_new(&x->arena, "rules", d->n_queries, x->n * sizeof *x->value);
    peck_status st = arena_check(&x->arena, err);

    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++) {
        const struct scene scene = scene_at(d, q);

        found.n = 0;
        st = rules_reach(x->bound, &scene, reach, &found, err);
        for (size_t i = 0; st == PECK_OK && i < x->n; i++) {
            struct rule_finding *const f = &x->finding[i];

            x->value[q * x->n + i] = reach[i] == REACH_CAN     ? 1.0
                                     : reach[i] == REACH_NEVER ? 0.0
                                                               : (double)NAN;
            f->n_spoken += reach[i] != REACH_SILENT;
            f->n_can += reach[i] == REACH_CAN;
            f->n_open += reach[i] == REACH_OPEN;
            f->n_swayed += reach[i] != REACH_SILENT && rules_can_sway(x->bound, i, &scene);
        }
        if (st == PECK_OK)
            st = count_conflicts(x, q, &found, err);
    }
    mem_free(found.clash);
    return st;
}

/* Without scores: how each rule was understood, of how many queries it speaks, in how many it
 * can hold, and which contradict each other. */
peck_status peck_rules_check(peck_report **out, const peck_rules *r, const peck_dataset *d,
                             peck_error *err)
{
    struct inspection x = { .rules = r, .data = d };
    struct peck_report *report = NULL;

    *out = NULL;
    peck_status st = inspection_open(&x, err);

    if (st == PECK_OK)
        st = check_rules(&x, err);
    if (st == PECK_OK)
        st = peck_report_new(&report, err);
    if (st == PECK_OK)
        st = report_check_of(report, &x, err);
    inspection_close(&x);
    return report_finish(out, report, st, err);
}

/* Evaluating ------------------------------------------------------------------------- */

/* Every rule on every query: value, finding, n_broken. */
static peck_status evaluate_rules(struct inspection *x, peck_error *err)
{
    static const char *const what = "the rules of a query";
    const struct peck_dataset *const d = x->data;
    const size_t n = x->n;
    struct arena *const a = &x->arena;
    size_t longest = 0;

    for (size_t i = 0; i < d->n_docs; i++)
        if (!isfinite(x->score[i]))
            return fail(err, PECK_FORMAT, "the score of document %zu is not a number",
                        i + 1);
    for (size_t q = 0; q < d->n_queries; q++)
        if (dataset_rows(d, q).n > longest)
            longest = dataset_rows(d, q).n;
    double *const weight = arena_new(a, what, n, sizeof *weight);
    double *const phi = arena_new(a, what, n, sizeof *phi);
    float *const s = arena_new(a, what, longest, sizeof *s);
    uint32_t *const order = arena_new(a, what, longest, sizeof *order);
    uint32_t *const position = arena_new(a, what, longest, sizeof *position);
    struct sort_item *const item = arena_new(a, what, 2 * longest, sizeof *item);
    void *const scratch = arena_new(a, what, penalty_scratch(x->bound, longest), 1);

    x->value = arena_new(a, what, 2 * n * d->n_queries, sizeof *x->value);
    TRY(arena_check(a, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const struct scene scene = scene_at(d, q);
        const double *const score = x->score + d->start[q];
        double *const value = x->value + 2 * n * q;
        bool is_broken = false;

        /* The order by score, and the penalties that training would see. */
        order_desc(score, (uint32_t)scene.docs.n, order, item);
        for (uint32_t i = 0; i < scene.docs.n; i++) {
            position[order[i]] = i;
            s[i] = (float)score[i];
        }
        for (size_t i = 0; i < n; i++)
            weight[i] = rules_speak_of(x->bound, i, &scene);
        penalty_add(x->bound, &scene, weight, s, NULL, phi, scratch);

        /* Which rules hold outright. */
        for (size_t i = 0; i < n; i++) {
            value[2 * i] = value[2 * i + 1] = (double)NAN;
            if (weight[i] == 0.0)
                continue;
            const bool is_held = rules_hold(x->bound, i, &scene, position);

            value[2 * i] = is_held;
            value[2 * i + 1] = phi[i];
            x->finding[i].n_spoken++;
            x->finding[i].n_held += is_held;
            x->finding[i].penalty += phi[i];
            is_broken |= !is_held;
        }
        x->n_broken += is_broken;
    }
    return PECK_OK;
}

/* Per query there are columns "sport" and "sport.penalty". */
static peck_status report_evaluation(struct peck_report *r, struct inspection *x,
                                     peck_error *err)
{
    enum { NAME = SPAN_SHOWN + 16 };
    static const char *const columns[] = { "rule",  "queries",      "hold",
                                           "break", "broken_share", "penalty" };
    const size_t n = x->n, n_queries = x->data->n_queries;
    char(*const name)[NAME] = arena_new(&x->arena, "the report", 2 * n, sizeof *name);
    const char **const column = arena_new(&x->arena, "the report", 2 * n, sizeof *column);

    TRY(arena_check(&x->arena, err));
    report_count(r, "queries", n_queries);
    report_count(r, "broken", x->n_broken);
    report_number(r, "broken_share", (double)x->n_broken / (double)n_queries, 6);
    report_table(r, "rules", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < n; i++) {
        const struct rule_finding *const f = &x->finding[i];
        const double all = (double)f->n_spoken, broken = (double)(f->n_spoken - f->n_held);

        add_rule_name(r, rules_name(x->rules, i));
        report_cell_number(r, all, 0);
        report_cell_number(r, (double)f->n_held, 0);
        report_cell_number(r, broken, 0);
        report_cell_number(r, all > 0 ? broken / all : (double)NAN, 6);
        report_cell_number(r, all > 0 ? f->penalty / all : (double)NAN, 6);
    }
    for (size_t i = 0; i < 2 * n; i++) {
        snprintf(name[i], NAME, "%.*s%s", SPAN_ARGS(rules_name(x->rules, i / 2)),
                 i % 2 == 0 ? "" : ".penalty");
        column[i] = name[i];
    }
    report_queries(r, 2 * n, column, n_queries, &x->data->query_id, x->value);
    return PECK_OK;
}

/* Rules against data and an order: all that a report tells of them; x->arena is to be freed. */
static peck_status inspect_order(struct inspection *x, peck_error *err)
{
    TRY(inspection_open(x, err));
    return evaluate_rules(x, err);
}

peck_status peck_rules_evaluate(peck_report **out, const peck_rules *r,
                                const peck_dataset *d, const double *score, peck_error *err)
{
    struct inspection x = { .rules = r, .data = d, .score = score };
    struct peck_report *report = NULL;

    if (score == NULL)
        return peck_rules_check(out, r, d, err);
    *out = NULL;
    peck_status st = inspect_order(&x, err);

    if (st == PECK_OK)
        st = peck_report_new(&report, err);
    if (st == PECK_OK)
        st = report_evaluation(report, &x, err);
    inspection_close(&x);
    return report_finish(out, report, st, err);
}

/* Before and after ------------------------------------------------------------------- */

/* x[0] is the baseline.  Per query a rule has four columns: "sport", "sport.penalty" and both
 * with ".before". */
static peck_status report_comparison(struct peck_report *r, struct inspection x[2],
                                     peck_error *err)
{
    enum { NAME = SPAN_SHOWN + 32 };
    static const char *const ends[] = { ".before", ".penalty.before", "", ".penalty" };
    static const char *const columns[] = {
        "rule",           "queries",      "break_before",        "break",
        "mended",         "newly_broken", "broken_share_before", "broken_share",
        "penalty_before", "penalty"
    };
    const size_t n = x->n, n_queries = x->data->n_queries;
    struct arena *const a = &x->arena;
    char(*const name)[NAME] = arena_new(a, "the report", 4 * n, sizeof *name);
    const char **const column = arena_new(a, "the report", 4 * n, sizeof *column);
    double *const value = arena_new(a, "the report", 4 * n * n_queries, sizeof *value);

    TRY(arena_check(a, err));
    report_count(r, "queries", n_queries);
    report_count(r, "broken_before", x[0].n_broken);
    report_count(r, "broken", x[1].n_broken);
    report_number(r, "broken_share_before", (double)x[0].n_broken / (double)n_queries, 6);
    report_number(r, "broken_share", (double)x[1].n_broken / (double)n_queries, 6);
    for (size_t q = 0; q < n_queries; q++)
        for (size_t i = 0; i < 4 * n; i++)
            value[4 * n * q + i] = x[i / 2 % 2].value[2 * (n * q + i / 4) + i % 2];
    report_table(r, "rules", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < n; i++) {
        const double all = (double)x->finding[i].n_spoken;
        size_t n_mended = 0, n_newly = 0;

        for (size_t q = 0; q < n_queries; q++) { /* NaN where it does not speak of it */
            const double before = value[4 * (n * q + i)],
                         after = value[4 * (n * q + i) + 2];

            n_mended += before < after;
            n_newly += before > after;
        }
        add_rule_name(r, rules_name(x->rules, i));
        report_cell_number(r, all, 0);
        for (size_t k = 0; k < 2; k++)
            report_cell_number(r, all - (double)x[k].finding[i].n_held, 0);
        report_cell_number(r, (double)n_mended, 0);
        report_cell_number(r, (double)n_newly, 0);
        for (size_t k = 0; k < 2; k++)
            report_cell_number(r, 1.0 - (double)x[k].finding[i].n_held / all, 6);
        for (size_t k = 0; k < 2; k++)
            report_cell_number(r, x[k].finding[i].penalty / all, 6);
    }
    for (size_t i = 0; i < 4 * n; i++) {
        snprintf(name[i], NAME, "%.*s%s", SPAN_ARGS(rules_name(x->rules, i / 4)),
                 ends[i % 4]);
        column[i] = name[i];
    }
    report_queries(r, 4 * n, column, n_queries, &x->data->query_id, value);
    return PECK_OK;
}

peck_status peck_rules_compare(peck_report **out, const peck_rules *r,
                               const peck_dataset *d, const double *baseline,
                               const double *score, peck_error *err)
{
    struct inspection x[2] = { { .rules = r, .data = d, .score = baseline },
                               { .rules = r, .data = d, .score = score } };
    struct peck_report *report = NULL;

    *out = NULL;
    peck_status st = inspect_order(&x[0], err);

    if (st == PECK_OK)
        st = inspect_order(&x[1], err);
    if (st == PECK_OK)
        st = peck_report_new(&report, err);
    if (st == PECK_OK)
        st = report_comparison(report, x, err);
    inspection_close(&x[0]);
    inspection_close(&x[1]);
    return report_finish(out, report, st, err);
}
