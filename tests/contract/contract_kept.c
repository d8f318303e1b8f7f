/* contract_kept.c -- results that stay to the last bit: trainings, orders, strengths, scaled
 * features, metrics, rules.  See support/kept_cases.h.                                      */
#include "support/check.h"
#include "support/kept_cases.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "decode/next.h"
#include "norm/norm.h"
#include "support/oracles.h"
#include "support/tasks.h"
#include "support/train_setup.h"

#include <math.h>

/* Training --------------------------------------------------------------------------- */

/* Coarse features with equal values among them; with `gaps` some are missing, with
 * `unjudged` some labels are, with `Weights` queries and documents count differently.  Flat=K:
 * every Kth query has one label alone, Steep: the first feature is a thousand times as wide,
 * Tiny: all differ by little. */
static struct peck_dataset *make_data(const struct kept_case *c, uint64_t seed)
{
    const struct task_sample task = { .n_queries = (size_t)number_of(c, "queries", 16),
                                      .max_docs = (size_t)number_of(c, "docs", 9),
                                      .dim = (size_t)number_of(c, "dim", 5),
                                      .noise = 0.4 };
    struct peck_dataset *const d = task_dataset(&task, seed);
    struct rng r;

    rng_seed(&r, seed, 5);
    for (size_t i = 0; i < d->n_docs * d->dim; i++) {
        d->x_owned[i] = i % 3 == 0 ? d->x_owned[i] : roundf(4 * d->x_owned[i]) / 4;
        if (has_word(c, "gaps") && rng_below(&r, 10) == 0)
            d->x_owned[i] = NAN;
    }
    d->keeps_missing = has_word(c, "gaps");
    if (has_word(c, "unjudged"))
        for (size_t i = 0; i < d->n_docs; i++)
            d->label[i] = rng_below(&r, 4) == 0 ? PECK_UNJUDGED : d->label[i];
    for (size_t q = 0, k = (size_t)number_of(c, "Flat", 0); k > 0 && q < d->n_queries;
         q += k)
        for (size_t i = (size_t)d->start[q]; i < d->start[q + 1]; i++)
            d->label[i] = d->label[i] == PECK_UNJUDGED ? PECK_UNJUDGED : 1;
    for (size_t i = 0; i < d->n_docs * d->dim; i++)
        d->x_owned[i] *= has_word(c, "Tiny")                       ? 1e-9f
                         : has_word(c, "Steep") && i % d->dim == 0 ? 1e3f
                                                                   : 1.0f;
    if (has_word(c, "Weights")) {
        d->query_weight = mem_new(d->n_queries, sizeof *d->query_weight);
        d->doc_weight = mem_new(d->n_docs, sizeof *d->doc_weight);
        for (size_t q = 0; q < d->n_queries; q++)
            d->query_weight[q] = 0.25f * (float)(1 + q % 5);
        for (size_t i = 0; i < d->n_docs; i++)
            d->doc_weight[i] = 0.5f * (float)(1 + i % 3);
    }
    dataset_count_labels(d);
    return d;
}

static int hear_epoch(void *ctx, const peck_epoch *e)
{
    struct kept_case *const c = ctx;

    keep_number(c, (double)e->epoch);
    keep_number(c, e->loss);
    keep_number(c, e->rate);
    keep_number(c, e->valid);
    keep_number(c, e->is_best);
    keep_number(c, e->train);
    keep_number(c, (double)(e->n_train_pairs + 1000 * e->n_valid_pairs));
    keep_number(c, (double)e->n_inner);
    return 0;
}

static void hear_warning(void *ctx, const char *text)
{
    keep_bytes(ctx, text, strlen(text));
}

static const char some_rules[] =
    "first: forall d, e : d.f1 > e.f1 + 1 implies before(d, e)\n"
    "good: exists d : top(2, d) and d.f3 > 0.25 weight 2\n"
    "few: forall d, e : top(3, d) and top(3, e) and d.f2 < 0 and e.f2 < 0 "
    "implies same(d, e) weight 0.5 alpha 3\n"
    "above: forall d | d.f4 > 1 : exists e : e.f1 > d.f1 - 0.5 and before(d, e)\n"
    "top: forall d : top(1, d) iff d.f5 > 1 logic product\n";

/* Those of text=, else some; words "R.alpha=3" are settings of all of them. */
static peck_rules *make_rules(const struct kept_case *c)
{
    const char *setting[MOST_WORDS + 1] = { NULL };
    peck_rules *plain = NULL, *r = NULL;
    peck_error err = { 0 };
    size_t n = 0;

    for (size_t i = 1; i < c->n; i++)
        if (strncmp(c->word[i], "R.", 2) == 0)
            setting[n++] = c->word[i] + 2;
    if (word_of(c, "text", NULL) != NULL)
        assert_ok(peck_rules_read(&plain, file_of(c, "text", "rules"), &err), err);
    else
        assert_ok(peck_rules_parse(&plain, some_rules, &err), err);
    if (n == 0)
        return plain;
    assert_ok(peck_rules_with(&r, plain, setting, &err), err);
    peck_rules_free(plain);
    return r;
}

/* train METHOD, then settings (key=value), or words: valid, pairs, rules, gaps, unjudged;
 * Ensemble=, Norm=, Metric=, Split=, Threads=, Warn. */
static void keep_train(struct kept_case *c)
{
    struct peck_dataset *const train = make_data(c, 1), *const valid = make_data(c, 2),
                               *const test = make_data(c, 3);
    struct peck_prefs *pairs = has_word(c, "pairs") ? prefs_of_labels(train, 7) : NULL;
    peck_rules *rules = has_word(c, "rules") ? make_rules(c) : NULL;
    double *const score = mem_new(test->n_docs, sizeof *score);
    const char *setting[MOST_WORDS + 1] = { NULL };
    peck_model *m = NULL;
    peck_error err = { 0 };
    size_t n = 0;

    for (size_t i = 2; i < c->n; i++)
        if (strchr(c->word[i], '=') != NULL && c->word[i][0] >= 'a' &&
            strncmp(c->word[i], "queries=", 8) != 0 &&
            strncmp(c->word[i], "docs=", 5) != 0 && strncmp(c->word[i], "dim=", 4) != 0 &&
            strncmp(c->word[i], "text=", 5) != 0)
            setting[n++] = c->word[i];
    const peck_train_spec spec = {
        .method = c->word[1],
        .settings = setting,
        .train = train,
        .valid = has_word(c, "valid") ? valid : NULL,
        .pairs = pairs,
        .rules = rules,
        .rules_weight = rules != NULL ? 0.7 : 0.0,
        .unlabelled = has_word(c, "more") ? valid : NULL,
        .valid_split = number_of(c, "Split", 0.3),
        .norm = word_of(c, "Norm", NULL),
        .metric = word_of(c, "Metric", NULL),
        .ensemble = (size_t)number_of(c, "Ensemble", 0),
        .seed = 11,
        .threads = (int)number_of(c, "Threads", 1),
        .warn = has_word(c, "Warn") ? hear_warning : NULL,
        .progress = hear_epoch,
        .ctx = c,
    };

    const peck_status st = peck_train(&m, &spec, &err);

    if (st == PECK_OK)
        assert_ok(peck_model_score(m, test, 1, score, &err), err);
    else
        keep_failure(c, st, &err);
    for (size_t i = 0; st == PECK_OK && i < test->n_docs; i++)
        keep_number(c, score[i]);
    peck_model_free(m);
    mem_free(score);
    peck_rules_free(rules);
    peck_prefs_free(pairs);
    peck_dataset_free(train);
    peck_dataset_free(valid);
    peck_dataset_free(test);
}

/* Decoding --------------------------------------------------------------------------- */

/* A jury that also hears which questions come, in which order. */
struct heard {
    struct session *session;
    struct kept_case *kept;
};

static peck_status hear_duels(void *ctx, int worker, const peck_duel *duel, size_t n,
                              float *h, peck_error *err)
{
    const struct heard *const j = ctx;

    for (size_t k = 0; k < n; k++) {
        keep_number(j->kept, duel[k].i);
        keep_number(j->kept, duel[k].j);
    }
    return j->session->oracle.ask(j->session, worker, duel, n, h, err);
}

/* decode SPEC jury=NAME n=ITEMS budget=QUESTIONS seed=N cached costed */
static void keep_decode(struct kept_case *c)
{
    const uint32_t n = (uint32_t)number_of(c, "n", 12);
    struct session session;
    struct decode_plan plan;
    struct decoding out = decoding_new(n);
    struct heard heard = { &session, c };
    peck_error err = { 0 };

    session_open(&session, jury_find(word_of(c, "jury", "noisy")), n, 3);
    const struct oracle oracle = { .n = n,
                                   .ask = hear_duels,
                                   .ctx = &heard,
                                   .is_symmetric = session.oracle.is_symmetric };
    const struct decode_call call = { .plan = &plan,
                                      .oracle = &oracle,
                                      .seed = (uint64_t)number_of(c, "seed", 1),
                                      .budget = (uint64_t)number_of(c, "budget", 0),
                                      .is_cached = has_word(c, "cached"),
                                      .is_costed = has_word(c, "costed") };

    assert_ok(decode_plan_open(&plan, c->word[1], &err), err);
    assert_ok(decode_run(&call, &out, &err), err);
    for (uint32_t i = 0; i < n; i++) {
        keep_number(c, out.order[i]);
        keep_number(c, out.score[i]);
    }
    keep_number(c, (double)out.n_questions);
    keep_number(c, (double)out.n_distinct);
    keep_number(c, out.cost);
    decoding_free(&out);
}

/* Strengths and questions ------------------------------------------------------------ */

/* Answers as people of a Bradley-Terry-Davidson world give them. */
static peck_pref *draw_answers(size_t n_answers, uint32_t n, double nu, double sd)
{
    peck_pref *const to = mem_new(n_answers + 1, sizeof *to);
    double *const t = mem_new(n, sizeof *t);
    struct rng r;

    rng_seed(&r, 17, n);
    for (uint32_t i = 0; i < n; i++)
        t[i] = sd * rng_normal(&r);
    for (size_t k = 0; k < n_answers; k++) {
        const uint32_t i = (uint32_t)rng_below(&r, n);
        const uint32_t j = (i + 1 + (uint32_t)rng_below(&r, n - 1)) % n;
        const double u = rng_uniform(&r) * (2 + nu), side = t[i] - t[j] > 2 * u - 2 ? 1 : 0;

        to[k] = (peck_pref){ .winner = side > 0 ? i : j,
                             .loser = side > 0 ? j : i,
                             .probability = u > 2        ? 0.5f
                                            : k % 9 == 4 ? 0.75f
                                                         : 1.0f,
                             .weight = k % 5 == 2 ? 2.0f : 1.0f };
    }
    mem_free(t);
    return to;
}

static void keep_questions(struct kept_case *c, const peck_strengths *s, size_t n)
{
    unsigned char *const out = mem_new(n, 1);
    const peck_duel recent[] = { { 0, 1 }, { 2, 1 } };
    peck_duel pair[15];
    double worth[15];
    peck_error err = { 0 };

    out[n / 2] = 1;
    for (int way = 0; way < 4; way++) {
        const peck_question_spec spec = { .size = sizeof spec,
                                          .top = way % 2 == 1 ? 3 : 0,
                                          .is_out = way == 2 ? out : NULL,
                                          .recent = recent,
                                          .n_recent = way == 3 ? 2 : 0,
                                          .seed = (uint64_t)way,
                                          .again = way == 0   ? -1
                                                   : way == 2 ? 0.3
                                                              : 0 };
        peck_sureness sure = { 0 };
        size_t n_pairs = N_OF(pair);

        assert_ok(peck_strengths_next(s, &spec, pair, worth, &n_pairs, &err), err);
        for (size_t k = 0; k < n_pairs; k++) {
            keep_number(c, pair[k].i);
            keep_number(c, pair[k].j);
            keep_number(c, worth[k]);
        }
        assert_ok(peck_strengths_sureness(s, &spec, &sure, &err), err);
        keep_number(c, sure.top);
        keep_number(c, sure.first);
        keep_number(c, sure.pairs);
        keep_number(c, sure.questions_left);
        keep_number(c, sure.is_enough);
    }
    mem_free(out);
}

/* strengths n=ITEMS answers=N nu=SHARE spread=SD, and prior_sd=, tie=, mean, ask */
static void keep_strengths(struct kept_case *c)
{
    const size_t n = (size_t)number_of(c, "n", 12);
    const size_t n_answers = (size_t)number_of(c, "answers", 40);
    peck_pref *const answer = draw_answers(n_answers, (uint32_t)n, number_of(c, "nu", 0),
                                           number_of(c, "spread", 1));
    double *const mean = mem_new(2 * n, sizeof *mean);
    peck_place *const place = mem_new(n, sizeof *place);
    peck_strengths *s = NULL;
    size_t n_places = 0;
    peck_error err = { 0 };

    for (size_t i = 0; i < n; i++)
        mean[i] = (double)(i % 5) / 4 - 0.5;
    const peck_strengths_spec spec = { .size = sizeof spec,
                                       .prior_sd = number_of(c, "prior_sd", 0),
                                       .tie = number_of(c, "tie", 0),
                                       .prior_mean = has_word(c, "mean") ? mean : NULL,
                                       .threads = 1 };

    assert_ok(peck_strengths_fit(&s, answer, n_answers, n, &spec, &err), err);
    peck_strengths_read(s, mean, mean + n);
    for (size_t i = 0; i < 2 * n; i++)
        keep_number(c, mean[i]);
    keep_number(c, s->prior_sd);
    keep_number(c, s->tie);
    assert_ok(peck_strengths_places(s, place, &n_places, &err), err);
    for (size_t i = 0; i < n_places; i++) {
        keep_number(c, (double)(place[i].item + 10000 * place[i].part));
        keep_number(c, (double)place[i].rank);
        keep_number(c, place[i].evidence);
        keep_number(c, place[i].against);
    }
    if (has_word(c, "ask"))
        keep_questions(c, s, n);
    peck_strengths_free(s);
    mem_free(answer);
    mem_free(mean);
    mem_free(place);
}

/* Normalisers, metrics, rules -------------------------------------------------------- */

/* norm SPEC, and gaps, weights, queries=, docs=, dim= */
static void keep_norm(struct kept_case *c)
{
    struct peck_dataset *const d = make_data(c, 4), *const other = make_data(c, 5);
    float *const weight = mem_new(d->n_docs, sizeof *weight);
    struct norm *n = NULL;
    struct pool *pool = NULL;
    peck_error err = { 0 };

    assert_ok(pool_new(&pool, 1, &err), err);
    for (size_t i = 0; i < d->n_docs; i++)
        weight[i] = 0.5f + (float)(i % 3);
    const struct norm_data data = { .all = { d->x_owned, d->n_docs, d->dim, d->dim },
                                    .start = d->start,
                                    .n_queries = d->n_queries,
                                    .name = "data",
                                    .weight = has_word(c, "weights") ? weight : NULL };

    assert_ok(norm_fit(&n, c->word[1], &data, pool, &err), err);
    float *const out = mem_new(n->dim_out * other->n_docs, sizeof *out);

    for (size_t q = 0; q < other->n_queries; q++) {
        const size_t first = other->start[q], docs = other->start[q + 1] - first;

        norm_apply(n,
                   (struct rows){ other->x_owned + first * d->dim, docs, d->dim, d->dim },
                   out + first * n->dim_out);
    }
    for (size_t i = 0; i < n->dim_out * other->n_docs; i++)
        keep_number(c, (double)out[i]);
    mem_free(out);
    norm_free(n);
    pool_free(pool);
    mem_free(weight);
    peck_dataset_free(d);
    peck_dataset_free(other);
}

/* Scores that agree with labels about half, some of them equal. */
static double *draw_scores(const struct peck_dataset *d, uint64_t seed)
{
    double *const score = mem_new(d->n_docs, sizeof *score);
    struct rng r;

    rng_seed(&r, seed, 6);
    for (size_t i = 0; i < d->n_docs; i++)
        score[i] = round(3 * rng_normal(&r) + 2 * (double)d->label[i]) / 2;
    return score;
}

/* judge METRICS convention=NAME, and compare: three runs */
static void keep_judge(struct kept_case *c)
{
    struct peck_dataset *const d = make_data(c, 8), *const e = make_data(c, 9);
    double *const score[] = { draw_scores(d, 1), draw_scores(e, 2), draw_scores(d, 3),
                              draw_scores(e, 4), draw_scores(d, 5), draw_scores(e, 6) };
    const peck_judge_spec spec = { .size = sizeof spec,
                                   .metrics = c->word[1],
                                   .convention = word_of(c, "convention", NULL),
                                   .seed = 5,
                                   .threads = 1 };
    const size_t n_folds = (size_t)number_of(c, "folds", 2);
    const char *const name[] = { "a", "b", "c" };
    const struct peck_dataset *const data[] = { d, e };
    const double *const run[] = {
        score[0], score[1], score[2], score[3], score[4], score[5]
    };
    const double *const of_one[] = { score[0], score[2], score[4] };
    const peck_compare_spec compare = { .size = sizeof compare,
                                        .n_folds = n_folds,
                                        .n_runs = (size_t)number_of(c, "runs", 3),
                                        .data = data,
                                        .name = name,
                                        .score = n_folds == 2 ? run : of_one,
                                        .judge = &spec,
                                        .resamples = 200 };
    peck_report *r = NULL;
    peck_error err = { 0 };

    const peck_status st = has_word(c, "compare")
                               ? peck_compare(&r, &compare, &err)
                               : peck_evaluate_scores(&r, d, score[0], &spec, &err);

    if (st == PECK_OK)
        keep_report(c, r);
    else
        keep_failure(c, st, &err);
    for (size_t i = 0; i < N_OF(score); i++)
        mem_free(score[i]);
    peck_dataset_free(d);
    peck_dataset_free(e);
}

/* rules all|first..., and docs=: what can be kept, what is, the order that keeps most */
static void keep_rules(struct kept_case *c)
{
    struct peck_dataset *const d = make_data(c, 12);
    peck_rules *const rules = make_rules(c);
    const size_t n_rules = peck_rules_count(rules);
    double *const score = draw_scores(d, 7), *const other = draw_scores(d, 8);
    uint32_t *const order = mem_new(d->n_docs, sizeof *order);
    signed char *const kept = mem_new(d->n_queries * n_rules, 1);
    peck_enforced *const info = mem_new(d->n_queries, sizeof *info);
    peck_report *r = NULL;
    peck_error err = { 0 };

    assert_ok(peck_rules_check(&r, rules, d, &err), err);
    keep_report(c, r);
    assert_ok(peck_rules_evaluate(&r, rules, d, score, &err), err);
    keep_report(c, r);
    assert_ok(peck_rules_compare(&r, rules, d, other, score, &err), err);
    keep_report(c, r);
    assert_ok(peck_enforce_all(rules, d, score, 1, order, kept, info, &r, &err), err);
    keep_report(c, r);
    keep_bytes(c, order, d->n_docs * sizeof *order);
    keep_bytes(c, kept, d->n_queries * n_rules);
    for (size_t q = 0; q < d->n_queries; q++) {
        keep_number(c, info[q].cost);
        keep_number(c, (double)(info[q].n_rules + 100 * info[q].n_given_up));
        keep_number(c, info[q].is_turned + 2 * info[q].is_proven);
    }
    peck_rules_free(rules);
    mem_free(score);
    mem_free(other);
    mem_free(order);
    mem_free(kept);
    mem_free(info);
    peck_dataset_free(d);
}

static const struct kept_kind kinds[] = {
    { "train", keep_train }, { "decode", keep_decode }, { "strengths", keep_strengths },
    { "norm", keep_norm },   { "judge", keep_judge },   { "rules", keep_rules },
};

int main(int argc, char **argv)
{
    return kept_main(argc, argv, "tests/kept/results.txt", kinds, N_OF(kinds));
}
