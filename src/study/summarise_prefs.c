/* summarise_prefs.c -- preferences -> what a person must know about them: how many, how
 * consistent, whether they hang together, whether they fit the labels.
 *
 * A preference speaks for its winner when its probability is above 1/2, for its loser
 * when it is below, and for nobody at exactly 1/2 (undecided).                       */
#include "../base/alloc.h"
#include "../report/report.h"

enum {
    FOR_FIRST = 1,
    FOR_SECOND = 2
}; /* of a pair whose first item has the lower number */

struct pref_counts {
    struct index pair;   /* (list, item, item) */
    unsigned char *ways; /* by pair: FOR_FIRST, FOR_SECOND, both, or 0 */
    size_t cap_ways;
    struct index node; /* (list, item) */
    size_t *parent;    /* by node: a forest whose trees are what hangs together */
    size_t cap_parent;
    size_t *n_components; /* by list */
    size_t n_undecided, n_agree, n_disagree, n_tie, n_unjudged;
    double weight;
};

/* The place of a tuple of numbers in an index, new or old; INDEX_FULL: no memory. */
static int64_t put_numbers(struct index *x, const size_t *key, size_t n)
{
    return index_put(x, (peck_span){ (const char *)key, n * sizeof *key });
}

/* Paths are halved on the way. */
static size_t find_root(size_t *parent, size_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The node of an item in a list, new or old; INDEX_FULL: no memory. */
static int64_t put_node(struct pref_counts *t, size_t list, size_t item)
{
    const size_t n_before = t->node.names.n;
    const int64_t i = put_numbers(&t->node, (const size_t[]){ list, item }, 2);

    if (i == INDEX_FULL ||
        !mem_reserve(&t->parent, &t->cap_parent, (size_t)i + 1, sizeof *t->parent))
        return INDEX_FULL;
    if ((size_t)i == n_before) {
        t->parent[i] = (size_t)i;
        t->n_components[list]++;
    }
    return i;
}

/* Counts one preference.  False: no memory. */
static bool count_pref(struct pref_counts *t, const peck_pref *p, const peck_dataset *d)
{
    const bool is_rising = p->winner < p->loser;
    const size_t first = is_rising ? p->winner : p->loser;
    const size_t second = is_rising ? p->loser : p->winner;
    const size_t n_before = t->pair.names.n;
    const int64_t a = put_node(t, p->list, p->winner);
    const int64_t b = a != INDEX_FULL ? put_node(t, p->list, p->loser) : INDEX_FULL;

    if (b == INDEX_FULL)
        return false;
    /* Winner and loser hang together. */
    const size_t root_a = find_root(t->parent, (size_t)a);
    const size_t root_b = find_root(t->parent, (size_t)b);

    if (root_a != root_b) {
        t->parent[root_b] = root_a;
        t->n_components[p->list]--;
    }

    /* Which way the pair goes. */
    const int64_t pair =
        put_numbers(&t->pair, (const size_t[]){ p->list, first, second }, 3);

    if (pair == INDEX_FULL || !mem_reserve(&t->ways, &t->cap_ways, (size_t)pair + 1, 1))
        return false;
    if ((size_t)pair == n_before)
        t->ways[pair] = 0;
    if (p->probability > 0.5f)
        t->ways[pair] |= is_rising ? FOR_FIRST : FOR_SECOND;
    else if (p->probability < 0.5f)
        t->ways[pair] |= is_rising ? FOR_SECOND : FOR_FIRST;
    t->n_undecided += p->probability == 0.5f;
    t->weight += p->weight;
    if (d == NULL)
        return true;
    peck_query q;

    /* Whether the labels agree. */
    peck_dataset_query(d, p->list, &q);
    const float winner = q.label[p->winner - q.first], loser = q.label[p->loser - q.first];

    if (winner < 0 || loser < 0)
        t->n_unjudged++;
    else if (p->probability == 0.5f)
        return true; /* it neither agrees nor disagrees */
    else if (winner == loser)
        t->n_tie++;
    else if ((winner > loser) == (p->probability > 0.5f))
        t->n_agree++;
    else
        t->n_disagree++;
    return true;
}

/* Counts, and with documents how they fit the labels, else whether lists hang together. */
static void report_prefs(struct peck_report *r, const struct pref_counts *t,
                         const peck_prefs_info *info, const peck_dataset *d)
{
    size_t n_lists = 0, n_components = 0, n_connected = 0, n_contradicted = 0;

    for (size_t l = 0; l < info->n_lists; l++) {
        n_lists += t->n_components[l] > 0;
        n_components += t->n_components[l];
        n_connected += t->n_components[l] == 1;
    }
    for (size_t i = 0; i < t->pair.names.n; i++)
        n_contradicted += t->ways[i] == (FOR_FIRST | FOR_SECOND);
    report_count(r, "preferences", info->n_prefs);
    report_count(r, d != NULL ? "queries" : "lists", n_lists);
    report_count(r, d != NULL ? "documents" : "items",
                 d != NULL ? t->node.names.n : info->n_items);
    report_number(r, "weight", t->weight, 6);
    report_count(r, "pairs", t->pair.names.n);
    report_count(r, "contradicted_pairs", n_contradicted);
    report_count(r, "undecided", t->n_undecided);
    if (d != NULL) {
        report_count(r, "agree_with_labels", t->n_agree);
        report_count(r, "disagree_with_labels", t->n_disagree);
        report_count(r, "tied_in_labels", t->n_tie);
        report_count(r, "without_labels", t->n_unjudged);
    } else {
        report_count(r, "components", n_components);
        report_count(r, "connected_lists", n_connected);
    }
    report_count(r, "malformed_lines", info->n_bad);
    if (info->n_bad > 0)
        report_count(r, "first_malformed_line", info->first_bad_line);
}

/* d: the documents that the preferences are about; NULL: items that stand alone. */
peck_status peck_prefs_summarise(peck_report **out, const peck_prefs *p,
                                 const peck_dataset *d, peck_error *err)
{
    struct pref_counts t = { 0 };
    peck_prefs_info info;
    struct peck_report *r = NULL;

    *out = NULL;
    peck_prefs_describe(p, &info);
    TRY(peck_report_new(&r, err));
    t.n_components = mem_new(info.n_lists, sizeof *t.n_components);
    peck_status st = t.n_components != NULL ? PECK_OK
                                            : fail_memory(err, "the lists", info.n_lists,
                                                          sizeof *t.n_components);

    for (size_t i = 0; st == PECK_OK && i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);

        if (!count_pref(&t, &pref, d))
            st = fail_memory(err, "the preferences", info.n_prefs, sizeof pref);
    }
    if (st == PECK_OK)
        report_prefs(r, &t, &info, d);
    index_free(&t.pair);
    index_free(&t.node);
    mem_free(t.ways);
    mem_free(t.parent);
    mem_free(t.n_components);
    return report_finish(out, r, st, err);
}
