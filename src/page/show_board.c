/* show_board.c -- runs that were judged on the same queries, side by side. */
#include "show.h"

#include "../base/alloc.h"

#include <math.h>

/* Which runs belong together ------------------------------------------------------------ */

static peck_span key_of(struct text *room, size_t fold, peck_span id)
{
    room->len = 0;
    text_printf(room, "%zu ", fold);
    text_add(room, id.s, id.n);
    return (peck_span){ room->s, room->failed ? 0 : room->len };
}

/* Every query of a run as "FOLD ID". */
static peck_status index_queries(struct index *x, const struct show_run *r,
                                 struct text *room, peck_error *err)
{
    for (size_t i = 0; i < r->n_judged; i++) {
        const struct judged *const j = &r->judged[i];

        for (size_t q = 0; q < j->query.n; q++) {
            const peck_span id = strings_get(&j->query, q);
            const size_t before = x->names.n;

            if (index_put(x, key_of(room, j->fold, id)) < 0 || room->failed)
                return fail_memory(err, "names of queries", j->query.n, id.n);
            if (x->names.n == before)
                return fail(err, PECK_FORMAT, "%.300s: query '%.*s' has two lines", r->path,
                            SPAN_ARGS(id));
        }
    }
    return PECK_OK;
}

static bool have_same_names(const struct index *a, const struct index *b)
{
    bool is_same = a->names.n == b->names.n;

    for (size_t i = 0; is_same && i < a->names.n; i++)
        is_same = index_find(b, strings_get(&a->names, i)) >= 0;
    return is_same;
}

/* Of a fold's test data; n = 0: nobody said. */
static peck_span labels_of(const struct show_run *r, size_t fold)
{
    for (size_t i = 0; i < r->n_facts; i++)
        if (r->fact[i].fold == fold &&
            span_is(strings_get(&r->string, r->fact[i].key), LABELS_NOTE))
            return strings_get(&r->string, r->fact[i].text);
    return (peck_span){ 0 };
}

/* Generated data calls its queries 1, 2, 3, ...: names alone do not tell test data apart. */
static bool have_other_labels(const struct show_run *a, const struct show_run *b)
{
    for (size_t i = 0; i < a->n_judged; i++) {
        const peck_span one = labels_of(a, a->judged[i].fold),
                        other = labels_of(b, a->judged[i].fold);

        if (one.n > 0 && other.n > 0 && !span_equal(one, other))
            return true;
    }
    return false;
}

/* Whether every run of the board was judged by these labels, as far as they say. */
static bool board_takes(const struct board *b, const struct show_run *r,
                        const struct index *queries)
{
    for (size_t i = 0; i < b->n_runs; i++)
        if (have_other_labels(b->standing[i].run, r))
            return false;
    return have_same_names(&b->query, queries);
}

static bool board_join(struct board *b, const struct show_run *r)
{
    struct standing *const more =
        mem_resize(b->standing, b->n_runs + 1, sizeof *b->standing);

    if (more == NULL)
        return false;
    b->standing = more;
    b->standing[b->n_runs] = (struct standing){ .run = r, .at = b->n_runs };
    b->n_runs++;
    return true;
}

/* *x moves into the board when that is a new one. */
static bool place_run(struct boards *all, const struct show_run *r, struct index *x)
{
    for (size_t i = 0; i < all->n; i++)
        if (board_takes(&all->board[i], r, x))
            return board_join(&all->board[i], r);
    struct board *const more = mem_resize(all->board, all->n + 1, sizeof *all->board);

    if (more == NULL)
        return false;
    all->board = more;
    all->board[all->n] = (struct board){ .query = *x };
    *x = (struct index){ 0 };
    return board_join(&all->board[all->n++], r);
}

static peck_status place_runs(struct boards *all, const struct peck_page *p,
                              peck_error *err)
{
    struct text room;
    peck_status st = PECK_OK;

    text_init(&room, SIZE_MAX / 2);
    for (size_t i = 0; i < p->n_runs && st == PECK_OK; i++) {
        struct index x = { 0 };

        if (p->run[i].n_judged == 0)
            continue;
        st = index_queries(&x, &p->run[i], &room, err);
        if (st == PECK_OK && !place_run(all, &p->run[i], &x))
            st = fail_memory(err, "runs", p->n_runs, sizeof *all->board);
        index_free(&x);
    }
    text_free(&room);
    return st;
}

/* Their values ---------------------------------------------------------------------------- */

/* strings.n: it is not there. */
static size_t find_string(const struct strings *s, peck_span name)
{
    size_t i = 0;

    while (i < s->n && !span_equal(strings_get(s, i), name))
        i++;
    return i;
}

size_t board_column(const struct board *b, const char *name)
{
    return find_string(&b->column, span_of(name));
}

static bool has_column(const struct board *b, peck_span name)
{
    for (size_t i = 0; i < b->n_runs; i++) {
        const struct show_run *const r = b->standing[i].run;

        for (size_t k = 0; k < r->n_judged; k++)
            if (find_string(&r->judged[k].column, name) == r->judged[k].column.n)
                return false;
    }
    return true;
}

static bool gather_columns(struct board *b)
{
    const struct strings *const first = &b->standing[0].run->judged[0].column;
    bool is_complete = true;

    for (size_t c = 0; c < first->n && is_complete; c++)
        if (has_column(b, strings_get(first, c)))
            is_complete = strings_add(&b->column, strings_get(first, c));
    return is_complete;
}

static void copy_values(struct board *b, const struct standing *s, struct text *room)
{
    for (size_t i = 0; i < s->run->n_judged; i++) {
        const struct judged *const j = &s->run->judged[i];

        for (size_t q = 0; q < j->query.n; q++) {
            const int64_t at =
                index_find(&b->query, key_of(room, j->fold, strings_get(&j->query, q)));
            double *const to = b->value + (s->at * b->n_queries + (size_t)at) * b->column.n;

            for (size_t c = 0; at >= 0 && c < b->column.n; c++)
                to[c] = j->value[q * j->column.n +
                                 find_string(&j->column, strings_get(&b->column, c))];
        }
    }
}

static peck_status gather_values(struct board *b, peck_error *err)
{
    const struct show_run *const first = b->standing[0].run;
    struct text room;

    b->n_queries = b->query.names.n;
    b->n_folds = first->n_judged;
    if (!gather_columns(b))
        return fail_memory(err, "names of metrics", first->judged[0].column.n, 1);
    if (b->column.n == 0)
        return fail(err, PECK_SHAPE,
                    "%.200s and other runs were judged on the same queries but by no "
                    "metric that all of them have",
                    first->path);
    b->start = mem_new(b->n_folds + 1, sizeof *b->start);
    b->value = mem_new(b->n_runs * b->n_queries, b->column.n * sizeof *b->value);
    if (b->start == NULL || b->value == NULL)
        return fail_memory(err, "values per query", b->n_runs * b->n_queries,
                           b->column.n * sizeof *b->value);
    for (size_t f = 0; f < b->n_folds; f++)
        b->start[f + 1] = b->start[f] + first->judged[f].query.n;
    text_init(&room, SIZE_MAX / 2);
    for (size_t i = 0; i < b->n_runs; i++)
        copy_values(b, &b->standing[i], &room);
    const bool has_failed = room.failed;

    text_free(&room);
    return has_failed ? fail_memory(err, "names of queries", b->n_queries, 1) : PECK_OK;
}

bool board_has(const struct board *b, size_t q, size_t column)
{
    for (size_t i = 0; i < b->n_runs; i++)
        if (isnan(board_value(b, i, q, column)))
            return false;
    return true;
}

double board_mean(const struct board *b, size_t at, size_t column)
{
    double sum = 0;
    size_t n_folds = 0;

    for (size_t f = 0; f < b->n_folds; f++) {
        double part = 0;
        size_t n = 0;

        for (size_t q = b->start[f]; q < b->start[f + 1]; q++)
            if (board_has(b, q, column)) {
                part += board_value(b, at, q, column);
                n++;
            }
        sum += n > 0 ? part / (double)n : 0;
        n_folds += n > 0;
    }
    return n_folds > 0 ? sum / (double)n_folds : (double)NAN;
}

peck_span board_query(const struct board *b, size_t q, size_t *fold)
{
    const peck_span key = strings_get(&b->query.names, q);
    size_t at = 0;

    *fold = 0;
    for (; key.s[at] != ' '; at++)
        *fold = 10 * *fold + (size_t)(key.s[at] - '0');
    return (peck_span){ key.s + at + 1, key.n - at - 1 };
}

/* Names as short as the board allows: a folder that all runs lie in says nothing. */
static peck_status name_standings(struct board *b, peck_error *err)
{
    const char **const path = mem_new(b->n_runs, sizeof *path);

    if (path == NULL)
        return fail_memory(err, "names of runs", b->n_runs, sizeof *path);
    for (size_t i = 0; i < b->n_runs; i++)
        path[i] = b->standing[i].run->path;
    for (size_t i = 0; i < b->n_runs; i++)
        b->standing[i].name = show_short_name(path, b->n_runs, i);
    mem_free(path);
    return PECK_OK;
}

/* The column that ranks, and its direction.  A column that is no metric of ours is taken
 * as the larger the better. */
static peck_status choose_metric(struct board *b, const peck_page_spec *spec,
                                 peck_error *err)
{
    struct metric_list list = { 0 };
    peck_error unused;
    char name[METRIC_NAME_MAX];

    b->metric = board_column(b, spec->metric != NULL ? spec->metric : PECK_DEFAULT_METRIC);
    if (b->metric == b->column.n && spec->metric != NULL)
        return fail(err, PECK_ARG,
                    "%.200s: was not judged by %.60s; its metrics begin "
                    "with '%.*s'",
                    b->standing[0].run->path, spec->metric,
                    SPAN_ARGS(strings_get(&b->column, 0)));
    b->metric = b->metric == b->column.n ? 0 : b->metric;
    snprintf(name, sizeof name, "%.*s", SPAN_ARGS(strings_get(&b->column, b->metric)));
    const peck_status st = metric_list_parse(&list, name, &unused);

    b->is_error = st == PECK_OK && list.item[0].metric->is_error;
    metric_list_free(&list);
    return st == PECK_NOMEM ? fail_memory(err, "names of metrics", 1, 1) : PECK_OK;
}

peck_status boards_open(struct boards *out, const struct peck_page *p,
                        const peck_page_spec *spec, peck_error *err)
{
    struct pool *pool = NULL;

    *out = (struct boards){ 0 };
    TRY(pool_new(&pool, spec->threads, err));
    peck_status st = place_runs(out, p, err);

    for (size_t i = 0; i < out->n && st == PECK_OK; i++) {
        st = gather_values(&out->board[i], err);
        if (st == PECK_OK)
            st = name_standings(&out->board[i], err);
        if (st == PECK_OK)
            st = choose_metric(&out->board[i], spec, err);
        if (st == PECK_OK)
            st = board_rank(&out->board[i], spec, pool, err);
    }
    pool_free(pool);
    return st;
}

void boards_close(struct boards *b)
{
    for (size_t i = 0; i < b->n; i++) {
        mem_free(b->board[i].standing);
        strings_free(&b->board[i].column);
        index_free(&b->board[i].query);
        mem_free(b->board[i].start);
        mem_free(b->board[i].value);
    }
    mem_free(b->board);
}
