/* rules.c -- a file of rules, line by line; see rules.h. */
#include "tree.h"

#include "../base/alloc.h"
#include "../base/input.h"

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

/* Keeps name and text: messages and feature names point into them. */
static peck_status keep_text(struct peck_rules *r, const struct input *in, peck_error *err)
{
    const size_t n = strlen(in->name);

    if (in->size > MAX_RULE_FILE)
        return fail(err, PECK_FORMAT, "%s: a file of rules has at most %d bytes", in->name,
                    MAX_RULE_FILE);
    r->name = mem_new(n + 1, 1);
    r->text = mem_new(in->size + INPUT_PADDING, 1);
    if (r->name == NULL || r->text == NULL)
        return fail_memory(err, in->name, in->size, 1);
    memcpy(r->name, in->name, n);
    memcpy(r->text, in->data, in->size);
    r->size = in->size;
    return PECK_OK;
}

static peck_status keep_lines(struct peck_rules *r, peck_error *err)
{
    const struct input text = { .data = r->text, .size = r->size, .name = r->name };
    struct lines lines = lines_of(&text);
    peck_span line;

    while (lines_next(&lines, &line)) {
        if (!mem_reserve(&r->line, &r->cap_lines, r->n_lines + 1, sizeof *r->line))
            return fail_memory(err, r->name, r->n_lines + 1, sizeof *r->line);
        while (line.n > 0 && line.s[line.n - 1] == '\r')
            line.n--;
        r->line[r->n_lines++] = line;
    }
    return PECK_OK;
}

/* Positions are shared by the rules of one alpha. */
static void share_alpha(struct peck_rules *r, struct rule *rule)
{
    size_t i = 0;

    while (i < r->n_alphas && r->alpha[i] != rule->config.alpha)
        i++;
    if (i == r->n_alphas)
        r->alpha[r->n_alphas++] = rule->config.alpha;
    rule->steepness = i;
}

static peck_status parse(struct peck_rules *r, const struct input *in, peck_error *err)
{
    struct rule_config now;

    param_defaults(rule_params, &now);
    TRY(keep_text(r, in, err));
    TRY(keep_lines(r, err));
    for (size_t i = 0; i < r->n_lines; i++)
        TRY(parse_line(r, (uint32_t)i + 1, &now, err));
    if (r->n_rules == 0)
        return fail(err, PECK_FORMAT, "%s: there is no rule in it", r->name);
    for (size_t i = 0; i < r->n_rules; i++)
        share_alpha(r, &r->rule[i]);
    return PECK_OK;
}

peck_status peck_rules_read(peck_rules **out, const char *path, peck_error *err)
{
    struct input in = { 0 };
    struct peck_rules *const r = mem_new(1, sizeof *r);

    *out = NULL;
    if (r == NULL)
        return fail_memory(err, "rules", 1, sizeof *r);
    peck_status st = input_open(&in, path, err);

    if (st == PECK_OK)
        st = input_blame(&in, parse(r, &in, err), err);
    input_close(&in);
    if (st == PECK_OK)
        *out = r;
    else
        peck_rules_free(r);
    return st;
}

size_t rules_count(const struct peck_rules *r)
{
    return r->n_rules;
}

peck_span rules_name(const struct peck_rules *r, size_t rule)
{
    return r->rule[rule].name;
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
