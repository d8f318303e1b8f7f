/* dec_championship.c -- SortNet's one against all: by the number of duels won.
 *
 *   wins(i) = sum over j != i of [i goes before j], a tie being half a win
 *
 * Rigutini et al., "SortNet: learning to rank by a neural preference function", 2011,
 * section V-B5.                                                                       */
#include "league.h"

#include "../base/alloc.h"

static peck_status play(struct asker *a, const struct league *l, struct decoding *out,
                        peck_error *err)
{
    int64_t *const net = mem_new(l->n, sizeof *net);

    if (net == NULL)
        return fail_memory(err, "points of a league", l->n, sizeof *net);
    const peck_status st = league_play(l, a, true, net, NULL, err);

    for (uint32_t i = 0; i < l->n; i++)
        out->score[i] = wins_of(net[i], l->n);
    mem_free(net);
    return st;
}

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    struct league *l;

    (void)config;
    TRY(league_new(&l, a->oracle->n, SIZE_MAX, a->seed, err));
    const peck_status st = play(a, l, out, err);

    league_free(l);
    return st == PECK_OK ? decoding_from_score(out, a->oracle->n, err) : st;
}

const struct decoder decoder_championship = {
    .plug.about = { "championship", "everybody against everybody, by duels won",
                    "Asks all n (n - 1) / 2 pairs for a side and sorts by the number of "
                    "duels won; a tie is half a win for each, and equal numbers keep input "
                    "order. Takes no budget. SortNet, Rigutini et al. 2011, section "
                    "V-B5." },
    .config_size = 1,
    .run = run,
};
