/* export.c -- the order of all as CSV, JSON and Markdown, and as preferences for decoders. */
#include "poll_state.h"

#include "../src/base/alloc.h"
#include "../src/base/json.h"
#include "../src/base/number.h"

#include <time.h>

enum { MAX_EXPORT = 1 << 30, JSON_DIGITS = 9 };

/* What every form shows. */
struct shown {
    struct poll *poll;
    struct poll_standing standing;
    struct poll_items items;
    struct poll_voters voters;
    struct poll_agreement agreement;
    struct poll_history history;
    uint32_t *level;
    size_t n_levels;
};

static const struct poll_item *shown_item(const struct shown *s, uint32_t id)
{
    size_t low = 0, high = s->items.n;

    while (low < high) {
        const size_t mid = (low + high) / 2;

        if (s->items.item[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return &s->items.item[low];
}

static void add_number(struct text *t, double value, int digits)
{
    char out[64];

    text_add(t, out, number_print(out, sizeof out, 'f', digits, value));
}

/* CSV: quotes where they are needed. */
static void add_cell(struct text *t, const char *s)
{
    if (strpbrk(s, ",;\"\n\r\t") == NULL) {
        text_add_str(t, s);
        return;
    }
    text_add_str(t, "\"");
    for (; *s != '\0'; s++)
        text_add(t, *s == '"' ? "\"\"" : s, 1 + (*s == '"'));
    text_add_str(t, "\"");
}

static void write_csv(struct text *t, const struct shown *s)
{
    text_add_str(t, "rank,name,score,sd,level,wins,losses,ties,guess\n");
    for (size_t i = 0; i < s->standing.n; i++) {
        const struct poll_place *const p = &s->standing.place[i];

        text_printf(t, "%u,", (unsigned)p->rank);
        add_cell(t, shown_item(s, p->item)->name);
        text_add_str(t, ",");
        add_number(t, p->score, 6);
        text_add_str(t, ",");
        add_number(t, p->sd, 6);
        text_printf(t, ",%s,%zu,%zu,%zu,%s\n", poll_level_name(s->level[i], s->n_levels),
                    p->wins, p->losses, p->ties, p->is_guess ? "yes" : "no");
    }
}

/* Markdown: what would be markup is escaped. */
static void add_plain(struct text *t, const char *s)
{
    for (; *s != '\0'; s++) {
        if (strchr("\\`*_{}[]()<>#|!&~", *s) != NULL)
            text_add_str(t, "\\");
        text_add(t, s, 1);
    }
}

static void write_markdown(struct text *t, const struct shown *s)
{
    const struct poll_standing *const st = &s->standing;

    text_add_str(t, "# ");
    add_plain(t, poll_title(s->poll));
    text_printf(
        t,
        "\n\n%zu items, %zu answers; the first one is sure to %.0f %%, the order to "
        "%.0f %%.\n\n| rank | item | score | level |\n|---:|---|---:|---|\n",
        st->n, st->n_answers, 100 * st->first, 100 * st->all);
    for (size_t i = 0; i < st->n; i++) {
        const struct poll_place *const p = &st->place[i];

        text_printf(t, "| %u | ", (unsigned)p->rank);
        add_plain(t, shown_item(s, p->item)->name);
        text_add_str(t, p->is_guess ? " (a guess) | " : " | ");
        add_number(t, p->score, 2);
        text_add_str(t, " ± ");
        add_number(t, p->sd, 2);
        text_printf(t, " | %s |\n", poll_level_name(s->level[i], s->n_levels));
    }
}

static const char *voter_name(const struct shown *s, uint32_t id)
{
    for (size_t i = 0; i < s->voters.n; i++)
        if (s->voters.voter[i].id == id)
            return s->voters.voter[i].name;
    return "";
}

static void json_put_name(struct json_out *o, const char *key, const char *name)
{
    json_put_text(o, key, span_of(name));
}

static void json_put_answers(struct json_out *o, const struct shown *s)
{
    json_open(o, "answers", '[');
    for (size_t i = s->history.n; i-- > 0;) {
        const struct poll_answer *const a = &s->history.answer[i];
        const time_t seconds = (time_t)a->when;
        struct tm when;
        char stamp[32] = "";

        if (gmtime_r(&seconds, &when) != NULL)
            strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &when);
        json_open(o, NULL, '{');
        json_put_name(o, "voter", voter_name(s, a->voter));
        json_put_name(o, "left", shown_item(s, a->left)->name);
        json_put_name(o, "right", shown_item(s, a->right)->name);
        json_put_name(o, "outcome", poll_outcome_name(a->outcome));
        json_put_bool(o, "strong", a->strength > 1);
        json_put_name(o, "when", stamp);
        json_close(o, '}');
    }
    json_close(o, ']');
}

static void json_put_ranking(struct json_out *o, const struct shown *s)
{
    json_open(o, "ranking", '[');
    for (size_t i = 0; i < s->standing.n; i++) {
        const struct poll_place *const p = &s->standing.place[i];

        json_open(o, NULL, '{');
        json_put_count(o, "rank", p->rank);
        json_put_name(o, "name", shown_item(s, p->item)->name);
        json_put_number(o, "score", p->score, JSON_DIGITS);
        json_put_number(o, "sd", p->sd, JSON_DIGITS);
        json_put_name(o, "level", poll_level_name(s->level[i], s->n_levels));
        json_put_count(o, "wins", p->wins);
        json_put_count(o, "losses", p->losses);
        json_put_count(o, "ties", p->ties);
        json_put_bool(o, "guess", p->is_guess);
        json_close(o, '}');
    }
    json_close(o, ']');
}

static void write_json(struct text *t, const struct shown *s)
{
    const struct poll_standing *const st = &s->standing;
    struct json_out o = { .to = t };

    json_open(&o, NULL, '{');
    json_put_name(&o, "title", poll_title(s->poll));
    json_put_count(&o, "items", st->n);
    json_put_count(&o, "compared", st->n_answers);
    json_put_bool(&o, "enough", st->is_enough);
    json_open(&o, "sureness", '{');
    json_put_number(&o, "first", st->first, JSON_DIGITS);
    json_put_number(&o, "top5", st->top, JSON_DIGITS);
    json_put_number(&o, "all", st->all, JSON_DIGITS);
    json_close(&o, '}');
    json_put_ranking(&o, s);
    json_open(&o, "voters", '[');
    for (size_t i = 0; i < s->agreement.n_voters; i++) {
        const struct poll_agree *const a = &s->agreement.voter[i];

        json_open(&o, NULL, '{');
        json_put_name(&o, "name", voter_name(s, a->voter));
        json_put_count(&o, "compared", a->n_answers);
        json_put_number(&o, "agreement", a->share, JSON_DIGITS);
        json_put_number(&o, "weight", a->weight, JSON_DIGITS);
        json_close(&o, '}');
    }
    json_close(&o, ']');
    json_put_answers(&o, s);
    json_close(&o, '}');
    text_add_str(t, "\n");
}

void poll_export_free(peck_bytes *b)
{
    mem_free(b->s);
    *b = (peck_bytes){ 0 };
}

peck_status poll_export(struct poll *p, const char *form, peck_bytes *out, peck_error *err)
{
    static const struct {
        const char *name;
        void (*write)(struct text *, const struct shown *);
    } forms[] = {
        { "csv", write_csv },
        { "json", write_json },
        { "markdown", write_markdown },
        { "md", write_markdown },
    };
    struct shown s = { .poll = p };
    size_t which = 0;
    struct text t;

    *out = (peck_bytes){ 0 };
    while (which < sizeof forms / sizeof *forms && strcmp(forms[which].name, form) != 0)
        which++;
    if (which == sizeof forms / sizeof *forms)
        return fail(err, PECK_ARG, "no export to '%.60s'; there are csv, json and markdown",
                    form);
    poll_settle(p, -1);
    peck_status st = poll_standing(p, 0, &s.standing, err);

    if (st == PECK_OK)
        st = poll_items(p, &s.items, err);
    if (st == PECK_OK)
        st = poll_voters(p, &s.voters, err);
    if (st == PECK_OK)
        st = poll_agreement(p, &s.agreement, err);
    if (st == PECK_OK)
        st = poll_history(p, 0, 0, &s.history, err);
    text_init(&t, MAX_EXPORT);
    s.level = mem_new(s.standing.n, sizeof *s.level);
    if (st == PECK_OK && s.level != NULL) {
        s.n_levels = poll_levels(&s.standing, 0, s.level);
        forms[which].write(&t, &s);
    }
    if (st == PECK_OK && (s.level == NULL || t.failed))
        st = fail_memory(err, "the export", t.len, 1);
    if (st == PECK_OK)
        *out = (peck_bytes){ t.s, t.len };
    else
        text_free(&t);
    mem_free(s.level);
    poll_history_free(&s.history);
    poll_agreement_free(&s.agreement);
    poll_voters_free(&s.voters);
    poll_items_free(&s.items);
    poll_standing_free(&s.standing);
    return st;
}

peck_status poll_prefs(struct poll *p, peck_prefs **out, peck_error *err)
{
    struct poll_board *b = NULL;
    struct arena room = { 0 };

    *out = NULL;
    poll_settle(p, -1);
    TRY(board_of(p, 0, &b, err));
    pthread_mutex_lock(&p->lock);
    peck_prefs_arrays a = { .size = sizeof a, .n_items = b->n_slots };
    peck_pref *const pref = arena_new(&room, "answers", p->n_records, sizeof *pref);
    const char **const name = arena_new(&room, "items", b->n_slots, sizeof *name);
    peck_status st = arena_check(&room, err);

    for (size_t i = 0; st == PECK_OK && i < b->n_slots; i++)
        name[i] = p->item[b->item[i]].it.name;
    for (size_t i = 0; st == PECK_OK && i < p->n_records; i++) {
        const struct record *const r = &p->record[i];
        const uint32_t left = board_slot(b, r->left), right = board_slot(b, r->right);
        const bool is_right = r->a.outcome == POLL_RIGHT;

        if (r->is_deleted || !is_comparing(r->a.outcome) || left == UINT32_MAX ||
            right == UINT32_MAX)
            continue;
        pref[a.n_prefs++] = (peck_pref){
            .winner = is_right ? right : left,
            .loser = is_right ? left : right,
            .probability = r->a.outcome == POLL_TIE ? .5F : 1,
            .weight = (float)(b->weight[r->voter] * r->a.strength),
        };
    }
    const char *const title[] = { p->title };

    a.pref = pref;
    a.item_name = name;
    a.list_name = title;
    a.n_lists = 1;
    if (st == PECK_OK && a.n_prefs == 0)
        st = fail(err, PECK_FORMAT, "%.300s: no answers in it yet", p->votes_path);
    if (st == PECK_OK)
        st = peck_prefs_make(out, &a, err);
    pthread_mutex_unlock(&p->lock);
    arena_free(&room);
    board_give_back(p, b);
    return st;
}
