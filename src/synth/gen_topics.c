/* gen_topics.c -- queries and documents with topics: what rules can speak of.
 *
 *   odds       = TEXT t_d + TOPIC match(q,d) + FRESH fresh(d) + NOISE N(0,1) - RARE
 *   match(q,d) = max over topics of both q and d of (1 + d's score) / 2;  0 without any
 *   click rate = 1 / (1 + e^-odds), cut into 7 equal parts: label 0, 0.5 .. 3
 *
 * The text part t_d shows in all text features, so a few labelled queries suffice to
 * learn it.  The topical part shows in no feature alone, only in the meeting of a query
 * topic with the document's: a handful of labelled queries cannot teach it, the rule "if
 * the query is about T, one of the first k documents is about T" can.
 *
 * After Papini and Diligenti, "Learning-to-rank with prior knowledge as global
 * constraints", 2012, section 5.                                                   */
#include "draw.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

enum { MAX_TOPICS = 64, N_STREAMS = 5, N_LEVELS = 7 };

static const double TEXT = 1.0, TOPIC = 2.6, FRESH = 0.4, NOISE = 0.8, RARE = 3.9;
/* Chances that a query has a second topic, that it has none, that a document of the
 * list is about a topic of the query, and about another one. */
static const double SECOND = 0.25, NONE = 0.1, ON_TOPIC = 0.18, OFF_TOPIC = 0.08;

struct topics {
    int64_t queries, docs, dim, topics, labelled, target;
    float *loading; /* [dim]: how much of a text feature is t_d */
};

static const struct param params[] = {
    { "queries", PARAM_INT, "10000", "[1,1000000000]", "queries to make",
      offsetof(struct topics, queries) },
    { "docs", PARAM_INT, "14", "[2,1000000]", "mean number of documents of a query",
      offsetof(struct topics, docs) },
    { "dim", PARAM_INT, "140", "[8,10000]",
      "features: two a topic, the age, the others textual", offsetof(struct topics, dim) },
    { "topics", PARAM_INT, "8", "[1,64]", "topics of queries and documents",
      offsetof(struct topics, topics) },
    { "labelled", PARAM_INT, "-1", "[-1,inf)",
      "queries, from the first on, that keep their labels; -1: all",
      offsetof(struct topics, labelled) },
    { "target", PARAM_INT, "1", "[0,inf)",
      "which text features tell most; files that share it are samples of one task",
      offsetof(struct topics, target) },
    { 0 }
};

static const char *const topic_name[] = { "sport",    "food",     "health",  "arts",
                                          "business", "shopping", "society", "recreation" };
static const char *const stream_name[N_STREAMS] = { "whole", "title", "body", "url",
                                                    "anchor" };

/* Columns: topics of the document, topics of the query, age_days, text. */
static size_t first_text(const struct topics *t)
{
    return 2 * (size_t)t->topics + 1;
}

static void name_topic(size_t topic, const char *prefix, char out[SYNTH_NAME])
{
    if (topic < sizeof topic_name / sizeof topic_name[0])
        snprintf(out, SYNTH_NAME, "%s%s", prefix, topic_name[topic]);
    else
        snprintf(out, SYNTH_NAME, "%s%zu", prefix, topic + 1);
}

static void name_topics_feature(const void *self, size_t feature, char out[SYNTH_NAME])
{
    const struct topics *const t = self;
    const size_t n = (size_t)t->topics;

    if (feature < n) {
        name_topic(feature, "topic_", out);
    } else if (feature < 2 * n) {
        name_topic(feature - n, "query_topic_", out);
    } else if (feature == 2 * n) {
        snprintf(out, SYNTH_NAME, "age_days");
    } else {
        const size_t text = feature - first_text(t);

        snprintf(out, SYNTH_NAME, "match_%s_%zu", stream_name[text % N_STREAMS],
                 text / N_STREAMS + 1);
    }
}

static void name_topics_doc(size_t q, size_t doc, char out[SYNTH_NAME])
{
    snprintf(out, SYNTH_NAME, "%zu-%zu", q + 1, doc + 1);
}

static peck_status open_topics(void *self, uint64_t seed, struct shape *shape,
                               peck_error *err)
{
    struct topics *const t = self;
    const size_t dim = (size_t)t->dim;
    struct rng r;

    (void)seed;
    if (dim <= first_text(t))
        return fail(err, PECK_ARG,
                    "topics: dim=%zu: %lld topics need at least %zu features", dim,
                    (long long)t->topics, first_text(t) + 1);
    t->loading = mem_new(dim, sizeof *t->loading);
    if (t->loading == NULL)
        return fail_memory(err, "loadings", dim, sizeof *t->loading);
    rng_seed(&r, (uint64_t)t->target, STREAM_TARGET);
    for (size_t i = first_text(t); i < dim; i++) {
        const double u = rng_uniform(&r);

        t->loading[i] = (float)(0.7 * u * u);
    }
    *shape = (struct shape){ .n_queries = (size_t)t->queries,
                             .max_docs = (size_t)(t->docs + t->docs / 2),
                             .dim = dim };
    return PECK_OK;
}

/* A topic score: positive for what is about the topic, negative otherwise. */
static float topic_score(struct rng *r, bool is_about)
{
    return draw_round(is_about ? rng_between(r, 0.1, 1.0) : rng_between(r, -1.0, -0.1),
                      1e4);
}

/* The first 2 * topics columns of all documents.  Every topic of the query is met by at
 * least one document, so that no rule asks for the impossible. */
static void draw_topics(const struct topics *t, struct rng *r, struct synth_sample *out)
{
    const size_t n = (size_t)t->topics, dim = (size_t)t->dim;
    const uint64_t first = 1ULL << rng_below(r, n), second = 1ULL << rng_below(r, n);
    const double u = rng_uniform(r);
    const uint64_t query = u < NONE ? 0 : u < NONE + SECOND ? first | second : first;
    float *const first_query = out->x + n;

    for (size_t k = 0; k < n; k++) {
        const bool asked = query >> k & 1;
        const size_t sure = asked ? (size_t)rng_below(r, out->n) : SIZE_MAX;

        first_query[k] = topic_score(r, asked);
        for (size_t d = 0; d < out->n; d++) {
            const double chance = asked ? ON_TOPIC : OFF_TOPIC;
            const bool is_about = rng_uniform(r) < chance || d == sure;

            out->x[d * dim + k] = topic_score(r, is_about);
            out->x[d * dim + n + k] = first_query[k];
        }
    }
}

static void fill_topics(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    const struct topics *const t = self;
    const size_t dim = (size_t)t->dim, n_topics = (size_t)t->topics;
    const bool is_labelled = t->labelled < 0 || q < (uint64_t)t->labelled;
    struct rng r;

    rng_seed(&r, seed, q);
    out->n =
        (size_t)(t->docs - t->docs / 2) + rng_below(&r, (uint64_t)(t->docs / 2 * 2 + 1));
    draw_topics(t, &r, out);
    /* Of a query's text as a whole, as long queries do. */
    const double shift = rng_normal(&r);

    for (size_t d = 0; d < out->n; d++) {
        float *const x = out->x + d * dim;
        const double text = rng_normal(&r); /* t_d */
        double match = 0.0;

        /* Ages in days, exponential with mean 700. */
        x[first_text(t) - 1] = draw_round(-700.0 * math_log(1.0 - rng_uniform(&r)), 1.0);
        for (size_t i = first_text(t); i < dim; i++) {
            const double l = t->loading[i], noise = sqrt(1.0 - l * l) * draw_bell(&r);

            /* Of variance 1 before it is scaled, whatever the loading. */
            x[i] = draw_round(math_max(0.0, 8.0 + 2.0 * (l * text + noise) + shift), 1e4);
        }
        for (size_t k = 0; k < n_topics; k++)
            if (x[k] > 0 && x[n_topics + k] > 0)
                match = math_max(match, (1.0 + x[k]) / 2.0);
        const bool is_fresh = x[first_text(t) - 1] < 365.0f;
        const double odds =
            TEXT * text + TOPIC * match + FRESH * is_fresh + NOISE * rng_normal(&r) - RARE;
        const double rate = 1.0 / (1.0 + math_exp(-odds));

        out->label[d] = is_labelled ? (float)(floor(N_LEVELS * rate) / 2.0) : PECK_UNJUDGED;
    }
}

static void close_topics(void *self)
{
    mem_free(((struct topics *)self)->loading);
}

const struct generator generator_topics = {
    .plug = { { "topics", "queries and documents with topics, for rules",
                "Relevance is textual match plus topical match plus noise, given as a "
                "click rate cut into seven levels, 0 to 3 in steps of 0.5. Features "
                "topic_sport, topic_food ... say in [-1,1] how much a document is about a "
                "topic, query_topic_sport ... (constant within the query) the same of the "
                "query; age_days and the match_ features complete the row. `labelled=4` "
                "hides the labels of all but the first four queries; the same seed with "
                "labelled=-1 shows them. Make training, validation and test data with "
                "different seeds. After Papini and Diligenti 2012, section 5: 10,000 "
                "queries of 14 documents, 140 features, eight topics." },
              params },
    .self_size = sizeof(struct topics),
    .open = open_topics,
    .fill = fill_topics,
    .close = close_topics,
    .name_feature = name_topics_feature,
    .name_doc = name_topics_doc,
};
