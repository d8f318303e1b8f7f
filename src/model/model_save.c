/* model_save.c -- a model to a file: see model_file.h. */
#include "model_file.h"

#include "../base/alloc.h"

enum { MAX_SHAPE_TEXT = 4096 };

/* A file while it is put together. */
struct model_draft {
    char prefix[PREFIX_ROOM]; /* of the model that is put down now; "": none */
    struct text texts;        /* key, text, key, ...: each ended by a zero byte */
    size_t n_notes;
    size_t checksum_at; /* where its digits stand in texts */
    struct tensor_list list;
    struct tensor_note *note; /* n_notes, over texts */
};

/* Metadata -------------------------------------------------------------------------- */

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

static void put(struct model_draft *s, peck_span key, peck_span text)
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
    put(s, span_of(own_keys[key]), span_of(text));
}

static void put_count(struct model_draft *s, enum own_key key, size_t n)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%zu", n);
    put_own(s, key, digits);
}

/* Its digits follow when all the rest is there. */
static void put_checksum(struct model_draft *s)
{
    char digits[CHECKSUM_DIGITS + 1];

    print_checksum(digits, 0);
    put_own(s, KEY_CHECKSUM, digits);
    s->checksum_at = s->texts.len - sizeof digits;
}

static peck_status put_shape(struct model_draft *s, const struct peck_model *m,
                             peck_error *err)
{
    struct text shape;

    text_init(&shape, MAX_SHAPE_TEXT);
    text_add(&shape, "", 0);
    for (const struct param *row = m->family->plug.params; row->type != PARAM_END; row++) {
        text_printf(&shape, "%s%s=", shape.len > 0 ? " " : "", row->key);
        param_print(row, m->shape, &shape);
    }
    const bool has_failed = shape.failed;

    if (!has_failed)
        put_own(s, KEY_SHAPE, shape.s);
    text_free(&shape);
    return has_failed ? fail_memory(err, "the shape of a model", MAX_SHAPE_TEXT, 1)
                      : PECK_OK;
}

static peck_status put_single(struct model_draft *s, const struct peck_model *m,
                              peck_error *err)
{
    put_own(s, KEY_FAMILY, m->family->plug.about.name);
    TRY(put_shape(s, m, err));
    put_own(s, KEY_NORM, norm_spec(m->norm));
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
        put(s, key, strings_get(&from->text, i));
    }
    return PECK_OK;
}

/* Tensors --------------------------------------------------------------------------- */

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

static peck_status put_names(struct model_draft *s, const struct strings *names,
                             peck_error *err)
{
    if (names->n == 0)
        return PECK_OK;
    TRY(put_tensor(s, "feature_name_offsets", TENSOR_U64, 1, (uint64_t[]){ names->n + 1 },
                   names->at, err));
    return put_tensor(s, "feature_names", TENSOR_U8, 1, (uint64_t[]){ names->at[names->n] },
                      names->bytes, err);
}

/* The whole ------------------------------------------------------------------------- */

static peck_status put_parts(struct model_draft *s, const struct peck_model *m,
                             peck_error *err)
{
    for (size_t i = 0; i < m->n_parts; i++) {
        print_prefix(s->prefix, i);
        s->list.prefix = s->prefix;
        TRY(put_single(s, m->part[i], err));
        TRY(put_notes(s, m->part[i], err));
        TRY(put_weights(s, m->part[i], err));
        if (m->column != NULL)
            TRY(put_names(s, &m->part[i]->feature_name, err));
    }
    return PECK_OK;
}

static const char *format_of(const struct peck_model *m)
{
    bool is_newer = m->scale != NULL || m->column != NULL;

    for (size_t i = 0; i < m->n_parts; i++)
        is_newer |= m->part[i]->scale != NULL;
    if (m->n_parts > 0)
        return is_newer ? COMMITTEE_FORMAT_2 : COMMITTEE_FORMAT;
    return is_newer ? MODEL_FORMAT_2 : MODEL_FORMAT;
}

static peck_status put_model(struct model_draft *s, const struct peck_model *m,
                             peck_error *err)
{
    const bool is_committee = m->n_parts > 0;

    put_own(s, KEY_FORMAT, format_of(m));
    if (is_committee)
        put_count(s, KEY_MODELS, m->n_parts);
    else
        TRY(put_single(s, m, err));
    put_checksum(s);
    TRY(put_notes(s, m, err));
    if (is_committee) {
        TRY(put_tensor(s, "shares", TENSOR_F64, 1, (uint64_t[]){ m->n_parts }, m->share,
                       err));
        TRY(put_scales(s, m, err));
    } else
        TRY(put_weights(s, m, err));
    if (m->column == NULL)
        TRY(put_names(s, &m->feature_name, err));
    return put_parts(s, m, err);
}

static size_t bytes_of(const struct tensor *t)
{
    size_t n = tensor_type_size(t->type);

    for (size_t i = 0; i < t->n_dims; i++)
        n *= t->shape[i];
    return n;
}

static uint64_t draft_checksum(const struct model_draft *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n_notes; i++) {
        if (s->note[i].text == s->texts.s + s->checksum_at)
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

static peck_status fill_draft(struct model_draft *s, const struct peck_model *m,
                              peck_error *err)
{
    TRY(put_model(s, m, err));
    s->note = mem_new(s->n_notes, sizeof *s->note);
    if (s->texts.failed || s->note == NULL)
        return fail_memory(err, "the notes of a model", s->n_notes, sizeof *s->note);
    const char *p = s->texts.s;

    for (size_t i = 0; i < s->n_notes; i++) {
        s->note[i].key = p;
        s->note[i].text = p += strlen(p) + 1;
        p += strlen(p) + 1;
    }
    print_checksum(s->texts.s + s->checksum_at, draft_checksum(s));
    return PECK_OK;
}

static peck_status write_draft(struct model_draft *s, const char *path, peck_error *err)
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
    struct model_draft s = { 0 };
    peck_error inner;

    if (model_check(m, &inner) != PECK_OK)
        return fail(err, PECK_DIVERGED, "%s: not written: %s", path, inner.text);
    text_init(&s.texts, TENSORS_MAX_HEADER);
    peck_status st = fill_draft(&s, m, err);

    if (st == PECK_OK)
        st = write_draft(&s, path, err);
    text_free(&s.texts);
    mem_free(s.note);
    tensor_list_free(&s.list);
    return st;
}
