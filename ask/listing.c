/* listing.c -- see listing.h. */
#include "listing.h"

#include "../src/base/json.h"

#include <math.h>

size_t show_width(const char *s)
{
    size_t n = 0;

    for (size_t left = strlen(s); left > 0; n++) {
        const size_t step = utf8_length(s, left);

        s += step > 0 ? step : 1;
        left -= step > 0 ? step : 1;
    }
    return n;
}

void show_name(struct text *to, const char *name, size_t width, bool is_padded)
{
    const size_t wide = show_width(name);
    size_t left = strlen(name), shown = 0;

    for (size_t most = wide <= width ? wide : width - 2; shown < most; shown++) {
        const size_t step = utf8_length(name, left);

        text_add(to, name, step > 0 ? step : 1);
        name += step > 0 ? step : 1;
        left -= step > 0 ? step : 1;
    }
    if (wide > width) {
        text_add_str(to, "..");
        shown += 2;
    }
    if (is_padded)
        text_printf(to, "%*s", (int)(width - shown), "");
}

const char *show_item(const struct poll_items *items, uint32_t id)
{
    for (size_t i = 0; i < items->n; i++)
        if (items->item[i].id == id)
            return items->item[i].name;
    return "";
}

/* From low to high in `width` columns: "   |---o---|  ". */
static void show_bar(struct text *to, const struct poll_place *p, double low, double high,
                     size_t width, bool is_utf8)
{
    const double step = high > low ? (double)(width - 1) / (high - low) : 0;
    const size_t from = (size_t)((p->score - 2 * p->sd - low) * step + .5),
                 at = (size_t)((p->score - low) * step + .5),
                 end = (size_t)((p->score + 2 * p->sd - low) * step + .5);

    for (size_t i = 0; i <= end && i < width; i++)
        text_add_str(to, i < from    ? " "
                         : i == at   ? (is_utf8 ? "\xE2\x97\x8F" : "o")
                         : i == from ? (is_utf8 ? "\xE2\x94\x9C" : "|")
                         : i == end  ? (is_utf8 ? "\xE2\x94\xA4" : "|")
                                     : (is_utf8 ? "\xE2\x94\x80" : "-"));
}

void show_places(struct text *to, const struct poll_standing *s,
                 const struct poll_items *items, size_t most, size_t width, bool is_utf8,
                 const char *eol)
{
    const size_t n = s->n < most ? s->n : most;
    const size_t rest = width > 44 ? width - 24 : 20;
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t name = 4;

    for (size_t i = 0; i < s->n; i++) {
        const struct poll_place *const p = &s->place[i];
        const size_t wide = i < n ? show_width(show_item(items, p->item)) : 0;

        low = p->score - 2 * p->sd < low ? p->score - 2 * p->sd : low;
        high = p->score + 2 * p->sd > high ? p->score + 2 * p->sd : high;
        name = wide > name ? wide : name;
    }
    name = name > rest / 2 ? rest / 2 : name;
    for (size_t i = 0; i < n; i++) {
        const struct poll_place *const p = &s->place[i];

        text_printf(to, "%5u  ", (unsigned)p->rank);
        show_name(to, show_item(items, p->item), name, true);
        text_printf(to, "  %6.2f %s %-5.2f", p->score, is_utf8 ? "\xC2\xB1" : "+-", p->sd);
        text_add_str(to, "  ");
        show_bar(to, p, low, high, rest - name > 8 ? rest - name : 8, is_utf8);
        if (p->is_guess)
            text_add_str(to, "  not compared");
        text_add_str(to, eol);
    }
    if (s->n > n)
        text_printf(to, "       and %zu more%s", s->n - n, eol);
}

void show_progress(struct text *to, const struct poll_standing *s)
{
    char goal[48];

    if (s->goal == 0)
        snprintf(goal, sizeof goal, "a sure order");
    else if (s->goal == 1)
        snprintf(goal, sizeof goal, "a sure winner");
    else
        snprintf(goal, sizeof goal, "a sure top %zu", s->goal);
    if (s->is_enough)
        text_printf(to, "enough for %s", goal);
    else
        text_printf(to, "about %.0f more for %s", s->left > 1 ? s->left : 1, goal);
    text_printf(to, "; sure of the first to %.0f %%, ", 100 * s->first);
    if (s->n > 5)
        text_printf(to, "the top 5 to %.0f %%, ", 100 * s->top);
    text_printf(to, "the order to %.0f %%", 100 * s->all);
}

void show_circle(struct text *to, const struct poll_standing *s,
                 const struct poll_items *items, const char *eol)
{
    if (s->n_circles == 0)
        return;
    text_add_str(to, "These answers go in a circle: ");
    for (size_t k = 0; k < 4; k++) {
        show_name(to, show_item(items, s->circle[0][k % 3]), 20, false);
        text_add_str(to, k < 3 ? " > " : eol);
    }
}
