/* test_poll.c -- a poll from its first question to its export, and what can happen to it. */
#include "support/check.h"
#include "support/scratch.h"

#include "../ask/poll.h"
#include "../ask/votes.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static peck_error err;
static char told[2048];

static void keep_told(void *ctx, const char *sentence)
{
    (void)ctx;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", sentence);
}

static struct poll *open_list(const char *name, const char *text)
{
    const struct poll_spec spec = { .items = text != NULL ? scratch_file(name, text)
                                                          : scratch_path(name),
                                    .seed = 1,
                                    .threads = 1,
                                    .tell = keep_told };
    struct poll *p;

    told[0] = '\0';
    assert_ok(poll_open(&p, &spec, &err), err);
    return p;
}

static struct poll_question ask(struct poll *p, uint32_t voter)
{
    struct poll_question q[2];

    poll_settle(p, -1);
    assert_ok(poll_questions(p, voter, q, &err), err);
    return q[0];
}

static void say(struct poll *p, uint32_t voter, struct poll_question q, enum poll_outcome o)
{
    struct poll_answer a = {
        .left = q.left, .right = q.right, .outcome = o, .strength = 1
    };

    memcpy(a.question, q.id, sizeof a.question);
    assert_ok(poll_answer(p, voter, &a, &err), err);
}

/* The lower id is the better item. */
static void answer_truly(struct poll *p, uint32_t voter, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct poll_question q = ask(p, voter);

        assert_true(q.id[0] != '\0');
        assert_true(q.left != q.right);
        say(p, voter, q, q.left < q.right ? POLL_LEFT : POLL_RIGHT);
    }
}

static void test_from_question_to_order(void **state)
{
    struct poll *const p = open_list("order.txt", "a\nb\nc\nd\ne\nf\n");
    struct poll_standing s;

    (void)state;
    assert_string_equal(poll_title(p), "order");
    answer_truly(p, poll_owner(p), 30);
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.n, 6);
    assert_int_equal(s.n_asked, 30);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(s.place[i].item, i + 1);
        assert_true(s.place[i].sd > 0);
        assert_true(i == 0 || s.place[i].score < s.place[i - 1].score);
        assert_int_equal(s.place[i].n_answers, s.place[i].wins + s.place[i].losses);
    }
    assert_int_equal(s.n_against, 0);
    assert_int_equal(s.n_circles, 0);
    assert_true(s.first > .8 && s.all > .8 && s.share > 0);
    poll_standing_free(&s);
    poll_close(p);
}

static void test_questions_stay_and_are_prefetched(void **state)
{
    struct poll *const p = open_list("fetch.txt", "a\nb\nc\nd\ne\n");
    struct poll_question q[2], again[2];
    const uint32_t owner = poll_owner(p);

    (void)state;
    assert_ok(poll_questions(p, owner, q, &err), err);
    assert_ok(poll_questions(p, owner, again, &err), err);
    assert_memory_equal(q, again, sizeof q);
    assert_string_not_equal(q[0].id, q[1].id);
    say(p, owner, q[0], POLL_LEFT);
    assert_ok(poll_questions(p, owner, again, &err), err);
    assert_memory_equal(&again[0], &q[1], sizeof q[1]);
    poll_close(p);
}

static void test_pairs_do_not_repeat_at_once(void **state)
{
    struct poll *const p = open_list("repeat.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
    struct poll_question last = { .id = "" }, before = last;

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        const struct poll_question q = ask(p, poll_owner(p));

        if (i > 0)
            assert_false((q.left == last.left && q.right == last.right) ||
                         (q.left == last.right && q.right == last.left));
        for (int side = 0; i > 1 && side < 2; side++) {
            const uint32_t item = side == 0 ? q.left : q.right;

            assert_false((item == last.left || item == last.right) &&
                         (item == before.left || item == before.right));
        }
        say(p, poll_owner(p), q, q.left < q.right ? POLL_LEFT : POLL_RIGHT);
        before = last;
        last = q;
    }
    poll_close(p);
}

static void test_an_answer_counts_once(void **state)
{
    struct poll *p = open_list("once.txt", "a\nb\nc\n");
    const uint32_t owner = poll_owner(p);
    const struct poll_question q = ask(p, owner);
    struct poll_history h;

    (void)state;
    say(p, owner, q, POLL_LEFT);
    say(p, owner, q, POLL_RIGHT); /* sent again: acknowledged, not taken */
    poll_close(p);
    p = open_list("once.txt", NULL);
    say(p, owner, q, POLL_RIGHT); /* and in another process */
    assert_ok(poll_history(p, owner, 0, &h, &err), err);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.answer[0].outcome, POLL_LEFT);
    assert_string_equal(h.answer[0].question, q.id);
    poll_history_free(&h);
    poll_close(p);
}

static void test_undo_goes_all_the_way(void **state)
{
    struct poll *p = open_list("undo.txt", "a\nb\nc\nd\n");
    const uint32_t owner = poll_owner(p);
    struct poll_answer undone;
    struct poll_question q = { .id = "" };
    struct poll_standing s;

    (void)state;
    answer_truly(p, owner, 5);
    for (int i = 0; i < 5; i++) {
        assert_ok(poll_undo(p, owner, &undone, &err), err);
        assert_int_equal(undone.id, 5 - i);
        q = ask(p, owner);
        assert_int_equal(q.left, undone.left); /* it is asked again */
        assert_int_equal(q.right, undone.right);
        assert_string_not_equal(q.id, undone.question);
    }
    assert_ok(poll_undo(p, owner, &undone, &err), err);
    assert_int_equal(undone.id, 0);
    poll_close(p);
    p = open_list("undo.txt", NULL);
    assert_ok(poll_standing(p, owner, &s, &err), err);
    assert_int_equal(s.n_asked, 0);
    assert_true(s.place[0].is_guess);
    poll_standing_free(&s);
    poll_close(p);
}

static void test_out_of_play_and_back(void **state)
{
    struct poll *const p = open_list("out.txt", "a\nb\nc\nd\n");
    const uint32_t owner = poll_owner(p);
    struct poll_question q = ask(p, owner);
    const uint32_t unknown = q.left;
    struct poll_standing s;

    (void)state;
    say(p, owner, q, POLL_OUT_LEFT);
    for (int i = 0; i < 12; i++) {
        q = ask(p, owner);
        assert_true(q.left != unknown && q.right != unknown);
        say(p, owner, q, POLL_LEFT);
    }
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.n, 3);
    poll_standing_free(&s);
    for (int i = 0; i < 13; i++)
        assert_ok(poll_undo(p, owner, NULL, &err), err);
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.n, 4);
    poll_standing_free(&s);
    assert_ok(poll_set_out(p, 2, true, &err), err);
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.n, 3);
    poll_standing_free(&s);
    assert_int_equal(poll_set_out(p, 99, true, &err), PECK_ARG);
    poll_close(p);
}

static void test_edit_and_delete(void **state)
{
    struct poll *const p = open_list("edit.txt", "a\nb\nc\n");
    const uint32_t owner = poll_owner(p);
    struct poll_voter other;
    struct poll_history h;

    (void)state;
    answer_truly(p, owner, 3);
    assert_ok(poll_edit(p, owner, 2, POLL_TIE, 2, &err), err);
    assert_ok(poll_delete(p, owner, 1, &err), err);
    assert_int_equal(poll_delete(p, owner, 1, &err), PECK_ARG);
    assert_ok(poll_add_voter(p, (peck_span){ "Ann", 3 }, &other, &err), err);
    assert_int_equal(poll_edit(p, other.id, 2, POLL_LEFT, 1, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "no answer 2 that you may change");
    answer_truly(p, other.id, 1);
    assert_ok(poll_edit(p, owner, 4, POLL_SKIP, 0, &err), err); /* the owner may */
    assert_ok(poll_history(p, 0, 0, &h, &err), err);
    assert_int_equal(h.n, 3);
    assert_int_equal(h.answer[0].outcome, POLL_SKIP);
    assert_int_equal(h.answer[2].outcome, POLL_TIE);
    assert_int_equal(h.answer[2].strength, 2);
    poll_history_free(&h);
    poll_close(p);
}

static void test_list_changes(void **state)
{
    struct poll *p = open_list("change.txt", "a\nb\nc\n");
    const uint32_t owner = poll_owner(p);
    struct poll_items items;
    struct poll_standing s;
    size_t n;

    (void)state;
    answer_truly(p, owner, 4);
    assert_ok(poll_add_items(p, (peck_span){ "- x\n- y\n- a\n", 12 }, &n, &err), err);
    assert_int_equal(n, 2);
    poll_close(p);
    p = open_list("change.txt", "c\nnew\na\n");
    assert_non_null(strstr(told, "1 new item since"));
    assert_non_null(strstr(told, "'b' is gone"));
    assert_ok(poll_items(p, &items, &err), err);
    assert_int_equal(items.n, 6);
    assert_string_equal(items.item[1].name, "b");
    assert_true(items.item[1].is_gone && items.item[1].is_out);
    assert_string_equal(items.item[3].name, "x"); /* added by hand, so it stays */
    assert_false(items.item[3].is_out);
    assert_string_equal(items.item[5].name, "new");
    poll_items_free(&items);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.n, 5);
    assert_int_equal(s.n_asked, 4);
    poll_standing_free(&s);
    poll_close(p);
    p = open_list("change.txt", "a\nb\nc\nnew\n");
    assert_non_null(strstr(told, "1 item is back"));
    poll_close(p);
}

static void test_circles_and_surprise(void **state)
{
    struct poll *const p = open_list("circle.txt", "a\nb\nc\nd\n");
    const uint32_t owner = poll_owner(p);
    static const uint32_t duel[][2] = { { 1, 2 }, { 2, 3 }, { 1, 2 }, { 2, 3 },
                                        { 1, 4 }, { 2, 4 }, { 3, 4 }, { 3, 1 } };
    struct poll_standing s;

    (void)state;
    for (size_t i = 0; i < N_OF(duel); i++) {
        struct poll_question q = { .left = duel[i][0], .right = duel[i][1] };

        snprintf(q.id, sizeof q.id, "q%zu", i);
        say(p, owner, q, POLL_LEFT);
    }
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.n_against, 1);
    assert_int_equal(s.n_circles, 1);
    assert_int_equal(s.circle[0][0], 3);
    assert_int_equal(s.circle[0][1], 1);
    assert_int_equal(s.circle[0][2], 2);
    assert_true(s.n_surprising >= 1);
    assert_int_equal(s.surprising[0].id, 8);
    assert_true(s.surprising[0].surprise > .5);
    poll_standing_free(&s);
    poll_close(p);
}

/* a > b > c > a, or the other way round, and nothing else: the three are equally strong but
 * for rounding, so that no strength need contradict an answer. */
static void test_the_plainest_circle(void **state)
{
    static const char *const lists[] = { "a\nb\nc\n", "a\nb\nc\nd\n", "a\nb\nc\nd\ne\n",
                                         "a\nb\nc\nd\ne\nf\n" };

    (void)state;
    for (size_t trial = 0; trial < 6 * N_OF(lists); trial++) {
        const size_t turn = trial % 3, is_back = trial / 3 % 2;
        char name[16];
        struct poll_standing s;

        snprintf(name, sizeof name, "plain%zu.txt", trial);
        struct poll *const p = open_list(name, lists[trial / 6]);

        for (size_t i = 0; i < 3; i++) {
            struct poll_question q = { .left = (uint32_t)(1 + (i + turn) % 3) };

            q.right = 1 + (q.left + (uint32_t)is_back) % 3;
            snprintf(q.id, sizeof q.id, "q%zu", i);
            say(p, poll_owner(p), q, POLL_LEFT);
        }
        poll_settle(p, -1);
        assert_ok(poll_standing(p, poll_owner(p), &s, &err), err);
        assert_int_equal(s.n_circles, 1);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(s.circle[0][(k + 1) % 3], 1 + (s.circle[0][k] + is_back) % 3);
        poll_standing_free(&s);
        poll_close(p);
    }
}

static void test_several_people(void **state)
{
    struct poll *const p = open_list("people.txt", "a\nb\nc\nd\ne\nf\n");
    struct poll_voter v[4];
    struct poll_agreement g;
    struct poll_standing own;
    struct poll_voters all;
    struct poll_voter found;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char name[8];

        snprintf(name, sizeof name, "v%zu", i);
        assert_ok(poll_add_voter(p, (peck_span){ name, strlen(name) }, &v[i], &err), err);
        assert_int_equal(strlen(v[i].token), POLL_TOKEN);
    }
    assert_int_equal(poll_add_voter(p, (peck_span){ "v1", 2 }, &found, &err), PECK_ARG);
    assert_true(poll_find_voter(p, (peck_span){ v[2].token, POLL_TOKEN }, &found));
    assert_int_equal(found.id, v[2].id);
    assert_false(poll_find_voter(p, (peck_span){ v[2].token, POLL_TOKEN - 1 }, &found));
    assert_false(poll_find_voter(p, (peck_span){ "AAAAAAAAAAAAAAAAAAAAAA", 22 }, &found));
    for (size_t i = 0; i < 3; i++)
        answer_truly(p, v[i].id, 20);
    for (size_t i = 0; i < 20; i++) { /* the last one says the opposite */
        const struct poll_question q = ask(p, v[3].id);

        say(p, v[3].id, q, q.left < q.right ? POLL_RIGHT : POLL_LEFT);
    }
    poll_settle(p, -1);
    assert_ok(poll_agreement(p, &g, &err), err);
    assert_int_equal(g.n_voters, 4);
    assert_true(g.voter[0].share > .9 && g.voter[3].share < .2);
    assert_true(g.voter[3].weight < .5 && g.voter[0].weight > .7);
    assert_true(g.n_splits > 0);
    assert_true(g.split[0].for_a > 0 && g.split[0].for_b > 0);
    assert_true(g.split[0].a < g.split[0].b);
    poll_agreement_free(&g);
    assert_ok(poll_standing(p, v[3].id, &own, &err), err);
    assert_int_equal(own.n_asked, 20); /* their own order, upside down */
    assert_true(own.place[0].item > 3 && own.place[5].item <= 3);
    poll_standing_free(&own);
    assert_ok(poll_finish(p, v[1].id, &err), err);
    assert_ok(poll_set_weight(p, v[1].id, 2, &err), err);
    assert_int_equal(poll_set_weight(p, v[1].id, -1, &err), PECK_ARG);
    assert_ok(poll_voters(p, &all, &err), err);
    assert_int_equal(all.n, 5);
    assert_true(all.voter[0].is_owner);
    assert_true(all.voter[2].has_finished && all.voter[2].weight == 2);
    poll_voters_free(&all);
    poll_close(p);
}

static void test_ratings_come_first(void **state)
{
    struct poll *const p = open_list("rated.csv", "name,rating\na,1\nb,5\nc,3\nd,\n");
    struct poll_standing s;

    (void)state;
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.place[0].item, 2);
    assert_int_equal(s.place[3].item, 1);
    poll_standing_free(&s);
    poll_close(p);
}

/* Answers about the first half; features that tell the truth of both halves, or nothing. */
static void guess_by(const char *list, const char *features, bool is_telling)
{
    char items[512] = "", table[1024] = "name,good,noise\n";
    struct poll_spec spec = { .seed = 1, .threads = 1 };
    struct poll_standing s;
    struct poll *p;
    size_t n_right = 0, n_pairs = 0;

    for (int i = 40; i > 0; i--) { /* in another order than that of the list */
        snprintf(items + strlen(items), sizeof items - strlen(items), "i%02d\n", 41 - i);
        snprintf(table + strlen(table), sizeof table - strlen(table), "i%02d,%d,%d\n", i,
                 is_telling ? -i : i * 7919 % 13, i * 31 % 7);
    }
    spec.items = scratch_file(list, items);
    spec.features = scratch_file(features, table);
    assert_ok(poll_open(&p, &spec, &err), err);
    for (uint32_t i = 0; i < 30; i++) {
        struct poll_question q = { .left = 1 + i % 19, .right = 1 + (i + 2 + i / 19) % 20 };

        snprintf(q.id, sizeof q.id, "q%u", (unsigned)i);
        say(p, poll_owner(p), q, q.left < q.right ? POLL_LEFT : POLL_RIGHT);
    }
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    for (size_t i = 0; i < s.n; i++)
        for (size_t k = i + 1; k < s.n; k++)
            if (s.place[i].is_guess && s.place[k].is_guess &&
                s.place[i].score > s.place[k].score) {
                n_right += s.place[i].item < s.place[k].item;
                n_pairs++;
            }
    if (is_telling)
        assert_true(n_pairs > 150 && n_right * 10 > n_pairs * 8);
    else
        assert_true(fabs(s.place[0].score - s.place[s.n - 1].score) < 20);
    poll_standing_free(&s);
    poll_close(p);
}

static void test_features_guess(void **state)
{
    struct poll_spec spec = { .items = scratch_file("nofeat.txt", "a\nb\n") };
    struct poll *p;

    (void)state;
    guess_by("telling.txt", "telling.csv", true);
    guess_by("silent.txt", "silent.csv", false);
    spec.features = scratch_file("twice.csv", "name,x\na,1\na,2\n");
    assert_int_equal(poll_open(&p, &spec, &err), PECK_FORMAT);
    spec.features = scratch_path("no-features.csv");
    assert_int_equal(poll_open(&p, &spec, &err), PECK_IO);
}

static void test_import(void **state)
{
    struct poll *const p = open_list("import.txt", "a\nb\nc\n");
    const char *const file =
        scratch_file("old.csv", "winner,loser\na,b\nb,c\na,\"new, \"\"one\"\"\"\n");
    struct poll_items items;
    struct poll_standing s;
    size_t n;

    (void)state;
    assert_ok(poll_import(p, file, &n, &err), err);
    assert_int_equal(n, 3);
    assert_ok(poll_import(p, file, &n, &err), err);
    assert_int_equal(n, 0);
    assert_ok(poll_items(p, &items, &err), err);
    assert_int_equal(items.n, 4);
    assert_string_equal(items.item[3].name, "new, \"one\"");
    poll_items_free(&items);
    poll_settle(p, -1);
    assert_ok(poll_standing(p, 0, &s, &err), err);
    assert_int_equal(s.place[0].item, 1);
    assert_int_equal(s.n_answers, 3);
    poll_standing_free(&s);
    poll_close(p);
}

static void test_levels_and_export(void **state)
{
    struct poll *const p = open_list("levels.csv", "name\na\n\"b, \"\"B\"\"\"\nc*\nd\n");
    struct poll_place place[6];
    struct poll_standing s = { .place = place, .n = 6 };
    static const double score[6] = { 3, 2.9, 2.8, .1, 0, -2 };
    uint32_t level[6];
    peck_bytes b;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        place[i] = (struct poll_place){ .score = score[i] };
    assert_int_equal(poll_levels(&s, 3, level), 3);
    assert_int_equal(level[2], 0);
    assert_int_equal(level[3], 1);
    assert_int_equal(level[5], 2);
    assert_true(poll_levels(&s, 0, level) >= 2);
    assert_string_equal(poll_level_name(0, 4), "S");
    assert_string_equal(poll_level_name(3, 4), "C");
    assert_string_equal(poll_level_name(0, 10), "10");
    assert_string_equal(poll_level_name(9, 10), "1");
    answer_truly(p, poll_owner(p), 12);
    assert_ok(poll_export(p, "csv", &b, &err), err);
    assert_non_null(strstr(b.s, "rank,name,score,sd,level,wins,losses,ties,guess\n1,a,"));
    assert_non_null(strstr(b.s, ",\"b, \"\"B\"\"\","));
    poll_export_free(&b);
    assert_ok(poll_export(p, "markdown", &b, &err), err);
    assert_non_null(strstr(b.s, "c\\*"));
    poll_export_free(&b);
    assert_ok(poll_export(p, "json", &b, &err), err);
    assert_non_null(strstr(b.s, "\"name\":\"b, \\\"B\\\"\""));
    assert_non_null(strstr(b.s, "\"outcome\":\"left\""));
    poll_export_free(&b);
    assert_int_equal(poll_export(p, "pdf", &b, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "csv, json and markdown");
    poll_close(p);
}

/* Files that are no file of votes, or that somebody else has. */
static void refuse_votes(const char *votes, peck_status why, const char *phrase)
{
    const struct poll_spec spec = { .items = scratch_file("r.txt", "a\nb\n"),
                                    .votes = votes };
    struct poll *p;

    assert_int_equal(poll_open(&p, &spec, &err), why);
    assert_null(p);
    assert_failed(err, why, phrase);
}

static void test_files_that_are_refused(void **state)
{
    const char *const text =
        scratch_file("text.votes", "not a database, but text of a kind\n");
    size_t n;
    char *bytes;

    (void)state;
    refuse_votes(text, PECK_FORMAT, "no file of votes");
    bytes = file_bytes(text, &n);
    assert_string_equal(bytes, "not a database, but text of a kind\n"); /* left as it is */
    free(bytes);
    refuse_votes(scratch_path("no/such/folder/x.votes"), PECK_IO, "answers cannot be kept");
    struct poll *const p = open_list("locked.txt", "a\nb\n");

    refuse_votes(poll_votes(p), PECK_IO, "another `peck ask` is using it");
    answer_truly(p, poll_owner(p), 3);
    const char *const made = scratch_path("locked.txt.votes");

    poll_close(p);
    bytes = file_bytes(made, &n);
    bytes[60 + 3] = 9; /* user_version, in the header of SQLite's files */
    refuse_votes(scratch_bytes("later.votes", bytes, n), PECK_FORMAT, "by a later peck");
    bytes[60 + 3] = 1;
    bytes[68] = 'X'; /* application_id */
    refuse_votes(scratch_bytes("other.votes", bytes, n), PECK_FORMAT, "of another program");
    bytes[68] = 'P';
    memset(bytes + 4096, 0xA5, 2000);
    refuse_votes(scratch_bytes("broken.votes", bytes, n), PECK_FORMAT, "damaged");
    bytes[68] = 'P';
    free(bytes);
}

static void test_one_item_makes_no_file(void **state)
{
    const struct poll_spec spec = { .items = scratch_file("single.txt", "a\n") };
    struct poll *p;

    (void)state;
    assert_int_equal(poll_open(&p, &spec, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "single.txt: 'a' alone");
    assert_int_equal(access(scratch_path("single.txt.votes"), F_OK), -1);
}

static void test_reading_alone(void **state)
{
    struct poll *p = open_list("read.txt", "a\nb\nc\n");
    struct poll_spec spec = { .votes = scratch_path("read.txt.votes"),
                              .is_read_only = true };
    struct poll *r;
    struct stat info;
    peck_prefs *prefs;
    peck_prefs_info about;

    (void)state;
    answer_truly(p, poll_owner(p), 6);
    assert_ok(poll_open(&r, &spec, &err), err); /* while another one writes it */
    assert_ok(poll_prefs(r, &prefs, &err), err);
    peck_prefs_describe(prefs, &about);
    assert_int_equal(about.n_prefs, 6);
    assert_int_equal(about.n_items, 3);
    peck_prefs_free(prefs);
    assert_int_equal(poll_undo(r, poll_owner(r), NULL, &err), PECK_ARG);
    poll_close(r);
    poll_close(p);
    assert_int_equal(stat(spec.votes, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600); /* it holds tokens */
    assert_true(poll_is_votes(spec.votes));
    assert_false(poll_is_votes(scratch_path("read.txt")));
    spec.votes = scratch_path("gone.votes");
    assert_int_equal(poll_open(&r, &spec, &err), PECK_IO);
}

/* A process that answers as fast as it can and tells of each answer that was acknowledged is
 * killed: every one it told of is there, once, and at most one more. */
static void test_kill_loses_nothing(void **state)
{
    const char *const list = scratch_file("kill.txt", "a\nb\nc\nd\ne\nf\ng\n");
    const struct poll_spec spec = { .items = list, .seed = 1, .threads = 1 };
    size_t n_before = 0;

    (void)state;
    for (int round = 0; round < 5; round++) {
        static char id[100000][16];
        int ends[2];
        size_t n_told = 0;
        struct poll_history h;
        struct poll *p;

        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();

        if (child == 0) {
            if (poll_open(&p, &spec, &err) != PECK_OK)
                _exit(1);
            for (;;) {
                struct poll_question q[2];
                struct poll_answer a = { .outcome = POLL_LEFT, .strength = 1 };

                if (poll_questions(p, poll_owner(p), q, &err) != PECK_OK)
                    _exit(1);
                memcpy(a.question, q[0].id, sizeof a.question);
                a.left = q[0].left;
                a.right = q[0].right;
                if (poll_answer(p, poll_owner(p), &a, &err) != PECK_OK ||
                    write(ends[1], a.question, 16) != 16)
                    _exit(1);
            }
        }
        close(ends[1]);
        while (n_told < 8 + 5 * (size_t)round && read(ends[0], id[n_told], 16) == 16)
            n_told++;
        kill(child, SIGKILL);
        while (read(ends[0], id[n_told], 16) == 16) /* told before the kill arrived */
            assert_true(++n_told < N_OF(id));
        close(ends[0]);
        waitpid(child, NULL, 0);
        assert_ok(poll_open(&p, &spec, &err), err);
        assert_ok(poll_history(p, 0, 0, &h, &err), err);
        for (size_t k = 0; k < n_told; k++) {
            size_t n_there = 0;

            for (size_t i = 0; i < h.n; i++)
                n_there += strncmp(h.answer[i].question, id[k], 16) == 0;
            assert_int_equal(n_there, 1);
        }
        assert_in_range(h.n - n_before, n_told, n_told + 1);
        n_before = h.n;
        poll_history_free(&h);
        poll_close(p);
    }
}

struct crowd {
    struct poll *poll;
    uint32_t voter;
    const char *failed; /* which call; NULL: none */
};

static void *answer_thirty(void *ctx)
{
    struct crowd *const c = ctx;
    peck_error why;

    for (int i = 0; i < 30 && c->failed == NULL; i++) {
        struct poll_question q[2];
        struct poll_answer a = { .outcome = POLL_LEFT, .strength = 1 };
        struct poll_standing s;

        if (poll_questions(c->poll, c->voter, q, &why) != PECK_OK)
            c->failed = "questions";
        memcpy(a.question, q[0].id, sizeof a.question);
        a.left = q[0].left;
        a.right = q[0].right;
        if (poll_answer(c->poll, c->voter, &a, &why) != PECK_OK)
            c->failed = "answer";
        if (poll_standing(c->poll, c->voter, &s, &why) != PECK_OK)
            c->failed = "standing";
        poll_standing_free(&s);
    }
    return NULL;
}

static void test_many_at_once(void **state)
{
    struct poll *const p = open_list("crowd.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
    pthread_t thread[8];
    struct crowd crowd[8];
    struct poll_history h;

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        struct poll_voter v;
        char name[8];

        snprintf(name, sizeof name, "v%zu", i);
        assert_ok(poll_add_voter(p, (peck_span){ name, strlen(name) }, &v, &err), err);
        crowd[i] = (struct crowd){ p, v.id, NULL };
        assert_int_equal(pthread_create(&thread[i], NULL, answer_thirty, &crowd[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        if (crowd[i].failed != NULL)
            fail_msg("%s", crowd[i].failed);
    }
    assert_ok(poll_history(p, 0, 0, &h, &err), err);
    assert_int_equal(h.n, 240);
    poll_history_free(&h);
    poll_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_question_to_order),
        cmocka_unit_test(test_questions_stay_and_are_prefetched),
        cmocka_unit_test(test_pairs_do_not_repeat_at_once),
        cmocka_unit_test(test_an_answer_counts_once),
        cmocka_unit_test(test_undo_goes_all_the_way),
        cmocka_unit_test(test_out_of_play_and_back),
        cmocka_unit_test(test_edit_and_delete),
        cmocka_unit_test(test_list_changes),
        cmocka_unit_test(test_circles_and_surprise),
        cmocka_unit_test(test_the_plainest_circle),
        cmocka_unit_test(test_several_people),
        cmocka_unit_test(test_ratings_come_first),
        cmocka_unit_test(test_features_guess),
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_levels_and_export),
        cmocka_unit_test(test_files_that_are_refused),
        cmocka_unit_test(test_one_item_makes_no_file),
        cmocka_unit_test(test_reading_alone),
        cmocka_unit_test(test_kill_loses_nothing),
        cmocka_unit_test(test_many_at_once),
    };

    if (!votes_is_built()) {
        print_message("skipped: built without SQLite\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
