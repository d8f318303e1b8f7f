/* reader.c -- which reader a file is for, and peck_dataset_read. */
#include "reader.h"

#include "../base/spec.h"

#include <assert.h>

#define READER(name) extern const struct reader reader_##name;
#include "readers.def"
#undef READER

#define READER(name) &reader_##name.plug,
const struct plug *const readers[] = {
#include "readers.def"
};
#undef READER
const size_t n_readers = sizeof readers / sizeof *readers;

enum { MAGIC = 3 }; /* nobody can be surer, and text readers need not look at binary data */

/* The options as readers want them, the ways with missing values checked. */
static peck_status plan_of(struct read_plan *plan, const peck_read_options *o,
                           peck_error *err)
{
    static const char *const how[] = {
        [MISSING_ERROR] = "error",
        [MISSING_ZERO] = "zero",
        [MISSING_MEAN] = "mean",
        [MISSING_KEEP] = "keep",
    };

    plan->features = o->features;
    plan->feature_names = o->feature_names;
    plan->query_sizes = o->query_sizes;
    plan->label_column = o->label_column;
    plan->query_column = o->query_column;
    plan->doc_column = o->doc_column;
    plan->is_zero_based = o->zero_based != 0;
    plan->labels_optional = o->labels_optional != 0;
    plan->comm = o->comm;
    if (o->missing == NULL)
        return PECK_OK;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        if (strcmp(o->missing, how[i]) == 0) {
            plan->missing = (enum missing)i;
            return PECK_OK;
        }
    }
    return fail(err, PECK_ARG, "missing values as '%s': give one of error|zero|mean|keep",
                o->missing);
}

/* The surest sniff wins; the earlier line of readers.def among equals. */
static const struct reader *choose_reader(const struct input *in)
{
    const struct reader *best = NULL;
    int sure = 0;

    for (size_t i = 0; i < n_readers && sure < MAGIC; i++) {
        const struct reader *const r = (const struct reader *)readers[i];
        const int s = r->sniff(in);

        if (s > sure) {
            sure = s;
            best = r;
        }
    }
    assert(best != NULL);
    return best;
}

/* One file, whole. */
static peck_status read_file(struct peck_dataset **out, const char *path,
                             const peck_read_options *o, peck_error *err)
{
    struct read_plan plan = { 0 };
    struct watch watch;
    struct input in = { 0 };
    const struct reader *r = NULL;
    const char *own;
    peck_status st;

    if ((st = plan_of(&plan, o, err)) != PECK_OK ||
        (st = pool_new(&plan.pool, o->threads, err)) != PECK_OK ||
        (st = input_open(&in, path, err)) != PECK_OK)
        goto done;
    watch = (struct watch){ .progress = o->progress, .ctx = o->ctx };
    plan.watch = &watch;
    own = in.size > 0 ? input_own_kind(in.data, in.size) : NULL;
    if (in.size == 0)
        st = fail(err, PECK_FORMAT, "%s: is empty; there is no document in it", in.name);
    else if (own != NULL && strcmp(own, "cache") != 0)
        st = fail(err, PECK_FORMAT,
                  "%s: is a %s, and data belongs here; look at the order of the files",
                  in.name, own);
    else if (o->format == NULL)
        r = choose_reader(&in);
    else if ((r = (const struct reader *)plug_find(readers, n_readers, "reader",
                                                   span_of(o->format), err)) == NULL)
        st = PECK_ARG;
    if (st == PECK_OK)
        st = input_blame(&in, r->read(out, &in, &plan, err), err);
done:
    input_close(&in);
    pool_free(plan.pool);
    return st;
}

peck_status peck_dataset_read(peck_dataset **out, const char *path,
                              const peck_read_options *options, peck_error *err)
{
    peck_read_options o;
    peck_status st;

    *out = NULL;
    TRY(SPEC_TAKE(peck_read_options, &o, ctx, options, err));
    if (o.comm != NULL) {
        TRY(comm_check(o.comm, err));
        TRY(comm_compare(
            o.comm, PECK_VERSION_NUMBER,
            "ranks run different versions of peck; install the same everywhere", err));
    }
    st = strchr(path, '*') != NULL && parts_are_meant(path) ? parts_read(out, path, &o, err)
                                                            : read_file(out, path, &o, err);
    if (st == PECK_OK && o.query_weights != NULL)
        st = weights_read(*out, o.query_weights, err);
    if (comm_is_shared(o.comm)) {
        st = comm_agree(o.comm, st, err);
        if (st == PECK_OK)
            st = dataset_deal(*out, o.comm, err);
    }
    if (st != PECK_OK) {
        peck_dataset_free(*out);
        *out = NULL;
    }
    return st;
}
