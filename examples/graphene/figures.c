/* Layout of the three pictures: what stands where, and nothing about physics beyond labels.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "figures.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "svg_plot.h"

#define BLUE   "#1d5b96"
#define ORANGE "#d9480f"
#define FERMI  "#9aa5b1"

/* The Fermi energy of the undoped lattice. */
static void zero_line(FILE *f, const svg_axes *a)
{
    svg_curve(f, a, 2, (double[]){a->x0, a->x1}, (double[]){0, 0}, FERMI, 1, "4 3");
}

/* Band j of a batch as one curve. */
static void band(FILE *f, const svg_axes *a, const problem *p, int64_t first, int64_t points,
                 int64_t j, const double *x, const char *colour, double width)
{
    double *e = malloc(sizeof *e * points);
    if (!e)
        return;
    for (int64_t i = 0; i < points; i++)
        e[i] = p->w[first + i][j];
    svg_curve(f, a, points, x, e, colour, width, NULL);
    free(e);
}

static void exact_dos(FILE *f, const svg_axes *a, double t)
{
    enum { N = 1501 };
    static double rho[N], e[N];
    for (int i = 0; i < N; i++) {
        e[i] = a->y0 + (a->y1 - a->y0) * i / (N - 1);
        rho[i] = fmin(graphene_dos(t, e[i]), 2 * a->x1);
    }
    svg_curve(f, a, N, rho, e, ORANGE, 1.2, NULL);
}

int figure_graphene(const char *path, double t, const problem *bands, const double *x,
                    const double corner[4], int64_t bins, const double *dos, double e1,
                    const char *mesh)
{
    static const char *const names[4] = {"\u0393", "K", "M", "\u0393"};
    FILE *f = svg_begin(path, 900, 460, "Graphene: bands and density of states");
    if (!f)
        return -1;
    const double top = 3.3 * t;
    double peak = 0;
    for (int64_t i = 0; i < bins; i++)
        peak = fmax(peak, dos[i]);

    const svg_axes a = {72, 48, 500, 350, 0, corner[3], -top, top};
    svg_yticks(f, &a, 9);
    for (int i = 0; i < 4; i++)
        svg_xtick(f, &a, corner[i], names[i]);
    svg_frame(f, &a, "Graphene, nearest-neighbour tight binding", "wave vector k", "energy E (eV)");
    zero_line(f, &a);
    for (int64_t j = 0; j < 2; j++)
        band(f, &a, bands, 0, bands->batch, j, x, BLUE, 2);
    const double kx = a.x + corner[1] / corner[3] * a.w, zero = a.y + a.h / 2;
    svg_text(f, kx + 34, zero - 6, "start", 13, SVG_INK, 0, "Dirac point");
    svg_text(f, a.x + 12, a.y + 96, "start", 13, BLUE, 0, "\u03c0* (empty)");
    svg_text(f, a.x + 12, a.y + a.h - 88, "start", 13, BLUE, 0, "\u03c0 (filled)");
    svg_close_frame(f, &a);

    const svg_axes d = {602, 48, 270, 350, 0, 1.12 * peak, -top, top};
    svg_ygrid(f, &d, 9);
    svg_xticks(f, &d, 4);
    svg_frame(f, &d, mesh, "states per eV, cell and spin", NULL);
    svg_steps(f, &d, bins, dos, -e1, 2 * e1 / bins, "#bcd4ea", BLUE);
    zero_line(f, &d);
    exact_dos(f, &d, t);
    const double vh = t / (2 * top) * d.h, right = d.x + d.w - 12;
    svg_text(f, right, zero - vh - 12, "end", 13, SVG_INK, 0, "van Hove, E = +t");
    svg_text(f, right, zero + vh + 22, "end", 13, SVG_INK, 0, "van Hove, E = \u2212t");
    const double ly = d.y + 20, lx = right - 106;
    fprintf(f,
            "<rect x=\"%g\" y=\"%g\" width=\"20\" height=\"9\" fill=\"#bcd4ea\" stroke=\"%s\"/>\n",
            lx, ly - 9, BLUE);
    svg_text(f, lx + 27, ly, "start", 12, SVG_INK, 0, "eigenvalues");
    fprintf(f, "<path d=\"M%g %gh20\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", lx, ly + 13, ORANGE);
    svg_text(f, lx + 27, ly + 17, "start", 12, SVG_INK, 0, "closed form");
    svg_close_frame(f, &d);
    return svg_end(f);
}

static void pi_ticks(FILE *f, const svg_axes *a, int from, int to)
{
    static const char *const names[] = {"\u2212\u03c0", "0", "\u03c0", "2\u03c0"};
    for (int i = from; i <= to; i++)
        svg_xtick(f, a, i * PI, names[i + 1]);
}

int figure_ribbons(const char *path, double t, const problem *zigzag, const double *weight,
                   const problem *armchair, int64_t points, const int64_t rows[2],
                   const int64_t first[2])
{
    FILE *f = svg_begin(path, 980, 470, "Graphene ribbons");
    double *x = malloc(sizeof *x * (zigzag->batch + points + 2));
    if (!f || !x) {
        free(x);
        return f ? svg_end(f), -1 : -1;
    }
    char title[64];

    const int64_t n = zigzag->n;
    const svg_axes z = {72, 52, 400, 350, 0, 2 * PI, -3.3 * t, 3.3 * t};
    for (int64_t i = 0; i < zigzag->batch; i++)
        x[i] = 2 * PI * i / zigzag->batch;
    svg_yticks(f, &z, 9);
    pi_ticks(f, &z, 0, 2);
    svg_xtick(f, &z, 2 * PI / 3, "2\u03c0/3");
    svg_xtick(f, &z, 4 * PI / 3, "4\u03c0/3");
    snprintf(title, sizeof title, "Zigzag ribbon, N = %d", (int)(n / 2));
    svg_frame(f, &z, title, "ka", "energy E (eV)");
    svg_bands(f, &z, zigzag->batch, 0, n, n, x, zigzag->w[0], weight, 0.2, 1, 0.12);
    svg_text(f, z.x + z.w / 2, z.y + z.h / 2 - 10, "middle", 12, SVG_INK, 0, "edge states");
    svg_close_frame(f, &z);
    svg_scale(f, z.x + z.w + 12, z.y + 90, 170, "weight on the edges", "\u2264 0.2", "1");

    for (int i = 0; i < 2; i++) {
        svg_axes a = {592 + i * 198, 52, 172, 350, -PI, PI, -1.5 * t, 1.5 * t};
        const int64_t m = 2 * rows[i];
        const double gap = armchair->w[first[i] + points / 2][m / 2] -
                           armchair->w[first[i] + points / 2][m / 2 - 1];
        for (int64_t k = 0; k < points; k++)
            x[k] = -PI + 2 * PI * k / points;
        if (i == 0)
            svg_yticks(f, &a, 9);
        else
            svg_ygrid(f, &a, 9);
        pi_ticks(f, &a, -1, 1);
        snprintf(title, sizeof title, "Armchair, N = %d", (int)rows[i]);
        svg_frame(f, &a, title, "kT", NULL);
        zero_line(f, &a);
        for (int64_t j = 0; j < m; j++)
            band(f, &a, armchair, first[i], points, j, x, BLUE, 1);
        if (gap < 1e-6 * t)
            snprintf(title, sizeof title, "N = 3p + 2: no gap");
        else
            snprintf(title, sizeof title, "N = 3p%s: gap %.2f eV", rows[i] % 3 ? " + 1" : "", gap);
        svg_text(f, a.x + a.w / 2, a.y + a.h + 60, "middle", 12, SVG_GREY, 0, title);
        svg_close_frame(f, &a);
    }
    free(x);
    return svg_end(f);
}

/* How many bands of a large matrix a picture can show, and how large its file may be. */
enum { SHOWN = 160, SVG_LIMIT = 190000 };

static int stack_once(const char *path, const char *title, const char *xlabel, const svg_axes *a,
                      int64_t points, int64_t first, int64_t last, const problem *p,
                      const double *x, const double *ipr, double high, double tolerance, long *size)
{
    const double low = 1.0 / p->n;
    char top[24], bottom[24];
    snprintf(bottom, sizeof bottom, "%.2g", low);
    snprintf(top, sizeof top, "%.2g", high);
    FILE *f = svg_begin(path, 720, 500, "Bands");
    if (!f)
        return -1;
    svg_yticks(f, a, 8);
    svg_xticks(f, a, 8);
    svg_frame(f, a, title, xlabel, "eigenvalue");
    svg_bands(f, a, points, first, last, p->n, x, p->w[0], ipr, low, high > low ? high : low + 1,
              tolerance);
    svg_close_frame(f, a);
    svg_scale(f, a->x + a->w + 14, a->y + 100, 170, "inverse participation", bottom, top);
    *size = ftell(f);
    return svg_end(f);
}

static int one_matrix(const char *path, const char *title, const svg_axes *a, int64_t first,
                      int64_t last, const problem *p)
{
    FILE *f = svg_begin(path, 720, 500, "Levels");
    if (!f)
        return -1;
    svg_yticks(f, a, 8);
    svg_frame(f, a, title, "one matrix", "eigenvalue");
    for (int64_t j = first; j < last; j++)
        svg_curve(f, a, 2, (double[]){0.2, 0.8}, (double[]){p->w[0][j], p->w[0][j]}, BLUE, 1, NULL);
    svg_close_frame(f, a);
    return svg_end(f);
}

int figure_stack(const char *path, const char *name, const problem *p, const double *x,
                 const double *ipr, int numbered)
{
    const int64_t n = p->n, first = n > SHOWN ? (n - SHOWN) / 2 : 0;
    const int64_t last = n > SHOWN ? first + SHOWN : n;
    double lo = INFINITY, hi = -INFINITY, high = 0;
    for (int64_t k = 0; k < p->batch; k++) {
        lo = fmin(lo, p->w[k][first]);
        hi = fmax(hi, p->w[k][last - 1]);
        for (int64_t j = first; j < last; j++)
            high = fmax(high, ipr[j + k * n]);
    }
    const double pad = hi > lo ? 0.05 * (hi - lo) : 0.5 + fabs(hi);
    svg_axes a = {82, 52, 560, 380, 0, 1, lo - pad, hi + pad};
    char title[160];
    if (first > 0)
        snprintf(title, sizeof title, "%.60s: bands %d to %d of %d", name, (int)first + 1,
                 (int)last, (int)n);
    else
        snprintf(title, sizeof title, "%.60s: %d bands", name, (int)n);
    if (p->batch == 1)
        return one_matrix(path, title, &a, first, last, p);

    /* Thin harder until the file is small: a picture of a thousand crossings has no detail. */
    a.x0 = x[0];
    a.x1 = x[p->batch - 1];
    long size = LONG_MAX;
    int failed = 0;
    for (double tolerance = 0.1; size > SVG_LIMIT && tolerance < 2 && !failed; tolerance *= 2)
        failed = stack_once(path, title, numbered ? "matrix" : "k", &a, p->batch, first, last, p, x,
                            ipr, high, tolerance, &size);
    return failed;
}
