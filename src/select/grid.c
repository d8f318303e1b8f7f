/* grid.c -- points of settings.  The last axis turns fastest. */
#include "select.h"

#include "../base/alloc.h"

enum { MAX_POINTS = 100000, MAX_METHODS = 256 };

peck_status method_check(const char *method, peck_error *err)
{
    const char *known[MAX_METHODS];
    const peck_plug *p;
    size_t n = 0;

    for (; n < MAX_METHODS && (p = peck_plug_at(PECK_METHOD, n)) != NULL; n++) {
        if (strcmp(p->name, method) == 0)
            return PECK_OK;
        known[n] = p->name;
    }
    const char *const near = peck_nearest(method, known, n);

    if (near != NULL)
        return fail(err, PECK_ARG, "unknown method '%.60s'; did you mean '%s'?", method,
                    near);
    return fail(err, PECK_ARG, "unknown method '%.60s'; see `peck list methods`", method);
}

bool method_has(const char *method, peck_span key)
{
    peck_param p;

    for (size_t i = 0; peck_param_at(PECK_METHOD, method, i, &p); i++)
        if (span_is(key, p.key))
            return true;
    return span_is(key, "norm");
}

peck_span pair_key(const char *pair)
{
    const char *const equals = strchr(pair, '=');

    return (peck_span){ pair, equals != NULL ? (size_t)(equals - pair) : 0 };
}

/* The axes "key=a,b,c" whose key the method has. */
static peck_status add_axes(struct grid *g, const char *const *specs, const char *method,
                            peck_error *err)
{
    for (size_t i = 0; specs != NULL && specs[i] != NULL; i++) {
        struct grid_axis *const axis = &g->axis[g->n_axes];
        const peck_span key = pair_key(specs[i]);

        if (key.n == 0)
            return fail(err, PECK_ARG, "grid '%.100s': give KEY=A,B,C", specs[i]);
        for (size_t a = 0; a < g->n_axes; a++)
            if (span_equal(key, g->axis[a].key))
                return fail(err, PECK_ARG, "the grid has '%.*s' twice", SPAN_ARGS(key));
        if (!method_has(method, key))
            continue;
        *axis = (struct grid_axis){ key, g->value.n, 0 };
        g->n_axes++;
        for (const char *at = specs[i] + key.n; *at != '\0';) {
            const size_t length = strcspn(++at, ",");

            if (length == 0)
                return fail(err, PECK_ARG,
                            "grid '%.100s': a value is empty; give KEY=A,B,C", specs[i]);
            if (!strings_add(&g->value, (peck_span){ at, length }))
                return fail_memory(err, "the grid", g->value.n, length);
            axis->n++;
            at += length;
        }
        if (axis->n > MAX_POINTS / g->n_points)
            return fail(err, PECK_ARG, "the grid has more than %d points", MAX_POINTS);
        g->n_points *= axis->n;
    }
    return PECK_OK;
}

peck_status grid_open(struct grid *g, const char *const *specs, const char *method,
                      peck_error *err)
{
    size_t n = 0;

    *g = (struct grid){ .n_points = 1 };
    while (specs != NULL && specs[n] != NULL)
        n++;
    if ((g->axis = mem_new(n, sizeof *g->axis)) == NULL)
        return fail_memory(err, "the grid", n, sizeof *g->axis);
    const peck_status st = add_axes(g, specs, method, err);

    if (st != PECK_OK)
        grid_close(g);
    return st;
}

void grid_close(struct grid *g)
{
    mem_free(g->axis);
    strings_free(&g->value);
    *g = (struct grid){ 0 };
}

/* Points --------------------------------------------------------------------------- */

/* The value that axis a has at a point. */
static peck_span grid_value(const struct grid *g, size_t point, size_t a)
{
    for (size_t later = g->n_axes; later-- > a + 1;)
        point /= g->axis[later].n;
    return strings_get(&g->value, g->axis[a].first + point % g->axis[a].n);
}

void grid_describe(const struct grid *g, size_t point, struct text *to)
{
    for (size_t a = 0; a < g->n_axes; a++) {
        const peck_span key = g->axis[a].key, value = grid_value(g, point, a);

        text_add_str(to, a > 0 ? " " : "");
        text_add(to, key.s, key.n);
        text_add_str(to, "=");
        text_add(to, value.s, value.n);
    }
}

peck_status point_settings_open(struct point_settings *c, const struct grid *g,
                                size_t point, const char *method, const char *const *base,
                                const char *norm, peck_error *err)
{
    size_t *const at = mem_new(g->n_axes, sizeof *at), n_base = 0, n = 0;
    struct text text;

    text_init(&text, (size_t)1 << 24);
    while (base != NULL && base[n_base] != NULL)
        n_base++;
    *c = (struct point_settings){ mem_new(n_base + g->n_axes + 1, sizeof *c->settings),
                                  norm, NULL };
    for (size_t a = 0; at != NULL && a < g->n_axes; a++) {
        const peck_span key = g->axis[a].key, value = grid_value(g, point, a);

        at[a] = text.len; /* "key=value" begins here; of "norm" the value alone */
        if (!span_is(key, "norm")) {
            text_add(&text, key.s, key.n);
            text_add_str(&text, "=");
        }
        text_add(&text, value.s, value.n);
        text_add(&text, "", 1);
    }
    if (at == NULL || c->settings == NULL || text.failed) {
        text_free(&text);
        mem_free(at);
        point_settings_close(c);
        return fail_memory(err, "the settings", n_base + g->n_axes, sizeof *c->settings);
    }
    /* The base first: a later setting wins. */
    for (size_t i = 0; i < n_base; i++)
        if (method_has(method, pair_key(base[i])))
            c->settings[n++] = base[i];
    for (size_t a = 0; a < g->n_axes; a++)
        if (span_is(g->axis[a].key, "norm"))
            c->norm = text.s + at[a];
        else
            c->settings[n++] = text.s + at[a];
    c->text = text.s;
    mem_free(at);
    return PECK_OK;
}

void point_settings_close(struct point_settings *c)
{
    mem_free(c->settings);
    mem_free(c->text);
    *c = (struct point_settings){ 0 };
}
