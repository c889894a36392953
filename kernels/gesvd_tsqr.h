/* A = Q R of rows of a matrix of few columns, block by block: each is read once, while it is in the first
 * caches (TSQR).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GESVD_TSQR_H
#define ORR_KERNELS_GESVD_TSQR_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Rows x n numbers, n <= rows, all finite; times scale, a power of two, the largest is near 1. Row i,
 * column j is a[j lda + i], or, of an adjoint, conj(a[i lda + j]). */
typedef struct {
    orr_type type;
    int64_t rows, n, lda;
    int adjoint;
    double scale;
    void *a;
} orr_tsqr_part;

/* Of the reflectors' factors. */
size_t orr_tsqr_bytes(const orr_tsqr_part *);

/* r := R, n x n with zeros below its diagonal, of scale * a; s: NULL, or room for the factors, at a
 * multiple of 64, and then a := reflectors. ORR_OK or ORR_E_NOMEM. */
typedef orr_status orr_tsqr_factor_fn(const orr_tsqr_part *, void *s, void *r, int64_t ldr);
orr_tsqr_factor_fn orr_tsqr_factor;

/* u := Q E, rows x n, of what the function above left in a and s; E: n x n. */
typedef orr_status orr_tsqr_apply_fn(const orr_tsqr_part *, const void *s, const void *e,
                                     int64_t lde, void *u, int64_t ldu);
orr_tsqr_apply_fn orr_tsqr_apply;

#ifdef __cplusplus
}
#endif
#endif
