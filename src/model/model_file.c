/* model_file.c -- a model to a file and back.
 *
 * A model is a safetensors file:
 *
 *     metadata   format      "peck model 1": the number rises when old readers would fail
 *                family      "mlp"
 *                shape       its settings: "hidden=64-32 activation=tanh ..."
 *                norm        "quantile+query-zscore"
 *                features    how many go in
 *                members     nets of the ensemble
 *                checksum    of all other metadata, names and data, 16 hexadecimal digits
 *                the rest    the model's notes: method, settings, seed, ...
 *     tensors    weights                F32 [members, weights of one]
 *                scales                 F64 [members, 2]: mean and deviation, where the
 *                                       members are not standardised over the query;
 *                                       the format is then "peck model 2"
 *                norm.<i>               as the normaliser wrote them
 *                feature_name_offsets   U64 [features + 1], where features have names
 *                feature_names          U8
 *
 * and so is a committee, whose models follow each other, every key and every name of model
 * i, from 1, behind "i.":
 *
 *     metadata   format      "peck committee 1"; 2, where there are scales or models
 *                            that differ in their features
 *                models      how many
 *                checksum    as above
 *                the rest    the committee's notes
 *                1.family    ... and all that a model says but its format and checksum
 *     tensors    shares                 F64 [models], above 0, 1 in all
 *                scales                 F64 [models, 2]: as above
 *                feature_name_offsets   as above; models have none of their own, unless they
 *                feature_names          look at other features: then the committee has none
 *                1.weights   ...
 *
 * Neither threads nor paths nor times: the same training gives the same bytes.  Nothing
 * is taken from a file that its length does not cover, so a small file cannot ask for
 * much memory.  A file without a checksum passes, for those written by other programs. */
#include "model.h"

#include "../base/alloc.h"
#include "../base/number.h"

#define MODEL_FORMAT "peck model 1"
#define COMMITTEE_FORMAT "peck committee 1"
/* With scales, or models of a committee that look at other features: what readers of the
 * formats above would pass over. */
#define MODEL_FORMAT_2 "peck model 2"
#define COMMITTEE_FORMAT_2 "peck committee 2"

enum {
    CHECKSUM_DIGITS = 16,
    PREFIX_ROOM = 24,
    MAX_SHAPE_TEXT = 4096,
    MAX_NAME = 1 << 16, /* bytes of a feature's name */
};

/* Keys that are no notes. */
enum own_key {
    KEY_FORMAT,
    KEY_FAMILY,
    KEY_SHAPE,
    KEY_NORM,
    KEY_FEATURES,
    KEY_MEMBERS,
    KEY_MODELS,
    KEY_CHECKSUM,
    N_OWN_KEYS
};
static const char *const own_keys[N_OWN_KEYS] = {
    [KEY_FORMAT] = "format", [KEY_FAMILY] = "family",     [KEY_SHAPE] = "shape",
    [KEY_NORM] = "norm",     [KEY_FEATURES] = "features", [KEY_MEMBERS] = "members",
    [KEY_MODELS] = "models", [KEY_CHECKSUM] = "checksum",
};

static bool is_own_key(peck_span key)
{
    for (size_t i = 0; i < N_OWN_KEYS; i++)
        if (span_is(key, own_keys[i]))
            return true;
    return false;
}

/* "3.": what stands before the keys and names of model i, counted from 0. */
static void print_prefix(char to[PREFIX_ROOM], size_t i)
{
    snprintf(to, PREFIX_ROOM, "%zu.", i + 1);
}

/* How many digits stand before the point of a committee's key that belongs to one of its
 * models; 0: it belongs to the committee. */
static size_t digits_of_part(peck_span key)
{
    size_t n = 0;

    while (n < key.n && is_digit(key.s[n]))
        n++;
    return n < key.n && key.s[n] == '.' ? n : 0;
}

/* The checksum with these bytes added, eight at a time; the length goes in too, so that
 * zeros at an end count. */
static uint64_t mix_bytes(uint64_t sum, const void *bytes, size_t n)
{
    const char *p = bytes;
    uint64_t word;

    sum = mix64(sum, n);
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, sizeof word);
        sum = mix64(sum, word);
    }
    word = 0;
    memcpy(&word, p, n);
    return mix64(sum, word);
}

static void print_checksum(char to[CHECKSUM_DIGITS + 1], uint64_t sum)
{
    snprintf(to, CHECKSUM_DIGITS + 1, "%016llx", (unsigned long long)sum);
}

/* Saving ---------------------------------------------------------------------------- */

/* A file while it is put together. */
struct model_draft {
    char prefix[PREFIX_ROOM]; /* of the model that is put down now; "": none */
    struct text texts;        /* key, text, key, ...: each ended by a zero byte */
    size_t n_notes;
    size_t checksum_at; /* where its digits stand in texts */
    struct tensor_list list;
    struct tensor_note *note; /* n_notes, over texts */
};

/* What JSON cannot hold (no UTF-8, or a zero inside) becomes U+FFFD, so that what is read
 * back is what the checksum was made of. */
static void add_clean(struct text *to, peck_span s)
{
    while (s.n > 0) {
        const size_t n = *s.s != '\0' ? utf8_length(s.s, s.n) : 0;

        if (n > 0)
            text_add(to, s.s, n);
        else
            text_add_str(to, "\xEF\xBF\xBD");
        s.s += n > 0 ? n : 1;
        s.n -= n > 0 ? n : 1;
    }
}

static void put_note(struct model_draft *s, peck_span key, peck_span text)
{
    text_add_str(&s->texts, s->prefix);
    add_clean(&s->texts, key);
    text_add(&s->texts, "", 1);
    add_clean(&s->texts, text);
    text_add(&s->texts, "", 1);
    s->n_notes++;
}

static void put_own(struct model_draft *s, enum own_key key, const char *text)
{
    put_note(s, span_of(own_keys[key]), span_of(text));
}

static void put_count(struct model_draft *s, enum own_key key, size_t n)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%zu", n);
    put_own(s, key, digits);
}

static peck_status put_single(struct model_draft *s, const struct peck_model *m,
                              peck_error *err)
{
    struct text shape;

    put_own(s, KEY_FAMILY, m->family->plug.about.name);
    text_init(&shape, MAX_SHAPE_TEXT);
    text_add(&shape, "", 0);
    params_print(m->family->plug.params, m->shape, &shape);
    const bool has_failed = shape.failed;

    if (!has_failed)
        put_own(s, KEY_SHAPE, shape.s);
    text_free(&shape);
    if (has_failed)
        return fail_memory(err, "the shape of a model", MAX_SHAPE_TEXT, 1);
    put_own(s, KEY_NORM, m->norm->spec);
    put_count(s, KEY_FEATURES, peck_model_features(m));
    put_count(s, KEY_MEMBERS, m->n_members);
    return PECK_OK;
}

static peck_status put_notes(struct model_draft *s, const struct peck_model *m,
                             peck_error *err)
{
    const struct notes *const from = &m->notes;

    for (size_t i = 0; i < from->key.n; i++) {
        const peck_span key = strings_get(&from->key, i);

        if (is_own_key(key) || (m->n_parts > 0 && digits_of_part(key) > 0))
            return fail(err, PECK_ARG, "a note may not go by the name '%.*s'",
                        SPAN_ARGS(key));
        put_note(s, key, strings_get(&from->text, i));
    }
    return PECK_OK;
}

static peck_status put_tensor(struct model_draft *s, const char *name,
                              enum tensor_type type, size_t n_dims, const uint64_t *shape,
                              const void *data, peck_error *err)
{
    return tensor_list_add(&s->list, name, type, n_dims, shape, data)
               ? PECK_OK
               : fail_memory(err, "the tensors of a model", s->list.n, 1);
}

static peck_status put_scales(struct model_draft *s, const struct peck_model *m,
                              peck_error *err)
{
    return m->scale == NULL ? PECK_OK
                            : put_tensor(s, "scales", TENSOR_F64, 2,
                                         (uint64_t[]){ model_voices(m), 2 }, m->scale, err);
}

static peck_status put_weights(struct model_draft *s, const struct peck_model *m,
                               peck_error *err)
{
    TRY(put_tensor(s, "weights", TENSOR_F32, 2, (uint64_t[]){ m->n_members, m->n_weights },
                   m->w, err));
    TRY(put_scales(s, m, err));
    return norm_write(m->norm, &s->list, err);
}

static peck_status put_feature_names(struct model_draft *s, const struct strings *names,
                                     peck_error *err)
{
    if (names->n == 0)
        return PECK_OK;
    TRY(put_tensor(s, "feature_name_offsets", TENSOR_U64, 1, (uint64_t[]){ names->n + 1 },
                   names->at, err));
    return put_tensor(s, "feature_names", TENSOR_U8, 1, (uint64_t[]){ names->at[names->n] },
                      names->bytes, err);
}

static peck_status put_model(struct model_draft *s, const struct peck_model *m,
                             peck_error *err)
{
    const bool is_committee = m->n_parts > 0;
    char digits[CHECKSUM_DIGITS + 1];
    bool is_newer = m->scale != NULL || m->column != NULL;

    for (size_t i = 0; i < m->n_parts; i++)
        is_newer |= m->part[i]->scale != NULL;
    put_own(s, KEY_FORMAT,
            is_committee ? (is_newer ? COMMITTEE_FORMAT_2 : COMMITTEE_FORMAT)
                         : (is_newer ? MODEL_FORMAT_2 : MODEL_FORMAT));
    if (is_committee)
        put_count(s, KEY_MODELS, m->n_parts);
    else
        TRY(put_single(s, m, err));
    print_checksum(digits, 0); /* the true ones follow when all the rest is there */
    put_own(s, KEY_CHECKSUM, digits);
    s->checksum_at = s->texts.len - sizeof digits;
    TRY(put_notes(s, m, err));
    if (is_committee) {
        TRY(put_tensor(s, "shares", TENSOR_F64, 1, (uint64_t[]){ m->n_parts }, m->share,
                       err));
        TRY(put_scales(s, m, err));
    } else
        TRY(put_weights(s, m, err));
    if (m->column == NULL)
        TRY(put_feature_names(s, &m->feature_name, err));
    for (size_t i = 0; i < m->n_parts; i++) {
        print_prefix(s->prefix, i);
        s->list.prefix = s->prefix;
        TRY(put_single(s, m->part[i], err));
        TRY(put_notes(s, m->part[i], err));
        TRY(put_weights(s, m->part[i], err));
        if (m->column != NULL)
            TRY(put_feature_names(s, &m->part[i]->feature_name, err));
    }
    return PECK_OK;
}

/* Finds the notes in the texts and puts the checksum of all into its place. */
static peck_status seal_draft(struct model_draft *s, peck_error *err)
{
    const char *p = s->texts.s;
    uint64_t sum = 0;

    s->note = mem_new(s->n_notes, sizeof *s->note);
    if (s->texts.failed || s->note == NULL)
        return fail_memory(err, "the notes of a model", s->n_notes, sizeof *s->note);
    for (size_t i = 0; i < s->n_notes; i++) {
        struct tensor_note *const note = &s->note[i];

        note->key = p;
        note->text = p += strlen(p) + 1;
        p += strlen(p) + 1;
        if (note->text != s->texts.s + s->checksum_at) {
            sum = mix_bytes(sum, note->key, strlen(note->key));
            sum = mix_bytes(sum, note->text, strlen(note->text));
        }
    }
    for (size_t i = 0; i < s->list.n; i++) {
        const struct tensor *const t = &s->list.tensor[i];
        const peck_span name = strings_get(&s->list.name, i);
        size_t bytes = tensor_type_size(t->type);

        for (size_t k = 0; k < t->n_dims; k++)
            bytes *= t->shape[k];
        sum = mix_bytes(sum, name.s, name.n);
        sum = mix_bytes(sum, s->list.data[i], bytes);
    }
    print_checksum(s->texts.s + s->checksum_at, sum);
    return PECK_OK;
}

/* To a file, or where there is no path, to memory. */
static peck_status save_model(const struct peck_model *m, const char *path,
                              peck_bytes *bytes, peck_error *err)
{
    struct model_draft s = { 0 };
    struct output *o = NULL;
    peck_error inner;

    if (model_check(m, &inner) != PECK_OK)
        return fail(err, PECK_DIVERGED, "%s: not written: %s",
                    path != NULL ? path : "memory", inner.text);
    text_init(&s.texts, TENSORS_MAX_HEADER);
    peck_status st = put_model(&s, m, err);

    if (st == PECK_OK)
        st = seal_draft(&s, err);
    if (st == PECK_OK)
        st = path != NULL ? output_open(&o, path, err) : output_to_memory(&o, bytes, err);
    if (st == PECK_OK)
        st = tensor_list_write(&s.list, o, s.note, s.n_notes, err);
    if (st == PECK_OK)
        st = output_commit(o, err);
    else if (o != NULL)
        output_abort(o);
    text_free(&s.texts);
    mem_free(s.note);
    tensor_list_free(&s.list);
    return st;
}

peck_status peck_model_save(const peck_model *m, const char *path, peck_error *err)
{
    return save_model(m, path, NULL, err);
}

peck_status peck_model_pack(peck_bytes *out, const peck_model *m, peck_error *err)
{
    *out = (peck_bytes){ 0 };
    return save_model(m, NULL, out, err);
}

/* Loading --------------------------------------------------------------------------- */

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

/* A model of its own: normaliser, shape and weights. */
static peck_status read_single(struct peck_model *m, const struct tensors *t,
                               peck_error *err)
{
    char spec[PARAM_TEXT_MAX];
    const struct tensor *from;
    peck_error inner;
    peck_span text;
    size_t dim = 0;

    TRY(get_count(&dim, t, KEY_FEATURES, FAMILY_MAX_INPUTS, err));
    TRY(get_text(&text, t, KEY_NORM, err));
    if (text.n >= sizeof spec || memchr(text.s, '\0', text.n) != NULL)
        return fail(err, PECK_FORMAT, "%s: '%.*s' is not a normaliser", t->name,
                    SPAN_ARGS(text));
    memcpy(spec, text.s, text.n);
    spec[text.n] = '\0';
    peck_status st = norm_read(&m->norm, spec, dim, t, &inner);

    if (st == PECK_FORMAT || st == PECK_NOMEM)
        return fail(err, st, "%s", inner.text);
    if (st != PECK_OK)
        return blame_file(t, st, &inner, err);

    TRY(get_text(&text, t, KEY_FAMILY, err));
    const struct plug *const plug = plug_find(families, n_families, "family", text, NULL);

    if (plug == NULL)
        return fail(err, PECK_FORMAT,
                    "%s: a model of the family '%.*s', which this program does not know; "
                    "use a newer peck",
                    t->name, SPAN_ARGS(text));
    m->family = (const struct family *)plug; /* the plug is its first member */
    if ((m->shape = mem_new(1, m->family->shape_size)) == NULL)
        return fail_memory(err, t->name, 1, m->family->shape_size);
    param_defaults(plug->params, m->shape);
    text = tensors_note(t, own_keys[KEY_SHAPE]);
    while (text.n > 0 && st == PECK_OK) {
        const char *const blank = memchr(text.s, ' ', text.n);
        const size_t n = blank != NULL ? (size_t)(blank - text.s) : text.n;

        st = param_set_pair(plug->params, m->shape, plug->about.name,
                            (peck_span){ text.s, n }, &inner);
        text.s += n + (blank != NULL);
        text.n -= n + (blank != NULL);
    }
    if (st == PECK_OK)
        st = m->family->open(m->shape, m->norm->dim_out, &inner);
    if (st != PECK_OK)
        return blame_file(t, st, &inner, err);

    const size_t most = m->family->n_weights(m->shape);

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
    st = model_check_weights(m, &inner);
    return st == PECK_OK
               ? st
               : fail(err, st, "%s: %s; the file is damaged", t->name, inner.text);
}

/* Features have names, or not. */
static peck_status read_feature_names(struct peck_model *m, const struct tensors *t,
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
    bool are_offsets = names->at[0] == 0 && names->at[n] == bytes->shape[0];

    for (size_t i = 0; i < n; i++)
        are_offsets &=
            names->at[i] <= names->at[i + 1] && names->at[i + 1] - names->at[i] <= MAX_NAME;
    if (!are_offsets)
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

/* has_own_names: each model has names of its own; else the file holds them once. */
static peck_status read_committee(struct peck_model *m, const struct tensors *t,
                                  bool has_own_names, peck_error *err)
{
    struct tensors own = *t; /* a view: nothing of it is freed */
    char prefix[PREFIX_ROOM];
    const struct tensor *from;
    peck_error inner;
    size_t n = 0;

    TRY(get_count(&n, t, KEY_MODELS, MOST_PARTS, err));
    m->part = mem_new(n, sizeof *m->part);
    m->share = mem_new(n, sizeof *m->share);
    if (m->part == NULL || m->share == NULL)
        return fail_memory(err, t->name, n, sizeof *m->part);
    TRY(tensors_get(&from, t, "shares", TENSOR_F64, 1, (uint64_t[]){ n }, err));
    memcpy(m->share, from->data, n * sizeof *m->share);
    m->n_parts = n;
    own.prefix = prefix;
    for (size_t i = 0; i < n; i++) {
        struct peck_model *const part = m->part[i] = model_new();

        if (part == NULL)
            return fail_memory(err, t->name, 1, sizeof *part);
        print_prefix(prefix, i);
        TRY(read_single(part, &own, err));
        if (has_own_names)
            TRY(read_feature_names(part, &own, err));
    }
    const peck_status st = committee_settle(m, NULL, &inner);

    if (st != PECK_OK)
        return blame_file(t, st, &inner, err);
    for (size_t i = 0; i < n && !has_own_names; i++)
        TRY(read_feature_names(m->part[i], t, err));
    return PECK_OK;
}

static peck_status read_scale(struct peck_model *m, const struct tensors *t,
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

/* "3.method" is a note of model 3 of a committee. */
static peck_status read_notes(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    const struct json_node *key = json_first(t->metadata);

    for (uint32_t i = 0; i < t->metadata->n_inside; i++) {
        const struct json_node *const text = json_next(key);
        peck_span name = key->text;
        const size_t digits = m->n_parts > 0 ? digits_of_part(name) : 0;
        struct peck_model *of = m;
        uint64_t number = 0;

        if (digits > 0) {
            of = name.s[0] != '0' &&
                         number_parse_u64((peck_span){ name.s, digits }, &number) &&
                         number <= m->n_parts
                     ? m->part[number - 1]
                     : NULL;
            name = (peck_span){ name.s + digits + 1, name.n - digits - 1 };
        }
        if (of != NULL && !is_own_key(name) &&
            !(strings_add(&of->notes.key, name) &&
              strings_add(&of->notes.text, text->text)))
            return fail_memory(err, "the notes of a model", of->notes.key.n, 1);
        key = json_next(text);
    }
    return PECK_OK;
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

/* Whether the file says this format, perhaps with another number. */
static bool is_a(peck_span format, const char *known)
{
    const size_t words = strlen(known) - 1;

    return format.n >= words && memcmp(format.s, known, words) == 0;
}

static peck_status model_read(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    const peck_span format = tensors_note(t, own_keys[KEY_FORMAT]);
    const bool is_committee = is_a(format, COMMITTEE_FORMAT);
    const bool is_newer = /* of format 2 */
        !span_is(format, MODEL_FORMAT) && !span_is(format, COMMITTEE_FORMAT);
    struct tensors own = *t; /* a view: nothing of it is freed */
    char prefix[PREFIX_ROOM];

    if (!is_committee && !is_a(format, MODEL_FORMAT) && format.n > 0)
        return fail(err, PECK_FORMAT,
                    "%s: holds '%.*s', not a model; give a file that "
                    "`peck train` wrote",
                    t->name, SPAN_ARGS(format));
    if (format.n == 0)
        return fail(err, PECK_FORMAT,
                    "%s: a safetensors file, but not a model of peck; give a file that "
                    "`peck train` wrote",
                    t->name);
    if (is_newer)
        TRY(tensors_check_format(t, is_committee ? COMMITTEE_FORMAT_2 : MODEL_FORMAT_2,
                                 err));
    TRY(check_checksum(t, err));
    const bool has_own_names =
        is_committee && is_newer && tensors_find(t, "1.feature_name_offsets") != NULL;

    TRY(is_committee ? read_committee(m, t, has_own_names, err) : read_single(m, t, err));
    if (is_newer && (!is_committee || tensors_find(t, "scales") != NULL))
        TRY(read_scale(m, t, err));
    own.prefix = prefix;
    for (size_t i = 0; is_newer && i < m->n_parts; i++) {
        print_prefix(prefix, i);
        if (tensors_find(&own, "scales") != NULL)
            TRY(read_scale(m->part[i], &own, err));
    }
    if (!has_own_names)
        TRY(read_feature_names(m, t, err));
    return read_notes(m, t, err);
}

/* What lies in `in`, which is closed. */
static peck_status load_model(struct peck_model **out, struct input *in, peck_error *err)
{
    struct peck_model *const m = model_new();
    struct tensors t = { 0 };
    peck_status st =
        m != NULL ? tensors_open(&t, in, err) : fail_memory(err, "a model", 1, sizeof *m);

    if (st == PECK_OK)
        st = model_read(m, &t, err);
    tensors_close(&t);
    input_close(in);
    if (st == PECK_OK)
        *out = m;
    else
        peck_model_free(m);
    return st;
}

peck_status peck_model_load(peck_model **out, const char *path, peck_error *err)
{
    struct input in;

    *out = NULL;
    TRY(input_open(&in, path, err));
    return load_model(out, &in, err);
}

peck_status peck_model_unpack(peck_model **out, const void *bytes, size_t n,
                              peck_error *err)
{
    struct input in;

    *out = NULL;
    TRY(input_of_memory(&in, bytes, n, "the model in memory", err));
    return load_model(out, &in, err);
}
