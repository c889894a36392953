/* hb2st_load and hb2st_store as tasks: the user's band into column blocks, and the
 * tridiagonal matrix back. CPU only: the user's memory is there.
 *
 *   load     H[m] W, and what else must be in the user's memory first R
 *   halve    H[m] W, a block of twice the columns R
 *   store    H[m] R, and what stands for d and e RW (may be missing)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_io.h"

#include "codelets/band/hb2st.h"
#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_hb2st_shape shape;
    int64_t m;
    orr_hb2st_user user;
    double scale;
    void *d, *e;
};

static orr_hb2st_user kernel_user(const struct orr_hb2st_band *u)
{
    return (orr_hb2st_user){.ab = u->ab, .ldab = u->ldab, .width = u->width, .upper = u->upper};
}

struct orr_hb2st_look orr_hb2st_screen(orr_type type, int64_t n, const struct orr_hb2st_band *u)
{
    const orr_hb2st_user user = kernel_user(u);
    orr_hb2st_screened s;
    orr_hb2st_screen_cpu[type](&user, n, &s);
    return (struct orr_hb2st_look){.row = s.row, .column = s.column, .b = s.b, .scale = s.scale};
}

static void load(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_hb2st_load_cpu[a->type](&a->shape, a->m, &a->user, a->scale, ORR_PTR(0));
}

static void store(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_hb2st_store_cpu[a->type](&a->shape, a->m, ORR_PTR(0), a->scale, a->d, a->e);
}

static void halve(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_hb2st_halve_cpu[a->type](&a->shape, a->m, ORR_PTR(1), ORR_PTR(0));
}

ORR_CODELETS(load, "hb2st_load", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(halve, "hb2st_halve", ORR_SDCZ, ORR_CPU, STARPU_W, STARPU_R);
ORR_CODELETS(store, "hb2st_store", ORR_SDCZ, ORR_CPU);

static struct args *make_args(struct orr_request *req, const struct orr_hb2st *r, int64_t m,
                              double scale)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->type = r->type;
    a->shape = orr_hb2st_kernel_shape(r);
    a->m = m;
    a->task.first = m * r->D;
    a->task.span = r->D;
    orr_cost(&a->task, orr_hb2st_block_length(r), r->b, r->D);
    a->scale = scale;
    return a;
}

void orr_insert_hb2st_load(struct orr_request *req, int prio, const struct orr_hb2st *r, int64_t m,
                           const struct orr_hb2st_band *user, double scale,
                           const starpu_data_handle_t *after, int count)
{
    struct args *a = make_args(req, r, m, scale);
    if (!a)
        return;
    a->user = kernel_user(user);
    struct starpu_data_descr data[1 + count];
    data[0] = (struct starpu_data_descr){r->H[m], STARPU_W};
    for (int i = 0; i < count; i++)
        data[1 + i] = (struct starpu_data_descr){after[i], STARPU_R};
    orr_submit(a, sizeof *a, &load_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, 1 + count);
}

void orr_insert_hb2st_halve(struct orr_request *req, int prio, const struct orr_hb2st *r, int64_t m,
                            const struct orr_hb2st *from)
{
    struct args *a = make_args(req, r, m, 1);
    if (a)
        orr_submit(a, sizeof *a, &halve_codelet[r->type], prio, STARPU_W, r->H[m], STARPU_R,
                   from->H[m / 2]);
}

void orr_insert_hb2st_store(struct orr_request *req, int prio, const struct orr_hb2st *r, int64_t m,
                            double scale, void *d, void *e, starpu_data_handle_t into)
{
    struct args *a = make_args(req, r, m, scale);
    if (!a)
        return;
    a->d = d;
    a->e = e;
    const struct starpu_data_descr data[] = {{r->H[m], STARPU_R}, {into, STARPU_RW}};
    orr_submit(a, sizeof *a, &store_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               into ? 2 : 1);
}
