/* orrery replay: a graph under other schedules.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/run.h"
#include "src/cli/simulate/graph_file.h"
#include "src/cli/simulate/replay_list.h"
#include "src/cli/simulate/replay_output.h"
#include "src/cli/simulate/replay_point.h"
#include "src/cli/simulate/replay_real.h"

enum { ON_LIST, ON_REAL }; /* of --on */

#define AT(field) .at = offsetof(struct replay_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"on", 0, OPT_CHOICE, "WHAT", "list: free schedulers; real: StarPU, here", "list|real", AT(on)},
    {"cpus", 0, OPT_SIZES, "LIST", "CPU workers (default: of the recording)", NULL, AT(cpus), 0,
     4096},
    {"gpus", 0, OPT_SIZES, "LIST", "CUDA devices (default: of the recording)", NULL, AT(gpus), 0,
     4096},
    {"sched", 's', OPT_WORDS, "S", "policies (default: all; real: lws)", NULL, AT(sched),
     .complete = "sched"},
    {"overhead", 0, OPT_REAL, "US", "list: microseconds added to each task", NULL, AT(overhead), 0,
     1000000},
    {"repeat", 'r', OPT_INT, "N", "real: runs (default: 5)", NULL, AT(repeat), 1, 1000000},
    {"kernel", 0, OPT_CHOICE, "K", "real: what tasks do, spin or sleep", REAL_KERNELS, AT(kernel)},
    {"output", 'o', OPT_FILE, "FILE", "list: the schedule as a graph (- is stdout)", NULL,
     AT(output)},
    {"json", 0, OPT_FILE, "FILE", "append a JSON line per point (- is stdout)", NULL, AT(json)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table", NULL, AT(quiet)},
    {.kind = OPT_INCLUDE, .include = truth_options, AT(truth)},
    {.kind = OPT_END},
};

static int wants_heteroprio(const struct replay_args *a)
{
    int any = a->sched.n == 0 && a->on == ON_LIST;
    for (int64_t s = 0; s < a->sched.n && a->on == ON_LIST; s++)
        any |= !strncmp(a->sched.v[s], "heteroprio", 10);
    return any;
}

typedef int with_point(const struct replay_args *, struct replay_point *, cli_sink *);

static int too_many_kinds(const struct replay_args *a, const struct replay_point *p)
{
    return p->c.g.kinds > 2 && wants_heteroprio(a);
}

/* Accelerators on which nothing can run would stand in the table without a word. */
static void tell_idle(struct replay_point *p)
{
    for (int k = 0; k < p->c.g.kinds && !p->idle_told; k++) {
        size_t i = 0;
        while (i < p->d.tasks &&
               (!p->d.task[i].where || !isfinite(p->c.g.t[i * (size_t)p->c.g.kinds + (size_t)k])))
            i++;
        if (i < p->d.tasks || p->c.kind[k] == ORR_DAG_CPU)
            continue;
        cli_say(
            "%s: no task has a time on %s, so workers of this kind do nothing; "
            "'orrery graph import FILE.graph --time CODELET=:US -o NEW.graph' gives tasks a time on GPUs",
            p->path, orr_dag_kind_name[p->c.kind[k]]);
        p->idle_told = 1;
    }
}

/* No task waits for a worker for ever. */
static int check_point(const struct replay_args *a, struct replay_point *p, cli_sink *sink)
{
    (void)a, (void)sink;
    if (p->c.stuck)
        cli_say("%s: no worker can run task %zu (%s)", p->path, p->c.stuck,
                p->d.task[p->c.stuck - 1].name);
    else if (!p->c.g.kinds)
        cli_say("%s: no workers", p->path);
    else
        tell_idle(p);
    return p->c.stuck || !p->c.g.kinds ? CLI_SKIPPED : CLI_OK;
}

static int run_point(const struct replay_args *a, struct replay_point *p, cli_sink *sink)
{
    if (too_many_kinds(a, p))
        cli_say("%s: heteroprio is for two kinds of workers, not for %d", p->path, p->c.g.kinds);
    if (p->truth.slow > 0 && p->truth.slow_worker >= p->workers[p->truth.slow_kind])
        cli_say("%s: there is no %s%d, so no worker is slow", p->path,
                orr_dag_kind_name[p->truth.slow_kind], p->truth.slow_worker);
    return cli_worse(too_many_kinds(a, p) ? CLI_SKIPPED : CLI_OK,
                     a->on == ON_REAL ? replay_on_real(a, p, sink) : replay_on_list(a, p, sink));
}

/* Of every combination of --cpus and --gpus. */
static int each_point(const struct replay_args *a, struct replay_point *p, cli_sink *sink,
                      with_point *visit)
{
    int code = CLI_OK;
    for (int64_t c = 0; c < (a->cpus.n ? a->cpus.n : 1); c++)
        for (int64_t g = 0; g < (a->gpus.n ? a->gpus.n : 1); g++) {
            graph_workers(&p->d, a->cpus.n ? a->cpus.v[c] : -1, a->gpus.n ? a->gpus.v[g] : -1,
                          p->workers);
            for (int k = ORR_DAG_CPU + 1; a->on == ON_REAL && k < ORR_DAG_COUNT; k++)
                p->workers[k] = 0;
            const int made = graph_costs_make(&p->c, &p->d, p->workers, p->path);
            if (made != CLI_OK)
                return cli_worse(code, made);
            code = cli_worse(code, visit(a, p, sink));
            graph_costs_free(&p->c);
        }
    return code;
}

static void put_head(FILE *f, const struct replay_args *a, const struct replay_point *p)
{
    const int differs = orr_truth_differs(&p->truth);
    const int real = a->on == ON_REAL;
    cli_plain_text plain;
    fprintf(f, "%s: %zu tasks, %s; ms", cli_plain(p->path, plain), p->d.tasks,
            real ? "under StarPU, here, nothing computed"
                 : "without transfers and what a runtime costs");
    if (real)
        fprintf(f, "; medians of %lld run%s", (long long)a->repeat, cli_plural(a->repeat));
    else if (a->truth.seeds.n > 1)
        fprintf(f, "; medians of %lld seeds", (long long)a->truth.seeds.n);
    fprintf(f, "\n%5s %5s %-22s %12s %12s %8s", "cpus", "gpus", "sched", "makespan", "bound(LP)",
            "ratio");
    if (differs || real)
        fprintf(f, " %12s %12s", "least", "most");
    if (differs && !real)
        fprintf(f, " %12s", "believed");
    fprintf(f, a->truth.seeds.n > 1 && !real ? "\n" : "  busy\n");
}

static int open_graph(const struct replay_args *a, struct replay_point *p, const char *path)
{
    *p = (struct replay_point){.path = path, .truth = a->spec};
    int code = a->on == ON_REAL ? graph_lasts(path) : CLI_OK;
    if (code == CLI_OK)
        code = orr_dag_read(&p->d, path);
    if (code == CLI_OK)
        code = truth_fits(&p->truth, &p->d);
    if (code == CLI_OK && a->on == ON_REAL)
        code = real_find(p->program, sizeof p->program);
    return code == CLI_OK ? each_point(a, p, NULL, check_point) : code;
}

/* Of several points the one with the most workers is tried before the first runs: StarPU alone knows how many it can
 * drive. */
static int check_workers(const struct replay_args *a, const struct replay_point *p, int n)
{
    real_result none;
    int64_t most = 0;
    for (int64_t c = 0; c < a->cpus.n; c++)
        most = a->cpus.v[c] > most ? a->cpus.v[c] : most;
    for (int k = 0; a->cpus.n == 0 && k < n; k++)
        most = p[k].d.workers[ORR_DAG_CPU] > most ? p[k].d.workers[ORR_DAG_CPU] : most;
    if (a->on == ON_LIST || (n == 1 && a->cpus.n <= 1))
        return CLI_OK;
    return real_replay(p->program, p->path, a->sched.n ? a->sched.v[0] : "lws", (int)most, 0,
                       "sleep", &a->truth, 1, &none);
}

/* All graphs and numbers of workers are looked at before the first is run. */
static int run_graphs(const struct replay_args *a, const cli_files *files, cli_sink *sink)
{
    struct replay_point *p = calloc((size_t)files->n, sizeof *p);
    int code = p ? CLI_OK : CLI_MEMORY, n = 0;
    for (; n < files->n && code == CLI_OK; n++)
        code = open_graph(a, &p[n], files->v[n]);
    if (code == CLI_OK)
        code = check_workers(a, p, n);
    const int ready = code == CLI_OK;
    for (int k = 0; ready && k < n && (code == CLI_OK || code == CLI_SKIPPED); k++) {
        if (sink->table)
            put_head(sink->table, a, &p[k]);
        code = cli_worse(code, each_point(a, &p[k], sink, run_point));
    }
    for (int k = 0; k < n; k++)
        orr_dag_free(&p[k].d);
    free(p);
    return code;
}

static int is_of_starpu(const char *name)
{
    orr_policy_info p;
    for (int k = 0; orr_policy(k, &p); k++)
        if (!p.refused && !strcmp(p.name, name))
            return 1;
    return 0;
}

static int check_sched(const struct replay_args *a)
{
    cli_guess_text guess;
    if (a->on == ON_REAL)
        return list_check_policies(&a->sched);
    for (int64_t s = 0; s < a->sched.n; s++)
        if (cli_word_index(a->sched.v[s], LIST_POLICIES) < 0) {
            const int starpu = is_of_starpu(a->sched.v[s]);
            cli_say("--sched: '%s' is not one of " LIST_POLICIES "%s", a->sched.v[s],
                    starpu ? "" : cli_guess(a->sched.v[s], LIST_POLICIES, guess));
            if (starpu)
                cli_say(
                    "--on real and orrery simulate have StarPU's policies and Orrery's: '%s' is one",
                    a->sched.v[s]);
            return CLI_USAGE;
        }
    return CLI_OK;
}

static int check_args(struct replay_args *a)
{
    if (a->on == ON_REAL && (a->gpus.n || a->overhead >= 0))
        return cli_usage("replay", "--gpus and --overhead mean nothing with --on real");
    if (a->on == ON_LIST && (a->repeat || a->kernel >= 0))
        return cli_usage("replay", "--repeat and --kernel mean nothing with --on list");
    a->overhead = fmax(a->overhead, 0);
    a->repeat = a->repeat ? a->repeat : 5;
    a->kernel = a->kernel < 0 ? 0 : a->kernel;
    return check_sched(a);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct replay_args a = {.overhead = -1, .kernel = -1};
    cli_files rest;
    cli_sink sink = {0};
    cli_text line = {0};
    int code;
    if (!cli_parse(command, argc, argv, &a, &rest, &code))
        return code;
    cli_command_line(&line, argc, argv);
    a.command = line.s;
    code = line.failed ? CLI_MEMORY : check_args(&a);
    if (code == CLI_OK)
        code = truth_read(&a.truth, &a.spec);
    if (code == CLI_OK && !rest.n)
        code = cli_usage("replay", "a FILE.graph is needed");
    else if (code == CLI_OK && a.json && strcmp(a.json, "-"))
        code = output_spares(a.json, &rest);
    if (code == CLI_OK)
        code = replay_check_output(&a, &rest);
    if (code == CLI_OK)
        code = cli_sink_open(&sink, a.json, NULL, a.output && !strcmp(a.output, "-"), a.quiet);
    if (code == CLI_OK)
        code = run_graphs(&a, &rest, &sink);
    cli_sink_close(&sink);
    cli_text_free(&line);
    cli_release(command, &a);
    return code;
}

const cli_command cmd_replay = {
    .name = "replay",
    .summary = "run a task graph again, under other policies and on other workers",
    .synopsis = "[options] FILE.graph...",
    .files = "graph",
    .about =
        "Runs a graph with the times that are in it under schedulers that cost nothing: in the order of the "
        "tasks, by priorities, by distance to the end, HEFT, HeteroPrio with and without spoliation. It prints "
        "makespans over the lower bound. With --noise, --bias, --spikes or --slow tasks take other times than those "
        "the schedulers know. --on real runs it on the CPUs of this machine under StarPU's schedulers or Orrery's, with "
        "tasks that take the time and compute nothing. Exit status 77 if a task cannot run on such workers. "
        "docs/laboratory.md tells more; orrery simulate has StarPU's schedulers, and transfers.",
    .options = options,
    .examples = "orrery replay run.graph --cpus 2,4,8\n"
                "orrery replay run.graph --cpus 24 --gpus 4 --sched heft,heteroprio\n"
                "orrery replay run.graph --sched heft --output heft.graph\n"
                "orrery replay run.graph --on real --cpus 2 --sched lws,dmdas\n"
                "orrery replay run.graph --noise 0.3 --bias cuda=1.2 --seeds 1:20:1",
    .run = run,
};
