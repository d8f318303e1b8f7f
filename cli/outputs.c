/* outputs.c -- see outputs.h.  Files are told apart by device and number, not by name, so
 * links and spellings do not matter; one that is not there yet by its folder and name. */
#define _XOPEN_SOURCE 700 /* readlink, strdup */
#include "outputs.h"
#include "inputs.h"
#include "tty.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

/* Inputs ------------------------------------------------------------------------------ */

void input_files_add(struct input_files *in, const char *path)
{
    if (path == NULL || in->is_short_of_memory)
        return;
    if (strcmp(path, "-") == 0)
        path = "/dev/stdin"; /* which may be a file */
    char **const longer = realloc(in->path, (in->n + 1) * sizeof *longer);

    if (longer != NULL)
        in->path = longer;
    if (longer == NULL || (longer[in->n] = strdup(path)) == NULL)
        in->is_short_of_memory = 1;
    else
        in->n++;
}

void input_files_add_data(struct input_files *in, const char *path,
                          const peck_read_options *options)
{
    char beside[MAX_PATH];

    input_files_add(in, path);
    input_files_add(in, options->feature_names);
    input_files_add(in, options->query_sizes);
    input_files_add(in, options->query_weights);
    if (path != NULL && options->query_sizes == NULL &&
        snprintf(beside, sizeof beside, "%s.query", path) < MAX_PATH)
        input_files_add(in, beside);
}

void input_files_free(struct input_files *in)
{
    for (size_t i = 0; i < in->n; i++)
        free(in->path[i]);
    free(in->path);
    memset(in, 0, sizeof *in);
}

/* Which file a name is ----------------------------------------------------------------- */

struct identity {
    int is_known; /* a regular file, or a name that could become one */
    dev_t device;
    ino_t number;        /* of the file, or of the folder where it would be ... */
    char name[MAX_PATH]; /* ... under this name; "": it is there */
};

/* Where a link that points to nothing points to. */
static int follow_dangling(char path[MAX_PATH])
{
    char target[MAX_PATH];
    struct stat st;

    for (int i = 0; i < MAX_LINKS; i++) {
        if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
            return 1;
        const ssize_t n = readlink(path, target, sizeof target - 1);
        char *const slash = strrchr(path, '/');
        const size_t folder = slash != NULL ? (size_t)(slash + 1 - path) : 0;

        if (n <= 0)
            return 0;
        target[n] = '\0';
        const size_t keep = target[0] == '/' ? 0 : folder;

        if (keep + (size_t)n >= MAX_PATH)
            return 0;
        memcpy(path + keep, target, (size_t)n + 1);
    }
    return 0;
}

/* A file by device and number; one that is not there yet by its folder and name, so that two
 * spellings of one path are the same. */
static struct identity identify(const char *given)
{
    struct identity id = { 0 };
    char path[MAX_PATH];
    struct stat st;

    if (stat(given, &st) == 0) {
        id.is_known = S_ISREG(st.st_mode);
    } else if (snprintf(path, sizeof path, "%s", given) < MAX_PATH &&
               follow_dangling(path)) {
        char *const slash = strrchr(path, '/');

        snprintf(id.name, sizeof id.name, "%s", slash != NULL ? slash + 1 : path);
        if (slash != NULL)
            slash[1] = '\0';
        id.is_known = id.name[0] != '\0' && stat(slash != NULL ? path : ".", &st) == 0;
    }
    if (id.is_known) {
        id.device = st.st_dev;
        id.number = st.st_ino;
    }
    return id;
}

static int is_same_file(const struct identity *x, const char *path)
{
    const struct identity y = identify(path);

    return x->is_known && y.is_known && x->device == y.device && x->number == y.number &&
           strcmp(x->name, y.name) == 0;
}

/* Outputs ------------------------------------------------------------------------------ */

const char *show_content(const char *content)
{
    static const char *const known[][2] = {
        { "model", "a model" },         { "cache", "a cache of data" },
        { "page", "a web page" },       { "checkpoint", "a checkpoint" },
        { "log", "a log of training" }, { "binary", "something that peck does not know" },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(content, known[i][0]) == 0)
            return known[i][1];
    return content;
}

peck_span order_of_words(const struct call *c)
{
    const char *usage = c->verb->usage[0];
    const size_t n = c->n_words > 0 ? strlen(c->word[0]) : 0;

    /* Of a verb with several ways, the one whose first word was given. */
    for (size_t i = 0; n > 0 && c->verb->usage[i] != NULL; i++)
        if (strncmp(c->verb->usage[i], c->word[0], n) == 0 && c->verb->usage[i][n] == ' ')
            usage = c->verb->usage[i];
    const char *const options = strstr(usage, " [");

    return (peck_span){ usage,
                        options != NULL ? (size_t)(options - usage) : strlen(usage) };
}

/* is: what the file at the path is.  An output among the words may stand at the wrong
 * place: then the order is shown. */
static peck_status refuse_output(const struct call *c, const struct output_file *o,
                                 const char *is, const char *what, int may_force)
{
    const peck_span order = order_of_words(c);
    char advice[128] = "";

    for (size_t i = 0; i < c->n_words; i++)
        if (o->path == c->word[i])
            snprintf(advice, sizeof advice, " (the order is `peck %s %.*s`)", c->verb->name,
                     (int)order.n, order.s);
    return refuse(c->err, PECK_ARG,
                  "%.200s: %s%s, and %s would take its place%s; give another name%s",
                  o->path, is, what, show_content(o->content), advice,
                  may_force ? ", or --force" : "");
}

/* What is read stays readable when another file takes its place; but a log is written into
 * the file itself as it grows, so there nobody may insist, and it is opened in time by
 * itself.  Two outputs in one file make no sense, whoever insists. */
peck_status outputs_look(const struct call *c, const struct output_file *out, size_t n,
                         const struct input_files *in, int is_forced)
{
    if (in->is_short_of_memory)
        return refuse(c->err, PECK_NOMEM, "out of memory");
    if (!comm_speaks()) /* another process writes, and looks */
        return PECK_OK;
    for (const struct output_file *o = out; o < out + n; o++) {
        if (o->path == NULL || strcmp(o->path, "-") == 0)
            continue;
        const int is_log = strcmp(o->content, "log") == 0;
        const struct identity id = identify(o->path);
        const int is_there = id.is_known && id.name[0] == '\0';
        const char *const found =
            is_there && !is_forced ? peck_file_content(o->path) : NULL;

        for (size_t i = 0; (!is_forced || is_log) && i < in->n; i++)
            if (is_same_file(&id, in->path[i]))
                return refuse_output(c, o, "is read here", "", !is_log);
        if (found != NULL && strcmp(found, o->content) != 0 &&
            (strcmp(o->content, "data") != 0 ||
             (strcmp(found, "text") != 0 && strcmp(found, "cache") != 0)))
            return refuse_output(c, o, "holds ", show_content(found), 1);
        for (const struct output_file *other = out; other < o; other++)
            if (other->path != NULL && strcmp(other->path, "-") != 0 &&
                is_same_file(&id, other->path))
                return refuse(c->err, PECK_ARG,
                              "%.200s: both %s and %s would go there; give each a name of "
                              "its own",
                              o->path, show_content(other->content),
                              show_content(o->content));
        const peck_status st = is_log ? PECK_OK : peck_output_check(o->path, c->err);

        if (st != PECK_OK)
            return st;
    }
    return PECK_OK;
}

peck_status outputs_check(const struct call *c, const struct output_file *out, size_t n,
                          struct input_files *in, int is_forced)
{
    const peck_status st = outputs_look(c, out, n, in, is_forced);

    input_files_free(in);
    return comm_follow(st, c->err);
}

/* Standard output ---------------------------------------------------------------------- */

int stdout_is_closed_pipe(void)
{
    struct pollfd p = { STDOUT_FILENO, POLLOUT, 0 };

    return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

peck_status forgive_closed_pipe(peck_status st)
{
    return st == PECK_IO && stdout_is_closed_pipe() ? PECK_OK : st;
}

const char *printing_format(const struct printing *p)
{
    return p->as_json              ? "json"
           : p->format != NULL     ? p->format
           : isatty(STDOUT_FILENO) ? "table"
                                   : "lines";
}

const char *listing_format(const struct printing *p)
{
    const char *const format = printing_format(p);

    return strcmp(format, "lines") == 0 ? "tsv" : format;
}

int printing_has_notes(const struct printing *p)
{
    const char *const format = printing_format(p);

    return strcmp(format, "table") == 0 || strcmp(format, "json") == 0;
}

int printing_has_sentences(const struct printing *p)
{
    const char *const format = printing_format(p);

    return printing_has_notes(p) || strcmp(format, "latex") == 0 ||
           strcmp(format, "markdown") == 0;
}

/* What the library calls the formats: its "tsv" is the lines of a pipe. */
static const char *library_format(const char *format)
{
    return strcmp(format, "table") == 0   ? "text"
           : strcmp(format, "lines") == 0 ? "tsv"
           : strcmp(format, "tsv") == 0   ? "columns"
                                          : format;
}

peck_status print_report(peck_status st, peck_report *r, const struct printing *p,
                         const struct call *c)
{
    const char *const format = printing_format(p);
    const int is_lines = strcmp(format, "lines") == 0; /* of any width, without colours */
    const peck_print_spec how = { .format = library_format(format),
                                  .width = is_lines ? 0 : tty_width(STDOUT_FILENO),
                                  .colours = !is_lines && tty_has_colours(STDOUT_FILENO),
                                  .details = c->talk->level > 0 };
    peck_bytes text = { 0 };

    if (st == PECK_OK)
        st = peck_report_print_as(&text, r, &how, c->err);
    if (st == PECK_OK && ((text.n > 0 && fwrite(text.s, 1, text.n, stdout) != text.n) ||
                          fflush(stdout) != 0 || ferror(stdout)))
        st = forgive_closed_pipe(
            refuse(c->err, PECK_IO, "cannot write the report: %s", strerror(errno)));
    peck_bytes_free(&text);
    peck_report_free(r);
    return st;
}

peck_status write_page(peck_page *p, const char *path, const peck_page_spec *how,
                       const struct call *c)
{
    const peck_status st = peck_page_write(p, path, how, c->err);

    if (st == PECK_OK && c->talk->is_terminal && strcmp(path, "-") != 0)
        talk_note(c->talk, "the results are in %s; open it in a browser", path);
    return st;
}

/* Preset and parts of --convention are joined; the verb judges, the report is printed. */
peck_status judge_and_print(const struct call *c, judge_call *judge,
                            const struct judging *j, int threads, const struct printing *p)
{
    const char *const parts = j->parts != NULL ? j->parts : "";
    const size_t room = strlen(j->convention) + strlen(parts) + 2;
    char *const convention = malloc(room);
    const peck_judge_spec spec = {
        .metrics = j->metrics, .convention = convention, .seed = j->seed, .threads = threads
    };
    peck_report *report = NULL;

    if (convention == NULL)
        return refuse(c->err, PECK_NOMEM, "out of memory");
    snprintf(convention, room, "%s%s%s", j->convention, *parts != '\0' ? "," : "", parts);
    peck_status st = judge(&report, c, &spec);

    st = print_report(st, report, p, c);
    free(convention);
    return st;
}

void put_plain(FILE *to, peck_span s, char blank)
{
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.s[i];
        /* C1 in UTF-8; C0 and DEL are one byte. */
        const int is_pair =
            c == 0xC2 && i + 1 < s.n && ((unsigned char)s.s[i + 1] & 0xE0) == 0x80;

        fputc(is_pair || c <= ' ' || c == 0x7F ? blank : c, to);
        i += (size_t)is_pair;
    }
}

void put_json(FILE *to, peck_span s)
{
    fputc('"', to);
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.s[i];

        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < ' ')
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}
