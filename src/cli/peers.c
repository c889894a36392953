/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void cli_blas_threads(int threads)
{
    static const char *const setters[] = { "openblas_set_num_threads", "MKL_Set_Num_Threads" };
    for (size_t k = 0; k < sizeof setters / sizeof *setters; k++) {
        void (*set)(int);
        *(void **)&set = dlsym(RTLD_DEFAULT, setters[k]);
        if (set)
            set(threads);
    }
}

void *cli_lapack_routine(const char *name)
{
    char symbol[40];
    snprintf(symbol, sizeof symbol, "%s_", name);
    return dlsym(RTLD_DEFAULT, symbol);
}

int cli_peers_add(cli_peers *p, int which, const char *name, int cpus)
{
    if (p->count == CLI_MAX_REFS)
        return CLI_OK;
    double *seconds = calloc((size_t)p->repeat + 1, sizeof *seconds);
    if (!seconds)
        return CLI_MEMORY;
    const double one = p->run(p->problem, which, 1);
    const double all = cpus > 1 ? p->run(p->problem, which, cpus) : -1;
    const int k = p->count++;
    p->peer[k].which = which;
    p->peer[k].threads = all > 0 && all < one ? cpus : 1;
    p->peer[k].seconds = seconds;
    snprintf(p->peer[k].name, sizeof p->peer[k].name, "%s", name);
    return CLI_OK;
}

void cli_peers_round(cli_peers *p, int k)
{
    for (int i = 0; i < p->count; i++)
        p->peer[i].seconds[k] = p->run(p->problem, p->peer[i].which, p->peer[i].threads);
}

void cli_peers_end(cli_peers *p, cli_record *rec)
{
    for (int i = 0; i < p->count; i++) {
        const cli_seconds s = cli_statistics(p->peer[i].seconds, p->repeat);
        if (rec && s.min < 0)
            cli_say("%s failed", p->peer[i].name);
        if (rec && s.min >= 0) {
            cli_reference *ref = &rec->ref[rec->refs++];
            snprintf(ref->name, sizeof ref->name, "lapack %s", p->peer[i].name);
            ref->threads = p->peer[i].threads;
            ref->seconds = s;
        }
        free(p->peer[i].seconds);
    }
    p->count = 0;
}
