/* dec_fuzzy.c -- Fuzzy-Sort: merge sort whose merges look at W heads, not two.
 *
 * Of the first W/2 items of either list that are left, the one of the largest net degree
 * among them goes first, and the next of its list takes its place (algorithms 1 and 2 of
 * Yang and Lin, "A practical divide-and-conquer approach for preference-based learning to
 * rank", 2015).  The window is clamped to the list before anything else, with at least one
 * item a side; so a list of at most W is put in order by repeated selection, whatever the
 * order of its halves, and need not be halved.  W <= 2 is merge sort.
 *
 * The paper says that W = n is sort by degree; its algorithm forgets what was said of items
 * that are taken, and so decides on less and less.  With memory what is left keeps its
 * preference over the item that leaves, less the mean of the window's, so that whoever
 * enters later, and was not asked, stands as if he were average.  He comes from further
 * behind and is not: therefore, with every one that enters, all forget a W-th of it.  Then
 * W = n is sort by degree, and where answers are noisy every window makes fewer mistakes of
 * the same questions.  Where they are not, but contradict each other, as votes that go in
 * circles do, wide windows make slightly more: so it is for those who ask for it.
 *
 * Questions: about W n log2(n / W) in merges, n W / 2 before.  Memory: O(n + W^2).     */
#include "decoder.h"

#include "../base/alloc.h"
#include "../base/rng.h"

struct fuzzy {
    int64_t window;
    int is_shuffled, has_memory, is_ratio;
};

static const struct param params[] = {
    { "window", PARAM_INT, "50", "[1,4000000000]",
      "W, the items among which the next one is chosen; with a budget, the largest that it "
      "pays for",
      offsetof(struct fuzzy, window) },
    { "shuffle", PARAM_CHOICE, "1", "0|1",
      "1: the list is shuffled before it is halved; 0: halved in input order",
      offsetof(struct fuzzy, is_shuffled) },
    { "memory", PARAM_CHOICE, "0", "0|1",
      "1: what was said against items that are taken counts on: better where answers are "
      "noisy, and a window of the whole list is sort by degree; 0: it is forgotten, as in "
      "the paper's algorithm",
      offsetof(struct fuzzy, has_memory) },
    { "symmetry", PARAM_CHOICE, "mean", "mean|ratio",
      "of two answers h(i, j) and h(j, i): (h(i, j) + 1 - h(j, i)) / 2, or "
      "h(i, j) / (h(i, j) + h(j, i)), as in the paper",
      offsetof(struct fuzzy, is_ratio) },
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

/* The window --------------------------------------------------------------------------- */

/* The candidates S of a merge.  Each one's net degree among the others, sum of
 * h(i, j) - h(j, i), is kept up to date in O(W) when one leaves or enters. */
struct window {
    size_t width, n;
    bool has_memory;
    uint32_t *item; /* width */
    bool *is_left;  /* from which list */
    int64_t *net;   /* net degree of each, and what it kept */
    int64_t *kept;  /* of those that left: by how much more it was preferred to them than
                     * the candidates were on average; 0 without memory */
    int32_t *gain;  /* [width][width]: net_of(h(row, column)) */
    peck_duel *duel;
    float *h;
};

/* The newcomer takes the place behind the others, and a question against each of them. */
static void window_enter(struct window *w, struct asker *a, int worker, uint32_t item,
                         bool is_left)
{
    const size_t n = w->n++;
    int32_t *const row = w->gain + n * w->width;
    int64_t net = 0;

    w->item[n] = item;
    w->is_left[n] = is_left;
    for (size_t k = 0; k < n; k++)
        w->duel[k] = (peck_duel){ item, w->item[k] };
    ask(a, worker, w->duel, n, w->h);
    for (size_t k = 0; k < n; k++) {
        row[k] = net_of(w->h[k]);
        w->gain[k * w->width + n] = -row[k];
        w->net[k] -= row[k];
        net += row[k];
    }
    w->net[n] = net;
    w->kept[n] = 0;
}

/* Before somebody enters who was not asked about those that left. */
static void window_forget(struct window *w)
{
    for (size_t k = 0; k < w->n; k++) {
        const int64_t gone = w->kept[k] / (int64_t)w->width;

        w->kept[k] -= gone;
        w->net[k] -= gone;
    }
}

/* The one that leaves gains row[k] over each of n candidates, 0 over itself. */
static void window_remember(struct window *w, const int32_t *row, size_t n)
{
    int64_t sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += row[k];
    const int64_t mean = n > 1 ? sum / (int64_t)(n - 1) : 0;

    for (size_t k = 0; k < n; k++) {
        w->kept[k] += mean - row[k];
        w->net[k] += mean - row[k];
    }
}

/* Takes out the candidate of the largest net degree and memory, of equal ones the lowest
 * item; the last one moves to its place. */
static uint32_t window_take(struct window *w, bool *is_left)
{
    const size_t last = w->n - 1;
    size_t at = 0;

    for (size_t k = 1; k < w->n; k++)
        if (w->net[k] > w->net[at] || (w->net[k] == w->net[at] && w->item[k] < w->item[at]))
            at = k;
    const uint32_t item = w->item[at];
    int32_t *const row = w->gain + at * w->width, *const from = w->gain + last * w->width;

    *is_left = w->is_left[at];
    for (size_t k = 0; k < w->n; k++)
        w->net[k] += row[k];
    if (w->has_memory)
        window_remember(w, row, w->n);
    w->n = last;
    w->item[at] = w->item[last];
    w->is_left[at] = w->is_left[last];
    w->net[at] = w->net[last];
    w->kept[at] = w->kept[last];
    for (size_t k = 0; at != last && k < last; k++) {
        row[k] = k != at ? from[k] : 0;
        w->gain[k * w->width + at] = -row[k];
    }
    return item;
}

/* Sorting ------------------------------------------------------------------------------ */

/* The lists of one level: list k lies at bound[k step] .. bound[(k + 1) step]. */
struct fuzzy_level {
    struct asker *a;
    size_t width;        /* W */
    uint32_t *from, *to; /* n each */
    uint32_t *bound;
    size_t step;
    struct window *window; /* one a worker */
};

/* Algorithm 2, FUZZY-MERGE: A_M becomes the two sorted halves A_L and A_R of list k.  One of
 * at most W items is all in the window at once, sorted or not. */
static void fuzzy_merge(void *ctx, size_t k, int worker)
{
    const struct fuzzy_level *const s = ctx;
    struct window *const w = &s->window[worker];
    const uint32_t at = s->bound[k * s->step], n = s->bound[(k + 1) * s->step] - at;
    const uint32_t *const left = s->from + at, *const right = left + n / 2;
    uint32_t *const merged = s->to + at;
    const size_t width = n < s->width ? n : s->width;
    const size_t end[2] = { n - n / 2, n / 2 }; /* of A_R, of A_L */
    size_t next[2] = { 0, 0 }; /* in A_R, in A_L: who has not entered yet */

    for (w->n = 0; next[true] < width / 2;) /* lines 3 to 7 */
        window_enter(w, s->a, worker, left[next[true]++], true);
    while (next[false] < width - width / 2)
        window_enter(w, s->a, worker, right[next[false]++], false);
    for (size_t m = 0; w->n > 0; m++) { /* lines 9 to 24 */
        bool is_left;

        merged[m] = window_take(w, &is_left);
        if (next[is_left] == end[is_left])
            continue;
        if (w->has_memory)
            window_forget(w);
        window_enter(w, s->a, worker, (is_left ? left : right)[next[is_left]++], is_left);
    }
}

/* Algorithm 1, FUZZY-SORT, all lists of a level at once: halved until they fit in the window,
 * then merged from the bottom up. */
static peck_status fuzzy_run(struct asker *a, const void *config, struct decoding *out,
                             peck_error *err)
{
    const struct fuzzy *const f = config;
    const uint32_t n = a->oracle->n;
    const size_t workers = (size_t)asker_workers(a);
    struct fuzzy_level s = { .a = a, .width = fit_window(a, (size_t)f->window) };
    const size_t w = s.width, n_lists = (size_t)1 << halvings(n, w);
    struct arena arena = { 0 };

    a->is_ratio = f->is_ratio;
    s.from = out->order;
    s.to = arena_new(&arena, "a merge sort", n, sizeof *s.to);
    s.bound = arena_new(&arena, "a merge sort", n_lists + 1, sizeof *s.bound);
    s.window = arena_new(&arena, "windows", workers, sizeof *s.window);
    for (size_t i = 0; s.window != NULL && i < workers; i++) {
        /* gain takes 4 W^2 bytes, for each worker. */
        static const char what[] = "a window's preferences";

        s.window[i] = (struct window){
            .width = w,
            .has_memory = f->has_memory,
            .item = arena_new(&arena, what, w, sizeof(uint32_t)),
            .is_left = arena_new(&arena, what, w, sizeof(bool)),
            .net = arena_new(&arena, what, w, sizeof(int64_t)),
            .kept = arena_new(&arena, what, w, sizeof(int64_t)),
            .gain = arena_new(&arena, what, w, w * sizeof(int32_t)),
            .duel = arena_new(&arena, what, w, sizeof(peck_duel)),
            .h = arena_new(&arena, what, w, sizeof(float)),
        };
    }
    const peck_status st = arena_check(&arena, err);

    if (st == PECK_OK) {
        for (uint32_t i = 0; i < n; i++)
            out->order[i] = i;
        if (f->is_shuffled) {
            struct rng r;

            rng_seed(&r, a->seed, 0);
            rng_shuffle(&r, out->order, n);
        }
        /* Halves of halves: lists at the bottom differ by one item at most. */
        s.bound[n_lists] = n;
        for (size_t step = n_lists; step > 1; step /= 2)
            for (size_t k = 0; k < n_lists; k += step)
                s.bound[k + step / 2] = s.bound[k] + (s.bound[k + step] - s.bound[k]) / 2;
        for (s.step = 1; s.step <= n_lists && !asker_failed(a); s.step *= 2) {
            asker_run(a, n_lists / s.step, fuzzy_merge, &s);
            uint32_t *const swap = s.from;

            s.from = s.to;
            s.to = swap;
        }
        if (s.from != out->order)
            memcpy(out->order, s.from, n * sizeof *out->order);
        decoding_from_order(out, n);
    }
    arena_free(&arena);
    return st;
}

const struct decoder decoder_fuzzy = {
    .plug
        .about = { "fuzzy", "Fuzzy-Sort: merges that look at W heads, not two",
                   "Merge sort in which the next item is the one of the largest net degree "
                   "among the first W/2 that are left of either list. Small windows are "
                   "merge sort; a window of the whole list selects again and again from "
                   "what is "
                   "left, or with memory=1 is sort by degree. About W n log2(n/W) "
                   "questions. "
                   "Yang and Lin 2015." },
    .plug.params = params,
    .config_size = sizeof(struct fuzzy),
    .run = fuzzy_run,
};
