/* Variables of the environment that StarPU reads as integers. Where one is none it ends the process, a
 * program's too, some without a word.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "orrery/models.h"
#include "src/core/internal.h"

/* After STARPU_. Not those that StarPU ignores here, and no lists. */
static const char *const integers[] = {
    "BACKOFF_MAX",
    "BACKOFF_MIN",
    "BUS_CALIBRATE",
    "CALIBRATE",
    "CALIBRATE_MINIMUM",
    "CATCH_SIGNALS",
    "CUDA_PIPELINE",
    "DISABLE_ASYNCHRONOUS_COPY",
    "DISABLE_ASYNCHRONOUS_CUDA_COPY",
    "DISABLE_ASYNCHRONOUS_OPENCL_COPY",
    "DISABLE_KERNELS",
    "DISABLE_PINNING",
    "DISPLAY_BINDINGS",
    "GLOBAL_ARBITER",
    "HISTORY_MAX_ERROR",
    "LIMIT_BANDWIDTH",
    "LIMIT_CPU_MEM",
    "LIMIT_CPU_NUMA_MEM",
    "LIMIT_CUDA_MEM",
    "LIMIT_MAX_SUBMITTED_TASKS",
    "LIMIT_MIN_SUBMITTED_TASKS",
    "LIMIT_OPENCL_MEM",
    "MAIN_THREAD_BIND",
    "MAIN_THREAD_COREID",
    "MAIN_THREAD_CPUID",
    "MAX_MEMORY_USE",
    "MAX_PRIO",
    "MEMORY_STATS",
    "MINIMUM_AVAILABLE_MEM",
    "MINIMUM_CLEAN_BUFFERS",
    "MIN_PRIO",
    "NCPU",
    "NCPUS",
    "NCUDA",
    "NOPENCL",
    "NTHREADS_PER_CORE",
    "OPENCL_ONLY_ON_CPUS",
    "OPENCL_ON_CPUS",
    "OPENCL_PIPELINE",
    "PERF_MODEL_HOMOGENEOUS_CPU",
    "PERF_MODEL_HOMOGENEOUS_CUDA",
    "PERF_MODEL_HOMOGENEOUS_OPENCL",
    "PREFETCH",
    "PROFILING",
    "RESERVE_NCPU",
    "SILENT",
    "SINGLE_COMBINED_WORKER",
    "STATS",
    "TARGET_AVAILABLE_MEM",
    "TARGET_CLEAN_BUFFERS",
    "TRACE_BUFFER_SIZE",
    "USE_NUMA",
    "WATCHDOG_CRASH",
    "WATCHDOG_DELAY",
    "WORKERS_GETBIND",
    "WORKERS_NOBIND",
};

orr_status orr_environment_wrong(char *message)
{
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        char name[64], *end;
        snprintf(name, sizeof name, "STARPU_%s", integers[k]);
        const char *value = getenv(name);
        if (!value || (strtol(value, &end, 10), !*end))
            continue;
        if (message)
            snprintf(message, ORR_MESSAGE, "%s='%.100s' of the environment is not an integer", name,
                     value);
        return ORR_E_ARG;
    }
    return ORR_OK;
}
