/* convention.c -- the parts of a convention, the presets, and what they mean for one
 * label or one rank.
 *
 *   gain      exp 2^y - 1;  linear y;  letor and mslr: a table, 0 outside
 *   discount  log2 1 / log2(i + 1);  letor 1, 1, then 1 / log2(i)                  */
#include "metric.h"

#include "../base/maths.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct convention, field)

static const struct param parts[] = {
    { "gain", PARAM_CHOICE, "exp", "exp|linear|letor|mslr",
      "what a label is worth: 2^y - 1, y, LETOR's 0 1 3, MSLR's 0 1 3 7 15", AT(gain) },
    { "discount", PARAM_CHOICE, "log2", "log2|letor",
      "of rank i: 1/log2(i+1), or LETOR's 1 for the first two and 1/log2(i)",
      AT(discount) },
    { "empty", PARAM_CHOICE, "zero", "zero|one|skip",
      "a query without a relevant document: 0, NDCG and MAP 1, or left out", AT(empty) },
    { "empty-weight", PARAM_CHOICE, "query", "query|one",
      "under empty=one NDCG adds 1 times the query's weight, or plain 1",
      AT(empty_weight) },
    { "short", PARAM_CHOICE, "pad", "pad|zero",
      "NDCG@k of a list shorter than k: padded, or 0", AT(short_list) },
    { "short-p", PARAM_CHOICE, "pad", "pad|clip|zero",
      "P@k of a list of n < k divides by k, by n, or is 0", AT(short_p) },
    { "ties", PARAM_CHOICE, "input", "input|random|docid|worst|best",
      "equal scores: as in the file, shuffled, by descending id, lowest or highest label "
      "first",
      AT(ties) },
    { "rel", PARAM_FLOAT, "1", "[0,inf)", "the lowest label that is relevant", AT(rel) },
    { "labels", PARAM_CHOICE, "real", "real|int|binary",
      "labels as they are, cut to integers, or 1 from rel on and 0 below", AT(labels) },
    { "unjudged", PARAM_CHOICE, "skip", "skip|zero",
      "unjudged documents leave the list, or stay in it with label 0", AT(unjudged) },
    { "depth", PARAM_INT, "0", "[0,1000000]", "the last rank that may be asked for; 0: any",
      AT(depth) },
    { "ap", PARAM_CHOICE, "all", "all|cut",
      "MAP@k divides by all relevant documents, or by at most k", AT(ap) },
    { "err-max", PARAM_FLOAT, "0", "[0,1000]",
      "ERR's largest grade; 0: the largest label of the data", AT(err_max) },
    { "top-label", PARAM_INT, "31", "[1,1000]", "the largest label exponential gain takes",
      AT(top_label) },
    { 0 },
};

#define SET(key, value) { key, value },
#define CONVENTION(id, heading, text, ...)                                            \
    static const struct preset_setting parts_##id[] = { __VA_ARGS__{ NULL, NULL } };  \
    static const struct preset convention_##id = { { { #id, heading, text }, parts }, \
                                                   parts_##id };
#include "conventions.def"
#undef CONVENTION
#undef SET

#define CONVENTION(name, ...) &convention_##name,
const struct preset *const conventions[] = {
#include "conventions.def"
};
#undef CONVENTION
const size_t n_conventions = sizeof conventions / sizeof *conventions;

const char *preset_part(const struct preset *p, size_t i)
{
    for (const struct preset_setting *part = p->parts; part->key != NULL; part++)
        if (strcmp(part->key, parts[i].key) == 0)
            return part->value;
    return parts[i].value;
}

/* PRESET[,part=value]... or part=value,...: then `standard` with those parts changed. */
peck_status convention_parse(struct convention *c, const char *text, peck_error *err)
{
    const char *at = text != NULL && *text != '\0' ? text : PECK_DEFAULT_CONVENTION;
    const struct plug *plugs[sizeof conventions / sizeof *conventions];
    peck_span word;

    for (size_t i = 0; i < n_conventions; i++)
        plugs[i] = &conventions[i]->plug;
    for (bool is_first = true; comma_next(&at, &word); is_first = false) {
        const bool is_part = word.n > 0 && memchr(word.s, '=', word.n) != NULL;

        if (is_first) {
            const struct plug *const found =
                is_part ? plugs[0]
                        : plug_find(plugs, n_conventions, "convention", word, err);

            if (found == NULL)
                return PECK_ARG;
            param_defaults(parts, c);
            c->preset = (const struct preset *)found; /* the plug is its first member */
            for (const struct preset_setting *s = c->preset->parts; s->key != NULL; s++)
                TRY(param_set(parts, c, found->about.name, span_of(s->key),
                              span_of(s->value), err));
        } else if (!is_part) {
            return fail(err, PECK_ARG,
                        "convention '%s': '%.*s' is not part=value; a preset's name comes "
                        "first and once",
                        text, SPAN_ARGS(word));
        }
        if (is_part)
            TRY(param_set_pair(parts, c, c->preset->plug.about.name, word, err));
    }
    return PECK_OK;
}

void convention_print(const struct convention *c, struct text *to)
{
    text_add_str(to, c->preset->plug.about.name);
    for (const struct param *p = parts; p->type != PARAM_END; p++) {
        text_printf(to, "%s%s=", p == parts ? ": " : ", ", p->key);
        param_print(p, c, to);
    }
}

void convention_print_brief(const struct convention *c, struct text *to)
{
    struct text value;

    text_add_str(to, c->preset->plug.about.name);
    text_init(&value, 256);
    for (const struct param *p = parts; p->type != PARAM_END; p++) {
        value.len = 0;
        param_print(p, c, &value);
        if (!value.failed &&
            strcmp(value.s, preset_part(c->preset, (size_t)(p - parts))) != 0)
            text_printf(to, ", %s=%s", p->key, value.s);
    }
    to->failed |= value.failed;
    text_free(&value);
}

double convention_label(const struct convention *c, double label)
{
    switch (c->labels) {
    case LABELS_INT:
        return trunc(label);
    case LABELS_BINARY:
        return label >= c->rel ? 1.0 : 0.0;
    default:
        return label;
    }
}

bool convention_relevant(const struct convention *c, double label)
{
    return label >= (c->labels == LABELS_BINARY ? 1.0 : c->rel);
}

double convention_gain(const struct convention *c, double label)
{
    static const double table[] = { 0, 1, 3, 7, 15 };

    switch (c->gain) {
    case GAIN_LINEAR:
        return label;
    case GAIN_LETOR:
    case GAIN_MSLR:
        for (int y = 0; y <= (c->gain == GAIN_LETOR ? 2 : 4); y++)
            if (label == y)
                return table[y];
        return 0.0;
    default:
        return math_exp2(label) - 1.0;
    }
}

double convention_discount(const struct convention *c, size_t rank)
{
    if (c->discount == DISCOUNT_LETOR)
        return rank <= 2 ? 1.0 : 1.0 / math_log2((double)rank);
    return 1.0 / math_log2((double)rank + 1.0);
}
