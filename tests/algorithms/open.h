/* The context of a test of algorithms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_OPEN_H
#define ORR_TESTS_OPEN_H

#include <stdio.h>
#include <stdlib.h>

#include "orrery/orrery.h"

/* opencl: with an OpenCL worker, a second memory node. Ends the test as skipped if there is
 * none, or no StarPU. */
static inline orr_context *open_context(int opencl)
{
    orr_context *ctx;
    orr_context_info info;
    const orr_status st = orr_open(&(orr_context_opts){.opencls = opencl}, &ctx);
    if (st != ORR_OK) {
        printf("no StarPU: %s\n", orr_strerror(st));
        exit(77);
    }
    orr_context_query(ctx, &info);
    printf("%d CPU workers, %d OpenCL, policy %s\n", info.cpu, info.opencl, info.sched);
    if (opencl && info.opencl == 0) {
        printf("no OpenCL device (PoCL is not installed)\n");
        orr_close(ctx);
        exit(77);
    }
    return ctx;
}

#endif
