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

/* What letters decide: themselves, as first or second variable, and beside one another.
 * Letters of which an atom is true are a row of bits, so that 64 are looked at in one step. */
struct alphabet {
    const struct blueprint *p;
    uint32_t *kind;                 /* [n_letters] */
    uint32_t *truth[2];             /* [n_letters]: as first, as second variable */
    double *side[MAX_ATOMS][2];     /* [n_letters]: as in the blueprint */
    uint64_t *own[2][MAX_ATOMS];    /* [n_words]: the bits of truth[] ... */
    uint32_t decides[2];            /* ... and those that some letter has */
    uint64_t *beside[MAX_ATOMS];    /* [n_words]: of a pair, with the letter at hand */
    const uint64_t *row[MAX_ATOMS]; /* those of these that count at hand ... */
    uint32_t bit[MAX_ATOMS], n_row; /* ... and their bits in a row of the truth table */
    uint64_t *good[2];              /* [n_words]: the matrix, with the letter at hand as
                                     * first or as second */
};

static peck_status alphabet_open(struct alphabet *abc, const struct blueprint *p,
                                 const uint32_t *kind_of, struct arena *own,
                                 peck_error *err)
{
    static const char *const what = "the letters of a rule";
    const struct automaton *const a = p->a;
    const size_t n = a->n_letters, n_bands = a->n_cuts + 1;

    *abc = (struct alphabet){ .p = p, .kind = arena_new(own, what, n, sizeof *abc->kind) };
    for (size_t s = 0; s < 2; s++) {
        abc->truth[s] = arena_new(own, what, n, sizeof **abc->truth);
        abc->good[s] = arena_new(own, what, a->n_words, sizeof **abc->good);
        for (uint32_t i = 0; i < p->rule->n_atoms; i++) {
            abc->own[s][i] = arena_new(own, what, a->n_words, sizeof *abc->own[s][i]);
            if (p->rule->atom[i].is_separable)
                abc->side[i][s] = arena_new(own, what, n, sizeof *abc->side[i][s]);
        }
    }
    for (uint32_t i = 0; i < p->n_pair; i++)
        abc->beside[i] = arena_new(own, what, a->n_words, sizeof *abc->beside[i]);
    TRY(arena_check(own, err));
    for (size_t x = 0; x < n; x++) {
        const uint32_t kind = kind_of[x / n_bands];

        abc->kind[x] = kind;
        for (size_t s = 0; s < a->n_vars; s++) {
            abc->truth[s][x] = p->of[s][kind] | p->top[s][x % n_bands];
            abc->decides[s] |= abc->truth[s][x];
            for (uint32_t i = 0; a->n_vars == 2 && i < p->rule->n_atoms; i++)
                abc->own[s][i][x / 64] |= (uint64_t)(abc->truth[s][x] >> i & 1) << x % 64;
        }
        for (uint32_t i = 0; i < p->rule->n_atoms; i++)
            for (size_t s = 0; p->rule->atom[i].is_separable && s < 2; s++)
                abc->side[i][s][x] = p->side[i][s][kind];
    }
    return PECK_OK;
}

/* Whether an atom is true of two letters. */
static bool pair_is_true(const struct alphabet *abc, uint32_t which, size_t first,
                         size_t second)
{
    const struct blueprint *const p = abc->p;
    const struct lineup *const l = p->l;
    const struct atom *const atom = &p->rule->atom[which];
    uint32_t doc[MAX_VARS] = { 0 };

    if (atom->is_separable) {
        const bool is_turned = atom->side[0] != p->var[0];
        const double left = abc->side[which][0][is_turned ? second : first];
        const double right = abc->side[which][1][is_turned ? first : second];

        return l->bound->rules->node[atom->node].kind == NODE_LESS ? left < right
                                                                   : left == right;
    }
    doc[p->var[0]] = l->doc[l->rep[abc->kind[first]]];
    doc[p->var[1]] = l->doc[l->rep[abc->kind[second]]];
    return atom_value(l->bound, atom->node, l->scene, doc) >= 0.5;
}

/* The letters of which an atom is true beside x, x being the first variable or the second. */
static void find_beside(const struct alphabet *abc, uint32_t which, uint32_t role, size_t x,
                        uint64_t *row)
{
    const struct blueprint *const p = abc->p;
    const struct atom *const atom = &p->rule->atom[which];
    const bool is_less = p->l->bound->rules->node[atom->node].kind == NODE_LESS;
    const bool is_left = atom->side[0] == p->var[role];
    const double v = atom->is_separable ? abc->side[which][!is_left][x] : 0.0;
    const double *const other = abc->side[which][is_left];
    const size_t n = p->a->n_letters;

    for (size_t w = 0; w < p->a->n_words; w++) {
        const size_t from = 64 * w, m = n - from < 64 ? n - from : 64;
        uint64_t bits = 0;

        if (!atom->is_separable)
            for (size_t y = 0; y < m; y++)
                bits |= (uint64_t)pair_is_true(abc, which, role == 0 ? x : from + y,
                                               role == 0 ? from + y : x)
                        << y;
        else if (!is_less)
            for (size_t y = 0; y < m; y++)
                bits |= (uint64_t)(other[from + y] == v) << y;
        else if (is_left)
            for (size_t y = 0; y < m; y++)
                bits |= (uint64_t)(v < other[from + y]) << y;
        else
            for (size_t y = 0; y < m; y++)
                bits |= (uint64_t)(other[from + y] < v) << y;
        row[w] = bits;
    }
}

static bool matrix_holds(const struct blueprint *p, uint32_t truth)
{
    return (p->holds[truth / 64] >> truth % 64 & 1) != p->a->is_denied;
}

/* Of 64 letters those with which the matrix is true; truth: what the rows before `at` say. */
static uint64_t true_letters(const struct alphabet *abc, size_t word, uint32_t at,
                             uint32_t truth, uint64_t among)
{
    if (among == 0)
        return 0;
    if (at == abc->n_row)
        return matrix_holds(abc->p, truth) ? among : 0;
    const uint64_t yes = abc->row[at][word] & among;

    return true_letters(abc, word, at + 1, truth | abc->bit[at], yes) |
           true_letters(abc, word, at + 1, truth, among & ~yes);
}

/* good[role]: the letters that came before x with which the matrix is true. */
static void find_good(struct alphabet *abc, uint32_t role, size_t x)
{
    const struct blueprint *const p = abc->p;
    const struct automaton *const a = p->a;
    const uint32_t truth =
        p->fixed | p->lead[role == 0 ? SECOND_LEADS : FIRST_LEADS] | abc->truth[role][x];

    abc->n_row = 0;
    for (uint32_t i = 0, k = 0; i < p->rule->n_atoms; i++) {
        const bool is_pair = k < p->n_pair && p->pair[k] == i;
        const uint64_t *row = abc->own[!role][i];

        if (is_pair) {
            row = abc->beside[k];
            find_beside(abc, i, role, x, abc->beside[k++]);
        }
        if (!is_pair && (abc->decides[!role] >> i & 1) == 0)
            continue;
        abc->row[abc->n_row] = row;
        abc->bit[abc->n_row++] = 1u << i;
    }
    for (size_t w = 0; w < a->n_words; w++) {
        const size_t m = a->n_letters - 64 * w;

        abc->good[role][w] =
            true_letters(abc, w, 0, truth, m < 64 ? (UINT64_C(1) << m) - 1 : UINT64_MAX);
    }
}

/* What letters do to one another; the matrix is true of what is as it should be. */
static void relate_letters(struct alphabet *abc, struct automaton *a)
{
    const struct blueprint *const p = abc->p;

    for (size_t x = 0; x < a->n_letters; x++) {
        uint32_t truth = p->fixed | p->lead[ONE_DOCUMENT];
        uint64_t *const before = a->before + x * a->n_words;

        for (uint32_t s = 0; s < a->n_vars; s++)
            truth |= abc->truth[s][x];
        for (uint32_t i = 0; i < p->n_pair; i++)
            truth |= pair_is_true(abc, p->pair[i], x, x) ? 1u << p->pair[i] : 0;
        a->alone[x] = matrix_holds(p, truth) == a->waits;
        if (a->n_vars < 2)
            continue;
        /* y came before x: with x as the first document, and with y. */
        find_good(abc, 0, x);
        find_good(abc, 1, x);
        for (size_t w = 0; w < a->n_words; w++) {
            const size_t m = a->n_letters - 64 * w;
            const uint64_t all = m < 64 ? (UINT64_C(1) << m) - 1 : UINT64_MAX;

            if (a->waits) {
                before[w] = abc->good[0][w];
                a->after[x * a->n_words + w] = abc->good[1][w];
            } else {
                before[w] = all & ~(abc->good[0][w] & abc->good[1][w]);
            }
            a->useful[w] |= before[w];
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
    struct alphabet abc;

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
            st = alphabet_open(&abc, p, kind_of, &own, err);
        if (st == PECK_OK)
            relate_letters(&abc, a);
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
