/* What a run was like: how far from the best possible, where its workers' time went, what was
 * transferred, and how much faster accelerators were. Needs a context with opts.trace.
 *
 *     orr_trace_mark(ctx, 0);
 *     orr_heevj(ctx, ...);
 *     orr_trace_analyse(ctx, &a);    a.makespan against a.area, a.critical_path, a.lp
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_ORRERY_TRACE_H
#define ORR_ORRERY_TRACE_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_ANALYSIS_LINKS = 72, ORR_ANALYSIS_CODELETS = 32 };

/* Seconds summed over the workers of a kind. Together they make workers * makespan. */
typedef struct {
    int workers;
    int64_t tasks;
    double busy;     /* in kernels */
    double stalled;  /* waiting for the data of a task, or making ready to run it */
    double starved;  /* idle while no task was ready: too little parallelism */
    double unserved; /* idle while a task was ready: scheduling, or tasks for others only */
} orr_analysis_kind;

typedef struct {
    char from[24], to[24]; /* memory nodes */
    int64_t bytes, transfers;
} orr_analysis_link;

typedef struct {
    const char *name; /* static */
    int64_t tasks[ORR_NKINDS];
    double seconds[ORR_NKINDS]; /* in the kernel, summed */
    double wait, stall;         /* mean seconds from ready to start, and of them for data */
    double factor;              /* acceleration, measured: CPU over accelerator seconds of tasks
                                   of the same cost; NaN if none ran on both */
} orr_analysis_codelet;

typedef struct {
    int64_t tasks, edges;
    int64_t lost;    /* tasks that were not recorded, memory having run out: no bounds then */
    double makespan; /* seconds from the first submission to the end of the last task */
    /* Lower bounds of it, in seconds, from the durations of this run; NaN: not known. A task counts
     * as it ran on the kind where it ran; on others as the mean of the tasks of its cost that ran
     * there, and as impossible where none did. */
    double area;          /* all work, spread perfectly */
    double critical_path; /* the longest chain of tasks that wait for each other */
    double lp;            /* both at once: linear program, own solver, within 1 % from below */
    orr_analysis_kind kind[ORR_NKINDS];
    orr_analysis_link link[ORR_ANALYSIS_LINKS]; /* those that carried something */
    int links;
    orr_analysis_codelet codelet[ORR_ANALYSIS_CODELETS]; /* by time spent; the rest is left out */
    int codelets;
} orr_analysis;

/* A run begins: orr_trace_analyse looks at what comes now. forget: what was recorded before is
 * dropped (and does not come into orr_trace_write). No operation may be in flight. */
ORR_API void orr_trace_mark(orr_context *, int forget);

/* on 0: operations begun from now on are not recorded, and run as fast as without a trace. 1:
 * they are again. No operation may be in flight. Nothing happens without opts.trace. */
ORR_API void orr_trace_enable(orr_context *, int on);

/* Of the tasks that ended since the mark. ORR_E_ARG without opts.trace. Links count from the
 * mark too, and are then set to zero: ask once. */
ORR_API orr_status orr_trace_analyse(orr_context *, orr_analysis *);

#ifdef __cplusplus
}
#endif

#endif
