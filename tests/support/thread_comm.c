/* thread_comm.c -- see thread_comm.h. */
#include "thread_comm.h"

#include <pthread.h>
#include <string.h>

/* What a rank shows to the others. */
struct shown {
    const void *data;
    const size_t *n;
    size_t at; /* of a broadcast: how many bytes */
};

struct network {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int n_ranks, n_here;
    size_t round;
    int is_broken;
    struct shown shown[MOST_RANKS];
    const struct comm_fault *fault;
};

struct rank {
    struct network *net;
    peck_comm comm;
    pthread_t thread;
    size_t n_calls;
    peck_status (*work)(void *ctx, const peck_comm *c, peck_error *err);
    void *ctx;
    peck_status status;
    peck_error err;
};

/* 0: somebody has left. */
static int meet(struct network *net)
{
    pthread_mutex_lock(&net->lock);
    const size_t round = net->round;

    if (++net->n_here == net->n_ranks) {
        net->n_here = 0;
        net->round++;
        pthread_cond_broadcast(&net->moved);
    }
    while (net->round == round && !net->is_broken)
        pthread_cond_wait(&net->moved, &net->lock);
    const int is_whole = net->round != round; /* those who left later were here */

    pthread_mutex_unlock(&net->lock);
    return is_whole;
}

static void leave(struct network *net)
{
    pthread_mutex_lock(&net->lock);
    net->is_broken = 1;
    pthread_cond_broadcast(&net->moved);
    pthread_mutex_unlock(&net->lock);
}

/* The answer, as the fault of this rank has it. */
static int64_t answer(struct rank *r, size_t n)
{
    const struct comm_fault *const f = r->net->fault;

    if (f == NULL || f->rank != r->comm.rank || f->at != r->n_calls)
        return (int64_t)n;
    return f->is_error ? -1 : (int64_t)n + f->answer;
}

static int begin(struct rank *r, const void *data, const size_t *n, size_t at)
{
    r->n_calls++;
    r->net->shown[r->comm.rank] = (struct shown){ data, n, at };
    return meet(r->net);
}

/* What the others show is there until they have met again or one has left: it is read under the
 * lock, and not after that.  Then all meet again; -1: they do not speak of the same. */
static int64_t end(struct rank *r, int64_t (*read)(const struct rank *r, void *to),
                   void *to)
{
    pthread_mutex_lock(&r->net->lock);
    const int64_t n = r->net->is_broken ? -1 : read(r, to);

    pthread_mutex_unlock(&r->net->lock);
    return n >= 0 && meet(r->net) ? answer(r, (size_t)n) : -1;
}

struct broadcast {
    void *data;
    size_t n;
    int root;
};

static int64_t read_broadcast(const struct rank *r, void *to)
{
    const struct broadcast *const b = to;
    const struct shown *const from = &r->net->shown[b->root];

    if (from->at != b->n)
        return -1;
    if (b->root != r->comm.rank)
        memcpy(b->data, from->data, b->n);
    return (int64_t)b->n;
}

static int64_t thread_broadcast(void *ctx, void *data, size_t n, int root)
{
    struct rank *const r = ctx;

    if (!begin(r, data, NULL, n))
        return -1;
    return end(r, read_broadcast, &(struct broadcast){ data, n, root });
}

struct blocks {
    void *to;
    const size_t *n; /* of each rank */
};

static int64_t read_all(const struct rank *r, void *to)
{
    const struct blocks *const all = to;
    size_t at = 0;

    for (int i = 0; i < r->comm.n_ranks; i++) {
        const struct shown *const from = &r->net->shown[i];

        if (from->n == NULL || from->n[i] != all->n[i])
            return -1;
        if (all->n[i] > 0)
            memcpy((char *)all->to + at, from->data, all->n[i]);
        at += all->n[i];
    }
    return (int64_t)at;
}

static int64_t thread_all_gather(void *ctx, const void *mine, void *all, const size_t *n_of)
{
    struct rank *const r = ctx;

    if (!begin(r, mine, n_of, 0))
        return -1;
    return end(r, read_all, &(struct blocks){ all, n_of });
}

static int64_t read_mine(const struct rank *r, void *to)
{
    const struct blocks *const mine = to;
    const int rank = r->comm.rank;
    size_t at = 0;

    for (int i = 0; i < r->comm.n_ranks; i++) {
        const struct shown *const from = &r->net->shown[i];
        size_t skip = 0;

        if (from->n == NULL || from->n[rank] != mine->n[i])
            return -1;
        for (int k = 0; k < rank; k++)
            skip += from->n[k];
        if (mine->n[i] > 0)
            memcpy((char *)mine->to + at, (const char *)from->data + skip, mine->n[i]);
        at += mine->n[i];
    }
    return (int64_t)at;
}

static int64_t thread_all_to_all(void *ctx, const void *send, const size_t *n_send,
                                 void *receive, const size_t *n_receive)
{
    struct rank *const r = ctx;

    if (!begin(r, send, n_send, 0))
        return -1;
    return end(r, read_mine, &(struct blocks){ receive, n_receive });
}

static void *run_rank(void *ctx)
{
    struct rank *const r = ctx;

    r->status = r->work(r->ctx, &r->comm, &r->err);
    if (r->status != PECK_OK)
        leave(r->net);
    return NULL;
}

peck_status on_ranks(int n_ranks,
                     peck_status (*work)(void *ctx, const peck_comm *c, peck_error *err),
                     void *ctx, const struct comm_fault *fault, peck_error *err)
{
    struct network net = { .n_ranks = n_ranks, .fault = fault };
    struct rank rank[MOST_RANKS] = { 0 };
    peck_status st = PECK_OK;

    pthread_mutex_init(&net.lock, NULL);
    pthread_cond_init(&net.moved, NULL);
    for (int i = 0; i < n_ranks; i++) {
        rank[i] = (struct rank){ .net = &net,
                                 .comm = { .size = sizeof rank[i].comm,
                                           .rank = i,
                                           .n_ranks = n_ranks,
                                           .broadcast = thread_broadcast,
                                           .all_gather = thread_all_gather,
                                           .all_to_all = thread_all_to_all },
                                 .work = work,
                                 .ctx = ctx };
        rank[i].comm.ctx = &rank[i];
    }
    for (int i = 0; i < n_ranks; i++)
        if (pthread_create(&rank[i].thread, NULL, run_rank, &rank[i]) != 0)
            return PECK_NOMEM;
    for (int i = 0; i < n_ranks; i++)
        pthread_join(rank[i].thread, NULL);
    for (int i = n_ranks; i-- > 0;)
        if (rank[i].status != PECK_OK) {
            st = rank[i].status;
            if (err != NULL)
                *err = rank[i].err;
        }
    pthread_cond_destroy(&net.moved);
    pthread_mutex_destroy(&net.lock);
    return st;
}
