/* gen_gauss.c -- relevance classes as Gaussian clouds, with noise on the labels.
 *
 *   class y uniform in 0 .. K-1;   x_i ~ N(m_yi, s_yi^2),  m in [0, 100], s in [50, 100]
 *   label = round(y + sigma N(0,1)), clipped to 0 .. K-1
 *
 * Koeppel, Segner, Wagener, Pensel, Karwath and Kramer, "Pairwise learning to rank by
 * neural networks revisited", 2019, section 4.5.                                  */
#include "draw.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

struct gauss {
    int64_t queries, docs, dim, classes, target;
    double noise;
    float *mean, *deviation; /* [classes][dim] */
};

static const struct param params[] = {
    { "queries", PARAM_INT, "1", "[1,1000000000]", "queries to make",
      offsetof(struct gauss, queries) },
    { "docs", PARAM_INT, "100000", "[1,100000000]", "documents of each query",
      offsetof(struct gauss, docs) },
    { "dim", PARAM_INT, "70", "[1,10000]", "features", offsetof(struct gauss, dim) },
    { "classes", PARAM_INT, "5", "[2,32]", "relevance classes, labelled 0 .. classes-1",
      offsetof(struct gauss, classes) },
    { "noise", PARAM_FLOAT, "0", "[0,100]",
      "deviation of the labels; for training data only, judge on clean labels",
      offsetof(struct gauss, noise) },
    { "target", PARAM_INT, "1", "[0,inf)",
      "which class means and deviations; files that share it are samples of one task",
      offsetof(struct gauss, target) },
    { 0 }
};

static peck_status open_gauss(void *self, uint64_t seed, struct shape *shape,
                              peck_error *err)
{
    struct gauss *const g = self;
    const size_t cells = (size_t)g->classes * (size_t)g->dim;
    struct rng r;

    (void)seed;
    g->mean = mem_new(cells, sizeof *g->mean);
    g->deviation = mem_new(cells, sizeof *g->deviation);
    if (g->mean == NULL || g->deviation == NULL)
        return fail_memory(err, "class means", cells, sizeof *g->mean);
    rng_seed(&r, (uint64_t)g->target, STREAM_TARGET);
    draw_row(&r, g->mean, cells, 0.0, 100.0);
    draw_row(&r, g->deviation, cells, 50.0, 100.0);
    *shape = (struct shape){ .n_queries = (size_t)g->queries,
                             .max_docs = (size_t)g->docs,
                             .dim = (size_t)g->dim };
    return PECK_OK;
}

/* Noise has a stream of its own: the same seed gives the same documents with and
 * without it. */
static void fill_gauss(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    const struct gauss *const g = self;
    const size_t dim = (size_t)g->dim;
    struct rng r, noise;

    rng_seed(&r, seed, q);
    rng_seed(&noise, mix64(seed, STREAM_TARGET), q);
    out->n = (size_t)g->docs;
    for (size_t d = 0; d < out->n; d++) {
        const uint64_t class = rng_below(&r, (uint64_t)g->classes);
        const float *const mean = g->mean + class * dim;
        const float *const deviation = g->deviation + class * dim;
        float *const x = out->x + d * dim;

        for (size_t i = 0; i < dim; i++)
            x[i] = draw_round(mean[i] + deviation[i] * rng_normal(&r), 1e3);
        const double label = nearbyint((double)class + g->noise * rng_normal(&noise));

        out->label[d] = (float)math_min(math_max(label, 0.0), (double)(g->classes - 1));
    }
}

static void close_gauss(void *self)
{
    struct gauss *const g = self;

    mem_free(g->mean);
    mem_free(g->deviation);
}

const struct generator generator_gauss = {
    .plug = { { "gauss", "relevance classes as Gaussian clouds, with label noise",
                "Each class has its own random mean (0 to 100) and deviation (50 to 100) "
                "in every feature; a document's class is its label. With `noise` the label "
                "is drawn from a Gaussian around the class, rounded and clipped to the "
                "classes. Class means and deviations depend on `target` alone: make "
                "training data with one seed, test data with another and noise=0. One list "
                "by default, as in the paper. Koeppel et al. 2019 (DirectRanker), section "
                "4.5: 100,000 training and 10,000 test documents, 70 features, five "
                "classes." },
              params },
    .self_size = sizeof(struct gauss),
    .open = open_gauss,
    .fill = fill_gauss,
    .close = close_gauss,
};
