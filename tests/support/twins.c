/* twins.c -- see twins.h. */
#define REAL double
#include "twins.h"

#include "model/family.h"

#include <stdlib.h>

/* A family that has no derivatives has no twin. */
#define FAMILY(name) extern const struct family twin_##name __attribute__((weak));
#include "model/families.def"
#undef FAMILY

#define FAMILY(name) &twin_##name,
static const struct family *const twins[] = {
#include "model/families.def"
};
#undef FAMILY

struct twin {
    const struct family *family;
    void *shape;
    double *scratch;
    double *view, *keep; /* of the last duels */
};

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "no twin: %s\n", what);
    exit(2);
}

struct twin *twin_open(const char *family, const char *const *settings, size_t dim)
{
    struct twin *const t = calloc(1, sizeof *t);
    peck_error err = { PECK_OK, "" };

    must(t != NULL, "out of memory");
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (twins[i] != NULL && strcmp(twins[i]->plug.about.name, family) == 0)
            t->family = twins[i];
    must(t->family != NULL, family);
    t->shape = calloc(1, t->family->shape_size);
    must(t->shape != NULL, "out of memory");
    param_defaults(t->family->plug.params, t->shape);
    for (; settings != NULL && *settings != NULL; settings++)
        must(param_set_pair(t->family->plug.params, t->shape, family, span_of(*settings),
                            &err) == PECK_OK,
             err.text);
    must(t->family->open(t->shape, dim, &err) == PECK_OK, err.text);
    return t;
}

void twin_free(struct twin *t)
{
    free(t->shape);
    free(t->scratch);
    free(t->view);
    free(t->keep);
    free(t);
}

size_t twin_n_weights(const struct twin *t)
{
    return t->family->n_weights(t->shape);
}

void twin_init(const struct twin *t, uint64_t seed, double *w)
{
    struct rng r;

    rng_seed(&r, seed, 0);
    if (t->family->init != NULL)
        t->family->init(t->shape, &r, w);
    else
        memset(w, 0, twin_n_weights(t) * sizeof *w);
}

/* Zeros in the place of what *array was; one more, so that none is NULL. */
static void renew(double **array, size_t n)
{
    free(*array);
    *array = calloc(n + 1, sizeof **array);
    must(*array != NULL, "out of memory");
}

void twin_forward(struct twin *t, const double *w, struct rows x, uint64_t seed, double *s)
{
    struct rng r;

    renew(&t->scratch, x.n * family_scratch(t->family, t->shape));
    rng_seed(&r, seed, 0);
    if (t->family->scores->forward != NULL)
        t->family->scores->forward(t->shape, w, x, seed != 0 ? &r : NULL, s, t->scratch);
    else
        t->family->scores->score(t->shape, w, x, s, t->scratch);
}

void twin_backward(struct twin *t, const double *w, struct rows x, const double *ds,
                   double *dw)
{
    t->family->scores->backward(t->shape, w, x, ds, dw, t->scratch);
}

void twin_duels(struct twin *t, const double *w, struct rows x, const peck_duel *duel,
                size_t n_duels, double (*out)[2])
{
    const struct family *const f = t->family;

    renew(&t->scratch, x.n * family_scratch(f, t->shape));
    renew(&t->view, x.n * f->compares->view_size(t->shape));
    renew(&t->keep, n_duels * f->compares->kept(t->shape));
    f->compares->view(t->shape, w, x, t->view, t->scratch);
    f->compares->duels(t->shape, w, t->view, duel, n_duels, out, t->keep);
}

void twin_duels_back(struct twin *t, const double *w, struct rows x, const peck_duel *duel,
                     size_t n_duels, const double (*dout)[2], double *dw)
{
    const struct family *const f = t->family;
    double *dview = NULL;

    renew(&dview, x.n * f->compares->view_size(t->shape));
    f->compares->duels_back(t->shape, w, t->view, duel, n_duels, dout, t->keep, dview, dw);
    f->compares->view_back(t->shape, w, x, dview, dw, t->scratch);
    free(dview);
}
