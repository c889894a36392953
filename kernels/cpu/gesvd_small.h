/* gesvd of one small matrix; see gesvd_small.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GESVD_SMALL_H
#define ORR_CPU_GESVD_SMALL_H

#include "kernels/gesvd_direct.h"

enum { ORR_GESVD_SMALL = 1024 };

/* 1: orr_gesvd_small does this sooner than a BLAS: min(m, n) from 1 to the orders measured,
 * ORR_GESVD_SMALL at most. */
int orr_gesvd_small_takes(const orr_gesvd_direct *);
/* Of its workspace; sets lwork, LAPACK's part of it. */
size_t orr_gesvd_small_bytes(orr_gesvd_direct *);
/* As orr_gesvd_direct_fn, in this memory, at a multiple of 64. */
orr_status orr_gesvd_small(const orr_gesvd_direct *, void *memory);

#endif
