/* The context of a test of algorithms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_OPEN_H
#define ORR_TESTS_OPEN_H

#include <stdio.h>
#include <stdlib.h>

#include "orrery/orrery.h"

/* opencl: with OpenCL workers, each a memory node of its own: one, or as many as ORR_TEST_DEVICES
 * says. Ends the test as skipped if there are fewer, or no StarPU. */
static inline orr_context *open_context(int opencl)
{
    orr_context *ctx;
    orr_context_info info;
    const char *devices = getenv("ORR_TEST_DEVICES");
    const int wanted = !opencl ? 0 : devices ? atoi(devices) : 1;
    const orr_status st = orr_open(&(orr_context_opts){.opencls = wanted}, &ctx);
    if (st != ORR_OK) {
        printf("no StarPU: %s\n", orr_strerror(st));
        exit(77);
    }
    orr_context_query(ctx, &info);
    printf("%d CPU workers, %d OpenCL, policy %s\n", info.cpu, info.opencl, info.sched);
    if (info.opencl < wanted) {
        printf("too few OpenCL devices (PoCL is not installed?)\n");
        orr_close(ctx);
        exit(77);
    }
    return ctx;
}

#endif
