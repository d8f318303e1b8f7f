/* gen_net.c -- documents graded by a random two-layer net.
 *
 *   f(x) = sum_k v_k tanh(b_k + sum_i w_ki x_i)      all weights uniform in [-1, 1]
 *
 * Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton and Hullender, "Learning to rank
 * using gradient descent", ICML 2005, section 5.                                  */
#include "graded.h"

#include "../base/alloc.h"
#include "../base/maths.h"

struct net_target {
    struct graded g;
    int64_t hidden;
    float *w; /* [hidden][dim + 2]: w_k, then b_k and v_k */
};

static const struct param params[] = { GRADED_PARAMS(struct net_target),
                                       { "hidden", PARAM_INT, "10", "[1,10000]",
                                         "tanh units of the target net",
                                         offsetof(struct net_target, hidden) },
                                       { 0 } };

static double net_value(const void *self, const float *x)
{
    const struct net_target *const n = self;
    const size_t dim = (size_t)n->g.dim;
    const float *w = n->w;
    double f = 0.0;

    for (int64_t k = 0; k < n->hidden; k++, w += dim + 2) {
        double sum = w[dim];

        for (size_t i = 0; i < dim; i++)
            sum += (double)w[i] * x[i];
        f += w[dim + 1] * math_tanh(sum);
    }
    return f;
}

static peck_status open_net(void *self, uint64_t seed, struct shape *shape, peck_error *err)
{
    struct net_target *const n = self;
    const size_t n_weights = (size_t)n->hidden * ((size_t)n->g.dim + 2);
    struct rng r;

    (void)seed;
    n->w = mem_new(n_weights, sizeof *n->w);
    if (n->w == NULL)
        return fail_memory(err, "target net", n_weights, sizeof *n->w);
    rng_seed(&r, (uint64_t)n->g.target, STREAM_TARGET);
    draw_row(&r, n->w, n_weights, -1.0, 1.0);
    return graded_open(&n->g, net_value, n, shape, err);
}

static void fill_net(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    graded_fill(&((const struct net_target *)self)->g, net_value, self, seed, q, out);
}

static void close_net(void *self)
{
    mem_free(((struct net_target *)self)->w);
}

const struct generator generator_net = {
    .plug = { { "net", "documents graded by a random net of tanh units",
                "Features are uniform in [-1,1]; a two-layer net with weights uniform in "
                "[-1,1] gives each document a value, and the values are cut into grades of "
                "equal frequency. The net and the cuts depend on `target` alone: make "
                "training, validation and test data with different seeds and the same "
                "target. Burges et al. 2005 (RankNet), section 5: 1,000 queries of 50 "
                "documents, 50 features, 10 units, six grades; `hide=zero` gives the "
                "unlabelled documents of section 6." },
              params },
    .self_size = sizeof(struct net_target),
    .open = open_net,
    .fill = fill_net,
    .close = close_net,
};
