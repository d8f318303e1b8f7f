/* terminal.c -- see terminal.h.
 *
 * A screen is the terminal's second one, drawn anew after each key.  Signals only leave a
 * note; the loop that waits for keys sees it within a fifth of a second, puts the terminal
 * back and then does what the signal asks for.                                         */
#include "terminal.h"

#include "listing.h"

#include "../src/base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    MAX_TEXT = 1 << 24,
    PLACES_IN_PIPE = 20,
    LINE_WIDTH = 80,
    WAIT_MS = 200,
    ESCAPE_MS = 50
};
#define SETTLE_S 1.0 /* how long a question may wait for the last answer to be counted */

enum key {
    KEY_NONE, /* nothing that means anything */
    KEY_LEFT,
    KEY_RIGHT,
    KEY_MUCH_LEFT,
    KEY_MUCH_RIGHT,
    KEY_TIE,
    KEY_SKIP,
    KEY_UNKNOWN, /* asks which */
    KEY_OUT_LEFT,
    KEY_OUT_RIGHT,
    KEY_UNDO,
    KEY_PRINT,
    KEY_HELP,
    KEY_QUIT,
    KEY_DRAW, /* the window has changed */
    KEY_STOP  /* an interrupt */
};

struct dialogue {
    struct poll *poll;
    uint32_t voter;
    bool is_screen, is_utf8;
    struct poll_question question[2];
    struct poll_standing standing;
    struct poll_items items;
    size_t n_asked;    /* answers of this voter */
    char message[256]; /* about the last key */
};

/* Signals and the terminal ---------------------------------------------------------------------- */

static volatile sig_atomic_t stop_asked, pause_asked, size_changed;

static void note_signal(int number)
{
    if (number == SIGTSTP)
        pause_asked = 1;
    else if (number == SIGWINCH)
        size_changed = 1;
    else
        stop_asked = 1;
}

static const int noted[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH };
enum { N_NOTED = sizeof noted / sizeof *noted };

struct screen {
    struct termios before;
    struct sigaction was[N_NOTED];
    bool is_raw;
};

static void send(const char *s, size_t n)
{
    while (n > 0) {
        const ssize_t sent = write(STDOUT_FILENO, s, n);

        if (sent < 0 && errno != EINTR)
            return; /* the terminal is gone, which the next read tells */
        s += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
}

static void send_text(const char *s)
{
    send(s, strlen(s));
}

static void screen_enter(struct screen *s)
{
    struct termios raw = s->before;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    send_text("\033[?1049h\033[?25l");
    s->is_raw = true;
}

static void screen_leave(struct screen *s)
{
    if (!s->is_raw)
        return;
    send_text("\033[?25h\033[?1049l");
    tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
    s->is_raw = false;
}

static void catch_signals(struct screen *s)
{
    struct sigaction action = { .sa_handler = note_signal };

    stop_asked = pause_asked = size_changed = 0;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_NOTED; i++)
        sigaction(noted[i], &action, &s->was[i]);
}

static void release_signals(const struct screen *s)
{
    for (size_t i = 0; i < N_NOTED; i++)
        sigaction(noted[i], &s->was[i], NULL);
}

/* Ctrl-Z: the terminal as it was, then the stop, then on. */
static void pause_here(struct screen *s)
{
    struct sigaction stop = { .sa_handler = SIG_DFL }, ours;

    pause_asked = 0;
    screen_leave(s);
    sigaction(SIGTSTP, &stop, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    screen_enter(s);
    size_changed = 1;
}

/* One byte within so many milliseconds; -1: none came, -2: the terminal is gone. */
static int next_byte(int ms)
{
    struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
    unsigned char c;

    if (poll(&in, 1, ms) <= 0)
        return -1;
    const ssize_t n = read(STDIN_FILENO, &c, 1);

    return n == 1 ? c : n < 0 && errno == EINTR ? -1 : -2;
}

/* What follows an escape: an arrow, perhaps with Shift ("[1;2D"). */
static enum key escape_key(void)
{
    bool is_shifted = false;
    int c = next_byte(ESCAPE_MS);

    if (c != '[' && c != 'O')
        return KEY_NONE;
    while ((c = next_byte(ESCAPE_MS)) >= 0 && (c == ';' || (c >= '0' && c <= '9')))
        is_shifted = c == '2';
    switch (c) {
    case 'C':
        return is_shifted ? KEY_MUCH_RIGHT : KEY_RIGHT;
    case 'D':
        return is_shifted ? KEY_MUCH_LEFT : KEY_LEFT;
    case 'B':
        return KEY_TIE;
    default:
        return KEY_NONE;
    }
}

static enum key key_of(int c)
{
    static const struct {
        const char *letters;
        enum key key;
    } keys[] = {
        { "1", KEY_LEFT },       { "2", KEY_RIGHT },     { "<", KEY_MUCH_LEFT },
        { ">", KEY_MUCH_RIGHT }, { "tT=", KEY_TIE },     { "sS", KEY_SKIP },
        { "dD", KEY_UNKNOWN },   { "uU\x7F", KEY_UNDO }, { "pP", KEY_PRINT },
        { "?hH", KEY_HELP },     { "qQ\x04", KEY_QUIT }, { "\x0C", KEY_DRAW },
        { "\x03", KEY_STOP },
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (c > 0 && strchr(keys[i].letters, c) != NULL)
            return keys[i].key;
    return KEY_NONE;
}

static enum key wait_for_key(struct screen *s)
{
    for (;;) {
        if (stop_asked)
            return KEY_STOP;
        if (pause_asked)
            pause_here(s);
        if (size_changed) {
            size_changed = 0;
            return KEY_DRAW;
        }
        const int c = next_byte(WAIT_MS);

        if (c == -2)
            return KEY_STOP;
        if (c == 0x1B)
            return escape_key();
        if (c >= 0)
            return key_of(c);
    }
}

/* A dialogue, whatever it is shown on ------------------------------------------------------------- */

/* What is shown follows the last answer, unless a fit takes long.  The owner sees the order of
 * all, others their own. */
static peck_status look(struct dialogue *s, peck_error *err)
{
    const bool is_owner = s->voter == poll_owner(s->poll);
    struct poll_voters voters;

    poll_settle(s->poll, s->is_screen ? SETTLE_S : -1);
    poll_standing_free(&s->standing);
    poll_items_free(&s->items);
    TRY(poll_voters(s->poll, &voters, err));
    for (size_t i = 0; i < voters.n; i++)
        if (voters.voter[i].id == s->voter)
            s->n_asked = voters.voter[i].n_answers;
    poll_voters_free(&voters);
    peck_status st = poll_standing(s->poll, is_owner ? 0 : s->voter, &s->standing, err);

    if (st == PECK_OK)
        st = poll_items(s->poll, &s->items, err);
    return st == PECK_OK ? poll_questions(s->poll, s->voter, s->question, err) : st;
}

static peck_status take_answer(struct dialogue *s, enum poll_outcome outcome, int strength,
                               peck_error *err)
{
    const struct poll_question *const q = &s->question[0];
    struct poll_answer a = {
        .left = q->left, .right = q->right, .outcome = outcome, .strength = strength
    };

    memcpy(a.question, q->id, sizeof a.question);
    if (outcome == POLL_OUT_LEFT || outcome == POLL_OUT_RIGHT)
        snprintf(s->message, sizeof s->message, "%.200s is out of play; u brings it back",
                 show_item(&s->items, outcome == POLL_OUT_LEFT ? q->left : q->right));
    return poll_answer(s->poll, s->voter, &a, err);
}

static peck_status take_back(struct dialogue *s, peck_error *err)
{
    struct poll_answer undone;

    TRY(poll_undo(s->poll, s->voter, &undone, err));
    if (undone.id == 0)
        snprintf(s->message, sizeof s->message, "There is nothing to take back.");
    else
        snprintf(s->message, sizeof s->message, "Taken back (it was: %s).",
                 poll_outcome_name(undone.outcome));
    return PECK_OK;
}

/* What a key does to the poll; keys that only show something do nothing here. */
static peck_status obey(struct dialogue *s, enum key key, peck_error *err)
{
    static const struct {
        enum poll_outcome outcome;
        int strength; /* 0: no answer */
    } answers[] = {
        [KEY_LEFT] = { POLL_LEFT, 1 },         [KEY_RIGHT] = { POLL_RIGHT, 1 },
        [KEY_MUCH_LEFT] = { POLL_LEFT, 2 },    [KEY_MUCH_RIGHT] = { POLL_RIGHT, 2 },
        [KEY_TIE] = { POLL_TIE, 1 },           [KEY_SKIP] = { POLL_SKIP, 1 },
        [KEY_OUT_LEFT] = { POLL_OUT_LEFT, 1 }, [KEY_OUT_RIGHT] = { POLL_OUT_RIGHT, 1 },
        [KEY_STOP] = { POLL_SKIP, 0 },
    };

    s->message[0] = '\0';
    if (key == KEY_UNDO)
        return take_back(s, err);
    if (answers[key].strength == 0)
        return PECK_OK;
    if (s->question[0].id[0] == '\0') {
        snprintf(s->message, sizeof s->message, "There is nothing left to ask.");
        return PECK_OK;
    }
    return take_answer(s, answers[key].outcome, answers[key].strength, err);
}

static const char help_text[] =
    "  1 or left arrow    the first one          2 or right arrow   the second one\n"
    "  < or shift-left    much better            > or shift-right   much better\n"
    "  t   as good as each other (that counts)   s   skip (that does not)\n"
    "  d   don't know one of them: it goes out of play\n"
    "  u   take the last answer back, and the one before it, ...\n"
    "  p   print the whole order                 q   quit; all answers are kept\n";

/* The whole order and where to go from here; for standard output. */
static void show_end(struct dialogue *s, struct text *t)
{
    show_places(t, &s->standing, &s->items, SIZE_MAX, LINE_WIDTH, s->is_utf8, "\n");
    text_printf(t, "%zu answer%s so far; ", s->standing.n_asked,
                s->standing.n_asked == 1 ? "" : "s");
    show_progress(t, &s->standing);
    text_printf(t, ".\nAll is kept in %s.\n", poll_votes(s->poll));
}

/* The screen ---------------------------------------------------------------------------------------- */

static void draw_card(struct text *t, const struct dialogue *s, const char *mark,
                      uint32_t item, size_t width)
{
    const struct poll_item *it = NULL;

    for (size_t i = 0; i < s->items.n; i++)
        if (s->items.item[i].id == item)
            it = &s->items.item[i];
    text_printf(t, "  %s  \033[1m", mark);
    show_name(t, it != NULL ? it->name : "", width - 12, false);
    text_add_str(t, "\033[0m\033[K\r\n");
    const size_t line = it != NULL ? strcspn(it->text, "\n") : 0;

    if (line > 0) {
        char first[POLL_MAX_TEXT + 1];

        snprintf(first, sizeof first, "%.*s", (int)line, it->text);
        text_add_str(t, "        ");
        show_name(t, first, width - 12, false);
        text_add_str(t, "\033[K\r\n");
    }
}

static void draw(const struct dialogue *s, const char *below)
{
    const bool has_question = s->question[0].id[0] != '\0';
    struct winsize size = { 0 };
    struct text t;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20 || size.ws_row < 5)
        size = (struct winsize){ .ws_row = 24, .ws_col = LINE_WIDTH };
    const size_t width = size.ws_col;

    text_init(&t, MAX_TEXT);
    text_add_str(&t, "\033[H\033[K\r\n");
    if (has_question) {
        text_printf(&t, "  Which one?%s\033[K\r\n\033[K\r\n",
                    s->question[0].is_again ? "  (again, the other way round)" : "");
        draw_card(&t, s, s->is_utf8 ? "1 \xE2\x86\x90" : "1 <", s->question[0].left, width);
        draw_card(&t, s, s->is_utf8 ? "2 \xE2\x86\x92" : "2 >", s->question[0].right,
                  width);
    } else {
        text_add_str(&t, "  There is nothing left to ask.\033[K\r\n");
    }
    text_add_str(&t, "\033[K\r\n  t tie  s skip  d don't know  u undo  p print  ? help  q "
                     "quit\033[K\r\n\033[K\r\n  ");
    text_printf(&t, "%zu asked, ", s->n_asked);
    show_progress(&t, &s->standing);
    text_printf(&t, "\033[K\r\n  %s\033[K\r\n\033[K\r\n", s->message);
    show_circle(&t, &s->standing, &s->items, "\033[K\r\n\033[K\r\n");
    if (below != NULL) {
        for (const char *line = below; *line != '\0'; line += strcspn(line, "\n") + 1)
            text_printf(&t, "%.*s\033[K\r\n", (int)strcspn(line, "\n"), line);
    } else {
        const size_t used = 14 + 2 * (s->standing.n_circles > 0);
        const size_t room = size.ws_row > used + 3 ? size.ws_row - used : 3;

        show_places(&t, &s->standing, &s->items, room, width, s->is_utf8, "\033[K\r\n");
    }
    text_add_str(&t, "\033[J");
    if (!t.failed)
        send(t.s, t.len);
    text_free(&t);
}

/* The whole order on the first screen, until a key. */
static void print_pause(struct dialogue *s, struct screen *screen)
{
    struct text t;

    text_init(&t, MAX_TEXT);
    show_end(s, &t);
    text_add_str(&t, "\nAny key goes on.\n");
    screen_leave(screen);
    if (!t.failed)
        send(t.s, t.len);
    struct termios raw = screen->before;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    while (!stop_asked && next_byte(WAIT_MS) == -1)
        ;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->before);
    screen_enter(screen);
    text_free(&t);
}

/* Which of the two is not known? */
static enum key ask_which(const struct dialogue *s, struct screen *screen)
{
    draw(s, "  Which one do you not know?  1 or 2; any other key: neither.\n");
    const enum key key = wait_for_key(screen);

    return key == KEY_LEFT    ? KEY_OUT_LEFT
           : key == KEY_RIGHT ? KEY_OUT_RIGHT
           : key == KEY_STOP  ? KEY_STOP
                              : KEY_NONE;
}

static peck_status ask_on_screen(struct dialogue *s, peck_error *err)
{
    struct screen screen = { .is_raw = false };
    const char *below = NULL;
    enum key key = KEY_NONE;

    if (tcgetattr(STDIN_FILENO, &screen.before) != 0)
        return fail(err, PECK_IO, "standard input is no terminal: %s", strerror(errno));
    catch_signals(&screen);
    screen_enter(&screen);
    peck_status st = look(s, err);

    while (st == PECK_OK) {
        draw(s, below);
        below = NULL;
        key = wait_for_key(&screen);
        if (key == KEY_UNKNOWN && s->question[0].id[0] != '\0')
            key = ask_which(s, &screen);
        if (key == KEY_STOP || key == KEY_QUIT)
            break;
        if (key == KEY_PRINT)
            print_pause(s, &screen);
        if (key == KEY_HELP)
            below = help_text;
        st = obey(s, key, err);
        if (st == PECK_OK)
            st = look(s, err);
    }
    screen_leave(&screen);
    release_signals(&screen);
    return st == PECK_OK && key == KEY_STOP
               ? fail(err, PECK_STOPPED, "stopped; %zu answers are kept in %.300s",
                      s->n_asked, poll_votes(s->poll))
               : st;
}

/* Lines ----------------------------------------------------------------------------------------------- */

/* A word of the user's; KEY_NONE: it is none. */
static enum key word_key(peck_span word)
{
    static const struct {
        const char *word;
        enum key key;
    } words[] = {
        { "left", KEY_LEFT },    { "right", KEY_RIGHT },  { "l", KEY_LEFT },
        { "r", KEY_RIGHT },      { "1!", KEY_MUCH_LEFT }, { "2!", KEY_MUCH_RIGHT },
        { "tie", KEY_TIE },      { "skip", KEY_SKIP },    { "d1", KEY_OUT_LEFT },
        { "d2", KEY_OUT_RIGHT }, { "undo", KEY_UNDO },    { "print", KEY_PRINT },
        { "help", KEY_HELP },    { "quit", KEY_QUIT },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(word, words[i].word))
            return words[i].key;
    return word.n == 1 ? key_of((unsigned char)word.s[0]) : KEY_NONE;
}

static void print_question(const struct dialogue *s)
{
    const struct poll_question *const q = &s->question[0];

    if (s->message[0] != '\0')
        puts(s->message);
    if (q->id[0] == '\0')
        puts("There is nothing left to ask; q quits, u takes the last answer back.");
    else
        printf("%zu. Which one%s?  1: %s  2: %s\n", s->n_asked + 1,
               q->is_again ? ", again" : "", show_item(&s->items, q->left),
               show_item(&s->items, q->right));
    fflush(stdout);
}

static void print_order(struct dialogue *s)
{
    struct text t;

    text_init(&t, MAX_TEXT);
    show_circle(&t, &s->standing, &s->items, "\n");
    show_end(s, &t);
    if (!t.failed)
        fputs(t.s, stdout);
    text_free(&t);
}

static peck_status ask_in_lines(struct dialogue *s, peck_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    enum key key = KEY_NONE;
    peck_status st = look(s, err);

    if (st == PECK_OK) {
        puts(
            "Answer 1 or 2; t tie, s skip, d1 or d2 don't know, u undo, p print, q quit, ? "
            "help.");
        print_question(s);
    }
    while (st == PECK_OK && key != KEY_QUIT && (n = getline(&line, &room, stdin)) >= 0) {
        peck_span word = { line, (size_t)n };

        while (word.n > 0 && word.s[word.n - 1] == '\n')
            word.n--;
        word = span_trim(word);
        if (word.n == 0)
            continue;
        key = word_key(word);
        st = obey(s, key, err);
        if (key == KEY_NONE || key == KEY_UNKNOWN)
            snprintf(s->message, sizeof s->message,
                     key == KEY_UNKNOWN ? "Which one? Say d1 or d2."
                                        : "'%.*s' is not an answer; ? helps.",
                     SPAN_ARGS(word));
        if (key == KEY_HELP)
            fputs(help_text, stdout);
        if (st == PECK_OK)
            st = look(s, err);
        if (st == PECK_OK && key == KEY_PRINT)
            print_order(s);
        if (st == PECK_OK && key != KEY_QUIT)
            print_question(s);
    }
    free(line);
    return st;
}

/* Whether the surroundings say that text is UTF-8. */
static bool speaks_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < 3; i++) {
        const char *const value = getenv(names[i]);

        if (value != NULL && value[0] != '\0')
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
    }
    return false;
}

peck_status terminal_ask(struct poll *p, uint32_t voter, bool is_screen, peck_error *err)
{
    struct dialogue s = {
        .poll = p, .voter = voter, .is_screen = is_screen, .is_utf8 = speaks_utf8()
    };
    const peck_status st = is_screen ? ask_on_screen(&s, err) : ask_in_lines(&s, err);

    if (st == PECK_OK || st == PECK_STOPPED)
        print_order(&s);
    poll_standing_free(&s.standing);
    poll_items_free(&s.items);
    return st;
}
