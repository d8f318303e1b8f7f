/* cmd_help.c -- help about the command, a verb, or anything that has a name. */
#include "complete.h"
#include "page.h"

#include <string.h>

struct help_args {
    int as_man, of_all;
    const char *shell;
};

static const struct opt help_rows[] = {
    { "all", 0, OPT_FLAG, NULL, NULL, "print all help there is: every verb and every name",
      offsetof(struct help_args, of_all) },
    { "man", 0, OPT_FLAG, NULL, NULL, "print a verb's man page (roff) instead",
      offsetof(struct help_args, as_man) },
    { "completion", 0, OPT_CHOICE, COMPLETE_SHELLS, NULL,
      "print a script that lets this shell complete verbs, options and names; `make "
      "install` puts it where the shell looks",
      offsetof(struct help_args, shell) },
    { 0 }
};
enum { MAX_NAMES = 2048 };

static void print_all(void)
{
    const peck_plug *p;

    page_overview(stdout);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        putchar('\n');
        page_verb(stdout, verbs[i]);
    }
    for (const struct kind_name *k = kind_names; k->name != NULL; k++)
        for (size_t i = 0; (p = peck_plug_at(k->kind, i)) != NULL; i++) {
            printf("\n%s ", k->one);
            page_plug(stdout, k->kind, p);
        }
}

static void print_setting_of(const char *owner, const peck_param *p)
{
    char text[512];

    snprintf(text, sizeof text, "%s %s=%s: %s; %s", owner, p->key, p->value, p->help,
             p->allowed);
    page_wrap(stdout, text, 0, 4);
}

/* A setting of a clause, below what was said before; returns whether there is one. */
static size_t print_rule_setting(const char *name, int is_below)
{
    peck_param p;

    for (size_t i = 0; peck_rules_param_at(i, &p); i++)
        if (strcmp(p.key, name) == 0) {
            printf("%ssetting %s of a rule, behind its clause; a grid has rules.%s=:\n\n",
                   is_below ? "\n" : "", name, name);
            print_setting_of("rule", &p);
            return 1;
        }
    return 0;
}

/* A setting, by everything that has one of this name and takes it behind its own or by --set;
 * parts of a convention are options.  Returns how many have it. */
static size_t print_setting(const char *name)
{
    const peck_plug *owner;
    peck_param p;
    size_t n = 0;

    for (const struct kind_name *k = kind_names; k->name != NULL; k++) {
        size_t n_of_kind = 0;

        for (size_t m = 0; (owner = peck_plug_at(k->kind, m)) != NULL; m++)
            for (size_t i = 0;
                 k->kind != PECK_CONVENTION && peck_param_at(k->kind, owner->name, i, &p);
                 i++) {
                if (strcmp(p.key, name) != 0)
                    continue;
                if (n_of_kind++ == 0 &&
                    (k->kind == PECK_METHOD || k->kind == PECK_GENERATOR))
                    printf("%ssetting %s of a %s, for --set %s=VALUE:\n\n",
                           n > 0 ? "\n" : "", name, k->one, name);
                else if (n_of_kind == 1)
                    printf("%ssetting %s of a %s, as in %s:%s=VALUE:\n\n",
                           n > 0 ? "\n" : "", name, k->one, owner->name, name);
                print_setting_of(owner->name, &p);
            }
        n += n_of_kind;
    }
    return n + print_rule_setting(name, n > 0);
}

/* An option, verb by verb, below what was said before; returns how many have it. */
static size_t print_option(const char *name, int is_below)
{
    size_t n = 0;

    for (size_t v = 0; v == 0 || verbs[v - 1] != NULL; v++) { /* 0: what all verbs have */
        struct opt_set set = { .n = 0 };
        char text[512];

        opt_add(&set, v == 0 ? manners_group : verbs[v - 1]->groups, NULL);
        const int at = opt_find(&set, name, strlen(name));

        if (at < 0)
            continue;
        const struct opt *const row = &set.row[at];

        if (n++ == 0)
            printf("%soption --%s:\n\n", is_below ? "\n" : "", name);
        snprintf(text, sizeof text, "peck %s --%s%s%s: %s%s%s",
                 v == 0 ? "VERB" : verbs[v - 1]->name, name, row->arg != NULL ? " " : "",
                 row->arg != NULL ? row->arg : "", row->help,
                 row->value != NULL ? "; default: " : "",
                 row->value != NULL ? row->value : "");
        page_wrap(stdout, text, 0, 4);
    }
    return n;
}

/* Everything that goes by a name: a reader and a writer may share one. */
static peck_status help_main(struct call *c)
{
    const struct help_args *a = c->args;
    const peck_plug *const method = c->n_words > 0 ? peck_method_named(c->word[0]) : NULL;
    const char *const name = method != NULL   ? method->name
                             : c->n_words > 0 ? c->word[0]
                                              : "";
    const struct verb *const v = verb_find(name);
    const char *known[MAX_NAMES];
    const peck_plug *p;
    peck_param row;
    size_t n = 0, n_found = 0;

    if (a->shell != NULL) {
        if (c->n_words > 0 || a->as_man || a->of_all)
            return refuse(c->err, PECK_ARG,
                          "--completion is of all verbs, and stands alone");
        complete_print(stdout, a->shell);
        return PECK_OK;
    }
    if (c->n_words > 1)
        return refuse(c->err, PECK_ARG, "help takes one name");
    if (a->of_all && (a->as_man || c->n_words > 0))
        return refuse(c->err, PECK_ARG, "--all prints all help; leave out %s",
                      a->as_man ? "--man" : "the name");
    if (a->of_all)
        print_all();
    else if (c->n_words == 0)
        (a->as_man ? page_overview_man : page_overview)(stdout);
    else if (v != NULL)
        (a->as_man ? page_verb_man : page_verb)(stdout, v);
    if (c->n_words == 0 || v != NULL)
        return PECK_OK;
    for (; verbs[n] != NULL; n++)
        known[n] = verbs[n]->name;
    for (const struct kind_name *k = kind_names; k->name != NULL; k++)
        for (size_t i = 0; n < MAX_NAMES && (p = peck_plug_at(k->kind, i)) != NULL; i++) {
            known[n++] = p->name;
            if (strcmp(p->name, name) == 0) {
                printf("%s%s ", n_found++ > 0 ? "\n" : "", k->one);
                page_plug(stdout, k->kind, p);
            }
        }
    if (n_found > 0)
        return PECK_OK;
    const int is_of_rules = strncmp(name, "rules.", 6) == 0; /* as a grid has them */

    n_found = is_of_rules ? print_rule_setting(name + 6, 0) : print_setting(name);
    n_found += print_option(name, n_found > 0);
    if (n_found > 0)
        return PECK_OK;
    for (size_t m = 0; (p = peck_plug_at(PECK_METHOD, m)) != NULL; m++)
        for (size_t i = 0; n < MAX_NAMES && peck_param_at(PECK_METHOD, p->name, i, &row);
             i++)
            known[n++] = row.key;
    for (size_t i = 0; i == 0 || verbs[i - 1] != NULL; i++) {
        struct opt_set set = { .n = 0 };

        opt_add(&set, i == 0 ? manners_group : verbs[i - 1]->groups, NULL);
        for (size_t k = 0; n < MAX_NAMES && k < set.n; k++)
            known[n++] = set.row[k].name;
    }
    const char *const near = peck_nearest(name, known, n);

    if (near != NULL)
        return refuse(c->err, PECK_ARG, "no help on '%.60s'; did you mean '%s'?", name,
                      near);
    return refuse(c->err, PECK_ARG, "no help on '%.60s'; see `peck help`", name);
}

const struct verb verb_help = {
    .name = "help",
    .summary = "explain a verb, a method, a metric, a setting or anything with a name",
    .usage = { "[VERB|NAME] [--man]", "--all", "--completion SHELL" },
    .about =
        "Without a name it lists the verbs. With one it prints all there is to know, the "
        "settings and their defaults included.",
    .groups = { { "Form", help_rows, 0 } },
    .examples = { { "A verb", "peck help eval" },
                  { "A method and all its settings", "peck help ranknet" },
                  { "A metric, a convention, a generator", "peck help ndcg" },
                  { "A man page", "peck help eval --man > peck-eval.1" },
                  { "Everything, to read or to search in", "peck help --all > peck.txt" },
                  { "Completion for bash, to be read by ~/.bashrc",
                    "peck help --completion bash > peck.bash" } },
    .args_size = sizeof(struct help_args),
    .run = help_main,
};
