/* model_load.c -- a model from a file: see model_file.h. */
#include "model_file.h"

#include "../base/alloc.h"
#include "../base/number.h"

enum { MAX_NAME = 1 << 16 }; /* bytes of a feature's name */

/* Whether the file says this format, perhaps with another number. */
static bool is_a(peck_span format, const char *known)
{
    const size_t words = strlen(known) - 1;

    return format.n >= words && memcmp(format.s, known, words) == 0;
}

/* What the format says of a file. */
struct kind {
    bool is_committee, is_newer; /* newer: of format 2 */
};

static peck_status check_kind(struct kind *kind, const struct tensors *t, peck_error *err)
{
    const peck_span format = tensors_note(t, own_keys[KEY_FORMAT]);

    kind->is_committee = is_a(format, COMMITTEE_FORMAT);
    kind->is_newer = !span_is(format, MODEL_FORMAT) && !span_is(format, COMMITTEE_FORMAT);
    if (kind->is_committee || is_a(format, MODEL_FORMAT))
        return !kind->is_newer
                   ? PECK_OK
                   : tensors_check_format(
                         t, kind->is_committee ? COMMITTEE_FORMAT_2 : MODEL_FORMAT_2, err);
    if (format.n > 0)
        return fail(err, PECK_FORMAT,
                    "%s: holds '%.*s', not a model; give a file that "
                    "`peck train` wrote",
                    t->name, SPAN_ARGS(format));
    return fail(err, PECK_FORMAT,
                "%s: a safetensors file, but not a model of peck; give a file that "
                "`peck train` wrote",
                t->name);
}

static peck_status check_checksum(const struct tensors *t, peck_error *err)
{
    const peck_span said = tensors_note(t, own_keys[KEY_CHECKSUM]);
    const struct json_node *key = json_first(t->metadata);
    char found[CHECKSUM_DIGITS + 1];
    uint64_t sum = 0;

    if (said.n == 0)
        return PECK_OK;
    for (uint32_t i = 0; i < t->metadata->n_inside; i++) {
        const struct json_node *const text = json_next(key);

        if (!span_is(key->text, own_keys[KEY_CHECKSUM])) {
            sum = mix_bytes(sum, key->text.s, key->text.n);
            sum = mix_bytes(sum, text->text.s, text->text.n);
        }
        key = json_next(text);
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct tensor *const at = &t->tensor[i];

        sum = mix_bytes(sum, at->name.s, at->name.n);
        sum = mix_bytes(sum, at->data, at->end - at->begin);
    }
    print_checksum(found, sum);
    return span_is(said, found)
               ? PECK_OK
               : fail(
                     err, PECK_FORMAT,
                     "%s: its checksum does not match; the file is damaged, write it again",
                     t->name);
}

/* A text that must be there. */
static peck_status get_text(peck_span *out, const struct tensors *t, int key,
                            peck_error *err)
{
    *out = tensors_note(t, own_keys[key]);
    return out->n > 0 ? PECK_OK
                      : fail(err, PECK_FORMAT, "%s: does not say its '%s%s'", t->name,
                             t->prefix, own_keys[key]);
}

static peck_status get_count(size_t *out, const struct tensors *t, int key, uint64_t most,
                             peck_error *err)
{
    peck_span text;
    uint64_t n = 0;

    TRY(get_text(&text, t, key, err));
    if (!number_parse_u64(text, &n) || n < 1 || n > most)
        return fail(err, PECK_FORMAT, "%s: '%s%s' is '%.*s', but should be from 1 to %llu",
                    t->name, t->prefix, own_keys[key], SPAN_ARGS(text),
                    (unsigned long long)most);
    *out = (size_t)n;
    return PECK_OK;
}

/* The settings of a file are its writer's, so what is wrong with them is the file's
 * fault and not the user's. */
static peck_status blame_file(const struct tensors *t, peck_status st,
                              const peck_error *inner, peck_error *err)
{
    return fail(err, st == PECK_NOMEM ? st : PECK_FORMAT, "%s: %s", t->name, inner->text);
}

static peck_status apply_settings(struct peck_model *m, peck_span text, peck_error *err)
{
    const struct plug *const plug = &m->family->plug;

    while (text.n > 0) {
        const char *const blank = memchr(text.s, ' ', text.n);
        const size_t n = blank != NULL ? (size_t)(blank - text.s) : text.n;

        TRY(param_set_pair(plug->params, m->shape, plug->about.name,
                           (peck_span){ text.s, n }, err));
        text.s += n + (blank != NULL);
        text.n -= n + (blank != NULL);
    }
    return PECK_OK;
}

static peck_status take_shape(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    peck_error inner;
    peck_span name, settings = tensors_note(t, own_keys[KEY_SHAPE]);

    TRY(get_text(&name, t, KEY_FAMILY, err));
    const struct plug *const plug = plug_find(families, n_families, "family", name, NULL);

    if (plug == NULL)
        return fail(err, PECK_FORMAT,
                    "%s: a model of the family '%.*s', which this program does not know; "
                    "use a newer peck",
                    t->name, SPAN_ARGS(name));
    m->family = (const struct family *)plug; /* the plug is its first member */
    if ((m->shape = mem_new(1, m->family->shape_size)) == NULL)
        return fail_memory(err, t->name, 1, m->family->shape_size);
    param_defaults(plug->params, m->shape);
    peck_status st = apply_settings(m, settings, &inner);

    if (st == PECK_OK)
        st = m->family->open(m->shape, norm_dim_out(m->norm), &inner);
    return st == PECK_OK ? PECK_OK : blame_file(t, st, &inner, err);
}

static peck_status take_norm(struct peck_model *m, const struct tensors *t, peck_error *err)
{
    char spec[PARAM_TEXT_MAX];
    peck_error inner;
    peck_span text;
    size_t dim = 0;

    TRY(get_count(&dim, t, KEY_FEATURES, FAMILY_MAX_INPUTS, err));
    TRY(get_text(&text, t, KEY_NORM, err));
    if (text.n >= sizeof spec || memchr(text.s, '\0', text.n) != NULL)
        return fail(err, PECK_FORMAT, "%s: '%.*s' is no normaliser", t->name,
                    SPAN_ARGS(text));
    memcpy(spec, text.s, text.n);
    spec[text.n] = '\0';
    const peck_status st = norm_read(&m->norm, spec, dim, t, &inner);

    if (st == PECK_FORMAT || st == PECK_NOMEM)
        return fail(err, st, "%s", inner.text);
    return st == PECK_OK ? PECK_OK : blame_file(t, st, &inner, err);
}

static peck_status take_weights(struct peck_model *m, const struct tensors *t,
                                peck_error *err)
{
    const size_t most = m->family->n_weights(m->shape);
    const struct tensor *from;
    peck_error inner;

    TRY(get_count(&m->n_members, t, KEY_MEMBERS, MOST_MEMBERS, err));
    TRY(tensors_get(
        &from, t, "weights", TENSOR_F32, 2,
        (uint64_t[]){ m->n_members, m->family->check != NULL ? TENSOR_ANY : most }, err));
    m->n_weights = (size_t)from->shape[1];
    if (m->n_weights > most)
        return fail(err, PECK_FORMAT, "%s: %zu weights, but its shape has room for %zu",
                    t->name, m->n_weights, most);
    const size_t n = m->n_members * m->n_weights;

    if ((m->w = mem_new(n, sizeof *m->w)) == NULL)
        return fail_memory(err, t->name, n, sizeof *m->w);
    memcpy(m->w, from->data, n * sizeof *m->w);
    const peck_status st = model_check_weights(m, &inner);

    return st == PECK_OK
               ? st
               : fail(err, st, "%s: %s; the file is damaged", t->name, inner.text);
}

/* Whether at[0..n] rise from 0 to exactly `bytes`. */
static bool are_offsets(const uint64_t *at, size_t n, uint64_t bytes)
{
    bool is_good = at[0] == 0 && at[n] == bytes;

    for (size_t i = 0; i < n; i++)
        is_good &= at[i] <= at[i + 1] && at[i + 1] - at[i] <= MAX_NAME;
    return is_good;
}

static peck_status take_names(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    struct strings *const names = &m->feature_name;
    const struct tensor *offsets, *bytes;
    const size_t n = peck_model_features(m);

    if (tensors_find(t, "feature_names") == NULL)
        return PECK_OK;
    TRY(tensors_get(&bytes, t, "feature_names", TENSOR_U8, 1, (uint64_t[]){ TENSOR_ANY },
                    err));
    TRY(tensors_get(&offsets, t, "feature_name_offsets", TENSOR_U64, 1,
                    (uint64_t[]){ n + 1 }, err));
    names->bytes = mem_new(bytes->shape[0], 1);
    names->at = mem_new(n + 1, sizeof *names->at);
    if (names->bytes == NULL || names->at == NULL)
        return fail_memory(err, t->name, n + 1, sizeof *names->at);
    memcpy(names->bytes, bytes->data, bytes->shape[0]);
    memcpy(names->at, offsets->data, (n + 1) * sizeof *names->at);
    if (!are_offsets(names->at, n, bytes->shape[0]))
        return fail(err, PECK_FORMAT,
                    "%s: feature_name_offsets do not rise to the end of feature_names; the "
                    "file is damaged",
                    t->name);
    names->n = n;
    for (size_t i = 0; i < n; i++)
        if (!span_is_one_line(strings_get(names, i)))
            return fail(
                err, PECK_FORMAT,
                "%s: the name of feature %zu holds a line break; the file is damaged",
                t->name, i + 1);
    return PECK_OK;
}

static peck_status add_note(struct peck_model *m, peck_span key, peck_span text,
                            peck_error *err)
{
    if (is_own_key(key) ||
        (strings_add(&m->notes.key, key) && strings_add(&m->notes.text, text)))
        return PECK_OK;
    return fail_memory(err, "the notes of a model", m->notes.key.n, 1);
}

/* Of a committee, not those of its models. */
static peck_status take_notes(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    const struct json_node *key = json_first(t->metadata);

    for (uint32_t i = 0; i < t->metadata->n_inside; i++) {
        const struct json_node *const text = json_next(key);

        if (m->n_parts == 0 || digits_of_part(key->text) == 0)
            TRY(add_note(m, key->text, text->text, err));
        key = json_next(text);
    }
    return PECK_OK;
}

/* Committees ------------------------------------------------------------------------ */

static peck_status take_single(struct peck_model *m, const struct tensors *t,
                               peck_error *err)
{
    TRY(take_norm(m, t, err));
    TRY(take_shape(m, t, err));
    return take_weights(m, t, err);
}

static peck_status take_part(struct peck_model **out, const struct tensors *t, size_t i,
                             bool has_names, peck_error *err)
{
    struct tensors own = *t; /* a view: nothing of it is freed */
    char prefix[PREFIX_ROOM];

    if ((*out = model_new()) == NULL)
        return fail_memory(err, t->name, 1, sizeof **out);
    print_prefix(prefix, i);
    own.prefix = prefix;
    TRY(take_single(*out, &own, err));
    return has_names ? take_names(*out, &own, err) : PECK_OK;
}

/* "3.method" is a note of model 3: one look at all keys, however many models there are. */
static peck_status take_part_notes(struct peck_model **part, size_t n,
                                   const struct tensors *t, peck_error *err)
{
    const struct json_node *key = json_first(t->metadata);

    for (uint32_t i = 0; i < t->metadata->n_inside; i++) {
        const struct json_node *const text = json_next(key);
        const peck_span name = key->text;
        const size_t digits = digits_of_part(name);
        uint64_t number = 0;

        if (digits > 0 && name.s[0] != '0' &&
            number_parse_u64((peck_span){ name.s, digits }, &number) && number <= n)
            TRY(add_note(part[number - 1],
                         (peck_span){ name.s + digits + 1, name.n - digits - 1 },
                         text->text, err));
        key = json_next(text);
    }
    return PECK_OK;
}

static peck_status fill_committee(struct peck_model *m, struct peck_model **part,
                                  double *share, size_t n, bool is_mixed,
                                  const struct tensors *t, peck_error *err)
{
    const struct tensor *from;
    peck_error inner;

    TRY(tensors_get(&from, t, "shares", TENSOR_F64, 1, (uint64_t[]){ n }, err));
    memcpy(share, from->data, n * sizeof *share);
    for (size_t i = 0; i < n; i++)
        TRY(take_part(&part[i], t, i, is_mixed, err));
    TRY(take_part_notes(part, n, t, err));
    const peck_status st =
        committee_fill(m, (const struct peck_model *const *)part, share, NULL, n, &inner);

    if (st != PECK_OK)
        return blame_file(t, st, &inner, err);
    for (size_t i = 0; i < n && !is_mixed; i++) /* the file holds them once */
        TRY(take_names(part[i], t, err));
    return PECK_OK;
}

static peck_status take_committee(struct peck_model *m, bool is_mixed,
                                  const struct tensors *t, peck_error *err)
{
    size_t n = 0;

    TRY(get_count(&n, t, KEY_MODELS, MOST_PARTS, err));
    struct peck_model **const part = mem_new(n, sizeof *part);
    double *const share = mem_new(n, sizeof *share);
    const peck_status st = part != NULL && share != NULL
                               ? fill_committee(m, part, share, n, is_mixed, t, err)
                               : fail_memory(err, t->name, n, sizeof *part);

    for (size_t i = 0; part != NULL && i < n; i++)
        peck_model_free(part[i]); /* the committee has its own hold on them */
    mem_free(part);
    mem_free(share);
    return st;
}

/* Scales ---------------------------------------------------------------------------- */

static peck_status take_scale(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    const size_t n = model_voices(m);
    const struct tensor *from;

    TRY(tensors_get(&from, t, "scales", TENSOR_F64, 2, (uint64_t[]){ n, 2 }, err));
    if ((m->scale = mem_new(n, sizeof *m->scale)) == NULL)
        return fail_memory(err, t->name, n, sizeof *m->scale);
    memcpy(m->scale, from->data, n * sizeof *m->scale);
    for (size_t i = 0; i < n; i++)
        if (!scale_fits(m->scale[i]))
            return fail(err, PECK_FORMAT,
                        "%s: row %zu of '%sscales' is no mean and deviation; the file is "
                        "damaged",
                        t->name, i + 1, t->prefix);
    return PECK_OK;
}

/* Those of a committee and of its models: whoever has any. */
static peck_status take_scales(struct peck_model *m, const struct tensors *t,
                               peck_error *err)
{
    struct tensors own = *t; /* a view: nothing of it is freed */
    char prefix[PREFIX_ROOM];

    if (m->n_parts == 0 || tensors_find(t, "scales") != NULL)
        TRY(take_scale(m, t, err));
    own.prefix = prefix;
    for (size_t i = 0; i < m->n_parts; i++) {
        print_prefix(prefix, i);
        if (tensors_find(&own, "scales") != NULL)
            TRY(take_scale(m->part[i], &own, err));
    }
    return PECK_OK;
}

static peck_status fill(struct peck_model *m, const struct tensors *t, peck_error *err)
{
    struct kind kind;

    TRY(check_kind(&kind, t, err));
    const bool is_mixed = kind.is_committee && kind.is_newer &&
                          tensors_find(t, "1.feature_name_offsets") != NULL;

    TRY(check_checksum(t, err));
    TRY(kind.is_committee ? take_committee(m, is_mixed, t, err) : take_single(m, t, err));
    if (kind.is_newer)
        TRY(take_scales(m, t, err));
    if (!is_mixed)
        TRY(take_names(m, t, err));
    return take_notes(m, t, err);
}

static peck_status read(struct peck_model *m, const struct input *in, peck_error *err)
{
    struct tensors t;

    TRY(tensors_open(&t, in, err));
    const peck_status st = fill(m, &t, err);

    tensors_close(&t);
    return st;
}

peck_status peck_model_load(peck_model **out, const char *path, peck_error *err)
{
    struct peck_model *const m = model_new();
    struct input in = { 0 };

    *out = NULL;
    if (m == NULL)
        return fail_memory(err, "a model", 1, sizeof *m);
    peck_status st = input_open(&in, path, err);

    if (st == PECK_OK)
        st = read(m, &in, err);
    input_close(&in);
    if (st == PECK_OK)
        *out = m;
    else
        peck_model_free(m);
    return st;
}
