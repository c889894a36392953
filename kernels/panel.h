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

/* A panel is so many launches of a kernel, one after the other, each of `columns` columns or the rest, by
 * `blocks` thread blocks of `rows` rows. launches = 0: it does not fit, and the call is ORR_E_ARG. */
typedef struct {
    int64_t launches, blocks, rows, columns;
} orr_panel_cut;
typedef orr_panel_cut orr_panel_cut_fn(int64_t m, int64_t b);

/* By blocks on all processors, which tell each other through memory; by one cluster of at most 16 blocks,
 * where the device that is current has clusters. Cut alike they give the same bits. */
extern orr_panel_fn *const orr_panel_cuda_apart[ORR_NTYPES];
extern orr_panel_cut_fn *const orr_panel_cuda_apart_cut[ORR_NTYPES];
extern orr_panel_fn *const orr_panel_cuda_cluster[ORR_NTYPES];
extern orr_panel_cut_fn *const orr_panel_cuda_cluster_cut[ORR_NTYPES];
/* 1: a cluster is faster, as far as that was measured (docs/gpu-status.md). */
int orr_panel_cuda_prefers_cluster(orr_type, int64_t m, int64_t b);

/* What tasks call: the one or the other. */
extern orr_panel_fn *const orr_panel_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
