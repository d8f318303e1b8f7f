/* features.c -- see features.h.
 *
 * A RankSVM is trained on the answers.  How far its scores z (mean 0, deviation 1) may be
 * trusted is found on answers that it has not seen: five times a fifth is held out, and
 * the scale a is the one under which s(a (z_i - z_j)) makes those answers likeliest, s being
 * the logistic function, with a normal prior of deviation 1.  Features that say nothing
 * have a scale near 0, and so no say.
 *
 * It is trained anew when the answers have grown by a quarter, on as many of them as 10,
 * 12.5, 15.6 ..., so the same answers give the same guess whenever they are asked for.   */
#include "features.h"

#include "../src/base/alloc.h"
#include "../src/base/maths.h"
#include "../src/base/rng.h"
#include "../src/base/strings.h"

#include <math.h>

enum { FOLDS = 5, LEAST_ANSWERS = 10, NEWTON = 30 };
#define GROWTH 1.25

struct features {
    peck_dataset *data;
    const float **row; /* by document */
    size_t n_rows, dim;
    struct index names; /* of documents, in their order; empty: by line */
    /* The last guess, and what it was made from. */
    uint64_t sum;
    double *score; /* by document */
    bool has_score;
};

void features_close(struct features *f)
{
    if (f == NULL)
        return;
    index_free(&f->names);
    mem_free(f->row);
    mem_free(f->score);
    peck_dataset_free(f->data);
    mem_free(f);
}

/* Rows and names of all documents, whatever query they are in; by_query: a query's id is the
 * name of its document. */
static peck_status take_rows(struct features *f, const char *path, bool by_query,
                             peck_error *err)
{
    peck_dataset_info info;
    size_t at = 0;

    peck_dataset_describe(f->data, &info);
    f->dim = info.n_features;
    f->n_rows = info.n_docs;
    f->row = mem_new(info.n_docs, sizeof *f->row);
    f->score = mem_new(info.n_docs, sizeof *f->score);
    if (f->row == NULL || f->score == NULL)
        return fail_memory(err, "features", info.n_docs, sizeof *f->row);
    for (size_t i = 0; i < info.n_queries; i++) {
        peck_query q;

        peck_dataset_query(f->data, i, &q);
        for (size_t k = 0; k < q.n_docs; k++, at++) {
            const peck_span name =
                by_query ? q.id : peck_dataset_doc_id(f->data, q.first + k);

            f->row[at] = q.x + k * q.stride;
            if (!by_query && !info.has_doc_ids)
                continue;
            const int64_t number = index_put(&f->names, name);

            if (number == INDEX_FULL)
                return fail_memory(err, "names", info.n_docs, 1);
            if ((size_t)number != at)
                return fail(err, PECK_FORMAT, "%.300s: '%.*s' is there twice", path,
                            SPAN_ARGS(name));
        }
    }
    return PECK_OK;
}

peck_status features_open(struct features **out, const char *path, peck_error *err)
{
    peck_read_options options = { .size = sizeof options,
                                  .labels_optional = 1,
                                  .missing = "mean" };
    struct features *const f = mem_new(1, sizeof *f);
    bool by_query = false;
    peck_error other;

    *out = NULL;
    if (f == NULL)
        return fail_memory(err, "features", 1, sizeof *f);
    peck_status st = peck_dataset_read(&f->data, path, &options, err);

    if (st == PECK_FORMAT) { /* a table of items has no queries: each is one by itself */
        options.query_column = "name";
        by_query = peck_dataset_read(&f->data, path, &options, &other) == PECK_OK;
        st = by_query ? PECK_OK : st;
    }
    if (st == PECK_OK)
        st = take_rows(f, path, by_query, err);
    if (st == PECK_OK)
        *out = f;
    else
        features_close(f);
    return st;
}

/* Training ------------------------------------------------------------------------------------- */

/* The items that have features: their slots, rows, and place among them by slot. */
struct known {
    uint32_t *place; /* by slot; UINT32_MAX: no features */
    size_t *document;
    float *x;
    size_t n;
    peck_dataset *data;
    struct arena room;
};

static peck_status gather(struct known *k, const struct features *f,
                          const struct board_in *in, const char *const *name,
                          peck_error *err)
{
    *k = (struct known){ 0 };
    k->place = arena_new(&k->room, "items", in->n_slots, sizeof *k->place);
    k->document = arena_new(&k->room, "items", in->n_slots, sizeof *k->document);
    k->x = arena_new(&k->room, "features", in->n_slots * f->dim, sizeof *k->x);
    TRY(arena_check(&k->room, err));
    for (size_t i = 0; i < in->n_slots; i++) {
        const int64_t at = f->names.names.n > 0 ? index_find(&f->names, span_of(name[i]))
                           : in->item[i] < f->n_rows ? (int64_t)in->item[i]
                                                     : -1;

        k->place[i] = UINT32_MAX;
        if (at < 0)
            continue;
        memcpy(k->x + k->n * f->dim, f->row[at], f->dim * sizeof *k->x);
        k->document[k->n] = (size_t)at;
        k->place[i] = (uint32_t)k->n++;
    }
    if (k->n < 2)
        return PECK_OK;
    const uint32_t all = (uint32_t)k->n;

    return peck_dataset_wrap(&k->data, k->x, k->n, f->dim, NULL, &all, 1, err);
}

static size_t fold_of(const struct ballot *v)
{
    const uint32_t low = v->left < v->right ? v->left : v->right;
    const uint32_t high = v->left < v->right ? v->right : v->left;

    return mix64(low, high) % FOLDS;
}

/* Trains on the first n answers, those of one fold left out (FOLDS: none), and scores all;
 * scores have mean 0 and deviation 1, or are all 0 where there was nothing to learn. */
static peck_status train_on(const struct known *k, const struct board_in *in, size_t n,
                            size_t fold, double *score, peck_error *err)
{
    peck_pref *const pref = mem_new(n, sizeof *pref);
    peck_prefs_arrays a = { .size = sizeof a, .pref = pref, .data = k->data };
    peck_prefs *pairs = NULL;
    peck_model *model = NULL;
    double sum = 0, squares = 0;
    peck_status st = PECK_OK;

    memset(score, 0, k->n * sizeof *score);
    if (pref == NULL)
        return fail_memory(err, "answers", n, sizeof *pref);
    for (size_t i = 0; i < n; i++) {
        const struct ballot *const v = &in->ballot[i];
        const bool is_right = v->outcome == POLL_RIGHT;

        if (v->outcome == POLL_TIE || fold_of(v) == fold ||
            k->place[v->left] == UINT32_MAX || k->place[v->right] == UINT32_MAX)
            continue;
        pref[a.n_prefs++] = (peck_pref){ .winner = k->place[is_right ? v->right : v->left],
                                         .loser = k->place[is_right ? v->left : v->right],
                                         .probability = 1,
                                         .weight = (float)v->strength };
    }
    if (a.n_prefs > 0) {
        peck_train_spec spec = { .size = sizeof spec,
                                 .method = "ranksvm",
                                 .train = k->data,
                                 .valid_split = -1,
                                 .seed = in->seed,
                                 .threads = 1 };

        st = peck_prefs_make(&pairs, &a, err);
        spec.pairs = pairs;
        if (st == PECK_OK)
            st = peck_train(&model, &spec, err);
        if (st == PECK_OK)
            st = peck_model_score(model, k->data, 1, score, err);
    }
    for (size_t i = 0; i < k->n; i++) {
        sum += score[i] / (double)k->n;
        squares += score[i] * score[i] / (double)k->n;
    }
    const double spread = sqrt(squares - sum * sum);

    for (size_t i = 0; i < k->n; i++)
        score[i] = spread > 1e-12 ? (score[i] - sum) / spread : 0;
    peck_model_free(model);
    peck_prefs_free(pairs);
    mem_free(pref);
    return st;
}

/* The scale of held-out answers, ahead[n] being z of the winner less z of the loser. */
static double find_scale(const double *ahead, size_t n)
{
    double a = 0;

    for (int step = 0; step < NEWTON; step++) {
        double slope = -a, bend = 1;

        for (size_t i = 0; i < n; i++) {
            const double miss = 1 / (1 + math_exp(a * ahead[i]));

            slope += ahead[i] * miss;
            bend += ahead[i] * ahead[i] * miss * (1 - miss);
        }
        a += slope / bend;
    }
    return a > 0 ? a : 0;
}

static peck_status make_guess(struct features *f, const struct known *k,
                              const struct board_in *in, size_t n, peck_error *err)
{
    double *const score = mem_new(k->n, sizeof *score);
    double *const ahead = mem_new(n, sizeof *ahead);
    size_t n_held = 0;
    peck_status st = score != NULL && ahead != NULL
                         ? PECK_OK
                         : fail_memory(err, "answers", n + k->n, sizeof *ahead);

    for (size_t fold = 0; st == PECK_OK && fold < FOLDS; fold++) {
        st = train_on(k, in, n, fold, score, err);
        for (size_t i = 0; st == PECK_OK && i < n; i++) {
            const struct ballot *const v = &in->ballot[i];

            if (v->outcome == POLL_TIE || fold_of(v) != fold ||
                k->place[v->left] == UINT32_MAX || k->place[v->right] == UINT32_MAX)
                continue;
            ahead[n_held++] = (v->outcome == POLL_LEFT ? 1 : -1) *
                              (score[k->place[v->left]] - score[k->place[v->right]]);
        }
    }
    if (st == PECK_OK)
        st = train_on(k, in, n, FOLDS, score, err);
    const double scale = st == PECK_OK ? find_scale(ahead, n_held) : 0;

    for (size_t i = 0; st == PECK_OK && i < f->n_rows; i++)
        f->score[i] = NAN;
    for (size_t i = 0; st == PECK_OK && i < k->n; i++)
        f->score[k->document[i]] = scale * score[i];
    f->has_score = st == PECK_OK && n_held > 0;
    mem_free(score);
    mem_free(ahead);
    return st;
}

peck_status features_guess(struct features *f, const struct board_in *in,
                           const char *const *name, double *prior, bool *is_known,
                           peck_error *err)
{
    size_t n = LEAST_ANSWERS;
    uint64_t sum = in->n_slots;
    struct known k;

    *is_known = false;
    memset(prior, 0, in->n_slots * sizeof *prior);
    if (in->n_ballots < LEAST_ANSWERS)
        return PECK_OK;
    for (double next = LEAST_ANSWERS; next <= (double)in->n_ballots; next *= GROWTH)
        n = (size_t)next;
    for (size_t i = 0; i < n; i++)
        sum = mix64(mix64(sum, in->ballot[i].answer), (uint64_t)in->ballot[i].outcome);
    peck_status st = gather(&k, f, in, name, err);

    if (st == PECK_OK && k.n >= 2 && (sum != f->sum || !f->has_score)) {
        st = make_guess(f, &k, in, n, err);
        f->sum = sum;
    }
    for (size_t i = 0; st == PECK_OK && f->has_score && i < in->n_slots; i++)
        if (k.place[i] != UINT32_MAX && isfinite(f->score[k.document[k.place[i]]]))
            prior[i] = f->score[k.document[k.place[i]]];
    *is_known = st == PECK_OK && f->has_score;
    peck_dataset_free(k.data);
    arena_free(&k.room);
    return st;
}
