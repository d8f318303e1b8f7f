/* own_loss.c -- a plan whose loss of pairs is the caller's. */
#include "own_loss.h"

#include "../base/alloc.h"
#include "../base/spec.h"
#include "learn.h"

peck_status plan_own_loss(struct plan *p, const peck_pair_loss *given, peck_error *err)
{
    const struct recipe *const r = p->recipe;
    peck_pair_loss loss;

    TRY(SPEC_TAKE(peck_pair_loss, &loss, ctx, given, err));
    if (r->objective == NULL || r->objective->own == NULL)
        return fail(err, PECK_ARG,
                    "%s has no loss of pairs in whose place another could stand; take "
                    "ranknet, lambdarank, lambdaneuralrank or lambdamart",
                    r->plug.about.name);
    p->own_loss = mem_new(1, sizeof *p->own_loss);
    p->own_recipe = mem_new(1, sizeof *p->own_recipe);
    if (p->own_loss == NULL || p->own_recipe == NULL)
        return fail_memory(err, "a loss", 1, sizeof *p->own_loss + sizeof *p->own_recipe);
    if (loss.cost == NULL || loss.name == NULL || loss.name[0] == '\0' ||
        strlen(loss.name) >= sizeof p->own_loss->name ||
        !span_is_one_line(span_of(loss.name)))
        return fail(
            err, PECK_ARG,
            "a loss of one's own has a cost, and a name of one line below %zu bytes",
            sizeof p->own_loss->name);
    *p->own_loss = (struct own_loss){ .given = loss, .config = p->objective };
    snprintf(p->own_loss->name, sizeof p->own_loss->name, "%s", loss.name);
    *p->own_recipe = *r;
    p->own_recipe->objective = r->objective->own;
    p->recipe = p->own_recipe;
    p->objective = p->own_loss;
    return PECK_OK;
}

const char *plan_loss(const struct plan *p)
{
    return p->own_loss != NULL ? p->own_loss->name : NULL;
}
