/* heev of one small matrix, by vectors along its columns; see heev_small.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_HEEV_SMALL_H
#define ORR_CPU_HEEV_SMALL_H

#include "kernels/heev_direct.h"

enum { ORR_HEEV_SMALL = 1024 };

/* 1: orr_heev_small does this, values (some, too) or all vectors, sooner than a BLAS: orders from 1 to
 * those measured, ORR_HEEV_SMALL at most. */
int orr_heev_small_takes(const orr_heev_direct *);
/* Of its workspace. */
size_t orr_heev_small_bytes(const orr_heev_direct *);
/* As orr_heev_direct_fn, in this memory, at a multiple of 64; values ascending. */
orr_status orr_heev_small(const orr_heev_direct *, void *memory);

#endif
