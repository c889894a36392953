/* gb2bd_load and gb2bd_store as tasks: a block of rows from the user's band, and its two
 * diagonals to the user's arrays. CPU only: the user's memory is there.
 *
 *   load    H[m] W, what is waited for R
 *   store   H[m] R, what stands for d and e RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/band/gb2bd.h"
#include "codelets/band/gb2bd_args.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    const struct orr_gb2bd *r;
    int64_t m;
};

int64_t orr_gb2bd_block_reals(const struct orr_gb2bd *r)
{
    return r->D * orr_gb2bd_kernel_band(r).ld;
}

int64_t orr_gb2bd_carry_reals(const struct orr_gb2bd *r) { return orr_gb2bd_carry(r->type, r->tw); }

static const unsigned char band_real[ORR_GB2BD_NTYPES] = {
    [ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 4, [ORR_Z] = 8, [ORR_H] = 2};
size_t orr_gb2bd_band_real(orr_type t) { return band_real[t]; }
size_t orr_gb2bd_carry_real(orr_type t) { return t == ORR_H ? 4 : band_real[t]; }
orr_type orr_gb2bd_vector_type(orr_type t) { return t == ORR_H ? ORR_S : t; }

double orr_gb2bd_screen(const struct orr_gb2bd *r, int64_t *row, int64_t *column)
{
    const orr_gb2bd_source source = orr_gb2bd_kernel_source(r);
    const orr_gb2bd_screened s = orr_gb2bd_screen_cpu[r->type](&source);
    *row = s.row;
    *column = s.column;
    return s.largest;
}

static void load(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_gb2bd_band band = orr_gb2bd_kernel_band(a->r);
    const orr_gb2bd_source source = orr_gb2bd_kernel_source(a->r);
    orr_gb2bd_load_cpu[a->r->type](&band, &source, a->m * a->r->D, a->r->D, ORR_PTR(0));
}

static void store(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_gb2bd_band band = orr_gb2bd_kernel_band(a->r);
    orr_gb2bd_store_cpu[a->r->type](&band, a->r->scale, a->r->transposed, a->m * a->r->D, a->r->D,
                                    ORR_PTR(0), a->r->d, a->r->e);
}

ORR_CODELETS(load, "gb2bd_load", ORR_SDCZH, ORR_CPU);
ORR_CODELETS(store, "gb2bd_store", ORR_SDCZH, ORR_CPU);

static struct args *make_args(struct orr_request *req, const struct orr_gb2bd *r, int64_t m)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->r = r;
    a->m = m;
    a->task.first = m * r->D;
    a->task.span = r->D;
    const int64_t left = r->rows - m * r->D, rows = left < r->D ? left : r->D;
    orr_cost(&a->task, rows * orr_gb2bd_kernel_band(r).ld, r->b, r->low, rows);
    return a;
}

void orr_insert_gb2bd_load(struct orr_request *req, int prio, const struct orr_gb2bd *r, int64_t m,
                           starpu_data_handle_t H, const starpu_data_handle_t *after, int count)
{
    struct args *a = make_args(req, r, m);
    if (!a)
        return;
    struct starpu_data_descr data[1 + count];
    data[0] = (struct starpu_data_descr){H, STARPU_W};
    for (int i = 0; i < count; i++)
        data[1 + i] = (struct starpu_data_descr){after[i], STARPU_R};
    orr_submit(a, sizeof *a, &load_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, 1 + count);
}

void orr_insert_gb2bd_store(struct orr_request *req, int prio, const struct orr_gb2bd *r, int64_t m,
                            starpu_data_handle_t H, starpu_data_handle_t into)
{
    struct args *a = make_args(req, r, m);
    const struct starpu_data_descr data[] = {{H, STARPU_R}, {into, STARPU_RW}};
    if (a)
        orr_submit(a, sizeof *a, &store_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
                   into ? 2 : 1);
}
