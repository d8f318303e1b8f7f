/* mishap.c -- see mishap.h. */
#include "mishap.h"

bool mishap_is_past(const struct mishap *m, size_t query)
{
    return m->why.status != PECK_OK && m->query < query;
}

void mishap_keep(struct mishap *m, size_t query, const peck_error *why)
{
    *m = (struct mishap){ query, *why };
}

peck_status mishap_tell(const struct mishap *mishap, size_t n, const struct peck_dataset *d,
                        peck_error *err)
{
    const struct mishap *first = NULL;

    for (size_t i = 0; i < n; i++)
        if (mishap[i].why.status != PECK_OK &&
            (first == NULL || mishap[i].query < first->query))
            first = &mishap[i];
    if (first == NULL)
        return PECK_OK;
    const peck_span id = strings_get(&d->query_id, first->query);

    return fail(err, first->why.status, "%.200s: query %.*s: %s", d->name, SPAN_ARGS(id),
                first->why.text);
}
