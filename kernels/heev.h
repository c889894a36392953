/* heev: the eigenvalues of the tridiagonal matrix in the middle of the two-stage solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_H
#define ORR_KERNELS_HEEV_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* d: the diagonal, in; its eigenvalues divided by scale, ascending, out. e: the n-1 off-diagonal
 * entries, destroyed. Both of the real type. Returns ORR_OK or ORR_NOCONV. */
typedef orr_status orr_heev_values_fn(int64_t n, double scale, void *d, void *e);
extern orr_heev_values_fn *const orr_heev_values_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
