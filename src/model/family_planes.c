/* family_planes.c -- several linear rankers that vote: Borda's count.
 *
 *   preference of i over j = the share of votes of the rankers that put i before j
 *
 * Over all documents j of a list that is n - 1 minus the mean rank of i: a duel of
 * everybody with everybody counts as Borda did.  See planes.h.                        */
#include "dense.h"
#include "planes.h"

static const struct param planes_params[] = { { "planes", PARAM_INT, "10", "[1,1000]",
                                                "linear rankers at most",
                                                offsetof(struct planes, n) },
                                              { 0 } };

static peck_status planes_open(void *shape, size_t dim, peck_error *err)
{
    struct planes *const p = shape;
    const size_t most = FAMILY_MAX_INPUTS / (size_t)p->n;

    p->dim = dim;
    return family_takes("planes", dim, most, err);
}

static void planes_describe(const void *shape, struct text *to)
{
    const struct planes *const p = shape;

    text_printf(to, "%zu-1, up to %lld that vote", p->dim, (long long)p->n);
}

static size_t planes_n_weights(const void *shape)
{
    const struct planes *const p = shape;

    return (p->dim + 1) * (size_t)p->n;
}

static size_t planes_view_size(const void *shape)
{
    return (size_t)((const struct planes *)shape)->n;
}

static void planes_view(const void *shape, const real *w, struct rows x, real *to,
                        real *scratch)
{
    const struct planes *const p = shape;

    (void)scratch;
    dense_forward(x.n, (size_t)p->n, p->dim, x.x, x.stride, w, NULL, to);
}

/* Votes for a and for b; a plane that cannot tell gives half to each. */
static void planes_vote(const struct planes *p, const real *votes, const real *a,
                        const real *b, real count[2])
{
    count[0] = count[1] = 0;
    for (int64_t k = 0; k < p->n; k++) {
        const real own = votes[k] > 0 ? votes[k] : 0;

        count[0] += a[k] > b[k] ? own : a[k] < b[k] ? 0 : own / 2;
        count[1] += a[k] < b[k] ? own : a[k] > b[k] ? 0 : own / 2;
    }
}

static void planes_duels(const void *shape, const real *w, const real *seen,
                         const peck_duel *duel, size_t n_duels, real (*out)[2], real *keep)
{
    const struct planes *const p = shape;
    const size_t n = (size_t)p->n;

    (void)keep;
    for (size_t k = 0; k < n_duels; k++) {
        planes_vote(p, w + p->dim * n, seen + duel[k].i * n, seen + duel[k].j * n, out[k]);
        const real all = out[k][0] + out[k][1];

        for (int side = 0; side < 2; side++)
            out[k][side] = all > 0 ? out[k][side] / all : (real)0.5;
    }
}

static void planes_decide(const void *shape, const real *w, const real *seen,
                          const peck_duel *duel, size_t n_duels, real *lead)
{
    const struct planes *const p = shape;
    const size_t n = (size_t)p->n;
    real count[2];

    for (size_t k = 0; k < n_duels; k++) {
        planes_vote(p, w + p->dim * n, seen + duel[k].i * n, seen + duel[k].j * n, count);
        lead[k] = count[0] - count[1];
    }
}

static const struct compare_ops planes_ops = {
    .decoder = "degree",
    .view_size = planes_view_size,
    .view = planes_view,
    .decide = planes_decide,
    .duels = planes_duels,
};

const struct family family_planes = {
    .plug = { { "planes", "linear rankers that vote",
                "Each puts the documents in its own order; the mean of their ranks counts. "
                "The family of MHR-BC." },
              planes_params },
    .compares = &planes_ops,
    .shape_size = sizeof(struct planes),
    .open = planes_open,
    .describe = planes_describe,
    .n_weights = planes_n_weights,
};
