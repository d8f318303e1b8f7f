/* dec_centrality.c -- Rank Centrality: where a walker who follows preferences stays.
 *
 *   P(i -> j) = h(j, i) / d for the d opponents of i,   pi <- pi P,   from 1 / n
 *
 * With a budget everybody has as many opponents as it pays for; otherwise all.
 *
 * Negahban, Oh and Shah, "Iterative ranking from pairwise comparisons", 2012.         */
#include "league.h"

#include "../base/alloc.h"
#include "../base/maths.h"

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

/* now[p], and what comes to place p less what leaves, over its opponents. */
static void step_block(void *ctx, size_t task, int worker)
{
    struct walk *const w = ctx;
    const uint32_t n = w->l->n, from = (uint32_t)task * BLOCK;
    const uint32_t end = n - from > BLOCK ? from + BLOCK : n;
    const double *const now = w->now;

    (void)worker;
    for (uint32_t p = from; p < end; p++) {
        double sum = 0.0;

        for (size_t k = 0; k < w->l->n_rounds; k++) {
            const uint32_t d = w->l->distance[k];
            const uint32_t on = n - p > d ? p + d : p + d - n,
                           back = p >= d ? p - d : p + n - d;
            const float *const row = w->h + k * n;
            const double over = row[p], under = row[back]; /* p over on, back over p */

            sum += now[on] * over - now[p] * (1.0 - over);
            if (on != back)
                sum += now[back] * (1.0 - under) - now[p] * under;
        }
        w->next[p] = now[p] + sum / w->opponents;
    }
}

static peck_status centrality_run(struct asker *a, const void *config, struct decoding *out,
                                  peck_error *err)
{
    static const char what[] = "the preferences of all pairs; a budget asks fewer";
    const int64_t iterations = ((const struct centrality *)config)->iterations;
    const uint32_t n = a->oracle->n;
    struct arena arena = { 0 };
    struct league *l;

    TRY(league_new(&l, n, league_fit(a, UINT64_MAX), a->seed, err));
    /* 4 bytes a duel: 2 n^2 bytes for a whole league. */
    float *const h = arena_new(&arena, what, l->n_rounds, n * sizeof *h);
    int64_t *const net = arena_new(&arena, what, n, sizeof *net);
    struct walk w = { l, h, arena_new(&arena, what, n, sizeof *w.now),
                      arena_new(&arena, what, n, sizeof *w.next), league_opponents(l) };
    peck_status st = arena_check(&arena, err);

    if (st == PECK_OK)
        st = league_play(l, a, false, net, h, err);
    if (st == PECK_OK) {
        double change = INFINITY;

        for (uint32_t p = 0; p < n; p++)
            w.now[p] = 1.0 / n;
        for (int64_t t = 0; t < iterations && change >= SETTLED / n && !asker_failed(a);
             t++) {
            asker_run(a, (n + BLOCK - 1) / BLOCK, step_block, &w);
            change = 0.0;
            for (uint32_t p = 0; p < n; p++)
                change = math_max(change, fabs(w.next[p] - w.now[p]));
            double *const swap = w.now;

            w.now = w.next;
            w.next = swap;
        }
        for (uint32_t p = 0; p < n; p++)
            out->score[league_item(l, p)] = w.now[p];
    }
    arena_free(&arena);
    league_free(l);
    return st == PECK_OK ? decoding_from_score(out, n, err) : st;
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
    .run = centrality_run,
};
