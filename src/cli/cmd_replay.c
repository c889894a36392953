/* orrery replay: a graph under other schedules.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "record.h"
#include "replay_list.h"

struct args {
    cli_sizes   cpus, gpus;
    cli_words   sched;
    double      overhead;
    int         on;
    const char *json;
    int         quiet;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Options" },
    { "on", 0, OPT_CHOICE, "WHAT", "list: schedulers that cost nothing, no transfers", "list", AT(on) },
    { "cpus", 0, OPT_SIZES, "LIST", "CPU workers (default: of the recording)", NULL, AT(cpus), 0, 4096 },
    { "gpus", 0, OPT_SIZES, "LIST", "CUDA devices (default: of the recording)", NULL, AT(gpus), 0, 4096 },
    { "sched", 's', OPT_WORDS, "S", "policies (default: all)", LIST_POLICIES, AT(sched) },
    { "overhead", 0, OPT_REAL, "US", "microseconds added to each task (default: 0)", NULL, AT(overhead), 0,
      1000000 },
    { "json", 0, OPT_FILE, "FILE", "append a JSON line per point (- is stdout)", NULL, AT(json) },
    { "quiet", 'q', OPT_FLAG, NULL, "no table", NULL, AT(quiet) },
    { .kind = OPT_END },
};

/* One graph on one number of workers. */
struct point {
    const char    *path;
    struct orr_dag d;
    int            workers[ORR_DAG_COUNT];
    graph_costs    c;
    double         area, chain, lp;
};

static void put_json(cli_text *t, const struct point *p, const char *sched, double overhead, const list_result *r)
{
    cli_put(t, "{\"graph\":");
    cli_put_json(t, p->path);
    cli_put(t, ",\"on\":\"list\"");
    cli_member_json(t, "sched", sched);
    cli_put(t, ",\"tasks\":%zu,\"workers\":{\"cpu\":%d,\"cuda\":%d}", p->d.tasks, p->workers[ORR_DAG_CPU],
            p->workers[ORR_DAG_CUDA]);
    cli_member_number(t, "overhead", 1e-6 * overhead);
    cli_member_number(t, "makespan", r->makespan);
    cli_put(t, ",\"bound\":{\"area\":");
    cli_put_number(t, p->area);
    cli_member_number(t, "critical_path", p->chain);
    cli_member_number(t, "lp", p->lp);
    cli_put(t, "}");
    cli_member_number(t, "ratio", r->makespan / p->lp);
    for (int ran = 0; ran < 2; ran++) {
        cli_put(t, ran ? "},\"ran\":{" : ",\"busy\":{");
        for (int k = 0; k < p->c.g.kinds; k++) {
            cli_put(t, "%s\"%s\":", k ? "," : "", orr_dag_kind_name[p->c.kind[k]]);
            cli_put_number(t, ran ? (double)r->ran[k] : r->busy[k]);
        }
    }
    cli_put(t, "},\"spoliated\":%zu}\n", r->spoliated);
}

static void put_row(FILE *f, const struct point *p, const char *sched, const list_result *r)
{
    fprintf(f, "%5d %5d %-22s %12.3f %12.3f %8.3f", p->workers[ORR_DAG_CPU], p->workers[ORR_DAG_CUDA], sched,
            1e3 * r->makespan, 1e3 * p->lp, r->makespan / p->lp);
    for (int k = 0; k < p->c.g.kinds; k++)
        fprintf(f, "  %s %.0f %%", orr_dag_kind_name[p->c.kind[k]],
                100 * r->busy[k] / (p->c.workers[k] * r->makespan));
    fputc('\n', f);
}

static int replay(const struct args *a, const struct point *p, const char *sched, list_policy policy, cli_sink *sink)
{
    list_result r;
    cli_text t = { 0 };
    if (policy >= LIST_HETEROPRIO && p->c.g.kinds > 2) {
        cli_say("%s: %s is for two kinds of workers, not for %d", p->path, sched, p->c.g.kinds);
        return CLI_SKIPPED;
    }
    int code = list_replay(&p->c, &p->d, policy, 1e-6 * a->overhead, &r);
    if (code != CLI_OK)
        return code;
    put_json(&t, p, sched, a->overhead, &r);
    if (sink->table)
        put_row(sink->table, p, sched, &r);
    if (sink->json_path)
        code = t.failed ? CLI_MEMORY : cli_sink_line(sink, &t);
    cli_text_free(&t);
    return code;
}

static int run_point(const struct args *a, struct point *p, cli_sink *sink)
{
    char name[64];
    int code = graph_costs_make(&p->c, &p->d, p->workers, p->path);
    if (code != CLI_OK)
        return code;
    if (!p->c.g.kinds || p->c.stuck) {
        if (p->c.stuck)
            cli_say("%s: no worker can run task %zu (%s)", p->path, p->c.stuck, p->d.task[p->c.stuck - 1].name);
        else
            cli_say("%s: no workers", p->path);
        graph_costs_free(&p->c);
        return CLI_SKIPPED;
    }
    p->area = orr_bound_area(&p->c.g);
    p->chain = orr_bound_path(&p->c.g);
    p->lp = orr_bound_lp(&p->c.g);
    for (int k = 0; cli_bar_word(LIST_POLICIES, k, name, sizeof name); k++) {
        int wanted = a->sched.n == 0;
        for (int64_t s = 0; s < a->sched.n; s++)
            wanted |= !strcmp(a->sched.v[s], name);
        if (wanted && code == CLI_OK)
            code = replay(a, p, name, (list_policy)k, sink);
    }
    graph_costs_free(&p->c);
    return code;
}

static int run_graph(const struct args *a, const char *path, cli_sink *sink)
{
    struct point p = { .path = path };
    int code = orr_dag_read(&p.d, path);
    if (code)
        return code;
    if (sink->table)
        fprintf(sink->table, "%s: %zu tasks, without transfers and what a runtime costs; ms\n%5s %5s %-22s %12s %12s %8s  busy\n",
                path, p.d.tasks, "cpus", "gpus", "sched", "makespan", "bound(LP)", "ratio");
    for (int64_t c = 0; c < (a->cpus.n ? a->cpus.n : 1); c++)
        for (int64_t g = 0; g < (a->gpus.n ? a->gpus.n : 1); g++) {
            graph_workers(&p.d, a->cpus.n ? a->cpus.v[c] : -1, a->gpus.n ? a->gpus.v[g] : -1, p.workers);
            code = cli_worse(code, run_point(a, &p, sink));
        }
    orr_dag_free(&p.d);
    return code;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = { .on = 0 };
    cli_files rest;
    cli_sink sink = { .json = -1, .csv = -1 };
    int code;
    if (!cli_parse(command, argc, argv, &a, &rest, &code))
        return code;
    if (!rest.n)
        code = cli_usage("replay", "a FILE.graph is needed");
    else if (a.json && strcmp(a.json, "-"))
        code = output_spares(a.json, &rest);
    if (code == CLI_OK)
        code = cli_sink_open(&sink, a.json, NULL, 0, a.quiet);
    for (int k = 0; k < rest.n && (code == CLI_OK || code == CLI_SKIPPED); k++)
        code = cli_worse(code, run_graph(&a, rest.v[k], &sink));
    cli_sink_close(&sink);
    cli_release(command, &a);
    return code;
}

const cli_command cmd_replay = {
    .name = "replay",
    .summary = "a graph under other schedules and on other workers",
    .synopsis = "[options] FILE.graph...",
    .files = "graph",
    .about = "Runs a graph with the times that are in it under schedulers that cost nothing: in the order of the "
             "tasks, by priorities, by distance to the end, HEFT, HeteroPrio with and without spoliation. Printed are "
             "makespans over the lower bound. Exit status 77 if a task cannot run on such workers. "
             "docs/laboratory.md tells more; orrery simulate has StarPU's schedulers, and transfers.",
    .options = options,
    .examples = "orrery replay run.graph --cpus 2,4,8\n"
                "orrery replay run.graph --cpus 24 --gpus 4 --sched heft,heteroprio",
    .run = run,
};
