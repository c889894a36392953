/* The last run as a graph that can be run again in simulation: docs/simulation.md has the format.
 * Tasks come in the order of their submission. A task before which the program had waited for
 * all others to end begins a new phase; a line before it says how long the program took.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <unistd.h>

#include "src/trace_run.h"

static int by_number(const void *x, const void *y)
{
    const struct orr_trace_record *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

static int on_accelerator(int worker)
{
    return starpu_worker_get_type(worker) != STARPU_CPU_WORKER;
}

static void put_task(FILE *f, const struct orr_trace_record *r, int phase,
                     const struct orr_trace_access *a)
{
    const char *kind = on_accelerator(r->worker) ? "accelerator" : "cpu";
    fprintf(f, "task %s %s %llx %d %d %d %d %d %s %.3f %u", r->name, r->symbol ? r->symbol : "-",
            (unsigned long long)r->footprint, phase, r->priority, r->cpu_only, r->accel_only,
            r->cuda, kind, r->end - r->start, r->accesses);
    for (unsigned i = 0; i < r->accesses; i++)
        fprintf(f, " %llu:%d:%zu", (unsigned long long)a[r->first + i].data, a[r->first + i].mode,
                a[r->first + i].bytes);
    fputc('\n', f);
}

int orr_trace_write_graph(FILE *f, const struct orr_trace_view *v)
{
    const struct orr_trace *t = v->trace;
    const int run = orr_trace_run_shown(t);
    struct orr_trace_record *r = malloc((t->count + 1) * sizeof *r);
    size_t n = 0;
    char host[64] = "unknown";
    double end = 0;
    int phase = 0;
    gethostname(host, sizeof host - 1);
    if (!r)
        return 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->record[i].run == run)
            r[n++] = t->record[i];
    qsort(r, n, sizeof *r, by_number);
    fprintf(f, "orrery graph 1\nrecorded on %s cpu %u cuda %u opencl %u\ntasks %zu\n", host,
            starpu_cpu_worker_get_count(), starpu_cuda_worker_get_count(),
            starpu_opencl_worker_get_count(), n);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && r[i].submit > end) {
            phase++;
            fprintf(f, "pause %.3f\n", r[i].submit - end);
        }
        end = r[i].end > end ? r[i].end : end;
        put_task(f, &r[i], phase, t->access);
    }
    fprintf(f, "end\n");
    free(r);
    return 1;
}
