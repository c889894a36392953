/* The tasks of he2hb's steps, by tiles. What they read of several tile rows is named one by one, first the
 * tiles of A, then X or P; the buffers of each are in he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/panel.h"

#include "codelets/core/task.h"
#include "codelets/dense/he2hb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_he2hb_step step;
    int64_t i, j, count; /* count: tile rows in the step, or that the task has */
    int64_t from;        /* the first of them, or of the terms of a product */
    double *ended;
    int back;   /* the panel's columns go back into their tile */
    int sorted; /* a product's terms are by owner */
    int own;    /* which buffer is its X(i), or X, or a panel's S; -1: none */
    int apart;  /* P(i) is no longer than it is */
};

/* ---- Functions ------------------------------------------------------------------------------ */

/* Buffers at .. at+count-1 as tiles or as pointers. */
static void tiles_of(void **buf, int64_t count, orr_he2hb_tile *tile)
{
    for (int64_t i = 0; i < count; i++)
        tile[i] = orr_he2hb_tile_of(buf[i]);
}

static void vectors_of(void **buf, int64_t count, void **vector)
{
    for (int64_t i = 0; i < count; i++)
        vector[i] = ORR_PTR(i);
}

/* A piece apart, addressed as the rows of tile row i. */
static orr_he2hb_tile piece_of(const struct args *a, int64_t i, void *buffer)
{
    const int64_t from = orr_he2hb_piece_from(&a->step, i);
    const uintptr_t at = (uintptr_t)STARPU_VECTOR_GET_PTR(buffer);
    return (orr_he2hb_tile){.a = (void *)(at - (size_t)from * orr_element_size(a->type)),
                            .ld = orr_he2hb_to(&a->step, i) - from};
}

static void pieces_of(const struct args *a, int64_t from, int64_t count, void **buf,
                      orr_he2hb_tile *piece)
{
    for (int64_t i = 0; i < count; i++)
        piece[i] = piece_of(a, from + i, buf[i]);
}

/* The rows of P(i) in the step. */
static orr_he2hb_tile p_of(const struct args *a, int64_t i, void *buffer)
{
    const int64_t from = orr_he2hb_from(&a->step, i);
    char *p = (char *)STARPU_VECTOR_GET_PTR(buffer);
    if (a->apart)
        return (orr_he2hb_tile){.a = p, .ld = orr_he2hb_tile_rows(&a->step, i)};
    return (orr_he2hb_tile){.a = p + (size_t)from * orr_element_size(a->type), .ld = a->step.tile};
}

static void panel(void **buf, void *arg)
{
    const struct args *a = arg;
    const int64_t count = a->count;
    orr_he2hb_tile column[count];
    void *x[count];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < count; i++)
        column[i] = orr_he2hb_columns_of(&a->step, a->type, orr_he2hb_tile_of(buf[i]));
    vectors_of(buf + 1 + count, count, x);
    orr_task_check(a, orr_he2hb_panel_cpu[a->type](&a->step, column, x, ORR_PTR(count)),
                   "he2hb_panel");
    if (a->ended)
        *a->ended = orr_now();
}

static void panel_apart_by(void **buf, const struct args *a,
                           orr_he2hb_panel_apart_fn *const *kernel, orr_stream stream)
{
    orr_he2hb_tile piece[a->count];
    if (orr_request_failed(a->task.req))
        return;
    pieces_of(a, a->from, a->count, buf, piece);
    orr_task_check(a,
                   kernel[a->type](stream, &a->step, piece,
                                   orr_he2hb_band_of(&a->step, a->type, buf[a->count]),
                                   a->own < 0 ? NULL : ORR_PTR(a->own), NULL),
                   "he2hb_panel");
    if (a->ended)
        *a->ended = orr_now();
}

static void move_by(void **buf, const struct args *a, orr_he2hb_move_fn *const *kernel,
                    orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, &a->step, a->i, orr_he2hb_tile_of(buf[0]),
                                       piece_of(a, a->i, buf[1]), a->back),
                       "he2hb_move");
}

static void spread_by(void **buf, const struct args *a, orr_he2hb_spread_fn *const *kernel,
                      orr_stream stream)
{
    const int64_t count = a->count;
    orr_he2hb_tile q[count];
    void *x[count];
    if (orr_request_failed(a->task.req))
        return;
    vectors_of(buf, count, x);
    pieces_of(a, a->from, count, buf + count, q);
    orr_task_check(a, kernel[a->type](stream, &a->step, a->from, count, q, x), "he2hb_spread");
}

static void product_by(void **buf, const struct args *a, orr_he2hb_product_fn *const *kernel,
                       orr_stream stream)
{
    const int64_t count = a->count;
    orr_he2hb_tile row[count];
    void *x[count];
    int64_t j[orr_he2hb_tiles(&a->step)];
    if (orr_request_failed(a->task.req))
        return;
    orr_he2hb_order(&a->step, a->sorted, a->i, j);
    tiles_of(buf, count, row);
    vectors_of(buf + count, count, x);
    orr_task_check(a,
                   kernel[a->type](stream, &a->step, a->i, count, j + a->from, a->from == 0, row,
                                   (const void *const *)x, a->own < 0 ? NULL : ORR_PTR(a->own),
                                   a->own < 0 ? NULL : ORR_PTR(2 * count + 1),
                                   p_of(a, a->i, buf[2 * count]),
                                   a->own < 0 ? NULL : ORR_PTR(2 * count + 2)),
                   "he2hb_product");
}

static void middle_by(void **buf, const struct args *a, orr_he2hb_middle_fn *const *kernel,
                      orr_stream stream)
{
    const int64_t count = a->count;
    void *n[count];
    if (orr_request_failed(a->task.req))
        return;
    vectors_of(buf, count, n);
    orr_task_check(a,
                   kernel[a->type](stream, &a->step, (const void *const *)n, ORR_PTR(count),
                                   ORR_PTR(count + 1)),
                   "he2hb_middle");
}

static void factor_by(void **buf, const struct args *a, orr_he2hb_factor_fn *const *kernel,
                      orr_stream stream)
{
    for (int64_t i = 0; i < a->count && !orr_request_failed(a->task.req); i++)
        orr_task_check(a,
                       kernel[a->type](stream, &a->step, a->from + i,
                                       p_of(a, a->from + i, buf[1 + a->count + i]), ORR_PTR(0),
                                       ORR_PTR(1 + i)),
                       "he2hb_factor");
}

/* Where there are owners the first b columns, which the next panel has, are apart as in whole steps, so that
 * the bits are theirs. */
static void update_by(void **buf, const struct args *a, orr_he2hb_update_fn *const *kernel,
                      orr_stream stream)
{
    const orr_he2hb_step *s = &a->step;
    const int64_t from = orr_he2hb_from(s, a->j), to = orr_he2hb_to(s, a->j);
    const int64_t cut = a->apart && a->j == orr_he2hb_first(s) ? orr_least(from + s->b, to) : to;
    for (int64_t c = from; c < to && !orr_request_failed(a->task.req); c = c < cut ? cut : to)
        orr_task_check(a,
                       kernel[a->type](stream, s, a->i, a->j, c, c < cut ? cut : to,
                                       orr_he2hb_tile_of(buf[0]), ORR_PTR(1),
                                       ORR_PTR(a->i == a->j ? 1 : 2)),
                       "he2hb_update");
}

ORR_CPU_AND_CUDA(panel_apart, orr_he2hb_panel_apart_cpu, orr_he2hb_panel_apart_cuda)
ORR_CPU_AND_CUDA(move, orr_he2hb_move_cpu, orr_he2hb_move_cuda)
ORR_CPU_AND_CUDA(spread, orr_he2hb_spread_cpu, orr_he2hb_spread_cuda)
ORR_CPU_AND_CUDA(product, orr_he2hb_product_cpu, orr_he2hb_product_cuda)
ORR_CPU_AND_CUDA(middle, orr_he2hb_middle_cpu, orr_he2hb_middle_cuda)
ORR_CPU_AND_CUDA(factor, orr_he2hb_factor_cpu, orr_he2hb_factor_cuda)
ORR_CPU_AND_CUDA(update, orr_he2hb_update_cpu, orr_he2hb_update_cuda)

/* ---- Codelets ------------------------------------------------------------------------------- */

ORR_MODELS(orr_he2hb_panel, "he2hb_panel", ORR_SDCZ);
ORR_MODELS(orr_he2hb_product, "he2hb_product", ORR_SDCZ);
ORR_MODELS(orr_he2hb_factor, "he2hb_factor", ORR_SDCZ);
ORR_MODELS(orr_he2hb_update, "he2hb_update", ORR_SDCZ);

ORR_CODELETS_LIKE(orr_he2hb_panel, panel, "he2hb_panel", ORR_SDCZ, ORR_CPU);
ORR_CODELETS_LIKE(orr_he2hb_panel, panel_apart, "he2hb_panel", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(move, "he2hb_move", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(spread, "he2hb_spread", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_product, product, "he2hb_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(middle, "he2hb_middle", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_factor, factor, "he2hb_factor", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_update, update, "he2hb_update", ORR_SDCZ, ORR_CPU_CUDA);

/* ---- Insertion ------------------------------------------------------------------------------ */

static struct args *make_args(struct orr_request *req, const struct orr_he2hb *r, int64_t k,
                              enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->type = r->type;
    a->step = orr_he2hb_kernel_step(r, k);
    a->count = r->tiles - orr_he2hb_first(&a->step);
    a->apart = r->Q != NULL;
    return a;
}

static starpu_data_handle_t x_of(const struct orr_he2hb *r, int64_t k, int owner, int64_t i)
{
    return r->X[(2 * owner + k % 2) * r->tiles + i];
}

static int owner_of(const struct orr_he2hb *r, int64_t j)
{
    return r->owners.count ? orr_owner_of(&r->owners, j) : 0;
}

/* This task is theirs. */
static void leave_to(struct args *a, const struct orr_he2hb *r, int owner)
{
    a->task.owner = r->owners.count ? r->owners.node[owner] : 0;
}

static int64_t all_rows(const struct args *a, int64_t from, int64_t to)
{
    int64_t sum = 0;
    for (int64_t i = from; i < to; i++)
        sum += orr_he2hb_tile_rows(&a->step, i);
    return sum;
}

void orr_insert_he2hb_move(struct orr_request *req, int prio, const struct orr_he2hb *r, int64_t k,
                           int64_t i, int back)
{
    struct args *a = make_args(req, r, k, r->where);
    if (!a)
        return;
    a->i = i;
    a->back = back;
    leave_to(a, r, owner_of(r, orr_he2hb_column(&a->step)));
    const struct starpu_data_descr data[] = {
        {r->A[orr_he2hb_at(i, orr_he2hb_column(&a->step))], back ? STARPU_RW : STARPU_R},
        {r->Q[i], back ? STARPU_R : STARPU_W}};
    const int64_t rows = orr_he2hb_to(&a->step, i) - orr_he2hb_piece_from(&a->step, i);
    orr_cost(&a->task, rows * r->b, r->b, rows, back);
    orr_submit(a, sizeof *a, &move_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, 2);
}

/* One in its tiles is found on a CPU, and one that is too tall. */
static enum orr_where panel_place(const struct orr_he2hb *r, int64_t k)
{
    return r->owners.count && r->n - (k + 1) * r->b <= ORR_PANEL_MOST_ROWS ? r->where : ORR_ON_CPU;
}

static void insert_apart(int prio, const struct orr_he2hb *r, struct args *a, int64_t count,
                         starpu_data_handle_t S)
{
    const int64_t j = orr_he2hb_column(&a->step);
    struct starpu_data_descr data[count + 2];
    for (int64_t i = 0; i < count; i++)
        data[i] = (struct starpu_data_descr){r->Q[j + i], S ? STARPU_RW : STARPU_R};
    /* the first one in a tile column fills what nobody has written */
    data[count] =
        (struct starpu_data_descr){r->B[j], orr_he2hb_inside(&a->step) ? STARPU_RW : STARPU_W};
    int buffers = (int)(count + 1);
    a->own = S ? buffers : -1;
    if (S)
        data[buffers++] = (struct starpu_data_descr){S, STARPU_W};
    a->from = j;
    a->count = count;
    leave_to(a, r, owner_of(r, j));
    orr_submit(a, sizeof *a, &panel_apart_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}

void orr_insert_he2hb_panel(struct orr_request *req, int prio, const struct orr_he2hb *r, int64_t k,
                            int64_t parts)
{
    struct args *a = make_args(req, r, k, panel_place(r, k));
    if (!a)
        return;
    const int64_t count = a->count, first = r->tiles - count, j = orr_he2hb_column(&a->step);
    struct starpu_data_descr data[2 * count + 1];
    a->task.parts = parts;
    a->ended = k == r->steps - 1 ? r->ended : NULL;
    orr_cost(&a->task, orr_he2hb_rows(&a->step) * r->b * r->b, r->b,
             orr_cost_class(orr_he2hb_rows(&a->step)));
    if (r->owners.count) {
        insert_apart(prio, r, a, r->tiles - j, r->S[k]);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const starpu_data_handle_t tile = r->A[orr_he2hb_at(first + i, j)];
        data[i] = (struct starpu_data_descr){tile, STARPU_RW};
        data[1 + count + i] = (struct starpu_data_descr){x_of(r, k, 0, first + i), STARPU_W};
    }
    data[count] = (struct starpu_data_descr){r->S[k], STARPU_W};
    orr_submit(a, sizeof *a, &panel_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(2 * count + 1));
}

void orr_insert_he2hb_band(struct orr_request *req, int prio, const struct orr_he2hb *r, int64_t k)
{
    struct args *a = make_args(req, r, k, panel_place(r, k));
    if (!a)
        return;
    orr_cost(&a->task, r->b * r->b, r->b, 0);
    insert_apart(prio, r, a, orr_he2hb_band_end(r, k) - orr_he2hb_column(&a->step) + 1, NULL);
}

void orr_insert_he2hb_spread(struct orr_request *req, int prio, const struct orr_he2hb *r,
                             int64_t k, int owner, int64_t from)
{
    struct args *a = make_args(req, r, k, r->where);
    if (!a)
        return;
    const int64_t count = r->tiles - from, rows = all_rows(a, from, r->tiles);
    struct starpu_data_descr data[2 * count];
    for (int64_t i = 0; i < count; i++) {
        data[i] = (struct starpu_data_descr){x_of(r, k, owner, from + i), STARPU_W};
        data[count + i] = (struct starpu_data_descr){r->Q[from + i], STARPU_R};
    }
    a->from = from;
    a->count = count;
    leave_to(a, r, owner);
    orr_cost(&a->task, rows * r->b, r->b, orr_cost_class(rows));
    orr_submit(a, sizeof *a, &spread_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(2 * count));
}

void orr_insert_he2hb_product(struct orr_request *req, int prio, const struct orr_he2hb *r,
                              int64_t k, int64_t i, int64_t from, int64_t to)
{
    struct args *a = make_args(req, r, k, r->where);
    int64_t term[r->tiles], rows = 0;
    if (!a)
        return;
    const int64_t all = orr_he2hb_terms(r, k, i, term), count = to - from;
    const int owner = owner_of(r, orr_least(i, term[from]));
    struct starpu_data_descr data[2 * count + 4];
    a->own = -1;
    for (int64_t t = 0; t < count; t++) {
        const int64_t j = term[from + t], at = j <= i ? orr_he2hb_at(i, j) : orr_he2hb_at(j, i);
        data[t] = (struct starpu_data_descr){r->A[at], STARPU_R};
        data[count + t] = (struct starpu_data_descr){x_of(r, k, owner, j), STARPU_R};
        rows += orr_he2hb_tile_rows(&a->step, j);
        if (to == all && j == i)
            a->own = (int)(count + t);
    }
    int buffers = (int)(2 * count);
    data[buffers++] = (struct starpu_data_descr){r->P[i], from == 0 ? STARPU_W : STARPU_RW};
    if (to == all) {
        data[buffers++] = (struct starpu_data_descr){r->S[k], STARPU_R};
        data[buffers++] = (struct starpu_data_descr){r->N[i], STARPU_W};
    }
    if (to == all && a->own < 0) {
        a->own = buffers;
        data[buffers++] = (struct starpu_data_descr){x_of(r, k, owner, i), STARPU_R};
    }
    a->i = i;
    a->from = from;
    a->count = count;
    a->sorted = r->owners.count > 0;
    leave_to(a, r, owner);
    const int64_t own = orr_he2hb_tile_rows(&a->step, i);
    orr_cost(&a->task, own * rows * r->b, r->b, r->T, own, orr_cost_class(rows));
    orr_submit(a, sizeof *a, &product_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}

void orr_insert_he2hb_middle(struct orr_request *req, int prio, const struct orr_he2hb *r,
                             int64_t k)
{
    struct args *a = make_args(req, r, k, r->where);
    if (!a)
        return;
    const int64_t count = a->count, first = r->tiles - count;
    struct starpu_data_descr data[count + 2];
    leave_to(a, r, owner_of(r, r->tiles - 1));
    for (int64_t i = 0; i < count; i++)
        data[i] = (struct starpu_data_descr){r->N[first + i], STARPU_R};
    data[count] = (struct starpu_data_descr){r->S[k], STARPU_R};
    data[count + 1] = (struct starpu_data_descr){r->M, STARPU_W};
    orr_cost(&a->task, r->b * r->b * (count + r->b), r->b, count);
    orr_submit(a, sizeof *a, &middle_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(count + 2));
}

void orr_insert_he2hb_factor(struct orr_request *req, int prio, const struct orr_he2hb *r,
                             int64_t k, int owner, int64_t from, int64_t to)
{
    struct args *a = make_args(req, r, k, r->where);
    if (!a)
        return;
    const int64_t count = to - from, rows = all_rows(a, from, to);
    struct starpu_data_descr data[2 * count + 1];
    data[0] = (struct starpu_data_descr){r->M, STARPU_R};
    for (int64_t i = 0; i < count; i++) {
        data[1 + i] = (struct starpu_data_descr){x_of(r, k, owner, from + i), STARPU_RW};
        data[1 + count + i] = (struct starpu_data_descr){r->P[from + i], STARPU_R};
    }
    a->from = from;
    a->count = count;
    leave_to(a, r, owner);
    orr_cost(&a->task, rows * r->b * r->b, r->b, count > 1 ? orr_cost_class(rows) : rows);
    orr_submit(a, sizeof *a, &factor_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(2 * count + 1));
}

void orr_insert_he2hb_update(struct orr_request *req, int prio, const struct orr_he2hb *r,
                             int64_t k, int64_t i, int64_t j)
{
    struct args *a = make_args(req, r, k, r->where);
    if (!a)
        return;
    const int owner = owner_of(r, j);
    a->i = i;
    a->j = j;
    leave_to(a, r, owner);
    const struct starpu_data_descr data[] = {{r->A[orr_he2hb_at(i, j)], STARPU_RW},
                                             {x_of(r, k, owner, i), STARPU_R},
                                             {x_of(r, k, owner, j), STARPU_R}};
    const int64_t rows = orr_he2hb_tile_rows(&a->step, i);
    const int64_t columns = orr_he2hb_tile_rows(&a->step, j);
    orr_cost(&a->task, rows * columns * r->b, r->b, rows, columns, i == j);
    orr_submit(a, sizeof *a, &update_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               i == j ? 2 : 3);
}
