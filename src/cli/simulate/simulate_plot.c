/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/simulate_plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 400, LEFT = 60, RIGHT = 150, TOP = 44, BOTTOM = 50 };

/* Colour-blind safe (Okabe, Ito 2008). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
enum { COLOURS = sizeof colours / sizeof *colours };

struct plot {
    const struct point *p;
    int points, over_gpus;
    double x_most, y_most;
};

static double x_of(const struct plot *g, const struct point *p)
{
    return g->over_gpus ? p->gpus : p->cpus;
}

static double y_of(const struct plot *g, const struct point *p)
{
    return g->p[0].makespan / p->makespan;
}

static double px(const struct plot *g, double x)
{
    return LEFT + x / g->x_most * (WIDTH - LEFT - RIGHT);
}

static double py(const struct plot *g, double y)
{
    return HEIGHT - BOTTOM - fmin(y / g->y_most, 1.02) * (HEIGHT - TOP - BOTTOM);
}

static int same_line(const struct plot *g, const struct point *a, const struct point *b)
{
    return !strcmp(a->sched, b->sched) && (!g->over_gpus || a->cpus == b->cpus);
}

/* 1, 2 or 5 times a power of ten, about a sixth of `most`, at least 1. */
static double tick(double most)
{
    const double power = pow(10, floor(log10(most / 6))), rest = most / 6 / power;
    return fmax(1, power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10));
}

static void grid(cli_text *t, const struct plot *g)
{
    for (double x = 0; x <= g->x_most * 1.001; x += tick(g->x_most)) {
        cli_put(t, "<path d=\"M%.1f %d V%d\" stroke=\"#dddddd\"/>\n", px(g, x), TOP,
                HEIGHT - BOTTOM);
        cli_put(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", px(g, x),
                HEIGHT - BOTTOM + 18, x);
    }
    for (double y = 0; y <= g->y_most * 1.001; y += tick(g->y_most)) {
        cli_put(t, "<path d=\"M%d %.1f H%d\" stroke=\"#dddddd\"/>\n", LEFT, py(g, y),
                WIDTH - RIGHT);
        cli_put(t, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6,
                py(g, y) + 4, y);
    }
    cli_put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, g->over_gpus ? "GPUs" : "CPUs");
    const double first = x_of(g, &g->p[0]);
    if (first > 0)
        cli_put(t,
                "<path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"#888888\" "
                "stroke-dasharray=\"5 4\"/>\n",
                px(g, 0), py(g, 0), px(g, fmin(g->x_most, g->y_most * first)),
                py(g, fmin(g->y_most, g->x_most / first)));
}

/* The line that begins with point `first`. */
static void line(cli_text *t, const struct plot *g, int first, int number)
{
    const char *colour = colours[number % COLOURS];
    const struct point *a = &g->p[first];
    cli_put(t, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colour);
    for (int i = first, k = 0; i < g->points; i++)
        if (same_line(g, a, &g->p[i]))
            cli_put(t, "%s%.1f %.1f", k++ ? " L" : "M", px(g, x_of(g, &g->p[i])),
                    py(g, y_of(g, &g->p[i])));
    cli_put(t, "\"/>\n");
    for (int i = first; i < g->points; i++)
        if (same_line(g, a, &g->p[i]))
            cli_put(t,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\">"
                    "<title>%d CPUs, %d GPUs: %.4g ms</title></circle>\n",
                    px(g, x_of(g, &g->p[i])), py(g, y_of(g, &g->p[i])), colour, g->p[i].cpus,
                    g->p[i].gpus, 1e3 * g->p[i].makespan);
    cli_put(t, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s", WIDTH - RIGHT + 10, TOP + 12 + 16 * number,
            colour, a->sched);
    if (g->over_gpus)
        cli_put(t, ", %d CPUs", a->cpus);
    cli_put(t, "</text>\n");
}

void simulate_plot(cli_text *t, const struct point *p, int points, const char *title)
{
    struct plot g = {.p = p, .points = points, .x_most = 1, .y_most = 1};
    for (int i = 1; i < points; i++)
        g.over_gpus |= p[i].gpus != p[0].gpus;
    for (int i = 0; i < points; i++) {
        g.x_most = fmax(g.x_most, x_of(&g, &p[i]));
        g.y_most = fmax(g.y_most, y_of(&g, &p[i]));
    }
    g.y_most = ceil(g.y_most);
    cli_put(t,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT);
    cli_put(t, "<text x=\"%d\" y=\"24\" font-size=\"15\">%s</text>\n", LEFT, title);
    grid(t, &g);
    for (int i = 0, number = 0; i < points; i++) {
        int seen = 0;
        for (int k = 0; k < i; k++)
            seen |= same_line(&g, &p[k], &p[i]);
        if (!seen)
            line(t, &g, i, number++);
    }
    cli_put(t, "</svg>\n");
}
