/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include "../graphene/svg_plot.h"

enum { LEVELS = 24, SCALE = 5, LEFT = 60, GAP = 60, TOP = 50 };

/* Pixels of one level of grey are one path. */
static void image(FILE *f, int x0, int y0, const float *p, const char *title)
{
    float low = p[0], high = p[0];
    for (int i = 0; i < PIXELS; i++) {
        low = p[i] < low ? p[i] : low;
        high = p[i] > high ? p[i] : high;
    }
    svg_text(f, x0 + WIDTH * SCALE / 2.0, y0 - 12, "middle", 15, SVG_INK, 0, title);
    fprintf(f, "<g transform=\"translate(%d %d) scale(%d)\" shape-rendering=\"crispEdges\">\n", x0,
            y0, SCALE);
    for (int level = 0; level < LEVELS; level++) {
        const int grey = level * 255 / (LEVELS - 1);
        fprintf(f, "<path fill=\"#%02x%02x%02x\" d=\"", grey, grey, grey);
        for (int i = 0; i < PIXELS; i++) {
            const float part = high > low ? (p[i] - low) / (high - low) : 0;
            const int mine = (int)(part * (LEVELS - 0.001f));
            if (mine == level)
                fprintf(f, "M%d %dh1v1h-1z", i % WIDTH, i / WIDTH);
        }
        fprintf(f, "\"/>\n");
    }
    fprintf(f, "</g>\n");
}

static void ring(FILE *f, int x0, int y0, double x, double y)
{
    fprintf(f,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"22\" fill=\"none\" stroke=\"#e8451f\" "
            "stroke-width=\"2\"/>\n",
            x0 + (x + 0.5) * SCALE, y0 + (y + 0.5) * SCALE);
}

static void dots(FILE *f, const svg_axes *a, const video *v, const track *t, const char *colour)
{
    fprintf(f, "<path stroke=\"%s\" stroke-width=\"4\" stroke-linecap=\"round\" d=\"", colour);
    for (int i = 0; i < v->frames; i++)
        if (isfinite(t->x[i]))
            fprintf(f, "M%.1f %.1fh0", a->x + (t->x[i] - a->x0) / (a->x1 - a->x0) * a->w,
                    a->y + (a->y1 - t->y[i]) / (a->y1 - a->y0) * a->h);
    fprintf(f, "\"/>\n");
}

static void path_plot(FILE *f, const svg_axes *a, const video *v, const track *svd,
                      const track *mean)
{
    svg_frame(f, a, "path: known (line), found (dots)", "x, pixels", "y, pixels");
    svg_xticks(f, a, 6);
    for (int y = 0; y < HEIGHT; y += 10) { /* downwards, as in the image */
        char label[8];
        snprintf(label, sizeof label, "%d", y);
        svg_ytick(f, a, y, label);
    }
    dots(f, a, v, mean, "#c3cbd4");
    svg_curve(f, a, v->frames, v->x, v->y, SVG_INK, 1.2, NULL);
    dots(f, a, v, svd, "#d62d48");
    svg_close_frame(f, a);
}

static void error_plot(FILE *f, const svg_axes *a, const video *v, const track *svd,
                       const track *mean)
{
    double *at = malloc(3 * sizeof *at * (size_t)v->frames);
    if (!at)
        return;
    double *const e0 = at + v->frames, *const e1 = e0 + v->frames;
    for (int t = 0; t < v->frames; t++) {
        at[t] = t;
        e0[t] = hypot(svd->x[t] - v->x[t], svd->y[t] - v->y[t]);
        e1[t] = hypot(mean->x[t] - v->x[t], mean->y[t] - v->y[t]);
    }
    svg_frame(f, a, "error: subspace (red), mean image (grey)", "frame", "pixels");
    svg_xticks(f, a, 6);
    svg_yticks(f, a, 5);
    svg_curve(f, a, v->frames, at, e1, "#9fb3c8", 1.2, NULL);
    svg_curve(f, a, v->frames, at, e0, "#d62d48", 2, NULL);
    svg_close_frame(f, a);
    free(at);
}

int picture_write(const char *path, const video *v, const track *svd, const track *mean, int t,
                  const float *frame, const float *residual)
{
    const int right = LEFT + WIDTH * SCALE + GAP, below = TOP + HEIGHT * SCALE + 70;
    FILE *f = svg_begin(path, right + WIDTH * SCALE + LEFT, below + 320,
                        "A target in front of a changing scene, found by SVD of a sliding window");
    if (!f)
        return 1;
    image(f, LEFT, TOP, frame, "a frame");
    image(f, right, TOP, residual, "without the background subspace");
    ring(f, LEFT, TOP, v->x[t], v->y[t]);
    ring(f, right, TOP, v->x[t], v->y[t]);
    const svg_axes plane = {LEFT, below, WIDTH * SCALE, 240, 0, WIDTH, HEIGHT, 0};
    const svg_axes time = {right, below, WIDTH * SCALE, 240, 0, v->frames, 0, 60};
    path_plot(f, &plane, v, svd, mean);
    error_plot(f, &time, v, svd, mean);
    return svg_end(f);
}
