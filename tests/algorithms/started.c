/* What StarPU sees when the library starts it: its environment and configuration, by a starpu_init
 * that looks at them on the way. Afterwards the environment is what it was.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"

static const char *const names[] = {"STARPU_SCHED",
                                    "STARPU_SILENT",
                                    "STARPU_WORKERS_GETBIND",
                                    "STARPU_MINIMUM_CLEAN_BUFFERS",
                                    "STARPU_TARGET_CLEAN_BUFFERS",
                                    "STARPU_PERF_MODEL_DIR",
                                    "STARPU_WORKERS_NOBIND",
                                    "STARPU_NCPU",
                                    "STARPU_NCPUS",
                                    "STARPU_NCUDA",
                                    "STARPU_NOPENCL",
                                    "STARPU_HOME",
                                    "XDG_CACHE_HOME"};
enum { NAMES = sizeof names / sizeof *names };

static char *seen[NAMES];
static struct starpu_conf conf;
static int starts;

#pragma GCC visibility push(default)
int starpu_init(struct starpu_conf *c)
{
    starts++;
    conf = *c;
    for (int k = 0; k < NAMES; k++) {
        free(seen[k]);
        seen[k] = getenv(names[k]) ? strdup(getenv(names[k])) : NULL;
    }
    return ((__typeof__(&starpu_init))dlsym(RTLD_NEXT, "starpu_init"))(c);
}
#pragma GCC visibility pop

/* value: NULL, it was not there. */
static void saw(const char *name, const char *value)
{
    int k = 0;
    while (strcmp(names[k], name) != 0)
        k++;
    CHECK(value ? seen[k] && !strcmp(seen[k], value) : !seen[k], "StarPU saw %s=%s, not %s", name,
          seen[k] ? seen[k] : "(none)", value ? value : "(none)");
}

static orr_context_info start(const orr_context_opts *o)
{
    orr_context_info info = {0};
    orr_context *c;
    char *before[NAMES];
    for (int k = 0; k < NAMES; k++)
        before[k] = getenv(names[k]) ? strdup(getenv(names[k])) : NULL;
    starts = 0;
    CHECK(orr_open(o, &c) == ORR_OK && starts == 1, "started %d times", starts);
    for (int k = 0; k < NAMES; k++) {
        const char *now = getenv(names[k]);
        CHECK(before[k] ? now && !strcmp(now, before[k]) : !now, "%s became %s", names[k],
              now ? now : "(none)");
        free(before[k]);
    }
    orr_context_query(c, &info);
    orr_close(c);
    return info;
}

int main(void)
{
    const orr_context_opts asked = {.cpus = 1, .cudas = -1, .opencls = -1};
    unsetenv("SLURM_CPUS_PER_TASK");
    for (int k = 0; k < NAMES; k++)
        if (strcmp(names[k], "STARPU_HOME") != 0 && strcmp(names[k], "XDG_CACHE_HOME") != 0)
            unsetenv(names[k]);
    orr_context_info info = start(&(orr_context_opts){.cpus = 1});
    saw("STARPU_SILENT", "1");
    saw("STARPU_WORKERS_GETBIND", "1");
    saw("STARPU_MINIMUM_CLEAN_BUFFERS", "0");
    saw("STARPU_TARGET_CLEAN_BUFFERS", "0");
    saw("STARPU_PERF_MODEL_DIR", info.model_dir);
    CHECK(conf.ncpus == 1 && conf.nopencl == 0 && conf.catch_signals == 0 && conf.calibrate != 1,
          "%d CPU workers, %d of OpenCL, signals %d, calibrate %d", conf.ncpus, conf.nopencl,
          conf.catch_signals, conf.calibrate);
    info = start(&(orr_context_opts){.cpus = 1, .calibrate = 1});
    CHECK(conf.calibrate == 1, "calibrate %d", conf.calibrate);

    /* what the user says is left to StarPU, ... */
    setenv("STARPU_SILENT", "0", 1);
    setenv("STARPU_WORKERS_GETBIND", "0", 1);
    setenv("STARPU_MINIMUM_CLEAN_BUFFERS", "3", 1);
    setenv("STARPU_TARGET_CLEAN_BUFFERS", "5", 1);
    setenv("STARPU_NCPU", "1", 1);
    setenv("STARPU_NCPUS", "1", 1);
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARPU_NOPENCL", "0", 1);
    setenv("STARPU_SCHED", "eager", 1);
    info = start(NULL);
    saw("STARPU_SILENT", "0");
    saw("STARPU_WORKERS_GETBIND", "0");
    saw("STARPU_MINIMUM_CLEAN_BUFFERS", "3");
    saw("STARPU_TARGET_CLEAN_BUFFERS", "5");
    saw("STARPU_NCPU", "1");
    saw("STARPU_NCPUS", "1");
    saw("STARPU_NCUDA", "0");
    saw("STARPU_NOPENCL", "0");
    saw("STARPU_SCHED", NULL); /* which the library reads itself */
    CHECK(!strcmp(info.sched, "eager") && conf.sched_policy &&
              !strcmp(conf.sched_policy->policy_name, "eager"),
          "policy %s", info.sched);
    /* ... but for what the caller says. */
    info = start(&asked);
    saw("STARPU_NCPU", NULL);
    saw("STARPU_NCPUS", NULL);
    saw("STARPU_NCUDA", NULL);
    saw("STARPU_NOPENCL", NULL);
    CHECK(conf.ncpus == 1 && conf.ncuda == 0 && conf.nopencl == 0, "%d, %d and %d workers",
          conf.ncpus, conf.ncuda, conf.nopencl);

    /* Slurm's share of the processors, which may be any of them */
    cpu_set_t mine;
    unsetenv("STARPU_NCPU");
    unsetenv("STARPU_NCPUS");
    info = start(NULL);
    saw("STARPU_WORKERS_NOBIND", NULL);
    setenv("SLURM_CPUS_PER_TASK", "1", 1);
    info = start(NULL);
    const int several = sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) > 1;
    saw("STARPU_WORKERS_NOBIND", several ? "1" : NULL);
    CHECK(!several || info.cpu == 1, "%d workers of one processor", info.cpu);

    /* Without a home StarPU's files are in a private directory. */
    unsetenv("STARPU_HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", "/proc/no/home", 1);
    info = start(&asked);
    saw("STARPU_HOME", info.model_dir);
    saw("XDG_CACHE_HOME", info.model_dir);
    for (int k = 0; k < NAMES; k++)
        free(seen[k]);
    return checked();
}
