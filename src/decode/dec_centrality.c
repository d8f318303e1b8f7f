/* dec_centrality.c -- Rank Centrality: where a walker who follows preferences stays.
 *
 *   P(i -> j) = h(j, i) / d for the d opponents of i,   pi <- pi P,   from 1 / n
 *
 * With a budget everybody has as many opponents as it pays for; otherwise all.
 *
 * Negahban, Oh and Shah, "Iterative ranking from pairwise comparisons", 2012.         */
#include "league.h"

#include "../base/alloc.h"

#include <math.h>

enum { BLOCK = 256 }; /* places of a task */

#define SETTLED 1e-9 /* no share moves by more, relative to 1 / n */

struct centrality {
    int64_t iterations;
};

static const struct param params[] = {
    { "iterations", PARAM_INT, "20", "[1,1000000]",
      "steps of the walk at most; it ends when no share moves by more than 1e-9 / n",
      offsetof(struct centrality, iterations) },
    { 0 }
};

struct walk {
    const struct league *l;
    const float *h;     /* [n_rounds][n]: see league_play */
    double *now, *next; /* by place */
    double opponents;
};

/* What comes to place p less what leaves, over its opponents. */
static double flow(const struct walk *w, uint32_t p)
{
    const uint32_t n = w->l->n;
    double sum = 0.0;

    for (size_t k = 0; k < w->l->n_rounds; k++) {
        const uint32_t d = w->l->distance[k];
        const uint32_t on = n - p > d ? p + d : p + d - n,
                       back = p >= d ? p - d : p + n - d;
        const float *const row = w->h + k * n;
        const double over = row[p], under = row[back]; /* p over on, back over p */

        sum += w->now[on] * over - w->now[p] * (1.0 - over);
        if (on != back)
            sum += w->now[back] * (1.0 - under) - w->now[p] * under;
    }
    return sum;
}

static void step_block(void *ctx, size_t task, int worker)
{
    struct walk *const w = ctx;
    const size_t from = task * BLOCK, end = from + BLOCK < w->l->n ? from + BLOCK : w->l->n;

    (void)worker;
    for (size_t p = from; p < end; p++)
        w->next[p] = w->now[p] + flow(w, (uint32_t)p) / w->opponents;
}

/* Returns the largest change. */
static double step(struct asker *a, struct walk *w)
{
    double change = 0.0;

    asker_run(a, (w->l->n + BLOCK - 1) / BLOCK, step_block, w);
    for (uint32_t p = 0; p < w->l->n; p++)
        change = fmax(change, fabs(w->next[p] - w->now[p]));
    double *const swap = w->now;

    w->now = w->next;
    w->next = swap;
    return change;
}

static void walk(struct asker *a, struct walk *w, int64_t iterations, double *score)
{
    const uint32_t n = w->l->n;

    for (uint32_t p = 0; p < n; p++)
        w->now[p] = 1.0 / n;
    for (int64_t t = 0; t < iterations && !asker_failed(a); t++)
        if (step(a, w) < SETTLED / n)
            break;
    for (uint32_t p = 0; p < n; p++)
        score[league_item(w->l, p)] = w->now[p];
}

static peck_status decode(struct asker *a, const struct league *l, int64_t iterations,
                          struct decoding *out, peck_error *err)
{
    const size_t n = l->n;
    float *const h = mem_new(l->n_rounds, n * sizeof *h);
    double *const room = mem_new(2 * n, sizeof *room);
    int64_t *const net = mem_new(n, sizeof *net);
    struct walk w = { l, h, room, room != NULL ? room + n : NULL, league_opponents(l) };
    peck_status st;

    if (h == NULL || room == NULL || net == NULL)
        st = fail_memory(err, "the preferences of all pairs; a budget asks fewer",
                         l->n_rounds, n * sizeof *h);
    else
        st = league_play(l, a, false, net, h, err);
    if (st == PECK_OK)
        walk(a, &w, iterations, out->score);
    mem_free(h);
    mem_free(room);
    mem_free(net);
    return st;
}

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const struct centrality *const c = config;
    struct league *l;

    TRY(league_new(&l, a->oracle->n, league_fit(a, UINT64_MAX), a->seed, err));
    const peck_status st = decode(a, l, c->iterations, out, err);

    league_free(l);
    return st == PECK_OK ? decoding_from_score(out, a->oracle->n, err) : st;
}

const struct decoder decoder_centrality = {
    .plug
        .about = { "centrality", "Rank Centrality: a random walk along preferences",
                   "A walker goes from each item to those that are preferred to it; sorts "
                   "by how often it is met. Asks all pairs, or, with a budget, a sample of "
                   "opponents of each item, and keeps the answers in memory. Negahban et "
                   "al. 2012." },
    .plug.params = params,
    .config_size = sizeof(struct centrality),
    .run = run,
};
