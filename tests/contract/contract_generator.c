/* contract_generator.c -- what every generator promises, the one added tomorrow too. */
#include "data/dataset.h"
#include "data/writer.h"
#include "unit/synth/collect.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_SETTINGS = 32, ROOM = 128 };

/* Settings that keep any generator small: the sizes go by these names everywhere. */
struct small {
    char text[MOST_SETTINGS][ROOM];
    const char *setting[MOST_SETTINGS + 1];
    size_t n;
};

static void add_setting(struct small *s, const char *key, const char *value)
{
    const int length = snprintf(s->text[s->n], ROOM, "%s=%s", key, value);

    assert_true(length > 0 && length < ROOM);
    s->setting[s->n] = s->text[s->n];
    s->setting[++s->n] = NULL;
}

static const struct param *row_of(const struct generator *g, const char *key)
{
    for (const struct param *row = g->plug.params; row->type != PARAM_END; row++)
        if (strcmp(row->key, key) == 0)
            return row;
    return NULL;
}

static void make_small(struct small *s, const struct generator *g, const char *queries)
{
    *s = (struct small){ 0 };
    if (row_of(g, "queries") != NULL)
        add_setting(s, "queries", queries);
    else if (row_of(g, "items") == NULL)
        add_setting(s, "pairs", queries);
    if (row_of(g, "docs") != NULL)
        add_setting(s, "docs", "25");
    if (row_of(g, "items") != NULL)
        add_setting(s, "items", "120");
}

static struct synth *open_small(const struct generator *g, uint64_t seed)
{
    struct small s;

    make_small(&s, g, "12");
    return open_kind(g->plug.about.name, s.setting, seed);
}

/* Runs a check over every generator and says which one it was. */
#define FOR_EACH_GENERATOR(g)                       \
    for (size_t at_ = 0; at_ < n_generators; at_++) \
        for (const struct generator *g = generators[at_]; g; g = NULL)

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *const p = bytes;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001B3ULL;
    return h;
}

static uint64_t hash_sample(uint64_t h, const struct shape *shape,
                            const struct synth_sample *made)
{
    if (shape->is_prefs)
        return hash_bytes(h, made->pair, made->n * sizeof *made->pair);
    h = hash_bytes(h, made->x, made->n * shape->dim * sizeof *made->x);
    return hash_bytes(h, made->label, made->n * sizeof *made->label);
}

static uint64_t hash_all(struct synth *s)
{
    uint64_t h = 1;

    for (size_t q = 0; q < synth_shape(s)->n_queries; q++)
        h = hash_sample(h, synth_shape(s), synth_make(s, q));
    return h;
}

static void seeds_decide_everything(void **state)
{
    (void)state;
    FOR_EACH_GENERATOR(g)
    {
        struct synth *const a = open_small(g, 1), *const b = open_small(g, 1);
        struct synth *const c = open_small(g, 2);
        const uint64_t first = hash_all(a);

        print_message("%s\n", g->plug.about.name);
        assert_true(first == hash_all(b));
        assert_true(first == hash_all(a));
        assert_true(first != hash_all(c));
        synth_free(a);
        synth_free(b);
        synth_free(c);
    }
}

/* The last query made first is the same: streams are named, not shared. */
static void a_query_does_not_depend_on_those_before(void **state)
{
    (void)state;
    FOR_EACH_GENERATOR(g)
    {
        struct synth *const a = open_small(g, 3), *const b = open_small(g, 3);
        const struct shape *const shape = synth_shape(a);
        const size_t last = shape->n_queries - 1;

        (void)hash_all(a);
        assert_true(hash_sample(1, shape, synth_make(a, last)) ==
                    hash_sample(1, shape, synth_make(b, last)));
        synth_free(a);
        synth_free(b);
    }
}

static void labels_and_features_are_legal(void **state)
{
    (void)state;
    FOR_EACH_GENERATOR(g)
    {
        struct synth *const s = open_small(g, 4);
        const struct shape *const shape = synth_shape(s);

        assert_true(shape->n_queries > 0 && shape->max_docs > 0);
        for (size_t q = 0; q < shape->n_queries; q++) {
            const struct synth_sample *const made = synth_make(s, q);

            assert_true(made->n > 0 && made->n <= shape->max_docs);
            for (size_t i = 0; !shape->is_prefs && i < made->n; i++) {
                const float y = made->label[i];

                assert_true(y == PECK_UNJUDGED || (y >= 0.0f && y <= 31.0f));
            }
            for (size_t i = 0; !shape->is_prefs && i < made->n * shape->dim; i++)
                assert_true(isfinite(made->x[i]));
        }
        synth_free(s);
    }
}

static size_t heap_in_use(void)
{
    const struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

/* Memory after opening does not grow with the number of queries, nor while they are
 * made.  (Under a sanitizer the heap is not counted and the numbers are all 0.) */
static void memory_is_that_of_one_query(void **state)
{
    static const char *const queries[] = { "12", "1000000" };

    (void)state;
    FOR_EACH_GENERATOR(g)
    {
        size_t used[2];

        for (size_t k = 0; k < 2; k++) {
            const size_t before = heap_in_use();
            struct small settings;

            make_small(&settings, g, queries[k]);
            struct synth *const s = open_kind(g->plug.about.name, settings.setting, 5);
            const size_t opened = heap_in_use();

            for (size_t q = 0; q < 12 && q < synth_shape(s)->n_queries; q++)
                (void)synth_make(s, q);
            assert_int_equal(heap_in_use(), opened);
            used[k] = opened - before;
            synth_free(s);
        }
        assert_true(used[1] <= used[0] + 1024); /* the heap rounds as it likes */
    }
}

static peck_status set_one(const struct generator *g, const char *key, const char *value,
                           peck_error *err)
{
    struct small s;
    struct synth *made = NULL;

    make_small(&s, g, "12");
    add_setting(&s, key, value);
    const peck_status st = synth_new(&made, g, s.setting, 1, err);

    synth_free(made);
    return st;
}

static void assert_refused(const struct generator *g, const char *key, const char *value)
{
    peck_error err = { 0 };

    if (set_one(g, key, value, &err) != PECK_ARG)
        fail_msg("%s takes %s=%s", g->plug.about.name, key, value);
    assert_non_null(strstr(err.text, key));
}

static void every_range_is_enforced(void **state)
{
    (void)state;
    FOR_EACH_GENERATOR(g)
    for (const struct param *row = g->plug.params; row->type != PARAM_END; row++) {
        double lo = 0.0, hi = HUGE_VAL;
        char value[ROOM], bound[2] = { 0 };

        assert_true(strlen(row->help) > 5);
        assert_refused(g, row->key, "");
        assert_refused(g, row->key, "plenty");
        if (param_kind(row) == PARAM_CHOICE)
            continue;
        assert_refused(g, row->key, "nan");
        assert_true(sscanf(row->allowed, "%*1[[(]%lf,%lf%1[])]", &lo, &hi, bound) >= 1);
        snprintf(value, sizeof value, "%.0f", floor(lo) - 1.0);
        assert_refused(g, row->key, value);
        snprintf(value, sizeof value, "%.0f", floor(hi) + 1.0);
        if (hi < HUGE_VAL)
            assert_refused(g, row->key, value);
        if (param_kind(row) == PARAM_INT)
            assert_refused(g, row->key, "2.5");
    }
}

static void unknown_names_are_refused_with_a_suggestion(void **state)
{
    peck_error err = { 0 };

    (void)state;
    assert_null(generator_find("vots", &err));
    assert_int_equal(err.status, PECK_ARG);
    assert_non_null(strstr(err.text, "'votes'"));
    FOR_EACH_GENERATOR(g)
    {
        const char *const key = g->plug.params[0].key;
        char typo[ROOM / 2];

        snprintf(typo, sizeof typo, "%sx", key);
        assert_int_equal(set_one(g, typo, "3", &err), PECK_ARG);
        assert_non_null(strstr(err.text, key));
    }
}

static void every_generator_explains_itself(void **state)
{
    (void)state;
    FOR_EACH_GENERATOR(g)
    {
        const char *const doc = g->plug.about.doc;

        assert_true(strlen(g->plug.about.title) > 10);
        assert_true(strlen(doc) > 100);
        assert_non_null(strstr(doc, " 20")); /* the year of its source */
    }
}

/* Files ------------------------------------------------------------------------- */

static peck_status generate(const struct generator *g, const char *path, const char *format,
                            const char *const *settings, peck_error *err)
{
    return peck_generate(&(peck_generate_spec){ .kind = g->plug.about.name,
                                                .settings = settings,
                                                .seed = 6,
                                                .path = path,
                                                .format = format },
                         err);
}

static void assert_same_query(const struct peck_dataset *d, size_t q,
                              const struct synth_sample *made)
{
    const size_t first = d->start[q];
    char id[ROOM];

    assert_int_equal(d->start[q + 1] - first, made->n);
    assert_memory_equal(d->x + first * d->dim, made->x, made->n * d->dim * sizeof(float));
    assert_memory_equal(d->label + first, made->label, made->n * sizeof(float));
    snprintf(id, sizeof id, "%zu", q + 1);
    assert_true(span_is(strings_get(&d->query_id, q), id));
}

static void assert_same_names(const struct peck_dataset *d, const struct generator *g,
                              struct synth *s)
{
    struct strings names = { 0 };
    char id[SYNTH_NAME];

    assert_int_equal(synth_feature_names(s, &names, NULL), PECK_OK);
    for (size_t j = 0; j < names.n; j++)
        assert_true(span_equal(strings_get(&names, j), strings_get(&d->feature_name, j)));
    strings_free(&names);
    for (size_t q = 0; g->name_doc != NULL && q < d->n_queries; q++)
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++) {
            g->name_doc(q, i - d->start[q], id);
            assert_true(span_is(strings_get(&d->doc_id, i), id));
        }
}

static void read_back(const struct generator *g, const struct plug *writer,
                      const char *const *settings, const char *path)
{
    struct synth *const s = open_kind(g->plug.about.name, settings, 6);
    peck_dataset *d = NULL;
    peck_error err = { 0 };

    print_message("%s as %s\n", g->plug.about.name, writer->about.name);
    if (generate(g, path, writer->about.name, settings, &err) != PECK_OK ||
        peck_dataset_read(&d, path, NULL, &err) != PECK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(d->n_queries, synth_shape(s)->n_queries);
    assert_int_equal(d->dim, synth_shape(s)->dim);
    for (size_t q = 0; q < d->n_queries; q++)
        assert_same_query(d, q, synth_make(s, q));
    assert_same_names(d, g, s);
    peck_dataset_free(d);
    synth_free(s);
    unlink(path);
}

static void read_prefs_back(const struct generator *g, const char *const *settings,
                            const char *path)
{
    struct synth *const s = open_kind(g->plug.about.name, settings, 6);
    peck_prefs *p = NULL;
    peck_prefs_info info;
    peck_error err = { 0 };
    size_t n = 0;

    if (generate(g, path, "tsv", settings, &err) != PECK_OK ||
        peck_prefs_read(&p, path, NULL, 0, &err) != PECK_OK)
        fail_msg("%s", err.text);
    peck_prefs_describe(p, &info);
    for (size_t q = 0; q < synth_shape(s)->n_queries; q++) {
        const struct synth_sample *const made = synth_make(s, q);

        for (size_t i = 0; i < made->n; i++, n++) {
            const struct judged_pair j = made->pair[i];
            const peck_pref pref = peck_prefs_at(p, n);
            char name[ROOM];

            snprintf(name, sizeof name, "%u", j.winner);
            assert_true(span_is(peck_prefs_item_name(p, pref.winner), name));
            snprintf(name, sizeof name, "%u", j.loser);
            assert_true(span_is(peck_prefs_item_name(p, pref.loser), name));
            assert_true(fabs(pref.probability - j.wins / (double)(j.wins + j.losses)) <
                        1e-6);
        }
    }
    assert_int_equal(info.n_prefs, n);
    peck_prefs_free(p);
    synth_free(s);
    unlink(path);
}

static void files_read_back_as_made(void **state)
{
    char folder[] = "/tmp/contract-XXXXXX", path[ROOM];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/made", folder);
    FOR_EACH_GENERATOR(g)
    {
        struct small settings;

        make_small(&settings, g, "12");
        struct synth *const s = open_kind(g->plug.about.name, settings.setting, 6);
        const bool is_prefs = synth_shape(s)->is_prefs;

        synth_free(s);
        if (is_prefs) {
            read_prefs_back(g, settings.setting, path);
            add_setting(&settings, "form", "items");
        }
        for (size_t w = 0; w < n_writers; w++)
            read_back(g, writers[w], settings.setting, path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static int stop_at_once(void *ctx, double share)
{
    *(double *)ctx = share;
    return 1;
}

static void a_stop_leaves_no_file(void **state)
{
    char folder[] = "/tmp/contract-XXXXXX", path[ROOM];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/made", folder);
    FOR_EACH_GENERATOR(g)
    {
        struct small s;
        double share = 0.0;

        make_small(&s, g, "12");
        assert_int_equal(peck_generate(&(peck_generate_spec){ .kind = g->plug.about.name,
                                                              .settings = s.setting,
                                                              .path = path,
                                                              .progress = stop_at_once,
                                                              .ctx = &share },
                                       NULL),
                         PECK_STOPPED);
        assert_true(share > 0.0 && share <= 1.0);
    }
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

static int go_on(void *ctx, double share)
{
    *(double *)ctx = share;
    return 0;
}

/* Not after the last of the terabytes. */
static void a_full_disk_is_told_early(void **state)
{
    (void)state;
    FOR_EACH_GENERATOR(g)
    {
        struct small s;
        double share = 0.0;

        make_small(&s, g, "100000000");
        if (row_of(g, "items") != NULL)
            add_setting(&s, "items", "1000000");
        assert_int_equal(peck_generate(&(peck_generate_spec){ .kind = g->plug.about.name,
                                                              .settings = s.setting,
                                                              .path = "/dev/full",
                                                              .progress = go_on,
                                                              .ctx = &share },
                                       NULL),
                         PECK_IO);
        assert_true(share < 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_decide_everything),
        cmocka_unit_test(a_query_does_not_depend_on_those_before),
        cmocka_unit_test(labels_and_features_are_legal),
        cmocka_unit_test(memory_is_that_of_one_query),
        cmocka_unit_test(every_range_is_enforced),
        cmocka_unit_test(unknown_names_are_refused_with_a_suggestion),
        cmocka_unit_test(every_generator_explains_itself),
        cmocka_unit_test(files_read_back_as_made),
        cmocka_unit_test(a_stop_leaves_no_file),
        cmocka_unit_test(a_full_disk_is_told_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
