/* The tasks of hegv; the buffers of each are in hegv.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hegv.h"

#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"
#include "codelets/dense/hegv.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_hegv_factor factor;
    char ta, tb;
    double alpha;
    int problem, same; /* same: two buffers are one, which is named once */
    int64_t before;
    _Atomic int64_t *minor;
};

/* ---- Functions ------------------------------------------------------------------------------ */

static orr_hegv_tile tile_of(void *buffer)
{
    return (orr_hegv_tile){.a = (void *)STARPU_MATRIX_GET_PTR(buffer),
                           .ld = STARPU_MATRIX_GET_LD(buffer),
                           .rows = STARPU_MATRIX_GET_NX(buffer),
                           .columns = STARPU_MATRIX_GET_NY(buffer)};
}

static void potrf(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const int64_t minor = orr_hegv_potrf_cpu[a->type](tile_of(buf[0]));
    if (minor > 0)
        atomic_store(a->minor, a->before + minor);
    orr_task_check(a, minor > 0 ? ORR_E_DEFINITE : ORR_OK, "hegv_potrf");
}

static void gst(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_hegv_gst_cpu[a->type](a->problem, tile_of(buf[0]), tile_of(buf[1]));
}

static void triangle_by(void **buf, const struct args *a, orr_hegv_triangle_fn *const *kernel,
                        orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        orr_task_check(a, kernel[a->type](stream, &a->factor, tile_of(buf[0]), tile_of(buf[1])),
                       "hegv_triangle");
}

static void multiply_by(void **buf, const struct args *a, orr_hegv_multiply_fn *const *kernel,
                        orr_stream stream)
{
    const int b = !a->same;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, a->ta, a->tb, a->alpha, tile_of(buf[0]),
                                       tile_of(buf[b]), tile_of(buf[b + 1])),
                       "hegv_multiply");
}

static void hermitian_by(void **buf, const struct args *a, orr_hegv_hermitian_fn *const *kernel,
                         orr_stream stream)
{
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, a->factor.side, a->alpha, tile_of(buf[0]),
                                       tile_of(buf[1]), tile_of(buf[2])),
                       "hegv_hermitian");
}

static void update_by(void **buf, const struct args *a, orr_hegv_update_fn *const *kernel,
                      orr_stream stream)
{
    const int j = a->same ? 0 : 2;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       kernel[a->type](stream, a->ta, a->alpha, a->same, tile_of(buf[0]),
                                       tile_of(buf[1]), tile_of(buf[j]), tile_of(buf[j + 1]),
                                       tile_of(buf[j + 2])),
                       "hegv_update");
}

ORR_CPU_AND_CUDA(triangle, orr_hegv_triangle_cpu, orr_hegv_triangle_cuda)
ORR_CPU_AND_CUDA(multiply, orr_hegv_multiply_cpu, orr_hegv_multiply_cuda)
ORR_CPU_AND_CUDA(hermitian, orr_hegv_hermitian_cpu, orr_hegv_hermitian_cuda)
ORR_CPU_AND_CUDA(update, orr_hegv_update_cpu, orr_hegv_update_cuda)

/* ---- Codelets ------------------------------------------------------------------------------- */

ORR_CODELETS(potrf, "hegv_potrf", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(gst, "hegv_gst", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(triangle, "hegv_triangle", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(multiply, "hegv_multiply", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(hermitian, "hegv_hermitian", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(update, "hegv_update", ORR_SDCZ, ORR_CPU_CUDA);

/* ---- Insertion ------------------------------------------------------------------------------ */

static struct args *make_args(struct orr_request *req, const struct orr_hegv_task *t,
                              enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->type = t->type;
    a->task.parts = t->parts;
    return a;
}

/* Of C, for the cost; a plan has no tiles, and counts by parts. */
static int64_t rows_of(const struct orr_request *req, starpu_data_handle_t h)
{
    return req->plan ? 1 : starpu_matrix_get_nx(h);
}
static int64_t columns_of(const struct orr_request *req, starpu_data_handle_t h)
{
    return req->plan ? 1 : starpu_matrix_get_ny(h);
}

void orr_insert_hegv_potrf(struct orr_request *req, const struct orr_hegv_task *t, int64_t before,
                           _Atomic int64_t *minor, starpu_data_handle_t B)
{
    struct args *a = make_args(req, t, ORR_ON_CPU);
    if (!a)
        return;
    const int64_t n = rows_of(req, B);
    a->before = before;
    a->minor = minor;
    const struct starpu_data_descr data[] = {{B, STARPU_RW}};
    orr_cost(&a->task, t->parts, n);
    orr_submit(a, sizeof *a, &potrf_codelet[t->type], t->prio, STARPU_DATA_MODE_ARRAY, data, 1);
}

void orr_insert_hegv_gst(struct orr_request *req, const struct orr_hegv_task *t, int problem,
                         starpu_data_handle_t A, starpu_data_handle_t L)
{
    struct args *a = make_args(req, t, ORR_ON_CPU);
    if (!a)
        return;
    const int64_t n = rows_of(req, A);
    a->problem = problem;
    /* LAPACK's hegs2 conjugates rows of L, and again when it has used them */
    const struct starpu_data_descr data[] = {{A, STARPU_RW},
                                             {L, problem > 1 ? STARPU_RW : STARPU_R}};
    orr_cost(&a->task, t->parts, n, problem > 1);
    orr_submit(a, sizeof *a, &gst_codelet[t->type], t->prio, STARPU_DATA_MODE_ARRAY, data, 2);
}

void orr_insert_hegv_triangle(struct orr_request *req, const struct orr_hegv_task *t, char side,
                              char trans, int inverse, starpu_data_handle_t L,
                              starpu_data_handle_t C)
{
    struct args *a = make_args(req, t, t->where);
    if (!a)
        return;
    a->factor = (orr_hegv_factor){.side = side, .trans = trans, .inverse = inverse};
    const struct starpu_data_descr data[] = {{L, STARPU_R}, {C, STARPU_RW}};
    orr_cost(&a->task, t->parts, rows_of(req, C), columns_of(req, C), side, inverse);
    orr_submit(a, sizeof *a, &triangle_codelet[t->type], t->prio, STARPU_DATA_MODE_ARRAY, data, 2);
}

void orr_insert_hegv_multiply(struct orr_request *req, const struct orr_hegv_task *t, char ta,
                              char tb, double alpha, starpu_data_handle_t A, starpu_data_handle_t B,
                              starpu_data_handle_t C)
{
    struct args *a = make_args(req, t, t->where);
    if (!a)
        return;
    a->ta = ta;
    a->tb = tb;
    a->alpha = alpha;
    a->same = A == B && !req->plan;
    struct starpu_data_descr data[3] = {{A, STARPU_R}, {B, STARPU_R}, {C, STARPU_RW}};
    if (a->same)
        data[1] = data[2];
    const int count = a->same ? 2 : 3;
    orr_cost(&a->task, t->parts, rows_of(req, C), columns_of(req, C), rows_of(req, A));
    orr_submit(a, sizeof *a, &multiply_codelet[t->type], t->prio, STARPU_DATA_MODE_ARRAY, data,
               count);
}

void orr_insert_hegv_hermitian(struct orr_request *req, const struct orr_hegv_task *t, char side,
                               double alpha, starpu_data_handle_t H, starpu_data_handle_t B,
                               starpu_data_handle_t C)
{
    struct args *a = make_args(req, t, t->where);
    if (!a)
        return;
    a->factor.side = side;
    a->alpha = alpha;
    const struct starpu_data_descr data[] = {{H, STARPU_R}, {B, STARPU_R}, {C, STARPU_RW}};
    orr_cost(&a->task, t->parts, rows_of(req, C), columns_of(req, C), side);
    orr_submit(a, sizeof *a, &hermitian_codelet[t->type], t->prio, STARPU_DATA_MODE_ARRAY, data, 3);
}

void orr_insert_hegv_update(struct orr_request *req, const struct orr_hegv_task *t, char trans,
                            double alpha, starpu_data_handle_t Ai, starpu_data_handle_t Bi,
                            starpu_data_handle_t Aj, starpu_data_handle_t Bj,
                            starpu_data_handle_t C)
{
    struct args *a = make_args(req, t, t->where);
    if (!a)
        return;
    a->ta = trans;
    a->alpha = alpha;
    a->same = Ai == Aj && !req->plan;
    struct starpu_data_descr data[5] = {
        {Ai, STARPU_R}, {Bi, STARPU_R}, {Aj, STARPU_R}, {Bj, STARPU_R}, {C, STARPU_RW}};
    if (a->same)
        data[2] = data[4];
    const int count = a->same ? 3 : 5;
    orr_cost(&a->task, t->parts, rows_of(req, C), columns_of(req, C), rows_of(req, Ai), a->same);
    orr_submit(a, sizeof *a, &update_codelet[t->type], t->prio, STARPU_DATA_MODE_ARRAY, data,
               count);
}
