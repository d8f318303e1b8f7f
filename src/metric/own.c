/* own.c -- metrics that the caller brings along, for one list of metrics. */
#include "metric.h"

#include "../base/alloc.h"
#include "../base/spec.h"

#include <math.h>

/* Room for "@1000000" behind the name. */
enum { LONGEST_NAME = METRIC_NAME_MAX - 9 };

struct own_metric {
    struct metric metric; /* own points to `given` */
    peck_metric given;
    char name[METRIC_NAME_MAX];
};

struct share own_metric_value(const struct metric *m, const struct ranking *r, uint32_t k)
{
    const peck_ranking seen = { .query = r->query,
                                .n = r->n,
                                .n_all = r->n_all,
                                .label = r->label,
                                .weight = r->weight,
                                .doc = r->doc,
                                .cut = k == WHOLE_LIST ? SIZE_MAX : k };
    const double value = m->own->value(m->own->ctx, &seen);

    return isfinite(value) ? share_of(value) : share_none();
}

const struct metric *own_metric_find(const struct metric_list *list, peck_span name)
{
    for (size_t i = 0; i < list->n_own; i++)
        if (span_is(name, list->own[i].name))
            return &list->own[i].metric;
    return NULL;
}

/* Letters of a metric's name: it stands in lists between commas, before an @. */
static bool is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t n = strlen(s);

    return n > 0 && n <= LONGEST_NAME && strspn(s, letters) == n;
}

static peck_status take_own(struct own_metric *to, const struct metric_list *list,
                            const peck_metric *given, peck_error *err)
{
    TRY(SPEC_TAKE(peck_metric, &to->given, takes_cut, given, err));
    const peck_metric *const g = &to->given;

    if (g->name == NULL || g->value == NULL || !is_name(g->name))
        return fail(err, PECK_ARG,
                    "a metric of one's own has a name of 1 to %d small letters, digits, "
                    "'-' and '_', and a value",
                    LONGEST_NAME);
    bool is_taken =
        strcmp(g->name, "all") == 0 || own_metric_find(list, span_of(g->name)) != NULL;

    for (size_t i = 0; i < n_metrics; i++)
        is_taken |= strcmp(g->name, metrics[i]->plug.about.name) == 0;
    if (is_taken)
        return fail(err, PECK_ARG, "there is a metric '%s' already; choose another name",
                    g->name);
    snprintf(to->name, sizeof to->name, "%s", g->name);
    to->metric = (struct metric){ .plug.about = { to->name, "the caller's own", "" },
                                  .fold = FOLD_MEAN,
                                  .takes_cut = g->takes_cut != 0,
                                  .is_error = g->is_error != 0,
                                  .own = g };
    return PECK_OK;
}

peck_status own_metrics_take(struct metric_list *list, const peck_metric *const *own,
                             peck_error *err)
{
    size_t n = 0;

    while (own != NULL && own[n] != NULL)
        n++;
    if (n == 0)
        return PECK_OK;
    if ((list->own = mem_new(n, sizeof *list->own)) == NULL)
        return fail_memory(err, "metrics", n, sizeof *list->own);
    for (; list->n_own < n; list->n_own++)
        TRY(take_own(&list->own[list->n_own], list, own[list->n_own], err));
    return PECK_OK;
}
