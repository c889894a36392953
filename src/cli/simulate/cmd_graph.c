/* orrery graph: files of task graphs: what they are, where they come from.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/record.h"
#include "src/cli/simulate/graph_import.h"
#include "src/cli/simulate/graph_info.h"
#include "src/cli/simulate/graph_make.h"
#include "src/cli/simulate/graph_times.h"

struct args {
    int64_t cpus, gpus;
    int64_t size, depth, degree, seed, tile, bytes;
    double cv;
    const char *json, *output, *gflops;
    cli_words time, model;
    int type, quiet;
};

#define AT(field) .at = offsetof(struct args, field)

/* clang-format off */
static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Options" },
    { "output", 'o', OPT_FILE, "FILE", "import, make: the graph (default: stdout)", NULL, AT(output) },
    { "time", 0, OPT_WORDS, "TIMES", "import, make: CODELET=US[:US], CPU and GPU", NULL, AT(time) },
    { "cpus", 0, OPT_INT, "N", "info, make: CPU workers (default: recorded; 1)", NULL, AT(cpus), 0, 1000000 },
    { "gpus", 0, OPT_INT, "N", "info, make: CUDA devices (default: recorded; 0)", NULL, AT(gpus), 0, 1000000 },
    { "json", 0, OPT_FILE, "FILE", "append a JSON object (- is stdout)", NULL, AT(json) },
    { "quiet", 'q', OPT_FLAG, NULL, "no table, no remarks", NULL, AT(quiet) },
    { .kind = OPT_GROUP, .help = "Options of make" },
    { "size", 0, OPT_INT, "N", "tasks, tiles or blocks of a row (default: 10)", NULL, AT(size), 1, ORR_DAG_MOST_TASKS },
    { "depth", 0, OPT_INT, "N", "layers, stages or sweeps (default: 10; jacobi 2)", NULL, AT(depth), 1, ORR_DAG_MOST_TASKS },
    { "degree", 0, OPT_INT, "N", "layered: tasks that each waits for (default: 2)", NULL, AT(degree), 1, 1000 },
    { "seed", 0, OPT_INT, "K", "of edges and of --cv (default: 1)", NULL, AT(seed), 0, INT64_MAX },
    { "tile", 0, OPT_INT, "N", "order of a tile (default: 256)", NULL, AT(tile), 1, 1000000 },
    { "type", 't', OPT_CHOICE, "T", "of tiles: s, d, c or z (default: d)", "s|d|c|z", AT(type) },
    { "bytes", 0, OPT_INT, "N", "of each piece of data (default: a tile; or 0)", NULL, AT(bytes), 0, INT64_MAX },
    { "gflops", 0, OPT_TEXT, "C[:G]", "of a CPU and a GPU: times of tasks on tiles", NULL, AT(gflops) },
    { "model", 0, OPT_WORDS, "MODELS", "CODELET=FILE[@SIZE]: times by models of StarPU", NULL, AT(model) },
    { "cv", 0, OPT_REAL, "X", "spread of times, lognormal (default: 0)", NULL, AT(cv), 0, 10 },
    { .kind = OPT_END },
};
/* clang-format on */

/* ---- info ---------------------------------------------------------------------------------- */

/* Tasks of one codelet on one kind of worker, us. */
struct row {
    const char *name;
    int kind; /* -1: runs nowhere */
    size_t tasks;
    double total, least, most;
};

struct facts {
    size_t tasks, data, edges;
    double area, path, lp, makespan; /* seconds; NaN: not known */
    int workers[ORR_DAG_COUNT];
    struct row *row;
    size_t rows;
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
        f->row[f->rows++] = (struct row){name, kind, 0, 0, INFINITY, 0};
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
            cli_put(t, " %12.3f %12.3f %12.3f %12.3f", 1e-3 * r->total, r->total / (double)r->tasks,
                    r->least, r->most);
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
    struct facts f = {0};
    cli_text text = {0}, json = {0};
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

static int info(void *args, const cli_files *files)
{
    const struct args *a = args;
    cli_sink sink = {.json = -1, .csv = -1};
    int code = CLI_OK;
    if (!files->n)
        return cli_usage("graph info", "a FILE.graph is needed");
    if (a->json && strcmp(a->json, "-"))
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

/* ---- import ------------------------------------------------------------------------------------ */

static int write_found(const struct args *a, const struct orr_dag *d, const graph_found *found)
{
    cli_sink sink = {.json = -1, .csv = -1};
    cli_text t = {0};
    int code = graph_write(d, a->output ? a->output : "-");
    if (code != CLI_OK)
        return code;
    if (!a->quiet)
        cli_say(
            "%zu tasks, %zu data; of %zu edges in the files %zu follow from accesses, %zu are explicit",
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

static int import(void *args, const cli_files *files)
{
    const struct args *a = args;
    struct orr_dag d;
    graph_found found;
    if (!files->n)
        return cli_usage("graph import", "a file to import is needed");
    int code = a->output && strcmp(a->output, "-") ? output_spares(a->output, files) : CLI_OK;
    if (code == CLI_OK)
        code = graph_import(&d, files, &found);
    if (code != CLI_OK)
        return code;
    code = graph_set_times(&d, &a->time);
    if (code == CLI_OK)
        code = write_found(a, &d, &found);
    orr_dag_free(&d);
    return code;
}

/* ---- make --------------------------------------------------------------------------------------- */

/* Times: 1 ms, or what --gflops, then --model, then --time say, each more particular than the one before. */
static int make_times(const struct args *a, struct orr_dag *d, int tiles)
{
    double rate[2];
    graph_set_all(d, 1000, NAN);
    if (a->gflops && !tiles)
        return cli_usage("graph make", "--gflops is for families with tiles: cholesky, lu, qr");
    if (a->gflops && !graph_two_numbers(a->gflops, rate)) {
        cli_say("--gflops: '%s' is not C or C:G, above zero", a->gflops);
        return CLI_USAGE;
    }
    if (a->gflops)
        graph_set_rates(d, rate);
    int code = graph_set_models(d, &a->model);
    if (code == CLI_OK)
        code = graph_set_times(d, &a->time);
    if (code != CLI_OK)
        return code;
    graph_spread(d, a->seed, a->cv);
    for (size_t i = 0; i < d->tasks; i++)
        for (int k = 0; k < ORR_DAG_COUNT; k++)
            if (!isnan(d->task[i].t[k]) && !(d->task[i].t[k] > 0 && d->task[i].t[k] < 1e15)) {
                cli_say("graph make: task %zu (%s) would take %g us", i + 1, d->task[i].name,
                        d->task[i].t[k]);
                return CLI_USAGE;
            }
    return CLI_OK;
}

static int write_made(const struct args *a, struct orr_dag *d, const graph_recipe *r,
                      const char *family)
{
    char why[512];
    cli_sink sink = {.json = -1, .csv = -1};
    cli_text t = {0};
    struct orr_graph e = {.kinds = 0};
    int code = graph_write(d, a->output ? a->output : "-");
    if (code != CLI_OK)
        return code;
    if (orr_dag_edges(d, &e, why, sizeof why))
        return CLI_MEMORY; /* there is no cycle */
    const size_t edges = e.before_at[d->tasks];
    orr_graph_free(&e);
    if (!a->quiet)
        cli_say("%s: %zu tasks, %zu data, %zu edges", family, d->tasks, d->all_data, edges);
    if (!a->json)
        return CLI_OK;
    code = cli_sink_open(&sink, a->json, NULL, !a->output || !strcmp(a->output, "-"), 1);
    cli_put(&t, "{\"family\":");
    cli_put_json(&t, family);
    cli_put(&t, ",\"size\":%lld,\"depth\":%lld,\"degree\":%lld,\"seed\":%lld,\"bytes\":%zu,\"cv\":",
            (long long)r->size, (long long)r->depth, (long long)r->degree, (long long)r->seed,
            r->bytes);
    cli_put_number(&t, a->cv);
    cli_put(&t, ",\"tasks\":%zu,\"data\":%zu,\"edges\":%zu}\n", d->tasks, d->all_data, edges);
    if (code == CLI_OK)
        code = t.failed ? CLI_MEMORY : cli_sink_line(&sink, &t);
    cli_sink_close(&sink);
    cli_text_free(&t);
    return code;
}

static int make_family(struct args *a, const char *name, int family)
{
    static const int bytes[] = {4, 8, 8, 16}; /* s, d, c, z */
    struct orr_dag d;
    const int tiles = graph_has_tiles(family);
    if (!tiles && (a->tile >= 0 || a->type >= 0))
        return cli_usage("graph make",
                         "--tile and --type are for families with tiles: cholesky, lu, qr");
    const int type = a->type < 0 ? 1 : a->type;
    a->seed = a->seed < 0 ? 1 : a->seed;
    a->cv = a->cv < 0 ? 0 : a->cv;
    graph_recipe r = {.size = a->size,
                      .depth = a->depth,
                      .degree = a->degree,
                      .seed = a->seed,
                      .tile = !tiles        ? 0
                              : a->tile < 0 ? 256
                                            : a->tile,
                      .operations = type < 2 ? 1 : 4};
    r.bytes = a->bytes >= 0 ? (size_t)a->bytes : (size_t)(r.tile * r.tile * bytes[type]);
    int code = graph_make(&d, family, &r);
    if (code != CLI_OK)
        return code;
    d.workers[ORR_DAG_CPU] = a->cpus < 0 ? 1 : (int)a->cpus;
    d.workers[ORR_DAG_CUDA] = a->gpus < 0 ? 0 : (int)a->gpus;
    code = make_times(a, &d, tiles);
    if (code == CLI_OK)
        code = write_made(a, &d, &r, name);
    orr_dag_free(&d);
    return code;
}

static int make(void *a, const cli_files *words)
{
    cli_guess_text guess;
    if (words->n != 1)
        return cli_usage("graph make", "one family is needed: " GRAPH_FAMILIES);
    const int family = cli_word_index(words->v[0], GRAPH_FAMILIES);
    if (family >= 0)
        return make_family(a, words->v[0], family);
    cli_say("graph make: '%s' is none of " GRAPH_FAMILIES "%s", words->v[0],
            cli_guess(words->v[0], GRAPH_FAMILIES, guess));
    return CLI_USAGE;
}

/* ---- The command ---------------------------------------------------------------------------------- */

static const cli_action actions[] = {
    {"info", info, "cpus|gpus|json|quiet"},
    {"import", import, "output|time|json|quiet"},
    {"make", make,
     "output|time|cpus|gpus|json|quiet|size|depth|degree|seed|tile|type|bytes|gflops|model|cv"},
    {0}};

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {.cpus = -1,
                     .gpus = -1,
                     .size = -1,
                     .depth = -1,
                     .degree = -1,
                     .seed = -1,
                     .tile = -1,
                     .bytes = -1,
                     .cv = -1,
                     .type = -1};
    return cli_act(command, argc, argv, &a, actions, NULL);
}

const cli_command cmd_graph = {
    .name = "graph",
    .summary = "task graphs in files: describe, import or make them",
    .synopsis = "info FILE.graph...|import FILE...|make FAMILY [options]",
    .files = "graph",
    .about =
        "info: tasks, edges, lower bounds of the time on some workers, and the times of each "
        "codelet. import: a graph from StarPU's tasks.rec, from StarVZ's rec.tasks.csv with dag.csv "
        "and rec.data_handles.csv (also compressed, .gz), or from a WfFormat JSON file; the kind of "
        "a file is seen from its contents. make: a graph of one of the families chain, independent, fork-join, "
        "layered, cholesky, lu, qr, bulge (hb2st, gb2bd) and jacobi (gesvj); times are 1 ms unless options say "
        "otherwise, and equal options give equal bytes. A file that is damaged is refused with its line, exit "
        "status 3. docs/simulation.md describes the format of graphs.",
    .options = options,
    .examples = "orrery graph import rec.tasks.csv.gz dag.csv.gz -o qr.graph\n"
                "orrery graph import tasks.rec -o run.graph\n"
                "orrery graph make cholesky --size 20 --gflops 40:4000 -o chol.graph\n"
                "orrery graph info qr.graph --cpus 10 --json -",
    .run = run,
    .words = "info|import|make",
};
