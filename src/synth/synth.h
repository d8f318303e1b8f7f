/* synth -- SETTINGS + SEED -> QUERIES
 *   in      the settings of a kind of data, a seed
 *   out     queries as plain arrays, one at a time; or a list of judged pairs
 *   knows   base
 *   never   files, datasets, training
 *   grow    gen_<kind>.c + one line in generators.def
 *
 * Query q is drawn from its own random stream, named by (seed, q): it is the same
 * whether the queries before it were made or not, and on any number of threads.
 * What must be common to a training and a test file (a hidden target function, class
 * means, grade boundaries) is drawn from the setting `target` instead of the seed, so
 * two files that differ in the seed alone are two samples of one task.             */
#ifndef SYNTH_H
#define SYNTH_H

#include "../base/plug.h"
#include "../base/strings.h"

enum { SYNTH_NAME = 64 }; /* bytes of a feature's or a document's name, with its end */

/* What a generator is going to make, known before the first query. */
struct shape {
    size_t n_queries; /* or batches of pairs */
    size_t max_docs;  /* documents of the longest query, or pairs of a batch */
    size_t dim;
    bool is_prefs; /* pairs that stand alone: no documents, no labels, dim 0 */
};

/* `winner` was preferred `wins` times and `loser` `losses` times; wins >= losses. */
struct judged_pair {
    uint32_t winner, loser, wins, losses;
};

/* One query, or one batch of pairs.  Room for shape.max_docs of either. */
struct synth_sample {
    size_t n;                 /* documents or pairs that were made */
    float *x;                 /* [n][dim], finite */
    float *label;             /* [n], PECK_UNJUDGED or >= 0 */
    struct judged_pair *pair; /* [n]; NULL unless is_prefs, when x and label are NULL */
};

/* Every function gets `self`: self_size bytes that hold the settings (where the
 * parameter table says) and whatever open() adds to them. */
struct generator {
    struct plug plug;
    size_t self_size;
    /* Draws what all queries share and states the shape. */
    peck_status (*open)(void *self, uint64_t seed, struct shape *shape, peck_error *err);
    /* Makes query q.  Changes nothing in self, takes no memory, cannot fail. */
    void (*fill)(const void *self, uint64_t seed, size_t q, struct synth_sample *out);
    void (*close)(void *self); /* takes a self whose open() failed; NULL: nothing to do */
    /* NULL: features, or documents, have no names. */
    void (*name_feature)(const void *self, size_t feature, char out[SYNTH_NAME]);
    void (*name_doc)(size_t q, size_t doc, char out[SYNTH_NAME]);
};

extern const struct generator *const generators[];
extern const size_t n_generators;

/* The generator of this name, or NULL with a sentence (PECK_ARG). */
const struct generator *generator_find(const char *name, peck_error *err);

/* A generator at work: its settings, its shape and room for one query. */
struct synth;

/* settings: "key=value" strings, ended by NULL; may be NULL.  PECK_ARG for a setting
 * that is unknown, out of range or at odds with another. */
MUST_CHECK peck_status synth_new(struct synth **out, const struct generator *g,
                                 const char *const *settings, uint64_t seed,
                                 peck_error *err);
const struct shape *synth_shape(const struct synth *s);
/* Query q, valid until the next call. */
const struct synth_sample *synth_make(struct synth *s, size_t q);
/* Adds shape.dim names, or none where features have no names. */
MUST_CHECK peck_status synth_feature_names(const struct synth *s, struct strings *names,
                                           peck_error *err);
void synth_free(struct synth *s); /* takes NULL */

/* The preference oracle of the Bradley-Terry-Luce kind --------------------------
 * Items 0 .. have true scores s_i, uniform in [0, 1).  Item i was preferred to item j
 * in `wins` of `draws` comparisons, each won with probability 1 / (1 + e^(c (s_j - s_i)));
 * draws is uniform in 1 .. BTL_MAX_DRAWS.  Both numbers are fixed by the pair and the
 * seed, so asking again tells nothing new.  No state, no limit on the items.       */
enum { BTL_MAX_DRAWS = 15 };

struct btl {
    uint64_t seed;
    double c; /* c (s_max - s_min), as the scores span [0, 1) */
};

double btl_score(const struct btl *b, uint32_t item);
uint32_t btl_wins(const struct btl *b, uint32_t i, uint32_t j,
                  uint32_t *draws); /* i != j */
/* wins / draws; h(j,i) = 1 - h(i,j) to the last bit, h(i,i) = 1/2. */
double btl_preference(const struct btl *b, uint32_t i, uint32_t j);

#endif
