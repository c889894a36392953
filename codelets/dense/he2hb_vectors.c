/* Reflectors of he2hb applied to vectors: those of several steps joined, and Q E. The buffers of each task
 * are in he2hb.h, tiles first, named one by one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/dense/he2hb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_he2hb_step step;
    int64_t count;        /* tile rows */
    int64_t columns, lde; /* of E */
    int work;             /* which buffer is scratch; -1: none */
};

/* Buffers 0 .. count-1 as tiles or as pointers. */
static void tiles_of(void **buf, int64_t count, orr_he2hb_tile *tile)
{
    for (int64_t i = 0; i < count; i++)
        tile[i] = orr_he2hb_tile_of(buf[i]);
}

static void vectors_of(void **buf, int64_t count, const void **vector)
{
    for (int64_t i = 0; i < count; i++)
        vector[i] = ORR_PTR(i);
}

static void join_by(void **buf, const struct args *a, orr_he2hb_join_fn *const *kernel,
                    orr_stream stream)
{
    const int64_t count = a->count, steps = 1 + a->step.more;
    orr_he2hb_tile column[count];
    const void *s[steps];
    if (orr_request_failed(a->task.req))
        return;
    tiles_of(buf, count, column);
    vectors_of(buf + count, steps, s);
    orr_task_check(a, kernel[a->type](stream, &a->step, column, s, ORR_PTR(count + steps)),
                   "he2hb_join");
}

static void apply_by(void **buf, const struct args *a, orr_he2hb_apply_fn *const *kernel,
                     orr_stream stream)
{
    const int64_t count = a->count;
    orr_he2hb_tile column[count];
    if (orr_request_failed(a->task.req))
        return;
    tiles_of(buf + 1, count, column);
    orr_task_check(a,
                   kernel[a->type](stream, &a->step, column, ORR_PTR(1 + count), a->columns,
                                   ORR_PTR(0), a->lde, a->work < 0 ? NULL : ORR_PTR(a->work)),
                   "he2hb_apply");
}

ORR_CPU_AND_CUDA(join, orr_he2hb_join_cpu, orr_he2hb_join_cuda)
ORR_CPU_AND_CUDA(apply, orr_he2hb_apply_cpu, orr_he2hb_apply_cuda)

ORR_CODELETS(join, "he2hb_join", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(apply, "he2hb_apply", ORR_SDCZ, ORR_CPU_CUDA);

static struct args *make_args(struct orr_request *req, const struct orr_he2hb *r, int64_t g,
                              enum orr_where where)
{
    const struct orr_he2hb_group group = orr_he2hb_group_of(r, g);
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->type = r->type;
    a->step = orr_he2hb_kernel_step(r, group.first);
    a->step.more = group.count - 1;
    a->count = r->tiles - orr_he2hb_first(&a->step);
    return a;
}

void orr_insert_he2hb_join(struct orr_request *req, int prio, const struct orr_he2hb *r, int64_t g)
{
    struct args *a = make_args(req, r, g, r->where);
    if (!a)
        return;
    const int64_t count = a->count, first = r->tiles - count, j = orr_he2hb_column(&a->step);
    const int64_t steps = 1 + a->step.more, w = orr_he2hb_width(&a->step);
    const int64_t rows = orr_he2hb_rows(&a->step);
    struct starpu_data_descr data[count + steps + 1];
    for (int64_t i = 0; i < count; i++)
        data[i] = (struct starpu_data_descr){r->A[orr_he2hb_at(first + i, j)], STARPU_R};
    for (int64_t i = 0; i < steps; i++)
        data[count + i] = (struct starpu_data_descr){r->S[a->step.k + i], STARPU_R};
    data[count + steps] = (struct starpu_data_descr){r->J[g], STARPU_W};
    a->task.owner = orr_he2hb_node_of(r, j);
    orr_cost(&a->task, rows * w * w, w, orr_cost_class(rows));
    orr_submit(a, sizeof *a, &join_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(count + steps + 1));
}

void orr_insert_he2hb_apply(struct orr_request *req, int prio, const struct orr_he2hb *r, int64_t g,
                            const struct orr_hb2st_panel *p, int64_t parts)
{
    struct args *a = make_args(req, r, g, p->where);
    if (!a)
        return;
    const int64_t count = a->count, first = r->tiles - count, j = orr_he2hb_column(&a->step);
    const int64_t reflectors = (1 + a->step.more) * r->b, rows = orr_he2hb_rows(&a->step);
    struct starpu_data_descr data[count + 3];
    data[0] = (struct starpu_data_descr){p->E, STARPU_RW};
    for (int64_t i = 0; i < count; i++)
        data[1 + i] = (struct starpu_data_descr){r->A[orr_he2hb_at(first + i, j)], STARPU_R};
    data[1 + count] = (struct starpu_data_descr){r->J ? r->J[g] : r->S[a->step.k], STARPU_R};
    a->columns = p->k;
    a->lde = p->lde;
    a->task.parts = parts;
    a->task.owner = p->owner;
    a->task.home = p->home;
    const starpu_data_handle_t work = orr_task_scratch(
        req, &a->task, orr_he2hb_apply_work(&a->step, a->columns), orr_element_size(a->type));
    data[2 + count] = (struct starpu_data_descr){work, STARPU_SCRATCH};
    a->work = work ? (int)(2 + count) : -1;
    orr_cost(&a->task, rows * reflectors * p->k, reflectors, orr_cost_class(rows), p->k);
    orr_submit(a, sizeof *a, &apply_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(count + 2) + (work != NULL));
    if (work)
        orr_request_forget(req, work);
}
