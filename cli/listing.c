/* listing.c -- see listing.h.  A document without an id goes by its place in the query,
 * counted from 0, as in a file of preferences.                                      */
#include "listing.h"

#include <string.h>

/* TSV ------------------------------------------------------------------------------- */

/* How many bytes at i are a control character: C0, DEL, or C1 in UTF-8. */
static size_t control_at(peck_span s, size_t i)
{
    const unsigned char c = (unsigned char)s.s[i];

    if (c == 0xC2 && i + 1 < s.n && ((unsigned char)s.s[i + 1] & 0xE0) == 0x80)
        return 2;
    return c < ' ' || c == 0x7F;
}

void put_plain(FILE *to, peck_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        const size_t n = control_at(s, i);

        fputc(n > 0 ? ' ' : s.s[i], to);
        i += n == 2;
    }
}

static peck_span id_at(const struct listing *l, size_t rank)
{
    return peck_dataset_doc_id(l->data, l->query.first + l->order[rank]);
}

static double score_at(const struct listing *l, size_t rank)
{
    return l->score[l->order[rank]];
}

static int has_next(const struct listing *l, size_t rank)
{
    return rank + 1 < l->query.n_docs;
}

static void head_tsv(FILE *to, const struct listing *l)
{
    fprintf(to, "query\trank\tdocument\tscore%s%s\n", l->gap != NULL ? "\tgap\tpeak" : "",
            l->class_at != NULL ? "\tclass" : "");
}

static void list_tsv(FILE *to, const struct listing *l)
{
    for (size_t i = 0; i < l->n_shown; i++) {
        const peck_span id = id_at(l, i);

        put_plain(to, l->query.id);
        fprintf(to, "\t%zu\t", i + 1);
        if (id.n > 0)
            put_plain(to, id);
        else
            fprintf(to, "%u", (unsigned)l->order[i]);
        fprintf(to, "\t%.9g", score_at(l, i));
        if (l->gap != NULL && has_next(l, i))
            fprintf(to, "\t%.9g\t%s", l->gap[i], l->is_peak[i] ? "*" : "");
        else if (l->gap != NULL)
            fputs("\t-\t", to);
        if (l->class_at != NULL)
            fprintf(to, "\t%u", (unsigned)l->class_at[i]);
        fputc('\n', to);
    }
}

/* TREC: query Q0 document rank score name ------------------------------------------- */

/* Blanks part the fields, so no id may hold one. */
static void put_word(FILE *to, peck_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        const size_t n = control_at(s, i);

        fputc(n > 0 || s.s[i] == ' ' ? '_' : s.s[i], to);
        i += n == 2;
    }
}

static void list_trec(FILE *to, const struct listing *l)
{
    for (size_t i = 0; i < l->n_shown; i++) {
        const peck_span id = id_at(l, i);

        put_word(to, l->query.id);
        fputs(" Q0 ", to);
        if (id.n > 0)
            put_word(to, id);
        else
            fprintf(to, "%u", (unsigned)l->order[i]);
        fprintf(to, " %zu %.9g peck\n", i + 1, score_at(l, i));
    }
}

/* JSON: one object a query and line ------------------------------------------------- */

void put_json(FILE *to, peck_span s)
{
    fputc('"', to);
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.s[i];

        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < ' ')
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

static void put_document(FILE *to, const struct listing *l, size_t i)
{
    const peck_span id = id_at(l, i);

    fprintf(to, "%s{\"document\": ", i > 0 ? ", " : "");
    if (id.n > 0)
        put_json(to, id);
    else
        fprintf(to, "%u", (unsigned)l->order[i]);
    fprintf(to, ", \"score\": %.9g", score_at(l, i));
    if (l->gap != NULL && has_next(l, i))
        fprintf(to, ", \"gap\": %.9g, \"peak\": %s", l->gap[i],
                l->is_peak[i] ? "true" : "false");
    if (l->class_at != NULL)
        fprintf(to, ", \"class\": %u", (unsigned)l->class_at[i]);
    fputc('}', to);
}

static void list_json(FILE *to, const struct listing *l)
{
    fputs("{\"query\": ", to);
    put_json(to, l->query.id);
    fputs(", \"documents\": [", to);
    for (size_t i = 0; i < l->n_shown; i++)
        put_document(to, l, i);
    fputs("]}\n", to);
}

static const struct listing_format formats[] = { { "tsv", head_tsv, list_tsv },
                                                 { "trec", NULL, list_trec },
                                                 { "json", NULL, list_json } };

const struct listing_format *listing_find(const char *name, peck_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    refuse(err, PECK_ARG, "unknown format '%.60s'; give tsv, trec or json", name);
    return NULL;
}
