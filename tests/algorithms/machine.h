/* Contexts of machines that are made up: only what choices look at is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_MACHINE_H
#define ORR_TESTS_MACHINE_H

#include <math.h>

#include "src/core/internal.h"

/* So many CPU workers and devices. There is one at a time: the next takes its place. */
static inline orr_context *machine(int cpus, int devices)
{
    static orr_context c;
    static int begun;
    if (begun)
        orr_context_forget(&c);
    else
        pthread_mutex_init(&c.kept_lock, NULL);
    begun = 1;
    c.info = (orr_context_info){.cpu = cpus, .opencl = devices};
    c.device = (struct orr_device){0};
    return &c;
}

static inline orr_context *with_cuda(int cpus, int cudas, int processors, int capability)
{
    orr_context *c = machine(cpus, 0);
    c->info.cuda = cudas;
    c->device = (struct orr_device){.processors = processors, .capability = capability};
    return c;
}

static inline double within(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

#endif
