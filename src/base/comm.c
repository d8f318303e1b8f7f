/* comm.c -- see comm.h. */
#include "comm.h"

#include "alloc.h"

#include <string.h>

enum { FEW = 64 }; /* numbers that are not worth two messages */

peck_status comm_check(const peck_comm *c, peck_error *err)
{
    if (c == NULL)
        return PECK_OK;
    if (c->size != 0 && c->size < sizeof *c)
        return fail(err, PECK_ARG, "a peck_comm of %zu bytes; it has %zu", c->size,
                    sizeof *c);
    if (c->n_ranks < 1 || c->rank < 0 || c->rank >= c->n_ranks)
        return fail(err, PECK_ARG, "rank %d of %d; ranks count from 0", c->rank,
                    c->n_ranks);
    return c->broadcast != NULL && c->all_gather != NULL && c->all_to_all != NULL
               ? PECK_OK
               : fail(err, PECK_ARG, "a peck_comm lacks a function");
}

/* Whether what has arrived is what was due. */
static peck_status check_answer(const peck_comm *c, int64_t got, size_t due,
                                peck_error *err)
{
    if (got < 0)
        return fail(err, PECK_IO,
                    "rank %d has lost the others; start again, with --resume where there "
                    "is a checkpoint",
                    c->rank);
    if ((uint64_t)got != due)
        return fail(err, PECK_IO,
                    "rank %d has got %lld bytes of %zu from the others; start again, with "
                    "--resume where there is a checkpoint",
                    c->rank, (long long)got, due);
    return PECK_OK;
}

static size_t sum_of(const size_t *n, size_t ranks)
{
    size_t all = 0;

    for (size_t i = 0; i < ranks; i++)
        all += n[i];
    return all;
}

peck_status comm_broadcast(const peck_comm *c, void *data, size_t n, size_t root,
                           peck_error *err)
{
    if (!comm_is_shared(c))
        return PECK_OK;
    return check_answer(c, c->broadcast(c->ctx, data, n, (int)root), n, err);
}

peck_status comm_gather(const peck_comm *c, const void *mine, void *all, const size_t *n_of,
                        peck_error *err)
{
    if (!comm_is_shared(c)) {
        if (n_of[0] > 0)
            memcpy(all, mine, n_of[0]);
        return PECK_OK;
    }
    return check_answer(c, c->all_gather(c->ctx, mine, all, n_of),
                        sum_of(n_of, comm_ranks(c)), err);
}

peck_status comm_exchange(const peck_comm *c, const void *send, const size_t *n_send,
                          void *receive, const size_t *n_receive, peck_error *err)
{
    if (!comm_is_shared(c)) {
        if (n_send[0] > 0)
            memcpy(receive, send, n_send[0]);
        return PECK_OK;
    }
    return check_answer(c, c->all_to_all(c->ctx, send, n_send, receive, n_receive),
                        sum_of(n_receive, comm_ranks(c)), err);
}

peck_status comm_share(const peck_comm *c, void *all, const size_t *first, size_t size,
                       peck_error *err)
{
    const size_t ranks = comm_ranks(c), rank = comm_rank(c);

    if (!comm_is_shared(c))
        return PECK_OK;
    size_t *const n_of = mem_new(ranks, sizeof *n_of);
    const size_t n = (first[rank + 1] - first[rank]) * size;
    void *const mine = mem_new(n, 1); /* a block is never sent from where it arrives */

    if (n_of == NULL || mine == NULL) {
        mem_free(n_of);
        mem_free(mine);
        return fail_memory(err, "what ranks exchange", n, 1);
    }
    for (size_t i = 0; i < ranks; i++)
        n_of[i] = (first[i + 1] - first[i]) * size;
    memcpy(mine, (const char *)all + first[rank] * size, n);
    const peck_status st = comm_gather(c, mine, all, n_of, err);

    mem_free(n_of);
    mem_free(mine);
    return st;
}

/* Few numbers: every rank gets those of all, in one message. */
static peck_status add_few(const peck_comm *c, int64_t *x, size_t n, peck_error *err)
{
    const size_t ranks = comm_ranks(c);
    size_t *const n_of = mem_new(ranks, sizeof *n_of);
    int64_t *const all = mem_new(ranks * n, sizeof *all);
    peck_status st = n_of != NULL && all != NULL
                         ? PECK_OK
                         : fail_memory(err, "what ranks exchange", ranks * n, sizeof *all);

    for (size_t i = 0; st == PECK_OK && i < ranks; i++)
        n_of[i] = n * sizeof *x;
    if (st == PECK_OK)
        st = comm_gather(c, x, all, n_of, err);
    if (st == PECK_OK)
        memset(x, 0, n * sizeof *x);
    for (size_t i = 0; st == PECK_OK && i < ranks * n; i++)
        x[i % n] += all[i];
    mem_free(n_of);
    mem_free(all);
    return st;
}

/* Each rank adds up its part of x, and all get all parts. */
peck_status comm_add(const peck_comm *c, int64_t *x, size_t n, peck_error *err)
{
    const size_t ranks = comm_ranks(c), rank = comm_rank(c);

    if (!comm_is_shared(c))
        return PECK_OK;
    if (n <= FEW)
        return n > 0 ? add_few(c, x, n, err) : PECK_OK;
    const char *const what = "what ranks exchange";
    struct arena a = { 0 };
    size_t *const first = arena_new(&a, what, ranks + 1, sizeof *first);
    size_t *const n_send = arena_new(&a, what, ranks, sizeof *n_send);
    size_t *const n_receive = arena_new(&a, what, ranks, sizeof *n_receive);
    const size_t own = comm_part(c, n, rank + 1) - comm_part(c, n, rank);
    int64_t *const got = arena_new(&a, what, ranks * own, sizeof *got);
    peck_status st = arena_check(&a, err);

    for (size_t i = 0; st == PECK_OK && i <= ranks; i++)
        first[i] = comm_part(c, n, i);
    for (size_t i = 0; st == PECK_OK && i < ranks; i++) {
        n_send[i] = (first[i + 1] - first[i]) * sizeof *x;
        n_receive[i] = own * sizeof *x;
    }
    if (st == PECK_OK)
        st = comm_exchange(c, x, n_send, got, n_receive, err);
    if (st == PECK_OK) {
        memset(x + first[rank], 0, own * sizeof *x);
        for (size_t i = 0; i < ranks * own; i++)
            x[first[rank] + i % own] += got[i];
        st = comm_share(c, x, first, sizeof *x, err);
    }
    arena_free(&a);
    return st;
}

peck_status comm_in_turn(const peck_comm *c, void *state, size_t n,
                         void (*add)(void *ctx, void *state), void *ctx, peck_error *err)
{
    for (size_t turn = 0; turn < comm_ranks(c); turn++) {
        if (turn == comm_rank(c))
            add(ctx, state);
        TRY(comm_broadcast(c, state, n, turn, err));
    }
    return PECK_OK;
}

peck_status comm_agree(const peck_comm *c, peck_status mine, peck_error *err)
{
    const size_t ranks = comm_ranks(c);

    if (!comm_is_shared(c))
        return mine;
    int64_t *const each = mem_new(ranks, sizeof *each);
    size_t *const n_of = mem_new(ranks, sizeof *n_of);
    peck_error told = { PECK_OK, "" };
    size_t who = 0;

    if (each == NULL || n_of == NULL) {
        mem_free(each);
        mem_free(n_of);
        return fail_memory(err, "what ranks exchange", ranks, sizeof *each);
    }
    if (mine != PECK_OK && err != NULL)
        told = *err;
    for (size_t i = 0; i < ranks; i++)
        n_of[i] = sizeof *each;
    const int64_t code = mine;
    peck_status st = comm_gather(c, &code, each, n_of, err);

    while (st == PECK_OK && who < ranks && each[who] == PECK_OK)
        who++;
    if (st == PECK_OK && who < ranks) {
        const int64_t why = each[who];

        st = comm_broadcast(c, told.text, sizeof told.text, who, err);
        told.text[sizeof told.text - 1] = '\0';
        if (st == PECK_OK)
            st = fail(err, (peck_status)why, "%s", told.text);
    }
    mem_free(each);
    mem_free(n_of);
    return st;
}

peck_status comm_compare(const peck_comm *c, uint64_t number, const char *text,
                         peck_error *err)
{
    uint64_t first = number;

    TRY(comm_broadcast(c, &first, sizeof first, 0, err));
    return comm_agree(c, first == number ? PECK_OK : fail(err, PECK_SHAPE, "%s", text),
                      err);
}
