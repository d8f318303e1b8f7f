/* learner_sortnet.c -- a comparator that learns what to compare.
 *
 * Iteration i = 0, 1, ..., max_iter:
 *     from i = 1 on, a new net C_i learns the pairs P_T for some epochs; the epoch that is
 *         best on the pairs P_V is kept
 *     C_i sorts the training data T and the validation data V
 *     the pairs that it compared, and got wrong, join P_T and P_V
 *     it ends when neither set has grown
 * With pairs=sampled the sets begin with pairs that are drawn, right or wrong, and where
 * nets go on from the last weights (restart=0) all iterations are done: there is more to
 * learn from pairs that are known.
 * The net of the best iteration, by the quality of its order of V, is what remains: that
 * choice is fit.c's.  An epoch of fit.c is an iteration here; the first one is i = 0.
 *
 * Rigutini, Papini, Maggini and Scarselli, "SortNet: learning to rank by a neural
 * preference function", 2011, Algorithm 1.                                            */
#include "duelling.h"
#include "validator.h"
#include "pairset.h"
#include "sgd.h"

#include "../base/alloc.h"

#include <math.h>

enum { SELECT_LOSS, SELECT_QUALITY };

struct sortnet_config {
    struct sgd_config sgd; /* first, for sgd_suit */
    int64_t max_iter;
    int restart, select;
    char sort[PARAM_TEXT_MAX];
};

static const struct param sortnet_params[] = {
    SGD_PARAMS(struct sortnet_config, sgd),
    { "max_iter", PARAM_INT, "30", "[0,1000000]",
      "most iterations after the first, in which nothing is learnt",
      offsetof(struct sortnet_config, max_iter) },
    { "restart", PARAM_CHOICE, "1", "0|1",
      "1: every iteration begins with new random weights; 0: with those of the last one",
      offsetof(struct sortnet_config, restart) },
    { "select", PARAM_CHOICE, "loss", "loss|quality",
      "what chooses the best epoch of an iteration: the loss on the validation pairs found "
      "so far, or the metric on the validation data",
      offsetof(struct sortnet_config, select) },
    { "sort", PARAM_TEXT, "tree", "a decoder", "which pairs are compared for mistakes",
      offsetof(struct sortnet_config, sort) },
    { 0 },
};

/* Training or validation data: its order by a net, and the pairs found so far. */
struct sortnet_side {
    struct train_set *own;             /* V's is ours; NULL: the training data's */
    const struct train_set *train_set; /* NULL: there is no such data */
    uint32_t *place; /* n_docs: in the data's order -> in the training set's */
    float *label;    /* n_docs, as the training set has them */
    struct validation validation;
    struct validator validator;
    struct pairset set;
    struct train_set *found; /* the pairs of the set, to be learnt */
    size_t cap;              /* of found->pair */
};

struct sortnet {
    const struct sortnet_config *config;
    const struct task *task;
    struct task inner; /* one iteration's: T's found pairs, a seed of its own */
    struct train_data train_data;
    struct sgd sgd;
    struct sortnet_side train, valid;
    float *best; /* weights of the best epoch of an iteration */
    /* The loss on P_V: */
    struct duel_rule rule;
    struct duel_scratch **duel_scratch; /* one a worker */
    double *loss;                       /* of V's queries */
};

/* Sides --------------------------------------------------------------------------------- */

static void sortnet_on_duel(void *ctx, size_t q, peck_duel duel, float lead)
{
    struct sortnet_side *const s = ctx;
    const uint32_t *const place = s->place + s->train_set->start[q];

    pairset_add_wrong(&s->set, q, (peck_duel){ place[duel.i], place[duel.j] }, lead);
}

static void invert(struct sortnet_side *s)
{
    const struct train_set *const l = s->train_set;

    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = l->start[q]; i < l->start[q + 1]; i++) {
            s->place[l->start[q] + l->from[i]] = (uint32_t)(i - l->start[q]);
            s->label[l->start[q] + l->from[i]] = l->label[i];
        }
}

/* in_data_order: whether x is; else it is in the training set's. */
static peck_status open_side(struct sortnet_side *s, const struct sortnet *n, struct rows x,
                             bool in_data_order, peck_error *err)
{
    const struct train_set *const l = s->train_set;

    s->place = mem_new(l->n_docs, sizeof *s->place);
    s->label = mem_new(l->n_docs, sizeof *s->label);
    if (!s->place || !s->label)
        return fail_memory(err, "pairs", l->n_docs, sizeof *s->place + sizeof *s->label);
    TRY(train_set_listing(&s->found, l, err));
    invert(s);
    TRY(pairset_open(&s->set, l, err));
    const struct validator_spec how = { .validation = &s->validation,
                                        .x = x,
                                        .place = in_data_order ? NULL : s->place,
                                        .label =
                                            s->validation.prefs == NULL ? s->label : NULL,
                                        .decoder = n->config->sort };

    TRY(validator_open(&s->validator, n->task, &how, err));
    s->validator.sorter.on_duel = sortnet_on_duel;
    s->validator.sorter.ctx = s;
    return PECK_OK;
}

static void close_side(struct sortnet_side *s)
{
    validator_close(&s->validator);
    pairset_close(&s->set);
    mem_free(s->place);
    mem_free(s->label);
    train_set_free(s->found);
    train_set_free(s->own);
}

/* The pairs of the set into `found`. */
static peck_status list_found(struct sortnet_side *s, bool in_data_order, peck_error *err)
{
    const size_t n = (size_t)pairset_count(&s->set);

    if (!mem_reserve(&s->found->pair, &s->cap, n, sizeof *s->found->pair))
        return fail_memory(err, "pairs", n, sizeof *s->found->pair);
    pairset_list(&s->set, in_data_order, s->found);
    return PECK_OK;
}

/* Sorts, adds the mistakes to the pairs, and judges the order. */
static peck_status sort_side(struct sortnet_side *s, const float *w, double *value,
                             uint64_t *n, bool *has_grown, peck_error *err)
{
    *n = 0;
    *value = (double)NAN;
    if (s->train_set == NULL)
        return PECK_OK;
    const uint64_t before = pairset_count(&s->set);

    TRY(validator_value(&s->validator, w, value, err));
    if (s->validation.prefs != NULL) /* which are judged without an order */
        TRY(sorter_run(&s->validator.sorter, s->validation.seed, err));
    *n = pairset_count(&s->set);
    *has_grown |= *n > before;
    return PECK_OK;
}

/* Opening -------------------------------------------------------------------------------- */

static peck_status open_train(struct sortnet *s, peck_error *err)
{
    const struct train_data *const c = s->task->train_data;
    const struct rows x = { c->x, c->train_set->n_docs, c->dim, c->dim };

    s->train.train_set = c->train_set;
    s->train.validation = c->validation;
    s->train.validation.data = c->data;
    s->train.validation.prefs = c->prefs;
    return open_side(&s->train, s, x, false, err);
}

/* Validation labels have been binarised before, where that was asked for. */
static peck_status open_valid(struct sortnet *s, peck_error *err)
{
    const struct train_data *const c = s->task->train_data;
    const struct peck_dataset *const d = c->validation.data;
    struct train_set_config rules = *s->task->plan->set_config;

    if (d == NULL)
        return PECK_OK;
    rules.binarise = 0.0;
    rules.sample_over = 0;
    const struct rows x = { c->valid_x, d->n_docs, c->dim, c->dim };

    TRY(train_set_new(&s->valid.own, d, c->validation.prefs, &rules, err));
    s->valid.train_set = s->valid.own;
    s->valid.validation = c->validation;
    return open_side(&s->valid, s, x, true, err);
}

static peck_status open_loss(struct sortnet *s, peck_error *err)
{
    const struct plan *const plan = s->task->plan;
    const size_t workers = (size_t)pool_size(s->task->pool);
    const size_t n = s->valid.train_set != NULL ? s->valid.train_set->n_queries : 0;

    s->rule = (struct duel_rule){ plan->recipe->family, plan->shape,
                                  plan->recipe->objective, plan->objective };
    s->best = mem_new(plan->n_weights, sizeof *s->best);
    s->loss = mem_new(n, sizeof *s->loss);
    s->duel_scratch = mem_new(workers, sizeof *s->duel_scratch);
    if (s->best == NULL || s->loss == NULL || s->duel_scratch == NULL)
        return fail_memory(err, "weights", plan->n_weights, sizeof *s->best);
    for (size_t i = 0; i < workers; i++)
        TRY(duel_scratch_new(&s->duel_scratch[i], &s->rule, err));
    return PECK_OK;
}

/* An iteration has a schedule of its own: fewer of them are how a whole training begins. */
static void sortnet_shorten(void *config, void *shape, double share)
{
    struct sortnet_config *const c = config;

    (void)shape;
    c->max_iter = (int64_t)ceil(share * (double)c->max_iter);
}

/* The sgd looks at the found pairs of T, which are none yet. */
static peck_status sortnet_open(void *self, const struct task *task,
                                struct stopping *stopping, peck_error *err)
{
    struct sortnet *const s = self;

    s->task = task;
    s->config = task->plan->learner;
    TRY(open_train(s, err));
    TRY(open_valid(s, err));
    TRY(open_loss(s, err));
    s->train_data = *task->train_data;
    s->train_data.train_set = s->train.found;
    s->inner = *task;
    s->inner.train_data = &s->train_data;
    for (size_t q = 0; q < s->train.found->n_queries; q++)
        s->train.found->plan[q].n_all = 0.0;
    TRY(sgd_open(&s->sgd, &s->inner, &s->config->sgd, task->plan->recipe->objective,
                 task->plan->objective, NULL, stopping, err));
    *stopping = (struct stopping){ .n_epochs = (size_t)s->config->max_iter + 1 };
    return PECK_OK;
}

static void sortnet_close(void *self)
{
    struct sortnet *const s = self;

    sgd_close(&s->sgd);
    for (int i = 0; s->duel_scratch != NULL && i < pool_size(s->task->pool); i++)
        duel_scratch_free(s->duel_scratch[i]);
    mem_free(s->duel_scratch);
    mem_free(s->loss);
    mem_free(s->best);
    close_side(&s->train);
    close_side(&s->valid);
}

/* An iteration --------------------------------------------------------------------------- */

static void lose_query(void *ctx, size_t q, int worker)
{
    struct sortnet *const s = ctx;
    const struct train_set *const l = s->valid.found;
    const struct model_outputs *const outputs = &s->valid.validator.outputs;
    const struct query_pairs query = {
        .n = (uint32_t)(l->start[q + 1] - l->start[q]),
        .pair = l->pair + l->pair_start[q],
        .n_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]),
        .n_all = l->plan[q].n_all,
    };

    s->loss[q] =
        duelling(&s->rule, &query, outputs->w, outputs->view + l->start[q] * outputs->width,
                 s->duel_scratch[worker], 0, NULL, NULL);
}

/* How bad w is on the validation data, as the settings measure it; NaN: there is none. */
static peck_status sortnet_measure(struct sortnet *s, const float *w, double *bad,
                                   peck_error *err)
{
    const struct train_set *const l = s->valid.found;
    double sum = 0.0, all = 0.0, value;

    *bad = (double)NAN;
    if (s->valid.train_set == NULL)
        return PECK_OK;
    if (s->config->select == SELECT_QUALITY) {
        s->valid.validator.sorter.on_duel = NULL;
        const peck_status st = validator_value(&s->valid.validator, w, &value, err);

        s->valid.validator.sorter.on_duel = sortnet_on_duel;
        *bad = -value;
        return st;
    }
    model_outputs_fill(&s->valid.validator.outputs, w);
    pool_run(s->task->pool, l->n_queries, lose_query, s);
    for (size_t q = 0; q < l->n_queries; q++) {
        const double share = s->config->sgd.balance == BALANCE_PAIRS ? l->plan[q].n_all
                                                                     : l->plan[q].n_all > 0;

        sum += share * s->loss[q];
        all += share;
    }
    *bad = all > 0.0 ? sum / all : (double)NAN;
    return PECK_OK;
}

/* TrainAndValidate(P_T, P_V): task->w becomes the best epoch's. */
static peck_status sortnet_train(struct sortnet *s, size_t iteration,
                                 struct epoch_stats *stats, peck_error *err)
{
    const struct sgd_config *const c = &s->config->sgd;
    const size_t bytes = s->task->plan->n_weights * sizeof *s->best;
    double least = HUGE_VAL, loss = (double)NAN;
    size_t best = 0;

    TRY(list_found(&s->train, false, err));
    if (s->valid.train_set != NULL)
        TRY(list_found(&s->valid, true, err));
    s->inner.seed = mix64(s->task->seed, iteration);
    sgd_restart(&s->sgd, s->config->restart != 0);
    for (size_t e = 1; e <= (size_t)c->epochs; e++) {
        double bad;

        TRY(sgd_epoch(&s->sgd, e, stats, err));
        TRY(sortnet_measure(s, s->task->w, &bad, err));
        stats->n_inner = e;
        if (bad < least || !(least < HUGE_VAL)) { /* without a measure the last is best */
            least = isnan(bad) ? HUGE_VAL : bad;
            loss = stats->loss;
            best = e;
            memcpy(s->best, s->task->w, bytes);
        }
        if (c->patience > 0 && e - best >= (size_t)c->patience)
            break;
    }
    stats->loss = loss;
    memcpy(s->task->w, s->best, bytes);
    return PECK_OK;
}

static void sortnet_draw_pairs(struct sortnet *s)
{
    const uint64_t seed = mix64(s->task->seed, STREAM_PAIRS);

    pairset_draw(&s->train.set, seed);
    if (s->valid.train_set != NULL)
        pairset_draw(&s->valid.set, seed);
}

static peck_status sortnet_epoch(void *self, size_t number, struct epoch_stats *stats,
                                 peck_error *err)
{
    struct sortnet *const s = self;
    const bool is_drawn = s->task->plan->set_config->pairs == PAIRS_SAMPLED;
    bool has_grown = is_drawn && (number == 1 || s->config->restart == 0);
    double unused;

    stats->loss = (double)NAN;
    if (number == 1 && is_drawn)
        sortnet_draw_pairs(s);
    if (number > 1)
        TRY(sortnet_train(s, number - 1, stats, err));
    TRY(sort_side(&s->train, s->task->w, &stats->train, &stats->n_train, &has_grown, err));
    TRY(sort_side(&s->valid, s->task->w, &unused, &stats->n_valid, &has_grown, err));
    stats->is_last = !has_grown;
    return PECK_OK;
}

/* The order of V, where it is the one that fit.c would make again: by the decoder that is
 * usual, and where labels count. */
static const double *sortnet_valid_scores(void *self)
{
    const struct sortnet *const s = self;
    const char *const usual = s->task->plan->recipe->family->compares->decoder;

    return s->valid.train_set != NULL && s->valid.validation.prefs == NULL &&
                   strcmp(s->config->sort, usual != NULL ? usual : "tree") == 0
               ? s->valid.validator.sorter.score
               : NULL;
}

static size_t sortnet_keep(void *self, struct kept *kept)
{
    struct sortnet *const s = self;
    struct sortnet_side *const side[] = { &s->train, &s->valid };
    static const char *const name[] = { "train pairs", "valid pairs" };
    size_t n = 0;

    for (size_t i = 0; i < 2; i++)
        if (side[i]->train_set != NULL)
            kept[n++] =
                (struct kept){ name[i], TENSOR_U64, side[i]->set.bit,
                               (size_t)side[i]->set.start[side[i]->train_set->n_queries] };
    return n;
}

static peck_status sortnet_check(void *self, size_t epochs, peck_error *err)
{
    const struct sortnet *const s = self;

    (void)epochs;
    return pairset_is_sound(&s->train.set) &&
                   (s->valid.train_set == NULL || pairset_is_sound(&s->valid.set))
               ? PECK_OK
               : fail(err, PECK_FORMAT, "it chose pairs that are not there");
}

const struct learner learner_sortnet = {
    .plug = { { "sortnet", "training on the comparisons that sorting got wrong",
                "A new net an iteration, on the pairs that the nets before compared "
                "wrongly "
                "while they sorted; the pairs grow until nothing new is found (Rigutini et "
                "al. 2011, Algorithm 1)." },
              sortnet_params },
    .config_size = sizeof(struct sortnet_config),
    .multiplies = true,
    .has_objective = true,
    .chooses_pairs = true,
    .n_idle = 1, /* the first iteration sorts with the first weights, for pairs to learn */
    .self_size = sizeof(struct sortnet),
    .suit = sgd_suit,
    .shorten = sortnet_shorten,
    .open = sortnet_open,
    .epoch = sortnet_epoch,
    .valid_scores = sortnet_valid_scores,
    .keep = sortnet_keep,
    .check = sortnet_check,
    .close = sortnet_close,
};
