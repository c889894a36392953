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

/* ---- What a unit of work is and takes --------------------------------------------------------- */

/* Operations of a unit, in real types; and seconds of a billion units for s, d, c, z where no model
 * is: the means of perfmodels/ci-2core. */
static const struct rate {
    const char *codelet;
    double flops, seconds[ORR_NTYPES];
} rates[] = {
    {"he2hb_load", 0, {0.28, 0.54, 0.47, 0.64}},
    {"he2hb_panel", 2, {0.15, 0.21, 0.29, 0.43}},
    {"he2hb_move", 0, {0.1, 0.2, 0.2, 0.4}},
    {"he2hb_spread", 0, {0.2, 0.4, 0.4, 0.8}},
    {"he2hb_product", 2, {0.030, 0.060, 0.10, 0.20}},
    {"he2hb_middle", 2, {0.023, 0.039, 0.065, 0.11}},
    {"he2hb_factor", 2, {0.024, 0.049, 0.081, 0.16}},
    {"he2hb_update", 4, {0.029, 0.060, 0.10, 0.22}},
    {"he2hb_join", 2, {0.030, 0.060, 0.10, 0.20}},
    {"he2hb_apply", 4, {0.053, 0.10, 0.18, 0.34}},
    {"hb2st_load", 0, {0.10, 0.23, 0.25, 0.54}},
    {"hb2st_chase", 12, {0.17, 0.26, 0.10, 0.18}},
    {"hb2st_halve", 0, {0.10, 0.23, 0.25, 0.54}},
    {"hb2st_store", 0, {0.021, 0.029, 0.029, 0.043}},
    {"hb2st_unit", 0, {0.082, 0.21, 0.22, 0.39}},
    {"hb2st_apply", 1.8, {0.035, 0.046, 0.064, 0.10}},
    {"hegv_potrf", 1, {0.10, 0.13, 0.18, 0.25}},
    {"hegv_gst", 1, {0.20, 0.22, 0.41, 0.41}},
    {"hegv_triangle", 1, {0.037, 0.061, 0.10, 0.18}},
    {"hegv_multiply", 1, {0.013, 0.023, 0.039, 0.079}},
    {"hegv_hermitian", 1, {0.016, 0.029, 0.040, 0.067}},
    {"hegv_update", 1, {0.0092, 0.020, 0.024, 0.050}},
    {"heev_count", 8, {18, 18, 18, 18}},
    {"heev_values", 20, {2.8, 3.3, 2.7, 3.1}},
    {"heev_vectors", 1.3, {0.12, 0.20, 0.12, 0.20}},
    {"heev_direct", 1.3, {0.04, 0.04, 0.08, 0.08}},
    {"heev_reduce", 1.3, {0.02, 0.03, 0.06, 0.06}},
    {"heev_rest", 0, {1e5, 2e5, 4e5, 5e5}},
    {"heev_back", 2, {0.02, 0.04, 0.08, 0.15}},
    {"heev_leaf", 1.3, {0.25, 0.28, 0.25, 0.28}},
    {"heev_deflate", 0, {40, 50, 40, 50}},
    {"heev_arrange", 0, {0.9, 1.8, 0.9, 1.8}},
    {"heev_secular", 4, {3.4, 6.4, 3.5, 6.6}},
    {"heev_weigh", 2, {1.6, 2.0, 1.6, 2.2}},
    {"heev_coefficients", 3, {1.5, 3, 1.5, 3}},
    {"heev_product", 1, {0.009, 0.020, 0.009, 0.021}},
    {"heev_order", 0, {2.6, 3.5, 2.7, 4.0}},
    {"heev_place", 0, {0.12, 0.28, 0.24, 0.54}},
    {"ge2gb_load", 0, {0.54, 0.53, 0.67, 0.70}},
    {"ge2gb_stack", 0, {0.54, 0.53, 0.67, 0.70}},
    {"ge2gb_unstack", 0, {0.1, 0.2, 0.2, 0.4}},
    {"ge2gb_panel", 2, {0.08, 0.11, 0.27, 0.41}},
    {"ge2gb_move", 0, {0.1, 0.2, 0.2, 0.4}},
    {"ge2gb_product", 2, {0.023, 0.049, 0.086, 0.17}},
    {"ge2gb_update", 2, {0.019, 0.039, 0.072, 0.14}},
    {"ge2gb_join", 2, {0.030, 0.060, 0.10, 0.20}},
    {"ge2gb_apply", 4, {0.051, 0.10, 0.17, 0.34}},
    {"gb2bd_load", 0, {0.16, 0.33, 0.17, 0.33}},
    {"gb2bd_qr", 4, {0.21, 0.21, 0.33, 0.38}},
    {"gb2bd_chase", 8, {0.15, 0.20, 0.088, 0.14}},
    {"gb2bd_store", 0, {0.025, 0.031, 0.089, 0.12}},
    {"gb2bd_phases", 0, {0, 0, 36, 38}},
    {"gb2bd_qr_apply", 4, {0.051, 0.10, 0.17, 0.34}},
    {"gesvd_values", 20, {8.0, 12, 7.8, 11}},
    {"gesvd_piece", 180, {3.4, 4.0, 3.4, 4.0}},
    {"gesvd_vectors", 2.7, {0.10, 0.18, 0.11, 0.19}},
    {"gesvd_tree", 2.7, {0.40, 0.52, 0.40, 0.52}},
    {"gesvd_deflate", 1, {0.10, 0.14, 0.10, 0.14}},
    {"gesvd_arrange", 0, {0.4, 0.8, 0.4, 0.8}},
    {"gesvd_secular", 8, {6, 10, 6, 10}},
    {"gesvd_weigh", 2, {3, 3.4, 3, 3.4}},
    {"gesvd_coefficients", 8, {4, 10, 4, 10}},
    {"gesvd_product", 1, {0.009, 0.020, 0.009, 0.021}},
    {"gesvd_order", 0, {9, 13, 9, 13}},
    {"gesvd_direct", 2.7, {0.1, 0.1, 0.2, 0.2}},
    {"gesvd_begin", 2.7, {0.1, 0.1, 0.2, 0.2}},
    {"gesvd_side", 2.7, {0.1, 0.1, 0.2, 0.2}},
    {"gesvd_place", 0, {0.49, 0.72, 0.85, 1.2}},
    {"heevj_chunk", 9, {0.23, 0.39, 0.38, 0.68}},
    {"heevj_block_start", 0, {2.2, 3.0, 3.6, 4.4}},
    {"heevj_block_sweep", 9, {0.28, 0.55, 0.83, 1.7}},
    {"heevj_block_compact", 0, {100, 100, 100, 100}},
    {"heevj_block_finish", 0, {0.86, 1.0, 1.5, 2.6}},
    {"heevj_check", 2, {0.052, 0.049, 0.10, 0.11}},
    {"heevj_copy", 0, {0.084, 0.19, 0.20, 0.59}},
    {"heevj_gather", 0, {0.035, 0.035, 0.035, 0.035}},
    {"gesvj_start", 9, {0.28, 0.53, 0.86, 1.4}},
    {"gesvj_gram", 2, {0.022, 0.018, 0.050, 0.089}},
    {"gesvj_evd", 2, {0.022, 0.018, 0.050, 0.089}},
    {"gesvj_angle", 2, {0.022, 0.018, 0.050, 0.089}},
    {"gesvj_update", 8, {0.034, 0.055, 0.19, 0.37}},
    {"gesvj_update_v", 8, {0.034, 0.055, 0.19, 0.37}},
    {"gesvj_measure", 0, {30, 30, 30, 30}},
    {"gesvj_finish", 4, {0.040, 0.072, 0.11, 0.20}},
    {"gesvj_chunk", 12, {0.065, 0.11, 0.13, 0.23}},
    {"gesvj_check", 4, {0.16, 0.15, 0.32, 0.31}},
    {"heevj_scatter", 0, {0.047, 0.047, 0.047, 0.047}},
    /* sparse: a unit is a byte or an entry of a vector, and operations are not what takes time;
     * laplace3d:60 and rmat:17:16 on one core with AVX-512 */
    {"powm_random", 0, {2.3, 2.8, 2.0, 2.3}},
    {"powm_product", 0, {0.19, 0.14, 0.21, 0.16}},
    {"powm_spmv", 0, {0.20, 0.15, 0.25, 0.16}},
    {"powm_steps", 0, {0.12, 0.064, 0.23, 0.16}},
    {"powm_combine", 0, {530, 530, 530, 530}},
    {"krylov_dot", 0, {0.41, 0.63, 0.57, 1.3}},
    {"krylov_update", 0, {0.26, 0.51, 0.48, 1.3}},
    {"krylov_reduce", 0, {32, 35, 35, 37}},
    {"krylov_rayleigh", 0, {1.2e5, 1.2e5, 1.5e5, 1.5e5}},
    {"krylov_restart", 0, {0.50, 2.0, 2.5, 5.9}},
    {"pagerank_step", 0, {0.27, 0.14, 0, 0}},
    {"pagerank_steps", 0, {0.10, 0.14, 0, 0}},
    {"pagerank_dots", 0, {2.3, 1.4, 0, 0}},
    {"pagerank_mixing", 0, {180, 180, 180, 180}},
    {"pagerank_mix", 0, {1.0, 0.54, 0, 0}},
};

static const struct rate *rate_of(const char *codelet)
{
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
        if (!strcmp(rates[k].codelet, codelet))
            return &rates[k];
    return NULL;
}

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

static double estimated_seconds(const struct starpu_codelet *cl, double work)
{
    const struct rate *rate = rate_of(cl->name);
    return rate ? 1e-9 * rate->seconds[type_of(cl)] * work : 0;
}

static double operations(const struct starpu_codelet *cl, double work)
{
    /* a solver of real tridiagonal or bidiagonal matrices; works that count complex ones already */
    static const char *const real[] = {
        "heev_count",         "heev_values",   "heev_vectors",  "heev_leaf",         "heev_deflate",
        "heev_secular",       "heev_weigh",    "heev_product",  "heev_coefficients", "gesvd_values",
        "gesvd_vectors",      "gesvd_tree",    "gesvd_deflate", "gesvd_secular",     "gesvd_weigh",
        "gesvd_coefficients", "gesvd_product", "gesvd_piece",   "hb2st_chase",       "gb2bd_chase"};
    const struct rate *rate = rate_of(cl->name);
    const orr_type type = type_of(cl);
    double times = orr_is_complex(type) ? 4 : 1;
    for (size_t k = 0; k < sizeof real / sizeof *real; k++)
        if (!strcmp(real[k], cl->name))
            times = 1;
    return rate ? times * rate->flops * work : 0;
}

/* ---- Models ------------------------------------------------------------------------------------ */

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
    row->seconds += s->seconds > 0 ? work * s->seconds : estimated_seconds(cl, work);
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
        *row = (orr_plan_row){.tasks = r->tasks,
                              .flops = operations(r->codelet, r->work),
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
