/* model_file.c -- a model as a safetensors file.
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
 *                norm.<i>               as the normaliser wrote them
 *                feature_name_offsets   U64 [features + 1], where features have names
 *                feature_names          U8
 *
 * Neither threads nor paths nor times: the same training gives the same bytes.  Nothing
 * is taken from a file that its length does not cover, so a small file cannot ask for
 * much memory.  A file without a checksum passes, for those written by other programs. */
#include "model.h"

#include "../base/alloc.h"
#include "../base/number.h"

#include <math.h>

#define MODEL_FORMAT "peck model 1"
#define MODEL_WORDS "peck model "

enum {
    MAX_SHAPE_TEXT = 4096,
    MAX_NAME = 1 << 16, /* bytes of a feature's name */
    MAX_MEMBERS = 1 << 16,
    CHECKSUM_DIGITS = 16,
};

/* In the order in which they are written; what has another key is a note. */
static const char *const own_keys[] = { "format",   "family",  "shape",   "norm",
                                        "features", "members", "checksum" };
enum {
    KEY_FORMAT,
    KEY_FAMILY,
    KEY_SHAPE,
    KEY_NORM,
    KEY_FEATURES,
    KEY_MEMBERS,
    KEY_CHECKSUM
};
enum { N_OWN = sizeof own_keys / sizeof *own_keys };

static bool is_own(peck_span key)
{
    for (size_t i = 0; i < N_OWN; i++)
        if (span_is(key, own_keys[i]))
            return true;
    return false;
}

/* Checksum ------------------------------------------------------------------------- */

/* Eight bytes at a time; the length goes in too, so that zeros at an end count. */
static uint64_t mix_bytes(uint64_t sum, const void *bytes, size_t n)
{
    const char *p = bytes;

    sum = mix64(sum, n);
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;

        memcpy(&word, p, sizeof word);
        sum = mix64(sum, word);
    }
    uint64_t rest = 0;

    memcpy(&rest, p, n);
    return mix64(sum, rest);
}

static void print_checksum(char to[CHECKSUM_DIGITS + 1], uint64_t sum)
{
    snprintf(to, CHECKSUM_DIGITS + 1, "%016llx", (unsigned long long)sum);
}

/* Saving --------------------------------------------------------------------------- */

/* What the header says, while it is written. */
struct sheet {
    struct text shape;
    char features[24], members[24], checksum[CHECKSUM_DIGITS + 1];
    struct text texts; /* keys and texts of the notes, each ended by a zero byte */
    struct tensor_note *note;
    size_t n_notes;
    struct tensor_list list;
};

static void print_shape(const struct peck_model *m, struct text *to)
{
    text_add(to, "", 0);
    for (const struct param *row = m->family->plug.params; row->type != PARAM_END; row++) {
        text_printf(to, "%s%s=", to->len > 0 ? " " : "", row->key);
        param_print(row, m->shape, to);
    }
}

/* A text and a zero byte.  What JSON cannot hold (no UTF-8, or a zero inside) becomes
 * U+FFFD, so that what is read back is what the checksum was made of. */
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
    text_add(to, "", 1);
}

static peck_status gather_notes(struct sheet *s, const struct notes *from, peck_error *err)
{
    const size_t n = from->key.n;

    s->n_notes = N_OWN + n;
    if ((s->note = mem_new(s->n_notes, sizeof *s->note)) == NULL)
        return fail_memory(err, "the notes of a model", s->n_notes, sizeof *s->note);
    for (size_t i = 0; i < n; i++) {
        const peck_span key = strings_get(&from->key, i);

        if (is_own(key))
            return fail(err, PECK_ARG, "a note may not go by the name '%.*s'",
                        SPAN_ARGS(key));
        add_clean(&s->texts, key);
        add_clean(&s->texts, strings_get(&from->text, i));
    }
    if (s->texts.failed)
        return fail_memory(err, "the notes of a model", n, sizeof *s->note);
    const char *p = s->texts.s;

    for (size_t i = 0; i < n; i++) {
        struct tensor_note *const note = &s->note[N_OWN + i];

        note->key = p;
        note->text = p += strlen(p) + 1;
        p += strlen(p) + 1;
    }
    return PECK_OK;
}

static peck_status gather_tensors(struct sheet *s, const struct peck_model *m,
                                  peck_error *err)
{
    const struct strings *const names = &m->feature_name;
    bool fits = tensor_list_add(&s->list, "weights", TENSOR_F32, 2,
                                (uint64_t[]){ m->n_members, m->n_weights }, m->w);

    if (fits)
        TRY(norm_write(m->norm, &s->list, err));
    if (fits && names->n > 0)
        fits = tensor_list_add(&s->list, "feature_name_offsets", TENSOR_U64, 1,
                               (uint64_t[]){ names->n + 1 }, names->at) &&
               tensor_list_add(&s->list, "feature_names", TENSOR_U8, 1,
                               (uint64_t[]){ names->at[names->n] }, names->bytes);
    return fits ? PECK_OK : fail_memory(err, "the tensors of a model", s->list.n, 1);
}

static size_t bytes_of(const struct tensor *t)
{
    size_t n = tensor_type_size(t->type);

    for (size_t i = 0; i < t->n_dims; i++)
        n *= t->shape[i];
    return n;
}

static uint64_t sheet_checksum(const struct sheet *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n_notes; i++) {
        if (i == KEY_CHECKSUM)
            continue;
        sum = mix_bytes(sum, s->note[i].key, strlen(s->note[i].key));
        sum = mix_bytes(sum, s->note[i].text, strlen(s->note[i].text));
    }
    for (size_t i = 0; i < s->list.n; i++) {
        const peck_span name = strings_get(&s->list.name, i);

        sum = mix_bytes(sum, name.s, name.n);
        sum = mix_bytes(sum, s->list.data[i], bytes_of(&s->list.tensor[i]));
    }
    return sum;
}

static peck_status fill_sheet(struct sheet *s, const struct peck_model *m, peck_error *err)
{
    print_shape(m, &s->shape);
    if (s->shape.failed)
        return fail_memory(err, "the shape of a model", MAX_SHAPE_TEXT, 1);
    snprintf(s->features, sizeof s->features, "%zu", norm_dim_in(m->norm));
    snprintf(s->members, sizeof s->members, "%zu", m->n_members);
    TRY(gather_notes(s, &m->notes, err));
    TRY(gather_tensors(s, m, err));
    const char *const texts[N_OWN] = {
        [KEY_FORMAT] = MODEL_FORMAT,  [KEY_FAMILY] = m->family->plug.about.name,
        [KEY_SHAPE] = s->shape.s,     [KEY_NORM] = norm_spec(m->norm),
        [KEY_FEATURES] = s->features, [KEY_MEMBERS] = s->members,
        [KEY_CHECKSUM] = s->checksum
    };

    for (size_t i = 0; i < N_OWN; i++)
        s->note[i] = (struct tensor_note){ own_keys[i], texts[i] };
    print_checksum(s->checksum, sheet_checksum(s));
    return PECK_OK;
}

static peck_status write_sheet(struct sheet *s, const char *path, peck_error *err)
{
    struct output *o;

    TRY(output_open(&o, path, err));
    const peck_status st = tensor_list_write(&s->list, o, s->note, s->n_notes, err);

    if (st == PECK_OK)
        return output_commit(o, err);
    output_abort(o);
    return st;
}

peck_status peck_model_save(const peck_model *m, const char *path, peck_error *err)
{
    struct sheet s = { 0 };

    text_init(&s.shape, MAX_SHAPE_TEXT);
    text_init(&s.texts, TENSORS_MAX_HEADER);
    peck_status st = fill_sheet(&s, m, err);

    if (st == PECK_OK)
        st = write_sheet(&s, path, err);
    text_free(&s.shape);
    text_free(&s.texts);
    mem_free(s.note);
    tensor_list_free(&s.list);
    return st;
}

/* Loading -------------------------------------------------------------------------- */

static peck_status check_kind(const struct tensors *t, peck_error *err)
{
    const peck_span format = tensors_note(t, own_keys[KEY_FORMAT]);
    const size_t words = strlen(MODEL_WORDS);

    if (format.n >= words && memcmp(format.s, MODEL_WORDS, words) == 0)
        return tensors_check_format(t, MODEL_FORMAT, err);
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
                      : fail(err, PECK_FORMAT, "%s: does not say its '%s'", t->name,
                             own_keys[key]);
}

static peck_status get_count(size_t *out, const struct tensors *t, int key, uint64_t most,
                             peck_error *err)
{
    peck_span text;
    uint64_t n = 0;

    TRY(get_text(&text, t, key, err));
    if (!number_parse_u64(text, &n) || n < 1 || n > most)
        return fail(err, PECK_FORMAT, "%s: '%s' is '%.*s', but should be from 1 to %llu",
                    t->name, own_keys[key], SPAN_ARGS(text), (unsigned long long)most);
    *out = (size_t)n;
    return PECK_OK;
}

/* The settings of a file are its writer's, so what is wrong with them is the file's
 * fault and not the user's. */
static peck_status blame_file(const struct tensors *t, peck_status st,
                              const peck_error *inner, peck_error *err)
{
    return fail(err, st == PECK_ARG ? PECK_FORMAT : st, "%s: %s", t->name, inner->text);
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

/* What a family asks of its weights, of every member. */
static peck_status check_members(const struct peck_model *m, const struct tensors *t,
                                 peck_error *err)
{
    peck_error inner;

    for (size_t i = 0; m->family->check != NULL && i < m->n_members; i++)
        if (m->family->check(m->shape, m->w + i * m->n_weights, m->n_weights, &inner) !=
            PECK_OK)
            return fail(err, PECK_FORMAT, "%s: member %zu: %s; the file is damaged",
                        t->name, i + 1, inner.text);
    return PECK_OK;
}

static peck_status take_weights(struct peck_model *m, const struct tensors *t,
                                peck_error *err)
{
    const size_t most = m->family->n_weights(m->shape);
    const struct tensor *from;

    TRY(get_count(&m->n_members, t, KEY_MEMBERS, MAX_MEMBERS, err));
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
    for (size_t i = 0; i < n; i++)
        if (!isfinite(m->w[i]))
            return fail(err, PECK_FORMAT, "%s: weight %zu is %s; the file is damaged",
                        t->name, i, isnan(m->w[i]) ? "not a number" : "infinite");
    return check_members(m, t, err);
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
    const size_t n = norm_dim_in(m->norm);

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
    return PECK_OK;
}

static peck_status take_notes(struct peck_model *m, const struct tensors *t,
                              peck_error *err)
{
    const struct json_node *key = json_first(t->metadata);

    for (uint32_t i = 0; i < t->metadata->n_inside; i++) {
        const struct json_node *const text = json_next(key);

        if (!is_own(key->text) && !(strings_add(&m->notes.key, key->text) &&
                                    strings_add(&m->notes.text, text->text)))
            return fail_memory(err, "the notes of a model", m->notes.key.n, 1);
        key = json_next(text);
    }
    return PECK_OK;
}

static peck_status fill(struct peck_model *m, const struct tensors *t, peck_error *err)
{
    TRY(check_kind(t, err));
    TRY(check_checksum(t, err));
    TRY(take_norm(m, t, err));
    TRY(take_shape(m, t, err));
    TRY(take_weights(m, t, err));
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
