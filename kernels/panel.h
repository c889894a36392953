/* panel: Householder QR of a tall panel on a device, what kernels/cuda/he2hb.cu and ge2gb.cu find their
 * reflectors by. As LAPACK's geqrf and larft on a CPU, with their signs:
 *
 *     q = Q (R; 0),   Q = I - V S V',   w = min(m, b) reflectors
 *
 *     q    m x b, leading dimension m, in: the panel. Out: V with its ones and zeros, zeros in the
 *          columns behind it
 *     r    b x b, leading dimension b: out, the first w rows of R from the diagonal on; the rest is
 *          not changed
 *     s    w x w, leading dimension w: out, S, zeros below its diagonal
 *
 * All in the device's memory. A column whose entries below the diagonal are all zero, and whose
 * diagonal entry is real, has no reflector (tau = 0), as in larfg. Columns are scaled by powers of two
 * before they are squared, so their sizes do not matter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_PANEL_H
#define ORR_KERNELS_PANEL_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Taller ones may not fit: a panel is kept in the shared memory of the device's processors. */
enum { ORR_PANEL_MOST_ROWS = 65536 };

typedef orr_status orr_panel_fn(orr_stream, int64_t m, int64_t b, void *q, void *r, void *s);
extern orr_panel_fn *const orr_panel_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
