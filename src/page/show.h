/* page -- NUMBERS -> ONE HTML FILE
 *   in      result files, models, reports
 *   out     a page that needs nothing else: style, script and pictures are inside
 *   knows   base metric model report
 *   never   training, scoring; how a number was made
 *   grow    a section of the page is one function in show_ranks.c (of a board) or show_parts.c
 *           (of all runs) + its call in show.c; another form of plot is one in plot.c
 *
 *     files, models, reports -> runs (show.c, show_files.c)
 *     runs -> boards: those that were judged on the same queries, from the best one on, with
 *             tests (show_board.c)
 *     both -> sections of the page (show_ranks.c, show_parts.c), which show.c puts together */
#ifndef SHOW_H
#define SHOW_H

#include "../base/input.h"
#include "../base/strings.h"
#include "plot.h"
#include "../metric/metric.h"
#include "../metric/signif.h"
#include "../report/report.h"

/* What a file says of a run: of one fold (from 1), or of the whole (0). */
struct fact {
    size_t fold;
    size_t key, text; /* strings of the run */
};

/* One epoch; NaN where the file does not say. */
struct epoch_point {
    double epoch, loss, valid, train, train_pairs, valid_pairs;
    bool is_best;
};

/* One training: a member of a fold's ensemble. */
struct learning_curve {
    size_t fold, member; /* from 1; 0: there is but one */
    struct epoch_point *point;
    size_t n, cap;
};

/* Values per query of one fold. */
struct fold_values {
    size_t fold;
    struct strings column, query;
    double *value; /* [query.n][column.n]; NaN: none */
};

/* Sums over the folds, by name. */
struct sums {
    struct index name;
    double (*value)[3];
    size_t cap, n_folds;
};

/* A row of error against questions. */
struct decoder_point {
    size_t decoder; /* strings of the run */
    double questions, error;
};

struct show_run {
    size_t mark;      /* 1 + its colour in plots; 0: it has none */
    size_t n_parts;   /* models of its committee; 0: it is none */
    char *path;       /* what tells it from other runs; owned */
    const char *name; /* the last part of the path, more where that is not enough */
    struct strings string;
    struct fact *fact;
    struct fold_values *judged; /* by rising fold */
    struct learning_curve *curve;
    struct decoder_point *decoding;
    size_t n_facts, cap_facts, n_judged, cap_judged, n_curves, cap_curves, n_decodings,
        cap_decodings;
    struct sums importance; /* share of gain, questions, - */
    struct sums rules;      /* queries it speaks of, holds in, sum of penalties */
};

struct peck_page {
    struct show_run *run;
    size_t n_runs, cap_runs;
    size_t n_files; /* that were read */
};

/* Reports read back ----------------------------------------------------------------- */

/* What report_json.c writes.  `text` is the whole of it; `name` begins messages. */
MUST_CHECK peck_status report_read_json(struct peck_report **out, peck_span text,
                                        const char *name, peck_error *err);
/* Lines of cells parted by tabs, or by commas, under a line of their names.  Under "query" they are
 * values per query; under another first name a table of that title, whose first cells are
 * names.  "-" is no number. */
MUST_CHECK peck_status report_read_tsv(struct peck_report **out, const struct input *in,
                                       peck_error *err);

/* Runs ------------------------------------------------------------------------------ */

/* The run of this path, new or old; NULL: no memory. */
struct show_run *show_run_at(struct peck_page *p, peck_span path);
/* Gives every run the shortest end of its path that no other has. */
MUST_CHECK peck_status show_name_runs(struct peck_page *p, peck_error *err);
/* The shortest end of path i that no other of the n has. */
const char *show_short_name(const char *const *path, size_t n, size_t i);
/* The text of the first fact of this name; n = 0: none. */
peck_span show_fact(const struct show_run *r, const char *key);
/* By which it was judged, or else trained; n = 0: nobody said. */
peck_span show_convention(const struct show_run *r);
/* A learning curve to be filled; NULL: no memory. */
struct learning_curve *show_add_curve(struct show_run *r, size_t fold, size_t member);
MUST_CHECK bool curve_add(struct learning_curve *l, struct epoch_point point);
MUST_CHECK peck_status show_add_model(struct show_run *r, size_t fold,
                                      const struct peck_model *m, peck_error *err);
MUST_CHECK peck_status show_add_report(struct show_run *r, size_t fold,
                                       const struct peck_report *report, peck_error *err);

/* Boards ------------------------------------------------------------------------------ */

/* A run beside another one. */
struct run_versus {
    double difference; /* of the means */
    struct interval between;
    double p; /* of no difference, after Holm; NaN: it is the same run */
};

/* One run on a board. */
struct standing {
    const struct show_run *run;
    const char *name; /* as much of the run's as it takes on this board */
    size_t at;        /* how many came before it: its place in `value` */
    size_t colour;    /* the same; where there are more runs than colours, its rank, and
                       * PLOT_REST for the last ones */
    double mean;      /* of the board's metric: the mean over folds of their means */
    struct interval interval; /* of the mean, 95 % */
    struct run_versus best, baseline;
};

/* Runs with values for the same queries of the same folds. */
struct board {
    struct standing *standing; /* best first */
    size_t n_runs;
    size_t baseline; /* the standing of the run that was named so, else that came first */
    struct strings column; /* metrics that all of them have */
    size_t metric;         /* the column that ranks */
    bool is_error;         /* the smaller the better */
    struct index query;    /* "FOLD ID", fold by fold */
    size_t n_queries, n_folds;
    size_t *start; /* n_folds + 1: where each fold's queries begin */
    double *value; /* [n_runs, as they came][n_queries][column.n]; NaN: none */
    size_t n_kept; /* queries for which every run has a value of the metric */
};

struct boards {
    struct board *board;
    size_t n;
};

MUST_CHECK peck_status boards_open(struct boards *out, struct peck_page *p,
                                   const peck_page_spec *spec, peck_error *err);
void boards_close(struct boards *b);
/* The run of this name or path; n_runs: it is not on this board. */
size_t board_run(const struct board *b, const char *name);
/* The column of this name; column.n: there is none. */
size_t board_column(const struct board *b, const char *name);
/* The mean over folds of a run's means in this column; queries for which some run has no
 * value are left out. */
double board_mean(const struct board *b, size_t at, size_t column);
double board_value(const struct board *b, size_t at, size_t q, size_t column);
/* Query q's id, and its fold (0: there are none). */
peck_span board_query(const struct board *b, size_t q, size_t *fold);

/* Sections, in the order of the page ---------------------------------------------------- */

/* Decoders, and runs, whose lines one plot can hold; runs beyond PLOT_COLOURS are hidden at
 * first. */
enum { MOST_LINES = PLOT_COLOURS, MOST_DRAWN = 40 };

/* From which p on two runs are told apart. */
extern const double show_level;

/* A number in the middle of a sentence. */
enum { FIGURE_ROOM = 40 };
const char *show_figure(char room[FIGURE_ROOM], double value, int decimals);

/* What was tried, on which data, by which command, when: above the sections. */
void show_origin(struct text *to, const struct peck_page *p, const struct boards *all,
                 const peck_page_spec *spec);

/* Of one board. */
struct board_place {
    int level;          /* of the headings */
    const char *prefix; /* of the ids */
    bool is_first;      /* the board: how to read it is said once */
};
void show_ranks(struct text *to, const struct board *b, const struct board_place *at,
                const peck_page_spec *spec);
MUST_CHECK peck_status show_cuts(struct text *to, const struct board *b,
                                 const struct board_place *at, peck_error *err);
MUST_CHECK peck_status show_queries(struct text *to, const struct board *b,
                                    const struct board_place *at,
                                    const peck_page_spec *spec, peck_error *err);
typedef peck_status show_draw(struct text *to, const struct peck_page *p,
                              const struct show_run *r, peck_error *err);
bool show_any_run(const struct peck_page *p, bool (*has)(const struct show_run *r));
/* Draws the first `most` of those runs, side by side. */
MUST_CHECK peck_status show_plot_runs(struct text *to, const struct peck_page *p,
                                      size_t most, bool (*has)(const struct show_run *r),
                                      show_draw *draw, peck_error *err);

/* Of all runs; nothing is written where there is nothing to show. */
MUST_CHECK peck_status show_learning(struct text *to, const struct peck_page *p,
                                     peck_error *err);
MUST_CHECK peck_status show_pair_sets(struct text *to, const struct peck_page *p,
                                      peck_error *err);
MUST_CHECK peck_status show_decoding(struct text *to, const struct peck_page *p,
                                     peck_error *err);
MUST_CHECK peck_status show_importance(struct text *to, const struct peck_page *p,
                                       peck_error *err);
void show_rules(struct text *to, const struct peck_page *p);
/* How to repeat it, as a command; false: nobody knows. */
bool show_repeat(struct text *to, const struct show_run *r);
void show_settings(struct text *to, const struct peck_page *p);
void show_words(struct text *to, const struct boards *b);

#endif
