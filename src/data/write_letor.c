/* write_letor.c -- "2 qid:10 1:0.3 2:0.7 #docid = X".
 *
 * A query whose values are mostly zero is written without them; its first line then
 * still names the last feature, so that the file keeps its number of features.
 * Named features stand in "# N name" lines above the first document.               */
#include "writer.h"

#include "../base/alloc.h"
#include "../base/number.h"

struct letor_writer {
    struct strings tag; /* " 1:", " 2:", ... */
    char *line;         /* room for the longest line so far */
    size_t cap;
};

/* Text, and what others call such files: SVMlight, LightGBM, RankLib, LETOR's own parts. */
static const char *const letor_endings[] = { ".txt",  ".dat",      ".data",       ".letor",
                                             ".svm",  ".svmlight", ".libsvm",     ".train",
                                             ".vali", ".valid",    ".validation", ".dev",
                                             ".test", ".out",      ".tmp",        NULL };

/* Ids end at a blank or a '#', and weights have no place. */
static peck_status check_letor_block(const struct layout *l, const struct query_block *b,
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

/* The tags of all features once, and the names of those that have one. */
static peck_status open_letor(void *state, struct output *o, const struct layout *l,
                              peck_error *err)
{
    struct letor_writer *const s = state;
    const struct strings *const names = l->feature_name;
    char text[24];

    for (size_t i = 0; i < l->dim; i++) {
        const int n = snprintf(text, sizeof text, " %zu:", i + 1);

        if (!strings_add(&s->tag, (peck_span){ text, (size_t)n }))
            return fail_memory(err, "feature numbers", l->dim, sizeof text);
    }
    for (size_t i = 0; names != NULL && i < names->n; i++) {
        const peck_span name = strings_get(names, i);

        /* "f3" for the third is what the table formats call a feature that has no name. */
        snprintf(text, sizeof text, "f%zu", i + 1);
        if (name.n == 0 || span_is(name, text))
            continue;
        if (span_trim(name).n != name.n || !span_is_one_line(name))
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

/* Bytes at p; returns their end. */
static char *put_span(char *p, peck_span s)
{
    if (s.n > 0)
        memcpy(p, s.s, s.n);
    return p + s.n;
}

/* An id is written "#docid = X" where it is one word, else as a plain comment, unless that would
 * not be read back as it is. */
static peck_status write_letor_block(void *state, struct output *o, const struct layout *l,
                                     const struct query_block *b, peck_error *err)
{
    static const char key[] = "docid";
    struct letor_writer *const s = state;
    const struct strings tag = s->tag; /* a copy that writing a line leaves alone */
    const size_t dim = l->dim, tags = dim > 0 ? s->tag.at[dim] : 0;
    const size_t fixed = b->query.n + tags + (dim + 2) * NUMBER_MAX;
    size_t n_set = 0;

    TRY(check_letor_block(l, b, err));
    for (size_t r = 0; r < b->docs.n; r++)
        for (size_t i = 0; i < dim; i++)
            n_set += b->docs.x[r * b->docs.stride + i] != 0.0f;
    const bool skip_zeros = n_set * 2 <= b->docs.n * dim;

    for (size_t r = 0; r < b->docs.n; r++) {
        const float *const x = b->docs.x + r * b->docs.stride;
        const peck_span id = block_doc_id(b, r);
        const bool is_word =
            memchr(id.s, ' ', id.n) == NULL && memchr(id.s, '\t', id.n) == NULL;
        const bool has_key = id.n >= sizeof key && memcmp(id.s, key, sizeof key - 1) == 0;

        if (!mem_reserve(&s->line, &s->cap, fixed + id.n + NUMBER_MAX, 1))
            return fail_memory(err, "a line", fixed + id.n, 1);
        char *p = put_span(put_label(s->line, b->label[r]), span_of(" qid:"));

        p = put_span(p, b->query);
        for (size_t i = 0; i < dim; i++) {
            if (skip_zeros && x[i] == 0.0f && !(r == 0 && i + 1 == dim))
                continue;
            p = put_span(p, strings_get(&tag, i));
            p += number_write(p, x[i]);
        }
        if (!span_is_one_line(id) || (!is_word && (has_key || span_trim(id).n != id.n)))
            return fail(err, PECK_ARG,
                        "document '%.*s': LETOR text cannot hold such an id; write csv or "
                        "the cache",
                        SPAN_ARGS(id));
        if (id.n > 0)
            p = put_span(put_span(p, span_of(is_word ? " #docid = " : " # ")), id);
        *p++ = '\n';
        output_write(o, s->line, (size_t)(p - s->line));
    }
    return PECK_OK;
}

static void close_letor(void *state)
{
    struct letor_writer *const s = state;

    strings_free(&s->tag);
    mem_free(s->line);
}

const struct writer_kind writer_letor = {
    .plug = { .about = { "letor", "SVMlight / LETOR text",
                         "\"label qid:ID 1:value 2:value #docid = ID\", '?' where not "
                         "judged; names of features as \"# N name\" lines on top.  Zeros "
                         "are left out of queries that are mostly zero.  It holds no "
                         "weights, and no query id with blanks.  For every name that has "
                         "no other ending." } },
    .endings = letor_endings,
    .state_size = sizeof(struct letor_writer),
    .open = open_letor,
    .block = write_letor_block,
    .close = close_letor,
};
