/* rules.c -- a file of rules, line by line; its features by name; a clause printed as a user
 * could write it.  See rules.h.                                                       */
#include "tree.h"

#include "../base/alloc.h"
#include "../base/input.h"
#include "../base/number.h"

const struct param rule_params[] = {
    { "weight", PARAM_FLOAT, "1", "[0,1e6]", "how much the rule counts beside the labels",
      offsetof(struct rule_config, weight) },
    { "sigma", PARAM_FLOAT, "0.5", "[0.01,10]",
      "width of the Gaussians: the larger, the farther a clause that fails is felt",
      offsetof(struct rule_config, sigma) },
    { "mixture", PARAM_CHOICE, "auto", "auto|true|false",
      "Gaussians over the true rows of the truth table, 1 minus those over the false ones, "
      "or whichever are fewer",
      offsetof(struct rule_config, mixture) },
    { "all", PARAM_CHOICE, "max", "max|mean",
      "forall takes the largest penalty over the documents, or the mean",
      offsetof(struct rule_config, all) },
    { "some", PARAM_CHOICE, "min", "min|dual",
      "exists takes the smallest penalty, or what De Morgan's law makes of `all`",
      offsetof(struct rule_config, some) },
    { "alpha", PARAM_FLOAT, "1", "(0,1e9]",
      "steepness by which a difference of scores becomes an order",
      offsetof(struct rule_config, alpha) },
    { "beta", PARAM_FLOAT, "1", "(0,1e9]",
      "steepness by which an expected position becomes top(k, d)",
      offsetof(struct rule_config, beta) },
    { "logic", PARAM_CHOICE, "gaussian", "gaussian|product|lukasiewicz|minimum",
      "mixtures of Gaussians, or a t-norm", offsetof(struct rule_config, logic) },
    { "most", PARAM_INT, "1000000", "[1,1e12]",
      "from three quantifiers on: the most combinations of documents in a query",
      offsetof(struct rule_config, most) },
    { 0 }
};

void peck_rules_free(peck_rules *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->n_rules; i++)
        mem_free(r->rule[i].row);
    mem_free(r->name);
    mem_free(r->text);
    mem_free(r->line);
    mem_free(r->node);
    mem_free(r->mention);
    mem_free(r->definition);
    mem_free(r->rule);
    mem_free(r);
}

/* Settings of all rules, over their own. */
static peck_status override_settings(struct peck_rules *r, struct rule *rule,
                                     const char *const *settings, peck_error *err)
{
    for (size_t i = 0; settings[i] != NULL; i++)
        TRY(param_set_pair(rule_params, &rule->config, "rules", span_of(settings[i]), err));
    mem_free(rule->row); /* of a mixture that may have become another */
    rule->row = NULL;
    return rule_tabulate(r, rule, err);
}

/* Name and text are kept: messages and feature names point into them.  settings: for all
 * rules; NULL: their own. */
static peck_status parse_rules(struct peck_rules *r, const struct input *in,
                               const char *const *settings, peck_error *err)
{
    const size_t n_name = strlen(in->name);
    struct rule_config now;
    peck_span line;

    if (in->size > MAX_RULE_FILE)
        return fail(err, PECK_FORMAT, "%s: a file of rules has at most %d bytes", in->name,
                    MAX_RULE_FILE);
    r->name = mem_new(n_name + 1, 1);
    r->text = mem_new(in->size + INPUT_PADDING, 1);
    if (r->name == NULL || r->text == NULL)
        return fail_memory(err, in->name, in->size, 1);
    memcpy(r->name, in->name, n_name);
    memcpy(r->text, in->data, in->size);
    r->n_bytes = in->size;
    const struct input text = { .data = r->text, .size = in->size, .name = r->name };
    struct lines lines = lines_of(&text);

    while (lines_next(&lines, &line)) {
        if (!mem_reserve(&r->line, &r->cap_lines, r->n_lines + 1, sizeof *r->line))
            return fail_memory(err, r->name, r->n_lines + 1, sizeof *r->line);
        while (line.n > 0 && line.s[line.n - 1] == '\r')
            line.n--;
        r->line[r->n_lines++] = line;
    }
    param_defaults(rule_params, &now);
    for (size_t i = 0; i < r->n_lines; i++)
        TRY(parse_line(r, (uint32_t)i + 1, &now, err));
    if (r->n_rules == 0)
        return fail(err, PECK_FORMAT, "%s: there is no rule in it", r->name);
    for (size_t i = 0; settings != NULL && i < r->n_rules; i++)
        TRY(override_settings(r, &r->rule[i], settings, err));
    /* Positions are shared by rules of one alpha. */
    for (size_t i = 0; i < r->n_rules; i++) {
        struct rule *const rule = &r->rule[i];

        while (rule->steepness < r->n_alphas &&
               r->alpha[rule->steepness] != rule->config.alpha)
            rule->steepness++;
        if (rule->steepness == r->n_alphas)
            r->alpha[r->n_alphas++] = rule->config.alpha;
    }
    return PECK_OK;
}

/* The rules in `in`, which is closed. */
static peck_status take_rules(struct peck_rules **out, struct input *in,
                              const char *const *settings, peck_error *err)
{
    struct peck_rules *const r = mem_new(1, sizeof *r);
    const peck_status st = r != NULL
                               ? input_blame(in, parse_rules(r, in, settings, err), err)
                               : fail_memory(err, "rules", 1, sizeof *r);

    input_close(in);
    if (st == PECK_OK)
        *out = r;
    else
        peck_rules_free(r);
    return st;
}

peck_status peck_rules_read(peck_rules **out, const char *path, peck_error *err)
{
    struct input in;

    *out = NULL;
    TRY(input_open(&in, path, err));
    return take_rules(out, &in, NULL, err);
}

peck_status peck_rules_parse(peck_rules **out, const char *text, peck_error *err)
{
    struct input in;

    *out = NULL;
    TRY(input_of_memory(&in, text, strlen(text), "rules", err));
    return take_rules(out, &in, NULL, err);
}

peck_status peck_rules_with(peck_rules **out, const peck_rules *r,
                            const char *const *settings, peck_error *err)
{
    struct input in;

    *out = NULL;
    TRY(input_of_memory(&in, r->text, r->n_bytes, r->name, err));
    return take_rules(out, &in, settings, err);
}

size_t rules_count(const struct peck_rules *r)
{
    return r->n_rules;
}

peck_span rules_name(const struct peck_rules *r, size_t rule)
{
    return r->rule[rule].name;
}

size_t peck_rules_count(const peck_rules *r)
{
    return r->n_rules;
}

peck_span peck_rules_name(const peck_rules *r, size_t rule)
{
    return rule < r->n_rules ? r->rule[rule].name : (peck_span){ "", 0 };
}

const struct rule_config *rules_config(const struct peck_rules *r, size_t rule)
{
    return &r->rule[rule].config;
}

void rules_print_settings(const struct peck_rules *r, size_t rule, struct text *to)
{
    for (const struct param *row = rule_params + 1; row->type != PARAM_END; row++) {
        text_printf(to, " %s ", row->key);
        param_print(row, &r->rule[rule].config, to);
    }
}

/* Whatever the logic, a clause that always holds has nothing to ask for; but a mixture
 * over its true rows, if insisted on, pulls all propositions towards yes or no. */
struct rule_shape rules_shape(const struct peck_rules *r, size_t rule)
{
    const struct rule *const x = &r->rule[rule];
    const bool insists = x->config.logic == LOGIC_GAUSSIAN && x->is_of_true;

    return (struct rule_shape){ .n_quantifiers = x->n_prefix,
                                .n_atoms = x->n_atoms,
                                .n_true = x->n_true,
                                .n_false = x->n_false,
                                .is_of_true = x->is_of_true,
                                .is_idle = x->n_false == 0 && !insists };
}

peck_status rules_refuse_never(const struct peck_rules *r, peck_error *err)
{
    for (size_t i = 0; i < r->n_rules; i++)
        if (r->rule[i].n_true == 0)
            return complain(r, r->rule[i].at, err,
                            "the rule '%.*s' is a contradiction: it can never hold",
                            SPAN_ARGS(r->rule[i].name));
    return PECK_OK;
}

/* Features by name -------------------------------------------------------------------- */

static peck_status unknown_feature(const struct peck_rules *r, const struct mention *m,
                                   const struct strings *names, size_t dim, peck_error *err)
{
    char typed[SPAN_SHOWN + 1], near[SPAN_SHOWN + 1], other[SPAN_SHOWN + 1];
    bool is_found = false;

    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(m->name));
    /* An equally near one does not take its place. */
    for (size_t i = 0; i < names->n; i++) {
        const char *const both[] = { near, other };

        snprintf(other, sizeof other, "%.*s", SPAN_ARGS(strings_get(names, i)));
        if (peck_nearest(typed, both + !is_found, 1 + is_found) == other) {
            memcpy(near, other, sizeof other);
            is_found = true;
        }
    }
    if (is_found)
        return complain(r, m->at, err, "unknown feature '%s'; did you mean '%s'?", typed,
                        near);
    if (names->n == 0)
        return complain(r, m->at, err,
                        "unknown feature '%s'; the data names none, so they are f1 to f%zu",
                        typed, dim);
    return complain(r, m->at, err,
                    "unknown feature '%s'; `peck stats DATA --list-features` lists them",
                    typed);
}

/* The column of a feature, below 0 where there is none:
 *   q.topic    the column "query_topic" where there is one, else "topic"
 *   d.topic    the column "topic"
 *   d.f12      column 12, counted from 1, where none is called f12                     */
static int64_t find_column(const struct index *names, const struct mention *m, size_t dim)
{
    char whole[SPAN_SHOWN + sizeof "query_"];
    int64_t found = -1;
    uint64_t number;

    snprintf(whole, sizeof whole, "query_%.*s", SPAN_ARGS(m->name));
    if (m->is_of_query && m->name.n <= SPAN_SHOWN)
        found = index_find(names, span_of(whole));
    if (found < 0)
        found = index_find(names, m->name);
    if (found < 0 && m->name.n > 1 && m->name.s[0] == 'f' &&
        number_parse_u64((peck_span){ m->name.s + 1, m->name.n - 1 }, &number) &&
        number >= 1 && number <= dim)
        found = (int64_t)number - 1;
    return found;
}

peck_status rules_bind(struct bound **out, const struct peck_rules *r,
                       const struct strings *feature_name, size_t dim, peck_error *err)
{
    struct bound *const b = mem_new(1, sizeof *b);
    struct index index = { 0 };
    peck_status st = PECK_OK;

    *out = NULL;
    if (b == NULL || (b->column = mem_new(r->n_mentions, sizeof *b->column)) == NULL) {
        bound_free(b);
        return fail_memory(err, "rules", r->n_mentions, sizeof *b->column);
    }
    b->rules = r;
    /* Names with their columns as numbers.  A column without a name, or with one that was
     * there before, holds its place by something no one can write. */
    for (size_t i = 0; st == PECK_OK && i < feature_name->n; i++) {
        const peck_span name = strings_get(feature_name, i);
        const bool is_new = name.n > 0 && index_find(&index, name) < 0;
        char place[32];

        snprintf(place, sizeof place, "\n%zu", i);
        if (index_put(&index, is_new ? name : span_of(place)) == INDEX_FULL)
            st = fail_memory(err, "the names of features", feature_name->n, sizeof place);
    }
    for (size_t i = 0; st == PECK_OK && i < r->n_mentions; i++) {
        const int64_t found = find_column(&index, &r->mention[i], dim);

        if (found < 0)
            st = unknown_feature(r, &r->mention[i], feature_name, dim, err);
        b->column[i] = (uint32_t)found;
    }
    index_free(&index);
    if (st == PECK_OK)
        *out = b;
    else
        bound_free(b);
    return st;
}

size_t rules_narrow(struct bound *b, uint32_t *from)
{
    size_t n = 0;

    for (size_t i = 0; i < b->rules->n_mentions; i++) {
        size_t at = 0;

        while (at < n && from[at] != b->column[i])
            at++;
        if (at == n)
            from[n++] = b->column[i];
        b->column[i] = (uint32_t)at;
    }
    return n;
}

void bound_free(struct bound *b)
{
    if (b == NULL)
        return;
    mem_free(b->column);
    mem_free(b);
}

/* A clause in prenex form, as a user could write it ------------------------------------- */

struct clause_printing {
    const struct peck_rules *rules;
    const struct rule *rule;
    struct text *to;
};

/* Its name, with a number where an earlier variable has the same. */
static void print_var(const struct clause_printing *p, uint32_t var)
{
    const peck_span name = p->rule->var_name[var];
    size_t number = 1;

    for (uint32_t i = 0; i < p->rule->n_prefix && p->rule->prefix[i].var != var; i++)
        number += span_equal(p->rule->var_name[p->rule->prefix[i].var], name);
    text_add(p->to, name.s, name.n);
    if (number > 1)
        text_printf(p->to, "%zu", number);
}

static void print_number(const struct clause_printing *p, double v)
{
    char digits[64];

    text_add(p->to, digits, number_print(digits, sizeof digits, 'g', 9, v));
}

static void print_feature(const struct clause_printing *p, const struct node *n)
{
    const peck_span name = p->rules->mention[n->mention].name;
    bool is_word = name.n > 0;

    for (size_t i = 0; i < name.n; i++)
        is_word &= (name.s[i] >= 'a' && name.s[i] <= 'z') ||
                   (name.s[i] >= 'A' && name.s[i] <= 'Z') || name.s[i] == '_' ||
                   (i > 0 && is_digit(name.s[i]));
    print_var(p, n->var[0]);
    text_add_str(p->to, is_word ? "." : ".\"");
    text_add(p->to, name.s, name.n);
    text_add_str(p->to, is_word ? "" : "\"");
}

enum { LOOSEST = 9 };

/* How loosely a kind binds (0: as a whole), and what stands between its two sides. */
static const struct {
    int looseness;
    const char *word;
} printed[] = {
    [NODE_IFF] = { 9, " iff " }, [NODE_IMPLIES] = { 8, " implies " },
    [NODE_OR] = { 7, " or " },   [NODE_AND] = { 6, " and " },
    [NODE_NOT] = { 5, NULL },    [NODE_LESS] = { 4, " < " },
    [NODE_EQUAL] = { 4, " = " }, [NODE_ADD] = { 3, " + " },
    [NODE_SUB] = { 3, " - " },   [NODE_MUL] = { 2, " * " },
    [NODE_DIV] = { 2, " / " },   [NODE_NEG] = { 1, NULL },
};

/* In parentheses where it binds more loosely than its place allows. */
static void print_node(const struct clause_printing *p, uint32_t at, int loosest)
{
    const struct node *const n = &p->rules->node[at];
    const int own = printed[n->kind].looseness;

    text_add_str(p->to, own > loosest ? "(" : "");
    switch (n->kind) {
    case NODE_TRUE:
    case NODE_FALSE:
        text_add_str(p->to, n->kind == NODE_TRUE ? "true" : "false");
        break;
    case NODE_TOP:
        text_add_str(p->to, "top(");
        print_number(p, n->number);
        text_add_str(p->to, ", ");
        print_var(p, n->var[0]);
        text_add_str(p->to, ")");
        break;
    case NODE_BEFORE:
    case NODE_SAME:
        text_add_str(p->to, n->kind == NODE_SAME ? "same(" : "before(");
        print_var(p, n->var[0]);
        text_add_str(p->to, ", ");
        print_var(p, n->var[1]);
        text_add_str(p->to, ")");
        break;
    case NODE_NUMBER:
        print_number(p, n->number);
        break;
    case NODE_FEATURE:
        print_feature(p, n);
        break;
    case NODE_SOFT:
        print_node(p, n->left, LOOSEST);
        break;
    case NODE_NOT:
    case NODE_NEG:
        text_add_str(p->to, n->kind == NODE_NOT ? "not " : "-");
        print_node(p, n->left, own);
        break;
    default: /* "implies" groups to the right, all others to the left */
        print_node(p, n->left, own - (n->kind == NODE_IMPLIES));
        text_add_str(p->to, printed[n->kind].word);
        print_node(p, n->right, own - (n->kind != NODE_IMPLIES));
    }
    text_add_str(p->to, own > loosest ? ")" : "");
}

void rules_print(const struct peck_rules *r, size_t rule, struct text *to)
{
    const struct rule *const x = &r->rule[rule];
    const struct clause_printing p = { r, x, to };
    bool goes_on = x->guard == NO_NODE; /* "forall q" may go on with ", d" */

    /* "forall q | guard : " (the guard as it was written), or "forall q, " or "forall q : ". */
    text_add_str(to, "forall q");
    if (x->guard != NO_NODE) {
        text_add_str(to, " | ");
        text_add(to, x->guard_text.s, x->guard_text.n);
    }
    if (x->guard != NO_NODE || x->n_prefix == 0 || !x->prefix[0].is_forall)
        text_add_str(to, " : ");
    for (uint32_t i = 0; i < x->n_prefix; i++) {
        const bool is_forall = x->prefix[i].is_forall;

        goes_on = i == 0 ? goes_on && is_forall : is_forall == x->prefix[i - 1].is_forall;
        if (goes_on)
            text_add_str(to, ", ");
        else
            text_printf(to, "%s%s", i > 0 ? " : " : "", is_forall ? "forall " : "exists ");
        print_var(&p, x->prefix[i].var);
    }
    if (x->n_prefix > 0)
        text_add_str(to, " : ");
    print_node(&p, x->matrix, LOOSEST);
}
