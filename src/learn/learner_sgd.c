/* learner_sgd.c -- any differentiable family, any objective: mini-batches of queries.
 *
 *   w <- step(w, rate_t, grad of  1/|B| sum_{q in B} share_q L_q(w))
 *
 * Epoch e draws its order from (seed, e) alone, so a run that goes on from a checkpoint
 * sees the batches it would have seen.  Halving is RankNet's rule (Burges et al. 2005,
 * section 5): the rate is halved when the mean loss of an epoch is above that of the
 * one before.                                                                       */
#include "sgd.h"

#include "../base/alloc.h"

#include <math.h>

enum { MEMORY_SHARE, MEMORY_LOSS };

/* How a batch grows; docs/DEFAULTS.md has the figures. */
enum {
    TUNED_DOCS = 60000, /* to as many documents that teach the tuned batch stays */
    MOST_TIMES = 16,    /* the tuned batch, at most */
    FEWEST_STEPS = 150, /* an epoch: with fewer quality falls, whatever the rate */
    HINGE_STEPS = 500,  /* the same where few pairs of a batch have a say */
    MOST_DOCS = 6400    /* a step: enough for sixteen workers */
};
/* Parts of 1 that a rate or decay is rounded to: what is shown can be given. */
#define RATE_UNIT 1e5

/* Judged documents of the queries that teach, or those that are compared. */
static double sgd_n_teaching_docs(const struct train_set *l)
{
    double n = 0.0;

    for (size_t q = 0; q < l->n_queries; q++) {
        const struct query_plan *const p = &l->plan[q];

        if (p->n_all > 0.0)
            n += (double)(p->n_judged > 0 ? p->n_judged : p->n_ranked);
    }
    return n;
}

/* By as much as there are more documents, but no further than an epoch has steps to spare
 * and workers something to do.  k times the batch takes k^(3/4) times the rate: each of
 * Adam's steps has less noise (k^(1/2)), and there are fewer of them.  And k^(-1/4) times
 * the decay: what more documents say need not be held down as much. */
void sgd_suit(void *config, const struct objective *o, const struct train_set *l,
              bool has_own_decay)
{
    struct sgd_config *const c = config;
    const double n = (double)l->n_teaching, docs = sgd_n_teaching_docs(l),
                 tuned = (double)c->batch;

    if (docs <= TUNED_DOCS || c->optim.kind != OPTIM_ADAM)
        return;
    const double wanted = tuned * fmin(docs / TUNED_DOCS, MOST_TIMES);
    const double most =
        fmin(n / (o->is_hinge ? HINGE_STEPS : FEWEST_STEPS), MOST_DOCS * n / docs);
    const double batch = floor(fmin(wanted, most)), root = sqrt(batch / tuned);

    if (batch <= tuned)
        return;
    c->rate = rint(c->rate * root * sqrt(root) * RATE_UNIT) / RATE_UNIT;
    if (!has_own_decay)
        c->optim.decay = rint(c->optim.decay / sqrt(root) * RATE_UNIT) / RATE_UNIT;
    c->batch = (int64_t)batch;
}

/* The queries that teach, and how much each counts. */
static void sgd_choose(struct sgd *s, const struct train_set *l)
{
    s->n = 0;
    s->all_shares = 0.0;
    for (size_t q = 0; q < l->n_queries; q++) {
        const double n_pairs = l->plan[q].n_all;

        s->share[q] = 0.0f;
        if (!(n_pairs > 0.0))
            continue;
        s->query[s->n++] = (uint32_t)q;
        s->share[q] = l->weight != NULL ? l->weight[q] : 1.0f;
        if (s->config->balance == BALANCE_PAIRS)
            s->share[q] *= (float)n_pairs;
        s->all_shares += (double)s->share[q];
    }
}

static struct rule_penalty rule_penalty_of(const struct task *task)
{
    const struct rule_scope *const g =
        task->rule_weight != NULL ? task->train_data->rule_scope : NULL;

    return (struct rule_penalty){ g, task->rule_weight };
}

/* The queries that rules alone speak of, and what an epoch is made of.  Over an epoch each
 * query's penalty comes to as much as all steps together weigh: a query that comes round v
 * times counts n_steps / v each time.  Beside labels that count more, rules count more. */
static void choose_extra(struct sgd *s, const struct rule_penalty *rule_penalty,
                         size_t n_queries)
{
    const size_t batch = (size_t)s->config->batch, more = (size_t)s->config->rules_batch;
    const double mean_share = s->n > 0 ? s->all_shares / (double)s->n : 1.0;

    s->n_extra = 0;
    for (size_t q = 0; s->scale != NULL && q < n_queries; q++)
        if (!(s->share[q] > 0.0f) && rule_penalty_speaks_of(rule_penalty, q))
            s->extra[s->n_extra++] = (uint32_t)q;
    const size_t n_chunks = more > 0 ? (s->n_extra + more - 1) / more : 0;

    s->n_batches = (s->n + batch - 1) / batch;
    s->n_steps = n_chunks > s->n_batches ? n_chunks : s->n_batches;
    for (size_t q = 0; s->scale != NULL && q < n_queries; q++)
        s->scale[q] = mean_share * (double)(s->share[q] > 0.0f ? s->n_batches : s->n_steps);
}

static peck_status open_optim(struct sgd *s, peck_error *err)
{
    const struct plan *const plan = s->task->plan;
    const struct family *const family = plan->recipe->family;
    unsigned char *held = NULL;

    if (family->decayed != NULL) {
        held = mem_new(plan->n_weights, sizeof *held);
        if (held == NULL)
            return fail_memory(err, "weights", plan->n_weights, sizeof *held);
        family->decayed(plan->shape, held);
    }
    const peck_status st =
        optim_open(&s->optim, &s->config->optim, plan->n_weights, held, err);

    mem_free(held);
    return st;
}

static peck_status sgd_take_memory(struct sgd *s, peck_error *err)
{
    const size_t n = s->task->train_data->train_set->n_queries,
                 most = s->task->plan->n_weights;

    s->query = mem_new(n, sizeof *s->query);
    s->order = mem_new(n, sizeof *s->order);
    s->share = mem_new(n, sizeof *s->share);
    if (rule_penalty_of(s->task).rule_scope != NULL) {
        s->extra = mem_new(n, sizeof *s->extra);
        s->extra_order = mem_new(n, sizeof *s->extra_order);
        s->step = mem_new(n, sizeof *s->step);
        s->scale = mem_new(n, sizeof *s->scale);
        if (!s->extra || !s->extra_order || !s->step || !s->scale)
            return fail_memory(err, "the order of the queries", n,
                               3 * sizeof *s->extra + sizeof *s->scale);
    }
    if (s->query == NULL || s->order == NULL || s->share == NULL)
        return fail_memory(err, "the order of the queries", n,
                           sizeof *s->query + sizeof *s->order + sizeof *s->share);
    s->dw = mem_new(most, sizeof *s->dw);
    if (s->dw == NULL)
        return fail_memory(err, "gradients", most, sizeof *s->dw);
    return PECK_OK;
}

peck_status sgd_open(struct sgd *s, const struct task *task,
                     const struct sgd_config *config, const struct objective *objective,
                     const void *objective_config, const float *target,
                     struct stopping *stopping, peck_error *err)
{
    const struct plan *const plan = task->plan;
    struct gradient_spec spec = { .family = plan->recipe->family,
                                  .shape = plan->shape,
                                  .n_weights = plan->n_weights,
                                  .objective = objective,
                                  .config = objective_config,
                                  .train_set = task->train_data->train_set,
                                  .x = task->train_data->x,
                                  .dim = task->train_data->dim,
                                  .target = target };

    *s = (struct sgd){ .config = config, .task = task };
    *stopping = (struct stopping){ .n_epochs = (size_t)config->epochs,
                                   .patience = (size_t)config->patience };
    TRY(sgd_take_memory(s, err));
    spec.share = s->share;
    spec.scale = s->scale;
    spec.rule_penalty = rule_penalty_of(task);
    TRY(open_optim(s, err));
    TRY(gradient_open(&s->gradient, &spec,
                      spec.rule_penalty.rule_scope != NULL ? spec.train_set->n_queries
                                                           : (size_t)config->batch,
                      task->pool, err));
    sgd_restart(s, true);
    return PECK_OK;
}

void sgd_restart(struct sgd *s, bool anew)
{
    const struct task *const t = s->task;
    struct rng rng;

    const struct rule_penalty rule_penalty = rule_penalty_of(t);

    sgd_choose(s, t->train_data->train_set);
    choose_extra(s, &rule_penalty, t->train_data->train_set->n_queries);
    optim_reset(&s->optim);
    s->memory[MEMORY_SHARE] = 1.0;
    s->memory[MEMORY_LOSS] = HUGE_VAL;
    if (!anew)
        return;
    rng_seed(&rng, t->seed, STREAM_INIT);
    family_init(t->plan->recipe->family, t->plan->shape, &rng, t->w);
}

void sgd_shorten(void *config, void *shape, double share)
{
    struct sgd_config *const c = config;

    (void)shape;
    c->epochs = (int64_t)ceil(share * (double)c->epochs);
}

void sgd_close(struct sgd *s)
{
    gradient_close(s->gradient);
    optim_close(&s->optim);
    mem_free(s->query);
    mem_free(s->order);
    mem_free(s->share);
    mem_free(s->extra);
    mem_free(s->extra_order);
    mem_free(s->step);
    mem_free(s->scale);
    mem_free(s->dw);
    *s = (struct sgd){ 0 };
}

/* The rate after so many epochs, whole or not. */
static double rate_at(const struct sgd *s, double epochs)
{
    const struct sgd_config *const c = s->config;
    double rate = c->rate;

    switch ((enum schedule)c->schedule) {
    case SCHEDULE_CONSTANT:
        break;
    case SCHEDULE_HALVING:
        rate *= s->memory[MEMORY_SHARE];
        break;
    case SCHEDULE_STAIRCASE:
        rate *= pow(c->factor, floor(epochs / (double)c->stair));
        break;
    case SCHEDULE_COSINE:
        rate *= 0.5 * (1.0 + cos(3.14159265358979323846 * epochs / (double)c->epochs));
        break;
    }
    return epochs < c->warmup ? rate * (epochs / c->warmup) : rate;
}

static peck_status sgd_diverged(size_t epoch, double rate, const char *norm,
                                peck_error *err)
{
    return fail(err, PECK_DIVERGED,
                "training ran away in epoch %zu: the loss is no finite number; try a rate "
                "below %g, clip=1, or another --norm than %s",
                epoch, rate, norm);
}

/* Those that teach, as they come this time. */
static void sgd_shuffle(struct sgd *s, struct rng *rng)
{
    memcpy(s->order, s->query, s->n * sizeof *s->order);
    rng_shuffle(rng, s->order, s->n);
}

/* The queries of step b. */
static const uint32_t *step_queries(struct sgd *s, size_t b, size_t *n)
{
    const size_t batch = (size_t)s->config->batch;
    const size_t first = s->n_batches > 0 ? b % s->n_batches * batch : 0;
    const size_t left = s->n - first, n_teaching = left < batch ? left : batch;
    const size_t from = s->n_extra * b / s->n_steps, to = s->n_extra * (b + 1) / s->n_steps;

    *n = n_teaching + (to - from);
    if (s->n_extra == 0)
        return s->order + first;
    memcpy(s->step, s->order + first, n_teaching * sizeof *s->step);
    memcpy(s->step + n_teaching, s->extra_order + from, (to - from) * sizeof *s->step);
    return s->step;
}

/* The mean loss of an epoch, penalties included. */
static double mean_loss(const struct sgd *s, double loss, double penalty)
{
    const double rounds = s->n_batches > 0 ? (double)s->n_steps / (double)s->n_batches : 1;
    const double labels = s->n > 0 ? loss / (s->all_shares * rounds) : 0.0;

    return s->scale == NULL || s->n == 0
               ? labels
               : labels + penalty / (double)s->n_steps * (double)s->n / s->all_shares;
}

peck_status sgd_epoch(struct sgd *s, size_t epoch, struct epoch_stats *stats,
                      peck_error *err)
{
    const struct task *const t = s->task;
    const double n_steps = (double)s->n_steps;
    struct rng rng;
    double loss = 0.0, penalty = 0.0;

    rng_seed(&rng, mix64(t->seed, STREAM_ORDER), epoch);
    for (size_t b = 0; b < s->n_steps; b++) {
        if (s->n_batches > 0 && b % s->n_batches == 0)
            sgd_shuffle(s, &rng);
        if (b == 0 && s->n_extra > 0) {
            memcpy(s->extra_order, s->extra, s->n_extra * sizeof *s->extra);
            rng_shuffle(&rng, s->extra_order, s->n_extra);
        }
        size_t n;
        const uint32_t *const query = step_queries(s, b, &n);

        /* A batch counts as done at its end: warm-up never has a rate of 0. */
        stats->rate = rate_at(s, (double)(epoch - 1) + (double)(b + 1) / (n_steps + 1.0));
        loss += gradient_take(s->gradient, t->w, query, n,
                              &(struct train_step){ t->seed, epoch, b }, s->dw);
        penalty += gradient_penalty(s->gradient);
        if (!isfinite(loss + penalty))
            return sgd_diverged(epoch, stats->rate, t->plan->norm, err);
        optim_step(&s->optim, stats->rate, s->dw, t->w);
        if (t->is_stopped != NULL && t->is_stopped(t->ctx))
            return PECK_STOPPED;
    }
    stats->loss = mean_loss(s, loss, penalty);
    if (s->config->schedule == SCHEDULE_HALVING && stats->loss > s->memory[MEMORY_LOSS])
        s->memory[MEMORY_SHARE] *= 0.5;
    s->memory[MEMORY_LOSS] = stats->loss;
    return PECK_OK;
}

size_t sgd_keep(struct sgd *s, struct kept *kept)
{
    size_t n = 0;

    kept[n++] = (struct kept){ "memory", TENSOR_F64, s->memory, 2 };
    kept[n++] = (struct kept){ "steps", TENSOR_U64, &s->optim.t, 1 };
    if (s->optim.m != NULL)
        kept[n++] = (struct kept){ "m", TENSOR_F32, s->optim.m, s->optim.n };
    if (s->optim.v != NULL)
        kept[n++] = (struct kept){ "v", TENSOR_F32, s->optim.v, s->optim.n };
    return n;
}

peck_status sgd_check(const struct sgd *s, size_t epochs, peck_error *err)
{
    const double share = s->memory[MEMORY_SHARE];

    if (!(share >= 0.0 && share <= 1.0))
        return fail(err, PECK_FORMAT, "its rate was raised, not halved");
    if (s->optim.t != (uint64_t)epochs * s->n_steps)
        return fail(err, PECK_FORMAT, "%llu steps, where %zu epochs have %zu each",
                    (unsigned long long)s->optim.t, epochs, s->n_steps);
    for (size_t i = 0; s->optim.v != NULL && i < s->optim.n; i++)
        if (s->optim.v[i] < 0.0f)
            return fail(err, PECK_FORMAT, "a mean of squares is below 0");
    return PECK_OK;
}

/* The learner --------------------------------------------------------------------- */

struct sgd_learner_config {
    struct sgd_config sgd;
};

static const struct param sgd_learner_params[] = {
    SGD_PARAMS(struct sgd_learner_config, sgd), { 0 }
};

static peck_status sgd_learner_open(void *self, const struct task *task,
                                    struct stopping *stopping, peck_error *err)
{
    const struct sgd_learner_config *const c = task->plan->learner;

    return sgd_open(self, task, &c->sgd, task->plan->recipe->objective,
                    task->plan->objective, NULL, stopping, err);
}

static peck_status sgd_learner_epoch(void *self, size_t number, struct epoch_stats *stats,
                                     peck_error *err)
{
    return sgd_epoch(self, number, stats, err);
}

static size_t sgd_learner_keep(void *self, struct kept *kept)
{
    return sgd_keep(self, kept);
}

static peck_status sgd_learner_check(void *self, size_t epochs, peck_error *err)
{
    return sgd_check(self, epochs, err);
}

static void sgd_learner_close(void *self)
{
    sgd_close(self);
}

const struct learner learner_sgd = {
    .plug = { { "sgd", "gradient descent over mini-batches of queries",
                "Any family that goes forward and back, any objective. SGD, momentum or "
                "Adam (Kingma and Ba 2015); constant, halving (Burges et al. 2005), "
                "staircase or cosine rates." },
              sgd_learner_params },
    .config_size = sizeof(struct sgd_learner_config),
    .multiplies = true,
    .has_objective = true,
    .takes_rules = true,
    .self_size = sizeof(struct sgd),
    .suit = sgd_suit,
    .shorten = sgd_shorten,
    .open = sgd_learner_open,
    .epoch = sgd_learner_epoch,
    .keep = sgd_learner_keep,
    .check = sgd_learner_check,
    .close = sgd_learner_close,
};
