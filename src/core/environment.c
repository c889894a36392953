/* Variables of the environment whose value StarPU does not take: it ends the process, a program's too,
 * some without a word, or waits for ever. What each may be was tried with StarPU 1.3.10.
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
#include "src/core/start.h"

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

/* Numbers and ranges, "0,2 4-7": StarPU stops reading where no number follows. */
static const char *list(const char *value)
{
    char *end;
    for (const char *s = value;; s = end + (*end == ',')) {
        const long v = strtol(s, &end, 10);
        if (end == s)
            return s == value ? "does not begin with a number" : NULL;
        if (v < 0)
            return "has a negative number";
        if (*end == '-') {
            s = end + 1;
            (void)strtol(s, &end, 10);
        }
    }
}

static int cuda_devices_here(void)
{
    int here = 0;
#ifdef ORR_WITH_CUDA
    if (cudaGetDeviceCount(&here) != cudaSuccess)
        here = 0;
    if (here > STARPU_MAXCUDADEVS)
        here = STARPU_MAXCUDADEVS;
#endif
    return here;
}

/* Of a device's workers, for which StarPU has so much room, and a CPU's. */
static const char *per_device(const char *value)
{
    const char *wrong = integer(value);
    const long v = strtol(value, NULL, 10), here = cuda_devices_here();
    return wrong                                             ? wrong
           : v < 1                                           ? "is not positive"
           : v >= STARPU_NMAXWORKERS / (here > 0 ? here : 1) ? "is too large"
                                                             : NULL;
}

/* One thread for all devices, for each device or for each worker: StarPU takes one word of it. */
static const char *threads_of_devices(const char *value)
{
    const char *wrong = integer(value), *per_worker = getenv("STARPU_CUDA_THREAD_PER_WORKER");
    return wrong ? wrong
           : per_worker && atoi(per_worker) == 1
               ? "does not go with STARPU_CUDA_THREAD_PER_WORKER=1"
               : NULL;
}

/* Devices by numbers and ranges, "0,2 4-7", each once: StarPU reads neither commas nor ranges here,
 * and of two workers of one device it starts one. NULL, or what is wrong. */
static const char *devices(const char *value, int *count, unsigned *id)
{
    static const char no_list[] = "is not a list of devices, such as 0,2-3";
    const char *s = value;
    *count = 0;
    do {
        char *end;
        const long first = strtol(s, &end, 10);
        long last = first;
        if (end == s)
            return no_list;
        if (*end == '-') {
            s = end + 1;
            last = strtol(s, &end, 10);
            if (end == s)
                return no_list;
        }
        if (first < 0)
            return "has a negative number";
        if (last < first || last > INT_MAX)
            return no_list;
        for (unsigned d = (unsigned)first; d <= (unsigned)last; d++) {
            for (int k = 0; k < *count; k++)
                if (id[k] == d)
                    return "names a device twice";
            if (*count == STARPU_NMAXWORKERS)
                return "names too many devices";
            id[(*count)++] = d;
        }
        s = end + strspn(end, " ");
        s += *s == ',';
        s += strspn(s, " ");
    } while (*s);
    return NULL;
}

/* Without any device StarPU does not look. */
static const char *cuda_devices(const char *value)
{
    unsigned id[STARPU_NMAXWORKERS];
    int count;
    const int here = cuda_devices_here();
    const char *wrong = devices(value, &count, id);
    for (int k = 0; !wrong && here > 0 && k < count; k++)
        if (id[k] >= (unsigned)here)
            wrong = "names a device that is not here";
    return wrong;
}

int orr_environment_cudas(unsigned *id)
{
    const char *value = getenv("STARPU_WORKERS_CUDAID");
    int count;
    return value && !devices(value, &count, id) ? count : 0;
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
    {"CUDA_THREAD_PER_DEV", threads_of_devices},
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
