/* read_prefs.c -- preferences from text.
 *
 *   a table     header with winner and loser; also query (or list), probability and
 *               weight, or wins and losses:  probability = wins / (wins + losses),
 *               weight = wins + losses
 *   votes       "criterion;y;z;1,-1,0" without a header: 1 for y, -1 for z, 0 for
 *               neither:  probability = (n(1) + n(0) / 2) / n,  weight = n
 *   *.pairs, *.grouped_pairs (CatBoost): rows of the file, or of a query; no header   */
#include "prefs.h"

#include "../base/number.h"
#include "cells.h"
#include "locate.h"

enum role {
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

struct load {
    struct peck_prefs *prefs;
    const struct peck_dataset *d; /* NULL: the list stands alone */
    const char *name;             /* of the file */
    struct cells cells;
    size_t n_columns;
    int64_t at[N_ROLES];     /* column of each role of a table, or ABSENT */
    struct locator in_data;  /* with a dataset */
    struct index list, item; /* without */
};

/* Adds what the record in l->cells says. */
typedef peck_status taker(struct load *l, peck_error *err);

static struct place here(const struct load *l)
{
    return (struct place){ l->name, l->cells.line };
}

/* cells --------------------------------------------------------------------------- */

static peck_status check_id(const struct load *l, peck_span id, peck_error *err)
{
    if (id.n == 0)
        return fail(err, PECK_FORMAT, "%s:%zu: a name is missing", l->name, l->cells.line);
    if (id.n > MAX_ID || !cell_is_one_line(id))
        return fail(err, PECK_FORMAT, "%s:%zu: a name %s", l->name, l->cells.line,
                    id.n > MAX_ID ? "is too long" : "holds a line break");
    return PECK_OK;
}

static peck_status check_columns(const struct load *l, size_t least, size_t most,
                                 const char *what, peck_error *err)
{
    if (l->cells.n >= least && l->cells.n <= most)
        return PECK_OK;
    return fail(err, PECK_FORMAT, "%s:%zu: %zu cells; %s", l->name, l->cells.line,
                l->cells.n, what);
}

static peck_status take_weight(const struct load *l, peck_span cell, float *weight,
                               peck_error *err)
{
    double value;

    if (!number_parse(cell, &value) || !number_fits_float(value) || !((float)value > 0))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' is no weight; it must be a finite number above 0",
                    l->name, l->cells.line, SPAN_ARGS(cell));
    *weight = (float)value;
    return PECK_OK;
}

static peck_status add(struct load *l, peck_pref pref, peck_error *err)
{
    if (pref.winner == pref.loser)
        return fail(err, PECK_FORMAT, "%s:%zu: the winner and the loser are the same",
                    l->name, l->cells.line);
    return prefs_add(l->prefs, pref) ? PECK_OK
                                     : fail_memory(err, l->name, l->prefs->n, sizeof pref);
}

/* a table with a header ----------------------------------------------------------- */

static size_t role_of(peck_span cell)
{
    size_t r = 0;

    if (cell_is(cell, "list") || cell_is(cell, "qid") || cell_is(cell, "criterion"))
        return ROLE_LIST;
    while (r < N_ROLES && !cell_is(cell, role_names[r]))
        r++;
    return r;
}

static peck_status fail_column(const struct load *l, peck_span cell, peck_error *err)
{
    char typed[SPAN_SHOWN + 1] = { 0 };

    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(cell));
    const char *const near = peck_nearest(typed, role_names, N_ROLES);

    return fail(err, PECK_FORMAT,
                "%s:%zu: unknown column '%s'%s%s%s; known are query, winner, loser, "
                "probability, weight, wins, losses",
                l->name, l->cells.line, typed, near != NULL ? ", did you mean '" : "",
                near != NULL ? near : "", near != NULL ? "'?" : "");
}

static peck_status check_roles(const struct load *l, peck_error *err)
{
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
    return PECK_OK;
}

static peck_status take_header(struct load *l, peck_error *err)
{
    for (int r = 0; r < N_ROLES; r++)
        l->at[r] = ABSENT;
    l->n_columns = l->cells.n;
    for (size_t j = 0; j < l->cells.n; j++) {
        const size_t role = role_of(l->cells.cell[j]);

        if (role == N_ROLES)
            return fail_column(l, l->cells.cell[j], err);
        if (l->at[role] != ABSENT)
            return fail(err, PECK_FORMAT, "%s:%zu: two columns are the %s", l->name,
                        l->cells.line, role_names[role]);
        l->at[role] = (int64_t)j;
    }
    TRY(check_roles(l, err));
    return l->d != NULL ? locator_add_docs(&l->in_data, err) : PECK_OK;
}

static peck_status take_number(const struct load *l, enum role role, double most,
                               double *value, peck_error *err)
{
    const peck_span cell = l->cells.cell[l->at[role]];

    if (!number_parse(cell, value) || !(*value >= 0 && *value <= most))
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' in column '%s' is no number from 0 to %g", l->name,
                    l->cells.line, SPAN_ARGS(cell), role_names[role], most);
    return PECK_OK;
}

/* The probability and the weight, in either of their two forms. */
static peck_status take_odds(const struct load *l, peck_pref *pref, peck_error *err)
{
    double probability = 1.0, wins, losses;

    pref->probability = pref->weight = 1.0f;
    if (l->at[ROLE_PROBABILITY] != ABSENT)
        TRY(take_number(l, ROLE_PROBABILITY, 1.0, &probability, err));
    pref->probability = (float)probability;
    if (l->at[ROLE_WEIGHT] != ABSENT)
        TRY(take_weight(l, l->cells.cell[l->at[ROLE_WEIGHT]], &pref->weight, err));
    if (l->at[ROLE_WINS] == ABSENT)
        return PECK_OK;
    TRY(take_number(l, ROLE_WINS, 1e15, &wins, err));
    TRY(take_number(l, ROLE_LOSSES, 1e15, &losses, err));
    pref->weight = (float)(wins + losses);
    if (!(pref->weight > 0))
        return fail(err, PECK_FORMAT, "%s:%zu: neither wins nor losses", l->name,
                    l->cells.line);
    pref->probability = (float)(wins / (wins + losses));
    return PECK_OK;
}

/* Numbers the names of a list that stands alone.  Nothing may be wrong with the line any
 * more: a bad one must leave no name behind. */
static peck_status add_named(struct load *l, peck_span list, peck_span winner,
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
    return add(l, pref, err);
}

static peck_status take_table_row(struct load *l, peck_error *err)
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
    TRY(locate_query(&l->in_data, here(l), list, &pref.list, err));
    TRY(locate_doc(&l->in_data, here(l), pref.list, winner, &pref.winner, err));
    TRY(locate_doc(&l->in_data, here(l), pref.list, loser, &pref.loser, err));
    return add(l, pref, err);
}

/* votes --------------------------------------------------------------------------- */

/* "1,-1,0" */
static peck_status count_votes(const struct load *l, peck_span cell, double *wins,
                               double *n, peck_error *err)
{
    size_t first = 0;

    *wins = *n = 0;
    while (first <= cell.n) {
        size_t end = first;

        while (end < cell.n && cell.s[end] != ',')
            end++;
        const peck_span vote = span_trim((peck_span){ cell.s + first, end - first });

        if (!span_is(vote, "1") && !span_is(vote, "0") && !span_is(vote, "-1"))
            return fail(err, PECK_FORMAT,
                        "%s:%zu: '%.*s' is no vote; votes are -1, 0 and 1", l->name,
                        l->cells.line, SPAN_ARGS(vote));
        *wins += span_is(vote, "1") ? 1.0 : span_is(vote, "0") ? 0.5 : 0.0;
        *n += 1;
        first = end + 1;
    }
    return PECK_OK;
}

static peck_status take_votes(struct load *l, peck_error *err)
{
    double wins = 0, n = 0;

    TRY(check_columns(l, 4, 4, "a line is \"criterion;y;z;votes\"", err));
    TRY(check_id(l, l->cells.cell[0], err));
    TRY(count_votes(l, l->cells.cell[3], &wins, &n, err));
    const peck_pref pref = { .probability = (float)(wins / n), .weight = (float)n };

    return add_named(l, l->cells.cell[0], l->cells.cell[1], l->cells.cell[2], pref, err);
}

/* CatBoost ------------------------------------------------------------------------ */

static peck_status take_pair(struct load *l, peck_error *err)
{
    peck_pref pref = { .probability = 1, .weight = 1 };

    TRY(check_columns(l, 2, 3, "a line is winner TAB loser [TAB weight]", err));
    TRY(locate_file_row(&l->in_data, here(l), l->cells.cell[0], &pref.winner, err));
    TRY(locate_file_row(&l->in_data, here(l), l->cells.cell[1], &pref.loser, err));
    if (l->cells.n == 3)
        TRY(take_weight(l, l->cells.cell[2], &pref.weight, err));
    pref.list = locate_query_of(l->d, pref.winner);
    if (locate_query_of(l->d, pref.loser) != pref.list)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: rows %.*s and %.*s belong to different queries", l->name,
                    l->cells.line, SPAN_ARGS(l->cells.cell[0]),
                    SPAN_ARGS(l->cells.cell[1]));
    return add(l, pref, err);
}

static peck_status take_grouped_pair(struct load *l, peck_error *err)
{
    peck_pref pref = { .probability = 1, .weight = 1 };

    TRY(check_columns(l, 3, 4, "a line is query TAB winner TAB loser [TAB weight]", err));
    TRY(locate_query(&l->in_data, here(l), l->cells.cell[0], &pref.list, err));
    TRY(locate_row(&l->in_data, here(l), pref.list, l->cells.cell[1], &pref.winner, err));
    TRY(locate_row(&l->in_data, here(l), pref.list, l->cells.cell[2], &pref.loser, err));
    if (l->cells.n == 4)
        TRY(take_weight(l, l->cells.cell[3], &pref.weight, err));
    return add(l, pref, err);
}

/* which form ---------------------------------------------------------------------- */

/* Reads the first record with this delimiter: has it a cell "winner" or "loser"? */
static peck_status try_header(struct load *l, const struct input *in, char delimiter,
                              bool *is_header, peck_error *err)
{
    cells_close(&l->cells);
    cells_open(&l->cells, in, delimiter);
    const peck_status st = cells_next(&l->cells, err);

    *is_header = false;
    for (size_t j = 0; st == PECK_OK && j < l->cells.n; j++)
        if (cell_is(l->cells.cell[j], "winner") || cell_is(l->cells.cell[j], "loser"))
            *is_header = true;
    return st == PECK_NOMEM ? st : PECK_OK;
}

/* A file without a header, by content. */
static peck_status open_votes(struct load *l, const struct input *in, taker **take,
                              peck_error *err)
{
    bool is_header;

    TRY(try_header(l, in, ';', &is_header, err));
    if (l->cells.p == l->cells.end && l->cells.n == 0)
        return fail(err, PECK_FORMAT, "%s: is empty; there is no preference in it",
                    l->name);
    if (l->d != NULL || l->cells.n != 4)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: the first line must name the columns: "
                    "%swinner, loser, ...",
                    l->name, l->cells.line, l->d != NULL ? "query, " : "");
    cells_close(&l->cells);
    cells_open(&l->cells, in, ';');
    *take = take_votes;
    return PECK_OK;
}

static peck_status open_table(struct load *l, const struct input *in, taker **take,
                              peck_error *err)
{
    static const char delimiters[] = ",\t;";

    for (const char *c = delimiters; *c != '\0'; c++) {
        bool is_header;

        TRY(try_header(l, in, *c, &is_header, err));
        if (is_header) {
            *take = take_table_row;
            return take_header(l, err);
        }
    }
    return open_votes(l, in, take, err);
}

static peck_status open_form(struct load *l, const struct input *in, taker **take,
                             peck_error *err)
{
    const bool is_grouped = file_is_called(l->name, ".grouped_pairs");

    if (l->d != NULL)
        TRY(locator_add_queries(&l->in_data, err));
    if (!is_grouped && !file_is_called(l->name, ".pairs"))
        return open_table(l, in, take, err);
    if (l->d == NULL)
        return fail(err, PECK_ARG, "%s: holds rows of a data set; name the data set too",
                    l->name);
    cells_open(&l->cells, in, '\t');
    *take = is_grouped ? take_grouped_pair : take_pair;
    return is_grouped ? PECK_OK : locator_add_file_rows(&l->in_data, err);
}

static void add_hint(peck_error *why)
{
    const size_t n = strlen(why->text);

    snprintf(why->text + n, sizeof why->text - n, "; --skip-bad leaves such lines out");
}

static peck_status read_records(struct load *l, taker *take, bool skip_bad, peck_error *err)
{
    for (;;) {
        peck_error why = { 0 };
        peck_status st = cells_next(&l->cells, &why);

        if (st == PECK_OK && l->cells.n == 0)
            return PECK_OK;
        if (st == PECK_OK)
            st = take(l, &why);
        if (st == PECK_OK)
            continue;
        const bool can_skip = st == PECK_FORMAT && !l->cells.is_broken;

        if (!can_skip || !skip_bad) {
            if (can_skip)
                add_hint(&why);
            return fail(err, st, "%s", why.text);
        }
        if (l->prefs->n_bad++ == 0)
            l->prefs->first_bad_line = l->cells.line;
    }
}

static peck_status read_form(struct load *l, const struct input *in, bool skip_bad,
                             peck_error *err)
{
    taker *take = NULL;

    l->prefs = prefs_new();
    if (l->prefs == NULL)
        return fail_memory(err, l->name, 1, sizeof *l->prefs);
    TRY(open_form(l, in, &take, err));
    TRY(read_records(l, take, skip_bad, err));
    if (l->prefs->n == 0)
        return fail(err, PECK_FORMAT, "%s: there is no preference in it", l->name);
    struct strings *const list = l->d != NULL ? &l->in_data.query.names : &l->list.names;

    l->prefs->n_items = l->d != NULL ? l->d->n_docs : l->item.names.n;
    l->prefs->list_name = *list;
    l->prefs->item_name = l->item.names;
    *list = l->item.names = (struct strings){ 0 };
    return PECK_OK;
}

peck_status peck_prefs_read(peck_prefs **out, const char *path, const peck_dataset *d,
                            int skip_bad, peck_error *err)
{
    struct input in = { 0 };

    *out = NULL;
    TRY(input_open(&in, path, err));
    struct load l = { .d = d, .name = in.name, .in_data = { .d = d } };
    const peck_status st = input_blame(&in, read_form(&l, &in, skip_bad != 0, err), err);

    if (st == PECK_OK)
        *out = l.prefs;
    else
        peck_prefs_free(l.prefs);
    cells_close(&l.cells);
    index_free(&l.list);
    index_free(&l.item);
    locator_free(&l.in_data);
    input_close(&in);
    return st;
}
