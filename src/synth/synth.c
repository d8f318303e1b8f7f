/* synth.c -- the list of generators, and one of them at work. */
#include "synth.h"

#include "../base/alloc.h"

#define GENERATOR(name) extern const struct generator generator_##name;
#include "generators.def"
#undef GENERATOR

#define GENERATOR(name) &generator_##name,
const struct generator *const generators[] = {
#include "generators.def"
};
#undef GENERATOR

const size_t n_generators = sizeof generators / sizeof generators[0];

/* room holds the largest query and is filled anew for each. */
struct synth {
    const struct generator *g;
    void *self;
    uint64_t seed;
    struct shape shape;
    struct synth_sample room;
};

const struct generator *generator_find(const char *name, peck_error *err)
{
    const struct plug *known[sizeof generators / sizeof generators[0]];
    const peck_span wanted = span_of(name);

    for (size_t i = 0; i < n_generators; i++) {
        if (span_is(wanted, generators[i]->plug.about.name))
            return generators[i];
        known[i] = &generators[i]->plug;
    }
    (void)plug_unknown(known, n_generators, "generator", wanted, err);
    return NULL;
}

/* Memory is promised lightly on many systems, so a query that this machine cannot hold
 * is refused here and not when its pages are touched. */
static peck_status take_room(struct synth *s, peck_error *err)
{
    const struct shape *const shape = &s->shape;
    size_t cells = 0;

    if (shape->is_prefs) {
        s->room.pair = mem_new(shape->max_docs, sizeof *s->room.pair);
        return s->room.pair != NULL ? PECK_OK
                                    : fail_memory(err, "pairs of a batch", shape->max_docs,
                                                  sizeof *s->room.pair);
    }
    const size_t limit = mem_physical() / sizeof *s->room.x;

    if (mul_overflow(shape->max_docs, shape->dim, &cells) || (limit > 0 && cells > limit))
        return fail(err, PECK_NOMEM,
                    "%s: a query of %zu documents with %zu features does not fit in memory",
                    s->g->plug.about.name, shape->max_docs, shape->dim);
    s->room.x = mem_new(cells, sizeof *s->room.x);
    s->room.label = mem_new(shape->max_docs, sizeof *s->room.label);
    if (s->room.x == NULL || s->room.label == NULL)
        return fail_memory(err, "features of a query", cells, sizeof *s->room.x);
    return PECK_OK;
}

peck_status synth_new(struct synth **out, const struct generator *g,
                      const char *const *settings, uint64_t seed, peck_error *err)
{
    struct synth *const s = mem_new(1, sizeof *s);
    peck_status st = PECK_OK;

    *out = NULL;
    if (s == NULL)
        return fail_memory(err, "generator", 1, sizeof *s);
    s->g = g;
    s->seed = seed;
    s->self = mem_new(1, g->self_size);
    if (s->self == NULL)
        st = fail_memory(err, "generator", 1, g->self_size);
    else
        param_defaults(g->plug.params, s->self);
    for (size_t i = 0; st == PECK_OK && settings != NULL && settings[i] != NULL; i++)
        st = param_set_pair(g->plug.params, s->self, g->plug.about.name,
                            span_of(settings[i]), err);
    if (st == PECK_OK)
        st = g->open(s->self, seed, &s->shape, err);
    if (st == PECK_OK)
        st = take_room(s, err);
    if (st == PECK_OK)
        *out = s;
    else
        synth_free(s);
    return st;
}

const struct shape *synth_shape(const struct synth *s)
{
    return &s->shape;
}

const struct synth_sample *synth_make(struct synth *s, size_t q)
{
    s->g->fill(s->self, s->seed, q, &s->room);
    return &s->room;
}

peck_status synth_feature_names(const struct synth *s, struct strings *names,
                                peck_error *err)
{
    char name[SYNTH_NAME];

    for (size_t i = 0; s->g->name_feature != NULL && i < s->shape.dim; i++) {
        s->g->name_feature(s->self, i, name);
        if (!strings_add(names, span_of(name)))
            return fail_memory(err, "feature names", s->shape.dim, sizeof name);
    }
    return PECK_OK;
}

void synth_free(struct synth *s)
{
    if (s == NULL)
        return;
    if (s->self != NULL && s->g->close != NULL)
        s->g->close(s->self);
    mem_free(s->self);
    mem_free(s->room.x);
    mem_free(s->room.label);
    mem_free(s->room.pair);
    mem_free(s);
}
