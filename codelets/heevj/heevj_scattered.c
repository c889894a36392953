/* heevj_gather and heevj_scatter as tasks: matrices that lie anywhere in the user's memory
 * become a chunk, and the results go back. CPU only: the user's memory is there.
 *
 *   gather    A W, w W (zeroed: the solvers read and write it, for the sake of padding)
 *   scatter   A R, w R, info R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codelets/core/submit.h"
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

static struct starpu_perfmodel gather_model = ORR_MODEL("heevj_gather");
static struct starpu_perfmodel scatter_model = ORR_MODEL("heevj_scatter");

static struct starpu_codelet gather_codelet = {.name = "heevj_gather",
                                               .model = &gather_model,
                                               .nbuffers = 2,
                                               .modes = {STARPU_W, STARPU_W},
                                               .cpu_funcs = {gather},
                                               ORR_CODELET_COMMON};

static struct starpu_codelet scatter_codelet = {.name = "heevj_scatter",
                                                .model = &scatter_model,
                                                .nbuffers = 3,
                                                .modes = {STARPU_R, STARPU_R, STARPU_R},
                                                .cpu_funcs = {scatter},
                                                ORR_CODELET_COMMON};

static const size_t element_bytes[ORR_NTYPES] = {
    [ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 16};
static const size_t real_bytes[ORR_NTYPES] = {[ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 4, [ORR_Z] = 8};

static struct args *make_args(struct orr_request *req, const struct orr_heevj_chunk *c,
                              const struct orr_heevj_scattered *user, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->task.cpu_only = 1;
    a->chunk = *c;
    a->user = *user;
    a->element = element_bytes[c->type];
    a->real = real_bytes[c->type];
    orr_cost(&a->task, (double)(c->count * c->n * c->n) * (double)a->element, c->n, c->count,
             (int64_t)a->element, c->vectors);
    return a;
}

void orr_insert_heevj_gather(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                             const struct orr_heevj_scattered *user)
{
    struct args *a = make_args(req, c, user, 0);
    if (a)
        orr_submit(a, sizeof *a, &gather_codelet, prio, STARPU_W, c->A, STARPU_W, c->w);
}

void orr_insert_heevj_scatter(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                              const struct orr_heevj_scattered *user, int64_t parts)
{
    struct args *a = make_args(req, c, user, parts);
    if (a)
        orr_submit(a, sizeof *a, &scatter_codelet, prio, STARPU_R, c->A, STARPU_R, c->w, STARPU_R,
                   c->info);
}
