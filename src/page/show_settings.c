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

/* A cell of text, "–" where there is none. */
static void cell_or_dash(struct text *to, peck_span s)
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
        /* "9630 documents, 471 queries, 46 features, 20330e55..." -> the last word */
        peck_span data = head_of(show_fact(r, "data"), ";");
        size_t from = data.n;

        while (from > 0 && data.s[from - 1] != ' ')
            from--;
        if (from < data.n)
            data = (peck_span){ data.s + from, data.n - from };
        if (r->n_facts == 0 && r->n_judged == 0)
            continue;
        html_row(to);
        html_cell_text(to, span_of(r->name));
        cell_or_dash(to, show_fact(r, "method"));
        cell_or_dash(to, show_fact(r, "seed"));
        html_cell_number(to, (double)r->n_judged, 0);
        cell_or_dash(to, show_fact(r, "metric"));
        cell_or_dash(to, head_of(show_convention(r), ":"));
        cell_or_dash(to, data);
    }
    html_table_end(to);
}

/* The key and the text of a fact. */
static peck_span fact_key(const struct show_run *r, size_t i)
{
    return strings_get(&r->string, r->fact[i].key);
}

static peck_span fact_text(const struct show_run *r, size_t i)
{
    return strings_get(&r->string, r->fact[i].text);
}

/* Whether an earlier fact has the same name, and text if that matters. */
static bool was_told(const struct show_run *r, size_t i, bool minds_text)
{
    for (size_t k = 0; k < i; k++)
        if (span_equal(fact_key(r, k), fact_key(r, i)) &&
            (!minds_text || span_equal(fact_text(r, k), fact_text(r, i))))
            return true;
    return false;
}

/* All texts of one name; where folds differ, "fold 1, 3: " stands before each. */
static void print_fact(struct text *to, const struct show_run *r, size_t i)
{
    const peck_span key = fact_key(r, i);
    bool differs = false;

    for (size_t k = i; k < r->n_facts; k++)
        differs |= span_equal(fact_key(r, k), key) &&
                   !span_equal(fact_text(r, k), fact_text(r, i));
    text_add_str(to, "<dt>");
    html_escape(to, key);
    text_add_str(to, "</dt><dd>");
    for (size_t k = i; k < r->n_facts; k++) {
        const char *before = "fold ";

        if (!span_equal(fact_key(r, k), key) || was_told(r, k, true))
            continue;
        text_add_str(to, k > i ? "<br>" : "");
        for (size_t n = 0; differs && n < r->n_facts; n++)
            if (span_equal(fact_key(r, n), key) &&
                span_equal(fact_text(r, n), fact_text(r, k)) && r->fact[n].fold > 0) {
                text_printf(to, "%s%zu", before, r->fact[n].fold);
                before = ", ";
            }
        text_add_str(to, *before == ',' ? ": " : "");
        html_escape(to, fact_text(r, k));
    }
    text_add_str(to, "</dd>\n");
}

/* How a run was made comes first, how it was judged last, whichever file was read first.  That
 * it was judged by the convention it was trained by goes without saying. */
static void add_details(struct text *to, const struct show_run *r)
{
    text_add_str(to, "<details><summary>");
    html_escape_str(to, r->name);
    text_add_str(to, "</summary>\n<dl>\n<dt>from</dt><dd>");
    html_escape_str(to, r->path);
    text_add_str(to, "</dd>\n");
    for (int is_judging = 0; is_judging < 2; is_judging++)
        for (size_t i = 0; i < r->n_facts; i++) {
            const bool is_convention = span_is(fact_key(r, i), "judged by");
            const bool is_of_judging =
                is_convention || span_is(fact_key(r, i), LABELS_NOTE);

            if (is_of_judging == is_judging && !was_told(r, i, false) &&
                !(is_convention && span_equal(fact_text(r, i), show_fact(r, "convention"))))
                print_fact(to, r, i);
        }
    text_add_str(to, "</dl></details>\n");
}

void show_settings(struct text *to, const struct peck_page *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_runs; i++)
        n += p->run[i].n_facts + p->run[i].n_judged;
    if (n == 0)
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

/* An entry of the list: its name, what it is, more about it. */
static void explain_word(struct text *to, const char *name, const char *title,
                         const char *doc)
{
    text_add_str(to, "<dt>");
    html_escape_str(to, name);
    text_add_str(to, "</dt><dd>");
    html_escape_str(to, title);
    text_add_str(to, ". ");
    html_escape_str(to, doc);
    text_add_str(to, "</dd>\n");
}

/* Metrics are explained where some board has a column of them: "ndcg", "ndcg@5". */
void show_words(struct text *to, const struct boards *b)
{
    if (b->n == 0)
        return;
    html_section(to, 2, "words", "What the words mean");
    text_add_str(to, "<dl>\n");
    explain_word(
        to, "query, document", "a question and what was found for it",
        "A run puts the documents of each query in an order; people have judged how "
        "relevant each one is (its label).");
    explain_word(to, "fold", "a part of the queries, kept apart for testing",
                 "The model that ranks a fold has learnt from other folds alone.");
    for (size_t m = 0; m < n_metrics; m++) {
        const peck_plug *const about = &metrics[m]->plug.about;
        bool is_used = false;

        for (size_t i = 0; i < b->n; i++)
            for (size_t c = 0; c < b->board[i].column.n; c++)
                is_used |=
                    span_is(head_of(strings_get(&b->board[i].column, c), "@"), about->name);
        if (is_used)
            explain_word(to, about->name, about->title, about->doc);
    }
    text_add_str(to, "</dl>\n");
    html_section_end(to);
}
