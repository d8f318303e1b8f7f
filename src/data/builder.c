/* builder.c -- rows in file order become a dataset grouped by query.
 *
 * Files come in any order of rows; most keep a query's rows together, and then nothing
 * moves.  Otherwise rows are permuted in place, cycle by cycle, with one spare row.  */
#include "dataset.h"

#include "../base/alloc.h"

peck_status builder_check_size(const char *name, size_t n, size_t dim, peck_error *err)
{
    const size_t machine = mem_physical();
    size_t cells, bytes;

    if (!mul_overflow(n, dim, &cells) && !mul_overflow(cells, sizeof(float), &bytes) &&
        (machine == 0 || bytes <= machine))
        return PECK_OK;
    return fail(err, PECK_NOMEM,
                "%s: %zu documents of %zu features need %.1f GB, this machine has %.1f GB; "
                "take fewer features with --features",
                name, n, dim, (double)n * (double)dim * sizeof(float) / 1e9,
                (double)machine / 1e9);
}

/* Grows *array from `from` to `to` elements of `size` bytes, the new ones zero.  A first
 * allocation comes zeroed from the system, without touching the pages. */
static bool widen_array(void *array, size_t from, size_t to, size_t size)
{
    void *held;

    memcpy(&held, array, sizeof held);
    void *const grown = held == NULL ? mem_new(to, size) : mem_resize(held, to, size);

    if (grown == NULL)
        return false;
    if (held != NULL)
        memset((char *)grown + from * size, 0, (to - from) * size);
    memcpy(array, &grown, sizeof grown);
    return true;
}

peck_status builder_rows(struct builder *b, size_t n, peck_error *err)
{
    size_t row;

    if (n > b->cap) {
        const size_t cap = b->cap == 0 ? n : n < b->cap * 2 ? b->cap * 2 : n;

        if (mul_overflow(b->dim > 0 ? b->dim : 1, sizeof *b->x, &row) ||
            !widen_array(&b->x, b->cap, cap, row) ||
            !widen_array(&b->label, b->cap, cap, sizeof *b->label) ||
            (b->has_weights &&
             !widen_array(&b->doc_weight, b->cap, cap, sizeof *b->doc_weight)))
            return fail_memory(err, "the data", cap, b->dim * sizeof *b->x);
        b->cap = cap;
    }
    b->n = n;
    return PECK_OK;
}

peck_status builder_query(struct builder *b, peck_span id, float weight, size_t line,
                          peck_error *err)
{
    if (b->n_runs > 0 && span_equal(b->run[b->n_runs - 1].id, id) &&
        (!b->has_query_weights || b->query_weight[b->n_runs - 1] == weight))
        return PECK_OK;
    if (!mem_reserve(&b->run, &b->cap_runs, b->n_runs + 1, sizeof *b->run) ||
        (b->has_query_weights && !mem_reserve(&b->query_weight, &b->cap_query_weight,
                                              b->n_runs + 1, sizeof *b->query_weight)))
        return fail_memory(err, "the queries", b->n_runs + 1, sizeof *b->run);
    b->run[b->n_runs] = (struct query_run){ id, b->n, line };
    if (b->has_query_weights)
        b->query_weight[b->n_runs] = weight;
    b->n_runs++;
    return PECK_OK;
}

void builder_free(struct builder *b)
{
    mem_free(b->x);
    mem_free(b->label);
    mem_free(b->doc_weight);
    mem_free(b->query_weight);
    strings_free(&b->doc_id);
    mem_free(b->run);
    strings_free(&b->feature_name);
    mem_free(b->missing_in);
    *b = (struct builder){ 0 };
}

/* Grouping ------------------------------------------------------------------------ */

/* The row behind the last one of a run. */
static uint64_t run_end(const struct builder *b, size_t run)
{
    return run + 1 < b->n_runs ? b->run[run + 1].first : b->n;
}

/* Queries are numbered by first appearance: query_of[run], d->start and the weights. */
static peck_status group_runs(struct peck_dataset *d, const struct builder *b,
                              struct index *ids, uint32_t *query_of, peck_error *err)
{
    for (size_t r = 0; r < b->n_runs; r++) {
        const int64_t q = index_put(ids, b->run[r].id);

        if (q < 0)
            return fail_memory(err, d->name, b->n_runs, sizeof(struct query_run));
        query_of[r] = (uint32_t)q;
    }
    d->n_queries = ids->names.n;
    d->start = mem_new(d->n_queries + 1, sizeof *d->start);
    if (d->start == NULL)
        return fail_memory(err, d->name, d->n_queries + 1, sizeof *d->start);
    for (size_t r = 0; r < b->n_runs; r++)
        d->start[query_of[r] + 1] += run_end(b, r) - b->run[r].first;
    for (size_t q = 0; q < d->n_queries; q++) {
        if (d->start[q + 1] > MAX_DOCS_IN_QUERY)
            return fail(err, PECK_FORMAT,
                        "%s: query %.*s has %zu documents; the limit is %d", d->name,
                        SPAN_ARGS(strings_get(&ids->names, q)), (size_t)d->start[q + 1],
                        MAX_DOCS_IN_QUERY);
        d->start[q + 1] += d->start[q];
    }
    if (!b->has_query_weights)
        return PECK_OK;
    d->query_weight = mem_new(d->n_queries, sizeof *d->query_weight);
    if (d->query_weight == NULL)
        return fail_memory(err, d->name, d->n_queries, sizeof *d->query_weight);
    for (size_t r = 0; r < b->n_runs; r++) {
        float *const w = &d->query_weight[query_of[r]];

        if (*w != 0.0f && *w != b->query_weight[r])
            return fail(
                err, PECK_FORMAT,
                "%s:%zu: query %.*s weighs %g here and %g before; give it one weight",
                d->name, b->run[r].line, SPAN_ARGS(b->run[r].id),
                (double)b->query_weight[r], (double)*w);
        *w = b->query_weight[r];
    }
    return PECK_OK;
}

/* Puts element from[to] at `to` for all of n elements of `size` bytes; spare holds one,
 * done n bytes.
 * Each cycle of the permutation moves its rows by one place: every row is copied once. */
static void permute_rows(void *array, size_t size, const uint64_t *from, size_t n,
                         char *spare, unsigned char *done)
{
    char *const a = array;

    memset(done, 0, n);
    for (size_t i = 0; i < n; i++) {
        if (done[i] || from[i] == i)
            continue;
        size_t to = i;

        memcpy(spare, a + i * size, size);
        for (; from[to] != i; to = from[to]) {
            memcpy(a + to * size, a + from[to] * size, size);
            done[to] = 1;
        }
        memcpy(a + to * size, spare, size);
        done[to] = 1;
    }
}

/* Brings the rows of every query together; d->file_row[to] = from says how. */
static peck_status gather_rows(struct peck_dataset *d, const uint32_t *query_of,
                               struct builder *b, struct arena *a, peck_error *err)
{
    const size_t row = b->dim * sizeof *b->x;
    uint64_t *const place = arena_new(a, d->name, d->n_queries, sizeof *place);
    char *const spare = arena_new(a, d->name, row + sizeof(float), 1);
    unsigned char *const done = arena_new(a, d->name, b->n, 1);
    struct strings moved = { 0 };

    TRY(arena_check(a, err));
    d->file_row = mem_new(b->n, sizeof *d->file_row);
    if (d->file_row == NULL)
        return fail_memory(err, d->name, b->n, sizeof *d->file_row);
    /* place[q]: where the next row of query q goes.  Rows of a query keep their order. */
    memcpy(place, d->start, d->n_queries * sizeof *place);
    for (size_t r = 0; r < b->n_runs; r++)
        for (uint64_t from = b->run[r].first; from < run_end(b, r); from++)
            d->file_row[place[query_of[r]]++] = from;
    if (b->doc_id.n > 0) {
        bool fits = strings_reserve(&moved, b->n, b->doc_id.at[b->n]);

        for (size_t i = 0; i < b->n && fits; i++)
            fits = strings_add(&moved, strings_get(&b->doc_id, d->file_row[i]));
        strings_free(&b->doc_id);
        b->doc_id = moved;
        if (!fits)
            return fail_memory(err, d->name, b->n, row);
    }
    permute_rows(b->x, row, d->file_row, b->n, spare, done);
    permute_rows(b->label, sizeof *b->label, d->file_row, b->n, spare, done);
    if (b->doc_weight != NULL)
        permute_rows(b->doc_weight, sizeof *b->doc_weight, d->file_row, b->n, spare, done);
    return PECK_OK;
}

/* Rows move only where a query comes in more than one run. */
peck_status builder_finish(struct peck_dataset **out, struct builder *b, const char *name,
                           const char *reader, peck_error *err)
{
    struct peck_dataset *d = dataset_new(name);
    struct arena a = { 0 };
    uint32_t *const query_of = arena_new(&a, name, b->n_runs, sizeof *query_of);
    struct index ids = { 0 };
    peck_status st = d == NULL   ? fail_memory(err, name, 1, sizeof *d)
                     : b->n == 0 ? fail(err, PECK_FORMAT,
                                        "%s: is empty; there is no document in it", name)
                                 : arena_check(&a, err);

    if (st == PECK_OK)
        st = group_runs(d, b, &ids, query_of, err);
    if (st == PECK_OK && d->n_queries < b->n_runs)
        st = gather_rows(d, query_of, b, &a, err);
    arena_free(&a);
    if (st == PECK_OK) { /* the builder's arrays become the dataset's */
        d->n_docs = b->n;
        d->dim = b->dim;
        d->x = d->x_owned = b->x;
        d->label = b->label;
        d->doc_weight = b->doc_weight;
        d->doc_id = b->doc_id;
        d->feature_name = b->feature_name;
        d->n_missing = b->n_missing;
        d->missing_in = b->missing_in;
        d->keeps_missing = b->keeps_missing;
        d->is_checked = !b->keeps_missing;
        d->query_id = ids.names;
        d->reader = reader;
        dataset_count_labels(d);
        b->x = b->label = b->doc_weight = NULL;
        b->doc_id = b->feature_name = ids.names = (struct strings){ 0 };
        b->missing_in = NULL;
    } else {
        peck_dataset_free(d);
    }
    index_free(&ids);
    builder_free(b);
    *out = st == PECK_OK ? d : NULL;
    return st;
}
