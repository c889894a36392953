/* Opens cuSOLVER. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/reference.h"

#ifdef ORR_WITH_CUDA

#include "src/cli/core/run.h"
#include "src/cli/peers/cusolver.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_(x)         #x
#define TEXT(x)          TEXT_(x)
#define CUSOLVER_LIBRARY "libcusolver.so." TEXT(CUSOLVER_VER_MAJOR)
#if CUDART_VERSION >= 13000
#define CUDART_LIBRARY "libcudart.so.13"
#else
#define CUDART_LIBRARY "libcudart.so.12"
#endif

struct cusolver_functions cusolver;

struct function {
    const char *name;
    void **at;
};
#define ENTRY(f) {#f, (void **)&cusolver.f},

static int open_library(const char *name, const struct function *f)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        cli_say("--ref cusolver: %s", dlerror());
        return CLI_SKIPPED;
    }
    for (; f->name; f++)
        if (!(*f->at = dlsym(library, f->name))) {
            cli_say("--ref cusolver: %s has no %s", name, f->name);
            return CLI_SKIPPED;
        }
    return CLI_OK;
}

static int look_for_a_device(void)
{
    int devices = 0;
    const cudaError_t e = cusolver.cudaGetDeviceCount(&devices);
    if (e == cudaSuccess && devices > 0)
        return CLI_OK;
    cli_say("--ref cusolver: no CUDA device (%s)", cusolver.cudaGetErrorString(e));
    return CLI_SKIPPED;
}

/* By a child: the command computes in one, and CUDA does not survive a fork. */
static int find_a_device(void)
{
    int status = 0;
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        _exit(cli_end_with(parent, SIGKILL) ? look_for_a_device() : CLI_SKIPPED);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
        cli_say("--ref cusolver: CUDA does not start");
        return CLI_SKIPPED;
    }
    return WEXITSTATUS(status);
}

int reference_cusolver_open(void)
{
    const struct function runtime[] = {CUSOLVER_RUNTIME(ENTRY){0}};
    const struct function solver[] = {CUSOLVER_SOLVER(ENTRY){0}};
    int code = open_library(CUDART_LIBRARY, runtime);
    if (code != CLI_OK)
        return code;
    code = find_a_device();
    return code == CLI_OK ? open_library(CUSOLVER_LIBRARY, solver) : code;
}

#else

int reference_cusolver_open(void)
{
    cli_say("--ref cusolver: this orrery was built without CUDA");
    return CLI_SKIPPED;
}

#endif
