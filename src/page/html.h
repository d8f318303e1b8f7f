/* html.h -- headings, sentences, tables (and plots: plot.h) -> the text of one HTML file that
 * needs nothing else.  It knows neither runs nor metrics.
 *
 * Everything goes to a struct text, whose failure sticks: nothing here fails aloud.  All
 * text that comes from outside passes html_escape.                                     */
#ifndef HTML_H
#define HTML_H

#include "../base/strings.h"
#include "../base/view.h"

/* Text as it may stand between tags and in quoted attributes.  What is no UTF-8 becomes
 * U+FFFD, control characters become blanks. */
void html_escape(struct text *to, peck_span s);
void html_escape_str(struct text *to, const char *s);
/* Fixed decimals with a point; "–" for what is no number. */
void html_number(struct text *to, double value, int decimals);
/* The same with a sign: "+0.0123", "−0.0040". */
void html_signed(struct text *to, double value, int decimals);

/* The page: head with style and script, title, the first paragraph. */
void html_open(struct text *to, const char *title);
void html_close(struct text *to, const char *maker);

/* A part with a heading and the sentences that say how to read it.  Level 2 or 3. */
void html_section(struct text *to, int level, const char *id, const char *title);
void html_section_end(struct text *to);
/* Links to the sections of level 2 in `body`, which is whole. */
void html_links(struct text *to, const struct text *body);
/* A paragraph.  css: "lead" is large, "how" explains, "caution" warns. */
void html_tell(struct text *to, const char *css, const char *fmt, ...) PRINTF(3, 4);

/* A list of names and what is said of each. */
void html_facts(struct text *to, const char *css);
void html_fact(struct text *to, const char *name); /* then its text */
/* A command line, to be copied. */
void html_command(struct text *to, peck_span line);
void html_facts_end(struct text *to);

/* Plots stand side by side where there is room. */
void html_plots(struct text *to);
void html_plots_end(struct text *to);

/* Views that stand for each other: a reader chooses one, the first is shown at the start.
 * "LABEL [TITLE] [TITLE]": the choice, in words. */
void html_views(struct text *to, const char *label);
void html_view(struct text *to, const char *title, bool is_first);
void html_view_end(struct text *to);
void html_views_end(struct text *to);

/* Tables: columns first, then rows cell by cell.  A click on a heading sorts. */
struct html_column {
    const char *name;
    const char *hint; /* what it is, in words; NULL: the name says it */
    bool is_text;     /* flush left, sorted by letters */
    int sorted;       /* how rows come: 1 rising, -1 falling, 0 neither */
};
void html_table(struct text *to, const struct html_column *column, size_t n);
void html_row(struct text *to);
void html_row_best(struct text *to); /* one that catches the eye */
void html_cell_text(struct text *to, peck_span s);
/* Text with an edge around it.  css: "good", "bad", "more" (better) or "even". */
void html_cell_badge(struct text *to, const char *css, const char *text);
void html_cell_number(struct text *to, double value, int decimals);
void html_cell_signed(struct text *to, double value, int decimals);
void html_table_end(struct text *to);

/* The style sheet and the script of every page. */
extern const char html_style[], html_script[];

#endif
