/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/core/record.h"
#include "src/cli/core/sorted.h"
#include "src/cli/simulate/replay_point.h"
#include "src/cli/simulate/replay_real.h"

static void put_provenance(cli_text *t, const struct replay_args *a)
{
    char utc[32];
    cli_put(t, ",\"provenance\":{");
    cli_member_json(t, "version", orr_version());
    cli_member_json(t, "git", cli_git());
    cli_member_json(t, "machine", cli_machine());
    cli_member_json(t, "command", a->command);
    cli_member_json(t, "time", cli_utc(utc));
    cli_put(t, "}");
}

static int put_real(const struct replay_args *a, const struct replay_point *p, const char *sched,
                    const real_result *r, cli_sink *sink)
{
    char kernel[16];
    cli_text t = {0};
    double *sorted = malloc((size_t)a->repeat * sizeof *sorted), busy = 0, all = 0;
    if (!sorted)
        return CLI_MEMORY;
    cli_bar_word(REAL_KERNELS, a->kernel, kernel, sizeof kernel);
    cli_put(&t, "{");
    cli_member_json(&t, "graph", p->path);
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
    const double makespan = cli_median(sorted, a->repeat);
    cli_put(&t, "]");
    cli_member_number(&t, "makespan", makespan);
    graph_put_bound(&t, p->area, p->chain, p->lp);
    cli_member_number(&t, "ratio", truth_ratio(makespan, p->lp));
    cli_put(&t, ",\"busy\":{");
    cli_member_number(&t, "cpu", busy / (double)a->repeat);
    cli_put(&t, "}");
    cli_member_number(&t, "cpu_joules", r->joules);
    cli_member_json(&t, "energy_cpu", r->energy);
    cli_member_json(&t, "starpu", r->starpu);
    truth_json(&t, &p->truth);
    put_provenance(&t, a);
    cli_put(&t, "}\n");
    if (sink->table)
        fprintf(sink->table, "%5d %5d %-22s %12.3f %12.3f %8.3f %12.3f %12.3f  cpu %.0f %%%s",
                r->workers, 0, sched, 1e3 * makespan, 1e3 * p->lp, truth_ratio(makespan, p->lp),
                1e3 * sorted[0], 1e3 * sorted[a->repeat - 1], truth_busy(busy, 1, all),
                a->truth.seeds.n > 1 ? "" : "\n");
    if (sink->table && a->truth.seeds.n > 1)
        fprintf(sink->table, "  seed %llu\n", (unsigned long long)p->truth.seed);
    free(sorted);
    return cli_sink_line(sink, &t);
}

static int real_seed(const struct replay_args *a, struct replay_point *p, const char *sched,
                     uint64_t seed, cli_sink *sink)
{
    char kernel[16];
    double *v = malloc((size_t)(2 * a->repeat) * sizeof *v);
    if (!v)
        return CLI_MEMORY;
    real_result r = {.makespan = v, .busy = v + a->repeat};
    replay_make_truth(p, seed);
    cli_bar_word(REAL_KERNELS, a->kernel, kernel, sizeof kernel);
    int code = real_replay(p->program, p->path, sched, p->workers[ORR_DAG_CPU], a->repeat, kernel,
                           &a->truth, seed, &r);
    if (code == CLI_OK)
        code = put_real(a, p, sched, &r, sink);
    free(v);
    return code;
}

int replay_on_real(const struct replay_args *a, struct replay_point *p, cli_sink *sink)
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
