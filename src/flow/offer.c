/* offer.c -- everything a user can name, for help texts, bindings and contract tests. */
#include "../base/plug.h"
#include "../data/writer.h"
#include "../decode/decode.h"
#include "../learn/learn.h"
#include "../metric/metric.h"
#include "../norm/norm.h"
#include "../synth/synth.h"

/* Plug i of a kind, in display order; NULL past the end. */
static const struct plug *plug_at(peck_kind kind, size_t i)
{
    switch (kind) {
    case PECK_READER:
        return i < n_readers ? readers[i] : NULL;
    case PECK_WRITER:
        return i < n_writers ? writers[i] : NULL;
    case PECK_GENERATOR:
        return i < n_generators ? &generators[i]->plug : NULL;
    case PECK_METRIC:
        return i < n_metrics ? &metrics[i]->plug : NULL;
    case PECK_CONVENTION:
        return i < n_conventions ? &conventions[i]->plug : NULL;
    case PECK_NORM:
        return i < n_norms ? norms[i] : NULL;
    case PECK_METHOD:
        return i < n_recipes ? recipes[i] : NULL;
    case PECK_DECODER:
        return i < n_decoders ? decoders[i] : NULL;
    }
    return NULL;
}

const peck_plug *peck_plug_at(peck_kind kind, size_t i)
{
    const struct plug *const p = plug_at(kind, i);

    return p != NULL ? &p->about : NULL;
}

static peck_param param_of(const struct param *row, const char *value)
{
    static const char *const type_name[] = { [PARAM_END] = "",
                                             [PARAM_INT] = "int",
                                             [PARAM_FLOAT] = "float",
                                             [PARAM_CHOICE] = "choice",
                                             [PARAM_TEXT] = "text" };

    return (peck_param){ row->key, value, row->help, type_name[param_kind(row)],
                         row->allowed };
}

int peck_rules_param_at(size_t i, peck_param *out)
{
    const struct param *row = rule_params;

    for (size_t k = 0; k < i && row->type != PARAM_END; k++)
        row++;
    if (row->type == PARAM_END)
        return 0;
    *out = param_of(row, row->value);
    return 1;
}

int peck_param_at(peck_kind kind, const char *name, size_t i, peck_param *out)
{
    const struct plug *p = NULL;
    const struct param *row;
    const char *value = NULL;

    for (size_t at = 0; (p = plug_at(kind, at)) != NULL; at++)
        if (strcmp(p->about.name, name) == 0)
            break;
    if (p == NULL && kind == PECK_METHOD)
        p = plug_named(recipes, n_recipes, "method", span_of(name));
    if (p == NULL)
        return 0;
    /* A preset and a method have defaults of their own for settings that others have too. */
    if (kind == PECK_METHOD)
        row = recipe_param((const struct recipe *)p, i, &value);
    else {
        row = p->params;
        for (size_t k = 0; k < i && row != NULL && row->type != PARAM_END; k++)
            row++;
        if (row == NULL || row->type == PARAM_END)
            return 0;
        value =
            kind == PECK_CONVENTION ? preset_part((const struct preset *)p, i) : row->value;
    }
    if (row == NULL)
        return 0;
    *out = param_of(row, value);
    return 1;
}
