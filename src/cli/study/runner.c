/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "src/cli/study/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/run.h"

static const double GRACE = 5;   /* seconds between SIGTERM and SIGKILL */
static const double SHORT = 0.2; /* below this, ticks of the kernel's clock say nothing */

/* ---- Signals -------------------------------------------------------------------------------- */

static sigset_t awaited, before;

void runner_prepare(void)
{
    static const int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct sigaction was;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        if (sigaction(requests[k], NULL, &was) == 0 &&
            was.sa_handler != SIG_IGN) /* as under nohup */
            sigaddset(&awaited, requests[k]);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    sigdelset(&before, SIGCHLD);
}

/* The next signal within so many seconds, 0: none. */
static int next_signal(double seconds)
{
    const double most = seconds > 0 ? fmin(seconds, 3600) : 0;
    const struct timespec t = {(time_t)most, (long)(1e9 * (most - floor(most)))};
    const int s = sigtimedwait(&awaited, NULL, &t);
    return s > 0 ? s : 0;
}

int runner_pending(void)
{
    for (int s; (s = next_signal(0)) != 0;)
        if (s != SIGCHLD)
            return s;
    return 0;
}

void runner_die(int signal_number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* ---- The machine ---------------------------------------------------------------------------- */

struct ticks {
    double busy, steal; /* seconds of all processors since the start */
};

static struct ticks read_ticks(void)
{
    double v[8] = {0};
    FILE *f = fopen("/proc/stat", "r");
    const int got = f ? fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", v, v + 1, v + 2, v + 3,
                               v + 4, v + 5, v + 6, v + 7)
                      : 0;
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    if (f)
        fclose(f);
    if (got < 8)
        return (struct ticks){NAN, NAN};
    return (struct ticks){tick * (v[0] + v[1] + v[2] + v[5] + v[6]), tick * v[7]};
}

static double first_real(const char *path, double unit)
{
    double x = NAN;
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lf", &x) != 1)
        x = NAN;
    if (f)
        fclose(f);
    return unit * x;
}

/* ---- The child ------------------------------------------------------------------------------ */

static void redirect(const char *path, int flags, int to)
{
    const int fd = open(path, flags, 0666);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
    if (fd != to)
        close(fd);
}

static void become(const runner_job *j, char **words, pid_t parent)
{
    setpgid(0, 0);
    if (!cli_end_with(parent, SIGKILL)) /* a runner that is killed takes the run with it */
        _exit(126);
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(j->out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(j->err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    int good = chdir(j->dir) == 0;
    for (int k = 0; k < j->env->n; k++)
        good = good && putenv(j->env->v[k]) == 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (good)
        execv(j->program, words);
    cli_say("%s: %s", j->program, strerror(errno));
    _exit(126);
}

static int ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/* Until it has ended; first it is asked to, where it is late or we are to end. */
static void await(pid_t pid, const runner_job *j, runner_result *r)
{
    double deadline = cli_now() + j->timeout;
    int asked = 0;
    while (!ended(pid)) {
        const int s = next_signal(fmin(deadline - cli_now(), ORR_ENERGY_SECONDS));
        orr_energy_read(j->energy);
        if (s && s != SIGCHLD)
            r->interrupted = s;
        const int over = cli_now() >= deadline;
        if (ended(pid) || (!over && (!r->interrupted || asked)))
            continue;
        r->late |= over && !asked && !r->interrupted;
        kill(-pid, asked && over ? SIGKILL : SIGTERM);
        if (!asked++ || over)
            deadline = cli_now() + GRACE;
    }
}

static void describe(int status, const struct rusage *u, runner_result *r)
{
    r->exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
    r->cpu = (double)u->ru_utime.tv_sec + 1e-6 * (double)u->ru_utime.tv_usec +
             (double)u->ru_stime.tv_sec + 1e-6 * (double)u->ru_stime.tv_usec;
    r->rss = 1024.0 * (double)u->ru_maxrss;
}

void runner_run(const runner_job *j, runner_result *r)
{
    *r =
        (runner_result){.exit = -1, .signal = -1, .other = NAN, .steal = NAN, .joules = {NAN, NAN}};
    char **words = calloc((size_t)j->words->n + 1, sizeof *words);
    if (!words) {
        cli_say("out of memory");
        return;
    }
    memcpy(words, j->words->v, (size_t)j->words->n * sizeof *words);
    r->load = first_real("/proc/loadavg", 1);
    r->mhz = first_real("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", 1e-3);
    const struct ticks t0 = read_ticks();
    const struct orr_joules joules = orr_energy_read(j->energy);
    fflush(NULL);
    const double start = cli_now();
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(j, words, parent);
    if (pid < 0) {
        cli_say("fork: %s", strerror(errno));
    } else {
        int status = 0;
        struct rusage usage = {0};
        setpgid(pid, pid);
        await(pid, j, r);
        r->wall = cli_now() - start;
        r->joules = orr_energy_between(joules, orr_energy_read(j->energy), r->wall);
        kill(-pid, SIGKILL); /* what it left behind */
        while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
            ;
        r->started = 1;
        describe(status, &usage, r);
        const struct ticks t1 = read_ticks();
        const double all = r->wall * (double)sysconf(_SC_NPROCESSORS_ONLN);
        if (r->wall >= SHORT) {
            r->other = fmin(1, fmax(0, (t1.busy - t0.busy - r->cpu) / all));
            r->steal = (t1.steal - t0.steal) / all;
        }
    }
    free(words);
}
