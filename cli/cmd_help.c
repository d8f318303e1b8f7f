/* cmd_help.c -- help about the command, a verb, or anything that has a name. */
#include "page.h"

#include <string.h>

struct args {
    int as_man;
};

static const char *const usage[] = { "[VERB|NAME] [--man]", NULL };

static const struct opt rows[] = { { "man", 0, OPT_FLAG, NULL, NULL,
                                     "print a verb's man page (roff) instead",
                                     offsetof(struct args, as_man) },
                                   { 0 } };
static const struct opt_group groups[] = { { "Form", rows, 0 }, { 0 } };

static const struct example examples[] = {
    { "A verb", "peck help eval" },
    { "A method and all its settings", "peck help ranknet" },
    { "A metric, a convention, a generator", "peck help ndcg" },
    { "A man page", "peck help eval --man > peck-eval.1" },
    { 0 }
};

enum { MAX_NAMES = 256 };

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; verbs[i] != NULL; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

/* Prints the page of everything that goes by this name: a reader and a writer may share
 * one.  Returns how many there were. */
static size_t print_plugs(const char *name)
{
    const peck_plug *p;
    size_t n = 0;

    for (const struct kind_name *k = kind_names; k->name != NULL; k++)
        for (size_t i = 0; (p = peck_plug_at(k->kind, i)) != NULL; i++)
            if (strcmp(p->name, name) == 0) {
                printf("%s%s ", n++ > 0 ? "\n" : "", k->one);
                page_plug(stdout, k->kind, p);
            }
    return n;
}

static peck_status unknown(const char *name, peck_error *err)
{
    const char *known[MAX_NAMES];
    const peck_plug *p;
    size_t n = 0;

    for (; verbs[n] != NULL; n++)
        known[n] = verbs[n]->name;
    for (const struct kind_name *k = kind_names; k->name != NULL; k++)
        for (size_t i = 0; n < MAX_NAMES && (p = peck_plug_at(k->kind, i)) != NULL; i++)
            known[n++] = p->name;
    const char *near = peck_nearest(name, known, n);

    if (near != NULL)
        return refuse(err, PECK_ARG, "no help on '%.60s'; did you mean '%s'?", name, near);
    return refuse(err, PECK_ARG, "no help on '%.60s'; see `peck help`", name);
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;

    if (c->n_words > 1)
        return refuse(c->err, PECK_ARG, "help takes one name");
    if (c->n_words == 0) {
        (a->as_man ? page_overview_man : page_overview)(stdout);
        return PECK_OK;
    }
    const struct verb *v = find_verb(c->word[0]);

    if (v != NULL)
        (a->as_man ? page_verb_man : page_verb)(stdout, v);
    else if (print_plugs(c->word[0]) == 0)
        return unknown(c->word[0], c->err);
    return PECK_OK;
}

const struct verb verb_help = {
    .name = "help",
    .summary = "explain a verb, a method, a metric, a format or anything with a name",
    .usage = usage,
    .about = "Without a name it lists the verbs. With one it prints all there is to know, "
             "the settings and their defaults included.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
