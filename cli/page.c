/* page.c -- help for a terminal (80 columns, options with their live defaults), and the same
 * tables as a man page (man(7) macros).                                               */
#include "page.h"
#include "tty.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { HELP_AT = 26, USUAL_WIDTH = 80, NARROWEST = 40, WIDEST = 100 };

#define KIND(several, one, kind) { #several, one, kind },
const struct kind_name kind_names[] = { KINDS(KIND){ 0 } };
#undef KIND

static int page_width(FILE *to)
{
    const int fd = fileno(to);
    const size_t width = isatty(fd) ? tty_width(fd) : 0;

    return width == 0          ? USUAL_WIDTH
           : width < NARROWEST ? NARROWEST
           : width > WIDEST    ? WIDEST
                               : (int)width;
}

/* Words are filled up to the width; an empty line in the text stays one. */
void page_wrap(FILE *to, const char *text, int at, int indent)
{
    const int width = page_width(to);
    int column = at, is_first = 1;

    while (*text != '\0') {
        const size_t blanks = strspn(text, " \n");
        const int is_break = blanks >= 2 && memchr(text, '\n', blanks) != NULL;
        const size_t word = strcspn(text + blanks, " \n");

        if (is_break && !is_first)
            fprintf(to, "\n\n%*s", indent, ""), column = indent;
        else if (!is_first && column + 1 + (int)word > width)
            fprintf(to, "\n%*s", indent, ""), column = indent;
        else if (!is_first)
            fputc(' ', to), column++;
        fwrite(text + blanks, 1, word, to);
        column += (int)word;
        text += blanks + word;
        is_first = 0;
    }
    fputc('\n', to);
}

/* help in its column, behind the `at` columns that stand there; "text; more" or
 * "text [more]", where there is more. */
static void print_help(FILE *to, int at, const char *text, const char *between,
                       const char *more, const char *end)
{
    char help[512];

    if (at + 2 > HELP_AT)
        at = fprintf(to, "\n") - 1;
    fprintf(to, "%*s", HELP_AT - at, "");
    snprintf(help, sizeof help, "%s%s%s%s", text, more != NULL ? between : "",
             more != NULL ? more : "", more != NULL ? end : "");
    page_wrap(to, help, HELP_AT, HELP_AT);
}

static void print_setting(FILE *to, const peck_param *p)
{
    print_help(to, fprintf(to, "  %s=%s", p->key, p->value), p->help, "; ", p->allowed, "");
}

/* Summary, usage, text, options by group with their defaults, settings, examples. */
void page_verb(FILE *to, const struct verb *v)
{
    struct opt_set set = { .n = 0 };
    peck_param p;

    opt_add(&set, v->groups, NULL);
    opt_add(&set, manners_group, NULL);
    fprintf(to, "peck %s: %s\n\n", v->name, v->summary);
    for (size_t i = 0; v->usage[i] != NULL; i++)
        fprintf(to, "%s peck %s %s\n", i == 0 ? "Usage:" : "      ", v->name, v->usage[i]);
    fputc('\n', to);
    page_wrap(to, v->about, 0, 0);
    for (size_t i = 0; i < set.n; i++) {
        const struct opt *const row = &set.row[i];

        if (set.title[i] != NULL)
            fprintf(to, "\n%s:\n", set.title[i]);
        int at = row->letter != 0 ? fprintf(to, "  -%c, --%s", row->letter, row->name)
                                  : fprintf(to, "      --%s", row->name);

        if (row->arg != NULL)
            at += fprintf(to, " %s", row->arg);
        print_help(to, at, row->help, " [", row->value, "]");
    }
    if (v->settings != NULL)
        fprintf(to, "\n%s:\n", v->settings);
    for (size_t i = 0; v->settings != NULL && v->setting_at(i, &p); i++)
        print_setting(to, &p);
    if (v->examples[0].command != NULL)
        fputs("\nExamples:\n", to);
    for (const struct example *e = v->examples; e->command != NULL; e++)
        fprintf(to, "  # %s\n  $ %s\n", e->what, e->command);
}

void page_overview(FILE *to)
{
    fputs("peck: learning to rank\n\nUsage: peck VERB [options] [file ...]\n\n", to);
    for (size_t i = 0; verbs[i] != NULL; i++)
        fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\n`peck VERB --help` explains a verb, `peck help NAME` a method, metric or "
          "format;\n`peck help --all` prints all help, `peck --version` the "
          "version.\n\"-\" stands for standard input or output; gzip and zstd files are "
          "read directly.\n\nExit status:\n",
          to);
    for (const struct exit_meaning *e = exit_meanings; e->meaning != NULL; e++)
        fprintf(to, "  %3d  %s\n", e->code, e->meaning);
}

/* Title, text, what a recipe is made of, settings with their defaults and ranges. */
void page_plug(FILE *to, peck_kind kind, const peck_plug *plug)
{
    peck_recipe recipe;
    peck_param p;
    char text[256];

    fprintf(to, "%s: %s\n\n", plug->name, plug->title);
    page_wrap(to, plug->doc, 0, 0);
    if (kind == PECK_METHOD && peck_method_recipe(plug->name, &recipe)) {
        const char *const rules =
            peck_method_takes_rules(plug->name) ? " It takes rules." : "";

        if (recipe.objective != NULL)
            snprintf(text, sizeof text,
                     "This recipe combines learner %s, family %s and objective %s.%s",
                     recipe.learner, recipe.family, recipe.objective, rules);
        else
            snprintf(text, sizeof text,
                     "This recipe combines learner %s, which has an objective of its own, "
                     "and family %s.%s",
                     recipe.learner, recipe.family, rules);
        fputc('\n', to);
        page_wrap(to, text, 0, 0);
    }
    for (size_t i = 0; peck_param_at(kind, plug->name, i, &p); i++) {
        if (i == 0)
            fputs("\nSettings:\n", to);
        print_setting(to, &p);
    }
}

/* Man pages ----------------------------------------------------------------------------- */

/* Text between two pieces that are macros already: a dash is a minus sign, a backslash is
 * doubled, no line of ours is a macro, and an empty line begins a paragraph. */
static void man_put(FILE *to, const char *before, const char *text, const char *behind)
{
    int at_start = 1;

    fputs(before, to);
    for (; *text != '\0'; at_start = *text++ == '\n') {
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP", to);
            text++;
        }
        if (at_start && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else
            fputc(*text, to);
    }
    fputs(behind, to);
}

static void man_head(FILE *to, const char *name, const char *summary)
{
    fputs(".TH ", to);
    for (const char *c = name; *c != '\0'; c++)
        fputc(toupper((unsigned char)*c), to);
    fprintf(to, " 1 \"\" \"peck %s\" \"Peck\"\n.SH NAME\n", peck_version());
    man_put(to, "", name, "");
    man_put(to, " \\- ", summary, "\n.SH SYNOPSIS\n");
}

/* but: the verb whose page it is; NULL: the command's own. */
static void man_tail(FILE *to, const struct verb *but)
{
    fputs(".SH EXIT STATUS\n", to);
    for (const struct exit_meaning *e = exit_meanings; e->meaning != NULL; e++) {
        fprintf(to, ".TP\n%d\n", e->code);
        man_put(to, "", e->meaning, "\n");
    }
    fputs(".SH SEE ALSO\n", to);
    fputs(but != NULL ? ".BR peck (1)" : "", to);
    for (size_t i = 0, n = but != NULL; verbs[i] != NULL; i++)
        if (verbs[i] != but)
            fprintf(to, "%s.BR peck\\-%s (1)", n++ > 0 ? ",\n" : "", verbs[i]->name);
    fputc('\n', to);
}

/* The same as page_verb, in sections that man(1) expects. */
void page_verb_man(FILE *to, const struct verb *v)
{
    struct opt_set set = { .n = 0 };
    peck_param p;
    char name[64];

    snprintf(name, sizeof name, "peck-%s", v->name);
    man_head(to, name, v->summary);
    for (size_t i = 0; v->usage[i] != NULL; i++) {
        fprintf(to, "%s\\fBpeck %s\\fR ", i > 0 ? ".br\n" : "", v->name);
        man_put(to, "", v->usage[i], "\n");
    }
    man_put(to, ".SH DESCRIPTION\n", v->about, "\n.SH OPTIONS\n");
    opt_add(&set, v->groups, NULL);
    opt_add(&set, manners_group, NULL);
    for (size_t i = 0; i < set.n; i++) {
        const struct opt *const row = &set.row[i];

        if (set.title[i] != NULL)
            man_put(to, ".SS ", set.title[i], "\n");
        fputs(".TP\n", to);
        if (row->letter != 0)
            fprintf(to, "\\fB\\-%c\\fR, ", row->letter);
        man_put(to, "\\fB\\-\\-", row->name, "\\fR");
        if (row->arg != NULL)
            man_put(to, " \\fI", row->arg, "\\fR");
        man_put(to, "\n", row->help, "\n");
        if (row->value != NULL)
            man_put(to, "(default: ", row->value, ")\n");
    }
    if (v->settings != NULL)
        man_put(to, ".SS ", v->settings, "\n");
    for (size_t i = 0; v->settings != NULL && v->setting_at(i, &p); i++) {
        man_put(to, ".TP\n\\fB", p.key, "\\fR=");
        man_put(to, "\\fI", p.value, "\\fR\n");
        man_put(to, "", p.help, "; ");
        man_put(to, "", p.allowed, "\n");
    }
    if (v->examples[0].command != NULL)
        fputs(".SH EXAMPLES\n", to);
    for (const struct example *e = v->examples; e->command != NULL; e++) {
        man_put(to, ".PP\n", e->what, "\n");
        man_put(to, ".PP\n.EX\n    ", e->command, "\n.EE\n");
    }
    man_tail(to, v);
}

void page_overview_man(FILE *to)
{
    man_head(to, "peck", "learning to rank");
    fputs("\\fBpeck\\fR \\fIVERB\\fR [options] [file ...]\n.SH DESCRIPTION\nReads, makes, "
          "describes and converts ranking data, trains rankers on it, and evaluates "
          "rankings.\n\\(dq\\-\\(dq stands for standard input or output; gzip and zstd "
          "files are read directly.\nResults go to standard output: aligned on a "
          "terminal, name and value separated by a tab in a pipe.\nEverything else goes "
          "to standard error.\n.SH VERBS\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        fprintf(to, ".TP\n\\fB%s\\fR\n", verbs[i]->name);
        man_put(to, "", verbs[i]->summary, "\n");
    }
    fputs(".SH ENVIRONMENT\n"
          ".TP\n\\fBNO_COLOR\\fR\n"
          "If it is set and not empty, no colours on a terminal.\n"
          ".TP\n\\fBCOLUMNS\\fR\n"
          "How wide tables may be, if not as wide as the terminal.\n",
          to);
    man_tail(to, NULL);
}
