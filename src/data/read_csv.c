/* read_csv.c -- CSV and TSV with a header: "label,query,doc,bm25,pagerank".
 *
 * Columns that an option names, or that are called as `roles` below has it, in any case and
 * order, have a meaning; every other column is a feature and its header cell is the
 * feature's name.  Quotes follow RFC 4180.                                            */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/strings.h"
#include "cells.h"

#include <math.h>

enum role { ROLE_LABEL, ROLE_QUERY, ROLE_DOC, ROLE_WEIGHT, ROLE_QUERY_WEIGHT, N_ROLES };

/* What a column of each role is usually called. */
static const struct {
    const char *name[4]; /* the first is what messages say */
    const char *option;  /* that names the column; NULL: none */
} roles[N_ROLES] = {
    [ROLE_LABEL] = { { "label", "relevance", "rel", "grade" }, "--label-column" },
    [ROLE_QUERY] = { { "query", "qid", "query_id" }, "--query-column" },
    [ROLE_DOC] = { { "doc", "docid", "doc_id" }, "--doc-column" },
    [ROLE_WEIGHT] = { { "weight" }, NULL },
    [ROLE_QUERY_WEIGHT] = { { "query_weight" }, NULL },
};
enum { N_NAMES = sizeof roles[0].name / sizeof *roles[0].name };

enum { ABSENT = -1 };

struct csv_table {
    struct cells cells;
    const char *name; /* of the file */
    size_t n_columns;
    int64_t at[N_ROLES];    /* column of each role, or ABSENT */
    bool is_asked[N_ROLES]; /* an option says which column it is */
    struct index feature;   /* names of all features of the file */
    uint32_t *feature_at;   /* column of each */
    uint32_t *keep;         /* features to store; NULL: all */
    uint32_t *column;       /* of each stored feature */
    enum missing missing;
    bool has_missing;
    struct builder rows;
};

/* header -------------------------------------------------------------------------- */

/* The role of a column by its usual names; N_ROLES: it is a feature. */
static int csv_role_of(peck_span cell)
{
    for (int r = 0; r < N_ROLES; r++)
        for (size_t i = 0; i < N_NAMES && roles[r].name[i] != NULL; i++)
            if (cell_is(cell, roles[r].name[i]))
                return r;
    return N_ROLES;
}

bool column_has_role(peck_span name)
{
    return csv_role_of(name) < N_ROLES;
}

/* `asked` is what an option says, NULL where there is none.  Of many columns the message names
 * the first ones. */
static peck_status fail_role(const struct csv_table *t, enum role role, const char *asked,
                             peck_error *err)
{
    enum { SHOWN = 200 };
    struct text seen;
    peck_status st;

    text_init(&seen, 1024);
    for (size_t j = 0; j < t->n_columns && seen.len < SHOWN; j++)
        text_printf(&seen, "%s%.*s", j > 0 ? ", " : "", SPAN_ARGS(t->cells.cell[j]));
    if (seen.len >= SHOWN)
        text_add_str(&seen, ", ...");
    const char *const columns = seen.s != NULL && !seen.failed ? seen.s : "";

    if (asked == NULL && t->n_columns == 1 && strchr(columns, ';') != NULL)
        st = fail(err, PECK_FORMAT,
                  "%s:%zu: the columns are separated by ';'; write commas (CSV) or tabs "
                  "(TSV) instead",
                  t->name, t->cells.line);
    else if (asked != NULL)
        st = fail(err, PECK_ARG,
                  "%s:%zu: %s %.60s: there is no such column; the columns are %s", t->name,
                  t->cells.line, roles[role].option, asked, columns);
    else
        st = fail(err, PECK_FORMAT,
                  "%s:%zu: the first line names the columns, and there is no column '%s' "
                  "(or %s) among %s; name it with %s",
                  t->name, t->cells.line, roles[role].name[0],
                  role == ROLE_LABEL ? "relevance, rel, grade" : "qid, query_id", columns,
                  roles[role].option);
    text_free(&seen);
    return st;
}

/* A column by its name, or else by its number from 1. */
static peck_status find_asked(struct csv_table *t, enum role role, const char *asked,
                              peck_error *err)
{
    uint64_t number;

    if (asked == NULL)
        return PECK_OK;
    for (size_t j = 0; j < t->n_columns && t->at[role] == ABSENT; j++)
        if (span_is(t->cells.cell[j], asked))
            t->at[role] = (int64_t)j;
    if (t->at[role] == ABSENT && number_parse_u64(span_of(asked), &number) && number >= 1 &&
        number <= t->n_columns)
        t->at[role] = (int64_t)number - 1;
    if (t->at[role] == ABSENT)
        return fail_role(t, role, asked, err);
    t->is_asked[role] = true;
    for (int r = 0; r < (int)role; r++)
        if (t->at[r] == t->at[role])
            return fail(err, PECK_ARG, "%s:%zu: %s and %s both name column %zu ('%.*s')",
                        t->name, t->cells.line, roles[r].option, roles[role].option,
                        (size_t)t->at[role] + 1, SPAN_ARGS(t->cells.cell[t->at[role]]));
    return PECK_OK;
}

/* Gives one column its role, or makes it a feature.  Where an option names the column of a
 * role, another one with a usual name of that role is a feature. */
static peck_status take_column(struct csv_table *t, size_t column, peck_error *err)
{
    const peck_span cell = t->cells.cell[column];
    const int role = csv_role_of(cell);

    if (cell.n == 0)
        return fail(err, PECK_FORMAT, "%s:%zu: column %zu has no name", t->name,
                    t->cells.line, column + 1);
    if (cell.n > MAX_ID || !span_is_one_line(cell))
        return fail(err, PECK_FORMAT, "%s:%zu: the name of column %zu %s", t->name,
                    t->cells.line, column + 1,
                    cell.n > MAX_ID ? "is too long" : "holds a line break");
    for (int r = 0; r < N_ROLES; r++)
        if (t->is_asked[r] && t->at[r] == (int64_t)column)
            return PECK_OK;
    if (role < N_ROLES && !t->is_asked[role]) {
        const size_t before = (size_t)t->at[role];

        if (t->at[role] == ABSENT) {
            t->at[role] = (int64_t)column;
            return PECK_OK;
        }
        if (roles[role].option == NULL)
            return fail(err, PECK_FORMAT, "%s:%zu: columns %zu and %zu are both the %s",
                        t->name, t->cells.line, before + 1, column + 1,
                        roles[role].name[0]);
        return fail(err, PECK_FORMAT,
                    "%s:%zu: columns %zu ('%.*s') and %zu ('%.*s') may both be the %s; "
                    "name it with %s",
                    t->name, t->cells.line, before + 1, SPAN_ARGS(t->cells.cell[before]),
                    column + 1, SPAN_ARGS(cell), roles[role].name[0], roles[role].option);
    }
    const size_t n_before = t->feature.names.n;
    const int64_t feature = index_put(&t->feature, cell);

    if (feature == INDEX_FULL)
        return fail_memory(err, t->name, n_before, sizeof cell);
    if ((size_t)feature < n_before)
        return fail(err, PECK_FORMAT, "%s:%zu: two columns are called '%.*s'", t->name,
                    t->cells.line, SPAN_ARGS(cell));
    t->feature_at[feature] = (uint32_t)column;
    return PECK_OK;
}

/* A table without a header: its first line is numbers, and nobody says that they are names. */
static bool lacks_header(const struct csv_table *t, const struct read_plan *plan)
{
    double unused;

    for (size_t j = 0; j < t->cells.n; j++)
        if (!number_parse(t->cells.cell[j], &unused))
            return false;
    return plan->query_column == NULL;
}

/* Roles first, by option and by name; what is left are features, of which --features keeps some. */
static peck_status read_csv_header(struct csv_table *t, const struct read_plan *plan,
                                   peck_error *err)
{
    TRY(cells_next(&t->cells, err));
    if (t->cells.n == 0)
        return fail(err, PECK_FORMAT, "%s: the file is empty", t->name);
    if (lacks_header(t, plan))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: there is no header, only numbers; add a first line that names "
                    "the columns: label, query, and the features",
                    t->name, t->cells.line);
    t->n_columns = t->cells.n;
    t->feature_at = mem_new(t->n_columns, sizeof *t->feature_at);
    if (t->feature_at == NULL)
        return fail_memory(err, t->name, t->n_columns, sizeof *t->feature_at);
    for (int r = 0; r < N_ROLES; r++)
        t->at[r] = ABSENT;
    TRY(find_asked(t, ROLE_LABEL, plan->label_column, err));
    TRY(find_asked(t, ROLE_QUERY, plan->query_column, err));
    TRY(find_asked(t, ROLE_DOC, plan->doc_column, err));
    for (size_t j = 0; j < t->n_columns; j++)
        TRY(take_column(t, j, err));
    if (t->at[ROLE_LABEL] == ABSENT && !plan->labels_optional)
        return fail_role(t, ROLE_LABEL, NULL, err);
    if (t->at[ROLE_QUERY] == ABSENT)
        return fail_role(t, ROLE_QUERY, NULL, err);
    if (t->feature.names.n > MAX_FEATURE)
        return fail(err, PECK_FORMAT, "%s:%zu: there are more than %d features", t->name,
                    t->cells.line, MAX_FEATURE);
    struct builder *const b = &t->rows;

    TRY(columns_parse(&t->keep, &b->dim, plan->features, &t->feature.names,
                      t->feature.names.n, err));
    t->column = mem_new(b->dim, sizeof *t->column);
    if (t->column == NULL ||
        !strings_add_from(&b->feature_name, &t->feature.names, t->keep, b->dim))
        return fail_memory(err, t->name, b->dim, sizeof *t->column);
    for (size_t k = 0; k < b->dim; k++)
        t->column[k] = t->feature_at[t->keep != NULL ? t->keep[k] : k];
    return PECK_OK;
}

/* rows ---------------------------------------------------------------------------- */

/* 1 where the table has no such column. */
static peck_status parse_role_weight(const struct csv_table *t, enum role role,
                                     float *weight, peck_error *err)
{
    double value;

    *weight = 1;
    if (t->at[role] == ABSENT)
        return PECK_OK;
    const peck_span cell = t->cells.cell[t->at[role]];

    if (!number_parse(cell, &value) || !number_fits_float(value) || !((float)value > 0))
        return fail(
            err, PECK_FORMAT,
            "%s:%zu: '%.*s' in column '%s' is not a weight; weights are numbers above 0",
            t->name, t->cells.line, SPAN_ARGS(cell), roles[role].name[0]);
    *weight = (float)value;
    return PECK_OK;
}

/* The name of a query or a document: one line of at most MAX_ID bytes. */
static peck_status take_id(const struct csv_table *t, enum role role, peck_span *id,
                           peck_error *err)
{
    *id = t->cells.cell[t->at[role]];
    if (id->n > MAX_ID)
        return fail(err, PECK_FORMAT, "%s:%zu: the %s has more than %d bytes", t->name,
                    t->cells.line, roles[role].name[0], MAX_ID);
    if (!span_is_one_line(*id))
        return fail(err, PECK_FORMAT, "%s:%zu: the %s holds a line break", t->name,
                    t->cells.line, roles[role].name[0]);
    return PECK_OK;
}

/* The cells beside the features. */
static peck_status take_roles(struct csv_table *t, peck_error *err)
{
    struct builder *const b = &t->rows;
    peck_span query, doc;
    float doc_weight, query_weight;

    b->label[b->n] = PECK_UNJUDGED;
    if (t->at[ROLE_LABEL] != ABSENT)
        TRY(label_parse(&b->label[b->n], t->cells.cell[t->at[ROLE_LABEL]], t->name,
                        t->cells.line, err));
    TRY(take_id(t, ROLE_QUERY, &query, err));
    if (query.n == 0)
        return fail(err, PECK_FORMAT, "%s:%zu: the query is missing", t->name,
                    t->cells.line);
    TRY(parse_role_weight(t, ROLE_QUERY_WEIGHT, &query_weight, err));
    TRY(builder_query(b, query, query_weight, t->cells.line, err));
    TRY(parse_role_weight(t, ROLE_WEIGHT, &doc_weight, err));
    if (b->has_weights)
        b->doc_weight[b->n] = doc_weight;
    if (t->at[ROLE_DOC] == ABSENT)
        return PECK_OK;
    TRY(take_id(t, ROLE_DOC, &doc, err));
    return strings_add(&b->doc_id, doc) ? PECK_OK : fail_memory(err, t->name, doc.n, 1);
}

/* The features of one record into the row at its end. */
static peck_status take_values(struct csv_table *t, peck_error *err)
{
    float *const x = t->rows.x + t->rows.n * t->rows.dim;

    for (size_t k = 0; k < t->rows.dim; k++) {
        const peck_span cell = t->cells.cell[t->column[k]];
        double value;

        if (number_read(cell.s, &value) == cell.s + cell.n && number_fits_float(value)) {
            x[k] = (float)value;
            continue;
        }
        const peck_span name = strings_get(&t->rows.feature_name, k);

        if (cell.n > 0 && !number_is_missing(cell))
            return fail(err, PECK_FORMAT,
                        "%s:%zu: '%.*s' in column '%.*s' is not a number; leave such a "
                        "column out with --features",
                        t->name, t->cells.line, SPAN_ARGS(cell), SPAN_ARGS(name));
        if (t->missing == MISSING_ERROR)
            return fail(err, PECK_FORMAT,
                        "%s:%zu: the value of column '%.*s' is missing; " MISSING_ADVICE,
                        t->name, t->cells.line, SPAN_ARGS(name));
        t->has_missing = true;
        x[k] = NAN;
    }
    return PECK_OK;
}

/* Newlines are counted first, so that memory is taken once; quoted cells may hold some, so there
 * may be fewer rows. */
static peck_status read_rows(struct csv_table *t, struct watch *watch, peck_error *err)
{
    enum { TELL_EVERY = 1 << 14 }; /* rows */
    struct builder *const b = &t->rows;
    const char *p = t->cells.in->data, *const end = p + t->cells.in->size;
    size_t most = 1; /* rows, the header and blank lines: newlines, and one more */

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        most++;
        p++;
    }
    b->has_weights = t->at[ROLE_WEIGHT] != ABSENT;
    b->has_query_weights = t->at[ROLE_QUERY_WEIGHT] != ABSENT;
    TRY(builder_check_size(t->name, most, b->dim, err));
    TRY(builder_rows(b, most, err));
    for (b->n = 0;; b->n++) {
        TRY(cells_next(&t->cells, err));
        if (t->cells.n == 0)
            break;
        if (b->n == most) /* newlines were fewer when they were counted */
            return input_changed(t->cells.in, err);
        if (t->cells.n != t->n_columns)
            return fail(err, PECK_FORMAT,
                        "%s:%zu: the row has %zu cells, the header has %zu; write one cell "
                        "for each "
                        "column, in quotes where it holds the separator",
                        t->name, t->cells.line, t->cells.n, t->n_columns);
        TRY(take_roles(t, err));
        TRY(take_values(t, err));
        if (b->n % TELL_EVERY == TELL_EVERY - 1)
            TRY(watch_step(watch, b->n + 1, most, err));
    }
    if (b->n == 0)
        return fail(err, PECK_FORMAT, "%s: the file is empty but for its header", t->name);
    return t->has_missing ? missing_fill(b, t->missing, err) : PECK_OK;
}

/* both formats -------------------------------------------------------------------- */

/* Both formats, which differ in the delimiter alone. */
static peck_status read_table(struct peck_dataset **out, const struct input *in,
                              const struct read_plan *plan, char delimiter,
                              const char *reader, peck_error *err)
{
    struct csv_table t = { .name = in->name, .missing = plan->missing };

    *out = NULL;
    TRY(plan_check(plan, in->name, true, false, err));
    if (plan->feature_names != NULL)
        return fail(err, PECK_ARG,
                    "%s: --feature-names is for data without names; this header has them",
                    in->name);
    if (plan->query_sizes != NULL)
        return fail(
            err, PECK_ARG,
            "%s: group sizes are for data without queries; column 'query' gives them "
            "here",
            in->name);
    cells_open(&t.cells, in, delimiter);
    peck_status st = read_csv_header(&t, plan, err);

    if (st == PECK_OK)
        st = read_rows(&t, plan->watch, err);
    if (st == PECK_OK)
        st = builder_finish(out, &t.rows, t.name, reader, err);
    builder_free(&t.rows);
    mem_free(t.feature_at);
    mem_free(t.keep);
    mem_free(t.column);
    index_free(&t.feature);
    cells_close(&t.cells);
    return st;
}

/* How often c stands in a line, what is quoted aside. */
static size_t count_outside_quotes(peck_span line, char c)
{
    size_t n = 0;
    bool is_quoted = false;

    for (size_t i = 0; i < line.n; i++) {
        is_quoted ^= line.s[i] == '"';
        n += !is_quoted && line.s[i] == c;
    }
    return n;
}

/* A header is a line of names with this delimiter; a line of data begins with a label.  The
 * name of the file decides where the content does not. */
static int sniff_table(const struct input *in, char delimiter, char other,
                       const char *ending)
{
    struct lines l = lines_of(in);
    peck_span line = { "", 0 };

    while (line.n == 0 && lines_next(&l, &line))
        line = span_trim(line);
    bool is_letor = line.n == 0 || line.s[0] == '#';

    for (size_t i = 0; i + 4 <= line.n && !is_letor; i++)
        is_letor = memcmp(line.s + i, "qid:", 4) == 0;
    if (is_letor)
        return 0;
    const size_t n_mine = count_outside_quotes(line, delimiter);
    const size_t n_other = count_outside_quotes(line, other);

    size_t n = 0;
    double value;

    while (n < line.n && !is_blank(line.s[n]) && line.s[n] != delimiter)
        n++;
    const peck_span first = { line.s, n };

    if (n_mine > n_other && !span_is(first, "?") && !number_parse(first, &value))
        return 2;
    return n_other <= n_mine && file_is_called(in->name, ending) ? 2 : 0;
}

static int sniff_csv(const struct input *in)
{
    return sniff_table(in, ',', '\t', ".csv");
}

static int sniff_tsv(const struct input *in)
{
    return sniff_table(in, '\t', ',', ".tsv");
}

static peck_status read_csv(struct peck_dataset **out, struct input *in,
                            const struct read_plan *plan, peck_error *err)
{
    return read_table(out, in, plan, ',', "csv", err);
}

static peck_status read_tsv(struct peck_dataset **out, struct input *in,
                            const struct read_plan *plan, peck_error *err)
{
    return read_table(out, in, plan, '\t', "tsv", err);
}

#define COLUMNS_DOC                                                                      \
    "The first line names the columns: label (relevance, rel, grade) and query (qid, "   \
    "query_id) must be there, doc (docid, doc_id), weight and query_weight may be; the " \
    "rest are features.  --label-column, --query-column and --doc-column name others.  " \
    "Quotes follow RFC 4180.  A label of '?' is \"not judged\"; an empty, nan, NA or "   \
    "NULL feature is missing."

const struct reader reader_csv = {
    .plug = { .about = { "csv", "comma-separated values with a header", COLUMNS_DOC } },
    .sniff = sniff_csv,
    .read = read_csv,
};

const struct reader reader_tsv = {
    .plug = { .about = { "tsv", "tab-separated values with a header", COLUMNS_DOC } },
    .sniff = sniff_tsv,
    .read = read_tsv,
};
