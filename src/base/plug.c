/* plug.c -- lookup by name, the nearest known name for those who mistype, and settings. */
#include "plug.h"

#include "number.h"

#include <assert.h>
#include <math.h>

/* Names ----------------------------------------------------------------------------- */

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

/* What other tools say for it; kind NULL: near enough for a question. */
static const struct word {
    const char *kind, *theirs, *ours;
} words[] = {
#define SAME(kind, theirs, ours) { kind, theirs, ours },
#define WORD(theirs, ours) { NULL, theirs, ours },
#include "words.def"
#undef SAME
#undef WORD
};
enum { N_WORDS = sizeof words / sizeof *words };

/* The next letter that counts, small; 0 at the end. */
static int next_letter(peck_span *s)
{
    while (s->n > 0 && (*s->s == '-' || *s->s == '_' || *s->s == ' '))
        s->s++, s->n--;
    if (s->n == 0)
        return 0;
    s->n--;
    const char c = *s->s++;

    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Whether both are one word but for case, blanks, '-' and '_'. */
static bool is_same_word(peck_span a, peck_span b)
{
    for (;;) {
        const int x = next_letter(&a), y = next_letter(&b);

        if (x != y || x == 0)
            return x == y;
    }
}

/* The known word that is the same, or that another tool calls so. */
static const char *translate(const char *name, const char *const *known, size_t n_known)
{
    for (size_t i = 0; i < n_known; i++)
        if (is_same_word(span_of(name), span_of(known[i])))
            return known[i];
    for (size_t w = 0; w < N_WORDS; w++)
        for (size_t i = 0;
             is_same_word(span_of(name), span_of(words[w].theirs)) && i < n_known; i++)
            if (strcmp(known[i], words[w].ours) == 0)
                return known[i];
    return NULL;
}

/* Near means: another tool's word for it, or at most a third of the letters differ (at least
 * one may), or one is the beginning of the other. */
const char *peck_nearest(const char *name, const char *const *known, size_t n_known)
{
    const size_t n = strlen(name);
    size_t best = n / 3 + 1;
    const char *near = translate(name, known, n_known);

    if (near != NULL)
        return near;
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

const struct plug *plug_named(const struct plug *const *plugs, size_t n, const char *kind,
                              peck_span name)
{
    for (size_t i = 0; i < n; i++)
        if (is_same_word(name, span_of(plugs[i]->about.name)))
            return plugs[i];
    for (size_t w = 0; w < N_WORDS; w++)
        for (size_t i = 0; words[w].kind != NULL && strcmp(words[w].kind, kind) == 0 &&
                           is_same_word(name, span_of(words[w].theirs)) && i < n;
             i++)
            if (strcmp(plugs[i]->about.name, words[w].ours) == 0)
                return plugs[i];
    return NULL;
}

const struct plug *plug_find(const struct plug *const *plugs, size_t n, const char *kind,
                             peck_span name, peck_error *err)
{
    const struct plug *const found = plug_named(plugs, n, kind, name);

    if (found == NULL)
        plug_unknown(plugs, n, kind, name, err);
    return found;
}

/* Settings -------------------------------------------------------------------------- */

/* "[0,inf)" or "(0,1]": whether v lies inside. */
static bool in_range(const char *allowed, double v)
{
    const char *const comma = strchr(allowed, ',');
    const size_t n = strlen(allowed);
    double lo = -HUGE_VAL, hi = HUGE_VAL;

    number_parse((peck_span){ allowed + 1, (size_t)(comma - allowed - 1) }, &lo);
    number_parse((peck_span){ comma + 1, (size_t)(allowed + n - 1 - comma - 1) }, &hi);
    return (allowed[0] == '[' ? v >= lo : v > lo) &&
           (allowed[n - 1] == ']' ? v <= hi : v < hi);
}

/* Stores the value if it fits the row. */
static bool store_value(const struct param *row, void *config, peck_span value)
{
    void *const field = (char *)config + row->offset;
    double v;

    if (param_kind(row) == PARAM_CHOICE) {
        int i = 0;

        for (const char *p = row->allowed;; i++) {
            const size_t n = strcspn(p, "|");

            if (span_equal((peck_span){ p, n }, value)) {
                *(int *)field = i;
                return true;
            }
            if (p[n] == '\0')
                return false;
            p += n + 1;
        }
    }
    if (param_kind(row) == PARAM_TEXT) {
        if (value.n >= PARAM_TEXT_MAX)
            return false;
        memcpy(field, value.s, value.n);
        ((char *)field)[value.n] = '\0';
        return true;
    }
    if (!number_parse(value, &v) || isinf(v) || !in_range(row->allowed, v))
        return false;
    if (param_kind(row) == PARAM_FLOAT) {
        *(double *)field = v;
        return true;
    }
    if (v != floor(v) || fabs(v) > 9e15)
        return false;
    *(int64_t *)field = (int64_t)v;
    return true;
}

void param_defaults(const struct param *table, void *config)
{
    for (const struct param *row = table; row->type != PARAM_END; row++) {
        const bool fits = store_value(row, config, span_of(row->value));

        assert(fits);
        (void)fits;
    }
}

peck_status param_set(const struct param *table, void *config, const char *owner,
                      peck_span key, peck_span value, peck_error *err)
{
    static const char *const kinds[] = { [PARAM_INT] = "a whole number in",
                                         [PARAM_FLOAT] = "a number in",
                                         [PARAM_CHOICE] = "one of",
                                         [PARAM_TEXT] = "text:" };
    enum { MOST = 64 };
    const char *known[MOST];
    char typed[SPAN_SHOWN + 1] = { 0 };
    size_t n = 0;

    for (const struct param *row = table; row->type != PARAM_END; row++) {
        if (!span_is(key, row->key))
            continue;
        if (store_value(row, config, value))
            return PECK_OK;
        return fail(err, PECK_ARG, "%s: %s=%.*s: give %s %s", owner, row->key,
                    SPAN_ARGS(value), kinds[param_kind(row)], row->allowed);
    }
    for (; table[n].type != PARAM_END && n < MOST; n++)
        known[n] = table[n].key;
    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(key));
    const char *const near = peck_nearest(typed, known, n);

    if (near != NULL)
        return fail(err, PECK_ARG, "%s: unknown setting '%s'; did you mean '%s'?", owner,
                    typed, near);
    return fail(err, PECK_ARG, "%s: unknown setting '%s'; see `peck help %s`", owner, typed,
                owner);
}

peck_status param_set_pair(const struct param *table, void *config, const char *owner,
                           peck_span pair, peck_error *err)
{
    const char *const eq = pair.n > 0 ? memchr(pair.s, '=', pair.n) : NULL;

    if (eq == NULL)
        return fail(err, PECK_ARG, "%s: '%.*s' is not a setting; write key=value", owner,
                    SPAN_ARGS(pair));
    const size_t k = (size_t)(eq - pair.s);

    return param_set(table, config, owner, (peck_span){ pair.s, k },
                     (peck_span){ eq + 1, pair.n - k - 1 }, err);
}

void param_print(const struct param *row, const void *config, struct text *to)
{
    const void *const field = (const char *)config + row->offset;

    const enum param_type kind = param_kind(row);

    if (kind == PARAM_INT) {
        text_printf(to, "%lld", (long long)*(const int64_t *)field);
    } else if (kind == PARAM_FLOAT) {
        char digits[NUMBER_MAX];

        text_add(to, digits,
                 number_print(digits, sizeof digits, 'g', 10, *(const double *)field));
    } else if (kind == PARAM_TEXT) {
        text_add_str(to, field);
    } else {
        const char *p = row->allowed;

        for (int i = *(const int *)field; i > 0; i--)
            p += strcspn(p, "|") + 1;
        text_add(to, p, strcspn(p, "|"));
    }
}

void params_print(const struct param *table, const void *config, struct text *to)
{
    for (const struct param *row = table; row != NULL && row->type != PARAM_END; row++) {
        const size_t before = to->len;

        text_printf(to, "%s%s=", before > 0 ? " " : "", row->key);
        const size_t at = to->len;

        param_print(row, config, to);
        if ((row->type & PARAM_LATE) == 0 || to->failed ||
            strcmp(to->s + at, row->value) != 0)
            continue;
        to->len = before;
        to->s[before] = '\0';
    }
}
