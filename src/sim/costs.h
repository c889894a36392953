/* The simulated machine, and what tasks cost on it. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIM_COSTS_H
#define ORR_SIM_COSTS_H

#include "src/graph/dag_truth.h"
#include "src/sim/graph.h"

enum { CPU = ORR_DAG_CPU, CUDA = ORR_DAG_CUDA };

/* Of a machine's description (docs/simulation.md); NaN: it does not say. */
enum sim_value {
    CPU_CORES,
    CPU_SPEED,
    CPU_FLOPS_S,
    CPU_FLOPS_D,
    OVERHEAD,
    DATA_OVERHEAD,
    SUBMIT,
    GPU_FLOPS_S,
    GPU_FLOPS_D,
    GPU_EFFICIENCY,
    GPU_BANDWIDTH,
    GPU_LAUNCH,
    GPU_MEMORY,
    LINK,
    LINK_LATENCY,
    LINK_TOTAL,
    MODELS,
    SIM_VALUES
};

struct sim_machine {
    int cpus, gpus; /* workers */
    double value[SIM_VALUES];
    struct orr_truth truth; /* how tasks differ from what schedulers are told */
    const char *schedule;   /* the file to which it is written; NULL: none */
};

/* From words KEY=VALUE. 0, or 2 with the reason told on stderr. */
int sim_machine_read(struct sim_machine *, int count, char **words);

/* What a time is, if there is one. */
enum sim_origin { CALIBRATED, RECORDED, ESTIMATE, SIM_ORIGINS };
enum sim_origin sim_origin_of(const struct sim_cost *, int kind);

/* Fills t of every cost. 0, or 77 with the reason told: a task that no worker can run. */
int sim_make_costs(struct sim_graph *, const struct sim_machine *);

/* Then t, factor and truth of every task. */
void sim_make_times(struct sim_graph *, const struct sim_machine *);

#endif
