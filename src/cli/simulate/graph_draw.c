/* Draws a graph: for Graphviz all tasks and edges, in pictures the run that was recorded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cli/core/outputs.h"
#include "src/cli/simulate/graph_args.h"

/* Light ones, in which black words can be read; colour-blind safe (Tol's light scheme). */
const char *const graph_colours[] = {"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff",
                                     "#44bb99", "#bbcc33", "#aaaa00", "#dddddd"};
int graph_colour(int number)
{
    return number % (int)(sizeof graph_colours / sizeof *graph_colours);
}

/* ---- What is known of it ------------------------------------------------------------------------ */

static int ran(const struct orr_dag_task *t) { return t->end >= t->start && t->worker >= 0; }

static int compare_lanes(const struct orr_dag_task *a, const struct orr_dag_task *b)
{
    return a->rank != b->rank   ? (a->rank > b->rank) - (a->rank < b->rank)
           : a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
                                : (a->worker > b->worker) - (a->worker < b->worker);
}

/* 0: no memory. */
static int add_lane(graph_drawn *x, size_t task)
{
    const struct orr_dag_task *t = x->d->task;
    int k = x->lanes;
    while (k && compare_lanes(&t[x->first[k - 1]], &t[task]) > 0)
        k--;
    if (k && !compare_lanes(&t[x->first[k - 1]], &t[task]))
        return 1;
    size_t *more = realloc(x->first, ((size_t)x->lanes + 1) * sizeof *more);
    if (!more)
        return 0;
    x->first = more;
    memmove(more + k + 1, more + k, (size_t)(x->lanes++ - k) * sizeof *more);
    more[k] = task;
    return 1;
}

static int find_lanes(graph_drawn *x)
{
    const struct orr_dag *d = x->d;
    for (size_t i = 0; i < d->tasks; i++)
        if (ran(&d->task[i])) {
            x->begin = fmin(x->begin, d->task[i].start);
            x->end = fmax(x->end, d->task[i].end);
            if (!add_lane(x, i))
                return 0;
        }
    for (size_t i = 0; i < d->tasks; i++) {
        x->lane[i] = -1;
        for (int k = 0; k < x->lanes && ran(&d->task[i]) && x->lane[i] < 0; k++)
            if (!compare_lanes(&d->task[x->first[k]], &d->task[i]))
                x->lane[i] = k;
    }
    return 1;
}

static int find_colours(graph_drawn *x)
{
    const struct orr_dag *d = x->d;
    size_t *of = malloc((d->tasks + 1) * sizeof *of); /* the first task of each colour */
    for (size_t i = 0; of && i < d->tasks; i++) {
        int k = 0;
        while (k < x->colours && d->task[of[k]].name != d->task[i].name) /* names are kept once */
            k++;
        if (k == x->colours)
            of[x->colours++] = i;
        x->colour[i] = k;
    }
    free(of);
    return of != NULL;
}

/* Tasks stand in an order in which none waits for a later one. */
static int find_longest(graph_drawn *x, const double *times)
{
    const size_t n = x->d->tasks;
    double *until = calloc(n + 1, sizeof *until);
    size_t *before = calloc(n + 1, sizeof *before), last = 0;
    for (size_t i = 0; until && before && i < n; i++) {
        const struct orr_dag_task *t = &x->d->task[i];
        double least = INFINITY;
        for (int k = 0; k < ORR_DAG_COUNT; k++)
            least = fmin(least, times[i * ORR_DAG_COUNT + (size_t)k]);
        x->us[i] = ran(t) ? t->end - t->start : isfinite(least) ? least : 0;
        before[i] = i;
        for (size_t e = x->e.before_at[i]; e < x->e.before_at[i + 1]; e++)
            if (before[i] == i || until[x->e.before[e]] > until[before[i]])
                before[i] = x->e.before[e];
        until[i] = x->us[i] + (before[i] == i ? 0 : until[before[i]]);
        last = until[i] > until[last] ? i : last;
    }
    for (size_t i = last; until && before && n; i = before[i]) {
        x->longest[i] = 1;
        if (before[i] == i)
            break;
    }
    const int ok = until && before;
    free(until);
    free(before);
    return ok;
}

static void drawn_free(graph_drawn *x)
{
    orr_graph_free(&x->e);
    free(x->us);
    free(x->longest);
    free(x->colour);
    free(x->lane);
    free(x->first);
}

static int drawn_make(graph_drawn *x, struct orr_dag *d, const char *path)
{
    char why[512];
    *x = (graph_drawn){.d = d, .begin = INFINITY, .end = -INFINITY};
    const int rc = orr_dag_edges(d, &x->e, why, sizeof why);
    if (rc) {
        cli_say("%s: %s", path, rc == 3 ? why : "not enough memory");
        return rc == 3 ? CLI_FILE : CLI_MEMORY;
    }
    x->us = calloc(d->tasks + 1, sizeof *x->us);
    x->longest = calloc(d->tasks + 1, sizeof *x->longest);
    x->colour = calloc(d->tasks + 1, sizeof *x->colour);
    x->lane = calloc(d->tasks + 1, sizeof *x->lane);
    double *times = orr_dag_times(d);
    const int ok = x->us && x->longest && x->colour && x->lane && times && find_lanes(x) &&
                   find_colours(x) && find_longest(x, times);
    free(times);
    if (!ok) {
        cli_say("%s: not enough memory", path);
        drawn_free(x);
    }
    return ok ? CLI_OK : CLI_MEMORY;
}

/* ---- Graphviz ------------------------------------------------------------------------------------ */

static void put_dot_text(cli_text *t, const char *s)
{
    for (; *s; s++)
        cli_put(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void put_dot(cli_text *t, const graph_drawn *x, const char *title)
{
    const struct orr_dag *d = x->d;
    cli_put(t, "digraph \"");
    put_dot_text(t, title);
    cli_put(t, "\" {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n");
    for (size_t i = 0; i < d->tasks; i++) {
        cli_put(t, "  t%zu [label=\"", i + 1);
        put_dot_text(t, d->task[i].name);
        cli_put(t, "\\n%.6g us\", fillcolor=\"%s\"%s];\n", x->us[i],
                graph_colours[graph_colour(x->colour[i])], x->longest[i] ? ", penwidth=3" : "");
    }
    for (size_t i = 0; i < d->tasks; i++)
        for (size_t e = x->e.before_at[i]; e < x->e.before_at[i + 1]; e++)
            cli_put(t, "  t%u -> t%zu;\n", x->e.before[e] + 1, i + 1);
    cli_put(t, "}\n");
}

/* ---- The action ----------------------------------------------------------------------------------- */

enum { FORM_DOT, FORM_SVG, FORM_JSON, FORMS };

static int form_of(const char *output)
{
    static const char *const suffix[FORMS] = {".dot", ".svg", ".json"};
    const char *dot = strrchr(output, '.');
    int form = 0;
    while (form < FORMS && (!dot || strcasecmp(dot, suffix[form]) != 0))
        form++;
    return form;
}

static int put_form(cli_text *t, const graph_drawn *x, int form, const char *path)
{
    if (form != FORM_DOT && !x->lanes) {
        cli_say(
            "%s: it does not say when and where its tasks ran, so there is no run to draw; NAME.dot is "
            "the graph itself",
            path);
        return CLI_FILE;
    }
    if (form == FORM_DOT)
        put_dot(t, x, path);
    else if (form == FORM_SVG)
        graph_put_svg(t, x, path);
    else
        graph_put_events(t, x);
    return CLI_OK;
}

int graph_draw_action(void *args, const cli_files *files)
{
    const struct graph_args *a = args;
    struct orr_dag d;
    graph_drawn x;
    cli_text t = {0};
    if (files->n != 1)
        return cli_usage("graph draw", "one FILE.graph is needed");
    if (!a->output)
        return cli_usage("graph draw", "--output FILE is needed: .svg, .json or .dot");
    const int form = form_of(a->output);
    if (form == FORMS) {
        cli_say("--output: '%s' ends neither in .svg nor in .json or .dot", a->output);
        return CLI_USAGE;
    }
    int code = graph_check_outputs(a, files);
    if (code == CLI_OK)
        code = orr_dag_read(&d, files->v[0]);
    if (code != CLI_OK)
        return code;
    code = drawn_make(&x, &d, files->v[0]);
    if (code == CLI_OK) {
        code = put_form(&t, &x, form, files->v[0]);
        if (code == CLI_OK && t.failed) {
            cli_say("%s: not enough memory", files->v[0]);
            code = CLI_MEMORY;
        }
        if (code == CLI_OK)
            code = output_text(a->output, &t);
        drawn_free(&x);
    }
    cli_text_free(&t);
    orr_dag_free(&d);
    return code;
}
