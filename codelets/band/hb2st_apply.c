/* hb2st_apply and hb2st_unit as tasks: reflectors of some groups on a panel of columns.
 *
 *   apply    E RW, then V[g], V[g+1], ... R; scratch for CUDA devices (not there if b = 1)
 *   unit     E W (RW: what lies between its columns is the user's), diagonal R (may be missing)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_apply.h"

#include "codelets/band/hb2st.h"
#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_hb2st_shape shape;
    int64_t g, groups;
    int64_t first, step; /* columns of the unit matrix */
    struct orr_hb2st_panel panel;
    orr_hb2st_blocking blocking;
    int adjoint, diagonal;
};

_Static_assert((int)ORR_HB2ST_MOST_SWEEPS == (int)ORR_HB2ST_MOST_DIAMOND &&
                   (int)ORR_HB2ST_APPLY_GROUPS == (int)ORR_HB2ST_MOST_GROUPS,
               "told twice");

static void *first_column(const struct args *a, void *e)
{
    const struct orr_hb2st_panel *p = &a->panel;
    return (char *)e + (size_t)(p->from * p->lde) * orr_element_size(a->type);
}

/* v: the reflectors of each group. 0: there is nothing to do. */
static int begin(struct args *a, void **buf, const void **v)
{
    if (orr_request_failed(a->task.req))
        return 0;
    for (int64_t i = 0; i < a->groups; i++)
        v[i] = ORR_PTR(1 + i);
    orr_task_settle(&a->task);
    return 1;
}

static void apply(void **buf, void *arg)
{
    struct args *a = arg;
    const void *v[ORR_HB2ST_APPLY_GROUPS];
    if (!begin(a, buf, v))
        return;
    const struct orr_hb2st_panel *p = &a->panel;
    orr_status st =
        orr_hb2st_apply_cpu[a->type](&a->shape, a->g, a->groups, v, a->adjoint, p->to - p->from,
                                     first_column(a, ORR_PTR(0)), p->lde);
    orr_task_check(a, st, "hb2st_apply");
}

#ifdef ORR_WITH_CUDA
static void apply_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    const void *v[ORR_HB2ST_APPLY_GROUPS];
    if (!begin(a, buf, v))
        return;
    const struct orr_hb2st_panel *p = &a->panel;
    orr_status st =
        orr_hb2st_apply_cuda[a->type](ORR_STREAM(), &a->shape, a->g, a->groups, v, a->adjoint,
                                      p->to - p->from, first_column(a, ORR_PTR(0)), p->lde,
                                      &a->blocking, a->shape.b > 1 ? ORR_PTR(1 + a->groups) : NULL);
    orr_task_check(a, st, "hb2st_apply");
}
#endif

static void unit(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_hb2st_unit_cpu[a->type](a->panel.rows, a->first, a->step,
                                    a->diagonal ? ORR_PTR(1) : NULL, a->panel.k, ORR_PTR(0),
                                    a->panel.lde);
}

#ifdef ORR_WITH_CUDA
static void unit_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    orr_task_settle(&a->task);
    orr_status st = orr_hb2st_unit_cuda[a->type](ORR_STREAM(), a->panel.rows, a->first, a->step,
                                                 a->diagonal ? ORR_PTR(1) : NULL, a->panel.k,
                                                 ORR_PTR(0), a->panel.lde);
    orr_task_check(a, st, "hb2st_unit");
}
#endif

ORR_CODELETS(apply, "hb2st_apply", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(unit, "hb2st_unit", ORR_SDCZ, ORR_CPU_CUDA);

static struct args *make_args(struct orr_request *req, orr_type type,
                              const struct orr_hb2st_panel *p, enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->task.owner = p->owner;
    a->task.home = p->home;
    a->type = type;
    a->panel = *p;
    return a;
}

static orr_hb2st_blocking blocking_of(const struct orr_hb2st_blocks *by)
{
    return (orr_hb2st_blocking){by->sweeps, by->at_once,
                                by->fused ? ORR_HB2ST_FUSED : ORR_HB2ST_PRODUCTS};
}

int64_t orr_hb2st_apply_bytes(const struct orr_hb2st *r, const struct orr_hb2st_blocks *by,
                              int64_t columns)
{
    const orr_hb2st_shape shape = orr_hb2st_kernel_shape(r);
    const orr_hb2st_blocking blocking = blocking_of(by);
    return orr_hb2st_apply_work(&shape, &blocking, columns) * (int64_t)orr_element_size(r->type);
}

int orr_hb2st_apply_fused(const struct orr_hb2st *r, int64_t sweeps, int64_t columns,
                          int64_t processors, int capability)
{
    const orr_hb2st_shape shape = orr_hb2st_kernel_shape(r);
    return orr_hb2st_apply_form(r->type, &shape, sweeps, columns, processors, capability) ==
           ORR_HB2ST_FUSED;
}

void orr_insert_hb2st_apply(struct orr_request *req, int prio, const struct orr_hb2st *r, int64_t g,
                            int64_t groups, int adjoint, const struct orr_hb2st_panel *p,
                            const struct orr_hb2st_blocks *by, int64_t parts)
{
    struct args *a = make_args(req, r->type, p, p->where);
    if (!a)
        return;
    a->shape = orr_hb2st_kernel_shape(r);
    a->blocking = blocking_of(by);
    a->task.parts = parts;
    a->g = g;
    a->groups = groups;
    a->adjoint = adjoint;
    int64_t elements = 0; /* of the reflectors: each meets every column */
    for (int64_t i = 0; i < groups; i++)
        elements += orr_hb2st_v_length(r, g + i);
    /* to combine them costs as much as 50 columns; short ones make small products */
    const int64_t columns = p->to - p->from;
    orr_cost(&a->task, (double)(elements * (columns + 50)) * (1 + 60.0 / (double)r->b), r->b,
             groups * r->G, orr_cost_class(elements), columns);
    struct starpu_data_descr data[2 + ORR_HB2ST_APPLY_GROUPS] = {{p->E, STARPU_RW}};
    for (int64_t i = 0; i < groups; i++)
        data[1 + i] = (struct starpu_data_descr){r->V[g + i], STARPU_R};
    const starpu_data_handle_t work =
        orr_task_scratch(req, &a->task, orr_hb2st_apply_work(&a->shape, &a->blocking, columns),
                         orr_element_size(r->type));
    data[1 + groups] = (struct starpu_data_descr){work, STARPU_SCRATCH};
    orr_submit(a, sizeof *a, &apply_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(1 + groups) + (work != NULL));
    if (work)
        orr_request_forget(req, work);
}

void orr_insert_hb2st_unit(struct orr_request *req, int prio, orr_type type, int64_t first,
                           int64_t step, starpu_data_handle_t diagonal,
                           const struct orr_hb2st_panel *p)
{
    struct args *a = make_args(req, type, p, p->where);
    if (!a)
        return;
    a->first = first;
    a->step = step;
    a->diagonal = diagonal != NULL;
    struct starpu_data_descr data[2] = {{p->E, p->lde == p->rows ? STARPU_W : STARPU_RW},
                                        {diagonal, STARPU_R}};
    orr_cost(&a->task, p->rows * p->k, p->rows, p->k);
    orr_submit(a, sizeof *a, &unit_codelet[a->type], prio, STARPU_DATA_MODE_ARRAY, data,
               1 + a->diagonal);
}
