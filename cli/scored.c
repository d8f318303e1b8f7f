/* scored.c -- see scored.h. */
#include "scored.h"

#include <stdlib.h>
#include <string.h>

static peck_status read_data(struct scored *s, const char *data,
                             const peck_read_options *options, peck_error *err)
{
    peck_dataset_info info;
    const peck_status st = peck_dataset_read(&s->data, data, options, err);

    if (st != PECK_OK)
        return st;
    peck_dataset_describe(s->data, &info);
    s->n_queries = info.n_queries;
    s->score = calloc(info.n_docs, sizeof *s->score);
    return s->score != NULL
               ? PECK_OK
               : refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
}

static size_t count_single(const peck_dataset *d, size_t n_queries)
{
    peck_query q;
    size_t n = 0;

    for (size_t i = 0; i < n_queries; i++) {
        peck_dataset_query(d, i, &q);
        n += q.n_docs == 1;
    }
    return n;
}

/* Tells where a model whose scores depend on the list gets lists that may be pieces: of one
 * document, or with rows of a query that stand apart. */
static void warn_of_pieces(struct talk *t, const peck_model *m, const peck_dataset *d)
{
    peck_dataset_info info;
    char text[256];

    if (peck_model_scores_alone(m))
        return;
    peck_dataset_describe(d, &info);
    const size_t n = count_single(d, info.n_queries);

    if (n > 0) {
        snprintf(text, sizeof text,
                 "%zu of %zu queries %s one document, and scores of this model depend on "
                 "the list: score whole lists%s",
                 n, info.n_queries, n == 1 ? "has" : "have",
                 peck_model_compares(m) ? "" : ", or train with --alone");
        talk_warning(t, text);
    }
    if (info.was_gathered)
        talk_warning(t, "a query comes back later in the data, and scores of this model "
                        "depend on the list: its rows were scored as one");
}

peck_status match_data(peck_dataset **out, const struct call *c, const peck_dataset *data,
                       const peck_model *m, const char *match)
{
    peck_match_info info;
    const peck_status st = peck_dataset_match(out, data, m, match, &info, c->err);

    if (st == PECK_OK && info.text[0] != '\0')
        talk_note(c->talk, info.text);
    return st;
}

/* The data stays as it was read: matched, it is needed for the scores alone. */
static peck_status score_data(struct scored *s, const struct call *c, const peck_model *m,
                              const char *match, const peck_decode_spec *spec,
                              peck_decode_info *info)
{
    const int is_asked = spec->decoder != NULL || spec->budget > 0;
    peck_dataset *fit = NULL;
    peck_status st = match_data(&fit, c, s->data, m, match);

    if (st == PECK_OK)
        st = is_asked || peck_model_compares(m)
                 ? peck_model_rank(m, fit, spec, s->score, info, c->err)
                 : peck_model_score(m, fit, spec->threads, s->score, c->err);
    peck_dataset_free(fit);
    return st;
}

/* warns: the scores themselves are what is wanted, so lists that may be pieces matter. */
static peck_status open_scored(struct scored *s, const struct call *c, const char *model,
                               const char *data, const peck_read_options *options,
                               const char *match, const peck_decode_spec *spec,
                               peck_decode_info *info, int warns)
{
    peck_model *m = NULL;

    memset(s, 0, sizeof *s);
    memset(info, 0, sizeof *info);
    peck_status st = peck_model_load(&m, model, c->err);

    if (st == PECK_OK)
        st = read_data(s, data, options, c->err);
    if (st == PECK_OK)
        st = score_data(s, c, m, match, spec, info);
    if (st == PECK_OK && warns)
        warn_of_pieces(c->talk, m, s->data);
    peck_model_free(m);
    return st;
}

peck_status scored_decode(struct scored *s, const struct call *c, const char *model,
                          const char *data, const peck_read_options *options,
                          const char *match, const peck_decode_spec *spec,
                          peck_decode_info *info)
{
    return open_scored(s, c, model, data, options, match, spec, info, 1);
}

peck_status scored_open(struct scored *s, const struct call *c, const char *model,
                        const char *data, const peck_read_options *options,
                        const char *match)
{
    const peck_decode_spec usual = { .threads = options->threads };
    peck_decode_info info;

    return open_scored(s, c, model, data, options, match, &usual, &info, 0);
}

peck_status scored_read(struct scored *s, const char *scores, const char *data,
                        const peck_read_options *options, peck_error *err)
{
    memset(s, 0, sizeof *s);
    const peck_status st = read_data(s, data, options, err);

    return st == PECK_OK ? peck_scores_read(s->score, scores, s->data, err) : st;
}

void scored_free(struct scored *s)
{
    free(s->score);
    peck_dataset_free(s->data);
}
