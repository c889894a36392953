/* The task that brings a tile of the user's triangle into its place; its buffers are in he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/dense/he2hb_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    int64_t T, i, j;       /* tile (i,j), i >= j, of T rows and columns */
    struct orr_dense user; /* a NULL: his tile is a buffer, too */
    double scale;
};

/* Where the entries of a tile are: in a buffer, or where they are in the user's memory. */
static orr_he2hb_tile loaded_from(void **buf, const struct args *a)
{
    if (!a->user.a)
        return orr_he2hb_tile_of(buf[1]);
    const int64_t row = a->user.upper ? a->j : a->i, column = a->user.upper ? a->i : a->j;
    const size_t before = (size_t)(a->T * (row + column * a->user.lda));
    return (orr_he2hb_tile){.a = (char *)a->user.a + before * orr_element_size(a->type),
                            .ld = a->user.lda};
}

struct load {
    orr_he2hb_tile from, to;
    orr_he2hb_loading how;
};

static struct load load_of(void **buf, const struct args *a)
{
    return (struct load){.from = loaded_from(buf, a),
                         .to = orr_he2hb_tile_of(buf[0]),
                         .how = {.rows = STARPU_MATRIX_GET_NX(buf[0]),
                                 .columns = STARPU_MATRIX_GET_NY(buf[0]),
                                 .upper = a->user.upper,
                                 .diagonal = a->i == a->j,
                                 .scale = a->scale}};
}

static void load(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct load x = load_of(buf, a);
    if (!orr_request_failed(a->task.req))
        orr_he2hb_load_cpu[a->type](&x.how, x.from.a, x.from.ld, x.to.a, x.to.ld);
}

#ifdef ORR_WITH_CUDA
static void load_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct load x = load_of(buf, a);
    if (orr_request_failed(a->task.req))
        return;
    const orr_status st =
        orr_he2hb_load_cuda[a->type](ORR_STREAM(), &x.how, x.from.a, x.from.ld, x.to.a, x.to.ld);
    orr_task_check(a, st, "he2hb_load");
}
#endif

ORR_CODELETS(load, "he2hb_load", ORR_SDCZ, ORR_CPU_CUDA);

static int64_t tile_side(const struct orr_he2hb *r, int64_t i)
{
    return i + 1 < r->tiles ? r->T : r->n - i * r->T;
}

void orr_insert_he2hb_load(struct orr_request *req, int prio, const struct orr_he2hb *r, int64_t i,
                           int64_t j, const struct orr_dense *user, double scale)
{
    const int64_t at = orr_he2hb_at(i, j);
    struct args *a = orr_task_args(req, sizeof *a, r->U ? r->where : ORR_ON_CPU);
    if (!a)
        return;
    a->type = r->type;
    a->T = r->T;
    a->i = i;
    a->j = j;
    a->user = *user;
    a->scale = scale;
    if (r->U) {
        a->user.a = NULL;
        a->task.owner = orr_he2hb_node_of(r, j);
    }
    const int64_t rows = tile_side(r, i), columns = tile_side(r, j);
    orr_cost(&a->task, rows * columns, rows, columns, user->upper, i == j);
    const struct starpu_data_descr data[] = {{r->A[at], r->U ? STARPU_W : STARPU_RW},
                                             {r->U ? r->U[at] : NULL, STARPU_R}};
    orr_submit(a, sizeof *a, &load_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               r->U ? 2 : 1);
}
