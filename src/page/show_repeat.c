/* show_repeat.c -- where a page comes from: what was tried, on which data, by which command, when;
 * and the command that repeats a run, as far as its model or its report tells.          */
#include "show.h"

#include "../base/number.h"

#include <math.h>

/* The rest of s behind its first `n` bytes. */
static peck_span rest_of(peck_span s, size_t n)
{
    return n < s.n ? (peck_span){ s.s + n, s.n - n } : (peck_span){ 0 };
}

static bool begins_with(peck_span s, const char *head)
{
    const size_t n = strlen(head);

    return s.n >= n && memcmp(s.s, head, n) == 0;
}

static bool has_text(peck_span s, const char *part)
{
    const size_t n = strlen(part);

    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.s + i, part, n) == 0)
            return true;
    return false;
}

/* " -c NAME", where it is not the usual one; " -c NAME,part=value,..." where parts differ
 * from those of the name.  note: "NAME: part=value, ..." */
static void add_convention(struct text *to, peck_span note)
{
    size_t n = 0;
    char name[64];
    struct convention known;
    struct text own;

    while (n < note.n && note.s[n] != ':')
        n++;
    if (n == 0 || n >= sizeof name)
        return;
    memcpy(name, note.s, n);
    name[n] = '\0';
    text_init(&own, 1 << 12);
    if (convention_parse(&known, name, NULL) == PECK_OK)
        convention_print(&known, &own);
    const bool is_whole = !own.failed && span_equal((peck_span){ own.s, own.len }, note);

    to->failed |= own.failed;
    text_free(&own);
    if (is_whole && strcmp(name, PECK_DEFAULT_CONVENTION) == 0)
        return;
    text_printf(to, " --convention %s", name);
    if (is_whole)
        return;
    text_add_str(to, ",");
    for (size_t i = n + 2; i < note.n; i++)
        if (note.s[i] != ' ')
            text_add(to, note.s + i, 1);
}

/* How epochs were chosen.  note: "given, ...", "held out by seed, 12 of 60 queries" or
 * "none: ..."; the usual share is a fifth. */
static void add_validation(struct text *to, peck_span note)
{
    static const char held[] = "held out by seed, ";
    const peck_span counts =
        begins_with(note, held) ? rest_of(note, strlen(held)) : (peck_span){ 0 };
    size_t n = 0;
    uint64_t own = 0, all = 0;

    if (begins_with(note, "given"))
        text_add_str(to, " --valid VALID");
    if (begins_with(note, "none"))
        text_add_str(to, " --valid-split 0");
    while (n < counts.n && counts.s[n] != ' ')
        n++;
    const peck_span behind = rest_of(counts, n + strlen(" of "));
    size_t m = 0;

    while (m < behind.n && behind.s[m] != ' ')
        m++;
    if (n == 0 || m == 0 || !number_parse_u64((peck_span){ counts.s, n }, &own) ||
        !number_parse_u64((peck_span){ behind.s, m }, &all) ||
        fabs((double)own - 0.2 * (double)all) < 1)
        return;
    char share[32];

    number_print(share, sizeof share, 'g', 6, (double)own / (double)all);
    text_printf(to, " --valid-split %s", share);
}

/* A cross-validation notes its command; of a training it follows from the notes of the model,
 * where names of files are not: TRAIN, VALID and the like stand for them. */
bool show_repeat(struct text *to, const struct show_run *r)
{
    const peck_span known = show_fact(r, "command"), method = show_fact(r, "method"),
                    data = show_fact(r, "data"), metric = show_fact(r, "metric"),
                    nets = show_fact(r, "ensemble");
    peck_span settings = show_fact(r, "settings");

    if (known.n > 0) {
        text_add(to, known.s, known.n);
        return true;
    }
    if (method.n == 0 || data.n == 0 || r->n_parts > 0 || show_fact(r, "loss").n > 0)
        return false;
    text_printf(to, "peck train -m %.*s", SPAN_ARGS(method));
    while (settings.n > 0) {
        size_t n = 0;

        while (n < settings.n && settings.s[n] != ' ')
            n++;
        if (n > 0)
            text_printf(to, " --set %.*s", (int)n, settings.s);
        settings = rest_of(settings, n + 1);
    }
    if (nets.n > 0)
        text_printf(to, " --ensemble %.*s", SPAN_ARGS(nets));
    if (metric.n > 0 && !span_is(metric, "none") && !has_text(metric, " ") &&
        !span_is(metric, PECK_DEFAULT_METRIC))
        text_printf(to, " --metric %.*s", SPAN_ARGS(metric));
    add_convention(to, show_fact(r, "convention"));
    text_printf(to, " --seed %.*s", SPAN_ARGS(show_fact(r, "seed")));
    add_validation(to, show_fact(r, "validation"));
    if (has_text(data, "preferences"))
        text_add_str(to, " --pairs PAIRS");
    if (has_text(show_fact(r, "validation"), "preferences"))
        text_add_str(to, " --valid-pairs VALID-PAIRS");
    if (show_fact(r, "rules").n > 0)
        text_add_str(to, " --rules RULES");
    if (has_text(data, "unlabelled"))
        text_add_str(to, " --unlabelled QUERIES");
    text_add_str(to, " -o MODEL TRAIN");
    return true;
}

/* The head of the page -------------------------------------------------------------------- */

/* Of more runs the number alone. */
enum { MOST_TOLD = 8 };

/* "3 runs: ridge, ranknet, lambdamart" */
static void tell_runs(struct text *to, const struct peck_page *p)
{
    html_fact(to, "Tried");
    text_printf(to, "%zu run%s", p->n_runs, p->n_runs == 1 ? "" : "s");
    for (size_t i = 0; p->n_runs <= MOST_TOLD && i < p->n_runs; i++) {
        text_add_str(to, i == 0 ? ": " : ", ");
        html_escape_str(to, p->run[i].name);
    }
    text_add_str(to, p->n_runs > MOST_TOLD
                         ? "; the leaderboard and the settings name them\n"
                         : "\n");
}

/* The same text in every run that says something; n = 0: they differ, or say nothing. */
static peck_span common_fact(const struct peck_page *p, const char *key)
{
    peck_span first = { 0 };

    for (size_t i = 0; i < p->n_runs; i++) {
        const peck_span own = show_fact(&p->run[i], key);

        if (own.n > 0 && first.n > 0 && !span_equal(own, first))
            return (peck_span){ 0 };
        first = own.n > 0 ? own : first;
    }
    return first;
}

/* "folds.txt: 60 test queries in 3 folds; training data of the first fold: ..." */
static void tell_data(struct text *to, const struct peck_page *p, const struct boards *all,
                      const peck_page_spec *spec)
{
    const peck_span training = common_fact(p, "data"),
                    file = spec->data != NULL ? span_of(spec->data)
                                              : common_fact(p, "data file");
    const char *between = "";

    if (all->n == 0 && training.n == 0 && file.n == 0)
        return;
    html_fact(to, "Data");
    if (file.n > 0) {
        html_escape(to, file);
        between = ": ";
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct board *const b = &all->board[i];

        text_printf(to, "%s%zu test queries", between, b->n_queries);
        if (b->n_folds > 1)
            text_printf(to, " in %zu folds", b->n_folds);
        between = "; ";
    }
    if (training.n > 0) {
        text_printf(to, "%strained on ", between);
        html_escape(to, training);
        text_add_str(to, all->n > 0 && all->board[0].n_folds > 1 ? " (first fold)" : "");
    }
    text_add_str(to, "\n");
}

void show_origin(struct text *to, const struct peck_page *p, const struct boards *all,
                 const peck_page_spec *spec)
{
    html_facts(to, "facts");
    tell_runs(to, p);
    tell_data(to, p, all, spec);
    if (spec->command != NULL) {
        html_fact(to, "Command");
        html_command(to, span_of(spec->command));
        text_add_str(to, "\n");
    }
    if (spec->when != NULL) {
        html_fact(to, "Written");
        html_escape_str(to, spec->when);
        text_add_str(to, "\n");
    }
    html_facts_end(to);
}
