/* frame.h -- what all plots share: the frame, its axes, the legend; private to the room. */
#ifndef FRAME_H
#define FRAME_H

#include "axis.h"
#include "plot.h"

/* In units of the picture, which are about the pixels of a phone. */
enum { PLOT_WIDTH = 420, PLOT_HEIGHT = 270, LETTER = 6 };

struct frame {
    struct axis x, y; /* y.n_ticks 0: it has none */
    double left, right, top, bottom, height;
    const char *title, *x_name, *y_name; /* y_name NULL: none */
};

/* A coordinate, with one decimal. */
void frame_coordinate(struct text *to, double v);
/* From <figure> to where marks are drawn, and from there to the end of the picture. */
void frame_open(struct text *to, const struct frame *f);
void frame_close(struct text *to);
/* The legend, where there are names, and </figure>. */
void frame_legend(struct text *to, const struct series *s, size_t n);
/* A dot of this colour's own form, with text that a pointer shows. */
void frame_dot(struct text *to, size_t colour, double x, double y);

#endif
