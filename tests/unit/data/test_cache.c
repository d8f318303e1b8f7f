/* test_cache.c -- the cache is mapped as it is, and nothing in it is taken on trust. */
#include "base/tensors.h"
#include "data/dataset.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* A file of ours, tensor by tensor, for tests to spoil: two queries, three documents,
 * two features. */
enum { MOST = 16, MOST_BYTES = 8192 };

struct part {
    struct tensor tensor;
    const void *bytes;
};

struct image {
    struct part part[MOST];
    size_t n;
    const char *format;
    size_t room; /* of the header; 0: a multiple of 64 */
    char bytes[MOST_BYTES];
    size_t size;
};

static const float features[] = { 0.5f, -1.0f, 1e-7f, 3e8f, 0.0f, 0.25f };
static const float labels[] = { 2.0f, PECK_UNJUDGED, 0.0f };
static const uint64_t offsets[] = { 0, 2, 3 }, id_offsets[] = { 0, 2, 4 };
static const uint64_t doc_offsets[] = { 0, 1, 1, 4 }, file_rows[] = { 2, 0, 1 };
static const float doc_weights[] = { 1.0f, 2.0f, 0.5f }, query_weights[] = { 3.0f, 1.0f };
static const uint64_t name_offsets[] = { 0, 4, 4 };

static void add(struct image *m, const char *name, enum tensor_type type, size_t n,
                const void *bytes)
{
    m->part[m->n++] =
        (struct part){ { .name = span_of(name), .type = type, .n_dims = 1, .shape = { n } },
                       bytes };
}

static struct image good(void)
{
    struct image m = { .format = "peck data 1" };

    add(&m, "features", TENSOR_F32, 3, features);
    m.part[0].tensor.n_dims = 2;
    m.part[0].tensor.shape[1] = 2;
    add(&m, "query_offsets", TENSOR_U64, 3, offsets);
    add(&m, "query_id_offsets", TENSOR_U64, 3, id_offsets);
    add(&m, "doc_id_offsets", TENSOR_U64, 4, doc_offsets);
    add(&m, "feature_name_offsets", TENSOR_U64, 3, name_offsets);
    add(&m, "file_rows", TENSOR_U64, 3, file_rows);
    add(&m, "labels", TENSOR_F32, 3, labels);
    add(&m, "doc_weights", TENSOR_F32, 3, doc_weights);
    add(&m, "query_weights", TENSOR_F32, 2, query_weights);
    add(&m, "query_ids", TENSOR_U8, 4, "q1q2");
    add(&m, "doc_ids", TENSOR_U8, 4, "axyz");
    add(&m, "feature_names", TENSOR_U8, 4, "bm25");
    return m;
}

static struct part *part_of(struct image *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (span_is(m->part[i].tensor.name, name))
            return &m->part[i];
    fail_msg("no part %s", name);
    return NULL;
}

static void take_out(struct image *m, const char *name)
{
    struct part *const p = part_of(m, name);

    *p = m->part[--m->n];
}

/* The bytes of the file into m->bytes. */
static void assemble(struct image *m)
{
    const struct tensor_note note = { "format", m->format };
    struct tensor list[MOST];
    struct text t;

    for (size_t i = 0; i < m->n; i++)
        list[i] = m->part[i].tensor;
    text_init(&t, MOST_BYTES);
    tensors_header(&t, list, m->n, &note, 1, m->room);
    for (size_t i = 0; i < m->n; i++)
        text_add(&t, m->part[i].bytes, list[i].end - list[i].begin);
    assert_false(t.failed);
    memcpy(m->bytes, t.s, t.len);
    m->size = t.len;
    text_free(&t);
}

static peck_status read_bytes(struct peck_dataset **d, const void *bytes, size_t n,
                              peck_error *err)
{
    return peck_dataset_read(d, scratch_bytes("c.peckdata", bytes, n),
                             &(peck_read_options){ .threads = 1 }, err);
}

static peck_status read_image(struct peck_dataset **d, struct image *m, peck_error *err)
{
    assemble(m);
    return read_bytes(d, m->bytes, m->size, err);
}

static void check_good(const struct peck_dataset *d)
{
    assert_int_equal(d->n_docs, 3);
    assert_int_equal(d->n_queries, 2);
    assert_int_equal(d->dim, 2);
    assert_memory_equal(d->x, features, sizeof features);
    assert_memory_equal(d->label, labels, sizeof labels);
    assert_memory_equal(d->start, offsets, sizeof offsets);
    assert_memory_equal(d->file_row, file_rows, sizeof file_rows);
    assert_memory_equal(d->doc_weight, doc_weights, sizeof doc_weights);
    assert_memory_equal(d->query_weight, query_weights, sizeof query_weights);
    assert_true(span_is(strings_get(&d->query_id, 1), "q2"));
    assert_true(span_is(peck_dataset_doc_id(d, 0), "a"));
    assert_true(span_is(peck_dataset_doc_id(d, 1), ""));
    assert_true(span_is(peck_dataset_doc_id(d, 2), "xyz"));
    assert_true(span_is(peck_dataset_feature_name(d, 0), "bm25"));
    assert_int_equal(peck_dataset_feature_name(d, 1).n, 0);
    assert_int_equal(d->n_judged, 2);
    assert_true(d->max_label == 2.0f);
    assert_string_equal(d->reader, "cache");
    assert_false(d->is_checked);
}

static bool is_mapped(const struct peck_dataset *d, const void *p)
{
    const char *const at = p;

    return at >= d->mapped.data && at < d->mapped.data + d->mapped.size;
}

static void a_good_file_is_mapped_not_copied(void **state)
{
    struct image m = good();
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    assert_int_equal(read_image(&d, &m, &err), PECK_OK);
    check_good(d);
    assert_true(is_mapped(d, d->x));
    assert_true(is_mapped(d, d->label));
    assert_true(is_mapped(d, d->doc_id.bytes));
    assert_null(d->x_owned);
    peck_dataset_free(d);
}

/* Every order of bytes that a foreign writer may choose: headers of any length put the
 * tensors at any address. */
static void any_alignment_gives_the_same_data(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 8; shift++) {
        struct image m = good();
        struct peck_dataset *d;
        peck_error err;

        m.room = 2048 + shift;
        assert_int_equal(read_image(&d, &m, &err), PECK_OK);
        check_good(d);
        assert_int_equal((uintptr_t)d->x % sizeof(float), 0);
        assert_int_equal((uintptr_t)d->start % sizeof(uint64_t), 0);
        assert_int_equal(is_mapped(d, d->x), shift % 4 == 0);
        peck_dataset_free(d);
    }
}

static void only_three_tensors_are_needed(void **state)
{
    static const char *const optional[] = { "query_ids",     "query_id_offsets",
                                            "doc_ids",       "doc_id_offsets",
                                            "feature_names", "feature_name_offsets",
                                            "doc_weights",   "query_weights",
                                            "file_rows" };
    struct image m = good();
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        take_out(&m, optional[i]);
    m.format = "whatever";
    assert_int_equal(read_image(&d, &m, &err), PECK_OK);
    assert_true(span_is(strings_get(&d->query_id, 1), "2"));
    assert_int_equal(d->doc_id.n + d->feature_name.n, 0);
    assert_null(d->doc_weight);
    assert_null(d->query_weight);
    assert_null(d->file_row);
    peck_dataset_free(d);
}

static void refused(struct image *m, const char *why)
{
    struct peck_dataset *d;
    peck_error err = { 0 };

    assert_failure(read_image(&d, m, &err), &err, PECK_FORMAT, "c.peckdata: ", why);
    assert_null(d);
}

static void options_of_text_are_refused(void **state)
{
    struct image m = good();
    struct peck_dataset *d;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(read_image(&d, &m, &err), PECK_OK);
    peck_dataset_free(d);
    const char *const path = scratch_path("c.peckdata");

    assert_failure(
        peck_dataset_read(&d, path, &(peck_read_options){ .zero_based = 1 }, &err), &err,
        PECK_ARG, "--zero-based is for LETOR");
    assert_failure(
        peck_dataset_read(&d, path, &(peck_read_options){ .label_column = "y" }, &err),
        &err, PECK_ARG, "--label-column is for CSV");
}

static void a_missing_tensor_is_named(void **state)
{
    static const char *const needed[] = { "features", "labels", "query_offsets" };
    static const char *const halves[] = { "query_ids",     "query_id_offsets",
                                          "doc_ids",       "doc_id_offsets",
                                          "feature_names", "feature_name_offsets" };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct image m = good();

        take_out(&m, needed[i]);
        refused(&m, "peck convert");
    }
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        struct image m = good();

        take_out(&m, halves[i]);
        refused(&m, halves[i]);
    }
}

static void every_tensor_must_have_its_type_and_length(void **state)
{
    for (size_t i = 0; i < good().n; i++) {
        struct image m = good();

        (void)state;
        m.part[i].tensor.type = m.part[i].tensor.type == TENSOR_U64   ? TENSOR_I64
                                : m.part[i].tensor.type == TENSOR_F32 ? TENSOR_I32
                                                                      : TENSOR_I8;
        refused(&m, "but should be");
        m = good();
        m.part[i].tensor.shape[0]--;
        refused(&m, "");
    }
}

static void spoil(const char *name, const void *bytes, const char *why)
{
    struct image m = good();

    part_of(&m, name)->bytes = bytes;
    refused(&m, why);
}

static void offsets_that_do_not_rise_are_refused(void **state)
{
    (void)state;
    spoil("query_offsets", (const uint64_t[]){ 0, 0, 3 }, "do not rise");
    spoil("query_offsets", (const uint64_t[]){ 0, 4, 3 }, "do not rise");
    spoil("query_offsets", (const uint64_t[]){ 1, 2, 3 }, "from 0 to 3");
    spoil("query_offsets", (const uint64_t[]){ 0, 1, 2 }, "from 0 to 3");
    spoil("query_offsets", (const uint64_t[]){ 0, 2, UINT64_MAX }, "do not rise");
    spoil("query_id_offsets", (const uint64_t[]){ 0, 3, 2 }, "query_id_offsets");
    spoil("query_id_offsets", (const uint64_t[]){ 1, 2, 4 }, "query_id_offsets");
    spoil("query_id_offsets", (const uint64_t[]){ 0, 2, 5 }, "query_id_offsets");
    spoil("doc_id_offsets", (const uint64_t[]){ 0, UINT64_MAX, 1, 4 }, "doc_id_offsets");
    spoil("doc_id_offsets", (const uint64_t[]){ 0, 1, 1, 5 }, "doc_id_offsets");
    spoil("feature_name_offsets", (const uint64_t[]){ 0, 9, 4 }, "feature_name_offsets");
    spoil("feature_names", "b\n25", "the name of feature 1 holds a line break");
    spoil("query_ids", "q1q1", "query 'q1' comes twice");
}

static void bad_labels_and_weights_are_refused(void **state)
{
    (void)state;
    spoil("labels", (const float[]){ 1.0f, -2.0f, 0.0f },
          "document 2 (counted from 1): label -2");
    spoil("labels", (const float[]){ NAN, 1.0f, 0.0f },
          "document 1 (counted from 1): label nan");
    spoil("labels", (const float[]){ -2.0f, 1.0f, 0.0f }, "document 1 (counted");
    spoil("labels", (const float[]){ 1.0f, 1.0f, INFINITY }, "label inf");
    spoil("doc_weights", (const float[]){ 1.0f, 0.0f, 1.0f }, "weight 0");
    spoil("doc_weights", (const float[]){ 1.0f, 1.0f, NAN }, "weight nan");
    spoil("query_weights", (const float[]){ 1.0f, INFINITY }, "weight inf");
    spoil("query_weights", (const float[]){ -1.0f, 1.0f }, "weight -1");
}

static void file_rows_must_be_a_permutation(void **state)
{
    (void)state;
    spoil("file_rows", (const uint64_t[]){ 0, 0, 1 }, "file_rows");
    spoil("file_rows", (const uint64_t[]){ 0, 1, 3 }, "file_rows");
    spoil("file_rows", (const uint64_t[]){ 0, 1, UINT64_MAX }, "file_rows");
}

static void a_newer_version_is_refused_with_a_hint(void **state)
{
    struct image m = good();

    (void)state;
    m.format = "peck data 2";
    refused(&m, "newer peck");
}

static void no_document_or_no_query_is_refused(void **state)
{
    struct image m = good();

    (void)state;
    part_of(&m, "features")->tensor.shape[0] = 0;
    refused(&m, "no document");
    m = good();
    part_of(&m, "query_offsets")->tensor.shape[0] = 1;
    refused(&m, "no query");
}

static void every_cut_of_the_file_is_refused(void **state)
{
    struct image m = good();

    (void)state;
    assemble(&m);
    for (size_t n = 1; n < m.size; n += n < 16 ? 1 : 37) {
        struct peck_dataset *d;
        peck_error err = { 0 };

        assert_failure(read_bytes(&d, m.bytes, n, &err), &err, PECK_FORMAT, "c.peckdata: ");
    }
}

/* Every byte changed in turn: either it is refused, or what comes out is sound. */
static void no_single_byte_can_break_it(void **state)
{
    struct image m = good();

    (void)state;
    assemble(&m);
    for (size_t i = 0; i < m.size; i++) {
        struct peck_dataset *d;
        peck_error err;
        const char kept = m.bytes[i];

        m.bytes[i] = (char)(kept ^ 0x10);
        if (read_bytes(&d, m.bytes, m.size, &err) == PECK_OK) {
            assert_int_equal(d->start[d->n_queries], d->n_docs);
            for (size_t q = 0; q < d->n_queries; q++)
                assert_true(strings_get(&d->query_id, q).n <= MAX_ID);
            peck_dataset_free(d);
        }
        m.bytes[i] = kept;
    }
}

static void features_are_looked_at_by_the_first_verb_not_on_opening(void **state)
{
    const float bad[] = { 0.5f, -1.0f, NAN, 3e8f, 0.0f, 0.25f };
    struct image m = good();
    struct peck_dataset *d;
    struct peck_report *r;
    peck_error err;

    (void)state;
    part_of(&m, "features")->bytes = bad;
    assert_int_equal(read_image(&d, &m, &err), PECK_OK);
    assert_failure(peck_summarise(&r, d, 1, &err), &err, PECK_FORMAT,
                   "c.peckdata: ", "feature 1 of document 2", "NaN");
    assert_failure(peck_dataset_write(d, "/tmp/never.txt", NULL, &err), &err, PECK_FORMAT,
                   "NaN");
    assert_int_not_equal(access("/tmp/never.txt", F_OK), 0);
    peck_dataset_free(d);
}

static void missing_values_are_filled_or_kept(void **state)
{
    const float bad[] = { 0.5f, -1.0f, NAN, 3e8f, 0.0f, 0.25f };
    static const char *const how[] = { "zero", "mean", "keep" };
    struct image m = good();
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    assemble(&m);
    assert_int_equal(peck_dataset_read(&d, scratch_bytes("whole.cache", m.bytes, m.size),
                                       &(peck_read_options){ .missing = "mean" }, &err),
                     PECK_OK);
    assert_true(d->x_owned == NULL && d->n_missing == 0); /* mapped as it is */
    assert_memory_equal(d->x, features, sizeof features);
    peck_dataset_free(d);
    part_of(&m, "features")->bytes = bad;
    assemble(&m);
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        assert_int_equal(peck_dataset_read(&d, scratch_bytes("gaps.cache", m.bytes, m.size),
                                           &(peck_read_options){ .missing = how[k] }, &err),
                         PECK_OK);
        assert_int_equal(d->n_missing, 1);
        assert_int_equal(d->missing_in[0], 1);
        assert_int_equal(d->missing_in[1], 0);
        assert_int_equal(d->keeps_missing, k == 2);
        assert_true(k == 2 ? isnan(d->x[2]) : d->x[2] == (k == 0 ? 0.0f : 0.25f));
        for (size_t i = 0; i < 6; i++)
            assert_true(i == 2 || d->x[i] == bad[i]);
        peck_dataset_free(d);
    }
}

/* So many that they are looked at in parts: the last one alone is missing. */
static void a_missing_value_is_found_wherever_it_is(void **state)
{
    enum { DOCS = 70000, LAST = 2 * DOCS - 1 };
    float *const x = calloc(LAST + 1, sizeof *x);
    const peck_arrays a = { .x = x,
                            .n_docs = DOCS,
                            .n_features = 2,
                            .docs_in_query = (const uint32_t[]){ DOCS },
                            .n_queries = 1,
                            .keep_missing = 1 };
    const char *const path = scratch_path("many.peckdata");
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    x[0] = 1.0f;
    x[LAST] = NAN;
    assert_int_equal(peck_dataset_make(&d, &a, &err), PECK_OK);
    assert_int_equal(peck_dataset_write(d, path, NULL, &err), PECK_OK);
    peck_dataset_free(d);
    assert_int_equal(
        peck_dataset_read(&d, path, &(peck_read_options){ .missing = "zero" }, &err),
        PECK_OK);
    assert_int_equal(d->n_missing, 1);
    assert_true(d->x[LAST] == 0.0f && d->x[0] == 1.0f);
    peck_dataset_free(d);
    free(x);
}

static void a_subset_of_features_is_taken(void **state)
{
    struct image m = good();
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    assemble(&m);
    const char *const path = scratch_bytes("s.cache", m.bytes, m.size);

    assert_int_equal(
        peck_dataset_read(&d, path, &(peck_read_options){ .features = "2,bm25" }, &err),
        PECK_OK);
    assert_int_equal(d->dim, 2);
    for (size_t r = 0; r < 3; r++) {
        assert_true(d->x[2 * r] == features[2 * r + 1]);
        assert_true(d->x[2 * r + 1] == features[2 * r]);
    }
    assert_true(span_is(peck_dataset_feature_name(d, 1), "bm25"));
    peck_dataset_free(d);
    assert_int_equal(
        peck_dataset_read(&d, path, &(peck_read_options){ .features = "2" }, &err),
        PECK_OK);
    assert_int_equal(d->dim, 1);
    assert_true(d->x[1] == features[3]);
    peck_dataset_free(d);
}

static void names_and_weights_come_from_files_too(void **state)
{
    struct image m = good();
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    assemble(&m);
    const char *const path = scratch_bytes("n.safetensors", m.bytes, m.size);
    const peck_read_options names = {
        .feature_names = scratch_file("names", "one\ntwo\n"),
        .query_weights = scratch_file("weights", "q2\t4\nq1\t5\n"),
    };
    const peck_read_options sizes = { .query_sizes = scratch_file("sizes", "1\n2\n") };

    assert_int_equal(peck_dataset_read(&d, path, &names, &err), PECK_OK);
    assert_true(span_is(peck_dataset_feature_name(d, 1), "two"));
    assert_true(d->query_weight[0] == 5.0f && d->query_weight[1] == 4.0f);
    peck_dataset_free(d);
    assert_failure(peck_dataset_read(&d, path, &sizes, &err), &err, PECK_ARG, "sizes");
    const peck_read_options more = { .feature_names = scratch_file("names", "a\nb\nc\n") };

    assert_failure(peck_dataset_read(&d, path, &more, &err), &err, PECK_SHAPE, "names");
}

static void the_written_file_lies_on_its_boundaries(void **state)
{
    struct peck_dataset *d, *back;
    const char *const path = scratch_file("w.peckdata", "");
    peck_error err;

    (void)state;
    /* Odd counts of floats and of id bytes. */
    assert_int_equal(
        peck_dataset_read(
            &d,
            scratch_file("w.txt",
                         "1 qid:abc 1:1 2:2 #docid = x\n0 qid:abc 2:1 #docid = yy\n"
                         "? qid:d 1:7 2:1\n"),
            NULL, &err),
        PECK_OK);
    assert_int_equal(peck_dataset_write(d, path, NULL, &err), PECK_OK);
    assert_int_equal(peck_dataset_read(&back, path, NULL, &err), PECK_OK);
    assert_true(is_mapped(back, back->x));
    assert_int_equal((uintptr_t)back->x % 64, 0);
    assert_true(is_mapped(back, back->start));
    assert_true(back->query_id.borrowed);
    assert_true(back->doc_id.borrowed);
    assert_memory_equal(back->x, d->x, 6 * sizeof(float));
    assert_true(span_is(peck_dataset_doc_id(back, 1), "yy"));
    peck_dataset_free(back);
    peck_dataset_free(d);
}

/* What malloc() gives next held these bytes before. */
static void litter_memory(int byte)
{
    enum { SIZES = 200, EACH = 6 };
    static void *block[SIZES * EACH];

    for (size_t i = 0; i < SIZES * EACH; i++) {
        block[i] = malloc(16 * (i / EACH + 1));
        assert_non_null(block[i]);
        memset(block[i], byte, 16 * (i / EACH + 1));
    }
    for (size_t i = 0; i < SIZES * EACH; i++)
        free(block[i]);
}

/* Whatever was in memory before: what is filled up is filled with zeros. */
static void the_same_data_gives_the_same_bytes(void **state)
{
    static const char text[] = "1 qid:a-query-with-a-long-name 1:1\n0 qid:bcde 1:2\n";
    const char *const path[] = { scratch_path("one.peckdata"),
                                 scratch_path("two.peckdata") };
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    assert_int_equal(peck_dataset_read(&d, scratch_file("odd.txt", text), NULL, &err),
                     PECK_OK);
    for (int k = 0; k < 2; k++) {
        litter_memory(k == 0 ? 0x35 : 0x6a);
        assert_int_equal(peck_dataset_write(d, path[k], NULL, &err), PECK_OK);
    }
    assert_true(files_equal(path[0], path[1]));
    peck_dataset_free(d);
}

static void a_compressed_cache_is_read_but_not_written(void **state)
{
    struct image m = good();
    struct peck_dataset *d;
    char command[2000];
    peck_error err;

    (void)state;
    assemble(&m);
    const char *const path = scratch_bytes("z.cache", m.bytes, m.size);
    const char *const packed = scratch_file("z2.cache", "");

    snprintf(command, sizeof command, "gzip -c %s > %s", path, packed);
    assert_int_equal(system(command), 0);
    assert_int_equal(peck_dataset_read(&d, packed, NULL, &err), PECK_OK);
    check_good(d);
    assert_failure(peck_dataset_write(d, "/tmp/never.peckdata.gz", NULL, &err), &err,
                   PECK_ARG, "plain file");
    assert_failure(peck_dataset_write(d, "-", "cache", &err), &err, PECK_ARG, "plain file");
    assert_int_not_equal(access("/tmp/never.peckdata.gz", F_OK), 0);
    peck_dataset_free(d);
}

static void gathered_rows_keep_their_place_in_the_text(void **state)
{
    struct peck_dataset *d, *back;
    const char *const path = scratch_file("g.cache", "");
    peck_error err;
    double score[3];

    (void)state;
    assert_int_equal(
        peck_dataset_read(&d,
                          scratch_file("g.txt", "1 qid:a 1:1\n0 qid:b 1:2\n2 qid:a 1:3\n"),
                          NULL, &err),
        PECK_OK);
    assert_int_equal(peck_dataset_write(d, path, NULL, &err), PECK_OK);
    assert_int_equal(peck_dataset_read(&back, path, NULL, &err), PECK_OK);
    assert_memory_equal(back->file_row, d->file_row, 3 * sizeof(uint64_t));
    assert_int_equal(
        peck_scores_read(score, scratch_file("scores", "10\n20\n30\n"), back, &err),
        PECK_OK);
    assert_true(score[0] == 10.0 && score[1] == 30.0 && score[2] == 20.0);
    peck_dataset_free(back);
    peck_dataset_free(d);
}

static void data_without_features_is_legal(void **state)
{
    const float y[] = { 1.0f, 0.0f };
    const uint32_t sizes[] = { 2 };
    struct peck_dataset *d, *back;
    struct peck_report *r;
    const char *const path = scratch_file("none.cache", "");
    peck_error err;

    (void)state;
    assert_int_equal(peck_dataset_wrap(&d, NULL, 2, 0, y, sizes, 1, &err), PECK_OK);
    assert_int_equal(peck_dataset_write(d, path, NULL, &err), PECK_OK);
    assert_int_equal(peck_dataset_read(&back, path, NULL, &err), PECK_OK);
    assert_int_equal(back->dim, 0);
    assert_int_equal(back->n_docs, 2);
    assert_int_equal(peck_summarise(&r, back, 1, &err), PECK_OK);
    peck_report_free(r);
    peck_dataset_free(back);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_is_mapped_not_copied),
        cmocka_unit_test(any_alignment_gives_the_same_data),
        cmocka_unit_test(only_three_tensors_are_needed),
        cmocka_unit_test(a_missing_tensor_is_named),
        cmocka_unit_test(options_of_text_are_refused),
        cmocka_unit_test(every_tensor_must_have_its_type_and_length),
        cmocka_unit_test(offsets_that_do_not_rise_are_refused),
        cmocka_unit_test(bad_labels_and_weights_are_refused),
        cmocka_unit_test(file_rows_must_be_a_permutation),
        cmocka_unit_test(a_newer_version_is_refused_with_a_hint),
        cmocka_unit_test(no_document_or_no_query_is_refused),
        cmocka_unit_test(every_cut_of_the_file_is_refused),
        cmocka_unit_test(no_single_byte_can_break_it),
        cmocka_unit_test(features_are_looked_at_by_the_first_verb_not_on_opening),
        cmocka_unit_test(missing_values_are_filled_or_kept),
        cmocka_unit_test(a_missing_value_is_found_wherever_it_is),
        cmocka_unit_test(a_subset_of_features_is_taken),
        cmocka_unit_test(names_and_weights_come_from_files_too),
        cmocka_unit_test(the_written_file_lies_on_its_boundaries),
        cmocka_unit_test(the_same_data_gives_the_same_bytes),
        cmocka_unit_test(a_compressed_cache_is_read_but_not_written),
        cmocka_unit_test(gathered_rows_keep_their_place_in_the_text),
        cmocka_unit_test(data_without_features_is_legal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
