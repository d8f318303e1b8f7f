/* votes.c -- see votes.h.  The only user of SQLite.
 *
 * WAL with synchronous FULL: a commit returns when its frames are on the disk, so a kill or a
 * power cut takes nothing that was acknowledged.  Threads that come while a commit is under
 * way wait and share the next one (leader and followers), so hundreds of voters cost as many
 * syncs as the disk can do, not one each.                                              */
#include "votes.h"

#include "../src/base/alloc.h"
#include "../src/base/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION = 0x5065636B, VERSION = 1, PATIENCE_MS = 5000 };

static const char schema[] =
    "CREATE TABLE notes(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"
    "CREATE TABLE items(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT "
    "NULL,"
    " text TEXT NOT NULL, link TEXT NOT NULL, image TEXT NOT NULL, rating REAL,"
    " is_out INTEGER NOT NULL, is_gone INTEGER NOT NULL, is_added INTEGER NOT NULL) STRICT;"
    "CREATE TABLE voters(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " token TEXT NOT NULL UNIQUE, is_owner INTEGER NOT NULL, has_finished INTEGER NOT NULL,"
    " weight REAL NOT NULL) STRICT;"
    "CREATE TABLE answers(id INTEGER PRIMARY KEY, voter INTEGER NOT NULL REFERENCES voters,"
    " question TEXT NOT NULL, left_item INTEGER NOT NULL REFERENCES items,"
    " right_item INTEGER NOT NULL REFERENCES items, outcome TEXT NOT NULL CHECK (outcome IN"
    " ('left', 'right', 'tie', 'skip', 'out-left', 'out-right')),"
    " strength INTEGER NOT NULL CHECK (strength IN (1, 2)), time INTEGER NOT NULL,"
    " is_deleted INTEGER NOT NULL, UNIQUE (voter, question)) STRICT;"
    "CREATE INDEX answers_that_count ON answers(voter, id) WHERE is_deleted = 0;";

enum statement {
    PUT_NOTE,
    NEW_ITEM,
    PUT_ITEM,
    NEW_VOTER,
    PUT_VOTER,
    NEW_ANSWER,
    PUT_ANSWER,
    LAST_ANSWER,
    SAVE_POINT,
    SAVE_UNDO,
    SAVE_END,
    N_STATEMENTS
};

static const char *const sql[N_STATEMENTS] = {
    [PUT_NOTE] = "INSERT INTO notes VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
    [NEW_ITEM] = "INSERT INTO items VALUES (NULL, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [PUT_ITEM] = "UPDATE items SET key = ?2, name = ?3, text = ?4, link = ?5, image = ?6,"
                 " rating = ?7, is_out = ?8, is_gone = ?9, is_added = ?10 WHERE id = ?1",
    [NEW_VOTER] = "INSERT INTO voters VALUES (NULL, ?2, ?3, ?4, ?5, ?6)",
    [PUT_VOTER] = "UPDATE voters SET name = ?2, token = ?3, is_owner = ?4,"
                  " has_finished = ?5, weight = ?6 WHERE id = ?1",
    [NEW_ANSWER] = "INSERT INTO answers VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)"
                   " ON CONFLICT (voter, question) DO NOTHING",
    [PUT_ANSWER] = "UPDATE answers SET outcome = ?2, strength = ?3, is_deleted = ?4"
                   " WHERE id = ?1",
    [LAST_ANSWER] = "SELECT max(id) FROM answers WHERE voter = ?1 AND is_deleted = 0",
    [SAVE_POINT] = "SAVEPOINT change",
    [SAVE_UNDO] = "ROLLBACK TO change",
    [SAVE_END] = "RELEASE change",
};

/* One change on its way to the disk. */
struct queued {
    const struct votes_change *change;
    peck_status status;
    peck_error error;
    bool is_done;
    struct queued *next;
};

struct votes {
    sqlite3 *db;
    sqlite3_stmt *ready[N_STATEMENTS];
    char *path;
    int lock_file; /* this process's; -1: only reading.  Closed after the database, whose own
                    * locks on the same file would go with it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct queued *first, **end;
    bool has_leader;
};

bool votes_is_built(void)
{
    return true;
}

/* What SQLite says, in words that help. */
static peck_status votes_fail(const struct votes *v, int code, peck_error *err)
{
    const int os = v->db != NULL ? sqlite3_system_errno(v->db) : 0;

    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return fail(err, PECK_NOMEM, "%.300s: out of memory", v->path);
    case SQLITE_FULL:
        return fail(
            err, PECK_IO,
            "%.300s: the disk is full; the last answer is not kept, all before it are; "
            "free some space and go on",
            v->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail(err, PECK_IO, "%.300s: another program has it locked; close that first",
                    v->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return fail(
            err, PECK_IO,
            "%.300s: may not be written, or its folder may not; nothing was changed",
            v->path);
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
        return fail(err, PECK_FORMAT,
                    "%.300s: damaged (%s); it is left as it is: take a copy of it from "
                    "before, or save what can be saved by `sqlite3 FILE .recover`",
                    v->path, sqlite3_errmsg(v->db));
    case SQLITE_NOTADB:
        return fail(err, PECK_FORMAT,
                    "%.300s: no file of votes; give another name with --votes", v->path);
    case SQLITE_IOERR:
        if (os == EFBIG || os == ENOSPC || os == EDQUOT)
            return votes_fail(v, SQLITE_FULL, err);
        return fail(
            err, PECK_IO,
            "%.300s: cannot be read or written: %s; the last answer is not kept, all "
            "before it are",
            v->path, os != 0 ? strerror(os) : sqlite3_errmsg(v->db));
    case SQLITE_CANTOPEN:
        return fail(err, PECK_IO, "%.300s: cannot be opened: %s", v->path,
                    os != 0 ? strerror(os) : sqlite3_errmsg(v->db));
    default:
        return fail(err, PECK_IO, "%.300s: SQLite: %s", v->path, sqlite3_errmsg(v->db));
    }
}

static peck_status votes_exec(struct votes *v, const char *text, peck_error *err)
{
    const int code = sqlite3_exec(v->db, text, NULL, NULL, NULL);

    return code == SQLITE_OK ? PECK_OK : votes_fail(v, code, err);
}

/* The one number that a query gives. */
static peck_status votes_number(struct votes *v, const char *text, int64_t *out,
                                peck_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(v->db, text, -1, &s, NULL);

    *out = 0;
    if (code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        *out = sqlite3_column_int64(s, 0);
        code = SQLITE_OK;
    }
    sqlite3_finalize(s);
    return code == SQLITE_OK || code == SQLITE_DONE ? PECK_OK : votes_fail(v, code, err);
}

/* Runs a statement with parameters as `types` says: t a peck_span, i an int64_t, r a double
 * (NaN: null).  A row's first column goes to *row. */
static peck_status votes_run(struct votes *v, enum statement which, int64_t *row,
                             peck_error *err, const char *types, ...)
{
    int code = SQLITE_OK;
    va_list args;

    if (v->ready[which] == NULL)
        code = sqlite3_prepare_v3(v->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                                  &v->ready[which], NULL);
    sqlite3_stmt *const s = v->ready[which];

    va_start(args, types);
    for (int i = 1; code == SQLITE_OK && types[i - 1] != '\0'; i++) {
        if (types[i - 1] == 'i') {
            code = sqlite3_bind_int64(s, i, va_arg(args, int64_t));
        } else if (types[i - 1] == 'r') {
            const double value = va_arg(args, double);

            code =
                isnan(value) ? sqlite3_bind_null(s, i) : sqlite3_bind_double(s, i, value);
        } else {
            const peck_span text = va_arg(args, peck_span);

            code = sqlite3_bind_text(s, i, text.n > 0 ? text.s : "", (int)text.n,
                                     SQLITE_STATIC);
        }
    }
    va_end(args);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW && row != NULL)
        *row = sqlite3_column_int64(s, 0);
    const peck_status st =
        code == SQLITE_ROW || code == SQLITE_DONE ? PECK_OK : votes_fail(v, code, err);

    sqlite3_reset(s);
    if (s != NULL)
        sqlite3_clear_bindings(s);
    return st;
}

/* Opening and closing ---------------------------------------------------------------------- */

void votes_close(struct votes *v)
{
    if (v == NULL)
        return;
    for (size_t i = 0; i < N_STATEMENTS; i++)
        sqlite3_finalize(v->ready[i]);
    sqlite3_close(v->db);
    if (v->lock_file >= 0)
        close(v->lock_file);
    pthread_mutex_destroy(&v->lock);
    pthread_cond_destroy(&v->changed);
    mem_free(v->path);
    mem_free(v);
}

/* Makes the file for its owner's eyes alone, for it holds tokens, and marks it as ours. */
static peck_status take_file(struct votes *v, peck_error *err)
{
    v->lock_file = open(v->path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (v->lock_file < 0)
        return fail(
            err, PECK_IO,
            "%.300s: answers cannot be kept there: %s; give another place with --votes",
            v->path, strerror(errno));
    if (flock(v->lock_file, LOCK_EX | LOCK_NB) != 0)
        return fail(err, PECK_IO,
                    "%.300s: another `peck ask` is using it; stop that one first", v->path);
    return PECK_OK;
}

/* A file on a disk that cannot be written has no journal to look at, unless one was left. */
static int open_to_read(struct votes *v)
{
    const size_t room = 3 * strlen(v->path) + 32;
    char *const uri = mem_new(room, 1), *const wal = mem_new(room, 1);
    size_t n = 0;
    int code = SQLITE_NOMEM;

    if (uri != NULL && wal != NULL) {
        snprintf(wal, room, "%s-wal", v->path);
        n = (size_t)snprintf(uri, room, "file:");
        for (const char *p = v->path; *p != '\0'; p++)
            n += (size_t)(strchr("%?#", *p) != NULL
                              ? snprintf(uri + n, room - n, "%%%02X", (unsigned char)*p)
                              : snprintf(uri + n, room - n, "%c", *p));
        if (access(wal, F_OK) != 0)
            snprintf(uri + n, room - n, "?immutable=1");
        code = sqlite3_open_v2(uri, &v->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    }
    mem_free(uri);
    mem_free(wal);
    return code;
}

static peck_status check_content(struct votes *v, bool is_read_only, peck_error *err)
{
    int64_t application, version, n_tables, n_bad;

    TRY(votes_number(v, "PRAGMA application_id", &application, err));
    TRY(votes_number(v, "PRAGMA user_version", &version, err));
    TRY(votes_number(v, "SELECT count(*) FROM sqlite_schema", &n_tables, err));
    if (n_tables == 0 && application == 0 && !is_read_only) {
        char mark[64];

        TRY(votes_exec(v, "BEGIN IMMEDIATE", err));
        TRY(votes_exec(v, schema, err));
        snprintf(mark, sizeof mark, "PRAGMA application_id = %d", APPLICATION);
        TRY(votes_exec(v, mark, err));
        snprintf(mark, sizeof mark, "PRAGMA user_version = %d", VERSION);
        TRY(votes_exec(v, mark, err));
        return votes_exec(v, "COMMIT", err);
    }
    if (application != APPLICATION)
        return fail(err, PECK_FORMAT,
                    n_tables == 0
                        ? "%.300s: no answers in it yet"
                        : "%.300s: an SQLite file of another program; give another "
                          "name with --votes",
                    v->path);
    if (version != VERSION)
        return fail(
            err, PECK_FORMAT,
            "%.300s: written by a later peck (form %lld, this one knows %d); use that "
            "one",
            v->path, (long long)version, VERSION);
    TRY(votes_number(v, "SELECT count(*) FROM pragma_quick_check WHERE quick_check <> 'ok'",
                     &n_bad, err));
    return n_bad == 0 ? PECK_OK : votes_fail(v, SQLITE_CORRUPT, err);
}

peck_status votes_open(struct votes **out, const char *path, bool is_read_only,
                       peck_error *err)
{
    struct votes *const v = mem_new(1, sizeof *v);
    peck_status st = PECK_OK;
    int code;

    *out = NULL;
    if (v == NULL || (v->path = mem_new(strlen(path) + 1, 1)) == NULL) {
        mem_free(v);
        return fail_memory(err, "votes", 1, sizeof *v);
    }
    memcpy(v->path, path, strlen(path));
    v->lock_file = -1;
    v->end = &v->first;
    pthread_mutex_init(&v->lock, NULL);
    pthread_cond_init(&v->changed, NULL);
    if (is_read_only) {
        if (access(path, R_OK) != 0)
            st =
                fail(err, PECK_IO, "%.300s: %s%s", path, strerror(errno),
                     errno == ENOENT ? "; `peck ask` makes it with the first answers" : "");
        else if ((code = open_to_read(v)) != SQLITE_OK)
            st = votes_fail(v, code, err);
    } else {
        st = take_file(v, err);
        if (st == PECK_OK && (code = sqlite3_open_v2(path, &v->db, SQLITE_OPEN_READWRITE,
                                                     NULL)) != SQLITE_OK)
            st = votes_fail(v, code, err);
    }
    if (st == PECK_OK) {
        sqlite3_busy_timeout(v->db, PATIENCE_MS);
        sqlite3_extended_result_codes(v->db, 1);
        st = check_content(v, is_read_only, err);
    }
    if (st == PECK_OK && !is_read_only)
        st = votes_exec(v,
                        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                        "PRAGMA foreign_keys = ON",
                        err);
    if (st == PECK_OK)
        *out = v;
    else
        votes_close(v);
    return st;
}

/* Reading ------------------------------------------------------------------------------------ */

static peck_span column_text(sqlite3_stmt *s, int i)
{
    const char *const text = (const char *)sqlite3_column_text(s, i);

    return (peck_span){ text != NULL ? text : "", (size_t)sqlite3_column_bytes(s, i) };
}

static peck_status load_note(sqlite3_stmt *s, const struct votes_sink *to, peck_error *err)
{
    return to->note(to->ctx, column_text(s, 0), column_text(s, 1), err);
}

static peck_status load_item(sqlite3_stmt *s, const struct votes_sink *to, peck_error *err)
{
    const struct votes_item i = {
        (uint32_t)sqlite3_column_int64(s, 0),
        column_text(s, 1),
        column_text(s, 2),
        column_text(s, 3),
        column_text(s, 4),
        column_text(s, 5),
        sqlite3_column_type(s, 6) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 6),
        sqlite3_column_int(s, 7) != 0,
        sqlite3_column_int(s, 8) != 0,
        sqlite3_column_int(s, 9) != 0,
    };

    return to->item(to->ctx, &i, err);
}

static peck_status load_voter(sqlite3_stmt *s, const struct votes_sink *to, peck_error *err)
{
    const struct votes_voter v = {
        (uint32_t)sqlite3_column_int64(s, 0),
        column_text(s, 1),
        column_text(s, 2),
        sqlite3_column_int(s, 3) != 0,
        sqlite3_column_int(s, 4) != 0,
        sqlite3_column_double(s, 5),
    };

    return to->voter(to->ctx, &v, err);
}

static peck_status load_answer(sqlite3_stmt *s, const struct votes_sink *to,
                               peck_error *err)
{
    struct votes_answer a = {
        .id = (uint32_t)sqlite3_column_int64(s, 0),
        .voter = (uint32_t)sqlite3_column_int64(s, 1),
        .question = column_text(s, 2),
        .left = (uint32_t)sqlite3_column_int64(s, 3),
        .right = (uint32_t)sqlite3_column_int64(s, 4),
        .strength = sqlite3_column_int(s, 6),
        .when = sqlite3_column_int64(s, 7),
        .is_deleted = sqlite3_column_int(s, 8) != 0,
    };

    if (!poll_outcome_find(&a.outcome, column_text(s, 5)))
        return fail(err, PECK_FORMAT, "answer %u has an outcome that there is not",
                    (unsigned)a.id);
    return to->answer(to->ctx, &a, err);
}

peck_status votes_load(struct votes *v, const struct votes_sink *sink, peck_error *err)
{
    static const struct {
        const char *text;
        peck_status (*load)(sqlite3_stmt *, const struct votes_sink *, peck_error *);
    } table[] = {
        { "SELECT key, value FROM notes", load_note },
        { "SELECT id, key, name, text, link, image, rating, is_out, is_gone, is_added"
          " FROM items ORDER BY id",
          load_item },
        { "SELECT id, name, token, is_owner, has_finished, weight FROM voters ORDER BY id",
          load_voter },
        { "SELECT id, voter, question, left_item, right_item, outcome, strength, time,"
          " is_deleted FROM answers ORDER BY id",
          load_answer },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sqlite3_stmt *s = NULL;
        peck_status st = PECK_OK;
        int code = sqlite3_prepare_v2(v->db, table[i].text, -1, &s, NULL);

        if (code == SQLITE_OK)
            while (st == PECK_OK && (code = sqlite3_step(s)) == SQLITE_ROW)
                st = table[i].load(s, sink, err);
        if (st == PECK_OK && code != SQLITE_DONE)
            st = votes_fail(v, code, err);
        sqlite3_finalize(s);
        TRY(st);
    }
    return PECK_OK;
}

/* Writing ------------------------------------------------------------------------------------- */

/* One change inside the transaction, whole or not at all. */
static void write_one(struct votes *v, struct queued *q)
{
    const struct votes_change *const c = q->change;

    q->status = votes_run(v, SAVE_POINT, NULL, &q->error, "");
    if (q->status != PECK_OK)
        return;
    q->status = c->write(v, c->ctx, &q->error);
    if (q->status != PECK_OK && sqlite3_get_autocommit(v->db) == 0)
        (void)votes_run(v, SAVE_UNDO, NULL, NULL, "");
    if (sqlite3_get_autocommit(v->db) == 0) {
        peck_error more;

        if (votes_run(v, SAVE_END, NULL, &more, "") != PECK_OK && q->status == PECK_OK) {
            q->status = more.status;
            q->error = more;
        }
    }
}

/* A batch in one transaction.  Where that breaks (SQLite itself rolls back on a full disk)
 * every change in it fails. */
static void commit_batch(struct votes *v, struct queued *batch)
{
    peck_error why;
    peck_status st = votes_exec(v, "BEGIN IMMEDIATE", &why);

    for (struct queued *q = batch; st == PECK_OK && q != NULL; q = q->next) {
        write_one(v, q);
        if (sqlite3_get_autocommit(v->db) != 0) {
            st = q->status;
            why = q->error;
        }
    }
    if (st == PECK_OK)
        st = votes_exec(v, "COMMIT", &why);
    if (sqlite3_get_autocommit(v->db) == 0)
        sqlite3_exec(v->db, "ROLLBACK", NULL, NULL, NULL);
    for (struct queued *q = batch; q != NULL; q = q->next) {
        if (st != PECK_OK) {
            q->status = st;
            q->error = why;
        } else if (q->status == PECK_OK) {
            q->change->apply(q->change->ctx);
        }
    }
}

peck_status votes_do(struct votes *v, const struct votes_change *change, peck_error *err)
{
    struct queued mine = { .change = change };

    pthread_mutex_lock(&v->lock);
    *v->end = &mine;
    v->end = &mine.next;
    while (!mine.is_done) {
        if (v->has_leader) {
            pthread_cond_wait(&v->changed, &v->lock);
            continue;
        }
        struct queued *const batch = v->first;

        v->first = NULL;
        v->end = &v->first;
        v->has_leader = true;
        pthread_mutex_unlock(&v->lock);
        commit_batch(v, batch);
        pthread_mutex_lock(&v->lock);
        for (struct queued *q = batch, *next; q != NULL; q = next) {
            next = q->next; /* q may be gone as soon as its thread sees is_done */
            q->is_done = true;
        }
        v->has_leader = false;
        pthread_cond_broadcast(&v->changed);
    }
    pthread_mutex_unlock(&v->lock);
    if (mine.status != PECK_OK && err != NULL)
        *err = mine.error;
    return mine.status;
}

peck_status votes_put_note(struct votes *v, const char *key, const char *value,
                           peck_error *err)
{
    return votes_run(v, PUT_NOTE, NULL, err, "tt", span_of(key), span_of(value));
}

peck_status votes_put_item(struct votes *v, struct votes_item *i, peck_error *err)
{
    const bool is_new = i->id == 0;

    TRY(votes_run(v, is_new ? NEW_ITEM : PUT_ITEM, NULL, err, "itttttriii", (int64_t)i->id,
                  i->key, i->name, i->text, i->link, i->image, i->rating,
                  (int64_t)i->is_out, (int64_t)i->is_gone, (int64_t)i->is_added));
    if (is_new)
        i->id = (uint32_t)sqlite3_last_insert_rowid(v->db);
    return PECK_OK;
}

peck_status votes_put_voter(struct votes *v, struct votes_voter *voter, peck_error *err)
{
    const bool is_new = voter->id == 0;

    TRY(votes_run(v, is_new ? NEW_VOTER : PUT_VOTER, NULL, err, "ittiir",
                  (int64_t)voter->id, voter->name, voter->token, (int64_t)voter->is_owner,
                  (int64_t)voter->has_finished, voter->weight));
    if (is_new)
        voter->id = (uint32_t)sqlite3_last_insert_rowid(v->db);
    return PECK_OK;
}

peck_status votes_add_answer(struct votes *v, struct votes_answer *a, peck_error *err)
{
    TRY(votes_run(v, NEW_ANSWER, NULL, err, "itiitii", (int64_t)a->voter, a->question,
                  (int64_t)a->left, (int64_t)a->right,
                  span_of(poll_outcome_name(a->outcome)), (int64_t)a->strength, a->when));
    a->id = sqlite3_changes(v->db) > 0 ? (uint32_t)sqlite3_last_insert_rowid(v->db) : 0;
    return PECK_OK;
}

peck_status votes_change_answer(struct votes *v, uint32_t id, enum poll_outcome outcome,
                                int strength, bool is_deleted, peck_error *err)
{
    return votes_run(v, PUT_ANSWER, NULL, err, "itii", (int64_t)id,
                     span_of(poll_outcome_name(outcome)), (int64_t)strength,
                     (int64_t)is_deleted);
}

peck_status votes_last_answer(struct votes *v, uint32_t voter, uint32_t *id,
                              peck_error *err)
{
    int64_t row = 0;

    TRY(votes_run(v, LAST_ANSWER, &row, err, "i", (int64_t)voter));
    *id = (uint32_t)row;
    return PECK_OK;
}
