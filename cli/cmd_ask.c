/* cmd_ask.c -- a person is asked which of two, until an order is known. */
#include "outputs.h"

#include "../ask/poll.h"
#include "../ask/terminal.h"
#include "../web/web.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ask_args {
    const char *votes, *as, *top, *export, *import;
    const char *voters, *listen, *features;
    uint64_t seed;
    int port, threads, is_web, is_plain, has_no_browser;
};

static const struct opt ask_rows[] = {
    { "top", 'k', OPT_TEXT, "K", NULL,
      "what to find out: the first K; 0 (the default) is the whole order",
      offsetof(struct ask_args, top) },
    { "votes", 0, OPT_TEXT, "FILE", NULL,
      "where answers are kept; default: ITEMS.votes beside ITEMS",
      offsetof(struct ask_args, votes) },
    { "import", 0, OPT_TEXT, "PREFS", NULL,
      "first import old comparisons, in any form that `peck decode` reads",
      offsetof(struct ask_args, import) },
    { "item-features", 0, OPT_TEXT, "DATA", NULL,
      "features of the items, by name or by line: a model that learns from the answers "
      "estimates where the others belong",
      offsetof(struct ask_args, features) },
    { "plain", 0, OPT_FLAG, NULL, NULL,
      "one line per question, as in a pipe; for screen readers",
      offsetof(struct ask_args, is_plain) },
    SEED_ROW(struct ask_args, seed, "the same seed and answers give the same questions"),
    THREADS_ROW(struct ask_args),
    { 0 }
};

static const struct opt ask_web_rows[] = {
    { "web", 'w', OPT_FLAG, NULL, NULL, "ask on a page in the browser, until stopped",
      offsetof(struct ask_args, is_web) },
    { "voters", 0, OPT_TEXT, "NAMES", NULL,
      "several people: names separated by commas, or how many; each gets a link",
      offsetof(struct ask_args, voters) },
    { "as", 0, OPT_TEXT, "NAME", NULL, "in the terminal: answer as this voter",
      offsetof(struct ask_args, as) },
    { "listen", 0, OPT_TEXT, "ADDRESS", NULL,
      "for others in the same network; default: only this machine",
      offsetof(struct ask_args, listen) },
    { "port", 0, OPT_INT, "N", "0", "0 is any that is free",
      offsetof(struct ask_args, port) },
    { "no-browser", 0, OPT_FLAG, NULL, NULL, "do not open a browser, only print the link",
      offsetof(struct ask_args, has_no_browser) },
    { 0 }
};

static const struct opt ask_export_rows[] = {
    { "export", 'e', OPT_TEXT, "csv|json|markdown", NULL,
      "print the order so far, and ask nothing", offsetof(struct ask_args, export) },
    { 0 }
};

static void tell_change(void *ctx, const char *sentence)
{
    talk_note(ctx, "%s", sentence);
}

/* The voter of this name, made where there is none. */
static peck_status find_voter(struct poll *p, const char *name, size_t n, uint32_t *id,
                              peck_error *err)
{
    struct poll_voters all;
    struct poll_voter made;
    peck_status st = poll_voters(p, &all, err);

    *id = 0;
    for (size_t i = 0; st == PECK_OK && i < all.n; i++)
        if (strlen(all.voter[i].name) == n && memcmp(all.voter[i].name, name, n) == 0)
            *id = all.voter[i].id;
    if (st == PECK_OK && *id == 0) {
        st = poll_add_voter(p, (peck_span){ name, n }, &made, err);
        *id = made.id;
    }
    poll_voters_free(&all);
    return st;
}

/* "Ann,Bob" or "3", which is voter 1, voter 2, voter 3. */
static peck_status make_voters(struct poll *p, const char *voters, peck_error *err)
{
    uint32_t id;
    double many;

    if (opt_parse_real(voters, &many)) {
        if (!(many >= 1 && many <= POLL_MAX_VOTERS) || many != (double)(unsigned)many)
            return refuse(err, PECK_ARG, "--voters takes names, or a number from 1 to %d",
                          POLL_MAX_VOTERS);
        for (unsigned i = 1; i <= (unsigned)many; i++) {
            char name[32];
            const int n = snprintf(name, sizeof name, "voter %u", i);
            const peck_status st = find_voter(p, name, (size_t)n, &id, err);

            if (st != PECK_OK)
                return st;
        }
        return PECK_OK;
    }
    for (const char *name = voters; *name != '\0';) {
        const size_t n = strcspn(name, ",");
        const size_t blanks = strspn(name, " ");

        if (n > blanks) {
            size_t end = n;

            while (end > blanks && name[end - 1] == ' ')
                end--;
            const peck_status st = find_voter(p, name + blanks, end - blanks, &id, err);

            if (st != PECK_OK)
                return st;
        }
        name += n + (name[n] == ',');
    }
    return PECK_OK;
}

static void tell_link(void *ctx, const char *name, const char *link)
{
    (void)ctx;
    put_plain(stdout, (peck_span){ name, strlen(name) }, ' ');
    printf("\t%s\n", link);
    fflush(stdout);
}

static bool is_over(void *ctx)
{
    (void)ctx;
    return talk_was_interrupted();
}

static peck_status serve_page(const struct call *c, struct poll *p)
{
    const struct ask_args *a = c->args;
    struct poll_voters all;
    size_t n_voters = 0;
    peck_status st = poll_voters(p, &all, c->err);

    if (st != PECK_OK)
        return st;
    for (size_t i = 0; i < all.n; i++)
        n_voters += !all.voter[i].is_owner && strcmp(all.voter[i].name, "imported") != 0;
    poll_voters_free(&all);
    const struct web_spec spec = {
        .address = a->listen,
        .port = (unsigned)a->port,
        .has_voters = n_voters > 0,
        .opens_browser = !a->has_no_browser && isatty(STDOUT_FILENO),
        .tell = tell_link,
        .is_over = is_over,
        .ctx = c->talk,
    };

    talk_catch_interrupts();
    return web_serve(p, &spec, c->err);
}

static peck_status print_export(struct poll *p, const char *form, peck_error *err)
{
    peck_bytes text;
    const peck_status st = poll_export(p, form, &text, err);

    if (st == PECK_OK)
        fwrite(text.s, 1, text.n, stdout);
    poll_export_free(&text);
    return st;
}

static peck_status check_words(const struct call *c, double *top)
{
    const struct ask_args *a = c->args;

    *top = -1;
    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG,
                      "missing ITEMS, or more than one: `peck ask ITEMS`");
    if (a->top != NULL && (!opt_parse_real(a->top, top) || !(*top >= 0 && *top < 1e6) ||
                           *top != (double)(unsigned)*top))
        return refuse(c->err, PECK_ARG, "--top takes a number, 0 for the whole order");
    if (!a->is_web && (a->voters != NULL || a->listen != NULL || a->port != 0))
        return refuse(c->err, PECK_ARG,
                      "--voters, --listen and --port are of the page; use --web too");
    if (a->port > 65535)
        return refuse(c->err, PECK_ARG, "--port takes a number from 0 to 65535");
    if (a->is_web && a->as != NULL)
        return refuse(c->err, PECK_ARG,
                      "--as is for the terminal; on the page each voter "
                      "has a link: see --voters");
    return PECK_OK;
}

/* What was said on the command line goes into the poll; then people are asked. */
static peck_status run_poll(const struct call *c, struct poll *p, double top)
{
    const struct ask_args *a = c->args;
    uint32_t voter = poll_owner(p);
    size_t n_taken = 0;
    peck_status st = PECK_OK;

    if (a->import != NULL) {
        st = poll_import(p, a->import, &n_taken, c->err);
        if (st == PECK_OK)
            talk_note(c->talk, "%zu comparison%s of %s imported", n_taken,
                      n_taken == 1 ? "" : "s", a->import);
    }
    if (st == PECK_OK && top >= 0)
        st = poll_set_goal(p, (size_t)top, c->err);
    if (st == PECK_OK && a->voters != NULL)
        st = make_voters(p, a->voters, c->err);
    if (st == PECK_OK && a->as != NULL)
        st = find_voter(p, a->as, strlen(a->as), &voter, c->err);
    if (st != PECK_OK)
        return st;
    if (a->is_web)
        return serve_page(c, p);
    return terminal_ask(
        p, voter, !a->is_plain && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), c->err);
}

static peck_status ask_main(struct call *c)
{
    const struct ask_args *a = c->args;
    struct poll *p = NULL;
    double top;
    peck_status st = check_words(c, &top);

    if (st != PECK_OK)
        return st;
    const struct poll_spec spec = {
        .items = c->word[0],
        .votes = a->votes,
        .is_read_only = a->export != NULL,
        .seed = a->seed,
        .threads = a->threads,
        .features = a->features,
        .tell = tell_change,
        .ctx = c->talk,
    };
    st = poll_open(&p, &spec, c->err);
    if (st == PECK_OK)
        st = a->export != NULL ? print_export(p, a->export, c->err) : run_poll(c, p, top);
    poll_close(p);
    return st;
}

const struct verb verb_ask = {
    .name = "ask",
    .summary = "rank anything by comparing two at a time",
    .usage = { "ITEMS [options]", "ITEMS --web [options]", "ITEMS --export FORM" },
    .about =
        "ITEMS is a text file with one item per line (a list of Markdown too), a CSV file "
        "with a header (name, and perhaps image, text, link, and rating for old ratings), "
        "or a folder of pictures. Asks which of two is better, each time the pair whose "
        "answer tells most, and shows the order so far with its uncertainty, and about "
        "how many questions are left. Stop whenever you like.\n\nIn a terminal: left and "
        "right arrow or 1 and 2 choose, t is a tie, s skips, d puts one out of play that "
        "you do not know, u takes the last answer back, p prints, q quits, ? helps. "
        "Without a terminal it reads one answer per line.\n\nEvery answer is safe on the "
        "disk, in one SQLite file beside ITEMS, before the next question is shown; `peck "
        "ask ITEMS` goes on where it stopped, and takes in items that are new. `peck "
        "decode ITEMS.votes` ranks by the same answers.",
    .groups = { { "Asking", ask_rows, 0 },
                { "On a page, and several people", ask_web_rows, 0 },
                { "Results", ask_export_rows, 0 } },
    .examples = { { "Which film tonight?", "peck ask films.txt --top 1" },
                  { "A folder of photographs, in the browser", "peck ask photos --web" },
                  { "Three people, each with a link", "peck ask films.txt --web --voters "
                                                      "Ann,Bob,Cid" },
                  { "The order as a table", "peck ask films.txt --export csv" } },
    .args_size = sizeof(struct ask_args),
    .run = ask_main,
};
