/* gb2bd of a narrow band by rotations, LAPACK's ?gbbrd: without vectors sooner done than bulge chasing up to four
 * diagonals or so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GB2BD_NARROW_H
#define ORR_KERNELS_GB2BD_NARROW_H

#include "kernels/gb2bd.h"

/* d and e, of the real type, of the source, min(m, n) and one fewer, divided by the source's scale again.
 * 0: no memory. */
typedef int orr_gb2bd_narrow_fn(const orr_gb2bd_source *, void *d, void *e);
extern orr_gb2bd_narrow_fn *const orr_gb2bd_narrow_cpu[ORR_NTYPES];

#endif
