/* dec_tree.c -- SortNet's sorting: items enter a binary search tree one by one.
 *
 * A tree that is grown item by item asks the same questions, and becomes the same tree, as
 * a quicksort whose pivot is the first item of each part and whose parts keep their order;
 * that one can ask a whole part at once.
 *
 * Rigutini et al., "SortNet: learning to rank by a neural preference function", 2011,
 * section IV.                                                                         */
#include "quick.h"

struct tree {
    int is_shuffled;
};

static const struct param params[] = { { "shuffle", PARAM_CHOICE, "1", "0|1",
                                         "1: items enter in a drawn order; 0: in input "
                                         "order, which takes n^2/2 questions on a "
                                         "list that is sorted already",
                                         offsetof(struct tree, is_shuffled) },
                                       { 0 } };

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const struct tree *const t = config;
    const uint32_t n = a->oracle->n;
    struct quick *const q = quick_new(n);
    struct rng r;

    if (q == NULL)
        return fail_memory(err, "a sort", n, 32);
    for (uint32_t i = 0; i < n; i++)
        out->order[i] = i;
    rng_seed(&r, a->seed, 0);
    if (t->is_shuffled)
        rng_shuffle(&r, out->order, n);
    quick_sort(q, a, out->order, NULL, UINT64_MAX);
    quick_free(q);
    decoding_from_order(out, n);
    return PECK_OK;
}

const struct decoder decoder_tree = {
    .plug.about = { "tree", "insertion into a binary search tree: n log n questions",
                    "Each item enters a binary search tree and is compared with those on "
                    "its way down; about 1.4 n log2(n) questions, each of which only has "
                    "to be answered by a side. One wrong answer may misplace an item by "
                    "far. Equal items keep input order. Takes no budget. SortNet, Rigutini "
                    "et al. 2011." },
    .plug.params = params,
    .config_size = sizeof(struct tree),
    .run = run,
};
