/* What a call would do, without doing it: tasks, operations, memory, seconds.
 *
 *     orr_plan plan;
 *     orr_plan_begin(ctx);                     from here on calls on ctx plan
 *     orr_heev(ctx, ORR_D, 'L', n, any, n, any, any, n, &opts, &report);
 *     orr_plan_end(ctx, &plan);                and from here on they compute again
 *
 * Arrays are neither read nor written; they must only not be NULL where the call would use them. The
 * factor that hb2st makes meanwhile serves in plans only, and is to be dropped, too.
 * What is longer than a second or so is never done: n = 100000 is planned as fast as n = 1000.
 * Of heev, hegv, gesvd, hb2st, gb2bd, and heevj where its chunks are whole matrices, the counts are
 * those of the run. Others converge: note says what the counts assume.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_PLAN_H
#define ORR_PLAN_H

#include <stdint.h>

#include "orrery/types.h"

enum { ORR_PLAN_ROWS = 48 };

typedef enum {
    ORR_PLAN_UNKNOWN,  /* there are no seconds */
    ORR_PLAN_ESTIMATE, /* from rates measured on the machine of the project's own figures */
    ORR_PLAN_PARTLY,   /* models know some shapes of it, the rest is estimated */
    ORR_PLAN_MODEL     /* the models of this run know it */
} orr_plan_source;

typedef struct {
    char codelet[32];
    int64_t tasks;
    double flops;   /* real operations, about; 0 where it only copies */
    double seconds; /* of all its tasks, one after the other on one worker */
    orr_plan_source source;
} orr_plan_row;

typedef struct {
    int rows;
    orr_plan_row row[ORR_PLAN_ROWS];
    int64_t tasks;
    double flops;
    double bytes;           /* that the call allocates: arrays, handles, tasks in flight */
    double seconds;         /* of the call on the workers of ctx; 0: not known */
    orr_plan_source source; /* the weakest of rows that matter */
    char plan[512];         /* as orr_report.plan */
    char refused[256];      /* "" or why a run would be refused, whatever the memory */
    int64_t most;           /* then: the largest order (shorter side) that would not; 0: ? */
    char note[256];         /* what the counts assume, where a run decides; or "" */
} orr_plan;

#endif
