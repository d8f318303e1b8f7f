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
static off_t size_of(const struct runlog *l)
{
    struct stat st;

    return fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
}

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
static int append(struct runlog *l, const char *text, size_t n)
{
    const off_t before = size_of(l);

    while (n > 0 && l->log_error == 0) {
        const ssize_t done = write(l->fd, text, n);

        if (done < 0 && errno != EINTR)
            l->log_error = errno;
        if (done <= 0)
            continue;
        text += done;
        n -= (size_t)done;
    }
    if (l->log_error != 0 && size_of(l) > before && ftruncate(l->fd, before) != 0)
        return 0;
    return l->log_error == 0;
}

/* A new log takes the place of an old one.  Its first line goes behind the old ones for a
 * moment: only when there is room for it may those go. */
static void begin(struct runlog *l, const char *line, size_t n)
{
    const off_t old = size_of(l);

    if (!append(l, line, n) || old == 0)
        return;
    if (ftruncate(l->fd, 0) != 0)
        l->log_error = errno;
    else
        append(l, line, n);
}

/* Resuming ------------------------------------------------------------------------------ */

/* All of the log, zero-ended, in fresh memory; NULL: it cannot be read. */
static char *read_log(const struct runlog *l, size_t *n)
{
    const size_t size = (size_t)size_of(l);
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

/* Whether a line, which n bytes long begins at `line`, is to go: one of this member from
 * this epoch on, or a last one that was cut off. */
static int is_stale(const char *line, size_t n, const peck_epoch *e)
{
    size_t member, epoch;

    return line[n - 1] != '\n' ||
           (sscanf(line, "{\"member\": %zu, \"epoch\": %zu,", &member, &epoch) == 2 &&
            member == e->member && epoch >= e->epoch);
}

/* A run that was killed may have logged more epochs than its checkpoint has: these are run
 * again, and told again. */
static void drop_stale(struct runlog *l, const peck_epoch *e)
{
    size_t n, kept = 0, first = 0;
    char *const text = read_log(l, &n);
    int has_stale = 0;

    for (size_t at = 0; text != NULL && at < n;) {
        const char *const end = strchr(text + at, '\n');
        const size_t length = end != NULL ? (size_t)(end + 1 - (text + at)) : n - at;

        if (is_stale(text + at, length, e)) {
            first = has_stale ? first : at;
            has_stale = 1;
        } else {
            memmove(text + kept, text + at, length);
            kept += length;
        }
        at += length;
    }
    if (has_stale && ftruncate(l->fd, (off_t)first) != 0)
        l->log_error = errno;
    else if (has_stale)
        append(l, text + first, kept - first);
    free(text);
}

/* Lines --------------------------------------------------------------------------------- */

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

/* is_first: of its net, in this run. */
static void keep_line(struct runlog *l, const peck_epoch *e, int is_first)
{
    char line[1024];
    FILE *const to = fmemopen(line, sizeof line, "w");

    if (to == NULL) {
        l->log_error = errno;
        return;
    }
    write_log(to, e);
    const long n = ftell(to);

    if (fclose(to) != 0 || n <= 0) {
        l->log_error = EOVERFLOW;
        return;
    }
    if (l->resumes && is_first)
        drop_stale(l, e);
    if (!l->resumes && l->n_done == 1)
        begin(l, line, (size_t)n);
    else
        append(l, line, (size_t)n);
}

/* Whether it is the first that is heard of this net. */
static int note(struct runlog *l, const peck_epoch *e)
{
    if (l->net == NULL) {
        l->net = calloc(e->n_members, sizeof *l->net);
        l->n_nets = l->net != NULL ? e->n_members : 0;
        l->is_short_of_memory = l->net == NULL;
    }
    if (e->member >= l->n_nets)
        return 0;
    const int is_first = l->net[e->member].n_epochs == 0;

    l->net[e->member].n_epochs = e->epoch;
    if (e->is_best && !isnan(e->valid)) {
        l->net[e->member].best_epoch = e->epoch;
        l->net[e->member].valid = e->valid;
    }
    return is_first;
}

int runlog_epoch(void *ctx, const peck_epoch *e)
{
    struct runlog *l = ctx;

    l->n_done++;
    const int is_first = note(l, e);

    if (l->fd >= 0 && l->log_error == 0)
        keep_line(l, e, is_first);
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
    snprintf(text, sizeof text, "size_valid.%.60s", t->size);
    peck_report_add_number(l->trials, text, t->valid, 6);
    if (talk_is_due(l->talk)) {
        snprintf(text, sizeof text, "choosing a size: %.60s, %.40s %.4f", t->size,
                 l->metric, t->valid);
        talk_line(l->talk, text);
    }
}

void runlog_report(const struct runlog *l, peck_report *to)
{
    char name[128];
    double sum = 0;
    size_t n = 0;

    if (l->trials != NULL) {
        peck_report_add_all(to, "", l->trials);
        peck_report_add_text(to, "size", l->size);
    }
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

/* A log that was made here and got no line is taken away: it says nothing. */
static void remove_empty(const struct runlog *l)
{
    char *const real = realpath(l->path, NULL);

    if (real != NULL)
        unlink(real);
    free(real);
}

peck_status runlog_close(struct runlog *l, peck_error *err)
{
    const int fd = l->fd, is_empty = fd >= 0 && l->is_new && size_of(l) == 0;

    peck_report_free(l->gains);
    peck_report_free(l->trials);
    l->gains = l->trials = NULL;
    free(l->net);
    l->net = NULL;
    l->n_nets = 0;
    l->fd = -1;
    if (fd >= 0 && close(fd) != 0 && l->log_error == 0)
        l->log_error = errno;
    if (is_empty)
        remove_empty(l);
    if (l->is_short_of_memory)
        return refuse(err, PECK_NOMEM, "out of memory");
    return l->log_error == 0 ? PECK_OK
                             : refuse(err, PECK_IO, "%.300s: cannot write it: %s", l->path,
                                      strerror(l->log_error));
}
