/* side.c -- the small things that readers of text share: files of names, group sizes
 * and query weights, missing cells, labels.                                         */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "cells.h"

#include <math.h>

/* lines of side files ------------------------------------------------------------- */

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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* names --------------------------------------------------------------------------- */

struct name_list {
    peck_span *name; /* by column; views into the file */
    size_t n, cap;
};

static peck_status put_name(struct name_list *list, size_t column, peck_span name,
                            const struct input *in, size_t line, peck_error *err)
{
    if (column >= MAX_FEATURE)
        return fail(err, PECK_FORMAT, "%s:%zu: feature %zu is over the limit %d", in->name,
                    line, column + 1, MAX_FEATURE);
    if (name.n > MAX_ID)
        return fail(err, PECK_FORMAT, "%s:%zu: the name has more than %d bytes", in->name,
                    line, MAX_ID);
    if (column < list->n && list->name[column].n > 0)
        return fail(err, PECK_FORMAT, "%s:%zu: feature %zu is named a second time",
                    in->name, line, column + 1);
    if (!mem_reserve(&list->name, &list->cap, column + 1, sizeof *list->name))
        return fail_memory(err, in->name, column, sizeof *list->name);
    for (; list->n <= column; list->n++)
        list->name[list->n] = (peck_span){ "", 0 };
    list->name[column] = name;
    return PECK_OK;
}

/* The first line decides whether the lines carry numbers. */
static peck_status list_lines(struct name_list *list, const struct input *in,
                              peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line, name;
    uint64_t number = 0;
    bool has_numbers = false;

    while (next_text(&l, &line)) {
        const bool is_numbered = name_split(line, &number, &name);

        if (list->n == 0)
            has_numbers = is_numbered;
        if (has_numbers && !is_numbered)
            return fail(
                err, PECK_FORMAT,
                "%s:%zu: '%.*s' is not of the form \"3 bm25\" as the lines before it",
                in->name, l.number, SPAN_ARGS(line));
        if (has_numbers && (number < 1 || number > MAX_FEATURE))
            return fail(err, PECK_FORMAT, "%s:%zu: feature %.*s is not in 1 to %d",
                        in->name, l.number, SPAN_ARGS(line), MAX_FEATURE);
        TRY(put_name(list, has_numbers ? (size_t)number - 1 : list->n,
                     has_numbers ? name : line, in, l.number, err));
    }
    if (list->n == 0)
        return fail(err, PECK_FORMAT, "%s: the file of feature names is empty", in->name);
    return PECK_OK;
}

peck_status names_read(struct strings *names, const char *path, peck_error *err)
{
    struct input in = { 0 };
    struct name_list list = { 0 };

    *names = (struct strings){ 0 };
    TRY(input_open(&in, path, err));
    peck_status st = input_blame(&in, list_lines(&list, &in, err), err);

    for (size_t i = 0; st == PECK_OK && i < list.n; i++)
        if (!strings_add(names, list.name[i]))
            st = fail_memory(err, path, list.n, sizeof *list.name);
    if (st != PECK_OK)
        strings_free(names);
    mem_free(list.name);
    input_close(&in);
    return st;
}

/* group sizes --------------------------------------------------------------------- */

struct size_list {
    uint64_t *size;
    size_t n, cap;
    uint64_t sum;
};

static peck_status list_sizes(struct size_list *list, const struct input *in,
                              peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line;

    while (next_text(&l, &line)) {
        uint64_t size;

        if (!number_parse_u64(line, &size) || size == 0 || size > MAX_DOCS_IN_QUERY)
            return fail(
                err, PECK_FORMAT,
                "%s:%zu: '%.*s' is no group size; each line holds one number from 1 "
                "to %d",
                in->name, l.number, SPAN_ARGS(line), MAX_DOCS_IN_QUERY);
        if (!mem_reserve(&list->size, &list->cap, list->n + 1, sizeof size))
            return fail_memory(err, in->name, list->n, sizeof size);
        list->size[list->n++] = size;
        list->sum += size;
    }
    return PECK_OK;
}

peck_status sizes_read(uint64_t **size, size_t *n_sizes, const char *path, size_t n_docs,
                       peck_error *err)
{
    struct input in = { 0 };
    struct size_list list = { 0 };

    *size = NULL;
    *n_sizes = 0;
    TRY(input_open(&in, path, err));
    peck_status st = input_blame(&in, list_sizes(&list, &in, err), err);

    if (st == PECK_OK && list.sum != n_docs)
        st = fail(err, PECK_SHAPE,
                  "%s: the group sizes add up to %llu documents, the data has %zu", path,
                  (unsigned long long)list.sum, n_docs);
    if (st == PECK_OK) {
        *size = list.size;
        *n_sizes = list.n;
    } else {
        mem_free(list.size);
    }
    input_close(&in);
    return st;
}

/* query weights ------------------------------------------------------------------- */

/* The last word of the line is the weight, so that ids may hold blanks. */
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

static peck_status take_weight(float *weight, const struct index *ids,
                               const struct input *in, peck_span line, size_t number,
                               peck_error *err)
{
    peck_span id;
    float value;

    if (!split_weight(line, &id, &value))
        return fail(err, PECK_FORMAT, "%s:%zu: '%.*s' is not \"query weight\"", in->name,
                    number, SPAN_ARGS(line));
    if (!(value > 0 && isfinite(value)))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: the weight of query '%.*s' must be finite and above 0",
                    in->name, number, SPAN_ARGS(id));
    const int64_t query = index_find(ids, id);

    if (query < 0)
        return fail(err, PECK_SHAPE, "%s:%zu: the data has no query '%.*s'", in->name,
                    number, SPAN_ARGS(id));
    if (weight[query] > 0)
        return fail(err, PECK_FORMAT, "%s:%zu: query '%.*s' has a weight already", in->name,
                    number, SPAN_ARGS(id));
    weight[query] = value;
    return PECK_OK;
}

static peck_status list_weights(float *weight, const struct peck_dataset *d,
                                const struct index *ids, const struct input *in,
                                peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line;

    while (next_text(&l, &line))
        TRY(take_weight(weight, ids, in, line, l.number, err));
    for (size_t q = 0; q < d->n_queries; q++)
        if (!(weight[q] > 0))
            return fail(err, PECK_SHAPE, "%s: query '%.*s' has no weight", in->name,
                        SPAN_ARGS(strings_get(&d->query_id, q)));
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
        if (index_put(&ids, strings_get(&d->query_id, q)) == INDEX_FULL)
            st = fail_memory(err, path, d->n_queries, sizeof(peck_span));
    if (st == PECK_OK)
        st = input_blame(&in, list_weights(weight, d, &ids, &in, err), err);
    if (st == PECK_OK) {
        mem_free(d->query_weight);
        d->query_weight = weight;
    } else {
        mem_free(weight);
    }
    index_free(&ids);
    input_close(&in);
    return st;
}

/* options of other formats -------------------------------------------------------- */

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

/* missing cells ------------------------------------------------------------------- */

/* Column means over the cells that are there (0 where none is), and how many are not. */
static void mean_columns(const struct builder *b, double *mean, uint32_t *n_missing)
{
    for (size_t r = 0; r < b->n; r++) {
        const float *const x = b->x + r * b->dim;

        for (size_t j = 0; j < b->dim; j++) {
            if (isnan(x[j]))
                n_missing[j]++;
            else
                mean[j] += x[j];
        }
    }
    for (size_t j = 0; j < b->dim; j++)
        mean[j] = n_missing[j] < b->n ? mean[j] / (double)(b->n - n_missing[j]) : 0.0;
}

peck_status missing_fill(struct builder *b, enum missing how, peck_error *err)
{
    double *const mean = mem_new(b->dim, sizeof *mean);
    uint32_t *const n_missing = mem_new(b->dim, sizeof *n_missing);

    if (mean == NULL || n_missing == NULL) {
        mem_free(mean);
        mem_free(n_missing);
        return fail_memory(err, "the means of the features", b->dim, sizeof *mean);
    }
    mean_columns(b, mean, n_missing);
    b->n_missing = 0;
    for (size_t j = 0; j < b->dim; j++)
        b->n_missing += n_missing[j];
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

/* labels -------------------------------------------------------------------------- */

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
        return fail(err, PECK_FORMAT, "%s:%zu: label '%.*s' is no finite number", name,
                    line, SPAN_ARGS(word));
    if (value < 0)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: label %.*s is negative; labels are 0 or more", name, line,
                    SPAN_ARGS(word));
    *label = (float)value + 0.0f; /* "-0" is 0 */
    return PECK_OK;
}
