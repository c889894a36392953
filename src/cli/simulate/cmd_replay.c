/* orrery replay: a graph under other schedules.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/record.h"
#include "src/cli/core/sorted.h"
#include "src/cli/simulate/replay_list.h"
#include "src/cli/simulate/replay_real.h"
#include "src/cli/simulate/truth.h"

struct args {
    cli_sizes cpus, gpus;
    cli_words sched;
    double overhead;
    int64_t repeat;
    int on, kernel;
    const char *json;
    int quiet;
    truth_args truth;
    struct orr_truth spec; /* of these */
};

enum { ON_LIST, ON_REAL }; /* of --on */
enum { POLICIES = LIST_SPOLIATION + 1 };

#define AT(field) .at = offsetof(struct args, field)

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
    {"json", 0, OPT_FILE, "FILE", "append a JSON line per point (- is stdout)", NULL, AT(json)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table", NULL, AT(quiet)},
    {.kind = OPT_INCLUDE, .include = truth_options, AT(truth)},
    {.kind = OPT_END},
};

/* One graph on one number of workers. */
struct point {
    const char *path;
    struct orr_dag d;
    int workers[ORR_DAG_COUNT];
    graph_costs c;
    struct orr_truth truth;
    double *times;          /* true ones, [tasks][kinds] */
    double area, chain, lp; /* with them */
    double *bounds;         /* the last one, of each seed */
    char program[4096];     /* orrery-real */
};

/* One policy with one seed after the other. */
struct series {
    double *makespan, *ratio; /* of each seed */
    list_result last;
    double believed; /* the makespan if times were as believed */
};

static void put_bound(cli_text *t, const struct point *p)
{
    cli_put(t, ",\"bound\":{\"area\":");
    cli_put_number(t, p->area);
    cli_member_number(t, "critical_path", p->chain);
    cli_member_number(t, "lp", p->lp);
    cli_put(t, "}");
}

static void put_json(cli_text *t, const struct point *p, const char *sched, double overhead,
                     const list_result *r, double believed)
{
    cli_put(t, "{\"graph\":");
    cli_put_json(t, p->path);
    cli_put(t, ",\"on\":\"list\"");
    cli_member_json(t, "sched", sched);
    cli_put(t, ",\"tasks\":%zu,\"workers\":{\"cpu\":%d,\"cuda\":%d}", p->d.tasks,
            p->workers[ORR_DAG_CPU], p->workers[ORR_DAG_CUDA]);
    cli_member_number(t, "overhead", 1e-6 * overhead);
    cli_member_number(t, "makespan", r->makespan);
    put_bound(t, p);
    cli_member_number(t, "ratio", r->makespan / p->lp);
    for (int ran = 0; ran < 2; ran++) {
        cli_put(t, ran ? "},\"ran\":{" : ",\"busy\":{");
        for (int k = 0; k < p->c.g.kinds; k++) {
            cli_put(t, "%s\"%s\":", k ? "," : "", orr_dag_kind_name[p->c.kind[k]]);
            cli_put_number(t, ran ? (double)r->ran[k] : r->busy[k]);
        }
    }
    cli_put(t, "},\"spoliated\":%zu", r->spoliated);
    cli_member_number(t, "believed", believed);
    truth_json(t, &p->truth);
    cli_put(t, "}\n");
}

static double median(double *v, int64_t n)
{
    cli_sort(v, n);
    return cli_middle(v, n);
}

static void put_row(FILE *f, const struct point *p, const char *sched, struct series *s,
                    int64_t seeds)
{
    const double makespan = median(s->makespan, seeds), ratio = median(s->ratio, seeds);
    fprintf(f, "%5d %5d %-22s %12.3f %12.3f %8.3f", p->workers[ORR_DAG_CPU],
            p->workers[ORR_DAG_CUDA], sched, 1e3 * makespan, 1e3 * median(p->bounds, seeds), ratio);
    if (orr_truth_differs(&p->truth))
        fprintf(f, " %12.3f %12.3f %12.3f", 1e3 * s->makespan[0], 1e3 * s->makespan[seeds - 1],
                1e3 * s->believed);
    for (int k = 0; seeds == 1 && k < p->c.g.kinds; k++)
        fprintf(f, "  %s %.0f %%", orr_dag_kind_name[p->c.kind[k]],
                100 * s->last.busy[k] / (p->c.workers[k] * s->last.makespan));
    fputc('\n', f);
}

static int wanted(const struct args *a, const struct point *p, int policy, char name[64])
{
    if (!cli_bar_word(LIST_POLICIES, policy, name, 64) ||
        (policy >= LIST_HETEROPRIO && p->c.g.kinds > 2))
        return 0;
    for (int64_t s = 0; s < a->sched.n; s++)
        if (!strcmp(a->sched.v[s], name))
            return 1;
    return a->sched.n == 0;
}

/* The times of a seed, and their bounds: with the slow worker they are bounds all the more. */
static void make_truth(struct point *p, uint64_t seed)
{
    const size_t kinds = (size_t)p->c.g.kinds;
    struct orr_graph g = p->c.g;
    p->truth.seed = seed;
    for (size_t i = 0; i < g.tasks; i++)
        for (size_t k = 0; k < kinds; k++)
            p->times[i * kinds + k] =
                p->c.g.t[i * kinds + k] *
                orr_truth_factor(&p->truth, p->d.task[i].name, i, p->c.kind[k]);
    g.t = p->times;
    p->area = orr_bound_area(&g);
    p->chain = orr_bound_path(&g);
    p->lp = orr_bound_lp(&g);
}

static int replay_seed(const struct args *a, struct point *p, struct series *series, int64_t number,
                       cli_sink *sink)
{
    static const struct orr_truth none;
    char name[64];
    int code = CLI_OK;
    make_truth(p, a->truth.seeds.n ? (uint64_t)a->truth.seeds.v[number] : p->truth.seed);
    p->bounds[number] = p->lp;
    for (int k = 0; k < POLICIES && code == CLI_OK; k++) {
        struct series *s = &series[k];
        cli_text t = {0};
        list_result belief;
        if (!wanted(a, p, k, name))
            continue;
        if (number == 0) {
            code = list_replay(&p->c, &p->d, (list_policy)k, 1e-6 * a->overhead, p->c.g.t, &none,
                               &belief);
            s->believed = belief.makespan;
        }
        if (code == CLI_OK)
            code = list_replay(&p->c, &p->d, (list_policy)k, 1e-6 * a->overhead, p->times,
                               &p->truth, &s->last);
        if (code != CLI_OK)
            break;
        s->makespan[number] = s->last.makespan;
        s->ratio[number] = s->last.makespan / p->lp;
        put_json(&t, p, name, a->overhead, &s->last, s->believed);
        if (sink->json_path)
            code = t.failed ? CLI_MEMORY : cli_sink_line(sink, &t);
        cli_text_free(&t);
    }
    return code;
}

static int replay_seeds(const struct args *a, struct point *p, cli_sink *sink)
{
    const int64_t seeds = a->truth.seeds.n ? a->truth.seeds.n : 1;
    struct series series[POLICIES] = {{.believed = 0}};
    double *v = malloc((size_t)((2 * POLICIES + 1) * seeds) * sizeof *v);
    char name[64];
    p->times = malloc((p->c.g.tasks * (size_t)p->c.g.kinds + 1) * sizeof *p->times);
    int code = v && p->times ? CLI_OK : CLI_MEMORY;
    for (int k = 0; v && k < POLICIES; k++) {
        series[k].makespan = v + 2 * k * seeds;
        series[k].ratio = v + (2 * k + 1) * seeds;
    }
    p->bounds = v ? v + 2 * POLICIES * seeds : NULL;
    for (int64_t n = 0; n < seeds && code == CLI_OK; n++)
        code = replay_seed(a, p, series, n, sink);
    for (int k = 0; sink->table && k < POLICIES && code == CLI_OK; k++)
        if (wanted(a, p, k, name))
            put_row(sink->table, p, name, &series[k], seeds);
    free(v);
    free(p->times);
    return code;
}

/* ---- Under StarPU ---------------------------------------------------------------------------------- */

static int put_real(const struct args *a, const struct point *p, const char *sched,
                    const real_result *r, cli_sink *sink)
{
    char kernel[16];
    cli_text t = {0};
    double *sorted = malloc((size_t)a->repeat * sizeof *sorted), busy = 0, all = 0;
    if (!sorted)
        return CLI_MEMORY;
    cli_bar_word(REAL_KERNELS, a->kernel, kernel, sizeof kernel);
    cli_put(&t, "{\"graph\":");
    cli_put_json(&t, p->path);
    cli_put(&t, ",\"on\":\"real\"");
    cli_member_json(&t, "sched", sched);
    cli_member_json(&t, "kernel", kernel);
    cli_put(&t, ",\"tasks\":%zu,\"workers\":{\"cpu\":%d,\"cuda\":0},\"samples\":[", p->d.tasks,
            r->workers);
    for (int64_t k = 0; k < a->repeat; k++) {
        cli_put(&t, k ? "," : "");
        cli_put_number(&t, sorted[k] = r->makespan[k]);
        busy += r->busy[k];
        all += r->makespan[k] * r->workers;
    }
    const double makespan = median(sorted, a->repeat);
    cli_put(&t, "]");
    cli_member_number(&t, "makespan", makespan);
    put_bound(&t, p);
    cli_member_number(&t, "ratio", makespan / p->lp);
    cli_put(&t, ",\"busy\":{\"cpu\":");
    cli_put_number(&t, busy / (double)a->repeat);
    cli_put(&t, "}");
    cli_member_number(&t, "cpu_joules", r->joules);
    cli_member_json(&t, "energy_cpu", r->energy);
    cli_member_json(&t, "starpu", r->starpu);
    truth_json(&t, &p->truth);
    cli_put(&t, "}\n");
    if (sink->table)
        fprintf(sink->table, "%5d %5d %-22s %12.3f %12.3f %8.3f %12.3f %12.3f  cpu %.0f %%%s",
                r->workers, 0, sched, 1e3 * makespan, 1e3 * p->lp, makespan / p->lp,
                1e3 * sorted[0], 1e3 * sorted[a->repeat - 1], 100 * busy / all,
                a->truth.seeds.n > 1 ? "" : "\n");
    if (sink->table && a->truth.seeds.n > 1)
        fprintf(sink->table, "  seed %llu\n", (unsigned long long)p->truth.seed);
    const int code = !sink->json_path ? CLI_OK : t.failed ? CLI_MEMORY : cli_sink_line(sink, &t);
    cli_text_free(&t);
    free(sorted);
    return code;
}

static int real_seed(const struct args *a, struct point *p, const char *sched, uint64_t seed,
                     cli_sink *sink)
{
    char kernel[16];
    double *v = malloc((size_t)(2 * a->repeat) * sizeof *v);
    if (!v)
        return CLI_MEMORY;
    real_result r = {.makespan = v, .busy = v + a->repeat};
    make_truth(p, seed);
    cli_bar_word(REAL_KERNELS, a->kernel, kernel, sizeof kernel);
    int code = real_replay(p->program, p->path, sched, p->workers[ORR_DAG_CPU], a->repeat, kernel,
                           &a->truth, seed, &r);
    if (code == CLI_OK)
        code = put_real(a, p, sched, &r, sink);
    free(v);
    return code;
}

static int replay_real(const struct args *a, struct point *p, cli_sink *sink)
{
    static char lws[] = "lws", *const one[] = {lws};
    int code = CLI_OK;
    p->times = malloc((p->c.g.tasks * (size_t)p->c.g.kinds + 1) * sizeof *p->times);
    if (!p->times)
        return CLI_MEMORY;
    for (int64_t s = 0; s < (a->sched.n ? a->sched.n : 1) && code == CLI_OK; s++)
        for (int64_t k = 0; k < (a->truth.seeds.n ? a->truth.seeds.n : 1) && code == CLI_OK; k++)
            code =
                real_seed(a, p, a->sched.n ? a->sched.v[s] : one[0],
                          a->truth.seeds.n ? (uint64_t)a->truth.seeds.v[k] : p->truth.seed, sink);
    free(p->times);
    return code;
}

/* ---- Points ------------------------------------------------------------------------------------------- */

static int wants_heteroprio(const struct args *a)
{
    int any = a->sched.n == 0 && a->on == ON_LIST;
    for (int64_t s = 0; s < a->sched.n && a->on == ON_LIST; s++)
        any |= !strncmp(a->sched.v[s], "heteroprio", 10);
    return any;
}

static int run_point(const struct args *a, struct point *p, cli_sink *sink)
{
    int code = graph_costs_make(&p->c, &p->d, p->workers, p->path);
    if (code != CLI_OK)
        return code;
    if (p->c.stuck)
        cli_say("%s: no worker can run task %zu (%s)", p->path, p->c.stuck,
                p->d.task[p->c.stuck - 1].name);
    else if (!p->c.g.kinds)
        cli_say("%s: no workers", p->path);
    else if (p->c.g.kinds > 2 && wants_heteroprio(a))
        cli_say("%s: heteroprio is for two kinds of workers, not for %d", p->path, p->c.g.kinds);
    if (p->truth.slow > 0 && p->truth.slow_worker >= p->workers[p->truth.slow_kind])
        cli_say("%s: there is no %s%d, so no worker is slow", p->path,
                orr_dag_kind_name[p->truth.slow_kind], p->truth.slow_worker);
    if (p->c.stuck || !p->c.g.kinds || (p->c.g.kinds > 2 && wants_heteroprio(a)))
        code = CLI_SKIPPED;
    if (!p->c.stuck && p->c.g.kinds)
        code =
            cli_worse(code, a->on == ON_REAL ? replay_real(a, p, sink) : replay_seeds(a, p, sink));
    graph_costs_free(&p->c);
    return code;
}

static void put_head(FILE *f, const struct args *a, const struct point *p)
{
    const int differs = orr_truth_differs(&p->truth);
    const int real = a->on == ON_REAL;
    fprintf(f, "%s: %zu tasks, %s; ms", p->path, p->d.tasks,
            real ? "under StarPU, here, nothing computed"
                 : "without transfers and what a runtime costs");
    if (real)
        fprintf(f, "; medians of %lld runs", (long long)a->repeat);
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

static int run_graph(const struct args *a, const char *path, cli_sink *sink)
{
    struct point p = {.path = path, .truth = a->spec};
    int code = orr_dag_read(&p.d, path);
    if (code)
        return code;
    code = truth_fits(&p.truth, &p.d);
    if (code == CLI_OK && a->on == ON_REAL)
        code = real_find(p.program, sizeof p.program);
    const int ready = code == CLI_OK;
    if (ready && sink->table)
        put_head(sink->table, a, &p);
    for (int64_t c = 0; ready && c < (a->cpus.n ? a->cpus.n : 1); c++)
        for (int64_t g = 0; g < (a->gpus.n ? a->gpus.n : 1); g++) {
            graph_workers(&p.d, a->cpus.n ? a->cpus.v[c] : -1, a->gpus.n ? a->gpus.v[g] : -1,
                          p.workers);
            for (int k = ORR_DAG_CPU + 1; a->on == ON_REAL && k < ORR_DAG_COUNT; k++)
                p.workers[k] = 0;
            code = cli_worse(code, run_point(a, &p, sink));
        }
    orr_dag_free(&p.d);
    return code;
}

static int check_sched(const struct args *a)
{
    cli_guess_text guess;
    for (int64_t s = 0; s < a->sched.n && a->on == ON_LIST; s++)
        if (cli_word_index(a->sched.v[s], LIST_POLICIES) < 0) {
            cli_say("--sched: '%s' is not one of " LIST_POLICIES "%s", a->sched.v[s],
                    cli_guess(a->sched.v[s], LIST_POLICIES, guess));
            return CLI_USAGE;
        }
    return CLI_OK;
}

static int check_args(struct args *a)
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
    struct args a = {.overhead = -1, .kernel = -1};
    cli_files rest;
    cli_sink sink = {.json = -1, .csv = -1};
    int code;
    if (!cli_parse(command, argc, argv, &a, &rest, &code))
        return code;
    code = check_args(&a);
    if (code == CLI_OK)
        code = truth_read(&a.truth, &a.spec);
    if (code == CLI_OK && !rest.n)
        code = cli_usage("replay", "a FILE.graph is needed");
    else if (code == CLI_OK && a.json && strcmp(a.json, "-"))
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
                "orrery replay run.graph --on real --cpus 2 --sched lws,dmdas\n"
                "orrery replay run.graph --noise 0.3 --bias cuda=1.2 --seeds 1:20:1",
    .run = run,
};
