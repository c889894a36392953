/* heevj_gather and heevj_scatter as tasks: matrices that lie anywhere in the user's memory
 * become a chunk, and the results go back. CPU only: the user's memory is there.
 *
 *   gather    A W, w W (zeroed: the solvers read and write it, for the sake of padding)
 *   scatter   A R, w R, info R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codelets/core/task.h"
#include "codelets/heevj/heevj.h"
#include "codelets/heevj/heevj_args.h"

struct args {
    struct orr_task task;
    struct orr_heevj_chunk chunk;
    struct orr_heevj_scattered user;
    size_t element, real;
};

static int64_t user_ld(const struct args *a, int64_t k)
{
    return a->user.lds ? a->user.lds[k] : a->chunk.n;
}

static void gather(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_heevj_chunk *c = &a->chunk;
    if (orr_request_failed(a->task.req))
        return;
    char *chunk = ORR_PTR(0);
    memset(ORR_PTR(1), 0, (size_t)(c->count * c->ldw) * a->real);
    for (int64_t i = 0; i < c->count; i++) {
        int64_t k = a->user.index[i], ld = user_ld(a, k);
        for (int64_t j = 0; j < c->n; j++)
            memcpy(chunk + (i * c->stride + j * c->ld) * a->element,
                   (char *)a->user.as[k] + j * ld * a->element, c->n * a->element);
    }
}

static void scatter(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_heevj_chunk *c = &a->chunk;
    if (orr_request_failed(a->task.req))
        return;
    const char *chunk = ORR_PTR(0), *w = ORR_PTR(1);
    const orr_matrix_info *info = ORR_PTR(2);
    for (int64_t i = 0; i < c->count; i++) {
        int64_t k = a->user.index[i], ld = user_ld(a, k);
        if (c->vectors)
            for (int64_t j = 0; j < c->n; j++)
                memcpy((char *)a->user.as[k] + j * ld * a->element,
                       chunk + (i * c->stride + j * c->ld) * a->element, c->n * a->element);
        memcpy(a->user.ws[k], w + i * c->ldw * a->real, c->n * a->real);
        a->user.infos[k] = info[i];
    }
}

ORR_CODELETS(gather, "heevj_gather", ORR_UNTYPED, ORR_CPU, STARPU_W, STARPU_W);
ORR_CODELETS(scatter, "heevj_scatter", ORR_UNTYPED, ORR_CPU, STARPU_R, STARPU_R, STARPU_R);

static struct args *make_args(struct orr_request *req, const struct orr_heevj_chunk *c,
                              const struct orr_heevj_scattered *user, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->chunk = *c;
    a->user = *user;
    a->element = orr_element_size(c->type);
    a->real = orr_real_size(c->type);
    orr_cost(&a->task, (double)(c->count * c->n * c->n) * (double)a->element, c->n, c->count,
             (int64_t)a->element, c->vectors);
    return a;
}

void orr_insert_heevj_gather(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                             const struct orr_heevj_scattered *user)
{
    struct args *a = make_args(req, c, user, 0);
    if (a)
        orr_submit(a, sizeof *a, gather_codelet, prio, STARPU_W, c->A, STARPU_W, c->w);
}

void orr_insert_heevj_scatter(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                              const struct orr_heevj_scattered *user, int64_t parts)
{
    struct args *a = make_args(req, c, user, parts);
    if (a)
        orr_submit(a, sizeof *a, scatter_codelet, prio, STARPU_R, c->A, STARPU_R, c->w, STARPU_R,
                   c->info);
}
