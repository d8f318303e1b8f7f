/* show_settings.c -- what each run was made with, and what the words of the page mean. */
#include "show.h"

/* Up to the first of these bytes. */
static peck_span head_of(peck_span s, const char *stop)
{
    size_t n = 0;

    while (n < s.n && strchr(stop, s.s[n]) == NULL)
        n++;
    return (peck_span){ s.s, n };
}

/* "9630 documents, 471 queries, 46 features, 20330e55..." -> the last word. */
static peck_span fingerprint_of(peck_span data)
{
    peck_span first = head_of(data, ";");
    size_t from = first.n;

    while (from > 0 && first.s[from - 1] != ' ')
        from--;
    return from < first.n ? (peck_span){ first.s + from, first.n - from } : first;
}

static void add_cell(struct text *to, peck_span s)
{
    html_cell_text(to, s.n > 0 ? s : span_of("–"));
}

/* What a reader asks first, a line a run. */
static void add_overview(struct text *to, const struct peck_page *p)
{
    static const struct html_column head[] = {
        { "run", NULL, true, 0 },
        { "method", NULL, true, 0 },
        { "seed", NULL, true, 0 },
        { "folds", "with values per query", false, 0 },
        { "chosen by", "the metric that chose epochs and settings", true, 0 },
        { "convention", "by which it was judged", true, 0 },
        { "training data", "its fingerprint; of the first fold", true, 0 },
    };

    html_table(to, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < p->n_runs; i++) {
        const struct show_run *const r = &p->run[i];
        if (r->n_facts == 0 && r->n_judged == 0)
            continue;
        html_row(to);
        html_cell_text(to, span_of(r->name));
        add_cell(to, show_fact(r, "method"));
        add_cell(to, show_fact(r, "seed"));
        html_cell_number(to, (double)r->n_judged, 0);
        add_cell(to, show_fact(r, "metric"));
        add_cell(to, head_of(show_convention(r), ":"));
        add_cell(to, fingerprint_of(show_fact(r, "data")));
    }
    html_table_end(to);
}

static peck_span string_at(const struct show_run *r, size_t i)
{
    return strings_get(&r->string, i);
}

/* Whether an earlier fact has the same name, and text if that matters. */
static bool was_told(const struct show_run *r, size_t i, bool minds_text)
{
    for (size_t k = 0; k < i; k++)
        if (span_equal(string_at(r, r->fact[k].key), string_at(r, r->fact[i].key)) &&
            (!minds_text ||
             span_equal(string_at(r, r->fact[k].text), string_at(r, r->fact[i].text))))
            return true;
    return false;
}

/* "1, 3: " where folds differ. */
static void add_folds(struct text *to, const struct show_run *r, size_t i)
{
    const char *before = "fold ";

    for (size_t k = 0; k < r->n_facts; k++)
        if (span_equal(string_at(r, r->fact[k].key), string_at(r, r->fact[i].key)) &&
            span_equal(string_at(r, r->fact[k].text), string_at(r, r->fact[i].text)) &&
            r->fact[k].fold > 0) {
            text_printf(to, "%s%zu", before, r->fact[k].fold);
            before = ", ";
        }
    text_add_str(to, *before == ',' ? ": " : "");
}

/* All texts of one name. */
static void add_fact(struct text *to, const struct show_run *r, size_t i)
{
    const peck_span key = string_at(r, r->fact[i].key);
    bool differs = false;

    for (size_t k = i; k < r->n_facts; k++)
        differs |=
            span_equal(string_at(r, r->fact[k].key), key) &&
            !span_equal(string_at(r, r->fact[k].text), string_at(r, r->fact[i].text));
    text_add_str(to, "<dt>");
    html_escape(to, key);
    text_add_str(to, "</dt><dd>");
    for (size_t k = i; k < r->n_facts; k++) {
        if (!span_equal(string_at(r, r->fact[k].key), key) || was_told(r, k, true))
            continue;
        text_add_str(to, k > i ? "<br>" : "");
        if (differs)
            add_folds(to, r, k);
        html_escape(to, string_at(r, r->fact[k].text));
    }
    text_add_str(to, "</dd>\n");
}

/* How a run was made comes first, how it was judged last, whichever file was read first.  That
 * it was judged by the convention it was trained by goes without saying. */
enum telling { OF_MAKING, OF_JUDGING, OF_NOTHING };

static enum telling telling_of(const struct show_run *r, size_t i)
{
    const peck_span key = string_at(r, r->fact[i].key);

    if (span_is(key, "judged by"))
        return span_equal(string_at(r, r->fact[i].text), show_fact(r, "convention"))
                   ? OF_NOTHING
                   : OF_JUDGING;
    return span_is(key, LABELS_NOTE) ? OF_JUDGING : OF_MAKING;
}

static void add_details(struct text *to, const struct show_run *r)
{
    text_add_str(to, "<details><summary>");
    html_escape_str(to, r->name);
    text_add_str(to, "</summary>\n<dl>\n<dt>from</dt><dd>");
    html_escape_str(to, r->path);
    text_add_str(to, "</dd>\n");
    for (int part = OF_MAKING; part <= OF_JUDGING; part++)
        for (size_t i = 0; i < r->n_facts; i++)
            if ((int)telling_of(r, i) == part && !was_told(r, i, false))
                add_fact(to, r, i);
    text_add_str(to, "</dl></details>\n");
}

static bool has_settings(const struct peck_page *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_runs; i++)
        n += p->run[i].n_facts + p->run[i].n_judged;
    return n > 0;
}

void show_settings(struct text *to, const struct peck_page *p)
{
    if (!has_settings(p))
        return;
    html_section(to, 2, "settings", "What each run was made with");
    html_tell(
        to, "how",
        "All it takes to repeat a run. The fingerprint is a number made of the training "
        "data: where it is the same, the data was the same to the last digit. Open a "
        "run to see its settings in full.");
    add_overview(to, p);
    for (size_t i = 0; i < p->n_runs; i++)
        if (p->run[i].n_facts > 0)
            add_details(to, &p->run[i]);
    html_section_end(to);
}

/* Words ------------------------------------------------------------------------------------- */

/* Whether some board has a column of this metric: "ndcg", "ndcg@5". */
static bool is_used(const struct boards *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t c = 0; c < all->board[i].column.n; c++)
            if (span_is(head_of(strings_get(&all->board[i].column, c), "@"), name))
                return true;
    return false;
}

static void add_word(struct text *to, const char *name, const char *title, const char *doc)
{
    text_add_str(to, "<dt>");
    html_escape_str(to, name);
    text_add_str(to, "</dt><dd>");
    html_escape_str(to, title);
    text_add_str(to, ". ");
    html_escape_str(to, doc);
    text_add_str(to, "</dd>\n");
}

void show_words(struct text *to, const struct boards *b)
{
    if (b->n == 0)
        return;
    html_section(to, 2, "words", "What the words mean");
    text_add_str(to, "<dl>\n");
    add_word(to, "query, document", "a question and what was found for it",
             "A run puts the documents of each query in an order; people have judged how "
             "relevant each one is (its label).");
    add_word(to, "fold", "a part of the queries, kept apart for testing",
             "The model that ranks a fold has learnt from other folds alone.");
    for (size_t i = 0; i < n_metrics; i++)
        if (is_used(b, metrics[i]->plug.about.name))
            add_word(to, metrics[i]->plug.about.name, metrics[i]->plug.about.title,
                     metrics[i]->plug.about.doc);
    text_add_str(to, "</dl>\n");
    html_section_end(to);
}
