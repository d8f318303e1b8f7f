/* checkpoint.c -- see checkpoint.h. */
#include "checkpoint.h"

#include "../base/alloc.h"
#include "../base/pool.h"

#define FORMAT "peck checkpoint 1"

/* Writing may take one part in so many of the time. */
enum { PATIENCE = 20, NAME_ROOM = 64 };

/* Copies of a member's arrays; is_taken: there is something in them. */
struct member_copy {
    struct kept kept[FIT_KEPT];
    size_t n;
    bool is_taken;
};

struct checkpoint {
    const char *path, *identity;
    const peck_comm *comm;
    struct member_copy *copy; /* n, one a member; NULL: another rank has them */
    size_t n;
    struct arena arena;
    double written, took; /* when the last writing ended, and its length */
};

static size_t checkpoint_bytes_of(const struct kept *k)
{
    return k->n * tensor_type_size(k->type);
}

peck_status checkpoint_open(struct checkpoint **out, const char *path, const char *identity,
                            const peck_comm *comm, struct fit *fit, size_t n,
                            peck_error *err)
{
    struct checkpoint *const c = mem_new(1, sizeof *c);

    *out = NULL;
    if (c == NULL)
        return fail_memory(err, path, 1, sizeof *c);
    *c = (struct checkpoint){
        .path = path, .identity = identity, .comm = comm, .n = n, .written = clock_seconds()
    };
    if (comm_rank(comm) == 0)
        c->copy = arena_new(&c->arena, path, n, sizeof *c->copy);
    for (size_t i = 0; c->copy != NULL && i < n; i++) {
        struct member_copy *const copy = &c->copy[i];

        copy->n = fit_keep(&fit[i], copy->kept);
        for (size_t k = 0; k < copy->n; k++)
            copy->kept[k].data =
                arena_new(&c->arena, path, checkpoint_bytes_of(&copy->kept[k]), 1);
    }
    const peck_status st = arena_check(&c->arena, err);

    if (st == PECK_OK)
        *out = c;
    else
        checkpoint_close(c);
    return st;
}

void checkpoint_close(struct checkpoint *c)
{
    if (c != NULL)
        arena_free(&c->arena);
    mem_free(c);
}

/* Reading ---------------------------------------------------------------------------- */

static void checkpoint_name_tensor(char name[NAME_ROOM], size_t member,
                                   const struct kept *k)
{
    snprintf(name, NAME_ROOM, "%zu.%s", member, k->name);
}

/* A member that had not finished an epoch has no arrays in the file.  copy NULL: none is kept. */
static peck_status load_member(struct member_copy *copy, const struct tensors *t, size_t i,
                               struct fit *f, peck_error *err)
{
    struct kept kept[FIT_KEPT];
    const size_t n = fit_keep(f, kept);
    char name[NAME_ROOM];
    peck_error inner;

    checkpoint_name_tensor(name, i, &kept[0]);
    if (tensors_find(t, name) == NULL)
        return PECK_OK;
    for (size_t k = 0; k < n; k++) {
        const struct tensor *found;

        checkpoint_name_tensor(name, i, &kept[k]);
        TRY(tensors_get(&found, t, name, kept[k].type, 1, &(uint64_t){ kept[k].n }, err));
        memcpy(kept[k].data, found->data, checkpoint_bytes_of(&kept[k]));
        if (copy != NULL)
            memcpy(copy->kept[k].data, found->data, checkpoint_bytes_of(&kept[k]));
    }
    if (copy != NULL)
        copy->is_taken = true;
    const peck_status st = fit_check(f, &inner);

    return st == PECK_OK ? st
                         : fail(err, st, "%s: member %zu: %s", t->name, i + 1, inner.text);
}

/* All of the file's members into the fits. */
static peck_status load_members(struct checkpoint *c, const struct tensors *t,
                                struct fit *fit, peck_error *err)
{
    peck_error inner;
    peck_status st = PECK_OK;

    if (tensors_note(t, "run").n == 0)
        return fail(err, PECK_FORMAT,
                    "%s: not a checkpoint; give another file to --checkpoint", c->path);
    TRY(tensors_check_format(t, FORMAT, err));
    if (!span_is(tensors_note(t, "run"), c->identity))
        return fail(err, PECK_ARG,
                    "%s: a checkpoint of another training (other data, method, settings or "
                    "seed); give another file, or train without --resume",
                    c->path);
    for (size_t i = 0; st == PECK_OK && i < c->n; i++)
        st = load_member(c->copy != NULL ? &c->copy[i] : NULL, t, i, &fit[i], &inner);
    return st == PECK_OK ? st
                         : fail(err, st, "%s%s", inner.text,
                                st == PECK_FORMAT
                                    ? "; the checkpoint is damaged: remove it, or train "
                                      "without --resume"
                                    : "");
}

/* The file as the first rank has it, for all: others may have another disk, or none.  Where there
 * is no file, *in stays without a name. */
static peck_status fetch_file(struct input *in, const struct checkpoint *c, peck_error *err)
{
    const bool is_first = comm_rank(c->comm) == 0;
    struct {
        uint64_t is_there, size;
    } file;
    peck_status st = PECK_OK;

    if (is_first && input_exists(c->path))
        st = input_open(in, c->path, err);
    TRY(comm_agree(c->comm, st, err));
    file.is_there = in->name != NULL;
    file.size = in->size;
    TRY(comm_broadcast(c->comm, &file, sizeof file, 0, err));
    if (!comm_is_shared(c->comm) || !file.is_there)
        return PECK_OK;
    char *const bytes = mem_new((size_t)file.size, 1);

    if (bytes == NULL)
        return fail_memory(err, c->path, (size_t)file.size, 1);
    if (is_first)
        memcpy(bytes, in->data, in->size);
    st = comm_broadcast(c->comm, bytes, (size_t)file.size, 0, err);
    if (st == PECK_OK && !is_first)
        st = input_of_memory(in, bytes, (size_t)file.size, c->path, err);
    mem_free(bytes);
    return st;
}

peck_status checkpoint_load(struct checkpoint *c, struct fit *fit, peck_error *err)
{
    struct input in = { 0 };
    struct tensors t = { 0 };
    peck_error inner;
    peck_status st = fetch_file(&in, c, err);

    if (st != PECK_OK || in.name == NULL) {
        input_close(&in);
        return st;
    }
    st = tensors_open(&t, &in, &inner);

    if (st == PECK_OK) {
        st = load_members(c, &t, fit, err);
        tensors_close(&t);
    } else if (st == PECK_FORMAT)
        fail(err, st,
             "%s: not a checkpoint, or one that was cut off or damaged; give another "
             "file to --checkpoint, or train without --resume",
             c->path);
    else
        fail(err, st, "%s", inner.text);
    input_close(&in);
    return st;
}

/* Writing ---------------------------------------------------------------------------- */

peck_status checkpoint_write(struct checkpoint *c, peck_error *err)
{
    const struct tensor_note notes[] = { { "format", FORMAT }, { "run", c->identity } };
    const double began = clock_seconds();
    struct tensor_list list = { 0 };
    struct output *o = NULL;
    bool is_any = false, fits = true;
    peck_status st = PECK_OK;

    for (size_t i = 0; c->copy != NULL && i < c->n; i++)
        for (size_t k = 0; c->copy[i].is_taken && k < c->copy[i].n; k++) {
            const struct kept *const kept = &c->copy[i].kept[k];
            char name[NAME_ROOM];

            is_any = true;
            checkpoint_name_tensor(name, i, kept);
            fits = fits && tensor_list_add(&list, name, kept->type, 1,
                                           &(uint64_t){ kept->n }, kept->data);
        }
    /* A file without a member would take the place of one that can be gone on from. */
    if (!is_any)
        return PECK_OK;
    if (!fits)
        st = fail_memory(err, c->path, c->n, sizeof *list.tensor);
    if (st == PECK_OK)
        st = output_open(&o, c->path, err);
    if (st == PECK_OK)
        st = tensor_list_write(&list, o, notes, 2, err);
    if (st == PECK_OK)
        st = output_commit(o, err);
    else
        output_abort(o);
    tensor_list_free(&list);
    c->written = clock_seconds(); /* one that failed took its time, too */
    c->took = c->written - began;
    return st;
}

/* Copies are taken after each epoch, the file is written less often: after a writing of t
 * seconds not for PATIENCE t. */
peck_status checkpoint_take(struct checkpoint *c, size_t i, struct fit *f, peck_error *err)
{
    if (c->copy == NULL)
        return PECK_OK;
    struct member_copy *const copy = &c->copy[i];
    struct kept kept[FIT_KEPT];
    const size_t n = fit_keep(f, kept);

    for (size_t k = 0; k < n; k++)
        memcpy(copy->kept[k].data, kept[k].data, checkpoint_bytes_of(&kept[k]));
    copy->is_taken = true;
    if (clock_seconds() - c->written < PATIENCE * c->took)
        return PECK_OK;
    return checkpoint_write(c, err);
}
