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

static int64_t thread_broadcast(void *ctx, void *data, size_t n, int root)
{
    struct rank *const r = ctx;
    const struct shown *const from = &r->net->shown[root];

    if (!begin(r, data, NULL, n) || from->at != n)
        return -1;
    if (root != r->comm.rank)
        memcpy(data, from->data, n);
    return meet(r->net) ? answer(r, n) : -1;
}

static int64_t thread_all_gather(void *ctx, const void *mine, void *all, const size_t *n_of)
{
    struct rank *const r = ctx;
    size_t at = 0;

    if (!begin(r, mine, n_of, 0))
        return -1;
    for (int i = 0; i < r->comm.n_ranks; i++) {
        const struct shown *const from = &r->net->shown[i];

        if (from->n == NULL || from->n[i] != n_of[i]) /* they do not speak of the same */
            return -1;
        if (n_of[i] > 0)
            memcpy((char *)all + at, from->data, n_of[i]);
        at += n_of[i];
    }
    return meet(r->net) ? answer(r, at) : -1;
}

static int64_t thread_all_to_all(void *ctx, const void *send, const size_t *n_send,
                                 void *receive, const size_t *n_receive)
{
    struct rank *const r = ctx;
    const int rank = r->comm.rank;
    size_t at = 0;

    if (!begin(r, send, n_send, 0))
        return -1;
    for (int i = 0; i < r->comm.n_ranks; i++) {
        const struct shown *const from = &r->net->shown[i];
        size_t skip = 0;

        if (from->n == NULL || from->n[rank] != n_receive[i])
            return -1;
        for (int k = 0; k < rank; k++)
            skip += from->n[k];
        if (n_receive[i] > 0)
            memcpy((char *)receive + at, (const char *)from->data + skip, n_receive[i]);
        at += n_receive[i];
    }
    return meet(r->net) ? answer(r, at) : -1;
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
