/* show_runs.c -- the runs of a page: found by path, told apart by name, filled. */
#include "show.h"

#include "../base/alloc.h"

peck_status peck_page_new(peck_page **out, peck_error *err)
{
    *out = mem_new(1, sizeof **out);
    return *out != NULL ? PECK_OK : fail_memory(err, "the page", 1, sizeof **out);
}

static void sums_free(struct sums *s)
{
    index_free(&s->name);
    mem_free(s->value);
}

static void judged_free(struct judged *j)
{
    strings_free(&j->column);
    strings_free(&j->query);
    mem_free(j->value);
}

static void run_free(struct show_run *r)
{
    for (size_t i = 0; i < r->n_judged; i++)
        judged_free(&r->judged[i]);
    for (size_t i = 0; i < r->n_curves; i++)
        mem_free(r->curve[i].point);
    strings_free(&r->string);
    sums_free(&r->importance);
    sums_free(&r->rules);
    mem_free(r->fact);
    mem_free(r->judged);
    mem_free(r->curve);
    mem_free(r->decoding);
    mem_free(r->path);
}

void peck_page_free(peck_page *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->n_runs; i++)
        run_free(&p->run[i]);
    mem_free(p->run);
    mem_free(p);
}

static char *copy(peck_span s)
{
    char *const to = mem_new(s.n + 1, 1);

    if (to != NULL && s.n > 0)
        memcpy(to, s.s, s.n);
    return to;
}

struct show_run *show_run_at(struct peck_page *p, peck_span path)
{
    while (path.n > 1 && path.s[path.n - 1] == '/')
        path.n--;
    for (size_t i = 0; i < p->n_runs; i++)
        if (span_equal(span_of(p->run[i].path), path))
            return &p->run[i];
    char *const own = copy(path);

    if (own == NULL || !mem_reserve(&p->run, &p->cap_runs, p->n_runs + 1, sizeof *p->run)) {
        mem_free(own);
        return NULL;
    }
    p->run[p->n_runs] = (struct show_run){ .path = own };
    return &p->run[p->n_runs++];
}

/* The last n parts of "a/b/c". */
static const char *tail(const char *path, size_t n)
{
    const char *at = path + strlen(path);

    for (; at > path; at--)
        if (at[-1] == '/' && n-- == 1)
            break;
    return at;
}

const char *show_short_name(const char *const *path, size_t n, size_t i)
{
    size_t n_parts = 1;

    for (size_t other = 0; other < n; other++)
        while (other != i && tail(path[i], n_parts) > path[i] &&
               strcmp(tail(path[i], n_parts), tail(path[other], n_parts)) == 0)
            n_parts++;
    return tail(path[i], n_parts);
}

peck_status show_name_runs(struct peck_page *p, peck_error *err)
{
    const char **const path = mem_new(p->n_runs, sizeof *path);

    if (path == NULL)
        return fail_memory(err, "names of runs", p->n_runs, sizeof *path);
    for (size_t i = 0; i < p->n_runs; i++)
        path[i] = p->run[i].path;
    for (size_t i = 0; i < p->n_runs; i++)
        p->run[i].name = show_short_name(path, p->n_runs, i);
    mem_free(path);
    return PECK_OK;
}

peck_status show_add_fact(struct show_run *r, size_t fold, const char *key, peck_span text,
                          peck_error *err)
{
    if (!mem_reserve(&r->fact, &r->cap_facts, r->n_facts + 1, sizeof *r->fact) ||
        !strings_add(&r->string, span_of(key)) || !strings_add(&r->string, text))
        return fail_memory(err, "facts of a run", r->n_facts + 1, sizeof *r->fact);
    r->fact[r->n_facts++] =
        (struct fact){ .fold = fold, .key = r->string.n - 2, .text = r->string.n - 1 };
    return PECK_OK;
}

peck_span show_fact(const struct show_run *r, const char *key)
{
    for (size_t i = 0; i < r->n_facts; i++)
        if (span_is(strings_get(&r->string, r->fact[i].key), key))
            return strings_get(&r->string, r->fact[i].text);
    return (peck_span){ 0 };
}

peck_span show_convention(const struct show_run *r)
{
    const peck_span judged = show_fact(r, "judged by");

    return judged.n > 0 ? judged : show_fact(r, "convention");
}

struct learning_curve *show_add_curve(struct show_run *r, size_t fold, size_t member)
{
    if (!mem_reserve(&r->curve, &r->cap_curves, r->n_curves + 1, sizeof *r->curve))
        return NULL;
    r->curve[r->n_curves] = (struct learning_curve){ .fold = fold, .member = member };
    return &r->curve[r->n_curves++];
}

bool curve_add(struct learning_curve *l, struct epoch_point point)
{
    if (!mem_reserve(&l->point, &l->cap, l->n + 1, sizeof *l->point))
        return false;
    l->point[l->n++] = point;
    return true;
}

/* For the sections -------------------------------------------------------------------- */

bool show_any_run(const struct peck_page *p, bool (*has)(const struct show_run *r))
{
    for (size_t i = 0; i < p->n_runs; i++)
        if (has(&p->run[i]))
            return true;
    return false;
}

peck_status show_plot_runs(struct text *to, const struct peck_page *p, size_t most,
                           bool (*has)(const struct show_run *r), show_draw *draw,
                           peck_error *err)
{
    size_t n = 0;

    html_plots(to);
    for (size_t i = 0; i < p->n_runs; i++)
        if (has(&p->run[i]) && n++ < most)
            TRY(draw(to, &p->run[i], err));
    html_plots_end(to);
    return PECK_OK;
}
