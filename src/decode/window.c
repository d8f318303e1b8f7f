/* window.c -- see window.h. */
#include "window.h"

#include "../base/alloc.h"

struct window {
    size_t width, n;
    uint32_t *item; /* width */
    bool *is_left;
    bool last_left; /* where the one that was taken last came from */
    int64_t *net;   /* net degree of each */
    int32_t *gain;  /* [width][width]: net_of(h(row, column)) */
    peck_duel *duel;
    float *h;
};

struct window *window_new(size_t width)
{
    struct window *const w = mem_new(1, sizeof *w);
    size_t cells;

    if (w == NULL || mul_overflow(width, width, &cells)) {
        mem_free(w);
        return NULL;
    }
    w->width = width;
    w->item = mem_new(width, sizeof *w->item);
    w->is_left = mem_new(width, sizeof *w->is_left);
    w->net = mem_new(width, sizeof *w->net);
    w->gain = mem_new(cells, sizeof *w->gain);
    w->duel = mem_new(width, sizeof *w->duel);
    w->h = mem_new(width, sizeof *w->h);
    if (w->item == NULL || w->is_left == NULL || w->net == NULL || w->gain == NULL ||
        w->duel == NULL || w->h == NULL) {
        window_free(w);
        return NULL;
    }
    return w;
}

void window_free(struct window *w)
{
    if (w == NULL)
        return;
    mem_free(w->item);
    mem_free(w->is_left);
    mem_free(w->net);
    mem_free(w->gain);
    mem_free(w->duel);
    mem_free(w->h);
    mem_free(w);
}

size_t window_size(const struct window *w)
{
    return w->n;
}

/* The newcomer takes the place behind the others. */
static void add(struct window *w, struct asker *a, int worker, uint32_t item, bool is_left)
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
}

void window_fill(struct window *w, struct asker *a, int worker, const uint32_t *item,
                 size_t n, size_t n_left)
{
    w->n = 0;
    for (size_t k = 0; k < n; k++)
        add(w, a, worker, item[k], k < n_left);
}

static size_t best(const struct window *w)
{
    size_t at = 0;

    for (size_t k = 1; k < w->n; k++)
        if (w->net[k] > w->net[at] || (w->net[k] == w->net[at] && w->item[k] < w->item[at]))
            at = k;
    return at;
}

/* The last candidate moves to place `at`. */
static void fill_gap(struct window *w, size_t at)
{
    const size_t last = --w->n;
    int32_t *const row = w->gain + at * w->width, *const from = w->gain + last * w->width;

    if (at == last)
        return;
    w->item[at] = w->item[last];
    w->is_left[at] = w->is_left[last];
    w->net[at] = w->net[last];
    for (size_t k = 0; k < last; k++) {
        row[k] = k != at ? from[k] : 0;
        w->gain[k * w->width + at] = -row[k];
    }
}

uint32_t window_take(struct window *w, bool *is_left)
{
    const size_t at = best(w);
    const uint32_t item = w->item[at];
    const int32_t *const row = w->gain + at * w->width;

    *is_left = w->last_left = w->is_left[at];
    for (size_t k = 0; k < w->n; k++) /* its own gain over itself is 0 */
        w->net[k] += row[k];
    fill_gap(w, at);
    return item;
}

void window_enter(struct window *w, struct asker *a, int worker, uint32_t item)
{
    add(w, a, worker, item, w->last_left);
}
