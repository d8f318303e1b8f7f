/* side.c -- what readers share: files of names, group sizes and query weights, the choice of
 * features, missing cells, labels.                                                      */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"

#include <math.h>

/* The next line that is not blank, trimmed. */
static bool next_text(struct lines *l, peck_span *line)
{
    while (lines_next(l, line)) {
        *line = span_trim(*line);
        if (line->n > 0)
            return true;
    }
    return false;
}

/* Names of features ----------------------------------------------------------------- */

/* "3 bm25" or "3: bm25": its number and its name; false for a line of any other form. */
static bool name_split(peck_span line, uint64_t *number, peck_span *name)
{
    size_t n = 0;

    while (n < line.n && is_digit(line.s[n]))
        n++;
    const peck_span digits = { line.s, n };

    if (n == line.n || (line.s[n] != ':' && !is_blank(line.s[n])))
        return false;
    *name = span_trim((peck_span){ line.s + n + 1, line.n - n - 1 });
    return name->n > 0 && number_parse_u64(digits, number);
}

/* The first line of a file of names decides whether lines carry numbers; name[column] are views
 * into the file. */
static peck_status read_name_lines(peck_span **name, size_t *n, const struct input *in,
                                   peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line, text;
    uint64_t number = 0;
    bool has_numbers = false;
    size_t cap = 0;

    while (next_text(&l, &line)) {
        const bool is_numbered = name_split(line, &number, &text);

        if (*n == 0)
            has_numbers = is_numbered;
        if (has_numbers && !is_numbered)
            return fail(
                err, PECK_FORMAT,
                "%s:%zu: '%.*s' is not of the form \"3 bm25\" as the lines before it",
                in->name, l.number, SPAN_ARGS(line));
        if (has_numbers && (number < 1 || number > MAX_FEATURE))
            return fail(err, PECK_FORMAT, "%s:%zu: feature %.*s is not in 1 to %d",
                        in->name, l.number, SPAN_ARGS(line), MAX_FEATURE);
        const size_t column = has_numbers ? (size_t)number - 1 : *n;

        if (!has_numbers)
            text = line;
        if (column >= MAX_FEATURE)
            return fail(err, PECK_FORMAT, "%s:%zu: feature %zu is over the limit %d",
                        in->name, l.number, column + 1, MAX_FEATURE);
        if (text.n > MAX_ID)
            return fail(err, PECK_FORMAT, "%s:%zu: the name has more than %d bytes",
                        in->name, l.number, MAX_ID);
        if (column < *n && (*name)[column].n > 0)
            return fail(err, PECK_FORMAT, "%s:%zu: feature %zu is named a second time",
                        in->name, l.number, column + 1);
        if (!mem_reserve(name, &cap, column + 1, sizeof **name))
            return fail_memory(err, in->name, column, sizeof **name);
        for (; *n <= column; ++*n)
            (*name)[*n] = (peck_span){ "", 0 };
        (*name)[column] = text;
    }
    if (*n == 0)
        return fail(err, PECK_FORMAT, "%s: the file of feature names is empty", in->name);
    return PECK_OK;
}

peck_status names_read(struct strings *names, const char *path, peck_error *err)
{
    struct input in = { 0 };
    peck_span *name = NULL;
    size_t n = 0;

    *names = (struct strings){ 0 };
    TRY(input_open(&in, path, err));
    peck_status st = input_blame(&in, read_name_lines(&name, &n, &in, err), err);

    for (size_t i = 0; st == PECK_OK && i < n; i++)
        if (!strings_add(names, name[i]))
            st = fail_memory(err, path, n, sizeof *name);
    if (st != PECK_OK)
        strings_free(names);
    mem_free(name);
    input_close(&in);
    return st;
}

peck_status names_of_lines(struct strings *names, const struct strings *lines, size_t first,
                           size_t dim, const char *name, peck_error *err)
{
    peck_span *const place = mem_new(dim, sizeof *place);
    bool is_numbered = true, fits = true;

    if (place == NULL)
        return fail_memory(err, name, dim, sizeof *place);
    for (size_t i = 0; i < lines->n && is_numbered; i++) {
        uint64_t number;
        peck_span text;

        is_numbered = name_split(strings_get(lines, i), &number, &text) &&
                      number >= first && number - first < dim &&
                      place[number - first].n == 0;
        if (is_numbered)
            place[number - first] = text;
    }
    for (size_t i = 0; i < dim && fits && (is_numbered || lines->n == dim); i++)
        fits = strings_add(names, is_numbered ? place[i] : strings_get(lines, i));
    mem_free(place);
    return fits ? PECK_OK : fail_memory(err, name, dim, sizeof *place);
}

peck_status names_fit(struct strings *names, size_t dim, const char *name, peck_error *err)
{
    if (names->n > dim)
        return fail(err, PECK_SHAPE, "%s: has %zu features, but there are names for %zu",
                    name, dim, names->n);
    while (names->n > 0 && names->n < dim)
        if (!strings_add(names, (peck_span){ "", 0 }))
            return fail_memory(err, name, dim, 1);
    return PECK_OK;
}

/* A subset of the features: "1-40,bm25" ---------------------------------------------- */

struct feature_choice {
    uint32_t *keep; /* dim long: nothing is taken twice */
    size_t n, dim;
    bool *is_taken;
    const struct strings *names;
};

/* Features first .. last, from 0, as the item of the list asks. */
static peck_status take_columns(struct feature_choice *c, size_t first, size_t last,
                                peck_span item, peck_error *err)
{
    for (size_t i = first; i <= last; i++) {
        if (c->is_taken[i])
            return fail(err, PECK_ARG, "--features takes feature %zu twice ('%.*s')", i + 1,
                        SPAN_ARGS(item));
        c->is_taken[i] = true;
        c->keep[c->n++] = (uint32_t)i;
    }
    return PECK_OK;
}

/* The one feature of that name; of what is no name at all the nearest is shown. */
static peck_status take_named(struct feature_choice *c, peck_span item, peck_error *err)
{
    size_t found = c->dim;

    for (size_t i = 0; i < c->names->n && i < c->dim; i++) {
        if (!span_equal(strings_get(c->names, i), item))
            continue;
        if (found < c->dim)
            return fail(err, PECK_ARG,
                        "--features: both feature %zu and feature %zu are called '%.*s'; "
                        "ask by number",
                        found + 1, i + 1, SPAN_ARGS(item));
        found = i;
    }
    if (found < c->dim)
        return take_columns(c, found, found, item, err);
    if (c->names->n == 0)
        return fail(err, PECK_ARG,
                    "--features: '%.*s' is not a number, and the features have no names; "
                    "--feature-names gives them some",
                    SPAN_ARGS(item));
    struct arena a = { 0 };
    const char **const known =
        arena_new(&a, "the list of feature names", c->names->n, sizeof *known);
    char *to = arena_new(&a, "the list of feature names",
                         c->names->at[c->names->n] + c->names->n, 1); /* zeros end each */
    char typed[SPAN_SHOWN + 1] = { 0 };
    peck_status st = arena_check(&a, err);

    for (size_t i = 0; st == PECK_OK && i < c->names->n; i++) {
        const peck_span name = strings_get(c->names, i);

        known[i] = memcpy(to, name.s, name.n);
        to += name.n + 1;
    }
    if (st == PECK_OK) {
        snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(item));
        const char *const near = peck_nearest(typed, known, c->names->n);

        st = fail(err, PECK_ARG, "--features: no feature is called '%s'%s%.*s%s", typed,
                  near != NULL ? ", did you mean '" : "", SPAN_SHOWN,
                  near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    arena_free(&a);
    return st;
}

/* "3" or "3-7", whatever the numbers are; anything else is a name. */
static peck_status take_item(struct feature_choice *c, peck_span item, peck_error *err)
{
    const char *const dash = item.n > 0 ? memchr(item.s, '-', item.n) : NULL;
    const size_t n_first = dash != NULL ? (size_t)(dash - item.s) : item.n;
    uint64_t first, last;

    if (item.n == 0)
        return fail(err, PECK_ARG, "--features has an empty item; write it as '1-40,bm25'");
    if (!number_parse_u64(span_trim((peck_span){ item.s, n_first }), &first))
        return take_named(c, item, err);
    last = first;
    if (dash != NULL &&
        !number_parse_u64(span_trim((peck_span){ dash + 1, item.n - n_first - 1 }), &last))
        return take_named(c, item, err);
    if (first < 1 || last < first)
        return fail(err, PECK_ARG,
                    "--features: '%.*s' is not a range; features count "
                    "from 1",
                    SPAN_ARGS(item));
    if (last > c->dim)
        return fail(err, PECK_ARG, "--features: '%.*s' goes beyond the %zu features",
                    SPAN_ARGS(item), c->dim);
    return take_columns(c, (size_t)first - 1, (size_t)last - 1, item, err);
}

peck_status columns_parse(uint32_t **keep, size_t *n_kept, const char *features,
                          const struct strings *names, size_t dim, peck_error *err)
{
    *keep = NULL;
    *n_kept = dim;
    if (features == NULL)
        return PECK_OK;
    struct feature_choice c = { .keep = mem_new(dim, sizeof *c.keep),
                                .is_taken = mem_new(dim, sizeof *c.is_taken),
                                .dim = dim,
                                .names = names };
    peck_status st = c.keep != NULL && c.is_taken != NULL
                         ? PECK_OK
                         : fail_memory(err, "the list of features", dim, sizeof *c.keep);

    for (const char *p = features; st == PECK_OK && p != NULL;) {
        const size_t n = strcspn(p, ",");

        st = take_item(&c, span_trim((peck_span){ p, n }), err);
        p = p[n] == ',' ? p + n + 1 : NULL;
    }
    mem_free(c.is_taken);
    if (st != PECK_OK) {
        mem_free(c.keep);
        return st;
    }
    *keep = c.keep;
    *n_kept = c.n;
    return PECK_OK;
}

/* Group sizes ----------------------------------------------------------------------- */

/* One number a line; blank lines do not count. */
static peck_status read_size_lines(uint64_t **size, size_t *n, const struct input *in,
                                   peck_error *err)
{
    struct lines l = lines_of(in);
    size_t cap = 0;
    peck_span line;
    uint64_t one;

    while (next_text(&l, &line)) {
        if (!number_parse_u64(line, &one) || one == 0 || one > MAX_DOCS_IN_QUERY)
            return fail(
                err, PECK_FORMAT,
                "%s:%zu: '%.*s' is not a group size; each line holds one number from 1 to "
                "%d",
                in->name, l.number, SPAN_ARGS(line), MAX_DOCS_IN_QUERY);
        if (!mem_reserve(size, &cap, *n + 1, sizeof one))
            return fail_memory(err, in->name, *n, sizeof one);
        (*size)[(*n)++] = one;
    }
    return PECK_OK;
}

peck_status sizes_read(uint64_t **size, size_t *n_sizes, const char *path, size_t n_docs,
                       peck_error *err)
{
    struct input in = { 0 };
    uint64_t sum = 0;

    *size = NULL;
    *n_sizes = 0;
    TRY(input_open(&in, path, err));
    peck_status st = input_blame(&in, read_size_lines(size, n_sizes, &in, err), err);

    for (size_t i = 0; i < *n_sizes; i++)
        sum += (*size)[i];
    if (st == PECK_OK && sum != n_docs)
        st = fail(err, PECK_SHAPE,
                  "%s: the group sizes add up to %llu documents, the data has %zu", path,
                  (unsigned long long)sum, n_docs);
    if (st != PECK_OK) {
        mem_free(*size);
        *size = NULL;
        *n_sizes = 0;
    }
    input_close(&in);
    return st;
}

/* Query weights --------------------------------------------------------------------- */

/* "query weight": the last word of the line is the weight, so that ids may hold blanks. */
static bool split_weight(peck_span line, peck_span *id, float *weight)
{
    size_t cut = line.n;
    double value;

    while (cut > 0 && !is_blank(line.s[cut - 1]) && line.s[cut - 1] != ',')
        cut--;
    if (!number_parse((peck_span){ line.s + cut, line.n - cut }, &value))
        return false;
    bool has_comma = false;

    while (cut > 0 && (is_blank(line.s[cut - 1]) || (line.s[cut - 1] == ',' && !has_comma)))
        has_comma = line.s[--cut] == ',' || has_comma;
    *id = span_trim((peck_span){ line.s, cut });
    *weight = number_fits_float(value) ? (float)value : INFINITY;
    return id->n > 0;
}

/* weight[query] is 0 until its line comes: each query must come once. */
static peck_status read_weight_lines(float *weight, const struct peck_dataset *d,
                                     const struct index *ids, const struct input *in,
                                     peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line, id;
    float value;

    while (next_text(&l, &line)) {
        if (!split_weight(line, &id, &value))
            return fail(err, PECK_FORMAT, "%s:%zu: '%.*s' is not \"query weight\"",
                        in->name, l.number, SPAN_ARGS(line));
        if (!(value > 0 && isfinite(value)))
            return fail(err, PECK_FORMAT,
                        "%s:%zu: the weight of query '%.*s' must be finite and above 0",
                        in->name, l.number, SPAN_ARGS(id));
        const int64_t query = index_find(ids, id);

        if (query < 0)
            return fail(err, PECK_SHAPE, "%s:%zu: the data has no query '%.*s'", in->name,
                        l.number, SPAN_ARGS(id));
        if (weight[query] > 0)
            return fail(err, PECK_FORMAT, "%s:%zu: query '%.*s' has a weight already",
                        in->name, l.number, SPAN_ARGS(id));
        weight[query] = value;
    }
    for (size_t q = 0; q < d->n_queries; q++)
        if (!(weight[q] > 0))
            return fail(err, PECK_SHAPE, "%s: query '%.*s' has no weight", in->name,
                        SPAN_ARGS(dataset_query_id(d, q)));
    return PECK_OK;
}

peck_status weights_read(struct peck_dataset *d, const char *path, peck_error *err)
{
    struct input in = { 0 };
    struct index ids = { 0 };
    float *const weight = mem_new(d->n_queries, sizeof *weight);
    peck_status st =
        weight == NULL ? fail_memory(err, path, d->n_queries, sizeof *weight) : PECK_OK;

    if (st == PECK_OK)
        st = input_open(&in, path, err);
    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++)
        if (index_put(&ids, dataset_query_id(d, q)) == INDEX_FULL)
            st = fail_memory(err, path, d->n_queries, sizeof(peck_span));
    if (st == PECK_OK)
        st = input_blame(&in, read_weight_lines(weight, d, &ids, &in, err), err);
    if (st == PECK_OK) {
        dataset_free_array(d, d->query_weight);
        d->query_weight = weight;
    } else {
        mem_free(weight);
    }
    index_free(&ids);
    input_close(&in);
    return st;
}

/* Options, missing cells, labels ---------------------------------------------------- */

peck_status plan_check(const struct read_plan *plan, const char *name, bool has_columns,
                       bool counts_features, peck_error *err)
{
    const char *const column = plan->label_column != NULL   ? "--label-column"
                               : plan->query_column != NULL ? "--query-column"
                               : plan->doc_column != NULL   ? "--doc-column"
                                                            : NULL;

    if (column != NULL && !has_columns)
        return fail(err, PECK_ARG, "%s: %s is for CSV and TSV, whose columns have names",
                    name, column);
    if (plan->is_zero_based && !counts_features)
        return fail(err, PECK_ARG, "%s: --zero-based is for LETOR text", name);
    return PECK_OK;
}

/* Missing cells become 0 or the mean of those of their feature that are there (0 where none
 * is), or stay. */
peck_status missing_fill(struct builder *b, enum missing how, peck_error *err)
{
    double *const mean = mem_new(b->dim, sizeof *mean);
    uint32_t *const n_missing = mem_new(b->dim, sizeof *n_missing);

    if (mean == NULL || n_missing == NULL) {
        mem_free(mean);
        mem_free(n_missing);
        return fail_memory(err, "the means of the features", b->dim, sizeof *mean);
    }
    for (size_t r = 0; r < b->n; r++) {
        const float *const x = b->x + r * b->dim;

        for (size_t j = 0; j < b->dim; j++) {
            if (isnan(x[j]))
                n_missing[j]++;
            else
                mean[j] += x[j];
        }
    }
    b->n_missing = 0;
    for (size_t j = 0; j < b->dim; j++) {
        mean[j] = n_missing[j] < b->n ? mean[j] / (double)(b->n - n_missing[j]) : 0.0;
        b->n_missing += n_missing[j];
    }
    b->keeps_missing = how == MISSING_KEEP && b->n_missing > 0;
    for (size_t r = 0; b->n_missing > 0 && how != MISSING_KEEP && r < b->n; r++)
        for (size_t j = 0; j < b->dim; j++)
            if (isnan(b->x[r * b->dim + j]))
                b->x[r * b->dim + j] = how == MISSING_MEAN ? (float)mean[j] : 0.0f;
    mem_free(mean);
    mem_free(b->missing_in);
    b->missing_in = n_missing;
    if (how == MISSING_ERROR && b->n_missing > 0)
        return fail(err, PECK_FORMAT, "%zu cells are missing; " MISSING_ADVICE,
                    b->n_missing);
    return PECK_OK;
}

peck_status label_parse(float *label, peck_span word, const char *name, size_t line,
                        peck_error *err)
{
    double value;

    if (word.n == 0)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: the label is missing; '?' stands for \"not "
                    "judged\"",
                    name, line);
    if (span_is(word, "?")) {
        *label = PECK_UNJUDGED;
        return PECK_OK;
    }
    if (!number_parse(word, &value) || !number_fits_float(value))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: label '%.*s' is not a number; labels are numbers from 0 on",
                    name, line, SPAN_ARGS(word));
    if (value < 0)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: label %.*s is negative; labels are 0 or more", name, line,
                    SPAN_ARGS(word));
    *label = (float)value + 0.0f; /* "-0" is 0 */
    return PECK_OK;
}
