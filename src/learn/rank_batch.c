/* rank_batch.c -- see rank_batch.h. */
#include "rank_batch.h"

#include "../base/alloc.h"

/* A query whose rows go elsewhere, and where they lie in what is sent. */
struct sent_query {
    uint32_t query;
    size_t at;
};

/* Behind a shard's slice: its loss and its penalty, as floats that nobody looks at. */
enum { TAIL = 2 * sizeof(double) / sizeof(float) };

peck_status rank_batch_open(struct rank_batch *r, const struct train_data *data,
                            size_t n_weights, size_t max_queries, size_t max_shards,
                            struct pool *pool, peck_error *err)
{
    const size_t ranks = comm_ranks(data->comm);
    const char *const what = "what ranks exchange";
    struct arena *const a = &r->arena;

    *r = (struct rank_batch){ .data = data, .pool = pool, .n_weights = n_weights };
    r->slice = arena_new(a, what, ranks + 1, sizeof *r->slice);
    r->load = arena_new(a, what, ranks, sizeof *r->load);
    r->n_send = arena_new(a, what, ranks, sizeof *r->n_send);
    r->n_got = arena_new(a, what, ranks, sizeof *r->n_got);
    r->at = arena_new(a, what, ranks, sizeof *r->at);
    r->row = arena_new(a, what, max_queries, sizeof *r->row);
    r->sent = arena_new(a, what, max_queries, sizeof *r->sent);
    r->piece = arena_new(a, what, max_shards, sizeof *r->piece);
    r->room = arena_new(a, what, (size_t)pool_size(pool) * train_data_room(data),
                        sizeof *r->room);
    TRY(arena_check(a, err));
    for (size_t i = 0; i <= ranks; i++)
        r->slice[i] = comm_part(data->comm, n_weights, i);
    return PECK_OK;
}

/* The largest shard first, each to the rank that has least to do. */
static void deal_shards(struct rank_batch *r, const struct cut_batch *b)
{
    const size_t ranks = comm_ranks(r->data->comm);

    memset(r->load, 0, ranks * sizeof *r->load);
    for (size_t i = 0; i < b->n_shards; i++) {
        struct gradient_shard *const shard = &b->shard[b->turn[i]];
        size_t least = 0;

        for (size_t k = 1; k < ranks; k++)
            least = r->load[k] < r->load[least] ? k : least;
        shard->rank = least;
        r->load[least] += shard->load;
    }
}

/* The rank that has the features of a query. */
static size_t owner_of(const struct peck_dataset *d, uint32_t query)
{
    size_t low = 0, high = comm_ranks(d->comm) - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (query < d->share[middle + 1])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static size_t docs_of(const struct train_data *c, uint32_t query)
{
    return (size_t)(c->train_set->start[query + 1] - c->train_set->start[query]);
}

static void add_up(size_t *at, const size_t *bytes, size_t ranks)
{
    size_t sum = 0;

    for (size_t i = 0; i < ranks; i++) {
        at[i] = sum;
        sum += bytes[i] / sizeof(float);
    }
}

static peck_status reserve_floats(float **to, size_t *cap, const size_t *bytes,
                                  size_t ranks, peck_error *err)
{
    size_t n = 1;

    for (size_t i = 0; i < ranks; i++)
        n += bytes[i] / sizeof(float);
    return mem_reserve(to, cap, n, sizeof **to)
               ? PECK_OK
               : fail_memory(err, "what ranks exchange", n, sizeof **to);
}

static void copy_sent(void *ctx, size_t i, int worker)
{
    const struct rank_batch *const r = ctx;
    const struct sent_query *const s = &r->sent[i];
    const struct rows x = train_data_query(
        r->data, s->query, r->room + (size_t)worker * train_data_room(r->data));

    memcpy(r->send + s->at, x.x, x.n * x.dim * sizeof *x.x);
}

peck_status rank_batch_deal(struct rank_batch *r, const struct cut_batch *b,
                            peck_error *err)
{
    const struct train_data *const c = r->data;
    const size_t ranks = comm_ranks(c->comm), rank = comm_rank(c->comm);

    deal_shards(r, b);
    memset(r->n_send, 0, ranks * sizeof *r->n_send);
    memset(r->n_got, 0, ranks * sizeof *r->n_got);
    for (size_t k = 0; k < b->n_shards; k++)
        for (size_t i = b->shard[k].first; i < b->shard[k].last; i++) {
            const size_t from = owner_of(c->data, b->query[i]), to = b->shard[k].rank;
            const size_t bytes = docs_of(c, b->query[i]) * c->dim * sizeof(float);

            if (from == rank && to != rank)
                r->n_send[to] += bytes;
            if (to == rank && from != rank)
                r->n_got[from] += bytes;
        }
    TRY(reserve_floats(&r->send, &r->cap_send, r->n_send, ranks, err));
    TRY(reserve_floats(&r->rows, &r->cap_rows, r->n_got, ranks, err));
    /* What a rank sends to another lies there in the order of the batch. */
    r->n_sent = 0;
    add_up(r->at, r->n_send, ranks);
    for (size_t k = 0; k < b->n_shards; k++)
        for (size_t i = b->shard[k].first; i < b->shard[k].last; i++)
            if (b->shard[k].rank != rank && owner_of(c->data, b->query[i]) == rank) {
                r->sent[r->n_sent++] =
                    (struct sent_query){ b->query[i], r->at[b->shard[k].rank] };
                r->at[b->shard[k].rank] += docs_of(c, b->query[i]) * c->dim;
            }
    add_up(r->at, r->n_got, ranks);
    for (size_t k = 0; k < b->n_shards; k++)
        for (size_t i = b->shard[k].first; i < b->shard[k].last; i++) {
            const size_t from = owner_of(c->data, b->query[i]);

            if (b->shard[k].rank != rank)
                continue;
            r->row[i] = from == rank ? SIZE_MAX : r->at[from];
            if (from != rank)
                r->at[from] += docs_of(c, b->query[i]) * c->dim;
        }
    if (c->x == NULL) /* rows are made, not copied */
        pool_run(r->pool, r->n_sent, copy_sent, r);
    else
        for (size_t i = 0; i < r->n_sent; i++)
            copy_sent(r, i, 0);
    return comm_exchange(c->comm, r->send, r->n_send, r->rows, r->n_got, err);
}

struct rows rank_batch_rows(const struct rank_batch *r, const struct cut_batch *b, size_t i,
                            float *room)
{
    const struct train_data *const c = r->data;

    if (r->row[i] == SIZE_MAX)
        return train_data_query(c, b->query[i], room);
    return (struct rows){ r->rows + r->row[i], docs_of(c, b->query[i]), c->dim, c->dim };
}

peck_status rank_batch_pieces(struct rank_batch *r, const struct cut_batch *b,
                              const float *part, peck_error *err)
{
    const peck_comm *const comm = r->data->comm;
    const size_t ranks = comm_ranks(comm), rank = comm_rank(comm);
    const size_t own = r->slice[rank + 1] - r->slice[rank];

    memset(r->n_send, 0, ranks * sizeof *r->n_send);
    memset(r->n_got, 0, ranks * sizeof *r->n_got);
    for (size_t k = 0; k < b->n_shards; k++)
        if (b->shard[k].rank != rank)
            r->n_got[b->shard[k].rank] += (own + TAIL) * sizeof(float);
        else
            for (size_t to = 0; to < ranks; to++)
                r->n_send[to] += (r->slice[to + 1] - r->slice[to] + TAIL) * sizeof(float);
    r->n_send[rank] = 0; /* its own stay where they are */
    TRY(reserve_floats(&r->send, &r->cap_send, r->n_send, ranks, err));
    TRY(reserve_floats(&r->got, &r->cap_got, r->n_got, ranks, err));
    float *to = r->send;

    for (size_t i = 0; i < ranks; i++)
        for (size_t k = 0; i != rank && k < b->n_shards; k++) {
            const size_t n = r->slice[i + 1] - r->slice[i];
            const double tail[] = { b->shard[k].loss, b->shard[k].penalty };

            if (b->shard[k].rank != rank)
                continue;
            memcpy(to, part + k * r->n_weights + r->slice[i], n * sizeof *to);
            memcpy(to + n, tail, sizeof tail);
            to += n + TAIL;
        }
    TRY(comm_exchange(comm, r->send, r->n_send, r->got, r->n_got, err));
    add_up(r->at, r->n_got, ranks);
    for (size_t k = 0; k < b->n_shards; k++) {
        struct gradient_shard *const shard = &b->shard[k];
        double tail[2];

        if (shard->rank == rank) {
            r->piece[k] = part + k * r->n_weights + r->slice[rank];
            continue;
        }
        r->piece[k] = r->got + r->at[shard->rank];
        r->at[shard->rank] += own + TAIL;
        memcpy(tail, r->piece[k] + own, sizeof tail);
        shard->loss = tail[0];
        shard->penalty = tail[1];
    }
    return PECK_OK;
}

void rank_batch_close(struct rank_batch *r)
{
    mem_free(r->rows);
    mem_free(r->send);
    mem_free(r->got);
    arena_free(&r->arena);
    *r = (struct rank_batch){ 0 };
}
