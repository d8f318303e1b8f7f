/* test_prenex.c -- all quantifiers in front, and nothing changed by it. */
#include "unit/rules/clauses.h"

#include "base/strings.h"
#include "rules/tree.h"

enum { N_CLAUSES = 500 };

/* Every world of up to 3 documents: features, the query's feature, orders. */
static void each_world(void (*visit)(void *ctx, const struct tiny_world *w), void *ctx)
{
    static const uint32_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                          { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    static const uint32_t n_orders[] = { 0, 1, 2, 6 };

    for (uint32_t n = 1; n <= 3; n++)
        for (uint32_t bits = 0; bits < 2u << (2 * n); bits++)
            for (uint32_t o = 0; o < n_orders[n]; o++) {
                struct tiny_world w = { .n = n };

                for (uint32_t i = 0; i < n; i++) {
                    w.x[i * N_FEATURES] = (float)(bits >> (2 * i) & 1);
                    w.x[i * N_FEATURES + 1] = (float)(bits >> (2 * i + 1) & 1);
                    w.x[i * N_FEATURES + QUERY_FEATURE] = (float)(bits >> (2 * n));
                    w.position[i] = n == 2 ? (o == 1) != (i == 1) : orders[o][i];
                }
                visit(ctx, &w);
            }
}

struct comparison {
    const struct clause_tree *tree;
    struct scene_rules written, prenex;
    size_t n_worlds;
};

static void compare_all(void *ctx, const struct tiny_world *w)
{
    struct comparison *const c = ctx;
    const struct scene q = scene_of(w);

    for (size_t i = 0; i < N_CLAUSES / 2; i++) {
        const bool expected = clause_is_true(&c->tree[i], w);

        if (rules_hold(c->written.bound, i, &q, w->position) != expected ||
            rules_hold(c->prenex.bound, i, &q, w->position) != expected)
            fail_msg("clause %zu should be %d", i, expected);
    }
    c->n_worlds++;
}

/* The clauses as they are, and as rules_print gives them: both are read again. */
static void prenex_form_keeps_the_truth_on_all_small_worlds(void **state)
{
    static struct clause_tree tree[N_CLAUSES];
    struct comparison c = { .tree = tree };
    struct text prenex;
    struct rng r;

    (void)state;
    rng_seed(&r, 5, 15);
    for (size_t half = 0; half < 2; half++) {
        const char *const path = scratch_path("written.rules");
        FILE *const f = fopen(path, "w");

        fputs(DEFINITIONS, f);
        for (size_t i = 0; i < N_CLAUSES / 2; i++) {
            random_clause(&tree[i], &r);
            fprintf(f, "r%zu: ", i);
            write_part(&tree[i], tree[i].root, f);
            fputs("\n", f);
        }
        fclose(f);
        c.written = read_rules(path);
        text_init(&prenex, 1 << 20);
        for (size_t i = 0; i < N_CLAUSES / 2; i++) {
            text_printf(&prenex, "r%zu: ", i);
            rules_print(c.written.rules, i, &prenex);
            text_add_str(&prenex, "\n");
        }
        c.prenex = read_rules(scratch_file("prenex.rules", prenex.s));
        c.n_worlds = 0;
        each_world(compare_all, &c);
        assert_int_equal(c.n_worlds, 8 + 2 * 32 + 6 * 128);
        text_free(&prenex);
        free_rules(&c.written);
        free_rules(&c.prenex);
    }
}

static void assert_form(const char *clause, const char *expected)
{
    char line[512];
    struct text got;

    snprintf(line, sizeof line,
             "define twin(a, b) := same(a, b)\ndefine ahead(a, b) := before(a, b)\nr: %s\n",
             clause);
    struct scene_rules s = read_rules(scratch_file("form.rules", line));

    text_init(&got, 4096);
    rules_print(s.rules, 0, &got);
    if (strcmp(got.s, expected) != 0)
        fail_msg("\"%s\" became \"%s\", not \"%s\"", clause, got.s, expected);
    text_free(&got);
    free_rules(&s);
}

static void quantifiers_move_to_the_front_and_change_under_a_negation(void **state)
{
    (void)state;
    assert_form("forall q, d : top(1, d)", "forall q, d : top(1, d)");
    assert_form("not forall d : top(1, d)", "forall q : exists d : not top(1, d)");
    assert_form("(exists d : d.f1 > 0) implies exists d : top(3, d) and d.f1 > 0",
                "forall q, d : exists d2 : 0 < d.f1 implies top(3, d2) and 0 < d2.f1");
    assert_form("forall q | q.f3 > 0 : exists d : top(3, d)",
                "forall q | q.f3 > 0 : exists d : top(3, d)");
    assert_form("forall d | d.f1 = 1 : exists e | e.f2 != 0 : before(d, e)",
                "forall q, d : exists e : d.f1 = 1 implies not e.f2 = 0 and before(d, e)");
    assert_form(
        "(forall d : top(2, d)) iff q.f3 = 1",
        "forall q : exists d : forall d2 : (top(2, d) implies q.f3 = 1) and (q.f3 = "
        "1 implies top(2, d2))");
    assert_form("(exists d : exists e : before(d, e)) iff q.f3 = 1",
                "forall q, d, e : exists d2, e2 : (before(d, e) implies q.f3 = 1) and "
                "(q.f3 = 1 implies before(d2, e2))");
    assert_form("(forall d : not forall e : before(d, e)) iff q.f3 = 1",
                "forall q : exists d : forall e, d2 : exists e2 : (not before(d, e) "
                "implies q.f3 = 1) and (q.f3 = 1 implies not before(d2, e2))");
}

static void what_nothing_depends_on_is_dropped(void **state)
{
    (void)state;
    assert_form("forall d, e : exists x : top(1, e)", "forall q, e : top(1, e)");
    assert_form("forall d : same(d, d) or before(d, d)", "forall q : true or false");
    assert_form("forall d : twin(d, d) or ahead(d, d)", "forall q : true or false");
}

static void grouping_survives_printing(void **state)
{
    (void)state;
    assert_form("forall d : (top(1, d) or top(2, d)) and not (top(3, d) and d.f1 > 0)",
                "forall q, d : (top(1, d) or top(2, d)) and not (top(3, d) and 0 < d.f1)");
    assert_form(
        "forall d : (top(1, d) implies top(2, d)) implies top(3, d) implies top(4, d)",
        "forall q, d : (top(1, d) implies top(2, d)) implies top(3, d) implies "
        "top(4, d)");
    assert_form("forall d : d.f1 - (d.f2 - 1) * -2 < 3 / (d.f1 / 2)",
                "forall q, d : d.f1 - (d.f2 - 1) * -2 < 3 / (d.f1 / 2)");
}

static void names_are_quoted_where_they_are_no_words(void **state)
{
    static const char *const words[] = { "azAZ", "_", "z9", "a0", "Z_a" };
    static const char *const others[] = { "9a", "a b", "a-z", "`", "{", "@", "[", "a.b" };

    (void)state;
    for (size_t i = 0; i < N_OF(words) + N_OF(others); i++) {
        const bool is_word = i < N_OF(words);
        const char *const name = is_word ? words[i] : others[i - N_OF(words)];
        char line[128], expected[128];
        struct text got;
        peck_rules *r = NULL;
        peck_error err = { 0 };

        snprintf(line, sizeof line, "r: forall d : d.\"%s\" < 1", name);
        snprintf(expected, sizeof expected, "forall q, d : d.%s%s%s < 1",
                 is_word ? "" : "\"", name, is_word ? "" : "\"");
        assert_ok(peck_rules_parse(&r, line, &err), err);
        text_init(&got, 4096);
        rules_print(r, 0, &got);
        if (strcmp(got.s, expected) != 0)
            fail_msg("\"%s\" became \"%s\", not \"%s\"", line, got.s, expected);
        text_free(&got);
        peck_rules_free(r);
    }
}

/* What the first statement of a rule depends on: documents in the order of the prefix, and
 * whose term stands on which side where each side has a document of its own. */
static void atoms_know_their_documents(void **state)
{
    static const struct {
        const char *clause;
        uint32_t n_vars;
        bool is_ranking, is_separable;
        uint32_t var[2], side[2]; /* 1: the first of the prefix */
    } cases[] = {
        { "d.f1 < e.f2", 2, false, true, { 1, 2 }, { 1, 2 } },
        { "e.f1 < d.f2", 2, false, true, { 1, 2 }, { 2, 1 } },
        { "e.f1 = d.f2", 2, false, true, { 1, 2 }, { 2, 1 } },
        { "d.f1 + e.f1 < d.f2", 2, false, false, { 1, 2 }, { 1, 2 } },
        { "d.f1 < d.f2 + e.f1", 2, false, false, { 1, 2 }, { 1, 2 } },
        { "e.f1 < d.f2 + e.f2", 2, false, false, { 1, 2 }, { 2, 1 } },
        { "d.f1 < 2", 1, false, false, { 1, 0 }, { 0, 0 } },
        { "q.f3 < 2", 0, false, false, { 0, 0 }, { 0, 0 } },
        { "same(e, d)", 2, false, false, { 1, 2 }, { 0, 0 } },
        { "top(2, e)", 1, true, false, { 2, 0 }, { 0, 0 } },
        { "before(e, d)", 2, true, false, { 2, 1 }, { 0, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        char line[256];

        /* Both documents are spoken of: none leaves the prefix. */
        snprintf(line, sizeof line, "r: forall d, e : %s or before(d, e)\n",
                 cases[i].clause);
        struct scene_rules s = read_rules(scratch_file("atoms.rules", line));
        const struct rule *const rule = &s.rules->rule[0];
        const struct atom *const a = &rule->atom[0];

        assert_int_equal(rule->n_prefix, 2);
        assert_int_equal(rule->n_atoms, 2);
        assert_int_equal(a->n_vars, cases[i].n_vars);
        assert_int_equal(a->is_ranking, cases[i].is_ranking);
        assert_int_equal(a->is_separable, cases[i].is_separable);
        for (size_t k = 0; k < 2; k++) {
            if (k < a->n_vars)
                assert_int_equal(a->var[k], rule->prefix[cases[i].var[k] - 1].var);
            if (cases[i].side[k] > 0)
                assert_int_equal(a->side[k], rule->prefix[cases[i].side[k] - 1].var);
        }
        free_rules(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prenex_form_keeps_the_truth_on_all_small_worlds),
        cmocka_unit_test(quantifiers_move_to_the_front_and_change_under_a_negation),
        cmocka_unit_test(what_nothing_depends_on_is_dropped),
        cmocka_unit_test(grouping_survives_printing),
        cmocka_unit_test(names_are_quoted_where_they_are_no_words),
        cmocka_unit_test(atoms_know_their_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
