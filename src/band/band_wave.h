/* How long the graph of hb2st or gb2bd takes: its list schedule, replayed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_BAND_WAVE_H
#define ORR_SRC_BAND_WAVE_H

#include <stdint.h>

enum { ORR_WAVE_CPU, ORR_WAVE_DEVICE, ORR_WAVE_KINDS };

/* Sweeps 0 .. sweeps-1, G to a group, hops of b columns. */
struct orr_wave_stage {
    int64_t b, sweeps, G;
    double hop[ORR_WAVE_KINDS]; /* seconds, on a worker of each kind */
};

struct orr_wave {
    int64_t n, D;  /* columns, and those of a block */
    int64_t split; /* the first so many blocks belong to devices, the others to CPUs */
    int rest;      /* 1: the sweeps that begin in the last two blocks are one task */
    int workers[ORR_WAVE_KINDS];
    double overhead; /* of every task, besides */
    double move;     /* seconds for a block between main memory and a device */
    int64_t stages;
    const struct orr_wave_stage *stage;
};

/* Seconds of all chase tasks; negative if memory ran out. */
double orr_wave_seconds(const struct orr_wave *);

/* The same at once, within 15 %, or where both kinds of workers have blocks 35 %; and how many tasks
 * there are, about. */
struct orr_wave_rough {
    double seconds, tasks;
};
struct orr_wave_rough orr_wave_estimate(const struct orr_wave *);

#endif
