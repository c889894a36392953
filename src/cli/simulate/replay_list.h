/* A graph run by schedulers that cost nothing, on workers of two kinds: no StarPU, no SimGrid, no transfers.
 * What is computed is exact: times are those of the graph, ties are broken by the order of the tasks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_REPLAY_LIST_H
#define ORR_CLI_REPLAY_LIST_H

#include "src/cli/core/options.h"
#include "src/cli/simulate/graph_info.h"
#include "src/graph/dag_truth.h"

#define LIST_POLICIES "fifo|priorities|distances|heft|heteroprio|heteroprio-spoliation"

/* cli_check_policies, which is of StarPU's schedulers; of those that only a list has, says so. */
int list_check_policies(const cli_words *sched);

typedef enum {
    LIST_FIFO,
    LIST_PRIORITIES,
    LIST_DISTANCES,
    LIST_HEFT,
    LIST_HETEROPRIO,
    LIST_SPOLIATION
} list_policy;

typedef struct {
    double makespan;            /* seconds */
    double busy[ORR_DAG_COUNT]; /* of each kind of the costs; work that was thrown away counts */
    size_t ran[ORR_DAG_COUNT], spoliated;
} list_result;

/* Schedulers decide with the costs; a task takes what `times` says, [tasks][kinds] seconds as in the costs, and longer on
 * the slow worker. overhead: seconds added to each task. place: [tasks], or NULL; of what was thrown away it tells nothing. CLI_OK or CLI_MEMORY; costs without a
 * stuck task. */
int list_replay(const graph_costs *, const struct orr_dag *, list_policy, double overhead,
                const double *times, const struct orr_truth *, list_result *,
                struct orr_dag_place *place);

#endif
