/* heevj_check: did heevj tell the truth? For every matrix of a chunk
 *
 *   info.residual      := |A Q - Q L|_F / (n eps |A|_F)
 *   info.orthogonality := |Q'Q - I|_F   / (n eps)
 *
 * with A the matrix before (only the named triangle is read), Q and w the result. The
 * figures are computed in double (and with the matrix scaled, so that 1e+-300 works), eps
 * is that of the type; NaN propagates. The denominators have the grid of subnormal numbers added,
 * sqrt(n) times the least of them, to which w is rounded. A zero matrix has residual 0 if w is 0. Skips
 * (leaves NaN) matrices whose status is ORR_NONFINITE. CPU only: it must not share an
 * implementation, nor a processor, with what it checks.
 *
 *   a0 R, laid out as args says;  q R, the same layout;  w R;  info RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEVJ_CHECK_H
#define ORR_KERNELS_HEEVJ_CHECK_H

#include "kernels/heevj.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef orr_status orr_heevj_check_fn(const orr_heevj_args *, const void *a0, const void *q,
                                      const void *w, orr_matrix_info *info);
extern orr_heevj_check_fn *const orr_heevj_check_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
