/* train_notes.c -- what a model says of where it came from: method, every setting that
 * shapes it, data, seed, the way its epochs went.  Neither threads, nor paths, nor times:
 * the same training gives the same bytes.                                            */
#include "train.h"

#include <inttypes.h>
#include <math.h>

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

static void print_prefs(const struct peck_prefs *p, uint64_t fingerprint, struct text *to)
{
    if (p != NULL)
        text_printf(to, "; %zu preferences, %016" PRIx64, p->n, fingerprint);
}

/* data_note and validation_note */
static void note_data(struct training_run *t)
{
    const peck_train_spec *const spec = t->spec;
    const struct peck_dataset *const d = spec->train;
    struct text *to = &t->data_note;

    text_init(to, LONGEST_NOTE);
    text_printf(to, "%zu documents, %zu queries, %zu features, %016" PRIx64, d->n_docs,
                d->n_queries, d->dim, t->fingerprint.train);
    print_prefs(spec->pairs, t->fingerprint.pairs, to);
    if (spec->unlabelled != NULL)
        text_printf(to, "; %zu unlabelled queries, %016" PRIx64,
                    spec->unlabelled->n_queries, t->fingerprint.unlabelled);
    to = &t->validation_note;
    text_init(to, LONGEST_NOTE);
    if (spec->valid != NULL) {
        text_printf(to, "given, %zu queries, %016" PRIx64, spec->valid->n_queries,
                    t->fingerprint.valid);
        print_prefs(spec->valid_pairs, t->fingerprint.valid_pairs, to);
    } else if (t->valid != NULL)
        text_printf(to, "held out by seed, %zu of %zu queries", t->valid->n_queries,
                    d->n_queries);
    else
        text_add_str(to, "none: the last epoch counts");
}

peck_status training_identify(struct training_run *t, peck_error *err)
{
    const char *const metric = metric_name(t);
    struct text *const to = &t->identity;

    note_data(t);
    if (t->convention_note.failed || t->data_note.failed || t->validation_note.failed)
        return no_room_for_notes(err);
    text_init(to, LONGEST_NOTE);
    text_printf(to, "peck %s; %s; ", PECK_VERSION, t->plan.recipe->plug.about.name);
    plan_print(&t->plan, to);
    if (plan_loss(&t->plan) != NULL)
        text_printf(to, "; loss %s", plan_loss(&t->plan));
    text_printf(to,
                "; seed %" PRIu64 "; members %zu; metric %s; %s; data %s; validation %s",
                t->spec->seed, t->n_members, metric, t->convention_note.s, t->data_note.s,
                t->validation_note.s);
    if (t->rule_weight != NULL) {
        text_add_str(to, "; rules ");
        training_print_rules(t, to);
    }
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
    text_add_str(to, t->data_note.s);
    TRY(take_note(notes, "data", to, err));
    if (t->rule_weight != NULL) {
        training_print_rules(t, to);
        TRY(take_note(notes, "rules", to, err));
    }
    if (t->rule_trials.len > 0) {
        text_add(to, t->rule_trials.s, t->rule_trials.len);
        TRY(take_note(notes, "rule trials", to, err));
        text_add_str(to, t->rules_taken);
        TRY(take_note(notes, "rules taken", to, err));
    }
    text_add_str(to, t->validation_note.s);
    TRY(take_note(notes, "validation", to, err));
    text_add_str(to, metric_name(t));
    TRY(take_note(notes, "metric", to, err));
    text_add_str(to, t->convention_note.s);
    TRY(take_note(notes, "convention", to, err));
    TRY(note_epochs(t, notes, "history", NOTE_HISTORY, to, err));
    if (run_member(t->run, 0).chooses_pairs) {
        TRY(note_epochs(t, notes, "pairs", NOTE_PAIRS, to, err));
        TRY(note_epochs(t, notes, "training metric", NOTE_TRAIN, to, err));
    }
    text_printf(to, "peck %s", PECK_VERSION);
    return take_note(notes, "trained by", to, err);
}

peck_status training_note(struct training_run *t, peck_error *err)
{
    struct text to;

    text_init(&to, LONGEST_NOTE);
    const peck_status st = note_all(t, &t->notes, &to, err);

    text_free(&to);
    return st;
}
