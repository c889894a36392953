/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/simulate_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/run.h"

double simulate_number(const char *json, const char *within, const char *key)
{
    char label[64];
    const char *at = *within ? strstr(json, within) : json;
    snprintf(label, sizeof label, "\"%s\":", key);
    at = at ? strstr(at, label) : NULL;
    char *end;
    const double x = at ? strtod(at + strlen(label), &end) : NAN;
    return at && end > at + strlen(label) ? x : NAN;
}

/* Likewise a text; "-": none. */
static void text_value(const char *json, const char *within, const char *key, char *out,
                       size_t size)
{
    char label[64];
    const char *at = strstr(json, within);
    snprintf(label, sizeof label, "\"%s\":\"", key);
    at = at ? strstr(at, label) : NULL;
    if (at)
        snprintf(out, size, "%.*s", (int)strcspn(at + strlen(label), "\""), at + strlen(label));
    else
        snprintf(out, size, "-");
}

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

void simulate_table_row(struct simulate_job *job, const char *json, const struct point *p)
{
    const char *const sched = p->sched;
    const int cpus = p->cpus, gpus = p->gpus;
    const double T = simulate_number(json, "", "makespan");
    const double end = simulate_number(json, "", "tasks_end");
    const double lp = simulate_number(json, "\"bound\"", "lp");
    const double links = simulate_number(json, "\"bound\"", "links");
    const double cpu = simulate_number(json, "\"busy\"", "cpu");
    const double cuda = simulate_number(json, "\"busy\"", "cuda");
    const double mb =
        1e-6 * (simulate_number(json, "", "to_devices") +
                simulate_number(json, "", "from_devices") + simulate_number(json, "", "between"));
    char origin[2][64], ways[16] = "-";
    if (isfinite(links))
        snprintf(ways, sizeof ways, "%.4g", 1e3 * links);
    text_value(json, "\"times\"", "cpu", origin[0], sizeof origin[0]);
    text_value(json, "\"times\"", "cuda", origin[1], sizeof origin[1]);
    fprintf(job->sink.table,
            "%5d %5d %-12s %11.4f %11.4f %7s %7.3f %8.2f %6.1f %6.1f %9.2f  %-23s %-17s %s", cpus,
            gpus, sched, 1e3 * T, 1e3 * lp, ways, truth_ratio(end, lp), truth_ratio(job->first, T),
            truth_busy(cpu, cpus, end), truth_busy(cuda, gpus, end), mb, origin[0], origin[1],
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

int simulate_json_line(struct simulate_job *job, const char *result, const struct point *p)
{
    cli_text t = {0};
    const char *inside = strchr(result, '{');
    cli_put(&t, "{\"algo\":\"simulate\",\"simulated\":true,");
    cli_put_bytes(&t, inside + 1, strcspn(inside + 1, "\n") - 1);
    truth_json(&t, &job->truth);
    cli_put(&t, ",\"speedup\":");
    cli_put_number(&t, truth_ratio(job->first, simulate_number(result, "", "makespan")));
    const struct together x = together(job, p->sched, p->cpus, p->gpus);
    cli_put(&t, ",\"together\":{\"gain\":");
    cli_put_number(&t, x.gain);
    cli_put(&t, ",\"bound\":");
    cli_put_number(&t, x.bound);
    cli_put(&t, "},\"cold\":%s,\"mark\":\"%s\",\"machine\":", job->args.cold ? "true" : "false",
            node_mark_name[weakest(&job->node, p->gpus)]);
    node_put_json(&t, &job->node);
    cli_put(&t, ",\"provenance\":{\"version\":\"%s\",\"git\":\"%s\",\"command\":", orr_version(),
            cli_git());
    cli_put_json(&t, job->command);
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
