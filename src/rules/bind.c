/* bind.c -- features by name.
 *
 *   q.topic    the column "query_topic" where there is one, else "topic"
 *   d.topic    the column "topic"
 *   d.f12      column 12, counted from 1, where none is called f12                     */
#include "tree.h"

#include "../base/alloc.h"
#include "../base/number.h"

enum { NOT_THERE = -1 };

/* The nearest of all names, or NULL; near[] holds it. */
static const char *nearest(const struct strings *names, const char *typed,
                           char near[SPAN_SHOWN + 1])
{
    char other[SPAN_SHOWN + 1];
    bool is_found = false;

    for (size_t i = 0; i < names->n; i++) {
        const char *const known[] = { other, near };
        const char *best;

        snprintf(other, sizeof other, "%.*s", SPAN_ARGS(strings_get(names, i)));
        if (is_found) { /* an equal one does not take its place */
            const char *const both[] = { near, other };

            best = peck_nearest(typed, both, 2);
        } else {
            best = peck_nearest(typed, known, 1);
        }
        if (best == other) {
            memcpy(near, other, sizeof other);
            is_found = true;
        }
    }
    return is_found ? near : NULL;
}

static peck_status unknown_feature(const struct peck_rules *r, const struct mention *m,
                                   const struct strings *names, size_t dim, peck_error *err)
{
    char typed[SPAN_SHOWN + 1], near[SPAN_SHOWN + 1];

    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(m->name));
    if (nearest(names, typed, near) != NULL)
        return complain(r, m->at, err, "unknown feature '%s'; did you mean '%s'?", typed,
                        near);
    if (names->n == 0)
        return complain(r, m->at, err,
                        "unknown feature '%s'; the data names none, so they are f1 to f%zu",
                        typed, dim);
    return complain(r, m->at, err,
                    "unknown feature '%s'; `peck stats --features` lists them", typed);
}

static int64_t find_query_feature(const struct index *names, peck_span name)
{
    static const char prefix[] = "query_";
    char whole[sizeof prefix + SPAN_SHOWN];

    if (name.n > SPAN_SHOWN)
        return NOT_THERE;
    snprintf(whole, sizeof whole, "%s%.*s", prefix, SPAN_ARGS(name));
    return index_find(names, span_of(whole));
}

/* "f12" */
static int64_t find_number(peck_span name, size_t dim)
{
    uint64_t number;

    if (name.n < 2 || name.s[0] != 'f' ||
        !number_parse_u64((peck_span){ name.s + 1, name.n - 1 }, &number))
        return NOT_THERE;
    return number >= 1 && number <= dim ? (int64_t)number - 1 : NOT_THERE;
}

static peck_status find_columns(struct bound *b, const struct strings *names,
                                const struct index *index, size_t dim, peck_error *err)
{
    const struct peck_rules *const r = b->rules;

    for (size_t i = 0; i < r->n_mentions; i++) {
        const struct mention *const m = &r->mention[i];
        int64_t found = m->is_of_query ? find_query_feature(index, m->name) : NOT_THERE;

        if (found < 0)
            found = index_find(index, m->name);
        if (found < 0)
            found = find_number(m->name, dim);
        if (found < 0)
            return unknown_feature(r, m, names, dim, err);
        b->column[i] = (uint32_t)found;
    }
    return PECK_OK;
}

/* Names with their columns as numbers.  A column without a name, or with one that was
 * there before, holds its place by something no one can write. */
static peck_status index_names(struct index *index, const struct strings *names,
                               peck_error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        const peck_span name = strings_get(names, i);
        char place[32];

        snprintf(place, sizeof place, "\n%zu", i);
        const bool is_new = name.n > 0 && index_find(index, name) < 0;

        if (index_put(index, is_new ? name : span_of(place)) == INDEX_FULL)
            return fail_memory(err, "the names of features", names->n, sizeof place);
    }
    return PECK_OK;
}

peck_status rules_bind(struct bound **out, const struct peck_rules *r,
                       const struct strings *feature_name, size_t dim, peck_error *err)
{
    struct bound *const b = mem_new(1, sizeof *b);
    struct index index = { 0 };

    *out = NULL;
    if (b == NULL || (b->column = mem_new(r->n_mentions, sizeof *b->column)) == NULL) {
        bound_free(b);
        return fail_memory(err, "rules", r->n_mentions, sizeof *b->column);
    }
    b->rules = r;
    peck_status st = index_names(&index, feature_name, err);

    if (st == PECK_OK)
        st = find_columns(b, feature_name, &index, dim, err);
    index_free(&index);
    if (st == PECK_OK)
        *out = b;
    else
        bound_free(b);
    return st;
}

void bound_free(struct bound *b)
{
    if (b == NULL)
        return;
    mem_free(b->column);
    mem_free(b);
}
