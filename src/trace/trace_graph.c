/* The last run as a graph that can be run again in simulation: docs/simulation.md has the format.
 * Tasks come in the order of their submission. A task before which the program had waited for
 * all others to end begins a new phase; a line before it says how long the program took.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/graph/dag.h"
#include "src/trace/trace_picture.h"

static int by_number(const void *x, const void *y)
{
    const struct orr_trace_record *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

static enum orr_dag_kind kind_of(int worker)
{
    const enum starpu_worker_archtype type = starpu_worker_get_type(worker);
    return type == STARPU_CPU_WORKER    ? ORR_DAG_CPU
           : type == STARPU_CUDA_WORKER ? ORR_DAG_CUDA
                                        : ORR_DAG_OPENCL;
}

/* number[]: of each handle of the trace the data's in the graph, which has one run only; 0: none. */
static void put_task(struct orr_dag *g, uint64_t *number, const struct orr_trace *trace,
                     const struct orr_trace_record *r, double t0)
{
    struct orr_dag_task *t = orr_dag_task(g, r->name, r->symbol);
    if (!t)
        return;
    t->footprint = r->footprint;
    t->priority = r->priority;
    t->wants = r->cpu_only ? ORR_WANTS_CPU : r->accel_only ? ORR_WANTS_ACCELERATOR : ORR_WANTS_ANY;
    t->owner = r->owner ? starpu_memory_node_get_devid((unsigned)r->owner) : -1;
    t->kind = (int)kind_of(r->worker);
    t->where = 1u << ORR_DAG_CPU | 1u << t->kind | (r->cuda ? 1u << ORR_DAG_CUDA : 0);
    t->sync = r->sync ? 1u << t->kind : 0;
    t->worker = r->worker;
    t->node = (int)starpu_worker_get_memory_node((unsigned)r->worker);
    t->submit = r->submit - t0;
    t->ready = r->ready - t0;
    t->start = r->start - t0;
    t->end = r->end - t0;
    t->t[t->kind] = r->end - r->start;
    for (unsigned i = 0; i < r->accesses; i++) {
        const struct orr_trace_access *a = &trace->access[r->first + i];
        if (!number[a->data])
            number[a->data] = orr_dag_data(g, a->bytes);
        orr_dag_access(g, number[a->data], a->mode & ORR_ACCESS_OF_STARPU, a->bytes);
    }
}

static void put_run(struct orr_dag *g, uint64_t *number, const struct orr_trace *trace,
                    const struct orr_trace_record *r, size_t n)
{
    double end = 0;
    int phase = 0;
    for (size_t i = 0; i < n; i++) {
        put_task(g, number, trace, &r[i], r[0].submit);
        if (g->failed)
            return;
        struct orr_dag_task *t = &g->task[i];
        if (i > 0 && r[i].submit > end) {
            phase++;
            t->pause = r[i].submit - end;
        }
        t->phase = phase;
        end = fmax(end, r[i].end);
    }
}

int orr_trace_write_graph(FILE *f, const struct orr_trace *trace)
{
    const int run = orr_trace_run_shown(trace);
    struct orr_trace_record *r = malloc((trace->count + 1) * sizeof *r);
    uint64_t *number = calloc(trace->handles + 1, sizeof *number);
    size_t n = 0;
    struct orr_dag g;
    orr_dag_init(&g);
    gethostname(g.host, sizeof g.host - 1);
    g.workers[ORR_DAG_CPU] = (int)starpu_cpu_worker_get_count();
    g.workers[ORR_DAG_CUDA] = (int)starpu_cuda_worker_get_count();
    g.workers[ORR_DAG_OPENCL] = (int)starpu_opencl_worker_get_count();
    for (size_t i = 0; r && i < trace->count; i++)
        if (trace->record[i].run == run)
            r[n++] = trace->record[i];
    if (r && number) {
        qsort(r, n, sizeof *r, by_number);
        put_run(&g, number, trace, r, n);
        g.failed = g.failed || !orr_dag_write(&g, f);
    }
    const int ok = r && number && !g.failed;
    orr_dag_free(&g);
    free(number);
    free(r);
    return ok;
}
