/* automaton.c -- see enforce.h: which documents rules cannot tell apart, and rules as
 * machines that watch documents arrive.                                               */
#include "enforce.h"

#include "../base/sort.h"

#include <math.h>

enum {
    MOST_LETTERS =
        4096, /* of a rule of two quantifiers: a table of that many squared bits */
};

/* Kinds ------------------------------------------------------------------------------- */

/* Scratch for telling documents apart. */
struct sieve {
    uint32_t *word;         /* n: documents of different words are of different kinds */
    double *value[2];       /* n */
    struct sort_item *item; /* 2 n */
    uint32_t *sorted;       /* n */
};

/* Parts kinds by their words. */
static void sieve_words(struct lineup *l, struct sieve *s)
{
    for (uint32_t i = 0; i < l->n; i++)
        s->item[i] = (struct sort_item){ (uint64_t)l->kind[i] << 32 | s->word[i], i };
    sort_items(s->item, l->n, s->item + l->n);
    l->n_kinds = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        l->n_kinds += i == 0 || s->item[i].key != s->item[i - 1].key;
        l->kind[s->item[i].from] = l->n_kinds - 1;
    }
}

/* Words from values: how many of the other side's are before it (strictly, or with its
 * equals), or for `=` which one it is; what is no number is like nothing. */
static void sieve_against(struct lineup *l, struct sieve *s, int own, bool is_strict,
                          bool is_equal)
{
    const double *const mine = s->value[own], *const other = s->value[!own];
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n; i++)
        if (!isnan(other[i]))
            s->item[n++] = (struct sort_item){ ~key_desc(other[i]), i };
    sort_items(s->item, n, s->item + l->n);
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t low = 0, high = n;

        while (low < high) { /* the first that is not before it */
            const uint32_t middle = (low + high) / 2;
            const double v = other[s->item[middle].from];

            if (v < mine[i] || (!is_strict && !is_equal && v == mine[i]))
                low = middle + 1;
            else
                high = middle;
        }
        s->word[i] = low;
        if (is_equal)
            s->word[i] = low < n && other[s->item[low].from] == mine[i] ? low + 1 : 0;
        if (isnan(mine[i]))
            s->word[i] = UINT32_MAX;
    }
    sieve_words(l, s);
}

/* Documents with the same features, of those that the tree speaks of. */
static void sieve_features(struct lineup *l, struct sieve *s, uint32_t at)
{
    const struct node *const n = &l->bound->rules->node[at];

    if (n->kind == NODE_FEATURE && n->var[0] != 0) {
        uint32_t doc[MAX_VARS];

        for (uint32_t i = 0; i < l->n; i++) {
            for (size_t v = 0; v < MAX_VARS; v++)
                doc[v] = l->doc[i];
            const float x = (float)term_value(l->bound, at, l->scene, doc) + 0.0f;

            memcpy(&s->word[i], &x, sizeof x);
        }
        sieve_words(l, s);
    }
    if (n->kind >= NODE_LESS && n->kind != NODE_NUMBER && n->kind != NODE_FEATURE) {
        sieve_features(l, s, n->left);
        if (n->kind != NODE_SOFT && n->kind != NODE_NEG)
            sieve_features(l, s, n->right);
    }
}

/* Parts documents that this atom can tell apart; *n_bits truth values are collected. */
static void sieve_atom(struct lineup *l, struct sieve *s, const struct atom *a,
                       uint32_t *n_bits)
{
    const struct node *const n = &l->bound->rules->node[a->node];
    uint32_t doc[MAX_VARS] = { 0 };

    if (a->is_ranking || n->kind == NODE_SAME || a->n_vars == 0)
        return;
    if (a->n_vars == 1) {
        for (uint32_t i = 0; i < l->n; i++) {
            doc[a->var[0]] = l->doc[i];
            s->sorted[i] =
                s->sorted[i] << 1 | (atom_value(l->bound, a->node, l->scene, doc) >= 0.5);
        }
        if (++*n_bits % 32 == 0) {
            memcpy(s->word, s->sorted, l->n * sizeof *s->word);
            sieve_words(l, s);
        }
        return;
    }
    if (!a->is_separable) {
        sieve_features(l, s, a->node);
        return;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        doc[a->side[0]] = doc[a->side[1]] = l->doc[i];
        s->value[0][i] = term_value(l->bound, n->left, l->scene, doc);
        s->value[1][i] = term_value(l->bound, n->right, l->scene, doc);
    }
    /* left < right: a left sees the rights that are not above it, a right the lefts below. */
    sieve_against(l, s, 0, false, n->kind == NODE_EQUAL);
    sieve_against(l, s, 1, true, n->kind == NODE_EQUAL);
}

/* Numbers kinds by their first rank, and lists their members. */
static void number_kinds(struct lineup *l, uint32_t *number)
{
    uint32_t n = 0, at = 0;

    for (uint32_t i = 0; i < l->n_kinds; i++)
        number[i] = UINT32_MAX;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t *const own = &number[l->kind[i]];

        if (*own == UINT32_MAX) {
            l->rep[n] = i;
            *own = n++;
        }
        l->kind[i] = *own;
        l->count[*own]++;
    }
    for (uint32_t k = 0; k < n; k++) {
        l->begin[k] = at;
        at += l->count[k];
        l->count[k] = 0;
    }
    for (uint32_t i = 0; i < l->n; i++)
        l->member[l->begin[l->kind[i]] + l->count[l->kind[i]]++] = i;
}

static peck_status find_kinds(struct lineup *l, peck_error *err)
{
    static const char *const what = "the kinds of documents";
    struct arena a = { 0 };
    struct sieve s = { .word = arena_new(&a, what, l->n, sizeof *s.word),
                       .value = { arena_new(&a, what, l->n, sizeof(double)),
                                  arena_new(&a, what, l->n, sizeof(double)) },
                       .item = arena_new(&a, what, 2 * (size_t)l->n, sizeof *s.item),
                       .sorted = arena_new(&a, what, l->n, sizeof *s.sorted) };
    uint32_t n_bits = 0;
    const peck_status st = arena_check(&a, err);

    if (st == PECK_OK) {
        l->n_kinds = 1;
        for (size_t m = 0; m < l->n_rules; m++) {
            const struct rule *const rule = &l->bound->rules->rule[l->machine[m].rule];

            for (uint32_t i = 0; i < rule->n_atoms; i++)
                sieve_atom(l, &s, &rule->atom[i], &n_bits);
        }
        memcpy(s.word, s.sorted, l->n * sizeof *s.word);
        sieve_words(l, &s);
        number_kinds(l, s.sorted);
    }
    arena_free(&a);
    return st;
}

/* Machines ------------------------------------------------------------------------------ */

enum relation { FIRST_LEADS, SECOND_LEADS, ONE_DOCUMENT };

/* A rule's atoms as masks of its truth table, while its machine is built. */
struct blueprint {
    const struct lineup *l;
    const struct rule *rule;
    struct automaton *a;
    uint64_t holds[(1 << MAX_ATOMS) / 64 + 1]; /* a bit for each row of the truth table */
    uint32_t var[2];
    uint32_t fixed;  /* what no document decides */
    uint32_t *of[2]; /* [n_kinds]: what its features decide, as first or second */
    uint32_t top[2][MAX_ATOMS + 1];   /* what its band decides */
    uint32_t lead[3];                 /* what the relation decides */
    uint32_t pair[MAX_ATOMS], n_pair; /* atoms that compare two documents */
    double *side[MAX_ATOMS][2];       /* [n_kinds]: left and right, where separable */
};

/* Distinct tops below n, rising. */
static void find_cuts(struct blueprint *p)
{
    const struct peck_rules *const r = p->l->bound->rules;
    struct automaton *const a = p->a;

    for (uint32_t i = 0; i < p->rule->n_atoms; i++) {
        const struct node *const n = &r->node[p->rule->atom[i].node];
        uint32_t at = 0;

        a->has_before |= n->kind == NODE_BEFORE;
        a->has_top |= n->kind == NODE_TOP;
        if (n->kind != NODE_TOP || !(n->number < (double)p->l->n))
            continue;
        while (at < a->n_cuts && a->cut[at] < (uint32_t)n->number)
            at++;
        if (at < a->n_cuts && a->cut[at] == (uint32_t)n->number)
            continue;
        memmove(a->cut + at + 1, a->cut + at, (a->n_cuts - at) * sizeof *a->cut);
        a->cut[at] = (uint32_t)n->number;
        a->n_cuts++;
    }
}

/* What one atom depends on, for each kind and band. */
static void draw_atom(struct blueprint *p, uint32_t which)
{
    const struct lineup *const l = p->l;
    const struct atom *const atom = &p->rule->atom[which];
    const struct node *const n = &l->bound->rules->node[atom->node];
    const uint32_t bit = 1u << which;
    const int side = atom->n_vars > 0 && atom->var[0] == p->var[1] && p->a->n_vars == 2;
    uint32_t doc[MAX_VARS] = { 0 };

    if (n->kind == NODE_TOP) {
        for (uint32_t b = 0; b <= p->a->n_cuts; b++)
            if (b < p->a->n_cuts ? p->a->cut[b] <= n->number : l->n <= n->number)
                p->top[side][b] |= bit;
    } else if (n->kind == NODE_BEFORE) {
        p->lead[n->var[0] == p->var[0] ? FIRST_LEADS : SECOND_LEADS] |= bit;
    } else if (n->kind == NODE_SAME) {
        p->lead[ONE_DOCUMENT] |= bit;
    } else if (atom->n_vars == 0) {
        p->fixed |= atom_value(l->bound, atom->node, l->scene, doc) >= 0.5 ? bit : 0;
    } else if (atom->n_vars == 1) {
        for (uint32_t k = 0; k < l->n_kinds; k++) {
            doc[atom->var[0]] = l->doc[l->rep[k]];
            p->of[side][k] |=
                atom_value(l->bound, atom->node, l->scene, doc) >= 0.5 ? bit : 0;
        }
    } else {
        for (uint32_t k = 0; atom->is_separable && k < l->n_kinds; k++) {
            doc[atom->side[0]] = doc[atom->side[1]] = l->doc[l->rep[k]];
            p->side[which][0][k] = term_value(l->bound, n->left, l->scene, doc);
            p->side[which][1][k] = term_value(l->bound, n->right, l->scene, doc);
        }
        p->pair[p->n_pair++] = which;
    }
}

static bool pair_is_true(const struct blueprint *p, uint32_t which, uint32_t first,
                         uint32_t second)
{
    const struct lineup *const l = p->l;
    const struct atom *const atom = &p->rule->atom[which];
    uint32_t doc[MAX_VARS] = { 0 };

    if (atom->is_separable) {
        const bool is_turned = atom->side[0] != p->var[0];
        const double left = p->side[which][0][is_turned ? second : first];
        const double right = p->side[which][1][is_turned ? first : second];

        return l->bound->rules->node[atom->node].kind == NODE_LESS ? left < right
                                                                   : left == right;
    }
    doc[p->var[0]] = l->doc[l->rep[first]];
    doc[p->var[1]] = l->doc[l->rep[second]];
    return atom_value(l->bound, atom->node, l->scene, doc) >= 0.5;
}

/* The matrix, of two documents by kind and band. */
static bool matrix_of(const struct blueprint *p, const uint32_t kind[2],
                      const uint32_t band[2], enum relation relation)
{
    uint32_t truth = p->fixed | p->lead[relation];

    for (uint32_t i = 0; i < p->a->n_vars; i++)
        truth |= p->of[i][kind[i]] | p->top[i][band[i]];
    for (uint32_t i = 0; i < p->n_pair; i++)
        if (pair_is_true(p, p->pair[i], kind[0], kind[1]))
            truth |= 1u << p->pair[i];
    return (p->holds[truth / 64] >> truth % 64 & 1) != p->a->is_denied;
}

/* Kinds that this rule cannot tell apart share a type; kind_of[type] is one of them. */
static void find_types(struct blueprint *p, uint32_t *kind_of)
{
    struct automaton *const a = p->a;

    for (uint32_t k = 0; k < p->l->n_kinds; k++) {
        uint32_t t = p->n_pair > 0 ? a->n_types : 0;

        while (t < a->n_types &&
               (p->of[0][kind_of[t]] != p->of[0][k] || p->of[1][kind_of[t]] != p->of[1][k]))
            t++;
        if (t == a->n_types)
            kind_of[a->n_types++] = k;
        a->type[k] = t;
    }
}

/* What letters do to one another; the matrix is true of what is as it should be. */
static void relate_letters(struct blueprint *p, const uint32_t *kind_of)
{
    struct automaton *const a = p->a;
    const uint32_t n_bands = a->n_cuts + 1;

    for (size_t x = 0; x < a->n_letters; x++) {
        const uint32_t kind = kind_of[x / n_bands], band = (uint32_t)(x % n_bands);

        a->alone[x] = matrix_of(p, (uint32_t[]){ kind, kind }, (uint32_t[]){ band, band },
                                ONE_DOCUMENT) == a->waits;
        for (size_t y = 0; a->n_vars == 2 && y < a->n_letters; y++) {
            const uint32_t k = kind_of[y / n_bands], b = (uint32_t)(y % n_bands);
            /* y came before x: with x as the first document, and with y. */
            const bool first = matrix_of(p, (uint32_t[]){ kind, k },
                                         (uint32_t[]){ band, b }, SECOND_LEADS);
            const bool second =
                matrix_of(p, (uint32_t[]){ k, kind }, (uint32_t[]){ b, band }, FIRST_LEADS);
            const uint64_t bit = UINT64_C(1) << y % 64;
            const size_t at = x * a->n_words + y / 64;

            if (a->waits) {
                a->before[at] |= first ? bit : 0;
                a->after[at] |= second ? bit : 0;
            } else {
                a->before[at] |= first && second ? 0 : bit;
            }
            a->useful[y / 64] |= a->before[at] & bit;
        }
    }
}

static peck_status automaton_open(struct lineup *l, struct automaton *a, peck_error *err)
{
    static const char *const what = "a rule at work";
    const struct rule *const rule = &l->bound->rules->rule[a->rule];
    struct arena own = { 0 };
    struct blueprint *const p = arena_new(&own, what, 1, sizeof *p);
    uint32_t *const kind_of = arena_new(&own, what, l->n_kinds, sizeof *kind_of);

    if (p == NULL) {
        arena_free(&own);
        return fail_memory(err, what, 1, sizeof *p);
    }
    p->l = l;
    p->a = a;
    p->rule = rule;
    find_cuts(p);
    a->n_vars = rule->n_prefix;
    a->is_opaque = rule->n_prefix > 2;
    for (uint32_t i = 0; i < 2 && i < rule->n_prefix; i++)
        p->var[i] = rule->prefix[i].var;
    a->is_denied = rule->n_prefix > 0 && !rule->prefix[0].is_forall;
    a->waits = rule->n_prefix == 2 && rule->prefix[1].is_forall == a->is_denied;
    for (size_t i = 0; i < 2; i++)
        p->of[i] = arena_new(&own, what, l->n_kinds, sizeof **p->of);
    for (size_t i = 0; i < rule->n_atoms; i++)
        for (size_t k = 0; rule->atom[i].is_separable && k < 2; k++)
            p->side[i][k] = arena_new(&own, what, l->n_kinds, sizeof(double));
    a->type = arena_new(&l->memory, what, l->n_kinds, sizeof *a->type);
    peck_status st = arena_check(&own, err);

    if (st == PECK_OK)
        st = arena_check(&l->memory, err);
    if (st == PECK_OK && !a->is_opaque) {
        for (uint32_t t = 0; t < 1u << rule->n_atoms; t++)
            p->holds[t / 64] |= rule->is_of_true ? 0 : UINT64_C(1) << t % 64;
        for (size_t i = 0; i < rule->n_rows; i++)
            p->holds[rule->row[i] / 64] ^= UINT64_C(1) << rule->row[i] % 64;
        for (uint32_t i = 0; i < rule->n_atoms; i++)
            draw_atom(p, i);
        find_types(p, kind_of);
        a->n_letters = (size_t)a->n_types * (a->n_cuts + 1);
        a->n_words = a->n_vars == 2 ? (a->n_letters + 63) / 64 : 0;
        a->is_opaque = a->n_vars == 2 && a->n_letters > MOST_LETTERS;
    }
    if (st == PECK_OK && !a->is_opaque) {
        const size_t n = a->n_letters;

        a->alone = arena_new(&l->memory, what, n, sizeof *a->alone);
        a->before = arena_new(&l->memory, what, n * a->n_words, sizeof *a->before);
        a->after = arena_new(&l->memory, what, n * a->n_words, sizeof *a->after);
        a->useful = arena_new(&l->memory, what, a->n_words, sizeof *a->useful);
        st = arena_check(&l->memory, err);
        if (st == PECK_OK)
            relate_letters(p, kind_of);
    }
    arena_free(&own);
    return st;
}

peck_status lineup_open(struct lineup *l, const int64_t *steps, peck_error *err)
{
    static const char *const what = "the documents of a query";
    const size_t n = l->n, n_rules = l->bound->rules->n_rules;
    struct arena *const a = &l->memory;

    l->kind = arena_new(a, what, n, sizeof *l->kind);
    l->rep = arena_new(a, what, n, sizeof *l->rep);
    l->count = arena_new(a, what, n, sizeof *l->count);
    l->begin = arena_new(a, what, n, sizeof *l->begin);
    l->member = arena_new(a, what, n, sizeof *l->member);
    l->machine = arena_new(a, what, n_rules, sizeof *l->machine);
    TRY(arena_check(a, err));
    for (size_t i = 0; i < n_rules; i++)
        if (steps[i] > 0)
            l->machine[l->n_rules++] = (struct automaton){ .rule = i, .weight = steps[i] };
    TRY(find_kinds(l, err));
    l->n_words = (l->n_rules + 63) / 64;
    for (size_t i = 0; i < l->n_rules; i++) {
        TRY(automaton_open(l, &l->machine[i], err));
        l->machine[i].at = l->n_words;
        if (!l->machine[i].is_opaque)
            l->n_words += l->machine[i].n_words * (l->machine[i].waits ? 2 : 1);
    }
    return PECK_OK;
}

void lineup_close(struct lineup *l)
{
    arena_free(&l->memory);
}

/* At work ------------------------------------------------------------------------------- */

void automaton_step(const struct lineup *l, size_t machine, uint64_t *memory, uint32_t kind,
                    uint32_t position)
{
    const struct automaton *const a = &l->machine[machine];
    const size_t x = (size_t)a->type[kind] * (a->n_cuts + 1) + automaton_band(a, position);
    const size_t n = a->n_words;
    uint64_t *const seen = memory + a->at, *const waiting = seen + n;
    const uint64_t bit = UINT64_C(1) << x % 64;
    bool is_met = a->alone[x];

    if (automaton_bit(memory, machine))
        return;
    for (size_t i = 0; i < n && !is_met; i++)
        is_met = (seen[i] & a->before[x * n + i]) != 0;
    if (a->waits) {
        for (size_t i = 0; i < n; i++)
            waiting[i] &= ~a->after[x * n + i];
        waiting[x / 64] |= is_met ? 0 : bit;
    } else if (is_met) { /* nothing can change that any more */
        memory[machine / 64] |= UINT64_C(1) << machine % 64;
        memset(seen, 0, n * sizeof *seen);
        return;
    }
    if (n > 0)
        seen[x / 64] |= bit & a->useful[x / 64];
}

bool automaton_is_dead(const struct lineup *l, size_t machine, const uint64_t *memory)
{
    return !l->machine[machine].is_denied && automaton_bit(memory, machine);
}

bool automaton_holds(const struct lineup *l, size_t machine, const uint64_t *memory)
{
    const struct automaton *const a = &l->machine[machine];
    bool is_bad = automaton_bit(memory, machine);

    for (size_t i = 0; a->waits && i < a->n_words; i++)
        is_bad |= memory[a->at + a->n_words + i] != 0;
    return is_bad == a->is_denied;
}
