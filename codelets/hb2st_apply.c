/* hb2st_apply and hb2st_unit as tasks: reflectors of some groups on a panel of columns.
 *
 *   apply    E RW, then V[g], V[g+1], ... R
 *   unit     E RW (what lies between its columns is the user's)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_apply.h"

#include "codelets/hb2st.h"
#include "codelets/hb2st_args.h"
#include "codelets/submit.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_hb2st_shape shape;
    int64_t g, groups, first; /* of the unit matrix: its first column */
    int64_t k, lde, skip;
    int adjoint;
};

static void apply(void **buf, void *arg)
{
    struct args *a = arg;
    const void *v[ORR_HB2ST_APPLY_GROUPS];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < a->groups; i++)
        v[i] = ORR_PTR(1 + i);
    char *e = (char *)ORR_PTR(0) + (size_t)(a->skip * a->lde) * orr_hb2st_element(a->type);
    orr_status st = orr_hb2st_apply_cpu[a->type](&a->shape, a->g, a->groups, v, a->adjoint,
                                                 a->k - a->skip, e, a->lde);
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, "hb2st_apply");
}
ORR_OPENCL(apply)

#ifdef ORR_WITH_CUDA
static void apply_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    const void *v[ORR_HB2ST_APPLY_GROUPS];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < a->groups; i++)
        v[i] = ORR_PTR(1 + i);
    char *e = (char *)ORR_PTR(0) + (size_t)(a->skip * a->lde) * orr_hb2st_element(a->type);
    orr_status st = orr_hb2st_apply_cuda[a->type](ORR_STREAM(), &a->shape, a->g, a->groups, v,
                                                  a->adjoint, a->k - a->skip, e, a->lde);
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, "hb2st_apply");
}
#endif

static void unit(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_hb2st_unit_cpu[a->type](a->shape.n, a->first, a->k, ORR_PTR(0), a->lde);
}

static uint32_t footprint(struct starpu_task *task)
{
    const struct args *a = task->cl_arg;
    const int64_t rows = (a->shape.n - a->g * a->shape.G) / 256; /* the groups get shorter */
    uint32_t what[4] = {(uint32_t)a->shape.b, (uint32_t)(a->groups * a->shape.G), (uint32_t)rows,
                        (uint32_t)(a->k - a->skip)};
    return starpu_hash_crc32c_be_n(what, sizeof what, 0);
}

static struct starpu_perfmodel model[ORR_NTYPES] = {
    [ORR_S] = {.type = STARPU_HISTORY_BASED, .symbol = "hb2st_apply_s", .footprint = footprint},
    [ORR_D] = {.type = STARPU_HISTORY_BASED, .symbol = "hb2st_apply_d", .footprint = footprint},
    [ORR_C] = {.type = STARPU_HISTORY_BASED, .symbol = "hb2st_apply_c", .footprint = footprint},
    [ORR_Z] = {.type = STARPU_HISTORY_BASED, .symbol = "hb2st_apply_z", .footprint = footprint},
};

#define CODELET(t)                                                                                 \
    {                                                                                              \
        .name = "hb2st_apply", .model = &model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,           \
        .cpu_funcs = {apply}, ORR_CUDA_FUNC(apply_cuda)                                            \
        ORR_OPENCL_FUNC(apply) ORR_CODELET_COMMON                                                  \
    }

static struct starpu_codelet codelet[ORR_NTYPES] = {
    [ORR_S] = CODELET(ORR_S),
    [ORR_D] = CODELET(ORR_D),
    [ORR_C] = CODELET(ORR_C),
    [ORR_Z] = CODELET(ORR_Z),
};

static struct starpu_codelet unit_codelet = {
    .name = "hb2st_unit", .nbuffers = 1, .modes = {STARPU_RW}, .cpu_funcs = {unit},
    ORR_CODELET_COMMON};

static struct args *make_args(struct orr_request *req, const struct orr_hb2st *r,
                              const struct orr_hb2st_panel *p)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return NULL;
    a->type = r->type;
    a->shape = orr_hb2st_kernel_shape(r);
    a->k = p->k;
    a->lde = p->lde;
    a->skip = p->skip;
    return a;
}

void orr_insert_hb2st_apply(struct orr_request *req, int prio, const struct orr_hb2st *r, int64_t g,
                            int64_t groups, int adjoint, const struct orr_hb2st_panel *p,
                            enum orr_where where, int64_t parts)
{
    struct args *a = make_args(req, r, p);
    if (!a)
        return;
    orr_hb2st_place(&a->task, where);
#ifdef ORR_WITH_CUDA
    if (!orr_hb2st_apply_cuda_fits(r->type, &a->shape))
        a->task.cpu_only = 1;
#endif
    a->task.parts = parts;
    a->g = g;
    a->groups = groups;
    a->adjoint = adjoint;
    struct starpu_data_descr data[1 + ORR_HB2ST_APPLY_GROUPS] = {{p->E, STARPU_RW}};
    for (int64_t i = 0; i < groups; i++)
        data[1 + i] = (struct starpu_data_descr){r->V[g + i], STARPU_R};
    orr_submit(a, sizeof *a, &codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(1 + groups));
}

void orr_insert_hb2st_unit(struct orr_request *req, int prio, const struct orr_hb2st *r,
                           int64_t first, const struct orr_hb2st_panel *p)
{
    struct args *a = make_args(req, r, p);
    if (!a)
        return;
    a->task.cpu_only = 1;
    a->first = first;
    orr_submit(a, sizeof *a, &unit_codelet, prio, STARPU_RW, p->E);
}
