/* show.c -- a page, from its opening to the file: runs are found by path, told apart by name and
 * filled from models and reports; then runs -> boards -> sections -> file.            */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/output.h"
#include "../base/spec.h"
#include "../model/model.h"

#include <math.h>

peck_status peck_page_new(peck_page **out, peck_error *err)
{
    *out = mem_new(1, sizeof **out);
    return *out != NULL ? PECK_OK : fail_memory(err, "the page", 1, sizeof **out);
}

static void sums_free(struct sums *s)
{
    index_free(&s->name);
    mem_free(s->value);
}

void peck_page_free(peck_page *p)
{
    for (size_t i = 0; p != NULL && i < p->n_runs; i++) {
        struct show_run *const r = &p->run[i];

        for (size_t k = 0; k < r->n_judged; k++) {
            strings_free(&r->judged[k].column);
            strings_free(&r->judged[k].query);
            mem_free(r->judged[k].value);
        }
        for (size_t k = 0; k < r->n_curves; k++)
            mem_free(r->curve[k].point);
        strings_free(&r->string);
        sums_free(&r->importance);
        sums_free(&r->rules);
        mem_free(r->fact);
        mem_free(r->judged);
        mem_free(r->curve);
        mem_free(r->decoding);
        mem_free(r->path);
    }
    if (p != NULL)
        mem_free(p->run);
    mem_free(p);
}

/* Slashes at the end do not make another run. */
struct show_run *show_run_at(struct peck_page *p, peck_span path)
{
    while (path.n > 1 && path.s[path.n - 1] == '/')
        path.n--;
    for (size_t i = 0; i < p->n_runs; i++)
        if (span_equal(span_of(p->run[i].path), path))
            return &p->run[i];
    char *const own = mem_new(path.n + 1, 1);

    if (own == NULL || !mem_reserve(&p->run, &p->cap_runs, p->n_runs + 1, sizeof *p->run)) {
        mem_free(own);
        return NULL;
    }
    if (path.n > 0)
        memcpy(own, path.s, path.n);
    p->run[p->n_runs] = (struct show_run){ .path = own };
    return &p->run[p->n_runs++];
}

/* The last n parts of "a/b/c". */
static const char *path_tail(const char *path, size_t n)
{
    const char *at = path + strlen(path);

    for (; at > path; at--)
        if (at[-1] == '/' && n-- == 1)
            break;
    return at;
}

const char *show_short_name(const char *const *path, size_t n, size_t i)
{
    size_t n_parts = 1;

    for (size_t other = 0; other < n; other++)
        while (other != i && path_tail(path[i], n_parts) > path[i] &&
               strcmp(path_tail(path[i], n_parts), path_tail(path[other], n_parts)) == 0)
            n_parts++;
    return path_tail(path[i], n_parts);
}

peck_status show_name_runs(struct peck_page *p, peck_error *err)
{
    const char **const path = mem_new(p->n_runs, sizeof *path);

    if (path == NULL)
        return fail_memory(err, "names of runs", p->n_runs, sizeof *path);
    for (size_t i = 0; i < p->n_runs; i++)
        path[i] = p->run[i].path;
    for (size_t i = 0; i < p->n_runs; i++)
        p->run[i].name = show_short_name(path, p->n_runs, i);
    mem_free(path);
    return PECK_OK;
}

static peck_status add_run_fact(struct show_run *r, size_t fold, const char *key,
                                peck_span text, peck_error *err)
{
    if (!mem_reserve(&r->fact, &r->cap_facts, r->n_facts + 1, sizeof *r->fact) ||
        !strings_add(&r->string, span_of(key)) || !strings_add(&r->string, text))
        return fail_memory(err, "facts of a run", r->n_facts + 1, sizeof *r->fact);
    r->fact[r->n_facts++] =
        (struct fact){ .fold = fold, .key = r->string.n - 2, .text = r->string.n - 1 };
    return PECK_OK;
}

peck_span show_fact(const struct show_run *r, const char *key)
{
    for (size_t i = 0; i < r->n_facts; i++)
        if (span_is(strings_get(&r->string, r->fact[i].key), key))
            return strings_get(&r->string, r->fact[i].text);
    return (peck_span){ 0 };
}

peck_span show_convention(const struct show_run *r)
{
    const peck_span judged = show_fact(r, "judged by");

    return judged.n > 0 ? judged : show_fact(r, "convention");
}

struct learning_curve *show_add_curve(struct show_run *r, size_t fold, size_t member)
{
    if (!mem_reserve(&r->curve, &r->cap_curves, r->n_curves + 1, sizeof *r->curve))
        return NULL;
    r->curve[r->n_curves] = (struct learning_curve){ .fold = fold, .member = member };
    return &r->curve[r->n_curves++];
}

bool curve_add(struct learning_curve *l, struct epoch_point point)
{
    if (!mem_reserve(&l->point, &l->cap, l->n + 1, sizeof *l->point))
        return false;
    l->point[l->n++] = point;
    return true;
}

/* From models ------------------------------------------------------------------------- */

/* The next word between blanks; n = 0: no more. */
static peck_span cut_word(peck_span *at)
{
    while (at->n > 0 && *at->s == ' ')
        at->s++, at->n--;
    peck_span word = { at->s, 0 };

    while (word.n < at->n && at->s[word.n] != ' ')
        word.n++;
    at->s += word.n;
    at->n -= word.n;
    return word;
}

/* "best 3: 0.401 0.423 0.431": values of the metric, or of the loss where there was no
 * validation; "12:4 30:9 ...": pairs that a method chose so far, of the training and of the
 * validation data; "0.41 0.43 ...": the metric on the training data.  False: no memory. */
static bool read_curve(struct learning_curve *l, peck_span text, bool is_loss,
                       peck_span pairs, peck_span train)
{
    const double none = (double)NAN;
    double best = 0, value = 0;

    cut_word(&text);
    peck_span word = cut_word(&text);

    if (word.n < 2 || !number_parse((peck_span){ word.s, word.n - 1 }, &best))
        return true;
    for (size_t e = 1; (word = cut_word(&text)).n > 0; e++) {
        struct epoch_point point = { (double)e,        none, none, none, none, none,
                                     (double)e == best };

        *(is_loss ? &point.loss : &point.valid) =
            number_parse(word, &value) ? value : (double)NAN;
        if (!curve_add(l, point))
            return false;
    }
    for (size_t e = 0; e < l->n; e++) {
        const peck_span chosen = cut_word(&pairs), own = cut_word(&train);
        const char *const colon = chosen.n > 0 ? memchr(chosen.s, ':', chosen.n) : NULL;
        struct epoch_point *const point = &l->point[e];

        if (colon == NULL)
            break;
        const size_t n = (size_t)(colon - chosen.s);

        number_parse((peck_span){ chosen.s, n }, &point->train_pairs);
        number_parse((peck_span){ colon + 1, chosen.n - n - 1 }, &point->valid_pairs);
        number_parse(own, &point->train);
    }
    return true;
}

/* A learning curve for each member of an ensemble; is_loss: of the loss, for want of a metric. */
static peck_status add_curves(struct show_run *r, size_t fold, const struct peck_model *m,
                              bool is_loss, peck_error *err)
{
    char key[40] = "history", pairs[40] = "pairs", train[40] = "training metric";

    for (size_t i = 0; i < r->n_curves; i++)
        if (r->curve[i].fold ==
            fold) /* a log told of this training already, and says more */
            return PECK_OK;
    for (size_t i = 0; i < m->n_members; i++) {
        if (m->n_members > 1) {
            snprintf(key, sizeof key, "history.%zu", i + 1);
            snprintf(pairs, sizeof pairs, "pairs.%zu", i + 1);
            snprintf(train, sizeof train, "training metric.%zu", i + 1);
        }
        const peck_span text = notes_get(&m->notes, key);

        if (text.n == 0)
            continue;
        struct learning_curve *const l =
            show_add_curve(r, fold, m->n_members > 1 ? i + 1 : 0);

        if (l == NULL || !read_curve(l, text, is_loss, notes_get(&m->notes, pairs),
                                     notes_get(&m->notes, train)))
            return fail_memory(err, "histories", m->n_members, sizeof *l);
    }
    return PECK_OK;
}

/* Adds to the sums of a name; false: no memory. */
static bool sums_add(struct sums *s, peck_span name, double a, double b, double c)
{
    const size_t n_before = s->name.names.n;
    const int64_t at = index_put(&s->name, name);

    if (at < 0 || !mem_reserve(&s->value, &s->cap, s->name.names.n, sizeof *s->value))
        return false;
    double *const v = s->value[at];

    if (s->name.names.n > n_before)
        memset(v, 0, sizeof *s->value);
    v[0] += a;
    v[1] += b;
    v[2] += c;
    return true;
}

/* Of a model that asks about features. */
static peck_status add_importance(struct show_run *r, const struct peck_model *m,
                                  peck_error *err)
{
    struct peck_report *found = NULL;
    struct report_grid t = { 0 };
    bool is_complete = true;

    TRY(peck_model_importance(&found, m, err));
    if (report_find_table(found, "importance", &t))
        for (size_t row = 0; row < t.n_rows && is_complete; row++)
            is_complete = sums_add(&r->importance, report_text_at(found, &t, row, 0),
                                   report_number_at(found, &t, row, 2),
                                   report_number_at(found, &t, row, 1), 0);
    r->importance.n_folds++;
    peck_report_free(found);
    return is_complete ? PECK_OK : fail_memory(err, "importance", t.n_rows, 24);
}

/* "trees: up to 500 trees of 10 leaves on 92 features, none+query-zscore"; of a committee
 * "0.250 of ridge, 0.750 of lambdamart" */
static peck_status add_shape(struct show_run *r, size_t fold, const struct peck_model *m,
                             peck_error *err)
{
    struct text text;

    text_init(&text, (size_t)1 << 20);
    if (m->n_parts == 0) {
        text_printf(&text, "%s: ", m->family->plug.about.name);
        if (m->n_members > 1)
            text_printf(&text, "%zu of ", m->n_members);
        m->family->describe(m->shape, &text);
        text_printf(&text, ", features by %s", m->norm->spec);
    }
    for (size_t i = 0; i < m->n_parts; i++) {
        char share[32];

        number_print(share, sizeof share, 'f', 3, m->share[i]);
        text_printf(&text, "%s%s of %.*s", i > 0 ? ", " : "", share,
                    SPAN_ARGS(notes_get(&m->part[i]->notes, "method")));
    }
    const peck_status st =
        text.failed ? fail_memory(err, "shape of a model", 1, text.len)
                    : add_run_fact(r, fold, "model", (peck_span){ text.s, text.len }, err);

    text_free(&text);
    return st;
}

/* Notes become facts, but for those that are drawn; then the shape in words.  A committee has
 * no seed, settings and data of its own and is told those of its models. */
peck_status show_add_model(struct show_run *r, size_t fold, const struct peck_model *m,
                           peck_error *err)
{
    static const char *const curve[] = { "history", "pairs", "training metric" };
    static const char *const inherited[] = { "seed", "settings", "data" };
    char name[SPAN_SHOWN + 1];

    for (size_t i = 0; i < m->notes.key.n; i++) {
        const peck_span key = strings_get(&m->notes.key, i);
        bool is_curve = false; /* which is drawn, not told */

        for (size_t k = 0; k < sizeof curve / sizeof *curve; k++) {
            const size_t n = strlen(curve[k]);

            is_curve |= key.n >= n && memcmp(key.s, curve[k], n) == 0;
        }
        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(key));
        if (!is_curve)
            TRY(add_run_fact(r, fold, name, strings_get(&m->notes.text, i), err));
    }
    TRY(add_shape(r, fold, m, err));
    for (size_t i = 0; i < m->n_parts; i++)
        for (size_t k = 0; k < sizeof inherited / sizeof *inherited; k++)
            TRY(add_run_fact(r, fold, inherited[k],
                             notes_get(&m->part[i]->notes, inherited[k]), err));
    const bool is_loss = span_is(notes_get(&m->notes, "metric"), "none");

    r->n_parts = m->n_parts;
    if (m->n_members > 1) {
        snprintf(name, sizeof name, "%zu", m->n_members);
        TRY(add_run_fact(r, fold, "ensemble", span_of(name), err));
    }
    if (model_asks_questions(m))
        TRY(add_importance(r, m, err));
    return add_curves(r, fold, m, is_loss, err);
}

/* From reports -------------------------------------------------------------------------- */

/* Sums over the folds; a table of `rules check` has none. */
static peck_status add_rules_table(struct show_run *r, const struct peck_report *from,
                                   const struct report_grid *t, peck_error *err)
{
    const size_t queries = report_find_column(from, t, "queries"),
                 hold = report_find_column(from, t, "hold"),
                 penalty = report_find_column(from, t, "penalty");

    if (hold == t->n_columns)
        return PECK_OK;
    for (size_t row = 0; row < t->n_rows; row++) {
        const double n = report_number_at(from, t, row, queries);
        const double mean = report_number_at(from, t, row, penalty);

        if (!sums_add(&r->rules, report_text_at(from, t, row, 0), n,
                      report_number_at(from, t, row, hold), isnan(mean) ? 0 : n * mean))
            return fail_memory(err, "rules", t->n_rows, 24);
    }
    r->rules.n_folds++;
    return PECK_OK;
}

/* What it was judged by and on, then what it holds: rules, values per query (which stay sorted
 * by fold), decoders. */
peck_status show_add_report(struct show_run *r, size_t fold,
                            const struct peck_report *report, peck_error *err)
{
    const struct report_sheet sheet = report_sheet(report);
    const peck_span convention = report_find_text(report, "convention");
    const peck_span labels = report_find_text(report, LABELS_NOTE);
    static const char *const origin[] = { "command", "data file" };
    struct report_grid t;

    if (convention.n > 0)
        TRY(add_run_fact(r, fold, "judged by", convention, err));
    if (labels.n > 0)
        TRY(add_run_fact(r, fold, LABELS_NOTE, labels, err));
    for (size_t i = 0; i < sizeof origin / sizeof *origin; i++)
        if (report_find_text(report, origin[i]).n > 0)
            TRY(add_run_fact(r, fold, origin[i], report_find_text(report, origin[i]), err));
    if (report_find_table(report, "rules", &t))
        TRY(add_rules_table(r, report, &t, err));
    else if (sheet.n_queries > 0) {
        const size_t n = sheet.n_queries * sheet.n_columns;

        for (size_t i = 0; i < r->n_judged; i++)
            if (r->judged[i].fold == fold) /* a mistake that would go unseen */
                return fail(err, PECK_SHAPE,
                            "%.300s: two files have values per query for the same run; "
                            "give each run a name or a folder of its own",
                            r->path);
        if (!mem_reserve(&r->judged, &r->cap_judged, r->n_judged + 1, sizeof *r->judged))
            return fail_memory(err, "values per query", n, sizeof *sheet.value);
        struct fold_values *at = r->judged + r->n_judged++;

        for (; at > r->judged && at[-1].fold > fold; at--)
            *at = at[-1];
        *at = (struct fold_values){ .fold = fold, .value = mem_new(n, sizeof *at->value) };
        if (at->value == NULL ||
            !strings_add_from(&at->column, sheet.column, NULL, sheet.column->n) ||
            !strings_add_from(&at->query, sheet.query, NULL, sheet.query->n))
            return fail_memory(err, "values per query", n, sizeof *sheet.value);
        if (n > 0)
            memcpy(at->value, sheet.value, n * sizeof *sheet.value);
    }
    if (!report_find_table(report, "decoder", &t))
        return PECK_OK;
    const size_t questions = report_find_column(report, &t, "questions"),
                 error = report_find_column(report, &t, "error");

    if (questions == t.n_columns || error == t.n_columns)
        return fail(err, PECK_FORMAT,
                    "%.300s: a table of decoders has the columns decoder, questions and "
                    "error",
                    r->path);
    for (size_t row = 0; row < t.n_rows; row++) {
        if (!mem_reserve(&r->decoding, &r->cap_decodings, r->n_decodings + 1,
                         sizeof *r->decoding) ||
            !strings_add(&r->string, report_text_at(report, &t, row, 0)))
            return fail_memory(err, "decoders", t.n_rows, sizeof *r->decoding);
        r->decoding[r->n_decodings++] =
            (struct decoder_point){ r->string.n - 1,
                                    report_number_at(report, &t, row, questions),
                                    report_number_at(report, &t, row, error) };
    }
    return PECK_OK;
}

static peck_status find_page_run(struct show_run **out, struct peck_page *p,
                                 const char *name, peck_error *err)
{
    *out = show_run_at(p, span_of(name));
    return *out != NULL ? PECK_OK : fail_memory(err, "runs", p->n_runs, sizeof **out);
}

peck_status peck_page_add_model(peck_page *p, const char *run, size_t fold,
                                const peck_model *m, peck_error *err)
{
    struct show_run *r;

    TRY(find_page_run(&r, p, run, err));
    return show_add_model(r, fold, m, err);
}

peck_status peck_page_add_report(peck_page *p, const char *run, size_t fold,
                                 const peck_report *report, peck_error *err)
{
    struct show_run *r;

    TRY(find_page_run(&r, p, run, err));
    return show_add_report(r, fold, report, err);
}

/* For the sections ---------------------------------------------------------------------- */

bool show_any_run(const struct peck_page *p, bool (*has)(const struct show_run *r))
{
    for (size_t i = 0; i < p->n_runs; i++)
        if (has(&p->run[i]))
            return true;
    return false;
}

peck_status show_plot_runs(struct text *to, const struct peck_page *p, size_t most,
                           bool (*has)(const struct show_run *r), show_draw *draw,
                           peck_error *err)
{
    size_t n = 0;

    html_plots(to);
    for (size_t i = 0; i < p->n_runs; i++)
        if (has(&p->run[i]) && n++ < most)
            TRY(draw(to, p, &p->run[i], err));
    html_plots_end(to);
    return PECK_OK;
}

/* Writing ------------------------------------------------------------------------------- */

/* A page that is larger would be slow to open; nothing here comes near. */
enum { LONGEST_PAGE = 1 << 24 };

/* Of more runs their number is told, not their names. */
enum { MOST_NAMES = 6 };

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
        if (!(b->standing[i].best.p < show_level))
            text_printf(&equals, "%s%s", n_equal++ > 0 ? ", " : "", b->standing[i].name);
    if (n_equal > MOST_NAMES) {
        equals.len = 0;
        text_printf(&equals, "%zu of the other %zu runs", n_equal, b->n_runs - 1);
    }
    text_add_str(&equals, "");
    html_tell(to, "lead",
              "%s%s is %s with %.*s %s (95 %% interval %s to %s) on %zu queries%s%s.",
              where, *where != '\0' ? ": best" : "Best", best->name, SPAN_ARGS(metric),
              show_figure(mean, best->mean, 4), show_figure(low, best->interval.low, 4),
              show_figure(high, best->interval.high, 4), b->n_kept,
              b->n_runs == 1 ? ""
              : n_equal == 0 ? "; it is significantly better than every other run"
                             : "; there is no clear difference to ",
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
        show_ranks(to, b, &at, spec);
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
    size_t n_tables = 0; /* runs that are tables of decoders */

    for (size_t i = 0; i < all->n; i++) {
        char name[128] = "";

        if (all->n > 1)
            name_board(name, sizeof name, p, &all->board[i], i + 1);
        add_summary(to, &all->board[i], name);
    }
    for (size_t i = 0; i < p->n_runs; i++)
        n_tables += p->run[i].n_decodings > 0 && p->run[i].n_facts == 0;
    if (all->n == 0 && n_tables == p->n_runs)
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

/* The body comes first: the links at the top are read from it.  The file appears whole, or not
 * at all. */
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
        show_origin(&page, p, &all, spec);
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
