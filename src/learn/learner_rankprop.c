/* learner_rankprop.c -- regression on targets that follow the net's own order.
 *
 * An epoch is a descent on the squared error to the present targets.  Before it, each
 * query gets new targets t from the net's scores s:
 *
 *   minimise |t - s|^2  so that  t_i >= t_j + gap  wherever  y_i > y_j
 *
 * Documents of one label are free among themselves.  With c the number of grades above
 * a document's, u = t + gap c need only not rise from grade to grade: a falling fit of
 * v = s + gap c, the documents of a grade by falling v, found by pooling neighbours.
 * The targets are then brought to mean 0 in each query and deviation 1 over all, so that
 * they cannot collapse.  The first targets are the labels.
 *
 * Caruana, Baluja and Mitchell, "Using the future to sort out the present", NIPS 1995. */
#include "sgd.h"

#include "../base/alloc.h"
#include "../base/comm.h"
#include "../base/sort.h"
#include "../base/vec.h"

#include <math.h>

struct rankprop_config {
    struct sgd_config sgd; /* first, for sgd_suit and sgd_shorten */
    double gap;
};

static const struct param rankprop_params[] = {
    SGD_PARAMS,
    { "gap", PARAM_FLOAT, "0.1", "[0,1000]",
      "distance of the targets of two grades at least, "
      "in deviations of all targets",
      offsetof(struct rankprop_config, gap) },
    { 0 }
};

/* A run of documents that share one value of the fit. */
struct falling_block {
    double sum;
    uint32_t n;
};

struct rankprop {
    struct sgd sgd; /* first: what a checkpoint keeps of it */
    const struct task *task;
    const struct rankprop_config *config;
    struct model_outputs outputs; /* the net's scores of the training documents */
    float *target;                /* n_docs, in the order of the training set */
    size_t *rank_start;           /* n_ranks + 1: the first document of each rank */
    double *value;                /* max_docs, and all below: one query's */
    uint32_t *order;              /* by falling value, grade by grade */
    struct sort_item *item;       /* two for each document */
    struct falling_block *run;
    struct arena arena;
};

/* The falling fit of a query's scores, of this rank's queries; see the head of this file. */
static void retarget_query(struct rankprop *r, size_t q)
{
    const struct train_set *const l = r->task->train_data->train_set;
    const size_t start = l->start[q];
    const uint32_t n = l->plan[q].n_judged;
    const float *const label = l->label + start;
    const float *const score = model_outputs_query(&r->outputs, q, 0).score;
    float *const target = r->target + start;
    uint32_t n_runs = 0, at = 0;
    double above = 0.0;

    for (uint32_t first = 0, last; first < n; first = last, above++) {
        last = first;
        do
            r->value[last] = (double)score[last] + r->config->gap * above;
        while (++last < n && label[last] == label[first]);
        order_desc(r->value + first, last - first, r->order + first, r->item);
        for (uint32_t i = first; i < last; i++)
            r->order[i] += first;
    }
    for (uint32_t i = 0; i < n; i++) { /* neighbours that would rise are pooled */
        struct falling_block now = { r->value[r->order[i]], 1 };

        while (n_runs > 0 &&
               r->run[n_runs - 1].sum * now.n < now.sum * r->run[n_runs - 1].n) {
            now.sum += r->run[n_runs - 1].sum;
            now.n += r->run[--n_runs].n;
        }
        r->run[n_runs++] = now;
    }
    for (uint32_t k = 0; k < n_runs; k++)
        for (uint32_t i = 0; i < r->run[k].n; i++)
            target[r->order[at++]] = (float)(r->run[k].sum / r->run[k].n);
    above = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        above += i > 0 && label[i] != label[i - 1];
        target[i] -= (float)(r->config->gap * above);
    }
}

/* Every query's targets to mean 0, all of them together to deviation 1. */
static void rankprop_standardise(struct rankprop *r)
{
    const struct train_set *const l = r->task->train_data->train_set;
    double all = 0.0, squares = 0.0;

    for (size_t q = 0; q < l->n_queries; q++) {
        float *const target = r->target + l->start[q];
        const uint32_t n = l->plan[q].n_judged;
        const double mean = n > 0 ? vec_sum(target, n) / n : 0.0;
        double own = 0.0;

        for (uint32_t i = 0; i < n; i++) {
            target[i] = (float)((double)target[i] - mean);
            own += (double)target[i] * (double)target[i];
        }
        squares += own;
        all += n;
    }
    const float scale = squares > 0.0 ? (float)sqrt(all / squares) : 0.0f;

    for (size_t i = 0; i < l->n_docs; i++)
        r->target[i] *= scale;
}

static peck_status rankprop_open(void *self, const struct task *task,
                                 struct stopping *stopping, peck_error *err)
{
    struct rankprop *const r = self;
    const struct train_data *const c = task->train_data;
    const size_t n = c->train_set->n_docs, most = c->train_set->max_docs,
                 ranks = comm_ranks(c->comm);
    const struct eval_docs docs = train_data_docs(c);

    r->task = task;
    r->config = task->plan->learner;
    r->target = arena_new(&r->arena, "targets", n, sizeof *r->target);
    r->rank_start = arena_new(&r->arena, "targets", ranks + 1, sizeof *r->rank_start);
    r->value = arena_new(&r->arena, "targets", most, sizeof *r->value);
    r->order = arena_new(&r->arena, "targets", most, sizeof *r->order);
    r->item = arena_new(&r->arena, "targets", 2 * most, sizeof *r->item);
    r->run = arena_new(&r->arena, "targets", most, sizeof *r->run);
    TRY(arena_check(&r->arena, err));
    TRY(model_outputs_open_docs(&r->outputs, &r->arena, task->plan->recipe->family,
                                task->plan->shape, &docs, task->pool, err));
    for (size_t i = 0; comm_is_shared(c->comm) && i <= ranks; i++)
        r->rank_start[i] = (size_t)c->train_set->start[c->data->share[i]];
    memcpy(r->target, c->train_set->label, n * sizeof *r->target);
    rankprop_standardise(r);
    return sgd_open(&r->sgd, task, &r->config->sgd, task->train_data->train_set, r->target,
                    stopping, err);
}

static peck_status rankprop_epoch(void *self, size_t number, struct epoch_stats *stats,
                                  peck_error *err)
{
    struct rankprop *const r = self;
    const struct eval_docs *const own = &r->outputs.docs;

    if (number > 1) {
        model_outputs_fill(&r->outputs, r->task->w);
        for (size_t q = own->first; q < own->end; q++)
            retarget_query(r, q);
        TRY(comm_share(r->task->train_data->comm, r->target, r->rank_start,
                       sizeof *r->target, err));
        rankprop_standardise(r);
    }
    return sgd_epoch(&r->sgd, number, stats, err);
}

static size_t rankprop_keep(void *self, struct kept *kept)
{
    return sgd_keep(&((struct rankprop *)self)->sgd, kept);
}

static peck_status rankprop_check(void *self, size_t epochs, peck_error *err)
{
    return sgd_check(&((struct rankprop *)self)->sgd, epochs, err);
}

static void rankprop_close(void *self)
{
    struct rankprop *const r = self;

    sgd_close(&r->sgd);
    arena_free(&r->arena);
}

const struct learner learner_rankprop = {
    .plug = { { "rankprop", "regression alternating with new targets",
                "Squared error on targets that follow the net's own order (Caruana, "
                "Baluja and Mitchell 1996)." },
              rankprop_params },
    .config_size = sizeof(struct rankprop_config),
    .takes_rules = true,
    .takes_ranks = true,
    .takes_limit = true,
    .self_size = sizeof(struct rankprop),
    .suit = sgd_suit,
    .taught = sgd_taught,
    .shorten = sgd_shorten,
    .open = rankprop_open,
    .epoch = rankprop_epoch,
    .keep = rankprop_keep,
    .check = rankprop_check,
    .close = rankprop_close,
};
