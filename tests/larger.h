/* The larger of two errors, and NaN if one of them is: fmax, and !(x <= worst), lose a NaN again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_LARGER_H
#define ORR_TESTS_LARGER_H

static inline double larger(double x, double y) { return x >= y || x != x ? x : y; }

#endif
