/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/simulate/graph_info.h"

/* Tasks of one codelet on one kind of worker, us. */
struct row {
    const char *name;
    int kind; /* -1: runs nowhere */
    size_t tasks;
    double total, least, most;
};

struct rows {
    struct row *v;
    size_t n;
};

struct facts {
    size_t tasks, data, edges;
    double area, path, lp, makespan; /* seconds; NaN: not known */
    int workers[ORR_DAG_COUNT];
    struct rows took, sync; /* with a time; whose workers wait for them */
};

enum { PLACES = ORR_DAG_COUNT + 1 }; /* kinds of workers, and nowhere */

/* Rows of a table that grows; those of all names and places are found by `at`: its number + 1, 0: none yet. */
struct filling {
    struct rows *rows;
    size_t room, *at; /* [names][PLACES] */
};

/* 0: no memory. */
static int add_row(struct filling *f, const char *name, size_t number, int kind, double us)
{
    size_t *at = &f->at[number * PLACES + (size_t)(kind + 1)];
    if (!*at) {
        if (f->rows->n == f->room) {
            const size_t room = f->room ? 2 * f->room : 64;
            struct row *more = realloc(f->rows->v, room * sizeof *more);
            if (!more)
                return 0;
            f->rows->v = more;
            f->room = room;
        }
        f->rows->v[f->rows->n++] = (struct row){name, kind, 0, 0, INFINITY, 0};
        *at = f->rows->n;
    }
    struct row *r = &f->rows->v[*at - 1];
    r->tasks++;
    r->total += us;
    r->least = fmin(r->least, us);
    r->most = fmax(r->most, us);
    return 1;
}

static int by_total(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    return a->total != b->total ? (a->total < b->total) - (a->total > b->total)
                                : strcmp(a->name, b->name);
}

static int fill_rows(struct facts *f, const struct orr_dag *d)
{
    size_t *name = malloc((d->tasks + 1) * sizeof *name);
    const size_t names = name ? orr_dag_number_names(d, name) : SIZE_MAX;
    int ok = names != SIZE_MAX;
    struct filling took = {.rows = &f->took}, sync = {.rows = &f->sync};
    if (ok) {
        took.at = calloc(names * PLACES + 1, sizeof *took.at);
        sync.at = calloc(names * PLACES + 1, sizeof *sync.at);
        ok = took.at && sync.at;
    }
    for (size_t i = 0; ok && i < d->tasks; i++) {
        const struct orr_dag_task *t = &d->task[i];
        if (!t->where)
            ok = add_row(&took, t->name, name[i], -1, 0);
        for (int k = 0; ok && k < ORR_DAG_COUNT; k++) {
            if (!isnan(t->t[k]))
                ok = add_row(&took, t->name, name[i], k, t->t[k]);
            if (ok && t->sync >> k & 1)
                ok = add_row(&sync, t->name, name[i], k, 0);
        }
    }
    if (f->took.n)
        qsort(f->took.v, f->took.n, sizeof *f->took.v, by_total);
    free(name);
    free(took.at);
    free(sync.at);
    return ok ? CLI_OK : CLI_MEMORY;
}

static double recorded(const struct orr_dag *d)
{
    double begin = INFINITY, end = -INFINITY;
    for (size_t i = 0; i < d->tasks; i++) {
        begin = fmin(begin, d->task[i].start); /* fmin takes NaN for nothing */
        end = fmax(end, d->task[i].end);
    }
    return end >= begin ? 1e-6 * (end - begin) : NAN;
}

static int find_facts(struct facts *f, struct orr_dag *d, int64_t cpus, int64_t gpus,
                      const char *path)
{
    graph_costs c;
    graph_workers(d, cpus, gpus, f->workers);
    int code = graph_costs_make(&c, d, f->workers, path);
    if (code != CLI_OK)
        return code;
    f->tasks = d->tasks;
    f->data = d->all_data;
    f->edges = c.g.before_at[d->tasks];
    f->area = f->path = f->lp = NAN;
    f->makespan = recorded(d);
    if (!c.g.kinds) {
        cli_say("%s: no workers, so there are no bounds; --cpus N and --gpus N say how many", path);
    } else if (c.stuck) {
        cli_say("%s: no worker of these kinds can run task %zu (%s), so there are no bounds", path,
                c.stuck, d->task[c.stuck - 1].name);
    } else {
        f->area = orr_bound_area(&c.g);
        f->path = orr_bound_path(&c.g);
        f->lp = orr_bound_lp(&c.g);
    }
    graph_costs_free(&c);
    return fill_rows(f, d);
}

static void put_workers(cli_text *t, const int workers[ORR_DAG_COUNT], const char *format)
{
    const char *comma = "";
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (workers[k] > 0 || k == 0) {
            cli_put(t, format, comma, orr_dag_kind_name[k], workers[k]);
            comma = ",";
        }
}

static void put_ms(cli_text *t, const char *name, double s)
{
    if (isfinite(s))
        cli_put(t, "  %-22s %12.3f ms\n", name, 1e3 * s);
}

static void put_text(cli_text *t, const struct facts *f, const struct orr_dag *d, const char *path)
{
    cli_plain_text plain;
    cli_put(t, "%s: %zu tasks, %zu data, %zu edges, recorded on %s\n", cli_plain(path, plain),
            f->tasks, f->data, f->edges, d->host);
    cli_put(t, "bounds with");
    put_workers(t, f->workers, "%s %s %d");
    cli_put(t, "\n");
    put_ms(t, "area", f->area);
    put_ms(t, "critical path", f->path);
    put_ms(t, "both at once (LP)", f->lp);
    put_ms(t, "recorded", f->makespan);
    cli_put(t, "%-24s %-11s %8s %12s %12s %12s %12s\n", "codelet", "on", "tasks", "total, ms",
            "mean, us", "min, us", "max, us");
    for (size_t k = 0; k < f->took.n; k++) {
        const struct row *r = &f->took.v[k];
        cli_put(t, "%-24s %-11s %8zu", r->name, r->kind < 0 ? "none" : orr_dag_kind_name[r->kind],
                r->tasks);
        if (r->kind >= 0)
            cli_put(t, " %12.3f %12.3f %12.3f %12.3f", 1e-3 * r->total, r->total / (double)r->tasks,
                    r->least, r->most);
        cli_put(t, "\n");
    }
    for (size_t k = 0; k < f->sync.n; k++)
        cli_put(t, "%-24s %-11s %8zu  not asynchronous\n", f->sync.v[k].name,
                orr_dag_kind_name[f->sync.v[k].kind], f->sync.v[k].tasks);
}

static void put_json(cli_text *t, const struct facts *f, const struct orr_dag *d, const char *path)
{
    cli_put(t, "{");
    cli_member_json(t, "graph", path);
    cli_member_json(t, "recorded_on", d->host);
    cli_put(t, ",\"tasks\":%zu,\"data\":%zu,\"edges\":%zu,\"workers\":{", f->tasks, f->data,
            f->edges);
    put_workers(t, f->workers, "%s\"%s\":%d");
    cli_put(t, "}");
    graph_put_bound(t, f->area, f->path, f->lp);
    cli_member_number(t, "recorded", f->makespan);
    cli_put(t, ",\"codelets\":[");
    for (size_t k = 0; k < f->took.n; k++) {
        const struct row *r = &f->took.v[k];
        cli_put(t, k ? ",{" : "{");
        cli_member_json(t, "name", r->name);
        cli_member_json(t, "kind", r->kind < 0 ? "none" : orr_dag_kind_name[r->kind]);
        cli_put(t, ",\"tasks\":%zu", r->tasks);
        cli_member_number(t, "total", r->kind < 0 ? 0 : 1e-6 * r->total);
        cli_member_number(t, "min", r->kind < 0 ? 0 : 1e-6 * r->least);
        cli_member_number(t, "max", r->kind < 0 ? 0 : 1e-6 * r->most);
        cli_put(t, "}");
    }
    cli_put(t, "],\"sync\":[");
    for (size_t k = 0; k < f->sync.n; k++) {
        cli_put(t, "%s{\"name\":", k ? "," : "");
        cli_put_json(t, f->sync.v[k].name);
        cli_member_json(t, "kind", orr_dag_kind_name[f->sync.v[k].kind]);
        cli_put(t, ",\"tasks\":%zu}", f->sync.v[k].tasks);
    }
    cli_put(t, "]}\n");
}

int graph_show(const char *path, int64_t cpus, int64_t gpus, cli_sink *sink)
{
    struct orr_dag d;
    struct facts f = {0};
    cli_text text = {0}, json = {0};
    int code = orr_dag_read(&d, path);
    if (code)
        return code;
    code = find_facts(&f, &d, cpus, gpus, path);
    if (code == CLI_OK) {
        put_text(&text, &f, &d, path);
        put_json(&json, &f, &d, path);
        code = text.failed || json.failed ? CLI_MEMORY : CLI_OK;
    }
    if (code == CLI_OK && sink->table)
        fputs(text.s, sink->table);
    if (code == CLI_OK)
        code = cli_sink_line(sink, &json);
    free(f.took.v);
    free(f.sync.v);
    cli_text_free(&text);
    cli_text_free(&json);
    orr_dag_free(&d);
    return code;
}
