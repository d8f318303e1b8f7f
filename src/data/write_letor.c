/* write_letor.c -- "2 qid:10 1:0.3 2:0.7 #docid = X".
 *
 * A query whose values are mostly zero is written without them; its first line then
 * still names the last feature, so that the file keeps its number of features.
 * Named features stand in "# N name" lines above the first document.               */
#include "writer.h"

#include "../base/alloc.h"
#include "../base/number.h"

struct state {
    struct strings tag; /* " 1:", " 2:", ... */
    char *line;         /* room for the longest line so far */
    size_t cap;
};

/* Text, and what others call such files: SVMlight, LightGBM, RankLib, LETOR's own parts. */
static const char *const endings[] = { ".txt",  ".dat",      ".data",       ".letor",
                                       ".svm",  ".svmlight", ".libsvm",     ".train",
                                       ".vali", ".valid",    ".validation", ".dev",
                                       ".test", ".out",      ".tmp",        NULL };

static bool has_line_break(peck_span s)
{
    return memchr(s.s, '\n', s.n) != NULL || memchr(s.s, '\r', s.n) != NULL;
}

/* "f3" for the third: what the table formats call a feature that has no name. */
static bool is_made_up(peck_span name, size_t i)
{
    char usual[24];

    snprintf(usual, sizeof usual, "f%zu", i + 1);
    return name.n == 0 || span_is(name, usual);
}

static peck_status write_names(struct output *o, const struct strings *names,
                               peck_error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        const peck_span name = strings_get(names, i), trimmed = span_trim(name);

        if (is_made_up(name, i))
            continue;
        if (trimmed.n != name.n || has_line_break(name))
            return fail(
                err, PECK_ARG,
                "the name of feature %zu has a line break or blanks around it, which "
                "LETOR text cannot hold; write csv or the cache",
                i + 1);
        output_printf(o, "# %zu ", i + 1);
        output_write(o, name.s, name.n);
        output_write(o, "\n", 1);
    }
    return PECK_OK;
}

static peck_status open(void *state, struct output *o, const struct layout *l,
                        peck_error *err)
{
    struct state *const s = state;
    char tag[16];

    for (size_t i = 0; i < l->dim; i++) {
        const int n = snprintf(tag, sizeof tag, " %zu:", i + 1);

        if (!strings_add(&s->tag, (peck_span){ tag, (size_t)n }))
            return fail_memory(err, "feature numbers", l->dim, sizeof tag);
    }
    return l->feature_name != NULL ? write_names(o, l->feature_name, err) : PECK_OK;
}

/* Ids end at a blank or a '#', and weights have no place. */
static peck_status check_block(const struct layout *l, const struct block *b,
                               peck_error *err)
{
    bool is_plain = b->query.n > 0;

    for (size_t i = 0; i < b->query.n; i++)
        is_plain &= (unsigned char)b->query.s[i] > ' ' && b->query.s[i] != '#';
    if (!is_plain)
        return fail(
            err, PECK_ARG,
            "query '%.*s': LETOR text cannot hold an id that is empty or has blanks "
            "or '#'; write csv or the cache",
            SPAN_ARGS(b->query));
    bool all_one = !l->has_query_weights || b->query_weight == 1.0f;

    for (size_t i = 0; l->has_doc_weights && b->doc_weight != NULL && i < b->docs.n; i++)
        all_one &= b->doc_weight[i] == 1.0f;
    if (!all_one)
        return fail(err, PECK_ARG,
                    "query '%.*s' has weights, which LETOR text cannot hold; write csv or "
                    "the cache",
                    SPAN_ARGS(b->query));
    return PECK_OK;
}

static bool is_sparse(const struct rows *x)
{
    size_t n = 0;

    for (size_t r = 0; r < x->n; r++)
        for (size_t i = 0; i < x->dim; i++)
            n += x->x[r * x->stride + i] != 0.0f;
    return n * 2 <= x->n * x->dim;
}

static char *put(char *p, peck_span s)
{
    if (s.n > 0)
        memcpy(p, s.s, s.n);
    return p + s.n;
}

static char *put_features(char *p, const struct strings *tag, const float *x, size_t dim,
                          bool skip_zeros, bool name_last)
{
    for (size_t i = 0; i < dim; i++) {
        if (skip_zeros && x[i] == 0.0f && !(name_last && i + 1 == dim))
            continue;
        p = put(p, strings_get(tag, i));
        p += number_write(p, x[i]);
    }
    return p;
}

/* "#docid = X" where X is one word, else the id as a plain comment; NULL when that would
 * not be read back as it is. */
static char *put_doc_id(char *p, peck_span id)
{
    static const char key[] = "docid";
    const bool is_word =
        memchr(id.s, ' ', id.n) == NULL && memchr(id.s, '\t', id.n) == NULL;
    const bool has_key = id.n >= sizeof key && memcmp(id.s, key, sizeof key - 1) == 0;

    if (has_line_break(id) || (!is_word && (has_key || span_trim(id).n != id.n)))
        return NULL;
    return put(put(p, span_of(is_word ? " #docid = " : " # ")), id);
}

static peck_status block(void *state, struct output *o, const struct layout *l,
                         const struct block *b, peck_error *err)
{
    struct state *const s = state;
    const bool skip_zeros = is_sparse(&b->docs);
    const size_t tags = l->dim > 0 ? s->tag.at[l->dim] : 0;
    const size_t fixed = b->query.n + tags + (l->dim + 2) * NUMBER_MAX;

    TRY(check_block(l, b, err));
    for (size_t r = 0; r < b->docs.n; r++) {
        const peck_span id = b->doc_id != NULL ? strings_get(b->doc_id, b->first_id + r)
                                               : (peck_span){ "", 0 };

        if (!mem_reserve(&s->line, &s->cap, fixed + id.n + NUMBER_MAX, 1))
            return fail_memory(err, "a line", fixed + id.n, 1);
        char *p = s->line;

        if (b->label[r] == PECK_UNJUDGED)
            *p++ = '?';
        else
            p += number_write(p, b->label[r]);
        p = put(put(p, span_of(" qid:")), b->query);
        p = put_features(p, &s->tag, b->docs.x + r * b->docs.stride, l->dim, skip_zeros,
                         r == 0);
        if (id.n > 0 && (p = put_doc_id(p, id)) == NULL)
            return fail(err, PECK_ARG,
                        "document '%.*s': LETOR text cannot hold such an id; write csv or "
                        "the cache",
                        SPAN_ARGS(id));
        *p++ = '\n';
        output_write(o, s->line, (size_t)(p - s->line));
    }
    return PECK_OK;
}

static void close(void *state)
{
    struct state *const s = state;

    strings_free(&s->tag);
    mem_free(s->line);
}

const struct writer_kind writer_letor = {
    .plug = { .about = { "letor", "SVMlight / LETOR text",
                         "\"label qid:ID 1:value 2:value #docid = ID\", '?' where nobody "
                         "judged; names of features as \"# N name\" lines on top.  Zeros "
                         "are "
                         "left out of queries that are mostly zero.  It holds no weights, "
                         "and no query id with blanks.  For every name that has no other "
                         "ending." } },
    .endings = endings,
    .state_size = sizeof(struct state),
    .open = open,
    .block = block,
    .close = close,
};
