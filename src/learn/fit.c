/* fit.c -- see fit.h. */
#include "fit.h"

#include "../base/alloc.h"
#include "../base/finite.h"

#include <math.h>

peck_status fit_open(struct fit *f, const struct task *task, peck_error *err)
{
    const struct plan *const plan = task->plan;

    *f = (struct fit){ .task = *task, .learner = plan->recipe->learner };
    f->w = f->task.w = mem_new(plan->n_weights, sizeof *f->w);
    f->best = mem_new(plan->n_weights, sizeof *f->best);
    f->self = mem_new(1, f->learner->self_size);
    if (f->w == NULL || f->best == NULL || f->self == NULL)
        return fail_memory(err, "weights", plan->n_weights, 2 * sizeof *f->w);
    TRY(f->learner->open(f->self, &f->task, &f->stopping, err));
    const struct validator_spec how = { .given = f->learner->valid_scores != NULL
                                                     ? f->learner->valid_scores(f->self)
                                                     : NULL };

    TRY(validator_open(&f->validator, &f->task, &how, err));
    f->history = mem_new(f->stopping.n_epochs, sizeof *f->history);
    if (f->history == NULL)
        return fail_memory(err, "the history of epochs", f->stopping.n_epochs,
                           sizeof *f->history);
    return PECK_OK;
}

void fit_close(struct fit *f)
{
    if (f->self != NULL && f->learner->close != NULL)
        f->learner->close(f->self);
    validator_close(&f->validator);
    mem_free(f->self);
    mem_free(f->w);
    mem_free(f->best);
    mem_free(f->history);
    *f = (struct fit){ 0 };
}

/* Without a value, the last epoch is the best. */
static bool fit_is_better(const struct fit *f, double value)
{
    const uint64_t best = f->reached[REACHED_BEST];

    return best == 0 || f->stopping.is_last_best || isnan(value) ||
           value > f->history[best - 1].valid || isnan(f->history[best - 1].valid);
}

static bool is_at_end(const struct fit *f)
{
    const uint64_t done = f->reached[REACHED_EPOCH];

    return done >= f->stopping.n_epochs ||
           (f->stopping.patience > 0 &&
            done - f->reached[REACHED_BEST] >= f->stopping.patience);
}

/* Those that matter: trees may fill only a part of their memory. */
static size_t used_weights(const struct fit *f)
{
    const struct plan *const plan = f->task.plan;
    const struct family *const family = plan->recipe->family;

    return family->used != NULL ? family->used(plan->shape, f->w) : plan->n_weights;
}

static peck_status one_epoch(struct fit *f, bool *is_best, peck_error *err)
{
    const size_t epoch = f->reached[REACHED_EPOCH] + 1;
    struct epoch_stats *const stats = &f->stats;
    double value;

    *stats = (struct epoch_stats){ .train = (double)NAN };
    TRY(f->learner->epoch(f->self, epoch, stats, err));
    TRY(validator_value(&f->validator, f->w, &value, err));
    *is_best = fit_is_better(f, value);
    f->history[epoch - 1] = (struct epoch_record){
        stats->loss,           stats->rate, value, stats->train, (double)stats->n_train,
        (double)stats->n_valid
    };
    f->reached[REACHED_EPOCH] = epoch;
    if (*is_best) {
        f->reached[REACHED_BEST] = epoch;
        memcpy(f->best, f->w, used_weights(f) * sizeof *f->best);
    }
    f->reached[REACHED_END] = stats->is_last || is_at_end(f);
    return PECK_OK;
}

peck_status fit_run(struct fit *f, fit_watch *watch, void *ctx, peck_error *err)
{
    while (!f->reached[REACHED_END]) {
        bool is_best = false;

        TRY(one_epoch(f, &is_best, err));
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

/* What a file says --------------------------------------------------------------------- */

/* A member that has finished an epoch has a best one, and is at its end or before it. */
static bool are_counts(const struct fit *f)
{
    const uint64_t done = f->reached[REACHED_EPOCH], best = f->reached[REACHED_BEST];

    return done >= 1 && done <= f->stopping.n_epochs && best >= 1 && best <= done &&
           (f->reached[REACHED_END] == 1 ||
            (f->reached[REACHED_END] == 0 && !is_at_end(f)));
}

/* Losses and values may be missing; nothing is infinite. */
static bool is_record(const struct epoch_record *e)
{
    return !isinf(e->loss) && isfinite(e->rate) && !isinf(e->valid) && !isinf(e->train) &&
           isfinite(e->n_train_pairs) && e->n_train_pairs >= 0.0 &&
           isfinite(e->n_valid_pairs) && e->n_valid_pairs >= 0.0;
}

static bool is_finite(const struct kept *k)
{
    return k->type == TENSOR_F32   ? floats_are_finite(k->data, k->n)
           : k->type == TENSOR_F64 ? doubles_are_finite(k->data, k->n)
                                   : true;
}

peck_status fit_check(struct fit *f, peck_error *err)
{
    const struct plan *const plan = f->task.plan;
    const struct family *const family = plan->recipe->family;
    struct kept kept[MAX_KEPT + 4];
    const size_t n = fit_keep(f, kept);

    if (!are_counts(f))
        return fail(err, PECK_FORMAT, "it counts epochs that cannot be");
    for (size_t e = 0; e < f->reached[REACHED_EPOCH]; e++)
        if (!is_record(&f->history[e]))
            return fail(err, PECK_FORMAT, "what it says of epoch %zu cannot be", e + 1);
    for (size_t k = 0; k < n; k++)
        if (kept[k].data != (void *)f->history && !is_finite(&kept[k]))
            return fail(err, PECK_FORMAT, "'%s' holds what is no finite number",
                        kept[k].name);
    if (family->check != NULL) {
        TRY(family->check(plan->shape, f->w, plan->n_weights, err));
        TRY(family->check(plan->shape, f->best, plan->n_weights, err));
    }
    return f->learner->check != NULL
               ? f->learner->check(f->self, f->reached[REACHED_EPOCH], err)
               : PECK_OK;
}
