/* courses.c -- see courses.h. */
#include "support/courses.h"

#include "base/alloc.h"
#include "support/check.h"

void classroom_open(struct classroom *c, const char *method, const char *const *settings,
                    const struct peck_dataset *train, const struct peck_dataset *valid,
                    const char *metric, int threads)
{
    const struct rows all = { train->x, train->n_docs, train->dim, train->dim };
    peck_error err = { 0 };

    *c = (struct classroom){ 0 };
    assert_ok(pool_new(&c->pool, threads, &err), err);
    assert_ok(plan_open(&c->plan, method, settings, &err), err);
    assert_ok(norm_fit(&c->norm, c->plan.norm, all, c->pool, &err), err);
    assert_ok(plan_shape(&c->plan, norm_dim_out(c->norm), &err), err);
    assert_ok(convention_parse(&c->convention, NULL, &err), err);
    assert_ok(metric_list_parse(&c->metric, metric != NULL ? metric : "ndcg@10", &err),
              err);
    const struct exam exam = { .data = valid,
                               .metric = &c->metric,
                               .convention = &c->convention };

    assert_ok(course_open(&c->course, &c->plan, c->norm, train, NULL, &exam, c->pool, &err),
              err);
    c->w = mem_new(c->plan.n_weights, sizeof *c->w);
    assert_non_null(c->w);
    c->task = (struct task){
        .plan = &c->plan, .course = &c->course, .seed = 1, .pool = c->pool, .w = c->w
    };
}

void classroom_close(struct classroom *c)
{
    mem_free(c->w);
    course_close(&c->course);
    metric_list_free(&c->metric);
    norm_free(c->norm);
    plan_close(&c->plan);
    pool_free(c->pool);
}
