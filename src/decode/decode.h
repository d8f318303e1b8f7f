/* decode -- PREFERENCES -> ORDER
 *   in      an oracle that says how strongly one item is preferred to another
 *   out     an order of the items, the questions that it took, what it contradicts
 *   knows   base
 *   never   features, labels, models
 *   grow    dec_<name>.c + one line in decoders.def
 *
 * Items are 0 .. n-1.  An oracle need not be consistent: a may be preferred to b, b to c
 * and c to a.  Every decoder ends and returns a permutation all the same.             */
#ifndef DECODE_H
#define DECODE_H

#include "../base/plug.h"
#include "../base/pool.h"
#include "../base/view.h"

/* Who is asked. */
struct oracle {
    uint32_t n; /* items */
    /* h[k] = how strongly duel[k].i is preferred to duel[k].j, from 0 to 1; i != j.
     * `worker` is below pool_size(pool) of the decoding: each has a room of its own. */
    peck_status (*ask)(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                       float *h, peck_error *err);
    /* As ask, where only the side counts: lead[k] is above 0 when duel[k].i goes before
     * duel[k].j, below 0 when behind, 0 when neither.  NULL: ask() minus 1/2. */
    peck_status (*decide)(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                          float *lead, peck_error *err);
    /* As ask, where the two directions count as h(i, j) / (h(i, j) + h(j, i)), 1/2 where both
     * are 0.  NULL: of one that is symmetric, the same as ask. */
    peck_status (*ask_ratio)(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                             float *h, peck_error *err);
    /* Whom item i > 0 was compared with: fills other[] with those of them that are below i,
     * as many as come back; every pair that nobody names is 1/2.  other has room for n.
     * NULL: any pair may be anything. */
    size_t (*known)(void *ctx, uint32_t i, uint32_t *other);
    void *ctx;
    bool is_symmetric; /* h(i, j) = 1 - h(j, i) by itself; else both are asked, and
                        * (h(i, j) + 1 - h(j, i)) / 2 counts, or the ratio, as two
                        * questions */
};

/* What an order took and what it is worth. */
struct decoding {
    uint32_t *order;      /* n: items, the first one first */
    double *score;        /* n, by item: its order by falling score is `order` */
    uint64_t n_questions; /* duels asked */
    uint64_t n_distinct;  /* ... of different unordered pairs; 0: nobody counted */
    double cost;          /* sum of h(j, i) over i before j; NaN: not asked for */
};

/* How to decode: a decoder with its settings. */
enum { DECODE_CONFIG_MAX = 256 }; /* bytes of a decoder's settings */
struct decode_plan {
    const struct decoder *decoder;
    _Alignas(max_align_t) unsigned char config[DECODE_CONFIG_MAX];
};

/* "fuzzy:window=50,runs=3"; NULL: "tree". */
MUST_CHECK peck_status decode_plan_open(struct decode_plan *p, const char *spec,
                                        peck_error *err);

struct decode_call {
    const struct decode_plan *plan;
    const struct oracle *oracle;
    uint64_t seed;
    uint64_t budget;   /* questions at most, where the decoder can choose; 0: its own */
    bool is_costed;    /* find the cost: n (n - 1) / 2 more answers, not counted */
    bool is_cached;    /* ask no pair twice */
    struct pool *pool; /* NULL: this thread alone */
};

/* out's arrays are the caller's.  The same bytes at any pool size.  An answer that is NaN
 * or outside [0, 1] is refused, with the two items in the sentence. */
MUST_CHECK peck_status decode_run(const struct decode_call *call, struct decoding *out,
                                  peck_error *err);

extern const struct plug *const decoders[];
extern const size_t n_decoders;

#endif
