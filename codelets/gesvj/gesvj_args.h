/* From a chunk to the arguments of its kernels. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GESVJ_ARGS_H
#define ORR_GESVJ_ARGS_H

#include "codelets/gesvj/gesvj.h"
#include "kernels/gesvj.h"

static inline orr_gesvj_args orr_gesvj_kernel_args(const struct orr_gesvj_chunk *c)
{
    return (orr_gesvj_args){.m = c->m,
                            .n = c->n,
                            .count = c->count,
                            .ld = c->ld,
                            .stride = c->stride,
                            .lds = c->lds,
                            .ldu = c->ldu,
                            .strideu = c->strideu,
                            .ldv = c->ldv,
                            .stridev = c->stridev,
                            .left = c->left,
                            .right = c->right,
                            .nb = c->nb,
                            .precondition = c->precondition,
                            .lanes = c->lanes,
                            .max_sweeps = c->max_sweeps,
                            .tol = c->tol};
}

/* How a task that makes results has them: what lies between matrices, or between the columns of
 * one, must stay as it is. */
static inline enum starpu_data_access_mode orr_gesvj_written(const struct orr_gesvj_chunk *c,
                                                             int64_t rows, int64_t columns,
                                                             int64_t ld, int64_t stride)
{
    const int whole = ld == rows && (c->count == 1 || stride == rows * columns);
    return whole ? STARPU_W : STARPU_RW;
}

static inline int64_t orr_gesvj_values(const struct orr_gesvj_chunk *c)
{
    return c->m < c->n ? c->m : c->n;
}
/* 1: these matrices are small enough for a thread block of an accelerator each. */
int orr_gesvj_accelerator_has(const struct orr_gesvj_chunk *);
static inline enum starpu_data_access_mode orr_gesvj_written_s(const struct orr_gesvj_chunk *c)
{
    const int64_t k = orr_gesvj_values(c);
    return orr_gesvj_written(c, k, 1, k, c->lds);
}
static inline enum starpu_data_access_mode orr_gesvj_written_u(const struct orr_gesvj_chunk *c)
{
    return orr_gesvj_written(c, c->m, orr_gesvj_values(c), c->ldu, c->strideu);
}
static inline enum starpu_data_access_mode orr_gesvj_written_v(const struct orr_gesvj_chunk *c)
{
    return orr_gesvj_written(c, c->n, orr_gesvj_values(c), c->ldv, c->stridev);
}

/* Bytes of scratch of a task on a CUDA device, 0 without one: of a chunk, and of a start or finish
 * for each matrix. */
int64_t orr_gesvj_chunk_scratch(orr_type, const orr_gesvj_args *);
int64_t orr_gesvj_ends_scratch(orr_type, const orr_gesvj_args *);

/* Whose matrices a task has; the first request has the task. */
struct orr_gesvj_users {
    int64_t count;
    struct orr_request *user[ORR_GESVJ_MAX_BUNDLE];
};

/* What fails for one matrix of a task fails for all. Returns 1 if nothing did. */
static inline int orr_gesvj_check(const struct orr_gesvj_users *u, orr_status st, const char *name)
{
    for (int64_t i = 0; st != ORR_OK && i < u->count; i++)
        orr_request_fail(u->user[i], st, name);
    return st == ORR_OK;
}

static inline int orr_gesvj_usable(const struct orr_gesvj_users *u)
{
    struct orr_request *r = u->user[0];
    return !orr_request_failed(r) ||
           orr_gesvj_check(u, (orr_status)atomic_load(&r->status), r->culprit);
}

#endif
