/* hinge.c -- see hinge.h. */
#include "hinge.h"

#include "../base/alloc.h"
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

/* A worker's scratch memory for one query. */
struct sweep {
    struct sort_item *item;     /* 2 max_docs */
    double *value;              /* max_docs: by place */
    struct weighted_sum *worse; /* max_docs: active partners that should come behind */
    struct weighted_sum *tree;  /* classes + 1: sums over them, by Fenwick */
    struct query_scratch scratch;
};

static void sweep_free(struct sweep *s)
{
    if (s == NULL)
        return;
    mem_free(s->item);
    mem_free(s->value);
    mem_free(s->worse);
    mem_free(s->tree);
    query_scratch_free(&s->scratch);
    mem_free(s);
}

static peck_status sweep_new(struct sweep **out, const struct train_set *l, peck_error *err)
{
    const size_t n = l->max_docs;
    struct sweep *const s = *out = mem_new(1, sizeof *s);

    if (s == NULL)
        return fail_memory(err, "the pairs of a query", 1, sizeof *s);
    s->item = mem_new(2 * n, sizeof *s->item);
    s->value = mem_new(n, sizeof *s->value);
    s->worse = mem_new(n, sizeof *s->worse);
    s->tree = mem_new(n + 3, sizeof *s->tree); /* two grades are two classes of any list */
    if (!s->item || !s->value || !s->worse || !s->tree)
        return fail_memory(err, "the pairs of a query", n, sizeof *s->item);
    return query_scratch_init(&s->scratch, l, err);
}

/* Classes --------------------------------------------------------------------------- */

/* From the runs of the training set: documents that should precede the same others. */
static uint32_t class_by_runs(struct hinge *h, size_t q)
{
    const struct train_set *const l = h->train_set;
    const size_t first = (size_t)l->start[q];
    uint32_t n = 0;

    for (uint32_t at = 0; at < l->plan[q].n_ranked; n++)
        for (const uint32_t end = l->below[first + at]; at < end; at++)
            h->class_at[first + at] = n;
    return n;
}

static uint32_t class_by_grades(struct hinge *h, size_t q)
{
    const struct train_set *const l = h->train_set;

    for (size_t i = (size_t)l->start[q]; i < l->start[q + 1]; i++)
        h->class_at[i] = l->label[i] == h->rule.grade[0]   ? 0
                         : l->label[i] == h->rule.grade[1] ? 1
                                                           : NO_CLASS;
    return 2;
}

static void set_classes(struct hinge *h)
{
    const struct train_set *const l = h->train_set;

    for (size_t i = 0; i < l->n_docs; i++)
        h->class_at[i] = NO_CLASS;
    for (size_t q = 0; q < l->n_queries; q++)
        h->n_classes[q] = l->below == NULL ? 0
                          : h->rule.grade  ? class_by_grades(h, q)
                                           : class_by_runs(h, q);
}

/* One document of each class is followed by the next class alone. */
static bool is_adjacent(const struct train_set *l, size_t q)
{
    const size_t first = (size_t)l->start[q];

    return l->plan[q].n_ranked > 0 && l->until[first] < l->plan[q].n_ranked;
}

peck_status hinge_open(struct hinge *h, const struct train_set *l,
                       const struct hinge_rule *rule, struct pool *pool, peck_error *err)
{
    const size_t workers = (size_t)pool_size(pool);

    if (l->ties_until != NULL)
        return fail(err, PECK_ARG,
                    "ties=1: documents of equal labels have no margin to keep; leave it 0");
    *h = (struct hinge){ .train_set = l, .rule = *rule, .pool = pool };
    h->spot = mem_new(l->n_docs, sizeof *h->spot);
    h->class_at = mem_new(l->n_docs, sizeof *h->class_at);
    h->n_classes = mem_new(l->n_queries, sizeof *h->n_classes);
    h->loss = mem_new(l->n_queries, sizeof *h->loss);
    h->kept = mem_new(l->n_docs, sizeof *h->kept);
    h->sweep = mem_new(workers, sizeof *h->sweep);
    if (!h->spot || !h->class_at || !h->n_classes || !h->loss || !h->kept || !h->sweep)
        return fail_memory(err, "the pairs of documents", l->n_docs, sizeof *h->spot);
    for (size_t i = 0; i < workers; i++)
        TRY(sweep_new(&h->sweep[i], l, err));
    set_classes(h);
    return PECK_OK;
}

void hinge_close(struct hinge *h)
{
    for (int i = 0; h->sweep != NULL && i < pool_size(h->pool); i++)
        sweep_free(h->sweep[i]);
    mem_free(h->sweep);
    mem_free(h->spot);
    mem_free(h->class_at);
    mem_free(h->n_classes);
    mem_free(h->loss);
    mem_free(h->kept);
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

/* Over the first n classes. */
static struct weighted_sum tree_first(const struct weighted_sum *tree, uint32_t n)
{
    struct weighted_sum all = { 0.0, 0.0 };

    for (uint32_t k = n; k > 0; k &= k - 1) {
        all.n += tree[k].n;
        all.sum += tree[k].sum;
    }
    return all;
}

static struct weighted_sum minus(struct weighted_sum a, struct weighted_sum b)
{
    return (struct weighted_sum){ a.n - b.n, a.sum - b.sum };
}

/* One query as the sweeps see it. */
struct sweep_query {
    struct spot *spot;
    uint32_t n, n_classes;
    bool is_adjacent;
    struct sweep *sweep; /* value is set */
};

/* worse[p]: the active partners of p that should come behind it.  They score above
 * s_p - 1: the first so many places. */
static void find_worse(const struct sweep_query *v)
{
    struct weighted_sum *const tree = v->sweep->tree;
    uint32_t end = 0;

    memset(tree, 0, (v->n_classes + 1) * sizeof *tree);
    for (uint32_t p = 0; p < v->n; p++) {
        const uint32_t own = v->spot[p].class_at;

        for (; end < v->n && v->spot[end].s > v->spot[p].s - 1.0; end++)
            hinge_tree_add(tree, v->n_classes, &v->spot[end], v->sweep->value[end]);
        const uint32_t last =
            v->is_adjacent && own + 2 < v->n_classes ? own + 2 : v->n_classes;

        v->sweep->worse[p] = minus(tree_first(tree, last), tree_first(tree, own + 1));
    }
}

/* Those that should come before p score below s_p + 1: the last places.  Gives each to
 * `take`, from the last place on. */
static void find_better(const struct sweep_query *v,
                        void (*take)(const struct sweep_query *v, uint32_t p,
                                     struct weighted_sum better, void *ctx),
                        void *ctx)
{
    struct weighted_sum *const tree = v->sweep->tree;
    uint32_t begin = v->n;

    memset(tree, 0, (v->n_classes + 1) * sizeof *tree);
    for (uint32_t p = v->n; p-- > 0;) {
        const uint32_t own = v->spot[p].class_at;

        for (; begin > 0 && v->spot[begin - 1].s < v->spot[p].s + 1.0; begin--)
            hinge_tree_add(tree, v->n_classes, &v->spot[begin - 1],
                           v->sweep->value[begin - 1]);
        struct weighted_sum better = tree_first(tree, own);

        if (v->is_adjacent && own > 0)
            better = minus(better, tree_first(tree, own - 1));
        take(v, p, better, ctx);
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

static struct sweep_query scene_of(struct hinge *h, size_t q, int worker, uint32_t n)
{
    const struct train_set *const l = h->train_set;

    return (struct sweep_query){ .spot = h->spot + l->start[q],
                                 .n = n,
                                 .n_classes = h->n_classes[q],
                                 .is_adjacent = h->rule.grade == NULL && is_adjacent(l, q),
                                 .sweep = h->sweep[worker] };
}

/* Documents that take part, by falling score; returns how many. */
static uint32_t place_documents(struct hinge *h, size_t q, struct sweep *sweep)
{
    const struct train_set *const l = h->train_set;
    const size_t first = (size_t)l->start[q], n_docs = (size_t)l->start[q + 1] - first;
    struct spot *const spot = h->spot + first;
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_docs; i++)
        if (h->class_at[first + i] != NO_CLASS)
            sweep->item[n++] = (struct sort_item){ key_desc((double)h->in[first + i]), i };
    sort_items(sweep->item, n, sweep->item + n);
    for (uint32_t p = 0; p < n; p++) {
        const uint32_t i = sweep->item[p].from;
        const double c = l->doc_weight != NULL ? (double)l->doc_weight[first + i] : 1.0;

        spot[p] = (struct spot){ .s = (double)h->in[first + i],
                                 .c = c,
                                 .from = i,
                                 .class_at = h->class_at[first + i] };
        sweep->value[p] = spot[p].s;
    }
    return n;
}

/* What a sweep adds to: derivatives of one query. */
struct target {
    float *out; /* of its documents */
    double share, loss;
};

/*   dL/ds_p = 2 c (n'(1 + s) - sum')  -  2 c (n (1 - s) + sum)
 * primed: over those that should come before p.  The loss of the pairs in which p is the
 * better one is sum (1 - d) - sum d (1 - d), whose second part is -1/2 sum_p s_p dL/ds_p. */
static void take_gradient(const struct sweep_query *v, uint32_t p,
                          struct weighted_sum better, void *ctx)
{
    struct target *const to = ctx;
    struct spot *const spot = &v->spot[p];
    const struct weighted_sum worse = v->sweep->worse[p];
    const double lack = worse.n * (1.0 - spot->s) + worse.sum;
    const double lead = better.n * (1.0 + spot->s) - better.sum;
    const double g = 2.0 * spot->c * to->share * (lead - lack);

    spot->n = worse.n + better.n;
    to->loss += to->share * spot->c * lack + 0.5 * g * spot->s;
    to->out[spot->from] = (float)g;
}

static void take_bend(const struct sweep_query *v, uint32_t p, struct weighted_sum better,
                      void *ctx)
{
    const struct target *const to = ctx;
    const struct spot *const spot = &v->spot[p];
    const double sum = v->sweep->worse[p].sum + better.sum;

    to->out[spot->from] =
        (float)(2.0 * spot->c * to->share * (spot->n * v->sweep->value[p] - sum));
}

/* Listed pairs, each with a probability p that i comes first: it counts p that way and
 * 1 - p the other. */
static double listed_gradient(const struct query_pairs *query, double share, const float *s,
                              float *g)
{
    double loss = 0.0;

    for (size_t k = 0; k < query->n_pairs; k++) {
        const struct pair *const pair = &query->pair[k];
        const double weight = share * (double)pair->weight, p = (double)pair->probability;
        const double d = (double)s[pair->i] - (double)s[pair->j];
        const double lack = d < 1.0 ? 1.0 - d : 0.0, back = d > -1.0 ? 1.0 + d : 0.0;
        const double pull = 2.0 * weight * (p * lack - (1.0 - p) * back);

        loss += weight * (p * lack * lack + (1.0 - p) * back * back);
        g[pair->i] -= (float)pull;
        g[pair->j] += (float)pull;
    }
    return loss;
}

static void listed_bend(const struct query_pairs *query, double share, const float *s,
                        const float *t, float *out)
{
    for (size_t k = 0; k < query->n_pairs; k++) {
        const struct pair *const pair = &query->pair[k];
        const double p = (double)pair->probability;
        const double d = (double)s[pair->i] - (double)s[pair->j];
        const double curve = (d < 1.0 ? p : 0.0) + (d > -1.0 ? 1.0 - p : 0.0);
        const double pull = 2.0 * share * (double)pair->weight * curve *
                            ((double)t[pair->i] - (double)t[pair->j]);

        out[pair->i] += (float)pull;
        out[pair->j] -= (float)pull;
    }
}

/* The query as it stands in the training set: with runs, or with listed pairs. */
static struct query_pairs hinge_pairs_of(const struct hinge *h, size_t q, int worker)
{
    return train_set_query(h->train_set, q, h->rule.seed, 0, &h->sweep[worker]->scratch);
}

static void gradient_query(struct hinge *h, size_t q, int worker)
{
    const struct query_pairs query = hinge_pairs_of(h, q, worker);
    const size_t first = (size_t)h->train_set->start[q];
    struct target to = { h->out + first, hinge_share_of(h, q), 0.0 };

    if (query.below == NULL) {
        to.loss = listed_gradient(&query, to.share, h->in + first, to.out);
    } else {
        const struct sweep_query v =
            scene_of(h, q, worker, place_documents(h, q, h->sweep[worker]));

        find_worse(&v);
        find_better(&v, take_gradient, &to);
    }
    h->loss[q] = to.loss;
}

/* Documents of a class stand at the first places of their query's spots. */
static uint32_t count_placed(const struct hinge *h, size_t q)
{
    uint32_t n = 0;

    for (size_t i = (size_t)h->train_set->start[q]; i < h->train_set->start[q + 1]; i++)
        n += h->class_at[i] != NO_CLASS;
    return n;
}

static void bend_query(struct hinge *h, size_t q, int worker)
{
    const struct query_pairs query = hinge_pairs_of(h, q, worker);
    const size_t first = (size_t)h->train_set->start[q];
    struct target to = { h->out + first, hinge_share_of(h, q), 0.0 };

    if (query.below == NULL) {
        listed_bend(&query, to.share, h->kept + first, h->in + first, to.out);
        return;
    }
    const struct sweep_query v = scene_of(h, q, worker, count_placed(h, q));

    for (uint32_t p = 0; p < v.n; p++)
        v.sweep->value[p] = (double)h->in[first + v.spot[p].from];
    find_worse(&v);
    find_better(&v, take_bend, &to);
}

static void gradient_shard(void *ctx, size_t shard, int worker)
{
    struct hinge *const h = ctx;

    for (size_t q = shard * SHARD; q < h->train_set->n_queries && q < (shard + 1) * SHARD;
         q++)
        gradient_query(h, q, worker);
}

static void bend_shard(void *ctx, size_t shard, int worker)
{
    struct hinge *const h = ctx;

    for (size_t q = shard * SHARD; q < h->train_set->n_queries && q < (shard + 1) * SHARD;
         q++)
        bend_query(h, q, worker);
}

/* Documents that take no part get 0. */
static void hinge_run(struct hinge *h, const float *in, float *out,
                      void (*shard)(void *ctx, size_t shard, int worker))
{
    h->in = in;
    h->out = out;
    memset(out, 0, h->train_set->n_docs * sizeof *out);
    pool_run(h->pool, (h->train_set->n_queries + SHARD - 1) / SHARD, shard, h);
}

double hinge_gradient(struct hinge *h, const float *s, float *g)
{
    double loss = 0.0;

    memcpy(h->kept, s, h->train_set->n_docs * sizeof *h->kept);
    hinge_run(h, s, g, gradient_shard);
    for (size_t q = 0; q < h->train_set->n_queries; q++)
        loss += h->loss[q];
    return loss;
}

void hinge_bend(struct hinge *h, const float *t, float *out)
{
    hinge_run(h, t, out, bend_shard);
}
