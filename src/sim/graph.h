/* A graph of src/graph/dag.h as the simulation needs it. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIM_GRAPH_H
#define ORR_SIM_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "src/graph/dag.h"

enum { SIM_DEVICES = 8 }; /* gpu.count is at most that */

/* Tasks of one codelet, model and footprint, with the mean of their times. */
struct sim_cost {
    char name[64], symbol[64];
    uint64_t footprint;
    int64_t tasks, cpu_tasks, cuda_tasks;
    double cpu, cuda;     /* mean recorded seconds; NaN: none */
    double bytes;         /* of all data of a task */
    double accesses;      /* mean number of data of a task */
    double calibrated[2]; /* models.c: seconds on CPU and the fastest CUDA device; NaN: not known */
    double later[SIM_DEVICES]; /* models.c: seconds that each CUDA device takes longer than that */
    size_t history;            /* models.c: number of its model */
    int has_cuda;              /* there is a CUDA function */
    int nowhere;               /* no work: only joins others */
    double t[2];               /* costs.c: seconds on CPU and CUDA, the mean; NaN: cannot */
};

struct sim_task {
    struct sim_cost *cost;
    int phase, priority;
    enum orr_wants wants;
    int owner;        /* the device that runs it; -1: any */
    unsigned sync;    /* 1: a worker of a CUDA device waits for it */
    double cpu;       /* seconds that it took on a CPU; NaN: it ran elsewhere */
    double t[2];      /* costs.c: seconds on CPU and CUDA as schedulers know them; NaN: not there */
    double truth[2];  /* as the simulation has them */
    double factor[2]; /* of its work, from what is believed to what is true */
    double took;      /* us that it took; 0: it ran nowhere */
    double submit, start; /* us from the beginning */
    int ran, worker;      /* on which kind, and its number there */
    double pause;         /* seconds that the program took before it submitted the task */
    size_t first;
    unsigned accesses;
    size_t after; /* waits for the tasks before[after .. after + afters) besides */
    unsigned afters;
};

struct sim_graph {
    char host[64];
    int cpu, cuda, opencl; /* workers where it was recorded */
    struct sim_task *task;
    size_t tasks;
    struct sim_cost *cost;
    size_t costs;
    struct orr_trace_access *access;
    unsigned char *ordered; /* [accesses]: edges follow from it */
    unsigned char *home;    /* [accesses]: then the program said that it will not use the data */
    size_t accesses;
    uint32_t *before;
    size_t befores;
    uint64_t data;          /* handles are numbered from 1 to this */
    struct orr_graph edges; /* its t, kinds and workers are for the caller to fill */
};

/* 0, or 3 with the reason told on stderr ("FILE:LINE: ..."), or 5. */
int sim_graph_read(struct sim_graph *, const char *path);
void sim_graph_free(struct sim_graph *);

/* Fills `calibrated` from StarPU's models of the machine, which STARPU_PERF_MODEL_DIR and
 * STARPU_HOSTNAME name; StarPU runs. */
void sim_models_read(struct sim_graph *);

struct starpu_task;
struct starpu_perfmodel;
struct starpu_perfmodel_arch;

/* A program's models are histories of StarPU. Who asks one takes locks, and under SimGrid a lock is
 * where another worker, ready at the same instant, goes on: which worker sees whose choices depends
 * on them. sim_model_ask takes those that a history would take, in its order; 0, or 5. */
int sim_models_start(struct sim_graph *);
void sim_model_ask(const struct sim_cost *, struct starpu_task *, struct starpu_perfmodel *,
                   struct starpu_perfmodel_arch *, unsigned impl);
void sim_models_end(void);

#endif
