/* groups.c -- methods by paper, for listings. */
#include "learn.h"

static const struct group {
    const char *title, *names; /* names parted by blanks */
} groups[] = {
#define GROUP(title, names) { title, names },
#include "groups.def"
#undef GROUP
};

const char *recipe_group(const char *method)
{
    const size_t n = strlen(method);

    for (const struct group *g = groups; g < groups + sizeof groups / sizeof *groups; g++)
        for (const char *at = g->names; (at = strstr(at, method)) != NULL; at += n)
            if ((at == g->names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
                return g->title;
    return NULL;
}
