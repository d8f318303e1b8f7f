/* test_train_error.c -- training pairs in the wrong order, beside a count by hand. */
#include "learn/train_error.h"

#include "support/check.h"
#include "support/tasks.h"
#include "support/train_setup.h"

static const struct task_sample sample = {
    .n_queries = 25, .max_docs = 60, .dim = 4, .noise = 0.3
};

static uint64_t count_of(struct train_setup *c)
{
    struct train_error e;
    peck_error err = { 0 };

    assert_ok(train_error_open(&e, &c->task, &err), err);
    uint64_t first, again;

    assert_ok(train_error_count(&e, c->w, &first, &err), err);
    assert_ok(train_error_count(&e, c->w, &again, &err), err);
    assert_int_equal(again, first);
    train_error_close(&e);
    return first;
}

/* Whether the net puts i before j: rows of the training set. */
static bool goes_first(struct train_setup *c, size_t i, size_t j)
{
    const struct train_data *const t = &c->train_data;
    struct arena arena = { 0 };
    struct model_outputs o;
    peck_error err = { 0 };
    float lead;

    assert_ok(
        model_outputs_open(&o, &arena, c->plan.recipe->family, c->plan.shape,
                           (struct rows){ t->x, t->train_set->n_docs, t->dim, t->dim },
                           c->pool, &err),
        err);
    model_outputs_fill(&o, c->w);
    const struct seen_docs docs = model_outputs_seen(&o, 0, t->train_set->n_docs);
    const peck_duel duel = { (uint32_t)i, (uint32_t)j };

    seen_decide(&docs, &duel, 1, &lead);
    arena_free(&arena);
    return lead > 0.0f;
}

/* Labels alone say what is wrong; those of preferences say the same. */
static void assert_count(const char *method, int threads)
{
    struct peck_dataset *const d = task_dataset(&sample, 1);
    struct peck_prefs *const p = prefs_of_labels(d, 2);
    struct train_setup by_label, by_pref;
    uint64_t wrong = 0, all = 0;

    train_setup_open(&by_label, method, NULL, d, NULL, NULL, threads);
    const struct train_set *const l = by_label.train_data.train_set;

    for (size_t i = 0; i < by_label.plan.n_weights; i++)
        by_label.w[i] = (float)((double)((i * 7919) % 200) / 100.0 - 1.0);
    for (size_t q = 0; q < 3; q++)
        for (size_t i = l->start[q]; i < l->start[q + 1]; i++)
            for (size_t j = l->start[q]; j < l->start[q + 1]; j++)
                if (l->label[i] > l->label[j]) {
                    wrong += !goes_first(&by_label, i, j);
                    all++;
                }
    assert_true(wrong > 0 && wrong < all);
    /* The others teach nothing: their labels are all the same. */
    float *const label = calloc(d->n_docs, sizeof *label);
    struct peck_dataset *three = NULL;
    peck_error err = { 0 };

    memcpy(label, d->label, (size_t)d->start[3] * sizeof *label);
    assert_ok(dataset_with_labels(&three, d, label, &err), err);
    struct peck_prefs *const said = prefs_of_labels(three, 5);
    struct train_setup c, told;

    train_setup_open(&c, method, NULL, three, NULL, NULL, threads);
    memcpy(c.w, by_label.w, c.plan.n_weights * sizeof *c.w);
    assert_int_equal(count_of(&c), wrong);
    /* A tie is never wrong. */
    assert_true(prefs_add(said, (peck_pref){ 0, 0, 1, 0.5f, 1.0f }));
    train_setup_open_prefs(&told, method, NULL, three, said, NULL, NULL, threads);
    memcpy(told.w, by_label.w, told.plan.n_weights * sizeof *told.w);
    assert_int_equal(count_of(&told), wrong);
    /* All of them, by both ways of saying it. */
    train_setup_open_prefs(&by_pref, method, NULL, d, p, NULL, NULL, threads);
    memcpy(by_pref.w, by_label.w, by_pref.plan.n_weights * sizeof *by_pref.w);
    assert_int_equal(count_of(&by_pref), count_of(&by_label));
    assert_true(count_of(&by_label) > wrong);
    train_setup_close(&by_label);
    train_setup_close(&by_pref);
    train_setup_close(&told);
    train_setup_close(&c);
    free(label);
    peck_prefs_free(p);
    peck_prefs_free(said);
    peck_dataset_free(d);
    peck_dataset_free(three);
}

static void wrong_pairs_are_counted(void **state)
{
    (void)state;
    assert_count("ranknet", 1);
    assert_count("cmpnn", 2);
}

/* A net that says nothing has not learnt: ties of scores are wrong. */
static void what_is_not_decided_is_wrong(void **state)
{
    static const uint32_t size[] = { 4, 2 };
    static const float label[] = { 2, 0, 1, 0, 1, 0 };
    struct peck_dataset *const d = task_of(size, 2, 3, label, 3);
    struct train_setup c;

    (void)state;
    train_setup_open(&c, "ranknet", NULL, d, NULL, NULL, 1);
    memset(c.w, 0, c.plan.n_weights * sizeof *c.w);
    assert_int_equal(count_of(&c), 6); /* 5 of the first query, 1 of the second */
    train_setup_close(&c);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_pairs_are_counted),
        cmocka_unit_test(what_is_not_decided_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
