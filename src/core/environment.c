/* Variables of the environment whose value StarPU does not take: it ends the process, a program's too,
 * some without a word. What each may be was tried with StarPU 1.3.10.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fnmatch.h>
#include <hwloc.h>
#include <limits.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ORR_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include "orrery/models.h"
#include "src/core/internal.h"

/* ---- Judges: NULL, or what is wrong with a value ---------------------------------------- */

static const char *integer(const char *value)
{
    char *end;
    const long v = strtol(value, &end, 10);
    return *end ? "is not an integer" : v < 0 ? "is negative" : NULL;
}

/* StarPU keeps it in an int. */
static const char *count(const char *value)
{
    const char *wrong = integer(value);
    return wrong ? wrong : strtol(value, NULL, 10) > INT_MAX ? "is too large" : NULL;
}

/* Of a device's workers, for which StarPU has so much room. */
static const char *per_device(const char *value)
{
    const char *wrong = integer(value);
    const long v = strtol(value, NULL, 10);
    return wrong                     ? wrong
           : v < 1                   ? "is not positive"
           : v >= STARPU_NMAXWORKERS ? "is too large"
                                     : NULL;
}

/* Those that StarPU sees: of the machine, or where the process is bound only its own. Where there is no
 * word of cores, every processor is one. */
static int objects(hwloc_obj_type_t type)
{
    const char *bind = getenv("STARPU_WORKERS_GETBIND");
    hwloc_topology_t topology;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int n = INT_MAX;
    if (set && hwloc_topology_init(&topology) == 0) {
        if (hwloc_topology_load(topology) == 0) {
            if ((!bind || atoi(bind)) &&
                hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0)
                hwloc_topology_restrict(topology, set, 0);
            n = hwloc_get_nbobjs_by_type(topology, type);
            if (n <= 0)
                n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
        }
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(set);
    return n;
}

static const char *core(const char *value)
{
    const char *wrong = integer(value);
    return wrong                                                ? wrong
           : strtol(value, NULL, 10) >= objects(HWLOC_OBJ_CORE) ? "is of no core here"
                                                                : NULL;
}

static const char *processor(const char *value)
{
    const char *wrong = integer(value);
    return wrong                                              ? wrong
           : strtol(value, NULL, 10) >= objects(HWLOC_OBJ_PU) ? "is of no processor here"
                                                              : NULL;
}

static const char *threads(const char *value)
{
    const char *wrong = integer(value);
    const long v = strtol(value, NULL, 10);
    return wrong                                                 ? wrong
           : v < 1                                               ? "is not positive"
           : v > objects(HWLOC_OBJ_PU) / objects(HWLOC_OBJ_CORE) ? "is more than a core has"
                                                                 : NULL;
}

static const char *number(const char *value)
{
    char *end;
    strtod(value, &end);
    return *end ? "is not a number" : NULL;
}

/* Numbers and ranges, "0,2 4-7": StarPU stops reading where no number follows. *most: the largest. */
static const char *numbers(const char *value, long *most)
{
    char *end;
    *most = 0;
    for (const char *s = value;; s = end + (*end == ',')) {
        long v = strtol(s, &end, 10);
        if (end == s)
            return s == value ? "does not begin with a number" : NULL;
        if (v < 0)
            return "has a negative number";
        if (*end == '-') {
            s = end + 1;
            const long last = strtol(s, &end, 10);
            v = end > s && last > v ? last : v;
        }
        *most = v > *most ? v : *most;
    }
}

static const char *list(const char *value)
{
    long most;
    return numbers(value, &most);
}

/* Without any device StarPU does not look. */
static const char *cuda_devices(const char *value)
{
    long most;
    int here = 0;
    const char *wrong = numbers(value, &most);
#ifdef ORR_WITH_CUDA
    if (cudaGetDeviceCount(&here) != cudaSuccess)
        here = 0;
#endif
    return wrong ? wrong : here > 0 && most >= here ? "names a device that is not here" : NULL;
}

/* It becomes a part of names of files, which StarPU cuts to a length that fits. */
static const char *file_name(const char *value)
{
    return strchr(value, '/') ? "has a slash, and names files" : NULL;
}

/* After STARPU_. Not those that StarPU ignores here. */
static const struct {
    const char *pattern;
    const char *(*judge)(const char *);
} variables[] = {
    {"BACKOFF_MAX", integer},
    {"BACKOFF_MIN", integer},
    {"BUS_CALIBRATE", integer},
    {"CALIBRATE", integer},
    {"CALIBRATE_MINIMUM", integer},
    {"CATCH_SIGNALS", integer},
    {"CUDA_PIPELINE", integer},
    {"CUDA_THREAD_PER_DEV", integer},
    {"CUDA_THREAD_PER_WORKER", integer},
    {"DIDUSE_BARRIER", integer},
    {"DISABLE_ASYNCHRONOUS_COPY", integer},
    {"DISABLE_ASYNCHRONOUS_CUDA_COPY", integer},
    {"DISABLE_ASYNCHRONOUS_MIC_COPY", integer},
    {"DISABLE_ASYNCHRONOUS_MPI_MS_COPY", integer},
    {"DISABLE_ASYNCHRONOUS_OPENCL_COPY", integer},
    {"DISABLE_KERNELS", integer},
    {"DISABLE_PINNING", integer},
    {"DISPLAY_BINDINGS", integer},
    {"ENABLE_CUDA_GPU_GPU_DIRECT", integer},
    {"EXP_LEN_THRESHOLD", number},
    {"GLOBAL_ARBITER", integer},
    {"HISTORY_MAX_ERROR", integer},
    {"HOSTNAME", file_name},
    {"IDLE_POWER", number},
    {"LIMIT_BANDWIDTH", integer},
    {"LIMIT_CPU_MEM", integer},
    {"LIMIT_CPU_NUMA_MEM", integer},
    {"LIMIT_CUDA_*_MEM", integer},
    {"LIMIT_CUDA_MEM", integer},
    {"LIMIT_MAX_SUBMITTED_TASKS", integer},
    {"LIMIT_MIN_SUBMITTED_TASKS", integer},
    {"LIMIT_OPENCL_MEM", integer},
    {"MAIN_THREAD_BIND", integer},
    {"MAIN_THREAD_COREID", core},
    {"MAIN_THREAD_CPUID", processor},
    {"MAX_MEMORY_USE", integer},
    {"MAX_PRIO", integer},
    {"MAX_WORKERSIZE", integer},
    {"MEMORY_STATS", integer},
    {"MINIMUM_AVAILABLE_MEM", integer},
    {"MINIMUM_CLEAN_BUFFERS", integer},
    {"MIN_PRIO", integer},
    {"MIN_WORKERSIZE", integer},
    {"NCPU", count},
    {"NCPUS", count},
    {"NCUDA", count},
    {"NMIC", integer},
    {"NMPI_MS", integer},
    {"NOPENCL", count},
    {"NTASKS_THRESHOLD", integer},
    {"NTHREADS_PER_CORE", threads},
    {"NWORKER_PER_CUDA", per_device},
    {"OPENCL_ONLY_ON_CPUS", integer},
    {"OPENCL_ON_CPUS", integer},
    {"OPENCL_PIPELINE", integer},
    {"PERF_MODEL_HOMOGENEOUS_CPU", integer},
    {"PERF_MODEL_HOMOGENEOUS_CUDA", integer},
    {"PERF_MODEL_HOMOGENEOUS_MIC", integer},
    {"PERF_MODEL_HOMOGENEOUS_MPI_MS", integer},
    {"PERF_MODEL_HOMOGENEOUS_OPENCL", integer},
    {"PREFETCH", integer},
    {"PROFILING", integer},
    {"RESERVE_NCPU", integer},
    {"SCHED_ALPHA", number},
    {"SCHED_BETA", number},
    {"SCHED_GAMMA", number},
    {"SCHED_READY", integer},
    {"SCHED_SORTED_ABOVE", integer},
    {"SCHED_SORTED_BELOW", integer},
    {"SILENT", integer},
    {"SIMGRID", integer},
    {"SINGLE_COMBINED_WORKER", integer},
    {"STATS", integer},
    {"SYNTHESIZE_ARITY_COMBINED_WORKER", integer},
    {"TARGET_AVAILABLE_MEM", integer},
    {"TARGET_CLEAN_BUFFERS", integer},
    {"TASK_BREAK_ON_*", integer},
    {"TASK_PROGRESS", integer},
    {"TRACE_BUFFER_SIZE", integer},
    {"USE_NUMA", integer},
    {"WATCHDOG_CRASH", integer},
    {"WATCHDOG_DELAY", integer},
    {"WINDOW_TIME_SIZE", number},
    {"WORKERS_COREID", list},
    {"WORKERS_CPUID", list},
    {"WORKERS_CUDAID", cuda_devices},
    {"WORKERS_GETBIND", integer},
    {"WORKERS_NOBIND", integer},
    {"WORKERS_OPENCLID", list},
    {"WORKER_TREE", integer},
};

/* Of a variable after STARPU_. */
static const char *wrong_with(const char *name, const char *value)
{
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
        if (fnmatch(variables[k].pattern, name, 0) == 0)
            return variables[k].judge(value);
    return NULL;
}

orr_status orr_environment_wrong(char *message)
{
    extern char **environ;
    static const char prefix[] = "STARPU_";
    for (char **e = environ; e && *e; e++) {
        char name[64];
        const size_t n = strcspn(*e, "=");
        if (strncmp(*e, prefix, sizeof prefix - 1) != 0 || n >= sizeof name || !(*e)[n])
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, *e);
        const char *value = *e + n + 1, *wrong = wrong_with(name + sizeof prefix - 1, value);
        if (!wrong)
            continue;
        if (message)
            snprintf(message, ORR_MESSAGE, "%s='%.100s' of the environment %s", name, value, wrong);
        return ORR_E_ARG;
    }
    return ORR_OK;
}
