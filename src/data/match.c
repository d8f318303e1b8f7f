/* match.c -- the columns that a model, or other data, asks for.
 *
 * By name where both sides have names, whatever their order; by position otherwise.  What
 * is found is a view: it copies features where they have to move, and nothing else.     */
#include "dataset.h"

#include "../base/alloc.h"

#include <stdarg.h>

/* Names that a sentence repeats. */
enum { NAMES_SHOWN = 5 };

enum how { HOW_USUAL, HOW_NAME, HOW_POSITION };

/* Some names as a sentence has them: "'a', 'b'", and how many there are. */
struct shown {
    char text[NAMES_SHOWN * (SPAN_SHOWN + 4) + 1];
    size_t length, n;
};

static void show(struct shown *s, peck_span name)
{
    if (s->n++ < NAMES_SHOWN)
        s->length += (size_t)snprintf(s->text + s->length, sizeof s->text - s->length,
                                      "%s'%.*s'", s->n > 1 ? ", " : "", SPAN_ARGS(name));
}

/* How many are not shown, as the end of that list: " and 7 more". */
struct rest {
    char text[32];
};

static struct rest rest_of(const struct shown *s)
{
    struct rest r = { "" };

    if (s->n > NAMES_SHOWN)
        snprintf(r.text, sizeof r.text, " and %zu more", s->n - NAMES_SHOWN);
    return r;
}

/* "data.csv: one thing; another" */
static void PRINTF(3, 4)
    tell(peck_match_info *info, const struct peck_dataset *d, const char *fmt, ...)
{
    const size_t room = sizeof info->text;
    size_t at = strlen(info->text);
    va_list args;

    snprintf(info->text + at, room - at, at > 0 ? "; " : "%.200s: ", d->name);
    at = strlen(info->text);
    va_start(args, fmt);
    vsnprintf(info->text + at, room - at, fmt, args);
    va_end(args);
}

static peck_status parse(enum how *how, const char *text, peck_error *err)
{
    *how = text == NULL ? HOW_USUAL : strcmp(text, "name") == 0 ? HOW_NAME : HOW_POSITION;
    return *how != HOW_POSITION || strcmp(text, "position") == 0
               ? PECK_OK
               : fail(err, PECK_ARG,
                      "columns are matched by 'name' or 'position', not '%.60s'", text);
}

peck_status match_check(const char *how, peck_error *err)
{
    enum how unused;

    return parse(&unused, how, err);
}

/* Views ---------------------------------------------------------------------------- */

static bool copy_names(struct strings *to, const struct strings *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!strings_add(to, strings_get(from, i)))
            return false;
    return true;
}

/* d with the names that are asked for, its features where they are. */
static struct peck_dataset *view_of(const struct peck_dataset *d, const struct wanted *w)
{
    struct peck_dataset *const v = mem_new(1, sizeof *v);

    if (v == NULL)
        return NULL;
    *v = *d;
    v->is_view = true;
    v->query_id.borrowed = v->doc_id.borrowed = true;
    v->x_owned = NULL;
    v->missing_in = NULL;
    v->feature_name = (struct strings){ 0 };
    if (copy_names(&v->feature_name, w->name))
        return v;
    peck_dataset_free(v);
    return NULL;
}

/* Feature f of v is column[f] of d; from n on it is 0. */
static bool move_columns(struct peck_dataset *v, const struct peck_dataset *d,
                         const uint32_t *column, size_t n, size_t dim)
{
    size_t cells;

    if (mul_overflow(d->n_docs, dim, &cells) ||
        (v->x_owned = mem_new(cells, sizeof *v->x_owned)) == NULL)
        return false;
    for (size_t r = 0; r < d->n_docs; r++)
        for (size_t f = 0; f < n; f++)
            v->x_owned[r * dim + f] = d->x[r * d->dim + column[f]];
    v->x = v->x_owned;
    v->dim = dim;
    return true;
}

/* How many values of each feature were missing. */
static bool count_missing(struct peck_dataset *v, const struct peck_dataset *d,
                          const uint32_t *column, size_t n)
{
    if (d->missing_in == NULL)
        return true;
    if ((v->missing_in = mem_new(v->dim, sizeof *v->missing_in)) == NULL)
        return false;
    v->n_missing = 0;
    for (size_t f = 0; f < n; f++) {
        v->missing_in[f] = d->missing_in[column != NULL ? column[f] : f];
        v->n_missing += v->missing_in[f];
    }
    return true;
}

/* The first n features come from column[n]; NULL: all stay where they are. */
static peck_status make_view(struct peck_dataset **out, const struct peck_dataset *d,
                             const struct wanted *w, const uint32_t *column, size_t n,
                             peck_error *err)
{
    if (column != NULL)
        TRY(builder_check_size(d->name, d->n_docs, w->dim, err));
    struct peck_dataset *const v = view_of(d, w);

    if (v == NULL || (column != NULL && !move_columns(v, d, column, n, w->dim)) ||
        !count_missing(v, d, column, n)) {
        peck_dataset_free(v);
        return fail_memory(err, d->name, d->n_docs * w->dim, sizeof(float));
    }
    *out = v;
    return PECK_OK;
}

/* By position ---------------------------------------------------------------------- */

static peck_status pad(struct peck_dataset **out, const struct peck_dataset *d,
                       const struct wanted *w, peck_match_info *info, peck_error *err)
{
    uint32_t *const column = mem_new(d->dim, sizeof *column);

    if (column == NULL)
        return fail_memory(err, d->name, d->dim, sizeof *column);
    for (size_t f = 0; f < d->dim; f++)
        column[f] = (uint32_t)f;
    const peck_status st = make_view(out, d, w, column, d->dim, err);

    mem_free(column);
    info->n_absent = w->dim - d->dim;
    tell(info, d, "its last feature is %zu, but %s %zu: those it leaves out count as 0",
         d->dim, w->has, w->dim);
    return st;
}

static peck_status refuse_width(const struct peck_dataset *d, const struct wanted *w,
                                peck_error *err)
{
    const bool has_names = d->feature_name.n > 0 && w->name->n > 0;

    return fail(err, PECK_SHAPE, "%s: %zu features, but %s %zu; %s", d->name, d->dim,
                w->has, w->dim,
                d->dim < w->dim ? "take data made the same way"
                : has_names     ? "choose the same ones (--features), or match by name"
                            : "choose the same ones (--features), or give both names to "
                              "match by");
}

static peck_status by_position(struct peck_dataset **out, const struct peck_dataset *d,
                               const struct wanted *w, peck_match_info *info,
                               peck_error *err)
{
    if (d->dim < w->dim && d->is_sparse)
        return pad(out, d, w, info, err);
    return d->dim == w->dim ? make_view(out, d, w, NULL, d->dim, err)
                            : refuse_width(d, w, err);
}

/* One side has no names. */
static peck_status without_names(struct peck_dataset **out, const struct peck_dataset *d,
                                 const struct wanted *w, enum how how,
                                 peck_match_info *info, peck_error *err)
{
    const bool is_named = d->feature_name.n > 0;

    if (how == HOW_NAME && !is_named)
        return fail(err, PECK_SHAPE,
                    "%s: its features have no names to match by; name them (a header, "
                    "--feature-names), or say --match position",
                    d->name);
    if (how == HOW_NAME)
        return fail(err, PECK_SHAPE,
                    "%s: nothing to match its names with: no names are kept of the %zu "
                    "features that %s; say --match position",
                    d->name, w->dim, w->has);
    if (is_named)
        tell(info, d, "taken by position, for no names are kept of the features that %s",
             w->has);
    else if (w->name->n > 0)
        tell(info, d, "taken by position, for its features have no names");
    return by_position(out, d, w, info, err);
}

/* By name -------------------------------------------------------------------------- */

static bool names_equal(const struct strings *a, const struct strings *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!span_equal(strings_get(a, i), strings_get(b, i)))
            return false;
    return true;
}

/* Where names are asked for that are missing or not unique, nothing can be found by them:
 * data must have the same ones at the same places, as far as there are any. */
static peck_status by_unclear_names(struct peck_dataset **out, const struct peck_dataset *d,
                                    const struct wanted *w, enum how how,
                                    peck_match_info *info, peck_error *err)
{
    if (d->dim != w->dim)
        return refuse_width(d, w, err);
    for (size_t f = 0; f < w->dim; f++) {
        const peck_span own = strings_get(&d->feature_name, f);
        const peck_span other = strings_get(w->name, f);

        if (!span_equal(own, other) && (how == HOW_NAME || (own.n > 0 && other.n > 0)))
            return fail(err, PECK_SHAPE,
                        "%s: feature %zu is called '%.*s', not '%.*s', and not all of the "
                        "%zu features that %s have a name of their own to be found by; say "
                        "--match position",
                        d->name, f + 1, SPAN_ARGS(own), SPAN_ARGS(other), w->dim, w->has);
    }
    tell(info, d,
         "taken by position, for not all of the %zu features that %s have a name of their "
         "own",
         w->dim, w->has);
    return make_view(out, d, w, NULL, d->dim, err);
}

enum { NOWHERE = UINT32_MAX };

/* column[f]: where feature f is; NOWHERE: it is missing. */
static peck_status find_columns(uint32_t *column, const struct peck_dataset *d,
                                const struct index *wanted, const struct wanted *w,
                                struct shown *ignored, peck_error *err)
{
    for (size_t f = 0; f < w->dim; f++)
        column[f] = NOWHERE;
    for (size_t i = 0; i < d->dim; i++) {
        const peck_span name = strings_get(&d->feature_name, i);
        const int64_t f = index_find(wanted, name);

        if (f < 0)
            show(ignored, name);
        else if (column[f] != NOWHERE)
            return fail(err, PECK_SHAPE,
                        "%s: features %u and %zu are both called '%.*s', one of those that "
                        "%s; rename one, or say --match position",
                        d->name, column[f] + 1, i + 1, SPAN_ARGS(name), w->has);
        else
            column[f] = (uint32_t)i;
    }
    return PECK_OK;
}

static peck_status check_missing(const uint32_t *column, const struct peck_dataset *d,
                                 const struct wanted *w, peck_error *err)
{
    struct shown missing = { 0 };

    for (size_t f = 0; f < w->dim; f++)
        if (column[f] == NOWHERE)
            show(&missing, strings_get(w->name, f));
    return missing.n == 0
               ? PECK_OK
               : fail(err, PECK_SHAPE,
                      "%s: of the %zu features that %s, %zu %s missing: %s%s; take data "
                      "that "
                      "has them%s",
                      d->name, w->dim, w->has, missing.n, missing.n == 1 ? "is" : "are",
                      missing.text, rest_of(&missing).text,
                      d->dim == w->dim ? ", or say --match position" : "");
}

static peck_status by_name(struct peck_dataset **out, const struct peck_dataset *d,
                           const struct wanted *w, const struct index *wanted,
                           peck_match_info *info, peck_error *err)
{
    uint32_t *const column = mem_new(w->dim, sizeof *column);
    struct shown ignored = { 0 };
    peck_status st = column != NULL ? find_columns(column, d, wanted, w, &ignored, err)
                                    : fail_memory(err, d->name, w->dim, sizeof *column);

    if (st == PECK_OK)
        st = check_missing(column, d, w, err);
    if (st == PECK_OK)
        st = make_view(out, d, w, column, w->dim, err);
    if (st == PECK_OK && ignored.n > 0)
        tell(info, d, "ignored, not being among the features that %s: %s%s", w->has,
             ignored.text, rest_of(&ignored).text);
    info->by_name = 1;
    info->n_ignored = ignored.n;
    mem_free(column);
    return st;
}

static peck_status with_names(struct peck_dataset **out, const struct peck_dataset *d,
                              const struct wanted *w, enum how how, peck_match_info *info,
                              peck_error *err)
{
    struct index wanted = { 0 };

    if (names_equal(&d->feature_name, w->name)) {
        info->by_name = 1;
        return make_view(out, d, w, NULL, d->dim, err);
    }
    const int64_t n_distinct = index_distinct(&wanted, w->name);
    const peck_status st =
        n_distinct == INDEX_FULL      ? fail_memory(err, d->name, w->dim, sizeof(uint64_t))
        : (size_t)n_distinct < w->dim ? by_unclear_names(out, d, w, how, info, err)
                                      : by_name(out, d, w, &wanted, info, err);

    index_free(&wanted);
    return st;
}

peck_status dataset_match(struct peck_dataset **out, const struct peck_dataset *d,
                          const struct wanted *w, const char *how, peck_match_info *info,
                          peck_error *err)
{
    peck_match_info unused, *const found = info != NULL ? info : &unused;
    enum how asked;

    *out = NULL;
    *found = (peck_match_info){ 0 };
    TRY(parse(&asked, how, err));
    if (asked == HOW_POSITION)
        return by_position(out, d, w, found, err);
    return d->feature_name.n > 0 && w->name->n > 0
               ? with_names(out, d, w, asked, found, err)
               : without_names(out, d, w, asked, found, err);
}

peck_status peck_dataset_match_data(peck_dataset **out, const peck_dataset *d,
                                    const peck_dataset *like, const char *how,
                                    peck_match_info *info, peck_error *err)
{
    const struct wanted w = { &like->feature_name, like->dim, "the training data has" };

    return dataset_match(out, d, &w, how, info, err);
}

/* Names that a program gives ---------------------------------------------------------- */

static peck_status take_names(struct strings *names, const struct peck_dataset *d,
                              const char *const *name, peck_error *err)
{
    struct index distinct = { 0 };

    for (size_t i = 0; i < d->dim; i++) {
        const peck_span s = span_of(name[i]);

        if (s.n == 0 || s.n > MAX_ID || !span_is_one_line(s))
            return fail(err, PECK_ARG,
                        "the name of feature %zu is %s; a name is one line of text", i + 1,
                        s.n == 0       ? "empty"
                        : s.n > MAX_ID ? "too long"
                                       : "no line");
        if (!strings_add(names, s))
            return fail_memory(err, "feature names", d->dim, sizeof(uint64_t));
    }
    const int64_t n = index_distinct(&distinct, names);

    index_free(&distinct);
    if (n == INDEX_FULL)
        return fail_memory(err, "feature names", d->dim, sizeof(uint64_t));
    return (size_t)n == d->dim ? PECK_OK
                               : fail(err, PECK_ARG, "two features are called '%.*s'",
                                      SPAN_ARGS(strings_get(names, (size_t)n)));
}

peck_status peck_dataset_name(peck_dataset **out, const peck_dataset *d,
                              const char *const *name, peck_error *err)
{
    struct strings names = { 0 };
    const struct wanted w = { .name = &names, .dim = d->dim };

    *out = NULL;
    peck_status st = take_names(&names, d, name, err);

    if (st == PECK_OK)
        st = make_view(out, d, &w, NULL, d->dim, err);
    strings_free(&names);
    return st;
}
