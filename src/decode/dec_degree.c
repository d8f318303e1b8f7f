/* dec_degree.c -- sort by degree: everybody against everybody.
 *
 *   degree(i) = sum over j != i of h(i, j),   or of [h(i, j) > 1/2] with a tie as 1/2
 *
 * Cohen, Schapire and Singer, "Learning to order things", 1998; section II of Yang and
 * Lin 2015.                                                                           */
#include "league.h"

struct degree {
    int is_hard;
};

static const struct param params[] = {
    { "count", PARAM_CHOICE, "soft", "soft|hard",
      "soft: preferences are added up; hard: duels won are counted",
      offsetof(struct degree, is_hard) },
    { 0 }
};

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    return league_decode(a, SIZE_MAX, ((const struct degree *)config)->is_hard, out, err);
}

const struct decoder decoder_degree = {
    .plug.about = { "degree", "everybody against everybody, by the sum of preferences",
                    "Asks all n (n - 1) / 2 pairs and sorts by the sum of each item's "
                    "preferences over the others. The most stable of all and the dearest. "
                    "Takes no budget. Cohen et al. 1998; sort-by-degree of Yang and Lin "
                    "2015." },
    .plug.params = params,
    .config_size = sizeof(struct degree),
    .run = run,
};
