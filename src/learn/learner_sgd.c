/* learner_sgd.c -- any differentiable family, any objective: mini-batches of queries.
 *
 *   w <- step(w, rate_t, grad of  1/|B| sum_{q in B} share_q L_q(w))
 *
 * Epoch e draws its order from (seed, e) alone, so a run that goes on from a checkpoint
 * sees the batches it would have seen.  Halving is RankNet's rule (Burges et al. 2005,
 * section 5): the rate is halved when the mean loss of an epoch is above that of the
 * one before.  So is settling (sections 5.1 and 6): it ends when no training pair is in the
 * wrong order, or when as many have been for some epochs on end.                      */
#include "sgd.h"

#include "../base/cpu.h"
#include "../base/maths.h"
#include "../base/vec.h"

#include <math.h>

enum { MEMORY_SHARE, MEMORY_LOSS };
enum { SETTLED_WRONG, SETTLED_EPOCHS };
/* Weights of a slice of a step; fewer slices than this are done sooner by one worker, and
 * than that where workers have to be woken. */
enum { SLICE = 1024, WORTH_SLICES = 8, WORTH_WAKING = 128 };

/* How a batch grows; docs/DEFAULTS.md has the figures. */
enum {
    TUNED_DOCS = 60000, /* to as many documents that teach the tuned batch stays */
    MOST_TIMES = 16,    /* the tuned batch, at most */
    FEWEST_STEPS = 150, /* an epoch: with fewer quality falls, whatever the rate */
    HINGE_STEPS = 500,  /* the same where few pairs of a batch have a say */
    MOST_DOCS = 6400    /* a step: enough for sixteen workers */
};
/* Of rules, unless somebody says otherwise: queries without labels a step, and the most steps
 * an epoch for their sake.  Four labelled queries alone would make it one. */
enum { RULES_BATCH = 16, RULES_STEPS = 32 };
/* Parts of 1 that a rate or decay is rounded to: what is shown can be given. */
#define RATE_UNIT 1e5

/* By as much as there are more documents, but no further than an epoch has steps to spare
 * and workers something to do.  k times the batch takes k^(3/4) times the rate: each of
 * Adam's steps has less noise (k^(1/2)), and there are fewer of them.  And k^(-1/4) times
 * the decay: what more documents say need not be held down as much. */
void sgd_suit(void *config, const struct objective *o, const struct train_set *l,
              bool has_own_decay)
{
    struct sgd_config *const c = config;
    const double n = (double)l->n_teaching, tuned = (double)c->batch;
    double docs = 0.0; /* that teach: judged ones, or those that are compared */

    for (size_t q = 0; q < l->n_queries; q++) {
        const struct query_plan *const p = &l->plan[q];

        if (p->n_all > 0.0)
            docs += (double)(p->n_judged > 0 ? p->n_judged : p->n_ranked);
    }
    if (docs <= TUNED_DOCS || c->optim.kind != OPTIM_ADAM)
        return;
    const double wanted = tuned * math_min(docs / TUNED_DOCS, MOST_TIMES);
    const double most =
        math_min(n / (o->is_hinge ? HINGE_STEPS : FEWEST_STEPS), MOST_DOCS * n / docs);
    const double batch = floor(math_min(wanted, most)), root = sqrt(batch / tuned);

    if (batch <= tuned)
        return;
    c->rate = rint(c->rate * root * sqrt(root) * RATE_UNIT) / RATE_UNIT;
    if (!has_own_decay)
        c->optim.decay = rint(c->optim.decay / sqrt(root) * RATE_UNIT) / RATE_UNIT;
    c->batch = (int64_t)batch;
}

/* Opening -------------------------------------------------------------------------- */

peck_status sgd_open(struct sgd *s, const struct task *task,
                     const struct sgd_config *config, const struct train_set *l,
                     const float *target, struct stopping *stopping, peck_error *err)
{
    const struct plan *const plan = task->plan;
    const struct family *const family = plan->recipe->family;
    const struct train_data *const data = task->train_data;
    const bool has_rules = task->rule_weight != NULL && data->rule_scope != NULL;
    struct arena *const a = &s->arena;
    const char *const what = "the order of the queries";

    *s = (struct sgd){
        .config = config, .task = task, .train_set = l, .n_epochs = (size_t)config->epochs
    };
    *stopping =
        (struct stopping){ .n_epochs = s->n_epochs, .patience = (size_t)config->patience };
    s->query = arena_new(a, what, l->n_queries, sizeof *s->query);
    s->order = arena_new(a, what, l->n_queries, sizeof *s->order);
    s->share = arena_new(a, what, l->n_queries, sizeof *s->share);
    if (has_rules) {
        s->rule_penalty = (struct rule_penalty){ data->rule_scope, task->rule_weight,
                                                 task->rule_pace.alpha };
        s->extra = arena_new(a, what, l->n_queries, sizeof *s->extra);
        s->extra_order = arena_new(a, what, l->n_queries, sizeof *s->extra_order);
        s->step = arena_new(a, what, l->n_queries, sizeof *s->step);
        s->scale = arena_new(a, what, l->n_queries, sizeof *s->scale);
    }
    s->dw = arena_new(a, "gradients", plan->n_weights, sizeof *s->dw);
    TRY(arena_check(a, err));
    TRY(optim_open(&s->optim, &config->optim, plan->n_weights, err));
    s->optim.pool = task->pool;
    const struct gradient_spec spec = { .family = family,
                                        .shape = plan->shape,
                                        .n_weights = plan->n_weights,
                                        .n_kept = plan->n_kept,
                                        .n_scratch = plan->n_scratch,
                                        .objective = plan->recipe->objective,
                                        .config = plan->objective,
                                        .train_set = l,
                                        .data = data,
                                        .share = s->share,
                                        .rule_penalty = s->rule_penalty,
                                        .scale = s->scale,
                                        .target = target };

    TRY(gradient_open(&s->gradient, &spec, has_rules ? l->n_queries : (size_t)config->batch,
                      task->pool, err));
    sgd_restart(s, task->seed, true);
    if (family->decayed != NULL)
        family->decayed(plan->shape, s->optim.held);
    return PECK_OK;
}

void sgd_restart(struct sgd *s, uint64_t seed, bool anew)
{
    const struct train_set *const l = s->train_set;
    const size_t batch = (size_t)s->config->batch, own = (size_t)s->config->rules_batch,
                 more = own > 0 ? own : RULES_BATCH, pace = s->task->rule_pace.steps,
                 most = pace > 0  ? pace
                        : own > 0 ? SIZE_MAX
                                  : RULES_STEPS;
    const struct plan *const plan = s->task->plan;
    struct rng rng;

    /* The queries that teach, and how much each counts. */
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
    /* The queries that rules alone speak of, and what an epoch is made of. */
    s->n_extra = 0;
    for (size_t q = 0; s->scale != NULL && q < l->n_queries; q++)
        if (!(s->share[q] > 0.0f) && rule_penalty_speaks_of(&s->rule_penalty, q))
            s->extra[s->n_extra++] = (uint32_t)q;
    const size_t n_chunks = (s->n_extra + more - 1) / more;
    const size_t n_paced = n_chunks > most ? most : n_chunks;
    const double mean_share = s->n > 0 ? s->all_shares / (double)s->n : 1.0;

    s->n_batches = (s->n + batch - 1) / batch;
    s->n_steps = n_paced > s->n_batches ? n_paced : s->n_batches;
    s->n_seen = s->n_steps < n_chunks && most < SIZE_MAX && !s->task->rule_pace.sees_all
                    ? more * s->n_steps
                    : s->n_extra;
    /* The penalty of a step stands for that of all queries: one that comes round v times an
     * epoch, on average, counts n_steps / v each time.  Beside labels that count more, rules
     * count more. */
    const double rarely =
        s->n_seen > 0 ? (double)s->n_steps * (double)s->n_extra / (double)s->n_seen : 0.0;

    for (size_t q = 0; s->scale != NULL && q < l->n_queries; q++)
        s->scale[q] = mean_share * (s->share[q] > 0.0f ? (double)s->n_batches : rarely);
    optim_reset(&s->optim);
    s->seed = seed;
    s->memory[MEMORY_SHARE] = 1.0;
    s->memory[MEMORY_LOSS] = HUGE_VAL;
    if (!anew)
        return;
    rng_seed(&rng, seed, STREAM_INIT);
    family_init(plan->recipe->family, plan->shape, &rng, s->task->w);
}

/* What holds a net down where labels are few holds it off the rules where labels are everywhere;
 * and pairs that count alike hold the first places too loosely, which rules speak of. */
const struct preset_value sgd_taught[] = {
    { "decay", "0.1" },  { "dropout", "0" }, { "hidden", "40" },
    { "delta", "ndcg" }, { NULL, NULL },
};

void sgd_shorten(void *config, void *shape, double share)
{
    struct sgd_config *const c = config;

    /* After fewer than five, a net that learns slowly shows nothing. */
    (void)shape;
    c->epochs = (int64_t)math_max(ceil(share * (double)c->epochs),
                                  math_min((double)c->epochs, 5.0));
}

void sgd_close(void *self)
{
    struct sgd *const s = self;

    gradient_close(s->gradient);
    if (s->train_error.task != NULL) /* settle= opened it */
        train_error_close(&s->train_error);
    optim_close(&s->optim);
    arena_free(&s->arena);
    *s = (struct sgd){ 0 };
}

/* A step --------------------------------------------------------------------------- */

peck_status optim_open(struct optim *o, const struct optim_rule *rule, size_t n,
                       peck_error *err)
{
    const char *const what = "the optimiser's state";

    *o = (struct optim){ .rule = *rule, .n = n };
    o->held = arena_new(&o->arena, what, n, sizeof *o->held);
    if (rule->kind != OPTIM_SGD)
        o->m = arena_new(&o->arena, what, n, sizeof *o->m);
    if (rule->kind == OPTIM_ADAM)
        o->v = arena_new(&o->arena, what, n, sizeof *o->v);
    TRY(arena_check(&o->arena, err));
    memset(o->held, 1, n);
    return PECK_OK;
}

void optim_reset(struct optim *o)
{
    o->t = 0;
    if (o->m != NULL)
        memset(o->m, 0, o->n * sizeof *o->m);
    if (o->v != NULL)
        memset(o->v, 0, o->n * sizeof *o->v);
}

void optim_close(struct optim *o)
{
    arena_free(&o->arena);
    *o = (struct optim){ 0 };
}

/* to += by x, of the weights that are held down. */
static inline ALWAYS_INLINE void add_held_body(size_t n, float by,
                                               const unsigned char *held, const float *x,
                                               float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] += by * (float)held[i] * x[i];
}
CPU_VERSIONS(add_held,
             (size_t n, float by, const unsigned char *held, const float *x, float *to),
             (n, by, held, x, to))

static inline ALWAYS_INLINE void step_momentum_body(size_t n, float keep, float rate,
                                                    const float *g, float *m, float *w)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = keep * m[i] + g[i];
        w[i] -= rate * m[i];
    }
}
CPU_VERSIONS(step_momentum,
             (size_t n, float keep, float rate, const float *g, float *m, float *w),
             (n, keep, rate, g, m, w))

/* What a step of Adam needs: both corrections are folded into the rate and the small
 * number, so that the loop has one root and one division. */
struct adam {
    float rate, small, b1, b2;
};

static inline ALWAYS_INLINE void step_adam_body(size_t n, struct adam a,
                                                const float *restrict g, float *restrict m,
                                                float *restrict v, float *restrict w)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = a.b1 * m[i] + (1.0f - a.b1) * g[i];
        v[i] = a.b2 * v[i] + (1.0f - a.b2) * g[i] * g[i];
        w[i] -= a.rate * m[i] / (sqrtf(v[i]) + a.small);
    }
}
CPU_VERSIONS(step_adam,
             (size_t n, struct adam a, const float *g, float *m, float *v, float *w),
             (n, a, g, m, v, w))

/* A step on its way: all of it that looks at one weight alone. */
struct optim_pass {
    const struct optim *o;
    float *g, *w;
    float rate, decay; /* decay: times the rate, below 0 */
    float shrink;      /* the gradient, which is too long; 1: it is not */
    struct adam adam;
};

static void step_slice(void *ctx, size_t slice, int worker)
{
    const struct optim_pass *const p = ctx;
    const struct optim *const o = p->o;
    const size_t first = slice * SLICE, n = o->n - first < SLICE ? o->n - first : SLICE;
    float *const g = p->g + first, *const w = p->w + first;

    (void)worker;
    for (size_t i = 0; p->shrink != 1.0f && i < n; i++)
        g[i] *= p->shrink;
    if (o->rule.decay > 0.0)
        add_held(n, p->decay, o->held + first, w, w);
    switch ((enum optim_kind)o->rule.kind) {
    case OPTIM_SGD:
        vec_axpy(n, -p->rate, g, w);
        break;
    case OPTIM_MOMENTUM:
        step_momentum(n, (float)o->rule.momentum, p->rate, g, o->m + first, w);
        break;
    case OPTIM_ADAM:
        step_adam(n, p->adam, g, o->m + first, o->v + first, w);
        break;
    }
}

void optim_step(struct optim *o, double rate, float *g, float *w)
{
    const struct optim_rule *const r = &o->rule;
    const double t = (double)++o->t;
    const size_t n_slices = (o->n + SLICE - 1) / SLICE;

    if (r->l2 > 0.0)
        add_held(o->n, (float)r->l2, o->held, w, g);
    const double length = r->clip > 0.0 ? sqrt(vec_dot(g, g, o->n)) : 0.0;
    const double root2 = sqrt(1.0 - math_pow(r->beta2, t));
    struct optim_pass pass = {
        .o = o,
        .g = g,
        .w = w,
        .rate = (float)rate,
        .decay = (float)-(rate * r->decay),
        .shrink = length > r->clip ? (float)(r->clip / length) : 1.0f,
        .adam = { .rate = (float)(rate * root2 / (1.0 - math_pow(r->beta1, t))),
                  .small = (float)(1e-8 * root2),
                  .b1 = (float)r->beta1,
                  .b2 = (float)r->beta2 },
    };

    if (o->pool != NULL &&
        n_slices >= (size_t)(pool_looks_on(o->pool) ? WORTH_SLICES : WORTH_WAKING))
        pool_run(o->pool, n_slices, step_slice, &pass);
    else
        for (size_t i = 0; i < n_slices; i++)
            step_slice(&pass, i, 0);
}

/* An epoch ------------------------------------------------------------------------- */

/* The rate after so many epochs, whole or not.
 * t being `epochs` and T all of them:
 *
 *   halving     rate times the share that sgd_epoch has left of it
 *   staircase   rate factor^floor(t / stair)
 *   cosine      rate (1 + cos(pi t / T)) / 2
 *
 * and, while t < warmup, t / warmup of that. */
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
        rate *= math_pow(c->factor, floor(epochs / (double)c->stair));
        break;
    case SCHEDULE_COSINE:
        rate *=
            0.5 * (1.0 + math_cos(3.14159265358979323846 * epochs / (double)s->n_epochs));
        break;
    }
    return epochs < c->warmup ? rate * (epochs / c->warmup) : rate;
}

/* Shuffle the queries; batch after batch, take the gradient and a step.  Queries that rules
 * alone speak of are dealt out over the steps of the epoch. */
peck_status sgd_epoch(void *self, size_t epoch, struct epoch_stats *stats, peck_error *err)
{
    struct sgd *const s = self;
    const struct task *const t = s->task;
    const size_t batch = (size_t)s->config->batch;
    struct rng rng;
    double loss = 0.0, penalty = 0.0;

    rng_seed(&rng, mix64(s->seed, STREAM_ORDER), epoch);
    for (size_t b = 0; b < s->n_steps; b++) {
        const size_t first = s->n_batches > 0 ? b % s->n_batches * batch : 0;
        const size_t from = s->n_seen * b / s->n_steps;
        const size_t n_extra = s->n_seen * (b + 1) / s->n_steps - from;
        const uint32_t *query = s->order + first;
        size_t n = s->n - first < batch ? s->n - first : batch;
        double step_loss;

        if (s->n_batches > 0 && first == 0) {
            memcpy(s->order, s->query, s->n * sizeof *s->order);
            rng_shuffle(&rng, s->order, s->n);
        }
        if (b == 0 && s->n_extra > 0) {
            memcpy(s->extra_order, s->extra, s->n_extra * sizeof *s->extra);
            rng_shuffle(&rng, s->extra_order, s->n_extra);
        }
        if (s->n_extra > 0) {
            memcpy(s->step, query, n * sizeof *s->step);
            memcpy(s->step + n, s->extra_order + from, n_extra * sizeof *s->step);
            query = s->step;
            n += n_extra;
        }
        /* A batch counts as done at its end: warm-up never has a rate of 0. */
        stats->rate =
            rate_at(s, (double)(epoch - 1) + (double)(b + 1) / ((double)s->n_steps + 1.0));
        TRY(gradient_take(s->gradient, t->w, query, n,
                          &(struct train_step){ s->seed, epoch, b }, s->dw, &step_loss,
                          err));
        loss += step_loss;
        penalty += gradient_penalty(s->gradient);
        if (!isfinite(loss + penalty))
            return fail(err, PECK_DIVERGED,
                        "training diverged in epoch %zu: the loss is not a number; try a "
                        "rate below %g, clip=1, or another --norm than %s",
                        epoch, stats->rate, t->plan->norm);
        optim_step(&s->optim, stats->rate, s->dw, t->w);
        /* Ranks stay together to the end of the epoch. */
        if (!comm_is_shared(t->train_data->comm) && t->is_stopped != NULL &&
            t->is_stopped(t->ctx))
            return PECK_STOPPED;
    }
    const double rounds = s->n_batches > 0 ? (double)s->n_steps / (double)s->n_batches : 1;

    stats->loss = s->n > 0 ? loss / (s->all_shares * rounds) : 0.0;
    if (s->scale != NULL && s->n > 0)
        stats->loss += penalty / (double)s->n_steps * (double)s->n / s->all_shares;
    if (s->config->schedule == SCHEDULE_HALVING && stats->loss > s->memory[MEMORY_LOSS])
        s->memory[MEMORY_SHARE] *= 0.5;
    s->memory[MEMORY_LOSS] = stats->loss;
    return PECK_OK;
}

size_t sgd_keep(void *self, struct kept *kept)
{
    struct sgd *const s = self;
    size_t n = 0;

    kept[n++] = (struct kept){ "memory", TENSOR_F64, s->memory, 2 };
    kept[n++] = (struct kept){ "steps", TENSOR_U64, &s->optim.t, 1 };
    if (s->optim.m != NULL)
        kept[n++] = (struct kept){ "m", TENSOR_F32, s->optim.m, s->optim.n };
    if (s->optim.v != NULL)
        kept[n++] = (struct kept){ "v", TENSOR_F32, s->optim.v, s->optim.n };
    if (s->config->settle > 0)
        kept[n++] = (struct kept){ "settled", TENSOR_U64, s->settled, 2 };
    return n;
}

peck_status sgd_check(void *self, size_t epochs, peck_error *err)
{
    const struct sgd *const s = self;
    const double share = s->memory[MEMORY_SHARE];

    if (!(share >= 0.0 && share <= 1.0))
        return fail(err, PECK_FORMAT, "its rate was raised, not halved");
    if (s->optim.t != (uint64_t)epochs * s->n_steps)
        return fail(err, PECK_FORMAT, "%llu steps, where %zu epochs have %zu each",
                    (unsigned long long)s->optim.t, epochs, s->n_steps);
    for (size_t i = 0; s->optim.v != NULL && i < s->optim.n; i++)
        if (s->optim.v[i] < 0.0f)
            return fail(err, PECK_FORMAT, "a mean of squares is below 0");
    if (s->settled[SETTLED_EPOCHS] >= (uint64_t)epochs)
        return fail(err, PECK_FORMAT, "it has settled for more epochs than there were");
    return PECK_OK;
}

/* The learner --------------------------------------------------------------------- */

static const struct param sgd_params[] = {
    SGD_PARAMS,
    { "settle", PARAM_INT | PARAM_LATE, "0", "[0,1000000]",
      "stop also when no training pair is in the wrong order, or when their number has "
      "stayed the same for this many epochs; 0, or beside rules: never",
      offsetof(struct sgd_config, settle) },
    { 0 },
};

static void sgd_lengthen(void *config, size_t epochs)
{
    struct sgd_config *const c = config;

    c->epochs = c->epochs < (int64_t)epochs ? (int64_t)epochs : c->epochs;
}

static peck_status sgd_learner_open(void *self, const struct task *task,
                                    struct stopping *stopping, peck_error *err)
{
    const struct sgd_config *const c = task->plan->learner;
    struct sgd *const s = self;

    TRY(sgd_open(s, task, c, task->train_data->train_set, NULL, stopping, err));
    if (s->n_epochs < task->rule_pace.epochs && !task->plan->has_own_epochs)
        s->n_epochs = stopping->n_epochs = task->rule_pace.epochs;
    return c->settle > 0 ? train_error_open(&s->train_error, task, err) : PECK_OK;
}

static peck_status sgd_learner_epoch(void *self, size_t epoch, struct epoch_stats *stats,
                                     peck_error *err)
{
    struct sgd *const s = self;

    TRY(sgd_epoch(s, epoch, stats, err));
    /* Labels in order do not say that rules are kept. */
    if (s->config->settle == 0 || s->rule_penalty.rule_scope != NULL)
        return PECK_OK;
    uint64_t wrong;

    TRY(train_error_count(&s->train_error, s->task->w, &wrong, err));
    const bool is_same = epoch > 1 && wrong == s->settled[SETTLED_WRONG];

    s->settled[SETTLED_EPOCHS] = is_same ? s->settled[SETTLED_EPOCHS] + 1 : 0;
    s->settled[SETTLED_WRONG] = wrong;
    stats->is_last =
        wrong == 0 || s->settled[SETTLED_EPOCHS] >= (uint64_t)s->config->settle;
    return PECK_OK;
}

const struct learner learner_sgd = {
    .plug = { { "sgd", "gradient descent over mini-batches of queries",
                "Any family that goes forward and back, any objective. SGD, momentum or "
                "Adam (Kingma and Ba 2015); constant, halving (Burges et al. 2005), "
                "staircase or cosine rates." },
              sgd_params },
    .config_size = sizeof(struct sgd_config),
    .takes_rules = true,
    .takes_ranks = true,
    .takes_limit = true,
    .self_size = sizeof(struct sgd),
    .suit = sgd_suit,
    .taught = sgd_taught,
    .shorten = sgd_shorten,
    .lengthen = sgd_lengthen,
    .open = sgd_learner_open,
    .epoch = sgd_learner_epoch,
    .keep = sgd_keep,
    .check = sgd_check,
    .close = sgd_close,
};
