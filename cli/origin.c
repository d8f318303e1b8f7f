/* origin.c -- see origin.h. */
#include "origin.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A text that grows; s NULL: no memory. */
struct command_line {
    char *s;
    size_t n;
};

static void line_add(struct command_line *l, const char *text, size_t n)
{
    char *const longer = l->s != NULL ? realloc(l->s, l->n + n + 1) : NULL;

    if (longer == NULL) {
        free(l->s);
        l->s = NULL;
        return;
    }
    memcpy(longer + l->n, text, n);
    l->n += n;
    longer[l->n] = '\0';
    l->s = longer;
}

/* A blank and a word; in quotes where a shell would see more in it than letters. */
static void line_add_word(struct command_line *l, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_@%+=:,./-";

    line_add(l, " ", 1);
    if (*word != '\0' && strspn(word, harmless) == strlen(word)) {
        line_add(l, word, strlen(word));
        return;
    }
    line_add(l, "'", 1);
    for (; *word != '\0'; word++)
        line_add(l, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    line_add(l, "'", 1);
}

/* "peck VERB" */
static struct command_line line_begin(const struct call *c)
{
    struct command_line l = { calloc(1, 1), 0 };

    line_add(&l, "peck", 4);
    line_add_word(&l, c->verb->name);
    return l;
}

char *origin_command(const struct call *c)
{
    struct command_line l = line_begin(c);

    for (size_t i = 0; i < c->n_given; i++)
        line_add_word(&l, c->given[i]);
    return l.s;
}

/* The option that a word begins, and whether its value is the next word.  -1: it is none. */
static int option_of(const struct opt_set *set, const char *word, int *takes_next)
{
    const int is_long = word[0] == '-' && word[1] == '-';
    int i = -1;

    *takes_next = 0;
    if (word[0] != '-' || word[1] == '\0')
        return -1;
    if (is_long)
        i = opt_find(set, word + 2, strcspn(word + 2, "="));
    for (size_t k = 0; !is_long && k < set->n; k++)
        if (set->row[k].letter == word[1])
            i = (int)k;
    if (i >= 0 && set->row[i].type != OPT_FLAG)
        *takes_next = is_long ? strchr(word, '=') == NULL : word[2] == '\0';
    return i;
}

/* Whether a method has the setting of "KEY=..." */
static int has_setting(const char *method, const char *setting)
{
    const size_t n = strcspn(setting, "=");
    peck_param p;

    for (size_t i = 0; peck_param_at(PECK_METHOD, method, i, &p); i++)
        if (strlen(p.key) == n && memcmp(p.key, setting, n) == 0)
            return 1;
    return 0;
}

/* A setting goes to those methods of a list that have it; alone, a method would refuse one
 * that only others have. */
static int is_of_others(const char *method, const char *setting)
{
    const peck_plug *other;
    int has_any = 0;

    for (size_t i = 0; (other = peck_plug_at(PECK_METHOD, i)) != NULL; i++)
        has_any |= has_setting(other->name, setting);
    return has_any && !has_setting(method, setting);
}

char *origin_of_method(const struct call *c, const char *method)
{
    static const char *const other[] = { "out-dir", "report", "threads", "json",
                                         "force",   "quiet",  "verbose" };
    struct opt_set set = { .n = 0 };
    struct command_line l = line_begin(c);
    int has_ended = 0;

    opt_add(&set, c->verb->groups, NULL);
    opt_add(&set, manners_group, NULL);
    if (method != NULL) {
        line_add_word(&l, "-m");
        line_add_word(&l, method);
    }
    for (size_t i = 0; i < c->n_given; i++) {
        int takes_next = 0;
        const int row = has_ended ? -1 : option_of(&set, c->given[i], &takes_next);
        const char *const name = row >= 0 ? set.row[row].name : "";
        /* A method alone is no committee. */
        int is_left_out =
            method != NULL && (strcmp(name, "method") == 0 || strcmp(name, "blend") == 0 ||
                               strcmp(name, "weights") == 0);

        if (method != NULL && (strcmp(name, "set") == 0 || strcmp(name, "grid") == 0)) {
            const char *const behind = strchr(c->given[i], '=');

            if (takes_next ? i + 1 < c->n_given : behind != NULL)
                is_left_out =
                    is_of_others(method, takes_next ? c->given[i + 1] : behind + 1);
        }
        has_ended |= strcmp(c->given[i], "--") == 0;
        for (size_t k = 0; k < sizeof other / sizeof *other; k++)
            is_left_out |= strcmp(name, other[k]) == 0;
        if (!is_left_out)
            line_add_word(&l, c->given[i]);
        if (takes_next && i + 1 < c->n_given && (i++, !is_left_out))
            line_add_word(&l, c->given[i]);
    }
    return l.s;
}

const char *origin_moment(char room[MOMENT_ROOM])
{
    const char *const given = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    const long long told = given != NULL ? strtoll(given, &end, 10) : -1;
    const time_t now =
        told >= 0 && end != given && *end == '\0' ? (time_t)told : time(NULL);
    struct tm parts;

    if (gmtime_r(&now, &parts) == NULL ||
        strftime(room, MOMENT_ROOM, "%Y-%m-%d %H:%M UTC", &parts) == 0)
        snprintf(room, MOMENT_ROOM, "unknown");
    return room;
}
