/* axis.c -- see axis.h.  Steps are 1, 2 or 5 times a power of ten (Heckbert, "Nice numbers
 * for graph labels", Graphics Gems 1990).                                            */
#include "axis.h"

#include "../base/number.h"

#include <math.h>

/* The step that cuts a range into `wanted` parts at most. */
static double round_step(double range, size_t wanted)
{
    const double rough = range / (double)wanted, power = pow(10, floor(log10(rough)));
    const double lead = rough / power;

    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void fit_linear(struct axis *a, size_t wanted)
{
    if (a->high - a->low <= 1e-9 * fmax(fabs(a->low), fabs(a->high)) ||
        a->high - a->low < 1e-30) {
        const double room = a->low != 0 ? 0.1 * fabs(a->low) : 1;

        a->low -= room;
        a->high += room;
    }
    double step = round_step(a->high - a->low, wanted);

    const bool is_whole = a->scale == AXIS_WHOLE;

    step = is_whole ? fmax(step, 1) : step;
    const double first = is_whole ? ceil(a->low / step) : floor(a->low / step + 1e-9);
    const double last = is_whole ? floor(a->high / step) : ceil(a->high / step - 1e-9);

    if (!is_whole) {
        a->low = first * step;
        a->high = last * step;
    }
    a->decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    for (double k = first; k <= last + 0.5 && a->n_ticks < AXIS_TICKS; k++)
        a->tick[a->n_ticks++] = k * step;
}

/* Whole powers of ten; where there are one or two of them, 2 and 5 times those too. */
static void fit_log(struct axis *a, size_t wanted)
{
    static const double lead[] = { 1, 2, 5 };
    const double low = fmax(a->low, 1e-300), high = fmax(a->high, low);
    const double first = floor(log10(low) + 1e-9), last = ceil(log10(high) - 1e-9);
    const double top = last > first ? last : first + 1;
    const double every = ceil((top - first) / (double)wanted);

    a->low = pow(10, first);
    a->high = pow(10, top);
    a->decimals = (int)fmax(0, -first);
    for (double k = first; k <= top + 0.5; k += every)
        for (size_t i = 0; i < (top - first > 2 ? 1 : 3); i++) {
            const double v = lead[i] * pow(10, k);

            if (v <= a->high * (1 + 1e-9) && a->n_ticks < AXIS_TICKS)
                a->tick[a->n_ticks++] = v;
        }
}

bool axis_takes(enum axis_scale scale, double v)
{
    return v > (scale == AXIS_LOG ? 1e-300 : -1e300) && v < 1e300;
}

void axis_fit(struct axis *a, enum axis_scale scale, double low, double high, size_t wanted)
{
    a->scale = scale;
    a->low = fmin(low, high);
    a->high = fmax(low, high);
    a->n_ticks = 0;
    if (scale == AXIS_LOG)
        fit_log(a, wanted);
    else
        fit_linear(a, wanted);
}

double axis_place(const struct axis *a, double value)
{
    const double v = fmin(fmax(value, a->low), a->high);
    const double share = a->scale == AXIS_LOG ? log(v / a->low) / log(a->high / a->low)
                                              : (v - a->low) / (a->high - a->low);

    return a->from + share * (a->to - a->from);
}

void axis_label(const struct axis *a, double tick, struct text *to)
{
    static const struct {
        double from, one;
        const char *sign;
    } unit[] = { { 1e9, 1e9, "G" }, { 1e6, 1e6, "M" }, { 1e4, 1e3, "k" }, { 0, 1, "" } };
    char digits[64];
    size_t u = 0;

    while (fabs(tick) < unit[u].from)
        u++;
    if (unit[u].from > 0 || a->scale == AXIS_LOG)
        number_print(digits, sizeof digits, 'g', 6, tick / unit[u].one);
    else
        number_print(digits, sizeof digits, 'f', a->decimals, tick == 0 ? 0 : tick);
    text_add_str(to, digits);
    text_add_str(to, unit[u].sign);
}
