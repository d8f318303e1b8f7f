/* run.c -- the members of one training: side by side on the pool, each with a seed of its
 * own; progress, stopping and checkpoints.
 *
 * A single member has the whole pool for its batches.  Several members go one a worker,
 * each on one thread, so that their bytes do not depend on how many there are.       */
#include "checkpoint.h"

#include "../base/alloc.h"
#include "../base/clock.h"
#include "../base/vec.h"

#include <stdatomic.h>

struct run {
    struct run_spec spec;
    struct fit *fit;     /* n_members */
    struct pool **own;   /* n_members, of one thread each; NULL: a single member */
    peck_status *status; /* of each */
    peck_error *error;
    struct checkpoint *checkpoint;
    bool is_behind;    /* the checkpoint could not be written */
    bool is_concluded; /* the members went as far as they could */
    double began;
    atomic_bool is_stopped;
};

/* What a member's watch needs to know. */
struct member_watch {
    struct run *run;
    size_t member;
    peck_error *err;
    peck_status status; /* of the checkpoint */
};

static bool is_stopped(void *ctx)
{
    struct run *const r = ctx;

    if (r->spec.interrupted != NULL && r->spec.interrupted(r->spec.ctx) != 0)
        atomic_store(&r->is_stopped, true);
    return atomic_load(&r->is_stopped);
}

static void run_tell(struct run *r, size_t member, const struct fit *f, bool is_best)
{
    const size_t epoch = f->reached[REACHED_EPOCH];
    const struct epoch_record *const e = &f->history[epoch - 1];
    const struct validation *const validation = f->validator.spec.validation;
    const bool is_error = validation != NULL && validation->prefs == NULL &&
                          validation->metric->item[0].metric->is_error;
    const peck_epoch told = { .member = member,
                              .n_members = r->spec.n_members,
                              .epoch = epoch,
                              .n_epochs = f->stopping.n_epochs,
                              .loss = e->loss,
                              .rate = e->rate,
                              .valid = is_error ? -e->valid : e->valid,
                              .is_best = is_best,
                              .seconds = clock_seconds() - r->began,
                              .chooses_pairs = f->learner->chooses_pairs,
                              .train = is_error ? -f->stats.train : f->stats.train,
                              .n_train_pairs = (size_t)f->stats.n_train,
                              .n_valid_pairs = (size_t)f->stats.n_valid,
                              .n_inner = (size_t)f->stats.n_inner };

    if (r->spec.progress != NULL && r->spec.progress(r->spec.ctx, &told) != 0)
        atomic_store(&r->is_stopped, true);
}

/* A disk that is full now may not be so later, and the model is worth more than its
 * checkpoint: what cannot be written is told once, and training goes on. */
static peck_status survive(struct run *r, peck_status st, const peck_error *why)
{
    char text[sizeof why->text + 64];

    if (st != PECK_IO)
        return st;
    if (!r->is_behind && r->spec.warn != NULL) {
        snprintf(text, sizeof text, "%s; training goes on without a checkpoint", why->text);
        r->spec.warn(r->spec.ctx, text);
    }
    r->is_behind = true;
    return PECK_OK;
}

/* After each epoch of a member; one member at a time. */
static bool watch(void *ctx, const struct fit *f, bool is_best)
{
    struct member_watch *const p = ctx;
    struct run *const r = p->run;

    pool_enter(r->spec.pool);
    run_tell(r, p->member, f,
             is_best); /* first: a log lacks nothing that a checkpoint has */
    if (r->checkpoint != NULL)
        p->status = survive(
            r, checkpoint_take(r->checkpoint, p->member, &r->fit[p->member], p->err),
            p->err);
    if (p->status != PECK_OK)
        atomic_store(&r->is_stopped, true);
    pool_leave(r->spec.pool);
    return is_stopped(r);
}

static void train_member(void *ctx, size_t i, int worker)
{
    struct run *const r = ctx;
    struct member_watch place = { r, i, &r->error[i], PECK_OK };

    (void)worker;
    if (is_stopped(r)) {
        r->status[i] = PECK_STOPPED;
        return;
    }
    const peck_status st = fit_run(&r->fit[i], watch, &place, &r->error[i]);

    r->status[i] = place.status != PECK_OK ? place.status : st;
    if (r->status[i] != PECK_OK && r->status[i] != PECK_STOPPED)
        atomic_store(&r->is_stopped, true);
}

/* Member 0 of an ensemble is the net that the seed alone gives, and so are all of a trial. */
static uint64_t seed_of(const struct run_spec *spec, size_t member)
{
    return member == 0 || spec->is_trial ? spec->seed : mix64(spec->seed, member);
}

static peck_status open_member(struct run *r, size_t i, peck_error *err)
{
    struct pool *pool = r->spec.pool;

    if (r->spec.n_members > 1) {
        TRY(pool_new(&r->own[i], 1, err));
        pool = r->own[i];
    }
    const struct task task = { .plan = r->spec.plan,
                               .train_data = r->spec.train_data,
                               .seed = seed_of(&r->spec, i),
                               .pool = pool,
                               .rule_weight = r->spec.rule_weight != NULL
                                                  ? r->spec.rule_weight[i]
                                                  : NULL,
                               .is_stopped = is_stopped,
                               .ctx = r };

    return fit_open(&r->fit[i], &task, err);
}

static peck_status open_run(struct run *r, peck_error *err)
{
    const size_t n = r->spec.n_members;

    r->fit = mem_new(n, sizeof *r->fit);
    r->own = mem_new(n, sizeof *r->own);
    r->status = mem_new(n, sizeof *r->status);
    r->error = mem_new(n, sizeof *r->error);
    if (r->fit == NULL || r->own == NULL || r->status == NULL || r->error == NULL)
        return fail_memory(err, "members", n, sizeof *r->fit + sizeof *r->error);
    if (r->spec.plan->recipe->learner->multiplies)
        TRY(vec_prepare((size_t)pool_size(r->spec.pool), err));
    for (size_t i = 0; i < n; i++)
        TRY(open_member(r, i, err));
    if (r->spec.checkpoint == NULL)
        return PECK_OK;
    TRY(checkpoint_open(&r->checkpoint, r->spec.checkpoint, r->spec.identity, r->fit, n,
                        err));
    if (r->spec.resume)
        TRY(checkpoint_load(r->checkpoint, r->fit, err));
    return peck_output_check(r->spec.checkpoint, err); /* not after an epoch of an hour */
}

/* The first failure by member; else whether it was stopped. */
static peck_status conclude(struct run *r, peck_error *err)
{
    bool was_stopped = false;

    for (size_t i = 0; i < r->spec.n_members; i++) {
        if (r->status[i] != PECK_OK && r->status[i] != PECK_STOPPED)
            return fail(err, r->status[i], "%s", r->error[i].text);
        was_stopped |= r->status[i] == PECK_STOPPED;
    }
    r->is_concluded = true;
    if (r->checkpoint != NULL && (was_stopped || r->is_behind))
        TRY(checkpoint_write(r->checkpoint, err));
    if (!was_stopped)
        return PECK_OK;
    for (size_t i = 0; i < r->spec.n_members; i++)
        if (run_member(r, i).has_learnt)
            return fail(err, PECK_STOPPED,
                        "training was stopped; this is the best model so far");
    return fail(err, PECK_STOPPED,
                "training was stopped before anything was learnt; there is no model");
}

static peck_status run_train(struct run *r, peck_error *err)
{
    r->began = clock_seconds();
    TRY(open_run(r, err));
    if (r->spec.n_members == 1)
        train_member(r, 0, 0);
    else
        pool_run(r->spec.pool, r->spec.n_members, train_member, r);
    return conclude(r, err);
}

peck_status run_members(struct run **out, const struct run_spec *spec, peck_error *err)
{
    struct run *const r = mem_new(1, sizeof *r);

    *out = NULL;
    if (r == NULL)
        return fail_memory(err, "members", 1, sizeof *r);
    r->spec = *spec;
    atomic_init(&r->is_stopped, false);
    const peck_status st = run_train(r, err);

    if (st == PECK_OK || st == PECK_STOPPED || (st == PECK_IO && r->is_concluded))
        *out = r;
    else
        run_free(r);
    return st;
}

struct member run_member(const struct run *r, size_t i)
{
    const struct fit *const f = &r->fit[i];
    const bool has_best = f->reached[REACHED_BEST] > 0;

    return (struct member){ .w = has_best ? f->best : f->w,
                            .history = f->history,
                            .chooses_pairs = f->learner->chooses_pairs,
                            .has_learnt = f->reached[REACHED_EPOCH] > f->learner->n_idle ||
                                          f->reached[REACHED_END] != 0,
                            .n_epochs = f->reached[REACHED_EPOCH],
                            .best = f->reached[REACHED_BEST] };
}

void run_free(struct run *r)
{
    if (r == NULL)
        return;
    checkpoint_close(r->checkpoint);
    for (size_t i = 0; r->fit != NULL && i < r->spec.n_members; i++)
        fit_close(&r->fit[i]);
    for (size_t i = 0; r->own != NULL && i < r->spec.n_members; i++)
        pool_free(r->own[i]);
    mem_free(r->fit);
    mem_free(r->own);
    mem_free(r->status);
    mem_free(r->error);
    mem_free(r);
}
