/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/sorted.h"
#include "src/cli/simulate/replay_list.h"
#include "src/cli/simulate/replay_output.h"
#include "src/cli/simulate/replay_point.h"

enum { POLICIES = LIST_SPOLIATION + 1 };

/* One policy with one seed after the other. */
struct series {
    double *makespan, *ratio; /* of each seed */
    list_result last;
    double believed; /* the makespan if times were as believed */
};

static void put_json(cli_text *t, const struct replay_point *p, const char *sched, double overhead,
                     const list_result *r, double believed)
{
    cli_put(t, "{");
    cli_member_json(t, "graph", p->path);
    cli_put(t, ",\"on\":\"list\"");
    cli_member_json(t, "sched", sched);
    cli_put(t, ",\"tasks\":%zu,\"workers\":{\"cpu\":%d,\"cuda\":%d}", p->d.tasks,
            p->workers[ORR_DAG_CPU], p->workers[ORR_DAG_CUDA]);
    cli_member_number(t, "overhead", 1e-6 * overhead);
    cli_member_number(t, "makespan", r->makespan);
    graph_put_bound(t, p->area, p->chain, p->lp);
    cli_member_number(t, "ratio", truth_ratio(r->makespan, p->lp));
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

static void put_row(FILE *f, const struct replay_point *p, const char *sched, struct series *s,
                    int64_t seeds)
{
    const double makespan = cli_median(s->makespan, seeds), ratio = cli_median(s->ratio, seeds);
    fprintf(f, "%5d %5d %-22s %12.3f %12.3f %8.3f", p->workers[ORR_DAG_CPU],
            p->workers[ORR_DAG_CUDA], sched, 1e3 * makespan, 1e3 * cli_median(p->bounds, seeds),
            ratio);
    if (orr_truth_differs(&p->truth))
        fprintf(f, " %12.3f %12.3f %12.3f", 1e3 * s->makespan[0], 1e3 * s->makespan[seeds - 1],
                1e3 * s->believed);
    for (int k = 0; seeds == 1 && k < p->c.g.kinds; k++)
        fprintf(f, "  %s %.0f %%", orr_dag_kind_name[p->c.kind[k]],
                truth_busy(s->last.busy[k], p->c.workers[k], s->last.makespan));
    fputc('\n', f);
}

static int wanted(const struct replay_args *a, const struct replay_point *p, int policy,
                  char name[64])
{
    if (!cli_bar_word(LIST_POLICIES, policy, name, 64) ||
        (policy >= LIST_HETEROPRIO && p->c.g.kinds > 2))
        return 0;
    for (int64_t s = 0; s < a->sched.n; s++)
        if (!strcmp(a->sched.v[s], name))
            return 1;
    return a->sched.n == 0;
}

static int replay_seed(const struct replay_args *a, struct replay_point *p, struct series *series,
                       int64_t number, cli_sink *sink)
{
    static const struct orr_truth none;
    char name[64];
    int code = CLI_OK;
    replay_make_truth(p, a->truth.seeds.n ? (uint64_t)a->truth.seeds.v[number] : p->truth.seed);
    p->bounds[number] = p->lp;
    for (int k = 0; k < POLICIES && code == CLI_OK; k++) {
        struct series *s = &series[k];
        cli_text t = {0};
        list_result belief;
        if (!wanted(a, p, k, name))
            continue;
        if (number == 0) {
            code = list_replay(&p->c, &p->d, (list_policy)k, 1e-6 * a->overhead, p->c.g.t, &none,
                               &belief, NULL);
            s->believed = belief.makespan;
        }
        if (code == CLI_OK)
            code = list_replay(&p->c, &p->d, (list_policy)k, 1e-6 * a->overhead, p->times,
                               &p->truth, &s->last, p->place);
        if (code != CLI_OK)
            break;
        s->makespan[number] = s->last.makespan;
        s->ratio[number] = truth_ratio(s->last.makespan, p->lp);
        put_json(&t, p, name, a->overhead, &s->last, s->believed);
        code = cli_sink_line(sink, &t);
        if (code == CLI_OK && p->place)
            code = replay_output(p, name, a->output);
    }
    return code;
}

int replay_on_list(const struct replay_args *a, struct replay_point *p, cli_sink *sink)
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
    p->place = v && a->output ? calloc(p->c.g.tasks + 1, sizeof *p->place) : NULL;
    if (v && a->output && !p->place)
        code = CLI_MEMORY;
    p->bounds = v ? v + 2 * POLICIES * seeds : NULL;
    for (int64_t n = 0; n < seeds && code == CLI_OK; n++)
        code = replay_seed(a, p, series, n, sink);
    for (int k = 0; sink->table && k < POLICIES && code == CLI_OK; k++)
        if (wanted(a, p, k, name))
            put_row(sink->table, p, name, &series[k], seeds);
    free(v);
    free(p->times);
    free(p->place);
    return code;
}
