/* The tasks of ge2gb. The tiles along a panel, a column or a row are named one by one, first; the
 * buffers of each task are in ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/ge2gb.h"

#include "codelets/band/hb2st_args.h"
#include "codelets/core/submit.h"
#include "codelets/dense/ge2gb.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_ge2gb_step step;
    int64_t i, j, from, count; /* count: tiles among the buffers, the first is `from` */
    const void *source;
    int64_t ld_source;
    orr_ge2gb_copy copy;
    int64_t columns, lde; /* of E */
    double *ended;
    int apart, back;      /* the panel is in Q; it goes back from there */
};

/* ---- What the graph builder needs to know of the shape ------------------------------------- */

static orr_ge2gb_step step_of(const struct orr_ge2gb *r, int side, int64_t k)
{
    return (orr_ge2gb_step){.m = r->m, .n = r->n, .b = r->b, .tile = r->T, .k = k,
                            .right = side == ORR_RIGHT};
}

void orr_ge2gb_shape_of(struct orr_ge2gb *r, int two_sided)
{
    r->tile_rows = (r->m + r->T - 1) / r->T;
    r->tile_columns = (r->n + r->T - 1) / r->T;
    /* a panel of one row has nothing to clear */
    const int64_t columns = orr_ge2gb_least(r->n, r->m - 1), last = r->n - 2;
    r->side[ORR_LEFT].steps = columns > 0 ? (columns + r->b - 1) / r->b : 0;
    r->side[ORR_RIGHT].steps = two_sided && last > 0 ? last / r->b : 0;
}

struct orr_ge2gb_extent orr_ge2gb_extent_of(const struct orr_ge2gb *r, int side, int64_t k)
{
    const orr_ge2gb_step s = step_of(r, side, k);
    const int64_t across = orr_ge2gb_across(&s), end = side == ORR_LEFT ? r->n : r->m;
    return (struct orr_ge2gb_extent){.rows = orr_ge2gb_rows(&s), .width = orr_ge2gb_width(&s),
                                     .first = orr_ge2gb_first(&s),
                                     .across = (across < end ? across : end + r->T - 1) / r->T};
}

/* ---- Functions ------------------------------------------------------------------------------ */

static orr_ge2gb_tile tile_of(void *buffer)
{
    return (orr_ge2gb_tile){.a = (void *)STARPU_MATRIX_GET_PTR(buffer),
                            .ld = STARPU_MATRIX_GET_LD(buffer)};
}

static void tiles_of(void **buf, int64_t count, orr_ge2gb_tile *tile)
{
    for (int64_t i = 0; i < count; i++)
        tile[i] = tile_of(buf[i]);
}

static void check(const struct args *a, orr_status st, const char *who)
{
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, who);
}

static void load(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_ge2gb_tile to = tile_of(buf[0]);
    if (!orr_request_failed(a->task.req))
        orr_ge2gb_load_cpu[a->type](&a->copy, a->source, a->ld_source, to.a, to.ld);
}

/* The panel's columns or rows of a tile. */
static orr_ge2gb_tile inside(const struct args *a, orr_ge2gb_tile t)
{
    const int64_t skipped = orr_ge2gb_inside(&a->step) * (a->step.right ? 1 : t.ld);
    t.a = (char *)t.a + (size_t)skipped * orr_hb2st_element(a->type);
    return t;
}

static void panel(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_ge2gb_tile tile[a->count];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t t = 0; t < a->count; t++)
        tile[t] = a->apart ? (orr_ge2gb_tile){.a = ORR_PTR(t), .ld = orr_ge2gb_q_ld(&a->step)}
                           : inside(a, tile_of(buf[t]));
    check(a, orr_ge2gb_panel_cpu[a->type](&a->step, tile, ORR_PTR(a->count),
                                          ORR_PTR(a->count + 1)),
          "ge2gb_panel");
    if (a->ended)
        *a->ended = orr_now();
}

static void move_by(void **buf, const struct args *a, orr_ge2gb_move_fn *const *kernel,
                    orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        check(a, kernel[a->type](stream, &a->step, a->i, tile_of(buf[0]), ORR_PTR(1), a->back),
              "ge2gb_move");
}

static void product_by(void **buf, const struct args *a, orr_ge2gb_product_fn *const *kernel,
                       orr_stream stream)
{
    const int64_t count = a->count;
    orr_ge2gb_tile tile[count];
    if (orr_request_failed(a->task.req))
        return;
    tiles_of(buf, count, tile);
    check(a, kernel[a->type](stream, &a->step, a->i, a->from, a->from + count, tile,
                             ORR_PTR(count), ORR_PTR(count + 1), ORR_PTR(count + 2)),
          "ge2gb_product");
}

static void update_by(void **buf, const struct args *a, orr_ge2gb_update_fn *const *kernel,
                      orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        check(a, kernel[a->type](stream, &a->step, a->i, a->j, tile_of(buf[0]), ORR_PTR(1),
                                 ORR_PTR(2)),
              "ge2gb_update");
}

static void apply_by(void **buf, const struct args *a, orr_ge2gb_apply_fn *const *kernel,
                     orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        check(a, kernel[a->type](stream, &a->step, ORR_PTR(1), ORR_PTR(2), a->columns, ORR_PTR(0),
                                 a->lde),
              "ge2gb_apply");
}

static void move(void **buf, void *arg) { move_by(buf, arg, orr_ge2gb_move_cpu, NULL); }
static void product(void **buf, void *arg) { product_by(buf, arg, orr_ge2gb_product_cpu, NULL); }
static void update(void **buf, void *arg) { update_by(buf, arg, orr_ge2gb_update_cpu, NULL); }
static void apply(void **buf, void *arg) { apply_by(buf, arg, orr_ge2gb_apply_cpu, NULL); }
ORR_OPENCL(move)
ORR_OPENCL(product)
ORR_OPENCL(update)
ORR_OPENCL(apply)

#ifdef ORR_WITH_CUDA
static void move_cuda(void **buf, void *arg)
{
    move_by(buf, arg, orr_ge2gb_move_cuda, ORR_STREAM());
}
static void product_cuda(void **buf, void *arg)
{
    product_by(buf, arg, orr_ge2gb_product_cuda, ORR_STREAM());
}
static void update_cuda(void **buf, void *arg)
{
    update_by(buf, arg, orr_ge2gb_update_cuda, ORR_STREAM());
}
static void apply_cuda(void **buf, void *arg)
{
    apply_by(buf, arg, orr_ge2gb_apply_cuda, ORR_STREAM());
}
#endif

/* ---- Codelets ------------------------------------------------------------------------------- */

static struct starpu_perfmodel load_model[ORR_NTYPES] = ORR_MODELS("ge2gb_load");
static struct starpu_perfmodel panel_model[ORR_NTYPES] = ORR_MODELS("ge2gb_panel");
static struct starpu_perfmodel move_model[ORR_NTYPES] = ORR_MODELS("ge2gb_move");
static struct starpu_perfmodel product_model[ORR_NTYPES] = ORR_MODELS("ge2gb_product");
static struct starpu_perfmodel update_model[ORR_NTYPES] = ORR_MODELS("ge2gb_update");
static struct starpu_perfmodel apply_model[ORR_NTYPES] = ORR_MODELS("ge2gb_apply");

#define ON_CPU(f, t)                                                                               \
    {                                                                                              \
        .name = "ge2gb_" #f, .model = &f##_model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,         \
        .cpu_funcs = {f}, ORR_CODELET_COMMON                                                       \
    }
#define ANYWHERE(f, t)                                                                             \
    {                                                                                              \
        .name = "ge2gb_" #f, .model = &f##_model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,         \
        .cpu_funcs = {f}, ORR_CUDA_FUNC(f##_cuda) ORR_OPENCL_FUNC(f) ORR_CODELET_COMMON            \
    }
#define FOUR(row, f) {row(f, ORR_S), row(f, ORR_D), row(f, ORR_C), row(f, ORR_Z)}
static struct starpu_codelet load_codelet[ORR_NTYPES] = FOUR(ON_CPU, load);
static struct starpu_codelet panel_codelet[ORR_NTYPES] = FOUR(ON_CPU, panel);
static struct starpu_codelet move_codelet[ORR_NTYPES] = FOUR(ANYWHERE, move);
static struct starpu_codelet product_codelet[ORR_NTYPES] = FOUR(ANYWHERE, product);
static struct starpu_codelet update_codelet[ORR_NTYPES] = FOUR(ANYWHERE, update);
static struct starpu_codelet apply_codelet[ORR_NTYPES] = FOUR(ANYWHERE, apply);

/* ---- Insertion ------------------------------------------------------------------------------ */

static struct args *make_args(struct orr_request *req, const struct orr_ge2gb *r, int side,
                              int64_t k, enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return NULL;
    orr_hb2st_place(&a->task, where);
    a->type = r->type;
    a->step = step_of(r, side, k);
    return a;
}

static starpu_data_handle_t kept(const struct orr_ge2gb_side *x, starpu_data_handle_t *h,
                                 int64_t k)
{
    return h[k % x->kept];
}

/* Entries of tile t across V that belong to the step. */
static int64_t in_line(const struct args *a, int64_t t)
{
    const int64_t end = a->step.right ? a->step.m : a->step.n;
    const orr_ge2gb_part p = orr_ge2gb_in_tile(&a->step, t, orr_ge2gb_across(&a->step), end);
    return p.to - p.from;
}
static int64_t in_row(const struct args *a, int64_t t)
{
    const orr_ge2gb_step *s = &a->step;
    const orr_ge2gb_part p = orr_ge2gb_in_tile(s, t, orr_ge2gb_row(s), orr_ge2gb_end(s));
    return p.to - p.from;
}

/* This task belongs to whoever has tile column j. */
static void leave_to(struct args *a, const struct orr_ge2gb *r, int64_t j)
{
    if (r->owners.count)
        a->task.owner = r->owners.node[orr_owner_of(&r->owners, j)];
}

/* Tiles from .. to-1 along V of column (left) or row (right) t. */
static void line_of(const struct orr_ge2gb *r, struct args *a, int64_t t, int64_t from, int64_t to,
                    enum starpu_data_access_mode mode, struct starpu_data_descr *data)
{
    for (int64_t i = from; i < to; i++) {
        const int64_t at = a->step.right ? orr_ge2gb_at(r, t, i) : orr_ge2gb_at(r, i, t);
        data[i - from] = (struct starpu_data_descr){r->A[at], mode};
    }
    a->from = from;
    a->count = to - from;
}

static int64_t most_tiles(const struct orr_ge2gb *r)
{
    return r->tile_rows > r->tile_columns ? r->tile_rows : r->tile_columns;
}

void orr_insert_ge2gb_load(struct orr_request *req, int prio, const struct orr_ge2gb *r, int64_t i,
                           int64_t j, const struct orr_ge2gb_source *x, starpu_data_handle_t after)
{
    struct args *a = make_args(req, r, ORR_LEFT, 0, ORR_ON_CPU);
    if (!a)
        return;
    const int64_t row = (x->adjoint ? j : i) * r->T, column = (x->adjoint ? i : j) * r->T;
    a->source = (const char *)x->a + (size_t)(row + column * x->lda) * orr_hb2st_element(r->type);
    a->ld_source = x->lda;
    a->copy = (orr_ge2gb_copy){.rows = orr_ge2gb_least(r->T, r->m - i * r->T),
                               .columns = orr_ge2gb_least(r->T, r->n - j * r->T),
                               .below = x->upper ? (j - i) * r->T : r->m,
                               .adjoint = x->adjoint, .scale = x->scale};
    const struct starpu_data_descr data[] = {{r->A[orr_ge2gb_at(r, i, j)], STARPU_RW},
                                             {after, STARPU_R}};
    orr_cost(&a->task, a->copy.rows * a->copy.columns, a->copy.rows, a->copy.columns, x->adjoint);
    orr_submit(a, sizeof *a, &load_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               after ? 2 : 1);
}

void orr_insert_ge2gb_move(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                           int64_t k, int64_t t, int back)
{
    struct args *a = make_args(req, r, side, k, r->where);
    if (!a)
        return;
    const int64_t own = orr_ge2gb_panel_tile(&a->step);
    const int64_t at = side == ORR_LEFT ? orr_ge2gb_at(r, t, own) : orr_ge2gb_at(r, own, t);
    a->i = t;
    a->back = back;
    leave_to(a, r, side == ORR_LEFT ? own : t);
    const struct starpu_data_descr data[] = {{r->A[at], back ? STARPU_RW : STARPU_R},
                                             {r->side[side].Q[t], back ? STARPU_R : STARPU_W}};
    orr_cost(&a->task, in_row(a, t) * r->b, r->b, in_row(a, t), side, back);
    orr_submit(a, sizeof *a, &move_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, 2);
}

void orr_insert_ge2gb_panel(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                            int64_t k, int64_t parts)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, ORR_ON_CPU);
    struct starpu_data_descr data[most_tiles(r) + 2];
    if (!a)
        return;
    const int64_t rows = orr_ge2gb_rows(&a->step);
    line_of(r, a, orr_ge2gb_panel_tile(&a->step), orr_ge2gb_first(&a->step),
            orr_ge2gb_tiles(&a->step), STARPU_RW, data);
    const int64_t count = a->count;
    for (int64_t t = 0; x->Q && t < count; t++)
        data[t].handle = x->Q[orr_ge2gb_first(&a->step) + t];
    a->apart = x->Q != NULL;
    data[count] = (struct starpu_data_descr){kept(x, x->V, k), STARPU_W};
    data[count + 1] = (struct starpu_data_descr){kept(x, x->S, k), STARPU_W};
    a->task.parts = parts;
    a->ended = r->ended;
    orr_cost(&a->task, rows * r->b * r->b, r->b, orr_cost_class(rows), side);
    orr_submit(a, sizeof *a, &panel_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(count + 2));
}

void orr_insert_ge2gb_product(struct orr_request *req, int prio, const struct orr_ge2gb *r,
                              int side, int64_t k, int64_t t, int64_t from, int64_t to)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, r->where);
    struct starpu_data_descr data[most_tiles(r) + 3];
    int64_t rows = 0;
    if (!a)
        return;
    line_of(r, a, t, from, to, STARPU_R, data);
    leave_to(a, r, side == ORR_LEFT ? t : from);
    for (int64_t i = from; i < to; i++)
        rows += in_row(a, i);
    const int64_t count = a->count;
    const int begins = from == orr_ge2gb_first(&a->step);
    data[count] = (struct starpu_data_descr){kept(x, x->V, k), STARPU_R};
    data[count + 1] = (struct starpu_data_descr){kept(x, x->S, k), STARPU_R};
    data[count + 2] = (struct starpu_data_descr){x->Y[t], begins ? STARPU_W : STARPU_RW};
    a->i = t;
    orr_cost(&a->task, rows * in_line(a, t) * r->b, r->b, in_line(a, t), orr_cost_class(rows),
             side);
    orr_submit(a, sizeof *a, &product_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(count + 3));
}

void orr_insert_ge2gb_update(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                             int64_t k, int64_t i, int64_t j)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, r->where);
    if (!a)
        return;
    const int64_t rows = in_row(a, side == ORR_LEFT ? i : j);
    const int64_t across = in_line(a, side == ORR_LEFT ? j : i);
    a->i = i;
    a->j = j;
    leave_to(a, r, j);
    orr_cost(&a->task, rows * across * r->b, r->b, rows, across, side);
    orr_submit(a, sizeof *a, &update_codelet[r->type], prio, STARPU_RW,
               r->A[orr_ge2gb_at(r, i, j)], STARPU_R, kept(x, x->V, k), STARPU_R,
               x->Y[side == ORR_LEFT ? j : i]);
}

void orr_insert_ge2gb_apply(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                            int64_t k, const struct orr_hb2st_panel *p, int64_t parts)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, r->where);
    if (!a)
        return;
    const int64_t rows = orr_ge2gb_rows(&a->step);
    a->columns = p->k;
    a->lde = p->lde;
    a->task.parts = parts;
    orr_cost(&a->task, rows * r->b * p->k, r->b, orr_cost_class(rows), p->k);
    orr_submit(a, sizeof *a, &apply_codelet[r->type], prio, STARPU_RW, p->E, STARPU_R,
               kept(x, x->V, k), STARPU_R, kept(x, x->S, k));
}
