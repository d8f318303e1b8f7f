/* plug.c -- lookup by name, and the nearest known name for those who mistype. */
#include "plug.h"

#include "view.h"

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, change, swap of neighbours) that turn a into b: Damerau's
 * distance in its restricted form, three rows at a time.  Long words are far from all. */
static size_t distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    size_t row[3][LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *const now = row[i % 3];
        const size_t *const up = row[(i + 2) % 3], *const above = row[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] =
                least(least(up[j], now[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], above[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* Near means: at most a third of the letters differ (at least one may), or one is the
 * beginning of the other. */
const char *peck_nearest(const char *name, const char *const *known, size_t n_known)
{
    const size_t n = strlen(name);
    size_t best = n / 3 + 1;
    const char *near = NULL;

    for (size_t i = 0; i < n_known; i++) {
        const size_t d = distance(name, known[i]);

        if (d <= best && d < n && (near == NULL || d < best)) {
            best = d;
            near = known[i];
        }
    }
    for (size_t i = 0; near == NULL && n >= 2 && i < n_known; i++)
        if (strncmp(name, known[i], n) == 0)
            near = known[i];
    return near;
}

peck_status plug_unknown(const struct plug *const *plugs, size_t n, const char *kind,
                         peck_span name, peck_error *err)
{
    enum { MOST = 128 };
    const char *known[MOST];
    char typed[SPAN_SHOWN + 1] = { 0 };

    for (size_t i = 0; i < n && i < MOST; i++)
        known[i] = plugs[i]->about.name;
    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(name));
    const char *const near = peck_nearest(typed, known, n < MOST ? n : MOST);

    if (near != NULL)
        return fail(err, PECK_ARG, "unknown %s '%s'; did you mean '%s'?", kind, typed,
                    near);
    return fail(err, PECK_ARG, "unknown %s '%s'; see `peck list %ss`", kind, typed, kind);
}

const struct plug *plug_find(const struct plug *const *plugs, size_t n, const char *kind,
                             peck_span name, peck_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (span_is(name, plugs[i]->about.name))
            return plugs[i];
    plug_unknown(plugs, n, kind, name, err);
    return NULL;
}
