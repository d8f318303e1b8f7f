/* dec_fuzzy.c -- Fuzzy-Sort: merge sort whose merges look at W heads, not two.
 *
 * Of the first W/2 items of either list that are left, the one of the largest net degree
 * among them goes first, and the next of its list takes its place (algorithms 1 and 2 of
 * Yang and Lin, "A practical divide-and-conquer approach for preference-based learning to
 * rank", 2015).  The window is clamped to the list before anything else, with at least one
 * item a side; so a list of at most W is put in order by repeated selection, whatever the
 * order of its halves, and need not be halved.  W <= 2 is merge sort.
 *
 * Questions: about W n log2(n / W) in merges, n W / 2 before.  Memory: O(n + W^2).     */
#include "window.h"

#include "../base/alloc.h"
#include "../base/rng.h"

struct fuzzy {
    int64_t window;
    int is_shuffled;
};

static const struct param params[] = {
    { "window", PARAM_INT, "50", "[1,4000000000]",
      "W, the items among which the next one is chosen; with a budget, the largest that it "
      "pays for",
      offsetof(struct fuzzy, window) },
    { "shuffle", PARAM_CHOICE, "1", "0|1",
      "1: the list is shuffled before it is halved; 0: halved in input order",
      offsetof(struct fuzzy, is_shuffled) },
    { 0 }
};

/* Halvings after which every list fits in the window. */
static unsigned halvings(uint32_t n, size_t width)
{
    unsigned k = 0;

    while (((uint64_t)n + (1ULL << k) - 1) >> k > width)
        k++;
    return k;
}

/* Questions at most, for W >= 2.  A merge of m items asks all pairs of the first window and
 * each later item against the others in it: W (W - 1) / 2 + (m - W) (W - 1).  The lists at
 * the bottom are of two lengths, q and q + 1, and ask all their pairs. */
static double most_questions(uint32_t n, size_t width)
{
    const unsigned levels = halvings(n, width);
    const double w = (double)width, n_lists = (double)(1ULL << levels);
    const double q = (double)(n >> levels), n_longer = (double)n - q * n_lists;
    const double merges = levels * (double)n * (w - 1) - (n_lists - 1) * w * (w - 1) / 2;

    return merges + n_lists * q * (q - 1) / 2 + n_longer * q;
}

/* The largest window that the budget pays for, at least 2.  Questions do not rise evenly
 * with W (half a list that just fits is cheap), so it is searched from above; all windows
 * ask at least n (W - 1) / 2. */
static size_t fit_window(struct asker *a, size_t wanted)
{
    const uint32_t n = a->oracle->n;
    const uint64_t budget = asker_budget(a, 0);
    size_t width = wanted < 2 ? 2 : wanted < n ? wanted : n;

    if (a->budget == 0)
        return width;
    width = budget / n < n / 2 ? (size_t)(2 * (budget / n) + 3) : n;
    width = width < n ? width : n;
    while (width > 2 && most_questions(n, width) > (double)budget)
        width--;
    return width;
}

/* Merging ---------------------------------------------------------------------------- */

struct sorting {
    struct asker *a;
    size_t width;
    uint32_t *from, *to; /* n each */
    /* List k of the present level begins at bound[k step]; its right half at
     * bound[k step + step / 2]. */
    uint32_t *bound;
    size_t step;
    struct window **window; /* one a worker */
};

/* from[0, n) in order, n <= W: repeated selection. */
static void select_all(const struct sorting *s, int worker, const uint32_t *from, size_t n,
                       uint32_t *to)
{
    struct window *const w = s->window[worker];
    bool is_left;

    window_fill(w, s->a, worker, from, n, n);
    for (size_t k = 0; k < n; k++)
        to[k] = window_take(w, &is_left);
}

/* from[0, mid) and from[mid, n) into to[0, n); n > W, so both halves fill their part of
 * the window: W/2 rounded down on the left, up on the right. */
static void merge(const struct sorting *s, int worker, const uint32_t *from, size_t mid,
                  size_t n, uint32_t *to)
{
    struct window *const w = s->window[worker];
    const size_t n_left = s->width / 2;
    size_t next[2] = { mid + s->width - n_left, n_left }; /* right, left */
    const size_t end[2] = { n, mid };
    bool is_left;

    memcpy(to, from, n_left * sizeof *to); /* nothing is merged yet, so there is room */
    memcpy(to + n_left, from + mid, (s->width - n_left) * sizeof *to);
    window_fill(w, s->a, worker, to, s->width, n_left);
    for (size_t k = 0; window_size(w) > 0; k++) {
        to[k] = window_take(w, &is_left);
        if (next[is_left] < end[is_left])
            window_enter(w, s->a, worker, from[next[is_left]++]);
    }
}

/* List k of the present level, from its two halves. */
static void sort_list(void *ctx, size_t k, int worker)
{
    const struct sorting *const s = ctx;
    const uint32_t *const bound = s->bound + k * s->step;
    const uint32_t at = bound[0], n = bound[s->step] - at;

    if (n <= s->width)
        select_all(s, worker, s->from + at, n, s->to + at);
    else
        merge(s, worker, s->from + at, bound[s->step / 2] - at, n, s->to + at);
}

static void halve(struct sorting *s, uint32_t n, size_t n_lists)
{
    s->bound[0] = 0;
    s->bound[n_lists] = n;
    for (size_t step = n_lists; step > 1; step /= 2)
        for (size_t k = 0; k < n_lists; k += step) {
            const uint32_t lo = s->bound[k], hi = s->bound[k + step];

            s->bound[k + step / 2] = lo + (hi - lo) / 2;
        }
}

static void sort_all(struct sorting *s, size_t n_lists)
{
    for (s->step = 1; s->step <= n_lists && !asker_failed(s->a); s->step *= 2) {
        asker_run(s->a, n_lists / s->step, sort_list, s);
        uint32_t *const swap = s->from;

        s->from = s->to;
        s->to = swap;
    }
}

static peck_status open_windows(struct sorting *s, peck_error *err)
{
    const size_t workers = (size_t)asker_workers(s->a);

    s->window = mem_new(workers, sizeof(struct window *));
    for (size_t w = 0; s->window != NULL && w < workers; w++)
        if ((s->window[w] = window_new(s->width)) == NULL)
            return fail_memory(err, "a window's preferences", s->width * s->width, 4);
    return s->window != NULL ? PECK_OK : fail_memory(err, "windows", workers, 8);
}

static void close_windows(struct sorting *s)
{
    for (int w = 0; s->window != NULL && w < asker_workers(s->a); w++)
        window_free(s->window[w]);
    mem_free(s->window);
}

/* order[n] is sorted; room holds n + n_lists + 1. */
static peck_status sort(struct sorting *s, uint32_t *order, uint32_t n, uint32_t *room,
                        peck_error *err)
{
    const size_t n_lists = (size_t)1 << halvings(n, s->width);

    s->from = order;
    s->to = room;
    s->bound = room + n;
    halve(s, n, n_lists);
    TRY(open_windows(s, err));
    sort_all(s, n_lists);
    if (s->from != order)
        memcpy(order, s->from, n * sizeof *order);
    return PECK_OK;
}

static void enter(const struct fuzzy *f, struct asker *a, uint32_t *order)
{
    struct rng r;

    for (uint32_t i = 0; i < a->oracle->n; i++)
        order[i] = i;
    rng_seed(&r, a->seed, 0);
    if (f->is_shuffled)
        rng_shuffle(&r, order, a->oracle->n);
}

static peck_status run(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err)
{
    const struct fuzzy *const f = config;
    const uint32_t n = a->oracle->n;
    struct sorting s = { .a = a, .width = fit_window(a, (size_t)f->window) };
    uint32_t *const room = mem_new(3 * (size_t)n + 1, sizeof *room);

    if (room == NULL)
        return fail_memory(err, "a merge sort", 3 * (size_t)n, sizeof *room);
    enter(f, a, out->order);
    const peck_status st = sort(&s, out->order, n, room, err);

    close_windows(&s);
    mem_free(room);
    decoding_from_order(out, n);
    return st;
}

const struct decoder decoder_fuzzy = {
    .plug
        .about = { "fuzzy", "Fuzzy-Sort: merges that look at W heads, not two",
                   "Merge sort in which the next item is the one of the largest net degree "
                   "among the first W/2 that are left of either list. Small windows are "
                   "merge sort; a window of the whole list selects again and again from "
                   "what is left. About W n log2(n/W) questions. Yang and Lin 2015." },
    .plug.params = params,
    .config_size = sizeof(struct fuzzy),
    .run = run,
};
