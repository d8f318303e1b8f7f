/* recipe.c -- what users call a method, and its settings over all tables.
 *
 * A method's settings come from five tables (its own, the learner's, the family's, the
 * objective's, the training set's).  Each starts from its defaults, then the preset speaks,
 * then the size, then the user.                                                      */
#include "learner.h"
#include "own_loss.h"

#include "../base/alloc.h"
#include "../base/maths.h"
#include "../base/number.h"
#include "../base/spec.h"

#include <math.h>

enum { OWN, LEARNER_TABLE, FAMILY_TABLE, OBJECTIVE_TABLE, TRAIN_SET_TABLE };
enum { PRESET_TUNED, PRESET_PAPER };

/* The settings every method has; `size` is of those that sizes.def names. */
struct own {
    int preset;
    char size[PARAM_TEXT_MAX], norm[PARAM_TEXT_MAX];
};

static const struct param own_params[] = {
    { "size", PARAM_TEXT, "auto", "auto, small, or a larger size of the method",
      "how large a model is trained, for the settings that are auto; auto: on large data "
      "the validation data chooses, after a short training of each size",
      offsetof(struct own, size) },
    { "preset", PARAM_CHOICE, "tuned", "tuned|paper",
      "the best settings known, or those of the paper, as far as it tells them",
      offsetof(struct own, preset) },
    { "norm", PARAM_TEXT, "zscore", "a normaliser, or two with '+' between them",
      "how features are scaled", offsetof(struct own, norm) },
    { 0 }
};

/* The lists ------------------------------------------------------------------------- */

#define LEARNER(name) extern const struct learner learner_##name;
#include "learners.def"
#undef LEARNER

#define OBJECTIVE(name) extern const struct objective objective_##name;
#include "objectives.def"
#undef OBJECTIVE

/* NAMED is a RECIPE whose name no C name can be.  Neither can call the other: SET makes
 * commas. */
#define SET(key, value) { key, value },
#define DISH(id, name, l, f, o, heading, text)                                    \
    static const struct recipe recipe_##id = { { { name, heading, text }, NULL }, \
                                               &learner_##l,                      \
                                               &family_##f,                       \
                                               o,                                 \
                                               tuned_##id,                        \
                                               paper_##id };
#define NAMED(id, name, l, f, o, tuned_set, paper_set, heading, text)            \
    static const struct preset_value tuned_##id[] = { tuned_set{ NULL, NULL } }; \
    static const struct preset_value paper_##id[] = { paper_set{ NULL, NULL } }; \
    DISH(id, name, l, f, o, heading, text)
#define RECIPE(id, l, f, o, tuned_set, paper_set, heading, text)                 \
    static const struct preset_value tuned_##id[] = { tuned_set{ NULL, NULL } }; \
    static const struct preset_value paper_##id[] = { paper_set{ NULL, NULL } }; \
    DISH(id, #id, l, f, o, heading, text)
#include "recipes.def"
#undef RECIPE
#undef NAMED
#undef DISH

#define SIZE(id, method, name, from, below, settings) \
    static const struct preset_value size_##id[] = { settings{ NULL, NULL } };
#include "sizes.def"
#undef SIZE

#define SIZE(id, method, name, from, below, settings) \
    { method, name, from, below, size_##id },
static const struct size sizes[] = {
#include "sizes.def"
};
#undef SIZE

#define RECIPE(id, ...) &recipe_##id.plug,
#define NAMED(id, ...) &recipe_##id.plug,
const struct plug *const recipes[] = {
#include "recipes.def"
};
#undef RECIPE
#undef NAMED
#undef SET
const size_t n_recipes = sizeof recipes / sizeof *recipes;

peck_recipe recipe_parts(const struct recipe *r)
{
    return (peck_recipe){ r->learner->plug.about.name, r->family->plug.about.name,
                          r->objective != NULL ? r->objective->plug.about.name : NULL };
}

#define GROUP(title, names) { title, names },
static const struct group {
    const char *title, *names; /* names parted by blanks */
} groups[] = {
#include "groups.def"
};
#undef GROUP

const char *recipe_group(const char *method)
{
    const size_t n = strlen(method);

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const char *at = groups[i].names; (at = strstr(at, method)) != NULL; at += n)
            if ((at == groups[i].names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
                return groups[i].title;
    return NULL;
}

bool recipe_takes_rules(const struct recipe *r)
{
    return r->learner->takes_rules;
}

peck_status recipe_check_rules(const struct recipe *r, peck_error *err)
{
    if (recipe_takes_rules(r))
        return PECK_OK;
    return fail(err, PECK_ARG,
                "%s does not learn by gradients, so it cannot use rules; take "
                "lambdaneuralrank, sortnet, lambdamart or another that `peck list "
                "methods` marks",
                r->plug.about.name);
}

peck_status recipe_check_ranks(const struct recipe *r, peck_error *err)
{
    if (r->learner->takes_ranks)
        return PECK_OK;
    return fail(err, PECK_ARG,
                "%s trains on one machine; take a net, lambdamart, mart, ridge or ranksvm, "
                "or one process",
                r->plug.about.name);
}

peck_status recipe_check_pairs(const struct recipe *r, peck_error *err)
{
    if (recipe_has_pairs(r))
        return PECK_OK;
    return fail(err, PECK_ARG,
                "%s learns from labels, not from preferences; take ranknet, "
                "directranker or another method of pairs",
                r->plug.about.name);
}

peck_status recipe_check_alone(const struct recipe *r, peck_error *err)
{
    if (r->family->scores != NULL)
        return PECK_OK;
    return fail(err, PECK_ARG,
                "%s compares documents and has no score of one alone; with --alone take a "
                "method that scores, such as lambdaneuralrank or lambdamart",
                r->plug.about.name);
}

/* Sizes ------------------------------------------------------------------------------- */

const struct size *recipe_size(const struct recipe *r, size_t i)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (strcmp(sizes[k].method, r->plug.about.name) == 0 && i-- == 0)
            return &sizes[k];
    return NULL;
}

struct trial_rule recipe_trial(const struct recipe *r)
{
    return r->learner->trial;
}

/* Whether the data decides on this setting: a larger size of the method has another value
 * of it, or steps grow. */
static bool is_auto(const struct recipe *r, peck_span key)
{
    const struct size *size;

    if (r->learner->suit != NULL &&
        (span_is(key, "batch") || span_is(key, "rate") || span_is(key, "decay")))
        return true;
    for (size_t i = 0; (size = recipe_size(r, i)) != NULL; i++)
        for (const struct preset_value *c = size->set; c->key != NULL; c++)
            if (span_is(key, c->key))
                return true;
    return false;
}

/* Tables ---------------------------------------------------------------------------- */

bool recipe_has_pairs(const struct recipe *r)
{
    return r->objective != NULL ? r->objective->is_pairwise : r->learner->is_pairwise;
}

/* Table t of a method; NULL: it has none.  *size: of its configuration. */
static const struct param *table_of(const struct recipe *r, size_t t, size_t *size)
{
    *size = 0;
    switch (t) {
    case OWN:
        *size = sizeof(struct own);
        return recipe_size(r, 0) != NULL ? own_params : own_params + 1;
    case LEARNER_TABLE:
        *size = r->learner->config_size;
        return r->learner->plug.params;
    case FAMILY_TABLE:
        *size = r->family->shape_size;
        return r->family->plug.params;
    case OBJECTIVE_TABLE:
        *size = r->objective != NULL ? r->objective->config_size : 0;
        return r->objective != NULL ? r->objective->plug.params : NULL;
    default:
        *size = sizeof(struct train_set_config);
        return train_set_params(recipe_has_pairs(r));
    }
}

const struct param *recipe_param(const struct recipe *r, size_t i, const char **value)
{
    const struct param *found = NULL;
    size_t size;

    for (size_t t = 0; found == NULL && t < N_TABLES; t++) {
        const struct param *row = table_of(r, t, &size);

        for (; row != NULL && row->type != PARAM_END && found == NULL; row++)
            if (i-- == 0)
                found = row;
    }
    if (found == NULL)
        return NULL;
    *value = found->value;
    for (const struct preset_value *c = r->tuned; c->key != NULL; c++)
        if (strcmp(c->key, found->key) == 0)
            *value = c->value;
    if (is_auto(r, span_of(found->key)))
        *value = "auto";
    return found;
}

/* The plan -------------------------------------------------------------------------- */

/* The first table that knows the key takes the value. */
static peck_status plan_set_span(struct plan *p, peck_span key, peck_span value,
                                 peck_error *err)
{
    enum { MOST = 128 };
    const char *const method = p->recipe->plug.about.name;
    const char *known[MOST], *unused;
    const struct param *row;
    char typed[SPAN_SHOWN + 1];
    size_t n = 0;

    for (size_t t = 0; t < N_TABLES; t++)
        for (row = p->table[t]; row != NULL && row->type != PARAM_END; row++)
            if (span_is(key, row->key))
                return param_set(p->table[t], p->config[t], method, key, value, err);
    while (n < MOST && (row = recipe_param(p->recipe, n, &unused)) != NULL)
        known[n++] = row->key;
    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(key));
    const char *const near = peck_nearest(typed, known, n);

    if (near != NULL)
        return fail(err, PECK_ARG, "%s: unknown setting '%s'; did you mean '%s'?", method,
                    typed, near);
    return fail(err, PECK_ARG, "%s: unknown setting '%s'; see `peck help %s`", method,
                typed, method);
}

/* A setting of the user's; "auto" leaves it to the size and the data. */
static peck_status set_pair(struct plan *p, const char *pair, peck_error *err)
{
    const char *const eq = strchr(pair, '=');

    if (eq == NULL)
        return fail(err, PECK_ARG, "%s: '%.60s' is not a setting; write key=value",
                    p->recipe->plug.about.name, pair);
    const peck_span key = { pair, (size_t)(eq - pair) };

    if (strcmp(eq + 1, "auto") == 0 && is_auto(p->recipe, key))
        return PECK_OK;
    return plan_set_span(p, key, span_of(eq + 1), err);
}

static peck_status set_choices(struct plan *p, const struct preset_value *c,
                               peck_error *err)
{
    for (; c->key != NULL; c++)
        TRY(plan_set_span(p, span_of(c->key), span_of(c->value), err));
    return PECK_OK;
}

/* Those of the user's settings that begin with `head`, "size=". */
static peck_status set_pairs(struct plan *p, const char *const *settings, const char *head,
                             peck_error *err)
{
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++)
        if (strncmp(settings[i], head, strlen(head)) == 0)
            TRY(set_pair(p, settings[i], err));
    return PECK_OK;
}

/* The settings of `given`, or of the size that the user names. */
static peck_status set_size(struct plan *p, const char *const *settings,
                            const struct size *given, peck_error *err)
{
    const struct own *const own = p->config[OWN];
    const char *const method = p->recipe->plug.about.name;
    const struct size *size = given;
    char known[1 << 10] = "";
    size_t n_known = 0;

    if (recipe_size(p->recipe, 0) == NULL)
        return PECK_OK;
    TRY(set_pairs(p, settings, "size=", err));
    const bool is_auto = strcmp(own->size, "auto") == 0;

    p->is_size_open = is_auto && own->preset == PRESET_TUNED;
    if (given == NULL && !is_auto && strcmp(own->size, "small") != 0) {
        for (size_t i = 0; (size = recipe_size(p->recipe, i)) != NULL; i++) {
            if (strcmp(size->name, own->size) == 0)
                break;
            n_known += (size_t)snprintf(known + n_known, sizeof known - n_known, ", %s",
                                        size->name);
        }
        if (size == NULL)
            return fail(err, PECK_ARG, "%s: unknown size '%.60s'; give auto, small%s",
                        method, own->size, known);
        if (own->preset == PRESET_PAPER)
            return fail(err, PECK_ARG, "%s: preset=paper has one size; leave size= out",
                        method);
    }
    return size != NULL ? set_choices(p, size->set, err) : PECK_OK;
}

/* Whether a user's setting gives this one a value of its own. */
static bool gives(const char *pair, const char *key)
{
    const size_t n = strlen(key);

    return strncmp(pair, key, n) == 0 && pair[n] == '=' &&
           strcmp(pair + n + 1, "auto") != 0;
}

/* Defaults, then the preset, then the size, then the user, wherever he wrote the first two. */
static peck_status fill_plan(struct plan *p, const char *const *settings,
                             const struct size *size, peck_error *err)
{
    for (size_t t = 0; t < N_TABLES; t++) {
        size_t n_bytes;

        p->table[t] = table_of(p->recipe, t, &n_bytes);
        p->config[t] = mem_new(1, n_bytes);
        if (p->config[t] == NULL)
            return fail_memory(err, "settings", 1, n_bytes);
        if (p->table[t] != NULL)
            param_defaults(p->table[t], p->config[t]);
    }
    const struct own *const own = p->config[OWN];

    p->norm = own->norm;
    p->learner = p->config[LEARNER_TABLE];
    p->shape = p->config[FAMILY_TABLE];
    p->objective = p->config[OBJECTIVE_TABLE];
    p->set_config = p->config[TRAIN_SET_TABLE];
    TRY(set_pairs(p, settings, "preset=", err));
    p->has_own_step = own->preset == PRESET_PAPER;
    TRY(set_choices(p, p->has_own_step ? p->recipe->paper : p->recipe->tuned, err));
    TRY(set_size(p, settings, size, err));
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++) {
        TRY(set_pair(p, settings[i], err));
        p->has_own_leaf |= gives(settings[i], "min_leaf");
        p->has_own_step |= gives(settings[i], "batch") || gives(settings[i], "rate");
        p->has_own_decay |= gives(settings[i], "decay");
        p->has_own_epochs |= gives(settings[i], "epochs");
    }
    return PECK_OK;
}

bool plan_has_ruled(const struct plan *p)
{
    const struct own *const own = p->config[OWN];

    return p->recipe->learner->ruled != NULL && own->preset == PRESET_TUNED;
}

peck_status plan_set_ruled(struct plan *p, const char *const *settings, peck_error *err)
{
    TRY(set_choices(p, p->recipe->learner->ruled, err));
    return set_pairs(p, settings, "", err);
}

peck_status plan_set_taught(struct plan *p, const char *const *settings, peck_error *err)
{
    const struct preset_value *c = p->recipe->learner->taught;
    const struct own *const own = p->config[OWN];
    const bool has_size = recipe_size(p->recipe, 0) != NULL && !p->is_size_open;
    char value[32];

    if (c == NULL || has_size || own->preset == PRESET_PAPER)
        return PECK_OK;
    for (; c->key != NULL; c++)
        if (plan_get(p, c->key, value, sizeof value))
            TRY(plan_set(p, c->key, c->value, err));
    return set_pairs(p, settings, "", err);
}

peck_status plan_open(struct plan *p, const char *method, const char *const *settings,
                      const struct size *size, peck_error *err)
{
    const struct plug *const plug =
        plug_find(recipes, n_recipes, "method", span_of(method), err);

    *p = (struct plan){ 0 };
    if (plug == NULL)
        return PECK_ARG;
    p->recipe = (const struct recipe *)plug; /* the plug is its first member */
    const peck_status st = fill_plan(p, settings, size, err);

    if (st != PECK_OK)
        plan_close(p);
    return st;
}

peck_status plan_set(struct plan *p, const char *key, const char *value, peck_error *err)
{
    return plan_set_span(p, span_of(key), span_of(value), err);
}

peck_status plan_own_loss(struct plan *p, const peck_pair_loss *given, peck_error *err)
{
    const struct recipe *const r = p->recipe;
    peck_pair_loss loss;

    TRY(SPEC_TAKE(peck_pair_loss, &loss, ctx, given, err));
    if (r->objective == NULL || r->objective->own == NULL)
        return fail(err, PECK_ARG,
                    "%s has no loss of pairs that could be replaced; take ranknet, "
                    "lambdarank, lambdaneuralrank or lambdamart",
                    r->plug.about.name);
    p->own_loss = mem_new(1, sizeof *p->own_loss);
    p->own_recipe = mem_new(1, sizeof *p->own_recipe);
    if (p->own_loss == NULL || p->own_recipe == NULL)
        return fail_memory(err, "a loss", 1, sizeof *p->own_loss + sizeof *p->own_recipe);
    if (loss.cost == NULL || loss.name == NULL || loss.name[0] == '\0' ||
        strlen(loss.name) >= sizeof p->own_loss->name ||
        !span_is_one_line(span_of(loss.name)))
        return fail(
            err, PECK_ARG,
            "a loss of one's own has a cost, and a name of one line below %zu bytes",
            sizeof p->own_loss->name);
    *p->own_loss = (struct own_loss){ .given = loss, .config = p->objective };
    snprintf(p->own_loss->name, sizeof p->own_loss->name, "%s", loss.name);
    *p->own_recipe = *r;
    p->own_recipe->objective = r->objective->own;
    p->recipe = p->own_recipe;
    p->objective = p->own_loss;
    return PECK_OK;
}

const char *plan_loss(const struct plan *p)
{
    return p->own_loss != NULL ? p->own_loss->name : NULL;
}

peck_status plan_shape(struct plan *p, size_t dim, peck_error *err)
{
    const struct family *const f = p->recipe->family;

    TRY(f->open(p->shape, dim, err));
    p->n_weights = f->n_weights(p->shape);
    p->n_scratch = family_scratch(f, p->shape);
    if (f->compares != NULL && f->compares->kept != NULL)
        p->n_kept = f->compares->kept(p->shape);
    return PECK_OK;
}

bool plan_get(const struct plan *p, const char *key, char *value, size_t size)
{
    for (size_t t = 0; t < N_TABLES; t++)
        for (const struct param *row = p->table[t]; row != NULL && row->type != PARAM_END;
             row++)
            if (strcmp(row->key, key) == 0) {
                struct text text;

                text_init(&text, size);
                param_print(row, p->config[t], &text);
                snprintf(value, size, "%s", text.failed ? "?" : text.s);
                text_free(&text);
                return true;
            }
    return false;
}

/* A last hidden layer of `classes` units has as many as the data has labels; preferences
 * know two, before and behind. */
static peck_status suit_hidden(struct plan *p, const struct train_set *l, peck_error *err)
{
    static const char word[] = "classes";
    char hidden[PARAM_TEXT_MAX], known[PARAM_TEXT_MAX + 32];
    const size_t n = plan_get(p, "hidden", hidden, sizeof hidden) ? strlen(hidden) : 0;
    const size_t head = n >= sizeof word - 1 ? n - (sizeof word - 1) : 0;

    if (n < sizeof word - 1 || strcmp(hidden + head, word) != 0)
        return PECK_OK;
    snprintf(known, sizeof known, "%.*s%zu", (int)head, hidden,
             l->pair_start != NULL ? 2 : train_set_classes(l));
    return plan_set(p, "hidden", known, err);
}

size_t leaf_at_most(size_t min_leaf, double n_rows)
{
    enum { SHARES = 20 }; /* leaves of a twentieth of the rows can be told apart */
    const double most = math_max(1.0, floor(n_rows / SHARES));

    return (double)min_leaf > most ? (size_t)most : min_leaf;
}

peck_status plan_suit(struct plan *p, const struct train_data *c, peck_error *err)
{
    const struct learner *const l = p->recipe->learner;
    char value[32];
    double own;

    if (l->suit != NULL && !p->has_own_step)
        l->suit(p->config[LEARNER_TABLE], p->recipe->objective, c->train_set,
                p->has_own_decay);
    TRY(suit_hidden(p, c->train_set, err));
    if (l->leaf_rows == NULL || p->has_own_leaf)
        return PECK_OK;
    if (!plan_get(p, "min_leaf", value, sizeof value) ||
        !number_parse(span_of(value), &own))
        return PECK_OK;
    const size_t least = leaf_at_most((size_t)own, l->leaf_rows(c));

    if ((double)least >= own)
        return PECK_OK;
    snprintf(value, sizeof value, "%zu", least);
    return plan_set(p, "min_leaf", value, err);
}

void plan_shorten(struct plan *p, double share)
{
    p->recipe->learner->shorten(p->config[LEARNER_TABLE], p->config[FAMILY_TABLE], share);
}

void plan_lengthen(struct plan *p, size_t epochs)
{
    if (p->recipe->learner->lengthen != NULL && !p->has_own_epochs)
        p->recipe->learner->lengthen(p->config[LEARNER_TABLE], epochs);
}

void plan_print(const struct plan *p, struct text *to)
{
    /* The size, the first of a method's own, is spelt out by what it sets. */
    for (size_t t = 0; t < N_TABLES; t++)
        params_print(p->table[t] == own_params ? own_params + 1 : p->table[t], p->config[t],
                     to);
}

void plan_close(struct plan *p)
{
    mem_free(p->own_loss);
    mem_free(p->own_recipe);
    for (size_t t = 0; t < N_TABLES; t++)
        mem_free(p->config[t]);
    *p = (struct plan){ 0 };
}

/* By name, for those outside --------------------------------------------------------- */

const char *peck_method_group(const char *method)
{
    return recipe_group(method);
}

static const struct recipe *recipe_named(const char *method)
{
    return (const struct recipe *)plug_named(recipes, n_recipes, "method", span_of(method));
}

const peck_plug *peck_method_named(const char *name)
{
    const struct recipe *const r = recipe_named(name);

    return r != NULL ? &r->plug.about : NULL;
}

int peck_method_recipe(const char *method, peck_recipe *out)
{
    const struct recipe *const r = recipe_named(method);

    if (r != NULL)
        *out = recipe_parts(r);
    return r != NULL;
}

int peck_method_takes_rules(const char *method)
{
    const struct recipe *const r = recipe_named(method);

    return r != NULL && recipe_takes_rules(r);
}

int peck_method_compares(const char *method)
{
    const struct recipe *const r = recipe_named(method);

    return r != NULL && recipe_check_alone(r, NULL) != PECK_OK;
}
