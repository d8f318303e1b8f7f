/* groups.c -- methods by paper, for listings. */
#include "learn.h"

static const struct group {
    const char *title, *names; /* names parted by blanks */
} groups[] = {
#define GROUP(title, names) { title, names },
#include "groups.def"
#undef GROUP
};

static bool groups_has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

const char *recipe_group(const char *method)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups_has_word(groups[i].names, method))
            return groups[i].title;
    return NULL;
}
