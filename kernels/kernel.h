/* What every kernel contract needs. Kernels work on raw pointers and know
 * nothing of tasks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNEL_H
#define ORR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "orrery/types.h"

/* In front of functions of headers that device code calls, too. */
#ifdef __CUDACC__
#define ORR_BOTH __host__ __device__
#else
#define ORR_BOTH
#endif

typedef struct CUstream_st *orr_stream; /* is cudaStream_t; spares C files cuda.h */

#endif
