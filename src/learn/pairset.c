/* pairset.c -- see pairset.h. */
#include "pairset.h"

#include "../base/alloc.h"
#include "../base/pool.h"
#include "../base/rng.h"

enum {
    WORD = 64,
    SHARD = 16 /* queries of a task */
};

/* Pairs by label in which the document at this place is the better one. */
static uint32_t run_of(const struct train_set *l, size_t place)
{
    return l->until[place] > l->below[place] ? l->until[place] - l->below[place] : 0;
}

peck_status pairset_open(struct pairset *s, const struct train_set *l, peck_error *err)
{
    struct arena *const a = &s->arena;

    *s = (struct pairset){ .train_set = l };
    s->start = arena_new(a, "pairs", l->n_queries + 1, sizeof *s->start);
    s->n_pairs = arena_new(a, "pairs", l->n_queries, sizeof *s->n_pairs);
    s->count = arena_new(a, "pairs", l->n_queries, sizeof *s->count);
    if (l->pair_start == NULL)
        s->before = arena_new(a, "pairs", l->n_docs, sizeof *s->before);
    TRY(arena_check(a, err));
    for (size_t q = 0; q < l->n_queries; q++) {
        const size_t first = (size_t)l->start[q];
        uint64_t n = 0;

        for (size_t i = first; s->before != NULL && i < l->start[q + 1]; i++) {
            s->before[i] = n;
            n += i - first < l->plan[q].n_judged ? run_of(l, i) : 0;
        }
        s->n_pairs[q] = s->before != NULL ? n : l->pair_start[q + 1] - l->pair_start[q];
        s->start[q + 1] = s->start[q] + (s->n_pairs[q] + WORD - 1) / WORD;
    }
    s->bit = arena_new(a, "pairs", (size_t)s->start[l->n_queries], sizeof *s->bit);
    return arena_check(a, err);
}

static void pairset_add(struct pairset *s, size_t q, uint64_t number)
{
    s->bit[s->start[q] + number / WORD] |= UINT64_C(1) << number % WORD;
}

static bool pairset_has(const struct pairset *s, size_t q, uint64_t number)
{
    return s->bit[s->start[q] + number / WORD] >> number % WORD & 1;
}

/* The first of a query's listed pairs that is not before (i, j). */
static uint64_t pairset_find(const struct train_set *l, size_t q, uint32_t i, uint32_t j)
{
    uint64_t lo = l->pair_start[q], hi = l->pair_start[q + 1];

    while (lo < hi) {
        const uint64_t mid = lo + (hi - lo) / 2;
        const struct pair *const p = &l->pair[mid];

        if (p->i < i || (p->i == i && p->j < j))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void pairset_add_wrong(struct pairset *s, size_t q, peck_duel duel, float lead)
{
    const struct train_set *const l = s->train_set;
    const bool is_turned = duel.i > duel.j;
    const uint32_t i = is_turned ? duel.j : duel.i, j = is_turned ? duel.i : duel.j;
    const float ahead = is_turned ? -lead : lead; /* of i, which labels never put last */

    if (l->pair_start == NULL) {
        const size_t place = (size_t)l->start[q] + i;

        if (ahead < 0.0f && i < l->plan[q].n_judged && j >= l->below[place] &&
            j < l->until[place])
            pairset_add(s, q, s->before[place] + (j - l->below[place]));
        return;
    }
    for (uint64_t t = pairset_find(l, q, i, j); t < l->pair_start[q + 1]; t++) {
        if (l->pair[t].i != i || l->pair[t].j != j)
            break;
        if ((l->pair[t].probability - 0.5f) * ahead < 0.0f)
            pairset_add(s, q, t - l->pair_start[q]);
    }
}

/* What is done with each query, and what it is told. */
struct pairset_job {
    struct pairset *set;
    void (*query)(const struct pairset_job *j, size_t q);
    uint64_t seed;
    bool in_data_order;
    struct train_set *to;
};

static void do_queries(void *ctx, size_t shard, int worker)
{
    const struct pairset_job *const j = ctx;
    const size_t n = j->set->train_set->n_queries;

    (void)worker;
    for (size_t q = shard * SHARD; q < n && q < (shard + 1) * SHARD; q++)
        j->query(j, q);
}

static void each_query(struct pairset_job job)
{
    const size_t n = (job.set->train_set->n_queries + SHARD - 1) / SHARD;

    if (job.set->pool != NULL)
        pool_run(job.set->pool, n, do_queries, &job);
    else
        for (size_t i = 0; i < n; i++)
            do_queries(&job, i, 0);
}

static void draw_query(const struct pairset_job *j, size_t q)
{
    struct pairset *const s = j->set;
    const uint64_t n = s->n_pairs[q], n_drawn = s->train_set->plan[q].n_sampled;
    struct rng r;

    rng_seed(&r, j->seed, q);
    for (uint64_t t = 0; n > 0 && t < n_drawn; t++)
        pairset_add(s, q, rng_below(&r, n));
    for (uint64_t t = 0; n_drawn == 0 && t < n; t++)
        pairset_add(s, q, t);
}

void pairset_draw(struct pairset *s, uint64_t seed)
{
    each_query((struct pairset_job){ .set = s, .query = draw_query, .seed = seed });
}

bool pairset_is_sound(const struct pairset *s)
{
    for (size_t q = 0; q < s->train_set->n_queries; q++) {
        const uint64_t rest = s->n_pairs[q] % WORD;

        if (rest > 0 && s->bit[s->start[q + 1] - 1] >> rest != 0)
            return false;
    }
    return true;
}

static void count_query(const struct pairset_job *j, size_t q)
{
    struct pairset *const s = j->set;
    uint64_t n = 0;

    for (uint64_t i = s->start[q]; i < s->start[q + 1]; i++)
        for (uint64_t word = s->bit[i]; word != 0; word &= word - 1)
            n++;
    s->count[q] = n;
}

uint64_t pairset_count(struct pairset *s)
{
    uint64_t n = 0;

    each_query((struct pairset_job){ .set = s, .query = count_query });
    for (size_t q = 0; q < s->train_set->n_queries; q++)
        n += s->count[q];
    return n;
}

peck_status pairset_share(struct pairset *s, const struct peck_dataset *d, peck_error *err)
{
    const size_t ranks = comm_ranks(d->comm);

    if (!comm_is_shared(d->comm))
        return PECK_OK;
    size_t *const first = mem_new(ranks + 1, sizeof *first);

    if (first == NULL)
        return fail_memory(err, "what ranks exchange", ranks + 1, sizeof *first);
    for (size_t i = 0; i <= ranks; i++)
        first[i] = (size_t)s->start[d->share[i]];
    const peck_status st = comm_share(d->comm, s->bit, first, sizeof *s->bit, err);

    mem_free(first);
    return st;
}

/* The pairs of query q that are in the set, to their place in the list. */
static void list_query(const struct pairset_job *j, size_t q)
{
    const struct pairset *const s = j->set;
    const struct train_set *const l = s->train_set;
    struct train_set *const to = j->to;
    const size_t first = (size_t)l->start[q];
    const uint32_t *const from = l->from + first;
    const float *const weight = l->doc_weight != NULL ? l->doc_weight + first : NULL;
    uint64_t at = to->pair_start[q];

    for (uint64_t k = 0; l->pair_start != NULL && k < s->n_pairs[q]; k++)
        if (pairset_has(s, q, k))
            to->pair[at++] = l->pair[l->pair_start[q] + k];
    for (uint32_t i = 0; l->pair_start == NULL && i < l->plan[q].n_judged; i++) {
        const uint64_t begin = s->before[first + i], end = begin + run_of(l, first + i);

        for (uint64_t k = begin; k < end; k++) {
            const uint32_t below = l->below[first + i] + (uint32_t)(k - begin);

            if (pairset_has(s, q, k))
                to->pair[at++] =
                    (struct pair){ i, below, 1.0f,
                                   weight != NULL ? weight[i] * weight[below] : 1.0f };
            else if (s->bit[s->start[q] + k / WORD] == 0)
                k |= WORD - 1; /* most words of a long list are empty */
        }
    }
    for (uint64_t t = to->pair_start[q]; j->in_data_order && t < at; t++) {
        to->pair[t].i = from[to->pair[t].i];
        to->pair[t].j = from[to->pair[t].j];
    }
    train_set_scale_pairs(to, q);
}

peck_status pairset_list(struct pairset *s, bool in_data_order, struct train_set *to,
                         peck_error *err)
{
    const size_t n = (size_t)pairset_count(s);

    if (!mem_reserve(&to->pair, &to->pair_cap, n, sizeof *to->pair))
        return fail_memory(err, "pairs", n, sizeof *to->pair);
    to->pair_start[0] = 0;
    for (size_t q = 0; q < s->train_set->n_queries; q++)
        to->pair_start[q + 1] = to->pair_start[q] + s->count[q];
    each_query((struct pairset_job){
        .set = s, .query = list_query, .in_data_order = in_data_order, .to = to });
    return PECK_OK;
}

void pairset_close(struct pairset *s)
{
    arena_free(&s->arena);
    *s = (struct pairset){ 0 };
}
