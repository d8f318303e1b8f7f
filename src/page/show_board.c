/* show_board.c -- runs that were judged on the same queries, side by side, and how they stand:
 * means, their intervals, and whether the best one is better than the others by more than luck.
 *
 * Tests are those of `peck compare` (metric/signif.h), each run against the best.       */
#include "show.h"

#include "../base/alloc.h"
#include "../base/pool.h"

#include <math.h>
#include <stddef.h>

enum { MAX_RESAMPLES = 10000000 };

/* Which runs belong together ------------------------------------------------------------ */

/* "FOLD ID" in `room`; n = 0: no memory. */
static peck_span query_key(struct text *room, size_t fold, peck_span id)
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
        const struct fold_values *const j = &r->judged[i];

        for (size_t q = 0; q < j->query.n; q++) {
            const peck_span id = strings_get(&j->query, q);
            const size_t before = x->names.n;

            if (index_put(x, query_key(room, j->fold, id)) < 0 || room->failed)
                return fail_memory(err, "names of queries", j->query.n, id.n);
            if (x->names.n == before)
                return fail(err, PECK_FORMAT, "%.300s: query '%.*s' has two lines", r->path,
                            SPAN_ARGS(id));
        }
    }
    return PECK_OK;
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

/* Whether this run has the board's queries, and by the same labels, as far as runs say:
 * generated data calls its queries 1, 2, 3, ..., so names alone do not tell test data apart. */
static bool board_takes(const struct board *b, const struct show_run *r,
                        const struct index *queries)
{
    for (size_t i = 0; i < b->n_runs; i++) {
        const struct show_run *const other = b->standing[i].run;

        for (size_t k = 0; k < other->n_judged; k++) {
            const peck_span theirs = labels_of(other, other->judged[k].fold),
                            own = labels_of(r, other->judged[k].fold);

            if (theirs.n > 0 && own.n > 0 && !span_equal(theirs, own))
                return false;
        }
    }
    bool is_same = b->query.names.n == queries->names.n;

    for (size_t i = 0; is_same && i < queries->names.n; i++)
        is_same = index_find(queries, strings_get(&b->query.names, i)) >= 0;
    return is_same;
}

/* Every run that was judged joins the first board that takes it, or opens one. */
static peck_status place_runs(struct boards *all, const struct peck_page *p,
                              peck_error *err)
{
    struct text room;
    peck_status st = PECK_OK;

    text_init(&room, SIZE_MAX / 2);
    for (size_t i = 0; i < p->n_runs && st == PECK_OK; i++) {
        const struct show_run *const r = &p->run[i];
        struct index x = { 0 };
        size_t at = 0;

        if (r->n_judged == 0)
            continue;
        st = index_queries(&x, r, &room, err);
        while (st == PECK_OK && at < all->n && !board_takes(&all->board[at], r, &x))
            at++;
        if (st == PECK_OK && at == all->n) { /* a new one, which takes x */
            struct board *const more =
                mem_resize(all->board, all->n + 1, sizeof *all->board);

            if (more != NULL) {
                all->board = more;
                all->board[all->n++] = (struct board){ .query = x };
                x = (struct index){ 0 };
            }
        }
        if (st == PECK_OK) {
            struct board *const b = at < all->n ? &all->board[at] : NULL;
            struct standing *const more =
                b != NULL ? mem_resize(b->standing, b->n_runs + 1, sizeof *more) : NULL;

            if (more == NULL)
                st = fail_memory(err, "runs", p->n_runs, sizeof *all->board);
            else {
                b->standing = more;
                more[b->n_runs] = (struct standing){ .run = r, .at = b->n_runs };
                b->n_runs++;
            }
        }
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

size_t board_run(const struct board *b, const char *name)
{
    size_t i = 0;

    while (i < b->n_runs && (name == NULL || (strcmp(b->standing[i].run->name, name) != 0 &&
                                              strcmp(b->standing[i].run->path, name) != 0)))
        i++;
    return i;
}

size_t board_column(const struct board *b, const char *name)
{
    return find_string(&b->column, span_of(name));
}

/* The columns that every run has in every fold; false: no memory. */
static bool gather_columns(struct board *b)
{
    const struct strings *const first = &b->standing[0].run->judged[0].column;

    for (size_t c = 0; c < first->n; c++) {
        const peck_span name = strings_get(first, c);
        bool have_all = true;

        for (size_t i = 0; i < b->n_runs; i++) {
            const struct show_run *const r = b->standing[i].run;

            for (size_t k = 0; k < r->n_judged; k++)
                have_all &= find_string(&r->judged[k].column, name) < r->judged[k].column.n;
        }
        if (have_all && !strings_add(&b->column, name))
            return false;
    }
    return true;
}

/* A run's values, where the board has its queries and columns. */
static void copy_values(struct board *b, const struct standing *s, struct text *room)
{
    for (size_t i = 0; i < s->run->n_judged; i++) {
        const struct fold_values *const j = &s->run->judged[i];

        for (size_t q = 0; q < j->query.n; q++) {
            const int64_t at =
                index_find(&b->query, query_key(room, j->fold, strings_get(&j->query, q)));
            double *const to = b->value + (s->at * b->n_queries + (size_t)at) * b->column.n;

            for (size_t c = 0; at >= 0 && c < b->column.n; c++)
                to[c] = j->value[q * j->column.n +
                                 find_string(&j->column, strings_get(&b->column, c))];
        }
    }
}

/* Columns, folds and values of the runs of a board. */
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

double board_value(const struct board *b, size_t at, size_t q, size_t column)
{
    return b->value[(at * b->n_queries + q) * b->column.n + column];
}

/* Whether every run has a value of this query in this column. */
static bool has_all_values(const struct board *b, size_t q, size_t column)
{
    for (size_t i = 0; i < b->n_runs; i++)
        if (isnan(board_value(b, i, q, column)))
            return false;
    return true;
}

/* The mean over folds f of (1 / n_f) sum over its kept queries of their values: every fold
 * counts the same, however many queries it has. */
double board_mean(const struct board *b, size_t at, size_t column)
{
    double sum = 0;
    size_t n_folds = 0;

    for (size_t f = 0; f < b->n_folds; f++) {
        double part = 0;
        size_t n = 0;

        for (size_t q = b->start[f]; q < b->start[f + 1]; q++)
            if (has_all_values(b, q, column)) {
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

/* The column that ranks. */
static peck_status choose_metric(struct board *b, const peck_page_spec *spec,
                                 peck_error *err)
{
    b->metric = board_column(b, spec->metric != NULL ? spec->metric : PECK_DEFAULT_METRIC);
    if (b->metric == b->column.n && spec->metric != NULL)
        return fail(err, PECK_ARG,
                    "%.200s: was not judged by %.60s; its metrics begin "
                    "with '%.*s'",
                    b->standing[0].run->path, spec->metric,
                    SPAN_ARGS(strings_get(&b->column, 0)));
    b->metric = b->metric == b->column.n ? 0 : b->metric;
    return PECK_OK;
}

/* How they stand --------------------------------------------------------------------------- */

/* A run's values of the kept queries. */
static void gather_kept(double *to, const struct board *b, size_t at)
{
    for (size_t q = 0; q < b->n_queries; q++)
        if (has_all_values(b, q, b->metric))
            *to++ = board_value(b, at, q, b->metric);
}

/* Room for one comparison, and the draws of its tests. */
struct testing {
    double *mine, *difference; /* of the kept queries */
    double *p, *holm;          /* [n_runs] */
    size_t *start, n_folds;    /* folds with kept queries; where they start */
    size_t resamples;
    uint64_t seed;
    struct pool *pool;
};

/* Every run beside that of standing `other`, into the versus at this place of a standing. */
static peck_status compare_with(struct board *b, const struct testing *t, size_t other,
                                size_t place, peck_error *err)
{
    const struct sample gap = { t->difference, NULL, t->start, t->n_folds };

    gather_kept(t->mine, b, b->standing[other].at);
    for (size_t i = 0; i < b->n_runs; i++) {
        struct run_versus *const v = (struct run_versus *)((char *)&b->standing[i] + place);

        *v = (struct run_versus){ 0, { (double)NAN, (double)NAN }, (double)NAN };
        t->p[i] = (double)NAN;
        if (i == other)
            continue;
        gather_kept(t->difference, b, b->standing[i].at);
        for (size_t q = 0; q < b->n_kept; q++)
            t->difference[q] -= t->mine[q];
        v->difference = sample_mean(&gap);
        TRY(bootstrap_interval(&v->between, &gap, t->resamples, t->seed, t->pool, err));
        TRY(randomisation_p(&t->p[i], &gap, t->resamples, t->seed, t->pool, err));
    }
    holm_correct(t->holm, t->p, b->n_runs);
    for (size_t i = 0; i < b->n_runs; i++)
        ((struct run_versus *)((char *)&b->standing[i] + place))->p = t->holm[i];
    return PECK_OK;
}

/* Best first; those that came first before their equals. */
static void sort_standings(struct board *b)
{
    for (size_t i = 1; i < b->n_runs; i++) {
        const struct standing s = b->standing[i];
        size_t at = i;

        for (; at > 0 && (b->is_error ? b->standing[at - 1].mean > s.mean
                                      : b->standing[at - 1].mean < s.mean);
             at--)
            b->standing[at] = b->standing[at - 1];
        b->standing[at] = s;
    }
}

/* Fills the standings and sorts them; then each beside the best, and beside the baseline. */
static peck_status rank_standings(struct board *b, const peck_page_spec *spec,
                                  struct pool *pool, struct arena *a, peck_error *err)
{
    static const char *const what = "values per query";
    struct testing t = {
        .mine = arena_new(a, what, b->n_queries, sizeof *t.mine),
        .difference = arena_new(a, what, b->n_queries, sizeof *t.difference),
        .p = arena_new(a, what, b->n_runs, sizeof *t.p),
        .holm = arena_new(a, what, b->n_runs, sizeof *t.holm),
        .start = arena_new(a, what, b->n_folds + 1, sizeof *t.start),
        .resamples = spec->resamples > 0 ? spec->resamples : PECK_DEFAULT_RESAMPLES,
        .seed = spec->seed,
        .pool = pool,
    };

    if (t.resamples > MAX_RESAMPLES)
        return fail(err, PECK_ARG, "%zu resamples: give 1 to %d", t.resamples,
                    MAX_RESAMPLES);
    TRY(arena_check(a, err));

    /* Queries that every run has a value for. */
    for (size_t f = 0; f < b->n_folds; f++) {
        t.start[t.n_folds] = b->n_kept;
        for (size_t q = b->start[f]; q < b->start[f + 1]; q++)
            b->n_kept += has_all_values(b, q, b->metric);
        t.n_folds += b->n_kept > t.start[t.n_folds];
    }
    t.start[t.n_folds] = b->n_kept;
    if (b->n_kept == 0)
        return fail(err, PECK_SHAPE, "%.200s: no query has a value in every run",
                    b->standing[0].run->path);

    /* Means, by which the runs are sorted. */
    for (size_t i = 0; i < b->n_runs; i++) {
        const struct sample own = { t.mine, NULL, t.start, t.n_folds };
        struct standing *const s = &b->standing[i];

        gather_kept(t.mine, b, s->at);
        s->mean = sample_mean(&own);
        TRY(bootstrap_interval(&s->interval, &own, t.resamples, t.seed, pool, err));
    }
    const struct metric *const known = metric_find(strings_get(&b->column, b->metric));

    b->is_error = known != NULL && known->is_error; /* of others the largest is best */
    sort_standings(b);
    for (size_t i = 0; i < b->n_runs; i++)
        b->standing[i].colour = b->n_runs <= PLOT_COLOURS ? b->standing[i].at
                                : i < PLOT_COLOURS        ? i
                                                          : PLOT_REST;
    b->baseline = board_run(b, spec->baseline);
    for (size_t i = 0; b->baseline == b->n_runs; i++)
        if (b->standing[i].at == 0)
            b->baseline = i;
    TRY(compare_with(b, &t, 0, offsetof(struct standing, best), err));
    if (b->baseline > 0)
        TRY(compare_with(b, &t, b->baseline, offsetof(struct standing, baseline), err));
    return PECK_OK;
}

/* Runs find their boards; then each board by itself: values, names, metric, standings. */
peck_status boards_open(struct boards *out, struct peck_page *p, const peck_page_spec *spec,
                        peck_error *err)
{
    struct watch watch = { .progress = spec->progress, .ctx = spec->ctx };
    struct pool *pool = NULL;

    *out = (struct boards){ 0 };
    TRY(pool_new(&pool, spec->threads, err));
    peck_status st = place_runs(out, p, err);

    for (size_t i = 0; i < out->n && st == PECK_OK; i++) {
        struct board *const b = &out->board[i];
        struct arena a = { 0 };
        const char **const path = arena_new(&a, "names of runs", b->n_runs, sizeof *path);

        st = gather_values(b, err);
        if (st == PECK_OK)
            st = arena_check(&a, err);
        /* Names as short as the board allows: a folder that all runs lie in says nothing. */
        for (size_t k = 0; st == PECK_OK && k < b->n_runs; k++)
            path[k] = b->standing[k].run->path;
        for (size_t k = 0; st == PECK_OK && k < b->n_runs; k++)
            b->standing[k].name = show_short_name(path, b->n_runs, k);
        if (st == PECK_OK)
            st = choose_metric(b, spec, err);
        if (st == PECK_OK)
            st = rank_standings(b, spec, pool, &a, err);
        for (size_t k = 0; st == PECK_OK && k < b->n_runs; k++)
            p->run[b->standing[k].run - p->run].mark = 1 + b->standing[k].colour;
        if (st == PECK_OK)
            st = watch_step(&watch, i + 1, out->n, err);
        arena_free(&a);
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
