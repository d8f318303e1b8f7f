/* kept_cases.h -- results that stay what they are, to the last bit: the same seed gives the same bytes
 * at any thread count, with any compiler, on any processor, and next year.
 *
 * A file in tests/kept has a case a line, words and the hash of what they gave:
 *
 *   train ranknet epochs=3 hidden=4 : 2f1d...
 *
 * It asks for what no formula says: how far a damped step goes, which of two equal questions
 * comes first, what a heuristic chooses.  What a formula does say is tested beside slow
 * twins elsewhere.  After a change that is meant to change results, or with a line of
 * one's own whose hash is "?", the program writes the file anew when it is called with the
 * word "write"; the difference shows what changed, and belongs into the commit.        */
#ifndef KEPT_CASES_H
#define KEPT_CASES_H

#include "peck.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_WORDS = 24 };

/* The words of a line, and what was hashed so far (FNV-1a). */
struct kept_case {
    const char *word[MOST_WORDS + 1];
    size_t n;
    uint64_t hash;
};

struct kept_kind {
    const char *name;
    void (*run)(struct kept_case *c);
};

/* All cases of a file: what a test program's main returns. */
int kept_main(int argc, char **argv, const char *path, const struct kept_kind *kind,
              size_t n_kinds);

void keep_bytes(struct kept_case *c, const void *bytes, size_t n);
void keep_number(struct kept_case *c, double x); /* any NaN is one */
/* All numbers of a report, its texts left out; frees it. */
void keep_report(struct kept_case *c, peck_report *r);
/* Of a failure the status and the numbers in its sentence, whose words may change. */
void keep_failure(struct kept_case *c, peck_status status, const peck_error *err);

/* What stands behind "key=" among the words, or `otherwise`. */
const char *word_of(const struct kept_case *c, const char *key, const char *otherwise);
double number_of(const struct kept_case *c, const char *key, double otherwise);
bool has_word(const struct kept_case *c, const char *word);
/* A file with the text behind "key="; in it "_" stands for a blank, "\\n", "\\t", "\\r" for
 * themselves.  NULL: there is no such word. */
const char *file_of(const struct kept_case *c, const char *key, const char *name);

#endif
