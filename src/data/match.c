/* match.c -- the columns that a model, or other data, asks for.
 *
 * By name where both sides have names, whatever their order; by position otherwise.  What
 * is found is a view: it copies features where they have to move, and nothing else.     */
#include "dataset.h"

#include "../base/alloc.h"

#include <stdarg.h>

/* Names that a sentence repeats. */
enum { NAMES_SHOWN = 5 };

enum match_how { HOW_USUAL, HOW_NAME, HOW_POSITION };

/* Some names as a sentence has them, "'a', 'b' and 7 more", and how many there are. */
struct shown_names {
    char text[NAMES_SHOWN * (SPAN_SHOWN + 4) + 32];
    size_t length, n;
};

static void show_name(struct shown_names *s, peck_span name)
{
    if (s->n++ < NAMES_SHOWN)
        s->length += (size_t)snprintf(s->text + s->length, sizeof s->text - s->length,
                                      "%s'%.*s'", s->n > 1 ? ", " : "", SPAN_ARGS(name));
    else
        snprintf(s->text + s->length, sizeof s->text - s->length, " and %zu more",
                 s->n - NAMES_SHOWN);
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

/* How a user wants columns matched; NULL: as is usual. */
static peck_status parse_how(enum match_how *how, const char *text, peck_error *err)
{
    *how = text == NULL ? HOW_USUAL : strcmp(text, "name") == 0 ? HOW_NAME : HOW_POSITION;
    return *how != HOW_POSITION || strcmp(text, "position") == 0
               ? PECK_OK
               : fail(err, PECK_ARG,
                      "columns are matched by 'name' or 'position', not '%.60s'", text);
}

peck_status match_check(const char *how, peck_error *err)
{
    enum match_how unused;

    return parse_how(&unused, how, err);
}

/* A view of d under the names that are asked for.  Its first n features are column[n] of d,
 * from there on they are 0; column NULL: all stay where they are. */
static peck_status make_view(struct peck_dataset **out, const struct peck_dataset *d,
                             const struct wanted *w, const uint32_t *column, size_t n,
                             peck_error *err)
{
    if (column != NULL)
        TRY(builder_check_size(d->name, d->n_docs, w->dim, err));
    struct peck_dataset *const v = dataset_view(d);
    bool fits = v != NULL;

    if (fits) {
        v->feature_name = (struct strings){ 0 };
        v->dim = w->dim;
        fits = strings_add_from(&v->feature_name, w->name, NULL, w->name->n);
    }
    if (fits && column != NULL &&
        (fits = (v->x_owned = mem_new(d->n_docs * w->dim, sizeof *v->x_owned)) != NULL)) {
        for (size_t q = dataset_own_first(d); q < dataset_own_end(d); q++) {
            const struct rows docs = dataset_rows(d, q);
            float *const to = v->x_owned + d->start[q] * w->dim;

            for (size_t r = 0; r < docs.n; r++)
                for (size_t f = 0; f < n; f++)
                    to[r * w->dim + f] = docs.x[r * docs.stride + column[f]];
        }
        v->x = v->x_owned;
        v->place = NULL;
    }
    if (fits && d->missing_in != NULL &&
        (fits = (v->missing_in = mem_new(w->dim, sizeof *v->missing_in)) != NULL)) {
        v->n_missing = 0;
        for (size_t f = 0; f < n; f++) {
            v->missing_in[f] = d->missing_in[column != NULL ? column[f] : f];
            v->n_missing += v->missing_in[f];
        }
    }
    if (!fits) {
        peck_dataset_free(v);
        return fail_memory(err, d->name, d->n_docs * w->dim, sizeof(float));
    }
    *out = v;
    return PECK_OK;
}

/* Too many or too few features, and nothing that says which is which. */
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

/* Rows that leave features out may lack the last ones altogether: those are 0. */
static peck_status by_position(struct peck_dataset **out, const struct peck_dataset *d,
                               const struct wanted *w, peck_match_info *info,
                               peck_error *err)
{
    if (d->dim == w->dim)
        return make_view(out, d, w, NULL, d->dim, err);
    if (d->dim > w->dim || !d->is_sparse)
        return refuse_width(d, w, err);
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

/* Where names are asked for that are missing or not unique, nothing can be found by them:
 * data must have the same ones at the same places, as far as there are any. */
static peck_status by_unclear_names(struct peck_dataset **out, const struct peck_dataset *d,
                                    const struct wanted *w, enum match_how how,
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
                        "%zu features that %s have a name of their own to be found by; "
                        "use --match position",
                        d->name, f + 1, SPAN_ARGS(own), SPAN_ARGS(other), w->dim, w->has);
    }
    tell(info, d,
         "matched by position, as not all of the %zu features that %s have a name of "
         "their own",
         w->dim, w->has);
    return make_view(out, d, w, NULL, d->dim, err);
}

/* column[f]: where feature f of those asked for is. */
static peck_status by_name(struct peck_dataset **out, const struct peck_dataset *d,
                           const struct wanted *w, const struct index *wanted,
                           uint32_t *column, peck_match_info *info, peck_error *err)
{
    enum { NOWHERE = UINT32_MAX };
    struct shown_names ignored = { 0 }, missing = { 0 };

    info->by_name = 1;
    for (size_t f = 0; f < w->dim; f++)
        column[f] = NOWHERE;
    for (size_t i = 0; i < d->dim; i++) {
        const peck_span name = strings_get(&d->feature_name, i);
        const int64_t f = index_find(wanted, name);

        if (f < 0)
            show_name(&ignored, name);
        else if (column[f] != NOWHERE)
            return fail(err, PECK_SHAPE,
                        "%s: features %u and %zu are both called '%.*s', one of those "
                        "that %s; rename one, or use --match position",
                        d->name, column[f] + 1, i + 1, SPAN_ARGS(name), w->has);
        else
            column[f] = (uint32_t)i;
    }
    info->n_ignored = ignored.n;
    for (size_t f = 0; f < w->dim; f++)
        if (column[f] == NOWHERE)
            show_name(&missing, strings_get(w->name, f));
    if (missing.n > 0)
        return fail(err, PECK_SHAPE,
                    "%s: of the %zu features that %s, %zu %s missing: %s; take data that "
                    "has them%s",
                    d->name, w->dim, w->has, missing.n, missing.n == 1 ? "is" : "are",
                    missing.text, d->dim == w->dim ? ", or use --match position" : "");
    TRY(make_view(out, d, w, column, w->dim, err));
    if (ignored.n > 0)
        tell(info, d, "ignored, not being among the features that %s: %s", w->has,
             ignored.text);
    return PECK_OK;
}

/* Both sides have names: the same ones in the same order, unclear ones, or ones to look up. */
static peck_status with_names(struct peck_dataset **out, const struct peck_dataset *d,
                              const struct wanted *w, enum match_how how,
                              peck_match_info *info, peck_error *err)
{
    struct index wanted = { 0 };
    bool are_equal = d->dim == w->dim;

    for (size_t i = 0; i < w->dim && are_equal; i++)
        are_equal = span_equal(strings_get(&d->feature_name, i), strings_get(w->name, i));
    if (are_equal) {
        info->by_name = 1;
        return make_view(out, d, w, NULL, d->dim, err);
    }
    const int64_t n_distinct = index_distinct(&wanted, w->name);
    uint32_t *const column = mem_new(w->dim, sizeof *column);
    const peck_status st = n_distinct == INDEX_FULL || column == NULL
                               ? fail_memory(err, d->name, w->dim, sizeof *column)
                           : (size_t)n_distinct < w->dim
                               ? by_unclear_names(out, d, w, how, info, err)
                               : by_name(out, d, w, &wanted, column, info, err);

    mem_free(column);
    index_free(&wanted);
    return st;
}

peck_status dataset_match(struct peck_dataset **out, const struct peck_dataset *d,
                          const struct wanted *w, const char *how, peck_match_info *info,
                          peck_error *err)
{
    peck_match_info unused, *const found = info != NULL ? info : &unused;
    const bool is_named = d->feature_name.n > 0;
    enum match_how asked;

    *out = NULL;
    *found = (peck_match_info){ 0 };
    TRY(parse_how(&asked, how, err));
    if (asked != HOW_POSITION && is_named && w->name->n > 0)
        return with_names(out, d, w, asked, found, err);
    if (asked == HOW_NAME && !is_named)
        return fail(err, PECK_SHAPE,
                    "%s: its features have no names to match by; name them (a header, "
                    "--feature-names), or use --match position",
                    d->name);
    if (asked == HOW_NAME)
        return fail(err, PECK_SHAPE,
                    "%s: nothing to match its names with: no names are kept of the %zu "
                    "features that %s; use --match position",
                    d->name, w->dim, w->has);
    if (asked == HOW_USUAL && is_named)
        tell(found, d, "matched by position, as no names are kept of the features that %s",
             w->has);
    else if (asked == HOW_USUAL && w->name->n > 0)
        tell(found, d, "matched by position, as its features have no names");
    return by_position(out, d, w, found, err);
}

peck_status peck_dataset_match_data(peck_dataset **out, const peck_dataset *d,
                                    const peck_dataset *like, const char *how,
                                    peck_match_info *info, peck_error *err)
{
    const struct wanted w = { &like->feature_name, like->dim, "the training data has" };

    return dataset_match(out, d, &w, how, info, err);
}

/* The names that a program gives. */
peck_status peck_dataset_name(peck_dataset **out, const peck_dataset *d,
                              const char *const *name, peck_error *err)
{
    struct strings names = { 0 };
    const struct wanted w = { .name = &names, .dim = d->dim };

    *out = NULL;
    peck_status st = take_texts(&names, name, d->dim, &feature_names, err);

    if (st == PECK_OK)
        st = make_view(out, d, &w, NULL, d->dim, err);
    strings_free(&names);
    return st;
}
