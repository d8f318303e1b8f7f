/* reach.c -- what orders of a query can keep at all: each rule alone, and which cannot hold
 * together.
 *
 * Rules are taken one after the other into a set that can hold together.  One that does not
 * fit is tried with every other: of two that contradict each other, one is always left
 * out.  If none of these pairs tells why, the set with it is cut down as far as it still
 * contradicts itself.                                                                 */
#include "tree.h"

#include "../base/alloc.h"

/* One query under question. */
struct question {
    const struct bound *bound;
    const struct scene *scene;
    size_t n; /* rules */
    double *weight;
    uint32_t *order;
    signed char *kept;
};

enum answer { ANSWER_NO, ANSWER_OPEN, ANSWER_YES };

/* Whether the rules of weight 1 can all hold. */
static peck_status ask_together(const struct question *x, enum answer *out, peck_error *err)
{
    struct enforced found;
    bool is_kept = true;

    TRY(rules_enforce(x->bound, x->scene, x->weight, NULL, x->order, x->kept, &found, err));
    for (size_t i = 0; i < x->n; i++)
        is_kept &= x->kept[i] != 0;
    *out = is_kept ? ANSWER_YES : found.is_proven ? ANSWER_NO : ANSWER_OPEN;
    return PECK_OK;
}

/* Whether two can hold, without any other. */
static peck_status ask_pair(const struct question *x, size_t i, size_t j, enum answer *out,
                            peck_error *err)
{
    memset(x->weight, 0, x->n * sizeof *x->weight);
    x->weight[i] = x->weight[j] = 1.0;
    return ask_together(x, out, err);
}

static peck_status add_clash(struct clash_list *to, const double *weight, size_t n,
                             peck_error *err)
{
    if (!mem_reserve(&to->clash, &to->cap, to->n + 1, sizeof *to->clash))
        return fail_memory(err, "rules that contradict each other", to->n + 1,
                           sizeof *to->clash);
    struct clash *const c = &to->clash[to->n++];

    *c = (struct clash){ 0 };
    for (size_t i = 0; i < n; i++)
        if (weight[i] > 0.0) {
            c->rule[i / 64] |= UINT64_C(1) << i % 64;
            c->n++;
        }
    return PECK_OK;
}

/* Why `rule` does not fit to those of fits[]: pairs, or one larger set. */
static peck_status explain_misfit(const struct question *x, size_t rule, const bool *fits,
                                  const unsigned char *reach, struct clash_list *to,
                                  peck_error *err)
{
    const size_t before = to->n;
    enum answer answer;

    for (size_t j = 0; j < x->n; j++) {
        /* Of two that do not fit the earlier one has asked already. */
        if (j == rule || reach[j] != REACH_CAN || (!fits[j] && j < rule))
            continue;
        TRY(ask_pair(x, rule, j, &answer, err));
        if (answer == ANSWER_NO)
            TRY(add_clash(to, x->weight, x->n, err));
    }
    if (to->n > before)
        return PECK_OK;
    for (size_t j = 0; j < x->n; j++)
        x->weight[j] = (fits[j] && j < rule) || j == rule;
    for (size_t j = 0; j < rule; j++) {
        if (x->weight[j] == 0.0)
            continue;
        x->weight[j] = 0.0;
        TRY(ask_together(x, &answer, err));
        x->weight[j] = answer != ANSWER_NO;
    }
    return add_clash(to, x->weight, x->n, err);
}

static peck_status reach_all(const struct question *x, unsigned char *reach, bool *fits,
                             struct clash_list *to, peck_error *err)
{
    enum answer answer;

    for (size_t i = 0; i < x->n; i++) {
        reach[i] = rules_speak_of(x->bound, i, x->scene) ? REACH_CAN : REACH_SILENT;
        x->weight[i] = reach[i] == REACH_CAN;
    }
    TRY(ask_together(x, &answer, err));
    if (answer == ANSWER_YES)
        return PECK_OK;
    for (size_t i = 0; i < x->n; i++) {
        if (reach[i] == REACH_SILENT)
            continue;
        TRY(ask_pair(x, i, i, &answer, err));
        reach[i] = answer == ANSWER_YES  ? REACH_CAN
                   : answer == ANSWER_NO ? REACH_NEVER
                                         : REACH_OPEN;
    }
    /* First who fits, then why the others do not. */
    for (size_t i = 0; i < x->n; i++) {
        if (reach[i] != REACH_CAN)
            continue;
        for (size_t j = 0; j < x->n; j++)
            x->weight[j] = fits[j] || j == i;
        TRY(ask_together(x, &answer, err));
        fits[i] = answer != ANSWER_NO;
    }
    for (size_t i = 0; i < x->n; i++)
        if (reach[i] == REACH_CAN && !fits[i])
            TRY(explain_misfit(x, i, fits, reach, to, err));
    return PECK_OK;
}

peck_status rules_reach(const struct bound *b, const struct scene *q, unsigned char *reach,
                        struct clash_list *to, peck_error *err)
{
    static const char *const what = "what rules can hold";
    const size_t n = b->rules->n_rules;
    struct arena a = { 0 };
    struct question x = { .bound = b, .scene = q, .n = n };
    bool *const fits = arena_new(&a, what, n, sizeof *fits);

    x.weight = arena_new(&a, what, n, sizeof *x.weight);
    x.order = arena_new(&a, what, q->docs.n, sizeof *x.order);
    x.kept = arena_new(&a, what, n, sizeof *x.kept);
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = reach_all(&x, reach, fits, to, err);
    arena_free(&a);
    return st;
}
