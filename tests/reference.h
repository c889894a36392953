/* Eigenvalues in extended precision, for tests.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_REFERENCE_H
#define ORR_TESTS_REFERENCE_H

#include <stdint.h>

#include "orrery/types.h"

/* w, ascending: those of the Hermitian matrix in the lower triangle of a, by a plain
 * two-sided Jacobi in long double, to high relative accuracy where the matrix has it. */
void orr_reference_heev(orr_type, int64_t n, const void *a, int64_t ld, double *w);

#endif
