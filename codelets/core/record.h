/* A task that ran, as a trace and a picture have it. Knows no StarPU: pictures are made of graphs in files, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_RECORD_H
#define ORR_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct orr_trace_record {
    const char *name; /* the codelet's, static */
    int worker, impl;
    int64_t number;     /* in the order of submission */
    const char *symbol; /* of its performance model, static; NULL: none */
    uint64_t footprint; /* tasks of one model with the same footprint cost the same */
    int priority, cpu_only, accel_only;
    int owner;                     /* the memory node of the only device that may run it; 0: any */
    int cuda;                      /* the codelet has a CUDA function, in this build or another */
    int sync;                      /* its worker, of an accelerator, did nothing else meanwhile */
    int64_t parts;                 /* matrices, sweeps, rows: what the algorithm counts */
    int64_t tag, row, span, group; /* of struct orr_task; row: the first */
    int run;                       /* as orr_trace_mark separates them, from 0 */
    size_t first;                  /* its accesses: orr_trace.access[first .. first + accesses) */
    unsigned accesses;
    /* us of StarPU's clock: submitted; given to the scheduler, all it depends on being done;
     * waiting for data; has it; kernel began and ended */
    double submit, ready, acquire, acquired, start, end;
};

#endif
