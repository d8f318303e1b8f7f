/* show_add.c -- what a page takes from models and from reports. */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../model/model.h"

#include <math.h>

/* Models ----------------------------------------------------------------------------- */

static struct epoch_point no_epoch(void)
{
    const double none = (double)NAN;

    return (struct epoch_point){ none, none, none, none, none, none, false };
}

/* The next word between blanks; n = 0: no more. */
static peck_span next_word(peck_span *at)
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
 * validation.  False: no memory. */
static bool add_history(struct learning_curve *l, peck_span text, bool is_loss)
{
    double best = 0, value = 0;

    next_word(&text);
    peck_span word = next_word(&text);

    if (word.n < 2 || !number_parse((peck_span){ word.s, word.n - 1 }, &best))
        return true;
    for (size_t e = 1; (word = next_word(&text)).n > 0; e++) {
        struct epoch_point point = no_epoch();

        point.epoch = (double)e;
        point.is_best = (double)e == best;
        *(is_loss ? &point.loss : &point.valid) =
            number_parse(word, &value) ? value : (double)NAN;
        if (!curve_add(l, point))
            return false;
    }
    return true;
}

/* "12:4 30:9 ...": pairs that a method chose so far, of the training and of the validation
 * data, and "0.41 0.43 ...", the metric on the training data. */
static void add_choice(struct learning_curve *l, peck_span pairs, peck_span train)
{
    for (size_t e = 0; e < l->n; e++) {
        const peck_span word = next_word(&pairs), own = next_word(&train);
        const char *const colon = word.n > 0 ? memchr(word.s, ':', word.n) : NULL;
        const size_t head = colon != NULL ? (size_t)(colon - word.s) : word.n;
        struct epoch_point *const point = &l->point[e];

        if (colon == NULL)
            return;
        number_parse((peck_span){ word.s, head }, &point->train_pairs);
        number_parse((peck_span){ colon + 1, word.n - head - 1 }, &point->valid_pairs);
        number_parse(own, &point->train);
    }
}

/* Whether a log told of this training already: it says more. */
static bool has_curve(const struct show_run *r, size_t fold)
{
    for (size_t i = 0; i < r->n_curves; i++)
        if (r->curve[i].fold == fold)
            return true;
    return false;
}

static peck_status add_histories(struct show_run *r, size_t fold,
                                 const struct peck_model *m, peck_error *err)
{
    const bool is_loss = span_is(notes_get(&m->notes, "metric"), "none");
    char key[40] = "history", pairs[40] = "pairs", train[40] = "training metric";

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

        if (l == NULL || !add_history(l, text, is_loss))
            return fail_memory(err, "histories", m->n_members, sizeof *l);
        add_choice(l, notes_get(&m->notes, pairs), notes_get(&m->notes, train));
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

/* Only models that ask about features have any. */
static peck_status add_importance(struct show_run *r, const struct peck_model *m,
                                  peck_error *err)
{
    struct peck_report *found = NULL;
    struct report_grid t = { 0 };
    bool is_complete = true;
    peck_error why = { PECK_OK, "" };
    const peck_status st = peck_model_importance(&found, m, &why);

    if (st != PECK_OK)
        return st == PECK_ARG ? PECK_OK : fail(err, st, "%s", why.text);
    if (report_find_table(found, "importance", &t))
        for (size_t row = 0; row < t.n_rows && is_complete; row++)
            is_complete = sums_add(&r->importance, report_text_at(found, &t, row, 0),
                                   report_number_at(found, &t, row, 2),
                                   report_number_at(found, &t, row, 1), 0);
    r->importance.n_folds++;
    peck_report_free(found);
    return is_complete ? PECK_OK : fail_memory(err, "importance", t.n_rows, 24);
}

/* "trees: up to 500 trees of 10 leaves on 92 features, none+query-zscore" */
static void print_shape(const struct peck_model *m, struct text *to)
{
    text_printf(to, "%s: ", m->family->plug.about.name);
    if (m->n_members > 1)
        text_printf(to, "%zu of ", m->n_members);
    m->family->describe(m->shape, to);
    text_printf(to, ", features by %s", norm_spec(m->norm));
}

/* "0.250 of ridge" */
static void print_part(const struct peck_model *m, size_t i, struct text *to)
{
    char share[32];
    const peck_span method = notes_get(&m->part[i]->notes, "method");

    number_print(share, sizeof share, 'f', 3, m->share[i]);
    text_printf(to, "%s%s of %.*s", i > 0 ? ", " : "", share, SPAN_ARGS(method));
}

static peck_status add_shape(struct show_run *r, size_t fold, const struct peck_model *m,
                             peck_error *err)
{
    struct text text;

    text_init(&text, (size_t)1 << 20);
    if (m->n_parts == 0)
        print_shape(m, &text);
    for (size_t i = 0; i < m->n_parts; i++)
        print_part(m, i, &text);
    const peck_status st =
        text.failed ? fail_memory(err, "shape of a model", 1, text.len)
                    : show_add_fact(r, fold, "model", (peck_span){ text.s, text.len }, err);

    text_free(&text);
    return st;
}

/* Notes that are curves are drawn, not told. */
static bool is_curve(peck_span key)
{
    static const char *const begin[] = { "history", "pairs", "training metric" };

    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        const size_t n = strlen(begin[i]);

        if (key.n >= n && memcmp(key.s, begin[i], n) == 0)
            return true;
    }
    return false;
}

static peck_status add_notes(struct show_run *r, size_t fold, const struct notes *notes,
                             peck_error *err)
{
    char name[SPAN_SHOWN + 1];

    for (size_t i = 0; i < notes->key.n; i++) {
        const peck_span key = strings_get(&notes->key, i);

        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(key));
        if (!is_curve(key))
            TRY(show_add_fact(r, fold, name, strings_get(&notes->text, i), err));
    }
    return PECK_OK;
}

peck_status show_add_model(struct show_run *r, size_t fold, const struct peck_model *m,
                           peck_error *err)
{
    static const char *const inherited[] = { "seed", "settings", "data" };

    TRY(add_notes(r, fold, &m->notes, err));
    TRY(add_shape(r, fold, m, err));
    for (size_t i = 0; i < m->n_parts; i++)
        for (size_t k = 0; k < sizeof inherited / sizeof *inherited; k++)
            TRY(show_add_fact(r, fold, inherited[k],
                              notes_get(&m->part[i]->notes, inherited[k]), err));
    if (!has_curve(r, fold))
        TRY(add_histories(r, fold, m, err));
    return add_importance(r, m, err);
}

/* Reports ------------------------------------------------------------------------------ */

static bool copy_strings(struct strings *to, const struct strings *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!strings_add(to, strings_get(from, i)))
            return false;
    return true;
}

/* A second file for the same fold is a mistake that would go unseen. */
static peck_status add_sheet(struct show_run *r, size_t fold, const struct report_sheet *s,
                             peck_error *err)
{
    const size_t n = s->n_queries * s->n_columns;

    for (size_t i = 0; i < r->n_judged; i++)
        if (r->judged[i].fold == fold)
            return fail(err, PECK_SHAPE,
                        "%.300s: two files have values per query for the same run; give "
                        "each run a name or a folder of its own",
                        r->path);
    if (!mem_reserve(&r->judged, &r->cap_judged, r->n_judged + 1, sizeof *r->judged))
        return fail_memory(err, "values per query", n, sizeof *s->value);
    struct judged *at = r->judged + r->n_judged++;

    for (; at > r->judged && at[-1].fold > fold; at--)
        *at = at[-1];
    *at = (struct judged){ .fold = fold, .value = mem_new(n, sizeof *at->value) };
    if (at->value == NULL || !copy_strings(&at->column, s->column) ||
        !copy_strings(&at->query, s->query))
        return fail_memory(err, "values per query", n, sizeof *s->value);
    if (n > 0)
        memcpy(at->value, s->value, n * sizeof *s->value);
    return PECK_OK;
}

static peck_status add_rules(struct show_run *r, const struct peck_report *from,
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

static peck_status add_decoders(struct show_run *r, const struct peck_report *from,
                                const struct report_grid *t, peck_error *err)
{
    const size_t questions = report_find_column(from, t, "questions"),
                 error = report_find_column(from, t, "error");

    if (questions == t->n_columns || error == t->n_columns)
        return fail(err, PECK_FORMAT,
                    "%.300s: a table of decoders has the columns decoder, questions and "
                    "error",
                    r->path);
    for (size_t row = 0; row < t->n_rows; row++) {
        if (!mem_reserve(&r->decoding, &r->cap_decodings, r->n_decodings + 1,
                         sizeof *r->decoding) ||
            !strings_add(&r->string, report_text_at(from, t, row, 0)))
            return fail_memory(err, "decoders", t->n_rows, sizeof *r->decoding);
        r->decoding[r->n_decodings++] =
            (struct decoder_point){ r->string.n - 1,
                                    report_number_at(from, t, row, questions),
                                    report_number_at(from, t, row, error) };
    }
    return PECK_OK;
}

peck_status show_add_report(struct show_run *r, size_t fold,
                            const struct peck_report *report, peck_error *err)
{
    const struct report_sheet sheet = report_sheet(report);
    const peck_span convention = report_find_text(report, "convention");
    const peck_span labels = report_find_text(report, LABELS_NOTE);
    struct report_grid t;
    const bool has_rules = report_find_table(report, "rules", &t);

    if (convention.n > 0)
        TRY(show_add_fact(r, fold, "judged by", convention, err));
    if (labels.n > 0)
        TRY(show_add_fact(r, fold, LABELS_NOTE, labels, err));
    if (has_rules)
        TRY(add_rules(r, report, &t, err));
    else if (sheet.n_queries > 0)
        TRY(add_sheet(r, fold, &sheet, err));
    if (report_find_table(report, "decoder", &t))
        TRY(add_decoders(r, report, &t, err));
    return PECK_OK;
}

static peck_status find_run(struct show_run **out, struct peck_page *p, const char *name,
                            peck_error *err)
{
    *out = show_run_at(p, span_of(name));
    return *out != NULL ? PECK_OK : fail_memory(err, "runs", p->n_runs, sizeof **out);
}

peck_status peck_page_add_model(peck_page *p, const char *run, size_t fold,
                                const peck_model *m, peck_error *err)
{
    struct show_run *r;

    TRY(find_run(&r, p, run, err));
    return show_add_model(r, fold, m, err);
}

peck_status peck_page_add_report(peck_page *p, const char *run, size_t fold,
                                 const peck_report *report, peck_error *err)
{
    struct show_run *r;

    TRY(find_run(&r, p, run, err));
    return show_add_report(r, fold, report, err);
}
