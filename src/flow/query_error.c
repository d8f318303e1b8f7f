/* query_error.c -- see query_error.h. */
#include "query_error.h"

bool query_error_is_past(const struct query_error *m, size_t query)
{
    return m->why.status != PECK_OK && m->query < query;
}

void query_error_keep(struct query_error *m, size_t query, const peck_error *why)
{
    *m = (struct query_error){ query, *why };
}

peck_status query_error_tell(const struct query_error *error, size_t n,
                             const struct peck_dataset *d, peck_error *err)
{
    const struct query_error *first = NULL;

    for (size_t i = 0; i < n; i++)
        if (error[i].why.status != PECK_OK &&
            (first == NULL || error[i].query < first->query))
            first = &error[i];
    if (first == NULL)
        return PECK_OK;
    const peck_span id = strings_get(&d->query_id, first->query);

    return fail(err, first->why.status, "%.200s: query %.*s: %s", d->name, SPAN_ARGS(id),
                first->why.text);
}
