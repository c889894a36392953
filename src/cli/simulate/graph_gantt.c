/* The run that recorded a graph: a lane for each worker under one axis of time, and Chrome's events.
 *
 *   cpu 0 |###--#####---##|    a task is a box in the colour of its name; what it is stands in its <title>, which
 *   cpu 1 |-####---######-|    browsers show where the pointer is; those of the longest chain have a frame
 *         0      5      10 ms
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "src/cli/simulate/graph_draw.h"

enum {
    WIDTH = 960,
    LEFT = 110,
    RIGHT = 16,
    TOP = 34,
    LANE = 26,
    GAP = 6,
    AXIS = 30,
    LEGEND = 18,
    IN_A_ROW = 4
};

static void lane_name(const graph_drawn *x, int lane, char *out, size_t room)
{
    const struct orr_dag_task *t = &x->d->task[x->first[lane]];
    const char *kind = t->kind >= 0 ? orr_dag_kind_name[t->kind] : "worker";
    if (t->rank >= 0)
        snprintf(out, room, "rank %d %s %d", t->rank, kind, t->worker);
    else
        snprintf(out, room, "%s %d", kind, t->worker);
}

/* Workers of a kind that ran nothing: the recording knows their number, not their names. */
static int idle(const graph_drawn *x, int kind)
{
    int seen = 0;
    for (int k = 0; k < x->lanes; k++) {
        if (x->d->task[x->first[k]].rank >= 0) /* each rank has its own */
            return 0;
        seen += x->d->task[x->first[k]].kind == kind;
    }
    return x->d->workers[kind] > seen ? x->d->workers[kind] - seen : 0;
}

static double px(const graph_drawn *x, double us)
{
    const double span = x->end - x->begin;
    return LEFT + (span > 0 ? (us - x->begin) / span : 0) * (WIDTH - LEFT - RIGHT);
}

/* 1, 2 or 5 times a power of ten, about an eighth. */
static double tick(double span)
{
    const double power = pow(10, floor(log10(span / 8))), rest = span / 8 / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

static void put_axis(cli_text *t, const graph_drawn *x, int bottom)
{
    const double span = x->end - x->begin, step = span > 1e-6 ? tick(span) : 1;
    for (double us = 0; us <= span * (1 + 1e-9); us += step) {
        cli_put(t, "<path d=\"M%.2f %d V%d\" stroke=\"#cccccc\"/>\n", px(x, x->begin + us), TOP,
                bottom);
        cli_put(t, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.6g ms</text>\n",
                px(x, x->begin + us), bottom + 16, 1e-3 * us);
    }
}

static void put_lanes(cli_text *t, const graph_drawn *x)
{
    char name[80];
    for (int k = 0; k < x->lanes; k++) {
        double busy = 0;
        for (size_t i = 0; i < x->d->tasks; i++)
            busy += x->lane[i] == k ? x->us[i] : 0;
        lane_name(x, k, name, sizeof name);
        cli_put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %.1f %%</text>\n", LEFT - 6,
                TOP + k * (LANE + GAP) + LANE - 8, name,
                x->end > x->begin ? 100 * busy / (x->end - x->begin) : 100.0);
    }
    for (size_t i = 0; i < x->d->tasks; i++) {
        const struct orr_dag_task *a = &x->d->task[i];
        if (x->lane[i] < 0)
            continue;
        cli_put(t, "<rect x=\"%.3f\" y=\"%d\" width=\"%.3f\" height=\"%d\" fill=\"%s\"%s><title>",
                px(x, a->start), TOP + x->lane[i] * (LANE + GAP), px(x, a->end) - px(x, a->start),
                LANE, graph_colours[graph_colour(x->colour[i])],
                x->longest[i] ? " stroke=\"#000000\" stroke-width=\"0.7\"" : "");
        cli_put_html(t, a->name);
        cli_put(t, ", task %zu, from %.3f us on, %.3f us</title></rect>\n", i + 1,
                a->start - x->begin, x->us[i]);
    }
}

/* Below the lanes, one line of words: lanes of their own would be empty. */
static void put_idle(cli_text *t, const graph_drawn *x, int y)
{
    const char *comma = "";
    cli_put(t, "<text x=\"%d\" y=\"%d\">", LEFT, y);
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (idle(x, k)) {
            cli_put(t, "%s%d %s worker%s ran nothing", comma, idle(x, k), orr_dag_kind_name[k],
                    idle(x, k) > 1 ? "s" : "");
            comma = ", ";
        }
    cli_put(t, "</text>\n");
}

static void put_legend(cli_text *t, const graph_drawn *x, int top)
{
    int next = 0;
    for (size_t i = 0; i < x->d->tasks; i++)
        if (x->colour[i] == next) {
            const int left = LEFT + next % IN_A_ROW * (WIDTH - LEFT - RIGHT) / IN_A_ROW,
                      y = top + next / IN_A_ROW * LEGEND;
            cli_put(t, "<path d=\"M%d %d h12 v12 h-12 z\" fill=\"%s\"/>\n<text x=\"%d\" y=\"%d\">",
                    left, y, graph_colours[graph_colour(next)], left + 17, y + 11);
            cli_put_html(t, x->d->task[i].name);
            cli_put(t, "</text>\n");
            next++;
        }
}

void graph_put_svg(cli_text *t, const graph_drawn *x, const char *title)
{
    const int bottom = TOP + x->lanes * (LANE + GAP), rows = (x->colours + IN_A_ROW - 1) / IN_A_ROW;
    const int height = bottom + AXIS + (rows + 1) * LEGEND + 8;
    cli_put(
        t,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
        "font-size=\"11\">\n<path d=\"M0 0 H%d V%d H0 z\" fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"20\">",
        WIDTH, height, WIDTH, height, LEFT);
    cli_put_html(t, title);
    cli_put(t, ": %zu tasks in %.6g ms, recorded on ", x->d->tasks, 1e-3 * (x->end - x->begin));
    cli_put_html(t, x->d->host);
    cli_put(t, "; framed: the longest chain</text>\n");
    put_axis(t, x, bottom);
    put_lanes(t, x);
    put_legend(t, x, bottom + AXIS);
    put_idle(t, x, bottom + AXIS + rows * LEGEND + 11);
    cli_put(t, "</svg>\n");
}

void graph_put_events(cli_text *t, const graph_drawn *x)
{
    char name[80];
    cli_put(t, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (int k = 0; k < x->lanes; k++) {
        lane_name(x, k, name, sizeof name);
        cli_put(
            t,
            "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":",
            k ? "," : "", k);
        cli_put_json(t, name);
        cli_put(t, "}}");
    }
    for (size_t i = 0; i < x->d->tasks; i++) {
        const struct orr_dag_task *a = &x->d->task[i];
        if (x->lane[i] < 0)
            continue;
        cli_put(t, ",\n{\"name\":");
        cli_put_json(t, a->name);
        cli_put(
            t, ",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"task\":%zu",
            x->lane[i], a->start - x->begin, x->us[i], i + 1);
        cli_member_number(t, "priority", a->priority);
        cli_member_number(t, "wait", a->start - a->ready);
        cli_put(t, ",\"longest\":%s}}", x->longest[i] ? "true" : "false");
    }
    cli_put(t, "\n]}\n");
}
