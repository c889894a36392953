/* heevj_block: one-sided block Jacobi for a chunk of Hermitian matrices, one sweep
 * at a time (Huang, Liu, Zhao 2023, Algorithm 3). State of matrix k of the chunk,
 * all square of order np = orr_heevj_block_padded(type, n), column major, ld = np:
 *
 *   G = scaled A times Q,  Q unitary          G + k*np*np,  Q + k*np*np
 *
 * Padding rows and columns of G are zero and those of Q the identity: their entries of H
 * are exactly zero, so they are never rotated into the others, and a pair's padding
 * columns are sorted behind its other columns. A padding column is one with an entry in
 * Q's rows from n on. A sweep visits every pair (p,q) of column blocks once, in
 * Round-Robin order, and for each pair forms the 2nb x 2nb matrix
 *
 *   H = [Qp Qq]' [Gp Gq]      (Hermitian, eq. 7)
 *
 * finds J by a few sweeps of Jacobi on H, its columns by descending diagonal of J'HJ, and
 * sets [Gp Gq] := [Gp Gq] J, [Qp Qq] := [Qp Qq] J. A pair none of whose entries is above
 * the threshold of heevj.h, with floor = 4 |A|_F, is left alone: inner products of G and Q
 * carry errors of eps |A|, so small eigenvalues have absolute, not relative accuracy.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEVJ_BLOCK_H
#define ORR_KERNELS_HEEVJ_BLOCK_H

#include "kernels/heevj.h"
#ifdef __cplusplus
extern "C" {
#endif

int64_t orr_heevj_block_padded(orr_type, int64_t n);

/* The active list of a chunk: the indices of matrices that still rotate. Lives in one
 * buffer of orr_heevj_active_words(count) int32_t:
 *   [0] number of active matrices, [1] sweeps done so far,
 *   [2 .. 2+count)          the indices of the active matrices
 *   [2+count .. 2+2*count)  per matrix: 1 if the last sweep rotated something, else 0 */
static inline int64_t orr_heevj_active_words(int64_t count) { return 2 + 2 * count; }

/* start: screen, scale, expand the triangle into G, Q := I, list all finite matrices as
 * active. scale[k]: the power of two that A was multiplied by (0 marks a non-finite
 * matrix). Writes info[k].norm, status, method and zero sweeps.
 *   a R; G, Q, scale, active, info W */
typedef orr_status orr_heevj_block_start_fn(const orr_heevj_args *, const void *a, void *G, void *Q,
                                            double *scale, int32_t *active, orr_matrix_info *info);
/* sweep: one sweep over every active matrix; sets its rotated flag, info.sweeps, info.off.
 *   G, Q RW; active RW (flags only); info RW */
typedef orr_status orr_heevj_block_sweep_fn(const orr_heevj_args *, void *G, void *Q,
                                            int32_t *active, orr_matrix_info *info);
/* compact: drop from the list the matrices whose last sweep rotated nothing, and those
 * that reached max_sweeps (status ORR_NOCONV); count the sweep.
 *   active, info RW */
typedef orr_status orr_heevj_block_compact_fn(const orr_heevj_args *, int32_t *active,
                                              orr_matrix_info *info);
/* finish: w := diag(Q'G) / scale, ascending; a := Q with columns in that order if vectors.
 *   G, Q R; scale R; a W (only the n x n squares), w W, info RW */
typedef orr_status orr_heevj_block_finish_fn(const orr_heevj_args *, const void *G, const void *Q,
                                             const double *scale, void *a, void *w,
                                             orr_matrix_info *info);

extern orr_heevj_block_start_fn *const orr_heevj_block_start_cpu[ORR_NTYPES];
extern orr_heevj_block_sweep_fn *const orr_heevj_block_sweep_cpu[ORR_NTYPES];
extern orr_heevj_block_compact_fn *const orr_heevj_block_compact_cpu[ORR_NTYPES];
extern orr_heevj_block_finish_fn *const orr_heevj_block_finish_cpu[ORR_NTYPES];

/* The same on a device: device pointers, on the stream, returns at once. */
typedef orr_status orr_heevj_block_start_cuda_fn(orr_stream, const orr_heevj_args *, const void *a,
                                                 void *G, void *Q, double *scale, int32_t *active,
                                                 orr_matrix_info *info);
typedef orr_status orr_heevj_block_sweep_cuda_fn(orr_stream, const orr_heevj_args *, void *G,
                                                 void *Q, int32_t *active, orr_matrix_info *info);
typedef orr_status orr_heevj_block_compact_cuda_fn(orr_stream, const orr_heevj_args *,
                                                   int32_t *active, orr_matrix_info *info);
typedef orr_status orr_heevj_block_finish_cuda_fn(orr_stream, const orr_heevj_args *, const void *G,
                                                  const void *Q, const double *scale, void *a,
                                                  void *w, orr_matrix_info *info);

extern orr_heevj_block_start_cuda_fn *const orr_heevj_block_start_cuda[ORR_NTYPES];
extern orr_heevj_block_sweep_cuda_fn *const orr_heevj_block_sweep_cuda[ORR_NTYPES];
extern orr_heevj_block_compact_cuda_fn *const orr_heevj_block_compact_cuda[ORR_NTYPES];
extern orr_heevj_block_finish_cuda_fn *const orr_heevj_block_finish_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
