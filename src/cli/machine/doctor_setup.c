/* What orrery doctor asks about BLAS, threads, models, files and the environment.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/progress.h"
#include "src/cli/core/simd.h"
#include "src/cli/core/start.h"
#include "src/cli/machine/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- BLAS and threads ------------------------------------------------------------------- */

/* The kernels that OpenBLAS took, against the widest instructions of this processor: a BLAS older
 * than the processor does not know it, and takes those of an ancestor. */
static void simd(const struct patient *p, struct check *c)
{
    const char *core = cli_blas_core(), *forced = doctor_variable(OPENBLAS_CORETYPE);
    const char *was = doctor_variable(CLI_BLAS_CORE_WAS);
    const cli_simd_level has = cli_simd(), uses = cli_blas_core_simd(core);
    (void)p;
    if (was && forced) {
        doctor_say(c, WARN,
                   "OpenBLAS does not know this CPU and takes its kernels for %s, made for %s; "
                   "this command asked for %s",
                   was, cli_simd_name(cli_blas_core_simd(was)), forced);
        doctor_remedy(c,
                      "for programs of your own set OPENBLAS_CORETYPE=%s, or take a newer OpenBLAS",
                      forced);
        return;
    }
    if (!cli_blas_core_is_narrow(core)) {
        doctor_say(c, OK, "the CPU has %s%s%s", cli_simd_name(has),
                   *core ? "; OpenBLAS uses its kernels for " : "", core);
        return;
    }
    doctor_say(c, WARN, "the CPU has %s, OpenBLAS uses its kernels for %s, made for %s",
               cli_simd_name(has), core, cli_simd_name(uses));
    if (forced)
        doctor_remedy(c, "unset OPENBLAS_CORETYPE, which is %s", forced);
    else if (cli_blas_core_choice())
        doctor_remedy(c,
                      "a newer OpenBLAS may know this CPU; or try OPENBLAS_CORETYPE=%s, and "
                      "time a run with and without",
                      cli_blas_core_for(has));
    else
        doctor_remedy(c, "install a BLAS built for this CPU");
}

static void which_blas(const struct patient *p, struct check *c)
{
    const char *blas = p->probe.info.blas;
    if (!doctor_started(p))
        doctor_say(c, WARN, "not known: StarPU did not start");
    else if (strstr(blas, "BLAS") || strstr(blas, "MKL") || strstr(blas, "BLIS") ||
             strstr(blas, "Arm"))
        doctor_say(c, OK, "%s", blas);
    else {
        doctor_say(c, WARN, "BLAS: %s, perhaps the reference BLAS, which is slow", blas);
        doctor_remedy(c, "apt install libopenblas0-pthread; update-alternatives --config "
                         "libblas.so.3-x86_64-linux-gnu");
    }
}

static void blas_threads(const struct patient *p, struct check *c)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                        "BLIS_NUM_THREADS", "GOTO_NUM_THREADS"};
    (void)p;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (doctor_variable(names[k]) && atoi(doctor_variable(names[k])) > 1) {
            doctor_say(c, WARN, "%s=%s: BLAS threads compete with StarPU's workers", names[k],
                       doctor_variable(names[k]));
            doctor_remedy(c, "unset %s; StarPU's workers are the parallelism", names[k]);
            return;
        }
    doctor_say(c, OK, "no variable asks for BLAS threads besides StarPU's workers");
}

static void omp_wait(const struct patient *p, struct check *c)
{
    const char *policy = doctor_variable("OMP_WAIT_POLICY"),
               *spin = doctor_variable("GOMP_SPINCOUNT");
    (void)p;
    if ((policy && (*policy == 'a' || *policy == 'A')) || (spin && strcmp(spin, "0") != 0)) {
        doctor_say(c, WARN, "%s=%s: idle OpenMP threads keep cores busy",
                   policy ? "OMP_WAIT_POLICY" : "GOMP_SPINCOUNT", policy ? policy : spin);
        doctor_remedy(c, "OMP_WAIT_POLICY=passive, unset GOMP_SPINCOUNT");
    } else {
        doctor_say(c, OK, "idle OpenMP threads sleep");
    }
}

/* ---- Models and files ------------------------------------------------------------------- */

static void models(const struct patient *p, struct check *c)
{
    if (!doctor_started(p))
        doctor_say(c, WARN, "not known: StarPU did not start");
    else if (*p->probe.info.model_source)
        doctor_say(c, OK, "%d frozen performance models, of '%s', in %s", p->models.mine,
                   p->probe.info.model_machine, p->probe.info.model_source);
    else if (p->models.mine)
        doctor_say(c, OK, "%d performance models of this machine, learnt by StarPU, in %s",
                   p->models.mine, p->probe.info.model_dir);
    else {
        doctor_say(c, WARN, "no performance models of this machine (%d of others) in %s",
                   p->models.others, p->probe.info.model_dir);
        doctor_remedy(c, "needed by policies dm*: orrery calibrate");
    }
}

static void model_dir(const struct patient *p, struct check *c)
{
    const char *dir = p->probe.info.model_dir;
    if (!doctor_started(p))
        doctor_say(c, WARN, "not known: StarPU did not start");
    else if (access(dir, W_OK | X_OK) == 0)
        doctor_say(c, OK, "%s can be written", dir);
    else {
        doctor_say(c, WARN, "%s cannot be written: %s", dir, strerror(errno));
        doctor_remedy(c, "set STARPU_PERF_MODEL_DIR or --model-dir to a directory of your own");
    }
}

static void disk(const struct patient *p, struct check *c)
{
    struct statvfs fs;
    const char *dir = p->probe.info.model_dir;
    if (!doctor_started(p) || statvfs(dir, &fs) != 0) {
        doctor_say(c, OK, "the models' directory does not exist yet");
        return;
    }
    const double mib = (double)fs.f_bavail * (double)fs.f_frsize / 0x1p20;
    doctor_say(c, mib < 1 ? FAIL : mib < 100 ? WARN : OK, "%.0f MiB free in %s", mib, dir);
    doctor_remedy(c, "free some space, or set --model-dir");
}

static void memory(const struct patient *p, struct check *c)
{
    const double available = (double)cli_free_memory() / 0x1p30;
    char limit[64] = "max";
    cli_file_line("/sys/fs/cgroup/memory.max", limit, sizeof limit);
    const int limited = strcmp(limit, "max") != 0;
    const double allowed = limited ? atof(limit) / 0x1p30 : (double)p->machine.memory / 0x1p30;
    const int tight = limited && allowed < (double)p->machine.memory / 0x1p30;
    doctor_say(c, available < 0.5 ? WARN : OK, "%.1f GiB free, %.1f GiB in the machine%s",
               available, (double)p->machine.memory / 0x1p30,
               tight ? ", less allowed by the container" : "");
    doctor_remedy(c, "end other programs, or set --max-memory");
}

static void huge_pages(const struct patient *p, struct check *c)
{
    char line[128];
    (void)p;
    if (!cli_file_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line))
        doctor_say(c, OK, "transparent huge pages: not visible");
    else if (strstr(line, "[never]")) {
        doctor_say(c, WARN, "transparent huge pages are off: large batches cost more page faults");
        doctor_remedy(c, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (root)");
    } else {
        doctor_say(c, OK, "transparent huge pages: %s", line);
    }
}

/* ---- Environment ------------------------------------------------------------------------ */

static void sched(const struct patient *p, struct check *c)
{
    const char *name = doctor_variable("STARPU_SCHED");
    if (p->probe.finished && p->probe.opened == ORR_E_SCHED) {
        doctor_say(c, FAIL, "STARPU_SCHED=%s: no such policy", name ? name : "");
        doctor_remedy(c, "unset STARPU_SCHED, or take eager, lws, dm, dmda, dmdas, prio, random");
    } else if (name) {
        doctor_say(c, WARN, "STARPU_SCHED=%s overrides the policy that orrery would choose", name);
        doctor_remedy(c, "unset STARPU_SCHED; --sched chooses for one run");
    } else {
        doctor_say(c, OK, "STARPU_SCHED is not set%s%s",
                   doctor_started(p) ? ", the default policy is " : "",
                   doctor_started(p) ? p->probe.info.sched : "");
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
        doctor_say(c, WARN, "variables that change what StarPU does:%s", found);
        doctor_remedy(c, "unset those that are not meant");
    } else {
        doctor_say(c, OK, "no variable changes what StarPU does");
    }
}

const doctor_row doctor_setup[] = {
    {"simd", simd},
    {"blas", which_blas},
    {"blas-threads", blas_threads},
    {"omp-wait", omp_wait},
    {"models", models},
    {"model-dir", model_dir},
    {"disk", disk},
    {"memory", memory},
    {"huge-pages", huge_pages},
    {"sched", sched},
    {"environment", starpu_environment},
    {NULL, NULL},
};
