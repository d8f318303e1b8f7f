/* dec_championship.c -- SortNet's one against all: by the number of duels won.
 *
 *   wins(i) = sum over j != i of [i goes before j], a tie being half a win
 *
 * Rigutini et al., "SortNet: learning to rank by a neural preference function", 2011,
 * section V-B5.                                                                       */
#include "league.h"

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    (void)config;
    return league_decode(a, SIZE_MAX, true, out, err);
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
