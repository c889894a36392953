/* See start.h. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include "src/cli/core/start.h"

#include "src/cli/core/lapack.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    int written, real;
} held = {-1, -1}; /* what goes to stderr, and where that was */

/* StarPU aborts where it cannot start, and says why before; a library may end the process by exit. */
static void pass_all_on(int sig)
{
    char text[512];
    (void)sig;
    if (held.written < 0)
        return;
    lseek(held.written, 0, SEEK_SET);
    for (ssize_t n; (n = read(held.written, text, sizeof text)) > 0;)
        if (write(held.real, text, (size_t)n) < 0)
            break;
}

static void at_exit(void) { pass_all_on(0); }

static int of_no_use(const char *line)
{
    return strstr(line, "[_perf_model_add_dir] Warning: ") &&
           strstr(line, " as set by installation directory does not exist");
}

static void hold(struct sigaction *before)
{
    static int known;
    if (!known)
        known = atexit(at_exit) == 0;
    fflush(stderr);
    held.real = dup(STDERR_FILENO);
    held.written = memfd_create("stderr", MFD_CLOEXEC);
    if (held.real < 0 || held.written < 0 || dup2(held.written, STDERR_FILENO) < 0)
        return;
    struct sigaction pass = {.sa_handler = pass_all_on};
    sigaction(SIGABRT, &pass, before);
}

static void let_go(const struct sigaction *before)
{
    char line[4096];
    fflush(stderr);
    if (held.written < 0 || dup2(held.real, STDERR_FILENO) < 0)
        return;
    sigaction(SIGABRT, before, NULL);
    lseek(held.written, 0, SEEK_SET);
    FILE *f = fdopen(held.written, "r");
    while (f && fgets(line, sizeof line, f))
        if (!of_no_use(line))
            fputs(line, stderr);
    if (f)
        fclose(f);
    close(held.real);
    held.written = held.real = -1;
}

static void say_wait(const char *what, void *unused)
{
    (void)unused;
    dprintf(held.real < 0 ? STDERR_FILENO : held.real, "orrery: %s\n", what);
}

orr_status cli_start(const orr_context_opts *o, int waits, orr_context **context)
{
    struct sigaction before = {.sa_handler = SIG_DFL};
    orr_on_wait(waits ? say_wait : NULL, NULL);
    hold(&before);
    const orr_status st = orr_open(o, context);
    let_go(&before);
    cli_lapack_threads(cli_own_lapack(),
                       1); /* also between operations: what is compared says how many */
    return st;
}

void cli_blas_core_forget(void)
{
    if (getenv(CLI_BLAS_CORE_WAS)) {
        unsetenv(OPENBLAS_CORETYPE);
        unsetenv(CLI_BLAS_CORE_WAS);
    }
}
