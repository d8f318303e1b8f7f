/* gen_votes.c -- pairs of vote vectors and the non-transitive majority criterion.
 *
 *   x is preferred to y   iff   #{ i : x_i > y_i }  >  #{ i : y_i > x_i }
 *
 * Rigutini, Papini, Maggini and Scarselli, "SortNet: learning to rank by a neural
 * preference function", 2011, Example 1 and the experiment of Table I.             */
#include "draw.h"

struct vote_draw {
    int64_t pairs, dim;
};

static const struct param params[] = {
    { "pairs", PARAM_INT, "10000", "[1,1000000000]", "pairs, each a query of two documents",
      offsetof(struct vote_draw, pairs) },
    { "dim", PARAM_INT, "7", "[1,10000]", "votes that each document got",
      offsetof(struct vote_draw, dim) },
    { 0 }
};

static peck_status open_votes(void *self, uint64_t seed, struct shape *shape,
                              peck_error *err)
{
    const struct vote_draw *const v = self;

    (void)seed, (void)err;
    *shape = (struct shape){ .n_queries = (size_t)v->pairs,
                             .max_docs = 2,
                             .dim = (size_t)v->dim };
    return PECK_OK;
}

static void fill_votes(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    const size_t dim = (size_t)((const struct vote_draw *)self)->dim;
    int64_t lead = 0;
    struct rng r;

    rng_seed(&r, seed, q);
    do {
        draw_row(&r, out->x, 2 * dim, 0.0, 1.0);
        lead = 0; /* above 0: the first has more of the greater votes */
        for (size_t i = 0; i < dim; i++)
            lead += (out->x[i] > out->x[dim + i]) - (out->x[i] < out->x[dim + i]);
    } while (lead == 0);
    out->n = 2;
    out->label[0] = lead > 0;
    out->label[1] = lead < 0;
}

const struct generator generator_votes = {
    .plug = { { "votes",
                "pairs judged by the majority of their votes, a non-transitive task",
                "Every query is one pair: two vectors of votes, uniform in [0,1], the one "
                "with more of the greater votes labelled 1, the other 0 (a tie is drawn "
                "again). The pairs of documents with different labels are thus the pairs "
                "of the experiment; no sum of scores can express them all. Make training, "
                "validation and test data with different seeds. Rigutini, Papini, Maggini "
                "and Scarselli 2011 (SortNet), Example 1 and Table I: 10,000, 4,000 and "
                "6,000 pairs." },
              params },
    .self_size = sizeof(struct vote_draw),
    .open = open_votes,
    .fill = fill_votes,
};
