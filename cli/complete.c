/* complete.c -- see complete.h.  What can follow an option is told by its name (methods,
 * metrics, ...) or by the choices of its argument, "a|b|c"; else it is a file.           */
#include "complete.h"
#include "page.h"

#include <ctype.h>
#include <string.h>

/* Options whose value is something with a name. */
static const struct named_option {
    const char *option;
    peck_kind kind;
} named_options[] = {
    { "method", PECK_METHOD },
    { "metric", PECK_METRIC },
    { "convention", PECK_CONVENTION },
    { "decoder", PECK_DECODER },
    { "norm", PECK_NORM },
    { "reader", PECK_READER },
    { "to", PECK_WRITER },
};

/* What can stand somewhere, parted by blanks; "": files, or nobody knows. */
struct choices {
    char text[8192];
};

static void add_choice(struct choices *c, const char *word, size_t n)
{
    const size_t at = strlen(c->text);

    snprintf(c->text + at, sizeof c->text - at, "%s%.*s", at > 0 ? " " : "", (int)n, word);
}

/* The lower-case words of "list|all|FILE"; those in capitals are for the user to think of. */
static void add_alternatives(struct choices *c, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t length = strcspn(text + i, "|");
        const size_t end = i + length < n ? length : n - i;

        if (islower((unsigned char)text[i]) && strcspn(text + i, " [(") >= end)
            add_choice(c, text + i, end);
        i += end + 1;
    }
}

static void add_plugs(struct choices *c, peck_kind kind)
{
    const peck_plug *p;

    for (size_t i = 0; (p = peck_plug_at(kind, i)) != NULL; i++)
        add_choice(c, p->name, strlen(p->name));
}

static struct choices choices_of_option(const struct opt *row)
{
    struct choices c = { "" };

    for (size_t i = 0; i < sizeof named_options / sizeof *named_options; i++)
        if (strcmp(row->name, named_options[i].option) == 0)
            add_plugs(&c, named_options[i].kind);
    if (c.text[0] == '\0' && row->arg != NULL && strchr(row->arg, '|') != NULL)
        add_alternatives(&c, row->arg, strlen(row->arg));
    return c;
}

/* The first words of the verb's usage, "check DATA" or "methods|norms": those it takes by name;
 * help takes everything that has one. */
static struct choices choices_of_verb(const struct verb *v)
{
    struct choices c = { "" };

    for (size_t i = 0; v->usage[i] != NULL; i++)
        add_alternatives(&c, v->usage[i], strcspn(v->usage[i], " "));
    if (strcmp(v->name, "generate") == 0)
        add_plugs(&c, PECK_GENERATOR);
    if (strcmp(v->name, "help") != 0)
        return c;
    for (size_t i = 0; verbs[i] != NULL; i++)
        add_choice(&c, verbs[i]->name, strlen(verbs[i]->name));
    for (const struct kind_name *k = kind_names; k->name != NULL; k++)
        add_plugs(&c, k->kind);
    return c;
}

/* The first clause of a help text, within single quotes.  quote: how the shell writes one of
 * them there; what is in `without` would mean something to it, and is left out. */
static void print_clause(FILE *to, const char *text, const char *quote, const char *without)
{
    for (size_t i = 0; text[i] != '\0' && text[i] != ';' && text[i] != ':' &&
                       strncmp(text + i, " (", 2) != 0;
         i++)
        if (text[i] == '\'')
            fputs(quote, to);
        else if (strchr(without, text[i]) == NULL)
            fputc(text[i], to);
}

static void options_of(struct opt_set *set, const struct verb *v)
{
    set->n = 0;
    opt_add(set, v->groups, NULL);
    opt_add(set, manners_group, NULL);
}

/* bash ----------------------------------------------------------------------------------- */

static void print_bash(FILE *to)
{
    struct opt_set set;

    fputs("# Completion of peck(1) for bash, written by `peck help --completion bash`.\n\n"
          "_peck() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= "
          "head=\n\n"
          "    COMPREPLY=()\n"
          "    # \"--format=table\" comes in three words.\n"
          "    if [ \"$cur\" = = ]; then\n"
          "        cur=\n"
          "    elif [ \"$prev\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        words='",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++)
        fprintf(to, "%s ", verbs[i]->name);
    fputs("--help --version'\n"
          "    else\n"
          "        case \"${COMP_WORDS[1]} $prev\" in\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        options_of(&set, verbs[i]);
        for (size_t k = 0; k < set.n; k++) {
            const struct choices c = choices_of_option(&set.row[k]);

            if (set.row[k].type == OPT_FLAG)
                continue;
            fprintf(to, "        '%s --%s'", verbs[i]->name, set.row[k].name);
            if (set.row[k].letter != 0)
                fprintf(to, "|'%s -%c'", verbs[i]->name, set.row[k].letter);
            /* Without choices: a file. */
            if (c.text[0] == '\0')
                fputs(") return ;;\n", to);
            else
                fprintf(to, ") words='%s' ;;\n", c.text);
        }
    }
    fputs("        *)\n"
          "            case ${COMP_WORDS[1]} in\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        const struct choices c = choices_of_verb(verbs[i]);

        options_of(&set, verbs[i]);
        fprintf(to, "            %s)\n                words='%s'\n", verbs[i]->name,
                c.text);
        fputs("                case $cur in -*) words='", to);
        for (size_t k = 0; k < set.n; k++)
            fprintf(to, "%s--%s", k > 0 ? " " : "", set.row[k].name);
        fputs("' ;; esac ;;\n", to);
    }
    fputs("            esac ;;\n"
          "        esac\n"
          "    fi\n"
          "    # Of a list, \"ridge,ra\", the last one.\n"
          "    case $cur in\n"
          "    *,*) head=${cur%,*}, cur=${cur##*,} ;;\n"
          "    esac\n"
          "    # shellcheck disable=SC2207  # no name has a blank\n"
          "    COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"$cur\"))\n"
          "}\n"
          "complete -o default -F _peck peck\n",
          to);
}

/* zsh ------------------------------------------------------------------------------------ */

static void print_zsh_clause(FILE *to, const char *text)
{
    print_clause(to, text, "'\\''", "\"`\\[]$");
}

/* What follows an option: one of the choices, several of them with commas, or a file. */
static void print_zsh_value(FILE *to, const struct opt *row)
{
    const struct choices c = choices_of_option(row);

    if (row->type == OPT_FLAG)
        return;
    fprintf(to, ":%s:", row->name);
    if (c.text[0] == '\0')
        fputs("_files", to);
    else if (row->type == OPT_JOIN)
        fprintf(to, "_sequence compadd - %s", c.text);
    else
        fprintf(to, "(%s)", c.text);
}

static void print_zsh(FILE *to)
{
    struct opt_set set;

    fputs("#compdef peck\n"
          "# Completion of peck(1) for zsh, written by `peck help --completion zsh`.\n\n"
          "_peck() {\n"
          "    local -a verbs\n"
          "    verbs=(\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        fprintf(to, "        '%s:", verbs[i]->name);
        print_zsh_clause(to, verbs[i]->summary);
        fputs("'\n", to);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        if [[ $PREFIX == -* ]]; then\n"
          "            compadd -- --help --version\n"
          "        else\n"
          "            _describe verb verbs\n"
          "        fi\n"
          "        return\n"
          "    fi\n"
          "    local verb=$words[2]\n"
          "    words=(\"peck-$verb\" \"${(@)words[3,-1]}\")\n"
          "    (( CURRENT-- ))\n"
          "    case $verb in\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        const struct choices of_verb = choices_of_verb(verbs[i]);

        options_of(&set, verbs[i]);
        fprintf(to, "    %s)\n        _arguments \\\n", verbs[i]->name);
        for (size_t k = 0; k < set.n; k++) {
            const struct opt *const row = &set.row[k];

            for (int is_letter = 0; is_letter < 1 + (row->letter != 0); is_letter++) {
                if (is_letter)
                    fprintf(to, "            '*-%c[", row->letter);
                else
                    fprintf(to, "            '*--%s%s[", row->name,
                            row->type != OPT_FLAG ? "=" : "");
                print_zsh_clause(to, row->help);
                fputc(']', to);
                print_zsh_value(to, row);
                fputs("' \\\n", to);
            }
        }
        if (of_verb.text[0] != '\0')
            fprintf(to, "            '1:word:(%s)' \\\n", of_verb.text);
        fputs("            '*:file:_files' ;;\n", to);
    }
    fputs("    esac\n"
          "}\n\n"
          "_peck \"$@\"\n",
          to);
}

/* fish ----------------------------------------------------------------------------------- */

static void print_fish_clause(FILE *to, const char *text)
{
    fputs(" -d '", to);
    print_clause(to, text, "\\'", "\\");
    fputs("'\n", to);
}

/* What follows an option, as in zsh; a file is offered too where it may be one. */
static void print_fish_value(FILE *to, const struct opt *row)
{
    const struct choices c = choices_of_option(row);

    if (row->type == OPT_FLAG)
        return;
    if (c.text[0] == '\0')
        fputs(" -r", to);
    else if (row->type == OPT_JOIN)
        fprintf(to, " -x -a '(__fish_append , %s)'", c.text);
    else
        fprintf(to, " %s -a '%s'", strstr(row->arg, "FILE") != NULL ? "-r" : "-x", c.text);
}

static void print_fish(FILE *to)
{
    struct opt_set set;

    fputs("# Completion of peck(1) for fish, written by `peck help --completion fish`.\n\n"
          "# Whether this is the line's verb; and whether its first word is to come.\n"
          "function __peck_is\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
          "end\n"
          "function __peck_first\n"
          "    set -l words (commandline -opc)\n"
          "    __peck_is $argv[1]; or return\n"
          "    set -e words[1..2]\n"
          "    not string match -qv -- '-*' $words\n"
          "end\n\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        fprintf(to, "complete -c peck -f -n __fish_use_subcommand -a %s", verbs[i]->name);
        print_fish_clause(to, verbs[i]->summary);
    }
    fputs("complete -c peck -n __fish_use_subcommand -l help -d 'the verbs'\n"
          "complete -c peck -n __fish_use_subcommand -l version -d 'the version'\n",
          to);
    for (size_t i = 0; verbs[i] != NULL; i++) {
        const struct choices of_verb = choices_of_verb(verbs[i]);

        options_of(&set, verbs[i]);
        if (of_verb.text[0] != '\0')
            fprintf(to, "complete -c peck -f -n '__peck_first %s' -a '%s'\n",
                    verbs[i]->name, of_verb.text);
        for (size_t k = 0; k < set.n; k++) {
            const struct opt *const row = &set.row[k];

            fprintf(to, "complete -c peck -n '__peck_is %s' -l %s", verbs[i]->name,
                    row->name);
            if (row->letter != 0)
                fprintf(to, " -s %c", row->letter);
            print_fish_value(to, row);
            print_fish_clause(to, row->help);
        }
    }
}

void complete_print(FILE *to, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash(to);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(to);
    else
        print_fish(to);
}
