/* The lesser and the greater of two numbers, and whether numbers of a type are complex.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_LEAST_H
#define ORR_KERNELS_LEAST_H

#include "kernels/kernel.h"

ORR_BOTH static inline int64_t orr_least(int64_t x, int64_t y) { return x < y ? x : y; }
ORR_BOTH static inline int64_t orr_most(int64_t x, int64_t y) { return x > y ? x : y; }

ORR_BOTH static inline int orr_is_complex(orr_type type) { return type == ORR_C || type == ORR_Z; }

#endif
