/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/replay_output.h"

#include <stdio.h>

#include "src/cli/core/outputs.h"

int replay_check_output(const struct replay_args *a, const cli_files *inputs)
{
    const char *const names[] = {a->output, a->json};
    if (!a->output)
        return CLI_OK;
    if (a->on)
        return cli_usage("replay",
                         "--output is for --on list: a real run has no schedule of its own");
    if (a->sched.n != 1 || a->cpus.n > 1 || a->gpus.n > 1 || a->truth.seeds.n > 1 || inputs->n > 1)
        return cli_usage("replay",
                         "--output is for one schedule: one FILE.graph, one --sched, one number of "
                         "--cpus and --gpus, one of --seeds");
    const int code = output_is_graph("--output", a->output);
    return code == CLI_OK ? outputs_check_files(names, 2, inputs) : code;
}

int replay_output(struct replay_point *p, const char *sched, const char *path)
{
    char by[80];
    snprintf(by, sizeof by, "replay:%s", sched);
    orr_dag_schedule(&p->d, p->place, p->workers);
    orr_dag_schedule_by(&p->d, by, NULL);
    return graph_write(&p->d, path);
}
