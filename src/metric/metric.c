/* metric.c -- which metrics there are, how a list of them is read, and the shelf that
 * metrics share.                                                                    */
#include "metric.h"
#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/spec.h"

#include <inttypes.h>
#include <math.h>

#define METRIC(name) extern const struct metric metric_##name;
#include "metrics.def"
#undef METRIC

#define METRIC(name) &metric_##name,
const struct metric *const metrics[] = {
#include "metrics.def"
};
#undef METRIC
const size_t n_metrics = sizeof metrics / sizeof *metrics;

/* The shelf ----------------------------------------------------------------------- */

struct share share_of(double value)
{
    return (struct share){ value, 1.0, false };
}

struct share share_none(void)
{
    return (struct share){ 0.0, 0.0, false };
}

struct share share_empty(const struct convention *c)
{
    if (c->empty == EMPTY_SKIP)
        return share_none();
    return share_of(c->empty == EMPTY_ONE ? 1.0 : 0.0);
}

double sum_at(const double *sum, uint32_t n, uint32_t k)
{
    const uint32_t last = k < n ? k : n;

    return last > 0 ? sum[last - 1] : 0.0;
}

/* Metrics that the caller brings along, for one list -------------------------------- */

/* Room for "@1000000" behind the name. */
enum { LONGEST_NAME = METRIC_NAME_MAX - 9 };

struct own_metric {
    struct metric metric; /* own points to `given` */
    peck_metric given;
    char name[METRIC_NAME_MAX];
};

struct share own_metric_value(const struct metric *m, const struct ranking *r, uint32_t k)
{
    const peck_ranking seen = { .query = r->query,
                                .n = r->n,
                                .n_all = r->n_all,
                                .label = r->label,
                                .weight = r->weight,
                                .doc = r->doc,
                                .cut = k == WHOLE_LIST ? SIZE_MAX : k };
    const double value = m->own->value(m->own->ctx, &seen);

    return isfinite(value) ? share_of(value) : share_none();
}

static const struct metric *own_metric_find(const struct metric_list *list, peck_span name)
{
    for (size_t i = 0; i < list->n_own; i++)
        if (span_is(name, list->own[i].name))
            return &list->own[i].metric;
    return NULL;
}

/* Letters of a metric's name: it stands in lists between commas, before an @. */
static bool is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t n = strlen(s);

    return n > 0 && n <= LONGEST_NAME && strspn(s, letters) == n;
}

static peck_status take_own(struct own_metric *to, const struct metric_list *list,
                            const peck_metric *given, peck_error *err)
{
    TRY(SPEC_TAKE(peck_metric, &to->given, takes_cut, given, err));
    const peck_metric *const g = &to->given;

    if (g->name == NULL || g->value == NULL || !is_name(g->name))
        return fail(err, PECK_ARG,
                    "a metric of one's own has a name of 1 to %d small letters, digits, "
                    "'-' and '_', and a value",
                    LONGEST_NAME);
    bool is_taken =
        strcmp(g->name, "all") == 0 || own_metric_find(list, span_of(g->name)) != NULL;

    for (size_t i = 0; i < n_metrics; i++)
        is_taken |= strcmp(g->name, metrics[i]->plug.about.name) == 0;
    if (is_taken)
        return fail(err, PECK_ARG, "there is a metric '%s' already; choose another name",
                    g->name);
    snprintf(to->name, sizeof to->name, "%s", g->name);
    to->metric = (struct metric){ .plug.about = { to->name, "the caller's own", "" },
                                  .fold = FOLD_MEAN,
                                  .takes_cut = g->takes_cut != 0,
                                  .is_error = g->is_error != 0,
                                  .own = g };
    return PECK_OK;
}

static peck_status own_metrics_take(struct metric_list *list, const peck_metric *const *own,
                                    peck_error *err)
{
    size_t n = 0;

    while (own != NULL && own[n] != NULL)
        n++;
    if (n == 0)
        return PECK_OK;
    if ((list->own = mem_new(n, sizeof *list->own)) == NULL)
        return fail_memory(err, "metrics", n, sizeof *list->own);
    for (; list->n_own < n; list->n_own++)
        TRY(take_own(&list->own[list->n_own], list, own[list->n_own], err));
    return PECK_OK;
}

/* The list ------------------------------------------------------------------------ */

/* Where the cut of small[n] begins: behind '@', or as trec_eval writes it behind the last '_'
 * or '.' with digits alone after it ("P_10", "ndcg_cut.10"); n: there is none. */
static size_t cut_starts(const char *small, size_t n)
{
    const char *const at = memchr(small, '@', n);
    size_t digits = n;

    if (at != NULL)
        return (size_t)(at - small) + 1;
    while (digits > 0 && small[digits - 1] >= '0' && small[digits - 1] <= '9')
        digits--;
    return digits < n && digits > 1 &&
                   (small[digits - 1] == '_' || small[digits - 1] == '.')
               ? digits
               : n;
}

/* "ndcg@10", or "NDCG@10", which is the same. */
static peck_status parse_metric(struct asked *out, const struct metric_list *list,
                                peck_span word, peck_error *err)
{
    const struct plug *plugs[sizeof metrics / sizeof *metrics];
    const size_t n = word.n < METRIC_NAME_MAX - 1 ? word.n : METRIC_NAME_MAX - 1;
    char small[METRIC_NAME_MAX];
    uint64_t cut = WHOLE_LIST;

    for (size_t i = 0; i < n_metrics; i++)
        plugs[i] = &metrics[i]->plug;
    for (size_t i = 0; i < n; i++)
        small[i] =
            (char)(word.s[i] >= 'A' && word.s[i] <= 'Z' ? word.s[i] + 32 : word.s[i]);
    const struct metric *own = own_metric_find(list, (peck_span){ small, n });
    const size_t cut_at = own != NULL ? n : cut_starts(small, n);
    const bool has_cut = cut_at < n || (n > 0 && small[n - 1] == '@');
    const peck_span name = { small, has_cut ? cut_at - 1 : n };

    if (own == NULL)
        own = own_metric_find(list, name);
    size_t letters = n; /* of "ndcg10" */

    while (letters > 0 && small[letters - 1] >= '0' && small[letters - 1] <= '9')
        letters--;
    const struct plug *const found =
        own != NULL ? &own->plug : plug_named(plugs, n_metrics, "metric", name);
    const struct plug *const meant =
        found == NULL && letters < n
            ? plug_named(plugs, n_metrics, "metric", (peck_span){ small, letters })
            : NULL;

    if (meant != NULL)
        return fail(err, PECK_ARG, "unknown metric '%.*s'; did you mean '%s@%.*s'?",
                    SPAN_ARGS(word), meant->about.name, (int)(n - letters),
                    small + letters);
    if (found == NULL)
        return plug_unknown(plugs, n_metrics, "metric", name, err);
    out->metric = (const struct metric *)found; /* the plug is its first member */
    if (has_cut && !out->metric->takes_cut)
        return fail(err, PECK_ARG, "metric '%.*s': %s takes no @n", SPAN_ARGS(word),
                    found->about.name);
    if (has_cut && (!number_parse_u64((peck_span){ small + cut_at, n - cut_at }, &cut) ||
                    cut < 1 || cut > MAX_CUT))
        return fail(err, PECK_ARG,
                    "metric '%.*s': a whole number from 1 to %d follows the @",
                    SPAN_ARGS(word), MAX_CUT);
    out->k = (uint32_t)cut;
    snprintf(out->name, sizeof out->name, has_cut ? "%s@%" PRIu32 : "%s", found->about.name,
             out->k);
    return PECK_OK;
}

/* In the order they are asked for, each once; `all` is every metric at its usual ranks. */
static peck_status add_words(struct metric_list *list, const char *text, peck_error *err)
{
    peck_span word;

    while (comma_next(&text, &word)) {
        struct asked a;
        bool is_listed = false;

        if (span_is(word, "all")) {
            for (size_t i = 0; i < n_metrics; i++) {
                const struct metric *const m = metrics[i];

                TRY(add_words(list, m->in_all != NULL ? m->in_all : m->plug.about.name,
                              err));
            }
            continue;
        }
        TRY(parse_metric(&a, list, word, err));
        for (size_t i = 0; i < list->n; i++)
            is_listed |= list->item[i].metric == a.metric && list->item[i].k == a.k;
        if (is_listed)
            continue;
        if (list->n == MAX_METRICS)
            return fail(err, PECK_ARG, "more than %d metrics are asked for at once",
                        MAX_METRICS);
        if (!mem_reserve((void **)&list->item, &list->cap, list->n + 1, sizeof a))
            return fail_memory(err, "the list of metrics", list->n + 1, sizeof a);
        list->item[list->n++] = a;
        list->needs |= a.metric->needs;
    }
    return PECK_OK;
}

const struct metric *metric_find(peck_span name)
{
    const struct metric_list none = { 0 };
    struct asked a;

    return parse_metric(&a, &none, name, NULL) == PECK_OK ? a.metric : NULL;
}

bool comma_next(const char **at, peck_span *word)
{
    if (*at == NULL)
        return false;
    const char *const comma = strchr(*at, ',');

    *word = span_trim((peck_span){ *at, comma ? (size_t)(comma - *at) : strlen(*at) });
    *at = comma != NULL ? comma + 1 : NULL;
    return true;
}

peck_status metric_list_parse(struct metric_list *list, const char *text, peck_error *err)
{
    return metric_list_parse_with(list, text, NULL, err);
}

peck_status metric_list_parse_with(struct metric_list *list, const char *text,
                                   const peck_metric *const *own, peck_error *err)
{
    *list = (struct metric_list){ 0 };
    peck_status st = own_metrics_take(list, own, err);

    if (st == PECK_OK)
        st = add_words(list, text != NULL ? text : PECK_DEFAULT_METRICS, err);
    if (st != PECK_OK)
        metric_list_free(list);
    return st;
}

void metric_list_free(struct metric_list *list)
{
    mem_free(list->item);
    mem_free(list->own);
    *list = (struct metric_list){ 0 };
}

peck_status metric_list_check(const struct metric_list *list, const struct convention *c,
                              peck_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct asked *const a = &list->item[i];

        if (c->depth > 0 && a->k != WHOLE_LIST && (int64_t)a->k > c->depth)
            return fail(
                err, PECK_ARG,
                "%s looks beyond rank %" PRId64 ", where convention '%s' stops; ask "
                "for @%" PRId64 " or less, or lift the limit with --convention %s,depth=0",
                a->name, c->depth, c->preset->plug.about.name, c->depth,
                c->preset->plug.about.name);
    }
    return PECK_OK;
}
