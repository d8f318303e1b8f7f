/* contract_format.c -- any writer, including the one you add tomorrow: what it writes is
 * recognised without being told and read back as the same data, or it refuses to write. */
#include "base/rng.h"
#include "data/dataset.h"
#include "data/reader.h"
#include "data/writer.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST_DOCS = 60, MOST_DIM = 12 };

/* What a random dataset may have. */
enum part { DOC_IDS = 1, DOC_WEIGHTS = 2, QUERY_WEIGHTS = 4, NAMES = 8, ALL_PARTS = 15 };

static float any_float(struct rng *r)
{
    float v = (float)rng_below(r, 100);

    switch (rng_below(r, 4)) {
    case 0:
        return 0.0f;
    case 1:
        return v;
    case 2:
        return v / 1000.0f;
    default:
        do {
            const uint32_t bits = (uint32_t)rng_u64(r);

            memcpy(&v, &bits, sizeof v);
        } while (!(v > -1e38f && v < 1e38f));
        return v;
    }
}

static peck_span any_name(struct rng *r, char name[32], const char *stem, size_t i)
{
    static const char *const tails[] = { "", "-x", "_y", ":z", "\xC3\xA9" };

    return (peck_span){ name, (size_t)snprintf(name, 32, "%s%zu%s", stem, i,
                                               tails[rng_below(r, 5)]) };
}

/* A whole dataset of n documents in d's arrays, all owned by d. */
static struct peck_dataset *any_dataset(uint64_t seed, unsigned parts)
{
    struct peck_dataset *const d = dataset_new("random");
    struct rng r;
    char name[32];

    rng_seed(&r, seed, parts);
    d->n_docs = 1 + rng_below(&r, MOST_DOCS);
    d->dim = 1 + rng_below(&r, MOST_DIM);
    d->label = calloc(d->n_docs, sizeof *d->label);
    d->start = calloc(d->n_docs + 1, sizeof *d->start);
    d->x = d->x_owned = calloc(d->n_docs * d->dim, sizeof *d->x_owned);
    d->doc_weight = parts & DOC_WEIGHTS ? calloc(d->n_docs, sizeof(float)) : NULL;
    d->query_weight = parts & QUERY_WEIGHTS ? calloc(d->n_docs, sizeof(float)) : NULL;
    for (size_t i = 0; i < d->n_docs; i++) {
        if (i == 0 || rng_below(&r, 5) == 0) {
            if (d->query_weight != NULL)
                d->query_weight[d->n_queries] = (float)(1 + rng_below(&r, 9)) / 4.0f;
            d->start[d->n_queries++] = i;
            assert_true(strings_add(&d->query_id, any_name(&r, name, "q", i)));
        }
        d->label[i] =
            rng_below(&r, 6) == 0 ? PECK_UNJUDGED : (float)rng_below(&r, 5) / 2.0f;
        if (parts & DOC_WEIGHTS)
            d->doc_weight[i] = (float)(1 + rng_below(&r, 9)) / 8.0f;
        if (parts & DOC_IDS)
            assert_true(strings_add(&d->doc_id, rng_below(&r, 9) == 0 && i > 0
                                                    ? (peck_span){ "", 0 }
                                                    : any_name(&r, name, "d ", i)));
        for (size_t c = 0; c < d->dim; c++)
            d->x_owned[i * d->dim + c] = any_float(&r);
    }
    d->start[d->n_queries] = d->n_docs;
    for (size_t c = 0; c < d->dim && parts & NAMES; c++)
        assert_true(strings_add(&d->feature_name, any_name(&r, name, "name ", c)));
    dataset_count_labels(d);
    d->is_checked = true;
    d->reader = "random";
    return d;
}

static void same_strings(const struct strings *a, const struct strings *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_true(span_equal(strings_get(a, i), strings_get(b, i)));
}

static void same_floats(const float *a, const float *b, size_t n)
{
    assert_int_equal(a == NULL, b == NULL);
    for (size_t i = 0; a != NULL && i < n; i++)
        assert_true(a[i] == b[i]);
}

static void same_data(const struct peck_dataset *a, const struct peck_dataset *b)
{
    assert_int_equal(a->n_docs, b->n_docs);
    assert_int_equal(a->n_queries, b->n_queries);
    assert_int_equal(a->dim, b->dim);
    assert_memory_equal(a->start, b->start, (a->n_queries + 1) * sizeof *a->start);
    same_floats(a->x, b->x, a->n_docs * a->dim);
    same_floats(a->label, b->label, a->n_docs);
    same_floats(a->doc_weight, b->doc_weight, a->n_docs);
    same_floats(a->query_weight, b->query_weight, a->n_queries);
    same_strings(&a->query_id, &b->query_id);
    same_strings(&a->doc_id, &b->doc_id);
    assert_int_equal(a->n_judged, b->n_judged);
    assert_true(a->max_label == b->max_label);
}

/* Tables give names to features that have none. */
static void same_names(const struct peck_dataset *a, const struct peck_dataset *b)
{
    if (a->feature_name.n > 0)
        same_strings(&a->feature_name, &b->feature_name);
}

static void trip(const struct writer_kind *kind, uint64_t seed, unsigned parts)
{
    struct peck_dataset *const d = any_dataset(seed, parts), *back;
    const char *const name = kind->plug.about.name;
    const char *const path = scratch_file(name, "");
    peck_error err = { 0 };
    const peck_status st = peck_dataset_write(d, path, name, &err);

    if (st == PECK_OK) {
        if (peck_dataset_read(&back, path, NULL, &err) != PECK_OK)
            fail_msg("%s", err.text);
        assert_string_equal(back->reader, name);
        same_data(d, back);
        same_names(d, back);
        peck_dataset_free(back);
    } else {
        assert_int_equal(st, PECK_ARG);
        assert_true(parts & (DOC_WEIGHTS | QUERY_WEIGHTS));
        assert_string_not_equal(name, "cache");
        assert_non_null(strstr(err.text, "the cache"));
    }
    peck_dataset_free(d);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    for (size_t w = 0; w < n_writers; w++)
        for (unsigned parts = 0; parts <= ALL_PARTS; parts++)
            for (uint64_t seed = 0; seed < 8; seed++)
                trip((const struct writer_kind *)writers[w], seed, parts);
}

static void a_chain_through_all_formats_keeps_the_data(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct peck_dataset *const first = any_dataset(seed, DOC_IDS | NAMES), *d = first;
        peck_error err = { 0 };

        for (size_t w = 0; w < n_writers; w++) {
            const char *const name = writers[w]->about.name;
            const char *const path = scratch_file(name, "");
            struct peck_dataset *next;

            assert_int_equal(peck_dataset_write(d, path, name, &err), PECK_OK);
            assert_int_equal(peck_dataset_read(&next, path, NULL, &err), PECK_OK);
            if (d != first)
                peck_dataset_free(d);
            d = next;
        }
        same_data(first, d);
        same_names(first, d);
        peck_dataset_free(d);
        peck_dataset_free(first);
    }
}

static void the_same_data_gives_the_same_bytes(void **state)
{
    static char bytes[2][1 << 16];

    (void)state;
    for (size_t w = 0; w < n_writers; w++) {
        size_t n[2];

        for (int k = 0; k < 2; k++) {
            struct peck_dataset *const d = any_dataset(5, DOC_IDS);
            const char *const path = scratch_file("again", "");

            assert_int_equal(peck_dataset_write(d, path, writers[w]->about.name, NULL),
                             PECK_OK);
            FILE *const f = fopen(path, "rb");

            n[k] = fread(bytes[k], 1, sizeof bytes[k], f);
            fclose(f);
            peck_dataset_free(d);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
    }
}

static void every_plug_says_what_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_writers + n_readers; i++) {
        const struct plug *const p = i < n_writers ? writers[i] : readers[i - n_writers];

        assert_true(strlen(p->about.name) > 0 && strlen(p->about.title) > 0);
        assert_true(strlen(p->about.doc) > 40);
    }
}

/* The ending of a name leads to the format, and the format's reader knows the name. */
static void endings_lead_back_to_their_format(void **state)
{
    (void)state;
    for (size_t w = 0; w < n_writers; w++) {
        const struct writer_kind *const kind = (const struct writer_kind *)writers[w];

        for (const char *const *e = kind->endings; *e != NULL; e++) {
            struct peck_dataset *const d = any_dataset(3, 0), *back;
            char name[64];

            snprintf(name, sizeof name, "file%s", *e);
            const char *const path = scratch_file(name, "");

            assert_int_equal(peck_dataset_write(d, path, NULL, NULL), PECK_OK);
            assert_int_equal(peck_dataset_read(&back, path, NULL, NULL), PECK_OK);
            assert_string_equal(back->reader, kind->plug.about.name);
            peck_dataset_free(back);
            peck_dataset_free(d);
        }
    }
}

static void real_data_survives_every_format(void **state)
{
    static const char *const files[] = { "mq2008/Fold1/vali.txt.gz",
                                         "mslr-sample/vali.txt.gz",
                                         "lightgbm-rank/rank.train.gz" };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *const path = real_data(files[i]);
        struct peck_dataset *d, *back;
        peck_error err = { 0 };

        if (path == NULL)
            skip();
        if (peck_dataset_read(&d, path, NULL, &err) != PECK_OK)
            fail_msg("%s", err.text);
        for (size_t w = 0; w < n_writers; w++) {
            const char *const name = writers[w]->about.name;
            const char *const out = scratch_file(name, "");

            assert_int_equal(peck_dataset_write(d, out, name, &err), PECK_OK);
            assert_int_equal(peck_dataset_read(&back, out, NULL, &err), PECK_OK);
            same_data(d, back);
            peck_dataset_free(back);
        }
        peck_dataset_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_chain_through_all_formats_keeps_the_data),
        cmocka_unit_test(the_same_data_gives_the_same_bytes),
        cmocka_unit_test(every_plug_says_what_it_is),
        cmocka_unit_test(endings_lead_back_to_their_format),
        cmocka_unit_test(real_data_survives_every_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
