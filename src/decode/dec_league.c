/* dec_league.c -- leagues (see league.h), and the decoders that rank by their points:
 *
 *   degree(i)   = sum over j != i of h(i, j), or of [h(i, j) > 1/2] with a tie as 1/2
 *   wins(i)     = sum over j != i of [i goes before j], a tie being half a win
 *   sampled(i)  = (n - 1) / m * sum over m drawn j of h(i, j)
 *
 * Degree: Cohen, Schapire and Singer, "Learning to order things", 1998; section II of Yang
 * and Lin 2015.  Championship: SortNet's one against all, Rigutini et al. 2011, section
 * V-B5.  Of a sample everybody has the same number of opponents, so that nobody's score is
 * less sure than another's; its deviation falls as 1 / sqrt(m), whatever n is.       */
#include "league.h"

#include "../base/alloc.h"
#include "../base/rng.h"

enum { BLOCK = 1024 }; /* duels of a task */

/* The rounds of a whole league. */
static size_t count_rounds(uint32_t n)
{
    return n / 2;
}

peck_status league_new(struct league **out, uint32_t n, size_t n_rounds, uint64_t seed,
                       peck_error *err)
{
    const size_t all = count_rounds(n), rounds = n_rounds < all ? n_rounds : all;
    const size_t size = sizeof(struct league) + (rounds + n) * sizeof(uint32_t);
    struct league *const l = mem_new(1, size);
    struct rng r;

    *out = l;
    if (l == NULL)
        return fail_memory(err, "a league", 1, size);
    *l = (struct league){ n, rounds, (uint32_t *)(l + 1), NULL };
    rng_seed(&r, seed, 0);
    /* Distances in rising order: each is taken with the probability that the rest still has
     * to be drawn (Knuth's algorithm S). */
    for (size_t d = 1, drawn = 0; d <= all; d++)
        if (rng_below(&r, all - d + 1) < rounds - drawn)
            l->distance[drawn++] = (uint32_t)d;
    if (rounds == all)
        return PECK_OK;
    l->item = l->distance + rounds;
    for (uint32_t i = 0; i < n; i++)
        l->item[i] = i;
    rng_shuffle(&r, l->item, n);
    return PECK_OK;
}

void league_free(struct league *l)
{
    mem_free(l);
}

uint32_t league_item(const struct league *l, uint32_t place)
{
    return l->item != NULL ? l->item[place] : place;
}

double league_opponents(const struct league *l)
{
    uint32_t sum = 0;

    for (size_t k = 0; k < l->n_rounds; k++)
        sum += 2 * l->distance[k] == l->n ? 1 : 2;
    return sum;
}

struct playing {
    const struct league *l;
    struct asker *a;
    bool is_side;
    size_t n_blocks; /* of a round */
    int64_t *net;    /* [workers][n] */
    float *h;
};

/* What i gains j loses.  Each worker sums whole numbers, in units of 2^-30 (see net_of), so
 * the totals do not depend on who played which duel. */
static void add_points(const struct playing *p, int worker, const peck_duel *duel,
                       uint32_t n, const float *answer)
{
    int64_t *const net = p->net + (size_t)worker * p->l->n;

    for (uint32_t k = 0; k < n; k++) {
        const float x = answer[k];
        const int32_t gain = p->is_side ? ((x > 0.0f) - (x < 0.0f)) * (1 << 30) : net_of(x);

        net[duel[k].i] += gain;
        net[duel[k].j] -= gain;
    }
}

/* Task = round * n_blocks + block: the duels of places from .. from + n of that round. */
static void play_block(void *ctx, size_t task, int worker)
{
    const struct playing *const p = ctx;
    const struct league *const l = p->l;
    const size_t round = task / p->n_blocks;
    const uint32_t d = l->distance[round], n_duels = 2 * d == l->n ? d : l->n;
    const uint32_t from = (uint32_t)(task % p->n_blocks) * BLOCK;
    const uint32_t n = n_duels - from < BLOCK ? n_duels - from : BLOCK;
    peck_duel duel[BLOCK];
    float answer[BLOCK];

    if (from >= n_duels) /* the last round of an even circle is short */
        return;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t place = from + k,
                       on = l->n - place > d ? place + d : place + d - l->n;

        duel[k] = (peck_duel){ league_item(l, place), league_item(l, on) };
    }
    (p->is_side ? ask_side : ask)(p->a, worker, duel, n, answer);
    add_points(p, worker, duel, n, answer);
    for (uint32_t k = 0; p->h != NULL && k < n; k++) {
        float *const kept = p->h + round * l->n + from + k;

        kept[0] = answer[k];
        if (2 * d == l->n)
            kept[d] = 1.0f - answer[k];
    }
}

peck_status league_play(const struct league *l, struct asker *a, bool is_side, int64_t *net,
                        float *h, peck_error *err)
{
    const size_t workers = (size_t)asker_workers(a);
    struct playing p = { l, a, is_side, (l->n + BLOCK - 1) / BLOCK, NULL, h };

    p.net = mem_new(workers * l->n, sizeof *p.net);
    if (p.net == NULL)
        return fail_memory(err, "points of a league", workers * l->n, sizeof *p.net);
    asker_run(a, l->n_rounds * p.n_blocks, play_block, &p);
    for (uint32_t i = 0; i < l->n; i++) {
        net[i] = 0;
        for (size_t w = 0; w < workers; w++)
            net[i] += p.net[w * l->n + i];
    }
    mem_free(p.net);
    return PECK_OK;
}

/* A round costs n duels; n (n - 1) / 2 of them are a whole league. */
size_t league_fit(struct asker *a, uint64_t otherwise)
{
    const uint32_t n = a->oracle->n;
    const uint64_t duels = asker_budget(a, otherwise);

    if (duels >= (uint64_t)n * (n - 1) / 2)
        return count_rounds(n);
    return duels < n ? 1 : (size_t)(duels / n);
}

/* Duels of a whole league, beyond which those that can only end in a draw are not played:
 * they bring nobody a point more than the other. */
#define LONG_LEAGUE (UINT64_C(1) << 21)

/* net[] from the duels that the oracle knows of. */
static peck_status play_known(struct asker *a, bool is_side, int64_t *net, peck_error *err)
{
    const struct oracle *const o = a->oracle;
    uint32_t *const other = mem_new(o->n, sizeof *other);
    peck_duel duel[BLOCK];
    float answer[BLOCK];

    if (other == NULL)
        return fail_memory(err, "points of a league", o->n, sizeof *other);
    const struct league whole = { .n = o->n };
    const struct playing p = { .l = &whole, .a = a, .is_side = is_side, .net = net };

    for (uint32_t i = 1; i < o->n; i++) {
        const size_t n = o->known(o->ctx, i, other);

        for (size_t at = 0, some; at < n; at += some) {
            some = n - at < BLOCK ? n - at : BLOCK;
            for (size_t k = 0; k < some; k++) { /* who asks whom, as in play_block */
                const uint32_t j = other[at + k];
                const bool is_forward = i - j <= o->n / 2;

                duel[k] = (peck_duel){ is_forward ? j : i, is_forward ? i : j };
            }
            (is_side ? ask_side : ask)(a, 0, duel, some, answer);
            add_points(&p, 0, duel, (uint32_t)some, answer);
        }
    }
    mem_free(other);
    return PECK_OK;
}

peck_status league_decode(struct asker *a, size_t n_rounds, bool is_side,
                          struct decoding *out, peck_error *err)
{
    const uint32_t n = a->oracle->n;
    struct league *l;

    TRY(league_new(&l, n, n_rounds, a->seed, err));
    const bool is_sparse = a->oracle->known != NULL && l->item == NULL &&
                           (uint64_t)n * (n - 1) / 2 > LONG_LEAGUE;
    const double met = league_opponents(l), all = (double)(n - 1);
    int64_t *const net = mem_new(n, sizeof *net);
    const peck_status st = net == NULL
                               ? fail_memory(err, "points of a league", n, sizeof *net)
                           : is_sparse ? play_known(a, is_side, net, err)
                                       : league_play(l, a, is_side, net, NULL, err);

    for (uint32_t i = 0; st == PECK_OK && i < n; i++) /* points = (met + net) / 2 */
        out->score[i] = all / met * (met + (double)net[i] * 0x1.0p-30) / 2.0;
    mem_free(net);
    league_free(l);
    return st == PECK_OK ? decoding_from_score(out, n, err) : st;
}

/* Decoders --------------------------------------------------------------------------- */

struct degree {
    int is_hard;
};

static const struct param degree_params[] = {
    { "count", PARAM_CHOICE, "soft", "soft|hard",
      "soft: preferences are added up; hard: wins are counted",
      offsetof(struct degree, is_hard) },
    { 0 }
};

static peck_status degree_run(struct asker *a, const void *config, struct decoding *out,
                              peck_error *err)
{
    return league_decode(a, SIZE_MAX, ((const struct degree *)config)->is_hard, out, err);
}

const struct decoder decoder_degree = {
    .plug.about = { "degree", "all pairs, by the sum of preferences",
                    "Asks all n (n - 1) / 2 pairs and sorts by the sum of each item's "
                    "preferences over the others. The most stable of all and the most "
                    "expensive. Takes no budget. Cohen et al. 1998; sort-by-degree of "
                    "Yang and Lin 2015." },
    .plug.params = degree_params,
    .config_size = sizeof(struct degree),
    .run = degree_run,
};

static peck_status championship_run(struct asker *a, const void *config,
                                    struct decoding *out, peck_error *err)
{
    (void)config;
    return league_decode(a, SIZE_MAX, true, out, err);
}

const struct decoder decoder_championship = {
    .plug
        .about = { "championship", "all pairs, by the number of wins",
                   "Asks all n (n - 1) / 2 pairs for a side and sorts by the number of "
                   "wins; a tie is half a win for each, and equal numbers keep input "
                   "order. Takes no budget. SortNet, Rigutini et al. 2011, section V-B5." },
    .config_size = 1,
    .run = championship_run,
};

struct sampled {
    int64_t opponents;
};

static const struct param sampled_params[] = {
    { "opponents", PARAM_INT, "100", "[2,inf)",
      "opponents of each item, half as many questions an item; a budget overrules it",
      offsetof(struct sampled, opponents) },
    { 0 }
};

static peck_status sampled_run(struct asker *a, const void *config, struct decoding *out,
                               peck_error *err)
{
    const struct sampled *const s = config;
    const uint64_t half = ((uint64_t)s->opponents + 1) / 2;

    return league_decode(a, league_fit(a, a->oracle->n * half), false, out, err);
}

const struct decoder decoder_sampled = {
    .plug.about = { "sampled", "each item against a sample, by the sum of preferences",
                    "Each item meets the same number of drawn opponents; sorts by the mean "
                    "of its preferences over them. n times opponents / 2 questions. With a "
                    "budget, as many opponents as it pays for." },
    .plug.params = sampled_params,
    .config_size = sizeof(struct sampled),
    .run = sampled_run,
};
