/* orrery graph: files of task graphs: what they are, where they come from.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph_import.h"
#include "graph_info.h"
#include "outputs.h"
#include "record.h"

struct args {
    int64_t     cpus, gpus;
    const char *json, *output;
    cli_words   time;
    int         quiet;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Options" },
    { "output", 'o', OPT_FILE, "FILE", "import: the graph (default: standard output)", NULL,
      AT(output) },
    { "time", 0, OPT_WORDS, "TIMES", "import: CODELET=US[:US], on CPUs and GPUs", NULL, AT(time) },
    { "cpus", 0, OPT_INT, "N", "info: CPU workers (default: those of the recording)", NULL, AT(cpus),
      0, 1000000 },
    { "gpus", 0, OPT_INT, "N", "info: CUDA devices (default: those of the recording)", NULL,
      AT(gpus), 0, 1000000 },
    { "json", 0, OPT_FILE, "FILE", "append a JSON object (- is stdout)", NULL, AT(json) },
    { "quiet", 'q', OPT_FLAG, NULL, "no table, no remarks", NULL, AT(quiet) },
    { .kind = OPT_END },
};

/* ---- info ---------------------------------------------------------------------------------- */

/* Tasks of one codelet on one kind of worker, us. */
struct row {
    const char *name;
    int         kind; /* -1: runs nowhere */
    size_t      tasks;
    double      total, least, most;
};

struct facts {
    size_t     tasks, data, edges;
    double     area, path, lp, makespan; /* seconds; NaN: not known */
    int        workers[ORR_DAG_COUNT];
    struct row *row;
    size_t     rows;
};

/* 0: no memory. */
static int add_row(struct facts *f, const char *name, int kind, double us)
{
    size_t k = 0;
    while (k < f->rows && (f->row[k].name != name || f->row[k].kind != kind))
        k++;
    if (k == f->rows) {
        struct row *more = realloc(f->row, (k + 1) * sizeof *more);
        if (!more)
            return 0;
        f->row = more;
        f->row[f->rows++] = (struct row){ name, kind, 0, 0, INFINITY, 0 };
    }
    struct row *r = &f->row[k];
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
    int ok = 1;
    for (size_t i = 0; ok && i < d->tasks; i++) {
        const struct orr_dag_task *t = &d->task[i];
        if (!t->where)
            ok = add_row(f, t->name, -1, 0);
        for (int k = 0; ok && k < ORR_DAG_COUNT; k++)
            if (!isnan(t->t[k]))
                ok = add_row(f, t->name, k, t->t[k]);
    }
    if (f->rows)
        qsort(f->row, f->rows, sizeof *f->row, by_total);
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

static int find_facts(struct facts *f, struct orr_dag *d, const struct args *a, const char *path)
{
    graph_costs c;
    graph_workers(d, a->cpus, a->gpus, f->workers);
    int code = graph_costs_make(&c, d, f->workers, path);
    if (code != CLI_OK)
        return code;
    f->tasks = d->tasks;
    f->data = d->all_data;
    f->edges = c.g.before_at[d->tasks];
    f->area = f->path = f->lp = NAN;
    f->makespan = recorded(d);
    if (!c.g.kinds) {
        cli_say("%s: no workers are known; give --cpus N", path);
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
    cli_put(t, "%s: %zu tasks, %zu data, %zu edges, recorded on %s\n", path, f->tasks, f->data,
            f->edges, d->host);
    cli_put(t, "bounds with");
    put_workers(t, f->workers, "%s %s %d");
    cli_put(t, "\n");
    put_ms(t, "area", f->area);
    put_ms(t, "critical path", f->path);
    put_ms(t, "both at once (LP)", f->lp);
    put_ms(t, "recorded", f->makespan);
    cli_put(t, "%-24s %-11s %8s %12s %12s %12s %12s\n", "codelet", "on", "tasks", "total, ms",
            "mean, us", "min, us", "max, us");
    for (size_t k = 0; k < f->rows; k++) {
        const struct row *r = &f->row[k];
        cli_put(t, "%-24s %-11s %8zu", r->name, r->kind < 0 ? "none" : orr_dag_kind_name[r->kind],
                r->tasks);
        if (r->kind >= 0)
            cli_put(t, " %12.3f %12.3f %12.3f %12.3f", 1e-3 * r->total,
                    r->total / (double)r->tasks, r->least, r->most);
        cli_put(t, "\n");
    }
}

static void put_json(cli_text *t, const struct facts *f, const struct orr_dag *d, const char *path)
{
    cli_put(t, "{\"graph\":");
    cli_put_json(t, path);
    cli_member_json(t, "recorded_on", d->host);
    cli_put(t, ",\"tasks\":%zu,\"data\":%zu,\"edges\":%zu,\"workers\":{", f->tasks, f->data,
            f->edges);
    put_workers(t, f->workers, "%s\"%s\":%d");
    cli_put(t, "},\"bound\":{\"area\":");
    cli_put_number(t, f->area);
    cli_member_number(t, "critical_path", f->path);
    cli_member_number(t, "lp", f->lp);
    cli_put(t, "}");
    cli_member_number(t, "recorded", f->makespan);
    cli_put(t, ",\"codelets\":[");
    for (size_t k = 0; k < f->rows; k++) {
        const struct row *r = &f->row[k];
        cli_put(t, "%s{\"name\":", k ? "," : "");
        cli_put_json(t, r->name);
        cli_member_json(t, "kind", r->kind < 0 ? "none" : orr_dag_kind_name[r->kind]);
        cli_put(t, ",\"tasks\":%zu", r->tasks);
        cli_member_number(t, "total", r->kind < 0 ? 0 : 1e-6 * r->total);
        cli_member_number(t, "min", r->kind < 0 ? 0 : 1e-6 * r->least);
        cli_member_number(t, "max", r->kind < 0 ? 0 : 1e-6 * r->most);
        cli_put(t, "}");
    }
    cli_put(t, "]}\n");
}

static int show(const struct args *a, const char *path, cli_sink *sink)
{
    struct orr_dag d;
    struct facts f = { 0 };
    cli_text text = { 0 }, json = { 0 };
    int code = orr_dag_read(&d, path);
    if (code)
        return code;
    code = find_facts(&f, &d, a, path);
    if (code == CLI_OK) {
        put_text(&text, &f, &d, path);
        put_json(&json, &f, &d, path);
        code = text.failed || json.failed ? CLI_MEMORY : CLI_OK;
    }
    if (code == CLI_OK && sink->table)
        fputs(text.s, sink->table);
    if (code == CLI_OK && sink->json_path)
        code = cli_sink_line(sink, &json);
    free(f.row);
    cli_text_free(&text);
    cli_text_free(&json);
    orr_dag_free(&d);
    return code;
}

static int info(const struct args *a, const cli_files *files)
{
    cli_sink sink = { .json = -1, .csv = -1 };
    if (!files->n)
        return cli_usage("graph info", "a FILE.graph is needed");
    int code = a->output || a->time.n ? cli_usage("graph info", "--output and --time mean nothing here")
                                      : CLI_OK;
    if (code == CLI_OK && a->json && strcmp(a->json, "-"))
        code = output_spares(a->json, files);
    if (code == CLI_OK)
        code = cli_sink_open(&sink, a->json, NULL, 0, a->quiet);
    if (code != CLI_OK)
        return code;
    for (int k = 0; k < files->n && code != CLI_MEMORY; k++)
        code = cli_worse(code, show(a, files->v[k], &sink));
    cli_sink_close(&sink);
    return code;
}

/* ---- Times ---------------------------------------------------------------------------------- */

/* "dgemm=58349.76" or "dgemm=34940:743", in us. */
static int set_time(struct orr_dag *d, const char *word)
{
    const size_t n = strcspn(word, "=");
    double t[2] = { 0, NAN };
    char *end = NULL;
    if (word[n])
        t[0] = strtod(word + n + 1, &end);
    if (end && *end == ':')
        t[1] = strtod(end + 1, &end);
    if (!end || *end || !(t[0] > 0 && t[0] < 1e15) || !(isnan(t[1]) || (t[1] > 0 && t[1] < 1e15))) {
        cli_say("--time: '%s' is not CODELET=US or CODELET=US:US, times above zero", word);
        return CLI_USAGE;
    }
    size_t set = 0;
    for (size_t i = 0; i < d->tasks; i++) {
        struct orr_dag_task *task = &d->task[i];
        if (strlen(task->name) != n || strncmp(task->name, word, n))
            continue;
        set++;
        for (int k = 0; k < ORR_DAG_COUNT; k++)
            task->t[k] = k == ORR_DAG_CPU ? t[0] : k == ORR_DAG_CUDA ? t[1] : NAN;
        task->where = 1u << ORR_DAG_CPU | (isnan(t[1]) ? 0 : 1u << ORR_DAG_CUDA);
        task->kind = -1;
        task->worker = -1;
        task->submit = task->ready = task->start = task->end = NAN;
    }
    if (!set)
        cli_say("--time: no task is called '%.*s'", (int)n, word);
    return set ? CLI_OK : CLI_USAGE;
}

static int set_times(struct orr_dag *d, const cli_words *times)
{
    int code = CLI_OK;
    for (int64_t k = 0; k < times->n && code == CLI_OK; k++)
        code = set_time(d, times->v[k]);
    return code;
}

/* ---- import ------------------------------------------------------------------------------------ */

static int write_found(const struct args *a, const struct orr_dag *d, const graph_found *found)
{
    cli_sink sink = { .json = -1, .csv = -1 };
    cli_text t = { 0 };
    int code = graph_write(d, a->output ? a->output : "-");
    if (code != CLI_OK)
        return code;
    if (!a->quiet)
        cli_say("%zu tasks, %zu data; of %zu edges in the files %zu follow from accesses, %zu are explicit",
                d->tasks, d->all_data, found->edges, found->implied, found->edges - found->implied);
    if (!a->json)
        return CLI_OK;
    code = cli_sink_open(&sink, a->json, NULL, !a->output || !strcmp(a->output, "-"), 1);
    cli_put(&t, "{\"format\":");
    cli_put_json(&t, found->format);
    cli_put(&t, ",\"tasks\":%zu,\"data\":%zu,\"edges\":%zu,\"implied\":%zu,\"explicit\":%zu}\n",
            d->tasks, d->all_data, found->edges, found->implied, found->edges - found->implied);
    if (code == CLI_OK)
        code = t.failed ? CLI_MEMORY : cli_sink_line(&sink, &t);
    cli_sink_close(&sink);
    cli_text_free(&t);
    return code;
}

static int import(const struct args *a, const cli_files *files)
{
    struct orr_dag d;
    graph_found found;
    if (!files->n)
        return cli_usage("graph import", "a file to import is needed");
    if (a->cpus >= 0 || a->gpus >= 0)
        return cli_usage("graph import", "--cpus and --gpus mean nothing here");
    int code = a->output && strcmp(a->output, "-") ? output_spares(a->output, files) : CLI_OK;
    if (code == CLI_OK)
        code = graph_import(&d, files, &found);
    if (code != CLI_OK)
        return code;
    code = set_times(&d, &a->time);
    if (code == CLI_OK)
        code = write_found(a, &d, &found);
    orr_dag_free(&d);
    return code;
}

/* ---- The command ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(const struct args *, const cli_files *);
} actions[] = { { "info", info }, { "import", import } };

static int act(const struct args *a, const cli_files *rest)
{
    char near[64];
    const cli_files more = { rest->v + 1, rest->n ? rest->n - 1 : 0 };
    if (!rest->n)
        return cli_usage("graph", "what is to be done? One of " GRAPH_ACTIONS);
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
        if (!strcmp(rest->v[0], actions[k].name))
            return actions[k].run(a, &more);
    const char *guess = cli_nearest(rest->v[0], GRAPH_ACTIONS, near, sizeof near);
    cli_say("graph: '%s' is none of " GRAPH_ACTIONS "%s%s%s", rest->v[0],
            guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
    return CLI_USAGE;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = { .cpus = -1, .gpus = -1 };
    cli_files rest;
    int code;
    if (!cli_parse(command, argc, argv, &a, &rest, &code))
        return code;
    code = act(&a, &rest);
    cli_release(command, &a);
    return code;
}

const cli_command cmd_graph = {
    .name = "graph",
    .summary = "graphs of tasks as files: what they are, and imports",
    .synopsis = "info FILE.graph...|import FILE... [-o FILE.graph]",
    .files = "graph",
    .about = "info: tasks, edges, lower bounds of the time on some workers, and the times of each "
             "codelet. import: a graph from StarPU's tasks.rec, from StarVZ's rec.tasks.csv with dag.csv "
             "and rec.data_handles.csv (also compressed, .gz), or from a WfFormat JSON file; what a file "
             "is follows from what is in it. A file that is damaged is refused with its line, exit "
             "status 3. docs/simulation.md describes the format of graphs.",
    .options = options,
    .examples = "orrery graph import rec.tasks.csv.gz dag.csv.gz -o qr.graph\n"
                "orrery graph import tasks.rec -o run.graph\n"
                "orrery graph info qr.graph --cpus 10 --json -",
    .run = run,
    .words = GRAPH_ACTIONS,
};
