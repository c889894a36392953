/* orrery doctor: is this machine set up so that Orrery runs right and fast? Each check is one
 * function and one line in the table; a WARN or FAIL names its remedy.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* getloadavg */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "machine.h"
#include "progress.h"

enum verdict { OK, WARN, FAIL };

struct check {
    enum verdict verdict;
    char         message[400], remedy[300];
};

/* What the checks look at, gathered once. */
struct patient {
    cli_topology machine;
    int          topology;
    cli_probe    probe;
    cli_models   models;
    int          nvidia;      /* the kernel driver shows a device */
};

static void say(struct check *c, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct check *c, enum verdict verdict, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, sizeof c->message, format, list);
    va_end(list);
    c->verdict = verdict;
}

static void remedy(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void remedy(struct check *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->remedy, sizeof c->remedy, format, list);
    va_end(list);
}

static int started(const struct patient *p)
{
    return p->probe.finished && p->probe.opened == ORR_OK;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* ---- Does it work --------------------------------------------------------------------- */

static void starpu_starts(const struct patient *p, struct check *c)
{
    const orr_context_info *i = &p->probe.info;
    if (!p->probe.finished) {
        say(c, FAIL, "the process in which StarPU starts %s", p->probe.how);
        remedy(c, "run starpu_machine_display; if it fails too, unset STARPU_* and look at CUDA");
    } else if (p->probe.opened != ORR_OK) {
        say(c, FAIL, "StarPU does not start: %s", orr_strerror(p->probe.opened));
        remedy(c, "look at the STARPU_* variables below, then run starpu_machine_display");
    } else {
        say(c, OK, "StarPU %s starts in %.2f s: %d CPU, %d CUDA, %d OpenCL workers", i->starpu,
            p->probe.open_seconds, i->cpu, i->cuda, i->opencl);
    }
}

static void solves_right(const struct patient *p, struct check *c)
{
    const cli_probe *r = &p->probe;
    if (!started(p)) {
        say(c, FAIL, "not tried");
        remedy(c, "first let StarPU start");
    } else if (r->solved != ORR_OK) {
        say(c, FAIL, "heevj of known matrices: %s", orr_strerror(r->solved));
        remedy(c, "report it with the output of 'orrery info --json'");
    } else if (!(r->residual <= 10 && r->orthogonality <= 10 && r->values <= 10)) {
        say(c, FAIL, "heevj of known matrices is wrong: residual %.3g, orthogonality %.3g, values "
            "%.3g (limit 10)", r->residual, r->orthogonality, r->values);
        remedy(c, "try --method lapack and another BLAS; report it with 'orrery info --json'");
    } else {
        say(c, OK, "heevj of known matrices is right: residual %.2g, orthogonality %.2g, values "
            "%.2g n eps", r->residual, r->orthogonality, r->values);
    }
}

/* ---- Cores ---------------------------------------------------------------------------- */

static void cpu_limit(const struct patient *p, struct check *c)
{
    const int max = p->probe.info.max_cpus, cores = p->machine.allowed_cores;
    if (!started(p) || !p->topology)
        say(c, WARN, "not known: StarPU or hwloc did not start");
    else if (max < cores) {
        say(c, WARN, "this StarPU drives at most %d of %d cores", max, cores);
        remedy(c, "scripts/starpu cpu builds one for 64 cores; configure Orrery with it");
    } else {
        say(c, OK, "StarPU can drive %d CPUs, %d cores are here", max, cores);
    }
}

static void affinity(const struct patient *p, struct check *c)
{
    const cli_topology *m = &p->machine;
    const char *getbind = variable("STARPU_WORKERS_GETBIND");
    if (m->allowed_pus >= m->pus)
        say(c, OK, "all %d PUs are allowed", m->pus);
    else if (getbind && !strcmp(getbind, "0")) {
        say(c, WARN, "bound to %d of %d PUs, but STARPU_WORKERS_GETBIND=0 ignores it",
            m->allowed_pus, m->pus);
        remedy(c, "unset STARPU_WORKERS_GETBIND");
    } else {
        say(c, WARN, "bound to %d of %d PUs (taskset, numactl, batch system or cgroup)",
            m->allowed_pus, m->pus);
        remedy(c, "ask for more cores, or start orrery without the binding, if not intended");
    }
}

static void cgroup_quota(const struct patient *p, struct check *c)
{
    const double cpus = cli_cgroup_cpus();
    if (isnan(cpus))
        say(c, OK, "no CPU quota");
    else if (started(p) && p->probe.info.cpu > cpus) {
        say(c, WARN,
            "a quota of %.1f CPUs for %d CPU workers: they will be stopped again and again", cpus,
            p->probe.info.cpu);
        remedy(c, "--cpus %d, or raise the container's limit", cpus < 1 ? 1 : (int)cpus);
    } else {
        say(c, OK, "a quota of %.1f CPUs", cpus);
    }
}

static void load(const struct patient *p, struct check *c)
{
    double average = 0;
    if (getloadavg(&average, 1) == 1 && average > 0.5 * p->machine.pus && average > 1) {
        say(c, WARN, "the machine is busy: load %.1f on %d PUs", average, p->machine.pus);
        remedy(c, "timings are not to be trusted; wait, or use fewer workers with --cpus");
    } else {
        say(c, OK, "load %.1f on %d PUs", average, p->machine.pus);
    }
}

static void binding(const struct patient *p, struct check *c)
{
    const char *nobind = variable("STARPU_WORKERS_NOBIND");
    (void)p;
    if (nobind && strcmp(nobind, "0") != 0) {
        say(c, WARN, "STARPU_WORKERS_NOBIND=%s: workers wander between cores", nobind);
        remedy(c, "unset STARPU_WORKERS_NOBIND, unless several programs share the machine");
    } else {
        say(c, OK, "workers are bound to cores");
    }
}

static void idle(const struct patient *p, struct check *c)
{
    if (!started(p) || isnan(p->probe.idle))
        say(c, WARN, "not known: StarPU did not start");
    else if (p->probe.idle > 0.5) {
        say(c, WARN, "%.1f CPUs are busy while nothing is to be done", p->probe.idle);
        remedy(c,
               "other threads of the program lose time; check OMP_WAIT_POLICY, report otherwise");
    } else {
        say(c, OK, "idle workers sleep (%.2f CPUs busy)", p->probe.idle);
    }
}

static void governor(const struct patient *p, struct check *c)
{
    char name[64];
    (void)p;
    if (!cli_file_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", name, sizeof name))
        say(c, OK, "no frequency governor visible");
    else if (!strcmp(name, "powersave") || !strcmp(name, "ondemand")) {
        say(c, WARN, "CPU frequency governor '%s': short runs are timed at low frequency", name);
        remedy(c, "for measurements: cpupower frequency-set -g performance (root)");
    } else {
        say(c, OK, "CPU frequency governor '%s'", name);
    }
}

static void simd(const struct patient *p, struct check *c)
{
    static const char *const old[] = { "Prescott", "Nehalem", "Core2", "Penryn", "Atom", "Opteron",
                                       "Generic", "Katmai" };
    const char *core = cli_blas_core();
    (void)p;
    for (size_t k = 0; k < sizeof old / sizeof *old; k++)
        if (strstr(cli_simd(), "AVX") && strstr(core, old[k])) {
            say(c, WARN, "the CPU has %s, OpenBLAS uses its kernels for %s", cli_simd(), core);
            remedy(c, "unset OPENBLAS_CORETYPE, or install a BLAS built for this CPU");
            return;
        }
    say(c, OK, "the CPU has %s%s%s", cli_simd(), *core ? "; OpenBLAS uses its kernels for " : "",
        core);
}

/* ---- Devices -------------------------------------------------------------------------- */

static void cuda_device(const struct patient *p, struct check *c)
{
    const orr_context_info *i = &p->probe.info;
    if (!started(p))
        say(c, WARN, "not known: StarPU did not start");
    else if (p->nvidia && !i->has_cuda) {
        say(c, WARN, "an NVIDIA device is here, this orrery is built without CUDA");
        remedy(c, "scripts/starpu cuda, then configure with -DORR_CUDA=ON");
    } else if (!p->nvidia && i->has_cuda && !i->cuda) {
        say(c, WARN, "built with CUDA, but no NVIDIA device is here");
        remedy(c, "load the driver or pass the device into the container; the CPUs work meanwhile");
    } else if (i->has_cuda && !i->cuda) {
        say(c, WARN, "an NVIDIA device is here, but StarPU has no CUDA worker");
        remedy(c, "unset STARPU_NCUDA; check that this StarPU is built with CUDA and that "
                  "nvidia-smi works");
    } else {
        say(c, OK, i->cuda ? "CUDA workers are there" : "no NVIDIA device, and none is needed");
    }
}

static void cuda_driver(const struct patient *p, struct check *c)
{
    if (!p->nvidia && !p->probe.info.has_cuda) {
        say(c, OK, "libcuda is not needed");
        return;
    }
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver) {
        say(c, OK, "libcuda.so.1 is found");
        dlclose(driver);
    } else {
        say(c, WARN, "libcuda.so.1 is not found");
        remedy(c, "install the NVIDIA driver, or add its directory to LD_LIBRARY_PATH");
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
    if (started(p) && p->probe.info.opencl > 0) {
        say(c, WARN, "%d OpenCL workers run%s", p->probe.info.opencl,
            pocl ? ", and PoCL makes them share the cores with the CPU workers" : "");
        remedy(c, "unset STARPU_NOPENCL and STARPU_OPENCL_ON_CPUS; OpenCL serves tests only");
    } else {
        say(c, OK, pocl ? "PoCL is installed and not used" : "no OpenCL on the CPUs");
    }
}

/* ---- BLAS and threads ----------------------------------------------------------------- */

static void which_blas(const struct patient *p, struct check *c)
{
    const char *blas = p->probe.info.blas;
    if (!started(p))
        say(c, WARN, "not known: StarPU did not start");
    else if (strstr(blas, "BLAS") || strstr(blas, "MKL") || strstr(blas, "BLIS") ||
             strstr(blas, "Arm"))
        say(c, OK, "%s", blas);
    else {
        say(c, WARN, "BLAS: %s, perhaps the reference BLAS, which is slow", blas);
        remedy(c, "apt install libopenblas0-pthread; update-alternatives --config "
                  "libblas.so.3-x86_64-linux-gnu");
    }
}

static void blas_threads(const struct patient *p, struct check *c)
{
    static const char *const names[] = { "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                         "BLIS_NUM_THREADS", "GOTO_NUM_THREADS" };
    (void)p;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (variable(names[k]) && atoi(variable(names[k])) > 1) {
            say(c, WARN, "%s=%s: BLAS threads compete with StarPU's workers", names[k],
                variable(names[k]));
            remedy(c, "unset %s; StarPU's workers are the parallelism", names[k]);
            return;
        }
    say(c, OK, "no variable asks for BLAS threads besides StarPU's workers");
}

static void omp_wait(const struct patient *p, struct check *c)
{
    const char *policy = variable("OMP_WAIT_POLICY"), *spin = variable("GOMP_SPINCOUNT");
    (void)p;
    if ((policy && (*policy == 'a' || *policy == 'A')) || (spin && strcmp(spin, "0") != 0)) {
        say(c, WARN, "%s=%s: idle OpenMP threads keep cores busy",
            policy ? "OMP_WAIT_POLICY" : "GOMP_SPINCOUNT", policy ? policy : spin);
        remedy(c, "OMP_WAIT_POLICY=passive, unset GOMP_SPINCOUNT");
    } else {
        say(c, OK, "idle OpenMP threads sleep");
    }
}

/* ---- Models and files ----------------------------------------------------------------- */

static void models(const struct patient *p, struct check *c)
{
    if (!started(p))
        say(c, WARN, "not known: StarPU did not start");
    else if (*p->probe.info.model_source)
        say(c, OK, "%d frozen performance models, of '%s', in %s", p->models.mine,
            p->probe.info.model_machine, p->probe.info.model_source);
    else if (p->models.mine)
        say(c, OK, "%d performance models of this machine, learnt by StarPU, in %s",
            p->models.mine, p->probe.info.model_dir);
    else {
        say(c, WARN, "no performance models of this machine (%d of others) in %s", p->models.others,
            p->probe.info.model_dir);
        remedy(c, "needed by policies dm*: orrery calibrate, then move perfmodels/NAME to "
                  "~/.local/share/orrery/perfmodels");
    }
}

static void model_dir(const struct patient *p, struct check *c)
{
    const char *dir = p->probe.info.model_dir;
    if (!started(p))
        say(c, WARN, "not known: StarPU did not start");
    else if (access(dir, W_OK | X_OK) == 0)
        say(c, OK, "%s can be written", dir);
    else {
        say(c, WARN, "%s cannot be written: %s", dir, strerror(errno));
        remedy(c, "set STARPU_PERF_MODEL_DIR or --model-dir to a directory of your own");
    }
}

static void disk(const struct patient *p, struct check *c)
{
    struct statvfs fs;
    const char *dir = p->probe.info.model_dir;
    if (!started(p) || statvfs(dir, &fs) != 0) {
        say(c, OK, "the models' directory does not exist yet");
        return;
    }
    const double mib = (double)fs.f_bavail * (double)fs.f_frsize / 0x1p20;
    say(c, mib < 1 ? FAIL : mib < 100 ? WARN : OK, "%.0f MiB free in %s", mib, dir);
    remedy(c, "free some space, or set --model-dir");
}

static void memory(const struct patient *p, struct check *c)
{
    const double available = (double)cli_free_memory() / 0x1p30;
    char limit[64] = "max";
    cli_file_line("/sys/fs/cgroup/memory.max", limit, sizeof limit);
    const int limited = strcmp(limit, "max") != 0;
    const double allowed = limited ? atof(limit) / 0x1p30 : (double)p->machine.memory / 0x1p30;
    const int tight = limited && allowed < (double)p->machine.memory / 0x1p30;
    say(c, available < 0.5 ? WARN : OK, "%.1f GiB free, %.1f GiB in the machine%s", available,
        (double)p->machine.memory / 0x1p30, tight ? ", less allowed by the container" : "");
    remedy(c, "end other programs, or set --max-memory");
}

static void huge_pages(const struct patient *p, struct check *c)
{
    char line[128];
    (void)p;
    if (!cli_file_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line))
        say(c, OK, "transparent huge pages: not visible");
    else if (strstr(line, "[never]")) {
        say(c, WARN, "transparent huge pages are off: large batches cost more page faults");
        remedy(c, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (root)");
    } else {
        say(c, OK, "transparent huge pages: %s", line);
    }
}

/* ---- Environment ---------------------------------------------------------------------- */

static void sched(const struct patient *p, struct check *c)
{
    const char *name = variable("STARPU_SCHED");
    if (p->probe.finished && p->probe.opened == ORR_E_SCHED) {
        say(c, FAIL, "STARPU_SCHED=%s: no such policy", name ? name : "");
        remedy(c, "unset STARPU_SCHED, or take eager, lws, dm, dmda, dmdas, prio, random");
    } else if (name) {
        say(c, WARN, "STARPU_SCHED=%s overrides the policy that orrery would choose", name);
        remedy(c, "unset STARPU_SCHED; --sched chooses for one run");
    } else {
        say(c, OK, "STARPU_SCHED is not set%s%s", started(p) ? ", the default policy is " : "",
            started(p) ? p->probe.info.sched : "");
    }
}

static void starpu_environment(const struct patient *p, struct check *c)
{
    extern char **environ;
    static const char harmless[] = "|STARPU_SILENT|STARPU_HOSTNAME|STARPU_HOME|STARPU_SCHED|"
                                   "STARPU_PERF_MODEL_DIR|STARPU_WORKERS_NOBIND|"
                                   "STARPU_WORKERS_GETBIND|";
    char found[300] = "";
    (void)p;
    for (char **e = environ; *e; e++) {
        char name[128];
        const size_t n = strcspn(*e, "=");
        if (strncmp(*e, "STARPU_", 7) != 0 || n + 3 > sizeof name)
            continue;
        snprintf(name, sizeof name, "|%.*s|", (int)n, *e);
        const size_t used = strlen(found);
        if (!strstr(harmless, name))
            snprintf(found + used, sizeof found - used, " %.60s", *e);
    }
    if (*found) {
        say(c, WARN, "variables that change what StarPU does:%s", found);
        remedy(c, "unset those that are not meant");
    } else {
        say(c, OK, "no variable changes what StarPU does");
    }
}

/* ---- The table ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void      (*look)(const struct patient *, struct check *);
} checks[] = {
    { "starpu", starpu_starts },   { "heevj", solves_right },    { "cpu-limit", cpu_limit },
    { "affinity", affinity },      { "cpu-quota", cgroup_quota }, { "load", load },
    { "binding", binding },        { "idle", idle },             { "governor", governor },
    { "simd", simd },              { "cuda", cuda_device },      { "libcuda", cuda_driver },
    { "opencl", opencl },          { "blas", which_blas },       { "blas-threads", blas_threads },
    { "omp-wait", omp_wait },      { "models", models },         { "model-dir", model_dir },
    { "disk", disk },              { "memory", memory },         { "huge-pages", huge_pages },
    { "sched", sched },            { "environment", starpu_environment },
};

static const char *const verdict_name[] = { "OK", "WARN", "FAIL" };

static void print_text(const char *name, const struct check *c, int colour)
{
    static const char *const paint[] = { "\033[32m", "\033[33m", "\033[31m" };
    printf("%s%-4s%s %-13s %s\n", colour ? paint[c->verdict] : "", verdict_name[c->verdict],
           colour ? "\033[0m" : "", name, c->message);
    if (c->verdict != OK && *c->remedy)
        printf("     %-13s -> %s\n", "", c->remedy);
}

static void put_json(cli_text *t, const char *name, const struct check *c)
{
    cli_put(t, "%s{\"name\":", t->s[t->n - 1] == '[' ? "" : ",");
    cli_put_json(t, name);
    cli_put(t, ",\"verdict\":\"%s\",\"message\":", verdict_name[c->verdict]);
    cli_put_json(t, c->message);
    cli_put(t, ",\"remedy\":");
    cli_put_json(t, c->verdict != OK && *c->remedy ? c->remedy : NULL);
    cli_put(t, "}");
}

static int examine(const struct patient *patient, int as_json)
{
    int seen[3] = { 0 };
    cli_text t = { 0 };
    const int colour = cli_colour(STDOUT_FILENO);
    cli_put(&t, "{\"checks\":[");
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        struct check c = { .verdict = OK };
        checks[k].look(patient, &c);
        seen[c.verdict]++;
        if (as_json)
            put_json(&t, checks[k].name, &c);
        else
            print_text(checks[k].name, &c, colour);
    }
    cli_put(&t, "],\"ok\":%d,\"warn\":%d,\"fail\":%d}\n", seen[OK], seen[WARN], seen[FAIL]);
    if (as_json && !t.failed)
        fwrite(t.s, 1, t.n, stdout);
    else if (!as_json)
        printf("%d OK, %d WARN, %d FAIL\n", seen[OK], seen[WARN], seen[FAIL]);
    cli_text_free(&t);
    return seen[FAIL] ? CLI_CHECK : CLI_OK;
}

struct args {
    int json;
};

static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Options" },
    { "json", 0, OPT_FLAG, NULL, "one JSON object instead of text", NULL,
      .at = offsetof(struct args, json) },
    { .kind = OPT_END },
};

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { 0 };
    struct patient patient = { 0 };
    cli_files rest;
    int code;
    if (!cli_parse(command, argc, argv, &args, &rest, &code))
        return code;
    if (rest.n) {
        cli_say("doctor takes no FILE");
        return CLI_USAGE;
    }
    patient.topology = cli_topology_read(&patient.machine);
    patient.nvidia = access("/proc/driver/nvidia/version", R_OK) == 0 ||
                     access("/dev/nvidiactl", F_OK) == 0;
    cli_probe_run(&patient.probe, 1);
    if (started(&patient))
        cli_models_scan(&patient.models, patient.probe.info.model_dir);
    code = examine(&patient, args.json);
    cli_text_free(&patient.models.names);
    return code;
}

const cli_command cmd_doctor = {
    .name = "doctor",
    .summary = "is this machine set up well? each problem with its remedy",
    .synopsis = "[--json]",
    .about =
        "Looks at StarPU, cores, devices, BLAS, models, files and the environment, and solves\n"
        "a small problem whose answer is known. Exit code 0 if nothing FAILs, else 1.",
    .options = options,
    .examples = "orrery doctor\norrery doctor --json | jq '.checks[] | select(.verdict!=\"OK\")'",
    .run = run,
};
