/* Vectors of a tridiagonal or bidiagonal matrix on their way to where reflectors are applied to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_VECTORS_H
#define ORR_KERNELS_VECTORS_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* In pieces: column j is column j % width of piece j / width, n rows of the real type without gaps. */
enum { ORR_VECTORS_PIECES = 256 };
typedef struct {
    int64_t width;
    const void *at[ORR_VECTORS_PIECES];
} orr_vectors;

/* Columns first .. first+k-1 in the order `order`, from 1 (NULL: as they stand; by_rows: rows of the one
 * piece, n x n), row i times phase[i] (NULL: 1), into the k columns of e, of the type, leading dimension
 * lde; zeros into rows n .. rows-1. */
typedef struct {
    int64_t n, rows, first, k;
    int32_t by_rows;
} orr_vectors_columns;
typedef orr_status orr_vectors_place_fn(orr_stream, const orr_vectors_columns *,
                                        const int32_t *order, const orr_vectors *,
                                        const void *phase, void *e, int64_t lde);
extern orr_vectors_place_fn *const orr_vectors_place_cpu[ORR_NTYPES];
/* On a device; order, the pieces, phase and e are there. */
extern orr_vectors_place_fn *const orr_vectors_place_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
