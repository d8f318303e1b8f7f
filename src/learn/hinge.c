/* hinge.c -- see hinge.h. */
#include "hinge.h"

#include "../base/sort.h"

/* Of a document that takes no part. */
#define NO_CLASS UINT32_MAX

enum { SHARD = 8 }; /* queries a task looks at */

/* A document at its place by falling score. */
struct spot {
    double s, c; /* score, weight */
    double n;    /* sum of the weights of its active partners */
    uint32_t from, class_at;
};

/* Weights of some documents, and the same times their values. */
struct weighted_sum {
    double n, sum;
};

/* A worker's scratch memory for one query; all but the tree by place. */
struct sweep {
    struct sort_item *item;      /* 2 max_docs */
    double *value;               /* max_docs: what is summed up */
    struct weighted_sum *worse;  /* max_docs: active partners that should come behind */
    struct weighted_sum *better; /* max_docs: ... before */
    struct weighted_sum *tree;   /* classes + 1: sums over them, by Fenwick */
    struct query_scratch scratch;
};

peck_status hinge_open(struct hinge *h, const struct train_set *l,
                       const struct hinge_rule *rule, struct pool *pool, peck_error *err)
{
    const size_t workers = (size_t)pool_size(pool), n = l->n_docs, most = l->max_docs;
    const char *const what = "the pairs of documents", *const of_query =
                                                           "the pairs of a query";

    if (l->ties_until != NULL)
        return fail(err, PECK_ARG,
                    "ties=1: documents of equal labels have no margin to keep; leave it 0");
    *h = (struct hinge){ .train_set = l, .rule = *rule, .pool = pool, .end = l->n_queries };
    h->spot = arena_new(&h->arena, what, n, sizeof *h->spot);
    h->class_at = arena_new(&h->arena, what, n, sizeof *h->class_at);
    h->n_classes = arena_new(&h->arena, what, l->n_queries, sizeof *h->n_classes);
    h->n_placed = arena_new(&h->arena, what, l->n_queries, sizeof *h->n_placed);
    h->loss = arena_new(&h->arena, what, l->n_queries, sizeof *h->loss);
    h->kept = arena_new(&h->arena, what, n, sizeof *h->kept);
    h->sweep = arena_new(&h->arena, what, workers, sizeof *h->sweep);
    for (size_t i = 0; h->sweep != NULL && i < workers; i++) {
        struct sweep *const w = &h->sweep[i];

        w->item = arena_new(&h->arena, of_query, 2 * most, sizeof *w->item);
        w->value = arena_new(&h->arena, of_query, most, sizeof *w->value);
        w->worse = arena_new(&h->arena, of_query, most, sizeof *w->worse);
        w->better = arena_new(&h->arena, of_query, most, sizeof *w->better);
        /* two grades are two classes of any list */
        w->tree = arena_new(&h->arena, of_query, most + 3, sizeof *w->tree);
    }
    TRY(arena_check(&h->arena, err));
    for (size_t i = 0; i < workers; i++)
        TRY(query_scratch_init(&h->sweep[i].scratch, l, NULL, err));
    for (size_t i = 0; i < n; i++)
        h->class_at[i] = rule->grade == NULL || l->below == NULL ? NO_CLASS
                         : l->label[i] == rule->grade[0]         ? 0
                         : l->label[i] == rule->grade[1]         ? 1
                                                                 : NO_CLASS;
    for (size_t q = 0; l->below != NULL && q < l->n_queries; q++) {
        const size_t first = (size_t)l->start[q];
        uint32_t n_classes = rule->grade != NULL ? 2 : 0, at = 0;

        /* By the training set: documents that should precede the same others. */
        for (; rule->grade == NULL && at < l->plan[q].n_ranked; n_classes++)
            for (const uint32_t end = l->below[first + at]; at < end; at++)
                h->class_at[first + at] = n_classes;
        h->n_classes[q] = n_classes;
        for (size_t i = first; i < l->start[q + 1]; i++)
            h->n_placed[q] += h->class_at[i] != NO_CLASS;
    }
    return PECK_OK;
}

void hinge_close(struct hinge *h)
{
    for (int i = 0; h->sweep != NULL && i < pool_size(h->pool); i++)
        query_scratch_free(&h->sweep[i].scratch);
    arena_free(&h->arena);
    *h = (struct hinge){ 0 };
}

/* Sums over classes ----------------------------------------------------------------- */

static void hinge_tree_add(struct weighted_sum *tree, uint32_t n_classes,
                           const struct spot *p, double value)
{
    for (uint32_t k = p->class_at + 1; k <= n_classes; k += k & (~k + 1)) {
        tree[k].n += p->c;
        tree[k].sum += p->c * value;
    }
}

/* Over the classes [from, to): all before `to` less all before `from`. */
static struct weighted_sum tree_between(const struct weighted_sum *tree, uint32_t from,
                                        uint32_t to)
{
    struct weighted_sum all = { 0.0, 0.0 }, less = { 0.0, 0.0 };

    for (uint32_t k = to; k > 0; k &= k - 1) {
        all.n += tree[k].n;
        all.sum += tree[k].sum;
    }
    for (uint32_t k = from; k > 0; k &= k - 1) {
        less.n += tree[k].n;
        less.sum += tree[k].sum;
    }
    return (struct weighted_sum){ all.n - less.n, all.sum - less.sum };
}

/* The active partners of each place of query q, with value[] of theirs.  worse[p] score
 * above s_p - 1: they stand at the first places.  better[p] score below s_p + 1: at the
 * last ones. */
static void find_partners(const struct hinge *h, size_t q, struct sweep *w)
{
    const struct train_set *const l = h->train_set;
    const struct spot *const spot = h->spot + l->start[q];
    const uint32_t n = h->n_placed[q], n_classes = h->n_classes[q];
    /* A class is followed by the next one alone. */
    const bool is_adjacent = h->rule.grade == NULL && l->plan[q].n_ranked > 0 &&
                             l->until[l->start[q]] < l->plan[q].n_ranked;
    uint32_t end = 0, begin = n;

    memset(w->tree, 0, (n_classes + 1) * sizeof *w->tree);
    for (uint32_t p = 0; p < n; p++) {
        const uint32_t own = spot[p].class_at;

        for (; end < n && spot[end].s > spot[p].s - 1.0; end++)
            hinge_tree_add(w->tree, n_classes, &spot[end], w->value[end]);
        w->worse[p] = tree_between(
            w->tree, own + 1, is_adjacent && own + 2 < n_classes ? own + 2 : n_classes);
    }
    memset(w->tree, 0, (n_classes + 1) * sizeof *w->tree);
    for (uint32_t p = n; p-- > 0;) {
        const uint32_t own = spot[p].class_at;

        for (; begin > 0 && spot[begin - 1].s < spot[p].s + 1.0; begin--)
            hinge_tree_add(w->tree, n_classes, &spot[begin - 1], w->value[begin - 1]);
        w->better[p] = tree_between(w->tree, is_adjacent && own > 0 ? own - 1 : 0, own);
    }
}

/* Queries ---------------------------------------------------------------------------- */

/* What a pair of the query counts. */
static double hinge_share_of(const struct hinge *h, size_t q)
{
    const struct train_set *const l = h->train_set;
    const double weight = l->weight != NULL ? (double)l->weight[q] : 1.0;

    return h->rule.is_by_query && l->plan[q].n_all > 0.0 ? weight / l->plan[q].n_all
                                                         : weight;
}

/* Listed pairs have a probability p that i comes first, and count p that way, 1 - p the
 * other.  Else, with primed sums over those that should come before p:
 *
 *   dL/ds_p = 2 c (n'(1 + s) - sum')  -  2 c (n (1 - s) + sum)
 *
 * The loss of the pairs in which p is the better one is sum (1 - d) - sum d (1 - d), whose
 * second part is -1/2 sum_p s_p dL/ds_p. */
static double gradient_query(struct hinge *h, size_t q, struct sweep *w)
{
    const struct train_set *const l = h->train_set;
    const size_t first = (size_t)l->start[q], n_docs = (size_t)l->start[q + 1] - first;
    const struct query_pairs query = train_set_query(l, q, h->rule.seed, 0, &w->scratch);
    const double share = hinge_share_of(h, q);
    const float *const s = h->in + first;
    float *const g = h->out + first;
    uint32_t n = 0;
    double loss = 0.0;

    for (size_t k = 0; query.below == NULL && k < query.n_pairs; k++) {
        const struct pair *const pair = &query.pair[k];
        const double weight = share * (double)pair->weight, p = (double)pair->probability;
        const double d = (double)s[pair->i] - (double)s[pair->j];
        const double lack = d < 1.0 ? 1.0 - d : 0.0, back = d > -1.0 ? 1.0 + d : 0.0;
        const double pull = 2.0 * weight * (p * lack - (1.0 - p) * back);

        loss += weight * (p * lack * lack + (1.0 - p) * back * back);
        g[pair->i] -= (float)pull;
        g[pair->j] += (float)pull;
    }
    if (query.below == NULL)
        return loss;
    for (uint32_t i = 0; i < n_docs; i++)
        if (h->class_at[first + i] != NO_CLASS)
            w->item[n++] = (struct sort_item){ key_desc((double)s[i]), i };
    sort_items(w->item, n, w->item + n);
    for (uint32_t p = 0; p < n; p++) {
        const uint32_t i = w->item[p].from;
        const double c = l->doc_weight != NULL ? (double)l->doc_weight[first + i] : 1.0;

        h->spot[first + p] =
            (struct spot){ (double)s[i], c, 0.0, i, h->class_at[first + i] };
        w->value[p] = (double)s[i];
    }
    find_partners(h, q, w);
    for (uint32_t p = n; p-- > 0;) {
        struct spot *const spot = &h->spot[first + p];
        const double lack = w->worse[p].n * (1.0 - spot->s) + w->worse[p].sum;
        const double lead = w->better[p].n * (1.0 + spot->s) - w->better[p].sum;
        const double own = 2.0 * spot->c * share * (lead - lack);

        spot->n = w->worse[p].n + w->better[p].n;
        loss += share * spot->c * lack + 0.5 * own * spot->s;
        g[spot->from] = (float)own;
    }
    return loss;
}

static void gradient_shard(void *ctx, size_t shard, int worker)
{
    struct hinge *const h = ctx;
    const size_t at = h->first + shard * SHARD;

    for (size_t q = at; q < h->end && q < at + SHARD; q++) {
        const size_t first = (size_t)h->train_set->start[q];
        const size_t n = (size_t)h->train_set->start[q + 1] - first;

        memcpy(h->kept + first, h->in + first, n * sizeof *h->kept);
        memset(h->out + first, 0, n * sizeof *h->out);
        h->loss[q] = gradient_query(h, q, &h->sweep[worker]);
    }
}

/* Documents stand where the last gradient has placed them.
 * out_p = 2 c_p (n_p t_p - sum of c_j t_j) over the active partners j of p, n_p the sum of
 * their weights. */
static void bend_query(struct hinge *h, size_t q, struct sweep *w)
{
    const size_t first = (size_t)h->train_set->start[q];
    const struct query_pairs query =
        train_set_query(h->train_set, q, h->rule.seed, 0, &w->scratch);
    const double share = hinge_share_of(h, q);
    const float *const s = h->kept + first, *const t = h->in + first;
    const struct spot *const spot = h->spot + first;
    float *const out = h->out + first;

    for (size_t k = 0; query.below == NULL && k < query.n_pairs; k++) {
        const struct pair *const pair = &query.pair[k];
        const double p = (double)pair->probability;
        const double d = (double)s[pair->i] - (double)s[pair->j];
        const double curve = (d < 1.0 ? p : 0.0) + (d > -1.0 ? 1.0 - p : 0.0);
        const double pull = 2.0 * share * (double)pair->weight * curve *
                            ((double)t[pair->i] - (double)t[pair->j]);

        out[pair->i] += (float)pull;
        out[pair->j] -= (float)pull;
    }
    if (query.below == NULL)
        return;
    for (uint32_t p = 0; p < h->n_placed[q]; p++)
        w->value[p] = (double)t[spot[p].from];
    find_partners(h, q, w);
    for (uint32_t p = 0; p < h->n_placed[q]; p++)
        out[spot[p].from] =
            (float)(2.0 * spot[p].c * share *
                    (spot[p].n * w->value[p] - (w->worse[p].sum + w->better[p].sum)));
}

static void bend_shard(void *ctx, size_t shard, int worker)
{
    struct hinge *const h = ctx;
    const size_t at = h->first + shard * SHARD;

    for (size_t q = at; q < h->end && q < at + SHARD; q++) {
        const size_t first = (size_t)h->train_set->start[q];

        memset(h->out + first, 0,
               ((size_t)h->train_set->start[q + 1] - first) * sizeof *h->out);
        bend_query(h, q, &h->sweep[worker]);
    }
}

/* Documents that take no part get 0. */
static void hinge_run(struct hinge *h, const float *in, float *out,
                      void (*shard)(void *ctx, size_t shard, int worker))
{
    h->in = in;
    h->out = out;
    pool_run(h->pool, (h->end - h->first + SHARD - 1) / SHARD, shard, h);
}

void hinge_gradient(struct hinge *h, const float *s, float *g)
{
    hinge_run(h, s, g, gradient_shard);
}

double hinge_loss(const struct hinge *h)
{
    double loss = 0.0;

    for (size_t q = 0; q < h->train_set->n_queries; q++)
        loss += h->loss[q];
    return loss;
}

void hinge_bend(struct hinge *h, const float *t, float *out)
{
    hinge_run(h, t, out, bend_shard);
}
