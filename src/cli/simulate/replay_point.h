/* A point of `orrery replay`: a graph on one number of workers, under schedulers that cost nothing or
 * under StarPU's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_REPLAY_POINT_H
#define ORR_CLI_REPLAY_POINT_H

#include "src/cli/core/record.h"
#include "src/cli/simulate/graph_info.h"
#include "src/cli/simulate/truth.h"

struct replay_args {
    cli_sizes cpus, gpus;
    cli_words sched;
    double overhead;
    int64_t repeat;
    int on, kernel;
    const char *json, *output;
    int quiet;
    const char *command; /* the whole command line */
    truth_args truth;
    struct orr_truth spec; /* of these */
};

/* One graph on one number of workers. */
struct replay_point {
    const char *path;
    struct orr_dag d;
    int workers[ORR_DAG_COUNT];
    graph_costs c;
    struct orr_truth truth;
    double *times;               /* true ones, [tasks][kinds] */
    double area, chain, lp;      /* with them */
    double *bounds;              /* the last one, of each seed */
    struct orr_dag_place *place; /* [tasks] where the schedule is written; else NULL */
    int idle_told;               /* that accelerators have nothing to do */
    char program[4096];          /* orrery-real */
};

/* The times of a seed, and their bounds: with the slow worker they are bounds all the more. */
void replay_make_truth(struct replay_point *, uint64_t seed);

/* Every policy and seed, told to the sink. Exit code, the reason told. */
int replay_on_list(const struct replay_args *, struct replay_point *, cli_sink *);
int replay_on_real(const struct replay_args *, struct replay_point *, cli_sink *);

#endif
