/* opt.c -- reads "--name value", "--name=value", "-o value", "-ovalue", "-o=value"; "--"
 * ends them.                                                                        */
#include "opt.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

peck_status refuse(peck_error *err, peck_status why, const char *fmt, ...)
{
    va_list args;

    err->status = why;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    peck_text_plain(err->text, 0);
    return why;
}

/* Where the rows are gathered ----------------------------------------------------- */

int opt_find(const struct opt_set *set, const char *name, size_t length)
{
    for (size_t i = 0; i < set->n; i++)
        if (strlen(set->row[i].name) == length &&
            memcmp(set->row[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

int opt_is_given(const struct opt_set *set, const char *name)
{
    const int i = opt_find(set, name, strlen(name));

    return i >= 0 && set->is_given[i];
}

static void opt_add_row(struct opt_set *set, const struct opt *row, const char *title,
                        char *base)
{
    const int known = opt_find(set, row->name, strlen(row->name));
    const size_t i = known < 0 ? set->n++ : (size_t)known;

    assert(i < OPT_MAX);
    if (known < 0)
        set->title[i] = title;
    set->row[i] = *row;
    set->field[i] = base == NULL ? NULL : base + row->offset;
}

/* The parts of a convention are asked of the library, so a new one is a new flag. */
void opt_add(struct opt_set *set, const struct opt_group *groups, void *base)
{
    for (const struct opt_group *g = groups; g != NULL && g->title != NULL; g++) {
        char *at = base == NULL ? NULL : (char *)base + g->at;
        const char *title = g->title;
        peck_param part;

        for (const struct opt *row = g->rows; row != NULL && row->type != OPT_END;
             row++, title = NULL)
            opt_add_row(set, row, title, at);
        for (size_t i = 0;
             g->rows == NULL &&
             peck_param_at(PECK_CONVENTION, PECK_DEFAULT_CONVENTION, i, &part);
             i++, title = NULL) {
            const char *const arg = strcmp(part.type, "choice") == 0 ? part.allowed : "N";

            opt_add_row(
                set, &(struct opt){ part.key, 0, OPT_PART, arg, part.value, part.help, 0 },
                title, at);
        }
    }
}

/* Values ---------------------------------------------------------------------------- */

/* strtod would take hexadecimal, "inf" and blanks as well. */
int opt_parse_real(const char *text, double *value)
{
    char *end;

    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return 0;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

/* Appends "text" or "name=text" behind a comma. */
static peck_status append_text(char **joined, const char *name, const char *text,
                               peck_error *err)
{
    const size_t old = *joined == NULL ? 0 : strlen(*joined);
    const size_t room = old + strlen(name) + strlen(text) + 3;
    char *longer = realloc(*joined, room);

    if (longer == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    snprintf(longer + old, room - old, "%s%s%s%s", old > 0 ? "," : "", name,
             *name != '\0' ? "=" : "", text);
    *joined = longer;
    return PECK_OK;
}

/* Whether it is one of the words of "a|b|c". */
static int is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);

    for (const char *c = choices; *c != '\0'; c += *c == '|') {
        const size_t length = strcspn(c, "|");

        if (length == n && memcmp(c, text, n) == 0)
            return 1;
        c += length;
    }
    return 0;
}

/* "unknown format 'xml'; give tsv, trec or json". */
static peck_status refuse_choice(const struct opt *row, const char *text, peck_error *err)
{
    const peck_plug *reader;
    const char *hint = "";
    char known[256] = "";

    for (const char *c = row->arg; *c != '\0'; c += *c == '|') {
        const size_t length = strcspn(c, "|"), at = strlen(known);

        snprintf(known + at, sizeof known - at, "%s%.*s",
                 at == 0             ? ""
                 : c[length] != '\0' ? ", "
                                     : " or ",
                 (int)length, c);
        c += length;
    }
    for (size_t i = 0; strcmp(row->name, "format") == 0 &&
                       (reader = peck_plug_at(PECK_READER, i)) != NULL;
         i++)
        if (strcmp(reader->name, text) == 0)
            hint = "; how data is read is --reader";
    return refuse(err, PECK_ARG, "unknown %s '%.60s'; give %s%s", row->name, text, known,
                  hint);
}

/* text, as it stands on the command line, into the field of its type.  Whole numbers have no
 * sign and must fit; a list grows by one and stays ended by NULL. */
static peck_status set_value(const struct opt *row, void *field, const char *text,
                             peck_error *err)
{
    const uint64_t most = row->type == OPT_INT ? INT_MAX : UINT64_MAX;
    const char ***const list = field, **longer;
    uint64_t whole = 0;
    size_t n = 0;

    switch (row->type) {
    case OPT_FLAG:
        ++*(int *)field;
        return PECK_OK;
    case OPT_CHOICE:
        if (!is_choice(row->arg, text))
            return refuse_choice(row, text, err);
        *(const char **)field = text;
        return PECK_OK;
    case OPT_TEXT:
        *(const char **)field = text;
        return PECK_OK;
    case OPT_LIST:
        while (*list != NULL && (*list)[n] != NULL)
            n++;
        longer = realloc(*list, (n + 2) * sizeof *longer);
        if (longer == NULL)
            return refuse(err, PECK_NOMEM, "out of memory");
        longer[n] = text;
        longer[n + 1] = NULL;
        *list = longer;
        return PECK_OK;
    case OPT_JOIN:
        return append_text(field, "", text, err);
    case OPT_PART:
        return append_text(field, row->name, text, err);
    case OPT_INT:
    case OPT_COUNT:
        for (; text[n] >= '0' && text[n] <= '9'; n++) {
            const unsigned digit = (unsigned)(text[n] - '0');

            if (whole > (most - digit) / 10)
                break;
            whole = whole * 10 + digit;
        }
        if (n == 0 || text[n] != '\0')
            return refuse(err, PECK_ARG, "--%s takes a whole number from 0 on, not '%.60s'",
                          row->name, text);
        if (row->type == OPT_INT)
            *(int *)field = (int)whole;
        else
            *(uint64_t *)field = whole;
        return PECK_OK;
    case OPT_REAL:
        if (!opt_parse_real(text, field))
            return refuse(err, PECK_ARG, "--%s takes a number, not '%.60s'", row->name,
                          text);
        return PECK_OK;
    case OPT_END:
        break;
    }
    return PECK_OK;
}

/* Numbers and texts start as their default; a joined text takes it at the end, when nothing
 * was given. */
static peck_status set_defaults(const struct opt_set *set, int at_end, peck_error *err)
{
    peck_status st = PECK_OK;

    for (size_t i = 0; st == PECK_OK && i < set->n; i++) {
        const struct opt *const row = &set->row[i];
        const int is_due = at_end ? row->type == OPT_JOIN && *(char **)set->field[i] == NULL
                                  : row->type == OPT_TEXT || row->type == OPT_CHOICE ||
                                        row->type == OPT_INT || row->type == OPT_COUNT ||
                                        row->type == OPT_REAL;

        if (row->value != NULL && is_due)
            st = set_value(row, set->field[i], row->value, err);
    }
    return st;
}

/* Flags ----------------------------------------------------------------------------- */

/* What is being read: argv from `next` on belongs to nobody yet. */
struct opt_reading {
    struct opt_set *set;
    const char *verb;
    char **argv;
    int argc, next;
    peck_error *err;
};

/* Names of options, then the settings of all methods where the verb has --set: those who know
 * other tools write --learning_rate.  Returns how many names there are. */
static size_t names_to_type(const struct opt_set *set, const char **known, size_t most)
{
    const peck_plug *method;
    peck_param p;
    size_t n = 0;

    for (; n < set->n && n < most; n++)
        known[n] = set->row[n].name;
    for (size_t m = 0; opt_find(set, "set", 3) >= 0 && opt_find(set, "method", 6) >= 0 &&
                       (method = peck_plug_at(PECK_METHOD, m)) != NULL;
         m++)
        for (size_t i = 0; n < most && peck_param_at(PECK_METHOD, method->name, i, &p); i++)
            known[n++] = p.key;
    return n;
}

static peck_status refuse_option(const struct opt_reading *r, const char *dashes,
                                 const char *name, size_t length)
{
    enum { MOST = 2048 };
    const char *known[MOST];
    char asked[64];

    snprintf(asked, sizeof asked, "%.*s", (int)(length < 60 ? length : 60), name);
    const size_t n = names_to_type(r->set, known, MOST);
    const char *const near = dashes[1] == '\0' ? NULL : peck_nearest(asked, known, n);
    const int is_option = near != NULL && opt_find(r->set, near, strlen(near)) >= 0;

    if (near != NULL)
        return refuse(r->err, PECK_ARG, "unknown option '--%s'; did you mean '--%s%s%s'?",
                      asked, is_option ? "" : "set ", near, is_option ? "" : "=VALUE");
    return refuse(r->err, PECK_ARG, "unknown option '%s%s'; see `peck %s --help`", dashes,
                  asked, r->verb);
}

/* Whether a word that should be a value is the next option: "-o --valid v.txt". */
static int is_an_option(const struct opt_set *set, const char *word)
{
    if (word[0] == '-' && word[1] == '-')
        return opt_find(set, word + 2, strcspn(word + 2, "=")) >= 0;
    for (size_t i = 0; word[0] == '-' && word[1] != '\0' && i < set->n; i++)
        if (set->row[i].letter == word[1] && word[2] == '\0')
            return 1;
    return 0;
}

/* The value of what stands before: `attached` (behind "=" or the letter) or the next word.
 * NULL: there is none. */
static const char *value_of(struct opt_reading *r, const char *attached)
{
    if (attached != NULL)
        return attached;
    return r->next < r->argc && !is_an_option(r->set, r->argv[r->next]) ? r->argv[r->next++]
                                                                        : NULL;
}

/* Gives option i its value.  Given twice, the last one counts, and that is told. */
static peck_status take_option(struct opt_reading *r, size_t i, const char *attached)
{
    struct opt_set *const set = r->set;
    const struct opt *row = &set->row[i];
    const int is_single = row->type != OPT_FLAG && row->type != OPT_LIST &&
                          row->type != OPT_JOIN && row->type != OPT_PART;

    if (row->type == OPT_FLAG && attached != NULL)
        return refuse(r->err, PECK_ARG, "--%s takes no value", row->name);
    const char *const value = row->type == OPT_FLAG ? "" : value_of(r, attached);

    if (value == NULL)
        return refuse(r->err, PECK_ARG, "--%s needs a value: --%s %s", row->name, row->name,
                      row->arg);
    if (is_single && set->is_given[i])
        snprintf(set->hint, sizeof set->hint,
                 "--%s is given twice; the last one counts: %.60s", row->name, value);
    set->is_given[i] = 1;
    return set_value(row, set->field[i], value, r->err);
}

/* Ways of before ---------------------------------------------------------------------
 * One meaning per option in all verbs: -m is a method, -M a metric; --format is the output's,
 * --reader the data's; -w is the web; --run is a TREC run, and so on.  Where -m was a metric and --format a reader, both are
 * understood as long as no doubt is possible: no metric is called like a method, and no
 * output like the readers letor and cache. */

/* -m where there are no methods.  metric: its row. */
static peck_status take_metric(struct opt_reading *r, size_t metric, const char *attached)
{
    const char *const value = value_of(r, attached);

    if (value == NULL)
        return refuse(r->err, PECK_ARG, "--metric needs a value: -M %s",
                      r->set->row[metric].arg);
    if (peck_method_named(value) != NULL)
        return refuse(r->err, PECK_ARG,
                      "-m is a method, and %s takes none: methods are for `peck train -m "
                      "%.60s`, metrics for -M",
                      r->verb, value);
    snprintf(r->set->hint, sizeof r->set->hint,
             "-m %.60s is taken as a metric; write -M %.60s, as -m is a method elsewhere",
             value, value);
    return take_option(r, metric, value);
}

/* -w was --blend-weights where nothing is shown on the web. */
static peck_status take_weights(struct opt_reading *r, size_t weights, const char *attached)
{
    snprintf(r->set->hint, sizeof r->set->hint,
             "-w is taken as --blend-weights; write that, as -w is --web elsewhere");
    return take_option(r, weights, attached);
}

/* What an option was called in a verb while the same name meant something else in others. */
static const struct old_name {
    const char *verb, *old, *now;
    const char *elsewhere; /* what the old name is there */
} old_names[] = {
    { "report", "run", "focus", "a TREC run" },
    { "rules", "baseline", "before", "the name of a run" },
    { "ask", "features", "item-features", "a list of features to use" },
    { "blend", "weights", "blend-weights", "the weights of features" },
    { "cv", "weights", "blend-weights", "the weights of features" },
    { "posteriors", "all", "all-pairs", "all help" },
};

/* name: n characters.  Refuses it where it never was an option of this verb. */
static peck_status take_old(struct opt_reading *r, const char *name, size_t n,
                            const char *attached)
{
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++) {
        const struct old_name *const o = &old_names[i];
        const int at = opt_find(r->set, o->now, strlen(o->now));

        if (strcmp(r->verb, o->verb) != 0 || strlen(o->old) != n ||
            memcmp(o->old, name, n) != 0 || at < 0)
            continue;
        snprintf(r->set->hint, sizeof r->set->hint,
                 "--%s is taken as --%s; write that, as --%s means %s elsewhere", o->old,
                 o->now, o->old, o->elsewhere);
        return take_option(r, (size_t)at, attached);
    }
    return refuse_option(r, "--", name, n);
}

/* --format where data is read.  at: its row; -1: the verb prints in one way. */
static peck_status take_format(struct opt_reading *r, int at, size_t reader,
                               const char *attached)
{
    const char *const value = value_of(r, attached);
    const int json = opt_find(r->set, "json", strlen("json"));

    if (value == NULL)
        return refuse(r->err, PECK_ARG, "--format needs a value; see `peck %s --help`",
                      r->verb);
    if (strcmp(value, "letor") == 0 || strcmp(value, "cache") == 0) {
        snprintf(r->set->hint, sizeof r->set->hint,
                 "--format %s is taken as the reader; write --reader %s, as --format is "
                 "the output's",
                 value, value);
        return take_option(r, reader, value);
    }
    if (at >= 0)
        return take_option(r, (size_t)at, value);
    if (strcmp(value, "json") == 0 && json >= 0)
        return take_option(r, (size_t)json, NULL);
    return refuse(r->err, PECK_ARG,
                  "--format %.60s means the output; write --reader %.60s for the data that "
                  "%s reads%s",
                  value, value, r->verb,
                  opt_find(r->set, "to", 2) >= 0 ? ", or --to for what it writes" : "");
}

/* "-qv" is "-q -v"; behind a letter that takes a value, the rest is the value.  Nobody means
 * -o ut by "-out". */
static peck_status take_letters(struct opt_reading *r, const char *letters)
{
    const size_t n = strcspn(letters, "=");
    const int metric = opt_find(r->set, "metric", strlen("metric"));
    const int weights = opt_find(r->set, "blend-weights", strlen("blend-weights"));
    peck_status st = PECK_OK;

    if (n > 2 && opt_find(r->set, letters, n) >= 0)
        return refuse(r->err, PECK_ARG, "unknown option '-%.*s'; did you mean '--%.*s'?",
                      (int)n, letters, (int)n, letters);
    for (; st == PECK_OK && *letters != '\0'; letters++) {
        const char *const rest = letters[1] == '=' ? letters + 2 : letters + 1;
        const char *const attached = letters[1] != '\0' ? rest : NULL;
        size_t i = 0;

        while (i < r->set->n && r->set->row[i].letter != *letters)
            i++;
        if (i == r->set->n && *letters == 'm' && metric >= 0)
            return take_metric(r, (size_t)metric, attached);
        if (i == r->set->n && *letters == 'w' && weights >= 0)
            return take_weights(r, (size_t)weights, attached);
        if (i == r->set->n)
            return refuse_option(r, "-", letters, 1);
        if (letters[1] == '=' || r->set->row[i].type != OPT_FLAG)
            return take_option(r, i, attached);
        st = take_option(r, i, NULL);
    }
    return st;
}

/* "name" or "name=value", which stood behind two dashes. */
static peck_status take_long(struct opt_reading *r, const char *name)
{
    const size_t n = strcspn(name, "=");
    const char *const attached = name[n] == '=' ? name + n + 1 : NULL;
    const int i = opt_find(r->set, name, n);
    const int reader = opt_find(r->set, "reader", strlen("reader"));

    if (reader >= 0 && n == strlen("format") && memcmp(name, "format", n) == 0)
        return take_format(r, i, (size_t)reader, attached);
    return i < 0 ? take_old(r, name, n, attached) : take_option(r, (size_t)i, attached);
}

/* Words that are no options are moved to the front of argv, in their order. */
peck_status opt_parse(struct opt_set *set, const char *verb, int argc, char **argv,
                      size_t *n_words, peck_error *err)
{
    struct opt_reading r = { set, verb, argv, argc, 0, err };
    peck_status st = set_defaults(set, 0, err);
    int has_ended = 0;

    *n_words = 0;
    while (st == PECK_OK && r.next < argc) {
        char *word = argv[r.next++];

        if (has_ended || word[0] != '-' || word[1] == '\0') {
            argv[(*n_words)++] = word;
        } else if (strcmp(word, "--") == 0) {
            has_ended = 1;
        } else if (word[1] != '-') {
            st = take_letters(&r, word + 1);
        } else {
            st = take_long(&r, word + 2);
        }
    }
    return st == PECK_OK ? set_defaults(set, 1, err) : st;
}

void opt_free(const struct opt_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        const enum opt_type type = set->row[i].type;

        if (type == OPT_LIST || type == OPT_JOIN || type == OPT_PART) {
            void **field = set->field[i];

            free(*field);
            *field = NULL;
        }
    }
}
