/* 04_decode.c -- ranks items that can only be compared, two at a time. */
#include <peck.h>

/* How strongly is item i preferred to item j?  Here: by their share of the two lengths. */
static int longer(void *ctx, const peck_duel *duel, size_t n_duels, float *h)
{
    const float *const length = ctx;

    for (size_t k = 0; k < n_duels; k++)
        h[k] = length[duel[k].i] / (length[duel[k].i] + length[duel[k].j]);
    return 0;
}

int main(void)
{
    float length[] = { 2.5f, 9.0f, 4.0f, 1.0f, 4.1f, 7.0f };
    uint32_t order[6];
    peck_error err;

    if (peck_decode(order, NULL, 6, longer, length, NULL, NULL, &err) != PECK_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    for (int k = 0; k < 6; k++)
        printf("%d: item %u\n", k + 1, (unsigned)order[k]);
    return 0;
}
