/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/simulate_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/run.h"

/* The weakest mark of the values that a point depends on. */
static node_mark weakest(const node *n, int gpus)
{
    node_mark mark = NODE_MEASURED;
    for (int k = 0; k < NODE_VALUES; k++)
        if ((gpus || node_is_for_cpus(k)) && n->v[k].line && n->v[k].mark > mark)
            mark = n->v[k].mark;
    return mark;
}

/* ---- CPUs and GPUs together ------------------------------------------------------------------ */

static double makespan_of(const struct simulate_job *job, const char *sched, int cpus, int gpus)
{
    const uint64_t seed = job->truth.seed;
    for (int i = 0; i < job->points; i++) {
        const struct point *p = &job->point[i];
        if (p->cpus == cpus && p->gpus == gpus && p->seed == seed && !strcmp(p->sched, sched))
            return p->makespan;
    }
    return NAN;
}

/* How many times faster than the GPUs alone, and at most so many times: (Rc + Rg) / Rg with the
 * rates of the CPUs alone and of the GPUs alone. NaN where one of them was not simulated. */
struct together {
    double gain, bound;
};

static struct together together(const struct simulate_job *job, const char *sched, int cpus,
                                int gpus)
{
    const double both = makespan_of(job, sched, cpus, gpus);
    const double c = makespan_of(job, sched, cpus, 0), g = makespan_of(job, sched, 0, gpus);
    return cpus && gpus ? (struct together){g / both, 1 + g / c} : (struct together){NAN, NAN};
}

void simulate_table_head(const struct simulate_job *job)
{
    fprintf(job->sink.table,
            "simulated on %s; ms\n"
            "%5s %5s %-12s %11s %11s %7s %7s %8s %6s %6s %9s  %-23s %-17s %s\n",
            job->node.name, "cpus", "gpus", "sched", "makespan", "bound(LP)", "(links)", "ratio",
            "speedup", "cpu %", "gpu %", "MB moved", "CPU times", "GPU times", "machine's values");
}

static const char *or_dash(const char *text) { return *text ? text : "-"; }

void simulate_table_row(struct simulate_job *job, const json_value *v, const struct point *p)
{
    const json_value *bound = json_member(v, "bound"), *busy = json_member(v, "busy");
    const json_value *bytes = json_member(v, "bytes"), *times = json_member(v, "times");
    const char *const sched = p->sched;
    const int cpus = p->cpus, gpus = p->gpus;
    const double T = p->makespan, end = json_number_of(v, "tasks_end");
    const double lp = json_number_of(bound, "lp"), links = json_number_of(bound, "links");
    const double cpu = json_number_of(busy, "cpu"), cuda = json_number_of(busy, "cuda");
    const double mb =
        1e-6 * (json_number_of(bytes, "to_devices") + json_number_of(bytes, "from_devices") +
                json_number_of(bytes, "between"));
    char ways[16] = "-";
    if (isfinite(links))
        snprintf(ways, sizeof ways, "%.4g", 1e3 * links);
    fprintf(job->sink.table,
            "%5d %5d %-12s %11.4f %11.4f %7s %7.3f %8.2f %6.1f %6.1f %9.2f  %-23s %-17s %s", cpus,
            gpus, sched, 1e3 * T, 1e3 * lp, ways, truth_ratio(end, lp), truth_ratio(job->first, T),
            truth_busy(cpu, cpus, end), truth_busy(cuda, gpus, end), mb,
            or_dash(json_text_of(times, "cpu")), or_dash(json_text_of(times, "cuda")),
            node_mark_name[weakest(&job->node, gpus)]);
    if (job->args.truth.seeds.n > 1)
        fprintf(job->sink.table, ", seed %llu", (unsigned long long)p->seed);
    fputc('\n', job->sink.table);
    const struct together x = together(job, sched, cpus, gpus);
    if (isfinite(x.gain) && isfinite(x.bound))
        fprintf(job->sink.table,
                "            together %.3f times the GPUs alone; bound (Rc+Rg)/Rg %.3f\n", x.gain,
                x.bound);
}

int simulate_json_line(struct simulate_job *job, const char *line, const struct point *p)
{
    cli_text t = {0};
    cli_put(&t, "{\"algo\":\"simulate\",\"simulated\":true,");
    cli_put_bytes(&t, line + 1, strlen(line) - 2);
    truth_json(&t, &job->truth);
    cli_member_number(&t, "speedup", truth_ratio(job->first, p->makespan));
    const struct together x = together(job, p->sched, p->cpus, p->gpus);
    cli_put(&t, ",\"together\":{");
    cli_member_number(&t, "gain", x.gain);
    cli_member_number(&t, "bound", x.bound);
    cli_put(&t, "},\"cold\":%s,\"mark\":\"%s\",\"machine\":", job->args.cold ? "true" : "false",
            node_mark_name[weakest(&job->node, p->gpus)]);
    node_put_json(&t, &job->node);
    cli_put(&t, ",\"provenance\":{");
    cli_member_json(&t, "version", orr_version());
    cli_member_json(&t, "git", cli_git());
    cli_member_json(&t, "command", job->command);
    cli_put(&t, "}}\n");
    return cli_sink_line(&job->sink, &t);
}

int simulate_picture(const struct simulate_job *job)
{
    cli_text t = {0};
    char title[320];
    int gpus = 0;
    for (int i = 0; i < job->points; i++)
        gpus |= job->point[i].gpus;
    snprintf(title, sizeof title, "Speedup, simulated on %s (values %s)", job->node.name,
             node_mark_name[weakest(&job->node, gpus)]);
    simulate_plot(&t, job->point, job->points, title);
    const int code = output_text(job->args.plot, &t);
    cli_text_free(&t);
    return code;
}
