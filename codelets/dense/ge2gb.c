/* The tasks of ge2gb's steps, by tiles. The tiles along a panel, a column or a row are named one by one,
 * first; the buffers of each task are in ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/panel.h"

#include "codelets/core/task.h"
#include "codelets/dense/ge2gb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_ge2gb_step step;
    int64_t i, j, from, count; /* count: tiles among the buffers, the first is `from` of those along
                                  V, or of the terms of a product */
    orr_ge2gb_copy copy;
    int elsewhere; /* what is copied is the second buffer */
    orr_ge2gb_tile R[ORR_STACKED];
    orr_ge2gb_window window;
    double *ended;
    int apart, back;   /* the panel, or V from the right, is in Q; it goes back from there */
    int s, v, y, band; /* which buffers these are; -1: none */
};

/* ---- Functions ------------------------------------------------------------------------------ */

static void tiles_of(void **buf, int64_t count, orr_ge2gb_tile *tile)
{
    for (int64_t i = 0; i < count; i++)
        tile[i] = orr_ge2gb_tile_of(buf[i]);
}

static void load_by(void **buf, const struct args *a, orr_ge2gb_load_fn *const *kernel,
                    orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, &a->copy, orr_ge2gb_tile_of(buf[a->elsewhere]),
                                       orr_ge2gb_tile_of(buf[0])),
                       "ge2gb_load");
}

static void stack(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_ge2gb_stack s = {.n = a->step.n, .b = a->step.b, .count = a->step.stacked};
    if (!orr_request_failed(a->task.req))
        orr_ge2gb_stack_cpu[a->type](&s, a->R, &a->window, orr_ge2gb_tile_of(buf[0]));
}

/* The panel's columns or rows of tile t, those of the step. */
static orr_ge2gb_tile inside(const struct args *a, int64_t t, orr_ge2gb_tile tile)
{
    const int64_t from = orr_ge2gb_along(&a->step, t).from, at = orr_ge2gb_inside(&a->step);
    return orr_ge2gb_skip(a->type, tile, a->step.right ? at + from * tile.ld : from + at * tile.ld);
}

/* The same as a matrix of its own. */
static orr_ge2gb_tile piece_of(const struct args *a, int64_t t, void *buffer)
{
    return (orr_ge2gb_tile){.a = (void *)STARPU_VECTOR_GET_PTR(buffer),
                            .ld = a->step.right ? orr_ge2gb_panel_width(&a->step)
                                                : orr_ge2gb_entries_along(&a->step, t)};
}

/* V(t), in what it was found in, or all of V. */
static orr_ge2gb_tile v_of(const struct args *a, int64_t t, void *v)
{
    if (!a->apart)
        return orr_ge2gb_v_of(&a->step, a->type, t, v);
    return (orr_ge2gb_tile){.a = v, .ld = orr_ge2gb_entries_along(&a->step, t)};
}

static orr_ge2gb_tile y_of(const struct args *a, int64_t t, void *y)
{
    if (!a->step.right || !a->apart)
        return orr_ge2gb_y_of(&a->step, a->type, t, y);
    return (orr_ge2gb_tile){.a = y, .ld = orr_ge2gb_entries_beside(&a->step, t)};
}

/* The band as if it began with the rows of this handle. */
static void *band_of(const struct args *a, void *buffer)
{
    const int64_t before = orr_ge2gb_panel_tile(&a->step) * a->step.tile * (a->step.b + 1);
    const uintptr_t at = (uintptr_t)STARPU_VECTOR_GET_PTR(buffer);
    return (void *)(at - (size_t)before * orr_element_size(a->type));
}

static void panel_by(void **buf, const struct args *a, orr_ge2gb_panel_fn *const *kernel,
                     orr_stream stream)
{
    orr_ge2gb_tile tile[a->count];
    void *part[a->count];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t t = 0; t < a->count; t++) {
        tile[t] = a->apart ? piece_of(a, a->from + t, buf[t])
                           : inside(a, a->from + t, orr_ge2gb_tile_of(buf[t]));
        part[t] = tile[t].a;
    }
    const orr_ge2gb_found to = {.v = a->v < 0 ? NULL : ORR_PTR(a->v),
                                .s = a->s < 0 ? NULL : ORR_PTR(a->s),
                                .part = a->apart && a->step.right ? part : NULL,
                                .ab = a->band < 0 ? NULL : band_of(a, buf[a->band])};
    orr_task_check(a, kernel[a->type](stream, &a->step, tile, &to), "ge2gb_panel");
    if (a->ended)
        *a->ended = orr_now();
}

static void move_by(void **buf, const struct args *a, orr_ge2gb_move_fn *const *kernel,
                    orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, &a->step, a->i, orr_ge2gb_tile_of(buf[0]),
                                       piece_of(a, a->i, buf[1]), a->back),
                       "ge2gb_move");
}

static void product_by(void **buf, const struct args *a, orr_ge2gb_product_fn *const *kernel,
                       orr_stream stream)
{
    const int64_t count = a->count;
    orr_ge2gb_tile tile[count], v[count];
    int64_t j[orr_ge2gb_tiles(&a->step)];
    if (orr_request_failed(a->task.req))
        return;
    orr_ge2gb_order(&a->step, a->apart, j);
    tiles_of(buf, count, tile);
    for (int64_t t = 0; t < count; t++)
        v[t] = v_of(a, j[a->from + t], ORR_PTR(count + (a->apart ? t : 0)));
    orr_task_check(a,
                   kernel[a->type](stream, &a->step, a->i, count, j + a->from, a->from == 0, tile,
                                   v, a->s < 0 ? NULL : ORR_PTR(a->s),
                                   y_of(a, a->i, ORR_PTR(a->y))),
                   "ge2gb_product");
}

static void update_by(void **buf, const struct args *a, orr_ge2gb_update_fn *const *kernel,
                      orr_stream stream)
{
    const int64_t along = a->step.right ? a->j : a->i, beside = a->step.right ? a->i : a->j;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, &a->step, a->i, a->j, orr_ge2gb_tile_of(buf[0]),
                                       v_of(a, along, ORR_PTR(1)), y_of(a, beside, ORR_PTR(2))),
                       "ge2gb_update");
}

ORR_CPU_AND_CUDA(load, orr_ge2gb_load_cpu, orr_ge2gb_load_cuda)
ORR_CPU_AND_CUDA(panel, orr_ge2gb_panel_cpu, orr_ge2gb_panel_cuda)
ORR_CPU_AND_CUDA(move, orr_ge2gb_move_cpu, orr_ge2gb_move_cuda)
ORR_CPU_AND_CUDA(product, orr_ge2gb_product_cpu, orr_ge2gb_product_cuda)
ORR_CPU_AND_CUDA(update, orr_ge2gb_update_cpu, orr_ge2gb_update_cuda)

/* ---- Codelets ------------------------------------------------------------------------------- */

ORR_MODELS(orr_ge2gb_product, "ge2gb_product", ORR_SDCZ);
ORR_MODELS(orr_ge2gb_update, "ge2gb_update", ORR_SDCZ);

ORR_CODELETS(load, "ge2gb_load", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(stack, "ge2gb_stack", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(panel, "ge2gb_panel", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(move, "ge2gb_move", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_ge2gb_product, product, "ge2gb_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_ge2gb_update, update, "ge2gb_update", ORR_SDCZ, ORR_CPU_CUDA);

/* ---- Insertion ------------------------------------------------------------------------------ */

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

static int64_t most_tiles(const struct orr_ge2gb *r)
{
    return r->tile_rows > r->tile_columns ? r->tile_rows : r->tile_columns;
}

void orr_insert_ge2gb_load(struct orr_request *req, int prio, const struct orr_ge2gb *r, int64_t i,
                           int64_t j, const struct orr_ge2gb_source *x, starpu_data_handle_t from)
{
    struct args *a = make_args(req, r, ORR_LEFT, 0, x->on ? r->where : ORR_ON_CPU);
    if (!a)
        return;
    a->elsewhere = from != NULL;
    a->task.owner = orr_ge2gb_node_of(r, j);
    a->copy = (orr_ge2gb_copy){.rows = orr_least(r->T, r->m - i * r->T),
                               .columns = orr_least(r->T, r->n - j * r->T),
                               .below = x->upper ? (j - i) * r->T : r->m,
                               .adjoint = x->adjoint,
                               .scale = x->scale};
    const struct starpu_data_descr data[] = {
        {r->A[orr_ge2gb_at(r, i, j)], from ? STARPU_W : STARPU_RW}, {from, STARPU_R}};
    orr_cost(&a->task, a->copy.rows * a->copy.columns, a->copy.rows, a->copy.columns, x->adjoint);
    orr_submit(a, sizeof *a, &load_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               from ? 2 : 1);
}

void orr_insert_ge2gb_stack(struct orr_request *req, int prio, const struct orr_ge2gb *r, int64_t i,
                            int64_t j, const struct orr_ge2gb_triangle *R)
{
    struct args *a = make_args(req, r, ORR_LEFT, 0, ORR_ON_CPU);
    if (!a)
        return;
    const orr_ge2gb_stack s = {.n = r->n, .b = r->b, .count = r->stacked};
    const orr_ge2gb_window w = {.row = i * r->T,
                                .column = j * r->T,
                                .rows = orr_least(r->T, r->m - i * r->T),
                                .columns = orr_least(r->T, r->n - j * r->T)};
    /* rows of each triangle, up to its diagonal */
    const int64_t from = orr_ge2gb_place_in(&s, w.row).row / r->b * r->b;
    const int64_t last = orr_ge2gb_place_in(&s, w.row + w.rows - 1).row / r->b * r->b;
    const int64_t to = orr_least(orr_least(last + r->b, r->n), w.column + w.columns);
    const int64_t tiles = from < to ? (to - 1) / r->T - from / r->T + 1 : 0;
    struct starpu_data_descr data[r->stacked * tiles + 1];
    int count = 0;
    data[count++] = (struct starpu_data_descr){r->A[orr_ge2gb_at(r, i, j)], STARPU_W};
    for (int t = 0; t < r->stacked; t++) {
        a->R[t] = (orr_ge2gb_tile){.a = R[t].a, .ld = R[t].lda};
        for (int64_t k = 0; k < tiles; k++)
            data[count++] = (struct starpu_data_descr){
                R[t].of->A[orr_ge2gb_at(R[t].of, from / r->T + k, j)], STARPU_R};
    }
    a->window = w;
    orr_cost(&a->task, w.rows * w.columns, w.rows, w.columns);
    orr_submit(a, sizeof *a, &stack_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, count);
}

void orr_insert_ge2gb_move(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                           int64_t k, int64_t t, int back)
{
    struct args *a = make_args(req, r, side, k, r->where);
    if (!a)
        return;
    const int64_t own = orr_ge2gb_panel_tile(&a->step);
    a->i = t;
    a->back = back;
    a->task.owner = orr_ge2gb_node_of(r, side == ORR_LEFT ? own : t);
    const struct starpu_data_descr data[] = {
        {orr_ge2gb_tile_along(r, side, t, own), back ? STARPU_RW : STARPU_R},
        {r->side[side].Q[t], back ? STARPU_R : STARPU_W}};
    const int64_t rows = orr_ge2gb_entries_along(&a->step, t);
    orr_cost(&a->task, rows * r->b, r->b, rows, side, back);
    orr_submit(a, sizeof *a, &move_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, 2);
}

/* One in its tiles is found on a CPU, and one that is too tall. */
static enum orr_where panel_place(const struct orr_ge2gb *r, int side, int64_t k)
{
    const orr_ge2gb_step s = orr_ge2gb_kernel_step(r, side, k);
    return r->owners.count && orr_ge2gb_rows(&s) <= ORR_PANEL_MOST_ROWS ? r->where : ORR_ON_CPU;
}

/* With S, V and B as far as they are there. */
static void insert_panel(int prio, const struct orr_ge2gb *r, struct args *a,
                         starpu_data_handle_t V, starpu_data_handle_t S)
{
    const int side = a->step.right ? ORR_RIGHT : ORR_LEFT;
    const int64_t own = orr_ge2gb_panel_tile(&a->step), end = orr_ge2gb_tiles(&a->step);
    struct starpu_data_descr data[most_tiles(r) + 3];
    int count = 0;
    a->apart = r->side[side].Q != NULL;
    a->from = orr_ge2gb_first(&a->step);
    for (int64_t t = a->from; t < end; t++)
        data[count++] = (struct starpu_data_descr){
            a->apart ? r->side[side].Q[t] : orr_ge2gb_tile_along(r, side, t, own), STARPU_RW};
    a->count = count;
    a->v = V ? count : -1;
    if (V)
        data[count++] = (struct starpu_data_descr){V, STARPU_W};
    a->s = S ? count : -1;
    if (S)
        data[count++] = (struct starpu_data_descr){S, STARPU_W};
    a->band = r->band ? count : -1;
    /* the first one in a tile row fills what nobody has written */
    if (r->band)
        data[count++] = (struct starpu_data_descr){
            r->B[own], side == ORR_LEFT && !orr_ge2gb_inside(&a->step) ? STARPU_W : STARPU_RW};
    a->task.owner = orr_ge2gb_node_of(r, own);
    orr_submit(a, sizeof *a, &panel_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, count);
}

void orr_insert_ge2gb_panel(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                            int64_t k, int64_t parts)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, panel_place(r, side, k));
    if (!a)
        return;
    const int64_t rows = orr_ge2gb_rows(&a->step);
    a->task.parts = parts;
    a->ended = r->ended;
    orr_cost(&a->task, rows * r->b * r->b, r->b, orr_cost_class(rows), side);
    insert_panel(prio, r, a, x->V ? orr_ge2gb_kept(x, x->V, k) : NULL, orr_ge2gb_kept(x, x->S, k));
}

void orr_insert_ge2gb_band(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                           int64_t k)
{
    struct args *a = make_args(req, r, side, k, panel_place(r, side, k));
    if (!a)
        return;
    orr_cost(&a->task, r->b * r->b, r->b, 0, side);
    insert_panel(prio, r, a, NULL, NULL);
}

void orr_insert_ge2gb_product(struct orr_request *req, int prio, const struct orr_ge2gb *r,
                              int side, int64_t k, int64_t t, int64_t from, int64_t to)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, r->where);
    int64_t term[most_tiles(r)], rows = 0;
    if (!a)
        return;
    const int64_t all = orr_ge2gb_terms(r, side, k, term), count = to - from;
    struct starpu_data_descr data[2 * count + 3];
    a->apart = orr_ge2gb_in_pieces(r, side);
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = term[from + i];
        data[i] = (struct starpu_data_descr){orr_ge2gb_tile_along(r, side, j, t), STARPU_R};
        if (a->apart)
            data[count + i] = (struct starpu_data_descr){x->Q[j], STARPU_R};
        rows += orr_ge2gb_entries_along(&a->step, j);
    }
    int buffers = (int)(a->apart ? 2 * count : count);
    if (!a->apart)
        data[buffers++] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->V, k), STARPU_R};
    a->s = to == all ? buffers : -1;
    if (to == all)
        data[buffers++] = (struct starpu_data_descr){orr_ge2gb_kept(x, x->S, k), STARPU_R};
    a->y = buffers;
    data[buffers++] = (struct starpu_data_descr){x->Y[t], from == 0 ? STARPU_W : STARPU_RW};
    a->i = t;
    a->from = from;
    a->count = count;
    a->task.owner = orr_ge2gb_node_of(r, side == ORR_LEFT ? t : term[from]);
    const int64_t across = orr_ge2gb_entries_beside(&a->step, t);
    orr_cost(&a->task, rows * across * r->b, r->b, across, orr_cost_class(rows), side);
    orr_submit(a, sizeof *a, &product_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}

void orr_insert_ge2gb_update(struct orr_request *req, int prio, const struct orr_ge2gb *r, int side,
                             int64_t k, int64_t i, int64_t j)
{
    const struct orr_ge2gb_side *x = &r->side[side];
    struct args *a = make_args(req, r, side, k, r->where);
    if (!a)
        return;
    const int64_t rows = orr_ge2gb_entries_along(&a->step, side == ORR_LEFT ? i : j);
    const int64_t across = orr_ge2gb_entries_beside(&a->step, side == ORR_LEFT ? j : i);
    a->i = i;
    a->j = j;
    a->apart = orr_ge2gb_in_pieces(r, side);
    a->task.owner = orr_ge2gb_node_of(r, j);
    orr_cost(&a->task, rows * across * r->b, r->b, rows, across, side);
    orr_submit(a, sizeof *a, &update_codelet[r->type], prio, STARPU_RW, r->A[orr_ge2gb_at(r, i, j)],
               STARPU_R, a->apart ? x->Q[j] : orr_ge2gb_kept(x, x->V, k), STARPU_R,
               x->Y[side == ORR_LEFT ? j : i]);
}
