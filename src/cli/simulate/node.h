/* The description of a node to simulate: perfmodels/NAME.machine, lines "key = value mark text".
 * Every value is measured, derived or assumed, and says so wherever it is used.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_NODE_H
#define ORR_CLI_NODE_H

#include "src/cli/core/text.h"

typedef enum { NODE_MEASURED, NODE_DERIVED, NODE_ASSUMED } node_mark;
extern const char *const node_mark_name[3];

enum {
    NODE_CPU_CORES,
    NODE_CPU_SPEED,
    NODE_CPU_FLOPS_S,
    NODE_CPU_FLOPS_D,
    NODE_OVERHEAD,
    NODE_DATA_OVERHEAD,
    NODE_SUBMIT,
    NODE_GPU_COUNT,
    NODE_GPU_MEMORY,
    NODE_GPU_FLOPS_S,
    NODE_GPU_FLOPS_D,
    NODE_GPU_EFFICIENCY,
    NODE_GPU_BANDWIDTH,
    NODE_GPU_LAUNCH,
    NODE_HOST_BANDWIDTH,
    NODE_HOST_LATENCY,
    NODE_HOST_TOTAL,
    NODE_PEER_BANDWIDTH,
    NODE_PEER_LATENCY,
    NODE_VALUES
};

typedef struct {
    double value;
    node_mark mark;
    int line; /* 0: not given */
} node_value;

typedef struct {
    char name[64];
    char sampled[4096]; /* "DIR/bus/NAME" of StarPU's own files; "": there are none */
    node_value v[NODE_VALUES];
} node;

/* CLI_OK or CLI_FILE with the reason told as FILE:LINE. */
int node_read(node *, const char *path);

/* From what StarPU measured there, DIR/bus/NAME.config and the files beside it: processors, links,
 * memory. Of StarPU's own work it says nothing, which is taken for none. Likewise. */
int node_read_starpu(node *, const char *config);
/* 1: path is where StarPU keeps that file of a machine `name`. */
int node_find_starpu(const char *name, char *path, size_t room);

const char *node_key(int);
/* 1: orrery-sim has to know it to compute times. */
int node_is_cost(int);
/* 1: a simulation without GPUs depends on it. */
int node_is_for_cpus(int);
void node_put_json(cli_text *, const node *);

/* What StarPU reads about a machine: bus/NAME.bandwidth, .latency, .platform.v4.xml below dir.
 * CLI_OK or CLI_FILE with the reason told. */
int node_write_bus(const node *, const char *dir, int cpus, int gpus);
/* The same from StarPU's own files. */
int node_lend_bus(const node *, const char *dir);

#endif
