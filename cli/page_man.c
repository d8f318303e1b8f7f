/* page_man.c -- the same tables as a man page (man(7) macros). */
#include "page.h"
#include "exits.h"

#include <ctype.h>
#include <string.h>

/* A dash is a minus sign, a backslash is doubled, and no line of ours is a macro. */
static void escape(FILE *to, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int at_start = i == 0 || text[i - 1] == '\n';

        if (at_start && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", to);
        if (text[i] == '\\')
            fputs("\\e", to);
        else if (text[i] == '-')
            fputs("\\-", to);
        else
            fputc(text[i], to);
    }
}

static void put(FILE *to, const char *text)
{
    escape(to, text, strlen(text));
}

static void put_line(FILE *to, const char *before, const char *text)
{
    fputs(before, to);
    put(to, text);
    fputc('\n', to);
}

static void title(FILE *to, const char *name, const char *summary)
{
    fputs(".TH ", to);
    for (const char *c = name; *c != '\0'; c++)
        fputc(toupper((unsigned char)*c), to);
    fprintf(to, " 1 \"\" \"peck %s\" \"Peck\"\n.SH NAME\n", peck_version());
    put(to, name);
    put_line(to, " \\- ", summary);
}

static void paragraphs(FILE *to, const char *text)
{
    const char *end;

    for (; (end = strstr(text, "\n\n")) != NULL; text = end + 2) {
        escape(to, text, (size_t)(end - text));
        fputs("\n.PP\n", to);
    }
    put_line(to, "", text);
}

static void option(FILE *to, const struct opt *row)
{
    fputs(".TP\n", to);
    if (row->letter != 0)
        fprintf(to, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", to);
    put(to, row->name);
    fputs("\\fR", to);
    if (row->arg != NULL) {
        fputs(" \\fI", to);
        put(to, row->arg);
        fputs("\\fR", to);
    }
    put_line(to, "\n", row->help);
    if (row->value != NULL) {
        fputs("(default: ", to);
        put(to, row->value);
        fputs(")\n", to);
    }
}

static void exit_status(FILE *to)
{
    fputs(".SH EXIT STATUS\n", to);
    for (const struct exit_meaning *e = exit_meanings; e->meaning != NULL; e++) {
        fprintf(to, ".TP\n%d\n", e->code);
        put_line(to, "", e->meaning);
    }
}

static void see_also(FILE *to, const struct verb *but)
{
    fputs(".SH SEE ALSO\n", to);
    fputs(but != NULL ? ".BR peck (1)" : "", to);
    for (size_t i = 0, n = but != NULL; verbs[i] != NULL; i++)
        if (verbs[i] != but)
            fprintf(to, "%s.BR peck\\-%s (1)", n++ > 0 ? ",\n" : "", verbs[i]->name);
    fputc('\n', to);
}

void page_verb_man(FILE *to, const struct verb *v)
{
    struct opt_set set = { .n = 0 };
    char name[64];

    snprintf(name, sizeof name, "peck-%s", v->name);
    title(to, name, v->summary);
    fputs(".SH SYNOPSIS\n", to);
    for (size_t i = 0; v->usage[i] != NULL; i++) {
        fprintf(to, "%s\\fBpeck %s\\fR ", i > 0 ? ".br\n" : "", v->name);
        put_line(to, "", v->usage[i]);
    }
    fputs(".SH DESCRIPTION\n", to);
    paragraphs(to, v->about);
    fputs(".SH OPTIONS\n", to);
    opt_add(&set, v->groups, NULL);
    opt_add(&set, manners_group, NULL);
    for (size_t i = 0; i < set.n; i++) {
        if (set.title[i] != NULL)
            put_line(to, ".SS ", set.title[i]);
        option(to, &set.row[i]);
    }
    if (v->examples != NULL)
        fputs(".SH EXAMPLES\n", to);
    for (const struct example *e = v->examples; e != NULL && e->command != NULL; e++) {
        put_line(to, ".PP\n", e->what);
        put_line(to, ".PP\n.EX\n    ", e->command);
        fputs(".EE\n", to);
    }
    exit_status(to);
    see_also(to, v);
}

void page_overview_man(FILE *to)
{
    title(to, "peck", "learning to rank");
    fputs(".SH SYNOPSIS\n\\fBpeck\\fR \\fIVERB\\fR [options] [file ...]\n"
          ".SH DESCRIPTION\n"
          "Reads, makes, describes and converts ranking data, trains rankers on it, and "
          "judges orders by the measures of the field.\n"
          "\\(dq\\-\\(dq stands for standard input or output; gzip and zstd are read as "
          "they are.\n"
          "Results go to standard output: aligned on a terminal, name and value parted by "
          "a tab in a pipe.\nEverything else goes to standard error.\n"
          ".SH VERBS\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        fprintf(to, ".TP\n\\fB%s\\fR\n", verbs[i]->name);
        put_line(to, "", verbs[i]->summary);
    }
    exit_status(to);
    see_also(to, NULL);
}
