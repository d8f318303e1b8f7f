/* test_rule_file.c -- files of rules: what is understood, and what is said of the rest. */
#include "unit/rules/clauses.h"

#include "base/strings.h"

static const char *text_of(const char *text)
{
    return scratch_file("r.rules", text);
}

/* Refused at this line and column, with a caret under that place. */
static void assert_refused(const char *text, const char *where, const char *why)
{
    peck_rules *r = NULL;
    peck_error err = { 0 };
    struct strings none = { 0 };
    struct bound *b = NULL;
    peck_status st = peck_rules_read(&r, text_of(text), &err);

    if (st == PECK_OK)
        st = rules_bind(&b, r, &none, N_FEATURES, &err);
    if (st != PECK_FORMAT || strstr(err.text, where) == NULL ||
        strstr(err.text, why) == NULL)
        fail_msg("wanted \"%s\" \"%s\", got %d \"%s\"", where, why, st, err.text);
    const char *const shown = strchr(err.text, '\n'), *const caret =
                                                          strrchr(err.text, '\n');

    assert_non_null(shown);
    const unsigned long column =
        strtoul(strchr(strstr(err.text, "r.rules:") + 8, ':') + 1, NULL, 10);

    /* both lines are set in by four blanks; a long line is cut, a short one is not */
    const bool is_cut = strncmp(shown, "\n    ...", 8) == 0;

    assert_true(!is_cut || strlen(text) > 90);
    if (!is_cut)
        assert_int_equal(strchr(caret, '^') - caret - 1 - 4, column - 1);
    peck_rules_free(r);
}

static void errors_name_line_and_column_and_show_the_line(void **state)
{
    (void)state;
    assert_refused("a: forall d : top(0, d)\n", ":1:19: ", "whole number from 1");
    assert_refused("# fine\n\n  a: forall d : top(1, d) and\n", ":3:30: ", "on one line");
    assert_refused("a: forall doc : top(1, dco)\n", ":1:24: ", "did you mean 'doc'?");
    assert_refused("a: forall d : bfore(d, d)\n", ":1:15: ", "did you mean 'before'?");
    assert_refused("a: forall d : top(1, d) adn d.f1\n", ":1:25: ", "did you mean 'and'?");
    assert_refused("a: forall d : top(1, d) sgma 2\n", ":1:25: ", "did you mean 'sigma'?");
    assert_refused("a: forall d : top(1, d) sigma 0\n", ":1:31: ", "sigma");
    assert_refused("a: forall d : top(1, d) weight\n", ":1:31: ", "is missing");
    assert_refused("a forall d : top(1, d)\n", ":1:3: ", "':' is missing");
    assert_refused("\"a\": true\n", ":1:1: ", "begins with a name");
    assert_refused("a: forall \"d\" : true\n", ":1:11: ", "is missing");
    assert_refused("a: forall d : top(1, d) < 1\n", ":1:15: ", "a number is needed");
    assert_refused("a: forall d : d.f1 + top(1, d) < 1\n", ":1:22: ", "a number is needed");
    assert_refused("a: forall d : -top(1, d) < 1\n", ":1:16: ", "a number is needed");
    assert_refused("a: forall d : top(1, d) + d.f1 < 1\n", ":1:15: ", "a number is needed");
    assert_refused("define sporty(d) := d.f1 < 1\na: forall d : sprty(d)\n",
                   ":2:15: ", "did you mean 'sporty'?");
    assert_refused("a: exists q : true\n", ":1:11: ", "q is the query");
    assert_refused("a: (exists d : true) and top(1, d)\n", ":1:33: ", "unknown");
    assert_refused("a: forall d : top(1, q)\n", ":1:22: ", "q is the query");
    assert_refused("a: forall d : (top(1, d)\n", ":1:25: ", "')' is missing");
    assert_refused("a: forall d : d.f1 < top(1, d)\n", ":1:22: ", "a number is needed");
    assert_refused("a: forall d : 0 < d.f1 < 1\n", ":1:24: ", "one comparison at a time");
    assert_refused("a: forall d : d > 1\n", ":1:17: ", "d.feature");
    assert_refused("forall d : true\n", ":1:1: ", "begins with a name: \"sport: forall");
    assert_refused("a: exists d : top(1, d) and\n", ":1:28: ", "on one line");
    assert_refused("a: true weight\n", ":1:15: ", "it may be [0,1e6]");
    assert_refused("a: true weight -1\n", ":1:16: ", "it may be [0,1e6]");
    assert_refused("define s(d) := true\na: forall d : s(d, d)\n",
                   ":2:18: ", "takes 1 document, not more");
    assert_refused("define s(d, e) := true\na: forall d : s(d)\n",
                   ":2:18: ", "takes 2 documents, not 1");
    assert_refused("a: exists d : d.5 > 3\n", ":1:17: ", "name of a feature");
    assert_refused("a: true\na: true\n", ":2:1: ", "already, in line 1");
    assert_refused("a: forall d : d.f4 > 0\n", ":1:17: ", "f1 to f3");
    assert_refused("a: forall d : d.\"f1 > 0\n", ":1:17: ", "second \"");
    assert_refused("a: forall d : d.f1 > 1e999\n", ":1:22: ", "not a number");
    assert_refused("a: forall d : d.f1 ; 1\n", ":1:20: ", "no meaning");
    assert_refused("a: forall q | exists d : top(1, d) : true\n", ":1:15: ", "implies");
    assert_refused("define top(d) := true\na: true\n", ":1:8: ", "word of the language");
    assert_refused("define s(d) := true or\na: true\n", ":1:23: ", "on one line");
    assert_refused("define s(d) := s(d)\na: true\n", ":1:16: ", "unknown predicate");
    assert_refused("define s(q) := true\na: forall d : s(d)\n", ":2:17: ", "the query q");
    assert_refused(
        "a: forall d : top(1, d) and top(2, d) and top(3, d) and top(4, d) and tip(5, d)\n",
        ":1:71: ", "did you mean 'top'?");
    assert_refused("3: true\n", ":1:1: ", "begins with a name");
    assert_refused("\xC3\xA9: true\n", ":1:1: ", "no meaning");
    assert_refused("a: true # \xC3\xA9\nb: forall d : d.\"\xC3\xA9\" > x\n",
                   ":2:23: ", "unknown word");
}

static void advice_is_what_can_stand_there(void **state)
{
    (void)state;
    /* A feature alone: whatever word is near, none is a number. */
    assert_refused("a: forall d : age < 100\n", ":1:15: ", "a feature is written d.age");
    assert_refused("a: forall d, e : 1 >= age\n", ":1:23: ", "a feature is written e.age");
    assert_refused("a: forall d : d.f1 * -age = 2\n", ":1:23: ", "is written d.age");
    assert_refused("a: age + 1 > 2\n", ":1:4: ", "a feature is written q.age, or d.age");
    assert_refused("define s(q) := age != 1\na: true\n", ":1:16: ", "is written q.age");
    assert_refused("a: forall d : d.f1 > not top(1, d)\n", ":1:22: ", "not 'not'");
    /* Quantifiers in other words; a setting of that name stays one. */
    assert_refused("a: all d : d.f1 < 100\n", ":1:4: ", "did you mean 'forall'?");
    assert_refused("a: each d : d.f1 < 100\n", ":1:4: ", "did you mean 'forall'?");
    assert_refused("a: Any d : d.f1 < 100\n", ":1:4: ", "did you mean 'exists'?");
    assert_refused("a: forall d : some e : true\n", ":1:15: ", "did you mean 'exists'?");
    assert_refused("a: true all d\n", ":1:13: ", "max|mean");
}

/* Both clauses are printed the same way. */
static void assert_same_clause(const char *one, const char *other)
{
    const char *const text[] = { one, other };
    struct text form[2];

    for (size_t i = 0; i < 2; i++) {
        peck_rules *r = NULL;
        peck_error err = { 0 };
        char line[300];

        snprintf(line, sizeof line, "a: %s\n", text[i]);
        assert_ok(peck_rules_read(&r, text_of(line), &err), err);
        text_init(&form[i], 1000);
        rules_print(r, 0, &form[i]);
        peck_rules_free(r);
    }
    assert_string_equal(form[0].s, form[1].s);
    text_free(&form[0]);
    text_free(&form[1]);
}

static void words_and_signs_of_other_languages_are_understood(void **state)
{
    (void)state;
    assert_same_clause("forall d : d.f1 > .5 weight=2", "forall d : d.f1 > 0.5 weight 2");
    assert_same_clause("forall d : if top(1, d) then d.f1 > 0",
                       "forall d : top(1, d) implies d.f1 > 0");
    assert_same_clause("forall d : top(1, d) => d.f1 > 0 => top(2, d)",
                       "forall d : top(1, d) implies (d.f1 > 0 implies top(2, d))");
    assert_same_clause("forall d : top(1, d)->d.f1>-1",
                       "forall d : top(1, d) implies d.f1 > -1");
    assert_same_clause("exists d : top(1, d) & d.f1 == 1 && !d.f2 | top(2, d)",
                       "exists d : top(1, d) and d.f1 = 1 and not d.f2 or top(2, d)");
    assert_same_clause(
        "exists d | top(1, d) | top(2, d) : d.f1 != 0 || !(top(3, d))",
        "exists d : (top(1, d) or top(2, d)) and (d.f1 != 0 or not top(3, d))");
    assert_same_clause("forall d : top(1, d) <=> d.f1 > 0",
                       "forall d : top(1, d) iff d.f1 > 0");
    assert_same_clause("forall d : top(1, d) <-> d.f1 > 0",
                       "forall d : top(1, d) iff d.f1 > 0");
    assert_same_clause(
        "forall d : if top(1, d) then if d.f1 > 0 then d.f2 > 0 or d.f3 > 0",
        "forall d : top(1, d) implies (d.f1 > 0 implies (d.f2 > 0 or d.f3 > 0))");
    assert_same_clause("forall d : d.f1 => top(1, d)", "forall d : d.f1 implies top(1, d)");
    assert_same_clause("forall d : d.f1 => d.f2 > 0", "forall d : d.f1 implies d.f2 > 0");
    assert_refused("a: forall d : d.f1 => 0.5\n", ":1:20: ", "may be >= or implies");
    assert_refused("a: forall d : (d.f1) => (0.5)\n", ":1:22: ", "may be >= or implies");
    assert_refused("a: exists d : top(1, d) and d.f1 => 0.5\n",
                   ":1:34: ", "may be >= or implies");
    assert_refused("a: forall d : d.f1 => 0.5 implies top(2, d)\n",
                   ":1:20: ", "may be >= or implies");
    assert_refused("a: forall d : top(1, d) or d.f1 => 0.5 and d.f2 > 0\n",
                   ":1:33: ", "may be >= or implies");
    assert_refused("a: forall d : if top(1, d) and d.f1 > 0\n",
                   ":1:40: ", "'then' is missing");
    assert_refused("a: forall d : if d.f1 then d.f2 else d.f3\n", ":1:33: ", "no else");
    assert_refused("a: forall d : d.f1 > 0 then top(1, d)\n", ":1:24: ", "no 'if'");
    assert_refused("a: forall if : top(1, if)\n", ":1:11: ", "word of the language");
}

static void a_long_line_is_cut_around_the_place(void **state)
{
    char text[3000] = "a: forall d : d.f1 > 0";
    peck_rules *r = NULL;
    peck_error err = { 0 };

    (void)state;
    for (int i = 0; i < 80; i++)
        strncpy(text + strlen(text), " and d.f1 > 0", 20);
    strncpy(text + strlen(text), " and e.f1 > 0", 20);
    assert_int_equal(peck_rules_read(&r, text_of(text), &err), PECK_FORMAT);
    assert_non_null(strstr(err.text, "unknown variable 'e'"));
    const char *const shown = strchr(err.text, '\n') + 1, *const caret =
                                                              strrchr(err.text, '\n') + 1;

    assert_int_equal(shown[caret[strcspn(caret, "^")] == '^' ? strcspn(caret, "^") : 0],
                     'e');
    assert_non_null(strstr(shown, "    ..."));
}

static void limits_are_held(void **state)
{
    char *const text = malloc(1 << 21);
    size_t n;

    (void)state;
    /* depth */
    n = (size_t)snprintf(text, 100, "a: ");
    for (int i = 0; i < 101; i++)
        text[n++] = '(';
    text[n] = '\0';
    assert_refused(text, ":1:104: ", "nested too deep");
    /* propositions */
    n = (size_t)snprintf(text, 100, "a: forall d : top(1, d)");
    for (int i = 2; i < 14; i++)
        n += (size_t)snprintf(text + n, 100, " or top(%d, d)", i);
    assert_refused(text, ":1:1: ", "split it");
    /* variables */
    n = (size_t)snprintf(text, 100, "a: forall v0");
    for (int i = 1; i < 32; i++)
        n += (size_t)snprintf(text + n, 100, ", v%d", i);
    snprintf(text + n, 100, " : true");
    assert_refused(text, ":1:", "more than 31 variables");
    /* ... 16 of them or more, which an iff has twice */
    for (int most = 16; most <= 20; most++) {
        n = (size_t)snprintf(text, 100, "a: true iff (forall v0");
        for (int i = 1; i < most; i++)
            n += (size_t)snprintf(text + n, 100, ", v%d", i);
        n += (size_t)snprintf(text + n, 100, " : top(1, v0)");
        for (int i = 1; i < most; i++)
            n += (size_t)snprintf(text + n, 100, " or top(1, v%d)", i);
        snprintf(text + n, 100, ")");
        assert_refused(text, ":1:1: ", "more than 31 variables once each iff");
    }
    /* rules */
    n = 0;
    for (int i = 0; i <= 256; i++)
        n += (size_t)snprintf(text + n, 100, "r%d: true\n", i);
    assert_refused(text, ":257:1: ", "more than 256 rules");
    /* definitions that double each time */
    n = (size_t)snprintf(text, 200, "define p0(d) := top(1, d)\n");
    for (int i = 1; i < 30; i++)
        n += (size_t)snprintf(text + n, 100, "define p%d(d) := p%d(d) and p%d(d)\n", i,
                              i - 1, i - 1);
    assert_refused(text, ":11:", "too long");
    /* three documents in one comparison */
    assert_refused("a: forall d, e, g : d.f1 < e.f1 + g.f1\n", ":1:1: ", "two documents");
    free(text);
}

static void a_line_or_file_without_end_is_refused(void **state)
{
    char *const text = malloc((1 << 20) + 10);
    peck_rules *r = NULL;
    peck_error err = { 0 };

    (void)state;
    memset(text, ' ', 1 << 20);
    text[5000] = '\0';
    assert_int_equal(peck_rules_read(&r, text_of(text), &err), PECK_FORMAT);
    assert_non_null(strstr(err.text, "4096 bytes"));
    memset(text, '\n', (1 << 20) + 1);
    text[(1 << 20) + 1] = '\0';
    assert_int_equal(peck_rules_read(&r, text_of(text), &err), PECK_FORMAT);
    assert_non_null(strstr(err.text, "at most"));
    assert_int_equal(peck_rules_read(&r, text_of("# nothing\n"), &err), PECK_FORMAT);
    assert_non_null(strstr(err.text, "no rule"));
    assert_null(r);
    free(text);
}

static void settings_hold_for_a_clause_or_from_a_line_on(void **state)
{
    struct scene_rules s = read_rules(text_of("a: true\r\nset sigma 0.2 all mean\r\n"
                                              "b: true weight 0.25 # light\r\n"
                                              "c: true sigma 0.7 mixture false\r\n"));

    (void)state;
    assert_true(rules_config(s.rules, 0)->sigma == 0.5);
    assert_true(rules_config(s.rules, 1)->sigma == 0.2);
    assert_true(rules_config(s.rules, 1)->weight == 0.25);
    assert_int_equal(rules_config(s.rules, 1)->all, ALL_MEAN);
    assert_true(rules_config(s.rules, 2)->sigma == 0.7);
    assert_true(rules_config(s.rules, 2)->weight == 1.0);
    assert_int_equal(rules_config(s.rules, 2)->mixture, MIXTURE_FALSE);
    free_rules(&s);
}

static bool binds(const char *text, const struct strings *names, peck_error *err)
{
    struct bound *b = NULL;
    peck_rules *r = NULL;

    assert_ok(peck_rules_read(&r, text_of(text), err), *err);
    const peck_status st = rules_bind(&b, r, names, names->n, err);

    bound_free(b);
    peck_rules_free(r);
    return st == PECK_OK;
}

static void features_go_by_name_and_the_query_has_its_own(void **state)
{
    static const char *const given[] = { "topic", "query_topic", "body BM25", "f1" };
    const float x[] = { 0, 1, 0, 7, 0, 1, 5, 8 };
    const struct scene q = { .docs = { x, 2, 4, 4 }, .id = { "1", 1 } };
    struct strings names = { 0 };
    struct bound *b = NULL;
    peck_rules *r = NULL;
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(given); i++)
        assert_true(strings_add(&names, span_of(given[i])));
    assert_ok(peck_rules_read(&r,
                              text_of("a: q.topic = 1\nb: exists d : d.topic = 1\n"
                                      "c: exists d : d.\"body BM25\" = 5\n"
                                      "d: exists d : d.f1 = 8\ne: exists d : d.f3 = 5\n"),
                              &err),
              err);
    assert_ok(rules_bind(&b, r, &names, 4, &err), err);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rules_hold(b, i, &q, NULL), i != 1);
    bound_free(b);
    peck_rules_free(r);
    assert_false(binds("a: exists d : d.tpic > 0\n", &names, &err));
    assert_failed(err, PECK_FORMAT, "did you mean 'topic'?");
    assert_false(binds("a: exists d : d.elsewhere > 0\n", &names, &err));
    assert_failed(err, PECK_FORMAT, "unknown feature 'elsewhere'");
    assert_false(binds("a: exists d : d.f5 > 0\n", &names, &err));
    strings_free(&names);
    /* the query's own may be the first column */
    names = (struct strings){ 0 };
    assert_true(strings_add(&names, span_of("query_topic")));
    assert_true(strings_add(&names, span_of("topic")));
    assert_ok(peck_rules_read(&r, text_of("a: q.topic = 7\n"), &err), err);
    assert_ok(rules_bind(&b, r, &names, 2, &err), err);
    assert_true(rules_hold(
        b, 0,
        &(struct scene){ .docs = { (const float[]){ 7, 1 }, 1, 2, 2 }, .id = { "1", 1 } },
        NULL));
    bound_free(b);
    peck_rules_free(r);
    strings_free(&names);
}

/* One document with a = 7, and = 2, b = 1. */
static void signs_go_from_left_to_right_and_quotes_make_names(void **state)
{
    static const char *const given[] = { "a", "and", "b" };
    const float x[] = { 7, 2, 1 };
    const struct scene q = { .docs = { x, 1, 3, 3 }, .id = { "1", 1 } };
    struct strings names = { 0 };
    struct bound *b = NULL;
    peck_rules *r = NULL;
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(given); i++)
        assert_true(strings_add(&names, span_of(given[i])));
    assert_ok(peck_rules_read(&r,
                              text_of("a: exists d : d.a - d.\"and\" - d.b = 4\n"
                                      "b: exists d : d.a - 2 * d.b + 1 = 6\n"
                                      "c: exists d : d.a / 2 / 2 = 1.75\n"
                                      "d: exists d : d.a - d.b = 5\n"),
                              &err),
              err);
    assert_ok(rules_bind(&b, r, &names, 3, &err), err);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rules_hold(b, i, &q, NULL), i < 3);
    bound_free(b);
    peck_rules_free(r);
    strings_free(&names);
}

static void a_definition_may_speak_of_the_query(void **state)
{
    const float x[] = { 3, 1, 3, 3 }; /* a, b of two documents */
    const struct scene q = { .docs = { x, 2, 2, 2 }, .id = { "1", 1 } };
    struct strings names = { 0 };
    struct bound *b = NULL;
    peck_rules *r = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_true(strings_add(&names, span_of("a")));
    assert_true(strings_add(&names, span_of("b")));
    assert_ok(peck_rules_read(&r,
                              text_of("define fits(d, q) := d.b = q.a\n"
                                      "some: exists d : fits(d, q)\n"
                                      "all: forall d : fits(d, q)\n"),
                              &err),
              err);
    assert_ok(rules_bind(&b, r, &names, 2, &err), err);
    assert_true(rules_hold(b, 0, &q, NULL));
    assert_false(rules_hold(b, 1, &q, NULL));
    bound_free(b);
    peck_rules_free(r);
    /* whatever its place, it is the query: it has features of its own and no place */
    assert_true(strings_add(&names, span_of("query_b")));
    assert_ok(peck_rules_read(&r,
                              text_of("define own(q, d) := q.b = 5\n"
                                      "own: forall d : own(q, d)\n"),
                              &err),
              err);
    assert_ok(rules_bind(&b, r, &names, 3, &err), err);
    assert_true(rules_hold(b, 0,
                           &(struct scene){ .docs = { (const float[]){ 3, 1, 5 }, 1, 3, 3 },
                                            .id = { "1", 1 } },
                           NULL));
    bound_free(b);
    peck_rules_free(r);
    strings_free(&names);
    assert_refused("define first(d, q) := top(2, q)\n", "r.rules:1:30", "q is the query");
}

static void a_query_must_fit_its_rules(void **state)
{
    const float x[] = { 0, 0.5f, 1, 0, 2, 1, 1, 1, 0 };
    const struct scene q = { .docs = { x, 3, 3, 3 }, .id = { "77", 2 } };
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "a: q.f1 = 0\n", "in query '77' it is 0 and 1" },
        { "a: forall d : d.f2\n", "it is 2, not in [0,1]" },
        { "b: forall q | false : forall d : d.f3\na: forall d : d.f2\n", "it is 2, not" },
        { "a: forall d, e : d.f2 - e.f2 or top(1, d)\n", "not in [0,1]" },
        { "a: forall d, e, g : before(d, e) or before(e, g) most 26\n", "3 quantifiers" },
        { "a: forall q | exists d : exists e : exists g : d.f3 < 7 : true most 26\n",
          "3 quantifiers" },
        { "a: forall d, e, g, h, i, j, k, l, m, n, o, p, r, s, t, u : true\n",
          "16 quantifiers" },
    };
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct scene_rules s = read_rules(text_of(cases[i].text));

        assert_int_equal(rules_check_scene(s.bound, &q, &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, cases[i].why);
        free_rules(&s);
    }
    struct scene_rules s =
        read_rules(text_of("a: forall d, e, g : before(d, e) or before(e, g) most 27\n"
                           "b: forall q | false : forall d : d.f2\n"));

    assert_ok(rules_check_scene(s.bound, &q, &err), err);
    assert_true(rules_speak_of(s.bound, 0, &q));
    assert_false(rules_speak_of(s.bound, 1, &q));
    free_rules(&s);
}

/* Depth is what is open at a time: side by side there may be as much as a line holds. */
static void what_is_closed_is_not_deep(void **state)
{
    static const char *const part[] = { "-d.f1 < 1", "(true)", "not false", "(-d.f1) < 1" };
    peck_error err = { 0 };

    (void)state;
    for (size_t k = 0; k < N_OF(part); k++) {
        char text[8000], *p = text + snprintf(text, 64, "a: forall d : true");
        peck_rules *r = NULL;

        for (int i = 0; i < 120; i++)
            p += snprintf(p, 64, " and %s", part[k]);
        assert_ok(peck_rules_read(&r, text_of(text), &err), err);
        peck_rules_free(r);
        r = (peck_rules *)&err;
        assert_int_equal(peck_rules_read(&r, "/nowhere/r.rules", &err), PECK_IO);
        assert_null(r);
    }
    char text[8000], *p = text + snprintf(text, 64, "a: true");
    peck_rules *r = NULL;

    for (int i = 0; i < 25; i++) /* a rule has 31 variables at most */
        p += snprintf(p, 64, " and (exists d : true)");
    p += snprintf(p, 64, " and ");
    memset(p, '(', 80);
    p += 80 + snprintf(p + 80, 64, "true");
    memset(p, ')', 80);
    p[80] = '\0';
    assert_ok(peck_rules_read(&r, text_of(text), &err), err);
    peck_rules_free(r);
}

static void a_contradiction_is_found(void **state)
{
    peck_error err = { 0 };
    struct scene_rules s =
        read_rules(text_of("fine: forall d : top(1, d)\n"
                           "bad: exists d : top(2, d) and not top(2, d)\n"));

    (void)state;
    assert_int_equal(rules_refuse_never(s.rules, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, ":2:1: the rule 'bad' is a contradiction");
    free_rules(&s);
}

static void rules_come_from_memory_too(void **state)
{
    static const char text[] = "fine: forall d : top(1, d)\nother: forall d : d.f1 > 0";
    peck_rules *r = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_rules_parse(&r, text, &err), err);
    assert_int_equal(rules_count(r), 2);
    assert_span(rules_name(r, 1), "other");
    peck_rules_free(r);
    assert_int_equal(peck_rules_parse(&r, "a: true\nb: forall d : top(0, d)", &err),
                     PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "rules:2:19: ");
    assert_null(r);
    assert_int_equal(peck_rules_parse(&r, "", &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "there is no rule");
}

/* Settings of the caller over those of the file, as if each clause had them at its end. */
static void settings_are_given_over_those_of_the_file(void **state)
{
    static const char *const settings[] = { "alpha=3", "mixture=false", NULL };
    static const char *const wrong[] = { "alpah=3", NULL };
    peck_rules *r = NULL, *with = NULL, *by_hand = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_rules_parse(&r,
                               "set alpha 2 sigma 0.4\n"
                               "a: forall d : top(2, d)\n"
                               "b: exists d : top(1, d) or d.f1 > 0 alpha 5 weight 7\n",
                               &err),
              err);
    assert_ok(peck_rules_parse(
                  &by_hand,
                  "set alpha 2 sigma 0.4\n"
                  "a: forall d : top(2, d) alpha 3 mixture false\n"
                  "b: exists d : top(1, d) or d.f1 > 0 alpha 3 weight 7 mixture false\n",
                  &err),
              err);
    assert_ok(peck_rules_with(&with, r, settings, &err), err);
    assert_int_equal(rules_count(with), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct rule_shape a = rules_shape(with, i), b = rules_shape(by_hand, i);
        struct text told[2];

        assert_true(a.n_true == b.n_true && a.n_false == b.n_false && !a.is_of_true &&
                    !b.is_of_true);
        for (int k = 0; k < 2; k++) {
            text_init(&told[k], 1 << 12);
            rules_print_settings(k == 0 ? with : by_hand, i, &told[k]);
        }
        assert_string_equal(told[0].s, told[1].s);
        text_free(&told[0]);
        text_free(&told[1]);
    }
    assert_true(rules_config(with, 1)->weight == 7.0);
    assert_true(rules_config(r, 0)->alpha == 2.0); /* the others are as they were */
    peck_rules_free(with);
    assert_int_equal(peck_rules_with(&with, r, wrong, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "did you mean 'alpha'?");
    assert_null(with);
    peck_rules_free(r);
    peck_rules_free(by_hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_come_from_memory_too),
        cmocka_unit_test(settings_are_given_over_those_of_the_file),
        cmocka_unit_test(errors_name_line_and_column_and_show_the_line),
        cmocka_unit_test(advice_is_what_can_stand_there),
        cmocka_unit_test(words_and_signs_of_other_languages_are_understood),
        cmocka_unit_test(a_long_line_is_cut_around_the_place),
        cmocka_unit_test(limits_are_held),
        cmocka_unit_test(a_line_or_file_without_end_is_refused),
        cmocka_unit_test(settings_hold_for_a_clause_or_from_a_line_on),
        cmocka_unit_test(features_go_by_name_and_the_query_has_its_own),
        cmocka_unit_test(signs_go_from_left_to_right_and_quotes_make_names),
        cmocka_unit_test(a_definition_may_speak_of_the_query),
        cmocka_unit_test(a_query_must_fit_its_rules),
        cmocka_unit_test(a_contradiction_is_found),
        cmocka_unit_test(what_is_closed_is_not_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
