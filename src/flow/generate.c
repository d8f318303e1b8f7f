/* generate.c -- peck_generate: the corridor from a kind's name to a file.
 *
 *     name -> generator -> one query at a time -> writer
 *
 * A preference list is no dataset, so its lines are written here.                  */
#include "../base/output.h"
#include "../base/spec.h"
#include "../data/writer.h"
#include "../synth/synth.h"

/* Queries get numbers from 1 on as their ids. */
enum { ID_MAX = 24 };

static peck_status tell_progress(const peck_generate_spec *spec, size_t done, size_t n,
                                 peck_error *err)
{
    if (spec->progress != NULL && spec->progress(spec->ctx, (double)done / (double)n) != 0)
        return fail(err, PECK_STOPPED, "%s: stopped; nothing was written", spec->path);
    return PECK_OK;
}

/* ids: of the documents, in place of those of the query before. */
static peck_status write_query(struct writer *w, const struct generator *g,
                               const struct synth_sample *made, size_t dim, size_t q,
                               struct strings *ids, peck_error *err)
{
    char id[ID_MAX], name[SYNTH_NAME];

    ids->n = 0; /* keeps its room */
    for (size_t i = 0; g->name_doc != NULL && i < made->n; i++) {
        g->name_doc(q, i, name);
        if (!strings_add(ids, span_of(name)))
            return fail_memory(err, "document ids", made->n, SYNTH_NAME);
    }
    snprintf(id, sizeof id, "%zu", q + 1);
    return writer_block(w,
                        &(struct query_block){ .query = span_of(id),
                                               .docs = { made->x, made->n, dim, dim },
                                               .label = made->label,
                                               .doc_id = g->name_doc != NULL ? ids : NULL,
                                               .query_weight = 1.0f },
                        err);
}

/* One query at a time, so that data may be larger than memory. */
static peck_status write_queries(struct synth *s, const struct generator *g,
                                 const peck_generate_spec *spec, peck_error *err)
{
    const struct shape *const shape = synth_shape(s);
    struct strings features = { 0 }, ids = { 0 };
    struct writer *w = NULL;
    const struct layout layout = { .dim = shape->dim,
                                   .feature_name = &features,
                                   .has_doc_ids = g->name_doc != NULL };
    peck_status st = synth_feature_names(s, &features, err);

    if (st == PECK_OK)
        st = writer_open(&w, spec->path, spec->format, &layout, err);
    for (size_t q = 0; st == PECK_OK && q < shape->n_queries; q++) {
        st = write_query(w, g, synth_make(s, q), shape->dim, q, &ids, err);
        if (st == PECK_OK)
            st = tell_progress(spec, q + 1, shape->n_queries, err);
    }
    if (st == PECK_OK)
        st = writer_commit(w, err);
    else
        writer_abort(w);
    strings_free(&features);
    strings_free(&ids);
    return st;
}

/* Lines of "winner, loser, wins, losses", written whole or not at all. */
static peck_status write_prefs(struct synth *s, const peck_generate_spec *spec,
                               peck_error *err)
{
    const struct shape *const shape = synth_shape(s);
    const struct writer_kind *kind = NULL;
    const char *name = spec->format;
    struct output *o = NULL;
    peck_status st = PECK_OK;

    if (name == NULL) {
        TRY(writer_by_ending(&kind, spec->path, err));
        name = kind->plug.about.name;
    }
    /* Text without a format's name has commas. */
    const char sep = strcmp(name, "tsv") == 0 ? '\t' : ',';

    if (sep != '\t' && strcmp(name, "csv") != 0 &&
        (kind == NULL || strcmp(name, "letor") != 0))
        return fail(
            err, PECK_ARG,
            "%s makes a preference list, which cannot be written as %s; use csv or tsv",
            spec->kind, name);
    TRY(output_open(&o, spec->path, err));
    output_printf(o, "winner%closer%cwins%closses\n", sep, sep, sep);
    for (size_t q = 0; st == PECK_OK && q < shape->n_queries; q++) {
        const struct synth_sample *const made = synth_make(s, q);

        for (size_t i = 0; i < made->n; i++) {
            const struct judged_pair *const p = &made->pair[i];

            output_printf(o, "%u%c%u%c%u%c%u\n", p->winner, sep, p->loser, sep, p->wins,
                          sep, p->losses);
        }
        st = output_check(o, err);
        if (st == PECK_OK)
            st = tell_progress(spec, q + 1, shape->n_queries, err);
    }
    if (st == PECK_OK)
        return output_commit(o, err);
    output_abort(o);
    return st;
}

peck_status peck_generate(const peck_generate_spec *given, peck_error *err)
{
    struct synth *s = NULL;
    peck_generate_spec own, *const spec = &own;

    TRY(SPEC_TAKE(peck_generate_spec, spec, ctx, given, err));
    if (spec->kind == NULL)
        return fail(err, PECK_ARG, "what to generate? See `peck list generators`");
    if (spec->path == NULL)
        return fail(err, PECK_ARG, "%s: no file to write to", spec->kind);
    const struct generator *const g = generator_find(spec->kind, err);

    if (g == NULL)
        return PECK_ARG;
    TRY(synth_new(&s, g, spec->settings, spec->seed, err));
    const peck_status st = synth_shape(s)->is_prefs ? write_prefs(s, spec, err)
                                                    : write_queries(s, g, spec, err);

    synth_free(s);
    return st;
}
