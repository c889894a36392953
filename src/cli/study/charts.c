/* Pictures of a study. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/study/points.h"
#include "src/cli/study/report.h"

enum { WIDTH = 860, LEFT = 330, RIGHT = 845, ROW = 20, TOP = 8, FOOT = 34 };
static const char *const palette[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#222222", "#999999"};

/* ---- Axes ----------------------------------------------------------------------------------- */

/* Logarithmic, from low to high. */
struct axis {
    double low, high;
};

static double at(const struct axis *a, double x)
{
    return LEFT + (RIGHT - LEFT) * (log(x) - log(a->low)) / (log(a->high) - log(a->low));
}

static void widen(struct axis *a, double x)
{
    if (!(x > 0) || !isfinite(x))
        return;
    a->low = a->low > 0 ? fmin(a->low, x) : x;
    a->high = fmax(a->high, x);
}

static void round_off(struct axis *a)
{
    const double share = fmax(1.01, pow(a->high / a->low, 0.04));
    if (!(a->low > 0))
        *a = (struct axis){0.5, 2};
    a->low /= share;
    a->high *= share;
}

static void begin(cli_text *t, int height, const char *what)
{
    cli_put(t, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, height);
    cli_put_html(t, what);
    cli_put(
        t,
        "\" font-family=\"sans-serif\" font-size=\"12\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
        "fill=\"#f5f5f5\"/>\n",
        LEFT, TOP, RIGHT - LEFT, height - TOP - FOOT);
}

static void vertical(cli_text *t, double x, int bottom, const char *colour, const char *dash)
{
    cli_put(t, "<path d=\"M%.1f %dV%d\" stroke=\"%s\"%s/>\n", x, TOP, bottom, colour, dash);
}

/* Round numbers of equal steps of the logarithm, or of the number itself where the axis is short. */
static void ticks(cli_text *t, const struct axis *a, int bottom, const char *unit)
{
    const double decades = log10(a->high / a->low);
    const double raw = (a->high - a->low) / 4, ten = pow(10, floor(log10(raw)));
    const double step = raw / ten >= 5 ? 5 * ten : raw / ten >= 2 ? 2 * ten : ten;
    for (int k = 0; k < 60; k++) {
        static const double part[] = {1, 2, 5};
        const double x = decades > 1 ? part[k % 3] * pow(10, floor(log10(a->low)) + k / 3)
                                     : step * (ceil(a->low / step) + k);
        if (x > a->high)
            break;
        if (x < a->low || (decades > 3 && k % 3))
            continue;
        vertical(t, at(a, x), bottom, "#dddddd", "");
        cli_put(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#444\">%.4g</text>\n",
                at(a, x), bottom + 14, x);
    }
    cli_put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#444\">%s</text>\n", RIGHT,
            bottom + 29, unit);
}

/* Of a character that begins here, in halves of a pixel, as letters of 12 px are in the mean; 0: one goes on here. */
static int width_of(const char *c)
{
    const unsigned byte = (unsigned char)*c;
    return byte < 0x80 ? 13 : (byte & 0xc0) == 0x80 ? 0 : 24;
}

static int width(const char *text)
{
    int sum = 0;
    for (; *text; text++)
        sum += width_of(text);
    return sum;
}

/* Bytes of the characters with which a text begins, as many as have room. */
static size_t head_of(const char *text, int room)
{
    size_t n = 0;
    while (text[n] && width_of(text + n) <= room)
        room -= width_of(text + n++);
    return n;
}

/* To the left of a row. What is too long has its beginning and its end there, and the whole in the title. */
static void row_label(cli_text *t, int y, const char *label)
{
    enum { ROOM = 2 * (LEFT - 10), DOTS = 24 };
    const int whole = width(label) <= ROOM, half = (ROOM - DOTS) / 2;
    const size_t begins = whole ? strlen(label) : head_of(label, half);
    const char *end = label + begins;
    while (!whole && (width_of(end) == 0 || width(end) > half))
        end++;
    cli_text head = {0};
    cli_put_bytes(&head, label, begins);
    cli_put(&head, "%s", whole ? "" : "...");
    cli_put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8, y + 4);
    cli_put_html(t, head.s ? head.s : "");
    cli_put_html(t, end);
    if (!whole) {
        cli_put(t, "<title>");
        cli_put_html(t, label);
        cli_put(t, "</title>");
    }
    cli_put(t, "</text>\n");
    t->failed |= head.failed;
    cli_text_free(&head);
}

/* ---- Ratios --------------------------------------------------------------------------------- */

void chart_effects(cli_text *t, const study_report_data *d)
{
    static const char *const colour[] = {"#009e73", "#666666", "#d55e00", "#0072b2"};
    struct axis a = {1 / (1 + d->p->margin), 1 + d->p->margin};
    const int bottom = TOP + ROW * d->effects + 6;
    for (int k = 0; k < d->effects; k++) {
        widen(&a, d->effect[k].ratio.low);
        widen(&a, d->effect[k].ratio.middle);
        widen(&a, d->effect[k].ratio.high);
    }
    round_off(&a);
    begin(t, bottom + FOOT, "Ratios and their intervals");
    cli_put(t, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#e3e3e3\"/>\n",
            at(&a, 1 / (1 + d->p->margin)), TOP,
            at(&a, 1 + d->p->margin) - at(&a, 1 / (1 + d->p->margin)), bottom - TOP);
    ticks(t, &a, bottom, "ratio; grey: a difference that does not matter");
    vertical(t, at(&a, 1), bottom, "#888888", " stroke-dasharray=\"3 3\"");
    for (int k = 0; k < d->effects; k++) {
        const study_effect *e = &d->effect[k];
        const int y = TOP + ROW * k + ROW / 2 + 3;
        cli_text label = {0};
        report_effect_label(&label, d, e);
        row_label(t, y, label.s ? label.s : "");
        cli_text_free(&label);
        if (isfinite(e->ratio.low))
            cli_put(t, "<path d=\"M%.1f %dH%.1f\" stroke=\"%s\" stroke-width=\"3\"/>\n",
                    at(&a, e->ratio.low), y, at(&a, e->ratio.high), colour[e->verdict]);
        if (isfinite(e->ratio.middle))
            cli_put(
                t,
                "<circle cx=\"%.1f\" cy=\"%d\" r=\"4.5\" fill=\"%s\"><title>%.4g</title></circle>\n",
                at(&a, e->ratio.middle), y, colour[e->verdict], e->ratio.middle);
    }
    cli_put(t, "</svg>\n");
}

/* ---- Measures ------------------------------------------------------------------------------- */

static const char *colour_of(const study_plan *p, int point)
{
    int v[STUDY_FACTORS];
    points_at(p, point, v);
    return palette[(p->compare < 0 ? 0 : v[p->compare]) % 8];
}

void chart_values(cli_text *t, const study_report_data *d)
{
    struct axis a = {0, 0};
    const int points = points_count(d->p), shown = points < CHART_POINTS ? points : CHART_POINTS,
              bottom = TOP + ROW * shown + 6;
    for (int k = 0; k < d->rows->n; k++)
        if (d->rows->v[k].ok && d->rows->v[k].point < shown)
            widen(&a, d->rows->v[k].value);
    round_off(&a);
    begin(t, bottom + FOOT, "Every run");
    ticks(t, &a, bottom, "measure of every run; a bar at the median");
    for (int k = 0; k < shown; k++) {
        const int y = TOP + ROW * k + ROW / 2 + 3;
        cli_text label = {0};
        points_label(&label, d->p, k, -1);
        row_label(t, y, label.s ? label.s : "");
        cli_text_free(&label);
        if (d->point[k].median > 0)
            cli_put(t, "<path d=\"M%.1f %dV%d\" stroke=\"#000\" stroke-width=\"2\"/>\n",
                    at(&a, d->point[k].median), y - 8, y + 8);
    }
    for (int k = 0; k < d->rows->n; k++) {
        const study_row *r = &d->rows->v[k];
        if (r->ok && r->point < shown)
            cli_put(
                t,
                "<circle cx=\"%.1f\" cy=\"%d\" r=\"3\" fill=\"%s\" fill-opacity=\".55\"><title>%.5g, block "
                "%d</title></circle>\n",
                at(&a, r->value), TOP + ROW * r->point + ROW / 2 + 3, colour_of(d->p, r->point),
                r->value, r->block);
    }
    cli_put(t, "</svg>\n");
}

/* ---- Drift ---------------------------------------------------------------------------------- */

/* Each run over the median of its point, in the order in which they were made. */
void chart_drift(cli_text *t, const study_report_data *d)
{
    enum { HEIGHT = 180 };
    struct axis a = {0.95, 1.05};
    for (int k = 0; k < d->rows->n; k++)
        if (d->rows->v[k].ok)
            widen(&a, d->rows->v[k].value / d->point[d->rows->v[k].point].median);
    round_off(&a);
    cli_put(
        t,
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Runs over their medians, in their order\" "
        "font-family=\"sans-serif\" font-size=\"12\"><rect x=\"60\" y=\"8\" width=\"%d\" height=\"%d\" fill=\"#f5f5f5\"/>\n",
        WIDTH, HEIGHT + 40, RIGHT - 60, HEIGHT);
    const double scale = HEIGHT / log(a.high / a.low);
    const double mark[] = {a.low, 1, a.high};
    for (int k = 0; k < 3; k++) {
        const double y = 8 + HEIGHT - scale * log(mark[k] / a.low);
        cli_put(
            t,
            "<path d=\"M60 %.1fH%d\" stroke=\"#ccc\"/><text x=\"54\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
            y, RIGHT, y + 4, mark[k]);
    }
    for (int k = 0; k < d->rows->n; k++) {
        const study_row *r = &d->rows->v[k];
        const double ratio = r->value / d->point[r->point].median;
        if (r->ok)
            cli_put(t,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\" fill-opacity=\".7\"/>\n",
                    60 + (RIGHT - 60) * (k + 0.5) / d->rows->n,
                    8 + HEIGHT - scale * log(ratio / a.low), colour_of(d->p, r->point));
    }
    cli_put(
        t,
        "<text x=\"60\" y=\"%d\">first run</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">last run</text></svg>\n",
        HEIGHT + 26, RIGHT, HEIGHT + 26);
}
