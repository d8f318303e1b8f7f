/* dec_sampled.c -- sort by degree against a sample of opponents.
 *
 *   score(i) = (n - 1) / m * sum over m drawn j of h(i, j)
 *
 * Everybody has the same number of opponents, so that nobody's score is less sure than
 * another's: see league.h.  Its deviation falls as 1 / sqrt(m), whatever n is.         */
#include "league.h"

struct sampled {
    int64_t opponents;
};

static const struct param params[] = {
    { "opponents", PARAM_INT, "100", "[2,inf)",
      "opponents of each item, half as many questions an item; a budget overrules it",
      offsetof(struct sampled, opponents) },
    { 0 }
};

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const struct sampled *const s = config;
    const uint64_t half = ((uint64_t)s->opponents + 1) / 2;

    return league_decode(a, league_fit(a, a->oracle->n * half), false, out, err);
}

const struct decoder decoder_sampled = {
    .plug.about = { "sampled", "everybody against a sample, by the sum of preferences",
                    "Each item meets the same number of drawn opponents; sorts by the mean "
                    "of its preferences over them. n times opponents / 2 questions. With a "
                    "budget, as many opponents as it pays for." },
    .plug.params = params,
    .config_size = sizeof(struct sampled),
    .run = run,
};
