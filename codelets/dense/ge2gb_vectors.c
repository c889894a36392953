/* Reflectors of ge2gb applied to vectors: rows out of a stack, reflectors of several steps joined, and Q E.
 * The buffers of each task are in ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/dense/ge2gb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_ge2gb_step step;
    int64_t first[ORR_STACKED], row; /* of E */
    int64_t columns, lde;            /* of E */
    int joined;                      /* there is one S of all steps */
    int work;                        /* which buffer is scratch; -1: none */
};

static void *from_row(const struct args *a, void *e)
{
    return (char *)e + (size_t)a->row * orr_element_size(a->type);
}

static void unstack(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_ge2gb_stack s = {.n = a->step.n, .b = a->step.b, .count = a->step.stacked};
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_ge2gb_unstack_cpu[a->type](&s, a->first, a->columns,
                                                      from_row(a, ORR_PTR(0)), a->lde),
                       "ge2gb_unstack");
}

static void vectors_of(void **buf, int64_t count, const void **vector)
{
    for (int64_t i = 0; i < count; i++)
        vector[i] = ORR_PTR(i);
}

static void join_by(void **buf, const struct args *a, orr_ge2gb_join_fn *const *kernel,
                    orr_stream stream)
{
    const int64_t steps = 1 + a->step.more;
    const void *v[steps], *s[steps];
    if (orr_request_failed(a->task.req))
        return;
    vectors_of(buf, steps, v);
    vectors_of(buf + steps, steps, s);
    orr_task_check(a, kernel[a->type](stream, &a->step, v, s, ORR_PTR(2 * steps)), "ge2gb_join");
}

static void apply_by(void **buf, const struct args *a, orr_ge2gb_apply_fn *const *kernel,
                     orr_stream stream)
{
    const int64_t steps = 1 + a->step.more;
    const void *v[steps], *s[steps];
    if (orr_request_failed(a->task.req))
        return;
    vectors_of(buf + 1, steps, v);
    vectors_of(buf + 1 + steps, a->joined ? 1 : steps, s);
    orr_task_check(a,
                   kernel[a->type](stream, &a->step, v, s, a->joined, a->columns,
                                   from_row(a, ORR_PTR(0)), a->lde,
                                   a->work < 0 ? NULL : ORR_PTR(a->work)),
                   "ge2gb_apply");
}

ORR_CPU_AND_CUDA(join, orr_ge2gb_join_cpu, orr_ge2gb_join_cuda)
ORR_CPU_AND_CUDA(apply, orr_ge2gb_apply_cpu, orr_ge2gb_apply_cuda)

ORR_CODELETS(unstack, "ge2gb_unstack", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(join, "ge2gb_join", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(apply, "ge2gb_apply", ORR_SDCZ, ORR_CPU_CUDA);

static struct args *make_args(struct orr_request *req, const struct orr_ge2gb *r, int side,
                              int64_t k, enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->type = r->type;
    a->step = orr_ge2gb_kernel_step(r, side, k);
    return a;
}

void orr_insert_ge2gb_unstack(struct orr_request *req, int prio, const struct orr_ge2gb *r,
                              const struct orr_ge2gb_triangle *R, const struct orr_hb2st_panel *p)
{
    struct args *a = make_args(req, r, ORR_LEFT, 0, ORR_ON_CPU);
    if (!a)
        return;
    for (int t = 0; t < r->stacked; t++)
        a->first[t] = R[t].of->row - r->row;
    a->row = r->row;
    a->columns = p->k;
    a->lde = p->lde;
    orr_cost(&a->task, r->m * p->k, orr_cost_class(r->m), p->k);
    orr_submit(a, sizeof *a, &unstack_codelet[r->type], prio, STARPU_RW, p->E);
}

static struct args *make_joined(struct orr_request *req, const struct orr_ge2gb *r, int side,
                                int64_t g, enum orr_where where)
{
    const struct orr_ge2gb_group group = orr_ge2gb_group_of(r, side, g);
    struct args *a = make_args(req, r, side, group.first, where);
    if (a)
        a->step.more = group.count - 1;
    return a;
}

void orr_insert_ge2gb_join(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                           int64_t g)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_joined(req, r, side, g, r->where);
    if (!a)
        return;
    const int64_t steps = 1 + a->step.more, first = a->step.k;
    const int64_t rows = orr_ge2gb_rows(&a->step), w = orr_ge2gb_width(&a->step);
    struct starpu_data_descr data[2 * steps + 1];
    for (int64_t i = 0; i < steps; i++) {
        data[i] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->V, first + i), STARPU_R};
        data[steps + i] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->S, first + i), STARPU_R};
    }
    data[2 * steps] = (struct starpu_data_descr){x->J[g], STARPU_W};
    a->task.owner = orr_ge2gb_node_of(r, orr_ge2gb_panel_tile(&a->step));
    orr_cost(&a->task, rows * w * w, w, orr_cost_class(rows));
    orr_submit(a, sizeof *a, &join_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(2 * steps + 1));
}

void orr_insert_ge2gb_apply(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                            int64_t g, const struct orr_hb2st_panel *p, int64_t parts)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_joined(req, r, side, g, r->where == ORR_ON_CPU ? ORR_ON_CPU : p->where);
    if (!a)
        return;
    const int64_t steps = 1 + a->step.more, first = a->step.k;
    const int64_t rows = orr_ge2gb_rows(&a->step), reflectors = steps * r->b;
    struct starpu_data_descr data[2 * steps + 3];
    double work = 0;
    int count = 0;
    data[count++] = (struct starpu_data_descr){p->E, STARPU_RW};
    for (int64_t i = 0; i < steps; i++) {
        work += (double)(orr_ge2gb_extent_of(r, side, first + i).rows * r->b * p->k);
        data[count++] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->V, first + i), STARPU_R};
    }
    a->joined = x->J != NULL;
    for (int64_t i = 0; i < (a->joined ? 1 : steps); i++)
        data[count++] = (struct starpu_data_descr){
            a->joined ? x->J[g] : orr_ge2gb_kept(x, x->S, first + i), STARPU_R};
    a->row = side == ORR_LEFT ? r->row : 0;
    a->columns = p->k;
    a->lde = p->lde;
    a->task.parts = parts;
    a->task.home = p->home;
    const starpu_data_handle_t scratch = orr_task_scratch(
        req, &a->task, orr_ge2gb_apply_work(&a->step, a->columns), orr_element_size(a->type));
    a->work = scratch ? count : -1;
    if (scratch)
        data[count++] = (struct starpu_data_descr){scratch, STARPU_SCRATCH};
    orr_cost(&a->task, work, reflectors, orr_cost_class(rows), p->k);
    orr_submit(a, sizeof *a, &apply_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, count);
    if (scratch)
        orr_request_forget(req, scratch);
}
