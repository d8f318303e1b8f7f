/* enforce.c -- see enforce.h: the order that keeps rules and is nearest to the model's.
 *
 * Exact where that is cheap: by band without `before`, by place with it, and by trying all
 * merges of kinds with rules of more than two quantifiers.  Else the best that a bounded
 * search finds: documents that must go before others are brought forward, or those wait,
 * up to each of some ranks, or what stands before a top is put in order alone; then single
 * documents are moved as long as that helps.  No bound is a time, so the same query has the
 * same order everywhere.                                                              */
#include "enforce.h"

#include "../base/sort.h"

#include <math.h>

enum {
    FIRST_WIDTH = 32,     /* states of a layer when an order is looked for at all */
    WIDTH = 4096,         /* ... and when it is to be the best */
    MOST_WORK = 4000000,  /* steps of a search: some 20 ms */
    LONG_LIST = 64,       /* documents from which on a search by place has less of that */
    MOST_MERGES = 10080,  /* orders that are tried one by one */
    MOST_TRY = 40000000,  /* documents looked at for that: up to half a second */
    SHORT_LIST = 7,       /* up to here all orders are tried if nothing else proves */
    MOST_TURNS = 64,      /* ranks up to which documents wait */
    MANY_KINDS = 256,     /* from here on fewer turns are tried */
    MOST_LEFT_OUT = 8,    /* rules of which each is left out once */
    MOST_TOPS = 16,       /* behind which documents stay as they were */
    MOST_KINDS = 4096,    /* of which it is noted who goes before whom */
    MOST_LOOKS = 2000000, /* documents looked at while single ones are moved */
};

/* One query at work: the best order so far, and room for others. */
struct attempt {
    struct lineup l;
    bool asks_only; /* whether all rules can hold is the question, not at what cost */
    uint32_t *best, *other, *position, *mark;
    uint64_t *machine_memory;
    int64_t lost, cost; /* of best */
    bool is_proven;
};

/* Orders of ranks ------------------------------------------------------------------------ */

static int64_t order_cost(const struct lineup *l, const uint32_t *order)
{
    int64_t cost = 0;

    for (uint32_t p = 0; p < l->n; p++)
        cost += l->score[order[p]] * ((int64_t)p - order[p]);
    return cost;
}

/* Which machines hold; kept may be NULL.  Returns the weight of those that do not. */
static int64_t order_lost(struct attempt *t, const uint32_t *order, bool *kept)
{
    const struct lineup *const l = &t->l;
    int64_t lost = 0;

    memset(t->machine_memory, 0, l->n_words * sizeof *t->machine_memory);
    for (uint32_t p = 0; p < l->n; p++)
        t->position[l->doc[order[p]]] = p;
    for (size_t m = 0; m < l->n_rules; m++) {
        const struct automaton *const a = &l->machine[m];

        for (uint32_t p = 0; !a->is_opaque && p < l->n; p++) {
            automaton_step(l, m, t->machine_memory, l->kind[order[p]], p);
            if (automaton_bit(t->machine_memory, m)) /* nothing changes that any more */
                break;
        }
        const bool holds = a->is_opaque
                               ? rules_hold(l->bound, a->rule, l->scene, t->position)
                               : automaton_holds(l, m, t->machine_memory);

        lost += holds ? 0 : a->weight;
        if (kept != NULL)
            kept[m] = holds;
    }
    return lost;
}

/* Takes an order that is better than the best. */
static bool take_order(struct attempt *t, const uint32_t *order)
{
    const int64_t cost = order_cost(&t->l, order);

    if (t->lost == 0 && (cost > t->cost || t->asks_only))
        return false;
    const int64_t lost = order_lost(t, order, NULL);
    bool is_better = lost < t->lost || (lost == t->lost && cost < t->cost);

    for (uint32_t p = 0; lost == t->lost && cost == t->cost && p < t->l.n; p++)
        if (order[p] != t->best[p]) {
            is_better = order[p] < t->best[p];
            break;
        }
    if (!is_better)
        return false;
    memcpy(t->best, order, t->l.n * sizeof *order);
    t->lost = lost;
    t->cost = cost;
    return true;
}

/* Documents that are looked at while it is found which machines an order keeps, about. */
static double looks_at_order(const struct lineup *l)
{
    double looks = (double)l->n;

    for (size_t m = 0; m < l->n_rules; m++) {
        const struct automaton *const a = &l->machine[m];
        const uint32_t nesting = l->bound->rules->rule[a->rule].nesting;
        double own = 1.0;

        for (uint32_t i = 0; a->is_opaque && i < nesting; i++)
            own *= (double)l->n;
        if (!a->is_opaque && a->n_words > 1) /* each document looks at words of letters */
            own = (double)l->n * (double)a->n_words / 8.0;
        looks += own;
    }
    return looks;
}

/* All merges ----------------------------------------------------------------------------- */

/* How many orders there are that keep the model's order of each kind, up to `most`. */
static size_t count_merges(const struct lineup *l, size_t most)
{
    double n = 1.0;
    uint32_t placed = 0;

    for (uint32_t k = 0; k < l->n_kinds; k++)
        for (uint32_t i = 1; i <= l->count[k]; i++)
            n *= (double)++placed / (double)i;
    return n < (double)most + 0.5 ? (size_t)(n + 0.5) : most + 1;
}

/* Fills places from `at` on; mark[k]: how many of kind k are placed.  In the order of ranks,
 * so that of equal orders the first is taken. */
static void try_merges_from(struct attempt *t, uint32_t at)
{
    const struct lineup *const l = &t->l;

    if (at == l->n) {
        take_order(t, t->other);
        return;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const uint32_t k = l->kind[i];

        if (t->mark[k] == l->count[k] || l->member[l->begin[k] + t->mark[k]] != i)
            continue;
        t->other[at] = i;
        t->mark[k]++;
        try_merges_from(t, at + 1);
        t->mark[k]--;
    }
}

static void try_merges(struct attempt *t)
{
    memset(t->mark, 0, t->l.n_kinds * sizeof *t->mark);
    try_merges_from(t, 0);
    t->is_proven = true;
}

/* Who must go before whom ---------------------------------------------------------------- */

/* Kinds as a graph: after[k] has a bit for each rank that must go before those of kind k. */
struct precedence {
    uint64_t *after, *left; /* left: ranks that are not placed yet */
    size_t n_words;
    uint32_t *next; /* of each kind: its member that is placed next */
    uint32_t *wait; /* n: ranks that wait */
    uint32_t
        *blocks; /* of each kind: the first word of its `after` with a rank that is left */
    bool *is_open; /* of each kind: those before it are just being placed */
    bool *is_in;   /* of each machine: it has a say */
    bool at_top;   /* so have those that say something between some tops alone */
};

static bool relates(const struct precedence *g, const struct automaton *a)
{
    return automaton_is_of_pairs(a) || (g->at_top && automaton_is_of_pairs_at_top(a));
}

/* Adds what a machine says; what it says between some tops alone, as if it did everywhere. */
static void relate_by(const struct lineup *l, const struct automaton *a,
                      struct precedence *g)
{
    for (uint32_t x = 0; x < l->n; x++)
        for (uint32_t y = 0; y < l->n_kinds; y++) {
            const uint32_t first = a->type[l->kind[x]], second = a->type[y];
            const bool forces = a->has_top ? automaton_may_force(a, first, second)
                                           : automaton_forces(a, first, second);

            g->after[y * g->n_words + x / 64] |= (uint64_t)(l->kind[x] != y && forces)
                                                 << x % 64;
        }
}

static void relate_kinds(const struct lineup *l, struct precedence *g)
{
    memset(g->after, 0, l->n_kinds * g->n_words * sizeof *g->after);
    for (size_t m = 0; m < l->n_rules; m++)
        if (g->is_in[m])
            relate_by(l, &l->machine[m], g);
}

/* Whether nobody is left that must go before this kind. */
static bool is_free(struct precedence *g, uint32_t kind)
{
    const uint64_t *const after = g->after + kind * g->n_words;
    uint32_t w = g->blocks[kind]; /* who is placed stays so, and does not block again */

    while (w < g->n_words && (after[w] & g->left[w]) == 0)
        w++;
    g->blocks[kind] = w;
    return w == g->n_words;
}

static void place_none(const struct lineup *l, struct precedence *g)
{
    memset(g->left, 0, g->n_words * sizeof *g->left);
    memset(g->next, 0, l->n_kinds * sizeof *g->next);
    memset(g->blocks, 0, l->n_kinds * sizeof *g->blocks);
    for (uint32_t i = 0; i < l->n; i++)
        g->left[i / 64] |= UINT64_C(1) << i % 64;
}

static void place_next(const struct lineup *l, struct precedence *g, uint32_t kind,
                       uint32_t *order, uint32_t *n)
{
    const uint32_t rank = l->member[l->begin[kind] + g->next[kind]++];

    order[(*n)++] = rank;
    g->left[rank / 64] &= ~(UINT64_C(1) << rank % 64);
}

/* Places the next of a kind, and before it all that must go before, the best ones first.  In
 * a circle somebody goes first after all.  Deeper than the kinds are many it never goes. */
static void place_after_others(const struct lineup *l, struct precedence *g, uint32_t kind,
                               uint32_t *order, uint32_t *n)
{
    g->is_open[kind] = true;
    for (size_t w = 0; w < g->n_words;) {
        uint64_t left = g->after[kind * g->n_words + w] & g->left[w];
        uint32_t first = UINT32_MAX;

        for (uint32_t rank = (uint32_t)w * 64; left != 0 && first == UINT32_MAX;
             rank++, left >>= 1)
            if ((left & 1) != 0 && !g->is_open[l->kind[rank]])
                first = l->kind[rank];
        if (first != UINT32_MAX)
            place_after_others(l, g, first, order, n);
        else
            w++;
    }
    g->is_open[kind] = false;
    place_next(l, g, kind, order, n);
}

static bool is_next(const struct lineup *l, const struct precedence *g, uint32_t rank)
{
    const uint32_t k = l->kind[rank];

    return g->next[k] < l->count[k] && l->member[l->begin[k] + g->next[k]] == rank;
}

/* An order along base[n], where the ranks of each kind rise: up to place `turn` who has
 * somebody to wait for waits; there the waiting are placed with all that must go before
 * them, and from there on so is everybody. */
static void arrange(const struct lineup *l, struct precedence *g, const uint32_t *base,
                    uint32_t turn, uint32_t *order)
{
    uint32_t n = 0, n_waiting = 0;

    place_none(l, g);
    for (uint32_t i = 0; i < turn; i++) {
        const uint32_t k = l->kind[base[i]];
        uint32_t kept = 0;

        if (!is_next(l, g, base[i]) || !is_free(g, k)) {
            g->wait[n_waiting++] = base[i];
            continue;
        }
        place_next(l, g, k, order, &n);
        /* Who waited for the last of a kind goes now. */
        for (uint32_t j = 0; g->next[k] == l->count[k] && j < n_waiting; j++) {
            const uint32_t other = l->kind[g->wait[j]];

            if (is_next(l, g, g->wait[j]) && is_free(g, other))
                place_next(l, g, other, order, &n);
            else
                g->wait[kept++] = g->wait[j];
        }
        if (g->next[k] == l->count[k])
            n_waiting = kept;
    }
    for (uint32_t i = 0; i < l->n; i++)
        if (is_next(l, g, base[i]))
            place_after_others(l, g, l->kind[base[i]], order, &n);
}

/* Of two ranks. */
static bool goes_first(const struct lineup *l, const struct precedence *g, uint32_t first,
                       uint32_t second)
{
    const uint32_t kind = l->kind[second];

    return l->kind[first] == kind ||
           (g->after[kind * g->n_words + first / 64] >> first % 64 & 1);
}

/* Moves each document to the best place between those that it must follow and those that must
 * follow it, while that helps; at most `looks` documents are looked at. */
static void slide_documents(const struct lineup *l, const struct precedence *g,
                            uint32_t *order, double looks)
{
    for (bool is_better = true; is_better && looks > 0.0;) {
        is_better = false;
        for (uint32_t p = 0; p < l->n && looks > 0.0; p++) {
            const uint32_t rank = order[p];
            int64_t cost = 0, least = 0;
            uint32_t to = p;

            for (uint32_t q = p; q-- > 0 && !goes_first(l, g, order[q], rank);) {
                cost += l->score[order[q]] - l->score[rank];
                looks--;
                if (cost < least) {
                    least = cost;
                    to = q;
                }
            }
            cost = 0;
            for (uint32_t q = p + 1; q < l->n && !goes_first(l, g, rank, order[q]); q++) {
                cost += l->score[rank] - l->score[order[q]];
                looks--;
                if (cost < least) {
                    least = cost;
                    to = q;
                }
            }
            if (to < p)
                memmove(order + to + 1, order + to, (p - to) * sizeof *order);
            else
                memmove(order + p, order + p + 1, (to - p) * sizeof *order);
            order[to] = rank;
            is_better |= to != p;
        }
    }
}

/* Turns here and there, then closer and closer to the best of them. */
static void try_turns(struct attempt *t, struct precedence *g, const uint32_t *base)
{
    const struct lineup *const l = &t->l;
    const uint32_t n_turns = l->n_kinds < MANY_KINDS ? MOST_TURNS : MOST_TURNS / 8;
    const uint32_t far = l->n / n_turns + 1;
    uint32_t good = 0;

    for (uint32_t turn = 0; turn <= l->n; turn += far) {
        arrange(l, g, base, turn, t->other);
        if (take_order(t, t->other))
            good = turn;
    }
    for (uint32_t step = far / 2; step > 0; step /= 2) {
        const uint32_t center = good;

        for (int side = 0; side < 2; side++) {
            const uint32_t turn = side == 0 ? center - step : center + step;

            if (turn > l->n) /* or below 0 */
                continue;
            arrange(l, g, base, turn, t->other);
            if (take_order(t, t->other))
                good = turn;
        }
    }
}

/* The tops of machines that relate pairs there, each once, MOST_TOPS at most. */
static uint32_t list_tops(const struct lineup *l, uint32_t *top)
{
    uint32_t n = 0;

    for (size_t m = 0; m < l->n_rules; m++) {
        const struct automaton *const a = &l->machine[m];
        const uint32_t n_cuts = automaton_is_of_pairs_at_top(a) ? a->n_cuts : 0;

        for (uint32_t i = 0; i < n_cuts && n < MOST_TOPS; i++) {
            uint32_t at = 0;

            while (at < n && top[at] != a->cut[i])
                at++;
            top[at] = a->cut[i];
            n += at == n;
        }
    }
    return n;
}

/* What is asked for between tops alone need not hold behind them: up to a top the first
 * documents of base, or of an order along it that keeps that everywhere, as that order has
 * them; then the others as base does. */
static void try_tops(struct attempt *t, struct precedence *g, const uint32_t *base,
                     const uint32_t *top, uint32_t n_tops)
{
    const struct lineup *const l = &t->l;
    uint32_t *const whole = g->wait; /* nobody waits */

    arrange(l, g, base, 0, t->other);
    memcpy(whole, t->other, l->n * sizeof *whole);
    for (uint32_t i = 0; i < 2 * n_tops; i++) {
        const uint32_t *const first = i % 2 == 0 ? base : whole;
        uint32_t n = 0;

        for (uint32_t p = 0; p < l->n; p++)
            t->position[first[p]] = p;
        for (uint32_t p = 0; p < l->n; p++)
            if (t->position[whole[p]] < top[i / 2])
                t->other[n++] = whole[p];
        for (uint32_t p = 0; p < l->n; p++)
            if (t->position[base[p]] >= top[i / 2])
                t->other[n++] = base[p];
        take_order(t, t->other);
    }
}

/* Whether some order has all that must go before others before them; order: n, to work in. */
static bool has_order(const struct lineup *l, struct precedence *g, uint32_t *order)
{
    uint32_t n = 0, last;

    place_none(l, g);
    do {
        last = n;
        for (uint32_t k = 0; k < l->n_kinds; k++)
            while (g->next[k] < l->count[k] && is_free(g, k))
                place_next(l, g, k, order, &n);
    } while (n > last);
    return n == l->n;
}

/* The machines that relate, the heaviest first, each that goes with those before it. */
static void choose_machines(struct attempt *t, struct precedence *g, uint64_t *room)
{
    const struct lineup *const l = &t->l;
    const size_t n = l->n_kinds * g->n_words;

    memset(g->is_in, 0, l->n_rules * sizeof *g->is_in);
    memset(room, 0, n * sizeof *room);
    for (int64_t below = INT64_MAX, weight; below > 0; below = weight) {
        weight = 0;
        for (size_t m = 0; m < l->n_rules; m++)
            if (relates(g, &l->machine[m]) && l->machine[m].weight < below &&
                l->machine[m].weight > weight)
                weight = l->machine[m].weight;
        for (size_t m = 0; weight > 0 && m < l->n_rules; m++) {
            if (!relates(g, &l->machine[m]) || l->machine[m].weight != weight)
                continue;
            memcpy(g->after, room, n * sizeof *room);
            relate_by(l, &l->machine[m], g);
            g->is_in[m] = has_order(l, g, t->other);
            if (g->is_in[m])
                memcpy(room, g->after, n * sizeof *room);
        }
    }
}

/* Which machines have a say in a turn: all that relate; then all but one, the last first; at
 * last as many as go together.  False: the turn brings nothing new. */
static bool take_turn(struct attempt *t, struct precedence *g, size_t turn, uint64_t *room)
{
    const struct lineup *const l = &t->l;
    const size_t but = turn > 0 ? l->n_rules - turn : SIZE_MAX;
    size_t n_related = 0;

    for (size_t m = 0; m < l->n_rules; m++)
        n_related += relates(g, &l->machine[m]);
    if (turn > l->n_rules) {
        if (n_related > 2)
            choose_machines(t, g, room);
        return n_related > 2;
    }
    if (turn > 0 && (n_related > MOST_LEFT_OUT || !relates(g, &l->machine[but])))
        return false;
    for (size_t m = 0; m < l->n_rules; m++)
        g->is_in[m] = relates(g, &l->machine[m]) && m != but;
    return true;
}

/* Orders along the best one, and along the model's: such that keep all machines that relate;
 * while rules are broken also such that keep all but one, and as many as go together.  If that
 * does not help, the same with what is asked for between tops alone; base: n. */
static peck_status try_precedence(struct attempt *t, uint32_t *base, peck_error *err)
{
    static const char *const what = "who goes before whom";
    const struct lineup *const l = &t->l;
    struct arena a = { 0 };
    struct precedence g = { .n_words = ((size_t)l->n + 63) / 64 };
    uint32_t top[MOST_TOPS];
    const uint32_t n_tops = list_tops(l, top);

    if (l->n_kinds > MOST_KINDS || (double)l->n * l->n_kinds > 10.0 * MOST_WORK)
        return PECK_OK;
    g.after = arena_new(&a, what, l->n_kinds * g.n_words, sizeof *g.after);
    g.left = arena_new(&a, what, g.n_words, sizeof *g.left);
    g.next = arena_new(&a, what, l->n_kinds, sizeof *g.next);
    g.wait = arena_new(&a, what, l->n, sizeof *g.wait);
    g.blocks = arena_new(&a, what, l->n_kinds, sizeof *g.blocks);
    g.is_open = arena_new(&a, what, l->n_kinds, sizeof *g.is_open);
    g.is_in = arena_new(&a, what, l->n_rules, sizeof *g.is_in);
    uint64_t *const room = arena_new(&a, what, l->n_kinds * g.n_words, sizeof *room);
    const peck_status st = arena_check(&a, err);

    for (int along = 0; st == PECK_OK && along < 4; along++) {
        g.at_top = along >= 2;
        if (g.at_top && (t->lost == 0 || n_tops == 0))
            break;
        for (uint32_t i = 0; i < l->n; i++)
            base[i] = along % 2 == 0 ? t->best[i] : i;
        for (size_t turn = 0; turn == 0 || (turn <= l->n_rules + 1 && t->lost > 0);
             turn++) {
            if (!take_turn(t, &g, turn, room))
                continue;
            relate_kinds(l, &g);
            if (g.at_top)
                try_tops(t, &g, base, top, n_tops);
            try_turns(t, &g, base);
            memcpy(t->other, t->best, l->n * sizeof *t->other);
            slide_documents(l, &g, t->other, MOST_LOOKS);
            take_order(t, t->other);
        }
    }
    arena_free(&a);
    return st;
}

/* Moving single documents ------------------------------------------------------------------ */

/* order with the document at `from` moved to `to`. */
static void move_document(const uint32_t *order, uint32_t from, uint32_t to, uint32_t n,
                          uint32_t *out)
{
    memcpy(out, order, n * sizeof *out);
    memmove(out + (from < to ? from : to + 1), out + (from < to ? from + 1 : to),
            (from < to ? to - from : from - to) * sizeof *out);
    out[to] = order[from];
}

static void move_documents(struct attempt *t)
{
    const struct lineup *const l = &t->l;
    const double each = looks_at_order(l);
    bool is_better = true;
    double looks = 0.0;

    while (is_better && !(t->asks_only && t->lost == 0)) {
        is_better = false;
        for (uint32_t far = 1; far < l->n; far++)
            for (uint32_t i = 0; i < 2 * (l->n - far); i++) {
                const uint32_t low = i / 2, high = low + far;

                if ((looks += each) > MOST_LOOKS)
                    return;
                move_document(t->best, i % 2 ? low : high, i % 2 ? high : low, l->n,
                              t->other);
                is_better |= take_order(t, t->other);
            }
    }
}

/* What can never hold ------------------------------------------------------------------------ */

/* Types that are forced to go before one another in a circle, one of two or more documents
 * before itself included; room and count: n each. */
static bool has_circle(const struct lineup *l, const struct automaton *a, uint32_t *room,
                       uint32_t *count)
{
    const uint32_t n = a->n_types;
    uint32_t n_left = n;

    memset(room, 0, n * sizeof *room); /* how many types must go before it */
    memset(count, 0, n * sizeof *count);
    for (uint32_t k = 0; k < l->n_kinds; k++)
        count[a->type[k]] += l->count[k];
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < n; y++)
            room[y] += automaton_forces(a, x, y) && (x != y || count[x] > 1);
    for (bool goes_on = true; goes_on;) { /* who has nobody before him leaves */
        goes_on = false;
        for (uint32_t x = 0; x < n; x++)
            if (room[x] == 0) {
                room[x] = UINT32_MAX;
                goes_on = true;
                n_left--;
                for (uint32_t y = 0; y < n; y++)
                    if (x != y && room[y] != UINT32_MAX && automaton_forces(a, x, y))
                        room[y]--;
            }
    }
    return n_left > 0;
}

/* Whether some cheap reason tells that no order keeps it. */
static bool is_hopeless(const struct attempt *t, size_t machine)
{
    const struct lineup *const l = &t->l;
    const struct automaton *const a = &l->machine[machine];
    bool is_alone = false, is_everywhere = true;

    if (!rules_can_sway(l->bound, a->rule, l->scene))
        return !rules_hold(l->bound, a->rule, l->scene, t->position);
    for (size_t x = 0; !a->is_opaque && x < a->n_letters; x++) {
        is_alone |= a->alone[x];
        is_everywhere &= a->alone[x];
    }
    if (!a->is_opaque && a->n_vars == 1)
        return a->is_denied ? !is_alone : is_everywhere;
    return automaton_is_of_pairs(a) && (is_alone || has_circle(l, a, t->mark, t->other));
}

/* Rules that no order keeps are given up before anything is searched. */
static void drop_hopeless(struct attempt *t)
{
    struct lineup *const l = &t->l;
    size_t kept = 0;

    for (uint32_t i = 0; i < l->n; i++)
        t->position[i] = i;
    for (size_t m = 0; m < l->n_rules; m++)
        if (!is_hopeless(t, m)) /* bits of memories follow the machine's number */
            l->machine[kept++] = l->machine[m];
    l->n_rules = kept;
}

/* The way through ---------------------------------------------------------------------------- */

/* By band: a narrow search for some order, then a wide one for the best.  *found: what it
 * came to for the machines without `before`, and whether nothing is better. */
static peck_status search_by_band(struct attempt *t, struct outcome *found, peck_error *err)
{
    struct limits most = { FIRST_WIDTH, MOST_WORK, INT64_MAX, INT64_MAX, false };

    if (t->asks_only)
        most.lost = 0;
    TRY(lattice_by_band(&t->l, &most, t->other, found, err));
    if (found->is_found)
        take_order(t, t->other);
    if (!found->is_cut || (t->asks_only && found->is_found))
        return PECK_OK;
    const struct outcome first = *found;

    if (first.is_found) {
        most.lost = first.lost;
        most.cost = first.cost;
    }
    most.width = WIDTH;
    most.gives_up = first.is_found;
    TRY(lattice_by_band(&t->l, &most, t->other, found, err));
    if (found->is_found)
        take_order(t, t->other);
    else if (first.is_found)
        *found = (struct outcome){ first.lost, first.cost, true, true };
    return PECK_OK;
}

/* By place: a wide search among what may be better than the best that is known, and if that
 * is too much, a narrow one. */
static peck_status search_by_place(struct attempt *t, bool *is_cut, peck_error *err)
{
    const size_t work = t->l.n < LONG_LIST ? MOST_WORK : MOST_WORK / 8;
    struct limits most = { WIDTH, work, t->lost, t->cost, true };
    struct outcome found;

    if (t->asks_only)
        most.lost = 0;
    TRY(lattice_by_place(&t->l, &most, t->other, &found, err));
    *is_cut = found.is_cut;
    if (!found.is_found && found.is_cut && t->lost > 0) {
        most = (struct limits){ FIRST_WIDTH / 4, work, INT64_MAX, INT64_MAX, false };
        TRY(lattice_by_place(&t->l, &most, t->other, &found, err));
    }
    if (found.is_found)
        take_order(t, t->other);
    return PECK_OK;
}

/* With `before`, or rules that look at whole orders alone. */
static peck_status search_widely(struct attempt *t, bool has_opaque, peck_error *err)
{
    const struct lineup *const l = &t->l;
    struct outcome found = { 0 };

    if (has_opaque) {
        const size_t n_merges = count_merges(l, MOST_MERGES);

        if (n_merges <= MOST_MERGES &&
            (l->n <= SHORT_LIST || (double)n_merges * looks_at_order(l) <= MOST_TRY)) {
            try_merges(t);
            return PECK_OK;
        }
    }
    /* Without `before` alone: what is best so far is best at all if it keeps the rest too. */
    TRY(search_by_band(t, &found, err));
    if (found.is_found && !found.is_cut && t->lost == found.lost && t->cost == found.cost) {
        t->is_proven = true;
        return PECK_OK;
    }
    TRY(try_precedence(t, t->mark, err)); /* merges are over */
    if (!(t->asks_only && t->lost == 0) &&
        (double)l->n * l->n_kinds * l->n_kinds <= MOST_WORK) {
        bool is_cut;

        TRY(search_by_place(t, &is_cut, err));
        t->is_proven = !is_cut && !has_opaque;
    }
    t->is_proven |= t->asks_only && t->lost == 0;
    if (!t->is_proven)
        move_documents(t);
    return PECK_OK;
}

static peck_status attempt_run(struct attempt *t, peck_error *err)
{
    const struct lineup *const l = &t->l;
    bool has_before = false, has_opaque = false;
    struct outcome found;

    for (uint32_t i = 0; i < l->n; i++)
        t->best[i] = i;
    t->cost = 0;
    t->lost = order_lost(t, t->best, NULL);
    t->is_proven = t->lost == 0;
    if (t->is_proven)
        return PECK_OK;
    for (size_t m = 0; m < l->n_rules; m++) {
        has_before |= l->machine[m].has_before;
        has_opaque |= l->machine[m].is_opaque;
    }
    if (has_before || has_opaque) {
        TRY(search_widely(t, has_opaque, err));
    } else {
        TRY(search_by_band(t, &found, err));
        t->is_proven = !found.is_cut || (t->asks_only && t->lost == 0);
    }
    if (!t->is_proven && l->n <= SHORT_LIST) /* more states than a layer holds */
        try_merges(t);
    return PECK_OK;
}

/* Scores in whole steps, of 2^-bits of a power of two, so small that no sum of n^2 / 2
 * differences can overflow, and numbers of few digits keep their exact differences. */
static void score_in_steps(struct lineup *l, const double *score)
{
    const double high = score[l->doc[0]] / 2, low = score[l->doc[l->n - 1]] / 2;
    int bits = 62, scale;

    for (uint32_t n = 1; n < l->n; n *= 2)
        bits -= 2;
    frexp(high - low, &scale);
    for (uint32_t i = 0; i < l->n; i++)
        l->score[i] =
            (int64_t)ldexp(score[l->doc[i]] / 2 - low, (bits < 52 ? bits : 52) - scale);
}

/* Weights likewise; none that counts becomes 0. */
static int64_t weight_in_steps(double weight)
{
    const double steps = ldexp(weight, 32);

    return steps > 0.0 && steps < 1.0 ? 1 : (int64_t)(steps + 0.5);
}

/* kept: 0 where it is to be seen, -1 for rules that are left out. */
static peck_status attempt_open(struct attempt *t, const double *weight,
                                const double *score, signed char *kept, peck_error *err)
{
    static const char *const what = "the order of a query";
    struct lineup *const l = &t->l;
    struct arena *const a = &l->memory;
    const size_t n = l->n, n_rules = l->bound->rules->n_rules;
    struct sort_item *const item = arena_new(a, what, 2 * n, sizeof *item);
    int64_t *const steps = arena_new(a, what, n_rules, sizeof *steps);

    l->doc = arena_new(a, what, n, sizeof *l->doc);
    l->score = arena_new(a, what, n, sizeof *l->score);
    t->best = arena_new(a, what, n, sizeof *t->best);
    t->other = arena_new(a, what, n, sizeof *t->other);
    t->position = arena_new(a, what, n, sizeof *t->position);
    t->mark = arena_new(a, what, n, sizeof *t->mark);
    TRY(arena_check(a, err));
    for (uint32_t i = 0; i < n; i++)
        l->doc[i] = i;
    if (score != NULL) {
        order_desc(score, l->n, l->doc, item);
        score_in_steps(l, score);
    }
    t->asks_only = score == NULL;
    for (size_t i = 0; i < n_rules; i++) /* all where it is asked whether they can hold */
        if (weight[i] > 0.0 && rules_speak_of(l->bound, i, l->scene) &&
            (t->asks_only || rules_can_sway(l->bound, i, l->scene)))
            steps[i] = weight_in_steps(weight[i]);
    TRY(lineup_open(l, steps, err));
    t->machine_memory = arena_new(a, what, l->n_words, sizeof *t->machine_memory);
    TRY(arena_check(a, err));
    for (size_t i = 0; i < n_rules; i++)
        kept[i] = steps[i] > 0 ? 0 : -1;
    drop_hopeless(t);
    return PECK_OK;
}

peck_status rules_enforce(const struct bound *b, const struct scene *q,
                          const double *weight, const double *score, uint32_t *order,
                          signed char *kept, struct enforced *out, peck_error *err)
{
    struct attempt t = { .l = { .bound = b, .scene = q, .n = (uint32_t)q->docs.n } };
    const struct lineup *const l = &t.l;
    peck_status st = attempt_open(&t, weight, score, kept, err);

    if (st == PECK_OK)
        st = attempt_run(&t, err);
    if (st == PECK_OK) {
        bool *const holds = arena_new(&t.l.memory, "rules", l->n_rules, sizeof *holds);

        st = arena_check(&t.l.memory, err);
        if (st == PECK_OK)
            order_lost(&t, t.best, holds);
        for (size_t m = 0; st == PECK_OK && m < l->n_rules; m++)
            kept[l->machine[m].rule] = holds[m];
        *out = (struct enforced){ .is_proven = t.is_proven };
        for (uint32_t p = 0; st == PECK_OK && p < l->n; p++) {
            order[p] = l->doc[t.best[p]];
            out->is_turned |= t.best[p] != p;
            if (score != NULL)
                out->cost += score[order[p]] * ((double)p - (double)t.best[p]);
        }
        out->cost = out->cost > 0.0 ? out->cost : 0.0;
    }
    lineup_close(&t.l);
    return st;
}

bool rules_can_sway(const struct bound *b, size_t rule, const struct scene *q)
{
    const struct rule *const r = &b->rules->rule[rule];

    for (uint32_t i = 0; i < r->n_atoms; i++) {
        const struct node *const n = &b->rules->node[r->atom[i].node];

        if (n->kind == NODE_BEFORE ? q->docs.n > 1
                                   : n->kind == NODE_TOP && n->number < (double)q->docs.n)
            return true;
    }
    return false;
}
