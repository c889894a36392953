/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "src/cli/core/progress.h"
#include "src/cli/core/start.h"
#include "src/cli/machine/machine.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const cli_option machine_options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"json", 0, OPT_FLAG, NULL, "one JSON object instead of text", NULL,
     .at = offsetof(machine_args, json)},
    {.kind = OPT_END},
};

/* ---- hwloc ---------------------------------------------------------------------------- */

static int count(hwloc_topology_t t, hwloc_obj_type_t type)
{
    const int n = hwloc_get_nbobjs_by_type(t, type);
    return n > 0 ? n : 0;
}

static void read_caches(hwloc_topology_t t, cli_topology *out)
{
    static const hwloc_obj_type_t type[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                            HWLOC_OBJ_L4CACHE};
    for (int k = 0; k < 4; k++) {
        const hwloc_obj_t cache = hwloc_get_obj_by_type(t, type[k], 0);
        if (!cache)
            continue;
        out->cache[out->caches].level = k + 1;
        out->cache[out->caches].count = count(t, type[k]);
        out->cache[out->caches++].bytes = (int64_t)cache->attr->cache.size;
    }
}

int cli_topology_read(cli_topology *out)
{
    hwloc_topology_t t;
    *out = (cli_topology){0};
    if (hwloc_topology_init(&t) != 0)
        return 0;
    hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(t) != 0) {
        hwloc_topology_destroy(t);
        return 0;
    }
    const unsigned version = hwloc_get_api_version();
    snprintf(out->hwloc, sizeof out->hwloc, "%u.%u.%u", version >> 16, (version >> 8) & 0xFF,
             version & 0xFF);
    out->packages = count(t, HWLOC_OBJ_PACKAGE);
    out->numa = count(t, HWLOC_OBJ_NUMANODE);
    out->cores = count(t, HWLOC_OBJ_CORE);
    out->pus = count(t, HWLOC_OBJ_PU);
    /* Not hwloc's figure, which on some virtual machines is that of one memory bank. */
    out->memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
    const char *cpu = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    snprintf(out->cpu, sizeof out->cpu, "%s", cpu ? cpu : "unknown");
    read_caches(t, out);
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    out->allowed_pus = out->pus;
    out->allowed_cores = out->cores;
    if (bound && hwloc_get_cpubind(t, bound, HWLOC_CPUBIND_PROCESS) == 0) {
        hwloc_bitmap_and(bound, bound, hwloc_topology_get_allowed_cpuset(t));
        out->allowed_pus = hwloc_bitmap_weight(bound);
        /* A core of which one hyperthread is allowed counts. */
        out->allowed_cores = 0;
        for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core));)
            out->allowed_cores += hwloc_bitmap_intersects(core->cpuset, bound);
    }
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(t);
    return 1;
}

/* ---- The probe ------------------------------------------------------------------------ */

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* The second difference matrix of order n: eigenvalues 2 - 2 cos(k pi / (n + 1)). */
static void solve_known(orr_context *context, cli_probe *p)
{
    enum { N = 24, BATCH = 8 };
    const double pi = acos(-1);
    double *a = calloc(N * N * BATCH, sizeof *a), w[N * BATCH];
    orr_matrix_info info[BATCH];
    p->solved = ORR_E_NOMEM;
    if (!a)
        return;
    for (int k = 0; k < BATCH; k++)
        for (int j = 0; j < N; j++) {
            a[(k * N + j) * N + j] = 2;
            if (j + 1 < N)
                a[(k * N + j) * N + j + 1] = -1; /* below the diagonal, column major */
        }
    const orr_batch A = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = w};
    const orr_heevj_opts opts = {.jobz = 'V', .uplo = 'L', .check = 1};
    const double start = cli_now();
    p->solved = orr_heevj(context, &A, &W, &opts, info, NULL);
    p->solve_seconds = cli_now() - start;
    for (int k = 0; k < BATCH && p->solved >= 0; k++) {
        p->residual = fmax(p->residual, info[k].residual);
        p->orthogonality = fmax(p->orthogonality, info[k].orthogonality);
        for (int j = 0; j < N; j++) {
            const double exact = 2 - 2 * cos((j + 1) * pi / (N + 1));
            const double error = fabs(w[k * N + j] - exact) / (4 * N * orr_type_eps(ORR_D));
            p->values = error > p->values || isnan(error) ? error : p->values;
        }
    }
    free(a);
}

static void probe_child(cli_probe *p, int solve)
{
    orr_context *context = NULL;
    char message[ORR_MESSAGE] = "";
    const orr_context_opts opts = {.message = message};
    const double start = cli_now();
    p->opened = cli_start(&opts, cli_progress_shown(0, 0), &context);
    p->open_seconds = cli_now() - start;
    if (p->opened != ORR_OK)
        snprintf(p->how, sizeof p->how, "%s", *message ? message : orr_strerror(p->opened));
    if (p->opened == ORR_OK) {
        orr_context_query(context, &p->info);
        if (solve) {
            solve_known(context, p);
            const double busy = cpu_seconds(), now = cli_now();
            usleep(200000);
            p->idle = (cpu_seconds() - busy) / (cli_now() - now);
        }
        orr_close(context);
    }
    p->finished = 1;
}

/* The probe comes through a pipe, all of it at once, or not at all. */
static int receive(int fd, cli_probe *p, int milliseconds)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    size_t got = 0;
    while (got < sizeof *p) {
        if (poll(&waiting, 1, milliseconds) <= 0)
            return 0;
        const ssize_t n = read(fd, (char *)p + got, sizeof *p - got);
        if (n <= 0)
            return 0;
        got += (size_t)n;
    }
    return 1;
}

void cli_probe_run(cli_probe *p, int solve)
{
    int ends[2], status = 0;
    *p = (cli_probe){.idle = NAN};
    fflush(NULL);
    if (pipe(ends) != 0) {
        snprintf(p->how, sizeof p->how, "pipe: %s", strerror(errno));
        return;
    }
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        if (!cli_end_with(parent, SIGKILL))
            _exit(1);
        close(ends[0]);
        probe_child(p, solve);
        const cli_text bytes = {.s = (char *)p, .n = sizeof *p};
        _exit(cli_text_write(&bytes, ends[1]) == 0 ? 0 : 1);
    }
    close(ends[1]);
    cli_probe answer;
    const int complete = pid > 0 && receive(ends[0], &answer, 60000);
    close(ends[0]);
    if (pid < 0) {
        snprintf(p->how, sizeof p->how, "fork: %s", strerror(errno));
        return;
    }
    if (complete)
        *p = answer;
    else if (waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status))
        snprintf(p->how, sizeof p->how, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status))
        snprintf(p->how, sizeof p->how, "ended with exit code %d", WEXITSTATUS(status));
    else
        snprintf(p->how, sizeof p->how, "no answer within a minute");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- Performance models --------------------------------------------------------------- */

/* StarPU names them codelets/<version>/<symbol>.<host>. */
static void scan_directory(cli_models *m, const char *path, const char *host)
{
    DIR *directory = opendir(path);
    const size_t host_length = strlen(host);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        const size_t n = strlen(e->d_name);
        if (e->d_name[0] == '.' || !strchr(e->d_name, '.'))
            continue;
        if (n > host_length + 1 && !strcmp(e->d_name + n - host_length, host) &&
            e->d_name[n - host_length - 1] == '.') {
            if (m->names.n < 400)
                cli_put(&m->names, "%s%.*s", m->mine ? " " : "", (int)(n - host_length - 1),
                        e->d_name);
            else if (strcmp(m->names.s + m->names.n - 4, " ...") != 0)
                cli_put(&m->names, " ...");
            m->mine++;
        } else {
            m->others++;
        }
    }
    if (directory)
        closedir(directory);
}

void cli_models_scan(cli_models *m, const char *model_dir)
{
    char path[1024];
    const char *set = getenv("STARPU_HOSTNAME"), *host = set && *set ? set : cli_machine();
    *m = (cli_models){0};
    snprintf(path, sizeof path, "%s/codelets", model_dir);
    DIR *versions = opendir(path);
    for (struct dirent *e; versions && (e = readdir(versions));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/codelets/%s", model_dir, e->d_name);
        scan_directory(m, path, host);
    }
    if (versions)
        closedir(versions);
}

/* ---- Odds and ends -------------------------------------------------------------------- */

int cli_file_line(const char *path, char *line, size_t size)
{
    FILE *f = fopen(path, "r");
    const int good = f && fgets(line, (int)size, f);
    if (f)
        fclose(f);
    if (good)
        line[strcspn(line, "\n")] = '\0';
    return good;
}

double cli_cgroup_cpus(void)
{
    char line[128];
    double quota, period;
    if (cli_file_line("/sys/fs/cgroup/cpu.max", line, sizeof line))
        return sscanf(line, "%lf %lf", &quota, &period) == 2 ? quota / period : NAN;
    if (cli_file_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line) &&
        (quota = atof(line)) > 0 &&
        cli_file_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line, sizeof line))
        return quota / atof(line);
    return NAN;
}
