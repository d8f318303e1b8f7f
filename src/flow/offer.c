/* offer.c -- everything a user can name, for help texts, bindings and contract tests. */
#include "../base/plug.h"
#include "../data/reader.h"
#include "../data/writer.h"
#include "../decode/decode.h"
#include "../learn/learn.h"
#include "../metric/metric.h"
#include "../norm/norm.h"
#include "../synth/synth.h"

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

const char *peck_method_group(const char *method)
{
    return recipe_group(method);
}

/* Row i of a table that may be NULL; NULL past its end. */
static const struct param *row_at(const struct param *table, size_t i)
{
    for (; table != NULL && table->type != PARAM_END; table++)
        if (i-- == 0)
            return table;
    return NULL;
}

static const char *type_name(const struct param *row)
{
    static const char *const names[] = { [PARAM_END] = "",
                                         [PARAM_INT] = "int",
                                         [PARAM_FLOAT] = "float",
                                         [PARAM_CHOICE] = "choice",
                                         [PARAM_TEXT] = "text" };

    return names[row->type];
}

/* Setting i of a plug, and its default there; NULL past the end.  A preset and a method
 * have defaults of their own for settings that others have too. */
static const struct param *setting_at(peck_kind kind, const struct plug *p, size_t i,
                                      const char **value)
{
    if (kind == PECK_METHOD)
        return recipe_param((const struct recipe *)p, i, value);
    const struct param *const row = row_at(p->params, i);

    if (row != NULL)
        *value =
            kind == PECK_CONVENTION ? preset_part((const struct preset *)p, i) : row->value;
    return row;
}

int peck_param_at(peck_kind kind, const char *name, size_t i, peck_param *out)
{
    const struct plug *p;
    const char *value = NULL;
    size_t at = 0;

    while ((p = plug_at(kind, at)) != NULL && strcmp(p->about.name, name) != 0)
        at++;
    const struct param *const row = p != NULL ? setting_at(kind, p, i, &value) : NULL;

    if (row == NULL)
        return 0;
    *out = (peck_param){ row->key, value, row->help, type_name(row), row->allowed };
    return 1;
}
