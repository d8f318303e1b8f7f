/* cv_train.c -- grids of settings, and the trainings of a cross-validation, side by side.
 *
 * Every training is a job: a method on a fold at a point of the grid (on an inner fold
 * while inner folds choose).  Each job writes to its own place, and what is chosen
 * depends on values and places alone, so it is the same at any thread count.         */
#include "select.h"
#include "../train/train.h"

#include "../base/alloc.h"
#include "../base/number.h"

#include <math.h>
#include <pthread.h>

/* Grids: points of settings; the last axis turns fastest --------------------------------- */

enum { MAX_POINTS = 100000 };
#define RULE_PREFIX "rules."

bool method_has(const char *method, peck_span key)
{
    peck_param p;

    for (size_t i = 0; peck_param_at(PECK_METHOD, method, i, &p); i++)
        if (span_is(key, p.key))
            return true;
    return span_is(key, "norm");
}

bool is_rule_key(peck_span key)
{
    return span_is(key, "rules-weight") ||
           (key.n > strlen(RULE_PREFIX) &&
            memcmp(key.s, RULE_PREFIX, strlen(RULE_PREFIX)) == 0);
}

peck_span pair_key(const char *pair)
{
    const char *const equals = strchr(pair, '=');

    return (peck_span){ pair, equals != NULL ? (size_t)(equals - pair) : 0 };
}

/* The axes "key=a,b,c" whose key the method has. */
static peck_status add_axes(struct grid *g, const char *const *specs, const char *method,
                            peck_error *err)
{
    for (size_t i = 0; specs != NULL && specs[i] != NULL; i++) {
        struct grid_axis *const axis = &g->axis[g->n_axes];
        const peck_span key = pair_key(specs[i]);

        if (key.n == 0)
            return fail(err, PECK_ARG, "grid '%.100s': give KEY=A,B,C", specs[i]);
        for (size_t a = 0; a < g->n_axes; a++)
            if (span_equal(key, g->axis[a].key))
                return fail(err, PECK_ARG, "the grid has '%.*s' twice", SPAN_ARGS(key));
        if (!method_has(method, key) && !is_rule_key(key))
            continue;
        *axis = (struct grid_axis){ key, g->value.n, 0 };
        g->n_axes++;
        for (const char *at = specs[i] + key.n; *at != '\0';) {
            const size_t length = strcspn(++at, ",");

            if (length == 0)
                return fail(err, PECK_ARG,
                            "grid '%.100s': a value is empty; give KEY=A,B,C", specs[i]);
            if (!strings_add(&g->value, (peck_span){ at, length }))
                return fail_memory(err, "the grid", g->value.n, length);
            axis->n++;
            at += length;
        }
        if (axis->n > MAX_POINTS / g->n_points)
            return fail(err, PECK_ARG, "the grid has more than %d points", MAX_POINTS);
        g->n_points *= axis->n;
    }
    return PECK_OK;
}

peck_status grid_open(struct grid *g, const char *const *specs, const char *method,
                      peck_error *err)
{
    size_t n = 0;

    *g = (struct grid){ .n_points = 1 };
    while (specs != NULL && specs[n] != NULL)
        n++;
    if ((g->axis = mem_new(n, sizeof *g->axis)) == NULL)
        return fail_memory(err, "the grid", n, sizeof *g->axis);
    const peck_status st = add_axes(g, specs, method, err);

    if (st != PECK_OK)
        grid_close(g);
    return st;
}

void grid_close(struct grid *g)
{
    mem_free(g->axis);
    strings_free(&g->value);
    *g = (struct grid){ 0 };
}

/* Points --------------------------------------------------------------------------- */

/* The value that axis a has at a point. */
static peck_span grid_value(const struct grid *g, size_t point, size_t a)
{
    for (size_t later = g->n_axes; later-- > a + 1;)
        point /= g->axis[later].n;
    return strings_get(&g->value, g->axis[a].first + point % g->axis[a].n);
}

void grid_describe(const struct grid *g, size_t point, struct text *to)
{
    for (size_t a = 0; a < g->n_axes; a++) {
        const peck_span key = g->axis[a].key, value = grid_value(g, point, a);

        text_add_str(to, a > 0 ? " " : "");
        text_add(to, key.s, key.n);
        text_add_str(to, "=");
        text_add(to, value.s, value.n);
    }
}

/* The texts of the point lie in one block, into which settings[] points; those of the base
 * stay the caller's. */
peck_status point_settings_open(struct point_settings *c, const struct grid *g,
                                size_t point, const char *method, const char *const *base,
                                const char *norm, peck_error *err)
{
    size_t *const at = mem_new(g->n_axes, sizeof *at), n_base = 0, n = 0, n_of_rules = 0;
    struct text text;

    text_init(&text, (size_t)1 << 24);
    while (base != NULL && base[n_base] != NULL)
        n_base++;
    *c = (struct point_settings){
        .settings = mem_new(n_base + g->n_axes + 1, sizeof *c->settings),
        .norm = norm,
        .of_rules = mem_new(g->n_axes + 1, sizeof *c->of_rules),
    };
    for (size_t a = 0; at != NULL && a < g->n_axes; a++) {
        const peck_span key = g->axis[a].key, value = grid_value(g, point, a);

        /* "key=value" begins here; of "norm" and "rules-weight" the value alone. */
        at[a] = text.len;
        if (!span_is(key, "norm") && !span_is(key, "rules-weight")) {
            const size_t skipped = is_rule_key(key) ? strlen(RULE_PREFIX) : 0;

            text_add(&text, key.s + skipped, key.n - skipped);
            text_add_str(&text, "=");
        }
        text_add(&text, value.s, value.n);
        text_add(&text, "", 1);
    }
    if (at == NULL || c->settings == NULL || c->of_rules == NULL || text.failed) {
        text_free(&text);
        mem_free(at);
        point_settings_close(c);
        return fail_memory(err, "the settings", n_base + g->n_axes, sizeof *c->settings);
    }
    /* The base first: a later setting wins. */
    for (size_t i = 0; i < n_base; i++)
        if (method_has(method, pair_key(base[i])))
            c->settings[n++] = base[i];
    for (size_t a = 0; a < g->n_axes; a++)
        if (span_is(g->axis[a].key, "norm"))
            c->norm = text.s + at[a];
        else if (span_is(g->axis[a].key, "rules-weight"))
            c->rules_weight = text.s + at[a];
        else if (is_rule_key(g->axis[a].key))
            c->of_rules[n_of_rules++] = text.s + at[a];
        else
            c->settings[n++] = text.s + at[a];
    c->text = text.s;
    mem_free(at);
    return PECK_OK;
}

void point_settings_close(struct point_settings *c)
{
    mem_free(c->settings);
    mem_free(c->of_rules);
    mem_free(c->text);
    *c = (struct point_settings){ 0 };
}

peck_status point_rules(peck_train_spec *t, const struct point_settings *c,
                        peck_rules **own, peck_error *err)
{
    const char *const weight = c->rules_weight;

    const bool is_best = weight != NULL && strcmp(weight, "best") == 0;

    if (is_best)
        t->rules_weight = 0.0; /* found by trials */
    else if (weight != NULL && strcmp(weight, "auto") == 0)
        t->rules_weight = -1.0;
    else if (weight != NULL && (!number_parse(span_of(weight), &t->rules_weight) ||
                                !(t->rules_weight >= 0.0)))
        return fail(err, PECK_ARG,
                    "rules-weight=%.60s: give best, auto, or a number from 0 on", weight);
    if (weight != NULL && !is_best && t->rules_weight == 0.0) {
        t->rules = NULL;
        t->unlabelled = NULL;
    }
    if (t->rules == NULL || c->of_rules[0] == NULL)
        return PECK_OK;
    TRY(peck_rules_with(own, t->rules, c->of_rules, err));
    t->rules = *own;
    return PECK_OK;
}

/* Jobs and what they share ---------------------------------------------------------------- */

struct job {
    size_t cell, point, inner; /* inner: from 0; NO_INNER: the fold itself */
    double value;              /* on the data that chooses; NaN: there is none */
    double share;              /* of it that is done */
    bool warns;                /* one job of a method does: the others say the same */
};
#define NO_INNER SIZE_MAX

/* What the jobs share. */
struct job_set {
    struct cv *cv;
    struct job *job;
    size_t n_jobs, n_own; /* ... and those of this rank */
    int threads_each;
    pthread_mutex_t lock;
    /* Under the lock: */
    double done;      /* jobs, in shares */
    bool is_stopping; /* on request */
    size_t failed;    /* the first job that failed; n_jobs: none */
    peck_error why;
};

/* A job at work. */
struct job_run {
    struct job_set *set;
    struct job *job;
};

/* By the first metric. */
static bool is_better(const struct cv *cv, double a, double b)
{
    return cv->is_error ? a < b : a > b;
}

static size_t points_of(const struct cv *cv, size_t cell)
{
    return cv->grid[cell / cv->spec->n_folds].n_points;
}

/* One training ------------------------------------------------------------------------ */

/* Under the lock.  A failure stops those behind it alone, so that the first one is told
 * whoever is quicker. */
static bool must_stop(const struct job_run *h)
{
    return h->set->is_stopping || h->set->failed < (size_t)(h->job - h->set->job);
}

/* A job counts 1; an epoch adds its share of it, at most up to 1. */
static int on_epoch(void *ctx, const peck_epoch *e)
{
    struct job_run *const h = ctx;
    struct job_set *const c = h->set;
    const peck_cv_spec *const spec = c->cv->spec;
    const double step = 1.0 / ((double)e->n_epochs * (double)e->n_members);

    pthread_mutex_lock(&c->lock);
    if (h->job->share + step <= 1) {
        h->job->share += step;
        c->done += step;
    }
    if (spec->progress != NULL && spec->progress(spec->ctx, c->done / (double)c->n_own))
        c->is_stopping = true;
    const bool stops = must_stop(h);

    pthread_mutex_unlock(&c->lock);
    return stops;
}

/* An interrupt of the whole, or an earlier job's failure. */
static int is_stopping(void *ctx)
{
    const struct job_run *const h = ctx;
    struct job_set *const c = h->set;
    const peck_cv_spec *const spec = c->cv->spec;

    pthread_mutex_lock(&c->lock);
    if (!c->is_stopping && spec->train->interrupted != NULL)
        c->is_stopping = spec->train->interrupted(spec->train->ctx) != 0;
    const bool stops = must_stop(h);

    pthread_mutex_unlock(&c->lock);
    return stops;
}

/* What one fold says need not be true of all. */
static void on_warning(void *ctx, const char *text)
{
    struct job_run *const h = ctx;
    const struct cv *const cv = h->set->cv;
    const peck_train_spec *const t = cv->spec->train;
    char told[sizeof((peck_error *)NULL)->text];

    snprintf(told, sizeof told, "fold %zu: %s", h->job->cell % cv->spec->n_folds + 1, text);
    pthread_mutex_lock(&h->set->lock);
    t->warn(t->ctx, told);
    pthread_mutex_unlock(&h->set->lock);
}

/* What a job learns from, and chooses its epoch by. */
struct job_data {
    const peck_dataset *train, *valid;
    const peck_prefs *pairs, *valid_pairs;
};

/* One training at the job's point.  It may use the threads that the jobs leave over, and hears
 * of interrupts through the job set. */
static peck_status train_at(peck_model **out, struct job_run *h, const struct job_data *d,
                            peck_error *err)
{
    const struct cv *const cv = h->set->cv;
    const size_t m = h->job->cell / cv->spec->n_folds;
    const char *const method = cv->method[m];
    peck_train_spec t = *cv->spec->train;
    struct point_settings chosen;
    peck_rules *own_rules = NULL;

    *out = NULL;
    TRY(point_settings_open(&chosen, &cv->grid[m], h->job->point, method, t.settings,
                            t.norm, err));
    t.method = method;
    t.settings = chosen.settings;
    t.norm = chosen.norm;
    t.train = d->train;
    t.valid = d->valid;
    t.pairs = d->pairs;
    t.valid_pairs = cv->by_pairs ? d->valid_pairs : NULL;
    t.valid_split = -1;
    t.metric = cv->plan.metrics.item[0].name;
    t.own_metrics = cv->spec->judge->own_metrics;
    t.convention = cv->spec->judge->convention;
    t.threads = h->set->threads_each;
    t.checkpoint = NULL;
    t.resume = 0;
    t.interrupted = is_stopping;
    t.progress = on_epoch;
    t.gained = NULL; /* who hears of a hundred trainings side by side? */
    t.tried = NULL;
    t.weighed = NULL;
    t.warn = t.warn != NULL && h->job->warns ? on_warning : NULL;
    t.ctx = h;
    peck_status st = point_rules(&t, &chosen, &own_rules, err);

    if (st == PECK_OK)
        st = train_knowing(out, &t, err);
    if (st != PECK_OK) { /* also the best so far of one that was stopped */
        peck_model_free(*out);
        *out = NULL;
    }
    point_settings_close(&chosen);
    if (own_rules != NULL) /* a point of the grid that says how they count */
        peck_rules_free(own_rules);
    return st;
}

double agreement(const peck_prefs *p, const double *score)
{
    double right = 0.0, all = 0.0;

    for (size_t i = 0; i < p->n; i++) {
        const peck_pref *const pref = &p->pref[i];
        const double side = (double)pref->probability - 0.5;
        const double agrees = (score[pref->winner] - score[pref->loser]) * side;

        if (side == 0.0) /* it takes no side */
            continue;
        all += (double)pref->weight;
        right += (double)pref->weight * (agrees > 0.0 ? 1.0 : agrees == 0.0 ? 0.5 : 0.0);
    }
    return all > 0.0 ? right / all : (double)NAN;
}

/* By one thread, with a plan of its own: jobs measure side by side. */
peck_status cv_measure(double *value, const struct cv *cv, const peck_model *m,
                       const peck_dataset *d, const peck_prefs *pairs, peck_error *err)
{
    const peck_judge_spec how = { .metrics = cv->plan.metrics.item[0].name,
                                  .convention = cv->spec->judge->convention,
                                  .seed = cv->plan.seed,
                                  .threads = 1,
                                  .own_metrics = cv->spec->judge->own_metrics };
    double *const score = mem_new(d->n_docs, sizeof *score);
    struct judge_plan plan = { 0 };
    struct verdict v = { 0 };
    peck_status st;

    if (score == NULL)
        return fail_memory(err, "the scores", d->n_docs, sizeof *score);
    st = judge_plan_open(&plan, &how, NULL, err);
    if (st == PECK_OK)
        st = peck_model_score(m, d, 1, score, err);
    if (st == PECK_OK && !cv->by_pairs)
        st = judge_dataset(&v, d, score, &plan, err);
    *value = st != PECK_OK  ? (double)NAN
             : cv->by_pairs ? agreement(pairs, score)
                            : v.total[0];
    verdict_free(&v);
    judge_plan_close(&plan);
    mem_free(score);
    return st;
}

/* Jobs -------------------------------------------------------------------------------- */

/* Trains on the other inner folds and measures on this one. */
static peck_status try_inner(struct job_run *h, peck_error *err)
{
    enum { TRAIN, VALID, TEST, N_PARTS };
    static const char *const name[N_PARTS] = { "train", "valid", "test" };
    const struct cv *const cv = h->set->cv;
    const peck_cv_spec *const spec = cv->spec;
    const struct fold_split *const whole = &cv->split[h->job->cell % spec->n_folds];
    const size_t k = spec->inner, at = h->job->inner;
    const uint64_t seed = spec->train->seed;
    peck_dataset *part[N_PARTS] = { NULL };
    peck_prefs *pairs[N_PARTS] = { NULL };
    peck_model *model = NULL;
    peck_status st = PECK_OK;

    for (size_t p = 0; p < N_PARTS && st == PECK_OK; p++) {
        if (p == VALID && k == 2)
            continue;
        st = peck_dataset_fold(&part[p], whole->train, k, at, name[p], seed, err);
        if (st == PECK_OK && whole->pairs != NULL)
            st = peck_prefs_fold(&pairs[p], whole->pairs, whole->train, k, at, name[p],
                                 seed, err);
    }
    if (st == PECK_OK)
        st = train_at(
            &model, h,
            &(struct job_data){ part[TRAIN], part[VALID], pairs[TRAIN], pairs[VALID] },
            err);
    if (st == PECK_OK)
        st = cv_measure(&h->job->value, cv, model, part[TEST], pairs[TEST], err);
    peck_model_free(model);
    for (size_t p = 0; p < N_PARTS; p++) {
        peck_dataset_free(part[p]);
        peck_prefs_free(pairs[p]);
    }
    return st;
}

/* Keeps the better of two models of a cell; of equals the earlier point. */
static peck_status try_fold(struct job_run *h, peck_error *err)
{
    struct cv *const cv = h->set->cv;
    const struct job *const job = h->job;
    const struct fold_split *const p = &cv->split[job->cell % cv->spec->n_folds];
    struct cell *const c = &cv->cell[job->cell];
    peck_model *model = NULL;

    TRY(train_at(&model, h,
                 &(struct job_data){ p->train, p->valid, p->pairs, p->valid_pairs }, err));
    if (p->valid != NULL) {
        const peck_status st =
            cv_measure(&h->job->value, cv, model, p->valid, p->valid_pairs, err);

        if (st != PECK_OK) {
            peck_model_free(model);
            return st;
        }
    }
    pthread_mutex_lock(&h->set->lock);
    if (c->model == NULL || is_better(cv, job->value, c->value) ||
        (!is_better(cv, c->value, job->value) && job->point < c->point)) {
        peck_model *const other = c->model;

        c->model = model;
        c->value = job->value;
        c->point = job->point;
        model = other;
    }
    pthread_mutex_unlock(&h->set->lock);
    peck_model_free(model);
    return PECK_OK;
}

/* Job i of a rank's own.  A failure is kept and stops those behind it; of several, that of the
 * first job is told. */
static void run_job(void *ctx, size_t i_own, int worker)
{
    struct job_set *const c = ctx;
    const peck_comm *const comm = c->cv->spec->comm;
    const size_t i = comm_rank(comm) + i_own * comm_ranks(comm);
    struct job_run h = { c, &c->job[i] };
    peck_error err = { 0 };

    (void)worker;
    if (is_stopping(&h))
        return;
    peck_status st = h.job->inner != NO_INNER ? try_inner(&h, &err) : try_fold(&h, &err);

    /* A point at which training runs away is a bad point; a method without another point has
     * failed. */
    if (st == PECK_DIVERGED && points_of(c->cv, h.job->cell) > 1 &&
        (c->cv->spec->inner == 0 || h.job->inner != NO_INNER)) {
        h.job->value = (c->cv->is_error ? 1 : -1) * (double)INFINITY;
        st = PECK_OK;
    }
    pthread_mutex_lock(&c->lock);
    if (st == PECK_OK && h.job->inner == NO_INNER)
        c->cv->cell[h.job->cell].n_left--;
    c->done += 1 - h.job->share;
    h.job->share = 1;
    if (st != PECK_OK && st != PECK_STOPPED && i < c->failed) {
        c->failed = i;
        c->why = err;
        c->why.status = st;
    }
    pthread_mutex_unlock(&c->lock);
}

/* Ranks ------------------------------------------------------------------------------- */

/* The values of a rank's own jobs. */
static void tell_values(void *ctx, void *state)
{
    const struct job_set *const c = ctx;
    const peck_comm *const comm = c->cv->spec->comm;
    double *const value = state;

    for (size_t i = comm_rank(comm); i < c->n_jobs; i += comm_ranks(comm))
        value[i] = c->job[i].value;
}

/* What a rank has of a cell. */
struct cell_told {
    double value;
    uint64_t point, n_done, has_model;
};

/* The best model of a cell, of those that ranks have: as try_fold chooses, to all. */
static peck_status share_cell(struct cv *cv, struct cell *c, size_t n_trainings,
                              peck_error *err)
{
    const peck_comm *const comm = cv->spec->comm;
    const size_t ranks = comm_ranks(comm), rank = comm_rank(comm);
    struct cell_told *const told = mem_new(ranks, sizeof *told), *best = NULL;
    size_t *const first = mem_new(ranks + 1, sizeof *first), n_done = 0;
    peck_bytes bytes = { NULL, 0 };
    peck_status st = told != NULL && first != NULL
                         ? PECK_OK
                         : fail_memory(err, "models of ranks", ranks, sizeof *told);

    if (st == PECK_OK) {
        told[rank] = (struct cell_told){ c->value, c->point, n_trainings - c->n_left,
                                         c->model != NULL };
        for (size_t r = 0; r <= ranks; r++)
            first[r] = r;
        st = comm_share(comm, told, first, sizeof *told, err);
    }
    for (size_t r = 0; st == PECK_OK && r < ranks; r++) {
        n_done += (size_t)told[r].n_done;
        if (told[r].has_model &&
            (best == NULL || is_better(cv, told[r].value, best->value) ||
             (!is_better(cv, best->value, told[r].value) && told[r].point < best->point)))
            best = &told[r];
    }
    if (st == PECK_OK)
        c->n_left = n_trainings - n_done;
    if (st == PECK_OK && best != NULL) {
        const size_t from = (size_t)(best - told);
        uint64_t n = 0;

        if (from == rank)
            st = peck_model_pack(&bytes, c->model, err);
        n = bytes.n;
        st = comm_agree(comm, st, err);
        if (st == PECK_OK)
            st = comm_broadcast(comm, &n, sizeof n, from, err);
        char *const room = st == PECK_OK && from != rank ? mem_new(n, 1) : NULL;

        if (st == PECK_OK && from != rank && room == NULL)
            st = fail_memory(err, "a model", n, 1);
        if (st == PECK_OK)
            st = comm_broadcast(comm, from == rank ? bytes.s : room, n, from, err);
        if (st == PECK_OK && from != rank) {
            peck_model_free(c->model);
            c->model = NULL;
            st = peck_model_unpack(&c->model, room, n, err);
        }
        c->value = best->value;
        c->point = (size_t)best->point;
        mem_free(room);
        peck_bytes_free(&bytes);
    }
    mem_free(told);
    mem_free(first);
    return st;
}

/* Runs jobs side by side; threads that are left over help inside.  Ranks deal the jobs, and
 * all of them have all values afterwards. */
static peck_status run_jobs(struct cv *cv, struct job *job, size_t n_jobs, peck_error *err)
{
    const peck_comm *const comm = cv->spec->comm;
    const size_t ranks = comm_ranks(comm), rank = comm_rank(comm);
    const size_t n_own = n_jobs > rank ? (n_jobs - rank - 1) / ranks + 1 : 0;
    const int size = pool_size(cv->plan.pool);
    struct job_set c = {
        .cv = cv, .job = job, .n_jobs = n_jobs, .n_own = n_own, .failed = n_jobs
    };

    c.threads_each = n_own > 0 && (size_t)size > n_own ? size / (int)n_own : 1;
    if (pthread_mutex_init(&c.lock, NULL) != 0)
        return fail(err, PECK_NOMEM, "out of memory: no room for a lock");
    pool_run(cv->plan.pool, n_own, run_job, &c);
    pthread_mutex_destroy(&c.lock);
    peck_status st = c.failed < n_jobs ? fail_again(err, &c.why)
                     : c.is_stopping   ? fail(err, PECK_STOPPED, "stopped on request")
                                       : PECK_OK;

    if (!comm_is_shared(comm))
        return st;
    double *const value = mem_new(n_jobs, sizeof *value);

    if (st == PECK_OK && value == NULL)
        st = fail_memory(err, "values of jobs", n_jobs, sizeof *value);
    st = comm_agree(comm, st, err);
    if (st == PECK_OK)
        st = comm_in_turn(comm, value, n_jobs * sizeof *value, tell_values, &c, err);
    for (size_t i = 0; st == PECK_OK && i < n_jobs; i++)
        job[i].value = value[i];
    mem_free(value);
    return st;
}

/* A grid of one point leaves inner folds nothing to choose. */
static size_t points_to_try(const struct cv *cv, size_t cell)
{
    const size_t n = points_of(cv, cell);

    return n > 1 ? n : 0;
}

/* All inner folds at all points; the mean decides, of equals the earlier point. */
static peck_status choose_inside(struct cv *cv, peck_error *err)
{
    const size_t k = cv->spec->inner;
    size_t n = 0, at = 0;

    for (size_t cell = 0; cell < cv->n_cells; cell++)
        n += points_to_try(cv, cell) * k;
    struct job *const job = mem_new(n, sizeof *job);

    if (job == NULL)
        return fail_memory(err, "the jobs", n, sizeof *job);
    for (size_t cell = 0; cell < cv->n_cells; cell++)
        for (size_t p = 0; p < points_to_try(cv, cell); p++)
            for (size_t i = 0; i < k; i++)
                job[at++] = (struct job){
                    .cell = cell, .point = p, .inner = i, .value = (double)NAN
                };
    const peck_status st = n > 0 ? run_jobs(cv, job, n, err) : PECK_OK;

    at = 0;
    for (size_t cell = 0; cell < cv->n_cells; cell++)
        for (size_t p = 0; p < points_to_try(cv, cell); p++) {
            double sum = 0;

            for (size_t i = 0; i < k; i++)
                sum += job[at++].value;
            if (p == 0 || is_better(cv, sum, cv->cell[cell].value)) {
                cv->cell[cell].value = sum;
                cv->cell[cell].point = p;
            }
        }
    mem_free(job);
    return st;
}

/* Every cell at its chosen point, or at all points when validation data chooses. */
static peck_status train_folds(struct cv *cv, peck_error *err)
{
    const bool is_chosen = cv->spec->inner > 0;
    size_t n = 0, at = 0;

    for (size_t cell = 0; cell < cv->n_cells; cell++)
        n += is_chosen ? 1 : points_of(cv, cell);
    struct job *const job = mem_new(n, sizeof *job);

    if (job == NULL)
        return fail_memory(err, "the jobs", n, sizeof *job);
    for (size_t cell = 0; cell < cv->n_cells; cell++) {
        const size_t first = is_chosen ? cv->cell[cell].point : 0;
        const size_t end = is_chosen ? first + 1 : points_of(cv, cell);

        cv->cell[cell].n_left = end - first;
        for (size_t p = first; p < end; p++)
            job[at++] =
                (struct job){ .cell = cell,
                              .point = p,
                              .inner = NO_INNER,
                              .value = (double)NAN,
                              .warns = p == first && cell % cv->spec->n_folds == 0 };
    }
    peck_status st = run_jobs(cv, job, n, err);

    for (size_t cell = 0;
         st == PECK_OK && comm_is_shared(cv->spec->comm) && cell < cv->n_cells; cell++)
        st = share_cell(cv, &cv->cell[cell], is_chosen ? 1 : points_of(cv, cell), err);
    mem_free(job);
    return st;
}

peck_status cv_train(struct cv *cv, peck_error *err)
{
    if (cv->spec->inner > 0)
        TRY(choose_inside(cv, err));
    TRY(train_folds(cv, err));
    for (size_t i = 0; i < cv->n_cells; i++)
        if (cv->cell[i].model == NULL)
            return fail(err, PECK_DIVERGED,
                        "%s diverged at every point of the grid on fold %zu; lower its "
                        "learning rate",
                        cv->method[i / cv->spec->n_folds], i % cv->spec->n_folds + 1);
    return PECK_OK;
}
