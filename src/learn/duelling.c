/* duelling.c -- see duelling.h. */
#include "duelling.h"

#include "../base/alloc.h"

peck_status duel_room_new(struct duel_room **out, const struct duel_rule *rule,
                          peck_error *err)
{
    struct duel_room *const room = mem_new(1, sizeof *room);
    const size_t kept = rule->family->kept(rule->shape);

    *out = NULL;
    if (room == NULL ||
        (room->keep = mem_new(DUELS_AT_ONCE * kept, sizeof(real))) == NULL) {
        mem_free(room);
        return fail_memory(err, "duels", DUELS_AT_ONCE, sizeof *room + kept * sizeof(real));
    }
    *out = room;
    return PECK_OK;
}

void duel_room_free(struct duel_room *room)
{
    if (room != NULL)
        mem_free(room->keep);
    mem_free(room);
}

/* Duels of one query on their way. */
struct bout {
    const struct duel_rule *rule;
    const real *w, *view;
    struct duel_room *room;
    real part; /* of a pair's derivatives */
    real *dview, *dw;
    double loss;
};

static void settle(struct bout *b)
{
    const struct duel_rule *const r = b->rule;
    struct duel_room *const room = b->room;
    const size_t n = room->n;

    r->family->duels(r->shape, b->w, b->view, room->duel, n, room->out,
                     b->dw != NULL ? room->keep : NULL);
    b->loss += r->objective->duels(r->config, room->pair, n, room->out, room->dout);
    room->n = 0;
    if (b->dw == NULL)
        return;
    for (size_t k = 0; k < n; k++) {
        room->dout[k][0] *= b->part;
        room->dout[k][1] *= b->part;
    }
    r->family->duels_back(r->shape, b->w, b->view, room->duel, n, room->dout, room->keep,
                          b->dview, b->dw);
}

static inline void put(struct bout *b, struct pair pair)
{
    struct duel_room *const room = b->room;

    room->duel[room->n] = (peck_duel){ pair.i, pair.j };
    room->pair[room->n] = pair;
    if (++room->n == DUELS_AT_ONCE)
        settle(b);
}

/* The pairs (i, lo .. hi-1) of probability p. */
static void put_run(struct bout *b, const struct query_pairs *q, uint32_t i, uint32_t lo,
                    uint32_t hi, float p)
{
    const float *const weight = q->doc_weight;

    for (uint32_t j = lo; j < hi; j++)
        put(b, (struct pair){ i, j, p, weight != NULL ? weight[i] * weight[j] : 1.0f });
}

double duelling(const struct duel_rule *rule, const struct query_pairs *q, const real *w,
                const real *view, struct duel_room *room, real part, real *dview, real *dw)
{
    struct bout b = {
        rule, w, view, room, (real)((double)part / q->n_all), dview, dw, 0.0
    };

    if (q->n_all <= 0.0)
        return 0.0;
    room->n = 0;
    for (uint32_t i = 0; q->below != NULL && i < q->n_judged; i++)
        put_run(&b, q, i, q->below[i], q->until[i], 1.0f);
    for (uint32_t i = 0; q->ties_until != NULL && i < q->n_judged; i++)
        put_run(&b, q, i, i + 1, q->ties_until[i], 0.5f);
    for (size_t t = 0; t < q->n_pairs; t++)
        put(&b, q->pair[t]);
    if (room->n > 0)
        settle(&b);
    return b.loss / q->n_all;
}
