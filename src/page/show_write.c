/* show_write.c -- the corridor of the page: runs -> boards -> sections -> file. */
#include "show.h"

#include "../base/output.h"
#include "../base/spec.h"

#include <math.h>

/* A page that is larger would be slow to open; nothing here comes near. */
enum { LONGEST_PAGE = 1 << 24 };

/* The summary: who is best, and who cannot be told from it. */
static void add_summary(struct text *to, const struct board *b, const char *where)
{
    const struct standing *const best = b->standing;
    const peck_span metric = strings_get(&b->column, b->metric);
    char mean[FIGURE_ROOM], low[FIGURE_ROOM], high[FIGURE_ROOM];
    struct text equals;
    size_t n_equal = 0;

    text_init(&equals, LONGEST_PAGE);
    for (size_t i = 1; i < b->n_runs; i++)
        if (!(b->standing[i].p < 0.05))
            text_printf(&equals, "%s%s", n_equal++ > 0 ? ", " : "", b->standing[i].name);
    text_add_str(&equals, "");
    html_tell(to, "lead",
              "%s%s is %s with %.*s %s (95 %% interval %s to %s) on %zu queries%s%s.",
              where, *where != '\0' ? ": best" : "Best", best->name, SPAN_ARGS(metric),
              show_figure(mean, best->mean, 4), show_figure(low, best->interval.low, 4),
              show_figure(high, best->interval.high, 4), b->n_kept,
              b->n_runs == 1 ? ""
              : n_equal == 0 ? "; every other run is worse by more than luck"
                             : "; no clear gap to ",
              equals.failed ? "" : equals.s);
    to->failed |= equals.failed;
    text_free(&equals);
}

/* Bytes of `path` up to the last slash within its first n; 0: there is none. */
static size_t folder_of(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n > 0 ? n - 1 : 0;
}

/* Whether a path begins with the first n bytes of a folder. */
static bool lies_in(const char *path, const char *folder, size_t n)
{
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* The innermost folder that all runs of a board lie in, if they alone do. */
static void name_board(char *to, size_t room, const struct peck_page *p,
                       const struct board *b, size_t number)
{
    const char *const path = b->standing[0].run->path;
    size_t n = folder_of(path, strlen(path)), n_inside = 0;

    for (size_t i = 1; i < b->n_runs; i++)
        while (n > 0 && !lies_in(b->standing[i].run->path, path, n))
            n = folder_of(path, n);
    for (size_t i = 0; i < p->n_runs; i++)
        n_inside += p->run[i].n_judged > 0 && n > 0 && lies_in(p->run[i].path, path, n);
    const size_t at = n > 0 && folder_of(path, n) > 0 ? folder_of(path, n) + 1 : 0;

    if (n_inside == b->n_runs)
        snprintf(to, room, "%.*s", (int)(n - at < 100 ? n - at : 100), path + at);
    else
        snprintf(to, room, "Queries %zu", number);
}

/* A section for each board; where there are several, under headings of their own. */
static peck_status add_boards(struct text *to, const struct peck_page *p,
                              const struct boards *all, const peck_page_spec *spec,
                              peck_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct board *const b = &all->board[i];
        const bool is_one = all->n == 1;
        char prefix[32] = "", name[128];
        const struct board_place at = { is_one ? 2 : 3, prefix, i == 0 };

        if (!is_one) {
            snprintf(prefix, sizeof prefix, "data%zu-", i + 1);
            name_board(name, sizeof name, p, b, i + 1);
            html_section(to, 2, prefix, name);
        }
        show_ranks(to, b, &at);
        TRY(show_cuts(to, b, &at, err));
        TRY(show_queries(to, b, &at, spec, err));
        if (!is_one)
            html_section_end(to);
    }
    return PECK_OK;
}

/* What stands above the sections: the summaries. */
static void add_head(struct text *to, const struct peck_page *p, const struct boards *all)
{
    size_t n_decoders = 0; /* runs that are tables of decoders */

    for (size_t i = 0; i < all->n; i++) {
        char name[128] = "";

        if (all->n > 1)
            name_board(name, sizeof name, p, &all->board[i], i + 1);
        add_summary(to, &all->board[i], name);
    }
    for (size_t i = 0; i < p->n_runs; i++)
        n_decoders += p->run[i].n_decodings > 0 && p->run[i].n_facts == 0;
    if (all->n == 0 && n_decoders == p->n_runs)
        html_tell(to, "lead",
                  "How well decoders order items by noisy answers, and how "
                  "many they ask for.");
    else if (all->n == 0)
        html_tell(to, "lead",
                  "%zu runs. None has values per query, so none is judged here: `peck eval "
                  "--per-query` or `peck cv --out-dir` write them.",
                  p->n_runs);
}

/* All sections, in the order of the page. */
static peck_status add_body(struct text *to, const struct peck_page *p,
                            const struct boards *all, const peck_page_spec *spec,
                            peck_error *err)
{
    TRY(add_boards(to, p, all, spec, err));
    TRY(show_learning(to, p, err));
    TRY(show_pair_sets(to, p, err));
    TRY(show_decoding(to, p, err));
    TRY(show_importance(to, p, err));
    show_rules(to, p);
    show_settings(to, p);
    show_words(to, all);
    return PECK_OK;
}

/* PECK_ARG when a run is named that is not there, or was not judged. */
static peck_status check_run_name(const struct peck_page *p, const char *name,
                                  peck_error *err)
{
    for (size_t i = 0; name != NULL && i < p->n_runs; i++)
        if (strcmp(p->run[i].name, name) == 0 || strcmp(p->run[i].path, name) == 0)
            return p->run[i].n_judged > 0
                       ? PECK_OK
                       : fail(err, PECK_ARG, "run '%.100s' has no values per query", name);
    return name == NULL ? PECK_OK : fail(err, PECK_ARG, "there is no run '%.100s'", name);
}

peck_status peck_page_write(peck_page *p, const char *path, const peck_page_spec *given,
                            peck_error *err)
{
    peck_page_spec own, *const spec = &own;
    struct boards all = { 0 };
    struct output *o;
    struct text page, body;

    TRY(SPEC_TAKE(peck_page_spec, spec, ctx, given, err));
    if (p->n_runs == 0)
        return fail(err, PECK_ARG, "a page takes at least one run");
    TRY(show_name_runs(p, err));
    TRY(check_run_name(p, spec->baseline, err));
    TRY(check_run_name(p, spec->run, err));
    text_init(&page, LONGEST_PAGE);
    text_init(&body, LONGEST_PAGE);
    peck_status st = boards_open(&all, p, spec, err);

    if (st == PECK_OK)
        st = add_body(&body, p, &all, spec, err);
    if (st == PECK_OK && !body.failed) {
        html_open(&page, spec->title != NULL ? spec->title : "Results");
        add_head(&page, p, &all);
        html_links(&page, &body);
        text_add(&page, body.s, body.len);
        html_close(&page, "Made by peck " PECK_VERSION);
    }
    if (st == PECK_OK && (page.failed || body.failed))
        st = fail_memory(err, "the page", page.len + body.len, 2);
    if (st == PECK_OK)
        st = output_open(&o, path, err);
    if (st == PECK_OK) {
        output_write(o, page.s, page.len);
        st = output_commit(o, err);
    }
    text_free(&body);
    text_free(&page);
    boards_close(&all);
    return st;
}
