/* opening.c -- a poll is opened: its paths, its file of votes, and what changed in ITEMS. */
#include "items.h"
#include "poll_state.h"

#include "../src/base/alloc.h"
#include "../src/base/folder.h"
#include "../src/base/number.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

/* a, then the n bytes at b, in memory of its own. */
static char *join(const char *a, const char *b, size_t n)
{
    const size_t room = strlen(a) + n + 1;
    char *const s = mem_new(room, 1);

    if (s != NULL)
        snprintf(s, room, "%s%.*s", a, (int)n, b);
    return s;
}

static size_t name_start(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* "pics/" -> "pics", "." -> where we are: what ".votes" can be put behind.  NULL: no memory. */
static char *clean_path(const char *items)
{
    char here[PATH_MAX];
    size_t n = strlen(items);

    while (n > 1 && items[n - 1] == '/')
        n--;
    if (n == 1 && items[0] == '.' && getcwd(here, sizeof here) != NULL)
        return join(here, "", 0);
    return join("", items, n);
}

/* Where the file of votes, the pictures and the title are.  items NULL: beside the votes, as
 * the file itself says (p->source). */
static peck_status find_paths(struct poll *p, const char *items, const char *votes,
                              peck_error *err)
{
    char *const path = items != NULL ? clean_path(items) : join(votes, "", 0);

    if (path == NULL)
        return fail_memory(err, "paths", 1, strlen(items != NULL ? items : votes));
    p->votes_path = votes != NULL ? join(votes, "", 0) : join(path, ".votes", 6);
    const size_t start = name_start(path);
    size_t n = strlen(path + start);

    if (items != NULL) {
        snprintf(p->source, sizeof p->source, "%s", path + start);
        p->folder = is_directory(path)
                        ? join(path, "", 0)
                        : (start > 0 ? join("", path, start) : join(".", "", 0));
    } else if (n > 6 && strcmp(path + start + n - 6, ".votes") == 0) {
        n -= 6;
    }
    const char *const dot = memchr(path + start + (n > 0), '.', n > 0 ? n - 1 : 0);

    if (items == NULL || !is_directory(path))
        n = dot != NULL ? (size_t)(dot - path) - start : n;
    p->title = join("", path + start, n);
    mem_free(path);
    if (p->votes_path == NULL || p->title == NULL || (items != NULL && p->folder == NULL))
        return fail_memory(err, "paths", 1, n);
    return PECK_OK;
}

/* The folder of the pictures from what the file of votes remembers. */
static peck_status find_folder(struct poll *p, peck_error *err)
{
    if (p->folder != NULL)
        return PECK_OK;
    char *const beside = join("", p->votes_path, name_start(p->votes_path));
    char *const source = beside != NULL ? join(beside, p->source, strlen(p->source)) : NULL;

    if (source != NULL && p->source[0] != '\0' && is_directory(source))
        p->folder = join(source, "", 0);
    else if (beside != NULL)
        p->folder = join(beside[0] != '\0' ? beside : ".", "", 0);
    mem_free(beside);
    mem_free(source);
    return p->folder != NULL ? PECK_OK : fail_memory(err, "paths", 1, PATH_MAX);
}

/* From the file into memory -------------------------------------------------------------------- */

static peck_status take_note(void *ctx, peck_span key, peck_span value, peck_error *err)
{
    struct poll *const p = ctx;
    uint64_t number;

    (void)err;
    if (span_is(key, "goal") && value.n < 8) {
        char padded[16] = { 0 };

        memcpy(padded, value.s, value.n);
        if (number_parse_u64((peck_span){ padded, value.n }, &number))
            p->goal = (size_t)number;
    }
    if (span_is(key, "items") && p->source[0] == '\0' && value.n < sizeof p->source)
        memcpy(p->source, value.s, value.n);
    return PECK_OK;
}

static peck_status taken(bool is_taken, peck_error *err)
{
    return is_taken ? PECK_OK
                    : fail(err, PECK_NOMEM, "out of memory for the file of votes");
}

static peck_status take_item(void *ctx, const struct votes_item *i, peck_error *err)
{
    return taken(mirror_item(ctx, i), err);
}

static peck_status take_voter(void *ctx, const struct votes_voter *v, peck_error *err)
{
    return taken(mirror_voter(ctx, v), err);
}

static peck_status take_answer(void *ctx, const struct votes_answer *a, peck_error *err)
{
    return taken(mirror_answer(ctx, a), err);
}

/* ITEMS, as it is now ---------------------------------------------------------------------------- */

struct update {
    struct poll *poll;
    const struct item_list *list; /* NULL: ITEMS was not given */
    size_t n_new, n_gone, n_back;
    char first_gone[POLL_MAX_NAME + 1];
};

static peck_status update_old(struct votes *v, struct update *u, struct item *it,
                              int64_t at, peck_error *err)
{
    struct votes_item row = { it->it.id,
                              span_of(it->key),
                              span_of(it->it.name),
                              span_of(it->it.text),
                              span_of(it->it.link),
                              span_of(it->it.image),
                              it->it.rating,
                              it->is_set_out,
                              it->it.is_gone,
                              it->is_added };

    if (at >= 0) {
        row.name = strings_get(&u->list->name, (size_t)at);
        row.text = strings_get(&u->list->text, (size_t)at);
        row.link = strings_get(&u->list->link, (size_t)at);
        row.image = strings_get(&u->list->image, (size_t)at);
        row.rating = u->list->rating[at];
        u->n_back += it->it.is_gone;
        row.is_gone = false;
    } else if (!it->is_added && !it->it.is_gone) {
        if (u->n_gone++ == 0)
            snprintf(u->first_gone, sizeof u->first_gone, "%s", it->it.name);
        row.is_gone = true;
    } else {
        return PECK_OK;
    }
    TRY(votes_put_item(v, &row, err));
    return taken(mirror_item(u->poll, &row), err);
}

/* Runs before the poll has any other thread, so the mirror may follow at once. */
static peck_status write_update(struct votes *v, void *ctx, peck_error *err)
{
    struct update *const u = ctx;
    struct poll *const p = u->poll;
    const size_t n_old = p->n_items;

    for (size_t i = 0; u->list != NULL && i < n_old; i++)
        TRY(update_old(v, u, &p->item[i],
                       index_find(&u->list->key, span_of(p->item[i].key)), err));
    for (size_t i = 0; u->list != NULL && i < u->list->n; i++) {
        const peck_span key = strings_get(&u->list->key.names, i);
        struct votes_item row = { .key = key,
                                  .name = strings_get(&u->list->name, i),
                                  .text = strings_get(&u->list->text, i),
                                  .link = strings_get(&u->list->link, i),
                                  .image = strings_get(&u->list->image, i),
                                  .rating = u->list->rating[i] };

        if (index_find(&p->keys, key) >= 0)
            continue;
        if (p->n_items == POLL_MAX_ITEMS)
            return fail(err, PECK_FORMAT,
                        "%.300s: more than %d items, with those that were there before",
                        p->votes_path, POLL_MAX_ITEMS);
        TRY(votes_put_item(v, &row, err));
        TRY(taken(mirror_item(p, &row), err));
        u->n_new++;
    }
    if (p->owner == 0) {
        char token[POLL_TOKEN + 1];
        struct votes_voter row = { .name = span_of("owner"),
                                   .token = { token, POLL_TOKEN },
                                   .is_owner = true,
                                   .weight = 1 };

        TRY(poll_random(token, POLL_TOKEN, err));
        TRY(votes_put_voter(v, &row, err));
        TRY(taken(mirror_voter(p, &row), err));
    }
    return votes_put_note(v, "items", p->source, err);
}

static void apply_nothing(void *ctx)
{
    (void)ctx;
}

static void tell_changes(const struct poll_spec *spec, const struct update *u,
                         bool is_first_time)
{
    const struct item_list *const list = u->list;
    char text[1024];

    if (spec->tell == NULL || list == NULL)
        return;
    if (list->n_twice > 0) {
        snprintf(text, sizeof text, "'%.60s'%s there more than once and counts once",
                 list->twice, list->n_twice > 1 ? " and others are" : " is");
        spec->tell(spec->ctx, text);
    }
    if (list->n_no_picture > 0) {
        snprintf(text, sizeof text, "%zu file%s in the folder %s no picture%s: ignored",
                 list->n_no_picture, list->n_no_picture == 1 ? "" : "s",
                 list->n_no_picture == 1 ? "is" : "are",
                 list->n_no_picture == 1 ? "" : "s");
        spec->tell(spec->ctx, text);
    }
    if (!is_first_time && u->n_new > 0) {
        snprintf(text, sizeof text, "%zu new item%s since the last time", u->n_new,
                 u->n_new == 1 ? "" : "s");
        spec->tell(spec->ctx, text);
    }
    if (u->n_gone > 0) {
        snprintf(text, sizeof text,
                 "'%.60s'%s gone from the list, so out of play; answers are kept",
                 u->first_gone, u->n_gone > 1 ? " and others are" : " is");
        spec->tell(spec->ctx, text);
    }
    if (u->n_back > 0) {
        snprintf(text, sizeof text, "%zu item%s back in the list, with the answers",
                 u->n_back, u->n_back == 1 ? " is" : "s are");
        spec->tell(spec->ctx, text);
    }
}

/* ------------------------------------------------------------------------------------------------- */

void poll_close(struct poll *p)
{
    if (p == NULL)
        return;
    fitter_stop(p);
    votes_close(p->votes);
    board_free(p->board);
    for (size_t i = 0; i < p->n_items; i++)
        mem_free(p->item[i].block);
    for (size_t i = 0; i < p->n_persons; i++) {
        board_free(p->person[i].own);
        mem_free(p->person[i].outs);
        mem_free(p->person[i].pair);
    }
    mem_free(p->item);
    mem_free(p->person);
    mem_free(p->record);
    features_close(p->features);
    index_free(&p->keys);
    index_free(&p->asked);
    mem_free(p->votes_path);
    mem_free(p->folder);
    mem_free(p->title);
    pthread_cond_destroy(&p->has_work);
    pthread_cond_destroy(&p->has_board);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

static peck_status open_votes(struct poll *p, const struct poll_spec *spec,
                              const struct item_list *list, peck_error *err)
{
    const struct votes_sink sink = { take_note, take_item, take_voter, take_answer, p };
    struct update u = { .poll = p, .list = list };
    const struct votes_change change = { write_update, apply_nothing, &u };

    if (list != NULL && list->n < 2 && access(p->votes_path, F_OK) != 0)
        return fail(
            err, PECK_FORMAT,
            "%.300s: '%.*s' alone, and nothing to compare it with; add a second item",
            spec->items, SPAN_ARGS(strings_get(&list->name, 0)));
    TRY(votes_open(&p->votes, p->votes_path, spec->is_read_only, err));
    TRY(votes_load(p->votes, &sink, err));
    const bool is_first_time = p->n_items == 0;
    size_t n_play = 0;

    if (!spec->is_read_only)
        TRY(votes_do(p->votes, &change, err));
    update_play(p);
    p->data = 1;
    for (size_t i = 0; i < p->n_items; i++)
        n_play += !p->item[i].it.is_out;
    tell_changes(spec, &u, is_first_time);
    if (n_play < 2 && !spec->is_read_only)
        return fail(err, PECK_FORMAT, "%.300s: %s; add items, or bring some back into play",
                    p->votes_path,
                    n_play == 0 ? "no item is in play" : "one item alone is in play");
    return PECK_OK;
}

peck_status poll_open(struct poll **out, const struct poll_spec *spec, peck_error *err)
{
    struct poll *const p = mem_new(1, sizeof *p);
    struct item_list list = { 0 };
    const char *items = spec->items, *votes = spec->votes;
    peck_status st = PECK_OK;

    *out = NULL;
    if (p == NULL)
        return fail_memory(err, "a poll", 1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->has_work, NULL);
    pthread_cond_init(&p->has_board, NULL);
    p->is_read_only = spec->is_read_only;
    p->seed = spec->seed;
    p->threads = spec->threads;
    if (items != NULL && votes == NULL && poll_is_votes(items)) {
        votes = items;
        items = NULL;
    }
    if (items == NULL && votes == NULL)
        st = fail(err, PECK_ARG, "a poll needs items, or a file of votes");
    if (st == PECK_OK && !votes_is_built())
        st = votes_open(&p->votes, "", true, err);
    if (st == PECK_OK && items != NULL && !spec->is_read_only)
        st = items_read(&list, items, err);
    if (st == PECK_OK && spec->features != NULL)
        st = features_open(&p->features, spec->features, err);
    if (st == PECK_OK)
        st = find_paths(p, items, votes, err);
    if (st == PECK_OK)
        st = open_votes(p, spec, items != NULL && !spec->is_read_only ? &list : NULL, err);
    if (st == PECK_OK)
        st = find_folder(p, err);
    if (st == PECK_OK)
        st = fitter_start(p, err);
    items_free(&list);
    if (st == PECK_OK)
        *out = p;
    else
        poll_close(p);
    return st;
}
