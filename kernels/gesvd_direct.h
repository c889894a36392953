/* gesvd in one step, for shapes at which two stages do not pay: LAPACK's gesdd, but for small matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GESVD_DIRECT_H
#define ORR_KERNELS_GESVD_DIRECT_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* a: m x n of the type, all finite. s: its k = min(m, n) singular values, descending; u and v,
 * either of which may be NULL: its vectors, m x k and n x k. scale: a power of two that a is
 * multiplied by and s divided; before: 0, or one that a was multiplied by, and s is divided by, too. */
typedef struct {
    orr_type type;
    int64_t m, n, lda, ldu, ldv;
    double scale, before;
    const void *a;
    void *s, *u, *v;
    int apart;     /* 1: in steps, as below; the workspace has room for both sides' vectors then */
    int32_t lwork; /* of LAPACK's routines; orr_gesvd_direct_bytes asks them */
} orr_gesvd_direct;

/* Of the workspace, at a multiple of 64: m n numbers; with vectors also (m + n) k of the type and what
 * gesdd takes, about 4 k^2. */
size_t orr_gesvd_direct_bytes(orr_gesvd_direct *);

/* memory: the workspace. Returns ORR_OK or ORR_NOCONV. */
typedef orr_status orr_gesvd_direct_fn(const orr_gesvd_direct *, void *memory);

/* What s is multiplied by in the end. */
static inline double orr_gesvd_back(const orr_gesvd_direct *g)
{
    return 1 / (g->before > 0 ? g->before * g->scale : g->scale);
}
extern orr_gesvd_direct_fn *const orr_gesvd_direct_cpu[ORR_NTYPES];

/* The same, bit for bit, where orr_gesvd_comes_apart: first all but the vectors, then, unless it
 * failed, those of either side, 0 and 1, at the same time if wished. */
int orr_gesvd_comes_apart(const orr_gesvd_direct *);
orr_status orr_gesvd_begin(const orr_gesvd_direct *, void *memory);
void orr_gesvd_side(const orr_gesvd_direct *, int side, void *memory);

#ifdef __cplusplus
}
#endif
#endif
