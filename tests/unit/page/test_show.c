/* test_show.c -- the page of results: which files make which run, who stands on which
 * board, and what is said of them.                                                   */
#include "support/check.h"
#include "support/scratch.h"

#include <sys/stat.h>

enum { N_QUERIES = 40 };

static peck_page *page;

static int open_page(void **state)
{
    peck_error err;

    (void)state;
    assert_ok(peck_page_new(&page, &err), err);
    return 0;
}

static int close_page(void **state)
{
    (void)state;
    peck_page_free(page);
    page = NULL;
    return 0;
}

/* A file of values per query: base + step * (query % 5), queries "q0", "q1", ... */
static const char *sheet(const char *name, double base, double step, int n)
{
    static char text[1 << 14];
    int at = snprintf(text, sizeof text, "query\tndcg@10\tmap\n");

    for (int q = 0; q < n; q++)
        at += snprintf(text + at, sizeof text - (size_t)at, "q%d\t%.4f\t%.4f\n", q,
                       base + step * (q % 5), 0.5);
    return scratch_file(name, text);
}

static void read_run(const char *path)
{
    peck_error err = { PECK_OK, "" };

    assert_ok(peck_page_read(page, path, &err), err);
}

/* The whole page; the caller frees it. */
static char *written(const peck_page_spec *spec)
{
    const char *const path = scratch_path("page.html");
    peck_error err = { PECK_OK, "" };
    size_t n;

    assert_ok(peck_page_write(page, path, spec, &err), err);
    return file_bytes(path, &n);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        n++;
    return n;
}

/* `a` comes before `b` in the text. */
static void assert_before(const char *text, const char *a, const char *b)
{
    const char *const first = strstr(text, a);

    assert_non_null(first);
    assert_non_null(strstr(first, b));
}

static const peck_page_spec quick = { .resamples = 200, .seed = 1, .threads = 1 };

static void the_best_run_stands_first_and_the_worse_is_told_so(void **state)
{
    (void)state;
    read_run(sheet("poor.tsv", 0.2, 0.01, N_QUERIES));
    read_run(sheet("good.tsv", 0.6, 0.02, N_QUERIES));
    char *const text = written(&quick);

    assert_non_null(strstr(text, "Best is good with ndcg@10 0.6400"));
    assert_non_null(strstr(text, "it is significantly better than every other run"));
    assert_before(text,
                  "<tr class=\"best\"><td class=\"t\">good<td>0.6400<td class=\"t\"><span "
                  "class=\"badge good\">best<",
                  "<tr><td class=\"t\">poor<td>0.2200<td class=\"t\"><span class=\"badge "
                  "bad\">significantly worse<");
    free(text);
}

/* Ten runs, the ninth and tenth to come being the best: with colours by their arrival they would
 * share those of the first two. */
static void the_best_of_many_runs_have_colours_of_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        char name[16], text[1 << 12];
        int at = snprintf(text, sizeof text, "query\tndcg@1\tndcg@2\tndcg@10\n");

        for (int q = 0; q < N_QUERIES; q++)
            at += snprintf(text + at, sizeof text - (size_t)at, "q%d\t0.1\t0.2\t%.2f\n", q,
                           0.1 + 0.05 * (i < 8 ? 7 - i : i));
        snprintf(name, sizeof name, "run%d.tsv", i);
        read_run(scratch_file(name, text));
    }
    char *const text = written(&quick);

    assert_non_null(strstr(text, "The best 8 of 10 runs are drawn"));
    for (int c = 0; c < 9; c++) {
        char key[64];

        snprintf(key, sizeof key, "<path class=\"l%d\" d=\"M1 6h22\"/>", c);
        assert_int_equal(count(text, key), c < 8 ? 1 : 2); /* the last ones have none */
    }
    assert_int_equal(count(text, "<g class=\"s off\""), 2);
    free(text);
}

static void equal_runs_have_no_clear_difference(void **state)
{
    (void)state;
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    read_run(sheet("b.tsv", 0.5, 0.02, N_QUERIES));
    char *const text = written(&quick);

    assert_non_null(strstr(text, "there is no clear difference to b."));
    assert_non_null(strstr(text, "better on 0 queries, worse on 0 and the same on 40"));
    free(text);
}

/* Three runs whose differences are those of the first query in two: an interval may miss 0
 * where p, corrected, does not reach 0.05; so the title promises nothing of 0. */
static void the_verdict_goes_by_p_and_the_plot_says_so(void **state)
{
    char text[3][1 << 11], name[16];

    (void)state;
    for (int i = 0; i < 3; i++) {
        int at = snprintf(text[i], sizeof text[i], "query\tmap\n");

        for (int q = 0; q < 6; q++)
            at += snprintf(text[i] + at, sizeof text[i] - (size_t)at, "q%d\t%.4f\n", q,
                           0.5 - 0.01 * i - 0.001 * (q + i));
        snprintf(name, sizeof name, "run%d.tsv", i);
        read_run(scratch_file(name, text[i]));
    }
    char *const page_text = written(&(peck_page_spec){ .resamples = 2000, .seed = 1 });

    /* All six queries agree: p is 2 / 2^6 at least, twice that after Holm. */
    assert_non_null(strstr(page_text, "<span class=\"badge even\">no clear difference<"));
    assert_null(strstr(page_text, "significantly worse"));
    assert_non_null(
        strstr(page_text, "<figcaption>Difference to the best run</figcaption>"));
    assert_non_null(strstr(page_text, "data-n=\"run1\" data-v=\"−0.0110 (−0.0110 to "
                                      "−0.0110); no clear difference\""));
    assert_non_null(strstr(page_text, " hollow\""));
    assert_non_null(strstr(page_text, "it may miss 0 where there is no clear difference"));
    assert_null(strstr(page_text, "across 0"));
    free(page_text);
}

static void differences_to_a_baseline_can_be_chosen(void **state)
{
    peck_page_spec spec = quick;

    (void)state;
    read_run(sheet("a.tsv", 0.3, 0.02, N_QUERIES));
    read_run(sheet("b.tsv", 0.5, 0.02, N_QUERIES));
    read_run(sheet("c.tsv", 0.4, 0.02, N_QUERIES));
    char *text = written(&spec);

    /* The first run is the baseline, and the best one comes first. */
    assert_before(text, "data-title=\"the best: b\"",
                  "<div class=\"view\" hidden data-title=\"the baseline: a\"");
    assert_non_null(
        strstr(text, "<span class=\"badge more\">significantly better</span><td>+0.2000"));
    free(text);
    spec.baseline = "c";
    text = written(&spec);
    assert_before(text, "<div class=\"view\" data-title=\"the baseline: c\"",
                  "<div class=\"view\" hidden data-title=\"the best: b\"");
    free(text);
    spec.baseline = "b"; /* which is the best: nothing to choose */
    text = written(&spec);
    assert_null(strstr(text, "class=\"view"));
    free(text);
}

static void the_page_says_where_it_comes_from(void **state)
{
    peck_page_spec spec = quick;

    (void)state;
    spec.size = sizeof spec;
    spec.data = "my <data>.txt";
    spec.command = "peck cv 'my <data>.txt'";
    spec.when = "2026-01-02 03:04 UTC";
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    read_run(scratch_file("a.json", "{\"notes\": {\"command\": \"peck cv -m a\"}}"));
    char *const text = written(&spec);

    assert_non_null(strstr(text, "<dt>Tried<dd>1 run: a\n"));
    assert_non_null(strstr(text, "<dt>Data<dd>my &lt;data&gt;.txt: 40 test queries\n"));
    assert_non_null(strstr(text, "<dt>Command<dd><code class=\"command\">peck cv &#39;my "
                                 "&lt;data&gt;.txt&#39;</code>"));
    assert_non_null(strstr(text, "<dt>Written<dd>2026-01-02 03:04 UTC\n"));
    assert_non_null(strstr(text, "<dt>repeat<dd><code class=\"command\">peck cv -m a<"));
    free(text);
}

static void runs_on_other_queries_stand_on_another_board(void **state)
{
    (void)state;
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    read_run(sheet("b.tsv", 0.5, 0.01, N_QUERIES));
    read_run(sheet("c.tsv", 0.5, 0.02, N_QUERIES / 2));
    char *const text = written(&quick);

    assert_int_equal(count(text, ">Leaderboard</h3>"), 2);
    assert_int_equal(count(text, "on 40 queries"), 1);
    assert_int_equal(count(text, "on 20 queries"), 1);
    free(text);
}

static void runs_judged_by_other_labels_stand_on_another_board(void **state)
{
    static const char same[] = "{\"notes\": {\"fingerprint of the labels\": \"01ab\"}}",
                      other[] = "{\"notes\": {\"fingerprint of the labels\": \"02cd\"}}";

    (void)state;
    for (const char *name = "abcd"; *name != '\0'; name++) {
        char file[] = { *name, '.', 't', 's', 'v', '\0' };

        read_run(sheet(file, 0.5, 0.01 * (*name - 'a'), N_QUERIES));
    }
    read_run(scratch_file("a.json", same));
    read_run(scratch_file("b.eval.json", other));
    read_run(scratch_file("c.json", same));
    char *const text = written(&quick); /* d does not say: it goes by its names, to a */

    assert_int_equal(count(text, ">Leaderboard</h3>"), 2);
    assert_int_equal(count(text, "Every run ranked the same 40 queries"), 2);
    assert_int_equal(count(text, "it is significantly better than every other run"), 1);
    assert_non_null(strstr(text, "best is b with"));
    free(text);
}

static void files_of_one_name_are_one_run(void **state)
{
    static const char *const settings[] = { "epochs=3", NULL };
    static const float x[] = { 1, 2, 3, 4 }, label[] = { 0, 1, 2, 0 };
    static const uint32_t sizes[] = { 2, 2 };
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_error err = { PECK_OK, "" };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 4, 1, label, sizes, 2, &err), err);
    assert_ok(peck_train(&m,
                         &(peck_train_spec){ .method = "ranknet",
                                             .settings = settings,
                                             .train = d,
                                             .valid = d,
                                             .seed = 77,
                                             .threads = 1 },
                         &err),
              err);
    assert_ok(peck_model_save(m, scratch_path("net.peck"), &err), err);
    read_run(scratch_path("net.peck"));
    read_run(sheet("net.queries.tsv", 0.5, 0.02, N_QUERIES));
    read_run(scratch_file("net.log",
                          "{\"member\": 0, \"epoch\": 1, \"loss\": 2, \"valid\": 0.1, "
                          "\"best\": true}\n{\"member\": 0, \"epoch\": 2, \"loss\": 1, "
                          "\"valid\": 0.2, \"best\": true}\n"));
    read_run(scratch_file("net.rules.json",
                          "{\"tables\": {\"rules\": [{\"rule\": \"fresh\", \"queries\": 4, "
                          "\"hold\": 3, \"penalty\": 0.5}]}}"));
    char *const text = written(&quick);

    assert_int_equal(count(text, "<details><summary>net</summary>"), 1);
    assert_non_null(strstr(text, "<dt>seed</dt><dd>77</dd>"));
    assert_non_null(strstr(text, "<code class=\"command\">peck train -m ranknet --set "));
    assert_non_null(strstr(text, " --seed 77 --valid VALID -o MODEL TRAIN</code>"));
    assert_non_null(strstr(text, "net: training loss"));
    assert_non_null(strstr(text, "<td class=\"t\">fresh<td>4<td>3<td>1<td>75.0<td>0.5000"));
    assert_null(strstr(text, "SortNet"));
    free(text);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void a_folder_of_folds_is_a_run_and_its_parent_holds_many(void **state)
{
    static const char *const folder[] = { "cv", "cv/a", "cv/b" };

    (void)state;
    for (size_t i = 0; i < N_OF(folder); i++)
        assert_int_equal(mkdir(scratch_path(folder[i]), 0777), 0);
    sheet("cv/a/Fold1.queries.tsv", 0.1, 0.01, N_QUERIES);
    sheet("cv/a/Fold2.queries.tsv", 0.5, 0.01, N_QUERIES / 2);
    sheet("cv/b/Fold1.queries.tsv", 0.2, 0.01, N_QUERIES);
    sheet("cv/b/Fold2.queries.tsv", 0.6, 0.01, N_QUERIES / 2);
    scratch_file("cv/b/Fold1.scores", "1\n");
    read_run(scratch_path("cv"));
    char *const text = written(&quick);

    /* The mean of the folds' means: (0.22 + 0.62) / 2, whatever their sizes. */
    assert_non_null(strstr(text, "Best is b with ndcg@10 0.4200"));
    assert_non_null(strstr(text, "on 60 queries"));
    assert_non_null(strstr(text, "in 2 folds"));
    free(text);
    for (size_t i = 0; i < 2; i++)
        for (int f = 1; f <= 2; f++) {
            char name[64];

            snprintf(name, sizeof name, "%s/Fold%d.queries.tsv", folder[1 + i], f);
            remove(scratch_path(name));
        }
    remove(scratch_path("cv/b/Fold1.scores"));
    for (size_t i = N_OF(folder); i-- > 0;)
        remove(scratch_path(folder[i]));
}

static void a_board_is_called_as_the_folder_that_its_runs_alone_lie_in(void **state)
{
    static const char *const folder[] = { "r", "r/old", "r/old/x", "r/new", "r/both" };
    static const struct {
        const char *path;
        int n;
    } file[] = { { "r/old/x/a.tsv", 10 },
                 { "r/old/b.tsv", 10 },
                 { "r/new/a.tsv", 20 },
                 { "r/both/a.tsv", 30 },
                 { "r/both/b.tsv", 40 } };

    (void)state;
    for (size_t i = 0; i < N_OF(folder); i++)
        assert_int_equal(mkdir(scratch_path(folder[i]), 0777), 0);
    for (size_t i = 0; i < N_OF(file); i++)
        sheet(file[i].path, 0.1, 0.01, file[i].n);
    read_run(scratch_path("r"));
    char *const text = written(&quick);

    assert_int_equal(count(text, ">old</h2>"), 1);
    assert_int_equal(count(text, ">new</h2>"), 1);
    assert_int_equal(count(text, ">both</h2>"), 0);
    assert_int_equal(count(text, ">Queries 1</h2>"), 1);
    assert_int_equal(count(text, ">Queries 2</h2>"), 1);
    free(text);
    for (size_t i = 0; i < N_OF(file); i++)
        remove(scratch_path(file[i].path));
    for (size_t i = N_OF(folder); i-- > 0;)
        remove(scratch_path(folder[i]));
}

static void the_two_runs_of_the_queries_can_be_chosen(void **state)
{
    peck_page_spec spec = quick;
    peck_error err = { PECK_OK, "" };

    (void)state;
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    read_run(sheet("b.tsv", 0.4, 0.02, N_QUERIES));
    read_run(sheet("c.tsv", 0.3, 0.02, N_QUERIES));
    spec.run = "c";
    spec.baseline = "b";
    char *text = written(&spec);

    assert_non_null(strstr(text, "Query by query: c against b"));
    assert_non_null(strstr(text, "worse on 40"));
    free(text);
    spec.run = "d";
    assert_int_equal(peck_page_write(page, scratch_path("page.html"), &spec, &err),
                     PECK_ARG);
    assert_failed(err, PECK_ARG, "there is no run 'd'");
}

static void a_metric_can_be_chosen_and_must_be_there(void **state)
{
    peck_page_spec spec = quick;
    peck_error err = { PECK_OK, "" };

    (void)state;
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    spec.metric = "map";
    char *text = written(&spec);

    assert_non_null(strstr(text, "Best is a with map 0.5000"));
    free(text);
    spec.metric = "err@3";
    assert_int_equal(peck_page_write(page, scratch_path("page.html"), &spec, &err),
                     PECK_ARG);
    assert_failed(err, PECK_ARG, "was not judged by err@3");
}

static void what_a_run_says_of_itself_cannot_become_a_tag(void **state)
{
    peck_report *r = NULL;
    peck_error err = { PECK_OK, "" };

    (void)state;
    assert_ok(peck_report_new(&r, &err), err);
    peck_report_add_text(r, "convention", "<script>alert(1)</script>");
    assert_ok(peck_page_add_report(page, "<b>bold", 0, r, &err), err);
    char *const text = written(&quick);

    assert_int_equal(count(text, "<script>"), 1); /* ours */
    assert_null(strstr(text, "<b>"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(1)"));
    assert_non_null(strstr(text, "&lt;b&gt;bold"));
    free(text);
    peck_report_free(r);
}

static void different_conventions_are_warned_of(void **state)
{
    (void)state;
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    read_run(sheet("b.tsv", 0.4, 0.02, N_QUERIES));
    read_run(scratch_file("a.json", "{\"notes\": {\"convention\": \"standard: x\"}}"));
    read_run(scratch_file("b.json", "{\"notes\": {\"convention\": \"letor4: y\"}}"));
    char *const text = written(&quick);

    assert_non_null(strstr(text, "judged by different conventions"));
    free(text);
}

static void mistakes_are_told(void **state)
{
    peck_error err = { PECK_OK, "" };
    const char *const other = scratch_file("data.txt", "1 qid:1 1:0.5\n");

    (void)state;
    assert_int_equal(peck_page_write(page, scratch_path("page.html"), NULL, &err),
                     PECK_ARG);
    assert_failed(err, PECK_ARG, "at least one run");
    assert_int_equal(peck_page_read(page, other, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "nothing that a page shows");
    assert_int_equal(peck_page_read(page, scratch_path("nowhere"), &err), PECK_IO);
    read_run(sheet("a.tsv", 0.5, 0.02, N_QUERIES));
    assert_int_equal(peck_page_read(page, sheet("a.queries.tsv", 0.5, 0.02, 3), &err),
                     PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "two files have values per query");
}

static void a_query_with_two_lines_is_refused(void **state)
{
    peck_error err = { PECK_OK, "" };

    (void)state;
    read_run(scratch_file("twice.tsv", "query\tmap\na\t1\na\t0\n"));
    assert_int_equal(peck_page_write(page, scratch_path("page.html"), &quick, &err),
                     PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "query 'a' has two lines");
}

/* Its model alone says how the sets of pairs grew. */
static void what_sortnet_chose_is_drawn_from_its_model(void **state)
{
    static const char *const settings[] = { "epochs=2", "max_iter=3", NULL };
    static const float x[] = { 1, 5, 2, 4, 3, 6, 8, 7 },
                       label[] = { 0, 1, 2, 0, 1, 0, 2, 1 };
    static const uint32_t sizes[] = { 4, 4 };
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_error err = { PECK_OK, "" };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 8, 1, label, sizes, 2, &err), err);
    assert_ok(peck_train(&m,
                         &(peck_train_spec){ .method = "sortnet",
                                             .settings = settings,
                                             .train = d,
                                             .valid = d,
                                             .ensemble = 2,
                                             .threads = 1 },
                         &err),
              err);
    assert_ok(peck_page_add_model(page, "net", 0, m, &err), err);
    char *const text = written(&quick);

    assert_non_null(strstr(text, "net: RankQuality"));
    assert_non_null(strstr(text, "net: pairs compared wrongly so far"));
    assert_int_equal(count(text, "Learning curves"), 0);
    /* Two nets, quality and pairs, of training and of validation data. */
    assert_int_equal(count(text, "<path class=\"l10 dashed\" d=\"M1 6h22"), 2);
    assert_int_equal(count(text, "<path class=\"l11 dashed\" d=\"M"), 2);
    assert_int_equal(count(text, "net 2</li>"), 2);
    free(text);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void decoders_are_drawn_by_rising_questions(void **state)
{
    (void)state;
    read_run(scratch_file("sort.decoders.tsv",
                          "decoder\tquestions\terror\nfuzzy\t1000\t0.1\n"
                          "fuzzy\t100\t0.3\npivot\t500\t0.2\n"));
    char *const text = written(&quick);

    assert_non_null(strstr(text, "Decoders: error against questions"));
    assert_non_null(strstr(text, "fuzzy</li>"));
    assert_non_null(strstr(text, "pivot</li>"));
    /* pivot is known at one number of questions: a level, which begins where fuzzy does, with a
     * dot at its end; and its key. */
    assert_int_equal(count(text, "<path class=\"l1 dashed\" d=\"M"), 2);
    assert_int_equal(count(text, "<path class=\"d1\""), 1);
    assert_int_equal(count(text, "how to repeat each run"), 0);
    assert_int_equal(count(text, "None has values per query"), 0);
    free(text);
}

/* A thousand runs' worth of queries would make a page that no phone opens. */
static void many_queries_stay_below_a_megabyte(void **state)
{
    enum { MANY = 100000 };
    const char *const path = scratch_path("many.tsv");
    FILE *const to = fopen(path, "w");
    peck_page_spec spec = quick;

    (void)state;
    spec.resamples = 2;
    fprintf(to, "query\tmap\n");
    for (int q = 0; q < MANY; q++)
        fprintf(to, "query-%d\t%.3f\n", q, q % 1000 / 1000.0);
    fclose(to);
    read_run(path);
    char *const text = written(&spec);

    assert_in_range(strlen(text), 10000, 200000);
    assert_non_null(strstr(text, "the 400 worst and the 100 best of 100000 queries"));
    free(text);
}

int main(void)
{
#define ON_PAGE(test) cmocka_unit_test_setup_teardown(test, open_page, close_page)
    const struct CMUnitTest tests[] = {
        ON_PAGE(the_best_run_stands_first_and_the_worse_is_told_so),
        ON_PAGE(the_best_of_many_runs_have_colours_of_their_own),
        ON_PAGE(equal_runs_have_no_clear_difference),
        ON_PAGE(the_verdict_goes_by_p_and_the_plot_says_so),
        ON_PAGE(differences_to_a_baseline_can_be_chosen),
        ON_PAGE(the_page_says_where_it_comes_from),
        ON_PAGE(runs_on_other_queries_stand_on_another_board),
        ON_PAGE(runs_judged_by_other_labels_stand_on_another_board),
        ON_PAGE(files_of_one_name_are_one_run),
        ON_PAGE(a_folder_of_folds_is_a_run_and_its_parent_holds_many),
        ON_PAGE(a_board_is_called_as_the_folder_that_its_runs_alone_lie_in),
        ON_PAGE(the_two_runs_of_the_queries_can_be_chosen),
        ON_PAGE(a_metric_can_be_chosen_and_must_be_there),
        ON_PAGE(what_a_run_says_of_itself_cannot_become_a_tag),
        ON_PAGE(different_conventions_are_warned_of),
        ON_PAGE(mistakes_are_told),
        ON_PAGE(a_query_with_two_lines_is_refused),
        ON_PAGE(what_sortnet_chose_is_drawn_from_its_model),
        ON_PAGE(decoders_are_drawn_by_rising_questions),
        ON_PAGE(many_queries_stay_below_a_megabyte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
