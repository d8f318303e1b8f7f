/* Preferences: every form of file, what they mean, and what is refused or skipped. */
#include "data/dataset.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static peck_error err;

static void assert_span(peck_span s, const char *expected)
{
    assert_int_equal(s.n, strlen(expected));
    assert_memory_equal(s.s, expected, s.n);
}

static peck_dataset *read_data(const char *text)
{
    peck_dataset *d = NULL;

    assert_int_equal(peck_dataset_read(&d, scratch_file("d.txt", text), NULL, &err),
                     PECK_OK);
    return d;
}

/* Rows of queries a (file rows 0, 2, 4) and b (1, 3): gathered, so a is 0..2, b 3..4. */
static peck_dataset *scattered(void)
{
    return read_data("2 qid:a 1:1 # a0\n1 qid:b 1:1 # 1\n1 qid:a 1:1 # twin\n"
                     "0 qid:b 1:1 # b1\n0 qid:a 1:1 # twin\n");
}

static peck_prefs *read_prefs(const char *name, const char *text, const peck_dataset *d)
{
    peck_prefs *p = NULL;

    if (peck_prefs_read(&p, scratch_file(name, text), d, 0, &err) != PECK_OK)
        fail_msg("%s", err.text);
    return p;
}

static peck_status refuse(const char *name, const char *text, const peck_dataset *d)
{
    peck_prefs *p = (peck_prefs *)&err;
    const peck_status st = peck_prefs_read(&p, scratch_file(name, text), d, 0, &err);

    assert_null(p);
    return st;
}

static void assert_pref(const peck_prefs *p, size_t i, size_t list, size_t winner,
                        size_t loser, float probability, float weight)
{
    const peck_pref got = peck_prefs_at(p, i);

    assert_int_equal(got.list, list);
    assert_int_equal(got.winner, winner);
    assert_int_equal(got.loser, loser);
    assert_true(got.probability == probability);
    assert_true(got.weight == weight);
}

static void tables_name_documents_by_id_or_by_row(void **state)
{
    (void)state;
    static const char *const files[] = {
        "query,winner,loser,probability,weight\n"
        "a,a0,2,0.75,2\nb,1,b1,1,0.5\nb,0,b1,0,1\n",
        "\xEF\xBB\xBFLoser\tWEIGHT\tqid\tprobability\tWinner\r\n"
        "2\t2\ta\t0.75\ta0\r\nb1\t.5\tb\t1\t1\r\n\r\nb1\t1\tb\t0\t0",
        "query; winner;loser ;probability;weight\n"
        "a;\"a0\";2;0.75;2\nb;1;b1;1;0.5\nb;0;b1;0;1\n",
    };
    peck_dataset *const d = scattered();

    for (size_t i = 0; i < 3; i++) {
        peck_prefs *const p = read_prefs("p.csv", files[i], d);
        peck_prefs_info info;

        peck_prefs_describe(p, &info);
        assert_int_equal(info.n_prefs, 3);
        assert_int_equal(info.n_lists, 2);
        assert_int_equal(info.n_items, 5);
        assert_int_equal(info.n_bad, 0);
        assert_int_equal(info.first_bad_line, 0);
        assert_pref(p, 0, 0, 0, 2, 0.75f, 2);
        assert_pref(p, 1, 1, 3, 4, 1, 0.5f); /* the id "1" wins over row 1 */
        assert_pref(p, 2, 1, 3, 4, 0, 1);
        assert_span(peck_prefs_list_name(p, 1), "b");
        assert_int_equal(peck_prefs_item_name(p, 0).n, 0);
        peck_prefs_free(p);
    }
    peck_dataset_free(d);
}

/* Who has no id of his own is left out; those behind him are found by theirs. */
static void documents_behind_one_without_an_id_are_found(void **state)
{
    peck_dataset *const d =
        read_data("1 qid:a 1:1 # a0\n1 qid:a 1:1\n0 qid:a 1:1 # a2\n0 qid:a 1:1 # a3\n");
    peck_prefs *const p = read_prefs("p.csv", "query,winner,loser\na,a3,a2\n", d);

    (void)state;
    assert_pref(p, 0, 0, 3, 2, 1, 1);
    peck_prefs_free(p);
    assert_failure(refuse("p.csv", "query,winner,loser\na,a3,\n", d), &err, PECK_FORMAT,
                   "p.csv:2:", "no document ''");
    peck_dataset_free(d);
}

static void tables_without_probability_are_certain(void **state)
{
    (void)state;
    peck_dataset *const d = scattered();
    peck_prefs *const p = read_prefs("p.txt", "query,winner,loser\na,0,1\n", d);

    assert_pref(p, 0, 0, 0, 1, 1, 1);
    peck_prefs_free(p);
    peck_dataset_free(d);
}

static void pairs_are_rows_of_the_file_also_when_gathered(void **state)
{
    (void)state;
    peck_dataset *const d = scattered();
    peck_prefs *p = read_prefs("x.pairs", "0\t4\n3\t1\t0.5\r\n\n4\t2", d);

    assert_pref(p, 0, 0, 0, 2, 1, 1);
    assert_pref(p, 1, 1, 4, 3, 1, 0.5f);
    assert_pref(p, 2, 0, 2, 1, 1, 1);
    peck_prefs_free(p);
    p = read_prefs("x.grouped_pairs", "a\t0\t2\nb\t1\t0\t0.5\na\t2\t1\n", d);
    assert_pref(p, 0, 0, 0, 2, 1, 1);
    assert_pref(p, 1, 1, 4, 3, 1, 0.5f);
    assert_pref(p, 2, 0, 2, 1, 1, 1);
    peck_prefs_free(p);
    peck_dataset_free(d);
}

static void pairs_of_a_part_are_rows_of_the_part(void **state)
{
    (void)state;
    const uint32_t last = 1;
    peck_dataset *const d = scattered();
    peck_dataset *part = NULL;

    assert_int_equal(dataset_take(&part, d, &last, 1, &err), PECK_OK);
    peck_prefs *const p = read_prefs("x.pairs", "1\t0\n", part);

    assert_pref(p, 0, 0, 1, 0, 1, 1);
    peck_prefs_free(p);
    assert_failure(refuse("x.pairs", "1\t0\n0\t2\n", part), &err, PECK_FORMAT,
                   "x.pairs:2:", "'2' is not a row");
    peck_dataset_free(part);
    peck_dataset_free(d);
}

static void lists_that_stand_alone_count_wins_and_losses(void **state)
{
    (void)state;
    peck_prefs *p = read_prefs("p.csv",
                               "winner,loser,wins,losses\nanna,bert,7,3\n"
                               "bert,\"carl, jr\",0,2\nanna,bert,1.5,0.5\n",
                               NULL);
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    assert_int_equal(info.n_prefs, 3);
    assert_int_equal(info.n_lists, 1);
    assert_int_equal(info.n_items, 3);
    assert_pref(p, 0, 0, 0, 1, 0.7f, 10);
    assert_pref(p, 1, 0, 1, 2, 0, 2);
    assert_pref(p, 2, 0, 0, 1, 0.75f, 2);
    assert_span(peck_prefs_item_name(p, 2), "carl, jr");
    assert_span(peck_prefs_list_name(p, 0), "");
    peck_prefs_free(p);
    p = read_prefs("p.csv", "list,winner,loser\nx,a,b\ny,b,a\n", NULL);
    assert_pref(p, 0, 0, 0, 1, 1, 1);
    assert_pref(p, 1, 1, 1, 0, 1, 1);
    assert_span(peck_prefs_list_name(p, 1), "y");
    peck_prefs_free(p);
}

static void votes_are_shares(void **state)
{
    (void)state;
    peck_prefs *const p =
        read_prefs("votes", "c1;x;y;1,1,-1,0\r\nc2;y;z; -1 , -1\nc1;z;x;0", NULL);
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    assert_int_equal(info.n_prefs, 3);
    assert_int_equal(info.n_lists, 2);
    assert_int_equal(info.n_items, 3);
    assert_pref(p, 0, 0, 0, 1, 2.5f / 4, 4);
    assert_pref(p, 1, 1, 1, 2, 0, 2);
    assert_pref(p, 2, 0, 2, 0, 0.5f, 1);
    assert_span(peck_prefs_list_name(p, 0), "c1");
    assert_span(peck_prefs_item_name(p, 2), "z");
    peck_prefs_free(p);
}

struct bad_line {
    const char *text, *place, *says;
};

/* Each is refused with its line and the way out; skipped, it leaves `n_left` others. */
static void check_bad_lines(const char *name, const struct bad_line *bad, size_t n,
                            const peck_dataset *d, size_t n_left)
{
    for (size_t i = 0; i < n; i++) {
        peck_prefs *p = NULL;
        peck_prefs_info info;

        assert_failure(refuse(name, bad[i].text, d), &err, PECK_FORMAT, bad[i].place,
                       bad[i].says, "--skip-bad");
        assert_int_equal(peck_prefs_read(&p, scratch_file(name, bad[i].text), d, 1, &err),
                         PECK_OK);
        peck_prefs_describe(p, &info);
        assert_int_equal(info.n_prefs, n_left);
        assert_int_equal(info.n_bad, 1);
        assert_int_equal(info.first_bad_line, 3);
        if (d == NULL)
            assert_int_equal(info.n_items, 2);
        peck_prefs_free(p);
    }
}

/* Judged lists in the place of preferences, behind lines that say nothing. */
static void data_is_no_list_of_preferences(void **state)
{
    (void)state;
    assert_failure(refuse("d.txt", "\n  \t\n  # a remark\n1 qid:7 1:2\n", NULL), &err,
                   PECK_FORMAT, "d.txt:4:", "data with labels");
}

static void bad_rows_of_a_table_are_refused_or_skipped(void **state)
{
    (void)state;
#define HEAD "query,winner,loser,probability,weight\na,0,1,1,1\n"
    static const struct bad_line bad[] = {
        { HEAD "a,0,1,1\na,1,0,1,1\n", "p.csv:3:", "4 cells" },
        { HEAD "x,0,1,1,1\na,1,0,1,1\n", "p.csv:3:", "no query 'x'" },
        { HEAD ",0,1,1,1\na,1,0,1,1\n", "p.csv:3:", "missing" },
        { HEAD "a,0,3,1,1\na,1,0,1,1\n", "p.csv:3:", "no document '3'" },
        { HEAD "a,-1,0,1,1\na,1,0,1,1\n", "p.csv:3:", "no document '-1'" },
        { HEAD "a,b1,0,1,1\na,1,0,1,1\n", "p.csv:3:", "no document 'b1'" },
        { HEAD "a,twin,0,1,1\na,1,0,1,1\n", "p.csv:3:", "several documents 'twin'" },
        { HEAD "a,a0,0,1,1\na,1,0,1,1\n", "p.csv:3:", "same" },
        { HEAD "a,0,1,1.5,1\na,1,0,1,1\n", "p.csv:3:", "'1.5' in column 'probability'" },
        { HEAD "a,0,1,-0.1,1\na,1,0,1,1\n", "p.csv:3:", "'-0.1' in column 'probability'" },
        { HEAD "a,0,1,nan,1\na,1,0,1,1\n", "p.csv:3:", "'nan' in column 'probability'" },
        { HEAD "a,0,1,1,0\na,1,0,1,1\n", "p.csv:3:", "'0' is not a weight" },
        { HEAD "a,0,1,1,inf\na,1,0,1,1\n", "p.csv:3:", "'inf' is not a weight" },
        { HEAD "a,0,1,1,1e40\na,1,0,1,1\n", "p.csv:3:", "'1e40' is not a weight" },
        { HEAD "a,\"0\"x,1,1,1\na,1,0,1,1\n", "p.csv:3:", "closing quote" },
    };
#undef HEAD
    peck_dataset *const d = scattered();

    check_bad_lines("p.csv", bad, sizeof bad / sizeof *bad, d, 2);
    peck_dataset_free(d);
}

static void bad_rows_that_stand_alone_are_refused_or_skipped(void **state)
{
    (void)state;
#define HEAD "winner,loser,wins,losses\na,b,1,0\n"
    static const struct bad_line bad[] = {
        { HEAD "c,d,0,0\nb,a,1,1\n", "p.csv:3:", "neither wins nor losses" },
        { HEAD "c,d,-1,2\nb,a,1,1\n", "p.csv:3:", "'-1' in column 'wins'" },
        { HEAD "c,d,1,many\nb,a,1,1\n", "p.csv:3:", "'many' in column 'losses'" },
        { HEAD "c,c,1,1\nb,a,1,1\n", "p.csv:3:", "itself" },
        { HEAD "c,,1,1\nb,a,1,1\n", "p.csv:3:", "missing" },
        { HEAD ",d,1,1\nb,a,1,1\n", "p.csv:3:", "missing" },
        { HEAD "c,\"d\r\",1,1\nb,a,1,1\n", "p.csv:3:", "line break" },
        { HEAD "c\nb,a,1,1\n", "p.csv:3:", "1 cells" },
    };
#undef HEAD
#define VOTES "c1;a;b;1\nc1;b;a;-1,0\n"
    static const struct bad_line votes[] = {
        { VOTES "c2;x;y;-1,0-1,0\n", "v:3:", "'0-1' is not a vote" },
        { VOTES "c2;x;y;2\n", "v:3:", "'2' is not a vote" },
        { VOTES "c2;x;y;1,,1\n", "v:3:", "'' is not a vote" },
        { VOTES "c2;x;y;\n", "v:3:", "is not a vote" },
        { VOTES "c2;x;y\n", "v:3:", "3 cells" },
        { VOTES "c2;x;x;1\n", "v:3:", "itself" },
        { VOTES ";x;y;1\n", "v:3:", "missing" },
    };
#undef VOTES

    check_bad_lines("p.csv", bad, sizeof bad / sizeof *bad, NULL, 2);
    check_bad_lines("v", votes, sizeof votes / sizeof *votes, NULL, 2);
}

/* A name may have MAX_ID bytes; what is wrong with this one is its end. */
static void the_longest_name_may_hold_no_line_break(void **state)
{
    static const char head[] = "winner,loser\n\"", tail[] = "\",d\n";
    static char text[sizeof head + MAX_ID + sizeof tail];

    (void)state;
    for (int k = 0; k < 3; k++) { /* with a line break, without, and one byte more */
        const size_t n = MAX_ID + (k == 2);
        char *const name = text + sizeof head - 1;

        memcpy(text, head, sizeof head);
        memset(name, 'c', n);
        if (k == 0)
            name[n - 1] = '\r';
        memcpy(name + n, tail, sizeof tail);
        if (k == 1)
            peck_prefs_free(read_prefs("long.csv", text, NULL));
        else
            assert_failure(refuse("long.csv", text, NULL), &err, PECK_FORMAT,
                           k == 0 ? "holds a line break" : "is too long");
    }
}

static void the_longest_id_of_a_document_is_found(void **state)
{
    static char id[MAX_ID + 1], data[MAX_ID + 100], text[MAX_ID + 100];

    (void)state;
    memset(id, 'd', MAX_ID);
    snprintf(data, sizeof data, "1 qid:a 1:1 # b\n0 qid:a 1:2 # %s\n", id);
    snprintf(text, sizeof text, "query,winner,loser\na,%s,b\n", id);
    peck_dataset *const d = read_data(data);
    peck_prefs *const p = read_prefs("p.csv", text, d);

    assert_pref(p, 0, 0, 1, 0, 1, 1);
    peck_prefs_free(p);
    peck_dataset_free(d);
}

static void bad_pairs_are_refused_or_skipped(void **state)
{
    (void)state;
    static const struct bad_line pairs[] = {
        { "0\t2\n2\t4\n0\t5\n", "x.pairs:3:", "'5' is not a row" },
        { "0\t2\n2\t4\n0\t1\n", "x.pairs:3:", "different queries" },
        { "0\t2\n2\t4\n0\t0\n", "x.pairs:3:", "same" },
        { "0\t2\n2\t4\n0\n", "x.pairs:3:", "1 cells" },
        { "0\t2\n2\t4\n0\t2\t-1\n", "x.pairs:3:", "'-1' is not a weight" },
        { "0\t2\n2\t4\n0 2\n", "x.pairs:3:", "1 cells" },
    };
    static const struct bad_line grouped[] = {
        { "a\t0\t2\nb\t0\t1\na\t0\t3\n", "x.grouped_pairs:3:", "no document '3'" },
        { "a\t0\t2\nb\t0\t1\nz\t0\t1\n", "x.grouped_pairs:3:", "no query 'z'" },
        { "a\t0\t2\nb\t0\t1\na\ta0\t1\n", "x.grouped_pairs:3:", "no document 'a0'" },
        { "a\t0\t2\nb\t0\t1\na\t1\t1\n", "x.grouped_pairs:3:", "same" },
        { "a\t0\t2\nb\t0\t1\na\t1\n", "x.grouped_pairs:3:", "2 cells" },
    };
    peck_dataset *const d = scattered();

    check_bad_lines("x.pairs", pairs, sizeof pairs / sizeof *pairs, d, 2);
    check_bad_lines("x.grouped_pairs", grouped, sizeof grouped / sizeof *grouped, d, 2);
    assert_failure(refuse("x.pairs", "0\t1\n", NULL), &err, PECK_ARG, "data set");
    peck_dataset_free(d);
}

static void answers_need_no_header(void **state)
{
    static const char *const plain[] = {
        "tea,milk\nmilk,water\n", "tea\tmilk\nmilk\twater\n", "tea;milk\nmilk;water\n",
        "tea > milk\nmilk>water\n", "milk < tea\n\nwater < milk\n"
    };
    peck_prefs *p;

    (void)state;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        peck_prefs_info info;

        p = read_prefs("p", plain[k], NULL);
        peck_prefs_describe(p, &info);
        assert_int_equal(info.n_prefs, 2);
        assert_span(peck_prefs_item_name(p, peck_prefs_at(p, 0).winner), "tea");
        assert_span(peck_prefs_item_name(p, peck_prefs_at(p, 0).loser), "milk");
        assert_span(peck_prefs_item_name(p, peck_prefs_at(p, 1).loser), "water");
        assert_true(peck_prefs_at(p, 1).probability == 1.0f);
        assert_true(peck_prefs_at(p, 1).weight == 1.0f);
        peck_prefs_free(p);
    }
    p = read_prefs("p", "a=b > c\n1 = 3\n", NULL);
    assert_span(peck_prefs_item_name(p, 0), "a=b");
    assert_pref(p, 1, 0, 2, 3, 0.5f, 1);
    peck_prefs_free(p);
    assert_failure(refuse("p", "a > b\na b\n", NULL), &err, PECK_FORMAT,
                   "p:2:", "is not an answer");
    assert_failure(refuse("p", "a > b\na > b > c\n", NULL), &err, PECK_FORMAT,
                   "p:2:", "is not an answer");
    assert_failure(refuse("p", "a > b\n > b\n", NULL), &err, PECK_FORMAT, "p:2:");
    assert_failure(refuse("p", "a > b\na >\n", NULL), &err, PECK_FORMAT, "p:2:");
    assert_failure(refuse("p", "a,b\nc\n", NULL), &err, PECK_FORMAT,
                   "p:2:", "a line is \"winner,loser\"");
    assert_failure(refuse("p", "a,b\nc,d,e\n", NULL), &err, PECK_FORMAT,
                   "p:2:", "a line is \"winner,loser\"");
}

static void bad_headers_are_refused(void **state)
{
    (void)state;
    peck_dataset *const d = scattered();

    assert_failure(refuse("p", "winner,loser\n0,1\n", d), &err, PECK_FORMAT,
                   "p:1:", "no column 'query'");
    assert_failure(refuse("p", "query,winner\na,1\n", d), &err, PECK_FORMAT,
                   "p:1:", "no column 'loser'");
    assert_failure(refuse("p", "query,winner,looser\na,1,0\n", d), &err, PECK_FORMAT,
                   "p:1:", "did you mean 'loser'?");
    assert_failure(refuse("p", "query,winner,loser,winner\na,1,0,1\n", d), &err,
                   PECK_FORMAT, "two columns are the winner");
    assert_failure(refuse("p", "winner,loser,wins\na,b,1\n", NULL), &err, PECK_FORMAT,
                   "go together");
    assert_failure(refuse("p", "winner,loser,wins,losses,weight\na,b,1,1,1\n", NULL), &err,
                   PECK_FORMAT, "already");
    assert_failure(refuse("p", "a,1,0\n", d), &err, PECK_FORMAT, "p:1:", "query, winner");
    assert_failure(refuse("p", "1;2;3;1,1\n", d), &err, PECK_FORMAT,
                   "p:1:", "query, winner");
    assert_failure(refuse("p", "a,b,c\n", NULL), &err, PECK_FORMAT,
                   "p:1:", "winner, loser");
    assert_failure(refuse("p", "a\n", NULL), &err, PECK_FORMAT, "p:1:", "a > b");
    assert_failure(refuse("p", "", NULL), &err, PECK_FORMAT, "empty");
    assert_failure(refuse("p", "\n\n", d), &err, PECK_FORMAT, "empty");
    assert_failure(refuse("x.pairs", "", d), &err, PECK_FORMAT, "no preference");
    assert_failure(refuse("p", "winner,loser\n", NULL), &err, PECK_FORMAT, "no preference");
    peck_dataset_free(d);
}

static void a_quote_that_never_closes_is_not_skipped(void **state)
{
    (void)state;
    const char *const path = scratch_file("p", "winner,loser\na,b\nc,\"d\ne,f\n");
    peck_prefs *p = NULL;

    assert_failure(peck_prefs_read(&p, path, NULL, 1, &err), &err, PECK_FORMAT,
                   "p:3:", "never closes");
    assert_null(p);
}

static void the_photo_votes_load_but_for_one_line(void **state)
{
    (void)state;
    const char *const path = real_data("photos/votes.txt");
    peck_prefs *p = NULL;
    peck_prefs_info info;
    size_t n_in_list[3] = { 0 };

    if (path == NULL)
        skip();
    assert_failure(peck_prefs_read(&p, path, NULL, 0, &err), &err, PECK_FORMAT,
                   ":14847:", "'0-1'", "--skip-bad");
    assert_int_equal(peck_prefs_read(&p, path, NULL, 1, &err), PECK_OK);
    peck_prefs_describe(p, &info);
    assert_int_equal(info.n_lists, 3);
    assert_int_equal(info.n_items, 100);
    assert_int_equal(info.n_bad, 1);
    assert_int_equal(info.first_bad_line, 14847);
    assert_int_equal(info.n_prefs, 3 * 4950 - 1);
    for (size_t i = 0; i < info.n_prefs; i++)
        n_in_list[peck_prefs_at(p, i).list]++;
    for (size_t l = 0; l < 3; l++) {
        const peck_span name = peck_prefs_list_name(p, l);

        assert_int_equal(n_in_list[l], name.s[0] == '2' ? 4949 : 4950);
    }
    peck_prefs_free(p);
}

static void both_forms_of_the_yandex_pairs_agree(void **state)
{
    (void)state;
    static const char *const sets[] = { "train", "test" };
    static const size_t n_prefs[] = { 975, 310 };

    for (size_t s = 0; s < 2; s++) {
        char name[3][64];
        const char *path[3];
        peck_dataset *d = NULL;
        peck_prefs *a = NULL, *b = NULL;

        snprintf(name[0], sizeof name[0], "yandex-pairs/%s.txt.gz", sets[s]);
        snprintf(name[1], sizeof name[1], "yandex-pairs/%s.pairs", sets[s]);
        snprintf(name[2], sizeof name[2], "yandex-pairs/%s.grouped_pairs", sets[s]);
        for (size_t i = 0; i < 3; i++)
            if ((path[i] = real_data(name[i])) == NULL)
                skip();
        assert_int_equal(peck_dataset_read(&d, path[0], NULL, &err), PECK_OK);
        assert_int_equal(peck_prefs_read(&a, path[1], d, 0, &err), PECK_OK);
        assert_int_equal(peck_prefs_read(&b, path[2], d, 0, &err), PECK_OK);
        peck_prefs_info info, other;

        peck_prefs_describe(a, &info);
        peck_prefs_describe(b, &other);
        assert_int_equal(info.n_prefs, n_prefs[s]);
        assert_int_equal(other.n_prefs, n_prefs[s]);
        for (size_t i = 0; i < n_prefs[s]; i++) {
            const peck_pref x = peck_prefs_at(a, i);

            assert_pref(b, i, x.list, x.winner, x.loser, 1, 1);
        }
        peck_prefs_free(a);
        peck_prefs_free(b);
        peck_dataset_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_name_documents_by_id_or_by_row),
        cmocka_unit_test(documents_behind_one_without_an_id_are_found),
        cmocka_unit_test(tables_without_probability_are_certain),
        cmocka_unit_test(pairs_are_rows_of_the_file_also_when_gathered),
        cmocka_unit_test(pairs_of_a_part_are_rows_of_the_part),
        cmocka_unit_test(lists_that_stand_alone_count_wins_and_losses),
        cmocka_unit_test(votes_are_shares),
        cmocka_unit_test(data_is_no_list_of_preferences),
        cmocka_unit_test(bad_rows_of_a_table_are_refused_or_skipped),
        cmocka_unit_test(bad_rows_that_stand_alone_are_refused_or_skipped),
        cmocka_unit_test(the_longest_name_may_hold_no_line_break),
        cmocka_unit_test(the_longest_id_of_a_document_is_found),
        cmocka_unit_test(bad_pairs_are_refused_or_skipped),
        cmocka_unit_test(answers_need_no_header),
        cmocka_unit_test(bad_headers_are_refused),
        cmocka_unit_test(a_quote_that_never_closes_is_not_skipped),
        cmocka_unit_test(the_photo_votes_load_but_for_one_line),
        cmocka_unit_test(both_forms_of_the_yandex_pairs_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
