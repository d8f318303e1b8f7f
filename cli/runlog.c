/* runlog.c -- see runlog.h.  The log has one JSON object a line and epoch; each line is
 * on its way to the disk before the next epoch begins.                              */
#include "runlog.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

peck_status runlog_open(struct runlog *l, struct talk *talk, const char *metric,
                        const char *path, int appends, peck_error *err)
{
    memset(l, 0, sizeof *l);
    l->talk = talk;
    l->metric = metric;
    l->path = path;
    if (path == NULL || (l->file = fopen(path, appends ? "a" : "w")) != NULL)
        return PECK_OK;
    return refuse(err, PECK_IO, "%.300s: cannot write it: %s", path, strerror(errno));
}

/* JSON has no NaN. */
static void write_number(FILE *to, const char *key, double value)
{
    if (isfinite(value))
        fprintf(to, ", \"%s\": %.9g", key, value);
    else
        fprintf(to, ", \"%s\": null", key);
}

/* What a method that chooses its pairs has to say of an iteration. */
static void write_choice(FILE *to, const peck_epoch *e)
{
    write_number(to, "train", e->train);
    fprintf(to, ", \"train_pairs\": %zu, \"valid_pairs\": %zu, \"inner_epochs\": %zu",
            e->n_train_pairs, e->n_valid_pairs, e->n_inner);
}

static void write_log(FILE *to, const peck_epoch *e)
{
    fprintf(to, "{\"member\": %zu, \"epoch\": %zu", e->member, e->epoch);
    write_number(to, "loss", e->loss);
    write_number(to, "valid", e->valid);
    write_number(to, "rate", e->rate);
    fprintf(to, ", \"best\": %s", e->is_best ? "true" : "false");
    if (e->chooses_pairs)
        write_choice(to, e);
    write_number(to, "seconds", e->seconds);
    fputs("}\n", to);
}

/* 75 -> "1:15" */
static void show_time(char *to, size_t room, double seconds)
{
    const unsigned long s = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 0;

    if (s >= 3600)
        snprintf(to, room, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(to, room, "%lu:%02lu", s / 60, s % 60);
}

/* At most so long: a net may stop early. */
static double time_left(const struct runlog *l, const peck_epoch *e)
{
    const double all = (double)e->n_epochs * (double)e->n_members;

    return e->seconds * (all / (double)l->n_done - 1);
}

/* "epoch 3/100, loss 0.21304, ndcg@10 0.4712, rate 0.003" */
static int show_epoch(const struct runlog *l, const peck_epoch *e, char *to, size_t room)
{
    char valid[64] = "";

    if (!isnan(e->valid))
        snprintf(valid, sizeof valid, ", %.40s %.4f", l->metric, e->valid);
    return snprintf(to, room, "epoch %zu/%zu, loss %.5f%s, rate %.2g", e->epoch,
                    e->n_epochs, e->loss, valid, e->rate);
}

/* "iteration 3/31, 20 epochs, pairs 1200 and 400, ndcg@10 0.5102 and 0.4712": of the
 * training data and of the validation data, where there is any */
static int show_iteration(const struct runlog *l, const peck_epoch *e, char *to,
                          size_t room)
{
    char valid[64] = "", pairs[64] = "";

    if (!isnan(e->valid)) {
        snprintf(valid, sizeof valid, " and %.4f", e->valid);
        snprintf(pairs, sizeof pairs, " and %zu", e->n_valid_pairs);
    }
    return snprintf(to, room, "iteration %zu/%zu, %zu epochs, pairs %zu%s, %.40s %.4f%s",
                    e->epoch, e->n_epochs, e->n_inner, e->n_train_pairs, pairs, l->metric,
                    e->train, valid);
}

static void show(const struct runlog *l, const peck_epoch *e)
{
    char text[512], what[320], net[64] = "", left[32];

    if (e->n_members > 1)
        snprintf(net, sizeof net, "net %zu/%zu, ", e->member + 1, e->n_members);
    (e->chooses_pairs ? show_iteration : show_epoch)(l, e, what, sizeof what);
    show_time(left, sizeof left, time_left(l, e));
    snprintf(text, sizeof text, "%s%s, %s left", net, what, left);
    talk_line(l->talk, text);
}

static void note(struct runlog *l, const peck_epoch *e)
{
    if (l->net == NULL) {
        l->net = calloc(e->n_members, sizeof *l->net);
        l->n_nets = l->net != NULL ? e->n_members : 0;
        l->is_short_of_memory = l->net == NULL;
    }
    if (e->member >= l->n_nets)
        return;
    l->net[e->member].n_epochs = e->epoch;
    if (e->is_best && !isnan(e->valid)) {
        l->net[e->member].best_epoch = e->epoch;
        l->net[e->member].valid = e->valid;
    }
}

int runlog_epoch(void *ctx, const peck_epoch *e)
{
    struct runlog *l = ctx;

    l->n_done++;
    note(l, e);
    if (l->file != NULL) {
        write_log(l->file, e);
        if (fflush(l->file) != 0 && l->log_error == 0)
            l->log_error = errno;
    }
    if (talk_is_due(l->talk))
        show(l, e);
    return talk_was_interrupted() || l->is_short_of_memory;
}

int runlog_interrupted(void *ctx)
{
    (void)ctx;
    return talk_was_interrupted();
}

void runlog_warning(void *ctx, const char *text)
{
    talk_warning(((struct runlog *)ctx)->talk, text);
}

/* "epochs", or "epochs_3" where there are several nets. */
static void put(const struct runlog *l, peck_report *to, const char *what, size_t i,
                size_t value)
{
    char name[64];

    if (l->n_nets > 1)
        snprintf(name, sizeof name, "%s_%zu", what, i + 1);
    else
        snprintf(name, sizeof name, "%s", what);
    peck_report_add_number(to, name, (double)value, 0);
}

void runlog_gain(void *ctx, const peck_rule_gain *g)
{
    struct runlog *l = ctx;
    const double value[] = { g->valid, g->gain, g->weight };
    static const char *const what[] = { "valid", "gain", "weight" };
    char name[128];

    if (l->gains == NULL && peck_report_new(&l->gains, NULL) != PECK_OK) {
        l->is_short_of_memory = 1;
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "rule_%s.%.60s", what[i], g->rule);
        peck_report_add_number(l->gains, name, value[i], 6);
    }
}

void runlog_report(const struct runlog *l, peck_report *to)
{
    char name[128];
    double sum = 0;
    size_t n = 0;

    if (l->gains != NULL)
        peck_report_add_all(to, "", l->gains);

    for (size_t i = 0; i < l->n_nets; i++) {
        const struct net *net = &l->net[i];

        put(l, to, "epochs", i, net->n_epochs);
        if (net->best_epoch == 0)
            continue;
        put(l, to, "best_epoch", i, net->best_epoch);
        sum += net->valid;
        n++;
    }
    snprintf(name, sizeof name, "valid_%.100s", l->metric);
    if (n > 0)
        peck_report_add_number(to, name, sum / (double)n, 6);
}

peck_status runlog_close(struct runlog *l, peck_error *err)
{
    FILE *const file = l->file;

    peck_report_free(l->gains);
    l->gains = NULL;
    free(l->net);
    l->net = NULL;
    l->n_nets = 0;
    l->file = NULL;
    if (l->is_short_of_memory)
        return refuse(err, PECK_NOMEM, "out of memory");
    if (file == NULL)
        return PECK_OK;
    if (fclose(file) != 0 && l->log_error == 0)
        l->log_error = errno;
    return l->log_error == 0 ? PECK_OK
                             : refuse(err, PECK_IO, "%.300s: cannot write it: %s", l->path,
                                      strerror(l->log_error));
}
