/* gen_web.c -- a set like LETOR's and MSLR's, of any size: features of mixed scales,
 * grades 0 to 4, lists of varying length.
 *
 * A document has six hidden qualities z ~ N(0,1).  Every feature sees two of them, the
 * query and noise, through one of the scales that real files have:
 *
 *   v_j = a_j z_k(j) + b_j z_l(j) + c_j shift_q + e_j N(0,1),   x_j = scale_j(v_j)
 *   r   = w . (z_0, z_1, z_2, tanh(2 z_0 z_5), max(z_2, 0) z_3, [z_4 > 1])
 *         + u_q + noise N(0,1)
 *
 * and the grade cuts r at the frequencies of web judgements (most documents are bad).
 * Products and thresholds in r give nets and trees something to gain over a line; u_q
 * makes some queries easy and some hopeless.                                        */
#include "draw.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

enum { N_QUALITIES = 6, N_EFFECTS = 6, N_STREAMS = 5, N_GRADES = 5 };
enum { PLAIN_DIM = 16 }; /* below it every feature says something */

static const double grade_share[N_GRADES] = { 0.51, 0.32, 0.13, 0.03, 0.01 };

/* What a feature looks like; t = centre + spread v, see scaled(). */
enum scale {
    SCALE_BM25,
    SCALE_COUNT,
    SCALE_LOGCOUNT,
    SCALE_COVERED,
    SCALE_LM,
    SCALE_IDF,
    SCALE_LENGTH,
    SCALE_FLAG,
    SCALE_PHRASE,
    SCALE_QUALITY,
    SCALE_CLICKS,
    N_SCALES,
    SCALE_CONSTANT = N_SCALES,
    SCALE_COPY /* of feature 0 */
};

/* The ranges from which the centre and the spread of a feature are drawn; they are those
 * that real features show. */
static const struct {
    const char *name;
    float centre[2], spread[2];
} scales[] = {
    [SCALE_BM25] = { "bm25", { 8, 20 }, { 3, 7 } },
    [SCALE_COUNT] = { "count", { 0.5f, 2 }, { 0.6f, 1.2f } },
    [SCALE_LOGCOUNT] = { "logcount", { 0.5f, 3 }, { 0.6f, 1.2f } },
    [SCALE_COVERED] = { "covered", { 0.3f, 0.7f }, { 0.2f, 0.4f } },
    [SCALE_LM] = { "lm", { -20, -6 }, { 1, 4 } },
    [SCALE_IDF] = { "idf", { 6, 30 }, { 1, 5 } },
    [SCALE_LENGTH] = { "length", { 4, 9 }, { 1.5f, 3.5f } },
    [SCALE_FLAG] = { "flag", { -0.5f, 1.5f }, { 1, 1 } },
    [SCALE_PHRASE] = { "phrase", { 0.8f, 1.8f }, { 0.2f, 2 } },
    [SCALE_QUALITY] = { "quality", { 60, 140 }, { 20, 50 } },
    [SCALE_CLICKS] = { "clicks", { -3, 1 }, { 1.5f, 3 } },
    [SCALE_CONSTANT] = { "unused", { 0, 0 }, { 0, 0 } },
    [SCALE_COPY] = { "bm25_body_again", { 0, 0 }, { 0, 0 } },
};

static const char *const stream_name[N_STREAMS] = { "body", "anchor", "title", "url",
                                                    "whole" };

struct web_column {
    enum scale scale;
    uint8_t main, side;   /* the two qualities it sees */
    float a, b, c, e;     /* loads of main, side, query and noise */
    float centre, spread; /* of the scale */
};

struct web {
    int64_t queries, docs, dim, target;
    double vary, noise;
    struct web_column *column; /* [dim] */
    double effect[N_EFFECTS];
    struct cuts cuts;
};

static const struct param params[] = {
    { "queries", PARAM_INT, "1000", "[1,1000000000]", "queries to make",
      offsetof(struct web, queries) },
    { "docs", PARAM_INT, "100", "[1,10000000]", "mean number of documents of a query",
      offsetof(struct web, docs) },
    { "vary", PARAM_FLOAT, "0.5", "[0,1)",
      "list lengths lie within this share of docs; 0: all alike",
      offsetof(struct web, vary) },
    { "dim", PARAM_INT, "46", "[5,10000]", "features: 46 as in LETOR, 136 as in MSLR",
      offsetof(struct web, dim) },
    { "noise", PARAM_FLOAT, "0.8", "[0,100]", "deviation of the judges' disagreement",
      offsetof(struct web, noise) },
    { "target", PARAM_INT, "1", "[0,inf)",
      "which features and judges; files that share it are samples of one task",
      offsetof(struct web, target) },
    { 0 }
};

/* What a query brings: r is moved by u, features by shift, `terms` are its words. */
struct web_query {
    double u, shift, terms;
};

static struct web_query draw_query(struct rng *r)
{
    const double u = 0.6 * draw_bell(r), shift = draw_bell(r);

    return (struct web_query){ u, shift, 1.0 + (double)rng_below(r, 8) };
}

static double relevance(const struct web *w, const struct web_query *q, const double *z,
                        struct rng *r)
{
    const double effect[N_EFFECTS] = {
        z[0],      z[1], z[2], math_tanh(2.0 * z[0] * z[5]), math_max(z[2], 0.0) * z[3],
        z[4] > 1.0
    };
    double sum = q->u + w->noise * draw_bell(r);

    for (size_t i = 0; i < N_EFFECTS; i++)
        sum += w->effect[i] * effect[i];
    return sum;
}

static void draw_qualities(struct rng *r, double z[N_QUALITIES])
{
    for (size_t i = 0; i < N_QUALITIES; i++)
        z[i] = draw_bell(r);
}

static float draw_within(struct rng *r, const float range[2])
{
    return (float)rng_between(r, range[0], range[1]);
}

static size_t most_docs(const struct web *w)
{
    return (size_t)floor((double)w->docs * (1.0 + w->vary));
}

/* What the target alone decides: effects, columns, and the grades, from a sample of 50
 * documents a query. */
static peck_status open_web(void *self, uint64_t seed, struct shape *shape, peck_error *err)
{
    struct web *const w = self;
    const size_t dim = (size_t)w->dim;
    double *const v = mem_new(CUT_SAMPLE, sizeof *v), z[N_QUALITIES];
    struct web_query q = { 0 };
    struct rng r;

    (void)seed;
    w->column = mem_new(dim, sizeof *w->column);
    if (v == NULL || w->column == NULL) {
        mem_free(v);
        return fail_memory(err, "features", dim, sizeof *w->column);
    }
    *shape = (struct shape){ .n_queries = (size_t)w->queries,
                             .max_docs = most_docs(w),
                             .dim = dim };
    rng_seed(&r, (uint64_t)w->target, STREAM_TARGET);
    for (size_t i = 0; i < N_EFFECTS; i++)
        /* The last one, [z_4 > 1], speaks against a document, twice as loud. */
        w->effect[i] = rng_between(&r, 0.4, 0.9) * (i == 5 ? -2.0 : 1.0);
    for (size_t j = 0; j < dim; j++) {
        struct web_column *const c = &w->column[j];
        const bool is_plain = dim < PLAIN_DIM;

        c->scale = !is_plain && j == dim - 2 ? SCALE_COPY
                   : !is_plain && (j == dim - 1 || j % 23 == 22)
                       ? SCALE_CONSTANT
                       : (enum scale)(j % N_SCALES);
        c->main = (uint8_t)(j < N_QUALITIES ? j : rng_below(&r, N_QUALITIES));
        c->side = (uint8_t)rng_below(&r, N_QUALITIES);
        c->a = (float)rng_between(&r, 0.2, 0.7);
        c->b = (float)rng_between(&r, -0.2, 0.3);
        c->c = (float)rng_between(&r, 0.0, 0.6);
        c->e = (float)rng_between(&r, 0.5, 0.9);
        c->centre = draw_within(&r, scales[c->scale].centre);
        c->spread = draw_within(&r, scales[c->scale].spread);
    }
    rng_seed(&r, (uint64_t)w->target, STREAM_CUTS);
    for (size_t i = 0; i < CUT_SAMPLE; i++) {
        if (i % 50 == 0)
            q = draw_query(&r);
        draw_qualities(&r, z);
        v[i] = relevance(w, &q, z, &r);
    }
    const peck_status st = cuts_place(&w->cuts, N_GRADES, grade_share, v, CUT_SAMPLE, err);

    mem_free(v);
    return st;
}

/* floor(e^t), a count; exp is the costly step of this file. */
static double count_of(double t)
{
    return floor(math_exp(t));
}

/* What v becomes in a column: counts are floor(e^t), so most are small and a few huge; a
 * BM25 score is not negative, that of a language model not positive; idf depends on the
 * query alone; a phrase is absent from most documents. */
static float scaled(const struct web_column *c, double v, const struct web_query *q,
                    const float *row)
{
    const double t = c->centre + c->spread * v;

    switch (c->scale) {
    case SCALE_BM25:
        return draw_round(math_max(t, 0.0), 1e3);
    case SCALE_COUNT:
        return (float)count_of(t);
    case SCALE_LOGCOUNT:
        return draw_round(math_log1p(count_of(t)), 1e4);
    case SCALE_COVERED:
        return draw_round(nearbyint(math_min(math_max(t, 0.0), 1.0) * q->terms) / q->terms,
                          1e6);
    case SCALE_LM:
        return draw_round(math_min(t, 0.0), 1e3);
    case SCALE_IDF:
        return draw_round(c->centre + c->spread * (double)c->a * q->shift, 1e3);
    case SCALE_LENGTH:
        return (float)math_min(count_of(t), 1e8);
    case SCALE_FLAG:
        return v > c->centre;
    case SCALE_PHRASE:
        return v > c->centre ? draw_round((v - c->centre) * c->spread, 1e3) : 0.0f;
    case SCALE_QUALITY:
        return (float)nearbyint(math_min(math_max(t, 0.0), 255.0));
    case SCALE_CLICKS:
        return (float)count_of(t);
    case SCALE_CONSTANT:
        return 0.0f;
    case SCALE_COPY:
        return row[0];
    }
    return 0.0f;
}

static void fill_web(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    const struct web *const w = self;
    /* Lengths are uniform between 2 docs - most and most: their mean is docs. */
    const size_t dim = (size_t)w->dim, most = most_docs(w),
                 mirror = 2 * (size_t)w->docs - most;
    const size_t least = mirror > 0 ? mirror : 1;
    double z[N_QUALITIES];
    struct rng r;

    rng_seed(&r, seed, q);
    out->n = least + rng_below(&r, most - least + 1);
    const struct web_query query = draw_query(&r);

    for (size_t d = 0; d < out->n; d++) {
        float *const x = out->x + d * dim;

        draw_qualities(&r, z);
        out->label[d] = (float)cuts_grade(&w->cuts, relevance(w, &query, z, &r));
        for (size_t j = 0; j < dim; j++) {
            const struct web_column *const c = &w->column[j];
            const double v = c->a * z[c->main] + c->b * z[c->side] + c->c * query.shift +
                             c->e * draw_bell(&r);

            x[j] = scaled(c, v, &query, x);
        }
    }
}

static void close_web(void *self)
{
    mem_free(((struct web *)self)->column);
}

/* "bm25_body", "count_body", ..., "bm25_anchor", ...; the 56th is "bm25_body_2". */
static void name_web_feature(const void *self, size_t feature, char out[SYNTH_NAME])
{
    const struct web *const w = self;
    const enum scale scale = w->column[feature].scale;
    const size_t round = feature / N_SCALES;
    const char *const stream = stream_name[round % N_STREAMS];

    if (scale == SCALE_COPY)
        snprintf(out, SYNTH_NAME, "%s", scales[scale].name);
    else if (scale == SCALE_CONSTANT)
        snprintf(out, SYNTH_NAME, "%s_%zu", scales[scale].name, feature + 1);
    else if (round < N_STREAMS)
        snprintf(out, SYNTH_NAME, "%s_%s", scales[scale].name, stream);
    else
        snprintf(out, SYNTH_NAME, "%s_%s_%zu", scales[scale].name, stream,
                 round / N_STREAMS + 1);
}

static void name_web_doc(size_t q, size_t doc, char out[SYNTH_NAME])
{
    snprintf(out, SYNTH_NAME, "%zu-%zu", q + 1, doc + 1);
}

const struct generator generator_web = {
    .plug = { { "web", "a web-search set like LETOR's, of any size",
                "Features of mixed scales (counts, logarithms, ratios, BM25 and "
                "language-model scores, lengths up to 1e8, flags, sparse columns, "
                "constants and a duplicate), grades 0 to 4 of which 51, 32, 13, 3 and 1 % "
                "of the documents, lists of varying length, document ids. The hidden "
                "relevance is non-linear and noisy. Scales and judges depend on `target` "
                "alone: make training, validation and test data with different seeds. "
                "Shapes after Qin, Liu, Xu and Li 2010 (LETOR) and Qin and Liu 2013 (LETOR "
                "4.0, MSLR-WEB)." },
              params },
    .self_size = sizeof(struct web),
    .open = open_web,
    .fill = fill_web,
    .close = close_web,
    .name_feature = name_web_feature,
    .name_doc = name_web_doc,
};
