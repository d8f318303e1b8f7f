/* learner_sortnet.c -- a comparator that learns what to compare.
 *
 * Iteration i = 0, 1, ..., max_iter:
 *     from i = 1 on, a new net C_i learns the pairs P_T for some epochs; the epoch that is
 *         best on the pairs P_V is kept
 *     C_i sorts the training data T and the validation data V
 *     the pairs that it compared, and got wrong, join P_T and P_V
 *     it ends when neither set has grown
 * With add=compared all pairs that it compared join: where labels are noisy, a pair that
 * comes out wrong is more often than others one that nobody could learn.
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

#include <math.h>

enum { SELECT_LOSS, SELECT_QUALITY };
enum { ADD_WRONG, ADD_COMPARED };

struct sortnet_config {
    struct sgd_config sgd; /* first, for sgd_suit */
    int64_t max_iter;
    int restart, select, add;
    char sort[PARAM_TEXT_MAX];
};

static const struct param sortnet_params[] = {
    SGD_PARAMS,
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
    { "add", PARAM_CHOICE | PARAM_LATE, "wrong", "wrong|compared",
      "which of the pairs that sorting compares join those to learn from: those that came "
      "out wrong, or all of them",
      offsetof(struct sortnet_config, add) },
    { "sort", PARAM_TEXT, "tree", "a decoder", "which pairs are compared for mistakes",
      offsetof(struct sortnet_config, sort) },
    { 0 },
};

/* Training or validation data: its order by a net, and the pairs found so far. */
struct sortnet_side {
    const struct train_set *train_set;
    struct train_set *own;   /* V's train_set; NULL: it is the training data's */
    struct train_set *found; /* the same documents, with the pairs of the set */
    bool in_data_order;      /* V's features, and so the places of its found pairs */
    uint32_t *place;         /* n_docs: in the data's order -> in the training set's */
    float *label;            /* n_docs, as the training set has them */
    struct validation validation;
    struct validator validator;
    struct pairset set;
    bool adds_all; /* add=compared */
};

enum { TRAIN, VALID };

struct sortnet {
    const struct sortnet_config *config;
    const struct task *task;
    struct sgd sgd; /* on T's found pairs */
    struct sortnet_side side[2];
    size_t n_sides;   /* 1: there is no validation data */
    bool tells_valid; /* V is sorted and judged here as it would be after the iteration */
    float *best;      /* weights of the best epoch of an iteration */
    /* The loss on P_V: */
    struct duel_rule rule;
    struct duel_scratch **duel_scratch; /* one a worker */
    double *loss;                       /* of V's queries */
    struct arena arena;
};

/* Opening -------------------------------------------------------------------------------- */

/* Duels are of places in the data's order, pairs of places in the training set's. */
static void sortnet_on_duel(void *ctx, size_t q, peck_duel duel, float lead)
{
    struct sortnet_side *const s = ctx;
    const uint32_t *const place = s->place + s->train_set->start[q];

    const peck_duel at = { place[duel.i], place[duel.j] };

    /* All: whatever the net says, and the opposite. */
    pairset_add_wrong(&s->set, q, at, s->adds_all ? 1.0f : lead);
    if (s->adds_all)
        pairset_add_wrong(&s->set, q, at, -1.0f);
}

/* docs: in the data's order where s->in_data_order, else in the training set's. */
static peck_status open_side(struct sortnet *n, struct sortnet_side *s,
                             struct eval_docs docs, peck_error *err)
{
    const struct train_set *const l = s->train_set;

    s->place = arena_new(&n->arena, "pairs", l->n_docs, sizeof *s->place);
    s->label = arena_new(&n->arena, "pairs", l->n_docs, sizeof *s->label);
    TRY(arena_check(&n->arena, err));
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = l->start[q]; i < l->start[q + 1]; i++) {
            s->place[l->start[q] + l->from[i]] = (uint32_t)(i - l->start[q]);
            s->label[l->start[q] + l->from[i]] = l->label[i];
        }
    s->adds_all = n->config->add == ADD_COMPARED;
    TRY(train_set_new_listed(&s->found, l, err));
    TRY(pairset_open(&s->set, l, err));
    s->set.pool = n->task->pool;
    const struct validator_spec how = { .validation = &s->validation,
                                        .docs = docs,
                                        .place = s->in_data_order ? NULL : s->place,
                                        .label =
                                            s->validation.prefs == NULL ? s->label : NULL,
                                        .decoder = n->config->sort };

    TRY(validator_open(&s->validator, n->task, &how, err));
    s->validator.sorter.on_duel = sortnet_on_duel;
    s->validator.sorter.ctx = s;
    return PECK_OK;
}

/* Validation labels have been binarised before, where that was asked for. */
static peck_status sortnet_open(void *self, const struct task *task,
                                struct stopping *stopping, peck_error *err)
{
    struct sortnet *const s = self;
    struct sortnet_side *const train = &s->side[TRAIN], *const valid = &s->side[VALID];
    const struct train_data *const c = task->train_data;
    const struct plan *const plan = task->plan;
    const struct family *const family = plan->recipe->family;
    const struct peck_dataset *const v = c->validation.data;
    const char *const usual =
        family->compares->decoder != NULL ? family->compares->decoder : "tree";
    const size_t workers = (size_t)pool_size(task->pool);

    s->task = task;
    s->config = plan->learner;
    s->n_sides = v != NULL ? 2 : 1;
    train->train_set = c->train_set;
    train->validation = c->validation;
    train->validation.data = c->data;
    train->validation.prefs = c->prefs;
    TRY(open_side(s, train, train_data_docs(c), err));
    if (v != NULL) {
        struct train_set_config rules = *plan->set_config;

        rules.binarise = 0.0;
        /* A pairset has a bit for each pair, those of long lists too. */
        rules.sample_over = 0;
        TRY(train_set_new(&valid->own, v, c->validation.prefs, &rules, err));
        valid->train_set = valid->own;
        valid->validation = c->validation;
        valid->in_data_order = true;
        TRY(open_side(s, valid, train_data_valid_docs(c), err));
        s->tells_valid = c->validation.prefs != NULL || strcmp(s->config->sort, usual) == 0;
    }
    s->rule = (struct duel_rule){ family, plan->shape, plan->recipe->objective,
                                  plan->objective, plan->n_kept };
    s->best = arena_new(&s->arena, "weights", plan->n_weights, sizeof *s->best);
    s->loss =
        arena_new(&s->arena, "weights", v != NULL ? v->n_queries : 0, sizeof *s->loss);
    s->duel_scratch = arena_new(&s->arena, "weights", workers, sizeof *s->duel_scratch);
    for (size_t i = 0; s->duel_scratch != NULL && i < workers; i++)
        s->duel_scratch[i] = duel_scratch_new(&s->arena, &s->rule);
    TRY(arena_check(&s->arena, err));
    TRY(sgd_open(&s->sgd, task, &s->config->sgd, train->found, NULL, stopping, err));
    *stopping = (struct stopping){ .n_epochs = (size_t)s->config->max_iter + 1 };
    return PECK_OK;
}

static void sortnet_close(void *self)
{
    struct sortnet *const s = self;

    sgd_close(&s->sgd);
    for (size_t i = 0; i < 2; i++) {
        pairset_close(&s->side[i].set);
        train_set_free(s->side[i].found);
        train_set_free(s->side[i].own);
        validator_close(&s->side[i].validator);
    }
    arena_free(&s->arena);
}

/* An iteration has a schedule of its own: fewer of them are how a whole training begins. */
static void sortnet_shorten(void *config, void *shape, double share)
{
    struct sortnet_config *const c = config;

    (void)shape;
    c->max_iter = (int64_t)ceil(share * (double)c->max_iter);
}

/* An iteration --------------------------------------------------------------------------- */

static void lose_query(void *ctx, size_t at, int worker)
{
    struct sortnet *const s = ctx;
    const struct train_set *const l = s->side[VALID].found;
    const struct model_outputs *const outputs = &s->side[VALID].validator.outputs;
    const size_t q = outputs->docs.first + at;
    const struct query_pairs query = {
        .n = (uint32_t)(l->start[q + 1] - l->start[q]),
        .pair = l->pair + l->pair_start[q],
        .n_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]),
        .n_all = l->plan[q].n_all,
    };

    s->loss[q] = 0.0;
    if (query.n_pairs > 0)
        s->loss[q] = duelling(&s->rule, &query, outputs->w,
                              model_outputs_query(outputs, q, worker).view,
                              s->duel_scratch[worker], 0, NULL, NULL);
}

/* How bad w is on the validation data, as the settings measure it; NaN: there is none. */
static peck_status sortnet_measure(struct sortnet *s, const float *w, double *bad,
                                   peck_error *err)
{
    struct validator *const v = &s->side[VALID].validator;
    const struct train_set *const l = s->side[VALID].found;
    const struct peck_dataset *const d = s->side[VALID].validation.data;
    double sum = 0.0, all = 0.0, value;

    *bad = (double)NAN;
    if (s->n_sides < 2)
        return PECK_OK;
    if (s->config->select == SELECT_QUALITY) {
        v->sorter.on_duel = NULL;
        const peck_status st = validator_value(v, w, &value, err);

        v->sorter.on_duel = sortnet_on_duel;
        *bad = -value;
        return st;
    }
    model_outputs_fill(&v->outputs, w);
    pool_run(s->task->pool, v->outputs.docs.end - v->outputs.docs.first, lose_query, s);
    if (comm_is_shared(d->comm))
        TRY(comm_share(d->comm, s->loss, d->share, sizeof *s->loss, err));
    for (size_t q = 0; q < l->n_queries; q++) {
        const double share = s->config->sgd.balance == BALANCE_PAIRS ? l->plan[q].n_all
                                                                     : l->plan[q].n_all > 0;

        sum += share * s->loss[q];
        all += share;
    }
    *bad = all > 0.0 ? sum / all : (double)NAN;
    return PECK_OK;
}

/* Algorithm 1, iteration number - 1. */
static peck_status sortnet_epoch(void *self, size_t number, struct epoch_stats *stats,
                                 peck_error *err)
{
    struct sortnet *const s = self;
    const struct sgd_config *const c = &s->config->sgd;
    const bool is_drawn = s->task->plan->set_config->pairs == PAIRS_SAMPLED;
    bool has_grown = is_drawn && (number == 1 || s->config->restart == 0);
    double value[2] = { (double)NAN, (double)NAN };
    uint64_t n_pairs[2] = { 0 };
    float *const w = s->task->w;

    stats->loss = (double)NAN;
    /* P_T and P_V begin empty, or with pairs that are drawn. */
    for (size_t i = 0; number == 1 && is_drawn && i < s->n_sides; i++)
        pairset_draw(&s->side[i].set, mix64(s->task->seed, STREAM_PAIRS));
    /* C_i = TrainAndValidate(P_T, P_V): w becomes the best epoch's. */
    if (number > 1) {
        const size_t bytes = s->task->plan->n_weights * sizeof *w;
        double least = HUGE_VAL, loss = (double)NAN, bad;

        for (size_t i = 0; i < s->n_sides; i++)
            TRY(pairset_list(&s->side[i].set, s->side[i].in_data_order, s->side[i].found,
                             err));
        sgd_restart(&s->sgd, mix64(s->task->seed, number - 1), s->config->restart != 0);
        for (size_t e = 1, best = 0; e <= (size_t)c->epochs; e++) {
            TRY(sgd_epoch(&s->sgd, e, stats, err));
            TRY(sortnet_measure(s, w, &bad, err));
            stats->n_inner = e;
            if (bad < least || !(least < HUGE_VAL)) { /* no measure: the last is best */
                least = isnan(bad) ? HUGE_VAL : bad;
                loss = stats->loss;
                best = e;
                memcpy(s->best, w, bytes);
            }
            if (c->patience > 0 && e - best >= (size_t)c->patience)
                break;
        }
        stats->loss = loss;
        memcpy(w, s->best, bytes);
    }
    /* Sort T and V with C_i; what it compares wrongly joins P_T and P_V. */
    for (size_t i = 0; i < s->n_sides; i++) {
        struct sortnet_side *const side = &s->side[i];
        const uint64_t before = pairset_count(&side->set);

        TRY(validator_value(&side->validator, w, &value[i], err));
        TRY(pairset_share(&side->set, side->validation.data, err));
        n_pairs[i] = pairset_count(&side->set);
        has_grown |= n_pairs[i] > before;
    }
    stats->train = value[TRAIN];
    stats->n_train = n_pairs[TRAIN];
    stats->n_valid = n_pairs[VALID];
    stats->has_valid = s->tells_valid;
    stats->valid = value[VALID];
    stats->is_last = !has_grown; /* P_T and P_V stay as they are */
    return PECK_OK;
}

static size_t sortnet_keep(void *self, struct kept *kept)
{
    static const char *const name[] = { "train pairs", "valid pairs" };
    struct sortnet *const s = self;

    for (size_t i = 0; i < s->n_sides; i++) {
        const struct pairset *const set = &s->side[i].set;

        kept[i] = (struct kept){ name[i], TENSOR_U64, set->bit,
                                 (size_t)set->start[set->train_set->n_queries] };
    }
    return s->n_sides;
}

static peck_status sortnet_check(void *self, size_t epochs, peck_error *err)
{
    const struct sortnet *const s = self;

    (void)epochs;
    for (size_t i = 0; i < s->n_sides; i++)
        if (!pairset_is_sound(&s->side[i].set))
            return fail(err, PECK_FORMAT, "it chose pairs that are not there");
    return PECK_OK;
}

const struct learner learner_sortnet = {
    .plug = { { "sortnet", "training on the comparisons that sorting got wrong",
                "A new net an iteration, on the pairs that the nets before compared "
                "wrongly while they sorted; the pairs grow until nothing new is found "
                "(Rigutini et "
                "al. 2011, Algorithm 1)." },
              sortnet_params },
    .config_size = sizeof(struct sortnet_config),
    .takes_rules = true,
    .takes_ranks = true,
    .takes_limit = true,
    .chooses_pairs = true,
    .n_idle = 1, /* the first iteration sorts with the first weights, for pairs to learn */
    .self_size = sizeof(struct sortnet),
    .suit = sgd_suit,
    .taught = sgd_taught,
    .shorten = sortnet_shorten,
    .open = sortnet_open,
    .epoch = sortnet_epoch,
    .keep = sortnet_keep,
    .check = sortnet_check,
    .close = sortnet_close,
};
