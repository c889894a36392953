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
#include "src/cli/simulate/graph_picture.h"

/* Light ones, in which black words can be read; colour-blind safe (Tol's light scheme). */
static const char *const colours[] = {"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff",
                                      "#44bb99", "#bbcc33", "#aaaa00", "#dddddd"};
static const char *colour(size_t number)
{
    return colours[number % (sizeof colours / sizeof *colours)];
}

/* ---- What is known of it ------------------------------------------------------------------------ */

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
        x->us[i] = t->end >= t->start ? t->end - t->start : isfinite(least) ? least : 0;
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
}

static int drawn_make(graph_drawn *x, struct orr_dag *d, const char *path)
{
    char why[512];
    *x = (graph_drawn){.d = d};
    const int rc = orr_dag_edges(d, &x->e, why, sizeof why);
    if (rc) {
        cli_say("%s: %s", path, rc == 3 ? why : "not enough memory");
        return rc == 3 ? CLI_FILE : CLI_MEMORY;
    }
    x->us = calloc(d->tasks + 1, sizeof *x->us);
    x->longest = calloc(d->tasks + 1, sizeof *x->longest);
    x->colour = calloc(d->tasks + 1, sizeof *x->colour);
    double *times = orr_dag_times(d);
    x->colours = x->colour ? orr_dag_number_names(d, x->colour) : SIZE_MAX;
    const int ok = x->us && x->longest && x->colours != SIZE_MAX && times && find_longest(x, times);
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
        cli_put(t, "\\n%.6g us\", fillcolor=\"%s\"%s];\n", x->us[i], colour(x->colour[i]),
                x->longest[i] ? ", penwidth=3" : "");
    }
    for (size_t i = 0; i < d->tasks; i++)
        for (size_t e = x->e.before_at[i]; e < x->e.before_at[i + 1]; e++)
            cli_put(t, "  t%u -> t%zu;\n", x->e.before[e] + 1, i + 1);
    cli_put(t, "}\n");
}

/* ---- The action ----------------------------------------------------------------------------------- */

typedef int picture_writer(FILE *, const struct orr_picture *);

static const struct {
    const char *suffix;
    picture_writer *write; /* NULL: the graph, not its run */
} forms[] = {{".svg", orr_picture_svg},
             {".html", orr_picture_html},
             {".json", orr_picture_events},
             {".paje", orr_picture_paje},
             {".dot", NULL}};
enum { FORMS = sizeof forms / sizeof *forms };

static int form_of(const char *output)
{
    const char *dot = strrchr(output, '.');
    int form = 0;
    while (form < FORMS && (!dot || strcasecmp(dot, forms[form].suffix) != 0))
        form++;
    return form;
}

static int put_picture(cli_text *t, const graph_drawn *x, picture_writer *write, const char *path)
{
    graph_picture g;
    int code = graph_picture_make(&g, x, path);
    if (code == CLI_OK) {
        FILE *f = open_memstream(&t->s, &t->n);
        const int written = f && write(f, &g.p);
        t->failed = !f || fclose(f) || !written;
    }
    graph_picture_free(&g);
    return code;
}

static int draw(struct orr_dag *d, const char *path, int form, const char *output)
{
    graph_drawn x;
    cli_text t = {0};
    int code = drawn_make(&x, d, path);
    if (code != CLI_OK)
        return code;
    if (forms[form].write)
        code = put_picture(&t, &x, forms[form].write, path);
    else
        put_dot(&t, &x, path);
    if (code == CLI_OK && t.failed) {
        cli_say("%s: not enough memory", path);
        code = CLI_MEMORY;
    }
    if (code == CLI_OK)
        code = output_text(output, &t);
    drawn_free(&x);
    cli_text_free(&t);
    return code;
}

int graph_draw_action(void *args, const cli_files *files)
{
    const struct graph_args *a = args;
    struct orr_dag d;
    if (files->n != 1)
        return cli_usage("graph draw", "one FILE.graph is needed");
    if (!a->output)
        return cli_usage("graph draw",
                         "--output FILE is needed: .svg, .html, .json, .paje or .dot");
    const int form = form_of(a->output);
    if (form == FORMS) {
        cli_say("--output: '%s' ends neither in .svg nor in .html, .json, .paje or .dot",
                a->output);
        return CLI_USAGE;
    }
    int code = graph_check_outputs(a, files);
    if (code == CLI_OK)
        code = orr_dag_read(&d, files->v[0]);
    if (code != CLI_OK)
        return code;
    code = draw(&d, files->v[0], form, a->output);
    orr_dag_free(&d);
    return code;
}
