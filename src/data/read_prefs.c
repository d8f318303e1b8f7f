/* read_prefs.c -- preferences from text.
 *
 *   a table     header with winner and loser; also query (or list), probability and
 *               weight, or wins and losses:  probability = wins / (wins + losses),
 *               weight = wins + losses
 *   votes       "criterion;y;z;1,-1,0" without a header: 1 for y, -1 for z, 0 for
 *               neither:  probability = (n(1) + n(0) / 2) / n,  weight = n
 *   names       "winner,loser" without a header
 *   signs       "a > b", "a < b", and "a = b" for a tie (probability 1/2), without a header
 *   *.pairs, *.grouped_pairs (CatBoost): rows of the file, or of a query; no header   */
#include "prefs.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "cells.h"
#include "pair_key.h"

enum pref_role {
    ROLE_LIST,
    ROLE_WINNER,
    ROLE_LOSER,
    ROLE_PROBABILITY,
    ROLE_WEIGHT,
    ROLE_WINS,
    ROLE_LOSSES,
    N_ROLES
};

static const char *const role_names[N_ROLES] = { "query",  "winner", "loser", "probability",
                                                 "weight", "wins",   "losses" };

enum { ABSENT = -1 };
#define ONE_CELL '\x1f' /* a delimiter that nobody writes: a line is one cell */
#define AMBIGUOUS UINT64_MAX

struct pref_file {
    struct peck_prefs *prefs;
    const struct peck_dataset *d; /* NULL: the list stands alone */
    const char *name;             /* of the file */
    struct cells cells;
    size_t n_columns;
    int64_t at[N_ROLES]; /* column of each role of a table, or ABSENT */
    struct index list;   /* queries of the dataset, or lists by first appearance */
    struct index item;   /* without a dataset */
    /* Documents of the dataset, where the form of the file needs them: */
    struct index doc; /* by query and id */
    struct pair_key key;
    uint64_t *doc_row;     /* by number in `doc`; AMBIGUOUS when two have that id */
    uint64_t *row_of_file; /* row of the file -> of the dataset; NULL: the same */
};

/* Adds what the record in l->cells says. */
typedef peck_status taker(struct pref_file *l, peck_error *err);

/* Documents of the dataset ---------------------------------------------------------- */

/* By id where documents have one; two of the same id in a query can only be meant by row. */
static peck_status index_docs(struct pref_file *l, peck_error *err)
{
    const struct peck_dataset *const d = l->d;

    if (d->doc_id.n == 0)
        return PECK_OK;
    l->doc_row = mem_new(d->n_docs, sizeof *l->doc_row);
    if (l->doc_row == NULL)
        return fail_memory(err, d->name, d->n_docs, sizeof *l->doc_row);
    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t row = d->start[q]; row < d->start[q + 1]; row++) {
            const peck_span id = strings_get(&d->doc_id, row);
            const size_t n_before = l->doc.names.n;

            if (id.n == 0 || id.n > MAX_ID)
                continue;
            const int64_t i = index_put(&l->doc, pair_key(&l->key, q, id));

            if (i == INDEX_FULL)
                return fail_memory(err, d->name, d->n_docs, sizeof(peck_span));
            l->doc_row[i] = (size_t)i == n_before ? row : AMBIGUOUS;
        }
    return PECK_OK;
}

/* A query of the dataset by its id. */
static peck_status locate_query(const struct pref_file *l, peck_span name, size_t *query,
                                peck_error *err)
{
    const int64_t q = index_find(&l->list, name);

    if (q < 0)
        return fail(err, PECK_FORMAT, "%s:%zu: the data has no query '%.*s'", l->name,
                    l->cells.line, SPAN_ARGS(name));
    *query = (size_t)q;
    return PECK_OK;
}

/* "7": row 7 of the query, from 0. */
static peck_status locate_row(const struct pref_file *l, size_t query, peck_span name,
                              size_t *row, peck_error *err)
{
    const size_t n = dataset_query_size(l->d, query);
    uint64_t in_query;

    if (!number_parse_u64(name, &in_query) || in_query >= n)
        return fail(
            err, PECK_FORMAT,
            "%s:%zu: query '%.*s' has no document '%.*s'; its %zu rows count from 0",
            l->name, l->cells.line, SPAN_ARGS(strings_get(&l->list.names, query)),
            SPAN_ARGS(name), n);
    *row = l->d->start[query] + in_query;
    return PECK_OK;
}

/* A document by id where one fits, otherwise by row; two documents of that id are refused. */
static peck_status locate_doc(struct pref_file *l, size_t query, peck_span name,
                              size_t *row, peck_error *err)
{
    const int64_t i =
        name.n <= MAX_ID ? index_find(&l->doc, pair_key(&l->key, query, name)) : -1;

    if (i < 0)
        return locate_row(l, query, name, row, err);
    if (l->doc_row[i] == AMBIGUOUS)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: query '%.*s' has several documents '%.*s'; name them by row",
                    l->name, l->cells.line, SPAN_ARGS(strings_get(&l->list.names, query)),
                    SPAN_ARGS(name));
    *row = l->doc_row[i];
    return PECK_OK;
}

/* "7": row 7 of the file, from 0. */
static peck_status locate_file_row(const struct pref_file *l, peck_span name, size_t *row,
                                   peck_error *err)
{
    uint64_t in_file;

    if (!number_parse_u64(name, &in_file) || in_file >= l->d->n_docs)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' is not a row of %s, whose %zu documents count from 0",
                    l->name, l->cells.line, SPAN_ARGS(name), l->d->name, l->d->n_docs);
    *row = l->row_of_file != NULL ? l->row_of_file[in_file] : in_file;
    return PECK_OK;
}

/* The query that a row of the dataset belongs to. */
static size_t locate_query_of(const struct peck_dataset *d, size_t row)
{
    size_t lo = 0, hi = d->n_queries;

    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;

        if (d->start[mid] <= row)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Cells ----------------------------------------------------------------------------- */

/* A name of a list or an item: one line, not empty, at most MAX_ID bytes. */
static peck_status check_id(const struct pref_file *l, peck_span id, peck_error *err)
{
    if (id.n == 0)
        return fail(err, PECK_FORMAT, "%s:%zu: a name is missing", l->name, l->cells.line);
    if (id.n > MAX_ID || !span_is_one_line(id))
        return fail(err, PECK_FORMAT, "%s:%zu: a name %s", l->name, l->cells.line,
                    id.n > MAX_ID ? "is too long" : "holds a line break");
    return PECK_OK;
}

/* `what` says how a line should look. */
static peck_status check_pref_cells(const struct pref_file *l, size_t least, size_t most,
                                    const char *what, peck_error *err)
{
    if (l->cells.n >= least && l->cells.n <= most)
        return PECK_OK;
    return fail(err, PECK_FORMAT, "%s:%zu: %zu cells; %s", l->name, l->cells.line,
                l->cells.n, what);
}

/* Finite as a float, and above 0. */
static peck_status parse_weight(const struct pref_file *l, peck_span cell, float *weight,
                                peck_error *err)
{
    double value;

    if (!number_parse(cell, &value) || !number_fits_float(value) || !((float)value > 0))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' is not a weight; weights are numbers above 0", l->name,
                    l->cells.line, SPAN_ARGS(cell));
    *weight = (float)value;
    return PECK_OK;
}

/* All forms end here. */
static peck_status append_pref(struct pref_file *l, peck_pref pref, peck_error *err)
{
    if (pref.winner == pref.loser)
        return fail(err, PECK_FORMAT, "%s:%zu: the winner and the loser are the same",
                    l->name, l->cells.line);
    return prefs_add(l->prefs, pref) ? PECK_OK
                                     : fail_memory(err, l->name, l->prefs->n, sizeof pref);
}

/* A table with a header -------------------------------------------------------------- */

/* N_ROLES: no column is called so. */
static size_t pref_role_of(peck_span cell)
{
    size_t r = 0;

    if (cell_is(cell, "list") || cell_is(cell, "qid") || cell_is(cell, "criterion"))
        return ROLE_LIST;
    while (r < N_ROLES && !cell_is(cell, role_names[r]))
        r++;
    return r;
}

/* Which column has which role, and whether they go together. */
static peck_status take_header(struct pref_file *l, peck_error *err)
{
    for (int r = 0; r < N_ROLES; r++)
        l->at[r] = ABSENT;
    l->n_columns = l->cells.n;
    for (size_t j = 0; j < l->cells.n; j++) {
        const size_t role = pref_role_of(l->cells.cell[j]);

        if (role == N_ROLES) {
            char typed[SPAN_SHOWN + 1] = { 0 };

            snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(l->cells.cell[j]));
            const char *const near = peck_nearest(typed, role_names, N_ROLES);

            return fail(
                err, PECK_FORMAT,
                "%s:%zu: unknown column '%s'%s%s%s; known are query, winner, loser, "
                "probability, weight, wins, losses",
                l->name, l->cells.line, typed, near != NULL ? ", did you mean '" : "",
                near != NULL ? near : "", near != NULL ? "'?" : "");
        }
        if (l->at[role] != ABSENT)
            return fail(err, PECK_FORMAT, "%s:%zu: two columns are the %s", l->name,
                        l->cells.line, role_names[role]);
        l->at[role] = (int64_t)j;
    }
    const bool has_counts = l->at[ROLE_WINS] != ABSENT;

    for (int r = l->d != NULL ? ROLE_LIST : ROLE_WINNER; r <= ROLE_LOSER; r++)
        if (l->at[r] == ABSENT)
            return fail(err, PECK_FORMAT, "%s:%zu: the header has no column '%s'", l->name,
                        l->cells.line, role_names[r]);
    if (has_counts != (l->at[ROLE_LOSSES] != ABSENT))
        return fail(err, PECK_FORMAT, "%s:%zu: columns 'wins' and 'losses' go together",
                    l->name, l->cells.line);
    if (has_counts && (l->at[ROLE_PROBABILITY] != ABSENT || l->at[ROLE_WEIGHT] != ABSENT))
        return fail(
            err, PECK_FORMAT,
            "%s:%zu: 'wins' and 'losses' already give the probability and the weight",
            l->name, l->cells.line);
    return l->d != NULL ? index_docs(l, err) : PECK_OK;
}

/* A number from 0 to `most` in the column of a role. */
static peck_status parse_within(const struct pref_file *l, enum pref_role role, double most,
                                double *value, peck_error *err)
{
    const peck_span cell = l->cells.cell[l->at[role]];

    if (!number_parse(cell, value) || !(*value >= 0 && *value <= most))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' in column '%s' is not a number from 0 to %g", l->name,
                    l->cells.line, SPAN_ARGS(cell), role_names[role], most);
    return PECK_OK;
}

/* The probability and the weight, in either of their two forms.
 * Of wins and losses: weight wins + losses, probability wins / (wins + losses). */
static peck_status take_odds(const struct pref_file *l, peck_pref *pref, peck_error *err)
{
    double probability = 1.0, wins, losses;

    pref->probability = pref->weight = 1.0f;
    if (l->at[ROLE_PROBABILITY] != ABSENT)
        TRY(parse_within(l, ROLE_PROBABILITY, 1.0, &probability, err));
    pref->probability = (float)probability;
    if (l->at[ROLE_WEIGHT] != ABSENT)
        TRY(parse_weight(l, l->cells.cell[l->at[ROLE_WEIGHT]], &pref->weight, err));
    if (l->at[ROLE_WINS] == ABSENT)
        return PECK_OK;
    TRY(parse_within(l, ROLE_WINS, 1e15, &wins, err));
    TRY(parse_within(l, ROLE_LOSSES, 1e15, &losses, err));
    pref->weight = (float)(wins + losses);
    if (!(pref->weight > 0))
        return fail(err, PECK_FORMAT, "%s:%zu: neither wins nor losses", l->name,
                    l->cells.line);
    pref->probability = (float)(wins / (wins + losses));
    return PECK_OK;
}

/* Numbers the names of a list that stands alone.  Nothing may be wrong with the line any
 * more: a bad one must leave no name behind. */
static peck_status add_named(struct pref_file *l, peck_span list, peck_span winner,
                             peck_span loser, peck_pref pref, peck_error *err)
{
    TRY(check_id(l, winner, err));
    TRY(check_id(l, loser, err));
    if (span_equal(winner, loser))
        return fail(err, PECK_FORMAT, "%s:%zu: '%.*s' is compared with itself", l->name,
                    l->cells.line, SPAN_ARGS(winner));
    const int64_t at = index_put(&l->list, list), first = index_put(&l->item, winner),
                  second = index_put(&l->item, loser);

    if (at == INDEX_FULL || first == INDEX_FULL || second == INDEX_FULL)
        return fail_memory(err, l->name, l->item.names.n, sizeof(peck_span));
    pref.list = (size_t)at;
    pref.winner = (size_t)first;
    pref.loser = (size_t)second;
    return append_pref(l, pref, err);
}

/* Names are looked up in the dataset, or numbered where the list stands alone. */
static peck_status take_table_row(struct pref_file *l, peck_error *err)
{
    peck_pref pref = { 0 };

    if (l->cells.n != l->n_columns)
        return fail(err, PECK_FORMAT, "%s:%zu: the row has %zu cells, the header has %zu",
                    l->name, l->cells.line, l->cells.n, l->n_columns);
    const peck_span winner = l->cells.cell[l->at[ROLE_WINNER]];
    const peck_span loser = l->cells.cell[l->at[ROLE_LOSER]];

    TRY(take_odds(l, &pref, err));
    if (l->d == NULL && l->at[ROLE_LIST] == ABSENT)
        return add_named(l, (peck_span){ "", 0 }, winner, loser, pref, err);
    const peck_span list = l->cells.cell[l->at[ROLE_LIST]];

    TRY(check_id(l, list, err));
    if (l->d == NULL)
        return add_named(l, list, winner, loser, pref, err);
    TRY(locate_query(l, list, &pref.list, err));
    TRY(locate_doc(l, pref.list, winner, &pref.winner, err));
    TRY(locate_doc(l, pref.list, loser, &pref.loser, err));
    return append_pref(l, pref, err);
}

/* Votes ----------------------------------------------------------------------------- */

/* "criterion;y;z;1,-1,0" */
static peck_status take_votes(struct pref_file *l, peck_error *err)
{
    double wins = 0, n = 0;

    TRY(check_pref_cells(l, 4, 4, "a line is \"criterion;y;z;votes\"", err));
    const peck_span *const cell = l->cells.cell, votes = cell[3];

    TRY(check_id(l, cell[0], err));
    for (size_t first = 0, end; first <= votes.n; first = end + 1) {
        for (end = first; end < votes.n && votes.s[end] != ',';)
            end++;
        const peck_span vote = span_trim((peck_span){ votes.s + first, end - first });

        if (!span_is(vote, "1") && !span_is(vote, "0") && !span_is(vote, "-1"))
            return fail(err, PECK_FORMAT,
                        "%s:%zu: '%.*s' is not a vote; votes are -1, 0 and 1", l->name,
                        l->cells.line, SPAN_ARGS(vote));
        wins += span_is(vote, "1") ? 1.0 : span_is(vote, "0") ? 0.5 : 0.0;
        n += 1;
    }
    const peck_pref pref = { .probability = (float)(wins / n), .weight = (float)n };

    return add_named(l, cell[0], cell[1], cell[2], pref, err);
}

/* Answers without a header ------------------------------------------------------------ */

/* "winner,loser" */
static peck_status take_names(struct pref_file *l, peck_error *err)
{
    TRY(check_pref_cells(l, 2, 2, "a line is \"winner,loser\"", err));
    return add_named(l, (peck_span){ "", 0 }, l->cells.cell[0], l->cells.cell[1],
                     (peck_pref){ .probability = 1, .weight = 1 }, err);
}

/* Where the sign of "a > b" stands: one with a blank on either side, else the only one of any
 * kind; a.n where there is none or it cannot be told. */
static size_t find_sign(peck_span a)
{
    size_t n_plain = 0, n_blank = 0, plain = a.n, blank = a.n;

    for (size_t i = 1; i + 1 < a.n; i++) {
        if (a.s[i] != '>' && a.s[i] != '<' && a.s[i] != '=')
            continue;
        n_plain++;
        plain = i;
        if (a.s[i - 1] == ' ' && a.s[i + 1] == ' ') {
            n_blank++;
            blank = i;
        }
    }
    return n_blank == 1 ? blank : n_blank == 0 && n_plain == 1 ? plain : a.n;
}

/* "a > b" */
static peck_status take_sign(struct pref_file *l, peck_error *err)
{
    const peck_span line = l->cells.cell[0];
    const size_t at = find_sign(line);

    if (at == line.n)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' is not an answer; a line is \"a > b\", \"a < b\" or, "
                    "for a tie, \"a = b\"",
                    l->name, l->cells.line, SPAN_ARGS(line));
    const peck_span a = span_trim((peck_span){ line.s, at }),
                    b = span_trim((peck_span){ line.s + at + 1, line.n - at - 1 });
    const char sign = line.s[at];

    return add_named(l, (peck_span){ "", 0 }, sign == '<' ? b : a, sign == '<' ? a : b,
                     (peck_pref){ .probability = sign == '=' ? 0.5f : 1.0f, .weight = 1 },
                     err);
}

/* CatBoost -------------------------------------------------------------------------- */

/* "winner TAB loser [TAB weight]", rows of the whole file. */
static peck_status take_pair(struct pref_file *l, peck_error *err)
{
    peck_pref pref = { .probability = 1, .weight = 1 };

    TRY(check_pref_cells(l, 2, 3, "a line is winner TAB loser [TAB weight]", err));
    TRY(locate_file_row(l, l->cells.cell[0], &pref.winner, err));
    TRY(locate_file_row(l, l->cells.cell[1], &pref.loser, err));
    if (l->cells.n == 3)
        TRY(parse_weight(l, l->cells.cell[2], &pref.weight, err));
    pref.list = locate_query_of(l->d, pref.winner);
    if (locate_query_of(l->d, pref.loser) != pref.list)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: rows %.*s and %.*s belong to different queries", l->name,
                    l->cells.line, SPAN_ARGS(l->cells.cell[0]),
                    SPAN_ARGS(l->cells.cell[1]));
    return append_pref(l, pref, err);
}

/* "query TAB winner TAB loser [TAB weight]", rows of the query. */
static peck_status take_grouped_pair(struct pref_file *l, peck_error *err)
{
    peck_pref pref = { .probability = 1, .weight = 1 };

    TRY(check_pref_cells(l, 3, 4, "a line is query TAB winner TAB loser [TAB weight]",
                         err));
    TRY(locate_query(l, l->cells.cell[0], &pref.list, err));
    TRY(locate_row(l, pref.list, l->cells.cell[1], &pref.winner, err));
    TRY(locate_row(l, pref.list, l->cells.cell[2], &pref.loser, err));
    if (l->cells.n == 4)
        TRY(parse_weight(l, l->cells.cell[3], &pref.weight, err));
    return append_pref(l, pref, err);
}

/* Which form ------------------------------------------------------------------------ */

/* Reads the first record with this delimiter; *is_header becomes true where it has a cell
 * "winner" or "loser".  *is_read: it could be cut into cells. */
static peck_status try_header(struct pref_file *l, const struct input *in, char delimiter,
                              bool *is_header, bool *is_read, peck_error *err)
{
    cells_close(&l->cells);
    cells_open(&l->cells, in, delimiter);
    const peck_status st = cells_next(&l->cells, err);

    for (size_t j = 0; st == PECK_OK && j < l->cells.n; j++)
        if (cell_is(l->cells.cell[j], "winner") || cell_is(l->cells.cell[j], "loser"))
            *is_header = true;
    *is_read = st == PECK_OK;
    return st == PECK_NOMEM ? st : PECK_OK;
}

/* Which of the forms without a header the first line has; 0: none.  *take becomes what takes
 * one. */
static peck_status sniff_answers(struct pref_file *l, const struct input *in, taker **take,
                                 char *delimiter, peck_error *err)
{
    static const char forms[] = { ';', ONE_CELL, ',', '\t', ';' };
    static taker *const takers[] = { take_votes, take_sign, take_names, take_names,
                                     take_names };
    bool is_header, is_read;

    for (size_t k = 0; k < sizeof forms; k++) {
        TRY(try_header(l, in, forms[k], &is_header, &is_read, err));
        const size_t n = is_read ? l->cells.n : 0;

        if (takers[k] == take_votes ? n == 4
            : takers[k] == take_names
                ? n == 2
                : n == 1 && find_sign(l->cells.cell[0]) < l->cells.cell[0].n) {
            *take = takers[k];
            *delimiter = forms[k];
            return PECK_OK;
        }
    }
    return PECK_OK;
}

/* A table with a header by any delimiter, else answers without one. */
static peck_status open_pref_table(struct pref_file *l, const struct input *in,
                                   taker **take, peck_error *err)
{
    static const char delimiters[] = ",\t;";
    bool is_header = false, is_read;
    char delimiter = 0;

    for (const char *c = delimiters; *c != '\0' && !is_header; c++)
        TRY(try_header(l, in, *c, &is_header, &is_read, err));
    if (is_header) {
        *take = take_table_row;
        return take_header(l, err);
    }
    if (l->cells.p == l->cells.end && l->cells.n == 0)
        return fail(err, PECK_FORMAT, "%s: is empty; there is no preference in it",
                    l->name);
    if (l->d == NULL)
        TRY(sniff_answers(l, in, take, &delimiter, err));
    if (*take == NULL)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: the first line must name the columns: %swinner, loser, ...%s",
                    l->name, l->cells.line, l->d != NULL ? "query, " : "",
                    l->d != NULL ? "" : "; or be an answer: a > b");
    cells_close(&l->cells);
    cells_open(&l->cells, in, delimiter);
    return PECK_OK;
}

/* Sets *take, and the cells to the first record. */
static peck_status open_form(struct pref_file *l, const struct input *in, taker **take,
                             peck_error *err)
{
    const bool is_grouped = file_is_called(l->name, ".grouped_pairs");
    const struct peck_dataset *const d = l->d;

    for (size_t q = 0; d != NULL && q < d->n_queries; q++)
        if (index_put(&l->list, dataset_query_id(d, q)) == INDEX_FULL)
            return fail_memory(err, d->name, d->n_queries, sizeof(peck_span));
    if (!is_grouped && !file_is_called(l->name, ".pairs"))
        return open_pref_table(l, in, take, err);
    if (d == NULL)
        return fail(err, PECK_ARG, "%s: holds rows of a data set; name the data set too",
                    l->name);
    cells_open(&l->cells, in, '\t');
    *take = is_grouped ? take_grouped_pair : take_pair;
    if (is_grouped || d->file_row == NULL)
        return PECK_OK;
    l->row_of_file = mem_new(d->n_docs, sizeof *l->row_of_file);
    if (l->row_of_file == NULL)
        return fail_memory(err, d->name, d->n_docs, sizeof *l->row_of_file);
    for (size_t r = 0; r < d->n_docs; r++)
        l->row_of_file[d->file_row[r]] = r;
    return PECK_OK;
}

/* Almost any text could be names: that of another kind would give an order that means nothing. */
static peck_status refuse_data(const struct input *in, peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line = { in->data, 0 };

    if (input_own_kind(in->data, in->size) != NULL)
        return fail(err, PECK_FORMAT,
                    "%s: is binary, and preferences belong here: lines of winner,loser",
                    in->name);
    while ((line.n == 0 || line.s[0] == '#') && lines_next(&l, &line))
        line = span_trim(line);
    for (size_t i = 0; i + 5 <= line.n; i++)
        if (memcmp(line.s + i, " qid:", 5) == 0)
            return fail(err, PECK_FORMAT,
                        "%s:%zu: is data with labels (LETOR), and preferences belong here: "
                        "lines of winner,loser; `peck rank MODEL DATA` ranks data",
                        in->name, l.number);
    return PECK_OK;
}

static peck_status read_prefs(struct pref_file *l, const struct input *in, bool skip_bad,
                              peck_error *err)
{
    taker *take = NULL;

    l->prefs = prefs_new();
    if (l->prefs == NULL)
        return fail_memory(err, l->name, 1, sizeof *l->prefs);
    TRY(refuse_data(in, err));
    TRY(open_form(l, in, &take, err));
    for (;;) {
        peck_error why = { 0 };
        peck_status st = cells_next(&l->cells, &why);

        if (st == PECK_OK && l->cells.n == 0)
            break;
        if (st == PECK_OK)
            st = take(l, &why);
        if (st == PECK_OK)
            continue;
        if (st != PECK_FORMAT || l->cells.is_broken)
            return fail(err, st, "%s", why.text);
        if (!skip_bad) {
            const size_t n = strlen(why.text);

            snprintf(why.text + n, sizeof why.text - n, "; --skip-bad ignores such lines");
            return fail(err, st, "%s", why.text);
        }
        /* Of a line that is skipped nothing stays but its number: the first is told. */
        if (l->prefs->n_bad++ == 0)
            l->prefs->first_bad_line = l->cells.line;
    }
    if (l->prefs->n == 0)
        return fail(err, PECK_FORMAT, "%s: there is no preference in it", l->name);
    l->prefs->n_items = l->d != NULL ? l->d->n_docs : l->item.names.n;
    l->prefs->list_name = l->list.names;
    l->prefs->item_name = l->item.names;
    l->list.names = l->item.names = (struct strings){ 0 };
    return PECK_OK;
}

peck_status peck_prefs_read(peck_prefs **out, const char *path, const peck_dataset *d,
                            int skip_bad, peck_error *err)
{
    struct input in = { 0 };

    *out = NULL;
    TRY(input_open(&in, path, err));
    struct pref_file l = { .d = d, .name = in.name };
    const peck_status st = input_blame(&in, read_prefs(&l, &in, skip_bad != 0, err), err);

    if (st == PECK_OK)
        *out = l.prefs;
    else
        peck_prefs_free(l.prefs);
    cells_close(&l.cells);
    index_free(&l.list);
    index_free(&l.item);
    index_free(&l.doc);
    mem_free(l.doc_row);
    mem_free(l.row_of_file);
    input_close(&in);
    return st;
}
