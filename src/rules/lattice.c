/* lattice.c -- see enforce.h: the cheapest of all orders, by dynamic programming.
 *
 * Where no machine looks at `before`, only the band between two tops counts in which a
 * document stands, and within a band the model's order is best.  Documents are then taken
 * by rank and each is given a band: a state is how full the bands are and what the machines
 * remember.  Of a kind only the first can stand before the last cut, as many as there are
 * places; all others are behind it.
 *
 * Where one does, places are filled from the first on: a state is how many of each kind are
 * there, and what the machines remember.
 *
 * What is left open costs at least what the model's order of it does, so states that are
 * worse than an order that is known are dropped.  Of two ways to one state the cheaper is
 * kept; of equal ones that whose order is the first by the model's ranks, compared place by
 * place.                                                                              */
#include "enforce.h"

#include "../base/sort.h"

#include <math.h>

enum {
    NARROW = 8,   /* states of a layer once the work is used up */
    OVERHEAD = 16 /* what a state costs beside its counts and machines */
};

struct state {
    int64_t lost, bound; /* weight and cost, at least */
    int64_t paid;
    uint32_t parent, choice; /* choice: a rank, or a band */
};

struct lattice {
    const struct lineup *l;
    const struct limits *most;
    bool by_band;
    size_t n_layers, key_words;
    uint64_t *key; /* of each state: memory, then counts, two in a word */
    struct state *state;
    size_t n, cap_key, cap_state;
    size_t first; /* of the layer that grows */
    uint32_t *slot;
    size_t n_slots, cap_slots;
    size_t work;
    bool is_cut, is_short; /* short of memory */
    /* By rank: sums of s_i and of s_i i over the ranks before one. */
    int64_t *sum, *moment;
    /* By band. */
    uint32_t *cut, n_cuts, *branch; /* branch[n_layers]: the ranks that have a choice */
    uint64_t *chance; /* [n_layers + 1][n_rules]: bands that decide a rule yet */
    /* By place. */
    uint32_t *below; /* [n_kinds][n]: of a kind, those before a rank */
    int64_t *prefix; /* [n + n_kinds]: of a kind, sums over its first members */
    bool *is_forced; /* [n_kinds][n_kinds]: the first goes before the second in any case */
    struct arena memory;
};

/* States -------------------------------------------------------------------------------- */

static uint32_t count_at(const struct lattice *x, const uint64_t *key, size_t i)
{
    return (uint32_t)(key[x->l->n_words + i / 2] >> i % 2 * 32);
}

static void count_up(const struct lattice *x, uint64_t *key, size_t i)
{
    key[x->l->n_words + i / 2] += UINT64_C(1) << i % 2 * 32;
}

static size_t hash_key(const struct lattice *x, const uint64_t *key)
{
    uint64_t h = 0;

    for (size_t i = 0; i < x->key_words; i++) {
        h = (h ^ key[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return (size_t)(h ^ h >> 32);
}

/* An empty table for at least n states. */
static void clear_slots(struct lattice *x, size_t n)
{
    size_t wanted = 64;

    while (wanted < 4 * n)
        wanted *= 2;
    if (!mem_reserve(&x->slot, &x->cap_slots, wanted, sizeof *x->slot)) {
        x->is_short = true;
        return;
    }
    x->n_slots = wanted;
    memset(x->slot, 0, wanted * sizeof *x->slot);
}

/* The slot of this key in the layer that grows: its state's, or an empty one. */
static uint32_t *find_slot(const struct lattice *x, const uint64_t *key)
{
    size_t at = hash_key(x, key) & (x->n_slots - 1);

    while (x->slot[at] != 0 && memcmp(x->key + (x->slot[at] - 1) * x->key_words, key,
                                      x->key_words * sizeof *key) != 0)
        at = (at + 1) & (x->n_slots - 1);
    return &x->slot[at];
}

static void fill_slots(struct lattice *x, size_t n)
{
    clear_slots(x, n);
    for (size_t i = x->first; !x->is_short && i < x->n; i++)
        *find_slot(x, x->key + i * x->key_words) = (uint32_t)i + 1;
}

/* Whether the way over a goes before the way over b, both of one length.  By place: the
 * first place where they differ decides.  By band: the first band, and in it the first
 * rank, that one way has and the other has not. */
static bool is_earlier(const struct lattice *x, struct state a, struct state b)
{
    uint32_t band = UINT32_MAX;
    bool is_first = false;

    for (;;) {
        const uint32_t least = a.choice < b.choice ? a.choice : b.choice;

        if (a.choice != b.choice && (!x->by_band || least <= band)) {
            band = least;
            is_first = a.choice < b.choice;
        }
        if (a.parent == b.parent)
            return is_first;
        a = x->state[a.parent];
        b = x->state[b.parent];
    }
}

/* The best `width` states of the layer that grows; the others go. */
static void trim_layer(struct lattice *x, size_t width)
{
    const size_t n = x->n - x->first;
    struct sort_item *const item = mem_new(2 * n, sizeof *item);

    if (n <= width || item == NULL) {
        x->is_short |= item == NULL;
        mem_free(item);
        return;
    }
    for (size_t i = 0; i < n; i++)
        item[i] = (struct sort_item){ (uint64_t)x->state[x->first + i].bound, (uint32_t)i };
    sort_items(item, n, item + n);
    for (size_t i = 0; i < n; i++)
        item[i].key = (uint64_t)x->state[x->first + item[i].from].lost;
    sort_items(item, n, item + n);
    for (size_t i = 0; i < width; i++)
        item[i].key = item[i].from;
    sort_items(item, width, item + n);
    for (size_t i = 0; i < width; i++) { /* by rising number, so each moves forward */
        const size_t from = x->first + item[i].from, to = x->first + i;

        x->state[to] = x->state[from];
        memmove(x->key + to * x->key_words, x->key + from * x->key_words,
                x->key_words * sizeof *x->key);
    }
    x->n = x->first + width;
    x->is_cut = true;
    mem_free(item);
}

static void offer_state(struct lattice *x, const uint64_t *key, struct state s)
{
    const size_t width = x->work > x->most->work ? NARROW : x->most->width;

    if (x->is_short || s.lost > x->most->lost ||
        (s.lost == x->most->lost && s.bound > x->most->cost))
        return;
    if (x->n - x->first >= 4 * width) {
        trim_layer(x, width);
        fill_slots(x, width);
    }
    if (2 * (x->n - x->first) >= x->n_slots)
        fill_slots(x, x->n - x->first);
    if (x->is_short)
        return;
    uint32_t *const slot = find_slot(x, key);

    if (*slot != 0) {
        struct state *const old = &x->state[*slot - 1];

        if (s.paid < old->paid || (s.paid == old->paid && is_earlier(x, s, *old)))
            *old = s;
        return;
    }
    if (!mem_reserve(&x->state, &x->cap_state, x->n + 1, sizeof *x->state) ||
        !mem_reserve(&x->key, &x->cap_key, (x->n + 1) * x->key_words, sizeof *x->key)) {
        x->is_short = true;
        return;
    }
    x->state[x->n] = s;
    memcpy(x->key + x->n * x->key_words, key, x->key_words * sizeof *key);
    *slot = (uint32_t)++x->n;
}

/* By band ------------------------------------------------------------------------------- */

static bool is_watched(const struct lattice *x, size_t machine)
{
    const struct automaton *const a = &x->l->machine[machine];

    return !a->is_opaque && (!x->by_band || !a->has_before);
}

/* Weight that is lost whatever follows: broken for good, or nobody is left to decide it. */
static int64_t lost_of(const struct lattice *x, const uint64_t *key, size_t layer,
                       uint64_t open)
{
    const struct lineup *const l = x->l;
    int64_t lost = 0;

    for (size_t m = 0; m < l->n_rules; m++) {
        const struct automaton *const a = &l->machine[m];
        const bool is_over = layer == x->n_layers;

        if (!is_watched(x, m))
            continue;
        if (is_over ? !automaton_holds(l, m, key) : automaton_is_dead(l, m, key))
            lost += a->weight;
        else if (!is_over && x->by_band && a->n_vars == 1 && a->is_denied &&
                 !automaton_bit(key, m) && (x->chance[layer * l->n_rules + m] & open) == 0)
            lost += a->weight;
    }
    return lost;
}

/* The first position of a band. */
static uint32_t band_begin(const struct lattice *x, uint32_t band)
{
    return band > 0 ? x->cut[band - 1] : 0;
}

/* Ranks from..to behind the last cut, when `used` ranks stand before it. */
static int64_t cost_behind(const struct lattice *x, uint32_t from, uint32_t to,
                           int64_t shift)
{
    return x->moment[to] - x->moment[from] + shift * (x->sum[to] - x->sum[from]);
}

/* What ranks from `rank` on cost at least; below 0: they are too few for the bands. */
static int64_t cost_of_rest(const struct lattice *x, const uint64_t *key, uint32_t rank,
                            uint32_t used)
{
    uint32_t at = rank;
    int64_t cost = 0;

    for (uint32_t b = 0; b < x->n_cuts; b++) {
        const uint32_t begin = band_begin(x, b) + count_at(x, key, b);
        const uint32_t n = x->cut[b] - begin;

        if (n > x->l->n - at)
            return -1;
        cost += cost_behind(x, at, at + n, (int64_t)begin - at);
        at += n;
    }
    const int64_t begin = (int64_t)x->cut[x->n_cuts - 1] + rank - used;

    return cost + cost_behind(x, at, x->l->n, begin - at);
}

static void expand_by_band(struct lattice *x, size_t layer, uint32_t parent, uint64_t *key)
{
    const struct lineup *const l = x->l;
    const uint32_t rank = x->branch[layer];
    const uint32_t next = layer + 1 < x->n_layers ? x->branch[layer + 1] : l->n;

    for (uint32_t b = 0; b <= x->n_cuts; b++) {
        uint32_t used = 0, position = band_begin(x, b);
        uint64_t open = UINT64_C(1) << x->n_cuts % 64; /* bits that are shared: more hope */

        memcpy(key, x->key + parent * x->key_words, x->key_words * sizeof *key);
        if (b < x->n_cuts && position + count_at(x, key, b) == x->cut[b])
            continue;
        x->work += OVERHEAD + l->n_rules + x->n_cuts;
        for (size_t m = 0; m < l->n_rules; m++)
            if (is_watched(x, m))
                automaton_step(l, m, key, l->kind[rank], position);
        for (uint32_t i = 0; i < x->n_cuts; i++)
            used += count_at(x, key, i);
        position += b < x->n_cuts ? count_at(x, key, b) : rank - used;
        if (b < x->n_cuts) {
            count_up(x, key, b);
            used++;
        }
        for (uint32_t i = 0; i < x->n_cuts; i++)
            if (band_begin(x, i) + count_at(x, key, i) < x->cut[i])
                open |= UINT64_C(1) << i % 64;
        const int64_t rest = cost_of_rest(x, key, next, used);
        const int64_t behind =
            cost_behind(x, rank + 1, next, (int64_t)x->cut[x->n_cuts - 1] - used);
        const int64_t paid =
            x->state[parent].paid + l->score[rank] * (int64_t)position + behind;

        if (rest >= 0)
            offer_state(x, key,
                        (struct state){ lost_of(x, key, layer + 1, open),
                                        paid + rest - x->moment[l->n], paid, parent, b });
    }
}

/* All cuts of the machines that are watched, rising. */
static void gather_cuts(struct lattice *x)
{
    for (size_t m = 0; m < x->l->n_rules; m++) {
        const struct automaton *const a = &x->l->machine[m];

        for (uint32_t i = 0; is_watched(x, m) && i < a->n_cuts; i++) {
            uint32_t at = 0;

            while (at < x->n_cuts && x->cut[at] < a->cut[i])
                at++;
            if (at < x->n_cuts && x->cut[at] == a->cut[i])
                continue;
            memmove(x->cut + at + 1, x->cut + at, (x->n_cuts - at) * sizeof *x->cut);
            x->cut[at] = a->cut[i];
            x->n_cuts++;
        }
    }
}

/* Bands of the ranks from each layer on that can decide a rule `exists d`. */
static void find_chances(struct lattice *x)
{
    const struct lineup *const l = x->l;

    for (size_t layer = x->n_layers; layer-- > 0;)
        for (size_t m = 0; m < l->n_rules; m++) {
            const struct automaton *const a = &l->machine[m];
            uint64_t *const to = &x->chance[layer * l->n_rules + m];

            *to = to[l->n_rules];
            for (uint32_t b = 0; is_watched(x, m) && a->n_vars == 1 && b <= x->n_cuts;
                 b++) {
                const size_t letter =
                    (size_t)a->type[l->kind[x->branch[layer]]] * (a->n_cuts + 1) +
                    automaton_band(a, band_begin(x, b));

                *to |= a->alone[letter] ? UINT64_C(1) << b % 64 : 0;
            }
        }
}

/* By place ------------------------------------------------------------------------------ */

/* What it costs to put `rank`, of kind k, before those of kind i that the model has before it
 * and that are not there yet. */
static int64_t cost_to_pass(const struct lattice *x, const uint64_t *key, uint32_t rank,
                            uint32_t i)
{
    const struct lineup *const l = x->l;
    const uint32_t placed = count_at(x, key, i);
    const uint32_t ahead = x->below[(size_t)i * l->n + rank];
    const int64_t *const sum = x->prefix + l->begin[i] + i;

    return ahead > placed
               ? sum[ahead] - sum[placed] - (int64_t)(ahead - placed) * l->score[rank]
               : 0;
}

/* What pairs that are turned in any case are part of every bound from the first state on. */
static void expand_by_place(struct lattice *x, size_t layer, uint32_t parent, uint64_t *key)
{
    const struct lineup *const l = x->l;

    for (uint32_t k = 0; k < l->n_kinds; k++) {
        const uint64_t *const from = x->key + parent * x->key_words;
        const uint32_t there = count_at(x, from, k);
        int64_t paid = x->state[parent].paid, bound = x->state[parent].bound;
        bool is_late = there < l->count[k]; /* all that must go before it are there */

        for (uint32_t i = 0; is_late && i < l->n_kinds; i++)
            is_late = !x->is_forced[(size_t)i * l->n_kinds + k] ||
                      count_at(x, from, i) == l->count[i];
        if (!is_late)
            continue;
        const uint32_t rank = l->member[l->begin[k] + there];

        for (uint32_t i = 0; i < l->n_kinds; i++) {
            const int64_t cost = cost_to_pass(x, from, rank, i);

            paid += cost;
            bound += x->is_forced[(size_t)k * l->n_kinds + i] ? 0 : cost;
        }
        x->work += OVERHEAD + l->n_rules + l->n_kinds;
        memcpy(key, from, x->key_words * sizeof *key);
        for (size_t m = 0; m < l->n_rules; m++)
            if (is_watched(x, m))
                automaton_step(l, m, key, k, (uint32_t)layer);
        count_up(x, key, k);
        offer_state(
            x, key,
            (struct state){ lost_of(x, key, layer + 1, 0), bound, paid, parent, rank });
    }
}

/* Where every rule must hold, who goes before whom is known of some kinds. */
static void find_forced(struct lattice *x)
{
    const struct lineup *const l = x->l;

    for (size_t m = 0; m < l->n_rules; m++) {
        const struct automaton *const a = &l->machine[m];

        for (uint32_t i = 0; automaton_is_of_pairs(a) && i < l->n_kinds * l->n_kinds; i++)
            x->is_forced[i] |=
                i / l->n_kinds != i % l->n_kinds &&
                automaton_forces(a, a->type[i / l->n_kinds], a->type[i % l->n_kinds]);
    }
}

/* Running ------------------------------------------------------------------------------- */

/* Layer after layer; *best: the last state of the best order, UINT32_MAX: none. */
static void run_layers(struct lattice *x, uint64_t *key, uint32_t *best)
{
    size_t from = 0, to = 1;

    *best = UINT32_MAX;
    for (size_t layer = 0; !x->is_short && layer < x->n_layers; layer++) {
        if (x->most->gives_up && x->work > x->most->work) {
            x->is_cut = true;
            return;
        }
        x->first = to;
        clear_slots(x, to - from);
        for (size_t i = from; !x->is_short && i < to; i++) {
            if (x->by_band)
                expand_by_band(x, layer, (uint32_t)i, key);
            else
                expand_by_place(x, layer, (uint32_t)i, key);
        }
        trim_layer(x, x->work > x->most->work ? NARROW : x->most->width);
        from = to;
        to = x->n;
    }
    for (size_t i = from; !x->is_short && i < to; i++) {
        const struct state *const s = &x->state[i];
        const struct state *const b = *best != UINT32_MAX ? &x->state[*best] : NULL;

        if (b == NULL || s->lost < b->lost ||
            (s->lost == b->lost &&
             (s->bound < b->bound || (s->bound == b->bound && is_earlier(x, *s, *b)))))
            *best = (uint32_t)i;
    }
}

/* The choices that led to a state, as an order of ranks. */
static void trace_order(const struct lattice *x, uint32_t at, uint32_t *order)
{
    const struct lineup *const l = x->l;

    for (size_t layer = x->n_layers; layer-- > 0; at = x->state[at].parent)
        order[layer] = x->state[at].choice;
    if (!x->by_band)
        return;
    uint32_t *const band = x->below; /* n: of each rank, in room that is free here */

    for (uint32_t i = 0; i < l->n; i++)
        band[i] = x->n_cuts;
    for (size_t i = 0; i < x->n_layers; i++)
        band[x->branch[i]] = order[i];
    for (uint32_t b = 0, n = 0; b <= x->n_cuts; b++)
        for (uint32_t i = 0; i < l->n; i++)
            if (band[i] == b)
                order[n++] = i;
}

static peck_status lattice_run(struct lattice *x, uint32_t *order, struct outcome *out,
                               peck_error *err)
{
    const size_t n = (x->by_band ? x->n_cuts : x->l->n_kinds);

    x->key_words = x->l->n_words + (n + 1) / 2;
    uint64_t *const key = arena_new(&x->memory, "orders", x->key_words, sizeof *key);
    peck_status st = arena_check(&x->memory, err);
    uint32_t best = UINT32_MAX;

    if (st == PECK_OK && (!mem_reserve(&x->state, &x->cap_state, 1, sizeof *x->state) ||
                          !mem_reserve(&x->key, &x->cap_key, x->key_words, sizeof *x->key)))
        st = fail_memory(err, "orders", x->key_words, sizeof *x->key);
    if (st == PECK_OK) {
        /* The first state: nobody is there, but those of long kinds behind the last cut, of
         * which no more than two can tell a machine anything. */
        memset(x->key, 0, x->key_words * sizeof *x->key);
        x->state[0] = (struct state){ 0 };
        x->n = 1;
        for (uint32_t i = 0; !x->by_band && i < x->l->n; i++) /* pairs turned in any case */
            for (uint32_t k = 0; k < x->l->n_kinds; k++)
                if (x->is_forced[(size_t)x->l->kind[i] * x->l->n_kinds + k])
                    x->state[0].bound += cost_to_pass(x, x->key, i, k);
        for (uint32_t k = 0; x->by_band && k < x->l->n_kinds; k++)
            for (uint32_t i = x->cut[x->n_cuts - 1], more = 0;
                 i < x->l->count[k] && more < 2; i++, more++)
                for (size_t m = 0; m < x->l->n_rules; m++)
                    if (is_watched(x, m))
                        automaton_step(x->l, m, x->key, k, x->cut[x->n_cuts - 1]);
        run_layers(x, key, &best);
        if (x->is_short)
            st = fail_memory(err, "orders", x->n, x->key_words * sizeof *x->key);
    }
    *out = (struct outcome){ .is_cut = x->is_cut, .is_found = best != UINT32_MAX };
    if (st == PECK_OK && out->is_found) {
        out->lost = x->state[best].lost;
        out->cost = x->state[best].bound;
        trace_order(x, best, order);
    }
    mem_free(x->state);
    mem_free(x->key);
    mem_free(x->slot);
    arena_free(&x->memory);
    return st;
}

peck_status lattice_by_band(const struct lineup *l, const struct limits *most,
                            uint32_t *order, struct outcome *out, peck_error *err)
{
    static const char *const what = "orders by band";
    struct lattice x = { .l = l, .most = most, .by_band = true };
    struct arena *const a = &x.memory;
    const size_t n = l->n;

    x.cut = arena_new(a, what, l->n_rules * MAX_ATOMS + 1, sizeof *x.cut);
    x.branch = arena_new(a, what, n, sizeof *x.branch);
    x.below = arena_new(a, what, n, sizeof *x.below);
    x.sum = arena_new(a, what, n + 1, sizeof *x.sum);
    x.moment = arena_new(a, what, n + 1, sizeof *x.moment);
    peck_status st = arena_check(a, err);

    if (st != PECK_OK) {
        arena_free(a);
        return st;
    }
    gather_cuts(&x);
    if (x.n_cuts == 0) /* no machine looks at any place: one band, all by rank */
        x.cut[x.n_cuts++] = 1;
    for (uint32_t i = 0; i < n; i++) {
        x.sum[i + 1] = x.sum[i] + l->score[i];
        x.moment[i + 1] = x.moment[i] + l->score[i] * (int64_t)i;
        if (x.below[l->kind[i]]++ < x.cut[x.n_cuts - 1]) /* of its kind so far */
            x.branch[x.n_layers++] = i;
    }
    x.chance = arena_new(a, what, (x.n_layers + 1) * l->n_rules, sizeof *x.chance);
    st = arena_check(a, err);
    if (st != PECK_OK) {
        arena_free(a);
        return st;
    }
    find_chances(&x);
    return lattice_run(&x, order, out, err);
}

peck_status lattice_by_place(const struct lineup *l, const struct limits *most,
                             uint32_t *order, struct outcome *out, peck_error *err)
{
    static const char *const what = "orders by place";
    struct lattice x = { .l = l, .most = most, .n_layers = l->n };
    const size_t n = l->n;

    x.below = arena_new(&x.memory, what, n * l->n_kinds, sizeof *x.below);
    x.prefix = arena_new(&x.memory, what, n + l->n_kinds, sizeof *x.prefix);
    x.is_forced =
        arena_new(&x.memory, what, (size_t)l->n_kinds * l->n_kinds, sizeof *x.is_forced);
    const peck_status st = arena_check(&x.memory, err);

    if (st != PECK_OK) {
        arena_free(&x.memory);
        return st;
    }
    for (uint32_t k = 0; k < l->n_kinds; k++) {
        int64_t *const sum = x.prefix + l->begin[k] + k;
        uint32_t *const below = x.below + k * n, there = 0;

        for (uint32_t i = 0; i < n; i++) {
            below[i] = there;
            if (l->kind[i] == k) {
                sum[there + 1] = sum[there] + l->score[i];
                there++;
            }
        }
    }
    if (most->lost == 0)
        find_forced(&x);
    return lattice_run(&x, order, out, err);
}
