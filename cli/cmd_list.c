/* cmd_list.c -- what this build offers. */
#include "outputs.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

struct list_args {
    struct printing printing;
};

static const struct opt list_rows[] = {
    FORMAT_ROWS(struct list_args, printing, "table|tsv|csv|json|latex|markdown"), { 0 }
};

#define KIND(several, one, kind) "|" #several
static const char kinds[] = KINDS(KIND); /* behind a first '|' */
#undef KIND

/* gain=exp,discount=log2,... */
static void print_parts(FILE *to, const char *name, const char *between)
{
    peck_param p;

    for (size_t i = 0; peck_param_at(PECK_CONVENTION, name, i, &p); i++)
        fprintf(to, "%s%s=%s", i > 0 ? between : "", p.key, p.value);
}

/* A method's text ends with its source: the last sentence, from its capital on. */
static const char *source_of(const char *doc)
{
    const char *source = doc;

    for (const char *at = doc; (at = strstr(at, ". ")) != NULL; at += 2)
        if (at[2] >= 'A' && at[2] <= 'Z')
            source = at + 2;
    return source;
}

static const char *group_of(const peck_plug *method)
{
    const char *const group = peck_method_group(method->name);

    return group != NULL ? group : "Others";
}

static void print_plug(peck_kind kind, const peck_plug *p, int width)
{
    printf("%-*s  ", width, p->name);
    page_wrap(stdout, p->title, width + 2, width + 2);
    if (kind == PECK_METHOD) {
        printf("%*s", width + 2, "");
        page_wrap(stdout, source_of(p->doc), width + 2, width + 2);
        if (peck_method_takes_rules(p->name))
            printf("%*stakes rules\n", width + 2, "");
    }
    if (kind == PECK_CONVENTION) {
        char *text = NULL;
        size_t size;
        FILE *const parts = open_memstream(&text, &size);

        if (parts == NULL)
            return;
        print_parts(parts, p->name, ", ");
        printf("%*s", width + 2, "");
        if (fclose(parts) == 0)
            page_wrap(stdout, text, width + 2, width + 2);
        free(text);
    }
}

/* Methods by paper; papers in the order in which methods first name them. */
static void print_for_people(peck_kind kind)
{
    const peck_plug *p, *other;
    int width = 0;

    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++)
        width = (int)strlen(p->name) > width ? (int)strlen(p->name) : width;
    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++) {
        size_t first = 0;

        if (kind != PECK_METHOD) {
            print_plug(kind, p, width);
            continue;
        }
        while (strcmp(group_of(peck_plug_at(kind, first)), group_of(p)) != 0)
            first++;
        if (first < i)
            continue;
        if (i > 0)
            putchar('\n');
        page_wrap(stdout, group_of(p), 0, 0);
        for (size_t k = i; (other = peck_plug_at(kind, k)) != NULL; k++)
            if (strcmp(group_of(other), group_of(p)) == 0)
                print_plug(kind, other, width);
    }
}

static void print_for_pipe(peck_kind kind)
{
    const peck_plug *p;

    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++) {
        printf("%s\t%s", p->name, p->title);
        if (kind == PECK_METHOD)
            printf("\t%s\t%s\t%s", source_of(p->doc), group_of(p),
                   peck_method_takes_rules(p->name) ? "takes rules" : "");
        if (kind == PECK_CONVENTION) {
            putchar('\t');
            print_parts(stdout, p->name, ",");
        }
        putchar('\n');
    }
}

static peck_span span_of_text(const char *text)
{
    return (peck_span){ text, strlen(text) };
}

/* The columns of print_for_pipe, with a header; each part of a convention is one. */
static peck_status print_table(const struct call *c, peck_kind kind,
                               const struct printing *how)
{
    const char *const title = strcmp(how->format, "json") == 0 ? c->word[0] : "";
    const char *column[64] = { "name", "title" };
    peck_report *r = NULL;
    const peck_plug *p;
    peck_param part;
    size_t n = 2;

    if (kind == PECK_METHOD) {
        column[n++] = "source";
        column[n++] = "group";
        column[n++] = "rules";
    }
    for (size_t i = 0; kind == PECK_CONVENTION && n < 64 &&
                       peck_param_at(kind, PECK_DEFAULT_CONVENTION, i, &part);
         i++)
        column[n++] = part.key;
    const peck_status st = peck_report_new(&r, c->err);

    if (st == PECK_OK)
        peck_report_add_table(r, title, n, column);
    for (size_t i = 0; st == PECK_OK && (p = peck_plug_at(kind, i)) != NULL; i++) {
        peck_report_add_cell(r, span_of_text(p->name));
        peck_report_add_cell(r, span_of_text(p->title));
        if (kind == PECK_METHOD) {
            peck_report_add_cell(r, span_of_text(source_of(p->doc)));
            peck_report_add_cell(r, span_of_text(group_of(p)));
            peck_report_add_cell(
                r, span_of_text(peck_method_takes_rules(p->name) ? "takes rules" : ""));
        }
        for (size_t k = 2; kind == PECK_CONVENTION && k < n; k++)
            peck_report_add_cell(r, peck_param_at(kind, p->name, k - 2, &part)
                                        ? span_of_text(part.value)
                                        : (peck_span){ 0 });
    }
    return print_report(st, r, how, c);
}

static peck_status list_main(struct call *c)
{
    const struct list_args *const a = c->args;
    const struct printing how = { .format = listing_format(&a->printing) };
    const char *known[16];
    size_t n = 0;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "missing KIND; give one of %s", kinds + 1);
    for (; kind_names[n].name != NULL; n++) {
        known[n] = kind_names[n].name;
        if (strcmp(known[n], c->word[0]) == 0) {
            if (strcmp(how.format, "table") != 0 && strcmp(how.format, "tsv") != 0)
                return print_table(c, kind_names[n].kind, &how);
            (strcmp(how.format, "table") == 0 ? print_for_people
                                              : print_for_pipe)(kind_names[n].kind);
            return PECK_OK;
        }
    }
    const char *near = peck_nearest(c->word[0], known, n);

    return refuse(c->err, PECK_ARG, "unknown list '%.60s'; %s%s%s", c->word[0],
                  near != NULL ? "did you mean '" : "there are ",
                  near != NULL ? near : kinds + 1, near != NULL ? "'?" : "");
}

const struct verb verb_list = {
    .name = "list",
    .summary = "list the methods, metrics, formats and so on of this build",
    .usage = { kinds + 1 },
    .about =
        "Prints one name and title per line, separated by a tab in a pipe. Methods are "
        "grouped by the paper they belong to, each with its source and whether it takes "
        "rules (docs/RULES.md); a convention comes with the value of each of its parts. "
        "`peck help NAME` explains one.",
    .groups = { { "Form", list_rows, 0 } },
    .examples = { { "Everything that can be trained", "peck list methods" },
                  { "Every measure", "peck list metrics" },
                  { "The conventions and the parts of each", "peck list conventions" },
                  { "More about one of them", "peck help ndcg" } },
    .args_size = sizeof(struct list_args),
    .run = list_main,
};
