/* offer.c -- everything a user can name, for help texts, bindings and contract tests. */
#include "../base/plug.h"
#include "../data/reader.h"
#include "../data/writer.h"
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
        break;
    }
    return NULL;
}

const peck_plug *peck_plug_at(peck_kind kind, size_t i)
{
    const struct plug *const p = plug_at(kind, i);

    return p != NULL ? &p->about : NULL;
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

int peck_param_at(peck_kind kind, const char *name, size_t i, peck_param *out)
{
    const struct plug *p;
    size_t at = 0;

    while ((p = plug_at(kind, at)) != NULL && strcmp(p->about.name, name) != 0)
        at++;
    const struct param *const row = p != NULL ? row_at(p->params, i) : NULL;

    if (row == NULL)
        return 0;
    *out = (peck_param){ row->key, row->value, row->help, type_name(row), row->allowed };
    if (kind == PECK_CONVENTION)
        out->value = preset_part(conventions[at], i);
    return 1;
}
