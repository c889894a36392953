/* See plan.h. Tasks are gathered by codelet and shape: of each shape the models are asked once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/plan.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/rates.h"
#include "codelets/core/submit.h"

enum {
    SLOTS = 1 << 14,     /* of shapes; more than that are added to their codelet by its rate */
    HANDLE_BYTES = 3000, /* StarPU's own of a piece of data, where malloc does not tell; 1.3.10's */
    TASK_BYTES = 3000,   /* likewise of a task in flight */
    PROBES = 64          /* pieces of data whose bytes are measured */
};

/* A shape of a codelet: what one task of it takes. */
struct shape {
    const struct starpu_codelet *codelet; /* NULL: a free slot */
    uint32_t key;
    size_t size;
    double seconds; /* per unit of size; 0: no model knows it */
};

struct row {
    const struct starpu_codelet *codelet;
    int64_t tasks, known; /* known: tasks of which a model knows the time */
    double work, seconds, wall;
};

struct orr_planner {
    struct row row[ORR_PLAN_ROWS];
    int rows, workers;
    struct shape *shape;
    int64_t shapes, times, group, tasks, handles, in_flight;
    double bytes;
    char refused[256], note[256];
    int64_t most;
};

struct orr_planner *orr_planner_make(void)
{
    struct orr_planner *p = calloc(1, sizeof *p);
    if (p)
        p->shape = calloc(SLOTS, sizeof *p->shape);
    if (p && !p->shape) {
        free(p);
        return NULL;
    }
    if (p) {
        p->times = p->group = 1;
        p->workers = (int)starpu_worker_get_count();
    }
    return p;
}

void orr_planner_free(struct orr_planner *p)
{
    if (p)
        free(p->shape);
    free(p);
}

/* ---- Models ------------------------------------------------------------------------------------ */

/* A model's name ends in its type, "_d"; half precision counts as single. */
static orr_type type_of(const struct starpu_codelet *cl)
{
    const char *symbol = cl->model ? cl->model->symbol : "";
    const size_t n = strlen(symbol);
    switch (n > 2 && symbol[n - 2] == '_' ? symbol[n - 1] : 'd') {
    case 's':
    case 'h': return ORR_S;
    case 'c': return ORR_C;
    case 'z': return ORR_Z;
    default: return ORR_D;
    }
}

static int may_run_on(const struct orr_task *t, const struct starpu_codelet *cl,
                      enum starpu_worker_archtype type)
{
    if (type == STARPU_CPU_WORKER)
        return !t->accel_only && cl->cpu_funcs[0] != NULL;
    return !t->cpu_only &&
           (type == STARPU_CUDA_WORKER ? cl->cuda_funcs[0] != NULL : cl->opencl_funcs[0] != NULL);
}

/* What the models say of one task on this kind of worker, or 0. */
static double asked(struct starpu_codelet *cl, void *args, enum starpu_worker_archtype type)
{
    const struct orr_task *t = args;
    const int worker = starpu_worker_get_by_type(type, 0);
    unsigned impl = 0;
    if (worker < 0 || !cl->model || !may_run_on(t, cl, type))
        return 0;
    const uint32_t may = type == STARPU_CPU_WORKER    ? t->cpu_impls
                         : type == STARPU_CUDA_WORKER ? t->cuda_impls
                                                      : 0;
    while (may && !(may >> impl & 1))
        impl++;
    if (impl >= STARPU_MAXIMPLEMENTATIONS) /* one that no CPU has: the task is for accelerators */
        return 0;
    struct starpu_task task;
    starpu_task_init(&task);
    task.cl = cl;
    task.cl_arg = args;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
    const locale_t locale = orr_numbers_begin();
    const double us = starpu_task_expected_length(&task, arch, impl);
    orr_numbers_end(locale);
    task.cl_arg = NULL;
    starpu_task_clean(&task);
    return isfinite(us) && us > 0 ? 1e-6 * us : 0;
}

/* Of one task, if it is shared among all workers that may run it; 0: nobody knows. */
static double predicted(struct starpu_codelet *cl, void *args)
{
    const double cpu = asked(cl, args, STARPU_CPU_WORKER);
    const double cuda = asked(cl, args, STARPU_CUDA_WORKER);
    return cuda > 0 && (cpu == 0 || cuda < cpu) ? cuda : cpu;
}

/* ---- Counting ------------------------------------------------------------------------------------ */

static struct row *row_of(struct orr_planner *p, const struct starpu_codelet *cl)
{
    for (int k = 0; k < p->rows; k++)
        if (!strcmp(p->row[k].codelet->name, cl->name))
            return &p->row[k];
    if (p->rows == ORR_PLAN_ROWS)
        return &p->row[p->rows - 1];
    p->row[p->rows].codelet = cl;
    return &p->row[p->rows++];
}

static const struct shape *shape_of(struct orr_planner *p, struct starpu_codelet *cl, void *args)
{
    const struct orr_task *t = args;
    uint32_t at = (t->key ^ (uint32_t)((uintptr_t)cl >> 4)) * 2654435761u % SLOTS;
    while (p->shape[at].codelet && (p->shape[at].codelet != cl || p->shape[at].key != t->key))
        at = (at + 1) % SLOTS;
    struct shape *s = &p->shape[at];
    if (s->codelet || p->shapes >= SLOTS / 2)
        return s;
    p->shapes++;
    *s = (struct shape){.codelet = cl, .key = t->key, .size = t->size[0]};
    s->seconds = predicted(cl, args) / (double)(s->size ? s->size : 1);
    return s;
}

int orr_plan_task(struct orr_request *r, struct starpu_codelet *cl, void *args)
{
    struct orr_planner *p = r->plan;
    const struct orr_task *t = args;
    const struct shape *s = shape_of(p, cl, args);
    struct row *row = row_of(p, cl);
    const int64_t times = p->times * p->group;
    const double work = (double)times * (double)t->size[0];
    row->tasks += times;
    row->work += work;
    if (s->seconds > 0)
        row->known += times;
    row->seconds += s->seconds > 0    ? work * s->seconds
                    : t->expected > 0 ? (double)times * t->expected
                                      : orr_rate_seconds(cl->name, type_of(cl), work);
    p->tasks += times;
    p->times = 1;
    p->in_flight = p->tasks < r->in_flight ? p->tasks : r->in_flight;
    free(args);
    return 0;
}

int64_t orr_plan_alike(struct orr_request *r, int64_t i, int64_t from, int64_t to)
{
    if (!r->plan || i < from || i >= to)
        return 1;
    r->plan->times *= to - i;
    return to - i;
}

void orr_plan_group(struct orr_request *r, int64_t times)
{
    if (r->plan)
        r->plan->group = times;
}

void orr_plan_note(struct orr_request *r, const char *note)
{
    if (r->plan)
        snprintf(r->plan->note, sizeof r->plan->note, "%s", note);
}

void orr_plan_bytes(struct orr_request *r, double bytes)
{
    if (r->plan)
        r->plan->bytes += bytes;
}

void orr_plan_refuse(struct orr_request *r, const char *why, int64_t most)
{
    if (!r->plan || !why || *r->plan->refused)
        return;
    snprintf(r->plan->refused, sizeof r->plan->refused, "%s", why);
    r->plan->most = most;
}

void orr_plan_wall(struct orr_request *r, const char *codelet, double seconds)
{
    for (int k = 0; r->plan && k < r->plan->rows; k++)
        if (!strcmp(r->plan->row[k].codelet->name, codelet))
            r->plan->row[k].wall = seconds;
}

/* ---- Data ---------------------------------------------------------------------------------------- */

enum { LARGE = 4 << 20 }; /* bytes from which on large pages are worth it */

void *orr_request_memory(struct orr_request *r, size_t alignment, size_t bytes)
{
    if (r->plan) {
        r->plan->bytes += (double)bytes;
        return malloc(1);
    }
    if (bytes >= LARGE)
        return orr_large_memory(bytes);
    return alignment ? aligned_alloc(alignment, bytes) : malloc(bytes);
}

starpu_data_handle_t orr_plan_handle(struct orr_request *r)
{
    r->plan->handles++;
    return (starpu_data_handle_t)(void *)r->plan; /* nobody looks into it */
}

starpu_data_handle_t orr_request_matrix(struct orr_request *r, const void *memory, int64_t ld,
                                        int64_t rows, int64_t columns, size_t element_size)
{
    return orr_request_matrix_on(r, STARPU_MAIN_RAM, memory, ld, rows, columns, element_size);
}

starpu_data_handle_t orr_request_matrix_on(struct orr_request *r, int node, const void *memory,
                                           int64_t ld, int64_t rows, int64_t columns,
                                           size_t element_size)
{
    starpu_data_handle_t h;
    if (r->plan)
        return orr_plan_handle(r);
    starpu_matrix_data_register(&h, node, (uintptr_t)memory, (uint32_t)ld, (uint32_t)rows,
                                (uint32_t)columns, element_size);
    return orr_request_keep(r, h) == ORR_OK ? h : NULL;
}

starpu_data_handle_t orr_request_temporary(struct orr_request *r, int64_t elements,
                                           size_t element_size)
{
    starpu_data_handle_t h;
    if (r->plan)
        return orr_plan_handle(r);
    starpu_vector_data_register(&h, -1, 0, (uint32_t)elements, element_size);
    return h;
}

starpu_data_handle_t orr_request_temporary_matrix(struct orr_request *r, int64_t rows,
                                                  int64_t columns, size_t element_size)
{
    starpu_data_handle_t h;
    if (r->plan)
        return orr_plan_handle(r);
    starpu_matrix_data_register(&h, -1, 0, (uint32_t)rows, (uint32_t)rows, (uint32_t)columns,
                                element_size);
    return h;
}

void orr_request_forget(struct orr_request *r, starpu_data_handle_t h)
{
    if (!r->plan)
        starpu_data_unregister_submit(h);
}

/* ---- The result ---------------------------------------------------------------------------------- */

static orr_plan_source source_of(const struct row *r)
{
    return r->known == r->tasks ? ORR_PLAN_MODEL
           : r->known > 0       ? ORR_PLAN_PARTLY
           : r->seconds > 0     ? ORR_PLAN_ESTIMATE
                                : ORR_PLAN_UNKNOWN;
}

/* Its part of the whole: on all workers that have a task of it. */
static double share(const struct orr_planner *p, const struct row *r)
{
    const int64_t workers = r->tasks < p->workers ? r->tasks : p->workers;
    return fmax(r->seconds / (double)(workers > 0 ? workers : 1), r->wall);
}

/* What StarPU keeps of a piece of data depends on its version and on the most workers that it was
 * built for: 3 KiB in Debian's 1.3.10, 20 in a 1.4.10. */
static double handle_bytes(void)
{
    double bytes = 0;
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    starpu_data_handle_t h[PROBES];
    const double before = (double)mallinfo2().uordblks;
    for (int k = 0; k < PROBES; k++)
        starpu_vector_data_register(&h[k], -1, 0, 1, 1);
    bytes = ((double)mallinfo2().uordblks - before) / PROBES;
    for (int k = 0; k < PROBES; k++)
        starpu_data_unregister_no_coherency(h[k]);
#endif
    return fmax(bytes, HANDLE_BYTES);
}

void orr_planner_result(const struct orr_planner *p, orr_plan *plan)
{
    double seconds = 0;
    plan->rows = p->rows;
    plan->tasks = p->tasks;
    plan->flops = 0;
    for (int k = 0; k < p->rows; k++) {
        const struct row *r = &p->row[k];
        orr_plan_row *row = &plan->row[k];
        *row = (orr_plan_row){
            .tasks = r->tasks,
            .flops = orr_rate_operations(r->codelet->name, type_of(r->codelet), r->work),
            .seconds = r->seconds,
            .source = source_of(r)};
        snprintf(row->codelet, sizeof row->codelet, "%s", r->codelet->name);
        plan->flops += row->flops;
        seconds += share(p, r);
    }
    plan->seconds = seconds;
    plan->source = ORR_PLAN_MODEL;
    for (int k = 0; k < p->rows; k++) /* what is less than a twentieth does not matter */
        if (share(p, &p->row[k]) > 0.05 * seconds && plan->row[k].source < plan->source)
            plan->source = plan->row[k].source;
    if (seconds <= 0)
        plan->source = ORR_PLAN_UNKNOWN;
    plan->bytes =
        p->bytes + (double)p->handles * handle_bytes() + (double)(p->in_flight * TASK_BYTES);
    snprintf(plan->refused, sizeof plan->refused, "%s", p->refused);
    plan->most = p->most;
    snprintf(plan->note, sizeof plan->note, "%s", p->note);
}
