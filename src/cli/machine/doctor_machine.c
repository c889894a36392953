/* What orrery doctor asks about StarPU, cores and devices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* getloadavg */
#include "src/cli/machine/doctor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Does it work ----------------------------------------------------------------------- */

static void starpu_starts(const struct patient *p, struct check *c)
{
    const orr_context_info *i = &p->probe.info;
    if (!p->probe.finished) {
        doctor_say(c, FAIL, "the process in which StarPU starts %s", p->probe.how);
        doctor_remedy(
            c, "run starpu_machine_display; if it fails too, unset STARPU_* and look at CUDA");
    } else if (p->probe.opened != ORR_OK) {
        doctor_say(c, FAIL, "StarPU does not start: %s", p->probe.how);
        doctor_remedy(c, "look at the STARPU_* variables below, then run starpu_machine_display");
    } else {
        doctor_say(c, OK, "StarPU %s starts in %.2f s: %d CPU, %d CUDA, %d OpenCL workers",
                   i->starpu, p->probe.open_seconds, i->cpu, i->cuda, i->opencl);
    }
}

static void solves_right(const struct patient *p, struct check *c)
{
    const cli_probe *r = &p->probe;
    if (!doctor_started(p)) {
        doctor_say(c, FAIL, "not tried");
        doctor_remedy(c, "first let StarPU start");
    } else if (r->solved != ORR_OK) {
        doctor_say(c, FAIL, "heevj of known matrices: %s", orr_strerror(r->solved));
        doctor_remedy(c, "report it with the output of 'orrery info --json'");
    } else if (!(r->residual <= 10 && r->orthogonality <= 10 && r->values <= 10)) {
        doctor_say(c, FAIL,
                   "heevj of known matrices is wrong: residual %.3g, orthogonality %.3g, values "
                   "%.3g (limit 10)",
                   r->residual, r->orthogonality, r->values);
        doctor_remedy(c,
                      "try --method lapack and another BLAS; report it with 'orrery info --json'");
    } else {
        doctor_say(c, OK,
                   "heevj of known matrices is right: residual %.2g, orthogonality %.2g, values "
                   "%.2g n eps",
                   r->residual, r->orthogonality, r->values);
    }
}

/* ---- Cores ------------------------------------------------------------------------------ */

static void cpu_limit(const struct patient *p, struct check *c)
{
    const int max = p->probe.info.max_cpus, cores = p->machine.allowed_cores;
    if (!doctor_started(p) || !p->topology)
        doctor_say(c, WARN, "not known: StarPU or hwloc did not start");
    else if (max < cores) {
        doctor_say(c, WARN, "this StarPU drives at most %d of %d cores", max, cores);
        doctor_remedy(c, "scripts/starpu cpu builds one for 64 cores; configure Orrery with it");
    } else {
        doctor_say(c, OK, "StarPU can drive %d CPU%s, of %d core%s here", max, cli_plural(max),
                   cores, cli_plural(cores));
    }
}

static void affinity(const struct patient *p, struct check *c)
{
    const cli_topology *m = &p->machine;
    const char *getbind = doctor_variable("STARPU_WORKERS_GETBIND");
    if (m->allowed_pus >= m->pus)
        doctor_say(c, OK, "all %d PUs are allowed", m->pus);
    else if (getbind && !strcmp(getbind, "0")) {
        doctor_say(c, WARN, "bound to %d of %d PUs, but STARPU_WORKERS_GETBIND=0 ignores it",
                   m->allowed_pus, m->pus);
        doctor_remedy(c, "unset STARPU_WORKERS_GETBIND");
    } else {
        doctor_say(c, WARN, "bound to %d of %d PUs (taskset, numactl, batch system or cgroup)",
                   m->allowed_pus, m->pus);
        doctor_remedy(c,
                      "ask for more cores, or start orrery without the binding, if not intended");
    }
}

static void cgroup_quota(const struct patient *p, struct check *c)
{
    const double cpus = cli_cgroup_cpus();
    if (isnan(cpus))
        doctor_say(c, OK, "no CPU quota");
    else if (doctor_started(p) && p->probe.info.cpu > cpus) {
        doctor_say(c, WARN,
                   "a quota of %.1f CPUs for %d CPU workers: they will be stopped again and again",
                   cpus, p->probe.info.cpu);
        doctor_remedy(c, "--cpus %d, or raise the container's limit", cpus < 1 ? 1 : (int)cpus);
    } else {
        doctor_say(c, OK, "a quota of %.1f CPUs", cpus);
    }
}

static void load(const struct patient *p, struct check *c)
{
    double average = 0;
    if (getloadavg(&average, 1) == 1 && average > 0.5 * p->machine.pus && average > 1) {
        doctor_say(c, WARN, "the machine is busy: load %.1f on %d PUs", average, p->machine.pus);
        doctor_remedy(c, "timings are not to be trusted; wait, or use fewer workers with --cpus");
    } else {
        doctor_say(c, OK, "load %.1f on %d PUs", average, p->machine.pus);
    }
}

static void binding(const struct patient *p, struct check *c)
{
    const char *nobind = doctor_variable("STARPU_WORKERS_NOBIND");
    (void)p;
    if (nobind && strcmp(nobind, "0") != 0) {
        doctor_say(c, WARN, "STARPU_WORKERS_NOBIND=%s: workers wander between cores", nobind);
        doctor_remedy(c, "unset STARPU_WORKERS_NOBIND, unless several programs share the machine");
    } else {
        doctor_say(c, OK, "workers are bound to cores");
    }
}

static void idle(const struct patient *p, struct check *c)
{
    if (!doctor_started(p) || isnan(p->probe.idle))
        doctor_say(c, WARN, "not known: StarPU did not start");
    else if (p->probe.idle > 0.5) {
        doctor_say(c, WARN, "%.1f CPUs are busy while nothing is to be done", p->probe.idle);
        doctor_remedy(
            c, "other threads of the program lose time; check OMP_WAIT_POLICY, report otherwise");
    } else {
        doctor_say(c, OK, "idle workers sleep (%.2f CPUs busy)", p->probe.idle);
    }
}

static void governor(const struct patient *p, struct check *c)
{
    char name[64];
    (void)p;
    if (!cli_file_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", name, sizeof name))
        doctor_say(c, OK, "no frequency governor visible");
    else if (!strcmp(name, "powersave") || !strcmp(name, "ondemand")) {
        doctor_say(c, WARN, "CPU frequency governor '%s': short runs are timed at low frequency",
                   name);
        doctor_remedy(c, "for measurements: cpupower frequency-set -g performance (root)");
    } else {
        doctor_say(c, OK, "CPU frequency governor '%s'", name);
    }
}

/* ---- Devices ---------------------------------------------------------------------------- */

static void cuda_device(const struct patient *p, struct check *c)
{
    const orr_context_info *i = &p->probe.info;
    if (!doctor_started(p))
        doctor_say(c, WARN, "not known: StarPU did not start");
    else if (p->nvidia && !i->has_cuda) {
        doctor_say(c, WARN, "an NVIDIA device is here, this orrery is built without CUDA");
        doctor_remedy(c, "scripts/starpu cuda, then configure with -DORR_CUDA=ON");
    } else if (!p->nvidia && i->has_cuda && !i->cuda) {
        doctor_say(c, WARN, "built with CUDA, but no NVIDIA device is here");
        doctor_remedy(
            c, "load the driver or pass the device into the container; the CPUs work meanwhile");
    } else if (i->has_cuda && !i->cuda) {
        doctor_say(c, WARN, "an NVIDIA device is here, but StarPU has no CUDA worker");
        doctor_remedy(c, "unset STARPU_NCUDA; check that this StarPU is built with CUDA and that "
                         "nvidia-smi works");
    } else {
        doctor_say(c, OK,
                   i->cuda ? "CUDA workers are there" : "no NVIDIA device, and none is needed");
    }
}

static void cuda_driver(const struct patient *p, struct check *c)
{
    if (!p->nvidia && !p->probe.info.has_cuda) {
        doctor_say(c, OK, "libcuda is not needed");
        return;
    }
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver) {
        doctor_say(c, OK, "libcuda.so.1 is found");
        dlclose(driver);
    } else {
        doctor_say(c, WARN, "libcuda.so.1 is not found");
        doctor_remedy(c, "install the NVIDIA driver, or add its directory to LD_LIBRARY_PATH");
    }
}

static void opencl(const struct patient *p, struct check *c)
{
    DIR *directory = opendir("/etc/OpenCL/vendors");
    int pocl = 0;
    for (struct dirent *e; directory && (e = readdir(directory));)
        pocl |= strstr(e->d_name, "pocl") != NULL;
    if (directory)
        closedir(directory);
    if (doctor_started(p) && p->probe.info.opencl > 0) {
        doctor_say(c, WARN, "%d OpenCL workers run%s", p->probe.info.opencl,
                   pocl ? ", and PoCL makes them share the cores with the CPU workers" : "");
        doctor_remedy(c,
                      "unset STARPU_NOPENCL and STARPU_OPENCL_ON_CPUS; OpenCL serves tests only");
    } else {
        doctor_say(c, OK, pocl ? "PoCL is installed and not used" : "no OpenCL on the CPUs");
    }
}

const doctor_row doctor_machine[] = {
    {"starpu", starpu_starts},
    {"heevj", solves_right},
    {"cpu-limit", cpu_limit},
    {"affinity", affinity},
    {"cpu-quota", cgroup_quota},
    {"load", load},
    {"binding", binding},
    {"idle", idle},
    {"governor", governor},
    {"cuda", cuda_device},
    {"libcuda", cuda_driver},
    {"opencl", opencl},
    {NULL, NULL},
};
