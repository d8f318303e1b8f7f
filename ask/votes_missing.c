/* votes_missing.c -- in place of votes.c where sqlite3 was not there to build with. */
#include "votes.h"

bool votes_is_built(void)
{
    return false;
}

static peck_status missing(peck_error *err)
{
    return fail(err, PECK_UNSUPPORTED,
                "this peck was built without SQLite, in which answers are kept; install "
                "Debian's libsqlite3-dev and build it again");
}

peck_status votes_open(struct votes **out, const char *path, bool is_read_only,
                       peck_error *err)
{
    (void)path, (void)is_read_only;
    *out = NULL;
    return missing(err);
}

void votes_close(struct votes *v)
{
    (void)v;
}

peck_status votes_load(struct votes *v, const struct votes_sink *sink, peck_error *err)
{
    (void)v, (void)sink;
    return missing(err);
}

peck_status votes_do(struct votes *v, const struct votes_change *change, peck_error *err)
{
    (void)v, (void)change;
    return missing(err);
}

peck_status votes_put_note(struct votes *v, const char *key, const char *value,
                           peck_error *err)
{
    (void)v, (void)key, (void)value;
    return missing(err);
}

peck_status votes_put_item(struct votes *v, struct votes_item *i, peck_error *err)
{
    (void)v, (void)i;
    return missing(err);
}

peck_status votes_put_voter(struct votes *v, struct votes_voter *voter, peck_error *err)
{
    (void)v, (void)voter;
    return missing(err);
}

peck_status votes_add_answer(struct votes *v, struct votes_answer *a, peck_error *err)
{
    (void)v, (void)a;
    return missing(err);
}

peck_status votes_change_answer(struct votes *v, uint32_t id, enum poll_outcome outcome,
                                int strength, bool is_deleted, peck_error *err)
{
    (void)v, (void)id, (void)outcome, (void)strength, (void)is_deleted;
    return missing(err);
}

peck_status votes_last_answer(struct votes *v, uint32_t voter, uint32_t *id,
                              peck_error *err)
{
    (void)v, (void)voter, (void)id;
    return missing(err);
}
