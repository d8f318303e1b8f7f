/* page.c -- help for a terminal: 80 columns, options with their live defaults. */
#include "page.h"
#include "exits.h"

#include <string.h>

enum { WIDTH = 80, HELP_AT = 26 };

const struct kind_name kind_names[] = { { "methods", "method", PECK_METHOD },
                                        { "norms", "normaliser", PECK_NORM },
                                        { "metrics", "metric", PECK_METRIC },
                                        { "conventions", "convention", PECK_CONVENTION },
                                        { "readers", "reader", PECK_READER },
                                        { "writers", "writer", PECK_WRITER },
                                        { "generators", "generator", PECK_GENERATOR },
                                        { "decoders", "decoder", PECK_DECODER },
                                        { 0 } };

void page_wrap(FILE *to, const char *text, int at, int indent, int width)
{
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

static void print_option(FILE *to, const struct opt *row)
{
    char help[512];
    int at = row->letter != 0 ? fprintf(to, "  -%c, --%s", row->letter, row->name)
                              : fprintf(to, "      --%s", row->name);

    if (row->arg != NULL)
        at += fprintf(to, " %s", row->arg);
    if (at + 2 > HELP_AT)
        at = fprintf(to, "\n") - 1;
    fprintf(to, "%*s", HELP_AT - at, "");
    if (row->value != NULL)
        snprintf(help, sizeof help, "%s [%s]", row->help, row->value);
    else
        snprintf(help, sizeof help, "%s", row->help);
    page_wrap(to, help, HELP_AT, HELP_AT, WIDTH);
}

void page_verb(FILE *to, const struct verb *v)
{
    struct opt_set set = { .n = 0 };

    opt_add(&set, v->groups, NULL);
    opt_add(&set, manners_group, NULL);
    fprintf(to, "peck %s: %s\n\n", v->name, v->summary);
    for (size_t i = 0; v->usage[i] != NULL; i++)
        fprintf(to, "%s peck %s %s\n", i == 0 ? "Usage:" : "      ", v->name, v->usage[i]);
    fputc('\n', to);
    page_wrap(to, v->about, 0, 0, WIDTH);
    for (size_t i = 0; i < set.n; i++) {
        if (set.title[i] != NULL)
            fprintf(to, "\n%s:\n", set.title[i]);
        print_option(to, &set.row[i]);
    }
    if (v->examples != NULL)
        fputs("\nExamples:\n", to);
    for (const struct example *e = v->examples; e != NULL && e->command != NULL; e++)
        fprintf(to, "  # %s\n  $ %s\n", e->what, e->command);
}

void page_overview(FILE *to)
{
    fputs("peck: learning to rank\n\nUsage: peck VERB [options] [file ...]\n\n", to);
    for (size_t i = 0; verbs[i] != NULL; i++)
        fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\n`peck VERB --help` tells the rest; `peck --version` the version.\n"
          "\"-\" stands for standard input or output; gzip and zstd are read as they are.\n"
          "\nExit status:\n",
          to);
    for (const struct exit_meaning *e = exit_meanings; e->meaning != NULL; e++)
        fprintf(to, "  %3d  %s\n", e->code, e->meaning);
}

void page_plug(FILE *to, peck_kind kind, const peck_plug *plug)
{
    peck_param p;
    char text[512];

    fprintf(to, "%s: %s\n\n", plug->name, plug->title);
    page_wrap(to, plug->doc, 0, 0, WIDTH);
    for (size_t i = 0; peck_param_at(kind, plug->name, i, &p); i++) {
        int at = fprintf(to, "%s  %s=%s", i == 0 ? "\nSettings:\n" : "", p.key, p.value) -
                 (i == 0 ? (int)strlen("\nSettings:\n") : 0);

        if (at + 2 > HELP_AT)
            at = fprintf(to, "\n") - 1;
        fprintf(to, "%*s", HELP_AT - at, "");
        snprintf(text, sizeof text, "%s; %s", p.help, p.allowed);
        page_wrap(to, text, HELP_AT, HELP_AT, WIDTH);
    }
}
