/* A path is thinned by Ramer, Douglas and Peucker: keep the point that is farthest from the
 * chord while it is farther than the tolerance. Bands of one colour share one <path>, drawn
 * from the palest to the strongest, so that what matters is on top.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "svg_plot.h"

#include <math.h>
#include <stdlib.h>

enum { COLOURS = 8 };
static const char *const scale[COLOURS] = {"#9fb3c8", "#7f9cc0", "#6a80b3", "#7a62a3",
                                           "#97468c", "#b8326c", "#d62d48", "#e8451f"};

FILE *svg_begin(const char *path, int w, int h, const char *title)
{
    FILE *f = fopen(path, "w");
    if (f)
        fprintf(f,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" font-family=\"Helvetica,Arial,sans-serif\">\n"
                "<title>%s</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                w, h, w, h, title, w, h);
    return f;
}

int svg_end(FILE *f)
{
    fprintf(f, "</svg>\n");
    const int failed = ferror(f);
    return fclose(f) || failed;
}

static double px(const svg_axes *a, double x)
{
    return a->x + (x - a->x0) / (a->x1 - a->x0) * a->w;
}

static double py(const svg_axes *a, double y)
{
    return a->y + (a->y1 - y) / (a->y1 - a->y0) * a->h;
}

void svg_text(FILE *f, double x, double y, const char *anchor, double size, const char *colour,
              double angle, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%g\" fill=\"%s\"", x, y,
            anchor, size, colour);
    if (angle != 0)
        fprintf(f, " transform=\"rotate(%g %.1f %.1f)\"", angle, x, y);
    fputc('>', f);
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '>')
            fputs("&gt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else
            fputc(*text, f);
    }
    fputs("</text>\n", f);
}

static void segment(FILE *f, double x0, double y0, double x1, double y1, const char *colour)
{
    fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>\n", x0, y0, x1, y1, colour);
}

void svg_xtick(FILE *f, const svg_axes *a, double x, const char *label)
{
    const double at = px(a, x), bottom = a->y + a->h;
    segment(f, at, a->y, at, bottom, SVG_GRID);
    segment(f, at, bottom, at, bottom + 5, SVG_INK);
    if (label)
        svg_text(f, at, bottom + 19, "middle", 13, SVG_INK, 0, label);
}

void svg_ytick(FILE *f, const svg_axes *a, double y, const char *label)
{
    const double at = py(a, y);
    segment(f, a->x, at, a->x + a->w, at, SVG_GRID);
    segment(f, a->x - 5, at, a->x, at, SVG_INK);
    if (label)
        svg_text(f, a->x - 9, at + 4.5, "end", 13, SVG_INK, 0, label);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double range, int count)
{
    const double rough = range / count, power = pow(10, floor(log10(rough)));
    const double lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void ticks(FILE *f, const svg_axes *a, double lo, double hi, int count,
                  void (*tick)(FILE *, const svg_axes *, double, const char *))
{
    const double step = round_step(hi - lo, count);
    const double slack = 1e-6 * step;
    char label[32];
    for (double i = ceil((lo - slack) / step); i * step <= hi + slack; i++) {
        const double value = i == 0 ? 0 : i * step; /* not -0 */
        /* A minus sign, not a hyphen. */
        snprintf(label, sizeof label, "%s%.6g", value < 0 ? "\u2212" : "", fabs(value));
        tick(f, a, value, label);
    }
}

void svg_xticks(FILE *f, const svg_axes *a, int count)
{
    ticks(f, a, a->x0, a->x1, count, svg_xtick);
}

void svg_yticks(FILE *f, const svg_axes *a, int count)
{
    ticks(f, a, a->y0, a->y1, count, svg_ytick);
}

static void unlabelled(FILE *f, const svg_axes *a, double y, const char *label)
{
    (void)label;
    svg_ytick(f, a, y, NULL);
}

void svg_ygrid(FILE *f, const svg_axes *a, int count)
{
    ticks(f, a, a->y0, a->y1, count, unlabelled);
}

void svg_frame(FILE *f, const svg_axes *a, const char *title, const char *xlabel,
               const char *ylabel)
{
    const double bottom = a->y + a->h, centre = a->x + a->w / 2;
    if (title)
        svg_text(f, centre, a->y - 12, "middle", 15, SVG_INK, 0, title);
    if (xlabel)
        svg_text(f, centre, bottom + 42, "middle", 14, SVG_INK, 0, xlabel);
    if (ylabel)
        svg_text(f, a->x - 40, a->y + a->h / 2, "middle", 14, SVG_INK, -90, ylabel);
}

void svg_close_frame(FILE *f, const svg_axes *a)
{
    fprintf(f, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"%s\"/>\n",
            a->x, a->y, a->w, a->h, SVG_INK);
}

/* A nested <svg> clips what is drawn in it; pixels stay those of the page. */
static void begin_clip(FILE *f, const svg_axes *a)
{
    fprintf(f, "<svg x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" viewBox=\"%g %g %g %g\">\n", a->x,
            a->y, a->w, a->h, a->x, a->y, a->w, a->h);
}

static void end_clip(FILE *f) { fprintf(f, "</svg>\n"); }

typedef struct {
    double x, y;
} point;

static double distance(point a, point b, point p)
{
    const double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    if (length == 0)
        return hypot(p.x - a.x, p.y - a.y);
    return fabs(dx * (p.y - a.y) - dy * (p.x - a.x)) / length;
}

/* Writes p[from] .. p[to], without the first point. */
static void thin(FILE *f, const point *p, int64_t from, int64_t to, double tolerance)
{
    double worst = tolerance;
    int64_t at = -1;
    for (int64_t i = from + 1; i < to; i++) {
        const double d = distance(p[from], p[to], p[i]);
        if (d > worst) {
            worst = d;
            at = i;
        }
    }
    if (at < 0) {
        fprintf(f, " %.1f %.1f", p[to].x, p[to].y);
    } else {
        thin(f, p, from, at, tolerance);
        thin(f, p, at, to, tolerance);
    }
}

static void run(FILE *f, const point *p, int64_t from, int64_t to, double tolerance)
{
    if (to <= from)
        return;
    fprintf(f, "M%.1f %.1f", p[from].x, p[from].y);
    thin(f, p, from, to, tolerance);
}

void svg_curve(FILE *f, const svg_axes *a, int64_t n, const double *x, const double *y,
               const char *colour, double width, const char *dash)
{
    point *p = malloc(sizeof *p * (n > 0 ? n : 1));
    if (!p)
        return;
    begin_clip(f, a);
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"",
            colour, width);
    if (dash)
        fprintf(f, " stroke-dasharray=\"%s\"", dash);
    fprintf(f, " d=\"");
    int64_t from = 0;
    for (int64_t i = 0; i <= n; i++) {
        if (i == n || !isfinite(x[i]) || !isfinite(y[i])) {
            run(f, p, from, i - 1, 0.1);
            from = i + 1;
        } else {
            p[i] = (point){px(a, x[i]), py(a, y[i])};
        }
    }
    fprintf(f, "\"/>\n");
    end_clip(f);
    free(p);
}

void svg_steps(FILE *f, const svg_axes *a, int64_t n, const double *x, double y0, double dy,
               const char *fill, const char *stroke)
{
    begin_clip(f, a);
    fprintf(f, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.8\" d=\"M%.1f %.1f", fill, stroke,
            px(a, 0), py(a, y0));
    for (int64_t i = 0; i < n; i++)
        fprintf(f, "H%.1fV%.1f", px(a, x[i]), py(a, y0 + (i + 1) * dy));
    fprintf(f, "H%.1fZ\"/>\n", px(a, 0));
    end_clip(f);
}

static int bucket(double value, double lo, double hi)
{
    const double u = (value - lo) / (hi - lo) * COLOURS;
    return !(u > 0) ? 0 : u >= COLOURS ? COLOURS - 1 : (int)u;
}

void svg_bands(FILE *f, const svg_axes *a, int64_t points, int64_t first, int64_t last, int64_t ld,
               const double *x, const double *e, const double *value, double lo, double hi,
               double tolerance)
{
    /* The thinning looks at every point again and again: give it no more than show. */
    const int64_t stride = points > 4000 ? points / 2000 : 1, n = (points - 1) / stride + 1;
    point *p = malloc(sizeof *p * n);
    int *c = malloc(sizeof *c * n);
    begin_clip(f, a);
    for (int colour = 0; colour < COLOURS && p && c; colour++) {
        fprintf(f,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\" "
                "d=\"",
                scale[colour], 1 + 0.13 * colour);
        for (int64_t j = first; j < last; j++) {
            for (int64_t i = 0; i < n; i++) {
                p[i] = (point){px(a, x[i * stride]), py(a, e[j + i * stride * ld])};
                c[i] = bucket(value[j + i * stride * ld], lo, hi);
            }
            for (int64_t i = 0, from = 0; i < n; i++)
                if (i == n - 1 || c[i + 1] != c[from]) {
                    if (c[from] == colour) /* as far as the first point of the next colour */
                        run(f, p, from, i == n - 1 ? i : i + 1, tolerance);
                    from = i + 1;
                }
        }
        fprintf(f, "\"/>\n");
    }
    end_clip(f);
    free(p);
    free(c);
}

void svg_scale(FILE *f, double x, double y, double h, const char *title, const char *low,
               const char *high)
{
    const double step = h / COLOURS;
    for (int c = 0; c < COLOURS; c++)
        fprintf(f, "<rect x=\"%g\" y=\"%g\" width=\"12\" height=\"%g\" fill=\"%s\"/>\n", x,
                y + h - (c + 1) * step, step + 0.2, scale[c]);
    svg_text(f, x + 18, y + 10, "start", 12, SVG_INK, 0, high);
    svg_text(f, x + 18, y + h, "start", 12, SVG_INK, 0, low);
    svg_text(f, x + 28, y + h / 2, "middle", 12, SVG_INK, -90, title);
}
