/* The tasks of he2hb's whole steps, of an owner who has all tiles: one of each kind does what several do in
 * he2hb.c, with the same kernels in the same order. Tiles are named one by one, first; the buffers of each
 * task are in he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/dense/he2hb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_he2hb_step step;
    int64_t from, count; /* tile rows of the step, or of the panel; columns of an update */
    double *ended;
    int own; /* which buffer is a panel's S, before X, or an update's X; -1: none */
};

/* ---- Functions ------------------------------------------------------------------------------ */

/* The piece of tile row i, of so many elements each. */
static void *row_of(const struct args *a, void *all, int64_t i, int64_t length)
{
    return (char *)all + (size_t)(i * length) * orr_element_size(a->type);
}

static void *x_row(const struct args *a, void *X, int64_t i)
{
    return row_of(a, X, i, 3 * a->step.b * a->step.tile);
}

struct panel_kernels {
    orr_he2hb_panel_apart_fn *const *panel;
    orr_he2hb_spread_fn *const *spread;
};

/* The panel where it is in its tiles, of which V takes the place. */
static void panel_by(void **buf, const struct args *a, const struct panel_kernels *kernel,
                     orr_stream stream)
{
    const int64_t count = a->count, first = orr_he2hb_first(&a->step);
    orr_he2hb_tile column[count];
    void *x[count];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < count; i++)
        column[i] = orr_he2hb_columns_of(&a->step, a->type, orr_he2hb_tile_of(buf[i]));
    orr_task_check(a,
                   kernel->panel[a->type](stream, &a->step, column,
                                          orr_he2hb_band_of(&a->step, a->type, buf[count]),
                                          a->own < 0 ? NULL : ORR_PTR(a->own)),
                   "he2hb_panel");
    for (int64_t i = first; a->own >= 0 && i < a->from + count; i++)
        x[i - first] = x_row(a, ORR_PTR(a->own + 1), i);
    if (a->own >= 0)
        orr_task_check(a,
                       kernel->spread[a->type](stream, &a->step, first, a->from + count - first,
                                               column + (first - a->from), x),
                       "he2hb_panel");
    if (a->ended)
        *a->ended = orr_now();
}

struct product_kernels {
    orr_he2hb_product_fn *const *product;
    orr_he2hb_middle_fn *const *middle;
    orr_he2hb_factor_fn *const *factor;
};

/* Tiles by rows, those of the lower triangle of the step. */
static int64_t buffer_of(int64_t first, int64_t i, int64_t j)
{
    return i >= j ? orr_he2hb_at(i - first, j - first) : buffer_of(first, j, i);
}

static void products_by(void **buf, const struct args *a, const struct product_kernels *kernel,
                        orr_stream stream)
{
    const orr_he2hb_step *s = &a->step;
    const int64_t b = s->b, tiles = orr_he2hb_tiles(s), count = a->count, first = tiles - count;
    const int64_t others = orr_he2hb_at(count, 0);
    void *const X = ORR_PTR(others), *const S = ORR_PTR(others + 1), *const P = ORR_PTR(others + 2);
    void *const N = row_of(a, P, tiles, b * s->tile), *const M = row_of(a, N, tiles, b * b);
    int64_t j[count];
    orr_he2hb_tile row[count], p[count];
    void *x[count], *n[count];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < count; i++) {
        n[i] = row_of(a, N, first + i, b * b);
        p[i] = (orr_he2hb_tile){
            .a = row_of(a, row_of(a, P, first + i, b * s->tile), orr_he2hb_from(s, first + i), 1),
            .ld = s->tile};
    }
    for (int64_t i = first; i < tiles; i++) {
        orr_he2hb_order(s, 1, i, j);
        for (int64_t t = 0; t < count; t++) {
            row[t] = orr_he2hb_tile_of(buf[buffer_of(first, i, j[t])]);
            x[t] = x_row(a, X, j[t]);
        }
        orr_task_check(a,
                       kernel->product[a->type](stream, s, i, count, j, 1, row,
                                                (const void *const *)x, x_row(a, X, i), S,
                                                p[i - first], n[i - first]),
                       "he2hb_product");
    }
    orr_task_check(a, kernel->middle[a->type](stream, s, (const void *const *)n, S, M),
                   "he2hb_product");
    for (int64_t i = first; i < tiles; i++)
        orr_task_check(a, kernel->factor[a->type](stream, s, i, p[i - first], M, x_row(a, X, i)),
                       "he2hb_product");
}

static void updates_by(void **buf, const struct args *a, orr_he2hb_update_fn *const *kernel,
                       orr_stream stream)
{
    const int64_t tiles = orr_he2hb_tiles(&a->step);
    void *const X = ORR_PTR(a->own);
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t j = a->from, t = 0; j < a->from + a->count; j++)
        for (int64_t i = j; i < tiles; i++, t++)
            orr_task_check(a,
                           kernel[a->type](stream, &a->step, i, j, orr_he2hb_tile_of(buf[t]),
                                           x_row(a, X, i), x_row(a, X, j)),
                           "he2hb_update");
}

ORR_CPU_AND_CUDA(panel,
                 (&(const struct panel_kernels){orr_he2hb_panel_apart_cpu, orr_he2hb_spread_cpu}),
                 (&(const struct panel_kernels){orr_he2hb_panel_apart_cuda, orr_he2hb_spread_cuda}))
ORR_CPU_AND_CUDA(products,
                 (&(const struct product_kernels){orr_he2hb_product_cpu, orr_he2hb_middle_cpu,
                                                  orr_he2hb_factor_cpu}),
                 (&(const struct product_kernels){orr_he2hb_product_cuda, orr_he2hb_middle_cuda,
                                                  orr_he2hb_factor_cuda}))
ORR_CPU_AND_CUDA(updates, orr_he2hb_update_cpu, orr_he2hb_update_cuda)

/* ---- Codelets ------------------------------------------------------------------------------- */

ORR_CODELETS_LIKE(orr_he2hb_panel, panel, "he2hb_panel", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_product, products, "he2hb_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_update, updates, "he2hb_update", ORR_SDCZ, ORR_CPU_CUDA);

/* ---- Insertion ------------------------------------------------------------------------------ */

static struct args *make_args(struct orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    struct args *a = orr_task_args(req, sizeof *a, r->where);
    if (!a)
        return NULL;
    a->type = r->type;
    a->step = orr_he2hb_kernel_step(r, k);
    a->count = r->tiles - orr_he2hb_first(&a->step);
    a->task.owner = orr_he2hb_node_of(r, 0);
    return a;
}

/* The columns of a panel, or without S what is behind the last one, in tiles up to that of row end-1. */
static void insert_panel(int prio, const struct orr_he2hb *r, struct args *a, int64_t end,
                         starpu_data_handle_t S)
{
    const int64_t j = orr_he2hb_column(&a->step);
    struct starpu_data_descr data[end - j + 3];
    int buffers = 0;
    for (int64_t i = j; i < end; i++)
        data[buffers++] =
            (struct starpu_data_descr){r->A[orr_he2hb_at(i, j)], S ? STARPU_RW : STARPU_R};
    /* the first one in a tile column fills what nobody has written */
    data[buffers++] =
        (struct starpu_data_descr){r->B[j], orr_he2hb_inside(&a->step) ? STARPU_RW : STARPU_W};
    a->own = S ? buffers : -1;
    if (S) {
        data[buffers++] = (struct starpu_data_descr){S, STARPU_W};
        data[buffers++] = (struct starpu_data_descr){r->X[a->step.k % 2], STARPU_W};
    }
    a->from = j;
    a->count = end - j;
    orr_submit(a, sizeof *a, &panel_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, buffers);
}

void orr_insert_he2hb_whole_panel(struct orr_request *req, int prio, const struct orr_he2hb *r,
                                  int64_t k, int64_t parts)
{
    struct args *a = make_args(req, r, k);
    if (!a)
        return;
    a->task.parts = parts;
    a->ended = k == r->steps - 1 ? r->ended : NULL;
    orr_cost(&a->task, orr_he2hb_rows(&a->step) * r->b * r->b, r->b,
             orr_cost_class(orr_he2hb_rows(&a->step)));
    insert_panel(prio, r, a, r->tiles, r->S[k]);
}

void orr_insert_he2hb_whole_band(struct orr_request *req, int prio, const struct orr_he2hb *r,
                                 int64_t k)
{
    struct args *a = make_args(req, r, k);
    if (!a)
        return;
    orr_cost(&a->task, r->b * r->b, r->b, 0);
    insert_panel(prio, r, a, orr_he2hb_band_end(r, k) + 1, NULL);
}

void orr_insert_he2hb_products(struct orr_request *req, int prio, const struct orr_he2hb *r,
                               int64_t k)
{
    struct args *a = make_args(req, r, k);
    if (!a)
        return;
    const int64_t first = r->tiles - a->count, rows = orr_he2hb_rows(&a->step);
    struct starpu_data_descr data[orr_he2hb_at(a->count, 0) + 3];
    int buffers = 0;
    for (int64_t i = first; i < r->tiles; i++)
        for (int64_t j = first; j <= i; j++)
            data[buffers++] = (struct starpu_data_descr){r->A[orr_he2hb_at(i, j)], STARPU_R};
    data[buffers++] = (struct starpu_data_descr){r->X[k % 2], STARPU_RW};
    data[buffers++] = (struct starpu_data_descr){r->S[k], STARPU_R};
    data[buffers++] = (struct starpu_data_descr){r->work, STARPU_SCRATCH};
    orr_cost(&a->task, rows * rows * r->b, r->b, orr_cost_class(rows));
    orr_submit(a, sizeof *a, &products_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}

void orr_insert_he2hb_updates(struct orr_request *req, int prio, const struct orr_he2hb *r,
                              int64_t k, int64_t from, int64_t to)
{
    struct args *a = make_args(req, r, k);
    if (!a)
        return;
    struct starpu_data_descr data[orr_he2hb_at(a->count, 0) + 1];
    int64_t entries = 0;
    int buffers = 0;
    for (int64_t j = from; j < to; j++)
        for (int64_t i = j; i < r->tiles; i++) {
            data[buffers++] = (struct starpu_data_descr){r->A[orr_he2hb_at(i, j)], STARPU_RW};
            entries += orr_he2hb_tile_rows(&a->step, i) * orr_he2hb_tile_rows(&a->step, j);
        }
    a->own = buffers;
    data[buffers++] = (struct starpu_data_descr){r->X[k % 2], STARPU_R};
    a->from = from;
    a->count = to - from;
    orr_cost(&a->task, entries * r->b, r->b, to - from, orr_cost_class(entries));
    orr_submit(a, sizeof *a, &updates_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}
