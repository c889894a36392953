/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/trace/trace_picture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int orr_trace_run_shown(const struct orr_trace *t)
{
    int last = 0;
    for (size_t i = 0; i < t->count; i++)
        last = t->record[i].run > last ? t->record[i].run : last;
    return t->analysed >= 0 ? t->analysed : last;
}

static double first_time(const struct orr_trace *t)
{
    double t0 = t->count ? t->record[0].submit : 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->record[i].submit < t0)
            t0 = t->record[i].submit;
    return t0;
}

/* The command line of this process, its directory left out. */
static void tell_command(char *out, size_t room)
{
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(out, 1, room - 1, f) : 0;
    if (f)
        fclose(f);
    while (n && !out[n - 1])
        n--;
    out[n] = '\0';
    const char *name = strrchr(out, '/'); /* of the first word */
    const size_t path = name ? (size_t)(name + 1 - out) : 0;
    memmove(out, out + path, n + 1 - path);
    for (size_t i = 0; i < n - path; i++)
        if (!out[i])
            out[i] = ' ';
}

/* "on HOST, 2 CPU workers; policy lws; StarPU 1.3.10" */
static void tell_machine(const orr_context_info *i, char *out, size_t room)
{
    static const char *const kinds[] = {"CPU", "CUDA", "OpenCL"};
    const int workers[] = {i->cpu, i->cuda, i->opencl};
    char host[64] = "unknown";
    gethostname(host, sizeof host - 1);
    size_t n = (size_t)snprintf(out, room, "on %s", host);
    for (int k = 0; k < 3 && n < room; k++)
        if (workers[k])
            n += (size_t)snprintf(out + n, room - n, ", %d %s worker%s", workers[k], kinds[k],
                                  workers[k] > 1 ? "s" : "");
    if (n < room)
        snprintf(out + n, room - n, "; policy %s; StarPU %s", i->sched, i->starpu);
}

static int kind_of(int worker)
{
    switch (starpu_worker_get_type(worker)) {
    case STARPU_CUDA_WORKER: return ORR_KIND_CUDA;
    case STARPU_OPENCL_WORKER: return ORR_KIND_OPENCL;
    default: return ORR_KIND_CPU;
    }
}

struct orr_picture_worker *orr_trace_workers(int *workers)
{
    *workers = (int)starpu_worker_get_count();
    struct orr_picture_worker *w = calloc((size_t)*workers + 1, sizeof *w);
    for (int k = 0; w && k < *workers; k++) {
        starpu_worker_get_name(k, w[k].name, sizeof w[k].name);
        w[k].kind = kind_of(k);
        w[k].node = (int)starpu_worker_get_memory_node((unsigned)k);
    }
    return w;
}

int orr_trace_picture(struct orr_picture *p, const struct orr_trace *t,
                      const orr_context_info *info, const orr_analysis *last)
{
    *p = (struct orr_picture){.begin = "the first submission",
                              .nodes = (int)starpu_memory_nodes_get_count(),
                              .record = t->record,
                              .count = t->count,
                              .lost = t->lost,
                              .access = t->access,
                              .handles = t->handles,
                              .t0 = first_time(t),
                              .shown = orr_trace_run_shown(t),
                              .last = last};
    tell_command(p->command, sizeof p->command);
    tell_machine(info, p->machine, sizeof p->machine);
    p->worker = orr_trace_workers(&p->workers);
    p->node = calloc((size_t)p->nodes + 1, sizeof *p->node);
    for (int k = 0; p->node && k < p->nodes; k++)
        starpu_memory_node_get_name((unsigned)k, p->node[k], sizeof p->node[k]);
    return p->worker && p->node;
}

void orr_trace_picture_free(struct orr_picture *p)
{
    free(p->worker);
    free(p->node);
    p->worker = NULL;
    p->node = NULL;
}
