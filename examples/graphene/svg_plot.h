/* Line plots as SVG, for the examples: axes, ticks, curves, bands coloured by a value.
 * Curves lose the points that do not show (less than 0.1 pixel off the line), so files stay
 * small. Every function writes to the stream at once; errors are told by svg_end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SVG_PLOT_H
#define SVG_PLOT_H

#include <stdint.h>
#include <stdio.h>

/* A plot: its box on the page in pixels, and the range of the data in it. */
typedef struct {
    double x, y, w, h;
    double x0, x1, y0, y1;
} svg_axes;

#define SVG_INK  "#1f2933"
#define SVG_GREY "#66727f"
#define SVG_GRID "#e3e7eb"

FILE *svg_begin(const char *path, int w, int h, const char *title); /* NULL: see errno */
int svg_end(FILE *); /* 0, or nonzero where something was not written */

/* Text at a pixel; anchor "start", "middle" or "end"; angle in degrees. The text is escaped. */
void svg_text(FILE *, double x, double y, const char *anchor, double size, const char *colour,
              double angle, const char *text);
/* A tick at a value: a grid line and, unless label is NULL, its text. */
void svg_xtick(FILE *, const svg_axes *, double x, const char *label);
void svg_ytick(FILE *, const svg_axes *, double y, const char *label);
/* Ticks at round numbers, about `count` of them. */
void svg_xticks(FILE *, const svg_axes *, int count);
void svg_yticks(FILE *, const svg_axes *, int count);
void svg_ygrid(FILE *, const svg_axes *, int count); /* without labels */
void svg_frame(FILE *, const svg_axes *, const char *title, const char *xlabel, const char *ylabel);
/* The frame once more, above the data. */
void svg_close_frame(FILE *, const svg_axes *);

/* n points; dash NULL or as in stroke-dasharray. Points that are not finite break the curve. */
void svg_curve(FILE *, const svg_axes *, int64_t n, const double *x, const double *y,
               const char *colour, double width, const char *dash);
/* The area between x = 0 and the steps x[i] on y0 + i*dy .. y0 + (i+1)*dy. */
void svg_steps(FILE *, const svg_axes *, int64_t n, const double *x, double y0, double dy,
               const char *fill, const char *stroke);
/* Bands e[j + i*ld] over x[i], coloured by value[j + i*ld] between lo and hi; `tolerance` in
 * pixels is how far a curve may move when it is thinned. */
void svg_bands(FILE *, const svg_axes *, int64_t points, int64_t first, int64_t last, int64_t ld,
               const double *x, const double *e, const double *value, double lo, double hi,
               double tolerance);
/* The colours of svg_bands as a scale of h pixels height, with its two ends labelled. */
void svg_scale(FILE *, double x, double y, double h, const char *title, const char *low,
               const char *high);

#endif
