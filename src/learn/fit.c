/* fit.c -- see fit.h; and the members of one training (learn.h: run): side by side on the
 * pool, each with a seed of its own; progress, stopping and checkpoints.
 *
 * A single member has the whole pool for its batches.  Several members go one a worker,
 * each on one thread; on several ranks one after another, each on all ranks and threads.  The
 * bytes are the same.                                                                */
#include "checkpoint.h"

#include "../base/alloc.h"
#include "../base/pool.h"
#include "../base/finite.h"

#include <math.h>
#include <stdatomic.h>

/* One member -------------------------------------------------------------------------- */

peck_status fit_open(struct fit *f, const struct task *task, peck_error *err)
{
    const size_t n = task->plan->n_weights;

    *f = (struct fit){ .task = *task, .learner = task->plan->recipe->learner };
    f->w = f->task.w = arena_new(&f->arena, "weights", n, sizeof *f->w);
    f->best = arena_new(&f->arena, "weights", n, sizeof *f->best);
    f->self = arena_new(&f->arena, "weights", 1, f->learner->self_size);
    TRY(arena_check(&f->arena, err));
    /* The learner first: the validator may read scores that it keeps. */
    TRY(f->learner->open(f->self, &f->task, &f->stopping, err));
    const struct validator_spec how = { .given = f->learner->valid_scores != NULL
                                                     ? f->learner->valid_scores(f->self)
                                                     : NULL };

    TRY(validator_open(&f->validator, &f->task, &how, err));
    f->history = arena_new(&f->arena, "the history of epochs", f->stopping.n_epochs,
                           sizeof *f->history);
    f->told = arena_new(&f->arena, "the history of epochs", f->stopping.n_epochs,
                        sizeof *f->told);
    return arena_check(&f->arena, err);
}

void fit_close(struct fit *f)
{
    if (f->self != NULL && f->learner->close != NULL)
        f->learner->close(f->self);
    validator_close(&f->validator);
    arena_free(&f->arena);
    *f = (struct fit){ 0 };
}

/* patience counts from the best epoch, whatever the ones since then were like. */
static bool is_at_end(const struct fit *f)
{
    const uint64_t done = f->reached[REACHED_EPOCH];

    return done >= f->stopping.n_epochs ||
           (f->stopping.patience > 0 &&
            done - f->reached[REACHED_BEST] >= f->stopping.patience);
}

peck_status fit_run(struct fit *f, fit_watch *watch, void *ctx, peck_error *err)
{
    const struct plan *const plan = f->task.plan;
    const struct family *const family = plan->recipe->family;
    struct epoch_stats *const stats = &f->stats;

    while (!f->reached[REACHED_END]) {
        const size_t epoch = f->reached[REACHED_EPOCH] + 1;
        const uint64_t best = f->reached[REACHED_BEST];
        double value;

        *stats = (struct epoch_stats){ .train = (double)NAN };
        TRY(f->learner->epoch(f->self, epoch, stats, err));
        if (stats->has_valid)
            value = stats->valid;
        else
            TRY(validator_value(&f->validator, f->w, &value, err));
        /* Without a value, the last epoch is the best. */
        const bool is_best = best == 0 || f->stopping.is_last_best || isnan(value) ||
                             value > f->history[best - 1].valid ||
                             isnan(f->history[best - 1].valid);

        f->history[epoch - 1] = (struct epoch_record){
            stats->loss,           stats->rate, value, stats->train, (double)stats->n_train,
            (double)stats->n_valid
        };
        f->reached[REACHED_EPOCH] = epoch;
        if (is_best) { /* trees may fill only a part of their memory */
            const size_t n =
                family->used != NULL ? family->used(plan->shape, f->w) : plan->n_weights;

            f->reached[REACHED_BEST] = epoch;
            memcpy(f->best, f->w, n * sizeof *f->best);
        }
        f->reached[REACHED_END] = stats->is_last || is_at_end(f);
        if (watch != NULL && watch(ctx, f, is_best))
            return PECK_STOPPED;
    }
    return PECK_OK;
}

size_t fit_keep(struct fit *f, struct kept *kept)
{
    const size_t n = f->task.plan->n_weights;
    size_t i = 0;

    kept[i++] = (struct kept){ "reached", TENSOR_U64, f->reached, N_REACHED };
    kept[i++] = (struct kept){ "weights", TENSOR_F32, f->w, n };
    kept[i++] = (struct kept){ "best", TENSOR_F32, f->best, n };
    kept[i++] = (struct kept){ "history", TENSOR_F64, f->history,
                               EPOCH_NUMBERS * f->stopping.n_epochs };
    return i + (f->learner->keep != NULL ? f->learner->keep(f->self, kept + i) : 0);
}

peck_status fit_check(struct fit *f, peck_error *err)
{
    const struct plan *const plan = f->task.plan;
    const struct family *const family = plan->recipe->family;
    const uint64_t done = f->reached[REACHED_EPOCH], best = f->reached[REACHED_BEST],
                   end = f->reached[REACHED_END];
    struct kept kept[FIT_KEPT];
    const size_t n = fit_keep(f, kept);

    /* A member that has finished an epoch has a best one, and is at its end or before it. */
    if (done < 1 || done > f->stopping.n_epochs || best < 1 || best > done || end > 1 ||
        (end == 0 && is_at_end(f)))
        return fail(err, PECK_FORMAT, "it counts epochs that cannot be");
    /* Losses and values may be missing; nothing is infinite. */
    for (size_t i = 0; i < done; i++) {
        const struct epoch_record *const e = &f->history[i];

        if (isinf(e->loss) || !isfinite(e->rate) || isinf(e->valid) || isinf(e->train) ||
            !isfinite(e->n_train_pairs) || e->n_train_pairs < 0.0 ||
            !isfinite(e->n_valid_pairs) || e->n_valid_pairs < 0.0)
            return fail(err, PECK_FORMAT, "what it says of epoch %zu cannot be", i + 1);
    }
    for (size_t k = 0; k < n; k++)
        if (kept[k].data != (void *)f->history &&
            ((kept[k].type == TENSOR_F32 && !floats_are_finite(kept[k].data, kept[k].n)) ||
             (kept[k].type == TENSOR_F64 && !doubles_are_finite(kept[k].data, kept[k].n))))
            return fail(err, PECK_FORMAT, "'%s' holds what is not a number", kept[k].name);
    if (family->check != NULL) {
        TRY(family->check(plan->shape, f->w, plan->n_weights, err));
        TRY(family->check(plan->shape, f->best, plan->n_weights, err));
    }
    return f->learner->check != NULL ? f->learner->check(f->self, done, err) : PECK_OK;
}

/* All members ------------------------------------------------------------------------- */

struct run {
    struct run_spec spec;
    struct fit *fit;   /* n_members */
    struct pool **own; /* n_members, of one thread each; NULL: those of the run */
    struct checkpoint *checkpoint;
    bool is_behind;    /* the checkpoint could not be written */
    bool is_concluded; /* the members went as far as they could */
    double began;
    atomic_bool is_stopped;  /* whoever is at work should leave off */
    atomic_bool was_stopped; /* a member has */
    struct arena arena;
};

/* What a member's watch needs to know. */
struct member_watch {
    struct run *run;
    size_t member;
    peck_error *err;
    peck_status status; /* of the checkpoint */
};

static void ask_for_stop(struct run *r)
{
    if (r->spec.interrupted != NULL && r->spec.interrupted(r->spec.ctx) != 0)
        atomic_store(&r->is_stopped, true);
}

/* Ranks stop together, after an epoch: see agree_to_go_on. */
static bool is_stopped(void *ctx)
{
    struct run *const r = ctx;

    if (!comm_is_shared(r->spec.train_data->comm))
        ask_for_stop(r);
    return atomic_load(&r->is_stopped);
}

/* After each epoch: where one rank has failed (st) all fail, and where one wants to stop all
 * do. */
static peck_status agree_to_go_on(struct run *r, peck_status st, peck_error *err)
{
    const peck_comm *const comm = r->spec.train_data->comm;

    if (!comm_is_shared(comm))
        return st;
    ask_for_stop(r);
    if (st == PECK_OK && atomic_load(&r->is_stopped))
        st = fail(err, PECK_STOPPED, "a rank was stopped");
    st = comm_agree(comm, st, err);
    if (st != PECK_OK)
        atomic_store(&r->is_stopped, true);
    return st == PECK_STOPPED ? PECK_OK : st;
}

/* After each epoch of a member; one member at a time. */
static bool watch_member(void *ctx, const struct fit *f, bool is_best)
{
    struct member_watch *const p = ctx;
    struct run *const r = p->run;
    const size_t epoch = f->reached[REACHED_EPOCH];
    const struct epoch_record *const e = &f->history[epoch - 1];
    const struct validation *const validation = f->validator.spec.validation;
    const bool is_error = validation != NULL && validation->prefs == NULL &&
                          validation->metric->item[0].metric->is_error;
    const peck_epoch told = { .member = p->member,
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

    r->fit[p->member].told[epoch - 1] = told;
    pool_enter(r->spec.pool);
    /* Told first: a log lacks nothing that a checkpoint has. */
    if (r->spec.progress != NULL && r->spec.progress(r->spec.ctx, &told) != 0)
        atomic_store(&r->is_stopped, true);
    if (r->checkpoint != NULL)
        p->status = checkpoint_take(r->checkpoint, p->member, &r->fit[p->member], p->err);
    /* A disk that is full now may not be so later, and the model is worth more than its
     * checkpoint: what cannot be written is told once, and training goes on. */
    if (p->status == PECK_IO) {
        char text[sizeof p->err->text + 64];

        if (!r->is_behind && r->spec.warn != NULL) {
            snprintf(text, sizeof text, "%s; training goes on without a checkpoint",
                     p->err->text);
            r->spec.warn(r->spec.ctx, text);
        }
        r->is_behind = true;
        p->status = PECK_OK;
    }
    if (p->status != PECK_OK)
        atomic_store(&r->is_stopped, true);
    pool_leave(r->spec.pool);
    p->status = agree_to_go_on(r, p->status, p->err);
    return is_stopped(r);
}

/* A member that is stopped has not failed. */
static peck_status train_member(void *ctx, size_t i, int worker, peck_error *err)
{
    struct run *const r = ctx;
    peck_error why = { 0 };
    struct member_watch place = { r, i, &why, PECK_OK };
    peck_status st = PECK_STOPPED;

    (void)worker;
    if (!is_stopped(r))
        st = fit_run(&r->fit[i], watch_member, &place, &why);
    if (place.status != PECK_OK)
        st = place.status;
    if (st == PECK_STOPPED) {
        atomic_store(&r->was_stopped, true);
        return PECK_OK;
    }
    if (st == PECK_OK)
        return PECK_OK;
    atomic_store(&r->is_stopped, true);
    return fail(err, st, "%s", why.text);
}

/* Opens the members, trains them, and writes what a checkpoint lacks. */
static peck_status run_train(struct run *r, peck_error *err)
{
    const struct run_spec *const spec = &r->spec;
    const size_t n = spec->n_members;
    const peck_comm *const comm = spec->train_data->comm;
    const bool is_apart = n > 1 && !comm_is_shared(comm);

    r->began = clock_seconds();
    r->fit = arena_new(&r->arena, "members", n, sizeof *r->fit);
    r->own = arena_new(&r->arena, "members", n, sizeof *r->own);
    TRY(arena_check(&r->arena, err));
    for (size_t i = 0; i < n; i++) {
        if (is_apart)
            TRY(pool_new(&r->own[i], 1, err));
        /* Member 0 is the net that the seed alone gives, and so are all of a trial. */
        const struct task task = {
            .plan = spec->plan,
            .train_data = spec->train_data,
            .seed = i == 0 || spec->is_trial ? spec->seed : mix64(spec->seed, i),
            .pool = is_apart ? r->own[i] : spec->pool,
            .is_kept = spec->checkpoint != NULL,
            .rule_weight = spec->rule_weight != NULL ? spec->rule_weight[i] : NULL,
            .rule_pace = spec->rule_pace,
            .is_stopped = is_stopped,
            .ctx = r,
        };

        TRY(fit_open(&r->fit[i], &task, err));
    }
    if (spec->checkpoint != NULL) {
        TRY(checkpoint_open(&r->checkpoint, spec->checkpoint, spec->identity, comm, r->fit,
                            n, err));
        if (spec->resume)
            TRY(checkpoint_load(r->checkpoint, r->fit, err));
        /* Not after an epoch of an hour. */
        TRY(comm_agree(
            comm, comm_rank(comm) == 0 ? peck_output_check(spec->checkpoint, err) : PECK_OK,
            err));
    }
    for (size_t i = 0; !is_apart && i < n; i++)
        TRY(train_member(r, i, 0, err));
    if (is_apart)
        TRY(pool_try(spec->pool, n, train_member, r, err));
    const bool was_stopped = atomic_load(&r->was_stopped);

    r->is_concluded = true;
    if (r->checkpoint != NULL)
        TRY(comm_agree(comm,
                       was_stopped || r->is_behind ? checkpoint_write(r->checkpoint, err)
                                                   : PECK_OK,
                       err));
    if (!was_stopped)
        return PECK_OK;
    for (size_t i = 0; i < n; i++)
        if (run_member(r, i).has_learnt)
            return fail(err, PECK_STOPPED,
                        "training was stopped; this is the best model so far");
    return fail(err, PECK_STOPPED,
                "training was stopped before anything was learnt; there is no model");
}

peck_status run_members(struct run **out, const struct run_spec *spec, peck_error *err)
{
    struct run *const r = mem_new(1, sizeof *r);

    *out = NULL;
    if (r == NULL)
        return fail_memory(err, "members", 1, sizeof *r);
    r->spec = *spec;
    atomic_init(&r->is_stopped, false);
    atomic_init(&r->was_stopped, false);
    const peck_status st = run_train(r, err);

    if (st == PECK_OK || st == PECK_STOPPED || (st == PECK_IO && r->is_concluded))
        *out = r;
    else
        run_free(r);
    return st;
}

void run_tell(const struct run *r, int (*progress)(void *ctx, const peck_epoch *e),
              void *ctx)
{
    const struct fit *const f = &r->fit[0];

    /* Whether to stop is not asked: there is nothing left to stop. */
    for (size_t i = 0; progress != NULL && i < f->reached[REACHED_EPOCH]; i++)
        (void)progress(ctx, &f->told[i]);
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

peck_status run_query_values(struct run *r, size_t i, bool is_last, double *total,
                             double *value, peck_error *err)
{
    struct fit *const f = &r->fit[i];

    return validator_query_values(&f->validator, is_last ? f->w : run_member(r, i).w, total,
                                  value, err);
}

peck_status run_tells_apart(bool *out, const struct run *r, peck_error *err)
{
    *out = false;
    for (size_t i = 0; !*out && i < r->spec.n_members; i++)
        TRY(train_data_tells_apart(out, r->spec.train_data, r->spec.plan,
                                   run_member(r, i).w, err));
    return PECK_OK;
}

void run_free(struct run *r)
{
    if (r == NULL)
        return;
    if (r->checkpoint != NULL)
        checkpoint_close(r->checkpoint);
    for (size_t i = 0; r->fit != NULL && i < r->spec.n_members; i++)
        fit_close(&r->fit[i]);
    for (size_t i = 0; r->own != NULL && i < r->spec.n_members; i++)
        pool_free(r->own[i]);
    arena_free(&r->arena);
    mem_free(r);
}
