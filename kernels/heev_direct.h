/* heev in one step, by one thread: the direct reduction and the back-transformation of heev_reduce.h, or
 * those of a small matrix, and the tridiagonal solvers of heev.h. For orders at which two stages do not pay.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_DIRECT_H
#define ORR_KERNELS_HEEV_DIRECT_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* a: n x n Hermitian of the type, of which the named triangle is read, all finite. w: its
 * eigenvalues first .. first+count-1 (from 0), ascending but for differences of rounding; z, if not
 * NULL: their vectors, n x count. scale: a power of two that a is multiplied by and w divided.
 * found, if not NULL: those in (low, high] instead, of which first and count are stored there. */
typedef struct {
    orr_type type;
    int upper;
    int64_t n, lda, first, count, ldz;
    double scale, low, high;
    int64_t *found;
    const void *a;
    void *w, *z;
} orr_heev_direct;

/* Of the workspace, at a multiple of 64: n^2 and some numbers, with vectors also n count real ones, or what
 * a small matrix takes. The solver of vectors of larger ones has more, of its own. */
size_t orr_heev_direct_bytes(const orr_heev_direct *);

/* memory: the workspace. Returns ORR_OK, ORR_NOCONV or ORR_E_NOMEM. */
typedef orr_status orr_heev_direct_fn(const orr_heev_direct *, void *memory);
extern orr_heev_direct_fn *const orr_heev_direct_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
