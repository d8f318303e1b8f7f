/* leaf_sets.c -- see leaf_sets.h. */
#include "leaf_sets.h"

#include "../base/cpu.h"
#include "../base/sort.h"

enum {
    LANES = 16, /* documents side by side */
    BITS = 32,  /* leaves of a word */
    MOST_WORDS = 4,
    SECTION_WORDS = 128, /* of trees that are asked about at once: 8 kB stay in the cache */
};

/* Four documents: what every processor has. */
typedef uint32_t words4 __attribute__((vector_size(16)));

/* A document above the threshold has these leaves of a word, counted in its section, no more. */
struct leaf_question {
    float threshold;
    uint32_t word, gone;
};

/* Questions about a feature, until those of the next. */
struct leaf_asked {
    uint32_t feature, first;
};

/* Trees that are asked about at once. */
struct section {
    size_t n_trees, n_words, n_asked;
    uint32_t *tree;                 /* n_trees + 1: first word of each */
    struct leaf_asked *asked;       /* n_asked + 1 */
    struct leaf_question *question; /* by feature, then by rising threshold */
    float (*value)[BITS];           /* n_words: of its leaves */
};

struct leaf_sets {
    size_t n_sections;
    struct section *section;
};

/* Making ------------------------------------------------------------------------------ */

/* The leaves of a tree, from left to right: how many each node has, and its first. */
struct numbering {
    uint32_t *n_leaves, *first, *n_parents; /* by node */
};

/* False where it is no tree.  Children come after their parents. */
static bool number_leaves(const struct forest_node *tree, const struct numbering *by)
{
    const size_t n = forest_nodes(tree);

    memset(by->n_parents, 0, n * sizeof *by->n_parents);
    for (size_t i = n; i-- > 0;) {
        const size_t left = (size_t)tree[i].left;

        by->n_leaves[i] = 1;
        if (left == i)
            continue;
        by->n_leaves[i] = by->n_leaves[left] + by->n_leaves[left + 1];
        if (by->n_leaves[i] > MOST_WORDS * BITS)
            return false;
        by->n_parents[left]++;
        by->n_parents[left + 1]++;
    }
    by->first[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t left = (size_t)tree[i].left;

        if (by->n_parents[i] != (i > 0))
            return false;
        if (left == i)
            continue;
        by->first[left] = by->first[i];
        by->first[left + 1] = by->first[i] + by->n_leaves[left];
    }
    return true;
}

static uint32_t words_of(uint32_t n_leaves)
{
    return (n_leaves + BITS - 1) / BITS;
}

/* A tree's leaves and questions: one for each word that its left leaves are in.  Returns how many
 * questions. */
static size_t add_tree(const struct forest_node *tree, const struct numbering *by,
                       uint32_t word, float (*value)[BITS], struct leaf_question *to,
                       uint32_t *feature)
{
    size_t n_questions = 0;

    for (size_t i = 0; i < forest_nodes(tree); i++) {
        const size_t left = (size_t)tree[i].left;
        const uint32_t first = by->first[i];

        if (left == i) {
            value[word + first / BITS][first % BITS] = tree[i].value;
            continue;
        }
        const uint32_t end = first + by->n_leaves[left];

        for (uint32_t k = first / BITS; k * BITS < end; k++, n_questions++) {
            const uint32_t from = first > k * BITS ? first - k * BITS : 0;
            const uint32_t until = end - k * BITS < BITS ? end - k * BITS : BITS;
            const uint64_t gone = (1ull << until) - (1ull << from);

            to[n_questions] =
                (struct leaf_question){ tree[i].threshold, word + k, (uint32_t)gone };
            feature[n_questions] = (uint32_t)tree[i].feature;
        }
    }
    return n_questions;
}

/* Rises with x. */
static uint32_t rising(float x)
{
    uint32_t bits;

    x += 0.0f; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

/* The questions of a section, which are in the order of its trees, by feature and threshold. */
static peck_status sort_section(struct section *s, const struct leaf_question *from,
                                const uint32_t *feature, size_t n, struct arena *memory,
                                peck_error *err)
{
    struct arena room = { 0 };
    struct sort_item *const item = arena_new(&room, "questions", 2 * n, sizeof *item);

    s->asked = arena_new(memory, "questions", n + 1, sizeof *s->asked);
    s->question = arena_new(memory, "questions", n, sizeof *s->question);
    const peck_status st = arena_check(item == NULL ? &room : memory, err);

    if (st == PECK_OK) {
        for (uint32_t k = 0; k < n; k++)
            item[k] =
                (struct sort_item){ (uint64_t)feature[k] << 32 | rising(from[k].threshold),
                                    k };
        sort_items(item, n, item + n);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t at = item[k].from;

            s->question[k] = from[at];
            if (k == 0 || feature[at] != s->asked[s->n_asked - 1].feature)
                s->asked[s->n_asked++] = (struct leaf_asked){ feature[at], k };
        }
        s->asked[s->n_asked].first = (uint32_t)n;
    }
    arena_free(&room);
    return st;
}

/* Its trees are known; their leaves and questions. */
static peck_status make_section(struct section *s, const struct forest_node *tree,
                                const struct numbering *by, struct arena *memory,
                                peck_error *err)
{
    struct arena room = { 0 };
    const struct forest_node *t = tree;
    size_t most = 0, n = 0;
    uint32_t word = 0;

    for (size_t k = 0; k < s->n_trees; k++, t = forest_next(t))
        most += MOST_WORDS * forest_nodes(t);
    struct leaf_question *const question =
        arena_new(&room, "questions", most, sizeof *question);
    uint32_t *const feature = arena_new(&room, "questions", most, sizeof *feature);

    s->tree = arena_new(memory, "trees", s->n_trees + 1, sizeof *s->tree);
    s->value = arena_new(memory, "leaves", s->n_words, sizeof *s->value);
    peck_status st = arena_check(feature == NULL ? &room : memory, err);

    if (st == PECK_OK) {
        for (size_t k = 0; k < s->n_trees; k++, tree = forest_next(tree)) {
            (void)number_leaves(tree, by);
            s->tree[k] = word;
            n += add_tree(tree, by, word, s->value, question + n, feature + n);
            word += words_of(by->n_leaves[0]);
        }
        s->tree[s->n_trees] = word;
        st = sort_section(s, question, feature, n, memory, err);
    }
    arena_free(&room);
    return st;
}

/* Which trees are in which section; sections are no more than trees.  False: a tree is too large,
 * or none. */
static bool cut_sections(const float *w, const struct numbering *by, struct leaf_sets *l)
{
    const struct forest_node *tree = forest_first(w);
    struct section *s = NULL;

    for (size_t k = 0; k < forest_trees(w); k++, tree = forest_next(tree)) {
        if (!number_leaves(tree, by))
            return false;
        const size_t n_words = words_of(by->n_leaves[0]);

        if (s == NULL || s->n_words + n_words > SECTION_WORDS)
            s = &l->section[l->n_sections++];
        s->n_trees++;
        s->n_words += n_words;
    }
    return true;
}

static peck_status make_sections(struct leaf_sets *l, const float *w,
                                 const struct numbering *by, struct arena *memory,
                                 peck_error *err)
{
    const struct forest_node *tree = forest_first(w);

    for (size_t i = 0; i < l->n_sections; i++) {
        TRY(make_section(&l->section[i], tree, by, memory, err));
        for (size_t k = 0; k < l->section[i].n_trees; k++)
            tree = forest_next(tree);
    }
    return PECK_OK;
}

peck_status leaf_sets_make(const struct leaf_sets **out, struct arena *memory,
                           const float *w, peck_error *err)
{
    const size_t n_trees = forest_trees(w), most = forest_used(w); /* nodes are fewer */
    struct arena room = { 0 };
    struct leaf_sets *const l = arena_new(memory, "trees", 1, sizeof *l);
    struct section *const section = arena_new(memory, "trees", n_trees, sizeof *section);
    const struct numbering by = { arena_new(&room, "leaves", most, sizeof *by.n_leaves),
                                  arena_new(&room, "leaves", most, sizeof *by.first),
                                  arena_new(&room, "leaves", most, sizeof *by.n_parents) };
    peck_status st = arena_check(by.n_parents == NULL ? &room : memory, err);

    *out = NULL;
    if (st == PECK_OK) {
        l->section = section;
        if (cut_sections(w, &by, l)) {
            st = make_sections(l, w, &by, memory, err);
            *out = l;
        }
    }
    arena_free(&room);
    return st;
}

/* Scoring ----------------------------------------------------------------------------- */

static inline ALWAYS_INLINE floats4 larger(floats4 a, floats4 b)
{
    const words4 is_a = (words4)(a > b);

    return (floats4)((is_a & (words4)a) | (~is_a & (words4)b));
}

/* sum[k] += what the trees of a section say of row k. */
static inline ALWAYS_INLINE void section_score_body(const struct section *s,
                                                    const float *const *row, double *sum)
{
    union {
        words4 four[LANES / 4];
        uint32_t one[LANES];
    } left[SECTION_WORDS];

    memset(left, 0xff, s->n_words * sizeof *left);
    for (size_t a = 0; a < s->n_asked; a++) {
        const uint32_t f = s->asked[a].feature;
        floats4 v[LANES / 4], top;

        for (size_t k = 0; k < LANES / 4; k++)
            v[k] = (floats4){ row[4 * k][f], row[4 * k + 1][f], row[4 * k + 2][f],
                              row[4 * k + 3][f] };
        top = larger(larger(v[0], v[1]), larger(v[2], v[3]));
        const float low = top[0] > top[1] ? top[0] : top[1];
        const float high = top[2] > top[3] ? top[2] : top[3];
        const float most = low > high ? low : high;
        const struct leaf_question *q = s->question + s->asked[a].first;
        const struct leaf_question *const end = s->question + s->asked[a + 1].first;

        for (; q < end && most > q->threshold; q++)
            for (size_t k = 0; k < LANES / 4; k++)
                left[q->word].four[k] &= ~((words4)(v[k] > q->threshold) & q->gone);
    }
    for (size_t t = 0; t < s->n_trees; t++)
        for (size_t k = 0; k < LANES; k++) {
            uint32_t word = s->tree[t];

            while (left[word].one[k] == 0)
                word++;
            sum[k] += (double)s->value[word][__builtin_ctz(left[word].one[k])];
        }
}

CPU_VERSIONS(section_score, (const struct section *s, const float *const *row, double *sum),
             (s, row, sum))

/* A last group that is not full is filled up with its first row. */
void leaf_sets_score(const struct leaf_sets *l, struct rows x, float *s)
{
    for (size_t first = 0; first < x.n; first += LANES) {
        const float *row[LANES];
        double sum[LANES] = { 0 };

        for (size_t k = 0; k < LANES; k++)
            row[k] = x.x + (first + k < x.n ? first + k : first) * x.stride;
        for (size_t i = 0; i < l->n_sections; i++)
            section_score(&l->section[i], row, sum);
        for (size_t k = 0; k < LANES && first + k < x.n; k++)
            s[first + k] = (float)sum[k];
    }
}
