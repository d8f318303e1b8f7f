/* compose.c -- reports that a program puts together itself. */
#include "format.h"

peck_status peck_report_new(peck_report **out, peck_error *err)
{
    *out = report_new();
    return *out != NULL ? PECK_OK
                        : fail(err, PECK_NOMEM, "out of memory: no room for the report");
}

void peck_report_add_number(peck_report *r, const char *name, double value, int decimals)
{
    report_number(r, name, value, decimals);
}

void peck_report_add_text(peck_report *r, const char *name, const char *text)
{
    report_text(r, name, text);
}

static void add_item_of(struct peck_report *r, const char *name,
                        const struct report_item *i)
{
    if (i->kind == REPORT_COUNT)
        report_count(r, name, i->count);
    else if (i->kind == REPORT_NUMBER)
        report_number(r, name, i->value.number, i->value.decimals);
}

void peck_report_add_all(peck_report *r, const char *prefix, const peck_report *from)
{
    struct text name;

    text_init(&name, (size_t)1 << 20);
    for (size_t i = 0; i < from->n_items; i++) {
        const peck_span own = report_string(from, from->item[i].name);

        name.len = 0;
        text_add_str(&name, prefix);
        text_add(&name, own.s, own.n);
        if (!name.failed)
            add_item_of(r, name.s, &from->item[i]);
    }
    r->is_short_of_memory |= name.failed || from->is_short_of_memory;
    text_free(&name);
}
