/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/models_plot.h"

#include <math.h>
#include <stdio.h>

#include "src/cli/core/cli.h"

enum { WIDTH = 760, HEIGHT = 460, LEFT = 70, RIGHT = 20, TOP = 44, BOTTOM = 50 };

struct axes {
    double x0, x1, y0, y1; /* powers of ten */
};

/* Colour-blind safe (Okabe, Ito 2008). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
enum { COLOURS = sizeof colours / sizeof *colours };

static double px(const struct axes *a, double size)
{
    return LEFT + (log10(size) - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}

static double py(const struct axes *a, double us)
{
    const double y = (log10(us) - a->y0) / (a->y1 - a->y0);
    return HEIGHT - BOTTOM - fmin(fmax(y, -0.02), 1.02) * (HEIGHT - TOP - BOTTOM);
}

static struct axes axes_of(const orr_model *m)
{
    struct axes a = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int64_t k = 0; k < m->parts; k++)
        for (int64_t i = 0; i < m->part[k].entries; i++) {
            const orr_model_entry *e = &m->part[k].entry[i];
            if (!(e->size > 0 && e->mean > 0))
                continue;
            a.x0 = fmin(a.x0, log10(e->size)), a.x1 = fmax(a.x1, log10(e->size));
            a.y0 = fmin(a.y0, log10(e->mean)), a.y1 = fmax(a.y1, log10(e->mean));
        }
    if (a.x0 > a.x1)
        return (struct axes){0, 1, 0, 1};
    return (struct axes){floor(a.x0), floor(a.x1) + 1, floor(a.y0), floor(a.y1) + 1};
}

static void grid(cli_text *t, const struct axes *a)
{
    static const char *const unit[] = {"1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs",
                                       "1 ms", "10 ms", "100 ms", "1 s",  "10 s"};
    for (double x = a->x0; x <= a->x1 + 0.1; x++) {
        const double at = px(a, pow(10, x));
        cli_put(t, "<path d=\"M%.1f %d V%d\" stroke=\"#dddddd\"/>\n", at, TOP, HEIGHT - BOTTOM);
        cli_put(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%.0f</text>\n", at,
                HEIGHT - BOTTOM + 18, x);
    }
    for (double y = a->y0; y <= a->y1 + 0.1; y++) {
        const double at = py(a, pow(10, y));
        const int k = (int)y + 3;
        cli_put(t, "<path d=\"M%d %.1f H%d\" stroke=\"#dddddd\"/>\n", LEFT, at, WIDTH - RIGHT);
        cli_put(t, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, at + 4,
                k >= 0 && k < 11 ? unit[k] : "");
    }
    cli_put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">size (work)</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
}

static void part(cli_text *t, const struct axes *a, const orr_model_part *p, int64_t k)
{
    enum { STEPS = 100 };
    const char *colour = colours[k % COLOURS];
    const orr_model_fit *f = &p->fit;
    const double from = log10(f->minx > 0 ? f->minx : 1), to = log10(f->maxx > 0 ? f->maxx : 1);
    if (!isnan(f->a) && to > from) {
        cli_put(t, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s d=\"", colour,
                f->valid ? "" : " stroke-dasharray=\"5 4\"");
        for (int i = 0; i <= STEPS; i++) {
            const double x = pow(10, from + (to - from) * i / STEPS);
            cli_put(t, "%s%.1f %.1f", i ? " L" : "M", px(a, x), py(a, f->a * pow(x, f->b) + f->c));
        }
        cli_put(t, "\"/>\n");
    }
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = &p->entry[i];
        if (!(e->size > 0 && e->mean > 0))
            continue;
        const double x = px(a, e->size), low = fmax(e->mean - e->sd, e->mean * 0.01);
        cli_put(t, "<path stroke=\"%s\" d=\"M%.1f %.1f V%.1f\"/>", colour, x, py(a, low),
                py(a, e->mean + e->sd));
        cli_put(t,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" fill-opacity=\"0.6\">"
                "<title>size %.0f: %.4g us, sd %.2g, %lld run%s</title></circle>\n",
                x, py(a, e->mean), colour, e->size, e->mean, e->sd, (long long)e->n,
                cli_plural(e->n));
    }
    cli_put(t, "<text x=\"%d\" y=\"%lld\" fill=\"%s\">%s %d, implementation %d", LEFT + 10,
            (long long)(TOP + 16 + 16 * k), colour, orr_kind_name(p->kind), p->device, p->impl);
    if (isnan(f->a))
        cli_put(t, ": no curve</text>\n");
    else
        cli_put(t, ": %.3g size^%.3f + %.3g us, R² %.4f%s</text>\n", f->a, f->b, f->c, f->r2,
                f->valid ? "" : " (not used)");
}

void models_plot(cli_text *t, const orr_model *m, const char *machine)
{
    const struct axes a = axes_of(m);
    cli_put(t,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT);
    cli_put(t, "<text x=\"%d\" y=\"24\" font-size=\"15\">%s on %s</text>\n", LEFT, m->name,
            machine);
    grid(t, &a);
    for (int64_t k = 0; k < m->parts; k++)
        part(t, &a, &m->part[k], k);
    cli_put(t, "</svg>\n");
}
