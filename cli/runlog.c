/* runlog.c -- see runlog.h.  The log has one JSON object a line and epoch; each line is
 * on its way to the disk before the next epoch begins.  So it is no file that appears
 * whole at the end, but one that holds whole lines at any time.                      */
#define _XOPEN_SOURCE 700 /* realpath, fmemopen */
#include "runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the log ends; 0 where it has no end, being no file. */
static off_t log_size(const struct runlog *l)
{
    struct stat st;

    return fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
}

/* Appends, so that nothing of an old log is lost before the first line of the new one is safe. */
peck_status runlog_open(struct runlog *l, struct talk *talk, const char *metric,
                        const char *path, int resumes, peck_error *err)
{
    struct stat st;

    memset(l, 0, sizeof *l);
    l->fd = -1;
    l->talk = talk;
    l->metric = metric;
    l->path = path;
    l->resumes = resumes;
    if (path == NULL)
        return PECK_OK;
    l->is_new = stat(path, &st) != 0;
    l->fd = strcmp(path, "-") == 0
                ? dup(STDOUT_FILENO)
                : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    return l->fd >= 0
               ? PECK_OK
               : refuse(err, PECK_IO, "%.300s: cannot write it: %s", path, strerror(errno));
}

/* Whole lines or nothing: what arrived in part is taken back. */
static int append_lines(struct runlog *l, const char *text, size_t n)
{
    const off_t before = log_size(l);

    while (n > 0 && l->log_error == 0) {
        const ssize_t done = write(l->fd, text, n);

        if (done < 0 && errno != EINTR)
            l->log_error = errno;
        if (done <= 0)
            continue;
        text += done;
        n -= (size_t)done;
    }
    if (l->log_error != 0 && log_size(l) > before && ftruncate(l->fd, before) != 0)
        return 0;
    return l->log_error == 0;
}

/* Resuming ------------------------------------------------------------------------------ */

/* All of the log, zero-ended, in fresh memory; NULL: out of memory. */
static char *read_whole_log(const struct runlog *l, size_t *n)
{
    const size_t size = (size_t)log_size(l);
    const int fd = open(l->path, O_RDONLY | O_CLOEXEC);
    char *const text = malloc(size + 1);

    *n = 0;
    while (fd >= 0 && text != NULL && *n < size) {
        const ssize_t got = read(fd, text + *n, size - *n);

        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        *n += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    if (text != NULL)
        text[*n] = '\0';
    return text;
}

/* A run that was killed may have logged more epochs than its checkpoint has: these are run
 * again, and told again.  So lines of this member from this epoch on go, and a last one that
 * was cut off. */
static void drop_stale_lines(struct runlog *l, const peck_epoch *e)
{
    size_t n, kept = 0, first = 0;
    char *const text = read_whole_log(l, &n);
    int has_stale = 0;

    for (size_t at = 0; text != NULL && at < n;) {
        const char *const line = text + at, *const end = strchr(line, '\n');
        const size_t length = end != NULL ? (size_t)(end + 1 - line) : n - at;
        size_t member, epoch;

        if (end == NULL ||
            (sscanf(line, "{\"member\": %zu, \"epoch\": %zu,", &member, &epoch) == 2 &&
             member == e->member && epoch >= e->epoch)) {
            first = has_stale ? first : at;
            has_stale = 1;
        } else {
            memmove(text + kept, line, length);
            kept += length;
        }
        at += length;
    }
    if (has_stale && ftruncate(l->fd, (off_t)first) != 0)
        l->log_error = errno;
    else if (has_stale)
        append_lines(l, text + first, kept - first);
    free(text);
}

/* Lines --------------------------------------------------------------------------------- */

/* JSON has no NaN. */
static void put_json_number(FILE *to, const char *key, double value)
{
    if (isfinite(value))
        fprintf(to, ", \"%s\": %.9g", key, value);
    else
        fprintf(to, ", \"%s\": null", key);
}

/* is_first: of its net, in this run.  A new log takes the place of an old one: its first
 * line goes behind the old ones for a moment, and only when there is room for it may those
 * go. */
static void log_epoch(struct runlog *l, const peck_epoch *e, int is_first)
{
    char line[1024];
    FILE *const to = fmemopen(line, sizeof line, "w");

    if (to == NULL) {
        l->log_error = errno;
        return;
    }
    fprintf(to, "{\"member\": %zu, \"epoch\": %zu", e->member, e->epoch);
    put_json_number(to, "loss", e->loss);
    put_json_number(to, "valid", e->valid);
    put_json_number(to, "rate", e->rate);
    fprintf(to, ", \"best\": %s", e->is_best ? "true" : "false");
    if (e->chooses_pairs) {
        put_json_number(to, "train", e->train);
        fprintf(to, ", \"train_pairs\": %zu, \"valid_pairs\": %zu, \"inner_epochs\": %zu",
                e->n_train_pairs, e->n_valid_pairs, e->n_inner);
    }
    put_json_number(to, "seconds", e->seconds);
    fputs("}\n", to);
    const long n = ftell(to);

    if (fclose(to) != 0 || n <= 0) {
        l->log_error = EOVERFLOW;
        return;
    }
    if (l->resumes && is_first)
        drop_stale_lines(l, e);
    const off_t old = l->resumes || l->n_done > 1 ? 0 : log_size(l);

    if (!append_lines(l, line, (size_t)n) || old == 0)
        return;
    if (ftruncate(l->fd, 0) != 0)
        l->log_error = errno;
    else
        append_lines(l, line, (size_t)n);
}

/* "net 2/4, epoch 3/100, loss 0.21304, ndcg@10 0.4712, rate 0.003, 1:15 left"; of a method
 * that chooses its pairs "iteration 3/31, 20 epochs, pairs 1200 and 400, ndcg@10 0.5102 and
 * 0.4712, ...": of the training data and of the validation data, where there is any.  A
 * terminal that is too narrow for it gets "epoch 3/100, 1:15 left, ...". */
static void show_epoch(const struct runlog *l, const peck_epoch *e)
{
    /* At most so long: a net may stop early. */
    const double all = (double)e->n_epochs * (double)e->n_members;
    const double left = e->seconds * (all / (double)l->n_done - 1);
    const unsigned long s = left < 1e9 ? (unsigned long)(left + 0.5) : 0;
    char text[512], what[320], net[64] = "", valid[64] = "", pairs[64] = "", hours[32] = "";
    char time[64];

    if (e->n_members > 1)
        snprintf(net, sizeof net, "net %zu/%zu, ", e->member + 1, e->n_members);
    if (s >= 3600)
        snprintf(hours, sizeof hours, "%lu:", s / 3600);
    if (e->chooses_pairs) {
        if (!isnan(e->valid)) {
            snprintf(valid, sizeof valid, " and %.4f", e->valid);
            snprintf(pairs, sizeof pairs, " and %zu", e->n_valid_pairs);
        }
        snprintf(what, sizeof what,
                 "iteration %zu/%zu, %zu epochs, pairs %zu%s, %.40s %.4f%s", e->epoch,
                 e->n_epochs, e->n_inner, e->n_train_pairs, pairs, l->metric, e->train,
                 valid);
    } else {
        if (!isnan(e->valid))
            snprintf(valid, sizeof valid, ", %.40s %.4f", l->metric, e->valid);
        snprintf(what, sizeof what, "epoch %zu/%zu, loss %.5f%s, rate %.2g", e->epoch,
                 e->n_epochs, e->loss, valid, e->rate);
    }
    snprintf(time, sizeof time, "%s%0*lu:%02lu left", hours, s >= 3600 ? 2 : 1, s / 60 % 60,
             s % 60);
    snprintf(text, sizeof text, "%s%s, %s", net, what, time);
    if (strlen(text) > talk_room(l->talk)) {
        const size_t begin = strcspn(what, ","); /* "epoch 3/100" */

        snprintf(text, sizeof text, "%s%.*s, %s%s", net, (int)begin, what, time,
                 what + begin);
    }
    talk_line(l->talk, text);
}

/* After each epoch: a line of the log, perhaps a line for the user; non-zero stops training. */
int runlog_epoch(void *ctx, const peck_epoch *e)
{
    struct runlog *l = ctx;
    int is_first = 0;

    l->n_done++;
    if (l->net == NULL) {
        l->net = calloc(e->n_members, sizeof *l->net);
        l->n_nets = l->net != NULL ? e->n_members : 0;
        l->is_short_of_memory = l->net == NULL;
    }
    if (e->member < l->n_nets) {
        struct net_epochs *const net = &l->net[e->member];

        is_first = net->n_epochs == 0;
        net->n_epochs = e->epoch;
        if (e->is_best && !isnan(e->valid)) {
            net->best_epoch = e->epoch;
            net->valid = e->valid;
        }
    }
    if (l->fd >= 0 && l->log_error == 0)
        log_epoch(l, e, is_first);
    if (talk_is_due(l->talk))
        show_epoch(l, e);
    return talk_was_interrupted() || l->is_short_of_memory;
}

int runlog_interrupted(void *ctx)
{
    (void)ctx;
    return talk_was_interrupted();
}

void runlog_warning(void *ctx, const char *text)
{
    talk_warning(((struct runlog *)ctx)->talk, "%s", text);
}

void runlog_gain(void *ctx, const peck_rule_gain *g)
{
    struct runlog *l = ctx;
    struct gain_alone *const gains = realloc(l->gains, (l->n_gains + 1) * sizeof *l->gains);

    if (gains == NULL) {
        l->is_short_of_memory = 1;
        return;
    }
    struct gain_alone *const own = &gains[l->n_gains++];

    l->gains = gains;
    snprintf(own->rule, sizeof own->rule, "%s", g->rule);
    own->valid = g->valid;
    own->gain = g->gain;
    own->weight = g->weight;
}

void runlog_size(void *ctx, const peck_size_trial *t)
{
    struct runlog *l = ctx;
    char text[192];

    if (l->trials == NULL && peck_report_new(&l->trials, NULL) != PECK_OK) {
        l->is_short_of_memory = 1;
        return;
    }
    if (t->is_best)
        snprintf(l->size, sizeof l->size, "%s", t->size);
    snprintf(text, sizeof text, t->in_full ? "size_full.%.60s" : "size_valid.%.60s",
             t->size);
    peck_report_add_number(l->trials, text, t->valid, 6);
    if (talk_is_due(l->talk)) {
        snprintf(text, sizeof text, "choosing a size: %.60s, %.40s %.4f", t->size,
                 l->metric, t->valid);
        talk_line(l->talk, text);
    }
}

void runlog_rules(void *ctx, const peck_rules_trial *t)
{
    struct runlog *l = ctx;
    char text[192], name[64];

    if (l->n_rules < MOST_RULES_TRIALS)
        l->rules[l->n_rules++] = *t;
    if (!isnan(t->valid) && talk_is_due(l->talk)) {
        peck_rules_trial_name(t, name, sizeof name);
        snprintf(text, sizeof text, "trying rules: %s, %.40s %.4f", name, l->metric,
                 t->valid);
        talk_line(l->talk, text);
    }
}

/* A table of what was tried, and what was taken: the last that was the best so far.  Trials by
 * halves are of other trainings than that of the model, so the report says it. */
static void report_rules(peck_report *to, const struct runlog *l)
{
    const char *const column[] = { "rules", l->metric, "gain", "error" };
    size_t taken = 0;
    char name[64];

    for (size_t i = 0; i < l->n_rules; i++)
        taken = l->rules[i].is_best ? i : taken;
    peck_rules_trial_name(&l->rules[taken], name, sizeof name);
    peck_report_add_text(to, "rules", name);
    if (l->n_rules == 1 && isnan(l->rules[0].valid)) /* nothing could be tried */
        return;
    if (l->rules[0].is_split)
        peck_report_add_text(to, "rules_tried_by", "halves of the labelled queries");
    peck_report_add_table(to, "rules that were tried", 4, column);
    for (size_t i = 0; i < l->n_rules; i++) {
        const peck_rules_trial *const t = &l->rules[i];
        const char *const row = t->weight > 0 ? name : "no_rules";

        peck_rules_trial_name(t, name, sizeof name);
        peck_report_add_cell(to, (peck_span){ row, strlen(row) });
        peck_report_add_cell_number(to, t->valid, 6);
        peck_report_add_cell_number(to, t->weight > 0 ? t->gain : (double)NAN, 6);
        peck_report_add_cell_number(to, t->weight > 0 ? t->error : (double)NAN, 6);
    }
}

static void report_gains(peck_report *to, const struct runlog *l)
{
    const char *const column[] = { "rule", l->metric, "gain", "weight" };

    peck_report_add_table(to, "each rule alone", 4, column);
    for (size_t i = 0; i < l->n_gains; i++) {
        const struct gain_alone *const g = &l->gains[i];

        peck_report_add_cell(to, (peck_span){ g->rule, strlen(g->rule) });
        peck_report_add_cell_number(to, g->valid, 6);
        peck_report_add_cell_number(to, g->gain, 6);
        peck_report_add_cell_number(to, g->weight, 6);
    }
}

/* Sizes tried, gains and trials of rules, epochs of each net, and the mean of their best values. */
peck_status runlog_report(peck_report **out, const struct runlog *l, const char *method,
                          peck_error *err)
{
    const peck_status st = peck_report_new(out, err);
    peck_report *const to = *out;
    char name[128], number[32] = "";
    double sum = 0;
    size_t n = 0;

    if (st != PECK_OK)
        return st;
    peck_report_add_text(to, "method", method);
    if (l->trials != NULL) {
        peck_report_add_all(to, "", l->trials);
        peck_report_add_text(to, "size", l->size);
    }
    if (l->n_gains > 0)
        report_gains(to, l);
    if (l->rules_weight > 0) {
        snprintf(name, sizeof name, "weight=%g,alpha=1", l->rules_weight);
        peck_report_add_text(to, "rules", name);
    } else if (l->n_rules > 0)
        report_rules(to, l);
    for (size_t i = 0; i < l->n_nets; i++) {
        const struct net_epochs *net = &l->net[i];

        if (l->n_nets > 1)
            snprintf(number, sizeof number, "_%zu", i + 1);
        snprintf(name, sizeof name, "epochs%s", number);
        peck_report_add_number(to, name, (double)net->n_epochs, 0);
        if (net->best_epoch == 0)
            continue;
        snprintf(name, sizeof name, "best_epoch%s", number);
        peck_report_add_number(to, name, (double)net->best_epoch, 0);
        sum += net->valid;
        n++;
    }
    snprintf(name, sizeof name, "valid_%.100s", l->metric);
    if (n > 0)
        peck_report_add_number(to, name, sum / (double)n, 6);
    return PECK_OK;
}

/* Tells what went wrong with the log, if anything did: training went on without it. */
peck_status runlog_close(struct runlog *l, peck_error *err)
{
    const int fd = l->fd;
    /* One that was made here and got no line is taken away: it says nothing. */
    char *const empty =
        fd >= 0 && l->is_new && log_size(l) == 0 ? realpath(l->path, NULL) : NULL;

    peck_report_free(l->trials);
    l->trials = NULL;
    free(l->gains);
    l->gains = NULL;
    l->n_gains = 0;
    free(l->net);
    l->net = NULL;
    l->n_nets = 0;
    l->fd = -1;
    if (fd >= 0 && close(fd) != 0 && l->log_error == 0)
        l->log_error = errno;
    if (empty != NULL)
        unlink(empty);
    free(empty);
    if (l->is_short_of_memory)
        return refuse(err, PECK_NOMEM, "out of memory");
    return l->log_error == 0 ? PECK_OK
                             : refuse(err, PECK_IO, "%.300s: cannot write it: %s", l->path,
                                      strerror(l->log_error));
}
