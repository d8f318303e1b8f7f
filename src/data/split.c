/* split.c -- folds and hold-outs by query, seeded.
 *
 * The queries are shuffled (Fisher and Yates) once per seed and dealt round robin, so
 * the parts of all folds come from the same deal: the test parts partition the data.
 * A part keeps the dataset's order of queries.                                      */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/rng.h"

/* Streams of the seed, so that a fold and a hold-out of it do not share a shuffle. */
enum { STREAM_FOLD = 1, STREAM_HOLDOUT = 2 };

/* Of a fold. */
enum part { PART_TRAIN, PART_VALID, PART_TEST, N_PARTS };

/* A seeded permutation of the queries; NULL: no memory. */
static uint32_t *shuffle_queries(size_t n, uint64_t seed, uint64_t stream)
{
    uint32_t *const query = mem_new(n, sizeof *query);
    struct rng rng;

    if (query == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        query[i] = (uint32_t)i;
    rng_seed(&rng, seed, stream);
    rng_shuffle(&rng, query, n);
    return query;
}

peck_status dataset_take_marked(struct peck_dataset **out, const struct peck_dataset *d,
                                const bool *mark, bool wanted, peck_error *err)
{
    uint32_t *const query = mem_new(d->n_queries, sizeof *query);
    size_t n = 0;

    if (query == NULL)
        return fail_memory(err, d->name, d->n_queries, sizeof *query);
    for (size_t q = 0; q < d->n_queries; q++)
        if (mark[q] == wanted)
            query[n++] = (uint32_t)q;
    const peck_status st = dataset_take(out, d, query, n, err);

    mem_free(query);
    return st;
}

/* Queries are dealt to n_folds hands: those of hand `fold` are its test part, those of the
 * next one valid (with 3 folds or more), the others train. */
peck_status peck_dataset_fold(peck_dataset **out, const peck_dataset *d, size_t n_folds,
                              size_t fold, const char *part, uint64_t seed, peck_error *err)
{
    static const char *const parts[N_PARTS] = { "train", "valid", "test" };
    size_t wanted = 0;

    *out = NULL;
    if (n_folds < 2)
        return fail(err, PECK_ARG, "%zu folds make no split; take 2 or more", n_folds);
    if (fold >= n_folds)
        return fail(err, PECK_ARG, "fold %zu of %zu does not exist; folds count from 0",
                    fold, n_folds);
    if (n_folds > d->n_queries)
        return fail(err, PECK_SHAPE, "%s: %zu folds of %zu queries would leave some empty",
                    d->name, n_folds, d->n_queries);
    while (wanted < N_PARTS && strcmp(part, parts[wanted]) != 0)
        wanted++;
    if (wanted == N_PARTS) {
        const char *const near = peck_nearest(part, parts, N_PARTS);

        return fail(err, PECK_ARG,
                    "a fold has no part '%.60s'%s%s%s; it has train, valid and test", part,
                    near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
    }
    if (wanted == PART_VALID && n_folds == 2)
        return fail(err, PECK_ARG, "with 2 folds there is no part 'valid'; take 3 or more");
    uint32_t *const dealt = shuffle_queries(d->n_queries, seed, STREAM_FOLD);
    bool *const mark = mem_new(d->n_queries, sizeof *mark);
    const size_t next = n_folds > 2 ? (fold + 1) % n_folds : n_folds;
    peck_status st = dealt != NULL && mark != NULL
                         ? PECK_OK
                         : fail_memory(err, d->name, d->n_queries, sizeof *dealt);

    for (size_t i = 0; st == PECK_OK && i < d->n_queries; i++) {
        const size_t hand = i % n_folds;

        mark[dealt[i]] = wanted == (hand == fold   ? PART_TEST
                                    : hand == next ? PART_VALID
                                                   : PART_TRAIN);
    }
    if (st == PECK_OK)
        st = dataset_take_marked(out, d, mark, true, err);
    mem_free(dealt);
    mem_free(mark);
    return st;
}

peck_status dataset_mark_holdout(const struct peck_dataset *d, double share, uint64_t seed,
                                 bool *is_held, peck_error *err)
{
    const size_t n = d->n_queries;

    if (!(share > 0 && share < 1))
        return fail(err, PECK_ARG,
                    "a hold-out of %g of the queries is none; it must lie "
                    "between 0 and 1",
                    share);
    if (n < 2)
        return fail(err, PECK_SHAPE, "%s: a hold-out needs at least 2 queries", d->name);
    size_t n_held = (size_t)(share * (double)n + 0.5);

    n_held = n_held < 1 ? 1 : n_held > n - 1 ? n - 1 : n_held;
    uint32_t *const dealt = shuffle_queries(n, seed, STREAM_HOLDOUT);

    if (dealt == NULL)
        return fail_memory(err, d->name, n, sizeof *dealt);
    memset(is_held, 0, n * sizeof *is_held);
    for (size_t i = 0; i < n_held; i++)
        is_held[dealt[i]] = true;
    mem_free(dealt);
    return PECK_OK;
}

peck_status peck_dataset_holdout(peck_dataset **kept, peck_dataset **held,
                                 const peck_dataset *d, double share, uint64_t seed,
                                 peck_error *err)
{
    bool *const is_held = mem_new(d->n_queries, sizeof *is_held);

    *kept = *held = NULL;
    peck_status st = is_held != NULL
                         ? dataset_mark_holdout(d, share, seed, is_held, err)
                         : fail_memory(err, d->name, d->n_queries, sizeof *is_held);

    if (st == PECK_OK)
        st = dataset_take_marked(kept, d, is_held, false, err);
    if (st == PECK_OK)
        st = dataset_take_marked(held, d, is_held, true, err);
    if (st != PECK_OK) {
        peck_dataset_free(*kept);
        *kept = NULL;
    }
    mem_free(is_held);
    return st;
}
