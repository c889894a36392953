/* The tasks of ge2gb's whole sides of a step, of an owner who has all tiles: one of each kind does what
 * several do in ge2gb.c, with the same kernels in the same order; a panel is the same task. Tiles are named
 * one by one, first; the buffers of each task are in ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/dense/ge2gb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_ge2gb_step step;
    int64_t begin, end;  /* tiles begin .. end-1 across V */
    int64_t from, count; /* tiles along V */
    int v, s, y;         /* which buffers these are */
};

/* ---- Functions ------------------------------------------------------------------------------ */

static orr_ge2gb_tile v_of(const struct args *a, int64_t t, void *V)
{
    return orr_ge2gb_v_of(&a->step, a->type, t, V);
}

/* Of all Y, each as long as a tile. */
static orr_ge2gb_tile y_of(const struct args *a, int64_t t, void *Y)
{
    return orr_ge2gb_skip(a->type, orr_ge2gb_y_of(&a->step, a->type, t, Y),
                          t * a->step.b * a->step.tile);
}

static void products_by(void **buf, const struct args *a, orr_ge2gb_product_fn *const *kernel,
                        orr_stream stream)
{
    const int64_t count = a->count;
    orr_ge2gb_tile line[count], v[count];
    int64_t j[count];
    if (orr_request_failed(a->task.req))
        return;
    orr_ge2gb_order(&a->step, a->step.right, j);
    for (int64_t i = 0; i < count; i++)
        v[i] = v_of(a, j[i], ORR_PTR(a->v));
    for (int64_t t = a->begin; t < a->end; t++) {
        for (int64_t i = 0; i < count; i++)
            line[i] = orr_ge2gb_tile_of(buf[(t - a->begin) * count + j[i] - a->from]);
        orr_task_check(a,
                       kernel[a->type](stream, &a->step, t, count, j, 1, line, v, ORR_PTR(a->s),
                                       y_of(a, t, ORR_PTR(a->y))),
                       "ge2gb_product");
    }
}

static void updates_by(void **buf, const struct args *a, orr_ge2gb_update_fn *const *kernel,
                       orr_stream stream)
{
    int64_t at = 0;
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = a->from; i < a->from + a->count; i++)
        for (int64_t t = a->begin; t < a->end; t++, at++)
            orr_task_check(a,
                           kernel[a->type](stream, &a->step, a->step.right ? t : i,
                                           a->step.right ? i : t, orr_ge2gb_tile_of(buf[at]),
                                           v_of(a, i, ORR_PTR(a->v)), y_of(a, t, ORR_PTR(a->y))),
                           "ge2gb_update");
}

ORR_CPU_AND_CUDA(products, orr_ge2gb_product_cpu, orr_ge2gb_product_cuda)
ORR_CPU_AND_CUDA(updates, orr_ge2gb_update_cpu, orr_ge2gb_update_cuda)

/* ---- Codelets ------------------------------------------------------------------------------- */

ORR_CODELETS_LIKE(orr_ge2gb_product, products, "ge2gb_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_ge2gb_update, updates, "ge2gb_update", ORR_SDCZ, ORR_CPU_CUDA);

/* ---- Insertion ------------------------------------------------------------------------------ */

static struct args *make_args(struct orr_request *req, const struct orr_ge2gb *r, int side,
                              int64_t k)
{
    struct args *a = orr_task_args(req, sizeof *a, r->where);
    if (!a)
        return NULL;
    a->type = r->type;
    a->step = orr_ge2gb_kernel_step(r, side, k);
    a->begin = orr_ge2gb_extent_of(r, side, k).across;
    a->end = side == ORR_LEFT ? r->tile_columns : r->tile_rows;
    a->task.owner = orr_ge2gb_node_of(r, 0);
    return a;
}

static int64_t all_across(const struct args *a)
{
    int64_t sum = 0;
    for (int64_t t = a->begin; t < a->end; t++)
        sum += orr_ge2gb_entries_beside(&a->step, t);
    return sum;
}

void orr_insert_ge2gb_products(struct orr_request *req, int prio, const struct orr_ge2gb *r,
                               int side, int64_t k)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k);
    if (!a)
        return;
    const int64_t rows = orr_ge2gb_rows(&a->step), end = orr_ge2gb_tiles(&a->step);
    struct starpu_data_descr data[r->tile_rows * r->tile_columns + 3];
    int buffers = 0;
    a->from = orr_ge2gb_first(&a->step);
    a->count = end - a->from;
    for (int64_t t = a->begin; t < a->end; t++)
        for (int64_t i = a->from; i < end; i++)
            data[buffers++] =
                (struct starpu_data_descr){orr_ge2gb_tile_along(r, side, i, t), STARPU_R};
    a->v = buffers;
    data[buffers++] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->V, k), STARPU_R};
    a->s = buffers;
    data[buffers++] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->S, k), STARPU_R};
    a->y = buffers;
    data[buffers++] = (struct starpu_data_descr){x->Y[0], STARPU_W};
    orr_cost(&a->task, rows * all_across(a) * r->b, r->b, orr_cost_class(rows),
             orr_cost_class(all_across(a)), side);
    orr_submit(a, sizeof *a, &products_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}

void orr_insert_ge2gb_updates(struct orr_request *req, int prio, const struct orr_ge2gb *r,
                              int side, int64_t k, int64_t from, int64_t to)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k);
    if (!a)
        return;
    struct starpu_data_descr data[r->tile_rows * r->tile_columns + 2];
    int64_t rows = 0;
    int buffers = 0;
    a->from = from;
    a->count = to - from;
    for (int64_t i = from; i < to; i++) {
        for (int64_t t = a->begin; t < a->end; t++)
            data[buffers++] =
                (struct starpu_data_descr){orr_ge2gb_tile_along(r, side, i, t), STARPU_RW};
        rows += orr_ge2gb_entries_along(&a->step, i);
    }
    a->v = buffers;
    data[buffers++] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->V, k), STARPU_R};
    a->y = buffers;
    data[buffers++] = (struct starpu_data_descr){x->Y[0], STARPU_R};
    orr_cost(&a->task, rows * all_across(a) * r->b, r->b, orr_cost_class(rows),
             orr_cost_class(all_across(a)), side, to - from);
    orr_submit(a, sizeof *a, &updates_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}
