/* contract_kept_data.c -- what files become, to the last bit: data, preferences, runs, scores,
 * models.  See support/kept_cases.h.                                                        */
#include "support/check.h"
#include "support/kept_cases.h"

#include "base/alloc.h"
#include "data/dataset.h"
#include "model/model.h"
#include "support/scratch.h"

#include <math.h>

static void keep_written(struct kept_case *c, const peck_dataset *d)
{
    static const char *const format[] = { "letor", "csv", "tsv", "cache" };
    peck_error err = { 0 };

    for (size_t k = 0; k < N_OF(format); k++) {
        const char *const path = scratch_path("written");
        size_t n = 0;
        const peck_status st = peck_dataset_write(d, path, format[k], &err);

        if (st != PECK_OK) {
            keep_failure(c, st, &err);
            continue;
        }
        char *const bytes = file_bytes(path, &n);

        keep_bytes(c, bytes, n);
        free(bytes);
    }
}

static void keep_rows(struct kept_case *c, const peck_dataset *d)
{
    for (size_t q = 0; q < d->n_queries; q++) {
        const peck_span id = dataset_query_id(d, q);

        keep_bytes(c, id.s, id.n);
        keep_number(c, (double)d->start[q + 1]);
        keep_number(c, d->query_weight != NULL ? (double)d->query_weight[q] : 1.0);
    }
    for (size_t i = 0; i < d->n_docs; i++) {
        const peck_span id = peck_dataset_doc_id(d, i);

        keep_bytes(c, id.s, id.n);
        keep_number(c, (double)d->label[i]);
        for (size_t f = 0; f < d->dim; f++)
            keep_number(c, (double)d->x[i * d->dim + f]);
    }
    for (size_t f = 0; f < d->dim; f++) {
        const peck_span name = peck_dataset_feature_name(d, f);

        keep_bytes(c, name.s, name.n);
    }
}

static void keep_dataset(struct kept_case *c, const peck_dataset *d)
{
    peck_dataset *again = NULL;
    peck_report *r = NULL;
    peck_error err = { 0 };

    keep_rows(c, d);
    keep_written(c, d);
    assert_ok(peck_dataset_write(d, scratch_path("again.cache"), "cache", &err), err);
    assert_ok(peck_dataset_read(&again, scratch_path("again.cache"), NULL, &err), err);
    keep_rows(c, again);
    peck_dataset_free(again);
    assert_ok(peck_summarise(&r, d, 1, &err), err);
    keep_report(c, r);
    assert_ok(peck_list_features(&r, d, 1, &err), err);
    keep_report(c, r);
}

/* The second file beside the first: what is in both, and its columns put in order. */
static void keep_beside(struct kept_case *c, const peck_dataset *d, const peck_dataset *e)
{
    static const char *const how[] = { NULL, "name", "position" };
    peck_overlap both = { 0 };
    peck_error err = { 0 };

    assert_ok(peck_dataset_overlap(&both, d, e, &err), err);
    keep_number(c, (double)(both.n_queries + 1000 * both.n_docs));
    for (size_t k = 0; k < N_OF(how); k++) {
        peck_dataset *matched = NULL;
        peck_match_info info = { 0 };
        const peck_status st = peck_dataset_match_data(&matched, e, d, how[k], &info, &err);

        if (st != PECK_OK) {
            keep_failure(c, st, &err);
            continue;
        }
        keep_number(c, info.by_name + 10 * (double)info.n_ignored +
                           1000 * (double)info.n_absent);
        keep_number(c, info.text[0] != '\0');
        for (size_t i = 0; i < matched->n_docs * matched->dim; i++)
            keep_number(c, (double)matched->x[i]);
        peck_dataset_free(matched);
    }
}

/* read FILE text=..., and names=, sizes=, weights=, missing=, features=, label_column=,
 * query_column=, doc_column=, zero_based, labels_optional; other=: a second file */
static void keep_read(struct kept_case *c)
{
    const peck_read_options options = {
        .size = sizeof options,
        .format = word_of(c, "format", NULL),
        .missing = word_of(c, "missing", NULL),
        .features = word_of(c, "features", NULL),
        .feature_names = file_of(c, "names", "names"),
        .query_sizes = file_of(c, "sizes", "sizes"),
        .query_weights = file_of(c, "weights", "weights"),
        .threads = 1,
        .zero_based = has_word(c, "zero_based"),
        .labels_optional = has_word(c, "labels_optional"),
        .label_column = word_of(c, "label_column", NULL),
        .query_column = word_of(c, "query_column", NULL),
        .doc_column = word_of(c, "doc_column", NULL),
    };
    peck_dataset *d = NULL, *e = NULL;
    peck_error err = { 0 };
    const peck_status st =
        peck_dataset_read(&d, file_of(c, "text", c->word[1]), &options, &err);

    if (st != PECK_OK) {
        keep_failure(c, st, &err);
        return;
    }
    keep_dataset(c, d);
    if (word_of(c, "other", NULL) != NULL) {
        assert_ok(peck_dataset_read(&e, file_of(c, "other", "other"), NULL, &err), err);
        keep_beside(c, d, e);
        keep_beside(c, e, d);
    }
    peck_dataset_free(d);
    peck_dataset_free(e);
}

/* run FILE text=RUN qrels=..., and metrics=, convention=, complete */
static void keep_run(struct kept_case *c)
{
    const peck_judge_spec spec = { .size = sizeof spec,
                                   .metrics = word_of(c, "metrics", NULL),
                                   .convention = word_of(c, "convention", NULL),
                                   .threads = 1 };
    peck_report *r = NULL;
    peck_error err = { 0 };
    const peck_status st =
        peck_evaluate_run(&r, file_of(c, "text", c->word[1]), file_of(c, "qrels", "qrels"),
                          has_word(c, "complete"), &spec, &err);

    if (st == PECK_OK)
        keep_report(c, r);
    else
        keep_failure(c, st, &err);
}

/* scores FILE text=NUMBERS data=...: read, and written again */
static void keep_scores(struct kept_case *c)
{
    double score[40] = { 0 };
    peck_dataset *d = NULL;
    peck_error err = { 0 };
    size_t n = 0;

    assert_ok(peck_dataset_read(&d, file_of(c, "data", "data"), NULL, &err), err);
    const peck_status st = peck_scores_read(score, file_of(c, "text", c->word[1]), d, &err);

    if (st != PECK_OK)
        keep_failure(c, st, &err);
    for (size_t i = 0; i < d->n_docs; i++)
        keep_number(c, score[i]);
    assert_ok(peck_scores_write(score, scratch_path("scores"), d, &err), err);
    char *const bytes = file_bytes(scratch_path("scores"), &n);

    keep_bytes(c, bytes, n);
    free(bytes);
    peck_dataset_free(d);
}

/* model NAME, and damage=PLACE (a byte of the file is another), cut=LENGTH: what is kept in
 * tests/kept, read, scored, packed and read again */
static void keep_model(struct kept_case *c)
{
    char path[200];
    size_t n = 0;
    peck_model *m = NULL, *again = NULL;
    peck_dataset *d = NULL;
    peck_bytes packed = { 0 };
    peck_error err = { 0 };

    snprintf(path, sizeof path, "tests/kept/%s.peck", c->word[1]);
    char *const bytes = file_bytes(path, &n);

    assert_non_null(bytes);
    if (word_of(c, "damage", NULL) != NULL)
        bytes[(size_t)number_of(c, "damage", 0) % n] ^= 1;
    n = (size_t)number_of(c, "cut", (double)n);
    const peck_status st = peck_model_unpack(&m, bytes, n, &err);

    free(bytes);
    if (st != PECK_OK) {
        keep_failure(c, st, &err);
        return;
    }
    assert_ok(peck_dataset_read(&d, "tests/kept/data.txt", NULL, &err), err);
    double *const score = mem_new(d->n_docs, sizeof *score);

    assert_ok(peck_model_pack(&packed, m, &err), err);
    keep_bytes(c, packed.s, packed.n);
    assert_ok(peck_model_unpack(&again, packed.s, packed.n, &err), err);
    for (int way = 0; way < 2; way++) {
        assert_ok(peck_model_score(way == 0 ? m : again, d, 1, score, &err), err);
        for (size_t i = 0; i < d->n_docs; i++)
            keep_number(c, score[i]);
    }
    peck_bytes_free(&packed);
    peck_model_free(m);
    peck_model_free(again);
    mem_free(score);
    peck_dataset_free(d);
}

static void keep_prefs(struct kept_case *c, const peck_prefs *p)
{
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    keep_number(c, (double)(info.n_prefs + 1000 * info.n_lists + 1000000 * info.n_items));
    keep_number(c, (double)(info.n_bad + 1000 * info.first_bad_line));
    for (size_t i = 0; i < info.n_prefs; i++) {
        const peck_pref one = peck_prefs_at(p, i);

        keep_number(c, (double)(one.list + 1000 * one.winner + 1000000 * one.loser));
        keep_number(c, (double)one.probability);
        keep_number(c, (double)one.weight);
    }
}

/* prefs FILE text=..., and data=: what it speaks of, skip; without data it stands alone, and
 * is ranked by decoder= */
static void keep_prefs_file(struct kept_case *c)
{
    const peck_decode_spec spec = {
        .size = sizeof spec, .decoder = word_of(c, "decoder", NULL), .seed = 3, .threads = 1
    };
    const bool stands_alone = word_of(c, "data", NULL) == NULL;
    peck_dataset *d = NULL;
    peck_prefs *p = NULL, *even = NULL;
    peck_report *r = NULL;
    peck_contradiction odd[20];
    peck_place place[40];
    peck_error err = { 0 };

    if (!stands_alone)
        assert_ok(peck_dataset_read(&d, file_of(c, "data", "data"), NULL, &err), err);
    const peck_status st =
        peck_prefs_read(&p, file_of(c, "text", c->word[1]), d, has_word(c, "skip"), &err);

    if (st != PECK_OK) {
        keep_failure(c, st, &err);
        peck_dataset_free(d);
        return;
    }
    keep_prefs(c, p);
    assert_ok(peck_prefs_summarise(&r, p, d, &err), err);
    keep_report(c, r);
    size_t n = 0;

    assert_ok(peck_prefs_contradictions(p, 0.05, odd, N_OF(odd), &n, &err), err);
    keep_number(c, (double)n);
    for (size_t k = 0; k < n && k < N_OF(odd); k++) {
        keep_number(c, odd[k].given);
        keep_number(c, odd[k].implied);
    }
    for (int all = 0; all < 2; all++) {
        assert_ok(peck_prefs_consistent(&even, p, all, &err), err);
        keep_prefs(c, even);
        peck_prefs_free(even);
    }
    if (stands_alone) {
        assert_ok(peck_decode_prefs(place, &n, p, 0, &spec, NULL, &err), err);
        for (size_t k = 0; k < n; k++) {
            keep_number(c, (double)(place[k].item + 100 * place[k].part));
            keep_number(c, (double)place[k].rank);
            keep_number(c, place[k].score);
            keep_number(c, place[k].evidence);
            keep_number(c, place[k].against);
        }
    }
    peck_prefs_free(p);
    peck_dataset_free(d);
}

static const struct kept_kind kinds[] = {
    { "read", keep_read },     { "prefs", keep_prefs_file }, { "run", keep_run },
    { "scores", keep_scores }, { "model", keep_model },
};

int main(int argc, char **argv)
{
    return kept_main(argc, argv, "tests/kept/files.txt", kinds, N_OF(kinds));
}
