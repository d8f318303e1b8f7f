/* prank.c -- see prank.h. */
#include "prank.h"

#include "../base/alloc.h"
#include "../base/sort.h"

enum { MAX_GRADES = 1024 };

/* The perceptron ------------------------------------------------------------------------ */

size_t prank_size(const struct poly *shape, size_t n_bounds)
{
    return 1 + n_bounds + 2 * poly_n_weights(shape);
}

struct prank prank_in(double *block, const struct poly *shape, size_t n_bounds)
{
    const size_t n = poly_n_weights(shape);

    return (struct prank){ .shape = *shape,
                           .n_weights = n,
                           .n_bounds = n_bounds,
                           .n_steps = block,
                           .b = block + 1,
                           .w = block + 1 + n_bounds,
                           .u = block + 1 + n_bounds + n };
}

static double prank_dot(const double *w, const float *x, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += w[i] * (double)x[i];
    return sum;
}

static double prank_score(const struct prank *p, const float *x)
{
    const size_t dim = p->shape.dim;
    const double *v = p->w + dim;
    double sum = prank_dot(p->w, x, dim);

    for (size_t i = 0; p->shape.kernel == KERNEL_QUADRATIC && i < dim; i++) {
        sum += (double)x[i] * prank_dot(v, x + i, dim - i);
        v += dim - i;
    }
    return sum;
}

static void prank_add_row(double *w, double *u, double a, double when, const float *x,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double change = a * (double)x[i];

        w[i] += change;
        u[i] += when * change;
    }
}

/* w += a x, with all products where there are any. */
static void prank_step(struct prank *p, double a, const float *x)
{
    const size_t dim = p->shape.dim;
    size_t at = dim;

    prank_add_row(p->w, p->u, a, *p->n_steps, x, dim);
    for (size_t i = 0; p->shape.kernel == KERNEL_QUADRATIC && i < dim; i++) {
        prank_add_row(p->w + at, p->u + at, a * (double)x[i], *p->n_steps, x + i, dim - i);
        at += dim - i;
    }
}

void prank_begin(struct prank *p)
{
    *p->n_steps = 0.0;
    memset(p->u, 0, p->n_weights * sizeof *p->u);
}

bool prank_learn(struct prank *p, const float *x, uint32_t grade, double weight)
{
    const double s = prank_score(p, x);
    double all = 0.0;

    for (size_t r = 0; r < p->n_bounds; r++) {
        const double side = grade > r ? 1.0 : -1.0;

        if (side * (s - p->b[r]) <= 0.0) {
            all += side;
            p->b[r] -= weight * side;
        }
    }
    if (all != 0.0)
        prank_step(p, weight * all, x);
    *p->n_steps += 1.0;
    return all != 0.0;
}

void prank_add(const struct prank *p, bool is_averaged, double share, double *to)
{
    const double part = is_averaged && *p->n_steps > 0.0 ? 1.0 / *p->n_steps : 0.0;

    for (size_t i = 0; i < p->n_weights; i++)
        to[i] += share * (p->w[i] - part * p->u[i]);
}

/* Examples ------------------------------------------------------------------------------ */

static peck_status prank_grade_labels(struct examples *e, const struct train_set *l,
                                      struct sort_item *item, peck_error *err)
{
    for (size_t k = 0; k < e->n; k++)
        item[k] = (struct sort_item){ ~key_desc((double)l->label[e->row[k]]), e->row[k] };
    sort_items(item, e->n, item + e->n);
    for (size_t k = 0; k < e->n; k++) {
        e->n_grades += k == 0 || item[k].key != item[k - 1].key;
        e->grade[item[k].from] = (uint32_t)e->n_grades - 1;
    }
    if (e->n_grades > MAX_GRADES)
        return fail(err, PECK_SHAPE,
                    "the documents have %zu different labels; a method of thresholds takes "
                    "up to %d: use --binarise, or ranksvm",
                    e->n_grades, MAX_GRADES);
    return PECK_OK;
}

static void take_documents(struct examples *e, const struct train_set *l)
{
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < l->plan[q].n_judged; i++) {
            const size_t row = (size_t)l->start[q] + i;

            e->row[e->n++] = (uint32_t)row;
            e->weight[row] = (l->weight != NULL ? l->weight[q] : 1.0f) *
                             (l->doc_weight != NULL ? l->doc_weight[row] : 1.0f);
        }
}

peck_status examples_open(struct examples *e, const struct train_data *c, peck_error *err)
{
    const struct train_set *const l = c->train_set;
    struct sort_item *const item = mem_new(2 * l->n_docs, sizeof *item);
    peck_status st = PECK_OK;

    *e = (struct examples){ .row = mem_new(l->n_docs, sizeof *e->row),
                            .order = mem_new(l->n_docs, sizeof *e->order),
                            .grade = mem_new(l->n_docs, sizeof *e->grade),
                            .weight = mem_new(l->n_docs, sizeof *e->weight) };
    if (item == NULL || e->row == NULL || e->order == NULL || e->grade == NULL ||
        e->weight == NULL)
        st = fail_memory(err, "the grades of documents", l->n_docs, sizeof *item);
    if (st == PECK_OK) {
        take_documents(e, l);
        st = prank_grade_labels(e, l, item, err);
    }
    mem_free(item);
    return st;
}

void examples_shuffle(struct examples *e, uint64_t seed, size_t epoch)
{
    struct rng rng;

    rng_seed(&rng, mix64(seed, STREAM_ORDER), epoch);
    memcpy(e->order, e->row, e->n * sizeof *e->order);
    rng_shuffle(&rng, e->order, e->n);
}

void examples_close(struct examples *e)
{
    mem_free(e->row);
    mem_free(e->order);
    mem_free(e->grade);
    mem_free(e->weight);
    *e = (struct examples){ 0 };
}
