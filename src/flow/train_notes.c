/* train_notes.c -- what a model says of where it came from: method, every setting that
 * shapes it, data, seed, the way its epochs went.  Neither threads, nor paths, nor times:
 * the same training gives the same bytes.                                            */
#include "train.h"

#include <inttypes.h>
#include <math.h>

enum { LONGEST = 1 << 24 };
static peck_status no_room_for_notes(peck_error *err)
{
    return fail(err, PECK_NOMEM, "out of memory: no room for the notes of the model");
}

/* How epochs were chosen. */
static const char *metric_name(const struct training_run *t)
{
    return t->valid == NULL         ? "none"
           : t->valid_prefs != NULL ? "accuracy of preferences"
                                    : t->metric.item[0].name;
}

static void print_prefs(const struct peck_prefs *p, struct text *to)
{
    if (p != NULL)
        text_printf(to, "; %zu preferences, %016" PRIx64, p->n, prefs_fingerprint(p));
}

static void print_validation(const struct training_run *t, struct text *to)
{
    if (t->spec->valid != NULL) {
        text_printf(to, "given, %zu queries, %016" PRIx64, t->spec->valid->n_queries,
                    dataset_fingerprint(t->spec->valid));
        print_prefs(t->spec->valid_pairs, to);
    } else if (t->valid != NULL)
        text_printf(to, "held out by seed, %zu of %zu queries", t->valid->n_queries,
                    t->spec->train->n_queries);
    else
        text_add_str(to, "none: the last epoch counts");
}

static void print_data(const struct training_run *t, struct text *to)
{
    const struct peck_dataset *const d = t->spec->train;

    text_printf(to, "%zu documents, %zu queries, %zu features, %016" PRIx64, d->n_docs,
                d->n_queries, d->dim, dataset_fingerprint(d));
    print_prefs(t->spec->pairs, to);
    if (t->spec->unlabelled != NULL)
        text_printf(to, "; %zu unlabelled queries, %016" PRIx64,
                    t->spec->unlabelled->n_queries,
                    dataset_fingerprint(t->spec->unlabelled));
}

peck_status training_identify(struct training_run *t, peck_error *err)
{
    struct text *const to = &t->identity;

    text_init(to, LONGEST);
    text_printf(to, "peck %s; %s; ", PECK_VERSION, t->plan.recipe->plug.about.name);
    plan_print(&t->plan, to);
    if (plan_loss(&t->plan) != NULL)
        text_printf(to, "; loss %s", plan_loss(&t->plan));
    text_printf(to, "; seed %" PRIu64 "; members %zu; metric %s; ", t->spec->seed,
                t->n_members, metric_name(t));
    convention_print(&t->convention, to);
    text_add_str(to, "; data ");
    print_data(t, to);
    text_add_str(to, "; validation ");
    print_validation(t, to);
    if (t->rule_weight != NULL)
        text_add_str(to, "; rules ");
    training_print_rules(t, to);
    return to->failed ? no_room_for_notes(err) : PECK_OK;
}

/* A note whose text `to` holds; `to` is empty again afterwards. */
static peck_status take_note(struct notes *notes, const char *key, struct text *to,
                             peck_error *err)
{
    if (to->failed || !notes_add(notes, key, (peck_span){ to->s, to->len }))
        return no_room_for_notes(err);
    to->len = 0;
    return PECK_OK;
}

/* What is told of each epoch. */
enum epoch_note {
    NOTE_HISTORY, /* "best 3: 0.401 0.423 0.431 0.43": the metric, or the loss where there is
                   * no validation */
    NOTE_PAIRS,   /* "120:40 180:66": pairs of the training and of the validation data that
                   * were chosen so far */
    NOTE_TRAIN    /* "0.401 0.455": the metric on the training data */
};

/* One note a member: "history", or "history.2" where there are several. */
static peck_status note_epochs(const struct training_run *t, struct notes *notes,
                               const char *name, enum epoch_note what, struct text *to,
                               peck_error *err)
{
    const bool is_error =
        t->valid != NULL && t->valid_prefs == NULL && t->metric.item[0].metric->is_error;
    char key[64];

    for (size_t i = 0; i < t->n_members; i++) {
        const struct member m = run_member(t->run, i);

        if (m.n_epochs == 0)
            continue;
        snprintf(key, sizeof key, "%s", name);
        if (t->n_members > 1)
            snprintf(key, sizeof key, "%s.%zu", name, i + 1);
        if (what == NOTE_HISTORY)
            text_printf(to, "best %zu:", m.best);
        for (size_t e = 0; e < m.n_epochs; e++) {
            const struct epoch_record *const h = &m.history[e];
            const double value = what == NOTE_TRAIN ? h->train : h->valid;

            if (what == NOTE_HISTORY || e > 0)
                text_add_str(to, " ");
            if (what == NOTE_PAIRS)
                text_printf(to, "%.0f:%.0f", h->n_train_pairs, h->n_valid_pairs);
            else
                text_printf(to, "%.6g",
                            what == NOTE_HISTORY && isnan(value) ? h->loss
                            : is_error                           ? -value
                                                                 : value);
        }
        TRY(take_note(notes, key, to, err));
    }
    return PECK_OK;
}

static peck_status note_all(const struct training_run *t, struct notes *notes,
                            struct text *to, peck_error *err)
{
    text_add_str(to, t->plan.recipe->plug.about.name);
    TRY(take_note(notes, "method", to, err));
    plan_print(&t->plan, to);
    TRY(take_note(notes, "settings", to, err));
    if (plan_loss(&t->plan) != NULL) {
        text_printf(to, "%s, the caller's own", plan_loss(&t->plan));
        TRY(take_note(notes, "loss", to, err));
    }
    if (t->sizes.len > 0) {
        text_add(to, t->sizes.s, t->sizes.len);
        TRY(take_note(notes, "sizes", to, err));
    }
    text_printf(to, "%" PRIu64, t->spec->seed);
    TRY(take_note(notes, "seed", to, err));
    print_data(t, to);
    TRY(take_note(notes, "data", to, err));
    if (t->rule_weight != NULL) {
        training_print_rules(t, to);
        TRY(take_note(notes, "rules", to, err));
    }
    print_validation(t, to);
    TRY(take_note(notes, "validation", to, err));
    text_add_str(to, metric_name(t));
    TRY(take_note(notes, "metric", to, err));
    convention_print(&t->convention, to);
    TRY(take_note(notes, "convention", to, err));
    TRY(note_epochs(t, notes, "history", NOTE_HISTORY, to, err));
    if (run_member(t->run, 0).chooses_pairs) {
        TRY(note_epochs(t, notes, "pairs", NOTE_PAIRS, to, err));
        TRY(note_epochs(t, notes, "training metric", NOTE_TRAIN, to, err));
    }
    text_printf(to, "peck %s", PECK_VERSION);
    return take_note(notes, "trained by", to, err);
}

peck_status training_note(const struct training_run *t, struct notes *notes,
                          peck_error *err)
{
    struct text to;

    text_init(&to, LONGEST);
    const peck_status st = note_all(t, notes, &to, err);

    text_free(&to);
    return st;
}
