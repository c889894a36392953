/* The context of a test of algorithms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_OPEN_H
#define ORR_TESTS_OPEN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/orrery.h"

/* What a program runs again as, with a device, another policy or one worker, looks for what places
 * and orders change: of cases that differ in sizes, types and kinds, which the program by itself
 * takes all of, it takes one in so many. Spread, so that none of several loops keeps its cases. */
__attribute__((weak)) uint32_t one_in = 1, cases_so_far;
static inline int left_out(void)
{
    return cases_so_far++ * UINT32_C(2654435769) > UINT32_MAX / one_in;
}

/* Of the argument "opencl" or "few", which ask for a part; returns if it is "opencl". */
static inline int variant(int argc, char **argv)
{
    const int opencl = argc > 1 && strcmp(argv[1], "opencl") == 0;
    if (opencl || (argc > 1 && strcmp(argv[1], "few") == 0))
        one_in = 5;
    return opencl;
}

/* opencl: with OpenCL workers, each a memory node of its own: one, or as many as ORR_TEST_DEVICES
 * says. Ends the test as skipped if there are fewer, or no StarPU. */
static inline orr_context *open_context(int opencl)
{
    orr_context *ctx;
    orr_context_info info;
    const char *devices = getenv("ORR_TEST_DEVICES");
    const int wanted = !opencl ? 0 : devices ? atoi(devices) : 1;
    setenv("ORRERY_PERFMODELS", "", 1); /* what was measured on this machine does not count */
    setenv("XDG_DATA_HOME", "/dev/null", 1);
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
