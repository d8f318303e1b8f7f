/* cmd_list.c -- what this build offers. */
#include "page.h"

#include <string.h>
#include <unistd.h>

static const char *const usage[] = {
    "methods|norms|conventions|metrics|decoders|readers|writers|generators", NULL
};

static const struct example examples[] = {
    { "Everything that can be trained", "peck list methods" },
    { "Every measure", "peck list metrics" },
    { "The conventions and the parts of each", "peck list conventions" },
    { "More about one of them", "peck help ndcg" },
    { 0 }
};

static const struct kind_name *find_kind(const struct call *c)
{
    const char *known[16];
    size_t n = 0;

    for (; kind_names[n].name != NULL; n++) {
        if (strcmp(kind_names[n].name, c->word[0]) == 0)
            return &kind_names[n];
        known[n] = kind_names[n].name;
    }
    const char *near = peck_nearest(c->word[0], known, n);

    refuse(c->err, PECK_ARG, "unknown list '%.60s'; %s%s%s", c->word[0],
           near != NULL ? "did you mean '" : "there are ", near != NULL ? near : usage[0],
           near != NULL ? "'?" : "");
    return NULL;
}

/* gain=exp,discount=log2,... */
static void print_parts(peck_kind kind, const char *name)
{
    peck_param p;

    for (size_t i = 0; peck_param_at(kind, name, i, &p); i++)
        printf("%s%s=%s", i > 0 ? "," : "", p.key, p.value);
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

static int widest(peck_kind kind)
{
    const peck_plug *p;
    int width = 0;

    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++)
        width = (int)strlen(p->name) > width ? (int)strlen(p->name) : width;
    return width;
}

static void print_one(peck_kind kind, const peck_plug *p, int width)
{
    printf("%-*s  ", width, p->name);
    page_wrap(stdout, p->title, width + 2, width + 2, 80);
    if (kind == PECK_METHOD) {
        printf("%*s", width + 2, "");
        page_wrap(stdout, source_of(p->doc), width + 2, width + 2, 80);
    }
    if (kind == PECK_CONVENTION) {
        printf("%*s", width + 2, "");
        print_parts(kind, p->name);
        putchar('\n');
    }
}

static const char *group_of(size_t method)
{
    const peck_plug *const p = peck_plug_at(PECK_METHOD, method);
    const char *const group = p != NULL ? peck_method_group(p->name) : NULL;

    return group != NULL ? group : "Others";
}

/* Methods by paper; papers in the order in which methods first name them. */
static void print_methods(void)
{
    const int width = widest(PECK_METHOD);

    for (size_t i = 0; peck_plug_at(PECK_METHOD, i) != NULL; i++) {
        size_t first = 0;

        while (strcmp(group_of(first), group_of(i)) != 0)
            first++;
        if (first < i)
            continue;
        if (i > 0)
            putchar('\n');
        page_wrap(stdout, group_of(i), 0, 0, 80);
        for (size_t k = i; peck_plug_at(PECK_METHOD, k) != NULL; k++)
            if (strcmp(group_of(k), group_of(i)) == 0)
                print_one(PECK_METHOD, peck_plug_at(PECK_METHOD, k), width);
    }
}

static void print_for_people(peck_kind kind)
{
    const int width = widest(kind);
    const peck_plug *p;

    if (kind == PECK_METHOD) {
        print_methods();
        return;
    }
    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++)
        print_one(kind, p, width);
}

static void print_for_pipe(peck_kind kind)
{
    const peck_plug *p;

    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++) {
        printf("%s\t%s", p->name, p->title);
        if (kind == PECK_METHOD)
            printf("\t%s\t%s", source_of(p->doc), group_of(i));
        if (kind == PECK_CONVENTION) {
            putchar('\t');
            print_parts(kind, p->name);
        }
        putchar('\n');
    }
}

static peck_status run(struct call *c)
{
    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "list what? %s", usage[0]);
    const struct kind_name *k = find_kind(c);

    if (k == NULL)
        return PECK_ARG;
    if (isatty(STDOUT_FILENO))
        print_for_people(k->kind);
    else
        print_for_pipe(k->kind);
    return PECK_OK;
}

const struct verb verb_list = {
    .name = "list",
    .summary = "name the methods, metrics, formats and so on of this build",
    .usage = usage,
    .about =
        "Prints one name and title a line, parted by a tab in a pipe. Methods stand by the "
        "paper they belong to, each with its source; a convention comes with the value "
        "of each of its parts. `peck help NAME` tells more about one.",
    .examples = examples,
    .run = run,
};
