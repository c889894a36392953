/* How long tasks really take, where that is not what a scheduler believes of them: noise, bias, spikes, one slow
 * worker. A task's factor depends on the seed, its number and the kind of worker only: all schedules of a graph
 * meet the same truth.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GRAPH_DAG_TRUTH_H
#define ORR_GRAPH_DAG_TRUTH_H

#include "src/graph/dag.h"

enum { ORR_TRUTH_BIASES = 32 };

struct orr_truth_bias {
    char codelet[64]; /* "": all */
    int kind;         /* -1: all */
    double factor;
};

struct orr_truth {
    uint64_t seed;
    double noise;         /* coefficient of variation of a lognormal factor of mean 1 */
    double spikes, spike; /* so many of all tasks take `spike` times as long */
    struct orr_truth_bias bias[ORR_TRUTH_BIASES];
    int biases;
    int slow_kind, slow_worker; /* takes `slow` times as long; slow is 0 if there is none */
    double slow;
};

/* "noise" 0.3, "spikes" 0.01:10, "bias" CODELET=2 or KIND=2 or CODELET:KIND=2 (each call adds one), "slow" cuda0=2,
 * "seed" 1. 0: not such a text; -1: not such a key. */
int orr_truth_set(struct orr_truth *, const char *key, const char *text);
int orr_truth_differs(const struct orr_truth *);
/* What the time of a task on a kind is multiplied with, the slow worker apart. */
double orr_truth_factor(const struct orr_truth *, const char *codelet, size_t task, int kind);
/* And what on a worker of the kind besides. */
double orr_truth_slow(const struct orr_truth *, int kind, int worker);

#endif
