/* show_cuts.c -- how good the first n documents are, for each n: NDCG@n and P@n. */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"

enum { MOST_CUTS = 100, FEWEST_CUTS = 3 };

/* The columns "ndcg@1", "ndcg@2", ... of one metric, by rising n. */
struct family {
    const char *name, *title; /* "ndcg@" */
    size_t column[MOST_CUTS];
    double cut[MOST_CUTS];
    size_t n;
};

static void find_cuts(struct family *f, const struct board *b)
{
    const size_t length = strlen(f->name);

    for (size_t c = 0; c < b->column.n && f->n < MOST_CUTS; c++) {
        const peck_span s = strings_get(&b->column, c);
        uint64_t cut = 0;

        if (s.n <= length || memcmp(s.s, f->name, length) != 0 ||
            !number_parse_u64((peck_span){ s.s + length, s.n - length }, &cut))
            continue;
        size_t at = f->n++;

        for (; at > 0 && f->cut[at - 1] > (double)cut; at--) {
            f->cut[at] = f->cut[at - 1];
            f->column[at] = f->column[at - 1];
        }
        f->cut[at] = (double)cut;
        f->column[at] = c;
    }
}

/* y[MOST_LINES][MOST_CUTS] */
static void add_plot(struct text *to, const struct board *b, const struct family *f,
                     double (*y)[MOST_CUTS])
{
    struct series line[MOST_LINES];
    const size_t n = b->n_runs < MOST_LINES ? b->n_runs : MOST_LINES;

    for (size_t i = 0; i < n; i++) {
        const struct standing *const s = &b->standing[i];

        for (size_t k = 0; k < f->n; k++)
            y[i][k] = board_mean(b, s->at, f->column[k]);
        line[i] = (struct series){ .name = s->name,
                                   .colour = s->colour,
                                   .x = f->cut,
                                   .y = y[i],
                                   .n = f->n,
                                   .has_dots = true };
    }
    plot_lines(to, &(struct plot){ .title = f->title,
                                   .x_name = "first n documents",
                                   .y_name = "mean over queries",
                                   .series = line,
                                   .n_series = n,
                                   .is_x_whole = true });
}

static void add_section(struct text *to, const struct board *b, const struct place *at,
                        const struct family *f, size_t n_families, double (*y)[MOST_CUTS])
{
    char id[64];

    snprintf(id, sizeof id, "%scuts", at->prefix);
    html_section(to, at->level, id, "The first n documents");
    if (at->is_first)
        html_tell(
            to, "how",
            "How good the top of the lists is, if a reader looks at the first n "
            "documents. NDCG@n compares the gain of the first n, earlier ones counting "
            "more, with the best that was possible; P@n is the share of relevant ones "
            "among them. Higher lines are better.");
    if (b->n_runs > MOST_LINES)
        html_tell(to, "how", "The best %d of %zu runs are drawn.", MOST_LINES, b->n_runs);
    html_plots(to);
    for (size_t i = 0; i < n_families; i++)
        if (f[i].n >= FEWEST_CUTS)
            add_plot(to, b, &f[i], y);
    html_plots_end(to);
    html_section_end(to);
}

peck_status show_cuts(struct text *to, const struct board *b, const struct place *at,
                      peck_error *err)
{
    struct family f[] = { { .name = "ndcg@", .title = "NDCG@n" },
                          { .name = "p@", .title = "P@n: precision" } };
    const size_t n = sizeof f / sizeof *f;
    bool has_any = false;

    for (size_t i = 0; i < n; i++) {
        find_cuts(&f[i], b);
        has_any |= f[i].n >= FEWEST_CUTS;
    }
    if (!has_any)
        return PECK_OK;
    double(*const y)[MOST_CUTS] = mem_new(MOST_LINES, sizeof *y);

    if (y == NULL)
        return fail_memory(err, "curves", MOST_LINES, sizeof *y);
    add_section(to, b, at, f, n, y);
    mem_free(y);
    return PECK_OK;
}
