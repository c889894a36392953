/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_DEEPBIND, dladdr */
#include "src/cli/core/lapack.h"
#include "src/cli/core/simd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deep: its own routines, and those of the libraries it needs, come before ours. The runtimes of the
 * sanitizers refuse that. */
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { HOW = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };
#else
enum { HOW = RTLD_NOW | RTLD_LOCAL };
#endif

int cli_is_library(const char *word) { return strchr(word, '/') || strstr(word, ".so"); }

static cli_routine *find(const cli_lapack *l, const char *symbol)
{
    cli_routine *f;
    *(void **)&f = dlsym(l->handle ? l->handle : RTLD_DEFAULT, symbol);
    return f;
}

cli_routine *cli_lapack_routine(const cli_lapack *l, const char *name)
{
    char symbol[40];
    snprintf(symbol, sizeof symbol, "%s_", name);
    return find(l, symbol);
}

int cli_lapack_threads(const cli_lapack *l, int threads)
{
    static const char *const setters[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};
    int told = 0;
    for (size_t k = 0; k < sizeof setters / sizeof *setters; k++) {
        cli_routine *set = find(l, setters[k]);
        if (set)
            ((void (*)(int))set)(threads);
        told |= set != NULL;
    }
    cli_routine *blis = find(l, "bli_thread_set_num_threads");
    if (blis)
        ((void (*)(int64_t))blis)(threads);
    return told || blis;
}

/* ---- What it is ----------------------------------------------------------------------------- */

/* BLAS's own words, then the release of LAPACK. */
static void ask_version(cli_lapack *l)
{
    char blas[200] = "";
    cli_routine *f;
    if ((f = find(l, "MKL_Get_Version_String")))
        ((void (*)(char *, int))f)(blas, (int)sizeof blas - 1);
    else if ((f = find(l, "openblas_get_config")))
        snprintf(blas, sizeof blas, "%s", ((const char *(*)(void))f)());
    else if ((f = find(l, "bli_info_get_version_str")))
        snprintf(blas, sizeof blas, "BLIS %s", ((const char *(*)(void))f)());
    for (size_t n = strlen(blas); n > 0 && blas[n - 1] == ' '; n--)
        blas[n - 1] = '\0';
    int major = 0, minor = 0, patch = 0;
    if ((f = find(l, "ilaver_")))
        ((void (*)(int *, int *, int *))f)(&major, &minor, &patch);
    if (major > 0)
        snprintf(l->version, sizeof l->version, "%s%sLAPACK %d.%d.%d", blas, *blas ? "; " : "",
                 major, minor, patch);
    else
        snprintf(l->version, sizeof l->version, "%s", blas);
}

/* A comparison with a library that is not told what the processor can do is none. */
static void tell_narrow(const cli_lapack *l)
{
    cli_routine *f = find(l, "openblas_get_corename");
    const char *core = f ? ((const char *(*)(void))f)() : "";
    if (cli_blas_core_is_narrow(core))
        cli_say(
            "--ref %s: OpenBLAS uses its kernels for %s, made for %s, and this CPU has %s: it would "
            "be faster with others (orrery doctor)",
            l->label, core, cli_simd_name(cli_blas_core_simd(core)), cli_simd_name(cli_simd()));
}

static void ask_path(cli_lapack *l)
{
    cli_routine *f = cli_lapack_routine(l, "dsyevd");
    Dl_info where;
    if (!f || !dladdr(*(void **)&f, &where) || !where.dli_fname)
        return;
    char *real = realpath(where.dli_fname, NULL);
    snprintf(l->path, sizeof l->path, "%s", real ? real : where.dli_fname);
    free(real);
}

/* "libmkl_rt" of "/opt/lib/libmkl_rt.so.2". */
static void name_it(cli_lapack *l, const char *path)
{
    const char *base = strrchr(path, '/');
    snprintf(l->label, sizeof l->label, "%s", base ? base + 1 : path);
    char *suffix = strstr(l->label, ".so");
    if (suffix)
        *suffix = '\0';
}

const cli_lapack *cli_own_lapack(void)
{
    static const cli_lapack own = {.label = "lapack"};
    return &own;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* Reads n as 3 with 32-bit integers; with 64-bit ones it is negative, and nothing is looked at. */
static int wide_integers(const cli_lapack *l)
{
    cli_routine *f = find(l, "idamax_");
    const double x[3] = {1, 3, 2};
    const int n[2] = {3, -1}, one[2] = {1, 0};
    return f && ((int (*)(const int *, const double *, const int *))f)(n, x, one) != 2;
}

static int refuse(const char *path, const char *why)
{
    cli_say("--ref %s: %s", path, why);
    return CLI_FILE;
}

static int load(cli_lapack *l, const char *path)
{
    l->handle = dlopen(path, HOW);
    if (!l->handle)
        return refuse(path, dlerror());
    name_it(l, path);
    if (!cli_lapack_routine(l, "dsyevd"))
        return refuse(path, find(l, "dsyevd_64_") || find(l, "dsyevd_64")
                                ? "has names of 64-bit integers only (dsyevd_64_); its build with "
                                  "32-bit integers (LP64) is needed"
                                : "has no dsyevd_; it is no LAPACK");
    return wide_integers(l) ? refuse(path, "has 64-bit integers under the plain names (dsyevd_); "
                                           "its build with 32-bit integers (LP64) is needed")
                            : CLI_OK;
}

static int add(cli_lapacks *all, const char *word)
{
    if (all->count == CLI_MAX_LAPACKS) {
        cli_say("--ref: %d libraries at most", CLI_MAX_LAPACKS);
        return CLI_USAGE;
    }
    cli_lapack *l = &all->one[all->count++];
    *l = *cli_own_lapack();
    const int code = cli_is_library(word) ? load(l, word) : CLI_OK;
    if (code == CLI_OK) {
        ask_path(l);
        ask_version(l);
        tell_narrow(l);
    }
    return code;
}

int cli_lapacks_open(cli_lapacks *all, const cli_words *ref)
{
    int code = CLI_OK;
    *all = (cli_lapacks){.count = 0};
    for (int64_t k = 0; ref && k < ref->n && code == CLI_OK; k++)
        if (!strcmp(ref->v[k], "lapack") || cli_is_library(ref->v[k]))
            code = add(all, ref->v[k]);
    return code;
}

void cli_lapacks_close(cli_lapacks *all)
{
    /* The files stay: threads of theirs may be asleep in them. */
    all->count = 0;
}
